"""The bootstrap by its definition: rows are drawn, repeated, and the statistic computed anew.

Replicates are samples of rows (is positive, score, weight). Draws are NumPy's, one at a time, so
intervals agree with those of fastauc only as far as chance allows; what is computed of given draws
agrees exactly.
"""

import math
from fractions import Fraction
from statistics import NormalDist, fmean, stdev, variance

import numpy as np
import scipy.stats

from naive import curves
from naive.inference import _sizes
from naive.parts import area_up_to
from naive.rows import listed, rows_of

NORMAL = NormalDist()

# Replicates -------------------------------------------------------------------------------------


def repeat_rows(rows, counts):
    """Return the rows with each as often as its count says."""
    return [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


def has_both_classes(rows):
    return {bool(positive) for positive, _, _ in rows} == {False, True}


def statistic_of_rows(rows, statistic, max_fpr=None):
    """Return the statistic of rows of both classes, exactly."""
    if statistic == "roc_auc":
        return curves.area_of(rows)
    if statistic == "partial_roc_auc":
        return area_up_to(rows, max_fpr)
    if statistic == "average_precision":
        return curves._average_precision(rows)
    truth, scores, weights = zip(*rows, strict=True)
    return curves.ks_score(truth, scores, pos_label=True, sample_weight=weights)


def _value(rows, statistic, max_fpr=None):
    return float(statistic_of_rows(rows, statistic, max_fpr))


def _strata(rows, groups, stratified):
    """Return the units that are drawn, as lists of rows; those of each stratum."""
    if groups is not None:
        names = sorted(set(groups))
        return [[[r for r, g in zip(rows, groups, strict=True) if g == name] for name in names]]
    if stratified:
        return [[[row] for row in rows if row[0] == positive] for positive in (True, False)]
    return [[[row] for row in rows]]


def groups_of_rows(groups, sample_weight):
    """Return the groups of the rows whose weight is not 0."""
    if groups is None or sample_weight is None:
        return groups if groups is None else listed(groups)
    pairs = zip(listed(groups), listed(sample_weight), strict=True)
    return [group for group, weight in pairs if weight != 0]


def effective_sizes(rows, groups):
    """Return Kish's effective numbers of positives and of negatives, or of their groups."""
    positive, _, weights = zip(*rows, strict=True)
    return _sizes(positive, weights, groups)


def _draw(units, bayesian, stratified, rng):
    if bayesian:
        factors = [rng.standard_exponential() for _ in units]
        mean = fmean(factors) if stratified else 1
        return [
            (positive, score, weight * Fraction(factor / mean))
            for unit, factor in zip(units, factors, strict=True)
            for positive, score, weight in unit
        ]
    return [row for _ in units for row in units[rng.integers(len(units))]]


def replicates(rows, groups, stratified, bayesian, n_resamples, rng):
    """Return so many samples of rows, or of groups, of both classes."""
    rng, strata, found = np.random.default_rng(rng), _strata(rows, groups, stratified), []
    while len(found) < n_resamples:
        drawn = [row for units in strata for row in _draw(units, bayesian, len(strata) == 2, rng)]
        if has_both_classes(drawn):
            found.append(drawn)
    return found


# Intervals --------------------------------------------------------------------------------------


def quantile(values, level):
    """Return the quantile between neighbors: the first value at 0, the last at 1."""
    values = sorted(values)
    place = level * (len(values) - 1)
    below = min(math.floor(place), len(values) - 2)
    return values[below] + (place - below) * (values[below + 1] - values[below])


def jackknife(rows, statistic, max_fpr=None, groups=None, stratified=True):
    """Return the values without each unit; a list for each stratum."""
    strata = _strata(rows, groups, stratified)
    values = []
    for units in strata:
        kept = [row for other in strata if other is not units for unit in other for row in unit]
        values.append([])
        for i in range(len(units)):
            left = kept + [row for j, unit in enumerate(units) if j != i for row in unit]
            if has_both_classes(left):
                values[-1].append(float(statistic_of_rows(left, statistic, max_fpr)))
    return values


def acceleration(strata):
    """Efron and Tibshirani (1993), eq. 14.15; several samples as SciPy adds them up."""
    cubes = squares = 0
    for values in strata:
        n, mean = len(values), fmean(values)
        cubes += sum(((n - 1) * (mean - value)) ** 3 for value in values) / n**3
        squares += sum(((n - 1) * (mean - value)) ** 2 for value in values) / n**2
    return cubes / (6 * squares**1.5)


def smirnov_distance(rows, groups, confidence_level):
    """Return the distance of samples of equal classes that few are beyond, by Smirnov's series."""
    tail = 1 - confidence_level
    return math.sqrt(-math.log(tail / 2) / 2 * sum(1 / n for n in effective_sizes(rows, groups)))


def interval(values, statistic, method, confidence_level, accelerated=0, chance=None, df=math.inf):
    """Return both ends; ``chance`` is the greatest K-S distance that may be chance."""
    tails = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    if method == "bca":
        below = sum((value < statistic) + (value <= statistic) for value in values)
        bias = NORMAL.inv_cdf(below / (2 * len(values)))
        shifted = [bias + NORMAL.inv_cdf(tail) for tail in tails]
        tails = [NORMAL.cdf(bias + z / (1 - accelerated * z)) for z in shifted]
    if method == "logit":
        if chance is not None and statistic <= chance:
            return 0, min(statistic + chance, 1)
        slope = statistic * (1 - statistic)
        center = math.log(statistic / (1 - statistic)) - (fmean(values) - statistic) / slope
        width = scipy.stats.t.isf(tails[0], df) * stdev(values) / slope
        low, high = (1 / (1 + math.exp(-end)) for end in (center - width, center + width))
        return (low, high) if chance is None else (statistic - chance, max(high, statistic))
    low, high = (quantile(values, tail) for tail in tails)
    if method == "basic":
        return max(2 * statistic - high, 0), min(2 * statistic - low, 1)
    return low, high


def bootstrap_ci(
    y_true,
    y_score,
    *,
    statistic="roc_auc",
    statistic_of="counts",
    method=None,
    confidence_level=0.95,
    n_resamples=2000,
    stratified=None,
    groups=None,
    bayesian=False,
    max_fpr=None,
    sample_weight=None,
    rng=None,
):
    """Return the statistic, both ends of its interval, and the replicates."""
    rows = rows_of(y_true, y_score, sample_weight)
    groups = groups_of_rows(groups, sample_weight)
    if stratified is None:
        # The average precision changes with the share of positives.
        stratified = groups is None and statistic != "average_precision"
    drawn = replicates(rows, groups, stratified, bayesian, n_resamples, rng)
    values = [_value(sample, statistic, max_fpr) for sample in drawn]
    value = _value(rows, statistic, max_fpr)
    method, accelerated, chance = method or "logit", 0, None
    df = max(1, min(effective_sizes(rows, groups)) - 1)
    if method == "bca":
        accelerated = acceleration(jackknife(rows, statistic, max_fpr, groups, stratified))
    if statistic == "ks":
        chance = smirnov_distance(rows, groups, confidence_level)
    rule = method, confidence_level, accelerated, chance, df
    return value, interval(values, value, *rule), values


# Differences ------------------------------------------------------------------------------------


def bootstrap_test(
    y_true,
    score_a,
    score_b,
    *,
    y_true_b=None,
    statistic="roc_auc",
    statistic_of="counts",
    n_resamples=2000,
    groups=None,
    sample_weight=None,
    rng=None,
):
    """Return the difference, and those of the replicates, which ``difference_test`` is of."""
    rng, stratified = np.random.default_rng(rng), statistic != "average_precision"
    if y_true_b is None:
        scores = list(zip(listed(score_a), listed(score_b), strict=True))
        # Rows are drawn with both of their scores.
        rows = curves._rows(y_true, range(len(scores)), sample_weight, 1)
        groups = groups_of_rows(groups, sample_weight)
        drawn = [rows, *replicates(rows, groups, stratified, False, n_resamples, rng)]
        columns = [
            [_value([(p, scores[i][k], w) for p, i, w in sample], statistic) for sample in drawn]
            for k in (0, 1)
        ]
    else:
        columns = []
        for labels, own in (y_true, score_a), (y_true_b, score_b):
            rows = rows_of(labels, own, None)
            drawn = [rows, *replicates(rows, None, stratified, False, n_resamples, rng)]
            columns.append([_value(sample, statistic) for sample in drawn])
    value, *values = [a - b for a, b in zip(*columns, strict=True)]
    return value, values


def welch(values, dfs):
    """Return the degrees of freedom of the difference of two samples."""
    first, second = map(variance, values)
    return (first + second) ** 2 / (first**2 / dfs[0] + second**2 / dfs[1])


def difference_test(
    value, values, df, *, alternative="two-sided", method="t", confidence_level=0.95
):
    """Return the statistic, the p-value, the standard error, and both ends of the interval."""
    error, distribution, center = stdev(values), scipy.stats.norm, value
    if method == "t":
        center, distribution = math.fsum(values) / len(values), scipy.stats.t(df)

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
    low, high = ends((1 - confidence_level) / (2 if alternative == "two-sided" else 1))
    low = -1.0 if alternative == "less" else max(low, -1.0)
    high = 1.0 if alternative == "greater" else min(high, 1.0)
    return center / error, pvalues[alternative], error, (low, high)
