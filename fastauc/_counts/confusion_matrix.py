"""The confusion matrix at one threshold, and its rates with their intervals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fastauc._counts.proportions import ConfidenceInterval, Ends, quotient_ends, share_ends
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.literals import ProportionMethod
from fastauc._validation.options import check_confidence_level, check_literal, check_numbers_of_rows


def _ratio(part: Any, whole: Any) -> float:
    """Return a quotient, rounded once; 0 / 0 is NaN."""
    try:
        return float(part / whole) if whole else float(part) * math.inf
    except OverflowError:  # for sums of extreme weights
        return math.inf


def _exactly(part: float, rest: float) -> Fraction | float:
    """Return a share as a fraction; NaN for 0 / 0 and for counts that are NaN."""
    if not part + rest > 0:
        return math.nan
    return as_fraction(part) / (as_fraction(part) + as_fraction(rest))


@result("fastauc.metrics")
class ConfusionIntervals(NamedTuple):
    """The confidence intervals of the rates at a threshold.

    Attributes
    ----------
    sensitivity, specificity, precision, npv, accuracy, f1 : ConfidenceInterval
        NaN if the rate is NaN.
    positive_likelihood_ratio, negative_likelihood_ratio : ConfidenceInterval
        From 0 if the ratio is 0, and to infinity if it is infinite.

    Examples
    --------
    >>> from fastauc import ConfusionMatrix
    >>> intervals = ConfusionMatrix(tn=45, fp=5, fn=10, tp=40).intervals()
    >>> [round(end, 3) for end in intervals.sensitivity]
    [0.67, 0.888]
    """

    sensitivity: ConfidenceInterval
    specificity: ConfidenceInterval
    precision: ConfidenceInterval
    npv: ConfidenceInterval
    accuracy: ConfidenceInterval
    f1: ConfidenceInterval
    positive_likelihood_ratio: ConfidenceInterval
    negative_likelihood_ratio: ConfidenceInterval

    def _columns(self) -> dict[str, Array]:
        low, high = np.array(self, float).T
        return {"rate": np.array(self._fields), "low": low, "high": high}

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each rate."""
        return to_pandas(self)


@result("fastauc.metrics")
class ConfusionMatrix(NamedTuple):
    """The confusion matrix at one threshold, and the rates derived from it; 0 / 0 is NaN.

    For integer counts, every rate is the double nearest to the exact quotient.

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
        """True positive rate: the share of the positives that are predicted positive."""
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
        """False positive rate: the share of the negatives that are predicted positive."""
        return _ratio(self.fp, self.fp + self.tn)

    @property
    def tnr(self) -> float:
        """True negative rate: the share of the negatives that are predicted negative."""
        return _ratio(self.tn, self.fp + self.tn)

    @property
    def specificity(self) -> float:
        """The same as ``tnr``."""
        return self.tnr

    @property
    def fnr(self) -> float:
        """False negative rate: the share of the positives that are predicted negative."""
        return _ratio(self.fn, self.tp + self.fn)

    @property
    def precision(self) -> float:
        """The share of the predicted positives that are positive."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def accuracy(self) -> float:
        """The share of the rows that are predicted correctly."""
        return _ratio(self.tp + self.tn, self.tn + self.fp + self.fn + self.tp)

    @property
    def balanced_accuracy(self) -> float:
        """The mean of ``tpr`` and ``tnr``: the AUC of the predictions at this threshold."""
        return float((_exactly(self.tp, self.fn) + _exactly(self.tn, self.fp)) / 2)

    @property
    def npv(self) -> float:
        """Negative predictive value: the share of the predicted negatives that are negative."""
        return _ratio(self.tn, self.tn + self.fn)

    @property
    def f1(self) -> float:
        """The harmonic mean of ``precision`` and ``recall``."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def positive_likelihood_ratio(self) -> float:
        """``tpr / fpr``; infinite without false positives."""
        return _ratio(_exactly(self.tp, self.fn), _exactly(self.fp, self.tn))

    @property
    def negative_likelihood_ratio(self) -> float:
        """``fnr / tnr``; infinite without true negatives."""
        return _ratio(_exactly(self.fn, self.tp), _exactly(self.tn, self.fp))

    def intervals(
        self, *, method: ProportionMethod = "wilson", confidence_level: float = 0.95
    ) -> ConfusionIntervals:
        """Return the confidence intervals of the rates.

        Parameters
        ----------
        method : {"wilson", "beta"}
            For proportions: "wilson" has a coverage of ``confidence_level`` on average; "beta", the
            Clopper-Pearson interval, of at least that. statsmodels uses the same names.
        confidence_level : float in (0, 1)
            The nominal coverage of the intervals.

        Returns
        -------
        ConfusionIntervals
            Each is a ``ConfidenceInterval``; NaN if the rate is 0 / 0.

        Raises
        ------
        InvalidParameterError
            For counts that are sums of weights, and for an invalid option.

        Notes
        -----
        The threshold is treated as fixed: if it was chosen as the best on the same rows, its rates
        are better here than on new rows, and no interval accounts for that.

        F1 is 2 J / (1 + J), where J is the share of true positives among all rows except the true
        negatives, and its interval is J's interval on this scale [1]_. Like the intervals of
        predictive values and accuracy, it assumes that rows are sampled regardless of their class.
        Likelihood ratios have Koopman's score interval [2]_, whatever the method.

        Coverage of each method: "Rates at a threshold" on the page "Which interval or test to use"
        of the manual.

        References
        ----------
        .. [1] K. F. Y. Lam, V. Gopal and J. Qian, "Confidence intervals for the F1 score: a
           comparison of four methods", arXiv:2309.14621 (2023).
        .. [2] P. A. R. Koopman, "Confidence intervals for the ratio of two binomial proportions",
           Biometrics 40 (1984) 513-517.

        Examples
        --------
        >>> from fastauc import ConfusionMatrix
        >>> intervals = ConfusionMatrix(tn=50, fp=0, fn=10, tp=40).intervals(method="beta")
        >>> [round(end, 3) for end in intervals.specificity]
        [0.929, 1.0]
        >>> [round(end, 1) for end in intervals.positive_likelihood_ratio]
        [11.2, inf]
        """
        check_numbers_of_rows(self._asdict(), "intervals")
        tn, fp, fn, tp = (np.array(float(count)) for count in self)
        rates = rates_with_ends(tn, fp, fn, tp, method, confidence_level)
        return ConfusionIntervals(
            *(ConfidenceInterval(float(low), float(high)) for _, _, (low, high) in rates)
        )


def rates_with_ends(
    tn: Array, fp: Array, fn: Array, tp: Array, method: str, level: Any
) -> list[tuple[str, Array, Ends]]:
    """Return the name of each field of ``ConfusionIntervals``, the rate, and its bounds."""
    check_literal(method, "method", ProportionMethod, "intervals")
    check_confidence_level(level, "intervals")
    positives, negatives = tp + fn, fp + tn
    shares = {
        "sensitivity": (tp, positives),
        "specificity": (tn, negatives),
        "precision": (tp, tp + fp),
        "npv": (tn, tn + fn),
        "accuracy": (tp + tn, positives + negatives),
        "f1": (tp, tp + fp + fn),
    }
    quotients = {
        "positive_likelihood_ratio": ((tp, positives), (fp, negatives)),
        "negative_likelihood_ratio": ((fn, positives), (tn, negatives)),
    }
    found: list[tuple[str, Array, Ends]] = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, (part, whole) in shares.items():
            rate, ends = part / whole, share_ends(part, whole, method, float(level))
            if name == "f1":
                rate = 2 * part / (whole + part)
                ends = tuple(2 * end / (1 + end) for end in ends)
            found.append((name, rate, ends))
        for name, (first, second) in quotients.items():
            rate = (first[0] * second[1]) / (first[1] * second[0])
            found.append((name, rate, quotient_ends(first, second, float(level))))
    return found
