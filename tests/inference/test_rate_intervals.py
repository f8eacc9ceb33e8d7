"""Intervals of the rates that are read off a curve."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
from fastauc.inference._bands import binomial, curve_of, tpr_bounds
from naive import rate_intervals as naive_intervals

LABELS, SCORES = [1] * 6 + [0] * 8, [7, 5, 5, 3, 2, 6, 5, 4, 3, 3, 2, 1, 0, 4]
FUNCTIONS = ("tpr_at_fpr_ci", "fpr_at_tpr_ci")  # of the definitions
METHODS = ("binomial", "hilgers")


def interval(function, labels, scores, rate, **options):
    """Return the interval of the rate that a definition has in its name."""
    given = {"tpr_at_fpr_ci": "fpr", "fpr_at_tpr_ci": "tpr", "precision_at_recall_ci": "recall"}
    return fastauc.inference.curve_ci(labels, scores, rate, given=given[function], **options)


# The definition sums probabilities of all numbers, the package those above 1e-13, of which there
# are less than 100 at each end; a Newton step ends within 1e-13. An end moves by as much over the
# slope of the probability, which is above 1e-3 for rows so few and tails so large.
CLOSE = 1e-8


@given(
    labels=st.lists(st.booleans(), min_size=2, max_size=16).filter(lambda y: len({*y}) == 2),
    seed=st.integers(0, 99),
    n_values=st.sampled_from([2, 5, 1000]),
    rate=st.sampled_from([0, 0.01, 0.1, 0.25, 1 / 3, 0.5, 0.8, 0.99, 1]),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_intervals_are_those_of_the_definition(labels, seed, n_values, rate, level):
    scores = np.random.default_rng(seed).integers(n_values, size=len(labels)).tolist()
    for function in FUNCTIONS:
        for method in METHODS:
            options = {"method": method, "confidence_level": level}
            found = interval(function, labels, scores, rate, **options)
            wanted = getattr(naive_intervals, function)(labels, scores, rate, **options)
            assert found.statistic == float(wanted[0])
            assert (found.low, found.high) == pytest.approx(wanted[1:3], abs=CLOSE)
            assert found[5:] == (False, level, method)
            assert found.low <= found.statistic <= found.high
            ends = found.low, found.high
            # All positives are above the lowest of all thresholds, and no negative has to be.
            known = {"tpr_at_fpr_ci": (1, (1, 1)), "fpr_at_tpr_ci": (0, (0, 0))}
            assert 0 <= found.low < found.high <= 1 or (rate, ends) == known[function]


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_of_precision_are_those_of_the_definition(level):
    for recall in (0.1, 0.5, 5 / 6, 1.0):
        found = interval("precision_at_recall_ci", LABELS, SCORES, recall, confidence_level=level)
        wanted = naive_intervals.precision_at_recall_ci(
            LABELS, SCORES, recall, confidence_level=level
        )
        assert found.statistic == float(wanted[0])
        assert (found.low, found.high) == pytest.approx(wanted[1:3], abs=CLOSE)
        assert 0 < found.low < found.high <= 1
    # Of a perfect order as well, where no false positive is likely; and of a single class.
    perfect = interval("precision_at_recall_ci", np.repeat([0, 1], 30), np.arange(60), [0.1, 0.5])
    assert perfect.statistic.tolist() == perfect.high.tolist() == [1, 1]
    assert ((perfect.low > 0.1) & (perfect.low < 0.95)).all()
    assert perfect.low[0] < perfect.low[1]
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
        assert math.isnan(interval("precision_at_recall_ci", [1, 1], [1, 2], 0.5).low)


@pytest.mark.ci
def test_coverage_of_precision():
    # 300 samples of 100 rows, of either class by chance; as in test_coverage.
    n_samples, recall, held = 300, np.array([0.2, 0.5, 0.8]), np.zeros(3)
    truth, generator = 1 / (1 + recall**3), np.random.default_rng(23)
    for _ in range(n_samples):
        labels = generator.integers(2, size=100)
        scores = generator.exponential(size=100) * np.where(labels == 1, 4, 1)
        found = interval("precision_at_recall_ci", labels, scores, recall)
        held += (found.low <= truth) & (truth <= found.high)
    assert (held / n_samples > 0.95 - 3.3 * math.sqrt(0.95 * 0.05 / n_samples)).all()


def test_one_known_threshold_has_the_mid_p_interval():
    # Both classes are apart: at every rate but the lowest all 10 positives are above, and the ends
    # solve p^10 / 2 = 0.025.
    found = interval("tpr_at_fpr_ci", np.repeat([0, 1], [2000, 10]), np.arange(2010), 0.5)
    assert found[1:4] == (1, pytest.approx(0.05 ** (1 / 10), abs=1e-12), 1)
    # Hilgers' are those of Clopper and Pearson with the root of the probability.
    found = interval(
        "tpr_at_fpr_ci", np.repeat([0, 1], [2000, 10]), np.arange(2010), 0.5, method="hilgers"
    )
    tail = (1 - math.sqrt(0.95)) / 2
    assert found[1:4] == (1, pytest.approx(tail ** (1 / 10), abs=1e-12), 1)


def test_the_shape_is_that_of_the_rates():
    for function in FUNCTIONS:
        whole = partial(interval, function)
        found = whole(LABELS, SCORES, [[0.1, 0.5], [0, 1]])
        assert {np.shape(values) for values in found[:4]} == {(2, 2)}
        assert [np.shape(values) for values in whole(LABELS, SCORES, [])[:4]] == [(0,)] * 4
        single = whole(LABELS, SCORES, 0.5)
        assert all(isinstance(value, float) for value in single[:4])
        assert single[:4] == tuple(values[0, 1] for values in found[:4])


def test_the_classes_can_be_exchanged():
    # Of negatives and of positives with both turned around, the rates are those of each other.
    turned = [1 - label for label in LABELS], [-score for score in SCORES]
    rates = [0.01, 0.2, 0.5, 0.9]
    for method in METHODS:
        found = interval("fpr_at_tpr_ci", LABELS, SCORES, rates, method=method)
        other = interval("tpr_at_fpr_ci", *turned, 1 - np.array(rates), method=method)
        # 1 - rate is rounded, and the ends of Newton's steps.
        np.testing.assert_allclose(1 - found.high, other.low, rtol=0, atol=CLOSE)
        np.testing.assert_allclose(1 - found.low, other.high, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("n", [1, 7, 1000, 10**6, 2**32 - 1])
@pytest.mark.parametrize("share", [0, 1e-9, 0.01, 0.5, 0.999, 1])
def test_binomial_numbers(n, share):
    numbers, probabilities = binomial(n, share)
    assert 0 <= numbers[0] <= numbers[-1] <= n
    # Sums of some 10^6 doubles; what is left out is below 1e-13, times the numbers there.
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    mean = n * share
    assert probabilities @ (numbers - mean) == pytest.approx(0, abs=1e-9 * (1 + math.sqrt(mean)))
    variance = mean * (1 - share)
    assert probabilities @ (numbers - mean) ** 2 == pytest.approx(variance, rel=1e-9, abs=1e-12)


@pytest.mark.ci
def test_coverage():
    # 300 samples of exponential scores with 50 rows of each class and an area of 0.95. Of an
    # interval that covers 95 %, the share is within 3.3 standard errors of 0.0126, or above.
    n_samples, rates = 300, np.array([0.01, 0.1, 0.8])
    truth, generator = rates ** (1 / 19), np.random.default_rng(17)
    labels, held = np.repeat([1, 0], 50), {method: np.zeros(3) for method in METHODS}
    for _ in range(n_samples):
        scores = generator.exponential(size=100) * np.repeat([19, 1], 50)
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
        for method in METHODS:
            low, high = tpr_bounds(curve_of(counts.fps, counts.tps), rates, method, 0.95)
            held[method] += (low <= truth) & (truth <= high)
    least = 0.95 - 3.3 * math.sqrt(0.95 * 0.05 / n_samples)
    assert (held["binomial"] / n_samples > least).all()
    assert (held["hilgers"] >= held["binomial"]).all()
