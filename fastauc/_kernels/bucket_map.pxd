# A monotone map from scores to positions Q = bucket << 32 | offset, linear or of intervals.
#
# Q never decreases with the score: rows of different buckets are in the order of their buckets, and
# rows of one bucket in the order of their offsets. Equal offsets say only that the scores are
# close.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

ctypedef fused score_t:
    float
    double
    int64_t

# Scores, or keys, for which there are maps of intervals only.
ctypedef fused source_t:
    float
    double
    int64_t
    uint32_t
    uint64_t

# Positions, or buckets alone.
ctypedef fused place_t:
    uint64_t
    uint32_t

cdef enum:
    # Rows that are mapped at a time: their positions stay in the first-level cache.
    BLOCK = 512


cdef struct map_t:
    double low
    double scale
    uint64_t mask  # of the positions on a line; see below
    uint64_t first_key  # those beyond it, or beyond last_key, count as it
    uint64_t last_key
    int shift  # of a key less first_key to the number of its interval; 1 to 63
    const uint64_t *intervals  # NULL where the map is linear


cdef inline map_t map_of_line(const double[::1] line) noexcept:
    cdef map_t buckets
    buckets.low = line[0]
    buckets.scale = line[1]
    buckets.mask = mask_of(<uint64_t> line[2])
    buckets.intervals = NULL
    buckets.first_key = buckets.last_key = buckets.shift = 0
    return buckets


cdef inline map_t read_map(const double[::1] line, const uint64_t[::1] intervals) noexcept:
    cdef map_t buckets = map_of_line(line)
    if intervals.shape[0] > 0:
        buckets.first_key = intervals[0]
        buckets.last_key = intervals[1]
        buckets.shift = <int> intervals[2]
        buckets.intervals = &intervals[3]
    return buckets


cdef inline uint64_t mask_of(uint64_t n_buckets) noexcept nogil:
    """Return the mask that keeps every position in so many buckets, a power of two.

    Scores that somebody changes after their range was read may be anywhere, or NaN: a mask sends
    them to some bucket, and leaves the others as they are.
    """
    return (n_buckets << 32) - 1


cdef inline int32_t offset_of(const score_t *score, uint64_t position) noexcept nogil:
    """Return the whole score if it is single, else the position in the bucket, in signed order."""
    cdef uint32_t bits
    if score_t is float:
        memcpy(&bits, score, sizeof(bits))
        bits ^= (0 - (bits >> 31)) >> 1
        # That of -0.0 is one less than that of 0.0. Not by adding 0.0, as processors can be set to
        # flush subnormal numbers, nor by a branch, as many rows in random order may be 0.
        return <int32_t> (bits + (bits == <uint32_t> 0xFFFFFFFF))
    else:
        return <int32_t> (<uint32_t> position ^ (<uint32_t> 1 << 31))


cdef inline uint64_t key_of(const source_t *score) noexcept nogil:
    """Return the bits of a score, in their order; a key is what it is."""
    cdef uint64_t bits64
    if source_t is uint32_t or source_t is uint64_t:
        return score[0]
    elif source_t is float:
        return <uint64_t> <uint32_t> offset_of(score, 0) ^ <uint64_t> 0x80000000
    elif source_t is double:
        memcpy(&bits64, score, sizeof(bits64))
        bits64 ^= (0 - (bits64 >> 63)) | (<uint64_t> 1 << 63)
        return bits64 + ((bits64 ^ ((<uint64_t> 1 << 63) - 1)) < 1)  # a carry, not a branch
    else:
        return <uint64_t> score[0] ^ (<uint64_t> 1 << 63)


cdef inline uint64_t _add_line(const score_t *score, double low, double scale) noexcept nogil:
    # Each rounded operation is monotone. From 2^52 to 2^53 the spacing of doubles is 1, so the low
    # 52 bits of the sum are the position; no conversion to integers is needed, and SSE2 has none.
    cdef double total = (<double> score[0] - low) * scale + 4503599627370496.0
    cdef uint64_t bits
    memcpy(&bits, &total, sizeof(bits))
    return bits


cdef inline uint64_t position_of_key(uint64_t key, const map_t *buckets) noexcept nogil:
    """Return the position of a key by a map of intervals."""
    # An interval holds its first bucket (high half) and how many buckets it has (low half), which
    # divide it evenly by the 43 bits of the key after those of the interval: as many as times 2^20
    # buckets and one fit into 64 bits.
    cdef uint64_t interval, rest
    key = max(key, buckets.first_key)
    key = min(key, buckets.last_key) - buckets.first_key
    interval = buckets.intervals[key >> buckets.shift]
    rest = (key << (64 - buckets.shift)) >> 21
    return (interval >> 32 << 32) + (rest * (interval & <uint64_t> 0xFFFFFFFF) >> 11)


cdef inline void map_scores(
    const source_t *source, Py_ssize_t n, const map_t *buckets, place_t *places
) noexcept nogil:
    """Write the positions of scores or, where there is room for 32 bits alone, their buckets."""
    cdef double low = buckets.low, scale = buckets.scale
    cdef uint64_t sums[8]
    cdef int shift = 32 if place_t is uint32_t else 0
    cdef place_t mask = <place_t> (buckets.mask >> shift)
    cdef Py_ssize_t i, k
    if buckets.intervals != NULL:
        for i in range(n):
            places[i] = <place_t> (position_of_key(key_of(source + i), buckets) >> shift)
    elif source_t is float or source_t is double or source_t is int64_t:
        # Eight at a time: of loops of known length compilers make vectors without a loop.
        for i in range(0, n - 7, 8):
            for k in range(8):
                sums[k] = _add_line(source + i + k, low, scale)
            for k in range(8):
                places[i + k] = <place_t> (sums[k] >> shift) & mask
        for i in range(n - n % 8, n):
            places[i] = <place_t> (_add_line(source + i, low, scale) >> shift) & mask


cdef inline void count_in_buckets(
    const uint8_t *label, const source_t *source, Py_ssize_t n, const map_t *buckets,
    uint32_t *counts,
) noexcept nogil:
    """Add rows to ``counts[2 * bucket + label]``, or to ``counts[bucket]`` if labels are NULL."""
    cdef uint32_t numbers[BLOCK]
    cdef Py_ssize_t start = 0, i, size
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        map_scores(source + start, size, buckets, numbers)
        if label == NULL:
            for i in range(size):
                counts[numbers[i]] += 1
        else:
            for i in range(size):
                counts[2 * <size_t> numbers[i] + label[start + i]] += 1
        start += size


cdef inline uint32_t take_place(uint32_t *start, uint32_t last) noexcept nogil:
    """Return the next place of a bucket, and move its start on.

    Rows that somebody changes after they were counted get wrong places, but none beyond the last.
    """
    cdef uint32_t place = min(start[0], last)
    start[0] = place + 1
    return place
