# How the rows of a bucket are weighed, for those of a small sample too.

from libc.stdint cimport uint32_t, uint64_t

from fastauc._kernels.partition cimport row_t
from fastauc._kernels.wide_integers cimport total_t, wide_t


cdef struct sums_t:
    total_t not_discordant  # twice the weight of the concordant pairs, plus that of the tied ones
    wide_t negatives  # passed so far
    wide_t positives


cdef double unit_of(double greatest, int exponent) noexcept nogil
cdef bint weigh_placed(
    row_t *rows,
    uint64_t *fixed_weights,
    uint32_t n_neg,
    uint32_t n_pos,
    row_t *spare_rows,
    uint64_t *spare_weights,
    sums_t *sums,
) noexcept nogil
cdef as_integers(const sums_t *sums)
