"""Pairs within groups, in integers, and the exact mean of areas.

The rows of a group are beside each other, the negatives first, each as the 64 bits of its score in
the order of the scores. So every pair that counts is one of two neighboring ranges.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.buckets cimport compare_placed, tally_t
from fastauc._kernels.partition cimport PARTS, find_range, split_rows, twice_below
from fastauc._kernels.wide_integers cimport add_product, total_t, wide_product, wide_t

cdef enum:
    # Pairs that are compared one by one: more of them, and it is quicker to split the rows.
    FEW_PAIRS = 512


# Pairs --------------------------------------------------------------------------------------------


def compare_groups(
    uint64_t[::1] keys,
    const uint32_t[::1] ends,
    uint32_t least_large,
    uint64_t[::1] spare,
    uint64_t[::1] twice_u,
):
    """Write twice the number of the concordant pairs of each group, plus that of the tied ones.

    Groups of ``least_large`` rows or more are passed over. Assumes keys and ends as
    ``grouping.arrange_part`` leaves them, and in ``spare`` as many places as keys; both are
    overwritten. No group has 2^32 rows, so no number of pairs wraps.
    """
    cdef Py_ssize_t group
    cdef uint32_t first = 0, middle, last
    cdef tally_t tally
    with nogil:
        for group in range(twice_u.shape[0]):
            middle = ends[2 * group]
            last = ends[2 * group + 1]
            if last - first < least_large:
                tally = tally_t(0, 0)
                compare_placed(
                    &keys[0] + first, middle - first, last - middle, &spare[0], &tally
                )
                twice_u[group] = 2 * tally.not_above - tally.tied
            first = last


# Placements ---------------------------------------------------------------------------------------


cdef struct placements_t:
    uint64_t n_pos
    uint64_t negatives  # passed so far
    uint64_t positives
    uint64_t twice_u
    total_t squares_pos  # of twice the number of negatives below a positive, plus the equal ones
    total_t squares_neg  # of twice the number of positives above a negative, plus the equal ones


cdef inline void _place_alike(uint32_t n_neg, uint32_t n_pos, placements_t *sums) noexcept nogil:
    """Add rows that are equal all, or of one class all."""
    cdef uint64_t below = 2 * sums.negatives + n_neg
    cdef uint64_t above = 2 * (sums.n_pos - sums.positives) - n_pos
    sums.twice_u += below * n_pos
    add_product(&sums.squares_pos, n_pos, wide_product(below, below))
    add_product(&sums.squares_neg, n_neg, wide_product(above, above))


cdef inline void _place_few(
    const uint64_t *keys, uint32_t n_neg, uint32_t n_pos, placements_t *sums
) noexcept nogil:
    cdef uint32_t i
    cdef uint64_t below, above
    for i in range(n_neg, n_neg + n_pos):
        below = 2 * sums.negatives + twice_below(keys, n_neg, keys[i])
        sums.twice_u += below
        add_product(&sums.squares_pos, 1, wide_product(below, below))
    for i in range(n_neg):
        # Of the rows of this part, twice those that are above and the equal ones once.
        above = 2 * (sums.n_pos - sums.positives) - twice_below(keys + n_neg, n_pos, keys[i])
        add_product(&sums.squares_neg, 1, wide_product(above, above))


cdef void _place_all(
    uint64_t *keys, uint32_t n_neg, uint32_t n_pos, uint64_t *spare, placements_t *sums
) noexcept nogil:
    """Add the placements of rows, in the order of their keys; otherwise as ``buckets.compare_placed``."""
    cdef uint32_t ends[2 * PARTS]
    cdef uint32_t part, n_parts, first = 0, middle, last, n = n_neg + n_pos
    cdef uint64_t low, high
    if n == 0:
        return
    find_range(keys, n, &low, &high)
    if n_neg == 0 or n_pos == 0 or low == high:
        _place_alike(n_neg, n_pos, sums)
    elif <uint64_t> n_neg * n_pos <= FEW_PAIRS:
        _place_few(keys, n_neg, n_pos, sums)
    else:
        n_parts = split_rows(
            keys, <const uint64_t *> NULL, n_neg, n, low, high, ends, spare, NULL
        )
        for part in range(n_parts):
            middle = ends[2 * part]
            last = ends[2 * part + 1]
            _place_all(spare + first, middle - first, last - middle, keys + first, sums)
            first = last
        return
    sums.negatives += n_neg
    sums.positives += n_pos


cdef inline double _spread(uint64_t n, const total_t *squares, uint64_t twice_u) noexcept nogil:
    """Return n times the sum of squares less the square of the sum, rounded at the end.

    Placements are at most twice the size of the other class: with less than 2^32 rows in the group
    the first term is below 2^128, and it is not below the second.
    """
    cdef total_t scaled = total_t(0, 0, 0)
    cdef wide_t whole, square = wide_product(twice_u, twice_u)
    whole.low = squares.low
    whole.high = squares.middle
    add_product(&scaled, n, whole)
    scaled.middle -= square.high + (scaled.low < square.low)
    scaled.low -= square.low
    return <double> scaled.middle * 18446744073709551616.0 + <double> scaled.low


def place_groups(
    uint64_t[::1] keys,
    const uint32_t[::1] ends,
    uint64_t[::1] spare,
    uint64_t[::1] twice_u,
    double[:, ::1] spreads,
):
    """Do what ``compare_groups`` does, and write how the placements of each class spread.

    The placement of a positive is twice the number of negatives below it plus that of the equal
    ones; that of a negative, of positives above. ``spreads[group, label]`` is the size of the class
    times the sum of the squares of its placements, less the square of their sum.
    """
    cdef Py_ssize_t group
    cdef uint32_t first = 0, middle, last
    cdef placements_t sums
    with nogil:
        for group in range(twice_u.shape[0]):
            middle = ends[2 * group]
            last = ends[2 * group + 1]
            memset(&sums, 0, sizeof(sums))
            sums.n_pos = last - middle
            _place_all(&keys[0] + first, middle - first, last - middle, &spare[0], &sums)
            twice_u[group] = sums.twice_u
            spreads[group, 0] = _spread(middle - first, &sums.squares_neg, sums.twice_u)
            spreads[group, 1] = _spread(last - middle, &sums.squares_pos, sums.twice_u)
            first = last


# Means --------------------------------------------------------------------------------------------


cdef inline wide_t _quotient(uint64_t twice_u, uint64_t pairs, bint *is_exact) noexcept nogil:
    """Return 2^126 twice / pairs without its fraction; assumes 0 < pairs < 2^63."""
    cdef wide_t quotient
    cdef uint64_t rest = twice_u % pairs
    # So many bits at a time that a rest, which is less than the pairs, has room for them.
    cdef int width = 42 if pairs < <uint64_t> 1 << 22 else 21 if pairs < <uint64_t> 1 << 43 else 1
    cdef int _step
    quotient.low = twice_u // pairs
    quotient.high = 0
    for _step in range(126 // width):
        rest <<= width
        quotient.high = quotient.high << width | quotient.low >> (64 - width)
        quotient.low = quotient.low << width | rest // pairs
        rest %= pairs
    is_exact[0] = rest == 0
    return quotient


def add_quotients(
    const uint64_t[::1] twice_u, const uint64_t[::1] pairs, const uint64_t[::1] weight
):
    """Return the weighted sum of 2^126 twice / pairs without their fractions.

    And the sum of the weights of those that have one. Assumes no pairs to be 0, less than 2^63 of
    them, ``twice_u`` at most twice that, and weights that add up to less than 2^64.
    """
    cdef Py_ssize_t i
    cdef total_t total = total_t(0, 0, 0)
    cdef uint64_t inexact = 0
    cdef bint is_exact = True
    with nogil:
        for i in range(twice_u.shape[0]):
            add_product(&total, weight[i], _quotient(twice_u[i], pairs[i], &is_exact))
            inexact += 0 if is_exact else weight[i]
    return (
        <object> total.high << 128 | <object> total.middle << 64 | total.low,
        inexact,
    )
