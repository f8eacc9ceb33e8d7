"""Exact, tie-aware ROC AUC and the curves around it.

``roc_auc_score`` and the curves take and return what scikit-learn's functions of the same names do.
The unweighted area is counted in integers and divided once: it is the double nearest to the exact
fraction, for any order of the rows and any number of threads.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastauc._exceptions import CorruptStateError, InvalidParameterError, UndefinedMetricWarning
    from fastauc.accumulator import RocAucAccumulator
    from fastauc.bands import RocCurveBand, roc_curve_band
    from fastauc.bootstrap import BootstrapEstimate, bootstrap_ci
    from fastauc.campaigns import break_even_response_rate, gains_table, profit_curve
    from fastauc.class_counts import auc_from_counts
    from fastauc.comparisons import RocAucTestResult, roc_auc_test
    from fastauc.confusion import ConfusionMatrix
    from fastauc.counts import ConfusionCounts
    from fastauc.covariances import (
        RocAucCovariance,
        RocAucPairwiseTest,
        roc_auc_covariance,
        roc_auc_pairwise_tests,
    )
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
    from fastauc.differences import BootstrapTestResult, bootstrap_test
    from fastauc.distances import ks_curve, ks_statistic
    from fastauc.estimates import ConfidenceInterval, Estimate
    from fastauc.features import AucByColumn, FeatureQuality, feature_quality, roc_auc_by_column
    from fastauc.gains import gain_at, gain_curve, gain_score, lift_at, lift_curve
    from fastauc.groups import AucByGroup, grouped_roc_auc_score, roc_auc_by_group
    from fastauc.histogram import ScoreHistogram, ScoreInterval
    from fastauc.hulls import ConvexHull, roc_convex_hull
    from fastauc.inference import roc_auc_ci
    from fastauc.kolmogorov import KsStatistic
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
    from fastauc.result_tables import ResultTable
    from fastauc.runtime import show_runtime
    from fastauc.thresholds import bayes_threshold, optimal_threshold
    from fastauc.top_k import precision_at_k, recall_at_k, roc_auc_at_k

__version__ = "0.1.0"

__all__ = [
    "AucByColumn",
    "AucByGroup",
    "BootstrapEstimate",
    "BootstrapTestResult",
    "Concordance",
    "ConfidenceInterval",
    "ConfusionCounts",
    "ConfusionMatrix",
    "ConvexHull",
    "CorruptStateError",
    "Estimate",
    "FeatureQuality",
    "InvalidParameterError",
    "KsStatistic",
    "OptimalThreshold",
    "PassRecord",
    "RefinedAuc",
    "Refinement",
    "ResultTable",
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
    "bayes_threshold",
    "bootstrap_ci",
    "bootstrap_test",
    "break_even_response_rate",
    "concordance",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "feature_quality",
    "fpr_at_tpr",
    "gain_at",
    "gain_curve",
    "gain_score",
    "gains_table",
    "gini_score",
    "grouped_roc_auc_score",
    "ks_curve",
    "ks_score",
    "ks_statistic",
    "lift_at",
    "lift_curve",
    "optimal_threshold",
    "pairwise_loss",
    "partial_roc_auc_ci",
    "partial_roc_auc_score",
    "placements",
    "pr_auc_score",
    "precision_at_k",
    "precision_at_recall",
    "precision_recall_curve",
    "profit_curve",
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
    "show_runtime",
    "tpr_at_fpr",
]

# What a program does not use is not loaded: a name comes with its module when it is first asked
# for. The imports above say the same to whatever reads the source.
_NAMES_OF = {
    "_exceptions": ("CorruptStateError", "InvalidParameterError", "UndefinedMetricWarning"),
    "accumulator": ("RocAucAccumulator",),
    "bands": ("RocCurveBand", "roc_curve_band"),
    "bootstrap": ("BootstrapEstimate", "bootstrap_ci"),
    "campaigns": ("break_even_response_rate", "gains_table", "profit_curve"),
    "class_counts": ("auc_from_counts",),
    "comparisons": ("RocAucTestResult", "roc_auc_test"),
    "confusion": ("ConfusionMatrix",),
    "counts": ("ConfusionCounts",),
    "covariances": (
        "RocAucCovariance",
        "RocAucPairwiseTest",
        "roc_auc_covariance",
        "roc_auc_pairwise_tests",
    ),
    "criteria": ("OptimalThreshold",),
    "curves": (
        "auc",
        "average_precision_score",
        "confusion_matrix_at_thresholds",
        "det_curve",
        "ks_score",
        "precision_recall_curve",
        "roc_curve",
    ),
    "differences": ("BootstrapTestResult", "bootstrap_test"),
    "distances": ("ks_curve", "ks_statistic"),
    "estimates": ("ConfidenceInterval", "Estimate"),
    "features": ("AucByColumn", "FeatureQuality", "feature_quality", "roc_auc_by_column"),
    "gains": ("gain_at", "gain_curve", "gain_score", "lift_at", "lift_curve"),
    "groups": ("AucByGroup", "grouped_roc_auc_score", "roc_auc_by_group"),
    "histogram": ("ScoreHistogram", "ScoreInterval"),
    "hulls": ("ConvexHull", "roc_convex_hull"),
    "inference": ("roc_auc_ci",),
    "kolmogorov": ("KsStatistic",),
    "pairwise": ("pairwise_loss",),
    "partial": ("partial_roc_auc_ci", "partial_roc_auc_score"),
    "permutations": ("RocAucPermutationResult", "roc_auc_permutation_test"),
    "places": ("placements",),
    "power": ("RocAucSampleSize", "roc_auc_power", "roc_auc_sample_size"),
    "pr_areas": ("pr_auc_score",),
    "ranks": ("rank_average",),
    "ranksum": ("Concordance", "concordance", "gini_score", "roc_auc_score"),
    "readings": ("fpr_at_tpr", "precision_at_recall", "tpr_at_fpr"),
    "refinement": ("PassRecord", "RefinedAuc", "Refinement", "refine", "refine_roc_auc"),
    "result_tables": ("ResultTable",),
    "runtime": ("show_runtime",),
    "thresholds": ("bayes_threshold", "optimal_threshold"),
    "top_k": ("precision_at_k", "recall_at_k", "roc_auc_at_k"),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load the module of a public name, and keep the name."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return public


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
