"""Concordant and tied pairs of a sample, by the route that suits its rows.

See ``fastauc._pairs`` for the routes.
"""

import math
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import buckets as _buckets, sort_scan as _sort_scan
from fastauc._pairs.bucket_map import (
    FEW_ROWS,
    LEAST_WIDTH,
    MANY_FEW_ROWS,
    MORE_FEW_ROWS,
    BucketMap,
    draw_neighbors,
    draw_sample,
    firsts_of,
    frequent_score,
    keys_of,
    map_of_line,
    power_of_two,
    range_of,
    scores_of,
)
from fastauc._pairs.by_buckets import Pairs, count_few, count_many, count_sorted
from fastauc._pairs.sorting import of_blocks, sort_keys
from fastauc._pairs.value_tables import Plan, has_few_values, joined, plan_table, tabulate_values
from fastauc._validation.arrays import Array
from fastauc._validation.errors import changed_meanwhile
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers, row_blocks

_Keys = NDArray[np.uint64]
_Numbers = NDArray[np.uint32]

ROUTES = ("few", "runs", "values", "rare", "buckets", "sort")
_MOST_RUNS = 16
_RARE, _RARE_BESIDE_CROWD = 32, 16  # one row in so many
_BUCKETS_PER_RARE = 12
_LEAST_RANKED_BUCKETS, _MOST_RANKED_BUCKETS = 2**12, 2**20
_DRAWN = 2**8, 8  # blocks of neighbors
_HIGHEST_KEY = ~np.uint64(0)
_MOST_STEPS, _MOST_STEPS_BESIDE_TABLE = 17, 10  # of a search, on average
# A table of more values than this does not fit into the first caches; and one of fewer rows for
# each value takes longer than to look up the rows in a rare class.
_MANY_VALUES, _ROWS_PER_VALUE = 2**11, 48
# As many steps of a search take as long as a map, and as comparing a row with one rare score.
_STEPS_OF_LINE, _STEPS_OF_CELLS, _STEPS_OF_CLOSE = 2, 7, 7
_CELL_BITS, _STEPS_TO_MAKE_CELLS = 12, 600_000
_NOT_COUNTED = np.empty(0, np.uint32)
_ONE_BUCKET = map_of_line(0, 1.0, 1)  # all rows are searched for


def count_pairs(
    sample: BinarySample, workers: Workers = SERIAL, route: str | None = None
) -> tuple[int, int]:
    """Return how many negatives are at or below a positive, and how many are tied.

    Assumes both classes; by the route that suits the rows, or by the given one.
    """
    n = len(sample.label)
    if n >= 2**31:
        return count_sorted(sample, workers)
    known = sample.score_range
    may_differ = known is None or known[0] < known[1]
    if route == "few" or (route is None and n <= FEW_ROWS and may_differ):
        return count_few(sample) or count_sorted(sample, workers)
    low, high = range_of(sample)
    if low == high:
        if low == 0:
            # Processors can be set to flush subnormal numbers to 0; their bits are compared
            # instead.
            return count_sorted(sample, workers)
        pairs = sample.n_pos * sample.n_neg
        return Pairs(pairs, pairs)
    if route == "runs" or (route is None and _sort_scan.has_few_runs(sample.score, _MOST_RUNS)):
        return count_sorted(sample, workers, is_few_runs=True)
    if route is None and n <= MORE_FEW_ROWS:
        return count_few(sample) or count_sorted(sample, workers)
    return _count_by_map(sample, low, high, workers, route)


def _count_by_map(
    sample: BinarySample, low: Any, high: Any, workers: Workers, route: str | None
) -> tuple[int, int]:
    drawn = draw_sample(sample.score)
    n, rare = len(sample.label), min(sample.n_pos, sample.n_neg)
    is_rare = route == "rare" or (route is None and rare <= n // _RARE)
    is_few = route == "values" or (route is None and has_few_values(drawn, n))
    plan, pairs = plan_table(sample, drawn) if is_few else None, None
    if route is None and (plan is None or plan.n_values > _MANY_VALUES):
        pairs = _count_beside(sample, drawn, workers)
        if pairs is None and is_rare and plan and plan.n_values > n // _ROWS_PER_VALUE:
            pairs = _count_rare(sample, low, high, workers, _MOST_STEPS_BESIDE_TABLE)
    pairs = pairs or _count_values(sample, plan, workers)
    is_middling = route is None and n <= MANY_FEW_ROWS
    if is_middling:
        pairs = pairs or count_few(sample)
    if pairs is None and is_rare:
        most_steps = _MOST_STEPS if route is None else math.inf
        pairs = _count_rare(sample, low, high, workers, most_steps)
    # Scores that one bucket does not tell apart crowd in several, too.
    if pairs is None and route != "sort" and not is_middling:
        pairs = count_many(sample, drawn, low, high, workers, route)
        if pairs is None and not is_rare and rare <= n // _RARE_BESIDE_CROWD:
            pairs = _count_rare(sample, low, high, workers, _MOST_STEPS)
    return pairs or count_sorted(sample, workers)


def _count_beside(sample: BinarySample, drawn: Array, workers: Workers) -> Pairs | None:
    """Count the pairs with rows of a frequent score, and those of the others as a sample.

    None if more than nine in 16 rows of the sample drawn, or of a block, are others.
    """
    label, score, frequent = sample.label, sample.score, frequent_score(drawn)
    if frequent is None:
        return None

    def leave_out(rows: slice) -> tuple[Array, Array, list[int]] | None:
        most = 9 * (rows.stop - rows.start) // 16
        others = np.empty(most + 1, np.uint8), np.empty(most + 1, score.dtype)
        n, *counts = _buckets.leave_out(label[rows], score[rows], frequent, *others)
        return None if n == most else (others[0][:n], others[1][:n], counts)

    blocks = of_blocks(leave_out, len(label), workers)
    if blocks is None:
        return None
    label, score = joined([block[:2] for block in blocks])
    n_pos = int(np.count_nonzero(label))
    neg_below, n_below, neg_same, n_same = np.sum([block[2] for block in blocks], axis=0).tolist()
    pos_above, pos_same = n_pos - (n_below - neg_below), n_same - neg_same
    not_above = neg_below * pos_same + neg_same * (pos_same + pos_above)
    tied = neg_same * pos_same
    n_neg = len(label) - n_pos
    if n_pos > 0 and n_neg > 0:
        others = sample._replace(
            label=label, score=score, n_pos=n_pos, n_neg=n_neg, score_range=None
        )
        of_others = count_pairs(others, workers)
        not_above, tied = not_above + of_others[0], tied + of_others[1]
    return Pairs(not_above, tied)


def _count_values(sample: BinarySample, plan: Plan | None, workers: Workers) -> Pairs | None:
    """Count the pairs of a sample of few distinct scores; None if there are too many."""
    table = tabulate_values(sample, plan, workers)
    if table is None:
        return None
    negatives, positives = table.counts.astype(np.uint64).T
    return Pairs(int(np.dot(np.cumsum(negatives), positives)), int(np.dot(negatives, positives)))


def _rank_buckets(numbers: _Numbers, n_buckets: int) -> tuple[NDArray[np.uint8], _Keys]:
    """Return the tables of ranks, from the sorted buckets of the scores of a rare class."""
    ranks = np.empty(n_buckets, np.uint8)
    bases = np.empty(-(-n_buckets // 64), np.uint64)
    _buckets.rank_buckets(numbers, ranks, bases)
    return ranks, bases


def _steps_by_map(keys: _Keys, numbers: _Numbers, ranked: BucketMap, drawn: Array) -> float:
    """Return how many steps of a search a row takes, on average, by a map.

    ``keys`` are those of the rare class in order, ``numbers`` their buckets, and ``drawn`` a sample
    of rows. Rows are compared with a rare score in their bucket, and searched for where there are
    several.
    """
    of_map = _STEPS_OF_CELLS if len(ranked.intervals) else _STEPS_OF_LINE
    kinds = np.zeros(ranked.n_buckets, np.uint8)
    kinds[numbers] = 1
    kinds[numbers[1:][(numbers[1:] == numbers[:-1]) & (keys[1:] != keys[:-1])]] = 2
    _, n_close, n_shared = np.bincount(kinds[_numbers_of(drawn, ranked)], minlength=3).tolist()
    steps: float = _STEPS_OF_CLOSE * (n_close + n_shared) + math.log2(len(keys)) * n_shared
    return of_map + steps / len(drawn)


def _numbers_of(score: Array, ranked: BucketMap) -> _Numbers:
    numbers = np.empty(len(score), np.uint32)
    _buckets.find_ranked(score, *ranked[:2], numbers)
    return numbers


def _choose_map(
    keys: _Keys, sample: BinarySample, low: Any, high: Any
) -> tuple[float, BucketMap, _Numbers]:
    """Return the map by which rows take the fewest steps of a search, with these.

    And the bucket of each of the ``keys`` of the rare class, which are in order.
    """
    rare, drawn = scores_of(keys, sample.score.dtype), draw_neighbors(sample.score, *_DRAWN)
    n_buckets = max(_LEAST_RANKED_BUCKETS, power_of_two(_BUCKETS_PER_RARE * len(keys)))
    n_buckets = min(_MOST_RANKED_BUCKETS, n_buckets)

    def tried(ranked: BucketMap) -> tuple[float, BucketMap, _Numbers]:
        numbers = _numbers_of(rare, ranked)
        return _steps_by_map(keys, numbers, ranked, drawn), ranked, numbers

    best = math.log2(len(keys)), _ONE_BUCKET, np.zeros(1, np.uint32)
    width = float(high) - float(low)
    if LEAST_WIDTH < width < math.inf:
        line = map_of_line(low, width, n_buckets)
        best = min(best, tried(line), key=itemgetter(0))
    if (best[0] - _STEPS_OF_CELLS) * len(sample.score) > _STEPS_TO_MAKE_CELLS:
        best = min(best, tried(_cells_of(keys, keys_of(drawn), n_buckets)), key=itemgetter(0))
    return best


def _cells_of(keys: _Keys, others: _Keys, n_buckets: int) -> BucketMap:
    """Return cells for the keys of a rare class in order, each with buckets where its keys crowd.

    Cells divide the range of all keys evenly, and buckets that of a cell, but for keys farther from
    the middle half of the cell's keys than that is wide. There are the more buckets in a cell the
    more of these keys, and of a sample of others, it has.
    """
    keys = keys[firsts_of(keys)]
    low, high = int(keys[0]), int(keys[-1])
    shift = max(0, (high - low).bit_length() - _CELL_BITS)
    own, rows = (
        (of - keys[0] >> np.uint64(shift)).astype(np.intp)
        for of in (keys, np.clip(others, low, high))
    )
    firsts = firsts_of(own)
    sizes = np.diff(firsts, append=len(keys))
    lower, upper = keys[firsts + sizes // 4], keys[firsts + 3 * sizes // 4]
    width = upper - lower
    lower -= np.minimum(width, lower - keys[firsts])
    upper += np.minimum(width, keys[firsts + sizes - 1] - upper)
    n_rows = np.bincount(rows, minlength=own[-1] + 1)[own[firsts]]
    wanted = 1 + n_buckets / 2 * (sizes / len(keys) + n_rows / len(others))
    shifts = np.maximum(0, np.frexp((upper - lower) / wanted)[1] - 1).astype(np.uint64)
    # What is below the keys of a cell is in a bucket of its own, as is what is above.
    lower -= np.minimum(lower, np.uint64(1) << shifts)
    more = (upper - lower >> shifts) + np.uint64(1)
    ends = np.cumsum(more + np.uint64(2))
    cells = np.empty((own[-1] + 1, 2), np.uint64)
    # A cell without keys has one bucket, behind those of the cell before it.
    before = np.repeat(np.arange(len(firsts)), np.diff(own[firsts], append=len(cells)))
    cells[:, 0], cells[:, 1] = _HIGHEST_KEY, (ends - np.uint64(1))[before] << np.uint64(32)
    cells[own[firsts], 0] = lower
    cells[own[firsts], 1] = (ends - more - np.uint64(2)) << np.uint64(32) | more << np.uint64(6)
    cells[own[firsts], 1] |= shifts
    header = np.array([low, high, shift], np.uint64)
    return BucketMap(np.zeros(3), np.concatenate((header, cells.reshape(-1))), int(ends[-1]))


def _keys_of_class(sample: BinarySample, chosen: int, n_chosen: int) -> _Keys:
    """Return the keys of a class in increasing order, with one more at either end."""
    rows, keys = np.empty(n_chosen + 1, np.int64), np.empty(n_chosen + 2, np.uint64)
    _buckets.find_class(sample.label, chosen, rows)
    _buckets.ordered_keys(sample.score[rows[:-1]], keys[1:-1])
    sort_keys(keys[1:-1])
    keys[0], keys[-1] = keys[1], _HIGHEST_KEY
    return keys


def _table_of_keys(keys: _Keys) -> tuple[_Keys, _Numbers, _Keys]:
    """Return the keys of a rare class with the tables of a search; see ``buckets.rank_rows``."""
    n = len(keys) - 2
    sizes = np.zeros(n + 2, np.uint32)
    ties = np.diff(firsts_of(keys[1:-1]), append=n)
    sizes[1:-1] = np.repeat(ties, ties) if len(ties) < n else 1
    return keys, sizes, _search_tree(keys[1:-1])


def _search_tree(keys: _Keys) -> _Keys:
    """Return sorted keys as a balanced tree, level by level from the root, which is at 1.

    Node k has children 2k and 2k + 1. Where there are no more keys, it is the highest one.
    """
    depth = len(keys).bit_length()
    tree = np.full(1 << depth, _HIGHEST_KEY)
    for level in range(depth):
        step = 1 << (depth - level)
        found = keys[step // 2 - 1 :: step]
        tree[1 << level : (1 << level) + len(found)] = found
    return tree


def _count_rare(
    sample: BinarySample, low: Any, high: Any, workers: Workers, most_steps: float
) -> Pairs | None:
    """Count the pairs of a sample with a rare class, by a table of it; None if that takes longer.

    That is if rows take more than ``most_steps`` of a search each on average.

    The rows in buckets without rare ones have the rank of their bucket, and others are searched
    for.
    """
    label, score, n_pos, n_neg = sample.label, sample.score, sample.n_pos, sample.n_neg
    positives_are_rare, n_rare = n_pos <= n_neg, min(n_pos, n_neg)
    keys = _keys_of_class(sample, int(positives_are_rare), n_rare)
    steps, ranked, numbers = _choose_map(keys[1:-1], sample, low, high)
    if steps > most_steps:
        return None
    table = _table_of_keys(keys)
    tables = *ranked[:2], *_rank_buckets(numbers, ranked.n_buckets), *table

    def rank(rows: slice) -> tuple[int, int]:
        return _buckets.rank_rows(score[rows], *tables, _NOT_COUNTED)

    found = workers.run_all([partial(rank, rows) for rows in row_blocks(len(label), workers)])
    # Minus the pairs of two rare rows: of the n^2 pairs, those that are tied count as both, and
    # half of the rest are above.
    tied_rare = int(table[1].sum(dtype=np.uint64))
    tied = sum(n_tied for _, n_tied in found) - tied_rare
    n_at_or_below = sum(n for n, _ in found) - (n_rare * n_rare + tied_rare) // 2
    if not 0 <= tied <= n_at_or_below <= n_pos * n_neg:
        raise changed_meanwhile()  # the rare rows were read before the others
    if positives_are_rare:
        return Pairs(n_pos * n_neg - (n_at_or_below - tied), tied)
    return Pairs(n_at_or_below, tied)


def counts_at_rare_positives(
    sample: BinarySample, workers: Workers
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the false and the true positives at each threshold that is the score of a positive.

    In decreasing order of the thresholds. Every row is searched for among the positives.
    """
    score, n_pos = sample.score, sample.n_pos
    table = _table_of_keys(_keys_of_class(sample, 1, n_pos))
    tables = *_ONE_BUCKET[:2], *_rank_buckets(np.zeros(1, np.uint32), 1), *table

    def count(rows: slice) -> _Numbers:
        counts = np.zeros(n_pos + 1, np.uint32)
        _buckets.rank_rows(score[rows], *tables, counts)
        return counts

    blocks = row_blocks(len(score), workers)
    ranked = np.sum(workers.run_all([partial(count, rows) for rows in blocks]), axis=0)
    keys = table[0][1:-1]
    tps = n_pos - firsts_of(keys)[::-1]
    # At or above the k-th threshold are the rows with more than n_pos - tps[k] positives at or
    # below them.
    rows = np.cumsum(ranked[::-1], dtype=np.int64)[tps - 1]
    fps = rows - tps
    if np.diff(fps, prepend=0).min() < 0:
        raise changed_meanwhile()  # the positives were read before the others
    return fps, tps
