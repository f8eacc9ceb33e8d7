"""Confidence bands for the precision-recall curve: pointwise, or simultaneous."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.proportions import share_ends
from fastauc._counts.roc import precisions_at
from fastauc._tables import result, to_pandas
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import (
    Rates,
    check_confidence_level,
    check_integer,
    check_option,
    read_rng,
)
from fastauc._validation.samples import BinarySample, read_binary_sample
from fastauc._validation.threads import Workers
from fastauc.inference._bands import (
    band_of_distances,
    band_of_widths,
    complements,
    height_of,
    read_increasing_rates,
)
from fastauc.inference._rate_intervals import around, curve_of, precision_bounds
from fastauc.inference._resampling import Replicate, Resampler, Streams, evaluate, find_steps

METHODS = ("binomial", "sup-t-binomial", "simultaneous")

Doubles = NDArray[np.float64]


@result("fastauc.inference")
class PrecisionRecallBand(NamedTuple):
    """The precision at given recalls, with a confidence band.

    Attributes
    ----------
    recall : float64 array of shape (n_points,)
        Recalls, in increasing order.
    precision : float64 array of shape (n_points,)
        The precision there, by linear interpolation of the ROC curve.
    low, high : float64 arrays of shape (n_points,)
        The bounds of the band.
    confidence_level : float
        The coverage of the band: at each recall if binomial, at all recalls simultaneously
        otherwise.
    method : str
        The method used for the band.

    Examples
    --------
    >>> from fastauc.inference import precision_recall_band
    >>> band = precision_recall_band([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], recall=[0.5, 1])
    >>> band.precision.round(3)
    array([1.   , 0.667])
    """

    recall: Doubles
    precision: Doubles
    low: Doubles
    high: Doubles
    confidence_level: float
    method: str

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each recall."""
        return to_pandas(self)


def _precision(share: Any, recall: Doubles, fpr: Doubles) -> Doubles:
    """Return the precision at this prevalence."""
    precision: Doubles = share * recall / (share * recall + (1 - share) * fpr)
    return precision


def _precision_of(drawn: Replicate, recall: Doubles, at: Doubles) -> Doubles:
    """Return the precision of a replicate, whose classes are swapped."""
    share = drawn.n_neg / (drawn.n_neg + drawn.n_pos)
    return _precision(share, recall, 1 - height_of(drawn, at)[::-1])


def _bounds_of_curve(
    sample: BinarySample, recall: Doubles, confidence_level: float, workers: Workers
) -> tuple[Doubles, Doubles]:
    """Return a band that contains the true curve with at least this probability."""
    # The rates and the prevalence, each with the square root of the probability.
    level = math.sqrt(confidence_level)
    at = complements(recall, sample.n_pos)
    low, high = band_of_distances(sample.exchanged(), at, level, workers)
    n_pos = np.array([float(sample.n_pos)])
    least, greatest = share_ends(n_pos, n_pos + sample.n_neg, "beta", level)
    return (
        _precision(least, recall, 1 - low[::-1]),
        _precision(greatest, recall, 1 - high[::-1]),
    )


def _read_recalls(recall: object, function: str) -> Doubles:
    if recall is None:
        return np.linspace(0.01, 1, 100)
    recalls = read_increasing_rates(recall, "recall", function)
    if recalls[0] == 0:
        raise ValueError("recall[0] is 0; expected recalls in (0, 1].")
    return recalls


def _replicates(
    sample: BinarySample,
    recall: Doubles,
    n_resamples: int,
    generator: np.random.Generator,
    workers: Workers,
) -> Doubles:
    """Return the precisions of bootstrap replicates of all rows."""
    sample, at = sample.exchanged(), complements(recall, sample.n_pos)
    drawn = Resampler(find_steps(sample, False, None, workers), False, False)
    precision = partial(_precision_of, recall=recall, at=at)
    return evaluate(drawn, n_resamples, precision, Streams(generator), workers)


def precision_recall_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: ArrayLike | None = None,
    method: str = "binomial",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    pos_label: Label | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
) -> PrecisionRecallBand:
    """Return the precision at given recalls, with a confidence band.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype; higher means more likely positive. Tied scores form one
        diagonal step of the ROC curve.
    recall : array-like of shape (n_points,), optional
        Non-decreasing recalls in (0, 1]; 0.01, 0.02, ..., 1 by default. A double matches every
        recall that rounds to it, as in ``precision_at_recall``.
    method : {"binomial", "sup-t-binomial", "simultaneous"}
        "binomial": at each recall, the interval of ``precision_at_recall_ci``.
        "sup-t-binomial": its distances from the curve, multiplied by the factor with which they
        contain the given share of whole bootstrap replicates.
        "simultaneous": a band that contains the whole true curve with at least the given
        probability, for samples of any size; it is conservative (wide), and needs no replicates.
    confidence_level : float in (0, 1)
        The coverage: at each recall, or at all of them simultaneously.
    n_resamples : int
        Number of bootstrap replicates, two or more.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator, passed to ``numpy.random.default_rng``; a generator is advanced.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    PrecisionRecallBand
        ``recall, precision, low, high, confidence_level, method``. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError
        For NaN or infinite scores; unequal lengths; no rows; labels that need ``pos_label``;
        recalls outside (0, 1] or not in order.
    InvalidParameterError
        For an invalid option.
    OverflowError
        For 2^32 rows or more, with replicates.

    See Also
    --------
    precision_at_recall_ci : The interval at a single recall.
    specificity_band : The band that precision depends on, besides the prevalence.
    fastauc.metrics.precision_recall_curve : The curve at all its thresholds.

    Notes
    -----
    O(n log n) time for the sort and O(n) for each replicate. Assumes independent rows with random
    classes: replicates are drawn from all rows, so the prevalence varies between them.

    The factor of "sup-t-binomial" is the quantile, over replicates, of the maximum distance from
    the curve relative to the "binomial" one on that side, and at least 1 [1]_; recalls within 1 / n
    of 0 and 1, for n positives, are excluded. In simulations (see the page on inference),
    "binomial" contained the true precision in 95 to 100 of 100 samples, and "sup-t-binomial" the
    true curve in 95 to 100.

    The odds of a precision are the odds of a positive times the recall divided by the false
    positive rate. "simultaneous" combines the simultaneous band of ``specificity_band`` and the
    Clopper-Pearson interval of the prevalence, each with the square root of the probability; given
    the class sizes, the two are independent.

    References
    ----------
    .. [1] J. L. Montiel Olea and M. Plagborg-Moller, "Simultaneous confidence bands: theory,
       implementation, and an application to SVARs", J. Appl. Econometrics 34 (2019) 1-17.

    Examples
    --------
    >>> from fastauc.inference import precision_recall_band
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> band = precision_recall_band(y_true, y_score, recall=[0.4, 0.8])
    >>> band.precision
    array([1. , 0.8])
    >>> bool((band.low <= band.precision).all() and (band.precision <= band.high).all())
    True
    """
    function = "precision_recall_band"
    check_option(method, "method", METHODS, function)
    check_confidence_level(confidence_level, function)
    check_integer(n_resamples, "n_resamples", 2, function)
    at, generator = _read_recalls(recall, function), read_rng(rng, function)
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, None, pos_label, function, workers)
        warn_if_undefined(sample.n_pos, sample.n_neg)
        if sample.n_pos == 0 or sample.n_neg == 0:
            nan = np.full(len(at), math.nan)
            return PrecisionRecallBand(at, nan, nan.copy(), nan.copy(), confidence_level, method)
        fps, tps, _ = count_sample(sample, workers)
        recalls = Rates([Fraction(value) for value in at.tolist()], at.shape)
        precision = np.asarray(precisions_at(fps, tps, recalls, "linear"))
        if method == "simultaneous":
            low, high = _bounds_of_curve(sample, at, confidence_level, workers)
        else:
            found = precision_bounds(curve_of(fps, tps), at, confidence_level)
            low, high = around(precision, *found)
        if method == "sup-t-binomial":
            drawn = _replicates(sample, at, n_resamples, generator, workers)
            end = 1 / sample.n_pos
            low, high = band_of_widths(drawn, at, precision, low, high, end, confidence_level)
    return PrecisionRecallBand(at, precision, low, high, confidence_level, method)
