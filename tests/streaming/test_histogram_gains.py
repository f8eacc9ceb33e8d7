"""Gains of histograms: points that are exact, and what is refused; bounds are with the others."""

import math

import numpy as np
import pytest

import fastauc
from fastauc.streaming import ScoreHistogram
from support.intervals import make

SEVEN = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_bins_tell_apart_are_as_good_as_sorted(weighted):
    rng = np.random.default_rng(2)
    labels, values = rng.integers(0, 2, 500), rng.integers(0, 40, 500)
    weights = rng.integers(1, 9, 500) / 8 if weighted else None
    made = ScoreHistogram(weighted=weighted).update(labels, values, weights)
    counts = fastauc.confusion_matrix_at_thresholds(labels, values, sample_weight=weights)
    for kind in ("gain", "lift", "ks", "roc", "precision_recall", "det"):
        name = f"{kind}_curve"
        for own, other in zip(getattr(made, name)(), getattr(counts, name)(), strict=True):
            np.testing.assert_array_equal(own, other)
    np.testing.assert_array_equal(made.ks_statistic(), counts.ks_statistic())
    for ties in ("group", "split"):
        assert made.gains_table(ties=ties, cost=1, revenue=2) == counts.gains_table(
            ties=ties, cost=1, revenue=2
        )
    assert made.optimal_threshold(method="f1") == counts.optimal_threshold(method="f1")
    assert made.gain_score() == (*[counts.gain_score()] * 3, True)
    assert made.gain_at(0.1) == (*[counts.gain_at(0.1)] * 3, True)


def test_points_at_the_edges_of_bins_are_exact():
    labels, values = make("beta", 20_000, 0.1)
    made = ScoreHistogram(50, range=(0, 1)).update(labels, values)
    whole = fastauc.confusion_matrix_at_thresholds(labels, values)
    rates, tpr, thresholds = made.gain_curve()
    for rate, recall, threshold in zip(rates, tpr, thresholds, strict=True):
        point = whole.at(threshold)
        assert (point.tp + point.fp) / 20_000 == rate
        assert point.tpr == recall
    found = made.ks_statistic()
    point = whole.at(found.threshold)
    assert (point.tpr, point.fpr) == (found.tpr, found.fpr)
    assert found.statistic <= fastauc.ks_score(labels, values)
    # The bound is the distance at the edges, rounded down.
    assert math.nextafter(found.statistic, 0) <= made.ks().lower <= found.statistic
    best = made.optimal_threshold(method="cost", cost_fp=1, cost_fn=9)
    assert whole.at(best.threshold) == best.matrix
    table = made.gains_table()
    above = math.inf
    for k in range(len(table)):
        inside = (values >= table["min_score"][k]) & (values < above)
        assert inside.sum() == table["n"][k]
        assert (labels[inside] == 1).sum() == table["n_pos"][k]
        assert values[inside].max() <= table["max_score"][k] <= above
        above = table["min_score"][k]


def test_bins_of_unknown_order_are_not_cut():
    made = ScoreHistogram(2, range=(0, 1)).update(*SEVEN)
    with pytest.raises(ValueError, match=r"would cut the bin of the scores from -inf to 0\.5"):
        made.gains_table(bins=3, ties="split")
    table = made.gains_table(bins=3)
    assert table["n"].tolist() == [2, 5]
    # Of the bin from -inf to 0.5 only the edges are known, and of that to 1 as well.
    assert table["min_score"].tolist() == [0.5, -math.inf]
    assert table["max_score"].tolist() == [1.0, 0.5]


def test_what_is_refused():
    made = ScoreHistogram().update(*SEVEN)
    with pytest.raises(fastauc.InvalidParameterError, match=r"must be a number in \[0, 1\]"):
        made.gain_at(2)
    with pytest.raises(fastauc.InvalidParameterError, match=r"must be a number in \(0, 1\]"):
        made.lift_at(0)


def test_one_class_is_undefined():
    made = ScoreHistogram().update([0, 0], [0.1, 0.2])
    for interval in (made.gain_score, lambda: made.gain_at(0.1), lambda: made.lift_at(0.1)):
        with pytest.warns(fastauc.UndefinedMetricWarning):
            assert np.isnan(interval()[:3]).all()
