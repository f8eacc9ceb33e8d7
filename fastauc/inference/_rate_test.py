"""``rate_test``: the rates of two scores at thresholds, on the same rows."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval, coin_tail
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array
from fastauc._validation.columns import Directions, find_lower, read_pair
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import NanPolicy, Rate, RateTest
from fastauc._validation.options import (
    check_confidence_level,
    check_flag,
    check_number,
    check_option,
)
from fastauc._validation.threads import Workers
from fastauc.inference._delong import Spread
from fastauc.inference._distributions import normal_quantile
from fastauc.inference._pivots import of_difference, score_bounds, variance_of_mean
from fastauc.inference._results import NAN_INTERVAL, one_row

RATES, METHODS = get_args(Rate), get_args(RateTest)
# Rates among the rows with the same prediction, which are not the same rows for both scores.
_PREDICTIVE = ("precision", "npv")
# Rows up to which outcomes are counted exactly, in milliseconds; above, tails use logarithms.
_MOST_COUNTED = 5000


@result("fastauc.inference", one_row)
class RateTestResult(NamedTuple):
    """The result of ``rate_test``.

    Attributes
    ----------
    statistic : float
        McNemar's chi-squared with one degree of freedom; for the exact methods, the smaller of
        ``only_first`` and ``only_second``, as in statsmodels; for "score", the difference in
        standard errors.
    pvalue : float
        Two-sided: the probability, if the rates are equal, of a statistic at least this extreme.
    difference : float
        The first rate minus the second.
    confidence_interval : ConfidenceInterval
        For the difference.
    only_first, only_second : int
        The numbers of rows that only the first, or only the second, predicts correctly; for
        predictive values, that only one of them predicts to be of that class.
    method : str
        The method of the test.

    Examples
    --------
    >>> from fastauc.inference import rate_test
    >>> thresholds = {"threshold_a": 3, "threshold_b": 3}
    >>> found = rate_test([0, 1, 1, 1, 1], [1, 3, 3, 4, 2], [1, 1, 2, 4, 2], **thresholds)
    >>> found.difference, found.pvalue, found.only_first, found.only_second
    (0.5, 0.5, 2, 0)
    """

    statistic: float
    pvalue: float
    difference: float
    confidence_interval: ConfidenceInterval
    only_first: int
    only_second: int
    method: str

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with one row."""
        return to_pandas(self)


def rate_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    threshold_a: float,
    threshold_b: float,
    rate: Rate = "sensitivity",
    method: RateTest | None = None,
    use_continuity: bool = True,
    confidence_level: float = 0.95,
    higher_is_positive: Directions = True,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> RateTestResult:
    """Test whether two scores have different rates at given thresholds, on the same rows.

    Parameters
    ----------
    y_true, score_a, score_b : array-like of shape (n_samples,)
        Labels and scores of two models, as in ``roc_auc_ci``, or predictions.
    threshold_a, threshold_b : float
        A row is predicted positive if its score is at or above the threshold; if lower scores are
        positive, at or below it. Tied scores are on the same side.
    rate : {"sensitivity", "specificity", "accuracy", "precision", "npv"}
        The rate to compare: correct predictions among the positives, the negatives, or all rows;
        or among those predicted positive, or negative (the predictive values).
    method : {"exact", "mid-p", "asymptotic", "score"}, optional
        McNemar's test [1]_, for all but predictive values: "exact", by default: the binomial
        distribution; "mid-p": the same with half the probability of the observed outcome, less
        conservative; "asymptotic": chi-squared. "score", for predictive values: the difference in
        its standard errors under the null hypothesis.
    use_continuity : bool
        Whether to apply the continuity correction of one row for "asymptotic".
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference.
    higher_is_positive, pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_test``.

    Returns
    -------
    RateTestResult
        ``statistic, pvalue, difference, confidence_interval, only_first, only_second, method``. The
        p-value is 1 if both predict all rows alike; the interval still has a positive width. NaN,
        with an ``UndefinedMetricWarning``, if only one class is present, or for predictive values
        if no row is predicted to be of that class. "exact" and "mid-p" are correctly rounded for up
        to 5,000 rows that only one predicts correctly, and within a relative error of 1e-9 for
        more, up to a million.

    Raises
    ------
    ValueError
        For NaN or infinite scores, unequal lengths, no rows, and more than two labels.
    InvalidParameterError
        For an invalid option, or one that the method does not use; it is both a ValueError and a
        TypeError.

    Notes
    -----
    The interval is Tango's score interval [2]_, whatever the method. It contains 0 if "asymptotic"
    without continuity correction does not reject; "exact" is more conservative. For predictive
    values, the variance is computed from the rows' influences on both, as by Moskowitz and Pepe
    [3]_, and interval and test are computed as by ``roc_auc_test`` with a margin, with as many
    trials as give this variance, and one more row.

    The thresholds are treated as fixed: the test is not valid for thresholds that were chosen on
    the same rows. [4]_ compares the methods. O(n) time.

    Type I error: "Other tests" on the page "Which interval or test to use" of the manual.

    References
    ----------
    .. [1] Q. McNemar, "Note on the sampling error of the difference between correlated proportions
       or percentages", Psychometrika 12 (1947) 153-157.
    .. [2] T. Tango, "Equivalence test and confidence interval for the difference in proportions for
       the paired-sample design", Stat. Med. 17 (1998) 891-908.
    .. [3] C. S. Moskowitz and M. S. Pepe, "Comparing the predictive values of diagnostic tests:
       sample size and analysis for paired study designs", Clin. Trials 3 (2006) 272-279.
    .. [4] M. W. Fagerland, S. Lydersen and P. Laake, "The McNemar test for binary matched-pairs
       data: mid-p and asymptotic are better than exact conditional", BMC Med. Res. Methodol. 13
       (2013) 91.

    Examples
    --------
    >>> from fastauc.inference import rate_test
    >>> y_true = [0, 0, 0, 1, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 5, 6, 7, 5, 8, 6], [3, 6, 7, 6, 3, 2, 1, 4]
    >>> found = rate_test(y_true, score_a, score_b, threshold_a=5, threshold_b=5)
    >>> found.pvalue, round(found.confidence_interval.low, 3)
    (0.125, 0.018)
    """
    function = "rate_test"
    for name, threshold in (("threshold_a", threshold_a), ("threshold_b", threshold_b)):
        check_number(
            threshold, name, "a float that is not NaN", lambda value: value == value, function
        )
    check_option(rate, "rate", RATES, function)
    is_predictive = rate in _PREDICTIVE
    if method is None:
        method = "score" if is_predictive else "exact"
    check_option(method, "method", METHODS, function)
    if (method == "score") != is_predictive:
        expected = "'score', for 'precision' and 'npv' only"
        raise invalid_parameter(function, "method", expected, method)
    check_flag(use_continuity, "use_continuity", function)
    if not use_continuity and method != "asymptotic":
        expected = f"True, as method={method!r} has no correction"
        raise invalid_parameter(function, "use_continuity", expected, use_continuity)
    check_confidence_level(confidence_level, function)
    scores = score_a, score_b
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_pair(how, y_true, scores, higher_is_positive)
    if models.n_labels < 2:
        warn_undefined("Only one class is present in y_true, and it is unknown which one.")
        return RateTestResult(math.nan, math.nan, math.nan, NAN_INTERVAL, 0, 0, method)
    label, level = models.label == 1, float(confidence_level)
    lower = find_lower(higher_is_positive, ("score_a", "score_b"), function, scores)
    called = [
        _is_reached(order.restore(order.keys), -float(threshold) if is_lower else float(threshold))
        for (order, _), threshold, is_lower in zip(
            models.scores, (threshold_a, threshold_b), lower, strict=True
        )
    ]
    if is_predictive:
        return _compare_predictive(label == (rate == "precision"), called, rate, level)
    right_a, right_b = (each == label for each in called)
    if rate != "accuracy":
        chosen = label if rate == "sensitivity" else ~label
        right_a, right_b = right_a[chosen], right_b[chosen]
    b, c = int(np.count_nonzero(right_a & ~right_b)), int(np.count_nonzero(right_b & ~right_a))
    statistic, pvalue = _mcnemar(b, c, method, use_continuity)
    n, z = len(right_a), normal_quantile((1 - level) / 2)
    difference, variance_at = (b - c) / n, partial(variance_of_mean, n=n, first=b / n, second=c / n)
    interval = ConfidenceInterval(*score_bounds(difference, (-1.0, 1.0), variance_at, z))
    return RateTestResult(statistic, pvalue, difference, interval, b, c, method)


def _compare_predictive(
    is_right: NDArray[np.bool_], called: list[NDArray[np.bool_]], rate: str, level: float
) -> RateTestResult:
    """Return the test of two predictive values, given which rows are right if they are called."""
    if rate == "npv":
        called = [~each for each in called]
    # By whether the first calls a row, whether the second does, and whether that is right.
    kinds = np.bincount(4 * called[0] + 2 * called[1] + is_right, minlength=8).reshape(2, 2, 2)
    only_first, only_second = int(kinds[1, 0].sum()), int(kinds[0, 1].sum())
    n_first, n_second = int(kinds[1].sum()), int(kinds[:, 1].sum())
    if min(n_first, n_second) == 0:
        warn_undefined(f"No row is predicted to be of that class: {rate} is undefined.")
        return RateTestResult(
            math.nan, math.nan, math.nan, NAN_INTERVAL, only_first, only_second, "score"
        )
    first, second = float(kinds[1, :, 1].sum() / n_first), float(kinds[:, 1, 1].sum() / n_second)
    variance = math.fsum(
        int(n) * (a * (right - first) / n_first - b * (right - second) / n_second) ** 2
        for (a, b, right), n in np.ndenumerate(kinds)
    )
    difference, mean = first - second, (first + second) / 2
    spread = Spread(difference, variance, (float(n_first), float(n_second)), mean=mean)
    statistic, pvalue, interval = of_difference(spread).judge("two-sided", level)
    return RateTestResult(statistic, pvalue, difference, interval, only_first, only_second, "score")


def _is_reached(scores: Array, threshold: float) -> NDArray[np.bool_]:
    """Return which scores are at or above a threshold, without rounding either."""
    reached: NDArray[np.bool_]
    if scores.dtype.kind == "f":
        reached = scores >= np.array([threshold])  # an array is not rounded to float32
    elif not scores.min() < threshold <= scores.max():
        reached = np.full(len(scores), bool(threshold <= scores.min()))
    else:
        reached = scores >= scores.dtype.type(math.ceil(threshold))
    return reached


def _mcnemar(b: int, c: int, method: str, use_continuity: bool) -> tuple[float, float]:
    """Return the statistic and the two-sided p-value of b rows against c."""
    n, least = b + c, min(b, c)
    if method == "asymptotic":
        distance = max(0, abs(b - c) - bool(use_continuity))
        statistic = distance**2 / n if n else 0.0
        return statistic, math.erfc(math.sqrt(statistic / 2))
    if b == c:
        return float(least), 1.0
    sides = 1 if method == "mid-p" else 2
    if n <= _MOST_COUNTED:
        fewer, there = _count_outcomes(n, least)
        return float(least), float(Fraction(2 * fewer + sides * there, 2**n))
    beyond = coin_tail(n - least + 1, n)
    return float(least), 2 * beyond + sides * (coin_tail(n - least, n) - beyond)


def _count_outcomes(n: int, k: int) -> tuple[int, int]:
    """Return how many outcomes of n coin tosses have fewer than k heads, and how many have k."""
    fewer, there = 0, 1
    for heads in range(k):
        fewer, there = fewer + there, there * (n - heads) // (heads + 1)
    return fewer, there
