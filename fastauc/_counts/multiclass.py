"""Multiclass metrics: one-vs-rest or one-vs-one, and how the AUCs are averaged.

The rules are those of scikit-learn; a column with weight 0 counts as 0 in a weighted average.
"""

import itertools
import math
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.precision_recall import warn_if_no_positives
from fastauc._counts.sample_curves import area_up_to, average_precision
from fastauc._kernels import rank_sum as _rank_sum
from fastauc._pairs.bucket_map import keys_of
from fastauc._pairs.concordance import _ONE_CLASS, area_of_sample, warn_one_class
from fastauc._pairs.sorting import order_of, sort_keys
from fastauc._validation import labels, samples
from fastauc._validation.arrays import Array, OrderKeys
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label, Target
from fastauc._validation.samples import BinarySample, Inputs
from fastauc._validation.threads import SERIAL, Workers

Metric = Callable[[BinarySample], float]


def average_columns(
    metric: Metric,
    warn: Callable[[BinarySample], None],
    positive: NDArray[np.uint8],
    order: OrderKeys,
    average: str | None,
    weight: NDArray[np.float64] | None,
    prevalence: Array,
    workers: Workers,
) -> float | NDArray[np.float64]:
    """Return the average of a metric over the columns of a matrix of labels.

    The metric is called on any thread, for columns, rows, or all entries; ``warn``, for one sample
    after another. ``positive`` is 1 where the label is positive, and ``order`` has the scores, in
    the same shape, as has ``prevalence``: its sum over a column is the column's weight for
    ``average="weighted"``. The threads are used over the columns.
    """
    keys = order.keys
    if average == "micro":
        rows_weight = None if weight is None else np.repeat(weight, positive.shape[1])
        pooled = _sample_of_column(positive.ravel(), keys.ravel(), order, rows_weight)
        warn(pooled)
        return metric(pooled)
    column_weight = None
    if average == "weighted":
        amounts = prevalence if weight is None else prevalence * weight[:, None]
        column_weight = amounts.sum(axis=0)
        if np.isclose(column_weight.sum(), 0):
            return 0.0
    elif average == "samples":
        column_weight, weight = weight, None
        positive, keys = positive.T, keys.T
    of_columns = [
        _sample_of_column(positive[:, column], keys[:, column], order, weight)
        for column in range(positive.shape[1])
    ]
    for sample in of_columns:
        warn(sample)
    values = np.array(workers.run_all([partial(metric, sample) for sample in of_columns]))
    if average is None:
        return values
    if column_weight is not None:
        values[column_weight == 0] = 0
    return float(np.average(values, weights=column_weight))


def _sample_of_column(
    label: NDArray[np.uint8], keys: Array, order: OrderKeys, weight: NDArray[np.float64] | None
) -> BinarySample:
    label, keys = np.ascontiguousarray(label), np.ascontiguousarray(keys)
    n_pos = int(np.count_nonzero(label))
    n_labels = 1 if n_pos in (0, len(label)) else 2
    return samples.make_sample(label, order._replace(keys=keys), weight, n_pos, n_labels)


def count_class_pairs(
    codes: NDArray[Any], keys: Array, present: NDArray[Any], workers: Workers
) -> NDArray[np.uint64]:
    """Return twice the number of pairs with a row of class a above one of class b, plus ties.

    The result is in the column of a, at [a, b], with the classes numbered as in ``present``; their
    codes are their columns.
    """
    by_class = order_of(codes.astype(np.uint32))
    bounds = np.append(np.searchsorted(codes[by_class], present), len(codes)).astype(np.int64)
    twice_u = np.zeros((len(present), len(present)), np.uint64)

    def compare(number: int) -> None:
        column = keys_of(keys[:, present[number]].take(by_class))
        for first, stop in itertools.pairwise(bounds.tolist()):
            sort_keys(column[first:stop])
        _rank_sum.compare_with_classes(column, bounds, number, twice_u[number])

    workers.run_all([partial(compare, number) for number in range(len(present))])
    return twice_u


def average_areas(
    inputs: Inputs,
    columns: Array | None,
    average: str | None,
    multi_class: str,
    max_fpr: float | None,
    workers: Workers,
) -> float | NDArray[np.float64]:
    """Return the average of the AUCs of several classes, or the AUCs."""
    target, scores = labels.read_target(inputs.y_true), inputs.y_score
    if target.kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise labels.unsupported(target)
    weighted = inputs.sample_weight is not None
    order = samples.read_scores(scores, workers)
    if target.kind == "multilabel-indicator":
        positive = labels.matrix_positives(target, scores)
        labels.implied_pos_label(target.classes)
        prevalence = target.codes
    else:
        codes = samples.check_multiclass(
            target, scores, columns, multi_class, average, weighted, max_fpr
        )
        positive = prevalence = (codes[:, None] == np.arange(scores.shape[1])).view(np.uint8)
    weight = None if inputs.sample_weight is None else samples.read_weights(inputs.sample_weight)
    if target.kind != "multilabel-indicator" and multi_class == "ovo":
        return _average_pairs(codes, order, average, workers)
    # The threads are used across columns: none is left for the two classes of a column.
    metric = area_of_sample if max_fpr is None else partial(area_up_to, max_fpr=max_fpr)
    return average_columns(
        metric, warn_one_class, positive, order, average, weight, prevalence, workers
    )


def average_precisions(
    inputs: Inputs, average: str | None, pos_label: Label, workers: Workers
) -> float | NDArray[np.float64]:
    """Return the average of the average precisions of several classes, or all of them."""
    target, scores = labels.read_target(inputs.y_true), inputs.y_score
    if target.kind not in ("multiclass", "multilabel-indicator"):
        raise labels.unsupported(target)
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {target.kind} y_true. Do not set pos_label "
            "or set pos_label to 1."
        )
    positive = _positives_of_classes(target, scores)
    weight = None if inputs.sample_weight is None else samples.read_weights(inputs.sample_weight)
    order = samples.read_scores(scores, workers)
    prevalence = positive if target.kind == "multiclass" else target.codes
    return average_columns(
        precision_or_0, warn_no_positives, positive, order, average, weight, prevalence, workers
    )


def warn_no_positives(sample: BinarySample) -> None:
    warn_if_no_positives(sample.n_pos)


def precision_or_0(sample: BinarySample, workers: Workers = SERIAL) -> float:
    """Return the average precision, which is 0 without positives in scikit-learn."""
    return average_precision(sample, workers) if sample.n_pos else 0.0


def _average_pairs(
    codes: NDArray[Any], order: OrderKeys, average: str | None, workers: Workers
) -> float:
    """Return the mean of A(a|b) and A(b|a) over all pairs of classes that are present."""
    present, sizes = np.unique(codes, return_counts=True)
    if len(present) < 2:
        warn_undefined(_ONE_CLASS)
        return math.nan
    twice_u = count_class_pairs(codes, order.keys, present, workers).tolist()
    areas, prevalences = [], []
    for (a, n_a), (b, n_b) in combinations(enumerate(sizes.tolist()), 2):
        pairs = 2 * n_a * n_b
        areas.append((twice_u[a][b] / pairs + twice_u[b][a] / pairs) / 2)
        prevalences.append(n_a + n_b)
    return float(np.average(areas, weights=prevalences if average == "weighted" else None))


def _positives_of_classes(target: Target, scores: Array) -> NDArray[np.uint8]:
    if target.kind == "multilabel-indicator":
        return labels.matrix_positives(target, scores)
    samples.check_columns(scores)
    if scores.shape != (len(target.codes), len(target.classes)):
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={scores.shape}`. expected "
            f"{(len(target.codes), len(target.classes))}."
        )
    positive: NDArray[np.uint8] = (target.codes[:, None] == np.arange(scores.shape[1])).view("u1")
    return positive
