"""The exact AUC from C: what the public functions return, without Python, in the caller's memory.

Unlike all other kernels, these validate their input, as nothing stands between them and their
callers. Up to about ten thousand rows are handled as a single bucket; see ``small_sample``. More
rows are divided into buckets by a linear map of the scores, and the rows of a bucket are split by
the bits of their scores until few rows are left, or only equal scores.

Labels are copied before they are checked, and scores and weights that are read again never decide
on a position outside the scratch: changing them during a call gives a wrong number, nothing worse.
"""

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastauc._kernels.bucket_map cimport (
    BLOCK,
    count_in_buckets,
    key_of,
    map_scores,
    map_t,
    mask_of,
    offset_of,
    take_place,
)
from fastauc._kernels.buckets cimport compare_placed, part_t, row_t
from fastauc._kernels.double_double cimport dd_add, dd_divide, dd_multiply
from fastauc._kernels.doubles cimport bits_of, score_t
from fastauc._kernels.small_sample cimport (
    LARGEST_FIXED_WEIGHT,
    SPARE_ROWS,
    compare_sample,
    weigh_sample,
    weighing_t,
)
from fastauc._kernels.inputs cimport find_extremes, find_range, sample_t
from fastauc._kernels.ordering cimport pair_t, sort_pairs
from fastauc._kernels.rank_sum cimport pairs_t, weigh_sorted, weights_t
from fastauc._kernels.weighted_rank_sum cimport sums_t, unit_of, weigh_placed
from fastauc._kernels.wide_integers cimport (
    add_product,
    add_wide_product,
    is_below,
    quotient,
    total_t,
    wide_double,
    wide_t,
)

cdef enum:
    # Of more rows, too many offsets are equal by chance.
    FEW_ROWS = 12000
    BUCKETS = 256
    # Bits to which weights are brought where sums of doubles take the place of integers.
    MOST_BITS = 400


# Rows ---------------------------------------------------------------------------------------------


cdef int _read(
    const uint8_t *label,
    const score_t *score,
    int64_t n,
    bint weighted,
    void *scratch,
    size_t n_scratch,
    sample_t *sample,
) noexcept nogil:
    """Judge labels, scores and scratch; find the range of the scores and the sizes of the classes.

    Labels are copied to the last bytes of the scratch, which nobody else can change.
    """
    cdef Py_ssize_t i, n_pos = 0
    cdef uint8_t *codes
    cdef uint8_t seen = 0
    cdef score_t low = 0, high = 0
    cdef size_t needed = scratch_size(n, sizeof(score_t), weighted)
    if n <= 0:
        return FASTAUC_NO_ROWS
    if n >= <int64_t> 1 << 31:
        return FASTAUC_TOO_MANY_ROWS
    if scratch == NULL or <size_t> scratch % sizeof(uint64_t) != 0 or n_scratch < needed:
        return FASTAUC_BAD_SCRATCH
    codes = <uint8_t *> scratch + needed - n
    memcpy(codes, label, n)
    for i in range(n):
        seen |= codes[i]
        n_pos += codes[i]
    if seen > 1:
        return FASTAUC_BAD_LABEL
    if find_range(score, n, &low, &high) >= 0:
        return FASTAUC_BAD_SCORE
    sample[0] = sample_t(codes, n, n_pos, low, high)
    return FASTAUC_OK if n_pos > 0 and n_pos < n else FASTAUC_ONE_CLASS


cdef inline map_t _choose_line(const sample_t *sample) noexcept nogil:
    """Return a linear map to BUCKETS buckets, or to one where the range is none for a line."""
    cdef map_t line = map_t(0.0, 0.0, mask_of(BUCKETS), 0, 0, 0, NULL)
    cdef double width = sample.high - sample.low
    if 1e-280 < width < INFINITY:
        # What the difference of two scores loses, as it is subnormal, is less than half a position.
        # The last bucket takes the highest score alone: its position may have been rounded up.
        line.low = sample.low
        line.scale = (BUCKETS - 1) * 4294967296.0 / width
    return line


cdef void _place_rows(
    const sample_t *sample,
    const score_t *score,
    weighing_t *weighing,
    void *rows,
    uint32_t *ends,
) noexcept nogil:
    """Write the rows bucket by bucket, and in each the negatives first.

    A single score is its offset of 32 bits, a double its key of 64: both are in the order of the
    scores, and equal where they are. Units of the weights go beside them, unless ``weighing``
    is NULL. ``ends[2 * bucket + label]`` becomes where the rows of a bucket and class end.
    """
    cdef map_t line = _choose_line(sample)
    cdef uint32_t numbers[BLOCK]
    cdef uint32_t starts[2 * BUCKETS]
    cdef Py_ssize_t start = 0, i, size, part, n = sample.n
    cdef uint32_t place = 0, last = <uint32_t> (n - 1)
    cdef int32_t *offsets = <int32_t *> rows
    cdef uint64_t *keys = <uint64_t *> rows
    cdef uint8_t label
    cdef double whole
    memset(ends, 0, 2 * BUCKETS * sizeof(uint32_t))
    count_in_buckets(sample.label, score, n, &line, ends)
    for part in range(2 * BUCKETS):
        starts[part] = place
        place += ends[part]
        ends[part] = place
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        map_scores(score + start, size, &line, numbers)
        for i in range(start, start + size):
            label = sample.label[i]
            place = take_place(starts + 2 * numbers[i - start] + label, last)
            if score_t is float:
                offsets[place] = offset_of(score + i, 0)
            else:
                keys[place] = key_of(score + i)
            if weighing != NULL:
                whole = weighing.weight[i] * weighing.units[label]
                weighing.fixed_weights[place] = <int64_t> whole
                weighing.n_cut[label] += <double> <int64_t> whole < whole
        start += size


# Pairs --------------------------------------------------------------------------------------------


cdef void _add_buckets(
    row_t *rows, Py_ssize_t n, const uint32_t *ends, weighing_t *weighing, pairs_t *pairs
) noexcept nogil:
    """Add the rows of all buckets to ``weighing`` or, if that is NULL, to the pairs."""
    cdef uint32_t first = 0, middle, last
    cdef Py_ssize_t bucket
    cdef row_t *spare = rows + n + SPARE_ROWS
    cdef part_t part
    if row_t is int32_t:
        # Read behind the last rows, see `weigh_few`.
        memset(rows + n, 0, SPARE_ROWS * sizeof(int32_t))
        memset(spare + n, 0, SPARE_ROWS * sizeof(int32_t))
    for bucket in range(BUCKETS):
        middle = ends[2 * bucket]
        last = ends[2 * bucket + 1]
        part = part_t(rows + first, NULL, middle - first, last - middle)
        if weighing == NULL:
            compare_placed(&part, spare, pairs)
        else:
            part.weights = weighing.fixed_weights + first
            weigh_placed(&part, spare, weighing.fixed_weights + n, &weighing.sums)
        first = last


cdef void _divide_rows(
    const sample_t *sample, const score_t *score, weighing_t *weighing, pairs_t *pairs, void *rows
) noexcept nogil:
    """Add the rows by buckets to ``weighing`` or, if that is NULL, to the pairs."""
    cdef uint32_t ends[2 * BUCKETS]
    _place_rows(sample, score, weighing, rows, ends)
    if score_t is float:
        _add_buckets(<int32_t *> rows, sample.n, ends, weighing, pairs)
    else:
        _add_buckets(<uint64_t *> rows, sample.n, ends, weighing, pairs)


cdef int _count(
    const uint8_t *label,
    const score_t *score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    sample_t *sample,
    pairs_t *pairs,
) noexcept nogil:
    cdef int status = _read(label, score, n, False, scratch, n_scratch, sample)
    if status == FASTAUC_OK and not (
        n <= FEW_ROWS and compare_sample(sample, score, <int32_t *> scratch, pairs)
    ):
        pairs[0] = pairs_t(0, 0, 0)
        _divide_rows(sample, score, NULL, pairs, scratch)
    return status


# Weights ------------------------------------------------------------------------------------------


cdef double _area_of_doubles(
    const uint8_t *label,
    const score_t *score,
    const double *weight,
    Py_ssize_t n,
    const double *units,
    void *scratch,
) noexcept nogil:
    """Return the area from sums of double-doubles, in the order of ``sorted_rows``."""
    cdef pair_t *pairs = <pair_t *> scratch
    cdef pair_t *spare = pairs + n
    cdef uint64_t *keys = <uint64_t *> spare
    cdef uint64_t *weights = keys + n
    cdef uint64_t bits
    cdef Py_ssize_t i, n_low = 0
    cdef double area
    cdef weights_t sums
    # By label and weight, which has no sign, and then by score: the sort is stable.
    for i in range(n):
        bits = bits_of(weight[i]) << 1 >> 1
        pairs[i] = pair_t(<uint64_t> label[i] << 63 | bits, key_of(score + i))
    sort_pairs(pairs, <uint32_t> n, spare)
    for i in range(n):
        pairs[i] = pair_t(pairs[i].companion, pairs[i].key)
    sort_pairs(pairs, <uint32_t> n, spare)
    for i in range(n):
        # The first bit decides between two runs, so that there is room for the label.
        n_low += 1 - (pairs[i].key >> 63)
        keys[i] = pairs[i].key << 1 | pairs[i].companion >> 63
        weights[i] = pairs[i].companion << 1 >> 1
    sums = weigh_sorted(keys, n_low, n, <const double *> weights, units[1], units[0])
    # A quotient in the very middle of two doubles may be rounded to either.
    dd_divide(
        sums.not_discordant,
        dd_multiply(sums.negatives, dd_add(sums.positives, sums.positives)),
        &area,
    )
    return min(area, 1.0)


# Quotients ----------------------------------------------------------------------------------------


cdef double _area_of_pairs(const sample_t *sample, const pairs_t *pairs) noexcept nogil:
    cdef uint64_t twice_u = 2 * pairs.not_above - pairs.tied
    cdef uint64_t whole = 2 * <uint64_t> sample.n_pos * <uint64_t> (sample.n - sample.n_pos)
    if whole <= <uint64_t> 1 << 53:
        return <double> twice_u / <double> whole  # both are doubles
    return quotient(total_t(twice_u, 0, 0), total_t(whole, 0, 0))


cdef bint _divide(const sums_t *sums, const int64_t *n_cut, double *area) noexcept nogil:
    """Write the area, or tell that too much of the weights is cut off.

    As ``_pairs.weighted.ratio_of`` does, and in the same integers: less than 2^31 rows have less
    than 2^87 units.
    """
    cdef total_t whole = total_t(0, 0, 0), loss = total_t(0, 0, 0), scaled = total_t(0, 0, 0)
    cdef wide_t lost
    add_wide_product(&whole, sums.positives, wide_double(sums.negatives))
    if whole.low == 0 and whole.middle == 0 and whole.high == 0:
        return False
    add_product(&loss, n_cut[1], sums.negatives)
    add_product(&loss, n_cut[0], sums.positives)
    lost.low = loss.low
    lost.high = loss.middle
    add_product(&scaled, <uint64_t> 1 << 53, lost)
    if is_below(&sums.not_discordant, &scaled):
        return False
    area[0] = quotient(sums.not_discordant, whole)
    return True


# Functions ----------------------------------------------------------------------------------------


cdef int api_version() noexcept nogil:
    return FASTAUC_API_VERSION


cdef size_t scratch_size(int64_t n, size_t score_size, int weighted) noexcept nogil:
    if n <= 0 or n >= <int64_t> 1 << 31 or (score_size != 4 and score_size != 8):
        return 0
    # Twice the rows: offsets or keys, or keys and weights. Few doubles have offsets as well.
    return 2 * <size_t> n * (16 if weighted else score_size) + 2 * SPARE_ROWS * sizeof(int32_t)


cdef int _concordance(
    const uint8_t *y_true,
    const score_t *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    uint64_t *counts,
) noexcept nogil:
    cdef sample_t sample
    cdef pairs_t pairs = pairs_t(0, 0, 0)
    cdef int status = _count(y_true, y_score, n, scratch, n_scratch, &sample, &pairs)
    memset(counts, 0, 4 * sizeof(uint64_t))
    if status >= 0:
        counts[0] = pairs.not_above - pairs.tied
        counts[1] = pairs.tied
        counts[2] = sample.n_pos
        counts[3] = sample.n - sample.n_pos
    return status


cdef int concordance_float32(
    const uint8_t *y_true,
    const float *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    uint64_t *counts,
) noexcept nogil:
    return _concordance(y_true, y_score, n, scratch, n_scratch, counts)


cdef int concordance_float64(
    const uint8_t *y_true,
    const double *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    uint64_t *counts,
) noexcept nogil:
    return _concordance(y_true, y_score, n, scratch, n_scratch, counts)


cdef int _roc_auc(
    const uint8_t *y_true,
    const score_t *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil:
    cdef sample_t sample
    cdef pairs_t pairs
    cdef int status = _count(y_true, y_score, n, scratch, n_scratch, &sample, &pairs)
    area[0] = NAN
    if status == FASTAUC_OK:
        area[0] = _area_of_pairs(&sample, &pairs)
    return status


cdef int roc_auc_float32(
    const uint8_t *y_true,
    const float *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil:
    return _roc_auc(y_true, y_score, n, scratch, n_scratch, area)


cdef int roc_auc_float64(
    const uint8_t *y_true,
    const double *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil:
    return _roc_auc(y_true, y_score, n, scratch, n_scratch, area)


cdef int _weighted_roc_auc(
    const uint8_t *y_true,
    const score_t *y_score,
    const double *sample_weight,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil:
    cdef sample_t sample
    cdef weighing_t weighing
    cdef double lowest[2]
    cdef double highest[2]
    cdef double total
    cdef void *rows
    cdef int status = _read(y_true, y_score, n, True, scratch, n_scratch, &sample), c
    area[0] = NAN
    if status < 0:
        return status
    weighing.weight = sample_weight
    weighing.fixed_weights = <uint64_t *> scratch
    rows = weighing.fixed_weights + 2 * n
    total = find_extremes(sample.label, sample_weight, n, lowest, highest)
    if not 0 < total < INFINITY or lowest[0] < 0 or lowest[1] < 0:
        return FASTAUC_BAD_WEIGHT
    if highest[0] == 0 or highest[1] == 0:
        return FASTAUC_ONE_CLASS
    if lowest[0] == highest[0] and lowest[1] == highest[1]:
        # Each weight is a factor of every pair.
        return _roc_auc(y_true, y_score, n, scratch, n_scratch, area)
    for c in range(2):
        weighing.units[c] = unit_of(highest[c], LARGEST_FIXED_WEIGHT)
    if not (n <= FEW_ROWS and weigh_sample(&sample, y_score, <int32_t *> rows, &weighing)):
        weighing.n_cut[0] = weighing.n_cut[1] = 0
        memset(&weighing.sums, 0, sizeof(weighing.sums))
        _divide_rows(&sample, y_score, &weighing, NULL, rows)
    if not _divide(&weighing.sums, weighing.n_cut, area):
        for c in range(2):
            weighing.units[c] = unit_of(highest[c], MOST_BITS)
        area[0] = _area_of_doubles(y_true, y_score, sample_weight, n, weighing.units, scratch)
    return FASTAUC_OK


cdef int weighted_roc_auc_float32(
    const uint8_t *y_true,
    const float *y_score,
    const double *sample_weight,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil:
    return _weighted_roc_auc(y_true, y_score, sample_weight, n, scratch, n_scratch, area)


cdef int weighted_roc_auc_float64(
    const uint8_t *y_true,
    const double *y_score,
    const double *sample_weight,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil:
    return _weighted_roc_auc(y_true, y_score, sample_weight, n, scratch, n_scratch, area)
