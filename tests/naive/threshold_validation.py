"""The optimism of the best threshold by its definition, where some rows are drawn, others left."""

import math
from statistics import fmean

from naive.gains import criteria, optimal_threshold
from naive.rows import rows_of, totals

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


def summarized(apparent, in_bag, out_of_bag, whole):
    def mean(values):
        kept = [value for value in values if not math.isnan(value)]
        return fmean(kept) if kept else math.nan

    optimism = mean([own - other for own, other in zip(in_bag, whole, strict=True)])
    return apparent, mean(in_bag), mean(out_of_bag), optimism, apparent - optimism


def optimal_threshold_validation(
    y_true,
    y_score,
    drawn,
    *,
    method="youden",
    cost_fp=None,
    cost_fn=None,
    prevalence=None,
    cost=None,
    revenue=None,
    limit=None,
    sample_weight=None,
):
    """Return the threshold, the estimates of value and limited rate, and all thresholds.

    ``drawn`` has a list for each replicate: how often each row is drawn.
    """
    given = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": prevalence}
    given |= {"cost": cost, "revenue": revenue, "limit": limit}
    rows = rows_of(y_true, y_score, sample_weight)
    scale = float(sum(totals(rows))) if method == "profit" else 1.0
    threshold, apparent, *_ = measured(rows, [1] * len(rows), method, given)
    thresholds, *parts = zip(*(measured(rows, n, method, given) for n in drawn), strict=True)
    estimates = [
        summarized(by * apparent[k], *([by * numbers[k] for numbers in part] for part in parts))
        for k, by in ((0, scale), (1, 1.0))
    ]
    return threshold, estimates[0], estimates[1] if method in LIMITED else None, list(thresholds)
