"""Validates labels, scores and weights, and combines them into a ``BinarySample``.

What is read here is clean: one-dimensional, contiguous, in native byte order, of equal length,
finite and not empty; labels are uint8 0 and 1, scores are keys that the kernels can order, weights
are positive float64.

Errors start with scikit-learn's sentence where it has one, on which existing code matches; then
follow the first offending position, the value, and what was expected.
"""

import functools
import math
import operator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import inputs as _inputs
from fastauc._validation.arrays import (
    FLOAT32,
    FLOAT64,
    INT64,
    UINT8,
    Array,
    OrderKeys,
    as_array,
    as_column,
    as_kernel_array,
    as_python,
    is_missing,
    is_number,
    locate,
    nonfinite_error,
    opposite,
    order_keys,
    read_column,
)
from fastauc._validation.errors import check_lengths, shortened
from fastauc._validation.labels import (
    Label,
    Target,
    as_labels,
    columns_of_labels,
    match_labels,
    positive_codes,
    read_target,
    unsupported,
)
from fastauc._validation.threads import ROWS_READ_PER_THREAD, SERIAL, Workers, row_blocks

T = TypeVar("T")


def is_clean_weight(weight: Any) -> bool:
    """Return whether weights are an array that the kernels accept, whatever its values."""
    if type(weight) is not np.ndarray or weight.ndim != 1 or weight.dtype is not FLOAT64:
        return False
    return weight.flags.c_contiguous and weight.flags.aligned


AVERAGES_OF_CLASSES = ("micro", "macro", "weighted", None)


class WeightRange(NamedTuple):
    """The minimum and maximum weight of each class; infinity and 0 for a class without rows."""

    lowest_neg: float
    highest_neg: float
    lowest_pos: float
    highest_pos: float


# The minimum and maximum score.
ScoreRange = tuple[float, float]


class BinarySample(NamedTuple):
    """A clean binary sample: the input of every kernel for AUCs and curves."""

    label: NDArray[np.uint8]
    score: Array
    weight: NDArray[np.float64] | None
    n_pos: int
    n_neg: int
    order: OrderKeys
    n_labels: int
    """Distinct labels in ``y_true``, including those of rows with weight 0."""
    weight_range: WeightRange | None = None
    """The range of ``weight``; positive, as rows with weight 0 are omitted."""
    score_range: ScoreRange | None = None
    """The range of the scores; None if it is unknown."""

    @property
    def has_one_weight_per_class(self) -> bool:
        """Whether the weights, if any, have the same effect on every pair."""
        weights = self.weight_range
        return weights is None or (
            weights.lowest_neg == weights.highest_neg and weights.lowest_pos == weights.highest_pos
        )

    def exchanged(self) -> Self:
        """Return the sample with the classes swapped, and the order of the scores reversed."""
        is_float = self.score.dtype.kind == "f"
        keys = -self.score if is_float else ~self.score  # no integer overflows
        weights = self.weight_range
        return self._replace(
            label=1 - self.label,
            score=keys,
            n_pos=self.n_neg,
            n_neg=self.n_pos,
            order=OrderKeys(keys, keys.dtype),
            weight_range=None if weights is None else WeightRange(*weights[2:], *weights[:2]),
            score_range=None,
        )


# Clean samples ----------------------------------------------------------------------------------


def read_clean_sample(y_true: Any, y_score: Any, sample_weight: Any) -> BinarySample | None:
    """Return a sample that needs no conversion, with 1 as the positive label.

    None for any other sample, as in ``compare_clean`` and ``weigh_clean``; for dtypes or memory
    layouts that the kernels do not accept; and for samples large enough for several threads.
    """
    if not (type(y_true) is type(y_score) is np.ndarray):
        return None
    score_dtype = y_score.dtype
    if not (score_dtype is FLOAT64 or score_dtype is FLOAT32 or score_dtype is INT64):
        return None  # an equal dtype object is not a key of the kernels' table
    if not 0 < y_true.size < 2 * ROWS_READ_PER_THREAD:
        return None
    label = np.empty(y_true.size, UINT8)
    found = _inputs.read_clean(y_true, y_score, label)
    if found is None:
        return None
    n_pos, low, high = found
    weight_range = None
    if sample_weight is not None:
        if not is_clean_weight(sample_weight) or len(sample_weight) != len(label):
            return None
        total, *extremes = _inputs.weight_extremes(label, sample_weight)
        weight_range = WeightRange(*extremes)
        lowest = min(weight_range.lowest_neg, weight_range.lowest_pos)
        if not (lowest > 0 and total < math.inf):
            return None
    order, n_neg = OrderKeys(y_score, score_dtype), len(label) - n_pos
    score_range = None if score_dtype is INT64 else (low, high)
    return BinarySample(
        label, y_score, sample_weight, n_pos, n_neg, order, 2, weight_range, score_range
    )


# Inputs -----------------------------------------------------------------------------------------


class Inputs(NamedTuple):
    """The arguments common to all functions, as arrays whose values are not yet checked."""

    y_true: Array | Target
    y_score: Array
    sample_weight: Array | None


def read_inputs(y_true: object, y_score: object, sample_weight: object, function: str) -> Inputs:
    """Reject arguments that are not array-like, before their values are checked."""
    labels = as_labels(y_true, "y_true", function)
    scores = as_array(y_score, "y_score", function, exact=True)
    weight = None
    if sample_weight is not None:
        weight = read_column(sample_weight, "sample_weight", function, optional=True)
    lengths = {"y_score": len(scores)} if scores.ndim else {}
    if weight is not None:
        lengths["sample_weight"] = len(weight)
    return Inputs(match_labels(labels, lengths, function), scores, weight)


# Scores and weights -----------------------------------------------------------------------------


# The kernel for each dtype of keys that can hold NaN or infinity.
_SCORE_RANGE = {FLOAT32: _inputs.score_range["float"], FLOAT64: _inputs.score_range["double"]}


def _inspect(values: Array, workers: Workers) -> tuple[ScoreRange | None, int]:
    """Return the range, and the position of the first NaN or infinity, or -1.

    Integers are not scanned: they are finite, and not every function needs their range.
    """
    find = _SCORE_RANGE.get(values.dtype)
    if find is None or len(values) == 0:
        return None, -1
    if len(values) < 2 * ROWS_READ_PER_THREAD:
        low, high, position = find(values)
        return (low, high), position
    blocks = row_blocks(len(values), workers, ROWS_READ_PER_THREAD)
    ranges = workers.run_all([partial(find, values[rows]) for rows in blocks])
    lows, highs, positions = zip(*ranges, strict=True)
    found = (rows.start + i for rows, i in zip(blocks, positions, strict=True) if i >= 0)
    return (min(lows), max(highs)), next(found, -1)


def read_keys(
    array: Array, workers: Workers = SERIAL, name: str = "y_score"
) -> tuple[OrderKeys, ScoreRange | None]:
    """Return the keys of scores, all of them finite, and their range if it is known."""
    order = order_keys(array, name)
    keys = order.keys
    score_range, position = _inspect(keys if keys.ndim == 1 else keys.reshape(-1), workers)
    if position >= 0:
        raise nonfinite_error(name, position, array)
    return order, score_range


def read_scores(array: Array, workers: Workers = SERIAL) -> OrderKeys:
    """Return the keys of a vector or a matrix of scores, all of them finite."""
    return read_keys(array, workers)[0]


def read_opposite(y_score: object, function: str, name: str = "y_score") -> Array:
    """Return scores in reverse order; errors name the original values."""
    scores = as_array(y_score, name, function, exact=True)
    read_keys(scores, name=name)
    return opposite(scores)


def _weight_extremes(
    label: NDArray[np.uint8], weight: NDArray[np.float64], workers: Workers
) -> tuple[float, WeightRange]:
    """Return a sum of the weights, which may be infinite or NaN, and their range."""
    if len(weight) < 2 * ROWS_READ_PER_THREAD:
        total, *extremes = _inputs.weight_extremes(label, weight)
        return total, WeightRange(*extremes)
    tasks = [
        partial(_inputs.weight_extremes, label[rows], weight[rows])
        for rows in row_blocks(len(weight), workers, ROWS_READ_PER_THREAD)
    ]
    totals, *several = zip(*workers.run_all(tasks), strict=True)
    lowest_neg, highest_neg, lowest_pos, highest_pos = several
    extremes = [min(lowest_neg), max(highest_neg), min(lowest_pos), max(highest_pos)]
    return functools.reduce(operator.add, totals), WeightRange(*extremes)


def check_signs(
    label: NDArray[np.uint8],
    weight: NDArray[np.float64],
    workers: Workers = SERIAL,
    name: str = "sample_weight",
) -> tuple[float, WeightRange]:
    """Reject weights that are negative or not finite; return the result of ``_weight_extremes``."""
    total, weight_range = _weight_extremes(label, weight, workers)
    if not math.isfinite(total):
        _, position = _inspect(weight, workers)
        if position >= 0:
            raise nonfinite_error(name, position, weight, f"{name} ")
    if weight_range.lowest_neg < 0 or weight_range.lowest_pos < 0:
        position = int(np.argmax(weight < 0))
        raise ValueError(
            f"Negative values in data passed to `{name}`. "
            f"{name}[{position}] is {weight[position]}; expected weights of 0 or more."
        )
    return total, weight_range


def read_weight(
    array: Array,
    label: NDArray[np.uint8],
    workers: Workers = SERIAL,
    name: str = "sample_weight",
) -> tuple[NDArray[np.float64], WeightRange]:
    """Return weights as float64, non-negative and not all 0, and their range in each class."""
    weight = as_float64(array, name)
    total, weight_range = check_signs(label, weight, workers, name)
    if weight_range.highest_neg == 0 and weight_range.highest_pos == 0:
        raise ValueError(
            "Sample weights must contain at least one non-zero number. "
            f"All {len(weight)} entries of {name} are 0."
        )
    if not math.isfinite(total):
        raise ValueError(f"{name} sums to infinity; expected a finite sum: rescale it.")
    return weight, weight_range


def read_weights(array: Array, name: str = "sample_weight") -> NDArray[np.float64]:
    """Return the weights as float64, non-negative and not all 0."""
    return read_weight(array, np.zeros(len(array), UINT8), name=name)[0]


def as_float64(column: Array, name: str) -> NDArray[np.float64]:
    """Return numbers, or text that stands for some, as float64; reject what is neither."""
    kind = column.dtype.kind
    if kind in "biuf" and column.dtype.itemsize <= 8:
        return as_kernel_array(column, FLOAT64)
    if kind == "O" and set(map(type, column)) <= {float, bool}:
        return column.astype(np.float64)
    return np.array([_as_double(v, name, i) for i, v in enumerate(column)], np.float64)


def _as_double(value: Any, name: str, position: int) -> float:
    """Return the double nearest to a number of any type; infinity if it is too large."""
    number = value
    if isinstance(value, str):  # scikit-learn reads it, too
        with suppress(InvalidOperation):
            number = Decimal(value)
    if not is_number(number) or (isinstance(number, Decimal) and number.is_snan()):
        found = f"Input {name} contains NaN. " if is_missing(value) else ""
        raise ValueError(f"{found}{name}[{position}] is {as_python(value)!r}; expected a number.")
    try:
        double = float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    if double == 0 and number != 0:
        raise ValueError(
            f"{name}[{position}] is {shortened(repr(value))}, which float64 rounds to 0; expected "
            "a number that it can hold."
        )
    return double


def make_sample(
    label: NDArray[np.uint8],
    order: OrderKeys,
    weight: NDArray[np.float64] | None,
    n_pos: int,
    n_labels: int,
    weight_range: WeightRange | None = None,
    score_range: ScoreRange | None = None,
) -> BinarySample:
    """Return a sample without the rows with weight 0, which contribute no threshold or count."""
    score = order.keys
    if weight is not None:
        weight_range = weight_range or _weight_extremes(label, weight, SERIAL)[1]
        if weight_range.lowest_neg == 0 or weight_range.lowest_pos == 0:
            kept = weight != 0
            label, score, weight = label[kept], score[kept], weight[kept]
            n_pos = int(np.count_nonzero(label))
            weight_range = _weight_extremes(label, weight, SERIAL)[1]
            score_range = None
    n_neg = len(label) - n_pos
    return BinarySample(
        label, score, weight, n_pos, n_neg, order, n_labels, weight_range, score_range
    )


def complete_sample(
    label: NDArray[np.uint8], n_pos: int, n_labels: int, inputs: Inputs, workers: Workers = SERIAL
) -> BinarySample:
    """Read scores and weights and combine them with labels that are already encoded."""
    _, y_score, sample_weight = inputs
    column = y_score if y_score.ndim == 1 else as_column(y_score, "y_score")
    weight = weight_range = None
    if sample_weight is not None:
        weight, weight_range = read_weight(sample_weight, label, workers)
    order, score_range = read_keys(column, workers)
    return make_sample(label, order, weight, n_pos, n_labels, weight_range, score_range)


def read_binary_labels(
    y_true: Array | Target, pos_label: Label | None, workers: Workers, name: str = "y_true"
) -> tuple[NDArray[np.uint8], int, int]:
    """Return 1 for each positive, the number of positives, and the number of distinct labels."""
    target = read_target(y_true, workers)
    if target.kind != "binary" and not (target.kind == "multiclass" and pos_label is not None):
        raise unsupported(target)
    label, n_pos = positive_codes(target, pos_label, name)
    return label, n_pos, len(target.classes)


# Probabilities ----------------------------------------------------------------------------------


def check_probabilities(values: Array, name: str, *, one: bool = True) -> None:
    """Reject a number outside [0, 1], optionally also 1."""
    is_inside = (values >= 0) & ((values <= 1) if one else (values < 1))
    if not is_inside.all():
        position = int(np.argmin(is_inside))
        place, value = locate(name, position, values), values.flat[position]
        expected = f"a probability, a number in [0, 1{']' if one else ')'}"
        raise ValueError(f"{place} is {value}; expected {expected}.")


def read_threshold_probabilities(thresholds: object, function: str) -> NDArray[np.float64] | None:
    """Return a copy of thresholds in [0, 1), in any order; None if they are not given."""
    if thresholds is None:
        return None
    given = read_column(thresholds, "thresholds", function, optional=True)
    column = as_float64(given, "thresholds")
    check_probabilities(column, "thresholds", one=False)
    return column.copy()


# Counts -----------------------------------------------------------------------------------------


def read_counts(fps: Any, tps: Any, thresholds: Any) -> tuple[Array, Array, Array]:
    """Return the arrays of ``ConfusionCounts``, possibly user-made, as kernels accept them."""
    names = ("fps", "tps", "thresholds")
    arrays = [
        read_column(values, name, "ConfusionCounts")
        for name, values in zip(names, (fps, tps, thresholds), strict=True)
    ]
    check_lengths({name: len(array) for name, array in zip(names, arrays, strict=True)})
    if len(arrays[0]) == 0:
        raise ValueError("fps of ConfusionCounts is empty; expected at least one count.")
    weighted = "f" in (arrays[0].dtype.kind, arrays[1].dtype.kind)
    dtype = FLOAT64 if weighted else INT64
    return as_kernel_array(arrays[0], dtype), as_kernel_array(arrays[1], dtype), arrays[2]


# Several classes --------------------------------------------------------------------------------


def check_multiclass(
    target: Target,
    scores: Array,
    labels: Array | None,
    multi_class: str,
    average: str | None,
    weighted: bool,
    max_fpr: float | None,
) -> NDArray[np.intp]:
    """Return the column of each row's label; reject inconsistent arguments."""
    if max_fpr is not None and max_fpr != 1:
        raise ValueError(
            "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set "
            f"to `None`, received `max_fpr={max_fpr}` instead"
        )
    if multi_class == "raise":
        n_classes = max(len(target.classes), scores.shape[1] if scores.ndim == 2 else 0)
        raise ValueError(f"multi_class must be in ('ovo', 'ovr'): there are {n_classes} classes.")
    check_columns(scores)
    sums = scores.astype(np.float64).sum(axis=1)
    near = np.isclose(1, sums)
    if not near.all():
        row = int(np.argmin(near))
        raise ValueError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum "
            f"up to 1.0 over classes. y_score[{row}] sums up to {sums[row]}."
        )
    known = ("macro", "weighted", None) if multi_class == "ovo" else AVERAGES_OF_CLASSES
    if average not in known:
        raise ValueError(f"average must be one of {known} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    codes = columns_of_labels(target, labels, scores.shape[1])
    if weighted and multi_class == "ovo":
        raise ValueError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' "
            "must be None in this case."
        )
    return codes


def check_columns(scores: Array) -> None:
    """Reject multiclass scores that are not a matrix."""
    if scores.ndim != 2:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={scores.shape}`."
        )
