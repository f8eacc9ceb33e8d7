"""Omits rows with missing scores if the caller asks for it."""

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array, as_array, is_missing
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_option

NAN_POLICIES = get_args(NanPolicy)


def find_missing(column: Array) -> NDArray[np.bool_] | None:
    """Return which values of a column are missing, or None if none are."""
    if column.dtype.kind == "O":
        # A decimal NaN does not equal itself either.
        missing = np.array([is_missing(v) or v != v for v in column.tolist()], np.bool_)
    elif column.dtype.kind == "f":
        missing = np.isnan(column)
    else:
        return None
    return missing if missing.any() else None


def _exact(scores: Array, values: Any) -> Array:
    """Return scores whose integers are not rounded by a null next to them that made them floats."""
    listed = getattr(values, "to_pylist", None) or getattr(values, "to_list", None)
    if listed is None or scores.dtype.kind != "f" or not (np.abs(scores) >= 2**53).any():
        return scores
    return np.array(listed(), object)


def omit_missing(
    y_true: Any, y_score: Any, sample_weight: Any, nan_policy: NanPolicy, function: str
) -> tuple[Any, Any, Any]:
    """Return the arguments without the rows with missing scores, if ``nan_policy`` is "omit".

    Inconsistent arguments are returned unchanged; later checks report what is wrong with them.
    """
    if nan_policy == "raise":
        return y_true, y_score, sample_weight
    check_option(nan_policy, "nan_policy", NAN_POLICIES, function)
    scores = _exact(as_array(y_score, "y_score", function, exact=True), y_score)
    missing = find_missing(scores) if scores.ndim == 1 else None
    others = [np.asarray(column) for column in (y_true, sample_weight) if column is not None]
    if missing is None or any(column.shape != scores.shape for column in others):
        return y_true, y_score, sample_weight
    label, *weight = (column[~missing] for column in others)
    return label, scores[~missing], weight[0] if weight else None
