"""Accumulators of one refinement pass: counts of sub-intervals, or collected rows.

Either is made in parts and merged, with the same result for any order of the rows.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import histogram as _histogram, refinement as _refinement
from fastauc._validation.arrays import FLOAT32, Array
from fastauc._validation.chunks import Chunk
from fastauc._validation.threads import ROWS_PER_THREAD, SERIAL, Workers, count_threads
from fastauc.streaming._bounds import CellPairs
from fastauc.streaming._cells import MIXED, as_integers, doubles_of
from fastauc.streaming._collected_rows import (
    KeyColumn,
    KeyReader,
    SegmentPairs,
    WeightedColumn,
    count_segment,
    segments,
)
from fastauc.streaming._histogram import ROWS_PER_TABLE
from fastauc.streaming._plan import (
    PARTS,
    Plan,
    RefinementState,
    UnresolvedIntervals,
    pairs_across,
    pairs_within,
)

_BLOCK = 2**14  # rows whose cells are found at a time; they stay in the second-level cache
_GATHERED = 2**16  # rows of which the unresolved ones are gathered at a time
_BLOCKS = 16  # at a time, on all threads
_LOWER_HALF = np.uint64(2**32 - 1)
_MOST_COUNTED = 2**32 - 1  # rows of a class in half a word
_NONE_RECENT = np.empty((0, 2), np.uint8)  # as histograms have them


def _by_score(name: str) -> dict[bool, Any]:
    kernel = getattr(_refinement, name)
    return {False: kernel["double"], True: kernel["float"]}


_COUNT, _WEIGH = _by_score("count_rows"), _by_score("weigh_rows")
_GATHER = _by_score("gather_rows")


def changed(unresolved: UnresolvedIntervals, k: int) -> ValueError:
    """Return the error for an interval whose rows are not those of the pass before."""
    low, last = doubles_of(np.array([unresolved.low[k], unresolved.last[k]])).tolist()
    return ValueError(
        f"The rows with scores from {low!r} to {last!r} differ from those of the previous pass; "
        "expected the same data in each pass."
    )


# Counts -------------------------------------------------------------------------------------------


class Ends(NamedTuple):
    """What is known of the parts of the intervals that are split, or of some of them.

    Attributes
    ----------
    ends : int64 array of shape (n_ends,)
        The numbers of the parts, increasing.
    sums : int64 array of shape (n_ends, 2), or uint64 array of shape (n_ends, 2, 3)
        Negatives and positives; their weights in units, as three words, the lowest first.
    score_tags : uint64 array of shape (n_ends,)
        0 for a part without rows, 1 for one of several scores; else the key of the only score.
    rows : int64 array of shape (n_ends,)
        If weighted: rows whose weight is not 0. Else empty.
    """

    ends: NDArray[np.int64]
    sums: Array
    score_tags: NDArray[np.uint64]
    rows: NDArray[np.int64]


class _CountTable:
    """Rows of all parts, which can be added to.

    A part has two adjacent words, so that a row waits for one cache line only: negatives in the
    lower half of the first and positives in its upper half, then the score.
    """

    def __init__(self, n_ends: int) -> None:
        self.parts = np.zeros((n_ends, 2), np.uint64)
        self.totals: Array = np.zeros(2, np.int64)
        self._room = _MOST_COUNTED
        self._carried: Array | None = None  # counts as in ``Ends`` that were in the parts before

    def add(self, chunk: Chunk, start: int, stop: int, plan: Plan) -> None:
        """Add some rows of a chunk."""
        for found, _ in _found(chunk, start, stop, plan):
            n_rows = len(found[0])
            if n_rows > self._room:
                self._carried = self._counts(slice(None))
                self.parts[:, 0] = 0
                self._room = _MOST_COUNTED
            self._room -= n_rows
            _COUNT[chunk.score.dtype is FLOAT32](*found, self.parts, self.totals)

    def _counts(self, ends: NDArray[np.int64] | slice) -> Array:
        packed = self.parts[ends, 0]
        halves = np.stack([packed & _LOWER_HALF, packed >> np.uint64(32)], axis=1)
        counts = halves.astype(np.int64)
        return counts if self._carried is None else counts + self._carried[ends]

    def merge(self, other: Ends, totals: Array) -> None:
        """Add parts, and their sums."""
        if self._carried is None:
            self._carried = np.zeros((len(self.parts), 2), np.int64)
        # In one call, so that an interrupt comes before or after it.
        parts = other.sums, other.score_tags, totals, other.ends.astype(np.uint32), _NONE_RECENT
        _histogram.merge_counts(*parts, self._carried, self.parts[:, 1], self.totals)

    def non_empty(self) -> Ends:
        """Return the parts that hold rows."""
        ends = np.flatnonzero(self.parts[:, 1])
        return Ends(ends, self._counts(ends), self.parts[ends, 1], np.empty(0, np.int64))


class _WeightTable:
    """Weights of all parts, which can be added to."""

    def __init__(self, n_ends: int) -> None:
        self.sums: Array = np.zeros((n_ends, 2, 3), np.uint64)
        self.totals: Array = np.zeros((2, 3), np.uint64)
        self.score_tags, self.rows = np.zeros(n_ends, np.uint64), np.zeros(n_ends, np.int64)

    def add(self, chunk: Chunk, start: int, stop: int, plan: Plan) -> None:
        """Add some rows of a chunk."""
        tables = self.sums, self.score_tags, self.totals, self.rows
        for found, weight in _found(chunk, start, stop, plan):
            _WEIGH[chunk.score.dtype is FLOAT32](*found, *tables, weight)

    def merge(self, other: Ends, totals: Array) -> None:
        """Add parts, and their sums."""
        unused = np.zeros(2, np.int64)  # a histogram counts the rows of all its cells
        parts = other.sums, other.score_tags, totals, other.ends.astype(np.uint32), unused
        _histogram.merge_fixed_weights(*parts, self.sums, self.score_tags, self.totals, unused)
        self.rows[other.ends] += other.rows

    def non_empty(self) -> Ends:
        """Return the parts that hold rows."""
        ends = np.flatnonzero(self.score_tags)
        return Ends(ends, self.sums[ends], self.score_tags[ends], self.rows[ends])


def _found(
    chunk: Chunk, start: int, stop: int, plan: Plan, size: int = _BLOCK
) -> Iterator[tuple[tuple[Array, ...], Array | None]]:
    """Yield labels, scores, cells, tables and weights, a few rows at a time."""
    search = plan.search
    for first in range(start, stop, size):
        rows = slice(first, min(first + size, stop))
        score = chunk.score[rows]
        cells = plan.known.grid.find_cells(score)
        found = chunk.label[rows], score, cells, search.slots, search.nodes
        yield found, None if chunk.weight is None else chunk.weight[rows]


class FinerCounts:
    """Rows of both classes, or their weights, in each part of the intervals that are split."""

    def __init__(
        self, plan: Plan, non_empty: Ends | None = None, totals: Array | None = None
    ) -> None:
        self._plan = plan
        # A saved state is kept unchanged until something is added.
        self._non_empty, self._tables = non_empty, None if non_empty else self._empty()
        self._totals = totals

    def _empty(self) -> _CountTable | _WeightTable:
        empty = _WeightTable if self._plan.known.weighted else _CountTable
        return empty(int(self._plan.count_parts().sum()))

    def _open(self) -> _CountTable | _WeightTable:
        if self._tables is None:
            tables = self._empty()
            tables.merge(self.non_empty(), self.sums_of_classes)
            self._tables = tables
        self._non_empty = None
        return self._tables

    def non_empty(self) -> Ends:
        """Return the parts that hold rows."""
        if self._non_empty is None:
            assert self._tables is not None
            self._non_empty = self._tables.non_empty()
        return self._non_empty

    @property
    def sums_of_classes(self) -> Array:
        """The sums of both classes, as in ``Ends``."""
        if self._tables is not None:
            return self._tables.totals
        assert self._totals is not None
        return self._totals

    @property
    def totals(self) -> tuple[int, int]:
        """The sums of both classes; in units if weighted."""
        neg, pos = as_integers(self.sums_of_classes).tolist()
        return neg, pos

    @property
    def n_rows(self) -> int:
        """The number of rows counted; rows of weight 0 do not count."""
        if not self._plan.known.weighted:
            return sum(self.totals)
        table = self._tables
        return int((table if isinstance(table, _WeightTable) else self.non_empty()).rows.sum())

    def add(self, chunk: Chunk, workers: Workers) -> None:
        """Add the rows that are unresolved."""
        n, tables = len(chunk.label), self._open()
        n_tables = max(1, min(count_threads(workers.n_jobs), n // ROWS_PER_TABLE))
        if n_tables == 1:
            tables.add(chunk, 0, n, self._plan)
            return
        bounds = [n * k // n_tables for k in range(n_tables + 1)]
        tasks = [partial(self._count_apart, chunk, *pair) for pair in pairwise(bounds)]
        first, *others = workers.run_all(tasks)
        for part in others:
            first.merge(part.non_empty(), part.totals)
        tables.merge(
            first.non_empty(), first.totals
        )  # at once: an interrupt before changes nothing

    def _count_apart(self, chunk: Chunk, start: int, stop: int) -> _CountTable | _WeightTable:
        tables = self._empty()
        tables.add(chunk, start, stop, self._plan)
        return tables

    def merge(self, other: "FinerCounts") -> None:
        """Add other counts of the same plan, which may be these."""
        non_empty, totals = other.non_empty(), other.sums_of_classes
        self._open().merge(non_empty, totals)

    def is_equal(self, other: "FinerCounts") -> bool:
        """Tell whether both are the same."""
        return self.totals == other.totals and all(
            map(np.array_equal, self.non_empty(), other.non_empty())
        )

    def finish(self) -> RefinementState:
        """Return what is known after the pass; assumes that all rows have been counted."""
        plan, known, unresolved = self._plan, self._plan.known, self._plan.unresolved
        n_parts = plan.count_parts()
        first = np.cumsum(n_parts) - n_parts
        ends, sums, score_tags, rows = self.non_empty()
        if not known.weighted:
            rows = sums.sum(axis=1)
        node = np.searchsorted(first, ends, "right") - 1
        _check_sums(unresolved, node, sums)
        is_mixed = score_tags == MIXED
        inside = CellPairs(pairs_across(sums), pairs_within(sums[~is_mixed]), 0)
        known = known.resolve(unresolved, inside)
        present = np.count_nonzero(sums.reshape(len(ends), 2, -1), axis=2) > 0
        is_unresolved = is_mixed & present[:, 0] & present[:, 1]
        low, last = plan.ranges_of(node[is_unresolved], (ends - first[node])[is_unresolved])
        cells = (ends + known.tree.n_slots)[is_unresolved]
        finer = UnresolvedIntervals(cells, low, last, sums[is_unresolved], rows[is_unresolved])
        rest = known.unresolved.take(~plan.chosen).join(finer)
        most_rows = min(known.most_rows, int(rest.rows.sum()))
        return known._replace(
            tree=known.tree.split(unresolved, plan.shift, n_parts),
            unresolved=rest,
            most_rows=most_rows,
            separable=2 * most_rows <= known.most_rows,
        )


def _check_sums(unresolved: UnresolvedIntervals, node: NDArray[np.int64], sums: Array) -> None:
    """Refuse counts of an interval that are not those of the pass before."""
    begins = np.flatnonzero(np.diff(node, prepend=-1))
    if len(begins) < len(unresolved.low):
        missing = np.setdiff1d(np.arange(len(unresolved.low)), node)
        raise changed(unresolved, int(missing[0]))
    for label, expected in enumerate((unresolved.neg, unresolved.pos)):
        differs = np.add.reduceat(as_integers(sums[:, label]), begins) != expected
        if differs.any():
            raise changed(unresolved, int(np.argmax(differs)))


# Rows ---------------------------------------------------------------------------------------------

SavedRows = tuple[NDArray[np.uint64], NDArray[np.float64] | None]
# The keys and the weights of both classes, from some rows.
Block = Sequence[tuple[Array, Array | None]]


def _gather(chunk: Chunk, start: int, plan: Plan) -> Block:
    """Return the unresolved rows of the next ones of a chunk."""
    stop = min(start + _GATHERED, len(chunk.label))
    ((found, weight),) = _found(chunk, start, stop, plan, _GATHERED)
    n, is_weighted = stop - start, weight is not None
    keys, weights = np.empty(n, np.uint64), np.empty(n if is_weighted else 0)
    gather = _GATHER[chunk.score.dtype is FLOAT32]
    n_neg, n_pos = gather(*found, weight if is_weighted else weights, keys, weights)
    places = slice(0, n_neg), slice(n - n_pos, n)
    return [(keys[place], weights[place] if is_weighted else None) for place in places]


class GatheredRows:
    """The rows of some intervals on their way to ``CollectedRows``, as they come.

    As bytes these are the numbers of negatives and of positives, the keys of both, and their
    weights if there are any.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # Keys of both classes, then their weights.
        self._columns = [bytearray() for _ in range(4)]

    def add(self, chunk: Chunk) -> None:
        """Add the rows that are unresolved."""
        for start in range(0, len(chunk.label), _GATHERED):
            # Copied while they are in the cache: the block is larger than what is found in it.
            for c, (keys, weights) in enumerate(_gather(chunk, start, self._plan)):
                self._columns[c] += keys.data
                if weights is not None:
                    self._columns[2 + c] += weights.data

    def to_bytes(self) -> bytes:
        """Return the rows as bytes."""
        sizes = np.array([len(keys) // 8 for keys in self._columns[:2]], np.uint64)
        return b"".join([sizes.data, *self._columns])


def gathered_from_bytes(state: bytes, *, weighted: bool) -> Block:
    """Return the rows of ``GatheredRows.to_bytes``, which are views."""
    words = np.frombuffer(state, np.uint64)
    n_neg, n_pos = words[:2].tolist()
    columns = np.split(words[2:], np.cumsum([n_neg, n_pos, n_neg])[: 3 if weighted else 1])
    weights = [column.view(np.float64) for column in columns[2:]] if weighted else [None, None]
    return list(zip(columns[:2], weights, strict=True))


class CollectedRows:
    """The rows of some intervals, of both classes.

    Parameters
    ----------
    plan : Plan
    saved : sequence of two pairs of arrays, optional
        Keys in increasing order, and weights if there are any, of each class.
    """

    def __init__(self, plan: Plan, saved: Sequence[SavedRows] | None = None) -> None:
        self._plan = plan
        if saved is None:
            weights = np.empty(0) if plan.known.weighted else None
            saved = [(np.empty(0, np.uint64), weights)] * 2
        self._columns: list[Any] = [
            KeyColumn(plan, keys) if weights is None else WeightedColumn(keys, weights)
            for keys, weights in saved
        ]
        self._counted: list[SegmentPairs] | None = None

    @property
    def totals(self) -> tuple[int, int]:
        """The sums of both classes; in units if weighted."""
        neg, pos = self._columns
        if self._plan.known.weighted:
            return int(as_integers(neg.total[None])[0]), int(as_integers(pos.total[None])[0])
        return neg.size, pos.size

    @property
    def n_rows(self) -> int:
        """The number of rows collected; rows of weight 0 are left out."""
        return sum(column.size for column in self._columns)

    def add(self, chunk: Chunk, workers: Workers) -> None:
        """Add the rows that are unresolved."""
        starts = range(0, len(chunk.label), _GATHERED)
        tasks = [partial(_gather, chunk, start, self._plan) for start in starts]
        # Threads that decode files have the cores until there are enough rows to start others.
        gatherers = workers if len(chunk.label) >= 2 * ROWS_PER_THREAD else SERIAL
        for first in range(0, len(tasks), _BLOCKS):
            self.append(gatherers.run_all(tasks[first : first + _BLOCKS]))
        if self._plan.known.weighted or self._counted is not None:
            return
        if all(column.size == most for column, most in self._rooms()):
            # The pass is over, so its threads are free.
            self._counted = self._count(workers)

    def _rooms(self) -> Iterator[tuple[Any, int]]:
        return zip(self._columns, self._plan.most_rows, strict=True)

    def _check_room(self, added: list[int]) -> None:
        for (column, most), n_rows in zip(self._rooms(), added, strict=True):
            if column.size + n_rows > most:
                raise ValueError(
                    f"{column.size + n_rows} rows of a class are unresolved in this pass, at most "
                    f"{most} in the previous one; expected the same data in each pass."
                )

    def append(self, blocks: Sequence[Block]) -> None:
        """Add rows that have been gathered."""
        self._check_room([sum(len(block[c][0]) for block in blocks) for c in range(2)])
        for c, (column, most) in enumerate(self._rooms()):
            for block in blocks:
                if len(block[c][0]) > 0:
                    self._counted = None
                    column.append(*block[c], most)

    def merge(self, other: "CollectedRows") -> None:
        """Add other rows of the same plan, which may be these."""
        self._check_room([column.size for column in other._columns])
        self._counted = None
        for (column, most), added in zip(self._rooms(), other._columns, strict=True):
            for part in list(added.parts()) if other is self else added.parts():
                column.append(*part, most)

    def rows_in_order(self) -> list[tuple[int, Iterator[Array], Array | None]]:
        """Return the number, the keys in parts, and the weights of both classes, in their order."""
        return [(column.size, *column.in_order()) for column in self._columns]

    def is_equal(self, other: "CollectedRows") -> bool:
        """Tell whether both hold the same rows, in any order."""
        return all(map(_are_same, self.rows_in_order(), other.rows_in_order()))

    def finish(self) -> RefinementState:
        """Return what is known after the pass; assumes that all rows have been collected."""
        known, plan = self._plan.known, self._plan
        inside = self._weigh() if known.weighted else self._pairs()
        rest = known.unresolved.take(~plan.chosen)
        # With k distinct scores in an interval, about one pair in k is tied.
        are_few = inside.tied * PARTS >= plan.unresolved.pairs_within() * len(rest.cells)
        return known.resolve(plan.unresolved, inside)._replace(
            unresolved=rest,
            most_rows=min(known.most_rows, int(rest.rows.sum())),
            separable=known.separable or are_few,
        )

    def _weigh(self) -> CellPairs:
        areas = np.zeros((2, 6), np.uint64)
        neg, pos = (column.rows() for column in self._columns)
        _refinement.weigh_pairs(neg[0], neg[1], pos[0], pos[1], areas)
        return CellPairs(whole_number(areas[0]), whole_number(areas[1]), 0)

    def _count(self, workers: Workers) -> list[SegmentPairs]:
        """Return the counts of the segments of the keys, from the lowest on."""
        for column, most in self._rooms():
            column.open(most)
        readers = [KeyReader(column) for column in self._columns]
        tasks = [
            partial(count_segment, segment, readers, self._plan.unresolved)
            for segment in segments(readers, self.n_rows)
        ]
        return workers.run_all(tasks)

    def _pairs(self) -> CellPairs:
        """Return the pairs, if each interval has the rows that it should have."""
        if self._counted is None:
            self._counted = self._count(SERIAL)
        unresolved = self._plan.unresolved
        rows = np.zeros((2, len(unresolved.cells)), np.int64)
        below = tied = negatives = 0
        for part in self._counted:
            below += part.below + negatives * part.sizes[1]
            tied += part.tied
            negatives += part.sizes[0]
            rows[:, part.place : part.place + part.rows.shape[1]] += part.rows
        differs = (rows != np.stack([unresolved.neg, unresolved.pos])).any(axis=0)
        if differs.any():
            raise changed(unresolved, int(np.argmax(differs)))
        return CellPairs(below, tied, 0)


def _are_same(
    mine: tuple[int, Iterator[Array], Array | None],
    others: tuple[int, Iterator[Array], Array | None],
) -> bool:
    (size, keys, weights), (other_size, other_keys, other_weights) = mine, others
    if size != other_size or size == 0:
        return size == other_size
    same = np.array_equal(np.concatenate(list(keys)), np.concatenate(list(other_keys)))
    if weights is None or other_weights is None:
        return same and weights is other_weights
    return same and np.array_equal(weights, other_weights)


def whole_number(words: Array) -> int:
    """Return the number of these words, the lowest first."""
    return sum(word << (64 * k) for k, word in enumerate(words.tolist()))
