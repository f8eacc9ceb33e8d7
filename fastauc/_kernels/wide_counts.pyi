from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

# A function for several types is also a mapping from the names of the types to functions for one.
class _ForScores(Protocol):
    def __call__(self, *arrays: NDArray[Any]) -> Any: ...
    def __getitem__(self, score_t: str) -> Callable[..., Any]: ...

place_rows: _ForScores

def add_up(sums: Words, fps: Words, tps: Words) -> None: ...
def as_doubles(weights: Words, doubles: NDArray[np.float64]) -> None: ...
def count_pairs(fps: Words, tps: Words, is_mixed: NDArray[np.uint8]) -> tuple[int, int, int]: ...
def bound_precision(
    fps: Words, tps: Words, is_mixed: NDArray[np.uint8]
) -> tuple[tuple[float, float], tuple[float, float], bool, bool]: ...
def add_weights(weight: NDArray[np.float64], total: Words) -> None: ...
def weigh_pairs(
    neg: Words,
    neg_weight: NDArray[np.float64],
    pos: Words,
    pos_weight: NDArray[np.float64],
    areas: Words,
) -> None: ...
