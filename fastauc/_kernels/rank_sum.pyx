"""Rank-sum AUC: the share of the pairs of a positive and a negative that are in order.

Walk over sorted rows from the lowest score up, and count the negatives passed so far. A positive
has beaten all negatives of lower scores, and ties with those of its own score. Added up over all
positives, with one half for a tie, this is U, the statistic of Mann and Whitney; the rank sum of
the positives is U + n_pos (n_pos + 1) / 2. The area under the ROC curve is U / (n_pos * n_neg).

Twice U is a whole number, so pairs are counted in integers, and the one division at the end rounds
once. ``buckets`` and ``small_sample`` count the same pairs without a sort.

What else is one sweep along sorted scores: mid-ranks, and the hinge losses over all pairs. That of
the losses carries from row to row the coefficients of the polynomial that the pairs of a row add up
to: T. Rust and T. Hocking, "A log-linear gradient descent algorithm for unbalanced binary
classification using the all pairs squared hinge loss", arXiv 2302.11062. They are kept as sums over
the pairs, and the sweep goes the way in which every gap grows: no sum is ever a difference of two
others.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fastauc._kernels.double_double cimport (
    dd_add,
    dd_add_double,
    dd_multiply,
    dd_t,
    dd_zero,
    two_product,
    two_sum,
)


# Pairs --------------------------------------------------------------------------------------------


def count_pairs(const packed_t[::1] packed):
    """Return the pairs not above and those tied, and the rows of each class.

    Assumes rows of one run of ``sorted_rows.SortedRows``, and fewer than 2^64 pairs: every sum here
    is a number of pairs, so none of them wraps.
    """
    # No branch depends on a row: which class comes next is a coin toss for a branch predictor.
    cdef Py_ssize_t i, n = packed.shape[0]
    cdef uint64_t not_above = 0, tied = 0, negatives = 0
    cdef uint64_t positive, n_tied = 0  # negatives of the same score
    cdef packed_t score, last = 0
    with nogil:
        for i in range(n):
            positive = packed[i] & 1
            score = packed[i] >> 1
            # Negatives are first among equals.
            n_tied &= 0 - <uint64_t> (score == last)
            last = score
            not_above += negatives & (0 - positive)
            tied += n_tied & (0 - positive)
            n_tied += 1 - positive
            negatives += 1 - positive
    return not_above, tied, negatives, n - negatives


# Weights ------------------------------------------------------------------------------------------


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
    with nogil:
        sums = weigh_sorted(&packed[0], n_low, packed.shape[0], &weight[0], unit_pos, unit_neg)
    return (
        (sums.not_discordant.hi, sums.not_discordant.lo),
        (sums.positives.hi, sums.positives.lo),
        (sums.negatives.hi, sums.negatives.lo),
    )


# Pairs of sorted keys ----------------------------------------------------------------------------


cdef pairs_t _count_keys(const uint64_t[::1] neg, const uint64_t[::1] pos) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0, first_neg, first_pos, n_neg = neg.shape[0], n_pos = pos.shape[0]
    cdef uint64_t key, is_lower
    cdef pairs_t pairs = pairs_t(0, 0, n_neg)
    while i < n_neg and j < n_pos:
        key = pos[j]
        if neg[i] == key:
            first_neg, first_pos = i, j
            while j < n_pos and pos[j] == key:
                j += 1
            while i < n_neg and neg[i] == key:
                i += 1
            pairs.not_above += <uint64_t> i * <uint64_t> (j - first_pos)
            pairs.tied += <uint64_t> (i - first_neg) * <uint64_t> (j - first_pos)
            continue
        # A step on either side without a branch, as it is the labels that would decide it.
        is_lower = neg[i] < key
        pairs.not_above += <uint64_t> i & (is_lower - 1)
        i += is_lower
        j += 1 - is_lower
    pairs.not_above += <uint64_t> n_neg * <uint64_t> (n_pos - j)
    return pairs


def count_pairs_of_keys(const uint64_t[::1] neg, const uint64_t[::1] pos):
    """Return how many pairs have a lower negative, and how many are tied.

    Assumes keys in increasing order, and fewer than 2^64 pairs.
    """
    cdef pairs_t pairs
    with nogil:
        pairs = _count_keys(neg, pos)
    return pairs.not_above - pairs.tied, pairs.tied


def compare_with_classes(
    const uint64_t[::1] keys, const int64_t[::1] bounds, Py_ssize_t chosen, uint64_t[::1] twice_u
):
    """Write twice the pairs with the chosen class above each of the others, plus the tied ones.

    Class k has the keys from ``bounds[k]`` to ``bounds[k + 1]``, in increasing order. Assumes fewer
    than 2^63 pairs.
    """
    cdef const uint64_t[::1] pos = keys[bounds[chosen]:bounds[chosen + 1]]
    cdef Py_ssize_t other
    cdef pairs_t pairs
    with nogil:
        for other in range(twice_u.shape[0]):
            if other != chosen:
                pairs = _count_keys(keys[bounds[other]:bounds[other + 1]], pos)
                twice_u[other] = 2 * pairs.not_above - pairs.tied


# Mid-ranks ----------------------------------------------------------------------------------------


def add_ranks(const uint64_t[::1] keys, const uint64_t[::1] rows, double weight, double[::1] total):
    """Add to each row ``weight`` times its rank from 1 on, tied rows sharing the mean of theirs.

    Assumes keys in increasing order, and the rows whose scores they are.
    """
    cdef Py_ssize_t start = 0, stop, i, n = keys.shape[0]
    cdef double rank
    with nogil:
        while start < n:
            stop = start + 1
            while stop < n and keys[stop] == keys[start]:
                stop += 1
            # The mean of start + 1 to stop.
            rank = weight * (0.5 * <double> (start + stop + 1))
            for i in range(start, stop):
                total[rows[i]] += rank
            start = stop


# Pairwise losses ----------------------------------------------------------------------------------


cdef inline double _gap(double other, double point, double margin) noexcept nogil:
    """Return other + margin - point, with the right sign and an error of 2^-52 of it at the most.

    Both sums are exact. Where their high parts cancel, so does the low part of the second, and the
    rest is as exact: a difference of two numbers within a factor of two of each other (Sterbenz).
    """
    cdef dd_t apart = two_sum(other, -point), gap = two_sum(apart.hi, margin)
    return gap.hi + (gap.lo + apart.lo)


def sum_hinge_losses(
    const double[::1] points,
    const double[::1] point_weights,
    const double[::1] others,
    const double[::1] other_weights,
    double margin,
    bint squared,
    double[::1] slopes,
):
    """Return the weighted sum of max(0, other + margin - point), or of its squares, over all pairs.

    ``slopes`` takes, for each point, the weight of the others that have such a gap to it, or the
    weighted sum of the gaps if squared. Assumes both in decreasing order, numbers below 2^400 in
    magnitude, positive weights of at most 1, and as many weights and slopes as there are rows.
    """
    cdef Py_ssize_t i, j = 0, m = others.shape[0]
    cdef double gap
    cdef dd_t step, twice_u, weight = dd_zero(), gaps = dd_zero(), squares = dd_zero()
    cdef dd_t loss, total = dd_zero()
    with nogil:
        for i in range(points.shape[0]):
            if i > 0:
                # All gaps grow by a step d: (g + d)^2 = g^2 + 2 g d + d^2.
                step = two_sum(points[i - 1], -points[i])
                twice_u = dd_add(dd_add(gaps, gaps), dd_multiply(step, weight))
                squares = dd_add(squares, dd_multiply(step, twice_u))
                gaps = dd_add(gaps, dd_multiply(step, weight))
            while j < m:
                gap = _gap(others[j], points[i], margin)
                if gap <= 0.0:
                    break
                weight = dd_add_double(weight, other_weights[j])
                gaps = dd_add(gaps, two_product(gap, other_weights[j]))
                squares = dd_add(
                    squares, dd_multiply(two_product(gap, gap), two_sum(other_weights[j], 0.0))
                )
                j += 1
            loss = squares if squared else gaps
            slopes[i] = gaps.hi if squared else weight.hi
            total = dd_add(total, dd_multiply(loss, two_sum(point_weights[i], 0.0)))
    return total.hi


# Sums ---------------------------------------------------------------------------------------------


def add_exactly(const double[::1] values, int64_t[::1] digits):
    """Add numbers to a sum of ``digits[k]`` times 2^(32 k - 1075), which rounds nothing.

    That is the small superaccumulator of R. M. Neal, "Fast exact summation using small and large
    superaccumulators", arXiv 1505.05571. Assumes finite numbers, 67 digits, and digits of less than
    2^32 in magnitude but for the last; leaves them so, from 0 up but for the last.
    """
    cdef Py_ssize_t start = 0, stop, i, n = values.shape[0]
    cdef uint64_t bits, digit, mantissa
    cdef int64_t low, high, sign
    cdef int shift
    with nogil:
        while start < n:
            # Each number adds less than 2^52 to a digit.
            stop = min(n, start + 1024)
            for i in range(start, stop):
                memcpy(&bits, &values[i], sizeof(bits))
                shift = <int> (bits >> 52) & 2047
                mantissa = bits & ((<uint64_t> 1 << 52) - 1)
                if shift > 0:
                    mantissa |= <uint64_t> 1 << 52
                else:
                    shift = 1
                sign = -<int64_t> (bits >> 63)
                digit = shift >> 5
                shift &= 31
                low = <int64_t> <uint32_t> (mantissa << shift)
                high = <int64_t> (mantissa >> (32 - shift))
                digits[digit] += (low ^ sign) - sign
                digits[digit + 1] += (high ^ sign) - sign
            for i in range(digits.shape[0] - 1):
                high = digits[i] >> 32
                digits[i] &= 0xFFFFFFFF
                digits[i + 1] += high
            start = stop
