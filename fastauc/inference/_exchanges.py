"""Exchanges of rows between two models, and what they tell of two areas and of two curves.

Models on the same rows exchange both scores of a row (Venkatraman and Begg 1996; Bandos, Rockette
and Gur 2005), and two samples the rows of each class (Venkatraman 2000): always on the scale of
``_common_scale``.

The difference of two areas on the same rows is then a sum of independent terms, one per row, with
random signs: if a positive and a negative are both exchanged, their part of the difference changes
sign; if only one of them is, it becomes that of the pairs across the models. So the distribution
can be computed without recomputing areas.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastauc._pairs.ordering import lexsort
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._common_scale import (
    EQUAL,
    PooledPlaces,
    Ranks,
    place_rows,
    pool_places,
)
from fastauc.inference._resampling import Streams

EXACT, RANDOM = "exact", "random"

_MOST_STEPS = 2**28  # of the exact distribution of two scores, about a nanosecond each
_MOST_SPLITS = 2**14
CELLS = 2**18  # of a table of permutations at once

T = TypeVar("T")
_Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


class Draws(NamedTuple):
    """How random permutations are drawn."""

    n_resamples: int
    generator: np.random.Generator
    workers: Workers

    def run(self, draw: Callable[[int, np.random.Generator], T], n_rows: int) -> list[T]:
        """Return what ``draw`` makes of so many permutations, those of each stream at once."""
        at_once = max(1, CELLS // n_rows)
        return Streams(self.generator).run(self.n_resamples, at_once, draw, self.workers)

    def pvalue(self, n_beyond: int) -> float:
        """Return the p-value for this many draws that are at least as extreme as the sample."""
        return (1 + n_beyond) / (1 + self.n_resamples)


def count_beyond(drawn: Iterable[int], observed: int, alternative: str) -> int:
    """Return how many deviations are at least as extreme as the observed one."""
    if alternative == "two-sided":
        return sum(abs(deviation) >= abs(observed) for deviation in drawn)
    if alternative == "less":
        return sum(deviation <= observed for deviation in drawn)
    return sum(deviation >= observed for deviation in drawn)


# Two areas, the same rows -------------------------------------------------------------------------


def exchange_scores(
    first: BinarySample, second: BinarySample, alternative: str, draws: Draws
) -> tuple[float, float, str]:
    """Return the difference of the areas, its p-value, and how that was found."""
    terms = _terms(*place_rows(first, second), first.label == 1)
    observed = int(terms.sum())
    difference = observed / (4 * first.n_pos * first.n_neg)
    # Signs are random, so the order does not matter.
    sizes = np.sort(np.abs(terms[terms != 0]))
    if len(sizes) == 0:
        return difference, 1.0, EXACT
    unit = int(np.gcd.reduce(sizes))
    sizes //= unit
    extreme = {"greater": observed, "less": -observed, "two-sided": abs(observed)}[alternative]
    two_sided = alternative == "two-sided"
    if len(sizes) * int(sizes.sum()) > _MOST_STEPS:
        n_beyond = _count_signs(sizes, extreme // unit, two_sided, draws)
        return difference, draws.pvalue(n_beyond), RANDOM
    above = _exact_tail(sizes, extreme // unit)
    return difference, min(1.0, 2 * above if two_sided else above), EXACT


def _terms(first: Ranks, second: Ranks, is_positive: NDArray[np.bool_]) -> Ranks:
    """Return, for each row, its term of four times the difference of the ordered pairs."""
    n_places = int(max(first.max(), second.max())) + 1
    terms = np.empty(len(first), np.int64)
    for own, sign in (is_positive, 1), (~is_positive, -1):
        others = np.concatenate([first[~own], second[~own]])
        counts = np.bincount(others, minlength=n_places)
        twice_below = 2 * np.cumsum(counts) - counts
        terms[own] = sign * (twice_below[first[own]] - twice_below[second[own]])
    return terms


def _exact_tail(sizes: Ranks, extreme: int) -> float:
    """Return the probability that sizes with random signs add up to this much or more."""
    total = int(sizes.sum())
    # Of the sums of those with a positive sign; each step is the mean of two probabilities.
    probability = np.zeros(total + 1)
    probability[0], end = 1.0, 1
    for size in sizes.tolist():
        before = probability[:end].copy()
        end += size
        probability[size:end] += before
        probability[:end] /= 2
    return float(probability[(total + extreme) // 2 :].sum())


def _count_signs(sizes: Ranks, extreme: int, two_sided: bool, draws: Draws) -> int:
    """Return how many random-sign sums of the sizes are this large or larger."""
    # Sums of integers below 2^53 are exact.
    values, total = sizes.astype(np.float64), int(sizes.sum())

    def draw(n: int, rng: np.random.Generator) -> int:
        is_kept = rng.integers(2, size=(n, len(sizes)), dtype=np.int8)
        sums = 2 * (is_kept @ values) - total
        return int(np.count_nonzero((np.abs(sums) if two_sided else sums) >= extreme))

    return sum(draws.run(draw, len(sizes)))


# Two areas, two samples ---------------------------------------------------------------------------

# What is exchanged: tables of places of positives and of negatives, of which the first columns
# belong to the first sample, and a line to each exchange.
_Deals = tuple[Ranks, Ranks]


def exchange_rows(
    first: BinarySample, second: BinarySample, alternative: str, draws: Draws
) -> tuple[float, float, str]:
    """Return the difference of the areas, its p-value, and how that was found."""
    pooled = pool_places(first, second)
    pairs = first.n_pos * first.n_neg, second.n_pos * second.n_neg

    def differences(deals: _Deals) -> list[int]:
        own, other = (
            _twice_pairs(*part, pooled.n_places).tolist() for part in _parts(deals, pooled)
        )
        # Of large samples, these products may need more than 64 bits.
        return [a * pairs[1] - b * pairs[0] for a, b in zip(own, other, strict=True)]

    (observed,) = differences(_as_it_is(pooled))
    splits = [math.comb(len(places), n_first) for places, n_first in pooled.classes]
    if math.prod(splits) <= _MOST_SPLITS:
        found, method = differences(_all_deals(pooled)), EXACT
        pvalue = count_beyond(found, observed, alternative) / len(found)
    else:
        found, method = _draw_deals(pooled, differences, draws), RANDOM
        pvalue = draws.pvalue(count_beyond(found, observed, alternative))
    return observed / (2 * pairs[0] * pairs[1]), pvalue, method


def _parts(deals: _Deals, pooled: PooledPlaces) -> Iterator[_Deals]:
    """Yield the positives and the negatives of the first sample, and those of the second."""
    m, n = (n_first for _, n_first in pooled.classes)
    positives, negatives = deals
    yield positives[:, :m], negatives[:, :n]
    yield positives[:, m:], negatives[:, n:]


def _twice_pairs(positives: Ranks, negatives: Ranks, n_places: int) -> Ranks:
    """Return twice the number of pairs in which the positive is higher, tied ones once."""
    counts = _count(negatives, n_places)
    twice_below = 2 * np.cumsum(counts, axis=1) - counts
    twice: Ranks = np.take_along_axis(twice_below, positives, axis=1).sum(axis=1)
    return twice


def _as_it_is(pooled: PooledPlaces) -> _Deals:
    positives, negatives = (places[None] for places, _ in pooled.classes)
    return positives, negatives


def _draw_deals(
    pooled: PooledPlaces, statistics: Callable[[_Deals], list[T]], draws: Draws
) -> list[T]:
    """Return the statistic of a number of random deals."""

    def exchange(n: int, rng: np.random.Generator) -> list[T]:
        tables = (np.tile(places, (n, 1)) for places in _as_it_is(pooled))
        positives, negatives = (rng.permuted(table, axis=1) for table in tables)
        return statistics((positives, negatives))

    n_rows = sum(len(places) for places, _ in pooled.classes)
    return list(itertools.chain.from_iterable(draws.run(exchange, n_rows)))


def _all_deals(pooled: PooledPlaces) -> _Deals:
    """Return all ways to split the rows of each class between the two samples."""
    positives, negatives = (_all_splits(*each) for each in pooled.classes)
    return np.repeat(positives, len(negatives), axis=0), np.tile(negatives, (len(positives), 1))


def _all_splits(places: Ranks, n_first: int) -> Ranks:
    chosen = itertools.combinations(range(len(places)), n_first)
    return np.array([np.concatenate([places[list(own)], np.delete(places, own)]) for own in chosen])


# Two curves, the same rows ------------------------------------------------------------------------


def exchange_scores_of_curves(
    first: BinarySample, second: BinarySample, draws: Draws
) -> tuple[float, float, str]:
    """Return the difference in errors over all cutoffs, its p-value, and how that was found."""
    own, other = place_rows(first, second)
    sign = np.where(first.label == 1, 1, -1)
    # The order of the rows does not affect the exchanges.
    order = lexsort((own, other, sign), draws.workers)
    own, other, sign = own[order], other[order], sign[order]

    def distances(is_kept: NDArray[np.bool_]) -> Ranks:
        ranks = _rank(np.where(is_kept, own, other)), _rank(np.where(is_kept, other, own))
        return _distances(*ranks, sign)

    (observed,) = distances(np.ones((1, len(sign)), np.bool_)).tolist()

    def exchange(n: int, rng: np.random.Generator) -> int:
        is_kept = rng.integers(2, size=(n, len(sign)), dtype=np.int8) == 0
        return int(np.sum(distances(is_kept) >= observed))

    return observed / 2, draws.pvalue(sum(draws.run(exchange, len(sign)))), RANDOM


def _rank(places: Ranks) -> Ranks:
    """Return twice the midranks of each line of a table of places."""
    sizes = _count(places, int(places.max()) + 1)
    ranks: Ranks = np.take_along_axis(2 * np.cumsum(sizes, axis=1) - sizes + 1, places, axis=1)
    return ranks


def _distances(first: Ranks, second: Ranks, sign: NDArray[np.int64]) -> Ranks:
    """Return twice the statistic of each line: a cutoff at half a rank counts as half a cutoff."""
    width = 2 * first.shape[1] + 1
    signs = np.broadcast_to(sign, first.shape)
    own, other = (np.cumsum(_count(ranks, width, signs), axis=1) for ranks in (first, second))
    distances: Ranks = np.abs(own - other).sum(axis=1).astype(np.int64)
    return distances


def _count(values: Ranks, width: int, weights: Ranks | None = None) -> Ranks:
    """Return how often each line of a table has each value, or the sum of small weights there."""
    n_lines = len(values)
    cells = (values + width * np.arange(n_lines)[:, None]).ravel()
    # Weights are added in doubles, exactly.
    of_cells = np.bincount(cells, None if weights is None else weights.ravel(), n_lines * width)
    counts: Ranks = of_cells.reshape(n_lines, width)
    return counts


# Two curves, two samples --------------------------------------------------------------------------


def exchange_rows_of_curves(
    first: BinarySample, second: BinarySample, draws: Draws
) -> tuple[float, float, str]:
    """Return the area between the curves of errors, its p-value, and how that was found."""
    pooled = pool_places(first, second)
    share, n_places = pooled.share, pooled.n_places

    def distances(deals: _Deals) -> list[float]:
        own, other = (
            [_curve(*lines, n_places, share) for lines in zip(*part, strict=True)]
            for part in _parts(deals, pooled)
        )
        return [2 * share * _area_between(*pair) for pair in zip(own, other, strict=True)]

    (observed,) = distances(_as_it_is(pooled))
    found = np.array(_draw_deals(pooled, distances, draws))
    return observed, draws.pvalue(int(np.count_nonzero(found >= observed - EQUAL))), RANDOM


def _curve(positives: Ranks, negatives: Ranks, n_places: int, share: float) -> _Curve:
    """Return the shares of all rows and of the positives that are predicted negative."""
    below = []
    for places in positives, negatives:
        counts = np.bincount(places + 1, minlength=n_places + 1)
        below.append(np.cumsum(counts) / len(places))
    return share * below[0] + (1 - share) * below[1], below[0]


def _area_between(first: _Curve, second: _Curve) -> float:
    """Return the area between two piecewise linear curves, which may cross."""
    x = np.sort(np.concatenate([first[0], second[0]]))
    gap = np.interp(x, *first) - np.interp(x, *second)
    left, right = gap[:-1], gap[1:]
    total = np.abs(left) + np.abs(right)
    # Two triangles where the lines cross, in place of a trapezoid.
    crossing = np.flatnonzero(left * right < 0)
    total[crossing] = (left[crossing] ** 2 + right[crossing] ** 2) / total[crossing]
    return float(np.sum(np.diff(x) * total) / 2)
