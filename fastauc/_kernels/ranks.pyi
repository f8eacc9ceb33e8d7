import numpy as np
from numpy.typing import NDArray

def add_ranks(
    keys: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    weight: float,
    total: NDArray[np.float64],
) -> None: ...
