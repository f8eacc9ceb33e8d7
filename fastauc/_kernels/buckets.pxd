# How the rows of a bucket are compared, for those of a small sample too.

from libc.stdint cimport int32_t, uint32_t, uint64_t


cdef struct tally_t:
    uint64_t not_above  # pairs with the negative at or below the positive
    uint64_t tied


cdef void compare_placed(
    int32_t *rows, uint32_t n_neg, uint32_t n_pos, int32_t *scratch, tally_t *tally
) noexcept nogil
