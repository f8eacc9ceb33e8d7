"""Counts at every distinct threshold, from two sorted classes, and sums along them."""

from libc.stdint cimport int64_t

from fastauc._double_double cimport (
    dd_add,
    dd_add_double,
    dd_multiply,
    dd_quotient,
    dd_t,
    dd_zero,
    two_sum,
)

ctypedef fused score_t:
    float
    double
    int64_t

ctypedef fused count_t:
    int64_t
    double


def merge_counts(
    const score_t[::1] positives,
    const score_t[::1] negatives,
    int64_t[::1] fps,
    int64_t[::1] tps,
    score_t[::1] thresholds,
):
    """Write the counts of rows at or above each distinct score, from the highest score down.

    Assumes both classes are sorted in increasing order and not both empty, and that each output
    has room for every row. Returns the number of distinct scores.
    """
    cdef Py_ssize_t i = positives.shape[0] - 1, j = negatives.shape[0] - 1, m = 0
    cdef int64_t fp = 0, tp = 0, is_positive
    cdef score_t value, last
    with nogil:
        if j < 0 or (i >= 0 and positives[i] > negatives[j]):
            last = positives[i]
        else:
            last = negatives[j]
        while i >= 0 and j >= 0:
            # Without a branch on the class: a row of the current group overwrites the counts
            # written by the row before it, and only a new value moves on.
            is_positive = positives[i] >= negatives[j]
            value = positives[i] if is_positive else negatives[j]
            m += value != last
            last = value
            tp += is_positive
            fp += 1 - is_positive
            i -= is_positive
            j -= 1 - is_positive
            thresholds[m] = value
            tps[m] = tp
            fps[m] = fp
        while i >= 0:
            m += positives[i] != last
            last = positives[i]
            tp += 1
            i -= 1
            thresholds[m] = last
            tps[m] = tp
            fps[m] = fp
        while j >= 0:
            m += negatives[j] != last
            last = negatives[j]
            fp += 1
            j -= 1
            thresholds[m] = last
            tps[m] = tp
            fps[m] = fp
    return m + 1


def merge_weights(
    const double[:, ::1] positives,
    const double[:, ::1] negatives,
    double[::1] fps,
    double[::1] tps,
    double[::1] thresholds,
):
    """Do the same as ``merge_counts`` with rows of (score, weight), sorted by both.

    Each sum is carried in double-double and rounded once; the order of summation is the order of
    the rows, which depends on nothing but their values.
    """
    cdef Py_ssize_t i = positives.shape[0] - 1, j = negatives.shape[0] - 1, m = 0
    cdef double score
    cdef dd_t fp = dd_zero(), tp = dd_zero()
    with nogil:
        while i >= 0 or j >= 0:
            if j < 0 or (i >= 0 and positives[i, 0] > negatives[j, 0]):
                score = positives[i, 0]
            else:
                score = negatives[j, 0]
            while i >= 0 and positives[i, 0] == score:
                tp = dd_add_double(tp, positives[i, 1])
                i -= 1
            while j >= 0 and negatives[j, 0] == score:
                fp = dd_add_double(fp, negatives[j, 1])
                j -= 1
            thresholds[m] = score
            # fl(hi + w) >= hi for w >= 0, and the low part can move the rounded sum back by one
            # unit at most: the maximum keeps the counts from ever decreasing.
            tps[m] = tp.hi if m == 0 else max(tps[m - 1], tp.hi)
            fps[m] = fp.hi if m == 0 else max(fps[m - 1], fp.hi)
            m += 1
    return m


def corner_positions(const count_t[::1] fps, const count_t[::1] tps, int64_t[::1] positions):
    """Write the positions where the step of either count changes, with the first and the last.

    Assumes at least one point, equal lengths, and room for every position. Returns how many.
    """
    cdef Py_ssize_t i, n = fps.shape[0], kept = 1
    with nogil:
        positions[0] = 0
        for i in range(1, n - 1):
            positions[kept] = i
            kept += (
                (fps[i + 1] - fps[i]) - (fps[i] - fps[i - 1]) != 0
                or (tps[i + 1] - tps[i]) - (tps[i] - tps[i - 1]) != 0
            )
        if n > 1:
            positions[kept] = n - 1
            kept += 1
    return kept


def sum_precision(const count_t[::1] fps, const count_t[::1] tps):
    """Return the sum of precision times the growth of ``tps``, as a pair (hi, lo).

    Assumes counts below 2^53 where they are integers, that they never decrease, and that
    ``fps + tps`` is positive everywhere.
    """
    cdef Py_ssize_t i, n = fps.shape[0]
    cdef double found, before = 0.0
    cdef dd_t term, total = dd_zero()
    with nogil:
        for i in range(n):
            found = <double> tps[i]
            if found != before:
                term = dd_quotient(found, <double> (tps[i] + fps[i]))
                total = dd_add(total, dd_multiply(term, two_sum(found, -before)))
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
