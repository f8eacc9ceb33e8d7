"""The difference of two scores by its definition: rows are drawn, with both of their scores."""

import math
from statistics import stdev, variance

import numpy as np
import scipy.stats

from naive.bootstrap import (
    _draw,
    _groups_of_rows,
    _strata,
    custom,
    has_both_classes,
    quantile,
    statistic_of_rows,
)
from naive.rows import listed, rows_of, with_pos_label


def _value(rows, statistic, takes, weighted):
    if callable(statistic):
        return custom(rows, statistic, takes, weighted)
    return statistic_of_rows(rows, statistic)


def _difference(rows, *statistic):
    """Return the difference of rows (is positive, both scores, weight)."""
    first, second = (
        _value([(p, scores[k], w) for p, scores, w in rows], *statistic) for k in (0, 1)
    )
    return float(first - second)


def joint_rows(y_true, score_a, score_b, sample_weight):
    """Return (is positive, both scores, weight) of every row of a weight above 0."""
    y_true = listed(y_true)
    pairs = list(zip(listed(score_a), listed(score_b), strict=True))
    # The scores are only handed on.
    rows = rows_of(y_true, list(range(len(pairs))), sample_weight, True)
    return [(positive, pairs[i], weight) for positive, i, weight in rows]


def tested(value, values, df, alternative, method, level, most):
    """Return the statistic, the p-value, the standard error, and both ends of the interval."""
    error, distribution, center = stdev(values), scipy.stats.norm, value
    if method == "t":
        center, distribution = math.fsum(values) / len(values), scipy.stats.t(df)
    statistic = center / error

    def ends(tail):
        if method in ("t", "normal"):
            width = distribution.isf(tail) * error
            return center - width, center + width
        low, high = quantile(values, tail), quantile(values, 1 - tail)
        return (2 * value - high, 2 * value - low) if method == "basic" else (low, high)

    def least_tail(holds):
        """Return the greatest tail whose interval holds 0, by halving; as for an open end."""
        inside, outside = 0.0, 1.0
        if not holds(inside):
            return inside
        for _ in range(80):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if holds(middle) else (inside, middle)
        return inside

    above = least_tail(lambda tail: ends(tail)[0] <= 0)
    below = least_tail(lambda tail: ends(tail)[1] >= 0)
    if method in ("percentile", "basic"):
        least = 1 / (len(values) + 1)
        above, below = (min(1 - least, max(least, share)) for share in (above, below))
    pvalues = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}
    low, high = ends((1 - level) / (2 if alternative == "two-sided" else 1))
    low = -most if alternative == "less" else max(low, -most)
    high = most if alternative == "greater" else min(high, most)
    return statistic, pvalues[alternative], error, (low, high)


def _drawn_of(rows, groups, n, rng):
    """Return so many samples of rows, or of clusters, of both classes."""
    strata, drawn = _strata(rows, groups, None), []
    while len(drawn) < n:
        sample = [row for units in strata for row in _draw(units, False, len(strata) == 2, rng)]
        if has_both_classes(sample):
            drawn.append(sample)
    return drawn


@with_pos_label
def bootstrap_test(
    y_true,
    score_a,
    score_b,
    *,
    y_true_b=None,
    statistic="roc_auc",
    statistic_of="counts",
    alternative="two-sided",
    method="t",
    confidence_level=0.95,
    n_resamples=2000,
    groups=None,
    sample_weight=None,
    rng=None,
):
    rng = np.random.default_rng(rng)
    of = statistic, statistic_of, sample_weight is not None
    if y_true_b is None:
        rows = joint_rows(y_true, score_a, score_b, sample_weight)
        groups = _groups_of_rows(groups, sample_weight)
        values = [_difference(drawn, *of) for drawn in _drawn_of(rows, groups, n_resamples, rng)]
        value = _difference(rows, *of)
        df = max(1, _rarest(rows, groups) - 1)
    else:
        samples = [rows_of(*each, None, True) for each in ((y_true, score_a), (y_true_b, score_b))]
        found = [float(_value(rows, *of)) for rows in samples]
        replicates = [
            [float(_value(drawn, *of)) for drawn in _drawn_of(rows, None, n_resamples, rng)]
            for rows in samples
        ]
        value = found[0] - found[1]
        values = [a - b for a, b in zip(*replicates, strict=True)]
        df = welch(replicates, [max(1, _rarest(rows, None) - 1) for rows in samples])
    if set(values) == {value} == {0.0}:
        return 0.0, 1.0, 0.0, 0.0, (math.nan, math.nan), values
    if len(set(values)) == 1:
        return math.nan, math.nan, value, math.nan, (math.nan, math.nan), values
    most = math.inf if callable(statistic) else 1.0
    rule = alternative, method, confidence_level, most
    test, pvalue, error, ends = tested(value, values, df, *rule)
    return test, pvalue, value, error, ends, values


def _rarest(rows, groups):
    """Return how many rows, or clusters, the class with fewer of them has."""
    return min(
        len({k if groups is None else groups[k] for k, row in enumerate(rows) if row[0] == own})
        for own in (True, False)
    )


def welch(replicates, dfs):
    """Return the degrees of freedom of the difference of two samples."""
    first, second = map(variance, replicates)
    if first + second == 0:
        return math.inf
    return (first + second) ** 2 / (first**2 / dfs[0] + second**2 / dfs[1])
