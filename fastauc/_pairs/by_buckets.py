"""Counting concordant and tied pairs without a sort: only rows in the same bucket are compared.

A pass counts the rows of each class in each of about ten thousand buckets. Rows in different
buckets need no comparison. The position of the score within its bucket, in 32 bits, is written to
the bucket's places in an array, and the few rows in each bucket are compared with each other.
Buckets in which 32 bits do not tell whether two scores are equal are left out; their rows are
collected, and sorted by whole scores. 32 bits always suffice for single-precision scores and
integers. If a sample shows that they would often not suffice, whole scores are sorted from the
start.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import buckets as _buckets, small_sample as _small_sample
from fastauc._pairs.bucket_map import (
    MOST_FEW_ROWS,
    BucketMap,
    choose_map,
    firsts_of,
    may_be_unresolved,
)
from fastauc._pairs.sorted_rows import blocks_of_rows, sort_rows
from fastauc._pairs.sorting import (
    CountedBuckets,
    add_ranges,
    count_buckets,
    count_in_order,
    empty_rows,
    place_blocks,
)
from fastauc._validation.arrays import FLOAT32, FLOAT64, INT32, INT64, UINT32, Array
from fastauc._validation.errors import changed_meanwhile
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers, row_blocks

MOST_ROWS_OF_ONE_LEVEL = 2**21
_ROWS_PER_BUCKET = 32
_ROWS_PER_LARGE_BUCKET = 2**13


class Pairs(NamedTuple):
    """Positive-negative pairs: ``not_above`` counts the concordant and the tied ones."""

    not_above: int
    tied: int


def buckets_of(n_rows: int, rows_per_bucket: int) -> int:
    """Return the number of buckets for this number of rows.

    With more than ``MOST_ROWS_OF_ONE_LEVEL`` rows, that many buckets would no longer fit into the
    caches for random writes: large buckets are then split once more.
    """
    if n_rows > MOST_ROWS_OF_ONE_LEVEL:
        rows_per_bucket = _ROWS_PER_LARGE_BUCKET
    return 1 << (n_rows // rows_per_bucket).bit_length()


def downcast_if_lossless(sample: BinarySample, drawn: Array) -> tuple[BinarySample, Array]:
    """Return both with scores in single precision, if that represents them exactly.

    Models often compute in single precision, and their scores are converted to double later. A
    32-bit offset is then the whole score, and detects ties.
    """
    if drawn.dtype is FLOAT64:
        with np.errstate(over="ignore", under="ignore"):
            few = drawn.astype(FLOAT32)
        if (few == drawn).all():
            single = empty_rows(len(sample.score), np.float32)
            if _buckets.narrow(sample.score, single):
                return sample._replace(score=single), few
    return sample, drawn


def offsets_are_exact(score: Array, low: Any, high: Any, buckets: BucketMap) -> bool:
    """Return whether distinct scores have distinct positions, so that equal offsets are ties.

    Single-precision scores are their own offsets. Integers are at least 1 apart. The line rounds
    each position three times, by at most 1/2: 4 positions apart is enough, and rounding to doubles
    brings two of them closer by less than 2^-50 of the largest integer. Intervals keep 43 bits of
    the offset of a key, times an integer, without the last 11: keys 2^(shift - 32) apart are
    enough.
    """
    if score.dtype is not INT64:
        return score.dtype is FLOAT32
    if len(buckets.intervals):
        return bool(buckets.intervals[2] <= 32)
    scale = float(buckets.line[1])
    return scale > 0 and max(abs(float(low)), abs(float(high))) * 2.0**-50 + 4 / scale <= 1


def start_by_buckets(sample: BinarySample, buckets: BucketMap, workers: Workers) -> CountedBuckets:
    """Count the rows of each class in each bucket."""
    return count_buckets(sample.score, buckets, workers, sample.label)


def place_by_buckets(
    sample: BinarySample, counted: CountedBuckets, workers: Workers, *weighted: Any
) -> Array:
    """Return the offsets of all rows, ordered by bucket.

    In each bucket the negatives come first. There are 8 unused positions at the end. ``weighted``
    are the weights, if any, the units of both classes, and where weights go in the same order.
    """
    offsets = empty_rows(len(sample.label) + 8, INT32)

    def place(k: int) -> None:
        rows, starts = counted.blocks[k], counted.starts[k]
        weights = (weighted[0][rows], *weighted[1:]) if weighted else ()
        own = sample.label[rows], sample.score[rows], *counted.map[:2]
        _buckets.place_rows(*own, starts, offsets, *weights)

    place_blocks(place, counted, workers)
    return offsets


def gather_rows(
    sample: BinarySample,
    buckets: BucketMap,
    chosen: NDArray[np.uint8],
    n_neg: int,
    n_pos: int,
    workers: Workers,
) -> BinarySample:
    """Return the rows in the chosen buckets, given their number in each class."""
    score, weight = sample.score, sample.weight

    def find(block: slice) -> NDArray[np.uint32]:
        rows = np.empty(n_neg + n_pos + 1, UINT32)
        n_found = _buckets.find_rows(score[block], buckets.line, buckets.intervals, chosen, rows)
        return rows[:n_found] + UINT32.type(block.start)

    rows = np.concatenate(
        workers.run_all([partial(find, block) for block in row_blocks(len(score), workers)])
    )
    label = sample.label[rows]
    if len(rows) != n_neg + n_pos or np.count_nonzero(label) != n_pos:
        raise changed_meanwhile()
    weight = None if weight is None else weight[rows]
    return sample._replace(label=label, score=score[rows], weight=weight)


def count_many(
    sample: BinarySample, drawn: Array, low: Any, high: Any, workers: Workers, route: str | None
) -> Pairs | None:
    """Count the pairs of many distinct scores by offsets; None if these would miss many ties."""
    sample, drawn = downcast_if_lossless(sample, drawn)
    buckets = choose_map(drawn, low, high, buckets_of(len(sample.label), _ROWS_PER_BUCKET))
    is_exact = offsets_are_exact(sample.score, low, high, buckets)
    if route is None and not is_exact:
        is_unresolved = may_be_unresolved(sample.score, drawn, buckets)
        is_few = len(sample.score) <= MOST_FEW_ROWS and len(firsts_of(drawn)) == len(drawn)
        if is_few and (is_unresolved or len(buckets.intervals)):
            pairs = count_few(sample)
            if pairs is not None:
                return pairs
        if is_unresolved:
            return None
    counted = start_by_buckets(sample, buckets, workers)
    return _count_by_offsets(sample, counted, is_exact, workers)


def count_few(sample: BinarySample) -> Pairs | None:
    """Count the pairs with all rows in one bucket, or return None if that misses ties."""
    label, score, rows = sample.label, sample.score, np.empty(2 * len(sample.label) + 16, INT32)
    not_above, tied, is_sure = _small_sample.compare_few(label, score, sample.n_pos, rows)
    return Pairs(not_above, tied) if is_sure else None


def _count_by_offsets(
    sample: BinarySample, counted: CountedBuckets, is_exact: bool, workers: Workers
) -> Pairs:
    unresolved = np.zeros(counted.map.n_buckets, np.uint8)
    # No offset is kept: they would take memory beside others that are allocated.
    pairs = _compare(
        place_by_buckets(sample, counted, workers), counted, is_exact, unresolved, workers
    )
    if not unresolved.any():
        return pairs
    negatives, positives = counted.class_sizes[unresolved.view(np.bool_)].T
    chosen = int(negatives.sum()), int(positives.sum())
    if sum(chosen) > len(sample.label) // 2:
        return count_sorted(sample, workers)  # copies of so many rows would take too much memory
    rows = gather_rows(sample, counted.map, unresolved, *chosen, workers)
    within = count_sorted(rows, workers)
    # Pairs of rows in two different buckets are already among the other pairs.
    between = int(np.dot(np.cumsum(negatives) - negatives, positives))
    return Pairs(pairs.not_above + within.not_above - between, pairs.tied + within.tied)


def _compare(
    offsets: Array,
    counted: CountedBuckets,
    is_exact: bool,
    unresolved: NDArray[np.uint8],
    workers: Workers,
) -> Pairs:
    """Count the pairs except those within buckets that are marked as unresolved."""
    largest = int(counted.sizes.max())

    def compare(first: int, stop: int) -> tuple[int, int, int, int]:
        rows, scratch = (offsets, counted.ends), np.empty(largest + 8, INT32)
        return _buckets.compare_rows(*rows, first, stop, is_exact, scratch, unresolved)

    return Pairs(*add_ranges(counted.of_ranges(compare, workers)))


def count_sorted(sample: BinarySample, workers: Workers, is_few_runs: bool = False) -> Pairs:
    """Count the pairs of any sample, by sorting it."""
    rows = sort_rows(sample, workers, is_few_runs)
    blocks = blocks_of_rows(rows, sample.score.dtype, workers)
    return Pairs(*count_in_order([packed for packed, _ in blocks], workers))
