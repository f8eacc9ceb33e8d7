"""Exact, tie-aware ROC AUC and the curves around it.

``roc_auc_score`` and the curves take and return what scikit-learn's functions of the same names do.
The unweighted area is counted in integers and divided once: it is the double nearest to the exact
fraction, for any order of the rows and any number of threads.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastauc._counts.confusion_counts import ConfusionCounts
    from fastauc._counts.confusion_matrix import ConfusionMatrix
    from fastauc._counts.ks import KsStatistic
    from fastauc._counts.result_table import ResultTable
    from fastauc._counts.thresholds import OptimalThreshold
    from fastauc._groups.by_column import (
        AucByColumn,
        FeatureQuality,
        feature_quality,
        roc_auc_by_column,
    )
    from fastauc._groups.by_group import AucByGroup, grouped_roc_auc_score, roc_auc_by_group
    from fastauc._inference.bands import RocCurveBand, roc_curve_band
    from fastauc._inference.bootstrap import BootstrapEstimate, bootstrap_ci
    from fastauc._inference.bootstrap_test import BootstrapTestResult, bootstrap_test
    from fastauc._inference.comparison import RocAucTestResult, roc_auc_test
    from fastauc._inference.covariance import (
        RocAucCovariance,
        RocAucPairwiseTest,
        roc_auc_covariance,
        roc_auc_pairwise_tests,
    )
    from fastauc._inference.intervals import roc_auc_ci
    from fastauc._inference.permutation import RocAucPermutationResult, roc_auc_permutation_test
    from fastauc._inference.placements import placements
    from fastauc._inference.power import RocAucSampleSize, roc_auc_power, roc_auc_sample_size
    from fastauc._inference.results import ConfidenceInterval, Estimate
    from fastauc._metrics.campaigns import break_even_response_rate, gains_table, profit_curve
    from fastauc._metrics.class_counts import auc_from_counts
    from fastauc._metrics.curves import (
        auc,
        average_precision_score,
        confusion_matrix_at_thresholds,
        det_curve,
        ks_score,
        precision_recall_curve,
        roc_curve,
    )
    from fastauc._metrics.gains import gain_at, gain_curve, gain_score, lift_at, lift_curve
    from fastauc._metrics.hull import ConvexHull, roc_convex_hull
    from fastauc._metrics.ks import ks_curve, ks_statistic
    from fastauc._metrics.pairwise_loss import pairwise_loss
    from fastauc._metrics.partial import partial_roc_auc_ci, partial_roc_auc_score
    from fastauc._metrics.pr_auc import pr_auc_score
    from fastauc._metrics.rank_average import rank_average
    from fastauc._metrics.rates_at import fpr_at_tpr, precision_at_recall, tpr_at_fpr
    from fastauc._metrics.roc_auc import Concordance, concordance, gini_score, roc_auc_score
    from fastauc._metrics.thresholds import bayes_threshold, optimal_threshold
    from fastauc._metrics.top_k import precision_at_k, recall_at_k, roc_auc_at_k
    from fastauc._runtime import show_runtime
    from fastauc._streaming.accumulator import RocAucAccumulator
    from fastauc._streaming.histogram import ScoreHistogram, ScoreInterval
    from fastauc._streaming.refinement import (
        PassRecord,
        RefinedAuc,
        Refinement,
        refine,
        refine_roc_auc,
    )
    from fastauc._validation.errors import (
        CorruptStateError,
        InvalidParameterError,
        UndefinedMetricWarning,
    )

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
    "_validation.errors": ("CorruptStateError", "InvalidParameterError", "UndefinedMetricWarning"),
    "_streaming.accumulator": ("RocAucAccumulator",),
    "_inference.bands": ("RocCurveBand", "roc_curve_band"),
    "_inference.bootstrap": ("BootstrapEstimate", "bootstrap_ci"),
    "_metrics.campaigns": ("break_even_response_rate", "gains_table", "profit_curve"),
    "_metrics.class_counts": ("auc_from_counts",),
    "_inference.comparison": ("RocAucTestResult", "roc_auc_test"),
    "_counts.confusion_matrix": ("ConfusionMatrix",),
    "_counts.confusion_counts": ("ConfusionCounts",),
    "_inference.covariance": (
        "RocAucCovariance",
        "RocAucPairwiseTest",
        "roc_auc_covariance",
        "roc_auc_pairwise_tests",
    ),
    "_counts.thresholds": ("OptimalThreshold",),
    "_metrics.curves": (
        "auc",
        "average_precision_score",
        "confusion_matrix_at_thresholds",
        "det_curve",
        "ks_score",
        "precision_recall_curve",
        "roc_curve",
    ),
    "_inference.bootstrap_test": ("BootstrapTestResult", "bootstrap_test"),
    "_metrics.ks": ("ks_curve", "ks_statistic"),
    "_inference.results": ("ConfidenceInterval", "Estimate"),
    "_groups.by_column": ("AucByColumn", "FeatureQuality", "feature_quality", "roc_auc_by_column"),
    "_metrics.gains": ("gain_at", "gain_curve", "gain_score", "lift_at", "lift_curve"),
    "_groups.by_group": ("AucByGroup", "grouped_roc_auc_score", "roc_auc_by_group"),
    "_streaming.histogram": ("ScoreHistogram", "ScoreInterval"),
    "_metrics.hull": ("ConvexHull", "roc_convex_hull"),
    "_inference.intervals": ("roc_auc_ci",),
    "_counts.ks": ("KsStatistic",),
    "_metrics.pairwise_loss": ("pairwise_loss",),
    "_metrics.partial": ("partial_roc_auc_ci", "partial_roc_auc_score"),
    "_inference.permutation": ("RocAucPermutationResult", "roc_auc_permutation_test"),
    "_inference.placements": ("placements",),
    "_inference.power": ("RocAucSampleSize", "roc_auc_power", "roc_auc_sample_size"),
    "_metrics.pr_auc": ("pr_auc_score",),
    "_metrics.rank_average": ("rank_average",),
    "_metrics.roc_auc": ("Concordance", "concordance", "gini_score", "roc_auc_score"),
    "_metrics.rates_at": ("fpr_at_tpr", "precision_at_recall", "tpr_at_fpr"),
    "_streaming.refinement": ("PassRecord", "RefinedAuc", "Refinement", "refine", "refine_roc_auc"),
    "_counts.result_table": ("ResultTable",),
    "_runtime": ("show_runtime",),
    "_metrics.thresholds": ("bayes_threshold", "optimal_threshold"),
    "_metrics.top_k": ("precision_at_k", "recall_at_k", "roc_auc_at_k"),
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
