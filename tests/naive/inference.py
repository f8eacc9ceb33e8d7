"""The textbook definitions of inference: pairs compared pair by pair, exact but for square roots.

Names, arguments and conventions are those of ``naive``; labels are 0 and 1. Distributions are those
of SciPy. Parts of the curve and averages of several classes are in files of their own.
"""

import math
import statistics
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

import scipy.optimize
import scipy.stats

from naive.rows import listed, weights_of

NAN = math.nan


def _wins(score, other):
    """Return what a positive and a negative with these scores count."""
    return Fraction(1) if score > other else Fraction(1, 2) if score == other else Fraction(0)


def _is_positive(y_true):
    return [label == 1 for label in listed(y_true)]


def _placements(positive, scores, weights):
    found = []
    for own, score in zip(positive, scores, strict=True):
        share = whole = Fraction(0)
        for other, other_score, weight in zip(positive, scores, weights, strict=True):
            if own != other:
                pair = (score, other_score) if own else (other_score, score)
                share += weight * _wins(*pair)
                whole += weight
        found.append(share / whole if whole else NAN)
    return found


def placements(y_true, y_score, *, sample_weight=None):
    positive, scores = _is_positive(y_true), listed(y_score)
    return _placements(positive, scores, weights_of(sample_weight, len(scores)))


# Variances --------------------------------------------------------------------------------------


def _linearized(y_true, scores, sample_weight, groups):
    """Return the areas, their covariance, and how many units there are; None where undefined."""
    positive = _is_positive(y_true)
    n = len(positive)
    weights = weights_of(sample_weight, n)
    groups = list(range(n)) if groups is None else listed(groups)
    rows = [row for row in range(n) if weights[row]]
    totals = {own: sum(weights[row] for row in rows if positive[row] == own) for own in (0, 1)}
    if not all(totals.values()):
        return None, None, 0
    found = [_placements(positive, listed(score), weights) for score in scores]
    areas = [
        sum(weights[row] * placed[row] for row in rows if positive[row]) / totals[1]
        for placed in found
    ]
    units = {own: {groups[row] for row in rows if positive[row] == own} for own in (0, 1)}
    every = units[0] | units[1]
    if min(len(units[0]), len(units[1])) < 2:
        return areas, None, len(every)

    def influence(model, unit, own):
        return sum(
            weights[row] * (found[model][row] - areas[model]) / totals[own]
            for row in rows
            if groups[row] == unit and positive[row] == own
        )

    def factor(some):
        return Fraction(len(some), len(some) - 1)

    of = [
        {(unit, own): influence(model, unit, own) for unit in every for own in (0, 1)}
        for model in range(len(scores))
    ]
    covariance = [
        [
            sum(
                factor(units[own]) * of[r][unit, own] * of[s][unit, own]
                for own in (0, 1)
                for unit in every
            )
            + factor(every) * sum(of[r][unit, 1] * of[s][unit, 0] for unit in every)
            + factor(every) * sum(of[r][unit, 0] * of[s][unit, 1] for unit in every)
            for s in range(len(scores))
        ]
        for r in range(len(scores))
    ]
    return areas, covariance, len(every)


def _sizes(y_true, sample_weight, groups):
    """Return Kish's effective number of units of each class."""
    positive = _is_positive(y_true)
    weights = weights_of(sample_weight, len(positive))
    groups = range(len(positive)) if groups is None else listed(groups)
    sums = {(group, own): Fraction(0) for group in groups for own in (False, True)}
    for own, group, weight in zip(positive, groups, weights, strict=True):
        sums[group, own] += weight
    by_class = [[s for (_, own), s in sums.items() if own == wanted] for wanted in (True, False)]
    return [float(sum(some) ** 2 / sum(s * s for s in some)) for some in by_class]


def inverse_size(area, variance, n_pos, n_neg, unseen=1.0):
    """Return the variance over area * (1 - area), after one row of the rarer class was added."""
    return _inverse_size_of_shares(area * (1 - area), variance, n_pos, n_neg, unseen)


def _inverse_size_of_shares(of_one_row, variance, n_pos, n_neg, unseen=1.0):
    rows = min(n_pos, n_neg)
    added = unseen * (0.5 / n_pos + 0.5 / n_neg)
    return (float(rows * variance) + added) / (float(rows * of_one_row) + 1)


def sizes_of_design(y_true, y_score, sample_weight, groups):
    """Return how many independent rows of each class have the variance of the area.

    The numbers of rows over the design effect, between those of rows and of groups.
    """
    sizes = _sizes(y_true, sample_weight, groups)
    rows = _sizes(y_true, sample_weight, None)
    _, covariance, _ = _linearized(y_true, [y_score], sample_weight, groups)
    _, alone, _ = _linearized(y_true, [y_score], sample_weight, None)
    if groups is None or covariance[0][0] <= 0:
        return sizes
    effect = max(1, covariance[0][0] / alone[0][0]) if alone[0][0] else math.inf
    return [max(m / float(effect), k) for m, k in zip(rows, sizes, strict=True)]


def _inverse_size_of_design(area, variance, y_true, y_score, sample_weight, groups):
    """Return the greatest of those of the rows, of the groups, and of rows of the most weight."""
    groups_of_classes = _sizes(y_true, sample_weight, groups)
    sizes = sizes_of_design(y_true, y_score, sample_weight, groups)
    found = [inverse_size(area, variance, *sizes)]
    if groups is not None:
        found.append(inverse_size(area, variance, *groups_of_classes, 0.25))
    by_class = _weights_by_class(y_true, sample_weight)
    if any(len(set(own)) > 1 for own in by_class):
        found.append(inverse_size(area, variance, *heaviest(by_class), 0.5))
    return max(found)


def heaviest(by_class):
    """Return how many rows as heavy as the heaviest have the weight of each class.

    In medians of the class.
    """
    medians = [Fraction(statistics.median(own)) for own in by_class]
    most = max(max(own) / median for own, median in zip(by_class, medians, strict=True))
    return [
        max(1.0, float(sum(own) / (most * median)))
        for own, median in zip(by_class, medians, strict=True)
    ]


def least_sizes(sizes, rows):
    """Return numbers of rows, at most those of the heaviest; of (is positive, score, weight)."""
    by_class = [[weight for p, _, weight in rows if bool(p) == own] for own in (True, False)]
    return [min(pair) for pair in zip(sizes, heaviest(by_class), strict=True)]


def _weights_by_class(y_true, sample_weight):
    """Return the weights above 0 of the positives, and of the negatives."""
    positive = _is_positive(y_true)
    weights = weights_of(sample_weight, len(positive))
    return [
        [weight for own, weight in zip(positive, weights, strict=True) if own == wanted and weight]
        for wanted in (True, False)
    ]


def _joined(groups):
    """Return no groups where each row is one of its own: those are rows."""
    return None if groups is None or len(set(listed(groups))) == len(groups) else groups


def _df_of_design(variance, y_true, y_score, sample_weight, groups):
    """Return the degrees of freedom against a constant; none are lost by rows of one weight."""
    if groups is None and all(
        len(set(own)) <= 1 for own in _weights_by_class(y_true, sample_weight)
    ):
        return math.inf
    if variance <= 0:
        return max(1.0, min(_sizes(y_true, sample_weight, groups)) - 1)
    return _satterthwaite((y_true, [y_score], [1], sample_weight, groups))


def wilson_bounds(area, share, z):
    """Return the roots of (area - p)^2 = z^2 p (1 - p) share, multiplied out."""
    with localcontext(prec=60):
        area = Decimal(area.numerator) / Decimal(area.denominator)
        added = Decimal(float(z)) ** 2 * Decimal(share)
        half = (added**2 / 4 + added * area * (1 - area)).sqrt()
        return tuple(
            float((area + added / 2 + sign * half) / (1 + added)) for sign in (Decimal(-1), 1)
        )


# Intervals and tests ----------------------------------------------------------------------------


def roc_auc_ci(
    y_true,
    y_score,
    *,
    confidence_level=0.95,
    sample_weight=None,
    groups=None,
    folds=None,
):
    if folds is not None:
        design = y_true, y_score, sample_weight, groups, folds
        return *_interval_over_folds(*design, confidence_level), confidence_level, "wilson"
    groups = _joined(groups)
    areas, covariance, _ = _linearized(y_true, [y_score], sample_weight, groups)
    if areas is None:
        return NAN, NAN, (NAN, NAN), confidence_level, "wilson"
    area = areas[0]
    if covariance is None:
        return float(area), NAN, (NAN, NAN), confidence_level, "wilson"
    variance = covariance[0][0]
    error, tail = math.sqrt(max(variance, 0)), (1 - confidence_level) / 2
    design = y_true, y_score, sample_weight, groups
    z = scipy.stats.t.isf(tail, _df_of_design(variance, *design))
    bounds = wilson_bounds(area, _inverse_size_of_design(area, variance, *design), z)
    return float(area), error, bounds, confidence_level, "wilson"


def _interval_over_folds(y_true, y_score, sample_weight, groups, folds, confidence_level):
    """LeDell, Petersen and van der Laan: each row influences its fold, which is one of so many."""
    positive, weights = _is_positive(y_true), weights_of(sample_weight, len(y_true))
    rows = [row for row, weight in enumerate(weights) if weight]
    folds, scores = listed(folds), listed(y_score)
    names, area, influence, share = sorted({folds[row] for row in rows}), Fraction(0), {}, {}
    for name in names:
        own = [row for row in rows if folds[row] == name]
        truth, weight = [positive[row] for row in own], [weights[row] for row in own]
        if len(set(truth)) < 2:
            return NAN, NAN, (NAN, NAN)
        placed = _placements(truth, [scores[row] for row in own], weight)
        totals = {c: sum(w for w, t in zip(weight, truth, strict=True) if t == c) for c in (0, 1)}
        parts = [w * p for w, p, t in zip(weight, placed, truth, strict=True) if t]
        of_fold = sum(parts) / totals[1]
        area += of_fold / len(names)
        for row, p, w, t in zip(own, placed, weight, truth, strict=True):
            share[row] = w / totals[t] / len(names)
            influence[row] = share[row] * (p - of_fold)

    def spread(groups):
        cells = {row: (folds[row], positive[row]) for row in rows}
        units = {}
        for row in rows:
            units.setdefault(row if groups is None else groups[row], []).append(row)
        m = {
            cell: sum(any(cells[row] == cell for row in own) for own in units.values())
            for cell in set(cells.values())
        }
        sizes = []
        for wanted in (True, False):
            sums = [sum(share[r] for r in own if positive[r] == wanted) for own in units.values()]
            sizes.append(float(sum(sums) ** 2 / sum(s * s for s in sums)))
        if min(m.values()) < 2:
            return None, sizes, NAN
        alike = {}
        for own in units.values():
            change = sum(
                float(influence[r]) * math.sqrt(m[cells[r]] / (m[cells[r]] - 1)) for r in own
            )
            alike.setdefault(frozenset(cells[r] for r in own), []).append(
                (change, float(sum(share[r] for r in own)))
            )
        parts = [
            (
                sum(c * c for c, _ in some),
                sum(s for _, s in some) ** 2 / sum(s * s for _, s in some),
            )
            for some in alike.values()
        ]
        variance = sum(part for part, _ in parts)
        df = max(1.0, min(sizes) - 1)
        if variance > 0:
            df = variance**2 / sum(part**2 / max(n - 1, 1) for part, n in parts)
        return variance, sizes, df

    variance, sizes, df = spread(None)
    alone = variance
    if groups is not None and variance is not None:
        variance, n_groups, df = spread(listed(groups))
        found = [(n_groups, 1.0), (n_groups, 0.25)]
        if variance:
            effect = max(1.0, variance / alone) if alone else math.inf
            sizes = [max(m / effect, k) for m, k in zip(sizes, n_groups, strict=True)]
            found[0] = sizes, 1.0
    else:
        found = [(sizes, 1.0)]
    if variance is None:
        return float(area), NAN, (NAN, NAN)
    if any(len(set(own)) > 1 for own in _weights_by_class(y_true, sample_weight)):
        by_class = [[share[r] for r in rows if positive[r] == c] for c in (True, False)]
        medians = [statistics.median(own) for own in by_class]
        most = max(max(own) / median for own, median in zip(by_class, medians, strict=True))
        found.append(([max(1.0, float(1 / (most * median))) for median in medians], 0.5))
    error, tail = math.sqrt(variance), (1 - confidence_level) / 2
    inverse = max(inverse_size(area, variance, *each, unseen) for each, unseen in found)
    return float(area), error, wilson_bounds(area, inverse, scipy.stats.t.isf(tail, df))


def _score_test(areas, variance, sizes, df, alternative, level, margin, unseen=1):
    """Return the test with the variance of two shares whose difference is the supposed one."""
    difference = float(areas[0] - areas[1])
    share = _inverse_size_of_shares(sum(a * (1 - a) for a in areas), variance, *sizes, unseen)

    def squared_error(supposed):
        # Both shares as far from their means as they are now, but within [0, 1].
        mean = float(sum(areas)) / 2
        mean = sorted([abs(supposed) / 2, mean, 1 - abs(supposed) / 2])[1]
        p, q = mean + supposed / 2, mean - supposed / 2
        return share * (p * (1 - p) + q * (1 - q))

    def distance(supposed):
        if supposed == difference:
            return 0.0
        return (difference - supposed) / math.sqrt(squared_error(supposed))

    distribution = scipy.stats.t(df) if math.isfinite(df) else scipy.stats.norm
    above, below = distance(-(margin or 0.0)), distance(margin or 0.0)
    statistic = min(above, -below) if alternative == "equivalence" else above
    pvalue = distribution.cdf(statistic) if alternative == "less" else distribution.sf(statistic)
    if alternative == "two-sided":
        pvalue = min(1.0, 2 * distribution.sf(abs(statistic)))
    z = distribution.isf((1 - level) / 2 if alternative == "two-sided" else 1 - level)

    def excess(supposed):
        return (difference - supposed) ** 2 - z**2 * squared_error(supposed)

    low, high = -1.0, 1.0
    if math.isinf(z):  # the level is 1
        return statistic, pvalue, difference, math.sqrt(variance), df, (low, high)
    below, above = (-1, difference - 1e-12), (difference + 1e-12, 1)
    if z < 0:  # a one-sided interval of a level below one half does not contain the difference
        below, above = above, below
    if alternative != "less" and difference > -1:
        low = scipy.optimize.brentq(excess, *below, xtol=1e-15)
    if alternative not in ("greater", "non-inferiority") and difference < 1:
        high = scipy.optimize.brentq(excess, *above, xtol=1e-15)
    return statistic, pvalue, difference, math.sqrt(variance), df, (low, high)


def _test(difference, variance, df, alternative, level, margin=None):
    if math.isnan(variance) or (variance == 0 and (difference != 0 or margin is not None)):
        return NAN, NAN, float(difference), math.sqrt(variance), df, (NAN, NAN)
    error = math.sqrt(variance)
    distribution = scipy.stats.t(df) if math.isfinite(df) else scipy.stats.norm
    statistic = float(difference) / error if error else 0.0
    pvalues = {
        "two-sided": 2 * distribution.sf(abs(statistic)),
        "greater": distribution.sf(statistic),
        "less": distribution.cdf(statistic),
    }
    if margin is not None:
        # Two null hypotheses: a difference of minus the margin, and one of the margin.
        above = (float(difference) + margin) / error
        below = (float(difference) - margin) / error
        pvalues["non-inferiority"] = distribution.sf(above)
        pvalues["equivalence"] = max(distribution.sf(above), distribution.cdf(below))
        statistic = above if alternative == "non-inferiority" else min(above, -below)
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    width = distribution.isf(tail) * error
    low = -1.0 if alternative == "less" else max(-1.0, float(difference) - width)
    is_open = alternative in ("greater", "non-inferiority")
    high = 1.0 if is_open else min(1.0, float(difference) + width)
    pvalue = 1.0 if error == 0 else min(1.0, pvalues[alternative])
    return statistic, pvalue, float(difference), error, df, (low, high)


def _test_of_constant(y_true, y_score, constant, design, alternative, level):
    """Return the test that the interval of ``roc_auc_ci`` inverts."""
    areas, covariance, _ = _linearized(y_true, [y_score], **design)
    if covariance is None:
        return _test(NAN if areas is None else areas[0] - constant, NAN, math.inf, "less", level)
    area, variance = areas[0], covariance[0][0]
    error = math.sqrt(variance)
    share = _inverse_size_of_design(area, variance, y_true, y_score, **design)
    statistic = math.inf if area > constant else -math.inf if area < constant else 0.0
    if 0 < constant < 1:
        statistic = float(area - constant) / math.sqrt(share * constant * (1 - constant))
    df = _df_of_design(variance, y_true, y_score, **design)
    below, above = (scipy.stats.t.cdf(sign * statistic, df) for sign in (1, -1))
    pvalue = {"two-sided": 2 * min(below, above), "greater": above, "less": below}[alternative]
    tails = 2 if alternative == "two-sided" else 1
    interval = roc_auc_ci(y_true, y_score, confidence_level=1 - 2 * (1 - level) / tails, **design)
    low, high = (end - float(constant) for end in interval[2])
    low, high = -1.0 if alternative == "less" else low, 1.0 if alternative == "greater" else high
    return statistic, pvalue, float(area - constant), error, df, (low, high)


def _satterthwaite(*samples):
    """Return the degrees of freedom of the variance of sums of areas, each over its own rows.

    A sample is its labels, its scores, what each area counts, the weights and the groups.
    """
    parts = []
    for y_true, scores, signs, sample_weight, groups in samples:
        positive = _is_positive(y_true)
        n = len(positive)
        weights = weights_of(sample_weight, n)
        groups = list(range(n)) if groups is None else listed(groups)
        areas, _, _ = _linearized(y_true, scores, sample_weight, groups)
        placed = [_placements(positive, listed(score), weights) for score in scores]
        totals = {
            own: sum(w for w, p in zip(weights, positive, strict=True) if p == own)
            for own in (0, 1)
        }
        units = {}
        for row in range(n):
            if weights[row]:
                units.setdefault(groups[row], []).append(row)
        # Units with positives only, with negatives only, and with both.
        for classes in {True}, {False}, {False, True}:
            own = [rows for rows in units.values() if {positive[row] for row in rows} == classes]
            shares = [sum(weights[row] / totals[positive[row]] for row in rows) for rows in own]
            squares = sum(
                sum(
                    weights[row] / totals[positive[row]] * sign * (one[row] - area)
                    for row in rows
                    for sign, one, area in zip(signs, placed, areas, strict=True)
                )
                ** 2
                for rows in own
            )
            if own:
                size = float(sum(shares) ** 2 / sum(share**2 for share in shares))
                part = Fraction(len(own), max(len(own) - 1, 1)) * squares
                parts.append((part, max(size - 1, 1)))
    return float(sum(part for part, _ in parts) ** 2 / sum(part**2 / n for part, n in parts))


def roc_auc_test(
    y_true,
    score_a,
    score_b,
    *,
    alternative="two-sided",
    margin=None,
    confidence_level=0.95,
    sample_weight=None,
    groups=None,
):
    """Return the statistic, the p-value, the difference, its error, df, and both ends."""
    samples = [(y_true, [score_a, score_b], [1, -1], sample_weight, _joined(groups))]
    return _test_of_two(samples, alternative, confidence_level, margin)


def roc_auc_test_ind(
    y_true_a,
    score_a,
    y_true_b,
    score_b,
    *,
    alternative="two-sided",
    margin=None,
    confidence_level=0.95,
    sample_weight=None,
    groups=None,
):
    """Return what ``roc_auc_test`` does of two samples."""
    sample_weight, groups = sample_weight or (None, None), groups or (None, None)
    samples = [
        (y_true_a, [score_a], [1], sample_weight[0], _joined(groups[0])),
        (y_true_b, [score_b], [-1], sample_weight[1], _joined(groups[1])),
    ]
    return _test_of_two(samples, alternative, confidence_level, margin)


def roc_auc_test_1samp(
    y_true,
    y_score,
    auc,
    *,
    alternative="two-sided",
    confidence_level=0.95,
    sample_weight=None,
    groups=None,
):
    """Return what ``roc_auc_test`` does of an area and a constant."""
    design = {"sample_weight": sample_weight, "groups": _joined(groups)}
    rule = alternative, confidence_level
    return _test_of_constant(y_true, y_score, Fraction(auc), design, *rule)


def _test_of_two(samples, alternative, confidence_level, margin):
    """Return the test of two areas, of one sample or of two."""
    rule = alternative, confidence_level, margin
    found = [_linearized(labels, scores, *design) for labels, scores, _, *design in samples]
    if any(areas is None for areas, _, _ in found):
        return _test(NAN, NAN, math.inf, *rule)
    areas = [area for own, _, _ in found for area in own]
    difference = areas[0] - areas[1]
    if any(covariance is None for _, covariance, _ in found):
        return _test(difference, NAN, math.inf, *rule)
    variances = [
        sum(s * t * c[r][q] for (r, s), (q, t) in product(enumerate(signs), repeat=2))
        for (_, c, _), (_, _, signs, _, _) in zip(found, samples, strict=True)
    ]
    variance, df = sum(variances), math.inf
    designs = [_df_of_design(0, labels, [], *design) for labels, _, _, *design in samples]
    if any(map(math.isfinite, designs)) and variance > 0:
        df = _satterthwaite(*samples)
    elif len(samples) == 2 and variance > 0:
        # Welch and Satterthwaite.
        parts = zip(variances, found, strict=True)
        df = float(variance**2 / sum(part**2 / (n - 1) for part, (_, _, n) in parts))
    each = [_sizes(labels, *design) for labels, _, _, *design in samples]
    is_few = min(map(min, each)) < 10
    if variance == 0 or margin is not None or is_few:
        return _score_test(
            areas, variance, [min(own) for own in zip(*each, strict=True)], df, *rule
        )
    df = _satterthwaite(*samples)
    *found, (low, high) = _test(difference, variance, df, *rule)
    sizes = [min(own) for own in zip(*each, strict=True)]
    return *found, ends_away_from_0(low, high, areas, variance, sizes, df, *rule)


def ends_away_from_0(low, high, areas, variance, sizes, df, *rule):
    """Return ends, away from 0 as far as those of the score test with a part of a row added."""
    mean = float(sum(areas)) / 2
    alone = mean * (1 - mean) * sum(1 / n for n in sizes)
    unseen = math.sqrt(min(1, variance / alone)) if alone else 1
    *_, (least, most) = _score_test(areas, variance, sizes, df, *rule, unseen=unseen)
    return min(low, least) if low <= 0 else low, max(high, most) if high >= 0 else high


def compare_roc_auc(y_true, scores, *, adjust="holm", sample_weight=None, groups=None):
    """Return the names, the areas, their covariance, and the rows of all pairs."""
    columns = list(scores.values()) if isinstance(scores, dict) else scores
    names = tuple(scores) if isinstance(scores, dict) else tuple(range(len(scores)))
    design = {"sample_weight": sample_weight, "groups": _joined(groups)}
    areas, covariance, _ = _linearized(y_true, columns, **design)
    undefined = [[NAN] * len(columns)] * len(columns)
    tests = [
        (names[r], names[s], roc_auc_test(y_true, columns[r], columns[s], **design))
        for r, s in combinations(range(len(columns)), 2)
    ]
    adjusted = adjusted_pvalues([test[1] for _, _, test in tests], adjust)
    pairs = [
        (first, second, test[2], test[3], test[0], test[1], p)
        for (first, second, test), p in zip(tests, adjusted, strict=True)
    ]
    areas = undefined[0] if areas is None else areas
    return names, areas, undefined if covariance is None else covariance, pairs


def adjusted_pvalues(pvalues, adjust):
    known = sorted(p for p in pvalues if not math.isnan(p))
    times = {"holm": lambda k: len(known) - k, None: lambda _: 1}
    # Holm: the k-th smallest of m counts m - k times, and no p-value is less than one before it.
    steps = [min(1.0, times[adjust](k) * p) for k, p in enumerate(known)]
    return [
        NAN if math.isnan(p) else max(s for s, q in zip(steps, known, strict=True) if q <= p)
        for p in pvalues
    ]


def comparison_result(names, auc, low, high, covariance, tests, adjust):
    """The tests of the pairs are those of ``compare_roc_auc``."""
    return {"pairwise": tests}


def rate_test(
    y_true,
    score_a,
    score_b,
    *,
    threshold_a,
    threshold_b,
    rate="sensitivity",
    method=None,
    use_continuity=True,
    confidence_level=0.95,
):
    """Return the statistic, the p-value, the difference, and the rows right in one of them.

    And both ends of the interval, where the test is the score test.
    """
    called = [
        [score >= threshold for score in scores]
        for scores, threshold in ((score_a, threshold_a), (score_b, threshold_b))
    ]
    rows = list(zip(_is_positive(y_true), *called, strict=True))
    if rate in ("precision", "npv"):
        return _predictive_test(rows, rate == "precision", confidence_level)
    classes = {"sensitivity": {True}, "specificity": {False}, "accuracy": {False, True}}[rate]
    right = [(a == y, b == y) for y, a, b in rows if y in classes]
    if not right:
        return NAN, NAN, NAN, 0, 0
    b, c = right.count((True, False)), right.count((False, True))
    difference, n = Fraction(b - c, len(right)), b + c
    if method == "asymptotic":
        distance = max(0, abs(b - c) - use_continuity)
        statistic = distance**2 / n if n else 0.0
        return statistic, float(scipy.stats.chi2.sf(statistic, 1)), difference, b, c
    chances = [Fraction(math.comb(n, k), 2**n) for k in range(min(b, c) + 1)]
    pvalue = 2 * sum(chances) - (chances[-1] if method == "mid-p" else 0)
    return min(b, c), min(1, pvalue), difference, b, c


def _predictive_test(rows, called_positive, level):
    """Return the test of the shares of those called positive, or negative, that are."""
    rows = [[own == called_positive for own in row] for row in rows]
    sizes = [sum(row[k] for row in rows) for k in (1, 2)]
    shares = [
        Fraction(sum(row[0] and row[k] for row in rows), n)
        for k, n in zip((1, 2), sizes, strict=True)
    ]
    variance = sum(
        (a * (right - shares[0]) / sizes[0] - b * (right - shares[1]) / sizes[1]) ** 2
        for right, a, b in rows
    )
    rule = (math.inf, "two-sided", level, None)
    statistic, pvalue, difference, _, _, ends = _score_test(shares, variance, sizes, *rule)
    only = [sum(a and not b for _, a, b in rows), sum(b and not a for _, a, b in rows)]
    return statistic, pvalue, difference, *only, ends
