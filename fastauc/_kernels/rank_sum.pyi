from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_pairs(packed: NDArray[Any], n_low: int) -> tuple[int, int]: ...
def weigh_pairs(
    packed: NDArray[Any],
    n_low: int,
    weight: NDArray[np.float64],
    unit_pos: float,
    unit_neg: float,
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]: ...
def compare_with_classes(
    keys: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    chosen: int,
    twice_u: NDArray[np.uint64],
) -> None: ...
