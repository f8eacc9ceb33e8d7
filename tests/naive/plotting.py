"""The textbook definitions of what displays draw, where no public function computes it.

As in ``naive``: plain loops over rows and fractions, whatever the time. What is undefined is NaN.
"""

from fractions import Fraction

from naive.curves import confusion_matrix, confusion_matrix_at_thresholds
from naive.rows import ratio


def score_distribution(y_true, y_score, weights, bins):
    """Return the edges of the bins, and the share of each class in each bin."""
    low, high = Fraction(min(y_score)), Fraction(max(y_score))
    if low == high:
        low, high, bins = low - Fraction(1, 2), high + Fraction(1, 2), 1
    edges = [low + Fraction(k, bins) * (high - low) for k in range(bins + 1)]
    shares = []
    for label in (0, 1):
        sums = [Fraction(0)] * bins
        for row_label, score, weight in zip(y_true, y_score, weights, strict=True):
            if row_label == label:
                above = sum(score >= edge for edge in edges)
                sums[min(above, bins) - 1] += Fraction(weight)
        shares.append([ratio(rows, sum(sums)) for rows in sums])
    return edges, *shares


def order_of_pairs(y_true, y_score):
    """Return 1, 0 or -1 for each pair that is in order, tied or not, the best rows first."""
    rows = sorted(zip(y_score, y_true, strict=True), reverse=True)
    positives = [score for score, label in rows if label == 1]
    negatives = [score for score, label in rows if label == 0]
    return [[(p > n) - (p < n) for n in negatives] for p in positives]


def calibration(y_true, y_score, weights, starts):
    """Return the share of positives and the mean score of the bins that begin at these scores."""
    bins = {}
    for label, score, weight in zip(y_true, y_score, weights, strict=True):
        number = sum(score >= start for start in starts)
        rows, positives, scores = bins.get(number, (0, 0, 0))
        weight = Fraction(weight)
        bins[number] = (
            rows + weight,
            positives + (weight if label == 1 else 0),
            scores + weight * Fraction(score),
        )
    ordered = [bins[number] for number in sorted(bins) if bins[number][0] != 0]
    shares = [positives / rows for rows, positives, _ in ordered]
    return shares, [scores / rows for rows, _, scores in ordered]


def rates_along(y_true, y_score, weights):
    """Return the thresholds in increasing order, and each rate at them."""
    *counts, thresholds = confusion_matrix_at_thresholds(y_true, y_score, sample_weight=weights)
    rates = {}
    for tn, fp, fn, tp in reversed(list(zip(*counts, strict=True))):
        found = confusion_matrix(tn, fp, fn, tp)
        found["share"] = ratio(tp + fp, tn + fp + fn + tp)
        for name in ("tpr", "fpr", "precision", "f1", "accuracy", "share"):
            rates.setdefault(name, []).append(found[name])
    return thresholds[::-1], rates
