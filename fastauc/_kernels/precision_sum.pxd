# Sums of precisions, growth * tp / rows, in integers: no order of the terms can change one.
#
# A term is the precision tp / rows at the end of a tie, the rows of one score, taken once for each
# of the `growth` positives of the tie. Summed in integers, a tie may be split, and the ties may be
# taken in any order and on any thread, as long as each knows what is above it.
#
# A quotient has two digits, made of one division: with inverse = fl(1 / rows),
#     head = floor(fl(tp * inverse) * (2^58 - 2^9)),  rest = tp * 2^58 - head * rows,
#     tail = floor(fl(rest * inverse) * 2^53),  tp / rows = (head + tail / 2^53) / 2^58.
# Five roundings of 2^-53 each are less than the 2^-49 by which the factor is short of 2^58, hence
# 0 <= rest <= rows + tp * (2^9 + 2^8) < 2^63: it is exact modulo 2^64, and tail < 2^63. Only the
# roundings in tail are left, so a term is within 2^-99 of itself plus 2^-108 of the exact one.
#
# The k-th positive from the top has a precision of at least k / n, so P terms add up to P^2 / 2n or
# more, and the sum is within 2^-99 + 2^-107 n / P of itself: 2^-66 below 2^40 rows. Assumes
# tp < 2^53 and rows < 2^54, as a sum of two counts below 2^53 is.

from libc.stdint cimport int32_t, int64_t, uint64_t

from fastauc._kernels.wide_integers cimport wide_plus, wide_product, wide_sum, wide_t

ctypedef fused term_t:
    int32_t
    int64_t


cdef struct precision_sum_t:
    uint64_t head_low  # the sums of the two digits, each in two words
    uint64_t head_high
    uint64_t tail_low
    uint64_t tail_high


cdef inline void add_precisions(
    const term_t *tps,
    const term_t *rows,
    Py_ssize_t n,
    int64_t before,
    precision_sum_t *total,
) noexcept nogil:
    """Add the precisions at the ends of n ties in order, each with at least one positive.

    ``tps`` and ``rows`` count the positives and all rows from the top to the end of each tie, and
    ``before`` the positives above the first of them. Counts of 32 bits are those of ties of one
    positive each, in any order.
    """
    cdef Py_ssize_t start = 0, i, stop
    cdef int64_t head, tail
    cdef uint64_t growth, rest
    cdef wide_t heads = wide_t(total.head_low, total.head_high)
    cdef wide_t tails = wide_t(total.tail_low, total.tail_high)
    cdef double inverse[64]
    cdef double quotient[64]
    while start < n:
        stop = min(n - start, <Py_ssize_t> 64)
        # Two divisions at a time, which the rest of a term would not let a compiler do. A power of
        # two may be multiplied first: that rounds nothing.
        for i in range(stop):
            inverse[i] = 1.0 / <double> rows[start + i]
            quotient[i] = <double> tps[start + i] * inverse[i] * (2.0**58 - 2.0**9)
            inverse[i] *= 2.0**53
        for i in range(stop):
            head = <int64_t> quotient[i]
            rest = (<uint64_t> tps[start + i] << 58) - <uint64_t> head * <uint64_t> rows[start + i]
            tail = <int64_t> (<double> <int64_t> rest * inverse[i])
            if term_t is int32_t:
                heads = wide_plus(heads, head)
                tails = wide_plus(tails, tail)
            else:
                # All growths add up to less than 2^53, and no sum reaches 2^116.
                growth = tps[start + i] - before
                before = tps[start + i]
                heads = wide_sum(heads, wide_product(growth, head))
                tails = wide_sum(tails, wide_product(growth, tail))
        start += stop
    total[0] = precision_sum_t(heads.low, heads.high, tails.low, tails.high)


cdef inline object precision_total(const precision_sum_t *total):
    """Return the sum times 2^111 as a Python integer."""
    head = (<object> total.head_high << 64) | <object> total.head_low
    tail = (<object> total.tail_high << 64) | <object> total.tail_low
    return (head << 53) + tail
