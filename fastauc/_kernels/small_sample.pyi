from typing import Any

import numpy as np
from numpy.typing import NDArray

_Labels = NDArray[np.uint8]
_Scores = NDArray[Any]

def compare_few(
    label: _Labels, score: _Scores, n_pos: int, rows: NDArray[np.int32]
) -> tuple[int, int, bool]: ...
def weigh_few(
    label: _Labels,
    score: _Scores,
    weight: NDArray[np.float64],
    n_pos: int,
    unit_neg: float,
    unit_pos: float,
    rows: NDArray[np.int32],
    fixed_weights: NDArray[np.uint64],
) -> tuple[int, int, int, int, int] | None: ...
def compare_clean(y_true: NDArray[Any], y_score: _Scores) -> tuple[int, int, int, int] | None: ...
def weigh_clean(
    y_true: NDArray[Any], y_score: _Scores, weight: NDArray[np.float64]
) -> tuple[int, int, int, int, int] | None: ...
