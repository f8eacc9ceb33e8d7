from typing import Any

import numpy as np
from numpy.typing import NDArray

def has_few_runs(score: NDArray[Any], most: int) -> bool: ...
def count_thresholds(
    packed: NDArray[Any],
    n_low: int,
    flip: int,
    fps: NDArray[np.int64],
    tps: NDArray[np.int64],
) -> int: ...
def weigh_thresholds(
    packed: NDArray[Any],
    n_low: int,
    flip: int,
    weight: NDArray[np.float64],
    fps: NDArray[np.float64],
    tps: NDArray[np.float64],
) -> int: ...
def sum_precision(packed: NDArray[Any], n_low: int) -> int: ...
def greatest_difference(packed: NDArray[Any], n_low: int, n_pos: int, n_neg: int) -> int: ...
def partial_area(
    packed: NDArray[Any], n_low: int, most_fp: int
) -> tuple[int, int, int, int, int]: ...
def rising_points(
    packed: NDArray[Any],
    n_low: int,
    flip: int,
    n_pos: int,
    of_errors: bool,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
) -> int: ...
def roc_points(
    packed: NDArray[Any],
    n_low: int,
    flip: int,
    drop_intermediate: bool,
    n_pos: int,
    fpr: NDArray[np.float64],
    tpr: NDArray[np.float64],
    thresholds: NDArray[Any],
) -> int: ...
