import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

def add_up(sums: Words, fps: Words, tps: Words) -> None: ...
def as_doubles(weights: Words, doubles: NDArray[np.float64]) -> None: ...
def count_pairs(fps: Words, tps: Words, is_mixed: NDArray[np.uint8], areas: Words) -> None: ...
def bound_precision(
    fps: Words,
    tps: Words,
    is_mixed: NDArray[np.uint8],
    start: int,
    stop: int,
    sums: NDArray[np.float64],
) -> bool: ...
def add_weights(weight: NDArray[np.float64], total: Words) -> None: ...
def weigh_pairs(
    neg: Words,
    neg_weight: NDArray[np.float64],
    pos: Words,
    pos_weight: NDArray[np.float64],
    areas: Words,
) -> None: ...
