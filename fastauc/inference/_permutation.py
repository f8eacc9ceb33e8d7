"""Permutation tests: of two models on the same rows, of two samples, and of one score.

What is exchanged, and how that is counted, is in ``_exchanges``; of one score, in ``_rank_sum``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, get_args

from numpy.typing import ArrayLike

from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array
from fastauc._validation.columns import Directions, Models, read_models, read_pair, read_two_samples
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.literals import Alternative, ExchangeStatistic, NanPolicy
from fastauc._validation.options import check_integer, check_option, read_rng
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._delong import has_both_classes
from fastauc.inference._exchanges import (
    EXACT,
    RANDOM,
    Draws,
    exchange_rows,
    exchange_rows_of_curves,
    exchange_scores,
    exchange_scores_of_curves,
)
from fastauc.inference._placements import check_size
from fastauc.inference._rank_sum import NORMAL, RankSums
from fastauc.inference._results import ALTERNATIVES, one_row


@result("fastauc.inference")
class PermutationTestResult(NamedTuple):
    """The result of a permutation test.

    Attributes
    ----------
    statistic : float
        Of two models, the difference of their AUCs, or the distance of their ROC curves. Of one
        score, its AUC.
    pvalue : float
        The probability, over all permutations, of a statistic at least this extreme.
    method : str
        How the p-value was found: "exact", by all permutations; "random", by some of them, drawn at
        random; "normal", by the normal approximation.

    Examples
    --------
    >>> from fastauc.inference import permutation_test
    >>> permutation_test([0, 0, 1, 1], [1, 3, 2, 4], [2, 6, 4, 8])
    statistic  pvalue  method
            0       1   exact
    """

    statistic: float
    pvalue: float
    method: str

    def _columns(self) -> dict[str, Array]:
        return one_row(self)

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with one row."""
        return to_pandas(self)


def permutation_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    statistic: ExchangeStatistic = "roc_auc",
    alternative: Alternative = "two-sided",
    higher_is_positive: Directions = True,
    n_resamples: int = 1999,
    rng: Any = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> PermutationTestResult:
    """Test whether two models have the same ROC curve, by exchanging their scores within rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The labels.
    score_a, score_b : array-like of shape (n_samples,)
        The scores of two models for the same rows, each on a scale of its own.
    statistic : {"roc_auc", "roc_curve"}
        "roc_auc": the difference of the AUCs, after Bandos, Rockette and Gur [1]_. "roc_curve": the
        distance of the curves, after Venkatraman and Begg [2]_, which also tells apart curves that
        cross and have the same AUC.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the AUCs differ, or that the first one is less or greater.
        A distance is always two-sided.
    higher_is_positive : bool, dict or pair of bool
        False for scores that are lower for positives, like the points of a scorecard for bad loans:
        one value for both scores; or one for each, as (False, True) or {"score_a": False}. Of
        scores that are Series, or columns of a DataFrame, by their own names: {"points": False}.
    n_resamples : int
        Number of random exchanges, unless all of them can be counted.
    rng : Generator, BitGenerator, SeedSequence, int or None
        Seed or generator for the exchanges; a seed makes the result reproducible. It does not
        depend on the number of threads, nor on the order of the rows.
    pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_ci``.

    Returns
    -------
    PermutationTestResult
        ``statistic, pvalue, method``. The p-value of random exchanges is (b + 1) / (n_resamples +
        1), where b is the number of those that are at least as extreme [3]_. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``, but scores may not have weights.

    See Also
    --------
    roc_auc_test : Whether the AUCs differ, even if the curves are different; with an interval.
    permutation_test_ind : The same of two independent samples.

    Notes
    -----
    The null hypothesis is that both curves are identical. If only the AUCs are equal, the test may
    reject too often.

    Scores are exchanged on a common scale: the ranks if none are tied. Tied rows are a level and
    stay tied. If both models have equally many levels, with two rows or more in each on average,
    the k-th level of one is the k-th of the other. Otherwise, two levels are the same if each
    contains the middle rank of the other, or if equally many lie between two that are; the others
    are ordered by their midranks. A row of the same level in both models thus changes nothing.

    "roc_auc": twice the difference of the pairs across both models is a sum of one term a row, with
    a random sign after an exchange. Its distribution is exact up to hundreds of rows.

    "roc_curve": for k = 1 to n, the k rows with the lowest ranks are predicted negative, and the
    absolute differences in the number of errors of the two models are added up. Tied rows have
    midranks, which count at half a cutoff. Without ties, the statistic is that of pROC's
    ``roc.test(method="venkatraman")``, which breaks ties by the order of the rows. O(n) time for
    each exchange: 0.3 ms for 1,000 rows, 30 ms for 100,000.

    Type I error: "Permutation tests" on the page "Simulations" of the manual.

    References
    ----------
    .. [1] A. I. Bandos, H. E. Rockette and D. Gur, "A permutation test sensitive to differences in
       areas for comparing ROC curves from a paired design", Stat. Med. 24 (2005) 2873-2893.
    .. [2] E. S. Venkatraman and C. B. Begg, "A distribution-free procedure for comparing receiver
       operating characteristic curves from a paired experiment", Biometrika 83 (1996) 835-848.
    .. [3] B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Stat. Appl.
       Genet. Mol. Biol. 9 (2010) 39.

    Examples
    --------
    >>> from fastauc.inference import permutation_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> permutation_test(y_true, score_a, score_b)[:2]
    (0.25, 0.375)
    >>> permutation_test(y_true, score_a, score_b, statistic="roc_curve", rng=0).statistic
    8.0
    """
    function = "permutation_test"
    _check_statistic(statistic, alternative, function)
    generator = _read_draws(n_resamples, rng, function)
    with Workers(n_jobs, function) as workers:
        (models,) = read_pair(
            function,
            (y_true, None),
            (score_a, score_b),
            higher_is_positive,
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
        )
        draws = Draws(n_resamples, generator, workers)
        if not _can_permute([models]):
            return _UNDEFINED
        first, second = models.samples()
        if statistic == "roc_curve":
            found = exchange_scores_of_curves(first, second, draws)
        else:
            found = exchange_scores(first, second, alternative, draws)
    return PermutationTestResult(*found)


def permutation_test_ind(
    y_true_a: ArrayLike,
    score_a: ArrayLike,
    y_true_b: ArrayLike,
    score_b: ArrayLike,
    *,
    statistic: ExchangeStatistic = "roc_auc",
    alternative: Alternative = "two-sided",
    higher_is_positive: Directions = True,
    n_resamples: int = 1999,
    rng: Any = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> PermutationTestResult:
    """Test whether two independent samples have the same ROC curve, by exchanging their rows.

    Parameters
    ----------
    y_true_a, score_a : array-like of shape (n_samples_a,)
        The labels and the scores of the first sample.
    y_true_b, score_b : array-like of shape (n_samples_b,)
        The labels and the scores of the second sample, which may be of another model.
    statistic, alternative, higher_is_positive, n_resamples, rng, pos_label, nan_policy, n_jobs
        As in ``permutation_test``.

    Returns
    -------
    PermutationTestResult
        As of ``permutation_test``. The distance of the curves is the mean difference in the share
        of errors.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``permutation_test``.

    See Also
    --------
    roc_auc_test_ind : Whether the AUCs differ, even if the curves are different; with an interval.
    permutation_test : Two models on the same rows.

    Notes
    -----
    After Venkatraman [1]_: in both samples, the classes are mixed in the same proportion, that of
    all rows together. The place of a row is the share of this population below it; levels of tied
    rows are matched by their places, as in ``permutation_test`` by their ranks. Then the rows of
    each class are dealt out anew to the samples. Of areas, the test is exact for up to 2^14 deals.

    "roc_curve" is the area between the two curves of the share of errors by the share of this
    population that is predicted negative; tied rows form a straight line. If both samples have the
    same number of rows in each class, and no ties, the statistic is the paired one divided by the
    square of the number of rows. pROC exchanges ranks, which are not comparable if the samples
    differ in size; its share of positives divides by twice the size of the first sample; and it
    omits what is below the first row. O(n log n) time for each exchange: 0.2 ms for two samples of
    1,000 rows.

    References
    ----------
    .. [1] E. S. Venkatraman, "A permutation test to compare receiver operating characteristic
       curves", Biometrics 56 (2000) 1134-1138.

    Examples
    --------
    >>> from fastauc.inference import permutation_test_ind
    >>> first, second = ([0, 0, 0, 1, 1], [1, 2, 4, 3, 5]), ([0, 1, 0, 1], [6, 5, 7, 8])
    >>> found = permutation_test_ind(*first, *second)
    >>> round(found.statistic, 3), found.method
    (0.333, 'exact')
    """
    function = "permutation_test_ind"
    _check_statistic(statistic, alternative, function)
    generator = _read_draws(n_resamples, rng, function)
    with Workers(n_jobs, function) as workers:
        both = read_two_samples(
            function,
            (y_true_a, y_true_b),
            (score_a, score_b),
            higher_is_positive,
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
        )
        draws = Draws(n_resamples, generator, workers)
        if not _can_permute(both):
            return _UNDEFINED
        first, second = (models.weighted_sample(0) for models in both)
        if statistic == "roc_curve":
            found = exchange_rows_of_curves(first, second, draws)
        else:
            found = exchange_rows(first, second, alternative, draws)
    return PermutationTestResult(*found)


def permutation_test_1samp(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 1999,
    rng: Any = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> PermutationTestResult:
    """Test whether a score says anything about the labels, by permuting them.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        The labels, and the scores.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the scores of positives are different, lower or higher. A
        two-sided p-value counts the permutations with an AUC at least as far from one half.
    n_resamples, rng, pos_label, nan_policy, n_jobs : optional
        As in ``permutation_test``.

    Returns
    -------
    PermutationTestResult
        The AUC, its p-value and the method; 1 if all scores are tied. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``permutation_test``.

    See Also
    --------
    roc_auc_test_1samp : Whether the AUC is a given one; with weights and groups.

    Notes
    -----
    The test of Wilcoxon [1]_, Mann and Whitney [2]_: its null hypothesis is that the scores of both
    classes have the same distribution. All permutations are counted, with ties or without, where
    that takes less than half a second: a rare class of 8 among 1,000 rows or of 30 among 300
    without ties, 10,000 rows with two values. Otherwise the result is that of
    ``scipy.stats.mannwhitneyu(method="asymptotic")``, whose variance is corrected for ties, with a
    continuity correction of half a pair, in O(n log n) time; or, where the distribution is so far
    from normal that it would mislead at the level of 0.1%, of random permutations.

    References
    ----------
    .. [1] F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945)
       80-83.
    .. [2] H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
       stochastically larger than the other", Ann. Math. Stat. 18 (1947) 50-60.

    Examples
    --------
    >>> from fastauc.inference import permutation_test_1samp
    >>> found = permutation_test_1samp([0, 0, 0, 1, 1, 0], [1, 2, 2, 3, 4, 3])
    >>> found.statistic, round(found.pvalue, 4), found.method
    (0.9375, 0.2667, 'exact')
    """
    function = "permutation_test_1samp"
    check_option(alternative, "alternative", ALTERNATIVES, function)
    generator = _read_draws(n_resamples, rng, function)
    with Workers(n_jobs, function) as workers:
        models = read_models(
            function,
            y_true,
            {"y_score": y_score},
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
        )
        if not _can_permute([models]):
            return _UNDEFINED
        sums = RankSums.of(models.weighted_sample(0), workers)
    area = sums.twice_u / (2 * sums.n_pos * sums.n_neg)
    if sums.is_exact_feasible():
        return PermutationTestResult(area, sums.exact_pvalue(alternative), EXACT)
    if sums.is_nearly_normal():
        return PermutationTestResult(area, sums.normal_pvalue(alternative), NORMAL)
    draws = Draws(n_resamples, generator, workers)
    pvalue = draws.pvalue(sums.count_drawn_beyond(alternative, n_resamples, generator))
    return PermutationTestResult(area, pvalue, RANDOM)


_UNDEFINED = PermutationTestResult(math.nan, math.nan, EXACT)


def _check_statistic(statistic: object, alternative: object, function: str) -> None:
    check_option(statistic, "statistic", get_args(ExchangeStatistic), function)
    check_option(alternative, "alternative", ALTERNATIVES, function)
    if statistic == "roc_curve" and alternative != "two-sided":
        expected = "'two-sided' with statistic='roc_curve', which is a distance"
        raise invalid_parameter(function, "alternative", expected, alternative)


def _read_draws(n_resamples: Any, rng: Any, function: str) -> Any:
    check_integer(n_resamples, "n_resamples", 1, function)
    return read_rng(rng, function)


def _can_permute(samples: list[Models]) -> bool:
    """Return whether all samples have both classes; refuse more rows than ranks have bits for."""
    of_labels: list[BinarySample] = [models.weighted_sample(0) for models in samples]
    for sample in of_labels:
        if not has_both_classes(sample):
            return False
    check_size(sum(len(sample.label) for sample in of_labels))
    return True
