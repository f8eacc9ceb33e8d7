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
            # The first row of a group is taken without a comparison: whatever the scores are,
            # every round moves on.
            if j < 0 or (i >= 0 and positives[i, 0] > negatives[j, 0]):
                score = positives[i, 0]
                tp = dd_add_double(tp, positives[i, 1])
                i -= 1
            else:
                score = negatives[j, 0]
                fp = dd_add_double(fp, negatives[j, 1])
                j -= 1
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
