"""Passes over the input that find what validation has to know.

Nothing here raises: what is wrong is returned as a position, and ``_validation`` finds the words.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

ctypedef fused float_t:
    float
    double

ctypedef fused label_t:
    uint8_t
    int32_t
    int64_t
    float
    double


cdef extern from *:
    """
    /* All-ones exponent plus one carries into the sign bit, no other exponent does: NaN and
       infinity are found by and, add, or: three operations that every baseline vector unit has. */
    #define FASTAUC_ABS64 UINT64_C(0x7fffffffffffffff)
    #define FASTAUC_ONE64 UINT64_C(0x0010000000000000)
    #define FASTAUC_ABS32 UINT32_C(0x7fffffff)
    #define FASTAUC_ONE32 UINT32_C(0x00800000)
    """
    const uint64_t FASTAUC_ABS64
    const uint64_t FASTAUC_ONE64
    const uint32_t FASTAUC_ABS32
    const uint32_t FASTAUC_ONE32

cdef enum:
    # Rows looked at between two tests for a non-finite value: inside the first-level cache, and
    # few enough that the search for the exact position costs nothing.
    BLOCK = 2048


cdef bint _block_is_finite(const float_t *values, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint64_t seen64 = 0, bits64
    cdef uint32_t seen32 = 0, bits32
    if float_t is double:
        for i in range(n):
            memcpy(&bits64, values + i, sizeof(bits64))
            seen64 |= (bits64 & FASTAUC_ABS64) + FASTAUC_ONE64
        return (seen64 >> 63) == 0
    else:
        for i in range(n):
            memcpy(&bits32, values + i, sizeof(bits32))
            seen32 |= (bits32 & FASTAUC_ABS32) + FASTAUC_ONE32
        return (seen32 >> 31) == 0


cdef Py_ssize_t _first_nonfinite(const float_t *values, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t start = 0, i, size
    while start < n:
        size = min(<Py_ssize_t> BLOCK, n - start)
        if not _block_is_finite(values + start, size):
            for i in range(start, start + size):
                if values[i] - values[i] != 0:  # NaN for NaN and for both infinities
                    return i
        start += size
    return -1


def first_nonfinite(const float_t[::1] values):
    """Return the position of the first NaN or infinity of a non-empty array, or -1."""
    cdef Py_ssize_t position
    with nogil:
        position = _first_nonfinite(&values[0], values.shape[0])
    return position


def encode_labels(const label_t[::1] y_true, uint8_t[::1] codes):
    """Write 1 where a label equals the greater of the two that occur and 0 elsewhere.

    Assumes ``y_true`` is not empty and ``codes`` has its length. Returns ``(low, high, n_high,
    third)``: the two values (equal when there is only one), how many rows hold ``high``, and the
    position of the first row that holds neither, or -1. NaN equals nothing, so it is a third value.
    """
    cdef Py_ssize_t n = y_true.shape[0], second = 1, third = -1, i
    cdef int64_t n_high = 0, n_low = 0
    cdef label_t low = y_true[0], high = y_true[0]
    cdef uint8_t is_high
    with nogil:
        while second < n and y_true[second] == low:
            second += 1
        if second < n:
            if y_true[second] > low:
                high = y_true[second]
            else:
                low = y_true[second]
        for i in range(n):
            is_high = y_true[i] == high
            codes[i] = is_high
            n_high += is_high
            n_low += y_true[i] == low
        # With a single value both counts see every row; with two, each row is seen once.
        if n_high + n_low != (n if low != high else 2 * n):
            third = 0
            while third < n and (y_true[third] == low or y_true[third] == high):
                third += 1
    return low, high, n_high, third
