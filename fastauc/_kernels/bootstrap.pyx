"""Numbers and curves of a replicate, from how many of its rows are on each step.

Steps are described in ``resampling``. A replicate is a count of positives and one of negatives for
each of them, or a sum of weights for each. Counts are summed in integers: no sum of products
reaches 2^63 if the rows are fewer than 2^32. Weights are summed in doubles, none of them negative:
within n_steps * 2^-51 of the exact sum at worst, if they add up to 2^400 or less.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from fastauc._kernels.precision_sum cimport add_precisions, precision_sum_t, precision_total

ctypedef fused mass_t:
    uint32_t
    double

# What they are summed in: int64_t for uint32_t.
ctypedef fused total_t:
    int64_t
    double

cdef enum:
    BLOCK = 512  # groups whose precisions are added while they are in the first cache


# Area -------------------------------------------------------------------------------------------


cdef inline void _add_step(
    total_t p, total_t n, bint is_tied, total_t *twice_u, total_t *fp, total_t *tp
) noexcept nogil:
    # A negative adds a trapezoid: its sides are the positives above it, and those as well that are
    # tied with it.
    cdef total_t before = tp[0]
    tp[0] += p
    fp[0] += n
    twice_u[0] += n * (tp[0] + (before if is_tied else tp[0]))


cdef void _add_area(
    const mass_t *pos, const mass_t *neg, const uint8_t *tied, Py_ssize_t n, total_t *sums
) noexcept nogil:
    cdef Py_ssize_t i
    cdef total_t twice_u = 0, fp = 0, tp = 0
    for i in range(n):
        _add_step(<total_t> pos[i], <total_t> neg[i], tied[i], &twice_u, &fp, &tp)
    sums[0] = twice_u
    sums[1] = fp
    sums[2] = tp


def twice_area(const mass_t[::1] pos, const mass_t[::1] neg, const uint8_t[::1] tied):
    """Return twice the area under the curve of ``fp`` and ``tp``, and both of them at its end."""
    cdef double masses[3]
    cdef int64_t counts[3]
    if mass_t is double:
        with nogil:
            _add_area(&pos[0], &neg[0], &tied[0], tied.shape[0], masses)
        return masses[0], masses[1], masses[2]
    else:
        with nogil:
            _add_area(&pos[0], &neg[0], &tied[0], tied.shape[0], counts)
        return counts[0], counts[1], counts[2]


cdef void _add_part(
    const mass_t *pos,
    const mass_t *neg,
    const uint8_t *tied,
    Py_ssize_t n,
    total_t most_fp,
    total_t *sums,
) noexcept nogil:
    cdef Py_ssize_t i = 0
    cdef total_t twice_u = 0, fp = 0, tp = 0, next_fp, next_tp
    while i < n and fp + <total_t> neg[i] <= most_fp:
        _add_step(<total_t> pos[i], <total_t> neg[i], tied[i], &twice_u, &fp, &tp)
        i += 1
    next_fp = fp
    next_tp = tp
    if i < n:
        next_fp = fp + <total_t> neg[i]
        next_tp = tp + <total_t> pos[i]
        tp = tp if tied[i] else next_tp
    sums[0] = twice_u
    sums[1] = fp
    sums[2] = tp
    sums[3] = next_fp
    sums[4] = next_tp


def partial_area(
    const mass_t[::1] pos, const mass_t[::1] neg, const uint8_t[::1] tied, double most_fp
):
    """Return twice the area to the last corner of the curve with at most ``most_fp``.

    Then ``fp, tp`` at this corner and at the next one. With counts ``most_fp`` is an integer.
    """
    cdef double masses[5]
    cdef int64_t counts[5]
    if mass_t is double:
        with nogil:
            _add_part(&pos[0], &neg[0], &tied[0], tied.shape[0], most_fp, masses)
        return masses[0], masses[1], masses[2], masses[3], masses[4]
    else:
        with nogil:
            _add_part(&pos[0], &neg[0], &tied[0], tied.shape[0], <int64_t> most_fp, counts)
        return counts[0], counts[1], counts[2], counts[3], counts[4]


# Kolmogorov-Smirnov -----------------------------------------------------------------------------


cdef total_t _compare(
    const mass_t *pos,
    const mass_t *neg,
    const uint8_t *tied,
    Py_ssize_t n,
    total_t n_pos,
    total_t n_neg,
) noexcept nogil:
    cdef Py_ssize_t i
    cdef total_t now = 0, middle, most = 0, least = 0
    for i in range(n):
        middle = now
        now += <total_t> pos[i] * n_neg
        # The corner between the positives and the negatives; none if they are tied.
        middle = middle if tied[i] else now
        most = max(most, middle)
        now -= <total_t> neg[i] * n_pos
        most = max(most, now)
        least = min(least, now)  # the corner between is above the one before
    return max(most, -least)


def greatest_difference(
    const mass_t[::1] pos,
    const mass_t[::1] neg,
    const uint8_t[::1] tied,
    mass_t n_pos,
    mass_t n_neg,
):
    """Return the largest |tp * n_neg - fp * n_pos|; assumes that these are the totals."""
    cdef double mass
    cdef int64_t count
    if mass_t is double:
        with nogil:
            mass = _compare(&pos[0], &neg[0], &tied[0], tied.shape[0], n_pos, n_neg)
        return mass
    else:
        with nogil:
            count = _compare(
                &pos[0],
                &neg[0],
                &tied[0],
                tied.shape[0],
                <int64_t> n_pos,
                <int64_t> n_neg,
            )
        return count


# Average precision ------------------------------------------------------------------------------


def sum_precision(const uint32_t[::1] pos, const uint32_t[::1] neg, const uint8_t[::1] tied):
    """Return the sum of the precisions of the positives, times 2^111; see ``precision_sum``.

    Assumes steps each with positives of one score only.
    """
    cdef int64_t tps[BLOCK]
    cdef int64_t ends[BLOCK]
    cdef int64_t fp = 0, tp = 0, before = 0
    cdef Py_ssize_t i, closed = 0
    cdef precision_sum_t total = precision_sum_t(0, 0, 0, 0)
    with nogil:
        for i in range(tied.shape[0]):
            tp += pos[i]
            tps[closed] = tp
            ends[closed] = tp + fp + (neg[i] if tied[i] else 0)
            fp += neg[i]
            closed += pos[i] > 0  # a step without positives is overwritten
            if closed == BLOCK:
                add_precisions(tps, ends, closed, before, &total)
                before = tps[BLOCK - 1]
                closed = 0
        add_precisions(tps, ends, closed, before, &total)
    return precision_total(&total)


def weigh_precision(const double[::1] pos, const double[::1] neg, const uint8_t[::1] tied):
    """Return the sum of precision times the growth of ``tp``, in doubles."""
    cdef double fp = 0.0, tp = 0.0, total = 0.0
    cdef Py_ssize_t i
    with nogil:
        for i in range(tied.shape[0]):
            tp += pos[i]
            if pos[i] > 0:
                total += pos[i] * (tp / (tp + fp + (neg[i] if tied[i] else 0.0)))
            fp += neg[i]
    return total


# Curve ------------------------------------------------------------------------------------------


cdef void _read_off(
    const mass_t *pos,
    const mass_t *neg,
    const uint8_t *tied,
    Py_ssize_t n_steps,
    const double *most_fp,
    const double *fps,
    Py_ssize_t n,
    total_t zero,
    double *tps,
) noexcept nogil:
    cdef Py_ssize_t i, found = 0
    cdef total_t fp = zero, tp = zero, end
    cdef double share
    for i in range(n_steps):
        end = fp + <total_t> neg[i]
        tp += <total_t> pos[i]
        while found < n and most_fp[found] < <double> end:
            share = 1.0
            if tied[i]:
                share = (fps[found] - <double> fp) / <double> neg[i]
                share = min(max(share, 0.0), 1.0)
            tps[found] = <double> tp - (1.0 - share) * <double> pos[i]
            found += 1
        fp = end
    while found < n:
        tps[found] = <double> tp
        found += 1


def true_positives_at(
    const mass_t[::1] pos,
    const mass_t[::1] neg,
    const uint8_t[::1] tied,
    const double[::1] most_fp,
    const double[::1] fps,
    double[::1] tps,
):
    """Write the height of the curve at each of ``fps``, where it rises upright the upper end.

    ``most_fp`` is the greatest count that is not beyond ``fps``, or ``fps`` itself with weights.
    Both never decrease.
    """
    cdef int64_t count = 0
    cdef double mass = 0.0
    cdef Py_ssize_t n = most_fp.shape[0]
    if mass_t is double:
        with nogil:
            _read_off(
                &pos[0],
                &neg[0],
                &tied[0],
                tied.shape[0],
                &most_fp[0],
                &fps[0],
                n,
                mass,
                &tps[0],
            )
    else:
        with nogil:
            _read_off(
                &pos[0],
                &neg[0],
                &tied[0],
                tied.shape[0],
                &most_fp[0],
                &fps[0],
                n,
                count,
                &tps[0],
            )
