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


class Binormal:
    """A binormal curve between two false positive rates: Obuchowski and McClish (1997), table 1.

    ``a`` and ``b`` are its parameters; ``f`` and ``g`` the derivatives of the area by them.
    """

    def __init__(self, a, b=1.0, fpr_range=(0.0, 1.0)):
        self.a, self.b = a, b
        scale = 1 + b * b
        ends = [(NORMAL.ppf(fpr) + a * b / scale) * math.sqrt(scale) for fpr in fpr_range]
        height = math.exp(-a * a / (2 * scale))
        mass = NORMAL.cdf(ends[1]) - NORMAL.cdf(ends[0])
        drop = math.exp(-(ends[0] ** 2) / 2) - math.exp(-(ends[1] ** 2) / 2)
        self.f = height * mass / math.sqrt(2 * math.pi * scale)
        self.g = height * drop / (2 * math.pi * scale)
        self.g -= a * b * height * mass / math.sqrt(2 * math.pi * scale**3)

    def variance(self, kappa):
        a, b = self.a, self.b
        of_a, of_b = 1 + b * b / kappa + a * a / 2, b * b * (1 + kappa) / (2 * kappa)
        return self.f**2 * of_a + self.g**2 * of_b

    def covariance(self, other, kappa, ra, rn):
        b = self.b * other.b
        return (
            self.f * other.f * (ra + rn * b / kappa + ra**2 * self.a * other.a / 2)
            + self.g * other.g * b * (rn**2 + kappa * ra**2) / (2 * kappa)
            + self.f * other.g * ra**2 * self.a * other.b / 2
            + other.f * self.g * ra**2 * other.a * self.b / 2
        )


def binormal_curves(auc, auc_b, kappa, correlations=(0, 0), b=1.0):
    """Return the difference, and n_pos times its variance without and with it, as in pROC."""
    if auc_b is None:  # Obuchowski, Lieber and Wians (2004), with the constants printed there
        a = NORMAL.ppf(auc) * 1.414
        actual = 0.0099 * math.exp(-a * a / 2) * (5 * a * a + 8 + (a * a + 8) / kappa)
        return auc - 0.5, 0.0792 * (1 + 1 / kappa), actual
    first, second = (Binormal(math.sqrt(1 + b * b) * NORMAL.ppf(area), b) for area in (auc, auc_b))
    both = first.covariance(second, kappa, *correlations)
    null = 2 * first.variance(kappa) - 2 * both
    return auc - auc_b, null, first.variance(kappa) + second.variance(kappa) - 2 * both


def power_of(difference, null, actual, n_pos, alpha, alternative):
    """Return the power with n_pos positives: formula 2 of Obuchowski and McClish (1997)."""
    z = NORMAL.isf(alpha / 2 if alternative == "two-sided" else alpha)
    reach = math.sqrt(n_pos) * abs(difference) - z * math.sqrt(null)
    return NORMAL.cdf(reach / math.sqrt(actual))


def size_of(difference, null, actual, power, alpha, alternative):
    """Return the number of positives with a power: formula 2."""
    z = NORMAL.isf(alpha / 2 if alternative == "two-sided" else alpha)
    reach = z * math.sqrt(null) + NORMAL.ppf(power) * math.sqrt(actual)
    return max(0.0, reach) ** 2 / difference**2


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
    method="delong",
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
        if method == "obuchowski":
            supposed = binormal_curves(auc, auc_b, n_neg / n_pos, both, sd_ratio or 1.0)
            return power_of(*supposed, n_pos, alpha, alternative), math.nan
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
