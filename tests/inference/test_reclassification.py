"""Net reclassification and integrated discrimination: definitions, published figures, edges."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies

import fastauc
import naive
from fastauc.inference import (
    integrated_discrimination_improvement,
    net_reclassification_improvement,
)

ROWS = strategies.lists(
    strategies.tuples(strategies.integers(0, 1), *[strategies.integers(0, 8)] * 2), max_size=20
)
FUNCTIONS = [net_reclassification_improvement, integrated_discrimination_improvement]


def check(found, expected):
    assert found.pvalue == pytest.approx(expected[1], rel=1e-10, nan_ok=True)
    for own, definition in zip((found[0], *found[2:]), (expected[0], *expected[2:]), strict=True):
        assert own.statistic == definition[0]
        # Each is a root of an exact sum, or of sums of eighths that doubles hold.
        assert own.standard_error == pytest.approx(definition[1], rel=1e-13, abs=1e-15)
        assert own.confidence_interval == pytest.approx(
            definition[2], rel=1e-12, abs=1e-13, nan_ok=True
        )
        assert own[3:] == definition[3:]


@given(ROWS, strategies.sampled_from([None, [0.5], [0.25, 0.5, 0.875]]))
def test_net_reclassification_is_its_definition(rows, thresholds):
    rows = [(0, 1, 0), (1, 2, 3), (0, 4, 4), (1, 5, 5), *rows]
    label, old, new = (np.array(column) for column in zip(*rows, strict=True))
    options = {"thresholds": thresholds, "confidence_level": 0.9}
    found = net_reclassification_improvement(label, old / 8, new / 8, **options)
    expected = naive.net_reclassification_improvement(label, old / 8, new / 8, **options)
    check(found, expected)


@given(ROWS)
def test_integrated_discrimination_is_its_definition(rows):
    rows = [(0, 1, 0), (1, 2, 3), (0, 4, 4), (1, 5, 5), *rows]
    label, old, new = (np.array(column) for column in zip(*rows, strict=True))
    found = integrated_discrimination_improvement(label, old / 8, new / 8)
    expected = naive.integrated_discrimination_improvement(label, old / 8, new / 8)
    for own, definition in zip((found[0], *found[2:]), (expected[0], *expected[2:]), strict=True):
        # Means of a few doubles, each rounded once.
        assert own.statistic == pytest.approx(definition[0], rel=1e-13, abs=1e-16)
        assert own.standard_error == pytest.approx(definition[1], rel=1e-10, abs=1e-15)


def test_one_threshold_compares_sensitivity_and_specificity():
    rng = np.random.default_rng(1)
    label, old, new = rng.integers(0, 2, 200), rng.random(200), rng.random(200)
    found = net_reclassification_improvement(label, old, new, thresholds=[0.4])
    gains = (new >= 0.4).astype(int) - (old >= 0.4)
    assert found.events.statistic == gains[label == 1].mean()
    assert found.nonevents.statistic == -gains[label == 0].mean()


def test_the_difference_of_means_is_that_of_scipy():
    rng = np.random.default_rng(2)
    label = np.repeat([1, 0], [80, 120])
    old, new = rng.random((2, 200))
    found = integrated_discrimination_improvement(label, old, new)
    gain = new - old
    expected = scipy.stats.ttest_ind(gain[:80], gain[80:], equal_var=False)
    improvement = found.improvement
    statistic = improvement.statistic / improvement.standard_error
    assert statistic == pytest.approx(expected.statistic, rel=1e-12)


def test_counts_give_the_variance_of_improve_prob():
    # Of 183 events 29 move up and 7 down; of 3081 others 174 move down and 173 up. By hand, with
    # the formula of improveProb in Hmisc for R.
    moves = np.repeat([1, -1, 0, 1, -1, 0], [29, 7, 147, 173, 174, 2734])
    label = np.repeat([1, 0], [183, 3081])
    found = net_reclassification_improvement(label, np.zeros(3264), moves)
    assert found.improvement.statistic == pytest.approx(22 / 183 + 1 / 3081, rel=1e-15)
    assert found.events.statistic == 22 / 183
    assert found.nonevents.statistic == 1 / 3081
    squares = 22**2 / 183**3 + 1 / 3081**3
    variance = 36 / 183**2 + 347 / 3081**2 - squares
    assert found.improvement.standard_error == pytest.approx(math.sqrt(variance), rel=1e-13)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_test_and_interval_agree(function):
    rng = np.random.default_rng(3)
    for _ in range(200):
        label, old, new = np.repeat([0, 1], 20), rng.random(40), rng.random(40)
        found = function(label, old, new + 0.1 * label)
        low, high = found.improvement.confidence_interval
        assert (found.pvalue < 0.05) == (not low <= 0 <= high)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_equal_and_one_sided_scores(function):
    label, score = [0, 0, 1, 1], [0.25, 0.5, 0.5, 0.75]
    found = function(label, score, score)
    assert found.improvement[:3] == (0, 0, (0, 0))
    assert found.pvalue == 1
    found = function(label, score, [0.125, 0.375, 0.625, 0.875])
    assert found.improvement.statistic > 0
    assert np.isnan([found.pvalue, *found.improvement.confidence_interval]).all()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_one_class_is_undefined(function):
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class is present"):
        found = function([1, 1], [0.1, 0.2], [0.2, 0.3])
    assert np.isnan([found.improvement.statistic, found.pvalue]).all()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arguments_are_judged(function):
    with pytest.raises(ValueError, match=r"y_score_new\[1\]"):
        function([0, 1], [0, 1], [0, math.nan])
    with pytest.raises(fastauc.InvalidParameterError, match="The 'confidence_level' parameter"):
        function([0, 1], [0, 1], [0, 1], confidence_level=95)


@pytest.mark.parametrize(("thresholds", "first"), [([0.2, 0.2], 1), ([0.1, math.inf], 1)])
def test_thresholds_are_judged(thresholds, first):
    with pytest.raises(ValueError, match=rf"thresholds\[{first}\] is"):
        net_reclassification_improvement([0, 1], [0, 1], [0, 1], thresholds=thresholds)
