import numpy as np
from numpy.typing import NDArray

_Keys = NDArray[np.uint32] | NDArray[np.uint64]
_Words = NDArray[np.uint64]
_Counts = NDArray[np.uint32]

def order_few(keys: _Keys, spare: _Keys) -> None: ...
def count_cells(keys: _Keys, pieces: _Words, counts: _Counts) -> None: ...
def place_keys(keys: _Keys, pieces: _Words, starts: _Counts, placed: _Keys) -> None: ...
def place_pairs(
    keys: _Keys, companion: _Words, pieces: _Words, starts: _Counts, placed: _Words
) -> None: ...
def order_keys(placed: _Keys, ends: _Counts, first: int, stop: int, keys: _Keys) -> None: ...
def order_pairs(
    placed: _Words,
    ends: _Counts,
    first: int,
    stop: int,
    spare: _Words,
    keys: _Keys,
    companion: _Words,
) -> None: ...
