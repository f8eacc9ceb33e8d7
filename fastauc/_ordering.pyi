from typing import Any

import numpy as np
from numpy.typing import NDArray

def split_by_label(label: NDArray[np.uint8], score: NDArray[Any], classes: NDArray[Any]) -> int: ...
def split_weighted(
    label: NDArray[np.uint8],
    score: NDArray[np.float64],
    weight: NDArray[np.float64],
    classes: NDArray[np.float64],
) -> int: ...
