"""Put rows in order by adaptive buckets, on any processor and of any distribution.

A sample of the keys gives a monotone map to buckets, as many for each interval of keys as the
sample has rows there. Count the rows of each bucket, place them, and order the rows of a bucket by
itself: the range from its own lowest to its highest key is divided into about one smaller bucket
for each row, the rows are placed again, now inside the caches, and a bucket that is still crowded
is divided once more. The few rows of the others are left to insertion. Where a key is frequent, its
rows are counted rather than moved.

Keys are carried whole, so nothing is ever undecided. A bucket that is divided has more than
FEW_ROWS rows, and each level takes 6 bits off its range at least: there are no more than 11 levels
for keys of 64 bits, of 8 KiB of the stack each. Rows of equal keys stay in their order. A row is a
key, or a key and 64 bits that follow it.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from fastauc._kernels.bucket_map cimport (
    BLOCK,
    key_of,
    map_scores,
    map_t,
    read_map,
    score_t,
    source_t,
    take_place,
)
from fastauc._kernels.compiler cimport FASTAUC_PREFETCH, bit_length

cdef enum:
    FEW_ROWS = 12
    BUCKET_BITS = 11
    LEAST_BITS = 6
    MOST_BUCKETS = 2048
    # Rows that are counted by key rather than divided where no more than MOST_BUCKETS keys are
    # possible.
    LEAST_NARROW = 512
    # Rows among which a frequent key is looked for.
    LEAST_FREQUENT = 64
    AHEAD = 32

ctypedef fused key_t:
    uint32_t
    uint64_t

ctypedef fused row_t:
    uint32_t
    uint64_t
    pair_t


cdef inline uint64_t _key_of(const row_t *row) noexcept nogil:
    if row_t is pair_t:
        return row.key
    else:
        return row[0]


cdef inline void _insert(const row_t *rows, uint32_t n, row_t *ordered) noexcept nogil:
    """Order rows that mostly are beside their places; both arrays may be the same."""
    # Which of two rows comes first is a coin toss for a branch predictor, so no branch depends on
    # it: the higher one so far is kept back, and the other has to move further only in threes.
    cdef uint32_t i, j
    cdef row_t row, last, lower
    cdef bint is_lower
    if n == 0:
        return
    last = rows[0]
    for i in range(n - 1):
        row = rows[i + 1]
        is_lower = _key_of(&row) < _key_of(&last)
        if row_t is pair_t:
            lower.key = row.key if is_lower else last.key
            lower.companion = row.companion if is_lower else last.companion
            last.key = last.key if is_lower else row.key
            last.companion = last.companion if is_lower else row.companion
        else:
            lower = row if is_lower else last
            last = last if is_lower else row
        j = i
        while j > 0 and _key_of(ordered + j - 1) > _key_of(&lower):
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = lower
    ordered[n - 1] = last


cdef inline uint64_t _frequent_key(const row_t *rows, uint32_t n) noexcept nogil:
    """Return a key that two of three rows have, or 0. Its last bit, often the class, is set."""
    cdef uint64_t first = _key_of(rows + n // 4) | 1
    cdef uint64_t second = _key_of(rows + n // 2) | 1
    cdef uint64_t third = _key_of(rows + 3 * (n // 4)) | 1
    return first if first == second or first == third else second if second == third else 0


cdef inline void _order(row_t *rows, uint32_t n, row_t *other, bint within) noexcept nogil:
    """Order rows into ``other`` or, if ``within``, where they are; both arrays are overwritten.

    Rows of a frequent key, which would be moved again and again until no others are among them, are
    counted instead, and left out until the others are in order.
    """
    cdef row_t *ordered = rows if within else other
    cdef uint32_t i, stop, n_others = n, n_lower = 0, n_upper = 0
    cdef uint64_t key, frequent = 0
    if row_t is not pair_t:
        if n >= LEAST_FREQUENT:
            frequent = _frequent_key(rows, n)
        if frequent > 0:
            n_others = 0
            for i in range(n):
                key = rows[i]
                rows[n_others] = <row_t> key
                n_others += (key | 1) != frequent
                n_lower += key < frequent - 1
                n_upper += key == frequent
    _divide(rows, n_others, other, within)
    if row_t is not pair_t:
        if frequent > 0:
            stop = n_lower + n - n_others
            memmove(ordered + stop, ordered + n_lower, (n_others - n_lower) * sizeof(row_t))
            for i in range(n_lower, stop):
                ordered[i] = <row_t> (frequent - (i < stop - n_upper))


cdef void _divide(row_t *rows, uint32_t n, row_t *other, bint within) noexcept nogil:
    """Do what ``_order`` does, by buckets of equal width from the lowest to the highest key."""
    cdef uint32_t starts[MOST_BUCKETS]
    cdef row_t *ordered = rows if within else other
    cdef uint64_t low, high, key
    cdef uint32_t i, bucket, n_buckets, size, largest = 0, place = 0, first = 0, last, done = 0
    cdef int bits, divided, shift = 0
    if n <= FEW_ROWS:
        _insert(rows, n, ordered)
        return
    low = high = _key_of(rows)
    for i in range(1, n):
        key = _key_of(rows + i)
        low = min(low, key)
        high = max(high, key)
    if low == high:
        if not within:
            memcpy(other, rows, n * sizeof(row_t))
        return
    bits = bit_length(high - low)
    if bits > BUCKET_BITS or n < LEAST_NARROW:
        # About a bucket for each row; if that is too many, buckets that will be divided so.
        divided = bit_length(n) if n < MOST_BUCKETS else bit_length(n) - 9
        shift = max(0, bits - min(BUCKET_BITS, max(LEAST_BITS, divided)))
    n_buckets = <uint32_t> ((high - low) >> shift) + 1
    memset(starts, 0, n_buckets * sizeof(uint32_t))
    for i in range(n):
        starts[(_key_of(rows + i) - low) >> shift] += 1
    if row_t is not pair_t:
        if shift == 0:
            # Each bucket is one key, so its rows are known from their number.
            for bucket in range(n_buckets):
                for i in range(place, place + starts[bucket]):
                    ordered[i] = <row_t> (low + bucket)
                place += starts[bucket]
            return
    for bucket in range(n_buckets):
        size = starts[bucket]
        starts[bucket] = place
        place += size
        largest = max(largest, size)
    for i in range(n):
        bucket = <uint32_t> ((_key_of(rows + i) - low) >> shift)
        place = starts[bucket]
        starts[bucket] = place + 1
        other[place] = rows[i]
    if largest > FEW_ROWS:
        # Each start has moved on to the next one.
        for bucket in range(n_buckets):
            last = starts[bucket]
            if last - first > FEW_ROWS:
                _insert(other + done, first - done, ordered + done)
                _order(other + first, last - first, rows + first, not within)
                done = last
            first = last
    _insert(other + done, n - done, ordered + done)


cdef void sort_pairs(pair_t *pairs, uint32_t n, pair_t *spare) noexcept nogil:
    """Put pairs in the order of their keys; the sort is stable."""
    _order(pairs, n, spare, True)


# Buckets ----------------------------------------------------------------------------------------


cdef inline uint64_t _packed(const source_t *source, const uint8_t *label) noexcept nogil:
    """Return a key as it is, or that of a score and behind it its label.

    That leaves the sign bit no room. No bucket holds scores of both signs.
    """
    if source_t is uint32_t or source_t is uint64_t:
        return source[0]
    else:
        return key_of(source) << 1 | label[0]


def pack_rows(const uint8_t[::1] label, const score_t[::1] score, key_t[::1] packed):
    """Write the rows with scores below 0 from the front, and the others from the end.

    Assumes labels of 0 and 1, no NaN, and three arrays of one length. Returns how many are below 0.
    Each row is written to both ends of the free places and only one end moves, so there is no
    branch to mispredict.
    """
    cdef Py_ssize_t i, n = label.shape[0], front = 0, back = n - 1
    cdef uint64_t key, is_low
    with nogil:
        for i in range(n):
            key = key_of(&score[i])
            is_low = 1 - (key >> (8 * sizeof(score_t) - 1))
            # front + (n - 1 - back) == i, hence front <= back: both places are still free.
            packed[front] = packed[back] = <key_t> (key << 1 | label[i])
            front += is_low
            back -= 1 - is_low
    return front


def place_rows(
    const source_t[::1] source,
    const uint8_t[::1] label,
    const uint64_t[::1] companion,
    const double[::1] line,
    const uint64_t[::1] intervals,
    uint32_t[::1] starts,
    key_t[::1] placed,
):
    """Write each key, or score and label, to the next place of its bucket, and move that on.

    With what belongs to it behind it, if there is a ``companion``. Assumes starts from what
    ``buckets.count_rows`` has counted, and no labels with keys.
    """
    cdef map_t buckets = read_map(line, intervals)
    cdef const uint8_t *labels = &label[0] if label.shape[0] > 0 else NULL
    cdef bint paired = companion.shape[0] > 0
    cdef uint32_t last = <uint32_t> ((placed.shape[0] >> paired) - 1)
    cdef uint32_t numbers[BLOCK]
    cdef size_t place
    cdef uint64_t key
    cdef Py_ssize_t start = 0, i, size, n = source.shape[0]
    with nogil:
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            map_scores(&source[start], size, &buckets, numbers)
            for i in range(size):
                place = take_place(&starts[numbers[i]], last)
                key = _packed(&source[start + i], labels + start + i)
                if paired:
                    place *= 2
                    placed[place + 1] = <key_t> companion[start + i]
                placed[place] = <key_t> key
                # The next line of the bucket is wanted soon, and for writing.
                FASTAUC_PREFETCH(<char *> (&placed[0] + place) + 64)
            start += size


def order_buckets(
    key_t[::1] placed,
    const uint32_t[::1] ends,
    Py_ssize_t first,
    Py_ssize_t stop,
    key_t[::1] other,
    bint within,
):
    """Put the rows of some buckets in order.

    Where they are, if ``within``, and ``other`` has room for those of the largest bucket; or in
    ``other``, which then has room for all.
    """
    cdef Py_ssize_t bucket
    cdef uint32_t start = ends[first - 1] if first > 0 else 0
    with nogil:
        for bucket in range(first, stop):
            _order(
                &placed[0] + start,
                ends[bucket] - start,
                &other[0] + (0 if within else start),
                within,
            )
            start = ends[bucket]


def order_pairs(
    uint64_t[:, ::1] placed,
    const uint32_t[::1] ends,
    Py_ssize_t first,
    Py_ssize_t stop,
    uint64_t[:, ::1] spare,
    key_t[::1] keys,
    uint64_t[::1] companion,
    bint sorts_ties,
):
    """Write the rows of some buckets in order, and what belongs to them.

    What belongs to equal keys is sorted too, if ``sorts_ties``. ``spare`` has room for the rows of
    the largest bucket.
    """
    cdef pair_t *pairs = <pair_t *> &placed[0, 0]
    cdef pair_t *others = <pair_t *> &spare[0, 0]
    cdef Py_ssize_t bucket
    cdef uint32_t i, end, tied, start = ends[first - 1] if first > 0 else 0
    with nogil:
        for bucket in range(first, stop):
            end = ends[bucket]
            _order(pairs + start, end - start, others, True)
            tied = start
            for i in range(start, end):
                keys[i] = <key_t> pairs[i].key
                companion[i] = pairs[i].companion
                if sorts_ties and (i + 1 == end or pairs[i].key != pairs[i + 1].key):
                    if tied < i:
                        _order(&companion[tied], i + 1 - tied, <uint64_t *> others, True)
                    tied = i + 1
            start = end


def order_ties(
    const key_t[::1] keys,
    const uint64_t[::1] values,
    uint64_t[::1] rows,
    uint64_t[:, ::1] spare,
    uint64_t[::1] ordered,
):
    """Put the rows of equal keys in the order of their values, and write these to ``ordered``.

    Assumes keys in order, and less than 2^32 of them. ``rows`` are the numbers of their rows, which
    ``values`` has all of; ``spare`` has twice as many pairs.
    """
    cdef pair_t *pairs = <pair_t *> &spare[0, 0]
    cdef Py_ssize_t start = 0, stop, i, n = keys.shape[0]
    with nogil:
        while start < n:
            # Rows are anywhere: their values are on their way some rows before.
            FASTAUC_PREFETCH(&values[rows[min(start + AHEAD, n - 1)]])
            stop = start + 1
            while stop < n and keys[stop] == keys[start]:
                stop += 1
            if stop - start > 1:
                for i in range(start, stop):
                    pairs[i - start] = pair_t(values[rows[i]], rows[i])
                _order(pairs, <uint32_t> (stop - start), pairs + n, True)
                for i in range(start, stop):
                    rows[i] = pairs[i - start].companion
            for i in range(start, stop):
                ordered[i] = values[rows[i]]
            start = stop
