"""The ROC AUC: full, partial, of the top k rows, and from counts."""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.multiclass import average_areas
from fastauc._counts.roc import log_area_of_part, rounded_area
from fastauc._counts.sample_curves import area_up_to, roc_auc_of_part
from fastauc._counts.selected import take_top
from fastauc._pairs.concordance import (
    Concordance,
    area_of_sample,
    count_rows,
    exact_area,
    ratio_of_few,
    ratio_of_rows,
    warn_one_class,
)
from fastauc._validation.arrays import as_array, read_column
from fastauc._validation.errors import check_lengths, warn_if_undefined, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import AVERAGES, MULTI_CLASS, Average, MultiClass, NanPolicy
from fastauc._validation.options import check_flag, check_max_fpr, check_option, read_range
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample, as_float64
from fastauc._validation.threads import Workers


def concordance(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    nan_policy: NanPolicy = "raise",
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> Concordance:
    """Count the concordant and tied pairs of a binary sample.

    Parameters
    ----------
    y_true, y_score, pos_label, nan_policy, n_jobs
        As for ``gini_score``; only equal scores are tied.

    Returns
    -------
    Concordance
        The integers ``concordant, tied, n_pos, n_neg``, with ``.fraction`` and ``.auc``. If only
        one class is present, the counts are 0 and ``.auc`` is NaN, with a warning.

    Raises
    ------
    ValueError, OverflowError
        As for ``gini_score``.

    Notes
    -----
    O(n) time if the scores are spread out, few, or sorted, O(n log n) otherwise; at most 10 bytes
    of memory per row, usually 6. ``2 * concordant + tied`` is twice the Mann-Whitney U statistic of
    the positives. The definition is eq. 6 of D. Bamber, J. Math. Psychol. 12 (1975) 387-415.

    Examples
    --------
    >>> from fastauc import concordance
    >>> pairs = concordance([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> pairs
    Concordance(concordant=3, tied=1, n_pos=2, n_neg=2)
    >>> pairs.fraction
    Fraction(7, 8)
    """
    rows = Rows("concordance", y_true, y_score, None, pos_label, nan_policy, n_jobs)
    return count_rows(rows)


def gini_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the Gini coefficient of a score, 2 AUC - 1, in [-1, 1].

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype; higher means more likely positive. Tied pairs add 0.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; rows with weight 0 are ignored.
    nan_policy : {"raise", "omit"}
        The treatment of missing scores (NaN or None): raise an error, or omit their rows. Row
        numbers in error messages then count only the remaining rows.
    pos_label : int, float, bool or str, optional
        The label of the positive class; all other labels are negative. Defaults to 1 if the labels
        are in {0, 1} or {-1, 1}. It must be one of the labels, unless they are all the same.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    float
        Unweighted: the double nearest to (concordant - discordant) / (n_pos n_neg), which may
        differ from ``2 * roc_auc_score(...) - 1`` in the last digit. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    OverflowError
        For 2^64 pairs or more (2^33 balanced rows).

    Notes
    -----
    Time and memory as for ``roc_auc_score``. Also known as Somers' D of the score given the class
    and, in credit scoring, as the accuracy ratio (AR) of the cumulative accuracy profile (CAP),
    which is ``gain_curve``. R. H. Somers, "A new asymmetric measure of association for ordinal
    variables", Am. Sociol. Rev. 27 (1962) 799-811; for the accuracy ratio, B. Engelmann, E. Hayden
    and D. Tasche, "Testing rating accuracy", Risk 16 (2003) 82-86.

    Examples
    --------
    >>> from fastauc import gini_score
    >>> gini_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    rows = Rows("gini_score", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    numerator, denominator = ratio_of_rows(rows)
    return (2 * numerator - denominator) / denominator if denominator else math.nan


@overload
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = ...,
    sample_weight: ArrayLike | None = ...,
    max_fpr: float | None = ...,
    multi_class: MultiClass = ...,
    labels: ArrayLike | None = ...,
    n_jobs: int | None = ...,
) -> float: ...
@overload
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average | None,
    sample_weight: ArrayLike | None = ...,
    max_fpr: float | None = ...,
    multi_class: MultiClass = ...,
    labels: ArrayLike | None = ...,
    n_jobs: int | None = ...,
) -> float | NDArray[np.float64]: ...
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: MultiClass = "raise",
    labels: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Return the ROC AUC; a drop-in replacement for scikit-learn's function.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels. With two distinct values, the greater is the positive class. Three or more require
        ``multi_class``. A matrix of 0 and 1 (or -1 and 1) is multilabel.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Finite scores of any numeric dtype; higher means more likely positive. Only exactly equal
        scores are tied, and a tied pair counts one half. Multiclass: probabilities that sum to 1 in
        each row, with columns in the order of the sorted labels.
    average : {"micro", "macro", "samples", "weighted"} or None
        How the values of several classes are averaged; None returns them all. Ignored if binary.
    sample_weight, n_jobs
        As for ``gini_score``; the threads are used across columns if there are several.
    max_fpr : float in (0, 1], optional
        Return only the partial AUC up to this false positive rate, standardized as by McClish [1]_.
        It matches the rate k / n of n negatives that rounds to it, if there is one.
    multi_class : {"raise", "ovr", "ovo"}
        One-vs-rest, or one-vs-one over every pair of classes [2]_.
    labels : array-like of shape (n_classes,), optional
        Multiclass only: the sorted labels of the columns of ``y_score``.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]. Unweighted binary: the double nearest to the exact rational number;
        scikit-learn's result may differ in the last digits. Weighted: within 4 ulp of the exact
        value (with ``max_fpr``, within 1e-15). NaN, with an ``UndefinedMetricWarning``, if only one
        class is present.

    Raises
    ------
    ValueError
        As for ``gini_score`` (scikit-learn accepts negative weights), and for labels and scores
        that do not match.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.

    See Also
    --------
    concordance : The exact fraction.
    roc_curve : The curve.

    Notes
    -----
    For each column, O(n) time if its scores are spread out, few, or sorted, O(n log n) otherwise;
    at most 10 bytes of memory per row, usually 6, and with weights usually 17, up to about 60 if
    many scores are tied or nearly tied. The result is bit-for-bit independent of the order of the
    rows and of the number of threads. Behavior, argument names and messages follow scikit-learn
    1.9.

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
    rows = Rows("roc_auc_score", y_true, y_score, sample_weight, None, "raise", n_jobs)
    check_option(average, "average", AVERAGES, rows.function)
    check_option(multi_class, "multi_class", MULTI_CLASS, rows.function)
    if max_fpr is not None:
        check_max_fpr(max_fpr, rows.function)
    columns = None if labels is None else as_array(labels, "labels", rows.function, optional=True)
    ratio = ratio_of_few(rows) if max_fpr is None else None
    if ratio is not None:
        return ratio[0] / ratio[1]
    with Workers(n_jobs) as workers:
        found = rows.read_classes(workers)
        if isinstance(found, BinarySample):
            warn_one_class(found)
            if max_fpr is None:
                return area_of_sample(found, workers)
            return area_up_to(found, max_fpr, workers)
        return average_areas(found, columns, average, multi_class, max_fpr, workers)


def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr_range: Any = None,
    tpr_range: Any = None,
    standardized: bool = True,
    log_scale: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the partial AUC between two false positive rates, or two true positive rates.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``; rows with equal scores form one diagonal step.
    fpr_range : (float, float), optional
        False positive rates 0 <= a < b <= 1; the area is that under the curve between them. A
        double matches every rate k / n that rounds to it: 0.3 is 3 of 10 negatives.
    tpr_range : (float, float), optional
        True positive rates, instead of ``fpr_range``; the area is that to the right of the curve
        between them: the mean specificity over this range, times b - a.
    standardized : bool
        Return (1 + (area - min) / (max - min)) / 2, where min is the area under the diagonal
        (chance) and max is b - a. A curve below the diagonal scores less than 1/2. If False, return
        the area itself, at most b - a.
    log_scale : bool
        Return the LogAUC of virtual screening: the area over log10 of the false positive rate, for
        an ``fpr_range`` (a, b) with a > 0, such as (0.001, 1). Standardized, it is divided by
        log10(b / a), the best possible area, and chance is (b - a) / ln(b / a); otherwise, it is
        in decades.

    Returns
    -------
    float
        Correctly rounded if unweighted, otherwise within 1e-15; on a log scale, within 1e-14. With
        ``fpr_range=(0, b)``, it equals ``roc_auc_score(max_fpr=b)`` bit for bit if b < 1. NaN, with
        an ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError
        As for ``gini_score``, for both ranges or neither, and on a log scale for a ``tpr_range`` or
        a range that begins at 0.
    InvalidParameterError
        For a range that is empty or outside [0, 1].

    See Also
    --------
    fastauc.inference.roc_auc_ci : The partial AUC with a confidence interval.
    tpr_at_fpr : One point of the curve.

    Notes
    -----
    O(n log n) time. Between thresholds, the curve is interpolated linearly. The ranges are pROC's
    ``partial.auc`` in terms of 1 - specificity, or with ``partial.auc.focus="sens"``; the
    standardization is its ``partial.auc.correct``, which is NA below the diagonal. For (0, b), it
    is that of McClish (Med. Decis. Making 9 (1989) 190-195), as in scikit-learn.

    LogAUC is defined by M. M. Mysinger and B. K. Shoichet, "Rapid context-dependent ligand
    desolvation in molecular docking", J. Chem. Inf. Model. 50 (2010) 1561-1573, with a = 0.001 and
    b = 1; subtract 0.14462, its value for chance, for their adjusted LogAUC. The integral is
    exact along each straight line: from x0 to x1, y = y0 + s (x - x0) contributes
    (y0 - s x0) ln(x1 / x0) + s (x1 - x0), divided by ln 10. torchmetrics uses trapezoids in log10
    of the rate between the points instead, which is more if the points are far apart.

    Examples
    --------
    >>> from fastauc import partial_roc_auc_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> partial_roc_auc_score(y_true, y_score, fpr_range=(0, 0.5))
    0.6666666666666666
    >>> partial_roc_auc_score(y_true, y_score, tpr_range=(0.5, 1), standardized=False)
    0.25
    >>> round(partial_roc_auc_score(y_true, y_score, fpr_range=(0.001, 1), log_scale=True), 4)
    0.5502
    """
    function = "partial_roc_auc_score"
    rows = Rows(function, y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    part = read_range(fpr_range, tpr_range, function, log_scale)
    check_flag(standardized, "standardized", function)
    with Workers(n_jobs) as workers:
        sample = rows.sample(workers)
        if warn_if_undefined(sample.n_pos, sample.n_neg):
            return math.nan
        if log_scale:
            return log_area_of_part(*count_sample(sample, workers)[:2], part, standardized)
        return rounded_area(*roc_auc_of_part(sample, part, workers), standardized)


def roc_auc_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    k: int,
    *,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
) -> float:
    """Return the AUC among the rows with the k highest scores.

    Parameters
    ----------
    y_true, y_score, k, pos_label, nan_policy
        As for ``precision_at_k``: all rows tied with the k-th highest score are included.

    Returns
    -------
    float
        Correctly rounded. NaN, with an ``UndefinedMetricWarning``, if these rows all belong to one
        class, as they then say nothing about how the classes are ranked.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``precision_at_k``.

    Notes
    -----
    O(n + k log k) time, 16 bytes per row. Rows below the k-th are ignored entirely, so this is not
    a partial AUC; for that, see ``partial_roc_auc_score``. No source gives a definition; the name
    is in use, for example by A. Dyakonov, "AUC ROC", dyakonov.org (28 July 2017).

    Examples
    --------
    >>> from fastauc.metrics import roc_auc_at_k
    >>> roc_auc_at_k([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1], 3)
    0.5
    """
    rows = Rows("roc_auc_at_k", y_true, y_score, None, pos_label, nan_policy)
    _, taken = take_top(rows, k)
    if taken.n_pos == 0 or taken.n_neg == 0:
        warn_undefined(f"The {len(taken.label)} highest scores are all of one class.")
        return math.nan
    return float(exact_area(taken))


def auc(x: ArrayLike, y: ArrayLike) -> float:
    """Return the area under a piecewise linear curve, by the trapezoidal rule.

    Parameters
    ----------
    x : array-like of shape (n_points,)
        x coordinates, monotonically increasing or decreasing; equal neighbors are allowed.
    y : array-like of shape (n_points,)
        y coordinates.

    Returns
    -------
    float
        Computed in float64 whatever the dtypes; scikit-learn computes in the dtype of the input.
        NaN if the input contains NaN.

    Raises
    ------
    ValueError
        For fewer than 2 points, unequal lengths, or an ``x`` that is not monotonic.

    Notes
    -----
    O(n) time. Tied values of ``x`` form a vertical step, which adds no area. For the area under the
    ROC curve, ``roc_auc_score`` is exact and needs no curve.

    Examples
    --------
    >>> from fastauc import auc
    >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
    0.75
    """
    points = {name: read_column(values, name, "auc") for name, values in (("x", x), ("y", y))}
    check_lengths({name: len(column) for name, column in points.items()})
    abscissas, ordinates = (as_float64(column, name) for name, column in points.items())
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
