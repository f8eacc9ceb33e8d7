"""Placements: the share of the other class that each row is ranked correctly against.

Everything that inference needs of a sample follows from them (DeLong et al. 1988). Without weights,
they are integers: the doubled placement of a row is twice the number of rows of the other class
that it beats, plus the number of those that it is tied with.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.roc import area_of_part, mean_tpr_at, swap_classes
from fastauc._kernels import resampling as _resampling, sort_scan as _sort_scan
from fastauc._pairs.exact_sum import exact_sum
from fastauc._pairs.sorted_rows import (
    SortedRows,
    number_weighted_rows,
    places_by_class,
    sort_rows,
    sort_rows_with,
    sort_weighted_rows,
)
from fastauc._pairs.sorting import empty_rows
from fastauc._validation.arrays import FLOAT64, INT64, Array
from fastauc._validation.columns import read_models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import RateRange
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers

MOST_ROWS = 2**32  # counts of rows have 32 bits


def check_size(n_rows: int) -> None:
    """Reject more rows than the kernels can count."""
    if n_rows >= MOST_ROWS:
        raise OverflowError(f"There are {n_rows} rows; expected fewer than 2^32.")


def sum_placements(sample: BinarySample, workers: Workers = SERIAL) -> tuple[int, int, int]:
    """Return the sum of the doubled placements of either class, and the sums of their squares.

    Of the positives first. For an unweighted sample with both classes, in one scan of sorted rows.
    """
    check_size(len(sample.label))
    n_pos, n_neg = sample.n_pos, sample.n_neg
    twice_u, of_positives, of_lacks = _resampling.sum_squares(*sort_rows(sample, workers))
    # A negative's doubled placement is 2 n_pos minus its deficit, and the deficits add up to the
    # rest of 2 n_pos n_neg.
    lacks = 2 * n_pos * n_neg - twice_u
    of_negatives = 4 * n_pos**2 * n_neg - 4 * n_pos * lacks + of_lacks
    return twice_u, of_positives, of_negatives


class RankedRows(NamedTuple):
    """Sorted rows with their weights, if they have any, and the place where each is written."""

    rows: SortedRows
    weight: NDArray[np.float64]
    place: NDArray[np.uint64]


def rank_rows(
    sample: BinarySample, workers: Workers = SERIAL, place: NDArray[np.uint64] | None = None
) -> RankedRows:
    """Return the rows from the lowest score up; those of a class, score and weight in any order.

    ``place`` is that of each row, and of its weight. Otherwise places are in the order of the
    scores, with negatives first, which takes half as long.
    """
    check_size(len(sample.label))
    weight = np.empty(0)
    if sample.weight is None:
        if place is None:
            rows = sort_rows(sample, workers)
        else:
            rows, place = sort_rows_with(sample, place, workers)
    elif place is None:
        rows, weight = sort_weighted_rows(sample, sample.weight, workers)
    else:
        rows, weight, place = number_weighted_rows(sample, sample.weight, workers, place)
    return RankedRows(rows, weight, places_by_class(rows.packed) if place is None else place)


def find_placements(sample: BinarySample, ranked: RankedRows) -> tuple[Array, float, float]:
    """Return the weight that each row beats, at its place, and those of both classes; NaN for 0.

    Negatives first. Of rows without weights, all of these are doubled: integers. Tied rows are
    added up in the order of their weights.
    """
    found = empty_rows(len(ranked.place), FLOAT64 if len(ranked.weight) else INT64)
    if len(ranked.weight):
        rows = *ranked.rows, ranked.place, ranked.weight
        of_neg, of_pos = _resampling.weigh_placements(*rows, found)
    else:
        _resampling.write_placements(*ranked.rows, ranked.place, sample.n_pos, found)
        of_neg, of_pos = 2 * sample.n_neg, 2 * sample.n_pos
    return found, of_neg or math.nan, of_pos or math.nan


def starts_group(rows: SortedRows) -> NDArray[np.bool_]:
    """Return which of sorted rows are the first of a group of tied ones."""
    packed, n_low = rows
    score = packed >> packed.dtype.type(1)
    is_first = np.empty(len(packed), np.bool_)
    np.not_equal(score[1:], score[:-1], out=is_first[1:])
    is_first[[0, n_low % len(packed)]] = True
    return is_first


def clip_placements(
    sample: BinarySample, part: RateRange, ranked: RankedRows, share: NDArray[np.float64]
) -> tuple[Fraction, RateRange, NDArray[np.float64]]:
    """Return the area of a part, its exact range, and the deviations of rows at their places.

    A deviation is how far the clipped placement of a row is from the mean of its class. Placements
    are clipped to the exact range, and relative to its width, as is the area. ``share`` are the
    shares of rows in the weight of their class. For a range of ``tpr`` the curve is turned around:
    classes and order are swapped.
    """
    n, dtype = len(sample.label), FLOAT64 if len(ranked.weight) else INT64
    # From the lowest score up.
    step = np.cumsum(starts_group(ranked.rows), out=empty_rows(n, INT64))
    fps, tps = empty_rows((2, n), dtype)
    n_steps = _sort_scan.count_thresholds(*ranked.rows, 0, ranked.weight, fps, tps)
    fps, tps = fps[:n_steps], tps[:n_steps]
    area, part = area_of_part(fps, tps, part)
    classes = slice(sample.n_neg, None), slice(sample.n_neg)
    if part.rate == "tpr":
        (fps, tps), classes = swap_classes(fps, tps), classes[::-1]
        step -= 1
    else:
        np.subtract(n_steps, step, out=step)
    lower, upper = part.fpr_interval
    ends = float(mean_tpr_at(fps, tps, lower)), float(mean_tpr_at(fps, tps, upper))
    step_of, (room, *distances) = empty_rows(n, INT64), empty_rows((3, n), FLOAT64)
    step_of[ranked.place.view(np.intp)] = step
    width = float(upper - lower)
    for own, sign, others, limits in (
        (classes[0], -1, fps, (float(lower), float(upper))),
        (classes[1], 1, tps, ends),
    ):
        # Measured from the end of the range that the mean is nearer to: in a short range most are
        # at one end, and the distances of the others may be a small fraction of its length.
        from_ends = [each[own] for each in distances]
        of_others = np.divide(others, others[-1], out=room[: len(others)])
        _resampling.clip_placements(of_others, step_of[own], *limits, *from_ends)
        means = [exact_sum(share[own], each) for each in from_ends]
        far = int(means[1] < means[0])
        of_rows = np.subtract(from_ends[far], means[far], out=from_ends[0])
        of_rows *= sign * (1, -1)[far] / width
    return area / (part.upper - part.lower), part, distances[0]


def placements(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return each row's placement: the share of the other class ranked correctly against it.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, n_jobs
        As in ``roc_auc_ci``. A row with weight 0 has a placement, but is ignored in the placements
        of other rows.

    Returns
    -------
    ndarray of shape (n_samples,)
        For a positive, the share of the negatives with a lower score; for a negative, the share of
        the positives with a higher one; a tie counts one half; in [0, 1]. Unweighted: the doubles
        nearest to the exact fractions. Weighted: within 2 ulp. NaN, with an
        ``UndefinedMetricWarning``, if the other class has no rows or no weight.

    Raises
    ------
    ValueError, OverflowError
        As ``roc_auc_ci``.

    Notes
    -----
    The mean over either class is the AUC, and the variance within each class gives the variance of
    the AUC. As a function of the score, a placement is the empirical distribution function of the
    other class, or its complement. O(n log n) time; about 40 bytes of memory per row.

    With only one class, there is nothing to compare a row with. Placements are the structural
    components V10 and V01 of E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44
    (1988) 837-845.

    Examples
    --------
    >>> from fastauc.inference import placements
    >>> placements([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    array([1.  , 0.75, 0.75, 1.  ])
    """
    with Workers(n_jobs, "placements") as workers:
        rows = y_true, {"y_score": y_score}, sample_weight
        models = read_models(("placements", workers, pos_label, "raise"), *rows)
        unweighted = models._replace(weight=None, weight_range=None)
        sample = unweighted.weighted_sample(0)._replace(weight=models.weight)
        place = np.arange(len(sample.label), dtype=np.uint64)
        placed, *totals = find_placements(sample, rank_rows(sample, workers, place))
        found: NDArray[np.float64] = placed / np.array(totals[::-1]).take(sample.label)
        np.minimum(found, 1.0, out=found)
    if np.isnan(found).any():
        warn_undefined("Only one class is present in y_true: placements are undefined.")
    return found
