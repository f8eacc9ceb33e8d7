"""Pictures of curves, tables and thresholds, by matplotlib: scikit-learn's kind of displays.

Each display is made by ``from_predictions`` from labels and scores, or by ``from_counts`` from a
``ConfusionCounts`` or a ``ScoreHistogram``, and draws in the axes given as ``ax``, beside what they
already have: several models are several displays in the same axes. The arrays are attributes of the
display, all of their points; the lines have those points that can be told apart in a picture of
4,096 columns, or in one of 2,000 with an error of less than half of one.

Models differ by the dashes of their lines and the markers on them as well as by colors, which are
those that color-blind readers can tell apart. Where a histogram only bounds a number, the legend
says so, as in "AUC = 0.9123 ± 0.0001".
"""

from fastauc.plotting._operating_points import OperatingPoint
from fastauc.plotting.calibration import CalibrationDisplay
from fastauc.plotting.det import DetCurveDisplay
from fastauc.plotting.gains import GainCurveDisplay, LiftCurveDisplay
from fastauc.plotting.gains_table import GainsTableDisplay, ProfitCurveDisplay
from fastauc.plotting.ks import KsDisplay
from fastauc.plotting.precision_recall import PrecisionRecallDisplay
from fastauc.plotting.roc import RocCurveDisplay
from fastauc.plotting.scores import ScoreDistributionDisplay
from fastauc.plotting.thresholds import ThresholdDisplay

__all__ = [
    "CalibrationDisplay",
    "DetCurveDisplay",
    "GainCurveDisplay",
    "GainsTableDisplay",
    "KsDisplay",
    "LiftCurveDisplay",
    "OperatingPoint",
    "PrecisionRecallDisplay",
    "ProfitCurveDisplay",
    "RocCurveDisplay",
    "ScoreDistributionDisplay",
    "ThresholdDisplay",
]
