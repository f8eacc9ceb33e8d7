"""Columns of a matrix whose rows are beside each other in memory."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

ctypedef fused bucket_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define FASTAUC_PREFETCH_BUCKET(place) __builtin_prefetch(place)
    #else
    #define FASTAUC_PREFETCH_BUCKET(place) ((void) 0)
    #endif
    """
    void FASTAUC_PREFETCH_BUCKET(const void *place) noexcept nogil

cdef enum:
    # Rows between the one that is read and the one that is asked for. A row is another page, so
    # no processor sees it coming.
    AHEAD = 16


def take_columns(const bucket_t[:, :] matrix, bucket_t[:, ::1] columns):
    """Copy every column of the matrix, row by row: each page of memory is visited once for all.

    Assumes rows of at most two cache lines.
    """
    cdef Py_ssize_t row, column, n_rows = matrix.shape[0], last = matrix.shape[1] - 1
    with nogil:
        for row in range(n_rows):
            if row + AHEAD < n_rows:
                FASTAUC_PREFETCH_BUCKET(&matrix[row + AHEAD, 0])
                FASTAUC_PREFETCH_BUCKET(&matrix[row + AHEAD, last])
            for column in range(matrix.shape[1]):
                columns[column, row] = matrix[row, column]
