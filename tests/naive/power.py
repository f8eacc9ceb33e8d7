"""Textbook definition of planning, from probabilities of the bivariate normal distribution."""

import functools
import math
from fractions import Fraction

import numpy as np
import scipy.integrate
import scipy.optimize
import scipy.stats

from naive.inference import (
    _score_test,
    ends_away_from_0,
    inverse_size,
    placements,
    wilson_bounds,
)

NORMAL = scipy.stats.norm


@functools.cache
def both_above(area, other, correlation):
    """Return how much likelier than independent ones two normal numbers are both above 0."""
    first, second = NORMAL.ppf(area), NORMAL.ppf(other)
    rest = math.sqrt(max(0, 1 - correlation**2))
    if rest < 1e-6:
        return (min(area, other) if correlation > 0 else max(0, area + other - 1)) - area * other
    found, _ = scipy.integrate.quad(
        lambda x: NORMAL.pdf(x) * NORMAL.cdf((second - correlation * x) / rest),
        -12,
        first,
        points=sorted({-2, 0, min(first, 12)}),
        epsabs=1e-13,
    )
    return found - area * other


def _shared(areas, correlations, b):
    """Return matrices of what comparisons that share both rows, a positive or a negative do."""
    share = 1 / (1 + b * b)

    def matrix(of_pos, of_neg):
        pos, neg = correlations
        return np.array(
            [
                [
                    both_above(x, y, of_pos + of_neg if i == j else of_pos * pos + of_neg * neg)
                    for j, y in enumerate(areas)
                ]
                for i, x in enumerate(areas)
            ]
        )

    return matrix(share, 1 - share), matrix(share, 0), matrix(0, 1 - share)


def _shared_by_rows(y_true, scores):
    """Return the same from placements, as if both rows shared no more than each of them."""
    positive = [bool(label) for label in y_true]
    found = [placements(positive, score) for score in scores]
    pos, neg = (
        np.atleast_2d(
            np.cov(
                [
                    [float(p) for p, own in zip(each, positive, strict=True) if own == wanted]
                    for each in found
                ]
            )
        )
        for wanted in (True, False)
    )
    return pos + neg, pos, neg


def _expected(areas, shared, n_pos, n_neg, reference, margin, alpha):
    """Return statistic, degrees of freedom and width of the test of a sample as expected."""
    both, pos, neg = (
        float(m[0, 0] if len(areas) == 1 else m[0, 0] + m[1, 1] - 2 * m[0, 1]) for m in shared
    )
    pairs = n_pos * n_neg
    of_pos = (both + (n_neg - 1) * pos - neg) / pairs
    of_neg = (both + (n_pos - 1) * neg - pos) / pairs
    variance = of_pos + of_neg
    if len(areas) == 1:
        share = inverse_size(areas[0], variance, n_pos, n_neg)
        statistic = (areas[0] - reference) / math.sqrt(reference * (1 - reference) * share)
        low, high = wilson_bounds(Fraction(areas[0]), share, NORMAL.isf(alpha / 2))
        return statistic, math.inf, high - low
    if margin is not None:
        rule = "non-inferiority", 0.95, margin
        statistic = _score_test(areas, variance, (n_pos, n_neg), math.inf, *rule)[0]
        return statistic, math.inf, math.nan
    df = variance**2 / (of_pos**2 / (n_pos - 1) + of_neg**2 / (n_neg - 1))
    error = math.sqrt(variance)
    difference, reach = areas[0] - areas[1], scipy.stats.t(df).isf(alpha / 2) * error
    rule = areas, variance, (n_pos, n_neg), df, "two-sided", 1 - alpha, None
    low, high = ends_away_from_0(difference - reach, difference + reach, *rule)
    return difference / error, df, high - low


def claims(auc, n_pos, n_neg, alpha, *, shared, others, reference, margin, alternative):
    """Return power and width; ``shared`` is a function of the areas, or matrices of a sample."""
    areas = [auc, *others]
    sizes = n_pos, n_neg, reference, margin, alpha
    own = shared(areas) if callable(shared) else shared
    statistic, df, width = _expected(areas, own, *sizes)
    if callable(shared):
        slopes = []
        for k in range(len(areas)):
            less, more = (
                _expected(moved, shared(moved), *sizes)[0]
                for moved in ([*areas[:k], areas[k] + by, *areas[k + 1 :]] for by in (-1e-5, 1e-5))
            )
            slopes.append((more - less) / 2e-5)
    else:
        slope = statistic / (auc - reference + (margin or 0))
        slopes = [slope, -slope][: len(areas)]
    both, pos, neg = own
    covariance = (both + (n_neg - 1) * pos + (n_pos - 1) * neg) / (n_pos * n_neg)
    deviation = math.sqrt(slopes @ covariance @ slopes)
    law = scipy.stats.t(df) if math.isfinite(df) else NORMAL
    critical = law.isf(alpha / 2 if alternative == "two-sided" else alpha)
    above = NORMAL.sf((critical - statistic) / deviation)
    below = NORMAL.sf((critical + statistic) / deviation)
    power = {"two-sided": above + below, "less": below}.get(alternative, above)
    return power, width if alternative == "two-sided" else math.nan


def roc_auc_power(
    *,
    auc=None,
    auc_b=None,
    constant=None,
    n_pos=None,
    n_neg=None,
    ratio=None,
    alpha=0.05,
    power=None,
    width=None,
    correlation=None,
    margin=None,
    alternative="two-sided",
    sd_ratio=None,
    pilot=None,
):
    """Return auc, n_pos, n_neg, alpha, power and width; what is looked for is a root."""
    both = correlation if isinstance(correlation, tuple) else (correlation or 0.0,) * 2
    reference = next(area for area in (auc_b, constant, 0.5) if area is not None)
    others = [] if auc_b is None else [auc_b]

    def shared(areas):
        return _shared(areas, both, sd_ratio or 1.0)

    if pilot is not None:
        y_true, *scores = pilot
        is_constant = isinstance(scores[1], float)
        shared = _shared_by_rows(y_true, scores[:1] if is_constant else scores)
        own = [placements(y_true, score) for score in scores[: len(shared[0])]]
        areas = [
            float(sum(p for p, y in zip(each, y_true, strict=True) if y)) / sum(y_true)
            for each in own
        ]
        auc, others = areas[0], areas[1:]
        reference = scores[1] if is_constant else areas[1]

    def found(auc, n_pos, n_neg, alpha):
        rule = {"reference": reference, "margin": margin, "alternative": alternative}
        return claims(auc, n_pos, n_neg, alpha, shared=shared, others=others, **rule)

    case = [auc, n_pos, n_neg, alpha]

    def lack(value, place):
        given = [*case[:place], value, *case[place + 1 :]]
        if given[2] is None:
            given[2] = (ratio or 1) * value
        goals = found(*given)
        return goals[0] - power if width is None else goals[1] - width

    if auc is None:
        case[0] = scipy.optimize.brentq(lack, reference - (margin or 0) + 1e-3, 0.999, (0,))
    elif alpha is None:
        root = scipy.optimize.brentq(lambda log: lack(math.exp(log), 3), -60, -1e-6)
        case[3] = math.exp(root)
    elif n_pos is None:
        least = max(2.0, 2 / (ratio or 1))
        case[1] = scipy.optimize.brentq(lack, least, 1e5, (1,))
        case[2] = n_neg or (ratio or 1) * case[1]
    elif n_neg is None:
        case[2] = scipy.optimize.brentq(lack, 2, 1e5, (2,))
    case[1:3] = map(math.ceil, case[1:3])
    return (*case, *found(*case))
