"""Losses over all pairs of a positive and a negative, with gradients: AUC for training.

The area counts pairs in the right order, and so has no gradient. A loss that grows with what is
missing in a pair has one, and needs no pair to be visited: the square of all pairs is made of means
and variances, and the hinges of one sweep along the sorted scores [1]_.

References
----------
.. [1] T. Rust and T. Hocking, "A log-linear gradient descent algorithm for unbalanced binary
   classification using the all pairs squared hinge loss", arXiv 2302.11062 (2023).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._kernels import pairwise as _pairwise
from fastauc._validation.arrays import as_doubles
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_number, check_option, check_pos_label
from fastauc._validation.samples import as_float64, complete_sample, read_binary_labels, read_inputs
from fastauc._validation.threads import ALONE

__all__ = ["pairwise_loss"]

KINDS = ("squared_hinge", "square", "hinge")

_LARGEST = 400

Column = NDArray[np.float64]


class _Rows(NamedTuple):
    """The rows of one class, and their total weight."""

    positions: NDArray[np.intp]
    scores: Column
    weights: Column
    weight: float


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
    check_pos_label(pos_label, function, optional=True)
    inputs = read_inputs(y_true, y_score, sample_weight, function)
    sample = complete_sample(*read_binary_labels(inputs.y_true, pos_label, ALONE), inputs)
    scores = as_doubles(sample.order)[0].astype(np.float64, copy=False)
    gradient = np.zeros(len(scores))
    warn_if_undefined(sample.n_pos, sample.n_neg)
    if sample.n_pos == 0 or sample.n_neg == 0:
        gradient.fill(math.nan)
        return (math.nan, gradient) if return_gradient else math.nan
    kept = np.arange(len(scores))
    if inputs.sample_weight is not None:
        kept = np.flatnonzero(as_float64(inputs.sample_weight, "sample_weight"))
    # Powers of two, so that no square and no sum overflows, and no digit changes. The largest score
    # comes near 2^400: even the smallest is no subnormal number then, beside any below 2^400.
    exponent = math.frexp(max(float(np.abs(scores).max()), float(margin)))[1] - _LARGEST
    scores = np.ldexp(scores, -exponent)
    unit_margin = math.ldexp(float(margin), -exponent)
    weights = np.ones(len(kept)) if sample.weight is None else sample.weight
    weights = np.ldexp(weights, -math.frexp(float(weights.max()))[1])
    is_positive = sample.label.view(np.bool_)
    classes = [(kept[rows], weights[rows]) for rows in (is_positive, ~is_positive)]
    if kind == "square":
        pos, neg = (_Rows(at, scores[at], weight, math.fsum(weight)) for at, weight in classes)
        loss = _square(pos, neg, unit_margin, gradient)
    else:
        pos, neg = (_sorted_rows(at, scores[at], weight) for at, weight in classes)
        loss = _hinge(pos, neg, unit_margin, kind == "squared_hinge", gradient)
    with np.errstate(over="ignore"):
        power = 1 if kind == "hinge" else 2
        loss = float(np.ldexp(loss, power * exponent))
        np.ldexp(gradient, (power - 1) * exponent, out=gradient)
    return (loss, gradient) if return_gradient else loss


def _sorted_rows(positions: NDArray[np.intp], scores: Column, weights: Column) -> _Rows:
    """Return rows in increasing order of score and then of weight: that of nothing but values."""
    order = np.lexsort((weights, scores))
    return _Rows(positions[order], scores[order], weights[order], math.fsum(weights))


def _hinge(pos: _Rows, neg: _Rows, margin: float, squared: bool, gradient: Column) -> float:
    """Fill a gradient of zeros, and return the loss: from two sweeps in which gaps only grow."""
    per_pair = (2 if squared else 1) / (pos.weight * neg.weight)
    slopes = np.empty(len(pos.scores))
    total = _pairwise.sweep(
        pos.scores[::-1].copy(),
        pos.weights[::-1].copy(),
        neg.scores[::-1].copy(),
        neg.weights[::-1].copy(),
        margin,
        squared,
        slopes,
    )
    gradient[pos.positions[::-1]] -= per_pair * pos.weights[::-1] * slopes
    slopes = np.empty(len(neg.scores))
    # A gap t + margin - s is (-s) + margin - (-t): seen from the negatives, all signs turn.
    _pairwise.sweep(-neg.scores, neg.weights, -pos.scores, pos.weights, margin, squared, slopes)
    gradient[neg.positions] += per_pair * neg.weights * slopes
    return total / (pos.weight * neg.weight)


def _square(pos: _Rows, neg: _Rows, margin: float, gradient: Column) -> float:
    """Fill a gradient of zeros, and return the loss: the squared mean gap and both variances.

    Every sum is rounded but once, whatever the order. Scores are taken from their common mean, so
    that what is added to all of them is lost before there are squares.
    """
    middle = (math.fsum(pos.scores) + math.fsum(neg.scores)) / (len(pos.scores) + len(neg.scores))
    pos, neg = pos._replace(scores=pos.scores - middle), neg._replace(scores=neg.scores - middle)
    means = [math.fsum(rows.weights * rows.scores) / rows.weight for rows in (pos, neg)]
    variances = [
        math.fsum(rows.weights * (rows.scores - mean) ** 2) / rows.weight
        for rows, mean in zip((pos, neg), means, strict=True)
    ]
    gaps_of_pos = margin - pos.scores + means[1]
    gaps_of_neg = margin - means[0] + neg.scores
    gradient[pos.positions] -= 2 / pos.weight * pos.weights * gaps_of_pos
    gradient[neg.positions] += 2 / neg.weight * neg.weights * gaps_of_neg
    return float((margin - means[0] + means[1]) ** 2 + variances[0] + variances[1])
