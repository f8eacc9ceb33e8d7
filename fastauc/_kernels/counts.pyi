from typing import Any

import numpy as np
from numpy.typing import NDArray

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
def curved_area(fps: NDArray[np.float64], tps: NDArray[np.float64]) -> float: ...
def sum_buckets(
    offsets: NDArray[np.int32],
    ends: NDArray[np.uint32],
    first_bucket: int,
    stop_bucket: int,
    tp: int,
    exact: bool,
    scratch: NDArray[np.int32],
    unresolved: NDArray[np.uint8],
) -> int: ...
