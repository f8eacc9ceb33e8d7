"""Intervals of the rates that are read off a curve, and bands around it, without any replicates."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import naive
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from fastauc.inference import _bands as bands, _resampling as resampling, curve_ci
from fastauc.inference._bands import binomial
from fastauc.inference._resampling import find_steps
from support.studies import SMALL

LABELS, SCORES = SMALL

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
    rates=st.sampled_from(["fpr", "tpr"]),
)
def test_intervals_are_those_of_the_definition(labels, seed, n_values, rate, level, rates):
    scores = np.random.default_rng(seed).integers(n_values, size=len(labels)).tolist()
    options = {"given": rates, "confidence_level": level}
    found = curve_ci(labels, scores, rate, **options)
    (value,), (ends,) = naive.curve_ci(labels, scores, [rate], **options)
    assert found.statistic == value
    assert (found.low, found.high) == pytest.approx(ends, abs=CLOSE)
    assert found[4:] == (rates, False, level, "binomial")
    assert found.low <= found.statistic <= found.high
    # All positives are above the lowest of all thresholds, and no negative has to be.
    known = {"fpr": (1, (1, 1)), "tpr": (0, (0, 0))}[rates]
    assert 0 <= found.low < found.high <= 1 or (rate, (found.low, found.high)) == known


RATES = {
    "fpr": [0, 0.1, 0.125, 0.3, 0.5, 0.875, 1],
    "tpr": [0, 0.1, 1 / 6, 0.3, 0.5, 5 / 6, 1],
    "recall": [0.1, 1 / 6, 0.3, 0.5, 5 / 6, 1],
}


GROUPS = {"groups": [k // 2 for k in range(14)]}
WEIGHTS = {"sample_weight": [1, 2, 1, 2, 1, 1, 2, 2, 1, 1, 2, 1, 1, 2]}
CASES = [
    ("fpr", False, {}),
    ("recall", False, {}),
    *(
        (rates, band, of)
        for rates in ("fpr", "tpr")
        for band in (False, True)
        for of in (GROUPS, WEIGHTS)
    ),
]


@pytest.mark.parametrize(("rates", "is_band", "design"), CASES)
def test_many_rates_have_the_intervals_or_the_band_of_the_definition(rates, is_band, design):
    at, method = RATES[rates], "dkw" if is_band else "binomial"
    options = {"given": rates, "simultaneous": is_band, **design}
    found = curve_ci(LABELS, SCORES, at, **options)
    values, ends = naive.curve_ci(LABELS, SCORES, at, **options)
    assert found.at.tolist() == at
    # Four roundings, of numbers up to 1 and of a share of it.
    assert found.statistic == pytest.approx(values, abs=4 * 2**-53)
    # The rectangles of the definition are those of 100 points of each step of the curve, which is
    # half of it at most.
    close = 0.01 if is_band else CLOSE
    np.testing.assert_allclose([found.low, found.high], np.transpose(ends), rtol=0, atol=close)
    assert (found.low <= found.statistic).all()
    assert (found.statistic <= found.high).all()
    assert found[4:] == (rates, is_band, 0.95, method)
    # In any order and shape, and one by one.
    again = curve_ci(LABELS, SCORES, np.array(at)[::-1, None], **options)
    for ours, theirs in zip(again[:4], found[:4], strict=True):
        assert ours.tolist() == theirs[::-1, None].tolist()
    single = curve_ci(LABELS, SCORES, at[3], **options)
    assert all(type(value) is float for value in single[:4])
    assert single[:4] == tuple(column[3] for column in found[:4])
    none = curve_ci(LABELS, SCORES, [], **options)
    assert [np.shape(values) for values in none[:4]] == [(0,)] * 4


def test_the_rates_are_at_hundredths():
    found = curve_ci([0, 1, 0, 1], [1, 2, 3, 4])
    assert found.at.tolist() == (np.arange(101) / 100).tolist()
    precision = curve_ci([0, 1, 0, 1], [1, 2, 3, 4], given="recall")
    assert precision.at.tolist() == (np.arange(1, 101) / 100).tolist()


@pytest.mark.parametrize("n", [1, 7, 1000, 10**6, 2**32 - 1])
def test_binomial_numbers(n):
    for share in (0, 1e-9, 0.01, 0.5, 0.999, 1):
        numbers, probabilities = binomial(n, share)
        assert 0 <= numbers[0] <= numbers[-1] <= n
        # Sums of some 10^6 doubles; what is left out is below 1e-13, times the numbers there.
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)
        mean = n * share
        assert probabilities @ (numbers - mean) == pytest.approx(0, abs=1e-9 * (1 + mean**0.5))
        spread = probabilities @ (numbers - mean) ** 2
        assert spread == pytest.approx(mean * (1 - share), rel=1e-9, abs=1e-12)


# Readings -----------------------------------------------------------------------------------------


def test_rates_of_counts_are_those_of_the_curve():
    # Each count over n_neg, as roc_curve rounds it, is met: the height is that after the count.
    for n_neg in (1, 3, 7, 10, 49, 100, 1000):
        labels = [1] * (n_neg + 1) + [0] * n_neg
        scores = [*range(1, 2 * n_neg + 2, 2), *range(2, 2 * n_neg + 2, 2)]
        rates, expected = np.arange(n_neg + 1) / n_neg, np.arange(1, n_neg + 2) / (n_neg + 1)
        sample = Rows("test", labels, scores).sample(SERIAL)
        (steps,) = find_steps([sample], False)
        found = bands.height_of(resampling.whole_sample(steps), rates)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(curve_ci(labels, scores, rates).statistic, expected)


def test_a_rate_and_its_complement_stand_for_the_same_rows():
    for n in range(1, 201):
        rates = np.arange(n + 1) / n
        np.testing.assert_array_equal(bands.complements(rates, n), rates)
    assert bands.complements(np.array([0.25, 0.9]), 0).tolist() == [1 - 0.9, 0.75]


@pytest.mark.parametrize(
    ("rates", "at", "message"),
    [
        ("fpr", [0.1, 1.5], r"at\[1\] is 1.5; expected a number in \[0, 1\]"),
        ("tpr", [math.nan], r"at\[0\] is nan; expected a number"),
        ("recall", [0, 0.5], r"at\[0\] is 0.0; expected a number in \(0, 1\]"),
        ("threshold", 1.0, r"at\[0\] is 1.0; expected a probability, a number in \[0, 1\)"),
    ],
)
def test_rates_outside_their_domain(rates, at, message):
    with pytest.raises(ValueError, match=message):
        curve_ci([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], at, given=rates)
