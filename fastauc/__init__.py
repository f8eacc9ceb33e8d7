"""Exact, tie-aware ROC AUC and the metrics around it.

``roc_auc_score`` and the curves take and return what scikit-learn's functions of the same names do.
The unweighted AUC is counted in integers and divided once, so it is the double nearest to the exact
fraction, for any order of the rows and any number of threads.
"""

from importlib import import_module

__version__ = "0.1.0"

# Public names are loaded lazily, with their modules, on first access (PEP 562). ``__init__.pyi``
# declares the same names for type checkers.
_NAMES_OF = {
    "_counts.confusion_counts": "ConfusionCounts",
    "_counts.confusion_matrix": "ConfusionIntervals ConfusionMatrix",
    "_counts.ks": "KsStatistic",
    "_counts.proportions": "ConfidenceInterval",
    "_counts.result_table": "ResultTable",
    "_counts.roc": "ConvexHull",
    "_counts.thresholds": "OptimalThreshold",
    "_groups.by_column": "AucByColumn FeatureQuality feature_quality roc_auc_by_column",
    "_groups.by_group": "AucByGroup grouped_roc_auc_score roc_auc_by_group",
    "_groups.mean_interval": "grouped_roc_auc_ci",
    "_inference.bandos": "bandos_test",
    "_inference.bands": "RocCurveBand SpecificityBand roc_curve_band specificity_band",
    "_inference.binormal": "binormal_roc_auc binormal_roc_curve",
    "_inference.bootstrap": "BootstrapEstimate bootstrap_ci",
    "_inference.bootstrap_test": "BootstrapTestResult bootstrap_test",
    "_inference.comparison": (
        "RocAucCovariance RocAucPairwiseTest RocAucPairwiseTests RocAucTestResult "
        "roc_auc_covariance roc_auc_pairwise_tests roc_auc_test"
    ),
    "_inference.intervals": "roc_auc_ci",
    "_inference.mcnemar": "McNemarTestResult mcnemar_test",
    "_inference.multiclass": "multiclass_roc_auc_ci",
    "_inference.partial": "partial_roc_auc_ci",
    "_inference.partial_test": "partial_roc_auc_test",
    "_inference.permutation": "RocAucPermutationResult roc_auc_permutation_test",
    "_inference.placements": "placements",
    "_inference.power": (
        "RocAucSampleSize roc_auc_detectable roc_auc_pilot_power roc_auc_pilot_sample_size "
        "roc_auc_power roc_auc_sample_size roc_auc_significance_level"
    ),
    "_inference.precision_recall_band": "PrecisionRecallBand precision_recall_band",
    "_inference.random_pairs": "roc_auc_monte_carlo sample_pairs",
    "_inference.rate_intervals": "RateInterval fpr_at_tpr_ci precision_at_recall_ci tpr_at_fpr_ci",
    "_inference.reclassification": (
        "ReclassificationResult integrated_discrimination_improvement "
        "net_reclassification_improvement"
    ),
    "_inference.results": "Estimate",
    "_inference.threshold_validation": (
        "OptimismEstimate ThresholdValidation optimal_threshold_validation"
    ),
    "_inference.venkatraman": "VenkatramanTestResult venkatraman_test",
    "_metrics.gains": (
        "break_even_response_rate gain_at gain_curve gain_score gains_table lift_at lift_curve "
        "profit_curve"
    ),
    "_metrics.ks": "ks_curve ks_score ks_statistic",
    "_metrics.precision_recall": (
        "average_precision_score pr_auc_score pr_gain_auc_score precision_at_k precision_at_recall "
        "precision_recall_curve recall_at_k"
    ),
    "_metrics.ranking": "pairwise_loss rank_average sigmoid_roc_auc",
    "_metrics.roc_auc": (
        "auc auc_from_counts concordance gini_score partial_roc_auc_score roc_auc_at_k "
        "roc_auc_score"
    ),
    "_metrics.roc_curve": (
        "confusion_matrix_at_thresholds det_curve fpr_at_tpr roc_convex_hull roc_curve tpr_at_fpr"
    ),
    "_metrics.thresholds": "bayes_threshold optimal_threshold",
    "_pairs.concordance": "Concordance",
    "_report.report": "HtmlReport report",
    "_runtime": "show_runtime",
    "_streaming.accumulator": "RocAucAccumulator",
    "_streaming.bounds": "ScoreInterval",
    "_streaming.histogram": "ScoreHistogram",
    "_streaming.refinement": "PassRecord RefinedAuc Refinement refine refine_roc_auc",
    "_validation.errors": "CorruptStateError InvalidParameterError UndefinedMetricWarning",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}
_MODULES = ("boosters", "dask", "files", "plotting", "sklearn", "spark")

__all__ = sorted([*_MODULE_OF, "__version__"])


def __getattr__(name: str) -> object:
    """Load a public module, or the module of a public name, on first access."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return public


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
