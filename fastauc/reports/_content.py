"""The content of a report: metrics with intervals, curves, tables and thresholds of each model.

The size of everything here depends on what is shown, not on the number of rows.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastauc import plotting
from fastauc._counts.confusion_counts import threshold_counts
from fastauc._counts.result_table import ResultTable
from fastauc._counts.thresholds import Choice
from fastauc._drawing.aucs import MOST_LINES
from fastauc._drawing.calibration import calibration_of
from fastauc._drawing.distribution import distribution_of
from fastauc._drawing.thinning import Doubles, thin
from fastauc._readings import Counts, Measures, as_interval, measures_of
from fastauc._rows import Dropped, Part
from fastauc._validation.arrays import as_python, opposite_number
from fastauc.inference import Estimate, PairwiseTests
from fastauc.streaming import ScoreHistogram, ScoreInterval

CONFIDENCE_LEVEL = 0.95
TOP_SHARE = 0.1
_BORDERS = np.linspace(0, 1, 701)  # the columns of a chart; all abscissas are shares


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

    ``estimate`` has the AUC's confidence interval, and ``ks_estimate`` that of the K-S distance,
    if the rows were in memory.
    """

    score: str
    n_rows: int
    n_pos: int
    measures: Measures
    gain: ScoreInterval
    lift: ScoreInterval
    estimate: Estimate | None = None
    ks_estimate: Estimate | None = None


class ModelReport(NamedTuple):
    """Everything shown for a column of scores.

    ``exact`` says whether the counts are known at every threshold. ``weights`` are the sums of the
    weights of the negatives and of the positives, and ``n_distinct`` counts the distinct scores, or
    histogram bins that hold rows. The displays are not drawn yet. There are no ``gains`` if there
    are fewer rows than bins. ``chosen`` is the threshold whose confusion matrix is shown.
    """

    figures: Figures
    exact: bool
    weights: tuple[float, float] | None
    n_distinct: int
    roc: plotting.RocCurveDisplay
    precision_recall: plotting.PrecisionRecallDisplay
    gain: plotting.GainCurveDisplay
    ks: plotting.KsDisplay
    distribution: plotting.ScoreDistributionDisplay
    calibration: plotting.CalibrationDisplay
    gains: ResultTable | None
    thresholds: list[dict[str, Any]]
    chosen: dict[str, Any]
    higher_is_positive: bool


class GroupReport(NamedTuple):
    """What is shown for a group: the metrics of all models, and ROC curves if groups are few."""

    group: Any
    figures: list[Figures]
    curves: list[plotting.RocCurveDisplay]


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
    has_curves = len(groups) <= MOST_LINES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page shows what is undefined in a group
        by_group = [_measure_group(part, has_curves) for part in groups]
    return Report(models, whole.compare(), by_group, whole.dropped)


def _measure(part: Part, score: str, settings: Settings) -> ModelReport:
    counts = part.counts(score)
    steps = threshold_counts(counts)
    figures = _figures(part, score, counts)
    measures = figures.measures
    gains = None
    if settings.bins <= part.n_rows:
        gains = part.gains_table(score, counts, bins=settings.bins, **settings.money)
    choices = _choices(settings)
    with warnings.catch_warnings():  # the page shows that no row is predicted positive
        warnings.filterwarnings("ignore", "No threshold with")
        thresholds = part.thresholds(score, counts, choices)
    for choice, facts in zip(choices, thresholds, strict=True):
        facts["limit"] = choice.limit
    found = counts.ks_statistic(method="asymp")
    higher_is_positive = score not in part.lower_is_positive
    if not higher_is_positive:  # the scores were counted with opposite sign
        found = found._replace(threshold=opposite_number(found.threshold))
    neg, pos = as_python(steps.fps[-1]), as_python(steps.tps[-1])
    prevalence = pos / (neg + pos)
    precision, recall, _ = counts.precision_recall_curve(drop_intermediate=True)
    recall, precision = _thinned(recall, precision)
    rate, tpr, fpr = _thinned(*counts.ks_curve()[:3])
    methods = [choice.method for choice in choices]
    return ModelReport(
        figures,
        steps.exact,
        (neg, pos) if steps.is_weighted else None,
        len(steps.fps),
        roc=_roc(counts, figures),
        precision_recall=plotting.PrecisionRecallDisplay(
            precision=precision,
            recall=recall,
            average_precision=measures.average_precision,
            prevalence_pos_label=prevalence,
        ),
        gain=plotting.GainCurveDisplay(
            share=rate, tpr=tpr, prevalence=prevalence if 0 < prevalence < 1 else None
        ),
        ks=plotting.KsDisplay(share=rate, tpr=tpr, fpr=fpr, ks_statistic=found, ks=measures.ks),
        distribution=plotting.ScoreDistributionDisplay(
            **distribution_of(counts, None, None, higher_is_positive),
            higher_is_positive=higher_is_positive,
        ),
        calibration=plotting.CalibrationDisplay(
            **calibration_of(
                counts, min(settings.bins, part.n_rows), "quantile", higher_is_positive
            ),
            higher_is_positive=higher_is_positive,
        ),
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
    choices = [Choice("youden"), Choice("f1")]
    choices += [Choice("max_fpr", limit=0.05), Choice("min_recall", limit=0.9)]
    if settings.costs:
        choices.append(Choice("cost", **settings.costs))
    if settings.money:
        choices.append(Choice("profit", **settings.money))
    return choices


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
    estimate = part.roc_auc_ci(score, CONFIDENCE_LEVEL)
    area = counts.roc_auc() if estimate is None else estimate.statistic
    ties = None if isinstance(counts, ScoreHistogram) else counts.tie_share()
    return Figures(
        score,
        part.n_rows,
        part.n_pos,
        measures_of(counts, ties, roc_auc=area),
        gain=as_interval(counts.gain_at(TOP_SHARE)),
        lift=as_interval(counts.lift_at(TOP_SHARE)),
        estimate=estimate,
        ks_estimate=part.ks_ci(score, CONFIDENCE_LEVEL),
    )


# Pictures -----------------------------------------------------------------------------------------


def _thinned(x: Doubles, *heights: Doubles) -> list[Doubles]:
    """Return the points needed to draw curves along the same axis; none for one class."""
    columns = [x, *heights]
    if any(math.isnan(column[-1]) for column in columns):
        return [column[:0] for column in columns]
    kept = np.unique(np.concatenate([thin(x, each, _BORDERS) for each in heights]))
    return [column[kept] for column in columns]


def _roc(counts: Counts, figures: Figures) -> plotting.RocCurveDisplay:
    fpr, tpr = _thinned(*counts.roc_curve()[:2])
    return plotting.RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=figures.measures.roc_auc)
