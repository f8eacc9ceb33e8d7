"""``RocAucAccumulator``: the exact AUC of rows that arrive in batches, kept as keys by class."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import reduce
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._kernels import groups as _groups, rank_sum as _rank_sum
from fastauc._pairs.concordance import Concordance, check_number_of_pairs
from fastauc._pairs.sorting import sort_keys
from fastauc._state_format import COUNT, Fields, Kind, broken, field, packed, unpack
from fastauc._validation.arrays import Array
from fastauc._validation.chunks import read_exact_chunk
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc.streaming._bins import LARGEST_KEY, LEAST_KEY

_NO_WEIGHTS = np.empty(0)
_ROWS_AT_ONCE = 2**20
_MINUS_ZERO = np.uint64((1 << 63) - 1)  # which no score has


class _Keys(NamedTuple):
    """The keys of the rows of a class, in blocks.

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

    def whole(self) -> Array:
        """Return the keys of sorted rows."""
        return self.blocks[0] if self.blocks else np.empty(0, np.uint64)


_Classes = tuple[_Keys, _Keys]  # negatives and positives


def _keys_by_class(label: NDArray[np.uint8], score: Array) -> tuple[Array, Array]:
    """Return the keys of the negatives and of the positives, as doubles; of less than 2^32 rows."""
    keys, ends = np.empty(len(label), np.uint64), np.empty(2, np.uint32)
    _groups.arrange_part(score, label.astype(np.uint16), _NO_WEIGHTS, ends, keys, _NO_WEIGHTS)
    return keys[: ends[0]], keys[ends[0] :]


class RocAucAccumulator:
    """The exact ROC AUC of rows that arrive in batches.

    For evaluation loops: ``update`` with each batch, ``compute`` at the end, ``reset`` for the next
    round; ``merge`` the accumulators of several processes. The result is, to the last bit, that of
    ``roc_auc_score`` on all rows at once, for any order and any batches. Scores and labels may be
    PyTorch tensors on the CPU.

    Notes
    -----
    A row takes 8 bytes. ``compute`` sorts in O(n log n) time and needs as much memory again, as
    ``update`` may; called again without new rows, it sorts nothing.
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
    __slots__ = ("_classes", "_lock")

    def __init__(self) -> None:
        self._set((_Keys(), _Keys()))

    def _set(self, classes: _Classes) -> None:
        self._classes = classes
        # Held from reading ``_classes`` to replacing it. What was read stays as it is, so no method
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
        starts = range(0, len(chunk.label), _ROWS_AT_ONCE)
        parts = [slice(start, start + _ROWS_AT_ONCE) for start in starts]
        found = [_keys_by_class(chunk.label[part], chunk.score[part]) for part in parts]
        self._add([neg for neg, _ in found], [pos for _, pos in found])
        return self

    def merge(self, other: RocAucAccumulator) -> Self:
        """Add the rows of another accumulator, which is not changed, and return this one."""
        if not isinstance(other, RocAucAccumulator):
            raise invalid_parameter("merge", "other", "an instance of 'RocAucAccumulator'", other)
        self._add(*(keys.blocks for keys in other._classes))
        return self

    def _add(self, neg: Iterable[Array], pos: Iterable[Array]) -> None:
        with self._lock:
            mine = self._classes
            self._classes = reduce(_Keys.added, neg, mine[0]), reduce(_Keys.added, pos, mine[1])

    def reset(self) -> Self:
        """Remove all rows, and return the accumulator."""
        with self._lock:
            self._classes = _Keys(), _Keys()
        return self

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        neg, pos = self._classes
        return neg.n_rows + pos.n_rows

    @property
    def n_pos(self) -> int:
        """The number of positives."""
        return self._classes[1].n_rows

    @property
    def n_neg(self) -> int:
        """The number of negatives."""
        return self._classes[0].n_rows

    @property
    def nbytes(self) -> int:
        """The number of bytes that the rows take up."""
        return COUNT.itemsize * self.n_rows

    def __repr__(self) -> str:
        neg, pos = self._classes
        return f"<RocAucAccumulator: n_pos={pos.n_rows}, n_neg={neg.n_rows}>"

    def concordance(self) -> Concordance:
        """Return the pairs as ``fastauc.concordance``; an OverflowError for 2^64 or more."""
        neg, pos = self._sorted()
        check_number_of_pairs(len(pos), len(neg))
        return Concordance(*_rank_sum.count_pairs_of_keys(neg, pos), len(pos), len(neg))

    def compute(self) -> float:
        """Return the AUC: the double nearest to the exact fraction.

        NaN, with an ``UndefinedMetricWarning``, unless there are rows of both classes. An
        OverflowError as for ``concordance``.
        """
        return self.concordance().auc

    def _sorted(self) -> tuple[Array, Array]:
        with self._lock:
            neg, pos = self._classes = self._classes[0].in_order(), self._classes[1].in_order()
        return neg.whole(), pos.whole()

    def to_bytes(self) -> bytes:
        """Return the rows as bytes, which are the same on any machine.

        Accumulators of the same rows have equal bytes: 8 per row, plus about 40. ``pickle`` saves
        the same bytes.
        """
        classes = self._sorted()
        fields = [*(field(len(each)) for each in classes), *(field(each) for each in classes)]
        return b"".join(packed(Kind.ROWS, fields))

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


def _read_rows(fields: Fields) -> _Classes:
    n_neg, n_pos = (fields.integer(f"the number of {name}") for name in ("negatives", "positives"))
    neg, pos = _read_keys(fields, "negatives", n_neg), _read_keys(fields, "positives", n_pos)
    fields.end()
    return neg, pos


def _read_keys(fields: Fields, name: str, n_rows: int) -> _Keys:
    """Return the keys of a class; refuse those out of order, and others than of finite scores."""
    keys = fields.array(f"the {name}", COUNT, n_rows)
    if n_rows == 0:
        return _Keys()
    if not (keys[1:] >= keys[:-1]).all():
        raise broken(f"its {name} are not in order")
    if keys[0] < LEAST_KEY or keys[-1] > LARGEST_KEY or (keys == _MINUS_ZERO).any():
        raise broken(f"not all of its {name} stand for finite scores")
    return _Keys((keys,))
