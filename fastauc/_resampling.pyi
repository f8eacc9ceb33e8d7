from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.uint32]

def place_rows(
    packed: NDArray[Any],
    n_low: int,
    keep_positives: bool,
    step_of_pos: Indices,
    step_of_neg: Indices,
    tied: NDArray[np.uint8],
) -> int: ...
def count_draws(
    words: NDArray[np.uint64],
    draws: NDArray[np.int64],
    sizes: NDArray[np.int64],
    step: Indices,
    counts: Indices,
) -> None: ...
def add_counts(step: Indices, unit: Indices, factors: Indices, counts: Indices) -> None: ...
def add_masses(
    step: Indices,
    unit: Indices,
    factors: NDArray[np.float64],
    weight: NDArray[np.float64],
    masses: NDArray[np.float64],
) -> None: ...
