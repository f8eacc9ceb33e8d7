"""Judges which rows belong together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array, as_array, as_column, is_missing, plain
from fastauc._validation.samples import as_float64, read_inputs


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
    if inputs.sample_weight is not None:
        kept = as_float64(inputs.sample_weight, "sample_weight") != 0
        codes = np.unique(number_groups(names, "groups")[kept], return_inverse=True)[1]
    else:
        codes = number_groups(names, "groups")
    return Clusters(codes.astype(np.uint32), int(codes.max(initial=-1)) + 1)


def number_groups(column: Array, name: str) -> NDArray[np.intp]:
    """Return the number of each row's group, in the order of what the groups are called."""
    if column.dtype.kind in "fcmMOT":
        for position, value in enumerate(column.tolist()):
            if is_missing(value):
                found = f"{name}[{position}] is {column[position]}"
                raise ValueError(f"{found}; expected the name of a group.")
    try:
        return np.unique(column, return_inverse=True)[1]
    except TypeError as error:
        kinds = sorted({type(plain(value)).__name__ for value in column})
        raise ValueError(
            f"{name} holds names of several types, {', '.join(kinds)}; expected one type."
        ) from error
