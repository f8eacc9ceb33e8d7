"""``roc_auc_ci``: standard error and confidence interval of an area.

The influence of a row on an average over classes is what it adds to the AUCs that it is part of,
through its placements, and to the weights of its class. For two classes, their variance is
DeLong's.

A fold is scored by a model that was fitted to the others. Given these models, its AUC has the
influences of its own rows, each of which counts 1 / (number of folds) of that in the mean: LeDell,
Petersen and van der Laan (2015). The influences of a unit, a row or a group of them, add up over
classes and folds, and the sum of the squares of units is the variance. With m units of a class in a
fold, it is too small by a factor of m / (m - 1), as in ``_delong``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.multiclass import average_areas
from fastauc._counts.proportions import ConfidenceInterval
from fastauc._pairs.exact_sum import exact_sum
from fastauc._pairs.sorting import order_of
from fastauc._validation.arrays import Array, OrderKeys, as_array
from fastauc._validation.columns import Models, read_models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label, read_target, unsupported
from fastauc._validation.literals import MULTI_CLASS, AverageOfInterval, MultiClass, NanPolicy
from fastauc._validation.options import (
    check_confidence_level,
    check_flag,
    check_option,
    refuse_given,
)
from fastauc._validation.rows import omit_missing
from fastauc._validation.samples import (
    BinarySample,
    check_multiclass,
    make_sample,
    read_inputs,
    read_scores,
)
from fastauc._validation.threads import SERIAL, Workers
from fastauc.inference._delong import (
    UNSEEN_GROUP,
    UNSEEN_WEIGHT,
    Spread,
    classes_of,
    effective_size,
    has_both_classes,
    heaviest_rows,
    influences_of,
    read_part,
    satterthwaite,
    scale_of,
    sizes_in_groups,
    spread_of,
    sum_units,
)
from fastauc.inference._pivots import pivot_of
from fastauc.inference._results import NAN_INTERVAL, Estimate


def roc_auc_ci(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    confidence_level: float = 0.95,
    fpr_range: Any = None,
    tpr_range: Any = None,
    standardized: bool = True,
    multi_class: MultiClass = "raise",
    average: AverageOfInterval = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Estimate:
    """Return the AUC, a part of it, or an average of several, with its confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` or ``multi_class`` is given.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Finite scores of any numeric dtype; higher means more likely positive. Only equal scores
        are tied, and a tied pair counts one half. For ``multi_class``, probabilities that sum to 1
        in each row, with columns in the order of the sorted labels.
    confidence_level : float in (0, 1)
        The nominal coverage of the two-sided interval.
    fpr_range, tpr_range : (float, float), optional
        For the partial AUC over a range of one of the rates, as in ``partial_roc_auc_score``.
    standardized : bool
        Whether a partial AUC is standardized, so that chance is 1/2 and perfect is 1.
    multi_class : {"raise", "ovr", "ovo"}
        For several classes: one-vs-rest, or one-vs-one over every pair of classes [6]_.
    average : {"macro", "weighted"}
        For several classes: whether all AUCs have equal weight, or the prevalence of their classes.
    labels : array-like of shape (n_classes,), optional
        For several classes, the sorted labels of the columns; required if some do not occur.
    sample_weight : array-like of shape (n_samples,), optional
        Sampling weights: how many rows of the population each row stands for, the inverse of its
        probability of being sampled. Non-negative. They say nothing about the number of rows: a row
        that was seen three times is three rows, not one with a weight of 3. The variance is found
        by linearization (sandwich). A UserWarning if few rows have most of the weight of a class.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row, such as a patient or a query: integers, strings or categories. Rows
        in the same cluster may be dependent in any way; the variance is Obuchowski's [3]_.
    folds : array-like of shape (n_samples,), optional
        The fold in which each row was held out, for scores of cross-validation, each by the model
        fitted to the other folds. The AUC is then the mean over folds, as of ``cross_val_score``;
        pairs of rows in different folds, which different models scored, do not count. Two folds or
        more, not with a range or several classes.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    nan_policy : {"raise", "omit"}
        The treatment of missing scores (NaN or None): raise an error, or leave their rows out; of
        several scores, the rows that lack any.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    Estimate
        ``statistic``, the same value as ``roc_auc_score`` or ``partial_roc_auc_score``;
        ``standard_error``, DeLong's [1]_; ``confidence_interval``; and ``method``, "wilson". The
        interval has a positive width, even for perfect separation. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present, or a class has fewer than two
        rows, or groups, in any of the folds.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        missing groups; no rows; labels that are not of two classes; an argument that the method
        does not use.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    One sort and one scan, O(n log n); 8 bytes of memory per row. With weights, groups or a range,
    about five times as long and 60 bytes per row; O(k n log n) for k classes. Everything except the
    final division and the bounds is integer arithmetic, unless there are weights, a range or
    several classes.

    The interval is Wilson's [4]_ for a proportion, with as many trials as give DeLong's variance
    (the effective sample size [5]_), and one more row in the rarer class. One that is symmetric
    about the AUC, 1.96 standard errors to either side as in pROC, is too short for AUCs near 0 or
    1, and for few rows, weights or groups.

    Groups: the class sizes are divided by the design effect, the ratio of the variance to that
    of independent rows. If it is wider, the interval is one with the
    number of groups in place of that of rows, and one more group whose AUC may be lower by 1/2:
    groups that the model does not suit may be rare. Student's t distribution has the degrees of
    freedom of Satterthwaite [2]_ for a sum of variances, from the groups with positives, those with
    negatives, and those with both.

    Weights: the numbers of rows are Kish's effective ones, which also count in the degrees of
    freedom. If it is wider, the interval is one with half the variance of one more row as heavy as
    the heaviest of either class, relative to the median of its own.

    A part: placements are clipped to its range, which accounts for the estimation of the thresholds
    at its ends [7]_. The interval is for the area as a share of its maximum. It uses the
    class sizes expected in the range, b - a of the class whose rate bounds it, and Student's t
    distribution with one degree of freedom less than the rarer class has rows.

    Folds: the influence-function variance of LeDell, Petersen and van der Laan [8]_, times m / (m -
    1) for m rows of a class in a fold. The interval is for the mean of the true AUCs of the models
    that were fitted, given these models. It says nothing about how much they would vary with other
    rows to fit them to, or folds, nor is the model fitted to all rows the same; and a model that
    was chosen by this AUC is worse than it says. Groups may be in several folds, though then a
    model has seen rows of those it is tested on.

    Several classes: the rows are assumed to be a random sample from one population, so that the
    class sizes are random as well. The influence of a row is the sum of its influences on all AUCs,
    and on the weights of its class. The row that is added is of a class whose size, for k
    classes, is k / 2 times the harmonic mean of theirs.

    Coverage: "Areas", "Rows in groups", "Parts of the curve" and "Averages" on the
    page "Which interval or test to use" of the manual.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.
    .. [2] F. E. Satterthwaite, "An approximate distribution of estimates of variance components",
       Biometrics Bulletin 2 (1946) 110-114, equation 17.
    .. [3] N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data", Biometrics 53
       (1997) 567-578.
    .. [4] E. B. Wilson, "Probable inference, the law of succession, and statistical inference", J.
       Amer. Statist. Assoc. 22 (1927) 209-212.
    .. [5] E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24 (1998) 193-201.
    .. [6] D. J. Hand and R. J. Till, "A simple generalisation of the area under the ROC curve for
       multiple class classification problems", Mach. Learn. 45 (2001) 171-186, eq. 7.
    .. [7] Y. He and M. Escobar, "Nonparametric statistical inference method for partial areas under
       receiver operating characteristic curves, with application to genomic studies", Stat. Med.
       27 (2008) 5291-5308.
    .. [8] E. LeDell, M. Petersen and M. van der Laan, "Computationally efficient confidence
       intervals for cross-validated area under the ROC curve estimates", Electron. J. Stat. 9
       (2015) 1583-1607.

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
    >>> roc_auc_ci(y_true, y_score, fpr_range=(0, 0.5)).statistic
    0.7222222222222222
    """
    function = "roc_auc_ci"
    check_confidence_level(confidence_level, function)
    check_flag(standardized, "standardized", function)
    check_option(multi_class, "multi_class", MULTI_CLASS, function)
    check_option(average, "average", AVERAGES, function)
    level, is_binary = float(confidence_level), multi_class == "raise"
    ranges = {"fpr_range": fpr_range, "tpr_range": tpr_range}
    design = {"sample_weight": sample_weight, "groups": groups, "folds": folds}
    if is_binary:
        of_classes = {"average": None if average == "macro" else average, "labels": labels}
        refuse_given(of_classes, "but multi_class='raise' expects two classes.")
    else:
        unused = ranges | design | {"pos_label": pos_label}
        refuse_given(unused, f"but multi_class={multi_class!r} cannot use it.")
    if fpr_range is None and tpr_range is None and not standardized:
        refuse_given({"standardized": standardized}, "but there is no range.")
    if folds is not None:
        refuse_given(ranges, "but folds have whole AUCs.")
    part = read_part(fpr_range, tpr_range, function)
    with Workers(n_jobs, function) as workers:
        if not is_binary:
            columns = {"y_true": y_true, "y_score": y_score}
            y_true, y_score = omit_missing(columns, ["y_score"], nan_policy, function).values()
            spread = spread_of_average(
                y_true, y_score, labels, multi_class, average, function, workers
            )
            return _estimate(spread, level)
        how, scores = (function, workers, pos_label, nan_policy), {"y_score": y_score}
        models = read_models(how, y_true, scores, sample_weight, groups, folds=folds)
        sample = models.weighted_sample(0)
        if not has_both_classes(sample):
            return Estimate(math.nan, math.nan, NAN_INTERVAL, level, "wilson")
        of_sample = models.of_sample(models.folds)
        if of_sample is None:
            spread, part = spread_of(sample, models, workers, part)
        elif of_sample.max() == 0:
            raise ValueError("folds has one value in all rows; expected two or more folds.")
        else:
            spread = spread_of_folds(models, of_sample, workers)
    found = _estimate(spread, level)
    if part is None:
        return found
    slope, on_scale = scale_of(part, standardized)
    low, high = (end if math.isnan(end) else on_scale(end) for end in found.confidence_interval)
    return found._replace(
        statistic=on_scale(spread.value),
        standard_error=found.standard_error * slope,
        confidence_interval=ConfidenceInterval(low, high),
    )


def _estimate(spread: Spread, level: float) -> Estimate:
    ends = NAN_INTERVAL if spread.variance is None else pivot_of(spread).interval(level)
    interval = ConfidenceInterval(*ends)
    return Estimate(float(spread.value), spread.error, interval, level, "wilson")


# Averages of several classes ---------------------------------------------------------------------


AVERAGES = get_args(AverageOfInterval)


def spread_of_average(
    y_true: object,
    y_score: object,
    labels: object,
    multi_class: str,
    average: str,
    function: str,
    workers: Workers,
) -> Spread:
    """Return the average and its variance; None, with a warning, if a class has a single row."""
    inputs = read_inputs(y_true, y_score, None, function)
    columns = None if labels is None else as_array(labels, "labels", function, optional=True)
    target, scores = read_target(inputs.y_true, workers), inputs.y_score
    if target.kind not in ("binary", "multiclass"):
        raise unsupported(target)
    codes = check_multiclass(target, scores, columns, multi_class, average, False, None)
    mean = float(
        average_areas(inputs._replace(y_true=target), columns, average, multi_class, None, workers)
    )
    sizes = np.bincount(codes, minlength=scores.shape[1])
    occurring = np.flatnonzero(sizes)
    counts = sizes[occurring]
    if math.isnan(mean):
        return Spread(mean, None)
    if counts.min() < 2:
        warn_undefined(
            "The variance of the average is undefined: a class has one row; expected two or more "
            "of each."
        )
        return Spread(mean, None)
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
            # How the weight of this AUC changes with the rows of a class, relative to the average.
            counted = [positive] if multi_class == "ovr" else [positive, *negatives]
            share = 1.0 if multi_class == "ovr" else 1 / (2 * len(occurring) - 2)
            of_class[counted] += share * area
    if average == "weighted":
        influence += (of_class.take(codes) - mean) / len(codes)
    of_classes = [influence[codes == c] for c in occurring]
    squares = [exact_sum(own, own) for own in of_classes]
    variance = float((counts / (counts - 1) * squares).sum())
    # The effective number of rows in each of two classes for the average: for k classes with
    # equal weights, k / 2 times the harmonic mean of their sizes.
    weights = counts / len(codes) if average == "weighted" else 1 / len(counts)
    size = len(counts) / (2 * float((weights / counts).sum()))
    return Spread(mean, variance, (size, size))


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
    is_pos = codes == positive
    rows = np.concatenate((np.flatnonzero(np.isin(codes, negatives)), np.flatnonzero(is_pos)))
    keys, label = np.ascontiguousarray(order.keys[rows, positive]), is_pos[rows].view(np.uint8)
    n_pos = int(np.count_nonzero(is_pos))
    sample = make_sample(label, order._replace(keys=keys), None, n_pos, 2)
    found = influences_of([sample], np.arange(len(rows)), None, SERIAL)
    return rows, float(found.areas[0]), found.columns[0]


def spread_of_folds(models: Models, folds: NDArray[np.intp], workers: Workers) -> Spread:
    """Return the mean AUC over folds of rows of nonzero weight, with its variance.

    NaN, with a warning, if a fold has rows of one class only; without a variance if a fold has a
    single row, or group, of a class.
    """
    sample, units = models.weighted_sample(0), models.of_sample(models.units)
    n_folds = int(folds.max()) + 1
    cell = n_folds * sample.label.astype(np.intp) + folds  # of a class and a fold
    counts = np.bincount(cell, minlength=2 * n_folds)
    if not counts.all():
        k, missing = np.argwhere(counts.reshape(2, -1).T == 0)[0]
        warn_undefined(
            f"The fold of row {np.argmax(folds == k)} has no {('negatives', 'positives')[missing]} "
            "in y_true: its AUC, and the mean over folds, are undefined."
        )
        return Spread(math.nan, None)
    # The rows of each cell, beside each other.
    rows, ends = order_of(cell.astype(np.uint64)), np.cumsum(counts)
    cells = [slice(end - m, end) for end, m in zip(ends.tolist(), counts.tolist(), strict=True)]
    sample, units = _rows_of(sample, rows), None if units is None else units.take(rows)
    areas, columns = [], np.empty((2, len(rows)))
    for own in zip(cells[:n_folds], cells[n_folds:], strict=True):
        of_fold: NDArray[np.intp] = np.r_[own]
        of_units = None if units is None else units.take(of_fold)
        own_areas, _, columns[:, of_fold], _ = influences_of(
            [_rows_of(sample, of_fold)], of_units, None, workers
        )
        areas += own_areas
    columns /= n_folds
    area = sum(areas, Fraction()) / n_folds
    design = area, columns[0], columns[1], classes_of(sample), cells, folds
    plain = _spread(*design)
    unseen = []
    if not sample.has_one_weight_per_class:
        of_classes = (columns[1][own] for own in classes_of(sample))
        unseen.append((heaviest_rows(*of_classes), UNSEEN_WEIGHT))
    if units is None or plain.variance is None:
        return plain._replace(unseen=unseen)
    found = _spread(*design, units)
    if found.variance is None:
        return found
    unseen.append((found.sizes, UNSEEN_GROUP))
    sizes = sizes_in_groups(plain, found.variance, found.sizes) if found.variance else found.sizes
    return found._replace(sizes=sizes, unseen=unseen)


def _rows_of(sample: BinarySample, rows: NDArray[np.intp]) -> BinarySample:
    """Return some rows of a sample."""
    label, order = sample.label.take(rows), sample.order._replace(keys=sample.score.take(rows))
    weight = None if sample.weight is None else sample.weight.take(rows)
    return make_sample(label, order, weight, int(np.count_nonzero(label)), 2)


def _spread(
    area: Fraction,
    influence: Array,
    share: Array,
    classes: tuple[slice, slice],
    cells: Sequence[Any],
    folds: NDArray[np.intp],
    units: NDArray[np.intp] | None = None,
) -> Spread:
    """Return the spread of units; without a variance if one alone is of a class in a fold."""
    m = counts = np.array([own.stop - own.start for own in cells])
    if units is not None:
        is_in = np.zeros((int(units.max()) + 1, len(cells)), np.bool_)
        is_in[units, np.repeat(np.arange(len(cells)), counts)] = True
        m = is_in.sum(axis=0)
    scaled = influence * np.repeat(np.sqrt(m / np.maximum(m - 1, 1)), counts)
    if units is None:
        sums, weight, shares = scaled, share, [share[own] for own in classes]
    else:
        (pos, pos_share), (neg, neg_share) = sum_units([scaled, share], classes, units)[0]
        sums, weight, shares = pos + neg, pos_share + neg_share, [pos_share, neg_share]
    sizes = [effective_size(of_class) for of_class in shares]
    if m.min() < 2:
        alone, of_class = divmod(int(m.reshape(2, -1).T.argmin()), 2)
        name, unit = ("negatives", "positives")[of_class], "row" if units is None else "group"
        warn_undefined(
            "The variance of the mean is undefined: the fold of row "
            f"{np.argmax(folds == alone)} has {name} of one {unit} only; expected two or more "
            "of each class in each fold."
        )
        return Spread(area, None, (sizes[0], sizes[1]))
    # Units that are in the same cells are estimated together.
    if units is not None:
        kind = np.unique(is_in, axis=0, return_inverse=True)[1].reshape(-1)
        cells = [kind == k for k in range(int(kind.max()) + 1)]
    parts = [(exact_sum(sums[own] ** 2), effective_size(weight[own])) for own in cells]
    variance = math.fsum(part for part, _ in parts)
    least = max(1.0, min(sizes) - 1)
    df = satterthwaite(parts) if variance else least
    return Spread(area, variance, (sizes[0], sizes[1]), df, df)
