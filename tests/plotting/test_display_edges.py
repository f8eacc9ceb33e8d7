"""Displays: what legends say, few rows and none of a class, and what is refused."""

import math
import re
import sys
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
from fastauc import plotting
from fastauc._drawing.words import in_words
from support.pages import ALL, MONEY, NAMES, TEN, display_of, draw, legend_of, options_of

Figure = pytest.importorskip("matplotlib.figure").Figure


# Words ------------------------------------------------------------------------------------------


@given(
    lower=st.floats(0, 1),
    width=st.floats(0, 1) | st.floats(0, 12).map(lambda power: 10**-power),
)
def test_bounds_in_words_hold(lower, width):
    upper = lower + width
    interval = fastauc.streaming.ScoreInterval((lower + upper) / 2, lower, upper, False)
    middle, distance = map(F, in_words(interval).split(" ± "))
    assert middle - distance <= F(lower) <= F(upper) <= middle + distance
    # Rounded outwards by no more than a unit of the last decimal shown, which are three to six.
    decimals = len(in_words(interval).partition(".")[2].split()[0])
    assert 3 <= decimals <= 6
    assert distance <= F(width) / 2 + F(2, 10**decimals)


def test_numbers_in_words():
    assert in_words(0.9123456) == "0.912"
    assert in_words(math.nan) == "undefined"
    assert in_words(fastauc.streaming.ScoreInterval(0.5, 0.5, 0.5, True)) == "0.500"
    assert (
        in_words(fastauc.streaming.ScoreInterval(0.91235, 0.9123, 0.9124, False))
        == "0.91235 ± 0.00006"
    )
    assert in_words(fastauc.streaming.ScoreInterval(0.75, 0.5, 1.0, False)) == "0.750 ± 0.250"


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
    histogram = fastauc.streaming.ScoreHistogram(bins=3, range=(0, 1)).update(*TEN)
    display_of(name).from_counts(histogram, name="coarse", ax=ax)
    (label,) = (label for label in legend_of(ax) if "=" in label and label.startswith("coarse"))
    middle, distance = map(F, re.search(r"= ([\d.]+) ± ([\d.]+)", label).groups())
    interval = getattr(histogram, number)()
    assert middle - distance <= F(interval.lower) <= F(interval.upper) <= middle + distance
    assert middle - distance <= F(getattr(fastauc.confusion_matrix_at_thresholds(*TEN), number)())


def test_a_bound_of_the_profit(ax):
    histogram = fastauc.streaming.ScoreHistogram(bins=3, range=(0, 1)).update(*TEN)
    display = plotting.ProfitCurveDisplay.from_counts(histogram, ax=ax, **MONEY)
    assert display.line_.get_label().startswith("profit ≥ 5 at 40%, threshold 0.3333")
    exact = plotting.ProfitCurveDisplay.from_predictions(*TEN, ax=ax, **MONEY)
    best = fastauc.metrics.optimal_threshold(*TEN, method="profit", **MONEY)
    assert exact.best == best
    assert exact.line_.get_label() == "profit 5 at 40%, threshold 0.4"


# Little and nothing -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning", "ignore:No positive class")
@pytest.mark.parametrize("name", ALL)
def test_few_rows_one_class_and_one_cell_without_an_end(name, ax):
    make, options = display_of(name), options_of(name)
    three, tied, negative, positive = [0, 1, 1], [0, 1], [0, 0], [1, 1]
    for labels in (three, tied, negative, positive):
        scores = [0.2, 0.1, 0.7] if labels is three else [0.5, 0.5 if labels is tied else 0.75]
        make.from_predictions(labels, scores, ax=ax, **options)
    histogram = fastauc.streaming.ScoreHistogram(bins=1, range=(0, 1)).update([0, 1], [0.25, 0.5])
    make.from_counts(histogram, ax=ax, **options)
    draw(ax)


LARGEST = sys.float_info.max
BAND_OF_PRECISION = fastauc.inference.curve_ci(*TEN, given="recall")
BAND_OF_TPR = fastauc.inference.curve_ci(*TEN)
ALONG_SCORES = ["ScoreDistributionDisplay", "CalibrationDisplay", "ThresholdDisplay"]


@pytest.mark.parametrize(
    ("name", "size"),
    [*((name, LARGEST) for name in NAMES), *((name, 5e-310) for name in ALONG_SCORES)],
)
def test_scores_of_any_size(name, size, ax):
    sample = [0, 1, 0, 0, 1, 1], [-size, -size / 2, 0.0, size / 5, size / 2, size]
    make = display_of(name).from_predictions
    display = make(*sample, ax=ax, **options_of(name))
    draw(ax)
    unit = 2.0**1000 if size > 1 else 2.0**-1000
    said = ", in units of 2^1000" if size > 1 else ", in units of 2^-1000"
    if name in ("ThresholdDisplay", "CalibrationDisplay"):
        line = display.line_[0] if name == "ThresholdDisplay" else display.line_
        assert line.get_xdata().tolist() == [score / unit for score in sample[1]]
    elif name == "ScoreDistributionDisplay":
        for outline in display.line_:
            density, edges, _ = outline.get_data()
            assert edges[[0, -1]].tolist() == [-size / unit, size / unit]
            # Ten quotients, each rounded twice and multiplied by a rounded width, are added up.
            assert sum(density * np.diff(edges)) == pytest.approx(1, abs=50 * 2.0**-53)
    else:
        assert said not in ax.get_xlabel()
        return
    assert ax.get_xlabel().endswith(said)
    # Beside them, others could not be seen.
    with pytest.raises(fastauc.InvalidParameterError, match="the same order of magnitude"):
        make(*TEN, ax=ax)
    ax.clear()
    make(*TEN, ax=ax)


@pytest.mark.parametrize("name", ALONG_SCORES)
def test_one_extreme_score(name):
    for size in (LARGEST, -LARGEST, 5e-324):
        ax = Figure().subplots()
        display_of(name).from_predictions([0, 1, 1], [size] * 3, ax=ax)
        draw(ax)
    if name == "CalibrationDisplay":
        assert ax.get_xlabel() == "Mean score; bars: histogram of the scores"


@pytest.mark.parametrize("name", ALONG_SCORES)
def test_histograms_of_any_range(name, ax):
    rows = [0, 1, 1, 0], [-1.7e308, -1.0, 1.0, 1.7e308]
    for edges in (None, [-1e308, 1e308], [-1.7e308, 1.7e308], [-1.7e308, 1.6e308, 1.7e308]):
        histogram = fastauc.streaming.ScoreHistogram(edges=edges).update(*rows)
        display_of(name).from_counts(histogram, ax=ax)
    draw(ax)


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@pytest.mark.parametrize("label", [0, 1])
def test_more_of_one_class(label, ax):
    sample = [label] * 3, [0.1, 0.2, 0.4]
    with pytest.warns(fastauc.UndefinedMetricWarning) as warned:
        roc = plotting.RocCurveDisplay.from_predictions(*sample, ax=ax)
    assert {warning.filename for warning in warned} == {__file__}
    assert roc.line_.get_label() == "AUC = undefined"
    assert roc.add_pairs().add_area().pairs_ is None
    ks = plotting.KsDisplay.from_predictions(*sample, ax=ax).add_difference()
    assert np.isnan(ks.difference_.get_ydata()).all()
    draw(ax)
    make = plotting.ScoreDistributionDisplay.from_predictions
    best = make(*sample, ax=Figure().subplots(), operating_point="youden")
    assert (best.cut, best.threshold_, best.shades_) == (None, None, [])
    given = make(*sample, ax=Figure().subplots(), operating_point=0.2)
    wanted = ["FNR = 0.333", "TPR = 0.667"] if label else ["TNR = 0.333", "FPR = 0.667"]
    assert [shade.get_label() for shade in given.shades_] == wanted


def test_threshold_of_any_size():
    sample = [0, 1, 0, 1], [-LARGEST, -1.0, LARGEST / 2, LARGEST]
    for threshold in (0.0, LARGEST, -LARGEST, LARGEST / 3, math.inf, -math.inf):
        ax = Figure().subplots()
        make = plotting.ScoreDistributionDisplay.from_predictions
        display = make(*sample, operating_point=threshold, ax=ax)
        draw(ax)
        nearest = math.nextafter(LARGEST, 0) if threshold == LARGEST else LARGEST
        assert display.cut == min(max(threshold, -LARGEST), nearest)
        assert display.cut in display.edges
        assert (display.threshold_ is None) == math.isinf(threshold)
        matrix = fastauc.confusion_matrix_at_thresholds(*sample).at(threshold)
        shown = {shade.get_label()[:3]: shade.get_data() for shade in display.shades_}
        for name, rate in {"TPR": matrix.tpr, "FPR": matrix.fpr}.items():
            area = (shown[name].values * np.diff(shown[name].edges)).sum() if name in shown else 0
            assert area == pytest.approx(rate)


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_errors_name_the_argument(name, ax):
    display_class, options = display_of(name), options_of(name)
    counts = fastauc.confusion_matrix_at_thresholds(*TEN)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'ax' parameter of {name} "):
        display_class.from_predictions(*TEN, ax=3, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'name' parameter of {name}"):
        display_class.from_predictions(*TEN, ax=ax, name=3, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'counts' parameter of {name}"):
        display_class.from_counts([counts], ax=ax, **options)
    with pytest.raises(ValueError, match="y_score"):
        display_class.from_predictions([0, 1], [0.5, math.nan], ax=ax, **options)
    with pytest.raises(ValueError, match="holds no rows"):
        display_class.from_counts(fastauc.streaming.ScoreHistogram(), ax=ax, **options)
    assert not ax.lines
    display = display_class.from_counts(counts, ax=ax, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=f"'ax' parameter of {name} "):
        display.plot("here")


BAD_OPTIONS = [
    ("RocCurveDisplay", {"curve_kwargs": [{}]}, "curve_kwargs"),
    ("DetCurveDisplay", {"higher_is_positive": 0}, "higher_is_positive"),
    ("GainsTableDisplay", {"curve_kwargs": "red"}, "curve_kwargs"),
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
    ("ScoreDistributionDisplay", {"operating_point": "best"}, "operating_point"),
    ("ScoreDistributionDisplay", {"operating_point": [0.5]}, "operating_point"),
    ("CalibrationDisplay", {"bins": 11}, "bins"),
    ("CalibrationDisplay", {"strategy": "kmeans"}, "strategy"),
    ("NetBenefitCurveDisplay", {"higher_is_positive": False}, "higher_is_positive"),
]


def test_bad_options(ax):
    for name, options, argument in BAD_OPTIONS:
        with pytest.raises(fastauc.InvalidParameterError, match=f"'{argument}' parameter of"):
            display_of(name).from_predictions(*TEN, ax=ax, **options)


BAD_ADDITIONS = [
    ("RocCurveDisplay", "zoom", 0, "max_fpr"),
    ("RocCurveDisplay", "add_band", "pointwise", "band"),
    ("RocCurveDisplay", "add_band", BAND_OF_PRECISION, "band"),
    ("PrecisionRecallDisplay", "add_band", 0.95, "band"),
    ("PrecisionRecallDisplay", "add_band", BAND_OF_TPR, "band"),
    ("NetBenefitCurveDisplay", "add_band", BAND_OF_TPR, "band"),
    ("RocCurveDisplay", "add_operating_points", "profit", "operating_point"),
    ("RocCurveDisplay", "add_operating_points", math.nan, "operating_point"),
    ("RocCurveDisplay", "add_operating_points", [0.5], "operating_point"),
    ("ThresholdDisplay", "add_operating_points", "best", "operating_point"),
    ("ThresholdDisplay", "add_rates", "auc", "rates"),
    ("LiftCurveDisplay", "add_share", 0, "share"),
    ("KsDisplay", "add_difference", "red", "curve_kwargs"),
]


def test_what_cannot_be_added():
    for name, method, value, argument in BAD_ADDITIONS:
        ax = Figure().subplots()
        display = display_of(name).from_predictions(*TEN, ax=ax)
        n_lines = len(ax.lines)
        where = name if argument == "curve_kwargs" else f"{name}.{method}"
        said = f"'{argument}' parameter of {where} "
        with pytest.raises(fastauc.InvalidParameterError, match=said):
            getattr(display, method)(value)
        assert len(ax.lines) == n_lines


def test_without_matplotlib(monkeypatch):
    counts = fastauc.confusion_matrix_at_thresholds(*TEN)
    displays = [
        display_of(name).from_counts(counts, ax=Figure().subplots(), **options_of(name))
        for name in ALL
    ]
    for module in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, module, None)
    for name, display in zip(ALL, displays, strict=True):
        with pytest.raises(ImportError, match=rf"^{name} needs matplotlib, .*fastauc\[plot\]"):
            display_of(name).from_predictions(*TEN, **options_of(name))
        with pytest.raises(ImportError, match=rf"^{name} needs matplotlib, .*fastauc\[plot\]"):
            display_of(name).from_counts(counts, **options_of(name))
        with pytest.raises(ImportError, match=rf"^{name} needs matplotlib"):
            display.plot()


def test_names_that_others_count_on():
    assert {*ALL, "AucByGroupDisplay", "OperatingPoint"} == set(plotting.__all__)
    assert sorted(plotting.__all__) == plotting.__all__


def test_many_pairs_are_not_painted(ax):
    many = [0, 1] * 101, range(202)
    histogram = fastauc.streaming.ScoreHistogram(bins=2, range=(0, 1)).update(*TEN)
    weighted = fastauc.confusion_matrix_at_thresholds(*TEN, sample_weight=[1] * 10)
    for counts, n_pairs in (
        (fastauc.confusion_matrix_at_thresholds(*many), "10,201 pairs in ConfusionCounts"),
        (histogram, "24 pairs in ScoreHistogram"),
        (weighted, "24 pairs in ConfusionCounts"),
    ):
        display = plotting.RocCurveDisplay.from_counts(counts, ax=ax)
        with pytest.raises(ValueError, match=f"paints 10,000 pairs at most, .* got {n_pairs}"):
            display.add_pairs()
        assert display.pairs_ is None
