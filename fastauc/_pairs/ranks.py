"""Ranks of rows, with midranks for ties."""

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import rank_sum as _rank_sum
from fastauc._pairs.bucket_map import keys_of
from fastauc._pairs.sorting import order_of
from fastauc._validation.arrays import Array


def add_ranks(scores: Array, share: float, total: NDArray[np.float64]) -> None:
    """Add ``share`` times the rank of each row."""
    keys = keys_of(scores)
    rows = order_of(keys)
    _rank_sum.add_ranks(keys, rows.view(np.uint64), share, total)
