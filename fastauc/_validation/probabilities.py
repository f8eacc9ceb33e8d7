"""Validates scores that must be probabilities, and thresholds of these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array, as_array, as_column, locate
from fastauc._validation.samples import as_float64, read_scores


def check_probabilities(values: Array, name: str, *, one: bool = True) -> None:
    """Reject a number outside [0, 1], optionally also 1."""
    is_inside = (values >= 0) & ((values <= 1) if one else (values < 1))
    if not is_inside.all():
        position = int(np.argmin(is_inside))
        place, value = locate(name, position, values), values.flat[position]
        expected = f"a probability, a number in [0, 1{']' if one else ')'}"
        raise ValueError(f"{place} is {value}; expected {expected}.")


def read_probabilities(y_score: object, function: str) -> Array:
    """Return scores, all of them in [0, 1]."""
    scores = as_array(y_score, "y_score", function, exact=True)
    read_scores(scores)
    check_probabilities(scores, "y_score")
    return scores


def read_threshold_probabilities(thresholds: object, function: str) -> NDArray[np.float64] | None:
    """Return a copy of thresholds in [0, 1), in any order; None if they are not given."""
    if thresholds is None:
        return None
    array = as_array(thresholds, "thresholds", function, optional=True)
    column = as_float64(as_column(array, "thresholds"), "thresholds")
    check_probabilities(column, "thresholds", one=False)
    return column.copy()
