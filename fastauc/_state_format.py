"""The binary layout that all saved states share: header, fields, checksum.

A state is, in this order and without gaps: the magic ``FAUC``; the version and the kind, each a
16-bit number; the length of the payload in bytes, a 64-bit number; the payload; the CRC-32 of all
of that, as zlib computes it. Numbers are little-endian on every machine. The fields of a payload
are arrays, each followed by zeros up to a multiple of 8 bytes. A single number is an array of one.

The checksum detects accidents, not attacks: an attacker can compute it. A state from an untrusted
source is safe to read because nothing in it is ever executed, and every field is checked before it
is used. A field is a view of the bytes themselves, so a forged length cannot cause a large
allocation: it either fits within the bytes or is refused.
"""

import enum
import math
import struct
import zlib
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._validation.errors import CorruptStateError, invalid_parameter

MAGIC = b"FAUC"
VERSION = 1  # all older versions stay readable
_HEADER = struct.Struct("<4sHHQ")
_CHECKSUM = struct.Struct("<I")
_ALIGNMENT = 8

COUNT, SMALL_COUNT, DOUBLE = np.dtype("<u8"), np.dtype("<u4"), np.dtype("<f8")


class Kind(enum.IntEnum):
    """The kind of a state; a number, also the former 2 and 5, is never reused for another kind."""

    HISTOGRAM = 1
    CHECKPOINT = 3
    SCORES = 4
    ROWS = 6


# The bytes of a field or a state, in parts. Arrays must not change before they are written.
Parts = list[bytes | memoryview]


def size_of(parts: Parts) -> int:
    return sum(memoryview(part).nbytes for part in parts)


def field(values: ArrayLike, dtype: np.dtype[Any] = COUNT) -> Parts:
    """Return an array as a field."""
    return padded([np.ascontiguousarray(values, dtype).data])


def padded(content: Parts) -> Parts:
    """Return other content as a field."""
    return [*content, bytes(-size_of(content) % _ALIGNMENT)]


def packed(kind: Kind, fields: Iterable[Parts]) -> Parts:
    payload = list(chain.from_iterable(fields))
    parts: Parts = [_HEADER.pack(MAGIC, VERSION, kind, size_of(payload)), *payload]
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return [*parts, _CHECKSUM.pack(checksum)]


def broken(what: str) -> CorruptStateError:
    """Return the error for a state with an impossible value."""
    return CorruptStateError(f"The state is broken: {what}.")


class Fields:
    """The fields of a payload, which are read one after the other; errors name them."""

    def __init__(self, payload: memoryview):
        self._payload = payload
        self._start = 0

    def array(self, name: str, dtype: np.dtype[Any], *shape: int) -> NDArray[Any]:
        """Return the next field, an array that views its bytes and must not be written to."""
        start, size = self._start, math.prod(shape)
        self.view(name, size * dtype.itemsize)
        stored = np.frombuffer(self._payload, dtype, size, start)
        # Aligned already, as the payload begins at a multiple of 8 and bytes objects do.
        array = np.require(stored.reshape(shape), dtype.newbyteorder("="), "A")
        array.flags.writeable = False
        return array

    def view(self, name: str, n_bytes: int) -> memoryview:
        """Return the bytes of the next field, which are not copied."""
        end = self._start + n_bytes
        padded_end = end + -end % _ALIGNMENT
        if padded_end > len(self._payload):
            raise broken(f"it ends within {name}")
        if any(self._payload[end:padded_end]):
            raise broken(f"nonzero padding follows {name}")
        content = self._payload[self._start : end]
        self._start = padded_end
        return content

    def integer(self, name: str) -> int:
        """Return the next field, an unsigned number."""
        return int(self.array(name, COUNT, 1)[0])

    def end(self) -> None:
        """Refuse a payload that goes on."""
        n_left = len(self._payload) - self._start
        if n_left > 0:
            raise broken(f"{n_left} bytes follow its last field")


def unpack(kind: Kind, state: object, function: str) -> Fields:
    """Return the fields of a state of this kind, from bytes or a buffer, which is copied."""
    try:
        given = memoryview(state)  # type: ignore[arg-type]
    except TypeError:
        raise invalid_parameter(function, "state", "a bytes-like object", state) from None
    is_constant = isinstance(given.obj, bytes) and given.c_contiguous
    is_flat = given.ndim == 1 and given.format == "B"
    content = given if is_constant and is_flat else memoryview(bytes(given))
    least = _HEADER.size + _CHECKSUM.size
    if content[: len(MAGIC)] != MAGIC:
        raise CorruptStateError(f"The state does not begin with {MAGIC!r}.")
    if len(content) < least:
        raise CorruptStateError(f"The state has {len(content)} bytes; expected {least} or more.")
    _, version, actual_kind, n_bytes = _HEADER.unpack_from(content)
    if version != VERSION:
        raise CorruptStateError(f"The state has version {version}; expected {VERSION}.")
    if n_bytes != len(content) - least:
        raise CorruptStateError(
            f"The state has {len(content)} bytes; expected {n_bytes + least}, as its header says."
        )
    body = content[: -_CHECKSUM.size]
    (checksum,) = _CHECKSUM.unpack_from(content, len(body))
    if zlib.crc32(body) != checksum:
        raise CorruptStateError("The state has been damaged: its checksum does not match.")
    if actual_kind != kind:
        raise CorruptStateError(f"The state has kind {actual_kind}; expected {kind}.")
    return Fields(body[_HEADER.size :])
