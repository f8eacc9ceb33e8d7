"""Curves and measures of a sample by scans of its sorted rows, bit for bit those of its counts.

This is a second engine for what ``confusion_counts`` computes from the counts at every score. It
writes the points of a curve straight from the sorted rows, so it needs some 10 bytes of memory per
row beside the result, where the counts take 37. Rows with weights, and samples of too many rows or
pairs for the integers of the scans, are counted first.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from operator import neg
from typing import Any, NamedTuple

import numpy as np

from fastauc._counts import precision_recall
from fastauc._counts.confusion_counts import (
    Curve,
    count_sample,
    count_values,
    det_points,
    precision_recall_points,
    roc_points,
    trim,
)
from fastauc._counts.ks import ks_distance
from fastauc._counts.precision_recall import mean_of_total, mean_precision, warn_if_no_positives
from fastauc._counts.roc import area_of_part, area_past, pairs_of, rounded_area
from fastauc._counts.selected import counts_of_distance
from fastauc._counts.threshold_counts import ThresholdCounts, at_thresholds, exact_part, prepend
from fastauc._kernels import sort_scan as _sort_scan
from fastauc._pairs.concordance import Concordance, area_of_sample
from fastauc._pairs.sorted_rows import SortedRows, blocks_of_rows, sort_rows
from fastauc._pairs.sorting import count_in_order, empty_rows, packed_dtype
from fastauc._validation.arrays import FLOAT64, Array
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.options import RateRange
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers, row_blocks

_PAIRS_OF_INT64 = 2**63
_ROWS_OF_INT32 = 2**31
# Up to this many rows, allocating a point for each is cheap.
_FEW_ROWS = 2**14
_NO_RATES = np.empty(0)
# For fewer points, large pages are not worthwhile.
_MANY_POINTS = 2**17


def average_precision(
    sample: BinarySample, workers: Workers = SERIAL, route: str | None = None
) -> float:
    """Return the average precision; NaN without positives, and no warning.

    By the route that suits the sample, or by the given one of ``precision_recall.ROUTES``.
    """
    if sample.weight is not None:
        return mean_precision(*count_sample(sample, workers)[:2])
    if sample.n_pos == 0:
        return math.nan
    counts = count_values(sample, workers) if route is None else None
    if counts is not None:
        return mean_precision(*counts[:2])
    total = precision_recall.sum_precision(sample, workers, route)
    if total is None:
        total = precision_recall.sum_in_order(sort_rows(sample, workers))
    return mean_of_total(total, sample.n_pos)


def greatest_distance(sample: BinarySample, workers: Workers = SERIAL) -> float:
    """Return the Kolmogorov-Smirnov statistic; NaN, with a warning, if a class has no rows."""
    n_pos, n_neg = sample.n_pos, sample.n_neg
    if sample.weight is not None or n_pos * n_neg >= _PAIRS_OF_INT64:
        return ks_distance(*count_sample(sample, workers)[:2])
    if warn_if_undefined(n_pos, n_neg):
        return math.nan
    counts = counts_of_distance(sample, workers)
    if counts is not None:
        return ks_distance(*counts[:2])
    return _sort_scan.greatest_difference(*sort_rows(sample, workers), n_pos, n_neg) / (
        n_pos * n_neg
    )


class RowMeasures(NamedTuple):
    """The pairs of unweighted rows, their average precision and K-S statistic, from one sort."""

    pairs: Concordance
    average_precision: float
    ks: float


def measure_rows(rows: Rows) -> RowMeasures:
    """Return the measures; NaN, with a warning, if a class they need has no rows."""
    with Workers(rows.n_jobs) as workers:
        sample = rows.sample(workers)
        n_pos, n_neg = totals = sample.n_pos, sample.n_neg
        counts = _counts_at_once(sample, workers, n_pos * n_neg >= _PAIRS_OF_INT64)
        if counts is not None:
            pairs = Concordance(*pairs_of(*counts[:2])[:2], *totals)
            return RowMeasures(pairs, mean_precision(*counts[:2]), ks_distance(*counts[:2]))
        ordered = sort_rows(sample, workers)
        packed, n_low = ordered
        scans: list[Callable[[], Any]] = [
            partial(precision_recall.sum_in_order, ordered),
            partial(count_in_order, [packed[:n_low], packed[n_low:]]),
            partial(_sort_scan.greatest_difference, *ordered, *totals),
        ]
        is_worth_it = len(row_blocks(len(packed), workers)) > 1
        total, (not_above, tied), gap = (workers if is_worth_it else SERIAL).run_all(scans)
        is_of_one = warn_if_undefined(*totals)
        return RowMeasures(
            Concordance(not_above - tied, tied, *totals),
            mean_of_total(total, n_pos) if n_pos else math.nan,
            math.nan if is_of_one else gap / (n_pos * n_neg),
        )


def roc_auc_of_part(
    sample: BinarySample, part: RateRange, workers: Workers = SERIAL
) -> tuple[Fraction, RateRange]:
    """Return the partial area and its range, like ``roc.area_of_part``."""
    n_neg, n_pos = totals = sample.n_neg, sample.n_pos
    if sample.weight is not None or part.rate == "tpr" or n_pos * n_neg >= _PAIRS_OF_INT64:
        return area_of_part(*count_sample(sample, workers)[:2], part)
    part, rows = exact_part(part, n_neg, n_pos), sort_rows(sample, workers)
    lower, upper = (_area_of_rows(rows, totals, limit) for limit in part.fpr_interval)
    return upper - lower, part


def _area_of_rows(rows: SortedRows, totals: tuple[int, int], limit: Fraction) -> Fraction:
    n_neg, n_pos = totals
    if limit == 0:
        return Fraction(0)
    if limit == 1:
        return Fraction(rows.twice_u(), 2 * n_pos * n_neg)
    start, *points = _sort_scan.find_limit(*rows, math.floor(limit * n_neg))
    best = SortedRows(rows.packed[start:], max(0, rows.n_low - start))
    twice_u = best.twice_u() if len(best.packed) else 0
    return area_past(twice_u, tuple(points), totals, limit)


def _counts_at_once(
    sample: BinarySample, workers: Workers, is_needed: bool = False
) -> ThresholdCounts | None:
    """Return the counts if needed, for weights, too many rows, or few distinct scores; or None."""
    if is_needed or sample.weight is not None or len(sample.label) >= _ROWS_OF_INT32:
        return count_sample(sample, workers)
    return count_values(sample, workers)


def roc_curve(sample: BinarySample, drop_intermediate: bool, workers: Workers = SERIAL) -> Curve:
    """Return ``fpr, tpr, thresholds`` of the ROC curve, from (0, 0) at threshold infinity."""
    if sample.weight is not None:
        fpr, tpr, scores, *_ = count_sample(sample, workers, first=1)
        weights = at_thresholds(fpr[1:], tpr[1:], scores)
        return roc_points(weights, drop_intermediate, (fpr, tpr))
    counts = _counts_at_once(sample, workers)
    if counts is not None:
        return roc_points(counts, drop_intermediate)
    warn_if_undefined(sample.n_pos, sample.n_neg)
    dtype = sample.score.dtype
    fpr, tpr, keys = _corners(sample, drop_intermediate, workers)
    fpr[0] = 0 if sample.n_neg else math.nan
    tpr[0] = 0 if sample.n_pos else math.nan
    if dtype is FLOAT64 and sample.order.distinct is None:
        thresholds = keys.view(FLOAT64)
        thresholds[0] = math.inf
        return fpr, tpr, thresholds
    return fpr, tpr, prepend(math.inf, sample.order.restore(keys[1:].view(dtype)))


def _corners(sample: BinarySample, drop_intermediate: bool, workers: Workers) -> Curve:
    """Return the result of ``roc_points``, after an unused first position.

    A first scan of all blocks counts the points in each of them, and a second one writes them. For
    few rows, a point is allocated for every row.
    """
    scan, dtype = _sort_scan.roc_points, packed_dtype(sample.score)
    n_pos, n_neg, nowhere = sample.n_pos, sample.n_neg, (_NO_RATES, _NO_RATES, np.empty(0, dtype))
    blocks = blocks_of_rows(sort_rows(sample, workers), sample.score.dtype, workers)[::-1]
    steps = [*(_highest_tie(packed) for packed, _ in blocks[1:]), 0]
    tasks: list[Callable[..., tuple[int, int]]] = [
        partial(scan, *block, drop_intermediate, k == 0, step, n_pos, n_neg)
        for k, (block, step) in enumerate(zip(blocks, steps, strict=True))
    ]
    n, counted = 1 + len(sample.label), []
    if n > _FEW_ROWS:
        counted = workers.run_all([partial(task, 0, 0, *nowhere) for task in tasks])
        n = 1 + sum(n_points for n_points, _ in counted)
    empty = empty_rows if n >= _MANY_POINTS else np.empty
    fpr, tpr, keys = empty(n, FLOAT64), empty(n, FLOAT64), empty(n, dtype)
    place, fp, tp = 1, 0, 0
    for k, (packed, _) in enumerate(blocks):
        points = slice(place, place + (counted[k][0] if counted else len(packed)))
        tasks[k] = partial(tasks[k], fp, tp, fpr[points], tpr[points], keys[points])
        n_points, positives = counted[k] if counted else tasks[k]()
        place, tp, fp = place + n_points, tp + positives, fp + len(packed) - positives
    if counted:
        workers.run_all(tasks)
    else:
        tasks.clear()
        trim(place, fpr, tpr, keys)
    return fpr, tpr, keys


def _highest_tie(packed: Array) -> int:
    """Return the rows with the highest score in a block, times 2^32, plus the positives in them."""
    one = packed.dtype.type(1)
    ends: list[int] = packed.searchsorted([packed[-1] & ~one, packed[-1] | one]).tolist()
    start, positives = ends
    return len(packed) - start << 32 | len(packed) - positives


def precision_recall_curve(
    sample: BinarySample, drop_intermediate: bool, workers: Workers = SERIAL
) -> Curve:
    """Return ``precision, recall, thresholds``, from the lowest threshold up to (1, 0)."""
    counts = _counts_at_once(sample, workers, drop_intermediate)
    if counts is not None:
        return precision_recall_points(counts, drop_intermediate)
    precision, recall, keys = _rising_points(sample, False, workers)
    warn_if_no_positives(sample.n_pos)
    if sample.n_pos == 0:
        recall.fill(1)
    precision[-1], recall[-1] = 1, 0
    return precision, recall, sample.order.restore(keys)


def det_curve(sample: BinarySample, drop_intermediate: bool, workers: Workers = SERIAL) -> Curve:
    """Return ``fpr, fnr, thresholds``, like ``det_points``."""
    is_of_one = sample.n_pos == 0 or sample.n_neg == 0
    counts = _counts_at_once(sample, workers, drop_intermediate or is_of_one)
    if counts is not None:
        return det_points(counts, drop_intermediate)
    fpr, fnr, keys = _rising_points(sample, True, workers)
    fpr[-1], fnr[-1] = 0, 1
    # From the last threshold without false negatives to the first with the minimum of false
    # positives, which is infinity unless the highest score has none.
    start = int(fnr.searchsorted(0, "right")) - 1
    stop = bisect_left(fpr, 0, key=neg) + 1
    if keys.dtype is FLOAT64 and sample.order.distinct is None:
        increasing = keys
    else:
        increasing = np.empty(len(keys))
        increasing[:-1] = sample.order.restore(keys[:-1])
    increasing[-1] = math.inf
    return fpr[start:stop], fnr[start:stop], increasing[start:stop]


def _rising_points(sample: BinarySample, of_errors: bool, workers: Workers) -> Curve:
    """Return the result of ``rising_points``, with space for one more point.

    Unless there are several threads, a point is allocated for every row.
    """
    n = n_rows = len(sample.score)
    # Space for the last threshold, infinity: an array that grows may have to move.
    keys = np.empty(n + of_errors, packed_dtype(sample.score))
    rows = sort_rows(sample, workers, packed=keys[:n])
    n_pos, n_neg, counted = sample.n_pos, sample.n_neg, []
    blocks = blocks_of_rows(rows, sample.score.dtype, workers)
    if len(blocks) > 2:
        counted = workers.run_all([partial(_sort_scan.count_ties, block[0]) for block in blocks])
        n = sum(n_points for n_points, _ in counted)
    x, y = np.empty(n + 1), np.empty(n + 1)
    scan, tasks, sizes = _sort_scan.rising_points, [], []
    place, row, tp = 0, n_rows, n_pos
    for k, block in enumerate(blocks):
        points = slice(place, place + (counted[k][0] if counted else len(block[0])))
        tasks.append(partial(scan, *block, row, tp, n_pos, n_neg, of_errors, x[points], y[points]))
        n_points, positives = counted[k] if counted else tasks[k]()
        place, row, tp = place + n_points, row - len(block[0]), tp - positives
        sizes.append(n_points)
    if counted:
        workers.run_all(tasks)
    tasks.clear()  # releases the arrays that they hold, which are trimmed
    place = row = 0
    for (packed, _), n_points in zip(blocks, sizes, strict=True):
        if place < row:
            keys[place : place + n_points] = packed[:n_points]
        place, row = place + n_points, row + len(packed)
    trim(place + 1, x, y)
    trim(place + of_errors, keys)
    return x, y, keys.view(sample.score.dtype)


def area_up_to(sample: BinarySample, max_fpr: float | None, workers: Workers = SERIAL) -> float:
    """Return the AUC, or the standardized partial AUC; NaN without both classes."""
    if max_fpr is None or max_fpr == 1 or sample.n_pos == 0 or sample.n_neg == 0:
        return area_of_sample(sample, workers)
    return rounded_area(*roc_auc_of_part(sample, RateRange.up_to(max_fpr), workers))
