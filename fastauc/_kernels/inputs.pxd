# What the kernel for small samples shares with the passes over the input.

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from fastauc._kernels.bucket_map cimport score_t

ctypedef fused label_t:
    int8_t
    uint8_t
    int32_t
    int64_t
    float
    double

# The usual dtypes of labels; those of NumPy's bool are bytes.
ctypedef fused zero_one_t:
    uint8_t
    int64_t
    double

cdef Py_ssize_t find_range(
    const score_t *values, Py_ssize_t n, score_t *low, score_t *high
) noexcept nogil
cdef Py_ssize_t encode(
    const label_t *y_true,
    Py_ssize_t n,
    uint8_t *codes,
    label_t *lower,
    label_t *higher,
    int64_t *n_higher,
) noexcept nogil
cdef int64_t count_clean(
    const zero_one_t[:] y_true,
    const score_t[:] y_score,
    uint8_t *codes,
    score_t *low,
    score_t *high,
) noexcept nogil
cdef double find_extremes(
    const uint8_t *label, const double *weight, Py_ssize_t n, double *lowest, double *highest
) noexcept nogil
