"""``multiclass_roc_auc_ci``: the confidence interval of the average AUC of several classes.

The influence of a row on an average is what it adds to the AUCs that it is part of, through its
placements, and to the weights of its class. The squares of the influences add up to the variance;
for two classes this is DeLong's variance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.multiclass import average_areas
from fastauc._counts.proportions import ConfidenceInterval, wilson_bounds
from fastauc._validation.arrays import Array, OrderKeys, as_array
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import read_target, unsupported
from fastauc._validation.options import check_confidence_level, check_option
from fastauc._validation.samples import (
    check_consistent_length,
    check_multiclass,
    make_sample,
    read_inputs,
    read_scores,
)
from fastauc._validation.threads import Workers
from fastauc.inference._delong import inverse_size
from fastauc.inference._distributions import normal_quantile
from fastauc.inference._placements import find_placements
from fastauc.inference._results import NAN_INTERVAL, Estimate


def multiclass_roc_auc_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    multi_class: str = "ovr",
    average: str = "macro",
    labels: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
) -> Estimate:
    """Return the average AUC of several classes with its confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    y_score : array-like of shape (n_samples, n_classes)
        Finite probabilities that sum to 1 in each row, with columns in the order of the sorted
        labels. A tied pair counts one half.
    multi_class : {"ovr", "ovo"}
        One-vs-rest, or one-vs-one over every pair of classes, after Hand and Till [1]_.
    average : {"macro", "weighted"}
        Whether all AUCs have equal weight, or the prevalence of their classes.
    labels : array-like of shape (n_classes,), optional
        The sorted labels of the columns; required if some do not occur.
    confidence_level : float in (0, 1)
        The nominal coverage of the two-sided interval.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    Estimate
        ``statistic``, the same average as ``roc_auc_score``; its ``standard_error``; and the
        ``confidence_interval``, within [0, 1]. NaN, with an ``UndefinedMetricWarning``, if the
        average is undefined, as for one class; the interval is also NaN if a class has a single
        row.

    Raises
    ------
    ValueError
        Same as ``roc_auc_score`` for several classes.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    The rows are assumed to be a random sample from one population, so that the class sizes are
    random as well. The variance is the sum of squares of the rows' influences, times m / (m - 1)
    for a class of m rows, from placements as in [2]_. The interval is that of ``roc_auc_ci``:
    Wilson's for a proportion of that variance, with one more row of a class whose size, for k
    classes, is k / 2 times the harmonic mean of theirs. In simulations of three classes, 95 %
    intervals covered the average in at least 93 % of samples.

    O(k n log n) time for k classes, about 60 bytes of memory per row.

    Coverage: "Averages" on the page "Which interval or test to take" of the manual.

    References
    ----------
    .. [1] D. J. Hand and R. J. Till, "A simple generalisation of the area under the ROC curve for
       multiple class classification problems", Mach. Learn. 45 (2001) 171-186, eq. 7.
    .. [2] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> from fastauc.inference import multiclass_roc_auc_ci
    >>> y_true = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> y_score = [[0.6, 0.3, 0.1], [0.5, 0.1, 0.4], [0.3, 0.4, 0.3], [0.2, 0.5, 0.3],
    ...            [0.1, 0.3, 0.6], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8], [0.4, 0.2, 0.4],
    ...            [0.2, 0.3, 0.5]]
    >>> estimate = multiclass_roc_auc_ci(y_true, y_score)
    >>> round(estimate.statistic, 4), round(estimate.standard_error, 4)
    (0.8889, 0.0892)
    """
    function = "multiclass_roc_auc_ci"
    check_option(multi_class, "multi_class", ("ovr", "ovo"), function)
    check_option(average, "average", ("macro", "weighted"), function)
    check_confidence_level(confidence_level, function)
    level = float(confidence_level)
    inputs = read_inputs(y_true, y_score, None, function)
    columns = None if labels is None else as_array(labels, "labels", function, optional=True)
    with Workers(n_jobs, function) as workers:
        target, scores = read_target(inputs.y_true, workers), inputs.y_score
        if target.kind not in ("binary", "multiclass"):
            raise unsupported(target)
        codes = check_multiclass(target, scores, columns, multi_class, average, False, None)
        check_consistent_length(len(codes), inputs)
        mean = average_areas(
            inputs._replace(y_true=target), columns, average, multi_class, None, workers
        )
        statistic = float(mean)
        sizes = np.bincount(codes, minlength=scores.shape[1])
        least = int(sizes[sizes > 0].min())
        if math.isnan(statistic) or least < 2:
            if least < 2 and not math.isnan(statistic):
                warn_undefined(
                    "The variance of the average is undefined: a class has one row; expected two "
                    "or more of each."
                )
            return Estimate(statistic, math.nan, NAN_INTERVAL, level, "wilson")
        parts = list(_parts(sizes, multi_class, average))
        order = read_scores(scores, workers)
        tasks = [partial(_deviations, codes, order, part[0], part[1]) for part in parts]
        influence = np.zeros(len(codes))
        of_class = np.zeros(len(sizes))
        for (positive, negatives, weight), (rows, area, deviation) in zip(
            parts, workers.run_all(tasks), strict=True
        ):
            influence[rows] += weight * deviation
            if average == "weighted":
                # How the weight of this AUC changes with the rows of a class, relative to the
                # average.
                counted = [positive] if multi_class == "ovr" else [positive, *negatives]
                share = 1.0 if multi_class == "ovr" else 1 / (2 * np.count_nonzero(sizes) - 2)
                of_class[counted] += share * area
    if average == "weighted":
        influence += (of_class.take(codes) - statistic) / len(codes)
    squares = np.bincount(codes, influence**2, len(sizes))[sizes > 0]
    occurring = sizes[sizes > 0]
    variance = math.fsum((squares * occurring / (occurring - 1)).tolist())
    # The effective number of rows in each of two classes for the average: for k classes with
    # equal weights, k / 2 times the harmonic mean of their sizes.
    weights = occurring / len(codes) if average == "weighted" else 1 / len(occurring)
    size = len(occurring) / (2 * float((weights / occurring).sum()))
    inverse = inverse_size(statistic, variance, size, size)
    low, high = wilson_bounds(statistic, inverse, normal_quantile((1 - level) / 2))
    interval = ConfidenceInterval(float(low), float(high))
    return Estimate(statistic, math.sqrt(variance), interval, level, "wilson")


def _parts(
    sizes: Array, multi_class: str, average: str
) -> Iterator[tuple[int, NDArray[np.intp], float]]:
    """Yield the AUCs to average: a class, those it is compared with, and the weight."""
    present = np.flatnonzero(sizes)
    n, k = int(sizes.sum()), len(present)
    if multi_class == "ovr":
        for a in present.tolist():
            weight = 1 / k if average == "macro" else int(sizes[a]) / n
            yield a, present[present != a], weight
        return
    for a, b in permutations(present.tolist(), 2):
        rows = int(sizes[a] + sizes[b])
        weight = 1 / (k * (k - 1)) if average == "macro" else rows / (2 * n * (k - 1))
        yield a, np.array([b]), weight


def _deviations(
    codes: NDArray[Any], order: OrderKeys, positive: int, negatives: NDArray[np.intp]
) -> tuple[NDArray[np.intp], float, NDArray[np.float64]]:
    """Return the rows of one AUC, the AUC, and each row's placement minus it, by class."""
    rows = np.flatnonzero((codes == positive) | np.isin(codes, negatives))
    label = (codes[rows] == positive).view(np.uint8)
    keys = np.ascontiguousarray(order.keys[rows, positive])
    n_pos = int(np.count_nonzero(label))
    sizes = np.array([len(rows) - n_pos, n_pos])
    sample = make_sample(label, order._replace(keys=keys), None, n_pos, 2)
    # Not by an index, for which numpy makes a buffer of other types, and crashes if it gets none.
    placed = find_placements(sample) / (2 * sizes.take(1 - label))
    area = math.fsum(placed[label == 1].tolist()) / n_pos
    return rows, area, (placed - area) / sizes.take(label)
