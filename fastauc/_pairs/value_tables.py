"""Few distinct scores, each with its rows in a table; see ``fastauc._kernels.values``."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import values as _values
from fastauc._pairs.bucket_map import (
    LEAST_WIDTH,
    MANY_FEW_ROWS,
    firsts_of,
    keys_of,
    map_of_line,
    power_of_two,
    range_of,
)
from fastauc._pairs.sorting import of_blocks, order_of, sort_keys
from fastauc._validation.arrays import UINT64, Array
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers

# Rows that each score replaces at least.
_ROWS_PER_VALUE, _ROWS_PER_QUICK_VALUE = 7, 24
_LEAST_BUCKETS, _MOST_BUCKETS_OF_FEW = 2**10, 2**14  # on a line
_LEAST_ENTRIES, _ROWS_PER_ENTRY = 2**11, 4
_LEAST_SPARE, _SPARE_ENTRIES, _MOST_SPARE = 16, 32, 2**18
# From so many rows on, one in so many is looked at to learn how many scores there are.
_LEAST_LOOKED_AT, _SHARE_LOOKED_AT = 2**16, 32
_HASH = np.zeros(3)


class ValueTable(NamedTuple):
    """The keys of distinct scores in increasing order, with the negatives and positives at each."""

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]


def expected_values(drawn: Array, n_rows: int) -> int:
    """Return the expected number of distinct scores among ``n_rows``, given a sorted sample."""
    tied = np.zeros(len(drawn) + 1, np.bool_)  # each with the one before it
    np.equal(drawn[1:], drawn[:-1], out=tied[1:-1])
    once = len(drawn) - int(np.count_nonzero(tied[1:] | tied[:-1]))
    twice = int(np.count_nonzero(tied[1:-1] > (tied[:-2] | tied[2:])))
    distinct = len(drawn) - int(np.count_nonzero(tied))
    return _expected(distinct, once, twice, len(drawn), n_rows)


def _expected(distinct: int, once: int, twice: int, n_drawn: int, n_rows: int) -> int:
    """Return the expected number of distinct scores, given that in a sample.

    The estimate of A. Chao, Scand. J. Statist. 11 (1984) 265: those drawn, and as many more as half
    the square of those drawn once over those drawn twice. A few frequent scores do not hide that
    the others are many. But no more than if each other row has a new score as often as the last
    ones drawn, for which the share of those drawn once stands (I. J. Good, Biometrika 40 (1953)
    237).
    """
    most_new = once * max(0, n_rows - n_drawn) // n_drawn
    return distinct + min(once**2 // (2 * max(1, twice)), most_new)


def has_few_values(drawn: Array, n_rows: int) -> bool:
    """Return whether a table of all distinct scores is worth trying, given a sorted sample.

    Each score has to replace more rows where these are told apart quickly: few rows, or those of
    single precision. Multiples of a unit are found in the table quickly, too.
    """
    n_values = expected_values(drawn, n_rows)
    if n_values > n_rows // _ROWS_PER_VALUE:
        return False
    is_quick = n_rows <= MANY_FEW_ROWS or drawn.dtype.itemsize < 8
    if not is_quick or n_values <= n_rows // _ROWS_PER_QUICK_VALUE:
        return True
    return _buckets_of_units(drawn, drawn[0], drawn[-1]) <= _most_buckets(n_values)


def _most_buckets(n_values: int) -> int:
    """Return the most buckets on a line that are worth it for so many scores."""
    return max(_MOST_BUCKETS_OF_FEW, power_of_two(4 * n_values))


def _buckets_of_units(drawn: Array, low: float, high: float) -> float:
    """Return how many buckets on a line separate multiples of a unit, as of rounded scores.

    Infinity where a line cannot be drawn.
    """
    width = float(high) - float(low)
    if not LEAST_WIDTH < width < math.inf:
        return math.inf
    with np.errstate(under="ignore"):
        gaps = np.diff(drawn.astype(np.float64))
    gap = float(gaps[gaps > 0].min(initial=math.inf))
    return max(_LEAST_BUCKETS, 1 + width / gap)


class Plan(NamedTuple):
    """How large a table is, and where it looks for a score first.

    Attributes
    ----------
    line : float64 array
        The linear map from a score to its first place, or zeros for a hash of its bits.
    n_entries : int
        A power of two.
    n_values : int
        The number of scores that are expected.
    """

    line: NDArray[np.float64]
    n_entries: int
    n_values: int

    def limits(self, rows: slice) -> tuple[int, int]:
        """Return the limits of the kernels, beyond which sorting is better."""
        return (rows.stop - rows.start) // 2, 5 * self.n_entries // 8


def plan_table(sample: BinarySample, drawn: Array) -> Plan | None:
    """Return a table for all scores, given a sorted sample of them; None if there are too many."""
    n = len(sample.label)
    n_values = expected_values(drawn, n)
    low, high = range_of(sample)
    n_least = _buckets_of_units(drawn, low, high)
    if n_least <= _most_buckets(n_values):
        # A line is faster than a hash, however uneven the rows are.
        line = map_of_line(low, float(high) - float(low), power_of_two(math.ceil(n_least)))
        n_entries = power_of_two(max(_LEAST_ENTRIES, line.n_buckets, 2 * n_values))
        return Plan(line.line, n_entries, n_values)
    if n >= _LEAST_LOOKED_AT:
        n_values = _look_at_first(sample)
        if n_values > n // _ROWS_PER_VALUE:
            return None
    # The fewer share a first place the faster, but all entries are set to 0 and read at the end.
    n_spare = max(_LEAST_SPARE * n_values, min(_SPARE_ENTRIES * n_values, _MOST_SPARE))
    n_entries = max(_LEAST_ENTRIES, min(n_spare, n // _ROWS_PER_ENTRY))
    return Plan(_HASH, power_of_two(n_entries), n_values)


def _look_at_first(sample: BinarySample) -> int:
    """Return the expected number of distinct scores, by counting the first rows.

    A hash spreads the scores, so that a part of the table stands for all of it.
    """
    n = len(sample.label)
    n_first = n // _SHARE_LOOKED_AT
    table = np.zeros((power_of_two(2 * n_first), 4), np.uint32)
    rows = sample.label[:n_first], sample.score[:n_first]
    _values.count_values(*rows, _HASH, table.reshape(-1), n_first, n_first)
    sizes = table[: len(table) // _SHARE_LOOKED_AT, 2:].sum(axis=1)
    distinct, once, twice = (
        _SHARE_LOOKED_AT * int(np.count_nonzero(which)) for which in (sizes, sizes == 1, sizes == 2)
    )
    return _expected(distinct, once, twice, n_first, n)


def tabulate_values(sample: BinarySample, plan: Plan | None, workers: Workers) -> ValueTable | None:
    """Count the rows at few distinct scores; None without a plan, or if there are many."""
    label, score = sample.label, sample.score
    if plan is None:
        return None

    def count(rows: slice) -> tuple[Array, NDArray[np.uint32]] | None:
        table, own = np.zeros(4 * plan.n_entries, np.uint32), (label[rows], score[rows])
        is_few = _values.count_values(*own, plan.line, table, *plan.limits(rows))
        return _held_entries(table, score) if is_few else None

    blocks = of_blocks(count, len(label), workers)
    return None if blocks is None else ValueTable(*_in_order(*joined(blocks)))


def _held_entries(table: NDArray[np.uint32], score: Array) -> tuple[Array, NDArray[np.uint32]]:
    """Return the scores and both numbers of the entries that are not empty."""
    room = len(table) // 4 + 1  # memory that is not written to costs nothing
    values, numbers = np.empty(room, score.dtype), np.empty(room, UINT64)
    n = _values.take_entries(table, values, numbers)
    return values[:n], numbers[:n].view(np.uint32).reshape(-1, 2)


def add_up_values(
    sample: BinarySample,
    weight: NDArray[np.float64],
    units: tuple[float, float],
    plan: Plan | None,
    workers: Workers,
) -> tuple[NDArray[np.uint64], int, int] | None:
    """Return the units of each class at few distinct scores in increasing order; None if many.

    And how many negatives and how many positives are cut; see ``_kernels.values.weigh_values``.
    """
    label, score = sample.label, sample.score
    if plan is None:
        return None

    def add(rows: slice) -> tuple[Array, NDArray[np.uint64], NDArray[np.int64]] | None:
        table = np.zeros(4 * plan.n_entries, np.uint32)
        sums = np.zeros((plan.n_entries, 2, 2), np.uint64)
        own = label[rows], score[rows], weight[rows], plan.line, *units
        is_few, *cut = _values.weigh_values(*own, table, sums, *plan.limits(rows))
        if not is_few:
            return None
        values, numbers = _held_entries(table, score)
        return values, sums[numbers[:, 0] - 1], np.array(cut)

    blocks = of_blocks(add, len(label), workers)
    if blocks is None:
        return None
    values, sums = joined([block[:2] for block in blocks])
    cut_neg, cut_pos = np.sum([block[2] for block in blocks], axis=0).tolist()
    return _in_order(values, sums)[1], cut_neg, cut_pos


def joined(blocks: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return what all blocks of rows hold, in two arrays."""
    if len(blocks) == 1:
        return blocks[0]
    values, numbers = map(np.concatenate, zip(*blocks, strict=True))
    return values, numbers


def _in_order(values: Array, sums: Array) -> tuple[NDArray[np.uint64], Array]:
    """Return the keys of scores in increasing order, with the sums of those that are equal.

    These have an entry in several tables, or are zeros of both signs. Scores are compared by their
    bits, as processors can be set to flush subnormal numbers to 0.
    """
    keys = keys_of(values)
    if (keys[1:] > keys[:-1]).all():
        return keys, sums
    if sums.ndim == 2:  # both numbers are one word
        sort_keys(keys, companion=sums.view(UINT64).reshape(-1))
    else:
        sums = sums[order_of(keys)]
    if (keys[1:] > keys[:-1]).all():
        return keys, sums
    firsts = firsts_of(keys)
    return keys[firsts], np.add.reduceat(sums, firsts, dtype=sums.dtype)
