"""Areas under the precision-recall curve, from counts or directly from the rows."""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.threshold_counts import ThresholdCounts, point_at
from fastauc._kernels import counts as _counts, sort_scan as _sort_scan
from fastauc._pairs import bucket_map
from fastauc._pairs.bucket_map import BucketMap
from fastauc._pairs.by_buckets import (
    buckets_of,
    downcast_if_lossless,
    gather_rows,
    place_by_buckets,
    start_by_buckets,
)
from fastauc._pairs.sorted_rows import SortedRows, sort_rows
from fastauc._pairs.sorting import CountedBuckets
from fastauc._pairs.unweighted import counts_at_rare_positives
from fastauc._pairs.value_tables import has_few_values
from fastauc._validation.arrays import FLOAT32, INT64, Array, as_fraction
from fastauc._validation.errors import warn_if_undefined, warn_user
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers


def mean_precision(fps: Array, tps: Array) -> float:
    """Return the mean of precision at each threshold, weighted by the increase in recall.

    NaN without positives.
    """
    if tps[-1] == 0:
        return math.nan
    if tps.dtype.kind != "f":
        return mean_of_total(_counts.sum_precision(fps, tps), int(tps[-1]))
    # Sums of weights may be close to overflow.
    unit = math.ldexp(1.0, min(1000, -math.frexp(tps[-1])[1]))
    high, low = _counts.weigh_precision(fps, tps, unit)
    mean = (Fraction(high) + Fraction(low)) / (as_fraction(tps[-1]) * Fraction(unit))
    return float(min(mean, Fraction(1)))


def mean_of_total(total: int, n_pos: int) -> float:
    """Return the mean of the precisions of ``n_pos`` rows that add up to ``total`` / 2^111."""
    return min(total / (n_pos << 111), 1.0)  # Python divides integers with a single rounding


def precision_area(
    counts: ThresholdCounts, interpolation: str, prevalence: Fraction | None
) -> float:
    """Return the area under the precision-recall curve, at this prevalence or the sample's.

    NaN without positives; with a prevalence, also without negatives.
    """
    fps, tps, *_ = counts
    if warn_if_undefined(tps[-1], 1 if prevalence is None else fps[-1]):
        return math.nan
    if prevalence is None and interpolation == "step":
        return mean_precision(fps, tps)
    # Powers of two, so that scaling is exact and no sum of weights overflows. The larger class is
    # scaled to near 2^1000, unless the positives would vanish: precision is then indistinguishable
    # from 0.
    exponents = [math.frexp(float(ends[-1]))[1] for ends in (fps, tps)]
    if prevalence is None:
        exponents = [min(max(exponents), exponents[1] + 2000) - 1000] * 2
    with np.errstate(over="ignore"):
        fps, tps = (
            np.minimum(np.ldexp(ends.astype(np.float64), -exponent), 2.0**1000)
            for ends, exponent in zip((fps, tps), exponents, strict=True)
        )
    positives = float(tps[-1])
    if prevalence is not None:
        positives = float(prevalence)
        fps *= float((1 - prevalence) / as_fraction(fps[-1]))
        tps *= float(prevalence / as_fraction(tps[-1]))
    if interpolation == "step":
        total = math.fsum(_counts.weigh_precision(fps, tps, 1.0))
    else:
        total = _counts.curved_area(fps, tps)
    return min(total / positives, 1.0)


def precision_gain_area(counts: ThresholdCounts) -> float:
    """Return the area under the precision-recall-gain curve; NaN if only one class is present.

    With ``c = P / N`` the gains are ``1 - c FP / TP`` and ``1 - c (P - TP) / TP``: linear in 1 / TP
    where FP is linear in TP, so the curve is a polyline, and what it misses of 1 is a sum of
    trapezoids, ``c^2 P (1 / TP - 1 / TP') (FP / TP + FP' / TP') / 2``. The first, from recall gain
    0, is a fraction. Each other has 6 roundings at the most, none is negative, and their sum and
    the result are rounded once: counts below 2^53 give an area within 1e-15, or within as much of
    what it misses of 1 if that is more.
    """
    fps, tps, *_ = counts
    if warn_if_undefined(tps[-1], fps[-1]):
        return math.nan
    n_pos, n_neg = as_fraction(tps[-1]), as_fraction(fps[-1])
    least = n_pos**2 / (n_pos + n_neg)
    at = bisect_left(tps, least, key=as_fraction)
    (fp0, tp0), (fp, tp) = point_at(fps, tps, at - 1), point_at(fps, tps, at)
    start = fp - (fp - fp0) * (tp - least) / (tp - tp0)
    missed = (1 / least - 1 / tp) * (start / least + fp / tp)
    # Scaling by powers of two is exact, and keeps products of sums of weights in range.
    of_pos, of_neg = (math.frexp(count)[1] for count in (tps[at], fps[-1]))
    tps = np.ldexp(tps[at:].astype(np.float64), -of_pos)
    fps = np.ldexp(fps[at:].astype(np.float64), -of_neg)
    heights = fps / tps
    trapezoids = np.diff(tps) / (tps[1:] * tps[:-1]) * (heights[1:] + heights[:-1])
    unit = Fraction(2) ** (of_neg - 2 * of_pos)
    missed += Fraction(math.fsum(trapezoids[trapezoids > 0].tolist())) * unit
    return float(1 - n_pos**3 / n_neg**2 * missed / 2)


def warn_if_no_positives(n_pos: float) -> None:
    """Warn as scikit-learn's ``precision_recall_curve`` does."""
    if n_pos == 0:
        warn_user("No positive class found in y_true, recall is set to one for all thresholds.")


ROUTES = ("buckets", "search", "sort")
# For fewer rows, sorting takes less time than building a bucket map.
_LEAST_ROWS_OF_BUCKETS = 20_000
_ROWS_PER_BUCKET = 40
_MOST_RUNS = 16
_NONE_ABOVE = np.zeros(1, INT64)
# Positives of which all rows are searched for, rather than sorted: one row in so many.
_RARE, _MOST_SEARCHED = 32, 2**16


def sum_precision(
    sample: BinarySample, workers: Workers = SERIAL, route: str | None = None
) -> int | None:
    """Return the sum of the precisions of the positives, times 2^111; None if sorting is better.

    Assumes a positive. The routes "buckets" and "search" give None only if all scores are equal,
    and for 2^31 rows.
    """
    n = len(sample.label)
    if route == "sort" or n >= 2**31 or (route is None and n < _LEAST_ROWS_OF_BUCKETS):
        return None
    low, high = bucket_map.range_of(sample)
    if low == high:
        return None
    sample, drawn = downcast_if_lossless(sample, bucket_map.draw_sample(sample.score))
    buckets = bucket_map.choose_map(drawn, low, high, buckets_of(n, _ROWS_PER_BUCKET))
    is_single = sample.score.dtype is FLOAT32
    if route is None and (
        _sort_scan.has_few_runs(sample.score, _MOST_RUNS)
        or (is_single and has_few_values(drawn, n))
        or (not is_single and bucket_map.may_be_unresolved(sample.score, drawn, buckets))
    ):
        route = "search" if sample.n_pos <= min(n // _RARE, _MOST_SEARCHED) else "sort"
    if route == "search":
        return _counts.sum_precision(*counts_at_rare_positives(sample, workers))
    if route == "sort":
        return None
    if sample.n_pos < n // 8:
        # Larger buckets, for as many comparisons as if every second row were positive.
        rows_per_bucket = math.isqrt(_ROWS_PER_BUCKET**2 * n // (2 * sample.n_pos))
        buckets = bucket_map.choose_map(drawn, low, high, buckets_of(n, rows_per_bucket))
    return _sum_by_buckets(sample, buckets, workers)


def _sum_by_buckets(sample: BinarySample, buckets: BucketMap, workers: Workers) -> int:
    counted = start_by_buckets(sample, buckets, workers)
    offsets, ends = place_by_buckets(sample, counted, workers), counted.ends
    largest = int(counted.sizes.max())
    unresolved = np.zeros(buckets.n_buckets, np.uint8)
    is_exact = sample.score.dtype is FLOAT32

    def add(first: int, stop: int, tp: int) -> int:
        scratch = np.empty(largest + 8, np.int32)
        return _counts.sum_buckets(offsets, ends, first, stop, tp, is_exact, scratch, unresolved)

    tasks = []
    tp = 0
    for first, stop in reversed(counted.ranges()):
        if first < stop:
            tasks.append(partial(add, first, stop, tp))
            starts = ends[2 * first : 2 * stop : 2].sum(dtype=np.int64)
            tp += int(ends[2 * first + 1 : 2 * stop : 2].sum(dtype=np.int64) - starts)
    total = sum(workers.run_all(tasks))
    if unresolved.any():
        total += _sum_within(sample, counted, unresolved, workers)
    return total


def _sum_within(
    sample: BinarySample, counted: CountedBuckets, chosen: NDArray[np.uint8], workers: Workers
) -> int:
    """Return the sum for the positives in the chosen buckets, by sorting their rows."""
    sizes = counted.class_sizes
    tps = sample.n_pos - np.cumsum(sizes[:, 1])
    rows = len(sample.label) - counted.stops.astype(np.int64)
    sizes, tps, rows = (array[chosen.view(np.bool_)] for array in (sizes, tps, rows))
    n_neg, n_pos = sizes.sum(axis=0).tolist()
    gathered = sort_rows(gather_rows(sample, counted.map, chosen, n_neg, n_pos, workers), workers)
    return _sort_scan.sum_precision(*gathered, sizes.sum(axis=1), tps, rows)


def sum_in_order(rows: SortedRows) -> int:
    """Return the sum of the precisions of sorted rows, times 2^111."""
    size = np.array([len(rows.packed)])
    return _sort_scan.sum_precision(*rows, size, _NONE_ABOVE, _NONE_ABOVE)
