"""Comparing the partial AUCs of two ROC curves over the same range.

As with full AUCs [1]_, rows that both models score have two placements, and the variance of the
difference is that of the differences of placements, here clipped to the range [2]_, [3]_.

References
----------
.. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or more
   correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.
.. [2] D. D. Zhang, X.-H. Zhou, D. H. Freeman and J. L. Freeman, "A non-parametric method for the
   comparison of partial areas under ROC curves and its application to large health care data sets",
   Stat. Med. 21 (2002) 701-715.
.. [3] Y. He and M. Escobar, "Nonparametric statistical inference method for partial areas under
   receiver operating characteristic curves, with application to genomic studies", Stat. Med. 27
   (2008) 5291-5308.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._counts.roc import tpr_amid
from fastauc._counts.sort_scan import roc_auc_of_part
from fastauc._pairs.concordance import warn_one_class
from fastauc._validation.arrays import INT64
from fastauc._validation.columns import read_two_samples
from fastauc._validation.labels import Label
from fastauc._validation.options import (
    RateRange,
    check_confidence_level,
    check_flag,
    check_option,
    read_range,
    refuse_given,
)
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._comparison import Difference, RocAucTestResult, result_of
from fastauc.inference._delong import LEAST_VARIANCE
from fastauc.inference._partial import (
    distances_in_part,
    error_of_share,
    expected_sizes,
    has_two_of_each,
)
from fastauc.inference._resampling import RocSteps, find_joint_steps
from fastauc.inference._results import ALTERNATIVES


def partial_roc_auc_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    fpr_range: Any = None,
    tpr_range: Any = None,
    standardized: bool = True,
    paired: bool = True,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    y_true_b: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RocAucTestResult:
    """Test whether the partial AUCs of two ROC curves differ.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    score_a : array-like of shape (n_samples,)
        Finite scores of the first model, of any numeric dtype; higher means more likely positive.
        Rows with equal scores form one diagonal step.
    score_b : array-like of shape (n_samples,) or (n_samples_b,)
        Scores of the second model: for the same rows or, if not ``paired``, for those of
        ``y_true_b``.
    fpr_range, tpr_range : (float, float), optional
        The range, as for ``partial_roc_auc_score``; the same for both curves.
    standardized : bool
        Whether the difference is standardized, on the scale where chance is 1/2 and perfect is 1.
        Statistic and p-value are the same.
    paired : bool
        Whether both models score the same rows, so that their AUCs are correlated. If not, the two
        samples are independent.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the first partial AUC differs from the second, is less, or
        is greater.
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference.
    y_true_b : array-like of shape (n_samples_b,), optional
        Labels of the second sample, if not ``paired``; defaults to ``y_true``.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    RocAucTestResult
        ``statistic, pvalue, difference, standard_error, df, confidence_interval``, as in
        ``roc_auc_test``. If every row has the same placement under both scores within the range, as
        for equal scores, the difference is 0 and the p-value 1. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present, if a class has fewer than two
        rows, or if the variance is estimated as 0 although the partial AUCs differ.

    Raises
    ------
    ValueError
        Same as ``roc_auc_test`` and ``partial_roc_auc_score``.
    InvalidParameterError
        For an invalid range or option.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    partial_roc_auc_ci : The confidence interval of one partial AUC.
    roc_auc_test : The same test for the full AUC.

    Notes
    -----
    Each positive contributes the difference of its two false positive rates, and each negative that
    of its true positive rates, all clipped to the range; the variances of their means are added up
    [1]_, [2]_. For independent samples, it is the sum of the variances of ``partial_roc_auc_ci``.
    Student's t distribution has as many degrees of freedom as rows of the rarer class are expected
    in the range, b - a of the class whose rate bounds it. In simulations of 20+20 to 300+30 rows
    with normal scores and AUCs of 0.6 to 0.9, over FPR 0-0.1, 0-0.3 and TPR 0.8-1, it rejected 0 to
    5 of 100 true null hypotheses at the 5 % level, hardly any if fewer than five rows are expected
    in the range; with the normal distribution, 4 to 16. O(n log n) time; about 60 bytes of memory
    per row.

    Type I error: "Other tests" on the page "Which interval or test to take" of the manual.

    References
    ----------
    .. [1] D. D. Zhang, X.-H. Zhou, D. H. Freeman and J. L. Freeman, "A non-parametric method for
       the comparison of partial areas under ROC curves and its application to large health care
       data sets", Stat. Med. 21 (2002) 701-715.
    .. [2] Y. He and M. Escobar, "Nonparametric statistical inference method for partial areas under
       receiver operating characteristic curves, with application to genomic studies", Stat. Med.
       27 (2008) 5291-5308.

    Examples
    --------
    >>> from fastauc.inference import partial_roc_auc_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> result = partial_roc_auc_test(y_true, score_a, score_b, fpr_range=(0, 0.5))
    >>> round(result.difference, 4), round(result.pvalue, 4)
    (0.2917, 0.4048)
    """
    function = "partial_roc_auc_test"
    part = read_range(fpr_range, tpr_range, function)
    check_flag(standardized, "standardized", function)
    check_flag(paired, "paired", function)
    check_option(alternative, "alternative", ALTERNATIVES, function)
    check_confidence_level(confidence_level, function)
    if paired:
        refuse_given({"y_true_b": y_true_b}, "but there is no second sample; pass paired=False.")
    with Workers(n_jobs, function) as workers:
        samples = read_two_samples(
            y_true, score_a, score_b, y_true_b, paired, function, workers, pos_label
        )
        difference = _difference(samples, part, paired, workers)
    result = result_of(difference, alternative, float(confidence_level), method="delong")
    lower, upper = part.strip
    scale = float(1 / (2 - lower - upper) if standardized else upper - lower)
    return result._replace(
        difference=result.difference * scale,
        standard_error=result.standard_error * scale,
        confidence_interval=ConfidenceInterval(
            *(end * scale for end in result.confidence_interval)
        ),
    )


def _difference(
    samples: list[BinarySample], part: RateRange, paired: bool, workers: Workers
) -> Difference:
    """Return the difference of two partial AUCs relative to their maximum."""
    shares, parts = [], []
    for sample in samples:
        if sample.n_pos == 0 or sample.n_neg == 0:
            warn_one_class(sample)
            return Difference(math.nan, None)
        area, exact = roc_auc_of_part(sample, part, workers)
        shares.append(area / (exact.upper - exact.lower))
        parts.append(exact)
    value = float(shares[0] - shares[1])
    if not all(map(has_two_of_each, samples[:1] if paired else samples)):
        return Difference(value, None)
    if paired:
        variance = _paired_variance(find_joint_steps(samples, True, workers=workers), parts[0])
    else:
        variance = math.fsum(
            error_of_share(sample, exact, workers) ** 2
            for sample, exact in zip(samples, parts, strict=True)
        )
    if variance < LEAST_VARIANCE:
        variance = 0.0
    sizes = [min(expected_sizes(*both)) for both in zip(samples, parts, strict=True)]
    return Difference(value, variance, df=max(1.0, min(sizes)))


def _paired_variance(curves: list[RocSteps], part: RateRange) -> float:
    """Return the variance of the difference of two shares, from the differences of the rows.

    Sums are rounded once, so the result does not depend on the order of the rows.
    """
    variance = 0.0
    for first, second in zip(*(_placements(steps, part) for steps in curves), strict=True):
        differences, n = first - second, len(first)
        mean = math.fsum(differences) / n
        variance += math.fsum((differences - mean) ** 2) / (n * (n - 1))
    return variance / float(part.upper - part.lower) ** 2


def _placements(
    steps: RocSteps, part: RateRange
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far each row of both classes is from the start of the range."""
    # Two groups of a step: negatives that are not tied with its positives are below them.
    pos = 2 * steps.pos.step.astype(INT64)
    neg = 2 * steps.neg.step.astype(INT64) + (steps.tied.take(steps.neg.step) == 0)
    n_groups = 2 * len(steps.tied)
    if part.rate == "tpr":
        # The curve reversed: classes and order swapped.
        pos, neg = n_groups - 1 - neg, n_groups - 1 - pos
    fps, tps = (np.cumsum(np.bincount(own, minlength=n_groups)) for own in (neg, pos))
    lower, upper = part.strip
    of_pos, _ = distances_in_part(fps, float(lower), float(upper))
    ends = (float(tpr_amid(fps, tps, rate)) for rate in (lower, upper))
    of_neg, _ = distances_in_part(tps, *ends)
    return of_pos[pos], of_neg[neg]
