"""What rankings are averaged or trained by: mid-ranks, and hinge losses over all pairs.

Both are one sweep along sorted scores. That of the losses carries from row to row the coefficients
of the polynomial that the pairs of a row add up to: T. Rust and T. Hocking, "A log-linear gradient
descent algorithm for unbalanced binary classification using the all pairs squared hinge loss",
arXiv 2302.11062. They are kept as sums over the pairs, and the sweep goes the way in which every
gap grows: no sum is ever a difference of two others.
"""

from libc.stdint cimport uint64_t

from fastauc._kernels.double_double cimport (
    dd_add,
    dd_add_double,
    dd_multiply,
    dd_t,
    dd_zero,
    two_product,
    two_sum,
)


# Mid-ranks ----------------------------------------------------------------------------------------


def add_ranks(const uint64_t[::1] keys, const uint64_t[::1] rows, double weight, double[::1] total):
    """Add to each row ``weight`` times its rank from 1 on, tied rows sharing the mean of theirs.

    Assumes keys in increasing order, and the rows whose scores they are.
    """
    cdef Py_ssize_t start = 0, stop, i, n = keys.shape[0]
    cdef double rank
    with nogil:
        while start < n:
            stop = start + 1
            while stop < n and keys[stop] == keys[start]:
                stop += 1
            # The mean of start + 1 to stop.
            rank = weight * (0.5 * <double> (start + stop + 1))
            for i in range(start, stop):
                total[rows[i]] += rank
            start = stop


# Pairwise losses ----------------------------------------------------------------------------------


cdef inline double _gap(double other, double point, double margin) noexcept nogil:
    """Return other + margin - point, with the right sign and an error of 2^-52 of it at the most.

    Both sums are exact. Where their high parts cancel, so does the low part of the second, and the
    rest is as exact: a difference of two numbers within a factor of two of each other (Sterbenz).
    """
    cdef dd_t apart = two_sum(other, -point), gap = two_sum(apart.hi, margin)
    return gap.hi + (gap.lo + apart.lo)


def sum_hinge_losses(
    const double[::1] points,
    const double[::1] point_weights,
    const double[::1] others,
    const double[::1] other_weights,
    double margin,
    bint squared,
    double[::1] slopes,
):
    """Return the weighted sum of max(0, other + margin - point), or of its squares, over all pairs.

    ``slopes`` takes, for each point, the weight of the others that have such a gap to it, or the
    weighted sum of the gaps if squared. Assumes both in decreasing order, numbers below 2^400 in
    magnitude, positive weights of at most 1, and as many weights and slopes as there are rows.
    """
    cdef Py_ssize_t i, j = 0, m = others.shape[0]
    cdef double gap
    cdef dd_t step, twice_u, weight = dd_zero(), gaps = dd_zero(), squares = dd_zero()
    cdef dd_t loss, total = dd_zero()
    with nogil:
        for i in range(points.shape[0]):
            if i > 0:
                # All gaps grow by a step d: (g + d)^2 = g^2 + 2 g d + d^2.
                step = two_sum(points[i - 1], -points[i])
                twice_u = dd_add(dd_add(gaps, gaps), dd_multiply(step, weight))
                squares = dd_add(squares, dd_multiply(step, twice_u))
                gaps = dd_add(gaps, dd_multiply(step, weight))
            while j < m:
                gap = _gap(others[j], points[i], margin)
                if gap <= 0.0:
                    break
                weight = dd_add_double(weight, other_weights[j])
                gaps = dd_add(gaps, two_product(gap, other_weights[j]))
                squares = dd_add(
                    squares, dd_multiply(two_product(gap, gap), two_sum(other_weights[j], 0.0))
                )
                j += 1
            loss = squares if squared else gaps
            slopes[i] = gaps.hi if squared else weight.hi
            total = dd_add(total, dd_multiply(loss, two_sum(point_weights[i], 0.0)))
    return total.hi
