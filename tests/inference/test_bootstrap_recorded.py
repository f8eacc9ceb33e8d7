"""Bootstrap tests of a published data set, beside those that another package has recorded."""

import numpy as np
import pytest
import scipy.stats

from fastauc.inference import bootstrap_test
from support.studies import NDKA, POOR_OUTCOME, S100B

# What pROC's own tests have recorded (helper-bootstrap-expected.R): roc.test of S100b against NDKA
# by ten replicates, D of each.
OF_DIFFERENCES = {True: 1.4790202557, False: 1.7975749619}
P_VALUES = {True: 0.1391349012, False: 0.0722443891}


@pytest.mark.parametrize("stratified", [True, False])
def test_differences_of_another_implementation(stratified):
    rows = None if stratified else np.arange(len(S100B))
    found = bootstrap_test(POOR_OUTCOME, S100B, NDKA, groups=rows, n_resamples=4000, rng=1)
    deviation = found.difference / OF_DIFFERENCES[stratified]
    # The variance of ten values over that of their distribution, which is nearly normal, times 9 is
    # chi-square with 9 degrees of freedom: between these with probability 0.998.
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], 9) / 9
    assert low < (deviation / found.standard_error) ** 2 < high
    # pROC's p-value is that of the normal distribution.
    recorded = 2 * scipy.stats.norm.sf(OF_DIFFERENCES[stratified])
    assert recorded == pytest.approx(P_VALUES[stratified], abs=5e-11)
