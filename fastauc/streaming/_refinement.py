"""A second reading of the same rows, which makes the bounds of a histogram exact."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastauc._pairs.concordance import Concordance
from fastauc._tables import result
from fastauc._validation.chunks import Chunk, read_chunk
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_amount, check_integer, check_n_jobs
from fastauc._validation.threads import Workers, count_threads
from fastauc.streaming._bucket_pairs import count_bucket, tally_bucket
from fastauc.streaming._bucket_rows import BucketRows, NoRoom, SpillFile, Store
from fastauc.streaming._histogram import ScoreHistogram, undecided_bins
from fastauc.streaming._undecided import Buckets, Undecided, cut_buckets

MAX_ROWS = 2**24
_ROWS_AT_ONCE = 2**18
# Of the rows that may be in memory, so many are sorted at a time by all threads: with copies, and
# when no others are there any more.
_SHARE_SORTED = 4


class SecondReading:
    """The rows of undecided bins of a column of scores, of which ``most`` are sorted at a time."""

    def __init__(self, undecided: Undecided, buckets: Buckets, store: Store, most: int) -> None:
        self._undecided, self._buckets, self._most = undecided, buckets, most
        self._weighted, self._find_bins = undecided.weighted, undecided.bins.find_bins
        self.rows = BucketRows(store, buckets.number_of, buckets.n_buckets, weighted=self._weighted)
        self.n_rows = 0

    def update(
        self,
        y_true: Any,
        y_score: Any,
        sample_weight: Any = None,
        *,
        pos_label: Label | None = None,
        n_jobs: int | None = None,
    ) -> None:
        """Add those of the rows that are undecided; refuse more than in the first reading."""
        if sample_weight is not None and not self._weighted:
            raise ValueError(
                "sample_weight is given, but the first reading counted rows; expected None, or a "
                "ScoreHistogram(weighted=True) to begin with."
            )
        with Workers(n_jobs) as workers:
            chunk = read_chunk(y_true, y_score, sample_weight, pos_label, "update", workers)
        if self._weighted and chunk.weight is None:
            chunk = chunk._replace(weight=np.ones(len(chunk.label)))
        self._check_scores(chunk)
        for start in range(0, len(chunk.label), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            score, weight = chunk.score[part], chunk.weight
            weight = None if weight is None else weight[part]
            self.n_rows += self.rows.add(chunk.label[part], score, self._find_bins(score), weight)
        if not self._weighted and self.n_rows > self._undecided.n_rows:
            raise ValueError(
                f"More than {self._undecided.n_rows} rows are undecided, the number in the first "
                "reading; expected the same data in each reading."
            )

    def _check_scores(self, chunk: Chunk) -> None:
        """Refuse undecided scores that were rounded."""
        rounded = np.flatnonzero(chunk.rounded)
        # Indices of another type than intp crash numpy where an allocation fails.
        numbers = self._find_bins(chunk.score[rounded]).astype(np.intp)
        are_looked_at = self._buckets.number_of[numbers] > 0
        if are_looked_at.any():
            i = int(rounded[np.argmax(are_looked_at)])
            raise ValueError(
                f"y_score[{i}] is close to {chunk.score[i]!s}, but not equal to it. Undecided "
                "scores are compared as float64; expected scores that float64 holds exactly."
            )

    def finish(self, workers: Workers) -> Undecided:
        """Return what is known after all rows have been added, and the bins that are left."""
        rows, store, buckets = self.rows, self.rows.store, self._buckets
        sizes = [rows.size(k, 0) + rows.size(k, 1) for k in range(rows.n_buckets)]
        if store.file is not None and (store.file.size > 0 or max(sizes) > self._most):
            store.write_all()  # so that there is room for what is sorted
        tasks = [
            partial(count_bucket, buckets, k, partial(tally_bucket, rows, k, self._most))
            for k in range(rows.n_buckets)
        ]
        concordant, tied = map(sum, zip(*workers.run_all(tasks), strict=True))
        return self._undecided.after(len(buckets.undecided.numbers), concordant, tied)


@contextlib.contextmanager
def second_readings(
    undecided: Iterable[Undecided], max_rows: int, n_jobs: int | None
) -> Iterator[list[SecondReading]]:
    """Give a reading for each column of scores; their rows share memory and a temporary file.

    If there is no room for the file, they are readings of as many bins as memory has room for.
    """
    columns = list(undecided)
    most = max(max_rows // (_SHARE_SORTED * count_threads(n_jobs)), 1)
    buckets = [cut_buckets(each, most // 2) for each in columns]
    # The rows of weighted bins are estimated.
    words = 2 if columns[0].weighted else 1
    expected = words * sum(each.n_rows for each in columns)
    with contextlib.closing(SpillFile()) as spilled:
        file: SpillFile | None = spilled
        try:
            if expected > max_rows:  # rows of buckets that are divided are written twice
                divided = words * sum(each.n_rows_above(most) for each in buckets)
                spilled.reserve(8 * words * (expected + divided))
        except OSError as error:
            file, room = None, max_rows // (2 * len(columns))
            fitting = [_fitting(each, room, spilled.shown, error) for each in columns]
            buckets = [cut_buckets(each, most // 2) for each in fitting]
            if sum(len(each.rows) for each in fitting) < sum(len(each.rows) for each in columns):
                warnings.warn(
                    f"{spilled.shown}: no room for undecided rows ({error}); the rows are read "
                    "more than twice. Expected more room there; TMPDIR names another folder.",
                    RuntimeWarning,
                    stacklevel=4,
                )
        store = Store(min(max_rows, expected), file)
        pairs = zip(columns, buckets, strict=True)
        yield [SecondReading(each, cut, store, most) for each, cut in pairs]


def _fitting(undecided: Undecided, room: int, shown: str, error: OSError) -> Undecided:
    """Return the first bins, as many as memory has room for."""
    if undecided.rows[0] > room:
        raise NoRoom(
            f"More than {room} rows of a bin are undecided, and {shown} has no room for them: "
            f"{error}; expected 8 bytes a row, or 16 with weights."
        )
    n_bins = int(np.searchsorted(np.cumsum(undecided.rows), room, "right"))
    return undecided.select(slice(n_bins))


class PassRecord(NamedTuple):
    """The result of one pass over the data.

    Attributes
    ----------
    kind : str
        ``"histogram"``, or ``"rows"`` for the reading of undecided rows.
    rows : int
        Rows that were counted, without rows of weight 0.
    lower, upper : float
        Bounds of the AUC after the pass.

    Examples
    --------
    >>> from fastauc.streaming import PassRecord
    >>> PassRecord("histogram", 4, 0.5, 1.0).rows
    4
    """

    kind: str
    rows: int
    lower: float
    upper: float


PassRecord.__module__ = "fastauc.streaming"


@result("fastauc.streaming")
class RefinedAuc(NamedTuple):
    """A ROC AUC, exact or with bounds, and the passes that found it.

    Attributes
    ----------
    estimate, lower, upper, exact
        As in ``ScoreInterval``.
    passes : tuple of PassRecord
        The passes over the data, including the first.
    concordance : Concordance or None
        The pair counts, if the AUC is exact and the rows are unweighted.

    Examples
    --------
    >>> from fastauc.streaming import refine_roc_auc
    >>> refine_roc_auc(None, lambda: [([0, 1, 1], [0.25, 0.5, 0.25])]).concordance
    Concordance(concordant=1, tied=1, n_pos=2, n_neg=1)
    """

    estimate: float
    lower: float
    upper: float
    exact: bool
    passes: tuple[PassRecord, ...]
    concordance: Concordance | None


def refine_by(
    histogram: ScoreHistogram, tol: float, read: Callable[[Undecided], tuple[Undecided, int]]
) -> RefinedAuc:
    """Refine a histogram by ``read``, which returns what is known then and how many rows it saw."""
    interval = histogram.roc_auc()
    passes = [PassRecord("histogram", histogram.n_rows, interval.lower, interval.upper)]
    known = undecided_bins(histogram, tol)
    while len(known.numbers):
        known, n_rows = read(known)
        interval = known.interval()
        passes.append(PassRecord("rows", n_rows, interval.lower, interval.upper))
    is_defined = interval.estimate == interval.estimate
    return RefinedAuc(*interval, tuple(passes), known.concordance() if is_defined else None)


def refine_roc_auc(
    histogram: ScoreHistogram | None,
    chunks: Callable[[], Iterable[tuple[ArrayLike, ...]]],
    *,
    tol: float = 0.0,
    max_rows: int = MAX_ROWS,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RefinedAuc:
    """Return the ROC AUC of rows that do not fit into memory, in at most two readings of them.

    Parameters
    ----------
    histogram : ScoreHistogram or None
        The first reading; None to make it here, with the default bins.
    chunks : callable
        Called for each reading; returns an iterable of parts ``(y_true, y_score)`` or ``(y_true,
        y_score, sample_weight)``. The same rows each time, in any order and in any parts; in the
        second reading, rows that are not ``histogram.undecided`` may be left out.
    tol : float
        The maximum width of the interval; 0 for the exact AUC.
    max_rows : int
        The maximum number of undecided rows to keep in memory, of 8 bytes each, 16 if weighted,
        and some copies of them. Others are kept in a temporary file, where ``tempfile`` makes them:
        in the folder TMPDIR.
    pos_label, n_jobs
        As for ``ScoreHistogram.update``.

    Returns
    -------
    RefinedAuc
        Exact if ``tol`` is 0: the pair counts equal ``concordance`` of all rows; with
        weights, the exact AUC rounded once, if no weight is below 2^-76. The same for any parts and
        order. NaN, with an ``UndefinedMetricWarning``, if one class has no rows.

    Raises
    ------
    ValueError
        As ``ScoreHistogram.update``; for rows that differ between the readings; and for an
        undecided score that float64 does not hold exactly, such as most integers beyond 2^53.
    OSError
        If the rows of a single bin fit neither into memory nor into the folder, or if the folder
        becomes full although room for the rows was reserved.

    Warns
    -----
    RuntimeWarning
        If the folder has no room for all rows: they are then read more than twice.

    Notes
    -----
    Undecided rows are those in bins that hold both classes and several scores, as far as ``tol``
    needs them. An external sort, in O(n log n) time: their scores are collected in buckets, runs of
    bins that fit into memory one by one, and each bucket is sorted; one that does not fit is
    divided again, from the file. Without undecided rows, as with rounded scores, one reading is
    enough. Rows of a single score are tied, and counted without being sorted.

    Sources: none. The method uses only that rows of different bins are in the order of their bins.

    Examples
    --------
    >>> from fastauc.streaming import refine_roc_auc
    >>> parts = [([0, 0], [0.1, 0.4]), ([1, 1], [0.35, 0.8])]
    >>> refine_roc_auc(None, lambda: iter(parts)).estimate
    0.75
    """
    function = "refine_roc_auc"
    check_amount(tol, "tol", function)
    check_integer(max_rows, "max_rows", 1, function)
    check_n_jobs(n_jobs, function)
    if not callable(chunks):
        raise invalid_parameter(function, "chunks", "a callable that returns an iterable", chunks)

    def add_all(state: Any) -> Any:
        for part in chunks():
            if not 2 <= len(part) <= 3:
                raise ValueError(
                    f"A part of chunks has {len(part)} entries; expected y_true, y_score and, "
                    "optionally, sample_weight."
                )
            if state is None:
                state = ScoreHistogram(weighted=len(part) == 3 and part[2] is not None)
            state.update(*part, pos_label=pos_label, n_jobs=n_jobs)
        return state

    def read(undecided: Undecided) -> tuple[Undecided, int]:
        with (
            second_readings([undecided], int(max_rows), n_jobs) as (reading,),
            Workers(n_jobs) as workers,
        ):
            add_all(reading)
            return reading.finish(workers), reading.n_rows

    if histogram is None:
        histogram = add_all(None) or ScoreHistogram()
    return refine_by(histogram, tol, read)
