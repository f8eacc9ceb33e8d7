"""Sums that are rounded once, so that they do not depend on the order of the numbers."""

import math

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import rank_sum as _rank_sum

# Below, the standard library is as fast.
_FEW = 100
_BLOCK = 2**15


def exact_sum(values: NDArray[np.float64], factors: NDArray[np.float64] | None = None) -> float:
    """Return the double nearest to the sum of finite numbers, as ``math.fsum`` does.

    Or to that of their products, each rounded, with factors. They never are in memory all at once.
    """
    if len(values) < _FEW:
        return math.fsum((values if factors is None else values * factors).tolist())
    digits = np.zeros(67, np.int64)
    for start in range(0, len(values), _BLOCK):
        block = np.ascontiguousarray(values[start : start + _BLOCK])
        if factors is not None:
            block = block * factors[start : start + _BLOCK]
        _rank_sum.add_exactly(block, digits)
    whole = sum(digit << 32 * k for k, digit in enumerate(digits.tolist()) if digit)
    # Python rounds the quotient of two integers once. The unit is 2^-1075.
    return whole / (1 << 1075)


def sums_by(
    cells: NDArray[np.intp], values: NDArray[np.float64], sizes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the sums of the values in each cell, which has so many of them, in whatever order.

    Values are cut in two, each a multiple of a power of two of which a cell has less than 2^53 in
    all: these sums are exact. What is left is at most m^3 2^-100 of the largest value, for m values
    in the largest cell, and less than is lost by adding up doubles.
    """
    parts, n_most = [], int(np.max(sizes))
    for _ in range(2):
        most = max(float(np.max(values)), -float(np.min(values)))
        # In doubles from 2^52 to 2^53 units, what is less than a unit is rounded off.
        shift = math.ldexp(1.5, math.frexp(most * n_most)[1] + 1)
        cut = (values + shift) - shift
        parts.append(np.bincount(cells, cut, len(sizes)))
        values = values - cut
    return np.add(*parts, dtype=np.float64)
