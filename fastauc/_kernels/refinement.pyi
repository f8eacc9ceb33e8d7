from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# A function for several types is also a mapping from the names of the types to functions for one.
class _ForScores(Protocol):
    def __call__(self, *arrays: NDArray[Any]) -> Any: ...
    def __getitem__(self, score_t: str) -> Callable[..., Any]: ...

place_rows: _ForScores

def add_weights(weight: NDArray[np.float64], total: NDArray[np.uint64]) -> None: ...
def weigh_pairs(
    neg: NDArray[np.uint64],
    neg_weight: NDArray[np.float64],
    pos: NDArray[np.uint64],
    pos_weight: NDArray[np.float64],
    areas: NDArray[np.uint64],
) -> None: ...
