"""Rows of files in chunks of NumPy arrays: only the requested columns, with every value checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from fastauc._validation.errors import DataError
from fastauc._validation.threads import available_cores
from fastauc.files._columns import BATCH_ROWS, Array, Piece, Request, Rows
from fastauc.files._formats import format_of
from fastauc.files._opening import Source
from fastauc.files._prefetching import most_items, prefetched
from fastauc.files._sources import Paths, describe, find

_MAX_READERS = 4
_SMALL_FILES = 1 << 20  # bytes of local files that one task reads


class Chunk(NamedTuple):
    """Consecutive rows of one file.

    Attributes
    ----------
    columns : dict of str to ndarray
        One array per column, of equal length and not empty; possibly read-only.
    file : int
        The index of the file in the list of files.
    source : Source
        The file.
    first_row : int
        The number of rows before these in the file.
    n_bytes : int
        How many bytes of the file have been read up to these rows, for text; otherwise 0.
    """

    columns: dict[str, Array]
    file: int
    source: Source
    first_row: int
    n_bytes: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())))

    @property
    def end(self) -> tuple[int, int]:
        """The position after these rows, from which ``stream_columns`` can continue."""
        return self.file, self.first_row + self.n_rows

    def place_of(self, row: int) -> str:
        """Return the name of one of the rows in messages; ``row`` counts from 0 in the chunk."""
        return f"{self.source.shown}, row {self.first_row + row + 1}"


Chunk.__module__ = "fastauc.files"


def stream_columns(
    paths: Paths,
    columns: Collection[str],
    *,
    numeric: Collection[str] = (),
    nonnegative: Collection[str] = (),
    batch_rows: int = BATCH_ROWS,
    use_threads: bool = True,
    start: tuple[int, int] = (0, 0),
) -> Generator[Chunk, None, None]:
    """Yield the rows of files in chunks, while the next chunks are already being decoded.

    Every row comes once and in order, for any chunk size. Memory is bounded by a few chunks, not by
    the size of a file, except for .npz files and Arrow files written in one batch.

    Parameters
    ----------
    paths : str, path, or sequence of them
        Files that are parts of one table, as for ``find``, or what it returned; standard input and
        pipes can be read only once.
    columns : collection of str
        The columns to read. No other column is decoded.
    numeric, nonnegative : collection of str
        The columns that must contain numbers, not text; and the columns that must be 0 or more.
    batch_rows : int
        The maximum number of rows in a chunk.
    use_threads : bool
        Whether to decode on several threads. At least one thread besides the caller's is used.
    start : tuple of int
        The file and the row to start with, both counted from 0, as given by ``Chunk.end``.

    Yields
    ------
    Chunk
        Columns in ``numeric`` are float32 or float64; all others have the type in the file. Numbers
        are finite; text is ``str``.

    Raises
    ------
    DataError
        For a file that cannot be read; a column that is missing or of the wrong type; types that
        differ between files; nulls, NaN, infinities and forbidden negative numbers; numbers that
        float64 would round, integers beyond 2**53 and decimals with more than 15 digits (in text,
        other than the exact digits of a double), in ``numeric`` columns; and no rows. In CSV files,
        the first values of a column determine its type. Errors count rows from 1 in each file,
        without the header.

    Notes
    -----
    Close the generator to stop early: this ends its threads and closes its files. O(rows) time.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fastauc.files import stream_columns
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.npz")
    ...     np.savez(path, y=[0, 1, 1], s=[0.1, 0.4, 0.3])
    ...     for chunk in stream_columns([path], ["s"], numeric=["s"], batch_rows=2):
    ...         print(chunk.first_row, chunk.columns["s"].tolist())
    0 [0.1, 0.4]
    2 [0.3]
    """
    names = tuple(dict.fromkeys(columns))
    request = Request(names, numeric, nonnegative, batch_rows, use_threads)
    yield from stream(find(paths), request, describe(paths), start)


def _readers(use_threads: bool) -> int:
    return min(available_cores(), _MAX_READERS) if use_threads else 1


def chunks_in_memory(use_threads: bool) -> int:
    return most_items(_readers(use_threads))


def stream(
    found: list[Source], request: Request, where: str, start: tuple[int, int] = (0, 0)
) -> Generator[Chunk, None, None]:
    """Yield the rows of files as ``stream_columns`` does; ``where`` names them in messages."""
    kinds: dict[str, tuple[str, str]] = {}
    in_store = any(source.stored is not None for source in found)
    tasks = _tasks(found, request, start)
    lists = prefetched(tasks, _readers(request.use_threads), may_block=in_store)
    try:
        for chunk in chain.from_iterable(lists):
            for name, values in chunk.columns.items():
                here, shown = _kind(values), chunk.source.shown
                first, first_file = kinds.setdefault(name, (here, shown))
                if here != first:
                    raise DataError(
                        f"{shown}: column {name!r} holds {here}, but {first} in {first_file}; "
                        "expected the same in every file"
                    )
            yield chunk
    finally:
        lists.close()
    if not kinds and start == (0, 0):
        raise DataError(f"{where}: there are no rows")


def _kind(values: Array) -> str:
    """Return what a non-empty array holds, as a word."""
    if values.dtype.kind == "b":
        return "booleans"
    is_text = values.dtype.kind == "U" or isinstance(values[0], str)
    return "text" if is_text else "numbers"


def _tasks(
    found: list[Source], request: Request, start: tuple[int, int]
) -> Iterator[Callable[[], Iterator[list[Chunk]]]]:
    for run in _runs(found, start[0]):
        one = partial(_decode_files, run, request, start)  # for one thread, file after file
        for decode in _decoders(run, request, start) if len(run) == 1 else [one]:
            yield partial(_in_lists, decode, request.batch_rows)


def _runs(found: list[Source], first: int) -> Iterator[list[tuple[int, Source]]]:
    """Yield files with their indices: one alone, or several small ones of a local disk."""
    run: list[tuple[int, Source]] = []
    n_bytes = 0
    for file, source in enumerate(found[first:], first):
        size = source.size if source.stored is None and not source.is_once else _SMALL_FILES
        if run and n_bytes + size > _SMALL_FILES:
            yield run
            run, n_bytes = [], 0
        run.append((file, source))
        n_bytes += size
    if run:
        yield run


def _decoders(
    files: list[tuple[int, Source]], request: Request, start: tuple[int, int]
) -> Iterator[Callable[[], Iterator[Chunk]]]:
    first_file, first_row = start
    for file, source in files:
        row = first_row if file == first_file else 0
        for piece in format_of(source).pieces(source, _of_file(source, request), row):
            yield partial(_decode, piece, file, source, request, row)


def _decode_files(
    files: list[tuple[int, Source]], request: Request, start: tuple[int, int]
) -> Iterator[Chunk]:
    for decode in _decoders(files, request, start):
        yield from decode()


def _in_lists(decode: Callable[[], Iterator[Chunk]], most: int) -> Iterator[list[Chunk]]:
    """Yield chunks in lists: to hand one over to another thread costs some 0.1 ms.

    A list has more than half of ``most`` rows, so that a full chunk does not wait for the next.
    """
    held: list[Chunk] = []
    n_rows = 0
    try:
        for chunk in decode():
            held.append(chunk)
            n_rows += chunk.n_rows
            if 2 * n_rows > most:
                yield held
                held, n_rows = [], 0
    except Exception:
        if held:
            yield held
        raise
    if held:
        yield held


def _of_file(source: Source, request: Request) -> Request:
    """Return the request for the columns that are in the file, and not named by its folders."""
    partitions = dict(source.partitions)
    for name in request.columns:
        rows = Rows(source, name, 0, request)
        if name in partitions and partitions[name] is None:
            raise rows.missing_value(0, "null")
        if name in request.numeric and isinstance(partitions.get(name), str):
            raise rows.wrong_type("text in the name of its folder")
    columns = tuple(name for name in request.columns if name not in partitions)
    if not columns:
        raise DataError(
            f"{source.shown}: its folders name all of the columns {', '.join(request.columns)}; "
            "expected at least one column that the file holds"
        )
    return request._replace(columns=columns)


def _decode(
    piece: Piece, file: int, source: Source, request: Request, start: int
) -> Iterator[Chunk]:
    row = piece.first_row
    for arrays in piece.read():
        n_rows = len(next(iter(arrays.values())))
        skipped = max(0, start - row)
        if skipped < n_rows:
            for name, value in source.partitions:
                if name in request.columns:
                    dtype = np.int64 if isinstance(value, int) else object
                    arrays[name] = np.full(n_rows, value, dtype)
            columns = {}
            for name in request.columns:
                values = arrays[name][skipped:]
                rows = Rows(source, name, row + skipped, request)
                if name in request.numeric:
                    values = rows.as_floats(values)
                rows.check_numbers(values)
                columns[name] = np.ascontiguousarray(values)
            yield Chunk(columns, file, source, row + skipped, piece.bytes_read.number)
        row += n_rows


def share_read(files: list[Source], file: int, n_bytes: int) -> float | None:
    """Return which share of all bytes is before these of a file; None if that is not known."""
    if n_bytes == 0 or not all(source.size for source in files):
        return None
    return (sum(source.size for source in files[:file]) + n_bytes) / sum(s.size for s in files)
