"""A file, wherever it is stored: how it is opened, and what is said if it cannot be read."""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import io
import os
import re
import sys
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import IO, Any, NamedTuple, TypeVar

from fastauc._validation.errors import DataError

T = TypeVar("T")

_COMPRESSIONS = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
    "zip": re.compile(rb"PK(\x03\x04|\x05\x06)"),
}
_OLDEST_PYARROW = 18  # as in the extra cli; the first that casts string_view
_FINGERPRINT_BYTES = 1 << 16
_PATIENCE = 0.2  # seconds after which a wait for a server looks for signals, where none wakes it


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
        For text, "gzip", "bz2", "zstd", "lz4" or "zip", according to its first bytes.
    delimiter, decimal : str
        For CSV, the field separator and the decimal separator.
    size, mtime_ns : int
        Its bytes and the time of its last change when it was found; 0 for standard input and pipes,
        which can be read only once.
    partitions : tuple of (str, int, str or None)
        The columns that its folders name, as in ``day=3/x.parquet``; None is a missing value.
    stored : tuple or None
        For a file of an object store, pyarrow's file system and the name of the file there.
    is_once : bool
        Whether it is standard input or a pipe, which can be read only once, or a copy of it.
    missing_values : tuple of str
        For CSV, texts that mean a missing value, besides an empty field, NA, NULL and the like.
    """

    path: str
    shown: str
    format: str
    compression: str | None = None
    delimiter: str = ","
    decimal: str = "."
    size: int = 0
    mtime_ns: int = 0
    partitions: tuple[tuple[str, Any], ...] = ()
    stored: tuple[Any, str] | None = None
    is_once: bool = False
    missing_values: tuple[str, ...] = ()


Source.__module__ = "fastauc.files"


def open_bytes(source: Source) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Open a file as stored; also standard input, to be read from its beginning."""
    if source.path == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    if source.stored is None:
        return open(source.path, "rb")
    filesystem, name = source.stored
    opened: contextlib.AbstractContextManager[IO[bytes]] = filesystem.open_input_file(name)
    return opened


def unless_left(call: Callable[[], T], source: Source | None = None) -> T:
    """Return what a call returns; if it waits for an object store, Ctrl-C ends the wait.

    pyarrow tries for minutes to reach a server, and no signal ends that. So the call is made in a
    thread, which is left behind.
    """
    if source is not None and source.stored is None:
        return call()
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:
            outcome.set_exception(error)

    done: SimpleQueue[Future[T]] = SimpleQueue()
    outcome.add_done_callback(done.put)
    threading.Thread(target=run, name="fastauc-store", daemon=True).start()
    while True:
        with contextlib.suppress(Empty):
            return done.get(timeout=_PATIENCE).result()


class Fingerprint(NamedTuple):
    """What changes when a file is rewritten: size, time, and a hash of its last 64 KiB."""

    size: int
    mtime_ns: int
    digest: str


def fingerprint(source: Source) -> Fingerprint:
    """Return what identifies the content of a file; raise DataError if it cannot be opened."""

    def look() -> Fingerprint:
        with open_bytes(source) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _FINGERPRINT_BYTES))
            digest = hashlib.sha256(file.read(_FINGERPRINT_BYTES)).hexdigest()
        return Fingerprint(size, _state(source)[1], digest)

    with refusing(source.shown, OSError):
        return unless_left(look, source)


def copies_of(files: Sequence[Source]) -> dict[int, Source]:
    """Return which files hold the same bytes as one before them, unless folders tell them apart."""
    sizes = Counter(source.size for source in files)
    first: dict[Any, Source] = {}
    copies = {}
    for i, source in enumerate(files):
        if source.size and sizes[source.size] > 1:
            known = fingerprint(source)
            key = source.size, known.digest, source.partitions
            other = first.setdefault(key, source)
            if other is not source and not differ(source.path, other.path):
                copies[i] = other
    return copies


def differ(path: str, other: str) -> bool:
    """Tell whether files of one size and one end differ, as far as they can be read here."""
    with contextlib.suppress(OSError):
        return not filecmp.cmp(path, other, shallow=False)
    return False


def _state(source: Source) -> tuple[int, int]:
    if source.stored is None:
        status = os.stat(source.path)
        return status.st_size, status.st_mtime_ns
    filesystem, name = source.stored
    info = filesystem.get_file_info(name)
    return int(info.size or 0), int(info.mtime_ns or 0)


def has_changed(source: Source) -> bool:
    """Tell whether a file that was not empty has changed since it was found."""
    with contextlib.suppress(OSError):
        return source.size > 0 and _state(source) != (source.size, source.mtime_ns)
    return False


def compression_of(beginning: bytes) -> str | None:
    """Return the compression of a file with these first bytes; None if there is none."""
    found = (name for name, pattern in _COMPRESSIONS.items() if pattern.match(beginning))
    return next(found, None)


@contextlib.contextmanager
def decompressed(stored: IO[bytes], source: Source) -> Iterator[IO[bytes]]:
    compression = source.compression
    if source.is_once and hasattr(stored, "peek"):
        compression = compression_of(stored.peek(16))
    if compression is None:
        yield stored
        return
    if compression == "zip":
        with zipfile.ZipFile(stored) as archive, archive.open(only_member(archive, source)) as file:
            yield file
        return
    pa = import_pyarrow(source)
    # Its own ``read`` keeps the memory for what a damaged file lacks, its ``readinto`` not.
    with io.BufferedReader(pa.CompressedInputStream(stored, compression)) as file:
        yield file


def members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files in a zip, without the hidden ones that systems add."""
    hidden = re.compile(r"(^|/)[._]|(^|/)$")
    return [each for each in archive.infolist() if not hidden.search(each.filename)]


def only_member(archive: zipfile.ZipFile, source: Source) -> zipfile.ZipInfo:
    """Return the one file that a zip holds; refuse several, none, and what may be no text."""
    found = members(archive)
    if len(found) != 1:
        listed = ", such as " + " and ".join(each.filename for each in found[:2]) if found else ""
        raise DataError(
            f"{source.shown}: the zip holds {len(found)} files{listed}; expected one: unpack it"
        )
    (member,) = found
    # Others than deflate unpack a block to any size at once.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(
            f"{source.shown}: {member.filename} in the zip is not compressed by deflate; unpack it"
        )
    return member


@contextlib.contextmanager
def open_text(source: Source) -> Iterator[IO[bytes]]:
    """Open a file of text, decompressed; standard input and pipes directly."""
    with open_bytes(source) as stored, decompressed(stored, source) as file:
        yield file


def import_pyarrow(source: Source) -> Any:
    """Return pyarrow with the modules that files need, or raise an error if it is missing."""
    try:
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.csv
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
def refusing(where: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of these kinds into a sentence on what is there, or what it cannot be."""
    try:
        yield
    except DataError:
        raise
    except kinds as error:
        raise DataError(f"{where}: {getattr(error, 'strerror', None) or error}") from error


@contextlib.contextmanager
def decoding(source: Source, part: str = "") -> Iterator[None]:
    """Turn any decoder error into a sentence that names the file, and whether it has changed."""
    refusal = f"{source.shown}: cannot be read: " + (part and f"{part}: ")
    try:
        yield
    except MemoryError as error:  # from a file that is too large, or that claims a false size
        reason = f"not enough memory: {error}".removesuffix(": ")
        raise DataError(f"{refusal}{reason}") from error
    except Exception as error:  # the decoders' errors for damaged files have no common class
        if has_changed(source):
            raise DataError(
                f"{source.shown}: the file has changed since it was first read"
            ) from error
        if isinstance(error, DataError):
            raise
        reason = str(error).split(f"input source '{source.path}': ")[-1].removeprefix("Invalid: ")
        reason = reason or type(error).__name__
        raise DataError(f"{refusal}{reason}") from error
