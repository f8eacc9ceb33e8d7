# Unsigned integers of 128 and 192 bits, as far as sums of products and their quotient need them.

from libc.math cimport ldexp
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from fastauc._kernels.double_double cimport dd_t, dd_zero, fast_two_sum

cdef extern from *:
    """
    #include <stdint.h>

    typedef struct {
        uint64_t low, high;
    } fastauc_wide_t;

    typedef struct {
        uint64_t low, middle, high;
    } fastauc_total_t;

    static inline fastauc_wide_t fastauc_multiply(uint64_t a, uint64_t b)
    {
        fastauc_wide_t product;
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 whole = (unsigned __int128) a * b;
        product.low = (uint64_t) whole;
        product.high = (uint64_t) (whole >> 64);
    #else
        /* Halves of 32 bits: no sum below exceeds 64 bits. */
        uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
        uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
        uint64_t lows = a_low * b_low;
        uint64_t cross = a_high * b_low + (lows >> 32);
        uint64_t other = a_low * b_high + (cross & UINT32_MAX);
        product.low = other << 32 | (lows & UINT32_MAX);
        product.high = a_high * b_high + (cross >> 32) + (other >> 32);
    #endif
        return product;
    }

    static inline fastauc_wide_t fastauc_plus(fastauc_wide_t a, uint64_t b)
    {
        a.low += b;
        a.high += a.low < b;
        return a;
    }

    static inline fastauc_wide_t fastauc_sum(fastauc_wide_t a, fastauc_wide_t b)
    {
        a = fastauc_plus(a, b.low);
        a.high += b.high;
        return a;
    }

    static inline fastauc_wide_t fastauc_double(fastauc_wide_t a)
    {
        a.high = a.high << 1 | a.low >> 63;
        a.low <<= 1;
        return a;
    }

    /* Add a * b; assumes that the total stays below 2^192. */
    static inline void fastauc_add_product(
        fastauc_total_t *total, uint64_t a, fastauc_wide_t b)
    {
        fastauc_wide_t low = fastauc_multiply(a, b.low), high = fastauc_multiply(a, b.high);
        high = fastauc_plus(high, low.high);
        total->low += low.low;
        high = fastauc_plus(high, total->low < low.low);
        total->middle += high.low;
        total->high += high.high + (total->middle < high.low);
    }

    /* Add a * b of which 192 bits are known to suffice, as they do for the total. */
    static inline void fastauc_add_wide_product(
        fastauc_total_t *total, fastauc_wide_t a, fastauc_wide_t b)
    {
        fastauc_total_t upper = {0, 0, 0};
        fastauc_add_product(total, a.low, b);
        fastauc_add_product(&upper, a.high, b);
        total->middle += upper.low;
        total->high += upper.middle + (total->middle < upper.low);
    }

    static inline void fastauc_add_total(fastauc_total_t *total, fastauc_total_t more)
    {
        fastauc_wide_t high = {more.middle, more.high};
        total->low += more.low;
        high = fastauc_plus(high, total->low < more.low);
        total->middle += high.low;
        total->high += high.high + (total->middle < high.low);
    }
    """
    ctypedef struct wide_t "fastauc_wide_t":
        uint64_t low
        uint64_t high

    ctypedef struct total_t "fastauc_total_t":
        uint64_t low
        uint64_t middle
        uint64_t high

    wide_t wide_product "fastauc_multiply"(uint64_t a, uint64_t b) noexcept nogil
    wide_t wide_plus "fastauc_plus"(wide_t a, uint64_t b) noexcept nogil
    wide_t wide_double "fastauc_double"(wide_t a) noexcept nogil
    void add_product "fastauc_add_product"(total_t *total, uint64_t a, wide_t b) noexcept nogil
    void add_wide_product "fastauc_add_wide_product"(
        total_t *total, wide_t a, wide_t b
    ) noexcept nogil
    void add_total "fastauc_add_total"(total_t *total, total_t more) noexcept nogil
    wide_t wide_sum "fastauc_sum"(wide_t a, wide_t b) noexcept nogil


cdef inline bint is_below(const total_t *a, const total_t *b) noexcept nogil:
    if a.high != b.high:
        return a.high < b.high
    if a.middle != b.middle:
        return a.middle < b.middle
    return a.low < b.low


cdef inline void subtract(total_t *a, const total_t *b) noexcept nogil:
    """Subtract ``b``; assumes that it is no more than ``a``."""
    cdef uint64_t borrow = a.low < b.low
    a.low -= b.low
    # Where the middle words are equal, a borrow goes on.
    a.high -= b.high + <uint64_t> (a.middle < b.middle or (a.middle == b.middle and borrow))
    a.middle -= b.middle + borrow


cdef inline double quotient(total_t part, total_t whole) noexcept nogil:
    """Return part / whole, rounded once, to the nearest and halves to even.

    Assumes part <= whole < 2^190 and whole > 0: a long division in base 2.
    """
    cdef int exponent = 0, _step
    cdef uint64_t digits = 0
    if part.low == 0 and part.middle == 0 and part.high == 0:
        return 0.0
    while is_below(&part, &whole):
        add_total(&part, part)
        exponent += 1
    # Now whole <= part < 2 whole: of 54 digits the first is 1.
    for _step in range(54):
        digits <<= 1
        if not is_below(&part, &whole):
            subtract(&part, &whole)
            digits |= 1
        add_total(&part, part)
    if digits & 1 and (digits & 2 or part.low > 0 or part.middle > 0 or part.high > 0):
        digits += 1
    return ldexp(<double> (digits >> 1), -52 - exponent)


cdef inline void add_area(uint64_t *area, total_t a, total_t b, int n_words) noexcept nogil:
    """Add a * b, which have so many words, to six words."""
    cdef const uint64_t *left = <const uint64_t *> &a
    cdef const uint64_t *right = <const uint64_t *> &b
    cdef uint64_t carry
    cdef wide_t product
    cdef int i, j
    for i in range(n_words):
        if left[i] == 0:
            continue
        carry = 0
        for j in range(n_words):
            # (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1
            product = wide_plus(wide_product(left[i], right[j]), area[i + j])
            product = wide_plus(product, carry)
            area[i + j] = product.low
            carry = product.high
        for j in range(i + n_words, 6):
            area[j] += carry
            carry = area[j] < carry


cdef inline total_t _leading(total_t value, int *shift) noexcept nogil:
    """Return a number above 0 without its leading words of 0, and its bits moved to the top.

    One bit may be left out at the top. The number is this times 2^-shift.
    """
    cdef double lead
    cdef uint64_t bits
    cdef int more
    shift[0] = 0
    while value.high == 0:
        value = total_t(0, value.low, value.middle)
        shift[0] += 64
    lead = <double> value.high  # maybe the next power of two
    memcpy(&bits, &lead, sizeof(bits))
    more = 63 - (<int> (bits >> 52) - 1023)
    if more > 0:
        shift[0] += more
        value.high = value.high << more | value.middle >> (64 - more)
        value.middle = value.middle << more | value.low >> (64 - more)
        value.low <<= more
    return value


cdef inline double double_of(total_t value, int exponent) noexcept nogil:
    """Return the double nearest to an integer times 2^exponent, halves to even."""
    cdef int shift
    if value.low == 0 and value.middle == 0 and value.high == 0:
        return 0.0
    value = _leading(value, &shift)
    value.high |= value.middle != 0 or value.low != 0  # far below the last digit of a double
    return ldexp(<double> value.high, exponent + 128 - shift)


cdef inline dd_t dd_of(total_t value, int exponent) noexcept nogil:
    """Return an integer times 2^exponent, up to 2^-104 of itself."""
    cdef int shift
    cdef uint64_t rest
    if value.low == 0 and value.middle == 0 and value.high == 0:
        return dd_zero()
    value = _leading(value, &shift)
    rest = value.high << 53 | value.middle >> 11
    return fast_two_sum(
        ldexp(<double> (value.high >> 11), exponent + 139 - shift),
        ldexp(<double> rest, exponent + 75 - shift),
    )
