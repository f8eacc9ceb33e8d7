"""What the right answer is, and how far two answers are apart.

Deliberately unlike the library: dictionaries, Python numbers and fractions.
"""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

import numpy as np

EXACT_UP_TO = 10_000  # rows; the exact answer is worked out in pure Python


def exact_points(y_true, y_score, sample_weight):
    """Return the exact weights (negative, positive) from each distinct score upward, descending."""
    sums = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for label, score, weight in zip(
        y_true.tolist(), y_score.tolist(), sample_weight.tolist(), strict=True
    ):
        sums[score][label] += Fraction(weight)
    points = [(Fraction(0), Fraction(0))]
    for score in sorted(sums, reverse=True):
        points.append((points[-1][0] + sums[score][0], points[-1][1] + sums[score][1]))
    return points


def exact_answer(metric, y_true, y_score, sample_weight):
    """Return the area or the average precision, rounded once (the latter: term by term)."""
    points = exact_points(y_true, y_score, sample_weight)
    steps = list(pairwise(points))
    n_neg, n_pos = points[-1]
    if metric in ("precision_recall_curve", "average_precision_score"):
        return math.fsum((tp - tp0) / n_pos * tp / (fp + tp) for (_, tp0), (fp, tp) in steps)
    twice = sum((fp - fp0) * (tp0 + tp) for (fp0, tp0), (fp, tp) in steps)
    return float(twice / (2 * n_pos * n_neg))


def as_number(metric, answer):
    """Return an answer as one number: the area under a curve, any other answer as it is."""
    if metric == "roc_curve":
        return float(np.sum(np.diff(answer[0]) * (answer[1][1:] + answer[1][:-1])) / 2)
    if metric == "precision_recall_curve":
        return float(-np.sum(np.diff(answer[1]) * answer[0][:-1]))
    return float(answer)


def is_exact(metric, answer, exact):
    """Tell whether fastauc kept its promise about this metric."""
    if metric == "roc_auc_score":
        return answer == exact  # correctly rounded
    if metric == "roc_auc_score_weighted":
        return abs(answer - exact) <= 4 * math.ulp(exact)
    return math.isclose(answer, exact, rel_tol=1e-12)  # summed here, over up to 1e4 points


def difference(ours, theirs):
    """Return the largest relative difference; inf for curves of unequal length, nan for a nan."""
    pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
    largest = 0.0
    for our, their in pairs:
        our, their = np.atleast_1d(our), np.atleast_1d(their)
        if our.shape != their.shape:
            return math.inf
        differs = our != their  # spares inf - inf, the first threshold
        our, their = our[differs].astype(np.float64), their[differs].astype(np.float64)
        largest = np.maximum(largest, np.max(np.abs((our - their) / our), initial=0.0))
    return float(largest)
