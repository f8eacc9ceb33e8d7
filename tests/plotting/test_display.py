"""Displays: their arrays are those of the functions, and the pictures follow from them."""

import io
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc import plotting
from fastauc._drawing.axes import COLORS, draw_line, make_room, next_style
from naive import plotting as naive_plotting
from support.pages import (
    ALL,
    CURVES,
    MONEY,
    NAMES,
    SEVEN,
    TEN,
    WEIGHTS,
    display_of,
    draw,
    legend_of,
    options_of,
)
from support.public import PUBLIC

matplotlib = pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
Figure = pytest.importorskip("matplotlib.figure").Figure


def arrays_of(display):
    """Return the arrays of a display, by name; those of a table or a dict as well."""
    found = {}
    for name, value in vars(display).items():
        if isinstance(value, np.ndarray):
            found[name] = value
        elif isinstance(value, dict | fastauc.metrics.ResultTable):
            found |= {f"{name}.{key}": value[key] for key in value}
    return found


# Arrays -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CURVES)
def test_arrays_are_those_of_the_function_and_of_its_definition(name, ax):
    function, attributes, options = CURVES[name]
    for weights in (None, WEIGHTS):
        given = options | {"sample_weight": weights}
        display = display_of(name).from_predictions(*TEN, ax=ax, **given)
        computed = PUBLIC[function](*TEN, **given)
        defined = getattr(naive, function)(*TEN, **given)
        for attribute, array, fractions in zip(attributes, computed, defined, strict=False):
            found = getattr(display, attribute)
            np.testing.assert_array_equal(found, array)
            # Weights are small integers: each entry is one quotient, or two for the lift.
            np.testing.assert_allclose(found, [float(exact) for exact in fractions], rtol=2.0**-51)


def test_table_is_that_of_the_function(ax):
    display = plotting.GainsTableDisplay.from_predictions(
        *TEN, bins=5, ties="split", **MONEY, column="cum_profit", ax=ax
    )
    table = fastauc.metrics.gains_table(*TEN, bins=5, ties="split", **MONEY)
    assert display.table == table
    assert [bar.get_height() for bar in display.line_] == table["cum_profit"].tolist()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("weights", "sign"), [(None, 1), (WEIGHTS, -1)])
def test_counts_and_histograms_give_the_same(name, weights, sign):
    display_class, options = display_of(name), options_of(name)
    options = options | {"higher_is_positive": sign > 0}
    axes = Figure().subplots(1, 3)
    counts = fastauc.confusion_matrix_at_thresholds(*TEN, sample_weight=weights)
    histogram = fastauc.streaming.ScoreHistogram(weighted=weights is not None)
    histogram.update(*TEN, sample_weight=weights)
    rows = TEN[0], sign * np.array(TEN[1])
    displays = [
        display_class.from_predictions(*rows, sample_weight=weights, ax=axes[0], **options),
        display_class.from_counts(counts, ax=axes[1], **options),
        display_class.from_counts(histogram, ax=axes[2], **options),
    ]
    for display, own in zip(displays, axes, strict=True):
        assert display.ax_ is own
        assert display.figure_ is own.figure
        assert arrays_of(display).keys() == arrays_of(displays[0]).keys() != set()
        for attribute, array in arrays_of(displays[0]).items():
            np.testing.assert_array_equal(arrays_of(display)[attribute], array)
    # All cells hold a single score: nothing is uncertain.
    assert len({str(own.get_legend() and legend_of(own)) for own in axes}) == 1
    with pytest.raises(ValueError, match="'higher_is_positive' parameter of"):
        display_class.from_counts(counts, ax=axes[0], **options | {"higher_is_positive": "no"})


def test_thresholds_and_rates(ax):
    display = plotting.ThresholdDisplay.from_predictions(*SEVEN, ax=ax)
    assert display.add_operating_points(0.25) is display
    # The steps: a rate holds up to its threshold, and from the next lower one on.
    assert display.line_[0].get_drawstyle() == "steps-pre"
    assert display.points_[0].get_xdata()[0] == 0.25
    assert legend_of(ax)[:4] == ["TPR (recall)", "FPR", "precision", "F1"]
    display.add_rates("accuracy", "share", curve_kwargs={"color": "red"})
    assert legend_of(ax)[4:] == ["threshold 0.25", "accuracy", "share predicted positive"]
    assert [line.get_ydata().tolist() for line in display.line_[4:]] == [
        display.rates[rate].tolist() for rate in ("accuracy", "share")
    ]
    assert [line.get_color() for line in display.line_[4:]] == ["red", "red"]


# What is drawn ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_axes_that_are_given_are_all_that_is_touched(name, ax):
    display = display_of(name).from_predictions(*TEN, ax=ax, **options_of(name))
    assert display.ax_ is ax
    assert plt.get_fignums() == []
    ax.figure.savefig(picture := io.BytesIO(), format="png", dpi=50)
    assert picture.getvalue().startswith(b"\x89PNG")
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    # Without axes, a figure of its own.
    assert display.plot(name="again") is display
    assert plt.get_fignums() == [display.figure_.number]


@pytest.mark.parametrize("name", ALL)
def test_several_models_differ_without_colors(name):
    ax = Figure(figsize=(4, 3), layout="constrained").subplots()
    models = {"first": SEVEN, "second": TEN, "_third": SEVEN}  # matplotlib hides names as the last
    for model, sample in models.items():
        display_of(name).from_predictions(*sample, name=model, ax=ax, **options_of(name))
    draw(ax)
    labels = [label.strip() for label in legend_of(ax)]
    for model in models:
        assert any(label.startswith(model) for label in labels)
    numbers = [getattr(artist, "fastauc_model", None) for artist in ax.get_children()]
    assert len(set(numbers) - {None}) >= 3


def test_positives_have_one_color_and_negatives_another():
    roc, gain, ks, scores, bars = (
        display_of(name).from_predictions(*TEN, ax=Figure().subplots()).line_
        for name in ("RocCurveDisplay", "GainCurveDisplay", "KsDisplay",
                     "ScoreDistributionDisplay", "GainsTableDisplay")
    )  # fmt: skip
    positives = [roc.get_color(), gain.get_color(), ks[0].get_color(), scores[1].get_edgecolor()]
    positives.append(bars[0].get_facecolor())
    assert {matplotlib.colors.to_hex(color) for color in positives} == {COLORS[0].lower()}
    negatives = [ks[1].get_color(), scores[0].get_edgecolor()]
    assert {matplotlib.colors.to_hex(color) for color in negatives} == {COLORS[1].lower()}
    # Two models have four colors.
    ax = Figure().subplots()
    for name in ("a", "b"):
        plotting.KsDisplay.from_predictions(*TEN, name=name, ax=ax)
    curves = [line.get_color() for line in ax.lines if len(line.get_xdata()) > 2]
    assert curves == list(COLORS[:4])


def test_a_figure_makes_room_for_a_legend_below_its_axes():
    heights = []
    for n_models in (1, 12):
        figure = Figure(figsize=(6, 5), layout="constrained")
        own = figure.subplots()
        for k in range(n_models):
            plotting.RocCurveDisplay.from_predictions(*TEN, name=f"model {k}", ax=own)
        make_room(figure)
        draw(own)
        assert figure.get_tightbbox().y0 > 0
        assert own.get_window_extent().height / figure.dpi > 4.2
        heights.append(figure.get_figheight())
    assert heights[0] == 5
    assert heights[1] > 5 + 6 * 8.33 / 72  # two columns


def test_marks_are_seen_on_a_dark_ground():
    with matplotlib.rc_context({"axes.labelcolor": "white", "axes.facecolor": "black"}):
        axes = Figure().subplots(1, 2)
        ks = plotting.KsDisplay.from_predictions(*TEN, ax=axes[0])
        display = plotting.ThresholdDisplay.from_predictions(*TEN, ax=axes[1])
        display.add_operating_points("youden")
    assert [ks.distance_.get_color(), display.points_[0].get_color()] == ["white", "white"]


def test_thirty_styles_are_different(ax):
    styles = []
    for _ in range(30):
        styles.append(next_style(ax))
        draw_line(ax, np.arange(2.0), np.arange(2.0), styles[-1])
    assert len({(style.color, style.linestyle) for style in styles}) == 30
    assert len({style.linestyle for style in styles[:5]}) == 5
    assert len({style.marker for style in styles[:7]}) == 7
    ax.clear()
    assert next_style(ax) == styles[0]


def test_bars_of_several_models_stand_side_by_side(ax):
    for name in ("first", "second"):
        display = plotting.GainsTableDisplay.from_predictions(*TEN, bins=5, name=name, ax=ax)
    first, second = ax.containers
    assert display.line_ is second
    for left, right, number in zip(first, second, display.table["bin"], strict=True):
        assert left.get_x() == pytest.approx(number - 0.4)
        assert left.get_x() + left.get_width() == pytest.approx(right.get_x())
        assert right.get_x() + right.get_width() == pytest.approx(number + 0.4)
    assert not ax.texts  # numbers are above the bars of a single model only
    hatches = [bars[0].get_hatch() for bars in (first, second)]
    assert hatches[0] != hatches[1]


@pytest.mark.parametrize("name", ["RocCurveDisplay", "GainCurveDisplay", "LiftCurveDisplay"])
def test_chance_is_drawn_once(name, ax):
    displays = [display_of(name).from_predictions(*TEN, ax=ax) for _ in range(2)]
    assert displays[0].chance_level_ is displays[1].chance_level_
    *models, last = (label for label in legend_of(ax) if "Perfect" not in label)
    assert "Chance" in last
    assert len(models) == 2
    if name == "RocCurveDisplay":
        other = Figure().subplots()
        assert displays[0].plot(other, plot_chance_level=False).chance_level_ is None
        assert not any("Chance" in label for label in legend_of(other))


def test_options_of_the_line_go_first(ax):
    display = plotting.RocCurveDisplay.from_predictions(
        *TEN,
        ax=ax,
        curve_kwargs={"c": "red", "lw": 5, "label": "mine"},
        chance_level_kw={"c": "blue", "label": "lots"},
    ).add_hull()
    assert display.line_.get_color() == display.hull_.get_color() == "red"
    assert display.line_.get_linewidth() == 5
    assert display.chance_level_.get_color() == "blue"
    assert {"mine", "lots"} < {*legend_of(ax)}
    with pytest.raises(AttributeError, match="colour"):
        plotting.RocCurveDisplay.from_predictions(*TEN, ax=ax, curve_kwargs={"colour": "red"})
    for argument in ("curve_kwargs", "chance_level_kw"):
        with pytest.raises(fastauc.InvalidParameterError, match=f"'{argument}' parameter of RocC"):
            display.plot(ax, **{argument: "red"})


def test_many_points_are_thinned_and_kept(ax):
    rng = np.random.default_rng(0)
    y_true = rng.random(200_000) < 0.3
    y_score = rng.normal(size=200_000) + y_true
    counts = fastauc.confusion_matrix_at_thresholds(y_true, y_score)
    for name, (_, attributes, options) in CURVES.items():
        display = display_of(name).from_counts(counts, ax=Figure().subplots(), **options)
        assert len(getattr(display, attributes[0])) > 60_000
        lines = display.line_ if isinstance(display.line_, list) else [display.line_]
        for x in (line.get_xdata() for line in lines):
            assert 1000 < len(x) <= 4 * 4098
            # What is left is as dense as pixels, all along the axis; that of DET curves is bent.
            assert abs(np.diff(x)).max() < 0.003 or name == "DetCurveDisplay"
        if name == "RocCurveDisplay":
            assert len(display.add_area().area_.get_xy()) < 4 * 4098 + 4
    display = plotting.ThresholdDisplay.from_counts(counts, ax=ax)
    assert len(display.thresholds) == len(counts.thresholds)
    assert all(len(line.get_xdata()) <= 4 * 4098 for line in display.line_)


# ROC --------------------------------------------------------------------------------------------


def test_zoom_on_few_false_positives(ax):
    display = plotting.RocCurveDisplay.from_predictions(*SEVEN, ax=ax)
    assert display.zoom(0.25) is display
    low, high = ax.get_xlim()
    assert -0.01 < low < 0
    assert 0.25 < high < 0.26
    assert ax.get_aspect() == "auto"
    assert len(display.fpr) == len(fastauc.roc_curve(*SEVEN)[0])
    display.zoom(None)
    assert ax.get_xlim()[1] > 1
    assert ax.get_aspect() == 1
    display.zoom(0.25).plot(ax)
    assert ax.get_xlim()[1] > 1


def test_zoom_keeps_what_can_be_told_apart_then(ax):
    rng = np.random.default_rng(0)
    y_true = rng.random(200_000) < 0.3
    display = plotting.RocCurveDisplay.from_predictions(
        y_true, rng.normal(size=200_000) + y_true, ax=ax
    )

    def columns():
        return (display.line_.get_xdata() <= 0.01).sum()

    before, there = columns(), (display.fpr <= 0.01).sum()
    display.zoom(0.01)
    assert before < columns() <= there


def test_hull(ax):
    display = plotting.RocCurveDisplay.from_predictions(*SEVEN, ax=ax).add_hull()
    hull = fastauc.metrics.roc_convex_hull(*SEVEN)
    assert display.hull_.get_xdata().tolist() == hull.fpr.tolist()
    assert display.hull_.get_ydata().tolist() == hull.tpr.tolist()
    assert "Convex hull (AUC = 0.833)" in legend_of(ax)


KINDS = {False: "pointwise intervals", True: "band of the whole curve"}


@pytest.mark.parametrize(
    ("given", "method"),
    [
        *(("fpr", method) for method in ("binomial", "sup-t-binomial", "dkw")),
        *(("recall", method) for method in ("binomial", "sup-t-binomial")),
        ("threshold", "score"),
    ],
)
def test_band(given, method, ax):
    rule = {"given": given, "simultaneous": method not in ("binomial", "score")}
    rule |= {"sup-t-binomial": {"rng": 0}, "dkw": {"groups": range(10)}}.get(method, {})
    band = fastauc.inference.curve_ci(*TEN, **rule)
    assert band.method == method
    displays = {"fpr": "RocCurve", "recall": "PrecisionRecall", "threshold": "NetBenefitCurve"}
    name = displays[given] + "Display"
    display = display_of(name).from_predictions(*TEN, ax=ax)
    assert display.band_ is None
    corners = display.add_band(band).band_.get_paths()[0].vertices
    for end in (band.low, band.high):
        known = ~np.isnan(end)
        points = np.column_stack([band.at[known], end[known]])
        assert (corners[:, np.newaxis] == points).all(axis=2).any(axis=0).all()
    assert f"95% {KINDS[rule['simultaneous']]}, {method}" in legend_of(ax)


def test_operating_points(ax):
    best = fastauc.metrics.optimal_threshold(*SEVEN, method="cost", cost_fp=1, cost_fn=2)
    display = plotting.RocCurveDisplay.from_predictions(*SEVEN, ax=ax)
    display.add_operating_points("youden", 0.25).add_operating_points(best, 7, np.float64(0.6))
    found = [(point.threshold, point.fpr, point.tpr) for point in display.operating_points]
    assert found == [(0.2, 0.5, 1), (0.25, 0.25, 2 / 3), (0.2, 0.5, 1), (7, 0, 0), (0.6, 0, 1 / 3)]
    assert [point.get_xdata()[0] for point in display.points_] == [each[1] for each in found]
    assert legend_of(ax)[1:3] == ["Youden: threshold 0.2", "threshold 0.25"]
    assert len({point.get_marker() for point in display.points_}) == 5


def test_operating_points_of_a_histogram_are_at_edges(ax):
    histogram = fastauc.streaming.ScoreHistogram(bins=4, range=(0, 1)).update(*SEVEN)
    display = plotting.RocCurveDisplay.from_counts(histogram, ax=ax)
    display.add_hull().add_operating_points(0.25, 0.3, 2)
    counts = fastauc.confusion_matrix_at_thresholds(*SEVEN)
    # 0.3 is alone in its cell: a threshold that is known.
    wanted = [(t, counts.at(t)) for t in (0.3, 0.3, math.inf)]
    found = [(point.threshold, point.fpr, point.tpr) for point in display.operating_points]
    assert found == [(threshold, matrix.fpr, matrix.tpr) for threshold, matrix in wanted]
    assert "Convex hull (AUC ≥ 0.708)" in legend_of(ax)


@given(
    rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=12).filter(
        lambda rows: len({label for label, _ in rows}) == 2
    )
)
def test_pairs_are_those_of_the_definition(rows):
    labels, scores = zip(*rows, strict=True)
    display = plotting.RocCurveDisplay.from_predictions(labels, scores, ax=Figure().subplots())
    wanted = np.array(naive_plotting.order_of_pairs(labels, scores))
    painted = display.add_pairs().pairs_.get_array()
    assert painted.reshape(wanted.shape).tolist() == wanted.tolist()


@pytest.mark.parametrize("higher", [True, False])
def test_the_grid_of_pairs_shows_the_scores(higher, ax):
    scores = [score if higher else -score for score in SEVEN[1]]
    display = plotting.RocCurveDisplay.from_predictions(
        SEVEN[0], scores, higher_is_positive=higher, ax=ax
    ).add_pairs()
    top, right = ax.child_axes
    sign = 1 if higher else -1
    for axis, n, label in ((top.xaxis, 4, 0), (right.yaxis, 3, 1)):
        own = sorted((s for y, s in zip(*SEVEN, strict=True) if y == label), reverse=True)
        assert axis.get_ticklocs().tolist() == [(k + 0.5) / n for k in range(n)]
        shown = [float(text.get_text()) for text in axis.get_ticklabels()]
        assert shown == [sign * score for score in own]
    # No cell is below the legend.
    display.figure_.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y1 < ax.get_window_extent().y0


def test_of_many_pairs_some_scores_are_shown(ax):
    plotting.RocCurveDisplay.from_predictions([0, 1] * 100, np.arange(200), ax=ax).add_pairs()
    for axis in ax.child_axes[0].xaxis, ax.child_axes[1].yaxis:
        assert len(axis.get_ticklocs()) == 12


def test_area_under_the_curve(ax):
    display = plotting.RocCurveDisplay.from_predictions(*SEVEN, ax=ax)
    assert display.area_ is None
    corners = display.add_area().area_.get_xy()
    # The shoelace formula, around the area that is shaded.
    x, y = corners.T
    area = abs(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1])) / 2
    assert area == pytest.approx(display.roc_auc, abs=1e-12)


# Other curves -----------------------------------------------------------------------------------


def test_curve_of_the_distance(ax):
    display = plotting.KsDisplay.from_predictions(*SEVEN, ax=ax)
    assert display.difference_ is None
    assert display.add_difference() is display
    share, tpr, fpr, _ = fastauc.metrics.ks_curve(*SEVEN)
    assert display.difference_.get_xdata().tolist() == share.tolist()
    assert display.difference_.get_ydata().tolist() == (tpr - fpr).tolist()
    assert display.difference_.get_ydata().max() == display.ks_statistic.statistic
    assert legend_of(ax) == [
        "TPR",
        "FPR",
        "K-S = 0.500 at 71.4%, threshold 0.2",
        "TPR \N{MINUS SIGN} FPR",
    ]
    # A model that is upside down is below 0, and seen.
    upside_down = plotting.KsDisplay.from_predictions(
        [1 - label for label in SEVEN[0]], SEVEN[1], name="b", ax=ax
    )
    upside_down.add_difference({"ls": "--"})
    assert ax.get_ylim()[0] < -0.5
    assert upside_down.difference_.get_linestyle() == "--"
    assert "b: TPR \N{MINUS SIGN} FPR" in legend_of(ax)


def test_calibration_is_zoomed_to_low_probabilities(ax):
    rng = np.random.default_rng(0)
    score = np.exp(rng.normal(-4.5, 1, 2000)).clip(0, 1)
    y_true = rng.random(2000) < score
    display = plotting.CalibrationDisplay.from_predictions(y_true, score, ax=ax)
    draw(ax)
    assert display.prob_pred.max() < ax.get_xlim()[1] < 0.15
    assert ax.get_aspect() == 1
    assert ax.get_yticks().min() == 0  # the histogram is below the axis
    assert ax.get_ylim()[0] < 0
    # Wilson: the shares whose distance is z standard errors, of 200 rows in each bin.
    for end in (display.prob_true_low, display.prob_true_high):
        distance, error = display.prob_true - end, np.sqrt(end * (1 - end) / 200)
        assert abs(distance) == pytest.approx(1.959963984540054 * error, abs=1e-15)
    drawn = [segment[:, 1].tolist() for segment in display.intervals_.get_segments()]
    ends = display.prob_true_low, display.prob_true_high
    assert drawn == [list(pair) for pair in zip(*ends, strict=True)]
    shown = np.histogram(score, display.edges)[0]
    assert display.n.tolist() == shown.tolist()
    assert shown.sum() > 1900
    assert (display.histogram_.get_data().values > 0).any()
    # A model with higher scores needs more room, and one that is weighted has no intervals.
    wide = plotting.CalibrationDisplay.from_predictions(*TEN, sample_weight=WEIGHTS, ax=ax)
    assert ax.get_xlim()[1] > 0.7
    assert wide.intervals_ is wide.prob_true_low is None


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_lift_at_a_share(share, ax):
    display = plotting.LiftCurveDisplay.from_predictions(*TEN, name="m", ax=ax)
    lift = fastauc.metrics.lift_at(*TEN, share)
    assert display.add_share(share) is display
    assert display.points_[0].get_xydata().tolist() == [[share, lift]]
    label = f"m: lift at {100 * share:.3g}% = {lift:.3f}"
    assert legend_of(ax)[1] == label
    histogram = fastauc.streaming.ScoreHistogram(bins=3, range=(0, 1)).update(*TEN)
    of_bins = plotting.LiftCurveDisplay.from_counts(histogram, ax=Figure().subplots())
    bounded = histogram.lift_at(share)
    (mark,) = of_bins.add_share(share).points_
    assert mark.get_xydata().tolist() == [[share, bounded.estimate]]
    assert ("±" in mark.get_label()) == (not bounded.exact)


def test_the_lift_of_the_first_rows_does_not_set_the_axis(ax):
    # The first row of a thousand is positive: a lift of 10, but of 4 at half a per cent.
    labels = np.zeros(1000, int)
    labels[[0, 3]] = 1
    labels[500:598] = 1
    scores = np.arange(1000, 0, -1)
    display = plotting.LiftCurveDisplay.from_predictions(labels, scores, ax=ax)
    assert display.lift[1:6].tolist() == [10, 5, 10 / 3, 5, 4]
    assert ax.get_ylim() == (0, pytest.approx(1.1 * 4))
    # A model with a lower one does not lower the axis.
    plotting.LiftCurveDisplay.from_predictions(labels, -scores, ax=ax)
    assert ax.get_ylim() == (0, pytest.approx(1.1 * 4))


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
def test_a_lift_curve_without_positives_is_empty(ax):
    display = plotting.LiftCurveDisplay.from_predictions([0, 0], [0.1, 0.2], ax=ax)
    assert np.isnan(display.lift).all()
    assert ax.get_ylim() == (0, 1.1)


def test_net_benefit_stays_in_the_frame(ax):
    # All high probabilities are those of negatives: treating by them does harm.
    labels, scores = [1, 0, 0, 1, 0, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    display = plotting.NetBenefitCurveDisplay.from_predictions(labels, scores, ax=ax)
    assert display.net_benefit.min() < -0.1
    low, high = ax.get_ylim()
    assert low < display.net_benefit.min() < display.net_benefit.max() < high
    # But harm without limit does not squeeze what matters into a line.
    plotting.NetBenefitCurveDisplay.from_predictions(labels, [0.97] * 6, ax=ax)
    assert ax.get_ylim()[0] > -2 * ax.get_ylim()[1]


@pytest.mark.parametrize(
    ("name", "attribute"), [("LiftCurveDisplay", "lift"), ("PrecisionRecallDisplay", "precision")]
)
def test_negatives_before_the_first_positive_draw_no_line(name, attribute, ax):
    # The rows below the first two are those of TEN: the lift there, and no precision of 0.
    y_true, y_score = [0, 0, *TEN[0]], [0.9, 0.8, *TEN[1]]
    display = display_of(name).from_predictions(y_true, y_score, ax=ax)
    assert 0 in getattr(display, attribute)
    drawn = display.line_.get_ydata()
    assert drawn.min() > 0
    first = 0.5 if name == "PrecisionRecallDisplay" else 1.5  # two of four rows are positive
    assert drawn[-1 if name == "PrecisionRecallDisplay" else 0] == first
    # Without positives there is nothing to leave out.
    arrays = {each: np.zeros(2) for each in CURVES[name][1]}
    one = display_of(name)(**arrays, name="no positives")
    assert len(one.plot(ax).line_.get_ydata()) <= 2


def test_net_benefit_beside_treating_all_and_none(ax):
    display = plotting.NetBenefitCurveDisplay.from_predictions(*TEN, name="m", ax=ax)
    expected = fastauc.metrics.net_benefit_curve(*TEN, thresholds=display.thresholds)
    np.testing.assert_array_equal([display.net_benefit, display.net_benefit_all], expected[:2])
    assert display.thresholds[[0, -1]].tolist() == [0, pytest.approx(0.7 * 1.02)]
    assert display.line_.get_ydata().tolist() == display.net_benefit.tolist()
    assert list(display.none_.get_ydata()) == [0, 0]
    # What matters is seen, whatever treating all costs.
    assert ax.get_ylim() == pytest.approx((-0.08, 0.44))
    better = [0.99 * label + 0.001 for label in TEN[0]]
    other = plotting.NetBenefitCurveDisplay.from_predictions(TEN[0], better, name="n", ax=ax)
    assert other.all_ is display.all_
    assert legend_of(ax) == ["m", "n", "Treat all", "Treat none"]
    assert ax.get_xlim()[1] > 0.98
    for scores, options in (([0.5, 1.5], {}), ([0.5, 0.25], {"higher_is_positive": False})):
        with pytest.raises(ValueError, match=r"y_score|higher_is_positive"):
            plotting.NetBenefitCurveDisplay.from_predictions([0, 1], scores, ax=ax, **options)


def test_net_benefit_of_a_histogram_is_known_at_its_edges(ax):
    histogram = fastauc.streaming.ScoreHistogram(bins=4, range=(0, 1)).update(*TEN)
    display = plotting.NetBenefitCurveDisplay.from_counts(histogram, ax=ax)
    expected = fastauc.metrics.net_benefit_curve(*TEN, thresholds=display.thresholds)[0]
    np.testing.assert_array_equal(display.net_benefit, expected)
    assert 1 < len(display.thresholds) <= 4


MONTHS = ["2024-02", "2024-02", "2024-03", "2024-03", "2024-02", "2024-02", "2024-02", "2024-03"]
MONTHS += ["2024-03", "2024-03"]


@pytest.mark.parametrize("kind", ["text", "date", "segment"])
def test_aucs_by_group_and_along_time(kind, ax):
    groups = np.array(MONTHS, "M8[M]") if kind == "date" else MONTHS
    if kind == "segment":
        groups = [f"in {month}" for month in MONTHS]
    aucs = fastauc.groups.roc_auc_by_group(*TEN, groups, confidence_level=0.9)
    make = plotting.AucByGroupDisplay.from_result
    first, second = (make(aucs, name=name, ax=ax) for name in ("a", "b"))
    is_along_time = kind != "segment"
    assert first.is_along_time == is_along_time
    # February of 2024 has 29 days.
    start, room = (19754, 29) if is_along_time else (0, 1)
    for display, offset in ((first, start - 0.15 * room), (second, start + 0.15 * room)):
        at, middle = display.line_.get_data()[:: 1 if is_along_time else -1]
        assert at == pytest.approx([offset, room + offset])
        assert middle.tolist() == aucs.auc.tolist()
        for k, segment in enumerate(display.intervals_.get_segments()):
            ends = segment[:, 1 if is_along_time else 0].tolist()
            assert ends == [aucs.low[k], aucs.high[k]]
            across = segment[:, 0 if is_along_time else 1]
            assert across == pytest.approx([k * room + offset] * 2)
    assert first.line_.get_linestyle() == ("-" if is_along_time else "None")
    ticks = (ax.get_xticklabels if is_along_time else ax.get_yticklabels)()
    wanted = sorted(set(groups if kind == "segment" else MONTHS))
    assert [tick.get_text() for tick in ticks] == wanted
    assert (ax.get_ylabel() if is_along_time else ax.get_xlabel()) == "AUC"
    assert legend_of(ax) == ["a", "b"]
    draw(ax)
    without = make(fastauc.groups.roc_auc_by_group(*TEN, groups), ax=Figure().subplots())
    assert without.intervals_ is None
    assert without.ax_.get_legend() is None
    with pytest.raises(fastauc.InvalidParameterError, match="'aucs' parameter of AucByGroupDis"):
        make([0.5, 0.75], ax=ax)


def aucs_of(groups):
    """Return AUCs of groups that all have rows of both classes."""
    n = len(groups)
    return fastauc.groups.roc_auc_by_group([0, 1] * n, np.arange(2 * n), np.repeat(groups, 2))


def test_each_model_is_beside_its_own_groups(ax):
    make = plotting.AucByGroupDisplay.from_result
    first, second = make(aucs_of(["b", "c", "d"]), ax=ax), make(aucs_of(["a", "c", "e"]), ax=ax)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == ["b", "c", "d", "a", "e"]
    for display in first, second:
        rows = np.rint(display.line_.get_ydata()).astype(int)
        assert [names[row] for row in rows] == display.aucs.group.tolist()
    assert ax.get_ylim() == (4.5, -0.5)


@pytest.mark.parametrize(
    ("periods", "days"),
    [
        (["2024-01", "2024-08", "2024-09"], [0, 213, 244]),
        (["2024", "2025"], [0, 366]),
        (["2024-Q1", "2024-Q3"], [0, 182]),
        (["2024-W01", "2024-W03", "2025-W01"], [0, 14, 364]),
        (["2024-01-01", "2024-02-29"], [0, 59]),
        (np.array(["2024-01-01T00", "2024-01-01T12"], "M8[h]"), [0, 0.5]),
    ],
)
def test_periods_are_dates_on_the_axis(periods, days, ax):
    make = plotting.AucByGroupDisplay.from_result
    first = make(aucs_of(periods), ax=ax)
    assert first.line_.get_xdata().tolist() == [19723 + day for day in days]
    second = make(aucs_of(periods[1:]), ax=ax)  # its first period is another one
    assert first.aucs.group.tolist() == np.asarray(periods).tolist()
    room = min(np.diff(days))
    assert first.line_.get_xdata() == pytest.approx([19723 + day - 0.15 * room for day in days])
    later = [19723 + day + 0.15 * room for day in days[1:]]
    assert second.line_.get_xdata() == pytest.approx(later)
    with pytest.raises(fastauc.InvalidParameterError, match=r"'aucs' .*of periods, as the others"):
        make(aucs_of(["a", "b"]), ax=ax)


def test_what_only_looks_like_a_period_is_none(ax):
    for groups in (["2024-13", "2024-14"], ["2024-W54"], ["2023-02-29"]):
        assert not plotting.AucByGroupDisplay(aucs=aucs_of(groups)).is_along_time


def test_of_many_periods_some_are_named(ax):
    months = np.repeat(np.arange(60).astype("M8[M]"), 4)
    aucs = fastauc.groups.roc_auc_by_group([0, 1] * 120, np.arange(240), months)
    plotting.AucByGroupDisplay.from_result(aucs, ax=ax)
    assert [tick.get_text() for tick in ax.get_xticklabels()][:2] == ["1970-01", "1970-06"]
    assert len(ax.get_xticks()) == 12


def test_perfect_order_of_the_gain_curve(ax):
    display = plotting.GainCurveDisplay.from_predictions(*TEN, ax=ax)
    assert display.perfect_.get_xydata().tolist() == [[0, 0], [0.4, 1], [1, 1]]
    assert display.perfect_.get_linestyle() != display.chance_level_.get_linestyle()
    by_hand = plotting.GainCurveDisplay(share=display.share, tpr=display.tpr)
    assert by_hand.plot(Figure().subplots()).perfect_ is None


# What needs counts ------------------------------------------------------------------------------


def test_displays_made_by_hand_need_counts_to_add_to_the_picture(ax):
    fpr, tpr, _ = fastauc.roc_curve(*SEVEN)
    display = plotting.RocCurveDisplay(fpr=fpr, tpr=tpr).plot(ax)
    for add in (display.add_hull, display.add_pairs, lambda: display.add_operating_points(0.5)):
        with pytest.raises(
            ValueError, match=r"^RocCurveDisplay\.add_\w+ needs the counts of the cur"
        ):
            add()
    counts = fastauc.confusion_matrix_at_thresholds(*SEVEN)
    display = plotting.RocCurveDisplay(fpr=fpr, tpr=tpr, counts=counts).plot(ax)
    assert "Convex hull (AUC = 0.833)" in legend_of(display.add_hull().ax_)


def test_what_was_added_goes_where_the_display_was_drawn_last(ax):
    other = Figure().subplots()
    display = plotting.RocCurveDisplay.from_predictions(*SEVEN, ax=ax).add_hull()
    assert display.plot(other).hull_ is None
    display.add_hull()
    assert display.hull_.axes is other
    assert "Convex hull (AUC = 0.833)" in legend_of(other)
