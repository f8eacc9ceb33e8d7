"""Bootstrap intervals and tests: of areas, of K-S distances, and of a user's statistics.

For a share, the replicates give the variance, and the interval is that of an AUC with it: Wilson's,
with one more row of the rarer class. So few rows, or rows in perfect order, of which replicates
show no variation, have an interval that says so.

Each replicate of the test of two scores draws rows with both, which accounts for their
correlation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts import sample_curves
from fastauc._counts.precision_recall import mean_of_total
from fastauc._counts.proportions import ConfidenceInterval
from fastauc._kernels import resampling as _resampling
from fastauc._pairs.weighted import weighted_ratio
from fastauc._validation.columns import Directions, Models, read_models, read_pair
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import Alternative, BootstrapStatistic, NanPolicy, StatisticOf
from fastauc._validation.options import (
    check_confidence_level,
    check_flag,
    check_integer,
    check_option,
    read_rng,
)
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers
from fastauc.inference._delong import Spread, least_sizes
from fastauc.inference._distributions import normal_tail, student_quantile
from fastauc.inference._pivots import Pivot, pivot_of, reaching_as_far, student_of_shares, wald
from fastauc.inference._resampling import (
    Doubles,
    Replicate,
    Resampler,
    RocSteps,
    Statistic,
    evaluate,
    find_custom_steps,
    find_steps,
    put_in_order,
    whole_sample,
    with_one_more,
)
from fastauc.inference._results import (
    ALTERNATIVES,
    NAN_INTERVAL,
    DifferenceTestResult,
    Estimate,
    untested,
)

STATISTICS = get_args(BootstrapStatistic)
# What the share of positives does not change: replicates keep it.
_OF_RATES = "roc_auc", "ks"
# Of weighted statistics: a million rows of each class, two of which change places, differ by 1e-12.
_ROUNDING = 2.0**-40


def standard_error(values: Doubles) -> float:
    """Return the standard deviation of replicates."""
    return float(np.std(values, ddof=1))


def df_of(steps: RocSteps) -> float:
    """Return the degrees of freedom of the rarer class, which often has most of the variance."""
    return max(1.0, min(steps.sizes) - 1)


def percentile_interval(
    statistic: float, values: Doubles, unseen: Doubles, least: float, confidence_level: float
) -> ConfidenceInterval:
    """Return quantiles of the replicates, as far out as Wilson's interval is for a share.

    The replicates of n rows are too near to each other by a factor of the root of (n - 1) / n, and
    their variance is an estimate: the expanded percentile interval (Hesterberg 2015). But near a
    bound the variance grows with the distance from it. If the true share of n rows is lower by x,
    its variance is greater by x times what one more row lowers the share by, less what another
    raises it by, and less x^2 / n. With the same of any statistic, an end is the value that is t of
    its own deviations away; of a share, Wilson's. Both steps only move the ends outward.

    ``unseen`` are the statistics with one more row, of either class, at either end of the scores;
    ``least`` is the number of rows of the rarer class. A maximum over thresholds is biased upward,
    and the more so in replicates: the end on that side is further out by four times what they show.
    """
    df = max(1.0, least - 1)
    t = student_quantile((1 - confidence_level) / 2, df)
    tail = normal_tail(t * math.sqrt((df + 1) / df))
    low, high = np.quantile(values, (tail, 1 - tail)).tolist()
    bias = float(np.mean(values - statistic))
    least_seen, most_seen = float(unseen.min()), float(unseen.max())
    slope = max(0.0, statistic - least_seen) - max(0.0, most_seen - statistic)

    def reach(seen: float, slope: float) -> float:
        seen, half, square = max(seen, 0.0), max(t * t * slope / 2, 0.0), t * t / least
        return max(seen, (half + math.sqrt(half**2 + (1 + square) * seen**2)) / (1 + square))

    return ConfidenceInterval(
        statistic - reach(statistic - low + 4 * max(bias, 0.0), slope),
        statistic + reach(high - statistic + 4 * max(-bias, 0.0), -slope),
    )


def wilson_interval(
    center: float, values: Doubles, steps: RocSteps, confidence_level: float
) -> ConfidenceInterval:
    """Return Wilson's interval of a share with the variance of its replicates."""
    variance, rule = float(np.var(values, ddof=1)), (steps.sizes, df_of(steps))
    spread = Spread(min(max(center, 0.0), 1.0), variance, *rule, unseen=steps.unseen)
    return ConfidenceInterval(*pivot_of(spread).interval(confidence_level))


def share_interval(
    share: float, values: Doubles, steps: RocSteps, confidence_level: float
) -> ConfidenceInterval:
    """Return the interval of a share, less the bias that the replicates show."""
    center = share - (float(np.mean(values)) - share)
    low, high = wilson_interval(center, values, steps, confidence_level)
    return ConfidenceInterval(min(low, share), max(high, share))


def ks_interval(
    distance: float, values: Doubles, steps: RocSteps, confidence_level: float
) -> ConfidenceInterval:
    """Return the interval of a K-S statistic, from as far below as chance alone may be.

    The greatest distance of a sample is above the true one by what chance adds at the best of many
    thresholds, and replicates add it again to what is there, so they do not show how much it was.
    From above, no threshold is chosen: there the replicates hold, unless all may be chance.
    """
    sizes = least_sizes(steps.sizes, steps.unseen)
    inverse = math.fsum(1 / n for n in sizes)
    chance = math.sqrt(-math.log((1 - confidence_level) / 2) / 2 * inverse)
    if distance <= chance:
        return ConfidenceInterval(0.0, min(distance + chance, 1.0))
    high = wilson_interval(distance, values, steps, confidence_level).high
    return ConfidenceInterval(distance - chance, max(high, distance))


# Statistics of a replicate ----------------------------------------------------------------------
#
# Sums of doubles may exceed the total by a rounding error; counts never do.


def _roc_auc(drawn: Replicate) -> float:
    twice_u, fp, tp = _resampling.twice_area(*drawn[:3], drawn.n_neg * 0)
    area: float = twice_u / (2 * fp * tp)
    return min(area, 1.0)


def _average_precision(drawn: Replicate) -> float:
    if isinstance(drawn.n_pos, int):
        return mean_of_total(_resampling.sum_precision(*drawn[:3]), drawn.n_pos)
    mean: float = _resampling.weigh_precision(*drawn[:3]) / drawn.n_pos
    return min(mean, 1.0)


def _ks(drawn: Replicate) -> float:
    distance: float = _resampling.greatest_difference(*drawn) / (drawn.n_pos * drawn.n_neg)
    return min(distance, 1.0)


FUNCTIONS: dict[Any, Callable[[Replicate], float]] = {
    "roc_auc": _roc_auc,
    "average_precision": _average_precision,
    "ks": _ks,
}


class Prepared(NamedTuple):
    """Everything that is needed to compute replicates of a sample."""

    steps: RocSteps
    function: Callable[[Replicate], float]
    """The statistic of a replicate."""
    value: float
    """The statistic of the sample."""


def prepare(models: Models, options: BootstrapOptions, workers: Workers) -> list[Prepared]:
    """Prepare a sample, or several scores of the same rows, which are then resampled together."""
    samples, clusters = models.samples(), models.clusters()
    if callable(options.statistic):
        samples, clusters = put_in_order(samples, clusters)
        rule = options.statistic, options.statistic_of, clusters
        found = [find_custom_steps(sample, *rule) for sample in samples]
        return [Prepared(*each, each[1](whole_sample(each[0]))) for each in found]
    function = FUNCTIONS[options.statistic]
    keep_positives = options.statistic == "average_precision"
    return [
        Prepared(steps, function, value_of(sample, options.statistic, steps, workers))
        for sample, steps in zip(
            samples, find_steps(samples, keep_positives, clusters, workers), strict=True
        )
    ]


def value_of(sample: BinarySample, statistic: Any, steps: RocSteps, workers: Workers) -> float:
    """Return the statistic of the sample, computed as accurately as the function of that name."""
    if sample.weight is None:
        return FUNCTIONS[statistic](whole_sample(steps))
    if statistic == "average_precision":
        return sample_curves.average_precision(sample, workers)
    if statistic == "ks":
        return sample_curves.greatest_distance(sample, workers)
    numerator, denominator = weighted_ratio(sample, workers)
    return numerator / denominator


# Estimates --------------------------------------------------------------------------------------


class BootstrapOptions(NamedTuple):
    """Which statistic is computed, from how many and what kind of replicates."""

    statistic: Statistic
    statistic_of: StatisticOf
    """What a user-defined statistic is called with."""
    confidence_level: float
    n_resamples: int
    stratified: bool
    generator: np.random.Generator

    @property
    def name(self) -> str:
        """The name of the statistic, for messages."""
        if isinstance(self.statistic, str):
            return self.statistic
        return getattr(self.statistic, "__name__", "the statistic")


def _estimate(models: Models, options: BootstrapOptions, workers: Workers) -> Estimate:
    """Return the estimate for a validated sample; NaN, with a warning, if it is undefined."""
    method = "percentile" if callable(options.statistic) else "wilson"
    rule = options.confidence_level, method
    found = Estimate(math.nan, math.nan, NAN_INTERVAL, *rule, np.empty(0))
    prepared, values = draw_values(models, options, workers)
    if not prepared:
        return found
    (score,), (own,) = prepared, values
    found = found._replace(statistic=score.value, bootstrap_distribution=own)
    if len(own) == 0 or not all_finite(options.name, score.value, own):
        return found
    interval = _interval(score, own, options)
    return found._replace(standard_error=standard_error(own), confidence_interval=interval)


def _interval(prepared: Prepared, values: Doubles, options: BootstrapOptions) -> ConfidenceInterval:
    """Return the interval of a statistic; NaN, with a warning, if a function has none."""
    level, (steps, function, statistic) = options.confidence_level, prepared
    if options.statistic in ("roc_auc", "average_precision"):
        return share_interval(statistic, values, steps, level)
    if options.statistic == "ks":
        return ks_interval(statistic, values, steps, level)
    sizes = least_sizes(steps.sizes, steps.unseen)
    unseen = np.array([function(each) for each in with_one_more(steps, sizes)])
    if not np.isfinite(unseen).all():
        warn_undefined(f"{options.name} is NaN or infinite with one more row: it has no interval.")
        return NAN_INTERVAL
    interval = percentile_interval(statistic, values, unseen, min(sizes), level)
    if interval.low == interval.high:
        warn_undefined(
            f"The interval of {options.name} {statistic} would have no width, which no sample "
            f"justifies; its replicates range from {values.min()} to {values.max()}: the interval "
            "is undefined."
        )
        return NAN_INTERVAL
    return interval


def draw_values(
    models: Models, options: BootstrapOptions, workers: Workers
) -> tuple[list[Prepared], Doubles]:
    """Return the scores of a sample, and their statistics in all replicates, a row for each score.

    With a warning: no scores if only one class is present, no replicates if one cannot vary.
    """
    sample = models.weighted_sample(0)
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_undefined(
            f"Only one class is present in y_true. The bootstrap of {options.name} is not defined "
            "in that case."
        )
        return [], np.empty((0, 0))
    prepared = prepare(models, options, workers)
    if not can_vary(prepared[0].steps):
        return prepared, np.empty((len(prepared), 0))

    def statistics_of(*drawn: Replicate) -> list[float]:
        return [each.function(own) for each, own in zip(prepared, drawn, strict=True)]

    if callable(options.statistic):
        workers = SERIAL  # a user's function need not be thread-safe
    resampler = Resampler([each.steps for each in prepared], options.stratified)
    rule = options.n_resamples, statistics_of, options.generator
    return prepared, evaluate(resampler, *rule, workers).T


def can_vary(steps: RocSteps) -> bool:
    """Return whether each class has two rows or clusters to choose from; otherwise warn."""
    for rows, name in (steps.pos, "positives"), (steps.neg, "negatives"):
        chosen, units = rows.step, "row"
        if steps.n_clusters is not None:
            chosen, units = np.unique(rows.unit), "cluster"
        if len(chosen) < 2:
            warn_undefined(
                f"The {name} are all in one {units}, so replicates cannot show how they vary. "
                f"Expected two or more {units}s with each class; the interval is undefined."
            )
            return False
    return True


def all_finite(name: str, statistic: float, values: Doubles) -> bool:
    """Return whether the statistic is finite for the sample and all replicates; otherwise warn."""
    n_undefined = int(np.count_nonzero(~np.isfinite(values)))
    if n_undefined or not math.isfinite(statistic):
        warn_undefined(
            f"{name} is {statistic} for the sample, and NaN or infinite for {n_undefined} of "
            f"{len(values)} replicates: the interval is undefined."
        )
        return False
    return True


def _read_options(
    function: str,
    groups: object,
    rng: object,
    statistic: Statistic,
    statistic_of: StatisticOf,
    confidence_level: float,
    n_resamples: int,
    stratified: bool | None = None,
) -> BootstrapOptions:
    """Return the options for the given arguments.

    By default, replicates keep the number of rows of each class if the statistic is one of rates
    and the rows are drawn one by one.
    """
    is_custom = callable(statistic)
    if not is_custom:
        check_option(statistic, "statistic", STATISTICS, function)
    check_option(statistic_of, "statistic_of", get_args(StatisticOf), function)
    if statistic_of != "counts" and not is_custom:
        expected = "'counts' where statistic is a name, not a function"
        raise invalid_parameter(function, "statistic_of", expected, statistic_of)
    check_confidence_level(confidence_level, function)
    check_integer(n_resamples, "n_resamples", 2, function)
    if stratified is None:
        stratified = statistic in _OF_RATES and groups is None
    check_flag(stratified, "stratified", function)
    if stratified and groups is not None:
        expected = "False or None with groups, which are resampled as a whole"
        raise invalid_parameter(function, "stratified", expected, stratified)
    rule = statistic, statistic_of, confidence_level, n_resamples, bool(stratified)
    return BootstrapOptions(*rule, read_rng(rng, function))


def bootstrap_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    statistic: Statistic = "roc_auc",
    statistic_of: StatisticOf = "counts",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    rng: Any = None,
    n_jobs: int | None = None,
) -> Estimate:
    """Return a statistic of a sample with its bootstrap confidence interval.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Labels and scores, as in ``roc_auc_ci``; copies of a row that is drawn twice are tied.
    statistic : {"roc_auc", "average_precision", "ks"} or callable
        The metric of ``roc_auc_score``, ``average_precision_score`` or ``ks_score``; or a function
        that returns one real number.
    statistic_of : {"counts", "rows"}
        The arguments of a function: the ``ConfusionCounts`` of the resampled rows, or ``(y_true,
        y_score)``, the rows themselves, with labels 0 and 1, like scikit-learn's metrics. With
        ``sample_weight``, it is also passed ``sample_weight=``.
    n_resamples : int
        Number of bootstrap replicates, two or more. For stable bounds, use a few thousand.
    stratified : bool, optional
        Whether each replicate has the same number of rows of each class as the sample, as in pROC;
        if False, the numbers are random as well. Default: True for "roc_auc" and "ks", which the
        share of positives does not change; False for the others, as in a cohort whose positives are
        as many as chance has it, and with ``groups``. If the numbers were chosen, as in a
        case-control study, True is right for all.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row (such as patients with several images). Whole clusters are
        resampled, as many as there are in the sample. Integers, dates or strings, none missing.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; rows with weight 0 are ignored. Rows are drawn with equal
        probability and keep their weights.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator, passed to ``numpy.random.default_rng``; a generator is advanced.
    confidence_level, pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_ci``.

    Returns
    -------
    Estimate
        ``statistic, standard_error, confidence_interval, confidence_level, method`` and the
        ``bootstrap_distribution``. The bounds are NaN, with an ``UndefinedMetricWarning``, if only
        one class is present, or if a class has a single row (or all its rows are in one cluster);
        and for a function if it returns NaN or an infinite number, and in place of an interval
        without width.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``.
    TypeError
        If a function returns anything but one real number.

    See Also
    --------
    curve_ci : Intervals and bands along a curve.

    Notes
    -----
    The rows are sorted once; a replicate takes O(n) time, one to two ns per row. Every replicate is
    an exact draw with replacement and, without weights, its value is exactly that of the function
    for the resampled rows. A replicate in which a class is absent is drawn again.

    A function is called in the calling thread, one replicate at a time, whatever ``n_jobs`` is. Its
    counts are the result of ``confusion_matrix_at_thresholds`` for the resampled rows; the same
    seed draws the same rows for all statistics. A weighted row that is drawn twice is a single row
    with twice its weight.

    The draws depend on the state of ``rng``, on the version of NumPy, and on the set of rows, but
    not on their order or the number of threads; increasing ``n_resamples`` only appends replicates.
    For an AUC, use ``roc_auc_ci``, whose interval this one approaches.

    Interval of a name, "wilson": that of ``roc_auc_ci``, with the variance of the replicates in the
    place of DeLong's, about the statistic less the bias that they show, and with Student's t
    distribution with one degree of freedom less than the rarer class has rows. With weights or
    clusters, the numbers of rows are Kish's effective sample sizes. Even for perfectly ordered rows
    it has a width.

    The K-S statistic is a maximum, so it is biased upward in samples, and more so in replicates:
    their quantiles can be above the value of the sample. Its upper bound is Wilson's, and its lower
    bound is c below the statistic, with c = sqrt(-log(alpha / 2) / 2 (1 / n + 1 / m)) for n and m
    rows, Smirnov's distance of equal classes [2]_. A distance of c or less may be due to chance:
    the interval is from 0 to c above it.

    Interval of a function, "percentile": two quantiles of the replicates, further out than the
    level, by the ratio of Student's t distribution to the normal, and by the root of n / (n - 1)
    for n rows of the rarer class: the expanded percentile interval [1]_. Near a bound, as an area
    near 1, replicates vary too little, so an end is further out, as Wilson's of a share is, if one
    more row moves the function more to that side than to the other; the function is called for one
    of either class with the highest score and with the lowest. A maximum over thresholds is biased:
    the end on that side is further out by four times the bias of the replicates. The bounds of a
    function are not known: with few rows an end may lie beyond them, as above 1 for F1. Named
    statistics, ``counts.at(threshold).intervals()`` and ``curve_ci`` have shorter intervals.

    Coverage: "Bootstrap" on the page "Which interval or test to use" of the manual.

    References
    ----------
    .. [1] T. C. Hesterberg, "What teachers should know about the bootstrap: resampling in the
       undergraduate statistics curriculum", Am. Stat. 69 (2015) 371-386.
    .. [2] N. V. Smirnov, "On the estimation of the discrepancy between empirical curves of
       distribution for two independent samples", Bull. Math. Univ. Moscou 2 (1939) 3-14.

    Examples
    --------
    >>> from fastauc.inference import bootstrap_ci
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> estimate = bootstrap_ci(y_true, y_score, statistic="average_precision", rng=0)
    >>> round(estimate.statistic, 4)
    0.835
    >>> low, high = estimate.confidence_interval
    >>> 0.2 < low < 0.86 < high <= 1
    True

    The F1 at a threshold, and a function of the rows:

    >>> rows = y_true, y_score
    >>> bootstrap_ci(*rows, statistic=lambda counts: counts.at(0.4).f1, rng=0).statistic
    0.8
    >>> def mean_squared_error(y_true, y_score):
    ...     return ((y_true - y_score) ** 2).mean()
    >>> estimate = bootstrap_ci(*rows, statistic=mean_squared_error, statistic_of="rows", rng=0)
    >>> round(estimate.statistic, 4)
    0.1812
    """
    function = "bootstrap_ci"
    rule = statistic, statistic_of, confidence_level, n_resamples
    options = _read_options(function, groups, rng, *rule, stratified)
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_models(how, y_true, {"y_score": y_score}, sample_weight, groups)
        return _estimate(models, options, workers)


def _compare(
    models: Models, options: BootstrapOptions, alternative: Alternative, workers: Workers
) -> DifferenceTestResult:
    """Return the test for a validated sample; NaN, with a warning, if it is undefined."""
    both, values = draw_values(models, options, workers)
    if not both:
        return untested(math.nan, "t")
    pairs = zip(both, values, strict=True)
    if values.size and all(all_finite(options.name, each.value, own) for each, own in pairs):
        return _test(both, values, options, alternative)
    return untested(both[0].value - both[1].value, "t")


def _test(
    both: Sequence[Prepared], of_both: Doubles, options: BootstrapOptions, alternative: Alternative
) -> DifferenceTestResult:
    """Return the test result from replicates of both statistics."""
    values, steps = of_both[0] - of_both[1], both[0].steps
    difference = both[0].value - both[1].value
    is_share = not callable(options.statistic)
    # Sums of weights are rounded: two perfect models may seem to differ by some 1e-16.
    noise = _ROUNDING if is_share and len(steps.pos.weight) else 0.0
    if np.ptp(values) <= noise:
        is_none = max(abs(difference), abs(values[0])) <= noise
        known = {"statistic": 0.0, "pvalue": 1.0, "standard_error": 0.0} if is_none else {}
        warn_undefined(
            f"All {len(values)} replicates have the difference {values[0]}, with no variation "
            f"between them: the {'interval' if is_none else 'test'} is undefined. For AUCs, "
            "roc_auc_test is not."
        )
        return untested(difference, "t", **known, bootstrap_distribution=values)
    error = standard_error(values)
    # The mean varies less from sample to sample than the statistic itself if that is a maximum,
    # like the K-S statistic, or a precision at few positives, and by as much as the replicates
    # show.
    center, df = float(np.mean(values)), df_of(steps)
    ends = (-1.0, 1.0) if is_share else (-math.inf, math.inf)
    pivot = wald(center, error, df, ends)
    if is_share:
        pivot = reaching_as_far(pivot, _less_bias(both, of_both, error**2, df))
    statistic, pvalue, interval = pivot.judge(alternative, options.confidence_level, ends=ends)
    return DifferenceTestResult(statistic, pvalue, difference, error, df, interval, "t", values)


def _less_bias(both: Sequence[Prepared], of_both: Doubles, variance: float, df: float) -> Pivot:
    """Return the pivot of a difference of two shares, each less the bias that replicates show.

    A maximum like the K-S statistic varies less at the level to which its bias lifts it.
    """
    steps, means = both[0].steps, of_both.mean(axis=1)
    first, second = np.clip([2 * each.value for each in both] - means, 0, 1).tolist()
    level, lifted = (first + second) / 2, float(means.mean())
    grown = variance * max(1.0, level * (1 - level) / (lifted * (1 - lifted)))
    sizes = least_sizes(steps.sizes, steps.unseen)
    return student_of_shares(Spread(first - second, grown, sizes, df_of_parts=df, mean=level))


def bootstrap_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    statistic: Statistic = "roc_auc",
    statistic_of: StatisticOf = "counts",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    higher_is_positive: Directions = True,
    nan_policy: NanPolicy = "raise",
    rng: Any = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> DifferenceTestResult:
    """Test by bootstrap whether two scores of the same rows differ in a statistic.

    Parameters
    ----------
    y_true, score_a, score_b, higher_is_positive, pos_label, nan_policy
        As in ``roc_auc_test``. Rows are resampled with both scores. Copies of a row that is drawn
        more than once are tied.
    statistic : {"roc_auc", "average_precision", "ks"} or callable
        The metric of ``roc_auc_score``, ``average_precision_score`` or ``ks_score``; or a function
        that returns one real number, such as ``lambda counts: counts.roc_auc(max_fpr=0.1)`` for the
        partial AUC.
    statistic_of : {"counts", "rows"}
        The arguments of a function: the ``ConfusionCounts`` of the resampled rows, or ``(y_true,
        y_score)``, as for ``bootstrap_ci``.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the statistic of the first scores differs from that of the
        second, is less, or is greater.
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference.
    n_resamples, rng, sample_weight
        As in ``bootstrap_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; whole clusters are resampled. Integers, dates or strings, none
        missing. Without it, replicates keep the number of rows of each class for "roc_auc" and
        "ks", which the share of positives does not change, and for nothing else.
    n_jobs : int or None
        As in ``roc_auc_ci``. A function runs in the calling thread.

    Returns
    -------
    DifferenceTestResult
        ``statistic, pvalue, difference, standard_error, df, confidence_interval, method`` and the
        ``bootstrap_distribution``. The statistic is the mean difference of the replicates divided
        by its standard error. NaN, with an ``UndefinedMetricWarning``, if only one class is
        present, if a class has a single row (or all its rows are in one cluster), if all replicates
        have the same difference, or if a function returns NaN or an infinite number. But if the
        scores have the same value in the sample and in all replicates, as when they rank the rows
        alike, the statistic is 0 and the p-value 1; only the interval is undefined.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``.
    TypeError
        If a function returns anything but one real number.

    See Also
    --------
    roc_auc_test : DeLong's test, for the AUC and the partial AUC.
    bootstrap_ci : The confidence interval for one score.

    Notes
    -----
    From the mean of the replicates (the bagged difference [1]_), their standard deviation, and
    Student's t distribution with n - 1 degrees of freedom, for n rows in the rarer class (Kish's
    effective sample size with weights or clusters). In small samples average precision and the
    Kolmogorov-Smirnov statistic vary more than their replicates, but this mean does not. Test and
    interval are consistent: the p-value is below alpha if the interval of level 1 - alpha does not
    contain 0. Near 1, replicates of few rows vary too little: of statistics with a name, an end
    away from 0 is as far out as that of ``roc_auc_test`` would be, of statistics less the bias that
    the replicates show, and with weights, of at most as many rows as the heaviest that have the
    weight of a class.

    Of two independent samples, ``roc_auc_test_ind`` compares the areas. For another statistic, the
    standard errors of ``bootstrap_ci`` of either sample add up by squares, if it does not depend
    on the share of positives, or if this is the same in both.

    Each score is sorted once; a replicate takes O(n) time, about five ns per row. The draws depend
    on the state of ``rng``, on the version of NumPy, and on the set of rows, but not on their order
    or the number of threads; increasing ``n_resamples`` only appends replicates.

    Type I error: "Bootstrap tests" on the page "Which interval or test to use" of
    the manual.

    References
    ----------
    .. [1] B. Efron, "Estimation and accuracy after model selection", J. Am. Stat. Assoc. 109 (2014)
       991-1007, eq. 1.6.

    Examples
    --------
    >>> from fastauc.inference import bootstrap_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = bootstrap_test(y_true, [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2], rng=0)
    >>> result.difference, 0.1 < result.pvalue < 0.6
    (0.25, True)

    F1 at a threshold:

    >>> def f1(counts):
    ...     return counts.at(4).f1
    >>> scores = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> result = bootstrap_test(y_true, *scores, statistic=f1, rng=0)
    >>> round(result.difference, 4), 0.1 < result.pvalue < 1
    (0.3889, True)
    """
    function = "bootstrap_test"
    check_option(alternative, "alternative", ALTERNATIVES, function)
    rule = statistic, statistic_of, confidence_level, n_resamples
    options, scores = _read_options(function, groups, rng, *rule), (score_a, score_b)
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_pair(how, y_true, scores, higher_is_positive, sample_weight, groups)
        return _compare(models, options, alternative, workers)
