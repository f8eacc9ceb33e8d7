# The C-level API: the AUC without Python. Other packages cimport it from ``fastauc/__init__.pxd``.
#
# Labels are 0 or 1. Scores are finite; equal scores are tied, and higher means more likely
# positive. Inputs are only read. ``scratch`` is memory provided by the caller, aligned like
# malloc's, of ``n_scratch`` bytes, which must be at least ``scratch_size(...)``; it need not be
# initialized. No function allocates, needs the GIL, raises or keeps any state: any number of
# threads may call any of them, each with its own scratch. If inputs change during a call, the
# result may be wrong or an error, but nothing is written outside the scratch, and nothing is read
# beyond the rows.
#
# Time is O(n) if scores are spread out or have few distinct values; otherwise the rows are split
# again by the next 8 bits in which they differ, at most 8 times. Weights whose range is too wide
# for integers are sorted in O(n log n).

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef enum:
    # Increases with every added function. Existing functions are never changed or removed.
    FASTAUC_API_VERSION = 1

    FASTAUC_OK = 0
    # One class has no rows with a weight above 0: the AUC is NaN, and the numbers of pairs are 0.
    FASTAUC_ONE_CLASS = 1
    # Values below 0 are errors: the AUC is NaN, and all counts are 0.
    FASTAUC_NO_ROWS = -1
    FASTAUC_TOO_MANY_ROWS = -2  # 2^31 or more
    FASTAUC_BAD_SCRATCH = -3  # NULL, too small, or not aligned to 8 bytes
    FASTAUC_BAD_LABEL = -4  # neither 0 nor 1
    FASTAUC_BAD_SCORE = -5  # NaN or infinite
    FASTAUC_BAD_WEIGHT = -6  # negative, NaN or infinite; or all weights sum to 0 or infinity

# The version of the installed package; the constants above are those at compile time.
cdef int api_version() noexcept nogil

# Bytes of scratch for n rows with scores of ``score_size`` bytes (4 or 8), ``weighted`` (1) or not
# (0): at most 16 per row, 32 with weights, plus 64. 0 for any other n or size.
cdef size_t scratch_size(int64_t n, size_t score_size, int weighted) noexcept nogil

# Write the counts of ``fastauc.concordance``: concordant pairs, tied pairs, positives, negatives.
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

# Write the AUC, the double nearest to the exact fraction, as ``fastauc.roc_auc_score`` returns it.
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

# The same with weights. Rows of weight 0 are ignored, but their labels and scores must be valid.
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
