"""Judges which rows belong together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._conversion import as_array, as_column, is_missing
from fastauc._validation import as_float64, read_inputs


class Clusters(NamedTuple):
    """For each row of a sample the number of its cluster, in the order of their names."""

    codes: NDArray[np.uint32]
    n_clusters: int


def read_clusters(
    groups: object, y_true: object, y_score: object, sample_weight: object, function: str
) -> Clusters:
    """Return the clusters of the rows whose weight is not 0; assumes that the others are clean."""
    inputs = read_inputs(y_true, y_score, sample_weight, function)
    names = as_column(as_array(groups, "groups", function, optional=True), "groups")
    if len(names) != len(inputs.y_true):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[len(inputs.y_true), len(names)]}. y_true has {len(inputs.y_true)}, groups has "
            f"{len(names)}; expected as many of each."
        )
    missing = _are_missing(names)
    if missing.any():
        position = int(np.argmax(missing))
        raise ValueError(
            f"Input groups contains missing values. groups[{position}] is {names[position]}; "
            "expected a name for every row."
        )
    if inputs.sample_weight is not None:
        names = names[as_float64(inputs.sample_weight, "sample_weight") != 0]
    try:
        distinct, codes = np.unique(names, return_inverse=True)
    except TypeError as error:
        raise TypeError(f"groups holds names that cannot be sorted: {error}") from error
    return Clusters(codes.astype(np.uint32), len(distinct))


def _are_missing(names: NDArray[np.generic]) -> NDArray[np.bool_]:
    if names.dtype.kind == "O":
        return np.array([is_missing(name) for name in names.tolist()], np.bool_)
    if names.dtype.kind in "fmM":
        return np.asarray(names != names)  # NaN and NaT, and nothing else
    return np.zeros(len(names), np.bool_)
