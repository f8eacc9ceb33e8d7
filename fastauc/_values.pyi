from typing import Any

import numpy as np
from numpy.typing import NDArray

_Labels = NDArray[np.uint8]
_Scores = NDArray[Any]

def count_values(
    label: _Labels,
    score: _Scores,
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    table: NDArray[np.uint32],
    n_cells: int,
    limit: int,
) -> bool: ...
def gather_class(label: _Labels, score: _Scores, chosen: int, rows: _Scores) -> None: ...
def rank_rows(
    score: _Scores,
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    ranks: NDArray[np.uint32],
    keys: NDArray[np.uint64],
    ends: NDArray[np.uint32],
    limit: int,
) -> tuple[int, int, bool]: ...
