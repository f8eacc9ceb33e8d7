from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_Labels = NDArray[np.uint8]
_Scores = NDArray[Any]
_Offsets = NDArray[np.int32]

# A function for several types is also a mapping from the names of the types to functions for one.
class _CompareFew(Protocol):
    def __getitem__(
        self, score_t: str
    ) -> Callable[[_Labels, _Scores, int, _Offsets], tuple[int, int, bool]]: ...

class _WeighFew(Protocol):
    def __getitem__(
        self, score_t: str
    ) -> Callable[
        [_Labels, _Scores, NDArray[np.float64], int, float, float, _Offsets, NDArray[np.uint64]],
        tuple[int, int, int, int, int] | None,
    ]: ...

compare_few: _CompareFew
weigh_few: _WeighFew

def compare_clean(y_true: NDArray[Any], y_score: _Scores) -> tuple[int, int, int, int] | None: ...
def weigh_clean(
    y_true: NDArray[Any], y_score: _Scores, weight: NDArray[np.float64]
) -> tuple[int, int, int, int, int] | None: ...
