# Four integers of 32 bits at a time, on every processor for which there is GCC or Clang.

from libc.stdint cimport int32_t

cdef extern from *:
    """
    #include <stdint.h>

    #if defined(__GNUC__)
    typedef int32_t fastauc_lanes_t __attribute__((vector_size(16)));
    typedef int32_t fastauc_loose_t __attribute__((vector_size(16), aligned(4), may_alias));
    #endif

    /* From place 8 - n on: a mask that keeps the first n of 8 lanes. */
    static const int32_t FASTAUC_KEEP[16] = {
        -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    """
    const int32_t FASTAUC_KEEP[16]
