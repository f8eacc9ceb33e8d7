"""Points of the ROC curve: where a rate is reached, and the corners of its convex hull.

From the counts at every threshold, in exact fractions. The curve is the polyline through (0, 0) and
the counts: a point on the line between two thresholds is reached by drawing lots between them.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.areas import area, exact, scaled
from fastauc._kernels import curves as _curves
from fastauc._validation.arrays import Array
from fastauc._validation.rates import Rates


class ConvexHull(NamedTuple):
    """The convex hull of a ROC curve: the best that thresholds, and lots between them, can do.

    Attributes
    ----------
    fpr, tpr : float64 arrays of shape (n_points,)
        The corners, from (0, 0) to (1, 1). No three of them are on a line.
    thresholds : float64 array of shape (n_points,)
        Strictly decreasing, from infinity.
    area : float
        The area under the hull, correctly rounded if the counts are integers.

    Examples
    --------
    >>> from fastauc import roc_convex_hull
    >>> hull = roc_convex_hull([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> hull.fpr, hull.tpr
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    >>> hull.area
    0.875
    """

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    area: float


def hull_of(fps: Array, tps: Array, thresholds: Array) -> ConvexHull:
    """Return the convex hull of the ROC curve; NaN rates and area without both classes."""
    corners = np.empty(len(fps), np.int64)
    n_corners = _curves.hull_corners(scaled(fps), scaled(tps), corners)
    kept = corners[:n_corners]
    fps, tps = fps[kept], tps[kept]
    undefined = fps[-1] == 0 or tps[-1] == 0
    fpr, tpr, scores = (np.empty(n_corners + 1) for _ in range(3))
    fpr[0], tpr[0], scores[0] = 0, 0, math.inf
    np.divide(fps, fps[-1] or math.nan, out=fpr[1:])
    np.divide(tps, tps[-1] or math.nan, out=tpr[1:])
    scores[1:] = thresholds[kept]
    if undefined:
        fpr[0], tpr[0] = fpr[1], tpr[1]
    return ConvexHull(fpr, tpr, scores, math.nan if undefined else float(area(fps, tps)))


def reading(rates: Rates, at: Callable[[Fraction], float]) -> float | NDArray[np.float64]:
    """Return a number for each rate, in the shape of the rates."""
    found = [at(rate) for rate in rates.values]
    return found[0] if rates.shape is None else np.array(found, np.float64).reshape(rates.shape)


def tpr_at(fps: Array, tps: Array, fpr: Fraction, interpolation: str) -> Fraction:
    """Return the highest true positive rate that goes with a false positive rate.

    Assumes both classes. By steps, that of the best threshold which has no more false positives.
    """
    cut = fpr * exact(fps[-1])
    stop = bisect_right(fps, cut, key=exact)
    fp, tp = (exact(fps[stop - 1]), exact(tps[stop - 1])) if stop else (Fraction(0), Fraction(0))
    if interpolation == "linear" and stop < len(fps):
        tp += (cut - fp) * (exact(tps[stop]) - tp) / (exact(fps[stop]) - fp)
    return tp / exact(tps[-1])


def tpr_amid(fps: Array, tps: Array, fpr: Fraction) -> Fraction:
    """Return the mean of the highest and the lowest true positive rate at a false positive rate."""
    cut = fpr * exact(fps[-1])
    highest = tpr_at(fps, tps, fpr, "linear")
    row = bisect_left(fps, cut, key=exact)
    if exact(fps[row]) != cut:
        return highest
    return (highest + exact(tps[row]) / exact(tps[-1])) / 2


def fps_at(fps: Array, tps: Array, tpr: Fraction, interpolation: str) -> Fraction:
    """Return the least count of false positives that goes with a true positive rate.

    Assumes positives. By steps, that of the best threshold which finds no fewer of them.
    """
    cut = tpr * exact(tps[-1])
    if cut == 0:
        return Fraction(0)
    row = bisect_left(tps, cut, key=exact)
    fp, tp = exact(fps[row]), exact(tps[row])
    if interpolation == "linear":
        last_fp = exact(fps[row - 1]) if row else Fraction(0)
        last_tp = exact(tps[row - 1]) if row else Fraction(0)
        fp = last_fp + (cut - last_tp) * (fp - last_fp) / (tp - last_tp)
    return fp


def tprs_at(fps: Array, tps: Array, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the true positive rate at each false positive rate; NaN without both classes."""
    if fps[-1] == 0 or tps[-1] == 0:
        return reading(rates, lambda _: math.nan)
    return reading(rates, lambda rate: float(tpr_at(fps, tps, rate, how)))


def fprs_at(fps: Array, tps: Array, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the false positive rate at each true positive rate; NaN without both classes."""
    if fps[-1] == 0 or tps[-1] == 0:
        return reading(rates, lambda _: math.nan)
    n_neg = exact(fps[-1])
    return reading(rates, lambda rate: float(fps_at(fps, tps, rate, how) / n_neg))


def precisions_at(fps: Array, tps: Array, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the precision at each recall above 0; NaN without positives."""
    if tps[-1] == 0:
        return reading(rates, lambda _: math.nan)
    n_pos = exact(tps[-1])
    if how == "linear":

        def on_the_line(recall: Fraction) -> float:
            tp = recall * n_pos
            return float(tp / (tp + fps_at(fps, tps, recall, how)))

        return reading(rates, on_the_line)
    # Precision may rise again: the best of a threshold and of all those below it.
    with np.errstate(invalid="ignore"):
        best = np.maximum.accumulate((tps / (tps + fps))[::-1])[::-1]
    return reading(rates, lambda recall: float(best[bisect_left(tps, recall * n_pos, key=exact)]))
