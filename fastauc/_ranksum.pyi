from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_pairs(packed: NDArray[Any], n_low: int) -> tuple[int, int]: ...
def weigh_pairs(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]: ...
