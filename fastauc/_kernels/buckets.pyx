"""Count pairs of a positive and a negative by putting the rows into buckets of close scores.

A map gives each score a position Q = bucket << 32 | offset, which never decreases with the score.
So two rows in different buckets are in the order of their buckets, and only the rows of one bucket
are compared, by their offsets. Two rows of one bucket with the same offset are either tied or too
close for the map. Unless offsets are whole scores, such a bucket is marked as unresolved, and the
caller compares its rows by their scores. A coarse map leaves more buckets unresolved, but never
gives a wrong count.

If one class is rare, its rows are not placed: a table holds the number of rare rows below each
bucket, and every other row looks up its bucket there.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastauc._kernels.bucket_map cimport (
    BLOCK,
    count_in_buckets,
    key_of,
    map_of_line,
    map_scores,
    map_t,
    offset_of,
    read_map,
    score_t,
    source_t,
    take_place,
)

# Its C code is used in that below.
from fastauc._kernels.compiler cimport FASTAUC_PREFETCH, bit_length
from fastauc._kernels.rank_sum cimport pairs_t

cdef extern from *:
    """
    #include <stdint.h>

    /* Count the pairs (neg[i], pos[j]) with neg[i] < pos[j] and with neg[i] == pos[j].

       Assumes n_neg * n_pos < 2^31 and 7 readable places behind the negatives. What is counted in
       lanes beyond the last negative is masked. */
    static inline void fastauc_compare(
        const int32_t *neg, uint32_t n_neg, const int32_t *pos, uint32_t n_pos,
        uint64_t *below, uint64_t *equal)
    {
    #if defined(__GNUC__)
        fastauc_lanes_t less = {0}, same = {0};
        for (uint32_t i = 0; i < n_neg; i += 8) {
            const int32_t *keep = FASTAUC_KEEP + (n_neg - i < 8 ? 8 - (n_neg - i) : 0);
            fastauc_lanes_t keep_0 = *(const fastauc_loose_t *) keep;
            fastauc_lanes_t keep_1 = *(const fastauc_loose_t *) (keep + 4);
            fastauc_lanes_t neg_0 = *(const fastauc_loose_t *) (neg + i);
            fastauc_lanes_t neg_1 = *(const fastauc_loose_t *) (neg + i + 4);
            fastauc_lanes_t less_0 = {0}, less_1 = {0}, same_0 = {0}, same_1 = {0};
            for (uint32_t j = 0; j < n_pos; j++) {
                int32_t value = pos[j];
                fastauc_lanes_t v = {value, value, value, value};
                less_0 += neg_0 < v;
                less_1 += neg_1 < v;
                same_0 += neg_0 == v;
                same_1 += neg_1 == v;
            }
            less += (less_0 & keep_0) + (less_1 & keep_1);
            same += (same_0 & keep_0) + (same_1 & keep_1);
        }
        *below = (uint64_t) -((int64_t) less[0] + less[1] + less[2] + less[3]);
        *equal = (uint64_t) -((int64_t) same[0] + same[1] + same[2] + same[3]);
    #else
        uint32_t less = 0, same = 0;
        for (uint32_t i = 0; i < n_neg; i++)
            for (uint32_t j = 0; j < n_pos; j++) {
                less += neg[i] < pos[j];
                same += neg[i] == pos[j];
            }
        *below = less;
        *equal = same;
    #endif
    }
    """
    void fastauc_compare(
        const int32_t *neg,
        uint32_t n_neg,
        const int32_t *pos,
        uint32_t n_pos,
        uint64_t *below,
        uint64_t *equal,
    ) noexcept nogil

cdef enum:
    BUCKET_BITS = 8
    MOST_BUCKETS = 256
    # Pairs of offsets that are compared one by one.
    FEW_PAIRS = 4096
    # Buckets for which one full number tells how many rare rows are below.
    BUCKETS_PER_BASE = 64
    # Rows that are searched for at a time.
    SEARCHED = 12


cdef void _find_buckets(
    const score_t *score, Py_ssize_t n, const map_t *buckets, uint32_t *numbers
) noexcept nogil:
    # Once for every kernel: they are small beside it.
    map_scores(score, n, buckets, numbers)


def narrow(const double[::1] score, float[::1] single):
    """Copy scores to single precision; return whether that changes none of them.

    If it does, the copy is incomplete.
    """
    cdef Py_ssize_t start = 0, i, size, n = score.shape[0]
    cdef double back
    cdef uint64_t bits, bits_back, changed = 0
    with nogil:
        while start < n and changed == 0:
            size = min(<Py_ssize_t> BLOCK, n - start)
            for i in range(start, start + size):
                single[i] = <float> score[i]
                # Bits, as processors can be set to take subnormal numbers for 0.
                back = <double> single[i]
                memcpy(&bits, &score[i], sizeof(bits))
                memcpy(&bits_back, &back, sizeof(back))
                changed |= bits ^ bits_back
            start += size
    return changed == 0


def ordered_keys(const score_t[::1] score, uint64_t[::1] keys):
    """Write the bits of each score, in the order of the scores."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(score.shape[0]):
            keys[i] = key_of(&score[i])


def find_buckets(
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] intervals,
    uint32_t[::1] numbers,
):
    """Write the bucket of each score."""
    cdef map_t buckets = read_map(line, intervals)
    with nogil:
        if score.shape[0] > 0:
            _find_buckets(&score[0], score.shape[0], &buckets, &numbers[0])


cdef inline uint64_t _bits_of(const score_t *score) noexcept nogil:
    cdef uint64_t bits = 0
    memcpy(&bits, score, sizeof(score[0]))
    return bits


def leave_out(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const score_t[::1] frequent,
    uint8_t[::1] other_label,
    score_t[::1] other_score,
):
    """Copy the rows of all scores but a frequent one, and return how many they are.

    And the negatives and all rows below it, and the negatives and all rows of that score. Where
    there is room for as many others as are returned and no more, some may be missing.
    """
    cdef uint16_t others[BLOCK + 1]
    cdef Py_ssize_t start = 0, i, k, size, n_others, place = 0, last = other_score.shape[0] - 1
    cdef uint64_t key = key_of(&frequent[0]), own = _bits_of(&frequent[0]), mask
    cdef score_t minus_zero = <score_t> -0.0
    cdef int64_t same, below, n_same = 0, n_below = 0, neg_same = 0, neg_below = 0
    # Zeros of both signs are one score.
    mask = ~_bits_of(&minus_zero)
    if own & mask:
        mask = ~<uint64_t> 0
    own &= mask
    with nogil:
        while start < score.shape[0]:
            size = min(<Py_ssize_t> BLOCK, score.shape[0] - start)
            n_others = 0
            for i in range(size):
                same = (_bits_of(&score[start + i]) & mask) == own
                neg_same += same & (1 - label[start + i])
                # Written always, kept if other: which rows are is not predictable.
                others[n_others] = <uint16_t> i
                n_others += 1 - same
            n_same += size - n_others
            for k in range(n_others):
                i = start + others[k]
                below = key_of(&score[i]) < key
                n_below += below
                neg_below += below & (1 - label[i])
                other_label[place] = label[i]
                other_score[place] = score[i]
                place = min(place + 1, last)
            start += size
    return place, neg_below, n_below, neg_same, n_same


# Rows ---------------------------------------------------------------------------------------------


def count_rows(
    const uint8_t[::1] label,
    const source_t[::1] source,
    const double[::1] line,
    const uint64_t[::1] intervals,
    uint32_t[::1] counts,
):
    """Add the rows to ``counts[2 * bucket + label]``, or without labels to ``counts[bucket]``."""
    cdef map_t buckets = read_map(line, intervals)
    cdef const uint8_t *labels = &label[0] if label.shape[0] > 0 else NULL
    with nogil:
        count_in_buckets(labels, &source[0], source.shape[0], &buckets, &counts[0])


def place_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] intervals,
    uint32_t[::1] starts,
    int32_t[::1] offsets,
    const double[::1] weight=None,
    double unit_neg=0.0,
    double unit_pos=0.0,
    uint64_t[::1] fixed_weights=None,
):
    """Write the offset of each row to the next place of its bucket and class; the starts move on.

    Beside it, if there are weights, goes the weight in units, of which a fraction is cut off.
    Assumes positive weights, and units that make at most 2^56 of those of their class.
    """
    cdef map_t buckets = read_map(line, intervals)
    cdef double[2] units = [unit_neg, unit_pos]
    cdef uint64_t positions[BLOCK]
    cdef uint64_t number
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    cdef bint weighted = weight is not None
    cdef uint32_t place
    cdef uint32_t last = <uint32_t> (offsets.shape[0] - 1)
    if weighted:
        last = <uint32_t> (fixed_weights.shape[0] - 1)
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            map_scores(&score[start], size, &buckets, positions)
            for i in range(size):
                number = 2 * (positions[i] >> 32) + label[start + i]
                place = take_place(&starts[number], last)
                offsets[place] = offset_of(&score[start + i], positions[i])
                # The next line of the bucket is wanted soon, and for writing.
                FASTAUC_PREFETCH(&offsets[0] + place + 8)
                if weighted:
                    fixed_weights[place] = <int64_t> (weight[start + i] * units[number & 1])
                    FASTAUC_PREFETCH(&fixed_weights[0] + place + 8)
            start += size


cdef inline uint64_t _less(row_t row, row_t low) noexcept nogil:
    """Return the row less the lowest one."""
    if row_t is int32_t:
        return <uint32_t> row - <uint32_t> low
    else:
        return row - low


cdef inline uint32_t _split(
    const part_t *part,
    row_t low,
    row_t high,
    uint32_t *ends,
    row_t *placed,
    uint64_t *placed_weights,
) noexcept nogil:
    """Write the rows bucket by bucket, and in each the negatives first; return how many there are.

    The range is divided into at most MOST_BUCKETS equal ones; ``ends[2 * bucket + label]`` becomes
    where the rows of a bucket and class end. Assumes more than one value: the lowest and the
    highest row come into different buckets, and the range of a bucket is at most half of the whole,
    so there are at most as many levels as a row has bits. Weights follow their rows.
    """
    cdef const row_t *rows = <const row_t *> part.rows
    cdef uint32_t i, number, place, size, n_buckets, n = part.n_neg + part.n_pos
    # Some 16 rows in a bucket.
    cdef int bits = min(BUCKET_BITS, max(1, bit_length(n) - 4))
    cdef int shift = max(0, bit_length(_less(high, low)) - bits)
    n_buckets = <uint32_t> (_less(high, low) >> shift) + 1
    memset(ends, 0, 2 * n_buckets * sizeof(uint32_t))
    for i in range(part.n_neg):
        ends[2 * (_less(rows[i], low) >> shift)] += 1
    for i in range(part.n_neg, n):
        ends[2 * (_less(rows[i], low) >> shift) + 1] += 1
    place = 0
    for number in range(2 * n_buckets):
        size = ends[number]
        ends[number] = place
        place += size
    # Each start moves on to the end.
    for i in range(n):
        number = <uint32_t> (2 * (_less(rows[i], low) >> shift)) + (i >= part.n_neg)
        place = ends[number]
        ends[number] = place + 1
        placed[place] = rows[i]
        if part.weights != NULL:
            placed_weights[place] = part.weights[i]
    return n_buckets


cdef void add_in_parts(
    const part_t *part, row_t *spare, uint64_t *spare_weights, add_rows_t add, void *sums
) noexcept nogil:
    """Let ``add`` have rows that it did not take at once, in parts from the lowest up."""
    cdef uint32_t ends[2 * MOST_BUCKETS]
    cdef row_t *rows = <row_t *> part.rows
    cdef uint32_t i, bucket, n_buckets, first = 0, middle, last
    cdef uint64_t *own_spare = NULL
    cdef part_t own
    cdef row_t low = rows[0], high = rows[0]
    for i in range(1, part.n_neg + part.n_pos):
        low = min(low, rows[i])
        high = max(high, rows[i])
    if low == high:
        add(part, True, sums)
        return
    n_buckets = _split(part, low, high, ends, spare, spare_weights)
    for bucket in range(n_buckets):
        middle = ends[2 * bucket]
        last = ends[2 * bucket + 1]
        if last > first:
            own = part_t(spare + first, NULL, middle - first, last - middle)
            if part.weights != NULL:
                own.weights = spare_weights + first
                own_spare = part.weights + first
            add_rows(&own, rows + first, own_spare, add, sums)
            first = last


cdef inline void _add_pairs(
    const part_t *part, uint64_t below, uint64_t equal, pairs_t *pairs
) noexcept nogil:
    pairs.not_above += pairs.negatives * part.n_pos + below + equal
    pairs.tied += equal
    pairs.negatives += part.n_neg


cdef inline bint _compare_offsets(const part_t *part, bint alike, void *pairs) noexcept nogil:
    cdef const int32_t *offsets = <const int32_t *> part.rows
    cdef uint64_t below = 0, equal = 0, n_pairs = <uint64_t> part.n_neg * part.n_pos
    if alike:
        equal = n_pairs
    elif n_pairs > FEW_PAIRS:
        return False
    elif n_pairs > 0:
        fastauc_compare(
            offsets, part.n_neg, offsets + part.n_neg, part.n_pos, &below, &equal
        )
    _add_pairs(part, below, equal, <pairs_t *> pairs)
    return True


cdef inline bint _compare_keys(const part_t *part, bint alike, void *pairs) noexcept nogil:
    cdef const uint64_t *keys = <const uint64_t *> part.rows
    cdef uint64_t below = 0, equal = 0, n_pairs = <uint64_t> part.n_neg * part.n_pos
    cdef uint32_t i, j
    if alike:
        equal = n_pairs
    elif n_pairs > FEW_PAIRS_OF_KEYS:
        return False
    else:
        for j in range(part.n_neg, part.n_neg + part.n_pos):
            for i in range(part.n_neg):
                below += keys[i] < keys[j]
                equal += keys[i] == keys[j]
    _add_pairs(part, below, equal, <pairs_t *> pairs)
    return True


cdef void compare_placed(const part_t *part, row_t *spare, pairs_t *pairs) noexcept nogil:
    """Add the pairs of rows with each other and with negatives so far.

    As many spare places are used. Offsets have 7 more readable places in both.
    """
    if row_t is int32_t:
        add_rows(part, spare, NULL, _compare_offsets, pairs)
    else:
        add_rows(part, spare, NULL, _compare_keys, pairs)


def compare_rows(
    int32_t[::1] offsets,
    const uint32_t[::1] ends,
    Py_ssize_t first_bucket,
    Py_ssize_t stop_bucket,
    bint exact,
    int32_t[::1] scratch,
    uint8_t[::1] unresolved,
):
    """Compare the rows of some buckets; return not above, tied, and the rows of each class.

    Assumes ``ends`` of buckets and classes, 8 unused places at the end of ``offsets`` and of
    ``scratch``, which has room for the largest bucket. Pairs in different buckets count always.
    Pairs within a bucket do not if two offsets of different classes are equal and that does not
    mean equal scores: the bucket is marked ``unresolved``.
    """
    cdef Py_ssize_t bucket
    cdef uint32_t first, middle, last
    cdef uint64_t positives = 0, tied, not_above
    cdef part_t part
    cdef pairs_t pairs = pairs_t(0, 0, 0)
    with nogil:
        last = ends[2 * first_bucket - 1] if first_bucket > 0 else 0
        for bucket in range(first_bucket, stop_bucket):
            first = last
            middle = ends[2 * bucket]
            last = ends[2 * bucket + 1]
            part = part_t(&offsets[first], NULL, middle - first, last - middle)
            positives += part.n_pos
            tied = pairs.tied
            not_above = pairs.not_above + pairs.negatives * part.n_pos
            compare_placed(&part, &scratch[0], &pairs)
            if pairs.tied > tied and not exact:
                unresolved[bucket] = 1
                pairs.tied = tied
                pairs.not_above = not_above
    return pairs.not_above, pairs.tied, pairs.negatives, positives


def find_rows(
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] intervals,
    const uint8_t[::1] chosen,
    uint32_t[::1] rows,
):
    """Write the rows of the chosen buckets; return how many they are.

    There is room for one row more. If there are more than that, as somebody has changed the scores
    since they were counted, all of these are written to the last place.
    """
    cdef map_t buckets = read_map(line, intervals)
    cdef uint32_t numbers[BLOCK]
    cdef Py_ssize_t start = 0, i, size, n = score.shape[0], place = 0, last = rows.shape[0] - 1
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            _find_buckets(&score[start], size, &buckets, numbers)
            for i in range(size):
                # Written always, kept if chosen: which rows are is not predictable.
                rows[place] = <uint32_t> (start + i)
                place = min(place + chosen[numbers[i]], last)
            start += size
    return place


# Ranks among a rare class -------------------------------------------------------------------------


def find_class(const uint8_t[::1] label, uint8_t chosen, int64_t[::1] rows):
    """Write the rows of a class, which is rare, in their order; there is room for one more."""
    cdef uint64_t word, others = <uint64_t> 0x0101010101010101 * (1 - chosen)
    cdef Py_ssize_t start, i, n = label.shape[0], place = 0
    with nogil:
        for start in range(0, n - 7, 8):
            memcpy(&word, &label[start], sizeof(word))
            if word != others:
                for i in range(start, start + 8):
                    rows[place] = i
                    place += label[i] == chosen
        for i in range(n - n % 8, n):
            rows[place] = i
            place += label[i] == chosen


cdef inline void _fill_buckets(
    Py_ssize_t first, Py_ssize_t stop, uint64_t rank, uint8_t *ranks, uint64_t *bases
) noexcept nogil:
    cdef Py_ssize_t end
    cdef uint64_t above
    while first < stop:
        if first % BUCKETS_PER_BASE == 0:
            bases[first // BUCKETS_PER_BASE] = rank
        above = rank - bases[first // BUCKETS_PER_BASE]
        end = min(stop, (first | (BUCKETS_PER_BASE - 1)) + 1)
        memset(ranks + first, <int> (2 * above if above < 128 else 1), end - first)
        first = end


cdef void _find_ranked(
    const score_t *score, Py_ssize_t n, const map_t *line, const uint64_t *cells, uint32_t *numbers
) noexcept nogil:
    cdef uint64_t keys[BLOCK]
    cdef uint64_t key
    cdef const uint64_t *cell
    cdef Py_ssize_t i
    if cells == NULL:
        map_scores(score, n, line, numbers)
        return
    for i in range(n):
        keys[i] = key_of(score + i)
    for i in range(n):
        key = min(max(keys[i], cells[0]), cells[1]) - cells[0]
        cell = cells + 3 + 2 * (key >> cells[2])
        key = (max(keys[i], cell[0]) - cell[0]) >> (cell[1] & 63)
        numbers[i] = <uint32_t> ((cell[1] >> 32) + min(key, <uint64_t> (<uint32_t> cell[1] >> 6)))


def find_ranked(
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] cells,
    uint32_t[::1] numbers,
):
    """Write the bucket of each score, on a line or, unless they are empty, in cells.

    ``cells`` holds the lowest and the highest key of a rare class, the shift of a key less the
    lowest to the number of its cell, and two words for each cell: a key that its first bucket
    starts at; and, from the upper half down, the number of that bucket, how many more there are in
    26 bits, and the shift to them in 6.
    """
    cdef map_t buckets = map_of_line(line)
    cdef const uint64_t *in_cells = &cells[0] if cells.shape[0] > 0 else NULL
    cdef Py_ssize_t start = 0, size, n = score.shape[0]
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            _find_ranked(&score[start], size, &buckets, in_cells, &numbers[start])
            start += size


def rank_buckets(const uint32_t[::1] numbers, uint8_t[::1] ranks, uint64_t[::1] bases):
    """Make the tables of ``rank_rows`` from the sorted buckets of the rare class.

    The rank of a bucket is the number of rare rows in lower buckets. ``bases`` holds that of each
    64th bucket, ``ranks[bucket]`` how much more it is, times 2, plus 1 if the bucket is close: it
    holds a rare row, or is so far above its base that 7 bits do not tell; then 0 takes their place.
    """
    cdef Py_ssize_t j, n = numbers.shape[0], n_filled = 0
    with nogil:
        for j in range(n):
            if n_filled <= numbers[j]:
                _fill_buckets(n_filled, numbers[j] + 1, j, &ranks[0], &bases[0])
                n_filled = numbers[j] + 1
                ranks[n_filled - 1] |= 1
        _fill_buckets(n_filled, ranks.shape[0], n, &ranks[0], &bases[0])


cdef struct sums_t:
    uint64_t bases
    uint64_t ranks
    Py_ssize_t n_close


cdef inline void _add_rank(
    uint32_t number,
    Py_ssize_t row,
    const uint8_t *ranks,
    const uint64_t *bases,
    uint16_t *close,
    sums_t *sums,
) noexcept nogil:
    cdef uint64_t rank = ranks[number]
    sums.bases += bases[number // BUCKETS_PER_BASE]
    sums.ranks += rank
    # Written always, kept if close: which rows are is not predictable.
    close[sums.n_close] = <uint16_t> row
    sums.n_close += rank & 1


cdef inline void _search(
    const uint64_t *sought, const uint64_t *tree, int depth, uint64_t *places
) noexcept nogil:
    """Write how many keys of the tree are not above each of SEARCHED others."""
    # So many at a time, as each step of one search waits for the step before it.
    cdef uint64_t nodes[SEARCHED]
    cdef int j, _level
    for j in range(SEARCHED):
        nodes[j] = 1
    for _level in range(depth):
        for j in range(SEARCHED):
            nodes[j] = 2 * nodes[j] + (tree[nodes[j]] <= sought[j])
    for j in range(SEARCHED):
        places[j] = nodes[j] - (<uint64_t> 1 << depth)


def rank_rows(
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] cells,
    const uint8_t[::1] ranks,
    const uint64_t[::1] bases,
    const uint64_t[::1] keys,
    const uint32_t[::1] sizes,
    const uint64_t[::1] tree,
    uint32_t[::1] counts,
):
    """Add up how many rows of the rare class are at or below each row, and how many are tied.

    Assumes the tables of ``rank_buckets``, or those of one close bucket, which need no map. Rows in
    buckets that are not close have the rank of the bucket. Others are compared with the first rare
    score from there on, and searched for if there may be a second one. ``keys`` are those of the
    rare class in order, ``sizes`` how many each ties with, itself included; both have one more, of
    size 0, at either end, and the last key is the highest there is. The ``tree`` holds the keys of
    the rare class level by level, its root at 1, and the highest key where there are no more.

    ``counts[rank]`` has the rows that are searched for added to it, by how many rare rows are at or
    below them, unless it is empty.
    """
    cdef map_t buckets = map_of_line(line)
    cdef const uint64_t *in_cells = &cells[0] if cells.shape[0] > 0 else NULL
    cdef bint is_mapped = ranks.shape[0] > 1, is_counted = counts.shape[0] > 0
    cdef uint32_t numbers[BLOCK]
    cdef uint16_t close[BLOCK + 1]
    cdef uint64_t sought[BLOCK + 2 * SEARCHED]
    cdef uint64_t places[SEARCHED]
    cdef const score_t *scores
    cdef sums_t sums = sums_t(0, 0, 0)
    cdef uint64_t key, first, place, is_far, inside = 0, tied = 0, n_rare = keys.shape[0] - 2
    cdef Py_ssize_t start = 0, i, j, k, size, n_far = 0, n = score.shape[0], n_all_close = 0
    cdef int depth = bit_length(tree.shape[0]) - 1
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            scores = &score[start]
            start += size
            if is_mapped:
                _find_ranked(scores, size, &buckets, in_cells, numbers)
                sums.n_close = 0
                for i in range(0, size - 3, 4):
                    for k in range(4):
                        _add_rank(numbers[i + k], i + k, &ranks[0], &bases[0], close, &sums)
                for i in range(size - size % 4, size):
                    _add_rank(numbers[i], i, &ranks[0], &bases[0], close, &sums)
                n_all_close += sums.n_close
                for k in range(sums.n_close):
                    i = close[k]
                    key = key_of(scores + i)
                    first = bases[numbers[i] // BUCKETS_PER_BASE] + (ranks[numbers[i]] >> 1)
                    place = first + (sizes[first + 1] & (0 - <uint64_t> (keys[first + 1] <= key)))
                    # Behind the rare class, the key at the end may be that of a row.
                    is_far = (place < n_rare) & (keys[place + 1] <= key)
                    tied += sizes[first + 1] & (0 - <uint64_t> (keys[first + 1] == key))
                    inside += (place & (is_far - 1)) - first
                    sought[n_far] = key
                    n_far += is_far
            else:
                for i in range(size):
                    sought[n_far + i] = key_of(scores + i)
                n_far += size
            k = 0
            while n_far - k >= SEARCHED or (k < n_far and start == n):
                size = min(<Py_ssize_t> SEARCHED, n_far - k)
                # What fills up the last search counts for nothing.
                for j in range(size, SEARCHED):
                    sought[k + j] = 0
                _search(sought + k, &tree[0], depth, places)
                for j in range(size):
                    # What fills the tree may be at or below the highest key.
                    place = min(places[j], n_rare)
                    inside += place
                    if is_counted:
                        counts[place] += 1
                    tied += sizes[place] & (0 - <uint64_t> (keys[place] == sought[k + j]))
                k += SEARCHED
            for j in range(k, n_far):
                sought[j - k] = sought[j]
            n_far -= k
    inside += sums.bases + ((sums.ranks - n_all_close) >> 1)
    return inside, tied
