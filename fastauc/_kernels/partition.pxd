# Rows of a bucket or a group, the negatives first, and how to split them: by the 32 bits of
# offsets, or by the 64 bits of scores.

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memset

cdef extern from *:
    """
    #include <stdint.h>

    static inline int fastauc_bit_length(uint64_t value)
    {
    #if defined(__GNUC__)
        return value == 0 ? 0 : 64 - __builtin_clzll(value);
    #else
        int length = 0;
        for (int half = 32; half > 0; half /= 2)
            if (value >> half) {
                value >>= half;
                length += half;
            }
        return length + (int) value;
    #endif
    }
    """
    int bit_length "fastauc_bit_length"(uint64_t value) noexcept nogil

cdef enum:
    BUCKET_BITS = 8
    MOST_BUCKETS = 256

ctypedef fused row_t:
    int32_t
    uint64_t


cdef inline uint64_t _less(row_t row, row_t low) noexcept nogil:
    """Return the row less the lowest one."""
    if row_t is int32_t:
        return <uint32_t> row - <uint32_t> low
    else:
        return row - low


cdef inline void find_range(
    const row_t *rows, uint32_t n, row_t *low, row_t *high
) noexcept nogil:
    cdef uint32_t i
    low[0] = high[0] = rows[0]
    for i in range(1, n):
        low[0] = min(low[0], rows[i])
        high[0] = max(high[0], rows[i])


cdef inline uint32_t split_rows(
    const row_t *rows,
    const uint64_t *weights,
    uint32_t n_neg,
    uint32_t n,
    row_t low,
    row_t high,
    uint32_t *ends,
    row_t *placed,
    uint64_t *placed_weights,
) noexcept nogil:
    """Write the rows bucket by bucket, and in each the negatives first; return how many there are.

    The range is divided into at most MOST_BUCKETS equal ones; ``ends[2 * bucket + label]`` becomes
    where the rows of a bucket and class end. Assumes more than one value: the lowest and the
    highest row come into different buckets, and the range of a bucket is at most half of the whole,
    so there are at most as many levels as a row has bits. Weights follow their rows; NULL if there
    are none.
    """
    cdef uint32_t i, number, place, size, n_buckets
    # Some 16 rows in a bucket.
    cdef int bits = min(BUCKET_BITS, max(1, bit_length(n) - 4))
    cdef int shift = max(0, bit_length(_less(high, low)) - bits)
    n_buckets = <uint32_t> (_less(high, low) >> shift) + 1
    memset(ends, 0, 2 * n_buckets * sizeof(uint32_t))
    for i in range(n_neg):
        ends[2 * (_less(rows[i], low) >> shift)] += 1
    for i in range(n_neg, n):
        ends[2 * (_less(rows[i], low) >> shift) + 1] += 1
    place = 0
    for number in range(2 * n_buckets):
        size = ends[number]
        ends[number] = place
        place += size
    # Each start moves on to the end.
    for i in range(n):
        number = <uint32_t> (2 * (_less(rows[i], low) >> shift)) + (i >= n_neg)
        place = ends[number]
        ends[number] = place + 1
        placed[place] = rows[i]
        if weights != NULL:
            placed_weights[place] = weights[i]
    return n_buckets


cdef inline uint64_t twice_below(const uint64_t *keys, uint32_t n, uint64_t key) noexcept nogil:
    """Return twice the number of keys below one, plus that of the equal ones."""
    cdef uint32_t i
    cdef uint64_t twice_u = 0
    for i in range(n):
        twice_u += <uint64_t> (keys[i] < key) + <uint64_t> (keys[i] <= key)
    return twice_u
