"""Permutation tests: of two models on the same rows, and of one score.

Two models exchange both scores of a row (Venkatraman and Begg 1996; Bandos, Rockette and Gur 2005),
on the scale of ``_common_scale``. For one score, the labels are permuted; see ``_rank_sum``.

The difference of two areas on the same rows is then a sum of independent terms, one per row, with
random signs: if a positive and a negative are both exchanged, their part of the difference changes
sign; if only one of them is, it becomes that of the pairs across the models. So the distribution
can be computed without recomputing areas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._kernels import resampling as _resampling
from fastauc._pairs.sorting import lexsort
from fastauc._tables import result, to_pandas
from fastauc._validation.columns import Directions, read_models, read_pair
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.literals import Alternative, ExchangeStatistic, NanPolicy
from fastauc._validation.options import check_integer, check_option, read_rng
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._common_scale import Ranks, place_rows
from fastauc.inference._delong import has_both_classes
from fastauc.inference._placements import check_size
from fastauc.inference._rank_sum import EXACT, NORMAL, RANDOM, RankSums, is_beyond
from fastauc.inference._resampling import draw_in_streams
from fastauc.inference._results import ALTERNATIVES, one_row

_MOST_STEPS = 2**28  # of the exact distribution of two scores, about a nanosecond each
_CELLS = 2**18  # of a table of permutations at once

Found = tuple[float, float, str]
"""A statistic, its p-value, and how that was found."""


@result("fastauc.inference", one_row)
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
        1), where b is the number of exchanges that are at least as extreme [3]_. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``, but scores may not have weights.

    See Also
    --------
    roc_auc_test : Whether the AUCs differ, even if the curves are different; with an interval.

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
    each exchange: 5 microseconds for 1,000 rows, half a millisecond for 100,000.

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
    function, scores = "permutation_test", (score_a, score_b)
    rule = _read_rule(statistic, alternative, n_resamples, rng, function)
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_pair(how, y_true, scores, higher_is_positive)
        test = _exchange_scores if statistic == "roc_auc" else _exchange_scores_of_curves
        return _permute(test, models.samples(), _Draws(*rule, workers))


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
    rule = _read_rule("roc_auc", alternative, n_resamples, rng, function)
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_models(how, y_true, {"y_score": y_score})
        return _permute(_permute_labels, models.samples(), _Draws(*rule, workers))


class _Draws(NamedTuple):
    """The alternative of a test, and how random permutations are drawn."""

    alternative: str
    n_resamples: int
    generator: np.random.Generator
    workers: Workers

    def pvalue(
        self, values_of: Callable[[int, np.random.Generator], Any], observed: Any, n_rows: int
    ) -> float:
        """Return the p-value of what was observed, from a function of so many random draws."""
        rule = self.n_resamples, max(1, _CELLS // n_rows), values_of
        found = draw_in_streams(self.generator, *rule, self.workers)
        beyond = is_beyond(np.concatenate(found), observed, self.alternative)
        return (1 + int(np.count_nonzero(beyond))) / (1 + self.n_resamples)


def _read_rule(
    statistic: Any, alternative: Any, n_resamples: Any, rng: Any, function: str
) -> tuple[str, int, np.random.Generator]:
    check_option(statistic, "statistic", get_args(ExchangeStatistic), function)
    check_option(alternative, "alternative", ALTERNATIVES, function)
    if statistic == "roc_curve" and alternative != "two-sided":
        expected = "'two-sided' with statistic='roc_curve', which is a distance"
        raise invalid_parameter(function, "alternative", expected, alternative)
    check_integer(n_resamples, "n_resamples", 1, function)
    return alternative, n_resamples, read_rng(rng, function)


def _permute(
    test: Callable[..., Found], samples: Sequence[BinarySample], draws: _Draws
) -> PermutationTestResult:
    if not has_both_classes(samples[0]):
        return PermutationTestResult(math.nan, math.nan, EXACT)
    check_size(len(samples[0].label))
    return PermutationTestResult(*test(*samples, draws))


def _permute_labels(sample: BinarySample, draws: _Draws) -> Found:
    sums = RankSums.of(sample, draws.workers)
    if sums.is_exact_feasible():
        return sums.area, sums.exact_pvalue(draws.alternative), EXACT
    if sums.is_nearly_normal():
        return sums.area, sums.normal_pvalue(draws.alternative), NORMAL
    pvalue = draws.pvalue(sums.draw_deviations, sums.deviation, len(sample.label))
    return sums.area, pvalue, RANDOM


# Two areas ----------------------------------------------------------------------------------------


def _exchange_scores(first: BinarySample, second: BinarySample, draws: _Draws) -> Found:
    terms = _terms(*place_rows(first, second), first.label == 1)
    difference = int(terms.sum())
    statistic = difference / (4 * first.n_pos * first.n_neg)
    # Signs are random, so the order does not matter.
    sizes = np.sort(np.abs(terms[terms != 0]))
    if len(sizes) == 0:
        return statistic, 1.0, EXACT
    unit = int(np.gcd.reduce(sizes))
    sizes, observed = sizes // unit, difference // unit
    total = int(sizes.sum())
    if len(sizes) * total <= _MOST_STEPS:
        chances = _chances_of_sums(sizes)
        sums = 2 * np.arange(total + 1) - total
        pvalue = float(chances[is_beyond(sums, observed, draws.alternative)].sum())
        return statistic, min(1.0, pvalue), EXACT
    # Sums of integers below 2^53 are exact.
    values = sizes.astype(np.float64)

    def signed_sums(n: int, rng: np.random.Generator) -> Any:
        return 2 * (rng.integers(2, size=(n, len(sizes)), dtype=np.int8) @ values) - total

    return statistic, draws.pvalue(signed_sums, observed, len(sizes)), RANDOM


def _terms(first: Ranks, second: Ranks, is_positive: NDArray[np.bool_]) -> Ranks:
    """Return, for each row, its term of four times the difference of the ordered pairs."""
    n_places = int(max(first.max(), second.max())) + 1
    terms = np.empty(len(first), np.int64)
    for own, sign in (is_positive, 1), (~is_positive, -1):
        others = np.concatenate([first[~own], second[~own]])
        counts = np.bincount(others, minlength=n_places)
        twice_below = 2 * np.cumsum(counts) - counts
        terms[own] = sign * (twice_below[first[own]] - twice_below[second[own]])
    return terms


def _chances_of_sums(sizes: Ranks) -> NDArray[np.float64]:
    """Return how likely the sums of those with a positive sign are, if signs are random."""
    # Each step is the mean of two probabilities.
    probability = np.zeros(int(sizes.sum()) + 1)
    probability[0], end = 1.0, 1
    for size in sizes.tolist():
        before = probability[:end].copy()
        end += size
        probability[size:end] += before
        probability[:end] /= 2
    return probability


# Two curves ---------------------------------------------------------------------------------------


def _exchange_scores_of_curves(first: BinarySample, second: BinarySample, draws: _Draws) -> Found:
    own, other = place_rows(first, second)
    sign = 2 * first.label.astype(np.int64) - 1
    # The order of the rows does not affect the exchanges.
    order = lexsort((own, other, sign), draws.workers)
    own, other, sign = own[order], other[order], sign[order]

    n_places = int(max(np.max(own), np.max(other))) + 1

    def distances(is_exchanged: NDArray[np.int8]) -> list[int]:
        """Return twice the statistic: a cutoff at half a rank counts as half a cutoff."""
        room = np.empty((2, n_places), np.int64), np.empty(2 * len(sign) + 1, np.int64)
        rows = own, other, sign
        return [_resampling.distance_of_errors(*rows, each, *room) for each in is_exchanged]

    (observed,) = distances(np.zeros((1, len(sign)), np.int8))

    def random_distances(n: int, rng: np.random.Generator) -> list[int]:
        return distances(rng.integers(2, size=(n, len(sign)), dtype=np.int8))

    return observed / 2, draws.pvalue(random_distances, observed, len(sign)), RANDOM
