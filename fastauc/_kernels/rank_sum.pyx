"""Rank-sum AUC: the share of the pairs of a positive and a negative that are in order.

Walk over sorted rows from the lowest score up, and count the negatives passed so far. A positive
has beaten all negatives of lower scores, and ties with those of its own score. Added up over all
positives, with one half for a tie, this is U, the statistic of Mann and Whitney; the rank sum of
the positives is U + n_pos (n_pos + 1) / 2. The area under the ROC curve is U / (n_pos * n_neg).

Twice U is a whole number, so pairs are counted in integers, and the one division at the end rounds
once. ``buckets`` and ``small_sample`` count the same pairs without a sort.
"""

from libc.stdint cimport int64_t, uint64_t

from fastauc._kernels.double_double cimport dd_add, dd_add_double, dd_multiply, dd_t, dd_zero


# Pairs --------------------------------------------------------------------------------------------


cdef void count_region(const packed_t *packed, Py_ssize_t n, pairs_t *pairs) noexcept nogil:
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

    Assumes rows as ``sorted_rows.SortedRows`` has them, and fewer than 2^64 pairs: every sum here
    is a number of pairs, so none of them wraps.
    """
    cdef pairs_t pairs = pairs_t(0, 0, 0)
    with nogil:
        count_region(&packed[0], n_low, &pairs)
        count_region(&packed[0] + n_low, packed.shape[0] - n_low, &pairs)
    return pairs.not_above - pairs.tied, pairs.tied


# Weights ------------------------------------------------------------------------------------------


cdef void weigh_region(
    const packed_t *packed,
    const double *weight,
    Py_ssize_t n,
    double unit_pos,
    double unit_neg,
    weights_t *sums,
) noexcept nogil:
    cdef Py_ssize_t i = 0
    cdef packed_t score
    cdef dd_t positive, negative
    while i < n:
        score = packed[i] >> 1
        positive = dd_zero()
        negative = dd_zero()
        while i < n and packed[i] >> 1 == score:
            if packed[i] & 1:
                positive = dd_add_double(positive, weight[i] * unit_pos)
            else:
                negative = dd_add_double(negative, weight[i] * unit_neg)
            i += 1
        if positive.hi > 0.0:
            sums.not_discordant = dd_add(
                sums.not_discordant,
                dd_multiply(positive, dd_add(dd_add(sums.negatives, sums.negatives), negative)),
            )
            sums.positives = dd_add(sums.positives, positive)
        sums.negatives = dd_add(sums.negatives, negative)


def weigh_pairs(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const double[::1] weight,
    double unit_pos,
    double unit_neg,
):
    """Return twice the weight of the concordant pairs plus that of the tied ones, and both totals.

    Assumes rows as ``sorted_rows.SortedRows`` has them. The weights of each class are multiplied by
    its unit, a power of two that brings the greatest of them near 2^400: then no product
    overflows, and what underflows is less than 2^-1200 of the result's denominator, below every
    double. Returns three pairs ``(hi, lo)`` whose sums are the numerator, the weight of the
    positives, and that of the negatives. The order of summation is that of the rows, which depends
    on nothing but their values.
    """
    cdef weights_t sums
    sums.not_discordant = sums.positives = sums.negatives = dd_zero()
    with nogil:
        weigh_region(&packed[0], &weight[0], n_low, unit_pos, unit_neg, &sums)
        weigh_region(
            &packed[0] + n_low,
            &weight[0] + n_low,
            packed.shape[0] - n_low,
            unit_pos,
            unit_neg,
            &sums,
        )
    return (
        (sums.not_discordant.hi, sums.not_discordant.lo),
        (sums.positives.hi, sums.positives.lo),
        (sums.negatives.hi, sums.negatives.lo),
    )


# Pairs of a class and each of the others ----------------------------------------------------------


cdef uint64_t _compare_sorted(
    const uint64_t *high, Py_ssize_t n_high, const uint64_t *low, Py_ssize_t n_low
) noexcept nogil:
    """Return twice the pairs with ``high`` above ``low``, plus the equal ones."""
    cdef Py_ssize_t i, below = 0, not_above = 0
    cdef uint64_t twice_u = 0
    for i in range(n_high):
        while below < n_low and low[below] < high[i]:
            below += 1
        not_above = max(not_above, below)
        while not_above < n_low and low[not_above] <= high[i]:
            not_above += 1
        twice_u += <uint64_t> (below + not_above)
    return twice_u


def compare_with_classes(
    const uint64_t[::1] keys, const int64_t[::1] bounds, Py_ssize_t chosen, uint64_t[::1] twice_u
):
    """Write twice the pairs with the chosen class above each of the others, plus the tied ones.

    Class k has the keys from ``bounds[k]`` to ``bounds[k + 1]``, in increasing order. Assumes fewer
    than 2^63 pairs.
    """
    cdef Py_ssize_t other
    cdef int64_t first = bounds[chosen], stop = bounds[chosen + 1]
    with nogil:
        for other in range(twice_u.shape[0]):
            if other != chosen:
                twice_u[other] = _compare_sorted(
                    &keys[0] + first,
                    stop - first,
                    &keys[0] + bounds[other],
                    bounds[other + 1] - bounds[other],
                )
