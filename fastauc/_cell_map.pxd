# A monotone map from scores to positions Q = cell << 32 | digest, linear or of pieces.
#
# Q never decreases with the score: rows of different cells are in the order of their cells, and
# rows of one cell in the order of their digests. Equal digests say only that the scores are close.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

ctypedef fused score_t:
    float
    double
    int64_t

cdef enum:
    # Rows that are mapped at a time: their positions stay in the first-level cache.
    BLOCK = 512


cdef struct map_t:
    double low
    double scale
    uint64_t first_key  # those beyond it, or beyond last_key, count as it
    uint64_t last_key
    int shift  # of a key less first_key to the number of its piece; 1 to 63
    const uint64_t *pieces  # NULL where the map is linear


cdef inline map_t read_map(const double[::1] line, const uint64_t[::1] pieces) noexcept:
    cdef map_t cells
    cells.low = line[0]
    cells.scale = line[1]
    cells.pieces = NULL
    cells.first_key = cells.last_key = cells.shift = 0
    if pieces.shape[0] > 0:
        cells.first_key = pieces[0]
        cells.last_key = pieces[1]
        cells.shift = <int> pieces[2]
        cells.pieces = &pieces[3]
    return cells


cdef inline int32_t digest_of(const score_t *score, uint64_t position) noexcept nogil:
    """Return the whole score if it is single, else the position in the cell, in signed order."""
    cdef uint32_t bits
    if score_t is float:
        memcpy(&bits, score, sizeof(bits))
        if bits << 1 == 0:
            bits = 0  # not by adding 0.0: processors can be set to flush subnormal numbers
        return <int32_t> (bits ^ ((0 - (bits >> 31)) >> 1))
    else:
        return <int32_t> (<uint32_t> position ^ (<uint32_t> 1 << 31))


cdef inline uint64_t key_of(const score_t *score) noexcept nogil:
    """Return the bits of a score, in their order."""
    cdef uint64_t bits64
    if score_t is float:
        return <uint64_t> <uint32_t> digest_of(score, 0) ^ <uint64_t> 0x80000000
    elif score_t is double:
        memcpy(&bits64, score, sizeof(bits64))
        if bits64 << 1 == 0:
            bits64 = 0
        return bits64 ^ ((0 - (bits64 >> 63)) | (<uint64_t> 1 << 63))
    else:
        return <uint64_t> score[0] ^ (<uint64_t> 1 << 63)


cdef inline void _map_line(
    const score_t *score, Py_ssize_t n, const map_t *cells, uint64_t *positions
) noexcept nogil:
    # Each rounded operation is monotone. From 2^52 to 2^53 the spacing of doubles is 1, so the low
    # 52 bits of the sum are the position; no conversion to integers is needed, and SSE2 has none.
    cdef Py_ssize_t i
    cdef double position
    for i in range(n):
        position = (<double> score[i] - cells.low) * cells.scale + 4503599627370496.0
        memcpy(positions + i, &position, sizeof(position))
    for i in range(n):
        positions[i] &= (<uint64_t> 1 << 52) - 1


cdef inline void _map_pieces(
    const score_t *score, Py_ssize_t n, const map_t *cells, uint64_t *positions
) noexcept nogil:
    # A piece is an interval of keys; it holds its first cell (high half) and how many cells it has
    # (low half), which divide it evenly by the 43 bits of the key after those of the piece: as many
    # as times 2^20 cells and one fit into 64 bits.
    cdef Py_ssize_t i
    cdef uint64_t key, piece, rest
    for i in range(n):
        key = max(key_of(score + i), cells.first_key)
        key = min(key, cells.last_key) - cells.first_key
        piece = cells.pieces[key >> cells.shift]
        rest = (key << (64 - cells.shift)) >> 21
        positions[i] = (piece >> 32 << 32) + (rest * (piece & <uint64_t> 0xFFFFFFFF) >> 11)


cdef inline void map_positions(
    const score_t *score, Py_ssize_t n, const map_t *cells, uint64_t *positions
) noexcept nogil:
    if cells.pieces == NULL:
        _map_line(score, n, cells, positions)
    else:
        _map_pieces(score, n, cells, positions)


cdef inline int bit_length(uint32_t value) noexcept nogil:
    cdef int length = 0
    while value > 0:
        length += 1
        value >>= 1
    return length
