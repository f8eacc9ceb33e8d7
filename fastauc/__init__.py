"""Exact, tie-aware ROC AUC and the curves around it.

``roc_auc_score`` and the curves take and return what scikit-learn's functions of the same names do.
The unweighted area is counted in integers and divided once: it is the double nearest to the exact
fraction, for any order of the rows and any number of threads.
"""

from fastauc._exceptions import CorruptStateError, InvalidParameterError, UndefinedMetricWarning
from fastauc.accumulator import RocAucAccumulator
from fastauc.bands import RocCurveBand, roc_curve_band
from fastauc.bootstrap import BootstrapEstimate, bootstrap_ci
from fastauc.comparisons import RocAucTestResult, roc_auc_test
from fastauc.counts import ConfusionCounts, ConfusionMatrix
from fastauc.covariances import (
    RocAucCovariance,
    RocAucPairwiseTest,
    roc_auc_covariance,
    roc_auc_pairwise_tests,
)
from fastauc.curves import (
    auc,
    average_precision_score,
    confusion_matrix_at_thresholds,
    det_curve,
    ks_score,
    precision_recall_curve,
    roc_curve,
)
from fastauc.estimates import ConfidenceInterval, Estimate
from fastauc.features import AucByColumn, FeatureQuality, feature_quality, roc_auc_by_column
from fastauc.groups import AucByGroup, grouped_roc_auc_score, roc_auc_by_group
from fastauc.histogram import ScoreHistogram, ScoreInterval, auc_from_counts
from fastauc.hulls import ConvexHull, roc_convex_hull
from fastauc.inference import roc_auc_ci
from fastauc.pairwise import pairwise_loss
from fastauc.partial import partial_roc_auc_ci, partial_roc_auc_score
from fastauc.permutations import RocAucPermutationResult, roc_auc_permutation_test
from fastauc.places import placements
from fastauc.power import RocAucSampleSize, roc_auc_power, roc_auc_sample_size
from fastauc.pr_areas import pr_auc_score
from fastauc.ranks import rank_average
from fastauc.ranksum import Concordance, concordance, gini_score, roc_auc_score
from fastauc.readings import fpr_at_tpr, precision_at_recall, tpr_at_fpr
from fastauc.refinement import PassRecord, RefinedAuc, Refinement, refine, refine_roc_auc
from fastauc.top_k import precision_at_k, recall_at_k, roc_auc_at_k

__version__ = "0.1.0"

__all__ = [
    "AucByColumn",
    "AucByGroup",
    "BootstrapEstimate",
    "Concordance",
    "ConfidenceInterval",
    "ConfusionCounts",
    "ConfusionMatrix",
    "ConvexHull",
    "CorruptStateError",
    "Estimate",
    "FeatureQuality",
    "InvalidParameterError",
    "PassRecord",
    "RefinedAuc",
    "Refinement",
    "RocAucAccumulator",
    "RocAucCovariance",
    "RocAucPairwiseTest",
    "RocAucPermutationResult",
    "RocAucSampleSize",
    "RocAucTestResult",
    "RocCurveBand",
    "ScoreHistogram",
    "ScoreInterval",
    "UndefinedMetricWarning",
    "__version__",
    "auc",
    "auc_from_counts",
    "average_precision_score",
    "bootstrap_ci",
    "concordance",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "feature_quality",
    "fpr_at_tpr",
    "gini_score",
    "grouped_roc_auc_score",
    "ks_score",
    "pairwise_loss",
    "partial_roc_auc_ci",
    "partial_roc_auc_score",
    "placements",
    "pr_auc_score",
    "precision_at_k",
    "precision_at_recall",
    "precision_recall_curve",
    "rank_average",
    "recall_at_k",
    "refine",
    "refine_roc_auc",
    "roc_auc_at_k",
    "roc_auc_by_column",
    "roc_auc_by_group",
    "roc_auc_ci",
    "roc_auc_covariance",
    "roc_auc_pairwise_tests",
    "roc_auc_permutation_test",
    "roc_auc_power",
    "roc_auc_sample_size",
    "roc_auc_score",
    "roc_auc_test",
    "roc_convex_hull",
    "roc_curve",
    "roc_curve_band",
    "tpr_at_fpr",
]
