"""The ROC curve as a polyline: AUC, partial AUC, convex hull, and values at given rates."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.fixed_weights import UNIT, as_count, as_integers, words_of
from fastauc._counts.rates import counts_at, exact_part
from fastauc._kernels import counts as _counts, wide_counts as _wide_counts
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.options import RateRange, Rates

_NONE_MIXED = np.empty(0, np.uint8)


def pairs_of(
    fps: Array, tps: Array, is_mixed: NDArray[np.uint8] = _NONE_MIXED
) -> tuple[int, int, int]:
    """Return the pairs of a positive and a lower negative, tied pairs, and those of mixed steps.

    In squared units if counts are words.
    """
    areas = np.zeros((3, 6), np.uint64)
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


def tied_share(fps: Array, tps: Array) -> float:
    """Return the share of positive-negative pairs that are tied; NaN without both classes."""
    pairs = as_count(tps[-1]) * as_count(fps[-1])
    if pairs == 0:
        return math.nan
    if fps.dtype.kind == "f":
        return float(as_fraction((np.diff(fps, prepend=0) * np.diff(tps, prepend=0)).sum()) / pairs)
    return float(pairs_of(fps, tps)[1] / pairs)


def point_at(fps: Array, tps: Array, k: int) -> tuple[Fraction, Fraction]:
    """Return the counts at the k-th threshold, exactly; at -1, those above all scores."""
    return (as_count(fps[k]), as_count(tps[k])) if k >= 0 else (Fraction(0), Fraction(0))


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


def standard_area(area: Fraction, part: RateRange) -> float:
    """Return the standardized partial area, rounded once."""
    return float(standardize(area, *part.fpr_interval))


def partial_area(fps: Array, tps: Array, max_fpr: float) -> float:
    """Return the standardized area up to ``max_fpr``, rounded once."""
    part = RateRange("fpr", Fraction(0), as_fraction(max_fpr))
    return standard_area(*area_of_part(fps, tps, part))


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


# Curves -----------------------------------------------------------------------------------------


def prepend(first: float, array: Array) -> NDArray[np.float64]:
    """Return a float64 array of ``first`` followed by the others."""
    whole = np.empty(len(array) + 1)
    whole[0] = first
    whole[1:] = array
    return whole


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
    """The convex hull of a ROC curve: what thresholds, and random choices between them, achieve.

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


def hull_of(fps: Array, tps: Array, thresholds: Array) -> ConvexHull:
    """Return the convex hull of the ROC curve; rates and AUC are NaN without both classes."""
    corners = np.empty(len(fps), np.int64)
    n_corners = _counts.hull_corners(scaled(fps), scaled(tps), corners)
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


def map_rates(rates: Rates, at: Callable[[Fraction], float]) -> float | NDArray[np.float64]:
    """Return the values of a function at the rates: a float for one rate, else an array."""
    found = [at(rate) for rate in rates.values]
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


def tprs_at(fps: Array, tps: Array, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the true positive rate at each false positive rate; NaN without both classes."""
    if fps[-1] == 0 or tps[-1] == 0:
        return map_rates(rates, lambda _: math.nan)
    return map_rates(rates, lambda rate: float(tpr_at(fps, tps, rate, how)))


def fprs_at(fps: Array, tps: Array, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the false positive rate at each true positive rate; NaN without both classes."""
    if fps[-1] == 0 or tps[-1] == 0:
        return map_rates(rates, lambda _: math.nan)
    n_neg = as_count(fps[-1])
    return map_rates(rates, lambda rate: float(fps_at(fps, tps, rate, how) / n_neg))


def precisions_at(fps: Array, tps: Array, rates: Rates, how: str) -> float | NDArray[np.float64]:
    """Return the precision at each recall above 0; NaN without positives."""
    if tps[-1] == 0:
        return map_rates(rates, lambda _: math.nan)
    if how == "linear":

        def on_the_line(recall: Fraction) -> float:
            tp = counts_at(recall, tps)[0]
            return float(tp / (tp + fps_at(fps, tps, recall, how)))

        return map_rates(rates, on_the_line)
    # Precision may increase again: the maximum over a threshold and all those below it.
    with np.errstate(invalid="ignore"):
        best = np.maximum.accumulate((tps / (tps + fps))[::-1])[::-1]
    return map_rates(
        rates,
        lambda recall: float(best[bisect_left(tps, counts_at(recall, tps)[0], key=as_count)]),
    )
