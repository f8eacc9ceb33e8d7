# How the rows of a bucket are compared, for those of a small sample too.

from libc.stdint cimport uint32_t, uint64_t

from fastauc._kernels.partition cimport row_t


cdef struct tally_t:
    uint64_t not_above  # pairs with the negative at or below the positive
    uint64_t tied


cdef void compare_placed(
    row_t *rows, uint32_t n_neg, uint32_t n_pos, row_t *scratch, tally_t *tally
) noexcept nogil
