"""Validates ``y_true``: binary, multiclass, a multilabel matrix, or invalid.

The labels are encoded once, here; ``_validation`` and the function itself decide whether their type
is supported. Error messages start with scikit-learn's sentence where it has one.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import inputs as _inputs
from fastauc._validation import arrays
from fastauc._validation.arrays import Array, Dictionary
from fastauc._validation.errors import check_lengths
from fastauc._validation.threads import ROWS_READ_PER_THREAD, SERIAL, Workers, row_blocks

Label = bool | int | float | str

# The narrowest kernel dtype that represents labels of a dtype exactly, and the kernel for it.
_ENCODERS = arrays.by_dtype(
    {
        "?": (arrays.BOOL, _inputs.encode_labels["uint8_t"]),
        "i1": (arrays.INT8, _inputs.encode_labels["int8_t"]),
        "u1": (arrays.UINT8, _inputs.encode_labels["uint8_t"]),
        **dict.fromkeys(("i2", "u2", "i4"), (arrays.INT32, _inputs.encode_labels["int32_t"])),
        **dict.fromkeys(("u4", "i8"), (arrays.INT64, _inputs.encode_labels["int64_t"])),
        **dict.fromkeys(("f2", "f4"), (arrays.FLOAT32, _inputs.encode_labels["float"])),
        "f8": (arrays.FLOAT64, _inputs.encode_labels["double"]),
    }
)

_BYTES = (
    "Support for labels represented as bytes is not supported. "
    "Convert the labels to a string or integer format."
)


class Target(NamedTuple):
    """The type and the encoding of the labels in ``y_true``.

    ``kind`` is scikit-learn's name: "binary", "multiclass", "multilabel-indicator", "continuous", …
    ``codes`` are positions in ``classes``, which increase: uint8 if binary (1 if there is only one
    class), intp if multiclass; a multilabel matrix itself; otherwise empty. ``n_high`` counts the
    rows with the last class, if binary. Unless binary or multilabel, ``odd`` is the first element
    that rules out two classes, and its value.
    """

    kind: str
    codes: Array
    classes: tuple[Label, ...]
    n_high: int = 0
    odd: str = ""


# Like scikit-learn, these refuse numbers in an array of objects, as ``dropna`` leaves them.
_DROP_IN = {
    *("average_precision_score", "confusion_matrix_at_thresholds", "det_curve"),
    *("precision_recall_curve", "roc_auc_score", "roc_curve"),
}
# Containers whose labels may be known without converting them to an array.
_LIBRARIES = ("pandas", "polars", "pyarrow")


def as_labels(values: object, name: str, function: str) -> Array | Target:
    """Return an array of labels, or encoded labels if their container stores them by number."""
    if isinstance(values, Target):
        return values
    if arrays.array_of(values) is None and type(values).__module__.startswith(_LIBRARIES):
        dictionary = arrays.read_dictionary(values)
        target = None if dictionary is None else _read_dictionary(dictionary)
        if target is not None:
            return target
    return arrays.as_array(values, name, function)


def match_labels(
    labels: Array | Target, lengths: dict[str, int], function: str, name: str = "y_true"
) -> Array | Target:
    """Compare lengths, and return encoded labels if these are numbers in an array of objects.

    In this order: a broadcast array has any number of rows, and encoding takes memory for each.
    Without labels, nothing is compared: that there are none is said later.
    """
    rows = labels.codes if isinstance(labels, Target) else labels
    if not (rows.ndim and rows.size):
        return labels
    check_lengths({name: len(rows), **lengths})
    if rows.dtype.kind != "O" or rows.size != len(rows) or function in _DROP_IN:
        return labels
    return _read_words(rows.reshape(-1), of_numbers=True)


def _read_numbers(column: Array, codes: Array, words: list[Any]) -> Target:
    """Return the labels of an array of objects that are numbers of any type."""
    classes: list[Any] = []
    firsts = np.unique(codes, return_index=True)[1].tolist()
    for position, word in zip(firsts, words, strict=True):
        exact = arrays.exact_number(word, "y_true", position, column, "y_true ")
        if exact.denominator != 1:
            return _other("continuous", column, position)
        classes.append(exact.numerator)
    if all(isinstance(word, (bool, np.bool_)) for word in words):
        classes = list(map(bool, classes))
    return _of_words(codes, classes)


def _read_dictionary(dictionary: Dictionary) -> Target | None:
    """Return the labels of rows stored by number; None if each row must be checked for an error."""
    codes, values, _ = dictionary
    if len(codes) == 0 or codes.min() < 0:
        return None
    low, high = int(codes.min()), int(codes.max())
    present = np.arange(low, high + 1)
    if high - low > 1:  # those in between may not occur
        present = np.flatnonzero(np.bincount(codes.astype(np.intp, copy=False)))
    try:
        target = read_target(values[present])
    except (TypeError, ValueError):
        return None
    if target.kind not in ("binary", "multiclass"):
        return None
    ranks = np.zeros(len(values), target.codes.dtype)
    ranks[present] = target.codes
    codes = ranks.take(codes)
    if target.kind == "binary":
        return target._replace(codes=codes, n_high=int(np.count_nonzero(codes)))
    third = _encode_two(codes, SERIAL)[-1]
    return target._replace(
        codes=codes, odd=f"y_true[{third}] is {arrays.as_python(target.classes[codes[third]])!r}"
    )


def read_target(array: Array | Target, workers: Workers = SERIAL) -> Target:
    """Return the encoded labels, whatever their type; only invalid labels are rejected."""
    if isinstance(array, Target):
        return array
    if array.ndim and len(array) == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required. "
            "y_true is empty."
        )
    if array.ndim == 1:
        return _read_column(array, workers)
    if array.ndim != 2:
        return _other("unknown", array, None)
    if array.shape[1] > 1:
        return _read_matrix(array, workers)
    return _read_column(arrays.as_column(array, "y_true"), workers)


def _other(kind: str, array: Array, position: int | None) -> Target:
    if position is None:
        odd = f"y_true has shape {array.shape} and dtype {array.dtype}"
    else:
        place = arrays.locate("y_true", position, array)
        odd = f"{place} is {arrays.as_python(array.flat[position])!r}"
    return Target(kind, np.empty(0, np.uint8), (), odd=odd)


def _encode_two(labels: Array, workers: Workers) -> tuple[Array, Any, Any, int, int]:
    """Return codes, the lower and higher label, how many are higher, and the first odd one out."""
    encoder = _ENCODERS.get(labels.dtype)
    if encoder is None:  # unsigned integers of 64 bits and long doubles
        order = arrays.order_keys(labels, "y_true")
        codes, low, high, n_high, third = _encode_two(order.keys, workers)
        low, high = order.restore(np.array([low, high], order.keys.dtype)).tolist()
        return codes, low, high, n_high, third
    dtype, encode_labels = encoder
    labels = arrays.as_kernel_array(labels, dtype)
    codes = np.empty(len(labels), arrays.UINT8)
    if len(labels) < 2 * ROWS_READ_PER_THREAD:
        low, high, n_high, third = encode_labels(labels, codes)
    else:
        low, high, n_high, third = _encode_blocks(encode_labels, labels, codes, workers)
    if dtype is arrays.BOOL:
        if third >= 0 or high > 1:  # True stored as another byte than 1, as in a view of integers
            return _encode_two(labels.astype(arrays.UINT8).astype(arrays.BOOL), workers)
        return codes, bool(low), bool(high), n_high, third
    return codes, low, high, n_high, third


def _encode_blocks(
    encode_labels: Callable[[Array, Array], tuple[Any, Any, int, int]],
    labels: Array,
    codes: Array,
    workers: Workers,
) -> tuple[Any, Any, int, int]:
    blocks = row_blocks(len(labels), workers, ROWS_READ_PER_THREAD)
    tasks = [partial(encode_labels, labels[rows], codes[rows]) for rows in blocks]
    lows, highs, counts, thirds = zip(*workers.run_all(tasks), strict=True)
    low, high, n_high = min(lows), max(highs), sum(counts)
    if max(thirds) >= 0 or not {*lows, *highs} <= {low, high}:
        return encode_labels(labels, codes)  # the first odd row of the whole array
    for rows, block_high, count in zip(blocks, highs, counts, strict=True):
        if block_high != high:  # a block with a single label, which is the lower one
            codes[rows] = 0
            n_high -= count
    return low, high, n_high, -1


def _are_classes(kind: str, low: Any, high: Any) -> bool:
    return kind != "f" or (low.is_integer() and high.is_integer())


def _find_fractional(labels: Array) -> int | None:
    """Return the position of the first label that is no whole number; reject NaN and infinity."""
    if labels.dtype.kind != "f":
        return None
    finite = np.isfinite(labels)
    if not finite.all():
        raise arrays.nonfinite_error("y_true", int(np.argmin(finite)), labels, "y_true ")
    fractional = labels != np.trunc(labels)
    return int(np.argmax(fractional)) if fractional.any() else None


def _read_column(column: Array, workers: Workers) -> Target:
    kind = column.dtype.kind
    if kind not in "biuf":
        return _read_words(column)
    codes, low, high, n_high, third = _encode_two(column, workers)
    if third < 0 and _are_classes(kind, low, high):
        return Target("binary", codes, (low,) if low == high else (low, high), n_high)
    fractional = _find_fractional(column)
    if fractional is not None:
        return _other("continuous", column, fractional)
    classes, positions = np.unique(column, return_inverse=True)
    odd = f"y_true[{third}] is {arrays.as_python(column[third])!r}"
    return Target("multiclass", positions, tuple(classes.tolist()), odd=odd)


def _read_words(column: Array, *, of_numbers: bool = False) -> Target:
    """Return the labels of strings, and optionally of an array of objects that are numbers."""
    if column.dtype.kind == "S" or isinstance(column[0], bytes):
        raise TypeError(f"{_BYTES} y_true[0] is {arrays.as_python(column[0])!r}.")
    if column.dtype.kind not in "OUT":
        return _other("unknown", column, 0)
    try:
        codes, words = arrays.number_words(column)
    except TypeError:  # not hashable
        codes, words = np.arange(len(column)), column.tolist()
    for code, word in enumerate(words):
        if arrays.is_missing(word):
            raise ValueError(
                f"Input y_true contains NaN. y_true[{np.argmax(codes == code)}] is {word!r}; "
                "expected a label."
            )
        if isinstance(words[0], str) and not isinstance(word, str):
            raise ValueError(
                f"y_true[{np.argmax(codes == code)}] is {word!r}; expected a str like the labels "
                "before it."
            )
    if of_numbers and all(map(arrays.is_number, words)):
        return _read_numbers(column, codes, words)
    return _of_words(codes, words) if isinstance(words[0], str) else _other("unknown", column, 0)


def _of_words(codes: Array, words: list[Any]) -> Target:
    """Return the labels of rows that have the numbers of distinct words, in order of appearance."""
    order = sorted(range(len(words)), key=words.__getitem__)
    names = tuple(words[code] for code in order)
    if len(names) == 1:
        return Target("binary", np.ones(len(codes), arrays.UINT8), names, len(codes))
    ranks = np.empty(len(names), arrays.UINT8 if len(names) == 2 else np.intp)
    ranks[order] = np.arange(len(names))
    positions = ranks.take(codes)
    if len(names) == 2:
        return Target("binary", positions, names, int(np.count_nonzero(positions)))
    third = np.argmax(codes == 2)
    return Target(
        "multiclass", positions, names, odd=f"y_true[{third}] is {arrays.as_python(words[2])!r}"
    )


def _read_matrix(matrix: Array, workers: Workers) -> Target:
    if matrix.dtype.kind not in "biuf":
        return _other("unknown", matrix, 0)
    _, low, high, _, third = _encode_two(np.ascontiguousarray(matrix).ravel(), workers)
    if third < 0 and _are_classes(matrix.dtype.kind, low, high):
        classes = (low,) if low == high else (low, high)
        return Target("multilabel-indicator", matrix, classes)
    fractional = _find_fractional(matrix)
    if fractional is not None:
        return _other("continuous-multioutput", matrix, fractional)
    return _other("multiclass-multioutput", matrix, third)


def unsupported(target: Target) -> ValueError:
    """Return the error for a type of labels that the function does not support."""
    found = f"; {target.odd}" if target.odd else ""
    return ValueError(
        f"{target.kind} format is not supported: y_true must hold the labels of two classes{found}."
    )


def positive_codes(
    target: Target, pos_label: Label | None, name: str = "y_true"
) -> tuple[NDArray[np.uint8], int]:
    """Return uint8 codes that are 1 where the label is ``pos_label``, and how many are 1.

    A label that is not there may be the other one of a single class, but not a third.
    """
    if pos_label is None:
        pos_label = implied_pos_label(target.classes, name)
    if pos_label not in target.classes:
        if len(target.classes) > 1:
            raise ValueError(
                f"pos_label={pos_label!r} is not a valid label. It should be one of "
                f"{np.array(target.classes)}"
            )
        return np.zeros(len(target.codes), np.uint8), 0
    position = target.classes.index(pos_label)
    if target.kind == "multiclass":
        codes = (target.codes == position).view(np.uint8)
        return codes, int(np.count_nonzero(codes))
    if position == len(target.classes) - 1:
        return target.codes, target.n_high
    return 1 - target.codes, len(target.codes) - target.n_high


def implied_pos_label(classes: tuple[Label, ...], name: str = "y_true") -> Label:
    if not (
        not isinstance(classes[0], str) and (set(classes) <= {0, 1} or set(classes) <= {-1, 1})
    ):
        shown = ", ".join(repr(label) for label in classes)
        raise ValueError(
            f"{name} takes value in {{{shown}}} and pos_label is not specified: either make {name} "
            "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def columns_of_labels(target: Target, labels: Array | None, n_columns: int) -> NDArray[np.intp]:
    """Return the score column for the label of each row."""
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
    names = arrays.as_column(labels, "labels").tolist()
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
    """Return 1 where a multilabel matrix is 1; reject scores of a different shape."""
    if scores.shape != target.codes.shape:
        raise ValueError(
            f"y_score has shape {scores.shape}; expected {target.codes.shape}: one column per "
            "column of y_true."
        )
    positive: NDArray[np.uint8] = (target.codes == 1).view(np.uint8)
    return positive
