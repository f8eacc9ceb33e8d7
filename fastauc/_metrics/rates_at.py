"""Numbers read off the ROC curve where one of its rates has a given value."""

from typing import Any

from numpy.typing import ArrayLike

from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.points import fprs_at, precisions_at, tprs_at
from fastauc._validation.arrays import Array
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.rates import read_rates
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import Workers, check_n_jobs

__all__ = ["fpr_at_tpr", "precision_at_recall", "tpr_at_fpr"]


def _read_counts(
    y_true: object,
    y_score: object,
    sample_weight: object,
    pos_label: Label | None,
    n_jobs: int | None,
    function: str,
) -> tuple[Array, Array]:
    check_n_jobs(n_jobs, function)
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        fps, tps, _ = count_sample(sample, workers)
    return fps, tps


def tpr_at_fpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    fpr: Any,
    *,
    interpolation: str = "linear",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
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
        False positive rates in [0, 1].
    interpolation : {"linear", "step"}
        "linear": on the straight lines between thresholds, which drawing lots between two of them
        reaches. "step": the best that a single threshold does with no more
        false positives than that.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
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
    function = "tpr_at_fpr"
    rates = read_rates(fpr, "fpr", interpolation, function)
    fps, tps = _read_counts(y_true, y_score, sample_weight, pos_label, n_jobs, function)
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
        True positive rates in [0, 1].
    interpolation : {"linear", "step"}
        "linear": on the straight lines between thresholds, which drawing lots between two of them
        reaches. "step": the best that a single threshold does that finds no
        fewer positives than that.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
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
    function = "fpr_at_tpr"
    rates = read_rates(tpr, "tpr", interpolation, function)
    fps, tps = _read_counts(y_true, y_score, sample_weight, pos_label, n_jobs, function)
    warn_if_undefined(tps[-1], fps[-1])
    return fprs_at(fps, tps, rates, interpolation)


def precision_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    recall: Any,
    *,
    interpolation: str = "linear",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Return the precision that goes with a recall.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    recall : float or array-like of any shape
        Shares of the positives in (0, 1]; without a true positive there is no precision.
    interpolation : {"linear", "step"}
        "linear": at the point of the ROC curve, with straight lines between thresholds, where the
        recall is first reached (Davis and Goadrich). "step": the best precision of a single
        threshold that finds no fewer positives than that.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float, or float64 array of the shape of ``recall``
        Correctly rounded if unweighted, otherwise within 1e-15. NaN with an
        ``UndefinedMetricWarning`` without positives.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``; a recall outside (0, 1].
    InvalidParameterError
        For an unknown ``interpolation``.

    See Also
    --------
    pr_auc_score : The mean over all recalls.

    Notes
    -----
    O(n log n) time, and O(log n) for each recall. Precision is no straight line between two
    thresholds, but the counts are: J. Davis and M. Goadrich, "The relationship between
    precision-recall and ROC curves", Proc. 23rd ICML (2006) 233-240.

    Examples
    --------
    >>> from fastauc import precision_at_recall
    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], 0.75)
    0.75
    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], [0.5, 1], interpolation="step")
    array([1.        , 0.66666667])
    """
    function = "precision_at_recall"
    rates = read_rates(recall, "recall", interpolation, function, above_zero=True)
    fps, tps = _read_counts(y_true, y_score, sample_weight, pos_label, n_jobs, function)
    warn_if_undefined(tps[-1], 1)
    return precisions_at(fps, tps, rates, interpolation)
