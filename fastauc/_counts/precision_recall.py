"""Areas under the precision-recall curve, from the counts at every threshold."""

import math
from fractions import Fraction

import numpy as np

from fastauc._counts.areas import exact
from fastauc._kernels import curves as _curves, precision_areas as _precision_areas
from fastauc._validation.arrays import Array
from fastauc._validation.errors import warn_user
from fastauc._validation.samples import BinarySample

PRECISION_INTERPOLATIONS = ("step", "linear", "davis-goadrich")


def mean_precision(fps: Array, tps: Array) -> float:
    """Return the precision at each threshold averaged with the growth of recall as its weight.

    0 without positives.
    """
    if tps[-1] == 0:
        return 0.0
    if tps.dtype.kind != "f":
        return mean_of_total(_curves.sum_precision(fps, tps), int(tps[-1]))
    # Sums of weights may be near the end of the range of a double.
    unit = math.ldexp(1.0, min(1000, -math.frexp(tps[-1])[1]))
    high, low = _curves.weigh_precision(fps, tps, unit)
    mean = (Fraction(high) + Fraction(low)) / (exact(tps[-1]) * Fraction(unit))
    return float(min(mean, Fraction(1)))


def mean_of_total(total: int, n_pos: int) -> float:
    """Return the mean of the precisions of ``n_pos`` rows that add up to ``total`` / 2^111."""
    return min(total / (n_pos << 111), 1.0)  # Python divides integers with a single rounding


def precision_area(
    fps: Array, tps: Array, interpolation: str, prevalence: Fraction | None
) -> float:
    """Return the area under the precision-recall curve, where positives are so frequent or as here.

    NaN without positives; with a prevalence, also without negatives.
    """
    if tps[-1] == 0 or (prevalence is not None and fps[-1] == 0):
        return math.nan
    if prevalence is None:
        if interpolation == "step":
            return mean_precision(fps, tps)
        # A power of two, so that no digit changes and no sum of weights overflows.
        unit = math.ldexp(0.5, -math.frexp(max(float(fps[-1]), float(tps[-1])))[1])
        positives, of_neg, of_pos = float(tps[-1]) * unit, unit, unit
    else:
        positives = float(prevalence)
        of_pos = float(prevalence / exact(tps[-1]))
        of_neg = float((1 - prevalence) / exact(fps[-1]))
    fps, tps = (
        np.multiply(fps, of_neg, dtype=np.float64),
        np.multiply(tps, of_pos, dtype=np.float64),
    )
    if interpolation == "step":
        total = sum(_curves.weigh_precision(fps, tps, 1.0))
    elif interpolation == "linear":
        total = _precision_areas.linear_area(fps, tps)
    else:
        total = _precision_areas.curved_area(fps, tps)
    return min(total / positives, 1.0)


def warn_no_positives(sample: BinarySample) -> None:
    warn_if_no_positives(sample.n_pos)


def warn_if_no_positives(n_pos: float) -> None:
    """Warn as scikit-learn's ``precision_recall_curve`` does."""
    if n_pos == 0:
        warn_user("No positive class found in y_true, recall is set to one for all thresholds.")
