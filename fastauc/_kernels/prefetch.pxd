# A line of memory is asked for before it is written to, where the compiler knows how.

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define FASTAUC_PREFETCH(place) __builtin_prefetch((place), 1)
    #else
    #define FASTAUC_PREFETCH(place) ((void) (place))
    #endif
    """
    void FASTAUC_PREFETCH(const void *place) noexcept nogil
