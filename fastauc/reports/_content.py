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
from fastauc._counts.methods import threshold_counts
from fastauc._counts.result_table import ResultTable
from fastauc._counts.thresholds import Choice
from fastauc._drawing.score_cells import cells_of, edges_of_steps
from fastauc._drawing.thinning import Doubles, thin
from fastauc._rows import Counts, Dropped, Part
from fastauc._validation.arrays import as_fraction, as_python, opposite
from fastauc.inference import Estimate, PairwiseTests, compare_roc_auc, roc_auc_ci
from fastauc.plotting import (
    CalibrationDisplay,
    GainCurveDisplay,
    KsDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
    ScoreDistributionDisplay,
)
from fastauc.streaming import ScoreHistogram, ScoreInterval

CONFIDENCE_LEVEL = 0.95
TOP_SHARE = 0.1
_N_BINS = 60
_BORDERS = np.linspace(0, 1, 701)  # the columns of a chart; all abscissas are shares
# Groups whose curves are drawn in one chart; more of them would be hard to tell apart.
MOST_CURVES = 8


class Settings(NamedTuple):
    """The options of a report.

    ``money`` holds ``cost`` and ``revenue`` for the gains table and the threshold, and ``costs``
    ``cost_fp`` and ``cost_fn`` for the threshold; either may be empty.
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


class ModelReport(NamedTuple):
    """Everything shown for a column of scores.

    ``exact`` says whether the counts are known at every threshold. ``weights`` are the sums of the
    weights of the negatives and of the positives, and ``n_distinct`` counts the distinct scores, or
    histogram bins that hold rows. The displays are not drawn yet: there is one of the calibration
    if all scores are in [0, 1], like probabilities, and ``share_outside`` is the share of the rows
    outside the bins of the distribution. There are no ``gains`` if there are fewer rows than bins.
    ``chosen`` is the threshold whose confusion matrix is shown.
    """

    figures: Figures
    exact: bool
    weights: tuple[float, float] | None
    n_distinct: int
    roc: RocCurveDisplay
    precision_recall: PrecisionRecallDisplay
    gain: GainCurveDisplay
    ks: KsDisplay
    distribution: ScoreDistributionDisplay
    share_outside: float
    calibration: CalibrationDisplay | None
    gains: ResultTable | None
    thresholds: list[dict[str, Any]]
    chosen: dict[str, Any]
    higher_is_positive: bool


class GroupReport(NamedTuple):
    """What is shown for a group: the metrics of all models, and ROC curves if groups are few."""

    group: Any
    figures: list[Figures]
    curves: list[RocCurveDisplay]


class Report(NamedTuple):
    """A whole report."""

    models: list[ModelReport]
    comparisons: PairwiseTests | None
    groups: list[GroupReport]
    dropped: Dropped | None


def make(parts: Sequence[Part], settings: Settings) -> Report:
    """Return the report on all rows, which are the first part, and on the groups after it."""
    whole, *groups = parts
    models = [_measure(whole, score, settings) for score in whole.scores]
    has_curves = len(groups) <= MOST_CURVES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page shows what is undefined in a group
        by_group = [_measure_group(part, has_curves) for part in groups]
    return Report(models, _compare(whole), by_group, whole.dropped)


def _compare(part: Part) -> PairwiseTests | None:
    """Return the tests of every two models on the same rows, if these are in memory."""
    rows = part.rows
    if rows is None or len(rows.scores) < 2 or not part.has_both:
        return None
    columns = list(rows.scores.values())
    return compare_roc_auc(
        rows.positive, columns, sample_weight=rows.weight, n_jobs=part.n_jobs
    ).pairwise()


def _measure(part: Part, score: str, settings: Settings) -> ModelReport:
    counts = part.counts(score)
    groups = threshold_counts(counts)
    figures = _figures(part, score, counts)
    gains = None
    if settings.bins <= part.n_rows:
        gains = part.gains_table(score, counts, bins=settings.bins, **settings.money)
    choices = _choices(settings)
    thresholds = part.thresholds(score, counts, choices)
    for choice, facts in zip(choices, thresholds, strict=True):
        facts["limit"] = choice.limit
    found = counts.ks_statistic(method="asymp")
    edges, shares, outside = _distribution(groups)
    higher_is_positive = score not in part.lower_is_positive
    if not higher_is_positive:  # the scores were counted with opposite sign
        found = found._replace(threshold=0 - found.threshold)
        edges, shares = opposite(edges[::-1]), [share[::-1] for share in shares]
    neg, pos = as_python(groups.fps[-1]), as_python(groups.tps[-1])
    prevalence = pos / (neg + pos)
    precision, recall, _ = counts.precision_recall_curve(drop_intermediate=True)
    recall, precision = _thinned(recall, precision)
    rate, tpr, fpr = _ks_curve(counts)
    methods = [choice.method for choice in choices]
    return ModelReport(
        figures,
        groups.exact,
        (neg, pos) if groups.is_weighted else None,
        len(groups.fps),
        roc=_roc(counts, figures),
        precision_recall=PrecisionRecallDisplay(
            precision=precision,
            recall=recall,
            average_precision=figures.average_precision,
            prevalence=prevalence,
        ),
        gain=GainCurveDisplay(
            positive_rate=rate, tpr=tpr, prevalence=prevalence if 0 < prevalence < 1 else None
        ),
        ks=KsDisplay(positive_rate=rate, tpr=tpr, fpr=fpr, ks_statistic=found, ks=figures.ks),
        distribution=ScoreDistributionDisplay(
            edges=edges, neg_share=shares[0], pos_share=shares[1]
        ),
        share_outside=outside,
        calibration=_calibration(counts, settings.bins, part) if higher_is_positive else None,
        gains=gains,
        thresholds=thresholds,
        # By cost or profit if amounts are given, else Youden's.
        chosen=next(
            thresholds[methods.index(each)]
            for each in ("cost", "profit", "youden")
            if each in methods
        ),
        higher_is_positive=higher_is_positive,
    )


def _choices(settings: Settings) -> list[Choice]:
    choices = [Choice("youden"), Choice("f1"), Choice("accuracy")]
    choices += [Choice("max_fpr", limit=0.05), Choice("min_recall", limit=0.9)]
    if settings.costs:
        choices.append(Choice("cost", **settings.costs))
    if settings.money:
        choices.append(Choice("profit", **settings.money))
    return choices


def _calibration(counts: Counts, bins: int, part: Part) -> CalibrationDisplay | None:
    from matplotlib.figure import Figure

    # Drawn only to compute it; the page draws it again in its own axes.
    panel = Figure().subplots()
    display = CalibrationDisplay.from_counts(counts, bins=min(bins, part.n_rows), ax=panel)
    return display if display.is_probability else None


def _measure_group(part: Part, has_curves: bool) -> GroupReport:
    figures, curves = [], []
    for score in part.scores:
        counts = part.counts(score)
        figures.append(_figures(part, score, counts))
        if has_curves:
            curves.append(_roc(counts, figures[-1]))
    return GroupReport(part.group, figures, curves)


# Figures ------------------------------------------------------------------------------------------


def _figures(part: Part, score: str, counts: Counts) -> Figures:
    estimate = _estimate(part, score)
    return Figures(
        score,
        part.n_rows,
        part.n_pos,
        roc_auc=_interval(counts.roc_auc() if estimate is None else estimate.statistic),
        gini=_interval(counts.gini()),
        average_precision=_interval(counts.average_precision()),
        ks=_interval(counts.ks()),
        gain=_interval(counts.gain_at(TOP_SHARE)),
        lift=_interval(counts.lift_at(TOP_SHARE)),
        estimate=estimate,
        tie_share=None if isinstance(counts, ScoreHistogram) else counts.tie_share(),
    )


def _estimate(part: Part, score: str) -> Estimate | None:
    """Return the AUC with its interval; None without rows of both classes in memory."""
    rows = part.rows
    if rows is None or not part.has_both:
        return None
    return roc_auc_ci(
        rows.positive,
        rows.scores[score],
        confidence_level=CONFIDENCE_LEVEL,
        sample_weight=rows.weight,
        n_jobs=part.n_jobs,
    )


def _interval(value: float | ScoreInterval) -> ScoreInterval:
    if isinstance(value, ScoreInterval):
        return value
    return ScoreInterval(value, value, value, not math.isnan(value))


# Pictures -----------------------------------------------------------------------------------------


def _thinned(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Return the points needed to draw a curve; none for one class."""
    if math.isnan(x[-1]) or math.isnan(y[-1]):
        return x[:0], y[:0]
    kept = thin(x, y, _BORDERS)
    return x[kept], y[kept]


def _roc(counts: Counts, figures: Figures) -> RocCurveDisplay:
    fpr, tpr = _thinned(*counts.roc_curve()[:2])
    return RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=figures.roc_auc)


def _ks_curve(counts: Counts) -> tuple[Doubles, Doubles, Doubles]:
    share, tpr, fpr, _ = counts.ks_curve()
    if math.isnan(tpr[-1]) or math.isnan(fpr[-1]):
        return share[:0], tpr[:0], fpr[:0]
    kept = np.union1d(thin(share, tpr, _BORDERS), thin(share, fpr, _BORDERS))
    return share[kept], tpr[kept], fpr[kept]


def _distribution(groups: ThresholdCounts) -> tuple[Doubles, list[Doubles], float]:
    """Return the edges of bins of the score, the shares of both classes, and of all rows outside.

    The bins have equal width; there are fewer if doubles are too coarse. The negatives come first;
    the shares are NaN for a class without rows.
    """
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
    return edges, shares, float(outside / groups.total)


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
