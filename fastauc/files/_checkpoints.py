"""A job saved while it runs, so that another process can resume it if it is interrupted.

The description names the inputs with their fingerprints, the columns, the options, the reading and
the position of the next row; the states are the histograms of the columns. Only the first reading
is continued where it was: undecided rows are not saved, so a second one begins anew. When the job
is done, the description has the pairs that were counted as well.
"""

import os
import time
from itertools import chain
from typing import Any

from fastauc._readings import Column
from fastauc._rows import Dropped
from fastauc._state_format import Kind, broken
from fastauc._validation.errors import DataError
from fastauc.files._passes import Job, Position, Spec
from fastauc.files._saved import INPUT, check_counts, inputs_of, matches, read_saved, save
from fastauc.files._sources import Path
from fastauc.streaming import PassRecord, ScoreHistogram

# At most this part of a job's time goes into saving it.
_MOST_TIME = 0.1


class Checkpoint:
    """The file a job is saved to, every so many ``seconds``; with 0, after every chunk."""

    def __init__(self, path: Path, seconds: float) -> None:
        self.path, self.seconds = os.fspath(path), seconds
        self.failure: DataError | None = None  # of the last save
        self._next = 0.0

    @property
    def exists(self) -> bool:
        return os.path.exists(self.path)

    def resume(self, job: Job) -> None:
        """Resume a job where it was saved, if it is the same one, or save it for the first time."""
        once = [source.shown for source in job.files if source.is_once]
        if once:
            raise DataError(
                f"{self.path}: {once[0]} cannot be read again when a job is resumed; expected "
                "files with a checkpoint"
            )
        if not self.exists:
            self.save(job)
            return
        try:
            header, states = read_saved(self.path, Kind.CHECKPOINT)
            _check_described(header)
            self._check_same(job, header)
            position = _position_of(header, states, job.spec)
            job.classes.seen = header["labels"]
            _check_labels(job, position)
            if job.classes.seen and not position.place[0] < len(job.files):
                raise broken("its place is behind the last file")
            job.position, job.resumed = position, True
        except DataError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            reason = f"cannot be read: {error}".removesuffix(".")
            raise DataError(f"{self.path}: {reason}; remove it to start over") from error
        if not job.position.done:
            job.show()

    def __call__(self, job: Job, *, now: bool) -> None:
        """Save the job if that is due; if that fails, the file before it is kept."""
        if now or time.monotonic() >= self._next:
            try:
                self.save(job)
                self.failure = None
            except DataError as error:
                self.failure = error

    def save(self, job: Job) -> None:
        start = time.monotonic()
        states = [column.histogram.to_bytes() for column in job.position.columns]
        try:
            save(self.path, Kind.CHECKPOINT, _described(job), states)
        finally:
            end = time.monotonic()
            pause = max(self.seconds, (end - start) / _MOST_TIME) if self.seconds > 0 else 0.0
            self._next = end + pause

    def _check_same(self, job: Job, header: dict[str, Any]) -> None:
        known, found = header["spec"], _plain(job.spec)
        for name, value in found.items():
            if known[name] != value:
                raise self._other(f"{name} was {known[name]!r}, and is {value!r} now")
        inputs = inputs_of(job.files, job.fingerprints)
        for before, now in zip(header["inputs"], inputs, strict=False):
            if before[0] != now[0]:
                raise self._other(f"its file {before[0]} is not at the same position in the inputs")
            if before != now:
                raise self._other(f"{before[0]} has changed since then")
        if len(header["inputs"]) != len(inputs):
            raise self._other(f"it had {len(header['inputs'])} files, and has {len(inputs)} now")

    def _other(self, reason: str) -> DataError:
        return DataError(
            f"{self.path}: the checkpoint is from another job: {reason}; remove it to start over"
        )


def _plain(spec: Spec) -> dict[str, Any]:
    return {name: list(v) if isinstance(v, tuple) else v for name, v in spec._asdict().items()}


def _described(job: Job) -> dict[str, Any]:
    position = job.position
    dropped = position.dropped
    by_score = [dropped.by_score.get(name, (0, 0)) for name in job.spec.scores]
    return {
        "spec": _plain(job.spec),
        "inputs": inputs_of(job.files, job.fingerprints),
        "labels": job.classes.seen,
        "pass": [1 if position.is_first else 2],
        "place": position.place,
        "rows": [position.n_rows, position.n_pos],
        "dropped": [dropped.negatives, dropped.positives, *chain.from_iterable(by_score)],
        "columns": [
            {"passes": column.passes, "pairs": column.pairs if position.done else None}
            for column in position.columns
        ],
    }


_SHAPE = {
    "spec": dict,
    "inputs": [INPUT],
    "labels": [bool | int | float | str],
    "pass": (int,),
    "place": (int, int),
    "rows": (int, int),
    "dropped": [int],
    "columns": [{"passes": [(str, int, float, float)], "pairs": list | None}],
}


def _check_described(header: dict[str, Any]) -> None:
    """Refuse an impossible description: anyone can write one."""
    is_possible = (
        matches(header, _SHAPE)
        and len(header["labels"]) <= 2
        and len({isinstance(label, str) for label in header["labels"]}) < 2
        and len(header["columns"]) == len(header["spec"]["scores"])
        and min(chain(*(header[name] for name in ("pass", "place", "rows", "dropped")))) >= 0
    )
    if not is_possible:
        raise broken("its description is invalid")


def _check_labels(job: Job, position: Position) -> None:
    """Refuse labels that are not those of the rows that were counted or dropped."""
    dropped, seen = position.dropped, job.classes.seen
    n_pos = position.n_pos + dropped.positives
    n_neg = position.n_rows - position.n_pos + dropped.negatives
    positive = job.classes.positive_label() if seen else None
    if [positive in seen, any(label != positive for label in seen)] != [n_pos > 0, n_neg > 0]:
        raise broken("its labels do not match its rows")


def _position_of(header: dict[str, Any], states: list[memoryview], spec: Spec) -> Position:
    is_first = header["pass"] == [1]
    columns = []
    for state, described in zip(states, header["columns"], strict=True):
        # Copied, because a histogram keeps views of the bytes that it was read from.
        column = Column(ScoreHistogram.from_bytes(bytes(state)))
        if not is_first:
            column = column.counted(spec.tol)
            if described["pairs"] is not None:
                passes = tuple(PassRecord(*record) for record in described["passes"])
                column = column.as_resolved(described["pairs"], passes)
        columns.append(column)
    n_rows, n_pos = header["rows"]
    negatives, positives, *by_score = header["dropped"]
    pairs = list(zip(by_score[::2], by_score[1::2], strict=True))
    histograms = [column.histogram for column in columns]
    check_counts(histograms, len(spec.scores), spec.weight is not None, n_rows, n_pos)
    file, row = header["place"]
    n_read = n_rows + negatives + positives
    # Rows of weight 0 are read, and are not counted.
    is_beyond = row > n_read and spec.weight is None
    if is_first and (is_beyond or (file == 0 and row < n_read)):
        raise broken(f"it has read {n_read} rows, and goes on after {row} of a file")
    if any(lacking > (negatives, positives)[k % 2] for k, lacking in enumerate(by_score)):
        raise broken("more rows lack a score than were dropped")
    return Position(
        tuple(columns),
        pass_number=1 if is_first else 2,
        place=tuple(header["place"]) if is_first else (0, 0),
        rows=n_rows if is_first else 0,
        n_rows=n_rows,
        n_pos=n_pos,
        dropped=Dropped(negatives, positives, dict(zip(spec.scores, pairs, strict=True))),
    )
