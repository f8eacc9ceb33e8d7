"""Pivots: what an interval and a test of the same method both invert.

A pivot is the distance of an estimate from a hypothesized value, in the standard errors that belong
to it. The test takes the distance from one value; the interval contains the values that are not
too far away. Intervals and tests of an area, of a part of it, of an average over classes, and of
differences of them are made from the same three.

The papers are listed at ``roc_auc_ci`` and ``roc_auc_test``.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from fastauc._counts.proportions import ConfidenceInterval, wilson_bounds
from fastauc.inference._delong import Spread, inverse_size, inverse_size_of_shares
from fastauc.inference._distributions import student_quantile, student_tail

EQUIVALENCE = "equivalence"
# Of a class. With fewer, Student's test of equal areas of 5 + 95 rows with two or three levels
# rejected in 0.4 to 1.9 % of samples at 0.1 %, with fewer than five in 1 to 4.4.
FEW_ROWS = 10


class Pivot(NamedTuple):
    """The distance of an estimate from a hypothesized value, and what is that far away.

    Attributes
    ----------
    method : {"wilson", "t", "score"}
        What the result calls it.
    distance_from : function
        Returns the distance from a hypothesized value, in standard errors.
    bounds : function
        Returns the lowest value that is at most z below, and the highest that is at most z above.
    df : float
        Degrees of freedom of Student's distribution; infinite for the normal one.
    """

    method: str
    distance_from: Callable[[Any], float]
    bounds: Callable[[float], tuple[float, float]]
    df: float = math.inf

    def interval(self, confidence_level: float) -> tuple[float, float]:
        """Return the two-sided interval."""
        return self.bounds(student_quantile((1 - confidence_level) / 2, self.df))

    def judge(
        self,
        alternative: str,
        level: float,
        supposed: Any = 0.0,
        margin: float | None = None,
        ends: tuple[float, float] = (-1.0, 1.0),
    ) -> tuple[float, float, ConfidenceInterval]:
        """Return the statistic and the p-value of a test, and the interval at a level.

        A one-sided interval reaches to one of the ``ends``.
        """
        statistic = self.distance_from(supposed if margin is None else -margin)
        if alternative == EQUIVALENCE:
            statistic = min(statistic, -self.distance_from(margin))
        if alternative == "two-sided":
            pvalue = min(1.0, 2 * student_tail(abs(statistic), self.df))
            return statistic, pvalue, ConfidenceInterval(*self.interval(level))
        pvalue = student_tail(-statistic if alternative == "less" else statistic, self.df)
        low, high = self.bounds(student_quantile(1 - level, self.df))
        if alternative == "less":
            low = ends[0]
        elif alternative != EQUIVALENCE:
            high = ends[1]
        return statistic, pvalue, ConfidenceInterval(low, high)


def wald(value: float, error: float, df: float, ends: tuple[float, float] = (-1.0, 1.0)) -> Pivot:
    """Return the pivot with the same standard error everywhere."""
    return Pivot(
        "t",
        lambda supposed: (value - float(supposed)) / error,
        lambda z: (max(ends[0], value - z * error), min(ends[1], value + z * error)),
        df,
    )


def wilson(value: float, inverse: float, df: float) -> Pivot:
    """Return the pivot of a proportion of 1 / ``inverse`` trials, Wilson's (1927)."""

    def bounds(z: float) -> tuple[float, float]:
        low, high = wilson_bounds(value, inverse, z)
        return float(low), float(high)

    def distance_from(supposed: Any) -> float:
        return _distance(value, float(supposed), float(supposed * (1 - supposed)) * inverse)

    return Pivot("wilson", distance_from, bounds, df)


def of_difference(spread: Spread, unseen: float = 1.0) -> Pivot:
    """Return the pivot of a difference of two proportions with this variance, after Mee (1984).

    Hypothesized are proportions with the same mean, or the nearest possible one.
    """
    value, mean = float(spread.value), spread.mean

    def of_one_row(supposed: float) -> float:
        half = abs(supposed) / 2
        middle = min(max(mean, half), 1 - half)
        return 2 * (middle * (1 - middle) - half**2)

    variance = math.sqrt(spread.variance) ** 2
    inverse = float(inverse_size_of_shares(of_one_row(value), variance, *spread.sizes, unseen))

    def variance_at(supposed: float) -> float:
        return max(0.0, inverse * of_one_row(supposed))

    return Pivot(
        "score",
        lambda supposed: _distance(value, supposed, variance_at(supposed)),
        lambda z: score_bounds(value, (-1.0, 1.0), variance_at, z),
        spread.df,
    )


def default_of_difference(spread: Spread, has_margin: bool) -> Pivot:
    """Return the pivot of the default test of two areas: Student's, or of few rows the score's.

    A few rows of a class may all have the same difference by chance, and seem to have no error.
    """
    if has_margin or spread.error == 0 or spread.least < FEW_ROWS:
        return of_difference(spread)
    return student_of_shares(spread)


def student_of_shares(spread: Spread) -> Pivot:
    """Return the pivot of Student's test of a difference of two shares.

    Near 1, a greater difference has a greater variance: away from 0, the interval reaches as far as
    that of the score test with a row added.
    """
    # Models that are nearly the same would differ as little in one more row.
    alone = spread.mean * (1 - spread.mean) * math.fsum(1 / n for n in spread.sizes)
    unseen = math.sqrt(min(1.0, float(spread.variance) / alone)) if alone else 1.0
    student = wald(float(spread.value), spread.error, spread.df_of_parts)
    return reaching_as_far(student, of_difference(spread, unseen))


def reaching_as_far(pivot: Pivot, other: Pivot) -> Pivot:
    """Return a pivot whose interval reaches as far away from 0 as another's; the test stays."""

    def bounds(z: float) -> tuple[float, float]:
        (low, high), (least, most) = pivot.bounds(z), other.bounds(z)
        return min(low, least) if low <= 0 else low, max(high, most) if high >= 0 else high

    return pivot._replace(bounds=bounds)


def score_bounds(
    estimate: float, ends: tuple[float, float], variance_at: Callable[[float], float], z: float
) -> tuple[float, float]:
    """Return the range of values from which the estimate is at most z of their deviations away."""

    def bound(end: float) -> float:
        inside, outside = estimate, end
        while True:
            middle = (inside + outside) / 2
            if middle in (inside, outside):
                return inside
            if (estimate - middle) ** 2 <= z * z * variance_at(middle):
                inside = middle
            else:
                outside = middle

    low, high = bound(ends[0]), bound(ends[1])
    return (low, high) if z >= 0 else (high, low)


def variance_of_mean(
    supposed: float, n: float, first: float, second: float, odds: float = 1.0
) -> float:
    """Return the variance of a mean of n rows under the most likely shares with a supposed mean.

    A row is 1, -odds or 0. ``first`` and ``second`` are the shares of 1 and of -odds in the sample.
    The derivative of the likelihood in the second one is a quadratic with one root that leaves no
    share negative. At odds of 1, it is Tango's (1998), of the difference of two paired proportions.
    """
    step = 1 + odds
    linear = odds * (first + second) * (1 - supposed) - step * supposed * (1 - first)
    constant = second * supposed * (1 - supposed)
    least = 0.0
    if odds > 0:
        square = odds * step
        root = math.sqrt(max(0.0, linear**2 + 4 * square * constant))
        share, least = (linear + root) / (2 * square), max(0.0, -supposed / odds)
    else:
        share = -constant / linear if linear else 0.0
    share = min(max(share, least), (1 - supposed) / step)
    return max(0.0, supposed + odds * step * share - supposed**2) / n


def _distance(value: float, supposed: float, variance: float) -> float:
    """Return the distance from a hypothesized value, in its standard deviations there."""
    if value == supposed:
        return 0.0
    distance, deviation = value - supposed, math.sqrt(variance)
    return distance / deviation if deviation else math.copysign(math.inf, distance)


def pivot_of(spread: Spread) -> Pivot:
    """Return the pivot of a share, as of ``roc_auc_ci``; assumes a variance."""
    value, variance = float(spread.value), float(spread.variance)
    seen = [(spread.sizes, 1.0), *spread.unseen]
    inverse = max(float(inverse_size(value, variance, *sizes, share)) for sizes, share in seen)
    return wilson(value, inverse, spread.df)
