"""The test of two partial areas: the differences of what each row adds to them."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc import UndefinedMetricWarning
from fastauc.inference import roc_auc_test
from naive.parts import partial_roc_auc_test
from support.laws import law, samples

T1 = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
some = settings(law, max_examples=40)


@st.composite
def inner_ranges(draw):
    """Return a range whose ends are no rates of thresholds, where the area has a bend, but 0, 1."""
    ends = draw(st.lists(st.integers(0, 997), min_size=2, max_size=2, unique=True))
    lower, upper = sorted(F(end, 997) for end in ends)
    return {draw(st.sampled_from(["fpr_range", "tpr_range"])): (lower, upper)}


@some
@given(samples(), inner_ranges(), st.booleans(), st.randoms(use_true_random=False))
def test_it_is_the_difference_of_what_each_row_adds(sample, part, paired, random):
    labels, first = sample
    labels, first = np.append(labels, [0, 1]), np.append(first, [0, 0])
    second = np.array(random.choices(range(6), k=len(labels)))
    options = part if paired else part | {"y_true_b": labels}
    difference, variance = partial_roc_auc_test(labels, first, second, **options)
    if variance < 1e-20:
        # As of equal placements; the differences of the definition are off by the square of 1e-12.
        return
    found = roc_auc_test(labels, first, second, **options)
    assert found.difference == pytest.approx(float(difference), rel=1e-13, abs=1e-15)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert found.statistic == pytest.approx(found.difference / found.standard_error, rel=1e-12)
    assert found.method == "t"
    assert 1 <= found.df <= 2 * len(labels) - 2
    assert found.pvalue == pytest.approx(2 * scipy.stats.t.sf(abs(found.statistic), found.df))
    low, high = found.confidence_interval
    assert (found.pvalue < 0.05) == (not low <= 0 <= high)


def test_of_whole_curves_it_is_that_of_roc_auc_test():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 300)
    first, second = np.round(rng.normal(size=(2, 300)) + labels, 1)
    for alternative in "two-sided", "less", "greater":
        options = {"alternative": alternative}
        whole = fastauc.inference.roc_auc_test(labels, first, second, **options)
        for name in "fpr_range", "tpr_range":
            found = roc_auc_test(labels, first, second, **{name: (0, 1)}, **options)
            assert found.difference == whole.difference
            # Sums of some 150 doubles.
            assert found.standard_error == pytest.approx(whole.standard_error, rel=1e-12)
            tail = scipy.stats.t.sf if alternative == "greater" else scipy.stats.t.cdf
            if alternative != "two-sided":
                assert found.pvalue == pytest.approx(tail(found.statistic, found.df), rel=1e-9)


def test_independent_samples():
    rng = np.random.default_rng(5)
    labels = [np.arange(n) % 2 for n in (60, 90)]
    scores = [rng.normal(size=len(own)) + own for own in labels]
    part = {"tpr_range": (0.3, 0.8)}
    found = roc_auc_test(labels[0], *scores, y_true_b=labels[1], **part)
    each = [
        fastauc.inference.roc_auc_ci(*rows, **part) for rows in zip(labels, scores, strict=True)
    ]
    assert found.difference == pytest.approx(each[0].statistic - each[1].statistic, abs=1e-15)
    error = math.hypot(*(estimate.standard_error for estimate in each))
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    # Of 30 and 45 positives half are expected in the range.
    assert 14 <= found.df <= 112


def test_equal_scores_and_the_order_of_rows_and_models():
    rng = np.random.default_rng(6)
    labels, first, second = rng.integers(0, 2, 80), *rng.integers(0, 30, (2, 80))
    part = {"fpr_range": (0.05, 0.4)}
    same = roc_auc_test(labels, first, first * 2, **part)
    assert (*same[:4], same.method) == (0, 1, 0, 0, "score")
    assert same.confidence_interval.low < 0 < same.confidence_interval.high
    found = roc_auc_test(labels, first, second, **part)
    rows = rng.permutation(80)
    assert roc_auc_test(labels[rows], first[rows], second[rows], n_jobs=2, **part) == found
    turned = roc_auc_test(labels, second, first, **part)
    assert (turned.difference, turned.pvalue) == (-found.difference, found.pvalue)
    mirrored = roc_auc_test(1 - labels, -first, -second, tpr_range=(F("0.6"), F("0.95")))
    exact = roc_auc_test(labels, first, second, fpr_range=(F("0.05"), F("0.4")))
    assert mirrored == exact


def test_undefined():
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        found = roc_auc_test([1, 1], [1, 2], [2, 1], fpr_range=(0, 0.5))
    assert math.isnan(found.pvalue)
    with pytest.warns(UndefinedMetricWarning, match="two or more positive and negative rows"):
        found = roc_auc_test([1, 0, 0], [1, 2, 3], [3, 2, 1], fpr_range=(0, 0.5))
    assert (found.difference, math.isnan(found.pvalue)) == (-2 / 3, True)


def test_perfect_scores_have_an_interval():
    labels, scores = np.repeat([0, 1], 6), np.arange(12)
    for other, difference in (scores**2, 0), (-scores, 1.1):
        found = roc_auc_test(labels, scores, other, fpr_range=(0, 0.1))
        assert (found.standard_error, found.method) == (0, "score")
        low, high = found.confidence_interval
        assert high - low > 0.3
        with pytest.warns(UndefinedMetricWarning, match="The variance of the difference is"):
            found = roc_auc_test(labels, scores, other, fpr_range=(0, 0.1), method="t")
        assert np.isnan(found.confidence_interval).all()
        assert math.isnan(found.pvalue) == (difference != 0)


@pytest.mark.slow
@pytest.mark.parametrize("part", [{"fpr_range": (0, 0.3)}, {"tpr_range": (0.8, 1)}])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(20, 20), (30, 300)])
def test_level(part, n_pos, n_neg):
    rng = np.random.default_rng([9, n_pos])
    labels, n_samples, rejected = np.repeat([1, 0], [n_pos, n_neg]), 1000, 0
    for _ in range(n_samples):
        common, *own = rng.normal(size=(3, n_pos + n_neg))
        scores = [common + noise + 1.7 * labels for noise in own]
        rejected += roc_auc_test(labels, *scores, **part).pvalue < 0.05
    # 5 %, and three deviations of a share of so many samples: 2.1 %.
    assert rejected / n_samples < 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_samples)
