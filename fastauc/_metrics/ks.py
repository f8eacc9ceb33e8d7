"""The Kolmogorov-Smirnov distance of two classes: its chart, its place, its p-value."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import sort_scan
from fastauc._counts.gains import ks_points
from fastauc._counts.ks import KsStatistic, find_statistic
from fastauc._counts.ks_pvalues import PVALUES
from fastauc._counts.selected import count_all, count_read_sample, counts_of_distance
from fastauc._validation.labels import Label
from fastauc._validation.missing import omit_missing
from fastauc._validation.options import check_option
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import Workers


def ks_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return both rates against the share of the rows chosen: the Kolmogorov-Smirnov chart.

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
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    positive_rate : float64 array of shape (n_thresholds + 1,)
        The share of the rows, or of their weight, at or above each threshold: from 0 to 1.
    tpr, fpr : float64 arrays of shape (n_thresholds + 1,)
        The shares of the positives and of the negatives there. NaN, with an
        ``UndefinedMetricWarning``, for a class without rows.
    thresholds : float64 array of shape (n_thresholds + 1,)
        Infinity, and then the distinct scores, decreasing.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    See Also
    --------
    ks_statistic : The largest distance between the two.

    Notes
    -----
    O(n log n) time. The rates at a threshold do not depend on how frequent the positives are; the
    share of the rows does, p1 tpr + (1 - p1) fpr.

    Tied rows make one step of both rates. Source: L. C. Thomas, D. B. Edelman and J. N. Crook,
    Credit Scoring and Its Applications, SIAM (2002).

    Examples
    --------
    >>> from fastauc import ks_curve
    >>> positive_rate, tpr, fpr, thresholds = ks_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> tpr - fpr
    array([0. , 0.5, 0. , 0.5, 0. ])
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "ks_curve"
    )
    return ks_points(
        count_read_sample(y_true, y_score, sample_weight, pos_label, n_jobs, "ks_curve")
    )


def ks_statistic(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: str = "auto",
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> KsStatistic:
    """Return the Kolmogorov-Smirnov distance of the two classes, where it is, and its p-value.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    method : {"auto", "exact", "asymp"}
        How the p-value is computed. Exactly, from all orders of the rows, or from the limit for
        many rows. "auto" is exact for up to 10,000 rows of the larger class.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    KsStatistic
        The fields ``statistic, threshold, positive_rate, tpr, fpr, pvalue``. The distance is the
        largest ``|tpr - fpr|``, correctly rounded if unweighted, and the threshold the highest
        where it is reached. The p-value is NaN with weights; all fields are, with an
        ``UndefinedMetricWarning``, for a class without rows.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``method`` that is not known.

    See Also
    --------
    ks_score : The distance alone.

    Notes
    -----
    O(n) time for the distance where scores are spread, O(n log n) for others. O(n^2) at the worst
    for the exact p-value: a quarter of a second for 10,000 rows of each class.

    Statistic and p-value are those of ``scipy.stats.ks_2samp``, whose ``method`` has the same
    names and the same "auto". Both p-values assume distributions without ties; with ties they are
    too large. The limit is the distribution of a single sample of n_pos n_neg / (n_pos + n_neg)
    rows [1]_.

    The distance of a small sample is too large on average: by chance alone it is about
    0.87 / sqrt(n_pos n_neg / (n_pos + n_neg)).

    References
    ----------
    .. [1] R. Simard and P. L'Ecuyer, "Computing the two-sided Kolmogorov-Smirnov distribution",
       J. Stat. Softw. 39 (11) (2011).

    Examples
    --------
    >>> from fastauc import ks_statistic
    >>> found = ks_statistic([0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0])
    >>> found.statistic, found.threshold
    (0.5, 0.2)
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "ks_statistic"
    )
    function = "ks_statistic"
    check_option(method, "method", PVALUES, function)
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        groups = counts_of_distance(sample, workers) or count_all(sample, workers)
    return find_statistic(groups, method)


def ks_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
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
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.

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
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "ks_score"
    )
    with Workers(None) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, "ks_score", workers)
        return sort_scan.greatest_distance(sample, workers)
