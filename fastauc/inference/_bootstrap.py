"""Bootstrap confidence intervals for a statistic: percentile, basic, BCa and logit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import sample_curves
from fastauc._counts.precision_recall import mean_of_total
from fastauc._counts.proportions import ConfidenceInterval
from fastauc._counts.rates import exact_rate
from fastauc._counts.roc import area_past, standardize
from fastauc._kernels import resampling as _resampling
from fastauc._pairs.weighted import weighted_ratio
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.columns import read_models
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.groups import Clusters
from fastauc._validation.labels import Label
from fastauc._validation.literals import (
    BootstrapInterval,
    BootstrapStatistic,
    NanPolicy,
    StatisticOf,
)
from fastauc._validation.options import (
    check_confidence_level,
    check_flag,
    check_integer,
    check_max_fpr,
    check_option,
    read_rng,
)
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers
from fastauc.inference._distributions import expit, log_odds, student_quantile
from fastauc.inference._resampling import (
    Doubles,
    Replicate,
    Resampler,
    RocSteps,
    Statistic,
    Streams,
    add_up,
    count_units,
    evaluate,
    find_custom_steps,
    find_steps,
    put_in_order,
    whole_sample,
)
from fastauc.inference._results import NAN_INTERVAL, Estimate

_NORMAL = NormalDist()


def tails(confidence_level: float) -> tuple[float, float]:
    """Return the probabilities below the two ends of an interval."""
    return (1 - confidence_level) / 2, (1 + confidence_level) / 2


def standard_error(values: Doubles) -> float:
    """Return the standard deviation of replicates."""
    return float(np.std(values, ddof=1))


def percentile_interval(values: Doubles, confidence_level: float) -> ConfidenceInterval:
    """Return two quantiles of the replicates, interpolated between neighbors."""
    return ConfidenceInterval(*np.quantile(values, tails(confidence_level)).tolist())


def basic_interval(
    values: Doubles,
    statistic: float,
    confidence_level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> ConfidenceInterval:
    """Return the percentile interval reflected about the statistic, clipped to its bounds."""
    low, high = percentile_interval(values, confidence_level)
    least, greatest = bounds
    return ConfidenceInterval(max(2 * statistic - high, least), min(2 * statistic - low, greatest))


def bca_interval(
    values: Doubles, statistic: float, acceleration: float, confidence_level: float
) -> ConfidenceInterval:
    """Return the bias-corrected and accelerated interval; NaN if it is undefined.

    Efron, J. Am. Stat. Assoc. 82 (1987) 171, eq. 2.3; replicates equal to the statistic count one
    half.
    """
    n_below = np.count_nonzero(values < statistic)
    share = (n_below + np.count_nonzero(values <= statistic)) / (2 * len(values))
    if not (0 < share < 1) or math.isnan(acceleration):
        return ConfidenceInterval(math.nan, math.nan)
    bias = _NORMAL.inv_cdf(share)
    levels = []
    for tail in tails(confidence_level):
        shifted = bias + _NORMAL.inv_cdf(tail)
        divisor = 1 - acceleration * shifted
        if divisor <= 0:  # beyond the pole of the formula
            return ConfidenceInterval(math.nan, math.nan)
        levels.append(_NORMAL.cdf(bias + shifted / divisor))
    return ConfidenceInterval(*np.quantile(values, levels).tolist())


def logit_interval(
    values: Doubles, statistic: float, df: float, confidence_level: float
) -> ConfidenceInterval:
    """Return the bias-corrected interval that is symmetric in the log odds; NaN at 0 and 1.

    The bias is estimated as the mean distance of the replicates from the statistic. The standard
    deviation is one of few rows, so the distribution is Student's.
    """
    slope = statistic * (1 - statistic)
    if slope == 0:
        return NAN_INTERVAL
    center = log_odds(Fraction(statistic)) - (float(np.mean(values)) - statistic) / slope
    width = student_quantile(tails(confidence_level)[0], df) * standard_error(values) / slope
    return ConfidenceInterval(expit(center - width), expit(center + width))


METHODS = get_args(BootstrapInterval)
STATISTICS = get_args(BootstrapStatistic)
# What the share of positives does not change: replicates keep it.
_OF_RATES = "roc_auc", "partial_roc_auc", "ks"

# The random assignment to parts changes the acceleration by about 0.65 / parts, and an end of the
# interval by 3.84 times this in standard errors: by 0.01, less than the Monte Carlo error of 10,000
# replicates.
_MOST_PARTS = 200


class LeftOut(NamedTuple):
    """The statistic with one part of a stratum left out, for each part."""

    values: Doubles
    n_parts: Array
    """The number of parts with this value."""


def acceleration(strata: list[LeftOut]) -> float:
    """Return the acceleration of several independent samples; NaN if no part matters.

    Efron and Tibshirani, An Introduction to the Bootstrap (1993), eq. 14.15; the influence values
    of several samples are combined as in their section 8.3, and as in SciPy.
    """
    cubes = squares = 0.0
    for values, n_parts in strata:
        n = n_parts.sum()
        if n == 0:
            continue
        influence = (n - 1) / n * (np.average(values, weights=n_parts) - values)
        cubes += float((n_parts * influence**3).sum())
        squares += float((n_parts * influence**2).sum())
    return cubes / (6 * squares**1.5) if squares > 0 else math.nan


def leave_out_of_area(steps: RocSteps, stratified: bool) -> list[LeftOut]:
    """Return the AUC without each row in turn, for rows of weight 1 without clusters.

    The AUC is the number of ordered pairs divided by the number of all pairs, and leaving out a row
    removes the pairs it is in: its placement among the rows of the other class.
    """
    pos, neg, tied, n_pos, n_neg = whole_sample(steps)
    pos, neg = pos.astype(np.float64), neg.astype(np.float64)
    tps, fps = np.cumsum(pos), np.cumsum(neg)
    # Twice: tied pairs count one half.
    pairs_of_pos = 2 * (n_neg - fps) + np.where(tied, neg, 2 * neg)
    pairs_of_neg = 2 * (tps - pos) + np.where(tied, pos, 2 * pos)
    pairs = float((neg * pairs_of_neg).sum())
    parts = []
    for placement, counts, n_left, n_others in (
        (pairs_of_pos, pos, n_pos - 1, n_neg),
        (pairs_of_neg, neg, n_neg - 1, n_pos),
    ):
        present = counts > 0
        values = (pairs - placement[present]) / (2.0 * n_left * n_others)
        parts.append(LeftOut(values, counts[present]))
    return parts if stratified else [LeftOut(*map(np.concatenate, zip(*parts, strict=True)))]


def leave_out(
    steps: RocSteps,
    stratified: bool,
    function: Callable[[Replicate], Any],
    rng: np.random.Generator,
) -> list[LeftOut]:
    """Return the value of a function for the sample without each part of its rows or clusters.

    Rows and clusters are randomly assigned to parts of nearly equal size. Parts without which a
    class would have no rows are skipped.
    """
    n_pos, n_neg = count_units(steps)
    sizes = [n_pos, n_neg] if stratified else [n_pos + n_neg]
    if steps.n_clusters is not None:
        sizes = [steps.n_clusters]
    kept = np.ones(n_pos + n_neg, np.uint32)
    strata, start = [], 0
    for size in sizes:
        values = []
        for part in np.array_split(start + rng.permutation(size), min(size, _MOST_PARTS)):
            kept[part] = 0
            # Clusters have one factor for the rows of both classes.
            neg = kept[:n_neg] if steps.n_clusters is not None else kept[n_pos:]
            replicate = add_up(steps, kept[:n_pos], neg)
            kept[part] = 1
            if replicate.n_pos > 0 and replicate.n_neg > 0:
                values.append(function(replicate))
        strata.append(LeftOut(np.array(values), np.ones(len(values))))
        start += size
    return strata


def df_of(steps: RocSteps) -> float:
    """Return the degrees of freedom of the rarer class, which often has most of the variance."""
    return max(1.0, min(steps.pos.effective_size, steps.neg.effective_size) - 1)


def ks_interval(
    distance: float, values: Doubles, steps: RocSteps, confidence_level: float
) -> ConfidenceInterval:
    """Return the interval of a K-S statistic, from as far below as chance alone may be.

    The greatest distance of a sample is above the true one by what chance adds at the best of many
    thresholds, and replicates add it again to what is there, so they do not show how much it was.
    From above, no threshold is chosen: there the replicates hold, unless all may be chance.
    """
    sizes = steps.pos.effective_size, steps.neg.effective_size
    chance = math.sqrt(-math.log((1 - confidence_level) / 2) / 2 * math.fsum(1 / n for n in sizes))
    if distance <= chance:
        return ConfidenceInterval(0.0, min(distance + chance, 1.0))
    high = logit_interval(values, distance, df_of(steps), confidence_level).high
    return ConfidenceInterval(distance - chance, max(high, distance))


# Statistics of a replicate ----------------------------------------------------------------------
#
# Sums of doubles may exceed the total by a rounding error; counts never do.


def _roc_auc(drawn: Replicate) -> float:
    # The full AUC: rounding cannot push a sum over the negatives above twice their total.
    twice_u, fp, tp, *_ = _resampling.partial_area(*drawn[:3], 2 * drawn.n_neg)
    area: float = twice_u / (2 * fp * tp)
    return min(area, 1.0)


def _partial_roc_auc(drawn: Replicate, max_fpr: float) -> float:
    limit = exact_rate(as_fraction(max_fpr), drawn.n_neg)
    totals = as_fraction(drawn.n_neg), as_fraction(drawn.n_pos)
    cut = limit * totals[0]
    most_fp = math.floor(cut) if isinstance(drawn.n_neg, int) else float(cut)
    twice_u, *points = map(as_fraction, _resampling.partial_area(*drawn[:3], most_fp))
    part = area_past(twice_u, tuple(points), totals, limit)
    return min(float(standardize(part, Fraction(0), limit)), 1.0)


def _average_precision(drawn: Replicate) -> float:
    if isinstance(drawn.n_pos, int):
        return mean_of_total(_resampling.sum_precision(*drawn[:3]), drawn.n_pos)
    mean: float = _resampling.weigh_precision(*drawn[:3]) / drawn.n_pos
    return min(mean, 1.0)


def _ks(drawn: Replicate) -> float:
    distance: float = _resampling.greatest_difference(*drawn) / (drawn.n_pos * drawn.n_neg)
    return min(distance, 1.0)


def function_of(options: BootstrapOptions) -> Callable[[Replicate], float]:
    """Return the function that computes the statistic of a replicate."""
    if options.statistic == "average_precision":
        return _average_precision
    if options.statistic == "ks":
        return _ks
    if options.is_partial:
        return partial(_partial_roc_auc, max_fpr=options.max_fpr)
    return _roc_auc


class Prepared(NamedTuple):
    """Everything that is needed to compute replicates of a sample."""

    steps: RocSteps
    function: Callable[[Replicate], float]
    """The statistic of a replicate."""
    value: float
    """The statistic of the sample."""


def prepare(
    samples: Sequence[BinarySample],
    options: BootstrapOptions,
    clusters: Clusters | None,
    workers: Workers,
) -> list[Prepared]:
    """Prepare a sample, or several scores of the same rows, which are then resampled together."""
    if callable(options.statistic):
        samples, clusters = put_in_order(samples, clusters)
        rule = options.statistic, options.statistic_of, clusters
        found = [find_custom_steps(sample, *rule) for sample in samples]
        return [Prepared(*each, each[1](whole_sample(each[0]))) for each in found]
    keep_positives = options.statistic == "average_precision"
    return [
        Prepared(steps, function_of(options), value_of(sample, options, steps, workers))
        for sample, steps in zip(
            samples, find_steps(samples, keep_positives, clusters, workers), strict=True
        )
    ]


def value_of(
    sample: BinarySample, options: BootstrapOptions, steps: RocSteps, workers: Workers
) -> float:
    """Return the statistic of the sample, computed as accurately as the function of that name."""
    if sample.weight is None:
        counts = whole_sample(steps)
        return function_of(options)(counts)
    if options.statistic == "average_precision":
        return sample_curves.average_precision(sample, workers)
    if options.statistic == "ks":
        return sample_curves.greatest_distance(sample, workers)
    if options.is_partial:
        return sample_curves.area_up_to(sample, options.max_fpr, workers)
    numerator, denominator = weighted_ratio(sample, workers)
    return numerator / denominator


# Estimates --------------------------------------------------------------------------------------


class BootstrapOptions(NamedTuple):
    """Which statistic is computed, from how many and what kind of replicates."""

    statistic: Statistic
    max_fpr: float
    method: str
    confidence_level: float
    n_resamples: int
    stratified: bool
    bayesian: bool
    statistic_of: StatisticOf = "counts"
    """What a user-defined statistic is called with."""

    @property
    def name(self) -> str:
        """The name of the statistic, for messages."""
        if isinstance(self.statistic, str):
            return self.statistic
        return getattr(self.statistic, "__name__", "the statistic")

    @property
    def is_partial(self) -> bool:
        """Whether the statistic is the partial AUC."""
        return self.max_fpr != 1


def estimate(
    sample: BinarySample,
    options: BootstrapOptions,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    workers: Workers = SERIAL,
) -> Estimate:
    """Return the estimate for a validated sample; NaN, with a warning, if it is undefined."""
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_undefined(
            f"Only one class is present in y_true. The bootstrap of {options.name} is not "
            "defined in that case."
        )
        return _undefined(options, math.nan, np.empty(0))
    (prepared,) = prepare([sample], options, clusters, workers)
    steps, function, statistic = prepared
    if not can_vary(steps):
        return _undefined(options, statistic, np.empty(0))
    streams = Streams(rng)
    values = draw_values([prepared], options, streams, workers)[0]
    if not all_finite(options.name, statistic, values):
        return _undefined(options, statistic, values)
    if (values == values[0]).all():
        warn_undefined(
            f"All {len(values)} replicates have {options.name} {values[0]}, with no "
            "variation between them: the interval is undefined."
        )
        return _undefined(options, statistic, values)
    interval = _interval(steps, options, function, statistic, values, streams)
    if math.isnan(interval.low):
        warn_undefined(
            f"The {options.method} interval is undefined: all replicates are on one side of the "
            "statistic, no row has any influence on it, or it is 0 or 1 and has no log odds. Use "
            "another method."
        )
    elif interval.low == interval.high:
        interval = NAN_INTERVAL
        warn_undefined(
            f"The {options.method} interval of {options.name} {statistic} would have no width, "
            f"which no sample justifies; its replicates range from {values.min()} to "
            f"{values.max()}: the interval is undefined."
        )
    return Estimate(
        statistic,
        standard_error(values),
        interval,
        options.confidence_level,
        options.method,
        values,
    )


def draw_values(
    prepared: Sequence[Prepared], options: BootstrapOptions, streams: Streams, workers: Workers
) -> Doubles:
    """Return the statistics of each score, for the same rows in each replicate."""
    functions = [each.function for each in prepared]

    def each_of(*drawn: Replicate) -> list[float]:
        return [function(own) for function, own in zip(functions, drawn, strict=True)]

    if callable(options.statistic):
        workers = SERIAL  # a user's function need not be thread-safe
    curves = [each.steps for each in prepared]
    resampler = Resampler(curves, options.stratified, options.bayesian)
    return evaluate(resampler, options.n_resamples, each_of, streams, workers).T


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


def _undefined(
    options: BootstrapOptions, statistic: float, values: NDArray[np.float64]
) -> Estimate:
    none = ConfidenceInterval(math.nan, math.nan)
    level = options.confidence_level
    return Estimate(statistic, math.nan, none, level, options.method, values)


def _interval(
    steps: RocSteps,
    options: BootstrapOptions,
    function: Callable[[Replicate], float],
    statistic: float,
    values: NDArray[np.float64],
    streams: Streams,
) -> ConfidenceInterval:
    level = options.confidence_level
    if options.method == "percentile":
        return percentile_interval(values, level)
    if options.method == "basic":
        bounds = (-math.inf, math.inf) if callable(options.statistic) else (0.0, 1.0)
        return basic_interval(values, statistic, level, bounds)
    if options.method == "logit":
        if options.statistic == "ks":
            return ks_interval(statistic, values, steps, level)
        return logit_interval(values, statistic, df_of(steps), level)
    if function is _roc_auc and steps.n_clusters is None and not steps.is_weighted:
        strata = leave_out_of_area(steps, options.stratified)
    else:
        strata = leave_out(steps, options.stratified, function, streams.stream())
    return bca_interval(values, statistic, acceleration(strata), level)


def read_scheme(
    stratified: bool | None, groups: object, bayesian: bool, function: str, of_rates: bool
) -> bool:
    """Return whether replicates keep the number of rows of each class.

    By default, if the statistic is one of rates and the rows are drawn one by one.
    """
    check_flag(bayesian, "bayesian", function)
    if stratified is None:
        return of_rates and groups is None
    check_flag(stratified, "stratified", function)
    if stratified and groups is not None:
        expected = "False or None with groups, which are resampled as a whole"
        raise invalid_parameter(function, "stratified", expected, stratified)
    return bool(stratified)


def read_options(
    function: str,
    groups: object,
    *,
    statistic: Statistic,
    statistic_of: StatisticOf,
    method: str,
    methods: Sequence[str],
    confidence_level: float,
    n_resamples: int,
    max_fpr: float | None = None,
    stratified: bool | None = None,
    bayesian: bool = False,
) -> BootstrapOptions:
    """Return the options for the given arguments."""
    is_custom = callable(statistic)
    if not is_custom:
        check_option(statistic, "statistic", STATISTICS, function)
    check_option(statistic_of, "statistic_of", get_args(StatisticOf), function)
    if statistic_of != "counts" and not is_custom:
        expected = "'counts' where statistic is a name, not a function"
        raise invalid_parameter(function, "statistic_of", expected, statistic_of)
    check_option(method, "method", tuple(methods), function)
    check_confidence_level(confidence_level, function)
    check_integer(n_resamples, "n_resamples", 2, function)
    of_rates = statistic in _OF_RATES
    keeps_classes = read_scheme(stratified, groups, bayesian, function, of_rates)
    check_max_fpr(max_fpr, function)
    if (max_fpr is None) == (statistic == "partial_roc_auc"):
        expected = "a float in the range (0.0, 1.0] with 'partial_roc_auc', and None without it"
        raise invalid_parameter(function, "max_fpr", expected, max_fpr)
    return BootstrapOptions(
        statistic,
        1.0 if max_fpr is None else max_fpr,
        method,
        confidence_level,
        n_resamples,
        keeps_classes,
        bool(bayesian),
        statistic_of,
    )


def bootstrap_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    statistic: Statistic = "roc_auc",
    statistic_of: StatisticOf = "counts",
    method: BootstrapInterval | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    bayesian: bool = False,
    max_fpr: float | None = None,
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
    statistic : {"roc_auc", "partial_roc_auc", "average_precision", "ks"} or callable
        The metric of ``roc_auc_score`` (with ``max_fpr`` for "partial_roc_auc"),
        ``average_precision_score`` or ``ks_score``; or a function that returns one real number.
    statistic_of : {"counts", "rows"}
        What a function is called with: the ``ConfusionCounts`` of the resampled rows, or ``(y_true,
        y_score)``, the rows themselves, with labels 0 and 1, like scikit-learn's metrics. With
        ``sample_weight`` or ``bayesian``, it is also passed ``sample_weight=``.
    method : {"percentile", "basic", "bca", "logit"}, optional
        The interval: two quantiles of the replicates; these reflected about the statistic, clipped
        to [0, 1]; quantiles corrected for bias and skewness [1]_; or a normal interval on the
        log-odds scale, corrected for bias [3]_, with Student's t distribution and one degree of
        freedom less than the rarer class has rows. Default: "logit", the only one for "ks"; but
        "percentile" for functions, for which "logit" is not available.
    n_resamples : int
        Number of bootstrap replicates, two or more. For stable bounds, use a few thousand.
    stratified : bool, optional
        Whether each replicate has the same number of rows of each class as the sample, as in pROC;
        if False, the numbers are random as well. Default: True for "roc_auc", "partial_roc_auc" and
        "ks", which the share of positives does not change; False for the others, as in a cohort
        whose positives are as many as chance has it, and with ``groups``. If the numbers were
        chosen, as in a case-control study, True is right for all.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row (such as patients with several images). Whole clusters are
        resampled, as many as there are in the sample. Numbers or strings, none missing.
    bayesian : bool
        Give each row or cluster an exponential weight instead of resampling it [2]_.
    max_fpr : float in (0, 1], optional
        The limit for "partial_roc_auc", where it is required.
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
        one class is present, if a class has a single row (or all its rows are in one cluster), if
        all replicates have the same value, as for classes that do not overlap, or if a function
        returns NaN or an infinite number for the sample or a replicate; and instead of an interval
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
    counts are those of ``confusion_matrix_at_thresholds`` for the resampled rows; the same seed
    draws the same rows for all statistics. A weighted row that is drawn twice is a single row with
    twice its weight.

    The draws depend on the state of ``rng``, on the version of NumPy, and on the set of rows, but
    not on their order or the number of threads; increasing ``n_resamples`` only appends replicates.
    From about 100,000 rows on, the interval for the AUC hardly differs from DeLong's.

    The acceleration of "bca" comes from the jackknife: exact for the AUC, and for the others up to
    200 rows (or clusters) per class; beyond that, rows are left out in 200 random parts.

    The K-S statistic is a maximum, so it is biased upward in samples, and more so in replicates:
    quantiles of these can be above the value of the sample, and are not offered. "logit" has its
    upper bound from the replicates, and its lower bound is c below the statistic, with c =
    sqrt(-log(alpha / 2) / 2 (1 / n + 1 / m)) for n and m rows, Smirnov's distance of equal classes
    [4]_. A distance of c or less may be due to chance: the interval is from 0 to c above it. With
    weights or clusters, n and m are Kish's effective sample sizes. For an AUC, ``roc_auc_ci``
    covers better than any bootstrap.

    Coverage of each method: "Bootstrap" on the page "Which interval or test to use" of the manual.

    References
    ----------
    .. [1] B. Efron, "Better bootstrap confidence intervals", J. Am. Stat. Assoc. 82 (1987) 171-185.
    .. [2] D. B. Rubin, "The Bayesian bootstrap", Ann. Stat. 9 (1981) 130-134.
    .. [3] K. Boyd, K. H. Eng and C. D. Page, "Area under the precision-recall curve: point
       estimates and confidence intervals", Proc. ECML PKDD (2013) 451-466.
    .. [4] N. V. Smirnov, "On the estimation of the discrepancy between empirical curves of
       distribution for two independent samples", Bull. Math. Univ. Moscou 2 (1939) 3-14.

    Examples
    --------
    >>> from fastauc.inference import bootstrap_ci
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> estimate = bootstrap_ci(y_true, y_score, rng=0)
    >>> estimate.statistic
    0.82
    >>> low, high = estimate.confidence_interval
    >>> 0.2 < low < 0.82 < high <= 1
    True

    The F1 at a threshold, and a function of the rows:

    >>> bootstrap_ci(y_true, y_score, statistic=lambda counts: counts.at(0.4).f1, rng=0).statistic
    0.8
    >>> def mean_squared_error(y_true, y_score):
    ...     return ((y_true - y_score) ** 2).mean()
    >>> estimate = bootstrap_ci(
    ...     y_true, y_score, statistic=mean_squared_error, statistic_of="rows", rng=0
    ... )
    >>> round(estimate.statistic, 4)
    0.1812
    """
    function = "bootstrap_ci"
    methods = METHODS
    if callable(statistic):  # log odds require values from 0 to 1
        methods = tuple(name for name in METHODS if name != "logit")
    elif statistic == "ks":  # replicates are biased as the sample is: their quantiles are above it
        methods = ("logit",)
    options = read_options(
        function,
        groups,
        statistic=statistic,
        statistic_of=statistic_of,
        method=method or ("percentile" if callable(statistic) else "logit"),
        methods=methods,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        max_fpr=max_fpr,
        stratified=stratified,
        bayesian=bayesian,
    )
    generator = read_rng(rng, function)
    with Workers(n_jobs, function) as workers:
        models = read_models(
            function,
            y_true,
            {"y_score": y_score},
            sample_weight,
            groups,
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
        )
        return estimate(models.weighted_sample(0), options, generator, models.clusters(), workers)
