"""Variances of areas: of one score by several methods, of several scores after DeLong.

With T as twice the number of concordant pairs plus the tied ones, and the doubled placements of
``placements``, the variances of one unweighted score are fractions of integers: nothing is
subtracted after it was rounded.

Of several scores, of groups and with weights: how much the area depends on a row is the row's
influence, its weight by that of its class, times its placement less the area. The influences of
independent units, rows or groups of them, add up to the deviation of the area, and the sum of their
products estimates its variance. With m units of a class that sum is m / (m - 1) times too small. So
one formula is that of DeLong [1]_ for rows, that of Obuchowski [2]_ for groups, and that of the
linearized area, the sandwich, with weights.

References
----------
.. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or more
   correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.
.. [2] N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data", Biometrics 53 (1997)
   567-578.
.. [3] D. Bamber, "The area above the ordinal dominance graph and the area below the receiver
   operating characteristic graph", J. Math. Psychol. 12 (1975) 387-415.
.. [4] J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a receiver operating
   characteristic (ROC) curve", Radiology 143 (1982) 29-36.
.. [5] R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney
   statistic. Part 2", Statist. Med. 25 (2006) 559-573.
.. [6] E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
   number of positive counts estimated from survey data", Survey Methodology 24 (1998) 193-201.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._inference.placements import PlacementSums, find_placements, weigh_placements
from fastauc._kernels import resampling as _resampling
from fastauc._pairs.ordering import lexsort
from fastauc._pairs.weighted import weighted_ratio
from fastauc._validation.arrays import FLOAT64, INT64, Array
from fastauc._validation.columns import Models
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers


def variance_of_spreads(spread_pos: Any, spread_neg: Any, n_pos: Any, n_neg: Any) -> Any:
    """Return the variance of DeLong [1]_: that of the mean placement of each class, added up.

    The spread of m doubled placements is m times the sum of their squares, less the square of their
    sum: m^2 (m - 1) times the variance of their mean. They are 2 n times a share. Of fractions,
    or arrays.
    """
    return (spread_pos / (n_pos - 1) + spread_neg / (n_neg - 1)) / (2 * n_pos * n_neg) ** 2


def delong_variance(sums: PlacementSums) -> Fraction:
    """Return the variance of DeLong [1]_, exactly."""
    n_pos, n_neg, twice_u, _, squares_pos, squares_neg = sums
    spreads = Fraction(n_pos * squares_pos - twice_u**2), Fraction(n_neg * squares_neg - twice_u**2)
    variance: Fraction = variance_of_spreads(*spreads, n_pos, n_neg)
    return variance


def unbiased_variance(sums: PlacementSums) -> Fraction:
    """Return the estimate whose mean is the variance, after Bamber [3]_; it can be negative.

    It is the square of the area less the mean product of two pairs that share no row, which has the
    square of the true area as its mean.
    """
    n_pos, n_neg, twice_u, tied, squares_pos, squares_neg = sums
    # Four times the square of what a pair counts: 4 if concordant, 1 if tied.
    squares = 2 * twice_u - tied
    apart = twice_u**2 - squares_pos - squares_neg + squares
    return Fraction(twice_u**2, 4 * (n_pos * n_neg) ** 2) - Fraction(
        apart, 4 * n_pos * (n_pos - 1) * n_neg * (n_neg - 1)
    )


def hanley_mcneil_variance(area: Fraction, n_pos: int, n_neg: int) -> Fraction:
    """Return the variance of Hanley and McNeil [4]_, from the area and the class sizes alone."""
    two_positives = area / (2 - area)
    two_negatives = 2 * area**2 / (1 + area)
    return (
        area * (1 - area)
        + (n_pos - 1) * (two_positives - area**2)
        + (n_neg - 1) * (two_negatives - area**2)
    ) / (n_pos * n_neg)


def newcombe_variance(area: float, n_pos: float, n_neg: float) -> float:
    """Return the variance that Newcombe's methods 4 and 5 [5]_ have at a supposed area.

    That of Hanley and McNeil with the mean class size for both sizes within the brackets.
    """
    others = (n_pos + n_neg) / 2 - 1
    share = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * (1 + others * share) / (n_pos * n_neg)


def newcombe_bounds(area: float, n_pos: float, n_neg: float, z: float) -> tuple[float, float]:
    """Return the interval of Newcombe's method 5 [5]_.

    It holds the areas that are no more than z of their own standard deviations away.
    """
    return score_bounds(area, (0.0, 1.0), lambda p: newcombe_variance(p, n_pos, n_neg), z)


def score_bounds(
    estimate: float, ends: tuple[float, float], variance_at: Callable[[float], float], z: float
) -> tuple[float, float]:
    """Return between what ends the estimate is no more than z of the deviations it has there."""

    def bound(end: float) -> float:
        inside, outside = estimate, end
        while True:
            middle = (inside + outside) / 2
            if middle in (inside, outside):
                return inside
            if (estimate - middle) ** 2 <= z * z * variance_at(middle):
                inside = middle
            else:
                outside = middle

    low, high = bound(ends[0]), bound(ends[1])
    return (low, high) if z >= 0 else (high, low)


def inverse_size(area: Any, variance: Any, n_pos: Any, n_neg: Any) -> Any:
    """Return one over the effective size of an area: see ``inverse_size_of_shares``."""
    return inverse_size_of_shares(area * (1 - area), variance, n_pos, n_neg)


def inverse_size_of_shares(of_one_row: Any, variance: Any, n_pos: Any, n_neg: Any) -> Any:
    """Return one over the effective size: of how many yes and no a share has this variance [6]_.

    It is the variance over that of one yes or no, area * (1 - area); of the difference of two
    areas, over the sum of both. Near 0 and 1 they tell little of their true values, so one row of
    the rarer class is added to either. In the variance each class has half of that of a share, what
    the class that varies more has there by exponential scores [4]_. Of numbers, or arrays.
    """
    one_row = 1 / np.minimum(n_pos, n_neg)
    half = (1 / n_pos + 1 / n_neg) / 2
    return (variance + one_row * half) / (of_one_row + one_row)


def score_distance(area: float, supposed: float, variance: float) -> float:
    """Return how far the area is from a supposed one, in the standard deviations it has there."""
    if area == supposed:
        return 0.0
    deviation = math.sqrt(variance)
    return (area - supposed) / deviation if deviation else math.copysign(math.inf, area - supposed)


# Of areas with weights, whose placements are doubles: what is below is left by rounding.
LEAST_VARIANCE = 2.0**-98


class Areas(NamedTuple):
    """The areas of several scores on the same rows, and how they vary together.

    Attributes
    ----------
    areas : list of Fraction
        Of a sample of both classes.
    covariance : object or float64 matrix, or None
        Fractions where no weights are; None where a class has fewer than two units.
    of_classes : pair of such matrices, or None
        What the covariance is the sum of, through the positives and through the negatives; None
        for groups, whose rows are of both.
    n_units : int
        How many independent rows or groups there are.
    size_pos, size_neg : float
        How many equal units each class is worth, after Kish.
    """

    areas: list[Fraction]
    covariance: Array | None
    of_classes: tuple[Array, Array] | None
    n_units: int
    size_pos: float
    size_neg: float


class _Units(NamedTuple):
    """The units of one class.

    Attributes
    ----------
    sums : list of arrays
        What the rows of each unit add up to: for each score, and last their number or weight.
    n_units : int
        How many of them have rows.
    """

    sums: list[Array]
    n_units: int


def compare_areas(models: Models, workers: Workers) -> Areas:
    """Return the areas of scores on a sample of both classes, and their covariance."""
    samples = [models.weighted_sample(k) for k in range(len(models.scores))]
    units = models.units_of_sample()
    sizes: tuple[float, float]
    label = samples[0].label
    if units is None and samples[0].has_one_weight_per_class:
        areas, n_of_class, products = products_of_rows(samples, workers)
        sizes = float(n_of_class[0]), float(n_of_class[1])
    else:
        masks = label == 1, label == 0
        build = _exact_products if samples[0].has_one_weight_per_class else _weighted_products
        areas, classes, products = build(samples, masks, units, workers)
        n_of_class = classes[0].n_units, classes[1].n_units
        sizes = effective_size(classes[0].sums[-1]), effective_size(classes[1].sums[-1])
    positives, negatives, across = products
    n_units = len(label) if units is None else int(units.max()) + 1
    counts = *n_of_class, n_units
    covariance = of_classes = None
    if min(counts) > 1:
        factors: list[Fraction | float] = [Fraction(m, m - 1) for m in counts]
        if positives.dtype == FLOAT64:
            factors = [float(factor) for factor in factors]
        of_classes = factors[0] * positives, factors[1] * negatives
        covariance = of_classes[0] + of_classes[1] + factors[2] * (across + across.T)
    return Areas(areas, covariance, of_classes if units is None else None, n_units, *sizes)


def products_of_rows(
    samples: Sequence[BinarySample], workers: Workers
) -> tuple[list[Fraction], tuple[int, int], tuple[Array, Array, Array]]:
    """Return what ``_exact_products`` does where each row is a unit, and the rows of each class.

    Placements of either class add up to the same T. So of M rows of a class and N of the other, the
    products are those of the placements less T T' / M, over 4 M^2 N^2.
    """
    doubled = [find_placements(sample, workers) for sample in samples]
    label, rows = samples[0].label, (samples[0].n_pos, samples[0].n_neg)
    n = len(doubled)
    gram = np.empty((2, n, n), object)
    pairs = [(r, s) for r, s in product(range(n), range(n)) if r <= s]
    tasks = [
        partial(_resampling.sum_products_by_class, label, doubled[r], doubled[s]) for r, s in pairs
    ]
    for (r, s), sums in zip(pairs, workers.run_all(tasks), strict=True):
        gram[:, r, s] = gram[:, s, r] = sums[::-1]
    # Of both classes together, below 2^64, as 2^32 rows or more are refused.
    totals = np.array([int(array.view(np.uint64).sum()) // 2 for array in doubled], object)
    areas = [Fraction(total, 2 * rows[0] * rows[1]) for total in totals]
    positives, negatives = (
        (m * of_class - np.outer(totals, totals)) * Fraction(1, 4 * m * (rows[0] * rows[1]) ** 2)
        for m, of_class in zip(rows, gram, strict=True)
    )
    return areas, rows, (positives, negatives, np.zeros((n, n), object))


_Built = tuple[list[Fraction], tuple[_Units, _Units], tuple[Array, Array, Array]]


def _exact_products(
    samples: Sequence[BinarySample],
    masks: tuple[Array, Array],
    units: NDArray[np.intp] | None,
    workers: Workers,
) -> _Built:
    """Return the areas, the units, and the sums of products of influences of two scores each.

    Three matrices: through the positives, through the negatives, and through both, the first score
    through the positives and the second through the negatives.

    Of M rows of a class and N of the other, with doubled placements that add up to T, a unit of m
    rows whose doubled placements add up to S has the influence (M S - m T) / 2 M^2 N.
    """
    doubled = [find_placements(sample, workers) for sample in samples]
    rows = samples[0].n_pos, samples[0].n_neg
    ones = np.ones(len(masks[0]), INT64)
    positives, negatives = (
        _sum_units([array[mask] for array in (*doubled, ones)], mask, units) for mask in masks
    )
    classes = positives, negatives
    # Below 2^63, as 2^32 rows or more are refused.
    totals = np.array([int(array.sum()) for array in positives.sums[:-1]], object)
    areas = [Fraction(total, 2 * rows[0] * rows[1]) for total in totals]

    def multiply(x: int, y: int) -> Array:
        gram = _gram(classes[x].sums, classes[y].sums, workers)
        scale = 4 * rows[0] ** 2 * rows[1] ** 2 * rows[x] * rows[y]
        numerators = (
            rows[x] * rows[y] * gram[:-1, :-1]
            - rows[x] * np.outer(gram[:-1, -1], totals)
            - rows[y] * np.outer(totals, gram[-1, :-1])
            + gram[-1, -1] * np.outer(totals, totals)
        )
        products: Array = numerators * Fraction(1, scale)
        return products

    across = multiply(0, 1) if units is not None else np.zeros((len(areas), len(areas)), object)
    return areas, classes, (multiply(0, 0), multiply(1, 1), across)


def _gram(x: list[Array], y: list[Array], workers: Workers) -> Array:
    """Return the matrix of the sums of products of integers, as Python integers."""
    pairs = list(product(range(len(x)), range(len(y))))
    if x is y:
        pairs = [(r, s) for r, s in pairs if r <= s]
    sums = workers.run_all([partial(_resampling.sum_products, x[r], y[s]) for r, s in pairs])
    gram = np.empty((len(x), len(y)), object)
    for (r, s), value in zip(pairs, sums, strict=True):
        gram[r, s] = value
        if x is y:
            gram[s, r] = value
    return gram


def _weighted_products(
    samples: Sequence[BinarySample],
    masks: tuple[Array, Array],
    units: NDArray[np.intp] | None,
    workers: Workers,
) -> _Built:
    """Return what ``_exact_products`` does, of weighted rows, in doubles.

    No order of the rows changes them: sums over the rows of a unit are made in the order of what is
    added, and sums over units are rounded once.
    """
    weight = samples[0].weight
    assert weight is not None
    areas = [Fraction(*weighted_ratio(sample, workers)) for sample in samples]
    classes = []
    for mask in masks:
        share = weight[mask] / math.fsum(weight[mask].tolist())
        classes.append([share])
    for sample, area in zip(samples, areas, strict=True):
        deviation = weigh_placements(sample, weight, workers) - float(area)
        for parts, mask in zip(classes, masks, strict=True):
            parts.insert(-1, parts[-1] * deviation[mask])
    positives, negatives = (
        _sum_units(parts, mask, units) for parts, mask in zip(classes, masks, strict=True)
    )

    def multiply(x: _Units, y: _Units) -> Array:
        return np.array([[math.fsum((a * b).tolist()) for b in y.sums[:-1]] for a in x.sums[:-1]])

    across = np.zeros((len(areas), len(areas)))
    if units is not None:
        across = multiply(positives, negatives)
    products = multiply(positives, positives), multiply(negatives, negatives), across
    return areas, (positives, negatives), products


def _sum_units(values: list[Array], mask: Array, units: NDArray[np.intp] | None) -> _Units:
    """Return the sums of values of the rows of a class over each unit; the rows as they are."""
    if units is None:
        return _Units(values, len(values[0]))
    n_units = int(units.max()) + 1
    own = units[mask]
    return _Units(
        [_sum_by_unit(array, own, n_units) for array in values],
        int(np.count_nonzero(np.bincount(own))),
    )


def _sum_by_unit(values: Array, units: NDArray[np.intp], n_units: int) -> Array:
    """Return the sum of each unit; 0 for one without rows, and the same for any order of them."""
    order = lexsort((values, units))
    sorted_units = units[order]
    starts = np.flatnonzero(np.diff(sorted_units, prepend=-1))
    sums = np.zeros(n_units, values.dtype)
    sums[sorted_units[starts]] = np.add.reduceat(values[order], starts)
    return sums


def effective_size(sizes: Array) -> float:
    """Return Kish's effective number of units of these sizes."""
    if sizes.dtype == INT64:
        return int(sizes.sum()) ** 2 / _resampling.sum_products(sizes, sizes)
    relative = sizes / sizes.max()
    return math.fsum(relative.tolist()) ** 2 / math.fsum((relative**2).tolist())
