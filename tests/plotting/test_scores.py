"""Bins of the score, and the arrays of the displays that show them, by their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc import plotting
from fastauc._counts.confusion_counts import threshold_counts
from fastauc._drawing.calibration import calibrate
from fastauc._drawing.score_cells import cells_of, edges_between, edges_of_steps, find_bins
from naive import plotting as naive_plotting

Figure = pytest.importorskip("matplotlib.figure").Figure

# Many ties, and weights whose sums are exact.
rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(-6, 6), st.integers(1, 8)), min_size=1, max_size=20
)
widths = st.sampled_from([1, 2, 4, 8])  # edges are exact then


def columns(drawn):
    labels, scores, weights = (list(column) for column in zip(*drawn, strict=True))
    return labels, [score / 4 for score in scores], [weight / 8 for weight in weights]


def counted(labels, scores, weights=None):
    counts = fastauc.confusion_matrix_at_thresholds(
        labels, scores, sample_weight=weights, pos_label=1
    )
    return counts, cells_of(threshold_counts(counts))


@settings(max_examples=60)
@given(drawn=rows, bins=widths, weighted=st.booleans())
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning", "ignore:No positive class")
def test_arrays_are_those_of_the_definition(drawn, bins, weighted):
    labels, scores, weights = columns(drawn)
    weights = weights if weighted else None
    known = labels, scores, weights or [1] * len(labels)
    ax = Figure().subplots()
    given = {"sample_weight": weights, "pos_label": 1, "ax": ax}

    display = plotting.ScoreDistributionDisplay.from_predictions(labels, scores, **given, bins=bins)
    edges, *shares = naive_plotting.score_distribution(*known, bins)
    assert display.edges.tolist() == [float(edge) for edge in edges]
    for found, wanted in zip((display.neg_share, display.pos_share), shares, strict=True):
        np.testing.assert_array_equal(found, [float(share) for share in wanted])

    bins, probabilities = min(bins, len(labels)), [score / 4 + 0.5 for score in scores]
    for strategy in ("uniform", "quantile"):
        display = plotting.CalibrationDisplay.from_predictions(
            labels, probabilities, **given, bins=bins, strategy=strategy
        )
        if strategy == "uniform":
            starts = edges_between(counted(labels, probabilities, weights)[1], bins)[1:-1]
        else:
            options = {"sample_weight": weights, "pos_label": 1, "bins": bins}
            table = fastauc.metrics.gains_table(labels, probabilities, **options)
            starts = table["min_score"][::-1]
        shares, means = naive_plotting.calibration(labels, probabilities, known[2], starts.tolist())
        assert display.prob_true.tolist() == [float(share) for share in shares]
        assert display.prob_pred_low is None
        # At most 20 quotients and products, each rounded, are added up; scores are below 1.
        assert np.abs(display.prob_pred - [float(mean) for mean in means]).max() < 40 * 2.0**-52

    display = plotting.ThresholdDisplay.from_predictions(labels, scores, **given)
    thresholds, wanted = naive_plotting.rates_along(*known)
    assert display.thresholds.tolist() == thresholds
    assert display.rates.keys() == wanted.keys()
    for rate, values in display.rates.items():
        np.testing.assert_array_equal(values, [float(value) for value in wanted[rate]])


@settings(max_examples=50)
@given(drawn=rows, bins=st.integers(1, 9), cells_of_unit=st.integers(1, 5))
def test_cells_of_a_histogram_stay_whole(drawn, bins, cells_of_unit):
    labels, scores, _ = columns(drawn)
    histogram = fastauc.streaming.ScoreHistogram(bins=4 * cells_of_unit, range=(-2, 2))
    histogram.update(labels, scores)
    cells = cells_of(threshold_counts(histogram))
    assert np.isfinite([cells.lows, cells.highs]).all()
    assert (cells.lows <= cells.highs).all()
    edges = edges_between(cells, bins)
    assert len(edges) <= bins + 1
    assert edges[0] <= min(scores)
    assert edges[-1] >= max(scores)
    for low, high in zip(cells.lows, cells.highs, strict=True):
        assert not ((low < edges) & (edges < high)).any()
    # What is known of the means holds for the rows.
    pos, rows, low, high = calibrate(cells, find_bins(cells, edges))
    prob_true = pos / rows
    shares, means = naive_plotting.calibration(
        labels, scores, [1] * len(labels), edges[1:-1].tolist()
    )
    assert prob_true.tolist() == [float(share) for share in shares]
    means = np.array([float(mean) for mean in means])
    # Rounded as in test_calibration, but for scores of up to 2.
    assert (low <= means + 80 * 2.0**-52).all()
    assert (means <= high + 80 * 2.0**-52).all()


@settings(max_examples=50)
@given(
    steps=st.lists(st.integers(0, 400), min_size=2, max_size=60),
    size=st.sampled_from([0.01, 0.1, 1, 5, 1e-3]),
    bins=st.integers(1, 40),
)
def test_bins_of_rounded_scores_hold_as_many_of_them(steps, size, bins):
    # Two that are neighbors, so that the step is known.
    steps = sorted({*steps, steps[0] + 1, steps[0] + 2})
    cells = counted([k % 2 for k in range(len(steps))], [step * size for step in steps])[1]
    edges = edges_of_steps(cells, bins)
    assert len(edges) - 1 <= bins
    scores = np.arange(steps[0], steps[-1] + 1) * size
    held = np.histogram(scores, edges)[0]
    assert held.sum() == len(scores)
    assert set(held[:-1].tolist()) <= {-(-len(scores) // bins)}
    assert 0 < held[-1] <= -(-len(scores) // bins)
    # Of evenly spread scores the density is even: no teeth. No bin is narrower, and none a spike.
    widths = np.diff(edges)
    assert widths.tolist() == pytest.approx([widths[0]] * len(held), rel=1e-6)
    density = held / widths * size
    assert density[:-1].tolist() == pytest.approx([1] * (len(held) - 1), rel=1e-6)
    assert density[-1] <= 1 + 1e-6


def test_scores_without_a_step():
    for scores in ([0, 0.1, 0.25], [0, 1, 20_000], [0.5, 0.75], [-1.7e308, 0, 1.7e308]):
        assert edges_of_steps(counted([0, 1, 1][: len(scores)], scores)[1], 10) is None


def test_scores_of_all_sizes():
    _, cells = counted([0, 1, 1], [-1.7e308, 0.0, 1.7e308])
    edges = edges_between(cells, 4)
    assert len(edges) == 5
    assert edges[::2].tolist() == [-1.7e308, 0.0, 1.7e308]
    assert find_bins(cells, edges).tolist() == [0, 2, 3]
    assert calibrate(cells, np.zeros(3, np.intp))[2].tolist() == [0.0]


def test_a_weight_that_is_lost_in_the_sum():
    _, cells = counted([0, 1, 0], [0.9, 0.5, 0.1], [2.0**60, 1.0, 2.0**-60])
    assert cells.lows.tolist() == [0.5, 0.9]


def test_cells_without_ends_are_as_wide_as_the_next_ones():
    histogram = fastauc.streaming.ScoreHistogram(bins=4, range=(0, 1))
    histogram.update([0, 1, 0, 1, 0, 1], [-3.0, 0.1, 0.3, 0.4, 7.0, 1.0])
    cells = cells_of(threshold_counts(histogram))
    assert cells.lows.tolist() == [0.0, 0.25, 1.0]
    assert cells.highs.tolist() == [0.25, 0.5, 1.25]
    assert cells.are_probabilities()


@pytest.mark.parametrize("threshold", [0.35, 0.4, 0.07, 0.0, 0.96, 2.0, -1.0, "youden"])
def test_shaded_areas_are_the_rates(threshold):
    rng = np.random.default_rng(0)
    labels, scores = rng.random(300) < 0.4, rng.random(300)
    if threshold != 0.35:
        scores = scores.round(2)
    display = plotting.ScoreDistributionDisplay.from_predictions(
        labels, scores, operating_point=threshold, ax=Figure().subplots()
    )
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    if threshold == "youden":
        threshold = counts.optimal_threshold(method="youden").threshold
    matrix = counts.at(threshold)
    wanted = {"FPR": matrix.fpr, "TNR": 1 - matrix.fpr, "FNR": matrix.fnr, "TPR": matrix.tpr}
    areas = dict.fromkeys(wanted, 0.0)
    for shade in display.shades_:
        density, edges, _ = shade.get_data()
        areas[shade.get_label().partition(" ")[0]] = float(density @ np.diff(edges))
    assert areas == pytest.approx(wanted, abs=1e-12)
    assert display.threshold_.get_xdata()[0] == display.cut
    # No bin is so narrow that chance makes a spike of it.
    if display.edges[0] < display.cut < display.edges[-1]:
        widths = np.diff(display.edges)
        assert widths[1:-1].min() > 0.45 * np.median(widths)


def test_a_long_tail_is_left_out():
    rng = np.random.default_rng(0)
    labels, score = rng.random(20_000) < 0.5, np.exp(rng.normal(size=20_000) * 2)
    make = plotting.ScoreDistributionDisplay.from_predictions
    display = make(labels, score, ax=Figure().subplots())
    assert display.edges[-1] < score.max() / 3
    assert 0.0015 < display.share_outside < 0.0021
    inside = np.array([display.neg_share.sum(), display.pos_share.sum()])
    missing = (1 - inside) @ [(~labels).mean(), labels.mean()]
    assert missing == pytest.approx(display.share_outside)
    for options in ({"bins": 5}, {"operating_point": 1.0}):
        whole = make(labels, score, ax=Figure().subplots(), **options)
        assert whole.edges[-1] == score.max()
        assert whole.share_outside == 0
    assert make(labels, np.log(score), ax=Figure().subplots()).share_outside == 0


def test_shades_of_a_histogram():
    histogram = fastauc.streaming.ScoreHistogram(bins=4, range=(0, 1))
    histogram.update([0, 1, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.8])
    display = plotting.ScoreDistributionDisplay.from_counts(
        histogram, operating_point=0.4, ax=Figure().subplots()
    )
    # The next threshold that is known, of a cell with a single score.
    assert display.operating_point.threshold == display.cut == 0.7
    assert [shade.get_label() for shade in display.shades_] == [
        "TNR = 0.667",
        "FPR = 0.333",
        "FNR = 0.667",
        "TPR = 0.333",
    ]


def areas_of(shades):
    """Return the areas that are shaded, by the rate of their labels."""
    areas = dict.fromkeys(["TNR", "FPR", "FNR", "TPR"], 0.0)
    for shade in shades:
        data = shade.get_data()
        areas[shade.get_label()[:3]] = float((data.values * np.diff(data.edges)).sum())
    return areas


@settings(max_examples=80)
@given(
    drawn=rows,
    bins=st.sampled_from([None, 1, 3, 8]),
    weighted=st.booleans(),
    higher=st.booleans(),
    unit=st.sampled_from([1 / 4, 1, 1e-9, 2.0**-52, 2.9e307]),
    data=st.data(),
)
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
def test_shaded_areas_are_the_rates_at_every_threshold(drawn, bins, weighted, higher, unit, data):
    labels, scores, weights = columns(drawn)
    scores = [4 * score * unit if unit > 2.0**-52 else 1 + 4 * score * unit for score in scores]
    extreme = [-math.inf, -1e308, min(scores), max(scores), 1e308, math.inf]
    threshold = data.draw(st.sampled_from([*extreme, *scores, sum(scores) / len(scores)]))
    display = plotting.ScoreDistributionDisplay.from_predictions(
        labels,
        scores,
        sample_weight=weights if weighted else None,
        pos_label=1,
        higher_is_positive=higher,
        bins=bins,
        operating_point=threshold,
        ax=Figure().subplots(),
    )
    found, known = areas_of(display.shades_), zip(labels, scores, weights, strict=True)
    wanted, totals = dict.fromkeys(found, 0.0), [0.0, 0.0]
    for label, score, weight in known:
        positive = score >= threshold if higher else score <= threshold
        name = ("FPR" if positive else "TNR", "TPR" if positive else "FNR")[label]
        wanted[name] += weight if weighted else 1
        totals[label] += weight if weighted else 1
    for name, area in found.items():
        total = totals[name in ("FNR", "TPR")]
        # Some 30 quotients, each of two roundings, times widths that are differences of edges.
        assert area == pytest.approx(wanted[name] / (total or 1), abs=1e-12), name


def test_the_axis_of_the_shares_ends_above_the_histogram(ax):
    shown = [
        plotting.CalibrationDisplay.from_predictions(
            [0, 0, 1, 1], [0.2 * k, 0.3, 0.5, 0.9], bins=2, ax=ax
        )
        for k in (0, 1)
    ]
    (base,) = (line for line in ax.lines if hasattr(line, "fastauc_base"))
    (height,) = set(base.get_ydata())
    ends = ax.get_ylim()
    assert ends[0] < height < 0
    assert ax.spines["left"].get_bounds() == ax.spines["right"].get_bounds() == (height, ends[1])
    assert all(tick >= 0 for tick in ax.get_yticks())
    # The bars are below it.
    highest = max(display.histogram_.get_data().values.max() for display in shown)
    assert highest * (ends[1] - ends[0]) + ends[0] < height
