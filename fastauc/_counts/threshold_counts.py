"""``ThresholdCounts``: counts of both classes at thresholds, from which everything is computed.

Rows or weights, exact or with bounds, of arrays or of bins: every measure is a function of it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.fixed_weights import words_of
from fastauc._counts.rates import exact_rate
from fastauc._counts.roc import point_at
from fastauc._kernels import wide_counts as _wide_counts
from fastauc._validation.arrays import Array, as_fraction

_NO_SCORES = np.empty(0)


class ThresholdCounts(NamedTuple):
    """Counts at the end of each step of rows, the steps in decreasing order of their scores.

    ``fps`` and ``tps`` are the numbers of rows in a step and those above it, or their weights, in
    doubles or words as in ``fixed_weights``; no step is empty. ``lows`` and ``highs`` are its
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
