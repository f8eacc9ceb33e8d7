"""What a pivot needs of a sample: a value, its variance, sizes and degrees of freedom.

The value is an area, the part of one as a share of its maximum, an average over classes, or the
difference of two of them.

References
----------
.. [1] F. E. Satterthwaite, "An approximate distribution of estimates of variance components",
   Biometrics Bulletin 2 (1946) 110-114, equation 17.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from fastauc._counts.roc import standardize
from fastauc._pairs.concordance import warn_one_class
from fastauc._validation.arrays import Array
from fastauc._validation.columns import Models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.options import RateRange, read_range
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._delong import (
    LEAST_VARIANCE,
    Areas,
    compare_areas,
    delong_parts,
    hanley_mcneil_variance,
    newcombe_variance,
)
from fastauc.inference._placements import PlacementSums, sum_placements

TOO_FEW = (
    "The variance of the AUC is undefined: expected two or more positive and negative rows, or "
    "groups of rows."
)


class Spread(NamedTuple):
    """An estimate with its variance.

    Attributes
    ----------
    value : Fraction or float
        A share in [0, 1], or a difference of two.
    variance : Fraction or float, or None
        None if it is undefined.
    sizes : tuple of float
        The numbers of independent rows in each class, of those expected in the part; of two
        samples, the smaller ones.
    df : float
        Degrees of freedom of Student's distribution for "wilson", and of a difference for "delong"
        and "score", as published.
    df_of_parts : float
        As Welch and Satterthwaite have them, from the parts that the variance is the sum of.
    mean : float
        Of the two shares, for a difference.
    fallback : str
        What stands in for a symmetric interval of a share without variance.
    """

    value: Any
    variance: Any
    sizes: tuple[float, float] = (math.nan, math.nan)
    df: float = math.inf
    df_of_parts: float = math.inf
    mean: float = math.nan
    fallback: str = "newcombe"

    @property
    def error(self) -> float:
        """The standard error; NaN if it is undefined."""
        return math.nan if self.variance is None else math.sqrt(max(self.variance, 0))


def has_both_classes(sample: BinarySample) -> bool:
    """Return whether a sample has rows of both classes, and warn otherwise."""
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_one_class(sample)
        return False
    return True


def areas_of(models: Models, workers: Workers, part: RateRange | None = None) -> Areas | None:
    """Return the areas; None, with a warning, if only one class is present."""
    if not has_both_classes(models.weighted_sample(0)):
        return None
    areas = compare_areas(models, workers, part)
    if areas.covariance is None:
        warn_undefined(TOO_FEW)
    return areas


# Parts of the curve -------------------------------------------------------------------------------


def read_part(fpr_range: object, tpr_range: object, function: str) -> RateRange | None:
    """Return the range of a part; None for the whole area."""
    if fpr_range is None and tpr_range is None:
        return None
    part = read_range(fpr_range, tpr_range, function)
    return None if part.upper - part.lower == 1 else part


def scale_of(part: RateRange | None) -> tuple[float, Callable[[float], float]]:
    """Return the slope of the standardized scale of a part, and the function from shares to it."""
    if part is None:
        return 1.0, float
    lower, upper = part.strip
    # While the share grows by 1 - (a + b) / 2, from minimum to maximum, the scale grows by 1/2.
    return float(1 / (2 - lower - upper)), lambda share: float(
        standardize(Fraction(share) * (upper - lower), lower, upper)
    )


def share_of(standardized: Fraction, part: RateRange | None) -> Fraction:
    """Return the share of the greatest area that a standardized area is."""
    if part is None:
        return standardized
    lower, upper = part.strip
    return (2 * standardized - 1) * (1 - (lower + upper) / 2) + (lower + upper) / 2


# Spreads ------------------------------------------------------------------------------------------


def spread_of_rows(sums: PlacementSums, method: str) -> Spread:
    """Return the spread of a whole area, for rows without weights or groups."""
    n_pos, n_neg = sums.n_pos, sums.n_neg
    area = Fraction(sums.twice_u, 2 * n_pos * n_neg)
    sizes = n_pos, n_neg
    if method == "newcombe":
        return Spread(area, newcombe_variance(float(area), n_pos, n_neg), sizes)
    if method == "hanley-mcneil":
        return Spread(area, hanley_mcneil_variance(area, n_pos, n_neg), sizes)
    if min(sizes) < 2:
        return Spread(area, None, sizes)
    parts = delong_parts(sums)
    of_parts = satterthwaite(list(zip(parts, sizes, strict=True)))
    return Spread(area, sum(parts), sizes, df_of_parts=of_parts)


def spread_of(
    sample: BinarySample,
    models: Models | None,
    method: str,
    workers: Workers,
    part: RateRange | None = None,
) -> tuple[Spread, RateRange | None]:
    """Return the spread of a sample with both classes, and the exact range of its part.

    ``models`` hold its weights and groups.
    """
    is_plain = models is None or (models.units is None and sample.has_one_weight_per_class)
    if is_plain and part is None:
        return spread_of_rows(sum_placements(sample, workers), method), None
    assert models is not None
    areas = compare_areas(models, workers, part)
    (area,), covariance, sizes = areas.areas, areas.covariance, areas.sizes_in_part
    fallback = "newcombe" if part is None else "wilson"
    if covariance is None:
        return Spread(area, None, areas.sizes), areas.part
    variance = _clean(covariance[0, 0])
    df, parts = math.inf, independent_parts(areas, lambda matrix: matrix[0, 0])
    if models.units is not None:
        # The variance of few groups is itself uncertain.
        df = areas.n_units - 1
        if variance:
            rows, _ = spread_of(sample, models._replace(units=None), method, workers, part)
            sizes = _sizes_in_groups(rows, variance, sizes)
    elif part is not None:
        df = max(1.0, min(areas.sizes) - 1)
    return Spread(area, variance, sizes, df, satterthwaite(parts), fallback=fallback), areas.part


def _clean(variance: Any) -> Any:
    """Return a variance, or 0 for one that is a rounding error."""
    return 0.0 if isinstance(variance, float) and variance < LEAST_VARIANCE else variance


def _sizes_in_groups(
    of_rows: Spread, variance: Fraction | float, n_groups: tuple[float, float]
) -> tuple[float, float]:
    """Return the effective number of independent rows of each class if rows are in groups.

    It is their number divided by the design effect, the ratio of the variance to that of
    independent rows; at most the number of rows, and at least that of groups.
    """
    assert of_rows.variance is not None
    share = min(1.0, float(of_rows.variance / variance))
    n_pos, n_neg = of_rows.sizes
    return max(n_pos * share, n_groups[0]), max(n_neg * share, n_groups[1])


def difference_of(areas: Areas | None, r: int, s: int) -> Spread:
    """Return the spread of the area of score r minus that of score s."""
    if areas is None:
        return Spread(math.nan, None)
    difference = float(areas.areas[r] - areas.areas[s])
    if areas.covariance is None:
        return Spread(difference, None)

    def variance_in(covariance: Array) -> Any:
        return covariance[r, r] + covariance[s, s] - covariance[r, s] - covariance[s, r]

    mean = float(areas.areas[r] + areas.areas[s]) / 2
    df = of_parts = satterthwaite(independent_parts(areas, variance_in))
    if areas.part is None:
        df = math.inf
    variance = _clean(variance_in(areas.covariance))
    return Spread(difference, variance, areas.sizes_in_part, df, of_parts, mean)


def difference_of_samples(first: Areas | None, second: Areas | None) -> Spread:
    """Return the spread of the area of one sample minus that of an independent one."""
    if first is None or second is None:
        return Spread(math.nan, None)
    difference = float(first.areas[0] - second.areas[0])
    if first.covariance is None or second.covariance is None:
        return Spread(difference, None)

    def variance_in(covariance: Array) -> Any:
        return covariance[0, 0]

    variances = variance_in(first.covariance), variance_in(second.covariance)
    mean = float(first.areas[0] + second.areas[0]) / 2
    n_pos, n_neg = zip(first.sizes_in_part, second.sizes_in_part, strict=True)
    df = satterthwaite(list(zip(variances, (first.n_units, second.n_units), strict=True)))
    parts = [part for areas in (first, second) for part in independent_parts(areas, variance_in)]
    of_parts = satterthwaite(parts)
    if first.part is not None:
        df = of_parts
    variance = _clean(sum(variances))
    return Spread(difference, variance, (min(n_pos), min(n_neg)), df, of_parts, mean)


def independent_parts(
    areas: Areas, variance_in: Callable[[Array], Any]
) -> Sequence[tuple[Any, float]]:
    """Return what parts a variance is the sum of, and from how many units each is estimated.

    Of the class whose rate bounds a part of the curve, only the rows expected in it count: those
    outside have all the same placement.
    """
    assert areas.covariance is not None
    if areas.of_classes is None:
        return [(variance_in(areas.covariance), areas.n_units)]
    return [
        (variance_in(part), n)
        for part, n in zip(areas.of_classes, areas.sizes_in_part, strict=True)
    ]


def satterthwaite(parts: Sequence[tuple[Any, float]]) -> float:
    """Return the degrees of freedom of a sum of variances [1]_; infinity for no variance.

    An effective number of rows may be less than 2, and stands for one degree of freedom then.
    """
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return math.inf
    return 1 / sum(float(variance / total) ** 2 / max(n - 1, 1) for variance, n in parts)
