"""``RocAucAccumulator``: the exact AUC of rows that arrive in batches, kept as packed keys."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._pairs.concordance import Concordance, check_number_of_pairs
from fastauc._pairs.sorted_rows import flip_of_low, pack_rows
from fastauc._pairs.sorting import count_in_order, sort_keys
from fastauc._state_format import (
    COUNT,
    SMALL_COUNT,
    Fields,
    Kind,
    broken,
    field,
    packed,
    unpack,
)
from fastauc._validation.arrays import FLOAT32, FLOAT64, Array
from fastauc._validation.chunks import read_exact_chunk
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label

_ROWS_WIDENED = 2**16  # at a time

# By the width of the keys.
_SCORE_DTYPES: dict[int, np.dtype[Any]] = {4: FLOAT32, 8: FLOAT64}
_STORED_DTYPES: dict[int, np.dtype[Any]] = {4: SMALL_COUNT, 8: COUNT}


class _Keys(NamedTuple):
    """The packed rows of one region, as ``sorted_rows.SortedRows`` has them, in blocks.

    Each block has at least twice as many rows as the next, so that there are few, and a row is
    copied seldom. Blocks never change, so an interrupted update has no effect.
    """

    blocks: tuple[Array, ...] = ()
    is_sorted: bool = True

    @property
    def n_rows(self) -> int:
        return sum(map(len, self.blocks))

    def added(self, keys: Array) -> _Keys:
        """Return these rows and others."""
        if len(keys) == 0:
            return self
        start, n = len(self.blocks), len(keys)
        while start and len(self.blocks[start - 1]) < 2 * n:
            start -= 1
            n += len(self.blocks[start])
        return _Keys((*self.blocks[:start], np.concatenate([*self.blocks[start:], keys])), False)

    def in_order(self) -> _Keys:
        """Return the rows sorted, in one block."""
        if self.is_sorted:
            return self
        keys = np.concatenate(self.blocks)
        sort_keys(keys)
        return _Keys((keys,))


class _Rows(NamedTuple):
    """All rows: packed keys of 4 or 8 bytes, in the two regions of ``sorted_rows.SortedRows``."""

    width: int = 4
    low: _Keys = _Keys()
    high: _Keys = _Keys()
    n_pos: int = 0

    @property
    def n_rows(self) -> int:
        return self.low.n_rows + self.high.n_rows

    @property
    def n_neg(self) -> int:
        return self.n_rows - self.n_pos

    def added(self, low: Iterable[Array], high: Iterable[Array], n_pos: int) -> _Rows:
        """Return these rows and others, in blocks of the same width."""
        lower, higher = reduce(_Keys.added, low, self.low), reduce(_Keys.added, high, self.high)
        return _Rows(self.width, lower, higher, self.n_pos + n_pos)

    def widened(self) -> _Rows:
        """Return the rows in keys of 8 bytes: single precision is exact in double precision."""
        if self.width == 8:
            return self
        rows = _Rows(8)
        for keys, flip in ((self.low, flip_of_low(FLOAT32)), (self.high, 0)):
            for part in keys.blocks:
                for start in range(0, len(part), _ROWS_WIDENED):
                    packed = part[start : start + _ROWS_WIDENED]
                    label = (packed & 1).astype(np.uint8)
                    score = _as_double(((packed >> 1) ^ np.uint32(flip)).view(FLOAT32))
                    rows = rows.added(*_regions(label, score), int(np.count_nonzero(label)))
        return rows


def _regions(label: NDArray[np.uint8], score: Array) -> tuple[list[Array], list[Array]]:
    packed, n_low = pack_rows(label, score)
    return [packed[:n_low]], [packed[n_low:]]


def _as_double(score: NDArray[np.float32]) -> NDArray[np.float64]:
    double = score.astype(FLOAT64)
    magnitude = score.view(np.uint32) & np.uint32(0x7FFFFFFF)
    is_subnormal = magnitude < np.uint32(1 << 23)
    if is_subnormal.any():
        # Processors can be set to flush subnormal numbers to 0; as integers they stay distinct.
        subnormal = magnitude[is_subnormal].astype(FLOAT64) * 2.0**-149
        double[is_subnormal] = np.copysign(subnormal, score[is_subnormal])
    return double


class RocAucAccumulator:
    """The exact ROC AUC of rows that arrive in batches.

    For evaluation loops: ``update`` with each batch, ``compute`` at the end, ``reset`` for the next
    round; ``merge`` the accumulators of several processes. The result is, to the last bit, that of
    ``roc_auc_score`` on all rows at once, for any order and any batches. Scores and labels may be
    PyTorch tensors on the CPU.

    Notes
    -----
    A row takes 4 bytes if the types of all scores fit into single precision (float32, float16,
    bool, integers of up to 16 bits), and 8 bytes otherwise. ``compute`` sorts in O(n log n) time
    and needs as much memory again, as ``update`` may; called again without new rows, it sorts
    nothing.
    For weights, or for more rows than fit into memory, use ``ScoreHistogram``.

    Threads may share an accumulator: all methods can be called at the same time, and each sees all
    rows of an ``update`` or none of them. But threads wait for one another; to add rows in
    parallel, use one accumulator per thread and merge them.

    Examples
    --------
    >>> from fastauc.streaming import RocAucAccumulator
    >>> accumulator = RocAucAccumulator()
    >>> for y_true, y_score in [([0, 1], [0.1, 0.35]), ([0, 1], [0.4, 0.8])]:
    ...     accumulator.update(y_true, y_score)
    <RocAucAccumulator: n_pos=1, n_neg=1>
    <RocAucAccumulator: n_pos=2, n_neg=2>
    >>> accumulator.compute()
    0.75
    """

    __module__ = "fastauc.streaming"
    __slots__ = ("_lock", "_rows")

    def __init__(self) -> None:
        self._set(_Rows())

    def _set(self, rows: _Rows) -> None:
        self._rows = rows
        # Held from reading ``_rows`` to replacing it. What was read stays as it is, so no method
        # needs the locks of two accumulators.
        self._lock = threading.Lock()

    def update(
        self, y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Label | None = None
    ) -> Self:
        """Add rows, and return the accumulator.

        Parameters
        ----------
        y_true, y_score, pos_label
            As for ``ScoreHistogram.update``, or of shape (n_samples, 1); but float64 must hold the
            scores exactly, integers up to 2^53.

        Raises
        ------
        ValueError
            As for ``ScoreHistogram.update``, and for scores that float64 does not hold exactly.
            After this or any other error, nothing has been added.
        """
        chunk = read_exact_chunk(y_true, y_score, pos_label, "update")
        if len(chunk.label) == 0:
            return self
        with self._lock:
            rows, score = self._rows, chunk.score
            if score.dtype == FLOAT64:
                rows = rows.widened()
            elif rows.width == 8:
                score = _as_double(score)
            self._rows = rows.added(*_regions(chunk.label, score), chunk.n_pos)
        return self

    def merge(self, other: RocAucAccumulator) -> Self:
        """Add the rows of another accumulator, which is not changed, and return this one."""
        if not isinstance(other, RocAucAccumulator):
            raise invalid_parameter("merge", "other", "an instance of 'RocAucAccumulator'", other)
        with self._lock:
            rows, others = self._rows, other._rows
            if rows.width != others.width:
                rows, others = rows.widened(), others.widened()
            self._rows = rows.added(others.low.blocks, others.high.blocks, others.n_pos)
        return self

    def reset(self) -> Self:
        """Remove all rows, and return the accumulator."""
        with self._lock:
            self._rows = _Rows()
        return self

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._rows.n_rows

    @property
    def n_pos(self) -> int:
        """The number of positives."""
        return self._rows.n_pos

    @property
    def n_neg(self) -> int:
        """The number of negatives."""
        return self._rows.n_neg

    @property
    def nbytes(self) -> int:
        """The number of bytes that the rows take up."""
        rows = self._rows
        return sum(block.nbytes for block in (*rows.low.blocks, *rows.high.blocks))

    def __repr__(self) -> str:
        rows = self._rows
        return f"<RocAucAccumulator: n_pos={rows.n_pos}, n_neg={rows.n_neg}>"

    def concordance(self) -> Concordance:
        """Return the pairs as ``fastauc.concordance``; an OverflowError for 2^64 or more."""
        rows = self._sorted()
        check_number_of_pairs(rows.n_pos, rows.n_neg)
        not_above, tied = count_in_order([*rows.low.blocks, *rows.high.blocks])
        return Concordance(not_above - tied, tied, rows.n_pos, rows.n_neg)

    def compute(self) -> float:
        """Return the AUC: the double nearest to the exact fraction.

        NaN, with an ``UndefinedMetricWarning``, unless there are rows of both classes. An
        OverflowError as for ``concordance``.
        """
        return self.concordance().auc

    def _sorted(self) -> _Rows:
        with self._lock:
            rows = self._rows
            self._rows = rows._replace(low=rows.low.in_order(), high=rows.high.in_order())
            return self._rows

    def to_bytes(self) -> bytes:
        """Return the rows as bytes, which are the same on any machine.

        Accumulators of the same rows have equal bytes if their scores had the same types: 4 or 8
        per row, plus about 60. ``pickle`` saves the same bytes.
        """
        width, low, high, n_pos = self._sorted()
        stored = _STORED_DTYPES[width]
        numbers = map(field, (width, low.n_rows, high.n_rows, n_pos))
        regions = [
            field(keys.blocks[0] if keys.n_rows else np.empty(0, stored), stored)
            for keys in (low, high)
        ]
        return b"".join(packed(Kind.ROWS, [*numbers, *regions]))

    @classmethod
    def from_bytes(cls, state: bytes) -> Self:
        """Return the accumulator saved by ``to_bytes``, in this or an earlier version.

        As safe as ``ScoreHistogram.from_bytes``, with the same error.
        """
        accumulator = object.__new__(cls)
        accumulator._set(_read_rows(unpack(Kind.ROWS, state, "from_bytes")))
        return accumulator

    def __reduce__(self) -> tuple[Callable[[bytes], Self], tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)


def _count_positives(packed: Array) -> int:
    return int(np.count_nonzero((packed & packed.dtype.type(1)).view(np.uint8)))


def _read_rows(fields: Fields) -> _Rows:
    width = fields.integer("the width of the keys")
    if width not in _STORED_DTYPES:
        raise broken(f"its keys have {width} bytes; expected 4 or 8")
    n_low = fields.integer("the number of low keys")
    n_high = fields.integer("the number of high keys")
    n_pos = fields.integer("the number of positives")
    regions = []
    for name, n_rows in (("low", n_low), ("high", n_high)):
        keys = fields.array(f"the {name} keys", _STORED_DTYPES[width], n_rows)
        if n_rows > 0:
            _check_keys(keys, name)
        regions.append(keys)
    fields.end()
    found = sum(map(_count_positives, regions))
    if found != n_pos:
        raise broken(f"it has {found} positives; its header says {n_pos}")
    low, high = (_Keys((keys,)) if len(keys) else _Keys() for keys in regions)
    return _Rows(width, low, high, n_pos)


def _check_keys(keys: Array, name: str) -> None:
    """Refuse keys out of order, and keys that do not stand for finite scores.

    A high key has the bits of its score; a low one has all bits but the sign, inverted.
    """
    dtype = _SCORE_DTYPES[keys.itemsize]
    if not (keys[1:] >= keys[:-1]).all():
        raise broken(f"its {name} keys are not in order")
    largest = int(np.array(np.finfo(dtype).max).view(keys.dtype))
    flip = flip_of_low(dtype) & ((1 << (8 * keys.itemsize - 1)) - 1)
    least, most = (flip ^ largest, flip ^ 1) if name == "low" else (0, largest)
    if int(keys[0]) >> 1 < least or int(keys[-1]) >> 1 > most:
        raise broken(f"not all of its {name} keys stand for finite scores")
