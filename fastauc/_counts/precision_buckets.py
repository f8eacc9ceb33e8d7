"""The sum of precisions without a sort: rows in cells, as ``cells`` has them for the area.

A positive needs two counts, of the positives and of all rows at or above it. Those in higher cells
are known; its own cell has a few dozen rows to compare. The terms are those of the scan of sorted
rows, and a sum of integers: it is the same to the last bit.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import ordering as _ordering, precision_cells as _precision_cells
from fastauc._pairs.buckets import (
    CellMap,
    cells_of,
    choose_map,
    draw_sample,
    gather_rows,
    n_distinct,
    narrowed,
    place_by_cells,
    range_of,
    ranges_of_cells,
)
from fastauc._pairs.sorted_rows import flip_of_low, sort_rows
from fastauc._validation.arrays import FLOAT32
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import ALONE, Workers

ROUTES = ("cells", "sort")

# Rows below which a sort by NumPy is over before a map is drawn up.
_LEAST_ROWS_OF_CELLS = 20_000
_ROWS_PER_CELL = 24
_MOST_RUNS = 16


def sum_precision(
    sample: BinarySample, workers: Workers = ALONE, route: str | None = None
) -> int | None:
    """Return the sum of the precisions of the positives, times 2^111; None if a sort is better.

    Assumes a positive. The route "cells" gives None only for equal scores and for 2^31 rows.
    """
    n = len(sample.label)
    if route == "sort" or n >= 2**31 or (route is None and n < _LEAST_ROWS_OF_CELLS):
        return None
    low, high = range_of(sample)
    if low == high:
        return None
    drawn = draw_sample(sample.score)
    if route is None and (
        _ordering.has_few_runs(sample.score, _MOST_RUNS)
        # Ties, which are dear to compare, and digests that cannot tell: cells would be unresolved.
        or n_distinct(drawn) < len(drawn)
    ):
        return None
    sample, drawn = narrowed(sample, drawn)
    cells = choose_map(drawn, low, high, cells_of(n, _ROWS_PER_CELL))
    return _sum_by_cells(sample, cells, workers)


def _sum_by_cells(sample: BinarySample, cells: CellMap, workers: Workers) -> int:
    digests, ends, largest, blocks = place_by_cells(sample, cells, workers)
    unresolved = np.zeros(cells.n_cells, np.uint8)
    is_exact = sample.score.dtype is FLOAT32

    def add(first: int, stop: int, tp: int) -> int:
        scratch = np.empty(largest + 8, np.int32)
        return _precision_cells.sum_cells(
            digests, ends, first, stop, tp, is_exact, scratch, unresolved
        )

    tasks = []
    tp = 0
    for first, stop in reversed(ranges_of_cells(ends, blocks)):
        if first < stop:
            tasks.append(partial(add, first, stop, tp))
            starts = ends[2 * first : 2 * stop : 2].sum(dtype=np.int64)
            tp += int(ends[2 * first + 1 : 2 * stop : 2].sum(dtype=np.int64) - starts)
    total = sum(workers.run_all(tasks))
    if unresolved.any():
        total += _sum_within(sample, cells, ends, unresolved, workers)
    return total


def _sum_within(
    sample: BinarySample,
    cells: CellMap,
    ends: NDArray[np.uint32],
    chosen: NDArray[np.uint8],
    workers: Workers,
) -> int:
    """Return the sum for the positives of the chosen cells, by sorting their rows."""
    stops = ends.astype(np.int64)
    sizes = np.diff(stops, prepend=0).reshape(-1, 2)
    n_rows = int(sizes[chosen.view(np.bool_)].sum())
    packed, n_low = sort_rows(gather_rows(sample, cells, chosen, n_rows), workers)
    label = (packed & packed.dtype.type(1)).astype(np.uint8)
    packed >>= packed.dtype.type(1)
    packed[:n_low] ^= packed.dtype.type(flip_of_low(sample.score.dtype))
    score = packed.view(sample.score.dtype)
    tps = sample.n_pos - np.cumsum(sizes[:, 1])
    rows = len(sample.label) - stops[1::2]
    return _precision_cells.sum_within(label, score, cells.line, cells.pieces, tps, rows)
