from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_Keys = NDArray[np.uint32] | NDArray[np.uint64]
_Labels = NDArray[np.uint8]
_Words = NDArray[np.uint64]
_Counts = NDArray[np.uint32]

# A function for several types is also a mapping from the names of the types to functions for some.
class _PackRows(Protocol):
    def __getitem__(
        self, types: tuple[str, str]
    ) -> Callable[[_Labels, NDArray[Any], _Keys], int]: ...

pack_rows: _PackRows

def place_rows(
    source: NDArray[Any],
    label: _Labels,
    companion: _Words,
    line: NDArray[np.float64],
    intervals: _Words,
    starts: _Counts,
    placed: _Keys,
) -> None: ...
def order_buckets(
    placed: _Keys, ends: _Counts, first: int, stop: int, other: _Keys, within: bool
) -> None: ...
def order_pairs(
    placed: _Words,
    ends: _Counts,
    first: int,
    stop: int,
    spare: _Words,
    keys: _Keys,
    companion: _Words,
    sorts_ties: bool,
) -> None: ...
def order_ties(
    keys: _Keys, values: _Words, rows: _Words, spare: _Words, ordered: _Words
) -> None: ...
