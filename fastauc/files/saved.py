"""Files that hold states: replaced whole or not at all, and checked when they are read.

The payload is a JSON object and some blobs, each with its length in front: the number of bytes of
the object, the object, the number of blobs, and of each its number of bytes and the blob.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fastauc._streaming.state_format import (
    COUNT,
    MAGIC,
    Field,
    Fields,
    Kind,
    field,
    packed,
    padded,
    unpack,
    whole,
)
from fastauc._validation.errors import CorruptStateError
from fastauc.files.sources import DataError

__all__ = ["Saved", "previous_of", "read_newest", "read_saved", "save"]


class Saved(NamedTuple):
    """What a file holds: an object of plain values, and states, which are views of its content."""

    header: dict[str, Any]
    blobs: tuple[memoryview, ...]


def previous_of(path: str) -> str:
    """Return where the generation before the newest one is kept."""
    return f"{path}.previous"


def save(
    path: str,
    kind: Kind,
    header: dict[str, Any],
    states: Iterable[Field],
    *,
    keep_previous: bool = False,
) -> None:
    """Write a file; whatever happens on the way, the path has the old content or the new one.

    ``keep_previous`` keeps the old content as ``previous_of(path)``. For a moment the path is
    missing then; ``read_newest`` finds the kept one.

    Raises
    ------
    DataError
        If it cannot be written, or is no regular file; what was there before is still there.
    """
    described = json.dumps(header, sort_keys=True).encode()
    blobs = list(states)
    fields = [*_sized(whole(described)), field(len(blobs), COUNT)]
    for blob in blobs:
        fields += _sized(blob)
    _check_regular(path)
    fresh = f"{path}.new"  # always the same name: a killed process leaves no more than this one
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        with open(fresh, "xb") as file:
            file.writelines(packed(kind, fields).parts)
            file.flush()
            os.fsync(file.fileno())
        if keep_previous and os.path.exists(path):
            os.replace(path, previous_of(path))
        os.replace(fresh, path)
        _sync_folder(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error


def _check_regular(path: str) -> None:
    """Refuse devices and pipes: reading one may never end, and a file would take its place."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise DataError(f"{path}: this is not a regular file; expected a file")


def _sized(content: Field) -> list[Field]:
    return [field(content.n_bytes, COUNT), padded(content)]


def _sync_folder(path: str) -> None:
    # The new name is on the disk only when its folder is. Windows has no such call.
    if os.name == "posix":
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read_saved(path: str, kind: Kind) -> Saved:
    """Read a file that ``save`` has written.

    Raises
    ------
    DataError
        If it cannot be opened, or is no regular file.
    CorruptStateError
        If it is damaged, or no such file.
    """
    _check_regular(path)
    try:
        with open(path, "rb") as file:
            content = file.read(len(MAGIC))
            if content == MAGIC:  # any other file may be of any size
                file.seek(0)
                content = file.read()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    fields = unpack(kind, content, "read_saved")
    header = _read_header(fields)
    blobs = [_read_sized(fields, "a state") for _ in _counted(fields, "the number of states")]
    fields.end()
    return Saved(header, tuple(blobs))


def _read_header(fields: Fields) -> dict[str, Any]:
    try:
        header = json.loads(bytes(_read_sized(fields, "the description")))
    except (ValueError, RecursionError) as error:
        raise CorruptStateError(f"The state is broken: its description: {error}.") from None
    if not isinstance(header, dict):
        raise CorruptStateError("The state is broken: its description is no object.")
    return header


def _read_sized(fields: Fields, name: str) -> memoryview:
    n_bytes = fields.integer(f"the size of {name}")
    return fields.view(name, n_bytes)


def _counted(fields: Fields, name: str) -> Sequence[int]:
    # Each state has a size at least: more than there are bytes are refused by the first missing.
    return range(min(fields.integer(name), 2**32))


def read_newest(path: str, kind: Kind) -> tuple[Saved | None, str | None]:
    """Return the newest generation that is whole, or None if there is none at all.

    Also why the newest one could not be used, or None.

    Raises
    ------
    DataError
        If there is one, but none is whole.
    """
    try:
        return read_saved(path, kind), None
    except CorruptStateError as error:
        reason: str | None = str(error)
    except DataError:
        if os.path.lexists(path):
            raise
        reason = None
    if os.path.lexists(previous_of(path)):
        try:
            return read_saved(previous_of(path), kind), reason
        except CorruptStateError as error:
            reason = reason or str(error)
    if reason is not None:
        raise DataError(f"{path}: cannot be read: {reason} Remove the file to begin anew.")
    return None, None
