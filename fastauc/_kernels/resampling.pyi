from typing import Any

import numpy as np
from numpy.typing import NDArray

_Indices = NDArray[np.uint32]

def place_rows(
    packed: NDArray[Any],
    n_low: int,
    keep_positives: bool,
    step_of_pos: _Indices,
    step_of_neg: _Indices,
    tied: NDArray[np.uint8],
) -> int: ...
def count_draws(
    words: NDArray[np.uint64],
    draws: NDArray[np.int64],
    sizes: NDArray[np.int64],
    step: _Indices,
    counts: _Indices,
) -> None: ...
def add_counts(step: _Indices, unit: _Indices, factors: _Indices, counts: _Indices) -> None: ...
def add_masses(
    step: _Indices,
    unit: _Indices,
    factors: NDArray[np.float64],
    weight: NDArray[np.float64],
    masses: NDArray[np.float64],
) -> None: ...
