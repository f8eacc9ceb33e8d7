"""What the inference functions return, in SciPy's terms."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array
from fastauc._validation.literals import Alternative

ALTERNATIVES = get_args(Alternative)
NAN_INTERVAL = ConfidenceInterval(math.nan, math.nan)
GIVEN = {"fpr": "tpr", "tpr": "fpr", "recall": "precision", "threshold": "net_benefit"}
"""What is found at which rate."""


def one_row(found: Any) -> dict[str, Array]:
    """Return the numbers and words of a result as columns with one row."""
    columns: dict[str, Array] = {}
    for name, value in found._asdict().items():
        if isinstance(value, ConfidenceInterval):
            columns |= {end: np.array([bound]) for end, bound in value._asdict().items()}
        elif isinstance(value, (bool, int, float, str)):
            columns[name] = np.array([value])
    return columns


@result("fastauc.inference", one_row)
class Estimate(NamedTuple):
    """An estimate from a sample, with its standard error and confidence interval.

    Attributes
    ----------
    statistic : float
        The value for the sample, as returned by the metric's own function.
    standard_error : float
        Its estimated standard error, or the standard deviation of bootstrap replicates; NaN if it
        is undefined for the sample.
    confidence_interval : ConfidenceInterval
        Its bounds, ``low`` and ``high``; NaN if they are undefined for the sample.
    confidence_level : float
        The nominal coverage of the interval.
    method : str
        The method used for the standard error and the interval.
    bootstrap_distribution : float64 array of shape (n_resamples,) or None
        The value for each replicate of ``bootstrap_ci``.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_ci
    >>> estimate = roc_auc_ci([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> estimate
    statistic  standard_error       low      high  confidence_level  method
         0.75        0.353553  0.186349  0.975184              0.95  wilson
    >>> estimate.confidence_interval.low < estimate.statistic
    True
    """

    statistic: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    confidence_level: float
    method: str
    bootstrap_distribution: NDArray[np.float64] | None = None

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with one row."""
        return to_pandas(self)


@result("fastauc.inference", one_row)
class DifferenceTestResult(NamedTuple):
    """The test of a difference of two areas, or of another statistic, and its interval.

    Attributes
    ----------
    statistic : float
        The difference divided by its standard error; against a constant, by the one that the
        interval of ``roc_auc_ci`` assumes there. With a margin, how far the difference is within
        the margin, in standard errors.
    pvalue : float
        The probability of a statistic at least this extreme if there is no difference; with a
        margin, the maximum of it if they differ by the margin or more.
    difference : float
        The first statistic minus the second, or minus the constant.
    standard_error : float
        Of the difference.
    df : float
        Degrees of freedom of Student's t distribution; infinity for any other distribution.
    confidence_interval : ConfidenceInterval
        For the difference; with a one-sided alternative, one bound is the least or the greatest
        possible difference, and with "equivalence", each bound is that of a one-sided interval.
    method : str
        The method used.
    bootstrap_distribution : float64 array of shape (n_resamples,) or None
        The difference for each replicate of ``bootstrap_test``.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_test
    >>> result = roc_auc_test([0, 0, 1, 1], [1, 3, 2, 4], [1, 2, 2, 3])
    >>> result.difference, result.df, result.method
    (-0.125, inf, 'score')
    """

    statistic: float
    pvalue: float
    difference: float
    standard_error: float
    df: float
    confidence_interval: ConfidenceInterval
    method: str
    bootstrap_distribution: NDArray[np.float64] | None = None

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with one row."""
        return to_pandas(self)


@result("fastauc.inference")
class CurveInterval(NamedTuple):
    """A rate along a curve, with pointwise intervals or a simultaneous band.

    Attributes
    ----------
    at : float, or float64 array
        The given rates.
    statistic : float, or float64 array
        The rate of the sample there.
    low, high : float, or float64 array
        The bounds.
    given : str
        Which rate is given: "fpr" for the true positive rate, "tpr" for the false positive rate,
        "recall" for the precision, "threshold" for the net benefit.
    simultaneous : bool
        False: each interval contains the true value at its own rate with the nominal probability,
        and all of them together with a lower one. True: the band contains the whole true curve.
    confidence_level : float
        The nominal coverage.
    method : str
        The method used.

    Examples
    --------
    >>> from fastauc.inference import curve_ci
    >>> curve_ci([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0, 0.5])
    fpr  tpr  low      high
    0.0  0.5    0  0.951191
    0.5  1.0    0  1.000000
    <BLANKLINE>
    given fpr, simultaneous False, confidence_level 0.95, method binomial
    """

    at: float | NDArray[np.float64]
    statistic: float | NDArray[np.float64]
    low: float | NDArray[np.float64]
    high: float | NDArray[np.float64]
    given: str
    simultaneous: bool
    confidence_level: float
    method: str

    def _columns(self) -> dict[str, NDArray[np.float64]]:
        shown = {self.given: self.at, GIVEN[self.given]: self.statistic}
        shown |= {"low": self.low, "high": self.high}
        return {name: np.ravel(value) for name, value in shown.items()}

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each rate."""
        return to_pandas(self)


def untested(difference: float, method: str, **known: Any) -> DifferenceTestResult:
    """Return the result of a test that is undefined, except for what is known."""
    unknown = DifferenceTestResult(
        math.nan, math.nan, difference, math.nan, math.inf, NAN_INTERVAL, method
    )
    return unknown._replace(**known)
