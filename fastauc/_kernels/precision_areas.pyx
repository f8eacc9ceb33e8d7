"""Areas under the precision-recall curve between its points.

Both functions take counts of false and true positives that never decrease, below 2^500, with a
true positive in the last, and return the sum of precision times the growth of ``tps``. The false
positives may be scaled, to the prevalence of another population. Every term is a product and a
quotient of sums without cancellation, a few units of the last place from its exact value; they are
added up in double-double.
"""

from fastauc._kernels.double_double cimport dd_add_double, dd_t, dd_zero


def linear_area(const double[::1] fps, const double[::1] tps):
    """Return the sum under straight lines between the points, from (0, 1) on."""
    cdef Py_ssize_t i
    cdef double precision, last = 1.0, found = 0.0
    cdef dd_t total = dd_zero()
    with nogil:
        for i in range(tps.shape[0]):
            if tps[i] + fps[i] > 0.0:
                precision = tps[i] / (tps[i] + fps[i])
                total = dd_add_double(total, (tps[i] - found) * (0.5 * (last + precision)))
                last = precision
                found = tps[i]
    return total.hi


cdef inline double _mean_between(
    double first, double step, double below, double width
) noexcept nogil:
    """Return the mean precision over rows from ``below`` to ``below + width``.

    The precision of the rows below is ``first``, and that of the new ones ``step``, evenly: this is
    the mean over t of (first * below + step * t) / (below + t). With z = width / (2 below + width),

        mean = first L + step (1 - L),  L = log(1 + width / below) / (width / below)
                                          = (1 - z) (1 + z^2 / 3 + z^4 / 5 + ...).

    Assumes ``width`` <= ``below``, hence z <= 1/3. The series is not left to a library, whose last
    bits depend on the processor; and 1 - L is not a difference from 1.
    """
    cdef double z = width / (below + (below + width)), square = z * z, tail = 0.0
    cdef int k = 18 if square > 0.001 else 5  # (1/9)^18 and 0.001^6 are below 2^-56
    while k > 0:
        tail = square * (1.0 / (2 * k + 1) + tail)
        k -= 1
    return first * ((1.0 - z) * (1.0 + tail)) + step * (z + (z * tail - tail))


def curved_area(const double[::1] fps, const double[::1] tps):
    """Return the sum under the curve whose false positives grow evenly with the true ones.

    That is where the straight line between two points of the ROC curve comes to lie. A step in
    which the rows more than double is cut into parts, so that every series is short.
    """
    cdef Py_ssize_t i
    cdef double tp = 0.0, fp = 0.0, growth, width, step, part, rows, found
    cdef dd_t total = dd_zero()
    with nogil:
        for i in range(tps.shape[0]):
            growth = tps[i] - tp
            width = growth + (fps[i] - fp)
            if growth > 0.0:
                step = growth / width
                rows = tp + fp
                found = tp
                if rows == 0.0:
                    total = dd_add_double(total, growth * step)
                    width = 0.0
                while width > 0.0:
                    part = min(width, rows)
                    total = dd_add_double(
                        total, part * step * _mean_between(found / rows, step, rows, part)
                    )
                    found += part * step
                    rows += part
                    width -= part
            tp = tps[i]
            fp = fps[i]
    return total.hi
