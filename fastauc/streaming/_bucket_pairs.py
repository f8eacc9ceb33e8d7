"""The pairs within undecided bins, from the sorted rows of one bucket after the other.

A bucket of more rows than may be sorted at a time is divided by keys that are drawn from its rows,
and by the middle of its keys: each part has at most half of the keys, so that no division goes
deeper than 64 levels. A single key is never divided, as its rows are tied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.threshold_counts import as_integers
from fastauc._kernels import rank_sum as _rank_sum, wide_counts as _wide_counts
from fastauc._pairs.sorting import sort_keys
from fastauc.streaming._bins import doubles_of
from fastauc.streaming._bucket_rows import BucketRows, Keys, Store, weights_of
from fastauc.streaming._undecided import Buckets, mixed_pairs, totals_in

# Keys drawn from a bucket that is divided, and how many of them are edges of its parts.
_DRAWN, _EDGES = 2**14, 2**6


class Tally(NamedTuple):
    """The pairs of rows of neighboring keys.

    ``below`` have a lower negative, others are ``tied``; in squared units if weighted. ``totals``
    are negatives and positives, or their weights in units; ``ranks``, of shape (2, n_edges), how
    many rows of each class are below each edge of a bin.
    """

    below: int
    tied: int
    totals: tuple[int, int]
    ranks: NDArray[np.int64]

    def then(self, higher: Tally) -> Tally:
        """Return the pairs of these rows and of others, all of which are higher."""
        below = self.below + higher.below + self.totals[0] * higher.totals[1]
        totals = self.totals[0] + higher.totals[0], self.totals[1] + higher.totals[1]
        return Tally(below, self.tied + higher.tied, totals, self.ranks + higher.ranks)


def _total_of(rows: Keys) -> int:
    """Return the number of rows, or their weight in units."""
    if len(rows) == 1:
        return int(rows.shape[1])
    total = np.zeros(3, np.uint64)
    _wide_counts.add_weights(weights_of(rows), total)
    return as_integers(total[np.newaxis])[0]


def tally_sorted(classes: list[Keys], edges: Keys) -> Tally:
    """Sort the rows of both classes, and count."""
    for rows in classes:
        sort_keys(rows[0], companion=rows[1] if len(rows) == 2 else None)
    neg, pos = (rows[0] for rows in classes)
    if len(classes[0]) == 2:
        areas = np.zeros((2, 6), np.uint64)
        _wide_counts.weigh_pairs(neg, weights_of(classes[0]), pos, weights_of(classes[1]), areas)
        below, tied = as_integers(areas)
    else:
        below, tied = _rank_sum.count_pairs_of_keys(neg, pos)
    ranks = np.stack([np.searchsorted(keys, edges) for keys in (neg, pos)])
    return Tally(below, tied, (_total_of(classes[0]), _total_of(classes[1])), ranks)


def tally_bucket(
    rows: BucketRows, bucket: int, most: int, edges: Keys, span: tuple[int, int] | None = None
) -> Tally:
    """Count the rows of a bucket, at most so many at a time, whose keys are in a span of two."""
    sizes = [rows.size(bucket, label) for label in (0, 1)]
    n_rows = sum(sizes)
    low, last = span or (int(edges[0]), int(edges[-1]) - 1)
    if low == last:
        # These are tied, and may be too many to sort.
        neg, pos = (sum(map(_total_of, rows.parts(bucket, label, most))) for label in (0, 1))
        ranks = np.where(edges > low, np.array(sizes)[:, None], 0)
        return Tally(0, neg * pos, (neg, pos), ranks)
    if n_rows <= most or rows.store.file is None:
        return tally_sorted([rows.rows(bucket, label) for label in (0, 1)], edges)
    cuts = _cuts(rows, bucket, (low, last), n_rows)
    numbers = np.arange(1, len(cuts) + 2, dtype=np.uint16)
    parts = BucketRows(Store(0, rows.store.file), numbers, len(numbers), weighted=rows.weighted)
    for label in (0, 1):
        for part in rows.parts(bucket, label, most):
            labels = np.full(part.shape[1], label, np.uint8)
            places = np.searchsorted(cuts, part[0], "right").astype(np.uint32)
            parts.add(labels, doubles_of(part[0]), places, weights_of(part))
    tally = Tally(0, 0, (0, 0), np.zeros((2, len(edges)), np.int64))
    lows, lasts = [low, *cuts.tolist()], [*(cuts - np.uint64(1)).tolist(), last]
    for k, span_of_part in enumerate(zip(lows, lasts, strict=True)):
        tally = tally.then(tally_bucket(parts, k, most, edges, span_of_part))
    return tally


def _cuts(rows: BucketRows, bucket: int, span: tuple[int, int], n_rows: int) -> Keys:
    """Return where to divide a bucket: the lowest key of every part but the first."""
    low, last = span
    step = max(n_rows // _DRAWN, 1)
    drawn = [
        part[0, : -(-part.shape[1] // step)]
        for label in (0, 1)
        for part in rows.parts(bucket, label, _DRAWN)
    ]
    sample = np.concatenate(drawn)
    sort_keys(sample)
    # Around a key that is drawn several times, so that it may become a part of its own.
    chosen = sample[:: -(-len(sample) // _EDGES)]
    middle = np.array([low + (last - low) // 2 + 1], np.uint64)
    cuts = np.unique(np.concatenate([chosen, chosen + np.uint64(1), middle]))
    return cuts[(cuts > low) & (cuts <= last)]


def count_bucket(
    buckets: Buckets, bucket: int, tally_rows: Callable[[Keys], Tally]
) -> tuple[int, int]:
    """Return the concordant and tied pairs within the bins of a bucket.

    The pairs of two of the bins are counted along with them, and subtracted: they are known from
    the histogram. A ValueError for a bin whose rows are not those of the first reading.
    """
    first, stop = buckets.first[bucket : bucket + 2].tolist()
    ends = buckets.edges[first:stop].ravel()
    tally = tally_rows(ends)
    sums = buckets.undecided.sums[first:stop]
    if sums.ndim == 2:
        differs = (tally.ranks[:, 1::2] - tally.ranks[:, ::2] != sums.T).any(axis=0)
    else:  # the weights of a bin are not known
        differs = np.array([tally.totals != totals_in(sums)])
        ends = ends[[0, -1]]
    if differs.any():
        k = 2 * int(np.argmax(differs))
        low, last = doubles_of(ends[k : k + 2] - np.array([0, 1], np.uint64)).tolist()
        raise ValueError(
            f"The rows with scores from {low!r} to {last!r} differ from the rows of the first "
            "reading; expected the same data in each reading."
        )
    return tally.below - mixed_pairs(sums).concordant, tally.tied
