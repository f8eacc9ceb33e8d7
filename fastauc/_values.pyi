from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.uint8]
Scores = NDArray[Any]

def count_values(
    label: Labels,
    score: Scores,
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    values: Scores,
    counts: NDArray[np.uint32],
    several: NDArray[np.uint8],
    limit: int,
) -> bool: ...
def tally_values(counts: NDArray[np.uint32], several: NDArray[np.uint8]) -> tuple[int, int]: ...
def rank_rows(
    label: Labels,
    score: Scores,
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    ranks: NDArray[np.uint32],
    close_label: Labels,
    close_score: Scores,
) -> tuple[int, int]: ...
