# What the kernel for small samples shares with the passes over the input.

from libc.stdint cimport uint8_t

from fastauc._kernels.bucket_map cimport score_t

# What is known of rows whose labels are 0 and 1.
cdef struct sample_t:
    const uint8_t *label
    Py_ssize_t n
    Py_ssize_t n_pos
    double low  # score; of integers, both are 0
    double high

# Labels and scores in the memory of their arrays.
cdef struct rows_t:
    Py_buffer y_true
    Py_buffer y_score
    char score_type  # of float64 "d", float32 "f", int64 "q"
    sample_t sample  # of clean ones

cdef Py_ssize_t find_range(
    const score_t *values, Py_ssize_t n, score_t *low, score_t *high
) noexcept nogil
cdef bint open_rows(object y_true, object y_score, rows_t *rows) except -1
cdef void close_rows(rows_t *rows) noexcept
cdef bint find_clean(rows_t *rows, uint8_t *codes) noexcept nogil
cdef double find_extremes(
    const uint8_t *label, const double *weight, Py_ssize_t n, double *lowest, double *highest
) noexcept nogil
