"""Bounds of the best threshold where only cells are known: they hold, and none are narrower."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc._counts.confusion_counts import threshold_counts
from fastauc._counts.thresholds import Choice, bounded_threshold
from support.laws import eighths, law, samples
from support.studies import THRESHOLD_CHOICES

pytestmark = pytest.mark.check("histogram bounds")
# One for each method.
CHOICES = list({each["method"]: Choice(**each) for each in THRESHOLD_CHOICES}.values())


def best_value(y, score, choice, weight=None):
    options = choice._asdict()
    return fastauc.metrics.optimal_threshold(y, score, sample_weight=weight, **options).value


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.method)
@pytest.mark.parametrize("weighted", [False, True])
@settings(max_examples=10, deadline=None)
@given(samples(eighths, scores=st.integers(0, 8).map(lambda k: k / 9), max_size=12))
@pytest.mark.filterwarnings("ignore:No threshold with:UserWarning")
def test_bounds_hold_and_are_reached(choice, weighted, sample):
    y, score, weight = sample
    weight = weight if weighted else None
    histogram = fastauc.streaming.ScoreHistogram(bins=3, range=(0, 1), weighted=weighted)
    histogram.update(y, score, weight)
    found, lower, upper = bounded_threshold(threshold_counts(histogram), choice)
    assert lower <= best_value(y, score, choice, weight) <= upper
    assert lower <= found.value <= upper
    # Nothing is known inside the cells of several scores, so that the positives may come first.
    cell = np.minimum((score * 3).astype(int), 2)
    inside = np.array([len(set(score[cell == each])) > 1 for each in cell])
    possible = cell + np.where(inside & (y == 1), 0.5, 0)
    other = best_value(y, possible, choice, weight)
    # In eighths all sums are exact, and the bounds wider by the slack for rounding alone.
    slack = len(y) * 2.0**-40 if weighted else 0
    nearest = min(abs(other - lower), abs(other - upper))
    assert nearest <= slack


@law
@given(samples(scores=st.integers(0, 8).map(lambda k: k / 9), max_size=20))
def test_bounds_of_the_equal_error_rate_are_the_best_and_the_worst_order(sample):
    y, score = sample
    histogram = fastauc.streaming.ScoreHistogram(bins=3, range=(0, 1)).update(y, score)
    choice = Choice("equal_error_rate")
    found, lower, upper = bounded_threshold(threshold_counts(histogram), choice)
    assert lower <= best_value(y, score, choice) <= upper
    cell = np.minimum((score * 3).astype(int), 2)
    inside = np.array([len(set(score[cell == each])) > 1 for each in cell])
    extremes = [
        best_value(y, cell + np.where(inside & (y == first), 0.5, 0), choice) for first in (1, 0)
    ]
    assert [lower, upper] == extremes
    assert lower <= found.value <= upper


def test_rounded_weights_widen_the_bounds():
    # 3 2^-130 is no multiple of 2^-128: a quarter of a quantum is lost, of a weight of 1 or so.
    y, score, weight = [0, 1, 1, 0], [0.1, 0.2, 0.3, 0.2], [1.0, 1.0, 3 * 2.0**-130, 1.0]
    histogram = fastauc.streaming.ScoreHistogram(weighted=True).update(y, score, weight)
    groups = threshold_counts(histogram)
    assert groups.weight_error == Fraction(1, 2**129)
    found, lower, upper = bounded_threshold(groups, Choice("youden"))
    assert lower < found.value < upper < lower + 1e-12
    assert lower <= best_value(y, score, Choice("youden"), weight) <= upper
    assert not groups.exact


def test_weights_of_a_few_quanta():
    # Where a limit decides, it may decide otherwise for weights a little off.
    for choice in CHOICES[:-3]:
        y, score, quanta = [0, 1, 1, 0], [0.1, 0.2, 0.3, 0.2], np.array([1.5, 2.5, 3, 1])
        weight = quanta * 2.0**-128
        histogram = fastauc.streaming.ScoreHistogram(weighted=True).update(y, score, weight)
        _, lower, upper = bounded_threshold(threshold_counts(histogram), choice)
        assert lower <= best_value(y, score, choice, weight) <= upper
