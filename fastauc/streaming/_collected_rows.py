"""The rows that a pass collects: keys in 6 bytes each, or keys with their weights.

Keys without weights are kept apart by ranges, in blocks that each hold keys of one range: what a
range has in common is not stored, and ranges are sorted one by one, in the caches.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import rank_sum as _rank_sum, refinement as _refinement
from fastauc._pairs.ordering import sort_keys, sort_weighted_keys
from fastauc._validation.arrays import Array
from fastauc.streaming._plan import Plan, UnresolvedIntervals

Keys = NDArray[np.uint64]
# Keys sorted together: up to this many from several ranges, and from one range at most this share
# of all keys, so that their copies take up little memory.
_FEW_KEYS, _SHARES = 2**15, 32
_SPLIT_BITS = 8
_SLICE = 2**16


class WeightedColumn:
    """The rows of a class: their keys and their weights, in any order."""

    def __init__(self, keys: Keys, weights: NDArray[np.float64]) -> None:
        self.keys, self.weights = keys, weights
        self.size = len(keys)
        self.total = np.zeros(3, np.uint64)  # of the weights, in units
        _refinement.add_weights(weights, self.total)
        self._is_sorted = True

    def append(self, keys: Keys, weights: NDArray[np.float64], most: int) -> None:
        """Add rows; there will be ``most`` of them in the end."""
        if len(keys) == 0:
            return
        size = self.size + len(keys)
        self.keys = _grown(self.keys, self.size, size, most)
        self.keys[self.size : size] = keys
        self.weights = _grown(self.weights, self.size, size, most)
        self.weights[self.size : size] = weights
        _refinement.add_weights(weights, self.total)
        self.size, self._is_sorted = size, False

    def parts(self) -> Iterator[tuple[Keys, NDArray[np.float64]]]:
        """Yield the rows, in parts; nothing must be added meanwhile."""
        yield self.rows()

    def in_order(self) -> tuple[Iterator[Keys], NDArray[np.float64]]:
        """Return keys, in parts, and weights as ``rows`` does."""
        keys, weights = self.rows()
        return iter([keys]), weights

    def rows(self) -> tuple[Keys, NDArray[np.float64]]:
        """Return the rows in increasing order, and equal ones in that of their weights."""
        keys, weights = self.keys[: self.size], self.weights[: self.size]
        if not self._is_sorted:
            sort_weighted_keys(keys, weights)
            self._is_sorted = True
        return keys, weights


def _grown(array: Array, used: int, size: int, most: int) -> Array:
    """Return a larger array: twice as large, or for all rows once an eighth of them is there.

    Unused room takes up no memory, except on systems that reserve it: growing in steps keeps parts
    of the rows, of which there may be many, from reserving the memory of the whole.
    """
    if size <= len(array):
        return array
    larger = np.empty(most if 8 * size > most else 2 * size, array.dtype)
    larger[:used] = array[:used]
    return larger


class KeyColumn:
    """The keys of a class, in any order.

    Parameters
    ----------
    plan : Plan
    saved : uint64 array, optional
        Keys in increasing order, which stay as they are until others are added.
    """

    def __init__(self, plan: Plan, saved: Keys | None = None) -> None:
        self._plan, self._saved = plan, saved
        self._clear()

    def _clear(self) -> None:
        self._sizes = np.zeros(2, np.int64)  # blocks and keys
        self._ends: NDArray[np.int64] = np.empty(0, np.int64)
        # See ``place_keys``. All bits of keys are in one array: smaller ones are not always given
        # back to the system.
        self._pool, self._owner = np.empty(0, np.uint16), np.empty(0, np.uint16)

    @property
    def size(self) -> int:
        """The number of keys."""
        return int(self._sizes[1]) if self._saved is None else len(self._saved)

    def append(self, keys: Keys, weights: None, most: int) -> None:
        """Add keys; there will be ``most`` of them in the end."""
        if len(keys) > 0:
            self.open(most)
            self._place(keys, most)

    def open(self, most: int) -> None:
        """Bring keys that have been read to their ranges."""
        if self._saved is not None:
            self._clear()
            self._place(self._saved, most)
            self._saved = None

    def _place(self, keys: Keys, most: int) -> None:
        low, shift, n_ranges, bits = self._plan.ranges
        if len(self._ends) == 0:
            self._ends = np.zeros(n_ranges, np.int64)
        used, before = self._sizes.tolist()
        size = before + len(keys)
        # Each range has at most one block that is not full.
        blocks = used, (size >> bits) + min(size, n_ranges), (most >> bits) + n_ranges
        self._owner = _grown(self._owner, *blocks)
        self._pool = _grown(self._pool, *(number * 3 << bits for number in blocks))
        tables = self._pool, self._owner, self._ends, self._sizes
        _refinement.place_keys(keys, low, shift, bits, *tables)
        missing = size - int(self._sizes[1])
        if missing:
            raise ValueError(
                f"{missing} scores are not in the intervals of their bins; expected a step made by "
                "refine."
            )

    def parts(self) -> Iterator[tuple[Keys, None]]:
        """Yield the keys, in parts; nothing must be added meanwhile."""
        if self._saved is not None:
            yield self._saved, None
        else:
            reader = KeyReader(self)
            for segment in segments([reader], self.size):
                yield reader.take(segment, segment.sizes[0]), None

    def in_order(self) -> tuple[Iterator[Keys], None]:
        """Return the keys in increasing order, in parts; nothing must be added meanwhile."""
        return self._in_order(), None

    def _in_order(self) -> Iterator[Keys]:
        for part, _ in self.parts():
            if self._saved is None:
                sort_keys(part)
            yield part


class Segment(NamedTuple):
    """Keys that are sorted together: those from ``first`` to ``last``, which are in some ranges.

    Attributes
    ----------
    start, stop : int
        The ranges.
    first, last : int
    sizes : tuple of int
        How many keys there are of each class.
    """

    start: int
    stop: int
    first: int
    last: int
    sizes: tuple[int, ...]

    @property
    def is_tied(self) -> bool:
        """Whether there is a single score; the keys may then be too many to sort."""
        return self.first == self.last


class KeyReader:
    """The keys of a column to which none are added any more, range by range.

    Attributes
    ----------
    non_empty : int64 array
        The ranges that have keys, increasing.
    sizes : int64 array of the same shape
        How many they have.
    """

    def __init__(self, column: KeyColumn) -> None:
        self.ranges = column._plan.ranges
        bits = self.ranges.block_bits
        owner = column._owner[: column._sizes[0]]
        self._tables = column._pool, column._owner, column._ends
        self._blocks = np.argsort(owner, kind="stable")
        owners = owner[self._blocks]
        begins = np.flatnonzero(np.diff(owners, prepend=-1))
        self._begins = np.append(begins, len(owners))
        self.non_empty = owners[begins].astype(np.int64)
        free = -column._ends[self.non_empty] & ((1 << bits) - 1)
        self.sizes = (np.diff(self._begins) << bits) - free

    def _blocks_of(self, segment: Segment) -> NDArray[np.int64]:
        first, stop = np.searchsorted(self.non_empty, [segment.start, segment.stop])
        return self._blocks[self._begins[first] : self._begins[stop]]

    def take(self, segment: Segment, size: int) -> Keys:
        """Return the keys of a segment that has ``size`` of them."""
        return self._take(self._blocks_of(segment), segment, size)

    def _take(self, blocks: NDArray[np.int64], segment: Segment, size: int) -> Keys:
        low, shift, _, bits = self.ranges
        keys = np.empty(size + 1, np.uint64)
        limits = segment.first, segment.last
        n = _refinement.take_keys(blocks, low, shift, bits, *self._tables, *limits, keys)
        return keys[:n]

    def count(self, segment: Segment, shift: int) -> NDArray[np.int64]:
        """Return how many keys of a segment there are in each ``1 << shift`` of them."""
        bits = self.ranges.block_bits
        counts = np.zeros(((segment.last - segment.first) >> shift) + 1, np.int64)
        of_segment = self._blocks_of(segment)
        for start in range(0, len(of_segment), _SLICE >> bits):
            blocks = of_segment[start : start + (_SLICE >> bits)]
            keys = self._take(blocks, segment, len(blocks) << bits) - np.uint64(segment.first)
            parts = (keys >> np.uint64(shift)).astype(np.intp)
            counts += np.bincount(parts, minlength=len(counts))
        return counts


def segments(readers: Sequence[KeyReader], n_keys: int) -> Iterator[Segment]:
    """Yield what is sorted together, from the lowest keys on, of ``n_keys`` of a plan."""
    low, shift, _, _ = readers[0].ranges
    most = max(n_keys // _SHARES, _FEW_KEYS)
    non_empty = np.unique(np.concatenate([reader.non_empty for reader in readers]))
    sizes = np.zeros((len(non_empty), len(readers)), np.int64)
    for c, reader in enumerate(readers):
        sizes[np.searchsorted(non_empty, reader.non_empty), c] = reader.sizes
    for run in _runs(sizes, _FEW_KEYS):
        start, stop = int(non_empty[run.start]), int(non_empty[run.stop - 1]) + 1
        first, after = (low + (k << shift) for k in (start, stop))
        yield from _split(Segment(start, stop, first, after - 1, run.sizes), readers, most)


def _split(segment: Segment, readers: Sequence[KeyReader], most: int) -> Iterator[Segment]:
    """Yield parts of a segment of ``most`` keys, or of those of one score."""
    if sum(segment.sizes) <= most or segment.is_tied:
        yield segment
        return
    first, last = segment.first, segment.last
    shift = max((last - first).bit_length() - _SPLIT_BITS, 0)
    counts = np.stack([reader.count(segment, shift) for reader in readers], axis=1)
    for start, stop, sizes in _runs(counts, most):
        after = min(first + (stop << shift), last + 1)
        part = segment._replace(first=first + (start << shift), last=after - 1, sizes=sizes)
        yield from _split(part, readers, most)


class _Run(NamedTuple):
    start: int
    stop: int
    sizes: tuple[int, ...]


def _runs(sizes: NDArray[np.int64], most: int) -> Iterator[_Run]:
    """Yield runs of rows of a table, of ``most`` in all or of one row, and their sums.

    They begin and end with rows that are not 0.
    """
    start = stop = total = 0
    here = sizes.sum(axis=1)
    for k in np.flatnonzero(here).tolist():
        if start < stop and total + int(here[k]) > most:
            yield _Run(start, stop, tuple(sizes[start:stop].sum(axis=0).tolist()))
            start = stop
        if start == stop:
            start, total = k, 0
        stop = k + 1
        total += int(here[k])
    if start < stop:
        yield _Run(start, stop, tuple(sizes[start:stop].sum(axis=0).tolist()))


class SegmentPairs(NamedTuple):
    """The counts of a segment.

    Attributes
    ----------
    below, tied : int
        Pairs with a lower negative, and tied ones.
    sizes : tuple of int
        Negatives and positives.
    place : int
        The first interval of which the segment may have keys.
    rows : int64 array of shape (2, n)
        Negatives and positives in this and the next intervals.
    """

    below: int
    tied: int
    sizes: tuple[int, ...]
    place: int
    rows: NDArray[np.int64]


def count_segment(
    segment: Segment, readers: Sequence[KeyReader], unresolved: UnresolvedIntervals
) -> SegmentPairs:
    """Sort the keys of a segment, of both classes, and count."""
    if segment.is_tied:
        keys = [np.full(1, segment.first, np.uint64)] * 2
        repeats = segment.sizes
        below, tied = 0, repeats[0] * repeats[1]
    else:
        keys = [
            reader.take(segment, size) for reader, size in zip(readers, segment.sizes, strict=True)
        ]
        repeats = (1, 1)
        for column in keys:
            sort_keys(column)
        below, tied = _rank_sum.count_pairs_of_keys(*keys)
    place = int(np.searchsorted(unresolved.last, np.uint64(segment.first)))
    stop = int(np.searchsorted(unresolved.low, np.uint64(segment.last), "right"))
    low, last = unresolved.low[place:stop], unresolved.last[place:stop]
    rows = [
        (np.searchsorted(column, last, "right") - np.searchsorted(column, low)) * n
        for column, n in zip(keys, repeats, strict=True)
    ]
    return SegmentPairs(below, tied, segment.sizes, place, np.stack(rows))
