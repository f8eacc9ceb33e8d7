"""Intervals of a rate of one class where a rate of the other is given, from binomial counts alone.

At the threshold that a share t of all negatives is above, the number K of those of the sample is
binomial: of n_neg, with the probability t. So the sample tells how many of its positives are above
as well, a number J, but for the chance in K and for where between two negatives the threshold is.
Of the positives of another sample a binomial number X is above it, with their true rate for its
probability. The interval holds the rates for which X is not plainly less or greater than J:
P(X > J) + P(X = J) / 2 is between one tail and 1 less the other. Where J is known, it is the mid-p
interval of Clopper and Pearson; it is near to the Bayesian bootstrap of [1]_, where rows have
weights that are chance in place of counts.

References
----------
.. [1] J. Gu, S. Ghosal and A. Roy, "Bayesian bootstrap estimation of ROC curve", Stat. Med. 27
   (2008) 5407-5420.
.. [2] R. A. Hilgers, "Distribution-free confidence bounds for ROC curves", Methods Inf. Med. 30
   (1991) 96-101.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.roc import prepend
from fastauc._validation.arrays import Array

METHODS = ("binomial", "hilgers")

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

# A number further from its mean than so many deviations, and this many more for rare events, has a
# probability below 1e-13.
_DEVIATIONS, _MORE = 8, 20
# How exactly an end of an interval is found.
_RESOLUTION = 1e-13
# Heights are whole numbers but for the rounding of a quotient.
_ROUNDING = 1e-9


class Curve(NamedTuple):
    """Counts along the ROC curve from 0 on: of the class whose rate is given, and of the other."""

    given: Doubles
    other: Doubles


def curve_of(given: Array, other: Array) -> Curve:
    """Return the curve of counts at falling thresholds."""
    return Curve(prepend(0, given), prepend(0, other))


class Law(NamedTuple):
    """P(J < x) + P(J = x) / 2, or another function that goes from 0 to 1, for the counts x."""

    first: int
    values: Doubles
    """Those for the counts from ``first`` on; before it is 0, and after them 1."""

    def at(self, counts: Integers) -> Doubles:
        """Return the function of counts."""
        place = np.clip(counts - self.first, -1, len(self.values)) + 1
        return np.concatenate(([0.0], self.values, [1.0]))[place]


def height(fpr: Doubles, tpr: Doubles, at: Doubles, side: Literal["left", "right"]) -> Doubles:
    """Return the height of a curve at rates in [0, 1]; the end of this side where it is upright.

    ``fpr`` and ``tpr`` never decrease, and lead from (0, 0) to (1, 1); or both are counts.
    """
    end = np.searchsorted(fpr, at, side)
    start = np.maximum(end - 1, 0)
    end = np.minimum(end, len(fpr) - 1)
    run = fpr[end] - fpr[start]
    share: Doubles = np.divide(at - fpr[start], run, out=np.zeros(len(at)), where=run > 0)
    return tpr[start] + share * (tpr[end] - tpr[start])


def binomial(n: int, probability: float) -> tuple[Integers, Doubles]:
    """Return the numbers that n trials may have, and their probabilities."""
    mean = n * probability
    reach = _DEVIATIONS * math.sqrt(mean * (1 - probability)) + _MORE
    numbers = np.arange(max(math.floor(mean - reach), 0), min(math.ceil(mean + reach), n) + 1)
    if probability in (0, 1):
        return numbers, (numbers == mean).astype(np.float64)
    odds = probability / (1 - probability)
    ratios = (n - numbers[:-1]) / (numbers[:-1] + 1) * odds
    logs = np.concatenate(([0.0], np.cumsum(np.log(ratios))))
    shares = np.exp(logs - logs.max())
    return numbers, shares / shares.sum()


def law_of_count(curve: Curve, rate: float) -> Law:
    """Return the law of the number of rows of the other class that are above the threshold."""
    numbers, shares = binomial(int(curve.given[-1]), rate)
    low, high = _counts_beside(curve, numbers)
    # Any number from low to high, as likely as another.
    size, weights = high[-1] - low[0] + 2, shares / (high - low + 1)
    starts = np.bincount(low - low[0], weights, size)
    stops = np.bincount(high + 1 - low[0], weights, size)
    probabilities = np.cumsum(starts - stops)
    return Law(int(low[0]), np.cumsum(probabilities) - probabilities / 2)


def _counts_beside(curve: Curve, numbers: Integers) -> tuple[Integers, Integers]:
    """Return the least and the greatest count of the other class, with these of the given one."""
    at = numbers.astype(np.float64)
    low = np.floor(height(*curve, at, "left") + _ROUNDING)
    high = np.ceil(height(*curve, at, "right") - _ROUNDING)
    return low.astype(np.int64), high.astype(np.int64)


def probability_of(law: Law, n: int, share: float) -> float:
    """Return the probability of n trials for which the mean of the law is this share."""
    at_least, at_most = law.at(np.array([0, n]))
    if at_least >= share or at_most <= share:
        return 0.0 if at_least >= share else 1.0
    # Newton's steps, halved where they leave what is known to hold the probability.
    low, high, probability = 0.0, 1.0, 0.5
    while high - low > _RESOLUTION:
        numbers, shares = binomial(n, probability)
        reached = law.at(numbers) * shares
        excess = float(reached.sum()) - share
        if excess < 0:
            low = probability
        else:
            high = probability
        mean = n * probability
        slope = float(reached @ (numbers - mean)) / (probability * (1 - probability))
        step = excess / slope if slope > 0 else math.inf
        if abs(step) < _RESOLUTION:
            break
        probability -= step
        if not low < probability < high:
            probability = (low + high) / 2
    return probability


def binomial_bounds(curve: Curve, rate: float, tail: float) -> tuple[float, float]:
    """Return the interval of the rate of the other class, with a tail of this size on each side."""
    if rate == 1:
        return 1.0, 1.0
    law, n = law_of_count(curve, rate), int(curve.other[-1])
    return probability_of(law, n, tail), probability_of(law, n, 1 - tail)


def hilgers_bounds(curve: Curve, rate: float, tail: float) -> tuple[float, float]:
    """Return Hilgers' interval [2]_: that of Clopper and Pearson at both ends of one for K.

    Both have the root of the probability, so it holds the rate with no less than it.
    """
    if rate == 1:
        return 1.0, 1.0
    numbers, shares = binomial(int(curve.given[-1]), rate)
    tail, n = (1 - math.sqrt(1 - 2 * tail)) / 2, int(curve.other[-1])
    ends = np.searchsorted(np.cumsum(shares), [tail, 1 - tail])
    low, high = _counts_beside(curve, numbers[np.minimum(ends, len(numbers) - 1)])
    one = np.ones(1)
    at_least, more = Law(int(low[0]), one), Law(int(high[1]) + 1, one)
    return probability_of(at_least, n, tail), probability_of(more, n, 1 - tail)


def bounds_of(
    curve: Curve, rates: Iterable[float], method: str, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the ends of the intervals of the other class at rates of the given one."""
    bounds = hilgers_bounds if method == "hilgers" else binomial_bounds
    tail = (1 - confidence_level) / 2
    low, high = zip(*(bounds(curve, float(rate), tail) for rate in rates), strict=True)
    return np.array(low), np.array(high)
