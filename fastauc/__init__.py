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
from fastauc.histogram import ScoreHistogram, ScoreInterval, auc_from_counts
from fastauc.hulls import ConvexHull, roc_convex_hull
from fastauc.pairwise import pairwise_loss
from fastauc.partial import partial_roc_auc_ci, partial_roc_auc_score
from fastauc.pr_areas import pr_auc_score
from fastauc.ranks import rank_average
from fastauc.ranksum import Concordance, concordance, gini_score, roc_auc_score
from fastauc.readings import fpr_at_tpr, precision_at_recall, tpr_at_fpr
from fastauc.refinement import PassRecord, RefinedAuc, Refinement, refine, refine_roc_auc
from fastauc.top_k import precision_at_k, recall_at_k, roc_auc_at_k

__version__ = "0.1.0"

__all__ = [
    "Concordance",
    "ConfusionCounts",
    "ConfusionMatrix",
    "ConvexHull",
    "CorruptStateError",
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
    "fpr_at_tpr",
    "gini_score",
    "ks_score",
    "pairwise_loss",
    "partial_roc_auc_ci",
    "partial_roc_auc_score",
    "pr_auc_score",
    "precision_at_k",
    "precision_at_recall",
    "precision_recall_curve",
    "rank_average",
    "recall_at_k",
    "refine",
    "refine_roc_auc",
    "roc_auc_at_k",
    "roc_auc_score",
    "roc_convex_hull",
    "roc_curve",
    "tpr_at_fpr",
]
