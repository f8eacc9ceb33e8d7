"""Rows in bins of the score, from counts or from the cells of a histogram, which stay whole."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.gains import ScoreGroups
from fastauc._validation.arrays import Array

Doubles = NDArray[np.float64]

_LARGEST = float(np.finfo(np.float64).max)


class ScoreCells(NamedTuple):
    """Rows of one score, or of scores between two ends, in increasing order.

    Attributes
    ----------
    lows, highs : float64 arrays of shape (n_cells,)
        The ends of each cell, equal for a single score. All are finite: a cell without an end is
        taken to be as wide as the next one.
    neg, pos : arrays of shape (n_cells,)
        The rows of each class, or their weight.
    """

    lows: Doubles
    highs: Doubles
    neg: Array
    pos: Array

    def are_probabilities(self) -> bool:
        """Tell whether no score is known to be outside [0, 1]."""
        return bool(self.highs[0] >= 0 and self.lows[-1] <= 1)


def cells_of(groups: ScoreGroups) -> ScoreCells:
    """Return the rows of each group."""
    lows, highs = (ends[::-1].astype(np.float64) for ends in (groups.lows, groups.highs))
    neg, pos = (np.diff(counts, prepend=0)[::-1] for counts in (groups.fps, groups.tps))
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
        edges = (1 - part) * low + part * high  # no difference of the ends, which may be too large
    edges = np.clip(edges, low, high)  # rounding may lead beyond them
    cell = np.maximum(np.searchsorted(cells.lows, edges, "right") - 1, 0)
    before, beyond = cells.lows[cell], cells.highs[cell]
    # Of two distances that add up to less than twice the largest double, one is finite at least,
    # and the lesser one.
    with np.errstate(over="ignore"):
        nearest = np.where(edges - before <= beyond - edges, before, beyond)
    edges = np.where((before < edges) & (edges < beyond), nearest, edges)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def find_bins(cells: ScoreCells, edges: Doubles) -> NDArray[np.intp]:
    """Return the bin of each cell; the last bin has its upper edge, too."""
    return np.clip(np.searchsorted(edges, cells.lows, "right") - 1, 0, len(edges) - 2)


def sums_of_bins(bin_of: NDArray[np.intp], n_bins: int, values: Array) -> Doubles:
    """Return the sum of the values in each bin, in the order of the cells."""
    return np.bincount(bin_of, weights=values, minlength=n_bins).astype(np.float64, copy=False)


class Calibration(NamedTuple):
    """The mean score and the share of positives in each bin that holds rows.

    Attributes
    ----------
    prob_true : float64 array of shape (n_bins,)
        The share of the positives among the rows.
    prob_pred_low, prob_pred_high : float64 arrays of shape (n_bins,)
        The least and the greatest mean that the scores may have: equal if they are known.
    """

    prob_true: Doubles
    prob_pred_low: Doubles
    prob_pred_high: Doubles


def calibrate(cells: ScoreCells, bin_of: NDArray[np.intp]) -> Calibration:
    """Return what the scores promise in each bin, and what there is."""
    held, bin_of = np.unique(bin_of, return_inverse=True)
    n_bins, in_cell = len(held), cells.neg + cells.pos
    rows = sums_of_bins(bin_of, n_bins, in_cell)
    share = in_cell / rows[bin_of]  # first: sums of scores may be too large
    # No mean is beyond all scores, but rounded it may be, and beyond the largest double even.
    low, high = (
        np.clip(sums_of_bins(bin_of, n_bins, share * ends), ends[0], ends[-1])
        for ends in (cells.lows, cells.highs)
    )
    return Calibration(sums_of_bins(bin_of, n_bins, cells.pos) / rows, low, high)
