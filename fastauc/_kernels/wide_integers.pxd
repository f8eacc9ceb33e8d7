# Unsigned integers of 128 and 192 bits, as far as sums of products and their quotient need them.

from libc.math cimport ldexp
from libc.stdint cimport uint64_t

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
            _subtract(&part, &whole)
            digits |= 1
        add_total(&part, part)
    if digits & 1 and (digits & 2 or part.low > 0 or part.middle > 0 or part.high > 0):
        digits += 1
    return ldexp(<double> (digits >> 1), -52 - exponent)
