"""The ROC curve, the counts behind it, and what is read off it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import sort_scan
from fastauc._counts.confusion_counts import ConfusionCounts, count_curve, count_sample
from fastauc._counts.roc import ConvexHull, fprs_at, hull_of, tprs_at
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.missing import omit_missing
from fastauc._validation.options import check_flag, read_rates
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import Workers


def confusion_matrix_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> ConfusionCounts:
    """Count true and false positives and negatives at every distinct score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores share one threshold.
    pos_label : int, float, bool or str, optional
        The label of the positives; every other label is negative. May be left out if the labels
        are in {0, 1} or {-1, 1}: then it is 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    ConfusionCounts
        The arrays ``tns, fps, fns, tps, thresholds``, and methods for every curve. The counts are
        int64 (float64 if weighted; scikit-learn's always are). The thresholds decrease, in the
        dtype of ``y_score``; a zero is never -0.0. One class only: its counts, and zeros.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

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
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        fps, tps, thresholds = count_sample(sample, workers)
    return ConfusionCounts(fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds)


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the receiver operating characteristic; a drop-in for scikit-learn's function.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher is more likely positive. Finite. Ties: a diagonal step.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    drop_intermediate : bool
        Leave out the points at which neither count changes its step: they lie on the line between
        their neighbors. Decided in integers when unweighted.

    Returns
    -------
    fpr, tpr : float64 arrays of shape (n_points,)
        Increasing rates from (0, 0) to (1, 1). All NaN, with an ``UndefinedMetricWarning``, for a
        class without rows.
    thresholds : float64 array of shape (n_points,)
        Strictly decreasing, from infinity.

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
    check_flag(drop_intermediate, "drop_intermediate", "roc_curve")
    with Workers(None) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, "roc_curve", workers)
        return sort_scan.roc_curve(sample, drop_intermediate, workers)


def det_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the detection error tradeoff; a drop-in for scikit-learn's function.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores share one threshold.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    drop_intermediate : bool
        Leave out the points between two others of the same false negative rate.

    Returns
    -------
    fpr, fnr : float64 arrays of shape (n_thresholds,)
        From the last threshold without false negatives to the first with the fewest false
        positives.
    thresholds : float64 array of shape (n_thresholds,)
        Strictly increasing; the last may be infinity.

    Raises
    ------
    ValueError
        For labels that are not of exactly two classes; NaN or infinite scores; negative, infinite,
        NaN or all-zero weights; unequal lengths; no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``drop_intermediate`` that is not a bool.

    Notes
    -----
    O(n log n) time. Follows scikit-learn 1.9. Where the weights remove a class, its rates are NaN,
    with an ``UndefinedMetricWarning``.

    Examples
    --------
    >>> from fastauc import det_curve
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, fnr
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]))
    """
    check_flag(drop_intermediate, "drop_intermediate", "det_curve")
    with Workers(None) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, "det_curve", workers)
        if sample.n_labels != 2:
            raise ValueError(
                "Only one class is present in y_true. Detection error tradeoff curve is not "
                f"defined in that case. y_true holds {sample.n_labels} distinct label(s); "
                "expected 2."
            )
        return sort_scan.det_curve(sample, drop_intermediate, workers)


def roc_convex_hull(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> ConvexHull:
    """Return the convex hull of the ROC curve, with its thresholds and its area.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    ConvexHull
        The corners ``fpr, tpr, thresholds`` and the ``area``. A class without rows: its rates and
        the area are NaN, with an ``UndefinedMetricWarning``.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    Notes
    -----
    O(n log n) time. Corners are found in integers if unweighted. Only the thresholds of the hull
    are ever best, whatever errors of either kind cost: F. Provost and T. Fawcett, "Robust
    classification for imprecise environments", Mach. Learn. 42 (2001) 203-231. Its area is that of
    the scores after isotonic regression on the same rows.

    Examples
    --------
    >>> from fastauc import roc_convex_hull
    >>> hull = roc_convex_hull([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> hull.thresholds
    array([ inf, 0.8 , 0.35, 0.1 ])
    >>> hull.area
    0.875
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "roc_convex_hull"
    )
    with Workers(n_jobs, "roc_convex_hull") as workers:
        sample = read_binary_sample(
            y_true, y_score, sample_weight, pos_label, "roc_convex_hull", workers
        )
        counts = count_sample(sample, workers)
    warn_if_undefined(sample.n_pos, sample.n_neg)
    return hull_of(*counts)


def tpr_at_fpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    fpr: Any,
    *,
    interpolation: str = "linear",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> Any:
    """Return the highest true positive rate that goes with a false positive rate.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    fpr : float or array-like of any shape
        False positive rates in [0, 1]. A double stands for every rate that rounds to it: the point
        with 3 of 10 negatives is at 0.3, and with weights, one at which ``roc_curve`` shows 0.3.
    interpolation : {"linear", "step"}
        "linear": on the straight lines between thresholds, which drawing lots between two of them
        reaches. "step": the best that a single threshold does with no more
        false positives than that.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float, or float64 array of the shape of ``fpr``
        Correctly rounded if unweighted, otherwise within 1e-15. NaN with an
        ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``; rates outside [0, 1].
    InvalidParameterError
        For an unknown ``interpolation``.

    See Also
    --------
    partial_roc_auc_score : The mean over a range of false positive rates.

    Notes
    -----
    O(n log n) time, and O(log n) for each rate. Where the curve rises steeply at ``fpr``, the top
    of the rise counts. Linear, it is pROC's sensitivity at a given specificity 1 - fpr.

    Examples
    --------
    >>> from fastauc import tpr_at_fpr
    >>> tpr_at_fpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], 0.25)
    0.75
    >>> tpr_at_fpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], [0, 0.25, 0.5], interpolation="step")
    array([0.5, 0.5, 1. ])
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "tpr_at_fpr"
    )
    function = "tpr_at_fpr"
    rates = read_rates(fpr, "fpr", interpolation, function)
    fps, tps = count_curve(y_true, y_score, sample_weight, pos_label, n_jobs, function)
    warn_if_undefined(tps[-1], fps[-1])
    return tprs_at(fps, tps, rates, interpolation)


def fpr_at_tpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    tpr: Any,
    *,
    interpolation: str = "linear",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> Any:
    """Return the lowest false positive rate that goes with a true positive rate.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    tpr : float or array-like of any shape
        True positive rates in [0, 1]; what they stand for is as in ``tpr_at_fpr``.
    interpolation : {"linear", "step"}
        "linear": on the straight lines between thresholds, which drawing lots between two of them
        reaches. "step": the best that a single threshold does that finds no
        fewer positives than that.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float, or float64 array of the shape of ``tpr``
        Correctly rounded if unweighted, otherwise within 1e-15. NaN with an
        ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``; rates outside [0, 1].
    InvalidParameterError
        For an unknown ``interpolation``.

    See Also
    --------
    tpr_at_fpr : The other rate.

    Notes
    -----
    O(n log n) time, and O(log n) for each rate. ``1 - fpr_at_tpr(..., 1)`` is the share of the
    negatives below all positives: the lowest scores, which are purely of the negative class.

    Linear, it is 1 less pROC's specificity at a given sensitivity.

    Examples
    --------
    >>> from fastauc import fpr_at_tpr
    >>> fpr_at_tpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], 0.75)
    0.25
    >>> fpr_at_tpr([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], [0.75, 1], interpolation="step")
    array([0.5, 0.5])
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "fpr_at_tpr"
    )
    function = "fpr_at_tpr"
    rates = read_rates(tpr, "tpr", interpolation, function)
    fps, tps = count_curve(y_true, y_score, sample_weight, pos_label, n_jobs, function)
    warn_if_undefined(tps[-1], fps[-1])
    return fprs_at(fps, tps, rates, interpolation)
