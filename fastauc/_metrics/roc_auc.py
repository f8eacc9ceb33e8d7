"""The exact area under the ROC curve, from the number of concordant pairs.

The area is the share of (positive, negative) pairs in which the positive has the higher score, a
tied pair counting one half [1]_. Pairs are counted in integers and divided once, so the unweighted
area is the double nearest to the true rational, whatever the order of the rows.

References
----------
.. [1] D. Bamber, "The area above the ordinal dominance graph and the area below the receiver
   operating characteristic graph", J. Math. Psychol. 12 (1975) 387-415, eq. 6.
"""

import math
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.scans import partial_roc_auc
from fastauc._metrics.averaging import AVERAGES, average_columns
from fastauc._metrics.class_pairs import count_class_pairs
from fastauc._pairs.unweighted import count_pairs
from fastauc._pairs.weighted import ratio_of, weighted_ratio, weights_cancel
from fastauc._validation.arrays import Array, OrderKeys, as_array
from fastauc._validation.errors import warn_if_undefined, warn_undefined
from fastauc._validation.labels import (
    Target,
    implied_pos_label,
    matrix_positives,
    read_target,
    unsupported,
)
from fastauc._validation.options import check_max_fpr, check_option
from fastauc._validation.samples import (
    BinarySample,
    Inputs,
    check_consistent_length,
    check_multiclass,
    complete_sample,
    read_clean_sample,
    read_inputs,
    read_scores,
    read_weights,
)
from fastauc._validation.small_samples import compare_clean, weigh_clean
from fastauc._validation.threads import ALONE, Workers, check_n_jobs

__all__ = ["Concordance", "concordance", "gini_score", "roc_auc_score"]

_ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


class Concordance(NamedTuple):
    """How many pairs of a positive and a negative are in order: the area as an exact fraction.

    Attributes
    ----------
    concordant : int
        Pairs in which the positive has the higher score.
    tied : int
        Pairs with equal scores.
    n_pos, n_neg : int
        Rows of each class.

    Examples
    --------
    >>> from fastauc import Concordance
    >>> folds = [Concordance(3, 1, 2, 2), Concordance(2, 0, 1, 3)]
    >>> sum(fold.fraction for fold in folds) / 2
    Fraction(37, 48)
    """

    concordant: int
    tied: int
    n_pos: int
    n_neg: int

    @property
    def discordant(self) -> int:
        """Pairs in which the negative has the higher score."""
        return self.n_pos * self.n_neg - self.concordant - self.tied

    @property
    def fraction(self) -> Fraction:
        """The area, exactly; ZeroDivisionError when a class is empty."""
        return Fraction(2 * self.concordant + self.tied, 2 * self.n_pos * self.n_neg)

    @property
    def auc(self) -> float:
        """The double nearest to the area; NaN and a warning when a class is empty."""
        pairs = self.n_pos * self.n_neg
        if pairs == 0:
            warn_undefined(_ONE_CLASS)
            return math.nan
        # Python divides integers of any size with a single rounding.
        return (2 * self.concordant + self.tied) / (2 * pairs)


def check_number_of_pairs(n_pos: int, n_neg: int) -> None:
    """Refuse more pairs than a counter holds."""
    if n_pos * n_neg >= 2**64:
        raise OverflowError(
            f"{n_pos} positives and {n_neg} negatives make 2^64 pairs or more; expected fewer: "
            "count the parts with confusion_matrix_at_thresholds."
        )


def _count(sample: BinarySample, workers: Workers) -> Concordance:
    check_number_of_pairs(sample.n_pos, sample.n_neg)
    not_above, tied = count_pairs(sample, workers)
    return Concordance(not_above - tied, tied, sample.n_pos, sample.n_neg)


def _count_clean(y_true: object, y_score: object) -> Concordance | None:
    """Count the pairs of a small sample that needs no preparation; None for any other."""
    counts = compare_clean(y_true, y_score)
    if counts is None:
        return None
    not_above, tied, n_pos, n_neg = counts
    return Concordance(not_above - tied, tied, n_pos, n_neg)


def exact_area(sample: BinarySample, workers: Workers = ALONE) -> Fraction:
    """Return the area of a sample of both classes, exactly or as ``weighted_ratio`` has it."""
    if weights_cancel(sample):
        return _count(sample, workers).fraction
    return Fraction(*weighted_ratio(sample, workers))


def _area_of_clean(y_true: object, y_score: object, sample_weight: object) -> float | None:
    """Return the area of a small sample that needs no preparation; None for any other."""
    if sample_weight is None:
        pairs = _count_clean(y_true, y_score)
        return None if pairs is None else pairs.auc
    sums = weigh_clean(y_true, y_score, sample_weight)
    ratio = None if sums is None else ratio_of(*sums)
    return None if ratio is None else ratio[0] / ratio[1]


def _area(sample: BinarySample, max_fpr: float | None = None, workers: Workers = ALONE) -> float:
    if sample.n_pos == 0 or sample.n_neg == 0:
        return math.nan
    if max_fpr is not None and max_fpr != 1:
        return partial_roc_auc(sample, max_fpr, workers)
    if weights_cancel(sample):
        return _count(sample, workers).auc
    numerator, denominator = weighted_ratio(sample, workers)
    return numerator / denominator


def warn_one_class(sample: BinarySample) -> None:
    """Warn that the area is undefined, if a class has no rows."""
    if sample.n_labels == 1:
        warn_undefined(_ONE_CLASS)
    else:
        warn_if_undefined(sample.n_pos, sample.n_neg)


def _read_two_classes(
    y_true: object, y_score: object, sample_weight: object, function: str, workers: Workers
) -> BinarySample:
    clean = read_clean_sample(y_true, y_score, sample_weight)
    if clean is not None:
        return clean
    inputs = read_inputs(y_true, y_score, sample_weight, function)
    target = read_target(inputs.y_true, workers)
    if target.kind != "binary":
        raise unsupported(target)
    return complete_sample(target.codes, target.n_high, len(target.classes), inputs, workers)


def concordance(y_true: ArrayLike, y_score: ArrayLike, *, n_jobs: int | None = None) -> Concordance:
    """Count the concordant and the tied pairs of a binary sample.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, two distinct ones; the greater one is the positive class.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Tied means equal.
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
        For NaN or infinite scores, unequal lengths, no rows, or labels that are not of two classes.
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
    check_n_jobs(n_jobs, "concordance")
    pairs = _count_clean(y_true, y_score)
    if pairs is not None:
        return pairs
    with Workers(n_jobs) as workers:
        sample = _read_two_classes(y_true, y_score, None, "concordance", workers)
        if sample.n_labels == 1:
            return Concordance(0, 0, sample.n_pos, sample.n_neg)
        return _count(sample, workers)


def gini_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the Gini coefficient of a score, 2 AUC - 1, in [-1, 1].

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, two distinct ones; the greater one is the positive class.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. A tied pair adds 0.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative.
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
    check_n_jobs(n_jobs, "gini_score")
    with Workers(n_jobs) as workers:
        sample = _read_two_classes(y_true, y_score, sample_weight, "gini_score", workers)
        if sample.n_pos == 0 or sample.n_neg == 0:
            warn_one_class(sample)
            return math.nan
        if weights_cancel(sample):
            pairs = _count(sample, workers)
            return (pairs.concordant - pairs.discordant) / (pairs.n_pos * pairs.n_neg)
        numerator, denominator = weighted_ratio(sample, workers)
    return (2 * numerator - denominator) / denominator


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
        How the areas of several classes are averaged; None returns them. Ignored when binary.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    max_fpr : float in (0, 1], optional
        Only the area up to this false positive rate, standardized after McClish [1]_.
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
    if labels is None:
        area = _area_of_clean(y_true, y_score, sample_weight) if max_fpr is None else None
        if area is not None:
            return area
        clean = read_clean_sample(y_true, y_score, sample_weight)
        if clean is not None:
            with Workers(n_jobs) as workers:
                return _area(clean, max_fpr, workers)
    inputs = read_inputs(y_true, y_score, sample_weight, function)
    columns = None if labels is None else as_array(labels, "labels", function, optional=True)
    with Workers(n_jobs) as workers:
        target, scores = read_target(inputs.y_true, workers), inputs.y_score
        several = scores.ndim == 2 and scores.shape[1] > 2
        if target.kind != "binary" or several:
            return _average_classes(target, inputs, columns, average, multi_class, max_fpr, workers)
        n_labels = len(target.classes)
        sample = complete_sample(target.codes, target.n_high, n_labels, inputs, workers)
        warn_one_class(sample)
        return _area(sample, max_fpr, workers)


def _average_classes(
    target: Target,
    inputs: Inputs,
    columns: Array | None,
    average: str | None,
    multi_class: str,
    max_fpr: float | None,
    workers: Workers,
) -> float | NDArray[np.float64]:
    """Return the average of the areas of several classes, or the areas."""
    scores = inputs.y_score
    if target.kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise unsupported(target)
    weighted = inputs.sample_weight is not None
    order = read_scores(scores, workers)
    if target.kind == "multilabel-indicator":
        check_consistent_length(len(target.codes), inputs)
        positive = matrix_positives(target, scores)
        implied_pos_label(target.classes)
        prevalence = target.codes
    else:
        codes = check_multiclass(target, scores, columns, multi_class, average, weighted, max_fpr)
        check_consistent_length(len(codes), inputs)
        positive = (codes[:, None] == np.arange(scores.shape[1])).view(np.uint8)
        prevalence = positive
    weight = read_weights(inputs.sample_weight)
    if target.kind != "multilabel-indicator" and multi_class == "ovo":
        return _average_pairs(codes, order, average, workers)
    # The threads are over the columns: none is left for the two classes of a column.
    metric = partial(_area, max_fpr=max_fpr)
    return average_columns(
        metric,
        warn_one_class,
        positive,
        order,
        average,
        weight,
        prevalence=prevalence,
        workers=workers,
    )


def _average_pairs(
    codes: NDArray[Any], order: OrderKeys, average: str | None, workers: Workers
) -> float:
    """Return the mean of A(a|b) and A(b|a) over all pairs of classes that occur."""
    present, sizes = np.unique(codes, return_counts=True)
    if len(present) < 2:
        warn_undefined(_ONE_CLASS)
        return math.nan
    twice = count_class_pairs(codes, order.keys, present, workers).tolist()
    areas, prevalences = [], []
    for (a, n_a), (b, n_b) in combinations(enumerate(sizes.tolist()), 2):
        pairs = 2 * n_a * n_b
        areas.append((twice[a][b] / pairs + twice[b][a] / pairs) / 2)
        prevalences.append(n_a + n_b)
    return float(np.average(areas, weights=prevalences if average == "weighted" else None))
