from typing import Any

import numpy as np
from numpy.typing import NDArray

def pack_single(
    label: NDArray[np.uint8], score: NDArray[np.float32], packed: NDArray[np.uint32]
) -> int: ...
def pack_wide(label: NDArray[np.uint8], score: NDArray[Any], packed: NDArray[np.uint64]) -> int: ...
def split_weighted(
    label: NDArray[np.uint8],
    score: NDArray[np.float64],
    weight: NDArray[np.float64],
    classes: NDArray[np.float64],
) -> int: ...
