"""Readings of files: one loop that streams rows, determines their classes and counts them.

Rows that fit into memory are not counted here but passed to the caller, all at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._readings import Column, State, histograms_of, readings_of
from fastauc._rows import NOTHING, Dropped, LabeledRows, Part, column_and_period, period_of
from fastauc._validation.arrays import opposite
from fastauc._validation.errors import DataError
from fastauc._validation.labels_in_parts import Classes, PosLabel
from fastauc._validation.threads import Workers, count_threads, result_of
from fastauc.files._columns import Array, NoColumn, Request, Rows
from fastauc.files._formats import format_of
from fastauc.files._memory import (
    most_rows,
    release_memory,
    rows_at_most,
    rows_of_chunk,
    rows_to_keep,
)
from fastauc.files._opening import Fingerprint, Source, copies_of, fingerprint, refusing
from fastauc.files._reading import Chunk, chunks_in_memory, share_read, stream
from fastauc.files._sources import describe
from fastauc.streaming import ScoreHistogram, ScoreInterval

_PAUSE = 0.4  # seconds between two calls of ``progress``


class Spec(NamedTuple):
    """The definition of a job, as for ``score``; all of it must be the same to resume the job."""

    label: str
    scores: tuple[str, ...]
    weight: str | None
    pos_label: PosLabel
    tol: float
    memory_limit: int
    nan_policy: str = "raise"
    lower_is_positive: tuple[str, ...] = ()


class Progress(NamedTuple):
    """The progress of a job.

    Attributes
    ----------
    pass_number : int
        Counted from 1; 0 while all rows are read into memory.
    rows : int
        Rows read in this pass.
    total : int or None
        The number of all rows, if it is known from the files or from an earlier pass; for text, in
        the first pass, estimated from the bytes that have been read. None if it is not known.
    intervals : tuple of ScoreInterval
        The AUC of each column of scores; in the first pass, that of the rows read so far. Empty
        while there is only one class.
    resumed : bool
        Whether the job goes on from a checkpoint. If so, the first call is before any row is read.
    """

    pass_number: int
    rows: int
    total: int | None
    intervals: tuple[ScoreInterval, ...]
    resumed: bool = False


Progress.__module__ = "fastauc.files"


class Position(NamedTuple):
    """The position of a job: its columns of scores, the pass, and the rows counted in it.

    Passes are counted from 1; while it is not known whether the rows fit into memory, the number is
    0. ``place`` is the next file and the next row in it; a further pass begins anew. ``rows`` are
    those of this pass, ``n_rows``, ``n_pos`` and ``dropped`` those of the first.
    """

    columns: tuple[Column, ...]
    pass_number: int = 0
    place: tuple[int, int] = (0, 0)
    rows: int = 0
    n_rows: int = 0
    n_pos: int = 0
    dropped: Dropped = NOTHING

    @property
    def done(self) -> bool:
        return all(column.done for column in self.columns)

    @property
    def is_first(self) -> bool:
        return self.pass_number < 2


class Job:
    """Files counted in one or two readings, or loaded if they fit into memory.

    ``by`` are columns of groups; or COLUMN:PERIOD of a column of dates, which are in ISO 8601 or in
    ``date_format``. ``saving`` is called with the job after each chunk, and with ``now=True`` after
    each pass; no signal interrupts it.
    """

    def __init__(
        self,
        files: list[Source],
        spec: Spec,
        *,
        by: Sequence[str] = (),
        date_format: str | None = None,
        n_jobs: int | None = None,
        progress: Callable[[Progress], object] | None = None,
        saving: Callable[..., object] | None = None,
    ) -> None:
        self.files, self.spec = files, spec
        self.by, self._date_format = tuple(dict.fromkeys(by)), date_format
        self.where = describe(files)
        self.classes = Classes(spec.pos_label, f"{self.where}: column {spec.label!r}")
        self.n_threads = count_threads(n_jobs)
        # What the rows of each column of scores are added to, if it needs any.
        columns = self.empty_columns()
        self._states: Mapping[str, State] = histograms_of(columns)
        self.position = Position(tuple(columns.values()))
        self.fingerprints: list[Fingerprint] = []
        self._progress, self._saving = progress, saving
        self._total: int | None = None
        self._first: Generator[Chunk, None, None] | None = None  # rows of the first pass
        self._shown = 0.0
        self._read_up_to = 0, 0  # the file, and its bytes
        # Of the files with rows, as far as this process has read them: a hash, if forms differ.
        self.with_rows: dict[int, Any] = {}
        self._forms = [(each.format, each.compression, each.delimiter) for each in files]
        self._is_mixed, self._copies = len(set(self._forms)) > 1, copies_of(files)
        self._counting = Lock()
        self.resumed = False
        self._changing = False  # its states, which must then not be saved, even after an error
        self._stopped = False

    @contextlib.contextmanager
    def loading(self, *, is_resumed: bool = False) -> Iterator[LabeledRows | None]:
        """Give all rows if they fit into memory, else None: then ``run`` must count them.

        Files that do not state their number of rows are read until there are too many.
        """
        request = self._request(self.spec.scores)
        n_at_once = min(self.n_threads, len(self.spec.scores))
        # The groups of rows in memory are copies of them.
        n_columns = len(request.numeric) + 2 * len(self.by)
        most = most_rows(self.spec.memory_limit, n_columns, n_at_once)
        n_rows, is_known = rows_at_most(self.files, len(request.columns), most)
        self._total = n_rows if is_known else None
        if n_rows > most:
            self.fingerprints = [fingerprint(source) for source in self.files]
            if is_known or is_resumed:
                self.position = self.position._replace(pass_number=1)
                yield None
                return
        with closing(self.stream()) as chunks:
            kept: list[Chunk] = []
            numbers: dict[str, Array] = {}
            for chunk in chunks:
                kept.append(chunk)
                place, n = self.position.rows, self.position.rows + chunk.n_rows
                self.position = self.position._replace(rows=n)
                self._read_up_to = chunk.file, chunk.n_bytes
                self.show()
                if n > most:
                    break
                _move(chunk, request.numeric, numbers, place, min(n_rows, most))
            else:
                yield self._whole(kept, {name: all[:n] for name, all in numbers.items()})
                return
            # They will be counted.
            self.position = self.position._replace(pass_number=1, rows=0)
            self._first = _replayed(kept, chunks)
            yield None

    def _periods_of(self, column: str, period: str, chunk: Chunk) -> Array:
        found: dict[Any, str] = {}
        values = chunk.columns[column].tolist()
        for row, value in enumerate(values):
            if value not in found:
                try:
                    found[value] = period_of(value, period, self._date_format)
                except ValueError as error:
                    rows = Rows(chunk.source, column, chunk.first_row, self._request(()))
                    example = date(2024, 3, 5).strftime(self._date_format or "%Y-%m-%d")
                    advice = "for dates of another form, use --date-format"
                    expected = f"expected a date such as {example}"
                    hints = (advice, advice) if self._date_format is None else None
                    raise rows.wrong_value(row, repr(value), expected, hints) from error
        return np.array([found[value] for value in values], object)

    def _request(self, scores: Sequence[str], **options: Any) -> Request:
        """Return the columns to read: the label, these scores, the weights, the groups."""
        weights = [] if self.spec.weight is None else [self.spec.weight]
        numeric = [*scores, *weights]
        options["may_miss" if self.spec.nan_policy == "omit" else "could_miss"] = [*scores]
        groups = [column_and_period(each) for each in self.by]
        columns = dict.fromkeys([self.spec.label, *numeric, *(name for name, _ in groups)])
        if self._date_format is not None:
            options["as_text"] = [name for name, period in groups if period is not None]
        options["use_threads"] = self.n_threads > 1
        return Request(tuple(columns), numeric, weights, **options)

    def _whole(self, chunks: list[Chunk], columns: dict[str, Array]) -> LabeledRows:
        """Return the rows of all chunks, whose numbers are in these columns."""
        found = [self._positives_of(chunk) for chunk in chunks]
        for name in map(_key_of, self.by):
            columns[name] = np.concatenate([chunk.columns[name] for chunk in chunks])
        chunks.clear()
        rows = self._rows_of(columns, np.concatenate(found))
        self._check(rows.n_rows, rows.dropped())
        return rows

    def _positives_of(self, chunk: Chunk) -> NDArray[np.bool_]:
        """Return which rows are positive, and remember the rows of the first reading."""
        positive = self.classes.find_positives(chunk.columns[self.spec.label], chunk.place_of)
        if self.position.is_first:
            known = self.with_rows.setdefault(chunk.file, hashlib.sha256())
            if self._is_mixed:
                numbers = (chunk.columns[name] for name in self._request(self.spec.scores).numeric)
                known.update(np.column_stack([positive, *numbers]).astype(np.float64).tobytes())
        return positive

    def _rows_of(self, columns: dict[str, Array], positive: NDArray[np.bool_]) -> LabeledRows:
        spec = self.spec
        scores = {name: columns[name] for name in spec.scores if name in columns}
        for name in scores.keys() & spec.lower_is_positive:
            scores[name] = opposite(scores[name])
        weight = None if spec.weight is None else columns[spec.weight]
        groups = tuple(columns[_key_of(each)] for each in self.by)
        rows = LabeledRows(positive, scores, weight, groups).of_weight()
        return rows.complete() if spec.nan_policy == "omit" else rows

    def _check(self, n_rows: int, dropped: Dropped) -> None:
        """Refuse no rows, the same twice, no positive label, and a total weight of 0."""
        seen: dict[Any, int] = {}
        for file, rows in self.with_rows.items():
            # Folders tell files apart, as those with the same bytes.
            other = seen.setdefault((rows.digest(), self.files[file].partitions), file)
            if self._forms[file] != self._forms[other]:
                raise _repeated(self.files[file], self.files[other], "rows, in another form,")
        if n_rows == 0 and dropped.negatives + dropped.positives:
            self._check_scores()
            raise DataError(f"{self.where}: there is no row with all scores")
        self.classes.finish()
        if n_rows == 0:
            raise DataError(
                f"{self.where}: column {self.spec.weight!r}: Sample weights must contain at least "
                "one non-zero number."
            )

    def _check_scores(self) -> None:
        """Refuse scores that no file has; objects of JSON may leave out what is missing."""
        for name in self.spec.scores:
            refusals = []
            for source in self.files:
                pieces = format_of(source).pieces(source, Request((name,), (name,)), 0)
                try:
                    if any(True for piece in pieces for _ in piece.read()):
                        break
                except NoColumn as error:
                    refusals.append(error)
                except DataError:  # it has the name, and null
                    break
            else:
                raise refusals[0]

    def run(self) -> None:
        spec = self.spec
        columns = dict(zip(spec.scores, self.position.columns, strict=True))
        if self.position.pass_number == 1:
            self._states = histograms_of(columns)
            self._read(self.stream() if self._first is None else self._first)
            self._first = None
            self._check(self.position.n_rows, self.position.dropped)
            for name, column in columns.items():
                columns[name] = column.counted(spec.tol)
            self._advance(columns)
        while not self.position.done:
            n_bins = sum(column.n_bins for column in columns.values())
            most = rows_to_keep(spec.memory_limit, len(columns), n_bins, spec.weight is not None)
            with readings_of(columns, most, self.n_threads) as readings:
                self._states = readings
                self._read(self.stream())
                release_memory()
                # A ValueError: other rows than in the first reading.
                with refusing(self.where, ValueError), Workers(self.n_threads) as workers:
                    for name, reading in readings.items():
                        columns[name] = columns[name].read_again(reading, workers)
                self._advance(columns)

    def _read(self, chunks: Generator[Chunk, None, None]) -> None:
        # The counting thread does not see Ctrl-C, so that a chunk is counted for all columns or
        # for none, and a file is saved completely. It may go on after this block if Ctrl-C is
        # pressed twice, or as it starts: then the executor does not wait for it.
        try:
            with closing(chunks), ThreadPoolExecutor(1) as counter:
                for chunk in chunks:
                    result_of(counter.submit(self._add, chunk))
                    self.show()
        except DataError:
            self._check_inputs()  # a file that is replaced may be a broken one for a moment
            raise
        self._check_inputs()

    def stop(self) -> None:
        """Count nothing more, and save what has been counted."""
        with self._counting:
            self._stopped = True
            if self._saving is not None and not self._changing:
                self._saving(self, now=True)

    def stream(self) -> Generator[Chunk, None, None]:
        """Yield the chunks that come next, with columns of groups: of dates, their periods."""
        position, spec = self.position, self.spec
        # Groups have their own tables; a first reading without groups has room for larger chunks.
        is_first = position.is_first and not self.by
        n_chunks, weighted = chunks_in_memory(self.n_threads > 1), spec.weight is not None
        columns = len(spec.scores), weighted, n_chunks
        batch_rows = rows_of_chunk(spec.memory_limit, *columns, is_first=is_first)
        # A row that lacks any of the scores is dropped in every reading.
        scores = [*self._states] if spec.nan_policy == "raise" else spec.scores
        request = self._request(scores, batch_rows=batch_rows)
        with closing(stream(self.files, request, self.where, position.place)) as chunks:
            for chunk in chunks:
                if chunk.file in self._copies:  # those without rows may be a header
                    raise _repeated(chunk.source, self._copies[chunk.file], "bytes")
                for each in self.by:
                    column, period = column_and_period(each)
                    values = chunk.columns[column]
                    periods = None if period is None else self._periods_of(column, period, chunk)
                    chunk.columns[_key_of(each)] = values if periods is None else periods
                yield chunk

    def empty_columns(self) -> dict[str, Column]:
        weighted = self.spec.weight is not None
        return {name: Column(ScoreHistogram(weighted=weighted)) for name in self.spec.scores}

    def _check_inputs(self) -> None:
        for source, known in zip(self.files, self.fingerprints, strict=True):
            if fingerprint(source) != known:
                raise DataError(f"{source.shown}: the file has changed since it was first read")

    def _add(self, chunk: Chunk) -> None:
        with self._counting:
            if self._stopped:
                return
            self._changing = True
            self._read_up_to = chunk.file, chunk.n_bytes
            position = self.position
            rows = self._rows_of(chunk.columns, self._positives_of(chunk))
            self.count(rows, chunk.source.shown)
            self.position = position._replace(rows=position.rows + rows.n_rows)
            if position.pass_number == 1:
                self.position = self.position._replace(
                    place=chunk.end,
                    n_rows=position.n_rows + rows.n_rows,
                    n_pos=position.n_pos + rows.n_pos,
                    dropped=position.dropped.plus(rows.dropped()),
                )
            self._changing = False
            if self._saving is not None and position.pass_number == 1:
                self._saving(self, now=False)

    def count(self, rows: LabeledRows, where: str) -> None:
        """Add rows to all columns that need them; ``where`` names them in messages."""
        self.update(self._states, rows, where)

    def update(self, states: Mapping[str, State], rows: LabeledRows, where: str) -> None:
        """Add rows to each column of scores."""

        def add(name: str, state: State) -> None:
            with refusing(f"{where}: column {name!r}", OverflowError, ValueError):
                state.update(rows.positive, rows.scores[name], rows.weight)

        with Workers(self.n_threads) as workers:
            workers.run_all([partial(add, *pair) for pair in states.items()])

    def whole(self, rows: LabeledRows | None) -> Part:
        """Return all rows: those in memory, or as they have been counted."""
        if rows is not None:
            return self.part(None, rows._replace(groups=()))
        at, columns = self.position, dict(zip(self.spec.scores, self.position.columns, strict=True))
        return self.part(None, None, (at.n_rows, at.n_pos, at.dropped), columns)

    def part(
        self,
        group: Any,
        rows: LabeledRows | None = None,
        known: tuple[int, int, Dropped] = (0, 0, NOTHING),
        columns: Mapping[str, Column] = MappingProxyType({}),
    ) -> Part:
        """Return rows in memory; or so many rows, positives and dropped ones, that were counted."""
        if rows is not None:
            known = rows.n_rows, rows.n_pos, rows.dropped()
        n_rows, n_pos, dropped = known
        shown = dropped if self.spec.nan_policy == "omit" else None
        how = self.where, self.n_threads, shown, frozenset(self.spec.lower_is_positive)
        return Part(group, n_rows, n_pos, rows, columns, *how)

    def _advance(self, columns: Mapping[str, Column]) -> None:
        # In one assignment: a signal finds the position before or after it, which can be saved.
        self.position = self.position._replace(
            columns=tuple(columns.values()),
            pass_number=self.position.pass_number + 1,
            place=(0, 0),
            rows=0,
        )
        release_memory()
        if self._saving is not None:
            self._saving(self, now=True)

    def show(self) -> None:
        """Call ``progress``, unless it has just been called."""
        now = time.monotonic()
        if self._progress is None or now < self._shown + _PAUSE:
            return
        self._progress(self.snapshot())
        self._shown = time.monotonic()

    def snapshot(self) -> Progress:
        position = self.position
        intervals = tuple(column.interval() for column in position.columns)
        known = () if any(each.estimate != each.estimate for each in intervals) else intervals
        total = self._total if position.is_first else position.n_rows
        share = share_read(self.files, *self._read_up_to)
        if total is None and share is not None:  # then it is estimated from the bytes
            total = round(position.rows / share)
        return Progress(position.pass_number, position.rows, total, known, self.resumed)


def _repeated(source: Source, other: Source, what: str) -> DataError:
    return DataError(
        f"{source.shown}: it holds the same {what} as {other.shown}; expected each file once, or "
        "one file with all rows if both are meant"
    )


def _key_of(by: str) -> str:
    """Return where chunks have a column of groups, apart from the one in the file."""
    return f"\0{by}"


def _move(
    chunk: Chunk, names: Iterable[str], columns: dict[str, Array], place: int, expected: int
) -> None:
    """Move numbers of a chunk to columns for all rows, of which the chunk then has views.

    So the memory of a chunk is used again by a later one: memory that is touched for the first time
    takes longer than a copy. More rows may come than are ``expected``.
    """
    for name in names:
        values = chunk.columns[name]
        column = columns.get(name, values[:0])
        stop, dtype = place + len(values), np.result_type(column, values)
        if stop > len(column) or dtype != column.dtype:
            columns[name] = np.empty(expected if stop <= expected else 2 * stop, dtype)
            columns[name][:place] = column[:place]
        chunk.columns[name] = columns[name][place:stop]
        chunk.columns[name][:] = values


def _replayed(kept: list[Chunk], rest: Iterator[Chunk]) -> Generator[Chunk, None, None]:
    """Yield the kept chunks, releasing each, and then the others."""
    kept.reverse()
    while kept:
        yield kept.pop()
    yield from rest
