"""AUC of many columns of scores, models or features, for the same labels."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._kernels import inputs as _inputs
from fastauc._pairs.concordance import exact_area
from fastauc._tables import result, to_pandas
from fastauc._validation import samples
from fastauc._validation.arrays import Array, as_array, read_column, read_vectors
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.labels import Label, as_labels, match_labels
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_literal, check_pos_label
from fastauc._validation.rows import find_missing
from fastauc._validation.samples import WeightRange
from fastauc._validation.threads import Workers

_BYTES_OF_A_ROW = 128  # two cache lines
_BYTES_PER_BLOCK = 2**25
_EXPECTED = "a matrix, a DataFrame, a mapping of names to columns, or a list of arrays"


@result("fastauc.groups")
class AucByColumn(NamedTuple):
    """The AUCs of columns, as parallel arrays.

    Attributes
    ----------
    column : ndarray of shape (n_columns,)
        The names in a DataFrame or mapping; otherwise the positions of the columns.
    auc : float64 array of shape (n_columns,)
        NaN if the rows of a column are all of one class.
    n_pos, n_neg : int64 arrays of shape (n_columns,)
        The number of rows of each class with a score in this column, without those with weight 0.

    Examples
    --------
    >>> from fastauc.groups import roc_auc_by_column
    >>> roc_auc_by_column([0, 1, 1], {"a": [1, 2, 3], "b": [2, 2, 1]}).auc
    array([1.  , 0.25])
    """

    column: Array
    auc: NDArray[np.float64]
    n_pos: NDArray[np.int64]
    n_neg: NDArray[np.int64]

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each column of scores."""
        return to_pandas(self)


@result("fastauc.groups")
class FeatureQuality(NamedTuple):
    """How well each feature separates the classes on its own, as parallel arrays.

    Attributes
    ----------
    column, n_pos, n_neg
        As in ``AucByColumn``.
    quality : float64 array of shape (n_columns,)
        ``2 |AUC - 1/2|``: 1 if the feature separates the classes perfectly, 0 if its AUC is 1/2;
        NaN if the rows of a column are all of one class.
    direction : int8 array of shape (n_columns,)
        1 if the positives have higher values, -1 if they have lower values, 0 if neither.

    Examples
    --------
    >>> from fastauc.groups import feature_quality
    >>> feature_quality([0, 1, 1], {"a": [1, 2, 3], "b": [2, 2, 1]}).direction
    array([ 1, -1], dtype=int8)
    """

    column: Array
    quality: NDArray[np.float64]
    direction: NDArray[np.int8]
    n_pos: NDArray[np.int64]
    n_neg: NDArray[np.int64]

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each feature."""
        return to_pandas(self)


class _Columns(NamedTuple):
    """Columns of scores whose values are not yet checked.

    ``names`` are those used in results, and ``places`` those in errors. ``columns`` are arrays, or
    the rows of a transposed matrix; ``at_once`` of these are read together.
    """

    names: Array
    places: list[str]
    columns: Any
    at_once: int = 1

    def read(self, span: slice) -> Any:
        """Return some columns, with contiguous rows if several are read together."""
        found = self.columns[span]
        if self.at_once == 1:
            return found
        cells = np.dtype(f"u{found.itemsize}")
        contiguous = np.empty(found.shape, cells)
        _inputs.take_columns(found.T.view(cells), contiguous)
        return contiguous.view(found.dtype)


class _Area(NamedTuple):
    area: Fraction | None
    n_pos: int
    n_neg: int


# Reading ------------------------------------------------------------------------------------------


def _read_columns(scores: Any, name: str, function: str) -> _Columns:
    """Return the columns of a matrix, a table, a mapping, or a list of arrays."""
    vectors = read_vectors(scores, name)
    if vectors is None:
        return _of_matrix(scores, name, function)
    names, places, values = vectors
    columns = [
        read_column(vector, place, function, exact=True)
        for vector, place in zip(values, places, strict=True)
    ]
    if names is None:
        return _Columns(np.arange(len(columns)), places, columns)
    own_names = np.empty(len(columns), object)
    own_names[:] = names
    return _Columns(own_names, places, columns)


def _of_matrix(scores: Any, name: str, function: str) -> _Columns:
    matrix = as_array(scores, name, function, exact=True)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise invalid_parameter(function, name, _EXPECTED, scores)
    n_rows, n_columns = matrix.shape
    places = [f"{name}[:, {column}]" for column in range(n_columns)]
    at_once = 1
    # Contiguous rows: several columns at a time share a pass through the matrix.
    has_rows = abs(matrix.strides[1]) < abs(matrix.strides[0])
    if has_rows and matrix.dtype.kind in "biuf" and matrix.itemsize <= 8 and matrix.flags.aligned:
        room = _BYTES_PER_BLOCK // max(1, n_rows * matrix.itemsize)
        at_once = max(1, min(_BYTES_OF_A_ROW // matrix.itemsize, room))
    return _Columns(np.arange(n_columns), places, matrix.T, at_once)


# Areas --------------------------------------------------------------------------------------------


class _Labels(NamedTuple):
    label: NDArray[np.uint8]
    n_pos: int
    weight: NDArray[np.float64] | None
    weight_range: WeightRange | None


def _measure_column(column: Array, place: str, labels: _Labels, nan_policy: NanPolicy) -> _Area:
    label, n_pos, weight, weight_range = labels
    if nan_policy == "omit" and (missing := find_missing(column)).any():
        kept = ~missing
        column, label = column[kept], label[kept]
        if len(label) == 0:
            return _Area(None, 0, 0)
        n_pos = int(np.count_nonzero(label))
        if weight is not None:
            weight, weight_range = weight[kept], None
    order, score_range = samples.read_keys(column, name=place)
    n_labels = 2 if 0 < n_pos < len(label) else 1
    sample = samples.make_sample(label, order, weight, n_pos, n_labels, weight_range, score_range)
    if sample.n_pos == 0 or sample.n_neg == 0:
        return _Area(None, sample.n_pos, sample.n_neg)
    return _Area(exact_area(sample), sample.n_pos, sample.n_neg)


def _measure(
    function: str,
    y_true: object,
    scores: object,
    name: str,
    sample_weight: object,
    pos_label: Label | None,
    nan_policy: NanPolicy,
    n_jobs: int | None,
) -> tuple[Array, list[_Area]]:
    """Return the names of the columns, and their AUCs."""
    check_literal(nan_policy, "nan_policy", NanPolicy, function)
    check_pos_label(pos_label, function, optional=True)
    labels = as_labels(y_true, "y_true", function)
    columns = _read_columns(scores, name, function)
    lengths = dict(zip(columns.places, map(len, columns.columns), strict=True))
    weights = weight = weight_range = None
    if sample_weight is not None:
        weights = read_column(sample_weight, "sample_weight", function, optional=True)
        lengths["sample_weight"] = len(weights)
    firsts = {n_rows: place for place, n_rows in reversed(lengths.items())}
    distinct = {firsts[n_rows]: n_rows for n_rows in dict.fromkeys(lengths.values())}
    labels = match_labels(labels, distinct, function)
    with Workers(n_jobs, function) as workers:
        label, n_pos, _ = samples.read_binary_labels(labels, pos_label, workers)
        if weights is not None:
            weight, weight_range = samples.read_weight(weights, label, workers)
        read = _Labels(label, n_pos, weight, weight_range)

        def measure(span: slice) -> list[_Area]:
            return [
                _measure_column(column, place, read, nan_policy)
                for column, place in zip(columns.read(span), columns.places[span], strict=True)
            ]

        starts = range(0, len(columns.places), columns.at_once)
        spans = [slice(start, start + columns.at_once) for start in starts]
        blocks = workers.run_all([partial(measure, span) for span in spans])
    areas = [area for block in blocks for area in block]
    undefined = sum(area.area is None for area in areas)
    if undefined:
        warn_undefined(
            f"{undefined} of {len(areas)} columns have rows of only one class. Their AUC is "
            "undefined."
        )
    return columns.names, areas


# Public functions ---------------------------------------------------------------------------------


def roc_auc_by_column(
    y_true: ArrayLike,
    y_score: Any,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> AucByColumn:
    """Return the AUC of every column of scores, for the same labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    y_score : array-like of shape (n_samples, n_columns)
        Scores in any numeric dtype, one column per model or feature; higher means more likely
        positive. Only equal scores are tied, and a tied pair counts one half. DataFrames, tables
        and mappings provide the names of the columns; a list or tuple of arrays is a list of
        columns, and nested lists are a matrix. A vector is a single column.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; rows with weight 0 are ignored.
    pos_label, n_jobs
        As for ``roc_auc_by_group``; threads are used across columns.
    nan_policy : {"raise", "omit"}
        The treatment of missing scores (NaN or None): raise an error, or omit the rows in the
        columns where they are missing. Infinity is an error.

    Returns
    -------
    AucByColumn
        One entry per column. ``auc`` follows ``roc_auc_score``: if unweighted, the double nearest
        to the exact fraction; if weighted, within 4 ulp. NaN, with one ``UndefinedMetricWarning``
        for all columns, where only one class is left.

    Raises
    ------
    ValueError
        Same as ``roc_auc_score``, with the name of the column.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.

    Notes
    -----
    A column takes the time of ``roc_auc_score`` without reading the labels, which are read once.
    Row-major matrices are read a few columns at a time, which takes up to 32 MB per thread.

    Examples
    --------
    >>> from fastauc.groups import roc_auc_by_column
    >>> y_score = [[0.1, 3], [0.4, 1], [0.35, 2], [0.8, 1]]
    >>> roc_auc_by_column([0, 0, 1, 1], y_score).auc
    array([0.75 , 0.375])
    """
    options = sample_weight, pos_label, nan_policy, n_jobs
    names, areas = _measure("roc_auc_by_column", y_true, y_score, "y_score", *options)
    values = [math.nan if area is None else float(area) for area, _, _ in areas]
    return AucByColumn(names, np.array(values), *_counts(areas))


def feature_quality(
    y_true: ArrayLike,
    X: Any,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> FeatureQuality:
    """Return how well each feature separates two classes on its own: ``2 |AUC - 1/2|``.

    Parameters
    ----------
    y_true, sample_weight, pos_label, nan_policy, n_jobs
        As for ``roc_auc_by_column``.
    X : array-like of shape (n_samples, n_features)
        Features, in any form of the scores there.

    Returns
    -------
    FeatureQuality
        One entry per feature. If unweighted, ``quality`` is the double nearest to
        ``|concordant - discordant| / (n_pos n_neg)``; if weighted, within 1e-15 of its exact value.
        It is unchanged if the sign of a feature is reversed. NaN, with one
        ``UndefinedMetricWarning`` for all features, where only one class is left.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``roc_auc_by_column``.

    Notes
    -----
    Time, memory and ties as for ``roc_auc_by_column``. It is the absolute value of the Gini
    coefficient, of Somers' D (R. H. Somers, Am. Sociol. Rev. 27 (1962) 799-811), and of the
    rank-biserial correlation.

    Examples
    --------
    >>> from fastauc.groups import feature_quality
    >>> features = feature_quality([0, 0, 1, 1], [[5, 1], [3, 1], [4, 1], [1, 1]])
    >>> features.quality, features.direction
    (array([0.5, 0. ]), array([-1,  0], dtype=int8))
    """
    options = sample_weight, pos_label, nan_policy, n_jobs
    names, areas = _measure("feature_quality", y_true, X, "X", *options)
    gini = [None if area is None else 2 * area - 1 for area, _, _ in areas]
    quality = np.array([math.nan if g is None else float(abs(g)) for g in gini])
    direction = np.array([0 if not g else (1 if g > 0 else -1) for g in gini], np.int8)
    return FeatureQuality(names, quality, direction, *_counts(areas))


def _counts(areas: list[_Area]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    n_pos, n_neg = np.array([area[1:] for area in areas], np.int64).reshape(-1, 2).T
    return n_pos.copy(), n_neg.copy()
