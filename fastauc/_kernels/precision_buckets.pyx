"""The sum of precisions from rows in buckets: each positive finds its place by comparisons.

Buckets are as in ``buckets``, and terms as in ``precision_sum``: a positive needs to know how many
rows, and how many positives, are at or above it. Those of higher buckets are counted already; those
of its own bucket are compared with it.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from fastauc._kernels.bucket_map cimport (
    key_of,
    map_positions,
    map_t,
    read_map,
    score_t,
)
from fastauc._kernels.partition cimport PARTS, find_range, split_rows
from fastauc._kernels.precision_sum cimport (
    add_precisions,
    add_single_precisions,
    precision_sum_t,
    precision_total,
)

# Its C code is used in that below.
from fastauc._kernels.compiler cimport FASTAUC_KEEP  # no-cython-lint

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
    uint32_t n  # terms that are not in the sum
    int32_t tps[TERMS + FEW_POSITIVES + 15]
    int32_t ends[TERMS + FEW_POSITIVES + 15]
    precision_sum_t total


cdef inline void _add_terms(terms_t *terms) noexcept nogil:
    add_single_precisions(terms.tps, terms.ends, terms.n, &terms.total)
    terms.n = 0


cdef bint _rank(
    int32_t *rows,
    uint32_t n_neg,
    uint32_t n_pos,
    int32_t *scratch,
    int64_t tp,
    int64_t n_rows,
    terms_t *terms,
) noexcept nogil:
    """Add the terms of ``rows``, negatives first; tell whether a positive equals another row.

    ``tp`` and ``n_rows`` are the counts above. As in ``buckets._compare``, both arrays have 7 more
    readable places, and many rows are split by the leading bits of what they differ in.
    """
    cdef uint32_t ends[2 * PARTS]
    cdef uint32_t i, part, n_parts, n = n_neg + n_pos, first, middle, last
    cdef int32_t low, high
    cdef int64_t before = tp
    cdef bint tied = False
    if n_pos == 0:
        return False
    if <uint64_t> n_pos * n <= FEW_PAIRS:
        tied = fastauc_rank(
            rows,
            n_neg,
            n_pos,
            <int32_t> (tp + n_pos),
            <int32_t> (n_rows + n),
            terms.tps + terms.n,
            terms.ends + terms.n,
        )
        terms.n += n_pos
        if terms.n >= TERMS:
            _add_terms(terms)
        return tied
    find_range(rows, n, &low, &high)
    if low == high:
        tp += n_pos
        n_rows += n
        add_precisions(&tp, &n_rows, 1, before, &terms.total)
        return True
    n_parts = split_rows(rows, <const uint64_t *> NULL, n_neg, n, low, high, ends, scratch, NULL)
    last = n
    for i in range(n_parts):
        part = n_parts - 1 - i
        middle = ends[2 * part]
        first = ends[2 * part - 1] if part > 0 else 0
        if last > middle:
            tied |= _rank(
                scratch + first, middle - first, last - middle, rows + first, tp, n_rows, terms
            )
        tp += last - middle
        n_rows += last - first
        last = first
    return tied


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
    cdef uint32_t first, middle, last, n_neg, n_pos, n = ends[ends.shape[0] - 1]
    cdef terms_t terms
    cdef precision_sum_t saved
    cdef uint32_t n_saved
    cdef bint tied
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
            n_neg = middle - first
            n_pos = last - middle
            # Then the terms of a bucket do not come before what is saved here: either nothing is
            # left in the buffer, or there is room for them.
            if terms.n + n_pos > TERMS:
                _add_terms(&terms)
            saved = terms.total
            n_saved = terms.n
            tied = _rank(&offsets[first], n_neg, n_pos, &scratch[0], tp, n - last, &terms)
            if tied and not exact:
                unresolved[bucket] = 1
                terms.total = saved
                terms.n = n_saved
            tp += n_pos
        _add_terms(&terms)
    return precision_total(&terms.total)


def sum_within(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    const int64_t[::1] tps,
    const int64_t[::1] rows,
):
    """Return the sum of the precisions of the positives among rows of whole buckets, times 2^111.

    Assumes rows in increasing order of their scores. ``tps`` and ``rows`` count the positives and
    all rows above each bucket.
    """
    cdef map_t buckets = read_map(line, pieces)
    cdef uint64_t position, key
    cdef uint64_t last_bucket = <uint64_t> -1
    cdef Py_ssize_t i = label.shape[0] - 1
    cdef int64_t tp = 0, n_rows = 0, before
    cdef precision_sum_t total = precision_sum_t(0, 0, 0, 0)
    with nogil:
        while i >= 0:
            map_positions(&score[i], 1, &buckets, &position)
            if position >> 32 != last_bucket:
                last_bucket = position >> 32
                tp = tps[last_bucket]
                n_rows = rows[last_bucket]
            before = tp
            key = key_of(&score[i])
            while i >= 0 and key_of(&score[i]) == key:
                tp += label[i]
                n_rows += 1
                i -= 1
            if tp > before:
                add_precisions(&tp, &n_rows, 1, before, &total)
    return precision_total(&total)
