# The public C-level API for other Cython code; nothing else is stable. See ``_capi.pxd``.

from fastauc._capi cimport (
    FASTAUC_API_VERSION,
    FASTAUC_BAD_LABEL,
    FASTAUC_BAD_SCORE,
    FASTAUC_BAD_SCRATCH,
    FASTAUC_BAD_WEIGHT,
    FASTAUC_NO_ROWS,
    FASTAUC_OK,
    FASTAUC_ONE_CLASS,
    FASTAUC_TOO_MANY_ROWS,
    api_version,
    concordance_float32,
    concordance_float64,
    roc_auc_float32,
    roc_auc_float64,
    scratch_size,
    weighted_roc_auc_float32,
    weighted_roc_auc_float64,
)
