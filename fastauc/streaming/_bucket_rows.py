"""Undecided rows in buckets: in memory up to a limit, and beyond it in a temporary file.

Rows come in runs, in each of which the rows of a bucket and of a class lie together. When the runs
in memory exceed the limit, those of each column of scores are joined to a single run in the file.
Rows are arrays of their keys and, if they are weighted, of the bits of their weights below them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import wide_counts as _wide_counts
from fastauc._validation.arrays import FLOAT32, Array

Keys = NDArray[np.uint64]
_PLACE_ROWS = {False: _wide_counts.place_rows["double"], True: _wide_counts.place_rows["float"]}
_NO_WEIGHTS = np.empty(0)
_BYTES = 8  # of a key, and of a weight
_CANNOT_RESERVE = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)  # of some file systems


def weights_of(rows: Keys) -> NDArray[np.float64]:
    """Return the weights of rows; empty if they have none."""
    return rows[1].view(np.float64) if len(rows) == 2 else _NO_WEIGHTS


class Run(NamedTuple):
    """Rows of all buckets, in the order of their groups: each class of each bucket.

    ``ends`` has the end of each group, after a 0. If ``rows`` is None, they are at ``place``.
    """

    ends: NDArray[np.int64]
    rows: Keys | None
    place: int = 0


class BucketRows:
    """The undecided rows of a column of scores, whose bins have a bucket each; 0 for none."""

    def __init__(
        self, store: Store, number_of: NDArray[np.uint16], n_buckets: int, *, weighted: bool
    ) -> None:
        self.store, self._number_of, self.weighted = store, number_of, weighted
        self.n_buckets = n_buckets
        self.runs: list[Run] = []
        store.columns.add(self)

    def add(
        self, label: NDArray[np.uint8], score: Array, numbers: NDArray[np.uint32], weight: Any
    ) -> int:
        """Add those rows that are in buckets, and return their number; overwrite ``numbers``."""
        n = len(label)
        rows = np.empty((1 + self.weighted, n), np.uint64)
        weight = weight if self.weighted else _NO_WEIGHTS
        ends = np.zeros(2 * self.n_buckets + 3, np.int64)
        columns = numbers, self._number_of, weight, rows[0], weights_of(rows), ends[1:]
        _PLACE_ROWS[score.dtype is FLOAT32](label, score, *columns)
        n_decided = int(ends[2])
        if n_decided < n:
            self.store.add(self, Run(ends[2:] - n_decided, rows[:, n_decided:]))
        return n - n_decided

    def size(self, bucket: int, label: int) -> int:
        """Return the number of rows of a class in a bucket, counted from 0."""
        group = 2 * bucket + label
        return sum(int(run.ends[group + 1] - run.ends[group]) for run in self.runs)

    def parts(self, bucket: int, label: int, most: int) -> Iterator[Keys]:
        """Yield the rows of a class in a bucket, at most so many at a time."""
        group = 2 * bucket + label
        for run in self.runs:
            first, last = int(run.ends[group]), int(run.ends[group + 1])
            for start in range(first, last, most):
                yield self.store.take(run, start, min(start + most, last), self.weighted)

    def rows(self, bucket: int, label: int) -> Keys:
        """Return all rows of a class in a bucket, which may be written to."""
        n, start = self.size(bucket, label), 0
        # Filled part by part: all parts beside it would take the same memory again.
        rows = np.empty((1 + self.weighted, n), np.uint64)
        for part in self.parts(bucket, label, max(n, 1)):
            rows[:, start : start + part.shape[1]] = part
            start += part.shape[1]
        return rows


class NoRoom(OSError):
    """Neither memory nor the folder of temporary files has room for the rows of a bin."""


class SpillFile:
    """A temporary file of rows, without a name where the system allows that."""

    def __init__(self) -> None:
        self.shown = tempfile.tempdir or "the folder TMPDIR"
        self._file: IO[bytes] | None = None
        self.size = 0
        self._lock = threading.Lock()

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=2**20)  # noqa: SIM115 - see ``close``
        return self._file

    def reserve(self, n_bytes: int) -> None:
        """Take this much room, or raise an OSError."""
        file = self._opened()
        try:
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        except (AttributeError, OSError) as error:
            if getattr(error, "errno", errno.EINVAL) not in _CANNOT_RESERVE:
                raise
            free = shutil.disk_usage(tempfile.gettempdir()).free
            if free < n_bytes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None

    def close(self) -> None:
        with self._lock, contextlib.suppress(OSError):  # of what a full disk has not taken
            if self._file is not None:
                self._file.close()

    def append(self, n_bytes: int, parts: Iterable[memoryview]) -> int:
        """Write parts, which have so many bytes together, and return where they begin."""
        with self._lock:
            try:
                file = self._opened()
                start = file.seek(self.size)
                file.writelines(parts)
                file.flush()
            except OSError as error:
                raise NoRoom(
                    f"{self.shown} has no room for all undecided rows: {error}; expected 8 bytes a "
                    "row, or 16 with weights."
                ) from error
            self.size = start + n_bytes
        return start

    def read(self, place: int, n: int) -> Keys:
        file = self._opened()
        with self._lock:
            file.seek(place)
            words = np.fromfile(file, np.uint64, n)
        if len(words) < n:
            raise OSError(f"{self.shown}: the temporary file of undecided rows has been cut off.")
        return words


class Store:
    """Where rows of several columns are kept: up to ``most_rows`` in memory, others in a file."""

    def __init__(self, most_rows: int | None, file: SpillFile | None) -> None:
        self.most_rows, self.file = most_rows, file
        # Weak: the memory is free once they are let go of, before a collector finds a cycle.
        self.columns: weakref.WeakSet[BucketRows] = weakref.WeakSet()
        # One array for all rows: those of many arrays would leave gaps in memory.
        self._pool: Keys | None = None
        self._n_rows = 0  # in it
        self._lock = threading.Lock()

    def add(self, column: BucketRows, run: Run) -> None:
        """Keep a copy of a run of a column."""
        assert run.rows is not None
        n, most = run.rows.shape[1], self.most_rows
        with self._lock:
            if most is None:
                column.runs.append(run._replace(rows=run.rows.copy()))
                return
            if self._n_rows + n > most:
                self._write_all()
            if n > most:
                column.runs.append(self._written([run]))
                return
            if self._pool is None:
                self._pool = np.empty((len(run.rows), most), np.uint64)
            place = self._pool[:, self._n_rows : self._n_rows + n]
            place[:] = run.rows
            column.runs.append(run._replace(rows=place))
            self._n_rows += n

    def write_all(self) -> None:
        """Write all rows to the file, and free the memory."""
        with self._lock:
            self._write_all()
            self._pool = None

    def _write_all(self) -> None:
        for column in self.columns:
            in_memory = [run for run in column.runs if run.rows is not None]
            if in_memory:
                in_file = [run for run in column.runs if run.rows is None]
                column.runs = [*in_file, self._written(in_memory)]
        self._n_rows = 0

    def _written(self, runs: list[Run]) -> Run:
        """Write runs to the file, group by group."""
        if self.file is None:
            raise NoRoom(
                f"More than {self.most_rows} rows are undecided, without room for them; expected "
                "a folder for temporary files with 16 bytes a row."
            )
        ends: NDArray[np.int64] = np.sum([run.ends for run in runs], axis=0)
        columns = list(zip(*(run.rows for run in runs if run.rows is not None), strict=True))
        parts = (
            keys[run.ends[group] : run.ends[group + 1]].data
            for column in columns
            for group in range(len(ends) - 1)
            for run, keys in zip(runs, column, strict=True)
        )
        place = self.file.append(_BYTES * len(columns) * int(ends[-1]), parts)
        return Run(ends, None, place)

    def take(self, run: Run, start: int, stop: int, weighted: bool) -> Keys:
        if run.rows is not None:
            return run.rows[:, start:stop]
        assert self.file is not None
        rows = np.empty((1 + weighted, stop - start), np.uint64)
        for k in range(1 + weighted):
            at = start + k * int(run.ends[-1])
            rows[k] = self.file.read(run.place + _BYTES * at, stop - start)
        return rows
