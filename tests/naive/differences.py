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


def tested(value, values, alternative, method, level):
    """Return the statistic, the p-value, the standard error, and both ends of the interval."""
    error = stdev(values)
    statistic = value / error
    tail = 1 - level
    if alternative == "two-sided":
        tail /= 2
        pvalue = 2 * scipy.stats.norm.sf(abs(statistic))
    else:
        pvalue = scipy.stats.norm.sf(statistic if alternative == "greater" else -statistic)
    low, high = quantile(values, tail), quantile(values, 1 - tail)
    if method == "basic":
        low, high = 2 * value - high, 2 * value - low
    low = -1.0 if alternative == "less" else max(low, -1.0)
    high = 1.0 if alternative == "greater" else min(high, 1.0)
    return statistic, pvalue, error, (low, high)


@with_pos_label
def bootstrap_test(
    y_true,
    score_a,
    score_b,
    *,
    statistic="roc_auc",
    alternative="two-sided",
    method="percentile",
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
    test, pvalue, error, ends = tested(value, values, alternative, method, confidence_level)
    return test, pvalue, value, error, ends, values


def bootstrap_test_result(
    statistic, pvalue, difference, standard_error, confidence_interval, bootstrap_distribution
):
    return {}
