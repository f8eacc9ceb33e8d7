"""Tables with an entry for each bucket: one score and its rows, or a rank among the rare class.

Both need no place for a row.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastauc._kernels.bucket_map cimport BLOCK, key_of, map_buckets, map_t, read_map, score_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__)
    #define FASTAUC_APART __attribute__((noinline, cold))
    #else
    #define FASTAUC_APART
    #endif

    /* A hash table of scores that are not the first one of their bucket. */
    typedef struct {
        uint32_t *entries;
        uint64_t mask;  /* as many as a power of two, less 1 */
        int shift;  /* of 64 bits to that power */
        int64_t n_scores;
        int64_t n_looks;
    } fastauc_others_t;

    /* Return the entry of a score that is not the one of its bucket, or not yet. */
    static FASTAUC_APART uint32_t *fastauc_find_entry(
        uint32_t *entry, uint64_t bits, fastauc_others_t *others)
    {
        uint64_t held;
        if (entry[2] + entry[3] > 0) {
            /* The golden ratio spreads what differs, in whichever half of the bits. */
            uint64_t place = ((bits ^ bits >> 32) * UINT64_C(0x9E3779B97F4A7C15)) >> others->shift;
            for (;; place++) {
                others->n_looks++;
                entry = others->entries + 4 * (place & others->mask);
                if (entry[2] + entry[3] == 0)
                    break;
                memcpy(&held, entry, sizeof(held));
                if (held == bits)
                    return entry;
            }
            others->n_scores++;
        }
        memcpy(entry, &bits, sizeof(bits));
        return entry;
    }
    """
    ctypedef struct others_t "fastauc_others_t":
        uint32_t *entries
        uint64_t mask
        int shift
        int64_t n_scores
        int64_t n_looks

    uint32_t *find_entry "fastauc_find_entry"(
        uint32_t *entry, uint64_t bits, others_t *others
    ) noexcept nogil


cdef enum:
    # An entry of a table of scores in words: the bits of the score, its negatives, its positives.
    WORDS = 4
    NEGATIVES = 2
    # Buckets for which one full number tells how many rare rows are below.
    GROUP = 64


cdef void _find_buckets(
    const score_t *score, Py_ssize_t n, const map_t *buckets, uint32_t *numbers
) noexcept nogil:
    # Once for every kernel: they are small beside it.
    map_buckets(score, n, buckets, numbers)


cdef inline uint64_t _bits_of(const score_t *score) noexcept nogil:
    cdef uint64_t bits64
    cdef uint32_t bits32
    if score_t is float:
        memcpy(&bits32, score, sizeof(bits32))
        return bits32
    else:
        memcpy(&bits64, score, sizeof(bits64))
        return bits64


cdef inline void _count_row(
    uint32_t *first, uint32_t number, const score_t *score, uint8_t label, others_t *others
) noexcept nogil:
    cdef uint32_t *entry = first + WORDS * <size_t> number
    cdef uint64_t held, bits = _bits_of(score)
    memcpy(&held, entry, sizeof(held))
    if held != bits:
        entry = find_entry(entry, bits, others)
    entry[NEGATIVES + <size_t> label] += 1


def count_values(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    uint32_t[::1] table,
    Py_ssize_t n_buckets,
    Py_ssize_t limit,
):
    """Count the rows of each score, by its bits, and class.

    Assumes a table of zeros, with entries of four words: the bits of a score in two of them, its
    negatives, its positives. One for each bucket takes the first score of the bucket. The others, a
    power of two and at least 2048, are a hash table for the rest. Returns whether at most ``limit``
    of these were looked at, and half of them taken; if not, the counts are incomplete.
    """
    cdef map_t buckets = read_map(line, pieces)
    cdef others_t others
    cdef uint32_t numbers[BLOCK]
    cdef uint32_t *first = &table[0]
    cdef const uint8_t *labels
    cdef const score_t *scores
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    cdef Py_ssize_t room = (table.shape[0] // WORDS - n_buckets) // 2
    others.entries = first + WORDS * n_buckets
    others.mask = <uint64_t> (2 * room - 1)
    others.shift = 64
    while others.mask >> (64 - others.shift) > 0:
        others.shift -= 1
    others.n_scores = others.n_looks = 0
    with nogil:
        # A block adds BLOCK scores at the most: some place is free until the next test.
        while start < n and others.n_looks <= limit and others.n_scores <= room:
            size = min(<Py_ssize_t> BLOCK, n - start)
            labels = &label[start]
            scores = &score[start]
            _find_buckets(scores, size, &buckets, numbers)
            for i in range(0, size - 3, 4):
                _count_row(first, numbers[i], scores + i, labels[i], &others)
                _count_row(first, numbers[i + 1], scores + i + 1, labels[i + 1], &others)
                _count_row(first, numbers[i + 2], scores + i + 2, labels[i + 2], &others)
                _count_row(first, numbers[i + 3], scores + i + 3, labels[i + 3], &others)
            for i in range(size - size % 4, size):
                _count_row(first, numbers[i], scores + i, labels[i], &others)
            start += size
    return others.n_looks <= limit and others.n_scores <= room


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


cdef inline void _count_ties(const uint64_t *keys, uint32_t *sizes, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    sizes[0] = 1
    for j in range(1, n):
        sizes[j] = 1 + (sizes[j - 1] if keys[j] == keys[j - 1] else 0)
    for j in range(n - 2, -1, -1):
        if keys[j] == keys[j + 1]:
            sizes[j] = sizes[j + 1]


cdef inline void _fill_buckets(
    Py_ssize_t first, Py_ssize_t stop, uint64_t rank, uint8_t *ranks, uint64_t *bases
) noexcept nogil:
    cdef Py_ssize_t end
    cdef uint64_t above
    while first < stop:
        if first % GROUP == 0:
            bases[first // GROUP] = rank
        above = rank - bases[first // GROUP]
        end = min(stop, (first | (GROUP - 1)) + 1)
        memset(ranks + first, <int> (2 * above if above < 128 else 1), end - first)
        first = end


def find_buckets(
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    uint32_t[::1] numbers,
):
    """Write the bucket of each score."""
    cdef map_t buckets = read_map(line, pieces)
    with nogil:
        if score.shape[0] > 0:
            _find_buckets(&score[0], score.shape[0], &buckets, &numbers[0])


def rank_buckets(
    const uint64_t[::1] keys,
    const uint32_t[::1] numbers,
    uint8_t[::1] ranks,
    uint64_t[::1] bases,
    uint32_t[::1] sizes,
):
    """Make the tables of ``rank_rows`` from the rare class: the bits of its scores and their
    buckets.

    Both are sorted. The rank of a bucket is the number of rare rows in lower buckets. ``bases``
    holds that of each 64th bucket, ``ranks[bucket]`` how much more it is, times 2, plus 1 if the
    bucket is close: it holds a rare row, or is so far above its base that 7 bits do not tell; then
    0 takes their place. ``sizes[j]`` is the number of rare rows tied with row j.
    """
    cdef Py_ssize_t j, n = keys.shape[0], n_filled = 0
    with nogil:
        _count_ties(&keys[0], &sizes[0], n)
        for j in range(n):
            if n_filled <= numbers[j]:
                _fill_buckets(n_filled, numbers[j] + 1, j, &ranks[0], &bases[0])
                n_filled = numbers[j] + 1
                ranks[n_filled - 1] |= 1
        _fill_buckets(n_filled, ranks.shape[0], n, &ranks[0], &bases[0])
        if ranks.shape[0] % GROUP == 0:
            bases[ranks.shape[0] // GROUP] = n


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
    sums.bases += bases[number // GROUP]
    sums.ranks += rank
    # Written always, kept if close: which rows are is not predictable.
    close[sums.n_close] = <uint16_t> row
    sums.n_close += rank & 1


cdef inline uint64_t _count_up_to(
    const uint64_t *keys, uint64_t first, uint64_t stop, uint64_t key
) noexcept nogil:
    """Return ``first``, and one more for each key from there to ``stop`` that is not above."""
    # Scores that somebody has changed may have been in other buckets: then none is searched for.
    cdef uint64_t half, size = stop - first if first < stop else 0
    # No branch but that of the loop: which half comes next is a coin toss.
    while size > 0:
        half = (size + 1) >> 1
        first += half if keys[first + half - 1] <= key else 0
        size -= half
    return first


def rank_rows(
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    const uint64_t[::1] keys,
    const uint8_t[::1] ranks,
    const uint64_t[::1] bases,
    const uint32_t[::1] sizes,
):
    """Add up how many rows of the rare class are at or below each row, and how many are tied.

    Assumes the tables of ``rank_buckets``. Rows in buckets that are not close have the rank of the
    bucket. Others are compared with the first rare score from there on, and if they are not below
    it they are searched for among those of the 64 buckets.
    """
    cdef map_t buckets = read_map(line, pieces)
    cdef uint32_t numbers[BLOCK]
    cdef uint16_t close[BLOCK + 1]
    cdef const score_t *scores
    cdef sums_t sums = sums_t(0, 0, 0)
    cdef uint64_t key, place, first, group, inside = 0, tied = 0, n_rare = keys.shape[0]
    cdef uint64_t n_groups = bases.shape[0]
    cdef Py_ssize_t start = 0, i, k, size, n = score.shape[0], n_all_close = 0
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            scores = &score[start]
            _find_buckets(scores, size, &buckets, numbers)
            sums.n_close = 0
            for i in range(0, size - 3, 4):
                _add_rank(numbers[i], i, &ranks[0], &bases[0], close, &sums)
                _add_rank(numbers[i + 1], i + 1, &ranks[0], &bases[0], close, &sums)
                _add_rank(numbers[i + 2], i + 2, &ranks[0], &bases[0], close, &sums)
                _add_rank(numbers[i + 3], i + 3, &ranks[0], &bases[0], close, &sums)
            for i in range(size - size % 4, size):
                _add_rank(numbers[i], i, &ranks[0], &bases[0], close, &sums)
            n_all_close += sums.n_close
            for k in range(sums.n_close):
                i = close[k]
                key = key_of(scores + i)
                group = numbers[i] // GROUP
                first = bases[group] + (ranks[numbers[i]] >> 1)
                # Half of the rows are above the first score; mostly, there is no second.
                place = first + (sizes[first] & (0 - <uint64_t> (keys[first] <= key)))
                if place < n_rare and keys[place] <= key:
                    place = _count_up_to(
                        &keys[0], place, bases[group + 1] if group + 1 < n_groups else n_rare, key
                    )
                inside += place - first
                # Not beyond the rare rows either, whatever scores are changed meanwhile.
                if place - 1 < n_rare and keys[place - 1] == key:
                    tied += sizes[place - 1]
            start += size
    inside += sums.bases + ((sums.ranks - n_all_close) >> 1)
    return inside, tied
