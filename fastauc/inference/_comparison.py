"""``compare_roc_auc``: whether the areas of several models on the same rows differ."""

from __future__ import annotations

import math
from itertools import combinations, compress
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array
from fastauc._validation.columns import Directions, find_lower, read_columns, read_models
from fastauc._validation.labels import Label
from fastauc._validation.literals import Adjustment, NanPolicy
from fastauc._validation.options import check_n_jobs, check_option
from fastauc._validation.threads import Workers
from fastauc.inference._area_tests import Rule, judge_difference
from fastauc.inference._delong import areas_of, difference_of, spread_in, spread_of
from fastauc.inference._pivots import pivot_of
from fastauc.inference._results import DifferenceTestResult

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
    """The AUCs of several models on the same rows, with intervals, and their covariance.

    Attributes
    ----------
    names : tuple
        The names of the models: the columns of a DataFrame, otherwise their positions.
    auc : float64 array of shape (n_models,)
        The same values as ``roc_auc_score``.
    low, high : float64 arrays of shape (n_models,)
        The bounds of the 95% interval of each AUC, as of ``roc_auc_ci``.
    covariance : float64 array of shape (n_models, n_models)
        The estimated covariance of the AUCs.
    tests : tuple of DifferenceTestResult
        For every pair of models, in order: the result of ``roc_auc_test``.
    adjust : str or None
        How ``pairwise`` adjusts p-values.

    Examples
    --------
    >>> from fastauc.inference import compare_roc_auc
    >>> compare_roc_auc([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 2, 2, 3]})
    name    auc  standard_error       low      high
       a  0.750        0.353553  0.186349  0.975184
       b  0.875        0.176777  0.278274  0.992193
    <BLANKLINE>
    adjust holm
    """

    names: tuple[Any, ...]
    auc: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    covariance: NDArray[np.float64]
    tests: tuple[DifferenceTestResult, ...]
    adjust: str | None

    def pairwise(self) -> PairwiseTests:
        """Return the tests of all pairs of models, with adjusted p-values.

        "holm" multiplies each by the number of those not below it and keeps them in order, which
        controls the family-wise error rate. NaN p-values are excluded.
        """
        pairs = list(combinations(self.names, 2))
        first, second = (np.fromiter((pair[k] for pair in pairs), object) for k in (0, 1))
        rows = [
            (test.difference, test.standard_error, *test.confidence_interval, *test[:2])
            for test in self.tests
        ]
        numbers = np.array(rows, np.float64).reshape(-1, 6).T
        adjusted = np.array(_adjust(numbers[-1].tolist(), self.adjust))
        methods = np.array([test.method for test in self.tests], object)
        return PairwiseTests._make([first, second, *numbers, adjusted, methods])

    def _columns(self) -> dict[str, Array]:
        return {
            "name": np.fromiter(self.names, object),
            "auc": self.auc,
            "standard_error": np.sqrt(np.diag(self.covariance)),
            "low": self.low,
            "high": self.high,
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
    adjust : {"holm"} or None
        How p-values are adjusted for the number of pairs: by Holm's method [1]_, or not at all.
    higher_is_positive : bool, dict or sequence of bool
        False for scores that are lower for positives, like the points of a scorecard for bad loans.
        One value for all models; or one for each, as (False, True), or as {"points": False}, where
        models that are not named are True; in a list, Series by their own names.
    sample_weight, groups, pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_ci``.

    Returns
    -------
    RocAucComparison
        ``auc`` with its intervals and ``covariance``, and ``pairwise()``: the tests of
        ``roc_auc_test`` of every pair, two-sided. NaN, with an ``UndefinedMetricWarning``, if only
        one class is present, and a covariance and intervals of NaN if a class has fewer than two
        rows or groups.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``, and if there are no models.

    Notes
    -----
    DeLong's estimate, from integers unless there are weights; a tied pair counts one half.
    Every model is sorted once, or twice with groups: O(k n log n + k^2 n) time for k models; 8 k +
    60 bytes of memory per row.

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
    >>> comparison.auc
    array([0.875, 0.625])
    >>> comparison.pairwise().difference
    array([0.25])

    Points of a scorecard against a probability of default:

    >>> scores = {"points": [9, 7, 8, 5, 6, 4, 2, 1], "pd": [1, 2, 1, 4, 3, 5, 4, 9]}
    >>> compare_roc_auc(y_true, scores, higher_is_positive={"points": False}).auc
    array([0.9375 , 0.90625])
    """
    function = "compare_roc_auc"
    check_option(adjust, "adjust", ADJUSTMENTS, function)
    check_n_jobs(n_jobs, function)
    names, columns = read_columns(scores, function)
    own = scores if isinstance(scores, (list, tuple)) else ()
    lower = list(compress(columns, find_lower(higher_is_positive, names, function, own)))
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_models(how, y_true, columns, sample_weight, groups, lower=lower)
        found = areas_of(models, workers)
        n_models = len(names)
        areas, covariance = np.full(n_models, math.nan), np.full((n_models, n_models), math.nan)
        ends = np.full((n_models, 2), math.nan)
        if found is not None:
            areas = np.array([float(area) for area in found.areas])
            if found.covariance is not None:
                covariance = found.covariance.astype(np.float64)
                if models.units is None:
                    spreads = [spread_in(found, r) for r in range(n_models)]
                else:
                    spreads = [spread_of(own, models, workers)[0] for own in models.samples()]
                ends = np.array([pivot_of(spread).interval(0.95) for spread in spreads])
    tests = tuple(
        judge_difference(difference_of([found], r, s), Rule())
        for r, s in combinations(range(n_models), 2)
    )
    low, high = ends.T
    return RocAucComparison(names, areas, low, high, covariance, tests, adjust)


def _adjust(pvalues: list[float], adjust: str | None) -> list[float]:
    """Return adjusted p-values; NaN where they are."""
    order = sorted((k for k, p in enumerate(pvalues) if not math.isnan(p)), key=pvalues.__getitem__)
    adjusted = [math.nan] * len(pvalues)
    largest = 0.0
    for place, k in enumerate(order):
        times = {"holm": len(order) - place, None: 1}[adjust]
        largest = max(largest, min(1.0, times * pvalues[k]))
        adjusted[k] = largest
    return adjusted
