from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

N_BINS_BY_BITS: int
WORDS_OF_BIN: int
BINS_IN_PAGE: int

# A function for several types is also a mapping from the names of the types to functions for one.
class _ForScores(Protocol):
    def __call__(self, *arrays: NDArray[Any] | int) -> None: ...
    def __getitem__(self, types: str | tuple[str, str]) -> Callable[..., None]: ...

find_bins: _ForScores
count_rows: _ForScores
weigh_rows: _ForScores

def merge_counts(
    other_counts: NDArray[np.int64],
    other_score_tags: NDArray[np.uint64],
    other_totals: NDArray[np.int64],
    other_bins: NDArray[np.uint32],
    counts: NDArray[Any],
    score_tags: NDArray[np.uint64],
    pages: NDArray[np.uint8],
    totals: NDArray[np.int64],
) -> None: ...
def merge_fixed_weights(
    other_fixed_weights: NDArray[np.uint64],
    other_score_tags: NDArray[np.uint64],
    other_totals: NDArray[np.uint64],
    other_bins: NDArray[np.uint32],
    other_rows: NDArray[np.int64],
    lines: NDArray[np.uint64],
    pages: NDArray[np.uint8],
    totals: NDArray[np.uint64],
    rows: NDArray[np.int64],
) -> None: ...
