from typing import Any

import numpy as np
from numpy.typing import NDArray

def sum_precision(packed: NDArray[Any], n_low: int) -> int: ...
def greatest_difference(packed: NDArray[Any], n_low: int, n_pos: int, n_neg: int) -> int: ...
def partial_area(
    packed: NDArray[Any], n_low: int, most_fp: int
) -> tuple[int, int, int, int, int]: ...
def precision_recall_points(
    packed: NDArray[Any],
    n_low: int,
    flip: int,
    n_pos: int,
    precision: NDArray[np.float64],
    recall: NDArray[np.float64],
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
