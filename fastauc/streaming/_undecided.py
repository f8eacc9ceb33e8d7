"""Undecided bins: those whose rows a second reading looks at, and the buckets these rows go into.

Rows of different bins are in the order of their bins, and rows of a bin with a single score are
tied. So only pairs within a bin of both classes and of several scores are undecided. Buckets are
runs of such bins; in the pairs of a bucket, those of two of its bins are known from the histogram.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.threshold_counts import (
    UNIT,
    ThresholdCounts,
    are_positive,
    as_integers,
    in_bins,
    nearest_doubles,
)
from fastauc._pairs.concordance import Concordance
from fastauc._state_format import broken
from fastauc._validation.arrays import Array
from fastauc.streaming._bins import LARGEST_KEY, MIXED, Bins, NonEmptyBins
from fastauc.streaming._bounds import BinPairs, ScoreInterval, area_bounds, interval_of, pairs_in

# Rows that are sorted at a time, in the caches and with few tasks; and how many buckets there are
# at most, whose rows are written to as many places at a time.
_ROWS_OF_BUCKET, _MOST_BUCKETS = 2**18, 2**9
# What two bounds are off by when they are rounded outward, and a sum of shares in doubles.
_ROUNDING, _SLACK = 2.0**-51, 1 + 2.0**-20


def mixed_pairs(sums: Array) -> BinPairs:
    """Count the pairs of bins of several scores; ``sums`` are as in ``Tables``."""
    return pairs_in(in_bins(sums, np.ones(len(sums), np.bool_)))


def totals_in(sums: Array) -> tuple[int, int]:
    """Return the negatives and positives of bins, or their weights in units."""
    counts = in_bins(sums, np.zeros(len(sums), np.bool_))
    n_neg, n_pos = (as_integers(each[-1:])[0] for each in (counts.fps, counts.tps))
    return n_neg, n_pos


class Undecided(NamedTuple):
    """The bins that a second reading looks at, and what is known about all other pairs.

    ``numbers``, ``sums`` and ``rows`` are those of the undecided bins, as in ``Tables``; ``rows``
    are an estimate if weighted. ``pairs``, ``totals`` and ``n_rounded`` are of all bins; the
    ``unsure`` pairs are within bins that are left as they are.
    """

    bins: Bins
    weighted: bool
    numbers: NDArray[np.int64]
    sums: Array
    rows: NDArray[np.int64]
    pairs: BinPairs
    totals: tuple[int, int]
    n_rounded: int

    @property
    def n_rows(self) -> int:
        """The number of rows in these bins; an estimate if weighted."""
        return int(self.rows.sum())

    @property
    def is_defined(self) -> bool:
        """Whether there may be rows of both classes."""
        return all(total > 0 or self.n_rounded > 0 for total in self.totals)

    def select(self, which: slice) -> Undecided:
        numbers, sums, rows = (each[which] for each in (self.numbers, self.sums, self.rows))
        return self._replace(numbers=numbers, sums=sums, rows=rows)

    def after(self, n_bins: int, concordant: int, tied: int) -> Undecided:
        """Return the bins after so many of them, whose pairs have been counted."""
        known = self.pairs
        more = known._replace(concordant=known.concordant + concordant, tied=known.tied + tied)
        return self.select(slice(n_bins, None))._replace(pairs=more)

    def as_resolved(self, concordant: int, tied: int) -> Undecided:
        """Return the same after all pairs have been counted; refuse what they cannot be."""
        more = concordant - self.pairs.concordant, tied - self.pairs.tied
        if min(more) < 0 or sum(more) > mixed_pairs(self.sums).unsure:
            raise broken("its pairs do not match its rows")
        return self.after(len(self.numbers), *more)

    def bounds(self) -> tuple[Fraction, Fraction]:
        """Return the lowest and the highest AUC, if there are rows of both classes."""
        unsure = self.pairs.unsure + mixed_pairs(self.sums).unsure
        return area_bounds(self.pairs._replace(unsure=unsure), self.totals, self.n_rounded)

    def interval(self) -> ScoreInterval:
        """Return the AUC, if there are rows of both classes."""
        return interval_of(*self.bounds())

    def concordance(self) -> Concordance | None:
        """Return the pairs, if all of them are known and rows have no weights."""
        if self.weighted or len(self.numbers) or self.pairs.unsure:
            return None
        return Concordance(self.pairs.concordant, self.pairs.tied, *self.totals[::-1])


def bins_in_doubt(non_empty: NonEmptyBins) -> NDArray[np.intp]:
    """Return which of the bins hold both classes and several scores."""
    neg, pos = (are_positive(non_empty.sums[:, label]) for label in (0, 1))
    return np.flatnonzero((non_empty.score_tags == MIXED) & neg & pos)


def undecided_of(
    bins: Bins, non_empty: NonEmptyBins, counts: ThresholdCounts, n_rows: int, tol: float
) -> Undecided:
    """Return the bins to look at for a width of ``tol``: of the most pairs per row."""
    chosen, pairs = bins_in_doubt(non_empty), pairs_in(counts)
    n_neg, n_pos = as_integers(non_empty.totals)
    totals, n_rounded = (n_neg, n_pos), int(non_empty.rows[1])
    if all(totals):
        interval = interval_of(*area_bounds(pairs, totals, n_rounded))
        chosen = chosen[: None if interval.upper - interval.lower > tol else 0]
    looked_at = non_empty.sums[chosen]
    neg, pos = (nearest_doubles(looked_at[:, label]) for label in (0, 1))
    rows = (neg + pos).astype(np.int64)
    if counts.is_weighted and len(chosen):
        # A bin does not know its rows: as many as their weights suggest.
        neg_share, pos_share = (
            part / float(total * UNIT)
            for part, total in zip((neg, pos), totals_in(looked_at), strict=True)
        )
        rows = np.ceil((neg_share + pos_share) / 2 * n_rows).astype(np.int64)
    if len(chosen) and tol > _ROUNDING:
        pairs_in_all = math.prod(map(float, counts.totals))
        share = neg.astype(np.float64) * pos.astype(np.float64) / pairs_in_all
        order = np.argsort(-share / rows, kind="stable")
        left = np.append(np.cumsum(share[order][::-1])[::-1], 0.0)  # if so many are looked at
        needed = int(np.argmax(left * _SLACK <= tol - _ROUNDING))
        taken = np.sort(order[:needed])
        chosen, looked_at, rows = chosen[taken], looked_at[taken], rows[taken]
    numbers = non_empty.numbers[chosen].astype(np.int64)
    pairs = pairs._replace(unsure=pairs.unsure - mixed_pairs(looked_at).unsure)
    return Undecided(bins, counts.is_weighted, numbers, looked_at, rows, pairs, totals, n_rounded)


class Buckets(NamedTuple):
    """Runs of undecided bins.

    ``first`` has the first bin of each bucket, among those that are undecided, and their number;
    ``number_of`` the bucket of each bin of the histogram, from 1 on, and 0 if it is not undecided;
    ``edges``, of shape (n_undecided, 2), the lowest key of each and the first key above it.
    """

    undecided: Undecided
    first: NDArray[np.int64]
    number_of: NDArray[np.uint16]
    edges: NDArray[np.uint64]

    @property
    def n_buckets(self) -> int:
        return len(self.first) - 1

    def n_rows_above(self, most: int) -> int:
        sizes = np.add.reduceat(self.undecided.rows, self.first[:-1])
        return int(sizes[sizes > most].sum())


def cut_buckets(undecided: Undecided, most_rows: int) -> Buckets:
    """Return buckets of about ``most_rows`` rows each, cut at the edges of bins."""
    rows = undecided.rows
    before = np.cumsum(rows) - rows
    size = max(min(most_rows, _ROWS_OF_BUCKET), -(-int(rows.sum()) // _MOST_BUCKETS), 1)
    first = np.flatnonzero(np.diff(before // size, prepend=-1))
    number_of = np.zeros(undecided.bins.n_bins, np.uint16)
    numbers = np.zeros(len(rows), np.uint16)
    numbers[first] = 1
    number_of[undecided.numbers] = np.cumsum(numbers, dtype=np.uint16)
    return Buckets(undecided, np.append(first, len(rows)), number_of, _edges_of(undecided))


def _edges_of(undecided: Undecided) -> NDArray[np.uint64]:
    numbers, bins = undecided.numbers, undecided.bins
    is_edge = np.zeros(bins.n_bins + 1, np.bool_)
    is_edge[numbers] = is_edge[numbers + 1] = True
    edges = np.flatnonzero(is_edge)
    within = edges[edges < bins.n_bins]
    keys = np.append(bins.lower_keys(within), LARGEST_KEY + np.uint64(1))
    return np.stack([keys[np.searchsorted(edges, numbers + k)] for k in (0, 1)], axis=1)
