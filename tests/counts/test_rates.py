"""What a rate that is given as a double stands for: every share k / n that rounds to it."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest

import fastauc
from fastauc._counts.threshold_counts import counts_at, exact_rate, greatest_counts

# The small ones, and some where k / n * n is rounded to more or less than k.
SIZES = [*range(1, 12), 20, 29, 49, 93, 100, 103, 187, 200]
PERCENTS = [k / 100 for k in range(101)]


def rates_among(n):
    """Return every share k / n as a double, every whole percent, and what each one stands for."""
    shares = {k / n: F(k, n) for k in range(n + 1)}
    return {rate: shares.get(rate, F(rate)) for rate in [*shares, *PERCENTS]}


def staircase(n, weight=None):
    """Return counts of n positives and n negatives in turn, from a positive down."""
    labels, scores = [1, 0] * n, list(range(2 * n, 0, -1))
    weights = None if weight is None else [weight] * (2 * n)
    return fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)


def test_a_part_that_begins_at_one_in_ten():
    perfect = [0] * 10 + [1] * 10, range(20)
    area = fastauc.partial_roc_auc_score(*perfect, fpr_range=(0.1, 0.3), standardized=False)
    assert area == 0.2


@pytest.mark.parametrize("how", ["linear", "step"])
def test_every_share_of_every_size(how):
    # Positives and negatives take turns: at a false positive rate f / n the curve rises from f / n
    # to (f + 1) / n.
    for n in SIZES:
        meant, counts = rates_among(n), staircase(n)
        rates, shares = list(meant), list(meant.values())
        heights = [min(F(math.floor(share * n) + 1, n), F(1)) for share in shares]
        found = counts.tpr_at_fpr(rates, interpolation=how)
        assert found.tolist() == [float(height) for height in heights]
        found = counts.fpr_at_tpr(rates, interpolation=how)
        false = [max(math.ceil(share * n) - 1, 0) for share in shares]
        assert found.tolist() == [float(F(fp, n)) for fp in false]
        found = counts.precision_at_recall(rates[1:], interpolation=how)
        for share, fp, value in zip(shares[1:], false[1:], found.tolist(), strict=True):
            tp = share * n if how == "linear" else math.ceil(share * n)
            assert value == float(F(tp) / (tp + fp))


def test_every_limit_of_a_threshold():
    for n in SIZES:
        counts = staircase(n)
        for rate, share in rates_among(n).items():
            found = counts.optimal_threshold(method="max_fpr", limit=rate)
            assert found.value == float(min(F(math.floor(share * n) + 1, n), F(1)))
            found = counts.optimal_threshold(method="min_recall", limit=rate)
            assert found.value == float(F(max(math.ceil(share * n) - 1, 0), n))


def test_every_share_of_the_best_rows():
    for n in SIZES[1:]:
        n_pos = (n + 1) // 2
        labels = [1] * n_pos + [0] * (n - n_pos)
        counts = fastauc.confusion_matrix_at_thresholds(labels, range(n, 0, -1))
        for rate, share in rates_among(n).items():
            gain = min(share * n / n_pos, F(1))
            assert counts.gain_at(rate) == float(gain)
            if rate:
                assert counts.lift_at(rate) == float(gain / share)
    # Functions and histograms, which find the place by themselves.
    histogram = fastauc.streaming.ScoreHistogram().update(labels, range(n, 0, -1))
    for rate in PERCENTS:
        expected = counts.gain_at(rate)
        assert fastauc.metrics.gain_at(labels, range(n, 0, -1), rate) == expected
        low, high = histogram.gain_at(rate)[1:3]
        assert low <= expected <= high


def test_every_area_to_a_rate():
    for n in SIZES:
        counts, labels, scores = staircase(n), [1, 0] * n, range(2 * n, 0, -1)
        for rate, share in itertools.islice(rates_among(n).items(), 1, None):
            whole = math.floor(share * n)
            area = F(whole * (whole + 1), 2 * n**2) + (share - F(whole, n)) * F(whole + 1, n)
            part = {"fpr_range": (0, rate), "standardized": False}
            assert counts.partial_roc_auc(**part) == float(area)
            if n < 30:
                assert fastauc.partial_roc_auc_score(labels, scores, **part) == float(area)


@pytest.mark.parametrize("weight", [3.0, 0.1])
def test_sums_of_weights_are_at_the_rate_that_roc_curve_shows(weight):
    for n in [*range(1, 12), 29, 49]:
        counts = staircase(n, weight)
        fpr, tpr, _ = counts.roc_curve(drop_intermediate=False)
        for rate in rates_among(n):
            expected = tpr[fpr <= rate].max()
            assert counts.tpr_at_fpr(rate, interpolation="step") == expected
            assert counts.optimal_threshold(method="max_fpr", limit=rate).value == expected
            expected = fpr[tpr >= rate].min()
            assert counts.fpr_at_tpr(rate, interpolation="step") == expected
            assert counts.optimal_threshold(method="min_recall", limit=rate).value == expected
        if weight == 3:
            rates = list(rates_among(n))
            assert counts.tpr_at_fpr(rates).tolist() == staircase(n).tpr_at_fpr(rates).tolist()


def test_several_sums_at_one_rate():
    # A weight that is lost in the rate, not in the sum.
    sums = np.array([0.9, 0.9 + 2**-53, 1.75])
    assert sums[0] < sums[1]
    assert sums[0] / sums[2] == sums[1] / sums[2]
    assert counts_at(F(sums[0] / sums[2]), sums) == (F(sums[0]), F(sums[1]))


def test_fractions_stand_for_themselves():
    assert exact_rate(F(3, 10), 10) == F(3, 10)
    assert exact_rate(F(0.3), 10) == F(3, 10)
    assert exact_rate(F(0.3), 11) == F(0.3)
    assert exact_rate(F(0.3) - F(1, 10**30), 10) == F(0.3) - F(1, 10**30)
    labels, scores = [0] * 10 + [1, 1], [*range(10), 6.5, 9.5]
    assert fastauc.metrics.tpr_at_fpr(labels, scores, F(3, 10) - F(1, 10**30)) == 0.5


def test_the_greatest_counts():
    for n in SIZES:
        rates = np.array(sorted(rates_among(n)))
        expected = [max(k for k in range(n + 1) if k / n <= rate) for rate in rates]
        assert greatest_counts(rates, n).tolist() == expected
        # Sums are doubles: the greatest that is not beyond, and the next one is.
        for total in float(n), 0.1 * n:
            sums = greatest_counts(rates[1:], total)
            assert (sums / total <= rates[1:]).all()
            assert (np.nextafter(sums, np.inf) / total > rates[1:]).all()


def test_a_precision_at_the_limit():
    # Where half are positives, 3 of 10 hits and 1 of 10 alarms are a precision of 3/4.
    labels, scores = [1] * 3 + [0] + [0] * 9 + [1] * 7, [3] * 4 + [1] * 16
    found = fastauc.metrics.optimal_threshold(
        labels, scores, method="min_precision", limit=0.75, prevalence=0.5
    )
    assert found.threshold == 3
