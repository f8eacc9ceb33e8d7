"""Replicates of a published data set, beside those that another package has recorded."""

import math

import numpy as np
import pytest
import scipy.stats

import fastauc
from fastauc._validation.samples import read_binary_sample
from fastauc.inference import (
    _bands as bands,
    _bootstrap_test as differences,
    _resampling as resampling,
)
from fastauc.inference._bootstrap import BootstrapOptions
from fastauc.inference._resampling import Resampler, Streams, find_steps
from support.studies import NDKA, POOR_OUTCOME, S100B

# Patients with a subarachnoid hemorrhage: how many with a poor outcome, and with a good one, have a
# level of S100b at or above each of 50 levels, from the highest down. From the data of the
# R package pROC (Robin et al., BMC Bioinformatics 12 (2011) 77).
WITH_POOR_OUTCOME = """
1 2 3 4 5 6 8 9 10 11 12 12 13 14 14 14 14 16 16 17 17 18 18 19 20 21 21 22 23 24 24 25 26
26 26 26 27 27 28 30 31 32 34 36 37 40 40 40 40 41
"""
WITH_GOOD_OUTCOME = """
0 0 0 0 0 0 0 0 0 0 0 2 2 3 5 6 7 7 8 8 9 9 10 11 12 12 13 13 13 13 14 14 14 16 17 19 22
26 30 33 33 37 44 50 56 62 64 67 72 72
"""

# What pROC's own tests have recorded (helper-bootstrap-expected.R): the quantiles at 0.025, 0.5 and
# 0.975 of ten replicates each, of the area and of the sensitivity at a specificity.
OF_STRATIFIED_AREA = 0.6243309621, 0.7257791328, 0.7852007114
OF_SENSITIVITY = {
    True: {
        0.5: (0.5911585366, 0.7889874353, 0.8474847561),
        0.9: (0.2756707317, 0.4146341463, 0.4634146341),
    },
    False: {
        0.5: (0.58796875, 0.8052631579, 0.859109556),
        0.9: (0.246875, 0.4082007344, 0.5003422619),
    },
}


def patients():
    """Return labels and scores: ranks of the levels."""
    poor = np.diff([int(n) for n in WITH_POOR_OUTCOME.split()], prepend=0)
    good = np.diff([int(n) for n in WITH_GOOD_OUTCOME.split()], prepend=0)
    ranks = -np.arange(50)
    labels = np.repeat([1, 0], [41, 72])
    return labels, np.concatenate([np.repeat(ranks, poor), np.repeat(ranks, good)])


def is_of_ten(recorded, values):
    """Tell whether the quantiles of ten replicates may be those of this distribution.

    The median of ten is beyond its quantile at 0.05 with probability 6e-5. The lowest of ten values
    and the next one, between which the first is, are not both above the quantile at 0.5 unless nine
    are: probability 0.011; the recorded values are few, and fixed.
    """
    low, median, high = recorded
    edges = np.quantile(values, [0, 0.05, 0.5, 0.95, 1])
    return edges[0] <= low <= edges[2] <= high <= edges[4] and edges[1] <= median <= edges[3]


@pytest.mark.parametrize("stratified", [True, False])
def test_replicates_of_another_implementation(stratified):
    sample = patients()
    found = fastauc.inference.bootstrap_ci(*sample, stratified=stratified, n_resamples=4000, rng=1)
    # As pROC prints it.
    assert found.statistic == pytest.approx(0.73136856368563685, rel=1e-15)
    if stratified:
        assert is_of_ten(OF_STRATIFIED_AREA, found.bootstrap_distribution)
    recorded = OF_SENSITIVITY[stratified]
    rates = [1 - specificity for specificity in sorted(recorded, reverse=True)]
    curves = find_steps([read_binary_sample(*sample, None, None, "test")], False)
    heights = resampling.evaluate(
        Resampler(curves, stratified),
        4000,
        lambda drawn: bands.height_of(drawn, np.array(rates)),
        Streams(np.random.default_rng(1)),
    )
    for values, specificity in zip(heights.T, sorted(recorded, reverse=True), strict=True):
        assert is_of_ten(recorded[specificity], values)


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
    recorded = differences._test(
        OF_DIFFERENCES[stratified],
        STANDARDIZED,
        math.inf,
        BootstrapOptions("roc_auc", 1.0, "normal", 0.95, 2, True, False),
        "two-sided",
    )
    assert recorded.pvalue == pytest.approx(P_VALUES[stratified], abs=5e-11)
