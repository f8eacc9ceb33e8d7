"""How many of the positives are among the best rows: gain and lift.

All along the share of the rows that are chosen, the best first. Rows of equal scores are chosen
together; a part of them holds the classes in proportion.
"""

import math

from numpy.typing import ArrayLike

from fastauc._counts.areas import exact
from fastauc._counts.gains import (
    Points,
    ScoreGroups,
    gain_area,
    gain_of_area,
    gain_of_share,
    gain_points,
    lift_of_share,
    lift_points,
)
from fastauc._counts.selected import all_groups, groups_around, read_groups
from fastauc._metrics.roc_auc import exact_area
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_share
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import Workers, check_n_jobs

__all__ = [
    "gain_at",
    "gain_curve",
    "gain_score",
    "lift_at",
    "lift_curve",
]


def gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Points:
    """Return the share of the positives that are found against the share of the rows chosen.

    Also called the cumulative accuracy profile (CAP), and the Lorenz curve of the positives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    positive_rate : float64 array of shape (n_thresholds + 1,)
        The share of the rows, or of their weight, at or above each threshold: from 0 to 1.
    tpr : float64 array of shape (n_thresholds + 1,)
        The share of the positives there: from 0 to 1. All NaN, with an ``UndefinedMetricWarning``,
        for a class without rows.
    thresholds : float64 array of shape (n_thresholds + 1,)
        Infinity, and then the distinct scores, decreasing.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    See Also
    --------
    gain_score : The area under the curve.

    Notes
    -----
    O(n log n) time. Tied rows make one step; along the line between two points, a part of them is
    chosen.

    Source: M. Vuk and T. Curk, "ROC curve, lift chart and calibration plot", Metodološki zvezki 3
    (2006) 89-108, where it is the lift chart.

    Examples
    --------
    >>> from fastauc import gain_curve
    >>> positive_rate, tpr, thresholds = gain_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> positive_rate, tpr
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    groups = read_groups(y_true, y_score, sample_weight, pos_label, n_jobs, "gain_curve")
    return gain_points(groups)


def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Points:
    """Return how many times more positives are found than by chance, for each share of the rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    positive_rate : float64 array of shape (n_thresholds + 1,)
        The share of the rows, or of their weight, at or above each threshold: from 0 to 1.
    lift : float64 array of shape (n_thresholds + 1,)
        ``tpr / positive_rate``. The first entry is the limit at 0, which is that of the rows with
        the highest score: the curve of the gain begins with a line. All NaN, with an
        ``UndefinedMetricWarning``, for a class without rows.
    thresholds : float64 array of shape (n_thresholds + 1,)
        Infinity, and then the distinct scores, decreasing.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    Notes
    -----
    O(n log n) time. Between two points the lift is a line of the gain by the share of the rows, and
    no line itself.

    Tied rows make one point. Source: ``lift_curve`` of R's yardstick.

    Examples
    --------
    >>> from fastauc import lift_curve
    >>> positive_rate, lift, thresholds = lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> lift
    array([2.        , 2.        , 1.        , 1.33333333, 1.        ])
    """
    groups = read_groups(y_true, y_score, sample_weight, pos_label, n_jobs, "lift_curve")
    return lift_points(groups)


def gain_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the area under the gain curve.

    The probability that a random positive is above a random row, where a tie, and the row itself,
    count one half.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        p1 / 2 + p0 AUC, for the shares p1 of the positives and p0 of the negatives; unweighted, the
        double nearest to the exact fraction. NaN, with an ``UndefinedMetricWarning``, for a class
        without rows.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    See Also
    --------
    gini_score : The accuracy ratio, (area - 1/2) / (p0 / 2), which does not depend on p1.

    Notes
    -----
    Time and memory as ``roc_auc_score``; O(n log n) with weights. By chance the area is 1/2, and at
    best 1 - p1 / 2. The accuracy ratio of the cumulative accuracy profile compares the two, and
    equals 2 AUC - 1: it is ``gini_score``.

    Sources: M. Vuk and T. Curk, "ROC curve, lift chart and calibration plot", Metodološki zvezki 3
    (2006) 89-108; B. Engelmann, E. Hayden and D. Tasche, "Testing rating accuracy", Risk 16 (2003)
    82-86.

    Examples
    --------
    >>> from fastauc import gain_score
    >>> gain_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.625
    """
    function = "gain_score"
    check_n_jobs(n_jobs, function)
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        if sample.weight is not None:
            return gain_area(all_groups(sample, workers))
        warn_if_undefined(sample.n_pos, sample.n_neg)
        if sample.n_pos == 0 or sample.n_neg == 0:
            return math.nan
        area = exact_area(sample, workers)
    return float(gain_of_area(area, exact(sample.n_pos), exact(sample.n_neg)))


def _count_at(
    y_true: object,
    y_score: object,
    share: float,
    pos_label: Label | None,
    sample_weight: object,
    n_jobs: int | None,
    function: str,
) -> ScoreGroups:
    """Return the groups around a share of the rows."""
    check_n_jobs(n_jobs, function)
    check_share(share, function)
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        return groups_around(sample, [exact(share) * len(sample.label)], workers)


def gain_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    share: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return how many of the positives are among the best rows, as "44 % in the top 10 %".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    share : float in [0, 1]
        The share of the rows, or of their weight, that is chosen.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        The share of the positives; where the choice ends among tied rows, these are taken in part.
        Unweighted, the double nearest to the exact fraction. NaN, with an
        ``UndefinedMetricWarning``, for a class without rows.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``share`` outside [0, 1].

    Notes
    -----
    O(n) time where scores are spread, O(n log n) for others. For several shares,
    ``confusion_matrix_at_thresholds(y_true, y_score).gain_at`` sorts once.

    Source: M. Vuk and T. Curk, "ROC curve, lift chart and calibration plot", Metodološki zvezki 3
    (2006) 89-108.

    Examples
    --------
    >>> from fastauc import gain_at
    >>> gain_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.25)
    0.5
    """
    return gain_of_share(
        _count_at(y_true, y_score, share, pos_label, sample_weight, n_jobs, "gain_at"), share
    )


def lift_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    share: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return how many times more positives are among the best rows than among as many others.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    share : float in [0, 1]
        The share of the rows, or of their weight, that is chosen; at 0, the limit is returned.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        ``gain_at`` divided by ``share``; unweighted, the double nearest to the exact fraction. NaN,
        with an ``UndefinedMetricWarning``, for a class without rows.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``share`` outside [0, 1].

    Notes
    -----
    Time as ``gain_at``.

    Tied rows as in ``gain_at``. Source: ``lift_curve`` of R's yardstick.

    Examples
    --------
    >>> from fastauc import lift_at
    >>> lift_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.25)
    2.0
    """
    return lift_of_share(
        _count_at(y_true, y_score, share, pos_label, sample_weight, n_jobs, "lift_at"), share
    )
