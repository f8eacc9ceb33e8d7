# Rows of a bucket or a group, the negatives first, and how they are compared.
#
# A row is the 32 bits of an offset, or the 64 bits of a score. The rows are handed on from the
# lowest up, in parts few enough for each positive to be compared with each negative.

from libc.stdint cimport int32_t, uint32_t, uint64_t

from fastauc._kernels.rank_sum cimport pairs_t

ctypedef fused row_t:
    int32_t
    uint64_t

# Adds rows to ``sums``, above those added so far. If they take too many comparisons it returns
# False and adds nothing, unless they are ``alike``: all equal.
ctypedef bint (*add_rows_t)(
    const void *rows,
    const uint64_t *weights,
    uint32_t n_neg,
    uint32_t n_pos,
    bint alike,
    void *sums,
) noexcept nogil

cdef void add_in_parts(
    row_t *rows,
    uint64_t *weights,
    uint32_t n_neg,
    uint32_t n_pos,
    row_t *spare,
    uint64_t *spare_weights,
    add_rows_t add,
    void *sums,
) noexcept nogil
cdef void compare_placed(
    row_t *rows, uint32_t n_neg, uint32_t n_pos, row_t *scratch, pairs_t *pairs
) noexcept nogil
