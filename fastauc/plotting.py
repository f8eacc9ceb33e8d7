"""Pictures of curves, tables and thresholds, by matplotlib: scikit-learn's kind of displays."""

from fastauc.plotting_curves import OperatingPoint, RocCurveDisplay
from fastauc.plotting_gains import GainCurveDisplay, KsDisplay

__all__ = [
    "GainCurveDisplay",
    "KsDisplay",
    "OperatingPoint",
    "RocCurveDisplay",
]
