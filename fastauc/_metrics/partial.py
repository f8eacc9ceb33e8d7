"""The area under a part of the ROC curve: between two rates, with an interval.

McClish [1]_ put the area of a part on a scale where chance is 1/2 and perfect is 1. Its variance
is that of DeLong, from placements that end where the part ends [2]_.

References
----------
.. [1] D. K. McClish, "Analyzing a portion of the ROC curve", Med. Decis. Making 9 (1989) 190-195.
.. [2] Y. He and M. Escobar, "Nonparametric statistical inference method for partial areas under
   receiver operating characteristic curves, with application to genomic studies", Stat. Med. 27
   (2008) 5291-5308.
"""

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from numpy.typing import ArrayLike

from fastauc._counts.areas import standardize
from fastauc._counts.scans import roc_auc_of_part
from fastauc._inference.partial_variance import partial_area_variance
from fastauc._inference.results import ConfidenceInterval, Estimate
from fastauc._validation.errors import warn_if_undefined, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_number, check_option
from fastauc._validation.rates import RateRange, read_range
from fastauc._validation.samples import BinarySample, read_binary_sample
from fastauc._validation.threads import Workers, check_n_jobs

__all__ = ["partial_roc_auc_ci", "partial_roc_auc_score"]


def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr_range: Any = None,
    tpr_range: Any = None,
    standardized: bool = True,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
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
        False positive rates 0 <= a < b <= 1; the area is that under the curve between them.
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
    function = "partial_roc_auc_score"
    part = read_range(fpr_range, tpr_range, function)
    check_flag(standardized, "standardized", function)
    check_n_jobs(n_jobs, function)
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        warn_if_undefined(sample.n_pos, sample.n_neg)
        if sample.n_pos == 0 or sample.n_neg == 0:
            return math.nan
        found = roc_auc_of_part(sample, part, workers)
    return float(standardize(found, *part.strip) if standardized else found)


def partial_roc_auc_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr_range: Any = None,
    tpr_range: Any = None,
    standardized: bool = True,
    confidence_level: float = 0.95,
    transform: str | None = "logit",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> Estimate:
    """Return the area of a part of the ROC curve with its standard error and an interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Rows with equal
        scores make one diagonal step.
    fpr_range, tpr_range : (float, float), optional
        The part, as ``partial_roc_auc_score`` takes it.
    standardized : bool
        Whether all numbers are on the scale where chance is 1/2 and perfect is 1.
    confidence_level : float in (0, 1)
        The share of samples whose interval is to hold the true value.
    transform : {"logit"} or None
        "logit": the interval is symmetric for the log-odds of area / (b - a), and so never leaves
        what is possible. None: symmetric around the area, and cut off there.
    sample_weight : array-like of shape (n_samples,), optional
        Probability weights, not negative: the variance is that of weighted means, without knowing
        how many rows a weight stands for. Rows of weight 0 are left out.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    Estimate
        ``statistic``, what ``partial_roc_auc_score`` returns; ``standard_error``;
        ``confidence_interval``. NaN with an ``UndefinedMetricWarning`` for one class, and standard
        error and interval for fewer than two rows in a class.

    Raises
    ------
    ValueError
        As ``partial_roc_auc_score``.
    InvalidParameterError
        For a range or an option outside its domain.

    See Also
    --------
    partial_roc_auc_score : Only the number.

    Notes
    -----
    O(n log n) time. Each positive counts with the false positive rate at its score, and each
    negative with the true positive rate there, but no less and no more than where the part begins
    and ends; their variances, divided by the class sizes, are added up. That takes into account
    that the thresholds at the ends are estimated. For the range (0, 1) it is DeLong's variance.
    Exact before the last rounding if unweighted. Sources: Y. He and M. Escobar, Stat. Med. 27
    (2008) 5291-5308; L. E. Dodd and M. S. Pepe, Biometrics 59 (2003) 614-623.

    If the area is the least or the greatest possible, its estimated error is 0. The interval then
    has that end, and at the other what m pairs in a row leave possible: (alpha / 2)^(1 / m), where
    m is the lesser of the positives and of the negatives to be expected in the part. ``method`` is
    "binomial" then, and "delong" otherwise.

    Examples
    --------
    >>> from fastauc import partial_roc_auc_ci
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.4, 0.6, 0.3, 0.5, 0.7, 0.8]
    >>> estimate = partial_roc_auc_ci(y_true, y_score, fpr_range=(0, 0.5))
    >>> round(estimate.statistic, 4), round(estimate.standard_error, 4)
    (0.75, 0.1984)
    >>> low, high = estimate.confidence_interval
    >>> round(low, 4), round(high, 4)
    (0.4144, 0.9684)
    """
    function = "partial_roc_auc_ci"
    part = read_range(fpr_range, tpr_range, function)
    check_flag(standardized, "standardized", function)
    check_option(transform, "transform", ("logit", None), function)
    check_number(
        confidence_level,
        "confidence_level",
        "a float in the range (0.0, 1.0)",
        lambda level: 0 < level < 1,
        function,
    )
    check_n_jobs(n_jobs, function)
    with Workers(n_jobs) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        warn_if_undefined(sample.n_pos, sample.n_neg)
        if sample.n_pos == 0 or sample.n_neg == 0:
            nothing = ConfidenceInterval(math.nan, math.nan)
            return Estimate(math.nan, math.nan, nothing, confidence_level, "delong")
        found = roc_auc_of_part(sample, part, workers)
        error = _standard_error(sample, part, workers)
    lower, upper = part.strip
    share = float(found / (upper - lower))
    method = "binomial" if share in (0, 1) else "delong"
    ends = _interval(share, error, float(confidence_level), transform, _pairs(sample, part))

    def on_scale(value: float) -> float:
        area = Fraction(value) * (upper - lower)
        return float(standardize(area, lower, upper) if standardized else area)

    if standardized:
        # While the share grows by 1 - (a + b) / 2, from least to most, the scale grows by 1/2.
        error /= float(2 - lower - upper)
    else:
        error *= float(upper - lower)
    low, high = (end if math.isnan(end) else on_scale(end) for end in ends)
    statistic = float(standardize(found, lower, upper) if standardized else found)
    interval = ConfidenceInterval(low, high)
    return Estimate(statistic, error, interval, confidence_level, method)


def _standard_error(sample: BinarySample, part: RateRange, workers: Workers) -> float:
    """Return the standard error of the area as a share of what is possible; NaN with a warning."""
    for n_rows, name in (sample.n_pos, "positive"), (sample.n_neg, "negative"):
        if n_rows < 2:
            warn_undefined(
                f"Only {n_rows} {name} sample in y_true: a variance needs two of each class, so "
                "standard error and interval are NaN."
            )
            return math.nan
    variance = partial_area_variance(sample, part, workers)
    return math.sqrt(variance / (part.upper - part.lower) ** 2)


def _pairs(sample: BinarySample, part: RateRange) -> float:
    """Return how many pairs of different rows the part rests on."""
    width = float(part.upper - part.lower)
    if part.rate == "fpr":
        return min(sample.n_pos, sample.n_neg * width)
    return min(sample.n_pos * width, sample.n_neg)


def _interval(
    share: float, error: float, level: float, transform: str | None, pairs: float
) -> tuple[float, float]:
    """Return the ends of the interval of a share of what is possible."""
    if math.isnan(error):
        return math.nan, math.nan
    if share in (0, 1):
        far = ((1 - level) / 2) ** (1 / pairs)
        return (far, 1.0) if share == 1 else (0.0, 1 - far)
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    if transform is None:
        return max(share - reach, 0.0), min(share + reach, 1.0)
    odds = math.log(share) - math.log1p(-share)
    reach /= share * (1 - share)
    return _share_of(odds - reach), _share_of(odds + reach)


def _share_of(odds: float) -> float:
    """Return the share whose log-odds are given; no exponential here can overflow."""
    if odds < 0:
        return math.exp(odds) / (1 + math.exp(odds))
    return 1 / (1 + math.exp(-odds))
