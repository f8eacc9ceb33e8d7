"""Gain, lift and profit by the share of the rows that are predicted positive.

All of them have the share of the rows on the x axis: the rows with the highest scores are selected
first. Rows with equal scores are selected together, and any part of them contains the classes in
proportion: between the ends of two steps, every curve except the lift is linear.
"""

import math
from bisect import bisect_left
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.rates import exact_rate
from fastauc._counts.roc import area, point_at, prepend
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.errors import warn_if_undefined

Points = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class ThresholdCounts(NamedTuple):
    """Counts at the end of each step of rows, the steps in decreasing order of their scores.

    ``fps`` and ``tps`` are the numbers of rows, or their weights, in a step and those above it; no
    step is empty. ``lows`` and ``highs`` are its lowest and highest score, equal if its rows are
    tied, or bounds on them if there is ``is_mixed``: whether a step has several scores in an
    unknown order. ``weight_error`` is how far a sum may be off because single weights were rounded
    before they were added.
    """

    fps: Array
    tps: Array
    lows: Array
    highs: Array
    is_mixed: NDArray[np.bool_] | None = None
    weight_error: Fraction = Fraction(0)

    @property
    def exact(self) -> bool:
        """Whether the order of the rows and their weights are fully known."""
        return self.is_mixed is None and self.weight_error == 0

    @property
    def has_both(self) -> bool:
        """Whether both classes have rows."""
        return bool(self.tps[-1] != 0 and self.fps[-1] != 0)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.tps.dtype.kind == "f"

    @property
    def total(self) -> Fraction:
        """The number of rows, or their weight."""
        return self.rows_to(len(self.fps) - 1)

    def exact_share(self, share: Any) -> Fraction:
        """Return the exact share of the rows that a given share stands for."""
        return exact_rate(as_fraction(share), self.total)

    def rows_to(self, step: int) -> Fraction:
        """Return the number of rows in a step and those above it; 0 for -1."""
        return sum(self.counts_to(step), Fraction(0))

    def counts_to(self, step: int) -> tuple[Fraction, Fraction]:
        """Return the numbers of negatives and positives in a step and those above it; 0 for -1."""
        return point_at(self.fps, self.tps, step)

    def find(self, position: Fraction) -> int:
        """Return the first step that ends at or after this number of top rows."""
        fps, tps = self.fps, self.tps
        if self.is_weighted:
            return bisect_left(range(len(fps)), position, key=self.rows_to)
        whole, first, stop = math.ceil(position), 0, len(fps)
        while first < stop:
            middle = (first + stop) // 2
            if int(fps[middle]) + int(tps[middle]) < whole:
                first = middle + 1
            else:
                stop = middle
        return first

    def find_next(self, position: Fraction) -> int:
        """Return the step of the first row after this number of top rows."""
        step = self.find(position)
        return step + (self.rows_to(step) == position)

    def nearest_end(self, position: Fraction) -> Fraction:
        """Return the number of rows to the step end nearest to a position; the lower if tied."""
        step = self.find(position)
        before, end = self.rows_to(step - 1), self.rows_to(step)
        return before if 2 * position <= before + end else end

    def counts_at(self, position: Fraction, step: int) -> tuple[Fraction, Fraction]:
        """Return the negatives and positives among this number of top rows, which end in a step."""
        fp, tp = self.counts_to(step - 1)
        next_fp, next_tp = self.counts_to(step)
        if position == next_fp + next_tp:
            return next_fp, next_tp
        part = (position - fp - tp) / (next_fp + next_tp - fp - tp)
        return fp + part * (next_fp - fp), tp + part * (next_tp - tp)


def at_thresholds(fps: Array, tps: Array, thresholds: Array) -> ThresholdCounts:
    """Return counts at thresholds: each step holds the rows of one score."""
    return ThresholdCounts(fps, tps, thresholds, thresholds)


def positive_rates(counts: ThresholdCounts) -> NDArray[np.float64]:
    """Return the share of the rows in each step or above it, starting at 0."""
    rows = counts.fps + counts.tps
    return prepend(0, rows / rows[-1])


def gain_points(counts: ThresholdCounts) -> Points:
    """Return ``positive_rate, tpr, thresholds``, from (0, 0) at threshold infinity."""
    n_pos = math.nan if warn_if_undefined(counts.tps[-1], 1) else counts.tps[-1]
    tpr = prepend(0, counts.tps) / n_pos
    return positive_rates(counts), tpr, prepend(math.inf, counts.lows)


def lift_points(counts: ThresholdCounts) -> Points:
    """Return ``positive_rate, lift, thresholds``; the lift at 0 is that of the first step.

    The gain starts with a line through (0, 0), so this is its limit. For row counts below 2^26, the
    products are exact in doubles, and a lift is rounded only once.
    """
    positive_rate, lift, thresholds = gain_points(counts)
    if counts.tps[-1] > 0 and not counts.is_weighted and counts.total < 2**26:
        responses = counts.tps * int(counts.total)
        np.divide(responses, (counts.tps + counts.fps) * counts.tps[-1], out=lift[1:])
    else:
        np.divide(lift[1:], positive_rate[1:], out=lift[1:])
    lift[0] = lift[1]
    return positive_rate, lift, thresholds


def ks_points(counts: ThresholdCounts) -> tuple[NDArray[np.float64], *Points]:
    """Return ``positive_rate, tpr, fpr, thresholds``, from (0, 0, 0) at threshold infinity."""
    warn_if_undefined(counts.tps[-1], counts.fps[-1])
    tpr, fpr = (
        prepend(0, column) / (column[-1] if column[-1] else math.nan)
        for column in (counts.tps, counts.fps)
    )
    return positive_rates(counts), tpr, fpr, prepend(math.inf, counts.lows)


def profit_points(counts: ThresholdCounts, cost: float, revenue: float) -> Points:
    """Return ``positive_rate, profit, thresholds``, from (0, 0) at threshold infinity.

    Each row costs ``cost``, and each positive brings ``revenue``.
    """
    profit = float(revenue) * counts.tps - float(cost) * (counts.tps + counts.fps)
    return positive_rates(counts), prepend(0, profit), prepend(math.inf, counts.lows)


# Metrics ----------------------------------------------------------------------------------------


def gain_of_area(area: Fraction, n_pos: Fraction, n_neg: Fraction) -> Fraction:
    """Return the area under the gain curve from the AUC.

    The share of the rows is x = p1 tpr + p0 fpr, so the integral of tpr over x is p1 / 2 + p0 AUC.
    """
    return (n_pos / 2 + n_neg * area) / (n_pos + n_neg)


def gain_area(counts: ThresholdCounts) -> float:
    """Return the area under the gain curve; NaN, with a warning, if a class has no rows."""
    if warn_if_undefined(counts.tps[-1], counts.fps[-1]):
        return math.nan
    n_neg, n_pos = counts.counts_to(len(counts.fps) - 1)
    return float(gain_of_area(area(counts.fps, counts.tps), n_pos, n_neg))


def gain_of_share(counts: ThresholdCounts, share: Any) -> float:
    """Return the share of the positives in the top share of the rows."""
    if warn_if_undefined(counts.tps[-1], 1):
        return math.nan
    return float(_gain(counts, counts.exact_share(share)))


def lift_of_share(counts: ThresholdCounts, share: Any) -> float:
    """Return the gain divided by the share of the rows; for a share of 0, the limit."""
    if warn_if_undefined(counts.tps[-1], 1):
        return math.nan
    share = counts.exact_share(share) or counts.rows_to(0) / counts.total
    return float(_gain(counts, share) / share)


def _gain(counts: ThresholdCounts, share: Fraction) -> Fraction:
    position = share * counts.total
    _, tp = counts.counts_at(position, counts.find(position))
    return tp / Fraction(counts.tps.item(-1))
