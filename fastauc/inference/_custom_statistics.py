"""User-defined statistics of replicates: functions of ``ConfusionCounts``, or of the rows.

They use the same replicates as the named statistics. The steps of a curve are the distinct scores
for functions of counts, and the rows themselves for functions of rows.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from fastauc._counts.confusion_counts import ConfusionCounts
from fastauc._validation.arrays import INT64, Array
from fastauc._validation.groups import Clusters
from fastauc._validation.samples import BinarySample
from fastauc.inference._resampling import ClassRows, Replicate, RocSteps, check_size, steps_of

ARGUMENTS = ("counts", "rows")
Statistic = str | Callable[..., Any]  # the name of a metric, or a user's function

_NO_UNITS = np.empty(0, np.uint32)
_NO_WEIGHTS = np.empty(0)


def find_custom_steps(
    sample: BinarySample, statistic: Callable[..., Any], takes: str, clusters: Clusters | None
) -> tuple[RocSteps, Callable[[Replicate], float]]:
    """Return the steps of a sample, and the function that computes a statistic of a replicate.

    The rows are sorted, and those of each class are drawn from the highest score down, as for the
    named statistics: the same seed draws the same rows for every statistic.
    """
    if takes == "counts":
        steps, thresholds = find_score_steps(sample, clusters)
        return steps, partial(_of_counts, statistic=statistic, thresholds=thresholds)
    steps = _place(sample, np.arange(len(sample.label)), clusters)
    y_true, y_score = sample.label.astype(INT64), sample.order.restore(sample.score)
    return steps, partial(_of_rows, statistic=statistic, y_true=y_true, y_score=y_score)


def find_score_steps(sample: BinarySample, clusters: Clusters | None) -> tuple[RocSteps, Array]:
    """Return the steps of a sample, one for each distinct score, and these scores."""
    increasing, step = np.unique(sample.score, return_inverse=True)
    # NumPy 2.0.0 has the shape of the scores.
    steps = _place(sample, len(increasing) - 1 - step.reshape(-1), clusters)
    return steps, sample.order.restore(increasing[::-1])


def _place(sample: BinarySample, step: Array, clusters: Clusters | None) -> RocSteps:
    """Return the steps of rows, given the step of each row."""
    check_size(len(step))
    step = step.astype(np.uint32)
    unit = _NO_UNITS if clusters is None else clusters.codes
    weight = _NO_WEIGHTS if sample.weight is None else sample.weight
    columns: list[Any] = [step, unit, weight]
    of_neg, of_pos = (
        ClassRows(*(column[own] if len(column) else column for column in columns))
        for own in (np.flatnonzero(sample.label == label)[::-1] for label in (0, 1))
    )
    tied = np.ones(int(step.max()) + 1, np.uint8)
    return steps_of(of_pos, of_neg, tied, clusters)


def _of_counts(drawn: Replicate, statistic: Callable[..., Any], thresholds: Array) -> float:
    """Return the statistic of the counts of a replicate."""
    present = np.flatnonzero((drawn.pos > 0) | (drawn.neg > 0))
    kind = np.float64 if drawn.pos.dtype == np.float64 else np.int64
    tps = np.cumsum(drawn.pos[present], dtype=kind)
    fps = np.cumsum(drawn.neg[present], dtype=kind)
    counts = ConfusionCounts(fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds[present])
    return _as_number(statistic(counts))


def _of_rows(
    drawn: Replicate, statistic: Callable[..., Any], y_true: Array, y_score: Array
) -> float:
    """Return the statistic of the rows of a replicate: repeated, or with weights."""
    amount = drawn.pos + drawn.neg
    if amount.dtype == np.float64:
        present = np.flatnonzero(amount)
        return _as_number(
            statistic(y_true[present], y_score[present], sample_weight=amount[present])
        )
    rows = np.repeat(np.arange(len(amount)), amount)
    return _as_number(statistic(y_true[rows], y_score[rows]))


def _as_number(value: Any) -> float:
    """Return the value of a statistic; raise an error if it is not one real number."""
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value[()]
    if not isinstance(value, (numbers.Real, np.bool_)):
        shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        raise TypeError(
            f"The function given as statistic returned {type(value).__name__}{shape}: {value!r}; "
            "expected one real number."
        )
    return float(value)
