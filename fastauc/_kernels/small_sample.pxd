# All rows as those of one bucket, for callers without Python too.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from fastauc._kernels.bucket_map cimport score_t
from fastauc._kernels.buckets cimport tally_t
from fastauc._kernels.weighted_rank_sum cimport sums_t

cdef enum:
    # Rows behind the last one that are read, and masked; see ``compare_placed``.
    SPARE_ROWS = 8
    LARGEST_FIXED_WEIGHT = 56  # bits, as in ``_pairs.weighted``

cdef bint compare_sample(
    const uint8_t *label,
    const score_t *score,
    Py_ssize_t n,
    Py_ssize_t n_pos,
    score_t low,
    score_t high,
    int32_t *rows,
    tally_t *tally,
) noexcept nogil
cdef bint weigh_sample(
    const uint8_t *label,
    const score_t *score,
    const double *weight,
    Py_ssize_t n,
    Py_ssize_t n_pos,
    score_t low,
    score_t high,
    double unit_neg,
    double unit_pos,
    int32_t *rows,
    uint64_t *fixed_weights,
    sums_t *sums,
    int64_t *n_cut,
) noexcept nogil
