"""Ranks of rows, ties sharing their mean rank."""

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import buckets as _buckets, ranks as _ranks
from fastauc._validation.arrays import Array

_BITS = 64


def add_ranks(scores: Array, share: float, total: NDArray[np.float64]) -> None:
    """Add ``share`` times the rank of each row."""
    keys, packed = np.empty(len(scores), np.uint64), np.empty(len(scores), np.uint64)
    _buckets.ordered_keys(scores, keys)
    low, high = int(keys.min()), int(keys.max())
    row_bits = (len(keys) - 1).bit_length()
    shift = max(0, (high - low).bit_length() + row_bits - _BITS)
    _ranks.pack_rows(keys, low, shift, row_bits, packed)
    packed.sort()
    _ranks.add_ranks(packed, keys, row_bits, shift == 0, share, total)
