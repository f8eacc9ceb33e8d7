"""Curves and areas from labels and scores, with scikit-learn's names, arguments and orders.

Each function reads its input; ``scans`` sorts it once and finds the result in the sorted rows.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import scans
from fastauc._counts.confusion_counts import (
    ConfusionCounts,
    count_sample,
    det_points,
    warn_if_no_positives,
)
from fastauc._metrics.averaging import AVERAGES, average_columns
from fastauc._validation.arrays import Array, as_array, as_column
from fastauc._validation.labels import (
    Label,
    Target,
    matrix_positives,
    positive_codes,
    read_target,
    unsupported,
)
from fastauc._validation.options import check_flag, check_option, check_pos_label
from fastauc._validation.samples import (
    BinarySample,
    as_float64,
    check_columns,
    check_consistent_length,
    complete_sample,
    read_binary_sample,
    read_clean_sample,
    read_inputs,
    read_scores,
    read_weights,
)
from fastauc._validation.threads import Workers, check_n_jobs

__all__ = [
    "auc",
    "average_precision_score",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "ks_score",
    "precision_recall_curve",
    "roc_curve",
]


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
    check_n_jobs(n_jobs, function)
    with Workers(n_jobs) as workers:
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
        return scans.roc_curve(sample, drop_intermediate, workers)


def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64], Array]:
    """Return precision and recall at every threshold; a drop-in for scikit-learn's function.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores share one threshold.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    drop_intermediate : bool
        Leave out the points between two others of the same recall.

    Returns
    -------
    precision, recall : float64 arrays of shape (n_thresholds + 1,)
        From the lowest threshold up; the last point is precision 1, recall 0. Without positives
        recall is 1 everywhere, with a UserWarning.
    thresholds : array of shape (n_thresholds,)
        Strictly increasing, in the dtype of ``y_score``.

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
    >>> from fastauc import precision_recall_curve
    >>> precision, recall, _ = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision
    array([0.5       , 0.66666667, 0.5       , 1.        , 1.        ])
    """
    function = "precision_recall_curve"
    check_flag(drop_intermediate, "drop_intermediate", function)
    with Workers(None) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        return scans.precision_recall_curve(sample, drop_intermediate, workers)


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
        return det_points(*count_sample(sample, workers), drop_intermediate)


def ks_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the Kolmogorov-Smirnov distance of the scores of the two classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype. Finite. Rows with equal scores are passed at once.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.

    Returns
    -------
    float
        The largest ``|tpr - fpr|`` of all thresholds, in [0, 1]; unweighted, correctly rounded. NaN
        with an ``UndefinedMetricWarning`` for a class without rows.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    Notes
    -----
    O(n) time where scores are spread or few, O(n log n) for others. The statistic of
    ``scipy.stats.ks_2samp`` for the scores of both classes; ``ks_statistic`` says where it is.

    Examples
    --------
    >>> from fastauc import ks_score
    >>> ks_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    with Workers(None) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, "ks_score", workers)
        return scans.greatest_distance(sample, workers)


def _warn_no_positives(sample: BinarySample) -> None:
    warn_if_no_positives(sample.n_pos)


def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]:
    """Return the average precision; a drop-in for scikit-learn's function.

    Precision at each threshold, averaged with the growth of recall as its weight: the area under
    the precision-recall curve by steps, without interpolation.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels of two classes, of several (one against the rest), or a multilabel matrix.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores share one threshold.
    average : {"micro", "macro", "samples", "weighted"} or None
        How several classes are averaged; None returns their values. Ignored when binary.
    pos_label : int, float, bool or str
        The label of the positives when binary; else it must be 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1], within 1 ulp of the exact value when unweighted. 0 without positives, with a
        UserWarning, as in scikit-learn; 1 without negatives.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; a ``pos_label`` that is not among the labels.
    InvalidParameterError
        For an ``average`` outside its domain.

    Notes
    -----
    O(n log n) time for each column. Follows scikit-learn 1.9.

    Examples
    --------
    >>> from fastauc import average_precision_score
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333334
    """
    function = "average_precision_score"
    check_option(average, "average", AVERAGES, function)
    check_pos_label(pos_label, function, optional=False)
    if pos_label == 1:
        clean = read_clean_sample(y_true, y_score, sample_weight)
        if clean is not None:
            with Workers(None) as workers:
                return scans.average_precision(clean, workers)
    inputs = read_inputs(y_true, y_score, sample_weight, function)
    with Workers(None) as workers:
        target = read_target(inputs.y_true, workers)
        if target.kind == "binary":
            if len(target.classes) == 2 and pos_label not in target.classes:
                raise ValueError(
                    f"pos_label={pos_label} is not a valid label. It should be one of "
                    f"{np.array(target.classes)}"
                )
            label, n_pos = positive_codes(target, pos_label)
            sample = complete_sample(label, n_pos, len(target.classes), inputs, workers)
            _warn_no_positives(sample)
            return scans.average_precision(sample, workers)
        if target.kind in ("multiclass", "multilabel-indicator") and pos_label != 1:
            raise ValueError(
                f"Parameter pos_label is fixed to 1 for {target.kind} y_true. Do not set pos_label "
                "or set pos_label to 1."
            )
        if target.kind not in ("multiclass", "multilabel-indicator"):
            raise unsupported(target)
        check_consistent_length(len(target.codes), inputs)
        positive = _positives(target, inputs.y_score)
        weight = read_weights(inputs.sample_weight)
        order = read_scores(inputs.y_score, workers)
        prevalence = positive if target.kind == "multiclass" else target.codes
        return average_columns(
            scans.average_precision,
            _warn_no_positives,
            positive,
            order,
            average,
            weight,
            prevalence=prevalence,
            workers=workers,
        )


def _positives(target: Target, scores: Array) -> NDArray[np.uint8]:
    if target.kind == "multilabel-indicator":
        return matrix_positives(target, scores)
    check_columns(scores)
    if scores.shape != (len(target.codes), len(target.classes)):
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={scores.shape}`. expected "
            f"{(len(target.codes), len(target.classes))}."
        )
    positive: NDArray[np.uint8]
    positive = (target.codes[:, None] == np.arange(len(target.classes))).view(np.uint8)
    return positive


def auc(x: ArrayLike, y: ArrayLike) -> float:
    """Return the area under a polyline by the trapezoid rule.

    Parameters
    ----------
    x : array-like of shape (n_points,)
        Abscissas, all increasing or all decreasing; equal neighbors are allowed.
    y : array-like of shape (n_points,)
        Ordinates.

    Returns
    -------
    float
        Computed in float64 whatever the dtypes; scikit-learn computes in the input's. NaN where
        the input holds NaN.

    Raises
    ------
    ValueError
        For fewer than 2 points, unequal lengths, or an ``x`` that goes both ways.

    Notes
    -----
    O(n) time. Points that tie in ``x`` add a vertical step and no area. For the area under the ROC
    curve ``roc_auc_score`` is exact and needs no curve.

    Examples
    --------
    >>> from fastauc import auc
    >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
    0.75
    """
    points = [
        as_float64(as_column(as_array(values, name, "auc"), name), name)
        for name, values in (("x", x), ("y", y))
    ]
    abscissas, ordinates = points
    if len(abscissas) != len(ordinates):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[len(abscissas), len(ordinates)]}. x and y differ in length."
        )
    if len(abscissas) < 2:
        raise ValueError(
            "At least 2 points are needed to compute area under curve, but x.shape = "
            f"{len(abscissas)}"
        )
    steps = np.diff(abscissas)
    if (steps < 0).any() and (steps > 0).any():
        turn = 1 + int(np.argmax(np.sign(steps) == -np.sign(steps[np.flatnonzero(steps)[0]])))
        raise ValueError(
            f"x is neither increasing nor decreasing : {np.asarray(x)}. x[{turn}] is "
            f"{abscissas[turn]} after {abscissas[turn - 1]}."
        )
    return float((np.abs(steps) * (ordinates[1:] + ordinates[:-1])).sum()) / 2
