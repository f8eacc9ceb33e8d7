"""Groups of rows, collected in batches that fit into the caches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import groups as _groups
from fastauc._pairs.bucket_map import scores_of
from fastauc._pairs.sorting import empty_rows
from fastauc._validation.arrays import Array
from fastauc._validation.groups import Grouping
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import ROWS_PER_THREAD, Workers, count_threads, row_blocks

LARGE_GROUP = 2**11  # rows from which a group is processed by itself

_ROWS_PER_BATCH = 2**14
_MOST_PARTS = 512  # streams that are written to at the same time
_MOST_SHIFT = 15  # the group in its part and the label are 16 bits
_BATCHES_PER_TASK = 4
_NO_WEIGHT = np.empty(0, np.float64)


class Batch(NamedTuple):
    """A range of groups with all of their rows.

    ``keys`` are the scores as keys in the same order, which may be overwritten; ``weight`` is empty
    if unweighted. ``ends`` says where the negatives of each group end, followed by where its
    positives end.
    """

    groups: slice
    keys: NDArray[np.uint64]
    weight: NDArray[np.float64]
    ends: NDArray[np.uint32]


Visit = Callable[[Batch], None]
# The number of a group, its labels, and its keys.
VisitLarge = Callable[[int, NDArray[np.uint8], Array], None]


# What processes a range of batches, and the numbers of the rows where these begin and end.
_Run = tuple[Callable[[int, int], None], NDArray[np.int64]]


def visit_groups(
    sample: BinarySample,
    grouping: Grouping,
    visit: Visit,
    workers: Workers,
    visit_large: VisitLarge | None = None,
) -> None:
    """Call ``visit`` for every group that has rows, a batch at a time, on several threads.

    With ``visit_large``, for rows without weights, it is called with the number and the rows of
    each group of ``LARGE_GROUP`` rows or more; the result of ``visit`` for these is ignored. Groups
    large enough for several threads come last, when all threads are free.
    """
    if grouping.codes is None:
        run, bounds = _run_of_contiguous(sample, grouping, visit, visit_large)
    else:
        run, bounds = _run_of_scattered(sample, grouping, visit, visit_large, workers)
    _check_size(int(np.diff(bounds).max()))
    ranges, great = _share_out(bounds, visit_large is not None, workers)
    workers.run_all([partial(run, *each) for each in ranges])
    for part in great:
        run(part, part + 1)


def _check_size(n_rows: int) -> None:
    if n_rows >= 2**32:
        raise OverflowError(
            f"A group, or several small ones with consecutive numbers, have {n_rows} rows; "
            "expected fewer than 2^32."
        )


def _split_evenly(bounds: NDArray[np.int64], n_tasks: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of the sections between ``bounds``, with about equal numbers of rows."""
    places = [int(bounds[-1]) * k // n_tasks for k in range(1, n_tasks)]
    stops = np.searchsorted(bounds, places).tolist()
    for first, stop in itertools.pairwise([0, *stops, len(bounds) - 1]):
        if stop > first:
            yield first, stop


# Contiguous groups -------------------------------------------------------------------------------


def _batches_of_runs(offsets: NDArray[np.int64], least_large: int) -> list[tuple[int, int]]:
    """Return ranges of groups with few rows in total, or of a single group if it is large."""
    batches, first = [], 0
    large = iter([*np.flatnonzero(np.diff(offsets) >= least_large).tolist(), len(offsets) - 1])
    next_large = next(large)
    while first < len(offsets) - 1:
        limit = offsets[first] + _ROWS_PER_BATCH
        # No more groups than rows, as empty ones take up space as well.
        stop = int(np.searchsorted(offsets, limit, "right")) - 1
        stop = max(first + 1, min(stop, first + _ROWS_PER_BATCH))
        if first == next_large:
            stop, next_large = first + 1, next(large)
        batches.append((first, min(stop, next_large)))
        first = batches[-1][1]
    return batches


def _run_of_contiguous(
    sample: BinarySample, grouping: Grouping, visit: Visit, visit_large: VisitLarge | None
) -> _Run:
    offsets = grouping.offsets
    least_large = LARGE_GROUP if visit_large else 2**32
    weights = _NO_WEIGHT if sample.weight is None else sample.weight
    batches = _batches_of_runs(offsets, least_large)
    bounds = np.array([offsets[first] for first, _ in batches] + [len(sample.label)])

    def run(first_batch: int, stop_batch: int) -> None:
        sizes = np.diff(bounds[first_batch : stop_batch + 1])
        most = min(_ROWS_PER_BATCH, len(sample.label))
        most = int(sizes[sizes < least_large].max(initial=most))
        keys = np.empty(most, np.uint64)
        weight = np.empty(most if len(weights) else 0)
        for (first, stop), n in zip(batches[first_batch:stop_batch], sizes.tolist(), strict=True):
            part = slice(int(offsets[first]), int(offsets[stop]))
            rows = sample.label[part], sample.score[part]
            if visit_large and stop == first + 1 and n >= LARGE_GROUP:
                visit_large(first, *rows)
            elif n > 0:
                room, ends = (keys[:n], weight[:n]), np.empty(2 * (stop - first), np.uint32)
                bounds_of_groups = offsets[first : stop + 1]
                _groups.arrange_runs(*rows, weights[part], bounds_of_groups, ends, *room)
                visit(Batch(slice(first, stop), *room, ends))

    return run, bounds


def _share_out(
    bounds: NDArray[np.int64], has_great: bool, workers: Workers
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return ranges of parts for tasks that run in parallel, and great parts for all threads."""
    n_rows, n_parts = int(bounds[-1]), len(bounds) - 1
    n_threads = min(len(row_blocks(n_rows, workers)), count_threads(workers.n_jobs))
    if n_threads == 1:
        return [(0, n_parts)], []
    n_tasks = _BATCHES_PER_TASK * n_threads
    is_great = np.diff(bounds) >= (2 * ROWS_PER_THREAD if has_great else 2**32)
    great = np.flatnonzero(is_great).tolist()
    ranges = []
    # Ranges of small parts between the great ones.
    for first, stop in zip([0, *(part + 1 for part in great)], [*great, n_parts], strict=True):
        between = bounds[first : stop + 1] - bounds[first]
        n_own = max(1, round(n_tasks * int(between[-1]) / n_rows))
        ranges += [(first + i, first + k) for i, k in _split_evenly(between, n_own)]
    return ranges, great


# Scattered groups --------------------------------------------------------------------------------


def _choose_shift(n_rows: int, n_groups: int) -> int:
    """Return the number of low bits in a group number that do not determine its part."""
    n_parts = max(1, min(_MOST_PARTS, n_rows // _ROWS_PER_BATCH))
    return min(_MOST_SHIFT, max(0, (n_groups - 1) // n_parts).bit_length())


def _make_parts(
    sample: BinarySample, codes: NDArray[np.uint32], n_parts: int, shift: int, workers: Workers
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint16], NDArray[np.float64]]:
    """Return where each part ends, from 0 on, and the keys, places and weights by part."""
    n = len(codes)
    blocks = row_blocks(n, workers)
    counts = np.zeros((len(blocks), n_parts), np.int64)
    workers.run_all(
        [
            partial(_groups.count_parts, codes[block], shift, counts[k])
            for k, block in enumerate(blocks)
        ]
    )
    # Part by part, and within each part block by block.
    ends = np.cumsum(counts.T.ravel()).reshape(n_parts, len(blocks)).T
    starts = np.ascontiguousarray(ends - counts)
    keys, places = empty_rows(n, np.uint64), empty_rows(n, np.uint16)
    weights = _NO_WEIGHT if sample.weight is None else sample.weight
    weight = empty_rows(len(weights), np.float64)

    def place(k: int) -> None:
        block = blocks[k]
        rows = codes[block], sample.label[block], sample.score[block], weights[block]
        _groups.place_rows(*rows, shift, starts[k], keys, places, weight)

    workers.run_all([partial(place, k) for k in range(len(blocks))])
    return np.append(0, ends[-1]), keys, places, weight


def _run_of_scattered(
    sample: BinarySample,
    grouping: Grouping,
    visit: Visit,
    visit_large: VisitLarge | None,
    workers: Workers,
) -> _Run:
    n_groups = len(grouping.values)
    assert grouping.codes is not None
    shift = _choose_shift(len(sample.label), n_groups)
    n_parts = ((n_groups - 1) >> shift) + 1
    bounds, all_keys, places, all_weight = _make_parts(
        sample, grouping.codes, n_parts, shift, workers
    )

    def run(first_part: int, stop_part: int) -> None:
        most = int(np.diff(bounds[first_part : stop_part + 1]).max())
        keys = np.empty(most, np.uint64)
        weight = np.empty(most if len(all_weight) else 0)
        for part in range(first_part, stop_part):
            span = slice(int(bounds[part]), int(bounds[part + 1]))
            n = span.stop - span.start
            if n == 0:
                continue
            groups = slice(part << shift, min((part + 1) << shift, n_groups))
            ends = np.empty(2 * (groups.stop - groups.start), np.uint32)
            _groups.arrange_part(
                all_keys[span], places[span], all_weight[span], ends, keys[:n], weight[:n]
            )
            if visit_large and n >= LARGE_GROUP:
                _visit_large_groups(keys, groups.start, ends, sample.score.dtype, visit_large)
            visit(Batch(groups, keys[:n], weight[:n], ends))

    return run, bounds


def _visit_large_groups(
    keys: NDArray[np.uint64],
    first_group: int,
    ends: NDArray[np.uint32],
    dtype: np.dtype[Any],
    visit_large: VisitLarge,
) -> None:
    """Call ``visit_large`` for the large groups of a part, with scores restored from their keys."""
    sizes = np.diff(ends[1::2], prepend=np.uint32(0))
    for group in np.flatnonzero(sizes >= LARGE_GROUP).tolist():
        middle, stop = ends[2 * group : 2 * group + 2].tolist()
        n = int(sizes[group])
        label = np.ones(n, np.uint8)
        label[: middle - (stop - n)] = 0
        score = scores_of(keys[stop - n : stop], dtype)
        visit_large(first_group + group, label, score)
