"""What the functions of inference return, in SciPy's terms."""

from __future__ import annotations

import math
from typing import NamedTuple

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._tables import result

ALTERNATIVES = ("two-sided", "less", "greater")


@result
class Estimate(NamedTuple):
    """A number computed from a sample, and how sure it is.

    Attributes
    ----------
    statistic : float
        The value for the sample itself, as the function of that name returns it.
    standard_error : float
        Its estimated standard deviation over samples; NaN where the sample does not allow one.
    confidence_interval : ConfidenceInterval
        Its ends, ``low`` and ``high``.
    confidence_level : float
        The share of samples whose intervals hold the true value, as far as the method is right.
    method : str
        How the standard error and the interval were found.

    Examples
    --------
    >>> from fastauc import roc_auc_ci
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
