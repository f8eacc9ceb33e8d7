"""The bins of a histogram: which bin a score belongs to, and what is known of its rows."""

import math
import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import histogram as _histogram
from fastauc._pairs.bucket_map import keys_of
from fastauc._validation.arrays import FLOAT32, Array
from fastauc._validation.chunks import Chunk

_SIGN = np.uint64(1 << 63)
_NO_LINE, _NO_KEYS = np.empty(0), np.empty(0, np.uint64)
WORDS_OF_BIN, BINS_IN_PAGE = _histogram.WORDS_OF_BIN, _histogram.BINS_IN_PAGE
FIND_BINS = {False: _histogram.find_bins["double"], True: _histogram.find_bins["float"]}


class Bins(NamedTuple):
    """A map from scores to bins, which are numbered from 0 in the order of their scores.

    Bins are made by the bits of scores; by a ``line`` (the start of a ``span``, bins per unit of
    score, and the last bin, which holds all scores from its end on); or by edges, of which ``keys``
    are the bits. What does not apply is None or empty.
    """

    n_bins: int
    span: tuple[float, float] | None
    line: NDArray[np.float64]
    keys: NDArray[np.uint64]

    @classmethod
    def by_bits(cls) -> "Bins":
        """Return the default bins, which divide powers of two."""
        return cls(_histogram.N_BINS_BY_BITS, None, _NO_LINE, _NO_KEYS)

    @classmethod
    def by_line(cls, bins: int, low: float, high: float) -> "Bins":
        """Return bins of equal width; the last one holds the scores from ``high`` on."""
        line = np.array([low, bins / (high - low), float(bins)])
        return cls(bins + 1, (low, high), line, _NO_KEYS)

    @classmethod
    def by_edges(cls, edges: NDArray[np.float64]) -> "Bins":
        """Return a bin below the first edge and one from each edge on."""
        return cls(len(edges) + 1, None, _NO_LINE, keys_of(edges))

    def find_bins(self, score: Array) -> NDArray[np.uint32]:
        numbers = np.empty(len(score), np.uint32)
        FIND_BINS[score.dtype is FLOAT32](score, self.line, self.keys, numbers)
        return numbers

    def lower_edges(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        """Return the lowest double of each bin, and minus infinity for the first bin."""
        return np.where(numbers == 0, -math.inf, doubles_of(self.lower_keys(numbers)))

    def upper_edges(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        """Return the lowest double above each bin, and infinity for the last bin."""
        following = numbers.astype(np.int64) + 1
        return np.where(following == self.n_bins, math.inf, self.lower_edges(following))

    def lower_keys(self, numbers: NDArray[Any]) -> NDArray[np.uint64]:
        """Return the key of the lowest double of each bin, by bisection over all doubles."""
        low, high = np.full(len(numbers), LEAST_KEY), np.full(len(numbers), LARGEST_KEY)
        for _ in range(64):
            middle = low + (high - low) // np.uint64(2)
            reaches = self.find_bins(doubles_of(middle)) >= numbers
            high = np.where(reaches, middle, high)
            low = np.where(reaches, low, middle + np.uint64(1))
        # Below the key of 0.0 is that of -0.0, which is no other score.
        return np.where(high == _SIGN - np.uint64(1), _SIGN, high)

    def is_equal(self, other: "Bins") -> bool:
        """Tell whether both map every score to the same bin."""
        mine, others = (self.span, self.n_bins), (other.span, other.n_bins)
        return mine == others and np.array_equal(self.keys, other.keys)

    def describe(self) -> dict[str, Any]:
        """Return the arguments that make this bins."""
        if self.span is not None:
            return {"bins": self.n_bins - 1, "range": self.span}
        return {"edges": doubles_of(self.keys)} if len(self.keys) else {}


# Of all doubles that are finite.
LEAST_KEY, LARGEST_KEY = keys_of(np.array([-sys.float_info.max, sys.float_info.max]))


def doubles_of(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


MOST_ROWS = 2**63 - 1  # of a class
ONLY_SCORE = np.uint64(0x7FF8000000000000)
MIXED = np.uint64(1)
_NO_BINS, _NONE_RECENT = np.empty(0, np.uint32), np.empty((0, 2), np.uint8)
_NO_LINES = np.empty((0, WORDS_OF_BIN), np.uint64)
_RECENT_ROWS = np.uint8(127)
_SHORT, _LONG = np.dtype(np.uint32), np.dtype(np.int64)
_MOST_SHORT = 2**32 - 1

_COUNT_ROWS: dict[tuple[bool, Any], Any] = {
    (is_single, dtype): _histogram.count_rows["float" if is_single else "double", name]
    for is_single in (False, True)
    for dtype, name in ((_SHORT, "uint32_t"), (_LONG, "int64_t"))
}

_WEIGH_ROWS = {False: _histogram.weigh_rows["double"], True: _histogram.weigh_rows["float"]}


class NonEmptyBins(NamedTuple):
    """As ``Tables``, for the bins that hold rows only; counts are int64."""

    sums: NDArray[Any]
    score_tags: NDArray[np.uint64]
    totals: NDArray[Any]
    rows: NDArray[np.int64]
    numbers: NDArray[np.uint32]

    @classmethod
    def none(cls, weighted: bool) -> "NonEmptyBins":
        """Return the bins of no row."""
        words, dtype = ((3,), np.uint64) if weighted else ((), np.int64)
        sums, totals = np.zeros((0, 2, *words), dtype), np.zeros((2, *words), dtype)
        return cls(sums, np.zeros(0, np.uint64), totals, np.zeros(2, np.int64), _NO_BINS)


class Tables(NamedTuple):
    """What a histogram knows of its rows.

    ``sums``, of shape (n_bins, 2), are the negatives and positives of each bin, without the recent
    ones: uint32 as long as the totals fit, else int64. If weighted, of shape (n_bins, 2, 3), they
    are weights in units of 2^-128, as three uint64 words, the lowest first. ``totals`` are the sums
    over all bins, in int64 or three words.

    ``score_tags`` are 0 for an empty bin, 1 for one with several scores, and otherwise the bits of
    the only score, XORed with ``ONLY_SCORE``. If weighted, ``rows`` are those whose weight is not
    0, and those whose weight has been rounded to units.

    ``recent``, of shape (n_bins, 2), are rows not yet in the counts: up to 127, plus 128 only if
    the tag is 1. For most rows, counting touches only this byte. Where it is 0, the tag has not
    been looked at. Empty if weighted. ``pages`` are 1 for each 64 bins of which some holds rows.
    """

    sums: NDArray[Any]
    score_tags: NDArray[np.uint64]
    totals: NDArray[Any]
    rows: NDArray[np.int64]
    recent: NDArray[np.uint8]
    lines: NDArray[np.uint64]
    pages: NDArray[np.uint8]

    @classmethod
    def empty(cls, bins: Bins, weighted: bool, most: int = 0) -> "Tables":
        """Return tables for counts up to ``most``; pages of empty bins take up no memory."""
        n, rows = bins.n_bins, np.zeros(2, np.int64)
        pages = np.zeros(-(-n // BINS_IN_PAGE), np.uint8)
        if weighted:
            lines = zero_lines(n)
            sums, score_tags = lines[:, :6].reshape(n, 2, 3), lines[:, 6]
            totals = np.zeros((2, 3), np.uint64)
            return cls(sums, score_tags, totals, rows, _NONE_RECENT, lines, pages)
        sums = np.zeros((n, 2), _SHORT if most <= _MOST_SHORT else _LONG)
        score_tags, recent = np.zeros(n, np.uint64), np.zeros((n, 2), np.uint8)
        return cls(sums, score_tags, np.zeros(2, _LONG), rows, recent, _NO_LINES, pages)

    def add(self, chunk: Chunk, bins: Bins) -> None:
        """Add the rows of a chunk; weighted ones if it has weights."""
        rows, mapped = (chunk.label, chunk.score, chunk.rounded), (bins.line, bins.keys)
        is_single = chunk.score.dtype is FLOAT32
        if chunk.weight is None:
            count = _COUNT_ROWS[is_single, self.sums.dtype]
            count(*rows, *mapped, *self.written, self.recent, chunk.n_pos)
        else:
            _WEIGH_ROWS[is_single](*rows, chunk.weight, *mapped, *self.written)

    @property
    def written(self) -> tuple[NDArray[Any], ...]:
        """What the kernels write to."""
        if self.sums.ndim == 2:
            return self.sums, self.score_tags, self.pages, self.totals
        return self.lines, self.pages, self.totals, self.rows

    def with_room(self, most: int) -> "Tables":
        """Return tables, if possible these, whose counts can reach ``most``: 0 if weighted."""
        if most <= _MOST_SHORT or self.sums.dtype == _LONG:
            return self
        return self._replace(sums=self.sums.astype(_LONG))

    def merge(self, other: NonEmptyBins) -> None:
        """Add tables of the same bins and kind, with room for the sums."""
        # In one call, which cannot be interrupted: the bins always add up to the totals.
        if self.sums.ndim == 2:
            _histogram.merge_counts(*other[:3], other.numbers, *self.written)
        else:
            _histogram.merge_fixed_weights(*other[:3], other.numbers, other.rows, *self.written)

    def non_empty(self) -> NonEmptyBins:
        # Indices of another type than intp crash numpy where an allocation fails. Pages of memory
        # that no row has touched are not read, which would make them.
        first = np.flatnonzero(self.pages) * BINS_IN_PAGE
        numbers = (first[:, np.newaxis] + np.arange(BINS_IN_PAGE)).ravel()
        numbers = numbers[: np.searchsorted(numbers, len(self.score_tags))]
        numbers = numbers[self.score_tags[numbers] != 0]
        sums = self.sums[numbers]
        if self.sums.ndim == 2:
            sums = sums + (self.recent[numbers] & _RECENT_ROWS).astype(_LONG)
        score_tags = self.score_tags[numbers]
        totals, rows = self.totals.copy(), self.rows.copy()
        return NonEmptyBins(sums, score_tags, totals, rows, numbers.astype(np.uint32))


def zero_lines(n: int) -> NDArray[np.uint64]:
    """Return ``n`` bins of weighted rows, none of which lies in two lines of the cache."""
    room = np.zeros((n + 1) * WORDS_OF_BIN, np.uint64)
    start = -room.ctypes.data // 8 % WORDS_OF_BIN
    return room[start : start + n * WORDS_OF_BIN].reshape(n, WORDS_OF_BIN)


def check_counter(n_rows: int, counted: str) -> None:
    """Refuse more rows than a counter holds."""
    if n_rows > MOST_ROWS:
        raise OverflowError(f"There are {n_rows} {counted}; a counter holds at most {MOST_ROWS}.")
