"""``curve_ci``: a rate along a curve at given values of another, with intervals or a band.

The pointwise interval for the rate of one class at a given rate of the other: at the threshold that
a share t of all negatives exceeds, the number K of negatives of the sample above it is binomial,
with n_neg trials and probability t. So the sample also determines the number J of its positives
above the threshold, up to the randomness of K and the position of the threshold between two
negatives. The number X of positives of another sample above it is binomial, with their true rate as
its probability. The interval contains the rates for which X is not clearly smaller or larger than
J: P(X > J) + P(X = J) / 2 is between one tail and 1 minus the other. If J is known, this is the
mid-p Clopper-Pearson interval; it is close to the Bayesian bootstrap of Gu, Ghosal and Roy (2008),
which uses random weights of the rows in place of counts.

Intervals of the net benefit: the score interval of a mean of rows that have three values.

At a threshold p, a row counts 1 if it is a true positive, -p / (1 - p) if it is a false one, and 0
otherwise, and the net benefit is the mean. The variance of the mean is that of the most likely
shares of the three with a supposed mean, as in Tango's interval (1998) for the difference of two
paired proportions, which is that of p = 1/2. Weights and groups make rows as many independent ones
as would have the variance of the weighted mean, or of the sums over groups.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.roc import fprs_at, precisions_at, swap_classes, tprs_at
from fastauc._counts.threshold_counts import greatest_counts, prepend, rates_of
from fastauc._counts.thresholds import net_benefit_points
from fastauc._kernels import resampling as _resampling
from fastauc._pairs.exact_sum import exact_sum
from fastauc._validation.arrays import Array
from fastauc._validation.columns import Models, read_models
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import GivenRate, NanPolicy
from fastauc._validation.options import (
    Rates,
    check_confidence_level,
    check_flag,
    check_integer,
    check_option,
    read_rates,
    read_rng,
    refuse_given,
)
from fastauc._validation.samples import BinarySample, check_probabilities
from fastauc._validation.threads import Workers
from fastauc.inference._bootstrap import can_vary
from fastauc.inference._delong import effective_size, heaviest_rows, least_sizes, spread_of
from fastauc.inference._distributions import normal_quantile, student_quantile
from fastauc.inference._pivots import score_bounds, variance_of_mean
from fastauc.inference._resampling import (
    Replicate,
    Resampler,
    evaluate,
    find_steps,
    put_in_order,
)
from fastauc.inference._results import GIVEN, CurveInterval


def height_of(drawn: Replicate, at: Doubles) -> Doubles:
    """Return the true positive rates of a replicate."""
    tps = np.empty(len(at))
    most_fp = greatest_counts(at, drawn.n_neg)
    _resampling.true_positives_at(*drawn[:3], most_fp, at * drawn.n_neg, tps)
    tps /= drawn.n_pos
    return np.minimum(tps, 1.0)


def complements(rates: Doubles, n: int) -> Doubles:
    """Return 1 minus the rates, reversed; shares of n rows stay the rounded shares of n rows."""
    n = max(n, 1)
    counts = np.rint(rates * n)
    found: Doubles = np.where(counts / n == rates, (n - counts) / n, 1 - rates)
    return found[::-1].copy()


def band_of_distances(
    counts: tuple[Array, Array], sizes: tuple[float, float], at: Doubles, level: float
) -> tuple[Doubles, Doubles]:
    """Return a band that contains the true curve with at least this probability."""
    fpr, tpr = map(rates_of, counts)
    # Each class separately, with the square root of the probability; Massart's constant.
    tail = 1 - math.sqrt(level)
    up, right = (math.sqrt(math.log(2 / tail) / (2 * n)) for n in sizes)
    first, last = np.maximum(at - right, 0), np.minimum(at + right, 1)
    low = height(fpr, tpr, first, np.searchsorted(fpr, first, "left")) - up
    high = height(fpr, tpr, last, np.searchsorted(fpr, last, "right")) + up
    return np.maximum(low, 0), np.minimum(high, 1)


def band_of_widths(
    heights: Doubles,
    at: Doubles,
    tpr: Doubles,
    low: Doubles,
    high: Doubles,
    end: float,
    confidence_level: float,
) -> tuple[Doubles, Doubles]:
    """Return a pointwise band, widened until it contains this share of whole replicates."""
    below, above = np.maximum(tpr - low, 0), np.maximum(high - tpr, 0)
    within = (at >= end) & (at <= 1 - end)
    errors = heights[:, within] - tpr[within]
    widths = np.where(errors < 0, below[within], above[within])
    ratios = np.divide(np.abs(errors), widths, out=np.zeros(errors.shape), where=widths > 0)
    # A simultaneous band is at least as wide as a pointwise one.
    n_widths = float(np.quantile(ratios.max(axis=1, initial=1.0), confidence_level))
    return np.maximum(tpr - n_widths * below, 0), np.minimum(tpr + n_widths * above, 1)


class BandOptions(NamedTuple):
    """The options of ``curve_ci``."""

    given: str
    simultaneous: bool
    level: float
    n_resamples: int
    generator: np.random.Generator
    workers: Workers


def _precision_of(drawn: Replicate, recall: Doubles, at: Doubles) -> Doubles:
    """Return the precision of a replicate, whose classes are swapped."""
    share = drawn.n_neg / (drawn.n_neg + drawn.n_pos)
    fpr = 1 - height_of(drawn, at)[::-1]
    precision: Doubles = share * recall / (share * recall + (1 - share) * fpr)
    return precision


def values_of_replicates(sample: BinarySample, at: Doubles, options: BandOptions) -> Doubles:
    """Return the rates of bootstrap replicates at increasing rates, one below the other."""
    is_recall, drawn_from = options.given == "recall", sample
    function = partial(height_of, at=at)
    if is_recall:
        turned, drawn_from = complements(at, sample.n_pos), sample.exchanged()
        function = partial(_precision_of, recall=at, at=turned)
    (steps,) = find_steps([drawn_from], False, None, options.workers)
    if not can_vary(steps):
        return np.full((options.n_resamples, len(at)), math.nan)
    # Precision varies with the share of positives, which is chance as well.
    resampler, rule = Resampler([steps], not is_recall), (options.generator, options.workers)
    return evaluate(resampler, options.n_resamples, function, *rule)


def _bounds(
    sample: BinarySample,
    counts: tuple[Array, Array],
    sizes: tuple[float, float] | None,
    at: Doubles,
    found: Doubles,
    options: BandOptions,
) -> tuple[Doubles, Doubles]:
    """Return the bounds of the true positive rate or the precision at increasing rates.

    With weights or groups, of so many independent rows.
    """
    (fps, tps), level = counts, options.level
    if sizes is not None:
        n_pos, n_neg = (max(1, math.floor(size)) for size in sizes)
        if options.simultaneous:
            return band_of_distances(counts, (n_pos, n_neg), at, level)
        fps, tps = fps / fps[-1] * n_neg, tps / tps[-1] * n_pos
    curve = Curve(prepend(0, fps), prepend(0, tps))
    bounds_of = precision_bounds if options.given == "recall" else tpr_bounds
    low, high = around(found, *bounds_of(curve, at, level))
    if not options.simultaneous:
        return low, high
    drawn = values_of_replicates(sample, at, options)
    if np.isnan(drawn).any():
        return drawn[0], drawn[0]
    n_given = sample.n_pos if options.given == "recall" else sample.n_neg
    low, high = band_of_widths(drawn, at, found, low, high, 1 / n_given, level)
    if options.given == "recall":
        return low, high
    # What an increasing curve can reach.
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1].copy()


def curve_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    at: Any = None,
    *,
    given: GivenRate = "fpr",
    simultaneous: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    rng: Any = None,
    n_jobs: int | None = None,
) -> CurveInterval:
    """Return a rate along a curve, with intervals at each point or a band around all of it.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        As in ``roc_auc_ci``; tied scores form one diagonal step of the ROC curve.
    at : float or array-like of any shape, optional
        The given rates, in [0, 1]; 0, 0.01, ..., 1 by default. A recall must be above 0, and a
        threshold below 1. A double matches every rate that rounds to it, as in ``tpr_at_fpr``.
    given : {"fpr", "tpr", "recall", "threshold"}
        The rate that is given. It determines the result: the true positive rate at an FPR, the
        false positive rate (1 minus the specificity) at a TPR, the precision at a recall, or the
        net benefit of ``net_benefit_curve`` at a threshold of scores that are probabilities.
    simultaneous : bool
        False: an interval at each rate, which misses the true value there in 5 of 100 samples. All
        of them together contain the whole true curve far less often. True: a band that contains
        all of it.
    confidence_level : float in (0, 1)
        The nominal coverage: at each rate, or of the whole curve.
    n_resamples : int, optional
        Number of bootstrap replicates, two or more; 2,000 by default. Like ``rng``, only for bands
        of rows without weights and groups.
    groups, sample_weight : array-like of shape (n_samples,), optional
        As in ``roc_auc_ci``; not for precision.
    rng : optional
        As in ``bootstrap_ci``.
    pos_label, nan_policy, n_jobs : optional
        As in ``roc_auc_ci``.

    Returns
    -------
    CurveInterval
        ``at, statistic, low, high``, in the shape of ``at``, and how they were computed;
        ``statistic`` is the same as of ``tpr_at_fpr``, ``fpr_at_tpr``, ``precision_at_recall`` or
        ``net_benefit_curve``.
        NaN, with an ``UndefinedMetricWarning``, if only one class is present; with replicates,
        weights or groups the bounds also if a class has less than two rows or groups. ``method`` is
        "binomial" or, for the net benefit, "score"; of bands "sup-t-binomial" or, with weights or
        groups, "dkw".

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``; and for rates outside [0, 1], a recall of 0, or a threshold of 1.

    See Also
    --------
    bootstrap_ci : Confidence intervals for the AUC and other metrics.
    fastauc.metrics.roc_curve : The curve at all its thresholds.

    Notes
    -----
    O(n log n) time for the sort, and O(n) for each replicate.

    "binomial": The number of negatives above the threshold that a share of all negatives exceeds is
    binomial. It determines how many positives are above, up to those between two negatives, of
    which any number may be. The interval contains the rates for which a binomial number of
    positives exceeds this number with a probability between one tail and 1 minus the other, a tie
    counting one half: for a known threshold, the mid-p interval of a proportion. It is close to the
    Bayesian bootstrap [1]_. Given a TPR, the classes are swapped. At a rate of 1, the other one is
    1 by definition, which is the only interval without width; at a TPR of 0, the FPR is 0. With
    weights or groups, the numbers of rows are effective ones, as in ``roc_auc_ci``: Kish's
    effective numbers, divided by the design effect of the groups on the AUC; at most the number of
    rows as heavy as the heaviest, in medians of its class, that have the weight of the class;
    rounded down.

    Precision: its odds are the odds of a positive, times the recall, divided by the false positive
    rate. Wilson's interval for the first, as the share of positives estimates the prevalence, and
    that for the last are independent; they are combined on the log scale by squared distances [2]_,
    from the median-unbiased rate.

    "score": at a threshold p, a row counts 1 as a true positive, -p / (1 - p) as a false one, and 0
    otherwise; the net benefit is their mean. The interval contains the means from which it is at
    most z of the standard errors away that the most likely shares of the three with such a mean
    have; at p = 1/2, it is Tango's [3]_. With weights or groups, rows are as many as would have the
    variance of the mean, and z is Student's, with Kish's effective number of rows or groups minus 1
    as the degrees of freedom.

    "sup-t-binomial" multiplies the distances from the curve of the sample to both ends of the
    "binomial" interval by the quantile, over replicates, of the maximum ratio to them [4]_, but by
    no less than 1, over the given rates that are 1 / m or more, for m negatives, away from 0 and 1,
    like the regional bands of [5]_; nearer to the ends, its bounds follow from the curve being
    non-decreasing. For precision, over recalls 1 / n or more away from 0 and 1, for n positives.

    "dkw" combines two bands of Dvoretzky, Kiefer and Wolfowitz, with Massart's constant [6]_: with
    probability sqrt(confidence_level) each, all true rates of a class are within sqrt(log(2 / (1 -
    sqrt(confidence_level))) / (2 n)) of the rates of n effective rows, so each point of the true
    curve is in a rectangle around one of the sample. It is wide.

    Coverage: "Points of a curve" and "Bands" on the page "Which interval or test to use" of the
    manual.

    References
    ----------
    .. [1] J. Gu, S. Ghosal and A. Roy, "Bayesian bootstrap estimation of ROC curve", Stat. Med. 27
       (2008) 5407-5420.
    .. [2] G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures", Stat.
       Med. 27 (2008) 1693-1702.
    .. [3] T. Tango, "Equivalence test and confidence interval for the difference in proportions for
       the paired-sample design", Stat. Med. 17 (1998) 891-908.
    .. [4] J. L. Montiel Olea and M. Plagborg-Moller, "Simultaneous confidence bands: theory,
       implementation, and an application to SVARs", J. Appl. Econometrics 34 (2019) 1-17.
    .. [5] K. Jensen, H.-H. Muller and H. Schafer, "Regional confidence bands for ROC curves", Stat.
       Med. 19 (2000) 493-509.
    .. [6] G. Campbell, "Advances in statistical methodology for the evaluation of diagnostic and
       laboratory tests", Stat. Med. 13 (1994) 499-508.

    Examples
    --------
    >>> from fastauc.inference import curve_ci
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> found = curve_ci(y_true, y_score, 0.5)
    >>> found.statistic, round(found.low, 3), found.high
    (0.9, 0.19, 1.0)
    >>> curve_ci(y_true, y_score, [0.5, 0.8], given="tpr").high.round(3)
    array([0.762, 1.   ])
    >>> band = curve_ci(y_true, y_score, simultaneous=True, rng=0)
    >>> band.method, bool((band.low <= band.statistic).all())
    ('sup-t-binomial', True)
    """
    function = "curve_ci"
    check_option(given, "given", tuple(GIVEN), function)
    check_flag(simultaneous, "simultaneous", function)
    check_confidence_level(confidence_level, function)
    is_recall, is_plain = given == "recall", groups is None and sample_weight is None
    if simultaneous and given == "threshold":
        expected = f"False with given={given!r}"
        raise invalid_parameter(function, "simultaneous", expected, simultaneous)
    if is_recall:
        design: dict[str, object] = {"groups": groups, "sample_weight": sample_weight}
        refuse_given(design, "but given='recall' cannot use it.")
    if not (simultaneous and is_plain):
        reason = "but no replicates are drawn, except for bands without weights and groups."
        refuse_given({"n_resamples": n_resamples, "rng": rng}, reason)
    n_resamples = 2000 if n_resamples is None else n_resamples
    check_integer(n_resamples, "n_resamples", 2, function)
    generator, level = read_rng(rng, function), float(confidence_level)
    if at is None:
        at = np.arange(is_recall, 100 + (given != "threshold")) / 100
    rates = read_rates(at, "at", "linear", function, above_zero=is_recall)
    if given == "threshold":
        check_probabilities(np.array(rates.values, float), "at", one=False)
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_models(how, y_true, {"y_score": y_score}, sample_weight, groups)
        options = BandOptions(given, bool(simultaneous), level, n_resamples, generator, workers)
        columns = _interval(models, rates.values, options)
    doubles = np.array([float(rate) for rate in rates.values])
    at, statistic, low, high = (_shaped(column, rates) for column in (doubles, *columns))
    method = "score" if given == "threshold" else "binomial"
    if simultaneous:
        method = "sup-t-binomial" if is_plain else "dkw"
    return CurveInterval(at, statistic, low, high, given, bool(simultaneous), level, method)


def _interval(models: Models, rates: list[Fraction], options: BandOptions) -> Doubles:
    """Return what is found at each of the given rates, and its bounds, as three rows."""
    sample, given, workers = models.weighted_sample(0), options.given, options.workers
    columns = np.full((3, len(rates)), math.nan)
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_undefined(
            "Only one class is present in y_true. The curve is not defined in that case."
        )
        return columns
    order = sorted(range(len(rates)), key=rates.__getitem__)
    increasing = [rates[k] for k in order]
    at = np.array([float(rate) for rate in increasing])
    if given == "threshold":
        clusters = models.clusters()
        columns[:, order] = net_benefit_bounds(sample, clusters, at, options.level, workers)
        return columns
    readers = {"fpr": tprs_at, "tpr": fprs_at, "recall": precisions_at}
    counts = count_sample(sample, workers)
    found = np.asarray(readers[given](counts, Rates(increasing, at.shape), "linear"))
    columns[0, order], sizes = found, None
    if models.weight is not None or models.units is not None:
        spread, _ = spread_of(sample, models, workers)
        if spread.variance is None:
            return columns
        sizes = least_sizes(spread.sizes, spread.unseen)
    if given != "tpr":
        low, high = _bounds(sample, counts[:2], sizes, at, found, options)
    else:
        turned = complements(at, sample.n_pos), 1 - found[::-1]
        sizes = None if sizes is None else sizes[::-1]
        sample = sample.exchanged()
        # Weights that are small beside the sum would be lost in a difference of sums.
        is_exact = sample.weight is None
        swapped = swap_classes(*counts[:2]) if is_exact else count_sample(sample, workers)[:2]
        ends = _bounds(sample, swapped, sizes, *turned, options)
        high, low = (1 - end[::-1] for end in ends)
        low, high = around(found, low, high)
    columns[1:, order] = low, high
    return columns


def _shaped(values: Doubles, rates: Rates) -> float | Doubles:
    """Return values in the shape of the rates."""
    return float(values[0]) if rates.shape is None else values.reshape(rates.shape)


Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

# A count more standard deviations than this from its mean, with an offset for rare events, has a
# probability below 1e-13.
_DEVIATIONS, _MORE = 8, 20
# The precision of the bounds of an interval.
_RESOLUTION = 1e-13
# Counts along the curve are integers up to the rounding of a quotient.
_ROUNDING = 1e-9


class Curve(NamedTuple):
    """Counts along the ROC curve from 0 on: of the class with the given rate, and the other."""

    given: Doubles
    other: Doubles


def height(fpr: Doubles, tpr: Doubles, at: Doubles, end: NDArray[np.intp]) -> Doubles:
    """Return the height of a curve at rates in [0, 1]; on vertical segments, the end on one side.

    ``fpr`` and ``tpr`` are non-decreasing, from (0, 0) to (1, 1); or both are counts. ``end`` is
    where ``np.searchsorted`` finds the rates, on that side.
    """
    start = np.maximum(end - 1, 0)
    end = np.minimum(end, len(fpr) - 1)
    run = fpr[end] - fpr[start]
    share: Doubles = np.divide(at - fpr[start], run, out=np.zeros(len(at)), where=run > 0)
    return tpr[start] + share * (tpr[end] - tpr[start])


def binomial(n: int, probability: float) -> tuple[Integers, Doubles]:
    """Return the possible numbers of successes in n trials, and their probabilities."""
    mean = n * probability
    reach = _DEVIATIONS * math.sqrt(mean * (1 - probability)) + _MORE
    numbers = np.arange(max(math.floor(mean - reach), 0), min(math.ceil(mean + reach), n) + 1)
    if probability in (0, 1):
        return numbers, (numbers == mean).astype(np.float64)
    odds = probability / (1 - probability)
    ratios = (n - numbers[:-1]) / (numbers[:-1] + 1) * odds
    logs = np.concatenate(([0.0], np.cumsum(np.log(ratios))))
    shares = np.exp(logs - logs.max())
    return numbers, shares / shares.sum()


def law_of_count(curve: Curve, rate: float) -> tuple[int, Doubles]:
    """Return the distribution of the number J of rows of the other class above the threshold.

    P(J < x) + P(J = x) / 2 for the counts x from the first one on: 0 before, and 1 after them.
    """
    numbers, shares = binomial(int(curve.given[-1]), rate)
    low, high = _counts_beside(curve, numbers)
    # Uniform over the numbers from low to high.
    size, weights = high[-1] - low[0] + 2, shares / (high - low + 1)
    starts = np.bincount(low - low[0], weights, size)
    stops = np.bincount(high + 1 - low[0], weights, size)
    probabilities = np.cumsum(starts - stops)
    return int(low[0]), np.cumsum(probabilities) - probabilities / 2


def _counts_beside(curve: Curve, numbers: Integers) -> tuple[Integers, Integers]:
    """Return the lowest and highest count of the other class, given counts of the first one."""
    at = numbers.astype(np.float64)
    # Of the curve, only what is beside these numbers: that is in the cache.
    start = int(np.searchsorted(curve.given, at[0])) - 1
    beside = slice(max(start, 0), int(np.searchsorted(curve.given, at[-1], "right")) + 1)
    given, other = curve.given[beside], curve.other[beside]
    # Numbers that follow each other are found by counting what is between them.
    first, n = numbers[0], len(numbers)
    left, right = (
        np.cumsum(np.bincount(np.clip(ends, 0, n).astype(np.intp), minlength=n))[:n]
        for ends in (np.floor(given) + 1 - first, np.ceil(given) - first)
    )
    low = np.floor(height(given, other, at, left) + _ROUNDING)
    high = np.ceil(height(given, other, at, right) - _ROUNDING)
    return low.astype(np.int64), high.astype(np.int64)


def probability_of(first: int, values: Doubles, n: int, share: float) -> float:
    """Return the probability for n trials at which the mean of the distribution is this share."""
    if first == 0 and values[0] >= share:
        return 0.0
    if n - first < len(values) and values[n - first] <= share:
        return 1.0
    # Newton's method, with bisection where a step leaves the bracket.
    low, high, probability = 0.0, 1.0, 0.5
    while high - low > _RESOLUTION:
        reached, slope = _resampling.mean_of_binomial(values, first, n, probability)
        excess = reached - share
        if excess < 0:
            low = probability
        else:
            high = probability
        step = excess / slope if slope > 0 else math.inf
        if abs(step) < _RESOLUTION:
            break
        probability -= step
        if not low < probability < high:
            probability = (low + high) / 2
    return probability


def tpr_bounds(curve: Curve, rates: Doubles, confidence_level: float) -> tuple[Doubles, Doubles]:
    """Return the bounds of intervals for the true positive rate at false positive rates."""
    tail, n = (1 - confidence_level) / 2, int(curve.other[-1])
    low, high = np.ones((2, len(rates)))
    for k, rate in enumerate(rates.tolist()):
        if rate < 1:
            law = law_of_count(curve, rate)
            low[k], high[k] = (probability_of(*law, n, share) for share in (tail, 1 - tail))
    return low, high


def fpr_bounds(curve: Curve, rates: Doubles, confidence_level: float) -> tuple[Doubles, Doubles]:
    """Return the bounds of intervals for the false positive rate at true positive rates.

    1 minus each bound is a rate with the classes swapped.
    """
    exchanged = Curve(*(counts[-1] - counts[::-1] for counts in reversed(curve)))
    low, high = tpr_bounds(exchanged, 1 - rates, confidence_level)
    return 1 - high, 1 - low


def around(statistic: Any, low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Return bounds that include the rate of the sample.

    Where the curve is vertical, the rate is the upper end, and a bound may be lower than it.
    """
    return np.minimum(low, statistic), np.maximum(high, statistic)


def precision_bounds(
    curve: Curve, recall: Doubles, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return the bounds of intervals for the precision at recalls above 0."""
    n_neg, n_pos = float(curve.given[-1]), float(curve.other[-1])
    least, greatest = fpr_bounds(curve, recall, confidence_level)
    # An interval of level 0 shrinks to the median-unbiased rate.
    middle, _ = fpr_bounds(curve, recall, 0.0)
    # Wilson's interval for the prevalence; its log odds are symmetric about the estimate.
    z = normal_quantile((1 - confidence_level) / 2)
    reach = 2 * math.asinh(z / 2 * math.sqrt((n_pos + n_neg) / (n_pos * n_neg)))
    with np.errstate(divide="ignore", invalid="ignore"):
        center = math.log(n_pos / n_neg) + np.log(recall) - np.log(middle)
        below = center - np.hypot(reach, np.log(greatest / middle))
        above = center + np.hypot(reach, np.log(middle / least))
        # No false positive is likely at all: use the limit, with both distances in full.
        at_worst = math.log(n_pos / n_neg) - reach + np.log(recall) - np.log(greatest)
    below, above = np.where(middle > 0, below, at_worst), np.where(least > 0, above, np.inf)
    return 1 / (1 + np.exp(-below)), 1 / (1 + np.exp(-above))


def net_benefit_bounds(
    sample: BinarySample,
    clusters: NDArray[np.uint32] | None,
    thresholds: Doubles,
    level: float,
    workers: Workers,
) -> tuple[Doubles, Doubles, Doubles]:
    """Return the net benefit at thresholds, and both ends of its interval; NaN of one group."""
    counts = count_sample(sample, workers)
    fps, tps, scores, *_ = counts
    check_probabilities(scores, "y_score, from the highest")
    found = net_benefit_points(counts, thresholds, None)[0]
    place = len(scores) - np.searchsorted(scores[::-1], thresholds)
    whole = float(tps[-1] + fps[-1])
    tp, fp = (np.concatenate([[0.0], column / whole])[place] for column in (tps, fps))
    n = np.full(len(found), float(len(sample.label)))
    df, odds = math.inf, thresholds / (1 - thresholds)
    is_equal = sample.weight is None or bool((sample.weight == sample.weight[0]).all())
    if clusters is not None or not is_equal:
        # In order, so that sums do not depend on that of the rows.
        (sample,), clusters = put_in_order([sample], clusters)
        weight = np.ones(len(sample.label)) if sample.weight is None else sample.weight
        of_classes = weight[sample.label == 1], weight[sample.label == 0]
        most = math.fsum(heaviest_rows(*(own / own.sum() for own in of_classes)))
        own = np.arange(len(weight)) if clusters is None else clusters
        sizes = np.bincount(own, weight)
        if len(sizes) < 2:
            warn_undefined("All rows are in one group; expected two or more for an interval.")
            return found, *np.full((2, len(found)), math.nan)
        kish = effective_size(sizes)
        df = max(1.0, kish - 1)
        of_one_row = tp + odds**2 * fp - found**2
        score = sample.order.restore(sample.score)
        for k, threshold in enumerate(thresholds):
            value = np.where(score >= threshold, np.where(sample.label, 1.0, -odds[k]), 0.0)
            sums = np.bincount(own, weight * (value - found[k])) / whole
            variance = len(sums) / (len(sums) - 1) * exact_sum(sums**2)
            is_known = variance > _NO_VARIANCE * (1 + odds[k] ** 2)
            n[k] = min(n[k], most, of_one_row[k] / variance if is_known else kish)
    z = student_quantile((1 - level) / 2, df)
    low, high = np.empty((2, len(found)))
    rows = zip(*(column.tolist() for column in (found, n, tp, fp, odds)), strict=True)
    for k, (value, size, first, second, price) in enumerate(rows):
        variance_at = partial(variance_of_mean, n=size, first=first, second=second, odds=price)
        low[k], high[k] = score_bounds(value, (-price, 1.0), variance_at, z)
    return found, low, high


# Variances below it are rounding errors of sums of doubles.
_NO_VARIANCE = 1e-30
