from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_values(
    label: NDArray[np.uint8],
    score: NDArray[Any],
    line: NDArray[np.float64],
    entries: NDArray[np.uint32],
    most_looks: int,
    most_scores: int,
) -> bool: ...
def take_entries(
    entries: NDArray[np.uint32], score: NDArray[Any], numbers: NDArray[np.uint64]
) -> int: ...
def weigh_values(
    label: NDArray[np.uint8],
    score: NDArray[Any],
    weight: NDArray[np.float64],
    line: NDArray[np.float64],
    unit_neg: float,
    unit_pos: float,
    entries: NDArray[np.uint32],
    fixed_weights: NDArray[np.uint64],
    most_looks: int,
    most_scores: int,
) -> tuple[bool, int, int]: ...
