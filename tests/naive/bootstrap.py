"""The bootstrap by its definition: rows are drawn, repeated, and the statistic computed anew.

Replicates are samples of rows. Draws are NumPy's, one at a time, so intervals agree with those of
fastauc only as far as chance allows; what is computed of given draws agrees exactly.
"""

import math
from fractions import Fraction
from statistics import NormalDist, fmean, stdev

import numpy as np

from naive import curves
from naive.inference import wilson_bounds
from naive.parts import tpr_at_fpr
from naive.rate_intervals import ends_of_rows
from naive.rows import listed, rows_of

NORMAL = NormalDist()


# Replicates -------------------------------------------------------------------------------------


def repeat_rows(rows, counts):
    """Return the rows (is positive, score, weight) with each as often as its count says."""
    return [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


def weigh_rows(rows, factors):
    """Return the rows with each weight times a factor; without those that weigh nothing."""
    return [
        (positive, score, weight * Fraction(factor))
        for (positive, score, weight), factor in zip(rows, factors, strict=True)
        if weight * Fraction(factor) != 0
    ]


def has_both_classes(rows):
    return {bool(positive) for positive, _, _ in rows} == {False, True}


def statistic_of_rows(rows, statistic, max_fpr=None):
    """Return the statistic of rows of both classes, exactly."""
    if statistic == "roc_auc":
        return curves.area_of(rows)
    if statistic == "partial_roc_auc":
        return curves._partial_area(rows, max_fpr)
    if statistic == "average_precision":
        return curves._average_precision(rows)
    truth, scores, weights = zip(*rows, strict=True)
    return curves.ks_score(truth, scores, pos_label=True, sample_weight=weights)


def custom(rows, statistic, takes, weighted):
    """Return a function of the five columns of counts at the distinct scores, or of the rows."""
    truth, scores, weights = zip(*rows, strict=True)
    if takes == "counts":
        return statistic(
            *curves.confusion_matrix_at_thresholds(
                truth, scores, pos_label=True, sample_weight=weights
            )
        )
    options = {"sample_weight": np.array(weights, float)} if weighted else {}
    return statistic(np.array(truth, int), np.array(scores, float), **options)


def height_of_rows(rows, fpr):
    """Return the height of the ROC polyline at a rate; the upper end where it is upright."""
    return tpr_at_fpr.of_rows(rows, fpr)


def _strata(rows, groups, stratified):
    """Return the units that are drawn, as lists of rows; those of each stratum."""
    if groups is not None:
        names = sorted(set(groups))
        return [[[r for r, g in zip(rows, groups, strict=True) if g == name] for name in names]]
    if stratified or stratified is None:
        return [[[row] for row in rows if row[0] == positive] for positive in (True, False)]
    return [[[row] for row in rows]]


def _groups_of_rows(groups, sample_weight):
    """Return the groups of the rows whose weight is not 0."""
    if groups is None or sample_weight is None:
        return groups if groups is None else listed(groups)
    pairs = zip(listed(groups), listed(sample_weight), strict=True)
    return [group for group, weight in pairs if weight != 0]


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


def _replicates(rows, groups, stratified, bayesian, n_resamples, rng):
    strata = _strata(rows, groups, stratified)
    replicates = []
    while len(replicates) < n_resamples:
        drawn = [row for units in strata for row in _draw(units, bayesian, len(strata) == 2, rng)]
        if has_both_classes(drawn):
            replicates.append(drawn)
    return replicates


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
    sizes = _effective_sizes(rows, groups)
    tail = 1 - confidence_level
    return math.sqrt(-math.log(tail / 2) / 2 * sum(1 / float(size) for size in sizes))


def interval(values, statistic, method, confidence_level, accelerated=0, chance=0):
    """Return both ends; ``chance`` is the greatest K-S distance that may be chance."""
    tails = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    if method == "bca":
        below = sum((value < statistic) + (value <= statistic) for value in values)
        bias = NORMAL.inv_cdf(below / (2 * len(values)))
        shifted = [bias + NORMAL.inv_cdf(tail) for tail in tails]
        tails = [NORMAL.cdf(bias + z / (1 - accelerated * z)) for z in shifted]
    if method == "logit":
        if statistic <= chance:
            return 0, min(statistic + chance, 1)
        slope = statistic * (1 - statistic)
        center = math.log(statistic / (1 - statistic)) - (fmean(values) - statistic) / slope
        width = NORMAL.inv_cdf(tails[1]) * stdev(values) / slope
        return tuple(1 / (1 + math.exp(-end)) for end in (center - width, center + width))
    low, high = (quantile(values, tail) for tail in tails)
    if method == "basic":
        return max(2 * statistic - high, 0), min(2 * statistic - low, 1)
    return low, high


# Public functions -------------------------------------------------------------------------------


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
    pos_label=None,
    rng=None,
):
    """Return the statistic, its standard error, both ends of its interval, and the replicates."""
    rows = rows_of(y_true, y_score, sample_weight, pos_label)
    groups = _groups_of_rows(groups, sample_weight)
    drawn = _replicates(rows, groups, stratified, bayesian, n_resamples, np.random.default_rng(rng))
    if callable(statistic):
        weighted = bayesian or sample_weight is not None
        values = [custom(replicate, statistic, statistic_of, weighted) for replicate in drawn]
        value = custom(rows, statistic, statistic_of, weighted)
        low, high = interval(values, value, "percentile", confidence_level)
        ends = (2 * value - high, 2 * value - low) if method == "basic" else (low, high)
        return value, stdev(values), ends, values
    values = [float(statistic_of_rows(replicate, statistic, max_fpr)) for replicate in drawn]
    value = float(statistic_of_rows(rows, statistic, max_fpr))
    accelerated = 0
    if method == "bca":
        accelerated = acceleration(jackknife(rows, statistic, max_fpr, groups, stratified))
    method = method or "logit"
    chance = smirnov_distance(rows, groups, confidence_level) if statistic == "ks" else 0
    ends = interval(values, value, method, confidence_level, accelerated, chance)
    return value, stdev(values), ends, values


def roc_curve_band(
    y_true,
    y_score,
    *,
    fpr=None,
    method=None,
    confidence_level=0.95,
    n_resamples=2000,
    stratified=None,
    groups=None,
    bayesian=False,
    sample_weight=None,
    pos_label=None,
    rng=None,
):
    """Return the heights at the rates, and both ends of the band there."""
    rows = rows_of(y_true, y_score, sample_weight, pos_label)
    rates = [k / 100 for k in range(101)] if fpr is None else listed(fpr)
    if method is None:
        is_plain = groups is None and sample_weight is None and not bayesian
        method = "binomial" if is_plain else "bootstrap"
    heights = [float(height_of_rows(rows, rate)) for rate in rates]
    if method == "dkw":
        ends = [_rectangles(rows, rate, confidence_level) for rate in rates]
    elif method in ("binomial", "hilgers"):
        ends = ends_around(heights, rows, rates, method, confidence_level)
    else:
        groups = _groups_of_rows(groups, sample_weight)
        drawn = _replicates(
            rows, groups, stratified, bayesian, n_resamples, np.random.default_rng(rng)
        )
        values = [[float(height_of_rows(sample, rate)) for sample in drawn] for rate in rates]
        if method == "sup-t-binomial":
            return heights, band_of_widths(rates, heights, values, rows, confidence_level)
        if method == "sup-t":
            sizes = _effective_sizes(rows, groups)
            return heights, band_of_suprema(rates, heights, values, *sizes, confidence_level)
        size, _ = _effective_sizes(rows, groups)
        z = NORMAL.inv_cdf((1 + confidence_level) / 2)
        ends = []
        for rate, height, drawn in zip(rates, heights, values, strict=True):
            low, high = interval(drawn, 0, "percentile", confidence_level)
            if low == high and rate != 1:
                low, high = wilson_bounds(Fraction(height), 1 / float(size), z)
            ends.append((low, high))
    return heights, ends


def _effective_sizes(rows, groups):
    """Return Kish's effective numbers of positives and of negatives, or of their groups."""
    found = []
    for wanted in (True, False):
        names = range(len(rows)) if groups is None else groups
        sizes = {}
        for (positive, _, weight), name in zip(rows, names, strict=True):
            if bool(positive) == wanted:
                sizes[name] = sizes.get(name, 0) + Fraction(weight)
        found.append(sum(sizes.values()) ** 2 / sum(size**2 for size in sizes.values()))
    return found


def band_of_suprema(rates, heights, values, n_pos, n_neg, confidence_level):
    """Return both ends at each rate, for the heights of all replicates at each rate."""
    inner = [k for k, rate in enumerate(rates) if 1 / n_neg <= rate <= 1 - 1 / n_neg]
    errors = {k: math.hypot(stdev(values[k]), 1 / n_pos) for k in inner}
    suprema = [
        max(abs(values[k][b] - heights[k]) / errors[k] for k in inner)
        for b in range(len(values[0]))
    ]
    c = max(quantile(suprema, confidence_level), NORMAL.inv_cdf((1 + confidence_level) / 2))
    ends = {k: (heights[k] - c * errors[k], heights[k] + c * errors[k]) for k in inner}
    return [
        (
            max([0.0] + [low for i, (low, _) in ends.items() if i <= k]),
            min([1.0] + [high for i, (_, high) in ends.items() if i >= k]),
        )
        for k in range(len(rates))
    ]


def _rectangles(rows, rate, confidence_level):
    """Return the least and the greatest height at a rate of the rectangles around the curve."""
    n_pos = sum(positive for positive, _, _ in rows)
    n_neg = len(rows) - n_pos
    tail = 1 - math.sqrt(confidence_level)
    right, up = (math.sqrt(math.log(2 / tail) / (2 * n)) for n in (n_neg, n_pos))
    # Points close together on the polyline: its corners, and what is between them.
    points, x, y = [(0.0, 0.0)], 0.0, 0.0
    for threshold in sorted({score for _, score, _ in rows}, reverse=True):
        _, fp, _, tp = curves._count(rows, threshold)
        next_x, next_y = float(fp / n_neg), float(tp / n_pos)
        for k in range(1, 101):
            points.append((x + (next_x - x) * k / 100, y + (next_y - y) * k / 100))
        x, y = next_x, next_y
    low = min(height for x, height in points if x >= min(rate - right, 1)) - up
    high = max(height for x, height in points if x <= max(rate + right, 0)) + up
    return max(low, 0.0), min(high, 1.0)


def ends_around(heights, rows, rates, method, confidence_level):
    """Return the ends of intervals that hold the height of the sample."""
    ends = (ends_of_rows(rows, rate, method, confidence_level) for rate in rates)
    return [
        (min(low, height), max(high, height))
        for (low, high), height in zip(ends, heights, strict=True)
    ]


def band_of_widths(rates, heights, values, rows, confidence_level):
    """Return both ends at each rate: those of binomial counts, further away by one factor."""
    n_neg = sum(1 for positive, _, _ in rows if not positive)
    ends = ends_around(heights, rows, rates, "binomial", confidence_level)
    ratios = [1.0] * len(values[0])
    for rate, height, (low, high), drawn in zip(rates, heights, ends, values, strict=True):
        if 1 / n_neg <= rate <= 1 - 1 / n_neg:
            for b, value in enumerate(drawn):
                width = height - low if value < height else high - height
                if value != height and width > 0:
                    ratios[b] = max(ratios[b], abs(value - height) / width)
    factor = quantile(ratios, confidence_level)
    far = [
        (max(t - factor * max(t - low, 0), 0.0), min(t + factor * max(high - t, 0), 1.0))
        for t, (low, high) in zip(heights, ends, strict=True)
    ]
    return [
        (max(low for low, _ in far[: k + 1]), min(high for _, high in far[k:]))
        for k in range(len(far))
    ]
