"""Areas under the ROC curve and its parts, from the counts at every threshold.

Everything is an exact fraction until the last division: integers are exact, and sums of weights are
added up in double-double first.
"""

import math
from bisect import bisect_right
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import curves as _curves
from fastauc._validation.arrays import Array, plain
from fastauc._validation.rates import RateRange


def exact(value: Any) -> Fraction:
    """Return a count as a fraction: an integer or a double is one exactly."""
    return Fraction(plain(value))


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
    rises = growth(tps, bound)
    heights = 2 * tps.astype(rises.dtype, copy=False) - rises
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


def area_to(fps: Array, tps: Array, limit: Fraction) -> Fraction:
    """Return the area under the ROC curve of both classes from 0 to a false positive rate.

    Between two points the curve is the line between them.
    """
    if limit == 1:
        return area(fps, tps)
    fps, tps = scaled(fps), scaled(tps)
    n_pos, n_neg = exact(tps[-1]), exact(fps[-1])
    stop = bisect_right(fps, limit * n_neg, key=exact)  # < len(fps), as the limit is below 1
    fp, tp = (exact(fps[stop - 1]), exact(tps[stop - 1])) if stop else (Fraction(0), Fraction(0))
    points = fp, tp, exact(fps[stop]), exact(tps[stop])
    return area_past(twice_area(fps[:stop], tps[:stop]), points, (n_neg, n_pos), limit)


def area_past(
    twice: Any, points: tuple[Any, ...], totals: tuple[Any, Any], limit: Fraction
) -> Fraction:
    """Return the area to a false positive rate, of a curve known to the last point before it.

    ``points`` are the exact counts ``fp, tp`` at this point and at the next one, ``totals`` those
    at the last one, and ``twice`` is twice the area to this point.
    """
    fp, tp, next_fp, next_tp = points
    run = limit * totals[0] - fp
    twice += run * (2 * tp + Fraction(next_tp - tp) / Fraction(next_fp - fp) * run)
    return Fraction(twice) / Fraction(2 * totals[0] * totals[1])


def standardize(part: Fraction, lower: Fraction, upper: Fraction) -> Fraction:
    """Return the area between two rates on a scale where chance is 1/2 and perfect is 1.

    McClish (1989) for ``lower`` = 0: (1 + (part - least) / (most - least)) / 2, where ``least`` is
    the area under the diagonal and ``most`` that of the whole strip.
    """
    least, most = (upper**2 - lower**2) / 2, upper - lower
    return (1 + (part - least) / (most - least)) / 2


def partial_area(fps: Array, tps: Array, max_fpr: float) -> float:
    """Return the standardized area up to ``max_fpr``, rounded once."""
    limit = exact(max_fpr)
    return float(standardize(area_to(fps, tps, limit), Fraction(0), limit))


def turn_around(fps: Array, tps: Array) -> tuple[Array, Array]:
    """Return the counts of the same rows with classes and order of the scores turned around.

    This mirrors the curve at the other diagonal: a point (fpr, tpr) moves to (1 - tpr, 1 - fpr),
    and what lies right of the curve, below the top, comes to lie under it.
    """
    turned_fps, turned_tps = np.empty_like(tps), np.empty_like(fps)
    turned_fps[-1], turned_tps[-1] = tps[-1], fps[-1]
    np.subtract(tps[-1], tps[-2::-1], out=turned_fps[:-1])
    np.subtract(fps[-1], fps[-2::-1], out=turned_tps[:-1])
    return turned_fps, turned_tps


def area_of_part(fps: Array, tps: Array, part: RateRange) -> Fraction:
    """Return the area of a part of the curve: under it, or right of it for a range of ``tpr``."""
    if part.rate == "tpr":
        fps, tps = turn_around(fps, tps)
    lower, upper = part.strip
    return area_to(fps, tps, upper) - area_to(fps, tps, lower)


# Curves -----------------------------------------------------------------------------------------


def after(first: float, array: Array) -> NDArray[np.float64]:
    """Return a float64 array of ``first`` and then the others."""
    whole = np.empty(len(array) + 1)
    whole[0] = first
    whole[1:] = array
    return whole


def whole_numbers(counts: Array) -> Array:
    """Return counts as they are, and weights times the power of two that makes them integers."""
    if counts.dtype == object:
        return counts
    digits, exponents = np.frexp(counts)
    shifts = exponents.astype(object) - int(exponents.min(initial=0, where=counts > 0))
    whole: Array = (digits * 2.0**53).astype(np.int64).astype(object) << np.where(
        counts > 0, shifts, 0
    )
    return whole
