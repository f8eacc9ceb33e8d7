"""The Kolmogorov-Smirnov statistic between the two classes, and its threshold."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fastauc._counts.gains import ThresholdCounts
from fastauc._counts.ks_pvalues import pvalue_of
from fastauc._tables import result
from fastauc._validation.arrays import Array, as_fraction, as_python
from fastauc._validation.errors import warn_if_undefined


@result("fastauc.metrics")
class KsStatistic(NamedTuple):
    """The maximum distance between the true and the false positive rate, and its threshold.

    Attributes
    ----------
    statistic : float
        The maximum ``|tpr - fpr|``.
    threshold : float
        The threshold at which it is attained; the highest if there are several.
    positive_rate : float
        The share of the rows at or above the threshold.
    tpr, fpr : float
        The rates at the threshold.
    pvalue : float
        The probability of a statistic at least this large if both classes have the same
        distribution: the share of the assignments of the labels to the rows that have one. NaN for
        sums of weights, which are not numbers of rows.

    Examples
    --------
    >>> from fastauc.metrics import ks_statistic
    >>> ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    KsStatistic(statistic=0.5, threshold=0.8, positive_rate=0.25, tpr=0.5, fpr=0.0, pvalue=1.0)
    """

    statistic: float
    threshold: float
    positive_rate: float
    tpr: float
    fpr: float
    pvalue: float


def _greatest(fps: Array, tps: Array) -> tuple[int, Fraction]:
    """Return the first tie at which ``|tpr - fpr|`` is maximal, and the maximum.

    For sums of weights, doubles narrow down the ties: each distance has three rounding errors.
    """
    n_pos, n_neg = as_fraction(tps[-1]), as_fraction(fps[-1])
    if fps.dtype.kind != "f":
        whole = int(n_pos * n_neg)
        if whole >= 2**63:
            fps, tps = fps.astype(object), tps.astype(object)
        gaps = np.abs(tps * int(n_neg) - fps * int(n_pos))
        tie = int(np.argmax(gaps))
        return tie, Fraction(as_python(gaps[tie]), whole)
    distances = tps / tps[-1]
    distances -= fps / fps[-1]
    np.abs(distances, out=distances)
    candidates = np.flatnonzero(distances >= distances.max() - 2.0**-50)
    found = [abs(as_fraction(tps[k]) / n_pos - as_fraction(fps[k]) / n_neg) for k in candidates]
    best = max(found)
    return int(candidates[found.index(best)]), best


def ks_distance(fps: Array, tps: Array) -> float:
    """Return the maximum ``|tpr - fpr|``, correctly rounded from the counts."""
    if warn_if_undefined(tps[-1], fps[-1]):
        return math.nan
    return float(_greatest(fps, tps)[1])


def find_statistic(counts: ThresholdCounts, method: str) -> KsStatistic:
    """Return the statistic, its threshold and p-value; NaN, with a warning, for one class."""
    fps, tps = counts.fps, counts.tps
    if warn_if_undefined(tps[-1], fps[-1]):
        return KsStatistic(*[math.nan] * 6)
    tie, distance = _greatest(fps, tps)
    pvalue = math.nan
    if not counts.is_weighted:
        pvalue = pvalue_of(distance, fps, tps, method)
    return KsStatistic(
        float(distance),
        as_python(counts.lows[tie]),
        float(counts.rows_to(tie) / counts.total),
        tps.item(tie) / tps.item(-1),
        fps.item(tie) / fps.item(-1),
        pvalue,
    )
