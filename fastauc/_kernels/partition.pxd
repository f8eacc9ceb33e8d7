# The rows of a group as 64 bits of their scores, the negatives first, and how to split them.

from libc.stdint cimport uint32_t, uint64_t
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
    PART_BITS = 8
    PARTS = 256


cdef inline uint32_t split_keys(
    const uint64_t *keys,
    uint32_t n_neg,
    uint32_t n,
    uint64_t low,
    uint64_t high,
    uint32_t *starts,
    int *shift,
) noexcept nogil:
    """Divide the range of the keys into at most PARTS equal parts; return how many there are.

    ``(key - low) >> shift`` is the part of a key, and ``starts[2 * part + label]`` where the first
    row of a part and a class belongs. Assumes more than one value: the lowest and the highest key
    come into different parts, and the range of a part is at most half of the whole, so there are at
    most 64 levels.
    """
    cdef uint32_t i, n_parts
    cdef int bits = min(PART_BITS, max(1, bit_length(n) - 4))  # some 16 rows in a part
    shift[0] = max(0, bit_length(high - low) - bits)
    n_parts = <uint32_t> ((high - low) >> shift[0]) + 1
    memset(starts, 0, (2 * n_parts + 1) * sizeof(uint32_t))
    for i in range(n_neg):
        starts[2 * ((keys[i] - low) >> shift[0]) + 1] += 1
    for i in range(n_neg, n):
        starts[2 * ((keys[i] - low) >> shift[0]) + 2] += 1
    for i in range(2 * n_parts):
        starts[i + 1] += starts[i]
    return n_parts


cdef inline void place_keys(
    const uint64_t *keys,
    uint32_t n_neg,
    uint32_t n,
    uint64_t low,
    int shift,
    uint32_t *starts,
    uint64_t *parts,
) noexcept nogil:
    """Write the keys part by part; each start moves on to the next one."""
    cdef uint32_t i
    cdef uint64_t part
    for i in range(n):
        part = 2 * ((keys[i] - low) >> shift) + (i >= n_neg)
        parts[starts[part]] = keys[i]
        starts[part] += 1


cdef inline void find_range_of_keys(
    const uint64_t *keys, uint32_t n, uint64_t *low, uint64_t *high
) noexcept nogil:
    cdef uint32_t i
    low[0] = high[0] = keys[0]
    for i in range(1, n):
        low[0] = min(low[0], keys[i])
        high[0] = max(high[0], keys[i])


cdef inline uint64_t twice_below(const uint64_t *keys, uint32_t n, uint64_t key) noexcept nogil:
    """Return twice the number of keys below one, plus that of the equal ones."""
    cdef uint32_t i
    cdef uint64_t twice_u = 0
    for i in range(n):
        twice_u += <uint64_t> (keys[i] < key) + <uint64_t> (keys[i] <= key)
    return twice_u
