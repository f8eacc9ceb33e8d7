"""What is checked, and how an error is worded: the only file that judges user input.

Every public function calls one of the ``read_*`` and ``check_*`` functions here first. What they
return is clean: one-dimensional, contiguous, native, equally long, finite and not empty; labels are
uint8 0 and 1, scores are keys that the kernels order, weights are positive float64.

Each sentence begins as scikit-learn's does, where it has one, because code matches on it; then
follow the first offending position, the value, and what was expected.
"""

import math
import numbers
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc import _inspection
from fastauc._conversion import (
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT64,
    Array,
    OrderKeys,
    as_array,
    as_column,
    as_kernel_array,
    nonfinite_error,
    order_keys,
)
from fastauc._exceptions import invalid_parameter

Label = bool | int | float | str

AVERAGES_OF_CLASSES = ("micro", "macro", "weighted", None)

_BYTES = (
    "Support for labels represented as bytes is not supported. "
    "Convert the labels to a string or integer format."
)


class Target(NamedTuple):
    """What kind of labels ``y_true`` holds, encoded.

    Attributes
    ----------
    kind : str
        scikit-learn's name: "binary", "multiclass", "multilabel-indicator", "continuous", …
    codes : ndarray
        Position of each label in ``classes``: uint8 when binary (1 where there is one class only),
        intp when multiclass; of a multilabel matrix, the matrix itself; else empty.
    classes : tuple
        The distinct labels in increasing order.
    n_high : int
        How many rows hold the last class; 0 unless binary.
    """

    kind: str
    codes: Array
    classes: tuple[Label, ...]
    n_high: int = 0


class BinarySample(NamedTuple):
    """A clean binary sample: what every kernel of areas and curves begins with."""

    label: NDArray[np.uint8]
    score: Array
    weight: NDArray[np.float64] | None
    n_pos: int
    n_neg: int
    order: OrderKeys
    n_labels: int
    """Distinct labels in ``y_true``; rows of weight 0 count here and nowhere else."""


# Labels -----------------------------------------------------------------------------------------


class Inputs(NamedTuple):
    """The arguments that every function takes, as arrays that nobody has looked into yet."""

    y_true: Array
    y_score: Array
    sample_weight: Array | None


def read_inputs(y_true: object, y_score: object, sample_weight: object, function: str) -> Inputs:
    """Refuse what is not array-like, before anything is said about the numbers in it."""
    return Inputs(
        as_array(y_true, "y_true", function),
        as_array(y_score, "y_score", function),
        None if sample_weight is None else as_array(sample_weight, "sample_weight", function),
    )


def read_target(array: Array) -> Target:
    """Return the labels encoded, whatever they are; only what cannot be labels is refused."""
    if array.ndim == 2 and array.shape[1] > 1:
        return _read_matrix(array)
    if array.ndim not in (1, 2):
        return Target("unknown", array[:0], ())
    column = as_column(array)
    if len(column) == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required. "
            "y_true is empty."
        )
    if column.dtype.kind in "biuf":
        return _read_numbers(column)
    return _read_strings(column)


def _encode_two(labels: Array) -> tuple[Array, Label, Label, int, int]:
    kind, size = labels.dtype.kind, labels.dtype.itemsize
    if kind == "b":
        labels = labels.view(np.uint8) if labels.flags.c_contiguous else labels.astype(np.uint8)
    elif kind == "f":
        labels = as_kernel_array(labels, FLOAT32 if size <= 4 else FLOAT64)
    elif kind == "u" and size == 8:
        return _encode_unsigned(labels)
    else:
        wide = size == 8 or (kind == "u" and size == 4)
        labels = as_kernel_array(labels, INT64 if wide else INT32)
    codes = np.empty(len(labels), np.uint8)
    low, high, n_high, third = _inspection.encode_labels(labels, codes)
    if kind == "b":
        return codes, bool(low), bool(high), n_high, third
    return codes, low, high, n_high, third


def _are_integers(*labels: Label) -> bool:
    return all(not isinstance(label, float) or label.is_integer() for label in labels)


def _encode_unsigned(labels: Array) -> tuple[Array, Label, Label, int, int]:
    # uint64 does not fit into int64; flipping the top bit keeps the order.
    flipped = as_kernel_array(labels, UINT64) ^ np.uint64(1 << 63)
    codes = np.empty(len(labels), np.uint8)
    low, high, n_high, third = _inspection.encode_labels(flipped.view(np.int64), codes)
    return codes, int(low) + (1 << 63), int(high) + (1 << 63), n_high, third


def _read_numbers(column: Array) -> Target:
    codes, low, high, n_high, third = _encode_two(column)
    if third < 0 and _are_integers(low, high):
        return Target("binary", codes, (low,) if low == high else (low, high), n_high)
    if column.dtype.kind == "f":
        finite = np.isfinite(column)
        if not finite.all():
            raise nonfinite_error("y_true", int(np.argmin(finite)), column, "y_true ")
        if (column != np.trunc(column)).any():
            return Target("continuous", codes[:0], ())
    classes, positions = np.unique(column, return_inverse=True)
    return Target("multiclass", positions, tuple(classes.tolist()))


def _read_strings(column: Array) -> Target:
    if column.dtype.kind == "S" or isinstance(column[0], bytes):
        raise TypeError(f"{_BYTES} y_true[0] is {column[0]!r}.")
    if column.dtype.kind not in "OUT" or not isinstance(column[0], str):
        return Target("unknown", column[:0], ())
    for position, label in enumerate(column):
        if not isinstance(label, str):
            found = "Input y_true contains NaN. " if label is None or label != label else ""
            raise ValueError(
                f"{found}y_true[{position}] is {label!r}; expected a str like the labels before it."
            )
    classes, positions = np.unique(column.astype(object), return_inverse=True)
    names = tuple(classes.tolist())
    if len(names) > 2:
        return Target("multiclass", positions, names)
    codes = positions.astype(np.uint8) if len(names) == 2 else np.ones(len(column), np.uint8)
    return Target("binary", codes, names, int(np.count_nonzero(codes)))


def _read_matrix(matrix: Array) -> Target:
    if matrix.size == 0 or matrix.dtype.kind not in "biuf":
        return Target("unknown", matrix[:0], ())
    _, low, high, _, third = _encode_two(np.ascontiguousarray(matrix).ravel())
    if third < 0 and _are_integers(low, high):
        classes = (low,) if low == high else (low, high)
        return Target("multilabel-indicator", matrix, classes)
    if matrix.dtype.kind == "f":
        finite = np.isfinite(matrix)
        if not finite.all():
            raise nonfinite_error("y_true", int(np.argmin(finite)), matrix, "y_true ")
        if (matrix != np.trunc(matrix)).any():
            return Target("continuous-multioutput", matrix[:0], ())
    return Target("multiclass-multioutput", matrix[:0], ())


def unsupported(target: Target) -> ValueError:
    """Return the error for a kind of labels that the function does not take."""
    expected = "expected the labels of two classes"
    if target.kind == "multiclass":
        shown = ", ".join(repr(label) for label in target.classes[:5])
        more = ", …" if len(target.classes) > 5 else ""
        return ValueError(
            f"multiclass format is not supported. y_true holds {len(target.classes)} distinct "
            f"labels ({shown}{more}); {expected}."
        )
    return ValueError(f"{target.kind} format is not supported: {expected} in y_true.")


def positive_codes(target: Target, pos_label: Label | None) -> tuple[NDArray[np.uint8], int]:
    """Return uint8 codes that are 1 where the label is ``pos_label``, and how many are 1."""
    if pos_label is None:
        pos_label = implied_pos_label(target.classes)
    if pos_label not in target.classes:
        return np.zeros(len(target.codes), np.uint8), 0
    position = target.classes.index(pos_label)
    if target.kind == "multiclass":
        codes = (target.codes == position).view(np.uint8)
        return codes, int(np.count_nonzero(codes))
    if position == len(target.classes) - 1:
        return target.codes, target.n_high
    return 1 - target.codes, len(target.codes) - target.n_high


def implied_pos_label(classes: tuple[Label, ...]) -> Label:
    if not (
        not isinstance(classes[0], str) and (set(classes) <= {0, 1} or set(classes) <= {-1, 1})
    ):
        shown = ", ".join(repr(label) for label in classes)
        raise ValueError(
            f"y_true takes value in {{{shown}}} and pos_label is not specified: either make y_true "
            "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def check_pos_label(pos_label: object, function: str, *, optional: bool) -> None:
    """Refuse what can never be a label."""
    if pos_label is None and optional:
        return
    if not isinstance(pos_label, (numbers.Real, str, np.bool_)):
        expected = "a number, a str, or a bool" + (", or None" if optional else "")
        raise invalid_parameter(function, "pos_label", expected, pos_label)


# Scores and weights -----------------------------------------------------------------------------


def read_scores(array: Array, *, weighted: bool = False) -> OrderKeys:
    """Return the keys of a vector or a matrix of scores, all of them finite."""
    order = order_keys(array, "y_score", weighted=weighted)
    keys = order.keys
    if keys.dtype.kind == "f" and keys.size:
        position = _inspection.first_nonfinite(keys if keys.ndim == 1 else keys.reshape(-1))
        if position >= 0:
            raise nonfinite_error("y_score", position, array)
    return order


def read_weights(array: Array | None) -> NDArray[np.float64] | None:
    """Return the weights as float64, none of them negative and not all of them 0."""
    if array is None:
        return None
    if array.ndim == 0:
        raise ValueError(f"sample_weight is the scalar {array}; expected one weight for each row.")
    column = as_column(array)
    try:
        weight: NDArray[np.float64] = as_kernel_array(column, FLOAT64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight cannot be converted to float64: {error}; expected one number a row."
        ) from error
    finite = np.isfinite(weight)
    if not finite.all():
        raise nonfinite_error("sample_weight", int(np.argmin(finite)), weight, "sample_weight ")
    if (weight < 0).any():
        position = int(np.argmax(weight < 0))
        raise ValueError(
            "Negative values in data passed to `sample_weight`. "
            f"sample_weight[{position}] is {weight[position]}; expected weights of 0 or more."
        )
    if not weight.any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number. "
            f"All {len(weight)} entries of sample_weight are 0."
        )
    with np.errstate(over="ignore"):
        if not math.isfinite(weight.sum()):
            raise ValueError("sample_weight adds up to infinity; expected a finite sum: scale it.")
    return weight


def check_consistent_length(n_labels: int, n_scores: int, weight: Array | None = None) -> None:
    """Refuse arrays of different lengths."""
    if n_labels == n_scores and (weight is None or len(weight) == n_labels):
        return
    lengths = {"y_true": n_labels, "y_score": n_scores}
    if weight is not None:
        lengths["sample_weight"] = len(weight)
    shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
    raise ValueError(
        "Found input variables with inconsistent numbers of samples: "
        f"{list(lengths.values())}. {shown}; expected as many of each."
    )


def make_sample(
    label: NDArray[np.uint8],
    order: OrderKeys,
    weight: NDArray[np.float64] | None,
    n_pos: int,
    n_labels: int,
) -> BinarySample:
    """Return a sample without the rows of weight 0: they give no threshold and no count."""
    score = order.keys
    if weight is not None and not weight.all():
        kept = weight != 0
        label, score, weight = label[kept], score[kept], weight[kept]
        n_pos = int(np.count_nonzero(label))
    return BinarySample(label, score, weight, n_pos, len(label) - n_pos, order, n_labels)


def complete_sample(
    label: NDArray[np.uint8], n_pos: int, n_labels: int, inputs: Inputs
) -> BinarySample:
    """Read scores and weights and join them to labels that are already encoded."""
    weight = read_weights(inputs.sample_weight)
    column = as_column(inputs.y_score)
    check_consistent_length(len(label), len(column), weight)
    order = read_scores(column, weighted=weight is not None)
    return make_sample(label, order, weight, n_pos, n_labels)


def read_binary_sample(
    y_true: object,
    y_score: object,
    sample_weight: object,
    pos_label: Label | None,
    function: str,
) -> BinarySample:
    """Return a clean sample in which the rows labeled ``pos_label`` are the positives."""
    check_pos_label(pos_label, function, optional=True)
    inputs = read_inputs(y_true, y_score, sample_weight, function)
    target = read_target(inputs.y_true)
    if target.kind != "binary" and not (target.kind == "multiclass" and pos_label is not None):
        raise unsupported(target)
    label, n_pos = positive_codes(target, pos_label)
    return complete_sample(label, n_pos, len(target.classes), inputs)


# Options ----------------------------------------------------------------------------------------


def check_option(value: object, name: str, options: tuple[str | None, ...], function: str) -> None:
    """Refuse a value that is not one of the options."""
    if (isinstance(value, str) or value is None) and value in options:
        return
    names = ", ".join(repr(option) for option in options if option is not None)
    expected = f"a str among {{{names}}}" + (" or None" if None in options else "")
    raise invalid_parameter(function, name, expected, value)


def check_flag(value: object, name: str, function: str) -> None:
    """Refuse a value that is not a bool."""
    if not isinstance(value, (bool, np.bool_)):
        expected = "an instance of 'bool' or an instance of 'numpy.bool'"
        raise invalid_parameter(function, name, expected, value)


def check_max_fpr(max_fpr: Any, function: str) -> None:
    """Refuse a value outside (0, 1]."""
    is_number = isinstance(max_fpr, numbers.Real) and not isinstance(max_fpr, bool)
    if max_fpr is not None and not (is_number and 0 < max_fpr <= 1):
        expected = "a float in the range (0.0, 1.0] or None"
        raise invalid_parameter(function, "max_fpr", expected, max_fpr)


def check_threshold(threshold: Any) -> Any:
    """Refuse what cannot be compared with a score."""
    if not isinstance(threshold, (numbers.Real, Decimal)) or threshold != threshold:
        raise ValueError(f"threshold is {threshold!r}; expected a number that is not NaN.")
    return threshold


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
    """Return the column of each row's label; refuse what does not fit."""
    if max_fpr is not None and max_fpr != 1:
        raise ValueError(
            "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set "
            f"to `None`, received `max_fpr={max_fpr}` instead"
        )
    if multi_class == "raise":
        raise ValueError(
            "multi_class must be in ('ovo', 'ovr'). y_true and y_score are of "
            f"{max(len(target.classes), scores.shape[-1])} classes."
        )
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
    codes = _columns_of_labels(target, labels, scores.shape[1])
    if weighted and multi_class == "ovo":
        raise ValueError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' "
            "must be None in this case."
        )
    return codes


def check_columns(scores: Array) -> None:
    """Refuse scores of several classes that are not a matrix."""
    if scores.ndim != 2:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={scores.shape}`."
        )


def _columns_of_labels(target: Target, labels: Array | None, n_columns: int) -> NDArray[np.intp]:
    codes = target.codes.astype(np.intp)
    if len(target.classes) == 1:
        codes[:] = 0
    if labels is None:
        if len(target.classes) != n_columns:
            raise ValueError(
                "Number of classes in y_true not equal to the number of columns in 'y_score': "
                f"{len(target.classes)} and {n_columns}; pass labels to name the columns."
            )
        return codes
    names = as_column(labels).tolist()
    increasing = sorted(set(names))
    if len(increasing) != len(names):
        raise ValueError("Parameter 'labels' must be unique")
    if increasing != names:
        raise ValueError("Parameter 'labels' must be ordered")
    if len(names) != n_columns:
        raise ValueError(
            f"Number of given labels, {len(names)}, not equal to the number of columns in "
            f"'y_score', {n_columns}"
        )
    unknown = [label for label in target.classes if label not in names]
    if unknown:
        raise ValueError(f"'y_true' contains labels not in parameter 'labels': {unknown[0]!r}")
    return np.array([names.index(label) for label in target.classes], dtype=np.intp)[codes]


def matrix_positives(target: Target, scores: Array) -> NDArray[np.uint8]:
    """Return 1 where a multilabel matrix holds 1; refuse scores of another shape."""
    if target.kind != "multilabel-indicator":
        raise unsupported(target)
    if scores.shape != target.codes.shape:
        raise ValueError(
            f"y_score has shape {scores.shape}; expected {target.codes.shape}: one column for "
            "each column of y_true."
        )
    positive: NDArray[np.uint8] = (target.codes == 1).view(np.uint8)
    return positive
