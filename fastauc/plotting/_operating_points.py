"""Thresholds that displays mark: given as a number, as a criterion, or as an OptimalThreshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from fastauc._readings import Counts
from fastauc._validation.arrays import opposite_number
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.literals import ThresholdMethod
from fastauc._validation.options import is_real
from fastauc.metrics import OptimalThreshold
from fastauc.streaming import ScoreHistogram

# Criteria of ``optimal_threshold`` that need no other argument.
_CRITERIA = {
    "youden": "Youden",
    "balanced_accuracy": "balanced accuracy",
    "closest_topleft": "closest to (0, 1)",
    "accuracy": "accuracy",
    "f1": "F1",
    "equal_error_rate": "equal error rate",
}


class OperatingPoint(NamedTuple):
    """A threshold, and its point on the ROC curve.

    Attributes
    ----------
    threshold : float
        Rows scored at or above it are predicted positive.
    fpr, tpr : float
        The rates there.
    criterion : str or None
        The criterion by which it is best, unless it was given as a number.
    """

    threshold: float
    fpr: float
    tpr: float
    criterion: str | None = None

    def in_words(self) -> str:
        """Return the threshold with four digits, and its criterion."""
        threshold = f"threshold {self.threshold:.4g}"
        return threshold if self.criterion is None else f"{self.criterion}: {threshold}"


def find_operating_points(
    counts: Counts, wanted: Sequence[Any], function: str, higher_is_positive: bool
) -> list[OperatingPoint]:
    """Return the points of thresholds or criteria.

    Unless ``higher_is_positive``, the counts are those of the opposite scores; thresholds are not.
    """
    return [_operating_point(counts, each, function, higher_is_positive) for each in wanted]


def _operating_point(
    counts: Counts, wanted: Any, function: str, higher_is_positive: bool
) -> OperatingPoint:
    if isinstance(wanted, OptimalThreshold):
        return OperatingPoint(wanted.threshold, wanted.matrix.fpr, wanted.matrix.tpr)
    if isinstance(wanted, str):
        if wanted not in _CRITERIA:
            raise _unknown_point(wanted, function)
        best = counts.optimal_threshold(method=cast(ThresholdMethod, wanted))
        threshold = _turned(best.threshold, higher_is_positive)
        return OperatingPoint(threshold, best.matrix.fpr, best.matrix.tpr, _CRITERIA[wanted])
    if not (is_real(wanted) and wanted == wanted):
        raise _unknown_point(wanted, function)
    counted = _turned(wanted, higher_is_positive)
    if isinstance(counts, ScoreHistogram):
        counts = counts.confusion_counts()
        # Nothing is known within a bin: the point is that of the next known threshold.
        known = counts.thresholds[counts.thresholds >= counted]
        counted = known[-1] if len(known) else math.inf
    matrix = counts.at(counted)
    return OperatingPoint(float(_turned(counted, higher_is_positive)), matrix.fpr, matrix.tpr)


def _turned(threshold: Any, higher_is_positive: bool) -> Any:
    """Return a threshold of the scores as one of the counts, or the other way round."""
    return threshold if higher_is_positive else opposite_number(threshold)


def _unknown_point(wanted: Any, function: str) -> Exception:
    names = ", ".join(repr(name) for name in _CRITERIA)
    expected = f"a threshold, an OptimalThreshold, or a str among {{{names}}}"
    return invalid_parameter(function, "operating_point", expected, wanted)
