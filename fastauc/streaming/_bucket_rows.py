"""Rows in buckets: in memory up to a limit, and beyond it in a temporary file.

Rows come in runs, in each of which the rows of a bucket and of a class lie together. When the runs
in memory exceed the limit, they are joined to a single run in the file.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import refinement as _refinement
from fastauc._validation.arrays import FLOAT32, Array

Keys = NDArray[np.uint64]
Weights = NDArray[np.float64]
_PLACE_ROWS = {
    False: _refinement.place_rows["double"],
    True: _refinement.place_rows["float"],
}
_BYTES = 8  # of a key, and of a weight


class Run(NamedTuple):
    """Rows of all buckets, in the order of their groups: each class of each bucket.

    Attributes
    ----------
    ends : int64 array of shape (2 * n_buckets + 3,)
        The end of each group, after a 0; the first two groups are not in buckets, and are empty.
    columns : tuple of keys and weights, or None if they are in the file
        Weights are empty if there are none.
    places : tuple of int
        Where they begin in the file.
    """

    ends: NDArray[np.int64]
    columns: tuple[Keys, Weights] | None
    places: tuple[int, int] = (0, 0)

    def size(self, group: int) -> int:
        """Return the number of rows of a group."""
        return int(self.ends[group + 1] - self.ends[group])

    def kept(self, n_buckets: int) -> Run:
        """Return the rows of the first buckets."""
        return self._replace(ends=self.ends[: 2 * n_buckets + 3])

    def copied(self) -> Run:
        """Return the rows in arrays of their own, if they are in memory."""
        if not self.columns:
            return self
        n = int(self.ends[-1])
        return self._replace(columns=(self.columns[0][:n].copy(), self.columns[1][:n].copy()))


class BucketRows:
    """The undecided rows of a column of scores, or those of a bucket that is divided.

    Parameters
    ----------
    store : Store
        Where they are kept, together with those of others.
    number_of : uint16 array
        The bucket of each bin, from 1 on; 0 for rows that are left out.
    n_buckets : int
    weighted : bool
    """

    def __init__(
        self, store: Store, number_of: NDArray[np.uint16], n_buckets: int, *, weighted: bool
    ) -> None:
        self.store, self._number_of, self.weighted = store, number_of, weighted
        self.n_buckets = n_buckets
        self.runs: list[Run] = []
        store.columns.append(self)

    def add(
        self, label: NDArray[np.uint8], score: Array, numbers: NDArray[np.uint32], weight: Any
    ) -> int:
        """Add those rows that are in buckets, and return how many there are.

        ``numbers``, the bins of the scores, are overwritten. Weights are None if there are none.
        """
        n, weighted = len(label), self.weighted
        keys, weights = np.empty(n, np.uint64), np.empty(n if weighted else 0)
        ends = np.zeros(2 * self.n_buckets + 3, np.int64)
        columns = numbers, self._number_of, weight if weighted else weights, keys, weights, ends[1:]
        _PLACE_ROWS[score.dtype is FLOAT32](label, score, *columns)
        n_decided = int(ends[2])
        if n_decided < n:
            found = keys[n_decided:], weights[n_decided:]
            self.store.add(self, Run(np.maximum(ends - n_decided, 0), found))
        return n - n_decided

    def size(self, bucket: int, label: int) -> int:
        """Return the number of rows of a class in a bucket, counted from 0."""
        return sum(run.size(2 * bucket + 2 + label) for run in self.runs)

    def parts(self, bucket: int, label: int, most: int) -> Iterator[tuple[Keys, Weights]]:
        """Yield the rows of a class in a bucket, at most so many at a time."""
        group = 2 * bucket + 2 + label
        for run in self.runs:
            first, last = int(run.ends[group]), int(run.ends[group + 1])
            for start in range(first, last, most):
                yield self.store.take(run, start, min(start + most, last), self.weighted)

    def rows(self, bucket: int, label: int) -> tuple[Keys, Weights]:
        """Return all rows of a class in a bucket, which may be written to."""
        n = self.size(bucket, label)
        keys, weights = np.empty(n, np.uint64), np.empty(n if self.weighted else 0)
        start = 0
        for part, part_weights in self.parts(bucket, label, max(n, 1)):
            keys[start : start + len(part)] = part
            if self.weighted:
                weights[start : start + len(part)] = part_weights
            start += len(part)
        return keys, weights

    def keep(self, n_buckets: int) -> None:
        """Leave out the rows of all but the first buckets, now and from now on."""
        self.n_buckets = n_buckets
        self._number_of = np.where(self._number_of > n_buckets, np.uint16(0), self._number_of)
        self.runs = [run.kept(n_buckets).copied() for run in self.runs]

    def n_in_memory(self, n_buckets: int) -> int:
        """Return the number of rows of the first buckets that are in memory."""
        return sum(int(run.ends[2 * n_buckets + 2]) for run in self.runs if run.columns)


class NoRoom(OSError):
    """Neither memory nor the folder of temporary files has room for the rows of a bin."""


class SpillFile:
    """A temporary file of keys and weights.

    It has no name, where the system allows that, so that it is gone when the process is.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._end = 0
        self._lock = threading.Lock()

    @property
    def folder(self) -> str:
        """The name of the folder in messages."""
        return self._folder or "the folder of temporary files"

    def close(self) -> None:
        """Remove the file."""
        with self._lock, contextlib.suppress(OSError):  # of what a full disk has not taken
            if self._file is not None:
                self._file.close()

    def append(self, n_bytes: int, parts: Iterable[memoryview]) -> int:
        """Write parts, which have so many bytes together, and return where they begin."""
        with self._lock:
            if self._file is None:
                self._file = tempfile.TemporaryFile(  # noqa: SIM115 - closed by ``close``
                    dir=self._folder, buffering=2**20
                )
            start = self._file.seek(self._end)
            self._file.writelines(parts)
            self._file.flush()
            self._end = start + n_bytes
        return start

    def read(self, place: int, array: Array) -> None:
        """Fill an array with what has been written to this place."""
        assert self._file is not None
        with self._lock:
            self._file.seek(place)
            n_bytes = self._file.readinto(array.data.cast("B"))  # type: ignore[attr-defined]
        if n_bytes != array.nbytes:
            raise OSError(f"{self.folder}: the temporary file of undecided rows has been cut off.")


class Store:
    """Where the rows of several columns are kept: up to a limit in memory, beyond it in a file.

    Parameters
    ----------
    most_rows : int or None
        In memory; None for all of them.
    file : SpillFile
    """

    def __init__(self, most_rows: int | None, file: SpillFile) -> None:
        self.most_rows, self.file = most_rows, file
        # One array for all rows: those of many arrays would leave gaps in memory.
        self._pool: tuple[Keys, Weights] | None = None
        self.columns: list[BucketRows] = []
        self.refusal: OSError | None = None  # why there is no room in the file
        self._n_rows = 0  # in memory
        self._lock = threading.RLock()

    def add(self, column: BucketRows, run: Run) -> None:
        """Keep a copy of a run of a column."""
        with self._lock:
            run = run.kept(column.n_buckets)  # others may have been left out meanwhile
            n = int(run.ends[-1])
            is_full = self.most_rows is not None and self._n_rows + n > self.most_rows
            if is_full and self._n_rows:
                self._make_room()
                run = run.kept(column.n_buckets)
                n = int(run.ends[-1])
            column.runs.append(self._pooled(run) if self.refusal is None else run.copied())
            self._n_rows += n
            if self.most_rows is not None and self._n_rows > self.most_rows:
                self._make_room()

    def _pooled(self, run: Run) -> Run:
        """Return a copy of a run in the array for all rows, if there is room."""
        start, stop = self._n_rows, self._n_rows + int(run.ends[-1])
        if self.most_rows is None or stop > self.most_rows or not run.columns:
            return run.copied()
        if self._pool is None:
            n_weights = self.most_rows if len(run.columns[1]) else 0
            self._pool = np.empty(self.most_rows, np.uint64), np.empty(n_weights)
        places = self._pool[0][start:stop], self._pool[1][start:stop]
        for place, column in zip(places, run.columns, strict=True):
            place[:] = column[: len(place)]
        return run._replace(columns=places)

    def write_all(self) -> None:
        """Write all rows to the file, and free the memory."""
        self._make_room()
        self._pool = None

    def _make_room(self) -> None:
        """Write all rows that are in memory to the file, or leave out the highest buckets."""
        with self._lock:
            if self.refusal is None:
                try:
                    for column in self.columns:
                        column.runs = self._written(column.runs)
                    self._n_rows = 0
                    return
                except OSError as error:
                    self.refusal = error
            self._leave_out()

    @property
    def is_in_memory(self) -> bool:
        """Whether no row is in the file."""
        return all(run.columns for column in self.columns for run in column.runs)

    def _written(self, runs: list[Run]) -> list[Run]:
        """Return runs of which none is in memory."""
        in_memory = [run for run in runs if run.columns]
        if not in_memory:
            return runs
        ends: NDArray[np.int64] = np.sum([run.ends for run in in_memory], axis=0)
        keys, weights = zip(*(run.columns for run in in_memory if run.columns), strict=True)
        places = self._append(in_memory, keys), self._append(in_memory, weights)
        return [*(run for run in runs if not run.columns), Run(ends, None, places)]

    def _append(self, runs: list[Run], arrays: Sequence[Array]) -> int:
        """Write a column of runs to the file, group by group, and return where it begins."""
        parts = (
            array[run.ends[group] : run.ends[group + 1]].data
            for group in range(len(runs[0].ends) - 1)
            for run, array in zip(runs, arrays, strict=True)
        )
        return self.file.append(_BYTES * sum(map(len, arrays)), parts)

    def take(self, run: Run, start: int, stop: int, weighted: bool) -> tuple[Keys, Weights]:
        """Return some rows of a run."""
        if run.columns:
            keys, weights = run.columns
            return keys[start:stop], weights[start:stop]
        keys_at, weights_at = (place + _BYTES * start for place in run.places)
        n = stop - start
        keys, weights = np.empty(n, np.uint64), np.empty(n if weighted else 0)
        self.file.read(keys_at, keys)
        if weighted:
            self.file.read(weights_at, weights)
        return keys, weights

    def _leave_out(self) -> None:
        """Keep no more than half of the limit, from the lowest buckets of each column on."""
        assert self.most_rows is not None
        self._pool = None
        most = self.most_rows // (2 * len(self.columns))
        for column in self.columns:
            n_buckets = column.n_buckets
            while n_buckets and column.n_in_memory(n_buckets) > most:
                n_buckets -= 1
            if n_buckets == 0 and column.n_buckets:
                raise NoRoom(
                    f"More than {most} rows of a bin are undecided, and {self.file.folder} has no "
                    f"room for them: {self.refusal}; expected 8 bytes a row, or 16 with weights."
                )
            column.keep(n_buckets)
        self._n_rows = sum(column.n_in_memory(column.n_buckets) for column in self.columns)
