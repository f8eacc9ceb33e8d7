"""Undecided bins: those whose rows a second reading looks at, and the buckets these rows go into.

Rows of different bins are in the order of their bins, and rows of a bin with a single score are
tied. So only pairs within a bin of both classes and of several scores are undecided. Buckets are
runs of such bins; in the pairs of a bucket, those of two of its bins are known from the histogram.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._pairs.concordance import Concordance
from fastauc._state_format import broken
from fastauc._validation.arrays import Array
from fastauc.streaming._bins import LARGEST_KEY, Bins, NonEmptyBins, as_integers
from fastauc.streaming._bounds import BinPairs, BinSums, ScoreInterval, area_bounds, interval_of

# Rows that are sorted at a time, in the caches and with few tasks; and how many buckets there are
# at most, whose rows are written to as many places at a time.
_ROWS_OF_BUCKET, _MOST_BUCKETS = 2**18, 2**9
# What two bounds are off by when they are rounded outward, and a sum of shares in doubles.
_ROUNDING, _SLACK = 2.0**-51, 1 + 2.0**-20


def _pairs_of(sums: Array) -> BinPairs:
    """Count the pairs of places of several scores; ``sums`` are as in ``Tables``."""
    neg, pos = np.moveaxis(as_integers(sums), 1, 0)
    return BinSums(neg, pos, np.ones(len(sums), np.bool_), sums.ndim == 3, 0).pairs()


def pairs_across(sums: Array) -> int:
    """Count the pairs of rows of two places, with the positive in the later one."""
    return _pairs_of(sums).concordant


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

    def select(self, which: slice) -> Undecided:
        numbers, sums, rows = (each[which] for each in (self.numbers, self.sums, self.rows))
        return self._replace(numbers=numbers, sums=sums, rows=rows)

    def left_undecided(self) -> Undecided:
        """Return the same, with all pairs within these bins left as they are."""
        return self.select(slice(0))._replace(pairs=self._bounding_pairs())

    def _bounding_pairs(self) -> BinPairs:
        return self.pairs._replace(unsure=self.pairs.unsure + _pairs_of(self.sums).unsure)

    def after(self, n_bins: int, concordant: int, tied: int) -> Undecided:
        """Return the bins after so many of them, whose pairs have been counted."""
        known = self.pairs
        more = known._replace(concordant=known.concordant + concordant, tied=known.tied + tied)
        return self.select(slice(n_bins, None))._replace(pairs=more)

    def as_resolved(self, concordant: int, tied: int) -> Undecided:
        """Return the same after all pairs have been counted; refuse what they cannot be."""
        more = concordant - self.pairs.concordant, tied - self.pairs.tied
        if min(more) < 0 or sum(more) > _pairs_of(self.sums).unsure:
            raise broken("its pairs are not those of its rows")
        return self.after(len(self.numbers), *more)

    def bounds(self) -> tuple[Fraction, Fraction]:
        """Return the lowest and the highest AUC, if there are rows of both classes."""
        return area_bounds(self._bounding_pairs(), self.totals, self.n_rounded)

    def interval(self) -> ScoreInterval:
        """Return the AUC, if there are rows of both classes."""
        return interval_of(*self.bounds())

    def concordance(self) -> Concordance | None:
        """Return the pairs, if all of them are known and rows have no weights."""
        if self.weighted or len(self.numbers) or self.pairs.unsure:
            return None
        return Concordance(self.pairs.concordant, self.pairs.tied, *self.totals[::-1])


def undecided_of(
    bins: Bins, non_empty: NonEmptyBins, sums: BinSums, n_rows: int, tol: float
) -> Undecided:
    """Return the bins to look at for a width of ``tol``: of the most pairs per row."""
    chosen = sums.is_mixed & (sums.neg > 0) & (sums.pos > 0)
    pairs = sums.pairs()
    if all(sums.totals):
        interval = interval_of(*area_bounds(pairs, sums.totals, sums.n_rounded))
        chosen &= interval.upper - interval.lower > tol
    neg, pos = sums.neg[chosen], sums.pos[chosen]
    if sums.is_weighted and len(neg):
        # A bin does not know its rows: as many as their weights suggest.
        shares = [part.astype(np.float64) / float(sum(part)) for part in (neg, pos)]
        rows = np.ceil((shares[0] + shares[1]) / 2 * n_rows).astype(np.int64)
    else:
        rows = (neg + pos).astype(np.int64)
    if len(neg) and tol > _ROUNDING:
        pairs_of_bin = neg.astype(np.float64) * pos.astype(np.float64)
        share = pairs_of_bin / (float(sums.totals[0]) * float(sums.totals[1]))
        order = np.argsort(-share / rows, kind="stable")
        left = np.append(np.cumsum(share[order][::-1])[::-1], 0.0)  # if so many are looked at
        needed = int(np.argmax(left * _SLACK <= tol - _ROUNDING))
        taken = np.zeros(len(order), np.bool_)
        taken[order[:needed]] = True
        chosen[chosen] = taken
        neg, pos, rows = neg[taken], pos[taken], rows[taken]
    numbers, looked_at = non_empty.numbers[chosen].astype(np.int64), non_empty.sums[chosen]
    pairs = pairs._replace(unsure=pairs.unsure - _pairs_of(looked_at).unsure)
    weighted, totals = sums.is_weighted, sums.totals
    return Undecided(bins, weighted, numbers, looked_at, rows, pairs, totals, sums.n_rounded)


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
