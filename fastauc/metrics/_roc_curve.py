"""The ROC curve, the counts behind it, and its values at given rates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import sample_curves
from fastauc._counts.confusion_counts import ConfusionCounts, count_rows
from fastauc._counts.roc import ConvexHull, fprs_at, hull_of, tprs_at
from fastauc._validation.labels import Label
from fastauc._validation.literals import Interpolation, NanPolicy
from fastauc._validation.options import check_flag, read_rates
from fastauc._validation.rows import Rows
from fastauc._validation.threads import Workers


def confusion_matrix_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> ConfusionCounts:
    """Count true and false positives and negatives at every threshold.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, n_jobs
        As for ``gini_score``; rows with equal scores share one threshold.

    Returns
    -------
    ConfusionCounts
        The arrays ``tns, fps, fns, tps, thresholds``, and methods for every curve. The counts are
        int64 (float64 if weighted; in scikit-learn always). The thresholds are decreasing, in the
        dtype of ``y_score``; zero is never -0.0. If only one class is present, the counts of the
        other are 0.

    Raises
    ------
    ValueError
        As for ``gini_score``.

    Notes
    -----
    O(n log n) time. Follows scikit-learn 1.9.

    Examples
    --------
    >>> from fastauc import confusion_matrix_at_thresholds
    >>> counts = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> counts.fps, counts.tps
    (array([0, 1, 1, 2]), array([1, 1, 2, 2]))
    """
    function = "confusion_matrix_at_thresholds"
    rows = Rows(function, y_true, y_score, sample_weight, pos_label, n_jobs=n_jobs)
    fps, tps, thresholds, *_ = count_rows(rows)
    return ConfusionCounts(fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds)


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the ROC curve; a drop-in replacement for scikit-learn's function.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for ``gini_score``; ties form a diagonal step.
    drop_intermediate : bool
        Drop collinear points: those at which the step in both counts stays the same, so that they
        lie on the line between their neighbors. Decided in integer arithmetic if unweighted.

    Returns
    -------
    fpr, tpr : float64 arrays of shape (n_points,)
        Increasing rates from (0, 0) to (1, 1). The rate of a class without rows is NaN throughout,
        with an ``UndefinedMetricWarning``.
    thresholds : float64 array of shape (n_points,)
        Strictly decreasing, starting at infinity.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``drop_intermediate`` that is not a bool.

    Notes
    -----
    O(n log n) time. Follows scikit-learn 1.9.

    Examples
    --------
    >>> from fastauc import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    """
    rows = Rows("roc_curve", y_true, y_score, sample_weight, pos_label)
    check_flag(drop_intermediate, "drop_intermediate", rows.function)
    with Workers(None) as workers:
        return sample_curves.roc_curve(rows.sample(workers), drop_intermediate, workers)


def det_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the detection error tradeoff (DET) curve; a drop-in for scikit-learn's function.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for ``roc_curve``; rows with equal scores share one threshold.
    drop_intermediate : bool
        Drop points between two others with the same false negative rate.

    Returns
    -------
    fpr, fnr : float64 arrays of shape (n_thresholds,)
        From the last threshold without false negatives to the first with the minimum number of
        false positives.
    thresholds : float64 array of shape (n_thresholds,)
        Strictly increasing; the last may be infinity.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``roc_curve``, and if there are not exactly two classes.

    Notes
    -----
    O(n log n) time. Follows scikit-learn 1.9. If all rows of a class have weight 0, its rates are
    NaN, with an ``UndefinedMetricWarning``.

    Examples
    --------
    >>> from fastauc import det_curve
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, fnr
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]))
    """
    rows = Rows("det_curve", y_true, y_score, sample_weight, pos_label)
    check_flag(drop_intermediate, "drop_intermediate", rows.function)
    with Workers(None) as workers:
        sample = rows.sample(workers)
        if sample.n_labels != 2:
            raise ValueError(
                "Only one class is present in y_true. Detection error tradeoff curve is not "
                f"defined in that case. y_true holds {sample.n_labels} distinct label(s); "
                "expected 2."
            )
        return sample_curves.det_curve(sample, drop_intermediate, workers)


def roc_convex_hull(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> ConvexHull:
    """Return the convex hull of the ROC curve, with its thresholds and its AUC.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``; rows with equal scores make one diagonal step.

    Returns
    -------
    ConvexHull
        The vertices ``fpr, tpr, thresholds`` and the area, ``auc``. If a class has no rows, its
        rates and the area are NaN, with an ``UndefinedMetricWarning``.

    Raises
    ------
    ValueError
        As for ``gini_score``.

    Notes
    -----
    O(n log n) time. Vertices are found in integer arithmetic if unweighted. Only thresholds on the
    hull can be optimal, whatever the costs of the two kinds of error: F. Provost and T. Fawcett,
    "Robust classification for imprecise environments", Mach. Learn. 42 (2001) 203-231. Its area is
    the AUC of the scores after isotonic regression on the same rows.

    Examples
    --------
    >>> from fastauc.metrics import roc_convex_hull
    >>> hull = roc_convex_hull([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> hull.thresholds
    array([ inf, 0.8 , 0.35, 0.1 ])
    >>> hull.auc
    0.875
    """
    rows = Rows("roc_convex_hull", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    return hull_of(count_rows(rows))


def tpr_at_fpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    fpr: Any,
    *,
    interpolation: Interpolation = "linear",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Any:
    """Return the true positive rate at a given false positive rate.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``; rows with equal scores form one diagonal step.
    fpr : float or array-like of any shape
        False positive rates in [0, 1]. A double matches every rate that rounds to it: the point
        with 3 of 10 negatives is at 0.3, and with weights, so is one at which ``roc_curve`` shows
        0.3.
    interpolation : {"linear", "step"}
        "linear": interpolate linearly between thresholds, which choosing at random between the two
        thresholds achieves. "step": the highest rate of a single threshold that does not exceed
        this false positive rate.

    Returns
    -------
    float, or float64 array of the shape of ``fpr``
        Correctly rounded if unweighted, otherwise within 1e-15. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError
        As for ``gini_score``, and for rates outside [0, 1].
    InvalidParameterError
        For an unknown ``interpolation``.

    Notes
    -----
    O(n log n) time, plus O(log n) for each rate. Where the curve is vertical at ``fpr``, the
    highest true positive rate is returned. With "linear", it is pROC's sensitivity at the
    specificity 1 - fpr; ``partial_roc_auc_score`` is its mean over a range of rates.

    Examples
    --------
    >>> from fastauc.metrics import tpr_at_fpr
    >>> tpr_at_fpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], 0.25)
    0.75
    >>> tpr_at_fpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], [0, 0.25, 0.5], interpolation="step")
    array([0.5, 0.5, 1. ])
    """
    rows = Rows("tpr_at_fpr", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    rates = read_rates(fpr, "fpr", interpolation, rows.function)
    return tprs_at(count_rows(rows), rates, interpolation)


def fpr_at_tpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    tpr: Any,
    *,
    interpolation: Interpolation = "linear",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Any:
    """Return the false positive rate at a given true positive rate.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``; rows with equal scores form one diagonal step.
    tpr : float or array-like of any shape
        True positive rates in [0, 1]; floats match exact rates as in ``tpr_at_fpr``.
    interpolation : {"linear", "step"}
        "linear": as for ``tpr_at_fpr``. "step": the lowest rate of a single threshold that reaches
        this true positive rate.

    Returns
    -------
    float, or float64 array of the shape of ``tpr``
        Correctly rounded if unweighted, otherwise within 1e-15. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``tpr_at_fpr``.

    Notes
    -----
    Time as for ``tpr_at_fpr``. Where the curve is horizontal at ``tpr``, the lowest false positive
    rate is returned: ``1 - fpr_at_tpr(..., 1)`` is the share of the negatives that score below all
    positives. With "linear", it is 1 minus pROC's specificity at a given sensitivity.

    Examples
    --------
    >>> from fastauc.metrics import fpr_at_tpr
    >>> fpr_at_tpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], 0.75)
    0.25
    >>> fpr_at_tpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], [0.75, 1], interpolation="step")
    array([0.5, 0.5])
    """
    rows = Rows("fpr_at_tpr", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    rates = read_rates(tpr, "tpr", interpolation, rows.function)
    return fprs_at(count_rows(rows), rates, interpolation)
