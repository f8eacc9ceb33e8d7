"""Displays: their arrays are those of the functions, and the pictures follow from them."""

import io
import math
import re
import sys
from fractions import Fraction as F

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import fastauc
import naive
from fastauc import plotting
from fastauc.plotting_axes import in_words

matplotlib.use("Agg")  # nothing is shown

SEVEN = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
TEN = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1]
WEIGHTS = [1, 2, 3, 1, 2, 1, 4, 1, 2, 1]
MONEY = {"cost": 1, "revenue": 3}

# Each display with what it needs, and the attributes that are those of a curve function.
CURVES = {
    "RocCurveDisplay": ("roc_curve", ("fpr", "tpr"), {}),
    "PrecisionRecallDisplay": ("precision_recall_curve", ("precision", "recall"), {}),
    "DetCurveDisplay": ("det_curve", ("fpr", "fnr"), {}),
    "GainCurveDisplay": ("gain_curve", ("positive_rate", "tpr"), {}),
    "LiftCurveDisplay": ("lift_curve", ("positive_rate", "lift"), {}),
    "KsDisplay": ("ks_curve", ("positive_rate", "tpr", "fpr"), {}),
    "ProfitCurveDisplay": ("profit_curve", ("positive_rate", "profit"), MONEY),
}
OTHERS = ("ScoreDistributionDisplay", "GainsTableDisplay", "ThresholdDisplay", "CalibrationDisplay")
NAMES = [*CURVES, *OTHERS]


def options_of(name):
    return CURVES[name][2] if name in CURVES else {}


def display_of(name):
    return getattr(plotting, name)


@pytest.fixture
def ax():
    """Return axes of a figure that nothing but this test knows."""
    return Figure(figsize=(4, 3), layout="constrained").subplots()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def draw(ax):
    """Do all of the work of a picture but its pixels; warnings are errors."""
    ax.figure.draw_without_rendering()


def arrays_of(display):
    """Return the arrays of a display, by name; those of a table or a dict as well."""
    found = {}
    for name, value in vars(display).items():
        if isinstance(value, np.ndarray):
            found[name] = value
        elif isinstance(value, dict | fastauc.ResultTable):
            found |= {f"{name}.{key}": value[key] for key in value}
    return found


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# Arrays -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_arrays_are_those_of_the_function_and_of_its_definition(name, weights, ax):
    function, attributes, options = CURVES[name]
    display = display_of(name).from_predictions(*TEN, sample_weight=weights, ax=ax, **options)
    computed = getattr(fastauc, function)(*TEN, sample_weight=weights, **options)
    defined = getattr(naive, function)(*TEN, sample_weight=weights, **options)
    for attribute, array, fractions in zip(attributes, computed, defined, strict=False):
        found = getattr(display, attribute)
        np.testing.assert_array_equal(found, array)
        # Weights are small integers: each entry is one quotient, or two for the lift.
        np.testing.assert_allclose(found, [float(exact) for exact in fractions], rtol=2.0**-51)


def test_table_is_that_of_the_function(ax):
    display = plotting.GainsTableDisplay.from_predictions(
        *TEN, bins=5, ties="split", **MONEY, column="cum_profit", ax=ax
    )
    table = fastauc.gains_table(*TEN, bins=5, ties="split", **MONEY)
    assert display.table == table
    assert [bar.get_height() for bar in display.line_] == table["cum_profit"].tolist()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_counts_and_histograms_give_the_same(name, weights):
    display_class, options = display_of(name), options_of(name)
    axes = Figure().subplots(1, 3)
    counts = fastauc.confusion_matrix_at_thresholds(*TEN, sample_weight=weights)
    histogram = fastauc.ScoreHistogram(weighted=weights is not None)
    histogram.update(*TEN, sample_weight=weights)
    displays = [
        display_class.from_predictions(*TEN, sample_weight=weights, ax=axes[0], **options),
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


def test_thresholds_and_rates(ax):
    display = plotting.ThresholdDisplay.from_predictions(*SEVEN, ax=ax, operating_points=0.25)
    matrices = [fastauc.confusion_matrix_at_thresholds(*SEVEN).at(t) for t in display.thresholds]
    for rate in ("tpr", "fpr", "precision", "accuracy"):
        assert display.rates[rate].tolist() == [getattr(matrix, rate) for matrix in matrices]
    # The steps: a rate holds up to its threshold, and from the next lower one on.
    assert display.line_[0].get_drawstyle() == "steps-pre"
    assert display.points_[0].get_xdata()[0] == 0.25


# What is drawn ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_axes_that_are_given_are_all_that_is_touched(name, ax):
    display = display_of(name).from_predictions(*TEN, ax=ax, **options_of(name))
    assert display.ax_ is ax
    assert plt.get_fignums() == []
    ax.figure.savefig(picture := io.BytesIO(), format="png", dpi=50)
    assert picture.getvalue().startswith(b"\x89PNG")
    assert ax.get_xlabel()
    assert ax.get_ylabel()


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_of_its_own(name):
    display = display_of(name).from_predictions(*TEN, **options_of(name))
    assert plt.get_fignums() == [display.figure_.number]
    again = display.plot(name="again")
    assert again is display
    assert len(plt.get_fignums()) == 2


@pytest.mark.parametrize("name", NAMES)
def test_several_models_differ_without_colors(name, ax):
    for k, sample in enumerate((SEVEN, TEN, SEVEN)):
        display_of(name).from_predictions(*sample, name=f"model {k}", ax=ax, **options_of(name))
    draw(ax)
    labels = legend_of(ax)
    for k in range(3):
        assert any(label.startswith(f"model {k}") for label in labels)
    looks = [
        (str(handle.get_linestyle()), getattr(handle, "get_marker", str)(), handle.get_hatch())
        if hasattr(handle, "get_hatch")
        else (handle.get_linestyle(), handle._unscaled_dash_pattern, handle.get_marker())
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        if label.startswith("model") and hasattr(handle, "get_linestyle")
    ]
    most = {"ScoreDistributionDisplay": 5, "ThresholdDisplay": 5}.get(name, len(looks))
    assert len({str(look) for look in looks}) == min(most, len(looks))


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
    assert [label for label in legend_of(ax) if "Chance" in label] == legend_of(ax)[-1:]
    other = Figure().subplots()
    assert displays[0].plot(other, plot_chance_level=False).chance_level_ is None
    assert not any("Chance" in label for label in legend_of(other))


def test_options_of_the_line_go_first(ax):
    display = plotting.RocCurveDisplay.from_predictions(
        *TEN, ax=ax, c="red", lw=5, label="mine", hull=True
    )
    assert display.line_.get_color() == display.hull_.get_color() == "red"
    assert display.line_.get_linewidth() == 5
    assert "mine" in legend_of(ax)
    with pytest.raises(AttributeError, match="colour"):
        plotting.RocCurveDisplay.from_predictions(*TEN, ax=ax, colour="red")


def test_many_points_are_thinned_and_kept(ax):
    rng = np.random.default_rng(0)
    y_true = rng.random(200_000) < 0.3
    y_score = rng.normal(size=200_000) + y_true
    counts = fastauc.confusion_matrix_at_thresholds(y_true, y_score)
    for name, (_, attributes, options) in CURVES.items():
        display = display_of(name).from_counts(counts, ax=Figure().subplots(), **options)
        assert len(getattr(display, attributes[0])) > 60_000
        lines = display.line_ if isinstance(display.line_, list) else [display.line_]
        assert all(100 < len(line.get_xdata()) <= 4 * 4098 for line in lines)
    display = plotting.ThresholdDisplay.from_counts(counts, ax=ax)
    assert len(display.thresholds) == len(counts.thresholds)
    assert all(len(line.get_xdata()) <= 4 * 4098 for line in display.line_)


@pytest.mark.parametrize("name", ["RocCurveDisplay", "PrecisionRecallDisplay", "LiftCurveDisplay"])
def test_thinning_does_not_change_the_picture(name, monkeypatch):
    rng = np.random.default_rng(0)
    y_true = rng.random(60_000) < 0.3
    y_score = rng.normal(size=60_000) + y_true
    pictures = []
    with matplotlib.rc_context({"path.simplify": False, "agg.path.chunksize": 0}):
        for is_thinned in (True, False):
            if not is_thinned:
                thin = "fastauc.plotting_axes.thin"
                monkeypatch.setattr(thin, lambda x, y, borders: np.arange(len(x)))
            figure = Figure(figsize=(4, 3), dpi=100)
            display_of(name).from_predictions(
                y_true, y_score, ax=figure.subplots(), drawstyle="default", color="black"
            )
            figure.savefig(picture := io.BytesIO(), format="rgba")
            rgba = np.frombuffer(picture.getvalue(), np.uint8).reshape(300, 400, 4)
            pictures.append(rgba[..., 0] < 128)
    # 310 pixels are 4,096 columns: no point of the line moves by 0.08 pixels. What is dark is dark,
    # or next to it, in the other picture (what is in between depends on how strokes are joined).
    for dark, other in (pictures, pictures[::-1]):
        near = np.zeros_like(other)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                near |= np.roll(other, (down, right), axis=(0, 1))
        assert dark.sum() > 1_000
        assert not (dark & ~near).any()


# ROC --------------------------------------------------------------------------------------------


def test_zoom_on_few_false_positives(ax):
    display = plotting.RocCurveDisplay.from_predictions(*SEVEN, ax=ax, max_fpr=0.25)
    low, high = ax.get_xlim()
    assert -0.01 < low < 0
    assert 0.25 < high < 0.26
    assert ax.get_aspect() == "auto"
    assert len(display.fpr) == len(fastauc.roc_curve(*SEVEN)[0])
    display.plot(ax)
    assert ax.get_xlim()[1] > 1


def test_hull(ax):
    display = plotting.RocCurveDisplay.from_predictions(*SEVEN, ax=ax, hull=True)
    hull = fastauc.roc_convex_hull(*SEVEN)
    assert display.hull_.get_xdata().tolist() == hull.fpr.tolist()
    assert display.hull_.get_ydata().tolist() == hull.tpr.tolist()
    assert "Convex hull (AUC = 0.833)" in legend_of(ax)


@pytest.mark.parametrize("method", ["pointwise", "simultaneous"])
def test_band(method, ax):
    band = fastauc.roc_curve_band(*TEN, method=method, rng=0)
    displays = [
        plotting.RocCurveDisplay.from_predictions(*TEN, ax=ax, band=each, rng=0)
        for each in (method, band)
    ]
    for display in displays:
        for found, wanted in zip(display.band, band, strict=True):
            np.testing.assert_array_equal(found, wanted)
        assert display.band_ is not None
    assert f"95 % band, {method}" in legend_of(ax)


def test_operating_points(ax):
    best = fastauc.optimal_threshold(*SEVEN, method="cost", cost_fp=1, cost_fn=2)
    display = plotting.RocCurveDisplay.from_predictions(
        *SEVEN, ax=ax, operating_points=["youden", 0.25, best, 7, np.float64(0.6)]
    )
    found = [(point.threshold, point.fpr, point.tpr) for point in display.operating_points]
    assert found == [(0.2, 0.5, 1), (0.25, 0.25, 2 / 3), (0.2, 0.5, 1), (7, 0, 0), (0.6, 0, 1 / 3)]
    assert [point.get_xdata()[0] for point in display.points_] == [each[1] for each in found]
    assert legend_of(ax)[1:3] == ["Youden: threshold 0.2", "threshold 0.25"]


def test_operating_points_of_a_histogram_are_at_edges(ax):
    histogram = fastauc.ScoreHistogram(bins=4, range=(0, 1)).update(*SEVEN)
    display = plotting.RocCurveDisplay.from_counts(
        histogram, ax=ax, operating_points=[0.25, 0.3, 2], hull=True
    )
    matrices = [fastauc.confusion_matrix_at_thresholds(*SEVEN).at(t) for t in (0.25, 0.5, math.inf)]
    found = [(point.threshold, point.fpr, point.tpr) for point in display.operating_points]
    # 0.3 is alone in its cell: a threshold that is known.
    matrices[1] = fastauc.confusion_matrix_at_thresholds(*SEVEN).at(0.3)
    thresholds = [0.3, 0.3, math.inf]
    assert found == [
        (t, matrix.fpr, matrix.tpr) for t, matrix in zip(thresholds, matrices, strict=True)
    ]
    assert "Convex hull (AUC ≥ 0.708)" in legend_of(ax)


# Words ------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(
    lower=st.floats(0, 1),
    width=st.floats(0, 1) | st.floats(0, 12).map(lambda power: 10**-power),
)
def test_bounds_in_words_hold(lower, width):
    upper = lower + width
    interval = fastauc.ScoreInterval((lower + upper) / 2, lower, upper, False)
    middle, distance = map(F, in_words(interval).split(" ± "))
    assert middle - distance <= F(lower) <= F(upper) <= middle + distance
    # Rounded outwards by no more than a unit of the last decimal shown, which are three to six.
    decimals = len(in_words(interval).partition(".")[2].split()[0])
    assert 3 <= decimals <= 6
    assert distance <= F(width) / 2 + F(2, 10**decimals)


def test_numbers_in_words():
    assert in_words(0.9123456) == "0.912"
    assert in_words(math.nan) == "undefined"
    assert in_words(fastauc.ScoreInterval(0.5, 0.5, 0.5, True)) == "0.500"
    assert in_words(fastauc.ScoreInterval(0.91235, 0.9123, 0.9124, False)) == "0.91235 ± 0.00006"
    assert in_words(fastauc.ScoreInterval(0.75, 0.5, 1.0, False)) == "0.750 ± 0.250"


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("RocCurveDisplay", "roc_auc"),
        ("PrecisionRecallDisplay", "average_precision"),
        ("GainCurveDisplay", "gain_score"),
        ("KsDisplay", "ks"),
    ],
)
def test_legend_says_what_is_not_certain(name, number, ax):
    histogram = fastauc.ScoreHistogram(bins=3, range=(0, 1)).update(*TEN)
    display_of(name).from_counts(histogram, name="coarse", ax=ax)
    (label,) = (label for label in legend_of(ax) if label.startswith("coarse"))
    middle, distance = map(F, re.search(r"= ([\d.]+) ± ([\d.]+)", label).groups())
    interval = getattr(histogram, number)()
    assert middle - distance <= F(interval.lower) <= F(interval.upper) <= middle + distance
    assert middle - distance <= F(getattr(fastauc.confusion_matrix_at_thresholds(*TEN), number)())


def test_a_bound_of_the_profit(ax):
    histogram = fastauc.ScoreHistogram(bins=3, range=(0, 1)).update(*TEN)
    display = plotting.ProfitCurveDisplay.from_counts(histogram, ax=ax, **MONEY)
    assert display.line_.get_label().startswith("profit ≥ 5 at 40 %, threshold 0.3333")
    exact = plotting.ProfitCurveDisplay.from_predictions(*TEN, ax=ax, **MONEY)
    best = fastauc.optimal_threshold(*TEN, method="profit", **MONEY)
    assert exact.best == best
    assert exact.line_.get_label() == "profit 5 at 40 %, threshold 0.4"


# Little and nothing -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_few_rows(name, ax):
    for sample in ([0, 1, 1], [0.2, 0.1, 0.7]), ([0, 1], [0.5, 0.5]):
        display_of(name).from_predictions(*sample, ax=ax, **options_of(name))
    draw(ax)


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning", "ignore:No positive class")
@pytest.mark.parametrize("name", NAMES)
def test_one_class(name, ax):
    for label in (0, 1):
        sample = [label, label], [0.25, 0.75]
        display_of(name).from_predictions(*sample, ax=ax, **options_of(name))
    draw(ax)


def test_one_class_is_a_warning(ax):
    with pytest.warns(fastauc.UndefinedMetricWarning) as warned:
        display = plotting.RocCurveDisplay.from_predictions([1, 1], [0.1, 0.2], ax=ax)
    assert {warning.filename for warning in warned} == {__file__}
    assert display.line_.get_label() == "AUC = undefined"


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_errors_name_the_argument(name, ax):
    display_class, options = display_of(name), options_of(name)
    counts = fastauc.confusion_matrix_at_thresholds(*TEN)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'ax' parameter of {name}"):
        display_class.from_predictions(*TEN, ax=3, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'name' parameter of {name}"):
        display_class.from_predictions(*TEN, ax=ax, name=3, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'counts' parameter of {name}"):
        display_class.from_counts([counts], ax=ax, **options)
    with pytest.raises(ValueError, match="y_score"):
        display_class.from_predictions([0, 1], [0.5, math.nan], ax=ax, **options)
    with pytest.raises(ValueError, match="holds no rows"):
        display_class.from_counts(fastauc.ScoreHistogram(), ax=ax, **options)
    assert not ax.lines
    display = display_class.from_counts(counts, ax=ax, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'ax' parameter of {name}.plot"):
        display.plot("here")


@pytest.mark.parametrize(
    ("name", "options", "argument"),
    [
        ("RocCurveDisplay", {"max_fpr": 0}, "max_fpr"),
        ("RocCurveDisplay", {"hull": 2}, "hull"),
        ("RocCurveDisplay", {"band": 0.95}, "band"),
        ("RocCurveDisplay", {"band": "delong"}, "method"),
        ("RocCurveDisplay", {"operating_points": "profit"}, "operating_points"),
        ("RocCurveDisplay", {"operating_points": [0.5, math.nan]}, "operating_points"),
        ("RocCurveDisplay", {"operating_points": {0.5}}, "operating_points"),
        ("LiftCurveDisplay", {"share": 0}, "share"),
        ("ProfitCurveDisplay", {}, "cost"),
        ("ProfitCurveDisplay", {"cost": 1}, "revenue"),
        ("ProfitCurveDisplay", {"cost": -1, "revenue": 1}, "cost"),
        ("GainsTableDisplay", {"bins": 11}, "bins"),
        ("GainsTableDisplay", {"bins": 0}, "bins"),
        ("GainsTableDisplay", {"column": "roi"}, "column"),
        ("GainsTableDisplay", {"column": "profit"}, "cost"),
        ("GainsTableDisplay", {"ties": "row"}, "ties"),
        ("ScoreDistributionDisplay", {"bins": 0}, "bins"),
        ("ScoreDistributionDisplay", {"bins": 2.5}, "bins"),
        ("CalibrationDisplay", {"bins": 11}, "bins"),
        ("CalibrationDisplay", {"strategy": "kmeans"}, "strategy"),
        ("ThresholdDisplay", {"rates": "tpr"}, "rates"),
        ("ThresholdDisplay", {"rates": ["tpr", "auc"]}, "rates"),
        ("ThresholdDisplay", {"operating_points": "best"}, "operating_points"),
    ],
)
def test_bad_options(name, options, argument, ax):
    with pytest.raises(fastauc.InvalidParameterError, match=f"'{argument}' parameter of"):
        display_of(name).from_predictions(*TEN, ax=ax, **options)


@pytest.mark.parametrize("name", NAMES)
def test_without_matplotlib(name, monkeypatch):
    counts = fastauc.confusion_matrix_at_thresholds(*TEN)
    display = display_of(name).from_counts(counts, ax=Figure().subplots(), **options_of(name))
    for module in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, module, None)
    for draw, function in (
        (lambda: display_of(name).from_predictions(*TEN, **options_of(name)), name),
        (lambda: display_of(name).from_counts(counts, **options_of(name)), name),
        (lambda: display.plot(), f"{name}.plot"),
    ):
        with pytest.raises(ImportError, match=rf"^{function} needs matplotlib, .*fastauc\[plot\]"):
            draw()


def test_names_that_others_count_on():
    assert set(NAMES) | {"OperatingPoint"} == set(plotting.__all__)
    assert sorted(plotting.__all__) == plotting.__all__
