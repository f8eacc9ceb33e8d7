"""The rows of undecided bins, put into buckets by their scores, and the weights of their pairs.

Rows are compared by their keys, the bits of the double in its order. A bucket is a run of bins, so
all rows of a bucket are below those of the next one, and each bucket is counted by itself.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastauc._kernels.bucket_map cimport key_of
from fastauc._kernels.doubles cimport bits_of, fixed_weight_of, score_t, widen
from fastauc._kernels.wide_integers cimport add_area, add_total, total_t

cdef enum:
    BLOCK = 512  # scores that are widened at a time


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
            add_area(&areas[0, 0], positives, below)
            if i < n_neg and neg[i] == key:
                tied = total_t(0, 0, 0)
                while i < n_neg and neg[i] == key:
                    add_total(&tied, fixed_weight_of(neg_weight[i], &n_rounded))
                    i += 1
                add_area(&areas[1, 0], positives, tied)
                add_total(&below, tied)
