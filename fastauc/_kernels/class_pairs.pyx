"""Pairs of a class and each of the others, in one column of scores."""

from libc.stdint cimport int64_t, uint64_t


cdef uint64_t _compare_sorted(
    const uint64_t *high, Py_ssize_t n_high, const uint64_t *low, Py_ssize_t n_low
) noexcept nogil:
    """Return twice the pairs with ``high`` above ``low``, plus the equal ones."""
    cdef Py_ssize_t i, below = 0, not_above = 0
    cdef uint64_t twice_u = 0
    for i in range(n_high):
        while below < n_low and low[below] < high[i]:
            below += 1
        not_above = max(not_above, below)
        while not_above < n_low and low[not_above] <= high[i]:
            not_above += 1
        twice_u += <uint64_t> (below + not_above)
    return twice_u


def compare_with_classes(
    const uint64_t[::1] keys, const int64_t[::1] bounds, Py_ssize_t chosen, uint64_t[::1] twice_u
):
    """Write twice the pairs with the chosen class above each of the others, plus the tied ones.

    Class k has the keys from ``bounds[k]`` to ``bounds[k + 1]``, in increasing order. Assumes fewer
    than 2^63 pairs.
    """
    cdef Py_ssize_t other
    cdef int64_t first = bounds[chosen], stop = bounds[chosen + 1]
    with nogil:
        for other in range(twice_u.shape[0]):
            if other != chosen:
                twice_u[other] = _compare_sorted(
                    &keys[0] + first,
                    stop - first,
                    &keys[0] + bounds[other],
                    bounds[other + 1] - bounds[other],
                )
