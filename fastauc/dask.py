"""AUC of Dask DataFrames and arrays: rows stay on the workers, and only counts are sent back.

A task counts the rows of a partition, or of up to 16 neighbors if there are more than 16, and the
counts are merged. For the exact AUC, the rows that these leave undecided are read once more,
shuffled by their scores, and counted where they are. The result has the same bits for any
partitioning. Any scheduler works. ``distributed`` runs a task again if its worker is lost, and with
``compute_kwargs={"retries": 3}`` also if it fails.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from functools import partial, reduce
from itertools import chain
from typing import Any, TypeVar, cast

from numpy.typing import ArrayLike

from fastauc._validation.errors import check_lengths
from fastauc._validation.labels import Label
from fastauc._validation.options import check_pos_label
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._partitions import (
    DATA_ERRORS,
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


_MERGED_AT_ONCE = 16
# With more partitions, a task takes several: tables of its own take as long as 500,000 rows.
_MOST_COUNTED_ALONE, _MOST_GATHERED_ALONE = 16, 64
_OF_ONE_FRAME = "expected Series of one DataFrame, or data=… and the names of its columns"


def score_histogram(
    data: Any = None,
    y_true: Any = None,
    y_score: Any = None,
    sample_weight: Any = None,
    *,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: ArrayLike | None = None,
    pos_label: Label | None = None,
    compute_kwargs: Mapping[str, Any] | None = None,
) -> ScoreHistogram:
    """Return the score histogram of both classes, counted in one pass over the rows.

    Parameters
    ----------
    data : dask DataFrame, optional
        The rows, if the next three arguments name columns.
    y_true, y_score, sample_weight : str, or dask arrays or Series of shape (n_samples,)
        As for ``ScoreHistogram.update``; weights are optional.
    bins, range, edges : optional
        The bins, as for ``ScoreHistogram``.
    pos_label : int, float, bool or str, optional
        As for ``ScoreHistogram.update``.
    compute_kwargs : dict, optional
        Passed to ``dask.compute``, for example ``{"retries": 3}``.

    Returns
    -------
    ScoreHistogram
        The histogram of all rows; weighted if ``sample_weight`` is given.

    Raises
    ------
    ValueError
        For input that ``ScoreHistogram.update`` refuses, naming the partition; for missing columns;
        and for arrays or Series with different partitions.
    TypeError
        For anything but dask collections.
    ImportError
        Without dask.

    Notes
    -----
    One pass, O(rows) time for all workers together. A histogram takes up to 14 MB on a worker, 46
    MB if weighted, and 28 or 60 bytes for each non-empty bin when it is sent. Arrays with known
    chunk sizes may be chunked differently. Ties and one class only are handled as in
    ``fastauc.streaming.ScoreHistogram``, which this follows.

    Examples
    --------
    >>> import dask.array as da
    >>> from fastauc.dask import score_histogram
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> score_histogram(y_true=y_true, y_score=y_score).roc_auc()
    ScoreInterval(estimate=0.75, lower=0.75, upper=0.75, exact=True)
    """
    rows = _rows(data, y_true, y_score, sample_weight, pos_label, compute_kwargs, "score_histogram")
    return rows.histogram(bins, range, edges)


def refine_roc_auc(
    data: Any = None,
    y_true: Any = None,
    y_score: Any = None,
    sample_weight: Any = None,
    *,
    tol: float = 0.0,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: ArrayLike | None = None,
    pos_label: Label | None = None,
    compute_kwargs: Mapping[str, Any] | None = None,
) -> RefinedAuc:
    """Return the ROC AUC with its bounds, in one or two readings of the rows.

    Parameters
    ----------
    data, y_true, y_score, sample_weight, bins, range, edges, pos_label, compute_kwargs
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
    Each reading takes O(rows) time for all workers together, computes the collection again unless
    it is persisted, and reads only the named columns of a file. Persist anything random. The second
    one looks at the rows that the histogram leaves undecided, and only if there are any. They are
    brought together in one task for each 2^22 of them, by ranges of scores. Ties and one class only
    are handled as in ``fastauc.streaming.refine_roc_auc``, which this follows.

    Examples
    --------
    >>> import dask.array as da
    >>> from fastauc.dask import refine_roc_auc
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> area = refine_roc_auc(y_true=y_true, y_score=y_score, bins=2, range=(0, 1))
    >>> area.estimate, area.exact, [(step.lower, step.upper) for step in area.passes]
    (0.75, True, [(0.5, 1.0), (0.75, 0.75)])
    """
    rows = _rows(data, y_true, y_score, sample_weight, pos_label, compute_kwargs, "refine_roc_auc")
    return rows.refine(tol, bins, range, edges)


def roc_auc_score(
    data: Any = None,
    y_true: Any = None,
    y_score: Any = None,
    sample_weight: Any = None,
    *,
    tol: float = 0.0,
    pos_label: Label | None = None,
    compute_kwargs: Mapping[str, Any] | None = None,
) -> float:
    """Return the ROC AUC: exact, or off by at most half of ``tol``.

    Parameters
    ----------
    data, y_true, y_score, sample_weight, tol, pos_label, compute_kwargs
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
    >>> import dask.array as da
    >>> from fastauc.dask import roc_auc_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> roc_auc_score(y_true=y_true, y_score=da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2))
    0.75
    """
    rows = _rows(data, y_true, y_score, sample_weight, pos_label, compute_kwargs, "roc_auc_score")
    return rows.refine(tol).estimate


def _rows(
    data: Any,
    y_true: Any,
    y_score: Any,
    sample_weight: Any,
    pos_label: Label | None,
    compute_kwargs: Mapping[str, Any] | None,
    function: str,
) -> ClusterRows:
    check_pos_label(pos_label, function, optional=True)
    try:
        import dask
    except ImportError as error:
        raise ImportError(
            "fastauc.dask needs dask; install it with pip install 'fastauc[dask]'."
        ) from error
    columns = {"y_true": y_true, "y_score": y_score}
    if sample_weight is not None:
        columns["sample_weight"] = sample_weight
    given, has = {"data": data}, "columns"
    expected = "a dask DataFrame, or None and dask arrays or Series as y_true and y_score"
    if data is None:
        given, has = columns, "ndim"
        expected = "a dask array or Series, or the name of a column of data"
    for name, each in given.items():
        if not dask.is_dask_collection(each) or not hasattr(each, has):
            raise TypeError(f"{name} is of type {type(each).__name__}; expected {expected}.")
    if data is None:
        names, (parts, where) = {}, _aligned_parts(columns)
    else:
        check_columns(columns, list(data.columns))
        chosen = list(dict.fromkeys(columns.values()))
        parts = [(part,) for part in data[chosen].to_delayed()]
        names, where = columns, "data.partitions"
    shown = describe_columns(names)
    arguments = [
        (list(names.values()), pos_label, f"{where}[{number}]{shown}", *part)
        for number, part in enumerate(parts)
    ]
    how = arguments, compute_kwargs or {}
    count = partial(_count_parts, *how), partial(_count_buckets, *how)
    return ClusterRows(*count, sample_weight is not None, function)


def _aligned_parts(columns: dict[str, Any]) -> tuple[list[Any], str]:
    """Return the parts of arrays or Series, and the expression that selects one by its number.

    Known chunks are aligned to those of the labels.
    """
    arrays = {name: _as_column(name, column) for name, column in columns.items()}
    labels = arrays["y_true"]
    is_series = {name: hasattr(array, "divisions") for name, array in arrays.items()}
    has_known_chunks = not any(is_series.values()) and not any(
        math.isnan(length) for array in arrays.values() for length in array.chunks[0]
    )
    if has_known_chunks:
        check_lengths({name: len(array) for name, array in arrays.items()})
        arrays = {name: array.rechunk(labels.chunks) for name, array in arrays.items()}
    for name, array in arrays.items():
        if array.npartitions != labels.npartitions:
            raise ValueError(
                f"{name} has {array.npartitions} partitions and y_true {labels.npartitions}; "
                f"{_OF_ONE_FRAME}."
            )
        if is_series[name] and is_series["y_true"] and array.divisions != labels.divisions:
            raise ValueError(f"{name} has other divisions than y_true; {_OF_ONE_FRAME}.")
    delayed = [list(array.to_delayed()) for array in arrays.values()]
    where = "y_true.partitions" if is_series["y_true"] else "y_true.blocks"
    return list(zip(*delayed, strict=True)), where


def _as_column(name: str, array: Any) -> Any:
    if array.ndim == 2 and hasattr(array, "chunks") and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected one, or a single column.")
    return array


def _compute(tasks: list[Any], options: Mapping[str, Any]) -> tuple[Any, ...]:
    from dask import compute, config

    with contextlib.suppress(ImportError):
        import distributed  # noqa: F401 - its settings would end with the block below
    # What is given to all tasks may be large.
    with config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}):
        return tuple(compute(*tasks, **options))


def _count_parts(
    arguments: list[tuple[Any, ...]], options: Mapping[str, Any], empty: ScoreHistogram
) -> ScoreHistogram:
    """Return the histogram of all rows; only histograms are sent to the caller."""
    from dask import delayed

    # Collections in a list would be put together with all they depend on: arguments are not.
    given, count, merge = delayed(empty, traverse=False), delayed(_count_rows), delayed(_merge)
    counted = [count(given, *near) for near in _tasks(arguments, _MOST_COUNTED_ALONE)]
    while len(counted) > 1:
        counted = [merge(*near) for near in _neighbors(counted, _MERGED_AT_ONCE)]
    (histogram,) = _compute(counted, options)
    return cast(ScoreHistogram, histogram)


def _count_buckets(
    arguments: list[tuple[Any, ...]], options: Mapping[str, Any], buckets: Buckets
) -> list[BucketCount]:
    """Return the counts of all buckets, which are divided among a few tasks.

    Rows of neighboring partitions are brought together first, about as many as a task counts.
    """
    from dask import delayed

    n_tasks, given = number_of_tasks(buckets), delayed(buckets, traverse=False)
    gather, join, count = delayed(_gather_rows), delayed(_join), delayed(count_pieces)
    tasks = _tasks(arguments, _MOST_GATHERED_ALONE)
    gathered = [gather(given, n_tasks, *near) for near in tasks]
    joined = [join(*near) for near in _neighbors(gathered, -(-len(gathered) // n_tasks))]
    counted = [count(given, *[part[k] for part in joined]) for k in range(n_tasks)]
    return list(chain.from_iterable(_compute(counted, options)))


def _neighbors(parts: list[Any], size: int) -> list[list[Any]]:
    return [parts[start : start + size] for start in range(0, len(parts), size)]


def _tasks(arguments: list[tuple[Any, ...]], most_alone: int) -> Iterator[list[Any]]:
    """Yield the arguments of each task: how many a partition has, and those of some neighbors."""
    size = min(-(-len(arguments) // most_alone), _MERGED_AT_ONCE)
    for near in _neighbors(arguments, size):
        yield [len(near[0]), *chain.from_iterable(near)]


# What the workers do ------------------------------------------------------------------------------

State = TypeVar("State", ScoreHistogram, Gatherer)


def _added(state: State, n_each: int, *arguments: Any) -> State:
    """Add the rows of partitions: DataFrames, or labels, scores and weights without names."""
    for start in range(0, len(arguments), n_each):
        names, pos_label, place, *columns = arguments[start : start + n_each]
        if names:
            columns = [columns[0][name] for name in names]
        try:
            state.update(*columns, pos_label=pos_label)
        except DATA_ERRORS as error:
            raise at_place(error, place) from error
    return state


def _count_rows(empty: ScoreHistogram, *arguments: Any) -> ScoreHistogram:
    return _added(empty.copy(), *arguments).copy()  # without the empty bins


def _merge(first: ScoreHistogram, *others: ScoreHistogram) -> ScoreHistogram:
    return reduce(ScoreHistogram.merge, others, first.copy()).copy()


def _join(*parts: list[list[Piece]]) -> list[list[Piece]]:
    return [list(chain.from_iterable(of_task)) for of_task in zip(*parts, strict=True)]


def _gather_rows(buckets: Buckets, n_tasks: int, *arguments: Any) -> list[list[Piece]]:
    """Return the undecided rows of a partition for each of the tasks that count them."""
    of_task: list[list[Piece]] = [[] for _ in range(n_tasks)]
    for piece in _added(Gatherer(buckets), *arguments).pieces():
        of_task[piece.bucket % n_tasks].append(piece)
    return of_task
