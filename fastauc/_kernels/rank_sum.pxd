# Pairs and sums of double-doubles along the sorted rows, for those that are sorted elsewhere too.

from libc.stdint cimport uint32_t, uint64_t

from fastauc._kernels.double_double cimport dd_t

# Rows as ``sorted_rows.SortedRows`` has them.
ctypedef fused packed_t:
    uint32_t
    uint64_t


cdef struct pairs_t:
    uint64_t not_above  # negatives at or below a positive, summed over the positives
    uint64_t tied
    uint64_t negatives  # passed so far


cdef struct weights_t:
    dd_t not_discordant  # twice the weight of the concordant pairs, plus that of the tied ones
    dd_t positives  # passed so far
    dd_t negatives


cdef void count_region(const packed_t *packed, Py_ssize_t n, pairs_t *pairs) noexcept nogil
cdef weights_t weigh_sorted(
    const packed_t *packed,
    Py_ssize_t n_low,
    Py_ssize_t n,
    const double *weight,
    double unit_pos,
    double unit_neg,
) noexcept nogil
