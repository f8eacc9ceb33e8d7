"""AUC of Dask DataFrames and arrays: rows stay on the workers, and only counts are sent back.

One task per partition counts its rows, and the counts are merged in a tree. The result is the same,
to the last bit, as that of one process, for any partitioning.

Any scheduler works. ``distributed`` runs a task again if its worker is lost, and with
``compute_kwargs={"retries": 3}`` also if it fails.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from fastauc._validation.labels import Label
from fastauc._validation.options import check_pos_label
from fastauc.files._memory import process_memory, rows_on_cluster
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._partitions import (
    DATA_ERRORS,
    ClusterRows,
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


_MERGED_AT_ONCE = 8
# Copies of each row while rows are received and kept for counting: 18 bytes a row were measured, or
# 43 if weighted, in a process that is both the client and the scheduler.
_COPIES = 3
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
    y_true : str, or dask array or Series of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : str, or dask array or Series of shape (n_samples,)
        Finite scores in any numeric dtype; higher means more likely positive.
    sample_weight : str, or dask array or Series of shape (n_samples,), optional
        Non-negative weights of the rows.
    bins, range, edges : optional
        The bins, as for ``ScoreHistogram``.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
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
    A histogram takes up to 14 MB on a worker, 46 MB if weighted, and 28 or 60 bytes for each
    non-empty bin when it is sent. Arrays with known chunk sizes may be chunked differently.

    One pass, O(rows) time for all workers together. Rows of one class only are not an error: the
    methods of the histogram then report what is undefined. Ties are exact in bins with a single
    distinct score; see ``fastauc.streaming.ScoreHistogram``, which this follows.

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
    max_rows: int | None = None,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: ArrayLike | None = None,
    pos_label: Label | None = None,
    compute_kwargs: Mapping[str, Any] | None = None,
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
        addition to counts of at most about 2^20 bins. If left out, as many as fit three times over
        into half of the memory of the client or of the smallest worker: 2^16 to 2^27; or 2^22 if a
        worker has no memory limit.
    bins, range, edges, pos_label, compute_kwargs : optional
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
    Each pass computes the collection again unless it is persisted, and reads only the named columns
    of a file. Persist anything random.

    Each pass takes O(rows) time for all workers together. As in
    ``fastauc.streaming.refine_roc_auc``, which this follows, a tied pair counts one half,
    and one class only gives NaN with an ``UndefinedMetricWarning``.

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
    return rows.refine(tol, max_rows, bins, range, edges)


def roc_auc_score(
    data: Any = None,
    y_true: Any = None,
    y_score: Any = None,
    sample_weight: Any = None,
    *,
    tol: float = 0.0,
    max_rows: int | None = None,
    pos_label: Label | None = None,
    compute_kwargs: Mapping[str, Any] | None = None,
) -> float:
    """Return the ROC AUC: exact, or off by at most half of ``tol``.

    Parameters
    ----------
    data, y_true, y_score, sample_weight, pos_label
        The rows, as for ``score_histogram``.
    tol, max_rows
        As for ``refine_roc_auc``, which also returns the bounds.
    compute_kwargs : dict, optional
        As for ``score_histogram``.

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
    >>> import dask.array as da
    >>> from fastauc.dask import roc_auc_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> roc_auc_score(y_true=y_true, y_score=da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2))
    0.75
    """
    rows = _rows(data, y_true, y_score, sample_weight, pos_label, compute_kwargs, "roc_auc_score")
    return rows.refine(tol, max_rows).estimate


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
    parts = _read_parts(data, y_true, y_score, sample_weight)
    options = compute_kwargs or {}
    weighted = sample_weight is not None
    return ClusterRows(
        partial(_count_parts, parts=parts, pos_label=pos_label, options=options),
        weighted,
        partial(_plan_rows, options, weighted=weighted),
        function,
    )


def _plan_rows(options: Mapping[str, Any], *, weighted: bool) -> int:
    """Return how many rows to collect in a pass, by the memory of the client and all workers."""
    from dask.base import get_scheduler

    # The scheduler of ``distributed`` is a method of its client; others run on this machine.
    client: Any = getattr(get_scheduler(scheduler=options.get("scheduler")), "__self__", None)
    limits = []
    if hasattr(client, "scheduler_info"):
        workers = client.scheduler_info()["workers"].values()
        limits = [worker["memory_limit"] for worker in workers] or [None]  # there may be none yet
    return rows_on_cluster([process_memory(), *limits], _COPIES, weighted=weighted)


class _Parts(NamedTuple):
    """Rows in parts, none of them computed yet.

    Attributes
    ----------
    rows : list
        For each part, a delayed DataFrame; or delayed labels, scores, and weights if any.
    names : dict of str to str
        The column of the DataFrame for each argument; empty for arrays.
    where : str
        The expression that selects a part by its number.
    """

    rows: list[Any]
    names: Mapping[str, Any]
    where: str


def _read_parts(data: Any, y_true: Any, y_score: Any, sample_weight: Any) -> _Parts:
    try:
        import dask
    except ImportError as error:
        raise ImportError(
            "fastauc.dask needs dask; install it with pip install 'fastauc[dask]'."
        ) from error
    columns = {"y_true": y_true, "y_score": y_score}
    if sample_weight is not None:
        columns["sample_weight"] = sample_weight
    if data is None:
        for name, column in columns.items():
            if not dask.is_dask_collection(column) or not hasattr(column, "ndim"):
                raise TypeError(
                    f"{name} is of type {type(column).__name__}; expected a dask array or Series, "
                    "or the name of a column of data."
                )
        return _read_arrays(columns)
    if not dask.is_dask_collection(data) or not hasattr(data, "columns"):
        raise TypeError(
            f"data is of type {type(data).__name__}; expected a dask DataFrame, or None and dask "
            "arrays or Series as y_true and y_score."
        )
    check_columns(columns, list(data.columns))
    chosen = list(dict.fromkeys(columns.values()))
    return _Parts(data[chosen].to_delayed(), columns, "data.partitions")


def _read_arrays(columns: dict[str, Any]) -> _Parts:
    """Return the parts of arrays or Series; known chunks are aligned to those of the labels."""
    arrays = {name: _as_column(name, column) for name, column in columns.items()}
    labels = arrays["y_true"]
    is_series = {name: hasattr(array, "divisions") for name, array in arrays.items()}
    if not any(is_series.values()) and not any(map(_is_unknown, arrays.values())):
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{list(lengths.values())}; expected as many of each."
            )
        arrays = {name: array.rechunk(labels.chunks) for name, array in arrays.items()}
    for name, array in arrays.items():
        if array.npartitions != labels.npartitions:
            raise ValueError(
                f"{name} has {array.npartitions} partitions and y_true {labels.npartitions}; "
                f"{_OF_ONE_FRAME}."
            )
        if is_series[name] and is_series["y_true"] and array.divisions != labels.divisions:
            raise ValueError(f"{name} has other divisions than y_true; {_OF_ONE_FRAME}.")
    delayed = [_delayed_parts(array) for array in arrays.values()]
    where = "y_true.partitions" if is_series["y_true"] else "y_true.blocks"
    return _Parts(list(zip(*delayed, strict=True)), {}, where)


def _as_column(name: str, array: Any) -> Any:
    if array.ndim == 2 and hasattr(array, "chunks") and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected one, or a single column.")
    return array


def _is_unknown(array: Any) -> bool:
    return any(math.isnan(length) for length in array.chunks[0])


def _delayed_parts(array: Any) -> list[Any]:
    parts = array.to_delayed()
    return parts if isinstance(parts, list) else parts.ravel().tolist()


def _count_parts(
    empty: State, parts: _Parts, pos_label: Label | None, options: Mapping[str, Any]
) -> Any:
    """Return the sum of a state over all rows; only states are sent to the caller."""
    from dask import compute, config, delayed

    kind = type(empty)
    count_rows, merge = delayed(_count_rows), delayed(merge_states)
    start = delayed(empty.to_bytes())
    names, shown = list(parts.names.values()), describe_columns(parts.names)
    states = [
        count_rows(kind, start, rows, names, pos_label, f"{parts.where}[{number}]{shown}")
        for number, rows in enumerate(parts.rows)
    ]
    while len(states) > 1 and not are_collected(empty):
        starts = range(0, len(states), _MERGED_AT_ONCE)
        states = [merge(kind, states[i : i + _MERGED_AT_ONCE]) for i in starts]
    # A step may be large, but it is in the graph only once, for any number of partitions.
    with config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}):
        return add_parts(empty, compute(*states, **options))


def _count_rows(
    kind: type[State],
    empty: bytes,
    rows: Any,
    names: list[Any],
    pos_label: Label | None,
    place: str,
) -> bytes:
    part = empty_part(kind, empty)
    columns = [rows[name] for name in names] if names else rows
    try:
        part.update(*columns, pos_label=pos_label)
    except DATA_ERRORS as error:
        raise at_place(error, place) from error
    return part.to_bytes()
