"""Counts at every distinct threshold, from sorted rows, and sums along them."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastauc._kernels.double_double cimport (
    dd_add,
    dd_add_double,
    dd_multiply,
    dd_quotient,
    dd_t,
    dd_zero,
    two_product,
    two_sum,
)
from fastauc._kernels.precision cimport add_precisions, precision_sum_t, precision_total
from fastauc._kernels.wide cimport wide_product, wide_t

ctypedef fused packed_t:
    uint32_t
    uint64_t

ctypedef fused count_t:
    int64_t
    double

cdef enum:
    BLOCK = 512


cdef Py_ssize_t _count_region(
    const packed_t *packed,
    Py_ssize_t n,
    packed_t flip,
    int64_t *fps,
    int64_t *tps,
    packed_t *last_place,
    int64_t fp,
    int64_t tp,
) noexcept nogil:
    cdef Py_ssize_t i, m = 0
    cdef int64_t positive
    cdef packed_t score, last
    if n == 0:
        return 0
    last = packed[n - 1] >> 1
    for i in range(n - 1, -1, -1):
        # A row of the current group overwrites the counts written by the row before it; only a
        # new score moves on.
        positive = packed[i] & 1
        score = packed[i] >> 1
        m += score != last
        last = score
        tp += positive
        fp += 1 - positive
        tps[m] = tp
        fps[m] = fp
        last_place[-m] = score ^ flip
    return m + 1


cdef void _reverse(packed_t *keys, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n // 2):
        keys[i], keys[n - 1 - i] = keys[n - 1 - i], keys[i]


def count_thresholds(
    packed_t[::1] packed,
    Py_ssize_t n_low,
    packed_t flip,
    int64_t[::1] fps,
    int64_t[::1] tps,
):
    """Write the counts of rows at or above each distinct score, from the highest score down.

    Assumes rows as ``ordering.SortedRows`` has them, at least one, and outputs with room for
    every row. Returns the number of distinct scores; their bits take the place of the first rows in
    ``packed``. ``flip`` is ``ordering.flip_of_low``.
    """
    cdef Py_ssize_t n = packed.shape[0], m_high, m_low
    cdef int64_t fp = 0, tp = 0
    cdef packed_t *rows = &packed[0]
    with nogil:
        # The scan comes from the end, and there are no more scores than rows passed: first the
        # scores take the place of the last rows.
        m_high = _count_region(
            rows + n_low, n - n_low, 0, &fps[0], &tps[0], rows + n - 1, fp, tp
        )
        if m_high:
            fp = fps[m_high - 1]
            tp = tps[m_high - 1]
        m_low = _count_region(
            rows,
            n_low,
            flip,
            &fps[0] + m_high,
            &tps[0] + m_high,
            rows + n - 1 - m_high,
            fp,
            tp,
        )
        _reverse(rows, n)
    return m_high + m_low


cdef Py_ssize_t _weigh_region(
    const packed_t *packed,
    const double *weight,
    Py_ssize_t n,
    packed_t flip,
    double *fps,
    double *tps,
    packed_t *last_place,
    dd_t *fp,
    dd_t *tp,
) noexcept nogil:
    cdef Py_ssize_t i, m = 0
    cdef double least_fp = fp.hi, least_tp = tp.hi
    cdef packed_t score, last
    if n == 0:
        return 0
    last = packed[n - 1] >> 1
    for i in range(n - 1, -1, -1):
        score = packed[i] >> 1
        m += score != last
        last = score
        if packed[i] & 1:
            tp[0] = dd_add_double(tp[0], weight[i])
        else:
            fp[0] = dd_add_double(fp[0], weight[i])
        # fl(hi + w) >= hi for w >= 0, and the low part can move the rounded sum back by one unit
        # at most: the maximum keeps the counts from ever decreasing.
        least_tp = max(least_tp, tp.hi)
        least_fp = max(least_fp, fp.hi)
        tps[m] = least_tp
        fps[m] = least_fp
        last_place[-m] = score ^ flip
    return m + 1


def weigh_thresholds(
    packed_t[::1] packed,
    Py_ssize_t n_low,
    packed_t flip,
    const double[::1] weight,
    double[::1] fps,
    double[::1] tps,
):
    """Do the same as ``count_thresholds`` with the weights of the rows.

    Each sum is carried in double-double and rounded once; the order of summation is that of the
    rows, which depends on nothing but their values.
    """
    cdef Py_ssize_t n = packed.shape[0], m_high, m_low
    cdef dd_t fp = dd_zero(), tp = dd_zero()
    cdef packed_t *rows = &packed[0]
    with nogil:
        m_high = _weigh_region(
            rows + n_low,
            &weight[0] + n_low,
            n - n_low,
            0,
            &fps[0],
            &tps[0],
            rows + n - 1,
            &fp,
            &tp,
        )
        m_low = _weigh_region(
            rows,
            &weight[0],
            n_low,
            flip,
            &fps[0] + m_high,
            &tps[0] + m_high,
            rows + n - 1 - m_high,
            &fp,
            &tp,
        )
        _reverse(rows, n)
    return m_high + m_low


def roc_points(
    const count_t[::1] fps,
    const count_t[::1] tps,
    const double[::1] thresholds,
    bint drop_intermediate,
    double[::1] fpr,
    double[::1] tpr,
    double[::1] kept_thresholds,
):
    """Write the rates and thresholds of the ROC curve after its first point; return how many.

    Assumes at least one point, and outputs with room for every point and one more, of which the
    first place is left alone. With ``drop_intermediate``, points whose two steps before and behind
    are equal are left out, but never the first or the last. Rates of an empty class are 0 / 0.
    """
    cdef Py_ssize_t i, last = fps.shape[0] - 1, kept = 1
    cdef count_t step_fp, step_tp, next_fp = 0, next_tp = 0
    cdef double n_pos = <double> tps[last], n_neg = <double> fps[last]
    cdef bint keep_all = not drop_intermediate or last < 2
    with nogil:
        for i in range(last + 1):
            step_fp = next_fp
            step_tp = next_tp
            if i < last:
                next_fp = fps[i + 1] - fps[i]
                next_tp = tps[i + 1] - tps[i]
            fpr[kept] = <double> fps[i] / n_neg
            tpr[kept] = <double> tps[i] / n_pos
            kept_thresholds[kept] = thresholds[i]
            # Not "or": which points are kept is a coin toss for a branch predictor.
            kept += (
                keep_all | (i == 0) | (i == last) | (next_fp != step_fp) | (next_tp != step_tp)
            )
    return kept - 1


def sum_precision(const int64_t[::1] fps, const int64_t[::1] tps):
    """Return the sum of precision times the growth of ``tps``, times 2^111; see ``_precision``.

    Assumes counts below 2^53 that never decrease.
    """
    cdef int64_t grown[BLOCK]
    cdef int64_t rows[BLOCK]
    cdef int64_t before = 0, last = 0
    cdef Py_ssize_t i, m, start = 0, stop, n = fps.shape[0]
    cdef precision_sum_t total = precision_sum_t(0, 0, 0, 0)
    with nogil:
        while start < n:
            stop = min(start + BLOCK, n)
            m = 0
            for i in range(start, stop):
                grown[m] = tps[i]
                rows[m] = fps[i] + tps[i]
                m += tps[i] != last
                last = tps[i]
            add_precisions(grown, rows, m, before, &total)
            before = last
            start = stop
    return precision_total(&total)


def weigh_precision(const double[::1] fps, const double[::1] tps, double unit):
    """Return the sum of precision times the growth of ``tps`` times ``unit``, as a pair (hi, lo).

    Assumes sums of weights that never decrease, that ``fps + tps`` is positive everywhere, and a
    power of two that brings the last of ``tps`` below 2^900.
    """
    cdef Py_ssize_t i, n = fps.shape[0]
    cdef double found, before = 0.0
    cdef dd_t growth, total = dd_zero()
    with nogil:
        for i in range(n):
            found = tps[i]
            if found != before:
                growth = two_sum(found * unit, -before * unit)
                total = dd_add(
                    total, dd_multiply(dd_quotient(found, tps[i] + fps[i]), growth)
                )
                before = found
    return total.hi, total.lo


def twice_area(const double[::1] fps, const double[::1] tps):
    """Return twice the area under the polyline from (0, 0), as a pair (hi, lo).

    Assumes counts that never decrease: every term is non-negative.
    """
    cdef Py_ssize_t i, n = fps.shape[0]
    cdef double fp = 0.0, tp = 0.0
    cdef dd_t total = dd_zero()
    with nogil:
        for i in range(n):
            total = dd_add(
                total, dd_multiply(two_sum(fps[i], -fp), two_sum(tps[i], tp))
            )
            fp = fps[i]
            tp = tps[i]
    return total.hi, total.lo


cdef inline bint _is_below(
    count_t run, count_t rise, count_t next_run, count_t next_rise
) noexcept nogil:
    """Return whether rise / run is no steeper than next_rise / next_run, exactly for integers.

    Assumes differences of counts, which are never negative.
    """
    cdef wide_t left, right
    cdef dd_t first, second
    if count_t is double:
        first = two_product(rise, next_run)
        second = two_product(next_rise, run)
        return first.hi < second.hi or (first.hi == second.hi and first.lo <= second.lo)
    else:
        left = wide_product(<uint64_t> rise, <uint64_t> next_run)
        right = wide_product(<uint64_t> next_rise, <uint64_t> run)
        return left.high < right.high or (left.high == right.high and left.low <= right.low)


def hull_corners(const count_t[::1] fps, const count_t[::1] tps, int64_t[::1] corners):
    """Write the positions of the corners of the upper convex hull after (0, 0); return how many.

    Assumes counts that never decrease, at least one, sums of weights below 2^500, and room for
    every position. A point is taken back as soon as the line to the next one is no flatter than
    the line to it: so no three corners are on a line.
    """
    cdef Py_ssize_t i, n = fps.shape[0], last = 0
    cdef count_t fp, tp, run, rise
    with nogil:
        for i in range(n):
            while last > 0:
                fp = fps[corners[last - 2]] if last > 1 else 0
                tp = tps[corners[last - 2]] if last > 1 else 0
                run = fps[corners[last - 1]] - fp
                rise = tps[corners[last - 1]] - tp
                if not _is_below(
                    run, rise, fps[i] - fps[corners[last - 1]], tps[i] - tps[corners[last - 1]]
                ):
                    break
                last -= 1
            corners[last] = i
            last += 1
    return last
