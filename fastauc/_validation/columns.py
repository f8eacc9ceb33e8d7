"""Validates several scores for the same rows: matrices, tables, dicts and lists of columns."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress, zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._validation import samples
from fastauc._validation.arrays import (
    Array,
    OrderKeys,
    as_array,
    read_column,
    read_table,
    read_vectors,
)
from fastauc._validation.errors import check_lengths, invalid_parameter
from fastauc._validation.groups import number_groups
from fastauc._validation.labels import Label, as_labels, match_labels
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_flag, check_pos_label
from fastauc._validation.rows import omit_missing
from fastauc._validation.samples import BinarySample, ScoreRange, WeightRange
from fastauc._validation.threads import Workers

# Whether scores are higher for positives: all of them, or one answer for each column.
Directions = bool | Sequence[bool] | Mapping[Any, bool]


_PAIR = "score_a", "score_b"


class Models(NamedTuple):
    """The rows of a sample, zero weights included, with the scores of one or several models.

    ``n_labels`` counts the distinct labels, ``scores`` are the keys of each model with their range,
    and ``units`` and ``folds`` the group and fold numbers of the rows.
    """

    label: NDArray[np.uint8]
    n_pos: int
    n_labels: int
    scores: list[tuple[OrderKeys, ScoreRange | None]]
    weight: NDArray[np.float64] | None
    weight_range: WeightRange | None
    units: NDArray[np.intp] | None
    folds: NDArray[np.intp] | None = None

    def weighted_sample(self, model: int) -> BinarySample:
        """Return the rows with nonzero weight, with the scores of one model."""
        order, score_range = self.scores[model]
        rows = self.label, order, self.weight, self.n_pos, self.n_labels
        return samples.make_sample(*rows, self.weight_range, score_range)

    def of_sample(self, numbers: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
        """Return the group or fold numbers of the rows with nonzero weight."""
        if numbers is None or self.weight is None or (self.weight != 0).all():
            return numbers
        return np.unique(numbers[self.weight != 0], return_inverse=True)[1]

    def samples(self) -> list[BinarySample]:
        """Return the rows with nonzero weight, with the scores of each model."""
        return [self.weighted_sample(model) for model in range(len(self.scores))]

    def clusters(self) -> NDArray[np.uint32] | None:
        """Return the group numbers of the rows with nonzero weight, as kernels take them."""
        units = self.of_sample(self.units)
        return None if units is None else units.astype(np.uint32)


# The function that reads, its threads, its ``pos_label`` and its ``nan_policy``.
How = tuple[str, Workers, Label | None, NanPolicy]


def read_models(
    how: How,
    y_true: object,
    scores: Mapping[str, object],
    sample_weight: object = None,
    groups: object = None,
    *,
    lower: Collection[str] = (),
    suffix: str = "",
    folds: object = None,
) -> Models:
    """Return a clean sample.

    Errors name the scores by their keys, and the other arguments with the suffix. The scores in
    ``lower`` are lower for positives: they are read in reverse order.
    """
    function, workers, pos_label, nan_policy = how
    check_pos_label(pos_label, function, optional=True)
    name_of_labels = "y_true" + suffix
    name_of_weight, name_of_groups = "sample_weight" + suffix, "groups" + suffix
    given = {name_of_labels: y_true, **scores}
    optional = {name_of_weight: sample_weight, name_of_groups: groups, "folds": folds}
    given |= {name: values for name, values in optional.items() if values is not None}
    given = omit_missing(given, scores, nan_policy, function)
    labels = as_labels(given.pop(name_of_labels), name_of_labels, function)
    columns = {
        name: read_column(values, name, function, exact=True) for name, values in given.items()
    }
    lengths = {name: len(column) for name, column in columns.items()}
    labels = match_labels(labels, lengths, function, name_of_labels)
    label, n_pos, n_labels = samples.read_binary_labels(labels, pos_label, workers, name_of_labels)
    weight = weight_range = units = fold_numbers = None
    if sample_weight is not None:
        given_weight = columns[name_of_weight]
        weight, weight_range = samples.read_weight(given_weight, label, workers, name_of_weight)
    if groups is not None:
        units = number_groups(columns[name_of_groups], name_of_groups, function)
    if folds is not None:
        fold_numbers = number_groups(columns["folds"], "folds", function)
    for name in lower:
        columns[name] = samples.read_opposite(columns[name], function, name)
    keys = [samples.read_keys(columns[name], workers, name) for name in scores]
    return Models(label, n_pos, n_labels, keys, weight, weight_range, units, fold_numbers)


def read_pair(
    how: How,
    y_true: object,
    scores: tuple[object, object],
    directions: object,
    sample_weight: object = None,
    groups: object = None,
) -> Models:
    """Return a sample with two scores."""
    lower = list(compress(_PAIR, find_lower(directions, _PAIR, how[0], scores)))
    rows = y_true, dict(zip(_PAIR, scores, strict=True)), sample_weight, groups
    return read_models(how, *rows, lower=lower)


def read_two_samples(
    how: How,
    y_true: tuple[object, object],
    scores: tuple[object, object],
    directions: object,
    sample_weight: tuple[object, object],
    groups: tuple[object, object],
) -> list[Models]:
    """Return two independent samples with a score each; errors name arguments with suffixes."""
    suffixes = "_a", "_b"
    is_lower = find_lower(directions, _PAIR, how[0], scores)
    rows = zip(y_true, _PAIR, scores, sample_weight, groups, is_lower, suffixes, strict=True)
    return [
        read_models(
            *(how, labels, {name: score}, weight, units),
            lower=[name] if lower else [],
            suffix=suffix,
        )
        for labels, name, score, weight, units, lower, suffix in rows
    ]


def read_columns(
    scores: Any, function: str, name: str = "scores"
) -> tuple[tuple[Any, ...], dict[str, object]]:
    """Return the names of several models, and their scores by the names used in errors.

    A matrix or a DataFrame has one column per model; a sequence has one vector per model.
    """
    if hasattr(scores, "ndim") and read_table(scores) is None:
        matrix = as_array(scores, name, function)
        if matrix.ndim != 2:
            raise ValueError(
                f"{name} is an array of shape {matrix.shape}; expected one column per model, or a "
                "list with one array per model."
            )
        scores = list(matrix.T)
    vectors = read_vectors(scores, name, of_lists=True)
    if vectors is None:
        expected = "a matrix, a DataFrame, or a list of arrays"
        raise invalid_parameter(function, name, expected, scores)
    names, places, columns = vectors
    if not columns:
        raise ValueError(f"{name} contains no models; expected at least one.")
    return tuple(names or range(len(columns))), dict(zip(places, columns, strict=True))


def find_lower(
    directions: object, names: Sequence[Any], function: str, scores: Iterable[object] = ()
) -> list[bool]:
    """Return for each column whether its scores are lower for positives.

    ``directions`` is an argument ``higher_is_positive``; a mapping leaves the others True. It may
    also name ``scores`` that are Series by their own names.
    """
    if isinstance(directions, Mapping):
        own = [getattr(each, "name", None) for each in scores][: len(names)]
        known = dict.fromkeys([*names, *filter(None, own)])
        for name in directions:
            if name not in known:
                listed = ", ".join(map(repr, known))
                raise ValueError(
                    f"higher_is_positive names {name!r}; expected columns of scores: {listed}."
                )
        pairs = zip_longest(names, own)
        flags = [directions.get(name, directions.get(series, True)) for name, series in pairs]
    elif isinstance(directions, (list, tuple, np.ndarray)):
        flags = list(directions)
        if len(flags) != len(names):
            raise ValueError(
                f"higher_is_positive has {len(flags)} entries; expected {len(names)}, one for each "
                "column of scores."
            )
    else:
        flags = [directions] * len(names)
    for flag in flags:
        check_flag(flag, "higher_is_positive", function)
    return [not flag for flag in flags]


def read_rankings(y_scores: object, function: str) -> list[Array]:
    """Return keys in the order of the scores in each column; reject columns that do not match."""
    is_one = isinstance(y_scores, (str, bytes, dict)) or getattr(y_scores, "ndim", 1) == 0
    if not isinstance(y_scores, Iterable) or is_one:
        expected = "a sequence of array-likes, one per ranking"
        raise invalid_parameter(function, "y_scores", expected, y_scores)
    columns: dict[str, Array] = {}
    for number, scores in enumerate(y_scores):
        name = f"y_scores[{number}]"
        columns[name] = read_column(scores, name, function, exact=True)
        check_lengths({place: len(columns[place]) for place in ("y_scores[0]", name)})
    if not columns or len(columns["y_scores[0]"]) == 0:
        found = "holds no rankings" if not columns else "has no rows"
        raise ValueError(f"y_scores {found}; expected at least one.")
    return [samples.read_keys(column, name=name)[0].keys for name, column in columns.items()]


def read_ranking_weights(weights: object, n_rankings: int, function: str) -> NDArray[np.float64]:
    """Return a weight for each ranking: non-negative, not all 0, with a finite sum."""
    column = read_column(weights, "weights", function, optional=True)
    check_lengths({"y_scores": n_rankings, "weights": len(column)})
    return samples.read_weights(column, "weights")
