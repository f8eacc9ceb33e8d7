"""Passes over the input that find what validation has to know, or bring columns together.

Nothing here raises: what is wrong is returned as a position or as an extreme, and ``_validation``
finds the words.
"""

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
)
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memset, strlen

from fastauc._kernels.compiler cimport FASTAUC_PREFETCH_TO_READ
from fastauc._kernels.compiler cimport bit_length

ctypedef fused label_t:
    int8_t
    uint8_t
    int32_t
    int64_t
    float
    double

ctypedef fused unsigned_t:
    uint8_t
    uint32_t
    uint64_t

ctypedef fused bits_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    # Rows looked at between two tests for what must not occur: inside the first-level cache, and
    # few enough that the search for the exact position costs nothing.
    BLOCK = 2040
    # Extremes that do not wait for each other.
    LANES = 4
    # The same for scores: whole vectors, whatever their size. A block is a multiple of four rows in
    # each lane, and inside the first-level cache.
    SCORE_LANES = 16
    SCORE_BLOCK = 4096
    # Weights of which the range is found at a time, first that of both classes.
    WEIGHT_BLOCK = 512
    # So many blocks in turn that widen the range of a class make all others suspect.
    WIDER_BLOCKS = 16
    # Rows of a matrix between the one that is read and the one that is asked for. A row is another
    # page, so no processor sees it coming.
    AHEAD = 16


# Scores -------------------------------------------------------------------------------------------


cdef inline score_t _lower(score_t a, score_t b) noexcept nogil:
    return a if a < b else b


cdef inline score_t _higher(score_t a, score_t b) noexcept nogil:
    return a if a > b else b


cdef score_t _include_scores(
    const score_t *values, Py_ssize_t n, score_t *lowest, score_t *highest
) noexcept nogil:
    """Widen the range; return the sum of the values, or 0 of integers."""
    # NaN and infinity outlast every addition; a comparison with NaN may keep either side.
    cdef score_t low[SCORE_LANES]
    cdef score_t high[SCORE_LANES]
    cdef score_t total[SCORE_LANES]
    cdef score_t a, b, c, d
    cdef Py_ssize_t i = 0, lane
    for lane in range(SCORE_LANES):
        low[lane] = lowest[0]
        high[lane] = highest[0]
        total[lane] = 0
    if score_t is int64_t:
        # The baseline compares no vectors of them. Four chains do not wait for each other.
        while i + 4 <= n:
            for lane in range(4):
                low[lane] = _lower(values[i + lane], low[lane])
                high[lane] = _higher(values[i + lane], high[lane])
            i += 4
    else:
        # Four rows become one before they meet what is known, lane by lane: a loop over elements,
        # of which compilers make vectors without any reassociation that they may not do.
        while i + 4 * SCORE_LANES <= n:
            for lane in range(SCORE_LANES):
                a = values[i + lane]
                b = values[i + lane + SCORE_LANES]
                c = values[i + lane + 2 * SCORE_LANES]
                d = values[i + lane + 3 * SCORE_LANES]
                total[lane] += (a + b) + (c + d)
                low[lane] = _lower(_lower(_lower(a, b), _lower(c, d)), low[lane])
                high[lane] = _higher(_higher(_higher(a, b), _higher(c, d)), high[lane])
            i += 4 * SCORE_LANES
    for i in range(i, n):
        lane = i % SCORE_LANES
        if score_t is not int64_t:
            total[lane] += values[i]
        low[lane] = _lower(values[i], low[lane])
        high[lane] = _higher(values[i], high[lane])
    for lane in range(1, SCORE_LANES):
        low[0] = _lower(low[lane], low[0])
        high[0] = _higher(high[lane], high[0])
        total[0] += total[lane]
    lowest[0] = low[0]
    highest[0] = high[0]
    return total[0]


cdef Py_ssize_t find_range(
    const score_t *values, Py_ssize_t n, score_t *low, score_t *high
) noexcept nogil:
    """Find the lowest and the highest of at least one score; return what ``score_range`` does."""
    cdef Py_ssize_t start = 0, i, size
    cdef score_t total
    low[0] = high[0] = values[0]
    while start < n:
        size = min(<Py_ssize_t> SCORE_BLOCK, n - start)
        total = _include_scores(values + start, size, low, high)
        # A sum of finite values may overflow; then each of them is looked at.
        if total - total != 0:
            for i in range(start, start + size):
                if values[i] - values[i] != 0:  # NaN for NaN and for both infinities
                    return i
        start += size
    return -1


def score_range(const score_t[::1] values):
    """Return the lowest and the highest score, and the position of the first NaN or infinity.

    The position is -1 if there is none; else the extremes mean nothing. They are 0 without rows.
    Of -0.0 and 0.0 either may be returned; and any subnormal number for another, or 0 for it, where
    the processor is set to take them for 0.
    """
    cdef Py_ssize_t n = values.shape[0], position = -1
    cdef score_t low = 0, high = 0
    if n > 0:
        with nogil:
            position = find_range(&values[0], n, &low, &high)
    return low, high, position


# Labels -------------------------------------------------------------------------------------------


cdef bint _encode_integers(
    const unsigned_t *y_true, Py_ssize_t n, unsigned_t low, int shift, uint8_t *codes
) noexcept nogil:
    # Two labels that differ by a power of two, in the bits of their own size, modulo which nothing
    # overflows: y - low is 0 or that power if and only if no other bit is ever set.
    cdef Py_ssize_t i
    cdef unsigned_t seen = 0, above
    for i in range(n):
        above = y_true[i] - low
        seen |= above
        codes[i] = <uint8_t> (above >> shift)
    return (seen >> shift << shift) == seen and (seen >> shift) <= 1


cdef bint _encode_zero_one(const double *y_true, Py_ssize_t n, uint8_t *codes) noexcept nogil:
    # In floating point y * y - y is 0 for 0, -0 and 1 alone: the square of any other number is not
    # rounded to the number itself (and that of an infinity less itself is NaN). The lowest bit of
    # the exponent is that of 1, not that of 0.
    cdef Py_ssize_t i
    cdef double excess
    cdef uint64_t bits, seen = 0
    for i in range(n):
        excess = y_true[i] * y_true[i] - y_true[i]
        memcpy(&bits, &excess, sizeof(bits))
        seen |= bits
        memcpy(&bits, y_true + i, sizeof(bits))
        codes[i] = <uint8_t> ((bits >> 52) & 1)
    return seen == 0


cdef bint _encode_any(
    const label_t *y_true, Py_ssize_t n, label_t low, label_t high, uint8_t *codes
) noexcept nogil:
    # Equal are -0.0 and 0.0, and nothing is equal to NaN.
    cdef Py_ssize_t i
    cdef uint8_t is_high, is_known = 1
    for i in range(n):
        is_high = y_true[i] == high
        is_known &= is_high | (y_true[i] == low)
        codes[i] = is_high
    return is_known


cdef int _shift_of(label_t low, label_t high) noexcept nogil:
    # Where a quicker loop applies: the exponent of the power of two that high - low is; else -1.
    cdef uint64_t difference
    if label_t is float or label_t is double:
        return 0 if low == 0 and high == 1 else -1
    else:
        difference = <uint64_t> high - <uint64_t> low
        return -1 if difference & (difference - 1) != 0 else bit_length(difference) - 1


cdef bint _encode_block(
    const label_t *y_true, Py_ssize_t n, label_t low, label_t high, int shift, uint8_t *codes
) noexcept nogil:
    # From the quickest loop to the one that compares values, for -0.0 beside 0.0.
    cdef bint is_done = False
    if label_t is double:
        is_done = shift >= 0 and _encode_zero_one(y_true, n, codes)
    elif label_t is not float:
        if shift >= 0:
            if label_t is int64_t:
                is_done = _encode_integers(<const uint64_t *> y_true, n, low, shift, codes)
            elif label_t is int32_t:
                is_done = _encode_integers(<const uint32_t *> y_true, n, low, shift, codes)
            else:
                is_done = _encode_integers(<const uint8_t *> y_true, n, low, shift, codes)
    return is_done or _encode_any(y_true, n, low, high, codes)


cdef int64_t _count_ones(const uint8_t *codes, Py_ssize_t n) noexcept nogil:
    # At most BLOCK codes: compilers make vectors of a sum in 16 bits.
    cdef uint16_t total = 0
    cdef Py_ssize_t i
    for i in range(n):
        total += codes[i]
    return total


cdef Py_ssize_t _encode(
    const label_t *y_true,
    Py_ssize_t n,
    uint8_t *codes,
    label_t *lower,
    label_t *higher,
    int64_t *n_higher,
) noexcept nogil:
    """Do what ``encode_labels`` does with at least one row; return the position."""
    cdef Py_ssize_t second = 1, third = -1, start = 0, size
    cdef int64_t n_high = 0
    cdef label_t low = y_true[0], high = y_true[0]
    cdef int shift
    while second < n and y_true[second] == low:
        second += 1
    if second < n:
        if y_true[second] > low:
            high = y_true[second]
        else:
            low = y_true[second]
    elif n > 1:  # more than one row, all equal: none of them is NaN
        memset(codes, 1, n)
        n_high = start = n
    shift = _shift_of(low, high)
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        if not _encode_block(&y_true[start], size, low, high, shift, &codes[start]):
            third = start
            while y_true[third] == low or y_true[third] == high:
                third += 1
            break
        n_high += _count_ones(&codes[start], size)
        start += size
    lower[0] = low
    higher[0] = high
    n_higher[0] = n_high
    return third


def encode_labels(const label_t[::1] y_true, uint8_t[::1] codes):
    """Write 1 where a label equals the greater of the two that occur and 0 elsewhere.

    Assumes ``y_true`` is not empty and ``codes`` has its length. Returns ``(low, high, n_high,
    third)``: the two values (equal when there is only one), how many rows hold ``high``, and the
    position of the first row that holds neither, or -1; with a third value codes and count are of
    no use. NaN equals nothing, so it is a third value.
    """
    cdef Py_ssize_t third
    cdef int64_t n_high
    cdef label_t low, high
    with nogil:
        third = _encode(&y_true[0], y_true.shape[0], &codes[0], &low, &high, &n_high)
    return low, high, n_high, third


# Clean samples ------------------------------------------------------------------------------------


cdef bint open_rows(object y_true, object y_score, rows_t *rows) except -1:
    """Take hold of the memory of two arrays, until ``close_rows``; tell if they have some."""
    try:
        PyObject_GetBuffer(y_true, &rows.y_true, PyBUF_FORMAT | PyBUF_STRIDES)
    except (BufferError, ValueError):  # dates, and what else no format describes
        return False
    try:
        PyObject_GetBuffer(y_score, &rows.y_score, PyBUF_FORMAT | PyBUF_STRIDES)
    except BaseException as error:
        PyBuffer_Release(&rows.y_true)
        if isinstance(error, (BufferError, ValueError)):
            return False
        raise
    rows.sample.n = rows.y_true.shape[0] if rows.y_true.ndim == 1 else 0
    return True


cdef void close_rows(rows_t *rows) noexcept:
    PyBuffer_Release(&rows.y_true)
    PyBuffer_Release(&rows.y_score)


cdef char _type_of(const Py_buffer *vector) noexcept nogil:
    """Return the type of numbers that lie as C has them, as ``struct`` writes it; 0 for others."""
    # The sign of another order of bytes, or of no alignment, is a letter more.
    if (
        vector.ndim != 1
        or vector.strides[0] != vector.itemsize
        or strlen(vector.format) != 1
        or <uintptr_t> vector.buf % vector.itemsize != 0
    ):
        return 0
    if vector.format[0] == b"l" and vector.itemsize == sizeof(int64_t):
        return b"q"
    return vector.format[0]


cdef int64_t _encode_clean(const label_t *y_true, Py_ssize_t n, uint8_t *codes) noexcept nogil:
    """Return the number of positives, or 0 if the labels are not 0 and 1."""
    cdef label_t low, high
    cdef int64_t n_pos
    if _encode(y_true, n, codes, &low, &high, &n_pos) >= 0 or low != 0 or high != 1:
        return 0
    return n_pos


cdef bint find_clean(rows_t *rows, uint8_t *codes) noexcept nogil:
    """Do what ``read_clean`` does; tell if there is nothing to say about the rows."""
    cdef char label_type = _type_of(&rows.y_true)
    cdef sample_t *sample = &rows.sample
    cdef const void *label = rows.y_true.buf
    cdef const void *score = rows.y_score.buf
    cdef float low, high
    rows.score_type = _type_of(&rows.y_score)
    sample.label = codes
    sample.low = sample.high = 0.0
    if sample.n == 0 or rows.score_type == 0 or rows.y_score.shape[0] != sample.n:
        return False
    if label_type == b"q":
        sample.n_pos = _encode_clean(<const int64_t *> label, sample.n, codes)
    elif label_type == b"d":
        sample.n_pos = _encode_clean(<const double *> label, sample.n, codes)
    elif label_type == b"?":
        sample.n_pos = _encode_clean(<const uint8_t *> label, sample.n, codes)
    else:
        return False
    if sample.n_pos == 0:
        return False
    if rows.score_type == b"d":
        return find_range(<const double *> score, sample.n, &sample.low, &sample.high) < 0
    if rows.score_type == b"f":
        if find_range(<const float *> score, sample.n, &low, &high) >= 0:
            return False
        sample.low = low
        sample.high = high
        return True
    return rows.score_type == b"q"


def read_clean(y_true, y_score, uint8_t[::1] codes):
    """Do what ``encode_labels`` and ``score_range`` do, if there is nothing to say about the rows.

    Returns the number of positives and the lowest and the highest score; of integers, which are not
    read, 0 and 0. Returns None if something needs a closer look: other dtypes than bool, int64 and
    float64 of labels, float32, float64 and int64 of scores; no row, unequal lengths, gaps between
    the numbers, labels that are not 0 and 1 or of one class only, a NaN, or an infinity. Assumes
    arrays, and room for the code of each label.
    """
    cdef rows_t rows
    cdef bint is_clean
    if not open_rows(y_true, y_score, &rows):
        return None
    with nogil:
        is_clean = find_clean(&rows, &codes[0])
    close_rows(&rows)
    return (rows.sample.n_pos, rows.sample.low, rows.sample.high) if is_clean else None


# Weights ------------------------------------------------------------------------------------------


cdef inline void _include(
    double value, uint8_t label, double *total, double *lowest, double *highest
) noexcept nogil:
    total[0] += value
    lowest[label] = value if value < lowest[label] else lowest[label]
    highest[label] = value if value > highest[label] else highest[label]


cdef double _include_by_class(
    const uint8_t *label, const double *weight, Py_ssize_t n, double *lowest, double *highest
) noexcept nogil:
    """Widen the range of each class; return the sum of all weights."""
    cdef Py_ssize_t i
    cdef int lane, c
    cdef double total[LANES]
    # Indexed by the label instead of chosen by it: no branch, and nothing to mispredict.
    cdef double low[LANES][2]
    cdef double high[LANES][2]
    for lane in range(LANES):
        total[lane] = 0.0
        for c in range(2):
            low[lane][c] = lowest[c]
            high[lane][c] = highest[c]
    for i in range(0, n - LANES + 1, 4):
        for lane in range(LANES):
            _include(weight[i + lane], label[i + lane], total + lane, low[lane], high[lane])
    for i in range(n - n % LANES, n):
        _include(weight[i], label[i], total, low[0], high[0])
    for lane in range(1, LANES):
        total[0] += total[lane]
        for c in range(2):
            low[0][c] = min(low[0][c], low[lane][c])
            high[0][c] = max(high[0][c], high[lane][c])
    for c in range(2):
        lowest[c] = low[0][c]
        highest[c] = high[0][c]
    return total[0]


cdef double find_extremes(
    const uint8_t *label, const double *weight, Py_ssize_t n, double *lowest, double *highest
) noexcept nogil:
    """Write the lowest and the highest weight of each class; return the sum of all."""
    # Of many rows, most blocks are within the range of both classes, which needs no look at their
    # labels. Where this comes true for no block, as with weights by class, it is not tried on.
    cdef Py_ssize_t start = 0, size
    cdef int n_wider = 0
    cdef double part, low, high, total = 0.0
    lowest[0] = lowest[1] = INFINITY
    highest[0] = highest[1] = 0.0
    while start < n:
        size = min(<Py_ssize_t> WEIGHT_BLOCK, n - start)
        if start > 0 and n_wider < WIDER_BLOCKS:
            low = high = weight[start]
            part = _include_scores(weight + start, size, &low, &high)
            if low >= max(lowest[0], lowest[1]) and high <= min(highest[0], highest[1]):
                n_wider = 0
                total += part
                start += size
                continue
            n_wider += 1
        total += _include_by_class(label + start, weight + start, size, lowest, highest)
        start += size
    return total


def weight_extremes(const uint8_t[::1] label, const double[::1] weight):
    """Return the sum of the weights, then the lowest and the highest of each class.

    Assumes labels of 0 and 1 and two arrays of one length. Returns ``(total, lowest_neg,
    highest_neg, lowest_pos, highest_pos)``. The total is finite unless a weight is not or the sum
    overflows; the extremes mean something only when no weight is NaN. Of a class without rows they
    are infinity and 0, so a highest weight is never below 0.
    """
    cdef Py_ssize_t n = weight.shape[0]
    cdef const uint8_t *first_label = &label[0] if n > 0 else NULL
    cdef const double *first_weight = &weight[0] if n > 0 else NULL
    cdef double lowest[2]
    cdef double highest[2]
    cdef double total
    with nogil:
        total = find_extremes(first_label, first_weight, n, lowest, highest)
    return total, lowest[0], highest[0], lowest[1], highest[1]


# Python's numbers ---------------------------------------------------------------------------------


def copy_numbers(values, array):
    """Copy the numbers of a list or a tuple; return False if one is not the array's kind of number.

    Assumes an array of ``np.dtype`` of bool, int or float. Each number has to be exactly of this
    type, and an int within 64 bits. Holds the GIL: what is read are Python's objects.
    """
    cdef Py_buffer view
    cdef Py_ssize_t i = 0
    cdef int overflow = 0
    cdef char number_type
    cdef bint is_copied = False
    PyObject_GetBuffer(array, &view, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE)
    number_type = _type_of(&view)
    for value in values:
        if i == view.shape[0]:  # another thread has made the list longer
            break
        if number_type == b"d" and PyFloat_CheckExact(value):
            (<double *> view.buf)[i] = PyFloat_AS_DOUBLE(value)
        elif number_type == b"q" and PyLong_CheckExact(value):
            (<int64_t *> view.buf)[i] = PyLong_AsLongLongAndOverflow(value, &overflow)
        elif number_type == b"?" and (value is True or value is False):
            (<uint8_t *> view.buf)[i] = value is True
        else:
            break
        if overflow != 0:
            break
        i += 1
    else:
        is_copied = i == view.shape[0]
    PyBuffer_Release(&view)
    return is_copied


# Columns ------------------------------------------------------------------------------------------


def take_columns(const bits_t[:, :] matrix, bits_t[:, ::1] columns):
    """Copy every column of the matrix, row by row: each page of memory is visited once for all.

    Assumes rows of at most two cache lines.
    """
    cdef Py_ssize_t row, column, n_rows = matrix.shape[0], last = matrix.shape[1] - 1
    with nogil:
        for row in range(n_rows):
            if row + AHEAD < n_rows:
                FASTAUC_PREFETCH_TO_READ(&matrix[row + AHEAD, 0])
                FASTAUC_PREFETCH_TO_READ(&matrix[row + AHEAD, last])
            for column in range(matrix.shape[1]):
                columns[column, row] = matrix[row, column]
