"""Certified bounds of the AUC and other metrics, from the bins of a histogram.

Rows of different bins are in the order of their bins. Nothing is known about the order within a
bin, unless it holds a single distinct score: then its rows are tied. Each function returns the
lowest and the highest value that any order within the bins gives, in exact arithmetic.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.rates import exact_rate
from fastauc._tables import result
from fastauc._validation.arrays import Array
from fastauc._validation.errors import warn_if_undefined
from fastauc.streaming._bins import WEIGHT_UNIT

_PAIRS_OF_INT64 = 2**62
_PRECISION_BITS = 128
# A logarithm of the C library is off by a few units in the last of 53 bits.
_LOG_IS_BELOW = 1 + 2.0**-48


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


def _least_precisions(pos: Array, tps: Array, fps: Array, step: int) -> Array:
    """Return lower bounds of the precisions of the positives of each bin, in units of 2^-128.

    The sum of p of them is p - fp (1/(a+1) + … + 1/(a+p)) with a = tp - p + fp, and by convexity
    1/k is at most the integral of 1/x from k - 1/2 to k + 1/2. With weights (``step`` 0) positives
    may be of any weight: the sum is at least the integral of x / (x + fp).
    """
    shares = 2 * pos / (2 * (tps - pos + fps) + step)
    logarithms = np.array([math.log1p(share) * _LOG_IS_BELOW for share in shares.tolist()])
    mantissas, exponents = np.frexp(logarithms)
    numerators = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
    lost = -((-fps * numerators << _PRECISION_BITS) >> (53 - exponents).astype(object))
    precisions: Array = np.maximum((pos << _PRECISION_BITS) - lost, 0)
    return precisions


class BinSums(NamedTuple):
    """The bins that hold rows, in the increasing order of their scores.

    ``neg`` and ``pos`` are int64, or Python integers: rows of both classes, or their weights in
    units if ``is_weighted``. A bin that ``is_mixed`` may hold more than one score. The weights of
    ``n_rounded`` rows were rounded to units, by at most half a unit.
    """

    neg: Array
    pos: Array
    is_mixed: NDArray[np.bool_]
    is_weighted: bool
    n_rounded: int

    @property
    def totals(self) -> tuple[int, int]:
        """The sums of both classes."""
        return int(self.neg.sum()), int(self.pos.sum())

    def factors(self) -> tuple[Array, Array]:
        """Return both classes in integers that hold the number of all pairs."""
        n_neg, n_pos = self.totals
        if n_neg * n_pos < _PAIRS_OF_INT64:
            return self.neg, self.pos
        return self.neg.astype(object), self.pos.astype(object)

    @property
    def present(self) -> list[bool]:
        """Whether there may be negatives, and positives."""
        return [total > 0 or self.n_rounded > 0 for total in self.totals]

    def has_both(self) -> bool:
        """Tell whether both classes have rows, with a warning if not."""
        has_neg, has_pos = self.present
        warn_if_undefined(has_pos, has_neg)
        return has_pos and has_neg

    def areas(self) -> tuple[Fraction, Fraction]:
        """Return the lowest and the highest AUC."""
        return area_bounds(self.pairs(), self.totals, self.n_rounded)

    def pairs(self) -> BinPairs:
        """Count the pairs, in rows or in squared units."""
        neg, pos = self.factors()
        is_mixed = self.is_mixed
        within = neg * pos
        below = int(np.dot(pos, np.cumsum(neg) - neg))
        return BinPairs(below, int(within[~is_mixed].sum()), int(within[is_mixed].sum()))

    def roc_auc(self) -> ScoreInterval:
        """Return the AUC; NaN and a warning if one class has no rows."""
        return interval_of(*self.areas()) if self.has_both() else UNDEFINED

    def gini(self) -> ScoreInterval:
        """Return 2 AUC - 1; NaN and a warning if one class has no rows."""
        if not self.has_both():
            return UNDEFINED
        return interval_of(*(2 * area - 1 for area in self.areas()))

    def ks(self) -> ScoreInterval:
        """Return the largest |tpr - fpr|; NaN and a warning for a class without rows."""
        if not self.has_both():
            return UNDEFINED
        n_neg, n_pos = self.totals
        neg, pos = self.factors()
        # In units of both totals. The distance at the edges of the bins is known. Inside a bin it
        # is largest if all rows of one of the classes come first.
        rises, falls = pos * n_neg, neg * n_pos
        after = np.cumsum(rises - falls)
        before = (after - rises + falls)[self.is_mixed]
        at_edges = int(np.abs(after).max(initial=0))
        inside = np.abs([before + rises[self.is_mixed], before - falls[self.is_mixed]])
        most = int(inside.max(initial=at_edges))
        pairs = n_neg * n_pos
        if not self.n_rounded:
            return interval_of(Fraction(at_edges, pairs), Fraction(most, pairs))
        # A rate is a part T of a total P. If the part is off by d and the rest by e, with |d| + |e|
        # at most off, it is off by |d (P - T) - T e| / (P (P + d + e)), at most off / (P - off).
        off = Fraction(self.n_rounded, 2)
        if min(n_neg, n_pos) <= off:
            return interval_of(Fraction(0), Fraction(1))
        slack = off * (1 / (n_neg - off) + 1 / (n_pos - off))
        lower = max(Fraction(at_edges, pairs) - slack, Fraction(0))
        return interval_of(lower, min(Fraction(most, pairs) + slack, Fraction(1)))

    def average_precision(self) -> ScoreInterval:
        """Return the average precision; NaN and a warning without positives.

        The precision of a positive never decreases with the positives at or above it, and never
        increases with the negatives there. Let t positives and f negatives be above a bin of p and
        n. If the bin is tied, each of its positives has (t + p) / (t + p + f + n). Else it has at
        most (t + p) / (t + p + f), as when all positives are tied and above the negatives. And the
        k-th has at least (t + k) / (t + k + f + n), as when the negatives come first and no
        positives are tied.
        """
        n_pos = self.totals[1]
        warn_if_undefined(self.present[1], 1)
        if not self.present[1]:
            return UNDEFINED
        chosen = (self.pos > 0)[::-1]
        tps, fps = np.cumsum(self.pos[::-1])[chosen], np.cumsum(self.neg[::-1])[chosen]
        pos, neg, is_mixed = (each[::-1][chosen] for each in (self.pos, self.neg, self.is_mixed))
        certain = ~is_mixed | (fps == 0)
        if not self.is_weighted:
            certain |= (pos == 1) & (neg == 0)
        pos, tps, fps, neg = (each.astype(object) for each in (pos, tps, fps, neg))
        # In units of 2^-128. In a certain bin, all positives have the precision at its end.
        scaled = (pos * tps) << _PRECISION_BITS
        most = -(-scaled // (tps + np.where(certain, fps, fps - neg)))
        least = scaled // (tps + fps)
        unsure, step = ~certain, 0 if self.is_weighted else 1
        least[unsure] = _least_precisions(pos[unsure], tps[unsure], fps[unsure], step)
        lower, upper = (Fraction(int(sums.sum()), 1 << _PRECISION_BITS) for sums in (least, most))
        if certain.all() and not self.n_rounded:
            lower = upper  # they differ by less than 2^-100, and not by what is unknown
        # If weights are off by a total of e, the precision of a positive with t weight at or above
        # it is off by e / t at most. The sum of w / t over all positives is at most 1 + ln(2^192),
        # as the lowest weight is one unit. So the sum of w times the precision is off by 135 e.
        off = Fraction(self.n_rounded, 2)
        return interval_of(*widen(lower, upper, 135 * off, (n_pos - off, n_pos + off)))

    def gain_score(self) -> ScoreInterval:
        """Return the area under the gain curve: 1/2 + p0 (A - 1/2) for the ROC AUC A."""
        if not self.has_both():
            return UNDEFINED
        areas = self.areas()
        n_neg, n_pos = self.totals
        # All weights together are off by at most this.
        off = Fraction(self.n_rounded, 2)
        least = max(n_neg - off, Fraction(0)) / (n_neg + n_pos + off)
        rest = n_neg + n_pos - off
        most = min((n_neg + off) / rest, Fraction(1)) if rest > 0 else Fraction(1)
        half = Fraction(1, 2)
        corners = [half + p0 * (area - half) for area, p0 in product(areas, (least, most))]
        return interval_of(min(corners), max(corners))

    def gain(self, share: Fraction, *, by_share: bool = False) -> ScoreInterval:
        """Return the gain at a share of rows, or the gain divided by the share.

        If weights are off by a total of e, the rows up to a cut are off by e, and so are the
        positives among them and the position of the cut: at the cut, they are off by 3 e.
        """
        has_pos = self.present[1]
        warn_if_undefined(has_pos, 1)
        if not has_pos:
            return UNDEFINED
        n_neg, n_pos = self.totals
        off = Fraction(self.n_rounded, 2)
        share = exact_rate(share, (n_neg + n_pos) * (WEIGHT_UNIT if self.is_weighted else 1))
        least, most = self._positives_among(share * (n_neg + n_pos))
        lower, upper = widen(least, most, 3 * off, (n_pos - off, n_pos + off))
        divisor = share if by_share else Fraction(1)
        return interval_of(lower / divisor, upper / divisor)

    def _positives_among(self, position: Fraction) -> tuple[Fraction, Fraction]:
        """Return the lowest and the highest number of positives among the top ``position`` rows."""
        if position == 0:
            return Fraction(0), Fraction(0)
        pos, neg, is_mixed = (values[::-1] for values in (self.pos, self.neg, self.is_mixed))
        tps, fps = np.cumsum(pos), np.cumsum(neg)
        bin = bisect_left(
            range(len(pos)), position, key=lambda k: Fraction(int(tps[k]) + int(fps[k]))
        )
        p, n = int(pos[bin]), int(neg[bin])
        before = int(tps[bin]) - p
        taken = position - before - (int(fps[bin]) - n)
        if is_mixed[bin]:
            return before + max(taken - n, Fraction(0)), before + min(taken, Fraction(p))
        among = before + taken * p / (p + n)
        return among, among
