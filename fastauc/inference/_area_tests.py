"""Tests of areas: two models on the same rows, two independent samples, one area and a constant."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, get_args

from numpy.typing import ArrayLike

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._validation.arrays import as_fraction
from fastauc._validation.columns import Directions, Models, read_models, read_pair, read_two_samples
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.literals import Alternative, AlternativeWithMargin, NanPolicy
from fastauc._validation.options import (
    RateRange,
    check_confidence_level,
    check_number,
    check_option,
    refuse_given,
)
from fastauc._validation.threads import Workers
from fastauc.inference._delong import (
    Spread,
    areas_of,
    difference_of,
    has_both_classes,
    read_part,
    scale_of,
    share_of,
    spread_of,
)
from fastauc.inference._pivots import EQUIVALENCE, default_of_difference, pivot_of
from fastauc.inference._results import ALTERNATIVES, DifferenceTestResult, untested


def roc_auc_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    alternative: AlternativeWithMargin = "two-sided",
    margin: float | None = None,
    confidence_level: float = 0.95,
    fpr_range: Any = None,
    tpr_range: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    higher_is_positive: Directions = True,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> DifferenceTestResult:
    """Test whether the AUCs of two models on the same rows differ.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The labels, as in ``roc_auc_ci``.
    score_a, score_b : array-like of shape (n_samples,)
        The scores of the two models.
    alternative : {"two-sided", "less", "greater", "non-inferiority", "equivalence"}
        The alternative hypothesis: that the first AUC differs from the second, is less, or is
        greater; that it is not lower by the margin or more; or that the two differ by less than the
        margin.
    margin : float in (0, 1), optional
        The smallest difference that matters, for "non-inferiority" and "equivalence". It must be
        chosen before looking at the data.
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference; at least 0.5 for "equivalence".
    fpr_range, tpr_range : (float, float), optional
        To compare standardized partial AUCs over a range of one of the rates, as in
        ``partial_roc_auc_score``; a margin is on the same scale.
    sample_weight, groups : array-like of shape (n_samples,), optional
        As in ``roc_auc_ci``.
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
        positive width. NaN, with an ``UndefinedMetricWarning``, if only one class is present, if a
        class has fewer than two rows or groups.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``.

    See Also
    --------
    roc_auc_test_ind : Two models, or one, on two independent samples.
    roc_auc_test_1samp : One AUC and a constant.
    compare_roc_auc : Several models, with p-values adjusted for multiple comparisons.
    permutation_test : By exchanges; and for curves that differ even if their AUCs do not.
    bootstrap_test : For other metrics.

    Notes
    -----
    DeLong's test [1]_: the difference divided by its standard error, with Student's t distribution
    ("t"); with a margin, or with fewer than ten rows or groups of a class (Kish's effective
    number), or if the variance is estimated as 0, divided by its standard error under the null
    hypothesis, as for proportions with as many trials as give DeLong's variance, and one more row
    in the rarer class ("score", after Mee [3]_). ``method`` of the result says which. The normal
    distribution, as in pROC, rejects too often with few rows of a class.

    The variance is the sum of a part from the positives and a part from the negatives. "t" uses the
    degrees of freedom of Satterthwaite [4]_ for such a sum, n - 1 for a part from n rows (Kish's
    effective number if weighted); of groups, the parts are those from groups with positives only,
    with negatives only, and with both. So does "score" with weights or groups, and for partial
    AUCs, for which only the rows expected in the range count of the class whose rate bounds it.
    O(n log n) time; about 60 bytes of memory per row.

    Interval and test are consistent: the p-value is below alpha if the interval of level 1 - alpha
    does not contain the hypothesized difference. For AUCs near 1, the symmetric interval is too
    short on the side of large differences, which does not affect the test of equality: away from 0,
    the interval of "t" reaches at least as far as that of "score", with a part of a row added.

    "non-inferiority" is a one-sided test of the difference against minus the margin. "equivalence"
    is two one-sided tests (TOST), against minus the margin and against the margin; the p-value is
    the larger of the two [2]_: it is below alpha if the interval of level 1 - alpha is within the
    margin on both sides. Both bounds of this interval are one-sided, so it equals a two-sided
    interval of level 1 - 2 alpha.

    Type I error: "Tests of areas" and "Other tests" on the page "Which interval or
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

    Examples
    --------
    >>> from fastauc.inference import roc_auc_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> result = roc_auc_test(y_true, score_a, score_b)
    >>> result.difference, round(result.pvalue, 4), round(result.df, 2)
    (0.25, 0.3736, inf)
    """
    function, scores = "roc_auc_test", (score_a, score_b)
    rule = _read_rule(alternative, margin, confidence_level, function)
    part = read_part(fpr_range, tpr_range, function)
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_pair(how, y_true, scores, higher_is_positive, sample_weight, groups)
        return _judge([models], workers, rule, part)


def roc_auc_test_ind(
    y_true_a: ArrayLike,
    score_a: ArrayLike,
    y_true_b: ArrayLike,
    score_b: ArrayLike,
    *,
    alternative: AlternativeWithMargin = "two-sided",
    margin: float | None = None,
    confidence_level: float = 0.95,
    fpr_range: Any = None,
    tpr_range: Any = None,
    sample_weight: tuple[ArrayLike | None, ArrayLike | None] | None = None,
    groups: tuple[ArrayLike | None, ArrayLike | None] | None = None,
    higher_is_positive: Directions = True,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> DifferenceTestResult:
    """Test whether the AUCs of two independent samples differ.

    Parameters
    ----------
    y_true_a, score_a : array-like of shape (n_samples_a,)
        The labels and the scores of the first sample.
    y_true_b, score_b : array-like of shape (n_samples_b,)
        The labels and the scores of the second sample, which may be of another model.
    alternative, margin, confidence_level, fpr_range, tpr_range
        As in ``roc_auc_test``.
    sample_weight, groups : pair of array-likes of shape (n_samples_a,), (n_samples_b,), or None
        The weights, and the clusters, of the first and of the second sample, as in ``roc_auc_ci``.
        Each of the two may be None.
    higher_is_positive, pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_test``.

    Returns
    -------
    DifferenceTestResult
        As of ``roc_auc_test``.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``.

    See Also
    --------
    roc_auc_test : Two models on the same rows; with references.

    Notes
    -----
    As for ``roc_auc_test``; the variance has a part from each class of each sample, with
    Satterthwaite's degrees of freedom (1946). O(n log n) time.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_test_ind
    >>> first = [0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8]
    >>> second = [0, 0, 1, 1, 1, 0], [2, 1, 4, 3, 2, 3]
    >>> result = roc_auc_test_ind(*first, *second)
    >>> round(result.difference, 4), round(result.pvalue, 4), round(result.df, 2)
    (0.0972, 0.7411, 9.42)
    """
    function, labels, scores = "roc_auc_test_ind", (y_true_a, y_true_b), (score_a, score_b)
    rule = _read_rule(alternative, margin, confidence_level, function)
    part = read_part(fpr_range, tpr_range, function)
    pairs = {"sample_weight": sample_weight, "groups": groups}
    weights, clusters = (_read_pair(pair, name, function) for name, pair in pairs.items())
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        samples = read_two_samples(how, labels, scores, higher_is_positive, weights, clusters)
        return _judge(samples, workers, rule, part)


def roc_auc_test_1samp(
    y_true: ArrayLike,
    y_score: ArrayLike,
    auc: float,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    fpr_range: Any = None,
    tpr_range: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> DifferenceTestResult:
    """Test whether an AUC differs from a constant.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        The labels, and the scores, as in ``roc_auc_ci``.
    auc : float in [0, 1]
        The constant. Of a part of the curve, the standardized partial AUC.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the AUC differs from the constant, is less, or is greater.
        To show that an AUC is not lower by a margin, pass the constant minus the margin.
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference.
    fpr_range, tpr_range, sample_weight, groups, pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_test``.

    Returns
    -------
    DifferenceTestResult
        As of ``roc_auc_test``; ties count one half. NaN, with an ``UndefinedMetricWarning``, if
        only one class is present, or a class has fewer than two rows or groups.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``; and if no standardized partial AUC is as low as the constant.

    See Also
    --------
    permutation_test_1samp : Whether the score says anything about the labels; exact.
    roc_auc_ci : The interval of the AUC itself.

    Notes
    -----
    The test that Wilson's interval (1927) of ``roc_auc_ci`` inverts: the p-value is below alpha if
    the interval of level 1 - alpha does not contain the constant. O(n log n) time.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_test_1samp
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8]
    >>> result = roc_auc_test_1samp(y_true, y_score, 0.5)
    >>> result.difference, round(result.pvalue, 4)
    (0.375, 0.1194)
    """
    function = "roc_auc_test_1samp"
    check_option(alternative, "alternative", ALTERNATIVES, function)
    rule = _read_rule(alternative, None, confidence_level, function)
    part = read_part(fpr_range, tpr_range, function)
    least = scale_of(part)[1](0.0)
    of = "" if part is None else f" for {part.rate}_range={(fpr_range or tpr_range)!r}"
    expected = f"a float in the range [{least:.6g}, 1.0]{of}"
    check_number(auc, "auc", expected, lambda area: least <= area <= 1, function)
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_models(how, y_true, {"y_score": y_score}, sample_weight, groups)
        sample = models.weighted_sample(0)
        if not has_both_classes(sample):
            return untested(math.nan, "score")
        spread, part = spread_of(sample, models, workers, part)
    # A constant may be the least one but for rounding.
    supposed = max(share_of(as_fraction(auc), part), as_fraction(0))
    difference = float(spread.value) - float(supposed)
    if spread.variance is None:
        return _on_scale(untested(difference, "score"), part)
    pivot, value = pivot_of(spread), float(supposed)
    ends = value - 1, value + 1
    statistic, pvalue, interval = pivot.judge(alternative, rule.level, supposed, ends=ends)
    interval = ConfidenceInterval(*(end - value for end in interval))
    numbers = statistic, pvalue, difference, spread.error, pivot.df
    return _on_scale(DifferenceTestResult(*numbers, interval, "score"), part)


def _read_pair(pair: Any, name: str, function: str) -> tuple[Any, Any]:
    if pair is None:
        return None, None
    if isinstance(pair, (tuple, list)) and len(pair) == 2:
        return pair[0], pair[1]
    expected = "a pair: that of the first sample and that of the second, or None"
    raise invalid_parameter(function, name, expected, pair)


class Rule(NamedTuple):
    """What a test is asked to do."""

    alternative: str = "two-sided"
    level: float = 0.95
    margin: float | None = None


def _read_rule(alternative: Any, margin: Any, level: Any, function: str) -> Rule:
    check_option(alternative, "alternative", get_args(AlternativeWithMargin), function)
    check_confidence_level(level, function)
    if alternative in ALTERNATIVES:
        refuse_given({"margin": margin}, f"but alternative={alternative!r} has none.")
    else:
        expected = f"a float in the range (0.0, 1.0) with alternative={alternative!r}"
        check_number(margin, "margin", expected, lambda width: 0 < width < 1, function)
    if alternative == EQUIVALENCE:
        expected = "a float in the range [0.5, 1.0), as both ends are one-sided"
        check_number(level, "confidence_level", expected, lambda share: share >= 0.5, function)
    return Rule(alternative, float(level), margin)


def _judge(
    samples: list[Models], workers: Workers, rule: Rule, part: RateRange | None
) -> DifferenceTestResult:
    areas = [areas_of(models, workers, part) for models in samples]
    part = None if areas[0] is None else areas[0].part
    return judge_difference(difference_of(areas), rule, part)


def judge_difference(
    spread: Spread, rule: Rule, part: RateRange | None = None
) -> DifferenceTestResult:
    """Return the test of a difference; NaN without a variance.

    The margin is on the scale of the result.
    """
    value, error = float(spread.value), spread.error
    if spread.variance is None:
        method = "t" if rule.margin is None else "score"
        return _on_scale(untested(value, method, df=spread.df), part)
    pivot = default_of_difference(spread, rule.margin is not None)
    within = None if rule.margin is None else float(rule.margin) / scale_of(part)[0]
    statistic, pvalue, interval = pivot.judge(rule.alternative, rule.level, 0.0, within)
    numbers = statistic, pvalue, value, error, pivot.df
    return _on_scale(DifferenceTestResult(*numbers, interval, pivot.method), part)


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
