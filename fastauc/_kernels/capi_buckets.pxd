# All rows of a sample in the buckets of a line, and in each bucket split by the bits of their
# scores.
#
# A line divides the range of the scores into buckets; what meets in a bucket is split until few
# rows are left, or equal ones. A single score is its offset of 32 bits, a double its key of 64:
# both are in the order of the scores, and equal where they are.

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.bucket_map cimport (
    BLOCK,
    key_of,
    map_positions,
    map_t,
    mask_of,
    offset_of,
)
from fastauc._kernels.buckets cimport compare_placed, tally_t
from fastauc._kernels.doubles cimport score_t
from fastauc._kernels.small_sample cimport SPARE_ROWS
from fastauc._kernels.weighted_rank_sum cimport sums_t, weigh_placed

cdef enum:
    BUCKETS = 256


cdef struct sample_t:
    Py_ssize_t n_neg
    Py_ssize_t n_pos
    double low
    double high


cdef inline map_t _choose_line(const sample_t *sample) noexcept nogil:
    """Return a linear map to BUCKETS buckets, or to one where the range is none for a line."""
    cdef map_t line
    cdef double width = sample.high - sample.low
    line.first_key = line.last_key = line.shift = 0
    line.pieces = NULL
    line.mask = mask_of(BUCKETS)
    if 1e-280 < width < INFINITY:
        # What the difference of two scores loses, as it is subnormal, is less than half a position.
        # The last bucket takes the highest score alone: its position may have been rounded up.
        line.low = sample.low
        line.scale = (BUCKETS - 1) * 4294967296.0 / width
    else:
        line.low = line.scale = 0.0
    return line


cdef inline void _start_buckets(
    const uint8_t *label, const score_t *score, Py_ssize_t n, const map_t *line, uint32_t *starts
) noexcept nogil:
    """Write to ``starts[2 * bucket + label]`` where the first such row belongs, negatives first."""
    cdef uint64_t positions[BLOCK]
    cdef Py_ssize_t start = 0, i, size
    cdef uint32_t place = 0, count
    memset(starts, 0, 2 * BUCKETS * sizeof(uint32_t))
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        map_positions(score + start, size, line, positions)
        for i in range(size):
            starts[2 * (positions[i] >> 32) + label[start + i]] += 1
        start += size
    for i in range(2 * BUCKETS):
        count = starts[i]
        starts[i] = place
        place += count


cdef inline void compare_buckets(
    const uint8_t *label,
    const score_t *score,
    const sample_t *sample,
    void *scratch,
    tally_t *tally,
) noexcept nogil:
    cdef Py_ssize_t start = 0, i, size, bucket, n = sample.n_neg + sample.n_pos
    cdef map_t line = _choose_line(sample)
    cdef uint32_t starts[2 * BUCKETS]
    cdef uint64_t positions[BLOCK]
    cdef uint64_t part, negatives = 0
    cdef uint32_t first = 0, middle, last
    cdef int32_t *offsets = <int32_t *> scratch
    cdef int32_t *spare_offsets = offsets + n + SPARE_ROWS
    cdef uint64_t *keys = <uint64_t *> scratch
    _start_buckets(label, score, n, &line, starts)
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        map_positions(score + start, size, &line, positions)
        for i in range(start, start + size):
            part = 2 * (positions[i - start] >> 32) + label[i]
            if score_t is float:
                offsets[starts[part]] = offset_of(score + i, 0)
            else:
                keys[starts[part]] = key_of(score + i)
            starts[part] += 1
        start += size
    tally[0] = tally_t(0, 0)
    for bucket in range(BUCKETS):
        middle = starts[2 * bucket]
        last = starts[2 * bucket + 1]
        tally.not_above += negatives * (last - middle)
        negatives += middle - first
        if score_t is float:
            compare_placed(offsets + first, middle - first, last - middle, spare_offsets, tally)
        else:
            compare_placed(keys + first, middle - first, last - middle, keys + n, tally)
        first = last


cdef inline void weigh_buckets(
    const uint8_t *label,
    const score_t *score,
    const double *weight,
    const sample_t *sample,
    const double *units,
    void *scratch,
    sums_t *sums,
    int64_t *n_cut,
) noexcept nogil:
    cdef Py_ssize_t start = 0, i, size, bucket, n = sample.n_neg + sample.n_pos
    cdef map_t line = _choose_line(sample)
    cdef uint32_t starts[2 * BUCKETS]
    cdef uint64_t positions[BLOCK]
    cdef uint64_t part
    cdef uint32_t first = 0, middle, last
    cdef double whole
    cdef uint64_t *fixed_weights = <uint64_t *> scratch
    cdef uint64_t *spare = fixed_weights + n
    cdef int32_t *offsets = <int32_t *> (fixed_weights + 2 * n)
    cdef int32_t *spare_offsets = offsets + n + SPARE_ROWS
    cdef uint64_t *keys = fixed_weights + 2 * n
    memset(sums, 0, sizeof(sums_t))
    n_cut[0] = n_cut[1] = 0
    _start_buckets(label, score, n, &line, starts)
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        map_positions(score + start, size, &line, positions)
        for i in range(start, start + size):
            part = 2 * (positions[i - start] >> 32) + label[i]
            if score_t is float:
                offsets[starts[part]] = offset_of(score + i, 0)
            else:
                keys[starts[part]] = key_of(score + i)
            whole = weight[i] * units[label[i]]
            fixed_weights[starts[part]] = <int64_t> whole
            n_cut[label[i]] += <double> <int64_t> whole < whole
            starts[part] += 1
        start += size
    for bucket in range(BUCKETS):
        middle = starts[2 * bucket] - first
        last = starts[2 * bucket + 1]
        if score_t is float:
            weigh_placed(
                offsets + first,
                fixed_weights + first,
                middle,
                last - first - middle,
                spare_offsets,
                spare,
                sums,
            )
        else:
            weigh_placed(
                keys + first,
                fixed_weights + first,
                middle,
                last - first - middle,
                keys + n,
                spare,
                sums,
            )
        first = last
