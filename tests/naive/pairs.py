"""Textbook definitions of pairs, of the area they make, of random ones and of a smooth area.

As in ``naive``, but in floating point where there are exponentials.
"""

import math
from fractions import Fraction

import numpy as np

from naive.rows import HALF, listed, ratio, rows_of, weights_of


def compare_pairs(rows):
    """Return the weight of the concordant pairs, of the tied pairs, and of all pairs."""
    concordant = tied = pairs = Fraction(0)
    for positive, score, weight in rows:
        for other_positive, other_score, other_weight in rows:
            if positive and not other_positive:
                pairs += weight * other_weight
                if score > other_score:
                    concordant += weight * other_weight
                if score == other_score:
                    tied += weight * other_weight
    return concordant, tied, pairs


def area_of(rows):
    concordant, tied, pairs = compare_pairs(rows)
    return ratio(concordant + HALF * tied, pairs)


def sigmoid_roc_auc(
    y_true, y_score, *, scale=1.0, sample_weight=None, pos_label=None, return_gradient=True
):
    rows = rows_of(y_true, y_score, None, pos_label)
    weights = weights_of(sample_weight, len(rows))
    values, slopes = [], [[] for _ in rows]
    total = Fraction(0)
    for i, (positive, score, _) in enumerate(rows):
        for j, (other, score_of_other, _) in enumerate(rows):
            if positive and not other:
                weight = weights[i] * weights[j]
                d = (float(score) - float(score_of_other)) / scale
                value = 1 / (1 + math.exp(-d)) if d > -700 else 0.0
                values.append(float(weight) * value)
                slopes[i].append(float(weight) * value * (1 - value) / scale)
                slopes[j].append(-slopes[i][-1])
                total += weight
    if total == 0:
        return (math.nan, [math.nan] * len(rows)) if return_gradient else math.nan
    value, gradient = math.fsum(values) / total, [math.fsum(each) / total for each in slopes]
    return (value, gradient) if return_gradient else value


def sample_pairs(y_true, n_pairs, *, pos_label=None, rng=None):
    label = 1 if pos_label is None else pos_label
    rows = list(enumerate(listed(y_true)))
    sides = [
        [row for row, truth in rows if (truth == label) == positive] for positive in (True, False)
    ]
    if not all(sides):
        return [], []
    generator = np.random.default_rng(rng)
    drawn = [generator.integers(0, len(side), n_pairs).tolist() for side in sides]
    return tuple([side[k] for k in numbers] for side, numbers in zip(sides, drawn, strict=True))
