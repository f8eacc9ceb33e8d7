"""From the counts at every threshold: points, areas, sums of precisions, the convex hull.

Both functions take counts of false and true positives that never decrease, below 2^500, with a
true positive in the last, and return the sum of precision times the growth of ``tps``. The false
positives may be scaled, to the prevalence of another population. Every term is a product and a
quotient of sums without cancelation, a few units of the last place from its exact value; they are
added up in double-double.
"""

from libc.stdint cimport int64_t, uint64_t

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
from fastauc._kernels.precision_sum cimport add_precisions, precision_sum_t, precision_total
from fastauc._kernels.wide_integers cimport wide_product, wide_t

ctypedef fused count_t:
    int64_t
    double

cdef enum:
    BLOCK = 512


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
    """Return the sum of precision times the growth of ``tps``, times 2^111; see ``precision_sum``.

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
                total = dd_add(total, dd_multiply(dd_quotient(found, tps[i] + fps[i]), growth))
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
            total = dd_add(total, dd_multiply(two_sum(fps[i], -fp), two_sum(tps[i], tp)))
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


# Between the points of the precision-recall curve -------------------------------------------------


def linear_area(const double[::1] fps, const double[::1] tps):
    """Return the sum under straight lines between the points, from (0, 1) on."""
    cdef Py_ssize_t i
    cdef double precision, last = 1.0, found = 0.0
    cdef dd_t total = dd_zero()
    with nogil:
        for i in range(tps.shape[0]):
            if tps[i] + fps[i] > 0.0:
                precision = tps[i] / (tps[i] + fps[i])
                total = dd_add_double(total, (tps[i] - found) * (0.5 * (last + precision)))
                last = precision
                found = tps[i]
    return total.hi


cdef inline double _mean_between(
    double first, double step, double below, double width
) noexcept nogil:
    """Return the mean precision over rows from ``below`` to ``below + width``.

    The precision of the rows below is ``first``, and that of the new ones ``step``, evenly: this is
    the mean over t of (first * below + step * t) / (below + t). With z = width / (2 below + width),

        mean = first L + step (1 - L),  L = log(1 + width / below) / (width / below)
                                          = (1 - z) (1 + z^2 / 3 + z^4 / 5 + ...).

    Assumes ``width`` <= ``below``, hence z <= 1/3. The series is not left to a library, whose last
    bits depend on the processor; and 1 - L is not a difference from 1.
    """
    cdef double z = width / (below + (below + width)), square = z * z, tail = 0.0
    cdef int k = 18 if square > 0.001 else 5  # (1/9)^18 and 0.001^6 are below 2^-56
    while k > 0:
        tail = square * (1.0 / (2 * k + 1) + tail)
        k -= 1
    return first * ((1.0 - z) * (1.0 + tail)) + step * (z + (z * tail - tail))


def curved_area(const double[::1] fps, const double[::1] tps):
    """Return the sum under the curve whose false positives grow evenly with the true ones.

    That is where the straight line between two points of the ROC curve comes to lie. A step in
    which the rows more than double is cut into parts, so that every series is short.
    """
    cdef Py_ssize_t i
    cdef double tp = 0.0, fp = 0.0, growth, width, step, part, rows, found
    cdef dd_t total = dd_zero()
    with nogil:
        for i in range(tps.shape[0]):
            growth = tps[i] - tp
            width = growth + (fps[i] - fp)
            if growth > 0.0:
                step = growth / width
                rows = tp + fp
                found = tp
                if rows == 0.0:
                    total = dd_add_double(total, growth * step)
                    width = 0.0
                while width > 0.0:
                    part = min(width, rows)
                    total = dd_add_double(
                        total, part * step * _mean_between(found / rows, step, rows, part)
                    )
                    found += part * step
                    rows += part
                    width -= part
            tp = tps[i]
            fp = fps[i]
    return total.hi
