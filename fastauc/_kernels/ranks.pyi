import numpy as np
from numpy.typing import NDArray

def pack_rows(
    keys: NDArray[np.uint64], low: int, shift: int, row_bits: int, packed: NDArray[np.uint64]
) -> None: ...
def add_ranks(
    packed: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    row_bits: int,
    is_whole: bool,
    weight: float,
    total: NDArray[np.float64],
) -> None: ...
