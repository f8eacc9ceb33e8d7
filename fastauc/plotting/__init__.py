"""Plots of curves, tables and thresholds with matplotlib, as displays in the style of scikit-learn.

Each display is made by ``from_predictions`` from labels and scores, by ``from_estimator`` from a
fitted classifier, or by ``from_counts`` from a ``ConfusionCounts`` or a ``ScoreHistogram``; that of
AUCs by group, by ``from_result``. It draws in the axes given as ``ax``, in addition to what they
already contain: to compare models, draw several displays in the same axes. What else a display can
show is added by its methods ``add_...``, which return it. It keeps all points of a curve as
attributes; the drawn lines have only the points that can be told apart in a picture 4,096 pixels
wide (in one of 2,000, the error is less than half a pixel).

Models differ by line style and markers as well as by color, and the colors suit color-blind
readers. Where a histogram gives only bounds of a value, the legend says so, as in
"AUC = 0.9123 ± 0.0001".
"""

from fastauc.plotting._by_group import AucByGroupDisplay
from fastauc.plotting._calibration import CalibrationDisplay
from fastauc.plotting._det import DetCurveDisplay
from fastauc.plotting._gains_table import GainsTableDisplay
from fastauc.plotting._net_benefit import NetBenefitCurveDisplay
from fastauc.plotting._operating_points import OperatingPoint
from fastauc.plotting._precision_recall import PrecisionRecallDisplay
from fastauc.plotting._roc import RocCurveDisplay
from fastauc.plotting._scores import ScoreDistributionDisplay
from fastauc.plotting._selection import (
    GainCurveDisplay,
    KsDisplay,
    LiftCurveDisplay,
    ProfitCurveDisplay,
)
from fastauc.plotting._thresholds import ThresholdDisplay

__all__ = [
    "AucByGroupDisplay",
    "CalibrationDisplay",
    "DetCurveDisplay",
    "GainCurveDisplay",
    "GainsTableDisplay",
    "KsDisplay",
    "LiftCurveDisplay",
    "NetBenefitCurveDisplay",
    "OperatingPoint",
    "PrecisionRecallDisplay",
    "ProfitCurveDisplay",
    "RocCurveDisplay",
    "ScoreDistributionDisplay",
    "ThresholdDisplay",
]

for _name in __all__:
    globals()[_name].__module__ = __name__


def __dir__() -> list[str]:
    return __all__
