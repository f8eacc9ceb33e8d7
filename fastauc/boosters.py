"""Evaluation metrics for LightGBM, XGBoost and CatBoost: the AUC after every round.

- LightGBM: ``lightgbm.train(..., feval=lightgbm_feval)``, and
  ``LGBMClassifier().fit(..., eval_metric=lightgbm_eval_metric)``;
- XGBoost: ``xgboost.train(..., custom_metric=xgboost_custom_metric)``, and
  ``XGBClassifier(eval_metric=auc_exact)``;
- CatBoost: ``CatBoostClassifier(eval_metric=CatBoostAuc())``;
- queries of rankings: ``lightgbm_query_feval``, ``lightgbm_query_eval_metric`` and
  ``xgboost_query_custom_metric``.

The names are those of the parameters that take them. The metric is called ``auc_exact``, or
``auc_query`` for queries, and larger is better: LightGBM and CatBoost are told so; XGBoost, which
no metric can tell, sees it from a name that begins with ``auc``. So early stopping needs no
setting. Weights of the data sets count, which CatBoost's own ``AUC`` ignores unless it is
``AUC:use_weights=true``. Probabilities and raw margins have the same area, unless rounding makes
probabilities equal; LightGBM and XGBoost hand out probabilities, CatBoost margins. XGBoost prints
and keeps six digits of any custom metric. Targets are binary.

A data set of one class has no area: it is NaN, with an ``UndefinedMetricWarning``. Nothing is above
NaN or below it, so training stops early then.

In ranking, rows whose label is above 0 are relevant. A query has the area of its relevant rows
against the others; queries without both kinds are left out. The metric is the mean of the areas by
the weights of the queries: those that XGBoost keeps, or the mean weights of their rows in LightGBM,
as for its own metrics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._groups.by_group import roc_auc_by_group
from fastauc._metrics.roc_auc import roc_auc_score
from fastauc._validation.errors import warn_undefined

__all__ = [
    "CatBoostAuc",
    "auc_exact",
    "lightgbm_eval_metric",
    "lightgbm_feval",
    "lightgbm_query_eval_metric",
    "lightgbm_query_feval",
    "xgboost_custom_metric",
    "xgboost_query_custom_metric",
]

_NAME, _QUERY_NAME = "auc_exact", "auc_query"


def _area(y_true: Any, y_score: Any, weight: Any) -> float:
    if np.ndim(y_score) > 1:
        raise _of_classes(np.shape(y_score)[1])
    area: Any = roc_auc_score(y_true, y_score, sample_weight=weight)
    return float(area)


def _of_classes(n_classes: int) -> ValueError:
    return ValueError(
        f"The model predicts {n_classes} classes; expected two: the metrics of fastauc.boosters "
        "are for binary targets."
    )


# LightGBM -----------------------------------------------------------------------------------------


def lightgbm_feval(preds: Any, eval_data: Any) -> tuple[str, float, bool]:
    """Return the area of a round of ``lightgbm.train`` or ``lightgbm.cv``, as their ``feval``.

    Parameters
    ----------
    preds : ndarray of shape (n_samples,)
        Predictions.
    eval_data : lightgbm.Dataset
        Labels 0 and 1, and weights or none.

    Returns
    -------
    name, value, is_higher_better
        ``"auc_exact"``, the area, True.

    Raises
    ------
    ValueError
        For NaN or infinite predictions, for those of more than two classes, and as
        ``fastauc.roc_auc_score`` does.

    Notes
    -----
    O(n) time a round where predictions are spread, O(n log n) for others. A tied pair counts one
    half. One class only is NaN with an ``UndefinedMetricWarning``, and training stops early then.

    The arguments and results are those of LightGBM's ``feval``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from fastauc.boosters import lightgbm_feval
    >>> data = SimpleNamespace(  # what is asked of a Dataset
    ...     get_label=lambda: [0, 0, 1, 1],
    ...     get_weight=lambda: None,
    ... )
    >>> lightgbm_feval([0.1, 0.4, 0.35, 0.8], data)
    ('auc_exact', 0.75, True)
    """
    return lightgbm_eval_metric(eval_data.get_label(), preds, eval_data.get_weight())


def lightgbm_eval_metric(
    y_true: ArrayLike, y_pred: ArrayLike, weight: ArrayLike | None
) -> tuple[str, float, bool]:
    """Return the area of a round of ``LGBMClassifier.fit``, as its ``eval_metric``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    y_pred : array-like of shape (n_samples,)
        Predictions.
    weight : array-like of shape (n_samples,) or None
        Weights of the rows.

    Returns
    -------
    name, value, is_higher_better
        ``"auc_exact"``, the area, True.

    Raises
    ------
    ValueError
        For NaN or infinite predictions, for those of more than two classes, and as
        ``fastauc.roc_auc_score`` does.

    Notes
    -----
    O(n) time a round where predictions are spread, O(n log n) for others. A tied pair counts one
    half. One class only is NaN with an ``UndefinedMetricWarning``, and training stops early then.

    The arguments and results are those of LightGBM's ``eval_metric``.

    Examples
    --------
    >>> from fastauc.boosters import lightgbm_eval_metric
    >>> lightgbm_eval_metric([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], None)
    ('auc_exact', 0.75, True)
    """
    return _NAME, _area(y_true, y_pred, weight), True


def lightgbm_query_feval(preds: Any, eval_data: Any) -> tuple[str, float, bool]:
    """Return the mean area of the queries, as ``feval`` of ``lightgbm.train``.

    Parameters
    ----------
    preds : ndarray of shape (n_samples,)
        Predictions.
    eval_data : lightgbm.Dataset
        With ``group``, the sizes of the queries.

    Returns
    -------
    name, value, is_higher_better
        ``"auc_query"``, the mean of the areas, True.

    Raises
    ------
    ValueError
        For data without queries, NaN or infinite predictions.

    Notes
    -----
    A call of ``roc_auc_score`` for each query, so O(n log n) time at the most. A tied pair counts
    one half. A query of one class is left out; without any other the mean is NaN with an
    ``UndefinedMetricWarning``.

    The arguments and results are those of LightGBM's ``feval``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from fastauc.boosters import lightgbm_query_feval
    >>> data = SimpleNamespace(  # what is asked of a Dataset
    ...     get_label=lambda: [0, 1, 0, 1, 0],
    ...     get_weight=lambda: None,
    ...     get_group=lambda: [2, 3],
    ... )
    >>> lightgbm_query_feval([0.1, 0.4, 0.3, 0.2, 0.1], data)  # (1 + 1/2) / 2
    ('auc_query', 0.75, True)
    """
    y_true, weight = eval_data.get_label(), eval_data.get_weight()
    return lightgbm_query_eval_metric(y_true, preds, weight, eval_data.get_group())


def lightgbm_query_eval_metric(
    y_true: ArrayLike, y_pred: ArrayLike, weight: ArrayLike | None, group: ArrayLike | None
) -> tuple[str, float, bool]:
    """Return the mean area of the queries, as ``eval_metric`` of ``LGBMRanker.fit``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Relevances; above 0 is relevant.
    y_pred : array-like of shape (n_samples,)
        Predictions.
    weight : array-like of shape (n_samples,) or None
        Weights of the rows.
    group : array-like of shape (n_queries,)
        Sizes of the queries, whose rows are beside each other.

    Returns
    -------
    name, value, is_higher_better
        ``"auc_query"``, the mean of the areas, True.

    Raises
    ------
    ValueError
        Without ``group``.

    Notes
    -----
    A call of ``roc_auc_score`` for each query, so O(n log n) time at the most. A tied pair counts
    one half. A query of one class is left out; without any other the mean is NaN with an
    ``UndefinedMetricWarning``.

    The arguments and results are those of LightGBM's ``eval_metric``.

    Examples
    --------
    >>> from fastauc.boosters import lightgbm_query_eval_metric
    >>> relevance, scores = [0, 2, 1, 1, 0, 0], [0.1, 0.4, 0.1, 0.8, 0.9, 0.3]
    >>> lightgbm_query_eval_metric(relevance, scores, None, [3, 3])  # (3/4 + 1/2) / 2
    ('auc_query', 0.625, True)
    """
    if group is None:
        raise ValueError("The data set has no group; expected the sizes of its queries.")
    starts = np.concatenate(([0], np.cumsum(group)))
    row_weight = None if weight is None else np.asarray(weight, np.float64)
    return _QUERY_NAME, _mean_area(y_true, y_pred, starts, row_weight=row_weight), True


# XGBoost ------------------------------------------------------------------------------------------


def xgboost_custom_metric(predt: Any, dtrain: Any) -> tuple[str, float]:
    """Return the area of a round of ``xgboost.train`` or ``xgboost.cv``, as ``custom_metric``.

    Parameters
    ----------
    predt : ndarray of shape (n_samples,)
        Predictions.
    dtrain : xgboost.DMatrix
        Labels 0 and 1, and weights or none.

    Returns
    -------
    name, value
        ``"auc_exact"`` and the area.

    Raises
    ------
    ValueError
        For NaN or infinite predictions, for those of more than two classes, and as
        ``fastauc.roc_auc_score`` does.

    Notes
    -----
    O(n) time a round where predictions are spread, O(n log n) for others. A tied pair counts one
    half. One class only is NaN with an ``UndefinedMetricWarning``, and training stops early then.

    The arguments and results are those of XGBoost's ``custom_metric``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from fastauc.boosters import xgboost_custom_metric
    >>> data = SimpleNamespace(get_label=lambda: [0, 0, 1, 1], get_weight=lambda: np.empty(0))
    >>> xgboost_custom_metric([0.1, 0.4, 0.35, 0.8], data)
    ('auc_exact', 0.75)
    """
    weight = dtrain.get_weight()
    return _NAME, _area(dtrain.get_label(), predt, weight if weight.size > 0 else None)


def auc_exact(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Return the area, as ``eval_metric`` of ``XGBClassifier`` and ``XGBRFClassifier``.

    These take a function with scikit-learn's arguments, and its name for that of the metric: from
    one that begins with ``auc`` they know that larger is better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    y_score : array-like of shape (n_samples,)
        Predictions.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float
        What ``fastauc.roc_auc_score`` returns.

    Raises
    ------
    ValueError
        For NaN or infinite predictions, for those of more than two classes, and as
        ``fastauc.roc_auc_score`` does.

    Notes
    -----
    O(n) time a round where predictions are spread, O(n log n) for others. A tied pair counts one
    half. One class only is NaN with an ``UndefinedMetricWarning``, and training stops early then.

    The arguments are those of scikit-learn's metrics, as XGBoost passes them.

    Examples
    --------
    >>> from fastauc.boosters import auc_exact
    >>> auc_exact([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    return _area(y_true, y_score, sample_weight)


def xgboost_query_custom_metric(predt: Any, dtrain: Any) -> tuple[str, float]:
    """Return the mean area of the queries, as ``custom_metric`` of ``xgboost.train``.

    Not for ``XGBRanker``, which calls a metric for each query by itself.

    Parameters
    ----------
    predt : ndarray of shape (n_samples,)
        Predictions.
    dtrain : xgboost.DMatrix
        With ``group`` or ``qid``, and a weight for each query or none.

    Returns
    -------
    name, value
        ``"auc_query"`` and the mean of the areas.

    Raises
    ------
    ValueError
        For data without queries.

    Notes
    -----
    A call of ``roc_auc_score`` for each query, so O(n log n) time at the most. A tied pair counts
    one half. A query of one class is left out; without any other the mean is NaN with an
    ``UndefinedMetricWarning``.

    The arguments and results are those of XGBoost's ``custom_metric``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from fastauc.boosters import xgboost_query_custom_metric
    >>> data = SimpleNamespace(  # what is asked of a DMatrix
    ...     get_label=lambda: [0, 1, 0, 1, 0],
    ...     get_weight=lambda: np.empty(0),
    ...     get_uint_info=lambda name: {"group_ptr": [0, 2, 5]}[name],
    ... )
    >>> xgboost_query_custom_metric([0.1, 0.4, 0.3, 0.2, 0.1], data)  # (1 + 1/2) / 2
    ('auc_query', 0.75)
    """
    starts, weight = dtrain.get_uint_info("group_ptr"), dtrain.get_weight()
    if len(starts) == 0:
        raise ValueError("The DMatrix has no group; expected group or qid for its queries.")
    query_weight = weight.tolist() if weight.size > 0 else None
    return _QUERY_NAME, _mean_area(dtrain.get_label(), predt, starts, query_weight=query_weight)


# CatBoost -----------------------------------------------------------------------------------------


class CatBoostAuc:
    """The area as ``eval_metric`` of ``CatBoostClassifier``.

    Notes
    -----
    O(n) time a round where predictions are spread, O(n log n) for others. A tied pair counts one
    half. One class only is NaN with an ``UndefinedMetricWarning``, and training stops early then.
    The methods are those that CatBoost asks of a metric.

    Examples
    --------
    >>> from fastauc.boosters import CatBoostAuc
    >>> metric = CatBoostAuc()
    >>> metric.get_final_error(*metric.evaluate([[0.1, 0.4, 0.35, 0.8]], [0, 0, 1, 1], None))
    0.75
    """

    # CatBoost would try to compile the methods with numba, and warn that it cannot.
    no_jit = True

    def is_max_optimal(self) -> bool:
        """Tell that larger is better."""
        return True

    def evaluate(
        self, approxes: Sequence[ArrayLike], target: ArrayLike, weight: ArrayLike | None
    ) -> tuple[float, float]:
        """Return the area and 1: it is no mean over rows, so there is nothing to add up.

        Parameters
        ----------
        approxes : sequence of one array-like of shape (n_samples,)
            Raw predictions.
        target : array-like of shape (n_samples,)
            Labels of two classes.
        weight : array-like of shape (n_samples,) or None
            Weights of the rows.
        """
        if len(approxes) > 1:
            raise _of_classes(len(approxes))
        (scores,) = approxes
        return _area(target, scores, weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the area, as it is."""
        return error


# Queries ------------------------------------------------------------------------------------------


def _mean_area(
    y_true: Any,
    y_score: Any,
    starts: NDArray[Any],
    *,
    row_weight: NDArray[np.float64] | None = None,
    query_weight: Sequence[float] | None = None,
) -> float:
    """Return the weighted mean of the areas of the queries that have both kinds of rows.

    Query k has the rows from ``starts[k]`` to ``starts[k + 1]``, and the given weight or the mean
    weight of its rows.
    """
    areas = roc_auc_by_group(
        np.asarray(y_true) > 0, y_score, offsets=starts, sample_weight=row_weight
    )
    weights = np.ones(len(areas.auc)) if query_weight is None else np.asarray(query_weight)
    if row_weight is not None:
        # A query without rows has none of its own: it is not defined, and left out.
        sums = np.add.reduceat(row_weight, np.minimum(starts[:-1], len(row_weight) - 1))
        weights = sums / np.maximum(np.diff(starts), 1)
    chosen = weights[~areas.undefined]
    total = math.fsum(chosen)
    if total == 0:
        warn_undefined("No query has both relevant rows and others. Their AUC is not defined.")
        return math.nan
    return math.fsum(areas.auc[~areas.undefined] * chosen) / total
