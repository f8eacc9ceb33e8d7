"""Sorting rows and keys by adaptive buckets; see ``fastauc._kernels.ordering``."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import buckets as _buckets, ordering as _ordering, rank_sum as _rank_sum
from fastauc._pairs.bucket_map import (
    BucketMap,
    draw_sample,
    drawn_rows,
    intervals_of,
    keys_of,
    map_by_sign,
    range_of,
)
from fastauc._validation.arrays import FLOAT32, UINT32, UINT64, Array
from fastauc._validation.errors import changed_meanwhile
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers, row_blocks

T = TypeVar("T")
# Up to so many rows, or half of them with companions, a sample and a map cost more than they gain.
ONE_BUCKET = 2**15
_ROWS_PER_BUCKET = 1024
_LEAST_BUCKETS, _MOST_BUCKETS = 2**6, 2**16
_LARGE_PAGE = 2**21  # bytes
# A bucket with this many rows and so few keys is counted; see ``ordering.pyx``.
_LEAST_COUNTED, _MOST_COUNTED = 2**9, 2**11
_NO_LABELS, _NO_COMPANION = np.empty(0, np.uint8), np.empty(0, np.uint64)


class CountedBuckets(NamedTuple):
    """Where the rows of each bucket are written, once they are counted.

    Attributes
    ----------
    map : BucketMap
    starts : uint32 array of shape (n_blocks, n_buckets)
        Where the rows of each block of rows start. If classes are kept apart, twice as wide:
        ``starts[block, 2 * bucket + label]``.
    ends : uint32 array
        Where they end, for all blocks.
    stops : uint32 array of shape (n_buckets,)
        Where the rows of each bucket end, whatever their class.
    blocks : list of slices
        As many blocks of rows as there are threads worth starting.
    """

    map: BucketMap
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    stops: NDArray[np.uint32]
    blocks: list[slice]

    @property
    def sizes(self) -> NDArray[np.uint32]:
        """The number of rows in each bucket."""
        return np.diff(self.stops, prepend=self.stops.dtype.type(0))

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """The number of negatives and positives in each bucket, if they are kept apart."""
        ends = self.ends.astype(np.int64)
        return np.diff(ends, prepend=ends.dtype.type(0)).reshape(-1, 2)

    def ranges(self) -> list[tuple[int, int]]:
        """Return one range of buckets per block, with about equal numbers of rows."""
        places = [rows.start for rows in self.blocks[1:]]
        stops = np.searchsorted(self.stops, places, "right").tolist()
        return list(zip([0, *stops], [*stops, len(self.stops)], strict=True))

    def of_ranges(self, function: Callable[[int, int], T], workers: Workers) -> list[T]:
        """Return what a function finds in each range of buckets."""
        return workers.run_all([partial(function, *bounds) for bounds in self.ranges()])


# Keys ---------------------------------------------------------------------------------------------


def sort_keys(
    keys: Array,
    workers: Workers = SERIAL,
    companion: NDArray[np.uint64] | None = None,
    sorts_ties: bool = False,
) -> None:
    """Sort keys of 32 or 64 bits, together with their companions.

    The sort is stable, or sorts the companions of equal keys too.
    """
    n = len(keys)
    if n < 2:
        return
    if n <= (ONE_BUCKET if companion is None else ONE_BUCKET // 2):
        ends = np.array([n], UINT32)
        if companion is None:
            _ordering.order_buckets(keys, ends, 0, 1, np.empty_like(keys), True)
        else:
            pairs = np.column_stack((keys, companion))
            spare = np.empty_like(pairs)
            _ordering.order_pairs(pairs, ends, 0, 1, spare, keys, companion, sorts_ties)
        return
    blocks = row_blocks(n, workers)
    ranges = workers.run_all([partial(_range_of, keys[rows]) for rows in blocks])
    low, high = min(pair[0] for pair in ranges), max(pair[1] for pair in ranges)
    if low == high and not sorts_ties:
        return
    drawn = keys[drawn_rows(n)].astype(UINT64, copy=False)
    buckets = intervals_of(low, high, drawn, _n_buckets(n))
    counted = count_buckets(keys, buckets, workers)
    if companion is None:
        order_rows(keys, _NO_LABELS, counted, workers, empty_rows(n, keys.dtype), keys)
    else:
        order_pairs(keys, _NO_LABELS, companion, counted, workers, keys, companion, sorts_ties)


def order_of(keys: Array, workers: Workers = SERIAL) -> NDArray[np.int64]:
    """Return the rows in the order of their keys, which are sorted in place; stable."""
    rows = np.arange(len(keys))
    sort_keys(keys, workers, rows.view(UINT64))
    return rows


def lexsort(columns: Sequence[Array], workers: Workers = SERIAL) -> NDArray[np.int64]:
    """Return the rows ordered by the last column, then by the one before it, and so on.

    Like ``numpy.lexsort``, for floats and integers without NaN.
    """
    order = np.arange(len(columns[0]))
    for column in columns:
        values = column[order]
        if values.dtype.kind == "u":
            keys = values.astype(UINT64, copy=False)
        else:
            is_float = values.dtype.kind == "f"
            wide = np.promote_types(values.dtype, FLOAT32) if is_float else np.dtype(np.int64)
            keys = keys_of(values.astype(wide, copy=False))
        order = order[order_of(keys, workers)]
    return order


def add_ranks(scores: Array, share: float, total: NDArray[np.float64]) -> None:
    """Add ``share`` times the rank of each row, with midranks for ties."""
    keys = keys_of(scores)
    rows = order_of(keys)
    _rank_sum.add_ranks(keys, rows.view(np.uint64), share, total)


def _range_of(keys: Array) -> tuple[int, int]:
    return int(keys.min()), int(keys.max())


# Rows ---------------------------------------------------------------------------------------------


def packed_dtype(score: Array) -> np.dtype[Any]:
    """Return the dtype of a score and a label packed in one integer."""
    return UINT32 if score.dtype is FLOAT32 else UINT64


def count_by_sign(sample: BinarySample, workers: Workers) -> tuple[CountedBuckets, int]:
    """Return buckets none of which has scores of both signs, and the number of rows below 0."""
    drawn, n_buckets = draw_sample(sample.score), _n_buckets(len(sample.score))
    buckets, first = map_by_sign(drawn, *range_of(sample), n_buckets)
    counted = count_buckets(sample.score, buckets, workers)
    return counted, int(counted.ends[first - 1]) if first else 0


def order_rows(
    source: Array,
    label: NDArray[np.uint8],
    counted: CountedBuckets,
    workers: Workers,
    placed: Array,
    ordered: Array | None = None,
) -> None:
    """Write keys, or scores and labels, to ``ordered`` in sorted order, using ``placed`` or it."""
    _place_rows(source, label, _NO_COMPANION, counted, workers, placed)

    room = _room_of_buckets(placed, counted) if ordered is None else 0

    def order(first: int, stop: int) -> None:
        other = np.empty(room, placed.dtype) if ordered is None else ordered
        _ordering.order_buckets(placed, counted.ends, first, stop, other, ordered is None)

    counted.of_ranges(order, workers)


def order_pairs(
    source: Array,
    label: NDArray[np.uint8],
    companion: NDArray[np.uint64],
    counted: CountedBuckets,
    workers: Workers,
    keys: Array,
    ordered: NDArray[np.uint64],
    sorts_ties: bool,
) -> None:
    """Do the same as ``order_rows``, to ``keys``, and write the rows' companions to ``ordered``.

    These may be the same arrays as the source and the companion. Those of equal keys stay in their
    order, unless ``sorts_ties``.
    """
    placed = empty_rows((len(source), 2), UINT64)
    _place_rows(source, label, companion, counted, workers, placed.reshape(-1))

    def order(first: int, stop: int) -> None:
        spare = np.empty((int(counted.sizes.max()), 2), UINT64)
        _ordering.order_pairs(placed, counted.ends, first, stop, spare, keys, ordered, sorts_ties)

    counted.of_ranges(order, workers)


def _place_rows(
    source: Array,
    label: NDArray[np.uint8],
    companion: NDArray[np.uint64],
    counted: CountedBuckets,
    workers: Workers,
    placed: Array,
) -> None:
    def place(k: int) -> None:
        rows = source[counted.blocks[k]], label[counted.blocks[k]], companion[counted.blocks[k]]
        _ordering.place_rows(*rows, *counted.map[:2], counted.starts[k], placed)

    place_blocks(place, counted, workers)


def _room_of_buckets(placed: Array, counted: CountedBuckets) -> int:
    """Return the number of rows to allocate in addition to those that are sorted.

    It is the size of the largest bucket; but if a value is so frequent that few other keys share
    its bucket, the kernel counts them.
    """
    n, sizes = len(placed), counted.sizes
    large = max(_LEAST_COUNTED, n // 32)
    room = max(_LEAST_COUNTED, int(sizes[sizes <= large].max(initial=0)))
    for bucket in np.flatnonzero(sizes > large).tolist():
        stop, size = int(counted.ends[bucket]), int(sizes[bucket])
        low, high = _range_of(placed[stop - size : stop])
        if high - low >= _MOST_COUNTED:
            room = max(room, size)
    return room


def count_in_order(blocks: Sequence[Array], workers: Workers = SERIAL) -> tuple[int, int]:
    """Return how many negatives are at or below a positive, and how many are tied.

    The blocks are sorted rows, packed. All rows of a block are below those of the next one.
    """
    return add_ranges(workers.run_all([partial(_rank_sum.count_pairs, rows) for rows in blocks]))


def add_ranges(found: list[tuple[int, int, int, int]]) -> tuple[int, int]:
    """Return the pairs not above and those tied of all ranges of buckets, from those of each.

    A range has the pairs not above and those tied among its own rows, its negatives, and its
    positives. All rows of a range are below those of the next one.
    """
    not_above = tied = negatives = 0
    for n_not_above, n_tied, n_neg, n_pos in found:
        not_above += n_not_above + negatives * n_pos
        tied += n_tied
        negatives += n_neg
    return not_above, tied


# Buckets ------------------------------------------------------------------------------------------


def of_blocks(function: Callable[[slice], T | None], n: int, workers: Workers) -> list[T] | None:
    """Return what a function finds in each block of n rows; None if it finds nothing in one."""
    found = workers.run_all([partial(function, rows) for rows in row_blocks(n, workers)])
    blocks = [block for block in found if block is not None]
    return blocks if len(blocks) == len(found) else None


def _n_buckets(n: int) -> int:
    return min(max(_LEAST_BUCKETS, 1 << (n // _ROWS_PER_BUCKET).bit_length()), _MOST_BUCKETS)


def count_buckets(
    source: Array, buckets: BucketMap, workers: Workers, label: NDArray[np.uint8] = _NO_LABELS
) -> CountedBuckets:
    """Count the keys or scores in each bucket; with labels, those of each class."""
    n_classes = 2 if len(label) else 1

    def count(rows: slice, counts: NDArray[np.uint32]) -> None:
        _buckets.count_rows(label[rows], source[rows], buckets.line, buckets.intervals, counts)

    blocks = row_blocks(len(source), workers)
    starts = np.zeros((len(blocks), n_classes * buckets.n_buckets), UINT32)
    workers.run_all([partial(count, rows, starts[k]) for k, rows in enumerate(blocks)])
    # Bucket by bucket, and in each block by block.
    ends_of_blocks = np.cumsum(starts.T, dtype=UINT32).reshape(-1, len(blocks))
    np.subtract(ends_of_blocks.T, starts, out=starts)
    ends = np.ascontiguousarray(ends_of_blocks[:, -1])
    return CountedBuckets(buckets, starts, ends, ends[n_classes - 1 :: n_classes], blocks)


def place_blocks(place: Callable[[int], None], counted: CountedBuckets, workers: Workers) -> None:
    """Write the rows of each block, and reject rows that differ from those that were counted.

    The starts of a block advance to those of the next, unless the scores have been modified since.
    Otherwise some positions would remain uninitialized.
    """
    starts = counted.starts
    stops = starts[1:].copy()
    workers.run_all([partial(place, k) for k in range(len(starts))])
    if not (np.array_equal(starts[:-1], stops) and np.array_equal(starts[-1], counted.ends)):
        raise changed_meanwhile()


def empty_rows(shape: int | tuple[int, ...], dtype: Any) -> Array:
    """Return an uninitialized array for all rows, in large pages if the system offers them.

    Touching a million rows for the first time costs as much as sorting them in the cache, with one
    page fault for every 4 KiB. NumPy asks Linux for pages of 2 MiB for arrays of 4 MiB or more.
    """
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if n_bytes < _LARGE_PAGE:
        return np.empty(shape, dtype)
    room = np.empty(max(n_bytes + _LARGE_PAGE, 2 * _LARGE_PAGE), np.uint8)
    start = -room.ctypes.data % _LARGE_PAGE
    rows: Array = room[start : start + n_bytes].view(dtype).reshape(shape)
    return rows
