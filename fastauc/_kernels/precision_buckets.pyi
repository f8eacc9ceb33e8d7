from typing import Any

import numpy as np
from numpy.typing import NDArray

def sum_buckets(
    offsets: NDArray[np.int32],
    ends: NDArray[np.uint32],
    first_bucket: int,
    stop_bucket: int,
    tp: int,
    exact: bool,
    scratch: NDArray[np.int32],
    unresolved: NDArray[np.uint8],
) -> int: ...
def sum_within(
    label: NDArray[np.uint8],
    score: NDArray[Any],
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    tps: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> int: ...
