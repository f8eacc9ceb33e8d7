"""Samples that are clean as they are, and small ones measured in one call of a kernel.

To prepare a hundred rows step by step takes ten times as long as to compare them. What is not clean
is left to ``_validation``, which also says what is wrong with it.
"""

from typing import Any, TypeGuard, TypeVar

import numpy as np

from fastauc._kernels import few as _few
from fastauc._validation.arrays import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    KEY_DTYPES,
    Array,
    as_kernel_array,
    by_dtype,
)

T = TypeVar("T")

# What the kernels take: dtypes of labels and scores, and the names they have there.
CLEAN_TYPES = {
    (label_dtype, score_dtype): (label_type, score_type)
    for label_dtype, label_type in ((BOOL, "uint8_t"), (INT64, "int64_t"), (FLOAT64, "double"))
    for score_dtype, score_type in ((FLOAT32, "float"), (FLOAT64, "double"), (INT64, "int64_t"))
}
_COMPARE_CLEAN = {dtypes: _few.compare_clean[types] for dtypes, types in CLEAN_TYPES.items()}
_WEIGH_CLEAN = {dtypes: _few.weigh_clean[types] for dtypes, types in CLEAN_TYPES.items()}
_LABEL_DTYPES = by_dtype(
    dict.fromkeys(("i1", "u1", "i2", "u2", "i4", "u4", "i8"), INT64)
    | dict.fromkeys(("f2", "f4", "f8"), FLOAT64)
    | {"?": BOOL}
)
_SMALL = 1024  # rows at most; to convert more would be a pass of its own


def clean_entry(table: dict[Any, T], y_true: object, y_score: object) -> T | None:
    """Return the entry for two vectors in dtypes and in memory as kernels take them."""
    if not (_is_vector(y_true) and _is_vector(y_score)):
        return None
    if not (y_true.flags.aligned and y_score.flags.aligned):
        return None
    return table.get((y_true.dtype, y_score.dtype))


def _is_vector(values: object) -> TypeGuard[Array]:
    return type(values) is np.ndarray and values.ndim == 1


def _small_entry(table: dict[Any, T], y_true: Any, y_score: Any) -> tuple[T, Array, Array] | None:
    """Return the entry for two vectors, which few rows of other dtypes are converted for."""
    entry = clean_entry(table, y_true, y_score)
    if entry is not None:
        return entry, y_true, y_score
    if not (_is_vector(y_true) and _is_vector(y_score)):
        return None
    if max(len(y_true), len(y_score)) > _SMALL:
        return None
    label_dtype, score_dtype = _LABEL_DTYPES.get(y_true.dtype), KEY_DTYPES.get(y_score.dtype)
    if label_dtype is None or score_dtype is None:
        return None
    labels, scores = as_kernel_array(y_true, label_dtype), as_kernel_array(y_score, score_dtype)
    return table[label_dtype, score_dtype], labels, scores


def compare_clean(y_true: Any, y_score: Any) -> tuple[int, int, int, int] | None:
    """Return ``not_above, tied, n_pos, n_neg`` of a small clean sample, or None for any other.

    Clean are two arrays of one length, with labels 0 and 1 and finite scores, both of a dtype that
    one of the kernels holds exactly; small are at most 1,024 rows.
    """
    found = _small_entry(_COMPARE_CLEAN, y_true, y_score)
    if found is None:
        return None
    compare, labels, scores = found
    return compare(labels, scores)


def weigh_clean(
    y_true: Any, y_score: Any, sample_weight: Any
) -> tuple[int, int, int, int, int] | None:
    """Return what ``weighted_pairs.ratio_of`` takes, of a small clean sample, or None.

    Clean weights are contiguous, positive float64, and their sum is finite.
    """
    if not is_clean_weight(sample_weight):
        return None
    found = _small_entry(_WEIGH_CLEAN, y_true, y_score)
    if found is None:
        return None
    weigh, labels, scores = found
    return weigh(labels, scores, sample_weight)


def is_clean_weight(weight: Any) -> bool:
    """Tell whether weights are an array as the kernels take it, whatever is in it."""
    if type(weight) is not np.ndarray or weight.dtype is not FLOAT64 or weight.ndim != 1:
        return False
    flags = weight.flags
    return bool(flags.c_contiguous and flags.aligned)
