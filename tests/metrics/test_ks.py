"""The Kolmogorov-Smirnov statistic: its value, its place, and the p-values of SciPy and of R."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import stats

import fastauc
import naive
from fastauc._counts import ks
from support.laws import eighths, law, quarters, samples


@law
@given(samples(eighths, scores=quarters, max_size=20), st.booleans())
# Two equal distances, which doubles tell apart.
@example((np.array([0, 1, 0, 1]), np.array([5.0, 0, 1, 2]), np.array([6, 4, 3, 2]) / 8), True)
def test_fields_are_those_of_the_definition(sample, weighted):
    labels, scores, weights = sample
    weights = weights if weighted else None
    found = fastauc.metrics.ks_statistic(labels, scores, sample_weight=weights)
    expected = naive.ks_statistic(labels, scores, sample_weight=weights)
    assert found[:5] == tuple(float(value) for value in expected[:5])
    assert found.statistic == fastauc.ks_score(labels, scores, sample_weight=weights)
    # Each of up to 22 steps of the recursion is a mean with four roundings.
    assert found.pvalue == pytest.approx(float(expected[5]), rel=100 * 2**-53, abs=0, nan_ok=True)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
    np.testing.assert_array_equal(counts.ks_statistic(), found)
    found = fastauc.metrics.ks_statistic(labels, scores, sample_weight=weights, method="continuous")
    expected = naive.ks_statistic(labels, scores, sample_weight=weights, method="continuous")
    assert found.pvalue == pytest.approx(float(expected[5]), rel=100 * 2**-53, abs=0, nan_ok=True)


# P-values ---------------------------------------------------------------------------------------


def test_the_exact_one_is_for_ten_thousand_rows_of_a_class():
    for n_neg, method in (10_000, "exact"), (10_001, "asymp"):
        sample = [1, 1] + [0] * n_neg, [n_neg, n_neg - 500, *range(n_neg)]
        found = {name: fastauc.metrics.ks_statistic(*sample, method=name) for name in
                 ("auto", "exact", "asymp")}  # fmt: skip
        assert found["auto"] == found[method]
        assert found["exact"].pvalue != found["asymp"].pvalue


def test_the_exact_one_knows_all_ties_of_many_rows():
    rng = np.random.default_rng(1)
    labels = np.repeat([1, 0], [3000, 9500])
    scores = np.round(rng.normal(size=12_500) + 0.02 * labels, 3)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    assert fastauc.metrics.ks_statistic(labels, scores) == counts.ks_statistic()


def draw(rng, n_pos, n_neg, shift):
    scores = np.concatenate([rng.normal(shift, 1, n_pos), rng.normal(0, 1, n_neg)])
    if rng.integers(2):
        scores = scores.round(1)
    return np.repeat([1, 0], [n_pos, n_neg]), scores


SIZES = [(1, 1), (1, 9), (2, 3), (5, 5), (30, 50), (200, 150), (700, 64), (1500, 1500)]


@pytest.mark.parametrize(("n_pos", "n_neg"), SIZES)
def test_pvalues_that_ignore_ties_are_those_of_scipy(n_pos, n_neg):
    rng = np.random.default_rng([n_pos, n_neg])
    for shift in (0, 0.1, 0.5, 2):
        labels, scores = draw(rng, n_pos, n_neg, shift)
        found = fastauc.metrics.ks_statistic(labels, scores, method="continuous")
        theirs = stats.ks_2samp(scores[labels == 1], scores[labels == 0], method="exact")
        assert found.statistic == pytest.approx(theirs.statistic, rel=0, abs=1e-15)
        # Four roundings of a mean of positive numbers in each of n_pos + n_neg steps, on their
        # side as many.
        tolerance = 8 * (n_pos + n_neg) * 2**-53
        assert found.pvalue == pytest.approx(theirs.pvalue, rel=tolerance, abs=1e-300)
        exact = fastauc.metrics.ks_statistic(labels, scores)
        assert fastauc.metrics.ks_statistic(labels, scores, method="exact") == exact
        if len(np.unique(scores)) == len(scores):
            assert exact == found
        else:
            assert exact.pvalue <= found.pvalue


# What R's ks.test(x, y, exact = TRUE) printed with 17 digits (4.6.1; tests/data/r/ks.R): the tied
# example of Schroer and Trenkler (1995), the knee angles of Switzer (1976) and the ozone of May and
# August in R's manual, and a sample of SciPy's tests.
KNEES = (
    "-31 -30 -25 -25 -23 -23 -22 -20 -20 -18 -18 -18 -16 -15 -15 -14 -13 -11 -10 -9 -8 -7 -7 -7 -6"
    " -6 -4 -4 -3 -2 -2 -1 1 1 4 5 11 12 16 34",
    "-31 -20 -18 -16 -16 -16 -15 -14 -14 -14 -14 -13 -13 -11 -11 -10 -9 -9 -8 -7 -7 -6 -6 -5 -5 -5"
    " -4 -2 -2 -2 0 0 1 1 2 4 5 5 6 17",
)
OZONE = (
    "41 36 12 18 28 23 19 8 7 16 11 14 18 14 34 6 30 11 1 11 4 32 23 45 115 37",
    "39 9 16 78 35 66 122 89 110 44 28 65 22 59 23 31 44 21 9 45 168 73 76 118 84 85",
)


@pytest.mark.check("published examples")
@pytest.mark.parametrize(
    ("first", "second", "pvalue"),
    [
        ("1 2 2 3 3", "1 2 3 3 4 5 6", 8 / 33),
        (*KNEES, 0.21198990394624936),
        (*OZONE, 0.00069188504868380476),
        ("2 2 2 3 3 3 3 5 5 5 5 5 6 6 6 6", "3 3 3 4 4 4 4 6 6 6 6 6 7 7 7 7", 0.19820988337350354),
    ],
)
def test_pvalues_with_ties_are_those_of_r(first, second, pvalue):
    first, second = (list(map(int, text.split())) for text in (first, second))
    labels = np.repeat([1, 0], [len(first), len(second)])
    found = fastauc.metrics.ks_statistic(labels, [*first, *second])
    assert found.pvalue == pytest.approx(pvalue, rel=1e-13)


@pytest.mark.parametrize(("n_pos", "n_neg"), [*SIZES[2:], (12_000, 20_000), (40, 30_000)])
def test_asymptotic_pvalues_are_those_of_scipy(n_pos, n_neg):
    rng = np.random.default_rng([n_pos, n_neg, 1])
    for shift in (0, 0.02, 0.1, 0.5, 2):
        labels, scores = draw(rng, n_pos, n_neg, shift)
        found = fastauc.metrics.ks_statistic(labels, scores, method="asymp")
        theirs = stats.ks_2samp(scores[labels == 1], scores[labels == 0], method="asymp")
        assert found.pvalue == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
        if max(n_pos, n_neg) > 10_000:
            assert fastauc.metrics.ks_statistic(labels, scores) == found


@pytest.mark.parametrize("n", [1, 2, 7, 50, 139, 140, 141, 1000, 20_000, 150_000, 3_000_000])
def test_the_distribution_of_one_sample(n):
    # Every way of computing it, and both sides of where the way changes: z^2 = 2.2 and 4, n d = 1/2
    # and d = 1/2. Ways that differ by an approximation are as good as SciPy's, to 1e-9 and mostly
    # to 1e-13. The sum of a million terms takes a second: few of them.
    values = [0.5, 0.87, 1.2, 1.483, 1.484, 1.99, 2.01, 3, 8] if n < 10**6 else [0.5, 1.2, 1.5, 3]
    distances = [z / math.sqrt(n) for z in values]
    for distance in [*distances, 0.4 / n, 0.5 / n, 0.7 / n, 0.499, 0.5, 0.9, 1.0]:
        ours = ks.one_sample_sf(n, distance)
        assert ours == pytest.approx(stats.kstwo.sf(distance, n), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("n", [2, 10, 100, 140])
def test_the_least_distance_of_one_sample(n):
    # It is 1 / (2 n). The probability of less than what is just above it has no double.
    distance = (0.5 + 1e-12) / n
    assert n * distance > 0.5
    assert ks.one_sample_sf(n, distance) == stats.kstwo.sf(distance, n) == 1


def test_the_threshold_is_the_best_by_balanced_accuracy_where_tpr_is_the_higher_rate():
    y_true = np.array([1, 1, 1, 0, 0, 0, 0, 1])
    for labels, is_best in (y_true, False), (1 - y_true, True):
        found = fastauc.metrics.ks_statistic(labels, np.arange(8))
        counts = fastauc.confusion_matrix_at_thresholds(labels, np.arange(8))
        balanced = (counts.tps / 4 + counts.tns / 4) / 2
        at = counts.at(found.threshold)
        assert (at.tpr > at.fpr) == is_best
        assert (at.balanced_accuracy == balanced.max()) == is_best
    page = (Path(__file__).parents[2] / "docs" / "credit_scoring.md").read_text(encoding="utf-8")
    claim = "If TPR is higher there, it is also the best threshold by balanced accuracy"
    assert claim in " ".join(page.split())
