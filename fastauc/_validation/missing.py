"""Omits rows with missing scores if the caller asks for it."""

from collections.abc import Collection, Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import FLOAT64, Array, as_array, is_missing
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_option

NAN_POLICIES = get_args(NanPolicy)


def find_missing(column: Array) -> NDArray[np.bool_] | None:
    """Return which values of a column are missing, or None if none are."""
    if column.dtype.kind == "O":
        missing = np.array([is_missing(v) for v in column.tolist()], np.bool_)
    elif column.dtype.kind == "f":
        missing = np.isnan(column)
    else:
        return None
    return missing if missing.any() else None


def _rows_without(scores: Array) -> NDArray[np.bool_] | None:
    """Return which rows lack a score, or one of those of several classes; None if none do."""
    if scores.ndim == 1:
        return find_missing(scores)
    if scores.ndim == 2 and scores.shape[1] > 2 and scores.dtype.kind == "f":
        lacking: NDArray[np.bool_] = np.logical_or.reduce(np.isnan(scores), axis=1)
        return lacking if lacking.any() else None
    return None


def _exact(scores: Array, values: Any) -> Array:
    """Return scores whose integers are not rounded by a null next to them that made them floats."""
    listed = getattr(values, "to_pylist", None) or getattr(values, "to_list", None)
    if listed is None or scores.dtype != FLOAT64 or not (np.abs(scores) >= 2**53).any():
        return scores
    return np.array(listed(), object)


def omit_missing(
    columns: Mapping[str, Any], scores: Collection[str], nan_policy: NanPolicy, function: str
) -> dict[str, Any]:
    """Return columns without the rows in which a score is missing, if ``nan_policy`` is "omit".

    ``scores`` names those that are scores; of those of several classes, none may be missing. Other
    columns may be None. Inconsistent columns are returned unchanged; later checks report what is
    wrong with them.
    """
    kept = dict(columns)
    if nan_policy == "raise":
        return kept
    check_option(nan_policy, "nan_policy", NAN_POLICIES, function)
    for name, values in columns.items():
        if name in scores:
            kept[name] = _exact(as_array(values, name, function, exact=True), values)
        elif values is not None:
            kept[name] = as_array(values, name, function)
    shapes = {column.shape[:1] for column in kept.values() if column is not None}
    if len(shapes) > 1:
        return dict(columns)
    lacking = [found for name in scores if (found := _rows_without(kept[name])) is not None]
    if not lacking:
        return dict(columns)
    rows = ~np.logical_or.reduce(lacking)
    return {name: None if column is None else column[rows] for name, column in kept.items()}
