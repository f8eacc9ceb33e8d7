"""Textbook definitions of parts of the curve, of ensembles, and of losses over pairs.

As in ``naive``: plain loops over rows and pairs, exact fractions, no input checks.
"""

import itertools
import math
from fractions import Fraction

from naive.gains import _points, share_meant
from naive.pairs import area_of
from naive.rows import ONE, ZERO, listed, of_rows, of_unweighted_rows, rows_of, totals, weights_of


def _rates(rows):
    n_pos, n_neg = totals(rows)
    return [(fp / n_neg, tp / n_pos) for _, fp, tp in _points(rows)]


def _strip(points, lower, upper):
    """Return the area under a polyline between two abscissas."""
    area = ZERO
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        left, right = max(x0, lower), min(x1, upper)
        if left < right:
            slope = (y1 - y0) / (x1 - x0)
            area += (right - left) * (2 * y0 + slope * (left - x0 + right - x0)) / 2
    return area


def _meant(rates, rows, of_positives):
    """Return what rates stand for among the rows of a class."""
    own = [row for row in rows if row[0] == of_positives]
    return [share_meant(rate, own) for rate in rates]


def _part(rows, fpr_range, tpr_range):
    """Return the area of a part of the curve, that of chance, and the most there can be."""
    if fpr_range is not None:
        lower, upper = _meant(fpr_range, rows, False)
        area = _strip(_rates(rows), lower, upper)
        return area, (upper**2 - lower**2) / 2, upper - lower
    lower, upper = _meant(tpr_range, rows, True)
    # The specificity as a function of the true positive rate.
    area = _strip([(y, 1 - x) for x, y in _rates(rows)], lower, upper)
    return area, ((1 - lower) ** 2 - (1 - upper) ** 2) / 2, upper - lower


def _log_part(rows, fpr_range, standardized):
    """Return the area over log10 of the abscissa: exact but for the logarithms."""
    lower, upper = _meant(fpr_range, rows, False)
    area = ZERO
    for (x0, y0), (x1, y1) in itertools.pairwise(_rates(rows)):
        left, right = max(x0, lower), min(x1, upper)
        if left < right:
            slope = (y1 - y0) / (x1 - x0)
            area += (y0 - slope * x0) * logarithm(right / left) + slope * (right - left)
    return area / logarithm(upper / lower if standardized else Fraction(10))


@of_rows
def partial_roc_auc_score(
    rows, *, fpr_range=None, tpr_range=None, standardized=True, log_scale=False
):
    if 0 in totals(rows):
        return math.nan
    if log_scale:
        return _log_part(rows, fpr_range, standardized)
    area, chance, most = _part(rows, fpr_range, tpr_range)
    return (1 + (area - chance) / (most - chance)) / 2 if standardized else area


def area_up_to(rows, max_fpr):
    """Return the area up to a false positive rate, standardized after McClish (1989)."""
    return partial_roc_auc_score.of_rows(rows, fpr_range=(0, max_fpr))


def influences(rows, fpr_range, tpr_range):
    """Return by how much the area grows with the share of each row in its class.

    A quotient of differences in exact fractions. The area is a smooth function of the weights
    where no threshold is exactly at an end of the part, so it is off by the square of the step.
    """
    step = Fraction(1, 10**12)
    n_pos, n_neg = totals(rows)
    fpr_range = fpr_range and _meant(fpr_range, rows, False)
    tpr_range = tpr_range and _meant(tpr_range, rows, True)

    def area(changed, amount):
        moved = [
            (positive, score, weight + (amount if i == changed else 0))
            for i, (positive, score, weight) in enumerate(rows)
        ]
        return _part(moved, fpr_range, tpr_range)[0]

    found = []
    for i, (positive, _, _) in enumerate(rows):
        amount = step * (n_pos if positive else n_neg)
        found.append((area(i, amount) - area(i, -amount)) / (2 * step))
    return found


def partial_area_variance(rows, fpr_range, tpr_range):
    """Return the variance of the mean influence of either class, added up."""
    changes = influences(rows, fpr_range, tpr_range)
    variance = ZERO
    for is_positive, total in zip((True, False), totals(rows), strict=True):
        own = [
            (row[2], change)
            for row, change in zip(rows, changes, strict=True)
            if row[0] == is_positive
        ]
        squares = sum(weight**2 * change**2 for weight, change in own) / total**2
        variance += squares * Fraction(len(own), len(own) - 1)
    return variance


@of_rows
def partial_roc_auc_ci(rows, *, fpr_range=None, tpr_range=None, standardized=True):
    """Return the statistic and its squared standard error."""
    area, chance, most = _part(rows, fpr_range, tpr_range)
    variance = partial_area_variance(rows, fpr_range, tpr_range)
    if not standardized:
        return area, variance
    return (1 + (area - chance) / (most - chance)) / 2, variance / (2 * (most - chance)) ** 2


def partial_roc_auc_test(
    y_true, score_a, score_b, *, fpr_range=None, tpr_range=None, standardized=True
):
    """Return the difference and its squared standard error."""
    part = {"fpr_range": fpr_range, "tpr_range": tpr_range}
    both = (y_true, score_a), (y_true, score_b)
    estimates = [partial_roc_auc_ci(*rows, standardized=standardized, **part) for rows in both]
    rows = [rows_of(*own) for own in both]
    pairs = list(zip(*(influences(own, **part) for own in rows), strict=True))
    variance = ZERO
    for is_positive, total in zip((True, False), totals(rows[0]), strict=True):
        changes = [
            a - b for (a, b), row in zip(pairs, rows[0], strict=True) if row[0] == is_positive
        ]
        variance += sum(change**2 for change in changes) / (total * (total - 1))
    if standardized:
        _, chance, most = _part(rows[0], fpr_range, tpr_range)
        variance /= (2 * (most - chance)) ** 2
    return estimates[0][0] - estimates[1][0], variance


def partial_roc_auc_test_ind(
    y_true_a, score_a, y_true_b, score_b, *, fpr_range=None, tpr_range=None, standardized=True
):
    """Return the difference of two samples and its squared standard error."""
    options = {"fpr_range": fpr_range, "tpr_range": tpr_range, "standardized": standardized}
    first, second = (
        partial_roc_auc_ci(*rows, **options) for rows in ((y_true_a, score_a), (y_true_b, score_b))
    )
    return first[0] - second[0], first[1] + second[1]


# Readings ---------------------------------------------------------------------------------------


def _each(rates, rows, of_positives, reading):
    if hasattr(rates, "tolist"):
        rates = rates.tolist()
    if not isinstance(rates, list):
        return reading(*_meant([rates], rows, of_positives))
    return [reading(rate) for rate in _meant(rates, rows, of_positives)]


def _on_the_curve(points, x):
    """Return all that a polyline has at an abscissa, as a list of ordinates of its segments."""
    found = []
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= x <= x1:
            found += [y0, y1] if x0 == x1 else [y0 + (y1 - y0) * (x - x0) / (x1 - x0)]
    return found


@of_rows
def tpr_at_fpr(rows, fpr, *, interpolation="linear"):
    if 0 in totals(rows):
        return _each(fpr, rows, False, lambda _: math.nan)
    points = _rates(rows)
    if interpolation == "linear":
        return _each(fpr, rows, False, lambda rate: max(_on_the_curve(points, rate)))
    return _each(fpr, rows, False, lambda rate: max(y for x, y in points if x <= rate))


@of_rows
def fpr_at_tpr(rows, tpr, *, interpolation="linear"):
    if 0 in totals(rows):
        return _each(tpr, rows, True, lambda _: math.nan)
    points = _rates(rows)
    if interpolation == "linear":
        turned = [(y, x) for x, y in points]
        return _each(tpr, rows, True, lambda rate: min(_on_the_curve(turned, rate)))
    return _each(tpr, rows, True, lambda rate: min(x for x, y in points if y >= rate))


@of_rows
def precision_at_recall(rows, recall, *, interpolation="linear"):
    n_pos, _ = totals(rows)
    if n_pos == 0:
        return _each(recall, rows, True, lambda _: math.nan)
    points = [(tp, fp) for _, fp, tp in _points(rows)]

    def linear(rate):
        tp = rate * n_pos
        return tp / (tp + min(_on_the_curve(points, tp)))

    def step(rate):
        return max(tp / (tp + fp) for tp, fp in points if tp >= rate * n_pos)

    return _each(recall, rows, True, linear if interpolation == "linear" else step)


# Hull -------------------------------------------------------------------------------------------


@of_rows
def roc_convex_hull(rows):
    """Return fpr, tpr, thresholds and area: a point is a corner if it lies above every chord."""
    points = _rates(rows)
    thresholds = [threshold for threshold, _, _ in _points(rows)]
    kept = []
    for k, (x, y) in enumerate(points):
        is_corner = True
        for x0, y0 in points[:k]:
            for x1, y1 in points[k + 1 :]:
                # On which side of the chord the point lies.
                is_corner &= (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0
        if is_corner:
            kept.append(k)
    corners = [points[k] for k in kept]
    area = _strip(corners, ZERO, ONE)
    return [x for x, _ in corners], [y for _, y in corners], [thresholds[k] for k in kept], area


# Precision and recall ---------------------------------------------------------------------------


@of_rows
def pr_auc_score(rows, *, interpolation="step", prevalence=None):
    """Return the area; exactly, but for the logarithms of "davis-goadrich"."""
    n_pos, n_neg = totals(rows)
    if n_pos == 0 or (prevalence is not None and n_neg == 0):
        return math.nan
    share = n_pos / (n_pos + n_neg) if prevalence is None else Fraction(prevalence)
    points = [
        (share * tp / n_pos, (1 - share) * fp / n_neg if n_neg else ZERO)
        for _, fp, tp in _points(rows)
    ]
    terms = []
    for (t0, f0), (t1, f1) in itertools.pairwise(points):
        if interpolation == "step":
            terms.append((t1 - t0) * t1 / (t1 + f1))
        elif t1 > t0:
            terms.append(_curved(t0, f0, t1, f1))
    return sum(terms) / share


def _curved(t0, f0, t1, f1):
    """Return the integral of t / (t + f) where f grows evenly with t (Keilwagen et al. 2014)."""
    slope = 1 + (f1 - f0) / (t1 - t0)
    offset = t0 + f0 - slope * t0
    if offset == 0:
        return (t1 - t0) / slope
    return (t1 - t0) / slope - offset / slope**2 * logarithm((t1 + f1) / (t0 + f0))


def logarithm(value):
    """Return the logarithm of a fraction above 1 to 60 digits, by 2 artanh((v - 1) / (v + 1))."""
    halvings = 0
    while value > 2:
        value /= 2
        halvings += 1
    total = ZERO
    for number, times in ((value, 1), (Fraction(2), halvings)):
        z = (number - 1) / (number + 1)
        # Rounded, or the fractions would grow without end: 1e-70 is less than anything compared.
        z = Fraction(round(z * 10**70), 10**70)
        power, odd = z, 1
        while times and power > Fraction(1, 10**65):
            total += times * 2 * power / odd
            power = Fraction(round(power * z * z * 10**70), 10**70)
            odd += 2
    return total


@of_rows
def pr_gain_auc_score(rows):
    n_pos, n_neg = totals(rows)
    if n_pos == 0 or n_neg == 0:
        return math.nan
    odds = n_pos / n_neg
    least = n_pos**2 / (n_pos + n_neg)  # the true positives at which recall is the prevalence
    counts = []
    for (_, fp0, tp0), (_, fp1, tp1) in itertools.pairwise(_points(rows)):
        if tp0 < least < tp1:
            counts.append((fp0 + (least - tp0) / (tp1 - tp0) * (fp1 - fp0), least))
        if least <= tp1:
            counts.append((fp1, tp1))
    gains = [(1 - odds * (n_pos - tp) / tp, 1 - odds * fp / tp) for fp, tp in counts]
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(gains))


# The highest scores -----------------------------------------------------------------------------


def _taken(rows, k):
    edge = sorted((score for _, score, _ in rows), reverse=True)[k - 1]
    return [row for row in rows if row[1] >= edge]


@of_unweighted_rows
def roc_auc_at_k(rows, k):
    return area_of(_taken(rows, k))


@of_unweighted_rows
def precision_at_k(rows, k):
    taken = _taken(rows, k)
    return Fraction(sum(positive for positive, _, _ in taken), len(taken))


@of_unweighted_rows
def recall_at_k(rows, k):
    n_pos = sum(positive for positive, _, _ in rows)
    taken = _taken(rows, k)
    return Fraction(sum(positive for positive, _, _ in taken), n_pos) if n_pos else math.nan


# Ensembles and training -------------------------------------------------------------------------


def rank_average(y_scores, *, weights=None, normalize=False):
    columns = [listed(scores) for scores in y_scores]
    shares = weights_of(weights, len(columns))
    means = []
    for row in range(len(columns[0])):
        total = ZERO
        for scores, share in zip(columns, shares, strict=True):
            below = sum(score < scores[row] for score in scores)
            tied = sum(score == scores[row] for score in scores)
            total += share * (below + Fraction(1 + tied, 2))
        means.append(total / sum(shares) / (len(columns[0]) if normalize else 1))
    return means


def pairwise_loss(
    y_true,
    y_score,
    *,
    kind="squared_hinge",
    margin=1.0,
    sample_weight=None,
    pos_label=None,
    return_gradient=True,
):
    y_true, y_score = listed(y_true), [Fraction(score) for score in listed(y_score)]
    weights = weights_of(sample_weight, len(y_true))
    label = 1 if pos_label is None else pos_label
    loss = pairs = ZERO
    gradient = [ZERO] * len(y_true)
    for i, truth in enumerate(y_true):
        for j, other in enumerate(y_true):
            if truth == label and other != label:
                weight = weights[i] * weights[j]
                gap = Fraction(margin) - (y_score[i] - y_score[j])
                if kind != "square":
                    gap = max(gap, ZERO)
                slope = 2 * gap if kind != "hinge" else Fraction(gap > 0)
                loss += weight * (gap if kind == "hinge" else gap**2)
                pairs += weight
                gradient[i] -= weight * slope
                gradient[j] += weight * slope
    if pairs == 0:
        return (math.nan, [math.nan] * len(y_true)) if return_gradient else math.nan
    gradient = [slope / pairs for slope in gradient]
    return (loss / pairs, gradient) if return_gradient else loss / pairs
