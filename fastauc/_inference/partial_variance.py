"""The variance of the area of a part of the ROC curve, from the placements of the rows.

The area is that under the true positive rate y between the false positive rates x = a and b. Were a
row a little heavier, it would change by what its *placement* differs from the mean: for a positive,
minus x at its score, for a negative y at its score, neither outside the part of the curve:

    positive i: clip(x_i, a, b)    negative j: clip(y_j, y(a), y(b))

(differentiate b y(b) - a y(a) - the integral of x dy; the ends cancel out). Rows of a tie are
spread evenly along their segment of the curve, and what counts is the mean over it. Where the curve
rises steeply at an end of the part, the area has a bend, and the middle of the rise is taken. The
variance is that of the placements of each class over its size; for a = 0, b = 1 it is DeLong's.
"""

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.areas import exact, turn_around
from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.points import tpr_amid
from fastauc._validation.arrays import Array
from fastauc._validation.rates import RateRange
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import ALONE, Workers

# Counts that twice a placement and its square in two halves of 16 bits may have.
_COUNTS_OF_32_BITS = 2**31


def partial_area_variance(
    sample: BinarySample, part: RateRange, workers: Workers = ALONE
) -> Fraction:
    """Return the estimated variance of the area; assumes two rows or more of each class.

    The exact fraction if unweighted. Weights are those of weighted means: the sum of the squares of
    weight times deviation, over the square of the weight of the class, and m / (m - 1) of it for m
    rows.
    """
    counts = _counts_of(sample, part, workers)
    lower, upper = part.strip
    fps, tps = counts
    tpr_lower, tpr_upper = (tpr_amid(fps, tps, rate) for rate in (lower, upper))
    if sample.weight is None:
        of_pos = _variance(tps, fps, lower, upper)
        return of_pos + _variance(fps, tps, tpr_lower, tpr_upper)
    # In units of the heaviest row: the squares stay within the range of a double.
    _, exponent = math.frexp(float(sample.weight.max()))
    squares = sample._replace(weight=np.ldexp(sample.weight, -exponent) ** 2)
    squared_fps, squared_tps = _counts_of(squares, part, workers)
    unit = math.ldexp(1.0, -exponent)
    fps, tps = fps * unit, tps * unit
    of_pos = _weighted_variance(tps, squared_tps, fps, float(lower), float(upper))
    of_neg = _weighted_variance(fps, squared_fps, tps, float(tpr_lower), float(tpr_upper))
    n_pos, n_neg = sample.n_pos, sample.n_neg
    if part.rate == "tpr":
        n_pos, n_neg = n_neg, n_pos
    return of_pos * Fraction(n_pos, n_pos - 1) + of_neg * Fraction(n_neg, n_neg - 1)


def _counts_of(sample: BinarySample, part: RateRange, workers: Workers) -> tuple[Array, Array]:
    fps, tps = count_sample(sample, workers)[:2]
    return turn_around(fps, tps) if part.rate == "tpr" else (fps, tps)


def _variance(own: Array, other: Array, lower: Fraction, upper: Fraction) -> Fraction:
    """Return the variance of the mean placement of one class, among the counts of the other."""
    size, whole = exact(own[-1]), exact(other[-1])
    low, high = lower * whole, upper * whole
    if max(size, whole) >= _COUNTS_OF_32_BITS:
        own, other = own.astype(object), other.astype(object)
    sizes = np.diff(own, prepend=own[:1] * 0)
    starts = np.concatenate((other[:1] * 0, other[:-1]))
    # Groups before ``first`` end at ``low`` or before, and groups from ``last`` on start at
    # ``high`` or after. In between, all but two at the most are inside.
    first = bisect_right(other, low, key=exact)
    last = max(bisect_left(starts, high, key=exact), first)
    total, squares = Fraction(0), Fraction(0)
    for place, end in (low, slice(0, first)), (high, slice(last, None)):
        rows = exact(sizes[end].sum())
        total += rows * place
        squares += rows * place**2
    inside = slice(first, last)
    for row in {first, last - 1} if first < last else set():
        start, stop = exact(starts[row]), exact(other[row])
        if start < low or stop > high:
            place = _mean_clipped(start, stop, low, high)
            total += exact(sizes[row]) * place
            squares += exact(sizes[row]) * place**2
            inside = slice(first + 1, inside.stop) if row == first else slice(inside.start, row)
    twice, square = _moments(sizes[inside], starts[inside] + other[inside])
    total += Fraction(twice, 2)
    squares += Fraction(square, 4)
    return (squares - total**2 / size) / (size * (size - 1)) / whole**2


def _mean_clipped(start: Fraction, stop: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Return the mean of what lies evenly between two places, moved to the nearer of two limits."""
    first, last = max(start, low), min(stop, high)
    area = low * (first - start) + (last**2 - first**2) / 2 + high * (stop - last)
    return area / (stop - start)


def _moments(sizes: Array, places: Array) -> tuple[int, int]:
    """Return the sums of size * place and of size * place^2, from integers below 2^31 and 2^32."""
    upper, lower = places >> 16, places & 0xFFFF
    high, middle, low = (
        int(np.dot(sizes, product)) for product in (upper * upper, upper * lower, lower * lower)
    )
    return int(np.dot(sizes, places)), (high << 32) + (middle << 17) + low


def _weighted_variance(
    own: NDArray[np.float64],
    squares: NDArray[np.float64],
    other: NDArray[np.float64],
    lower: float,
    upper: float,
) -> Fraction:
    """Do the same with sums of weights; ``squares`` are those of the squared weights of the class.

    Every sum is rounded but once, whatever the order: the bits depend on no vector instructions.
    Placements are measured from the end of the part that their mean is nearer to: of a short part
    most are at one end, and what the others differ by may be a small fraction of its length.
    """
    rates = other / other[-1]
    starts = np.concatenate(([0.0], rates[:-1]))
    first, last = np.clip(starts, lower, upper), np.clip(rates, lower, upper)
    # A row without a width is all inside, wherever it lies: its place has been moved to the limits.
    widths = np.where(rates > starts, rates - starts, np.inf)
    inside = np.where(rates > starts, (last - first) / widths, 1)
    with np.errstate(over="ignore"):
        before = np.clip((first - starts) / widths, 0, 1)
        after = np.clip((rates - last) / widths, 0, 1)
    length = upper - lower
    from_lower = inside * ((first - lower) + (last - lower)) / 2 + after * length
    from_upper = inside * ((upper - first) + (upper - last)) / 2 + before * length
    sizes = np.diff(own, prepend=0.0)
    mean, places = min(
        (
            (math.fsum(sizes * distances) / own[-1], distances)
            for distances in (from_lower, from_upper)
        ),
        key=itemgetter(0),
    )
    deviations = np.diff(squares, prepend=0.0) * (places - mean) ** 2
    return Fraction(math.fsum(deviations)) / exact(own[-1]) ** 2
