"""Tables with an entry for each cell: one value and its counts, or a rank among the rare class.

Both need no place for a row: what the table cannot decide is marked, or copied, for others.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from fastauc._cell_map cimport BLOCK, map_positions, map_t, read_map, score_t


def count_values(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    score_t[::1] values,
    uint32_t[::1] counts,
    uint8_t[::1] several,
    Py_ssize_t limit,
):
    """Count the rows of each cell, and mark the cells that hold several values.

    Assumes ``counts`` and ``several`` of 0. A cell keeps the first score it meets in ``values``, by
    its bits; rows with other bits are strange. Returns whether there are at most ``limit`` of them;
    with more, the counts are incomplete.
    """
    cdef map_t cells = read_map(line, pieces)
    cdef uint64_t positions[BLOCK]
    cdef uint64_t cell
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0], strange = 0
    with nogil:
        while start < n and strange <= limit:
            size = min(<Py_ssize_t> BLOCK, n - start)
            map_positions(&score[start], size, &cells, positions)
            for i in range(size):
                cell = positions[i] >> 32
                if memcmp(&values[cell], &score[start + i], sizeof(score_t)) != 0:
                    if counts[2 * cell] + counts[2 * cell + 1] == 0:
                        values[cell] = score[start + i]
                    else:
                        several[cell] = 1
                        strange += 1
                counts[2 * cell + label[start + i]] += 1
            start += size
    return strange <= limit


def tally_values(const uint32_t[::1] counts, const uint8_t[::1] several):
    """Return how many negatives are at or below a positive and how many are tied.

    Pairs within a cell of several values do not count.
    """
    cdef Py_ssize_t cell
    cdef uint64_t negatives = 0, not_above = 0, tied = 0, inside
    with nogil:
        for cell in range(several.shape[0]):
            inside = <uint64_t> counts[2 * cell] * counts[2 * cell + 1] * (1 - several[cell])
            not_above += negatives * counts[2 * cell + 1] + inside
            tied += inside
            negatives += counts[2 * cell]
    return not_above, tied


def rank_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] pieces,
    const uint32_t[::1] ranks,
    uint8_t[::1] close_label,
    score_t[::1] close_score,
):
    """Add up the ranks of the rows in cells without a row of the rare class; copy the others.

    ``ranks[cell]`` is the number of rare rows in lower cells, times 2, plus 1 if the cell holds
    any. The copies have room for one row more. Returns the sum and the number of copied rows.
    """
    cdef map_t cells = read_map(line, pieces)
    cdef uint64_t positions[BLOCK]
    cdef uint64_t total = 0
    cdef uint32_t rank, is_close
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0], place = 0
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            map_positions(&score[start], size, &cells, positions)
            for i in range(size):
                rank = ranks[positions[i] >> 32]
                is_close = rank & 1
                total += (rank >> 1) & (is_close - 1)
                # Written always, kept if close: which rows are is not predictable.
                close_label[place] = label[start + i]
                close_score[place] = score[start + i]
                place += is_close
            start += size
    return total, place
