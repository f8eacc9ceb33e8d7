# Pairs, and sums of double-doubles along the sorted rows, for those that are sorted elsewhere too.

from libc.stdint cimport uint32_t, uint64_t

from fastauc._kernels.double_double cimport dd_add, dd_add_double, dd_multiply, dd_t, dd_zero

# Rows as ``sorted_rows.SortedRows`` has them.
ctypedef fused packed_t:
    uint32_t
    uint64_t


cdef struct pairs_t:
    uint64_t not_above  # negatives at or below a positive, summed over the positives
    uint64_t tied
    uint64_t negatives  # passed so far


cdef struct weights_t:
    dd_t not_discordant  # twice the weight of the concordant pairs, plus that of the tied ones
    dd_t positives  # passed so far
    dd_t negatives


cdef inline weights_t weigh_sorted(
    const packed_t *packed,
    Py_ssize_t n_low,
    Py_ssize_t n,
    const double *weight,
    double unit_pos,
    double unit_neg,
) noexcept nogil:
    cdef Py_ssize_t i = 0, stop
    cdef packed_t score
    cdef dd_t positive, negative
    cdef weights_t sums
    sums.not_discordant = sums.positives = sums.negatives = dd_zero()
    while i < n:
        stop = n_low if i < n_low else n
        while i < stop:
            score = packed[i] >> 1
            positive = dd_zero()
            negative = dd_zero()
            while i < stop and packed[i] >> 1 == score:
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
    return sums
