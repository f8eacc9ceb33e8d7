# The C-level API: areas without Python. ``fastauc/__init__.pxd`` is where others cimport it from.
#
# Labels are 0 or 1, scores finite, tied where they are equal, higher for what is more likely
# positive; inputs are only read. ``scratch`` is memory of the caller's, aligned as malloc does, of
# ``n_scratch`` bytes, as many as ``scratch_size`` says or more; what it holds does not matter. No
# function allocates, needs the GIL, raises, or keeps anything: any number of threads may call any
# of them, each with a scratch of its own. Who changes inputs during a call gets a wrong number or
# an error, but nothing is written beyond the scratch, and nothing read beyond the rows.
#
# Time is O(n) where the scores are spread or few; for any others the rows are split again by the
# next 8 bits that they differ in, 8 times at most. Weights of so wide a range that integers do not
# hold them are sorted in O(n log n).

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef enum:
    # One more with every function that is added. None is changed or taken away.
    FASTAUC_API_VERSION = 1

    FASTAUC_OK = 0
    # One class has no row of a weight above 0: the area is NaN, and the numbers of pairs are 0.
    FASTAUC_ONE_CLASS = 1
    # What is below 0 is an error: the area is NaN, and all numbers are 0.
    FASTAUC_NO_ROWS = -1
    FASTAUC_TOO_MANY_ROWS = -2  # 2^31 or more
    FASTAUC_BAD_SCRATCH = -3  # NULL, too small, or not aligned to 8 bytes
    FASTAUC_BAD_LABEL = -4  # neither 0 nor 1
    FASTAUC_BAD_SCORE = -5  # NaN or infinite
    FASTAUC_BAD_WEIGHT = -6  # negative, NaN, or infinite; or the sum of all is 0 or infinite

# The version of what is installed; constants are those of what is compiled.
cdef int api_version() noexcept nogil

# Bytes of scratch for n rows with scores of ``score_size`` bytes, 4 or 8, ``weighted`` or not (0):
# at most 16 a row, with weights 32, and 64 more. 0 for any other n and size.
cdef size_t scratch_size(int64_t n, size_t score_size, int weighted) noexcept nogil

# Write the integers of ``fastauc.concordance``: concordant pairs, tied pairs, positives, negatives.
cdef int concordance_float32(
    const uint8_t *y_true,
    const float *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    uint64_t *counts,
) noexcept nogil
cdef int concordance_float64(
    const uint8_t *y_true,
    const double *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    uint64_t *counts,
) noexcept nogil

# Write the area, the double nearest to the exact fraction: that of ``fastauc.roc_auc_score``.
cdef int roc_auc_float32(
    const uint8_t *y_true,
    const float *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil
cdef int roc_auc_float64(
    const uint8_t *y_true,
    const double *y_score,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil

# The same with weights. Rows of weight 0 count for nothing, but their labels and scores have to be
# as all others.
cdef int weighted_roc_auc_float32(
    const uint8_t *y_true,
    const float *y_score,
    const double *sample_weight,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil
cdef int weighted_roc_auc_float64(
    const uint8_t *y_true,
    const double *y_score,
    const double *sample_weight,
    int64_t n,
    void *scratch,
    size_t n_scratch,
    double *area,
) noexcept nogil
