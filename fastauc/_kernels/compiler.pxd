# What compilers offer beyond C, or what stands in where one does not: lanes, prefetches, bits.

from libc.stdint cimport int32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>

    /* Four integers of 32 bits at a time, on every processor for which there is GCC or Clang. */
    #if defined(__GNUC__)
    typedef int32_t fastauc_lanes_t __attribute__((vector_size(16)));
    typedef int32_t fastauc_loose_t __attribute__((vector_size(16), aligned(4), may_alias));
    __attribute__((unused)) /* by those who only prefetch */
    #endif
    /* From place 8 - n on: a mask that keeps the first n of 8 lanes. */
    static const int32_t FASTAUC_KEEP[16] = {
        -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

    /* A line of memory is asked for before it is written to, or before it is read. */
    #if defined(__GNUC__)
    #define FASTAUC_PREFETCH(place) __builtin_prefetch((place), 1)
    #define FASTAUC_PREFETCH_TO_READ(place) __builtin_prefetch(place)
    #else
    #define FASTAUC_PREFETCH(place) ((void) (place))
    #define FASTAUC_PREFETCH_TO_READ(place) ((void) (place))
    #endif

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
    const int32_t FASTAUC_KEEP[16]
    int bit_length "fastauc_bit_length"(uint64_t value) noexcept nogil
    void FASTAUC_PREFETCH(const void *place) noexcept nogil
    void FASTAUC_PREFETCH_TO_READ(const void *place) noexcept nogil
