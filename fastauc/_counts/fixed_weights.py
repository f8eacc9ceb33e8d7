"""Sums of weights in units of 2^-128, in three words of 64 bits, the lowest first: exact integers.

Counts are rows in int64, sums of weights in doubles, or such words along a last axis.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import wide_counts as _wide_counts
from fastauc._validation.arrays import Array, as_fraction

UNIT = Fraction(1, 2**128)


def as_integers(counts: Array) -> list[int]:
    """Return counts of rows, or numbers of any words, as Python integers."""
    if counts.ndim == 1:
        return list(counts.tolist())
    return [sum(word << 64 * i for i, word in enumerate(words)) for words in counts.tolist()]


def as_count(count: Any) -> Fraction:
    """Return the exact number of rows or weight that a count is."""
    if isinstance(count, np.ndarray):
        return as_integers(count[np.newaxis])[0] * UNIT
    return as_fraction(count)


def nearest_doubles(counts: Array) -> Array:
    """Return the weights nearest to words; other counts as they are."""
    if counts.ndim == 1:
        return counts
    doubles = np.empty(len(counts))
    _wide_counts.as_doubles(counts, doubles)
    return doubles


def are_positive(counts: Array) -> NDArray[np.bool_]:
    """Return which counts are above 0."""
    if counts.ndim == 1:
        return counts > 0
    positive: NDArray[np.bool_] = reduce(or_, np.moveaxis(counts, -1, 0)) != 0
    return positive


def words_of(counts: Array) -> NDArray[np.uint64]:
    """Return counts of rows, or words, as words along a last axis."""
    words: NDArray[np.uint64] = counts.view(np.uint64)
    return words if counts.dtype == words.dtype else words[..., np.newaxis]
