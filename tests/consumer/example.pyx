from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc

from fastauc cimport FASTAUC_BAD_SCRATCH, roc_auc_float64, scratch_size


def areas_of_columns(const uint8_t[::1] y_true, const double[:, ::1] columns, double[::1] areas):
    """Write the area of each row of a matrix; one scratch serves all."""
    cdef Py_ssize_t n = y_true.shape[0], k
    cdef size_t n_scratch = scratch_size(n, sizeof(double), False)
    cdef void *scratch = malloc(n_scratch)
    cdef int status = FASTAUC_BAD_SCRATCH
    with nogil:
        for k in range(columns.shape[0]):
            status = roc_auc_float64(
                &y_true[0], &columns[k, 0], n, scratch, n_scratch, &areas[k]
            )
            if status < 0:
                break
    free(scratch)
    return status
