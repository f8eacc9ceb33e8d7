# The quotient of two unsigned integers of 192 bits, rounded once.

from libc.math cimport ldexp
from libc.stdint cimport uint64_t

from fastauc._kernels.partition cimport bit_length
from fastauc._kernels.wide_integers cimport total_t


cdef inline int _length(const total_t *a) noexcept nogil:
    if a.high > 0:
        return 128 + bit_length(a.high)
    if a.middle > 0:
        return 64 + bit_length(a.middle)
    return bit_length(a.low)


cdef inline bint is_below(const total_t *a, const total_t *b) noexcept nogil:
    if a.high != b.high:
        return a.high < b.high
    if a.middle != b.middle:
        return a.middle < b.middle
    return a.low < b.low


cdef inline void _double(total_t *a) noexcept nogil:
    a.high = a.high << 1 | a.middle >> 63
    a.middle = a.middle << 1 | a.low >> 63
    a.low <<= 1


cdef inline void _subtract(total_t *a, const total_t *b) noexcept nogil:
    cdef uint64_t borrow = a.low < b.low
    a.low -= b.low
    # Where the middle words are equal, a borrow goes on.
    a.high -= b.high + <uint64_t> (a.middle < b.middle or (a.middle == b.middle and borrow))
    a.middle -= b.middle + borrow


cdef inline double quotient(total_t part, total_t whole) noexcept nogil:
    """Return part / whole, rounded once, to the nearest and halves to even.

    Assumes part <= whole < 2^190 and whole > 0: a long division in base 2.
    """
    cdef int exponent = _length(&whole) - _length(&part), _step
    cdef uint64_t digits = 0
    if part.low == 0 and part.middle == 0 and part.high == 0:
        return 0.0
    for _step in range(exponent):
        _double(&part)
    if is_below(&part, &whole):
        _double(&part)
        exponent += 1
    # Now whole <= part < 2 whole: of 54 digits the first is 1.
    for _step in range(54):
        digits <<= 1
        if not is_below(&part, &whole):
            _subtract(&part, &whole)
            digits |= 1
        _double(&part)
    if digits & 1 and (digits & 2 or part.low > 0 or part.middle > 0 or part.high > 0):
        digits += 1
    return ldexp(<double> (digits >> 1), -52 - exponent)
