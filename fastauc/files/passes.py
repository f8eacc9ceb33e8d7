"""Passes over files: where a job is, and what is known there."""

import contextlib
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._streaming.bounds import ScoreInterval, roc_auc_interval
from fastauc._streaming.histogram import ScoreHistogram
from fastauc._streaming.refinement import PassRecord, Refinement, refine
from fastauc._validation.threads import Workers, count_threads
from fastauc.files.columns import Array, join
from fastauc.files.memory import most_rows, plan_rows, trim
from fastauc.files.positives import Classes, PosLabel
from fastauc.files.reading import Chunk, read_columns, stream_columns
from fastauc.files.sources import DataError, Source, describe, fingerprint

_PAUSE = 0.4  # seconds between two calls of ``progress``


# Where there is less room, what allocators keep of larger chunks would pass the limit.
_ROWS_OF_FEW_CHUNKS = 2**16


class Spec(NamedTuple):
    """What a job does; to continue it, all of this has to be the same.

    Attributes
    ----------
    label, weight : str or None
        Columns.
    scores : tuple of str
        Columns, each for a result of its own.
    pos_label : int, float, bool, str or None
    tol : float
        How wide an interval of the area may be.
    one_pass : bool
        Whether to stop after the first pass, however wide they are.
    memory_limit : int
        Bytes.
    saved : bool
        Whether the job is saved on its way.
    """

    label: str
    scores: tuple[str, ...]
    weight: str | None
    pos_label: PosLabel
    tol: float
    one_pass: bool
    memory_limit: int
    saved: bool

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
    """How far a job is.

    Attributes
    ----------
    pass_number : int
        Counted from 1; 0 while all rows are read into memory.
    rows : int
        Rows read in this pass.
    total : int or None
        All rows, where the files or an earlier pass tell.
    intervals : tuple of ScoreInterval
        The area of each column of scores: in the first pass, of the rows read so far. Empty while
        there is only one class.
    """

    pass_number: int
    rows: int
    total: int | None
    intervals: tuple[ScoreInterval, ...]


class Column(NamedTuple):
    """What is known of a column of scores.

    Attributes
    ----------
    histogram : ScoreHistogram
        Of the first pass.
    step : Refinement or None
        The pass that is under way, or the last one.
    passes : tuple of PassRecord
        The passes that are finished.
    done : bool
        Whether no further pass is needed.
    """

    histogram: ScoreHistogram
    step: Refinement | None = None
    passes: tuple[PassRecord, ...] = ()
    done: bool = False

    @property
    def state(self) -> ScoreHistogram | Refinement:
        """What the rows of the pass are added to."""
        return self.histogram if self.step is None else self.step

    def advance(self, spec: Spec) -> "Column":
        """Return what is known after a pass that has seen all rows, with the next pass, if any."""
        if self.done:
            return self
        interval = area_of(self.state)
        kind = "histogram" if self.step is None else self.step.kind
        record = PassRecord(kind, self.state.n_rows, interval.lower, interval.upper)
        step = None
        if not spec.one_pass:
            # Those of a histogram are few beside its tables.
            n_intervals = 0 if self.step is None else len(self.step._finish().unresolved.cells)
            _, max_rows = spec.plan_rows(n_intervals)
            step = refine(self.state, tol=spec.tol, max_rows=max_rows)
        passes = (*self.passes, record)
        if step is None:
            return self._replace(passes=passes, done=True)
        return self._replace(step=step, passes=passes)


_NOT_KNOWN = ScoreInterval(float("nan"), float("nan"), float("nan"), False)


def area_of(state: ScoreHistogram | Refinement) -> ScoreInterval:
    """Return the area; NaN, without a warning, while rows of a class are missing."""
    if not isinstance(state, ScoreHistogram):
        return state.roc_auc()
    sums = state._sums()[1]
    return roc_auc_interval(sums) if all(sums.present) else _NOT_KNOWN


def check_weight(is_some: bool, where: str, spec: Spec) -> None:
    """Refuse rows that weigh nothing together."""
    if not is_some:
        raise DataError(
            f"{where}: column {spec.weight!r}: Sample weights must contain at least one non-zero "
            "number."
        )


class Position(NamedTuple):
    """Where a job is: its columns, the pass, and how many rows of it have been counted.

    Attributes
    ----------
    columns : tuple of Column
        One for each column of scores.
    pass_number : int
        Counted from 1.
    place : tuple of int
        The file and the row that come next, both from 0.
    rows : int
        Rows counted in this pass.
    n_rows, n_pos : int
        Rows and positives of the first pass, counted so far.
    """

    columns: tuple[Column, ...]
    pass_number: int = 1
    place: tuple[int, int] = (0, 0)
    rows: int = 0
    n_rows: int = 0
    n_pos: int = 0

    @property
    def done(self) -> bool:
        """Whether no further pass is needed."""
        return all(column.done for column in self.columns)


class Job:
    """Passes over files.

    Parameters
    ----------
    files : list of Source
    spec : Spec
    n_jobs : int or None
    progress : callable, optional
        Called with a ``Progress`` now and then.
    saving : callable, optional
        Called with the job after each chunk, and with ``now=True`` after each pass: a state that
        can be saved. Not interrupted by signals.
    """

    def __init__(
        self,
        files: list[Source],
        spec: Spec,
        *,
        n_jobs: int | None = None,
        total: int | None = None,
        progress: Callable[[Progress], object] | None = None,
        saving: Callable[..., object] | None = None,
    ) -> None:
        self.files, self.spec = files, spec
        self.where = describe(files)
        weighted = spec.weight is not None
        columns = tuple(Column(ScoreHistogram(weighted=weighted)) for _ in spec.scores)
        self.position = Position(columns)
        self.classes = Classes(spec.pos_label, f"{self.where}: column {spec.label!r}")
        self.fingerprints = [fingerprint(source) for source in files]
        self._n_threads = count_threads(n_jobs)
        self._total = total
        self._progress, self._saving = progress, saving
        self._shown = 0.0
        self.rows_read = 0  # by this process, in all passes
        self.ending = False  # a pass: then the states are not to be saved

    def run(self, first: Generator[Chunk, None, None] | None = None) -> None:
        """Make all passes that are still needed; ``first`` are the rows of the first pass."""
        while not self.position.done:
            chunks = self.stream() if first is None else first
            # The counting thread does not see Ctrl-C, so that a chunk is counted by all columns or
            # by none, and a file is saved to its end.
            with closing(chunks), ThreadPoolExecutor(1) as counter:
                for chunk in chunks:
                    counter.submit(self._add, chunk).result()
                    self._show()
            self._end_pass()
            first = None

    def stream(self) -> Generator[Chunk, None, None]:
        """Return the chunks that come next."""
        spec, position = self.spec, self.position
        weights = [] if spec.weight is None else [spec.weight]
        scores = [
            name
            for name, column in zip(spec.scores, position.columns, strict=True)
            if not column.done
        ]
        numeric = [*scores, *weights]
        batch_rows, _ = spec.plan_rows(is_first=position.pass_number == 1)
        return stream_columns(
            self.files,
            [spec.label, *numeric],
            numeric=numeric,
            nonnegative=weights,
            batch_rows=batch_rows,
            use_threads=self._n_threads > 1,
            start=position.place,
            few_chunks=batch_rows >= _ROWS_OF_FEW_CHUNKS,
        )

    def _check_inputs(self) -> None:
        for source, known in zip(self.files, self.fingerprints, strict=True):
            if fingerprint(source) != known:
                raise DataError(f"{source.shown}: the file has changed since it was first read")

    def _add(self, chunk: Chunk) -> None:
        spec, position = self.spec, self.position
        positive = self.classes.find_positives(chunk.columns[spec.label], chunk.place_of)
        weight = None if spec.weight is None else chunk.columns[spec.weight]
        active = [
            (name, column.state)
            for name, column in zip(spec.scores, position.columns, strict=True)
            if not column.done
        ]
        n_jobs = max(1, self._n_threads // len(active))

        def update(name: str, state: ScoreHistogram | Refinement) -> None:
            try:
                if isinstance(state, ScoreHistogram):
                    # ``check_numbers`` has seen the scores.
                    rows = positive, chunk.columns[name], weight
                    state._update(*rows, None, n_jobs, are_finite=True)
                else:
                    state.update(positive, chunk.columns[name], weight, n_jobs=n_jobs)
            except (OverflowError, ValueError) as error:
                raise DataError(f"{chunk.source.shown}: column {name!r}: {error}") from error

        with Workers(self._n_threads) as workers:
            workers.run_all([partial(update, *pair) for pair in active])
        counted = position._replace(place=chunk.end, rows=position.rows + chunk.n_rows)
        if position.pass_number == 1:
            counted = counted._replace(
                n_rows=position.n_rows + chunk.n_rows,
                n_pos=position.n_pos + int(np.count_nonzero(positive)),
            )
        self.position = counted
        self.rows_read += chunk.n_rows
        if self._saving is not None:
            self._saving(self, now=False)

    def _end_pass(self) -> None:
        position, spec = self.position, self.spec
        self._check_inputs()
        if position.pass_number == 1:
            self.classes.finish()
            n_weighted = position.columns[0].histogram.n_rows
            check_weight(spec.weight is None or n_weighted > 0, self.where, spec)
        self.ending = True
        trim()
        try:
            advances = [partial(column.advance, spec) for column in position.columns]
            with Workers(self._n_threads) as workers:
                columns = tuple(workers.run_all(advances))
        except ValueError as error:  # other rows than in the pass before
            raise DataError(f"{self.where}: {error}") from error
        self.position = position._replace(
            columns=columns, pass_number=position.pass_number + 1, place=(0, 0), rows=0
        )
        trim()
        self.ending = False
        if self._saving is not None:
            self._saving(self, now=True)

    def _show(self) -> None:
        now = time.monotonic()
        if self._progress is None or now < self._shown + _PAUSE:
            return
        self._progress(self.snapshot())
        self._shown = time.monotonic()

    def snapshot(self) -> Progress:
        """Return how far the job is."""
        position = self.position
        intervals = tuple(area_of(column.state) for column in position.columns)
        known = () if any(each.estimate != each.estimate for each in intervals) else intervals
        total = self._total if position.pass_number == 1 else position.n_rows
        return Progress(position.pass_number, position.rows, total, known)


ShowProgress = Callable[[Progress], object] | None


def most_rows_of(spec: Spec, n_jobs: int | None, *, n_others: int = 0) -> int:
    """Return how many rows fit into memory; ``n_others`` columns are kept beside those measured."""
    n_scores = len(spec.scores)
    n_at_once = min(count_threads(n_jobs), n_scores)
    return most_rows(spec.memory_limit, n_scores + (spec.weight is not None) + n_others, n_at_once)


def read_whole(
    files: list[Source],
    spec: Spec,
    n_jobs: int | None,
    progress: ShowProgress,
    others: tuple[str, ...] = (),
) -> dict[str, Array]:
    """Read the columns of all rows, and other columns besides."""
    weights = [] if spec.weight is None else [spec.weight]
    numeric = [*spec.scores, *weights]
    n_read = 0

    def tell(n_rows: int) -> None:
        nonlocal n_read
        n_read += n_rows
        if progress is not None:
            progress(Progress(0, n_read, None, ()))

    return read_columns(
        files,
        [spec.label, *numeric, *others],
        numeric=numeric,
        nonnegative=weights,
        progress=tell,
        use_threads=count_threads(n_jobs) > 1,
    )


def find_positives(
    labels: Array, files: list[Source], spec: Spec
) -> tuple[NDArray[np.bool_], Classes]:
    """Return which rows of files are positive, and their labels."""
    classes = Classes(spec.pos_label, f"{describe(files)}: column {spec.label!r}")
    try:
        positive = classes.find_positives(labels)
    except DataError as error:
        raise (_third_label(files, spec) or error) from None
    classes.finish()
    return positive, classes


def _third_label(files: list[Source], spec: Spec) -> DataError | None:
    """Return the error for a third label with its place, for which the files are read again."""
    classes = Classes(spec.pos_label, f"{describe(files)}: column {spec.label!r}")
    with (
        contextlib.suppress(DataError),
        contextlib.closing(stream_columns(files, [spec.label], use_threads=False)) as chunks,
    ):
        for chunk in chunks:
            try:
                classes.find_positives(chunk.columns[spec.label], chunk.place_of)
            except DataError as error:
                if len(classes.seen) > 2:
                    return error
    return None


def keep(chunks: Iterator[Chunk], most: int) -> tuple[list[Chunk], bool]:
    """Return chunks of no more rows than ``most``, but for the last one, and whether it is all."""
    kept, n_rows = [], 0
    for chunk in chunks:
        kept.append(chunk)
        n_rows += chunk.n_rows
        if n_rows > most:
            return kept, False
    return kept, True


def joined(chunks: list[Chunk]) -> dict[str, Array]:
    """Return the columns of chunks, one after the other."""
    return {
        name: join(name, [(chunk.source.shown, chunk.columns[name]) for chunk in chunks])
        for name in chunks[0].columns
    }


def replayed(kept: list[Chunk], rest: Generator[Chunk, None, None]) -> Generator[Chunk, None, None]:
    """Yield chunks that were kept, which are let go, and then the others."""
    kept.reverse()
    while kept:
        yield kept.pop()
    yield from rest
