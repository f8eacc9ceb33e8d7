"""Testing that the AUC is one half: permutation, exact, or asymptotic Mann-Whitney test."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._kernels import resampling as _resampling
from fastauc._pairs.concordance import warn_one_class
from fastauc._pairs.sorted_rows import SortedRows, sort_rows
from fastauc._tables import result
from fastauc._validation.arrays import INT64
from fastauc._validation.columns import read_models
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_integer, check_option, read_rng
from fastauc._validation.threads import Workers
from fastauc.inference._distributions import normal_tail
from fastauc.inference._placements import check_size
from fastauc.inference._results import ALTERNATIVES

METHODS = ("auto", "asymptotic", "exact", "permutation")

_FEW_ROWS = 8  # in a class, for "auto" to prefer the exact distribution
_MOST_PAIRS = 2**20  # for which the exact distribution is computed


@result("fastauc.inference")
class RocAucPermutationResult(NamedTuple):
    """The result of ``roc_auc_permutation_test`` and of ``bandos_test``.

    Attributes
    ----------
    statistic : float
        The AUC, or the difference of two.
    pvalue : float
        The probability of an AUC at least this extreme if the scores do not depend on the class; or
        of such a difference, if two models have the same curve.
    method : str
        The method used: "asymptotic", "exact" or "permutation".

    Examples
    --------
    >>> from fastauc.inference import roc_auc_permutation_test
    >>> roc_auc_permutation_test([0, 0, 1, 1], [1, 2, 3, 4])
    RocAucPermutationResult(statistic=1.0, pvalue=0.3333333333333333, method='exact')
    """

    statistic: float
    pvalue: float
    method: str


class _Ranks(NamedTuple):
    """Twice the rank sums: all that permutations need of the scores.

    Attributes
    ----------
    n_pos, n_neg : int
        The number of rows in each class.
    sizes, n_positives : int64 arrays
        Rows and positives in each group of tied rows, in increasing order.
    """

    n_pos: int
    n_neg: int
    sizes: NDArray[np.int64]
    n_positives: NDArray[np.int64]

    @property
    def twice(self) -> NDArray[np.int64]:
        """Twice the midrank of each group; 2 for the lowest row if it is not tied."""
        ends: NDArray[np.int64] = np.cumsum(self.sizes)
        return 2 * ends - self.sizes + 1

    @property
    def twice_u(self) -> int:
        """Twice the Mann-Whitney U statistic of the positives."""
        ranks = _resampling.sum_products(self.twice, self.n_positives)
        return ranks - self.n_pos * (self.n_pos + 1)


def roc_auc_permutation_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alternative: str = "two-sided",
    method: str = "auto",
    use_continuity: bool = True,
    n_resamples: int = 9999,
    rng: Any = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RocAucPermutationResult:
    """Test whether the scores of the two classes have the same distribution.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype; higher means more likely positive. Only equal scores
        are tied, and a tied pair counts one half.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the scores of the positives differ from those of the
        negatives, are lower, or are higher.
    method : {"auto", "asymptotic", "exact", "permutation"}
        "asymptotic": the normal distribution with the variance corrected for ties; "exact": all
        permutations, without tied scores and for up to 2^20 pairs; "permutation": random
        permutations, for few rows with ties; "auto": "exact" if it is defined and a class has at
        most eight rows, otherwise "asymptotic".
    use_continuity : bool
        Whether to apply the continuity correction of half a pair for "asymptotic".
    n_resamples : int
        Number of random permutations for "permutation".
    rng : Generator, BitGenerator, SeedSequence, int or None
        Seed or generator for the permutations; a seed makes the result reproducible. It does not
        depend on the number of threads, nor on the order of the rows.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores.

    Returns
    -------
    RocAucPermutationResult
        ``statistic``, the AUC, ``pvalue`` and ``method``. For "permutation", the p-value is (b + 1)
        / (n_resamples + 1), where b is the number of permutations that are at least as extreme
        [1]_. 1 if all scores are tied. NaN, with an ``UndefinedMetricWarning``, if only one class
        is present.

    Raises
    ------
    ValueError
        Same as ``roc_auc_ci``, and for "exact" if scores are tied or there are more than 2^20
        pairs.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    bandos_test : A permutation test for two models.

    Notes
    -----
    It is the Wilcoxon-Mann-Whitney test: "asymptotic" and "exact" are those of
    ``scipy.stats.mannwhitneyu``. Its null hypothesis is that both distributions are the same. To
    test whether the AUC differs from one half, even if the distributions have different spreads,
    use ``roc_auc_test(y_true, y_score, 0.5)``. O(n log n) time; for "exact", the product of the
    numbers of pairs and of rows of the rarer class, and for "permutation", n for each permutation.

    Type I error: "Other tests" on the page "Which interval or test to take" of the manual.

    References
    ----------
    .. [1] B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Stat. Appl.
       Genet. Mol. Biol. 9 (2010) 39.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_permutation_test
    >>> result = roc_auc_permutation_test([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6])
    >>> round(result.statistic, 4), result.pvalue, result.method
    (0.8889, 0.2, 'exact')
    """
    function = "roc_auc_permutation_test"
    check_option(alternative, "alternative", ALTERNATIVES, function)
    check_option(method, "method", METHODS, function)
    check_flag(use_continuity, "use_continuity", function)
    check_integer(n_resamples, "n_resamples", 1, function)
    generator = read_rng(rng, function)
    with Workers(n_jobs, function) as workers:
        models = read_models(y_true, {"y_score": y_score}, None, None, function, workers, pos_label)
        sample = models.whole_sample(0)
        if sample.n_pos == 0 or sample.n_neg == 0:
            warn_one_class(sample)
            return RocAucPermutationResult(math.nan, math.nan, method)
        check_size(len(sample.label))
        ranks = _rank(sample.n_pos, sample.n_neg, sort_rows(sample, workers))
    pairs, rarest = ranks.n_pos * ranks.n_neg, min(ranks.n_pos, ranks.n_neg)
    is_tied = len(ranks.sizes) < ranks.n_pos + ranks.n_neg
    if method == "auto":
        is_exact = not is_tied and rarest <= _FEW_ROWS and pairs <= _MOST_PAIRS
        method = "exact" if is_exact else "asymptotic"
    if method == "exact":
        _check_exact(is_tied, pairs)
        pvalue = _exact_pvalue(ranks, alternative)
    elif method == "asymptotic":
        pvalue = _asymptotic_pvalue(ranks, alternative, 0.5 if use_continuity else 0.0)
    else:
        pvalue = _random_pvalue(ranks, alternative, n_resamples, generator)
    return RocAucPermutationResult(ranks.twice_u / (2 * pairs), pvalue, method)


def _check_exact(is_tied: bool, pairs: int) -> None:
    if is_tied:
        raise ValueError(
            "method='exact' does not support ties, and some scores are tied; expected "
            "method='permutation' or 'asymptotic'."
        )
    if pairs > _MOST_PAIRS:
        raise ValueError(
            f"method='exact' supports up to 2^20 pairs, and there are {pairs}; expected "
            "method='asymptotic'."
        )


def _rank(n_pos: int, n_neg: int, rows: SortedRows) -> _Ranks:
    """Return the groups of tied rows among sorted ones."""
    packed, n_low = rows
    score = packed >> packed.dtype.type(1)
    is_first = np.empty(len(packed), np.bool_)
    np.not_equal(score[1:], score[:-1], out=is_first[1:])
    is_first[0] = True
    if n_low < len(packed):
        is_first[n_low] = True
    starts = np.flatnonzero(is_first)
    positives = np.add.reduceat((packed & packed.dtype.type(1)).astype(INT64), starts)
    return _Ranks(n_pos, n_neg, np.diff(starts, append=len(packed)), positives)


def _asymptotic_pvalue(ranks: _Ranks, alternative: str, continuity: float) -> float:
    n_pos, n_neg, sizes, _ = ranks
    n = n_pos + n_neg
    # Fewer than 2^32 rows: a cube may need more than 64 bits.
    ties = sum(size**3 - size for size in sizes[sizes > 1].tolist())
    variance = n_pos * n_neg * (n * (n * n - 1) - ties) / (12 * n * (n - 1))
    if variance == 0:
        return 1.0
    deviation = (ranks.twice_u - n_pos * n_neg) / 2
    if alternative == "two-sided":
        return min(1.0, 2 * normal_tail((abs(deviation) - continuity) / math.sqrt(variance)))
    if alternative == "less":
        deviation = -deviation
    return normal_tail((deviation - continuity) / math.sqrt(variance))


def _exact_pvalue(ranks: _Ranks, alternative: str) -> float:
    counts = _count_orders(ranks.n_pos, ranks.n_neg)
    total = math.comb(ranks.n_pos + ranks.n_neg, ranks.n_pos)
    u, pairs = ranks.twice_u // 2, ranks.n_pos * ranks.n_neg
    if alternative == "less":
        return sum(counts[: u + 1]) / total
    if alternative == "greater":
        return sum(counts[u:]) / total
    return min(1.0, 2 * sum(counts[max(u, pairs - u) :]) / total)


def _count_orders(n_pos: int, n_neg: int) -> list[int]:
    """Return how many orderings of the classes have 0, 1, ... concordant pairs.

    They are the coefficients of the Gaussian binomial: for k up to the size of the rarer class,
    multiply by 1 - q^(n + k), for n rows in the other, and divide by 1 - q^k.
    """
    few, many = sorted((n_pos, n_neg))
    counts = np.zeros(few * many + 1, object)
    counts[0] = 1
    for k in range(1, few + 1):
        if many + k < len(counts):
            counts[many + k :] = counts[many + k :] - counts[: -(many + k)]
        # Dividing by 1 - q^k means adding up every k-th coefficient.
        columns = np.zeros(-(-len(counts) // k) * k, object)
        columns[: len(counts)] = counts
        counts = columns.reshape(-1, k).cumsum(axis=0).ravel()[: len(counts)]
    return list(counts)


def _random_pvalue(
    ranks: _Ranks, alternative: str, n_resamples: int, generator: np.random.Generator
) -> float:
    twice = np.repeat(ranks.twice, ranks.sizes)
    # It does not matter which class is drawn: the other has the remaining ranks.
    few = min(ranks.n_pos, ranks.n_neg)
    mean = few * (len(twice) + 1)
    sign = 1 if few == ranks.n_pos else -1
    observed = ranks.twice_u - ranks.n_pos * ranks.n_neg
    drawn = (
        sign * (int(generator.choice(twice, few, replace=False, shuffle=False).sum()) - mean)
        for _ in range(n_resamples)
    )
    return (1 + count_beyond(drawn, observed, alternative)) / (n_resamples + 1)


def count_beyond(drawn: Iterable[int], observed: int, alternative: str) -> int:
    """Return how many deviations are at least as extreme as the observed one."""
    if alternative == "two-sided":
        return sum(abs(deviation) >= abs(observed) for deviation in drawn)
    if alternative == "less":
        return sum(deviation <= observed for deviation in drawn)
    return sum(deviation >= observed for deviation in drawn)
