"""The ROC curve as a polyline: AUC, partial AUC, convex hull, and values at given rates."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.threshold_counts import (
    UNIT,
    ThresholdCounts,
    as_count,
    as_integers,
    at_thresholds,
    counts_at,
    exact_part,
    point_at,
    prepend,
    rates_of,
    words_of,
)
from fastauc._kernels import counts as _counts, wide_counts as _wide_counts
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.options import RateRange, Rates

_NONE_MIXED = np.empty(0, np.uint8)


def pairs_of(
    fps: Array, tps: Array, is_mixed: NDArray[np.uint8] = _NONE_MIXED
) -> tuple[int, int, int]:
    """Return the pairs of a positive and a lower negative, tied pairs, and those of mixed steps.

    In squared units if counts are words.
    """
    areas = np.zeros((3, 6), np.uint64)
    if len(fps):
        _wide_counts.count_pairs(words_of(fps), words_of(tps), is_mixed, areas)
    below, tied, mixed = as_integers(areas)
    return below, tied, mixed


def twice_area(fps: Array, tps: Array) -> Fraction:
    """Return twice the area under the polyline through (0, 0) and the counts."""
    if fps.dtype.kind == "f":
        high, low = _counts.twice_area(fps, tps)
        return Fraction(high) + Fraction(low)
    if fps.dtype == object:
        return as_fraction(np.dot(np.diff(fps, prepend=0), tps + np.append(0, tps[:-1])))
    concordant, tied, _ = pairs_of(fps, tps)
    return Fraction(2 * concordant + tied) * (UNIT**2 if fps.ndim == 2 else 1)


def scaled(counts: Array) -> Array:
    """Return sums of weights scaled by a power of two that brings the largest near 2^400.

    The scaling is exact and preserves ratios, and no product of two sums can overflow.
    """
    if counts.dtype.kind != "f":
        return counts
    _, exponent = math.frexp(counts[-1])
    return np.ldexp(counts, 400 - exponent)


def area(fps: Array, tps: Array) -> Fraction:
    """Return the AUC from counts of both classes."""
    fps, tps = scaled(fps), scaled(tps)
    whole = 2 * as_count(tps[-1]) * as_count(fps[-1])
    return min(twice_area(fps, tps) / whole, Fraction(1))


def tied_share(counts: ThresholdCounts) -> float:
    """Return the share of positive-negative pairs that are tied; NaN without both classes."""
    fps, tps, *_ = counts
    if warn_if_undefined(tps[-1], fps[-1]):
        return math.nan
    pairs = as_count(tps[-1]) * as_count(fps[-1])
    if fps.dtype.kind == "f":
        return float(as_fraction((np.diff(fps, prepend=0) * np.diff(tps, prepend=0)).sum()) / pairs)
    return float(pairs_of(fps, tps)[1] / pairs)


def area_to(fps: Array, tps: Array, limit: Fraction) -> Fraction:
    """Return the area under the ROC curve from 0 to a false positive rate; assumes both classes.

    Between two points, the curve is interpolated linearly.
    """
    if limit == 1:
        return area(fps, tps)
    fps, tps = scaled(fps), scaled(tps)
    n_pos, n_neg = as_count(tps[-1]), as_count(fps[-1])
    stop = bisect_right(fps, limit * n_neg, key=as_count)  # < len(fps), as the limit is below 1
    points = *point_at(fps, tps, stop - 1), *point_at(fps, tps, stop)
    return area_past(twice_area(fps[:stop], tps[:stop]), points, (n_neg, n_pos), limit)


def area_past(
    twice_u: Any, points: tuple[Any, ...], totals: tuple[Any, Any], limit: Fraction
) -> Fraction:
    """Return the area to a false positive rate, for a curve known up to the last point before it.

    ``points`` are the exact counts ``fp, tp`` at this point and at the next one, ``totals`` those
    at the last one, and ``twice_u`` is twice the area up to this point.
    """
    fp, tp, next_fp, next_tp = points
    run = limit * totals[0] - fp
    twice_u += run * (2 * tp + Fraction(next_tp - tp) / Fraction(next_fp - fp) * run)
    return Fraction(twice_u) / Fraction(2 * totals[0] * totals[1])


def standardize(part: Fraction, lower: Fraction, upper: Fraction) -> Fraction:
    """Return the standardized area between two rates, for which chance is 1/2 and perfect is 1.

    McClish (1989) for ``lower`` = 0: (1 + (part - min) / (max - min)) / 2, where min is the area
    under the diagonal and max that of all between the two rates.
    """
    least, most = (upper**2 - lower**2) / 2, upper - lower
    return (1 + (part - least) / (most - least)) / 2


def rounded_area(area: Fraction, part: RateRange, standardized: bool = True) -> float:
    """Return a partial area, standardized or not, rounded once."""
    return float(standardize(area, *part.fpr_interval) if standardized else area)


def swap_classes(fps: Array, tps: Array) -> tuple[Array, Array]:
    """Return the counts of the same rows with classes swapped and the order of scores reversed.

    This reflects the curve across the other diagonal: a point (fpr, tpr) moves to (1 - tpr, 1 -
    fpr), and the area right of the curve, below the top, becomes the area under it.
    """
    turned_fps, turned_tps = np.empty_like(tps), np.empty_like(fps)
    turned_fps[-1], turned_tps[-1] = tps[-1], fps[-1]
    np.subtract(tps[-1], tps[-2::-1], out=turned_fps[:-1])
    np.subtract(fps[-1], fps[-2::-1], out=turned_tps[:-1])
    return turned_fps, turned_tps


def area_of_part(fps: Array, tps: Array, part: RateRange) -> tuple[Fraction, RateRange]:
    """Return the partial area: under the curve, or right of it for a range of ``tpr``.

    Also return the range of the exact rates.
    """
    part = exact_part(part, fps[-1], tps[-1])
    if part.rate == "tpr":
        fps, tps = swap_classes(fps, tps)
    lower, upper = part.fpr_interval
    return area_to(fps, tps, upper) - area_to(fps, tps, lower), part


def log_area_of_part(fps: Array, tps: Array, part: RateRange, standardized: bool) -> float:
    """Return the area under the ROC curve over log10 of the false positive rate.

    Standardized, it is divided by the width in decades. On a segment y = tp + slope (x - fp), the
    integral of y / x is tp ln(1 + r) + slope (run - fp ln(1 + r)), where r = run / fp.
    """
    n_neg, n_pos = as_count(fps[-1]), as_count(tps[-1])
    part = exact_part(part, fps[-1], tps[-1])
    lower, upper = float(part.lower * n_neg), float(part.upper * n_neg)
    first, last = np.searchsorted(fps, lower, "right"), np.searchsorted(fps, upper, "left") + 1
    fp, tp = (prepend(0, each)[first : last + 1] for each in (fps, tps))
    is_run = np.diff(fp) > 0
    fp, tp, end, rise = fp[:-1][is_run], tp[:-1][is_run], fp[1:][is_run], np.diff(tp)[is_run]
    slope, start = rise / (end - fp), np.maximum(fp, lower)
    tp, run = tp + slope * (start - fp), np.minimum(end, upper) - start
    logs = np.log1p(run / start)
    area = math.fsum((tp * logs + slope * (run - start * logs)).tolist()) / float(n_pos)
    return area / (math.log(part.upper / part.lower) if standardized else math.log(10))


# Curves -----------------------------------------------------------------------------------------


def whole_numbers(counts: Array) -> Array:
    """Return counts unchanged, and weights scaled by a power of two that makes them integers."""
    if counts.dtype == object:
        return counts
    digits, exponents = np.frexp(counts)
    shifts = exponents.astype(object) - int(exponents.min(initial=0, where=counts > 0))
    whole: Array = (digits * 2.0**53).astype(np.int64).astype(object) << np.where(
        counts > 0, shifts, 0
    )
    return whole


@result("fastauc.metrics")
class ConvexHull(NamedTuple):
    """The convex hull of a ROC curve: the rates of thresholds and of random choices between them.

    Attributes
    ----------
    fpr, tpr : float64 arrays of shape (n_points,)
        The vertices, from (0, 0) to (1, 1). No three of them are collinear.
    thresholds : float64 array of shape (n_points,)
        Strictly decreasing, starting at infinity.
    auc : float
        The area under the hull, correctly rounded if the counts are integers.

    Examples
    --------
    >>> from fastauc.metrics import roc_convex_hull
    >>> hull = roc_convex_hull([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> hull.fpr, hull.tpr
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    >>> hull.auc
    0.875
    """

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    auc: float

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each vertex."""
        return to_pandas(self)


def hull_of(counts: ThresholdCounts) -> ConvexHull:
    """Return the convex hull of the ROC curve; rates and AUC are NaN without both classes."""
    fps, tps, thresholds, *_ = counts
    corners = np.empty(len(fps), np.int64)
    n_corners = _counts.hull_corners(scaled(fps), scaled(tps), corners)
    kept = corners[:n_corners]
    found = at_thresholds(fps[kept], tps[kept], thresholds[kept])
    undefined = warn_if_undefined(tps[-1], fps[-1])
    tpr, fpr = rates_of(found.tps), rates_of(found.fps)
    if undefined:
        fpr[0], tpr[0] = fpr[1], tpr[1]
    hull_area = math.nan if undefined else float(area(found.fps, found.tps))
    return ConvexHull(fpr, tpr, prepend(math.inf, found.lows), hull_area)


def map_rates(
    rates: Rates, at: Callable[[Fraction], Any], is_defined: bool = True
) -> float | NDArray[np.float64]:
    """Return the values of a function at the rates: a float for one rate, else an array."""
    found = [float(at(rate)) if is_defined else math.nan for rate in rates.values]
    return found[0] if rates.shape is None else np.array(found, np.float64).reshape(rates.shape)


def tpr_at(fps: Array, tps: Array, fpr: Fraction, interpolation: str) -> Fraction:
    """Return the highest true positive rate at a false positive rate.

    Assumes both classes. With "step", that of the best threshold with no more false positives.
    """
    cut = counts_at(fpr, fps)[1]
    stop = bisect_right(fps, cut, key=as_count)
    fp, tp = point_at(fps, tps, stop - 1)
    if interpolation == "linear" and stop < len(fps):
        next_fp, next_tp = point_at(fps, tps, stop)
        tp += (cut - fp) * (next_tp - tp) / (next_fp - fp)
    return tp / as_count(tps[-1])


def mean_tpr_at(fps: Array, tps: Array, fpr: Fraction) -> Fraction:
    """Return the mean of the highest and the lowest true positive rate at a false positive rate."""
    cut = counts_at(fpr, fps)[0]
    highest = tpr_at(fps, tps, fpr, "linear")
    row = bisect_left(fps, cut, key=as_count)
    if as_count(fps[row]) != cut:
        return highest
    return (highest + as_count(tps[row]) / as_count(tps[-1])) / 2


def fps_at(fps: Array, tps: Array, tpr: Fraction, interpolation: str) -> Fraction:
    """Return the lowest count of false positives at a true positive rate.

    Assumes positives. With "step", that of the best threshold with no fewer true positives.
    """
    if tpr == 0:
        return Fraction(0)
    cut = counts_at(tpr, tps)[0]
    row = bisect_left(tps, cut, key=as_count)
    fp, tp = point_at(fps, tps, row)
    if interpolation == "linear":
        last_fp, last_tp = point_at(fps, tps, row - 1)
        fp = last_fp + (cut - last_tp) * (fp - last_fp) / (tp - last_tp)
    return fp


def tprs_at(counts: ThresholdCounts, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the true positive rate at each false positive rate; NaN without both classes."""
    fps, tps, *_ = counts
    is_defined = not warn_if_undefined(tps[-1], fps[-1])
    return map_rates(rates, lambda rate: tpr_at(fps, tps, rate, how), is_defined)


def fprs_at(counts: ThresholdCounts, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the false positive rate at each true positive rate; NaN without both classes."""
    fps, tps, *_ = counts
    is_defined, n_neg = not warn_if_undefined(tps[-1], fps[-1]), as_count(fps[-1])
    return map_rates(rates, lambda rate: fps_at(fps, tps, rate, how) / n_neg, is_defined)


def precisions_at(counts: ThresholdCounts, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the precision at each recall above 0; NaN without positives."""
    fps, tps, *_ = counts
    is_defined = not warn_if_undefined(tps[-1], 1)
    # Precision may increase again: the maximum over a threshold and all those below it.
    with np.errstate(invalid="ignore"):
        best = np.maximum.accumulate((tps / (tps + fps))[::-1])[::-1]

    def at(recall: Fraction) -> Any:
        tp = counts_at(recall, tps)[0]
        if how == "linear":
            return tp / (tp + fps_at(fps, tps, recall, how))
        return best[bisect_left(tps, tp, key=as_count)]

    return map_rates(rates, at, is_defined)
