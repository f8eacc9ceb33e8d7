"""What the inference functions return, in SciPy's terms."""

from __future__ import annotations

import math
from typing import NamedTuple

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._tables import result

ALTERNATIVES = ("two-sided", "less", "greater")


@result("fastauc.inference")
class Estimate(NamedTuple):
    """An estimate from a sample, with its standard error and confidence interval.

    Attributes
    ----------
    statistic : float
        The value for the sample, as returned by the metric's own function.
    standard_error : float
        Its estimated standard error; NaN if it is undefined for the sample.
    confidence_interval : ConfidenceInterval
        Its bounds, ``low`` and ``high``.
    confidence_level : float
        The nominal coverage of the interval.
    method : str
        The method used for the standard error and the interval.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_ci
    >>> estimate = roc_auc_ci([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> estimate.statistic, estimate.method
    (0.75, 'wilson')
    """

    statistic: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    confidence_level: float
    method: str


NAN_INTERVAL = ConfidenceInterval(math.nan, math.nan)
