"""``roc_auc_test`` and ``compare_roc_auc``: whether areas differ, from each other or a constant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, compress
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.columns import (
    Directions,
    Models,
    find_lower,
    read_columns,
    read_models,
    read_pair,
)
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import Adjustment, AlternativeWithMargin, AreaTest, NanPolicy
from fastauc._validation.options import (
    RateRange,
    check_confidence_level,
    check_integer,
    check_n_jobs,
    check_number,
    check_option,
    is_real,
    read_rng,
    refuse_given,
)
from fastauc._validation.threads import Workers
from fastauc.inference import _permutation as permutation
from fastauc.inference._delong import (
    TOO_FEW,
    Spread,
    areas_of,
    difference_of,
    has_both_classes,
    read_part,
    scale_of,
    share_of,
    spread_of,
)
from fastauc.inference._pivots import EQUIVALENCE, Pivot, of_difference, pivot_of, wald
from fastauc.inference._results import ALTERNATIVES, DifferenceTestResult, untested

METHODS = get_args(AreaTest)
_DEFAULT_LEVEL, _DEFAULT_RESAMPLES = 0.95, 9999

_NO_VARIANCE = (
    "The variance of the difference is estimated as 0, although the AUCs differ: the test is "
    "undefined."
)
_NO_INTERVAL = (
    "The variance of the difference is estimated as 0: the interval is undefined. method='score' "
    "has one."
)
_NO_VARIANCE_WITHIN = (
    "The variance of the difference is estimated as 0, which says nothing about how far apart the "
    "AUCs may be: a test with a margin is undefined."
)


def roc_auc_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike | float,
    *,
    alternative: AlternativeWithMargin = "two-sided",
    margin: float | None = None,
    method: AreaTest | None = None,
    confidence_level: float | None = None,
    fpr_range: Any = None,
    tpr_range: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    y_true_b: ArrayLike | None = None,
    sample_weight_b: ArrayLike | None = None,
    groups_b: ArrayLike | None = None,
    higher_is_positive: Directions = True,
    nan_policy: NanPolicy = "raise",
    n_resamples: int | None = None,
    rng: Any = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> DifferenceTestResult:
    """Test whether two AUCs differ, or whether one differs from a constant.

    Parameters
    ----------
    y_true, score_a : array-like of shape (n_samples,)
        The labels, and the scores of the first model, as in ``roc_auc_ci``.
    score_b : array-like of shape (n_samples,) or (n_samples_b,), or float
        Scores of the second model: for the same rows or, if ``y_true_b`` is given, for those of an
        independent sample. Or a number in [0, 1] to compare the first AUC with.
    alternative : {"two-sided", "less", "greater", "non-inferiority", "equivalence"}
        The alternative hypothesis: that the first AUC differs from the second, is less, or is
        greater; or, of two AUCs, that it is not lower by the margin or more; or that the two differ
        by less than the margin.
    margin : float in (0, 1), optional
        The smallest difference that matters, for "non-inferiority" and "equivalence". It must be
        chosen before looking at the data.
    method : str, optional
        "t": the difference divided by DeLong's standard error, with Student's t distribution.
        "delong": the same with the normal distribution, or of two samples with Welch's degrees of
        freedom, as in pROC; it rejects slightly too often in small samples.
        "score": the difference divided by its standard error under the null hypothesis, as for
        proportions with as many trials as give DeLong's variance, and one more row in the rarer
        class: after Mee [3]_, and against a constant the test that Wilson's interval of
        ``roc_auc_ci`` inverts.
        "permutation": exact if that is feasible, otherwise by random permutations; against 0.5,
        the Wilcoxon-Mann-Whitney test, exact without ties if a class has at most eight rows,
        otherwise with the normal approximation. "permutation-exact", "permutation-random" and
        "permutation-normal" select one of these; see below.
        Default: "score" against a constant, with a margin, or if the variance is estimated as 0;
        otherwise "t".
    confidence_level : float in (0, 1), optional
        The nominal coverage of the interval for the difference, 0.95 by default; at least 0.5 for
        "equivalence". Not for permutation tests, which have no interval.
    fpr_range, tpr_range : (float, float), optional
        To compare standardized partial AUCs over a range of one of the rates, as in
        ``partial_roc_auc_score``; a constant and a margin are on the same scale.
    sample_weight, groups : array-like of shape (n_samples,), optional
        As in ``roc_auc_ci``. Not for permutation tests.
    y_true_b : array-like of shape (n_samples_b,), optional
        Labels of a second sample, which is independent of the first.
    sample_weight_b, groups_b : array-like of shape (n_samples_b,), optional
        Weights and clusters of the second sample.
    n_resamples : int, optional
        Number of random permutations, 9,999 by default. For "permutation-random", and for
        "permutation" of two scores.
    rng : Generator, BitGenerator, SeedSequence, int or None
        Seed or generator for them; a seed makes the result reproducible. It does not depend on the
        number of threads, nor on the order of the rows.
    higher_is_positive : bool, dict or pair of bool
        False for scores that are lower for positives, like the points of a scorecard for bad loans:
        one value for both scores; or one for each, as (False, True) or {"score_a": False}. Of
        scores that are Series, or columns of a DataFrame, by their own names: {"points": False}.
    pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_ci``.

    Returns
    -------
    DifferenceTestResult
        ``statistic, pvalue, difference, standard_error, df, confidence_interval, method``. If the
        standard error is 0, as for equal scores or perfect separation, the interval still has a
        positive width. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present, if a class has fewer than two rows
        or groups, and for "t" and "delong" if the variance is estimated as 0, except for the
        p-value of a difference of 0. The p-value of random
        permutations is (b + 1) / (n_resamples + 1), where b is the number of those that are at
        least as extreme [5]_; 1 if all scores are tied, or both models rank all rows alike.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``; and for "permutation-exact" if scores of one model are tied, or if it
        would take too long.

    See Also
    --------
    compare_roc_auc : Several models, with p-values adjusted for multiple comparisons.
    roc_curve_test : For curves that differ even if their AUCs do not.
    bootstrap_test : For other metrics.

    Notes
    -----
    Two AUCs: DeLong's test [1]_. The variance is the sum of a part from the positives and a part
    from the negatives, of each sample if there are two. "t" uses the degrees of freedom of
    Satterthwaite [4]_ for such a sum, n - 1 for a part from n rows (Kish's effective number if
    weighted); of groups, the parts are those from groups with positives only, with negatives only,
    and with both. So does "score" with weights or groups, and for partial AUCs, for which only the
    rows expected in the range count of the class whose rate bounds it; but against a constant, a
    partial AUC has one less than the rarer class has rows. O(n log n) time; about 60 bytes of
    memory per row.

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

    Permutation tests have the null hypothesis that the scores of both classes have the same
    distribution, or that both curves are identical; if only the AUCs are equal, they may reject too
    often. Against 0.5, "permutation-normal" and "permutation-exact" are those of
    ``scipy.stats.mannwhitneyu``: the variance is corrected for ties, with a continuity correction
    of half a pair. The exact test takes the product of the numbers of pairs (at most 2^20) and of
    rows of the rarer class. Two scores of the same rows: the test of Bandos, Rockette and Gur [6]_.
    Both scores are converted to ranks (midranks for ties), and each row either exchanges its two
    ranks or not. Twice the difference of the pairs across both models is then a sum of one term a
    row with a random sign, whose exact distribution is feasible for hundreds of rows; the variance
    of "permutation-normal" is over all exchanges. Two samples: the rows of each class exchange
    their positions between the samples, as in ``roc_curve_test``; exact for up to 2^14 exchanges.

    Type I error of each method: "Tests of areas" and "Other tests" on the page "Which interval or
    test to use" of the manual.

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
    .. [5] B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Stat. Appl.
       Genet. Mol. Biol. 9 (2010) 39.
    .. [6] A. I. Bandos, H. E. Rockette and D. Gur, "A permutation test sensitive to differences in
       areas for comparing ROC curves from a paired design", Stat. Med. 24 (2005) 2873-2893.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> result = roc_auc_test(y_true, score_a, score_b)
    >>> result.difference, round(result.pvalue, 4), round(result.df, 2)
    (0.25, 0.3562, 5.96)
    >>> roc_auc_test(y_true, score_a, 0.5, method="delong").pvalue < 0.05
    True
    >>> roc_auc_test(y_true, score_a, score_b, method="permutation")[:2]
    (0.25, 0.375)
    """
    function = "roc_auc_test"
    check_option(alternative, "alternative", get_args(AlternativeWithMargin), function)
    if method is not None:
        check_option(method, "method", METHODS, function)
    is_constant, is_second = is_real(score_b), y_true_b is not None
    level = _DEFAULT_LEVEL if confidence_level is None else confidence_level
    check_confidence_level(level, function)
    _check_margin(margin, alternative, level, is_constant, function)
    if is_constant:
        expected = "an array-like or a float in the range [0.0, 1.0]"
        check_number(score_b, "score_b", expected, lambda area: 0 <= area <= 1, function)
        refuse_given({"y_true_b": y_true_b}, "but score_b is a constant.")
    if not is_second:
        second = {"sample_weight_b": sample_weight_b, "groups_b": groups_b}
        refuse_given(second, "but there is no second sample, which would have y_true_b.")
    ranges = {"fpr_range": fpr_range, "tpr_range": tpr_range}
    design = {"sample_weight": sample_weight, "groups": groups}
    draws = {"n_resamples": n_resamples, "rng": rng}
    if method in permutation.METHODS:
        design |= {"sample_weight_b": sample_weight_b, "groups_b": groups_b}
        unused = ranges | design | {"margin": margin, "confidence_level": confidence_level}
        refuse_given(unused, f"but method={method!r} cannot use it.")
        if alternative not in ALTERNATIVES:
            expected = f"'two-sided', 'less' or 'greater' with method={method!r}"
            raise invalid_parameter(function, "alternative", expected, alternative)
        if is_constant and score_b != 0.5:
            expected = f"an array-like or 0.5 with method={method!r}"
            raise invalid_parameter(function, "score_b", expected, score_b)
        if method == permutation.NORMAL:
            refuse_given({"y_true_b": y_true_b}, f"but method={method!r} cannot use it.")
    if method not in permutation.METHODS or not _may_draw(str(method), is_constant):
        refuse_given(draws, f"but method={method!r} draws no permutations.")
    n_resamples = _DEFAULT_RESAMPLES if n_resamples is None else n_resamples
    check_integer(n_resamples, "n_resamples", 1, function)
    generator, part = read_rng(rng, function), read_part(fpr_range, tpr_range, function)
    with Workers(n_jobs, function) as workers:
        samples = read_pair(
            function,
            (y_true, y_true_b),
            (score_a, None if is_constant else score_b),
            higher_is_positive,
            (sample_weight, sample_weight_b),
            (groups, groups_b),
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
        )
        if method in permutation.METHODS:
            how = permutation.Draws(n_resamples, generator, workers)
            return _permute(samples, alternative, str(method), how)
        if is_constant:
            constant = as_fraction(score_b)
            return _against(
                constant, samples[0], alternative, method or "score", level, part, workers
            )
        areas = [areas_of(models, workers, part) for models in samples]
    part = None if areas[0] is None else areas[0].part
    return judge_difference(difference_of(areas), alternative, float(level), margin, method, part)


def _may_draw(method: str, is_constant: bool) -> bool:
    """Return whether a permutation test can be one by random permutations."""
    return method == permutation.RANDOM or (method == "permutation" and not is_constant)


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
    if alternative == EQUIVALENCE:
        expected = "a float in the range [0.5, 1.0), as both ends are one-sided"
        check_number(level, "confidence_level", expected, lambda share: share >= 0.5, function)


def _permute(
    samples: Sequence[Models], alternative: str, method: str, draws: permutation.Draws
) -> DifferenceTestResult:
    of_scores = [sample for models in samples for sample in models.samples()]
    if not all(map(has_both_classes, of_scores[:: len(samples[0].scores)])):
        return untested(math.nan, method)
    if len(samples) == 2:
        found = permutation.exchange_places(of_scores, alternative, method, draws)
    elif len(of_scores) == 2:
        found = permutation.exchange_ranks(of_scores, alternative, method, draws)
    else:
        found = permutation.permute_labels(of_scores[0], alternative, method, draws)
    difference, pvalue, method = found
    return untested(difference, method, statistic=difference, pvalue=pvalue)


def _against(
    constant: Fraction,
    models: Models,
    alternative: str,
    method: str,
    level: Any,
    part: RateRange | None,
    workers: Workers,
) -> DifferenceTestResult:
    """Return the test of an area against a constant that is consistent with its interval."""
    sample = models.weighted_sample(0)
    if not has_both_classes(sample):
        return untested(math.nan, method)
    spread, part = spread_of(sample, models, workers, part)
    supposed = share_of(constant, part)
    difference = float(spread.value) - float(supposed)
    if spread.variance is None:
        warn_undefined(TOO_FEW)
        return _on_scale(untested(difference, method), part)
    if method == "score":
        pivot = pivot_of(spread, "wilson")
    elif spread.error == 0:
        return _without_variance(difference, alternative, None, method, part)
    else:
        df = spread.df_of_parts if method == "t" else math.inf
        pivot = wald(float(spread.value), spread.error, method, df, (0.0, 1.0))

    def bounds(z: float) -> tuple[float, float]:
        low, high = pivot.bounds(z)
        return low - float(supposed), high - float(supposed)

    moved = Pivot(method, lambda _: pivot.distance_from(supposed), bounds, pivot.df)
    return _result(moved, difference, spread.error, alternative, float(level), None, part)


def judge_difference(
    spread: Spread,
    alternative: str,
    level: float,
    margin: float | None = None,
    method: str | None = None,
    part: RateRange | None = None,
) -> DifferenceTestResult:
    """Return the test of a difference; NaN, with a warning, for "t" and "delong" without variance.

    The margin is on the scale of the result.
    """
    value, error = float(spread.value), spread.error
    if spread.variance is None:
        return _on_scale(untested(value, method or "t", df=spread.df), part)
    if method is None:
        method = "t" if error and margin is None else "score"
    if method == "score":
        pivot = of_difference(spread)
    elif error == 0:
        return _without_variance(value, alternative, margin, method, part)
    else:
        pivot = wald(value, error, method, spread.df_of_parts if method == "t" else spread.df)
    return _result(pivot, value, error, alternative, level, margin, part)


def _without_variance(
    difference: float, alternative: str, margin: float | None, method: str, part: RateRange | None
) -> DifferenceTestResult:
    """Return what "t" and "delong" say if they see no error: equal areas at most, no interval."""
    known = {"standard_error": 0.0}
    if difference == 0 and margin is None:
        known |= {"statistic": 0.0, "pvalue": 1.0 if alternative == "two-sided" else 0.5}
        warn_undefined(_NO_INTERVAL)
    else:
        warn_undefined(_NO_VARIANCE if margin is None else _NO_VARIANCE_WITHIN)
    return _on_scale(untested(difference, method, **known), part)


def _result(
    pivot: Pivot,
    difference: float,
    error: float,
    alternative: str,
    level: float,
    margin: float | None,
    part: RateRange | None,
) -> DifferenceTestResult:
    slope, _ = scale_of(part)
    within = None if margin is None else float(margin) / slope
    statistic, pvalue, interval = pivot.judge(alternative, level, 0.0, within)
    found = DifferenceTestResult(
        statistic, pvalue, difference, error, pivot.df, interval, pivot.method
    )
    return _on_scale(found, part)


def _on_scale(found: DifferenceTestResult, part: RateRange | None) -> DifferenceTestResult:
    """Return a test of shares on the standardized scale."""
    if part is None:
        return found
    slope, _ = scale_of(part)
    return found._replace(
        difference=found.difference * slope,
        standard_error=found.standard_error * slope,
        confidence_interval=ConfidenceInterval(*(end * slope for end in found.confidence_interval)),
    )


# Several models ----------------------------------------------------------------------------------


ADJUSTMENTS = (*get_args(Adjustment), None)


@result("fastauc.inference")
class PairwiseTests(NamedTuple):
    """The tests of all pairs of several models, as parallel arrays.

    Attributes
    ----------
    first, second : object arrays of shape (n_pairs,)
        The names of the two models.
    difference, standard_error : float64 arrays of shape (n_pairs,)
        The AUC of the first minus that of the second, and its standard error.
    low, high : float64 arrays of shape (n_pairs,)
        The bounds of the 95% interval of the difference.
    statistic, pvalue : float64 arrays of shape (n_pairs,)
        As of ``roc_auc_test``, two-sided.
    adjusted_pvalue : float64 array of shape (n_pairs,)
        The p-value adjusted for the number of comparisons.
    method : object array of shape (n_pairs,)
        "t", or "score" if the variance is estimated as 0.

    Examples
    --------
    >>> from fastauc.inference import compare_roc_auc
    >>> scores = {"a": [1, 3, 2, 4], "b": [1, 2, 2, 3], "c": [4, 3, 2, 1]}
    >>> compare_roc_auc([0, 0, 1, 1], scores).pairwise().second.tolist()
    ['b', 'c', 'c']
    """

    first: NDArray[Any]
    second: NDArray[Any]
    difference: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    statistic: NDArray[np.float64]
    pvalue: NDArray[np.float64]
    adjusted_pvalue: NDArray[np.float64]
    method: NDArray[Any]

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each pair."""
        return to_pandas(self)


@result("fastauc.inference")
class RocAucComparison(NamedTuple):
    """The AUCs of several models on the same rows, and their covariance.

    Attributes
    ----------
    names : tuple
        The names of the models: the columns of a DataFrame, otherwise their positions.
    areas : float64 array of shape (n_models,)
        The same values as ``roc_auc_score``.
    covariance : float64 array of shape (n_models, n_models)
        The estimated covariance of the AUCs.
    tests : tuple of DifferenceTestResult
        For every pair of models, in order: the result of ``roc_auc_test``.
    adjust : str or None
        How ``pairwise`` adjusts p-values.
    method : str
        The method used for the covariance: "delong".

    Examples
    --------
    >>> from fastauc.inference import compare_roc_auc
    >>> compare_roc_auc([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 2, 2, 3]})
    name   area  standard_error  covariance_a  covariance_b
       a  0.750        0.353553        0.1250       0.06250
       b  0.875        0.176777        0.0625       0.03125
    <BLANKLINE>
    adjust holm, method delong
    """

    names: tuple[Any, ...]
    areas: NDArray[np.float64]
    covariance: NDArray[np.float64]
    tests: tuple[DifferenceTestResult, ...]
    adjust: str | None
    method: str

    def pairwise(self) -> PairwiseTests:
        """Return the tests of all pairs of models, with adjusted p-values.

        "holm" multiplies each by the number of those not below it and keeps them in order, which
        controls the family-wise error rate; "bonferroni" multiplies each by the number of pairs.
        NaN p-values are excluded.
        """
        pairs = list(combinations(range(len(self.names)), 2))
        first, second = (np.empty(len(pairs), object) for _ in range(2))
        for place, pair in enumerate(pairs):
            first[place], second[place] = (self.names[model] for model in pair)
        pvalues = [test.pvalue for test in self.tests]
        rows = [
            (test.difference, test.standard_error, *test.confidence_interval, test.statistic)
            for test in self.tests
        ]
        difference, error, low, high, statistic = np.array(rows, np.float64).reshape(-1, 5).T
        adjusted = np.array(_adjust(pvalues, self.adjust))
        methods = np.array([test.method for test in self.tests], object)
        return PairwiseTests(
            *(first, second, difference, error, low, high, statistic),
            *(np.array(pvalues), adjusted, methods),
        )

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


def compare_roc_auc(
    y_true: ArrayLike,
    scores: Any,
    *,
    adjust: Adjustment | None = "holm",
    higher_is_positive: Directions = True,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> RocAucComparison:
    """Compare the AUCs of several models on the same rows, two by two.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        As in ``roc_auc_ci``.
    scores : matrix of shape (n_samples, n_models), DataFrame, dict or sequence of arrays
        Finite scores of each model, of any numeric dtype. Two-dimensional arrays and DataFrames
        have one column per model; lists, tuples and dicts hold one array per model.
    adjust : {"holm", "bonferroni"} or None
        How p-values are adjusted for the number of pairs: by Holm's method [1]_, Bonferroni's, or
        not at all.
    higher_is_positive : bool, dict or sequence of bool
        False for scores that are lower for positives, like the points of a scorecard for bad loans.
        One value for all models; or one for each, as (False, True), or as {"points": False}, where
        models that are not named are True; in a list, Series by their own names.
    sample_weight, groups, pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_ci``.

    Returns
    -------
    RocAucComparison
        ``areas`` and their ``covariance``, and ``pairwise()``: the tests of ``roc_auc_test`` of
        every pair, two-sided. NaN, with an ``UndefinedMetricWarning``, if only one class is
        present, and a covariance of NaN if a class has fewer than two rows or groups.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``, and if there are no models.

    Notes
    -----
    DeLong's estimate, from integers unless there are weights; a tied pair counts one half.
    Every model is sorted once: O(k n log n + k^2 n) time for k models; 8 k + 60 bytes of memory per
    row.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6
       (1979) 65-70.

    Examples
    --------
    >>> from fastauc.inference import compare_roc_auc
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = {"a": [1, 2, 3, 6, 4, 5, 7, 8], "b": [1, 5, 2, 4, 3, 6, 4, 2]}
    >>> comparison = compare_roc_auc(y_true, scores)
    >>> comparison.areas
    array([0.875, 0.625])
    >>> comparison.pairwise().difference
    array([0.25])

    Points of a scorecard against a probability of default:

    >>> scores = {"points": [9, 7, 8, 5, 6, 4, 2, 1], "pd": [1, 2, 1, 4, 3, 5, 4, 9]}
    >>> compare_roc_auc(y_true, scores, higher_is_positive={"points": False}).areas
    array([0.9375 , 0.90625])
    """
    function = "compare_roc_auc"
    check_option(adjust, "adjust", ADJUSTMENTS, function)
    check_n_jobs(n_jobs, function)
    names, columns = read_columns(scores, function)
    own = scores if isinstance(scores, (list, tuple)) else ()
    lower = list(compress(columns, find_lower(higher_is_positive, names, function, own)))
    with Workers(n_jobs, function) as workers:
        models = read_models(
            function,
            y_true,
            columns,
            sample_weight,
            groups,
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
            lower=lower,
        )
        found = areas_of(models, workers)
    n_models = len(names)
    areas, covariance = np.full(n_models, math.nan), np.full((n_models, n_models), math.nan)
    if found is not None:
        areas = np.array([float(area) for area in found.areas])
        if found.covariance is not None:
            covariance = found.covariance.astype(np.float64)
    tests = tuple(
        judge_difference(difference_of([found], r, s), "two-sided", 0.95)
        for r, s in combinations(range(n_models), 2)
    )
    return RocAucComparison(names, areas, covariance, tests, adjust, "delong")


def _adjust(pvalues: list[float], adjust: str | None) -> list[float]:
    """Return adjusted p-values; NaN where they are."""
    order = sorted((k for k, p in enumerate(pvalues) if not math.isnan(p)), key=pvalues.__getitem__)
    adjusted = [math.nan] * len(pvalues)
    largest = 0.0
    for place, k in enumerate(order):
        times = {"holm": len(order) - place, "bonferroni": len(order), None: 1}[adjust]
        largest = max(largest, min(1.0, times * pvalues[k]))
        adjusted[k] = largest
    return adjusted
