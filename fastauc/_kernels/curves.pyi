from typing import Any

import numpy as np
from numpy.typing import NDArray

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
def roc_points(
    fps: NDArray[Any],
    tps: NDArray[Any],
    thresholds: NDArray[np.float64],
    drop_intermediate: bool,
    fpr: NDArray[np.float64],
    tpr: NDArray[np.float64],
    kept_thresholds: NDArray[np.float64],
) -> int: ...
def sum_precision(fps: NDArray[np.int64], tps: NDArray[np.int64]) -> int: ...
def weigh_precision(
    fps: NDArray[np.float64], tps: NDArray[np.float64], unit: float
) -> tuple[float, float]: ...
def twice_area(fps: NDArray[np.float64], tps: NDArray[np.float64]) -> tuple[float, float]: ...
def hull_corners(fps: NDArray[Any], tps: NDArray[Any], corners: NDArray[np.int64]) -> int: ...
