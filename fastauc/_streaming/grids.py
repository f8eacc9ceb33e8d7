"""Which cell a score belongs to: grids that are known before the rows, so that parts can merge.

A grid is monotone: a higher score is never in a lower cell. The reasons are beside the loops of
``_histogram``.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import histogram as _histogram
from fastauc._validation.arrays import FLOAT32, Array

_SIGN = np.uint64(1 << 63)
_NO_LINE, _NO_KEYS = np.empty(0), np.empty(0, np.uint64)

FIND_CELLS = {False: _histogram.find_cells["double"], True: _histogram.find_cells["float"]}


class Grid(NamedTuple):
    """A map from scores to cells, by bits, by a line, or by edges.

    Attributes
    ----------
    n_cells : int
        The cells are numbered from 0, in the order of their scores.
    span : tuple of two floats, or None
        The range of a linear grid, which has a last cell for all scores from its end on.
    edges : float64 array of shape (n_edges,)
        The least score of each cell but the first. Empty if there are no edges.
    line : float64 array of shape (3,)
        The start of the range, cells for a unit of score, and the last cell. Else empty.
    keys : uint64 array of shape (n_edges,)
        The bits of the edges, in their order.
    """

    n_cells: int
    span: tuple[float, float] | None
    edges: NDArray[np.float64]
    line: NDArray[np.float64]
    keys: NDArray[np.uint64]

    def find_cells(self, score: Array) -> NDArray[np.uint32]:
        """Return the cell of each score of a float32 or float64 array."""
        cells = np.empty(len(score), np.uint32)
        FIND_CELLS[score.dtype is FLOAT32](score, self.line, self.keys, cells)
        return cells

    def lower_edges(self, cells: NDArray[Any]) -> NDArray[np.float64]:
        """Return the least double of each cell, and minus infinity for the first cell."""
        return np.where(cells == 0, -math.inf, doubles_of(self.lower_keys(cells)))

    def upper_edges(self, cells: NDArray[Any]) -> NDArray[np.float64]:
        """Return the least double above each cell, and infinity for the last cell."""
        following = cells.astype(np.int64) + 1
        return np.where(following == self.n_cells, math.inf, self.lower_edges(following))

    def lower_keys(self, cells: NDArray[Any]) -> NDArray[np.uint64]:
        """Return the key of the least double of each cell.

        Found by bisection of all doubles, so that no formula has to be inverted: a cell begins
        where the map says so.
        """
        low, high = (
            np.full(len(cells), key)
            for key in keys_of(np.array([-np.finfo(float).max, np.finfo(float).max]))
        )
        for _ in range(64):
            middle = low + (high - low) // np.uint64(2)
            reaches = self.find_cells(doubles_of(middle)) >= cells
            high = np.where(reaches, middle, high)
            low = np.where(reaches, low, middle + np.uint64(1))
        # Below the key of 0.0 is that of -0.0, which is no other score.
        return np.where(high == _SIGN - np.uint64(1), _SIGN, high)

    def is_equal(self, other: "Grid") -> bool:
        """Tell whether both send every score to the same cell."""
        mine, others = (self.span, self.n_cells), (other.span, other.n_cells)
        return mine == others and np.array_equal(self.keys, other.keys)

    def describe(self) -> dict[str, Any]:
        """Return the arguments that make this grid."""
        if self.span is not None:
            return {"bins": self.n_cells - 1, "range": self.span}
        return {"edges": self.edges} if len(self.edges) else {}


def keys_of(doubles: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return the bits of doubles as integers in their order; both zeros have the same."""
    bits = doubles.view(np.uint64)
    keys = bits >> np.uint64(63)
    np.negative(keys, out=keys)  # all ones below 0, which turn the order around
    keys |= _SIGN
    keys ^= bits
    keys[bits == _SIGN] = _SIGN
    return keys


def doubles_of(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the doubles of the keys."""
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


def grid_by_bits() -> Grid:
    """Return the grid that needs no range: its cells are parts of powers of two."""
    return Grid(_histogram.N_CELLS_BY_BITS, None, _NO_LINE, _NO_LINE, _NO_KEYS)


def grid_by_line(bins: int, low: float, high: float) -> Grid:
    """Return a grid of equal cells; the last one holds the scores from ``high`` on."""
    line = np.array([low, bins / (high - low), float(bins)])
    return Grid(bins + 1, (low, high), _NO_LINE, line, _NO_KEYS)


def grid_by_edges(edges: NDArray[np.float64]) -> Grid:
    """Return a grid with a cell below the first edge and one from each edge on."""
    return Grid(len(edges) + 1, None, edges, _NO_LINE, keys_of(edges))
