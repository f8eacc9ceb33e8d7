"""AUC of Spark DataFrames: rows stay on the executors, and only counts are sent back.

One task per partition counts its rows (``mapInArrow``), and the counts are merged in a tree of
shuffles. The result is the same, to the last bit, as that of one process, for any partitioning.
The executors need fastauc, numpy and pyarrow.

Tasks may be retried or run twice: their result depends on their partition alone. Invalid values in
a column do not make a task fail, which Spark would retry; they are its result, and raised at the
end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastauc._validation.arrays import Array
from fastauc._validation.labels import Label
from fastauc._validation.options import check_pos_label
from fastauc.files import _arrow_format as arrow_format
from fastauc.files._memory import (
    BYTES_OF_SENT_KEY,
    BYTES_OF_SENT_WEIGHTED_KEY,
    parse_size,
    process_memory,
    rows_on_cluster,
)
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._partitions import (
    ClusterRows,
    Part,
    State,
    add_parts,
    are_collected,
    at_place,
    check_columns,
    describe_columns,
    empty_part,
    merge_states,
)
from fastauc.streaming._refinement import RefinedAuc

__all__ = ["refine_roc_auc", "roc_auc_score", "score_histogram"]


def __dir__() -> list[str]:
    return __all__


# Two rounds merge up to 1,024 partitions into one state, and more of them into one per 1,024.
_MERGED_AT_ONCE = 32
_ROUNDS = 2
# Copies of the rows in Java: 1 GB was enough for 67 MB of rows, and too little for 134 MB.
_COPIES = 10
# Spark's default for a session without a setting, and the largest size of a Java array.
_DEFAULT_MEMORY, _LARGEST_RESULT = "1g", 2**31
# Either a state, or the error in the partition of this number.
_SCHEMA = "partition int, state binary, error string"
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
        The label column: numbers, booleans or text, of two classes; of more if ``pos_label`` is
        given.
    y_score : str
        The score column: finite numbers; higher means more likely positive.
    sample_weight : str, optional
        The weight column: non-negative numbers.
    bins, range, edges : optional
        The bins, as for ``ScoreHistogram``.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.

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
    A histogram takes up to 14 MB on an executor, 46 MB if weighted, and 28 or 60 bytes for each
    non-empty bin when it is sent. Decimals of up to 15 digits are converted to the nearest doubles;
    longer ones are compared as decimals, which is slow.

    One pass, O(rows) time for all workers together. Rows of one class only are not an error: the
    methods of the histogram then report what is undefined. Ties are exact in bins with a single
    distinct score; see ``fastauc.streaming.ScoreHistogram``, which this follows.

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
    max_rows: int | None = None,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> RefinedAuc:
    """Return the ROC AUC with its bounds, in as many passes as it takes.

    Parameters
    ----------
    data, y_true, y_score, sample_weight
        The rows, as for ``score_histogram``.
    tol : float
        The maximum width of the interval; 0 for the exact AUC.
    max_rows : int, optional
        The maximum number of rows, of 8 bytes or 16 if weighted, sent to the client in a pass, in
        addition to counts of at most about 2^20 bins. If left out, as many as fit ten times over
        into half of the smallest of the client's memory, ``spark.driver.memory`` and
        ``spark.executor.memory``, and once into half of ``spark.driver.maxResultSize``: at most
        2^27; or 2^22 if one of these memories is not a size.
    bins, range, edges, pos_label : optional
        As for ``score_histogram``.

    Returns
    -------
    RefinedAuc
        What ``fastauc.streaming.refine_roc_auc`` returns for the same rows, for any partitioning.

    Raises
    ------
    ValueError
        As for ``score_histogram``; and for rows that differ between passes.

    Notes
    -----
    Each pass computes the DataFrame again unless it is persisted, and reads only the named columns
    of a file. Persist anything random.

    Each pass takes O(rows) time for all workers together. As in
    ``fastauc.streaming.refine_roc_auc``, which this follows, a tied pair counts one half,
    and one class only gives NaN with an ``UndefinedMetricWarning``.

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
    return rows.refine(tol, max_rows, bins, range, edges)


def roc_auc_score(
    data: Any,
    y_true: str,
    y_score: str,
    sample_weight: str | None = None,
    *,
    tol: float = 0.0,
    max_rows: int | None = None,
    pos_label: Label | None = None,
) -> float:
    """Return the ROC AUC: exact, or off by at most half of ``tol``.

    Parameters
    ----------
    data, y_true, y_score, sample_weight, pos_label
        The rows, as for ``score_histogram``.
    tol, max_rows
        As for ``refine_roc_auc``, which also returns the bounds.

    Returns
    -------
    float
        In [0, 1]; NaN, with an ``UndefinedMetricWarning``, if there is one class only.

    Raises
    ------
    ValueError
        As for ``refine_roc_auc``.

    Notes
    -----
    One or more passes of O(rows) time, as in ``refine_roc_auc``. A tied pair counts one half. The
    exact result is that of ``fastauc.roc_auc_score`` for the same rows, which follows scikit-learn.

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
    return rows.refine(tol, max_rows).estimate


def _rows(
    data: Any,
    y_true: str,
    y_score: str,
    sample_weight: str | None,
    pos_label: Label | None,
    function: str,
) -> ClusterRows:
    check_pos_label(pos_label, function, optional=True)
    columns = _read_columns(data, y_true, y_score, sample_weight)
    weighted = sample_weight is not None
    return ClusterRows(
        partial(_count, data=data, columns=columns, pos_label=pos_label),
        weighted,
        partial(_plan_rows, data.sparkSession.conf, weighted=weighted),
        function,
    )


# What the client does ----------------------------------------------------------------------------


def _read_columns(
    data: Any, y_true: str, y_score: str, sample_weight: str | None
) -> dict[str, str]:
    """Return the column for each argument, after checking its type."""
    try:
        from pyspark.sql import DataFrame, types
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
    return columns


def _plan_rows(conf: Any, *, weighted: bool) -> int:
    """Return how many rows to collect in a pass, by the memory of client, driver and executors.

    They take at most half of the result size that the driver accepts.
    """
    is_local = conf.get("spark.master", "").startswith("local")  # where the driver executes
    names = ("driver",) if is_local else ("driver", "executor")
    java = [_bytes_of(conf, f"spark.{name}.memory", "m") for name in names]
    n_rows = rows_on_cluster([process_memory(), *java], _COPIES, weighted=weighted)
    results = _bytes_of(conf, "spark.driver.maxResultSize", "") or _LARGEST_RESULT
    of_row = BYTES_OF_SENT_WEIGHTED_KEY if weighted else BYTES_OF_SENT_KEY
    return min(n_rows, min(results, _LARGEST_RESULT) // (2 * of_row))


def _bytes_of(conf: Any, name: str, unit: str) -> int:
    """Return a size from the configuration; 0 if it is not a size, as without a limit."""
    text = conf.get(name, _DEFAULT_MEMORY)
    try:
        return parse_size(text + unit if text.isdigit() else text)
    except ValueError:
        return 0


def _count(empty: Any, data: Any, columns: Mapping[str, str], pos_label: Label | None) -> Any:
    """Return the sum of a state over all rows; only states are sent to the client."""
    from pyspark.sql.functions import col, expr

    kind = type(empty)
    quoted = {argument: name.replace("`", "``") for argument, name in columns.items()}
    rows = data.select(*(col(f"`{name}`").alias(argument) for argument, name in quoted.items()))
    count = partial(_count_rows, kind, empty.to_bytes(), pos_label, describe_columns(columns))
    parts = rows.mapInArrow(count, _SCHEMA)
    for _ in range(0 if are_collected(empty) else _ROUNDS):
        near = expr(f"partition div {_MERGED_AT_ONCE}")
        parts = parts.repartition(near).mapInArrow(partial(_merge_parts, kind), _SCHEMA)
    collected = parts.collect()
    errors = [(row.partition, row.error) for row in collected if row.error is not None]
    if errors:
        raise ValueError(min(errors)[1])
    return add_parts(empty, (bytes(row.state) for row in collected))


# What the executors do ----------------------------------------------------------------------------


def _count_rows(
    kind: type[State],
    empty: bytes,
    pos_label: Label | None,
    shown: str,
    batches: Iterable[Any],
) -> Iterator[Any]:
    """Return the state of a partition, or the error in its values."""
    part, n_rows, wrong = empty_part(kind, empty), 0, None
    for batch in batches:
        # Read to the end in any case: otherwise Spark has to start another Python process.
        if wrong is None:
            try:
                _add_rows(part, batch, pos_label)
            except (ValueError, TypeError) as error:
                place = f"partition {_partition_id()}, its rows from {n_rows} on{shown}"
                wrong = str(at_place(error, place))
        n_rows += batch.num_rows
    if wrong is None:
        yield _as_batch(_partition_id(), part.to_bytes())
    else:
        yield _as_batch(_partition_id(), error=wrong)


def _add_rows(part: Part, batch: Any, pos_label: Label | None) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    label, *others = batch.columns
    is_text = pa.types.is_string(label.type) or pa.types.is_large_string(label.type)
    if is_text and isinstance(pos_label, str):
        label, pos_label = pc.equal(label, pos_label), True
    columns = zip([label, *others], batch.schema.names, strict=True)
    part.update(*(_as_array(column, name) for column, name in columns), pos_label=pos_label)


def _merge_parts(kind: type[State], batches: Iterable[Any]) -> Iterator[Any]:
    """Return the sum of the states of some partitions, or the first error in them."""
    parts = [part for batch in batches for part in batch.to_pylist()]
    errors = [(part["partition"], part["error"]) for part in parts if part["error"] is not None]
    if errors:
        number, text = min(errors)
        yield _as_batch(number, error=text)
    elif parts:
        yield _as_batch(_partition_id(), merge_states(kind, [part["state"] for part in parts]))


def _partition_id() -> int:
    from pyspark import TaskContext

    number: int = TaskContext.get().partitionId()
    return number


def _as_batch(number: int, state: bytes | None = None, *, error: str | None = None) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [pa.array([number], pa.int32()), pa.array([state], pa.binary()), pa.array([error])],
        ["partition", "state", "error"],
    )


def _as_array(column: Any, argument: str) -> Array:
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ValueError(f"{argument}[{row}] is null; expected a value in every row.")
    if arrow_format.are_doubles(column.type):
        return arrow_format.as_doubles(column)
    return np.asarray(column.to_numpy(zero_copy_only=False))
