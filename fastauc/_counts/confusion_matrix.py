"""The counts at one threshold.

A row is predicted positive when its score is at or above the threshold.
"""

from __future__ import annotations

import math
from typing import NamedTuple


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


class ConfusionMatrix(NamedTuple):
    """The four counts at one threshold, and the rates made of them; 0 / 0 is NaN.

    Attributes
    ----------
    tn, fp, fn, tp : int or float
        True negatives, false positives, false negatives, true positives; sums of weights if the
        sample is weighted.

    Examples
    --------
    >>> from fastauc import ConfusionMatrix
    >>> matrix = ConfusionMatrix(tn=3, fp=1, fn=1, tp=2)
    >>> matrix.specificity, matrix.accuracy
    (0.75, 0.7142857142857143)
    """

    tn: float
    fp: float
    fn: float
    tp: float

    @property
    def tpr(self) -> float:
        """True positive rate: the share of the positives that is found."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def recall(self) -> float:
        """The same as ``tpr``."""
        return self.tpr

    @property
    def sensitivity(self) -> float:
        """The same as ``tpr``."""
        return self.tpr

    @property
    def fpr(self) -> float:
        """False positive rate: the share of the negatives that raises an alarm."""
        return _ratio(self.fp, self.fp + self.tn)

    @property
    def tnr(self) -> float:
        """True negative rate: the share of the negatives that is left alone."""
        return _ratio(self.tn, self.fp + self.tn)

    @property
    def specificity(self) -> float:
        """The same as ``tnr``."""
        return self.tnr

    @property
    def fnr(self) -> float:
        """False negative rate: the share of the positives that is missed."""
        return _ratio(self.fn, self.tp + self.fn)

    @property
    def precision(self) -> float:
        """The share of the predicted positives that is positive."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def accuracy(self) -> float:
        """The share of the rows whose class is predicted."""
        return _ratio(self.tp + self.tn, sum(self))

    @property
    def balanced_accuracy(self) -> float:
        """The mean of ``tpr`` and ``tnr``: the area under the ROC curve of this one threshold."""
        return (self.tpr + self.tnr) / 2


ConfusionMatrix.__module__ = "fastauc"
