from typing import Any

import numpy as np
from numpy.typing import NDArray

_Packed = NDArray[Any]
_Rows = NDArray[np.uint64]

def sum_squares(packed: _Packed, n_low: int) -> tuple[int, int, int, int]: ...
def write_placements(
    packed: _Packed, n_low: int, rows: _Rows, n_pos: int, placements: NDArray[np.int64]
) -> None: ...
def weigh_placements(
    packed: _Packed,
    n_low: int,
    rows: _Rows,
    weight: NDArray[np.float64],
    placements: NDArray[np.float64],
) -> tuple[float, float]: ...
def sum_products_by_class(
    label: NDArray[np.uint8], a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[int, int]: ...
def sum_products(a: NDArray[np.int64], b: NDArray[np.int64]) -> int: ...
