# Scores as doubles, their tags, and weights as whole numbers: the same on every processor.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fastauc._kernels.wide_integers cimport total_t

ctypedef fused score_t:
    float
    double

cdef enum:
    # Tags that are not those of one score: of a bin without rows, and of one with several scores.
    NONE = 0
    MIXED = 1


cdef inline uint64_t join_tags(uint64_t a, uint64_t b) noexcept nogil:
    """Return the tag of a bin that holds the scores of two bins."""
    return a if a == b or b == NONE else (b if a == NONE else <uint64_t> MIXED)


cdef inline uint64_t bits_of(double value) noexcept nogil:
    cdef uint64_t bits
    memcpy(&bits, &value, sizeof(bits))
    return bits


cdef inline const double *widen(const score_t *score, Py_ssize_t n, double *room) noexcept nogil:
    """Return the scores as doubles: themselves, or copies in ``room``."""
    cdef Py_ssize_t i
    cdef uint32_t bits, magnitude, odd = 0
    cdef double value
    if score_t is double:
        return score
    else:
        for i in range(n):
            memcpy(&bits, score + i, sizeof(bits))
            room[i] = score[i]
            magnitude = bits & 0x7FFFFFFF
            odd |= <uint32_t> ((<int32_t> magnitude < 0x00800000) & (<int32_t> magnitude > 0))
        if odd:
            # Subnormal numbers, which the conversion may have taken for 0.
            for i in range(n):
                memcpy(&bits, score + i, sizeof(bits))
                magnitude = bits & 0x7FFFFFFF
                if magnitude < 0x00800000:
                    value = magnitude * 2.0**-149
                    room[i] = -value if bits >> 31 else value
        return room


cdef inline total_t fixed_weight_of(double weight, int64_t *n_rounded) noexcept nogil:
    """Return a weight below 2^63 in units of 2^-128, rounded to the nearest."""
    cdef total_t fixed_weights = total_t(0, 0, 0)
    cdef uint64_t bits = bits_of(weight), digits = bits & ((<uint64_t> 1 << 52) - 1), above
    cdef int shift = <int> (bits >> 52)
    if shift > 0:
        digits |= <uint64_t> 1 << 52
    else:
        shift = 1
    shift -= 947  # the weight is digits * 2^(shift - 128)
    if shift < 0:
        if shift < -53:
            n_rounded[0] += 1  # below a half; no weight is 0 here
            return fixed_weights
        above = (digits >> -shift) << -shift
        n_rounded[0] += digits != above
        fixed_weights.low = (digits + (<uint64_t> 1 << (-shift - 1))) >> -shift
        return fixed_weights
    above = (digits >> 1) >> (63 - (shift & 63))
    digits <<= shift & 63
    if shift < 64:
        fixed_weights.low = digits
        fixed_weights.middle = above
    elif shift < 128:
        fixed_weights.middle = digits
        fixed_weights.high = above
    else:
        fixed_weights.high = digits
    return fixed_weights
