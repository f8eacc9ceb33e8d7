"""Exact, tie-aware ROC AUC and the metrics around it.

Here are the drop-in replacements of scikit-learn's functions and the core; the packages below hold
the rest: ``metrics``, ``learning``, ``inference``, ``streaming``, ``groups``, ``files``,
``plotting``, ``reports``, and ``sklearn``, ``boosters``, ``dask``, ``spark`` for use with these.
The unweighted AUC is counted in integers and divided once, so it is the double nearest to the exact
fraction, for any order of the rows and any number of threads.
"""

# First: from here on, Ctrl-C ends the process of a command without a traceback.
from fastauc import _starting  # noqa: F401

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING

from fastauc._runtime import show_runtime
from fastauc._validation.errors import (
    CorruptStateError,
    InvalidParameterError,
    UndefinedMetricWarning,
)
from fastauc.metrics import (
    Concordance,
    ConfusionCounts,
    ConfusionMatrix,
    auc,
    average_precision_score,
    concordance,
    confusion_matrix_at_thresholds,
    det_curve,
    gini_score,
    ks_score,
    partial_roc_auc_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

__version__ = "0.1.0"

__all__ = [
    "Concordance",
    "ConfusionCounts",
    "ConfusionMatrix",
    "CorruptStateError",
    "InvalidParameterError",
    "UndefinedMetricWarning",
    "__version__",
    "auc",
    "average_precision_score",
    "concordance",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "gini_score",
    "ks_score",
    "partial_roc_auc_score",
    "precision_recall_curve",
    "roc_auc_score",
    "roc_curve",
    "show_runtime",
]

_PACKAGES = (
    *("metrics", "learning", "inference", "streaming", "groups", "files", "plotting", "reports"),
    *("sklearn", "boosters", "dask", "spark"),
)

if TYPE_CHECKING:
    from fastauc import (
        boosters as boosters,
        dask as dask,
        files as files,
        groups as groups,
        inference as inference,
        learning as learning,
        metrics as metrics,
        plotting as plotting,
        reports as reports,
        sklearn as sklearn,
        spark as spark,
        streaming as streaming,
    )
else:

    def __getattr__(name: str) -> object:
        """Import a package when it is first asked for; say where a name is that is not here."""
        if name in _PACKAGES:
            return import_module(f"{__name__}.{name}")
        homes = (
            () if name.startswith("_") else (import_module(f"{__name__}.{p}") for p in _PACKAGES)
        )
        where = [home.__name__ for home in homes if name in home.__all__]
        message = f"module {__name__!r} has no attribute {name!r}"
        if where:
            # Without an object, Python does not go on to suggest a name that is spelled alike.
            raise AttributeError(f"{message}; it is in {' and '.join(where)}", name=name, obj=None)
        raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
