"""Comparing the AUCs of several scores on the same rows: DeLong's test and covariance."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._pairs.concordance import warn_one_class
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.columns import Models, read_columns, read_models
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import (
    check_confidence_level,
    check_flag,
    check_n_jobs,
    check_number,
    check_option,
    is_real,
    refuse_given,
)
from fastauc._validation.threads import Workers
from fastauc.inference._delong import (
    LEAST_VARIANCE,
    Areas,
    compare_areas,
    inverse_size_of_shares,
    score_bounds,
    score_distance,
)
from fastauc.inference._distributions import student
from fastauc.inference._intervals import DEFAULT_METHOD, DEFAULT_TRANSFORM, pivot_of, spread_of
from fastauc.inference._results import ALTERNATIVES, NAN_INTERVAL

_TOO_FEW = (
    "The variance of the AUC is undefined: expected two or more positive and negative rows, or "
    "groups of rows."
)

_NO_VARIANCE = (
    "The variance of the difference is estimated as 0, although the AUCs differ: the test is "
    "undefined."
)

_NO_VARIANCE_WITHIN = (
    "The variance of the difference is estimated as 0, which says nothing about how far apart the "
    "AUCs may be: a test with a margin is undefined."
)

_NON_INFERIORITY, _EQUIVALENCE = "non-inferiority", "equivalence"
METHODS = ("t", "delong", "score")


@result("fastauc.inference")
class RocAucTestResult(NamedTuple):
    """The result of ``roc_auc_test``.

    Attributes
    ----------
    statistic : float
        The difference divided by its standard error; against a constant, by the one that the
        interval of ``roc_auc_ci`` assumes there. With a margin, how far the difference is within
        the margin, in standard errors.
    pvalue : float
        The probability of a statistic at least this extreme if the AUCs are equal; with a margin,
        the maximum of it if they differ by the margin or more.
    difference : float
        The first AUC minus the second.
    standard_error : float
        Of the difference.
    df : float
        Degrees of freedom of Student's t distribution; infinity for the normal distribution.
    confidence_interval : ConfidenceInterval
        For the difference; with a one-sided alternative, one bound is -1 or 1, and with
        "equivalence", each bound is that of a one-sided interval.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_test
    >>> result = roc_auc_test([0, 0, 1, 1], [1, 3, 2, 4], [1, 2, 2, 3])
    >>> result.difference, result.df
    (-0.125, 2.0)
    """

    statistic: float
    pvalue: float
    difference: float
    standard_error: float
    df: float
    confidence_interval: ConfidenceInterval


class Difference(NamedTuple):
    """A difference between two AUCs.

    Attributes
    ----------
    value : float
    variance : object
        None if undefined.
    mean : float
        The mean of the two AUCs.
    sizes : tuple of float
        The numbers of independent positives and negatives, each the smaller of those of the two
        AUCs.
    df : float
        Degrees of freedom of Student's distribution, as the test has them where it was published.
    df_of_parts : float
        As Welch and Satterthwaite have them, from the parts that the variance is the sum of.
    """

    value: float
    variance: Any
    mean: float = math.nan
    sizes: tuple[float, float] = (math.nan, math.nan)
    df: float = math.inf
    df_of_parts: float = math.inf


def roc_auc_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike | float,
    *,
    paired: bool = True,
    alternative: str = "two-sided",
    margin: float | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    y_true_b: ArrayLike | None = None,
    sample_weight_b: ArrayLike | None = None,
    groups_b: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RocAucTestResult:
    """Test whether two AUCs differ, or whether one differs from a constant.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    score_a : array-like of shape (n_samples,)
        Finite scores of the first model, of any numeric dtype; higher means more likely positive.
        Only equal scores are tied, and a tied pair counts one half.
    score_b : array-like of shape (n_samples,) or (n_samples_b,), or float
        Scores of the second model: for the same rows or, if not ``paired``, for those of
        ``y_true_b``. Or a number in [0, 1] to compare the first AUC with.
    paired : bool
        Whether both models score the same rows, so that their AUCs are correlated. If not, the two
        samples are independent.
    alternative : {"two-sided", "less", "greater", "non-inferiority", "equivalence"}
        The alternative hypothesis: that the first AUC differs from the second, is less, or is
        greater; or that it is not lower by the margin or more; or that the two differ by less than
        the margin.
    margin : float in (0, 1), optional
        The smallest difference that matters, for "non-inferiority" and "equivalence" of two AUCs.
        It must be chosen before looking at the data.
    method : {"t", "delong", "score"}, optional
        For two AUCs. "t": the difference divided by DeLong's standard error, with Student's t
        distribution. "delong": the same with the normal distribution if ``paired``, as in pROC,
        which rejects slightly too often in small samples. "score": the difference divided by its
        standard error under the null hypothesis, after Mee [3]_, as for two proportions with as
        many trials as give the variance of the difference, and one more row in the rarer class.
        Default: "score" with a margin, or if the variance is estimated as 0, otherwise "t".
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference; at least 0.5 for "equivalence".
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; see ``roc_auc_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; rows in the same cluster may be dependent. See ``roc_auc_ci``.
    y_true_b : array-like of shape (n_samples_b,), optional
        Labels of the second sample, if not ``paired``; defaults to ``y_true``.
    sample_weight_b, groups_b : array-like of shape (n_samples_b,), optional
        Weights and clusters of the second sample.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    RocAucTestResult
        ``statistic, pvalue, difference, standard_error, df, confidence_interval``. The standard
        error is DeLong's. If it is 0, as for equal scores or perfect separation, the interval still
        has a positive width, unless ``method`` is "t" or "delong". NaN, with an
        ``UndefinedMetricWarning``, if only one class is present, if a class has fewer than two rows
        or groups, and for "t" and "delong" if the variance of a difference of two AUCs is estimated
        as 0 although they differ or a margin is given.

    Raises
    ------
    ValueError
        Same as ``roc_auc_ci``, and for arguments of a second sample if there is none.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    Two AUCs: DeLong's test [1]_. The variance is the sum of a part from the positives and a part
    from the negatives, of each sample if there are two. "t" uses the degrees of freedom of
    Satterthwaite [4]_ for such a sum, n - 1 for a part from n rows (Kish's effective number if
    weighted), or n - 1 for a sample of n groups. "delong" and "score" use the normal distribution
    if ``paired``, and otherwise Welch's degrees of freedom with n - 1 for each sample of n rows or
    groups, as in pROC.

    Against a constant: the test that the interval of ``roc_auc_ci`` inverts, which treats the AUC
    as a proportion with the variance it has if the constant is true, with Student's t distribution
    with n - 1 degrees of freedom for n groups. So the p-value is below alpha if the interval of
    level 1 - alpha does not contain the constant. O(n log n) time; about 60 bytes of memory per
    row.

    Interval and test of each method are consistent: the p-value is below alpha if the interval of
    level 1 - alpha does not contain the hypothesized difference. For AUCs near 1, the symmetric
    interval is too short on the side of large differences, which affects tests with a margin, but
    not the test of equality.

    "non-inferiority" is a one-sided test of the difference against minus the margin. "equivalence"
    is two one-sided tests (TOST), against minus the margin and against the margin; the p-value is
    the larger of the two [2]_: it is below alpha if the interval of level 1 - alpha is within the
    margin on both sides. Both bounds of this interval are one-sided, so it equals a two-sided
    interval of level 1 - 2 alpha. To show that an AUC is not lower than a constant by a margin,
    compare it with the constant minus the margin.

    Type I error: "Tests of areas" and "Other tests" on the page "Which interval or test to take" of
    the manual.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.
    .. [2] D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power
       approach for assessing the equivalence of average bioavailability", J. Pharmacokinet.
       Biopharm. 15 (1987) 657-680.
    .. [3] R. W. Mee, "Confidence bounds for the difference between two probabilities", Biometrics
       40 (1984) 1175-1176.
    .. [4] F. E. Satterthwaite, "An approximate distribution of estimates of variance components",
       Biometrics Bulletin 2 (1946) 110-114, equation 17.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = roc_auc_test(y_true, [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2])
    >>> result.difference, round(result.pvalue, 4), round(result.df, 2)
    (0.25, 0.3562, 5.96)
    """
    function = "roc_auc_test"
    check_flag(paired, "paired", function)
    check_option(
        alternative, "alternative", (*ALTERNATIVES, _NON_INFERIORITY, _EQUIVALENCE), function
    )
    check_confidence_level(confidence_level, function)
    is_constant = is_real(score_b)
    _check_margin(margin, alternative, confidence_level, is_constant, function)
    if method is not None:
        check_option(method, "method", METHODS, function)
    if is_constant:
        refuse_given({"method": method}, "but a constant is tested by the interval of roc_auc_ci.")
        expected = "an array-like or a float in the range [0.0, 1.0]"
        check_number(score_b, "score_b", expected, lambda area: 0 <= area <= 1, function)
    if paired or is_constant:
        second = {"y_true_b": y_true_b, "sample_weight_b": sample_weight_b, "groups_b": groups_b}
        refuse_given(second, "but there is no second sample; pass paired=False.")
    with Workers(n_jobs, function) as workers:
        scores = {"score_a": score_a} | ({"score_b": score_b} if paired and not is_constant else {})
        models = read_models(y_true, scores, sample_weight, groups, function, workers, pos_label)
        if is_constant:
            return _against(as_fraction(score_b), models, alternative, confidence_level, workers)
        areas = areas_of(models, workers)
        if paired:
            difference = difference_of(areas, 0, 1)
        else:
            labels = ("y_true", y_true) if y_true_b is None else ("y_true_b", y_true_b)
            models = read_models(
                labels[1],
                {"score_b": score_b},
                sample_weight_b,
                groups_b,
                function,
                workers,
                pos_label,
                names=(labels[0], "sample_weight_b", "groups_b"),
            )
            difference = _of_samples(areas, areas_of(models, workers))
    return result_of(difference, alternative, float(confidence_level), margin, method)


def _check_margin(
    margin: Any, alternative: str, level: Any, is_constant: bool, function: str
) -> None:
    if alternative in ALTERNATIVES:
        refuse_given({"margin": margin}, f"but alternative={alternative!r} has none.")
        return
    if is_constant:
        expected = "'two-sided', 'less' or 'greater' with a constant, moved by the margin"
        raise invalid_parameter(function, "alternative", expected, alternative)
    expected = f"a float in the range (0.0, 1.0) with alternative={alternative!r}"
    check_number(margin, "margin", expected, lambda width: 0 < width < 1, function)
    if alternative == _EQUIVALENCE:
        expected = "a float in the range [0.5, 1.0), as both ends are one-sided"
        check_number(level, "confidence_level", expected, lambda share: share >= 0.5, function)


def areas_of(models: Models, workers: Workers) -> Areas | None:
    """Return the AUCs; None, with a warning, if only one class is present."""
    sample = models.weighted_sample(0)
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_one_class(sample)
        return None
    areas = compare_areas(models, workers)
    if areas.covariance is None:
        warn_undefined(_TOO_FEW)
    return areas


def _against(
    constant: Fraction, models: Models, alternative: str, level: Any, workers: Workers
) -> RocAucTestResult:
    """Return the test of an AUC against a constant that is consistent with its interval."""
    sample = models.weighted_sample(0)
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_one_class(sample)
        return result_of(Difference(math.nan, None), alternative, float(level))
    spread = spread_of(sample, models, DEFAULT_METHOD, workers)
    difference = float(spread.area) - float(constant)
    if spread.variance is None:
        warn_undefined(_TOO_FEW)
        return result_of(Difference(difference, None), alternative, float(level))
    pivot = pivot_of(spread, DEFAULT_METHOD, DEFAULT_TRANSFORM)

    def bounds(z: float) -> tuple[float, float]:
        low, high = pivot.bounds(z)
        return low - float(constant), high - float(constant)

    statistic = pivot.distance_from(constant)
    pvalue, interval = _judge(statistic, bounds, alternative, float(level), spread.df)
    error = math.sqrt(max(spread.variance, 0))
    return RocAucTestResult(statistic, pvalue, difference, error, spread.df, interval)


def difference_of(areas: Areas | None, r: int, s: int) -> Difference:
    """Return the AUC of score r minus that of score s."""
    if areas is None:
        return Difference(math.nan, None)
    difference = float(areas.areas[r] - areas.areas[s])
    if areas.covariance is None:
        return Difference(difference, None)

    def variance_in(covariance: Array) -> Any:
        return covariance[r, r] + covariance[s, s] - covariance[r, s] - covariance[s, r]

    mean = float(areas.areas[r] + areas.areas[s]) / 2
    sizes = areas.size_pos, areas.size_neg
    df = _satterthwaite(_independent_parts(areas, variance_in))
    variance = variance_in(areas.covariance)
    return Difference(difference, variance, mean, sizes, df_of_parts=df)


def _of_samples(first: Areas | None, second: Areas | None) -> Difference:
    if first is None or second is None:
        return Difference(math.nan, None)
    difference = float(first.areas[0] - second.areas[0])
    if first.covariance is None or second.covariance is None:
        return Difference(difference, None)

    def variance_in(covariance: Array) -> Any:
        return covariance[0, 0]

    variances = variance_in(first.covariance), variance_in(second.covariance)
    mean = float(first.areas[0] + second.areas[0]) / 2
    sizes = min(first.size_pos, second.size_pos), min(first.size_neg, second.size_neg)
    df = _satterthwaite(list(zip(variances, (first.n_units, second.n_units), strict=True)))
    parts = [part for areas in (first, second) for part in _independent_parts(areas, variance_in)]
    return Difference(difference, sum(variances), mean, sizes, df, _satterthwaite(parts))


def _independent_parts(
    areas: Areas, variance_in: Callable[[Array], Any]
) -> list[tuple[Any, float]]:
    """Return what parts a variance is the sum of, and from how many units each is estimated."""
    assert areas.covariance is not None
    if areas.of_classes is None:
        return [(variance_in(areas.covariance), areas.n_units)]
    sizes = areas.size_pos, areas.size_neg
    return [(variance_in(part), n) for part, n in zip(areas.of_classes, sizes, strict=True)]


def _satterthwaite(parts: list[tuple[Any, float]]) -> float:
    """Return the degrees of freedom of a sum of variances; infinity for no variance.

    An effective number of rows may be less than 2, and stands for one degree of freedom then.
    """
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return math.inf
    return 1 / sum(float(variance / total) ** 2 / max(n - 1, 1) for variance, n in parts)


def result_of(
    difference: Difference,
    alternative: str,
    level: float,
    margin: float | None = None,
    method: str | None = None,
) -> RocAucTestResult:
    """Return the test of a difference; warn for "t" and "delong" if there is no variance."""
    value, variance, df = difference.value, difference.variance, difference.df
    if variance is None:
        return RocAucTestResult(math.nan, math.nan, value, math.nan, df, NAN_INTERVAL)
    if isinstance(variance, float) and variance < LEAST_VARIANCE:
        variance = 0.0
    error = math.sqrt(max(variance, 0))
    if method is None:
        method = "t" if error and margin is None else "score"
    if method == "t":
        df = difference.df_of_parts
    if method != "score" and error == 0 and (value != 0 or margin is not None):
        warn_undefined(_NO_VARIANCE if margin is None else _NO_VARIANCE_WITHIN)
        return RocAucTestResult(math.nan, math.nan, value, 0.0, df, NAN_INTERVAL)
    distance_from, bounds = (_score if method == "score" else _wald)(difference, error)
    if margin is None:
        statistic = distance_from(0.0)
    else:
        statistic = distance_from(-float(margin))
        if alternative == _EQUIVALENCE:
            statistic = min(statistic, -distance_from(float(margin)))
    pvalue, interval = _judge(statistic, bounds, alternative, level, df)
    return RocAucTestResult(statistic, pvalue, value, error, df, interval)


# How many errors a difference is from a hypothesized one, and the bounds at a number of errors.
_Inverted = tuple[Callable[[float], float], Callable[[float], tuple[float, float]]]


def _wald(difference: Difference, error: float) -> _Inverted:
    value = difference.value

    def bounds(z: float) -> tuple[float, float]:
        return max(-1.0, value - z * error), min(1.0, value + z * error)

    return lambda supposed: (value - supposed) / error if error else 0.0, bounds


def _score(difference: Difference, error: float) -> _Inverted:
    value, mean = difference.value, difference.mean

    def of_one_row(supposed: float) -> float:
        # For AUCs with the hypothesized difference and their mean, or the nearest possible mean.
        half = abs(supposed) / 2
        middle = min(max(mean, half), 1 - half)
        return 2 * (middle * (1 - middle) - half**2)

    share = float(inverse_size_of_shares(of_one_row(value), error**2, *difference.sizes))

    def variance_at(supposed: float) -> float:
        return max(0.0, share * of_one_row(supposed))

    return (
        lambda supposed: score_distance(value, supposed, variance_at(supposed)),
        lambda z: score_bounds(value, (-1.0, 1.0), variance_at, z),
    )


def _judge(
    statistic: float,
    bounds: Callable[[float], tuple[float, float]],
    alternative: str,
    level: float,
    df: float,
) -> tuple[float, ConfidenceInterval]:
    """Return the p-value of a statistic, and the interval at a confidence level."""
    tail_of, quantile_of = student(df)
    if alternative == "two-sided":
        pvalue = min(1.0, 2 * tail_of(abs(statistic)))
        return pvalue, ConfidenceInterval(*bounds(quantile_of((1 - level) / 2)))
    pvalue = tail_of(-statistic if alternative == "less" else statistic)
    low, high = bounds(quantile_of(1 - level))
    if alternative == _EQUIVALENCE:
        return pvalue, ConfidenceInterval(low, high)
    if alternative == "less":
        return pvalue, ConfidenceInterval(-1.0, high)
    return pvalue, ConfidenceInterval(low, 1.0)


@result("fastauc.inference")
class RocAucCovariance(NamedTuple):
    """The AUCs of several scores on the same rows, and their covariance.

    Attributes
    ----------
    areas : float64 array of shape (n_models,)
        The same values as ``roc_auc_score``.
    covariance : float64 array of shape (n_models, n_models)
        The estimated covariance of the AUCs.
    names : tuple
        The names of the models: the columns of a DataFrame, otherwise their positions.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_covariance
    >>> areas = roc_auc_covariance([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 2, 2, 3]})
    >>> areas.names, areas.areas
    (('a', 'b'), array([0.75 , 0.875]))
    """

    areas: NDArray[np.float64]
    covariance: NDArray[np.float64]
    names: tuple[Any, ...]

    def _columns(self) -> dict[str, Array]:
        covariance = dict(zip(self.names, self.covariance, strict=True))
        return {
            "name": np.fromiter(self.names, object),
            "area": self.areas,
            "standard_error": np.sqrt(np.diag(self.covariance)),
            **{f"covariance_{name}": column for name, column in covariance.items()},
        }

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each model."""
        return to_pandas(self)


@result("fastauc.inference")
class RocAucPairwiseTest(NamedTuple):
    """One of the comparisons of ``roc_auc_pairwise_tests``.

    Attributes
    ----------
    first, second : object
        The names of the two models.
    difference : float
        The AUC of the first minus that of the second.
    standard_error : float
        Of the difference.
    statistic, pvalue : float
        As in ``RocAucTestResult``, two-sided.
    adjusted_pvalue : float
        Adjusted for multiple comparisons by Holm's method, which controls the family-wise error
        rate.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_pairwise_tests
    >>> scores = [[1, 3, 2, 4], [1, 2, 2, 3], [4, 3, 2, 1]]
    >>> [(test.first, test.second) for test in roc_auc_pairwise_tests([0, 0, 1, 1], scores)]
    [(0, 1), (0, 2), (1, 2)]
    """

    first: Any
    second: Any
    difference: float
    standard_error: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float


@result("fastauc.inference")
class RocAucPairwiseTests(list[RocAucPairwiseTest]):
    """The pairwise comparisons of several models: a list that is displayed as a table.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_pairwise_tests
    >>> scores = {"a": [1, 3, 2, 4], "b": [1, 2, 2, 3], "c": [4, 3, 2, 1]}
    >>> tests = roc_auc_pairwise_tests([0, 0, 1, 1], scores)
    >>> tests[0].second, len(tests)
    ('b', 3)
    """

    __slots__ = ()

    def _columns(self) -> dict[str, Array]:
        columns: dict[str, Array] = {}
        for name in RocAucPairwiseTest._fields:
            kind = object if name in ("first", "second") else float
            columns[name] = np.fromiter((getattr(test, name) for test in self), kind)
        return columns

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each comparison."""
        return to_pandas(self)


def roc_auc_covariance(
    y_true: ArrayLike,
    scores: Any,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RocAucCovariance:
    """Return the AUCs of several models on the same rows, and their covariance matrix.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    scores : matrix of shape (n_samples, n_models), DataFrame, dict or sequence of arrays
        Finite scores of each model, of any numeric dtype; higher means more likely positive.
        Two-dimensional arrays and DataFrames have one column per model; lists, tuples and dicts
        hold one array per model.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; see ``roc_auc_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; rows in the same cluster may be dependent. See ``roc_auc_ci``.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    RocAucCovariance
        ``areas``, ``covariance`` and ``names``. NaN, with an ``UndefinedMetricWarning``, if only
        one class is present, and a covariance of NaN if a class has fewer than two rows or groups.

    Raises
    ------
    ValueError
        Same as ``roc_auc_ci``, and if there are no models.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    DeLong's estimate [1]_, from integers unless there are weights. O(k n log n + k^2 n) time for k
    models; 8 k + 60 bytes of memory per row.

    A tied pair counts one half, in the AUCs and in the placements.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_covariance
    >>> result = roc_auc_covariance([0, 0, 1, 1], [[1, 3, 2, 4], [1, 2, 2, 3]])
    >>> result.areas
    array([0.75 , 0.875])
    >>> result.covariance
    array([[0.125  , 0.0625 ],
           [0.0625 , 0.03125]])
    """
    function = "roc_auc_covariance"
    check_n_jobs(n_jobs, function)
    names, areas = _compare(y_true, scores, sample_weight, groups, pos_label, function, n_jobs)
    n_models = len(names)
    if areas is None:
        values, covariance = np.full(n_models, math.nan), None
    else:
        values, covariance = np.array([float(area) for area in areas.areas]), areas.covariance
    if covariance is None:
        return RocAucCovariance(values, np.full((n_models, n_models), math.nan), names)
    return RocAucCovariance(values, covariance.astype(np.float64), names)


def roc_auc_pairwise_tests(
    y_true: ArrayLike,
    scores: Any,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RocAucPairwiseTests:
    """Test all pairs of several models on the same rows, with adjusted p-values.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    scores : matrix of shape (n_samples, n_models), DataFrame, dict or sequence of arrays
        Scores of each model, as for ``roc_auc_covariance``.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; see ``roc_auc_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; rows in the same cluster may be dependent. See ``roc_auc_ci``.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    RocAucPairwiseTests
        A list of ``RocAucPairwiseTest``, one for every pair of models, in order: two-sided tests as
        in ``roc_auc_test``, with p-values adjusted by Holm's method [1]_. NaN as there; NaN
        p-values are excluded from the adjustment.

    Raises
    ------
    ValueError
        Same as ``roc_auc_covariance``.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    Every model is sorted once. Time and memory as for ``roc_auc_covariance``.

    Ties and samples of one class are treated as in ``roc_auc_test``.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6
       (1979) 65-70.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_pairwise_tests
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = {"a": [1, 2, 3, 6, 4, 5, 7, 8], "b": [1, 5, 2, 4, 3, 6, 4, 2]}
    >>> test, = roc_auc_pairwise_tests(y_true, scores)
    >>> test.first, test.second, test.difference
    ('a', 'b', 0.25)
    """
    function = "roc_auc_pairwise_tests"
    check_n_jobs(n_jobs, function)
    names, areas = _compare(y_true, scores, sample_weight, groups, pos_label, function, n_jobs)
    pairs = list(combinations(range(len(names)), 2))
    results = [result_of(difference_of(areas, r, s), "two-sided", 0.95) for r, s in pairs]
    adjusted = _adjust([result.pvalue for result in results])
    return RocAucPairwiseTests(
        RocAucPairwiseTest(
            names[r],
            names[s],
            result.difference,
            result.standard_error,
            result.statistic,
            result.pvalue,
            pvalue,
        )
        for (r, s), result, pvalue in zip(pairs, results, adjusted, strict=True)
    )


def _compare(
    y_true: object,
    scores: object,
    sample_weight: object,
    groups: object,
    pos_label: Label | None,
    function: str,
    n_jobs: int | None,
) -> tuple[tuple[Any, ...], Areas | None]:
    names, columns = read_columns(scores, function)
    with Workers(n_jobs) as workers:
        models = read_models(y_true, columns, sample_weight, groups, function, workers, pos_label)
        return names, areas_of(models, workers)


def _adjust(pvalues: list[float]) -> list[float]:
    """Return Holm's adjusted p-values: each times the number of those not below it."""
    order = sorted((k for k, p in enumerate(pvalues) if not math.isnan(p)), key=pvalues.__getitem__)
    adjusted = [math.nan] * len(pvalues)
    largest = 0.0
    for place, k in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * pvalues[k]))
        adjusted[k] = largest
    return adjusted
