from typing import Any

import numpy as np
from numpy.typing import NDArray

def has_few_runs(score: NDArray[Any], most: int) -> bool: ...
def count_thresholds(
    packed: NDArray[Any],
    n_low: int,
    flip: int,
    weight: NDArray[np.float64],
    fps: NDArray[Any],
    tps: NDArray[Any],
) -> int: ...
def sum_precision(
    packed: NDArray[Any],
    n_low: int,
    sizes: NDArray[np.int64],
    tps: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> int: ...
def greatest_difference(packed: NDArray[Any], n_low: int, n_pos: int, n_neg: int) -> int: ...
def find_limit(
    packed: NDArray[Any], n_low: int, most_fp: int
) -> tuple[int, int, int, int, int]: ...
def count_ties(packed: NDArray[Any]) -> tuple[int, int]: ...
def rising_points(
    packed: NDArray[Any],
    flip: int,
    rows: int,
    tp: int,
    n_pos: float,
    n_neg: float,
    of_errors: bool,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
) -> tuple[int, int]: ...
def roc_points(
    packed: NDArray[Any],
    flip: int,
    drop_intermediate: bool,
    is_highest: bool,
    step_below: int,
    n_pos: float,
    n_neg: float,
    fp: int,
    tp: int,
    fpr: NDArray[np.float64],
    tpr: NDArray[np.float64],
    thresholds: NDArray[Any],
) -> tuple[int, int]: ...
