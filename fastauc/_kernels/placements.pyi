from typing import Any

import numpy as np
from numpy.typing import NDArray

_Packed = NDArray[Any]
_Keys = NDArray[np.uint64]

def sum_squares(packed: _Packed, n_low: int) -> tuple[int, int, int, int]: ...
def placements_of_groups(
    packed: _Packed, n_low: int, n_pos: int, values: _Keys, by_group: NDArray[np.int64]
) -> int: ...
def weigh_groups(
    packed: _Packed,
    n_low: int,
    weight: NDArray[np.float64],
    values: _Keys,
    by_group: NDArray[np.float64],
) -> tuple[int, float, float]: ...
def start_buckets(
    values: _Keys, line: NDArray[np.float64], pieces: _Keys, starts: NDArray[np.uint32]
) -> None: ...
def find_placements(
    label: NDArray[np.uint8],
    score: NDArray[Any],
    line: NDArray[np.float64],
    pieces: _Keys,
    starts: NDArray[np.uint32],
    values: _Keys,
    by_group: NDArray[Any],
    found: NDArray[Any],
) -> None: ...
def sum_products(a: NDArray[np.int64], b: NDArray[np.int64]) -> int: ...
