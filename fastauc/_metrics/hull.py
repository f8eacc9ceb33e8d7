"""The convex hull of the ROC curve."""

from numpy.typing import ArrayLike

from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.points import ConvexHull, hull_of
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import Workers, check_n_jobs

__all__ = ["ConvexHull", "roc_convex_hull"]


def roc_convex_hull(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
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
    check_n_jobs(n_jobs, "roc_convex_hull")
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(
            y_true, y_score, sample_weight, pos_label, "roc_convex_hull", workers
        )
        counts = count_sample(sample, workers)
    warn_if_undefined(sample.n_pos, sample.n_neg)
    return hull_of(*counts)
