"""Replicates of a published data set, beside those that another package has recorded."""

import math

import numpy as np
import pytest
import scipy.stats

import fastauc
from fastauc._validation.samples import read_binary_sample
from fastauc.inference import _bands as bands, _bootstrap_test as test, _resampling as resampling
from fastauc.inference._bootstrap import BootstrapOptions
from fastauc.inference._resampling import Resampler, Streams, find_steps
from support.studies import NDKA, POOR_OUTCOME, S100B

# What pROC's own tests have recorded (helper-bootstrap-expected.R): the quantiles at 0.025, 0.5 and
# 0.975 of ten replicates each, of the area and of the sensitivity at the specificities 0.9 and 0.5.
OF_STRATIFIED_AREA = 0.6243309621, 0.7257791328, 0.7852007114
OF_SENSITIVITIES = [
    (0.2756707317, 0.4146341463, 0.4634146341),
    (0.5911585366, 0.7889874353, 0.8474847561),
]


def is_of_ten(recorded, values):
    """Tell whether the quantiles of ten replicates may be those of this distribution.

    The median of ten is beyond its quantile at 0.05 with probability 6e-5. The lowest of ten values
    and the next one, between which the first is, are not both above the quantile at 0.5 unless nine
    are: probability 0.011; the recorded values are few, and fixed.
    """
    low, median, high = recorded
    edges = np.quantile(values, [0, 0.05, 0.5, 0.95, 1])
    return edges[0] <= low <= edges[2] <= high <= edges[4] and edges[1] <= median <= edges[3]


def test_replicates_of_another_implementation():
    sample = POOR_OUTCOME, S100B
    found = fastauc.inference.bootstrap_ci(*sample, stratified=True, n_resamples=4000, rng=1)
    # As pROC prints it.
    assert found.statistic == pytest.approx(0.73136856368563685, rel=1e-15)
    assert is_of_ten(OF_STRATIFIED_AREA, found.bootstrap_distribution)
    curves = find_steps([read_binary_sample(*sample, None, None, "test")], False)
    streams, rates = Streams(np.random.default_rng(1)), np.array([0.1, 0.5])
    drawn = Resampler(curves, True)
    heights = resampling.evaluate(drawn, 4000, lambda one: bands.height_of(one, rates), streams)
    assert all(map(is_of_ten, OF_SENSITIVITIES, heights.T))


# The same file: roc.test of S100b against NDKA by ten replicates, D of each.
OF_DIFFERENCES = {True: 1.4790202557, False: 1.7975749619}
P_VALUES = {True: 0.1391349012, False: 0.0722443891}
STANDARDIZED = np.array([-1.0, 1.0]) / np.sqrt(2)  # with a standard deviation of 1


@pytest.mark.parametrize("stratified", [True, False])
def test_differences_of_another_implementation(stratified):
    rows = None if stratified else np.arange(len(S100B))
    found = fastauc.inference.bootstrap_test(
        POOR_OUTCOME, S100B, NDKA, groups=rows, n_resamples=4000, rng=1
    )
    deviation = found.difference / OF_DIFFERENCES[stratified]
    # The variance of ten values over that of their distribution, which is nearly normal, times 9 is
    # chi-square with 9 degrees of freedom: between these with probability 0.998.
    low, high = scipy.stats.chi2.ppf([0.001, 0.999], 9) / 9
    assert low < (deviation / found.standard_error) ** 2 < high
    rule = BootstrapOptions("roc_auc", 1.0, "normal", 0.95, 2, True, False), "two-sided"
    recorded = test._test(OF_DIFFERENCES[stratified], STANDARDIZED, math.inf, *rule)
    assert recorded.pvalue == pytest.approx(P_VALUES[stratified], abs=5e-11)
