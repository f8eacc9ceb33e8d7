"""Concordant and tied pairs of a sample, by the route that its rows allow.

Every route returns the same integers, so the choice is one of time alone:

- ``"few"``: up to some ten thousand rows: all of them as one cell; see ``_few``.
- ``"runs"``: sorted, reversed, or a few sorted runs: merge and scan.
- ``"values"``: few distinct scores: count them in a table.
- ``"rare"``: one class is rare: rank the rows of the other in a table of it.
- ``"cells"``: continuous scores, integers, decimal fractions: cells, and comparisons within each;
  see ``cells``.
- ``"sort"``: whatever is left.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc import _cells, _few, _ordering, _values
from fastauc._conversion import FLOAT32, FLOAT64, INT32, INT64, Array
from fastauc._parallel import ALONE, Workers
from fastauc._validation import BinarySample
from fastauc.cells import (
    CellMap,
    Pairs,
    cells_of,
    choose_map,
    count_by_cells,
    count_sorted,
    count_within,
    draw_sample,
    has_few_values,
    map_of_values,
    n_distinct,
    narrowed,
    power_of_two,
    range_of,
    split_rows,
    tells_ties,
)

ROUTES = ("few", "runs", "values", "rare", "cells", "sort")

# Of more rows, too many digests are equal by chance; and cells are as quick.
_FEW_ROWS = 12_000
_ROWS_PER_CELL = 32
_MOST_RUNS = 16
_RARE = 32  # one row in so many
_LEAST_CLOSE_ROWS_OF_CELLS = 2**16
_RANKED_ROWS = 2**17  # at a time: few of them are close to the rare class and kept

# Chosen once: to find the kernel for a dtype anew takes a tenth of a microsecond.
_COMPARE_FEW = {
    FLOAT32: _few.compare_few["float"],
    FLOAT64: _few.compare_few["double"],
    INT64: _few.compare_few["int64_t"],
}


class ValueTable(NamedTuple):
    """The first value of each cell, its negatives and positives in turn, and whether it has more.

    ``several`` is 1 for a cell of several values, or of both zeros.
    """

    values: Array
    counts: NDArray[np.uint32]
    several: NDArray[np.uint8]


def count_pairs(
    sample: BinarySample, workers: Workers = ALONE, route: str | None = None
) -> tuple[int, int]:
    """Return how many negatives are at or below a positive, and how many are tied.

    For a sample of both classes, by the route that its rows allow or by the given one.
    """
    n = len(sample.label)
    if route == "sort" or n >= 2**31:
        return count_sorted(sample, workers)
    if route == "few" or (route is None and n <= _FEW_ROWS):
        compare, rows = _COMPARE_FEW[sample.score.dtype], np.empty(2 * n + 16, INT32)
        not_above, tied, is_sure = compare(sample.label, sample.score, sample.n_pos, rows)
        return (not_above, tied) if is_sure else count_sorted(sample, workers)
    low, high = range_of(sample)
    if low == high:
        if low == 0:
            # Processors can be set to take subnormal numbers for 0; it is their bits that count.
            return count_sorted(sample, workers)
        pairs = sample.n_pos * sample.n_neg
        return Pairs(pairs, pairs)
    if route == "runs" or (route is None and _ordering.has_few_runs(sample.score, _MOST_RUNS)):
        return count_sorted(sample, workers, kind="stable")
    return _count_by_map(sample, low, high, workers, route)


def _count_by_map(
    sample: BinarySample, low: Any, high: Any, workers: Workers, route: str | None
) -> Pairs:
    drawn = draw_sample(sample.score)
    if route == "values" or (route is None and has_few_values(drawn, len(sample.label))):
        cells = map_of_values(drawn, low, high)
        pairs = _count_values(sample, cells, workers)
        if pairs is not None:
            return pairs
    rare = min(sample.n_pos, sample.n_neg)
    if route == "rare" or (route is None and rare <= len(sample.label) // _RARE):
        cells = choose_map(drawn, low, high, min(2**17, max(2**12, power_of_two(4 * rare))))
        pairs = _count_rare(sample, cells, low, high, workers)
        if pairs is not None:
            return pairs
    return _count_many(sample, drawn, low, high, workers, route)


def _count_many(
    sample: BinarySample, drawn: Array, low: Any, high: Any, workers: Workers, route: str | None
) -> Pairs:
    """Count the pairs of many distinct scores, by cells unless these would not tell many ties."""
    sample, drawn = narrowed(sample, drawn)
    cells = choose_map(drawn, low, high, cells_of(len(sample.label), _ROWS_PER_CELL))
    is_exact = tells_ties(sample.score, low, high, cells, workers)
    if route is None and not is_exact and n_distinct(drawn) < len(drawn):
        return count_sorted(sample, workers)
    return count_by_cells(sample, cells, is_exact, workers)


def _count_values(sample: BinarySample, cells: CellMap, workers: Workers) -> Pairs | None:
    """Count the pairs of a sample of few distinct scores; None if there are too many."""
    table = tabulate_values(sample, cells, workers)
    if table is None:
        return None
    _, counts, several = table
    pairs = Pairs(*_values.tally_values(counts, several))
    return count_within(sample, cells, several, counts, pairs, workers)


def tabulate_values(sample: BinarySample, cells: CellMap, workers: Workers) -> ValueTable | None:
    """Count the rows of few distinct scores in cells that mostly hold one; None if there are many.

    Cells without rows have any value.
    """
    label, score = sample.label, sample.score
    blocks = split_rows(len(label), workers)
    values = np.empty((len(blocks), cells.n_cells), score.dtype)
    counts = np.zeros((len(blocks), 2 * cells.n_cells), np.uint32)
    several = np.zeros((len(blocks), cells.n_cells), np.uint8)

    def count(k: int) -> bool:
        rows = blocks[k]
        return _values.count_values(
            label[rows],
            score[rows],
            cells.line,
            cells.pieces,
            values[k],
            counts[k],
            several[k],
            (rows.stop - rows.start) // 4,
        )

    if not all(workers.run_all([partial(count, k) for k in range(len(blocks))])):
        return None
    for k in range(1, len(blocks)):
        _join_values(values[0], counts[0], several[0], values[k], counts[k], several[k])
    return ValueTable(values[0], counts[0], several[0])


def _join_values(
    values: Array,
    counts: Array,
    several: Array,
    more: Array,
    more_counts: Array,
    more_several: Array,
) -> None:
    """Add the cells of a second block of rows to those of the first."""
    bits = np.uint32 if values.dtype is FLOAT32 else np.uint64
    empty = counts[::2] + counts[1::2] == 0
    touched = more_counts[::2] + more_counts[1::2] != 0
    several |= more_several | (~empty & touched & (values.view(bits) != more.view(bits)))
    np.copyto(values, more, where=empty)
    counts += more_counts


def _count_rare(
    sample: BinarySample, cells: CellMap, low: Any, high: Any, workers: Workers
) -> Pairs | None:
    """Count the pairs of a sample with a rare class, most rows of the other in cells without it.

    None where more than half of the first rows are in cells with it.
    """
    label, score = sample.label, sample.score
    positives_are_rare = sample.n_pos <= sample.n_neg
    is_rare = label.view(np.bool_) if positives_are_rare else label == 0
    rare_score = score[is_rare]
    counts = np.zeros(2 * cells.n_cells, np.uint32)
    zeros = np.zeros(len(rare_score), np.uint8)
    _cells.count_rows(zeros, rare_score, cells.line, cells.pieces, counts)
    per_cell = counts[::2]
    ranks = (np.cumsum(per_cell, dtype=np.uint32) - per_cell) << 1 | (per_cell != 0)
    ranks = ranks.astype(np.uint32)

    def rank(rows: slice) -> tuple[int, list[Array], list[Array]] | None:
        size = min(rows.stop - rows.start, _RANKED_ROWS)
        close_label, close_score = np.empty(size + 1, np.uint8), np.empty(size + 1, score.dtype)
        total = n_all_close = 0
        labels, scores = [], []
        for start in range(rows.start, rows.stop, _RANKED_ROWS):
            part = slice(start, min(start + _RANKED_ROWS, rows.stop))
            ranked, n_close = _values.rank_rows(
                label[part],
                score[part],
                cells.line,
                cells.pieces,
                ranks,
                close_label,
                close_score,
            )
            total += ranked
            n_all_close += n_close
            if 2 * n_all_close > part.stop - rows.start:
                return None  # joined, the copies would take up too much memory
            labels.append(close_label[:n_close].copy())
            scores.append(close_score[:n_close].copy())
        return total, labels, scores

    blocks = workers.run_all([partial(rank, rows) for rows in split_rows(len(label), workers)])
    ranked_blocks = [block for block in blocks if block is not None]
    if len(ranked_blocks) < len(blocks):
        return None
    total = sum(total for total, _, _ in ranked_blocks)
    close_labels = [part for _, labels, _ in ranked_blocks for part in labels]
    close_scores = [part for _, _, scores in ranked_blocks for part in scores]
    n_far = len(label) - sum(map(len, close_labels))
    close = sample._replace(label=np.concatenate(close_labels), score=np.concatenate(close_scores))
    del blocks, ranked_blocks, close_labels, close_scores
    if len(close.label) < _LEAST_CLOSE_ROWS_OF_CELLS:
        pairs = count_sorted(close, workers)
    else:
        pairs = _count_many(close, draw_sample(close.score), low, high, workers, None)
    far = n_far * len(rare_score) - total if positives_are_rare else total
    return Pairs(pairs.not_above + far, pairs.tied)
