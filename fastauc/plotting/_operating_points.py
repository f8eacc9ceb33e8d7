"""Thresholds that displays mark: given as numbers, by a criterion, or as the best of one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastauc._counts.thresholds import OptimalThreshold
from fastauc._streaming.histogram import Counts, ScoreHistogram
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.options import is_real

# Criteria of ``optimal_threshold`` that need no other argument.
_CRITERIA = {
    "youden": "Youden",
    "balanced_accuracy": "balanced accuracy",
    "closest_topleft": "closest to (0, 1)",
    "accuracy": "accuracy",
    "f1": "F1",
}


class OperatingPoint(NamedTuple):
    """A threshold, and the point of the ROC curve it leads to.

    Attributes
    ----------
    threshold : float
        Rows scored at or above it are predicted positive.
    fpr, tpr : float
        The rates there.
    criterion : str or None
        By what it is best, if it was not given as a number.
    """

    threshold: float
    fpr: float
    tpr: float
    criterion: str | None = None

    def in_words(self) -> str:
        """Return the threshold with four digits, and what it is best by."""
        threshold = f"threshold {self.threshold:.4g}"
        return threshold if self.criterion is None else f"{self.criterion}: {threshold}"


OperatingPoint.__module__ = "fastauc.plotting"


def find_operating_points(counts: Counts, wanted: Any, function: str) -> list[OperatingPoint]:
    """Return the points of thresholds, of names of criteria, or of one of these alone."""
    if wanted is None:
        return []
    if isinstance(wanted, (str, OptimalThreshold)) or is_real(wanted):
        wanted = [wanted]
    if not isinstance(wanted, Sequence | np.ndarray):
        raise _unknown_point(wanted, function)
    return [_operating_point(counts, each, function) for each in wanted]


def _operating_point(counts: Counts, wanted: Any, function: str) -> OperatingPoint:
    criterion = None
    if isinstance(wanted, str):
        if wanted not in _CRITERIA:
            raise _unknown_point(wanted, function)
        criterion, wanted = _CRITERIA[wanted], counts.optimal_threshold(method=wanted)
    if isinstance(wanted, OptimalThreshold):
        return OperatingPoint(wanted.threshold, wanted.matrix.fpr, wanted.matrix.tpr, criterion)
    if not (is_real(wanted) and wanted == wanted):
        raise _unknown_point(wanted, function)
    if isinstance(counts, ScoreHistogram):
        counts = counts.confusion_counts()
        # Nothing is known inside a cell: the point is that of the next threshold that is known.
        known = counts.thresholds[counts.thresholds >= wanted]
        wanted = known[-1] if len(known) else math.inf
    matrix = counts.at(wanted)
    return OperatingPoint(float(wanted), matrix.fpr, matrix.tpr)


def _unknown_point(wanted: Any, function: str) -> Exception:
    names = ", ".join(repr(name) for name in _CRITERIA)
    expected = f"a threshold, an OptimalThreshold, a str among {{{names}}}, or a list of these"
    return invalid_parameter(function, "operating_points", expected, wanted)
