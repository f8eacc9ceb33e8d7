"""The Kolmogorov-Smirnov statistic between the two classes, its threshold, and its p-values.

The exact p-value counts the assignments of the labels to the rows, given which scores are tied. The
asymptotic one is that of a single sample with n_pos n_neg / (n_pos + n_neg) rows, rounded: by a
matrix power where it is cheap, by a series for the middle of large samples, and as twice the
one-sided probability in the tail. Sources: those of ``ks_statistic``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.proportions import stirling_rest
from fastauc._counts.threshold_counts import (
    ThresholdCounts,
    as_count,
    nearest_doubles,
    point_at,
)
from fastauc._tables import result
from fastauc._validation.arrays import Array, as_python
from fastauc._validation.errors import warn_if_undefined


@result("fastauc.metrics")
class KsStatistic(NamedTuple):
    """The maximum distance between the true and the false positive rate, and its threshold.

    Attributes
    ----------
    statistic : float
        The maximum ``|tpr - fpr|``.
    threshold : float
        The threshold at which it is attained; the highest if there are several.
    share : float
        The share of the rows at or above the threshold.
    tpr, fpr : float
        The rates at the threshold.
    pvalue : float
        The probability of a statistic at least this large if both classes have the same
        distribution: the share of the assignments of the labels to the rows that have one. NaN for
        sums of weights, which are not numbers of rows.

    Examples
    --------
    >>> from fastauc.metrics import ks_statistic
    >>> ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    KsStatistic(statistic=0.5, threshold=0.8, share=0.25, tpr=0.5, fpr=0.0, pvalue=1.0)
    """

    statistic: float
    threshold: float
    share: float
    tpr: float
    fpr: float
    pvalue: float


def gaps(fps: Array, tps: Array, n_neg: int, n_pos: int) -> Array:
    """Return ``|tpr - fpr|`` times both totals, from counts of rows."""
    found: Array = np.abs(tps * n_neg - fps * n_pos)
    return found


def corners(fps: Array, tps: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return the counts inside each step before the rows of a class: the negatives, the positives.

    Whatever the order of the rows in the step, the distance there is greatest at one of the two.
    """
    above = (np.concatenate([each[:1] * 0, each[:-1]]) for each in (fps, tps))
    above_fps, above_tps = above
    return (above_fps, tps), (fps, above_tps)


def _greatest(fps: Array, tps: Array, n_neg: Fraction, n_pos: Fraction) -> tuple[int, Fraction]:
    """Return the first point at which ``|tpr - fpr|`` is maximal, and the maximum.

    For sums of weights, doubles narrow down the points: each rate has three rounding errors.
    """
    if fps.dtype.kind == "i" and n_pos * n_neg < 2**63:
        found = gaps(fps, tps, int(n_neg), int(n_pos))
        point = int(np.argmax(found))
        return point, as_python(found[point]) / (n_neg * n_pos)
    distances = nearest_doubles(tps) / float(n_pos)
    distances -= nearest_doubles(fps) / float(n_neg)
    np.abs(distances, out=distances)
    candidates = np.flatnonzero(distances >= distances.max() - 2.0**-49)
    exact = [abs(as_count(tps[k]) / n_pos - as_count(fps[k]) / n_neg) for k in candidates]
    best = max(exact)
    return int(candidates[exact.index(best)]), best


def ks_distance(fps: Array, tps: Array) -> float:
    """Return the maximum ``|tpr - fpr|``, correctly rounded from the counts."""
    if warn_if_undefined(tps[-1], fps[-1]):
        return math.nan
    return float(_greatest(fps, tps, *point_at(fps, tps, len(fps) - 1))[1])


def bounded_distance(counts: ThresholdCounts) -> tuple[Fraction, Fraction]:
    """Return the lowest and the highest maximum that any order within mixed steps gives."""
    fps, tps, totals = counts.fps, counts.tps, counts.totals
    least = most = _greatest(fps, tps, *totals)[1]
    if counts.is_mixed is not None:
        for inside in corners(fps, tps):
            mixed_fps, mixed_tps = (each[counts.is_mixed] for each in inside)
            most = max(most, _greatest(mixed_fps, mixed_tps, *totals)[1])
    return least, most


def find_statistic(counts: ThresholdCounts, method: str) -> KsStatistic:
    """Return the statistic, its threshold and p-value; NaN, with a warning, for one class."""
    fps, tps = counts.fps, counts.tps
    if warn_if_undefined(tps[-1], fps[-1]):
        return KsStatistic(*[math.nan] * 6)
    tie, distance = _greatest(fps, tps, *counts.totals)
    pvalue = math.nan
    if not counts.is_weighted:
        pvalue = pvalue_of(distance, fps, tps, method)
    threshold, share = as_python(counts.lows[tie]), float(counts.rows_to(tie) / counts.total)
    tpr, fpr = (column.item(tie) / column.item(-1) for column in (tps, fps))
    return KsStatistic(float(distance), threshold, share, tpr, fpr, pvalue)


# Maximum size of the larger class for which "auto" means "exact", as in SciPy.
_MOST_ROWS_OF_EXACT = 10_000


def counts_ties(n_pos: int, n_neg: int, method: str) -> bool:
    """Tell whether the p-value of a method depends on which rows are tied."""
    return method == "exact" or (method == "auto" and max(n_pos, n_neg) <= _MOST_ROWS_OF_EXACT)


def pvalue_of(distance: Fraction, fps: Array, tps: Array, method: str) -> float:
    """Return the p-value of a distance, from the counts at the end of each tie.

    Some ties may be left out if the method does not count ties.
    """
    n_pos, n_neg = int(tps[-1]), int(fps[-1])
    gap = int(distance * n_pos * n_neg)
    if counts_ties(n_pos, n_neg, method):
        return two_sample_sf(gap, n_pos, n_neg, fps + tps)
    if method == "continuous":
        return two_sample_sf(gap, n_pos, n_neg, np.arange(1, n_pos + n_neg + 1))
    rows = n_pos * n_neg / (n_pos + n_neg)
    return one_sample_sf(max(1, round(rows)), float(distance))


# Two samples ------------------------------------------------------------------------------------


def two_sample_sf(gap: int, n_pos: int, n_neg: int, ends: Array) -> float:
    """Return the probability of a distance of at least gap / (n_pos n_neg), over all orderings.

    The distance of an ordering is the greatest one after ``ends`` rows, where a tie ends.

    A path goes from (0, 0) to (m, n) with one step per row. p(i, j) is the share of the paths to
    (i, j) that have reached the distance; it is 1 if (i, j) itself has, at the end of a tie. The
    last step of a random path is along the first class with probability i / (i + j): p(i, j) = (i
    p(i - 1, j) + j p(i, j - 1)) / (i + j), a mean of positive numbers, which preserves the relative
    accuracy of small ones. The points with i + j = s are computed from those with s - 1; those
    below the distance, and all within a tie, are a range of i. O(m) memory.
    """
    m, n = sorted((n_pos, n_neg))
    if gap == 0:
        return 1.0
    is_end = np.zeros(m + n + 1, np.bool_)
    is_end[ends] = True
    number = np.arange(m + 1, dtype=np.float64)
    share = np.ones(m + 2)  # share[i + 1] is p(i, s - i); share[0] is only multiplied by 0
    share[1] = 0.0
    before, until = 0, 1  # the range of i that is computed, one row earlier
    for s in range(1, m + n + 1):
        first, stop = max(0, s - n), min(s + 1, m + 1)
        if is_end[s]:
            # |i n - j m| < gap, for i n - j m = i (m + n) - s m.
            first = max((s * m - gap) // (m + n) + 1, first)
            stop = min(-((-s * m - gap) // (m + n)), stop)
        near = slice(first, stop)
        own = number[near]
        here = slice(first + 1, stop + 1)
        share[here] = (own * share[near] + (s - own) * share[here]) / s
        # No longer near: what was computed, and lies outside the range.
        share[before + 1 : first + 1] = 1.0
        share[stop + 1 : until + 1] = 1.0
        before, until = first, stop
    return float(share[m + 1])


# One sample -------------------------------------------------------------------------------------


def one_sample_sf(n: int, distance: float) -> float:
    """Return the two-sided probability of a distance of n rows at least this large."""
    if n * distance <= 0.5:
        return 1.0
    squared = n * distance * distance
    if distance >= 1 or squared >= 373:
        return 0.0  # below 2 exp(-2 n d^2), by Massart's inequality: less than 2^-1075
    if distance >= 0.5 or squared >= (4.0 if n <= 140 else 2.2):
        return min(1.0, 2 * _one_sided_sf(n, distance))
    if n <= 140 or (n <= 100_000 and n * distance**1.5 <= 1.4):
        return 1 - _matrix_cdf(n, distance)
    return min(1.0, max(0.0, 1 - _series_cdf(n, distance)))


def _one_sided_sf(n: int, distance: float) -> float:
    """Return the probability of a one-sided distance of n rows at least this large (Smirnov, 1944).

    d sum over j of C(n, j) (d + j/n)^(j-1) (1 - d - j/n)^(n-j), with the term for j = 0 separate,
    in logarithms: for x = j / n, C(n, j) x^j (1 - x)^(n-j) by Stirling's formula, and a remainder
    that is not large. Above a million rows by its expansion, whose next term is of the order of 1 /
    n.
    """
    if n > 1_000_000:
        return math.exp(-((6 * n * distance + 1) ** 2) / (18 * n))
    j = np.arange(1, n, dtype=np.float64)
    j = j[distance < 1 - j / n]
    x = j / n
    logs = j * np.log1p(distance / x) + (n - j) * np.log1p(-distance / (1 - x))
    logs -= 0.5 * np.log(2 * math.pi * n * x * (1 - x)) + np.log(x + distance)
    logs += stirling_rest(np.array([float(n)])) - stirling_rest(j) - stirling_rest(n - j)
    return float((1 - distance) ** n + distance * np.exp(logs).sum())


def _matrix_cdf(n: int, distance: float) -> float:
    """Return the probability of a smaller distance (Durbin 1973; Marsaglia, Tsang, Wang 2003).

    It is n! / n^n times the middle entry of the n-th power of a matrix, scaled by powers of two.
    """
    k = math.floor(n * distance) + 1
    h = k - n * distance
    size = 2 * k - 1
    rows, columns = np.indices((size, size))
    matrix = np.where(rows - columns + 1 >= 0, 1.0, 0.0)
    powers = h ** np.arange(1, size + 1)
    matrix[:, 0] -= powers
    matrix[-1] -= powers[::-1]
    matrix[-1, 0] += max(2 * h - 1, 0.0) ** size
    inverse_factorials = np.array([math.exp(-math.lgamma(i + 1)) for i in range(size + 1)])
    matrix *= inverse_factorials[np.clip(rows - columns + 1, 0, None)]
    power, exponent = _matrix_power(matrix, n)
    middle = power[k - 1, k - 1]
    if middle <= 0:
        return 0.0
    scale = math.lgamma(n + 1) - n * math.log(n) + exponent * math.log(2)
    return min(1.0, math.exp(math.log(middle) + scale))


def _matrix_power(matrix: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], int]:
    """Return a matrix and an exponent: the n-th power is the matrix times 2 to the exponent."""
    result, exponent = np.eye(len(matrix)), 0
    base, base_exponent = matrix, 0
    while n:
        if n % 2:
            result, exponent = result @ base, exponent + base_exponent
        base, base_exponent = base @ base, 2 * base_exponent
        shift = math.frexp(base.max())[1]
        base, base_exponent = np.ldexp(base, -shift), base_exponent + shift
        shift = math.frexp(result.max())[1]
        result, exponent = np.ldexp(result, -shift), exponent + shift
        n //= 2
    return result, exponent


def _series_cdf(n: int, distance: float) -> float:
    """Return the probability of a smaller distance, to n^(-3/2) (Pelz and Good 1976)."""
    z = math.sqrt(n) * distance
    z2 = z * z
    odd = (math.pi * (np.arange(12) + 0.5)) ** 2
    even = (math.pi * np.arange(1, 12)) ** 2
    # Sums over all integers: each term occurs twice, for k and -k.
    odd_terms, even_terms = (
        np.array([2 * math.exp(-square / (2 * z2)) for square in squares.tolist()])
        for squares in (odd, even)
    )
    first = odd_terms.sum() / z
    second = ((odd - z2) * odd_terms).sum() / (6 * z**4)
    third = (
        (6 * z2**3 + 2 * z2**2 + (2 * z2**2 - 5 * z2) * odd + (1 - 2 * z2) * odd**2) * odd_terms
    ).sum() / (72 * z**7) - (even * even_terms).sum() / (36 * z**3)
    fourth = (
        (
            (5 - 30 * z2) * odd**3
            + (212 * z2**2 - 60 * z2) * odd**2
            + (135 * z2**2 - 96 * z2**3) * odd
            - (30 * z2**3 + 90 * z2**4)
        )
        * odd_terms
    ).sum() / (6480 * z**10) + ((3 * even * z2 - even**2) * even_terms).sum() / (216 * z**6)
    root = math.sqrt(n)
    series = first + (second + (third + fourth / root) / root) / root
    return math.sqrt(math.pi / 2) * float(series)
