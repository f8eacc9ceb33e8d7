# A monotone map from scores to positions Q = cell << 32 | digest, linear or of pieces.
#
# Q never decreases with the score: rows of different cells are in the order of their cells, and
# rows of one cell in the order of their digests. Equal digests say only that the scores are close.

from libc.stdint cimport int64_t, uint64_t
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
    uint64_t first_key  # the key of the lowest score
    int shift  # of a key less first_key to the number of its piece; 1 to 63
    const uint64_t *pieces  # NULL where the map is linear


cdef inline map_t read_map(const double[::1] line, const uint64_t[::1] pieces) noexcept:
    cdef map_t cells
    cells.low = line[0]
    cells.scale = line[1]
    cells.pieces = NULL
    cells.first_key = cells.shift = 0
    if pieces.shape[0] > 0:
        cells.first_key = pieces[0]
        cells.shift = <int> pieces[1]
        cells.pieces = &pieces[2]
    return cells


cdef inline uint64_t ordered_key(double score) noexcept nogil:
    """Return an unsigned integer in the order of the scores; -0.0 is 0.0."""
    cdef double value = score + 0.0
    cdef uint64_t bits
    memcpy(&bits, &value, sizeof(bits))
    return bits ^ ((0 - (bits >> 63)) | (<uint64_t> 1 << 63))


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
    # (low half), which divide it evenly by the 32 bits of the key after those of the piece.
    cdef Py_ssize_t i
    cdef uint64_t key, piece, rest
    for i in range(n):
        positions[i] = ordered_key(<double> score[i]) - cells.first_key
    for i in range(n):
        key = positions[i]
        piece = cells.pieces[key >> cells.shift]
        rest = (key << (64 - cells.shift)) >> 32
        positions[i] = (piece >> 32 << 32) + rest * (piece & <uint64_t> 0xFFFFFFFF)


cdef inline void map_positions(
    const score_t *score, Py_ssize_t n, const map_t *cells, uint64_t *positions
) noexcept nogil:
    if cells.pieces == NULL:
        _map_line(score, n, cells, positions)
    else:
        _map_pieces(score, n, cells, positions)
