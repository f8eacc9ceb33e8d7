"""Intervals of averages of several classes: the definition, DeLong for two, and coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies

import fastauc
import naive
from fastauc import roc_auc_score
from fastauc.inference import roc_auc_ci

AVERAGES = strategies.tuples(
    strategies.sampled_from(["ovr", "ovo"]), strategies.sampled_from(["macro", "weighted"])
)
ROWS = strategies.lists(
    strategies.tuples(strategies.integers(0, 2), *[strategies.integers(1, 3)] * 3), max_size=5
)


def shares(rows):
    """Return labels with two rows of each class at least, and scores that sum up to 1."""
    rows = [(c, 1 + (c == 0), 2, 1 + (c == 2)) for c in (0, 0, 1, 1, 2, 2)] + rows
    scores = np.array([row[1:] for row in rows]) / 1.0
    return np.array([row[0] for row in rows]), scores / scores.sum(axis=1, keepdims=True)


@given(ROWS, AVERAGES)
def test_it_is_its_definition(rows, rule):
    label, scores = shares(rows)
    options = {"multi_class": rule[0], "average": rule[1], "confidence_level": 0.9}
    found = roc_auc_ci(label, scores, **options)
    expected = naive.roc_auc_ci(label, scores, **options)
    assert found.statistic == roc_auc_score(label, scores, multi_class=rule[0], average=rule[1])
    assert found.statistic == pytest.approx(float(expected[0]), rel=1e-14)
    # The slope is a difference quotient: its error is the square of the step, 1e-18. What is left
    # are sums of doubles, under a root where they are near 0.
    assert found.standard_error == pytest.approx(expected[1], rel=1e-12, abs=1e-14)
    assert found.confidence_interval == pytest.approx(expected[2], rel=1e-11)
    order = np.random.default_rng(len(label)).permutation(len(label))
    again = roc_auc_ci(label[order], scores[order], n_jobs=2, **options)
    assert again[:2] == pytest.approx(found[:2], rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_two_classes_have_the_variance_of_delong(multi_class):
    rng = np.random.default_rng(3)
    label = rng.permutation(np.repeat([0, 1], 30))
    score = np.round(rng.random(60) + label, 1) / 2
    found = roc_auc_ci(label, np.c_[1 - score, score], multi_class=multi_class)
    expected = roc_auc_ci(label, score)
    # Equal sizes: their harmonic mean is that of the rarer class as well.
    assert found[:2] == pytest.approx(expected[:2], rel=1e-13)
    assert found.confidence_interval == pytest.approx(expected.confidence_interval, rel=1e-12)


@pytest.mark.parametrize(("multi_class", "average"), [("ovr", "macro"), ("ovo", "weighted")])
def test_the_interval_holds_the_average(multi_class, average):
    rng = np.random.default_rng(4)
    options = {"multi_class": multi_class, "average": average}

    def draw(n):
        label = rng.choice(3, n, p=[0.15, 0.35, 0.5])
        logits = rng.standard_normal((n, 3))
        logits[np.arange(n), label] += 0.8
        odds = np.exp(logits)
        return label, odds / odds.sum(axis=1, keepdims=True)

    true, n_samples, n_held = roc_auc_score(*draw(100_000), **options), 300, 0
    for _ in range(n_samples):
        low, high = roc_auc_ci(*draw(150), **options).confidence_interval
        n_held += low <= true <= high
    # 95 %, less four standard deviations of the share of 300.
    assert n_held / n_samples >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / n_samples)
    assert n_held < n_samples


def test_a_perfect_order_has_a_width():
    low, high = roc_auc_ci([0, 0, 1, 1, 2, 2], np.eye(3).repeat(2, 0), multi_class="ovr")[2]
    assert 0 < low < 0.8
    assert high == 1


def test_what_is_undefined():
    with pytest.warns(fastauc.UndefinedMetricWarning, match="a class has one row"):
        found = roc_auc_ci([0, 0, 1, 1, 2], np.eye(3)[[0, 0, 1, 1, 2]], multi_class="ovr")
    assert found.statistic == 1
    assert math.isnan(found.standard_error)
    assert np.isnan(found.confidence_interval).all()
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
        found = roc_auc_ci(
            [0, 0, 1, 1], np.eye(3)[[0, 0, 1, 1]], labels=[0, 1, 2], multi_class="ovr"
        )
    assert math.isnan(found.statistic)


def test_scores_are_judged():
    with pytest.raises(ValueError, match="sum up to 1"):
        roc_auc_ci([0, 1, 2], 2 * np.eye(3), multi_class="ovr")
    with pytest.raises(ValueError, match="y_score"):
        roc_auc_ci([0, 1, 1], [[0.5, 0.5], [math.nan, 1], [0, 1]], multi_class="ovr")
