"""Precision and recall: the curve, the area under it, and values at a recall or in the top k."""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import multiclass, precision_recall, sample_curves
from fastauc._counts.confusion_counts import count_rows, count_sample
from fastauc._counts.roc import precisions_at
from fastauc._counts.selected import take_top
from fastauc._validation import options
from fastauc._validation.arrays import Array
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import (
    AVERAGES,
    Average,
    Interpolation,
    NanPolicy,
    PrecisionInterpolation,
)
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers


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
    y_true, y_score, sample_weight, pos_label
        As for ``roc_curve``; rows with equal scores share one threshold.
    drop_intermediate : bool
        Drop points between two others with the same recall.

    Returns
    -------
    precision, recall : float64 arrays of shape (n_thresholds + 1,)
        In increasing order of the threshold; the last point is precision 1, recall 0. Without
        positives, recall is 1 throughout, with a UserWarning.
    thresholds : array of shape (n_thresholds,)
        Strictly increasing, in the dtype of ``y_score``.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``roc_curve``.

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
    rows = Rows("precision_recall_curve", y_true, y_score, sample_weight, pos_label)
    options.check_flag(drop_intermediate, "drop_intermediate", rows.function)
    with Workers(None) as workers:
        sample = rows.sample(workers)
        return sample_curves.precision_recall_curve(sample, drop_intermediate, workers)


@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = ...,
    pos_label: Label = ...,
    sample_weight: ArrayLike | None = ...,
) -> float: ...
@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average | None,
    pos_label: Label = ...,
    sample_weight: ArrayLike | None = ...,
) -> float | NDArray[np.float64]: ...
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]:
    """Return the average precision; a drop-in for scikit-learn's function.

    The mean of the precision at each threshold, weighted by the increase in recall: the area under
    the precision-recall curve as a step function, without interpolation.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels of two classes, of several (one against the rest), or a multilabel matrix.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Finite scores of any numeric dtype; higher means more likely positive. Rows with equal
        scores share one threshold.
    average, sample_weight
        As for ``roc_auc_score``.
    pos_label : int, float, bool or str
        The label of the positive class if binary; otherwise it must be 1.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1], within 1 ulp of the exact value if unweighted. 0 without positives, with a
        UserWarning, as in scikit-learn; 1 without negatives.

    Raises
    ------
    ValueError
        As for ``roc_auc_score``, and for a ``pos_label`` that is not among the labels.
    InvalidParameterError
        For an invalid ``average``.

    Notes
    -----
    O(n log n) time for each column. Follows scikit-learn 1.9.

    Examples
    --------
    >>> from fastauc import average_precision_score
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333334
    """
    options.check_option(average, "average", AVERAGES, "average_precision_score")
    options.check_pos_label(pos_label, "average_precision_score", optional=False)
    rows = Rows("average_precision_score", y_true, y_score, sample_weight, pos_label)
    with Workers(None) as workers:
        found = rows.read_classes(workers)
        if isinstance(found, BinarySample):
            multiclass.warn_no_positives(found)
            return multiclass.precision_or_0(found, workers)
        return multiclass.average_precisions(found, average, pos_label, workers)


def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: PrecisionInterpolation = "step",
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the area under the precision-recall curve.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``; rows with equal scores share one threshold.
    interpolation : {"step", "davis-goadrich"}
        How to interpolate between two thresholds. "step": with the precision of the lower one,
        which makes the area equal to average precision. "davis-goadrich": through the points that
        choosing at random between the two thresholds achieves.
    prevalence : float in (0, 1), optional
        The share of positives in the target population; precision is then computed with the classes
        weighted accordingly: p TPR / (p TPR + (1 - p) FPR). Defaults to the share in the sample.

    Returns
    -------
    float
        In [0, 1]. Unweighted with "step": the same as ``average_precision_score``; otherwise
        within a relative error of 1e-14. NaN, with an ``UndefinedMetricWarning``, without positives
        (``average_precision_score`` is then 0), and without negatives if ``prevalence`` is given.

    Raises
    ------
    ValueError
        As for ``gini_score``.
    InvalidParameterError
        For an unknown ``interpolation``, or a ``prevalence`` outside (0, 1).

    Notes
    -----
    O(n log n) time. If the counts grow linearly, precision is a quotient of linear functions, and
    the area has a closed form: J. Keilwagen, I. Grosse, J. Grau, "Area under precision-recall
    curves for weighted and unweighted data", PLoS ONE 9 (2014) e92209, whose R package PRROC calls
    it ``auc.integral``. The interpolation: J. Davis and M. Goadrich, "The relationship between
    precision-recall and ROC curves", Proc. 23rd ICML (2006) 233-240.

    Examples
    --------
    >>> from fastauc.metrics import pr_auc_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> pr_auc_score(y_true, y_score)
    0.8333333333333334
    >>> round(pr_auc_score(y_true, y_score, interpolation="davis-goadrich"), 6)
    0.797267
    >>> pr_auc_score(y_true, y_score, prevalence=0.1)
    0.5909090909090909
    """
    function = "pr_auc_score"
    rows = Rows(function, y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    options.check_literal(interpolation, "interpolation", PrecisionInterpolation, function)
    share = options.check_prevalence(prevalence, function)
    with Workers(n_jobs) as workers:
        sample = rows.sample(workers)
        if share is None and interpolation == "step":
            warn_if_undefined(sample.n_pos, 1)
            return sample_curves.average_precision(sample, workers)
        counts = count_sample(sample, workers)
    return precision_recall.precision_area(counts, interpolation, share)


def pr_gain_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the area under the precision-recall-gain curve.

    Precision and recall become gains over the prevalence p, on the harmonic scale of F-scores: (x -
    p) / ((1 - p) x), which is 0 at x = p and 1 at x = 1. The area is the mean of the precision gain
    over recall gains from 0 to 1, that is, over recalls from p to 1.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``; rows with equal scores share one threshold.

    Returns
    -------
    float
        1 if every positive is above every negative, 0 if all scores are equal, and -(1 - p) / (2
        p), the minimum, if every positive is below every negative: where precision is below the
        prevalence, its gain is negative and counts as such. If unweighted, within 1e-15, or within
        1e-15 of 1 - area if that is more than 1; if weighted, within 1e-14 / (p (1 - p)). NaN, with
        an ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError
        As for ``gini_score``.

    See Also
    --------
    pr_auc_score : The area under the precision-recall curve, where chance is the prevalence.

    Notes
    -----
    O(n log n) time. With P positives and N negatives, the gains at a threshold are

        precision gain = 1 - (P / N) FP / TP,    recall gain = 1 - (P / N) FN / TP.

    Between two thresholds the counts grow linearly, as along the ROC curve, and both gains are
    linear in 1 / TP, so the curve is a straight line there. The point at recall gain 0, which need
    not be a threshold, is on that line. The lowest threshold has recall gain 1 and precision gain
    0.

    Source: P. A. Flach and M. Kull, "Precision-Recall-Gain curves: PR analysis done right",
    Advances in Neural Information Processing Systems 28 (2015) 838-846. The authors' package
    ``prg`` gives the same area, including the negative part, but treats scores that are merely
    close as equal.

    Examples
    --------
    >>> from fastauc.metrics import pr_gain_auc_score
    >>> pr_gain_auc_score([1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2])
    0.7083333333333334
    >>> pr_gain_auc_score([0, 0, 1, 1], [4, 3, 2, 1])
    -0.5
    """
    rows = Rows("pr_gain_auc_score", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    return precision_recall.precision_gain_area(count_rows(rows))


def precision_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    recall: Any,
    *,
    interpolation: Interpolation = "linear",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Any:
    """Return the precision at a given recall.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``; rows with equal scores form one diagonal step.
    recall : float or array-like of any shape
        Shares of the positives in (0, 1]; without a true positive, precision is undefined. A double
        matches every recall that rounds to it: 0.3 is 3 of 10 positives, or of their weight.
    interpolation : {"linear", "step"}
        "linear": at the point of the ROC curve, interpolated linearly between thresholds, where the
        recall is first reached (Davis and Goadrich). "step": the highest precision of a single
        threshold that reaches this recall.

    Returns
    -------
    float, or float64 array of the shape of ``recall``
        Correctly rounded if unweighted, otherwise within 1e-15. NaN with an
        ``UndefinedMetricWarning`` without positives.

    Raises
    ------
    ValueError
        As for ``gini_score``, and for a recall outside (0, 1].
    InvalidParameterError
        For an unknown ``interpolation``.

    Notes
    -----
    O(n log n) time, plus O(log n) for each recall. Between two thresholds the counts are linear,
    but precision is not: the source is that of ``pr_auc_score``, the mean over all recalls.

    Examples
    --------
    >>> from fastauc.metrics import precision_at_recall
    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], 0.75)
    0.75
    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.8], [0.5, 1], interpolation="step")
    array([1.        , 0.66666667])
    """
    function = "precision_at_recall"
    rows = Rows(function, y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    rates = options.read_rates(recall, "recall", interpolation, function, above_zero=True)
    return precisions_at(count_rows(rows), rates, interpolation)


def precision_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    k: int,
    *,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
) -> float:
    """Return the share of positives among the rows with the k highest scores.

    Parameters
    ----------
    y_true, y_score, pos_label, nan_policy
        As for ``gini_score``; all rows tied with the k-th highest score are included.
    k : int
        From 1 to n_samples.

    Returns
    -------
    float
        The positives among the selected rows divided by the number of these rows: k, or more if
        tied.

    Raises
    ------
    ValueError
        As for ``gini_score``, and for a ``k`` above n_samples.
    InvalidParameterError
        For a ``k`` that is not an integer of 1 or more.

    Notes
    -----
    O(n) time, 16 bytes per row. Also defined if only one class is present: it is 0 or 1. Source: C.
    D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval, Cambridge (2008),
    section 8.4, which gives no rule for ties.

    Examples
    --------
    >>> from fastauc.metrics import precision_at_k
    >>> precision_at_k([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1], 2)
    0.5
    """
    _, taken = take_top(Rows("precision_at_k", y_true, y_score, None, pos_label, nan_policy), k)
    return taken.n_pos / len(taken.label)


def recall_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    k: int,
    *,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
) -> float:
    """Return the share of all positives that is among the rows with the k highest scores.

    Parameters
    ----------
    y_true, y_score, k, pos_label, nan_policy
        As for ``precision_at_k``: all rows tied with the k-th highest score are included.

    Returns
    -------
    float
        NaN with an ``UndefinedMetricWarning`` without positives.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``precision_at_k``.

    Notes
    -----
    Time, memory and source as for ``precision_at_k``.

    Examples
    --------
    >>> from fastauc.metrics import recall_at_k
    >>> recall_at_k([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1], 3)
    0.6666666666666666
    """
    sample, taken = take_top(Rows("recall_at_k", y_true, y_score, None, pos_label, nan_policy), k)
    warn_if_undefined(sample.n_pos, 1)
    return taken.n_pos / sample.n_pos if sample.n_pos else math.nan
