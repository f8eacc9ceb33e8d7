"""Concordant and tied pairs of two sorted classes: the Mann-Whitney statistic in integers."""

from libc.stdint cimport int64_t, uint64_t

from fastauc._double_double cimport (
    dd_add,
    dd_add_double,
    dd_multiply,
    dd_t,
    dd_zero,
)

ctypedef fused score_t:
    float
    double
    int64_t


def count_pairs(const score_t[::1] positives, const score_t[::1] negatives):
    """Return how many (positive, negative) pairs are concordant and how many are tied.

    Assumes both arrays are sorted in increasing order and free of NaN, and that the product of
    their lengths is below 2^64: every sum here is a number of pairs, so none of them wraps.
    """
    cdef Py_ssize_t n_pos = positives.shape[0], n_neg = negatives.shape[0]
    cdef Py_ssize_t i = 0, j = 0, i_next, j_next
    cdef uint64_t concordant = 0, tied = 0, below
    with nogil:
        while i < n_pos and j < n_neg:
            if positives[i] == negatives[j]:
                i_next = i + 1
                while i_next < n_pos and positives[i_next] == positives[i]:
                    i_next += 1
                j_next = j + 1
                while j_next < n_neg and negatives[j_next] == negatives[j]:
                    j_next += 1
                concordant += <uint64_t> (i_next - i) * <uint64_t> j
                tied += <uint64_t> (i_next - i) * <uint64_t> (j_next - j)
                i = i_next
                j = j_next
            else:
                # Which class comes next is a coin toss for a branch predictor: no branch. A
                # positive that is passed leaves exactly j negatives below it.
                below = negatives[j] < positives[i]
                concordant += <uint64_t> j & (below - 1)
                j += below
                i += 1 - below
        concordant += <uint64_t> (n_pos - i) * <uint64_t> j
    return concordant, tied


def weigh_pairs(const double[:, ::1] positives, const double[:, ::1] negatives):
    """Return twice the weight of the concordant pairs plus that of the tied ones, and both totals.

    Assumes rows of (score, weight) in increasing order of both, positive weights, and a largest
    weight of about 2^400 in each class: then no product overflows, and what underflows is less
    than 2^-1200 of the result's denominator, below every double. Returns three pairs ``(hi, lo)``
    whose sums are the numerator, the weight of the positives, and that of the negatives. The order
    of summation is the order of the rows, which depends on nothing but their values.
    """
    cdef Py_ssize_t n_pos = positives.shape[0], n_neg = negatives.shape[0]
    cdef Py_ssize_t i = 0, j = 0
    cdef double score
    cdef dd_t numerator = dd_zero(), weight_pos = dd_zero(), below = dd_zero()
    cdef dd_t group_pos, group_neg
    with nogil:
        while i < n_pos or j < n_neg:
            group_pos = group_neg = dd_zero()
            # The first row of a group is taken without a comparison: whatever the scores are,
            # every round moves on.
            if j == n_neg or (i < n_pos and positives[i, 0] < negatives[j, 0]):
                score = positives[i, 0]
                group_pos.hi = positives[i, 1]
                i += 1
            else:
                score = negatives[j, 0]
                group_neg.hi = negatives[j, 1]
                j += 1
            while i < n_pos and positives[i, 0] == score:
                group_pos = dd_add_double(group_pos, positives[i, 1])
                i += 1
            while j < n_neg and negatives[j, 0] == score:
                group_neg = dd_add_double(group_neg, negatives[j, 1])
                j += 1
            if group_pos.hi > 0.0:
                numerator = dd_add(
                    numerator,
                    dd_multiply(group_pos, dd_add(dd_add(below, below), group_neg)),
                )
                weight_pos = dd_add(weight_pos, group_pos)
            below = dd_add(below, group_neg)
    return (numerator.hi, numerator.lo), (weight_pos.hi, weight_pos.lo), (below.hi, below.lo)
