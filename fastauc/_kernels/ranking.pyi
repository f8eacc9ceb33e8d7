import numpy as np
from numpy.typing import NDArray

def add_ranks(
    keys: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    weight: float,
    total: NDArray[np.float64],
) -> None: ...
def sum_hinge_losses(
    points: NDArray[np.float64],
    point_weights: NDArray[np.float64],
    others: NDArray[np.float64],
    other_weights: NDArray[np.float64],
    margin: float,
    squared: bool,
    slopes: NDArray[np.float64],
) -> float: ...
