"""Exact, tie-aware ROC AUC and the curves around it.

``roc_auc_score`` and the curves take and return what scikit-learn's functions of the same names do.
The unweighted area is counted in integers and divided once: it is the double nearest to the exact
fraction, for any order of the rows and any number of threads.
"""

from fastauc._exceptions import CorruptStateError, InvalidParameterError, UndefinedMetricWarning
from fastauc.counts import ConfusionCounts, ConfusionMatrix
from fastauc.curves import (
    auc,
    average_precision_score,
    confusion_matrix_at_thresholds,
    det_curve,
    ks_score,
    precision_recall_curve,
    roc_curve,
)
from fastauc.features import AucByColumn, FeatureQuality, feature_quality, roc_auc_by_column
from fastauc.groups import AucByGroup, grouped_roc_auc_score, roc_auc_by_group
from fastauc.histogram import ScoreHistogram, ScoreInterval, auc_from_counts
from fastauc.ranksum import Concordance, concordance, gini_score, roc_auc_score
from fastauc.refinement import PassRecord, RefinedAuc, Refinement, refine, refine_roc_auc

__version__ = "0.1.0"

__all__ = [
    "AucByColumn",
    "AucByGroup",
    "Concordance",
    "ConfusionCounts",
    "ConfusionMatrix",
    "CorruptStateError",
    "FeatureQuality",
    "InvalidParameterError",
    "PassRecord",
    "RefinedAuc",
    "Refinement",
    "ScoreHistogram",
    "ScoreInterval",
    "UndefinedMetricWarning",
    "__version__",
    "auc",
    "auc_from_counts",
    "average_precision_score",
    "concordance",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "feature_quality",
    "gini_score",
    "grouped_roc_auc_score",
    "ks_score",
    "precision_recall_curve",
    "refine",
    "refine_roc_auc",
    "roc_auc_by_column",
    "roc_auc_by_group",
    "roc_auc_score",
    "roc_curve",
]
