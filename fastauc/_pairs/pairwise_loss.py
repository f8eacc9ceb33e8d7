"""Losses over all pairs of a positive and a negative, from two sweeps over the sorted rows."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import pairwise_loss as _pairwise_loss

Column = NDArray[np.float64]


class RowsOfClass(NamedTuple):
    """The rows of one class, and their total weight."""

    positions: NDArray[np.intp]
    scores: Column
    weights: Column
    weight: float


def sorted_rows(positions: NDArray[np.intp], scores: Column, weights: Column) -> RowsOfClass:
    """Return rows in increasing order of score and then of weight: that of nothing but values."""
    order = np.lexsort((weights, scores))
    return RowsOfClass(positions[order], scores[order], weights[order], math.fsum(weights))


def hinge(
    pos: RowsOfClass, neg: RowsOfClass, margin: float, squared: bool, gradient: Column
) -> float:
    """Fill a gradient of zeros, and return the loss: from two sweeps in which gaps only grow."""
    per_pair = (2 if squared else 1) / (pos.weight * neg.weight)
    slopes = np.empty(len(pos.scores))
    total = _pairwise_loss.sweep(
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
    _pairwise_loss.sweep(
        -neg.scores, neg.weights, -pos.scores, pos.weights, margin, squared, slopes
    )
    gradient[neg.positions] += per_pair * neg.weights * slopes
    return total / (pos.weight * neg.weight)


def square(pos: RowsOfClass, neg: RowsOfClass, margin: float, gradient: Column) -> float:
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
