"""What is among the k highest scores: the first page of a search, the calls a team can make.

A tie at the edge is taken whole: the rows are those of a threshold, in no other order than that of
their scores. So more than k rows may be taken, and what is returned is about all of them.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.scans import area_between
from fastauc._kernels import cells as _cells
from fastauc._validation.errors import warn_if_undefined, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_integer
from fastauc._validation.samples import BinarySample, read_binary_sample
from fastauc._validation.threads import Workers

__all__ = ["precision_at_k", "recall_at_k", "roc_auc_at_k"]


def _read(
    y_true: object, y_score: object, k: int, pos_label: Label | None, function: str
) -> tuple[BinarySample, BinarySample]:
    """Return the sample, and the part of it that scores no less than its k highest rows."""
    check_integer(k, "k", 1, function)
    sample = read_binary_sample(y_true, y_score, None, pos_label, function)
    n = len(sample.score)
    if k > n:
        raise ValueError(f"k is {k}; expected no more than the {n} samples.")
    keys = np.empty(n, np.uint64)
    _cells.ordered_keys(sample.score, keys)
    is_taken = keys >= np.partition(keys, n - k)[n - k]
    label = sample.label[is_taken]
    n_pos = int(np.count_nonzero(label))
    taken = sample._replace(
        label=label, score=sample.score[is_taken], n_pos=n_pos, n_neg=len(label) - n_pos
    )
    return sample, taken


def roc_auc_at_k(
    y_true: ArrayLike, y_score: ArrayLike, k: int, *, pos_label: Label | None = None
) -> float:
    """Return the area under the ROC curve of the rows with the k highest scores.

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
    O(n + k log k) time, 16 bytes a row. Rows below the k-th do not count at all, so this is not the
    area of a part of the curve: see ``partial_roc_auc_score`` for that.

    Sources: none with a definition; the name is used, as by A. Dyakonov, "AUC ROC", dyakonov.org
    (28 July 2017), and this is what is meant here. Of one class it is undefined, as every area.

    Examples
    --------
    >>> from fastauc import roc_auc_at_k
    >>> roc_auc_at_k([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1], 3)
    0.5
    """
    _, taken = _read(y_true, y_score, k, pos_label, "roc_auc_at_k")
    if taken.n_pos == 0 or taken.n_neg == 0:
        warn_undefined(f"The {len(taken.label)} highest scores are all of one class.")
        return math.nan
    with Workers(None) as workers:
        return float(area_between(taken, Fraction(0), Fraction(1), workers))


def precision_at_k(
    y_true: ArrayLike, y_score: ArrayLike, k: int, *, pos_label: Label | None = None
) -> float:
    """Return the share of positives among the rows with the k highest scores.

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

    Returns
    -------
    float
        Positives among the rows taken, divided by how many these are: k, or more after a tie.

    Raises
    ------
    ValueError
        For a ``k`` above n_samples; NaN or infinite scores; unequal lengths; no rows; labels that
        need ``pos_label``.
    InvalidParameterError
        For a ``k`` that is not an integer of 1 or more.

    Notes
    -----
    O(n) time, 16 bytes a row. It is defined for one class as well: 0 or 1.

    Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval,
    Cambridge (2008), section 8.4; there is no rule for ties in it.

    Examples
    --------
    >>> from fastauc import precision_at_k
    >>> precision_at_k([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1], 2)
    0.5
    """
    _, taken = _read(y_true, y_score, k, pos_label, "precision_at_k")
    return taken.n_pos / len(taken.label)


def recall_at_k(
    y_true: ArrayLike, y_score: ArrayLike, k: int, *, pos_label: Label | None = None
) -> float:
    """Return the share of all positives that is among the rows with the k highest scores.

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

    Returns
    -------
    float
        NaN with an ``UndefinedMetricWarning`` without positives.

    Raises
    ------
    ValueError
        For a ``k`` above n_samples; NaN or infinite scores; unequal lengths; no rows; labels that
        need ``pos_label``.
    InvalidParameterError
        For a ``k`` that is not an integer of 1 or more.

    Notes
    -----
    O(n) time, 16 bytes a row.

    Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval,
    Cambridge (2008), section 8.4; there is no rule for ties in it.

    Examples
    --------
    >>> from fastauc import recall_at_k
    >>> recall_at_k([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.2, 0.1], 3)
    0.6666666666666666
    """
    sample, taken = _read(y_true, y_score, k, pos_label, "recall_at_k")
    warn_if_undefined(sample.n_pos, 1)
    return taken.n_pos / sample.n_pos if sample.n_pos else math.nan
