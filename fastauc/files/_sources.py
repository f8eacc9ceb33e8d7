"""Finding files: names, patterns, folders and URLs become a sorted list of files.

Files of object stores are found and opened by pyarrow's own file systems. Those of local disks are
not: .npy files need no pyarrow, and its file systems know no patterns and run into loops of links.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import pathlib
import re
import stat
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import IO, Any, NamedTuple
from urllib.parse import unquote

from fastauc._validation.errors import DataError
from fastauc.files._formats import FORMATS, Format, format_of_content
from fastauc.files._opening import (
    Source,
    compression_of,
    decoding,
    import_pyarrow,
    members,
    only_member,
    open_bytes,
    open_text,
    refusing,
    unless_left,
)
from fastauc.files._table_formats import in_store, refuse_table, table_of

Path = str | os.PathLike[str]

_CSV, _NPZ = FORMATS[".csv"], FORMATS[".npz"]
# The names are pyarrow's; lz4 is the framed kind.
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".zip": "zip"}
_SCHEMES = ("s3", "gs", "hdfs")
_PARTITION = re.compile(r"([^=]+)=(.+)", re.DOTALL)
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # "007" is text, which keeps its zeros
_NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # of the rows that have no value
_STANDARD_INPUT = "standard input"
_OPEN_FILES = "/proc/self/fd"


Paths = Path | Source | Sequence[Path | Source]


def describe(paths: Paths) -> str:
    """Return a short description of some files for messages: the first, and how many others."""
    paths = _listed(paths)
    first = paths[0].shown if isinstance(paths[0], Source) else os.fspath(paths[0])
    first = _STANDARD_INPUT if first == "-" else first
    first = without_secrets(first)
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


def _listed(paths: Paths) -> Sequence[Path | Source]:
    return [paths] if isinstance(paths, str | os.PathLike | Source) else paths


class _Reading(NamedTuple):
    """How to read files, as given by the caller instead of by their extensions."""

    format: Any = None  # by name, and the format itself once it is checked
    delimiter: str | None = None
    decimal: str = "."
    missing_values: Sequence[str] = ()

    def checked(self) -> _Reading:
        """Refuse what is unknown, and return the rest."""
        format, delimiter, decimal, missing_values = self
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
        if isinstance(missing_values, str):
            raise ValueError(f"missing_values is {missing_values!r}; expected a list of texts.")
        return self._replace(format=format and FORMATS[f".{format}"])

    def is_wanted(self, name: str) -> bool:
        return self.format is not None or _format_of(name) is not None

    def apply(self, source: Source, found: Format) -> Source:
        """Return a file of this format with the separators of its fields and decimals."""
        if self.missing_values and found.name != "csv":
            raise DataError(
                f"{source.shown}: the format is {found.name}; expected CSV with --missing-values "
                "(missing_values)"
            )
        usual = ";" if found.delimiter == self.decimal else found.delimiter
        return source._replace(
            format=found.name,
            delimiter=self.delimiter or usual,
            decimal=self.decimal,
            missing_values=tuple(self.missing_values),
        )


@contextlib.contextmanager
def located(paths: Paths, **options: Any) -> Iterator[list[Source]]:
    """Give the files that ``find`` finds, so that they can be read more than once.

    Standard input and pipes are copied to a temporary file, in ``tempfile.gettempdir()``.
    """
    reading = _Reading(**options).checked()
    with contextlib.ExitStack() as stack:
        sources = _find(paths, reading)
        for i, source in enumerate(sources):
            if source.is_once and source.size == 0:
                sources[i] = stack.enter_context(_spooled(source, reading))
        yield sources


def find(
    paths: Paths,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    missing_values: Sequence[str] = (),
) -> list[Source]:
    """Return the files that names, patterns and folders stand for, in a reproducible order.

    Patterns (``*``, ``?``, ``[a-z]``) and folders, including all subfolders, stand for their files
    of known formats, sorted by name. Hidden files and names that begin with "_" are skipped, as
    Arrow and Spark do, unless they are given explicitly. A name that exists is not a pattern.

    A folder ``day=3`` gives the files in it a column ``day``, as written by Hive, Spark and Arrow:
    integers if all folders name integers, otherwise text. It replaces a column of that name in the
    files.

    URLs of local files, ``file:///folder/name``, are their paths; URLs of object stores,
    ``s3://bucket/name``, ``gs://bucket/name`` and ``hdfs://host/name``, are
    opened by ``pyarrow.fs``; its documentation describes their options and credentials. They stand
    for a file, a folder or, with ``*``, the matching files. NumPy files are not supported there.

    Parameters
    ----------
    paths : str, path, or sequence of them
        Names, patterns, folders, URLs, pipes, and "-" for standard input. CSV (.csv, .tsv), lines
        of JSON objects (.jsonl, .ndjson), either also compressed (.gz, .bz2, .zst, .lz4, or .zip
        with one file), Parquet (.parquet), Arrow (.arrow, .arrows, .feather, .ipc: files and
        streams) or NumPy files (.npy: the fields of a structured array, or the columns "0", "1", …
        of a matrix; .npz: one array per column).
    format : str, optional
        "csv", "tsv", "jsonl" or "ndjson" (one JSON object per line), "parquet", "arrow", "arrows",
        "feather", "ipc", "npy" or "npz", overriding file extensions; patterns and folders then
        stand for all their files. If left out, files without a known extension are identified by
        their first bytes; standard input and pipes that cannot be identified are CSV.
    delimiter : str, optional
        The CSV field separator. If left out, a tab for .tsv, a semicolon if ``decimal`` is a comma,
        otherwise a comma. A first line ``sep=;``, which Excel writes, comes before all of these.
    decimal : str
        The CSV decimal separator, "." or ",". Where it separates fields as well, numbers that have
        it are quoted.
    missing_values : sequence of str
        Texts that mean a missing value in CSV, besides an empty field, NA, NULL, NaN and the like.

    Returns
    -------
    list of Source
        Each with its absolute ``path``, the name ``shown`` in messages, and its ``format``.

    Raises
    ------
    DataError
        For an unsupported kind of URL; for anything that is not a file or cannot be opened; for a
        pattern or folder without files, or with files of several formats or a file and the same one
        compressed, which may hold the same rows; and for a file that is named twice.
    ValueError
        For an unknown format, or an invalid delimiter or decimal.

    Notes
    -----
    Text may be compressed by gzip, bzip2, Zstandard, LZ4 or zip, detected from its first bytes. An
    empty file of text has no rows. O(f log f) time for the f files that are found. Hidden names are
    treated as in Arrow and Spark, whose behavior this follows.

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
    return _find(paths, _Reading(format, delimiter, decimal, missing_values).checked())


def _find(paths: Paths, reading: _Reading) -> list[Source]:
    sources: list[Source] = []
    named = []
    for path in _listed(paths):
        if isinstance(path, Source):
            sources.append(path)
        else:
            name = os.fspath(path)
            name = _on_this_machine(name) or name
            url = _url_of(name)
            found = _on_disk(name, reading) if url is None else _in_store(name, url, reading)
            sources += _of_one_format(found, name)
            named += [name for source in found if source.shown == name and source.stored is None]
    if table := table_of(_with_links(named)):
        # They may be those that its library names; or what a shell has made of a pattern.
        warnings.warn(f"{table[0]}; expected only the files that its library lists", stacklevel=4)
    seen: set[object] = set()
    for source in sources:
        identity: object = source.path
        if source.stored is None and source.path != "-":
            with contextlib.suppress(OSError):
                status = os.stat(source.path)
                identity = status.st_dev, status.st_ino
        if identity in seen and source.path == "-":
            raise DataError("standard input can be read only once")
        if identity in seen:
            raise DataError(f"{source.shown}: the file is named twice; its rows would count twice")
        seen.add(identity)
    return _partitioned(sources)


def _of_one_format(found: list[Source], name: str) -> list[Source]:
    """Return what a folder or a pattern stands for, unless it may be the same rows twice."""
    formats = {source.format: source.shown for source in reversed(found)}
    conflict = ""
    if len(formats) > 1:
        conflict = "files of several formats, such as " + " and ".join(sorted(formats.values())[:2])
    plain: dict[str, str] = {}
    for shown in [source.shown for source in found]:
        stem, ending = os.path.splitext(shown)
        other = plain.setdefault(stem if ending in _COMPRESSED else shown, shown)
        if other != shown and not conflict:
            conflict = f"a file that is compressed in one way and in another, {other} and {shown}"
    if conflict:
        raise DataError(
            f"{name}: it stands for {conflict}, which may hold the same rows; "
            "name the files, or use a pattern such as '*.csv'"
        )
    return found


def _partitioned(sources: list[Source]) -> list[Source]:
    """Return files with the columns that their folders name, each of one type in all of them."""
    found: list[dict[str, str]] = []
    for source in sources:
        folders = map(_PARTITION.fullmatch, pathlib.PurePath(source.shown).parts[:-1])
        found.append({unquote(match[1]): match[2] for match in folders if match is not None})
    if not any(found):
        return sources
    types: dict[str, type] = {}
    for partitions in found:
        for name, text in partitions.items():
            is_integer = _INTEGER.fullmatch(text) is not None or text == _NO_PARTITION
            types[name] = int if is_integer and types.get(name, int) is int else str

    def value(name: str, text: str) -> Any:
        return None if text == _NO_PARTITION else types[name](unquote(text))

    return [
        source._replace(partitions=tuple((name, value(name, text)) for name, text in each.items()))
        for source, each in zip(sources, found, strict=True)
    ]


# Local disks --------------------------------------------------------------------------------------


def _on_disk(path: str, reading: _Reading) -> list[Source]:
    if path == "-":
        one = Source(path, _STANDARD_INPUT, "", is_once=True)
        return [reading.apply(one, reading.format or _CSV)]
    is_pattern = not os.path.lexists(path) and re.search(r"[*?]|\[.+\]", path) is not None
    if not is_pattern and not os.path.isdir(path):
        return [_checked(path, reading, may_be_pipe=True)]
    found = []
    for name in _matches(path) if is_pattern else [path]:
        if os.path.isdir(name):
            found += _walk(name, reading)
        elif reading.is_wanted(name):
            found.append(name)
    refuse_table(path, _with_links(found))
    if not found:
        raise _nothing_at(path)
    return [_checked(name, reading) for name in found]


def _with_links(paths: list[str]) -> list[str]:
    return [where(path) for path in paths for where in (os.path.abspath, os.path.realpath)]


def _matches(pattern: str) -> list[str]:
    if "**" in pattern:
        raise DataError(f"{pattern}: ** is not supported; a folder stands for all files below it")
    wanted = pathlib.Path(pattern).parts

    def is_meant(match: str) -> bool:  # Spark keeps unfinished files in "_temporary"
        parts = zip(pathlib.Path(match).parts, wanted, strict=True)
        return all(want.startswith("_") or not part.startswith("_") for part, want in parts)

    return sorted(filter(is_meant, glob.glob(pattern)))


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


def _nothing_at(shown: str) -> DataError:
    return DataError(f"{shown}: no file there has a name ending in {', '.join(FORMATS)}")


def _checked(path: str, reading: _Reading, *, may_be_pipe: bool = False) -> Source:
    with refusing(path, OSError, ValueError):  # also if reading is not permitted
        status = os.stat(path)
        if may_be_pipe and stat.S_ISFIFO(status.st_mode):
            found = reading.format or _format_of(path) or _CSV
            one = Source(os.path.abspath(path), path, "", is_once=True)
            return reading.apply(one, found)
        if not stat.S_ISREG(status.st_mode):
            raise DataError(
                f"{path}: this is not a regular file; expected a file (- is standard input)"
            )
        # pyarrow refuses a relative path that looks like a URL, such as "s3:scores.csv".
        one = Source(os.path.abspath(path), path, "")
        return _described(one, reading, status.st_size, status.st_mtime_ns)


@contextlib.contextmanager
def _spooled(source: Source, reading: _Reading) -> Iterator[Source]:
    """Copy what can be read only once to a temporary file, which ends with the process."""
    with contextlib.ExitStack() as stack:
        try:
            path, copy = stack.enter_context(_temporary_file())
            stream: Any
            with open_bytes(source) as stream:
                # Not ``read``, which waits for more without looking whether Ctrl-C came meanwhile.
                while block := stream.read1(1 << 16):
                    copy.write(block)
            copy.flush()
            if copy.tell() == 0:
                raise DataError(f"{source.shown}: there is no data")
        except OSError as error:
            raise DataError(
                f"{source.shown}: cannot be copied to {tempfile.gettempdir()}: {error.strerror}; "
                "to use another folder, set TMPDIR"
            ) from error
        status = os.stat(path)
        spooled = source._replace(path=path)
        yield _described(spooled, reading, status.st_size, status.st_mtime_ns)


@contextlib.contextmanager
def _temporary_file() -> Iterator[tuple[str, IO[bytes]]]:
    """Open a file, and give the path by which it can be opened again."""
    if os.path.isdir(_OPEN_FILES):  # then it needs no name in a folder, where it might stay
        with tempfile.TemporaryFile() as copy:
            yield f"{_OPEN_FILES}/{copy.fileno()}", copy
        return
    with tempfile.TemporaryDirectory("fastauc", ignore_cleanup_errors=True) as folder:
        path = os.path.join(folder, "copy")
        with open(path, "wb") as copy:
            yield path, copy


# Object stores ------------------------------------------------------------------------------------


class _Url(NamedTuple):
    """A URL in parts; a password may hold any character, also those that URLs must not have."""

    scheme: str
    slashes: str
    user: str
    place: str

    @property
    def shown(self) -> str:
        """The URL without user, password and options, which is safe to show and to save."""
        return f"{self.scheme}:{self.slashes}{self.place.partition('?')[0]}"


def _url_of(name: str) -> _Url | None:
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):(/+)(.*)", name, re.DOTALL)
    if match is None or (match[2] != "//" and os.path.lexists(f"{match[1]}:")):  # a folder
        return None
    scheme, slashes, rest = match.groups()
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    has_port = scheme == "hdfs" and re.fullmatch("([^:]*@)?[^@]*:[0-9]*", authority) is not None
    # After a colon comes a password, to the last "@" of all: it may hold a slash.
    end = rest.rfind("@") if ":" in authority and not has_port else authority.rfind("@")
    if end < 0 and ":" in authority and not has_port:
        end = len(authority)  # a password without a place
    return _Url(scheme, slashes, rest[: max(end, 0)], rest[end + 1 :])


def without_secrets(text: str) -> str:
    """Return a name, or an option with one, in which a URL has no user, password and options."""
    option, glue, name = text.partition("=") if text.startswith("-") else ("", "", text)
    url = _url_of(name)
    return text if url is None else f"{option}{glue}{url.shown}"


def _on_this_machine(name: str) -> str | None:
    """Return the path that a URL of a local file names, as Spark and Java also write them."""
    form = "file:(?://(?:localhost)?)?(/(?!/).*)"
    match = re.fullmatch(form, name, re.DOTALL | re.IGNORECASE)
    if match is None or os.path.lexists(name):
        return None
    from urllib.request import url2pathname  # which takes a while to import

    return url2pathname(match[1])


def _in_store(name: str, url: _Url, reading: _Reading) -> list[Source]:
    shown = url.shown
    if url.scheme not in _SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise DataError(
            f"{shown}: URLs of this kind are not supported; expected a local file or {known}"
        )
    if url.slashes != "//" and not (url.scheme == "hdfs" and url.slashes == "///"):
        raise DataError(f"{shown}: expected two slashes after {url.scheme}:")
    if re.search(r"[/?#@\s]", url.user):
        raise DataError(
            f"{shown}: its user or password has a character that a URL cannot have there; expected "
            "it encoded: %2F for /, %3F for ?, %40 for @"
        )
    fs = import_pyarrow(Source(shown, shown, "")).fs
    try:
        return unless_left(lambda: _list_stored(fs, name, shown, reading))
    except DataError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:
        secrets = {name, *re.split("[:;]", url.user), *map(unquote, url.user.split(":"))} - {""}
        found = str(error).replace(name, shown)
        if any(secret in found for secret in secrets):
            found = "it cannot be opened"
        raise DataError(f"{shown}: {found}") from None


def _list_stored(fs: Any, url: str, shown: str, reading: _Reading) -> list[Source]:
    """Return the files that a URL stands for, sorted by name; ``*`` matches all but "/"."""
    filesystem, path = fs.FileSystem.from_uri(url)
    wanted = path.split("/") if "*" in path else []
    folder = path.partition("*")[0].rpartition("/")[0] if wanted else path.rstrip("/")
    info = filesystem.get_file_info(folder)
    if not wanted and info.type == fs.FileType.NotFound:
        raise FileNotFoundError("there is no such file or folder")
    # A bucket is part of the path; a host is not.
    scheme, host = shown.split("/")[::2][:2]
    beginning = f"{scheme}//{host if path.startswith('/') else ''}"
    found = [info]
    if info.type != fs.FileType.File:
        listed = filesystem.get_file_info(fs.FileSelector(folder, recursive=True))
        found = [
            info
            for info in listed
            if info.type == fs.FileType.File
            and reading.is_wanted(info.path)
            and not re.search(r"(^|/)[._]", info.path[len(folder) :])
            # A pattern may match a folder, which stands for the files below it.
            and len(parts := info.path.split("/")) >= len(wanted)
            and all(map(fnmatchcase, parts, wanted))
        ]
        holds = in_store(fs, filesystem, folder, [info.path for info in listed])
        refuse_table(shown, [info.path for info in found], holds, beginning)
    if not found:
        raise _nothing_at(shown)
    sources = []
    for info in sorted(found, key=lambda info: str(info.path)):
        name = beginning + info.path
        one = Source(name, name, "", stored=(filesystem, info.path))
        sources.append(_described(one, reading, int(info.size or 0), int(info.mtime_ns or 0)))
    return sources


# Content ------------------------------------------------------------------------------------------


def form_of(name: str) -> str:
    """Return the extension of a name; of a compressed file, both."""
    stem, ending = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] + ending if ending in _COMPRESSED else ending


def _format_of(name: str) -> Format | None:
    """Return the format for the extension of a name; None if it is unknown."""
    stem, ending = os.path.splitext(name.lower())
    if ending in _COMPRESSED:
        found = FORMATS.get(os.path.splitext(stem)[1])
        return found if found and found.is_text else None
    return FORMATS.get(ending)


def _format_in_zip(source: Source) -> Format | None:
    """Return the format of the file in a zip; None if its name does not tell it.

    An archive of NumPy is a zip itself: one within another is not read.
    """
    with decoding(source), open_bytes(source) as stored, zipfile.ZipFile(stored) as archive:
        names = [each.filename for each in members(archive)]
        if names and all(name.endswith(".npy") for name in names):
            return _NPZ
        found = _format_of(only_member(archive, source).filename)
        return None if found is _NPZ else found


def _described(source: Source, reading: _Reading, size: int, mtime_ns: int) -> Source:
    """Return a file with its size, time of change, format and compression."""
    source, shown = source._replace(size=size, mtime_ns=mtime_ns), source.shown
    found = reading.format or _format_of(shown)
    if found is None and shown.lower().endswith((".xlsx", ".xls", ".ods")):
        raise DataError(f"{shown}: spreadsheets are not read; save the sheet as CSV")
    if size == 0 and not (found and found.is_text):
        raise DataError(f"{shown}: the file is empty")
    beginning = b""
    if found is None or found.is_text:
        with open_bytes(source) as file:
            beginning = file.read(16)
    elif source.stored is None and not os.access(source.path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    compression = compression_of(beginning)
    source = source._replace(compression=compression)
    if compression == "zip":
        found = reading.format or _format_in_zip(source) or found
    if found is _NPZ:
        compression = None
    elif compression is not None:
        with decoding(source), open_text(source) as file:
            beginning = file.read(16)
        if inner := compression_of(beginning):
            raise DataError(f"{shown}: {inner} in {compression}; expected text: unpack it")
    if found is None:
        # What is compressed is text.
        default = _CSV if source.is_once or compression else None
        found = format_of_content(beginning) or default
    if found is None:
        raise DataError(
            f"{shown}: unknown format; expected a name ending in {', '.join(FORMATS)}, for text "
            f"also followed by one of {', '.join(_COMPRESSED)}; or use --format (format)"
        )
    if compression is not None and not found.is_text:
        raise DataError(
            f"{shown}: {found.name} compressed by {compression}; expected it uncompressed"
        )
    if source.stored is not None and found.is_local:
        raise DataError(
            f"{shown}: NumPy files are read only from local disks; expected a local copy"
        )
    return reading.apply(source, found)
