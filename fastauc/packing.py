"""The outer layout of saved states: what every kind of state has in common.

A state is, in this order and without gaps: the magic ``FAUC``; the version and the kind, each a
16-bit number; the length of the payload in bytes, a 64-bit number; the payload; the CRC-32 of all
of that, as zlib computes it. Numbers are little-endian on every machine. The fields of a payload
are arrays, each followed by zeros up to a multiple of 8 bytes. A single number is an array of one.

The checksum finds accidents, not attacks: whoever forges a state can compute it. What makes a state
safe to read is that nothing in it is ever run, and that every field is checked before it is used. A
field is a view of the bytes themselves, so a forged length cannot make anything grow: it is more
than there is, or it is not.
"""

import enum
import math
import struct
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._exceptions import CorruptStateError, invalid_parameter

MAGIC = b"FAUC"
VERSION = 1  # readers keep reading all older versions
_HEADER = struct.Struct("<4sHHQ")
_CHECKSUM = struct.Struct("<I")
_ALIGNMENT = 8

COUNT, SMALL_COUNT, DOUBLE = np.dtype("<u8"), np.dtype("<u4"), np.dtype("<f8")


class Kind(enum.IntEnum):
    """What a state is of; a number is never used again for something else."""

    HISTOGRAM = 1
    REFINEMENT = 2
    CHECKPOINT = 3
    SCORES = 4
    ROWS = 5


def field(values: ArrayLike, dtype: np.dtype[Any]) -> bytes:
    """Return the bytes of a field."""
    content = np.asarray(values, dtype).tobytes()
    return content + bytes(-len(content) % _ALIGNMENT)


def packed_parts(kind: Kind, fields: Iterable[bytes]) -> list[bytes]:
    """Return the state of a payload that is made of these fields, in parts."""
    parts = list(fields)
    parts.insert(0, _HEADER.pack(MAGIC, VERSION, kind, sum(map(len, parts))))
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return [*parts, _CHECKSUM.pack(checksum)]


def pack(kind: Kind, fields: Iterable[bytes]) -> bytes:
    """Return the state of a payload that is made of these fields."""
    return b"".join(packed_parts(kind, fields))


class Fields:
    """The fields of a payload, which are read one after the other.

    Each is named in the error it raises: as "the edges", or "the number of edges".
    """

    def __init__(self, payload: memoryview):
        self._payload = payload
        self._start = 0

    def array(self, name: str, dtype: np.dtype[Any], *shape: int) -> NDArray[Any]:
        """Return the next field, an array that must not be written to.

        It takes up no memory, unless this machine is big-endian: then as much as its bytes.
        """
        end = self._start + math.prod(shape) * dtype.itemsize
        padded_end = end + -end % _ALIGNMENT
        if padded_end > len(self._payload):
            raise CorruptStateError(f"The state is broken: it ends within {name}.")
        if any(self._payload[end:padded_end]):
            raise CorruptStateError(f"The state is broken: other bytes than 0 follow {name}.")
        stored = np.frombuffer(self._payload, dtype, math.prod(shape), self._start)
        self._start = padded_end
        # Aligned already, as the payload begins at a multiple of 8 and bytes objects do.
        array = np.require(stored.reshape(shape), dtype.newbyteorder("="), "A")
        array.flags.writeable = False
        return array

    def integer(self, name: str) -> int:
        """Return the next field, an unsigned number."""
        return int(self.array(name, COUNT, 1)[0])

    def end(self) -> None:
        """Refuse a payload that goes on."""
        n_left = len(self._payload) - self._start
        if n_left > 0:
            raise CorruptStateError(f"The state is broken: {n_left} bytes follow its last field.")


def unpack(kind: Kind, state: object, function: str) -> Fields:
    """Return the fields of a state of this kind.

    ``state`` is bytes; other buffers are copied first, as somebody else could write to them.
    """
    try:
        content = state if isinstance(state, bytes) else bytes(memoryview(state))  # type: ignore[arg-type]
    except TypeError:
        raise invalid_parameter(function, "state", "a bytes-like object", state) from None
    least = _HEADER.size + _CHECKSUM.size
    if not content.startswith(MAGIC):
        raise CorruptStateError(f"The state does not begin with {MAGIC!r}.")
    if len(content) < least:
        raise CorruptStateError(f"The state has {len(content)} bytes; expected {least} or more.")
    _, version, actual_kind, n_bytes = _HEADER.unpack_from(content)
    if version != VERSION:
        raise CorruptStateError(f"The state is of version {version}; expected {VERSION}.")
    if n_bytes != len(content) - least:
        raise CorruptStateError(
            f"The state has {len(content)} bytes; expected {n_bytes + least}, as it says."
        )
    body = memoryview(content)[: -_CHECKSUM.size]
    (checksum,) = _CHECKSUM.unpack_from(content, len(body))
    if zlib.crc32(body) != checksum:
        raise CorruptStateError("The state has been damaged: its checksum does not match.")
    if actual_kind != kind:
        raise CorruptStateError(f"The state is of kind {actual_kind}; expected {kind}.")
    return Fields(body[_HEADER.size :])
