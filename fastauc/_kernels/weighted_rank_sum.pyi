from typing import Any

import numpy as np
from numpy.typing import NDArray

_Labels = NDArray[np.uint8]
_Scores = NDArray[Any]
_Weights = NDArray[np.float64]

def unit_of(greatest: float, exponent: int) -> float: ...
def weigh_rows(
    offsets: NDArray[np.int32],
    fixed_weights: NDArray[np.uint64],
    ends: NDArray[np.uint32],
    first_bucket: int,
    stop_bucket: int,
    exact: bool,
    spare_offsets: NDArray[np.int32],
    spare_weights: NDArray[np.uint64],
    unresolved: NDArray[np.uint8],
) -> tuple[int, int, int]: ...
def sum_values(fixed_weights: NDArray[np.uint64]) -> tuple[int, int, int]: ...
def weigh_packed_rows(
    packed: NDArray[Any],
    n_low: int,
    weight: _Weights,
    unit_neg: float,
    unit_pos: float,
    sizes: NDArray[np.int64],
) -> tuple[int, int, int, int, int]: ...
