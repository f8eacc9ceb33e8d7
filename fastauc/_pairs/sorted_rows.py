"""The rows of a sample in the order of their scores, as compactly as possible.

A row is a single integer that holds its score and its class, so only integers have to be sorted.
Only weights have to move with their rows.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import ordering as _ordering
from fastauc._pairs.bucket_map import keys_of
from fastauc._pairs.sorting import (
    ONE_BUCKET,
    count_by_sign,
    count_in_order,
    empty_rows,
    order_pairs,
    order_rows,
    packed_dtype,
    sort_keys,
)
from fastauc._validation.arrays import FLOAT64, UINT64, Array
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers, row_blocks

# Runs make the blocks of a scan uneven, which several blocks per thread even out.
_BLOCKS_PER_THREAD = 4
_ROWS_AT_ONCE = 2**15  # so many stay in the second cache


class SortedRows(NamedTuple):
    """Integers ``score bits << 1 | label``, in two sorted runs.

    Attributes
    ----------
    packed : uint32 or uint64 array
        First the rows whose sign bit is set, then the others; see ``ordering``.
    n_low : int
        The size of the first run.
    """

    packed: Array
    n_low: int

    def twice_u(self) -> int:
        """Return twice the number of pairs in which the positive is higher, tied ones once."""
        not_above, tied = count_in_order([self.packed[: self.n_low], self.packed[self.n_low :]])
        return 2 * not_above - tied


def sort_rows(
    sample: BinarySample,
    workers: Workers = SERIAL,
    is_few_runs: bool = False,
    packed: Array | None = None,
) -> SortedRows:
    """Return the rows of a sample in increasing order of score and then of class.

    A few sorted runs take less time, as they are merged. ``packed`` is where the rows go.
    """
    n = len(sample.score)
    if is_few_runs or n <= ONE_BUCKET or n >= 2**32:
        packed, n_low = rows = pack_rows(sample.label, sample.score, packed)
        for run in (packed[:n_low], packed[n_low:]):
            if is_few_runs or n >= 2**32:
                run.sort(kind="stable")
            else:
                sort_keys(run)
        return rows
    counted, n_low = count_by_sign(sample, workers)
    if packed is None:
        packed = np.empty(n, packed_dtype(sample.score))
    order_rows(sample.score, sample.label, counted, workers, packed)
    return SortedRows(packed, n_low)


def sort_rows_with(
    sample: BinarySample,
    companion: NDArray[np.uint64],
    workers: Workers = SERIAL,
    sorts_ties: bool = False,
) -> tuple[SortedRows, NDArray[np.uint64]]:
    """Return the rows of a sample in increasing order, and their companions.

    The sort is stable, or sorts the companions of equal rows too.
    """
    if len(companion) <= ONE_BUCKET // 2:
        return _sort_few_with(sample, companion, sorts_ties)
    counted, n_low = count_by_sign(sample, workers)
    packed = np.empty(len(companion), packed_dtype(sample.score))
    ordered = np.empty(len(companion), UINT64)
    rows = sample.score, sample.label, companion
    order_pairs(*rows, counted, workers, packed, ordered, sorts_ties)
    return SortedRows(packed, n_low), ordered


def _sort_few_with(
    sample: BinarySample, companion: NDArray[np.uint64], sorts_ties: bool
) -> tuple[SortedRows, NDArray[np.uint64]]:
    """Do the same as ``sort_rows_with``, each run by itself."""
    keys, dtype = keys_of(sample.score), packed_dtype(sample.score)
    # The sign bit is shifted out.
    packed, ordered = (keys << 1 | sample.label).astype(dtype, copy=False), companion.copy()
    is_low = keys < UINT64.type(1 << (8 * dtype.itemsize - 1))
    n_low = int(np.count_nonzero(is_low))
    if 0 < n_low < len(keys):
        # Faster than by ``packed[is_low]``, which costs a mispredicted branch for many rows.
        rows = np.concatenate((np.flatnonzero(is_low), np.flatnonzero(~is_low)))
        packed, ordered = packed[rows], companion[rows]
    for run in (slice(n_low), slice(n_low, None)):
        sort_keys(packed[run], companion=ordered[run], sorts_ties=sorts_ties)
    return SortedRows(packed, n_low), ordered


def sort_weighted_rows(
    sample: BinarySample, weight: NDArray[np.float64], workers: Workers = SERIAL
) -> tuple[SortedRows, NDArray[np.float64]]:
    """Return the rows of a sample in increasing order, and their weights.

    The weights of equal rows are in increasing order. So the order, and any sum along it, depends
    only on the values of the rows. The bits of weights, which are not below 0, are in their order.
    """
    rows, ordered = sort_rows_with(sample, weight.view(UINT64), workers, sorts_ties=True)
    return rows, ordered.view(FLOAT64)


def number_weighted_rows(
    sample: BinarySample,
    weight: NDArray[np.float64],
    workers: Workers = SERIAL,
    numbers: NDArray[np.uint64] | None = None,
) -> tuple[SortedRows, NDArray[np.float64], NDArray[np.uint64]]:
    """Do the same as ``sort_weighted_rows``, and return the numbers of the rows as well.

    A row's number is that of its weight. Of rows that are alike in all of it, the numbers are in
    any order.
    """
    n = len(weight)
    numbers = np.arange(n, dtype=UINT64) if numbers is None else numbers
    rows, numbers = sort_rows_with(sample, numbers, workers)
    ordered, bits, spare = empty_rows(n, FLOAT64), weight.view(UINT64), np.empty((2 * n, 2), UINT64)
    for run in (slice(rows.n_low), slice(rows.n_low, None)):
        if len(numbers[run]):
            _ordering.order_ties(
                rows.packed[run], bits, numbers[run], spare, ordered[run].view(UINT64)
            )
    return rows, ordered, numbers


def places_by_class(label: Array) -> NDArray[np.uint64]:
    """Return a place for each row, by its lowest bit, in their order with all negatives first."""
    place, stop = empty_rows(len(label), UINT64), 0
    # In blocks, as memory that is touched for the first time takes longer than all else here.
    for of_class in 0, 1:
        for start in range(0, len(label), _ROWS_AT_ONCE):
            block = slice(start, start + _ROWS_AT_ONCE)
            found = np.flatnonzero(label[block] & 1 == of_class)
            place[block][found] = np.arange(stop, stop + len(found))
            stop += len(found)
    return place


def blocks_of_rows(
    rows: SortedRows, dtype: np.dtype[Any], workers: Workers = SERIAL
) -> list[tuple[Array, int]]:
    """Return sorted rows in blocks, from the lowest up, each with its ``flip_of_low`` or 0.

    No block spans both runs or splits a tie, so each can be scanned by itself.
    """
    packed, n_low = rows
    n, flip = len(packed), flip_of_low(dtype)
    runs = [(packed[:n_low], flip)] if n_low > 0 else []
    if n_low < n:
        runs.append((packed[n_low:], 0))
    n_threads = len(row_blocks(n, workers))
    if n_threads == 1:
        return runs
    blocks = []
    for run, flip in runs:
        # At least one block, with about as many rows in each as in those of the other run.
        n_blocks = -(-_BLOCKS_PER_THREAD * n_threads * len(run) // n)
        places = [len(run) * k // n_blocks for k in range(1, n_blocks)]
        lasts = run[places] | run.dtype.type(1)
        stops = {*np.searchsorted(run, lasts, "right").tolist(), len(run)}
        bounds = [0, *sorted(stops)]
        blocks += [(run[start:stop], flip) for start, stop in pairwise(bounds)]
    return blocks


def pack_rows(label: NDArray[np.uint8], score: Array, packed: Array | None = None) -> SortedRows:
    """Return the rows in their runs, not sorted yet."""
    if packed is None:
        packed = np.empty(len(score), packed_dtype(score))
    return SortedRows(packed, _ordering.pack_rows(label, score, packed))


def flip_of_low(dtype: np.dtype[Any]) -> int:
    """Return the bits in which a row of the low run, without its label, differs from its score.

    It lacks the sign bit, and the other bits of a float are inverted. A row of the high run has
    the bits of its score.
    """
    sign = 1 << (8 * dtype.itemsize - 1)
    return 2 * sign - 1 if dtype.kind == "f" else sign
