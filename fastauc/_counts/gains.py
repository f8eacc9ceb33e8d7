"""Gain, lift and profit by the share of the rows that are predicted positive.

All of them have the share of the rows on the x axis: the rows with the highest scores are selected
first. Rows with equal scores are selected together, and any part of them contains the classes in
proportion: between the ends of two steps, every curve except the lift is linear.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.roc import area, prepend
from fastauc._counts.threshold_counts import ThresholdCounts
from fastauc._validation.errors import warn_if_undefined

Points = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def shares(counts: ThresholdCounts) -> NDArray[np.float64]:
    """Return the share of the rows in each step or above it, starting at 0."""
    rows = counts.fps + counts.tps
    return prepend(0, rows / rows[-1])


def gain_points(counts: ThresholdCounts) -> Points:
    """Return ``share, tpr, thresholds``, from (0, 0) at threshold infinity."""
    n_pos = math.nan if warn_if_undefined(counts.tps[-1], 1) else counts.tps[-1]
    tpr = prepend(0, counts.tps) / n_pos
    return shares(counts), tpr, prepend(math.inf, counts.lows)


def lift_points(counts: ThresholdCounts) -> Points:
    """Return ``share, lift, thresholds``; the lift at 0 is that of the first step.

    The gain starts with a line through (0, 0), so this is its limit. For row counts below 2^26, the
    products are exact in doubles, and a lift is rounded only once.
    """
    share, lift, thresholds = gain_points(counts)
    if counts.tps[-1] > 0 and not counts.is_weighted and counts.total < 2**26:
        responses = counts.tps * int(counts.total)
        np.divide(responses, (counts.tps + counts.fps) * counts.tps[-1], out=lift[1:])
    else:
        np.divide(lift[1:], share[1:], out=lift[1:])
    lift[0] = lift[1]
    return share, lift, thresholds


def ks_points(counts: ThresholdCounts) -> tuple[NDArray[np.float64], *Points]:
    """Return ``share, tpr, fpr, thresholds``, from (0, 0, 0) at threshold infinity."""
    warn_if_undefined(counts.tps[-1], counts.fps[-1])
    tpr, fpr = (
        prepend(0, column) / (column[-1] if column[-1] else math.nan)
        for column in (counts.tps, counts.fps)
    )
    return shares(counts), tpr, fpr, prepend(math.inf, counts.lows)


def profit_points(counts: ThresholdCounts, cost: float, revenue: float) -> Points:
    """Return ``share, profit, thresholds``, from (0, 0) at threshold infinity.

    Each row costs ``cost``, and each positive brings ``revenue``.
    """
    profit = float(revenue) * counts.tps - float(cost) * (counts.tps + counts.fps)
    return shares(counts), prepend(0, profit), prepend(math.inf, counts.lows)


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
    n_neg, n_pos = counts.totals
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
    return counts.positives_among(share * counts.total)[0] / counts.totals[1]
