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
    n_buckets: int,
    most_looks: int,
    n_expected: int,
) -> bool: ...
def find_class(label: _Labels, chosen: int, rows: NDArray[np.int64]) -> None: ...
def find_buckets(
    score: _Scores,
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
) -> None: ...
def rank_buckets(
    numbers: NDArray[np.uint32], ranks: NDArray[np.uint8], bases: NDArray[np.uint64]
) -> None: ...
def rank_rows(
    score: _Scores,
    line: NDArray[np.float64],
    pieces: NDArray[np.uint64],
    ranks: NDArray[np.uint8],
    bases: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    sizes: NDArray[np.uint32],
    tree: NDArray[np.uint64],
) -> tuple[int, int]: ...
