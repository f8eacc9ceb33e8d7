"""Rows in the cells of a grid that is known before the rows: counted, weighed, and merged.

A cell keeps the counts of both classes, or their weights, and one word about its scores: 0 for
none, 1 for several, else the bits of the only score, exclusively or those of a NaN. Scores are
finite, so no score is taken for 0 or 1. Words are compared, not doubles: processors can be set to
take subnormal numbers for 0.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fastauc._doubles cimport add_quanta, quanta_of, score_t, widen
from fastauc._wide cimport total_t

cdef extern from *:
    """
    #define FASTAUC_NO_SCORE UINT64_C(0x7ff8000000000000)
    #define FASTAUC_SIGN UINT64_C(0x8000000000000000)
    """
    const uint64_t FASTAUC_NO_SCORE
    const uint64_t FASTAUC_SIGN

ctypedef fused count_t:
    uint32_t
    int64_t

ctypedef fused other_t:
    uint32_t
    int64_t

cdef enum:
    # Rows that are mapped at a time: their cells stay in the first-level cache.
    BLOCK = 512
    NONE = 0
    SEVERAL = 1
    # Of the high half of a double, whose exponent is above 20 bits: what is left are 4 digits, or
    # 12 of them, 16 or 4,096 cells for each octave.
    COARSE = 16
    FINE = 8
    LOW = (1023 - 32) << 20  # the high halves of 2^-32, 2^32, 2^-53 and 1/2
    HIGH = (1023 + 32) << 20
    LEAST_LEFT = (1023 - 53) << 20
    HALF = (1023 - 1) << 20
    # From 0 to the greatest double, and from 1/2 to 1 by the distance from 1.
    STEPS = (0x7FEFFFFF >> COARSE) + ((HIGH - LOW) >> FINE)
    STEPS_LEFT = (HALF - LEAST_LEFT) >> FINE

N_CELLS_BY_BITS = 2 * STEPS + STEPS_LEFT + 1


cdef struct grid_t:
    double low
    double scale
    double last  # cell; 0 where the grid is not linear
    const uint64_t *edges  # NULL where the grid has no edges
    Py_ssize_t n_edges


cdef inline grid_t read_grid(const double[::1] line, const uint64_t[::1] edges) noexcept:
    cdef grid_t grid
    grid.low = grid.scale = grid.last = 0
    grid.edges = NULL
    grid.n_edges = edges.shape[0]
    if line.shape[0] > 0:
        grid.low = line[0]
        grid.scale = line[1]
        grid.last = line[2]
    if edges.shape[0] > 0:
        grid.edges = &edges[0]
    return grid


cdef inline int32_t _high_half(double value) noexcept nogil:
    """Return the 32 bits with the sign, the exponent, and the first 20 of the other digits."""
    cdef uint64_t bits
    memcpy(&bits, &value, sizeof(bits))
    return <int32_t> <uint32_t> (bits >> 32)


cdef inline void _map_bits(const double *value, Py_ssize_t n, uint32_t *cells) noexcept nogil:
    # The cell is a sum of steps none of which decreases with the score. The high half of a double
    # never decreases with it where it is positive, and a negative one has a negative half. So what
    # is left to 1, clamped to the halves of 2^-53 and 1/2, never increases with the score: the
    # difference is exact from 1/2 to 1 (Sterbenz), and rounding is monotone elsewhere. The steps
    # of the magnitude count downwards below 0. Subnormal scores are below the clamps, whether or
    # not the difference takes them for 0. No branch and no 64-bit comparison: compilers make
    # vectors of it, on any processor.
    cdef Py_ssize_t i
    cdef int32_t high, sign, magnitude, left, steps
    for i in range(n):
        high = _high_half(value[i])
        left = _high_half(1.0 - value[i])
        sign = high >> 31
        magnitude = high & 0x7FFFFFFF
        steps = (magnitude >> COARSE) + (min(max(magnitude, <int32_t> LOW), <int32_t> HIGH) >> FINE)
        steps -= LOW >> FINE
        left = min(max(left, <int32_t> LEAST_LEFT), <int32_t> HALF) >> FINE
        cells[i] = <uint32_t> (((steps ^ sign) - sign) - left + (STEPS + (HALF >> FINE)))


cdef inline void _map_line(
    const double *value, Py_ssize_t n, const grid_t *grid, uint32_t *cells
) noexcept nogil:
    # Each rounded operation is monotone, and so is cutting off the fraction. What overflows to an
    # infinity is clamped; NaN cannot arise, as the scale is finite and not 0.
    cdef Py_ssize_t i
    cdef double position
    for i in range(n):
        position = (value[i] - grid.low) * grid.scale
        position = position if position > 0.0 else 0.0
        position = position if position < grid.last else grid.last
        cells[i] = <uint32_t> <int32_t> position


cdef inline uint64_t _key_of(double value) noexcept nogil:
    """Return the bits of a score, in their order."""
    cdef uint64_t bits
    memcpy(&bits, &value, sizeof(bits))
    if bits << 1 == 0:
        bits = 0
    return bits ^ ((0 - (bits >> 63)) | FASTAUC_SIGN)


cdef inline void _map_edges(
    const double *value, Py_ssize_t n, const grid_t *grid, uint32_t *cells
) noexcept nogil:
    # The number of edges at or below the score: of keys, which are integers in its order. All
    # scores halve the same number of edges at a time, so that no load waits for that of another
    # score, and nothing has to be predicted.
    cdef Py_ssize_t i, size = grid.n_edges, half
    cdef uint64_t keys[BLOCK]
    for i in range(n):
        keys[i] = _key_of(value[i])
        cells[i] = 0
    while size > 1:
        half = size >> 1
        for i in range(n):
            cells[i] += <uint32_t> half & (
                0 - <uint32_t> (grid.edges[cells[i] + half - 1] <= keys[i])
            )
        size -= half
    for i in range(n):
        cells[i] += grid.edges[cells[i]] <= keys[i]


cdef inline void _map_cells(
    const double *value, Py_ssize_t n, const grid_t *grid, uint32_t *cells
) noexcept nogil:
    if grid.edges != NULL:
        _map_edges(value, n, grid, cells)
    elif grid.last > 0:
        _map_line(value, n, grid, cells)
    else:
        _map_bits(value, n, cells)


cdef inline uint64_t _word_of(double value) noexcept nogil:
    cdef uint64_t bits
    memcpy(&bits, &value, sizeof(bits))
    if bits == FASTAUC_SIGN:
        bits = 0
    return bits ^ FASTAUC_NO_SCORE


cdef inline uint64_t _join(uint64_t a, uint64_t b) noexcept nogil:
    """Return the word of a cell that holds the scores of two cells."""
    return a if a == b or b == NONE else (b if a == NONE else <uint64_t> SEVERAL)


def find_cells(
    const score_t[::1] score, const double[::1] line, const uint64_t[::1] edges, uint32_t[::1] cells
):
    """Write the cell of each score."""
    cdef grid_t grid = read_grid(line, edges)
    cdef double room[BLOCK]
    cdef Py_ssize_t start = 0, size, n = score.shape[0]
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            _map_cells(widen(&score[start], size, room), size, &grid, &cells[start])
            start += size


cdef inline int64_t _count_block(
    const uint8_t *label,
    const double *value,
    const uint32_t *cells,
    Py_ssize_t n,
    count_t *counts,
    uint64_t *words,
    uint8_t *several,
) noexcept nogil:
    """Count some rows; return how many are positive."""
    cdef Py_ssize_t i
    cdef uint64_t word, before
    cdef uint32_t cell
    cdef int64_t n_pos = 0
    for i in range(n):
        cell = cells[i]
        counts[2 * <Py_ssize_t> cell + label[i]] += 1
        n_pos += label[i]
        # Continuous scores soon pass by their words, which would take a third of the cache.
        if not several[cell]:
            before = words[cell]
            memcpy(&word, value + i, sizeof(word))
            if before == SEVERAL:
                several[cell] = 1
            elif before != word ^ FASTAUC_NO_SCORE:
                words[cell] = _join(before, _word_of(value[i]))
    return n_pos


def count_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint8_t[::1] rounded,
    const double[::1] line,
    const uint64_t[::1] edges,
    count_t[:, ::1] counts,
    uint64_t[::1] words,
    int64_t[::1] totals,
    uint8_t[::1] several,
):
    """Add the rows to the counts of their cells, ``counts[cell, label]``, and to both totals.

    ``rounded`` is empty, or 1 where a score stands for another number that is close to it: its
    cell then holds several. Assumes that no total passes the highest count, and a word of several
    scores wherever ``several`` is not 0; 0 says nothing.
    """
    cdef grid_t grid = read_grid(line, edges)
    cdef uint32_t cells[BLOCK]
    cdef double room[BLOCK]
    cdef const double *value
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    cdef int64_t n_pos = 0
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            _map_cells(value, size, &grid, cells)
            n_pos += _count_block(
                &label[start], value, cells, size, &counts[0, 0], &words[0], &several[0]
            )
            if rounded.shape[0] > 0:
                for i in range(size):
                    if rounded[start + i]:
                        words[cells[i]] = SEVERAL
            start += size
        totals[0] += n - n_pos
        totals[1] += n_pos


def weigh_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint8_t[::1] rounded,
    const double[::1] weight,
    const double[::1] line,
    const uint64_t[::1] edges,
    uint64_t[:, :, ::1] quanta,
    uint64_t[::1] words,
    uint64_t[:, ::1] totals,
    int64_t[::1] rows,
):
    """Add the weights of the rows to their cells and to both totals, and count the rows.

    As ``count_rows``, but ``quanta[cell, label]`` and ``totals[label]`` are three words, the lowest
    first. ``rows`` are those of a weight that is not 0, and those whose weight has been rounded.
    Assumes weights that are finite and not negative, and totals below 2^63.
    """
    cdef grid_t grid = read_grid(line, edges)
    cdef uint32_t cells[BLOCK]
    cdef double room[BLOCK]
    cdef const double *value
    cdef total_t part
    cdef uint64_t bits
    cdef uint32_t cell
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    cdef int64_t n_rows = 0, n_rounded = 0
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            _map_cells(value, size, &grid, cells)
            for i in range(size):
                memcpy(&bits, &weight[start + i], sizeof(bits))
                if bits << 1 == 0:
                    continue
                n_rows += 1
                cell = cells[i]
                part = quanta_of(weight[start + i], &n_rounded)
                add_quanta(&quanta[cell, label[start + i], 0], part)
                add_quanta(&totals[label[start + i], 0], part)
                if rounded.shape[0] > 0 and rounded[start + i]:
                    words[cell] = SEVERAL
                else:
                    words[cell] = _join(words[cell], _word_of(value[i]))
            start += size
        rows[0] += n_rows
        rows[1] += n_rounded


def merge_counts(
    const other_t[:, ::1] other_counts,
    const uint64_t[::1] other_words,
    const int64_t[::1] other_totals,
    const uint32_t[::1] other_cells,
    count_t[:, ::1] counts,
    uint64_t[::1] words,
    int64_t[::1] totals,
):
    """Add the cells of another histogram, which may be the same; assumes totals that fit.

    ``other_cells`` are their numbers; empty for all cells, in their order.
    """
    cdef Py_ssize_t k, cell
    cdef bint is_numbered = other_cells.shape[0] > 0
    with nogil:
        for k in range(other_words.shape[0]):
            # Cells of 0 are not written: their pages may not exist yet.
            if other_words[k] != NONE:
                cell = other_cells[k] if is_numbered else k
                counts[cell, 0] += <count_t> other_counts[k, 0]
                counts[cell, 1] += <count_t> other_counts[k, 1]
                words[cell] = _join(words[cell], other_words[k])
        totals[0] += other_totals[0]
        totals[1] += other_totals[1]


cdef inline void _add_words(const uint64_t *other, uint64_t *words) noexcept nogil:
    cdef total_t more
    more.low = other[0]
    more.middle = other[1]
    more.high = other[2]
    add_quanta(words, more)


def merge_quanta(
    const uint64_t[:, :, ::1] other_quanta,
    const uint64_t[::1] other_words,
    const uint64_t[:, ::1] other_totals,
    const uint32_t[::1] other_cells,
    const int64_t[::1] other_rows,
    uint64_t[:, :, ::1] quanta,
    uint64_t[::1] words,
    uint64_t[:, ::1] totals,
    int64_t[::1] rows,
):
    """Add the cells of another weighted histogram, as ``merge_counts`` does."""
    cdef Py_ssize_t k, cell, c
    cdef bint is_numbered = other_cells.shape[0] > 0
    with nogil:
        for k in range(other_words.shape[0]):
            if other_words[k] != NONE:
                cell = other_cells[k] if is_numbered else k
                for c in range(2):
                    _add_words(&other_quanta[k, c, 0], &quanta[cell, c, 0])
                words[cell] = _join(words[cell], other_words[k])
        for c in range(2):
            _add_words(&other_totals[c, 0], &totals[c, 0])
            rows[c] += other_rows[c]
