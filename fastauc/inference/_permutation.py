"""Permutation tests of areas: of one score against chance, and of the curves of two scores.

One score: the labels are permuted, as in the Wilcoxon-Mann-Whitney test, so that only the ranks of
the positives matter.

Two scores of the same rows (Bandos, Rockette and Gur 2005): when the two ranks of rows are
exchanged, the difference in AUC is a sum of independent terms, one per row, with random signs: if a
positive and a negative are both exchanged, their part of the difference changes sign; if only one
of them is, it becomes that of the pairs across the models. So the distribution can be computed
without recomputing ranks or AUCs.

Two samples: as by Venkatraman, the positions of the rows of each class are exchanged; see
``pool_places``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._kernels import resampling as _resampling
from fastauc._pairs.ordering import lexsort
from fastauc._pairs.ranks import add_ranks
from fastauc._pairs.sorted_rows import sort_rows
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import INT64, Array
from fastauc._validation.columns import Directions, read_pair
from fastauc._validation.labels import Label
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_integer, read_rng
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._delong import has_both_classes
from fastauc.inference._distributions import normal_tail
from fastauc.inference._placements import check_size, group_starts
from fastauc.inference._resampling import Streams
from fastauc.inference._results import one_row

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
CELLS = 2**18  # of a table of permutations at once

T = TypeVar("T")


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
    # Sums of integers below 2^53 are exact.
    values, total = sizes.astype(np.float64), int(sizes.sum())

    def draw(n: int, rng: np.random.Generator) -> int:
        is_kept = rng.integers(2, size=(n, len(sizes)), dtype=np.int8)
        sums = 2 * (is_kept @ values) - total
        return int(np.count_nonzero((np.abs(sums) if two_sided else sums) >= extreme))

    return sum(draws.run(draw, len(sizes)))


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
        found = exchange_rows(pooled, difference, draws)
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


# Curves ------------------------------------------------------------------------------------------


# Positions and statistics of independent samples are sums of doubles up to 1, whose rounding
# errors are far below this.
_EQUAL = 1e-13
Ranks = NDArray[np.int64]
_Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


@result("fastauc.inference")
class RocCurveTestResult(NamedTuple):
    """The result of ``roc_curve_test``.

    Attributes
    ----------
    statistic : float
        The difference in the number of errors of the two models, summed over all cutoffs. For two
        samples, the mean difference in the share of errors.
    pvalue : float
        The share of random exchanges with a statistic at least as large.
    method : str
        "venkatraman".

    Examples
    --------
    >>> from fastauc.inference import roc_curve_test
    >>> roc_curve_test([0, 0, 1, 1], [1, 3, 2, 4], [2, 6, 4, 8], rng=0)
    statistic  pvalue       method
            0       1  venkatraman
    """

    statistic: float
    pvalue: float
    method: str = "venkatraman"

    def _columns(self) -> dict[str, Array]:
        return one_row(self)

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with one row."""
        return to_pandas(self)


def roc_curve_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    y_true_b: ArrayLike | None = None,
    higher_is_positive: Directions = True,
    n_resamples: int = 2000,
    rng: Any = None,
    pos_label: Label | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> RocCurveTestResult:
    """Test whether two models have the same ROC curve, on the same rows or on two samples.

    Parameters
    ----------
    y_true, score_a, score_b, y_true_b, higher_is_positive, pos_label, nan_policy, n_jobs
        As in ``roc_auc_test``. Ties of scores for the same rows are broken at random, in the same
        way for both models.
    n_resamples : int
        Number of random exchanges.
    rng : Generator, BitGenerator, SeedSequence, int or None
        Seed or generator for the exchanges; a seed makes the result reproducible. It does not
        depend on the number of threads, nor on the order of the rows.

    Returns
    -------
    RocCurveTestResult
        ``statistic``, ``pvalue`` and ``method``. The p-value is (b + 1) / (n_resamples + 1), where
        b is the number of exchanges with a statistic at least as large. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_test``.

    See Also
    --------
    roc_auc_test : Compares the AUCs, and so misses curves that cross.

    Notes
    -----
    The same rows: the statistic of Venkatraman and Begg [1]_: for k = 1 to n, the k rows with the
    lowest ranks are predicted negative, and the absolute differences in the number of errors of the
    two models are added up. Then each row randomly exchanges its two ranks or not, and the rows are
    ranked again, with midranks for ties, which count at half a cutoff. Without ties, the statistic
    is that of pROC's ``roc.test(method="venkatraman")``, which breaks ties by the order of the
    rows. With ties, the statistic depends on ``rng``. O(n log n) time, and O(n) for each exchange:
    0.3 ms for 1,000 rows, 30 ms for 100,000.

    Independent samples, after [2]_: in both samples, the classes are mixed in the same proportion,
    that of all rows together. The statistic is the area between the two curves of the share of
    errors by the share of this population that is predicted negative; tied rows form a straight
    line, and ``rng`` is not used for it. Then the rows of each class exchange their positions, the
    share of the population below them, between the samples. If both samples have the same number of
    rows in each class, the statistic is the paired one divided by the square of the number of rows.
    pROC exchanges ranks, which are not comparable if the samples differ in size; its share of
    positives divides by twice the size of the first sample; and it omits what is below the first
    row. O(n log n) time for each exchange: 0.2 ms for two samples of 1,000 rows.

    Type I error: "Other tests" on the page "Which interval or test to use" of the manual.

    References
    ----------
    .. [1] E. S. Venkatraman and C. B. Begg, "A distribution-free procedure for comparing receiver
       operating characteristic curves from a paired experiment", Biometrika 83 (1996) 835-848.
    .. [2] E. S. Venkatraman, "A permutation test to compare receiver operating characteristic
       curves", Biometrics 56 (2000) 1134-1138.

    Examples
    --------
    >>> from fastauc.inference import roc_curve_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = roc_curve_test(y_true, [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 7, 8], rng=0)
    >>> result.statistic
    4.0
    """
    function = "roc_curve_test"
    check_integer(n_resamples, "n_resamples", 1, function)
    generator = read_rng(rng, function)
    with Workers(n_jobs, function) as workers:
        pair = read_pair(
            function,
            (y_true, y_true_b),
            (score_a, score_b),
            higher_is_positive,
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
        )
        samples = [sample for models in pair for sample in models.samples()]
        for sample in samples:
            if not has_both_classes(sample):
                return RocCurveTestResult(math.nan, math.nan)
            check_size(len(sample.label))
        test = _test_same_rows if len(pair) == 1 else _test_two_samples
        return test(samples[0], samples[1], Draws(n_resamples, generator, workers))


def _test_same_rows(
    sample_a: BinarySample, sample_b: BinarySample, draws: Draws
) -> RocCurveTestResult:
    first, second = rank_rows(sample_a), rank_rows(sample_b)
    sign = np.where(sample_a.label == 1, 1, -1)
    order = lexsort((first, second, sign), draws.workers)
    sign = sign[order]
    # The same random numbers for both: models that rank all rows alike have no distance.
    chance = draws.generator.permutation(len(order))
    first, second = (_break_ties(ranks[order], chance, draws.workers) for ranks in (first, second))
    observed = _distance(first[None], second[None], sign)[0]

    def exchange(n: int, rng: np.random.Generator) -> int:
        is_kept = rng.integers(2, size=(n, len(sign)), dtype=np.int8) == 0
        own = _rank(np.where(is_kept, first, second))
        other = _rank(np.where(is_kept, second, first))
        return int(np.sum(_distance(own, other, sign) >= observed))

    beyond = sum(draws.run(exchange, len(sign)))
    return RocCurveTestResult(float(observed) / 2, draws.pvalue(beyond))


def _test_two_samples(
    sample_a: BinarySample, sample_b: BinarySample, draws: Draws
) -> RocCurveTestResult:
    pooled = pool_places(sample_a, sample_b)
    share, n_places = pooled.share, pooled.n_places

    def distance(classes: list[PooledClass]) -> float:
        (positives, m), (negatives, n) = classes
        first = _curve(positives[:m], negatives[:n], n_places, share)
        second = _curve(positives[m:], negatives[n:], n_places, share)
        return 2 * share * _area_between(first, second)

    observed = distance(pooled.classes)
    found = exchange_rows(pooled, distance, draws)
    beyond = int(np.count_nonzero(np.array(found) >= observed - _EQUAL))
    return RocCurveTestResult(observed, draws.pvalue(beyond))


# The positions of the rows of a class, first sample first, and the size of the first sample.
PooledClass = tuple[Ranks, int]


class PooledPlaces(NamedTuple):
    """The rows of two samples by their positions in one mixture of the classes."""

    classes: list[PooledClass]
    """The positives and the negatives, with positions numbered from 0."""
    n_places: int
    share: float
    """The share of positives in the mixture."""


def pool_places(sample_a: BinarySample, sample_b: BinarySample) -> PooledPlaces:
    """Return the positions of the rows, each in a population with the curve of its sample."""
    n_pos = sample_a.n_pos + sample_b.n_pos
    share = n_pos / (len(sample_a.label) + len(sample_b.label))
    places = _number(np.concatenate([_places(sample, share) for sample in (sample_a, sample_b)]))
    is_first = np.arange(len(places)) < len(sample_a.label)
    is_positive = np.concatenate([sample_a.label, sample_b.label]) == 1
    classes = []
    for mask, n_first in (is_positive, sample_a.n_pos), (~is_positive, sample_a.n_neg):
        # Sorted, so that the order of the rows does not affect the exchanges.
        of_first, of_second = (np.sort(places[mask & part]) for part in (is_first, ~is_first))
        classes.append((np.concatenate([of_first, of_second]), n_first))
    return PooledPlaces(classes, int(places.max()) + 1, share)


def exchange_rows(
    pooled: PooledPlaces, statistic: Callable[[list[PooledClass]], T], draws: Draws
) -> list[T]:
    """Return a statistic after each of a number of random exchanges between the samples."""

    def exchange(n: int, rng: np.random.Generator) -> list[T]:
        return [
            statistic([(rng.permutation(places), n_first) for places, n_first in pooled.classes])
            for _ in range(n)
        ]

    n_rows = sum(len(places) for places, _ in pooled.classes)
    return list(itertools.chain.from_iterable(draws.run(exchange, n_rows)))


def _places(sample: BinarySample, share: float) -> NDArray[np.float64]:
    """Return the share of a population with this share of positives that is below each row."""
    twice, label = rank_rows(sample), sample.label
    below = np.zeros(2 * len(label) + 1)
    for of_class, part in (label == 1, share), (label == 0, 1 - share):
        counts = np.bincount(twice[of_class], minlength=len(below))
        below += part / np.sum(of_class) * (np.cumsum(counts) - counts / 2)
    places: NDArray[np.float64] = below[twice]
    return places


def _number(places: NDArray[np.float64]) -> Ranks:
    """Return positions as integers from 0 up; those that differ only by rounding are equal.

    Positions in one sample are at least half a row apart.
    """
    order = lexsort((places,))
    ordered = places[order]
    numbers = np.empty(len(places), np.int64)
    numbers[order] = np.cumsum(np.diff(ordered, prepend=ordered[0]) > _EQUAL)
    return numbers


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


def rank_rows(sample: BinarySample) -> Ranks:
    """Return twice the mean rank of each row."""
    twice = np.zeros(len(sample.label))
    add_ranks(sample.score, 2.0, twice)
    return twice.astype(INT64)


def _break_ties(ranks: Ranks, chance: Ranks, workers: Workers) -> Ranks:
    """Return twice the ranks of rows without ties."""
    broken = np.empty_like(ranks)
    broken[lexsort((chance, ranks), workers)] = 2 * np.arange(1, len(ranks) + 1)
    return broken


def _rank(values: Ranks) -> Ranks:
    """Return twice the midranks of each row of integers, up to twice their number."""
    cells, shape = _cells(values)
    sizes = np.bincount(cells.ravel(), minlength=math.prod(shape)).reshape(shape)
    twice = 2 * np.cumsum(sizes, axis=1) - sizes + 1
    ranks: Ranks = twice.ravel()[cells].astype(INT64, copy=False)
    return ranks


def _distance(first: Ranks, second: Ranks, sign: NDArray[np.int64]) -> Ranks:
    """Return twice the statistic of each row: a cutoff at half a rank counts as half a cutoff."""
    errors = []
    for ranks in first, second:
        cells, shape = _cells(ranks)
        signs = np.broadcast_to(sign, ranks.shape).ravel()
        # Sums of ones in doubles are exact.
        added = np.bincount(cells.ravel(), signs, math.prod(shape)).reshape(shape)
        errors.append(np.cumsum(added, axis=1))
    distance: Ranks = np.abs(errors[0] - errors[1]).sum(axis=1).astype(INT64)
    return distance


def _cells(values: Ranks) -> tuple[Ranks, tuple[int, int]]:
    """Return where each value is counted in one table, and the shape of that table."""
    n_lines, n = values.shape
    width = 2 * n + 1
    return values + width * np.arange(n_lines)[:, None], (n_lines, width)
