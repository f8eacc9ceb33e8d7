"""From a metric of one binary sample to matrices of labels: micro, macro, weighted, samples, None.

The rules are scikit-learn's; a column whose weight is 0 counts as 0 in a weighted average.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array, OrderKeys
from fastauc._validation.samples import BinarySample, make_sample
from fastauc._validation.threads import ALONE, Workers

AVERAGES = ("micro", "macro", "weighted", "samples", None)

Metric = Callable[[BinarySample], float]


def average_columns(
    metric: Metric,
    warn: Callable[[BinarySample], None],
    positive: NDArray[np.uint8],
    order: OrderKeys,
    average: str | None,
    weight: NDArray[np.float64] | None = None,
    *,
    prevalence: Array,
    workers: Workers = ALONE,
) -> float | NDArray[np.float64]:
    """Return the average of a metric over the columns of a matrix of labels.

    Parameters
    ----------
    metric : callable
        From a sample to its value, on any thread; for the columns (or rows, or all cells).
    warn : callable
        Says where the metric of a sample is not defined; called for the samples in turn.
    positive : uint8 array of shape (n_rows, n_columns)
        1 where the label is positive.
    order : OrderKeys
        The scores, of the same shape.
    average : str or None
        One of ``AVERAGES``.
    weight : float64 array of shape (n_rows,) or None
        Weights of the rows.
    prevalence : array of shape (n_rows, n_columns)
        What ``average="weighted"`` sums in each column to get the weight of the column.
    workers : Workers
        The threads, over the columns.
    """
    keys = order.keys
    if average == "micro":
        rows_weight = None if weight is None else np.repeat(weight, positive.shape[1])
        cells = _sample(positive.ravel(), keys.ravel(), order, rows_weight)
        warn(cells)
        return metric(cells)
    column_weight = None
    if average == "weighted":
        amounts = prevalence if weight is None else prevalence * weight[:, None]
        column_weight = amounts.sum(axis=0)
        if np.isclose(column_weight.sum(), 0):
            return 0.0
    elif average == "samples":
        column_weight, weight = weight, None
        positive, keys = positive.T, keys.T
    samples = [
        _sample(positive[:, column], keys[:, column], order, weight)
        for column in range(positive.shape[1])
    ]
    for sample in samples:
        warn(sample)
    values = np.array(workers.run_all([partial(metric, sample) for sample in samples]))
    if average is None:
        return values
    if column_weight is not None:
        values[column_weight == 0] = 0
    return float(np.average(values, weights=column_weight))


def _sample(
    label: NDArray[np.uint8], keys: Array, order: OrderKeys, weight: NDArray[np.float64] | None
) -> BinarySample:
    label, keys = np.ascontiguousarray(label), np.ascontiguousarray(keys)
    n_pos = int(np.count_nonzero(label))
    n_labels = 1 if n_pos in (0, len(label)) else 2
    return make_sample(label, order._replace(keys=keys), weight, n_pos, n_labels)
