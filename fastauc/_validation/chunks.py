"""Validates the input of ``ScoreHistogram``: chunks, bins and edges, pre-aggregated counts."""

import math
import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._validation import arrays
from fastauc._validation.arrays import Array
from fastauc._validation.errors import check_lengths, invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_pos_label
from fastauc._validation.samples import (
    as_float64,
    check_signs,
    read_binary_labels,
    read_inputs,
    read_keys,
    read_scores,
)
from fastauc._validation.threads import SERIAL, Workers

MOST_BINS = 2**24
# In narrower bins, the difference of two scores may be a subnormal number, on which processors do
# not all agree.
_LEAST_WIDTH = 2.0**-900


class Chunk(NamedTuple):
    """Clean rows for a histogram, one chunk of many: of no class, of one, or of both."""

    label: NDArray[np.uint8]
    score: Array  # float32 or float64
    rounded: NDArray[np.uint8]
    """1 if a score is not represented exactly by its double; empty if all scores are."""
    weight: NDArray[np.float64] | None
    total: float
    """The sum of the weights; it may be infinite."""
    n_pos: int


_NO_ROWS = Chunk(np.empty(0, arrays.UINT8), np.empty(0), np.empty(0, arrays.UINT8), None, 0.0, 0)


def read_chunk(
    y_true: object,
    y_score: object,
    sample_weight: object,
    pos_label: Label | None,
    function: str,
    workers: Workers = SERIAL,
) -> Chunk:
    """Return clean rows, possibly none, in which those labeled ``pos_label`` are the positives."""
    check_pos_label(pos_label, function, optional=True)
    labels, scores, weights = read_inputs(y_true, y_score, sample_weight, function)
    is_empty = isinstance(labels, np.ndarray) and labels.size == scores.size == 0
    if is_empty and (weights is None or weights.size == 0):
        return _NO_ROWS
    label, n_pos, _ = read_binary_labels(labels, pos_label, workers)
    column = arrays.as_column(scores, "y_score")
    weight, total = None, 0.0
    if weights is not None:
        weight = as_float64(weights, "sample_weight")
        total = check_signs(label, weight, workers)[0]
    score, rounded = arrays.as_doubles(read_scores(column, workers))
    return Chunk(label, score, rounded, weight, total, n_pos)


def read_exact_chunk(
    y_true: object, y_score: object, pos_label: Label | None, function: str
) -> Chunk:
    """Return clean rows without weights; reject scores that doubles do not represent exactly."""
    chunk = read_chunk(y_true, y_score, None, pos_label, function)
    if chunk.rounded.any():
        position = int(np.argmax(chunk.rounded))
        raise ValueError(
            f"y_score[{position}] has no exact double (nearest: {float(chunk.score[position])!r}); "
            "expected scores that doubles represent exactly."
        )
    return chunk


def check_bins(bins: Any, span: Any, function: str) -> tuple[int, float, float]:
    """Return the number of bins and their range."""
    is_integer = isinstance(bins, numbers.Integral) and not isinstance(bins, bool)
    if not (is_integer and 1 <= bins <= MOST_BINS):
        raise invalid_parameter(function, "bins", f"an int from 1 to {MOST_BINS} or None", bins)
    expected = "two finite numbers in increasing order, given together with bins"
    try:
        low, high = (float(bound) for bound in span)
    except (TypeError, ValueError, OverflowError):
        raise invalid_parameter(function, "range", expected, span) from None
    if not (math.isfinite(high - low) and low < high):
        raise invalid_parameter(function, "range", expected, span)
    if (high - low) / int(bins) < _LEAST_WIDTH or 0 < abs(low) < 2.0**-1000:
        raise invalid_parameter(function, "range", "a range with bins wider than 2**-900", span)
    return int(bins), low, high


def read_edges(edges: object, function: str) -> NDArray[np.float64]:
    """Return a copy of the edges as finite and strictly increasing doubles."""
    column = as_float64(arrays.read_column(edges, "edges", function, exact=True), "edges")
    read_keys(column, name="edges")
    falls = np.flatnonzero(column[1:] <= column[:-1])
    if len(falls):
        i = int(falls[0]) + 1
        raise ValueError(
            f"edges[{i}] is {column[i]} after {column[i - 1]}; expected increasing numbers."
        )
    if not 1 <= len(column) <= MOST_BINS:
        raise ValueError(f"edges has {len(column)} entries; expected 1 to {MOST_BINS}.")
    return column + 0.0


def read_class_counts(n_pos: object, n_neg: object, function: str) -> list[Array]:
    """Return the counts of both classes, of equal lengths."""
    columns = {
        name: arrays.read_column(values, name, function)
        for name, values in (("n_pos", n_pos), ("n_neg", n_neg))
    }
    check_lengths({name: len(column) for name, column in columns.items()})
    return [_read_counts(column, name) for name, column in columns.items()]


def _read_counts(array: Array, name: str) -> Array:
    """Return non-negative counts as an array of Python integers, or weights as float64."""
    if len(array) == 0:
        raise ValueError(f"{name} is empty; expected counts for at least one score.")
    if array.dtype.kind in "iub" or (
        array.dtype.kind == "O" and all(isinstance(v, numbers.Integral) for v in array)
    ):
        counts = np.array([int(value) for value in array.tolist()] + [None], object)[:-1]
    else:
        counts = as_float64(array, name)
        read_keys(counts, name=name)
    if (counts < 0).any():
        i = int(np.argmax(counts < 0))
        raise ValueError(f"{name}[{i}] is {counts[i]}; expected counts or weights of 0 or more.")
    return counts
