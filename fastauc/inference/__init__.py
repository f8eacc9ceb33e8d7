"""Confidence intervals, tests, and the power of studies."""

from fastauc._counts.proportions import ConfidenceInterval
from fastauc.inference._bands import curve_ci
from fastauc.inference._bootstrap import bootstrap_ci
from fastauc.inference._bootstrap_test import bootstrap_test
from fastauc.inference._comparison import (
    PairwiseTests,
    RocAucComparison,
    compare_roc_auc,
    roc_auc_test,
)
from fastauc.inference._intervals import roc_auc_ci
from fastauc.inference._permutation import RocCurveTestResult, roc_curve_test
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
    "RateTestResult",
    "RocAucComparison",
    "RocAucPower",
    "RocCurveTestResult",
    "ThresholdValidation",
    "bootstrap_ci",
    "bootstrap_test",
    "compare_roc_auc",
    "curve_ci",
    "optimal_threshold_validation",
    "placements",
    "rate_test",
    "roc_auc_ci",
    "roc_auc_power",
    "roc_auc_test",
    "roc_curve_test",
]


def __dir__() -> list[str]:
    return __all__
