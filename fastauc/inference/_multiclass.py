"""The average AUC of several classes, with its variance.

The influence of a row on an average is what it adds to the AUCs that it is part of, through its
placements, and to the weights of its class. For two classes, their variance is DeLong's.
"""

import math
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.multiclass import average_areas
from fastauc._validation.arrays import Array, OrderKeys, as_array
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import read_target, unsupported
from fastauc._validation.samples import (
    check_consistent_length,
    check_multiclass,
    make_sample,
    read_inputs,
    read_scores,
)
from fastauc._validation.threads import Workers
from fastauc.inference._delong import Units, add_products, products_of_influences
from fastauc.inference._placements import find_placements
from fastauc.inference._spreads import Spread

AVERAGES = ("macro", "weighted")


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
    check_consistent_length(len(codes), inputs)
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
    classes = [
        Units([influence[codes == c], np.ones(m)], int(m))
        for c, m in zip(occurring, counts, strict=True)
    ]
    products, across = products_of_influences(classes, False)
    covariance, _ = add_products(products, counts.tolist(), across, len(codes))
    assert covariance is not None
    # The effective number of rows in each of two classes for the average: for k classes with
    # equal weights, k / 2 times the harmonic mean of their sizes.
    weights = counts / len(codes) if average == "weighted" else 1 / len(counts)
    size = len(counts) / (2 * float((weights / counts).sum()))
    return Spread(mean, float(covariance[0, 0]), (size, size))


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
