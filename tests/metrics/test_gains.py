"""Gain, lift and the Kolmogorov-Smirnov chart: their definitions."""

import numpy as np
from hypothesis import given, strategies as st

import fastauc
import naive
from support.laws import eighths, law, quarters, samples
from support.public import PUBLIC

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


def test_all_rows_of_weights_just_below_a_whole_number():
    # The next whole number would be a share above 1, which rounds to 1.
    rows, weights = ([0, 1, 0], [0.3, 0.7, 0.1]), [1, 2, 2 - 2**-51]
    assert fastauc.metrics.gain_at(*rows, 1.0, sample_weight=weights) == 1
    assert fastauc.metrics.lift_at(*rows, 1.0, sample_weight=weights) == 1
    histogram = fastauc.streaming.ScoreHistogram(weighted=True)
    assert histogram.update(*rows, sample_weight=weights).gain_at(1.0)[1:3] == (1, 1)
