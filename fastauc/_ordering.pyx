"""Distribute the rows of a sample to its two classes, ready to be sorted."""

from libc.stdint cimport int64_t, uint8_t

ctypedef fused score_t:
    float
    double
    int64_t


def split_by_label(
    const uint8_t[::1] label, const score_t[::1] score, score_t[::1] classes
):
    """Write the scores of the positives to the front of ``classes`` and the others to its end.

    Assumes labels of 0 and 1 and three arrays of one length. Returns the number of positives.
    Each score is written to both ends of the free range and only one end moves, so there is no
    branch to mispredict. A floating -0.0 becomes 0.0: the two are tied, and only one may show.
    """
    cdef Py_ssize_t i, n = label.shape[0], front = 0, back = n - 1
    cdef score_t value
    with nogil:
        for i in range(n):
            if score_t is int64_t:
                value = score[i]
            else:
                value = score[i] + <score_t> 0
            # front + (n - 1 - back) == i, hence front <= back: both places are still free.
            classes[front] = value
            classes[back] = value
            front += label[i]
            back -= 1 - label[i]
    return front


def split_weighted(
    const uint8_t[::1] label,
    const double[::1] score,
    const double[::1] weight,
    double[:, ::1] classes,
):
    """Do the same as ``split_by_label`` with rows of (score, weight)."""
    cdef Py_ssize_t i, n = label.shape[0], front = 0, back = n - 1
    with nogil:
        for i in range(n):
            classes[front, 0] = classes[back, 0] = score[i] + 0.0
            classes[front, 1] = classes[back, 1] = weight[i]
            front += label[i]
            back -= 1 - label[i]
    return front
