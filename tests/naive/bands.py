"""Intervals and bands of a rate where another is given, from binomial probabilities one by one.

``rows`` are (is positive, score, weight), as in ``naive.curves``.
"""

import math
from fractions import Fraction
from itertools import accumulate, pairwise
from statistics import NormalDist

import scipy.stats

from naive.bootstrap import quantile
from naive.inference import least_sizes, sizes_of_design, wilson_bounds
from naive.parts import _meant, _on_the_curve, _rates, fpr_at_tpr, precision_at_recall, tpr_at_fpr
from naive.rows import rows_of

NORMAL, NAN = NormalDist(), math.nan


def _exchanged(rows):
    """Return the negatives as positives, with the order of the scores turned."""
    return [(not positive, -score, weight) for positive, score, weight in rows]


def _complements(ends):
    low, high = ends
    return 1 - high, 1 - low


# Binomial counts ----------------------------------------------------------------------------------


def _invert(n, chance, share):
    """Return where the mean of ``chance(X)``, for the number X of n trials, is the share."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = math.fsum(p * chance(x) for x, p in enumerate(_binomial(n, middle)))
        low, high = (middle, high) if mean < share else (low, middle)
    return (low + high) / 2


def _binomial(n, share):
    """Return the probability of each number of n trials."""
    return [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]


def ends_of_rows(rows, rate, confidence_level, sizes=None):
    """Return both ends of the true positive rate where the false one is given.

    ``sizes`` are effective numbers of rows of each class, in place of their numbers.
    """
    rate, tail = float(rate), (1 - confidence_level) / 2
    if rate == 1:
        return 1.0, 1.0
    n_pos = sum(positive for positive, _, _ in rows)
    n_neg, points = len(rows) - n_pos, _rates(rows)
    if sizes is not None:
        n_pos, n_neg = map(math.floor, sizes)
    # For each number of negatives, the least and the greatest number of positives.
    beside = []
    for k in range(n_neg + 1):
        heights = [y * n_pos for y in _on_the_curve(points, Fraction(k, n_neg))]
        beside.append((math.floor(min(heights)), math.ceil(max(heights))))
    probabilities = _binomial(n_neg, rate)
    law = [0.0] * (n_pos + 1)
    for probability, (least, greatest) in zip(probabilities, beside, strict=True):
        for j in range(least, greatest + 1):
            law[j] += probability / (greatest - least + 1)

    def chance(x):
        return math.fsum(law[:x]) + law[x] / 2

    return _invert(n_pos, chance, tail), _invert(n_pos, chance, 1 - tail)


def _ends_of_precision(rows, recall, confidence_level):
    """Return both ends, from those of the false positive rate and of the share of positives."""
    turned, (meant,) = _exchanged(rows), _meant([recall], rows, True)
    fpr_low, fpr_high = _complements(ends_of_rows(turned, 1 - meant, confidence_level))
    middle = 1 - ends_of_rows(turned, 1 - meant, 0.0)[0]
    n, share = len(rows), Fraction(sum(positive for positive, _, _ in rows), len(rows))
    low, high = wilson_bounds(share, 1 / n, NORMAL.inv_cdf((1 + confidence_level) / 2))

    def log_odds(p):
        return math.log(p / (1 - p))

    center = log_odds(share) + math.log(recall) - math.log(middle)
    down, up = log_odds(share) - log_odds(low), log_odds(high) - log_odds(share)
    below = center - math.hypot(down, math.log(fpr_high / middle))
    above = center + math.hypot(up, math.log(middle / fpr_low) if fpr_low > 0 else math.inf)
    return tuple(1 / (1 + math.exp(-end)) for end in (below, above))


# Bands --------------------------------------------------------------------------------------------


def _rectangles(rows, rate, confidence_level, sizes):
    """Return the least and the greatest height at a rate of the rectangles around the curve."""
    tail = 1 - math.sqrt(confidence_level)
    up, right = (math.sqrt(math.log(2 / tail) / (2 * math.floor(n))) for n in sizes)
    # Points close together on the polyline: its corners, and what is between them.
    corners = [(float(x), float(y)) for x, y in _rates(rows)]
    points = [corners[0]] + [
        (x0 + (x1 - x0) * k / 100, y0 + (y1 - y0) * k / 100)
        for (x0, y0), (x1, y1) in pairwise(corners)
        for k in range(1, 101)
    ]
    low = min(height for x, height in points if x >= min(rate - right, 1)) - up
    high = max(height for x, height in points if x <= max(rate + right, 0)) + up
    return max(low, 0.0), min(high, 1.0)


def widened(rates, heights, ends, drawn, edge, confidence_level):
    """Return ends further away by one factor, for the heights of each replicate."""
    ratios = []
    for values in drawn:
        ratio = 1.0
        for rate, height, (low, high), value in zip(rates, heights, ends, values, strict=True):
            width = height - low if value < height else high - height
            if edge <= rate <= 1 - edge and value != height and width > 0:
                ratio = max(ratio, abs(value - height) / width)
        ratios.append(ratio)
    factor = quantile(ratios, confidence_level)
    return [
        (max(height - factor * (height - low), 0.0), min(height + factor * (high - height), 1.0))
        for height, (low, high) in zip(heights, ends, strict=True)
    ]


def ascending(ends):
    """Return a band that holds the ascending curves of another, and is no wider."""
    lows, highs = zip(*ends, strict=True)
    return list(
        zip(accumulate(lows, max), list(accumulate(reversed(highs), min))[::-1], strict=True)
    )


def height_of_rows(rows, fpr):
    """Return the height of the ROC polyline at a rate; the upper end where it is upright."""
    return tpr_at_fpr.of_rows(rows, fpr)


def curve_ci(
    y_true,
    y_score,
    at=None,
    *,
    given="fpr",
    simultaneous=False,
    confidence_level=0.95,
    n_resamples=None,
    groups=None,
    sample_weight=None,
    rng=None,
):
    """Return the values at some rates, and both ends there; bands made of replicates are above."""
    rows, level = rows_of(y_true, y_score, sample_weight), confidence_level
    sizes = None
    if sample_weight is not None or groups is not None:
        sizes = least_sizes(sizes_of_design(y_true, y_score, sample_weight, groups), rows)
    if given == "recall":
        values = precision_at_recall(y_true, y_score, at)
        ends = [_ends_of_precision(rows, rate, level) for rate in at]
    else:
        reading = fpr_at_tpr if given == "tpr" else tpr_at_fpr
        values = reading(y_true, y_score, at, sample_weight=sample_weight)
        rates, turned = _meant(at, rows, given == "tpr"), rows
        if given == "tpr":
            turned, rates = _exchanged(rows), [1 - rate for rate in rates]
            sizes = sizes and sizes[::-1]
        of_rate = _rectangles if simultaneous else ends_of_rows
        ends = [of_rate(turned, rate, level, sizes) for rate in rates]
        if given == "tpr":
            ends = [_complements(pair) for pair in ends]
    values = [float(value) for value in values]
    if not simultaneous:
        ends = [(min(low, v), max(high, v)) for (low, high), v in zip(ends, values, strict=True)]
    return values, ends


# Net benefit --------------------------------------------------------------------------------------


def _variance_of_row(theta, odds, tp, fp, rest):
    """Return the variance of one row where the likelihood of rows of mean theta is greatest.

    A row counts 1, minus the odds, or 0. Of the shares p, q, r of these, p = theta + odds q.
    """
    low, high = max(0.0, -theta / odds) if odds else 0.0, (1 - theta) / (1 + odds)

    def likelihood(q):
        shares = theta + odds * q, q, 1 - theta - (1 + odds) * q
        pairs = list(zip((tp, fp, rest), shares, strict=True))
        if any(count > 0 and share <= 0 for count, share in pairs):
            return -math.inf
        return sum(count * math.log(share) for count, share in pairs if count > 0)

    for _ in range(200):  # concave: golden section
        left, right = high - 0.618 * (high - low), low + 0.618 * (high - low)
        low, high = (left, high) if likelihood(left) < likelihood(right) else (low, right)
    return theta + odds * low + odds**2 * low - theta**2


def net_benefit_ends(tp, fp, rest, threshold, z):
    """Return both ends of the net benefit, of so many rows that count 1, minus the odds, and 0."""
    odds, n = threshold / (1 - threshold), tp + fp + rest
    found = (tp - odds * fp) / n
    ends = []
    for end in (-odds, 1.0):
        inside, outside = found, end
        for _ in range(60):
            middle = (inside + outside) / 2
            is_near = (found - middle) ** 2 * n <= z**2 * _variance_of_row(
                middle, odds, tp, fp, rest
            )
            inside, outside = (middle, outside) if is_near else (inside, middle)
        ends.append(inside)
    return tuple(ends)


def net_benefit_interval(rows, groups, threshold, confidence_level):
    """Return the net benefit and both ends, by the variance of its sum over groups.

    Weights and groups make the rows as many independent ones as have that variance.
    """
    odds, whole = threshold / (1 - threshold), sum(weight for *_, weight in rows)
    values = [(1 if p else -odds) if s >= threshold else 0 for p, s, _ in rows]
    found = sum(w * v for (*_, w), v in zip(rows, values, strict=True)) / whole
    shares = [
        sum(w for (*_, w), v in zip(rows, values, strict=True) if v == k) / whole
        for k in (1, -odds)
    ]
    is_plain, n = groups is None and len({w for *_, w in rows}) == 1, len(rows)
    df = math.inf
    if not is_plain:
        groups = range(n) if groups is None else groups
        names = sorted(set(groups))
        sums, sizes = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for (*_, w), v, g in zip(rows, values, groups, strict=True):
            sums[g] += float(w / whole) * (v - float(found))
            sizes[g] += float(w / whole)
        kish, m = 1 / sum(share**2 for share in sizes.values()), len(names)
        if m < 2:
            return float(found), NAN, NAN
        variance = m / (m - 1) * sum(s * s for s in sums.values())
        of_row = float(shares[0]) + odds**2 * float(shares[1]) - float(found) ** 2
        most = sum(least_sizes((math.inf, math.inf), rows))
        n = min(n, most, of_row / variance if variance > 0 else kish)
        df = max(1.0, kish - 1)
    z = scipy.stats.t.isf((1 - confidence_level) / 2, df)
    tp, fp = (float(share) * n for share in shares)
    return float(found), *net_benefit_ends(tp, fp, n - tp - fp, threshold, z)
