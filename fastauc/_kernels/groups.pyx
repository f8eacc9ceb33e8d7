"""Areas within groups: rows are brought together, and then the pairs of each group are counted.

Ids become numbers. Two counting sorts follow: the first makes buckets of some ten thousand rows and
many groups, few enough that their ends stay in the caches; the second one sorts a bucket by group
and class, inside the caches.

Then the rows of a group are beside each other, the negatives first, each as the 64 bits of its
score in the order of the scores. So every pair that counts is one of two neighboring ranges. Pairs
are counted in integers; with weights, their weight is one, in units as in ``weighted_rank_sum``.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.bucket_map cimport key_of, score_t
from fastauc._kernels.buckets cimport FEW_PAIRS_OF_KEYS, add_rows, compare_placed, part_t
from fastauc._kernels.compiler cimport FASTAUC_PREFETCH
from fastauc._kernels.doubles cimport widen
from fastauc._kernels.double_double cimport dd_add, dd_divide, dd_multiply, dd_t
from fastauc._kernels.rank_sum cimport pairs_t
from fastauc._kernels.weighted_rank_sum cimport sums_t, unit_of, weigh_placed
from fastauc._kernels.wide_integers cimport add_product, dd_of, total_t, wide_product, wide_t

# Keys, or scores as chunks have them.
ctypedef fused row_t:
    uint64_t
    float
    double

cdef enum:
    # Steps allowed per row. In a table that is half free, unrelated ids take less than one.
    PROBES = 8
    LARGEST_FIXED_WEIGHT = 56  # bits


# Numbers for ids ----------------------------------------------------------------------------------


def number_ids(
    const int64_t[::1] ids, uint32_t[::1] table, int64_t[::1] distinct, uint32_t[::1] codes
):
    """Number the ids in the order in which they appear first; write the number of each row.

    ``table`` has a size that is a power of two, 2 to 2^32, and is 0; ``distinct`` has at least
    half as many places. Returns how many distinct ids and how many rows there are up to where half
    of the table was in use, or more steps were needed than ids in no special order need.
    """
    cdef Py_ssize_t i = 0, n = ids.shape[0], n_distinct = 0, most = table.shape[0] // 2
    cdef uint64_t place, mask = table.shape[0] - 1
    cdef int64_t steps = 1024
    cdef uint32_t code
    cdef int shift = 64
    with nogil:
        while mask >> (64 - shift) != 0:
            shift -= 1
        while i < n and steps > 0:
            # The uppermost bits of the product depend on all bits of the id.
            place = (<uint64_t> ids[i] * <uint64_t> 0x9E3779B97F4A7C15) >> shift
            code = table[place]
            while code != 0 and distinct[code - 1] != ids[i] and steps > 0:
                place = (place + 1) & mask
                code = table[place]
                steps -= 1
            if steps <= 0:
                break
            if code == 0:
                if n_distinct == most:
                    break
                distinct[n_distinct] = ids[i]
                n_distinct += 1
                code = n_distinct
                table[place] = code
            codes[i] = code - 1
            steps += PROBES
            i += 1
    return n_distinct, i


# Rows of a group beside each other ----------------------------------------------------------------


def count_parts(const uint32_t[::1] codes, int shift, int64_t[::1] counts):
    """Add the rows of each bucket, ``code >> shift``, to its count."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(codes.shape[0]):
            counts[codes[i] >> shift] += 1


def place_rows(
    const uint32_t[::1] codes,
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] weight,
    int shift,
    int64_t[::1] starts,
    uint64_t[::1] keys,
    uint16_t[::1] places,
    double[::1] placed_weight,
):
    """Write the key of each row to the next place of its bucket, and beside it its group and class.

    ``shift`` is at most 15: the rest of the code and the label are 16 bits. Without weights the
    arrays for them are empty.
    """
    cdef Py_ssize_t i
    cdef int64_t place
    cdef uint32_t bucket, mask = (<uint32_t> 1 << shift) - 1
    cdef bint weighted = weight.shape[0] > 0
    with nogil:
        for i in range(codes.shape[0]):
            bucket = codes[i] >> shift
            place = starts[bucket]
            keys[place] = key_of(&score[i])
            places[place] = <uint16_t> ((codes[i] & mask) << 1 | label[i])
            # The next line of the bucket is wanted soon, and for writing.
            FASTAUC_PREFETCH(&keys[0] + place + 8)
            if weighted:
                placed_weight[place] = weight[i]
                FASTAUC_PREFETCH(&placed_weight[0] + place + 8)
            starts[bucket] = place + 1


def arrange_part(
    const row_t[::1] source,
    const uint16_t[::1] places,
    const double[::1] weight,
    uint32_t[::1] ends,
    uint64_t[::1] arranged,
    double[::1] arranged_weight,
):
    """Sort the keys of rows, or those of their scores as doubles, by group and class.

    In each group the negatives are first, and otherwise the rows stay in their order. ``places``
    are ``2 * group + label``, each below the number of ends. ``ends[2 * group + label]`` becomes
    where the rows of a group and class end. Without weights the arrays for them are empty.
    """
    cdef Py_ssize_t i, n = source.shape[0]
    cdef double value
    cdef uint32_t place, start = 0, size
    cdef bint weighted = weight.shape[0] > 0
    with nogil:
        memset(&ends[0], 0, ends.shape[0] * sizeof(uint32_t))
        for i in range(n):
            ends[places[i]] += 1
        for i in range(ends.shape[0]):
            size = ends[i]
            ends[i] = start
            start += size
        for i in range(n):
            place = ends[places[i]]
            if row_t is float:
                arranged[place] = key_of(widen(&source[i], 1, &value))
            else:
                arranged[place] = key_of(&source[i])
            if weighted:
                arranged_weight[place] = weight[i]
            # Once all rows are placed, each start has moved on to the end.
            ends[places[i]] = place + 1


def arrange_runs(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] weight,
    const int64_t[::1] offsets,
    uint32_t[::1] ends,
    uint64_t[::1] arranged,
    double[::1] arranged_weight,
):
    """Do the same with groups whose rows are beside each other.

    ``offsets``, of which there is one more than groups, say where they begin and end; the first of
    them is the place of the first row of all arrays.
    """
    cdef Py_ssize_t group, i, front, back, first = offsets[0]
    cdef uint64_t key
    cdef bint weighted = weight.shape[0] > 0
    with nogil:
        for group in range(offsets.shape[0] - 1):
            front = offsets[group] - first
            back = offsets[group + 1] - first - 1
            for i in range(offsets[group] - first, offsets[group + 1] - first):
                key = key_of(&score[i])
                # Written to both ends of the free places, of which only one moves.
                arranged[front] = arranged[back] = key
                if weighted:
                    arranged_weight[front] = arranged_weight[back] = weight[i]
                front += 1 - label[i]
                back -= label[i]
            ends[2 * group] = <uint32_t> front
            ends[2 * group + 1] = <uint32_t> (offsets[group + 1] - first)


# Pairs --------------------------------------------------------------------------------------------


cdef struct placements_t:
    uint64_t n_pos
    uint64_t negatives  # passed so far
    uint64_t positives
    uint64_t twice_u
    total_t squares_pos  # of twice the number of negatives below a positive, plus the equal ones
    total_t squares_neg  # of twice the number of positives above a negative, plus the equal ones


cdef inline uint64_t _twice_below(const uint64_t *keys, uint32_t n, uint64_t key) noexcept nogil:
    """Return twice the number of keys below one, plus that of the equal ones."""
    cdef uint32_t i
    cdef uint64_t twice_u = 0
    for i in range(n):
        twice_u += <uint64_t> (keys[i] < key) + <uint64_t> (keys[i] <= key)
    return twice_u


cdef bint _place_keys(const part_t *part, bint alike, void *all_sums) noexcept nogil:
    """Add the placements of rows; of those of one class as of rows that are alike."""
    cdef placements_t *sums = <placements_t *> all_sums
    cdef const uint64_t *keys = <const uint64_t *> part.rows
    cdef uint32_t n_neg = part.n_neg, n_pos = part.n_pos
    cdef uint64_t twice_before = 2 * sums.negatives
    cdef uint64_t twice_after = 2 * (sums.n_pos - sums.positives)
    cdef uint64_t below = twice_before + n_neg, above = twice_after - n_pos
    cdef uint32_t i
    if alike or n_neg == 0 or n_pos == 0:
        sums.twice_u += below * n_pos
        add_product(&sums.squares_pos, n_pos, wide_product(below, below))
        add_product(&sums.squares_neg, n_neg, wide_product(above, above))
    elif <uint64_t> n_neg * n_pos > FEW_PAIRS_OF_KEYS:
        return False
    else:
        for i in range(n_neg, n_neg + n_pos):
            below = twice_before + _twice_below(keys, n_neg, keys[i])
            sums.twice_u += below
            add_product(&sums.squares_pos, 1, wide_product(below, below))
        for i in range(n_neg):
            # Of these rows, twice those that are above and the equal ones once.
            above = twice_after - _twice_below(keys + n_neg, n_pos, keys[i])
            add_product(&sums.squares_neg, 1, wide_product(above, above))
    sums.negatives += n_neg
    sums.positives += n_pos
    return True


cdef inline double _spread(uint64_t n, const total_t *squares, uint64_t twice_u) noexcept nogil:
    """Return n times the sum of squares less the square of the sum, rounded at the end.

    Placements are at most twice the size of the other class: with less than 2^32 rows in the group
    the first term is below 2^128, and it is not below the second.
    """
    cdef total_t scaled = total_t(0, 0, 0)
    cdef wide_t square = wide_product(twice_u, twice_u)
    add_product(&scaled, n, wide_t(squares.low, squares.middle))
    scaled.middle -= square.high + (scaled.low < square.low)
    scaled.low -= square.low
    return <double> scaled.middle * 18446744073709551616.0 + <double> scaled.low


def compare_groups(
    uint64_t[::1] keys,
    const uint32_t[::1] ends,
    uint32_t least_large,
    uint64_t[::1] spare,
    uint64_t[::1] twice_u,
    double[:, ::1] spreads,
):
    """Write twice the number of the concordant pairs of each group, plus that of the tied ones.

    Groups of ``least_large`` rows or more are passed over. Assumes keys and ends as
    ``arrange_part`` leaves them, and in ``spare`` as many places as keys; both are
    overwritten. No group has 2^32 rows, so no number of pairs wraps.

    Unless it is empty, ``spreads[group, label]`` becomes the size of the class times the sum of the
    squares of its placements, less the square of their sum. The placement of a positive is twice
    the number of negatives below it plus that of the equal ones; that of a negative, of positives
    above.
    """
    cdef Py_ssize_t group
    cdef uint32_t first = 0, middle, last
    cdef part_t part
    cdef pairs_t pairs
    cdef placements_t sums
    with nogil:
        for group in range(twice_u.shape[0]):
            middle = ends[2 * group]
            last = ends[2 * group + 1]
            part = part_t(&keys[0] + first, NULL, middle - first, last - middle)
            if spreads.shape[0] > 0:
                memset(&sums, 0, sizeof(sums))
                sums.n_pos = part.n_pos
                add_rows(&part, &spare[0], NULL, _place_keys, &sums)
                twice_u[group] = sums.twice_u
                spreads[group, 0] = _spread(part.n_neg, &sums.squares_neg, sums.twice_u)
                spreads[group, 1] = _spread(part.n_pos, &sums.squares_pos, sums.twice_u)
            elif last - first < least_large:
                pairs = pairs_t(0, 0, 0)
                compare_placed(&part, &spare[0], &pairs)
                twice_u[group] = 2 * pairs.not_above - pairs.tied
            first = last


# Weights ------------------------------------------------------------------------------------------


cdef inline double _as_fixed_weights(
    const double *weight, uint32_t n, uint64_t *fixed_weights, uint32_t *n_cut, uint32_t *n_lost
) noexcept nogil:
    """Write the weights of one class in units; return how many of these make 1.

    Counts the weights of which a part of a unit is cut off, and those of which nothing is left.
    """
    cdef uint32_t i
    cdef double highest = 0.0, per_unit, whole
    for i in range(n):
        highest = max(highest, weight[i])
    per_unit = unit_of(highest, LARGEST_FIXED_WEIGHT)
    for i in range(n):
        whole = weight[i] * per_unit
        fixed_weights[i] = <int64_t> whole
        n_cut[0] += <double> <int64_t> whole < whole
        n_lost[0] += fixed_weights[i] == 0
    return per_unit


def weigh_groups(
    uint64_t[::1] keys,
    const double[::1] weight,
    const uint32_t[::1] ends,
    uint64_t[:, ::1] spare,
    double[::1] area,
    double[:, ::1] totals,
    uint8_t[::1] unsure,
):
    """Write the area of each group, and the weights of its classes to ``totals[group, label]``.

    Assumes weights above 0 beside keys as ``compare_groups`` has them, and three rows of as many
    places in ``spare``. A group gets marked ``unsure`` if its area may not be the one to which the
    exact area is rounded once: its weights are of too wide a range for units, or the quotient is
    too close to the middle of two doubles. Without both classes the area is left as it is.
    """
    cdef Py_ssize_t group
    cdef uint32_t first = 0, middle, last
    cdef uint32_t cut[2]
    cdef uint32_t lost
    cdef uint64_t *fixed_weights = &spare[0, 0]
    cdef double per_unit[2]
    cdef double loss
    cdef dd_t negatives, positives
    cdef part_t part
    cdef sums_t sums
    with nogil:
        for group in range(area.shape[0]):
            middle = ends[2 * group]
            last = ends[2 * group + 1]
            cut[0] = cut[1] = lost = 0
            memset(&sums, 0, sizeof(sums))
            per_unit[0] = _as_fixed_weights(
                &weight[0] + first, middle - first, fixed_weights, &cut[0], &lost
            )
            per_unit[1] = _as_fixed_weights(
                &weight[0] + middle, last - middle, fixed_weights + (middle - first), &cut[1], &lost
            )
            part = part_t(&keys[0] + first, fixed_weights, middle - first, last - middle)
            weigh_placed(&part, &spare[1, 0], &spare[2, 0], &sums)
            negatives = dd_of(total_t(sums.negatives.low, sums.negatives.high, 0), 0)
            positives = dd_of(total_t(sums.positives.low, sums.positives.high, 0), 0)
            totals[group, 0] = negatives.hi / per_unit[0]
            totals[group, 1] = positives.hi / per_unit[1]
            unsure[group] = lost > 0
            if middle > first and last > middle and lost == 0:
                # As ``_pairs.weighted`` allows, and no area of 0 loses anything.
                unsure[group] = not dd_divide(
                    dd_of(sums.not_discordant, 0),
                    dd_multiply(negatives, dd_add(positives, positives)),
                    &area[group],
                )
                loss = cut[0] / negatives.hi + cut[1] / positives.hi
                if area[group] > 0 and loss * 4503599627370497.0 > area[group]:
                    unsure[group] = 1
            first = last


# Means --------------------------------------------------------------------------------------------


cdef inline wide_t _quotient(uint64_t twice_u, uint64_t pairs, bint *is_exact) noexcept nogil:
    """Return 2^126 twice / pairs without its fraction; assumes 0 < pairs < 2^63."""
    cdef wide_t quotient = wide_t(twice_u // pairs, 0)
    cdef uint64_t rest = twice_u % pairs
    # So many bits at a time that a rest, which is less than the pairs, has room for them.
    cdef int width = 42 if pairs < <uint64_t> 1 << 22 else 21 if pairs < <uint64_t> 1 << 43 else 1
    cdef int _step
    for _step in range(126 // width):
        rest <<= width
        quotient.high = quotient.high << width | quotient.low >> (64 - width)
        quotient.low = quotient.low << width | rest // pairs
        rest %= pairs
    is_exact[0] = rest == 0
    return quotient


def add_quotients(
    const uint64_t[::1] twice_u, const uint64_t[::1] pairs, const uint64_t[::1] weight
):
    """Return the weighted sum of 2^126 twice / pairs without their fractions.

    And the sum of the weights of those that have one. Assumes no pairs to be 0, less than 2^63 of
    them, ``twice_u`` at most twice that, and weights that add up to less than 2^64.
    """
    cdef Py_ssize_t i
    cdef total_t total = total_t(0, 0, 0)
    cdef uint64_t inexact = 0
    cdef bint is_exact = True
    with nogil:
        for i in range(twice_u.shape[0]):
            add_product(&total, weight[i], _quotient(twice_u[i], pairs[i], &is_exact))
            inexact += 0 if is_exact else weight[i]
    return <object> total.high << 128 | <object> total.middle << 64 | total.low, inexact
