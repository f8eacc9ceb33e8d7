"""Weighted rank-sum AUC: the weight of concordant and tied pairs, in fixed-point integers.

Buckets are as in ``buckets``. A weight is a whole number of units, at most 2^56 of them; the unit
of a class is a power of two. All sums are integers of up to 192 bits, so no order of the rows or of
the buckets can change them.
"""

from libc.math cimport frexp, ldexp
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.buckets cimport FEW_PAIRS_OF_KEYS, add_rows, part_t, row_t
from fastauc._kernels.rank_sum cimport packed_t
from fastauc._kernels.wide_integers cimport (
    add_product,
    add_total,
    add_wide_product,
    total_t,
    wide_double,
    wide_plus,
    wide_product,
    wide_sum,
    wide_t,
)


cpdef double unit_of(double greatest, int exponent) noexcept nogil:
    """Return the power of two that brings a weight below 2^exponent, or 2^1000 if that is less.

    A multiplication by it changes no digit of a weight.
    """
    cdef int exponent_of_greatest
    frexp(greatest, &exponent_of_greatest)
    return ldexp(1.0, min(1000, exponent - exponent_of_greatest))


cdef void _add_few(few_t *few, sums_t *sums) noexcept nogil:
    """Move rows, and the pairs among them, above all that have been added."""
    add_total(&sums.not_discordant, total_t(few.twice_u.low, few.twice_u.high, 0))
    add_product(&sums.not_discordant, few.positives, wide_double(sums.negatives))
    sums.negatives = wide_plus(sums.negatives, few.negatives)
    sums.positives = wide_plus(sums.positives, few.positives)
    memset(few, 0, sizeof(few_t))


cdef bint _weigh_alike(const part_t *part, bint alike, sums_t *sums) noexcept nogil:
    """Add rows that are all equal or all of one class; others are left."""
    cdef uint32_t i
    cdef wide_t below = sums.negatives, twice_u
    if part.n_neg > 0 and part.n_pos > 0:
        if not alike:
            return False
        sums.any_equal = True
    for i in range(part.n_neg):
        sums.negatives = wide_plus(sums.negatives, part.weights[i])
    # 2 * below + equal is the sum of what is below and of what is not above.
    twice_u = wide_sum(below, sums.negatives)
    for i in range(part.n_neg, part.n_neg + part.n_pos):
        add_product(&sums.not_discordant, part.weights[i], twice_u)
        sums.positives = wide_plus(sums.positives, part.weights[i])
    return True


cdef bint _weigh_offsets(const part_t *part, bint alike, void *all_sums) noexcept nogil:
    cdef sums_t *sums = <sums_t *> all_sums
    cdef uint32_t n_neg = part.n_neg, n_pos = part.n_pos
    cdef few_t few
    if n_neg <= MOST_OF_A_CLASS and n_pos <= MOST_OF_A_CLASS and n_neg * n_pos <= FEW_PAIRS:
        few = weigh_few(<const int32_t *> part.rows, part.weights, n_neg, n_pos, 0)
        sums.any_equal |= few.any_equal
        _add_few(&few, sums)
        return True
    return _weigh_alike(part, alike, sums)


cdef inline bint _weigh_keys(const part_t *part, bint alike, void *all_sums) noexcept nogil:
    cdef sums_t *sums = <sums_t *> all_sums
    cdef const uint64_t *keys = <const uint64_t *> part.rows
    cdef const uint64_t *fixed_weights = part.weights
    cdef uint32_t i, j, n_neg = part.n_neg, n_pos = part.n_pos
    cdef uint64_t twice_u, negatives = 0
    cdef wide_t below = wide_double(sums.negatives)
    if _weigh_alike(part, alike, sums):
        return True
    if n_neg > MOST_OF_A_CLASS or <uint64_t> n_neg * n_pos > FEW_PAIRS_OF_KEYS:
        return False
    for j in range(n_neg, n_neg + n_pos):
        twice_u = 0
        for i in range(n_neg):
            twice_u += fixed_weights[i] & (0 - <uint64_t> (keys[i] < keys[j]))
            twice_u += fixed_weights[i] & (0 - <uint64_t> (keys[i] <= keys[j]))
            sums.any_equal |= keys[i] == keys[j]
        add_product(&sums.not_discordant, fixed_weights[j], wide_plus(below, twice_u))
        sums.positives = wide_plus(sums.positives, fixed_weights[j])
    for i in range(n_neg):
        negatives += fixed_weights[i]
    sums.negatives = wide_plus(sums.negatives, negatives)
    return True


cdef bint weigh_placed(
    const part_t *part, row_t *spare, uint64_t *spare_weights, sums_t *sums
) noexcept nogil:
    """Add rows in their order; tell whether any pair so far is equal."""
    if row_t is int32_t:
        add_rows(part, spare, spare_weights, _weigh_offsets, sums)
    else:
        add_rows(part, spare, spare_weights, _weigh_keys, sums)
    return sums.any_equal


cdef as_integers(const sums_t *sums):
    return (
        <object> sums.not_discordant.high << 128
        | <object> sums.not_discordant.middle << 64
        | sums.not_discordant.low,
        <object> sums.negatives.high << 64 | sums.negatives.low,
        <object> sums.positives.high << 64 | sums.positives.low,
    )


def weigh_rows(
    int32_t[::1] offsets,
    uint64_t[::1] fixed_weights,
    const uint32_t[::1] ends,
    Py_ssize_t first_bucket,
    Py_ssize_t stop_bucket,
    bint exact,
    int32_t[::1] spare_offsets,
    uint64_t[::1] spare_weights,
    uint8_t[::1] unresolved,
):
    """Return twice the weight of the concordant pairs plus that of the tied ones, and both totals.

    All in units, for the rows of some buckets; the totals are those of the negatives and of the
    positives. The arguments are as in ``buckets.compare_rows``: pairs within buckets that get
    marked ``unresolved`` are left out. What lies behind the last offsets is 0.
    """
    cdef Py_ssize_t bucket
    cdef uint32_t start, first, middle, last
    cdef sums_t sums, inside
    cdef few_t few, pending  # buckets that have not been added to the sums
    cdef part_t part
    memset(&sums, 0, sizeof(sums))
    memset(&pending, 0, sizeof(pending))
    with nogil:
        start = last = ends[2 * first_bucket - 1] if first_bucket > 0 else 0
        for bucket in range(first_bucket, stop_bucket):
            first = last
            middle = ends[2 * bucket]
            last = ends[2 * bucket + 1]
            if last - start > FEW_ROWS:
                _add_few(&pending, &sums)
                start = first
            if last - first <= FEW_ROWS:
                few = weigh_few(
                    &offsets[first], &fixed_weights[first], middle - first, last - middle,
                    pending.negatives,
                )
                if few.any_equal and not exact:
                    unresolved[bucket] = 1
                    few.twice_u = wide_product(few.positives, 2 * pending.negatives)
                pending.twice_u = wide_sum(pending.twice_u, few.twice_u)
                pending.negatives += few.negatives
                pending.positives += few.positives
                continue
            start = last
            memset(&inside, 0, sizeof(inside))
            part = part_t(&offsets[first], &fixed_weights[first], middle - first, last - middle)
            few.any_equal = weigh_placed(&part, &spare_offsets[0], &spare_weights[0], &inside)
            add_wide_product(&sums.not_discordant, inside.positives, wide_double(sums.negatives))
            sums.negatives = wide_sum(sums.negatives, inside.negatives)
            sums.positives = wide_sum(sums.positives, inside.positives)
            if few.any_equal and not exact:
                unresolved[bucket] = 1
            else:
                add_total(&sums.not_discordant, inside.not_discordant)
        _add_few(&pending, &sums)
    return as_integers(&sums)


cdef inline wide_t _joined(const uint64_t *halves) noexcept nogil:
    return wide_plus(wide_t(halves[1] << 32, halves[1] >> 32), halves[0])


def sum_values(const uint64_t[:, :, ::1] fixed_weights):
    """Return what ``weigh_rows`` does, of sums by ``values.weigh_values``, from the lowest."""
    cdef Py_ssize_t k
    cdef sums_t sums
    cdef wide_t positives, below
    memset(&sums, 0, sizeof(sums))
    with nogil:
        for k in range(fixed_weights.shape[0]):
            positives = _joined(&fixed_weights[k, 1, 0])
            below = sums.negatives
            sums.negatives = wide_sum(sums.negatives, _joined(&fixed_weights[k, 0, 0]))
            sums.positives = wide_sum(sums.positives, positives)
            # 2 * below + equal is the sum of what is below and of what is not above.
            below = wide_sum(below, sums.negatives)
            add_wide_product(&sums.not_discordant, positives, below)
    return as_integers(&sums)


def weigh_packed_rows(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const double[::1] weight,
    double unit_neg,
    double unit_pos,
    const int64_t[::1] sizes,
):
    """Return what ``weigh_rows`` does for sorted rows, and how many of each class are cut.

    Assumes rows as ``sorted_rows.SortedRows`` has them, with their weights, and units as
    ``buckets.place_rows``. Pairs count within each bucket, of as many rows as ``sizes`` says: one
    bucket of all rows, or those of which the offsets tell too little.
    """
    cdef Py_ssize_t i = 0, stop, bucket = 0, end = 0, n = packed.shape[0]
    cdef packed_t score
    cdef double whole
    cdef wide_t twice_below, below = wide_t(0, 0)  # the negatives of the bucket so far
    cdef int64_t[2] n_cut = [0, 0]
    cdef sums_t sums
    memset(&sums, 0, sizeof(sums))
    with nogil:
        while i < n:
            while i == end:
                end += sizes[bucket]
                bucket += 1
                sums.negatives = wide_sum(sums.negatives, below)
                below = wide_t(0, 0)
            stop = min(end, n_low) if i < n_low else end
            while i < stop:
                score = packed[i] >> 1
                twice_below = below
                # Negatives are first among equals.
                while i < stop and packed[i] >> 1 == score and not packed[i] & 1:
                    whole = weight[i] * unit_neg
                    n_cut[0] += <double> <int64_t> whole < whole
                    below = wide_plus(below, <int64_t> whole)
                    i += 1
                # 2 * below + equal is the sum of what is below and of what is not above.
                twice_below = wide_sum(twice_below, below)
                while i < stop and packed[i] >> 1 == score:
                    whole = weight[i] * unit_pos
                    n_cut[1] += <double> <int64_t> whole < whole
                    sums.positives = wide_plus(sums.positives, <int64_t> whole)
                    add_product(&sums.not_discordant, <int64_t> whole, twice_below)
                    i += 1
        sums.negatives = wide_sum(sums.negatives, below)
    return *as_integers(&sums), n_cut[0], n_cut[1]
