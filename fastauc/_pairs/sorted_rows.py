"""The rows of a sample in the order of their scores, as compact as the order allows.

A row is one integer that holds its score and its class, so a plain sort of integers, which NumPy
vectorizes, is all there is to it. Only weights have to follow their rows, through a sorted index.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import sort_scan as _sort_scan
from fastauc._validation.arrays import FLOAT32, FLOAT64, INT64, UINT32, UINT64, Array
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import ROWS_PER_THREAD, SERIAL, Workers

# Chosen once: to find the kernel for a dtype anew takes a fifth of a microsecond.
_PACK: dict[np.dtype[Any], Callable[[NDArray[np.uint8], Array, Array], int]] = {
    FLOAT32: _sort_scan.pack_single,
    FLOAT64: _sort_scan.pack_wide["double"],
    INT64: _sort_scan.pack_wide["int64_t"],
}


class SortedRows(NamedTuple):
    """Integers ``score bits << 1 | label``, sorted in each of two regions.

    Attributes
    ----------
    packed : uint32 or uint64 array
        First the rows whose sign bit is set, then the others; see ``ordering``.
    n_low : int
        Size of the first region.
    """

    packed: Array
    n_low: int


def sort_rows(
    sample: BinarySample,
    workers: Workers = SERIAL,
    kind: Literal["quicksort", "stable"] = "quicksort",
) -> SortedRows:
    """Return the rows of a sample in increasing order of score and then of class.

    The order does not depend on the kind of the sort, only the time: "stable" merges runs.
    """
    packed, n_low = rows = _pack(sample)
    if n_low == 0:
        packed.sort(kind=kind)
        return rows
    regions = packed[:n_low], packed[n_low:]
    if len(packed) < ROWS_PER_THREAD:
        workers = SERIAL
    workers.run_all([partial(region.sort, kind=kind) for region in regions])
    return rows


def sort_weighted_rows(
    sample: BinarySample, weight: NDArray[np.float64], workers: Workers = SERIAL
) -> tuple[SortedRows, NDArray[np.float64]]:
    """Return the rows of a sample in increasing order, and their weights.

    The weights of equal rows are in increasing order. So the order, and any sum along it, depends
    on nothing but the values of the rows.
    """
    packed, n_low = rows = _pack(sample)
    split = np.empty_like(weight)
    _sort_scan.split_weights(_is_low(sample.score).view(np.uint8), weight, split)
    regions = packed[:n_low], packed[n_low:]
    if len(packed) < ROWS_PER_THREAD:
        workers = SERIAL
    low, high = workers.run_all([region.argsort for region in regions])
    weight = np.empty_like(split)
    # The indices are in range; "clip" spares NumPy a buffer against those that are not.
    split[:n_low].take(low, out=weight[:n_low], mode="clip")
    split[n_low:].take(high, out=weight[n_low:], mode="clip")
    # Equal rows cannot be told apart: to sort them again is cheaper than to gather them.
    workers.run_all([region.sort for region in regions])
    _sort_scan.sort_ties(regions[0], weight[:n_low])
    _sort_scan.sort_ties(regions[1], weight[n_low:])
    return rows, weight


def _is_low(score: Array) -> NDArray[np.bool_]:
    """Tell which rows have their place in the low region."""
    if score.dtype.kind == "i":
        return score < 0
    # Processors can be set to take subnormal numbers for 0; it is their bits that count. Those of
    # -0.0, the sign alone, are not low.
    return score.view(f"u{score.dtype.itemsize}") > 1 << (8 * score.dtype.itemsize - 1)


def _pack(sample: BinarySample) -> SortedRows:
    dtype = sample.score.dtype
    packed: Array = np.empty(len(sample.score), UINT32 if dtype is FLOAT32 else UINT64)
    return SortedRows(packed, _PACK[dtype](sample.label, sample.score, packed))


def flip_of_low(dtype: np.dtype[Any]) -> int:
    """Return the bits in which a row of the low region, without its label, differs from its score.

    It lacks the sign bit, and the other bits of a float are inverted. A row of the high region has
    the bits of its score.
    """
    sign = 1 << (8 * dtype.itemsize - 1)
    return 2 * sign - 1 if dtype.kind == "f" else sign
