"""Monotone maps from scores to buckets, chosen from a sample of them; see ``bucket_map.pxd``."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import buckets as _buckets, inputs as _inputs
from fastauc._validation.arrays import UINT64, Array, number_integers
from fastauc._validation.samples import BinarySample

_SAMPLE_SIZE = 2048
# The upper halves of the multiples of the golden ratio: no period of the rows can hide from them.
_FRACTIONS = np.arange(_SAMPLE_SIZE, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(
    32
)
_LEAST_BUCKETS, _MOST_BUCKETS = 2**6, 2**20
_INTERVAL_BITS = 11
# Narrower ranges use maps of intervals, which have no rounding: here a difference that is lost,
# because it is subnormal, is less than half a position.
LEAST_WIDTH = 1e-280
# The linear map is used if at most this many times as many rows share its buckets as for uniform
# scores, as intervals take longer.
_UNEVEN = 4
_CROWD = 8
# Up to so many rows are one bucket: from the first number on unless they are a few runs, from the
# second one on unless they have few values, and from the third one on unless a line spreads them or
# some are tied.
FEW_ROWS, MORE_FEW_ROWS, MANY_FEW_ROWS, MOST_FEW_ROWS = 12_000, 20_000, 2**15, 2**16
_SMALLEST = math.ldexp(1.0, -1074)  # subnormal
_TIES_PER_ROWS = 128
_ROWS_OF_BLOCK, _MOST_BLOCKS = 64, 2**10
_LINE = np.empty(0, np.uint64)


class BucketMap(NamedTuple):
    """A monotone map from scores to buckets; see ``bucket_map.map_t``.

    Attributes
    ----------
    line : float64 array
        The lowest score, the positions per unit of score and, unless there are intervals, the
        number of buckets, a power of two.
    intervals : uint64 array
        Empty: the map is linear. Else the lowest and the highest key, the shift, and the intervals;
        or the cells of ``buckets.find_ranked``.
    n_buckets : int
        Buckets that the map can reach.
    """

    line: NDArray[np.float64]
    intervals: NDArray[np.uint64]
    n_buckets: int


def range_of(sample: BinarySample) -> tuple[Any, Any]:
    """Return the lowest and the highest score of a sample; read them now if unknown."""
    low, high = sample.score_range or _inputs.score_range(sample.score)[:2]
    return low, high


def draw_sample(score: Array) -> Array:
    """Return a sorted sample of the scores, the same at every call."""
    drawn: Array = score[drawn_rows(len(score), min(_SAMPLE_SIZE, 1 + len(score) // 16))]
    drawn.sort()
    return drawn


def draw_neighbors(score: Array, n_blocks: int, size: int) -> Array:
    """Return the scores of so many blocks of neighbors, the same at every call."""
    size = min(size, len(score))
    blocks = score[: len(score) // size * size].reshape(-1, size)
    drawn: Array = blocks[drawn_rows(len(blocks), n_blocks)].reshape(-1)
    return drawn


def drawn_rows(n: int, size: int = _SAMPLE_SIZE) -> NDArray[np.int64]:
    """Return rows spread over all of n, the same at every call."""
    return (_FRACTIONS[:size] * np.uint64(n) >> np.uint64(32)).view(np.int64)


def keys_of(score: Array) -> NDArray[np.uint64]:
    """Return the bits of each score, as integers in the order of the scores."""
    keys = np.empty(len(score), UINT64)
    _buckets.ordered_keys(score, keys)
    return keys


def scores_of(keys: NDArray[np.uint64], dtype: np.dtype[Any]) -> Array:
    """Return the scores that keys were made from: 0.0 for both zeros."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    bits = keys.astype(unsigned)
    sign = unsigned.type(1 << (8 * dtype.itemsize - 1))
    if dtype.kind == "f":
        # Negative scores have all their bits flipped, so that they increase.
        bits = np.where(bits >= sign, bits ^ sign, ~bits)
    else:
        bits ^= sign
    return bits.view(dtype)


def firsts_of(ordered: Array) -> NDArray[np.intp]:
    """Return the places of numbers in order that differ from the one before."""
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def frequent_score(drawn: Array) -> Array | None:
    """Return the score that seven in 16 of a sorted sample have, as an array of one."""
    n_least = 7 * len(drawn) // 16
    is_frequent = drawn[n_least:] == drawn[: len(drawn) - n_least]
    first = int(is_frequent.argmax())
    return drawn[first : first + 1] if is_frequent[first] else None


def may_be_unresolved(score: Array, drawn: Array, buckets: BucketMap) -> bool:
    """Return whether 32-bit offsets would fail to separate many scores, given a sorted sample.

    These are tied scores, or scores so close to each other that many share a bucket. If each row is
    tied with 0.1 other rows on average, a 128th of a million rows shows three ties: the sample is
    taken in blocks of rows, as neighbors may be alike.
    """
    if len(firsts_of(drawn)) < len(drawn):
        return True
    n_blocks = min(len(score) // (_TIES_PER_ROWS * _ROWS_OF_BLOCK), _MOST_BLOCKS)
    if n_blocks < 8:
        return _is_crowded(drawn, buckets)
    more = draw_neighbors(score, n_blocks, _ROWS_OF_BLOCK)
    is_tied = len(number_integers(keys_of(more).view(np.int64))[1]) < len(more)
    return is_tied or _is_crowded(more, buckets)


def _is_crowded(drawn: Array, buckets: BucketMap) -> bool:
    """Return whether rows of a sample share buckets far more often than evenly spread ones."""
    sizes = np.bincount(numbers_of(drawn, buckets))
    return int(np.dot(sizes, sizes - 1)) > _CROWD * (1 + len(drawn) ** 2 // buckets.n_buckets)


def numbers_of(score: Array, buckets: BucketMap) -> NDArray[np.uint32]:
    """Return the bucket of each score."""
    numbers = np.empty(len(score), np.uint32)
    _buckets.find_buckets(score, buckets.line, buckets.intervals, numbers)
    return numbers


def choose_map(drawn: Array, low: Any, high: Any, n_buckets: int) -> BucketMap:
    """Return a linear map if it spreads the sample well enough, otherwise one of intervals.

    ``low`` and ``high`` are the lowest and the highest score, as Python numbers.
    """
    n_buckets = power_of_two(min(max(n_buckets, _LEAST_BUCKETS), _MOST_BUCKETS))
    width = float(high) - float(low)
    if LEAST_WIDTH < width < math.inf:
        with np.errstate(under="ignore"):
            offsets = (drawn.astype(np.float64) - float(low)) * (63 / width)
        bins = np.bincount(np.clip(offsets, 0, 63).astype(np.intp))
        if 64 * int(np.dot(bins, bins)) <= _UNEVEN * len(drawn) ** 2:
            return map_of_line(low, width, n_buckets)
    return _map_of_intervals(drawn, low, high, n_buckets)


def map_of_line(low: Any, width: float, n_buckets: int) -> BucketMap:
    """Return a linear map with a power of two of buckets."""
    # The last bucket is for the highest score only: its position may have been rounded up.
    line = np.array([low, (n_buckets - 1) * 2.0**32 / width, n_buckets])
    return BucketMap(line, _LINE, n_buckets)


def _map_of_intervals(
    drawn: Array, low: Any, high: Any, n_buckets: int, border: int = 0
) -> BucketMap:
    """Return a map with as many buckets for each interval of keys as the sample has rows in it."""
    keys = keys_of(np.concatenate((np.array([low, high], drawn.dtype), drawn)))
    return intervals_of(int(keys[0]), int(keys[1]), keys[2:], n_buckets, border)


def intervals_of(
    low: int, high: int, drawn: NDArray[np.uint64], n_buckets: int, border: int = 0
) -> BucketMap:
    """Return a map of intervals, given the range of keys and a sample of them.

    An interval of keys, the range divided by a power of two, has one bucket more than the sample
    has rows in it. If the range contains a ``border``, a power of two, an interval starts there.
    """
    shift = max(1, (high - low).bit_length() - _INTERVAL_BITS)
    if low < border <= high:
        low = border - (-(low - border >> shift) << shift)
    # On processors that flush subnormal numbers to 0, the lowest score may not have the lowest key.
    offsets = np.clip(drawn, low, high) - np.uint64(low)
    n_intervals = (high - low >> shift) + 1
    numbers = (offsets >> np.uint64(shift)).astype(np.intp)
    widths = 1 + n_buckets * np.bincount(numbers, minlength=n_intervals) // len(drawn)
    intervals = np.empty(n_intervals + 3, UINT64)
    intervals[:3] = low, high, shift
    intervals[3:] = (np.cumsum(widths) - widths) << 32 | widths
    return BucketMap(np.zeros(3), intervals, int(widths.sum()))


def map_by_sign(drawn: Array, low: Any, high: Any, n_buckets: int) -> tuple[BucketMap, int]:
    """Return a map with no bucket for scores of both signs, and the first bucket not below 0."""
    if drawn.dtype.kind == "f" and _SMALLEST * 1.0 == 0:
        # The processor is set to flush subnormal numbers to 0; their bits are compared instead.
        tiny = float(np.finfo(drawn.dtype).tiny)
        low, high = (-tiny if abs(low) < tiny else low), (tiny if abs(high) < tiny else high)
    if not low < 0 <= high:
        buckets = choose_map(drawn, low, high, n_buckets)
        return buckets, 0 if low >= 0 else buckets.n_buckets
    sign = 1 << (8 * drawn.dtype.itemsize - 1)
    buckets = _map_of_intervals(drawn, low, high, n_buckets, sign)
    first, _, shift = (int(number) for number in buckets.intervals[:3])
    return buckets, int(buckets.intervals[3 + (sign - first >> shift)]) >> 32


def power_of_two(n: int) -> int:
    """Return the smallest power of two that is at least n."""
    return 1 << max(0, n - 1).bit_length()
