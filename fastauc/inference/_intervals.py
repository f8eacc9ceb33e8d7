"""``roc_auc_ci``: standard error and confidence interval of the AUC."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval, wilson_bounds
from fastauc._pairs.concordance import warn_one_class
from fastauc._validation.columns import Models, read_models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.groups import Clusters
from fastauc._validation.labels import Label
from fastauc._validation.options import (
    check_confidence_level,
    check_integer,
    check_option,
    read_rng,
    refuse_given,
)
from fastauc._validation.samples import BinarySample, read_binary_sample
from fastauc._validation.threads import Workers
from fastauc.inference import _bootstrap as bootstrap
from fastauc.inference._delong import (
    LEAST_VARIANCE,
    compare_areas,
    delong_variance,
    hanley_mcneil_variance,
    inverse_size,
    newcombe_bounds,
    newcombe_variance,
    score_distance,
    unbiased_variance,
)
from fastauc.inference._distributions import expit, log_odds, student
from fastauc.inference._placements import PlacementSums, sum_placements
from fastauc.inference._results import NAN_INTERVAL, Estimate

METHODS = ("wilson", "delong", "unbiased", "hanley-mcneil", "newcombe", "bootstrap")
# Which of weights and groups each method supports.
_OF_ANY_DESIGN = ("wilson", "delong", "bootstrap")
TRANSFORMS = ("logit", None)
# The default for intervals, and for the test of an AUC against a constant, which inverts it.
DEFAULT_METHOD, DEFAULT_TRANSFORM = "wilson", "logit"
# Below it, weights put the AUC so close to 0 or 1 that its odds overflow a double.
_LEAST_SLOPE = 1e-300

_TOO_FEW = (
    "The variance of the AUC is undefined: {n_pos} positive and {n_neg} negative {units}; "
    "expected two or more of each. method='newcombe' and 'hanley-mcneil' need one."
)


class Spread(NamedTuple):
    """An AUC and its variance, with the number of independent rows in each class.

    Last, the degrees of freedom of the variance.
    """

    area: Fraction
    variance: Fraction | float | None
    size_pos: float
    size_neg: float
    df: float = math.inf


class Pivot(NamedTuple):
    """What is inverted for an interval: the distance of the AUC from a hypothesized one.

    Attributes
    ----------
    method : str
        The method used, which is a different one if a variance is 0.
    distance_from : function
        Returns the distance from a hypothesized AUC, a Fraction, in standard errors.
    bounds : function
        Returns the lowest AUC that is at most z below, and the highest that is at most z above.
    """

    method: str
    distance_from: Callable[[Fraction], float]
    bounds: Callable[[float], tuple[float, float]]


def roc_auc_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: str = DEFAULT_METHOD,
    confidence_level: float = 0.95,
    transform: str | None = DEFAULT_TRANSFORM,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    rng: Any = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> Estimate:
    """Return the AUC with its standard error and confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype; higher means more likely positive. Only equal scores
        are tied, and a tied pair counts one half.
    method : {"wilson", "delong", "unbiased", "hanley-mcneil", "newcombe", "bootstrap"}
        "wilson": Wilson's interval [6]_ for a proportion, with as many trials as give DeLong's
        variance (the effective sample size [7]_), and one more row in the rarer class. In the
        simulations of the manual, 95 % intervals cover the AUC in at least 92 % of samples, even
        small ones, and near 0 and 1 almost always. The following are symmetric about the AUC or its
        log odds, and too short for AUCs near 0 or 1: "delong" [1]_, from the placements of all
        rows, whose variance is slightly too large on average; "unbiased", Bamber's [2]_;
        "hanley-mcneil" [3]_, from the AUC and the class sizes alone, assuming exponential scores,
        and inaccurate if one class is rare. "newcombe": method 5 of [4]_, the AUCs that a test with
        such a variance accepts, which does not use the scores. "bootstrap": the percentile interval
        of ``bootstrap_ci``, which has more options.
    confidence_level : float in (0, 1)
        The nominal coverage of the two-sided interval.
    transform : {"logit", None}
        The scale on which the interval is symmetric: the log odds of the AUC, or the AUC itself,
        where it may have to be clipped at 0 or 1. Ignored by "wilson" and "newcombe", which have
        their own scales, and by "bootstrap", as percentiles are the same on any scale.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights: inverse probabilities of being sampled. With "wilson" or
        "delong", for which the variance is found by linearization (sandwich), or "bootstrap".
    groups : array-like of shape (n_samples,), optional
        The cluster of each row, such as a patient or a query: integers, strings or categories. Rows
        in the same cluster may be dependent in any way. With "wilson" or "delong", for which the
        variance is Obuchowski's [5]_, or "bootstrap", which resamples whole clusters.
    n_resamples : int
        Number of replicates for "bootstrap", two or more.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator for "bootstrap", passed to ``numpy.random.default_rng``.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    Estimate
        ``statistic``, the same AUC as ``roc_auc_score``; ``standard_error``, DeLong's for "wilson";
        ``confidence_interval``; and how they were computed. The interval is within [0, 1] and has a
        positive width: if the estimated variance is 0, as for perfect separation, or negative,
        which is possible for "unbiased", and the method is not "wilson", the interval of "newcombe"
        is returned, as stated by ``method``, with a standard error of 0. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present, or for methods that require two
        rows, or groups, of each class and do not have them.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        missing groups; no rows; labels that are not of two classes; weights or groups with a method
        that does not support them.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    One sort and one scan, O(n log n); 8 bytes of memory per row. With weights or groups, about five
    times as long and 60 bytes per row. "bootstrap": one sort, and a scan for each replicate.
    Everything except the final division and the bounds is integer arithmetic, unless there are
    weights.

    With groups, "wilson" divides the class sizes by the design effect, the ratio of the variance to
    that of independent rows, which takes a second pass; and it uses Student's t distribution, with
    one degree of freedom less than there are groups, in place of the normal distribution.

    Coverage of each method: "Areas" and "Rows in groups" on the page "Which interval or test to
    take" of the manual.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.
    .. [2] D. Bamber, "The area above the ordinal dominance graph and the area below the receiver
       operating characteristic graph", J. Math. Psychol. 12 (1975) 387-415.
    .. [3] J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a receiver
       operating characteristic (ROC) curve", Radiology 143 (1982) 29-36.
    .. [4] R. G. Newcombe, "Confidence intervals for an effect size measure based on the
       Mann-Whitney statistic. Part 2", Statist. Med. 25 (2006) 559-573.
    .. [5] N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data", Biometrics 53
       (1997) 567-578.
    .. [6] E. B. Wilson, "Probable inference, the law of succession, and statistical inference", J.
       Amer. Statist. Assoc. 22 (1927) 209-212.
    .. [7] E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24 (1998) 193-201.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_ci
    >>> y_true, y_score = [0, 0, 0, 1, 0, 1, 1], [0.0, 0.1, 0.2, 0.2, 0.5, 0.3, 0.6]
    >>> estimate = roc_auc_ci(y_true, y_score)
    >>> round(estimate.statistic, 4), round(estimate.standard_error, 4)
    (0.7917, 0.1925)
    >>> low, high = estimate.confidence_interval
    >>> round(low, 4), round(high, 4)
    (0.3179, 0.9687)
    """
    function = "roc_auc_ci"
    check_option(method, "method", METHODS, function)
    check_option(transform, "transform", TRANSFORMS, function)
    check_confidence_level(confidence_level, function)
    check_integer(n_resamples, "n_resamples", 2, function)
    generator = read_rng(rng, function)
    if method not in _OF_ANY_DESIGN:
        design = {"sample_weight": sample_weight, "groups": groups}
        reason = f"but method={method!r} cannot use it; 'wilson', 'delong', 'bootstrap' can."
        refuse_given(design, reason)
    with Workers(n_jobs, function) as workers:
        if sample_weight is None and groups is None:
            models = None
            sample = read_binary_sample(y_true, y_score, None, pos_label, function, workers)
        else:
            scores = {"y_score": y_score}
            models = read_models(
                y_true, scores, sample_weight, groups, function, workers, pos_label
            )
            sample = models.weighted_sample(0)
        if sample.n_pos == 0 or sample.n_neg == 0:
            warn_one_class(sample)
            return Estimate(math.nan, math.nan, NAN_INTERVAL, float(confidence_level), method)
        if method == "bootstrap":
            level = float(confidence_level)
            plan = bootstrap.BootstrapOptions(
                "roc_auc", 1.0, "percentile", level, n_resamples, groups is None, False
            )
            clusters = None if models is None else _clusters_of(models.units_of_sample())
            drawn = bootstrap.estimate(sample, plan, generator, clusters, workers)
            return Estimate(drawn.statistic, *drawn[1:4], method)
        spread = spread_of(sample, models, method, workers)
    return _estimate(spread, method, transform, float(confidence_level), groups is not None)


def _clusters_of(units: NDArray[np.intp] | None) -> Clusters | None:
    return None if units is None else Clusters(units.astype(np.uint32), int(units.max()) + 1)


def spread_of(sample: BinarySample, models: Models | None, method: str, workers: Workers) -> Spread:
    """Return the spread of a sample with both classes; ``models`` hold its weights and groups."""
    if models is None or (models.units is None and sample.has_one_weight_per_class):
        return _spread_of_rows(sum_placements(sample, workers), method)
    compared = compare_areas(models, workers)
    variance = None if compared.covariance is None else compared.covariance[0, 0]
    if isinstance(variance, float) and variance < LEAST_VARIANCE:
        variance = 0.0
    sizes = compared.size_pos, compared.size_neg
    if method == "wilson" and models.units is not None and variance:
        sizes = _sizes_in_groups(
            spread_of(sample, models._replace(units=None), method, workers), variance, sizes
        )
    # The variance of few groups is itself uncertain.
    is_grouped = method == "wilson" and models.units is not None
    df = compared.n_units - 1 if is_grouped else math.inf
    return Spread(compared.areas[0], variance, *sizes, df)


def _sizes_in_groups(
    of_rows: Spread, variance: Fraction | float, n_groups: tuple[float, float]
) -> tuple[float, float]:
    """Return the effective number of independent rows of each class if rows are in groups.

    It is their number divided by the design effect, the ratio of the variance to that of
    independent rows; at most the number of rows, and at least that of groups.
    """
    assert of_rows.variance is not None
    share = min(1.0, float(of_rows.variance / variance))
    return max(of_rows.size_pos * share, n_groups[0]), max(of_rows.size_neg * share, n_groups[1])


def _spread_of_rows(sums: PlacementSums, method: str) -> Spread:
    n_pos, n_neg = sums.n_pos, sums.n_neg
    area = Fraction(sums.twice_u, 2 * n_pos * n_neg)
    variance: Fraction | float | None = None
    if method == "newcombe":
        variance = newcombe_variance(float(area), n_pos, n_neg)
    elif method == "hanley-mcneil":
        variance = hanley_mcneil_variance(area, n_pos, n_neg)
    elif n_pos > 1 and n_neg > 1:
        variance = (unbiased_variance if method == "unbiased" else delong_variance)(sums)
    return Spread(area, variance, n_pos, n_neg)


def pivot_of(spread: Spread, method: str, transform: str | None) -> Pivot:
    """Return what is inverted for the interval of a method; assumes a variance."""
    area, variance, size_pos, size_neg, _ = spread
    assert variance is not None
    statistic, error = float(area), math.sqrt(max(variance, 0))
    if method == "wilson":
        share = float(inverse_size(statistic, float(variance), size_pos, size_neg))

        def ends(z: float) -> tuple[float, float]:
            low, high = wilson_bounds(statistic, share, z)
            return float(low), float(high)

        return Pivot(
            method,
            lambda supposed: score_distance(
                statistic, float(supposed), float(supposed * (1 - supposed)) * share
            ),
            ends,
        )
    slope = float(area * (1 - area))
    if method == "newcombe" or variance <= 0 or slope < _LEAST_SLOPE:
        return Pivot(
            "newcombe",
            lambda supposed: score_distance(
                statistic,
                float(supposed),
                newcombe_variance(float(supposed), size_pos, size_neg),
            ),
            lambda z: newcombe_bounds(statistic, size_pos, size_neg, z),
        )
    if transform is None:
        return Pivot(
            method,
            lambda supposed: (statistic - float(supposed)) / error,
            lambda z: (max(0.0, statistic - z * error), min(1.0, statistic + z * error)),
        )
    center = log_odds(area)

    def bounds(z: float) -> tuple[float, float]:
        width = z * error / slope
        return expit(center - width), expit(center + width)

    return Pivot(method, lambda supposed: (center - log_odds(supposed)) / error * slope, bounds)


def _estimate(
    spread: Spread, method: str, transform: str | None, level: float, is_grouped: bool
) -> Estimate:
    area, variance, size_pos, size_neg, df = spread
    statistic = float(area)
    if variance is None:
        sizes = {"n_pos": round(size_pos), "n_neg": round(size_neg)}
        warn_undefined(_TOO_FEW.format(units="groups" if is_grouped else "rows", **sizes))
        return Estimate(statistic, math.nan, NAN_INTERVAL, level, method)
    pivot = pivot_of(spread, method, transform)
    interval = ConfidenceInterval(*pivot.bounds(student(df)[1]((1 - level) / 2)))
    return Estimate(statistic, math.sqrt(max(variance, 0)), interval, level, pivot.method)
