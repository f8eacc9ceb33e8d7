"""The difference of two scores by its definition: rows are drawn, with both of their scores."""

import math
from statistics import stdev

import numpy as np
import scipy.stats

from naive import curves
from naive.bootstrap import (
    _draw,
    _groups_of_rows,
    _list,
    _strata,
    has_both_classes,
    quantile,
    statistic_of_rows,
)
from naive.labels import with_pos_label


def _difference(rows, statistic, max_fpr):
    """Return the difference of rows (is positive, both scores, weight)."""
    first, second = (
        statistic_of_rows([(p, scores[k], w) for p, scores, w in rows], statistic, max_fpr)
        for k in (0, 1)
    )
    return float(first - second)


def joint_rows(y_true, score_a, score_b, sample_weight):
    """Return (is positive, both scores, weight) of every row of a weight above 0."""
    y_true = _list(y_true)
    pairs = list(zip(_list(score_a), _list(score_b), strict=True))
    # The scores are only handed on.
    rows = curves._rows(y_true, list(range(len(pairs))), sample_weight, True)
    return [(positive, pairs[i], weight) for positive, i, weight in rows]


def tested(value, values, n_units, alternative, method, level):
    """Return the statistic, the p-value, the standard error, and both ends of the interval."""
    error, distribution, center = stdev(values), scipy.stats.norm, value
    if method == "t":
        center, distribution = math.fsum(values) / len(values), scipy.stats.t(max(1, n_units - 1))
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
    low = -1.0 if alternative == "less" else max(low, -1.0)
    high = 1.0 if alternative == "greater" else min(high, 1.0)
    return statistic, pvalues[alternative], error, (low, high)


@with_pos_label
def bootstrap_test(
    y_true,
    score_a,
    score_b,
    *,
    statistic="roc_auc",
    alternative="two-sided",
    method="t",
    confidence_level=0.95,
    n_resamples=2000,
    stratified=None,
    groups=None,
    bayesian=False,
    max_fpr=None,
    sample_weight=None,
    rng=None,
    n_jobs=None,
):
    rows = joint_rows(y_true, score_a, score_b, sample_weight)
    groups = _groups_of_rows(groups, sample_weight)
    rng = np.random.default_rng(rng)
    strata = _strata(rows, groups, stratified)
    values = []
    while len(values) < n_resamples:
        drawn = [row for units in strata for row in _draw(units, bayesian, len(strata) == 2, rng)]
        if has_both_classes(drawn):
            values.append(_difference(drawn, statistic, max_fpr))
    value = _difference(rows, statistic, max_fpr)
    if set(values) == {value} == {0.0}:
        return 0.0, 1.0, 0.0, 0.0, (0.0, 0.0), values
    if len(set(values)) == 1:
        return math.nan, math.nan, value, math.nan, (math.nan, math.nan), values
    n_units = min(
        len({k if groups is None else groups[k] for k, row in enumerate(rows) if row[0] == own})
        for own in (True, False)
    )
    rule = alternative, method, confidence_level
    test, pvalue, error, ends = tested(value, values, n_units, *rule)
    return test, pvalue, value, error, ends, values


def bootstrap_test_result(
    statistic, pvalue, difference, standard_error, confidence_interval, bootstrap_distribution
):
    return {}
