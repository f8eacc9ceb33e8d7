"""Exact, tie-aware ROC AUC and the curves around it.

``roc_auc_score`` and the curves take and return what scikit-learn's functions of the same names do.
The unweighted area is counted in integers and divided once: it is the double nearest to the exact
fraction, for any order of the rows and any number of threads.
"""

from fastauc._exceptions import CorruptStateError, InvalidParameterError, UndefinedMetricWarning
from fastauc.campaigns import break_even_response_rate, gains_table, profit_curve
from fastauc.class_counts import auc_from_counts
from fastauc.confusion import ConfusionMatrix
from fastauc.counts import ConfusionCounts
from fastauc.criteria import OptimalThreshold
from fastauc.curves import (
    auc,
    average_precision_score,
    confusion_matrix_at_thresholds,
    det_curve,
    ks_score,
    precision_recall_curve,
    roc_curve,
)
from fastauc.distances import ks_curve, ks_statistic
from fastauc.gains import gain_at, gain_curve, gain_score, lift_at, lift_curve
from fastauc.histogram import ScoreHistogram, ScoreInterval
from fastauc.kolmogorov import KsStatistic
from fastauc.ranksum import Concordance, concordance, gini_score, roc_auc_score
from fastauc.refinement import PassRecord, RefinedAuc, Refinement, refine, refine_roc_auc
from fastauc.result_tables import ResultTable
from fastauc.thresholds import bayes_threshold, optimal_threshold

__version__ = "0.1.0"

__all__ = [
    "Concordance",
    "ConfusionCounts",
    "ConfusionMatrix",
    "CorruptStateError",
    "InvalidParameterError",
    "KsStatistic",
    "OptimalThreshold",
    "PassRecord",
    "RefinedAuc",
    "Refinement",
    "ResultTable",
    "ScoreHistogram",
    "ScoreInterval",
    "UndefinedMetricWarning",
    "__version__",
    "auc",
    "auc_from_counts",
    "average_precision_score",
    "bayes_threshold",
    "break_even_response_rate",
    "concordance",
    "confusion_matrix_at_thresholds",
    "det_curve",
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
    "optimal_threshold",
    "precision_recall_curve",
    "profit_curve",
    "refine",
    "refine_roc_auc",
    "roc_auc_score",
    "roc_curve",
]
