"""Confidence intervals for proportions, and for the ratio of two proportions.

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
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from fastauc._validation.arrays import Array

# Beyond the ratios possible in any sample; and the number of bisections to full precision.
_GREATEST_QUOTIENT, _HALVINGS = 2.0**90, 60
# What a secant leaves of an error is the product of its step and the last one, but for a factor.
_MOST_SECANTS, _SMALL_SCORE, _SMALL_PRODUCT = 12, 1e-6, 1e-20
# A step of the fourth order is the last one if the logarithm of the probability is this near.
_MOST_STEPS, _SMALL_ERROR = 100, 1e-4
# Counts whose intervals are computed at once, so that they stay in cache.
_AT_ONCE = 8192
# From here on, four terms of Stirling's series are exact to double precision.
_FEW = 20
_STIRLING_RESTS = np.array(
    [0.0]
    + [
        math.lgamma(v) - (v - 0.5) * math.log(v) + v - math.log(2 * math.pi) / 2
        for v in range(1, _FEW)
    ]
)
# Of a quadrature on (0, 1): as many as a decaying tail requires.
_N_NODES = 40
# exp(-x) beyond this x is negligible.
_REACH = 36
_SMALLEST_NORMAL = 2.0**-1022

# The two bounds of one interval, or of many.
Ends = tuple[Any, Any]


class ConfidenceInterval(NamedTuple):
    """The two bounds of a confidence interval.

    Attributes
    ----------
    low, high : float
        NaN if the interval is undefined for the sample.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_ci
    >>> low, high = roc_auc_ci([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).confidence_interval
    >>> low < 0.75 < high
    True
    """

    low: float
    high: float


ConfidenceInterval.__module__ = "fastauc.inference"


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


def wilson_bounds(share: Any, inverse_size: Any, z: float) -> tuple[Any, Any]:
    """Return Wilson's interval [1]_: the proportions p with (share - p)^2 <= z^2 p (1 - p) / size.

    They are the roots of a quadratic, computed without cancellation. Accepts numbers or arrays.
    """
    added = z * z * inverse_size
    root = np.sqrt(added * (added + 4 * share * (1 - share)))

    def below(part: Any) -> Any:
        # The smallest normal double prevents 0 / 0 at z = 0.
        return np.minimum(2 * part**2 / (2 * part + added + root + _SMALLEST_NORMAL), part)

    low, high = below(share), 1 - below(1 - share)
    return (low, high) if z >= 0 else (high, low)


def share_ends(part: Array, whole: Array, method: str, level: float) -> Ends:
    """Return the bounds of the intervals for proportions; NaN for 0 / 0."""
    if method == "wilson":
        z = normal_quantile((1 + level) / 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high = wilson_bounds(part / whole, 1 / whole, z)
    else:
        least = partial(_least_shares, tail=(1 - level) / 2)
        low = _of_some(least, part > 0, part, whole)
        # An upper bound for a proportion is 1 minus the lower bound for its complement.
        high = 1 - _of_some(least, part < whole, whole - part, whole)
    # Rounding errors must not exclude 0 and 1.
    low, high = np.where(part == 0, 0.0, low), np.where(part == whole, 1.0, high)
    return np.where(whole > 0, low, math.nan), np.where(whole > 0, high, math.nan)


def quotient_ends(first: tuple[Array, Array], second: tuple[Array, Array], level: float) -> Ends:
    """Return Koopman's intervals for the ratio of two proportions, each given as part and whole.

    They are one-sided if one of the parts is 0, and NaN if both parts, or a whole, are.
    """
    (x1, n1), (x2, n2) = first, second
    least = partial(_least_quotients, z=normal_quantile((1 + level) / 2))
    is_defined = ((x1 > 0) | (x2 > 0)) & (n1 > 0) & (n2 > 0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        low = _of_some(least, is_defined & (x1 > 0), x1, n1, x2, n2)
        high = 1 / _of_some(least, is_defined & (x2 > 0), x2, n2, x1, n1)
    return np.where(is_defined, low, math.nan), np.where(is_defined, high, math.nan)


def _of_some(function: Callable[..., Array], chosen: Array, *columns: Array) -> Array:
    """Return the values of a function at the chosen positions, in blocks, and 0 elsewhere."""
    found = np.zeros(chosen.shape)
    places = np.flatnonzero(chosen)
    for start in range(0, len(places), _AT_ONCE):
        block = places[start : start + _AT_ONCE]
        found.reshape(-1)[block] = function(*(column.reshape(-1)[block] for column in columns))
    return found


def _least_quotients(x1: Array, n1: Array, x2: Array, n2: Array, z: float) -> Array:
    """Return the ratios for which the first share is z errors too high; it is not 0.

    By the secant method on the score as a function of the log ratio; by bisection where the score
    is not well behaved, as near 1 if both shares are 1.
    """
    spread = np.sqrt(1 / (x1 + 0.5) - 1 / (n1 + 1) + 1 / (x2 + 0.5) - 1 / (n2 + 1))
    t = np.log((x1 + 0.5) / (n1 + 0.5) * (n2 + 0.5) / (x2 + 0.5)) - z * spread
    found, left = np.exp(t), np.arange(len(t))
    value, slope = _score(x1, n1, x2, n2, found) - z, -1 / spread
    last_step = np.full_like(t, np.inf)
    for _ in range(_MOST_SECANTS):
        step = -value / slope
        t = t + step
        is_there = (np.abs(value) < _SMALL_SCORE) & (np.abs(step * last_step) < _SMALL_PRODUCT)
        found[left] = np.exp(t)
        away = np.flatnonzero(~is_there)
        left, t, last, last_step = left[away], t[away], value[away], step[away]
        if not len(left):
            return found
        value = _score(x1[left], n1[left], x2[left], n2[left], np.exp(t)) - z
        slope = (value - last) / last_step
    high = np.full(len(left), _GREATEST_QUOTIENT)
    low = 1 / high
    for _ in range(_HALVINGS):
        found[left] = middle = np.sqrt(low * high)
        is_beyond = _score(x1[left], n1[left], x2[left], n2[left], middle) > z
        low, high = np.where(is_beyond, middle, low), np.where(is_beyond, high, middle)
    return found


def _score(x1: Array, n1: Array, x2: Array, n2: Array, quotient: Array) -> Array:
    """Return how many standard errors the first share is above a multiple of the second.

    The errors are those of the maximum likelihood estimates of p1 and p2 under the hypothesized
    ratio.
    """
    u, v = quotient * (n1 + x2), x1 + n2
    # The root of a quadratic equation, computed without cancellation.
    root = np.sqrt((u - v) ** 2 + 4 * quotient * (n1 - x1) * (n2 - x2))
    p2 = 2 * (x1 + x2) / (u + v + root)
    p1 = quotient * p2
    variance = p1 * (1 - p1) / n1 + quotient**2 * p2 * (1 - p2) / n2
    score: Array = (x1 / n1 - quotient * x2 / n2) / np.sqrt(variance)
    return score


def _least_shares(part: Array, whole: Array, tail: float) -> Array:
    """Return the probabilities for which a part at least this large has probability ``tail``."""
    a, b = part, whole - part + 1
    shares: Array = 1 / (1 + b / a * np.exp(-_beta_log_odds(a, b, tail)))
    return shares


def _beta_log_odds(a: Array, b: Array, tail: float) -> Array:
    """Return the log odds, relative to a : b, below which a beta distribution has this tail.

    Its logarithm is concave in them, so Newton's method converges to the solution from below; near
    it, steps are corrected by the next two derivatives of the inverse.
    """
    # Starting value, Carter's approximation: Abramowitz and Stegun, 26.5.22.
    z = -normal_quantile(tail)
    of_a, of_b, curvature = 1 / (2 * a - 1), 1 / (2 * b - 1), (z * z - 3) / 6
    h = 2 / (of_a + of_b)
    found = 2 * (of_b - of_a) * (curvature + 5 / 6 - 2 / (3 * h))
    found -= 2 * z * np.sqrt(h + curvature) / h
    place = np.arange(len(a))
    for _ in range(_MOST_STEPS):
        r = found[place]
        log_tail, quotient, rise, bend = _log_tail(a, b, r)
        missing = math.log(tail) - log_tail
        u, w = quotient * rise, quotient**2 * bend
        further = missing / 2 * ((1 - u) + missing / 3 * ((1 - u) * (1 - 2 * u) + w))
        is_near = np.abs(missing) < 0.5
        found[place] = r + quotient * missing * (1 + np.where(is_near, further, 0.0))
        left = np.abs(missing) > _SMALL_ERROR
        if not left.any():
            break
        a, b, place = a[left], b[left], place[left]
    return found


def coin_tail(part: int, whole: int) -> float:
    """Return the probability of at least this many heads; assumes more than half of the coins."""
    if part > whole:
        return 0.0
    a, b = np.array([float(part)]), np.array([whole - part + 1.0])
    log_tail, *_ = _log_tail(a, b, np.log(b / a))
    return math.exp(log_tail[0])


def _log_tail(a: Array, b: Array, r: Array) -> tuple[Array, Array, Array, Array]:
    """Return the logarithm of the incomplete beta function for integers, and three more values.

    At log odds that are ``r`` above those of a : b. The others are the ratio of the function to its
    derivative by log odds, and the first and minus the second derivative of the logarithm of that
    derivative.
    """
    n = a + b
    x = 1 / (1 + b / a * np.exp(-r))
    rise, bend = a - n * x, n * x * (1 - x)

    def fallen(u: Array) -> Any:
        return a * u + n * np.log1p(x * np.expm1(-u))

    # The integral of the density, relative to its end, down to where it becomes negligible: as far
    # as for a normal density and, by one Newton step, beyond it.
    length = 2 * _REACH / (np.sqrt(rise * rise + 2 * _REACH * bend) + rise)
    slope = a - n / (1 + (1 - x) / x * np.exp(length))
    length += np.maximum(_REACH - fallen(length), 0) / slope
    quotient = np.zeros_like(r)
    for node, weight in _quadrature():
        quotient += weight * np.exp(-fallen(node * length))
    quotient *= length
    # The density after Loader: its maximum, and how much lower it is here.
    p, away = np.minimum(a, b), np.where(a <= b, r, -r)
    deviance = n * np.log1p(p / n * np.expm1(away)) - p * away
    highest = stirling_rest(n) - stirling_rest(a) - stirling_rest(b)
    highest += np.log(a * b / n / (2 * math.pi)) / 2
    log_tail: Array = highest - deviance + np.log(quotient)
    return log_tail, quotient, rise, bend


@cache
def _quadrature() -> list[tuple[float, float]]:
    """Return the nodes on (0, 1) and the weights of Gauss and Legendre."""
    from numpy.polynomial.legendre import leggauss

    nodes, weights = leggauss(_N_NODES)
    return list(zip(((nodes + 1) / 2).tolist(), (weights / 2).tolist(), strict=True))


def stirling_rest(v: Array) -> Array:
    """Return the remainder of Stirling's formula for the logarithm of the gamma function.

    For whole numbers, it is also that of the logarithm of v! less v ln v - v + ln(2 pi v) / 2.
    """
    w = 1 / (v * v)
    rest = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w / 1680))) / v
    return np.where(v < _FEW, _STIRLING_RESTS[np.minimum(v, _FEW - 1).astype(np.intp)], rest)
