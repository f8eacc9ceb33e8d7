"""Rankings: ensembles of them, and losses by which models learn them."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._pairs.pairwise_loss import (
    KINDS,
    fill_loss,
    fill_sigmoid,
    over_all_pairs,
    read_pair_rows,
)
from fastauc._pairs.ranks import add_ranks
from fastauc._validation.columns import read_ranking_weights, read_rankings
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_number, check_option


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
    O(n log n) time for each model, 16 bytes a row. For a single model, it is
    ``scipy.stats.rankdata(method="average")``. The AUC of the result depends only on the order in
    which each model puts the rows, and on nothing else about its scores.

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
        add_ranks(scores, share, total)
    total /= whole * n if normalize else whole
    return total


def pairwise_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    kind: str = "squared_hinge",
    margin: float = 1.0,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    return_gradient: bool = True,
) -> Any:
    """Return the mean loss over all pairs of a positive and a negative, and its gradient.

    With d, the score of the positive less that of the negative, a pair costs

    - "square": (margin - d)^2
    - "squared_hinge": max(0, margin - d)^2
    - "hinge": max(0, margin - d)

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype, as doubles. Finite. A tied pair has d = 0.
    kind : {"squared_hinge", "square", "hinge"}
        The loss of a pair.
    margin : float
        0 or more, in units of the scores: what a pair needs to be free.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; a pair weighs their product.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    return_gradient : bool
        Whether to return the gradient as well.

    Returns
    -------
    loss : float
        Divided by the number of pairs, or their weight. NaN with an ``UndefinedMetricWarning`` for
        one class.
    gradient : float64 array of shape (n_samples,)
        Its derivative by each score; at the corner of "hinge" that of a pair which costs nothing.
        Only if ``return_gradient``. NaN where the loss is NaN.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For an option outside its domain.

    Notes
    -----
    O(n log n) time, O(n) for "square". The hinges are sums of gaps that are never subtracted from
    each other: all results are within 8 units of the last place, whatever is added to all scores,
    and the order of the rows does not change a bit. "square" is exact to 1e-14 of the square of
    margin plus spread of the scores. Infinity where a result is beyond the doubles.
    Source: T. Rust and T. Hocking, arXiv 2302.11062 (2023).

    Examples
    --------
    >>> from fastauc import pairwise_loss
    >>> loss, gradient = pairwise_loss([0, 0, 1, 1], [0.0, 1.0, 0.5, 3.0])
    >>> loss
    0.625
    >>> gradient
    array([ 0.25,  0.75, -1.  ,  0.  ])
    """
    function = "pairwise_loss"
    check_option(kind, "kind", KINDS, function)
    check_number(
        margin, "margin", "a finite number of 0 or more", lambda m: 0 <= m < math.inf, function
    )
    check_flag(return_gradient, "return_gradient", function)

    rows = read_pair_rows(y_true, y_score, sample_weight, pos_label, function)
    value, gradient = over_all_pairs(rows, partial(fill_loss, kind=kind, margin=float(margin)))
    return (value, gradient) if return_gradient else value


def sigmoid_roc_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    scale: float = 1.0,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    return_gradient: bool = True,
) -> Any:
    """Return a smooth AUC, in which a sigmoid takes the place of the step, and its gradient.

    The AUC is the mean, over all pairs of a positive and a negative, of 1, 1/2 or 0 as the
    difference d of their scores is above, at or below 0. Nothing can be learned from its gradient,
    which is 0. Here a pair counts 1 / (1 + exp(-d / scale)): the AUC for a scale near 0, and 1/2
    for a large one.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype, as doubles. Finite. A tied pair counts 1/2.
    scale : float
        Above 0, in units of the scores: how far apart two scores are that count 0.73.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; a pair weighs their product.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    return_gradient : bool
        Whether to return the gradient as well.

    Returns
    -------
    value : float
        In [0, 1]. NaN with an ``UndefinedMetricWarning`` for one class.
    gradient : float64 array of shape (n_samples,)
        Its derivative by each score. Only if ``return_gradient``. NaN where the value is NaN.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For an option outside its domain.

    See Also
    --------
    pairwise_loss : Losses over all pairs in O(n log n) time.

    Notes
    -----
    O(n_pos n_neg) time, some ten nanoseconds a pair, and a few megabytes: for batches of some
    thousand rows. A sigmoid of a difference has no shorter sum; of more rows take
    ``pairwise_loss``, or random ones (``sample_pairs``). Source: L. Yan, R. Dodier, M. C. Mozer and
    R. Wolniewicz, "Optimizing classifier performance via an approximation to the
    Wilcoxon-Mann-Whitney statistic", ICML (2003), section 3.

    Examples
    --------
    >>> from fastauc import sigmoid_roc_auc
    >>> value, gradient = sigmoid_roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], scale=0.1)
    >>> round(value, 4)
    0.8207
    >>> gradient.round(2)
    array([-0.18, -0.63,  0.76,  0.05])
    """
    function = "sigmoid_roc_auc"
    expected = "a finite number above 0"
    check_number(scale, "scale", expected, lambda scale: 0 < scale < math.inf, function)
    check_flag(return_gradient, "return_gradient", function)

    rows = read_pair_rows(y_true, y_score, sample_weight, pos_label, function)
    value, gradient = over_all_pairs(rows, partial(fill_sigmoid, scale=float(scale)))
    return (value, gradient) if return_gradient else value
