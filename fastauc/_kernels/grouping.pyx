"""Bring the rows of a group together: numbers for ids, then two counting sorts.

The first sort makes parts of some ten thousand rows and many groups, few enough that their ends
stay in the caches; the second one sorts a part by group and class, inside the caches.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.bucket_map cimport key_of, restore_score, score_t
from fastauc._kernels.prefetch cimport FASTAUC_PREFETCH

ctypedef fused id_t:
    uint32_t
    int64_t

cdef enum:
    PROBES = 8  # steps per row that a table of numbers in any order needs by far not


def count_runs(const id_t[::1] ids, Py_ssize_t most):
    """Return how many runs of equal ids there are, or more than ``most``.

    Assumes at least one row. What is scattered is told from its beginning.
    """
    cdef Py_ssize_t i = 1, n = ids.shape[0], runs = 1
    with nogil:
        while i < n and runs <= most:
            runs += ids[i] != ids[i - 1]
            i += 1
    return runs


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


def count_parts(const uint32_t[::1] codes, int shift, int64_t[::1] counts):
    """Add the rows of each part, ``code >> shift``, to its count."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(codes.shape[0]):
            counts[codes[i] >> shift] += 1


def place_rows(
    const uint32_t[::1] codes,
    const uint8_t[::1] label,
    const score_t[::1] score,
    int shift,
    int64_t[::1] starts,
    uint64_t[::1] keys,
    uint16_t[::1] places,
):
    """Write the key of each row to the next place of its part, and beside it the group and class.

    ``shift`` is at most 15: the rest of the code and the label are 16 bits.
    """
    cdef Py_ssize_t i
    cdef int64_t place
    cdef uint32_t part, mask = (<uint32_t> 1 << shift) - 1
    with nogil:
        for i in range(codes.shape[0]):
            part = codes[i] >> shift
            place = starts[part]
            keys[place] = key_of(&score[i])
            places[place] = <uint16_t> ((codes[i] & mask) << 1 | label[i])
            # The next line of the part is wanted soon, and for writing.
            FASTAUC_PREFETCH(&keys[0] + place + 8)
            starts[part] = place + 1


def place_weights(
    const uint32_t[::1] codes,
    const double[::1] weight,
    int shift,
    int64_t[::1] starts,
    double[::1] placed,
):
    """Write the weights where ``place_rows``, given the same starts, writes their rows."""
    cdef Py_ssize_t i
    cdef int64_t place
    cdef uint32_t part
    with nogil:
        for i in range(codes.shape[0]):
            part = codes[i] >> shift
            place = starts[part]
            placed[place] = weight[i]
            starts[part] = place + 1


def arrange_part(
    const uint64_t[::1] keys,
    const uint16_t[::1] places,
    const double[::1] weight,
    uint32_t[::1] ends,
    uint64_t[::1] arranged,
    double[::1] arranged_weight,
):
    """Sort the rows of a part by group, and in each group the negatives first.

    ``ends[2 * group + label]`` becomes where the rows of a group and class end; every place is
    below the number of ends. Without weights the arrays for them are empty.
    """
    cdef Py_ssize_t i, n = keys.shape[0]
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
            arranged[place] = keys[i]
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
                arranged[front] = key
                arranged[back] = key
                if weighted:
                    arranged_weight[front] = weight[i]
                    arranged_weight[back] = weight[i]
                front += 1 - label[i]
                back -= label[i]
            ends[2 * group] = <uint32_t> front
            ends[2 * group + 1] = <uint32_t> (offsets[group + 1] - first)


def restore_scores(const uint64_t[::1] keys, score_t[::1] score):
    """Write the scores that keys were made of, as one of both zeros."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(keys.shape[0]):
            restore_score(keys[i], &score[i])
