"""Rows of equal or of close scores, and bins of them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.threshold_counts import ThresholdCounts
from fastauc._drawing.thinning import Doubles
from fastauc._validation.arrays import Array

_LARGEST = float(np.finfo(np.float64).max)
# Limits for scores that are whole steps apart: the number of steps, and the rounding of one.
_MOST_STEPS, _OFF_STEP = 10_000, 1e-6


class ScoreCells(NamedTuple):
    """Rows of one score, or of scores between two ends, in increasing order.

    The ends are finite: a cell without one is given the width of its neighbor. ``neg`` and ``pos``
    are the rows of each class, or their weight.
    """

    lows: Doubles
    highs: Doubles
    neg: Array
    pos: Array

    def are_probabilities(self) -> bool:
        """Tell whether no score is known to be outside [0, 1]."""
        return bool(self.highs[0] >= 0 and self.lows[-1] <= 1)


def cells_of(steps: ThresholdCounts) -> ScoreCells:
    """Return the rows of each group."""
    lows, highs = (ends[::-1].astype(np.float64) for ends in (steps.lows, steps.highs))
    neg, pos = (np.diff(counts, prepend=0)[::-1] for counts in (steps.fps, steps.tps))
    held = neg + pos > 0  # a weight may be lost in a sum of larger ones
    lows, highs, neg, pos = (values[held] for values in (lows, highs, neg, pos))
    with np.errstate(over="ignore"):  # an infinite width is not taken, and an infinite end clipped
        widths = highs - lows
        known = widths[np.isfinite(widths) & (widths > 0)]
        if lows[0] == -math.inf:
            lows[0] = highs[0] - (known[0] if len(known) else 1.0)
        if highs[-1] == math.inf:
            highs[-1] = lows[-1] + (known[-1] if len(known) else 1.0)
    lows, highs = (np.clip(ends, -_LARGEST, _LARGEST) for ends in (lows, highs))
    return ScoreCells(lows, highs, neg, pos)


def without_tails(cells: ScoreCells) -> ScoreCells:
    """Return the cells without the outer thousandth of the rows on either side.

    But only if these would squeeze all others into a third of the picture or less.
    """
    rows = np.cumsum(cells.neg + cells.pos)
    first, last = (int(np.searchsorted(rows, rows[-1] * share)) for share in (0.001, 0.999))
    inner = ScoreCells(*(values[first : last + 1] for values in cells))
    low, high = inner.lows[0] / 3, inner.highs[-1] / 3  # a difference may overflow
    is_squeezed = 0 < high - low < (cells.highs[-1] / 3 - cells.lows[0] / 3) / 3
    return inner if is_squeezed else cells


def edges_between(cells: ScoreCells, bins: int) -> Doubles:
    """Return the edges of bins of equal width, but for those that would cut a cell.

    They move to the nearest end of the cell, so that there may be fewer bins.
    """
    low, high = cells.lows[0], cells.highs[-1]
    if low == high:
        half = max(0.5, math.ulp(low))
        return np.array([max(float(low) - half, -_LARGEST), min(float(high) + half, _LARGEST)])
    part = np.arange(bins + 1) / bins
    with np.errstate(over="ignore"):
        edges = (1 - part) * low + part * high  # high - low may overflow
    edges = np.clip(edges, low, high)  # rounding may lead beyond them
    cell = np.maximum(np.searchsorted(cells.lows, edges, "right") - 1, 0)
    before, beyond = cells.lows[cell], cells.highs[cell]
    # The two distances add up to less than twice the largest double, so at least the smaller one
    # is finite.
    with np.errstate(over="ignore"):
        nearest = np.where(edges - before <= beyond - edges, before, beyond)
    edges = np.where((before < edges) & (edges < beyond), nearest, edges)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def edges_of_steps(cells: ScoreCells, bins: int) -> Doubles | None:
    """Return edges halfway between scores that are whole steps apart, like those of two decimals.

    All bins are equally many steps wide, and the last one may end above the scores: if bins held
    two and three of these scores in turn, the histogram would look like a comb, and a narrow bin at
    the end would make a spike of one row. None for scores without a common step, or with very many
    steps.
    """
    low, high = cells.lows[0], cells.highs[-1]
    # With only two scores, their distance would always be a step.
    if not 2 < len(cells.lows) <= _MOST_STEPS or (cells.lows < cells.highs).any():
        return None
    if max(-low, high) > _LARGEST / 4:  # an edge may be beyond the largest double
        return None
    gaps = np.diff(cells.lows)
    step = gaps.min()
    with np.errstate(over="ignore"):
        steps = gaps / step
    if not steps.sum() <= _MOST_STEPS or np.abs(steps - np.rint(steps)).max() > _OFF_STEP:
        return None
    n_steps = int(np.rint(steps).sum()) + 1
    width = math.ceil(n_steps / bins)
    edges = low + step * (width * np.arange(math.ceil(n_steps / width) + 1) - 0.5)
    return np.unique(edges)


def with_edge_at(
    edges: Doubles, cut: float, cells: ScoreCells, is_stepped: bool
) -> tuple[Doubles, float]:
    """Return the edges with one at the cut, by moving the nearest inner edge there, and the cut.

    It divides the cells: those at or above it are in the bins to its right. If ``is_stepped``, it
    is put halfway between two scores.
    """
    above = int(np.searchsorted(cells.lows, cut))
    if is_stepped and 0 < above < len(cells.lows):
        below, at = cells.lows[above - 1 : above + 1].tolist()
        cut = max((below + at) / 2, math.nextafter(below, at))
    if above < len(cells.lows) and cut >= edges[-1]:
        # The last bin would hold rows of both sides: those at its upper edge get one of their own.
        beyond = min(2 * cut - float(edges[-2]), _LARGEST)
        if beyond > cut:
            return np.append(edges, beyond), cut
        cut = math.nextafter(cut, 0)
    cut = float(np.clip(cut, edges[0], edges[-1]))
    moved = edges.copy()
    nearest = int(np.argmin(np.abs(edges / 2 - cut / 2)))  # halves: differences may be too large
    if 0 < nearest < len(edges) - 1:
        moved[nearest] = cut
        return moved, cut
    return np.union1d(edges, cut), cut


def find_bins(cells: ScoreCells, edges: Doubles) -> NDArray[np.intp]:
    """Return the bin of each cell; the last bin includes its upper edge."""
    return np.clip(np.searchsorted(edges, cells.lows, "right") - 1, 0, len(edges) - 2)


def sums_of_bins(bin_of: NDArray[np.intp], n_bins: int, values: Array) -> Doubles:
    """Return the sum of the values in each bin, in the order of the cells."""
    return np.bincount(bin_of, weights=values, minlength=n_bins).astype(np.float64, copy=False)
