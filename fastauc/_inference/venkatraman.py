"""The test that two ROC curves are one and the same, not only their areas.

References
----------
.. [1] E. S. Venkatraman and C. B. Begg, "A distribution-free procedure for comparing receiver
   operating characteristic curves from a paired experiment", Biometrika 83 (1996) 835-848.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._inference.placements import check_size
from fastauc._inference.resampling import Streams
from fastauc._pairs.concordance import warn_one_class
from fastauc._pairs.ordering import lexsort
from fastauc._pairs.ranks import add_ranks
from fastauc._validation.arrays import INT64
from fastauc._validation.columns import read_models
from fastauc._validation.labels import Label
from fastauc._validation.options import check_integer, read_rng
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers

_CELLS = 2**18  # of a table of permutations at once
_Ranks = NDArray[np.int64]


class VenkatramanTestResult(NamedTuple):
    """The result of ``venkatraman_test``.

    Attributes
    ----------
    statistic : float
        By how many errors the two models differ, over all shares of rows called positive.
    pvalue : float
        The share of random exchanges of the models that leave as much, or more.

    Examples
    --------
    >>> from fastauc import venkatraman_test
    >>> venkatraman_test([0, 0, 1, 1], [1, 3, 2, 4], [2, 6, 4, 8], rng=0)
    VenkatramanTestResult(statistic=0.0, pvalue=1.0)
    """

    statistic: float
    pvalue: float


VenkatramanTestResult.__module__ = "fastauc"


def venkatraman_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    n_resamples: int = 2000,
    rng: Any = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> VenkatramanTestResult:
    """Test whether two models on the same rows have the same ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    score_a, score_b : array-like of shape (n_samples,)
        Scores of the models in any numeric dtype; higher means more likely positive. Finite. Ties
        are broken by chance, the same for both models.
    n_resamples : int
        Random exchanges.
    rng : Generator, BitGenerator, SeedSequence, int or None
        What draws them; a seed makes the result reproducible. It does not depend on the number of
        threads, nor on the order of the rows.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores.

    Returns
    -------
    VenkatramanTestResult
        ``statistic`` and ``pvalue``, which is (b + 1) / (n_resamples + 1), where b exchanges leave
        a statistic as great. NaN with an ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        As ``roc_auc_test``.
    InvalidParameterError
        For an option outside its domain; it is a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    roc_auc_test : Compares the areas, and so misses curves that cross.

    Notes
    -----
    The statistic of Venkatraman and Begg [1]_: for k = 1 to n, the k rows with the lowest ranks are
    called negative; the differences of the numbers of errors by both models are added up, without
    their signs. Then each row exchanges its two ranks or not, by chance, and the rows are ranked
    anew, those that are equal then with their mean rank, which counts at half a cutoff. Without
    ties the statistic is that of pROC's ``roc.test(method="venkatraman")``, which breaks ties by
    the order of the rows. With ties the statistic depends on ``rng``. In simulations of 20+20,
    50+50 and 30+300 rows, normal scores with and without ties, it rejected 4 to 6 of 100 true
    hypotheses at 5 %. O(n log n) time, and
    O(n) for each exchange: 0.3 ms of 1,000 rows, 30 ms of 100,000.

    References
    ----------
    .. [1] E. S. Venkatraman and C. B. Begg, "A distribution-free procedure for comparing receiver
       operating characteristic curves from a paired experiment", Biometrika 83 (1996) 835-848.

    Examples
    --------
    >>> from fastauc import venkatraman_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = venkatraman_test(y_true, [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 7, 8], rng=0)
    >>> result.statistic
    4.0
    """
    function = "venkatraman_test"
    check_integer(n_resamples, "n_resamples", 1, function)
    generator = read_rng(rng, function)
    with Workers(n_jobs, function) as workers:
        scores = {"score_a": score_a, "score_b": score_b}
        models = read_models(y_true, scores, None, None, function, workers, pos_label)
        samples = [models.whole_sample(k) for k in range(2)]
        if samples[0].n_pos == 0 or samples[0].n_neg == 0:
            warn_one_class(samples[0])
            return VenkatramanTestResult(math.nan, math.nan)
        check_size(len(samples[0].label))
        first, second = (_rank_rows(sample) for sample in samples)
        sign = np.where(samples[0].label == 1, 1, -1)
        order = lexsort((first, second, sign), workers)
        sign = sign[order]
        # The same chance for both: models that order all rows alike have no distance.
        chance = generator.permutation(len(order))
        first, second = (_break_ties(ranks[order], chance, workers) for ranks in (first, second))
        observed = _distance(first[None], second[None], sign)[0]
        streams, at_once = Streams(generator), max(1, _CELLS // len(sign))

        def exchange(number: int) -> int:
            shape = min(at_once, n_resamples - number * at_once), len(sign)
            is_kept = streams.stream(number).integers(2, size=shape, dtype=np.int8) == 0
            own = _rank(np.where(is_kept, first, second))
            other = _rank(np.where(is_kept, second, first))
            return int(np.sum(_distance(own, other, sign) >= observed))

        n_streams = -(-n_resamples // at_once)
        beyond = workers.run_all([partial(exchange, number) for number in range(n_streams)])
    return VenkatramanTestResult(float(observed) / 2, (1 + sum(beyond)) / (1 + n_resamples))


def _rank_rows(sample: BinarySample) -> _Ranks:
    """Return twice the mean rank of each row."""
    twice = np.zeros(len(sample.label))
    add_ranks(sample.score, 2.0, twice)
    return twice.astype(INT64)


def _break_ties(ranks: _Ranks, chance: _Ranks, workers: Workers) -> _Ranks:
    """Return twice the ranks of rows without ties."""
    broken = np.empty_like(ranks)
    broken[lexsort((chance, ranks), workers)] = 2 * np.arange(1, len(ranks) + 1)
    return broken


def _rank(values: _Ranks) -> _Ranks:
    """Return twice the mean ranks of each line of whole numbers, up to twice their number."""
    cells, shape = _cells(values)
    sizes = np.bincount(cells.ravel(), minlength=math.prod(shape)).reshape(shape)
    twice = 2 * np.cumsum(sizes, axis=1) - sizes + 1
    ranks: _Ranks = twice.ravel()[cells].astype(INT64, copy=False)
    return ranks


def _distance(first: _Ranks, second: _Ranks, sign: NDArray[np.int64]) -> _Ranks:
    """Return twice the statistic of each line: a cutoff at each half rank is half a cutoff."""
    errors = []
    for ranks in first, second:
        cells, shape = _cells(ranks)
        signs = np.broadcast_to(sign, ranks.shape).ravel()
        # Sums of ones in doubles are exact.
        added = np.bincount(cells.ravel(), signs, math.prod(shape)).reshape(shape)
        errors.append(np.cumsum(added, axis=1))
    distance: _Ranks = np.abs(errors[0] - errors[1]).sum(axis=1).astype(INT64)
    return distance


def _cells(values: _Ranks) -> tuple[_Ranks, tuple[int, int]]:
    """Return where the values of each line are counted in one table, and its shape."""
    n_lines, n = values.shape
    width = 2 * n + 1
    return values + width * np.arange(n_lines)[:, None], (n_lines, width)
