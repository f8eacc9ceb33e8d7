"""Sums that are rounded once, so that they do not depend on the order of the numbers."""

import math

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import rank_sum as _rank_sum

# Below, the standard library is as fast.
_FEW = 100


def exact_sum(values: NDArray[np.float64]) -> float:
    """Return the double nearest to the sum of finite numbers, as ``math.fsum`` does."""
    if len(values) < _FEW:
        return math.fsum(values.tolist())
    digits = np.zeros(67, np.int64)
    _rank_sum.add_exactly(np.ascontiguousarray(values), digits)
    whole = sum(digit << 32 * k for k, digit in enumerate(digits.tolist()) if digit)
    # Python rounds the quotient of two integers once. The unit is 2^-1075.
    return whole / (1 << 1075)
