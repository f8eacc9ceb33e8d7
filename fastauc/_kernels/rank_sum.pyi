from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_pairs(packed: NDArray[Any]) -> tuple[int, int, int, int]: ...
def weigh_pairs(
    packed: NDArray[Any],
    n_low: int,
    weight: NDArray[np.float64],
    unit_pos: float,
    unit_neg: float,
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]: ...
def count_pairs_of_keys(neg: NDArray[np.uint64], pos: NDArray[np.uint64]) -> tuple[int, int]: ...
def compare_with_classes(
    keys: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    chosen: int,
    twice_u: NDArray[np.uint64],
) -> None: ...
def add_ranks(
    keys: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    weight: float,
    total: NDArray[np.float64],
) -> None: ...
def sum_hinge_losses(
    points: NDArray[np.float64],
    point_weights: NDArray[np.float64],
    others: NDArray[np.float64],
    other_weights: NDArray[np.float64],
    margin: float,
    squared: bool,
    slopes: NDArray[np.float64],
) -> float: ...
def add_exactly(values: NDArray[np.float64], digits: NDArray[np.int64]) -> None: ...
