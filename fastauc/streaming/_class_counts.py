"""Counts of scores, or of bins of them, as a database returns them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.roc import area, whole_numbers
from fastauc._validation.chunks import read_class_counts, read_edges
from fastauc._validation.errors import warn_if_undefined
from fastauc.streaming._bins import MIXED, Bins, NonEmptyBins, check_counter


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
    pos, neg = read_class_counts(n_pos, n_neg, "auc_from_counts")
    tps, fps = (np.cumsum(whole_numbers(counts)[::-1]) for counts in (pos, neg))
    n_pos_total, n_neg_total = (int(sums[-1]) if len(sums) else 0 for sums in (tps, fps))
    warn_if_undefined(n_pos_total, n_neg_total)
    if n_pos_total == 0 or n_neg_total == 0:
        return math.nan
    return float(area(fps, tps))


def bins_of_counts(
    edges: ArrayLike, n_pos: ArrayLike, n_neg: ArrayLike
) -> tuple[Bins, NonEmptyBins]:
    """Return bins with these counts of rows, each of which may hold any scores of its bin."""
    function = "from_counts"
    bins = Bins.by_edges(read_edges(edges, function))
    pos, neg = read_class_counts(n_pos, n_neg, function)
    if len(pos) != bins.n_bins:
        raise ValueError(
            f"n_pos and n_neg have {len(pos)} entries and edges {bins.n_bins - 1}; expected one "
            "more than edges: the rows below the first edge, and those from each edge on."
        )
    for name, counts in (("n_pos", pos), ("n_neg", neg)):
        is_broken = counts % 1 != 0
        if is_broken.any():
            i = int(np.argmax(is_broken))
            raise ValueError(f"{name}[{i}] is {counts[i]}; expected a whole number of rows.")
    totals = [sum(map(int, counts)) for counts in (neg, pos)]
    check_counter(max(totals), "rows of a class")
    sums = np.stack([neg, pos], axis=1).astype(np.int64)
    numbers = np.flatnonzero(sums.any(axis=1))
    of_totals = np.array(totals, np.int64), np.zeros(2, np.int64)
    tags = np.full(len(numbers), MIXED)
    return bins, NonEmptyBins(sums[numbers], tags, *of_totals, numbers.astype(np.uint32))
