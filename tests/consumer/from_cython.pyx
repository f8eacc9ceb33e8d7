"""What another package does with the API: areas of many samples, without the GIL."""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from fastauc cimport (
    FASTAUC_API_VERSION,
    api_version,
    concordance_float64,
    roc_auc_float32,
    scratch_size,
    weighted_roc_auc_float64,
)


def versions():
    return FASTAUC_API_VERSION, api_version()


def area(const uint8_t[::1] y_true, const float[::1] y_score):
    cdef size_t n_scratch = scratch_size(y_true.shape[0], sizeof(float), False)
    cdef void *scratch = malloc(n_scratch)
    cdef double result = 0.0
    cdef int status = roc_auc_float32(
        &y_true[0], &y_score[0], y_true.shape[0], scratch, n_scratch, &result
    )
    free(scratch)
    return status, result


def count(const uint8_t[::1] y_true, const double[::1] y_score):
    cdef uint64_t counts[4]
    cdef size_t n_scratch = scratch_size(y_true.shape[0], sizeof(double), False)
    cdef void *scratch = malloc(n_scratch)
    cdef int status
    with nogil:
        status = concordance_float64(
            &y_true[0], &y_score[0], y_true.shape[0], scratch, n_scratch, counts
        )
    free(scratch)
    return status, (counts[0], counts[1], counts[2], counts[3])


def weighted_area(
    const uint8_t[::1] y_true, const double[::1] y_score, const double[::1] sample_weight
):
    cdef double result = 0.0
    cdef size_t n_scratch = scratch_size(y_true.shape[0], sizeof(double), True)
    cdef void *scratch = malloc(n_scratch)
    cdef int status
    with nogil:
        status = weighted_roc_auc_float64(
            &y_true[0],
            &y_score[0],
            &sample_weight[0],
            y_true.shape[0],
            scratch,
            n_scratch,
            &result,
        )
    free(scratch)
    return status, result
