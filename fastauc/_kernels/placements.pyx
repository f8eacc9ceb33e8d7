"""Placements: how many rows of the other class are on the right side of a row.

A row's doubled placement among the rows of the other class is twice the number of them that it
beats, plus the number of them that it ties with, so it is an integer. Rows come sorted, as
``sorted_rows.SortedRows`` has them; a group is a run of rows of one score, and negatives are first
in it.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastauc._kernels.bucket_map cimport BLOCK, key_of, map_t, position_of_key, read_map, score_t
from fastauc._kernels.double_double cimport dd_add, dd_add_double, dd_t, dd_zero
from fastauc._kernels.wide_integers cimport wide_product, wide_sum, wide_t

cdef enum:
    # Values of a bucket that are compared one by one: few buckets have more.
    FEW_VALUES = 8

ctypedef fused packed_t:
    uint32_t
    uint64_t

ctypedef fused placement_t:
    int64_t
    double


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


# Groups -----------------------------------------------------------------------------------------


cdef inline uint64_t _value_of(packed_t row, bint is_high) noexcept nogil:
    """Return the key of a sorted row's score, as ``key_of`` has it."""
    return <uint64_t> (row >> 1) | <uint64_t> is_high << (8 * sizeof(packed_t) - 1)


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


def placements_of_groups(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    int64_t n_pos,
    uint64_t[::1] values,
    int64_t[:, ::1] by_group,
):
    """Write the key of each group, and the placement of its negatives and of its positives.

    ``by_group[group, label]``, for groups in increasing order. Assumes room for a group in each
    row, and ``n_pos`` positives. Returns how many groups there are.
    """
    cdef Py_ssize_t i = 0, end, n = packed.shape[0], group = 0, positives
    cdef int64_t negatives_below = 0, positives_above = n_pos
    with nogil:
        while i < n:
            end = _end_of_group(&packed[0], i, n_low if i < n_low else n, &positives)
            values[group] = _value_of(packed[i], i >= n_low)
            by_group[group, 0] = 2 * positives_above - positives
            by_group[group, 1] = 2 * negatives_below + (end - i - positives)
            positives_above -= positives
            negatives_below += end - i - positives
            group += 1
            i = end
    return group


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


def weigh_groups(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const double[::1] weight,
    uint64_t[::1] values,
    double[:, ::1] by_group,
):
    """Write the key of each group, and the weight on the right side of its rows, ties by half.

    As ``placements_of_groups``. Assumes rows and weights as ``sort_weighted_rows`` returns them.
    Positives are added up from above and negatives from below, so that small sums keep all their
    digits. Returns the number of groups and the weights of the negatives and of the positives.
    """
    cdef Py_ssize_t i = 0, end, n = packed.shape[0], group = 0, positives, n_groups
    cdef dd_t of_class[2]
    cdef dd_t negatives = dd_zero(), above = dd_zero()
    with nogil:
        while i < n:
            end = _end_of_group(&packed[0], i, n_low if i < n_low else n, &positives)
            _weigh_group(&packed[i], &weight[i], end - i, of_class)
            values[group] = _value_of(packed[i], i >= n_low)
            by_group[group, 1] = _half_way(negatives, of_class[0])
            negatives = dd_add(negatives, of_class[0])
            group += 1
            i = end
        n_groups = group
        while i > 0:
            group -= 1
            end = i
            while i > 0 and _value_of(packed[i - 1], i > n_low) == values[group]:
                i -= 1
            _weigh_group(&packed[i], &weight[i], end - i, of_class)
            by_group[group, 0] = _half_way(above, of_class[1])
            above = dd_add(above, of_class[1])
    return n_groups, negatives.hi, above.hi


# Rows -------------------------------------------------------------------------------------------


def start_buckets(
    const uint64_t[::1] values,
    const double[::1] line,
    const uint64_t[::1] pieces,
    uint32_t[::1] starts,
):
    """Write where the values of each bucket start, and at the end how many values there are.

    Assumes increasing values and a map of pieces.
    """
    cdef map_t buckets = read_map(line, pieces)
    cdef Py_ssize_t i, bucket = 0, n = values.shape[0]
    cdef Py_ssize_t found
    with nogil:
        for i in range(n):
            found = position_of_key(values[i], &buckets) >> 32
            while bucket <= found:
                starts[bucket] = i
                bucket += 1
        while bucket < starts.shape[0]:
            starts[bucket] = n
            bucket += 1


def find_placements(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    const uint32_t[::1] starts,
    const uint64_t[::1] values,
    const placement_t[:, ::1] by_group,
    placement_t[::1] found,
):
    """Write the placement of each row, found by the bucket and then by the key of its score.

    Assumes the starts of ``start_buckets``, scores that are all among the values, and after these 8
    more, none of which is below any key.
    """
    cdef map_t buckets = read_map(line, pieces)
    cdef uint64_t keys[BLOCK]
    cdef uint32_t bucket_of[BLOCK]
    cdef uint32_t first, size, half, below
    cdef Py_ssize_t start = 0, i, k, n = label.shape[0], length
    with nogil:
        while start < n:
            length = min(<Py_ssize_t> BLOCK, n - start)
            for i in range(length):
                keys[i] = key_of(&score[start + i])
                bucket_of[i] = position_of_key(keys[i], &buckets) >> 32
            for i in range(length):
                first = starts[bucket_of[i]]
                size = starts[bucket_of[i] + 1] - first
                while size > FEW_VALUES:
                    half = size >> 1
                    first += half if values[first + half] <= keys[i] else 0
                    size -= half
                # Values beyond those of the bucket are above the key, so none has to be left out.
                below = 0
                for k in range(FEW_VALUES):
                    below += values[first + k] < keys[i]
                found[start + i] = by_group[first + below, label[start + i]]
            start += length


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
