"""``ConfusionCounts``: cumulative counts at every distinct score, and metrics based on them.

Everything that plots, tabulates or chooses thresholds starts from it. Each curve and metric is one
function of the counts, so that no formula exists twice.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts import gains, precision_recall, roc
from fastauc._counts.confusion_matrix import ConfusionMatrix, rates_with_ends
from fastauc._counts.gains import Points, TableOptions, tabulate
from fastauc._counts.ks import KsStatistic, find_statistic, ks_distance
from fastauc._counts.result_table import ResultTable
from fastauc._counts.roc import ConvexHull
from fastauc._counts.threshold_counts import ThresholdCounts, at_thresholds, prepend
from fastauc._counts.thresholds import (
    Choice,
    OptimalThreshold,
    check_choice,
    find_threshold,
    net_benefit_points,
)
from fastauc._kernels import counts as _counts, sort_scan as _sort_scan
from fastauc._pairs.bucket_map import draw_sample, range_of, scores_of
from fastauc._pairs.sorted_rows import flip_of_low, sort_rows, sort_weighted_rows
from fastauc._pairs.value_tables import has_few_values, plan_table, tabulate_values
from fastauc._tables import result, to_pandas
from fastauc._validation import options
from fastauc._validation.arrays import FLOAT64, INT64, Array, as_python
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.literals import (
    Interpolation,
    KsMethod,
    PrecisionInterpolation,
    ProportionMethod,
    ThresholdMethod,
    Ties,
)
from fastauc._validation.rows import Rows
from fastauc._validation.samples import (
    BinarySample,
    check_probabilities,
    read_counts,
    read_threshold_probabilities,
)
from fastauc._validation.threads import SERIAL, Workers

# For fewer rows, sorting takes less time than building a bucket map.
_MANY_ROWS = 12_000
_NO_WEIGHT = np.empty(0)
Curve = tuple[NDArray[np.float64], NDArray[np.float64], Array]


def threshold_counts(counts: GainMethods) -> ThresholdCounts:
    """Return the rows of each score, or of each bin of a histogram, from the highest."""
    return counts._threshold_counts()


class GainMethods:
    """Methods for steps of rows in decreasing order of their scores.

    For a histogram, too, curves and thresholds are exact at the lower edges of its bins; nothing is
    known about thresholds inside a bin.
    """

    __slots__ = ()

    def _threshold_counts(self) -> ThresholdCounts:
        raise NotImplementedError

    def gain_curve(self) -> Points:
        """Return ``share, tpr, thresholds``, like the function ``gain_curve``."""
        return gains.gain_points(self._threshold_counts())

    def lift_curve(self) -> Points:
        """Return ``share, lift, thresholds``, like the function ``lift_curve``."""
        return gains.lift_points(self._threshold_counts())

    def ks_curve(self) -> tuple[NDArray[np.float64], *Points]:
        """Return ``share, tpr, fpr, thresholds``, like the function ``ks_curve``."""
        return gains.ks_points(self._threshold_counts())

    def profit_curve(self, *, cost: float, revenue: float) -> Points:
        """Return ``share, profit, thresholds``, like the function ``profit_curve``."""
        options.check_both_or_none({"cost": cost, "revenue": revenue}, "profit_curve")
        return gains.profit_points(self._threshold_counts(), cost, revenue)

    def ks_statistic(self, *, method: KsMethod = "auto") -> KsStatistic:
        """Return the K-S statistic with its threshold, like the function ``ks_statistic``.

        For a histogram, the maximum over the edges of its bins: ``ks`` also bounds it inside them.
        """
        options.check_literal(method, "method", KsMethod, "ks_statistic")
        return find_statistic(self._threshold_counts(), method)

    def gains_table(
        self,
        *,
        bins: int = 10,
        ties: Ties = "group",
        cost: float | None = None,
        revenue: float | None = None,
    ) -> ResultTable:
        """Return the gains table, in bins from the highest scores down, like ``gains_table``.

        The bins of a histogram are not split, and ``min_score`` and ``max_score`` are bounds on the
        scores in a bin of the table: edges of bins of the histogram.
        """
        counts = self._threshold_counts()
        n_rows = None if counts.is_weighted else int(counts.total)
        return tabulate(counts, TableOptions(bins, ties, cost, revenue), n_rows, "gains_table")

    def optimal_threshold(
        self,
        *,
        method: ThresholdMethod = "youden",
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prevalence: float | None = None,
        cost: float | None = None,
        revenue: float | None = None,
        limit: float | None = None,
    ) -> OptimalThreshold:
        """Return the optimal threshold, like the function ``optimal_threshold``.

        For a histogram, the optimum over the edges of its bins.
        """
        choice = Choice(method, cost_fp, cost_fn, prevalence, cost, revenue, limit)
        check_choice(choice, "optimal_threshold")
        return find_threshold(self._threshold_counts(), choice)

    # For a histogram, these are bounds.

    def gain_score(self) -> Any:
        """Return the area under the gain curve."""
        return gains.gain_area(self._threshold_counts())

    def gain_at(self, share: float) -> Any:
        """Return the share of the positives in the top share of the rows."""
        options.check_share(share, "gain_at")
        return gains.gain_of_share(self._threshold_counts(), share)

    def lift_at(self, share: float) -> Any:
        """Return the gain at a share of the rows divided by the share; at 0, the limit."""
        options.check_share(share, "lift_at")
        return gains.lift_of_share(self._threshold_counts(), share)


class _Counts(NamedTuple):
    tns: Array
    fps: Array
    fns: Array
    tps: Array
    thresholds: Array


@result("fastauc.metrics")
class ConfusionCounts(GainMethods, _Counts):
    """Counts at every distinct score: sort once, then compute everything from them.

    Attributes
    ----------
    tns, fps, fns, tps : int64 arrays of shape (n_thresholds,)
        True negatives, false positives, false negatives and true positives if rows that score at or
        above a threshold are predicted positive. float64 sums of weights if weighted.
    thresholds : array of shape (n_thresholds,)
        The distinct scores in decreasing order, in the dtype of the scores.

    Notes
    -----
    Returned by ``confusion_matrix_at_thresholds``. If constructed by hand, the counts may be as
    large as int64 allows: AUCs are computed in integers of any size. Rates and average precision
    are computed in double precision, so they require counts below 2^53.

    Examples
    --------
    >>> from fastauc import confusion_matrix_at_thresholds
    >>> counts = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> counts.roc_auc(), counts.average_precision()
    (0.75, 0.8333333333333334)
    >>> counts.at(0.35)
    ConfusionMatrix(tn=1, fp=1, fn=0, tp=2)
    """

    __slots__ = ()

    def roc_auc(self, *, max_fpr: float | None = None) -> float:
        """Return the AUC, or the standardized partial AUC up to ``max_fpr``.

        Correctly rounded if the counts are integers. Weighted counts are already rounded sums: the
        result is within 1e-15, whereas ``roc_auc_score`` is within 4 ulp.
        """
        options.check_max_fpr(max_fpr, "roc_auc")
        fps, tps, *_ = self._threshold_counts()
        if warn_if_undefined(tps[-1], fps[-1]):
            return math.nan
        if max_fpr is None or max_fpr == 1:
            return float(roc.area(fps, tps))
        return roc.rounded_area(*roc.area_of_part(fps, tps, options.RateRange.up_to(max_fpr)))

    def partial_roc_auc(
        self,
        *,
        fpr_range: Any = None,
        tpr_range: Any = None,
        standardized: bool = True,
        log_scale: bool = False,
    ) -> float:
        """Return the partial AUC, like ``partial_roc_auc_score``."""
        part = options.read_range(fpr_range, tpr_range, "partial_roc_auc", log_scale)
        options.check_flag(standardized, "standardized", "partial_roc_auc")
        fps, tps, *_ = self._threshold_counts()
        if warn_if_undefined(tps[-1], fps[-1]):
            return math.nan
        if log_scale:
            return roc.log_area_of_part(fps, tps, part, standardized)
        return roc.rounded_area(*roc.area_of_part(fps, tps, part), standardized)

    def gini(self) -> float:
        """Return the Gini coefficient, 2 AUC - 1, rounded once."""
        fps, tps, *_ = self._threshold_counts()
        if warn_if_undefined(tps[-1], fps[-1]):
            return math.nan
        return float(2 * roc.area(fps, tps) - 1)

    def roc_curve(self, *, drop_intermediate: bool = True) -> Curve:
        """Return ``fpr, tpr, thresholds``, like the function ``roc_curve``."""
        options.check_flag(drop_intermediate, "drop_intermediate", "roc_curve")
        return roc_points(self._threshold_counts(), drop_intermediate)

    def precision_recall_curve(self, *, drop_intermediate: bool = False) -> Curve:
        """Return ``precision, recall, thresholds``, like ``precision_recall_curve``."""
        options.check_flag(drop_intermediate, "drop_intermediate", "precision_recall_curve")
        return precision_recall_points(self._threshold_counts(), drop_intermediate)

    def det_curve(self, *, drop_intermediate: bool = False) -> Curve:
        """Return ``fpr, fnr, thresholds``, like ``det_curve``; rates are NaN for one class."""
        options.check_flag(drop_intermediate, "drop_intermediate", "det_curve")
        return det_points(self._threshold_counts(), drop_intermediate)

    def roc_convex_hull(self) -> ConvexHull:
        """Return the convex hull of the ROC curve, like the function ``roc_convex_hull``."""
        return roc.hull_of(self._threshold_counts())

    def tpr_at_fpr(self, fpr: Any, *, interpolation: Interpolation = "linear") -> Any:
        """Return the true positive rate at a given false positive rate, or at several."""
        rates = options.read_rates(fpr, "fpr", interpolation, "tpr_at_fpr")
        return roc.tprs_at(self._threshold_counts(), rates, interpolation)

    def fpr_at_tpr(self, tpr: Any, *, interpolation: Interpolation = "linear") -> Any:
        """Return the false positive rate at a given true positive rate, or at several."""
        rates = options.read_rates(tpr, "tpr", interpolation, "fpr_at_tpr")
        return roc.fprs_at(self._threshold_counts(), rates, interpolation)

    def net_benefit_curve(
        self, *, thresholds: Any = None, prevalence: float | None = None
    ) -> Points:
        """Return ``net_benefit, net_benefit_all, thresholds``, like ``net_benefit_curve``.

        The scores that were counted must be probabilities.
        """
        given = read_threshold_probabilities(thresholds, "net_benefit_curve")
        share = options.check_prevalence(prevalence, "net_benefit_curve")
        counts = self._threshold_counts()
        check_probabilities(counts.lows, "ConfusionCounts.thresholds")
        return net_benefit_points(counts, given, share)

    def precision_at_recall(self, recall: Any, *, interpolation: Interpolation = "linear") -> Any:
        """Return the precision at a given recall above 0, or at several."""
        rates = options.read_rates(
            recall, "recall", interpolation, "precision_at_recall", above_zero=True
        )
        return roc.precisions_at(self._threshold_counts(), rates, interpolation)

    def pr_auc(
        self, *, interpolation: PrecisionInterpolation = "step", prevalence: float | None = None
    ) -> float:
        """Return the area under the precision-recall curve, like ``pr_auc_score``."""
        options.check_literal(interpolation, "interpolation", PrecisionInterpolation, "pr_auc")
        share = options.check_prevalence(prevalence, "pr_auc")
        return precision_recall.precision_area(self._threshold_counts(), interpolation, share)

    def pr_gain_auc(self) -> float:
        """Return the area under the precision-recall-gain curve, like ``pr_gain_auc_score``."""
        return precision_recall.precision_gain_area(self._threshold_counts())

    def average_precision(self) -> float:
        """Return the average precision; NaN without positives."""
        fps, tps, *_ = self._threshold_counts()
        warn_if_undefined(tps[-1], 1)
        return precision_recall.mean_precision(fps, tps)

    def ks(self) -> float:
        """Return the Kolmogorov-Smirnov statistic: the maximum ``|tpr - fpr|``."""
        return ks_distance(*self._threshold_counts()[:2])

    def tie_share(self) -> float:
        """Return the share of positive-negative pairs with equal scores."""
        return roc.tied_share(self._threshold_counts())

    def _threshold_counts(self) -> ThresholdCounts:
        return at_thresholds(*read_counts(self.fps, self.tps, self.thresholds))

    def at(self, threshold: float, *, inclusive: bool = True) -> ConfusionMatrix:
        """Return the confusion matrix if rows scoring ``threshold`` or more are predicted positive.

        With ``inclusive=False``, only rows that score above it are, as in some definitions.
        """
        options.check_flag(inclusive, "inclusive", "at")
        threshold = as_python(options.check_threshold(threshold))
        find = bisect_left if inclusive else bisect_right
        # Python compares an int with a float exactly; NumPy would first round the int to float64.
        kept = len(self.thresholds) - find(self.thresholds[::-1], threshold, key=as_python)
        if kept == 0:
            zero = as_python(self.tps[-1] - self.tps[-1])
            return ConfusionMatrix(as_python(self.fps[-1]), zero, as_python(self.tps[-1]), zero)
        return ConfusionMatrix(*(as_python(counts[kept - 1]) for counts in self[:4]))

    def intervals(
        self, *, method: ProportionMethod = "wilson", confidence_level: float = 0.95
    ) -> ResultTable:
        """Return the rates at every threshold with their confidence intervals.

        A table with the column ``threshold`` and, for each field of ``ConfusionIntervals``, the
        rate under this name and its bounds as ``<name>_low`` and ``<name>_high``. Options, methods
        and errors are as for ``ConfusionMatrix.intervals``; the intervals are pointwise, not
        simultaneous.
        """
        fps, tps, thresholds, *_ = self._threshold_counts()
        totals = {"fps": as_python(fps[-1]), "tps": as_python(tps[-1])}
        options.check_numbers_of_rows(totals, "intervals")
        fp, tp = fps.astype(np.float64), tps.astype(np.float64)
        columns = {"threshold": thresholds}
        counts = fp[-1] - fp, fp, tp[-1] - tp, tp
        for name, rate, (low, high) in rates_with_ends(*counts, method, confidence_level):
            columns |= {name: rate, f"{name}_low": low, f"{name}_high": high}
        return ResultTable(columns)

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each threshold."""
        return to_pandas(self)


def count_sample(
    sample: BinarySample, workers: Workers = SERIAL, first: int = 0
) -> ThresholdCounts:
    """Return the counts at every distinct score; of weights, from position ``first`` on."""
    if sample.weight is not None:
        rows, weight = sort_weighted_rows(sample, sample.weight, workers)
    else:
        counts = count_values(sample, workers)
        if counts is not None:
            return counts
        rows, weight = sort_rows(sample, workers), _NO_WEIGHT
    n, dtype = first + len(sample.label), INT64 if sample.weight is None else FLOAT64
    fps, tps = np.empty(n, dtype), np.empty(n, dtype)
    flip, outputs = flip_of_low(sample.score.dtype), (fps[first:], tps[first:])
    n_thresholds = _sort_scan.count_thresholds(*rows, flip, weight, *outputs)
    trim(first + n_thresholds, fps, tps)
    trim(n_thresholds, rows.packed)
    return at_thresholds(fps, tps, sample.order.restore(rows.packed.view(sample.score.dtype)))


def count_values(sample: BinarySample, workers: Workers = SERIAL) -> ThresholdCounts | None:
    """Do the same as ``count_sample`` for many rows with few distinct scores; otherwise None."""
    drawn = draw_many(sample)
    if drawn is None or not has_few_values(drawn, len(sample.label)):
        return None
    table = tabulate_values(sample, plan_table(sample, drawn), workers)
    if table is None:
        return None
    fps, tps = (np.cumsum(column, dtype=np.int64) for column in table.counts[::-1].T)
    scores = sample.order.restore(scores_of(table.keys[::-1], sample.score.dtype))
    return at_thresholds(fps, tps, scores)


def draw_many(sample: BinarySample) -> Array | None:
    """Return a sample of the scores of many unweighted rows; None for any other sample."""
    if sample.weight is not None or not _MANY_ROWS <= len(sample.label) < 2**31:
        return None
    low, high = range_of(sample)
    return None if low == high else draw_sample(sample.score)


def trim(n: int, *outputs: Array) -> None:
    """Free the unused tail of arrays in place; assumes that there are no other references."""
    for array in outputs:
        array.resize(n, refcheck=False)


def _keep(positions: Array, *arrays: Array) -> list[Array]:
    return [array[positions] for array in arrays]


def _steps_of_tps(tps: Array) -> Array:
    """Return the positions of the first and the last point, and of both ends of each rise."""
    rises = np.diff(tps) != 0
    return np.flatnonzero(np.concatenate(([True], rises[:-1] | rises[1:], [True])))


def roc_points(
    counts: ThresholdCounts, drop_intermediate: bool, rates: tuple[Array, Array] | None = None
) -> Curve:
    """Return ``fpr, tpr, thresholds`` of the ROC curve, from (0, 0) at threshold infinity.

    ``rates`` may be arrays with sums of weights from position 1 on: these are then overwritten by
    the rates.
    """
    fps, tps, thresholds, *_ = counts
    n_pos, n_neg = tps[-1], fps[-1]
    warn_if_undefined(n_pos, n_neg)
    n = len(fps) + 1
    fpr, tpr = rates or (np.empty(n), np.empty(n))
    kept_thresholds = np.empty(n)
    thresholds = thresholds.astype(np.float64, copy=False)
    found = fpr, tpr, kept_thresholds
    n_kept = _counts.roc_points(fps, tps, thresholds, bool(drop_intermediate), *found)
    fpr[0] = 0 if n_neg else math.nan
    tpr[0] = 0 if n_pos else math.nan
    kept_thresholds[0] = math.inf
    trim(n_kept + 1, *found)
    return found


def precision_recall_points(counts: ThresholdCounts, drop_intermediate: bool) -> Curve:
    """Return ``precision, recall, thresholds``, from the lowest threshold to the point (1, 0)."""
    fps, tps, thresholds, *_ = counts
    if drop_intermediate and len(fps) > 2:
        fps, tps, thresholds = _keep(_steps_of_tps(tps), fps, tps, thresholds)
    n_pos = tps[-1]
    precision_recall.warn_if_no_positives(n_pos)
    fps, tps, thresholds = fps[::-1], tps[::-1], np.ascontiguousarray(thresholds[::-1])
    precision, recall = np.ones(len(tps) + 1), np.ones(len(tps) + 1)
    np.add(tps, fps, out=precision[:-1])
    np.divide(tps, precision[:-1], out=precision[:-1])
    if n_pos:
        np.divide(tps, n_pos, out=recall[:-1])
    recall[-1] = 0
    return precision, recall, thresholds


def det_points(counts: ThresholdCounts, drop_intermediate: bool) -> Curve:
    """Return ``fpr, fnr, thresholds`` with increasing thresholds.

    From the last threshold without false negatives to the first with the minimum of false
    positives.
    """
    fps, tps, thresholds, *_ = counts
    warn_if_undefined(tps[-1], fps[-1])
    if drop_intermediate and len(fps) > 1:
        positions = _steps_of_tps(prepend(0, tps))[1:] - 1
        fps, tps, thresholds = _keep(positions, fps, tps, thresholds)
    n_pos, n_neg = tps[-1], fps[-1]
    from_infinity = bool(fps[0] > 0)  # the point (0, 0) is the last without false positives
    start = 0 if from_infinity else int(np.searchsorted(fps, 0, side="right")) - 1
    stop = max(start, int(np.searchsorted(tps, n_pos)) + 1 if n_pos else 0)
    n = stop - start
    fpr, fnr, increasing = (np.empty(n + from_infinity) for _ in range(3))
    fpr[n:], fnr[n:], increasing[n:] = 0, n_pos, math.inf
    fpr[:n] = fps[start:stop][::-1]
    np.subtract(n_pos, tps[start:stop][::-1], out=fnr[:n])
    increasing[:n] = thresholds[start:stop][::-1]
    for rates, total in (fpr, n_neg), (fnr, n_pos):
        np.divide(rates, total if total else math.nan, out=rates)
    return fpr, fnr, increasing


def count_rows(rows: Rows) -> ThresholdCounts:
    """Return the counts at every distinct score of the rows of a public call."""
    with Workers(rows.n_jobs) as workers:
        return count_sample(rows.sample(workers), workers)
