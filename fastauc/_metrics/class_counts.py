"""The area of rows that are already counted by score."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.areas import area
from fastauc._validation.arrays import Array
from fastauc._validation.chunks import read_class_counts
from fastauc._validation.errors import warn_if_undefined

__all__ = ["auc_from_counts"]


def auc_from_counts(n_pos: ArrayLike, n_neg: ArrayLike) -> float:
    """Return the area under the ROC curve of counts that are already grouped by score.

    Parameters
    ----------
    n_pos, n_neg : array-likes of shape (n_scores,)
        Positives and negatives of each distinct score, in increasing order of the score: the result
        of ``GROUP BY score ORDER BY score``. Integers of any size, or sums of weights.

    Returns
    -------
    float
        In [0, 1], correctly rounded. NaN, with an ``UndefinedMetricWarning``, for a class without
        rows.

    Raises
    ------
    ValueError
        For counts that are negative, NaN or infinite; unequal lengths.

    Notes
    -----
    O(n_scores) time, in integers.

    Rows of one score are tied, and their pairs count one half: the area of D. Bamber, J. Math.
    Psychol. 12 (1975) 387-415, eq. 6.

    Examples
    --------
    >>> from fastauc import auc_from_counts
    >>> auc_from_counts(n_pos=[0, 1, 0, 1], n_neg=[1, 0, 1, 0])
    0.75
    """
    function = "auc_from_counts"
    pos, neg = (
        read_class_counts(values, name, function)
        for values, name in ((n_pos, "n_pos"), (n_neg, "n_neg"))
    )
    if len(pos) != len(neg):
        raise ValueError(
            f"n_pos and n_neg have {len(pos)} and {len(neg)} entries; expected as many of each."
        )
    tps, fps = (np.cumsum(_whole_numbers(counts)[::-1]) for counts in (pos, neg))
    n_pos_total, n_neg_total = (int(sums[-1]) if len(sums) else 0 for sums in (tps, fps))
    warn_if_undefined(n_pos_total, n_neg_total)
    if n_pos_total == 0 or n_neg_total == 0:
        return math.nan
    return float(area(fps, tps))


def _whole_numbers(counts: Array) -> Array:
    """Return counts as they are, and weights times the power of two that makes them integers."""
    if counts.dtype == object:
        return counts
    digits, exponents = np.frexp(counts)
    shifts = exponents.astype(object) - int(exponents.min(initial=0, where=counts > 0))
    whole: Array = (digits * 2.0**53).astype(np.int64).astype(object) << np.where(
        counts > 0, shifts, 0
    )
    return whole
