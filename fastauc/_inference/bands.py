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
from fastauc._inference.rate_intervals import bounds_of, curve_of, height
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
from fastauc._validation.groups import read_clusters
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


def _height_of(drawn: Replicate, at: Doubles) -> Doubles:
    """Return the height of the curve of a replicate."""
    tps = np.empty(len(at))
    most_fp = greatest_counts(at, drawn.n_neg)
    _resampling.true_positives_at(*drawn[:3], most_fp, at * drawn.n_neg, tps)
    tps /= drawn.n_pos
    return np.minimum(tps, 1.0)


def _read_rates(fpr: object, function: str) -> Doubles:
    """Return rates that increase, as doubles; those of percents if there are none."""
    if fpr is None:
        return np.linspace(0, 1, 101)
    column = as_column(as_array(fpr, "fpr", function, optional=True), "fpr")
    rates = as_float64(column, "fpr").copy()
    if len(rates) == 0:
        raise ValueError("fpr has no entries; expected at least one false positive rate.")
    is_outside = ~((rates >= 0) & (rates <= 1))  # or NaN
    if is_outside.any():
        position = int(np.argmax(is_outside))
        raise ValueError(f"fpr[{position}] is {rates[position]}; expected rates in [0, 1].")
    falls = np.diff(rates) < 0
    if falls.any():
        position = int(np.argmax(falls)) + 1
        raise ValueError(
            f"fpr[{position}] is {rates[position]}, less than the {rates[position - 1]} before; "
            "expected rates that never decrease."
        )
    return rates


def _band_of_distances(
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
    sample: BinarySample, at: Doubles, method: str, confidence_level: float, workers: Workers
) -> tuple[Doubles, Doubles]:
    """Return a band of the binomial counts of rows, for each rate alone."""
    fps, tps, _ = count_sample(sample, workers)
    return bounds_of(curve_of(fps, tps), at, method, confidence_level)


def _band_of_widths(
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
    low, high = np.maximum(tpr - n_widths * below, 0), np.minimum(tpr + n_widths * above, 1)
    return _never_falling(low, high)


def _never_falling(low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Return what of a band is left for a curve that never falls."""
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1].copy()


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
    at, generator = _read_rates(fpr, function), read_rng(rng, function)
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        tpr, low, high = (np.full(len(at), math.nan) for _ in range(3))
        if sample.n_pos == 0 or sample.n_neg == 0:
            warn_undefined(
                "Only one class is present in y_true. The ROC curve is not defined in that case."
            )
            return RocCurveBand(at, tpr, low, high, confidence_level, method)
        tpr = height(*sort_scan.roc_curve(sample, False, workers)[:2], at, "right")
        if method == "simultaneous":
            low, high = _band_of_distances(sample, at, confidence_level, workers)
            return RocCurveBand(at, tpr, low, high, confidence_level, method)
        if method in ("binomial", "hilgers"):
            low, high = _bounds_of_rows(sample, at, method, confidence_level, workers)
            return RocCurveBand(at, tpr, low, high, confidence_level, method)
        clusters = None
        if groups is not None:
            clusters = read_clusters(groups, y_true, y_score, sample_weight, function)
        steps = find_steps(sample, False, clusters, workers)
        if can_vary(steps):
            heights = evaluate(
                Resampler(steps, stratified, bool(bayesian)),
                n_resamples,
                partial(_height_of, at=at),
                Streams(generator),
                workers,
            )
            if method == "sup-t":
                low, high = _band_of_suprema(heights, at, tpr, steps, confidence_level)
            elif method == "sup-t-binomial":
                low, high = _bounds_of_rows(sample, at, "binomial", confidence_level, workers)
                end = 1 / sample.n_neg
                low, high = _band_of_widths(heights, at, tpr, low, high, end, confidence_level)
            else:
                low, high = np.quantile(heights, tails(confidence_level), axis=0)
    return RocCurveBand(at, tpr, low, high, confidence_level, method)
