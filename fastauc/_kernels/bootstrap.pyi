from typing import Any

import numpy as np
from numpy.typing import NDArray

_Masses = NDArray[Any]
_Flags = NDArray[np.uint8]

def twice_area(pos: _Masses, neg: _Masses, tied: _Flags) -> tuple[float, float, float]: ...
def partial_area(
    pos: _Masses, neg: _Masses, tied: _Flags, most_fp: float
) -> tuple[float, float, float, float, float]: ...
def greatest_difference(
    pos: _Masses, neg: _Masses, tied: _Flags, n_pos: float, n_neg: float
) -> float: ...
def sum_precision(pos: NDArray[np.uint32], neg: NDArray[np.uint32], tied: _Flags) -> int: ...
def weigh_precision(pos: NDArray[np.float64], neg: NDArray[np.float64], tied: _Flags) -> float: ...
def true_positives_at(
    pos: _Masses,
    neg: _Masses,
    tied: _Flags,
    most_fp: NDArray[np.float64],
    fps: NDArray[np.float64],
    tps: NDArray[np.float64],
) -> None: ...
