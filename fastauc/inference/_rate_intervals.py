"""Pointwise intervals for the rate of one class at a given rate of the other.

At the threshold that a share t of all negatives exceeds, the number K of negatives of the sample
above it is binomial, with n_neg trials and probability t. So the sample also determines the number
J of its positives above the threshold, up to the randomness of K and the position of the threshold
between two negatives. The number X of positives of another sample above it is binomial, with their
true rate as its probability. The interval contains the rates for which X is not clearly smaller or
larger than J: P(X > J) + P(X = J) / 2 is between one tail and 1 minus the other. If J is known,
this is the mid-p Clopper-Pearson interval; it is close to the Bayesian bootstrap of [1]_, which
uses random weights of the rows in place of counts.

References
----------
.. [1] J. Gu, S. Ghosal and A. Roy, "Bayesian bootstrap estimation of ROC curve", Stat. Med. 27
   (2008) 5407-5420.
.. [2] R. A. Hilgers, "Distribution-free confidence bounds for ROC curves", Methods Inf. Med. 30
   (1991) 96-101.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.roc import prepend
from fastauc._validation.arrays import Array
from fastauc.inference._distributions import normal_quantile

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

# A count more standard deviations than this from its mean, with an offset for rare events, has a
# probability below 1e-13.
_DEVIATIONS, _MORE = 8, 20
# The precision of the bounds of an interval.
_RESOLUTION = 1e-13
# Counts along the curve are integers up to the rounding of a quotient.
_ROUNDING = 1e-9


class Curve(NamedTuple):
    """Counts along the ROC curve from 0 on: of the class with the given rate, and the other."""

    given: Doubles
    other: Doubles


def curve_of(fps: Array, tps: Array) -> Curve:
    """Return the counts of the curve at decreasing thresholds."""
    return Curve(prepend(0, fps), prepend(0, tps))


class Law(NamedTuple):
    """P(J < x) + P(J = x) / 2, or another function that increases from 0 to 1, at the counts x."""

    first: int
    values: Doubles
    """The values for the counts from ``first`` on; 0 before and 1 after them."""

    def at(self, counts: Integers) -> Doubles:
        """Return the values of the function at counts."""
        place = np.clip(counts - self.first, -1, len(self.values)) + 1
        return np.concatenate(([0.0], self.values, [1.0]))[place]


def height(fpr: Doubles, tpr: Doubles, at: Doubles, side: Literal["left", "right"]) -> Doubles:
    """Return the height of a curve at rates in [0, 1]; on vertical segments, the end on this side.

    ``fpr`` and ``tpr`` are non-decreasing, from (0, 0) to (1, 1); or both are counts.
    """
    end = np.searchsorted(fpr, at, side)
    start = np.maximum(end - 1, 0)
    end = np.minimum(end, len(fpr) - 1)
    run = fpr[end] - fpr[start]
    share: Doubles = np.divide(at - fpr[start], run, out=np.zeros(len(at)), where=run > 0)
    return tpr[start] + share * (tpr[end] - tpr[start])


def binomial(n: int, probability: float) -> tuple[Integers, Doubles]:
    """Return the possible numbers of successes in n trials, and their probabilities."""
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
    """Return the distribution of the number of rows of the other class above the threshold."""
    numbers, shares = binomial(int(curve.given[-1]), rate)
    low, high = _counts_beside(curve, numbers)
    # Uniform over the numbers from low to high.
    size, weights = high[-1] - low[0] + 2, shares / (high - low + 1)
    starts = np.bincount(low - low[0], weights, size)
    stops = np.bincount(high + 1 - low[0], weights, size)
    probabilities = np.cumsum(starts - stops)
    return Law(int(low[0]), np.cumsum(probabilities) - probabilities / 2)


def _counts_beside(curve: Curve, numbers: Integers) -> tuple[Integers, Integers]:
    """Return the lowest and highest count of the other class, given counts of the first one."""
    at = numbers.astype(np.float64)
    low = np.floor(height(*curve, at, "left") + _ROUNDING)
    high = np.ceil(height(*curve, at, "right") - _ROUNDING)
    return low.astype(np.int64), high.astype(np.int64)


def probability_of(law: Law, n: int, share: float) -> float:
    """Return the probability for n trials at which the mean of the distribution is this share."""
    at_least, at_most = law.at(np.array([0, n]))
    if at_least >= share or at_most <= share:
        return 0.0 if at_least >= share else 1.0
    # Newton's method, with bisection where a step leaves the bracket.
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
        slope = float((reached * (numbers - mean)).sum()) / (probability * (1 - probability))
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
    """Return Hilgers' interval [2]_: Clopper-Pearson bounds at both ends of an interval for K.

    Both have the square root of the probability, so the coverage is at least the nominal one.
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


def tpr_bounds(
    curve: Curve, rates: Doubles, method: str, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the bounds of intervals for the true positive rate at false positive rates."""
    bounds = hilgers_bounds if method == "hilgers" else binomial_bounds
    tail = (1 - confidence_level) / 2
    low, high = np.array([bounds(curve, float(rate), tail) for rate in rates]).reshape(-1, 2).T
    return low, high


def fpr_bounds(
    curve: Curve, rates: Doubles, method: str, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the bounds of intervals for the false positive rate at true positive rates.

    1 minus each bound is a rate with the classes swapped.
    """
    exchanged = Curve(*(counts[-1] - counts[::-1] for counts in reversed(curve)))
    low, high = tpr_bounds(exchanged, 1 - rates, method, confidence_level)
    return 1 - high, 1 - low


def around(statistic: Any, low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Return bounds that include the rate of the sample.

    Where the curve is vertical, the rate is the upper end, and a bound may be lower than it.
    """
    return np.minimum(low, statistic), np.maximum(high, statistic)


def precision_bounds(
    curve: Curve, recall: Doubles, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the bounds of intervals for the precision at recalls above 0."""
    n_neg, n_pos = float(curve.given[-1]), float(curve.other[-1])
    least, greatest = fpr_bounds(curve, recall, "binomial", confidence_level)
    # An interval of level 0 shrinks to the median-unbiased rate.
    middle, _ = fpr_bounds(curve, recall, "binomial", 0.0)
    # Wilson's interval for the prevalence; its log odds are symmetric about the estimate.
    z = normal_quantile((1 - confidence_level) / 2)
    reach = 2 * math.asinh(z / 2 * math.sqrt((n_pos + n_neg) / (n_pos * n_neg)))
    with np.errstate(divide="ignore", invalid="ignore"):
        center = math.log(n_pos / n_neg) + np.log(recall) - np.log(middle)
        below = center - np.hypot(reach, np.log(greatest / middle))
        above = center + np.hypot(reach, np.log(middle / least))
        # No false positive is likely at all: use the limit, with both distances in full.
        at_worst = math.log(n_pos / n_neg) - reach + np.log(recall) - np.log(greatest)
    below, above = np.where(middle > 0, below, at_worst), np.where(least > 0, above, np.inf)
    return 1 / (1 + np.exp(-below)), 1 / (1 + np.exp(-above))
