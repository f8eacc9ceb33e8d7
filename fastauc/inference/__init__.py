"""Confidence intervals, tests, and the power of studies."""

from fastauc._counts.proportions import ConfidenceInterval
from fastauc.inference._area_tests import roc_auc_test, roc_auc_test_1samp, roc_auc_test_ind
from fastauc.inference._bands import curve_ci
from fastauc.inference._bootstrap import bootstrap_ci, bootstrap_test
from fastauc.inference._comparison import PairwiseTests, RocAucComparison, compare_roc_auc
from fastauc.inference._intervals import roc_auc_ci
from fastauc.inference._permutation import (
    PermutationTestResult,
    permutation_test,
    permutation_test_1samp,
)
from fastauc.inference._placements import placements
from fastauc.inference._power import RocAucPower, roc_auc_power
from fastauc.inference._rate_test import RateTestResult, rate_test
from fastauc.inference._results import CurveInterval, DifferenceTestResult, Estimate
from fastauc.inference._threshold_validation import (
    OptimismEstimate,
    ThresholdValidation,
    optimal_threshold_validation,
)

__all__ = [
    "ConfidenceInterval",
    "CurveInterval",
    "DifferenceTestResult",
    "Estimate",
    "OptimismEstimate",
    "PairwiseTests",
    "PermutationTestResult",
    "RateTestResult",
    "RocAucComparison",
    "RocAucPower",
    "ThresholdValidation",
    "bootstrap_ci",
    "bootstrap_test",
    "compare_roc_auc",
    "curve_ci",
    "optimal_threshold_validation",
    "permutation_test",
    "permutation_test_1samp",
    "placements",
    "rate_test",
    "roc_auc_ci",
    "roc_auc_power",
    "roc_auc_test",
    "roc_auc_test_1samp",
    "roc_auc_test_ind",
]


def __dir__() -> list[str]:
    return __all__
