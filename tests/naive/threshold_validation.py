"""The optimism of the best threshold by its definition: rows are drawn, and others left."""

import math
from fractions import Fraction
from statistics import fmean

import numpy as np

from naive.gains import criteria, optimal_threshold
from naive.rows import totals

LIMITED = ("max_fpr", "min_recall", "min_precision")


def numbers_at(rows, threshold, method, given):
    """Return the criterion of rows (is positive, score, weight) at a threshold, and the rate."""
    n_pos, n_neg = totals(rows)
    if n_pos == 0 or n_neg == 0:
        return math.nan, math.nan
    tp, fp = totals([row for row in rows if row[1] >= threshold])
    values, precision = criteria(tp, fp, n_pos, n_neg, given)
    value = values[method]
    if method == "closest_topleft":
        value = math.sqrt(value)
    if method == "profit":
        value /= n_pos + n_neg
    rates = {"max_fpr": fp / n_neg, "min_recall": tp / n_pos, "min_precision": precision}
    return float(value), float(rates.get(method, math.nan))


def measured(rows, counts, method, given):
    """Return the threshold of drawn rows, and the numbers on these, on those left and on all."""
    drawn = [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]
    left = [row for row, count in zip(rows, counts, strict=True) if count == 0]
    labels, scores, weights = zip(*drawn, strict=True)
    threshold = optimal_threshold(
        labels, scores, method=method, **given, pos_label=True, sample_weight=weights
    )[0]
    return threshold, *(numbers_at(some, threshold, method, given) for some in (drawn, left, rows))


def _draw(rows, stratified, rng):
    """Return how often each row is drawn, so that both classes are."""
    counts = [0] * len(rows)
    strata = [range(len(rows))]
    if stratified:
        strata = [[i for i, row in enumerate(rows) if row[0] == own] for own in (True, False)]
    for places in strata:
        for _ in places:
            counts[places[rng.integers(len(places))]] += 1
    drawn = {row[0] for row, count in zip(rows, counts, strict=True) if count}
    return counts if len(drawn) == 2 else _draw(rows, stratified, rng)


def summarized(apparent, in_bag, out_of_bag, whole):
    def mean(values):
        kept = [value for value in values if not math.isnan(value)]
        return fmean(kept) if kept else math.nan

    optimism = mean([own - other for own, other in zip(in_bag, whole, strict=True)])
    return apparent, mean(in_bag), mean(out_of_bag), optimism, apparent - optimism


def optimal_threshold_validation(
    y_true,
    y_score,
    *,
    method="youden",
    cost_fp=None,
    cost_fn=None,
    prevalence=None,
    cost=None,
    revenue=None,
    limit=None,
    n_resamples=1000,
    stratified=True,
    sample_weight=None,
    rng=None,
    pos_label=None,
):
    """Return the threshold, the estimates of value and limited rate, and all thresholds."""
    given = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": prevalence}
    given |= {"cost": cost, "revenue": revenue, "limit": limit}
    weights = [1] * len(y_true) if sample_weight is None else sample_weight
    own = 1 if pos_label is None else pos_label
    rows = [
        (label == own, score, Fraction(weight))
        for label, score, weight in zip(y_true, y_score, weights, strict=True)
        if weight != 0
    ]
    rng = np.random.default_rng(rng)
    scale = float(sum(row[2] for row in rows)) if method == "profit" else 1.0
    thresholds, parts = [], ([], [], [])
    for _ in range(n_resamples):
        found, *numbers = measured(rows, _draw(rows, stratified, rng), method, given)
        thresholds.append(found)
        for part, number in zip(parts, numbers, strict=True):
            part.append(number)
    threshold, apparent, *_ = measured(rows, [1] * len(rows), method, given)
    estimates = [
        summarized(by * apparent[k], *([by * numbers[k] for numbers in part] for part in parts))
        for k, by in ((0, scale), (1, 1.0))
    ]
    return threshold, estimates[0], estimates[1] if method in LIMITED else None, thresholds
