"""``grouped_roc_auc_ci``: the confidence interval of the mean AUC over groups."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.proportions import ConfidenceInterval, wilson_bounds
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_confidence_level, check_option
from fastauc._validation.threads import Workers
from fastauc.groups._by_group import NO_GROUP, WEIGHTINGS, mean_of_areas, weights_of_groups
from fastauc.groups._group_pairs import measure_groups, read_grouped_sample
from fastauc.inference._delong import effective_size, inverse_size
from fastauc.inference._distributions import student_quantile
from fastauc.inference._results import NAN_INTERVAL, Estimate


def grouped_roc_auc_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    offsets: ArrayLike | None = None,
    weighting: str = "equal",
    confidence_level: float = 0.95,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> Estimate:
    """Return the mean of the AUCs of groups of rows (GAUC), with its confidence interval.

    Parameters
    ----------
    y_true, y_score, groups, offsets, pos_label, n_jobs
        As for ``roc_auc_by_group``.
    weighting : {"equal", "size", "positives", "pairs"}
        As for ``grouped_roc_auc_score``.
    confidence_level : float in (0, 1)
        The nominal coverage of the two-sided interval.

    Returns
    -------
    Estimate
        ``statistic``, the same mean as ``grouped_roc_auc_score``; its ``standard_error``; and the
        ``confidence_interval``, within [0, 1]. Groups with only one class are skipped. NaN, with an
        ``UndefinedMetricWarning``, if no group counts; the interval also if only one does.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_by_group`` and ``grouped_roc_auc_score``.

    Notes
    -----
    Assumes that groups, such as users or queries, are a random sample: the variance is the
    jackknife estimate of W. G. Cochran, "Sampling Techniques" (1977), leaving out one group at a
    time. It includes both the variation between groups and the error of each AUC; rows
    in the same group may be dependent. The interval is Wilson's for a proportion of that variance,
    with one more row in the rarer class, and Student's t distribution with Kish's effective number
    of groups minus 1 as the degrees of freedom.

    Time, memory and ties as for ``roc_auc_by_group``. Coverage: "Averages" on the page "Which
    interval or test to take" of the manual.

    Examples
    --------
    >>> from fastauc.groups import grouped_roc_auc_ci
    >>> y_true, y_score = [1, 0, 1, 0, 1, 0, 1], [0.8, 0.3, 0.2, 0.6, 0.6, 0.1, 0.7]
    >>> estimate = grouped_roc_auc_ci(y_true, y_score, [7, 7, 3, 3, 3, 5, 5])
    >>> round(estimate.statistic, 4), round(estimate.standard_error, 4)
    (0.75, 0.25)
    """
    function = "grouped_roc_auc_ci"
    check_option(weighting, "weighting", WEIGHTINGS, function)
    check_confidence_level(confidence_level, function)
    level = float(confidence_level)
    with Workers(n_jobs, function) as workers:
        sample = read_grouped_sample(
            y_true, y_score, groups, offsets, None, pos_label, function, workers
        )
        areas = measure_groups(sample, workers)
    statistic = mean_of_areas(areas, weighting, "skip")
    defined = ~np.isnan(areas.auc)
    n_groups = int(np.count_nonzero(defined))
    if n_groups < 2:
        warn_undefined(
            "The variance of the mean is undefined: one group has rows of both classes; expected "
            "two or more."
            if n_groups
            else NO_GROUP
        )
        return Estimate(statistic, math.nan, NAN_INTERVAL, level, "wilson")
    weight = weights_of_groups(areas.counts, weighting)[defined].astype(np.float64)
    whole = math.fsum(weight.tolist())
    # How the mean changes if a group is left out.
    deviation = weight / (whole - weight) * (areas.auc[defined] - statistic)
    variance = (n_groups - 1) / n_groups * math.fsum((deviation**2).tolist())
    size = effective_size(weight)
    # Two groups have one degree of freedom, even if one of them is huge.
    quantile = student_quantile((1 - level) / 2, max(1.0, size - 1))
    n_neg, n_pos = areas.counts[defined].sum(axis=0).tolist()
    inverse = inverse_size(statistic, variance, n_pos, n_neg)
    low, high = wilson_bounds(statistic, inverse, quantile)
    interval = ConfidenceInterval(float(low), float(high))
    return Estimate(statistic, math.sqrt(variance), interval, level, "wilson")
