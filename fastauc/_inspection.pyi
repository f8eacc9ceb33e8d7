import numpy as np
from numpy.typing import NDArray

def first_nonfinite(values: NDArray[np.floating]) -> int: ...
def encode_labels(
    y_true: NDArray[np.generic], codes: NDArray[np.uint8]
) -> tuple[float, float, int, int]: ...
