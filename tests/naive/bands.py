"""Bands of the specificity and of the precision, by the definitions of what they are made of."""

import math

import numpy as np

from naive.bootstrap import _rectangles, _replicates, quantile, roc_curve_band
from naive.gains import share_meant
from naive.parts import precision_at_recall
from naive.rate_intervals import _invert, precision_at_recall_ci
from naive.rows import listed, rows_of


def _complement(rate, rows):
    """Return 1 less the share of the positives that a rate stands for, as a double."""
    return float(1 - share_meant(rate, [row for row in rows if row[0]]))


def _exchanged(rows):
    """Return the negatives as positives, with the order of the scores turned."""
    return [(not positive, -score, weight) for positive, score, weight in rows]


def specificity_band(y_true, y_score, *, tpr=None, sample_weight=None, pos_label=None, **options):
    """Return the specificities at the rates, and both ends of the band there."""
    rows = rows_of(y_true, y_score, sample_weight, pos_label)
    rates = [k / 100 for k in range(101)] if tpr is None else listed(tpr)
    truth, scores, _ = zip(*_exchanged(rows), strict=True)
    fpr = [_complement(rate, rows) for rate in reversed(rates)]
    options |= {"sample_weight": sample_weight, "pos_label": True}
    heights, ends = roc_curve_band(truth, scores, fpr=fpr, **options)
    return heights[::-1], ends[::-1]


def precision_recall_band(
    y_true,
    y_score,
    *,
    recall=None,
    method="binomial",
    confidence_level=0.95,
    n_resamples=2000,
    pos_label=None,
    rng=None,
):
    """Return the precisions at the recalls, and both ends of the band there."""
    rows = rows_of(y_true, y_score, None, pos_label)
    recalls = [k / 100 for k in range(1, 101)] if recall is None else listed(recall)
    heights = [float(value) for value in precision_at_recall(y_true, y_score, recalls)]
    if method == "dkw":
        return heights, [_ends_of_curve(rows, rate, confidence_level) for rate in recalls]
    ends = [
        precision_at_recall_ci(y_true, y_score, rate, confidence_level=confidence_level)[1:3]
        for rate in recalls
    ]
    if method == "sup-t-binomial":
        generator = np.random.default_rng(rng)
        drawn = _replicates(rows, None, False, False, n_resamples, generator)
        values = [precisions_of_rows(sample, recalls) for sample in drawn]
        n_pos = sum(1 for positive, _, _ in rows if positive)
        ends = widen(recalls, heights, ends, values, 1 / n_pos, confidence_level)
    return heights, ends


def precisions_of_rows(rows, recalls):
    """Return the precision of rows at each recall."""
    truth, scores, _ = zip(*rows, strict=True)
    return [float(value) for value in precision_at_recall(truth, scores, recalls, pos_label=True)]


def widen(recalls, heights, ends, values, end, confidence_level):
    """Return ends further away by one factor, for the heights of each replicate."""
    ratios = []
    for drawn in values:
        ratio = 1.0
        for rate, height, (low, high), value in zip(recalls, heights, ends, drawn, strict=True):
            width = height - low if value < height else high - height
            if end <= rate <= 1 - end and value != height and width > 0:
                ratio = max(ratio, abs(value - height) / width)
        ratios.append(ratio)
    factor = quantile(ratios, confidence_level)
    return [
        (max(height - factor * (height - low), 0.0), min(height + factor * (high - height), 1.0))
        for height, (low, high) in zip(heights, ends, strict=True)
    ]


def _ends_of_curve(rows, recall, confidence_level):
    """Return the precisions of both ends of the false positive rate and the share of positives."""
    level = math.sqrt(confidence_level)
    specificities = _rectangles(_exchanged(rows), _complement(recall, rows), level)
    n, n_pos, tail = len(rows), sum(1 for positive, _, _ in rows if positive), (1 - level) / 2
    shares = (
        _invert(n, lambda x: x >= n_pos, tail),
        _invert(n, lambda x: x > n_pos, 1 - tail),
    )
    return [
        share * recall / (share * recall + (1 - share) * (1 - specificity))
        for share, specificity in zip(shares, specificities, strict=True)
    ]
