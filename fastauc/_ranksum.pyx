"""Concordant and tied pairs of sorted rows: the Mann-Whitney statistic in integers."""

from libc.stdint cimport uint32_t, uint64_t

from fastauc._double_double cimport (
    dd_add,
    dd_add_double,
    dd_multiply,
    dd_t,
    dd_zero,
)

ctypedef fused packed_t:
    uint32_t
    uint64_t


cdef struct pairs_t:
    uint64_t not_above  # negatives at or below a positive, summed over the positives
    uint64_t tied
    uint64_t negatives  # passed so far


cdef void _count_region(const packed_t *packed, Py_ssize_t n, pairs_t *pairs) noexcept nogil:
    # No branch depends on a row: which class comes next is a coin toss for a branch predictor.
    cdef Py_ssize_t i
    cdef uint64_t not_above = 0, tied = 0, negatives = pairs.negatives, before = negatives
    cdef uint64_t positive
    cdef packed_t score, last = 0
    for i in range(n):
        positive = packed[i] & 1
        score = packed[i] >> 1
        # Negatives are first among equals: those after 'before' are tied with the positives.
        before = before if score == last else negatives
        last = score
        not_above += negatives & (0 - positive)
        tied += (negatives - before) & (0 - positive)
        negatives += 1 - positive
    pairs.not_above += not_above
    pairs.tied += tied
    pairs.negatives = negatives


def count_pairs(const packed_t[::1] packed, Py_ssize_t n_low):
    """Return how many (positive, negative) pairs are concordant and how many are tied.

    Assumes rows as ``ordering.SortedRows`` has them, and fewer than 2^64 pairs: every sum here is
    a number of pairs, so none of them wraps.
    """
    cdef pairs_t pairs = pairs_t(0, 0, 0)
    with nogil:
        _count_region(&packed[0], n_low, &pairs)
        _count_region(&packed[0] + n_low, packed.shape[0] - n_low, &pairs)
    return pairs.not_above - pairs.tied, pairs.tied


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
