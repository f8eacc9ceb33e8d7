"""Pictures of curves, tables and thresholds, by matplotlib: scikit-learn's kind of displays."""

from fastauc.plotting_curves import DetCurveDisplay, PrecisionRecallDisplay
from fastauc.plotting_gains import GainCurveDisplay, KsDisplay
from fastauc.plotting_roc import OperatingPoint, RocCurveDisplay

__all__ = [
    "DetCurveDisplay",
    "GainCurveDisplay",
    "KsDisplay",
    "OperatingPoint",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
]
