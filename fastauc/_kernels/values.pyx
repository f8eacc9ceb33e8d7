"""Rows of each distinct score, counted or weighed in a hash table of few scores.

An entry has four words: the bits of a score in two of them, and two numbers, of which one is not 0
unless the entry is empty. The first place of a score is that of a line, which suits multiples of a
unit, or of a hash of its bits; where another score has taken it, it is looked for from a second
place on.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fastauc._kernels.bucket_map cimport map_of_line, map_scores, map_t, score_t
from fastauc._kernels.compiler cimport FASTAUC_PREFETCH

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__)
    #define FASTAUC_APART __attribute__((noinline, cold))
    #else
    #define FASTAUC_APART
    #endif

    typedef struct {
        uint32_t *entries;
        uint64_t mask;  /* as many as a power of two, less 1 */
        int shift;  /* of 64 bits to that power */
        int64_t n_looks;
        int64_t n_scores;
    } fastauc_table_t;

    /* Return the entry of a score that is not the one of its first place, or not yet. */
    static FASTAUC_APART uint32_t *fastauc_find_entry(
        uint32_t *entry, uint64_t bits, fastauc_table_t *table)
    {
        uint64_t held;
        if (entry[2] + entry[3] > 0) {
            /* The golden ratio spreads what differs, in whichever half of the bits. */
            uint64_t place = ((bits ^ bits >> 32) * UINT64_C(0x9E3779B97F4A7C15)) >> table->shift;
            for (;; place++) {
                table->n_looks++;
                entry = table->entries + 4 * (place & table->mask);
                if (entry[2] + entry[3] == 0)
                    break;
                memcpy(&held, entry, sizeof(held));
                if (held == bits)
                    return entry;
            }
        }
        table->n_scores++;
        memcpy(entry, &bits, sizeof(bits));
        return entry;
    }
    """
    ctypedef struct table_t "fastauc_table_t":
        uint32_t *entries
        uint64_t mask
        int shift
        int64_t n_looks
        int64_t n_scores

    uint32_t *find_entry "fastauc_find_entry"(
        uint32_t *entry, uint64_t bits, table_t *table
    ) noexcept nogil

cdef enum:
    # Rows whose entries are asked for before one is counted: they stay in the first-level cache.
    BLOCK = 256
    WORDS = 4
    NUMBERS = 2  # the first of the two numbers of an entry


cdef inline table_t _read_table(uint32_t[::1] entries) noexcept:
    cdef table_t table
    table.entries = &entries[0]
    table.mask = <uint64_t> (entries.shape[0] // WORDS - 1)
    table.shift = 64
    while table.mask >> (64 - table.shift) > 0:
        table.shift -= 1
    table.n_looks = table.n_scores = 0
    return table


cdef inline uint64_t _bits_of(const score_t *score) noexcept nogil:
    cdef uint64_t bits64
    cdef uint32_t bits32
    if score_t is float:
        memcpy(&bits32, score, sizeof(bits32))
        return bits32
    else:
        memcpy(&bits64, score, sizeof(bits64))
        return bits64


cdef void _find_places(
    const score_t *score, Py_ssize_t n, const map_t *line, const table_t *table, uint32_t *places
) noexcept nogil:
    cdef Py_ssize_t i
    if line.scale > 0:
        map_scores(score, n, line, places)
        return
    for i in range(n):
        # Another multiplier than that of the second place, which parts what this one does not.
        places[i] = <uint32_t> (
            (_bits_of(score + i) * <uint64_t> 0xD6E8FEB86659FD93) >> table.shift
        )
        FASTAUC_PREFETCH(table.entries + WORDS * <size_t> places[i])


cdef inline uint32_t *_entry_of(
    const score_t *score, uint32_t place, table_t *table
) noexcept nogil:
    cdef uint32_t *entry = table.entries + WORDS * <size_t> place
    cdef uint64_t held, bits = _bits_of(score)
    memcpy(&held, entry, sizeof(held))
    return entry if held == bits else find_entry(entry, bits, table)


def count_values(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    uint32_t[::1] entries,
    Py_ssize_t most_looks,
    Py_ssize_t most_scores,
):
    """Count the negatives and positives of each score, in the numbers of its entry.

    Assumes entries of zeros, a power of two, at least ``most_scores`` and 513, and a line of fewer
    buckets, or one of zeros for a hash. Returns whether at most ``most_looks`` second places were
    looked at, and the scores are ``most_scores`` at the most; if not, the counts are incomplete.
    """
    cdef map_t first_places = map_of_line(line)
    cdef table_t table = _read_table(entries)
    cdef uint32_t places[BLOCK]
    cdef Py_ssize_t start = 0, i, k, size, n = label.shape[0]
    cdef const uint8_t *labels
    cdef const score_t *scores
    cdef uint32_t *entry
    with nogil:
        # A block adds BLOCK scores at the most: some place is free until the next test.
        while start < n and table.n_looks <= most_looks and table.n_scores <= most_scores:
            size = min(<Py_ssize_t> BLOCK, n - start)
            labels = &label[start]
            scores = &score[start]
            _find_places(scores, size, &first_places, &table, places)
            for i in range(0, size - 3, 4):
                for k in range(4):
                    entry = _entry_of(scores + i + k, places[i + k], &table)
                    entry[NUMBERS + <size_t> labels[i + k]] += 1
            for i in range(size - size % 4, size):
                entry = _entry_of(scores + i, places[i], &table)
                entry[NUMBERS + <size_t> labels[i]] += 1
            start += size
    return table.n_looks <= most_looks and table.n_scores <= most_scores


def take_entries(const uint32_t[::1] entries, score_t[::1] score, uint64_t[::1] numbers):
    """Write the scores of the entries that are not empty, and both numbers of each in one word.

    Returns how many they are; there is room for one more.
    """
    cdef const uint32_t *entry = &entries[0]
    cdef Py_ssize_t place = 0, _i
    cdef uint64_t bits
    cdef uint32_t bits32
    with nogil:
        for _i in range(entries.shape[0] // WORDS):
            # Written always, kept if held: which entries are is not predictable.
            memcpy(&bits, entry, sizeof(bits))
            if score_t is float:
                bits32 = <uint32_t> bits
                memcpy(&score[place], &bits32, sizeof(bits32))
            else:
                memcpy(&score[place], &bits, sizeof(bits))
            memcpy(&numbers[place], entry + NUMBERS, sizeof(bits))
            place += numbers[place] != 0
            entry += WORDS
    return place


def weigh_values(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] weight,
    const double[::1] line,
    double unit_neg,
    double unit_pos,
    uint32_t[::1] entries,
    uint64_t[:, :, ::1] fixed_weights,
    Py_ssize_t most_looks,
    Py_ssize_t most_scores,
):
    """Add up the units of each score and class, and number the scores in their entries, from 1.

    As ``count_values``; weights and units are as in ``weighted_rank_sum``. ``fixed_weights[k - 1,
    label]``, zeros to begin with, has the sum of the lower 32 bits of the units of score k, and
    that of the upper ones, so that 2^32 rows do not overflow. Returns whether the scores are few,
    and how many negatives and how many positives are cut.
    """
    cdef map_t first_places = map_of_line(line)
    cdef table_t table = _read_table(entries)
    cdef uint32_t places[BLOCK]
    cdef double[2] units = [unit_neg, unit_pos]
    cdef double whole
    cdef int64_t[2] n_cut = [0, 0]
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    cdef uint32_t n_values = 0
    cdef uint32_t *entry
    cdef uint64_t fixed_weight
    cdef uint64_t *sums
    with nogil:
        # A block adds BLOCK scores at the most: some place is free until the next test.
        while start < n and table.n_looks <= most_looks and table.n_scores <= most_scores:
            size = min(<Py_ssize_t> BLOCK, n - start)
            _find_places(&score[start], size, &first_places, &table, places)
            for i in range(size):
                entry = _entry_of(&score[start + i], places[i], &table)
                if entry[NUMBERS] == 0:
                    n_values += 1
                    entry[NUMBERS] = n_values
                whole = weight[start + i] * units[label[start + i]]
                fixed_weight = <int64_t> whole
                n_cut[label[start + i]] += <double> <int64_t> whole < whole
                sums = &fixed_weights[entry[NUMBERS] - 1, label[start + i], 0]
                sums[0] += fixed_weight & <uint64_t> 0xFFFFFFFF
                sums[1] += fixed_weight >> 32
            start += size
    return table.n_looks <= most_looks and table.n_scores <= most_scores, n_cut[0], n_cut[1]
