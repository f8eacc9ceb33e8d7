# How rows with keys of 64 bits are weighed, for those of a sample without groups too.

from libc.stdint cimport uint32_t, uint64_t

from fastauc._kernels.weighted_rank_sum cimport sums_t

cdef void weigh_keys(
    uint64_t *keys,
    uint64_t *fixed_weights,
    uint32_t n_neg,
    uint32_t n_pos,
    uint64_t *spare_keys,
    uint64_t *spare_weights,
    sums_t *sums,
) noexcept nogil
