"""How far an area would vary from sample to sample: placements of rows, and replicates of them.

All functions assume fewer than 2^32 rows. Sorted rows come as ``sorted_rows.SortedRows`` has them.

A row's doubled placement among the rows of the other class is twice the number of them that it
beats, plus the number of them that it ties with, so it is an integer. A tie is a run of rows of
one score, and negatives are first in it.

From the highest score down, a step of the curve is some positives and then some negatives below all
of them, or the positives and the negatives of one score, which are tied. Rows are numbered in each
class from the highest score down. A replicate is a count of positives and one of negatives for each
step, or a sum of weights for each. Counts are summed in integers: no sum of products reaches 2^63.
Weights are summed in doubles, none of them negative: within n_steps * 2^-51 of the exact sum at
worst, if they add up to 2^400 or less.
"""

from libc.math cimport sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.compiler cimport FASTAUC_PREFETCH
from fastauc._kernels.double_double cimport dd_add, dd_add_double, dd_t, dd_zero
from fastauc._kernels.precision_sum cimport add_precisions, precision_sum_t, precision_total
from fastauc._kernels.rank_sum cimport packed_t
from fastauc._kernels.wide_integers cimport wide_product, wide_sum, wide_t

ctypedef fused mass_t:
    uint32_t
    double

# What they are summed in: int64_t for uint32_t, as the caller's totals are int or float.
ctypedef fused total_t:
    int64_t
    double

cdef enum:
    BLOCK = 512  # ties whose precisions are added while they are in the first cache
    AHEAD = 32  # rows between that whose line of memory is asked for and that which is written
    DRAWS = 5  # that a word of 64 random bits is enough for
    BITS = 12  # of each: a block has 2^12 rows or fewer


# Placements ---------------------------------------------------------------------------------------


cdef _as_integer(wide_t value):
    return <object> value.high << 64 | value.low


def sum_squares(const packed_t[::1] packed, Py_ssize_t n_low):
    """Return the doubled placements of the positives added up, and two sums.

    Those are of the squares of these placements, and those of what each negative lacks to the
    placement of a negative below all positives. Every sum is below 2^97.
    """
    # No branch depends on a row, as in rank_sum. A negative lacks 2 P of its doubled placement for
    # P positives below it, and 1 for each that it ties with. These come after it: when one does,
    # the square of what each of the tied negatives lacks grows from q^2 to (q + 1)^2, by 2 q + 1.
    cdef Py_ssize_t i = 0, stop = n_low, n = packed.shape[0]
    cdef uint64_t negatives = 0, positives = 0, negatives_below = 0, positives_below = 0
    cdef uint64_t positive, doubled, tied, lack, twice_u = 0
    cdef wide_t of_positives = wide_t(0, 0), of_negatives = wide_t(0, 0)
    cdef packed_t score, last = 0
    with nogil:
        while i < n:
            if i == stop:
                # No score of one run is one of the other.
                stop = n
                last = ~(packed[i] >> 1)
            positive = packed[i] & 1
            score = packed[i] >> 1
            negatives_below = negatives_below if score == last else negatives
            positives_below = positives_below if score == last else positives
            last = score
            doubled = (negatives + negatives_below) & (0 - positive)
            tied = negatives - negatives_below
            lack = positives + positives_below
            twice_u += doubled
            of_positives = wide_sum(of_positives, wide_product(doubled, doubled))
            of_negatives = wide_sum(
                of_negatives,
                wide_product(tied if positive else lack, 2 * lack + 1 if positive else lack),
            )
            positives += positive
            negatives += 1 - positive
            i += 1
    return twice_u, _as_integer(of_positives), _as_integer(of_negatives)


cdef inline Py_ssize_t _end_of_tie(
    const packed_t *packed, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t *n_pos
) noexcept nogil:
    """Return where the tie ends that begins at ``start``, and count its positives."""
    cdef Py_ssize_t i = start
    cdef packed_t score = packed[start] >> 1
    n_pos[0] = 0
    while i < stop and packed[i] >> 1 == score:
        n_pos[0] += packed[i] & 1
        i += 1
    return i


def write_placements(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const uint64_t[::1] rows,
    int64_t n_pos,
    int64_t[::1] placements,
):
    """Write the doubled placement of each row; ``rows`` are the numbers of the sorted ones.

    Assumes ``n_pos`` positives.
    """
    cdef Py_ssize_t i = 0, k, end, n = packed.shape[0], positives
    cdef int64_t negatives_below = 0, positives_above = n_pos
    cdef int64_t of_class[2]
    with nogil:
        while i < n:
            end = _end_of_tie(&packed[0], i, n_low if i < n_low else n, &positives)
            of_class[0] = 2 * positives_above - positives
            of_class[1] = 2 * negatives_below + (end - i - positives)
            positives_above -= positives
            negatives_below += end - i - positives
            for k in range(i, end):
                # Rows are anywhere: their lines of memory are on their way some rows before.
                FASTAUC_PREFETCH(&placements[rows[min(k + AHEAD, n - 1)]])
                placements[rows[k]] = of_class[packed[k] & 1]
            i = end


cdef inline Py_ssize_t _start_of_tie(
    const packed_t *packed, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return where the tie begins that ends at ``stop``, in rows from ``start`` on."""
    cdef Py_ssize_t i = stop - 1
    cdef packed_t score = packed[i] >> 1
    while i > start and packed[i - 1] >> 1 == score:
        i -= 1
    return i


cdef inline dd_t _weigh_tie(
    const packed_t *packed, const double *weight, Py_ssize_t n, packed_t label
) noexcept nogil:
    cdef Py_ssize_t i
    cdef dd_t total = dd_t(weight[0] * <double> (packed[0] & 1 == label), 0.0)
    for i in range(1, n):
        total = dd_add_double(total, weight[i] * <double> (packed[i] & 1 == label))
    return total


cdef inline double _half_way(dd_t before, dd_t tie) noexcept nogil:
    """Return the weight of all before a tie and half of that of the tie."""
    tie.hi *= 0.5
    tie.lo *= 0.5
    return dd_add(before, tie).hi


cdef inline void _write_placement(
    const packed_t *packed,
    const uint64_t *rows,
    Py_ssize_t start,
    Py_ssize_t stop,
    packed_t label,
    double placement,
    double *placements,
) noexcept nogil:
    cdef Py_ssize_t k
    cdef double other
    for k in range(start, stop):
        # No branch: which class comes next is a coin toss for a branch predictor.
        (placements + rows[k] if packed[k] & 1 == label else &other)[0] = placement


def weigh_placements(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const uint64_t[::1] rows,
    const double[::1] weight,
    double[::1] placements,
):
    """Write the weight on the right side of each row, ties by half.

    Otherwise as ``write_placements``, with the weights of the sorted rows. Positives are added up
    from above and negatives from below, so that small sums keep all their digits. Returns the
    weights of the negatives and of the positives.
    """
    # From both ends at once, tie by tie: each sum waits for its last addition, not for the other.
    cdef Py_ssize_t i = 0, n = packed.shape[0], j = n, end, start, positives
    cdef dd_t tie, negatives = dd_zero(), above = dd_zero()
    cdef double half
    cdef const packed_t *scores = &packed[0]
    with nogil:
        while i < n:
            # Rows are anywhere, as in ``write_placements``.
            FASTAUC_PREFETCH(&placements[rows[min(i + AHEAD, n - 1)]])
            FASTAUC_PREFETCH(&placements[rows[max(j - AHEAD, 0)]])
            end = _end_of_tie(scores, i, n_low if i < n_low else n, &positives)
            tie = _weigh_tie(scores + i, &weight[i], end - i, 0)
            # One row, as almost everywhere, is not tied with any of the other class.
            half = negatives.hi if end - i == 1 else _half_way(negatives, tie)
            _write_placement(scores, &rows[0], i, end, 1, half, &placements[0])
            negatives = dd_add(negatives, tie)
            i = end
            start = _start_of_tie(scores, n_low if j > n_low else 0, j)
            tie = _weigh_tie(scores + start, &weight[start], j - start, 1)
            half = above.hi if j - start == 1 else _half_way(above, tie)
            _write_placement(scores, &rows[0], start, j, 0, half, &placements[0])
            above = dd_add(above, tie)
            j = start
    return negatives.hi, above.hi


cdef inline double _clip(double value, double lower, double upper) noexcept nogil:
    return min(max(value, lower), upper)


def clip_placements(
    const double[::1] others,
    const int64_t[::1] step,
    double lower,
    double upper,
    double[::1] from_lower,
    double[::1] from_upper,
):
    """Write how far placements are from the ends of a range to which they are clipped, on average.

    ``step`` is that of each row, and ``others`` the share of the other class above its end, among
    which those of the rows on it are spread evenly.
    """
    cdef Py_ssize_t i
    cdef double start, end, first, last, inside, before, after
    with nogil:
        for i in range(step.shape[0]):
            end = others[step[i]]
            start = others[step[i] - 1] if step[i] > 0 else 0.0
            first = _clip(start, lower, upper)
            last = _clip(end, lower, upper)
            # A row of zero width is inside, wherever it is: it has been moved to the limits.
            inside = 1.0
            before = after = 0.0
            if end > start:
                inside = (last - first) / (end - start)
                before = _clip((first - start) / (end - start), 0.0, 1.0)
                after = _clip((end - last) / (end - start), 0.0, 1.0)
            from_lower[i] = inside * ((first - lower) + (last - lower)) / 2.0
            from_lower[i] += after * (upper - lower)
            from_upper[i] = inside * ((upper - first) + (upper - last)) / 2.0
            from_upper[i] += before * (upper - lower)


def sum_products_by_class(const uint8_t[::1] label, const int64_t[::1] a, const int64_t[::1] b):
    """Return the sums of products of the negatives and of the positives, without a negative number.

    Assumes that both are below 2^128.
    """
    cdef Py_ssize_t i
    cdef wide_t total = wide_t(0, 0), positives = wide_t(0, 0)
    with nogil:
        for i in range(label.shape[0]):
            total = wide_sum(total, wide_product(a[i], b[i]))
            # No branch: which class comes next is a coin toss for a branch predictor.
            positives = wide_sum(positives, wide_product(a[i] & (0 - <int64_t> label[i]), b[i]))
    return _as_integer(total) - _as_integer(positives), _as_integer(positives)


# Steps --------------------------------------------------------------------------------------------


def number_steps(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    bint keep_positives,
    uint32_t[::1] step_of_pos,
    uint32_t[::1] step_of_neg,
    uint8_t[::1] tied,
):
    """Write the step of each row, and 1 for each step whose rows are tied; return how many steps.

    Assumes rows of both classes, and room in ``tied`` for as many steps as rows. Positives of
    several scores, with no negative between them, share a step unless ``keep_positives``: the
    points between them lie on a vertical line.
    """
    cdef Py_ssize_t start, middle, stop = packed.shape[0], i
    cdef Py_ssize_t step = -1, n_pos = 0, n_neg = 0
    cdef bint is_mixed, is_new, has_pos = False, has_neg = False
    cdef bint is_complete = True  # the step so far: none, or the rows of one score that are tied
    with nogil:
        while stop > 0:
            # The rows from start to stop have one score, and those from middle on are positives.
            start = _start_of_tie(&packed[0], n_low if stop > n_low else 0, stop)
            middle = stop
            while middle > start and packed[middle - 1] & 1:
                middle -= 1
            is_mixed = start < middle and middle < stop
            is_new = is_complete or is_mixed
            if middle < stop:
                is_new = is_new or has_neg or (keep_positives and has_pos)
            if is_new:
                step += 1
                has_pos = has_neg = False
                is_complete = is_mixed
                tied[step] = is_mixed
            for i in range(stop - middle):
                step_of_pos[n_pos + i] = <uint32_t> step
            for i in range(middle - start):
                step_of_neg[n_neg + i] = <uint32_t> step
            n_pos += stop - middle
            n_neg += middle - start
            has_pos = has_pos or middle < stop
            has_neg = has_neg or start < middle
            stop = start
    return step + 1


# Draws --------------------------------------------------------------------------------------------


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
    cdef Py_ssize_t block, _i, _draw, word = 0, first = 0
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
                for _draw in range(DRAWS):
                    counts[rows[bits & mask]] += 1
                    bits >>= BITS
            if draws[block] % DRAWS:
                bits = words[word]
                word += 1
                for _draw in range(draws[block] % DRAWS):
                    counts[rows[bits & mask]] += 1
                    bits >>= BITS
            first += sizes[block]


# Sums over the rows of a step ---------------------------------------------------------------------


def add_factors(
    const uint32_t[::1] step,
    const uint32_t[::1] unit,
    const mass_t[::1] factors,
    const double[::1] weight,
    mass_t[::1] sums,
):
    """Add the factor of each row's unit to the sum of the row's step.

    A unit is what is drawn as a whole: a cluster, or a row, and then ``unit`` is empty. Factors
    that are doubles are multiplied by the weights of the rows, unless there are none. The rows of a
    step are added in their order; assumes sums of counts below 2^32.
    """
    cdef Py_ssize_t i
    cdef mass_t factor
    cdef bint has_units = unit.shape[0] > 0, has_weights = weight.shape[0] > 0
    with nogil:
        for i in range(step.shape[0]):
            factor = factors[<Py_ssize_t> unit[i] if has_units else i]
            if mass_t is double:
                factor *= weight[i] if has_weights else 1.0
            sums[step[i]] += factor


# Areas of a replicate -----------------------------------------------------------------------------
#
# What follows gives what the formulas on counts give, for replicates whose counts are never
# written. Of 5,000 rows, that takes 3 microseconds in place of 20 for the K-S statistic, and 7 in
# place of 18 for average precision.


def twice_area(
    const mass_t[::1] pos, const mass_t[::1] neg, const uint8_t[::1] tied, total_t zero
):
    """Return twice the area under the curve and the totals ``fp, tp``, of the type of ``zero``."""
    cdef Py_ssize_t i
    cdef total_t twice_u = zero, fp = zero, tp = zero, before
    with nogil:
        for i in range(tied.shape[0]):
            # A negative adds a trapezoid: its sides are the positives above it, and those as well
            # that are tied with it.
            before = tp
            tp += <total_t> pos[i]
            fp += <total_t> neg[i]
            twice_u += <total_t> neg[i] * (tp + (before if tied[i] else tp))
    return twice_u, fp, tp


# Kolmogorov-Smirnov -------------------------------------------------------------------------------


def greatest_difference(
    const mass_t[::1] pos,
    const mass_t[::1] neg,
    const uint8_t[::1] tied,
    total_t n_pos,
    total_t n_neg,
):
    """Return the largest |tp * n_neg - fp * n_pos|; assumes that these are the totals."""
    cdef Py_ssize_t i
    cdef total_t now = 0, middle, most = 0, least = 0
    with nogil:
        for i in range(tied.shape[0]):
            middle = now
            now += <total_t> pos[i] * n_neg
            # The corner between the positives and the negatives; none if they are tied.
            middle = middle if tied[i] else now
            most = max(most, middle)
            now -= <total_t> neg[i] * n_pos
            most = max(most, now)
            least = min(least, now)  # the corner between is above the one before
    return max(most, -least)


# Average precision --------------------------------------------------------------------------------


def sum_precision(const uint32_t[::1] pos, const uint32_t[::1] neg, const uint8_t[::1] tied):
    """Return the sum of the precisions of the positives, times 2^111; see ``precision_sum``.

    Assumes steps each with positives of one score only.
    """
    cdef int64_t tps[BLOCK]
    cdef int64_t ends[BLOCK]
    cdef int64_t fp = 0, tp = 0, before = 0
    cdef Py_ssize_t i, closed = 0
    cdef precision_sum_t total = precision_sum_t(0, 0, 0, 0)
    with nogil:
        for i in range(tied.shape[0]):
            tp += pos[i]
            tps[closed] = tp
            ends[closed] = tp + fp + (neg[i] if tied[i] else 0)
            fp += neg[i]
            closed += pos[i] > 0  # a step without positives is overwritten
            if closed == BLOCK:
                add_precisions(tps, ends, closed, before, &total)
                before = tps[BLOCK - 1]
                closed = 0
        add_precisions(tps, ends, closed, before, &total)
    return precision_total(&total)


def weigh_precision(const double[::1] pos, const double[::1] neg, const uint8_t[::1] tied):
    """Return the sum of precision times the growth of ``tp``, in doubles."""
    cdef double fp = 0.0, tp = 0.0, total = 0.0
    cdef Py_ssize_t i
    with nogil:
        for i in range(tied.shape[0]):
            tp += pos[i]
            if pos[i] > 0:
                total += pos[i] * (tp / (tp + fp + (neg[i] if tied[i] else 0.0)))
            fp += neg[i]
    return total


# Curve --------------------------------------------------------------------------------------------


def true_positives_at(
    const mass_t[::1] pos,
    const mass_t[::1] neg,
    const uint8_t[::1] tied,
    const double[::1] most_fp,
    const double[::1] fps,
    double[::1] tps,
):
    """Write the height of the curve at each of ``fps``, where it rises upright the upper end.

    ``most_fp`` is the greatest count whose rate, as it is rounded, is not beyond that of ``fps``.
    Both never decrease.
    """
    cdef Py_ssize_t i, found = 0, n = most_fp.shape[0]
    cdef double fp = 0.0, tp = 0.0, end, share  # counts below 2^32 are exact
    with nogil:
        for i in range(tied.shape[0]):
            end = fp + neg[i]
            tp += pos[i]
            while found < n and most_fp[found] < end:
                share = 1.0
                if tied[i]:
                    share = min(max((fps[found] - fp) / neg[i], 0.0), 1.0)
                tps[found] = tp - (1.0 - share) * pos[i]
                found += 1
            fp = end
        while found < n:
            tps[found] = tp
            found += 1


# Errors of two models -----------------------------------------------------------------------------


def distance_of_errors(
    const int64_t[::1] own,
    const int64_t[::1] other,
    const int64_t[::1] sign,
    const int8_t[::1] exchanged,
    int64_t[:, ::1] tables,
    int64_t[::1] errors,
):
    """Return how far the errors of two models are apart, added up over twice the ranks of rows.

    ``own`` and ``other`` are the places of the rows by either model, and ``exchanged`` is 1 for
    rows that take those of the other one. A row adds its sign to the errors from its midrank on.
    Assumes less than 2^31 rows; ``tables`` have room for all places of both models, and ``errors``
    for one more than twice the rows.
    """
    cdef Py_ssize_t i, k, n_places = tables.shape[1]
    cdef int64_t kept, change, size, rank, both = 0, distance = 0
    with nogil:
        memset(&tables[0, 0], 0, 2 * n_places * sizeof(int64_t))
        memset(&errors[0], 0, errors.shape[0] * sizeof(int64_t))
        for i in range(own.shape[0]):
            # Rows in the upper half of a word, the sum of their signs in the lower one; no branch,
            # as which is exchanged is a coin toss.
            change = (own[i] ^ other[i]) & (0 - <int64_t> exchanged[i])
            kept = (<int64_t> 1 << 32) + sign[i]
            tables[0, own[i] ^ change] += kept
            tables[1, other[i] ^ change] += kept
        for k in range(2):
            rank = 1
            for i in range(n_places):
                kept = <int64_t> <int32_t> tables[k, i]
                size = (tables[k, i] - kept) >> 32
                # At twice the midrank; places without rows add nothing.
                errors[rank + size - (size == 0)] += kept if k == 0 else -kept
                rank += 2 * size
        for i in range(errors.shape[0]):
            both += errors[i]
            distance += both if both > 0 else -both
    return distance


# Binomial counts ----------------------------------------------------------------------------------


cdef inline double _value_at(const double *values, int64_t place, Py_ssize_t n) noexcept nogil:
    return 0.0 if place < 0 else 1.0 if place >= n else values[place]


def mean_of_binomial(const double[::1] values, int64_t first, int64_t n, double probability):
    """Return the mean of a function of a binomial number, and its derivative by the probability.

    The function is 0 below ``first``, then has the values, and is 1 above. Assumes a probability
    between 0 and 1. The terms are products of ratios from the mode on, up to 2^-53 of the largest.
    """
    cdef double odds = probability / (1.0 - probability), inverse = 1.0 / odds
    cdef double mean = n * probability
    cdef double share, term, total = 0.0, reached = 0.0, moment = 0.0
    cdef Py_ssize_t n_values = values.shape[0]
    cdef int64_t k, mode = min(<int64_t> ((n + 1.0) * probability), n)
    cdef bint is_below
    # As far as ``binomial`` goes, and more.
    cdef double reach = 10.0 * sqrt(mean * (1.0 - probability)) + 30.0
    if mean + reach < first:
        return 0.0, 0.0
    if mean - reach > first + n_values:
        return 1.0, 0.0
    with nogil:
        for is_below in range(2):
            # Up from the mode, and then down from the number below it.
            share = <double> mode / <double> (n - mode + 1) * inverse if is_below else 1.0
            k = mode - is_below
            while 0 <= k <= n and share > 2.0**-53:
                term = share * _value_at(&values[0], k - first, n_values)
                total += share
                reached += term
                moment += term * (k - mean)
                if is_below:
                    share *= <double> k / <double> (n - k + 1) * inverse
                    k -= 1
                else:
                    share *= <double> (n - k) / <double> (k + 1) * odds
                    k += 1
    return reached / total, moment / (total * probability * (1.0 - probability))
