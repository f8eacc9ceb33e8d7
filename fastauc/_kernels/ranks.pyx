"""Mid-ranks of scores, from one sort of integers that hold a score and the number of its row."""

from libc.stdint cimport uint64_t


def pack_rows(
    const uint64_t[::1] keys, uint64_t low, int shift, int row_bits, uint64_t[::1] packed
):
    """Write the top bits of each key less ``low``, and below them the number of the row.

    Assumes that no key is below ``low``, that row numbers have ``row_bits`` bits at most, and that
    the greatest key less ``low`` leaves so many of 64 free once it is shifted.
    """
    cdef Py_ssize_t i
    with nogil:
        for i in range(keys.shape[0]):
            packed[i] = ((keys[i] - low) >> shift) << row_bits | <uint64_t> i


cdef void _sort_by_key(
    uint64_t *rows, Py_ssize_t n, const uint64_t *keys, uint64_t mask
) noexcept nogil:
    # In place, without recursion, and never worse than n^(4/3) with these gaps (Sedgewick, J.
    # Algorithms 7 (1986) 159: 4^k + 3 2^(k - 1) + 1). Most runs are two or three rows.
    cdef Py_ssize_t k = 0, gap, i, j
    cdef uint64_t row, key
    while (<Py_ssize_t> 1 << (2 * k)) < n:
        k += 1
    while k >= 0:
        gap = 1
        if k > 0:
            gap = (<Py_ssize_t> 1 << (2 * k)) + 3 * (<Py_ssize_t> 1 << (k - 1)) + 1
        for i in range(gap, n):
            row = rows[i]
            key = keys[row & mask]
            j = i
            while j >= gap and keys[rows[j - gap] & mask] > key:
                rows[j] = rows[j - gap]
                j -= gap
            rows[j] = row
        k -= 1


cdef inline bint _are_tied(
    const uint64_t *rows, Py_ssize_t n, const uint64_t *keys, uint64_t mask
) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint64_t key = keys[rows[0] & mask]
    for i in range(1, n):
        if keys[rows[i] & mask] != key:
            return False
    return True


cdef inline void _add_rank(
    const uint64_t *rows,
    Py_ssize_t start,
    Py_ssize_t stop,
    uint64_t mask,
    double weight,
    double *total,
) noexcept nogil:
    """Add the mean of the ranks start + 1 to stop to each of these rows."""
    cdef Py_ssize_t i
    cdef double rank = weight * (0.5 * <double> (start + stop + 1))
    for i in range(start, stop):
        total[rows[i] & mask] += rank


def add_ranks(
    uint64_t[::1] packed,
    const uint64_t[::1] keys,
    int row_bits,
    bint is_whole,
    double weight,
    double[::1] total,
):
    """Add to each row ``weight`` times its rank from 1 on, tied rows sharing the mean of theirs.

    Assumes sorted rows as ``pack_rows`` makes them. ``is_whole`` says that no bit of a key was
    shifted out; otherwise rows that agree in the others are put in the order of their keys here.
    """
    cdef Py_ssize_t start = 0, stop, first, last, n = packed.shape[0]
    cdef uint64_t mask = (<uint64_t> 1 << row_bits) - 1
    cdef uint64_t *rows = &packed[0]
    with nogil:
        while start < n:
            stop = start + 1
            while stop < n and rows[stop] >> row_bits == rows[start] >> row_bits:
                stop += 1
            if is_whole or stop - start == 1 or _are_tied(
                rows + start, stop - start, &keys[0], mask
            ):
                _add_rank(rows, start, stop, mask, weight, &total[0])
            else:
                _sort_by_key(rows + start, stop - start, &keys[0], mask)
                first = start
                while first < stop:
                    last = first + 1
                    while last < stop and keys[rows[last] & mask] == keys[rows[first] & mask]:
                        last += 1
                    _add_rank(rows, first, last, mask, weight, &total[0])
                    first = last
            start = stop
