"""For training and ensembles: ranking losses with gradients, random pairs, averages of rankings."""

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
from fastauc._pairs.sorting import add_ranks
from fastauc._validation import options
from fastauc._validation.columns import read_ranking_weights, read_rankings
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label, as_labels, match_labels
from fastauc._validation.literals import LossKind
from fastauc._validation.samples import read_binary_labels
from fastauc._validation.threads import SERIAL

__all__ = ["pairwise_loss", "rank_average", "sample_pairs", "sigmoid_roc_auc"]


def __dir__() -> list[str]:
    return __all__


def rank_average(
    y_scores: ArrayLike, *, weights: ArrayLike | None = None, normalize: bool = False
) -> NDArray[np.float64]:
    """Return the average rank of each row over several models.

    Parameters
    ----------
    y_scores : sequence of array-likes of shape (n_samples,)
        The scores of each model for the same rows, in any numeric dtypes. Finite. In an array of
        shape (n_models, n_samples), each row is a model.
    weights : array-like of shape (n_models,), optional
        Weights of the models; non-negative, not all 0. Equal by default.
    normalize : bool
        Divide by the number of rows, so that ranks are in (0, 1].

    Returns
    -------
    float64 array of shape (n_samples,)
        Ranks from 1 for the lowest score to n for the highest; tied rows share the mean of their
        ranks. Without ``weights``, each is the double nearest to the exact mean.

    Raises
    ------
    ValueError
        For NaN or infinite scores; unequal lengths; no models or no rows; weights that are
        negative, not finite, all 0, or not one per model.
    InvalidParameterError
        If ``y_scores`` is not a sequence, or ``normalize`` is not a bool.

    Notes
    -----
    O(n log n) time for each model, 16 bytes per row. For a single model, it is
    ``scipy.stats.rankdata(method="average")``. The AUC of the result depends on the scores only
    through the order in which each model ranks the rows.

    Examples
    --------
    >>> from fastauc.learning import rank_average
    >>> rank_average([[0.1, 0.5, 0.5, 0.9]])
    array([1. , 2.5, 2.5, 4. ])
    >>> rank_average([[0.1, 0.5, 0.5, 0.9], [3, 1, 2, 4]], weights=[3, 1])
    array([1.5  , 2.125, 2.375, 4.   ])
    """
    options.check_flag(normalize, "normalize", "rank_average")
    columns = read_rankings(y_scores, "rank_average")
    n = len(columns[0])
    total = np.zeros(n)
    if weights is None:
        shares, whole = np.ones(len(columns)), float(len(columns))
    else:
        shares = read_ranking_weights(weights, len(columns), "rank_average")
        # A power of two, so that no product overflows and scaling is exact.
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
    kind: LossKind = "squared_hinge",
    margin: float = 1.0,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    return_gradient: bool = True,
) -> Any:
    """Return the mean pairwise loss over all positive-negative pairs, and its gradient.

    With d, the score of the positive minus that of the negative, the loss of a pair is

    - "square": (margin - d)^2
    - "squared_hinge": max(0, margin - d)^2
    - "hinge": max(0, margin - d)

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype, converted to double. Finite. A tied pair has d = 0.
    kind : {"squared_hinge", "square", "hinge"}
        The loss for each pair.
    margin : float
        0 or more, in units of the scores: from this d on, the hinge losses are 0.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; the weight of a pair is the product of its two weights.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    return_gradient : bool
        Whether to also return the gradient.

    Returns
    -------
    loss : float
        The sum divided by the number (or total weight) of the pairs. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.
    gradient : float64 array of shape (n_samples,)
        The partial derivatives with respect to the scores; at the kink of "hinge", that of a pair
        with zero loss. Only if ``return_gradient``. NaN if the loss is NaN.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For an invalid option.

    Notes
    -----
    O(n log n) time, O(n) for "square". The hinge losses are sums of gaps without cancellation: all
    results are within 8 ulp, whatever constant is added to all scores, and bit-for-bit independent
    of the order of the rows. "square" is accurate to 1e-14 times the square of the margin plus the
    range of the scores. Infinity if a result overflows. Source: T. Rust and T. Hocking, arXiv
    2302.11062 (2023).

    Examples
    --------
    >>> from fastauc.learning import pairwise_loss
    >>> loss, gradient = pairwise_loss([0, 0, 1, 1], [0.0, 1.0, 0.5, 3.0])
    >>> loss
    0.625
    >>> gradient
    array([ 0.25,  0.75, -1.  ,  0.  ])
    """
    function = "pairwise_loss"
    options.check_option(kind, "kind", KINDS, function)
    options.check_amount(margin, "margin", function)
    options.check_flag(return_gradient, "return_gradient", function)

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
    """Return a smooth AUC, with a sigmoid in place of the step function, and its gradient.

    The AUC is the mean, over all positive-negative pairs, of 1, 1/2 or 0 as the difference d of
    their scores is above, at or below 0. Its gradient is 0 almost everywhere, so it cannot be used
    for training. Here a pair counts 1 / (1 + exp(-d / scale)): the result tends to the AUC as the
    scale goes to 0, and to 1/2 as it grows.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, return_gradient
        As for ``pairwise_loss``; a tied pair counts 1/2.
    scale : float
        Above 0, in units of the scores: a pair with d = scale counts 0.73.

    Returns
    -------
    value : float
        In [0, 1]. NaN, with an ``UndefinedMetricWarning``, if only one class is present.
    gradient : float64 array of shape (n_samples,)
        As for ``pairwise_loss``.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``pairwise_loss``.

    Notes
    -----
    O(n_pos n_neg) time, about ten nanoseconds per pair, and a few megabytes: suited to batches of a
    few thousand rows. Unlike the hinge losses, the sum over sigmoids does not simplify; for more
    rows, use ``pairwise_loss``, or random pairs (``sample_pairs``). Source: L. Yan, R. Dodier, M.
    C. Mozer and R. Wolniewicz, "Optimizing classifier performance via an approximation to the
    Wilcoxon-Mann-Whitney statistic", ICML (2003), section 3.

    Examples
    --------
    >>> from fastauc.learning import sigmoid_roc_auc
    >>> value, gradient = sigmoid_roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], scale=0.1)
    >>> round(value, 4)
    0.8207
    >>> gradient.round(2)
    array([-0.18, -0.63,  0.76,  0.05])
    """
    function = "sigmoid_roc_auc"
    options.check_positive(scale, "scale", function)
    options.check_flag(return_gradient, "return_gradient", function)

    rows = read_pair_rows(y_true, y_score, sample_weight, pos_label, function)
    value, gradient = over_all_pairs(rows, partial(fill_sigmoid, scale=float(scale)))
    return (value, gradient) if return_gradient else value


def sample_pairs(
    y_true: ArrayLike, n_pairs: int, *, pos_label: Label | None = None, rng: Any = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the row numbers of random positive-negative pairs.

    Pairs are drawn uniformly and independently, with replacement: for training on pairs, and for
    estimates.

    Parameters
    ----------
    y_true, pos_label
        As for ``pairwise_loss``.
    n_pairs : int
        The number of pairs, 1 or more.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator for the pairs. The same seed gives the same pairs.

    Returns
    -------
    positives, negatives : intp arrays of shape (n_pairs,)
        The row numbers of pair k are ``positives[k]`` and ``negatives[k]``. Empty, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError
        If there are no rows, or for labels that need ``pos_label``.
    InvalidParameterError
        For an invalid option.

    Notes
    -----
    O(n + n_pairs) time. Scores are not used, so ties do not matter. Source: D. Bamber, J. Math.
    Psychol. 12 (1975) 387-415, who shows that the AUC is the share of these pairs in the right
    order.

    Examples
    --------
    >>> from fastauc.learning import sample_pairs
    >>> positives, negatives = sample_pairs([0, 1, 0, 0, 1], 3, rng=2)
    >>> positives, negatives
    (array([4, 1, 1]), array([0, 2, 3]))
    """
    function = "sample_pairs"
    options.check_integer(n_pairs, "n_pairs", 1, function)
    generator = options.read_rng(rng, function)
    options.check_pos_label(pos_label, function, optional=True)
    labels = match_labels(as_labels(y_true, "y_true", function), {}, function)
    label = read_binary_labels(labels, pos_label, SERIAL)[0]
    rows_of_pos, rows_of_neg = np.flatnonzero(label), np.flatnonzero(label == 0)
    if warn_if_undefined(len(rows_of_pos), len(rows_of_neg)):
        return rows_of_pos[:0], rows_of_neg[:0]
    drawn = [generator.integers(0, len(rows), n_pairs) for rows in (rows_of_pos, rows_of_neg)]
    return rows_of_pos[drawn[0]], rows_of_neg[drawn[1]]
