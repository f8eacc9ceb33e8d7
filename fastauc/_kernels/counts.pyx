"""From the counts at every threshold: points, areas, sums of precisions, the convex hull.

Sums of precisions are made of rows in buckets, too, without the counts at most thresholds.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from fastauc._kernels.buckets cimport add_rows, part_t
from fastauc._kernels.double_double cimport (
    dd_add,
    dd_add_double,
    dd_multiply,
    dd_quotient,
    dd_t,
    dd_zero,
    two_product,
    two_sum,
)
from fastauc._kernels.precision_sum cimport (
    add_precisions,
    precision_sum_t,
    precision_total,
)
from fastauc._kernels.wide_integers cimport wide_product, wide_t

# Its C code is used in that below.
from fastauc._kernels.compiler cimport FASTAUC_KEEP  # no-cython-lint

ctypedef fused count_t:
    int64_t
    double

cdef enum:
    BLOCK = 512


def roc_points(
    const count_t[::1] fps,
    const count_t[::1] tps,
    const double[::1] thresholds,
    bint drop_intermediate,
    double[::1] fpr,
    double[::1] tpr,
    double[::1] kept_thresholds,
):
    """Write the rates and thresholds of the ROC curve after its first point; return how many.

    Assumes at least one point, and outputs with room for every point and one more, of which the
    first place is left alone. With ``drop_intermediate``, points whose two steps before and behind
    are equal are left out, but never the first or the last. Rates of an empty class are 0 / 0.
    """
    cdef Py_ssize_t i, last = fps.shape[0] - 1, kept = 1
    cdef count_t step_fp, step_tp, next_fp = 0, next_tp = 0
    cdef double n_pos = <double> tps[last], n_neg = <double> fps[last]
    cdef bint keep_all = not drop_intermediate or last < 2
    with nogil:
        for i in range(last + 1):
            step_fp = next_fp
            step_tp = next_tp
            if i < last:
                next_fp = fps[i + 1] - fps[i]
                next_tp = tps[i + 1] - tps[i]
            fpr[kept] = <double> fps[i] / n_neg
            tpr[kept] = <double> tps[i] / n_pos
            kept_thresholds[kept] = thresholds[i]
            # Not "or": which points are kept is a coin toss for a branch predictor.
            kept += (
                keep_all | (i == 0) | (i == last) | (next_fp != step_fp) | (next_tp != step_tp)
            )
    return kept - 1


def sum_precision(const int64_t[::1] fps, const int64_t[::1] tps):
    """Return the sum of precision times the growth of ``tps``, times 2^111; see ``precision_sum``.

    Assumes counts below 2^53 that never decrease.
    """
    cdef int64_t grown[BLOCK]
    cdef int64_t rows[BLOCK]
    cdef int64_t before = 0, last = 0
    cdef Py_ssize_t i, m, start = 0, stop, n = fps.shape[0]
    cdef precision_sum_t total = precision_sum_t(0, 0, 0, 0)
    with nogil:
        while start < n:
            stop = min(start + BLOCK, n)
            m = 0
            for i in range(start, stop):
                grown[m] = tps[i]
                rows[m] = fps[i] + tps[i]
                m += tps[i] != last
                last = tps[i]
            add_precisions(grown, rows, m, before, &total)
            before = last
            start = stop
    return precision_total(&total)


def weigh_precision(const double[::1] fps, const double[::1] tps, double unit):
    """Return the sum of precision times the growth of ``tps`` times ``unit``, as a pair (hi, lo).

    Assumes sums of weights that never decrease, that ``fps + tps`` is positive everywhere, and a
    power of two that brings the last of ``tps`` below 2^900.
    """
    cdef Py_ssize_t i, n = fps.shape[0]
    cdef double found, before = 0.0
    cdef dd_t growth, total = dd_zero()
    with nogil:
        for i in range(n):
            found = tps[i]
            if found != before:
                growth = two_sum(found * unit, -before * unit)
                total = dd_add(total, dd_multiply(dd_quotient(found, tps[i] + fps[i]), growth))
                before = found
    return total.hi, total.lo


def twice_area(const double[::1] fps, const double[::1] tps):
    """Return twice the area under the polyline from (0, 0), as a pair (hi, lo).

    Assumes counts that never decrease: every term is non-negative.
    """
    cdef Py_ssize_t i, n = fps.shape[0]
    cdef double fp = 0.0, tp = 0.0
    cdef dd_t total = dd_zero()
    with nogil:
        for i in range(n):
            total = dd_add(total, dd_multiply(two_sum(fps[i], -fp), two_sum(tps[i], tp)))
            fp = fps[i]
            tp = tps[i]
    return total.hi, total.lo


cdef inline bint _is_below(
    count_t run, count_t rise, count_t next_run, count_t next_rise
) noexcept nogil:
    """Return whether rise / run is no steeper than next_rise / next_run, exactly for integers.

    Assumes differences of counts, which are never negative.
    """
    cdef wide_t left, right
    cdef dd_t first, second
    if count_t is double:
        first = two_product(rise, next_run)
        second = two_product(next_rise, run)
        return first.hi < second.hi or (first.hi == second.hi and first.lo <= second.lo)
    else:
        left = wide_product(<uint64_t> rise, <uint64_t> next_run)
        right = wide_product(<uint64_t> next_rise, <uint64_t> run)
        return left.high < right.high or (left.high == right.high and left.low <= right.low)


def hull_corners(const count_t[::1] fps, const count_t[::1] tps, int64_t[::1] corners):
    """Write the positions of the corners of the upper convex hull after (0, 0); return how many.

    Assumes counts that never decrease, at least one, sums of weights below 2^500, and room for
    every position. A point is taken back as soon as the line to the next one is no flatter than
    the line to it: so no three corners are on a line.
    """
    cdef Py_ssize_t i, n = fps.shape[0], last = 0
    cdef count_t fp, tp, run, rise
    with nogil:
        for i in range(n):
            while last > 0:
                fp = fps[corners[last - 2]] if last > 1 else 0
                tp = tps[corners[last - 2]] if last > 1 else 0
                run = fps[corners[last - 1]] - fp
                rise = tps[corners[last - 1]] - tp
                if not _is_below(
                    run, rise, fps[i] - fps[corners[last - 1]], tps[i] - tps[corners[last - 1]]
                ):
                    break
                last -= 1
            corners[last] = i
            last += 1
    return last


# Between the points of the precision-recall curve -------------------------------------------------


cdef inline double _mean_between(
    double first, double step, double below, double width
) noexcept nogil:
    """Return the mean precision over rows from ``below`` to ``below + width``.

    The precision of the rows below is ``first``, and that of the new ones ``step``, evenly: this is
    the mean over t of (first * below + step * t) / (below + t). With z = width / (2 below + width),

        mean = first L + step (1 - L),  L = log(1 + width / below) / (width / below)
                                          = (1 - z) (1 + z^2 / 3 + z^4 / 5 + ...).

    Assumes ``width`` <= ``below``, hence z <= 1/3. The series is not left to a library, whose last
    bits depend on the processor; and 1 - L is not a difference from 1.
    """
    cdef double z = width / (below + (below + width)), square = z * z, tail = 0.0
    cdef int k = 18 if square > 0.001 else 5  # (1/9)^18 and 0.001^6 are below 2^-56
    while k > 0:
        tail = square * (1.0 / (2 * k + 1) + tail)
        k -= 1
    return first * ((1.0 - z) * (1.0 + tail)) + step * (z + (z * tail - tail))


def curved_area(const double[::1] fps, const double[::1] tps):
    """Return the sum under the curve whose false positives grow evenly with the true ones.

    That is where the straight line between two points of the ROC curve comes to lie. A step in
    which the rows more than double is cut into smaller ones, so that every series is short.

    Assumes counts that never decrease, below 2^500, with a true positive in the last; the false
    positives may be scaled, to the prevalence of another population. Every term is a product and a
    quotient of sums without cancelation, a few units of the last place from its exact value; they
    are added up in double-double.
    """
    cdef Py_ssize_t i
    cdef double tp = 0.0, fp = 0.0, growth, width, step, more, rows, found
    cdef dd_t total = dd_zero()
    with nogil:
        for i in range(tps.shape[0]):
            growth = tps[i] - tp
            width = growth + (fps[i] - fp)
            if growth > 0.0:
                step = growth / width
                rows = tp + fp
                found = tp
                if rows == 0.0:
                    total = dd_add_double(total, growth * step)
                    width = 0.0
                while width > 0.0:
                    more = min(width, rows)
                    total = dd_add_double(
                        total, more * step * _mean_between(found / rows, step, rows, more)
                    )
                    found += more * step
                    rows += more
                    width -= more
            tp = tps[i]
            fp = fps[i]
    return total.hi


# Precisions of rows in buckets --------------------------------------------------------------------
#
# Buckets are as in ``buckets``, and terms as in ``precision_sum``: a positive needs to know how
# many rows, and how many positives, are at or above it. Those of higher buckets are counted
# already; those of its own bucket are compared with it.

cdef extern from *:
    """
    #include <stdint.h>

    /* Write for each of the positives how many positives and how many rows are at or above it, and
       return whether one of them equals another row.

       ``rows`` holds the negatives, then the positives; ``tp`` and ``n_rows`` are the counts down
       to the last of them. Assumes at least one positive, 3 readable places behind the positives,
       and 15 writable ones behind those of the results. */
    #if defined(__GNUC__)
    /* The same for the positives from ``j`` on, of which there are some in every vector, but maybe
       in the last two of four. To be compiled for each number of vectors. */
    static inline __attribute__((always_inline)) void fastauc_rank_vectors(
        const uint32_t n_vectors, const int32_t *rows, uint32_t n_neg, uint32_t n_pos, uint32_t j,
        int32_t tp, int32_t n_rows, int32_t *tps, int32_t *ends, fastauc_lanes_t *ranks,
        fastauc_lanes_t *ties)
    {
        const int32_t *pos = rows + n_neg;
        const fastauc_lanes_t true_rows = {tp, tp, tp, tp};
        const fastauc_lanes_t all_rows = {n_rows, n_rows, n_rows, n_rows};
        fastauc_lanes_t v[4], false_below[4] = {{0}}, true_below[4] = {{0}}, same[4] = {{0}};
        for (uint32_t k = 0; k < n_vectors; k++)
            v[k] = *(const fastauc_loose_t *) (pos + j + (j + 4 * k < n_pos ? 4 * k : 0));
        /* A comparison is -1 where it is true: these counts are not above 0. */
        for (uint32_t i = 0; i < n_neg; i++) {
            fastauc_lanes_t row = {rows[i], rows[i], rows[i], rows[i]};
            for (uint32_t k = 0; k < n_vectors; k++) {
                false_below[k] += row < v[k];
                same[k] |= row == v[k];
            }
        }
        for (uint32_t i = 0; i < n_pos; i++) {
            fastauc_lanes_t row = {pos[i], pos[i], pos[i], pos[i]};
            for (uint32_t k = 0; k < n_vectors; k++)
                true_below[k] += row < v[k];
        }
        for (uint32_t k = 0; k < n_vectors; k++) {
            int32_t left = (int32_t) (n_pos - j) - (int32_t) (4 * k);
            const int32_t *keep = FASTAUC_KEEP + 8 - (left < 0 ? 0 : left > 4 ? 4 : left);
            *(fastauc_loose_t *) (tps + j + 4 * k) = true_rows + true_below[k];
            *(fastauc_loose_t *) (ends + j + 4 * k) = all_rows + true_below[k] + false_below[k];
            *ranks += true_below[k] & *(const fastauc_loose_t *) keep;
            *ties |= same[k] & *(const fastauc_loose_t *) keep;
        }
    }

    #define FASTAUC_RANK_VECTORS(n_vectors) \
        fastauc_rank_vectors( \
            n_vectors, rows, n_neg, n_pos, j, tp, n_rows, tps, ends, &ranks, &ties)
    static inline int fastauc_rank(
        const int32_t *rows, uint32_t n_neg, uint32_t n_pos, int32_t tp, int32_t n_rows,
        int32_t *tps, int32_t *ends)
    {
        fastauc_lanes_t ranks = {0}, ties = {0};
        uint32_t j = 0, rank_sum;
        for (; j + 8 < n_pos; j += 16)
            FASTAUC_RANK_VECTORS(4);
        if (j + 4 < n_pos)
            FASTAUC_RANK_VECTORS(2);
        else if (j < n_pos)
            FASTAUC_RANK_VECTORS(1);
        rank_sum = (uint32_t) -(ranks[0] + ranks[1] + ranks[2] + ranks[3]);
        /* Positives that all differ have 0 to n_pos - 1 others below: a tie makes the sum less. */
        return (ties[0] | ties[1] | ties[2] | ties[3]) != 0
               || 2 * rank_sum != n_pos * (n_pos - 1);
    }
    #else
    static inline int fastauc_rank(
        const int32_t *rows, uint32_t n_neg, uint32_t n_pos, int32_t tp, int32_t n_rows,
        int32_t *tps, int32_t *ends)
    {
        const int32_t *pos = rows + n_neg;
        uint32_t rank_sum = 0;
        int is_tied = 0;
        for (uint32_t j = 0; j < n_pos; j++) {
            int32_t v = pos[j], true_below = 0, false_below = 0;
            for (uint32_t i = 0; i < n_neg; i++) {
                false_below += rows[i] < v;
                is_tied |= rows[i] == v;
            }
            for (uint32_t i = 0; i < n_pos; i++)
                true_below += pos[i] < v;
            tps[j] = tp - true_below;
            ends[j] = n_rows - true_below - false_below;
            rank_sum += true_below;
        }
        return is_tied || 2 * rank_sum != n_pos * (n_pos - 1);
    }
    #endif
    """
    bint fastauc_rank(
        const int32_t *rows,
        uint32_t n_neg,
        uint32_t n_pos,
        int32_t tp,
        int32_t n_rows,
        int32_t *tps,
        int32_t *ends,
    ) noexcept nogil

cdef enum:
    # Comparisons of a positive and a row: more of them, and it is quicker to split the rows.
    FEW_PAIRS = 4096
    FEW_POSITIVES = 64  # whose square is below FEW_PAIRS
    TERMS = 512


cdef struct terms_t:
    int64_t tp  # at or above the lowest row that is not added yet
    int64_t n_rows
    bint tied  # a positive and another row
    uint32_t n  # terms that are not in the sum
    int32_t tps[TERMS + FEW_POSITIVES + 15]
    int32_t ends[TERMS + FEW_POSITIVES + 15]
    precision_sum_t total


cdef inline void _add_terms(terms_t *terms) noexcept nogil:
    add_precisions(terms.tps, terms.ends, terms.n, 0, &terms.total)
    terms.n = 0


cdef inline bint _rank_offsets(const part_t *part, bint alike, void *all_terms) noexcept nogil:
    """Add the terms of rows; their counts are known from those of the rows not added so far."""
    cdef terms_t *terms = <terms_t *> all_terms
    cdef uint32_t n_pos = part.n_pos, n = part.n_neg + n_pos
    if alike and n_pos > 0:
        add_precisions(&terms.tp, &terms.n_rows, 1, terms.tp - n_pos, &terms.total)
        terms.tied = True
    elif <uint64_t> n_pos * n > FEW_PAIRS:
        return False
    elif n_pos > 0:
        terms.tied |= fastauc_rank(
            <const int32_t *> part.rows,
            part.n_neg,
            n_pos,
            <int32_t> terms.tp,
            <int32_t> terms.n_rows,
            terms.tps + terms.n,
            terms.ends + terms.n,
        )
        terms.n += n_pos
        if terms.n >= TERMS:
            _add_terms(terms)
    terms.tp -= n_pos
    terms.n_rows -= n
    return True


def sum_buckets(
    int32_t[::1] offsets,
    const uint32_t[::1] ends,
    Py_ssize_t first_bucket,
    Py_ssize_t stop_bucket,
    int64_t tp,
    bint exact,
    int32_t[::1] scratch,
    uint8_t[::1] unresolved,
):
    """Return the sum of the precisions of the positives in some buckets, times 2^111.

    ``tp`` counts the positives above these buckets. Otherwise the arguments are those of
    ``buckets.compare_rows``. The positives of a bucket are left out if the offset of one equals
    another and that does not mean equal scores: the bucket is marked ``unresolved``.
    """
    cdef Py_ssize_t bucket
    cdef uint32_t first, middle, last, n = ends[ends.shape[0] - 1]
    cdef part_t part
    cdef terms_t terms
    cdef precision_sum_t saved
    cdef uint32_t n_saved
    terms.n = 0
    terms.total = precision_sum_t(0, 0, 0, 0)
    with nogil:
        first = ends[2 * stop_bucket - 1]
        for bucket in range(stop_bucket - 1, first_bucket - 1, -1):
            last = first
            middle = ends[2 * bucket]
            first = ends[2 * bucket - 1] if bucket > 0 else 0
            if last == middle:
                continue
            part = part_t(&offsets[first], NULL, middle - first, last - middle)
            # Then the terms of a bucket do not come before what is saved here: either nothing is
            # left in the buffer, or there is room for them.
            if terms.n + part.n_pos > TERMS:
                _add_terms(&terms)
            saved = terms.total
            n_saved = terms.n
            tp += part.n_pos
            terms.tp = tp
            terms.n_rows = n - first
            terms.tied = False
            add_rows(&part, &scratch[0], NULL, _rank_offsets, &terms)
            if terms.tied and not exact:
                unresolved[bucket] = 1
                terms.total = saved
                terms.n = n_saved
        _add_terms(&terms)
    return precision_total(&terms.total)
