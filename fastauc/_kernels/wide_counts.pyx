"""Counts of one word or of three at every step of rows: sums, pairs, and bounds of precision.

A count is a number of rows, in one word, or a weight in units of 2^-128, in three words, the lowest
first. ``fps`` and ``tps`` are those of a step and of all steps above it, from the highest step on.
A step that ``is_mixed`` holds several scores in an unknown order; an empty array is for none.

The rows of such steps are put into buckets, to be counted by themselves. A bucket is a run of bins,
so all its rows are below those of the next one. Rows are compared by their keys, the bits of the
double in its order.
"""

from libc.math cimport log1p
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from fastauc._kernels.bucket_map cimport key_of
from fastauc._kernels.double_double cimport (
    dd_add,
    dd_multiply,
    dd_ratio,
    dd_t,
    dd_zero,
    fast_two_sum,
    two_sum,
)
from fastauc._kernels.doubles cimport bits_of, fixed_weight_of, score_t, widen
from fastauc._kernels.wide_integers cimport (
    add_area,
    add_total,
    dd_of,
    double_of,
    subtract,
    total_t,
    wide_product,
    wide_sum,
    wide_t,
)

cdef enum:
    BLOCK = 512  # scores that are widened at a time
    DIGITS = 128  # of a weight, below its point


cdef inline total_t _read(const uint64_t *words, Py_ssize_t n_words) noexcept nogil:
    if n_words == 1:
        return total_t(words[0], 0, 0)
    return total_t(words[0], words[1], words[2])


def add_up(const uint64_t[:, :, :] sums, uint64_t[:, ::1] fps, uint64_t[:, ::1] tps):
    """Write the counts of steps from those of each bin, ``sums[bin, label]``, the lowest first."""
    cdef Py_ssize_t k, c, i, last = sums.shape[0] - 1, n_words = sums.shape[2]
    cdef uint64_t words[3]
    cdef total_t totals[2]
    totals[0] = totals[1] = total_t(0, 0, 0)
    with nogil:
        for k in range(last + 1):
            for c in range(2):
                for i in range(n_words):
                    words[i] = sums[last - k, c, i]
                add_total(&totals[c], _read(words, n_words))
            for i in range(n_words):
                fps[k, i] = (<uint64_t *> &totals[0])[i]
                tps[k, i] = (<uint64_t *> &totals[1])[i]


def as_doubles(const uint64_t[:, :] weights, double[::1] doubles):
    """Write the doubles nearest to weights of three words."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(doubles.shape[0]):
            doubles[k] = double_of(total_t(weights[k, 0], weights[k, 1], weights[k, 2]), -DIGITS)


cdef object _whole(const uint64_t *words, int n_words):
    cdef int i
    whole = 0
    for i in range(n_words - 1, -1, -1):
        whole = whole << 64 | words[i]
    return whole


cdef inline void _add_pairs(
    const uint64_t *fps,
    const uint64_t *tps,
    const uint8_t[::1] is_mixed,
    Py_ssize_t n,
    int n_words,
    uint64_t[3][6] areas,
) noexcept nogil:
    cdef Py_ssize_t k
    cdef total_t last, next_fp, next_tp, neg, pos, fp = total_t(0, 0, 0), tp = total_t(0, 0, 0)
    last = _read(fps + (n - 1) * n_words, n_words)
    for k in range(n):
        next_fp = neg = _read(fps + k * n_words, n_words)
        next_tp = pos = _read(tps + k * n_words, n_words)
        subtract(&neg, &fp)
        subtract(&pos, &tp)
        add_area(areas[2 if is_mixed.shape[0] > 0 and is_mixed[k] else 1], pos, neg, n_words)
        neg = last
        subtract(&neg, &next_fp)
        add_area(areas[0], pos, neg, n_words)
        fp = next_fp
        tp = next_tp


def count_pairs(
    const uint64_t[:, ::1] fps, const uint64_t[:, ::1] tps, const uint8_t[::1] is_mixed
):
    """Return three numbers of pairs, in rows or in squared units.

    Those of a positive and a negative of a lower step, those within the steps of one score, and
    those within mixed steps.
    """
    cdef uint64_t areas[3][6]
    cdef Py_ssize_t n = fps.shape[0]
    if n == 0:
        return 0, 0, 0
    memset(areas, 0, sizeof(areas))
    with nogil:
        # Compiled for each number of words: one takes a quarter of the time.
        if fps.shape[1] == 1:
            _add_pairs(&fps[0, 0], &tps[0, 0], is_mixed, n, 1, areas)
        else:
            _add_pairs(&fps[0, 0], &tps[0, 0], is_mixed, n, 3, areas)
    return _whole(areas[0], 6), _whole(areas[1], 6), _whole(areas[2], 6)


cdef inline dd_t _add(dd_t a, dd_t b, double *inexact) noexcept nogil:
    """Return a + b, and add what is lost, if anything, to ``inexact``."""
    cdef dd_t high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo), rest = two_sum(high.lo, low.hi)
    inexact[0] += abs(low.lo) + abs(rest.lo)
    return fast_two_sum(high.hi, rest.hi)


cdef inline dd_t _precision(dd_t growth, dd_t tp, dd_t fp, double *inexact) noexcept nogil:
    """Return growth * tp / (tp + fp); exact only if every number is a double."""
    cdef dd_t part = dd_multiply(growth, tp), whole = dd_add(tp, fp), found = dd_ratio(part, whole)
    inexact[0] += abs(part.lo) + abs(whole.lo) + abs(found.lo)
    return found


def bound_precision(
    const uint64_t[:, ::1] fps, const uint64_t[:, ::1] tps, const uint8_t[::1] is_mixed
):
    """Return the least and the greatest sum of precision times the growth of ``tps``.

    As two pairs (hi, lo); whether the order matters; and whether the sums are exact. If not, the
    sum of n steps is off by up to (n + 64) 2^-101 of itself, the least by as much of all positives
    if the order matters.

    The precision of a positive never decreases with the positives at or above it, and never
    increases with the negatives there. Let t positives and f negatives be above a step of p and n.
    If its rows are tied, each of its positives has (t + p) / (t + p + f + n). Else it has at most
    (t + p) / (t + p + f), as when all positives are tied and above the negatives. And the k-th has
    at least (t + k) / (t + k + f + n), as when the negatives come first and no positives are tied:
    the sum of these is p - (f + n) (1 / (a + 1) + ... + 1 / (a + p)) with a = t + f + n, and by
    convexity 1 / k is at most the integral of 1 / x from k - 1/2 to k + 1/2. With weights positives
    may be of any weight: the sum is at least the integral of x / (x + f + n).
    """
    cdef Py_ssize_t k, n = fps.shape[0], n_words = fps.shape[1]
    cdef int exponent = 0 if n_words == 1 else -DIGITS
    cdef bint certain, all_certain = True
    cdef uint64_t above = 0
    cdef total_t words, found = total_t(0, 0, 0)
    cdef dd_t fp = dd_zero(), tp = dd_zero(), next_fp, next_tp, growth, term, whole, lost
    cdef double half = 0.5 if n_words == 1 else 0.0
    cdef dd_t least = dd_zero(), most = dd_zero()
    cdef double inexact = 0.0
    with nogil:
        for k in range(n):
            next_fp = dd_of(_read(&fps[k, 0], n_words), exponent)
            words = _read(&tps[k, 0], n_words)
            next_tp = dd_of(words, exponent)
            subtract(&words, &found)
            add_total(&found, words)
            growth = dd_of(words, exponent)
            inexact += abs(next_fp.lo) + abs(next_tp.lo) + abs(growth.lo)
            if growth.hi > 0.0:
                certain = (
                    is_mixed.shape[0] == 0
                    or not is_mixed[k]
                    or next_fp.hi == 0.0
                    # A row by itself.
                    or (n_words == 1 and growth.hi == 1.0 and fps[k, 0] == above)
                )
                term = _precision(growth, next_tp, next_fp if certain else fp, &inexact)
                most = _add(most, term, &inexact)
                if not certain:
                    all_certain = False
                    whole = dd_add(dd_add(tp, next_fp), dd_t(half, 0.0))
                    # A logarithm of the C library is off by a few units in the last of 53 bits.
                    lost = dd_t(log1p(dd_ratio(growth, whole).hi) * (1.0 + 2.0 ** -48), 0.0)
                    lost = dd_multiply(lost, next_fp)
                    term = _add(growth, dd_t(-lost.hi, -lost.lo), &inexact)
                    if term.hi < 0.0:
                        term = dd_zero()
                least = _add(least, term, &inexact)
            fp = next_fp
            tp = next_tp
            above = fps[k, 0]
    return (least.hi, least.lo), (most.hi, most.lo), not all_certain, inexact == 0.0


def place_rows(
    const uint8_t[::1] label,
    const score_t[::1] score,
    uint32_t[::1] numbers,
    const uint16_t[::1] bucket_of,
    const double[::1] weight,
    uint64_t[::1] keys,
    double[::1] weights,
    int64_t[::1] ends,
):
    """Write the keys of rows, and their weights if there are any, in the order of their groups.

    The group of a row is ``2 * bucket_of[number] + label``; rows of weight 0 belong to bucket 0.
    ``ends``, zeros before, becomes the end of each group, and ``numbers`` the groups. The rows of a
    group stay in their order. Assumes places for all rows, and groups below ``len(ends)``.
    """
    cdef Py_ssize_t start = 0, i, size, n = label.shape[0]
    cdef int64_t place = 0, n_rows
    cdef uint32_t group
    cdef bint weighted = weight.shape[0] > 0
    cdef double room[BLOCK]
    cdef const double *value
    with nogil:
        for i in range(n):
            group = bucket_of[numbers[i]]
            if weighted and bits_of(weight[i]) << 1 == 0:
                group = 0
            group = 2 * group + (label[i] & 1)
            numbers[i] = group
            ends[group] += 1
        for i in range(ends.shape[0]):
            n_rows = ends[i]
            ends[i] = place
            place += n_rows
        while start < n:
            size = min(<Py_ssize_t> BLOCK, n - start)
            value = widen(&score[start], size, room)
            for i in range(size):
                place = ends[numbers[start + i]]
                ends[numbers[start + i]] = place + 1
                keys[place] = key_of(value + i)
                if weighted:
                    weights[place] = weight[start + i]
            start += size


def add_weights(const double[::1] weight, uint64_t[::1] total):
    """Add weights that are positive to a total of three words."""
    cdef Py_ssize_t i
    cdef int64_t n_rounded = 0
    with nogil:
        for i in range(weight.shape[0]):
            add_total(<total_t *> &total[0], fixed_weight_of(weight[i], &n_rounded))


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
            add_area(&areas[0, 0], positives, below, 3)
            if i < n_neg and neg[i] == key:
                tied = total_t(0, 0, 0)
                while i < n_neg and neg[i] == key:
                    add_total(&tied, fixed_weight_of(neg_weight[i], &n_rounded))
                    i += 1
                add_area(&areas[1, 0], positives, tied, 3)
                add_total(&below, tied)
