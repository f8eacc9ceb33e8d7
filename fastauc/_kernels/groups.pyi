import numpy as np
from numpy.typing import NDArray

def compare_groups(
    keys: NDArray[np.uint64],
    ends: NDArray[np.uint32],
    least_large: int,
    spare: NDArray[np.uint64],
    twice_u: NDArray[np.uint64],
) -> None: ...
def place_groups(
    keys: NDArray[np.uint64],
    ends: NDArray[np.uint32],
    spare: NDArray[np.uint64],
    twice_u: NDArray[np.uint64],
    spreads: NDArray[np.float64],
) -> None: ...
def add_quotients(
    twice_u: NDArray[np.uint64], pairs: NDArray[np.uint64], weight: NDArray[np.uint64]
) -> tuple[int, int]: ...
