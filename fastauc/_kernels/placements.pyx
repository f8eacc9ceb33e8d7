"""Placements: how many rows of the other class are on the right side of a row.

A row's doubled placement among the rows of the other class is twice the number of them that it
beats, plus the number of them that it ties with, so it is an integer. Rows come sorted, as
``sorted_rows.SortedRows`` has them; a group is a run of rows of one score, and negatives are first
in it.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastauc._kernels.double_double cimport dd_add, dd_add_double, dd_t, dd_zero
from fastauc._kernels.wide_integers cimport wide_product, wide_sum, wide_t

ctypedef fused packed_t:
    uint32_t
    uint64_t


cdef struct squares_t:
    uint64_t negatives  # passed so far
    uint64_t positives
    uint64_t twice_u  # doubled placements of the positives
    uint64_t tied
    wide_t of_positives  # their squares
    wide_t of_negatives  # squares of what the negatives lack


cdef void _square_region(const packed_t *packed, Py_ssize_t n, squares_t *sums) noexcept nogil:
    # No branch depends on a row, as in rank_sum. A negative lacks 2 P of its doubled placement for
    # P positives below it, and 1 for each that it ties with. These come after it: when one does,
    # the square of what each of the tied negatives lacks grows from q^2 to (q + 1)^2, by 2 q + 1.
    cdef Py_ssize_t i
    cdef uint64_t negatives = sums.negatives, positives = sums.positives
    cdef uint64_t negatives_below = negatives, positives_below = positives
    cdef uint64_t positive, doubled, tied, lack
    cdef packed_t score, last = 0
    for i in range(n):
        positive = packed[i] & 1
        score = packed[i] >> 1
        negatives_below = negatives_below if score == last else negatives
        positives_below = positives_below if score == last else positives
        last = score
        doubled = (negatives + negatives_below) & (0 - positive)
        tied = negatives - negatives_below
        lack = positives + positives_below
        sums.twice_u += doubled
        sums.tied += tied & (0 - positive)
        sums.of_positives = wide_sum(sums.of_positives, wide_product(doubled, doubled))
        sums.of_negatives = wide_sum(
            sums.of_negatives,
            wide_product(tied if positive else lack, 2 * lack + 1 if positive else lack),
        )
        positives += positive
        negatives += 1 - positive
    sums.negatives = negatives
    sums.positives = positives


cdef _as_integer(wide_t value):
    return <object> value.high << 64 | value.low


def sum_squares(const packed_t[::1] packed, Py_ssize_t n_low):
    """Return the doubled placements of the positives added up, the tied pairs, and two sums.

    Those are of the squares of these placements, and those of what each negative lacks to the
    placement of a negative below all positives. Assumes fewer than 2^32 rows: every sum is below
    2^97.
    """
    cdef squares_t sums
    sums.negatives = sums.positives = sums.twice_u = sums.tied = 0
    sums.of_positives.low = sums.of_positives.high = 0
    sums.of_negatives = sums.of_positives
    with nogil:
        _square_region(&packed[0], n_low, &sums)
        _square_region(&packed[0] + n_low, packed.shape[0] - n_low, &sums)
    return sums.twice_u, sums.tied, _as_integer(sums.of_positives), _as_integer(sums.of_negatives)


# Rows -------------------------------------------------------------------------------------------


cdef inline Py_ssize_t _end_of_group(
    const packed_t *packed, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t *n_pos
) noexcept nogil:
    """Return where the group ends that begins at ``start``, and count its positives."""
    cdef Py_ssize_t i = start
    cdef packed_t score = packed[start] >> 1
    n_pos[0] = 0
    while i < stop and packed[i] >> 1 == score:
        n_pos[0] += packed[i] & 1
        i += 1
    return i


def write_placements(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const uint64_t[::1] rows,
    int64_t n_pos,
    int64_t[::1] placements,
):
    """Write the doubled placement of each row; ``rows`` are the numbers of the sorted ones.

    Assumes ``n_pos`` positives.
    """
    cdef Py_ssize_t i = 0, k, end, n = packed.shape[0], positives
    cdef int64_t negatives_below = 0, positives_above = n_pos
    cdef int64_t of_class[2]
    with nogil:
        while i < n:
            end = _end_of_group(&packed[0], i, n_low if i < n_low else n, &positives)
            of_class[0] = 2 * positives_above - positives
            of_class[1] = 2 * negatives_below + (end - i - positives)
            positives_above -= positives
            negatives_below += end - i - positives
            for k in range(i, end):
                placements[rows[k]] = of_class[packed[k] & 1]
            i = end


cdef inline Py_ssize_t _start_of_group(
    const packed_t *packed, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return where the group begins that ends at ``stop``, in rows from ``start`` on."""
    cdef Py_ssize_t i = stop - 1
    cdef packed_t score = packed[i] >> 1
    while i > start and packed[i - 1] >> 1 == score:
        i -= 1
    return i


cdef inline void _weigh_group(
    const packed_t *packed, const double *weight, Py_ssize_t n, dd_t *of_class
) noexcept nogil:
    cdef Py_ssize_t i
    of_class[0] = of_class[1] = dd_zero()
    for i in range(n):
        of_class[packed[i] & 1] = dd_add_double(of_class[packed[i] & 1], weight[i])


cdef inline double _half_way(dd_t before, dd_t group) noexcept nogil:
    """Return the weight of all before a group and half of that of the group."""
    group.hi *= 0.5
    group.lo *= 0.5
    return dd_add(before, group).hi


def weigh_placements(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const uint64_t[::1] rows,
    const double[::1] weight,
    double[::1] placements,
):
    """Write the weight on the right side of each row, ties by half.

    Otherwise as ``write_placements``, with the weights of the sorted rows. Positives are added up
    from above and negatives from below, so that small sums keep all their digits. Returns the
    weights of the negatives and of the positives.
    """
    cdef Py_ssize_t i = 0, k, end, n = packed.shape[0], positives
    cdef dd_t of_class[2]
    cdef dd_t negatives = dd_zero(), above = dd_zero()
    cdef double placement
    with nogil:
        while i < n:
            end = _end_of_group(&packed[0], i, n_low if i < n_low else n, &positives)
            _weigh_group(&packed[i], &weight[i], end - i, of_class)
            placement = _half_way(negatives, of_class[0])
            for k in range(i, end):
                if packed[k] & 1:
                    placements[rows[k]] = placement
            negatives = dd_add(negatives, of_class[0])
            i = end
        while i > 0:
            end = i
            i = _start_of_group(&packed[0], n_low if i > n_low else 0, end)
            _weigh_group(&packed[i], &weight[i], end - i, of_class)
            placement = _half_way(above, of_class[1])
            for k in range(i, end):
                if not packed[k] & 1:
                    placements[rows[k]] = placement
            above = dd_add(above, of_class[1])
    return negatives.hi, above.hi


def sum_products_by_class(
    const uint8_t[::1] label, const int64_t[::1] a, const int64_t[::1] b
):
    """Return what ``sum_products`` does of the negatives and of the positives."""
    cdef Py_ssize_t i
    cdef wide_t total, positives
    total.low = total.high = 0
    positives = total
    with nogil:
        for i in range(label.shape[0]):
            total = wide_sum(total, wide_product(a[i], b[i]))
            # No branch: which class comes next is a coin toss for a branch predictor.
            positives = wide_sum(
                positives, wide_product(a[i] & (0 - <int64_t> label[i]), b[i])
            )
    return _as_integer(total) - _as_integer(positives), _as_integer(positives)


def sum_products(const int64_t[::1] a, const int64_t[::1] b):
    """Return the sum of the products of two arrays of one length, without a negative number.

    Assumes that it is below 2^128.
    """
    cdef Py_ssize_t i
    cdef wide_t total
    total.low = total.high = 0
    with nogil:
        for i in range(a.shape[0]):
            total = wide_sum(total, wide_product(a[i], b[i]))
    return _as_integer(total)
