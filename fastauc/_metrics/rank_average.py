"""Ensembles of rankings: models are averaged by the ranks they give, not by their scores."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._kernels import cells as _cells
from fastauc._kernels import ranks as _ranks
from fastauc._validation.arrays import Array
from fastauc._validation.options import check_flag
from fastauc._validation.rankings import read_ranking_weights, read_rankings

__all__ = ["rank_average"]

_BITS = 64


def rank_average(
    y_scores: ArrayLike, *, weights: ArrayLike | None = None, normalize: bool = False
) -> NDArray[np.float64]:
    """Return the mean, over several models, of the rank that each of them gives a row.

    Parameters
    ----------
    y_scores : sequence of array-likes of shape (n_samples,)
        The scores of each model for the same rows, in any numeric dtypes. Finite. Of an array of
        shape (n_models, n_samples), each row is a model.
    weights : array-like of shape (n_models,), optional
        How much each model counts; not negative, not all 0. The same if left out.
    normalize : bool
        Divide by the number of rows, so that ranks lie in (0, 1].

    Returns
    -------
    float64 array of shape (n_samples,)
        Ranks from 1 for the lowest score to n for the highest; tied rows share the mean of theirs.
        Without ``weights`` each is the double nearest to the exact mean.

    Raises
    ------
    ValueError
        For NaN or infinite scores, unequal lengths, no models or no rows; weights that are
        negative, not finite, all 0, or of another number than the models.
    InvalidParameterError
        For what is not a sequence, or a ``normalize`` that is not a bool.

    Notes
    -----
    O(n log n) time for each model, 16 bytes a row. Of one model, it is
    ``scipy.stats.rankdata(method="average")``. The area under the ROC curve of the result depends
    on the order in which each model puts the rows, and on nothing else about its scores.

    Examples
    --------
    >>> from fastauc import rank_average
    >>> rank_average([[0.1, 0.5, 0.5, 0.9]])
    array([1. , 2.5, 2.5, 4. ])
    >>> rank_average([[0.1, 0.5, 0.5, 0.9], [3, 1, 2, 4]], weights=[3, 1])
    array([1.5  , 2.125, 2.375, 4.   ])
    """
    check_flag(normalize, "normalize", "rank_average")
    columns = read_rankings(y_scores, "rank_average")
    n = len(columns[0])
    total = np.zeros(n)
    if weights is None:
        shares, whole = np.ones(len(columns)), float(len(columns))
    else:
        shares = read_ranking_weights(weights, len(columns), "rank_average")
        # A power of two, so that no product overflows and no digit changes.
        shares = np.ldexp(shares, -math.frexp(shares.max())[1])
        whole = math.fsum(shares)
    for scores, share in zip(columns, shares.tolist(), strict=True):
        _add_ranks(scores, share, total)
    total /= whole * n if normalize else whole
    return total


def _add_ranks(scores: Array, share: float, total: NDArray[np.float64]) -> None:
    """Add ``share`` times the rank of each row."""
    keys, packed = np.empty(len(scores), np.uint64), np.empty(len(scores), np.uint64)
    _cells.ordered_keys(scores, keys)
    low, high = int(keys.min()), int(keys.max())
    row_bits = (len(keys) - 1).bit_length()
    shift = max(0, (high - low).bit_length() + row_bits - _BITS)
    _ranks.pack_rows(keys, low, shift, row_bits, packed)
    packed.sort()
    _ranks.add_ranks(packed, keys, row_bits, shift == 0, share, total)
