"""Weighted histogram AUC: rows are counted or weighed in bins of the score, and never kept.

Each bin is above the one before it. A pass adds every row to the bin of its score: one to the
negatives or to the positives of the bin, or the weight of the row. Then the bins are few where the
rows were many: all pairs of rows of two bins are in the order of their bins, and only pairs inside
of a bin are unknown. With n negatives and p positives in a bin, taken from the lowest bin up,

    concordant  = sum of p * (n of all lower bins),    unknown = sum of n * p,

and the area is between concordant and concordant + unknown, divided by all pairs. Histograms of
chunks add up to that of all rows, in any order. A bin of a single score hides nothing: its rows are
tied. So a bin also has a tag for its scores: 0 for none, 1 for several, else the bits of the only
score, exclusively or those of a NaN. Scores are finite, so no score is taken for 0 or 1. Tags are
compared, not doubles: processors can be set to take subnormal numbers for 0.

A bin that is known to hold several scores also has two bytes, ``recent``: 128 and as many rows of a
class as have come since they were last added to the counts. 127 at most, so that a row of
continuous scores changes one byte, and these bytes, unlike the counts, fit into a near cache. The
bytes of all other bins are 0.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

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
from fastauc._kernels.wide_integers cimport add_total, total_t, wide_sum, wide_t

cdef extern from *:
    """
    #define FASTAUC_NO_SCORE UINT64_C(0x7ff8000000000000)

    /* A number that GCC takes for a variable. It makes a choice between bits of a choice between
       doubles of which one is constant, and then no vectors of the least and the greatest. */
    static CYTHON_INLINE double fastauc_variable(double value) {
    #if defined(__GNUC__)
        __asm__("" : "+m"(value));
    #endif
        return value;
    }

    /* Where the upper half of a double begins. */
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define FASTAUC_UPPER 0
    #else
    #define FASTAUC_UPPER 4
    #endif
    """
    const uint64_t FASTAUC_NO_SCORE
    const int FASTAUC_UPPER
    double fastauc_variable(double value) noexcept nogil

ctypedef fused count_t:
    uint32_t
    int64_t

cdef enum:
    # Rows that are mapped at a time: their bins stay in the first-level cache.
    BLOCK = 512
    # What is left of the bits of a double, whose exponent is above 52 bits: 4 digits, or 12 of
    # them, 16 or 4,096 bins for each octave.
    COARSE = 48
    FINE = 40
    # So many steps are below 2^-32, 2^32, 2^-53 and 1/2.
    LOW = (1023 - 32) << 12
    HIGH = (1023 + 32) << 12
    LEAST_LEFT = (1023 - 53) << 12
    HALF = (1023 - 1) << 12
    # From 0 to the greatest double, and from 1/2 to 1 by the distance from 1.
    STEPS = 0x7FEF + HIGH - LOW
    STEPS_LEFT = HALF - LEAST_LEFT
    # The highest bit of a recent byte, and how many rows the other bits count before they are 0.
    FLAG = 128
    # A weighted bin is a line of memory, in words: the weights of both classes, and then its tag.
    LINE = 8
    TAG = 6
    BINS_OF_PAGE = 64
    # So many rows later, a line that is asked for now is there.
    AHEAD = 24
    # The biased exponent of 2^-12.
    LEAST_UPPER = 1023 - 12

N_BINS_BY_BITS = 2 * STEPS + STEPS_LEFT + 1
WORDS_OF_BIN, BINS_IN_PAGE = LINE, BINS_OF_PAGE


cdef struct bins_t:
    double low
    double scale
    double last  # bin; 0 where they are not of equal width
    const uint64_t *edges  # NULL where none are given
    Py_ssize_t n_edges


cdef inline bins_t read_bins(const double[::1] line, const uint64_t[::1] edges) noexcept:
    cdef bins_t bins = bins_t(0, 0, 0, NULL, edges.shape[0])
    if line.shape[0] > 0:
        bins.low = line[0]
        bins.scale = line[1]
        bins.last = line[2]
    if edges.shape[0] > 0:
        bins.edges = &edges[0]
    return bins


cdef inline void _map_bits(const double *value, Py_ssize_t n, uint32_t *numbers) noexcept nogil:
    # The bin is a sum of steps none of which decreases with the score. The bits of a magnitude
    # never decrease with it, nor do the first of them, exponent and some more digits; nor those of
    # the magnitude clamped to the octaves that are cut finely. What is left to 1, clamped as well,
    # never increases with the score: the difference is exact from 1/2 to 1 (Sterbenz), and rounding
    # is monotone elsewhere. The steps of the magnitude count downwards below 0. Subnormal scores
    # are below the clamps, whether or not the difference and the clamps take them for 0.
    # The upper half of the bits has all digits that count, so four magnitudes are clamped at a
    # time. As floats the halves have the order of their bits, up to those above 2^1017, which are
    # NaN: they compare false, and become the upper clamp. No branch and no 64-bit comparison:
    # compilers make vectors of it, on any processor, and floats are clamped in a quarter of the
    # instructions that integers take.
    # The upper halves of 2^-32 and 2^32, 0x3df00000 and 0x41f00000, are those of these floats.
    cdef float low = fastauc_variable(0.1171875), high = fastauc_variable(30.0)
    cdef double least = fastauc_variable(2.0**-53), half = fastauc_variable(0.5)
    cdef Py_ssize_t i
    cdef uint32_t bits, fine
    cdef float size
    cdef double left
    cdef int32_t sign, steps
    for i in range(n):
        memcpy(&bits, <const char *> (value + i) + FASTAUC_UPPER, sizeof(bits))
        sign = <int32_t> bits >> 31
        bits &= 0x7FFFFFFF
        memcpy(&size, &bits, sizeof(size))
        size = size if size < high else high
        size = size if size > low else low
        memcpy(&fine, &size, sizeof(fine))
        left = 1.0 - value[i]
        left = left if left > least else least
        left = left if left < half else half
        steps = <int32_t> ((bits >> (COARSE - 32)) + (fine >> (FINE - 32))) - LOW
        numbers[i] = <uint32_t> (
            ((steps ^ sign) - sign) - <int32_t> <uint32_t> (bits_of(left) >> FINE) + (STEPS + HALF)
        )


cdef inline bint _map_singles(const float *value, Py_ssize_t n, uint32_t *numbers) noexcept nogil:
    # As ``_map_bits``, with half the instructions, and false if a score is subnormal: as a double
    # it has another exponent. The exponents of the others are higher by 896 as doubles. The clamped
    # difference is the same: exact from 1/2 to 1, and otherwise clamped to an end.
    cdef float low = fastauc_variable(2.0**-32), high = fastauc_variable(2.0**32)
    cdef float least = fastauc_variable(2.0**-53), half = fastauc_variable(0.5)
    cdef Py_ssize_t i
    cdef uint32_t bits, coarse, fine, odd = 0
    cdef float size, left
    cdef int32_t sign, steps
    for i in range(n):
        memcpy(&bits, value + i, sizeof(bits))
        sign = <int32_t> bits >> 31
        bits &= 0x7FFFFFFF
        odd |= <uint32_t> ((<int32_t> bits < 0x00800000) & (<int32_t> bits > 0))
        coarse = (bits >> (COARSE - 29)) + (896 << 4)
        coarse = coarse if <int32_t> bits > 0 else 0
        memcpy(&size, &bits, sizeof(size))
        size = size if size > low else low
        size = size if size < high else high
        left = <float> 1.0 - value[i]
        left = left if left > least else least
        left = left if left < half else half
        memcpy(&bits, &size, sizeof(bits))
        steps = <int32_t> (coarse + (bits >> (FINE - 29))) + ((896 << 12) - LOW)
        memcpy(&fine, &left, sizeof(fine))
        numbers[i] = <uint32_t> (
            ((steps ^ sign) - sign) - <int32_t> (fine >> (FINE - 29)) + (STEPS + HALF - (896 << 12))
        )
    return odd == 0


cdef inline void _map_line(
    const double *value, Py_ssize_t n, const bins_t *bins, uint32_t *numbers
) noexcept nogil:
    # Each rounded operation is monotone, and so is cutting off the fraction. What overflows to an
    # infinity is clamped; NaN cannot arise, as the scale is finite and not 0.
    cdef Py_ssize_t i
    cdef double position
    for i in range(n):
        position = (value[i] - bins.low) * bins.scale
        position = position if position > 0.0 else 0.0
        position = position if position < bins.last else bins.last
        numbers[i] = <uint32_t> <int32_t> position


cdef inline void _map_edges(
    const double *value, Py_ssize_t n, const bins_t *bins, uint32_t *numbers
) noexcept nogil:
    # The number of edges at or below the score: of keys, which are integers in its order. All
    # scores halve the same number of edges at a time, so that no load waits for that of another
    # score, and nothing has to be predicted.
    cdef Py_ssize_t i, size = bins.n_edges, half
    cdef uint64_t keys[BLOCK]
    for i in range(n):
        keys[i] = key_of(&value[i])
        numbers[i] = 0
    while size > 1:
        half = size >> 1
        for i in range(n):
            numbers[i] += <uint32_t> half & (
                0 - <uint32_t> (bins.edges[numbers[i] + half - 1] <= keys[i])
            )
        size -= half
    for i in range(n):
        numbers[i] += bins.edges[numbers[i]] <= keys[i]


cdef void _map_scores(
    const score_t *score, Py_ssize_t n, const bins_t *bins, uint32_t *numbers
) noexcept nogil:
    """Find the bins of a block; no inline function, as one machine code does for all callers."""
    cdef double room[BLOCK]
    cdef const double *value
    if score_t is float:
        if bins.edges == NULL and bins.last == 0 and _map_singles(score, n, numbers):
            return
    value = widen(score, n, room)
    if bins.edges != NULL:
        _map_edges(value, n, bins, numbers)
    elif bins.last > 0:
        _map_line(value, n, bins, numbers)
    else:
        _map_bits(value, n, numbers)


cdef inline uint64_t _tag_of(double value) noexcept nogil:
    cdef uint64_t bits = bits_of(value)
    if bits == <uint64_t> 1 << 63:
        bits = 0
    return bits ^ FASTAUC_NO_SCORE


def find_bins(
    const score_t[::1] score,
    const double[::1] line,
    const uint64_t[::1] edges,
    uint32_t[::1] numbers,
):
    """Write the bin of each score."""
    cdef bins_t bins = read_bins(line, edges)
    cdef Py_ssize_t start = 0, size, n = score.shape[0]
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            _map_scores(&score[start], size, &bins, &numbers[start])
            start += size


cdef inline void _count_seldom(
    Py_ssize_t row,
    const score_t *score,
    uint8_t *recent,
    count_t *counts,
    uint64_t *score_tags,
    uint8_t *pages,
) noexcept nogil:
    """Count a row that a byte has no room for, or one of a bin that may hold one score.

    ``row`` is twice the bin, and 1 more for a positive.
    """
    cdef uint64_t before
    cdef double value
    if not recent[row]:
        counts[row] += 1
        before = score_tags[row >> 1]
        value = score[0]
        if score_t is float:
            # The conversion may have taken a subnormal number for 0.
            if -(2.0**-126) < value < 2.0**-126:
                value = widen(score, 1, &value)[0]
        if before != bits_of(value) ^ FASTAUC_NO_SCORE:
            if before == NONE:
                pages[(row >> 1) // BINS_OF_PAGE] = 1
            before = join_tags(before, _tag_of(value))
            score_tags[row >> 1] = before
            if before == MIXED:
                recent[row] = recent[row ^ 1] = FLAG
    else:
        counts[row] += FLAG
        recent[row] = FLAG


def count_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    const uint8_t[::1] rounded,
    const double[::1] line,
    const uint64_t[::1] edges,
    count_t[:, ::1] counts,
    uint64_t[::1] score_tags,
    uint8_t[::1] pages,
    int64_t[::1] totals,
    uint8_t[:, ::1] recent,
    int64_t n_pos,
):
    """Add the rows to the counts of their bins, ``counts[bin, label]``, and to both totals.

    ``rounded`` is empty, or 1 where a score stands for another number that is close to it: its
    bin then holds several. ``pages`` are 1 where some of ``BINS_OF_PAGE`` bins holds a row.
    ``n_pos`` of the labels are 1. Assumes that no total passes the highest count.
    """
    cdef bins_t bins = read_bins(line, edges)
    cdef uint32_t numbers[BLOCK]
    cdef uint8_t *bytes = &recent[0, 0]
    cdef uint8_t now
    cdef Py_ssize_t start = 0, i, row, size, n = label.shape[0]
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            _map_scores(&score[start], size, &bins, numbers)
            for i in range(size):
                row = 2 * <Py_ssize_t> numbers[i] + label[start + i]
                now = bytes[row] + 1
                if now & FLAG:
                    bytes[row] = now
                else:
                    _count_seldom(
                        row, &score[start + i], bytes, &counts[0, 0], &score_tags[0], &pages[0]
                    )
            if rounded.shape[0] > 0:
                for i in range(size):
                    if rounded[start + i]:
                        score_tags[numbers[i]] = MIXED
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
    uint64_t[:, ::1] lines,
    uint8_t[::1] pages,
    uint64_t[:, ::1] totals,
    int64_t[::1] rows,
):
    """Add the weights of the rows to their bins and to both totals, and count the rows.

    As ``count_rows``, but each bin is a line of ``LINE`` words: three for the weight of each class,
    the lowest first, and the tag. So are the words of ``totals[label]``. ``rows`` are those of a
    weight that is not 0, and those whose weight has been rounded. Assumes weights that are finite
    and not negative, and totals below 2^63.
    """
    cdef bins_t bins = read_bins(line, edges)
    cdef uint32_t numbers[BLOCK + AHEAD]
    cdef double room[BLOCK]
    cdef const double *value
    cdef uint64_t *first = &lines[0, 0]
    cdef uint64_t *place
    cdef uint64_t bits, digits, is_pos
    cdef uint32_t shift
    cdef wide_t upper
    cdef wide_t *sum_
    cdef wide_t uppers[2]
    cdef total_t units
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    cdef int64_t n_zero = 0, n_rounded = 0
    uppers[0] = uppers[1] = wide_t(0, 0)
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            _map_scores(&score[start], size, &bins, numbers)
            for i in range(AHEAD):
                numbers[size + i] = numbers[size - 1]
            for i in range(size):
                FASTAUC_PREFETCH(first + <size_t> LINE * numbers[i + AHEAD])
                place = first + <size_t> LINE * numbers[i]
                is_pos = label[start + i]
                bits = bits_of(weight[start + i])
                # The weight is digits * 2^(shift - 64): from 2^-12 to 2^52, the low word is 0.
                shift = <uint32_t> (bits >> 52) - LEAST_UPPER
                if shift < 64:
                    digits = bits & ((<uint64_t> 1 << 52) - 1) | <uint64_t> 1 << 52
                    upper = wide_t(digits << shift, digits >> 1 >> (63 - shift))
                    sum_ = <wide_t *> (place + 3 * is_pos + 1)
                    sum_[0] = wide_sum(sum_[0], upper)
                    uppers[is_pos] = wide_sum(uppers[is_pos], upper)
                elif bits << 1 == 0:
                    n_zero += 1
                    continue
                else:
                    units = fixed_weight_of(weight[start + i], &n_rounded)
                    add_total(<total_t *> (place + 3 * is_pos), units)
                    add_total(<total_t *> &totals[is_pos, 0], units)
                if place[TAG] != MIXED:
                    if place[TAG] == NONE:
                        pages[numbers[i] / <uint32_t> BINS_OF_PAGE] = 1
                    place[TAG] = join_tags(place[TAG], _tag_of(value[i]))
            for i in range(size if rounded.shape[0] > 0 else 0):
                if rounded[start + i] and bits_of(weight[start + i]) << 1 != 0:
                    lines[numbers[i], TAG] = MIXED
            start += size
        for i in range(2):
            add_total(<total_t *> &totals[i, 0], total_t(0, uppers[i].low, uppers[i].high))
        rows[0] += n - n_zero
        rows[1] += n_rounded


def merge_counts(
    const int64_t[:, ::1] other_counts,
    const uint64_t[::1] other_score_tags,
    const int64_t[::1] other_totals,
    const uint32_t[::1] other_bins,
    count_t[:, ::1] counts,
    uint64_t[::1] score_tags,
    uint8_t[::1] pages,
    int64_t[::1] totals,
):
    """Add the bins of another histogram, of these numbers; assumes totals that fit."""
    cdef Py_ssize_t k, number, c
    with nogil:
        for k in range(other_bins.shape[0]):
            number = other_bins[k]
            for c in range(2):
                counts[number, c] += <count_t> other_counts[k, c]
            pages[other_bins[k] // BINS_OF_PAGE] = 1
            score_tags[number] = join_tags(score_tags[number], other_score_tags[k])
        for c in range(2):
            totals[c] += other_totals[c]


def merge_fixed_weights(
    const uint64_t[:, :, :] other_fixed_weights,
    const uint64_t[:] other_score_tags,
    const uint64_t[:, ::1] other_totals,
    const uint32_t[::1] other_bins,
    const int64_t[::1] other_rows,
    uint64_t[:, ::1] lines,
    uint8_t[::1] pages,
    uint64_t[:, ::1] totals,
    int64_t[::1] rows,
):
    """Add the bins of another weighted histogram, as ``merge_counts`` does."""
    cdef Py_ssize_t k, number, c
    with nogil:
        for k in range(other_bins.shape[0]):
            number = other_bins[k]
            for c in range(2):
                add_total(
                    <total_t *> &lines[number, 3 * c],
                    (<const total_t *> &other_fixed_weights[k, c, 0])[0],
                )
            lines[number, TAG] = join_tags(lines[number, TAG], other_score_tags[k])
            pages[number // BINS_OF_PAGE] = 1
        for c in range(2):
            add_total(<total_t *> &totals[c, 0], (<const total_t *> &other_totals[c, 0])[0])
            rows[c] += other_rows[c]
