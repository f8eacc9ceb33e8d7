"""Confidence intervals, tests, bands, and the power of studies."""

from fastauc._counts.proportions import ConfidenceInterval
from fastauc.inference._bandos import bandos_test
from fastauc.inference._bands import RocCurveBand, SpecificityBand, roc_curve_band, specificity_band
from fastauc.inference._bootstrap import BootstrapEstimate, bootstrap_ci
from fastauc.inference._bootstrap_test import BootstrapTestResult, bootstrap_test
from fastauc.inference._comparison import (
    RocAucCovariance,
    RocAucPairwiseTest,
    RocAucPairwiseTests,
    RocAucTestResult,
    roc_auc_covariance,
    roc_auc_pairwise_tests,
    roc_auc_test,
)
from fastauc.inference._intervals import roc_auc_ci
from fastauc.inference._mcnemar import McNemarTestResult, mcnemar_test
from fastauc.inference._multiclass import multiclass_roc_auc_ci
from fastauc.inference._partial import partial_roc_auc_ci
from fastauc.inference._partial_test import partial_roc_auc_test
from fastauc.inference._permutation import RocAucPermutationResult, roc_auc_permutation_test
from fastauc.inference._placements import placements
from fastauc.inference._power import RocAucPower, roc_auc_power
from fastauc.inference._precision_recall_band import PrecisionRecallBand, precision_recall_band
from fastauc.inference._rate_intervals import (
    RateInterval,
    fpr_at_tpr_ci,
    precision_at_recall_ci,
    tpr_at_fpr_ci,
)
from fastauc.inference._reclassification import (
    ReclassificationResult,
    integrated_discrimination_improvement,
    net_reclassification_improvement,
)
from fastauc.inference._results import Estimate
from fastauc.inference._threshold_validation import (
    OptimismEstimate,
    ThresholdValidation,
    optimal_threshold_validation,
)
from fastauc.inference._venkatraman import VenkatramanTestResult, venkatraman_test

__all__ = [
    "BootstrapEstimate",
    "BootstrapTestResult",
    "ConfidenceInterval",
    "Estimate",
    "McNemarTestResult",
    "OptimismEstimate",
    "PrecisionRecallBand",
    "RateInterval",
    "ReclassificationResult",
    "RocAucCovariance",
    "RocAucPairwiseTest",
    "RocAucPairwiseTests",
    "RocAucPermutationResult",
    "RocAucPower",
    "RocAucTestResult",
    "RocCurveBand",
    "SpecificityBand",
    "ThresholdValidation",
    "VenkatramanTestResult",
    "bandos_test",
    "bootstrap_ci",
    "bootstrap_test",
    "fpr_at_tpr_ci",
    "integrated_discrimination_improvement",
    "mcnemar_test",
    "multiclass_roc_auc_ci",
    "net_reclassification_improvement",
    "optimal_threshold_validation",
    "partial_roc_auc_ci",
    "partial_roc_auc_test",
    "placements",
    "precision_at_recall_ci",
    "precision_recall_band",
    "roc_auc_ci",
    "roc_auc_covariance",
    "roc_auc_pairwise_tests",
    "roc_auc_permutation_test",
    "roc_auc_power",
    "roc_auc_test",
    "roc_curve_band",
    "specificity_band",
    "tpr_at_fpr_ci",
    "venkatraman_test",
]


def __dir__() -> list[str]:
    return __all__
