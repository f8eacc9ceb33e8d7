"""Concordant and tied pairs of a sample, by the route that suits its rows.

See ``fastauc._pairs`` for the routes.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import buckets as _buckets, sort_scan as _sort_scan
from fastauc._pairs.bucket_map import (
    FEW_ROWS,
    MANY_FEW_ROWS,
    MORE_FEW_ROWS,
    BucketMap,
    choose_map,
    draw_sample,
    frequent_score,
    numbers_of,
    power_of_two,
    range_of,
    scores_of,
)
from fastauc._pairs.by_buckets import Pairs, count_few, count_many, count_sorted
from fastauc._pairs.sorting import sort_keys
from fastauc._pairs.value_tables import expected_values, has_few_values, joined, tabulate_values
from fastauc._validation.arrays import Array
from fastauc._validation.errors import changed_meanwhile
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers, row_blocks

ROUTES = ("few", "runs", "values", "rare", "buckets", "sort")
_MOST_RUNS = 16
_RARE = 32  # one row in so many
_BUCKETS_PER_RARE = 12
_LEAST_RANKED_BUCKETS, _MOST_RANKED_BUCKETS = 2**12, 2**20
_RARE_SAMPLE = 2**11
_HIGHEST_KEY = ~np.uint64(0)
_MOST_STEPS, _MOST_STEPS_BESIDE_TABLE = 17, 8  # of a search, on average
# A table of more values than this does not fit into the first caches.
_MANY_VALUES = 2**11
# As many steps of a search take as long as a map, and as comparing a row with one rare score.
_STEPS_OF_LINE, _STEPS_OF_INTERVALS, _STEPS_OF_CLOSE = 2, 6, 7
# The tables of one close bucket: all rows are searched for.
_ALL_CLOSE = np.ones(1, np.uint8), np.zeros(1, np.uint64)
_NOT_COUNTED = np.empty(0, np.uint32)


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
    pairs = None
    if route is None and not (is_few and expected_values(drawn, n) <= _MANY_VALUES):
        if is_few and is_rare:
            pairs = _count_rare(sample, drawn, low, high, workers, _MOST_STEPS_BESIDE_TABLE)
        pairs = pairs or _count_beside(sample, drawn, workers)
    if is_few:
        pairs = pairs or _count_values(sample, drawn, workers)
    is_middling = route is None and n <= MANY_FEW_ROWS
    if is_middling:
        pairs = pairs or count_few(sample)
    if pairs is None and is_rare:
        most_steps = _MOST_STEPS if route is None else math.inf
        pairs = _count_rare(sample, drawn, low, high, workers, most_steps)
    if pairs is not None:
        return pairs
    if is_middling:  # scores that one bucket does not tell apart crowd in several, too
        return count_sorted(sample, workers)
    return count_many(sample, drawn, low, high, workers, route)


def _count_beside(sample: BinarySample, drawn: Array, workers: Workers) -> Pairs | None:
    """Count the pairs with rows of a frequent score, and those of the others as a sample.

    None if more than nine in 16 rows of the sample drawn, or of a block, are others.
    """
    label, score, frequent = sample.label, sample.score, frequent_score(drawn)
    if frequent is None:
        return None

    def leave_out(rows: slice) -> tuple[Array, Array, NDArray[np.int64]] | None:
        most = 9 * (rows.stop - rows.start) // 16
        others = np.empty(most + 1, np.uint8), np.empty(most + 1, score.dtype)
        counts = np.empty(4, np.int64)
        n = _buckets.leave_out(label[rows], score[rows], frequent, *others, counts)
        return None if n == most else (others[0][:n], others[1][:n], counts)

    found = workers.run_all([partial(leave_out, rows) for rows in row_blocks(len(label), workers)])
    blocks = [block for block in found if block is not None]
    if len(blocks) < len(found):
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


def _count_values(sample: BinarySample, drawn: Array, workers: Workers) -> Pairs | None:
    """Count the pairs of a sample of few distinct scores; None if there are too many."""
    table = tabulate_values(sample, drawn, workers)
    if table is None:
        return None
    negatives, positives = table.counts.astype(np.uint64).T
    return Pairs(int(np.dot(np.cumsum(negatives), positives)), int(np.dot(negatives, positives)))


class _KeyTable(NamedTuple):
    """The keys of a rare class, to search among them; see ``buckets.rank_rows``."""

    keys: NDArray[np.uint64]
    sizes: NDArray[np.uint32]
    tree: NDArray[np.uint64]


def _rank_buckets(
    numbers: NDArray[np.uint32], n_buckets: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Return the tables of ranks, from the sorted buckets of the scores of a rare class."""
    ranks = np.empty(n_buckets, np.uint8)
    bases = np.empty(-(-n_buckets // 64), np.uint64)
    _buckets.rank_buckets(numbers, ranks, bases)
    return ranks, bases


def _steps_by_map(
    keys: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
    ranks: NDArray[np.uint8],
    buckets: BucketMap,
    drawn: Array,
) -> float:
    """Return how many steps of a search a row of a sample takes, on average, by tables of ranks.

    ``keys`` are those of the rare class in order, ``numbers`` their buckets. Rows are searched for
    in buckets of several rare scores.
    """
    others = numbers_of(drawn, buckets)
    is_shared = np.zeros(buckets.n_buckets, np.bool_)
    is_shared[numbers[1:][(numbers[1:] == numbers[:-1]) & (keys[1:] != keys[:-1])]] = True
    of_map = _STEPS_OF_INTERVALS if len(buckets.intervals) else _STEPS_OF_LINE
    of_close = _STEPS_OF_CLOSE * float((ranks[others] & 1).mean())
    return of_map + of_close + math.log2(len(keys)) * float(is_shared[others].mean())


def _scores_of_class(sample: BinarySample, chosen: int, n_chosen: int) -> Array:
    rows = np.empty(n_chosen + 1, np.int64)
    _buckets.find_class(sample.label, chosen, rows)
    return sample.score[rows[:-1]]


def _sorted_keys(rare_score: Array) -> NDArray[np.uint64]:
    """Return the keys of scores in increasing order, with one more at either end."""
    keys = np.empty(len(rare_score) + 2, np.uint64)
    _buckets.ordered_keys(rare_score, keys[1:-1])
    sort_keys(keys[1:-1])
    keys[0], keys[-1] = keys[1], _HIGHEST_KEY
    return keys


def _table_of_keys(keys: NDArray[np.uint64]) -> _KeyTable:
    n = len(keys) - 2
    sizes = np.zeros(n + 2, np.uint32)
    ties = np.diff(np.flatnonzero(np.diff(keys[1:-1])), prepend=-1, append=n - 1)
    sizes[1:-1] = np.repeat(ties, ties) if len(ties) < n else 1
    return _KeyTable(keys, sizes, _search_tree(keys[1:-1]))


def _search_tree(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
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
    sample: BinarySample, drawn: Array, low: Any, high: Any, workers: Workers, most_steps: float
) -> Pairs | None:
    """Count the pairs of a sample with a rare class, by a table of it; None if that takes longer.

    That is if rows take more than ``most_steps`` of a search each on average.

    The rows in buckets without rare ones have the rank of their bucket, and others are searched
    for.
    """
    label, score, n_pos, n_neg = sample.label, sample.score, sample.n_pos, sample.n_neg
    positives_are_rare, n_rare = n_pos <= n_neg, min(n_pos, n_neg)
    rare_score = _scores_of_class(sample, int(positives_are_rare), n_rare)
    n_buckets = min(_MOST_RANKED_BUCKETS, power_of_two(_BUCKETS_PER_RARE * n_rare))
    rare_drawn = rare_score[:: 1 + n_rare // _RARE_SAMPLE]
    buckets = choose_map(rare_drawn, low, high, max(_LEAST_RANKED_BUCKETS, n_buckets), drawn)
    keys, of_search = _sorted_keys(rare_score), math.log2(n_rare)
    numbers = numbers_of(scores_of(keys[1:-1], score.dtype), buckets)
    ranks, bases = _rank_buckets(numbers, buckets.n_buckets)
    by_map = _steps_by_map(keys[1:-1], numbers, ranks, buckets, drawn)
    if min(by_map, of_search) > most_steps:
        return None
    if by_map > of_search:
        ranks, bases = _ALL_CLOSE
    table = _table_of_keys(keys)

    def rank(rows: slice) -> tuple[int, int]:
        line, intervals = buckets.line, buckets.intervals
        return _buckets.rank_rows(score[rows], line, intervals, ranks, bases, *table, _NOT_COUNTED)

    ranked = workers.run_all([partial(rank, rows) for rows in row_blocks(len(label), workers)])
    # Minus the pairs of two rare rows: of the n^2 pairs, those that are tied count as both, and
    # half of the rest are above.
    tied_rare = int(table.sizes.sum(dtype=np.uint64))
    tied = sum(n_tied for _, n_tied in ranked) - tied_rare
    n_at_or_below = sum(n for n, _ in ranked) - (n_rare * n_rare + tied_rare) // 2
    if not 0 <= tied <= n_at_or_below <= n_pos * n_neg:
        raise changed_meanwhile()  # the rare rows were read before the others
    if positives_are_rare:
        return Pairs(n_pos * n_neg - (n_at_or_below - tied), tied)
    return Pairs(n_at_or_below, tied)


def counts_at_rare_positives(
    sample: BinarySample, buckets: BucketMap, workers: Workers
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the false and the true positives at each threshold that is the score of a positive.

    In decreasing order of the thresholds. Every row is searched for among the positives.
    """
    score, n_pos = sample.score, sample.n_pos
    ranks, bases = _ALL_CLOSE
    table = _table_of_keys(_sorted_keys(_scores_of_class(sample, 1, n_pos)))

    def count(rows: slice) -> NDArray[np.uint32]:
        counts = np.zeros(n_pos + 1, np.uint32)
        line, intervals = buckets.line, buckets.intervals
        _buckets.rank_rows(score[rows], line, intervals, ranks, bases, *table, counts)
        return counts

    blocks = row_blocks(len(score), workers)
    ranked = np.sum(workers.run_all([partial(count, rows) for rows in blocks]), axis=0)
    keys = table.keys[1:-1]
    tps = n_pos - np.flatnonzero(np.diff(keys, prepend=~keys[:1]))[::-1]
    # At or above the k-th threshold are the rows with more than n_pos - tps[k] positives at or
    # below them.
    rows = np.cumsum(ranked[::-1], dtype=np.int64)[tps - 1]
    fps = rows - tps
    if np.diff(fps, prepend=0).min() < 0:
        raise changed_meanwhile()  # the positives were read before the others
    return fps, tps
