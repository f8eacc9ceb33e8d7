"""Confidence bands for the ROC curve: pointwise, or for the whole curve simultaneously."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import sort_scan
from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.rates import greatest_counts
from fastauc._kernels import resampling as _resampling
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import as_array, as_column
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.groups import Clusters, read_clusters
from fastauc._validation.labels import Label
from fastauc._validation.options import (
    check_confidence_level,
    check_integer,
    check_option,
    read_rng,
)
from fastauc._validation.samples import BinarySample, as_float64, read_binary_sample
from fastauc._validation.threads import Workers
from fastauc.inference._bootstrap import can_vary, read_scheme, tails
from fastauc.inference._distributions import normal_quantile
from fastauc.inference._rate_intervals import around, curve_of, height, tpr_bounds
from fastauc.inference._resampling import (
    Replicate,
    Resampler,
    RocSteps,
    Streams,
    evaluate,
    find_steps,
)

METHODS = ("pointwise", "binomial", "hilgers", "sup-t", "sup-t-binomial", "simultaneous")
# They support neither weights nor clusters.
_METHODS_OF_ROWS = ("binomial", "hilgers", "sup-t-binomial", "simultaneous")

Doubles = NDArray[np.float64]


@result("fastauc.inference")
class RocCurveBand(NamedTuple):
    """The ROC curve at given false positive rates, with a confidence band.

    Attributes
    ----------
    fpr : float64 array of shape (n_points,)
        False positive rates, in increasing order.
    tpr : float64 array of shape (n_points,)
        The true positive rate there; where the curve is vertical, the upper end.
    low, high : float64 arrays of shape (n_points,)
        The bounds of the band.
    confidence_level : float
        The coverage of the band: at each point if pointwise, at all points simultaneously
        otherwise.
    method : str
        The method used for the band.

    Examples
    --------
    >>> from fastauc.inference import roc_curve_band
    >>> band = roc_curve_band([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], fpr=[0, 0.5], rng=0)
    >>> band.tpr
    array([0.5, 1. ])
    """

    fpr: Doubles
    tpr: Doubles
    low: Doubles
    high: Doubles
    confidence_level: float
    method: str

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each false positive rate."""
        return to_pandas(self)


@result("fastauc.inference")
class SpecificityBand(NamedTuple):
    """The specificity at given true positive rates, with a confidence band.

    Attributes
    ----------
    tpr : float64 array of shape (n_points,)
        True positive rates, in increasing order.
    specificity : float64 array of shape (n_points,)
        The maximum share of negatives below a threshold with that rate.
    low, high : float64 arrays of shape (n_points,)
        The bounds of the band.
    confidence_level : float
        As in ``RocCurveBand``.
    method : str
        The method used for the band.

    Examples
    --------
    >>> from fastauc.inference import specificity_band
    >>> band = specificity_band([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], tpr=[0.5, 1])
    >>> band.specificity
    array([1. , 0.5])
    """

    tpr: Doubles
    specificity: Doubles
    low: Doubles
    high: Doubles
    confidence_level: float
    method: str

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each true positive rate."""
        return to_pandas(self)


def height_of(drawn: Replicate, at: Doubles) -> Doubles:
    """Return the true positive rates of a replicate."""
    tps = np.empty(len(at))
    most_fp = greatest_counts(at, drawn.n_neg)
    _resampling.true_positives_at(*drawn[:3], most_fp, at * drawn.n_neg, tps)
    tps /= drawn.n_pos
    return np.minimum(tps, 1.0)


def read_increasing_rates(rates: object, name: str, function: str) -> Doubles:
    """Return increasing rates as doubles; 0, 0.01, ..., 1 by default."""
    if rates is None:
        return np.linspace(0, 1, 101)
    column = as_column(as_array(rates, name, function, optional=True), name)
    values = as_float64(column, name).copy()
    if len(values) == 0:
        raise ValueError(f"{name} has no entries; expected at least one rate.")
    is_outside = ~((values >= 0) & (values <= 1))  # or NaN
    if is_outside.any():
        position = int(np.argmax(is_outside))
        raise ValueError(f"{name}[{position}] is {values[position]}; expected rates in [0, 1].")
    falls = np.diff(values) < 0
    if falls.any():
        position = int(np.argmax(falls)) + 1
        raise ValueError(
            f"{name}[{position}] is {values[position]}, after {values[position - 1]}; "
            "expected non-decreasing rates."
        )
    return values


def complements(rates: Doubles, n: int) -> Doubles:
    """Return 1 minus the rates, reversed; shares of n rows stay the rounded shares of n rows."""
    n = max(n, 1)
    counts = np.rint(rates * n)
    found: Doubles = np.where(counts / n == rates, (n - counts) / n, 1 - rates)
    return found[::-1].copy()


def band_of_distances(
    sample: BinarySample, at: Doubles, confidence_level: float, workers: Workers
) -> tuple[Doubles, Doubles]:
    """Return a band that contains the true curve with at least this probability."""
    fpr, tpr, _ = sort_scan.roc_curve(sample, False, workers)
    # Each class separately, with the square root of the probability; Massart's constant.
    tail = 1 - math.sqrt(confidence_level)
    right, up = (math.sqrt(math.log(2 / tail) / (2 * n)) for n in (sample.n_neg, sample.n_pos))
    low = height(fpr, tpr, np.maximum(at - right, 0), "left") - up
    high = height(fpr, tpr, np.minimum(at + right, 1), "right") + up
    return np.maximum(low, 0), np.minimum(high, 1)


def _band_of_suprema(
    heights: Doubles, at: Doubles, tpr: Doubles, steps: RocSteps, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return a band that many standard errors wide that it contains this share of replicates."""
    low, high = np.zeros(len(at)), np.ones(len(at))
    end = 1 / steps.neg.effective_size
    within = (at >= end) & (at <= 1 - end)
    if within.any():
        # Replicates show no error where all positives are above, though the true curve may be
        # lower by some positives: the square of one more is added to the variance.
        error = np.hypot(np.std(heights[:, within], axis=0, ddof=1), 1 / steps.pos.effective_size)
        suprema = (np.abs(heights[:, within] - tpr[within]) / error).max(axis=1)
        # A simultaneous band is at least as wide as a pointwise one.
        n_errors = normal_quantile((1 - confidence_level) / 2)
        width = max(n_errors, float(np.quantile(suprema, confidence_level))) * error
        low[within] = np.maximum(tpr[within] - width, 0)
        high[within] = np.minimum(tpr[within] + width, 1)
    return _never_falling(low, high)


def _bounds_of_rows(
    sample: BinarySample,
    at: Doubles,
    tpr: Doubles,
    method: str,
    confidence_level: float,
    workers: Workers,
) -> tuple[Doubles, Doubles]:
    """Return a pointwise band from binomial intervals."""
    fps, tps, _ = count_sample(sample, workers)
    return around(tpr, *tpr_bounds(curve_of(fps, tps), at, method, confidence_level))


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


def _never_falling(low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Return the part of a band that an increasing curve can reach."""
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1].copy()


class _Options(NamedTuple):
    """The options for a band."""

    method: str
    confidence_level: float
    n_resamples: int
    stratified: bool
    bayesian: bool
    generator: np.random.Generator


def _read_options(
    method: str | None,
    confidence_level: float,
    n_resamples: int,
    stratified: bool | None,
    groups: object,
    bayesian: bool,
    sample_weight: object,
    rng: object,
    function: str,
) -> _Options:
    if method is None:
        is_plain = groups is None and sample_weight is None and not bayesian
        method = "binomial" if is_plain else "pointwise"
    check_option(method, "method", METHODS, function)
    check_confidence_level(confidence_level, function)
    check_integer(n_resamples, "n_resamples", 2, function)
    stratified = read_scheme(stratified, groups, bayesian, function)
    if method in _METHODS_OF_ROWS:
        for name, value in ("groups", groups), ("sample_weight", sample_weight):
            if value is not None:
                raise invalid_parameter(function, name, f"None with method={method!r}", value)
    generator = read_rng(rng, function)
    return _Options(method, confidence_level, n_resamples, stratified, bool(bayesian), generator)


def _band_around(
    sample: BinarySample,
    clusters: Clusters | None,
    at: Doubles,
    options: _Options,
    workers: Workers,
) -> tuple[Doubles, Doubles, Doubles]:
    """Return the true positive rates of a sample, and the band."""
    method, confidence_level = options.method, options.confidence_level
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_undefined(
            "Only one class is present in y_true. The ROC curve is not defined in that case."
        )
        tpr, low, high = np.full((3, len(at)), math.nan)
        return tpr, low, high
    tpr = height(*sort_scan.roc_curve(sample, False, workers)[:2], at, "right")
    if method == "simultaneous":
        return tpr, *band_of_distances(sample, at, confidence_level, workers)
    if method in ("binomial", "hilgers"):
        return tpr, *_bounds_of_rows(sample, at, tpr, method, confidence_level, workers)
    steps = find_steps(sample, False, clusters, workers)
    if not can_vary(steps):
        low, high = np.full((2, len(at)), math.nan)
        return tpr, low, high
    heights = evaluate(
        Resampler(steps, options.stratified, options.bayesian),
        options.n_resamples,
        partial(height_of, at=at),
        Streams(options.generator),
        workers,
    )
    if method == "sup-t":
        return tpr, *_band_of_suprema(heights, at, tpr, steps, confidence_level)
    if method == "sup-t-binomial":
        ends = _bounds_of_rows(sample, at, tpr, "binomial", confidence_level, workers)
        band = band_of_widths(heights, at, tpr, *ends, 1 / sample.n_neg, confidence_level)
        return tpr, *_never_falling(*band)
    low, high = np.quantile(heights, tails(confidence_level), axis=0)
    return tpr, low, high


def roc_curve_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr: ArrayLike | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    bayesian: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
) -> RocCurveBand:
    """Return the true positive rate at given false positive rates, with a confidence band.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype; higher means more likely positive. Tied scores form one
        diagonal step.
    fpr : array-like of shape (n_points,), optional
        Non-decreasing rates in [0, 1]; 0, 0.01, ..., 1 by default. A double matches every rate that
        rounds to it, as in ``tpr_at_fpr``.
    method : {"binomial", "hilgers", "pointwise", "sup-t", "sup-t-binomial", "simultaneous"} or None
        None: "binomial", or "pointwise" if there are weights, clusters or exponential weights.
        "pointwise": at each rate, two quantiles of the bootstrap replicates.
        "binomial": at each rate, a binomial-type interval for the true positive rate, as in
        ``tpr_at_fpr_ci``; recommended for independent and identically distributed rows.
        "hilgers": the same, with guaranteed coverage; it is conservative (wide).
        "sup-t": the same number of standard errors on both sides at all rates, such that the band
        contains the given share of whole replicates [2]_.
        "sup-t-binomial": the same with the half-widths of the "binomial" intervals in place of
        standard errors; recommended for few rows, or near the ends of the curve.
        "simultaneous": a band of fixed width [1]_ that contains the whole true curve with at least
        the given probability, for samples of any size; it is conservative (wide), and needs no
        replicates.
    confidence_level : float in (0, 1)
        The coverage: at each point, or at all of them simultaneously.
    n_resamples : int
        Number of bootstrap replicates, two or more.
    stratified : bool, optional
        Whether each replicate has the same number of rows of each class as the sample; see
        ``bootstrap_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; whole clusters are resampled. For "pointwise" and "sup-t".
    bayesian : bool
        Give each row or cluster an exponential weight instead of resampling it.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights. For "pointwise" and "sup-t".
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator, passed to ``numpy.random.default_rng``; a generator is advanced.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    RocCurveBand
        ``fpr, tpr, low, high, confidence_level, method``. The bounds are NaN, with an
        ``UndefinedMetricWarning``, if a class has less than two rows or clusters, and so is ``tpr``
        if only one class is present.

    Raises
    ------
    ValueError
        Same as ``bootstrap_ci``, and for rates outside [0, 1] or not in order.
    InvalidParameterError
        For an invalid option.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    bootstrap_ci : Confidence intervals for the AUC and other metrics.
    specificity_band : The same for the specificity at true positive rates.
    precision_recall_band : The same for the precision at true positive rates.
    tpr_at_fpr_ci, fpr_at_tpr_ci : The interval at a single rate.
    fastauc.metrics.roc_curve : The curve at all its thresholds.

    Notes
    -----
    O(n log n) time for the sort and O(n) for each replicate. A pointwise band has zero width where
    all replicates agree, as at the ends of the curve: with 50 rows in each class and an AUC of
    0.95, it contains the true rate at FPR 0.8 in about 12 of 100 samples. "binomial" and "hilgers"
    have a positive width at every rate but 1; see the notes of ``tpr_at_fpr_ci``.

    The "sup-t" band is c standard errors wide on each side, where c is the quantile, over
    replicates, of the maximum distance from the curve of the sample in standard errors, but at
    least the normal quantile for one rate. The standard errors are those of the replicates, with 1
    / n^2 added to the variance, for n positives, since the end of the curve can seem to be known
    exactly. The band is computed at the given rates that are 1 / m or more, for m negatives, away
    from 0 and 1, like the regional bands of [3]_; nearer to the ends, its bounds follow from the
    curve being non-decreasing. With weights or clusters, n and m are Kish's effective sample sizes.
    In 300 samples of a model with 150 rows in each class, the 95 % band contained the whole curve
    in 287.

    "sup-t-binomial" multiplies the distances from the curve to both ends of the "binomial" band by
    the quantile of the maximum ratio to them, over the same rates, but by no less than 1. In 300
    samples with 20 to 300 rows per class and an AUC of 0.8 or 0.95, it contained the whole curve
    from 0.01 to 0.99 in 97.7 % or more, "sup-t" in 89 to 96 %.

    The simultaneous band combines two of Dvoretzky, Kiefer and Wolfowitz, with Massart's constant:
    with probability sqrt(confidence_level) each, all true rates of a class are within sqrt(log(2 /
    (1 - sqrt(confidence_level))) / (2 n)) of those of its n rows, so each point of the true curve
    is in a rectangle around one of the sample. If scores are tied in the population, this holds at
    the points of the curve, but not on the lines between them.

    Coverage of each method: "Points of a curve" and "Bands" on the page "Which interval or test to
    take" of the manual.

    References
    ----------
    .. [1] G. Campbell, "Advances in statistical methodology for the evaluation of diagnostic and
       laboratory tests", Stat. Med. 13 (1994) 499-508.
    .. [2] J. L. Montiel Olea and M. Plagborg-Moller, "Simultaneous confidence bands: theory,
       implementation, and an application to SVARs", J. Appl. Econometrics 34 (2019) 1-17.
    .. [3] K. Jensen, H.-H. Muller and H. Schafer, "Regional confidence bands for ROC curves", Stat.
       Med. 19 (2000) 493-509.

    Examples
    --------
    >>> from fastauc.inference import roc_curve_band
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> band = roc_curve_band(y_true, y_score, fpr=[0, 0.2, 0.5, 1], rng=0)
    >>> band.tpr
    array([0.4, 0.8, 0.9, 1. ])
    >>> bool((band.low <= band.tpr).all() and (band.tpr <= band.high).all())
    True
    """
    function = "roc_curve_band"
    options = _read_options(
        *(method, confidence_level, n_resamples, stratified, groups, bayesian),
        *(sample_weight, rng, function),
    )
    at = read_increasing_rates(fpr, "fpr", function)
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        clusters = None
        if groups is not None:
            clusters = read_clusters(groups, y_true, y_score, sample_weight, function)
        band = _band_around(sample, clusters, at, options, workers)
    return RocCurveBand(at, *band, confidence_level, options.method)


def specificity_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    tpr: ArrayLike | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    bayesian: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
) -> SpecificityBand:
    """Return the specificity at given true positive rates, with a confidence band.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype; higher means more likely positive. Tied scores form one
        diagonal step.
    tpr : array-like of shape (n_points,), optional
        Non-decreasing rates in [0, 1]; 0, 0.01, ..., 1 by default. A double matches every rate that
        rounds to it, as in ``fpr_at_tpr``.
    method : {"binomial", "hilgers", "pointwise", "sup-t", "sup-t-binomial", "simultaneous"} or None
        As in ``roc_curve_band``, with the classes swapped.
    confidence_level : float in (0, 1)
        The coverage: at each point, or at all of them simultaneously.
    n_resamples : int
        Number of bootstrap replicates, two or more.
    stratified : bool, optional
        Whether each replicate has the same number of rows of each class as the sample; see
        ``bootstrap_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; whole clusters are resampled. For "pointwise" and "sup-t".
    bayesian : bool
        Give each row or cluster an exponential weight instead of resampling it.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights. For "pointwise" and "sup-t".
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator, passed to ``numpy.random.default_rng``; a generator is advanced.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    SpecificityBand
        ``tpr, specificity, low, high, confidence_level, method``; NaN, with an
        ``UndefinedMetricWarning``, if only one class is present, and NaN bounds as in
        ``roc_curve_band``.

    Raises
    ------
    ValueError
        Same as ``bootstrap_ci``, and for rates outside [0, 1] or not in order.
    InvalidParameterError
        For an invalid option.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    roc_curve_band : The band for the true positive rate, and how each band is computed.
    fpr_at_tpr_ci : The interval for 1 minus the specificity, at one rate.

    Notes
    -----
    O(n log n) time for the sort and O(n) for each replicate. It is the band around the ROC curve
    with the classes swapped, whose rates are 1 minus those of the curve: specificity and
    sensitivity trade places. pROC's ``ci.sp`` gives the bootstrap quantiles of
    ``method="pointwise"`` [1]_.

    References
    ----------
    .. [1] X. Robin et al., "pROC: an open-source package for R and S+ to analyze and compare ROC
       curves", BMC Bioinformatics 12 (2011) 77.

    Examples
    --------
    >>> from fastauc.inference import specificity_band
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> band = specificity_band(y_true, y_score, tpr=[0.2, 0.5, 0.8])
    >>> band.specificity
    array([1. , 0.8, 0.8])
    >>> bool((band.low <= band.specificity).all() and (band.specificity <= band.high).all())
    True
    """
    function = "specificity_band"
    options = _read_options(
        *(method, confidence_level, n_resamples, stratified, groups, bayesian),
        *(sample_weight, rng, function),
    )
    at = read_increasing_rates(tpr, "tpr", function)
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        clusters = None
        if groups is not None:
            clusters = read_clusters(groups, y_true, y_score, sample_weight, function)
        rates = complements(at, sample.n_pos)
        band = _band_around(sample.exchanged(), clusters, rates, options, workers)
    specificity, low, high = (column[::-1].copy() for column in band)
    return SpecificityBand(at, specificity, low, high, confidence_level, options.method)
