"""Bootstrap tests of a published data set, beside those that another package has recorded."""

import math

import numpy as np
import pytest
import scipy.stats

from fastauc.inference import _bootstrap_test as test, bootstrap_test
from fastauc.inference._bootstrap import BootstrapOptions
from support.studies import NDKA, POOR_OUTCOME, S100B

# What pROC's own tests have recorded (helper-bootstrap-expected.R): roc.test of S100b against NDKA
# by ten replicates, D of each.
OF_DIFFERENCES = {True: 1.4790202557, False: 1.7975749619}
P_VALUES = {True: 0.1391349012, False: 0.0722443891}
STANDARDIZED = np.array([-1.0, 1.0]) / np.sqrt(2)  # with a standard deviation of 1


@pytest.mark.parametrize("stratified", [True, False])
def test_differences_of_another_implementation(stratified):
    rows = None if stratified else np.arange(len(S100B))
    found = bootstrap_test(POOR_OUTCOME, S100B, NDKA, groups=rows, n_resamples=4000, rng=1)
    deviation = found.difference / OF_DIFFERENCES[stratified]
    # The variance of ten values over that of their distribution, which is nearly normal, times 9 is
    # chi-square with 9 degrees of freedom: between these with probability 0.998.
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], 9) / 9
    assert low < (deviation / found.standard_error) ** 2 < high
    rule = BootstrapOptions("roc_auc", 1.0, "normal", 0.95, 2, True, False), "two-sided"
    recorded = test._test(OF_DIFFERENCES[stratified], STANDARDIZED, math.inf, *rule)
    assert recorded.pvalue == pytest.approx(P_VALUES[stratified], abs=5e-11)
