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
    values: _Scores,
    counts: NDArray[np.uint32],
    several: NDArray[np.uint8],
    limit: int,
) -> bool: ...
def tally_values(counts: NDArray[np.uint32], several: NDArray[np.uint8]) -> tuple[int, int]: ...
def rank_rows(
    label: _Labels,
    score: _Scores,
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    ranks: NDArray[np.uint32],
    close_label: _Labels,
    close_score: _Scores,
) -> tuple[int, int]: ...
