"""Numbers as they are written, held against the doubles nearest to them.

A double keeps any 15 digits. Of more, it keeps those that it prints itself: the text is within half
a unit of its last digit. Any other text has been rounded, and may be tied with another.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint8_t

from fastauc._kernels.double_double cimport dd_t, two_product

cdef enum:
    KEPT = 15  # digits that every double keeps
    MOST = 18  # digits that an int64 holds
    LONG = 16  # characters of a number that may have more digits than are kept


cdef inline bint _is_digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


def has_long_numbers(const uint8_t[::1] text, int point):
    """Tell whether a number may have more digits than a double keeps, or a very low exponent."""
    cdef Py_ssize_t i, run = 0, n = text.shape[0]
    cdef uint8_t c
    with nogil:
        for i in range(n):
            c = text[i]
            if _is_digit(c) or c == point:
                run += 1
                if run >= LONG:
                    break
                continue
            run = 0
            # A number below the range of doubles, such as 1e-320.
            if c | 32 == 101 and i + 4 < n and text[i + 1] == 45 and _is_digit(text[i + 4]):
                run = LONG
                break
    return run >= LONG


def find_unsure(
    const uint8_t[::1] text,
    const int64_t[::1] starts,
    const int64_t[::1] stops,
    const double[::1] values,
    int point,
    const double[:, ::1] powers,
    Py_ssize_t first,
):
    """Return the first row, from ``first`` on, whose text may have been rounded; or their number.

    ``powers`` are 10^0, 10^1, … as double-doubles.
    """
    cdef Py_ssize_t row, n = values.shape[0]
    with nogil:
        for row in range(first, n):
            if not _is_kept(&text[0], starts[row], stops[row], values[row], point, powers):
                break
        else:
            row = n
    return row


cdef bint _is_kept(
    const uint8_t *text,
    int64_t start,
    int64_t stop,
    double value,
    int point,
    const double[:, ::1] powers,
) noexcept nogil:
    cdef int64_t i, whole = 0, decimals = 0, exponent = 0, rounded
    cdef int n_digits = 0, sign = 1
    cdef bint is_after_point = False, is_exponent = False
    cdef dd_t product
    cdef uint8_t c
    for i in range(start, stop):
        c = text[i]
        if _is_digit(c) and not is_exponent:
            if n_digits < MOST:
                whole = 10 * whole + (c - 48)
                n_digits += whole > 0  # zeros at the beginning are no digits
                decimals += is_after_point
            elif c != 48 or not is_after_point:
                return False
        elif _is_digit(c):
            if exponent < 10_000:
                exponent = 10 * exponent + (c - 48)
        elif c == point:
            is_after_point = True
        elif c | 32 == 101:
            is_exponent = True
        elif c == 45 and is_exponent:
            sign = -1
    if n_digits == 0:
        return True
    if fabs(value) < 1e-290:  # the lowest doubles keep fewer digits
        return False
    while n_digits > KEPT and whole % 10 == 0:
        whole //= 10
        n_digits -= 1
        decimals -= 1
    if n_digits <= KEPT:
        return True
    decimals -= sign * exponent
    if decimals < 0 or decimals >= powers.shape[0]:
        return False
    product = two_product(fabs(value), powers[decimals, 0])
    rounded = <int64_t> product.hi
    # Off by less than 2^-50. What is next to a tie is decided by Python.
    return fabs(
        <double> (rounded - whole)
        + ((product.hi - <double> rounded) + (product.lo + fabs(value) * powers[decimals, 1]))
    ) < 0.499999
