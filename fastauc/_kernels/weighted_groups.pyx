"""The weight of pairs within groups, in units as in ``weighted_rank_sum``.

Rows are as in ``groups``, each with a weight.
"""

from libc.math cimport frexp, ldexp
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.double_double cimport (
    dd_add,
    dd_add_double,
    dd_divide,
    dd_multiply,
    dd_t,
    dd_zero,
)
from fastauc._kernels.weighted_rank_sum cimport sums_t, weigh_placed

cdef enum:
    LARGEST_FIXED_WEIGHT = 56  # bits


cdef inline double _as_fixed_weights(
    const double *weight, uint32_t n, uint64_t *fixed_weights, uint32_t *n_cut, uint32_t *n_lost
) noexcept nogil:
    """Write the weights of one class in units; return how many of these make 1.

    Counts the weights of which a part of a unit is cut off, and those of which nothing is left.
    """
    cdef uint32_t i
    cdef int exponent = 0
    cdef double highest = 0.0, per_unit, whole
    for i in range(n):
        highest = max(highest, weight[i])
    frexp(highest, &exponent)
    per_unit = ldexp(1.0, min(1000, LARGEST_FIXED_WEIGHT - exponent))
    for i in range(n):
        whole = weight[i] * per_unit
        fixed_weights[i] = <int64_t> whole
        n_cut[0] += <double> <int64_t> whole < whole
        n_lost[0] += fixed_weights[i] == 0
    return per_unit


cdef inline dd_t _as_dd(uint64_t low, uint64_t middle, uint64_t high) noexcept nogil:
    """Return an integer up to 2^-100 of itself: halves of words are exact."""
    cdef dd_t value = dd_zero()
    value = dd_add_double(value, <double> (high >> 32) * 2.0 ** 160)
    value = dd_add_double(value, <double> (high & <uint64_t> 0xFFFFFFFF) * 2.0 ** 128)
    value = dd_add_double(value, <double> (middle >> 32) * 2.0 ** 96)
    value = dd_add_double(value, <double> (middle & <uint64_t> 0xFFFFFFFF) * 2.0 ** 64)
    value = dd_add_double(value, <double> (low >> 32) * 2.0 ** 32)
    return dd_add_double(value, <double> (low & <uint64_t> 0xFFFFFFFF))


cdef inline bint _divide(const sums_t *sums, double *area) noexcept nogil:
    """Write the area, rounded once; return whether the rounding is sure."""
    cdef dd_t part = _as_dd(
        sums.not_discordant.low, sums.not_discordant.middle, sums.not_discordant.high
    )
    cdef dd_t negatives = _as_dd(sums.negatives.low, sums.negatives.high, 0)
    cdef dd_t positives = _as_dd(sums.positives.low, sums.positives.high, 0)
    return dd_divide(part, dd_multiply(negatives, dd_add(positives, positives)), area)


def weigh_groups(
    uint64_t[::1] keys,
    const double[::1] weight,
    const uint32_t[::1] ends,
    uint64_t[:, ::1] spare,
    double[::1] area,
    double[:, ::1] totals,
    uint8_t[::1] unsure,
):
    """Write the area of each group, and the weights of its classes to ``totals[group, label]``.

    Assumes weights above 0 beside keys as ``compare_groups`` has them, and three rows of as many
    places in ``spare``. A group gets marked ``unsure`` if its area may not be the one to which the
    exact area is rounded once: its weights are of too wide a range for units, or the quotient is
    too close to the middle of two doubles. Without both classes the area is left as it is.
    """
    cdef Py_ssize_t group
    cdef uint32_t first = 0, middle, last
    cdef uint32_t cut[2]
    cdef uint32_t lost
    cdef uint64_t *fixed_weights = &spare[0, 0]
    cdef double per_unit[2]
    cdef double negatives, positives, loss
    cdef sums_t sums
    with nogil:
        for group in range(area.shape[0]):
            middle = ends[2 * group]
            last = ends[2 * group + 1]
            cut[0] = cut[1] = lost = 0
            memset(&sums, 0, sizeof(sums))
            per_unit[0] = _as_fixed_weights(
                &weight[0] + first, middle - first, fixed_weights, &cut[0], &lost
            )
            per_unit[1] = _as_fixed_weights(
                &weight[0] + middle, last - middle, fixed_weights + (middle - first), &cut[1], &lost
            )
            weigh_placed(
                &keys[0] + first,
                fixed_weights,
                middle - first,
                last - middle,
                &spare[1, 0],
                &spare[2, 0],
                &sums,
            )
            negatives = _as_dd(sums.negatives.low, sums.negatives.high, 0).hi
            positives = _as_dd(sums.positives.low, sums.positives.high, 0).hi
            totals[group, 0] = negatives / per_unit[0]
            totals[group, 1] = positives / per_unit[1]
            unsure[group] = lost > 0
            if middle > first and last > middle and lost == 0:
                # As ``weighted_pairs`` allows, and no area of 0 loses anything.
                unsure[group] = not _divide(&sums, &area[group])
                loss = cut[0] / negatives + cut[1] / positives
                if area[group] > 0 and loss * 4503599627370497.0 > area[group]:
                    unsure[group] = 1
            first = last
