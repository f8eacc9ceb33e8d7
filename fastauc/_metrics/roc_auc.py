"""The area under the ROC curve: whole, in part, at the top, and from counts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.multiclass import AVERAGES, average_classes
from fastauc._counts.roc import area, standardize, whole_numbers
from fastauc._counts.selected import read_top_rows
from fastauc._counts.sort_scan import area_between, area_up_to, roc_auc_of_part
from fastauc._pairs.concordance import (
    Concordance,
    area_of_clean,
    area_of_sample,
    count_clean,
    count_concordance,
    warn_one_class,
)
from fastauc._pairs.weighted import weighted_ratio
from fastauc._validation.arrays import as_array, as_column
from fastauc._validation.chunks import read_class_counts
from fastauc._validation.errors import warn_if_undefined, warn_undefined
from fastauc._validation.labels import Label, read_target
from fastauc._validation.missing import omit_missing
from fastauc._validation.options import (
    check_flag,
    check_max_fpr,
    check_n_jobs,
    check_option,
    check_pos_label,
    read_range,
)
from fastauc._validation.samples import (
    as_float64,
    complete_sample,
    read_binary_sample,
    read_clean_sample,
    read_inputs,
    read_rows,
)
from fastauc._validation.threads import Workers


def concordance(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    nan_policy: str = "raise",
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> Concordance:
    """Count the concordant and the tied pairs of a binary sample.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Tied means equal.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    Concordance
        The integers ``concordant, tied, n_pos, n_neg``, with ``.fraction`` and ``.auc``. With one
        class only the counts are 0 and ``.auc`` is NaN with a warning.

    Raises
    ------
    ValueError
        For NaN or infinite scores, unequal lengths, no rows, or labels that need ``pos_label``.
    OverflowError
        For 2^64 pairs or more (2^33 balanced rows).

    Notes
    -----
    O(n) time where the scores are spread, few, or sorted, O(n log n) for any others; at most 10
    bytes a row in memory, mostly 6. ``2 * concordant + tied`` is twice the Mann-Whitney U statistic
    of the positives.

    The definition is that of D. Bamber, J. Math. Psychol. 12 (1975) 387-415, eq. 6.

    Examples
    --------
    >>> from fastauc import concordance
    >>> pairs = concordance([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> pairs
    Concordance(concordant=3, tied=1, n_pos=2, n_neg=2)
    >>> pairs.fraction
    Fraction(7, 8)
    """
    y_true, y_score, _ = omit_missing(y_true, y_score, None, nan_policy, "concordance")
    check_n_jobs(n_jobs, "concordance")
    rows = read_rows(y_true, y_score, None, "concordance")
    check_pos_label(pos_label, "concordance", optional=True)
    pairs = count_clean(rows[0], rows[1]) if pos_label is None or pos_label == 1 else None
    if pairs is not None:
        return pairs
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(*rows, pos_label, "concordance", workers)
        if sample.n_labels == 1:
            return Concordance(0, 0, sample.n_pos, sample.n_neg)
        return count_concordance(sample, workers)


def gini_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the Gini coefficient of a score, 2 AUC - 1, in [-1, 1].

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. A tied pair adds 0.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        Unweighted: the double nearest to (concordant - discordant) / (n_pos n_neg), which is not
        always what ``2 * roc_auc_score(...) - 1`` rounds to. NaN with an
        ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        As ``concordance`` does, and for negative, infinite, NaN or all-zero weights.

    Notes
    -----
    Time and memory as ``roc_auc_score``. Also called Somers' D of the score given the class, and
    the accuracy ratio (AR, CAP score) of the cumulative accuracy profile in credit scoring, which
    is ``gain_curve``.

    R. H. Somers, "A new asymmetric measure of association for ordinal variables", Am. Sociol. Rev.
    27 (1962) 799-811; for the accuracy ratio B. Engelmann, E. Hayden and D. Tasche, "Testing rating
    accuracy", Risk 16 (2003) 82-86.

    Examples
    --------
    >>> from fastauc import gini_score
    >>> gini_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "gini_score"
    )
    check_n_jobs(n_jobs, "gini_score")
    rows = read_rows(y_true, y_score, sample_weight, "gini_score")
    check_pos_label(pos_label, "gini_score", optional=True)
    is_plain = sample_weight is None and (pos_label is None or pos_label == 1)
    pairs = count_clean(rows[0], rows[1]) if is_plain else None
    if pairs is None:
        with Workers(n_jobs) as workers:
            sample = read_binary_sample(*rows, pos_label, "gini_score", workers)
            if sample.n_pos == 0 or sample.n_neg == 0:
                warn_one_class(sample)
                return math.nan
            if not sample.has_one_weight_per_class:
                numerator, denominator = weighted_ratio(sample, workers)
                return (2 * numerator - denominator) / denominator
            pairs = count_concordance(sample, workers)
    return (pairs.concordant - pairs.discordant) / (pairs.n_pos * pairs.n_neg)


@overload
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str = ...,
    sample_weight: ArrayLike | None = ...,
    max_fpr: float | None = ...,
    multi_class: str = ...,
    labels: ArrayLike | None = ...,
    n_jobs: int | None = ...,
) -> float: ...
@overload
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None,
    sample_weight: ArrayLike | None = ...,
    max_fpr: float | None = ...,
    multi_class: str = ...,
    labels: ArrayLike | None = ...,
    n_jobs: int | None = ...,
) -> float | NDArray[np.float64]: ...
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Return the area under the ROC curve; a drop-in for scikit-learn's function.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels. Two distinct ones: the greater is the positive class. Three or more: needs
        ``multi_class``. A matrix of 0 and 1 (or -1 and 1): multilabel.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores in any numeric dtype; higher means more likely positive. Finite. Tied means equal,
        without any tolerance, and a tied pair counts one half. Multiclass: probabilities that add
        up to 1 in each row, columns in the order of the sorted labels.
    average : {"micro", "macro", "samples", "weighted"} or None
        How the AUCs of several classes are averaged; None returns them. Ignored when binary.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    max_fpr : float in (0, 1], optional
        Only the partial AUC up to this false positive rate, standardized after McClish [1]_. It
        stands for the rate k / n of n negatives that rounds to it, if there is one.
    multi_class : {"raise", "ovr", "ovo"}
        One class against the rest, or every pair of classes [2]_.
    labels : array-like of shape (n_classes,), optional
        Multiclass only: the label of each column of ``y_score``, sorted.
    n_jobs : int or None
        Threads, over the columns if there are several; None means the environment's
        FASTAUC_NUM_THREADS or 1, -1 all cores. The result does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]. Unweighted binary: the double nearest to the exact rational; scikit-learn's
        result may differ from it in the last places. Weighted: within 4 ulp of the exact value
        (with ``max_fpr``, within 1e-15).
        NaN with an ``UndefinedMetricWarning`` where only one class is present.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights (scikit-learn
        accepts negative ones); unequal lengths; no rows; labels and scores that do not fit.
    InvalidParameterError
        For an option outside its domain; it is a ValueError and a TypeError.

    See Also
    --------
    concordance : The exact fraction.
    roc_curve : The curve.

    Notes
    -----
    O(n) time for each column where its scores are spread, few, or sorted, O(n log n) for any
    others; in memory at most 10 bytes a row, mostly 6, and with weights mostly 17, up to some 60
    where many scores are tied or too close to tell at a glance. The bits of the result depend
    neither on the order of the rows nor on the number of threads. Behavior, argument names and
    messages follow scikit-learn 1.9.

    References
    ----------
    .. [1] D. K. McClish, "Analyzing a portion of the ROC curve", Med. Decis. Making 9 (1989)
       190-195.
    .. [2] D. J. Hand and R. J. Till, "A simple generalisation of the area under the ROC curve for
       multiple class classification problems", Mach. Learn. 45 (2001) 171-186, eq. 7.

    Examples
    --------
    >>> from fastauc import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    function = "roc_auc_score"
    check_n_jobs(n_jobs, function)
    check_option(average, "average", AVERAGES, function)
    check_option(multi_class, "multi_class", ("raise", "ovr", "ovo"), function)
    check_max_fpr(max_fpr, function)
    rows = read_rows(y_true, y_score, sample_weight, function)
    if labels is None:
        area = area_of_clean(*rows) if max_fpr is None else None
        if area is not None:
            return area
        clean = read_clean_sample(*rows)
        if clean is not None:
            with Workers(n_jobs) as workers:
                if max_fpr is None:
                    return area_of_sample(clean, workers)
                return area_up_to(clean, max_fpr, workers)
    inputs = read_inputs(*rows, function)
    columns = None if labels is None else as_array(labels, "labels", function, optional=True)
    with Workers(n_jobs) as workers:
        target, scores = read_target(inputs.y_true, workers), inputs.y_score
        several = scores.ndim == 2 and scores.shape[1] > 2
        if target.kind != "binary" or several:
            return average_classes(target, inputs, columns, average, multi_class, max_fpr, workers)
        n_labels = len(target.classes)
        sample = complete_sample(target.codes, target.n_high, n_labels, inputs, workers)
        warn_one_class(sample)
        return area_up_to(sample, max_fpr, workers)


def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr_range: Any = None,
    tpr_range: Any = None,
    standardized: bool = True,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the area under the ROC curve between two false, or two true, positive rates.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    fpr_range : (float, float), optional
        False positive rates 0 <= a < b <= 1; the area is that under the curve between them. A
        double stands for every rate k / n that rounds to it: 0.3 for 3 of 10 negatives.
    tpr_range : (float, float), optional
        True positive rates in place of them; the area is that on the right of the curve between
        them: the mean specificity there, times b - a.
    standardized : bool
        Return (1 + (area - least) / (most - least)) / 2, where least is the area of chance,
        the diagonal, and most is b - a. A curve below the diagonal scores less than 1/2.
        Otherwise the area itself is returned, at most b - a.
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
    float
        Correctly rounded if unweighted, otherwise within 1e-15. With ``fpr_range=(0, b)`` it is,
        bit for bit, ``roc_auc_score(max_fpr=b)`` for b < 1. NaN with an
        ``UndefinedMetricWarning`` for one class.

    Raises
    ------
    ValueError
        For both ranges or none; NaN or infinite scores; negative, infinite, NaN or all-zero
        weights; unequal lengths; no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a range that is empty or outside [0, 1].

    See Also
    --------
    partial_roc_auc_ci : The same with a confidence interval.
    tpr_at_fpr : One point of the curve.

    Notes
    -----
    O(n log n) time. Between two thresholds the curve is the straight line. The ranges are pROC's
    ``partial.auc`` with 1 - specificity, or with ``partial.auc.focus="sens"``; the scale is its
    ``partial.auc.correct``, which is NA below the diagonal. For (0, b) it is that of McClish
    (Med. Decis. Making 9 (1989) 190-195), as in scikit-learn.

    Examples
    --------
    >>> from fastauc import partial_roc_auc_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> partial_roc_auc_score(y_true, y_score, fpr_range=(0, 0.5))
    0.6666666666666666
    >>> partial_roc_auc_score(y_true, y_score, tpr_range=(0.5, 1), standardized=False)
    0.25
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "partial_roc_auc_score"
    )
    function = "partial_roc_auc_score"
    part = read_range(fpr_range, tpr_range, function)
    check_flag(standardized, "standardized", function)
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        warn_if_undefined(sample.n_pos, sample.n_neg)
        if sample.n_pos == 0 or sample.n_neg == 0:
            return math.nan
        found, part = roc_auc_of_part(sample, part, workers)
    return float(standardize(found, *part.strip) if standardized else found)


def roc_auc_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    k: int,
    *,
    pos_label: Label | None = None,
    nan_policy: str = "raise",
) -> float:
    """Return the AUC of the rows with the k highest scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows tied with the
        k-th highest score are all taken.
    k : int
        From 1 to n_samples.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.

    Returns
    -------
    float
        Correctly rounded. NaN with an ``UndefinedMetricWarning`` if these rows are all of one
        class: nothing is said about the order of the classes then.

    Raises
    ------
    ValueError
        For a ``k`` above n_samples; NaN or infinite scores; unequal lengths; no rows; labels that
        need ``pos_label``.
    InvalidParameterError
        For a ``k`` that is not an integer of 1 or more.

    Notes
    -----
    O(n + k log k) time, 16 bytes a row. Rows below the k-th do not count at all, so this is not a
    partial AUC: see ``partial_roc_auc_score`` for that.

    Sources: none gives a definition; the name is used, for example by A. Dyakonov, "AUC ROC",
    dyakonov.org (28 July 2017). For one class it is undefined, like every AUC.

    Examples
    --------
    >>> from fastauc import roc_auc_at_k
    >>> roc_auc_at_k([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1], 3)
    0.5
    """
    y_true, y_score, _ = omit_missing(y_true, y_score, None, nan_policy, "roc_auc_at_k")
    _, taken = read_top_rows(y_true, y_score, k, pos_label, "roc_auc_at_k")
    if taken.n_pos == 0 or taken.n_neg == 0:
        warn_undefined(f"The {len(taken.label)} highest scores are all of one class.")
        return math.nan
    with Workers(None) as workers:
        return float(area_between(taken, Fraction(0), Fraction(1), workers))


def auc_from_counts(n_pos: ArrayLike, n_neg: ArrayLike) -> float:
    """Return the area under the ROC curve of counts that are already grouped by score.

    Parameters
    ----------
    n_pos, n_neg : array-likes of shape (n_scores,)
        Positives and negatives of each distinct score, in increasing order of the score: the result
        of ``GROUP BY score ORDER BY score``. Integers of any size, or sums of weights.

    Returns
    -------
    float
        In [0, 1], correctly rounded. NaN, with an ``UndefinedMetricWarning``, for a class without
        rows.

    Raises
    ------
    ValueError
        For counts that are negative, NaN or infinite; unequal lengths.

    Notes
    -----
    O(n_scores) time, in integers.

    Rows with the same score are tied, and their pairs count one half: the AUC of D. Bamber, J.
    Math. Psychol. 12 (1975) 387-415, eq. 6.

    Examples
    --------
    >>> from fastauc import auc_from_counts
    >>> auc_from_counts(n_pos=[0, 1, 0, 1], n_neg=[1, 0, 1, 0])
    0.75
    """
    function = "auc_from_counts"
    pos, neg = (
        read_class_counts(values, name, function)
        for values, name in ((n_pos, "n_pos"), (n_neg, "n_neg"))
    )
    if len(pos) != len(neg):
        raise ValueError(
            f"n_pos and n_neg have {len(pos)} and {len(neg)} entries; expected as many of each."
        )
    tps, fps = (np.cumsum(whole_numbers(counts)[::-1]) for counts in (pos, neg))
    n_pos_total, n_neg_total = (int(sums[-1]) if len(sums) else 0 for sums in (tps, fps))
    warn_if_undefined(n_pos_total, n_neg_total)
    if n_pos_total == 0 or n_neg_total == 0:
        return math.nan
    return float(area(fps, tps))


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
