"""The content of a report: metrics with intervals, curves, tables and thresholds of each model.

The size of everything here depends on what is shown, not on the number of rows. ``page`` puts it
into words, and ``pictures`` draws it.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastauc._counts.gains import ThresholdCounts
from fastauc._counts.gains_table import in_own_scale
from fastauc._counts.ks import KsStatistic
from fastauc._counts.result_table import ResultTable
from fastauc._counts.thresholds import Choice
from fastauc._validation.arrays import as_fraction, as_python, opposite
from fastauc.files._counting import Part
from fastauc.files._dropped import Dropped
from fastauc.files._passes import LabeledRows
from fastauc.files._scoring import gini_of_histogram
from fastauc.files._sources import DataError
from fastauc.inference._intervals import roc_auc_ci
from fastauc.inference._models import PairwiseTests, compare_roc_auc
from fastauc.inference._results import Estimate
from fastauc.plotting import CalibrationDisplay
from fastauc.plotting._score_cells import cells_of, edges_of_steps
from fastauc.plotting._thinning import Doubles, thin
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._histogram import Counts, ScoreHistogram, is_certain
from fastauc.streaming._threshold_bounds import threshold_facts

CONFIDENCE_LEVEL = 0.95
TOP_SHARE = 0.1
_N_BINS = 60
_BORDERS = np.linspace(0, 1, 701)  # the columns of a chart; all abscissas are shares
# Groups whose curves are drawn in one chart; more of them would be hard to tell apart.
MOST_CURVES = 8
Curve = tuple[Doubles, Doubles]


class Settings(NamedTuple):
    """The options of a report.

    Attributes
    ----------
    bins : int
        Number of bins of the gains table.
    money : dict
        ``cost`` and ``revenue`` for the gains table and the threshold, or empty.
    costs : dict
        ``cost_fp`` and ``cost_fn`` for the threshold, or empty.
    """

    bins: int
    money: dict[str, Any]
    costs: dict[str, Any]


class Figures(NamedTuple):
    """Metrics of one model on one set of rows: points where they are exact, else bounds.

    ``estimate`` has the AUC's confidence interval, if the rows were in memory.
    """

    score: str
    n_rows: int
    n_pos: int
    roc_auc: ScoreInterval
    gini: ScoreInterval
    average_precision: ScoreInterval
    ks: ScoreInterval
    gain: ScoreInterval
    lift: ScoreInterval
    estimate: Estimate | None = None
    tie_share: float | None = None


class Distribution(NamedTuple):
    """The shares of each class in bins of the score; scores outside the bins are not shown.

    NaN for a class without rows.
    """

    edges: Doubles
    negatives: Doubles
    positives: Doubles
    share_outside: float


class ModelReport(NamedTuple):
    """Everything shown for a column of scores.

    Attributes
    ----------
    figures : Figures
    is_certain : bool
        Whether the counts are known at every threshold.
    weights : tuple of float or None
        The sums of the weights of the negatives and of the positives.
    n_distinct : int
        Distinct scores, or histogram bins that hold rows.
    curves : dict of str to two arrays
        ``roc``, ``pr``, ``gain``: x and y values.
    ks_curve : tuple of arrays
        The share of the rows, and of both classes, the positives first.
    ks : KsStatistic
    distribution : Distribution
    gains : ResultTable or None
        None if there are fewer rows than bins.
    thresholds : list of dict
    chosen : dict
        The threshold whose confusion matrix is shown.
    calibration : CalibrationDisplay or None
        None unless all scores are in [0, 1], like probabilities.
    """

    figures: Figures
    is_certain: bool
    weights: tuple[float, float] | None
    n_distinct: int
    curves: dict[str, Curve]
    ks_curve: tuple[Doubles, Doubles, Doubles]
    ks: KsStatistic
    distribution: Distribution
    gains: ResultTable | None
    thresholds: list[dict[str, Any]]
    chosen: dict[str, Any]
    calibration: CalibrationDisplay | None


class GroupReport(NamedTuple):
    """What is shown for a group: the metrics of all models, and ROC curves if groups are few."""

    group: Any
    figures: list[Figures]
    curves: list[Curve]


class Report(NamedTuple):
    """A whole report."""

    models: list[ModelReport]
    comparisons: PairwiseTests | None
    groups: list[GroupReport]
    dropped: Dropped | None = None
    higher_is_positive: bool = True


def make(parts: Sequence[Part], scores: Sequence[str], settings: Settings) -> Report:
    """Return the report on all rows, which are the first part, and on the groups after it."""
    whole, *groups = parts
    models = [_measure(whole, score, settings) for score in scores]
    has_curves = len(groups) <= MOST_CURVES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page shows what is undefined in a group
        by_group = [_measure_group(part, scores, has_curves) for part in groups]
    comparisons = _compare(whole, scores)
    return Report(models, comparisons, by_group, whole.dropped, whole.higher_is_positive)


def _compare(part: Part, scores: Sequence[str]) -> PairwiseTests | None:
    """Return the tests of every two models on the same rows, if these are in memory."""
    if part.rows is None or len(scores) < 2 or part.n_pos in (0, part.n_rows):
        return None
    columns = [part.rows.scores[score] for score in scores]
    positive, weight = part.rows.positive, part.rows.weight
    return compare_roc_auc(positive, columns, sample_weight=weight, n_jobs=part.n_jobs).pairwise()


def _measure(part: Part, score: str, settings: Settings) -> ModelReport:
    counts = part.counts(score)
    groups = counts._groups()
    gains = None
    if settings.bins <= part.n_rows:
        try:
            gains = counts.gains_table(bins=settings.bins, **settings.money)
        except ValueError as error:
            raise DataError(f"{part.where}: column {score!r}: {error}") from error
    choices = _choices(settings)
    thresholds = threshold_facts(counts, choices)
    for choice, facts in zip(choices, thresholds, strict=True):
        facts["limit"] = choice.limit
    ks_curve = _ks_curve(counts)
    model = ModelReport(
        _figures(part, score, counts),
        is_certain(counts),
        (as_python(groups.fps[-1]), as_python(groups.tps[-1])) if groups.is_weighted else None,
        len(groups.fps),
        _curves(counts) | {"gain": ks_curve[:2]},
        ks_curve,
        counts.ks_statistic(method="asymp"),
        _distribution(groups),
        gains,
        thresholds,
        thresholds[_chosen([choice.method for choice in choices])],
        _calibration(counts, settings.bins, part),
    )
    return model if part.higher_is_positive else _in_own_scale(model)


def _in_own_scale(model: ModelReport) -> ModelReport:
    """Return the report of scores that were counted with opposite sign, in the user's own scale."""
    edges, negatives, positives, outside = model.distribution
    turned = opposite(edges[::-1]), negatives[::-1], positives[::-1], outside
    return model._replace(
        ks=model.ks._replace(threshold=0 - model.ks.threshold),
        distribution=Distribution(*turned),
        gains=None if model.gains is None else in_own_scale(model.gains),
        thresholds=[_turned(facts) for facts in model.thresholds],
        chosen=_turned(model.chosen),
    )


def _turned(facts: dict[str, Any]) -> dict[str, Any]:
    return facts | {"threshold": 0 - facts["threshold"]}


def _choices(settings: Settings) -> list[Choice]:
    choices = [Choice("youden"), Choice("f1"), Choice("accuracy")]
    choices += [Choice("max_fpr", limit=0.05), Choice("min_recall", limit=0.9)]
    if settings.costs:
        choices.append(Choice("cost", **settings.costs))
    if settings.money:
        choices.append(Choice("profit", **settings.money))
    return choices


def _chosen(methods: list[str]) -> int:
    """Return which threshold to detail: by cost or profit if amounts are given, else Youden's."""
    return next(methods.index(each) for each in ("cost", "profit", "youden") if each in methods)


def _calibration(counts: Counts, bins: int, part: Part) -> CalibrationDisplay | None:
    from matplotlib.figure import Figure

    # Drawn only to compute it; the page draws it again in its own axes.
    panel = Figure().subplots()
    display = CalibrationDisplay.from_counts(counts, bins=min(bins, part.n_rows), ax=panel)
    return display if display.is_probability else None


def _measure_group(part: Part, scores: Sequence[str], has_curves: bool) -> GroupReport:
    figures, curves = [], []
    for score in scores:
        counts = part.counts(score)
        figures.append(_figures(part, score, counts))
        if has_curves:
            fpr, tpr, _ = counts.roc_curve()
            curves.append(_thinned(fpr, tpr))
    return GroupReport(part.group, figures, curves)


# Figures ------------------------------------------------------------------------------------------


def _figures(part: Part, score: str, counts: Counts) -> Figures:
    estimate = None if part.rows is None else _estimate(part.rows, score, part)
    sizes = part.n_rows, part.n_pos
    if isinstance(counts, ScoreHistogram):
        area = counts.roc_auc()
        precision, distance = counts.average_precision(), counts.ks()
        top = counts.gain_at(TOP_SHARE), counts.lift_at(TOP_SHARE)
        return Figures(
            score, *sizes, area, gini_of_histogram(counts, area), precision, distance, *top
        )
    return Figures(
        score,
        *sizes,
        _point(counts.roc_auc() if estimate is None else estimate.statistic),
        _point(counts.gini()),
        _point(counts.average_precision()),
        _point(counts.ks()),
        _point(counts.gain_at(TOP_SHARE)),
        _point(counts.lift_at(TOP_SHARE)),
        estimate,
        counts.tie_share(),
    )


def _estimate(rows: LabeledRows, score: str, part: Part) -> Estimate | None:
    """Return the AUC with its interval; None without rows of both classes."""
    if part.n_pos in (0, part.n_rows):
        return None
    return roc_auc_ci(
        rows.positive,
        rows.scores[score],
        confidence_level=CONFIDENCE_LEVEL,
        sample_weight=rows.weight,
        n_jobs=part.n_jobs,
    )


def _point(value: float) -> ScoreInterval:
    return ScoreInterval(value, value, value, not math.isnan(value))


# Pictures -----------------------------------------------------------------------------------------


def _thinned(x: Doubles, y: Doubles) -> Curve:
    """Return the points needed to draw a curve; none for one class."""
    if math.isnan(x[-1]) or math.isnan(y[-1]):
        return x[:0], y[:0]
    kept = thin(x, y, _BORDERS)
    return x[kept], y[kept]


def _curves(counts: Counts) -> dict[str, Curve]:
    fpr, tpr, _ = counts.roc_curve()
    precision, recall, _ = counts.precision_recall_curve(drop_intermediate=True)
    return {"roc": _thinned(fpr, tpr), "pr": _thinned(recall, precision)}


def _ks_curve(counts: Counts) -> tuple[Doubles, Doubles, Doubles]:
    share, tpr, fpr, _ = counts.ks_curve()
    if math.isnan(tpr[-1]) or math.isnan(fpr[-1]):
        return share[:0], tpr[:0], fpr[:0]
    kept = np.union1d(thin(share, tpr, _BORDERS), thin(share, fpr, _BORDERS))
    return share[kept], tpr[kept], fpr[kept]


def _distribution(groups: ThresholdCounts) -> Distribution:
    """Return the shares of each class in bins of equal width; fewer if doubles are too coarse."""
    scores = np.asarray(groups.lows, dtype=np.float64)[::-1]
    low, high = _range(groups, scores)
    stepped = edges_of_steps(cells_of(groups), _N_BINS) if low <= scores[0] else None
    if stepped is None or scores[-1] > high:
        edges = np.unique(np.linspace(low, high, _N_BINS + 1))
    else:
        edges = stepped
    # How many groups are at or above each edge; the last bin includes both of its ends.
    above = len(scores) - np.searchsorted(scores, edges)
    above[-1] = len(scores) - np.searchsorted(scores, high, side="right")
    shares, outside = [], groups.total
    for counts in (groups.fps, groups.tps):
        at_edges = np.append(0, counts)[above]
        outside -= as_fraction(at_edges[0]) - as_fraction(at_edges[-1])
        shares.append(-np.diff(at_edges) / (counts[-1] or math.nan))
    negatives, positives = shares
    return Distribution(edges, negatives, positives, float(outside / groups.total))


def _range(groups: ThresholdCounts, scores: Doubles) -> tuple[float, float]:
    """Return the ends of the score axis, for scores in increasing order.

    [0, 1] for probabilities. If the outer thousandth of the rows on either side would squeeze all
    others into a third of the picture or less, it is left out.
    """
    # The first bin of a histogram has no lower edge.
    low, high = float(scores[int(scores[0] == -math.inf and len(scores) > 1)]), float(scores[-1])
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    rows = groups.fps + groups.tps
    inner = [
        float(groups.lows[np.searchsorted(rows, rows[-1] * share)]) for share in (0.999, 0.001)
    ]
    if 0 < inner[1] - inner[0] < high / 3 - low / 3:
        low, high = inner
    if low == -math.inf:  # all rows are in the first bin
        return -1.0, 1.0
    room = 0.0 if low < high else max(abs(low) / 2, 0.5)
    # The range of doubles is beyond them.
    most = np.finfo(np.float64).max / 4
    return max(low - room, -most), min(high + room, most)
