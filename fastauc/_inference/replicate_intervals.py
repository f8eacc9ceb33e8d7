"""Intervals from the distribution of a statistic over replicates of its sample."""

import math
from statistics import NormalDist

import numpy as np

from fastauc._inference.resampling import Doubles
from fastauc._inference.results import ConfidenceInterval

_NORMAL = NormalDist()


def tails(confidence_level: float) -> tuple[float, float]:
    """Return the probabilities below the two ends of an interval."""
    return (1 - confidence_level) / 2, (1 + confidence_level) / 2


def standard_error(values: Doubles) -> float:
    """Return the standard deviation of replicates."""
    return float(np.std(values, ddof=1))


def percentile_interval(values: Doubles, confidence_level: float) -> ConfidenceInterval:
    """Return two quantiles of replicates, between neighbors where they fall there."""
    return ConfidenceInterval(*np.quantile(values, tails(confidence_level)).tolist())


def basic_interval(
    values: Doubles, statistic: float, confidence_level: float
) -> ConfidenceInterval:
    """Return the percentile interval reflected at the statistic, as far as it is in [0, 1]."""
    low, high = percentile_interval(values, confidence_level)
    return ConfidenceInterval(max(2 * statistic - high, 0.0), min(2 * statistic - low, 1.0))


def bca_interval(
    values: Doubles, statistic: float, acceleration: float, confidence_level: float
) -> ConfidenceInterval:
    """Return the bias-corrected and accelerated interval; NaN where there is none.

    Efron, J. Am. Stat. Assoc. 82 (1987) 171, eq. 2.3; replicates equal to the statistic count one
    half.
    """
    n_below = np.count_nonzero(values < statistic)
    share = (n_below + np.count_nonzero(values <= statistic)) / (2 * len(values))
    if not (0 < share < 1) or math.isnan(acceleration):
        return ConfidenceInterval(math.nan, math.nan)
    bias = _NORMAL.inv_cdf(share)
    levels = []
    for tail in tails(confidence_level):
        shifted = bias + _NORMAL.inv_cdf(tail)
        divisor = 1 - acceleration * shifted
        if divisor <= 0:  # beyond the pole of the formula
            return ConfidenceInterval(math.nan, math.nan)
        levels.append(_NORMAL.cdf(bias + shifted / divisor))
    return ConfidenceInterval(*np.quantile(values, levels).tolist())
