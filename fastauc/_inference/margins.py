"""Tests of whether two areas differ by less than a margin, and the interval that they invert.

The ends of the interval of a difference follow from those of both areas by square-and-add (MOVER):
each is as far from the difference as the ends on that side let the two areas be apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fastauc._counts.proportions import ConfidenceInterval, wilson_bounds
from fastauc._inference.delong import inverse_size
from fastauc._inference.distributions import normal_quantile, normal_tail
from fastauc._inference.intervals import Spread
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.options import check_number

NON_INFERIORITY, EQUIVALENCE = "non-inferiority", "equivalence"

# A radius may fall again where areas that vary unlike are highly correlated. What is reached at a
# lower level counts at a higher one, so the greatest of those up to a level is taken.
_SHARES = np.arange(1, 65) / 64
_MOST = 64.0  # standard deviations


def check_margin(
    margin: Any, alternative: str, level: Any, is_constant: bool, function: str
) -> None:
    """Refuse a margin that is none, and what does not go with one."""
    if is_constant:
        expected = "'two-sided', 'less' or 'greater' with a constant, moved by the margin"
        raise invalid_parameter(function, "alternative", expected, alternative)
    expected = f"a float in the range (0.0, 1.0) with alternative={alternative!r}"
    check_number(margin, "margin", expected, lambda width: 0 < width < 1, function)
    if alternative == EQUIVALENCE:
        expected = "a float in the range [0.5, 1.0), as both ends are one-sided"
        check_number(level, "confidence_level", expected, lambda share: share >= 0.5, function)


class TwoAreas(NamedTuple):
    """Two areas, and the correlation of their estimates; both have a variance."""

    first: Spread
    second: Spread
    correlation: float

    @property
    def difference(self) -> float:
        """The first area less the second."""
        return float(self.first.area - self.second.area)

    def radii(self, z: float) -> tuple[float, float]:
        """Return how far the ends are below and above the difference, z > 0 deviations out."""
        both = []
        for spread in (self.first, self.second):
            area = float(spread.area)
            share = inverse_size(
                area, float(spread.variance or 0), spread.size_pos, spread.size_neg
            )
            low, high = wilson_bounds(area, share * (z * _SHARES) ** 2, 1.0)
            both.append((area - low, high - area))
        (below, above), (below_b, above_b) = both
        return self._add_squares(below, above_b), self._add_squares(above, below_b)

    def _add_squares(self, first: Any, second: Any) -> float:
        squares = first * first - 2 * self.correlation * first * second + second * second
        return float(np.sqrt(max(squares.max(), 0.0)))

    def bounds(self, z: float) -> tuple[float, float]:
        """Return the ends of the interval; for z < 0 they change places."""
        below, above = self.radii(abs(z)) if z else (0.0, 0.0)
        low, high = self.difference - below, self.difference + above
        return (low, high) if z >= 0 else (high, low)


def judge_margin(
    areas: TwoAreas, alternative: str, margin: float, level: float
) -> tuple[float, float, ConfidenceInterval]:
    """Return the statistic, the p-value and the interval."""
    statistic = _crossing(lambda z: areas.bounds(z)[0] + margin)
    if alternative == EQUIVALENCE:
        statistic = min(statistic, _crossing(lambda z: margin - areas.bounds(z)[1]))
    low, high = areas.bounds(normal_quantile(1 - level))
    interval = ConfidenceInterval(low, high if alternative == EQUIVALENCE else 1.0)
    return statistic, normal_tail(statistic), interval


def _crossing(slack: Callable[[float], float]) -> float:
    """Return the z at which what falls with z is 0; infinite where it never is."""
    inside, outside = -_MOST, _MOST
    if slack(outside) >= 0:
        return math.inf
    if slack(inside) < 0:
        return -math.inf
    while outside - inside > 1e-13 * max(1.0, abs(inside)):
        middle = (inside + outside) / 2
        if slack(middle) >= 0:
            inside = middle
        else:
            outside = middle
    return inside
