"""Displays of scores that are lower for the positives, in the scale of the scores themselves."""

import numpy as np
import pytest

import fastauc
from fastauc import plotting
from support.displays import MONEY, TEN, draw, legend_of

Figure = pytest.importorskip("matplotlib.figure").Figure

LABELS = np.array(TEN[0])
POINTS = 600 - (20 * np.array(TEN[1])).round().astype(int)
TURNED = {"higher_is_positive": False}


def shaded(display):
    """Return the ends of each shaded area on the axis of scores."""
    return [(patch.get_data().edges[0], patch.get_data().edges[-1]) for patch in display.shades_]


def test_ks_shows_the_threshold_in_points(ax):
    display = plotting.KsDisplay.from_predictions(LABELS, POINTS, ax=ax, **TURNED)
    known = fastauc.metrics.ks_statistic(LABELS, -POINTS)
    assert display.ks_statistic == known._replace(threshold=-known.threshold)
    assert display.ks_statistic.threshold in POINTS
    assert legend_of(ax)[2].endswith(f"threshold {display.ks_statistic.threshold:.4g}")
    share, tpr, fpr, _ = fastauc.metrics.ks_curve(LABELS, -POINTS)
    for found, wanted in ((display.positive_rate, share), (display.tpr, tpr), (display.fpr, fpr)):
        np.testing.assert_array_equal(found, wanted)


def test_rates_are_those_at_or_below_each_threshold(ax):
    display = plotting.ThresholdDisplay.from_predictions(LABELS, POINTS, ax=ax, **TURNED)
    assert display.thresholds.tolist() == sorted(set(POINTS.tolist()))
    for k, threshold in enumerate(display.thresholds):
        predicted = threshold >= POINTS
        assert display.rates["tpr"][k] == predicted[LABELS == 1].mean()
        assert display.rates["fpr"][k] == predicted[LABELS == 0].mean()
        assert display.rates["precision"][k] == LABELS[predicted].mean()
    # The steps: a rate holds from its threshold up to the next one.
    assert display.line_[0].get_drawstyle() == "steps-post"
    assert ax.get_xlabel() == "Threshold (lower is positive)"


def test_the_table_has_the_lowest_scores_first(ax):
    display = plotting.GainsTableDisplay.from_predictions(LABELS, POINTS, bins=3, ax=ax, **TURNED)
    known = fastauc.metrics.gains_table(LABELS, POINTS, bins=3, **TURNED)
    assert display.table.to_dict() == known.to_dict()
    assert [bar.get_height() for bar in display.line_] == known["response_rate"].tolist()
    assert ax.get_xlabel() == "Bin, lowest scores first"
    again = plotting.GainsTableDisplay(table=known, **TURNED).plot(Figure().subplots())
    assert again.ax_.get_xlabel() == "Bin, lowest scores first"


@pytest.mark.parametrize("bins", [None, 4])
def test_distributions_are_mirrored(bins):
    first, second = Figure().subplots(1, 2)
    make = plotting.ScoreDistributionDisplay.from_predictions
    display = make(LABELS, POINTS, bins=bins, ax=first, operating_point="youden", **TURNED)
    mirror = make(LABELS, -POINTS, bins=bins, ax=second, operating_point="youden")
    assert display.edges.tolist() == (-mirror.edges[::-1]).tolist()
    assert np.all(np.diff(display.edges) > 0)
    assert display.edges[0] <= POINTS.min() < POINTS.max() <= display.edges[-1]
    assert display.neg_share.tolist() == mirror.neg_share[::-1].tolist()
    assert display.pos_share.tolist() == mirror.pos_share[::-1].tolist()
    assert display.cut == -mirror.cut
    best = fastauc.metrics.optimal_threshold(LABELS, POINTS, **TURNED)
    assert display.operating_point.threshold == best.threshold
    assert shaded(display) == [(-high, -low) for low, high in shaded(mirror)]
    # What is positive lies below: the area of the true positive rate begins at the lowest edge.
    (of_tpr,) = [patch for patch in display.shades_ if patch.get_label().startswith("TPR")]
    assert of_tpr.get_data().edges[0] == display.edges[0]
    assert of_tpr.get_data().edges[-1] == display.cut
    for own in (first, second):
        draw(own)


@pytest.mark.parametrize(
    "display", ["RocCurveDisplay", "ThresholdDisplay", "ScoreDistributionDisplay"]
)
def test_operating_points_are_in_points(display):
    best = fastauc.metrics.optimal_threshold(
        LABELS, POINTS, method="cost", cost_fp=1, cost_fn=2, **TURNED
    )
    wanted = [592, "f1", best]
    found = []
    for point in wanted:
        make, ax = getattr(plotting, display).from_predictions, Figure().subplots()
        if display == "ScoreDistributionDisplay":
            drawn = make(LABELS, POINTS, operating_point=point, ax=ax, **TURNED)
            found.append(drawn.operating_point)
        else:
            drawn = make(LABELS, POINTS, ax=ax, **TURNED).add_operating_points(point)
            found += drawn.operating_points
    for point in found:
        predicted = point.threshold >= POINTS
        assert point.tpr == predicted[LABELS == 1].mean()
        assert point.fpr == predicted[LABELS == 0].mean()
    assert [found[0].threshold, found[2].threshold] == [592, best.threshold]
    assert (
        found[1].threshold
        == fastauc.metrics.optimal_threshold(LABELS, POINTS, method="f1", **TURNED).threshold
    )


def test_profit_shows_the_threshold_in_points(ax):
    display = plotting.ProfitCurveDisplay.from_predictions(LABELS, POINTS, ax=ax, **MONEY, **TURNED)
    best = fastauc.metrics.optimal_threshold(LABELS, POINTS, method="profit", **MONEY, **TURNED)
    assert display.best == best
    assert display.line_.get_label().endswith(f"threshold {best.threshold:.4g}")


def test_mean_scores_are_points(ax):
    display = plotting.CalibrationDisplay.from_predictions(LABELS, POINTS, bins=3, ax=ax, **TURNED)
    mirror = plotting.CalibrationDisplay.from_predictions(
        LABELS, -POINTS, bins=3, ax=Figure().subplots()
    )
    assert display.prob_true.tolist() == mirror.prob_true[::-1].tolist()
    assert display.prob_pred.tolist() == (-mirror.prob_pred[::-1]).tolist()
    histogram = fastauc.streaming.ScoreHistogram(bins=3, range=(-601, -580))
    histogram.update(LABELS, -POINTS)
    bounded = plotting.CalibrationDisplay.from_counts(histogram, bins=2, ax=ax, **TURNED)
    assert (bounded.prob_pred_low <= bounded.prob_pred).all()
    assert (bounded.prob_pred <= bounded.prob_pred_high).all()
    assert POINTS.min() <= bounded.prob_pred_low[0] < bounded.prob_pred_high[-1] <= POINTS.max() + 7
    # The opposite of a probability is none.
    opposites = plotting.CalibrationDisplay.from_predictions(
        LABELS, POINTS / 600, ax=Figure().subplots(), **TURNED
    )
    assert opposites.perfect_ is None
