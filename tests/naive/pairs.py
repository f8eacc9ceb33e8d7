"""Textbook definitions of random pairs, of a smooth area over all pairs, and of the binormal model.

As in ``naive``, but in floating point where there are exponentials.
"""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from naive.parts import _list, _rows

NORMAL = NormalDist()


def sigmoid_roc_auc(
    y_true, y_score, *, scale=1.0, sample_weight=None, pos_label=None, return_gradient=True
):
    rows = _rows(y_true, y_score, None, pos_label)
    weights = [1] * len(rows) if sample_weight is None else _list(sample_weight)
    values, slopes = [], [[] for _ in rows]
    total = Fraction(0)
    for i, (positive, score, _) in enumerate(rows):
        for j, (other, score_of_other, _) in enumerate(rows):
            if positive and not other:
                weight = Fraction(weights[i]) * Fraction(weights[j])
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
    rows = list(enumerate(_list(y_true)))
    sides = [
        [row for row, truth in rows if (truth == label) == positive] for positive in (True, False)
    ]
    if not all(sides):
        return [], []
    generator = np.random.default_rng(rng)
    drawn = [generator.integers(0, len(side), n_pairs).tolist() for side in sides]
    return tuple([side[k] for k in numbers] for side, numbers in zip(sides, drawn, strict=True))


def roc_auc_monte_carlo(
    y_true, y_score, n_pairs=1_000_000, *, confidence_level=0.95, pos_label=None, rng=None
):
    """Up to 65,536 pairs: of more, so many at a time are drawn."""
    y_score = _list(y_score)
    pairs = zip(*sample_pairs(y_true, n_pairs, pos_label=pos_label, rng=rng), strict=True)
    gaps = [(y_score[i] > y_score[j]) - (y_score[i] < y_score[j]) for i, j in pairs]
    if not gaps:
        return math.nan, math.nan, (math.nan, math.nan), confidence_level, "pairs"
    values = [Fraction(1 + gap, 2) for gap in gaps]
    mean = sum(values) / n_pairs
    variance = sum((value - mean) ** 2 for value in values) / n_pairs
    size = n_pairs * mean * (1 - mean) / variance if variance else n_pairs
    z = NORMAL.inv_cdf((1 + confidence_level) / 2)
    center = (float(mean) + z * z / (2 * size)) / (1 + z * z / size)
    half = z * math.sqrt(float(mean * (1 - mean) / size) + z * z / (4 * size * size))
    half /= 1 + z * z / size
    interval = max(center - half, 0.0), min(center + half, 1.0)
    return float(mean), math.sqrt(variance / n_pairs), interval, confidence_level, "pairs"


def binormal_roc_auc(a, b=1.0):
    return NORMAL.cdf(a / math.sqrt(1 + b * b))


def binormal_roc_curve(fpr, a, b=1.0):
    """The rates of two normal classes at the threshold that this share of the negatives exceeds."""
    if hasattr(fpr, "__len__"):
        return [binormal_roc_curve(rate, a, b) for rate in fpr]
    if fpr in (0, 1):
        return float(fpr)
    threshold = NormalDist(0, b).inv_cdf(1 - fpr)
    return 1 - NormalDist(a, 1).cdf(threshold)
