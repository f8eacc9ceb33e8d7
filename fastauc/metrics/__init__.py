"""Every number and curve of labels and scores; the mirror of ``sklearn.metrics``.

Where scikit-learn has a function, the one of the same name here takes and returns the same:
``from sklearn.metrics import roc_auc_score, roc_curve`` becomes ``from fastauc.metrics import
roc_auc_score, roc_curve``.
"""

from fastauc._counts.confusion_counts import ConfusionCounts
from fastauc._counts.confusion_matrix import ConfusionIntervals, ConfusionMatrix
from fastauc._counts.ks import KsStatistic
from fastauc._counts.result_table import ResultTable
from fastauc._counts.roc import ConvexHull
from fastauc._counts.thresholds import OptimalThreshold
from fastauc._pairs.concordance import Concordance
from fastauc.metrics._gains import (
    gain_at,
    gain_curve,
    gain_score,
    gains_table,
    lift_at,
    lift_curve,
    profit_curve,
)
from fastauc.metrics._ks import ks_curve, ks_score, ks_statistic
from fastauc.metrics._precision_recall import (
    average_precision_score,
    pr_auc_score,
    pr_gain_auc_score,
    precision_at_k,
    precision_at_recall,
    precision_recall_curve,
    recall_at_k,
)
from fastauc.metrics._roc_auc import (
    auc,
    concordance,
    gini_score,
    partial_roc_auc_score,
    roc_auc_at_k,
    roc_auc_score,
)
from fastauc.metrics._roc_curve import (
    confusion_matrix_at_thresholds,
    det_curve,
    fpr_at_tpr,
    roc_convex_hull,
    roc_curve,
    tpr_at_fpr,
)
from fastauc.metrics._thresholds import bayes_threshold, net_benefit_curve, optimal_threshold

__all__ = [
    "Concordance",
    "ConfusionCounts",
    "ConfusionIntervals",
    "ConfusionMatrix",
    "ConvexHull",
    "KsStatistic",
    "OptimalThreshold",
    "ResultTable",
    "auc",
    "average_precision_score",
    "bayes_threshold",
    "concordance",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "fpr_at_tpr",
    "gain_at",
    "gain_curve",
    "gain_score",
    "gains_table",
    "gini_score",
    "ks_curve",
    "ks_score",
    "ks_statistic",
    "lift_at",
    "lift_curve",
    "net_benefit_curve",
    "optimal_threshold",
    "partial_roc_auc_score",
    "pr_auc_score",
    "pr_gain_auc_score",
    "precision_at_k",
    "precision_at_recall",
    "precision_recall_curve",
    "profit_curve",
    "recall_at_k",
    "roc_auc_at_k",
    "roc_auc_score",
    "roc_convex_hull",
    "roc_curve",
    "tpr_at_fpr",
]


def __dir__() -> list[str]:
    return __all__
