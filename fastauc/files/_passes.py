"""Passes over files: one loop that streams rows, determines their classes and counts them.

Rows that fit into memory are not counted here but passed to the caller, all at once.
"""

from __future__ import annotations

import contextlib
import time
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import accumulate
from operator import attrgetter
from threading import Lock
from typing import Any, NamedTuple

from fastauc._rows import NOTHING, Dropped, LabeledRows
from fastauc._validation.arrays import opposite
from fastauc._validation.threads import Workers, count_threads
from fastauc.files._columns import Array, Request
from fastauc.files._memory import most_rows, plan_rows, release_memory, rows_at_most
from fastauc.files._positives import Classes, PosLabel
from fastauc.files._reading import Chunk, joined, read_chunks, stream
from fastauc.files._sources import DataError, Fingerprint, Source, describe, fingerprint
from fastauc.streaming._bounds import ScoreInterval, roc_auc_interval
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._refinement import PassRecord, Refinement, refine

_PAUSE = 0.4  # seconds between two calls of ``progress``
# With less memory, what allocators retain from larger chunks would exceed the limit.
_ROWS_OF_FEW_CHUNKS = 2**16


class Spec(NamedTuple):
    """The definition of a job; all of it must be the same to resume the job.

    Attributes
    ----------
    label, weight : str or None
        Columns.
    scores : tuple of str
        Columns, each with its own result.
    pos_label : int, float, bool, str or None
    tol : float
        The maximum width of an interval of the AUC.
    one_pass : bool
        Whether to stop after the first pass, for any width of the intervals.
    memory_limit : int
        Bytes.
    saved : bool
        Whether the job is saved while it runs.
    nan_policy : {"raise", "omit"}
        What to do with rows in which any score is missing.
    higher_is_positive : bool
        If False, scores are counted with opposite sign.
    """

    label: str
    scores: tuple[str, ...]
    weight: str | None
    pos_label: PosLabel
    tol: float
    one_pass: bool
    memory_limit: int
    saved: bool
    nan_policy: str = "raise"
    higher_is_positive: bool = True

    def plan_rows(self, n_intervals: int = 0, *, is_first: bool = False) -> tuple[int, int]:
        """Return how many rows are read at a time, and how many are collected in a pass."""
        return plan_rows(
            self.memory_limit,
            len(self.scores),
            weighted=self.weight is not None,
            saved=self.saved,
            n_intervals=n_intervals,
            is_first=is_first,
        )


class Progress(NamedTuple):
    """The progress of a job.

    Attributes
    ----------
    pass_number : int
        Counted from 1; 0 while all rows are read into memory.
    rows : int
        Rows read in this pass.
    total : int or None
        The number of all rows, if it is known from the files or from an earlier pass.
    intervals : tuple of ScoreInterval
        The AUC of each column of scores; in the first pass, that of the rows read so far. Empty
        while there is only one class.
    """

    pass_number: int
    rows: int
    total: int | None
    intervals: tuple[ScoreInterval, ...]


Progress.__module__ = "fastauc.files"


State = ScoreHistogram | Refinement


class Column(NamedTuple):
    """What is known about a column of scores.

    Attributes
    ----------
    histogram : ScoreHistogram
        The histogram of the first pass.
    step : Refinement or None
        The current pass, or the last one.
    passes : tuple of PassRecord
        The finished passes.
    done : bool
        Whether no further pass is needed.
    """

    histogram: ScoreHistogram
    step: Refinement | None = None
    passes: tuple[PassRecord, ...] = ()
    done: bool = False

    @property
    def state(self) -> State:
        """The object to which the rows of the pass are added."""
        return self.histogram if self.step is None else self.step

    def advance(self, spec: Spec) -> Column:
        """Return what is known after a complete pass, with the next pass if any."""
        if self.done:
            return self
        interval = area_of(self.state)
        kind = "histogram" if self.step is None else self.step.kind
        record = PassRecord(kind, self.state.n_rows, interval.lower, interval.upper)
        step = None
        if not spec.one_pass:
            # The intervals of a histogram are small compared with its tables.
            n_intervals = 0 if self.step is None else len(self.step._finish().unresolved.cells)
            _, max_rows = spec.plan_rows(n_intervals)
            step = refine(self.state, tol=spec.tol, max_rows=max_rows)
        passes = (*self.passes, record)
        if step is None:
            return self._replace(passes=passes, done=True)
        return self._replace(step=step, passes=passes)


_NOT_KNOWN = ScoreInterval(float("nan"), float("nan"), float("nan"), False)


def area_of(state: State) -> ScoreInterval:
    """Return the AUC; NaN, without a warning, while one class has no rows."""
    if not isinstance(state, ScoreHistogram):
        return state.roc_auc()
    sums = state._sums()[1]
    return roc_auc_interval(sums) if all(sums.present) else _NOT_KNOWN


class Position(NamedTuple):
    """The position of a job: its columns, the pass, and the rows counted in it.

    Attributes
    ----------
    columns : tuple of Column
        One for each column of scores.
    pass_number : int
        Counted from 1.
    place : tuple of int
        The next file and the next row in it, both counted from 0.
    rows : int
        Rows counted in this pass.
    n_rows, n_pos : int
        Rows and positives of the first pass, counted so far.
    dropped : Dropped
        Rows left out so far in this pass.
    """

    columns: tuple[Column, ...]
    pass_number: int = 1
    place: tuple[int, int] = (0, 0)
    rows: int = 0
    n_rows: int = 0
    n_pos: int = 0
    dropped: Dropped = NOTHING

    @property
    def done(self) -> bool:
        """Whether no further pass is needed."""
        return all(column.done for column in self.columns)


class Job:
    """Files counted in as many passes as it takes, or loaded if they fit into memory.

    Parameters
    ----------
    files : list of Source
    spec : Spec
    by : str, optional
        A column of groups, read along with the others.
    n_jobs : int or None
    progress : callable, optional
        Called with a ``Progress`` from time to time.
    saving : callable, optional
        Called with the job after each chunk, and with ``now=True`` after each pass: a state that
        can be saved. Not interrupted by signals.
    """

    def __init__(
        self,
        files: list[Source],
        spec: Spec,
        *,
        by: str | None = None,
        n_jobs: int | None = None,
        progress: Callable[[Progress], object] | None = None,
        saving: Callable[..., object] | None = None,
    ) -> None:
        self.files, self.spec, self.by = files, spec, by
        self.where = describe(files)
        self.classes = Classes(spec.pos_label, f"{self.where}: column {spec.label!r}")
        self.n_threads = count_threads(n_jobs)
        self.position = Position(())
        self.fingerprints: list[Fingerprint] = []
        self._progress, self._saving = progress, saving
        self._total: int | None = None
        self._first: Generator[Chunk, None, None] | None = None  # rows of the first pass
        self._shown = 0.0
        self.rows_read = 0  # by this process, in all passes
        self._counting = Lock()
        self._changing = False  # its states, which must then not be saved, even after an error
        self._stopped = False

    @contextlib.contextmanager
    def loading(self) -> Iterator[LabeledRows | None]:
        """Give all rows if they fit into memory, else None: then ``run`` must count them.

        Files that do not state their number of rows are read until there are too many, and ``run``
        continues from there; a job that is saved while it runs is done in passes from the start.
        """
        request = self._request(self.spec.scores, wider={})
        n_at_once = min(self.n_threads, len(self.spec.scores))
        # The groups of rows in memory are copies of them.
        n_columns = len(request.numeric) + 2 * (self.by is not None)
        most = most_rows(self.spec.memory_limit, n_columns, n_at_once)
        n_rows, is_known = rows_at_most(self.files, request.columns, most)
        if n_rows <= most:
            tell = None if self._progress is None else self._tell
            yield self._whole(read_chunks(self.files, request, self.where, tell))
            return
        self._total = n_rows if is_known else None
        self.fingerprints = [fingerprint(source) for source in self.files]
        histograms = self.empty_histograms().values()
        self.position = Position(tuple(map(Column, histograms)))
        if is_known or self._saving is not None:
            yield None
            return
        with closing(self.stream()) as chunks:
            kept, is_all = _keep(chunks, most)
            self._first = _replayed(kept, chunks)
            yield self._whole(kept) if is_all else None

    def _request(self, scores: Sequence[str], **options: Any) -> Request:
        """Return the columns to read: the label, these scores, the weights, the groups."""
        weights = [] if self.spec.weight is None else [self.spec.weight]
        numeric = [*scores, *weights]
        options["may_miss" if self.spec.nan_policy == "omit" else "could_miss"] = [*scores]
        groups = [] if self.by is None else [self.by]
        columns = tuple(dict.fromkeys([self.spec.label, *numeric, *groups]))
        return Request(columns, numeric, weights, use_threads=self.n_threads > 1, **options)

    def _tell(self, n_rows: int) -> None:
        self.rows_read += n_rows
        if self._progress is not None:
            self._progress(Progress(0, self.rows_read, None, ()))

    def _whole(self, chunks: list[Chunk]) -> LabeledRows:
        ends = list(accumulate(map(attrgetter("n_rows"), chunks)))

        def place_of(row: int) -> str:
            k = bisect_right(ends, row)
            return chunks[k].place_of(row - ends[k - 1] if k else row)

        rows = self._rows_of(joined(chunks), place_of)
        self._check_some(rows.n_rows)
        self._check_all(rows.weight is None or bool(rows.weight.any()))
        return rows

    def _rows_of(self, columns: dict[str, Array], place_of: Callable[[int], str]) -> LabeledRows:
        spec = self.spec
        scores = {name: columns[name] for name in spec.scores if name in columns}
        if not spec.higher_is_positive:
            scores = {name: opposite(score) for name, score in scores.items()}
        rows = LabeledRows(
            self.classes.find_positives(columns[spec.label], place_of),
            scores,
            None if spec.weight is None else columns[spec.weight],
            None if self.by is None else columns[self.by],
        )
        return rows.complete() if spec.nan_policy == "omit" else rows

    def _check_some(self, n_rows: int) -> None:
        if n_rows == 0:
            raise DataError(f"{self.where}: there is no row with all scores")

    def _check_all(self, is_some_weight: bool) -> None:
        """Refuse data without the positive label, or with a total weight of 0."""
        self.classes.finish()
        if not is_some_weight:
            raise DataError(
                f"{self.where}: column {self.spec.weight!r}: Sample weights must contain at least "
                "one non-zero number."
            )

    def run(self) -> None:
        """Run all passes that are still needed."""
        while not self.position.done:
            chunks = self.stream() if self._first is None else self._first
            # The counting thread does not see Ctrl-C, so that a chunk is counted for all columns or
            # for none, and a file is saved completely. It may go on after this block if Ctrl-C is
            # pressed twice, or as it starts: then the executor does not wait for it.
            with closing(chunks), ThreadPoolExecutor(1) as counter:
                for chunk in chunks:
                    counter.submit(self._add, chunk).result()
                    self._show()
            self._end_pass()
            self._first = None

    def stop(self) -> None:
        """Count nothing more, and save what has been counted."""
        with self._counting:
            self._stopped = True
            if self._saving is not None and not self._changing:
                self._saving(self, now=True)

    def stream(self) -> Generator[Chunk, None, None]:
        """Return the chunks that come next."""
        position = self.position
        # Groups have their own tables; a first pass without groups has room for larger chunks.
        is_first = position.pass_number == 1 and self.by is None
        batch_rows, _ = self.spec.plan_rows(is_first=is_first)
        # A row that lacks any of the scores is dropped in every pass.
        scores = [*self._active()] if self.spec.nan_policy == "raise" else self.spec.scores
        request = self._request(scores, batch_rows=batch_rows)
        few_chunks = batch_rows >= _ROWS_OF_FEW_CHUNKS
        return stream(self.files, request, self.where, position.place, few_chunks=few_chunks)

    def _active(self) -> dict[str, State]:
        """Return the state of each column of scores that needs further rows."""
        columns = zip(self.spec.scores, self.position.columns, strict=True)
        return {name: column.state for name, column in columns if not column.done}

    def empty_histograms(self) -> dict[str, ScoreHistogram]:
        """Return an empty histogram for each column of scores."""
        weighted = self.spec.weight is not None
        return {name: ScoreHistogram(weighted=weighted) for name in self.spec.scores}

    def _check_inputs(self) -> None:
        for source, known in zip(self.files, self.fingerprints, strict=True):
            if fingerprint(source) != known:
                raise DataError(f"{source.shown}: the file has changed since it was first read")

    def _add(self, chunk: Chunk) -> None:
        with self._counting:
            if self._stopped:
                return
            self._changing = True
            self._count_chunk(chunk)
            self._changing = False
            if self._saving is not None:
                self._saving(self, now=False)

    def _count_chunk(self, chunk: Chunk) -> None:
        position = self.position
        rows = self._rows_of(chunk.columns, chunk.place_of)
        self.count(rows, chunk.source.shown)
        counted = position._replace(
            place=chunk.end,
            rows=position.rows + rows.n_rows,
            dropped=position.dropped.plus(rows.dropped()),
        )
        if position.pass_number == 1:
            counted = counted._replace(
                n_rows=position.n_rows + rows.n_rows, n_pos=position.n_pos + rows.n_pos
            )
        self.position = counted
        self.rows_read += rows.n_rows

    def count(self, rows: LabeledRows, where: str) -> None:
        """Add rows to all states that need them; ``where`` names them in messages."""
        self.update(self._active(), rows, where)

    def update(self, states: Mapping[str, State], rows: LabeledRows, where: str) -> None:
        """Add rows to the state of each column of scores."""
        n_jobs = max(1, self.n_threads // len(states))

        def add(name: str, state: State) -> None:
            columns = rows.positive, rows.scores[name], rows.weight
            try:
                if isinstance(state, ScoreHistogram):
                    # ``check_numbers`` has seen the scores.
                    state._update(*columns, None, n_jobs, are_finite=True)
                else:
                    state.update(*columns, n_jobs=n_jobs)
            except (OverflowError, ValueError) as error:
                raise DataError(f"{where}: column {name!r}: {error}") from error

        with Workers(self.n_threads) as workers:
            workers.run_all([partial(add, *pair) for pair in states.items()])

    def _end_pass(self) -> None:
        position, spec = self.position, self.spec
        self._check_inputs()
        if position.pass_number == 1:
            self._check_some(position.n_rows)
            self._check_all(spec.weight is None or position.columns[0].histogram.n_rows > 0)
        self._changing = True
        release_memory()
        try:
            advances = [partial(column.advance, spec) for column in position.columns]
            with Workers(self.n_threads) as workers:
                columns = tuple(workers.run_all(advances))
        except ValueError as error:  # other rows than in the pass before
            raise DataError(f"{self.where}: {error}") from error
        self.position = position._replace(
            columns=columns, pass_number=position.pass_number + 1, place=(0, 0), rows=0
        )
        if not self.position.done:
            self.position = self.position._replace(dropped=NOTHING)
        release_memory()
        self._changing = False
        if self._saving is not None:
            self._saving(self, now=True)

    def _show(self) -> None:
        now = time.monotonic()
        if self._progress is None or now < self._shown + _PAUSE:
            return
        self._progress(self.snapshot())
        self._shown = time.monotonic()

    def snapshot(self) -> Progress:
        """Return the progress of the job."""
        position = self.position
        intervals = tuple(area_of(column.state) for column in position.columns)
        known = () if any(each.estimate != each.estimate for each in intervals) else intervals
        total = self._total if position.pass_number == 1 else position.n_rows
        return Progress(position.pass_number, position.rows, total, known)


def _keep(chunks: Iterator[Chunk], most: int) -> tuple[list[Chunk], bool]:
    """Return chunks until they have more than ``most`` rows, and whether these are all chunks."""
    kept, n_rows = [], 0
    for chunk in chunks:
        kept.append(chunk)
        n_rows += chunk.n_rows
        if n_rows > most:
            return kept, False
    return kept, True


def _replayed(kept: list[Chunk], rest: Iterator[Chunk]) -> Generator[Chunk, None, None]:
    """Yield the kept chunks, releasing each, and then the others."""
    kept.reverse()
    while kept:
        yield kept.pop()
    yield from rest
