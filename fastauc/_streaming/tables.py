"""What a histogram knows of its rows: counts or weights of both classes, cell by cell."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import histogram as _histogram
from fastauc._streaming.grids import Grid
from fastauc._validation.arrays import FLOAT32, Array
from fastauc._validation.chunks import Chunk

MOST_ROWS = 2**63 - 1  # of a class
QUANTUM = Fraction(1, 2**128)
ONLY_SCORE = np.uint64(0x7FF8000000000000)
SEVERAL = np.uint64(1)

_ALL_CELLS, _NONE_RECENT = np.empty(0, np.uint32), np.empty((0, 2), np.uint8)
_RECENT_ROWS = np.uint8(127)

_SHORT, _LONG = np.dtype(np.uint32), np.dtype(np.int64)
_MOST_SHORT = 2**32 - 1
_COUNT_ROWS: dict[tuple[bool, Any], Any] = {
    (is_single, dtype): _histogram.count_rows["float" if is_single else "double", name]
    for is_single in (False, True)
    for dtype, name in ((_SHORT, "uint32_t"), (_LONG, "int64_t"))
}
_WEIGH_ROWS = {False: _histogram.weigh_rows["double"], True: _histogram.weigh_rows["float"]}


class Held(NamedTuple):
    """The cells that hold rows, and what is known of them; nothing can be added.

    Attributes
    ----------
    sums, words, totals, rows
        Those of ``Tables``, of ``len(cells)`` cells; counts are int64.
    cells : uint32 array
        The numbers of the cells, increasing.
    """

    sums: NDArray[Any]
    words: NDArray[np.uint64]
    totals: NDArray[Any]
    rows: NDArray[np.int64]
    cells: NDArray[np.uint32]


class Tables(NamedTuple):
    """What a histogram knows of its rows.

    Attributes
    ----------
    sums : uint32 or int64 array of shape (n_cells, 2), or uint64 array of shape (n_cells, 2, 3)
        Negatives and positives of each cell, without the recent ones; short as long as the totals
        are. Their weights in quanta of 2^-128, in three words, the lowest first.
    words : uint64 array of shape (n_cells,)
        0 for a cell without rows, 1 for one of several scores; else the bits of the only score,
        exclusively or ``ONLY_SCORE``.
    totals : int64 array of shape (2,), or uint64 array of shape (2, 3)
        The sums over all cells.
    rows : int64 array of shape (2,)
        If weighted: rows whose weight is not 0, and those whose weight has been rounded to quanta.
        Unused if not.
    recent : uint8 array of shape (n_cells, 2)
        Rows that the counts lack, up to 127, and 128 more only where the word is 1: counting gets
        by with this byte for most rows. Where it is 0 nobody has looked at the word. Empty if
        weighted.
    """

    sums: NDArray[Any]
    words: NDArray[np.uint64]
    totals: NDArray[Any]
    rows: NDArray[np.int64]
    recent: NDArray[np.uint8]

    def add(self, chunk: Chunk, rows: slice, grid: Grid) -> None:
        """Add some rows of a chunk; weighted ones if it has weights."""
        label, score, rounded = chunk.label[rows], chunk.score[rows], chunk.rounded[rows]
        is_single, mapped = score.dtype is FLOAT32, (grid.line, grid.keys)
        tables = self.sums, self.words, self.totals
        if chunk.weight is None:
            count = _COUNT_ROWS[is_single, self.sums.dtype]
            is_whole = len(label) == len(chunk.label)
            n_pos = chunk.n_pos if is_whole else int(np.count_nonzero(label))
            count(label, score, rounded, *mapped, *tables, self.recent, n_pos)
        else:
            weight = chunk.weight[rows]
            _WEIGH_ROWS[is_single](label, score, rounded, weight, *mapped, *tables, self.rows)

    def with_room(self, most: int) -> "Tables":
        """Return tables, if possible these, whose counts can reach ``most``: 0 if weighted."""
        if most <= _MOST_SHORT or self.sums.dtype == _LONG:
            return self
        return self._replace(sums=self.sums.astype(_LONG))

    def merge(self, other: "Tables | Held") -> None:
        """Add tables of the same grid and kind, which may be these, or cells of such tables.

        Assumes room for the sums.
        """
        # In one call, which nothing interrupts: the cells always add up to the totals.
        cells = other.cells if isinstance(other, Held) else _ALL_CELLS
        if self.sums.ndim == 2:
            recent = _NONE_RECENT if isinstance(other, Held) else other.recent
            _histogram.merge_counts(*other[:3], cells, recent, *self[:3])
        else:
            _histogram.merge_quanta(*other[:3], cells, other.rows, *self[:3], self.rows)

    def held(self) -> Held:
        """Return the cells that hold rows."""
        cells = np.flatnonzero(self.words).astype(np.uint32)
        return Held(self.sums_of(cells), self.words[cells], self.totals, self.rows, cells)

    def sums_of(self, cells: Any) -> NDArray[Any]:
        """Return the sums of some cells; counts as int64, the recent ones included."""
        sums: NDArray[Any] = self.sums[cells]
        if sums.ndim == 3:
            return sums
        complete: NDArray[np.int64] = sums + (self.recent[cells] & _RECENT_ROWS).astype(_LONG)
        return complete


def empty_tables(grid: Grid, weighted: bool, most: int = 0) -> Tables:
    """Return tables without rows whose counts can reach ``most``.

    Pages of cells that stay empty take up no memory.
    """
    shape: tuple[int, ...] = (grid.n_cells, 2, 3) if weighted else (grid.n_cells, 2)
    dtype = np.dtype(np.uint64) if weighted else _LONG
    totals = np.zeros(shape[1:], dtype)
    sums = np.zeros(shape, _SHORT if not weighted and most <= _MOST_SHORT else dtype)
    words = np.zeros(grid.n_cells, np.uint64)
    recent = np.zeros((0 if weighted else grid.n_cells, 2), np.uint8)
    return Tables(sums, words, totals, np.zeros(2, np.int64), recent)


def as_integers(sums: NDArray[Any]) -> Array:
    """Return counts as they are, and sums of three words as Python integers."""
    if sums.dtype == _LONG:
        return sums
    low, middle, high = np.moveaxis(sums.astype(object), -1, 0)
    whole: Array = low + (middle << 64) + (high << 128)
    return whole


def as_weights(quanta: Array) -> NDArray[np.float64]:
    """Return the doubles nearest to quanta: Python divides integers with a single rounding."""
    return np.array([total / (1 << 128) for total in quanta.tolist()], np.float64)
