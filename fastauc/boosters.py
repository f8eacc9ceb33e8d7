"""Evaluation metrics for LightGBM, XGBoost and CatBoost: the exact AUC after every round.

- LightGBM: ``lightgbm.train(..., feval=lightgbm_feval)``, and
  ``LGBMClassifier().fit(..., eval_metric=lightgbm_eval_metric)``;
- XGBoost: ``xgboost.train(..., custom_metric=xgboost_custom_metric)``, and
  ``XGBClassifier(eval_metric=auc_exact)``;
- CatBoost: ``CatBoostClassifier(eval_metric=CatBoostAuc())``.

The functions are named after the parameters that take them. The metric is called ``auc_exact``, and
larger is better: LightGBM and CatBoost are told so, and XGBoost infers it from a name that begins
with ``auc``. Early stopping therefore needs no setting. Sample
weights are used; CatBoost's own ``AUC`` ignores them unless it is ``AUC:use_weights=true``.
Probabilities and raw margins have the same AUC, unless rounding makes probabilities equal; LightGBM
and XGBoost pass probabilities, CatBoost raw margins. XGBoost prints and keeps six digits of any
custom metric. Targets are binary.

The AUC of a data set with one class only is NaN, with an ``UndefinedMetricWarning``. NaN never
counts as an improvement, so training then stops early.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastauc.metrics import roc_auc_score

__all__ = [
    "CatBoostAuc",
    "auc_exact",
    "lightgbm_eval_metric",
    "lightgbm_feval",
    "xgboost_custom_metric",
]


def __dir__() -> list[str]:
    return __all__


_NAME = "auc_exact"


def _area(y_true: Any, y_score: Any, weight: Any) -> float:
    if np.ndim(y_score) > 1:
        raise ValueError(
            f"The model predicts {np.shape(y_score)[1]} classes; expected two, because the metrics "
            "of fastauc.boosters are for binary targets."
        )
    area: Any = roc_auc_score(y_true, y_score, sample_weight=weight)
    return float(area)


# LightGBM -----------------------------------------------------------------------------------------


def lightgbm_feval(preds: Any, eval_data: Any) -> tuple[str, float, bool]:
    """Return the AUC after a round of ``lightgbm.train`` or ``lightgbm.cv``, as their ``feval``.

    Parameters
    ----------
    preds, eval_data : ndarray of shape (n_samples,), lightgbm.Dataset
        Predictions; labels 0 and 1, with or without weights.

    Returns
    -------
    name, value, is_higher_better
        ``"auc_exact"``, the AUC, True.

    Raises
    ------
    ValueError
        For NaN or infinite predictions, for predictions of more than two classes, and wherever
        ``fastauc.roc_auc_score`` raises one.

    Notes
    -----
    O(n) time per round if predictions are spread out, O(n log n) otherwise. A tied pair counts one
    half. One class only: NaN with an ``UndefinedMetricWarning``, and training stops early.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from fastauc.boosters import lightgbm_feval
    >>> data = SimpleNamespace(  # the methods of a Dataset in use
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
    """Return the AUC after a round of ``LGBMClassifier.fit``, as its ``eval_metric``.

    Parameters
    ----------
    y_true, y_pred, weight : array-likes of shape (n_samples,)
        Labels of two classes, predictions, and weights of the rows or None.

    Returns
    -------
    name, value, is_higher_better
        As of ``lightgbm_feval``.

    Raises
    ------
    ValueError
        As for ``lightgbm_feval``.

    Notes
    -----
    Time, ties and one class only are as for ``lightgbm_feval``.

    Examples
    --------
    >>> from fastauc.boosters import lightgbm_eval_metric
    >>> lightgbm_eval_metric([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], None)
    ('auc_exact', 0.75, True)
    """
    return _NAME, _area(y_true, y_pred, weight), True


# XGBoost ------------------------------------------------------------------------------------------


def xgboost_custom_metric(predt: Any, dtrain: Any) -> tuple[str, float]:
    """Return the AUC after a round of ``xgboost.train`` or ``xgboost.cv``, as ``custom_metric``.

    Parameters
    ----------
    predt, dtrain : ndarray of shape (n_samples,), xgboost.DMatrix
        Predictions; labels 0 and 1, with or without weights.

    Returns
    -------
    name, value
        ``"auc_exact"`` and the AUC.

    Raises
    ------
    ValueError
        As for ``lightgbm_feval``.

    Notes
    -----
    Time, ties and one class only are as for ``lightgbm_feval``.

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
    """Return the AUC, as ``eval_metric`` of ``XGBClassifier`` and ``XGBRFClassifier``.

    These accept a function with scikit-learn's arguments and name the metric after it; from a name
    that begins with ``auc`` they infer that larger is better.

    Parameters
    ----------
    y_true, y_score, sample_weight : array-likes of shape (n_samples,)
        Labels of two classes, predictions, and weights of the rows, if any.

    Returns
    -------
    float
        The result of ``fastauc.roc_auc_score``.

    Raises
    ------
    ValueError
        As for ``lightgbm_feval``.

    Notes
    -----
    Time, ties and one class only are as for ``lightgbm_feval``.

    Examples
    --------
    >>> from fastauc.boosters import auc_exact
    >>> auc_exact([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    return _area(y_true, y_score, sample_weight)


# CatBoost -----------------------------------------------------------------------------------------


class CatBoostAuc:
    """The AUC as ``eval_metric`` of ``CatBoostClassifier``.

    It has the methods that CatBoost expects of a metric. Errors, time, ties and one class only
    are as for ``lightgbm_feval``.

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
        """Return True: larger is better."""
        return True

    def evaluate(
        self, approxes: Sequence[ArrayLike], target: ArrayLike, weight: ArrayLike | None
    ) -> tuple[float, float]:
        """Return the AUC and 1: it is not a mean over rows, so nothing has to be summed.

        ``approxes`` holds one array of raw predictions, ``target`` the labels of two classes.
        """
        scores = approxes[0] if len(approxes) == 1 else np.array([*approxes]).T
        return _area(target, scores, weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the AUC unchanged."""
        return error
