"""Judges several columns of scores and their weights, and words the errors."""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import (
    Array,
    as_array,
    as_column,
    as_exact_array,
    nonfinite_error,
    order_keys,
)
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.samples import as_float64


def read_rankings(y_scores: object, function: str) -> list[Array]:
    """Return keys in the order of the scores of each column; refuse columns that do not match."""
    if not isinstance(y_scores, Iterable) or isinstance(y_scores, (str, bytes, dict)):
        expected = "a sequence of array-likes, one for each ranking"
        raise invalid_parameter(function, "y_scores", expected, y_scores)
    columns: list[Array] = []
    for number, scores in enumerate(y_scores):
        name = f"y_scores[{number}]"
        array = as_array(scores, name, function)
        column = as_column(array if array is scores else as_exact_array(array, scores), name)
        keys = order_keys(column, name).keys
        if keys.dtype.kind == "f" and not np.isfinite(keys).all():
            raise nonfinite_error(name, int(np.argmin(np.isfinite(keys))), column)
        if columns and len(keys) != len(columns[0]):
            raise ValueError(
                f"{name} has {len(keys)} entries; expected {len(columns[0])}, as y_scores[0] has."
            )
        columns.append(keys)
    if not columns or len(columns[0]) == 0:
        found = "holds no rankings" if not columns else "has no rows"
        raise ValueError(f"y_scores {found}; expected at least one.")
    return columns


def read_ranking_weights(weights: object, n_rankings: int, function: str) -> NDArray[np.float64]:
    """Return a weight for each ranking: not negative, not all 0, with a finite sum."""
    column = as_column(as_array(weights, "weights", function, optional=True), "weights")
    numbers = as_float64(column, "weights")
    if len(numbers) != n_rankings:
        raise ValueError(
            f"weights has {len(numbers)} entries; expected {n_rankings}: one for each ranking."
        )
    is_wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    if is_wrong.any():
        position = int(np.argmax(is_wrong))
        raise ValueError(
            f"weights[{position}] is {numbers[position]}; expected a finite number of 0 or more."
        )
    if not 0 < sum(numbers.tolist()) < math.inf:
        raise ValueError("weights add up to 0 or to infinity; expected a positive finite sum.")
    return numbers
