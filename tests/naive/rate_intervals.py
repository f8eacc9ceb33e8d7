"""Intervals of a rate where another is given, from binomial probabilities one by one."""

import math
from fractions import Fraction
from statistics import NormalDist

from naive.parts import (
    _each,
    _meant,
    _on_the_curve,
    _rates,
    fpr_at_tpr,
    precision_at_recall,
    tpr_at_fpr,
)
from naive.rows import of_unweighted_rows


def _binomial(n, share):
    """Return the probability of each number of n trials."""
    return [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]


def _invert(n, chance, share):
    """Return where the mean of ``chance(X)``, for the number X of n trials, is the share."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        probabilities = _binomial(n, middle)
        if math.fsum(p * chance(x) for x, p in enumerate(probabilities)) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def ends_of_rate(points, n_given, n_other, rate, method, confidence_level):
    """Return both ends for the other rate, of a curve of points (given rate, other rate)."""
    rate, tail = float(rate), (1 - confidence_level) / 2
    if rate == 1:
        return 1.0, 1.0
    # For each number of the given class, the least and the greatest number of the other.
    beside = []
    for k in range(n_given + 1):
        heights = [y * n_other for y in _on_the_curve(points, Fraction(k, n_given))]
        beside.append((math.floor(min(heights)), math.ceil(max(heights))))
    probabilities = _binomial(n_given, rate)
    if method == "hilgers":
        tail = (1 - math.sqrt(confidence_level)) / 2
        sums = [math.fsum(probabilities[: k + 1]) for k in range(n_given + 1)]
        first, last = (
            next((k for k, value in enumerate(sums) if value >= end), n_given)
            for end in (tail, 1 - tail)
        )
        least, greatest = beside[first][0], beside[last][1]
        low = _invert(n_other, lambda x: x >= least, tail)
        high = _invert(n_other, lambda x: x > greatest, 1 - tail)
        return low, high
    law = [0.0] * (n_other + 1)
    for probability, (least, greatest) in zip(probabilities, beside, strict=True):
        for j in range(least, greatest + 1):
            law[j] += probability / (greatest - least + 1)

    def chance(x):
        return math.fsum(law[:x]) + law[x] / 2

    return _invert(n_other, chance, tail), _invert(n_other, chance, 1 - tail)


def ends_of_rows(rows, rate, method, confidence_level, *, is_turned=False):
    """Return both ends of the true positive rate; of the false one if turned."""
    if is_turned:
        exchanged = [(not positive, -score, weight) for positive, score, weight in rows]
        low, high = ends_of_rows(exchanged, 1 - rate, method, confidence_level)
        return 1 - high, 1 - low
    n_pos = sum(1 for positive, _, _ in rows if positive)
    return ends_of_rate(_rates(rows), len(rows) - n_pos, n_pos, rate, method, confidence_level)


def _rate_interval(statistic, rows, rates, method, confidence_level, *, is_turned):
    low, high = (
        _each(
            rates,
            rows,
            is_turned,
            lambda rate, side=side: ends_of_rows(
                rows, rate, method, confidence_level, is_turned=is_turned
            )[side],
        )
        for side in (0, 1)
    )
    if isinstance(low, list):
        low = [min(pair) for pair in zip(low, statistic, strict=True)]
        high = [max(pair) for pair in zip(high, statistic, strict=True)]
    else:
        low, high = min(low, statistic), max(high, statistic)
    return statistic, low, high, confidence_level, method


@of_unweighted_rows
def tpr_at_fpr_ci(rows, fpr, *, method="binomial", confidence_level=0.95):
    statistic = tpr_at_fpr.of_rows(rows, fpr)
    return _rate_interval(statistic, rows, fpr, method, confidence_level, is_turned=False)


@of_unweighted_rows
def fpr_at_tpr_ci(rows, tpr, *, method="binomial", confidence_level=0.95):
    statistic = fpr_at_tpr.of_rows(rows, tpr)
    return _rate_interval(statistic, rows, tpr, method, confidence_level, is_turned=True)


@of_unweighted_rows
def precision_at_recall_ci(rows, recall, *, confidence_level=0.95):
    (meant,) = _meant([recall], rows, True)
    low, high = ends_of_rows(rows, meant, "binomial", confidence_level, is_turned=True)
    middle, _ = ends_of_rows(rows, meant, "binomial", 0.0, is_turned=True)
    n, n_pos = len(rows), sum(1 for positive, _, _ in rows if positive)
    # Wilson's score interval of the share of positives.
    z, share = NormalDist().inv_cdf((1 + confidence_level) / 2), n_pos / n
    center = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(share * (1 - share) / n + (z / n) ** 2 / 4) / (1 + z * z / n)

    def log_odds(p):
        return math.log(p / (1 - p))

    def logarithm(value):
        return math.log(value) if value > 0 else -math.inf

    down = log_odds(share) - log_odds(center - reach)
    up = log_odds(center + reach) - log_odds(share)
    log_recall = math.log(recall)
    middle_odds = log_odds(share) + log_recall - math.log(middle)
    below = middle_odds - math.hypot(down, math.log(high) - math.log(middle))
    above = middle_odds + math.hypot(up, math.log(middle) - logarithm(low))
    statistic = precision_at_recall.of_rows(rows, recall)
    low, high = (1 / (1 + math.exp(-end)) for end in (below, above))
    return statistic, min(low, statistic), max(high, statistic), confidence_level, "binomial"
