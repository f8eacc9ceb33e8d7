# Unevaluated sums of two doubles, hi + lo with |lo| <= ulp(hi) / 2: about 106 bits.
#
# The identities hold in round-to-nearest without contraction (setup.py forbids it). All operands
# are non-negative but in quotients, so no cancelation: every operation before it has a
# relative error of at most 2^-102, and a sum of n terms one of at most n * 2^-102. Sources: Dekker,
# Numer. Math. 18 (1971) 224; Knuth, TAOCP 2, 4.2.2 theorem B; Joldes, Muller, Popescu, ACM TOMS 44
# (2017) 15.

ctypedef struct dd_t:
    double hi
    double lo


cdef inline dd_t dd_zero() noexcept nogil:
    return dd_t(0.0, 0.0)


cdef inline dd_t two_sum(double a, double b) noexcept nogil:
    """Return a + b exactly."""
    cdef dd_t total
    cdef double b_part
    total.hi = a + b
    b_part = total.hi - a
    total.lo = (a - (total.hi - b_part)) + (b - b_part)
    return total


cdef inline dd_t fast_two_sum(double a, double b) noexcept nogil:
    """Return a + b exactly; assumes |a| >= |b| or a == 0."""
    cdef dd_t total
    total.hi = a + b
    total.lo = b - (total.hi - a)
    return total


cdef inline dd_t two_product(double a, double b) noexcept nogil:
    """Return a * b exactly; assumes |a|, |b| < 2^995, so that splitting does not overflow."""
    cdef dd_t product
    cdef double a_wide = 134217729.0 * a, b_wide = 134217729.0 * b  # 2^27 + 1
    cdef double a_hi = a_wide - (a_wide - a), b_hi = b_wide - (b_wide - b)
    cdef double a_lo = a - a_hi, b_lo = b - b_hi
    product.hi = a * b
    product.lo = ((a_hi * b_hi - product.hi) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo
    return product


cdef inline dd_t dd_add_double(dd_t a, double b) noexcept nogil:
    # Neither is below 0, so the greater one is the larger in magnitude. A sum waits for the one
    # before it, and this way for two operations fewer than by ``two_sum``.
    cdef double total = a.hi + b
    return fast_two_sum(total, (min(a.hi, b) - (total - max(a.hi, b))) + a.lo)


cdef inline dd_t dd_add(dd_t a, dd_t b) noexcept nogil:
    cdef dd_t total = two_sum(a.hi, b.hi)
    return fast_two_sum(total.hi, total.lo + (a.lo + b.lo))


cdef inline dd_t dd_multiply(dd_t a, dd_t b) noexcept nogil:
    cdef dd_t product = two_product(a.hi, b.hi)
    return fast_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi))


cdef inline dd_t dd_quotient(double a, double b) noexcept nogil:
    """Return a / b to double-double precision; assumes 0 <= a <= b and b > 0."""
    cdef double quotient, scale = 1.0
    cdef dd_t back
    if b > 1e280:
        scale = 2.0 ** -200  # the product below must not overflow
    elif b < 1e-200:
        scale = 2.0 ** 400  # nor may its low part vanish
    a *= scale
    b *= scale
    quotient = a / b
    back = two_product(quotient, b)
    return fast_two_sum(quotient, ((a - back.hi) - back.lo) / b)


cdef inline dd_t dd_ratio(dd_t part, dd_t whole) noexcept nogil:
    """Return part / whole up to 2^-98 of itself, beside what the operands lack.

    Two steps of a long division, each with a remainder that is off by 2^-100 of what is divided.
    """
    cdef double quotient = part.hi / whole.hi
    cdef dd_t back = dd_multiply(dd_t(quotient, 0.0), whole)
    back = dd_add(part, dd_t(-back.hi, -back.lo))
    return fast_two_sum(quotient, back.hi / whole.hi)


cdef inline bint dd_divide(dd_t part, dd_t whole, double *quotient) noexcept nogil:
    """Write part / whole, rounded once; return whether the rounding is sure."""
    cdef dd_t digits = dd_ratio(part, whole)
    cdef double slack
    quotient[0] = digits.hi
    slack = digits.hi * 2.0 ** -90
    return (
        digits.hi + (digits.lo + slack) == digits.hi
        and digits.hi + (digits.lo - slack) == digits.hi
    )
