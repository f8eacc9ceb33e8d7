"""Placements: the share of the other class that each row is ranked correctly against.

Everything that inference needs of a sample follows from them (DeLong et al. 1988). Without weights,
they are integers: the doubled placement of a row is twice the number of rows of the other class
that it beats, plus the number of those that it is tied with.
"""

from __future__ import annotations

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
    sort_rows,
    sort_rows_with,
)
from fastauc._validation.arrays import FLOAT64, INT64
from fastauc._validation.columns import read_models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import RateRange
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers

MOST_ROWS = 2**32  # counts of rows have 32 bits


class PlacementSums(NamedTuple):
    """The sums of doubled placements that variances are computed from.

    Attributes
    ----------
    n_pos, n_neg : int
        The number of rows in each class.
    twice_u : int
        The sum of the doubled placements of the positives, and of the negatives: twice the number
        of concordant pairs plus the number of tied ones.
    tied : int
        The number of tied pairs.
    squares_pos, squares_neg : int
        The sums of the squared doubled placements in each class.
    """

    n_pos: int
    n_neg: int
    twice_u: int
    tied: int
    squares_pos: int
    squares_neg: int


def check_size(n_rows: int) -> None:
    """Reject more rows than the kernels can count."""
    if n_rows >= MOST_ROWS:
        raise OverflowError(f"There are {n_rows} rows; expected fewer than 2^32.")


def sum_placements(sample: BinarySample, workers: Workers = SERIAL) -> PlacementSums:
    """Return the sums for an unweighted sample with both classes, in one scan of sorted rows."""
    check_size(len(sample.label))
    n_pos, n_neg = sample.n_pos, sample.n_neg
    twice_u, tied, of_positives, of_lacks = _resampling.sum_squares(*sort_rows(sample, workers))
    # A negative's doubled placement is 2 n_pos minus its deficit, and the deficits add up to the
    # rest of 2 n_pos n_neg.
    lacks = 2 * n_pos * n_neg - twice_u
    of_negatives = 4 * n_pos**2 * n_neg - 4 * n_pos * lacks + of_lacks
    return PlacementSums(n_pos, n_neg, twice_u, tied, of_positives, of_negatives)


def find_placements(sample: BinarySample, workers: Workers = SERIAL) -> NDArray[np.int64]:
    """Return the doubled placement of each row of an unweighted sample, in input order."""
    n = len(sample.label)
    check_size(n)
    sorted_rows, rows = sort_rows_with(sample, np.arange(n, dtype=np.uint64), workers)
    found = np.empty(n, np.int64)
    _resampling.write_placements(*sorted_rows, rows, sample.n_pos, found)
    return found


def weigh_placements(
    sample: BinarySample, weight: NDArray[np.float64], workers: Workers = SERIAL
) -> tuple[NDArray[np.float64], SortedRows, NDArray[np.float64]]:
    """Return the weighted placement of each row; NaN if the other class has no weight.

    The rows with weight 0 are included in the sample. Also returns what ``sort_weighted_rows``
    does: tied rows are added up in the order of their weights.
    """
    n = len(sample.label)
    check_size(n)
    sorted_rows, ordered, rows = number_weighted_rows(sample, weight, workers)
    found = np.empty(n)
    others = np.array(_resampling.weigh_placements(*sorted_rows, rows, ordered, found)[::-1])
    others[others == 0] = np.nan
    # A sum from one end and the total, which comes from the same end, are rounded alike, but half
    # of the last group may be rounded up.
    found /= others.take(sample.label)
    return np.minimum(found, 1.0, out=found), sorted_rows, ordered


def starts_group(rows: SortedRows) -> NDArray[np.bool_]:
    """Return which of sorted rows are the first of a group of tied ones."""
    packed, n_low = rows
    score = packed >> packed.dtype.type(1)
    is_first = np.empty(len(packed), np.bool_)
    np.not_equal(score[1:], score[:-1], out=is_first[1:])
    is_first[0] = True
    if n_low < len(packed):
        is_first[n_low] = True
    return is_first


def clip_placements(
    sample: BinarySample, part: RateRange, share: NDArray[np.float64], workers: Workers
) -> tuple[Fraction, RateRange, NDArray[np.float64]]:
    """Return the area of a part, its exact range, and the deviations of rows.

    A deviation is how far the clipped placement of a row is from the mean of its class. Placements
    are clipped to the exact range, and relative to its width, as is the area. ``share`` are the
    shares of rows in the weight of their class. For a range of ``tpr`` the curve is turned around:
    classes and order are swapped.
    """
    n, dtype = len(sample.label), INT64 if sample.weight is None else FLOAT64
    check_size(n)
    if sample.weight is None:
        ordered = np.empty(0)
        sorted_rows, rows = sort_rows_with(sample, np.arange(n, dtype=np.uint64), workers)
    else:
        sorted_rows, ordered, rows = number_weighted_rows(sample, sample.weight, workers)
    # From the lowest score up.
    step = np.cumsum(starts_group(sorted_rows), dtype=INT64)
    is_pos = (sorted_rows.packed & 1).astype(np.bool_)
    fps, tps = np.empty(n, dtype), np.empty(n, dtype)
    n_steps = _sort_scan.count_thresholds(*sorted_rows, 0, ordered, fps, tps)
    fps, tps = fps[:n_steps], tps[:n_steps]
    area, part = area_of_part(fps, tps, part)
    if part.rate == "tpr":
        (fps, tps), is_pos = swap_classes(fps, tps), ~is_pos
        step -= 1
    else:
        np.subtract(n_steps, step, out=step)
    lower, upper = part.fpr_interval
    ends = float(mean_tpr_at(fps, tps, lower)), float(mean_tpr_at(fps, tps, upper))
    width, deviation = float(upper - lower), np.empty(n)
    for own, sign, others, limits in (
        (np.flatnonzero(is_pos), -1, fps, (float(lower), float(upper))),
        (np.flatnonzero(~is_pos), 1, tps, ends),
    ):
        own_rows = rows.view(np.intp).take(own)
        # Without weights, one share is that of all.
        own_share = share.take(own_rows[:1] if sample.weight is None else own_rows)
        # Measured from the end of the range that the mean is nearer to: in a short range most are
        # at one end, and the distances of the others may be a small fraction of its length.
        distances = np.empty((2, len(own)))
        of_class = others / others[-1], step.take(own)
        _resampling.clip_placements(*of_class, *limits, distances[0], distances[1])
        means = [exact_sum(own_share * of_rows) for of_rows in distances]
        far = int(means[1] < means[0])
        of_rows = np.subtract(distances[far], means[far], out=distances[far])
        of_rows *= sign * (1, -1)[far] / width
        deviation[own_rows] = of_rows
    return area / (part.upper - part.lower), part, deviation


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
        As in ``roc_auc_ci``. A row with weight 0 has a placement, but is ignored in those of
        others.

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
        models = read_models(
            "placements",
            y_true,
            {"y_score": y_score},
            sample_weight,
            workers=workers,
            pos_label=pos_label,
        )
        sample, weight = models.whole_sample(0), models.weight
        if weight is None:
            others = np.array([sample.n_pos, sample.n_neg], np.float64)
            others[others == 0] = np.nan
            found = find_placements(sample, workers) / (2 * others.take(sample.label))
        else:
            found, *_ = weigh_placements(sample, weight, workers)
    if np.isnan(found).any():
        warn_undefined("Only one class is present in y_true: placements are undefined.")
    return found
