"""Certified bounds of the AUC and other metrics, from counts at bins.

Rows of different bins are in the order of their bins. Nothing is known about the order within a
bin, unless it holds a single distinct score: then its rows are tied. Each function returns the
lowest and the highest value that any order within the bins gives, and that any weights which may
have been rounded to those counted give.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from fastauc._counts.ks import bounded_distance
from fastauc._counts.roc import pairs_of
from fastauc._counts.threshold_counts import UNIT, ThresholdCounts, mixed_bytes, words_of
from fastauc._kernels import wide_counts as _wide_counts
from fastauc._tables import result
from fastauc._validation.errors import warn_if_undefined

_STEPS_AT_ONCE = 2**20  # in a tenth of a second


@result("fastauc.streaming")
class ScoreInterval(NamedTuple):
    """A value with certified bounds.

    Attributes
    ----------
    estimate : float
        The middle of the interval.
    lower, upper : float
        Bounds of the exact value, rounded outward.
    exact : bool
        Whether the bounds are equal before rounding. If so, all three numbers are the same: the
        double nearest to the exact value.

    Examples
    --------
    >>> from fastauc.streaming import ScoreHistogram
    >>> histogram = ScoreHistogram(bins=2, range=(0, 1))
    >>> histogram.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).roc_auc()
    ScoreInterval(estimate=0.75, lower=0.5, upper=1.0, exact=False)
    """

    estimate: float
    lower: float
    upper: float
    exact: bool


UNDEFINED = ScoreInterval(math.nan, math.nan, math.nan, False)


def interval_of(lower: Fraction, upper: Fraction) -> ScoreInterval:
    """Return these bounds, rounded outward, and their middle."""
    middle = float((lower + upper) / 2)
    if lower == upper:
        return ScoreInterval(middle, middle, middle, True)
    below, above = float(lower), float(upper)
    if below > lower:
        below = math.nextafter(below, -math.inf)
    if above < upper:
        above = math.nextafter(above, math.inf)
    return ScoreInterval(middle, below, above, False)


def widen(
    least: Fraction, most: Fraction, slack: Fraction, whole: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction]:
    """Return bounds of a part divided by its whole, where the part is off by at most ``slack``.

    ``whole`` is the lowest and the highest value of the whole, which is at least the part.
    """
    lower = max(least - slack, Fraction(0)) / whole[1]
    return lower, min((most + slack) / whole[0], Fraction(1)) if whole[0] > 0 else Fraction(1)


class BinPairs(NamedTuple):
    """Counts of positive-negative pairs, as far as the bins determine them.

    ``concordant`` are from two bins, with the positive in the higher one; ``tied`` within a bin
    that holds a single score; ``unsure`` within a bin of several: all of them may be concordant, or
    none.
    """

    concordant: int
    tied: int
    unsure: int


def pairs_in(counts: ThresholdCounts) -> BinPairs:
    """Count the pairs, in rows or in squared units."""
    return BinPairs(*pairs_of(counts.fps, counts.tps, mixed_bytes(counts)))


def area_bounds(
    pairs: BinPairs, totals: tuple[int, int], n_rounded: int
) -> tuple[Fraction, Fraction]:
    """Return the lowest and the highest AUC; ``totals`` are the negatives and the positives."""
    least = pairs.concordant + Fraction(pairs.tied, 2)
    n_neg, n_pos = totals
    # The pairs are bilinear in the weights: if those of one class are off by a total of e, the
    # pairs are off by at most e times the weight of the other class.
    off = Fraction(n_rounded, 2)
    slack = off * (n_neg + n_pos + 2 * off)
    least_neg, least_pos = max(n_neg - off, Fraction(0)), max(n_pos - off, Fraction(0))
    whole = least_neg * least_pos, (n_neg + off) * (n_pos + off)
    return widen(least, least + pairs.unsure, slack, whole)


def are_present(counts: ThresholdCounts) -> tuple[bool, bool]:
    """Return whether there may be negatives, and positives."""
    has_neg, has_pos = (total > 0 or counts.weight_error > 0 for total in counts.totals)
    return has_neg, has_pos


def _has_both(counts: ThresholdCounts) -> bool:
    """Tell whether both classes have rows, with a warning if not."""
    has_neg, has_pos = are_present(counts)
    return not warn_if_undefined(has_pos, has_neg)


def _areas(counts: ThresholdCounts) -> tuple[Fraction, Fraction]:
    unit = UNIT if counts.is_weighted else 1
    n_neg, n_pos = (int(total / unit) for total in counts.totals)
    return area_bounds(pairs_in(counts), (n_neg, n_pos), int(2 * counts.weight_error / unit))


def roc_auc(counts: ThresholdCounts) -> ScoreInterval:
    """Return the AUC; NaN and a warning if one class has no rows."""
    return interval_of(*_areas(counts)) if _has_both(counts) else UNDEFINED


def gini(counts: ThresholdCounts) -> ScoreInterval:
    """Return 2 AUC - 1; NaN and a warning if one class has no rows."""
    if not _has_both(counts):
        return UNDEFINED
    return interval_of(*(2 * area - 1 for area in _areas(counts)))


def ks(counts: ThresholdCounts) -> ScoreInterval:
    """Return the largest |tpr - fpr|; NaN and a warning for a class without rows."""
    if not _has_both(counts):
        return UNDEFINED
    # A rate is a part T of a total P. If the part is off by d and the rest by e, with |d| + |e| at
    # most off, it is off by |d (P - T) - T e| / (P (P + d + e)), at most off / (P - off).
    off = counts.weight_error
    if min(counts.totals) <= off:
        return interval_of(Fraction(0), Fraction(1))
    slack = sum((off / (total - off) for total in counts.totals), Fraction(0))
    return interval_of(*widen(*bounded_distance(counts), slack, (Fraction(1), Fraction(1))))


def average_precision(counts: ThresholdCounts) -> ScoreInterval:
    """Return the average precision; NaN and a warning without positives."""
    has_pos = are_present(counts)[1]
    if warn_if_undefined(has_pos, 1):
        return UNDEFINED
    columns = words_of(counts.fps), words_of(counts.tps), mixed_bytes(counts)
    sums, is_unsure, n = np.zeros(5), False, len(counts.fps)
    # In parts, as Ctrl-C waits for the end of one.
    for start in range(0, n, _STEPS_AT_ONCE):
        stop = min(start + _STEPS_AT_ONCE, n)
        is_unsure |= _wide_counts.bound_precision(*columns, start, stop, sums)
    *exact, lost = map(Fraction, sums.tolist())
    least, most = exact[0] + exact[1], exact[2] + exact[3]
    off, n_pos = counts.weight_error, counts.totals[1]
    if lost and (is_unsure or off):
        rounding = Fraction(n + 64, 2**101)
        least -= rounding * (n_pos if is_unsure else least)
        most += rounding * most
    # If weights are off by a total of e, the precision of a positive with t weight at or above it
    # is off by e / t at most. The sum of w / t over all positives is at most 1 + ln(2^192), as the
    # lowest weight is one unit. So the sum of w times the precision is off by 135 e.
    return interval_of(*widen(least, most, 135 * off, (n_pos - off, n_pos + off)))


def gain_score(counts: ThresholdCounts) -> ScoreInterval:
    """Return the area under the gain curve: 1/2 + p0 (A - 1/2) for the ROC AUC A."""
    if not _has_both(counts):
        return UNDEFINED
    # All weights together are off by at most this.
    (n_neg, n_pos), off = counts.totals, counts.weight_error
    least = max(n_neg - off, Fraction(0)) / (n_neg + n_pos + off)
    rest = n_neg + n_pos - off
    most = min((n_neg + off) / rest, Fraction(1)) if rest > 0 else Fraction(1)
    half = Fraction(1, 2)
    corners = [half + p0 * (area - half) for area, p0 in product(_areas(counts), (least, most))]
    return interval_of(min(corners), max(corners))


def gain(counts: ThresholdCounts, share: Fraction, *, by_share: bool = False) -> ScoreInterval:
    """Return the gain at a share of rows, or the gain divided by the share.

    If weights are off by a total of e, the rows up to a cut are off by e, and so are the positives
    among them and the position of the cut: at the cut, they are off by 3 e.
    """
    has_pos = are_present(counts)[1]
    if warn_if_undefined(has_pos, 1):
        return UNDEFINED
    off, n_pos = counts.weight_error, counts.totals[1]
    share = counts.exact_share(share)
    least, most = counts.positives_among(share * counts.total)
    lower, upper = widen(least, most, 3 * off, (n_pos - off, n_pos + off))
    divisor = share if by_share else Fraction(1)
    return interval_of(lower / divisor, upper / divisor)
