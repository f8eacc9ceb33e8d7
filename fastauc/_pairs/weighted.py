"""The weighted AUC as a ratio of integers: concordant pairs count twice, tied ones once.

Weights are integer multiples of a unit, at most 2^-56 of the largest weight of a class, and all
sums are integers: the result depends neither on the order of the rows nor on the route, for which
see ``fastauc._pairs``.

If the range of the weights is so wide that too much of them would be truncated, which depends only
on their values, double-double sums along a canonical order are used instead.
"""

from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import (
    rank_sum as _rank_sum,
    small_sample as _small_sample,
    weighted_rank_sum as _weighted_rank_sum,
)
from fastauc._pairs.bucket_map import (
    FEW_ROWS,
    MORE_FEW_ROWS,
    choose_map,
    draw_sample,
    may_be_unresolved,
    range_of,
)
from fastauc._pairs.by_buckets import (
    buckets_of,
    downcast_if_lossless,
    gather_rows,
    offsets_are_exact,
    place_by_buckets,
    start_by_buckets,
)
from fastauc._pairs.sorted_rows import SortedRows, sort_rows_with, sort_weighted_rows
from fastauc._pairs.sorting import CountedBuckets, empty_rows
from fastauc._pairs.value_tables import add_up_values, has_few_values, plan_table
from fastauc._validation.arrays import FLOAT64, INT32, INT64, UINT64, Array
from fastauc._validation.errors import changed_meanwhile
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers

ROUTES = ("few", "buckets", "values", "sort")
_ROWS_PER_BUCKET = 32
_LARGEST_FIXED_WEIGHT = 56  # bits
# Rows whose weights are checked again at once, inside the cache.
_COUNTED_ROWS = 2**14


class _Sums(NamedTuple):
    """Twice the weight of the concordant pairs, plus that of the tied ones, and totals, in units.

    Also the number of rows of each class whose weight is truncated, or may be.
    """

    twice_u: int
    negatives: int
    positives: int
    cut_neg: int
    cut_pos: int


def weighted_ratio(
    sample: BinarySample, workers: Workers = SERIAL, route: str | None = None
) -> tuple[int, int]:
    """Return the AUC of a weighted sample with both classes, by a suitable or the given route.

    Numerator and denominator are not in lowest terms: dividing them rounds once, whereas reducing
    them takes as long as weighting 300 rows. Within 3 ulp once rounded, and exact if the weights of
    each class are multiples of 2^-56 times the power of two above the largest.
    """
    sums = _sum_by_route(sample, workers, route)
    ratio = None if sums is None else ratio_of(*sums)
    if ratio is not None:
        # Rows that are read again may have been modified by now.
        if ratio[0] > ratio[1]:
            raise changed_meanwhile()
        return ratio
    return ratio_of_sorted(sample, *sort_weighted_rows(sample, _weight_of(sample), workers))


def ratio_of_sorted(
    sample: BinarySample, rows: SortedRows, weight: NDArray[np.float64]
) -> tuple[int, int]:
    """Return the result of ``weighted_ratio`` from the rows of ``sort_weighted_rows``."""
    sums = _weigh_sorted(sample, rows, weight, np.array([len(weight)], INT64))
    return ratio_of(*sums) or _area_of_doubles(sample, rows, weight).as_integer_ratio()


def _sum_by_route(sample: BinarySample, workers: Workers, route: str | None) -> _Sums | None:
    """Return the sums without a sort, or None if sorting is better."""
    n = len(sample.label)
    if route == "sort" or n >= 2**31:
        return None
    if route == "few" or (route is None and n <= FEW_ROWS):
        return _weigh_few(sample)
    (low, high), drawn, sums = range_of(sample), draw_sample(sample.score), None
    if route == "values" or (route is None and has_few_values(drawn, n)):
        sums = _weigh_values(sample, drawn, workers)
    if route is None and n <= MORE_FEW_ROWS:
        sums = sums or _weigh_few(sample)
    if sums is not None:
        return sums
    sample, drawn = downcast_if_lossless(sample, drawn)
    buckets = choose_map(drawn, low, high, buckets_of(n, _ROWS_PER_BUCKET))
    is_exact = offsets_are_exact(sample.score, low, high, buckets)
    if route is None and not is_exact and may_be_unresolved(sample.score, drawn, buckets):
        return None
    return _weigh_buckets(sample, start_by_buckets(sample, buckets, workers), is_exact, workers)


def _weigh_few(sample: BinarySample) -> _Sums | None:
    """Return the sums with all rows in one bucket, or None if its offsets miss ties."""
    label, score, weight, n = sample.label, sample.score, _weight_of(sample), len(sample.label)
    rows, fixed_weights = np.empty(2 * n + 16, INT32), np.empty(2 * n, UINT64)
    units = _units(sample, _LARGEST_FIXED_WEIGHT)
    room = rows, fixed_weights
    sums = _small_sample.weigh_few(label, score, weight, sample.n_pos, *units, *room)
    return None if sums is None else _Sums(*sums)


def ratio_of(
    twice_u: int, negatives: int, positives: int, cut_neg: int, cut_pos: int
) -> tuple[int, int] | None:
    """Return the result of ``weighted_ratio``, or None if too much of the weights is truncated.

    The arguments are the fields of ``_Sums``. Nothing here depends on the route or the row order.
    """
    # Each class has at least 2^55 units, unless all its weights are below 2^-945.
    if not (negatives and positives):
        return None
    # Truncating a weight loses less than a unit. The derivative of the AUC by the weight of a
    # positive is (its own share of concordant pairs - AUC) / positives, at most 1 / positives. That
    # gives at most cut_pos / positives + cut_neg / negatives, here over both totals.
    loss = cut_pos * negatives + cut_neg * positives
    return (twice_u, 2 * positives * negatives) if loss << 53 <= twice_u else None


def _weigh_sorted(
    sample: BinarySample, rows: SortedRows, weight: NDArray[np.float64], sizes: NDArray[np.int64]
) -> _Sums:
    """Return the sums of sorted rows; pairs count within buckets of these sizes."""
    units = _units(sample, _LARGEST_FIXED_WEIGHT)
    return _Sums(*_weighted_rank_sum.weigh_packed_rows(*rows, weight, *units, sizes))


def _area_of_doubles(
    sample: BinarySample, rows: SortedRows, weight: NDArray[np.float64]
) -> Fraction:
    """Return the AUC of sorted rows from double-double sums, whatever the weights."""
    unit_neg, unit_pos = _units(sample, 400)
    sums = _rank_sum.weigh_pairs(*rows, weight, unit_pos, unit_neg)
    numerator, weight_pos, weight_neg = (Fraction(high) + Fraction(low) for high, low in sums)
    # Rounding in the last of about a hundred bits could push perfect separation above 1.
    return min(numerator / (2 * weight_pos * weight_neg), Fraction(1))


def _weight_of(sample: BinarySample) -> NDArray[np.float64]:
    assert sample.weight is not None
    return sample.weight


def _units(sample: BinarySample, exponent: int) -> tuple[float, float]:
    """Return the powers of two that bring the largest negative and positive below 2^exponent."""
    assert sample.weight_range is not None
    _, highest_neg, _, highest_pos = sample.weight_range
    unit = _weighted_rank_sum.unit_of
    return unit(highest_neg, exponent), unit(highest_pos, exponent)


def _weigh_values(sample: BinarySample, drawn: Array, workers: Workers) -> _Sums | None:
    """Do the same as ``_weigh_buckets`` for few distinct scores; None if there are too many."""
    units = _units(sample, _LARGEST_FIXED_WEIGHT)
    found = add_up_values(sample, _weight_of(sample), units, plan_table(sample, drawn), workers)
    if found is None:
        return None
    fixed_weights, *cut = found
    return _Sums(*_weighted_rank_sum.sum_values(fixed_weights), *cut)


def _weigh_buckets(
    sample: BinarySample, counted: CountedBuckets, is_exact: bool, workers: Workers
) -> _Sums:
    """Return the sums for any sample, in units, by comparing the rows in each bucket.

    ``is_exact`` means that the map has ``offsets_are_exact``.
    """
    n, units = len(sample.label), _units(sample, _LARGEST_FIXED_WEIGHT)
    weighted = _weight_of(sample), *units, empty_rows(n, np.uint64)
    offsets = place_by_buckets(sample, counted, workers, *weighted)
    offsets[n:] = 0
    unresolved, largest = np.zeros(counted.map.n_buckets, np.uint8), int(counted.sizes.max())

    def weigh(first: int, stop: int) -> tuple[int, int, int]:
        spare = np.zeros(largest + 8, INT32), np.empty(largest, np.uint64)
        return _weighted_rank_sum.weigh_rows(
            offsets, weighted[-1], counted.ends, first, stop, is_exact, *spare, unresolved
        )

    twice_u = negatives = positives = 0
    for twice_u_of_range, weight_neg, weight_pos in counted.of_ranges(weigh, workers):
        twice_u += twice_u_of_range + 2 * negatives * weight_pos
        negatives += weight_neg
        positives += weight_pos
    if unresolved.any():
        twice_u += _weigh_within(sample, counted, unresolved, workers)
    sums = _Sums(twice_u, negatives, positives, sample.n_neg, sample.n_pos)
    # Usually the weights are fine even if all of them were truncated, and need no second pass.
    if ratio_of(*sums) is None:
        sums = _Sums(twice_u, negatives, positives, *_count_cut(sample, counted.blocks, workers))
    return sums


def _count_cut(sample: BinarySample, blocks: list[slice], workers: Workers) -> tuple[int, int]:
    """Return how many negatives and how many positives are truncated."""
    label, weight = sample.label, _weight_of(sample)
    units = np.array(_units(sample, _LARGEST_FIXED_WEIGHT))

    def count(rows: slice) -> NDArray[np.float64]:
        n_cut = np.zeros(2)
        for start in range(rows.start, rows.stop, _COUNTED_ROWS):
            block = slice(start, min(start + _COUNTED_ROWS, rows.stop))
            with np.errstate(under="ignore"):
                fixed_weights = weight[block] * units.take(label[block])
            n_cut += np.bincount(label[block], fixed_weights != np.floor(fixed_weights), 2)
        return n_cut

    cut = np.sum(workers.run_all([partial(count, rows) for rows in blocks]), axis=0)
    return int(cut[0]), int(cut[1])


def _weigh_within(
    sample: BinarySample, counted: CountedBuckets, chosen: NDArray[np.uint8], workers: Workers
) -> int:
    """Return the contribution of pairs within the chosen buckets, by sorting their rows."""
    sizes = counted.class_sizes[chosen.view(np.bool_)]
    n_neg, n_pos = sizes.sum(axis=0).tolist()
    gathered = gather_rows(sample, counted.map, chosen, n_neg, n_pos, workers)
    rows, ordered = sort_rows_with(gathered, _weight_of(gathered).view(UINT64))
    return _weigh_sorted(sample, rows, ordered.view(FLOAT64), sizes.sum(axis=1)).twice_u
