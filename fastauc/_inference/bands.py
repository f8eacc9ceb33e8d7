"""Bands around the ROC curve: at each point, or for the whole curve at once."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts import sort_scan
from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.rates import greatest_counts
from fastauc._inference.bootstrap import can_vary, read_scheme, tails
from fastauc._inference.distributions import normal_quantile
from fastauc._inference.rate_intervals import around, curve_of, height, tpr_bounds
from fastauc._inference.resampling import (
    Replicate,
    Resampler,
    RocSteps,
    Streams,
    evaluate,
    find_steps,
)
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

METHODS = ("pointwise", "binomial", "hilgers", "sup-t", "sup-t-binomial", "simultaneous")
# They know no weights and no clusters.
_METHODS_OF_ROWS = ("binomial", "hilgers", "sup-t-binomial", "simultaneous")

Doubles = NDArray[np.float64]


@result
class RocCurveBand(NamedTuple):
    """The ROC curve at some false positive rates, and a band around it.

    Attributes
    ----------
    fpr : float64 array of shape (n_points,)
        False positive rates, in increasing order.
    tpr : float64 array of shape (n_points,)
        The height of the curve there; where it rises upright, the upper end.
    low, high : float64 arrays of shape (n_points,)
        The band.
    confidence_level : float
        The share of samples whose bands hold the true curve: at any one point if pointwise, at all
        points at once otherwise.
    method : str
        How the band was made.

    Examples
    --------
    >>> from fastauc import roc_curve_band
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


@result
class SpecificityBand(NamedTuple):
    """The specificity at some true positive rates, and a band around it.

    Attributes
    ----------
    tpr : float64 array of shape (n_points,)
        True positive rates, in increasing order.
    specificity : float64 array of shape (n_points,)
        The greatest share of negatives below a threshold with that rate.
    low, high : float64 arrays of shape (n_points,)
        The band.
    confidence_level : float
        As in ``RocCurveBand``.
    method : str
        How the band was made.

    Examples
    --------
    >>> from fastauc import specificity_band
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
    """Return the height of the curve of a replicate."""
    tps = np.empty(len(at))
    most_fp = greatest_counts(at, drawn.n_neg)
    _resampling.true_positives_at(*drawn[:3], most_fp, at * drawn.n_neg, tps)
    tps /= drawn.n_pos
    return np.minimum(tps, 1.0)


def read_increasing_rates(rates: object, name: str, function: str) -> Doubles:
    """Return rates that increase, as doubles; those of percents if there are none."""
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
            f"{name}[{position}] is {values[position]}, less than the {values[position - 1]} "
            "before; expected rates that never decrease."
        )
    return values


def complements(rates: Doubles, n: int) -> Doubles:
    """Return 1 less the rates, from the last one; those of shares of n rows as they are rounded."""
    n = max(n, 1)
    counts = np.rint(rates * n)
    found: Doubles = np.where(counts / n == rates, (n - counts) / n, 1 - rates)
    return found[::-1].copy()


def band_of_distances(
    sample: BinarySample, at: Doubles, confidence_level: float, workers: Workers
) -> tuple[Doubles, Doubles]:
    """Return a band that holds the true curve with at least this probability."""
    fpr, tpr, _ = sort_scan.roc_curve(sample, False, workers)
    # Each class on its own, with the root of the probability; Massart's constant.
    tail = 1 - math.sqrt(confidence_level)
    right, up = (math.sqrt(math.log(2 / tail) / (2 * n)) for n in (sample.n_neg, sample.n_pos))
    low = height(fpr, tpr, np.maximum(at - right, 0), "left") - up
    high = height(fpr, tpr, np.minimum(at + right, 1), "right") + up
    return np.maximum(low, 0), np.minimum(high, 1)


def _band_of_suprema(
    heights: Doubles, at: Doubles, tpr: Doubles, steps: RocSteps, confidence_level: float
) -> tuple[Doubles, Doubles]:
    """Return a band of so many standard errors that it holds this share of whole replicates."""
    low, high = np.zeros(len(at)), np.ones(len(at))
    end = 1 / steps.neg.effective_size
    within = (at >= end) & (at <= 1 - end)
    if within.any():
        # Replicates show no error where all positives are above, though the curve may be lower by
        # some positives: one more, squared, is added to the variance.
        error = np.hypot(np.std(heights[:, within], axis=0, ddof=1), 1 / steps.pos.effective_size)
        suprema = (np.abs(heights[:, within] - tpr[within]) / error).max(axis=1)
        # At all rates at once it takes as many errors as at one alone, or more.
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
    """Return a band of the binomial counts of rows, for each rate alone."""
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
    """Return a band for each rate alone, widened until it holds this share of whole replicates."""
    below, above = np.maximum(tpr - low, 0), np.maximum(high - tpr, 0)
    within = (at >= end) & (at <= 1 - end)
    errors = heights[:, within] - tpr[within]
    widths = np.where(errors < 0, below[within], above[within])
    ratios = np.divide(np.abs(errors), widths, out=np.zeros(errors.shape), where=widths > 0)
    # At all rates at once it takes the width for one rate, or more.
    n_widths = float(np.quantile(ratios.max(axis=1, initial=1.0), confidence_level))
    return np.maximum(tpr - n_widths * below, 0), np.minimum(tpr + n_widths * above, 1)


def _never_falling(low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Return what of a band is left for a curve that never falls."""
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1].copy()


class _Options(NamedTuple):
    """How a band is made."""

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
    """Return the heights of the ROC curve of a sample, and the band."""
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
    """Return the height of the ROC curve at some false positive rates, with a band.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Tied scores make
        one diagonal step.
    fpr : array-like of shape (n_points,), optional
        Rates in [0, 1] that never decrease; 0, 0.01, ..., 1 if left out. A double stands for every
        rate that rounds to it, as in ``tpr_at_fpr``.
    method : {"binomial", "hilgers", "pointwise", "sup-t", "sup-t-binomial", "simultaneous"} or None
        None: "binomial", or "pointwise" with weights, clusters or exponential weights.
        "pointwise": at each rate, two quantiles of the heights of bootstrap replicates.
        "binomial": at each rate, the true positive rates that counts of so few rows do not speak
        against, as in ``tpr_at_fpr_ci``; the one to take for rows that are alike and independent.
        "hilgers": the same, and never less sure than was asked for; it is wide.
        "sup-t": as many standard errors to both sides, at all rates, as hold the given share of
        whole replicates at once [2]_.
        "sup-t-binomial": the same with the distances of the "binomial" ends in place of errors; the
        one to take for few rows, or near the ends of the curve.
        "simultaneous": a band of fixed width [1]_ that holds the whole true curve with at least the
        probability given, for samples of any size; it is wide, and needs no replicates.
    confidence_level : float in (0, 1)
        The probability: for each point, or for all of them at once.
    n_resamples : int
        Replicates, two or more.
    stratified : bool, optional
        Whether each replicate has as many rows of each class as the sample; see ``bootstrap_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; whole clusters are drawn. For "pointwise" and "sup-t".
    bayesian : bool
        Give each row or cluster an exponential weight instead of drawing it.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative. For "pointwise" and "sup-t".
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Where chance comes from, for ``numpy.random.default_rng``. A generator goes on.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    RocCurveBand
        ``fpr, tpr, low, high, confidence_level, method``. NaN bounds with an
        ``UndefinedMetricWarning`` where a class has less than two rows or clusters, and NaN heights
        as well where it has none.

    Raises
    ------
    ValueError
        For what ``bootstrap_ci`` refuses, and for rates outside [0, 1] or in another order.
    InvalidParameterError
        For an option outside its domain.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    bootstrap_ci : Intervals for the area and other numbers.
    specificity_band, precision_recall_band : The same of 1 less the false positive rate, and of the
        precision, at true positive rates.
    tpr_at_fpr_ci, fpr_at_tpr_ci : The height at one rate, and the width at one height.
    roc_curve : The curve at all its thresholds.

    Notes
    -----
    O(n log n) time for the sort and O(n) for each replicate. A pointwise band has no width where
    no replicate differs, as at the ends of the curve: with 50 rows of each class and an area of
    0.95 it holds the true rate at FPR 0.8 in some 12 of 100 samples. "binomial" and "hilgers" have
    a width at every rate but 1; their notes are those of ``tpr_at_fpr_ci``.

    The width of the "sup-t" band is c standard errors, with c the quantile, over replicates, of the
    greatest distance from the curve of the sample in standard errors, and no less than the normal
    distribution has for one rate. The errors are the deviations of replicates, with a variance of
    1 / n^2 more, for n positives: the end of the curve can seem to be known. The band is made of
    the given rates that are 1 / m or more, for m negatives, away from 0 and 1, as the regional
    bands of [3]_; nearer to the ends it is what follows for a curve that never falls. With weights
    or clusters, n and m are effective numbers, after Kish. Of 300 samples of a model with 150 rows
    of each class, 287 had the whole curve within the band of 95 %.

    "sup-t-binomial" takes the distances from the curve to both ends of the "binomial" band times
    the quantile of the greatest ratio to them, over the same rates, and no less than once. In 300
    samples with 20 to 300 rows of a class and an area of 0.8 or 0.95, it held the whole curve from
    0.01 to 0.99 in 97.7 % or more, "sup-t" in 89 to 96 %.

    The simultaneous band joins two of Dvoretzky, Kiefer and Wolfowitz, with Massart's constant:
    with probability sqrt(confidence_level) each, all true rates of a class are within
    sqrt(log(2 / (1 - sqrt(confidence_level))) / (2 n)) of those of its n rows, so each point of the
    true curve is in a rectangle around one of the sample. For scores that the population ties, this
    holds at the points of the curve and not on the lines between.

    How often each method holds the curve: "Points of a curve" and "Bands" on the page "Which
    interval or test to take" of the manual.

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
    >>> from fastauc import roc_curve_band
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
    """Return the specificity at some true positive rates, with a band.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite. Tied scores make
        one diagonal step.
    tpr : array-like of shape (n_points,), optional
        Rates in [0, 1] that never decrease; 0, 0.01, ..., 1 if left out. A double stands for every
        rate that rounds to it, as in ``fpr_at_tpr``.
    method : {"binomial", "hilgers", "pointwise", "sup-t", "sup-t-binomial", "simultaneous"} or None
        As in ``roc_curve_band``, with the classes exchanged.
    confidence_level : float in (0, 1)
        The probability: for each point, or for all of them at once.
    n_resamples : int
        Replicates, two or more.
    stratified : bool, optional
        Whether each replicate has as many rows of each class as the sample; see ``bootstrap_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; whole clusters are drawn. For "pointwise" and "sup-t".
    bayesian : bool
        Give each row or cluster an exponential weight instead of drawing it.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative. For "pointwise" and "sup-t".
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Where chance comes from, for ``numpy.random.default_rng``. A generator goes on.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    SpecificityBand
        ``tpr, specificity, low, high, confidence_level, method``; NaN with an
        ``UndefinedMetricWarning`` for one class, and NaN bounds as in ``roc_curve_band``.

    Raises
    ------
    ValueError
        For what ``bootstrap_ci`` refuses, and for rates outside [0, 1] or in another order.
    InvalidParameterError
        For an option outside its domain.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    roc_curve_band : The other rate, and how each band is made.
    fpr_at_tpr_ci : One less the specificity, at one rate.

    Notes
    -----
    O(n log n) time for the sort and O(n) for each replicate. It is the band around the ROC curve of
    the exchanged classes, whose rates are 1 less those of the curve: the specificities are to the
    sensitivities what those are to the false positive rates. pROC's ``ci.sp`` has the bootstrap
    quantiles of ``method="pointwise"`` [1]_.

    References
    ----------
    .. [1] X. Robin et al., "pROC: an open-source package for R and S+ to analyze and compare ROC
       curves", BMC Bioinformatics 12 (2011) 77.

    Examples
    --------
    >>> from fastauc import specificity_band
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
