"""``ThresholdCounts``: counts of both classes at thresholds, from which everything is computed.

Rows or weights, exact or with bounds, of arrays or of bins: every measure is a function of it.

Counts are rows in int64, or sums of weights: in doubles, or in units of 2^-128 as exact integers of
three words of 64 bits, the lowest first, along a last axis.

A rate is given as a double, and the double 0.3 is slightly less than 3 / 10. So a double stands for
every share k / n that rounds to it: 0.3 matches 3 of 10 rows. A fraction stands for itself.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import wide_counts as _wide_counts
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.options import RateRange

UNIT = Fraction(1, 2**128)
_NO_SCORES = np.empty(0)


class ThresholdCounts(NamedTuple):
    """Counts at the end of each step of rows, the steps in decreasing order of their scores.

    ``fps`` and ``tps`` are the numbers of rows in a step and those above it, or their weights, in
    doubles or words; no step is empty. ``lows`` and ``highs`` are its
    lowest and highest score, equal if its rows are tied, or bounds on them if there is
    ``is_mixed``: whether a step has several scores in an unknown order. ``weight_error`` is how far
    a sum may be off because single weights were rounded before they were added.
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
        return bool(np.any(self.tps[-1]) and np.any(self.fps[-1]))

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.tps.dtype.kind in "fu"

    @property
    def total(self) -> Fraction:
        """The number of rows, or their weight."""
        return sum(self.totals, Fraction(0))

    @property
    def totals(self) -> tuple[Fraction, Fraction]:
        """The numbers of negatives and positives, or their weights; 0 without steps."""
        return self.counts_to(len(self.fps) - 1)

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
        # Fractions would take several times as long to compare.
        return bisect_left(
            range(len(fps)), math.ceil(position), key=lambda k: int(fps[k]) + int(tps[k])
        )

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

    def positives_among(self, position: Fraction) -> tuple[Fraction, Fraction]:
        """Return the lowest and the highest number of positives among this number of top rows."""
        step = self.find(position)
        if self.is_mixed is None or not self.is_mixed[step]:
            return (self.counts_at(position, step)[1],) * 2
        fp, tp = self.counts_to(step - 1)
        next_fp, next_tp = self.counts_to(step)
        taken = position - fp - tp
        return tp + max(taken - (next_fp - fp), Fraction(0)), min(tp + taken, next_tp)


def at_thresholds(fps: Array, tps: Array, thresholds: Array) -> ThresholdCounts:
    """Return counts at thresholds: each step holds the rows of one score."""
    return ThresholdCounts(fps, tps, thresholds, thresholds)


def in_bins(
    sums: Array, is_mixed: NDArray[np.bool_], weight_error: Fraction = Fraction(0)
) -> ThresholdCounts:
    """Return the counts at bins, ``sums[bin, label]``, the lowest first, without their scores."""
    fps, tps = (np.empty_like(sums[:, 0], order="C") for _ in range(2))
    _wide_counts.add_up(words_of(sums), words_of(fps), words_of(tps))
    mixed = is_mixed[::-1] if is_mixed.any() else None
    return ThresholdCounts(fps, tps, _NO_SCORES, _NO_SCORES, mixed, weight_error)


def mixed_bytes(counts: ThresholdCounts) -> NDArray[np.uint8]:
    """Return which steps are mixed, for kernels: nothing if none is."""
    if counts.is_mixed is None:
        return np.empty(0, np.uint8)
    return np.ascontiguousarray(counts.is_mixed).view(np.uint8)


def prepend(first: float, array: Array) -> NDArray[np.float64]:
    """Return a float64 array of ``first`` followed by the others."""
    whole = np.empty(len(array) + 1)
    whole[0] = first
    whole[1:] = array
    return whole


# Counts as numbers -------------------------------------------------------------------------------


def as_integers(counts: Array) -> list[int]:
    """Return counts of rows, or numbers of any words, as Python integers."""
    if counts.ndim == 1:
        return list(counts.tolist())
    return [sum(word << 64 * i for i, word in enumerate(words)) for words in counts.tolist()]


def as_count(count: Any) -> Fraction:
    """Return the exact number of rows or weight that a count is."""
    if isinstance(count, np.ndarray):
        return as_integers(count[np.newaxis])[0] * UNIT
    return as_fraction(count)


def nearest_doubles(counts: Array) -> Array:
    """Return the weights nearest to words; other counts as they are."""
    if counts.ndim == 1:
        return counts
    doubles = np.empty(len(counts))
    _wide_counts.as_doubles(counts, doubles)
    return doubles


def are_positive(counts: Array) -> NDArray[np.bool_]:
    """Return which counts are above 0."""
    if counts.ndim == 1:
        return counts > 0
    positive: NDArray[np.bool_] = reduce(or_, np.moveaxis(counts, -1, 0)) != 0
    return positive


def words_of(counts: Array) -> NDArray[np.uint64]:
    """Return counts of rows, or words, as words along a last axis."""
    words: NDArray[np.uint64] = counts.view(np.uint64)
    return words if counts.dtype == words.dtype else words[..., np.newaxis]


def point_at(fps: Array, tps: Array, k: int) -> tuple[Fraction, Fraction]:
    """Return the counts at the k-th threshold, exactly; at -1, those above all scores."""
    return (as_count(fps[k]), as_count(tps[k])) if k >= 0 else (Fraction(0), Fraction(0))


def rates_of(counts: Array) -> NDArray[np.float64]:
    """Return the rate of a class at each threshold, from 0 on; NaN if it has no rows."""
    rates: NDArray[np.float64] = prepend(0, counts) / (counts[-1] or math.nan)
    return rates


# Rates as counts ----------------------------------------------------------------------------------


def exact_rate(rate: Fraction, n: Any) -> Fraction:
    """Return the share k / n of n rows, or of their weight, that a rate stands for, or the rate.

    Below 2^52 rows, there is at most one such share. Of weights with a sum of 5 - 2^-52, the whole
    number 5 would be a share above 1.
    """
    if rate in (0, 1):
        return rate
    n = as_fraction(n)
    share = round(rate * n) / n
    return share if float(share) == rate else rate


def exact_part(part: RateRange, n_neg: Any, n_pos: Any) -> RateRange:
    """Return the range between the exact rates that the ends of a range stand for."""
    n = n_neg if part.rate == "fpr" else n_pos
    return part._replace(lower=exact_rate(part.lower, n), upper=exact_rate(part.upper, n))


def counts_at(rate: Fraction, counts: Array) -> tuple[Fraction, Fraction]:
    """Return the lowest and the highest count that a rate stands for, up to the total.

    For rows, these are equal. For sums of weights, several thresholds may be at the rate.
    """
    if counts.dtype.kind == "f":
        total = float(counts[-1])

        def rounded(count: Any) -> Any:
            return float(count) / total

        first, stop = (search(counts, rate, key=rounded) for search in (bisect_left, bisect_right))
        if first < stop:
            return as_fraction(counts[first]), as_fraction(counts[stop - 1])
    count = exact_rate(rate, counts[-1]) * as_fraction(counts[-1])
    return count, count


def greatest_counts(rates: NDArray[np.float64], total: int | float) -> NDArray[np.float64]:
    """Return for each rate the highest count, or sum of weights, that does not exceed it."""
    if isinstance(total, int):
        counts = np.floor(rates * total) + 1
        for _ in range(2):
            counts -= counts / total > rates
        return counts
    sums = np.nextafter(rates * total, 0)
    for _ in range(3):
        beyond = np.nextafter(sums, np.inf)
        sums = np.where(beyond / total <= rates, beyond, sums)
    return sums
