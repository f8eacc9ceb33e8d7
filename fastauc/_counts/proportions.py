"""Intervals of shares of rows, and of the quotient of two shares.

References
----------
.. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference", J. Am.
   Stat. Assoc. 22 (1927) 209-212.
.. [2] C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
   case of the binomial", Biometrika 26 (1934) 404-413.
.. [3] P. A. R. Koopman, "Confidence intervals for the ratio of two binomial proportions",
   Biometrics 40 (1984) 513-517.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from fastauc._validation.arrays import Array

# As statsmodels calls them; "beta" is Clopper and Pearson's.
METHODS = ("wilson", "beta")
# Beyond quotients of shares of any sample; and halvings of their logarithms to the last bit.
_GREATEST_QUOTIENT, _HALVINGS = 2.0**90, 60
# Newton's steps square the error, but for rounding; a start far away takes some ten of them.
_SMALL_STEP, _MOST_STEPS = 1e-9, 100
# Pairs of counts whose intervals are found at a time.
_AT_ONCE = 8192
# From here on four terms of Stirling's series are all there are in a double.
_FEW = 20
_TINY = 1e-300
_SMALLEST_NORMAL = 2.0**-1022

# Two ends: of one interval, or of many.
Ends = tuple[Any, Any]


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval.

    Attributes
    ----------
    low, high : float
        NaN where the sample does not allow an interval.

    Examples
    --------
    >>> from fastauc import roc_auc_ci
    >>> low, high = roc_auc_ci([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).confidence_interval
    >>> low < 0.75 < high
    True
    """

    low: float
    high: float


ConfidenceInterval.__module__ = "fastauc"


def wilson_bounds(share: Any, inverse_size: Any, z: float) -> tuple[Any, Any]:
    """Return the interval of Wilson [1]_: the shares p with (share - p)^2 <= z^2 p (1 - p) / size.

    They are the roots of a quadratic, found without a difference that cancels. Of numbers, or
    arrays.
    """
    added = z * z * inverse_size
    root = np.sqrt(added * (added + 4 * share * (1 - share)))

    def below(part: Any) -> Any:
        # The smallest normal double keeps 0 / 0 at z = 0 away.
        return np.minimum(2 * part**2 / (2 * part + added + root + _SMALLEST_NORMAL), part)

    low, high = below(share), 1 - below(1 - share)
    return (low, high) if z >= 0 else (high, low)


def share_ends(part: Array, whole: Array, method: str, level: float) -> Ends:
    """Return the ends of the intervals of shares; NaN for a share of nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if method == "wilson":
            z = NormalDist().inv_cdf((1 + level) / 2)
            low, high = wilson_bounds(part / whole, 1 / whole, z)
        else:
            tail = (1 - level) / 2
            low = _expit(_each_once(_least_log_odds, part, whole, tail))
            # What is at most the share of the part is at least that of the rest.
            high = _expit(-_each_once(_least_log_odds, whole - part, whole, tail))
    # What rounding leaves is no reason to exclude 0 and 1.
    low = np.where((part == 0) & (whole > 0), 0.0, low)
    return low, np.where((part == whole) & (whole > 0), 1.0, high)


def quotient_ends(first: tuple[Array, Array], second: tuple[Array, Array], level: float) -> Ends:
    """Return Koopman's intervals of the quotient of two shares, each a part and a whole.

    They have one end where one of the parts is 0, and are NaN where both are, or a whole.
    """
    (x1, n1), (x2, n2) = first, second
    z = NormalDist().inv_cdf((1 + level) / 2)
    ends = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for target in (z, -z):
            high = np.full(np.broadcast(x1, x2).shape, _GREATEST_QUOTIENT)
            low = 1 / high
            for _ in range(_HALVINGS):
                middle = np.sqrt(low * high)
                is_beyond = _score(first, second, middle) > target
                low, high = np.where(is_beyond, middle, low), np.where(is_beyond, high, middle)
            ends.append(middle)
    undefined = ((x1 == 0) & (x2 == 0)) | (n1 == 0) | (n2 == 0)
    low = np.where(undefined, math.nan, np.where(x1 == 0, 0.0, ends[0]))
    return low, np.where(undefined, math.nan, np.where(x2 == 0, math.inf, ends[1]))


def _score(first: tuple[Array, Array], second: tuple[Array, Array], quotient: Array) -> Array:
    """Return how many errors the first share is above a multiple of the second.

    The errors are those of the likeliest shares p1 and p2 whose quotient is the one supposed.
    """
    (x1, n1), (x2, n2) = first, second
    u, v = quotient * (n1 + x2), x1 + n2
    # The root of a quadratic equation, without the difference of numbers that are nearly equal.
    root = np.sqrt((u - v) ** 2 + 4 * quotient * (n1 - x1) * (n2 - x2))
    p2 = 2 * (x1 + x2) / (u + v + root)
    p1 = quotient * p2
    variance = p1 * (1 - p1) / n1 + quotient**2 * p2 * (1 - p2) / n2
    score: Array = (x1 / n1 - quotient * x2 / n2) / np.sqrt(variance)
    return score


def _expit(log_odds: Array) -> Array:
    return 1 / (1 + np.exp(-log_odds))


def _each_once(
    function: Callable[[Array, Array, float], Array], part: Array, whole: Array, tail: float
) -> Array:
    """Return what a function makes of parts and wholes, of each pair of numbers once.

    Some thousand at a time: they stay in cache, and similar ones need as many steps as each other.
    """
    # Counts are exact in doubles, and a complex number is two of them.
    pairs, places = np.unique(part + 1j * whole, return_inverse=True)
    found = np.empty(len(pairs))
    for start in range(0, len(pairs), _AT_ONCE):
        block = slice(start, start + _AT_ONCE)
        found[block] = function(pairs[block].real.copy(), pairs[block].imag.copy(), tail)
    each: Array = found[places].reshape(part.shape)
    return each


def _least_log_odds(part: Array, whole: Array, tail: float) -> Array:
    """Return the log odds at which as great a part, or a greater one, has the probability ``tail``.

    The probability is a regularized incomplete beta function, of log odds t here. Its logarithm is
    concave, so that Newton's method comes from below to the one solution.
    """
    is_possible = part > 0
    a, b = np.where(is_possible, part, 1.0), np.where(is_possible, whole - part + 1.0, 1.0)
    near, _ = wilson_bounds(a / (a + b), 1 / (a + b), NormalDist().inv_cdf(1 - tail))
    t, log_beta = np.log(near / (1 - near)), _log_beta(a, b)
    for _ in range(_MOST_STEPS):
        log_tail, inverse_slope = _log_tail(a, b, log_beta, t)
        step = (log_tail - math.log(tail)) * inverse_slope
        t = t - step
        if np.all(np.abs(step) < _SMALL_STEP):
            break
    return np.where(is_possible, t, math.nan)


def coin_tail(part: int, whole: int) -> float:
    """Return the probability of as many heads of coins, or more; of more than half of them."""
    if part > whole:
        return 0.0
    a, b = np.array(float(part)), np.array(whole - part + 1.0)
    log_tail, _ = _log_tail(a, b, _log_beta(a, b), np.array(0.0))
    return math.exp(log_tail)


def _log_tail(a: Array, b: Array, log_beta: Array, t: Array) -> tuple[Array, Array]:
    """Return the logarithm of the incomplete beta function at log odds t, and dt by its change."""
    log_x, log_y = -np.logaddexp(0, -t), -np.logaddexp(0, t)
    quotient = _limit(a, b, np.exp(log_x)) / a
    return a * log_x + b * log_y - log_beta + np.log(quotient), quotient


def _log_beta(a: Array, b: Array) -> Array:
    """Return the logarithms of the beta function.

    For a great and a small number its gammas are nearly equal: their quotient is Stirling's.
    """
    p, q = np.minimum(a, b), np.maximum(a, b)
    rest = _stirling_rest(q) - _stirling_rest(p + q)
    quotient = rest + p - p * np.log(p + q) + (q - 0.5) * np.log1p(-p / (p + q))
    exact = _log_gamma(q) - _log_gamma(p + q)
    log_beta: Array = _log_gamma(p) + np.where(q < _FEW, exact, quotient)
    return log_beta


def _stirling_rest(v: Array) -> Array:
    w = 1 / (v * v)
    rest: Array = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w / 1680))) / v
    return rest


def _log_gamma(values: Array) -> Array:
    logs: Array = np.array([math.lgamma(value) for value in values.flat])
    return logs.reshape(values.shape)


def _limit(a: Array, b: Array, x: Array) -> Array:
    """Return the continued fraction of arrays, to a few units in the last place.

    Rounding moves what has come to its limit again, while others are still on their way.
    """
    has_arrived = np.zeros(x.shape, bool)
    steps = convergents(a, b, x)
    while not has_arrived.all():
        value, change = next(steps)
        has_arrived |= np.abs(change) < 1e-15
    limit: Array = value
    return limit


def convergents(a: Any, b: Any, x: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what the continued fraction of the incomplete beta function comes to, and its change.

    That of the NIST Digital Library of Mathematical Functions, 8.17.22, evaluated by the method of
    Lentz, for numbers or arrays; the change is relative.
    """
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    m = 0
    while True:
        m += 1
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + numerator * d)
            c = _away_from_zero(1 + numerator / c)
            value = value * (d * c)
        yield value, d * c - 1


def _away_from_zero(value: Any) -> Any:
    return value + (abs(value) <= _TINY) * _TINY
