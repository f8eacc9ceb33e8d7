"""A further pass over rows of which most are resolved: find the others, and count or collect them.

Rows are compared by their keys, the bits of the double in its order. What is unresolved are
intervals of keys. Each lies in a cell: of a grid, or of the even parts of an interval that has been
split before. ``slots`` has a place for each cell, those of the grid first: 0 if it is resolved,
else the row of ``nodes`` for the interval in it. ``nodes[k, 0]`` is the lowest key of an interval;
``nodes[k, 1]`` the cell of its first part, times 64, plus the bits by which a key is shifted to
find its part. Cells beyond the slots are those where the search ends.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastauc._kernels.bucket_map cimport key_of
from fastauc._kernels.compiler cimport FASTAUC_PREFETCH
from fastauc._kernels.doubles cimport (
    MIXED,
    NONE,
    bits_of,
    fixed_weight_of,
    join_tags,
    score_t,
    widen,
)
from fastauc._kernels.wide_integers cimport add_total, total_t, wide_plus, wide_product, wide_t

cdef enum:
    # Rows whose nodes, or whose counts, are on their way from memory at a time: a line of memory
    # each, which take up half of a first-level cache of 32 KB.
    BLOCK = 256
    AHEAD = 8  # blocks on their way from memory
    ONE_NODE = 2  # rows of ``nodes``, the first of which is not used: nothing has been split yet


cdef struct tree_t:
    const uint32_t *slots
    uint64_t n_slots
    const uint64_t *nodes
    uint64_t n_ends


cdef struct found_t:
    uint64_t keys[BLOCK]
    uint32_t rows[BLOCK]
    uint32_t ends[BLOCK]


cdef inline tree_t _read_tree(
    const uint32_t[::1] slots, const uint64_t[:, ::1] nodes, Py_ssize_t n_ends
) noexcept:
    return tree_t(&slots[0], slots.shape[0], &nodes[0, 0], n_ends)


cdef inline Py_ssize_t _find_rows(
    const score_t *score, const uint32_t *cells, Py_ssize_t n, const tree_t *tree, found_t *found
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
    cdef uint32_t rows_left[BLOCK]
    cdef uint32_t cells_left[BLOCK]  # then the slots
    cdef double room[BLOCK]
    cdef const double *value = widen(score, n, room)
    for i in range(n):
        slot = tree.slots[cells[i]]
        rows_left[n_open] = <uint32_t> i
        cells_left[n_open] = slot
        n_open += slot != NONE
    while n_open > 0:
        for k in range(n_open):
            FASTAUC_PREFETCH(tree.nodes + 2 * <size_t> cells_left[k])
        n_left = 0
        for k in range(n_open):
            i = rows_left[k]
            node = tree.nodes + 2 * <size_t> cells_left[k]
            key = key_of(value + i)
            # No sum wraps: keys that are not in their interval end beyond all parts.
            cell = (node[1] >> 6) + min((key - node[0]) >> (node[1] & 63), <uint64_t> 1 << 32)
            end = cell - tree.n_slots  # wraps unless it is an end
            found.rows[n_found] = <uint32_t> i
            found.ends[n_found] = <uint32_t> end
            found.keys[n_found] = key
            n_found += end < tree.n_ends
            rows_left[n_left] = <uint32_t> i
            cells_left[n_left] = <uint32_t> cell
            n_left += cell < tree.n_slots
        if n_left == 0:
            return n_found
        for k in range(n_left):
            FASTAUC_PREFETCH(tree.slots + cells_left[k])
        n_open = 0
        for k in range(n_left):
            slot = tree.slots[cells_left[k]]
            rows_left[n_open] = rows_left[k]
            cells_left[n_open] = slot
            n_open += slot != NONE
    return n_found


def count_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint32_t[::1] cells,
    const uint32_t[::1] slots,
    const uint64_t[:, ::1] nodes,
    uint64_t[:, ::1] parts,
    int64_t[::1] totals,
):
    """Add the unresolved rows to their ends, and to the totals.

    ``cells`` are those of the grid. ``parts[end, 0]`` has the negatives in its lower half and the
    positives in its upper one; assumes that neither will pass 2^32 - 1. ``parts[end, 1]`` is 0 if
    there are no rows, 1 if there are several scores, else the key of the only one: those of finite
    scores are greater.
    """
    cdef tree_t tree = _read_tree(slots, nodes, parts.shape[0])
    cdef found_t found
    cdef uint64_t *part
    cdef Py_ssize_t start = 0, k, size, n_found, n = label.shape[0]
    cdef int64_t n_rows = 0, n_pos = 0
    cdef uint64_t positive
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            n_found = _find_rows(&score[start], &cells[start], size, &tree, &found)
            for k in range(n_found):
                FASTAUC_PREFETCH(&parts[found.ends[k], 0])
            for k in range(n_found):
                part = &parts[found.ends[k], 0]
                positive = label[start + found.rows[k]]
                part[0] += <uint64_t> 1 << (positive << 5)
                n_pos += positive
                if part[1] != MIXED:
                    part[1] = join_tags(part[1], found.keys[k])
            n_rows += n_found
            start += size
        totals[0] += n_rows - n_pos
        totals[1] += n_pos


def weigh_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint32_t[::1] cells,
    const uint32_t[::1] slots,
    const uint64_t[:, ::1] nodes,
    uint64_t[:, :, ::1] fixed_weights,
    uint64_t[::1] score_tags,
    uint64_t[:, ::1] totals,
    int64_t[::1] rows,
    const double[::1] weight,
):
    """Add the weights of the unresolved rows to their ends and to the totals, and count the rows.

    ``fixed_weights[end, label]`` and ``totals[label]`` are three words, the lowest first;
    ``score_tags`` are as ``parts[:, 1]`` of ``count_rows``, ``rows`` those of each end. Rows of
    weight 0 are left out.
    """
    cdef tree_t tree = _read_tree(slots, nodes, score_tags.shape[0])
    cdef found_t found
    cdef uint32_t end
    cdef total_t part
    cdef Py_ssize_t start = 0, i, k, size, n_found, n = label.shape[0]
    cdef int64_t n_rounded = 0
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            n_found = _find_rows(&score[start], &cells[start], size, &tree, &found)
            for k in range(n_found):
                i = start + found.rows[k]
                if bits_of(weight[i]) << 1 == 0:
                    continue
                end = found.ends[k]
                part = fixed_weight_of(weight[i], &n_rounded)
                add_total(<total_t *> &fixed_weights[end, label[i], 0], part)
                add_total(<total_t *> &totals[label[i], 0], part)
                rows[end] += 1
                score_tags[end] = join_tags(score_tags[end], found.keys[k])
            start += size


def add_weights(const double[::1] weight, uint64_t[::1] total):
    """Add weights that are positive to a total of three words."""
    cdef Py_ssize_t i
    cdef int64_t n_rounded = 0
    with nogil:
        for i in range(weight.shape[0]):
            add_total(<total_t *> &total[0], fixed_weight_of(weight[i], &n_rounded))


def gather_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint32_t[::1] cells,
    const uint32_t[::1] slots,
    const uint64_t[:, ::1] nodes,
    const double[::1] weight,
    uint64_t[::1] keys,
    double[::1] weights,
):
    """Write the keys of the unresolved rows: of negatives from the front, of positives from the
    end.

    Assumes as many places as rows, and two ends, for either highest bit. Returns how many
    negatives and how many positives there are. Weights are written beside the keys, and rows of
    weight 0 are left out; both arrays of them are empty if there are none.
    """
    cdef tree_t tree = _read_tree(slots, nodes, 2)
    cdef found_t found
    cdef double room[BLOCK]
    cdef const double *value
    cdef Py_ssize_t start = 0, i, k, size, n_found, n = label.shape[0], front = 0, back = n - 1
    cdef uint64_t key
    cdef uint8_t positive, wanted
    cdef bint weighted = weight.shape[0] > 0, is_flat = nodes.shape[0] == ONE_NODE and not weighted
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            # To both ends of the free places, of which at most one moves: no branch. There is a
            # free place for every row that is still to come.
            if is_flat:
                value = widen(&score[start], size, room)
                for k in range(size):
                    key = key_of(value + k)
                    wanted = slots[cells[start + k]] != NONE
                    positive = wanted & label[start + k]
                    keys[front] = keys[back] = key
                    front += wanted - positive
                    back -= positive
            else:
                n_found = _find_rows(&score[start], &cells[start], size, &tree, &found)
                for k in range(n_found):
                    i = start + found.rows[k]
                    if weighted:
                        if bits_of(weight[i]) << 1 == 0:
                            continue
                        weights[front] = weights[back] = weight[i]
                    keys[front] = keys[back] = found.keys[k]
                    front += 1 - label[i]
                    back -= label[i]
            start += size
    return front, n - 1 - back


cdef inline uint32_t *_block(const uint16_t *pool, int64_t block, int bits) noexcept nogil:
    """Return the lower 32 bits of the keys of a block; the upper 16 bits of each come after all."""
    return <uint32_t *> (pool + (block * 3 << bits))


cdef inline void _prefetch_block(const uint16_t *pool, int64_t block, int bits) noexcept nogil:
    cdef int line
    for line in range(3):
        FASTAUC_PREFETCH(_block(pool, block, bits) + 16 * line)


def place_keys(
    const uint64_t[::1] keys,
    uint64_t low,
    int shift,
    int bits,
    uint16_t[::1] pool,
    uint16_t[::1] owner,
    int64_t[::1] ends,
    int64_t[::1] sizes,
):
    """Write keys to blocks of ``1 << bits`` places, each of one range of keys.

    Range ``(key - low) >> shift`` is the ``owner`` of the block; ``pool`` gets the other bits of
    ``key - low``, at most 48. ``ends`` is the place after the last one of each range, 0 for none;
    ``sizes`` are the numbers of blocks and of keys. Assumes ``bits`` of 1 or more, and room for
    all: a block for each ``1 << bits`` keys, and one for each range. Keys of no range are left out.
    """
    cdef Py_ssize_t i
    cdef uint64_t key, part, n_parts = ends.shape[0], rest = (<uint64_t> 1 << shift) - 1
    cdef int64_t place, block = sizes[0], n_placed = 0, mask = (<int64_t> 1 << bits) - 1
    cdef uint32_t *lower
    with nogil:
        for i in range(keys.shape[0]):
            key = keys[i] - low
            part = key >> shift
            if part >= n_parts:
                continue
            key &= rest
            place = ends[part]
            if place & mask == 0:  # the last block is full, or there is none
                owner[block] = <uint16_t> part
                place = block << bits
                block += 1
                # Blocks are taken in their order, so the memory of the next ones is known.
                _prefetch_block(&pool[0], block + AHEAD, bits)
            lower = _block(&pool[0], place >> bits, bits)
            lower[place & mask] = <uint32_t> key
            (<uint16_t *> (lower + mask + 1))[place & mask] = <uint16_t> (key >> 32)
            ends[part] = place + 1
            n_placed += 1
        sizes[0] = block
        sizes[1] += n_placed


def take_keys(
    const int64_t[::1] blocks,
    uint64_t low,
    int shift,
    int bits,
    const uint16_t[::1] pool,
    const uint16_t[::1] owner,
    const int64_t[::1] ends,
    uint64_t first,
    uint64_t last,
    uint64_t[::1] keys,
):
    """Write the keys of some blocks that are ``first`` to ``last``; return how many there are.

    Assumes a place more than there are such keys.
    """
    cdef Py_ssize_t k, n = 0, n_blocks = blocks.shape[0]
    cdef int64_t i, start, stop, size = <int64_t> 1 << bits
    cdef uint64_t key, base, width = last - first
    cdef const uint32_t *lower
    cdef const uint16_t *upper
    with nogil:
        for k in range(n_blocks):
            _prefetch_block(&pool[0], blocks[min(k + AHEAD, n_blocks - 1)], bits)
            lower = _block(&pool[0], blocks[k], bits)
            upper = <const uint16_t *> (lower + size)
            base = owner[blocks[k]]
            start = blocks[k] << bits
            stop = ends[base] - start
            base = low + (base << shift)
            for i in range(stop if 0 < stop < size else size):
                key = base + (<uint64_t> upper[i] << 32 | lower[i])
                keys[n] = key
                n += key - first <= width
    return n


cdef inline void _add_area(uint64_t *area, total_t a, total_t b) noexcept nogil:
    """Add a * b to six words."""
    cdef const uint64_t *left = <const uint64_t *> &a
    cdef const uint64_t *right = <const uint64_t *> &b
    cdef uint64_t carry
    cdef wide_t product
    cdef int i, j
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

    In squared units, as six words each, the lowest first. Assumes keys in increasing order.
    """
    cdef Py_ssize_t i = 0, j = 0, n_neg = neg.shape[0], n_pos = pos.shape[0]
    cdef int64_t n_rounded = 0
    cdef uint64_t key
    cdef total_t below = total_t(0, 0, 0), tied, positives
    with nogil:
        while j < n_pos:
            key = pos[j]
            positives = total_t(0, 0, 0)
            while j < n_pos and pos[j] == key:
                add_total(&positives, fixed_weight_of(pos_weight[j], &n_rounded))
                j += 1
            while i < n_neg and neg[i] < key:
                add_total(&below, fixed_weight_of(neg_weight[i], &n_rounded))
                i += 1
            _add_area(&areas[0, 0], positives, below)
            if i < n_neg and neg[i] == key:
                tied = total_t(0, 0, 0)
                while i < n_neg and neg[i] == key:
                    add_total(&tied, fixed_weight_of(neg_weight[i], &n_rounded))
                    i += 1
                _add_area(&areas[1, 0], positives, tied)
                add_total(&below, tied)
