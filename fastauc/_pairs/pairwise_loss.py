"""Sums over all positive-negative pairs: losses in two sweeps, sigmoids one pair at a time."""

import math
from collections.abc import Callable
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import rank_sum as _rank_sum
from fastauc._pairs.exact_sum import exact_sum
from fastauc._pairs.sorting import lexsort
from fastauc._validation.arrays import as_doubles
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import LossKind
from fastauc._validation.options import check_pos_label
from fastauc._validation.samples import (
    BinarySample,
    as_float64,
    complete_sample,
    read_binary_labels,
    read_inputs,
)
from fastauc._validation.threads import SERIAL

KINDS = get_args(LossKind)
_LARGEST = 400
_PAIRS_AT_ONCE = 1 << 17  # a megabyte of differences

Column = NDArray[np.float64]


class PairRows(NamedTuple):
    """The rows whose pairs are summed.

    Attributes
    ----------
    sample : BinarySample
        The rows with nonzero weight.
    scores : float64 array
        The scores of all rows.
    kept : intp array
        The positions of the sample's rows among all rows.
    """

    sample: BinarySample
    scores: Column
    kept: NDArray[np.intp]


def read_pair_rows(
    y_true: object, y_score: object, sample_weight: object, pos_label: Label | None, function: str
) -> PairRows:
    """Return the sample of the given arguments, with scores as doubles."""
    check_pos_label(pos_label, function, optional=True)
    inputs = read_inputs(y_true, y_score, sample_weight, function)
    sample = complete_sample(*read_binary_labels(inputs.y_true, pos_label, SERIAL), inputs)
    scores = as_doubles(sample.order)[0].astype(np.float64, copy=False)
    kept = np.arange(len(scores))
    if inputs.sample_weight is not None:
        kept = np.flatnonzero(as_float64(inputs.sample_weight, "sample_weight"))
    return PairRows(sample, scores, kept)


def over_all_pairs(
    rows: PairRows, fill: Callable[[PairRows, Column], float]
) -> tuple[float, Column]:
    """Return a mean over pairs and the gradient filled by ``fill``; NaN for one class."""
    gradient = np.zeros(len(rows.scores))
    n_pos, n_neg = rows.sample.n_pos, rows.sample.n_neg
    warn_if_undefined(n_pos, n_neg)
    if n_pos == 0 or n_neg == 0:
        gradient.fill(math.nan)
        return math.nan, gradient
    return fill(rows, gradient), gradient


class _RowsOfClass(NamedTuple):
    """The rows of one class, and their total weight."""

    positions: NDArray[np.intp]
    scores: Column
    weights: Column
    weight: float


def fill_loss(rows: PairRows, gradient: Column, *, kind: str, margin: float) -> float:
    """Fill a gradient of zeros, and return the mean loss."""
    scores = rows.scores
    # Scaled by powers of two, so that nothing overflows and scaling is exact. The largest score is
    # near 2^400: even the smallest one is then not subnormal, together with any below 2^400.
    exponent = math.frexp(max(float(np.abs(scores).max()), margin))[1] - _LARGEST
    scores = np.ldexp(scores, -exponent)
    unit_margin = math.ldexp(margin, -exponent)
    classes = _scaled_weights(rows)
    if kind == "square":
        pos, neg = (
            _RowsOfClass(at, scores[at], weight, exact_sum(weight)) for at, weight in classes
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


def _scaled_weights(rows: PairRows) -> list[tuple[NDArray[np.intp], Column]]:
    """Return the positions and the weights of the rows of each class, positives first.

    A mean over pairs does not change if all weights of a class are multiplied by the same power of
    two, so the largest of each is brought near 1: the product of both sums is never 0.
    """
    sample, _, kept = rows
    is_positive = sample.label.view(np.bool_)
    classes = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    if sample.weight is None:
        return [(kept[own], np.full(len(own), 0.5)) for own in classes]
    weights = [sample.weight[own] for own in classes]
    return [
        (kept[own], np.ldexp(weight, -math.frexp(float(weight.max()))[1]))
        for own, weight in zip(classes, weights, strict=True)
    ]


def _sorted_rows(positions: NDArray[np.intp], scores: Column, weights: Column) -> _RowsOfClass:
    """Return rows in increasing order of score and then of weight, which depends on values only."""
    is_weighted = weights.min() < weights.max()
    order = lexsort((weights, scores) if is_weighted else (scores,))
    return _RowsOfClass(positions[order], scores[order], weights[order], exact_sum(weights))


def _hinge(
    pos: _RowsOfClass, neg: _RowsOfClass, margin: float, squared: bool, gradient: Column
) -> float:
    """Fill a gradient of zeros, and return the loss, from two sweeps in which gaps only grow."""
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
    # A gap t + margin - s is (-s) + margin - (-t): for the negatives, all signs are reversed.
    _rank_sum.sum_hinge_losses(
        -neg.scores, neg.weights, -pos.scores, pos.weights, margin, squared, slopes
    )
    gradient[neg.positions] += per_pair * neg.weights * slopes
    return total / (pos.weight * neg.weight)


def _square(pos: _RowsOfClass, neg: _RowsOfClass, margin: float, gradient: Column) -> float:
    """Fill a gradient of zeros, and return the loss: the squared mean gap and both variances.

    Every sum is correctly rounded, whatever the order. Scores are centered at their common mean, so
    that a constant added to all of them cancels before squaring.
    """
    middle = (exact_sum(pos.scores) + exact_sum(neg.scores)) / (len(pos.scores) + len(neg.scores))
    pos, neg = pos._replace(scores=pos.scores - middle), neg._replace(scores=neg.scores - middle)
    means = [exact_sum(rows.weights * rows.scores) / rows.weight for rows in (pos, neg)]
    variances = [
        exact_sum(rows.weights * (rows.scores - mean) ** 2) / rows.weight
        for rows, mean in zip((pos, neg), means, strict=True)
    ]
    gaps_of_pos = margin - pos.scores + means[1]
    gaps_of_neg = margin - means[0] + neg.scores
    gradient[pos.positions] -= 2 / pos.weight * pos.weights * gaps_of_pos
    gradient[neg.positions] += 2 / neg.weight * neg.weights * gaps_of_neg
    return float((margin - means[0] + means[1]) ** 2 + variances[0] + variances[1])


def fill_sigmoid(rows: PairRows, gradient: Column, *, scale: float) -> float:
    """Fill a gradient of zeros, and return the mean of the sigmoid of d / scale.

    A sigmoid of a difference does not factorize, so each pair is evaluated.
    """
    scores = rows.scores
    (pos, of_pos), (neg, of_neg) = _scaled_weights(rows)
    whole = exact_sum(of_pos) * exact_sum(of_neg)
    n_at_once = max(1, _PAIRS_AT_ONCE // len(neg))
    sums, slopes_of_neg = [], np.zeros(len(neg))
    # For a tiny scale, quotients and slopes are infinite.
    with np.errstate(over="ignore"):
        for start in range(0, len(pos), n_at_once):
            some, weight = pos[start : start + n_at_once], of_pos[start : start + n_at_once]
            # Relative to 0, not 1/2: equally accurate for differences of either sign.
            halves = np.tanh((scores[some, None] / 2 - scores[neg] / 2) / scale) / 2
            sums.append(weight @ (halves @ of_neg))
            slopes = (0.25 - halves * halves) / scale
            gradient[some] = weight * (slopes @ of_neg) / whole
            slopes_of_neg += weight @ slopes
        gradient[neg] = -of_neg * slopes_of_neg / whole
    return 0.5 + math.fsum(sums) / whole
