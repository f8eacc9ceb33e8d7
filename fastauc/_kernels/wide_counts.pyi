import numpy as np
from numpy.typing import NDArray

_Words = NDArray[np.uint64]

def add_up(sums: _Words, fps: _Words, tps: _Words) -> None: ...
def as_doubles(weights: _Words, doubles: NDArray[np.float64]) -> None: ...
def count_pairs(fps: _Words, tps: _Words, is_mixed: NDArray[np.uint8], areas: _Words) -> None: ...
def bound_precision(
    fps: _Words,
    tps: _Words,
    is_mixed: NDArray[np.uint8],
    start: int,
    stop: int,
    sums: NDArray[np.float64],
) -> bool: ...
def add_weights(weight: NDArray[np.float64], total: _Words) -> None: ...
def weigh_pairs(
    neg: _Words,
    neg_weight: NDArray[np.float64],
    pos: _Words,
    pos_weight: NDArray[np.float64],
    areas: _Words,
) -> None: ...
