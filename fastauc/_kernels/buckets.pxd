# Rows of a bucket or a group, and how they are compared.
#
# A row is the 32 bits of an offset, or the 64 bits of a score. The rows are handed on from the
# lowest up, in parts few enough for each positive to be compared with each negative.

from libc.stdint cimport int32_t, uint32_t, uint64_t

from fastauc._kernels.rank_sum cimport pairs_t

ctypedef fused row_t:
    int32_t
    uint64_t

cdef enum:
    # Pairs of whole scores that are compared one by one: more, and it is quicker to split the rows.
    FEW_PAIRS_OF_KEYS = 512

# The negatives first.
cdef struct part_t:
    void *rows
    uint64_t *weights  # NULL if there are none
    uint32_t n_neg
    uint32_t n_pos

# Adds rows to ``sums``, above those added so far. If they take too many comparisons it returns
# False and adds nothing, unless they are ``alike``: all equal.
ctypedef bint (*add_rows_t)(const part_t *part, bint alike, void *sums) noexcept nogil

cdef void add_in_parts(
    const part_t *part, row_t *spare, uint64_t *spare_weights, add_rows_t add, void *sums
) noexcept nogil


cdef inline void add_rows(
    const part_t *part, row_t *spare, uint64_t *spare_weights, add_rows_t add, void *sums
) noexcept nogil:
    """Let ``add`` have rows at once or, if they take too many comparisons, in parts.

    As many spare places are used, and both arrays may be overwritten; so may those of weights.
    """
    if not add(part, False, sums):
        add_in_parts(part, spare, spare_weights, add, sums)


cdef void compare_placed(const part_t *part, row_t *spare, pairs_t *pairs) noexcept nogil
