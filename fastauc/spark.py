"""AUC of Spark DataFrames: rows stay on the executors, and only counts are sent back.

One task per partition counts its rows, and the counts are merged. For the exact AUC, the rows that
these leave undecided are read once more, shuffled by their scores, and counted where they are. The
result has the same bits for any partitioning. The executors need fastauc, numpy and pyarrow.

Tasks may be retried or run twice: their result depends on their partition alone. Invalid values in
a column do not make a task fail, which Spark would retry; they are its result, and raised at the
end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastauc._validation.arrays import Array
from fastauc._validation.labels import Label
from fastauc._validation.options import check_pos_label
from fastauc.files import _arrow_format as arrow_format
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._partitions import (
    BucketCount,
    ClusterRows,
    Gatherer,
    Piece,
    at_place,
    check_columns,
    count_pieces,
    describe_columns,
    number_of_tasks,
)
from fastauc.streaming._refinement import RefinedAuc
from fastauc.streaming._undecided import Buckets

__all__ = ["refine_roc_auc", "roc_auc_score", "score_histogram"]


def __dir__() -> list[str]:
    return __all__


# Two rounds merge up to 1,024 partitions into one state, and more of them into one per 1,024.
_MERGED_AT_ONCE = 32
_ROUNDS = 2
# Of a task: either what it found, by the number of its partition or of a bucket, or an error.
_RESULTS = "number int, content binary, error string"
_HINT_FOR_VECTORS = ": with pyspark.ml.functions, vector_to_array(…)[1] is one of a vector"


def score_histogram(
    data: Any,
    y_true: str,
    y_score: str,
    sample_weight: str | None = None,
    *,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> ScoreHistogram:
    """Return the score histogram of both classes, counted in one pass over the rows.

    Parameters
    ----------
    data : pyspark.sql.DataFrame
        The rows, from a classic session or Spark Connect.
    y_true : str
        The label column: numbers, booleans or text, as for ``ScoreHistogram.update``.
    y_score, sample_weight : str
        The score column, and the weight column if any: finite numbers, weights not negative.
    bins, range, edges : optional
        The bins, as for ``ScoreHistogram``.
    pos_label : int, float, bool or str, optional
        As for ``ScoreHistogram.update``.

    Returns
    -------
    ScoreHistogram
        The histogram of all rows; weighted if ``sample_weight`` is given.

    Raises
    ------
    ValueError
        For nulls and for input that ``ScoreHistogram.update`` refuses, with the partition number of
        ``pyspark.sql.functions.spark_partition_id``; for columns that are missing or of the wrong
        type.
    TypeError
        For anything but a Spark DataFrame.
    ImportError
        Without pyspark.

    Notes
    -----
    One pass, O(rows) time for all workers together. A histogram takes up to 14 MB on an executor,
    46 MB if weighted, and 28 or 60 bytes for each non-empty bin when it is sent. Decimals of up to
    15 digits, of any type, are converted to the nearest doubles; longer ones are compared as
    decimals, which is slow. Ties and one class only are handled as in
    ``fastauc.streaming.ScoreHistogram``, which this follows.

    Examples
    --------
    With a session ``spark``:

    >>> from fastauc.spark import score_histogram
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> data = spark.createDataFrame(rows, "label int, score double")
    >>> score_histogram(data, "label", "score").roc_auc()
    ScoreInterval(estimate=0.75, lower=0.75, upper=0.75, exact=True)
    """
    rows = _rows(data, y_true, y_score, sample_weight, pos_label, "score_histogram")
    return rows.histogram(bins, range, edges)


def refine_roc_auc(
    data: Any,
    y_true: str,
    y_score: str,
    sample_weight: str | None = None,
    *,
    tol: float = 0.0,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> RefinedAuc:
    """Return the ROC AUC with its bounds, in one or two readings of the rows.

    Parameters
    ----------
    data, y_true, y_score, sample_weight, bins, range, edges, pos_label
        As for ``score_histogram``.
    tol : float
        The maximum width of the interval; 0 for the exact AUC.

    Returns
    -------
    RefinedAuc
        The result of ``fastauc.streaming.refine_roc_auc`` for the same rows, for any partitioning.

    Raises
    ------
    ValueError
        As for ``score_histogram``; and for rows that differ between the readings.

    Notes
    -----
    Each reading takes O(rows) time for all workers together, computes the DataFrame again unless it
    is persisted, and reads only the named columns of a file. Persist anything random. The second
    one looks at the rows that the histogram leaves undecided, and only if there are any. They are
    brought together in one task for each 2^22 of them, by ranges of scores. Ties and one class only
    are handled as in ``fastauc.streaming.refine_roc_auc``, which this follows.

    Examples
    --------
    With a session ``spark``:

    >>> from fastauc.spark import refine_roc_auc
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> data = spark.createDataFrame(rows, "label int, score double")
    >>> area = refine_roc_auc(data, "label", "score", bins=2, range=(0, 1))
    >>> area.estimate, area.exact, [(step.lower, step.upper) for step in area.passes]
    (0.75, True, [(0.5, 1.0), (0.75, 0.75)])
    """
    rows = _rows(data, y_true, y_score, sample_weight, pos_label, "refine_roc_auc")
    return rows.refine(tol, bins, range, edges)


def roc_auc_score(
    data: Any,
    y_true: str,
    y_score: str,
    sample_weight: str | None = None,
    *,
    tol: float = 0.0,
    pos_label: Label | None = None,
) -> float:
    """Return the ROC AUC: exact, or off by at most half of ``tol``.

    Parameters
    ----------
    data, y_true, y_score, sample_weight, tol, pos_label
        As for ``refine_roc_auc``, which also returns the bounds.

    Returns
    -------
    float
        That of ``fastauc.roc_auc_score`` for the same rows if ``tol`` is 0; NaN, with an
        ``UndefinedMetricWarning``, if there is one class only.

    Raises
    ------
    ValueError
        As for ``refine_roc_auc``.

    Notes
    -----
    One or two readings of O(rows) time, as in ``refine_roc_auc``, which this follows. A tied pair
    counts one half.

    Examples
    --------
    With a session ``spark``:

    >>> from fastauc.spark import roc_auc_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> data = spark.createDataFrame(rows, "label int, score double")
    >>> roc_auc_score(data, "label", "score")
    0.75
    """
    rows = _rows(data, y_true, y_score, sample_weight, pos_label, "roc_auc_score")
    return rows.refine(tol).estimate


def _rows(
    data: Any,
    y_true: str,
    y_score: str,
    sample_weight: str | None,
    pos_label: Label | None,
    function: str,
) -> ClusterRows:
    check_pos_label(pos_label, function, optional=True)
    rows, columns = _selected(data, y_true, y_score, sample_weight)
    how = rows, pos_label, describe_columns(columns)
    count = partial(_count, *how), partial(_count_buckets, *how)
    return ClusterRows(*count, sample_weight is not None, function)


# What the client does ----------------------------------------------------------------------------


def _selected(
    data: Any, y_true: str, y_score: str, sample_weight: str | None
) -> tuple[Any, dict[str, str]]:
    """Return the columns, named for the arguments, after checking their types; and their names."""
    try:
        from pyspark.sql import DataFrame, functions, types
    except ImportError as error:
        raise ImportError(
            "fastauc.spark needs pyspark; install it with pip install 'fastauc[spark]'."
        ) from error
    if not isinstance(data, DataFrame):
        raise TypeError(f"data is of type {type(data).__name__}; expected a pyspark.sql.DataFrame.")
    columns = {"y_true": y_true, "y_score": y_score}
    if sample_weight is not None:
        columns["sample_weight"] = sample_weight
    check_columns(columns, data.columns)
    numbers = (types.NumericType, types.BooleanType)
    for argument, name in columns.items():
        found = data.schema[name].dataType
        takes_text = argument == "y_true"
        if not isinstance(found, (*numbers, types.StringType) if takes_text else numbers):
            expected = "numbers, booleans or text" if takes_text else "numbers"
            hint = _HINT_FOR_VECTORS if found.simpleString() == "vector" else ""
            raise ValueError(
                f"{argument}={name!r} is of type {found.simpleString()}; expected {expected}{hint}."
            )
    quoted = {argument: name.replace("`", "``") for argument, name in columns.items()}
    chosen = (functions.col(f"`{name}`").alias(argument) for argument, name in quoted.items())
    return data.select(*chosen), columns


def _count(rows: Any, pos_label: Label | None, shown: str, empty: ScoreHistogram) -> ScoreHistogram:
    """Return the histogram of all rows; only histograms are sent to the client."""
    from pyspark.sql.functions import expr

    parts = rows.mapInArrow(partial(_count_rows, empty.to_bytes(), pos_label, shown), _RESULTS)
    for _ in range(_ROUNDS):
        near = expr(f"number div {_MERGED_AT_ONCE}")
        parts = parts.repartition(near).mapInArrow(partial(_combined, _merge), _RESULTS)
    for row in _collected(parts):
        empty.merge(ScoreHistogram.from_bytes(bytes(row.content)))
    return empty


def _count_buckets(
    rows: Any, pos_label: Label | None, shown: str, buckets: Buckets
) -> list[BucketCount]:
    """Return the counts of all buckets, which are divided among a few tasks."""
    gathered = rows.mapInArrow(partial(_gather_rows, buckets, pos_label, shown), _RESULTS)
    together = gathered.repartition(number_of_tasks(buckets), "number")
    counted = together.mapInArrow(partial(_combined, partial(_count_pieces, buckets)), _RESULTS)
    return [BucketCount(*json.loads(row.content)) for row in _collected(counted)]


def _collected(results: Any) -> list[Any]:
    rows: list[Any] = results.collect()
    errors = [(row.number, row.error) for row in rows if row.error is not None]
    if errors:
        raise ValueError(min(errors)[1])
    return rows


# What the executors do ----------------------------------------------------------------------------


def _add_all(
    state: ScoreHistogram | Gatherer, batches: Iterable[Any], pos_label: Label | None, shown: str
) -> str | None:
    """Add the rows of a partition, and return the error in its values, if any."""
    n_rows, wrong = 0, None
    for batch in batches:
        # Read to the end in any case: otherwise Spark has to start another Python process.
        if wrong is None:
            try:
                _add_rows(state, batch, pos_label)
            except (ValueError, TypeError) as error:
                place = f"partition {_partition_id()}, its rows from {n_rows} on{shown}"
                wrong = str(at_place(error, place))
        n_rows += batch.num_rows
    return wrong


def _add_rows(state: ScoreHistogram | Gatherer, batch: Any, pos_label: Label | None) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    label, *others = batch.columns
    is_text = pa.types.is_string(label.type) or pa.types.is_large_string(label.type)
    if is_text and isinstance(pos_label, str):
        label, pos_label = pc.equal(label, pos_label), True
    columns = zip([label, *others], batch.schema.names, strict=True)
    state.update(*(_as_array(column, name) for column, name in columns), pos_label=pos_label)


def _count_rows(
    empty: bytes, pos_label: Label | None, shown: str, batches: Iterable[Any]
) -> Iterator[Any]:
    """Return the histogram of a partition, or the error in its values."""
    histogram = ScoreHistogram.from_bytes(empty)
    wrong = _add_all(histogram, batches, pos_label, shown)
    yield _result(_partition_id(), None if wrong else histogram.to_bytes(), wrong)


def _gather_rows(
    buckets: Buckets, pos_label: Label | None, shown: str, batches: Iterable[Any]
) -> Iterator[Any]:
    """Return the undecided rows of a partition, or the error in its values."""
    gatherer = Gatherer(buckets)
    wrong = _add_all(gatherer, batches, pos_label, shown)
    if wrong is not None:
        yield _result(_partition_id(), None, wrong)
    else:
        for piece in gatherer.pieces():
            yield _result(*piece)


def _combined(
    combine: Callable[[list[tuple[int, bytes]]], Iterable[tuple[int, bytes]]],
    batches: Iterable[Any],
) -> Iterator[Any]:
    """Return what the results of some tasks are combined to, or the first error in them."""
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    errors = [(number, error) for number, _, error in rows if error is not None]
    if not errors:
        try:
            for result in combine([row[:2] for row in rows]):
                yield _result(*result)
        except ValueError as error:
            errors = [(_partition_id(), str(error))]
    if errors:
        number, text = min(errors)
        yield _result(number, None, text)


def _merge(states: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    if states:
        histograms = (ScoreHistogram.from_bytes(state) for _, state in states)
        yield _partition_id(), reduce(ScoreHistogram.merge, histograms).to_bytes()


def _count_pieces(buckets: Buckets, pieces: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    for count in count_pieces(buckets, starmap(Piece, pieces)):
        yield count.bucket, json.dumps(count).encode()


def _result(number: int, content: bytes | None, error: str | None = None) -> Any:
    import pyarrow as pa

    kinds = {"number": pa.int32(), "content": pa.binary(), "error": pa.string()}
    row = {"number": number, "content": content, "error": error}
    return pa.RecordBatch.from_pylist([row], pa.schema(kinds))


def _partition_id() -> int:
    from pyspark import TaskContext

    number: int = TaskContext.get().partitionId()
    return number


def _as_array(column: Any, argument: str) -> Array:
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ValueError(f"{argument}[{row}] is null; expected a value in every row.")
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        return arrow_format.from_decimals(column)
    return np.asarray(column.to_numpy(zero_copy_only=False))
