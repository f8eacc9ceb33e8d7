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
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.confusion_counts import count_curve
from fastauc._counts.roc import fprs_at, precisions_at, prepend, tprs_at
from fastauc._inference.distributions import normal_quantile
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import (
    Rates,
    check_confidence_level,
    check_option,
    read_rates,
)

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


def curve_of(fps: Array, tps: Array) -> Curve:
    """Return the curve of counts at falling thresholds."""
    return Curve(prepend(0, fps), prepend(0, tps))


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


def tpr_bounds(
    curve: Curve, rates: Doubles, method: str, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the ends of the intervals of the true positive rate at false positive rates."""
    bounds = hilgers_bounds if method == "hilgers" else binomial_bounds
    tail = (1 - confidence_level) / 2
    low, high = np.array([bounds(curve, float(rate), tail) for rate in rates]).reshape(-1, 2).T
    return low, high


def fpr_bounds(
    curve: Curve, rates: Doubles, method: str, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the ends of the intervals of the false positive rate at true positive rates.

    1 less each is the rate of the exchanged classes.
    """
    exchanged = Curve(*(counts[-1] - counts[::-1] for counts in reversed(curve)))
    low, high = tpr_bounds(exchanged, 1 - rates, method, confidence_level)
    return 1 - high, 1 - low


def around(statistic: Any, low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Return ends between which the rate of the sample is.

    Where the curve is upright it is the upper end, and that of a law of all of it can be lower.
    """
    return np.minimum(low, statistic), np.maximum(high, statistic)


# Functions of scores ------------------------------------------------------------------------------


@result
class RateInterval(NamedTuple):
    """A rate where another is given, and an interval of it.

    Attributes
    ----------
    statistic : float, or float64 array
        The rate of the sample, for each of those given.
    low, high : float, or float64 array
        The ends of its interval.
    confidence_level : float
        The share of samples whose intervals hold the true rate, at any one of those given.
    method : str
        How the interval was found.

    Examples
    --------
    >>> from fastauc import tpr_at_fpr_ci
    >>> found = tpr_at_fpr_ci([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.2, 0.35, 0.8, 0.9], 0.5)
    >>> found.low < found.statistic <= found.high
    True
    """

    statistic: float | NDArray[np.float64]
    low: float | NDArray[np.float64]
    high: float | NDArray[np.float64]
    confidence_level: float
    method: str

    def _columns(self) -> dict[str, Doubles]:
        shown = {"statistic": self.statistic, "low": self.low, "high": self.high}
        return {name: np.atleast_1d(value) for name, value in shown.items()}

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each rate."""
        return to_pandas(self)


def _interval(
    statistic: float | Doubles,
    rates: Rates,
    bounds: Callable[..., tuple[Doubles, Doubles]],
    counts: tuple[Array, Array],
    method: str,
    confidence_level: float,
) -> RateInterval:
    """Return the intervals of the rates that ``bounds`` has; NaN without both classes."""
    given = np.array([float(rate) for rate in rates.values])
    ends = np.full_like(given, math.nan), np.full_like(given, math.nan)
    if all(column[-1] > 0 for column in counts):
        found = bounds(curve_of(*counts), given, method, confidence_level)
        ends = around(np.ravel(statistic), *found)
    low, high = (_shaped(end, rates) for end in ends)
    return RateInterval(statistic, low, high, float(confidence_level), method)


def tpr_at_fpr_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    fpr: Any,
    *,
    method: str = "binomial",
    confidence_level: float = 0.95,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RateInterval:
    """Return the true positive rate at a false positive rate, with a confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    fpr : float or array-like of any shape
        False positive rates in [0, 1].
    method : {"binomial", "hilgers"}
        "binomial": the rates for which a number of positives as in the sample is not in a tail,
        where the number of negatives above the threshold is chance as well.
        "hilgers": that of Hilgers [1]_, which holds the true rate with no less than the probability
        given, and mostly with far more.
    confidence_level : float in (0, 1)
        Of the interval, two-sided.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    RateInterval
        ``statistic``, as ``tpr_at_fpr`` returns it, ``low, high, confidence_level, method``. The
        first three have the shape of ``fpr``; NaN with an ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        For NaN or infinite scores; unequal lengths; no rows; labels that need ``pos_label``; rates
        outside [0, 1].
    InvalidParameterError
        For an option outside its domain.

    See Also
    --------
    fpr_at_tpr_ci : The other rate.
    roc_curve_band : The same along the curve, and for all of it at once.

    Notes
    -----
    O(n log n) time. For independent rows. The number of negatives above the threshold that a share
    ``fpr`` of all negatives exceeds is binomial. It says how many positives are above, up to those
    between two negatives, of which any part may be. The interval holds the rates for which a
    binomial number of positives exceeds this number with a probability between one tail and 1 less
    the other, a tie counting one half: for a known threshold, the mid-p interval of a proportion.
    It has a width where all positives are above, and is near to the Bayesian bootstrap [2]_.

    Intervals of 95 % held the true rate in 96 to 100 of 100 samples with 20 to 300 rows of a class,
    at FPR 0.01 to 0.8 (see the page on inference): the fewer the rows, the more. Hilgers' held it
    in 99 to 100.

    How often each method holds the rate: "Points of a curve" on the page "Which interval or test to
    take" of the manual.

    References
    ----------
    .. [1] R. A. Hilgers, "Distribution-free confidence bounds for ROC curves", Methods Inf. Med. 30
       (1991) 96-101.
    .. [2] J. Gu, S. Ghosal and A. Roy, "Bayesian bootstrap estimation of ROC curve", Stat. Med. 27
       (2008) 5407-5420.

    Examples
    --------
    >>> from fastauc import tpr_at_fpr_ci
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> found = tpr_at_fpr_ci(y_true, y_score, 0.5)
    >>> found.statistic, round(found.low, 3), found.high
    (0.9, 0.19, 1.0)
    """
    function = "tpr_at_fpr_ci"
    rates = _read(fpr, "fpr", method, confidence_level, function)
    fps, tps = count_curve(y_true, y_score, None, pos_label, n_jobs, function)
    warn_if_undefined(tps[-1], fps[-1])
    statistic = tprs_at(fps, tps, rates, "linear")
    return _interval(statistic, rates, tpr_bounds, (fps, tps), method, confidence_level)


def fpr_at_tpr_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    tpr: Any,
    *,
    method: str = "binomial",
    confidence_level: float = 0.95,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RateInterval:
    """Return the false positive rate at a true positive rate, with a confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    tpr : float or array-like of any shape
        True positive rates in [0, 1].
    method : {"binomial", "hilgers"}
        As in ``tpr_at_fpr_ci``, with the classes exchanged.
    confidence_level : float in (0, 1)
        Of the interval, two-sided.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    RateInterval
        ``statistic``, as ``fpr_at_tpr`` returns it, ``low, high, confidence_level, method``. The
        first three have the shape of ``tpr``; NaN with an ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        For NaN or infinite scores; unequal lengths; no rows; labels that need ``pos_label``; rates
        outside [0, 1].
    InvalidParameterError
        For an option outside its domain.

    See Also
    --------
    tpr_at_fpr_ci : The other rate, and how the interval is found.

    Notes
    -----
    O(n log n) time. For independent rows. 1 less the ends are the interval of ``tpr_at_fpr_ci`` for
    the exchanged classes: that of the specificity at a given sensitivity, as pROC's ``ci.sp``. At a
    rate of 1 the sample tells only how low the false positive rate can be, and at 0 it is 0.

    How often each method holds the rate: "Points of a curve" on the page "Which interval or test to
    take" of the manual.

    Examples
    --------
    >>> from fastauc import fpr_at_tpr_ci
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> found = fpr_at_tpr_ci(y_true, y_score, [0.5, 0.8])
    >>> found.statistic
    array([0.2, 0.2])
    >>> found.high.round(3)
    array([0.762, 1.   ])
    """
    function = "fpr_at_tpr_ci"
    rates = _read(tpr, "tpr", method, confidence_level, function)
    fps, tps = count_curve(y_true, y_score, None, pos_label, n_jobs, function)
    warn_if_undefined(tps[-1], fps[-1])
    statistic = fprs_at(fps, tps, rates, "linear")
    return _interval(statistic, rates, fpr_bounds, (fps, tps), method, confidence_level)


def precision_at_recall_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    recall: Any,
    *,
    confidence_level: float = 0.95,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RateInterval:
    """Return the precision at a recall, with a confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    recall : float or array-like of any shape
        Shares of the positives in (0, 1].
    confidence_level : float in (0, 1)
        Of the interval, two-sided.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    RateInterval
        ``statistic``, as ``precision_at_recall`` returns it, ``low, high, confidence_level,
        method``. The first three have the shape of ``recall``; NaN with an
        ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        For NaN or infinite scores; unequal lengths; no rows; labels that need ``pos_label``; a
        recall outside (0, 1].
    InvalidParameterError
        For an option outside its domain.

    See Also
    --------
    precision_recall_band : The same along the curve, and for all of it at once.
    fpr_at_tpr_ci : What the precision depends on, beside the share of the positives.

    Notes
    -----
    O(n log n) time. For independent rows whose classes are chance as well: the share of positives
    in the sample is an estimate of theirs. The odds of the precision are those of a positive, times
    the recall, over the false positive rate there. Wilson's interval of the first and that of
    ``fpr_at_tpr_ci`` of the last are independent, and joined on the scale of logarithms as squares
    of distances, after Zou and Donner, "Construction of confidence limits about effect measures",
    Stat. Med. 27 (2008) 1693-1702, from the rate that is as likely too low as too high.

    How often it holds the precision: "Points of a curve" on the page "Which interval or test to
    take" of the manual.

    Examples
    --------
    >>> from fastauc import precision_at_recall_ci
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> found = precision_at_recall_ci(y_true, y_score, 0.8)
    >>> found.statistic, round(found.low, 3), round(found.high, 3)
    (0.8, 0.312, 0.992)
    """
    function = "precision_at_recall_ci"
    check_confidence_level(confidence_level, function)
    rates = read_rates(recall, "recall", "linear", function, above_zero=True)
    fps, tps = count_curve(y_true, y_score, None, pos_label, n_jobs, function)
    warn_if_undefined(tps[-1], fps[-1])
    given = np.array([float(rate) for rate in rates.values])
    low = high = np.full(len(given), math.nan)
    statistic = _shaped(low, rates)
    if fps[-1] > 0 and tps[-1] > 0 and len(given):
        statistic = precisions_at(fps, tps, rates, "linear")
        found = precision_bounds(curve_of(fps, tps), given, confidence_level)
        low, high = around(np.ravel(statistic), *found)
    return RateInterval(
        statistic, _shaped(low, rates), _shaped(high, rates), float(confidence_level), "binomial"
    )


def precision_bounds(
    curve: Curve, recall: Doubles, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the ends of the intervals of the precision at recalls above 0."""
    n_neg, n_pos = float(curve.given[-1]), float(curve.other[-1])
    least, greatest = fpr_bounds(curve, recall, "binomial", confidence_level)
    # Of an interval that holds nothing, both ends are the rate as likely too low as too high.
    middle, _ = fpr_bounds(curve, recall, "binomial", 0.0)
    # Wilson's interval of the share of positives; its log odds are symmetric about those of it.
    z = normal_quantile((1 - confidence_level) / 2)
    reach = 2 * math.asinh(z / 2 * math.sqrt((n_pos + n_neg) / (n_pos * n_neg)))
    with np.errstate(divide="ignore", invalid="ignore"):
        center = math.log(n_pos / n_neg) + np.log(recall) - np.log(middle)
        below = center - np.hypot(reach, np.log(greatest / middle))
        above = center + np.hypot(reach, np.log(middle / least))
        # No false positive is likely at all: the limit, with the whole of both distances.
        at_worst = math.log(n_pos / n_neg) - reach + np.log(recall) - np.log(greatest)
    below, above = np.where(middle > 0, below, at_worst), np.where(least > 0, above, np.inf)
    return 1 / (1 + np.exp(-below)), 1 / (1 + np.exp(-above))


def _shaped(values: NDArray[np.float64], rates: Rates) -> float | NDArray[np.float64]:
    """Return values in the shape of the rates."""
    return float(values[0]) if rates.shape is None else values.reshape(rates.shape)


def _read(
    rates: object, name: str, method: object, confidence_level: object, function: str
) -> Rates:
    check_option(method, "method", METHODS, function)
    check_confidence_level(confidence_level, function)
    return read_rates(rates, name, "linear", function)
