# All rows as those of one bucket, for callers without Python too.

from libc.stdint cimport int32_t, int64_t, uint64_t

from fastauc._kernels.bucket_map cimport score_t
from fastauc._kernels.inputs cimport sample_t
from fastauc._kernels.rank_sum cimport pairs_t
from fastauc._kernels.weighted_rank_sum cimport sums_t

cdef enum:
    # Rows behind the last one that are read, and masked; see ``compare_placed``.
    SPARE_ROWS = 8
    LARGEST_FIXED_WEIGHT = 56  # bits, as in ``_pairs.weighted``

# Weights, and what becomes of them.
cdef struct weighing_t:
    const double *weight
    double units[2]  # of the negatives and of the positives
    uint64_t *fixed_weights  # room for twice the rows
    sums_t sums
    int64_t n_cut[2]  # rows of each class that lose a part of a unit

cdef bint compare_sample(
    const sample_t *sample, const score_t *score, int32_t *rows, pairs_t *pairs
) noexcept nogil
cdef bint weigh_sample(
    const sample_t *sample, const score_t *score, int32_t *rows, weighing_t *weighing
) noexcept nogil
