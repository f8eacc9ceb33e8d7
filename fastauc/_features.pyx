"""Columns of a matrix whose rows are beside each other in memory."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

ctypedef fused cell_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


def take_columns(const cell_t[:, :] matrix, cell_t[:, ::1] columns):
    """Copy every column of the matrix, row by row: each page of memory is visited once for all."""
    cdef Py_ssize_t row, column
    with nogil:
        for row in range(matrix.shape[0]):
            for column in range(matrix.shape[1]):
                columns[column, row] = matrix[row, column]
