"""The polyline through the counts of all thresholds, in exact arithmetic."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from fastauc import _curves
from fastauc._conversion import Array, plain
from fastauc._exceptions import warn_undefined


def exact(value: Any) -> Fraction:
    """Return a count as a fraction: an integer or a double is one exactly."""
    return Fraction(plain(value))


def warn_if_undefined(n_pos: float, n_neg: float) -> None:
    """Warn as scikit-learn's ``roc_curve`` does where a class has no rows or no weight."""
    if n_neg == 0:
        warn_undefined("No negative samples in y_true, false positive value should be meaningless")
    if n_pos == 0:
        warn_undefined("No positive samples in y_true, true positive value should be meaningless")


def growth(counts: Array, bound: int | Fraction) -> Array:
    """Return the growth of the counts; as Python integers where a sum of products needs them.

    ``bound`` is what the sum of the products can reach.
    """
    if counts.dtype.kind in "iu" and bound >= 2**63:
        counts = counts.astype(object)
    return np.diff(counts, prepend=counts[:1] * 0)


def twice_area(fps: Array, tps: Array) -> Fraction:
    """Return twice the area under the polyline through (0, 0) and the counts."""
    if fps.dtype.kind == "f":
        high, low = _curves.twice_area(fps, tps)
        return Fraction(high) + Fraction(low)
    if len(fps) == 0:
        return Fraction(0)
    bound = 2 * int(fps[-1]) * int(tps[-1])
    steps = growth(tps, bound)
    heights = 2 * tps.astype(steps.dtype, copy=False) - steps
    return exact(np.dot(growth(fps, bound), heights))


def scaled(counts: Array) -> Array:
    """Return sums of weights times the power of two that brings the greatest near 2^400.

    No digit changes and every ratio stays, but no product of two sums can overflow.
    """
    if counts.dtype.kind != "f":
        return counts
    _, exponent = math.frexp(counts[-1])
    return np.ldexp(counts, 400 - exponent)


def area(fps: Array, tps: Array) -> Fraction:
    """Return the area under the ROC curve of counts of both classes."""
    fps, tps = scaled(fps), scaled(tps)
    whole = 2 * exact(tps[-1]) * exact(fps[-1])
    return min(twice_area(fps, tps) / whole, Fraction(1))
