from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# A function for several types is also a mapping from the names of the types to functions for one.
class _ScoreRange(Protocol):
    def __call__(self, values: NDArray[Any]) -> tuple[float, float, int]: ...
    def __getitem__(self, score_t: str) -> Callable[[NDArray[Any]], tuple[float, float, int]]: ...

class _EncodeLabels(Protocol):
    def __call__(
        self, y_true: NDArray[np.generic], codes: NDArray[np.uint8]
    ) -> tuple[float, float, int, int]: ...
    def __getitem__(
        self, label_t: str
    ) -> Callable[[NDArray[Any], NDArray[np.uint8]], tuple[float, float, int, int]]: ...

score_range: _ScoreRange
encode_labels: _EncodeLabels

def read_clean(
    y_true: NDArray[Any], y_score: NDArray[Any], codes: NDArray[np.uint8]
) -> tuple[int, float, float] | None: ...
def weight_extremes(
    label: NDArray[np.uint8], weight: NDArray[np.float64]
) -> tuple[float, float, float, float, float]: ...
def copy_numbers(values: list[Any] | tuple[Any, ...], array: NDArray[Any]) -> bool: ...
def take_columns(matrix: NDArray[Any], columns: NDArray[Any]) -> None: ...
