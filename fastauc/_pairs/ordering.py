"""Put keys in order by adaptive cells; see ``fastauc._kernels.ordering``."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import buckets as _buckets, ordering as _ordering, sort_scan as _sort_scan
from fastauc._validation.arrays import Array
from fastauc._validation.threads import SERIAL, Workers, row_blocks

_SAMPLE_SIZE = 2048
# The upper halves of the multiples of the golden ratio: no period of the rows can hide from them.
_FRACTIONS = np.arange(_SAMPLE_SIZE, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(
    32
)
_PIECE_BITS = 11
_ROWS_PER_CELL = 1024
_LEAST_CELLS, _MOST_CELLS = 2**6, 2**16
_ONE_CELL = 2**12  # rows
_LARGE_PAGE = 2**21  # bytes


def sort_keys(
    keys: Array, workers: Workers = SERIAL, companion: NDArray[np.uint64] | None = None
) -> None:
    """Put keys of 32 or 64 bits in order, and what belongs to them with them.

    Equal keys stay in the order in which they are.
    """
    n = len(keys)
    if n < 2:
        return
    if n <= _ONE_CELL:
        _sort_few(keys, companion)
        return
    blocks = row_blocks(n, workers)
    ranges = workers.run_all([partial(_range_of, keys[rows]) for rows in blocks])
    low, high = min(pair[0] for pair in ranges), max(pair[1] for pair in ranges)
    if low == high:
        return
    pieces = pieces_of(low, high, keys[_FRACTIONS * np.uint64(n) >> np.uint64(32)], _n_cells(n))
    starts = _start_cells(keys, pieces, blocks, workers)
    shape = (n,) if companion is None else (n, 2)
    placed = empty_rows(shape, keys.dtype if companion is None else np.dtype(np.uint64))

    def place(k: int) -> None:
        rows = blocks[k]
        if companion is None:
            _ordering.place_keys(keys[rows], pieces, starts[k], placed)
        else:
            _ordering.place_pairs(keys[rows], companion[rows], pieces, starts[k], placed)

    workers.run_all([partial(place, k) for k in range(len(blocks))])
    ends = starts[-1]

    def order(first: int, stop: int) -> None:
        if companion is None:
            _ordering.order_keys(placed, ends, first, stop, keys)
        else:
            sizes = np.diff(ends[first:stop], prepend=ends[first - 1] if first else 0)
            spare = np.empty((int(sizes.max(initial=0)), 2), np.uint64)
            _ordering.order_pairs(placed, ends, first, stop, spare, keys, companion)

    places = [rows.start for rows in blocks[1:]]
    stops = np.searchsorted(ends, places, "right").tolist()
    cells = zip([0, *stops], [*stops, len(ends)], strict=True)
    workers.run_all([partial(order, first, stop) for first, stop in cells])


def order_of(keys: Array, workers: Workers = SERIAL) -> NDArray[np.int64]:
    """Return the rows in the order of their keys, which are put in order; ties stay as they are."""
    rows = np.arange(len(keys))
    sort_keys(keys, workers, rows.view(np.uint64))
    return rows


def sort_weighted_keys(
    keys: Array, weight: NDArray[np.float64], workers: Workers = SERIAL
) -> None:
    """Put keys in order and their weights with them, those of equal keys in increasing order.

    So the order, and any sum along it, depends on nothing but the values.
    """
    sort_keys(keys, workers, weight.view(np.uint64))
    _sort_scan.sort_ties(keys, weight)


def lexsort(columns: Sequence[Array], workers: Workers = SERIAL) -> NDArray[np.int64]:
    """Return the rows in the order of the last column, of the one before it where that ties, ...

    As ``numpy.lexsort`` does, of float64, unsigned or other integers, and of no NaN.
    """
    order = np.arange(len(columns[0]))
    for column in columns:
        if column.dtype.kind == "u":
            keys = column[order].astype(np.uint64, copy=False)
        else:
            keys = np.empty(len(column), np.uint64)
            wide = np.float64 if column.dtype.kind == "f" else np.int64
            _buckets.ordered_keys(column[order].astype(wide, copy=False), keys)
        order = order[order_of(keys, workers)]
    return order


def _sort_few(keys: Array, companion: NDArray[np.uint64] | None) -> None:
    if companion is None:
        _ordering.order_few(keys, np.empty_like(keys))
        return
    pairs, ends = np.column_stack((keys, companion)), np.array([len(keys)], np.uint32)
    _ordering.order_pairs(pairs, ends, 0, 1, np.empty_like(pairs), keys, companion)


def _n_cells(n: int) -> int:
    return min(max(_LEAST_CELLS, 1 << (n // _ROWS_PER_CELL).bit_length()), _MOST_CELLS)


def _range_of(keys: Array) -> tuple[int, int]:
    return int(keys.min()), int(keys.max())


def pieces_of(low: int, high: int, drawn: Array, n_cells: int) -> NDArray[np.uint64]:
    """Return a map of pieces, ``bucket_map.map_t``, from the range of keys and a sample of them.

    An interval of keys, some part of a power of two, has as many cells as the sample has rows
    there, and one.
    """
    # Where processors take subnormal numbers for 0, the lowest score may not have the lowest key.
    offsets = np.clip(drawn.astype(np.uint64, copy=False), low, high) - np.uint64(low)
    shift = max(1, (high - low).bit_length() - _PIECE_BITS)
    n_pieces = (high - low >> shift) + 1
    numbers = (offsets >> np.uint64(shift)).astype(np.intp)
    widths = 1 + n_cells * np.bincount(numbers, minlength=n_pieces) // len(drawn)
    pieces = np.empty(n_pieces + 3, np.uint64)
    pieces[:3] = low, high, shift
    pieces[3:] = (np.cumsum(widths) - widths) << 32 | widths
    return pieces


def n_cells_of(pieces: NDArray[np.uint64]) -> int:
    """Return how many cells a map of pieces can reach."""
    return int(pieces[-1] >> np.uint64(32)) + int(pieces[-1] & np.uint64(0xFFFFFFFF))


def _start_cells(
    keys: Array, pieces: NDArray[np.uint64], blocks: list[slice], workers: Workers
) -> NDArray[np.uint32]:
    """Return where the first row of each block of rows belongs in each cell."""
    counts = np.zeros((len(blocks), n_cells_of(pieces)), np.uint32)
    workers.run_all(
        [
            partial(_ordering.count_cells, keys[rows], pieces, counts[k])
            for k, rows in enumerate(blocks)
        ]
    )
    by_cell = counts.T.ravel()
    starts = (np.cumsum(by_cell, dtype=np.uint32) - by_cell).reshape(-1, len(blocks))
    return np.ascontiguousarray(starts.T)


def empty_rows(shape: int | tuple[int, ...], dtype: Any) -> Array:
    """Return room for something of each row, in large pages where the system offers them.

    To touch a million rows for the first time costs as much as to sort them in the cache, one fault
    for every 4 KiB. NumPy asks Linux for pages of 2 MiB where an array has 4 MiB or more.
    """
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if n_bytes < _LARGE_PAGE:
        return np.empty(shape, dtype)
    room = np.empty(max(n_bytes + _LARGE_PAGE, 2 * _LARGE_PAGE), np.uint8)
    start = -room.ctypes.data % _LARGE_PAGE
    return room[start : start + n_bytes].view(dtype).reshape(shape)
