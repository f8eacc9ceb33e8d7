"""All rows of a small sample as the rows of one bucket: nothing to draw, to count, or to sort.

The offset of a row is where its score lies between the lowest and the highest one; or, for doubles
that this brings too close together, the leading bits of its key in the range of all keys. Rows of
equal offsets may have different scores; whether any of them do is looked up. Of a few, the pairs
are counted again by their scores; otherwise, and of weights, the answer is not sure.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from fastauc._kernels.bucket_map cimport BLOCK, key_of, map_scores, map_t, mask_of, score_t
from fastauc._kernels.buckets cimport compare_placed, part_t
from fastauc._kernels.inputs cimport (
    close_rows, find_clean, find_extremes, find_range, open_rows, rows_t, sample_t
)
from fastauc._kernels.rank_sum cimport pairs_t
from fastauc._kernels.weighted_rank_sum cimport as_integers, unit_of, weigh_placed

cdef enum:
    # Rows for which there is room on the stack.
    CLEAN_ROWS = 1024
    # From so many rows on, a few of them show which offsets tell all of them apart.
    MANY_ROWS = 512
    DRAWN = 64
    SPACING = 4
    # Offsets of different scores that are looked at again, rows that have them, and pairs of rows
    # that show them.
    MOST_CLOSE = 64
    MOST_CLOSE_ROWS = 256
    MOST_LOOKS = 1024
    MANY_CLOSE_ROWS = 32768


# Offsets ----------------------------------------------------------------------------------------


cdef struct offsets_t:
    map_t line  # its scale is 0 where keys are taken
    uint64_t first_key
    int shift  # of a key less first_key


cdef void _choose_keys(
    const score_t *score, Py_ssize_t n, Py_ssize_t step, offsets_t *offsets
) noexcept nogil:
    """Choose keys in the range of every so many rows."""
    cdef Py_ssize_t i
    cdef uint64_t key, low, high
    low = high = key_of(score)
    for i in range(n // step):
        key = key_of(score + i * step)
        low = min(low, key)
        high = max(high, key)
    offsets.line.scale = 0.0
    offsets.first_key = low
    offsets.shift = 0
    while (high - low) >> offsets.shift > <uint64_t> 0xFFFFFFFF:
        offsets.shift += 1


cdef inline void _offset(
    const score_t *score, Py_ssize_t n, const offsets_t *offsets, uint64_t *places
) noexcept nogil:
    """Write offsets of 32 bits; above them, places may hold anything."""
    cdef Py_ssize_t i
    if offsets.line.scale > 0.0:
        map_scores(score, n, &offsets.line, places)
    else:
        for i in range(n):
            places[i] = (key_of(score + i) - offsets.first_key) >> offsets.shift


cdef void _place(
    const sample_t *sample, const score_t *score, const offsets_t *offsets, int32_t *rows
) noexcept nogil:
    """Write the offsets of negatives from the front and those of positives from the end.

    Each is written to both ends of the free places, and only one end moves.
    """
    cdef uint64_t places[BLOCK]
    cdef const uint8_t *label = sample.label
    cdef Py_ssize_t n = sample.n, start = 0, i, size, front = 0, back = n - 1
    cdef int32_t offset
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        _offset(score + start, size, offsets, places)
        for i in range(size):
            offset = <int32_t> (<uint32_t> places[i] ^ (<uint32_t> 1 << 31))
            rows[front] = offset
            rows[back] = offset
            front += 1 - label[start + i]
            back -= label[start + i]
        start += size


cdef int _find_close(
    const score_t *score, Py_ssize_t n, const offsets_t *offsets, int32_t *rows, uint32_t *close
) noexcept nogil:
    """Write offsets that different scores have; return how many, or one more than MOST_CLOSE.

    The offsets of all rows are overwritten.
    """
    cdef uint64_t places[BLOCK]
    cdef Py_ssize_t i
    cdef uint64_t key, other_place
    cdef uint32_t *table = <uint32_t *> rows
    cdef uint32_t slot, row, size = <uint32_t> (2 * (n + SPARE_ROWS))
    cdef int k, n_close = 0, n_looks = 0
    if offsets.line.scale == 0.0 and offsets.shift == 0:
        return 0
    # Rows by their offsets, counted from 1: 0 is a free place.
    memset(table, 0, size * sizeof(uint32_t))
    for i in range(n):
        if i % BLOCK == 0:
            _offset(score + i, min(<Py_ssize_t> BLOCK, n - i), offsets, places)
        key = key_of(score + i)
        slot = <uint32_t> places[i % BLOCK] * <uint32_t> 0x9E3779B1
        slot = <uint32_t> (<uint64_t> slot * size >> 32)
        row = table[slot]
        while row != 0 and key_of(score + row - 1) != key:
            _offset(score + row - 1, 1, offsets, &other_place)
            if <uint32_t> other_place == <uint32_t> places[i % BLOCK]:
                n_looks += 1
                k = 0
                while k < n_close and close[k] != <uint32_t> other_place:
                    k += 1
                if k == MOST_CLOSE or n_looks > MOST_LOOKS:
                    return MOST_CLOSE + 1
                close[k] = <uint32_t> other_place
                n_close = max(n_close, k + 1)
            slot = slot + 1 if slot + 1 < size else 0
            row = table[slot]
        if row == 0:
            table[slot] = <uint32_t> (i + 1)
    return n_close


cdef bint _correct_close(
    const sample_t *sample,
    const score_t *score,
    const offsets_t *offsets,
    const uint32_t *close,
    int n_close,
    pairs_t *pairs,
) noexcept nogil:
    """Count the pairs of rows with one of these offsets by their scores; tell if they are few."""
    cdef uint64_t places[BLOCK]
    cdef Py_ssize_t rows[MOST_CLOSE_ROWS]
    cdef uint32_t of_rows[MOST_CLOSE_ROWS]
    cdef uint64_t neg, pos, chosen = 0
    cdef Py_ssize_t i
    cdef int j, k, n_rows = 0
    for k in range(n_close):
        chosen |= <uint64_t> 1 << (close[k] & 63)
    for i in range(sample.n):
        if i % BLOCK == 0:
            _offset(score + i, min(<Py_ssize_t> BLOCK, sample.n - i), offsets, places)
        if chosen >> (places[i % BLOCK] & 63) & 1:
            for k in range(n_close):
                if close[k] == <uint32_t> places[i % BLOCK]:
                    if n_rows == MOST_CLOSE_ROWS:
                        return False
                    rows[n_rows] = i
                    of_rows[n_rows] = close[k]
                    n_rows += 1
                    break
    for j in range(n_rows):
        for k in range(n_rows):
            if sample.label[rows[j]] < sample.label[rows[k]] and of_rows[j] == of_rows[k]:
                neg = key_of(score + rows[j])
                pos = key_of(score + rows[k])
                pairs.not_above -= neg > pos
                pairs.tied -= neg != pos
    return True


cdef double _expected_close(
    const score_t *score, Py_ssize_t n, const offsets_t *offsets
) noexcept nogil:
    """Return about how many pairs of rows have different scores of one offset.

    The density of the scores is that of DRAWN of them, where each has SPACING others above it.
    """
    cdef uint64_t keys[DRAWN]
    cdef uint64_t places[DRAWN]
    cdef uint64_t key, place
    cdef double density = 0.0
    cdef Py_ssize_t i, j, m = 0
    for i in range(DRAWN):
        key = key_of(score + i * n // DRAWN)
        _offset(score + i * n // DRAWN, 1, offsets, &place)
        j = m
        while j > 0 and keys[j - 1] >= key:
            j -= 1
        if j == m or keys[j] != key:
            memmove(keys + j + 1, keys + j, (m - j) * sizeof(uint64_t))
            memmove(places + j + 1, places + j, (m - j) * sizeof(uint64_t))
            keys[j] = key
            places[j] = place & <uint64_t> 0xFFFFFFFF
            m += 1
    for i in range(m - 1):
        if places[i + 1] == places[i]:
            return INFINITY
    for i in range(m - SPACING):
        density += 1.0 / (<double> (places[i + SPACING] - places[i]) + 0.5)
    return density * (SPACING - 1) * (<double> n / DRAWN) * (<double> n / DRAWN) / 2


cdef bint _choose_offsets(
    const sample_t *sample,
    const score_t *score,
    bint by_line,
    double most_close,
    offsets_t *offsets,
) noexcept nogil:
    """Tell if offsets on a line, or those of keys, are worth a try."""
    cdef double width = sample.high - sample.low
    offsets.line.intervals = NULL
    offsets.line.mask = mask_of(1)
    offsets.line.low = sample.low
    offsets.line.scale = 0.0
    if by_line:
        if score_t is double:
            # What the difference of two scores loses, as it is subnormal, is less than half an
            # offset. The highest offset is 2^32 - 1.
            if 1e-280 < width < INFINITY:
                offsets.line.scale = 4294967295.0 / width
                return sample.n < MANY_ROWS or (
                    _expected_close(score, sample.n, offsets) <= min(most_close, 1.0)
                )
        return False
    if sample.n < MANY_ROWS:
        _choose_keys(score, sample.n, 1, offsets)
        return True
    # All keys have as wide a range as every so many, or a wider one.
    _choose_keys(score, sample.n, sample.n // DRAWN, offsets)
    if offsets.shift > 0 and _expected_close(score, sample.n, offsets) > most_close:
        return False
    _choose_keys(score, sample.n, 1, offsets)
    return offsets.shift == 0 or _expected_close(score, sample.n, offsets) <= most_close


# Pairs ------------------------------------------------------------------------------------------


cdef bint compare_sample(
    const sample_t *sample, const score_t *score, int32_t *rows, pairs_t *pairs
) noexcept nogil:
    cdef Py_ssize_t n = sample.n
    cdef part_t part = part_t(rows, NULL, n - sample.n_pos, sample.n_pos)
    cdef offsets_t offsets
    cdef uint32_t close[MOST_CLOSE]
    cdef int by_line, n_close
    # To find a single pair again among many rows takes longer than what one bucket gains.
    cdef double most_close = 8.0 if n <= MANY_CLOSE_ROWS else 0.5
    for by_line in range(1, -1, -1):
        if not _choose_offsets(sample, score, by_line, most_close, &offsets):
            continue
        _place(sample, score, &offsets, rows)
        pairs[0] = pairs_t(0, 0, 0)
        compare_placed(&part, rows + n + SPARE_ROWS, pairs)
        n_close = 0 if pairs.tied == 0 else _find_close(score, n, &offsets, rows, close)
        if n_close == 0 or (
            n_close <= MOST_CLOSE
            and _correct_close(sample, score, &offsets, close, n_close, pairs)
        ):
            return True
    return False


def compare_few(
    const uint8_t[::1] label, const score_t[::1] score, Py_ssize_t n_pos, int32_t[::1] rows
):
    """Return how many negatives are at or below a positive, how many are tied, and if that is sure.

    Assumes less than 2^31 rows, ``n_pos`` of them positive, and room for twice as many and 16.
    """
    cdef sample_t sample = sample_t(&label[0], label.shape[0], n_pos, 0.0, 0.0)
    cdef pairs_t pairs
    cdef bint sure
    with nogil:
        if score_t is double:
            find_range(&score[0], sample.n, &sample.low, &sample.high)
        sure = compare_sample(&sample, &score[0], &rows[0], &pairs)
    return pairs.not_above, pairs.tied, sure


def compare_clean(y_true, y_score):
    """Return what ``compare_few`` does and the rows of each class, or None.

    None says that something needs a closer look: more than 1,024 rows, whatever it is for
    ``inputs.read_clean``, or an answer that is not sure. Assumes arrays.
    """
    cdef rows_t rows
    cdef uint8_t label[CLEAN_ROWS]
    cdef int32_t offsets[2 * (CLEAN_ROWS + SPARE_ROWS)]
    cdef pairs_t pairs
    cdef const void *score
    cdef bint sure = False
    if not open_rows(y_true, y_score, &rows):
        return None
    with nogil:
        if rows.sample.n <= CLEAN_ROWS and find_clean(&rows, label):
            score = rows.y_score.buf
            if rows.score_type == b"d":
                sure = compare_sample(&rows.sample, <const double *> score, offsets, &pairs)
            elif rows.score_type == b"f":
                sure = compare_sample(&rows.sample, <const float *> score, offsets, &pairs)
            else:
                sure = compare_sample(&rows.sample, <const int64_t *> score, offsets, &pairs)
    close_rows(&rows)
    if not sure:
        return None
    return pairs.not_above, pairs.tied, rows.sample.n_pos, rows.sample.n - rows.sample.n_pos


# Weights ----------------------------------------------------------------------------------------


cdef void _place_fixed_weights(const sample_t *sample, weighing_t *weighing) noexcept nogil:
    """Write the units where ``_place`` writes the offsets; count rows that lose some of them."""
    cdef const uint8_t *label = sample.label
    cdef uint64_t *fixed_weights = weighing.fixed_weights
    cdef Py_ssize_t i, front = 0, back = sample.n - 1
    cdef double whole
    weighing.n_cut[0] = weighing.n_cut[1] = 0
    for i in range(sample.n):
        whole = weighing.weight[i] * weighing.units[label[i]]
        weighing.n_cut[label[i]] += <double> <int64_t> whole < whole
        fixed_weights[front] = fixed_weights[back] = <int64_t> whole
        front += 1 - label[i]
        back -= label[i]


cdef bint weigh_sample(
    const sample_t *sample, const score_t *score, int32_t *rows, weighing_t *weighing
) noexcept nogil:
    cdef Py_ssize_t n = sample.n
    cdef int32_t *spare = rows + n + SPARE_ROWS
    cdef uint64_t *fixed_weights = weighing.fixed_weights
    cdef part_t part = part_t(rows, fixed_weights, n - sample.n_pos, sample.n_pos)
    cdef offsets_t offsets
    cdef uint32_t close[MOST_CLOSE]
    cdef bint by_line, any_equal
    for by_line in range(1, -1, -1):
        if not _choose_offsets(sample, score, by_line, 1.0, &offsets):
            continue
        _place(sample, score, &offsets, rows)
        _place_fixed_weights(sample, weighing)
        memset(&weighing.sums, 0, sizeof(weighing.sums))
        # Read behind the last rows, see `weigh_few`.
        memset(rows + n, 0, SPARE_ROWS * sizeof(int32_t))
        memset(spare + n, 0, SPARE_ROWS * sizeof(int32_t))
        any_equal = weigh_placed(&part, spare, fixed_weights + n, &weighing.sums)
        if not any_equal or not _find_close(score, n, &offsets, rows, close):
            return True
    return False


cdef _result_of(const weighing_t *weighing, bint sure):
    return (*as_integers(&weighing.sums), weighing.n_cut[0], weighing.n_cut[1]) if sure else None


def weigh_few(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] weight,
    Py_ssize_t n_pos,
    double unit_neg,
    double unit_pos,
    int32_t[::1] rows,
    uint64_t[::1] fixed_weights,
):
    """Return what ``weighted_rank_sum.weigh_packed_rows`` does, or None if that is not sure.

    Assumes less than 2^31 rows, ``n_pos`` of them positive, units as
    ``buckets.place_rows`` has them, and room for twice as many rows and 16, and
    for twice as many units.
    """
    cdef sample_t sample = sample_t(&label[0], label.shape[0], n_pos, 0.0, 0.0)
    cdef weighing_t weighing
    cdef bint sure
    weighing.weight = &weight[0]
    weighing.units[0] = unit_neg
    weighing.units[1] = unit_pos
    weighing.fixed_weights = &fixed_weights[0]
    with nogil:
        if score_t is double:
            find_range(&score[0], sample.n, &sample.low, &sample.high)
        sure = weigh_sample(&sample, &score[0], &rows[0], &weighing)
    return _result_of(&weighing, sure)


def weigh_clean(y_true, y_score, const double[::1] weight):
    """Return what ``weigh_few`` does of a small sample, or None.

    None says what it says for ``compare_clean``; or weights of another length, one that is not
    above 0, or a sum of them that is not finite. Assumes arrays.
    """
    cdef rows_t rows
    cdef uint8_t label[CLEAN_ROWS]
    cdef int32_t offsets[2 * (CLEAN_ROWS + SPARE_ROWS)]
    cdef uint64_t fixed_weights[2 * CLEAN_ROWS]
    cdef double lowest[2]
    cdef double highest[2]
    cdef weighing_t weighing
    cdef const void *score
    cdef bint sure = False
    if not open_rows(y_true, y_score, &rows):
        return None
    weighing.weight = &weight[0] if weight.shape[0] > 0 else NULL
    weighing.fixed_weights = fixed_weights
    with nogil:
        if (
            rows.sample.n <= CLEAN_ROWS
            and rows.sample.n == weight.shape[0]
            and find_clean(&rows, label)
            and find_extremes(label, weighing.weight, rows.sample.n, lowest, highest) < INFINITY
            and lowest[0] > 0
            and lowest[1] > 0
        ):
            weighing.units[0] = unit_of(highest[0], LARGEST_FIXED_WEIGHT)
            weighing.units[1] = unit_of(highest[1], LARGEST_FIXED_WEIGHT)
            score = rows.y_score.buf
            if rows.score_type == b"d":
                sure = weigh_sample(&rows.sample, <const double *> score, offsets, &weighing)
            elif rows.score_type == b"f":
                sure = weigh_sample(&rows.sample, <const float *> score, offsets, &weighing)
            else:
                sure = weigh_sample(&rows.sample, <const int64_t *> score, offsets, &weighing)
    close_rows(&rows)
    return _result_of(&weighing, sure)
