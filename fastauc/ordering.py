"""The rows of a sample in the order of their scores, as compact as the order allows.

No index is sorted and nothing is gathered. Without weights a row is one integer that holds its
score and its class, so a plain sort of integers, which NumPy vectorizes, is all there is to it.
With weights each class is sorted as rows of (score, weight).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc import _ordering
from fastauc._conversion import FLOAT32, Array
from fastauc._parallel import ROWS_PER_THREAD, run_all
from fastauc._validation import BinarySample


class SortedRows(NamedTuple):
    """Integers ``score bits << 1 | label``, sorted in each of two regions.

    Attributes
    ----------
    packed : uint32 or uint64 array
        First the rows whose sign bit is set, then the others; see ``_ordering``.
    n_low : int
        Size of the first region.
    """

    packed: Array
    n_low: int


class SortedClasses(NamedTuple):
    """Rows of (score, weight) of each class, in increasing order of both."""

    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]


def sort_rows(sample: BinarySample, n_jobs: int | None = None) -> SortedRows:
    """Return the rows of an unweighted sample in increasing order."""
    score = sample.score
    if score.dtype is FLOAT32:
        packed: Array = np.empty(len(score), np.uint32)
        n_low = _ordering.pack_single(sample.label, score, packed)
    else:
        packed = np.empty(len(score), np.uint64)
        n_low = _ordering.pack_wide(sample.label, score, packed)
    _sort_parts(packed, n_low, n_jobs)
    return SortedRows(packed, n_low)


def unpack_scores(keys: Array, n_high: int, dtype: np.dtype[Any]) -> Array:
    """Return the scores of unsigned keys without their label bit, in place.

    The first ``n_high`` keys are of the high region; they are the bits of the scores already. The
    others lack their sign bit, and the bits of a float are inverted.
    """
    low = keys[n_high:]
    sign = keys.dtype.type(1 << (8 * keys.itemsize - 1))
    if dtype.kind == "f":
        np.invert(low, out=low)
    else:
        np.bitwise_or(low, sign, out=low)
    return keys.view(dtype)


def sort_weighted_classes(
    sample: BinarySample, weight: NDArray[np.float64], n_jobs: int | None = None
) -> SortedClasses:
    """Return the two classes of a sample with weights, each in increasing order.

    The order is by score and then by weight, so that it depends on nothing but the values of the
    rows, and neither does any sum taken along it.
    """
    classes = np.empty((len(sample.label), 2))
    n_pos = _ordering.split_weighted(sample.label, sample.score, weight, classes)
    # NumPy orders complex numbers by their real and then by their imaginary part.
    _sort_parts(classes.view(np.complex128)[:, 0], n_pos, n_jobs)
    return SortedClasses(classes[:n_pos], classes[n_pos:])


def _sort_parts(rows: Array, n_first: int, n_jobs: int | None) -> None:
    first, second = rows[:n_first], rows[n_first:]
    if len(rows) < ROWS_PER_THREAD:
        first.sort()
        second.sort()
    else:
        run_all([first.sort, second.sort], n_jobs)
