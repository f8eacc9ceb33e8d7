"""``Rows``: what every function of labels and scores is given, and the one way to read it.

A public function names itself once, to ``Rows``, which checks the options that all of them share.
The values are checked when they are read: by ``sample``, or by ``read_classes`` where there may be
more than two classes. A kernel that takes few clean rows as they are may look at them before.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import (
    BOOL,
    FLOAT64,
    INT64,
    KEY_DTYPES,
    Array,
    as_array,
    as_kernel_array,
    is_missing,
)
from fastauc._validation.labels import Label, positive_codes, read_target
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_flag, check_literal, check_n_jobs, check_pos_label
from fastauc._validation.samples import (
    BinarySample,
    Inputs,
    complete_sample,
    is_clean_weight,
    read_binary_labels,
    read_clean_sample,
    read_inputs,
    read_opposite,
)
from fastauc._validation.threads import (
    ENVIRONMENT,
    RIGHT_SETTINGS,
    SETTING,
    Workers,
    count_threads,
)

T = TypeVar("T")
# Rows at most; converting more would be a separate pass.
_FEW = 1024
_LABEL_DTYPES = {"b": BOOL, "i": INT64, "u": INT64, "f": FLOAT64}  # 0 and 1 stay what they are


class Rows:
    """The rows of one public call: arrays, or encoded labels, whose values are not yet checked.

    ``function`` is its name, for errors; the others are its arguments and options.
    """

    # Faster to make than a named tuple, by 0.1 µs of the 1.3 µs of a small call.
    __slots__ = (
        "function",
        "may_be_clean",
        "n_jobs",
        "pos_label",
        "sample_weight",
        "y_score",
        "y_true",
    )

    def __init__(
        self,
        function: str,
        y_true: Any,
        y_score: Any,
        sample_weight: Any = None,
        pos_label: Label | None = None,
        nan_policy: NanPolicy = "raise",
        n_jobs: int | None = None,
    ) -> None:
        if nan_policy != "raise":
            columns = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
            kept = omit_missing(columns, ["y_score"], nan_policy, function)
            y_true, y_score, sample_weight = kept.values()
        if n_jobs is not None:
            check_n_jobs(n_jobs, function)
        if pos_label is not None:
            check_pos_label(pos_label, function, optional=True)
        if not (type(y_true) is type(y_score) is np.ndarray):
            y_true, y_score, sample_weight = read_inputs(y_true, y_score, sample_weight, function)
        self.function = function
        self.y_true = y_true
        self.y_score = y_score
        self.sample_weight = sample_weight
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        # In a clean sample, the positive label is 1.
        self.may_be_clean = pos_label is None or pos_label == 1

    def read(self) -> None:
        """Convert the arguments to arrays, of equal lengths, before their values are checked."""
        rows = self.y_true, self.y_score, self.sample_weight
        self.y_true, self.y_score, self.sample_weight = read_inputs(*rows, self.function)

    def reverse_unless(self, higher_is_positive: bool) -> None:
        """Read scores that are lower for positives in reverse order."""
        check_flag(higher_is_positive, "higher_is_positive", self.function)
        if not higher_is_positive:
            self.read()
            self.y_score = read_opposite(self.y_score, self.function)

    def in_one_step(self, kernel: Callable[..., T | None]) -> T | None:
        """Return what a kernel says of few clean rows; None where they need a closer look.

        "Few" means at most 1,024 rows; "clean", two arrays of equal length, with labels 0 and 1 and
        finite scores, each of a dtype that the kernel takes, or may be converted to; and contiguous
        positive float64 weights with a finite sum, if the kernel takes weights.
        """
        if SETTING in ENVIRONMENT and ENVIRONMENT[SETTING] not in RIGHT_SETTINGS:
            count_threads(self.n_jobs)  # refuses it unless there is an argument
        y_true, y_score, weight = self.y_true, self.y_score, self.sample_weight
        if not (self.may_be_clean and type(y_true) is type(y_score) is np.ndarray):
            return None
        if weight is None:
            found = kernel(y_true, y_score)
        elif is_clean_weight(weight):
            found = kernel(y_true, y_score, weight)
        else:
            return None
        if found is not None or not (y_true.ndim == y_score.ndim == 1):
            return found
        if max(len(y_true), len(y_score)) > _FEW:
            return None
        label_dtype = _LABEL_DTYPES.get(y_true.dtype.kind)
        score_dtype = KEY_DTYPES.get(y_score.dtype)
        if label_dtype is None or y_true.dtype.itemsize > 8 or score_dtype is None:
            return None
        labels, scores = as_kernel_array(y_true, label_dtype), as_kernel_array(y_score, score_dtype)
        if labels is y_true and scores is y_score:
            return None
        return kernel(labels, scores) if weight is None else kernel(labels, scores, weight)

    def _read_if_unclean(self) -> BinarySample | Inputs:
        """Return a clean sample if the arguments are one as they are, otherwise arrays."""
        rows = self.y_true, self.y_score, self.sample_weight
        clean = read_clean_sample(*rows) if self.may_be_clean else None
        return read_inputs(*rows, self.function) if clean is None else clean

    def sample(self, workers: Workers) -> BinarySample:
        """Return a clean sample in which the rows labeled ``pos_label`` are the positives."""
        found = self._read_if_unclean()
        if isinstance(found, BinarySample):
            return found
        labels = read_binary_labels(found.y_true, self.pos_label, workers)
        return complete_sample(*labels, found, workers)

    def read_classes(self, workers: Workers) -> BinarySample | Inputs:
        """Return a clean sample of two classes, or rows of several, with their labels encoded.

        As scikit-learn's functions for any number of classes read them: without ``pos_label``, the
        greater label is positive, and scores in more than two columns are those of several classes.
        """
        inputs = self._read_if_unclean()
        if isinstance(inputs, BinarySample):
            return inputs
        target = read_target(inputs.y_true, workers)
        scores, pos_label = inputs.y_score, self.pos_label
        several = pos_label is None and scores.ndim == 2 and scores.shape[1] > 2
        if target.kind != "binary" or several:
            return inputs._replace(y_true=target)
        n_labels = len(target.classes)
        if pos_label is None:
            return complete_sample(target.codes, target.n_high, n_labels, inputs, workers)
        return complete_sample(*positive_codes(target, pos_label), n_labels, inputs, workers)


# Missing scores ---------------------------------------------------------------------------------


def find_missing(scores: Array) -> NDArray[np.bool_]:
    """Return which rows lack a score, or one of those of several columns."""
    missing = np.zeros(scores.shape, np.bool_)
    if scores.dtype.kind == "O":
        missing.flat[:] = [is_missing(value) for value in scores.flat]
    elif scores.dtype.kind == "f":
        missing = np.isnan(scores)
    return np.logical_or.reduce(missing, axis=1) if scores.ndim == 2 else missing


def _exact(scores: Array, values: Any) -> Array:
    """Return scores whose integers are not rounded by a null next to them that made them floats."""
    listed = getattr(values, "to_pylist", None) or getattr(values, "to_list", None)
    if listed is None or scores.dtype != FLOAT64 or not (np.abs(scores) >= 2**53).any():
        return scores
    return np.array(listed(), object)


def omit_missing(
    columns: Mapping[str, Any], scores: Collection[str], nan_policy: NanPolicy, function: str
) -> dict[str, Any]:
    """Return columns without the rows in which a score is missing, if ``nan_policy`` is "omit".

    ``scores`` names those that are scores; of those of several classes, none may be missing. Other
    columns may be None. Inconsistent columns are returned unchanged; later checks report what is
    wrong with them.
    """
    kept = dict(columns)
    if nan_policy == "raise":
        return kept
    check_literal(nan_policy, "nan_policy", NanPolicy, function)
    for name, values in columns.items():
        if name in scores:
            kept[name] = _exact(as_array(values, name, function, exact=True), values)
        elif values is not None:
            kept[name] = as_array(values, name, function)
    shapes = {column.shape[:1] for column in kept.values() if column is not None}
    if len(shapes) > 1:
        return dict(columns)
    lacking = np.logical_or.reduce([find_missing(kept[name]) for name in scores])
    if not lacking.any():
        return dict(columns)
    return {name: None if column is None else column[~lacking] for name, column in kept.items()}
