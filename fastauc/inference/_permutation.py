"""Permutation tests of areas: of one score against chance, and of the curves of two scores.

One score: the labels are permuted, as in the Wilcoxon-Mann-Whitney test, so that only the ranks of
the positives matter.

Two scores of the same rows [1]_: when the two ranks of rows are exchanged, the difference in AUC is
a sum of independent terms, one per row, with random signs: if a positive and a negative are both
exchanged, their part of the difference changes sign; if only one of them is, it becomes that of the
pairs across the models. So the distribution can be computed without recomputing ranks or AUCs.

Two samples: as by Venkatraman, the positions of the rows of each class are exchanged; see
``_venkatraman``.

References
----------
.. [1] A. I. Bandos, H. E. Rockette and D. Gur, "A permutation test sensitive to differences in
   areas for comparing ROC curves from a paired design", Stat. Med. 24 (2005) 2873-2893.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import resampling as _resampling
from fastauc._pairs.sorted_rows import sort_rows
from fastauc._validation.arrays import INT64
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._distributions import normal_tail
from fastauc.inference._placements import check_size, group_starts
from fastauc.inference._resampling import Streams
from fastauc.inference._venkatraman import (
    CELLS,
    PooledClass,
    PooledPlaces,
    Ranks,
    exchange_rows,
    pool_places,
    rank_rows,
)

_AUTO, EXACT, RANDOM, NORMAL = METHODS = (
    "permutation",
    "permutation-exact",
    "permutation-random",
    "permutation-normal",
)

_FEW_ROWS = 8  # in a class, for the exact distribution of one score to be preferred
_MOST_PAIRS = 2**20  # for which it is computed
_MOST_STEPS = 2**28  # of the exact distribution of two scores, about a nanosecond each
_MOST_SPLITS = 2**14


class Draws(NamedTuple):
    """How random permutations are drawn."""

    n_resamples: int
    generator: np.random.Generator
    workers: Workers

    def pvalue(self, n_beyond: int) -> float:
        """Return the p-value for this many draws that are at least as extreme as the sample."""
        return (1 + n_beyond) / (1 + self.n_resamples)


class Permuted(NamedTuple):
    """The difference of two areas, or of one and one half, with its p-value."""

    difference: float
    pvalue: float
    method: str


def _choose(method: str, n_steps: int, most: int, what: str) -> str:
    """Return the method that "permutation" selects; refuse "exact" if it would take too long."""
    if method == EXACT and n_steps > most:
        raise ValueError(
            f"method={method!r} would take {n_steps} {what}; expected {most} or fewer, or "
            f"method={RANDOM!r}."
        )
    if method == _AUTO:
        return EXACT if n_steps <= most else RANDOM
    return method


def _count_beyond(drawn: Iterable[int], observed: int, alternative: str) -> int:
    """Return how many deviations are at least as extreme as the observed one."""
    if alternative == "two-sided":
        return sum(abs(deviation) >= abs(observed) for deviation in drawn)
    if alternative == "less":
        return sum(deviation <= observed for deviation in drawn)
    return sum(deviation >= observed for deviation in drawn)


# One score ----------------------------------------------------------------------------------------


class _Ranks(NamedTuple):
    """Twice the rank sums: all that permutations need of the scores.

    Attributes
    ----------
    n_pos, n_neg : int
        The number of rows in each class.
    sizes, n_positives : int64 arrays
        Rows and positives in each group of tied rows, in increasing order.
    """

    n_pos: int
    n_neg: int
    sizes: NDArray[np.int64]
    n_positives: NDArray[np.int64]

    @property
    def twice(self) -> NDArray[np.int64]:
        """Twice the midrank of each group; 2 for the lowest row if it is not tied."""
        ends: NDArray[np.int64] = np.cumsum(self.sizes)
        return 2 * ends - self.sizes + 1

    @property
    def twice_u(self) -> int:
        """Twice the Mann-Whitney U statistic of the positives."""
        ranks = _resampling.sum_products(self.twice, self.n_positives)
        return ranks - self.n_pos * (self.n_pos + 1)


def permute_labels(sample: BinarySample, alternative: str, method: str, draws: Draws) -> Permuted:
    """Return the test that the scores of the two classes have the same distribution."""
    check_size(len(sample.label))
    rows = sort_rows(sample, draws.workers)
    starts, packed = group_starts(rows), rows.packed
    positives = np.add.reduceat((packed & packed.dtype.type(1)).astype(INT64), starts)
    sizes = np.diff(starts, append=len(packed))
    ranks = _Ranks(sample.n_pos, sample.n_neg, sizes, positives)
    pairs, rarest = ranks.n_pos * ranks.n_neg, min(ranks.n_pos, ranks.n_neg)
    is_tied = len(sizes) < ranks.n_pos + ranks.n_neg
    if method == _AUTO:
        is_exact = not is_tied and rarest <= _FEW_ROWS and pairs <= _MOST_PAIRS
        method = EXACT if is_exact else NORMAL
    if method == EXACT:
        if is_tied:
            raise ValueError(
                f"method={method!r} does not support ties, and some scores are tied; expected "
                f"method={RANDOM!r} or {NORMAL!r}."
            )
        _choose(method, pairs, _MOST_PAIRS, "pairs")
        pvalue = _exact_pvalue(ranks, alternative)
    elif method == NORMAL:
        pvalue = _normal_pvalue(ranks, alternative)
    else:
        pvalue = _random_pvalue(ranks, alternative, draws)
    return Permuted((ranks.twice_u - pairs) / (2 * pairs), pvalue, method)


def _normal_pvalue(ranks: _Ranks, alternative: str) -> float:
    """Return the p-value with the continuity correction of half a pair."""
    n_pos, n_neg, sizes, _ = ranks
    n = n_pos + n_neg
    # Fewer than 2^32 rows: a cube may need more than 64 bits.
    ties = sum(size**3 - size for size in sizes[sizes > 1].tolist())
    variance = n_pos * n_neg * (n * (n * n - 1) - ties) / (12 * n * (n - 1))
    if variance == 0:
        return 1.0
    deviation = (ranks.twice_u - n_pos * n_neg) / 2
    if alternative == "two-sided":
        return min(1.0, 2 * normal_tail((abs(deviation) - 0.5) / math.sqrt(variance)))
    if alternative == "less":
        deviation = -deviation
    return normal_tail((deviation - 0.5) / math.sqrt(variance))


def _exact_pvalue(ranks: _Ranks, alternative: str) -> float:
    counts = _count_orders(ranks.n_pos, ranks.n_neg)
    total = math.comb(ranks.n_pos + ranks.n_neg, ranks.n_pos)
    u, pairs = ranks.twice_u // 2, ranks.n_pos * ranks.n_neg
    if alternative == "less":
        return sum(counts[: u + 1]) / total
    if alternative == "greater":
        return sum(counts[u:]) / total
    return min(1.0, 2 * sum(counts[max(u, pairs - u) :]) / total)


def _count_orders(n_pos: int, n_neg: int) -> list[int]:
    """Return how many orderings of the classes have 0, 1, ... concordant pairs.

    They are the coefficients of the Gaussian binomial: for k up to the size of the rarer class,
    multiply by 1 - q^(n + k), for n rows in the other, and divide by 1 - q^k.
    """
    few, many = sorted((n_pos, n_neg))
    counts = np.zeros(few * many + 1, object)
    counts[0] = 1
    for k in range(1, few + 1):
        if many + k < len(counts):
            counts[many + k :] = counts[many + k :] - counts[: -(many + k)]
        # Dividing by 1 - q^k means adding up every k-th coefficient.
        columns = np.zeros(-(-len(counts) // k) * k, object)
        columns[: len(counts)] = counts
        counts = columns.reshape(-1, k).cumsum(axis=0).ravel()[: len(counts)]
    return list(counts)


def _random_pvalue(ranks: _Ranks, alternative: str, draws: Draws) -> float:
    twice = np.repeat(ranks.twice, ranks.sizes)
    # It does not matter which class is drawn: the other has the remaining ranks.
    few = min(ranks.n_pos, ranks.n_neg)
    mean = few * (len(twice) + 1)
    sign = 1 if few == ranks.n_pos else -1
    observed = ranks.twice_u - ranks.n_pos * ranks.n_neg
    choice = draws.generator.choice
    drawn = (
        sign * (int(choice(twice, few, replace=False, shuffle=False).sum()) - mean)
        for _ in range(draws.n_resamples)
    )
    return draws.pvalue(_count_beyond(drawn, observed, alternative))


# Two scores of the same rows ----------------------------------------------------------------------


def exchange_ranks(
    samples: list[BinarySample], alternative: str, method: str, draws: Draws
) -> Permuted:
    """Return the test that two scores of the same rows have the same curve."""
    first, second = samples
    check_size(len(first.label))
    terms = _terms(rank_rows(first), rank_rows(second), first.label == 1)
    observed = int(terms.sum())
    difference = observed / (4 * first.n_pos * first.n_neg)
    # Signs are random, so the order does not matter.
    sizes = np.sort(np.abs(terms[terms != 0]))
    if len(sizes) == 0:
        return Permuted(difference, 1.0, EXACT if method == _AUTO else method)
    unit = np.gcd.reduce(sizes)
    sizes //= unit
    method = _choose(method, len(sizes) * int(sizes.sum()), _MOST_STEPS, "steps")
    extreme = {"greater": observed, "less": -observed, "two-sided": abs(observed)}[alternative]
    extreme //= int(unit)
    two_sided = alternative == "two-sided"
    if method == RANDOM:
        pvalue = draws.pvalue(_count_signs(sizes, extreme, two_sided, draws))
        return Permuted(difference, pvalue, method)
    if method == EXACT:
        above = _exact_tail(sizes, extreme)
    else:
        above = normal_tail(extreme / math.sqrt(float(np.sum(sizes.astype(np.float64) ** 2))))
    return Permuted(difference, min(1.0, 2 * above if two_sided else above), method)


def _terms(first: Ranks, second: Ranks, is_positive: NDArray[np.bool_]) -> Ranks:
    """Return, for each row, its term of four times the difference of the ordered pairs."""
    terms = np.empty(len(first), np.int64)
    for own, sign in (is_positive, 1), (~is_positive, -1):
        others = np.concatenate([first[~own], second[~own]])
        counts = np.bincount(others, minlength=2 * len(first) + 1)
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
    streams, at_once = Streams(draws.generator), max(1, CELLS // len(sizes))
    # Sums of integers below 2^53 are exact.
    values, total = sizes.astype(np.float64), int(sizes.sum())

    def draw(number: int) -> int:
        shape = min(at_once, draws.n_resamples - number * at_once), len(sizes)
        is_kept = streams.stream(number).integers(2, size=shape, dtype=np.int8)
        sums = 2 * (is_kept @ values) - total
        return int(np.count_nonzero((np.abs(sums) if two_sided else sums) >= extreme))

    n_streams = -(-draws.n_resamples // at_once)
    return sum(draws.workers.run_all([partial(draw, number) for number in range(n_streams)]))


# Two samples ------------------------------------------------------------------------------------


def exchange_places(
    samples: list[BinarySample], alternative: str, method: str, draws: Draws
) -> Permuted:
    """Return the test that two independent samples have the same curve."""
    first, second = samples
    check_size(len(first.label) + len(second.label))
    pooled = pool_places(first, second)
    pairs = first.n_pos * first.n_neg, second.n_pos * second.n_neg

    def difference(classes: list[PooledClass]) -> int:
        (positives, m), (negatives, n) = classes
        of_first = _twice_pairs(positives[:m], negatives[:n], pooled.n_places)
        of_second = _twice_pairs(positives[m:], negatives[n:], pooled.n_places)
        return of_first * pairs[1] - of_second * pairs[0]

    observed = difference(pooled.classes)
    splits = [math.comb(len(places), n_first) for places, n_first in pooled.classes]
    method = _choose(method, math.prod(splits), _MOST_SPLITS, "exchanges")
    if method == EXACT:
        found = [difference(classes) for classes in _all_splits(pooled)]
        pvalue = _count_beyond(found, observed, alternative) / len(found)
    else:
        found = exchange_rows(pooled, difference, *draws)
        pvalue = draws.pvalue(_count_beyond(found, observed, alternative))
    return Permuted(observed / (2 * pairs[0] * pairs[1]), pvalue, method)


def _twice_pairs(positives: Ranks, negatives: Ranks, n_places: int) -> int:
    """Return twice the number of pairs in which the positive is higher, tied ones once."""
    counts = np.bincount(negatives, minlength=n_places)
    return int((2 * np.cumsum(counts) - counts)[positives].sum())


def _all_splits(pooled: PooledPlaces) -> Iterator[list[PooledClass]]:
    """Yield all ways to split the rows of each class between the two samples."""
    return map(list, itertools.product(*(_splits(*each) for each in pooled.classes)))


def _splits(places: Ranks, n_first: int) -> Iterator[PooledClass]:
    for chosen in itertools.combinations(range(len(places)), n_first):
        yield np.concatenate([places[list(chosen)], np.delete(places, chosen)]), n_first
