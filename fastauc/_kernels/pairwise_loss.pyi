import numpy as np
from numpy.typing import NDArray

def sweep(
    points: NDArray[np.float64],
    point_weights: NDArray[np.float64],
    others: NDArray[np.float64],
    other_weights: NDArray[np.float64],
    margin: float,
    squared: bool,
    slopes: NDArray[np.float64],
) -> float: ...
