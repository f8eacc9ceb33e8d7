from fastauc import (
    boosters as boosters,
    dask as dask,
    files as files,
    plotting as plotting,
    sklearn as sklearn,
    spark as spark,
)
from fastauc._counts.confusion_counts import ConfusionCounts as ConfusionCounts
from fastauc._counts.confusion_matrix import (
    ConfusionIntervals as ConfusionIntervals,
    ConfusionMatrix as ConfusionMatrix,
)
from fastauc._counts.ks import KsStatistic as KsStatistic
from fastauc._counts.proportions import ConfidenceInterval as ConfidenceInterval
from fastauc._counts.result_table import ResultTable as ResultTable
from fastauc._counts.roc import ConvexHull as ConvexHull
from fastauc._counts.thresholds import OptimalThreshold as OptimalThreshold
from fastauc._groups.by_column import (
    AucByColumn as AucByColumn,
    FeatureQuality as FeatureQuality,
    feature_quality as feature_quality,
    roc_auc_by_column as roc_auc_by_column,
)
from fastauc._groups.by_group import (
    AucByGroup as AucByGroup,
    grouped_roc_auc_score as grouped_roc_auc_score,
    roc_auc_by_group as roc_auc_by_group,
)
from fastauc._groups.mean_interval import grouped_roc_auc_ci as grouped_roc_auc_ci
from fastauc._inference.bandos import bandos_test as bandos_test
from fastauc._inference.bands import (
    RocCurveBand as RocCurveBand,
    SpecificityBand as SpecificityBand,
    roc_curve_band as roc_curve_band,
    specificity_band as specificity_band,
)
from fastauc._inference.binormal import (
    binormal_roc_auc as binormal_roc_auc,
    binormal_roc_curve as binormal_roc_curve,
)
from fastauc._inference.bootstrap import (
    BootstrapEstimate as BootstrapEstimate,
    bootstrap_ci as bootstrap_ci,
)
from fastauc._inference.bootstrap_test import (
    BootstrapTestResult as BootstrapTestResult,
    bootstrap_test as bootstrap_test,
)
from fastauc._inference.comparison import (
    RocAucCovariance as RocAucCovariance,
    RocAucPairwiseTest as RocAucPairwiseTest,
    RocAucPairwiseTests as RocAucPairwiseTests,
    RocAucTestResult as RocAucTestResult,
    roc_auc_covariance as roc_auc_covariance,
    roc_auc_pairwise_tests as roc_auc_pairwise_tests,
    roc_auc_test as roc_auc_test,
)
from fastauc._inference.intervals import roc_auc_ci as roc_auc_ci
from fastauc._inference.mcnemar import (
    McNemarTestResult as McNemarTestResult,
    mcnemar_test as mcnemar_test,
)
from fastauc._inference.multiclass import multiclass_roc_auc_ci as multiclass_roc_auc_ci
from fastauc._inference.partial import partial_roc_auc_ci as partial_roc_auc_ci
from fastauc._inference.partial_test import partial_roc_auc_test as partial_roc_auc_test
from fastauc._inference.permutation import (
    RocAucPermutationResult as RocAucPermutationResult,
    roc_auc_permutation_test as roc_auc_permutation_test,
)
from fastauc._inference.placements import placements as placements
from fastauc._inference.power import (
    RocAucSampleSize as RocAucSampleSize,
    roc_auc_detectable as roc_auc_detectable,
    roc_auc_pilot_power as roc_auc_pilot_power,
    roc_auc_pilot_sample_size as roc_auc_pilot_sample_size,
    roc_auc_power as roc_auc_power,
    roc_auc_sample_size as roc_auc_sample_size,
    roc_auc_significance_level as roc_auc_significance_level,
)
from fastauc._inference.precision_recall_band import (
    PrecisionRecallBand as PrecisionRecallBand,
    precision_recall_band as precision_recall_band,
)
from fastauc._inference.random_pairs import (
    roc_auc_monte_carlo as roc_auc_monte_carlo,
    sample_pairs as sample_pairs,
)
from fastauc._inference.rate_intervals import (
    RateInterval as RateInterval,
    fpr_at_tpr_ci as fpr_at_tpr_ci,
    precision_at_recall_ci as precision_at_recall_ci,
    tpr_at_fpr_ci as tpr_at_fpr_ci,
)
from fastauc._inference.reclassification import (
    ReclassificationResult as ReclassificationResult,
    integrated_discrimination_improvement as integrated_discrimination_improvement,
    net_reclassification_improvement as net_reclassification_improvement,
)
from fastauc._inference.results import Estimate as Estimate
from fastauc._inference.threshold_validation import (
    OptimismEstimate as OptimismEstimate,
    ThresholdValidation as ThresholdValidation,
    optimal_threshold_validation as optimal_threshold_validation,
)
from fastauc._inference.venkatraman import (
    VenkatramanTestResult as VenkatramanTestResult,
    venkatraman_test as venkatraman_test,
)
from fastauc._metrics.gains import (
    break_even_response_rate as break_even_response_rate,
    gain_at as gain_at,
    gain_curve as gain_curve,
    gain_score as gain_score,
    gains_table as gains_table,
    lift_at as lift_at,
    lift_curve as lift_curve,
    profit_curve as profit_curve,
)
from fastauc._metrics.ks import (
    ks_curve as ks_curve,
    ks_score as ks_score,
    ks_statistic as ks_statistic,
)
from fastauc._metrics.precision_recall import (
    average_precision_score as average_precision_score,
    pr_auc_score as pr_auc_score,
    pr_gain_auc_score as pr_gain_auc_score,
    precision_at_k as precision_at_k,
    precision_at_recall as precision_at_recall,
    precision_recall_curve as precision_recall_curve,
    recall_at_k as recall_at_k,
)
from fastauc._metrics.ranking import (
    pairwise_loss as pairwise_loss,
    rank_average as rank_average,
    sigmoid_roc_auc as sigmoid_roc_auc,
)
from fastauc._metrics.roc_auc import (
    auc as auc,
    auc_from_counts as auc_from_counts,
    concordance as concordance,
    gini_score as gini_score,
    partial_roc_auc_score as partial_roc_auc_score,
    roc_auc_at_k as roc_auc_at_k,
    roc_auc_score as roc_auc_score,
)
from fastauc._metrics.roc_curve import (
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
    det_curve as det_curve,
    fpr_at_tpr as fpr_at_tpr,
    roc_convex_hull as roc_convex_hull,
    roc_curve as roc_curve,
    tpr_at_fpr as tpr_at_fpr,
)
from fastauc._metrics.thresholds import (
    bayes_threshold as bayes_threshold,
    optimal_threshold as optimal_threshold,
)
from fastauc._pairs.concordance import Concordance as Concordance
from fastauc._report.report import HtmlReport as HtmlReport, report as report
from fastauc._runtime import show_runtime as show_runtime
from fastauc._streaming.accumulator import RocAucAccumulator as RocAucAccumulator
from fastauc._streaming.bounds import ScoreInterval as ScoreInterval
from fastauc._streaming.histogram import ScoreHistogram as ScoreHistogram
from fastauc._streaming.refinement import (
    PassRecord as PassRecord,
    RefinedAuc as RefinedAuc,
    Refinement as Refinement,
    refine as refine,
    refine_roc_auc as refine_roc_auc,
)
from fastauc._validation.errors import (
    CorruptStateError as CorruptStateError,
    InvalidParameterError as InvalidParameterError,
    UndefinedMetricWarning as UndefinedMetricWarning,
)

__version__: str
__all__: list[str]
