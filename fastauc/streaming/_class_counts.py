"""The AUC of counted scores, as a database returns them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.roc import area, whole_numbers
from fastauc._validation.chunks import read_class_counts
from fastauc._validation.errors import warn_if_undefined


def auc_from_counts(n_pos: ArrayLike, n_neg: ArrayLike) -> float:
    """Return the ROC AUC from counts of positives and negatives per distinct score.

    Parameters
    ----------
    n_pos, n_neg : array-likes of shape (n_scores,)
        Positives and negatives at each distinct score, in increasing order of the score: the result
        of ``GROUP BY score ORDER BY score``. Integers of any size, or sums of weights.

    Returns
    -------
    float
        In [0, 1], correctly rounded. NaN, with an ``UndefinedMetricWarning``, if only one class is
        present.

    Raises
    ------
    ValueError
        For counts that are negative, NaN or infinite; unequal lengths.

    Notes
    -----
    O(n_scores) time, in integer arithmetic.

    Rows with the same score are tied, and each tied pair counts one half: the AUC of D. Bamber, J.
    Math. Psychol. 12 (1975) 387-415, eq. 6.

    Examples
    --------
    >>> from fastauc.streaming import auc_from_counts
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
            f"n_pos and n_neg have {len(pos)} and {len(neg)} entries; expected equal lengths."
        )
    tps, fps = (np.cumsum(whole_numbers(counts)[::-1]) for counts in (pos, neg))
    n_pos_total, n_neg_total = (int(sums[-1]) if len(sums) else 0 for sums in (tps, fps))
    warn_if_undefined(n_pos_total, n_neg_total)
    if n_pos_total == 0 or n_neg_total == 0:
        return math.nan
    return float(area(fps, tps))
