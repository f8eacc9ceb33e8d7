# Keys with what belongs to them, put in order for callers without Python too.

from libc.stdint cimport uint32_t, uint64_t

cdef struct pair_t:
    uint64_t key
    uint64_t companion

cdef void sort_pairs(pair_t *pairs, uint32_t n, pair_t *spare) noexcept nogil
