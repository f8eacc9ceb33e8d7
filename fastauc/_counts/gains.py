"""Gain, lift and profit along the share of the rows that are predicted positive.

The share of the rows is the abscissa of all of them: the best rows are chosen first. Rows of equal
scores are chosen together, and a part of them holds the classes in proportion: between the ends of
two groups every curve but the lift is the line between them.
"""

import math
from bisect import bisect_left
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.rates import exact_rate
from fastauc._counts.roc import area, prepend
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.errors import warn_if_undefined

Points = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class ThresholdCounts(NamedTuple):
    """Counts at the end of each group of rows, the groups in decreasing order of their scores.

    Attributes
    ----------
    fps, tps : int64 arrays, or float64 arrays of sums of weights
        Negatives and positives in a group or above it. Each group holds rows.
    lows, highs : arrays
        The least and the greatest score of each group: the same where the rows of a group are tied.
        Bounds of them where ``is_mixed`` is given.
    is_mixed : bool array or None
        Groups of several scores, whose order within the group is not known. None if there are none.
    """

    fps: Array
    tps: Array
    lows: Array
    highs: Array
    is_mixed: NDArray[np.bool_] | None = None

    @property
    def has_both(self) -> bool:
        """Whether there are rows of both classes."""
        return bool(self.tps[-1] != 0 and self.fps[-1] != 0)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.tps.dtype.kind == "f"

    @property
    def total(self) -> Fraction:
        """All rows."""
        return self.rows_to(len(self.fps) - 1)

    def exact_share(self, share: Any) -> Fraction:
        """Return what a share of the rows stands for."""
        return exact_rate(as_fraction(share), self.total)

    def rows_to(self, group: int) -> Fraction:
        """Return the rows in a group or above it; none for -1."""
        if group < 0:
            return Fraction(0)
        fp, tp = self.fps.item(group), self.tps.item(group)
        return Fraction(fp) + Fraction(tp) if self.is_weighted else Fraction(fp + tp)

    def counts_to(self, group: int) -> tuple[Fraction, Fraction]:
        """Return the negatives and the positives in a group or above it; none for -1."""
        if group < 0:
            return Fraction(0), Fraction(0)
        return Fraction(self.fps.item(group)), Fraction(self.tps.item(group))

    def find(self, position: Fraction) -> int:
        """Return the first group that ends at or after so many of the best rows."""
        if self.is_weighted:
            return bisect_left(range(len(self.fps)), position, key=self.rows_to)
        fps, tps = self.fps, self.tps
        return bisect_left(
            range(len(fps)),
            math.ceil(position),
            key=lambda group: int(fps[group]) + int(tps[group]),
        )

    def find_next(self, position: Fraction) -> int:
        """Return the group of the first row after so many of the best rows."""
        group = self.find(position)
        return group + (self.rows_to(group) == position)

    def nearest_end(self, position: Fraction) -> Fraction:
        """Return the rows to the end of a group that is nearest to a position; the fewer of two."""
        group = self.find(position)
        before, end = self.rows_to(group - 1), self.rows_to(group)
        return before if 2 * position <= before + end else end

    def counts_at(self, position: Fraction, group: int) -> tuple[Fraction, Fraction]:
        """Return the negatives and the positives among so many of the best rows.

        ``group`` is the one that ``find`` returns.
        """
        fp, tp = self.counts_to(group - 1)
        next_fp, next_tp = self.counts_to(group)
        if position == next_fp + next_tp:
            return next_fp, next_tp
        part = (position - fp - tp) / (next_fp + next_tp - fp - tp)
        return fp + part * (next_fp - fp), tp + part * (next_tp - tp)


def undefined(groups: ThresholdCounts) -> bool:
    """Tell whether a class has no rows, and warn if so."""
    if groups.has_both:
        return False
    warn_if_undefined(groups.tps[-1], groups.fps[-1])
    return True


def lacks_positives(groups: ThresholdCounts) -> bool:
    """Tell whether no row is positive, and warn if so: no share of them is defined then."""
    warn_if_undefined(groups.tps[-1], 1)
    return not groups.tps[-1] > 0


def positive_rates(groups: ThresholdCounts) -> NDArray[np.float64]:
    """Return the share of the rows in each group or above it, from 0 for none."""
    rows = groups.fps + groups.tps
    return prepend(0, rows / rows[-1])


def gain_points(groups: ThresholdCounts) -> Points:
    """Return ``positive_rate, tpr, thresholds``, from (0, 0) at threshold infinity."""
    n_pos = math.nan if lacks_positives(groups) else groups.tps[-1]
    tpr = prepend(0, groups.tps) / n_pos
    return positive_rates(groups), tpr, prepend(math.inf, groups.lows)


def lift_points(groups: ThresholdCounts) -> Points:
    """Return ``positive_rate, lift, thresholds``; the lift of no rows is that of the first ones.

    The gain begins with a line through (0, 0), so this is its limit. Of numbers of rows below 2^26
    the products are exact in doubles, and a lift is rounded once.
    """
    positive_rate, lift, thresholds = gain_points(groups)
    if groups.tps[-1] > 0 and not groups.is_weighted and groups.total < 2**26:
        responses = groups.tps * int(groups.total)
        np.divide(responses, (groups.tps + groups.fps) * groups.tps[-1], out=lift[1:])
    else:
        np.divide(lift[1:], positive_rate[1:], out=lift[1:])
    lift[0] = lift[1]
    return positive_rate, lift, thresholds


def ks_points(groups: ThresholdCounts) -> tuple[NDArray[np.float64], *Points]:
    """Return ``positive_rate, tpr, fpr, thresholds``, from (0, 0, 0) at threshold infinity."""
    warn_if_undefined(groups.tps[-1], groups.fps[-1])
    tpr, fpr = (
        prepend(0, counts) / (counts[-1] if counts[-1] else math.nan)
        for counts in (groups.tps, groups.fps)
    )
    return positive_rates(groups), tpr, fpr, prepend(math.inf, groups.lows)


def profit_points(groups: ThresholdCounts, cost: float, revenue: float) -> Points:
    """Return ``positive_rate, profit, thresholds``, from (0, 0) at threshold infinity.

    Each row costs ``cost``, and each positive one brings ``revenue``.
    """
    profit = float(revenue) * groups.tps - float(cost) * (groups.tps + groups.fps)
    return positive_rates(groups), prepend(0, profit), prepend(math.inf, groups.lows)


# Numbers ----------------------------------------------------------------------------------------


def gain_of_area(area: Fraction, n_pos: Fraction, n_neg: Fraction) -> Fraction:
    """Return the area under the gain curve from that under the ROC curve.

    The share of the rows is x = p1 tpr + p0 fpr, so the integral of tpr by x is p1 / 2 + p0 A.
    """
    return (n_pos / 2 + n_neg * area) / (n_pos + n_neg)


def gain_area(groups: ThresholdCounts) -> float:
    """Return the area under the gain curve; NaN and a warning for a class without rows."""
    if undefined(groups):
        return math.nan
    n_neg, n_pos = groups.counts_to(len(groups.fps) - 1)
    return float(gain_of_area(area(groups.fps, groups.tps), n_pos, n_neg))


def gain_of_share(groups: ThresholdCounts, share: Any) -> float:
    """Return the share of the positives among a share of the rows, the best ones."""
    if lacks_positives(groups):
        return math.nan
    return float(_gain(groups, groups.exact_share(share)))


def lift_of_share(groups: ThresholdCounts, share: Any) -> float:
    """Return the gain by the share of the rows; for none of them, the limit."""
    if lacks_positives(groups):
        return math.nan
    share = groups.exact_share(share) or groups.rows_to(0) / groups.total
    return float(_gain(groups, share) / share)


def _gain(groups: ThresholdCounts, share: Fraction) -> Fraction:
    position = share * groups.total
    _, tp = groups.counts_at(position, groups.find(position))
    return tp / Fraction(groups.tps.item(-1))
