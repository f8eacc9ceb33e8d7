"""The areas of several scores on the same rows: their covariance, and which of them differ."""

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._inference.comparison import areas_of, difference_of, result_of
from fastauc._inference.delong import Areas
from fastauc._validation.models import read_columns, read_models
from fastauc._validation.threads import Workers, check_n_jobs

__all__ = [
    "RocAucCovariance",
    "RocAucPairwiseTest",
    "roc_auc_covariance",
    "roc_auc_pairwise_tests",
]


class RocAucCovariance(NamedTuple):
    """The areas of several scores on the same rows, and how they vary together.

    Attributes
    ----------
    areas : float64 array of shape (n_models,)
        As ``roc_auc_score`` has them.
    covariance : float64 array of shape (n_models, n_models)
        The estimated covariance of the areas over samples.
    names : tuple
        What the models are called: the columns of a DataFrame, else their numbers.

    Examples
    --------
    >>> from fastauc import roc_auc_covariance
    >>> areas = roc_auc_covariance([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 2, 2, 3]})
    >>> areas.names, areas.areas
    (('a', 'b'), array([0.75 , 0.875]))
    """

    areas: NDArray[np.float64]
    covariance: NDArray[np.float64]
    names: tuple[Any, ...]


class RocAucPairwiseTest(NamedTuple):
    """One of the comparisons of ``roc_auc_pairwise_tests``.

    Attributes
    ----------
    first, second : object
        What the two models are called.
    difference : float
        The area of the first less that of the second.
    standard_error : float
        Of the difference.
    statistic, pvalue : float
        As in ``RocAucTestResult``, two-sided.
    adjusted_pvalue : float
        Adjusted for the number of comparisons by Holm's method: the probability that there is as
        small a p-value among them if no two areas differ is no greater.

    Examples
    --------
    >>> from fastauc import roc_auc_pairwise_tests
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


def roc_auc_covariance(
    y_true: ArrayLike,
    scores: Any,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> RocAucCovariance:
    """Return the areas of several models on the same rows, and their covariance matrix.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, two distinct ones; the greater one is the positive class.
    scores : matrix of shape (n_samples, n_models), DataFrame, dict or sequence of arrays
        Scores of each model in any numeric dtype; higher means more likely positive. Finite. An
        array with two dimensions and a DataFrame have a column for each model; a list, a tuple or
        a dict holds an array for each.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; see ``roc_auc_ci``.
    groups : array-like of shape (n_samples,), optional
        What each row belongs to; rows of one group may depend on each other. See ``roc_auc_ci``.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    RocAucCovariance
        ``areas``, ``covariance`` and ``names``. NaN with an ``UndefinedMetricWarning`` for one
        class, and a covariance of NaN for fewer than two rows, or groups, of a class.

    Raises
    ------
    ValueError
        As ``roc_auc_ci`` does, and for no model.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    The estimate of DeLong [1]_, from integers unless there are weights. O(k n log n + k^2 n) time
    for k models; 8 k + 60 bytes a row in memory.

    A tied pair counts one half, in the areas and in the placements.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> from fastauc import roc_auc_covariance
    >>> result = roc_auc_covariance([0, 0, 1, 1], [[1, 3, 2, 4], [1, 2, 2, 3]])
    >>> result.areas
    array([0.75 , 0.875])
    >>> result.covariance
    array([[0.125  , 0.0625 ],
           [0.0625 , 0.03125]])
    """
    function = "roc_auc_covariance"
    check_n_jobs(n_jobs, function)
    names, areas = _compare(y_true, scores, sample_weight, groups, function, n_jobs)
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
    n_jobs: int | None = None,
) -> list[RocAucPairwiseTest]:
    """Test every two of several models on the same rows, with adjusted p-values.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, two distinct ones; the greater one is the positive class.
    scores : matrix of shape (n_samples, n_models), DataFrame, dict or sequence of arrays
        Scores of each model, as ``roc_auc_covariance`` takes them.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; see ``roc_auc_ci``.
    groups : array-like of shape (n_samples,), optional
        What each row belongs to; rows of one group may depend on each other. See ``roc_auc_ci``.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    list of RocAucPairwiseTest
        One for every two models, in their order: two-sided tests as of ``roc_auc_test``, and
        p-values adjusted after Holm [1]_. NaN as there; what is NaN counts in no adjustment.

    Raises
    ------
    ValueError
        As ``roc_auc_covariance`` does.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    Every model is sorted once. Time and memory as ``roc_auc_covariance``.

    Ties and one class only are as in ``roc_auc_test``.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6
       (1979) 65-70.

    Examples
    --------
    >>> from fastauc import roc_auc_pairwise_tests
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = {"a": [1, 2, 3, 6, 4, 5, 7, 8], "b": [1, 5, 2, 4, 3, 6, 4, 2]}
    >>> test, = roc_auc_pairwise_tests(y_true, scores)
    >>> test.first, test.second, test.difference
    ('a', 'b', 0.25)
    """
    function = "roc_auc_pairwise_tests"
    check_n_jobs(n_jobs, function)
    names, areas = _compare(y_true, scores, sample_weight, groups, function, n_jobs)
    pairs = list(combinations(range(len(names)), 2))
    results = [result_of(difference_of(areas, r, s), "two-sided", 0.95) for r, s in pairs]
    adjusted = _adjust([result.pvalue for result in results])
    return [
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
    ]


def _compare(
    y_true: object,
    scores: object,
    sample_weight: object,
    groups: object,
    function: str,
    n_jobs: int | None,
) -> tuple[tuple[Any, ...], Areas | None]:
    names, columns = read_columns(scores, function)
    with Workers(n_jobs) as workers:
        models = read_models(y_true, columns, sample_weight, groups, function, workers)
        return names, areas_of(models, workers)


def _adjust(pvalues: list[float]) -> list[float]:
    """Return p-values adjusted after Holm: each times the number of those not below it."""
    order = sorted((k for k, p in enumerate(pvalues) if not math.isnan(p)), key=pvalues.__getitem__)
    adjusted = [math.nan] * len(pvalues)
    largest = 0.0
    for place, k in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * pvalues[k]))
        adjusted[k] = largest
    return adjusted
