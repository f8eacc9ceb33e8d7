"""The bootstrap by its definition: rows are drawn, repeated, and the statistic computed anew.

Replicates are samples of rows (is positive, score, weight). Draws are NumPy's, one at a time, so
intervals agree with those of fastauc only as far as chance allows; what is computed of given draws
agrees exactly.
"""

import math
from statistics import NormalDist, fmean, stdev, variance

import numpy as np
import scipy.stats

from naive import curves
from naive.inference import _sizes, ends_away_from_0
from naive.rows import listed, rows_of

NORMAL = NormalDist()

# Replicates -------------------------------------------------------------------------------------


def repeat_rows(rows, counts):
    """Return the rows with each as often as its count says."""
    return [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


def has_both_classes(rows):
    return {bool(positive) for positive, _, _ in rows} == {False, True}


def statistic_of_rows(rows, statistic):
    """Return the statistic of rows of both classes, exactly."""
    if statistic == "roc_auc":
        return curves.area_of(rows)
    if statistic == "average_precision":
        return curves._average_precision(rows)
    truth, scores, weights = zip(*rows, strict=True)
    return curves.ks_score(truth, scores, pos_label=True, sample_weight=weights)


def _value(rows, statistic):
    return float(statistic_of_rows(rows, statistic))


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


def _draw(units, rng):
    return [row for _ in units for row in units[rng.integers(len(units))]]


def replicates(rows, groups, stratified, n_resamples, rng):
    """Return so many samples of rows, or of groups, of both classes."""
    rng, strata, found = np.random.default_rng(rng), _strata(rows, groups, stratified), []
    while len(found) < n_resamples:
        drawn = [row for units in strata for row in _draw(units, rng)]
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


def smirnov_distance(sizes, confidence_level):
    """Return the distance of samples of equal classes that few are beyond, by Smirnov's series."""
    tail = 1 - confidence_level
    return math.sqrt(-math.log(tail / 2) / 2 * sum(1 / n for n in sizes))


def with_one_more(rows, sizes, *, is_whole):
    """Return the rows and one more, of either class, with the highest score or the lowest.

    It weighs as much as one of the ``sizes`` rows that have the weight of its class, in whole
    numbers or not.
    """
    scores, found = [score for _, score, _ in rows], []
    for own, size in zip((True, False), sizes, strict=True):
        weight = sum(w for positive, _, w in rows if positive == own) / size
        weight = math.ceil(weight) if is_whole else weight
        found += [[*rows, (own, end(scores), weight)] for end in (max, min)]
    return found


def percentile_interval(value, values, unseen, least, confidence_level):
    """Return the numbers from which the value is t of the deviations away that it has there.

    These are at first quantiles of the replicates, of the normal probability that Student's
    quantile has, stretched. Then the roots of a quadratic, as of Wilson's interval: the variance at
    a distance x is that in place, and x times what one more row lowers the statistic by, less what
    another raises it by, less the square of x over the number of rows.
    """
    t = scipy.stats.t.isf((1 - confidence_level) / 2, max(1, least - 1))
    tail = NORMAL.cdf(-t * math.sqrt(max(2, least) / max(1, least - 1)))
    bias = fmean(each - value for each in values)
    lowered, raised = max(0, value - min(unseen)), max(0, max(unseen) - value)
    seen = (
        max(0, value - quantile(values, tail) + 4 * max(0, bias)),
        max(0, quantile(values, 1 - tail) - value + 4 * max(0, -bias)),
    )
    found = []
    for distance, slope in zip(seen, (lowered - raised, raised - lowered), strict=True):
        # x^2 = distance^2 + t^2 (slope x - x^2 / n)
        roots = np.roots([1 + t**2 / least, -(t**2) * slope, -(distance**2)])
        found.append(max(distance, *roots))
    return value - found[0], value + found[1]


def wilson_interval(center, values, sizes, df, confidence_level, unseen=()):
    """Return the shares from which the center is t of their deviations away: a quadratic."""
    inverse = 0
    for share, (n_pos, n_neg) in [(1, sizes), *unseen]:
        row = share * (1 / n_pos + 1 / n_neg) / 2 / min(n_pos, n_neg)
        of_one = center * (1 - center) + 1 / min(n_pos, n_neg)
        inverse = max(inverse, (variance(values) + row) / of_one)
    t = scipy.stats.t.isf((1 - confidence_level) / 2, df)
    a = t**2 * inverse
    root = math.sqrt(a * center * (1 - center) + a**2 / 4)
    return (center + a / 2 - root) / (1 + a), (center + a / 2 + root) / (1 + a)


def interval(values, value, sizes, confidence_level, *, unseen=(), chance=None):
    """Return both ends; ``chance`` is the greatest K-S distance that may be chance."""
    if chance is not None and value <= chance:
        return 0, min(value + chance, 1)
    df = max(1, min(sizes) - 1)
    center = value if chance is not None else 2 * value - fmean(values)
    center = min(max(center, 0), 1)
    low, high = wilson_interval(center, values, sizes, df, confidence_level, unseen)
    return value - chance if chance is not None else min(low, value), max(high, value)


def bootstrap_ci(
    y_true,
    y_score,
    *,
    statistic="roc_auc",
    statistic_of="counts",
    confidence_level=0.95,
    n_resamples=2000,
    stratified=None,
    groups=None,
    sample_weight=None,
    rng=None,
):
    """Return the statistic, both ends of its interval, and the replicates; without weights."""
    rows = rows_of(y_true, y_score, sample_weight)
    groups = groups_of_rows(groups, sample_weight)
    if stratified is None:
        # The average precision changes with the share of positives.
        stratified = groups is None and statistic != "average_precision"
    drawn = replicates(rows, groups, stratified, n_resamples, rng)
    values = [_value(sample, statistic) for sample in drawn]
    value, sizes = _value(rows, statistic), effective_sizes(rows, groups)
    unseen = [(0.25, sizes)] if groups is not None else []
    chance = smirnov_distance(sizes, confidence_level) if statistic == "ks" else None
    ends = interval(values, value, sizes, confidence_level, unseen=unseen, chance=chance)
    return value, ends, values


# Differences ------------------------------------------------------------------------------------


def bootstrap_test(
    y_true,
    score_a,
    score_b,
    *,
    statistic="roc_auc",
    statistic_of="counts",
    n_resamples=2000,
    groups=None,
    sample_weight=None,
    rng=None,
):
    """Return the difference, and those of the replicates, which ``difference_test`` is of."""
    rng, stratified = np.random.default_rng(rng), statistic != "average_precision"
    scores = list(zip(listed(score_a), listed(score_b), strict=True))
    # Rows are drawn with both of their scores.
    rows = curves._rows(y_true, range(len(scores)), sample_weight, 1)
    groups = groups_of_rows(groups, sample_weight)
    drawn = [rows, *replicates(rows, groups, stratified, n_resamples, rng)]
    columns = [
        [_value([(p, scores[i][k], w) for p, i, w in sample], statistic) for sample in drawn]
        for k in (0, 1)
    ]
    value, *values = [a - b for a, b in zip(*columns, strict=True)]
    return value, values


def difference_test(
    values, df, means=None, sizes=None, *, alternative="two-sided", confidence_level=0.95
):
    """Return the statistic, the p-value, the standard error, and both ends of the interval.

    Of two shares, with the means of their replicates; of anything else without them.
    """
    error, center, student = stdev(values), math.fsum(values) / len(values), scipy.stats.t(df)
    statistic = center / error
    above, below = student.sf(statistic), student.cdf(statistic)
    pvalues = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}
    tail = (1 - confidence_level) / (2 if alternative == "two-sided" else 1)
    width = student.isf(tail) * error
    most = 1.0 if means else math.inf
    low = -most if alternative == "less" else max(center - width, -most)
    high = most if alternative == "greater" else min(center + width, most)
    if means:
        rule = alternative, confidence_level, None
        low, high = ends_away_from_0(low, high, means, error**2, sizes, df, *rule)
    return statistic, pvalues[alternative], error, (low, high)
