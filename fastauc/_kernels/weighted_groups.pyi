import numpy as np
from numpy.typing import NDArray

def weigh_groups(
    keys: NDArray[np.uint64],
    weight: NDArray[np.float64],
    ends: NDArray[np.uint32],
    spare: NDArray[np.uint64],
    area: NDArray[np.float64],
    totals: NDArray[np.float64],
    unsure: NDArray[np.uint8],
) -> None: ...
