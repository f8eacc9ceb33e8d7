"""Gain, lift and the Kolmogorov-Smirnov chart: their definitions, and what documents print."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from support.laws import eighths, law, quarters, samples
from support.public import PUBLIC

SEVEN = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
TEN = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1]
SAMPLES = {"seven": SEVEN, "ten": TEN}

CURVES = {
    "gain_curve": {},
    "lift_curve": {},
    "ks_curve": {},
    "profit_curve": {"cost": 0.75, "revenue": 3},
}

# Both classes, many ties or one score alone, and weights whose sums are exact.
tied_samples = samples(eighths, scores=quarters, max_size=20)


def doubles(values):
    return [float(value) for value in values]


# Definitions ------------------------------------------------------------------------------------


@law
@given(tied_samples, st.booleans(), st.sampled_from([0, 1]))
def test_curves_are_those_of_the_definitions(sample, weighted, pos_label):
    labels, scores, weights = sample
    options = {"sample_weight": weights if weighted else None, "pos_label": pos_label}
    for name, money in CURVES.items():
        got = PUBLIC[name](labels, scores, **money, **options)
        expected = getattr(naive, name)(labels, scores, **money, **options)
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores, **options)
        for own, other, again in zip(got, expected, getattr(counts, name)(**money), strict=True):
            assert own.dtype == np.float64
            np.testing.assert_array_equal(again, own)
            # A lift of weights is a quotient of two rounded shares: three roundings.
            tolerance = 2**-51 if name == "lift_curve" and weighted else 0
            np.testing.assert_allclose(own, doubles(other), rtol=tolerance, atol=0)


@law
@given(tied_samples, st.booleans(), st.sampled_from([0.0, 1.0, 0.1, 0.5, 1 / 3, 2.0**-40]))
def test_numbers_are_those_of_the_definitions(sample, weighted, share):
    labels, scores, weights = sample
    weight = weights if weighted else None
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weight)
    for name, args in (("gain_score", ()), ("gain_at", (share,)), ("lift_at", (share,))):
        got = PUBLIC[name](labels, scores, *args, sample_weight=weight)
        assert type(got) is float
        expected = getattr(naive, name)(labels, scores, *args, sample_weight=weight)
        assert got == getattr(counts, name)(*args) == float(expected)


# What the documents print -----------------------------------------------------------------------


@pytest.mark.check("published examples")
@pytest.mark.parametrize(
    ("name", "sample", "args", "expected"),
    [
        ("gain_score", "seven", (), F(2, 3)),
        ("gain_score", "ten", (), F(7, 10)),
        ("gain_at", "seven", (1.0,), F(1)),
        ("gain_at", "ten", (0.2,), F(1, 2)),
        ("lift_at", "ten", (0.0,), F(5, 2)),  # 1 / p1 for a perfect top
        ("lift_at", "seven", (1.0,), F(1)),
    ],
)
def test_printed_numbers(name, sample, args, expected):
    labels, scores = SAMPLES[sample]
    if args != (0.2,):  # 0.2 is no double: the definition is of the double
        assert getattr(naive, name)(labels, scores, *args) == expected
    assert PUBLIC[name](labels, scores, *args) == float(expected)
    area = naive.gain_score(labels, scores)
    p0 = F(labels.count(0), len(labels))
    assert fastauc.gini_score(labels, scores) == float((area - F(1, 2)) / (p0 / 2))


def test_all_rows_of_weights_just_below_a_whole_number():
    # The next whole number would be a share above 1, which rounds to 1.
    rows, weights = ([0, 1, 0], [0.3, 0.7, 0.1]), [1, 2, 2 - 2**-51]
    assert fastauc.metrics.gain_at(*rows, 1.0, sample_weight=weights) == 1
    assert fastauc.metrics.lift_at(*rows, 1.0, sample_weight=weights) == 1
    histogram = fastauc.streaming.ScoreHistogram(weighted=True)
    assert histogram.update(*rows, sample_weight=weights).gain_at(1.0)[1:3] == (1, 1)
