"""Sorting rows and keys by adaptive bins (cells); see ``fastauc._kernels.ordering``."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import ordering as _ordering
from fastauc._pairs.bucket_map import (
    BucketMap,
    draw_sample,
    drawn_rows,
    keys_of,
    map_by_sign,
    pieces_of,
    range_of,
)
from fastauc._validation.arrays import FLOAT32, UINT32, UINT64, Array
from fastauc._validation.errors import changed_meanwhile
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers, row_blocks

# Up to so many rows, or half of them with companions, a sample and a map cost more than they gain.
ONE_CELL = 2**15
_ROWS_PER_CELL = 1024
_LEAST_CELLS, _MOST_CELLS = 2**6, 2**16
_LARGE_PAGE = 2**21  # bytes
# A cell with this many rows and so few keys is counted; see ``ordering.pyx``.
_LEAST_COUNTED, _MOST_COUNTED = 2**9, 2**11
_NO_LABELS, _NO_COMPANION = np.empty(0, np.uint8), np.empty(0, np.uint64)


class Cells(NamedTuple):
    """Where the rows of each cell are written, once they are counted.

    Attributes
    ----------
    map : BucketMap
    starts : uint32 array of shape (n_blocks, n_cells)
        Where the rows of each block of rows start.
    ends : uint32 array
        Where the rows of each cell end.
    blocks : list of slices
        As many blocks of rows as there are threads worth starting.
    """

    map: BucketMap
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    blocks: list[slice]

    @property
    def sizes(self) -> NDArray[np.uint32]:
        """The number of rows in each cell."""
        return np.diff(self.ends, prepend=self.ends.dtype.type(0))

    def ranges(self) -> list[tuple[int, int]]:
        """Return one range of cells per block, with about equal numbers of rows."""
        return ranges_of(self.ends, self.blocks)


def ranges_of(ends: NDArray[np.uint32], blocks: list[slice]) -> list[tuple[int, int]]:
    """Return one range of cells per block, with about equal numbers of rows."""
    places = [rows.start for rows in blocks[1:]]
    stops = np.searchsorted(ends, places, "right").tolist()
    return list(zip([0, *stops], [*stops, len(ends)], strict=True))


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
    if n <= (ONE_CELL if companion is None else ONE_CELL // 2):
        if companion is None:
            _ordering.order_few(keys, np.empty_like(keys))
        else:
            pairs, ends = np.column_stack((keys, companion)), np.array([n], UINT32)
            spare = np.empty_like(pairs)
            _ordering.order_pairs(pairs, ends, 0, 1, spare, keys, companion, sorts_ties)
        return
    blocks = row_blocks(n, workers)
    ranges = workers.run_all([partial(_range_of, keys[rows]) for rows in blocks])
    low, high = min(pair[0] for pair in ranges), max(pair[1] for pair in ranges)
    if low == high and not sorts_ties:
        return
    drawn = keys[drawn_rows(n)].astype(UINT64, copy=False)
    cells = count_cells(keys, pieces_of(low, high, drawn, _n_cells(n)), workers)
    if companion is None:
        order_rows(keys, _NO_LABELS, cells, workers, empty_rows(n, keys.dtype), keys)
    else:
        order_pairs(keys, _NO_LABELS, companion, cells, workers, keys, companion, sorts_ties)


def order_of(keys: Array, workers: Workers = SERIAL) -> NDArray[np.int64]:
    """Return the rows in the order of their keys, which are sorted in place; stable."""
    rows = np.arange(len(keys))
    sort_keys(keys, workers, rows.view(UINT64))
    return rows


def sort_weighted_keys(keys: Array, weight: NDArray[np.float64], workers: Workers = SERIAL) -> None:
    """Sort keys with their weights, and the weights of equal keys in increasing order.

    So the order, and any sum along it, depends only on the values. The bits of weights, which are
    not below 0, are in their order.
    """
    sort_keys(keys, workers, weight.view(UINT64), sorts_ties=True)


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


def _range_of(keys: Array) -> tuple[int, int]:
    return int(keys.min()), int(keys.max())


# Rows ---------------------------------------------------------------------------------------------


def packed_dtype(score: Array) -> np.dtype[Any]:
    """Return the dtype of a score and a label packed in one integer."""
    return UINT32 if score.dtype is FLOAT32 else UINT64


def cells_of_sample(sample: BinarySample, workers: Workers) -> tuple[Cells, int]:
    """Return cells none of which has scores of both signs, and the number of rows below 0."""
    drawn, n_cells = draw_sample(sample.score), _n_cells(len(sample.score))
    buckets, first = map_by_sign(drawn, *range_of(sample), n_cells)
    cells = count_cells(sample.score, buckets, workers)
    return cells, int(cells.ends[first - 1]) if first else 0


def order_rows(
    source: Array,
    label: NDArray[np.uint8],
    cells: Cells,
    workers: Workers,
    placed: Array,
    ordered: Array | None = None,
) -> None:
    """Write keys, or scores and labels, to ``ordered`` in sorted order, using ``placed`` or it."""
    _place_rows(source, label, _NO_COMPANION, cells, workers, placed)

    room = _room_of_cells(placed, cells) if ordered is None else 0

    def order(first: int, stop: int) -> None:
        other = np.empty(room, placed.dtype) if ordered is None else ordered
        _ordering.order_cells(placed, cells.ends, first, stop, other, ordered is None)

    workers.run_all([partial(order, *part) for part in cells.ranges()])


def order_pairs(
    source: Array,
    label: NDArray[np.uint8],
    companion: NDArray[np.uint64],
    cells: Cells,
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
    _place_rows(source, label, companion, cells, workers, placed.reshape(-1))

    def order(first: int, stop: int) -> None:
        spare = np.empty((int(cells.sizes.max()), 2), UINT64)
        _ordering.order_pairs(placed, cells.ends, first, stop, spare, keys, ordered, sorts_ties)

    workers.run_all([partial(order, *part) for part in cells.ranges()])


def _place_rows(
    source: Array,
    label: NDArray[np.uint8],
    companion: NDArray[np.uint64],
    cells: Cells,
    workers: Workers,
    placed: Array,
) -> None:
    def place(k: int) -> None:
        rows = source[cells.blocks[k]], label[cells.blocks[k]], companion[cells.blocks[k]]
        _ordering.place_rows(*rows, *cells.map[:2], cells.starts[k], placed)

    place_blocks(place, cells.starts, cells.ends, workers)


def _room_of_cells(placed: Array, cells: Cells) -> int:
    """Return the number of rows to allocate in addition to those that are sorted.

    It is the size of the largest cell; but if a value is so frequent that few other keys share its
    cell, the kernel counts them.
    """
    n = len(placed)
    large = max(_LEAST_COUNTED, n // 32)
    room = max(_LEAST_COUNTED, int(cells.sizes[cells.sizes <= large].max(initial=0)))
    for cell in np.flatnonzero(cells.sizes > large).tolist():
        stop, size = int(cells.ends[cell]), int(cells.sizes[cell])
        low, high = _range_of(placed[stop - size : stop])
        if high - low >= _MOST_COUNTED:
            room = max(room, size)
    return room


def count_pairs_in_order(sample: BinarySample, workers: Workers) -> tuple[int, int]:
    """Return how many negatives are at or below a positive, and how many are tied.

    The rows of a cell are sorted and counted while they are in the cache.
    """
    cells, _ = cells_of_sample(sample, workers)
    dtype = packed_dtype(sample.score)
    # 8 bytes per row stay within the limit of 10 only without large pages.
    placed = np.empty(len(sample.score), dtype)
    _place_rows(sample.score, sample.label, _NO_COMPANION, cells, workers, placed)
    room = _room_of_cells(placed, cells)

    def count(first: int, stop: int) -> tuple[int, int, int]:
        spare = np.empty(room, dtype)
        return _ordering.count_pairs_of_cells(placed, cells.ends, first, stop, spare)

    not_above = tied = negatives = positives = 0
    ranges = cells.ranges()
    counted = workers.run_all([partial(count, *part) for part in ranges])
    for (first, stop), part in zip(ranges, counted, strict=True):
        rows = int(cells.ends[stop - 1]) if stop else 0
        rows -= int(cells.ends[first - 1]) if first else 0
        positives = rows - part[2]
        not_above += part[0] + negatives * positives
        tied += part[1]
        negatives += part[2]
    return not_above, tied


# Cells --------------------------------------------------------------------------------------------


def _n_cells(n: int) -> int:
    return min(max(_LEAST_CELLS, 1 << (n // _ROWS_PER_CELL).bit_length()), _MOST_CELLS)


def count_cells(source: Array, buckets: BucketMap, workers: Workers) -> Cells:
    """Count the keys or scores in each cell."""
    blocks = row_blocks(len(source), workers)
    counts = np.zeros((len(blocks), buckets.n_buckets), UINT32)
    workers.run_all(
        [
            partial(_ordering.count_cells, source[rows], *buckets[:2], counts[k])
            for k, rows in enumerate(blocks)
        ]
    )
    by_cell = counts.T.ravel()
    ends = np.cumsum(by_cell, dtype=UINT32)
    starts = np.ascontiguousarray((ends - by_cell).reshape(-1, len(blocks)).T)
    return Cells(buckets, starts, ends[len(blocks) - 1 :: len(blocks)].copy(), blocks)


def place_blocks(
    place: Callable[[int], None],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    workers: Workers,
) -> None:
    """Write the rows of each block, and reject rows that differ from those that were counted.

    The starts of a block advance to those of the next, unless the scores have been modified since.
    Otherwise some positions would remain uninitialized.
    """
    stops = starts[1:].copy()
    workers.run_all([partial(place, k) for k in range(len(starts))])
    if not (np.array_equal(starts[:-1], stops) and np.array_equal(starts[-1], ends)):
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
