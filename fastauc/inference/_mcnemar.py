"""McNemar's test: sensitivity, specificity or accuracy of two scores on the same rows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import coin_tail
from fastauc._tables import result
from fastauc._validation.arrays import Array
from fastauc._validation.columns import read_models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_number, check_option
from fastauc._validation.threads import Workers

RATES = ("sensitivity", "specificity", "accuracy")
METHODS = ("exact", "mid-p", "asymptotic")
# Rows up to which outcomes are counted exactly, in milliseconds; above, tails use logarithms.
_MOST_COUNTED = 5000


@result("fastauc.inference")
class McNemarTestResult(NamedTuple):
    """The result of ``mcnemar_test``.

    Attributes
    ----------
    statistic : float
        McNemar's chi-squared with one degree of freedom; for the exact methods, the smaller of
        ``only_first`` and ``only_second``, as in statsmodels.
    pvalue : float
        Two-sided: the probability, if the rates are equal, of a statistic at least this extreme.
    difference : float
        The first rate minus the second.
    only_first, only_second : int
        The numbers of rows that only the first, or only the second, predicts correctly.

    Examples
    --------
    >>> from fastauc.inference import mcnemar_test
    >>> thresholds = {"threshold_a": 3, "threshold_b": 3}
    >>> mcnemar_test([0, 1, 1, 1, 1], [1, 3, 3, 4, 2], [1, 1, 2, 4, 2], **thresholds)
    McNemarTestResult(statistic=0.0, pvalue=0.5, difference=0.5, only_first=2, only_second=0)
    """

    statistic: float
    pvalue: float
    difference: float
    only_first: int
    only_second: int


def mcnemar_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    threshold_a: float,
    threshold_b: float,
    rate: str = "sensitivity",
    method: str = "exact",
    use_continuity: bool = True,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> McNemarTestResult:
    """Test whether two scores have different rates at given thresholds, on the same rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    score_a, score_b : array-like of shape (n_samples,)
        Finite scores of two models, of any numeric dtype, or predictions; higher means more likely
        positive. Tied scores are on the same side of a threshold.
    threshold_a, threshold_b : float
        A row is predicted positive if its score is at or above the threshold.
    rate : {"sensitivity", "specificity", "accuracy"}
        The rate to compare: correct predictions among the positives, the negatives, or all rows.
    method : {"exact", "mid-p", "asymptotic"}
        "exact": the binomial distribution; "mid-p": the same with half the probability of the
        observed outcome, less conservative; "asymptotic": chi-squared.
    use_continuity : bool
        Whether to apply the continuity correction of one row for "asymptotic".
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    McNemarTestResult
        ``statistic, pvalue, difference, only_first, only_second``. The p-value is 1 if both predict
        all rows alike; NaN, with an ``UndefinedMetricWarning``, if only one class is present.
        "exact" and "mid-p" are correctly rounded for up to 5,000 rows that only one predicts
        correctly, and within a relative error of 1e-9 for more, up to a million.

    Raises
    ------
    ValueError
        For NaN or infinite scores, unequal lengths, no rows, and more than two labels.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.

    Notes
    -----
    McNemar's test [1]_; [2]_ compares the methods. The thresholds are taken as given: the test is
    not valid for thresholds that were chosen on the same rows. O(n) time.

    Type I error: "Other tests" on the page "Which interval or test to take" of the manual.

    References
    ----------
    .. [1] Q. McNemar, "Note on the sampling error of the difference between correlated proportions
       or percentages", Psychometrika 12 (1947) 153-157.
    .. [2] M. W. Fagerland, S. Lydersen and P. Laake, "The McNemar test for binary matched-pairs
       data: mid-p and asymptotic are better than exact conditional", BMC Med. Res. Methodol. 13
       (2013) 91.

    Examples
    --------
    >>> from fastauc.inference import mcnemar_test
    >>> y_true = [0, 0, 0, 1, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 5, 6, 7, 5, 8, 6], [3, 6, 7, 6, 3, 2, 1, 4]
    >>> mcnemar_test(y_true, score_a, score_b, threshold_a=5, threshold_b=5).pvalue
    0.125
    """
    function = "mcnemar_test"
    for name, threshold in (("threshold_a", threshold_a), ("threshold_b", threshold_b)):
        check_number(
            threshold, name, "a float that is not NaN", lambda value: value == value, function
        )
    check_option(rate, "rate", RATES, function)
    check_option(method, "method", METHODS, function)
    check_flag(use_continuity, "use_continuity", function)
    with Workers(n_jobs, function) as workers:
        scores = {"score_a": score_a, "score_b": score_b}
        models = read_models(y_true, scores, None, None, function, workers, pos_label)
    if models.n_labels < 2:
        warn_undefined("Only one class is present in y_true, and it is unknown which one.")
        return McNemarTestResult(math.nan, math.nan, math.nan, 0, 0)
    label = models.label == 1
    right_a, right_b = (
        _is_reached(order.restore(order.keys), float(threshold)) == label
        for (order, _), threshold in zip(models.scores, (threshold_a, threshold_b), strict=True)
    )
    if rate != "accuracy":
        chosen = label if rate == "sensitivity" else ~label
        right_a, right_b = right_a[chosen], right_b[chosen]
    b, c = int(np.count_nonzero(right_a & ~right_b)), int(np.count_nonzero(right_b & ~right_a))
    statistic, pvalue = _judge(b, c, method, use_continuity)
    return McNemarTestResult(statistic, pvalue, (b - c) / len(right_a), b, c)


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


def _judge(b: int, c: int, method: str, use_continuity: bool) -> tuple[float, float]:
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
