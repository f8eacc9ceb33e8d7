"""Refinement steps as bytes, and the checks that loaded ones have to pass.

The fields of the payload, in their order: the grid; whether rows are weighted, whether they are
collected, and whether parts seem to tell scores apart (0 or 1); what is known, as
``RefinementState`` names it: ``n_rounded``, ``most_rows``, the totals of both classes in 3 words
each, and the concordant and the tied pairs in 6; the tree: ``n_slots``, the number of nodes, and
``low``, ``cells``, ``first`` and ``shift`` of these; the number of intervals unresolved, and
``low``, ``last``, ``sums``, ``rows`` and ``cells`` of these, and by how many bits each is shifted:
0 if its rows are collected, 64 if it is not looked at. Then what the step has found: if parts are
counted, the totals, the number of parts that hold rows, and ``sums``, ``score_tags``, ``rows`` if
weighted, and ``ends`` of these. If rows are collected, the numbers of negatives and of positives,
the keys of both, and their weights if there are any. There is one state for each step: equal ones
have equal bytes.

No check takes up more than twice the bytes of the state. A step that has been read keeps what it
has found as views of these bytes until rows are added, and a copy of what is known: a pass goes on
without the bytes. The tables of a pass, whose size is a number in the state that anyone can forge,
are allocated when rows are added.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array
from fastauc.streaming._cells import LARGEST_KEY, LEAST_KEY, MIXED, MOST_ROWS
from fastauc.streaming._histogram_state import broken, check_totals, grid_fields, read_grid
from fastauc.streaming._passes import CollectedRows, Ends, FinerCounts, whole_number
from fastauc.streaming._plan import PARTS, Plan, RefinementState, SplitTree, UnresolvedIntervals
from fastauc.streaming._state_format import (
    COUNT,
    DOUBLE,
    SMALL_COUNT,
    Field,
    Fields,
    Kind,
    field,
    packed,
    padded,
    unpack,
)

_NOT_CHOSEN = 64
_MOST_SLOTS = 2**32
_MOST_WEIGHT = 2.0**63
_BLOCK = 2**16


def _words(numbers: tuple[int, ...], n_words: int) -> Field:
    words = [number >> 64 * k & (2**64 - 1) for number in numbers for k in range(n_words)]
    return field(words, COUNT)


def step_state(plan: Plan, content: FinerCounts | CollectedRows) -> Field:
    """Return the state of a step; nothing must be added to it before its bytes are taken."""
    known, tree, unresolved = plan.known, plan.known.tree, plan.known.unresolved
    shift = np.full(len(unresolved.cells), _NOT_CHOSEN, np.uint8)
    shift[plan.chosen] = plan.shift if plan.kind == "grid" else 0
    fields = [
        *grid_fields(known.grid),
        *(field(flag, COUNT) for flag in (known.weighted, plan.kind == "rows", known.separable)),
        field([known.n_rounded, known.most_rows], COUNT),
        _words((known.n_neg, known.n_pos), 3),
        _words((known.concordant, known.tied), 6),
        field([tree.n_slots, len(tree.cells)], COUNT),
        field(tree.low, COUNT),
        *(field(column, SMALL_COUNT) for column in (tree.cells, tree.first, tree.shift)),
        field(len(unresolved.cells), COUNT),
        *(
            field(column, COUNT)
            for column in (unresolved.low, unresolved.last, unresolved.sums, unresolved.rows)
        ),
        *(field(column, SMALL_COUNT) for column in (unresolved.cells, shift)),
    ]
    fields += _count_fields(content) if isinstance(content, FinerCounts) else _row_fields(content)
    return packed(Kind.REFINEMENT, fields)


def _count_fields(content: FinerCounts) -> list[Field]:
    non_empty = content.non_empty()
    return [
        field(content.sums_of_classes, COUNT),
        field(len(non_empty.ends), COUNT),
        *(
            field(column, COUNT)
            for column in (non_empty.sums, non_empty.score_tags, non_empty.rows)
        ),
        field(non_empty.ends, SMALL_COUNT),
    ]


def _row_fields(content: CollectedRows) -> list[Field]:
    rows = content.rows_in_order()
    return [
        field([size for size, _, _ in rows], COUNT),
        *(padded(_keys_of(size, keys)) for size, keys, _ in rows),
        *(field(weights, DOUBLE) for _, _, weights in rows if weights is not None),
    ]


def _keys_of(size: int, keys: Iterable[Array]) -> Field:
    return Field(size * COUNT.itemsize, (np.asarray(part, COUNT).data for part in keys))


def step_from_bytes(state: object, function: str) -> tuple[Plan, FinerCounts | CollectedRows]:
    """Return the plan of a saved step, and what it has found."""
    fields = unpack(Kind.REFINEMENT, state, function)
    plan = _read_plan(fields)
    content = _read_counts(fields, plan) if plan.kind == "grid" else _read_rows(fields, plan)
    fields.end()
    if any(map(int.__gt__, content.totals, plan.totals)):
        raise broken("it has found more rows than were unresolved")
    return plan, content


def _read_flag(fields: Fields, name: str) -> bool:
    flag = fields.integer(name)
    if flag > 1:
        raise broken(f"{name} is {flag}; expected 0 or 1")
    return bool(flag)


# Plans --------------------------------------------------------------------------------------------


def _read_plan(fields: Fields) -> Plan:
    grid = read_grid(fields)
    weighted = _read_flag(fields, "the weighting")
    are_collected = _read_flag(fields, "the kind of pass")
    separable = _read_flag(fields, "whether parts tell scores apart")
    n_rounded, most_rows = fields.array("the numbers of rows", COUNT, 2).tolist()
    totals = fields.array("the totals", COUNT, 2, 3)
    pairs = fields.array("the pairs", COUNT, 2, 6)
    n_neg, n_pos = map(whole_number, totals)
    concordant, tied = map(whole_number, pairs)
    tree = _read_tree(fields, grid.n_cells)
    unresolved, shift = _read_unresolved(fields, weighted, tree)
    if most_rows > MOST_ROWS or (not weighted and most_rows != int(unresolved.rows.sum())):
        raise broken(f"it says that {most_rows} rows are unresolved")
    if n_rounded > MOST_ROWS or (n_rounded > 0 and not weighted):
        raise broken(f"{n_rounded} weights are rounded")
    is_unresolved = unresolved.totals
    if n_neg < is_unresolved[0] or n_pos < is_unresolved[1]:
        raise broken("it has more unresolved rows than rows")
    if concordant + tied + unresolved.pairs_within() > n_neg * n_pos:
        raise broken("it has more pairs than its rows allow")
    known = RefinementState(
        grid,
        weighted,
        tree,
        unresolved,
        concordant,
        tied,
        n_neg,
        n_pos,
        n_rounded,
        most_rows,
        separable,
    )
    chosen = shift != _NOT_CHOSEN
    if not chosen.any():
        raise broken("it has no intervals to split or to collect")
    if are_collected:
        if shift[chosen].any():
            raise broken("it both splits intervals and collects rows")
        return Plan(known, "rows", chosen, np.empty(0, np.uint8))
    plan = Plan(known, "grid", chosen, shift[chosen])
    n_parts = plan.count_parts()
    if (n_parts > PARTS).any() or tree.n_slots + int(n_parts.sum()) > _MOST_SLOTS:
        raise broken("it splits intervals into too many parts")
    return plan


def _read_tree(fields: Fields, n_cells: int) -> SplitTree:
    n_slots, n_nodes = fields.array("the size of the tree", COUNT, 2).tolist()
    low = fields.array("the keys of the tree", COUNT, n_nodes)
    cells, first, shift = (
        fields.array(f"the {name} of the tree", SMALL_COUNT, n_nodes)
        for name in ("cells", "parts", "shifts")
    )
    ends = np.append(first.astype(np.int64), n_slots if n_slots <= _MOST_SLOTS else -1)
    n_parts = np.diff(ends)
    is_whole = ends[0] == n_cells and (n_parts >= 1).all() and (n_parts <= PARTS).all()
    # The parts of an interval come after it, so that every search ends.
    if not (is_whole and (cells < first).all() and _are_distinct(cells)):
        raise broken("its tree is invalid")
    if (shift > 63).any():
        raise broken("the keys of its tree are shifted by more than 63 bits")
    return SplitTree(
        n_slots, cells.astype(np.int64), low.copy(), first.astype(np.int64), shift.astype(np.uint8)
    )


def _read_unresolved(
    fields: Fields, weighted: bool, tree: SplitTree
) -> tuple[UnresolvedIntervals, NDArray[np.uint8]]:
    n_unresolved = fields.integer("the number of intervals")
    words_of_sum = (3,) if weighted else ()
    low = fields.array("the lowest keys", COUNT, n_unresolved)
    last = fields.array("the highest keys", COUNT, n_unresolved)
    sums = fields.array("the unresolved sums", COUNT, n_unresolved, 2, *words_of_sum)
    rows = fields.array("the unresolved rows", COUNT, n_unresolved)
    cells = fields.array("the unresolved bins", SMALL_COUNT, n_unresolved)
    shift = fields.array("the shifts", SMALL_COUNT, n_unresolved)
    is_finite = n_unresolved == 0 or (low[0] >= LEAST_KEY and last[-1] <= LARGEST_KEY)
    if not (is_finite and (low <= last).all() and (last[:-1] < low[1:]).all()):
        raise broken("its intervals are not in increasing order")
    if (cells >= tree.n_slots).any() or not _are_distinct(cells):
        raise broken("its intervals are outside the bins, or two are in the same bin")
    if (shift > _NOT_CHOSEN).any():
        raise broken("the keys of its intervals are shifted by more than 64 bits")
    _check_counts(sums, rows, weighted)
    if not (sums.any(axis=2) if weighted else sums != 0).all():
        raise broken("it has an interval of one class")
    return (
        UnresolvedIntervals(
            cells.astype(np.int64),
            low.copy(),
            last.copy(),
            sums.copy() if weighted else sums.astype(np.int64),
            rows.astype(np.int64),
        ),
        shift.astype(np.uint8),
    )


def _are_distinct(cells: Array) -> bool:
    ordered = np.sort(cells)  # most are in order, which np.unique takes no advantage of
    return bool((ordered[1:] != ordered[:-1]).all())


def _check_counts(sums: Array, rows: Array, weighted: bool) -> None:
    """Refuse numbers of rows that do not fit into a counter, or without rows."""
    if weighted:
        # A weight is below 2^63, or 2^191 units.
        if (sums[..., 2] >> np.uint64(63)).any():
            raise broken("it has a weight of 2^63 or more")
        are_right = (rows > 0).all()
    else:
        are_right = (rows == sums.sum(axis=1)).all() and (sums <= rows[:, None]).all()
    if not (are_right and (rows <= MOST_ROWS).all()):
        raise broken("it has rows that its counts do not include")


# What has been found ------------------------------------------------------------------------------


def _read_counts(fields: Fields, plan: Plan) -> FinerCounts:
    weighted, n_parts = plan.known.weighted, plan.count_parts()
    words_of_sum = (3,) if weighted else ()
    totals = fields.array("the totals of parts", COUNT, 2, *words_of_sum)
    n_non_empty = fields.integer("the number of parts")
    sums = fields.array("the sums of parts", COUNT, n_non_empty, 2, *words_of_sum)
    score_tags = fields.array("the scores of parts", COUNT, n_non_empty)
    rows = fields.array("the rows of parts", COUNT, n_non_empty if weighted else 0)
    ends = fields.array("the parts", SMALL_COUNT, n_non_empty).astype(np.int64)
    if not (ends[1:] > ends[:-1]).all() or (n_non_empty and ends[-1] >= n_parts.sum()):
        raise broken("its parts are not in increasing order, or out of range")
    _check_counts(sums, rows if weighted else sums.sum(axis=1), weighted)
    if not weighted and not sums.any(axis=1).all():
        raise broken("it has an empty part")
    check_totals(sums, totals)
    starts = np.cumsum(n_parts) - n_parts
    for start in range(0, n_non_empty, _BLOCK):
        block = slice(start, start + _BLOCK)
        node = np.searchsorted(starts, ends[block], "right") - 1
        low, last = plan.ranges_of(node, ends[block] - starts[node])
        is_right = (score_tags[block] >= low) & (score_tags[block] <= last)
        if not (is_right | (score_tags[block] == MIXED)).all():
            raise broken("it has a score in a part that the score does not belong to")
    if not weighted:
        sums, totals = sums.view(np.int64), totals.view(np.int64)
    return FinerCounts(plan, Ends(ends, sums, score_tags, rows.view(np.int64)), totals)


def _read_rows(fields: Fields, plan: Plan) -> CollectedRows:
    sizes = fields.array("the numbers of rows", COUNT, 2).tolist()
    if any(map(int.__gt__, sizes, plan.most_rows)):
        raise broken("it has collected more rows than were unresolved")
    keys = [fields.array("the keys", COUNT, size) for size in sizes]
    weights: list[NDArray[np.float64] | None] = [None, None]
    if plan.known.weighted:
        weights = [fields.array("the weights", DOUBLE, size) for size in sizes]
    columns = list(zip(keys, weights, strict=True))
    for key, weight in columns:
        for start in range(0, len(key), _BLOCK):
            # With the row before, to which the first is compared.
            block = slice(max(start - 1, 0), start + _BLOCK)
            _check_order(key[block], None if weight is None else weight[block])
        # Of keys in order, intervals are looked up: they are fewer.
        ends = key.searchsorted(plan.unresolved.last, "right")
        if (ends - key.searchsorted(plan.unresolved.low)).sum() != len(key):
            raise broken("it has collected a row that was not unresolved")
    return CollectedRows(plan, columns)


def _check_order(keys: Array, weights: Array | None) -> None:
    """Refuse rows that are not in their order."""
    in_order = keys[1:] >= keys[:-1]
    if weights is not None:
        # No comparison of doubles: processors can be set to take subnormal numbers for 0.
        bits = weights.view(np.uint64)
        in_order &= (keys[1:] > keys[:-1]) | (bits[1:] >= bits[:-1])
        if not ((bits > 0) & (bits < np.float64(_MOST_WEIGHT).view(np.uint64))).all():
            raise broken("it has an invalid weight, or one of 2^63 or more")
    if not in_order.all():
        raise broken("its rows are not sorted")
