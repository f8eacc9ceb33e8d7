"""Variances of areas: one computation for a whole area or a part, of rows, weights or groups.

The influence of a row on an area is its share of the weight of its class, times how much its
placement differs from the mean. The influences of independent units, rows or groups of them, add up
to the deviation of the area, and the sum of their products estimates its variance. With m units in
a class, that sum is too small by a factor of m / (m - 1). So the same formula is DeLong's (1988)
for rows, Obuchowski's (1997) for groups, and the linearization (sandwich) variance with weights;
that of a part, with placements clipped to its range (He and Escobar 2008); and that of the
difference of two scores for the same rows, from their covariance.

Of rows without weights and groups, doubled placements are integers, and the variance of a whole
area is a fraction of them: nothing is subtracted after rounding. All else is in doubles.

A pivot needs a value, its variance, sizes and degrees of freedom (``Spread``). The value is an
area, the part of one as a share of its maximum, an average over classes, or the difference of two
of them.

The papers are listed at ``roc_auc_ci`` and ``roc_auc_test``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.roc import standardize
from fastauc._kernels import resampling as _resampling
from fastauc._pairs.concordance import warn_one_class
from fastauc._pairs.exact_sum import exact_sum, sums_by
from fastauc._pairs.sorted_rows import places_by_class
from fastauc._pairs.sorting import empty_rows
from fastauc._pairs.weighted import ratio_of_sorted
from fastauc._validation.arrays import FLOAT64, Array
from fastauc._validation.columns import Models
from fastauc._validation.errors import warn_undefined, warn_user
from fastauc._validation.options import RateRange, read_range
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._placements import (
    clip_placements,
    find_placements,
    rank_rows,
    sum_placements,
)


def variance_of_spreads(spread_pos: Any, spread_neg: Any, n_pos: Any, n_neg: Any) -> Any:
    """Return DeLong's variance: the sum over classes of the variance of the mean placement.

    The spread of m doubled placements is m times the sum of their squares, minus the square of
    their sum: m^2 (m - 1) times the variance of their mean. They are 2 n times a share. Accepts
    fractions or arrays.
    """
    return (spread_pos / (n_pos - 1) + spread_neg / (n_neg - 1)) / (2 * n_pos * n_neg) ** 2


def inverse_size(area: Any, variance: Any, n_pos: Any, n_neg: Any, unseen: float = 1.0) -> Any:
    """Return 1 / (effective size) of an AUC: see ``inverse_size_of_shares``."""
    return inverse_size_of_shares(area * (1 - area), variance, n_pos, n_neg, unseen)


def inverse_size_of_shares(
    of_one_row: Any, variance: Any, n_pos: Any, n_neg: Any, unseen: float = 1.0
) -> Any:
    """Return 1 / (effective size): the number of trials of a proportion with this variance.

    After Korn and Graubard (1998), it is the variance divided by that of a single trial, area * (1
    - area); for the difference of two AUCs, by the sum of both. Near 0 and 1, estimates say little
    about the true values, so one row of the rarer class is added to either. In its variance, each
    class has half of that of a proportion, as the class that varies more has there for exponential
    scores (Hanley and McNeil 1982); ``unseen`` is a factor of it. Accepts numbers or arrays.
    """
    one_row = 1 / np.minimum(n_pos, n_neg)
    half = (1 / n_pos + 1 / n_neg) / 2
    return (variance + unseen * one_row * half) / (of_one_row + one_row)


# What a sample need not show: one more group, and one more of the heaviest rows. A group for which
# the model is no better than chance is at most 1/2 away from the others, and adds the square of it.
# Of rows weighted 20:1 by their scores, 1/4 held the area in 90 of 100 samples, 1/2 in 95 or more.
UNSEEN_GROUP, UNSEEN_WEIGHT = 0.25, 0.5

Unseen = tuple[tuple[float, float], float]
"""Numbers of units of each class, and the factor of ``inverse_size``."""

# For AUCs with weights, whose placements are doubles: anything below is rounding error.
LEAST_VARIANCE = 2.0**-98


class Areas(NamedTuple):
    """The areas of several scores on the same rows, as shares of their maximum, with covariance.

    Attributes
    ----------
    areas : list of Fraction
        For a sample with both classes.
    covariance : object or float64 matrix, or None
        Fractions of rows without weights and of whole areas; None if a class has fewer than two
        units.
    parts : list of (matrix, float)
        What the covariance is the sum of, and from how many units each is estimated: the parts from
        the positives and from the negatives; of groups, those from groups with positives only, with
        negatives only, and with both.
    n_units : int
        The number of independent rows or groups.
    sizes : tuple of float
        Kish's effective number of units: of positives, and of negatives.
    unseen : list of Unseen
        What the area may not be surer than: groups, and rows as heavy as the heaviest.
    part : RateRange or None
        The exact range of rates; None for whole areas.
    """

    areas: list[Fraction]
    covariance: Array | None
    parts: list[tuple[Array, float]]
    n_units: int
    sizes: tuple[float, float]
    unseen: list[Unseen]
    part: RateRange | None = None

    @property
    def is_plain(self) -> bool:
        """Whether these are whole areas of rows without groups, and of one weight in each class."""
        return self.part is None and not self.unseen


def sizes_in(part: RateRange | None, sizes: tuple[float, float]) -> tuple[float, float]:
    """Return the numbers of units expected in a part; outside, all have the same placement."""
    if part is None:
        return sizes
    # Of a part without any width, squares of 1 / sizes would overflow.
    width, (n_pos, n_neg) = max(float(part.upper - part.lower), 1e-100), sizes
    return (n_pos, n_neg * width) if part.rate == "fpr" else (n_pos * width, n_neg)


def without_single_groups(models: Models) -> Models:
    """Return rows without groups if each is a group of its own."""
    is_single = models.units is not None and int(models.units.max()) + 1 == len(models.label)
    return models._replace(units=None) if is_single else models


def classes_of(sample: BinarySample) -> tuple[slice, slice]:
    """Return where the positives and the negatives are, which come first."""
    return slice(sample.n_neg, None), slice(sample.n_neg)


def compare_areas(models: Models, workers: Workers, part: RateRange | None = None) -> Areas:
    """Return the areas of scores for a sample with both classes, and their covariance."""
    models = without_single_groups(models)
    samples, units = models.samples(), models.of_sample(models.units)
    if units is not None or part is not None or not samples[0].has_one_weight_per_class:
        return areas_of_units(influences_of(samples, units, part, workers), samples[0])
    areas, n_of_class, products = products_of_rows(samples, workers)
    covariance, of_classes = add_products(products, n_of_class, None, sum(n_of_class))
    sizes = float(n_of_class[0]), float(n_of_class[1])
    parts = list(zip(of_classes, sizes, strict=False))
    return Areas(areas, covariance, parts, sum(n_of_class), sizes, [])


def areas_of_units(found: Influences, sample: BinarySample) -> Areas:
    """Return the areas, and their covariance if rows, or units of them, are independent."""
    _, part, columns, units = found
    is_plain = sample.has_one_weight_per_class
    n_of_class, n_units = (sample.n_pos, sample.n_neg), len(sample.label)
    sizes, across = (float(sample.n_pos), float(sample.n_neg)), None
    sums = [[column[own] for column in columns] for own in classes_of(sample)]
    if units is not None:
        sums, n_of_class = sum_units(columns, classes_of(sample), units)
        n_units = int(units.max()) + 1
        across = np.array([[exact_sum(a, b) for b in sums[1][:-1]] for a in sums[0][:-1]])
    if units is not None or not is_plain:
        sizes = effective_size(sums[0][-1]), effective_size(sums[1][-1])
    products = [gram_of(own[:-1]) for own in sums]
    covariance, of_classes = add_products(products, n_of_class, across, n_units)
    parts, unseen = list(zip(of_classes, sizes_in(part, sizes), strict=False)), []
    if not is_plain:
        heaviest = heaviest_rows(*(columns[-1][own] for own in classes_of(sample)))
        unseen.append((sizes_in(part, heaviest), UNSEEN_WEIGHT))
    if units is not None:
        unseen.append((sizes_in(part, sizes), UNSEEN_GROUP))
        parts = _parts_of_groups(sums, part)
    return Areas(found.areas, covariance, parts, n_units, sizes, unseen, part)


def heaviest_rows(pos: Array, neg: Array) -> tuple[float, float]:
    """Return how many rows as heavy as the heaviest have the weight of each class.

    From shares of rows in the weight of their class. A class may have no row as heavy as those of
    the other, in medians of its own, only because few were sampled.
    """
    medians = [_median(shares) for shares in (pos, neg)]
    most = max(float(shares.max()) / m for shares, m in zip((pos, neg), medians, strict=True))
    n_pos, n_neg = (1 / min(1.0, most * median) for median in medians)
    return n_pos, n_neg


def _median(values: Array) -> float:
    """Do the same as ``np.median``, which looks for two places, several times slower than one."""
    middle = len(values) // 2
    parted = np.partition(values, middle)
    lower = parted[middle] if len(values) % 2 else parted[:middle].max()
    return float((lower + parted[middle]) / 2)


def least_sizes(sizes: tuple[float, float], unseen: Sequence[Unseen]) -> tuple[float, float]:
    """Return numbers of rows, of each class at most as many as the heaviest that have its weight.

    Of rows weighted 20:1 by their scores, the heavy ones of a class may not be in the sample, and
    Kish's number does not show it.
    """
    heaviest = [of_rows for of_rows, share in unseen if share == UNSEEN_WEIGHT]
    n_pos, n_neg = zip(sizes, *heaviest, strict=True)
    return min(n_pos), min(n_neg)


def _parts_of_groups(sums: list[list[Array]], part: RateRange | None) -> list[tuple[Array, float]]:
    """Return the parts of a variance from groups with rows of one class, of the other, of both."""
    *of_both, both_shares = (pos + neg for pos, neg in zip(*sums, strict=True))
    influences = np.stack(of_both)
    is_pos, is_neg = (own[-1] > 0 for own in sums)
    parts = []
    for chosen in is_pos & ~is_neg, is_neg & ~is_pos, is_pos & is_neg:
        m = int(np.count_nonzero(chosen))
        if m:
            size = effective_size(both_shares[chosen])
            in_part = sizes_in(part, (size, size))
            size = min(
                n for n, has in zip(in_part, (is_pos, is_neg), strict=True) if has[chosen][0]
            )
            values = influences[:, chosen]
            product = (values[:, None] * values).sum(axis=2)
            parts.append((m / max(m - 1, 1) * product, size))
    return parts


def add_products(
    products: list[Array], n_of_class: Sequence[int], across: Array | None, n_units: int
) -> tuple[Array | None, list[Array]]:
    """Return the covariance, and the parts of it from each class; none with fewer than two units.

    ``across`` are the products of the influences of units through two different classes.
    """
    if min(*n_of_class, n_units) < 2:
        return None, []
    kind = float if products[0].dtype == FLOAT64 else Fraction
    of_classes = [
        kind(Fraction(m, m - 1)) * product for m, product in zip(n_of_class, products, strict=True)
    ]
    covariance = sum(of_classes[1:], of_classes[0])
    if across is not None:
        covariance = covariance + kind(Fraction(n_units, n_units - 1)) * (across + across.T)
    return covariance, of_classes


def products_of_rows(
    samples: Sequence[BinarySample], workers: Workers
) -> tuple[list[Fraction], tuple[int, int], list[Array]]:
    """Return the areas, the numbers of rows, and the exact sums of products of influences.

    Of every two scores, through the positives and through the negatives. Doubled placements of
    either class add up to the same T. So for M rows of a class and N of the other, the products are
    those of the placements minus T T' / M, divided by 4 M^2 N^2.
    """
    place = np.arange(len(samples[0].label), dtype=np.uint64)
    plain = [sample._replace(weight=None) for sample in samples]
    doubled = [find_placements(each, rank_rows(each, workers, place))[0] for each in plain]
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
    products = [
        (m * of_class - np.outer(totals, totals)) * Fraction(1, 4 * m * (rows[0] * rows[1]) ** 2)
        for m, of_class in zip(rows, gram, strict=True)
    ]
    return areas, rows, products


class Influences(NamedTuple):
    """The influences of the rows of a sample on the areas of several scores.

    Attributes
    ----------
    areas : list of Fraction
        As shares of their maximum.
    part : RateRange or None
        Their exact range.
    columns : list of arrays
        The influences on each area; last, the shares of rows in the weight of their class. Rows are
        in any order, with negatives first.
    units : array or None
        The units of these rows.
    """

    areas: list[Fraction]
    part: RateRange | None
    columns: list[NDArray[np.float64]]
    units: NDArray[np.intp] | None


def influences_of(
    samples: Sequence[BinarySample],
    units: NDArray[np.intp] | None,
    part: RateRange | None,
    workers: Workers,
) -> Influences:
    """Return the influences of rows, in doubles, which do not depend on the order of the rows."""
    first, exact, place = samples[0], part, None
    n_pos, n_neg, classes = first.n_pos, first.n_neg, classes_of(first)
    is_plain = part is None and first.has_one_weight_per_class
    weight = None if is_plain else first.weight
    if len(samples) > 1 or units is not None:
        place = places_by_class(first.label)
        weight, units = (None if each is None else _placed(each, place) for each in (weight, units))
    share = empty_rows(n_pos + n_neg, FLOAT64)
    share[:n_neg], share[n_neg:] = 1 / n_neg, 1 / n_pos
    areas: list[Fraction] = []
    columns: list[NDArray[np.float64]] = []
    for sample in samples:
        sample = sample._replace(weight=weight)
        ranked = rank_rows(sample, workers, place)
        if weight is not None and not columns:
            share[ranked.place.view(np.intp)] = ranked.weight
            for own in classes:
                share[own] /= exact_sum(share[own])
        if part is not None:
            area, exact, deviation = clip_placements(sample, part, ranked, share)
        else:
            placed, *totals = find_placements(sample, ranked)
            deviation = placed if weight is not None else empty_rows(len(placed), FLOAT64)
            for own, total in zip(classes, totals, strict=True):
                np.divide(placed[own], total, out=deviation[own])
            # A sum from one end and the total, which comes from the same end, are rounded alike,
            # but half of the last group may be rounded up.
            np.minimum(deviation, 1.0, out=deviation)
            if weight is None:
                area = Fraction(ranked.rows.twice_u(), 2 * n_pos * n_neg)
            else:
                area = Fraction(*ratio_of_sorted(sample, *ranked[:2]))
            deviation -= float(area)
        areas.append(area)
        columns.append(np.multiply(share, deviation, out=deviation))
    return Influences(areas, exact, [*columns, share], units)


def _placed(column: Array, place: NDArray[np.uint64]) -> Array:
    found = empty_rows(len(column), column.dtype)
    found[place.view(np.intp)] = column
    return found


def gram_of(columns: Sequence[Array]) -> Array:
    """Return the sums of products of every two arrays, each rounded once."""
    lower = [[exact_sum(a, b) for b in columns[: k + 1]] for k, a in enumerate(columns)]
    places = range(len(columns))
    return np.array([[lower[max(r, s)][min(r, s)] for s in places] for r in places])


def sum_units(
    columns: list[Array], classes: Sequence[slice], units: NDArray[np.intp]
) -> tuple[list[list[Array]], tuple[int, int]]:
    """Return the sums over the rows of each unit, and the number of units with any rows.

    Both of the positives, and of the negatives.
    """
    sizes = [np.bincount(units[own], minlength=int(units.max()) + 1) for own in classes]
    pairs = list(zip(classes, sizes, strict=True))
    sums = [[sums_by(units[own], column[own], size) for column in columns] for own, size in pairs]
    return sums, (int(np.count_nonzero(sizes[0])), int(np.count_nonzero(sizes[1])))


def effective_size(sizes: Array) -> float:
    """Return Kish's effective number of units of these sizes."""
    relative = sizes / sizes.max()
    return exact_sum(relative) ** 2 / exact_sum(relative, relative)


# Spreads -----------------------------------------------------------------------------------------


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
        Degrees of freedom of Student's distribution for "wilson", and of a difference for "score":
        of rows without weights none are lost, or those of Welch for two samples.
    df_of_parts : float
        As Welch and Satterthwaite have them, from the parts that the variance is the sum of.
    mean : float
        Of the two shares, for a difference.
    unseen : sequence of (tuple of float, float)
        As of ``Areas``.
    least : float
        For a difference, the least number of independent rows of a class, in a part or not.
    """

    value: Any
    variance: Any
    sizes: tuple[float, float] = (math.nan, math.nan)
    df: float = math.inf
    df_of_parts: float = math.inf
    mean: float = math.nan
    unseen: Sequence[Unseen] = ()
    least: float = math.inf

    @property
    def error(self) -> float:
        """The standard error; NaN if it is undefined."""
        return math.nan if self.variance is None else math.sqrt(max(self.variance, 0))


def has_both_classes(sample: BinarySample) -> bool:
    """Return whether a sample has rows of both classes, and warn otherwise, and of few with weight.

    A class with fewer than ten effective rows, a third of its rows at most, has few that count.
    """
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_one_class(sample)
        return False
    if sample.weight is not None and not sample.has_one_weight_per_class:
        assert sample.weight_range is not None
        of_positives = sample.weight.take(np.flatnonzero(sample.label.view(np.bool_))).sum()
        totals = sample.weight.sum() - of_positives, of_positives
        for name, label in ("positives", 1), ("negatives", 0):
            greatest = sample.weight_range[2 * label + 1]
            # The size is the total by the greatest weight, or more. A total next to nothing is the
            # rounding of the difference.
            if totals[label] >= max(10 * greatest, 1e-9 * totals[1 - label]):
                continue
            weight = sample.weight[sample.label == label] / greatest
            size = weight.sum() ** 2 / (weight**2).sum()
            if size < min(10, len(weight) / 3):
                share = 1 / weight.sum()
                warn_user(
                    f"sample_weight makes {len(weight)} {name} count like {size:.1f} of equal "
                    f"weight (Kish's effective size); one has {share:.0%} of their sum. Few rows "
                    "decide the AUC, and intervals are wide."
                )
    return True


def areas_of(models: Models, workers: Workers, part: RateRange | None = None) -> Areas | None:
    """Return the areas; None, with a warning, if only one class is present."""
    if not has_both_classes(models.weighted_sample(0)):
        return None
    areas = compare_areas(models, workers, part)
    if areas.covariance is None:
        _warn_of_too_few(areas.sizes, models)
    return areas


def _warn_of_too_few(sizes: tuple[float, float], models: Models) -> None:
    n_pos, n_neg = map(round, sizes)
    units = "rows" if models.units is None else "groups"
    warn_undefined(
        f"The variance of the AUC is undefined: {n_pos} positive and {n_neg} negative {units}; "
        "expected two or more of each."
    )


# Parts of the curve -------------------------------------------------------------------------------


def read_part(fpr_range: object, tpr_range: object, function: str) -> RateRange | None:
    """Return the range of a part; None for the whole area."""
    if fpr_range is None and tpr_range is None:
        return None
    part = read_range(fpr_range, tpr_range, function)
    return None if part.upper - part.lower == 1 else part


def scale_of(
    part: RateRange | None, standardized: bool = True
) -> tuple[float, Callable[[Any], float]]:
    """Return the slope of the scale of a part, and the function from shares to it."""
    if part is None:
        return 1.0, float
    lower, upper = part.fpr_interval
    if not standardized:
        return float(upper - lower), lambda share: float(share * (upper - lower))
    # While the share grows by 1 - (a + b) / 2, from minimum to maximum, the scale grows by 1/2.
    return float(1 / (2 - lower - upper)), lambda share: float(
        standardize(Fraction(share) * (upper - lower), lower, upper)
    )


def share_of(standardized: Fraction, part: RateRange | None) -> Fraction:
    """Return the share of the greatest area that a standardized area is."""
    if part is None:
        return standardized
    lower, upper = part.fpr_interval
    return (2 * standardized - 1) * (1 - (lower + upper) / 2) + (lower + upper) / 2


# Spreads of rows, weights and groups --------------------------------------------------------------


def spread_of_rows(sample: BinarySample, workers: Workers) -> Spread:
    """Return the spread of a whole area, for rows without weights or groups."""
    n_pos, n_neg = sizes = sample.n_pos, sample.n_neg
    twice_u, *squares = sum_placements(sample, workers)
    area = Fraction(twice_u, 2 * n_pos * n_neg)
    if min(sizes) < 2:
        return Spread(area, None, sizes)
    pos, neg = (Fraction(m * own - twice_u**2) for m, own in zip(sizes, squares, strict=True))
    none = Fraction()  # an integer 0 divided by one is a double
    parts = [variance_of_spreads(*own, *sizes) for own in ((pos, none), (none, neg))]
    of_parts = satterthwaite(list(zip(parts, sizes, strict=True)))
    return Spread(area, sum(parts), sizes, df_of_parts=of_parts)


def spread_of(
    sample: BinarySample, models: Models, workers: Workers, part: RateRange | None = None
) -> tuple[Spread, RateRange | None]:
    """Return the spread of a sample with both classes, and the exact range of its part.

    ``models`` hold its weights and groups.
    """
    models = without_single_groups(models)
    if models.units is None and part is None and sample.has_one_weight_per_class:
        spread = spread_of_rows(sample, workers)
    else:
        found = influences_of([sample], models.of_sample(models.units), part, workers)
        spread, part = spread_in(areas_of_units(found, sample)), found.part
        if found.units is not None and spread.variance:
            of_rows = spread_in(areas_of_units(found._replace(units=None), sample))
            sizes = sizes_in_groups(of_rows, spread.variance, spread.sizes)
            spread = spread._replace(sizes=sizes)
    if spread.variance is None:
        _warn_of_too_few(spread.sizes, models)
    return spread, part


def spread_in(areas: Areas, r: int = 0) -> Spread:
    """Return the spread of one of several areas: of groups, without the sizes of their rows."""
    area, covariance = areas.areas[r], areas.covariance
    if covariance is None:
        return Spread(area, None, areas.sizes)
    variance = _clean(covariance[r, r])
    of_parts = satterthwaite([(part[r, r], n) for part, n in areas.parts])
    # Few groups, or few rows of all the weight, do not know their variance.
    least = max(1.0, min(areas.sizes) - 1)
    df = of_parts if variance and areas.part is None else least
    if areas.is_plain:
        df = math.inf
    sizes = sizes_in(areas.part, areas.sizes)
    return Spread(area, variance, sizes, df, of_parts, unseen=areas.unseen)


def _clean(variance: Any) -> Any:
    """Return a variance, or 0 for one that is a rounding error."""
    return 0.0 if isinstance(variance, float) and variance < LEAST_VARIANCE else variance


def sizes_in_groups(
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


def difference_of(samples: Sequence[Areas | None], r: int = 0, s: int = 1) -> Spread:
    """Return the spread of a difference: of scores r and s of one sample, or of two samples."""
    known = [areas for areas in samples if areas is not None]
    if len(known) < len(samples):
        return Spread(math.nan, None)
    is_paired = len(known) == 1
    first, second = (
        (known[0].areas[r], known[0].areas[s]) if is_paired else (areas.areas[0] for areas in known)
    )
    difference = float(first - second)
    if any(areas.covariance is None for areas in known):
        return Spread(difference, None)

    def variance_in(covariance: Any) -> Any:
        if not is_paired:
            return covariance[0, 0]
        return covariance[r, r] + covariance[s, s] - covariance[r, s] - covariance[s, r]

    variances = [variance_in(areas.covariance) for areas in known]
    of_parts = satterthwaite([(variance_in(part), n) for areas in known for part, n in areas.parts])
    df = math.inf
    if not all(areas.is_plain for areas in known):
        df = of_parts
    elif not is_paired:
        units = [areas.n_units for areas in known]
        df = satterthwaite(list(zip(variances, units, strict=True)))
    n_pos, n_neg = zip(*(sizes_in(areas.part, areas.sizes) for areas in known), strict=True)
    return Spread(
        difference,
        _clean(sum(variances[1:], variances[0])),
        (min(n_pos), min(n_neg)),
        df,
        of_parts,
        mean=float(first + second) / 2,
        least=min(min(areas.sizes) for areas in known),
    )


def satterthwaite(parts: Sequence[tuple[Any, float]]) -> float:
    """Return the degrees of freedom of a sum of variances; infinity for no variance.

    Equation 17 of Satterthwaite (1946). An effective number of rows may be less than 2, and stands
    for one degree of freedom then.
    """
    total = math.fsum(variance for variance, _ in parts)
    if total <= 0:
        return math.inf
    return 1 / math.fsum((variance / total) ** 2 / max(n - 1, 1) for variance, n in parts)
