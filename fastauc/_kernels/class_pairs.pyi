import numpy as np
from numpy.typing import NDArray

def compare_with_classes(
    keys: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    chosen: int,
    twice_u: NDArray[np.uint64],
) -> None: ...
