"""Confusion counts at a few cut-offs, from one bucket pass and a sort of the rows near them.

A pass counts the rows of both classes in each of some thousand buckets. Of those that matter, the
rows are collected, sorted and counted, and the rows of higher buckets added: at these scores the
counts are those of a sort of all rows, and the other scores are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.confusion_counts import count_sample, draw_many
from fastauc._counts.ks import corners, gaps
from fastauc._counts.threshold_counts import ThresholdCounts, exact_rate
from fastauc._pairs.bucket_map import BucketMap, choose_map, keys_of, range_of
from fastauc._pairs.by_buckets import gather_rows, start_by_buckets
from fastauc._pairs.sorting import ONE_BUCKET
from fastauc._pairs.value_tables import has_few_values
from fastauc._validation.arrays import as_fraction
from fastauc._validation.options import check_integer, check_share
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers

_N_BUCKETS = 2**13
_PAIRS_OF_INT64 = 2**62
Sums = NDArray[np.int64]
# From the negatives and the positives in each bucket or above it, the highest bucket first: whether
# the rows of the bucket are needed.
Choose = Callable[[Sums, Sums], NDArray[np.bool_]]


def counts_around(
    sample: BinarySample, positions: Iterable[Fraction], workers: Workers = SERIAL
) -> ThresholdCounts:
    """Return the ties around some numbers of best rows, and the first and the last one.

    Around a position are the ties that end nearest before it and at or after it, and the tie
    after each of them.
    """
    # A whole number of rows reaches the position where it reaches the next whole number.
    reached = [math.ceil(position) for position in positions]

    def choose(fps: Sums, tps: Sums) -> NDArray[np.bool_]:
        rows = fps + tps
        non_empty = np.flatnonzero(np.diff(rows, prepend=0))
        places = np.searchsorted(rows[non_empty], reached)
        near = np.concatenate([[0, len(non_empty) - 1], places - 1, places, places + 1])
        chosen = np.zeros(len(rows), np.bool_)
        chosen[non_empty[np.clip(near, 0, len(non_empty) - 1)]] = True
        return chosen

    return counts_in_buckets(sample, choose, workers) or count_sample(sample, workers)


def counts_of_distance(sample: BinarySample, workers: Workers = SERIAL) -> ThresholdCounts | None:
    """Return the ties at which |tpr - fpr| may be greatest, and the last one, or None.

    At the end of each bucket the distance is known, and inside it is bounded.
    """
    n_pos, n_neg = sample.n_pos, sample.n_neg
    if not 0 < n_pos * n_neg < _PAIRS_OF_INT64:
        return None

    def choose(fps: Sums, tps: Sums) -> NDArray[np.bool_]:
        most = np.maximum(*(gaps(*inside, n_neg, n_pos) for inside in corners(fps, tps)))
        has_rows = np.diff(fps + tps, prepend=0) > 0
        chosen: NDArray[np.bool_] = (most >= gaps(fps, tps, n_neg, n_pos).max()) & has_rows
        chosen[np.flatnonzero(has_rows)[-1]] = True
        return chosen

    return counts_in_buckets(sample, choose, workers)


def counts_in_buckets(
    sample: BinarySample, choose: Choose, workers: Workers = SERIAL
) -> ThresholdCounts | None:
    """Return the ties in the chosen buckets; None if a sort of all rows is better.

    Assumes that the last bucket with rows is chosen, whose counts are all rows.
    """
    drawn = draw_many(sample)
    if drawn is None:
        return None
    if has_few_values(drawn, len(sample.label)):
        return count_sample(sample, workers)
    if len(sample.label) <= ONE_BUCKET:  # which a sort needs no map for
        return None
    buckets = choose_map(drawn, *range_of(sample), _N_BUCKETS)
    counts = start_by_buckets(sample, buckets, workers).class_sizes
    fps, tps = np.cumsum(counts[::-1], axis=0).T
    chosen = choose(fps, tps)
    if counts[::-1][chosen].sum() > len(sample.label) // 2:
        return None
    return _counts_in(sample, buckets, counts, chosen[::-1], workers)


def _counts_in(
    sample: BinarySample,
    buckets: BucketMap,
    counts: Sums,
    chosen: NDArray[np.bool_],
    workers: Workers,
) -> ThresholdCounts:
    """Return the ties in the chosen buckets, by a sort of their rows."""
    sizes = counts[chosen][::-1]
    n_neg, n_pos = sizes.sum(axis=0).tolist()
    gathered = gather_rows(sample, buckets, chosen.astype(np.uint8), n_neg, n_pos, workers)
    ties = count_sample(gathered, workers)
    # The bucket of a tie: the first of the chosen ones that ends at or after it.
    found = np.searchsorted(np.cumsum(sizes.sum(axis=1)), ties.fps + ties.tps)
    above = np.cumsum(counts[::-1], axis=0)[chosen[::-1]] - np.cumsum(sizes, axis=0)
    return ties._replace(fps=ties.fps + above[found, 0], tps=ties.tps + above[found, 1])


def counts_at_share(rows: Rows, share: float) -> ThresholdCounts:
    """Return the ties around a share of the rows of a public call."""
    check_share(share, rows.function)
    with Workers(rows.n_jobs) as workers:
        sample = rows.sample(workers)
        n = len(sample.label)
        return counts_around(sample, [exact_rate(as_fraction(share), n) * n], workers)


def take_top(rows: Rows, k: int) -> tuple[BinarySample, BinarySample]:
    """Return the sample, and the part of it that scores no less than its k highest rows."""
    check_integer(k, "k", 1, rows.function)
    sample = rows.sample(SERIAL)
    n = len(sample.score)
    if k > n:
        raise ValueError(f"k is {k}; expected no more than the {n} samples.")
    keys = keys_of(sample.score)
    is_taken = keys >= np.partition(keys, n - k)[n - k]
    label = sample.label[is_taken]
    n_pos = int(np.count_nonzero(label))
    taken = sample._replace(
        label=label, score=sample.score[is_taken], n_pos=n_pos, n_neg=len(label) - n_pos
    )
    return sample, taken
