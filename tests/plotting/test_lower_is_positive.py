"""Displays of scores that are lower for the positives, in the scale of the scores themselves."""

import numpy as np
import pytest

import fastauc
from fastauc import plotting
from support.pages import MONEY, TEN, display_of, draw, legend_of

Figure = pytest.importorskip("matplotlib.figure").Figure

LABELS = np.array(TEN[0])
POINTS = 600 - (20 * np.array(TEN[1])).round().astype(int)
TURNED = {"higher_is_positive": False}
ALONG_SCORES = {
    "ThresholdDisplay": {},
    "ScoreDistributionDisplay": {"operating_point": "youden"},
    "CalibrationDisplay": {"bins": 3},
}
SCORES = {"thresholds", "edges", "prob_pred"}


@pytest.mark.parametrize("name", ALONG_SCORES)
def test_what_is_drawn_along_the_scores_is_mirrored(name):
    first, second = Figure().subplots(1, 2)
    make, options = display_of(name).from_predictions, ALONG_SCORES[name]
    display = make(LABELS, POINTS, ax=first, **options, **TURNED)
    mirror = make(LABELS, -POINTS, ax=second, **options)
    found = vars(display) | getattr(display, "rates", {})
    wanted = vars(mirror) | getattr(mirror, "rates", {})
    arrays = {key for key, value in found.items() if isinstance(value, np.ndarray)}
    assert len(arrays) > 2
    for key in arrays:
        mirrored = wanted[key][::-1] * (-1 if key in SCORES else 1)
        np.testing.assert_array_equal(found[key], mirrored, err_msg=key)
    for own in (first, second):
        draw(own)
    if name == "ThresholdDisplay":
        # A rate holds up to the next threshold.
        assert display.line_[0].get_drawstyle() == "steps-post"
        assert first.get_xlabel() == "Threshold (lower is positive)"
    if name == "ScoreDistributionDisplay":
        assert display.cut == -mirror.cut
        # What is positive lies below: the area of the true positive rate begins at the lowest edge.
        (shade,) = (patch for patch in display.shades_ if patch.get_label().startswith("TPR"))
        assert shade.get_data().edges[[0, -1]].tolist() == [display.edges[0], display.cut]


def test_cutoffs_and_tables_are_in_points(ax):
    ks = plotting.KsDisplay.from_predictions(LABELS, POINTS, ax=ax, **TURNED)
    known = fastauc.metrics.ks_statistic(LABELS, -POINTS)
    assert ks.ks_statistic == known._replace(threshold=-known.threshold)
    assert ks.ks_statistic.threshold in POINTS
    assert legend_of(ax)[2].endswith(f"threshold {ks.ks_statistic.threshold:.4g}")
    profit = plotting.ProfitCurveDisplay.from_predictions(LABELS, POINTS, ax=ax, **MONEY, **TURNED)
    best = fastauc.metrics.optimal_threshold(LABELS, POINTS, method="profit", **MONEY, **TURNED)
    assert profit.best == best
    assert profit.line_.get_label().endswith(f"threshold {best.threshold:.4g}")
    own = Figure().subplots()
    gains = plotting.GainsTableDisplay.from_predictions(LABELS, POINTS, bins=3, ax=own, **TURNED)
    table = fastauc.metrics.gains_table(LABELS, POINTS, bins=3, **TURNED)
    assert gains.table.to_dict() == table.to_dict()
    assert own.get_xlabel() == "Bin, lowest scores first"
    again = plotting.GainsTableDisplay(table=table, **TURNED).plot(Figure().subplots())
    assert again.ax_.get_xlabel() == "Bin, lowest scores first"


@pytest.mark.parametrize(
    "display", ["RocCurveDisplay", "ThresholdDisplay", "ScoreDistributionDisplay"]
)
def test_operating_points_are_in_points(display):
    costs = {"method": "cost", "cost_fp": 1, "cost_fn": 2}
    best = fastauc.metrics.optimal_threshold(LABELS, POINTS, **costs, **TURNED)
    f1 = fastauc.metrics.optimal_threshold(LABELS, POINTS, method="f1", **TURNED)
    for given, threshold in ((592, 592), ("f1", f1.threshold), (best, best.threshold)):
        make, ax = display_of(display).from_predictions, Figure().subplots()
        if display == "ScoreDistributionDisplay":
            drawn = make(LABELS, POINTS, operating_point=given, ax=ax, **TURNED)
            point = drawn.operating_point
        else:
            drawn = make(LABELS, POINTS, ax=ax, **TURNED).add_operating_points(given)
            (point,) = drawn.operating_points
        predicted = point.threshold >= POINTS
        assert point.threshold == threshold
        assert point.tpr == predicted[LABELS == 1].mean()
        assert point.fpr == predicted[LABELS == 0].mean()


def test_mean_scores_of_a_histogram_are_bounded_in_points(ax):
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
