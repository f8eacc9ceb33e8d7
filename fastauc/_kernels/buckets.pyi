from typing import Any

import numpy as np
from numpy.typing import NDArray

_Labels = NDArray[np.uint8]
_Scores = NDArray[Any]

def narrow(score: NDArray[np.float64], single: NDArray[np.float32]) -> bool: ...
def ordered_keys(score: NDArray[np.float64], keys: NDArray[np.uint64]) -> None: ...
def leave_out(
    label: _Labels,
    score: _Scores,
    frequent: _Scores,
    other_label: _Labels,
    other_score: _Scores,
) -> tuple[int, int, int, int, int]: ...
def count_rows(
    label: _Labels,
    source: NDArray[Any],
    line: NDArray[np.float64],
    intervals: NDArray[np.uint64],
    counts: NDArray[np.uint32],
) -> None: ...
def place_rows(
    label: _Labels,
    score: _Scores,
    line: NDArray[np.float64],
    intervals: NDArray[np.uint64],
    starts: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    weight: NDArray[np.float64] | None = None,
    unit_neg: float = 0.0,
    unit_pos: float = 0.0,
    fixed_weights: NDArray[np.uint64] | None = None,
) -> None: ...
def compare_rows(
    offsets: NDArray[np.int32],
    ends: NDArray[np.uint32],
    first_bucket: int,
    stop_bucket: int,
    exact: bool,
    scratch: NDArray[np.int32],
    unresolved: NDArray[np.uint8],
) -> tuple[int, int, int, int]: ...
def find_rows(
    score: _Scores,
    line: NDArray[np.float64],
    intervals: NDArray[np.uint64],
    chosen: NDArray[np.uint8],
    rows: NDArray[np.uint32],
) -> int: ...
def find_class(label: _Labels, chosen: int, rows: NDArray[np.int64]) -> None: ...
def find_buckets(
    score: _Scores,
    line: NDArray[np.float64],
    intervals: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
) -> None: ...
def find_ranked(
    score: _Scores,
    line: NDArray[np.float64],
    cells: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
) -> None: ...
def rank_buckets(
    numbers: NDArray[np.uint32], ranks: NDArray[np.uint8], bases: NDArray[np.uint64]
) -> None: ...
def rank_rows(
    score: _Scores,
    line: NDArray[np.float64],
    cells: NDArray[np.uint64],
    ranks: NDArray[np.uint8],
    bases: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    sizes: NDArray[np.uint32],
    tree: NDArray[np.uint64],
    counts: NDArray[np.uint32],
) -> tuple[int, int]: ...
