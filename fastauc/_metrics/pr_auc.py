"""The area under the precision-recall curve, as the curve may be drawn, at any prevalence."""

from numpy.typing import ArrayLike

from fastauc._counts import scans
from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.precision_recall import PRECISION_INTERPOLATIONS, precision_area
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_option
from fastauc._validation.rates import check_prevalence
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import Workers, check_n_jobs

__all__ = ["pr_auc_score"]


def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: str = "step",
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the area under the precision-recall curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores share one threshold.
    interpolation : {"step", "linear", "davis-goadrich"}
        What the curve does between two thresholds. "step": it has the precision of the lower one,
        which makes the area average precision. "davis-goadrich": it goes through the points that
        drawing lots between the two reaches. "linear": it is a straight line, and starts at
        precision 1; no classifier reaches that line, so the area is too large.
    prevalence : float in (0, 1), optional
        The share of positives in the population that is meant; precision is that of these rows
        with each class weighted accordingly: p TPR / (p TPR + (1 - p) FPR). That of the rows
        themselves if left out.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        In [0, 1]. The steps of unweighted rows as ``average_precision_score`` gives them; all
        others within 1e-14, relatively. NaN with an ``UndefinedMetricWarning`` without positives,
        and without negatives if there is a ``prevalence``.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For an unknown ``interpolation``, or a ``prevalence`` outside (0, 1).

    See Also
    --------
    average_precision_score : A drop-in for scikit-learn's function; it is 0 without positives.
    precision_at_recall : One point of the curve.

    Notes
    -----
    O(n log n) time. Between counts that grow evenly, precision is a quotient of linear functions,
    and the area has a closed form: J. Keilwagen, I. Grosse, J. Grau, "Area under precision-recall
    curves for weighted and unweighted data", PLoS ONE 9 (2014) e92209, whose R package PRROC
    calls it ``auc.integral``. The points: J. Davis and M. Goadrich, "The relationship between
    precision-recall and ROC curves", Proc. 23rd ICML (2006) 233-240.

    Examples
    --------
    >>> from fastauc import pr_auc_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> pr_auc_score(y_true, y_score)
    0.8333333333333334
    >>> round(pr_auc_score(y_true, y_score, interpolation="davis-goadrich"), 6)
    0.797267
    >>> pr_auc_score(y_true, y_score, prevalence=0.1)
    0.5909090909090909
    """
    function = "pr_auc_score"
    check_option(interpolation, "interpolation", PRECISION_INTERPOLATIONS, function)
    share = check_prevalence(prevalence, function)
    check_n_jobs(n_jobs, function)
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        warn_if_undefined(sample.n_pos, 1 if share is None else sample.n_neg)
        if share is None and interpolation == "step" and sample.n_pos:
            return scans.average_precision(sample, workers)
        fps, tps, _ = count_sample(sample, workers)
    return precision_area(fps, tps, interpolation, share)
