"""Make of each row one unsigned integer that sorts by score and then by class.

The sign bit of a score decides between two regions, so it need not be part of the integer, and the
label takes the bit that this leaves free: score bits shifted left by one, label in the lowest bit.
In each region the integers are in the order of the scores, equal but for the last bit where the
scores are tied; every score of the low region is below every score of the high one.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

ctypedef fused score_t:
    float
    double
    int64_t

ctypedef fused wide_t:
    double
    int64_t

ctypedef fused packed_t:
    uint32_t
    uint64_t


cdef inline uint32_t _key_of_single(float score) noexcept nogil:
    # -0.0 becomes 0.0: the two are tied. Not by adding 0: processors can be set to take subnormal
    # numbers for 0. All bits of a negative number but its sign are inverted, so that the larger
    # magnitude comes first.
    cdef uint32_t bits
    memcpy(&bits, &score, sizeof(bits))
    bits &= 0 - <uint32_t> (bits << 1 != 0)
    return bits ^ ((0 - (bits >> 31)) >> 1)


cdef inline uint64_t _key_of_wide(wide_t score) noexcept nogil:
    cdef uint64_t bits
    if wide_t is double:
        memcpy(&bits, &score, sizeof(bits))
        bits &= 0 - <uint64_t> (bits << 1 != 0)
        return bits ^ ((0 - (bits >> 63)) >> 1)
    else:
        return <uint64_t> score


def pack_single(const uint8_t[::1] label, const float[::1] score, uint32_t[::1] packed):
    """Fill ``packed`` with the low region from the front and the high region from the end.

    Assumes labels of 0 and 1, no NaN, and three arrays of one length. Returns the size of the low
    region. Each integer is written to both ends of the free places and only one end moves, so
    there is no branch to mispredict.
    """
    cdef Py_ssize_t i, n = label.shape[0], front = 0, back = n - 1
    cdef uint32_t key, is_low
    with nogil:
        for i in range(n):
            key = _key_of_single(score[i])
            is_low = key >> 31
            key = (key << 1) | label[i]
            # front + (n - 1 - back) == i, hence front <= back: both places are still free.
            packed[front] = key
            packed[back] = key
            front += is_low
            back -= 1 - is_low
    return front


def pack_wide(const uint8_t[::1] label, const wide_t[::1] score, uint64_t[::1] packed):
    """Do the same as ``pack_single`` with scores of 64 bits."""
    cdef Py_ssize_t i, n = label.shape[0], front = 0, back = n - 1
    cdef uint64_t key, is_low
    with nogil:
        for i in range(n):
            key = _key_of_wide(score[i])
            is_low = key >> 63
            key = (key << 1) | label[i]
            packed[front] = key
            packed[back] = key
            front += is_low
            back -= 1 - is_low
    return front


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


def split_weights(const uint8_t[::1] is_low, const double[::1] weight, double[::1] split):
    """Place the weights as ``pack_single`` and ``pack_wide`` place their rows.

    Assumes 1 where a score is below 0, and three arrays of one length.
    """
    cdef Py_ssize_t i, n = weight.shape[0], front = 0, back = n - 1
    with nogil:
        for i in range(n):
            split[front] = weight[i]
            split[back] = weight[i]
            front += is_low[i]
            back -= 1 - is_low[i]


def sort_ties(const packed_t[::1] packed, double[::1] weight):
    """Sort the weights of every run of equal rows, so that no order but that of values is left.

    Assumes two arrays of one length, and equal rows beside each other.
    """
    cdef Py_ssize_t start = 0, stop, n = packed.shape[0]
    with nogil:
        while start < n:
            stop = start + 1
            while stop < n and packed[stop] == packed[start]:
                stop += 1
            if stop - start > 1:
                _shell_sort(&weight[start], stop - start)
            start = stop


cdef void _shell_sort(double *values, Py_ssize_t n) noexcept nogil:
    # In place, without recursion, and never worse than n^(4/3) with these gaps (Sedgewick, J.
    # Algorithms 7 (1986) 159: 4^k + 3 2^(k - 1) + 1). Runs are short, or the weights are few.
    cdef Py_ssize_t k = 0, gap, i, j
    cdef double value
    while (<Py_ssize_t> 1 << (2 * k)) < n:
        k += 1
    while k >= 0:
        gap = 1
        if k > 0:
            gap = (<Py_ssize_t> 1 << (2 * k)) + 3 * (<Py_ssize_t> 1 << (k - 1)) + 1
        for i in range(gap, n):
            value = values[i]
            j = i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        k -= 1
