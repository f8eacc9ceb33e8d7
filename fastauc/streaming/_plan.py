"""Plans the next refinement pass: which intervals of scores, and whether to split or to collect.

Scores are compared by their keys, integers in the order of the doubles. Unresolved are the pairs
within intervals of keys with rows of both classes and of several scores; all other pairs are
counted. A pass either splits such intervals evenly, or collects their rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array
from fastauc.streaming._bounds import CellPairs, ScoreInterval, area_interval, pairs_of_cells
from fastauc.streaming._cells import LARGEST_KEY, Grid, as_integers
from fastauc.streaming._histogram import ScoreHistogram

# Parts into which all intervals of a pass are split: 16 MB of counts, 64 MB if weighted.
PARTS = 2**20
# If collecting rows took more passes than this, splitting is tried first if it seems to resolve
# most of them.
_FEW_PASSES = 4
# Scores seem to repeat if one in this many unresolved cells has a single score of both classes.
_TIED_CELLS = 100
_SHARES = 2.0**40
_BLOCK = 2**14
# Collected keys: bits of the range number, and of a key within its range; the target number of rows
# in a range, and the room allocated for it at a time, as a power of 2.
_RANGE_BITS, _KEY_BITS = 16, 48
_ROWS_OF_RANGE = 2**18
_MOST_BLOCK_BITS = 5


def _integers(sums: Array) -> Iterator[tuple[Array, Array]]:
    """Yield both classes as Python integers, for a few places at a time to save memory."""
    for start in range(0, len(sums), _BLOCK):
        neg, pos = np.moveaxis(as_integers(sums[start : start + _BLOCK]).astype(object), 1, 0)
        yield neg, pos


def pairs_across(sums: Array) -> int:
    """Count the pairs of rows from two places, with the positive in the later one.

    ``sums`` holds the negatives and positives of each place, as in ``UnresolvedIntervals``.
    """
    pairs = below = 0
    for neg, pos in _integers(sums):
        pairs += int((pos * (below + np.cumsum(neg) - neg)).sum())
        below += int(neg.sum())
    return pairs


def pairs_within(sums: Array) -> int:
    """Count the pairs of rows of the same place."""
    return sum(int((neg * pos).sum()) for neg, pos in _integers(sums))


class UnresolvedIntervals(NamedTuple):
    """Intervals of keys within which the order of the rows is unknown, from the lowest on.

    Attributes
    ----------
    cells : int64 array of shape (n_unresolved,)
        The place of each interval in the tree.
    low, last : uint64 arrays
        The lowest and the highest key of each.
    sums : int64 array of shape (n_unresolved, 2), or uint64 array of shape (n_unresolved, 2, 3)
        Negatives and positives, or their weights in units, as in ``Tables``; none is 0.
    rows : int64 array
        The maximum number of rows in each.
    """

    cells: NDArray[np.int64]
    low: NDArray[np.uint64]
    last: NDArray[np.uint64]
    sums: Array
    rows: NDArray[np.int64]

    @property
    def neg(self) -> Array:
        """Negatives of each interval: an int64 array, or an array of Python integers."""
        return as_integers(self.sums[:, 0])

    @property
    def pos(self) -> Array:
        """Positives of each interval, in the same way."""
        return as_integers(self.sums[:, 1])

    @property
    def totals(self) -> tuple[int, int]:
        """The sums of both classes."""
        return int(self.neg.sum()), int(self.pos.sum())

    def take(self, chosen: NDArray[Any] | slice) -> "UnresolvedIntervals":
        """Return some of the intervals."""
        return UnresolvedIntervals(*(column[chosen] for column in self))  # type: ignore[arg-type]

    def join(self, other: "UnresolvedIntervals") -> "UnresolvedIntervals":
        """Return the intervals of both, which are disjoint."""
        order = np.argsort(np.concatenate([self.low, other.low]))

        def joined(mine: Array, others: Array) -> Array:
            return np.concatenate([mine, others])[order]

        return UnresolvedIntervals(*map(joined, self, other))

    def pairs_across(self) -> int:
        """Count the pairs of two intervals, the positive in the higher one."""
        return pairs_across(self.sums)

    def pairs_within(self) -> int:
        """Count the pairs that are unresolved."""
        return pairs_within(self.sums)


class SplitTree(NamedTuple):
    """Intervals that have been split, and where their parts are found; see ``refinement``.

    Attributes
    ----------
    n_slots : int
        Cells of the grid and parts of all intervals.
    cells : int64 array of shape (n_nodes,)
        The cell or part that each interval is.
    low : uint64 array
        The lowest key of each.
    first : int64 array
        Its first part.
    shift : uint8 array
        Bits of a key less ``low`` that are cut off to find the part.
    """

    n_slots: int
    cells: NDArray[np.int64]
    low: NDArray[np.uint64]
    first: NDArray[np.int64]
    shift: NDArray[np.uint8]

    def split(
        self, unresolved: UnresolvedIntervals, shift: NDArray[np.uint8], n_parts: NDArray[np.int64]
    ) -> "SplitTree":
        """Return the tree with these intervals split."""
        ends = self.n_slots + np.cumsum(n_parts)
        return SplitTree(
            int(ends[-1]),
            np.concatenate([self.cells, unresolved.cells]),
            np.concatenate([self.low, unresolved.low]),
            np.concatenate([self.first, ends - n_parts]),
            np.concatenate([self.shift, shift]),
        )


class RefinementState(NamedTuple):
    """What is known of all rows after a pass.

    Attributes
    ----------
    grid : Grid
    weighted : bool
    tree : Tree
    unresolved : UnresolvedIntervals
    concordant, tied : int
        Resolved pairs; in squared units if weighted.
    n_neg, n_pos : int
        All rows, or their weights in units.
    n_rounded : int
        Rows whose weight has been rounded to units.
    most_rows : int
        The maximum number of unresolved rows. A weighted histogram does not know how many rows a
        cell has, so there it is the number of all rows.
    separable : bool
        Whether distinct scores seem few enough for parts of intervals to separate them.
    """

    grid: Grid
    weighted: bool
    tree: SplitTree
    unresolved: UnresolvedIntervals
    concordant: int
    tied: int
    n_neg: int
    n_pos: int
    n_rounded: int
    most_rows: int
    separable: bool

    def interval(self) -> ScoreInterval:
        """Return the AUC."""
        pairs = CellPairs(self.concordant, self.tied, self.unresolved.pairs_within())
        return area_interval(pairs, (self.n_neg, self.n_pos), self.n_rounded)

    def resolve(self, unresolved: UnresolvedIntervals, inside: CellPairs) -> "RefinementState":
        """Return what is known if the pairs of some intervals, among others, are known."""
        concordant = self.concordant + inside.concordant - unresolved.pairs_across()
        return self._replace(concordant=concordant, tied=self.tied + inside.tied)


class Ranges(NamedTuple):
    """How collected keys are divided: into ranges of the same width.

    Attributes
    ----------
    low : int
        The lowest key.
    shift : int
        Bits of a key less ``low`` that tell it from the others of its range, at most 48.
    n_ranges : int
        At most 2^16.
    block_bits : int
        Room for keys of a range is taken for ``1 << block_bits`` of them at a time.
    """

    low: int
    shift: int
    n_ranges: int
    block_bits: int


def _ranges_of(unresolved: UnresolvedIntervals) -> Ranges:
    """Return ranges for the keys of all intervals, of not too many rows where that can be."""
    low, last = int(unresolved.low[0]), int(unresolved.last[-1])
    bits = (last - low).bit_length()
    shift = min(bits, _KEY_BITS)
    begins = unresolved.low - np.uint64(low)
    while shift > max(bits - _RANGE_BITS, 0):
        rows = np.bincount((begins >> np.uint64(shift)).astype(np.intp), unresolved.rows)
        if rows.max() <= _ROWS_OF_RANGE:
            break
        shift -= 1
    n_ranges = ((last - low) >> shift) + 1
    # Each range has one block that is not full: of many rows, these leave less than an eighth free.
    block_bits = (int(unresolved.rows.sum()) // (8 * n_ranges)).bit_length() - 1
    return Ranges(low, shift, n_ranges, min(max(block_bits, 1), _MOST_BLOCK_BITS))


class LookupTable(NamedTuple):
    """How the rows of a pass are found: the tables of ``refinement``."""

    slots: NDArray[np.uint32]
    nodes: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Plan:
    """What the next pass does.

    Attributes
    ----------
    known : RefinementState
    kind : str
        "grid" if intervals are split, "rows" if their rows are collected.
    chosen : bool array of shape (n_unresolved,)
        Which intervals; the others stay unresolved.
    shift : uint8 array
        For each chosen interval the bits of keys that are cut off; empty if rows are collected.
    """

    known: RefinementState
    kind: str
    chosen: NDArray[np.bool_]
    shift: NDArray[np.uint8]

    @cached_property
    def unresolved(self) -> UnresolvedIntervals:
        """The chosen intervals."""
        return self.known.unresolved.take(self.chosen)

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Negatives and positives in the chosen intervals; in units if weighted."""
        return self.unresolved.totals

    @property
    def most_rows(self) -> tuple[int, int]:
        """The maximum numbers of negatives and of positives, if rows are collected."""
        if not self.known.weighted:
            return self.totals
        return (min(self.known.most_rows, int(self.unresolved.rows.sum())),) * 2

    @cached_property
    def interval(self) -> ScoreInterval:
        """The AUC before the pass."""
        return self.known.interval()

    def count_parts(self) -> NDArray[np.int64]:
        """Return the number of parts of each chosen interval."""
        widths = (self.unresolved.last - self.unresolved.low) >> self.shift
        n_parts: NDArray[np.int64] = widths.astype(np.int64) + 1
        return n_parts

    def ranges_of(
        self, node: NDArray[np.int64], part: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the lowest and the highest key of parts of chosen intervals."""
        shift = self.shift[node].astype(np.uint64)
        low = self.unresolved.low[node] + (part.astype(np.uint64) << shift)
        width = (np.uint64(1) << shift) - np.uint64(1)
        return low, low + np.minimum(self.unresolved.last[node] - low, width)

    @cached_property
    def ranges(self) -> Ranges:
        """How the keys are divided, if rows are collected."""
        return _ranges_of(self.unresolved)

    @cached_property
    def search(self) -> LookupTable:
        """How rows are found; made when the first ones are added."""
        tree, cells = self.known.tree, self.unresolved.cells
        n_nodes = len(tree.cells)
        slots = np.zeros(tree.n_slots, np.uint32)
        slots[tree.cells] = np.arange(1, n_nodes + 1, dtype=np.uint32)
        if self.kind == "grid":
            slots[cells] = np.arange(n_nodes + 1, n_nodes + len(cells) + 1, dtype=np.uint32)
            whole = tree.split(self.unresolved, self.shift, self.count_parts())
        else:
            # A single node for all: the highest bit leads any key to one of two ends.
            slots[cells] = n_nodes + 1
            whole = SplitTree(
                tree.n_slots + 2,
                tree.cells,
                np.append(tree.low, np.uint64(0)),
                np.append(tree.first, tree.n_slots),
                np.append(tree.shift, np.uint8(63)),
            )
        nodes = np.zeros((len(whole.low) + 1, 2), np.uint64)
        nodes[1:, 0] = whole.low
        nodes[1:, 1] = whole.first.astype(np.uint64) << np.uint64(6) | whole.shift
        return LookupTable(slots, nodes)

    def is_equal(self, other: "Plan") -> bool:
        """Tell whether both look at the same rows in the same way."""
        if self is other:
            return True
        pairs = ((getattr(self, name.name), getattr(other, name.name)) for name in fields(self))
        return all(_is_equal(*pair) for pair in pairs)


def _is_equal(mine: Any, others: Any) -> bool:
    if isinstance(mine, Grid):
        return mine.is_equal(others)
    if isinstance(mine, tuple):
        return all(_is_equal(*pair) for pair in zip(mine, others, strict=True))
    if isinstance(mine, np.ndarray):
        return np.array_equal(mine, others)
    return bool(mine == others)


def state_of_histogram(histogram: ScoreHistogram) -> RefinementState:
    """Return what a histogram knows."""
    grid = histogram._grid
    non_empty, sums = histogram._sums()
    pairs = pairs_of_cells(sums)
    has_both = (sums.neg > 0) & (sums.pos > 0)
    is_unresolved = sums.is_mixed & has_both
    cells, unresolved_sums = (
        non_empty.cells[is_unresolved].astype(np.int64),
        non_empty.sums[is_unresolved],
    )
    if histogram.weighted:
        rows = np.full(len(cells), histogram.n_rows)
    else:
        rows = unresolved_sums.sum(axis=1)
    low, last = _key_ranges(grid, cells)
    none = np.empty(0, np.int64)
    return RefinementState(
        grid,
        histogram.weighted,
        SplitTree(grid.n_cells, none, none.astype(np.uint64), none, none.astype(np.uint8)),
        UnresolvedIntervals(cells, low, last, unresolved_sums, rows),
        pairs.concordant,
        pairs.tied,
        *sums.totals,
        sums.n_rounded,
        min(histogram.n_rows, int(rows.sum())),
        # There are no more distinct scores than rows. And cells of one score, which are the
        # narrowest, show whether scores repeat.
        int(rows.sum()) <= PARTS
        or _TIED_CELLS * int(np.count_nonzero(has_both & ~sums.is_mixed)) >= len(cells),
    )


def _key_ranges(
    grid: Grid, cells: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the lowest and the highest key of each cell of a grid."""
    edges = np.unique(np.concatenate([cells, cells + 1]))
    within = edges[edges < grid.n_cells]
    keys = np.append(grid.lower_keys(within), LARGEST_KEY + np.uint64(1))
    low, after = (keys[np.searchsorted(edges, wanted)] for wanted in (cells, cells + 1))
    return low, after - np.uint64(1)


def plan_pass(known: RefinementState, tol: float, max_rows: int) -> Plan | None:
    """Return what the next pass does, or None if none is needed.

    Rows are collected if the intervals of the most unresolved pairs per row, as many as hold
    ``max_rows`` rows together, leave no more than ``tol`` when they are resolved. If not, intervals
    are split if there are some of more than ``max_rows`` rows; or if there are few enough to split
    all, and either ``tol`` is above 0, or it would take many passes to collect all rows and parts
    seem to tell their scores apart. Else rows are collected. Parts that hold several scores each
    would resolve nothing and be as many intervals, for which there has to be room beside the rows.

    The rule depends only on the merged counts, and it terminates. Collecting resolves at least one
    interval. Splitting leaves at most half of the keys of an interval in each part: the highest bit
    in which the ends of the interval differ is the same throughout a part. So after 64 splits, only
    single keys are left of an interval, and these are resolved. A pass that splits, splits all
    intervals of more than ``max_rows`` rows or, if there are none, all intervals: there are at most
    64 passes of the first kind, and then at most 64 of the second.
    """
    unresolved = known.unresolved
    if len(unresolved.cells) == 0:
        return None
    interval = known.interval()
    if interval.upper - interval.lower <= tol:
        return None
    shares = _shares_of_pairs(known)
    order = np.argsort(-(shares * shares / unresolved.rows), kind="stable")
    n_rows = np.minimum(np.cumsum(unresolved.rows[order]), known.most_rows)
    chosen = np.zeros(len(order), np.bool_)
    chosen[order[n_rows <= max_rows]] = True
    left = unresolved.pairs_within() - unresolved.take(chosen).pairs_within()
    if chosen.any() and left <= tol * known.n_neg * known.n_pos:
        return Plan(known, "rows", chosen, np.empty(0, np.uint8))
    are_few = 2 * len(order) <= PARTS
    exceeds = unresolved.rows > max_rows
    many_passes = known.most_rows > _FEW_PASSES * max_rows
    if exceeds.any() or (are_few and (tol > 0 or (many_passes and known.separable))):
        return _plan_split(known, shares, exceeds | are_few)
    return Plan(known, "rows", chosen, np.empty(0, np.uint8))


def _shares_of_pairs(known: RefinementState) -> NDArray[np.float64]:
    """Return the square root of each interval's share of all pairs."""
    neg, pos = (
        sums.astype(np.float64) / float(total)
        for sums, total in (
            (known.unresolved.neg, known.n_neg),
            (known.unresolved.pos, known.n_pos),
        )
    )
    shares: NDArray[np.float64] = np.sqrt(neg * pos)
    return shares


def _plan_split(
    known: RefinementState, shares: NDArray[np.float64], needed: NDArray[np.bool_]
) -> Plan:
    """Split the needed intervals, and as many others as there are parts for."""
    # Parts in proportion to these shares leave the fewest pairs unresolved, as a sum of neg * pos /
    # parts. Integers, so that the order of summation cannot change them.
    whole = (shares * _SHARES).astype(np.int64)
    n_parts = whole * PARTS // max(int(whole.sum()), 1)
    chosen = needed | (n_parts >= 2)
    low, last = known.unresolved.low[chosen], known.unresolved.last[chosen]
    bits = np.maximum(_bit_lengths(n_parts[chosen].astype(np.uint64)) - 1, 1)
    shift = np.maximum(_bit_lengths(last - low) - bits, 0)
    return Plan(known, "grid", chosen, shift.astype(np.uint8))


def _bit_lengths(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    lengths = np.zeros(len(values), np.int64)
    for half in (32, 16, 8, 4, 2, 1):
        above = values >> np.uint64(half) != 0
        lengths += np.where(above, half, 0)
        values = np.where(above, values >> np.uint64(half), values)
    lengths += values != 0
    return lengths
