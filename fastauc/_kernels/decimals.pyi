from typing import Any

import numpy as np
from numpy.typing import NDArray

def has_long_numbers(text: Any, point: int) -> bool: ...
def find_unsure(
    text: Any,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    values: NDArray[np.float64],
    point: int,
    powers: NDArray[np.float64],
    first: int,
) -> int: ...
