"""Power and width of the tests that ``roc_auc_power`` plans, from the AUCs and the numbers of rows.

With normal scores the covariance of the AUCs of a sample is known without approximation: it is made
of the covariances of two comparisons of a positive with a negative that share both rows, the
positive, or the negative, each a probability of the bivariate normal distribution. So is the mean
of DeLong's estimate of it. The statistic of ``roc_auc_test`` is a function of the AUCs of the
sample and of this estimate, which varies with them; it is taken to be normal, with the standard
deviation that the delta method gives. Obuchowski's formulas are those of a fitted binormal curve.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fastauc._validation.arrays import Array
from fastauc.inference._distributions import normal_quantile, normal_tail, student
from fastauc.inference._pivots import Pivot, of_difference, pivot_of, wald
from fastauc.inference._spreads import Spread, satterthwaite

_SIGNS = np.array([1.0, -1.0])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


class Design(NamedTuple):
    """What is compared, and how.

    Attributes
    ----------
    reference : float
        The AUC of the second score, or a constant.
    has_second, alternative, margin
        Whether there is a second score; and as for ``roc_auc_power``.
    correlations, sd_ratio
        Of normal scores.
    shared : float64 array or None
        In place of normal scores: what ``_shared_by_normal`` returns, from a pilot sample.
    """

    reference: float
    has_second: bool
    alternative: str
    margin: float
    correlations: tuple[float, float] = (0.0, 0.0)
    sd_ratio: float = 1.0
    shared: Array | None = None


def power_of(design: Design, auc: float, n_pos: float, n_neg: float, alpha: float) -> float:
    """Return the probability that the default test of ``roc_auc_test`` rejects."""
    areas = (auc, design.reference) if design.has_second else (auc,)
    statistic, pivot = _test(design, areas, n_pos, n_neg)
    if design.shared is None:
        slopes = np.empty(len(areas))
        for k, area in enumerate(areas):
            step = 1e-4 * area * (1 - area)  # its square is the order of the error
            ends = [(*areas[:k], area + by, *areas[k + 1 :]) for by in (-step, step)]
            less, more = (_test(design, end, n_pos, n_neg)[0] for end in ends)
            slopes[k] = (more - less) / (2 * step)
    else:
        difference = auc - design.reference + design.margin
        slopes = _SIGNS[: len(areas)] * statistic / difference
    both, pos, neg = _shared(design, areas)
    covariance = (both + (n_neg - 1) * pos + (n_pos - 1) * neg) / (n_pos * n_neg)
    deviation = math.sqrt(max(0.0, slopes @ covariance @ slopes))
    critical = student(pivot.df)[1](alpha / 2 if design.alternative == "two-sided" else alpha)
    above, below = (_tail(critical - found, deviation) for found in (statistic, -statistic))
    return {"two-sided": above + below, "less": below}.get(design.alternative, above)


def width_of(design: Design, auc: float, n_pos: float, n_neg: float, alpha: float) -> float:
    """Return the width of the two-sided interval for a sample that is as supposed."""
    if design.alternative != "two-sided":
        return math.nan
    areas = (auc, design.reference) if design.has_second else (auc,)
    _, pivot = _test(design, areas, n_pos, n_neg)
    low, high = pivot.bounds(student(pivot.df)[1](alpha / 2))
    return high - low


def _test(
    design: Design, areas: tuple[float, ...], n_pos: float, n_neg: float
) -> tuple[float, Pivot]:
    """Return the statistic and the pivot for a sample that is as supposed."""
    parts, sizes = parts_of_variance(_shared(design, areas), n_pos, n_neg), (n_pos, n_neg)
    variance = max(0.0, sum(parts))
    if not design.has_second:
        pivot = pivot_of(Spread(Fraction(areas[0]), variance, sizes), "wilson")
        return pivot.distance_from(Fraction(design.reference)), pivot
    spread = Spread(areas[0] - areas[1], variance, sizes, mean=sum(areas) / 2)
    if design.margin != 0 or variance == 0:
        pivot = of_difference(spread)
    else:
        df = satterthwaite(list(zip(parts, sizes, strict=True)))
        pivot = wald(spread.value, spread.error, "t", df)
    return pivot.distance_from(-design.margin), pivot


def parts_of_variance(shared: Array, n_pos: float, n_neg: float) -> tuple[float, float]:
    """Return the means of the parts of DeLong's variance, of positives and of negatives."""
    signs = _SIGNS[: shared.shape[1]]
    both, pos, neg = (float(signs @ matrix @ signs) for matrix in shared)
    pairs = n_pos * n_neg
    return (both + (n_neg - 1) * pos - neg) / pairs, (both + (n_pos - 1) * neg - pos) / pairs


def _shared(design: Design, areas: tuple[float, ...]) -> Array:
    if design.shared is not None:
        return design.shared
    return _shared_by_normal(areas, design.correlations, design.sd_ratio)


@functools.lru_cache(maxsize=16)
def _shared_by_normal(
    areas: tuple[float, ...], correlations: tuple[float, float], sd_ratio: float
) -> Array:
    """Return the covariances of two comparisons that share both rows, the positive or the negative.

    For every two scores: shape (3, n_scores, n_scores). A comparison is whether a normal difference
    of two scores is above 0. Two of them are correlated through the rows that they share, by r;
    their covariance is the integral of the bivariate normal density at the deviates over the
    correlations from 0 to r (Plackett, Biometrika 41 (1954) 351), here over their arc sines.
    """
    deviates = np.array([-normal_quantile(area) for area in areas])
    pos, neg = (np.where(np.eye(len(areas), dtype=bool), 1.0, r) for r in correlations)
    of_pos = pos / (1 + sd_ratio**2)
    of_neg = neg - neg / (1 + sd_ratio**2)
    half = np.arcsin(np.clip([of_pos + of_neg, of_pos, of_neg], -1, 1)) / 2
    sine = np.sin(half[..., None] * (1 + _NODES))
    first, second = deviates[:, None, None], deviates[None, :, None]
    exponent = (first - second) ** 2 / (2 * (1 - sine**2)) + first * second / (1 + sine)
    covariances: Array = half * (np.exp(-exponent) @ _WEIGHTS) / (2 * math.pi)
    return covariances


def _tail(distance: float, deviation: float) -> float:
    """Return the probability that a normal deviate with mean 0 is above a distance."""
    return normal_tail(distance / deviation) if deviation else float(distance < 0)


def obuchowski_power(design: Design, auc: float, n_pos: float, n_neg: float, alpha: float) -> float:
    """Return the power by formula 2 of Obuchowski and McClish (1997).

    The AUC of a normal score has the variance V / n_pos, where V depends on the AUC and on the
    negatives per positive, and a test of a difference d has n_pos d^2 = (z_alpha sqrt(V0) + z_beta
    sqrt(V))^2, with V0 as the variance under the null hypothesis.
    """
    signs = {"two-sided": math.copysign(1.0, auc - design.reference), "less": -1.0}
    difference = signs.get(design.alternative, 1.0) * (auc - design.reference)
    critical = normal_quantile(alpha / 2 if design.alternative == "two-sided" else alpha)
    null, actual = _obuchowski_variances(design, auc, n_neg / n_pos)
    distance = critical * math.sqrt(null) - math.sqrt(n_pos) * difference
    return _tail(distance, math.sqrt(actual))


def _obuchowski_variances(design: Design, auc: float, ratio: float) -> tuple[float, float]:
    """Return n_pos times the variance of the difference under either hypothesis."""
    if not design.has_second:  # formula 3 of 2004, with its constants
        square = (normal_quantile(auc) * 1.414) ** 2
        shape = 5 * square + 8 + (square + 8) / ratio
        return 0.0792 * (1 + 1 / ratio), 0.0099 * math.exp(-square / 2) * shape
    b, (r_pos, r_neg) = design.sd_ratio, design.correlations
    curves, variances = [], []
    for area in (auc, design.reference):
        a = -normal_quantile(area) * math.sqrt(1 + b * b)
        by_a = math.exp(-a * a / (2 + 2 * b * b)) / math.sqrt(2 * math.pi * (1 + b * b))
        by_b = -a * b / (1 + b * b) * by_a
        curves.append((a, by_a, by_b))
        # Formula 4, which omits the covariance of a and b.
        of_a, of_b = 1 + b * b / ratio + a * a / 2, b * b * (1 + ratio) / (2 * ratio)
        variances.append(by_a**2 * of_a + by_b**2 * of_b)
    (a1, by_a1, by_b1), (a2, by_a2, by_b2) = curves
    covariance = (  # formula 5
        by_a1 * by_a2 * (r_pos + r_neg * b * b / ratio + r_pos**2 * a1 * a2 / 2)
        + by_b1 * by_b2 * b * b * (r_neg**2 + ratio * r_pos**2) / (2 * ratio)
        + (by_a1 * by_b2 * a1 + by_a2 * by_b1 * a2) * b * r_pos**2 / 2
    )
    # AUCs far apart, which correlated scores cannot have, may give a negative variance.
    null, actual = 2 * variances[0] - 2 * covariance, sum(variances) - 2 * covariance
    return max(0.0, null), max(0.0, actual)
