"""Finding files: names, patterns, folders and URLs become a sorted list of files."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import io
import os
import pathlib
import re
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from fastauc._validation.errors import DataError
from fastauc.files._formats import (
    COMPRESSED,
    FORMATS,
    TEXT,
    compression_of,
    format_of,
    guess,
)
from fastauc.files._object_stores import SCHEMES, Stored, is_url, list_stored, without_secrets

__all__ = [
    "DataError",
    "Fingerprint",
    "Path",
    "Source",
    "arrow_reader",
    "decoding",
    "describe",
    "find",
    "fingerprint",
    "import_pyarrow",
    "located",
    "open_bytes",
    "open_text",
]

Path = str | os.PathLike[str]

_STANDARD_INPUT = "standard input"
_OLDEST_PYARROW = 16  # as in the extra cli; the first with string_view
_FINGERPRINT_BYTES = 1 << 16


class Source(NamedTuple):
    """A file that exists and is readable.

    Attributes
    ----------
    path : str
        Its absolute path, or its URL without passwords.
    shown : str
        Its name in messages.
    format : str
        "csv", "jsonl", "parquet", "ipc", "npy" or "npz".
    compression : str or None
        For text, "gzip", "bz2", "zstd" or "lz4", according to its first bytes.
    delimiter, decimal : str
        For CSV, the field separator and the decimal separator.
    stored : Stored or None
        Its location in an object store.
    """

    path: str
    shown: str
    format: str
    compression: str | None = None
    delimiter: str = ","
    decimal: str = "."
    stored: Stored | None = None


Source.__module__ = "fastauc.files"

Paths = Path | Source | Sequence[Path | Source]


def listed(paths: Paths) -> Sequence[Path | Source]:
    """Return paths as a sequence, also a single one, which may itself be a sequence."""
    return [paths] if isinstance(paths, str | os.PathLike | Source) else paths


class Fingerprint(NamedTuple):
    """What changes when a file is rewritten: size, time, and a hash of its last 64 KiB.

    The footer of a Parquet or Arrow file, which describes all of it, is at its end.
    """

    size: int
    mtime_ns: int
    digest: str


Fingerprint.__module__ = "fastauc.files"


def describe(paths: Paths) -> str:
    """Return a short description of a set of files, for messages.

    Parameters
    ----------
    paths : str, path, or sequence of them that is not empty
        Files, as named by the caller; they need not exist.

    Returns
    -------
    str
        The first name, and the number of others.

    Raises
    ------
    IndexError
        If there are no files.

    Notes
    -----
    O(1) time.

    Examples
    --------
    >>> from fastauc.files import describe
    >>> describe(["a.parquet", "b.parquet", "c.parquet"])
    'a.parquet and 2 more'
    """
    paths = listed(paths)
    first = paths[0].shown if isinstance(paths[0], Source) else os.fspath(paths[0])
    first = _STANDARD_INPUT if first == "-" else first
    first = without_secrets(first) if is_url(first) else first
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


class _Reading(NamedTuple):
    """How to read files, as given by the caller instead of by their extensions."""

    format: str | None
    delimiter: str | None
    decimal: str

    def is_wanted(self, name: str) -> bool:
        return self.format is not None or format_of(name) is not None


def _check_reading(format: str | None, delimiter: str | None, decimal: str) -> _Reading:
    if format is not None and f".{format}" not in FORMATS:
        expected = ", ".join(repr(ending[1:]) for ending in FORMATS)
        raise ValueError(f"format is {format!r}; expected one of {expected}.")
    if delimiter is not None and not (
        len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n'
    ):
        raise ValueError(
            f"delimiter is {delimiter!r}; expected one ASCII character other than a quote."
        )
    if decimal not in (".", ","):
        raise ValueError(f"decimal is {decimal!r}; expected '.' or ','.")
    if delimiter == decimal:
        raise ValueError(f"delimiter and decimal are both {decimal!r}; expected different ones.")
    return _Reading(format and FORMATS[f".{format}"], delimiter, decimal)


@contextlib.contextmanager
def located(
    paths: Paths,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Iterator[list[Source]]:
    """Find the files that names, patterns and folders stand for, to be read more than once.

    Standard input, "-", is copied to a temporary file for the duration of the context.

    Parameters
    ----------
    paths : str, path, or sequence of them
        Files, patterns and folders; see ``find``.
    format, delimiter, decimal : str, optional
        As for ``find``.

    Returns
    -------
    context manager
        ``as`` binds the list that ``find`` returns.

    Raises
    ------
    DataError
        As for ``find``.

    Notes
    -----
    Takes the time of ``find``, plus that of copying standard input.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fastauc.files import located
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(os.path.join(folder, "scores.npy"), np.zeros(1))
    ...     with located([folder]) as sources:
    ...         [source.format for source in sources]
    ['npy']
    """
    with contextlib.ExitStack() as stack:
        sources = find(paths, format=format, delimiter=delimiter, decimal=decimal)
        for i, source in enumerate(sources):
            if source.path == "-":
                reading = _check_reading(format, delimiter, decimal)
                sources[i] = stack.enter_context(_spooled(reading))
        yield sources


def find(
    paths: Paths,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> list[Source]:
    """Return the files that names, patterns and folders stand for, in a reproducible order.

    Patterns (``*``, ``?``, ``[a-z]``) and folders, including all subfolders, stand for their files
    of known formats, sorted by name. Hidden files and names that begin with "_" are skipped, as
    Arrow and Spark do, unless they are given explicitly. A name that exists is not a pattern.

    URLs of object stores, ``s3://bucket/name``, ``gs://bucket/name`` and ``hdfs://host/name``, are
    opened by ``pyarrow.fs``; its documentation describes their options and credentials. They stand
    for a file, a folder or, with ``*``, the matching files. NumPy files are not supported there.

    Parameters
    ----------
    paths : str, path, or sequence of them
        Names, patterns, folders, URLs, and "-" for standard input.
    format : str, optional
        "csv", "tsv", "jsonl" or "ndjson" (one JSON object per line), "parquet", "arrow", "feather",
        "ipc", "npy" or "npz", overriding file extensions; patterns and folders then stand for all
        their files. If left out, files without a known extension are identified by their first
        bytes; standard input that cannot be identified is CSV.
    delimiter : str, optional
        The CSV field separator. If left out, a tab for .tsv, a semicolon if ``decimal`` is a comma,
        otherwise a comma.
    decimal : str
        The CSV decimal separator, "." or ",".

    Returns
    -------
    list of Source
        Each with its absolute ``path``, the name ``shown`` in messages, and its ``format``.

    Raises
    ------
    DataError
        For an unsupported kind of URL; for anything that is not a file or cannot be opened; for a
        pattern or folder without files; and for a file that is named twice, whose rows would count
        twice.
    ValueError
        For an unknown format, or an invalid delimiter or decimal.

    Notes
    -----
    Text may be compressed by gzip, bzip2, Zstandard or LZ4, detected from its first bytes. O(f log
    f) time for the f files that are found. Hidden names are treated as in Arrow and Spark, whose
    behavior this follows.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fastauc.files import find
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.npy", "a.npy", "_part.npy"):
    ...         np.save(os.path.join(folder, name), np.zeros(1))
    ...     [os.path.basename(source.shown) for source in find([folder])]
    ['a.npy', 'b.npy']
    """
    reading = _check_reading(format, delimiter, decimal)
    sources: list[Source] = []
    for path in listed(paths):
        if isinstance(path, Source):
            sources.append(path)
        elif is_url(os.fspath(path)):
            sources += _stored(os.fspath(path), reading)
        else:
            sources += [_checked(name, reading) for name in _expand(os.fspath(path), reading)]
    seen = set()
    for source in sources:
        is_local = source.path != "-" and source.stored is None
        identity = os.path.realpath(source.path) if is_local else source.path
        if identity in seen and identity == "-":
            raise DataError("standard input can be read only once")
        if identity in seen:
            raise DataError(f"{source.shown}: the file is named twice; its rows would count twice")
        seen.add(identity)
    return sources


def fingerprint(path: Path | Source) -> Fingerprint:
    """Return what identifies the content of a file: size, modification time, and hash of its end.

    Parameters
    ----------
    path : str or path
        A file.

    Returns
    -------
    Fingerprint
        ``size, mtime_ns, digest``.

    Raises
    ------
    DataError
        As for ``find``.

    Notes
    -----
    O(1) time: SHA-256 of the last 64 KiB, where formats such as Parquet store their metadata.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fastauc.files import fingerprint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.npy")
    ...     np.save(path, np.zeros(3))
    ...     fingerprint(path).size
    152
    """
    (source,) = find([path])
    try:
        with open_bytes(source) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _FINGERPRINT_BYTES))
            digest = hashlib.sha256(file.read(_FINGERPRINT_BYTES)).hexdigest()
        stored = source.stored
        mtime_ns = os.stat(source.path).st_mtime_ns if stored is None else stored.mtime_ns()
    except OSError as error:
        raise DataError(f"{source.shown}: {error.strerror or error}") from error
    return Fingerprint(size, mtime_ns, digest)


def _expand(path: str, reading: _Reading) -> list[str]:
    if path == "-":
        return [path]
    if os.path.isdir(path):
        found = _walk(path, reading)
        if not found:
            raise DataError(f"{path}: no file in this folder has a name ending in {_endings()}")
        return found
    if os.path.lexists(path) or not re.search(r"[*?]|\[.+\]", path):
        return [path]
    return _match(path, reading)


def _match(pattern: str, reading: _Reading) -> list[str]:
    if "**" in pattern:
        raise DataError(f"{pattern}: ** is not supported; a folder stands for all files below it")
    found = []
    wanted = pathlib.Path(pattern).parts[::-1]
    for match in sorted(glob.glob(pattern)):
        parts = zip(pathlib.Path(match).parts[::-1], wanted, strict=True)
        if any(part.startswith("_") and not want.startswith("_") for part, want in parts):
            continue  # Spark keeps unfinished files in "_temporary"
        if os.path.isdir(match):
            found += _walk(match, reading)
        elif reading.is_wanted(match):
            found.append(match)
    if not found:
        raise DataError(
            f"{pattern}: no file with a name ending in {_endings()} matches this pattern"
        )
    return found


def _walk(folder: str, reading: _Reading) -> list[str]:
    def refuse(error: OSError) -> None:
        raise DataError(f"{error.filename}: {error.strerror}") from error

    found, entered = [], {os.path.realpath(folder)}
    for parent, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        inside = []
        for name in folders:
            # A link to a folder that was already visited would be a loop, or repeat its rows.
            identity = os.path.realpath(os.path.join(parent, name))
            if not name.startswith((".", "_")) and identity not in entered:
                entered.add(identity)
                inside.append(name)
        folders[:] = sorted(inside)
        names = [name for name in names if not name.startswith((".", "_"))]
        found += [os.path.join(parent, name) for name in names if reading.is_wanted(name)]
    return sorted(found)


def _endings() -> str:
    return ", ".join(FORMATS)


def _stored(url: str, reading: _Reading) -> list[Source]:
    """Return the files that a URL stands for."""
    shown = without_secrets(url)
    if url.partition("://")[0] not in SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise DataError(
            f"{shown}: URLs of this kind are not supported; expected a local file or {known}"
        )
    fs = import_pyarrow(Source(shown, shown, "")).fs
    try:
        files = list_stored(fs, url, reading.is_wanted)
        if not files:
            raise DataError(f"{shown}: no file there has a name ending in {_endings()}")
        return [_described(name, name, reading, stored) for name, stored in files.items()]
    except DataError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:
        raise DataError(f"{shown}: {str(error).replace(url, shown)}") from None


def _checked(path: str, reading: _Reading) -> Source:
    if path == "-":
        return _as_read(Source(path, _STANDARD_INPUT, "csv"), reading.format or "csv", reading)
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise DataError(
                f"{path}: this is not a regular file; expected a file (- is standard input)"
            )
        # pyarrow refuses a relative path that looks like a URL, such as "s3:scores.csv".
        return _described(os.path.abspath(path), path, reading)
    except DataError:
        raise
    except (OSError, ValueError) as error:  # also if reading is not permitted
        raise DataError(f"{path}: {getattr(error, 'strerror', error)}") from error


def _described(path: str, shown: str, reading: _Reading, stored: Stored | None = None) -> Source:
    """Return a file with its format and compression."""
    if reading.format is None and path.lower().endswith((".xlsx", ".xls", ".ods")):
        raise DataError(f"{shown}: spreadsheets are not read; save the sheet as CSV")
    source = Source(path, shown, "", stored=stored)
    with open_bytes(source) as file:
        beginning = file.read(16)
    found = reading.format or format_of(path)
    if found is None or found in TEXT:
        source = source._replace(compression=compression_of(beginning))
    if found is None and source.compression is not None:
        with decoding(source), open_text(source) as file:
            beginning = file.read(16)
    found = found or guess(beginning)
    if found is None and shown == _STANDARD_INPUT:
        found = "csv"
    if found is None:
        raise DataError(
            f"{shown}: unknown format; expected a name ending in {_endings()}, for text also "
            f"followed by one of {', '.join(COMPRESSED)}; or use --format (format)"
        )
    if source.compression is not None and found not in TEXT:
        raise DataError(
            f"{shown}: {found} compressed by {source.compression}; expected it uncompressed"
        )
    if stored is not None and found in ("npy", "npz"):
        raise DataError(
            f"{shown}: NumPy files are read only from local disks; expected a local copy"
        )
    if not beginning:
        raise DataError(f"{shown}: the file is empty")
    return _as_read(source, found, reading)


def _as_read(source: Source, found: str, reading: _Reading) -> Source:
    is_tsv = found == "tsv"
    delimiter = reading.delimiter or ("\t" if is_tsv else ";" if reading.decimal == "," else ",")
    return source._replace(
        format="csv" if is_tsv else found, delimiter=delimiter, decimal=reading.decimal
    )


@contextlib.contextmanager
def _spooled(reading: _Reading) -> Iterator[Source]:
    with tempfile.TemporaryDirectory("fastauc", ignore_cleanup_errors=True) as folder:
        path = os.path.join(folder, "input")
        with open(path, "wb") as copy:
            stdin: Any = sys.stdin.buffer
            # Not ``read``, which waits for more without looking whether Ctrl-C came meanwhile.
            while part := stdin.read1(1 << 16):
                copy.write(part)
            if copy.tell() == 0:
                raise DataError("standard input: there is no data")
        yield _described(path, _STANDARD_INPUT, reading)


def open_bytes(source: Source) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Open a file as stored, for random access."""
    if source.stored is None:
        return open(source.path, "rb")
    opened: contextlib.AbstractContextManager[IO[bytes]] = source.stored.open()
    return opened


@contextlib.contextmanager
def open_text(source: Source) -> Iterator[IO[bytes]]:
    """Open a file of text, decompressed; standard input directly."""
    with contextlib.ExitStack() as stack:
        if source.path == "-":
            file, compression = sys.stdin.buffer, None
            if hasattr(file, "peek"):
                compression = compression_of(file.peek(16))
        else:
            file, compression = stack.enter_context(open_bytes(source)), source.compression
        if compression is not None:
            pa = import_pyarrow(source)
            # Its own ``read`` keeps the memory for what a damaged file lacks, its ``readinto`` not.
            stream = pa.CompressedInputStream(file, compression)
            file = stack.enter_context(io.BufferedReader(stream))
        yield file


def import_pyarrow(source: Source) -> Any:
    """Return pyarrow with the modules that files need, or raise an error if it is missing."""
    try:
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.dataset
        import pyarrow.fs
        import pyarrow.json
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise DataError(
            f"{source.shown}: this format needs pyarrow; install it with pip install 'fastauc[cli]'"
        ) from error
    except ImportError as error:  # it is installed, but not whole
        raise DataError(f"{source.shown}: pyarrow cannot be imported: {error}") from error
    if int(pa.__version__.partition(".")[0]) < _OLDEST_PYARROW:
        raise DataError(
            f"{source.shown}: this format needs pyarrow {_OLDEST_PYARROW} or later, but "
            f"{pa.__version__} is installed; update it with pip install -U 'fastauc[cli]'"
        )
    return pa


def arrow_reader(block: bytes, pa: Any) -> Any:
    """Return a reader of a copy of ``block`` in memory of Arrow.

    A thread of Arrow may be late to give up a block that has been read. If that is memory of
    Python, it needs the GIL to do so, and aborts the process if the interpreter is ending.
    """
    copy = pa.allocate_buffer(len(block))
    memoryview(copy).cast("B")[:] = block
    return pa.BufferReader(copy)


@contextlib.contextmanager
def decoding(source: Source, part: str = "") -> Iterator[None]:
    """Turn any decoder error into a sentence that names the file and the part of it."""
    refusal = f"{source.shown}: cannot be read: " + (part and f"{part}: ")
    try:
        yield
    except DataError:
        raise
    except MemoryError as error:  # from a file that is too large, or that claims a false size
        reason = f"not enough memory: {error}".removesuffix(": ")
        raise DataError(f"{refusal}{reason}") from error
    except Exception as error:  # the decoders' errors for damaged files have no common class
        reason = str(error).split(f"input source '{source.path}': ")[-1].removeprefix("Invalid: ")
        reason = reason or type(error).__name__
        raise DataError(f"{refusal}{reason}") from error
