"""Losses over all pairs of a positive and a negative, from two sweeps over the sorted rows."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import rank_sum as _rank_sum
from fastauc._pairs.ordering import lexsort
from fastauc._validation.samples import BinarySample

KINDS = ("squared_hinge", "square", "hinge")
_LARGEST = 400

Column = NDArray[np.float64]


class _RowsOfClass(NamedTuple):
    """The rows of one class, and their total weight."""

    positions: NDArray[np.intp]
    scores: Column
    weights: Column
    weight: float


def fill_loss(
    sample: BinarySample,
    scores: Column,
    kept: NDArray[np.intp],
    kind: str,
    margin: float,
    gradient: Column,
) -> float:
    """Fill a gradient of zeros, and return the loss.

    ``kept`` are the rows of the sample among all of the scores: those whose weight is not 0.
    """
    # Powers of two, so that no square and no sum overflows, and no digit changes. The largest score
    # comes near 2^400: even the smallest is no subnormal number then, beside any below 2^400.
    exponent = math.frexp(max(float(np.abs(scores).max()), margin))[1] - _LARGEST
    scores = np.ldexp(scores, -exponent)
    unit_margin = math.ldexp(margin, -exponent)
    weights = np.ones(len(kept)) if sample.weight is None else sample.weight
    weights = np.ldexp(weights, -math.frexp(float(weights.max()))[1])
    is_positive = sample.label.view(np.bool_)
    classes = [(kept[rows], weights[rows]) for rows in (is_positive, ~is_positive)]
    if kind == "square":
        pos, neg = (
            _RowsOfClass(at, scores[at], weight, math.fsum(weight)) for at, weight in classes
        )
        loss = _square(pos, neg, unit_margin, gradient)
    else:
        pos, neg = (_sorted_rows(at, scores[at], weight) for at, weight in classes)
        loss = _hinge(pos, neg, unit_margin, kind == "squared_hinge", gradient)
    with np.errstate(over="ignore"):
        power = 1 if kind == "hinge" else 2
        loss = float(np.ldexp(loss, power * exponent))
        np.ldexp(gradient, (power - 1) * exponent, out=gradient)
    return loss


def _sorted_rows(positions: NDArray[np.intp], scores: Column, weights: Column) -> _RowsOfClass:
    """Return rows in increasing order of score and then of weight: that of nothing but values."""
    order = lexsort((weights, scores))
    return _RowsOfClass(positions[order], scores[order], weights[order], math.fsum(weights))


def _hinge(
    pos: _RowsOfClass, neg: _RowsOfClass, margin: float, squared: bool, gradient: Column
) -> float:
    """Fill a gradient of zeros, and return the loss: from two sweeps in which gaps only grow."""
    per_pair = (2 if squared else 1) / (pos.weight * neg.weight)
    slopes = np.empty(len(pos.scores))
    total = _rank_sum.sum_hinge_losses(
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
    _rank_sum.sum_hinge_losses(
        -neg.scores, neg.weights, -pos.scores, pos.weights, margin, squared, slopes
    )
    gradient[neg.positions] += per_pair * neg.weights * slopes
    return total / (pos.weight * neg.weight)


def _square(pos: _RowsOfClass, neg: _RowsOfClass, margin: float, gradient: Column) -> float:
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
