"""Mid-ranks of scores in order."""

from libc.stdint cimport uint64_t


def add_ranks(
    const uint64_t[::1] keys, const uint64_t[::1] rows, double weight, double[::1] total
):
    """Add to each row ``weight`` times its rank from 1 on, tied rows sharing the mean of theirs.

    Assumes keys in increasing order, and the rows whose scores they are.
    """
    cdef Py_ssize_t start = 0, stop, i, n = keys.shape[0]
    cdef double rank
    with nogil:
        while start < n:
            stop = start + 1
            while stop < n and keys[stop] == keys[start]:
                stop += 1
            # The mean of start + 1 to stop.
            rank = weight * (0.5 * <double> (start + stop + 1))
            for i in range(start, stop):
                total[rows[i]] += rank
            start = stop
