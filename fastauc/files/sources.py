"""Which files are meant: names, patterns and folders become a sorted list of local files."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import pathlib
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = [
    "FORMATS",
    "DataError",
    "Fingerprint",
    "Path",
    "Source",
    "decoding",
    "describe",
    "find",
    "fingerprint",
    "located",
]

Path = str | os.PathLike[str]

FORMATS = {".csv": "csv", ".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc"}
FORMATS |= {".npy": "npy", ".npz": "npz"}
_STANDARD_INPUT = "standard input"
_FINGERPRINT_BYTES = 1 << 16


class DataError(ValueError):
    """A file does not hold what was asked of it; the text is one sentence for its owner."""


DataError.__module__ = "fastauc.files"


class Source(NamedTuple):
    """A file that exists and may be read: its absolute path, its name in sentences, its format."""

    path: str
    shown: str
    format: str


Source.__module__ = "fastauc.files"


class Fingerprint(NamedTuple):
    """What changes when a file is written again: size, time, and a hash of its last 64 KiB.

    The footer of a Parquet or Arrow file, which describes all of it, is at its end.
    """

    size: int
    mtime_ns: int
    digest: str


Fingerprint.__module__ = "fastauc.files"


def describe(paths: Sequence[Path | Source]) -> str:
    """Return how a sentence names a set of files.

    Parameters
    ----------
    paths : sequence of str or path, not empty
        Files, as the caller has named them; they need not exist.

    Returns
    -------
    str
        The first name, and how many more there are.

    Raises
    ------
    IndexError
        For no file.

    Notes
    -----
    O(1) time.

    Examples
    --------
    >>> from fastauc.files import describe
    >>> describe(["a.parquet", "b.parquet", "c.parquet"])
    'a.parquet and 2 more'
    """
    first = paths[0].shown if isinstance(paths[0], Source) else os.fspath(paths[0])
    first = _STANDARD_INPUT if first == "-" else first
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


@contextlib.contextmanager
def located(paths: Sequence[Path | Source]) -> Iterator[list[Source]]:
    """Find the files that names, patterns and folders stand for; they can be read repeatedly.

    Standard input, "-", is copied to a temporary file that lasts as long as the context.

    Parameters
    ----------
    paths : sequence of str or path
        Files, patterns and folders; see ``find``.

    Returns
    -------
    context manager
        Bound by ``as``: the list that ``find`` returns.

    Raises
    ------
    DataError
        As ``find``.

    Notes
    -----
    Time as ``find``, and that of a copy of standard input.

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
        sources = find(paths)
        for i, source in enumerate(sources):
            if source.path == "-":
                sources[i] = stack.enter_context(_spooled(source))
        yield sources


def find(paths: Sequence[Path | Source]) -> list[Source]:
    """Return the files that names, patterns and folders stand for, in a reproducible order.

    Patterns (``*``, ``?``, ``[a-z]``) and folders stand for their files of known formats, sorted by
    name, in all subfolders of a folder. Hidden names and those that begin with "_" are passed over,
    as Arrow and Spark do, unless they are spelled out. A name that exists is no pattern.

    Parameters
    ----------
    paths : sequence of str or path
        Names, patterns, folders, and "-" for CSV on standard input.

    Returns
    -------
    list of Source
        Each with its absolute ``path``, the name ``shown`` in sentences, and its ``format``.

    Raises
    ------
    DataError
        For a URL, for what is no file or cannot be opened, for a pattern or folder without a file,
        and for a file that is named twice, whose rows would count twice.

    Notes
    -----
    O(f log f) time for the f files that are found. Hidden names are treated as Arrow and Spark do.

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
    sources: list[Source] = []
    for path in paths:
        if isinstance(path, Source):
            sources.append(path)
        else:
            sources += [_checked(name) for name in _expand(os.fspath(path))]
    seen = set()
    for source in sources:
        identity = os.path.realpath(source.path) if source.path != "-" else "-"
        if identity in seen and identity == "-":
            raise DataError("standard input can be read only once")
        if identity in seen:
            raise DataError(f"{source.shown}: the file is named twice; its rows would count twice")
        seen.add(identity)
    return sources


def fingerprint(path: Path | Source) -> Fingerprint:
    """Return what identifies the content of a file: size, time of change, and hash of its end.

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
        As ``find``.

    Notes
    -----
    O(1) time: SHA-256 of the last 64 KiB, where formats such as Parquet describe the rest.

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
        with open(source.path, "rb") as file:
            status = os.fstat(file.fileno())
            file.seek(max(0, status.st_size - _FINGERPRINT_BYTES))
            digest = hashlib.sha256(file.read(_FINGERPRINT_BYTES)).hexdigest()
    except OSError as error:
        raise DataError(f"{source.shown}: {error.strerror}") from error
    return Fingerprint(status.st_size, status.st_mtime_ns, digest)


def _expand(path: str) -> list[str]:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path):
        raise DataError(f"{path}: URLs are not opened; expected a local file")
    if path == "-":
        return [path]
    if os.path.isdir(path):
        found = _walk(path)
        if not found:
            raise DataError(f"{path}: no file in this folder has a name ending in {_endings()}")
        return found
    if os.path.lexists(path) or not re.search(r"[*?]|\[.+\]", path):
        return [path]
    return _match(path)


def _match(pattern: str) -> list[str]:
    if "**" in pattern:
        raise DataError(f"{pattern}: ** is not known; a folder stands for all files below it")
    found = []
    wanted = pathlib.Path(pattern).parts[::-1]
    for match in sorted(glob.glob(pattern)):
        parts = zip(pathlib.Path(match).parts[::-1], wanted, strict=True)
        if any(part.startswith("_") and not want.startswith("_") for part, want in parts):
            continue  # what Spark has not yet finished is in "_temporary"
        if os.path.isdir(match):
            found += _walk(match)
        elif _format(match) is not None:
            found.append(match)
    if not found:
        raise DataError(
            f"{pattern}: no file with a name ending in {_endings()} matches this pattern"
        )
    return found


def _walk(folder: str) -> list[str]:
    def refuse(error: OSError) -> None:
        raise DataError(f"{error.filename}: {error.strerror}") from error

    found, entered = [], {os.path.realpath(folder)}
    for parent, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        inside = []
        for name in folders:
            # A link to a folder that was entered before would be a loop, or the same rows again.
            identity = os.path.realpath(os.path.join(parent, name))
            if not name.startswith((".", "_")) and identity not in entered:
                entered.add(identity)
                inside.append(name)
        folders[:] = sorted(inside)
        names = [name for name in names if not name.startswith((".", "_")) and _format(name)]
        found += [os.path.join(parent, name) for name in names]
    return sorted(found)


def _endings() -> str:
    return ", ".join(FORMATS)


def _format(path: str) -> str | None:
    return FORMATS.get(os.path.splitext(path)[1].lower())


def _checked(path: str) -> Source:
    if path == "-":
        return Source(path, _STANDARD_INPUT, "csv")
    try:
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):
            open(path, "rb").close()  # fails if reading is not permitted
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', error)}") from error
    if not stat.S_ISREG(status.st_mode):
        raise DataError(
            f"{path}: this is not a regular file; expected a file (- is CSV on standard input)"
        )
    file_format = _format(path)
    if file_format is None:
        raise DataError(f"{path}: unknown format; expected a name ending in {_endings()}")
    if status.st_size == 0:
        raise DataError(f"{path}: the file is empty")
    # pyarrow refuses a relative path that looks like a URL, such as "s3:scores.csv".
    return Source(os.path.abspath(path), path, file_format)


@contextlib.contextmanager
def _spooled(source: Source) -> Iterator[Source]:
    with tempfile.TemporaryDirectory("fastauc", ignore_cleanup_errors=True) as folder:
        path = os.path.join(folder, "input.csv")
        with open(path, "wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            if copy.tell() == 0:
                raise DataError("standard input: there is nothing in it")
        yield source._replace(path=path)


@contextlib.contextmanager
def decoding(source: Source, part: str = "") -> Iterator[None]:
    """Turn whatever a decoder raises into a sentence that names the file, and the part of it."""
    refusal = f"{source.shown}: cannot be read: " + (part and f"{part}: ")
    try:
        yield
    except DataError:
        raise
    except MemoryError as error:  # of an honest file too large, or of one that lies about its size
        reason = f"not enough memory: {error}".removesuffix(": ")
        raise DataError(f"{refusal}{reason}") from error
    except Exception as error:  # the decoders' errors for damaged files have no common class
        reason = str(error).split(f"input source '{source.path}': ")[-1].removeprefix("Invalid: ")
        reason = reason or type(error).__name__
        raise DataError(f"{refusal}{reason}") from error
