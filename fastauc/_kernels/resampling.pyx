"""Which step of the curve each row is on, and how many rows a replicate has on each step.

From the highest score down, a step is some positives and then some negatives below all of them, or
the positives and the negatives of one score, which are tied. Rows are numbered in each class from
the highest score down. All assume fewer than 2^32 rows.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

ctypedef fused packed_t:
    uint32_t
    uint64_t

cdef enum:
    DRAWS = 5  # that a word of 64 random bits is enough for
    BITS = 12  # of each: a block has 2^12 rows or fewer


# Steps ------------------------------------------------------------------------------------------


cdef struct place_t:
    Py_ssize_t step  # the last one so far, -1 before the first
    bint is_tied  # it is the rows of one score, and complete
    bint has_pos
    bint has_neg
    Py_ssize_t n_pos  # rows placed so far
    Py_ssize_t n_neg


cdef void _place_region(
    const packed_t *packed,
    Py_ssize_t n,
    bint keep_positives,
    uint32_t *step_of_pos,
    uint32_t *step_of_neg,
    uint8_t *tied,
    place_t *place,
) noexcept nogil:
    cdef Py_ssize_t start, middle, stop = n, i
    cdef packed_t score
    cdef bint is_mixed, is_new
    while stop > 0:
        # The rows from start to stop have one score, and those from middle on are positives.
        score = packed[stop - 1] >> 1
        middle = stop
        while middle > 0 and packed[middle - 1] >> 1 == score and packed[middle - 1] & 1:
            middle -= 1
        start = middle
        while start > 0 and packed[start - 1] >> 1 == score:
            start -= 1
        is_mixed = start < middle and middle < stop
        is_new = place.is_tied or is_mixed
        if middle < stop:
            is_new = is_new or place.has_neg or (keep_positives and place.has_pos)
        if is_new:
            place.step += 1
            place.has_pos = place.has_neg = False
            place.is_tied = is_mixed
            tied[place.step] = is_mixed
        for i in range(stop - middle):
            step_of_pos[place.n_pos + i] = <uint32_t> place.step
        for i in range(middle - start):
            step_of_neg[place.n_neg + i] = <uint32_t> place.step
        place.n_pos += stop - middle
        place.n_neg += middle - start
        place.has_pos = place.has_pos or middle < stop
        place.has_neg = place.has_neg or start < middle
        stop = start


def place_rows(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    bint keep_positives,
    uint32_t[::1] step_of_pos,
    uint32_t[::1] step_of_neg,
    uint8_t[::1] tied,
):
    """Write the step of each row, and 1 for each step whose rows are tied; return how many steps.

    Assumes rows as ``sorted_rows.SortedRows`` has them, rows of both classes, and room in ``tied``
    for as many steps as rows. Positives of several scores, with no negative between them, share a
    step unless ``keep_positives``: the points between them lie on a vertical line.
    """
    cdef place_t place = place_t(-1, True, False, False, 0, 0)
    with nogil:
        _place_region(
            &packed[0] + n_low,
            packed.shape[0] - n_low,
            keep_positives,
            &step_of_pos[0],
            &step_of_neg[0],
            &tied[0],
            &place,
        )
        _place_region(
            &packed[0], n_low, keep_positives, &step_of_pos[0], &step_of_neg[0], &tied[0], &place
        )
    return place.step + 1


# Draws ------------------------------------------------------------------------------------------


def count_draws(
    const uint64_t[::1] words,
    const int64_t[::1] draws,
    const int64_t[::1] sizes,
    const uint32_t[::1] step,
    uint32_t[::1] counts,
):
    """Draw rows with replacement, ``draws`` of them from each block, and count them at their steps.

    A block is as many consecutive rows as ``sizes`` says, a power of two up to 2^12: so the lowest
    bits of each 12 are a row, and every row is as likely as any other. Each block takes its words
    anew, one for 5 draws. Assumes as many words as that makes, and as many rows in ``step``.
    """
    cdef Py_ssize_t block, _i, word = 0, first = 0
    cdef uint64_t bits, mask
    cdef const uint32_t *rows
    with nogil:
        for block in range(draws.shape[0]):
            rows = &step[0] + first
            mask = <uint64_t> (sizes[block] - 1)
            # The words of the loop are whole; the last one may be used in part.
            for _i in range(draws[block] // DRAWS):
                bits = words[word]
                word += 1
                counts[rows[bits & mask]] += 1
                counts[rows[(bits >> BITS) & mask]] += 1
                counts[rows[(bits >> 2 * BITS) & mask]] += 1
                counts[rows[(bits >> 3 * BITS) & mask]] += 1
                counts[rows[(bits >> 4 * BITS) & mask]] += 1
            if draws[block] % DRAWS:
                bits = words[word]
                word += 1
                for _i in range(draws[block] % DRAWS):
                    counts[rows[bits & mask]] += 1
                    bits >>= BITS
            first += sizes[block]


# Sums over the rows of a step -------------------------------------------------------------------


def add_counts(
    const uint32_t[::1] step,
    const uint32_t[::1] unit,
    const uint32_t[::1] factors,
    uint32_t[::1] counts,
):
    """Add the factor of each row's unit to the count of the row's step.

    A unit is what is drawn as a whole: a cluster, or a row, and then ``unit`` is empty. Assumes
    sums below 2^32.
    """
    cdef Py_ssize_t i
    cdef bint has_units = unit.shape[0] > 0
    with nogil:
        for i in range(step.shape[0]):
            counts[step[i]] += factors[<Py_ssize_t> unit[i] if has_units else i]


def add_masses(
    const uint32_t[::1] step,
    const uint32_t[::1] unit,
    const double[::1] factors,
    const double[::1] weight,
    double[::1] masses,
):
    """Do the same as ``add_counts``, each factor times the weight of the row; none if it is empty.

    The rows of a step are added in their order.
    """
    cdef Py_ssize_t i
    cdef bint has_units = unit.shape[0] > 0, has_weights = weight.shape[0] > 0
    with nogil:
        for i in range(step.shape[0]):
            masses[step[i]] += factors[<Py_ssize_t> unit[i] if has_units else i] * (
                weight[i] if has_weights else 1.0
            )
