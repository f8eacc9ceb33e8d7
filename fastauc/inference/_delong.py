"""Variances of AUCs: for one score by several methods, for several scores by DeLong's.

With T as twice the number of concordant pairs plus the number of tied ones, and the doubled
placements of ``placements``, the variances for one unweighted score are fractions of integers:
nothing is subtracted after rounding.

For several scores, groups, or weights: the influence of a row on the AUC is its share of the weight
of its class, times its placement minus the AUC. The influences of independent units, rows or groups
of them, add up to the deviation of the AUC, and the sum of their products estimates its variance.
With m units in a class, that sum is too small by a factor of m / (m - 1). So the same formula is
DeLong's [1]_ for rows, Obuchowski's [2]_ for groups, and the linearization (sandwich) variance with
weights.

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

from fastauc._kernels import resampling as _resampling
from fastauc._pairs.ordering import lexsort
from fastauc._pairs.weighted import weighted_ratio
from fastauc._validation.arrays import FLOAT64, INT64, Array
from fastauc._validation.columns import Models
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._placements import PlacementSums, find_placements, weigh_placements


def variance_of_spreads(spread_pos: Any, spread_neg: Any, n_pos: Any, n_neg: Any) -> Any:
    """Return DeLong's variance [1]_: the sum over classes of the variance of the mean placement.

    The spread of m doubled placements is m times the sum of their squares, minus the square of
    their sum: m^2 (m - 1) times the variance of their mean. They are 2 n times a share. Accepts
    fractions or arrays.
    """
    return (spread_pos / (n_pos - 1) + spread_neg / (n_neg - 1)) / (2 * n_pos * n_neg) ** 2


def delong_variance(sums: PlacementSums) -> Fraction:
    """Return DeLong's variance [1]_, exactly."""
    n_pos, n_neg, twice_u, _, squares_pos, squares_neg = sums
    spreads = Fraction(n_pos * squares_pos - twice_u**2), Fraction(n_neg * squares_neg - twice_u**2)
    variance: Fraction = variance_of_spreads(*spreads, n_pos, n_neg)
    return variance


def unbiased_variance(sums: PlacementSums) -> Fraction:
    """Return Bamber's unbiased estimate of the variance [3]_; it can be negative.

    It is the square of the AUC minus the mean product of two pairs that share no row, which is an
    unbiased estimate of the square of the true AUC.
    """
    n_pos, n_neg, twice_u, tied, squares_pos, squares_neg = sums
    # Four times the square of the value of a pair: 4 if concordant, 1 if tied.
    squares = 2 * twice_u - tied
    apart = twice_u**2 - squares_pos - squares_neg + squares
    return Fraction(twice_u**2, 4 * (n_pos * n_neg) ** 2) - Fraction(
        apart, 4 * n_pos * (n_pos - 1) * n_neg * (n_neg - 1)
    )


def hanley_mcneil_variance(area: Fraction, n_pos: int, n_neg: int) -> Fraction:
    """Return the variance of Hanley and McNeil [4]_, from the AUC and the class sizes alone."""
    two_positives = area / (2 - area)
    two_negatives = 2 * area**2 / (1 + area)
    return (
        area * (1 - area)
        + (n_pos - 1) * (two_positives - area**2)
        + (n_neg - 1) * (two_negatives - area**2)
    ) / (n_pos * n_neg)


def newcombe_variance(area: float, n_pos: float, n_neg: float) -> float:
    """Return the variance of Newcombe's methods 4 and 5 [5]_ at a hypothesized AUC.

    It is that of Hanley and McNeil with the mean class size in place of both within the brackets.
    """
    others = (n_pos + n_neg) / 2 - 1
    share = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * (1 + others * share) / (n_pos * n_neg)


def newcombe_bounds(area: float, n_pos: float, n_neg: float, z: float) -> tuple[float, float]:
    """Return the interval of Newcombe's method 5 [5]_.

    It contains the AUCs that are at most z of their own standard deviations away.
    """
    return score_bounds(area, (0.0, 1.0), lambda p: newcombe_variance(p, n_pos, n_neg), z)


def score_bounds(
    estimate: float, ends: tuple[float, float], variance_at: Callable[[float], float], z: float
) -> tuple[float, float]:
    """Return the range of AUCs from which the estimate is at most z of their deviations away."""

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
    """Return 1 / (effective size) of an AUC: see ``inverse_size_of_shares``."""
    return inverse_size_of_shares(area * (1 - area), variance, n_pos, n_neg)


def inverse_size_of_shares(of_one_row: Any, variance: Any, n_pos: Any, n_neg: Any) -> Any:
    """Return 1 / (effective size): the number of trials of a proportion with this variance [6]_.

    It is the variance divided by that of a single trial, area * (1 - area); for the difference of
    two AUCs, by the sum of both. Near 0 and 1, estimates say little about the true values, so one
    row of the rarer class is added to either. In its variance, each class has half of that of a
    proportion, as the class that varies more has there for exponential scores [4]_. Accepts numbers
    or arrays.
    """
    one_row = 1 / np.minimum(n_pos, n_neg)
    half = (1 / n_pos + 1 / n_neg) / 2
    return (variance + one_row * half) / (of_one_row + one_row)


def score_distance(area: float, supposed: float, variance: float) -> float:
    """Return the distance of the AUC from a hypothesized one, in its standard deviations there."""
    if area == supposed:
        return 0.0
    deviation = math.sqrt(variance)
    return (area - supposed) / deviation if deviation else math.copysign(math.inf, area - supposed)


# For AUCs with weights, whose placements are doubles: anything below is rounding error.
LEAST_VARIANCE = 2.0**-98


class Areas(NamedTuple):
    """The AUCs of several scores on the same rows, and their covariance.

    Attributes
    ----------
    areas : list of Fraction
        For a sample with both classes.
    covariance : object or float64 matrix, or None
        Fractions if unweighted; None if a class has fewer than two units.
    of_classes : pair of such matrices, or None
        The parts of the covariance from the positives and from the negatives, which add up to it;
        None for groups, whose rows are of both classes.
    n_units : int
        The number of independent rows or groups.
    size_pos, size_neg : float
        Kish's effective number of units in each class.
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
        The sums over the rows of each unit: for each score, and finally their number or weight.
    n_units : int
        The number of units with rows.
    """

    sums: list[Array]
    n_units: int


def compare_areas(models: Models, workers: Workers) -> Areas:
    """Return the AUCs of scores for a sample with both classes, and their covariance."""
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
    """Return the result of ``_exact_products`` if each row is a unit, with the rows of each class.

    Placements of either class add up to the same T. So for M rows of a class and N of the other,
    the products are those of the placements minus T T' / M, divided by 4 M^2 N^2.
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
    # For both classes together, below 2^64, as 2^32 rows or more are rejected.
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
    """Return the AUCs, the units, and the sums of products of influences of every two scores.

    Three matrices: through the positives, through the negatives, and through both, the first score
    through the positives and the second through the negatives.

    For M rows of a class and N of the other, with doubled placements that add up to T, a unit of m
    rows whose doubled placements add up to S has the influence (M S - m T) / 2 M^2 N.
    """
    doubled = [find_placements(sample, workers) for sample in samples]
    rows = samples[0].n_pos, samples[0].n_neg
    ones = np.ones(len(masks[0]), INT64)
    positives, negatives = (
        _sum_units([array[mask] for array in (*doubled, ones)], mask, units) for mask in masks
    )
    classes = positives, negatives
    # Below 2^63, as 2^32 rows or more are rejected.
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
    """Do the same as ``_exact_products`` for weighted rows, in doubles.

    The result does not depend on the order of the rows: values are sorted before they are summed
    over the rows of a unit, and sums over units are rounded once.
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
    """Return the sums over each unit of the values for one class; unchanged without units."""
    if units is None:
        return _Units(values, len(values[0]))
    n_units = int(units.max()) + 1
    own = units[mask]
    return _Units(
        [_sum_by_unit(array, own, n_units) for array in values],
        int(np.count_nonzero(np.bincount(own))),
    )


def _sum_by_unit(values: Array, units: NDArray[np.intp], n_units: int) -> Array:
    """Return the sum for each unit, 0 if it has no rows; the order of the rows does not matter."""
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
