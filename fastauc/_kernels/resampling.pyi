from typing import Any

import numpy as np
from numpy.typing import NDArray

_Packed = NDArray[Any]
_Rows = NDArray[np.uint64]
_Indices = NDArray[np.uint32]
_Masses = NDArray[Any]
_Flags = NDArray[np.uint8]

def sum_squares(packed: _Packed, n_low: int) -> tuple[int, int, int]: ...
def write_placements(
    packed: _Packed, n_low: int, rows: _Rows, n_pos: int, placements: NDArray[np.int64]
) -> None: ...
def weigh_placements(
    packed: _Packed,
    n_low: int,
    rows: _Rows,
    weight: NDArray[np.float64],
    placements: NDArray[np.float64],
) -> tuple[float, float]: ...
def clip_placements(
    others: NDArray[np.float64],
    step: NDArray[np.int64],
    lower: float,
    upper: float,
    from_lower: NDArray[np.float64],
    from_upper: NDArray[np.float64],
) -> None: ...
def sum_products_by_class(
    label: NDArray[np.uint8], a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[int, int]: ...
def number_steps(
    packed: _Packed,
    n_low: int,
    keep_positives: bool,
    step_of_pos: _Indices,
    step_of_neg: _Indices,
    tied: _Flags,
) -> int: ...
def count_draws(
    words: NDArray[np.uint64],
    draws: NDArray[np.int64],
    sizes: NDArray[np.int64],
    step: _Indices,
    counts: _Indices,
) -> None: ...
def add_factors(
    step: _Indices, unit: _Indices, factors: _Masses, weight: NDArray[np.float64], sums: _Masses
) -> None: ...
def twice_area(
    pos: _Masses, neg: _Masses, tied: _Flags, zero: float
) -> tuple[float, float, float]: ...
def greatest_difference(
    pos: _Masses, neg: _Masses, tied: _Flags, n_pos: float, n_neg: float
) -> float: ...
def sum_precision(pos: NDArray[np.uint32], neg: NDArray[np.uint32], tied: _Flags) -> int: ...
def weigh_precision(pos: NDArray[np.float64], neg: NDArray[np.float64], tied: _Flags) -> float: ...
def true_positives_at(
    pos: _Masses,
    neg: _Masses,
    tied: _Flags,
    most_fp: NDArray[np.float64],
    fps: NDArray[np.float64],
    tps: NDArray[np.float64],
) -> None: ...
def distance_of_errors(
    own: NDArray[np.int64],
    other: NDArray[np.int64],
    sign: NDArray[np.int64],
    exchanged: NDArray[np.int8],
    tables: NDArray[np.int64],
    errors: NDArray[np.int64],
) -> int: ...
def mean_of_binomial(
    values: NDArray[np.float64], first: int, n: int, probability: float
) -> tuple[float, float]: ...
