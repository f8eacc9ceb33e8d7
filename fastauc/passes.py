"""What one further pass over the rows brings together: finer counts, or the rows themselves.

Either is made in parts and merged, and comes to the same in any order of the rows.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc import _refinement
from fastauc._chunks import Chunk
from fastauc._conversion import FLOAT32, UINT64, Array
from fastauc._parallel import count_threads, run_all
from fastauc.bounds import CellPairs, CellSums, pairs_of_cells
from fastauc.doubts import Doubts, Knowledge, Plan
from fastauc.grids import Grid, doubles_of
from fastauc.histogram import ROWS_PER_TABLE
from fastauc.tables import Tables, as_integers

_BLOCK = 2**16  # rows whose cells are found at a time; they stay in the second-level cache


def _by_score(name: str) -> dict[bool, Any]:
    kernel = getattr(_refinement, name)
    return {False: kernel["double"], True: kernel["float"]}


_COUNT, _WEIGH = _by_score("count_rows"), _by_score("weigh_rows")
_GATHER, _GATHER_WEIGHTED = _by_score("gather_rows"), _by_score("gather_weighted_rows")


class Search(NamedTuple):
    """How the rows of a pass are found: the grid, and the tables of ``_refinement``."""

    grid: Grid
    slots: NDArray[np.uint32]
    nodes: NDArray[np.uint64]
    n_ends: int


def search_of(plan: Plan) -> Search:
    """Return how the rows of a pass are found."""
    return Search(plan.known.grid, *plan.search_tables())


class FinerCounts:
    """Rows of both classes, or their weights, in each part of the intervals that are split."""

    def __init__(self, plan: Plan, search: Search) -> None:
        self._plan, self._search = plan, search
        self.tables = _empty_tables(plan.known.weighted, search.n_ends)

    @property
    def totals(self) -> tuple[int, int]:
        """The sums of both classes; in quanta if weighted."""
        neg, pos = as_integers(self.tables.totals).tolist()
        return neg, pos

    @property
    def n_rows(self) -> int:
        """How many rows have been counted; those of weight 0 do not count."""
        return int(self.tables.rows.sum() if self._plan.known.weighted else sum(self.totals))

    def add(self, chunk: Chunk, n_jobs: int | None) -> None:
        """Add the rows that are in doubt."""
        n = len(chunk.label)
        n_tables = max(1, min(count_threads(n_jobs), n // ROWS_PER_TABLE))
        bounds = [n * k // n_tables for k in range(n_tables + 1)]

        def count(k: int) -> Tables:
            weighted = self._plan.known.weighted
            tables = self.tables if k == 0 else _empty_tables(weighted, self._search.n_ends)
            self._count(chunk, bounds[k], bounds[k + 1], tables)
            return tables

        for tables in run_all([partial(count, k) for k in range(n_tables)], n_jobs)[1:]:
            _merge_tables(self.tables, tables)

    def _count(self, chunk: Chunk, start: int, stop: int, tables: Tables) -> None:
        grid, slots, nodes, _ = self._search
        is_single = chunk.score.dtype is FLOAT32
        for first in range(start, stop, _BLOCK):
            rows = slice(first, min(first + _BLOCK, stop))
            label, score = chunk.label[rows], chunk.score[rows]
            found = label, score, grid.find_cells(score)
            if chunk.weight is None:
                _COUNT[is_single](*found, slots, nodes, *tables[:3])
            else:
                _WEIGH[is_single](*found, chunk.weight[rows], slots, nodes, *tables)

    def merge(self, other: "FinerCounts") -> None:
        """Add other counts of the same plan, which may be these."""
        _merge_tables(self.tables, other.tables)

    def is_equal(self, other: "FinerCounts") -> bool:
        """Tell whether both are the same."""
        return all(map(np.array_equal, self.tables, other.tables))

    def finish(self) -> Knowledge:
        """Return what is known after the pass; assumes that all rows have been counted."""
        known, doubts = self._plan.known, self._plan.doubts
        n_parts = self._plan.count_parts()
        first = np.cumsum(n_parts) - n_parts
        self._check_sums(doubts, first)
        ends = np.flatnonzero(self.tables.words)
        neg, pos = np.moveaxis(as_integers(self.tables.sums[ends]), 1, 0)
        several = self.tables.words[ends] == 1
        known = known.settle(doubts, pairs_of_cells(CellSums(neg, pos, several, known.weighted, 0)))
        in_doubt = several & (neg > 0) & (pos > 0)
        ends, neg, pos = ends[in_doubt], neg[in_doubt], pos[in_doubt]
        node = np.searchsorted(first, ends, "right") - 1
        shift = self._plan.shift[node]
        low = doubts.low[node] + ((ends - first[node]).astype(UINT64) << shift)
        width = (np.uint64(1) << shift.astype(UINT64)) - np.uint64(1)
        last = low + np.minimum(doubts.last[node] - low, width)
        rows = self.tables.rows[ends] if known.weighted else neg + pos
        finer = Doubts(ends + known.tree.n_slots, low, last, neg, pos, rows)
        rest = known.doubts.take(~self._plan.chosen).join(finer)
        most_rows = min(known.most_rows, int(rest.rows.sum()))
        return known._replace(
            tree=known.tree.split(doubts, self._plan.shift, n_parts),
            doubts=rest,
            most_rows=most_rows,
            stubborn=2 * most_rows > known.most_rows,
        )

    def _check_sums(self, doubts: Doubts, first: NDArray[np.int64]) -> None:
        """Refuse counts of an interval that are not those of the pass before."""
        sums = np.add.reduceat(as_integers(self.tables.sums), first, axis=0)
        differs = (sums[:, 0] != doubts.neg) | (sums[:, 1] != doubts.pos)
        if differs.any():
            raise changed(doubts, int(np.argmax(differs)))


def _empty_tables(weighted: bool, n_ends: int) -> Tables:
    shape, dtype = ((2, 3), np.uint64) if weighted else ((2,), np.int64)
    sums, totals = np.zeros((n_ends, *shape), dtype), np.zeros(shape, dtype)
    rows = np.zeros(n_ends if weighted else 0, np.int64)
    return Tables(sums, np.zeros(n_ends, np.uint64), totals, rows)


def _merge_tables(tables: Tables, other: Tables) -> None:
    rows = tables.rows + other.rows
    # A histogram has two counts of rows for all its cells, which are not used here.
    unused = np.zeros(2, np.int64)
    tables._replace(rows=unused).merge(other._replace(rows=unused))
    tables.rows[:] = rows


def changed(doubts: Doubts, k: int) -> ValueError:
    """Return the error for an interval whose rows are not those of the pass before."""
    low, last = doubles_of(np.array([doubts.low[k], doubts.last[k]])).tolist()
    return ValueError(
        f"The rows with scores from {low!r} to {last!r} are not those of the pass before; "
        "expected the same data in each pass."
    )


class CollectedRows:
    """The rows of some intervals, of both classes: their keys, and their weights."""

    def __init__(self, plan: Plan, search: Search) -> None:
        self._plan, self._search = plan, search
        known, doubts = plan.known, plan.doubts
        if known.weighted:
            self._most = (min(known.most_rows, int(doubts.rows.sum())),) * 2
        else:
            self._most = int(doubts.neg.sum()), int(doubts.pos.sum())
        self._sizes = [0, 0]
        self._keys = [np.empty(0, np.uint64) for _ in range(2)]
        self._weights = [np.empty(0) for _ in range(2)]
        self._quanta = np.zeros((2, 3), np.uint64)

    @property
    def totals(self) -> tuple[int, int]:
        """The sums of both classes; in quanta if weighted."""
        if self._plan.known.weighted:
            neg, pos = as_integers(self._quanta).tolist()
            return neg, pos
        return self._sizes[0], self._sizes[1]

    @property
    def n_rows(self) -> int:
        """How many rows have been collected; those of weight 0 are not."""
        return sum(self._sizes)

    def add(self, chunk: Chunk, n_jobs: int | None) -> None:
        """Add the rows that are in doubt."""
        starts = range(0, len(chunk.label), _BLOCK)
        for parts, quanta in run_all([partial(self._gather, chunk, k) for k in starts], n_jobs):
            self._append(parts, quanta)

    def _gather(self, chunk: Chunk, start: int) -> tuple[list[tuple[Array, Array]], Array]:
        """Return keys and weights of both classes from a block of rows, and the sums of weights."""
        grid, slots, nodes, _ = self._search
        rows = slice(start, start + _BLOCK)
        label, score = chunk.label[rows], chunk.score[rows]
        found = label, score, grid.find_cells(score)
        keys, weights = np.empty(len(label), np.uint64), np.empty(0)
        quanta = np.zeros((2, 3), np.uint64)
        is_single = score.dtype is FLOAT32
        if chunk.weight is None:
            n_neg, n_pos = _GATHER[is_single](*found, slots, nodes, keys)
        else:
            weights = np.empty(len(label))
            n_neg, n_pos = _GATHER_WEIGHTED[is_single](
                *found, chunk.weight[rows], slots, nodes, keys, weights, quanta
            )
        places = slice(0, n_neg), slice(len(keys) - n_pos, len(keys))
        return [(keys[place].copy(), weights[place].copy()) for place in places], quanta

    def _append(self, parts: list[tuple[Array, Array]], quanta: Array) -> None:
        for c, (keys, weights) in enumerate(parts):
            size = self._sizes[c] + len(keys)
            if size > self._most[c]:
                raise ValueError(
                    f"More than {self._most[c]} {('negatives', 'positives')[c]} are in doubt in "
                    "this pass, but not in the one before; expected the same data in each pass."
                )
            _grow(self._keys[c], size, self._most[c])
            self._keys[c][self._sizes[c] : size] = keys
            if self._plan.known.weighted:
                _grow(self._weights[c], size, self._most[c])
                self._weights[c][self._sizes[c] : size] = weights
            self._sizes[c] = size
        self._quanta = _add_words(self._quanta, quanta)

    def merge(self, other: "CollectedRows") -> None:
        """Add other rows of the same plan, which may be these."""
        parts = [
            (keys[:size].copy(), weights[:size].copy())
            for keys, weights, size in zip(other._keys, other._weights, other._sizes, strict=True)
        ]
        self._append(parts, other._quanta)

    def is_equal(self, other: "CollectedRows") -> bool:
        """Tell whether both hold the same rows, in whatever order."""
        if self._sizes != other._sizes:
            return False
        return all(
            all(map(np.array_equal, self.sorted_rows(c), other.sorted_rows(c))) for c in range(2)
        )

    def sorted_rows(self, label: int) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Return the keys of a class in increasing order, and the weights; in place."""
        keys, weights = self._keys[label][: self._sizes[label]], self._weights[label]
        if self._plan.known.weighted:
            weights = weights[: self._sizes[label]]
            # Weights are not negative, so their bits are in their order.
            order = np.lexsort((weights.view(np.uint64), keys))
            keys[:], weights[:] = keys[order], weights[order]
        else:
            keys.sort()
        return keys, weights

    def finish(self) -> Knowledge:
        """Return what is known after the pass; assumes that all rows have been collected."""
        known, doubts = self._plan.known, self._plan.doubts
        (neg, neg_weight), (pos, pos_weight) = (self.sorted_rows(c) for c in range(2))
        if known.weighted:
            areas = np.zeros((2, 6), np.uint64)
            _refinement.weigh_pairs(neg, neg_weight, pos, pos_weight, areas)
            inside = CellPairs(_whole(areas[0]), _whole(areas[1]), 0)
        else:
            for keys, counts in ((neg, doubts.neg), (pos, doubts.pos)):
                rows = np.searchsorted(keys, doubts.last, "right")
                differs = rows - np.searchsorted(keys, doubts.low) != counts
                if differs.any():
                    raise changed(doubts, int(np.argmax(differs)))
            inside = CellPairs(*_refinement.count_pairs(neg, pos), 0)
        rest = known.doubts.take(~self._plan.chosen)
        most_rows = min(known.most_rows, int(rest.rows.sum()))
        return known.settle(doubts, inside)._replace(doubts=rest, most_rows=most_rows)


def _grow(array: Array, size: int, most: int) -> None:
    """Make room in place, twice as much as there was, but no more than can be needed."""
    if size > len(array):
        # Nothing else refers to the array, and its memory need not be copied.
        array.resize(min(most, max(size, 2 * len(array))), refcheck=False)


def _add_words(a: Array, b: Array) -> Array:
    whole = as_integers(a) + as_integers(b)
    words = [[total >> (64 * k) & (2**64 - 1) for k in range(3)] for total in whole.tolist()]
    return np.array(words, np.uint64)


def _whole(words: Array) -> int:
    return sum(word << (64 * k) for k, word in enumerate(words.tolist()))
