"""The test that the area is one half: permutation, exact, or Mann-Whitney."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._inference.distributions import normal_tail
from fastauc._inference.placements import check_size
from fastauc._inference.results import ALTERNATIVES
from fastauc._kernels import resampling as _resampling
from fastauc._pairs.concordance import warn_one_class
from fastauc._pairs.sorted_rows import SortedRows, sort_rows
from fastauc._tables import result
from fastauc._validation.arrays import INT64
from fastauc._validation.columns import read_models
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_integer, check_option, read_rng
from fastauc._validation.threads import Workers

METHODS = ("auto", "asymptotic", "exact", "permutation")

_FEW_ROWS = 8  # of a class, for the exact distribution to be the better choice
_MOST_PAIRS = 2**20  # for which it is computed


@result
class RocAucPermutationResult(NamedTuple):
    """The result of ``roc_auc_permutation_test`` and of ``bandos_test``.

    Attributes
    ----------
    statistic : float
        The area under the ROC curve, or the difference of two.
    pvalue : float
        The probability of an area that speaks as much for the alternative, or more, if the classes
        have nothing to do with the scores; or of a difference, if two models have one curve.
    method : str
        How it was found: "asymptotic", "exact" or "permutation".

    Examples
    --------
    >>> from fastauc import roc_auc_permutation_test
    >>> roc_auc_permutation_test([0, 0, 1, 1], [1, 2, 3, 4])
    RocAucPermutationResult(statistic=1.0, pvalue=0.3333333333333333, method='exact')
    """

    statistic: float
    pvalue: float
    method: str


class _Ranks(NamedTuple):
    """Twice the rank sums: everything of the scores that counts under permutations.

    Attributes
    ----------
    n_pos, n_neg : int
        Rows of each class.
    sizes, n_positives : int64 arrays
        Rows and positives of each group of tied rows, in increasing order.
    """

    n_pos: int
    n_neg: int
    sizes: NDArray[np.int64]
    n_positives: NDArray[np.int64]

    @property
    def twice(self) -> NDArray[np.int64]:
        """Twice the rank of the rows of each group, from 2 on where no rows are tied."""
        ends: NDArray[np.int64] = np.cumsum(self.sizes)
        return 2 * ends - self.sizes + 1

    @property
    def twice_u(self) -> int:
        """Twice the Mann-Whitney statistic of the positives."""
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
    """Test whether the scores of the two classes are distributed alike.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Tied means equal,
        and a tied pair counts one half.
    alternative : {"two-sided", "less", "greater"}
        What is to be shown: that the positives have other scores than the negatives, lower ones,
        or higher ones.
    method : {"auto", "asymptotic", "exact", "permutation"}
        "asymptotic": the normal distribution with the variance of tied ranks; "exact": all orders
        of the classes, without tied scores and up to 2^20 pairs; "permutation": random orders, for
        few rows with ties; "auto": exact where it is defined and a class has at most eight rows,
        else asymptotic.
    use_continuity : bool
        Whether the statistic is moved half a pair towards its mean for "asymptotic".
    n_resamples : int
        Random orders for "permutation".
    rng : Generator, BitGenerator, SeedSequence, int or None
        What draws them; a seed makes the result reproducible. It does not depend on the number of
        threads, nor on the order of the rows.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores.

    Returns
    -------
    RocAucPermutationResult
        ``statistic``, the area, ``pvalue`` and ``method``. By random orders the p-value is
        (b + 1) / (n_resamples + 1), where b of them are at least as far out [1]_. 1 where all
        scores are tied. NaN with an ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        As ``roc_auc_ci`` does, and for "exact" where scores are tied or there are more than 2^20
        pairs.
    InvalidParameterError
        For an option outside its domain; it is a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    bandos_test : Two models, by permutations.

    Notes
    -----
    It is the test of Wilcoxon, Mann and Whitney: "asymptotic" and "exact" are those of
    ``scipy.stats.mannwhitneyu``. It asks for any difference of the two distributions. Whether the
    area is another than one half, though they may have different spreads, asks
    ``roc_auc_test(y_true, y_score, 0.5)``. O(n log n) time; for "exact" the product of the number
    of pairs and of the rows of the rarer class, and for "permutation" n for each order.

    How often it rejects what is true: "Other tests" on the page "Which interval or test to take" of
    the manual.

    References
    ----------
    .. [1] B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Stat. Appl.
       Genet. Mol. Biol. 9 (2010) 39.

    Examples
    --------
    >>> from fastauc import roc_auc_permutation_test
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
            "method='exact' is for scores without ties, and some are tied; expected "
            "method='permutation' or 'asymptotic'."
        )
    if pairs > _MOST_PAIRS:
        raise ValueError(
            f"method='exact' is for up to 2^20 pairs, and there are {pairs}; expected "
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
    """Return how many orders of the classes have 0, 1, ... concordant pairs.

    They are the coefficients of the Gaussian binomial: for k up to the size of the rarer class,
    times 1 - q^(n + k), for n rows of the other, and by 1 - q^k.
    """
    few, many = sorted((n_pos, n_neg))
    counts = np.zeros(few * many + 1, object)
    counts[0] = 1
    for k in range(1, few + 1):
        if many + k < len(counts):
            counts[many + k :] = counts[many + k :] - counts[: -(many + k)]
        # To divide by 1 - q^k is to add up every k-th coefficient.
        columns = np.zeros(-(-len(counts) // k) * k, object)
        columns[: len(counts)] = counts
        counts = columns.reshape(-1, k).cumsum(axis=0).ravel()[: len(counts)]
    return list(counts)


def _random_pvalue(
    ranks: _Ranks, alternative: str, n_resamples: int, generator: np.random.Generator
) -> float:
    twice = np.repeat(ranks.twice, ranks.sizes)
    # Which class is drawn is the same to the test: the other has the rest of the ranks.
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
    """Return how many deviations speak for the alternative as much as the observed one."""
    if alternative == "two-sided":
        return sum(abs(deviation) >= abs(observed) for deviation in drawn)
    if alternative == "less":
        return sum(deviation <= observed for deviation in drawn)
    return sum(deviation >= observed for deviation in drawn)
