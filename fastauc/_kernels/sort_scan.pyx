"""Sort-and-scan ROC: the counts at every distinct score, in three steps.

1. Make one unsigned integer of each row: the bits of its score, and behind them its label.
2. Put these integers in order; see ``ordering``. Rows of one score are then beside each other.
3. Walk from the highest score down and count: ``tp`` positives and ``fp`` negatives so far. Where
   the score changes, (fp, tp) is a point of the ROC curve, and the score just left its threshold.
   Tied rows are passed together, so their order does not matter: a tie is one diagonal step.

Precision and recall, the Kolmogorov-Smirnov distance and areas are sums or maxima along the same
walk; where they are all that is asked for, the points themselves are not written.

The sign bit of a score decides between two runs, so the integer does without it, and the label
takes the bit that this leaves free: score bits shifted left by one, label in the lowest bit. In
each run the integers are in the order of the scores, equal but for the last bit where the scores
are tied; every score of the low run is below every score of the high one. Each run is scanned by
itself, and curves by blocks of whole ties within a run. In a scan from the top, the positives of a
tie come before its negatives. No branch depends on a class or a tie: which comes next is a coin
toss for a branch predictor.
Functions of sorted rows take them as ``sorted_rows.SortedRows`` has them, at least one.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from fastauc._kernels.double_double cimport dd_add_double, dd_t, dd_zero
from fastauc._kernels.precision_sum cimport add_precisions, precision_sum_t, precision_total
from fastauc._kernels.rank_sum cimport packed_t

ctypedef fused score_t:
    float
    double
    int64_t

ctypedef fused count_t:
    int64_t
    double

cdef enum:
    BLOCK = 512  # rows whose results are finished while they are in the first cache


# Runs ------------------------------------------------------------------------------------------


def has_few_runs(const score_t[::1] score, Py_ssize_t most):
    """Tell whether the scores are ``most`` runs or fewer, each strictly rising or strictly falling.

    On rows in random order the answer is no after some ``2 * most`` of them. Equal neighbors end a
    run, but for the first two of one: the labels of tied rows are in no order.
    """
    cdef Py_ssize_t i = 1, n = score.shape[0], runs = 1
    cdef bint rising
    with nogil:
        while i < n and runs <= most:
            rising = score[i] > score[i - 1]
            i += 1
            while i < n and (
                score[i] > score[i - 1] if rising else score[i] < score[i - 1]
            ):
                i += 1
            runs += i < n
            i += 1
    return runs <= most


# Counts at every threshold ---------------------------------------------------------------------


def count_thresholds(
    packed_t[::1] packed,
    Py_ssize_t n_low,
    packed_t flip,
    const double[::1] weight,
    count_t[::1] fps,
    count_t[::1] tps,
):
    """Write the counts of rows at or above each distinct score, from the highest score down.

    Assumes rows as ``sorted_rows.SortedRows`` has them, at least one, and outputs with room for
    every row. Returns the number of distinct scores; their bits take the place of the first rows in
    ``packed``. ``flip`` is ``sort_scan.flip_of_low``. Counts that are doubles are sums of the
    weights of the rows, carried in double-double and rounded once; the order of summation is that
    of the rows, which depends on nothing but their values. Else there are no weights.
    """
    cdef Py_ssize_t i, first, n = packed.shape[0], stop = n, m = -1
    cdef int64_t fp = 0, tp = 0
    cdef double least[2]
    cdef dd_t sums[2]  # of the negatives and of the positives
    cdef packed_t *rows = &packed[0]
    cdef packed_t score, last, label, own_flip
    if count_t is double:
        least[0] = least[1] = 0.0
        sums[0] = sums[1] = dd_zero()
    with nogil:
        while stop > 0:
            first = n_low if stop > n_low else 0
            own_flip = flip if stop <= n_low else 0
            last = <packed_t> -1  # no score: its top bit is set
            for i in range(stop - 1, first - 1, -1):
                # A row of the current tie overwrites the counts written by the row before it; only
                # a new score moves on.
                label = rows[i] & 1
                score = rows[i] >> 1
                m += score != last
                last = score
                if count_t is double:
                    sums[label] = dd_add_double(sums[label], weight[i])
                    # fl(hi + w) >= hi for w >= 0, and the low part can move the rounded sum back by
                    # one unit at most: the maximum keeps the counts from ever decreasing.
                    least[label] = max(least[label], sums[label].hi)
                    fps[m] = least[0]
                    tps[m] = least[1]
                else:
                    tp += label
                    fp += 1 - label
                    tps[m] = tp
                    fps[m] = fp
                # The scan comes from the end, and there are no more scores than rows passed: first
                # the scores take the place of the last rows.
                rows[n - 1 - m] = score ^ own_flip
            stop = first
        for i in range(n // 2):
            rows[i], rows[n - 1 - i] = rows[n - 1 - i], rows[i]
    return m + 1


# Average precision ------------------------------------------------------------------------------


def sum_precision(
    const packed_t[::1] packed,
    Py_ssize_t n_low,
    const int64_t[::1] sizes,
    const int64_t[::1] tps,
    const int64_t[::1] rows,
):
    """Return the sum of the precisions of the positive rows, times 2^111; see ``precision_sum``.

    The rows are those of some buckets, ``sizes`` of them in each; ``tps`` and ``rows`` count the
    positives and all rows above each bucket. By ``counts.sum_precision``, of counts that are
    written before, the average precision of up to 15,000 rows takes a tenth longer.
    """
    cdef int64_t tps_of_ties[BLOCK + 1]  # to the ends of the ties that are not in the sum
    cdef int64_t ends[BLOCK + 1]
    cdef int64_t n_rows, tp, before, positive, is_new
    cdef int64_t has_positive  # the tie that the last row is in
    cdef Py_ssize_t bucket, i, closed, first, middle, stop = packed.shape[0]
    cdef packed_t score, last
    cdef precision_sum_t total = precision_sum_t(0, 0, 0, 0)
    with nogil:
        for bucket in range(sizes.shape[0] - 1, -1, -1):
            first = stop - sizes[bucket]
            tp = before = tps[bucket]
            n_rows = rows[bucket]
            has_positive = 0
            last = <packed_t> -1  # no score: its top bit is set
            while stop > first:
                middle = max(stop - BLOCK, max(first, n_low if stop > n_low else 0))
                closed = 0
                for i in range(stop - 1, middle - 1, -1):
                    # A row overwrites what the row before it wrote, unless that was the end of a
                    # tie with positives.
                    positive = packed[i] & 1
                    score = packed[i] >> 1
                    is_new = score != last
                    last = score
                    closed += is_new & has_positive
                    has_positive = (has_positive & (is_new ^ 1)) | positive
                    tp += positive
                    n_rows += 1
                    tps_of_ties[closed] = tp
                    ends[closed] = n_rows
                add_precisions(tps_of_ties, ends, closed, before, &total)
                if closed:
                    before = tps_of_ties[closed - 1]
                    tps_of_ties[0] = tps_of_ties[closed]
                    ends[0] = ends[closed]
                if middle == n_low:
                    last = <packed_t> -1
                stop = middle
            add_precisions(tps_of_ties, ends, has_positive, before, &total)
    return precision_total(&total)


# Kolmogorov-Smirnov -----------------------------------------------------------------------------


def greatest_difference(
    const packed_t[::1] packed, Py_ssize_t n_low, int64_t n_pos, int64_t n_neg
):
    """Return the largest |tp * n_neg - fp * n_pos| at a threshold; assumes less than 2^63 pairs.

    By ``ks.ks_distance``, of counts that are written before, the statistic of up to 15,000 rows
    takes a fifth longer.
    """
    cdef Py_ssize_t i, first, stop = packed.shape[0]
    cdef int64_t now = 0, most = 0, least = 0  # n_neg * tp - n_pos * fp, and that at ends of ties
    cdef int64_t at_end
    cdef packed_t score, last
    with nogil:
        while stop > 0:
            first = n_low if stop > n_low else 0
            last = <packed_t> -1
            for i in range(stop - 1, first - 1, -1):
                score = packed[i] >> 1
                at_end = now if score != last else 0  # 0 is what both ends of the curve have
                last = score
                most = max(most, at_end)
                least = min(least, at_end)
                now += ((n_neg + n_pos) & (0 - <int64_t> (packed[i] & 1))) - n_pos
            stop = first
    return max(most, -least)


# Partial area -----------------------------------------------------------------------------------


def find_limit(const packed_t[::1] packed, Py_ssize_t n_low, int64_t most_fp):
    """Return the first row above the highest tie that ends beyond ``most_fp`` false positives.

    And the counts ``fp, tp`` above the tie and to its end. Assumes more negatives than ``most_fp``.
    """
    cdef Py_ssize_t n = packed.shape[0], first = n, stop, bottom, top
    cdef int64_t fp = 0, fp_above
    cdef packed_t score
    with nogil:
        while fp <= most_fp:
            first -= 1
            fp += 1 - (packed[first] & 1)
        # The rest of the tie of this row, on both sides.
        bottom = 0 if first < n_low else n_low
        top = n_low if first < n_low else n
        score = packed[first] >> 1
        fp_above = fp
        stop = first
        while stop < top and packed[stop] >> 1 == score:
            fp_above -= 1 - (packed[stop] & 1)
            stop += 1
        while first > bottom and packed[first - 1] >> 1 == score:
            first -= 1
            fp += 1 - (packed[first] & 1)
    return stop, fp_above, n - stop - fp_above, fp, n - first - fp


# Curves -----------------------------------------------------------------------------------------
#
# Of blocks of rows, as ``sorted_rows.blocks_of_rows`` makes them, less than 2^31 rows in all.


cdef struct block_t:
    int64_t ties
    int64_t positives
    int64_t changes  # of class, from row to row


cdef inline block_t _count_block(const packed_t *packed, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t positives = packed[0] & 1, tied = 0, changes = 0
    for i in range(1, n):
        positives += packed[i] & 1
        tied += (packed[i] ^ packed[i - 1]) >> 1 == 0
        changes += (packed[i] ^ packed[i - 1]) & 1
    return block_t(n - tied, positives, changes)


def count_ties(const packed_t[::1] packed):
    """Return the number of distinct scores in a block, and of its positives."""
    cdef block_t block
    with nogil:
        block = _count_block(&packed[0], packed.shape[0])
    return block.ties, block.positives


def rising_points(
    packed_t[::1] packed,
    packed_t flip,
    int32_t rows,
    int32_t tp,
    double n_pos,
    double n_neg,
    bint of_errors,
    double[::1] x,
    double[::1] y,
):
    """Write precision and recall at each distinct score, from the lowest up.

    Or the rates of false positives and of false negatives. ``rows`` and ``tp`` are all rows and all
    positives but those below the block. The scores take the place of the first rows in ``packed``:
    a tie never comes before its place, which is read by then. They are the bits of the scores if
    ``flip`` is that of the block. Returns what ``count_ties`` does.
    """
    cdef int32_t row_counts[BLOCK + 1]
    cdef int32_t tps[BLOCK + 1]
    cdef double predicted, true
    cdef Py_ssize_t start = 0, stop, i, j, found, m = 0, n = packed.shape[0]
    cdef packed_t row, score, last = <packed_t> -1  # no score: its top bit is set
    cdef int32_t tp_below = tp
    with nogil:
        while start < n:
            stop = min(start + BLOCK, n)
            found = 0
            for i in range(start, stop):
                # Only the first row of a tie moves on: the next one overwrites what others write.
                row = packed[i]
                score = row >> 1
                row_counts[found] = rows
                tps[found] = tp
                packed[m + found] = score ^ flip
                found += score != last
                last = score
                rows -= 1
                tp -= row & 1
            for j in range(found):
                predicted = <double> row_counts[j]
                true = <double> tps[j]
                if of_errors:
                    x[m + j] = (predicted - true) / n_neg
                    y[m + j] = (n_pos - true) / n_pos
                else:
                    x[m + j] = true / predicted
                    y[m + j] = true / n_pos
            m += found
            start = stop
    return m, tp_below - tp


def roc_points(
    const packed_t[::1] packed,
    packed_t flip,
    bint drop_intermediate,
    bint is_highest,
    uint64_t step_below,
    double n_pos,
    double n_neg,
    int32_t fp,
    int32_t tp,
    double[::1] fpr,
    double[::1] tpr,
    packed_t[::1] thresholds,
):
    """Write the rates and scores of the ROC curve, from the highest score of a block down.

    With ``drop_intermediate``, points whose two steps before and behind are equal are left out, but
    not the first one of the highest block. ``step_below`` is that of the tie below the block, its
    rows times 2^32 and its positives, or 0; ``fp`` and ``tp`` are the counts above it. The rates of
    an empty class are 0 / 0. For ``flip`` see ``rising_points``. Returns how many points there are,
    and the positives of the block. Outputs without room are not written to.
    """
    # Ends of ties, as steps from the highest row. Behind those that are points there is one that
    # the next one replaces if it is on a straight line.
    cdef uint64_t corners[BLOCK + 2]
    cdef uint64_t counts = 0, step, last_step = <uint64_t> -1
    # A first step that is like no other: the point at its end is never left out.
    cdef uint64_t end = <uint64_t> is_highest << 63
    cdef bint keeps_all = not drop_intermediate
    cdef uint64_t unlike = <uint64_t> keeps_all << 62
    cdef Py_ssize_t n = packed.shape[0], i = n - 1, stop, m = 0, first = 1, n_points = 0
    cdef Py_ssize_t j, place
    cdef uint64_t is_end, chosen
    cdef int32_t negatives
    cdef bint writes = fpr.shape[0] > 0
    cdef block_t block
    cdef const packed_t *rows = &packed[0]
    cdef packed_t row, below
    with nogil:
        while i >= 0:
            stop = max(i - BLOCK, 0)
            block = _count_block(rows + stop, i - stop + 1)
            if counts == end and block.ties == i - stop + 1 > 1:
                # No ties, as almost everywhere: a point is where the class changes.
                step = (<uint64_t> 1 << 32) + (rows[i] & 1)
                m += step ^ unlike != last_step
                last_step = (<uint64_t> 1 << 32) + (rows[stop + 1] & 1)
                if writes:
                    counts += step
                    corners[m] = counts
                    for i in range(i - 1, stop, -1):
                        counts += (<uint64_t> 1 << 32) + (rows[i] & 1)
                        m += (rows[i] ^ rows[i + 1]) & 1 | keeps_all
                        corners[m] = counts
                else:
                    if keeps_all:
                        m += i - stop - 1
                    else:
                        m += block.changes - ((rows[stop] ^ rows[stop + 1]) & 1)
                    counts += <uint64_t> (i - stop) << 32
                    counts += block.positives - (rows[stop] & 1)
                end = counts
                i = stop
            row = rows[i]
            for i in range(i, stop, -1):
                below = rows[i - 1]
                is_end = (row ^ below) > 1
                counts += (<uint64_t> 1 << 32) + (row & 1)
                row = below
                step = counts - end
                m += is_end & (step ^ unlike != last_step)
                # Not "if": where ties end is a coin toss for a branch predictor.
                chosen = 0 - is_end
                last_step = last_step & ~chosen | step & chosen
                end = end & ~chosen | counts & chosen
                corners[m] = end
            i = stop
            if stop == 0:
                counts += (<uint64_t> 1 << 32) + (rows[0] & 1)
                step = counts - end
                m += step ^ unlike != last_step
                corners[m] = counts
                m += step ^ unlike != step_below
                i = -1
            if m > 0:
                if writes:
                    # Three short loops have vector instructions where one has none.
                    place = n_points - first
                    for j in range(first, m):
                        row = rows[n - <Py_ssize_t> (corners[j] >> 32)]
                        thresholds[place + j] = row >> 1 ^ flip
                    for j in range(first, m):
                        tpr[place + j] = <double> (tp + <int32_t> corners[j]) / n_pos
                    for j in range(first, m):
                        negatives = <int32_t> (corners[j] >> 32) - <int32_t> corners[j]
                        fpr[place + j] = <double> (fp + negatives) / n_neg
                n_points += m - first
                corners[0] = end
                m = first = 0
    return n_points, counts & 0xFFFFFFFF
