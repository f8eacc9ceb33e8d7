"""Tails and quantiles of the normal distribution and of Student's t."""

import itertools
import math
from collections.abc import Callable

# By hand, and not from SciPy: its version 1.11 is off by 2e-9 where these are right, and results
# would depend on the version.

# Degrees of freedom above which a transformation to the normal distribution has 13 digits.
_NEARLY_NORMAL = 1000.0
_TINY = 1e-300


def normal_tail(z: float) -> float:
    """Return the upper tail probability of z."""
    return math.erfc(z / math.sqrt(2)) / 2


def normal_quantile(tail: float) -> float:
    """Return the normal quantile with this upper tail probability, in (0, 1)."""
    return _quantile(normal_tail, tail)


def student_tail(t: float, df: float) -> float:
    """Return the upper tail probability of t for Student's distribution; df may be infinite."""
    if math.isinf(df):
        return normal_tail(t)
    if t < 0:
        return 1 - student_tail(-t, df)
    if math.isinf(t * t):
        return 0.0
    if df >= _NEARLY_NORMAL:
        return normal_tail(_normal_equivalent(t, df))
    return _incomplete_beta(df / 2, t * t / df) / 2


def _normal_equivalent(t: float, df: float) -> float:
    """Return the normal deviate with the same tail as t, after Hill, Comm. ACM 13 (1970) 617."""
    a = df - 0.5
    b = 48 * a * a
    y = a * math.log1p(t * t / df)
    step = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b)
    return math.sqrt(y) * (1 + (step + y + 3) / b)


def student_quantile(tail: float, df: float) -> float:
    """Return the quantile of Student's distribution with this upper tail probability."""
    return _quantile(normal_tail if math.isinf(df) else lambda t: student_tail(t, df), tail)


def _quantile(tail_of: Callable[[float], float], tail: float) -> float:
    """Invert the tail function of a distribution that is symmetric about 0, by bisection."""
    if tail > 0.5:
        return -_quantile(tail_of, 1 - tail)
    low, high = 0.0, 1.0
    while tail_of(high) > tail:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if tail_of(middle) > tail:
            low = middle
        else:
            high = middle


def _incomplete_beta(a: float, ratio: float) -> float:
    """Return the regularized incomplete beta function I_x(a, 1/2) at x = 1 / (1 + ratio).

    Uses its continued fraction, or that of the complement where it converges slowly.
    """
    x, y = 1 / (1 + ratio), ratio / (1 + ratio)
    if y == 0:
        return 1.0
    log_gammas = math.lgamma(a + 0.5) - math.lgamma(a) - math.lgamma(0.5)
    front = math.exp(log_gammas + math.log(y) / 2 - a * math.log1p(ratio))
    if x < (a + 1) / (a + 2.5):
        return front * _continued_fraction(a, 0.5, x) / a
    return 1 - front * _continued_fraction(0.5, a, y) / 0.5


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction 8.17.22 of the NIST DLMF, by Lentz's algorithm."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in itertools.count(1):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + numerator * d)
            c = _away_from_zero(1 + numerator / c)
            value *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value + (abs(value) <= _TINY) * _TINY
