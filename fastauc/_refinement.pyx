"""A further pass over rows of which most are settled: find the others, and count or collect them.

Rows are compared by their keys, the bits of the double in its order. What is in doubt are intervals
of keys. Each lies in a cell: of a grid, or of the even parts of an interval that has been split
before. ``slots`` has a place for each cell, those of the grid first: 0 if it is settled, else the
row of ``nodes`` for the interval in it. ``nodes[k, 0]`` is the lowest key of an interval;
``nodes[k, 1]`` the cell of its first part, times 64, plus the bits by which a key is shifted to
find its part. Cells beyond the slots are those where the search ends.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastauc._cell_map cimport key_of
from fastauc._doubles cimport add_quanta, quanta_of, score_t, widen
from fastauc._wide cimport add_total, total_t, wide_plus, wide_product, wide_t

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define FASTAUC_AWAIT(place) __builtin_prefetch((place), 1)
    #else
    #define FASTAUC_AWAIT(place) ((void) (place))
    #endif
    """
    void FASTAUC_AWAIT(const void *place) noexcept nogil

cdef enum:
    BLOCK = 512  # rows whose nodes and counts are on their way from memory at a time
    NONE = 0
    SEVERAL = 1


cdef struct tree_t:
    const uint32_t *slots
    uint64_t n_slots
    const uint64_t *nodes
    uint64_t n_ends


cdef struct found_t:
    uint64_t keys[BLOCK]
    uint32_t rows[BLOCK]
    uint32_t ends[BLOCK]


cdef struct open_t:
    uint32_t rows[BLOCK]
    uint32_t cells[BLOCK]  # then the slots


cdef inline tree_t _read_tree(
    const uint32_t[::1] slots, const uint64_t[:, ::1] nodes, Py_ssize_t n_ends
) noexcept:
    return tree_t(&slots[0], slots.shape[0], &nodes[0, 0], n_ends)


cdef inline Py_ssize_t _find_rows(
    const double *value, const uint32_t *cells, Py_ssize_t n, const tree_t *tree, found_t *found
) noexcept nogil:
    """Find the rows that come to an end, and return how many there are.

    All rows take a step down the tree at a time, so that none waits for the memory of another. The
    parts of an interval come after its own cell, so every search ends. Ends beyond the last are
    left out: they do not occur, but for keys that are not in the interval of their cell.
    """
    cdef Py_ssize_t i, k, n_open = 0, n_left, n_found = 0
    cdef uint64_t key, cell, end
    cdef uint32_t slot
    cdef const uint64_t *node
    cdef open_t left
    for i in range(n):
        slot = tree.slots[cells[i]]
        left.rows[n_open] = <uint32_t> i
        left.cells[n_open] = slot
        n_open += slot != NONE
    while n_open > 0:
        for k in range(n_open):
            FASTAUC_AWAIT(tree.nodes + 2 * <size_t> left.cells[k])
        n_left = 0
        for k in range(n_open):
            i = left.rows[k]
            node = tree.nodes + 2 * <size_t> left.cells[k]
            key = key_of(value + i)
            # No sum wraps: keys that are not in their interval end beyond all parts.
            cell = (node[1] >> 6) + min((key - node[0]) >> (node[1] & 63), <uint64_t> 1 << 32)
            end = cell - tree.n_slots  # wraps unless it is an end
            found.rows[n_found] = <uint32_t> i
            found.ends[n_found] = <uint32_t> end
            found.keys[n_found] = key
            n_found += end < tree.n_ends
            left.rows[n_left] = <uint32_t> i
            left.cells[n_left] = <uint32_t> cell
            n_left += cell < tree.n_slots
        if n_left == 0:
            return n_found
        for k in range(n_left):
            FASTAUC_AWAIT(tree.slots + left.cells[k])
        n_open = 0
        for k in range(n_left):
            slot = tree.slots[left.cells[k]]
            left.rows[n_open] = left.rows[k]
            left.cells[n_open] = slot
            n_open += slot != NONE
    return n_found


cdef inline uint64_t _join(uint64_t a, uint64_t b) noexcept nogil:
    """Return the word of a cell that holds the scores of two cells."""
    return a if a == b or b == NONE else (b if a == NONE else <uint64_t> SEVERAL)


cdef inline bint _is_zero(const double *weight) noexcept nogil:
    cdef uint64_t bits
    memcpy(&bits, weight, sizeof(bits))
    return bits << 1 == 0


def count_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint32_t[::1] cells,
    const uint32_t[::1] slots,
    const uint64_t[:, ::1] nodes,
    int64_t[:, ::1] counts,
    uint64_t[::1] words,
    int64_t[::1] totals,
    uint8_t[::1] several,
):
    """Add the rows in doubt to the counts of their ends, ``counts[end, label]``, and to the totals.

    ``cells`` are those of the grid. The word of an end is 0 if it has no rows, 1 if it has several
    scores, else the key of the only one: those of finite scores are greater. ``several`` is 1 only
    where the word is; it spares most rows the words, which would take a third of the cache.
    """
    cdef tree_t tree = _read_tree(slots, nodes, words.shape[0])
    cdef found_t found
    cdef double room[BLOCK]
    cdef const double *value
    cdef uint32_t end
    cdef Py_ssize_t start = 0, k, size, n_found, n = label.shape[0]
    cdef int64_t n_rows = 0, n_pos = 0, positive
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            n_found = _find_rows(value, &cells[start], size, &tree, &found)
            for k in range(n_found):
                FASTAUC_AWAIT(&counts[found.ends[k], 0])
            for k in range(n_found):
                end = found.ends[k]
                positive = label[start + found.rows[k]]
                counts[end, positive] += 1
                n_pos += positive
                if not several[end]:
                    words[end] = _join(words[end], found.keys[k])
                    several[end] = words[end] == SEVERAL
            n_rows += n_found
            start += size
        totals[0] += n_rows - n_pos
        totals[1] += n_pos


def weigh_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint32_t[::1] cells,
    const double[::1] weight,
    const uint32_t[::1] slots,
    const uint64_t[:, ::1] nodes,
    uint64_t[:, :, ::1] quanta,
    uint64_t[::1] words,
    uint64_t[:, ::1] totals,
    int64_t[::1] rows,
):
    """Add the weights of the rows in doubt to their ends and to the totals, and count the rows.

    As ``count_rows``, but ``quanta[end, label]`` and ``totals[label]`` are three words, the lowest
    first; ``rows`` are those of each end. Rows of weight 0 are left out.
    """
    cdef tree_t tree = _read_tree(slots, nodes, words.shape[0])
    cdef found_t found
    cdef double room[BLOCK]
    cdef const double *value
    cdef uint32_t end
    cdef total_t part
    cdef Py_ssize_t start = 0, i, k, size, n_found, n = label.shape[0]
    cdef int64_t n_rounded = 0
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            n_found = _find_rows(value, &cells[start], size, &tree, &found)
            for k in range(n_found):
                i = start + found.rows[k]
                if _is_zero(&weight[i]):
                    continue
                end = found.ends[k]
                part = quanta_of(weight[i], &n_rounded)
                add_quanta(&quanta[end, label[i], 0], part)
                add_quanta(&totals[label[i], 0], part)
                rows[end] += 1
                words[end] = _join(words[end], found.keys[k])
            start += size


def add_weights(const double[::1] weight, uint64_t[::1] total):
    """Add weights that are positive to a total of three words."""
    cdef Py_ssize_t i
    cdef int64_t n_rounded = 0
    with nogil:
        for i in range(weight.shape[0]):
            add_quanta(&total[0], quanta_of(weight[i], &n_rounded))


def gather_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint32_t[::1] cells,
    const uint32_t[::1] slots,
    const uint64_t[:, ::1] nodes,
    uint64_t[::1] keys,
):
    """Write the keys of the rows in doubt: of negatives from the front, of positives from the end.

    Assumes as many places as rows, and two ends, for either highest bit. Returns how many
    negatives and how many positives there are.
    """
    cdef tree_t tree = _read_tree(slots, nodes, 2)
    cdef found_t found
    cdef double room[BLOCK]
    cdef const double *value
    cdef Py_ssize_t start = 0, k, size, n_found, n = label.shape[0], front = 0, back = n - 1
    cdef uint8_t positive
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            n_found = _find_rows(value, &cells[start], size, &tree, &found)
            for k in range(n_found):
                # To both ends of the free places, of which only one moves: no branch.
                positive = label[start + found.rows[k]]
                keys[front] = found.keys[k]
                keys[back] = found.keys[k]
                front += 1 - positive
                back -= positive
            start += size
    return front, n - 1 - back


def gather_weighted_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint32_t[::1] cells,
    const double[::1] weight,
    const uint32_t[::1] slots,
    const uint64_t[:, ::1] nodes,
    uint64_t[::1] keys,
    double[::1] weights,
):
    """Do the same with the weights beside the keys; rows of weight 0 are left out."""
    cdef tree_t tree = _read_tree(slots, nodes, 2)
    cdef found_t found
    cdef double room[BLOCK]
    cdef const double *value
    cdef Py_ssize_t start = 0, i, k, size, n_found, n = label.shape[0], front = 0, back = n - 1
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            n_found = _find_rows(value, &cells[start], size, &tree, &found)
            for k in range(n_found):
                i = start + found.rows[k]
                if _is_zero(&weight[i]):
                    continue
                keys[front] = keys[back] = found.keys[k]
                weights[front] = weights[back] = weight[i]
                front += 1 - label[i]
                back -= label[i]
            start += size
    return front, n - 1 - back


cdef inline uint64_t _count_lower(
    const uint64_t *neg, Py_ssize_t n_neg, const uint64_t *pos, Py_ssize_t n_pos, bint ties
) noexcept nogil:
    """Count the pairs with a lower negative; with one that is not higher if ``ties``."""
    cdef Py_ssize_t i = 0, j = 0
    cdef uint64_t total = 0, is_lower
    while i < n_neg and j < n_pos:
        # A step on either side without a branch, as it is the labels that would decide it.
        is_lower = neg[i] <= pos[j] if ties else neg[i] < pos[j]
        total += <uint64_t> i & (is_lower - 1)
        i += is_lower
        j += 1 - is_lower
    return total + <uint64_t> n_neg * <uint64_t> (n_pos - j)


def count_pairs(const uint64_t[::1] neg, const uint64_t[::1] pos):
    """Return how many pairs have a lower negative, and how many are tied.

    Assumes keys in increasing order, at least one of each class, and fewer than 2^64 pairs.
    """
    cdef Py_ssize_t n_neg = neg.shape[0], n_pos = pos.shape[0]
    cdef uint64_t below, not_above
    with nogil:
        below = _count_lower(&neg[0], n_neg, &pos[0], n_pos, False)
        not_above = _count_lower(&neg[0], n_neg, &pos[0], n_pos, True)
    return below, not_above - below


cdef inline void _add_area(uint64_t *area, total_t a, total_t b) noexcept nogil:
    """Add a * b to six words."""
    cdef uint64_t[3] left
    cdef uint64_t[3] right
    cdef uint64_t carry
    cdef wide_t product
    cdef int i, j
    left[0], left[1], left[2] = a.low, a.middle, a.high
    right[0], right[1], right[2] = b.low, b.middle, b.high
    for i in range(3):
        if left[i] == 0:
            continue
        carry = 0
        for j in range(3):
            # (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1
            product = wide_plus(wide_product(left[i], right[j]), area[i + j])
            product = wide_plus(product, carry)
            area[i + j] = product.low
            carry = product.high
        for j in range(i + 3, 6):
            area[j] += carry
            carry = area[j] < carry


def weigh_pairs(
    const uint64_t[::1] neg,
    const double[::1] neg_weight,
    const uint64_t[::1] pos,
    const double[::1] pos_weight,
    uint64_t[:, ::1] areas,
):
    """Add the weight of the pairs with a lower negative to ``areas[0]``, of tied ones to the other.

    In squared quanta, as six words each, the lowest first. Assumes keys in increasing order.
    """
    cdef Py_ssize_t i = 0, j = 0, n_neg = neg.shape[0], n_pos = pos.shape[0]
    cdef int64_t n_rounded = 0
    cdef uint64_t key
    cdef total_t below, tied, positives
    memset(&below, 0, sizeof(below))
    with nogil:
        while j < n_pos:
            key = pos[j]
            memset(&positives, 0, sizeof(positives))
            while j < n_pos and pos[j] == key:
                add_total(&positives, quanta_of(pos_weight[j], &n_rounded))
                j += 1
            while i < n_neg and neg[i] < key:
                add_total(&below, quanta_of(neg_weight[i], &n_rounded))
                i += 1
            _add_area(&areas[0, 0], positives, below)
            if i < n_neg and neg[i] == key:
                memset(&tied, 0, sizeof(tied))
                while i < n_neg and neg[i] == key:
                    add_total(&tied, quanta_of(neg_weight[i], &n_rounded))
                    i += 1
                _add_area(&areas[1, 0], positives, tied)
                add_total(&below, tied)
