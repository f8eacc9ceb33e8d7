"""Rows in monotone buckets: counted, placed, and compared with the few others of their bucket.

A map sends a score to a position Q = bucket << 32 | offset that never decreases with the score.
Rows of different buckets are in the order of their buckets. In a bucket, rows of different offsets
are in the order of their offsets, and rows of one offset are tied or too close for the map to tell:
such a bucket is left unresolved, unless the offset is the whole score. Nothing is wrong by a coarse
map, only unresolved.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fastauc._kernels.bucket_map cimport (
    BLOCK,
    offset_of,
    key_of,
    map_buckets,
    map_positions,
    map_t,
    read_map,
    score_t,
)

# Its C code is used in that below.
from fastauc._kernels.compiler cimport FASTAUC_PREFETCH
from fastauc._kernels.partition cimport PARTS, find_range, row_t, split_rows

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
    # Pairs that are compared one by one: more of them, and it is quicker to split the rows.
    FEW_PAIRS = 4096
    FEW_PAIRS_OF_KEYS = 512


def draw_sample(const score_t[::1] score, score_t[::1] sample):
    """Copy scores from all over the array; no period of the rows can hide from the golden ratio."""
    cdef Py_ssize_t i, n = score.shape[0]
    cdef uint64_t step = <uint64_t> 0x9E3779B97F4A7C15, place = 0
    with nogil:
        for i in range(sample.shape[0]):
            # The upper 32 bits of the place as a fraction; assumes n < 2^32.
            sample[i] = score[<Py_ssize_t> (((place >> 32) * <uint64_t> n) >> 32)]
            place += step


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


def count_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    uint32_t[::1] counts,
):
    """Add the rows to ``counts[2 * bucket + label]``."""
    cdef map_t buckets = read_map(line, pieces)
    cdef uint32_t numbers[BLOCK]
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            map_buckets(&score[start], size, &buckets, numbers)
            for i in range(size):
                counts[2 * <size_t> numbers[i] + label[start + i]] += 1
            start += size


def start_rows(uint32_t[:, ::1] counts, uint32_t[::1] ends):
    """Turn the counts of each block of rows, in place, into where its rows are placed.

    ``counts[k, 2 * bucket + label]`` is that of block k, and ``ends[2 * bucket + label]`` becomes
    where the rows of all blocks end. Returns the size of the largest bucket.
    """
    cdef Py_ssize_t n_blocks = counts.shape[0], i, k
    cdef uint32_t place = 0, size, first = 0, largest = 0
    cdef uint32_t *starts = &counts[0, 0]
    with nogil:
        for i in range(counts.shape[1]):
            if n_blocks == 1:
                size = starts[i]
                starts[i] = place
                place += size
            else:
                for k in range(n_blocks):
                    size = counts[k, i]
                    counts[k, i] = place
                    place += size
            ends[i] = place
            if i & 1:
                largest = max(largest, place - first)
                first = place
    return largest


def place_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    uint32_t[::1] starts,
    int32_t[::1] offsets,
):
    """Write the offset of each row to the next place of its bucket and class.

    The starts move on. Scores that somebody changes meanwhile, after they were counted, make the
    places wrong, but none of them is beyond the rows.
    """
    cdef map_t buckets = read_map(line, pieces)
    cdef uint64_t positions[BLOCK]
    cdef uint64_t part
    cdef uint32_t place, last = <uint32_t> (offsets.shape[0] - 1)
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            map_positions(&score[start], size, &buckets, positions)
            for i in range(size):
                part = 2 * (positions[i] >> 32) + label[start + i]
                place = min(starts[part], last)
                starts[part] = place + 1
                offsets[place] = offset_of(&score[start + i], positions[i])
                # The next line of the bucket is wanted soon, and for writing.
                FASTAUC_PREFETCH(&offsets[place + 8])
            start += size


cdef inline bint _compare_few(
    const row_t *rows, uint32_t n_neg, uint32_t n_pos, tally_t *tally
) noexcept nogil:
    """Compare every negative with every positive, unless there are too many of them."""
    cdef uint64_t below, equal
    cdef uint32_t i, j
    if row_t is int32_t:
        if <uint64_t> n_neg * n_pos > FEW_PAIRS:
            return False
        fastauc_compare(rows, n_neg, rows + n_neg, n_pos, &below, &equal)
    else:
        if <uint64_t> n_neg * n_pos > FEW_PAIRS_OF_KEYS:
            return False
        below = equal = 0
        for j in range(n_neg, n_neg + n_pos):
            for i in range(n_neg):
                below += rows[i] < rows[j]
                equal += rows[i] == rows[j]
    tally.not_above += below + equal
    tally.tied += equal
    return True


cdef void compare_placed(
    row_t *rows, uint32_t n_neg, uint32_t n_pos, row_t *scratch, tally_t *tally
) noexcept nogil:
    """Add the pairs among ``rows``, negatives first; as many places of ``scratch`` are used.

    Offsets have 7 more readable places in both. Where there are too many pairs to compare, the rows
    are split; see ``partition``.
    """
    cdef uint32_t ends[2 * PARTS]
    cdef uint32_t part, n_parts, first = 0, middle, last
    cdef uint64_t negatives = 0
    cdef row_t low, high
    if n_neg == 0 or n_pos == 0 or _compare_few(rows, n_neg, n_pos, tally):
        return
    find_range(rows, n_neg + n_pos, &low, &high)
    if low == high:
        tally.not_above += <uint64_t> n_neg * n_pos
        tally.tied += <uint64_t> n_neg * n_pos
        return
    n_parts = split_rows(
        rows, <const uint64_t *> NULL, n_neg, n_neg + n_pos, low, high, ends, scratch, NULL
    )
    for part in range(n_parts):
        middle = ends[2 * part]
        last = ends[2 * part + 1]
        tally.not_above += negatives * (last - middle)
        negatives += middle - first
        if last > first:
            compare_placed(scratch + first, middle - first, last - middle, rows + first, tally)
        first = last


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

    Assumes ``ends`` as ``start_rows`` has them, 8 unused places at the end of ``offsets`` and of
    ``scratch``, which has room for the largest bucket. Pairs in different buckets count always.
    Pairs within a bucket do not if two offsets of different classes are equal and that does not
    mean equal scores: the bucket is marked ``unresolved``.
    """
    cdef Py_ssize_t bucket
    cdef uint32_t first, middle, last, n_neg, n_pos
    cdef uint64_t negatives = 0, positives = 0
    cdef tally_t total = tally_t(0, 0), inside
    with nogil:
        last = ends[2 * first_bucket - 1] if first_bucket > 0 else 0
        for bucket in range(first_bucket, stop_bucket):
            first = last
            middle = ends[2 * bucket]
            last = ends[2 * bucket + 1]
            n_neg = middle - first
            n_pos = last - middle
            total.not_above += negatives * n_pos
            negatives += n_neg
            positives += n_pos
            if n_neg > 0 and n_pos > 0:
                inside = tally_t(0, 0)
                compare_placed(&offsets[first], n_neg, n_pos, &scratch[0], &inside)
                if inside.tied > 0 and not exact:
                    unresolved[bucket] = 1
                else:
                    total.not_above += inside.not_above
                    total.tied += inside.tied
    return total.not_above, total.tied, negatives, positives


def gather_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    const uint8_t[::1] chosen,
    uint8_t[::1] chosen_label,
    score_t[::1] chosen_score,
):
    """Copy the rows of the chosen buckets; return how many they are.

    The copies have room for one row more. If there are more rows than that, as somebody has changed
    the scores since they were counted, all of these are written to the last place.
    """
    cdef map_t buckets = read_map(line, pieces)
    cdef uint64_t positions[BLOCK]
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0], place = 0
    cdef Py_ssize_t last = chosen_label.shape[0] - 1
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            map_positions(&score[start], size, &buckets, positions)
            for i in range(size):
                # Written always, kept if chosen: which rows are is not predictable.
                chosen_label[place] = label[start + i]
                chosen_score[place] = score[start + i]
                place = min(place + chosen[positions[i] >> 32], last)
            start += size
    return place
