"""Bootstrap replicates: how often each row was drawn, counted along the steps of the ROC curve.

The rows are sorted once. A replicate draws positions in the sorted rows, so the order of the input
cannot matter; it keeps counts at the steps of the curve, so nothing is sorted again.

Every row is drawn with exactly the same probability: the numbers of draws from blocks of rows are
multinomial, by NumPy's generator, and the number of rows in a block is a power of two, so that
random bits select one of them. Each stream of random numbers belongs to certain replicates, not to
a thread.

User-defined statistics, functions of ``ConfusionCounts`` or of the rows, use the same replicates as
the named ones. The steps of a curve are the distinct scores for functions of counts, and the rows
themselves for functions of rows.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.confusion_counts import ConfusionCounts
from fastauc._kernels import resampling as _resampling
from fastauc._pairs.sorted_rows import SortedRows, sort_rows, sort_rows_with
from fastauc._pairs.sorting import lexsort
from fastauc._validation.arrays import FLOAT64, INT64, Array
from fastauc._validation.literals import BootstrapStatistic
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers
from fastauc.inference._delong import (
    UNSEEN_GROUP,
    UNSEEN_WEIGHT,
    Unseen,
    effective_size,
    heaviest_rows,
)
from fastauc.inference._placements import MOST_ROWS, check_size

_REPLICATES_PER_STREAM = 8  # creating a stream takes as long as about 10,000 draws
_ROWS_FOR_THREADS = 50_000  # below, half of the time is spent in Python, holding the GIL

_ROWS_PER_BLOCK = 4096  # the kernel takes 12 bits for one
_DRAWS_PER_WORD = 5
_BLOCKS_PER_CALL = 32  # 200 KB of random numbers at a time, which stay in cache

_LEAST_SHARE = 2.0**-400  # of the total weight, per row: products of two sums do not underflow

_NO_UNITS = np.empty(0, np.uint32)
_NO_WEIGHTS = np.empty(0)

T = TypeVar("T")
Units = NDArray[np.uint32]
Doubles = NDArray[np.float64]


class ClassRows(NamedTuple):
    """The rows of one class, from the highest score down."""

    step: Units
    """The step of the curve that each row is on."""
    unit: Units
    """The cluster of each row; empty if rows are drawn one by one."""
    weight: Doubles
    """Empty if all rows weigh 1."""

    @property
    def effective_size(self) -> float:
        """Kish's effective number of units."""
        has_units, has_weights = len(self.unit) > 0, len(self.weight) > 0
        if not has_units and not has_weights:
            return float(len(self.step))
        sizes: Doubles = self.weight if has_weights else np.ones(len(self.step))
        if has_units:
            sizes = np.bincount(self.unit, sizes).astype(np.float64)
        return effective_size(sizes)


class RocSteps(NamedTuple):
    """The steps of the curve of a sample, and the rows on them."""

    pos: ClassRows
    neg: ClassRows
    tied: NDArray[np.uint8]
    """1 for a step whose rows have one score; otherwise its negatives are below its positives."""
    n_clusters: int | None
    may_overflow: bool
    """Whether replicates of clusters can have 2^32 rows."""

    @property
    def sizes(self) -> tuple[float, float]:
        """Kish's effective numbers of positive and of negative units."""
        return self.pos.effective_size, self.neg.effective_size

    @property
    def unseen(self) -> list[Unseen]:
        """What a statistic may not be surer than: clusters, and rows as heavy as the heaviest."""
        found = [] if self.n_clusters is None else [(self.sizes, UNSEEN_GROUP)]
        if len(self.pos.weight):
            shares = (rows.weight / rows.weight.sum() for rows in (self.pos, self.neg))
            found.append((heaviest_rows(*shares), UNSEEN_WEIGHT))
        return found

    @property
    def is_weighted(self) -> bool:
        """Whether sums along the steps are in doubles."""
        return len(self.pos.weight) > 0 or self.may_overflow


class Replicate(NamedTuple):
    """The content of each step, and totals: counts of rows, or sums of their weights."""

    pos: Array
    neg: Array
    tied: NDArray[np.uint8]
    n_pos: Any
    n_neg: Any


# Steps ------------------------------------------------------------------------------------------


def find_steps(
    samples: Sequence[BinarySample],
    keep_positives: bool,
    clusters: Units | None = None,
    workers: Workers = SERIAL,
) -> list[RocSteps]:
    """Find the steps of the same rows, of both classes, on the curves of one or several scores.

    Positives with several scores and no negative between them share a step, unless
    ``keep_positives``.
    """
    first = samples[0]
    if len(samples) == 1 and first.weight is None and clusters is None:
        # Rows of one class and score are alike: no order of theirs is needed.
        check_size(len(first.label))
        pos, neg, tied = _number_steps(sort_rows(first, workers), first, keep_positives)
        of_pos, of_neg = (ClassRows(step, _NO_UNITS, _NO_WEIGHTS) for step in (pos, neg))
        return [RocSteps(of_pos, of_neg, tied, None, False)]
    samples, clusters = put_in_order(samples, clusters)
    weight, curves = samples[0].weight, []
    weight = None if weight is None else _scale(weight)
    for sample in samples:
        step = np.empty(len(sample.label), np.uint32)
        rows, numbers = sort_rows_with(sample, np.arange(len(step), dtype=np.uint64), workers)
        # From the highest score down, as the kernel places them.
        is_pos, numbers = (rows.packed[::-1] & 1).astype(np.bool_), numbers[::-1].view(np.intp)
        pos, neg, tied = _number_steps(rows, sample, keep_positives)
        step[numbers[is_pos]], step[numbers[~is_pos]] = pos, neg
        curves.append(_steps_of(sample.label, step, weight, tied, clusters))
    return curves


def _number_steps(
    rows: SortedRows, sample: BinarySample, keep_positives: bool
) -> tuple[Units, Units, NDArray[np.uint8]]:
    """Return the step of each row of either class, from the highest score down, and the ties."""
    pos, neg = np.empty(sample.n_pos, np.uint32), np.empty(sample.n_neg, np.uint32)
    tied = np.empty(len(sample.label), np.uint8)
    n_steps = _resampling.number_steps(*rows, keep_positives, pos, neg, tied)
    return pos, neg, tied[:n_steps]


def put_in_order(
    samples: Sequence[BinarySample], clusters: Units | None
) -> tuple[list[BinarySample], Units | None]:
    """Return samples of the same rows, and the clusters, in an order determined by the rows.

    From the highest score down. Rows left in their input order are equal in every respect, so the
    order of the input is irrelevant.
    """
    first = samples[0]
    check_size(len(first.label))
    # By scores first, then by what distinguishes tied rows.
    columns: list[Array] = [first.label]
    if first.weight is not None:
        columns.append(first.weight)
    if clusters is not None:
        columns.append(clusters)
    order = lexsort([*columns, *(sample.score for sample in samples)])[::-1]
    if clusters is not None:
        clusters = clusters[order]
    weight = None if first.weight is None else first.weight[order]
    label = first.label[order]
    return [
        sample._replace(label=label, score=sample.score[order], weight=weight) for sample in samples
    ], clusters


def _steps_of(
    label: NDArray[np.uint8],
    step: Units,
    weight: Doubles | None,
    tied: NDArray[np.uint8],
    clusters: Units | None,
) -> RocSteps:
    """Return the rows of both classes with their steps."""
    pos, neg = (
        ClassRows(
            step[own],
            _NO_UNITS if clusters is None else clusters[own],
            _NO_WEIGHTS if weight is None else weight[own],
        )
        for own in (label == 1, label == 0)
    )
    if clusters is None:
        return RocSteps(pos, neg, tied, None, False)
    sizes = np.bincount(clusters)
    return RocSteps(pos, neg, tied, len(sizes), int(sizes.max()) * len(sizes) >= MOST_ROWS)


def _scale(weight: Doubles) -> Doubles:
    """Return the weights times a power of two, so that their sum is near 1."""
    total, least = float(weight.sum()), float(weight.min())
    scaled: Doubles = np.ldexp(weight, -math.frexp(total)[1])
    # Any row can be the only one of its class in a replicate.
    if scaled.min() < _LEAST_SHARE:
        raise ValueError(
            f"sample_weight has the value {least:g} in a sum of {total:g}; expected 2^-400 or "
            "more of the sum, so that products of the sums of both classes cannot underflow in any "
            "replicate."
        )
    return scaled


# Sums along the steps ---------------------------------------------------------------------------


def count_units(steps: RocSteps) -> tuple[int, int]:
    """Return the number of factors for the rows of each class: one per row or per cluster."""
    if steps.n_clusters is not None:
        return steps.n_clusters, steps.n_clusters
    return len(steps.pos.step), len(steps.neg.step)


def add_up(steps: RocSteps, pos: Array, neg: Array) -> Replicate:
    """Return the replicate in which each unit occurs as often as its factor says.

    ``pos`` and ``neg`` are the factors for the rows of each class; with clusters, both are those of
    the clusters. uint32 or float64.
    """
    of_pos, of_neg = _add_rows(steps, steps.pos, pos), _add_rows(steps, steps.neg, neg)
    return Replicate(of_pos, of_neg, steps.tied, of_pos.sum().item(), of_neg.sum().item())


def _add_rows(steps: RocSteps, rows: ClassRows, factors: Array) -> Array:
    if steps.is_weighted:
        factors = factors.astype(np.float64, copy=False)
    sums = np.zeros(len(steps.tied), factors.dtype)
    _resampling.add_factors(rows.step, rows.unit, factors, rows.weight, sums)
    return sums


def whole_sample(steps: RocSteps) -> Replicate:
    """Return the replicate that is the sample itself: counts of its rows are below 2^32."""
    steps, (n_pos, n_neg) = steps._replace(may_overflow=False), count_units(steps)
    return add_up(steps, np.ones(n_pos, np.uint32), np.ones(n_neg, np.uint32))


def with_one_more(steps: RocSteps, sizes: tuple[float, float]) -> list[Replicate]:
    """Return the sample with one more unit of either class, at its highest and its lowest score.

    For steps from the highest score down. A unit weighs what one of the effective numbers of units
    does; it is counted in whole rows if the rows are.
    """
    whole, found = whole_sample(steps), []
    is_whole = whole.pos.dtype != FLOAT64
    for own, (total, size) in enumerate(zip(whole[-2:], sizes, strict=True)):
        amount = math.ceil(total / size) if is_whole else total / size
        for end in 0, -1:
            pos, neg = drawn = whole.pos.copy(), whole.neg.copy()
            drawn[own][end] += amount
            found.append(Replicate(pos, neg, whole.tied, pos.sum().item(), neg.sum().item()))
    return found


# Draws ------------------------------------------------------------------------------------------


class BlockSampler:
    """Units to draw with replacement, and the position at which each of them is counted."""

    def __init__(self, place: Units) -> None:
        n = len(place)
        rest = [1 << bit for bit in range(_ROWS_PER_BLOCK.bit_length() - 1) if n >> bit & 1]
        # The large blocks are last: the probability that remains for them is hardly rounded.
        self._sizes = np.array(rest + [_ROWS_PER_BLOCK] * (n // _ROWS_PER_BLOCK), np.int64)
        self._ends = np.cumsum(self._sizes)
        self._shares = self._sizes / n
        self._place = place

    def draw(self, n_draws: int, rng: np.random.Generator, counts: Units) -> None:
        """Draw this many units, and add 1 at the position of each."""
        draws = rng.multinomial(n_draws, self._shares)
        for first in range(0, len(draws), _BLOCKS_PER_CALL):
            blocks = slice(first, first + _BLOCKS_PER_CALL)
            n_words = int((-(-draws[blocks] // _DRAWS_PER_WORD)).sum())
            start = self._ends[first] - self._sizes[first]
            _resampling.count_draws(
                rng.integers(2**64 - 1, size=n_words, dtype=np.uint64, endpoint=True),
                draws[blocks],
                self._sizes[blocks],
                self._place[start:],
                counts,
            )


class Resampler:
    """Draws replicates of rows or clusters, the same ones for the curves of several scores.

    If ``stratified``, as many rows are drawn from each class as it has, otherwise as many from all
    rows as there are. Clusters are drawn from all clusters. A replicate in which a class is absent
    is drawn again. ``with_factors``, the factors of the rows of both classes follow the replicates.
    """

    def __init__(
        self, curves: Sequence[RocSteps], stratified: bool, *, with_factors: bool = False
    ) -> None:
        self._curves, self._stratified, self._with_factors = curves, stratified, with_factors
        steps = curves[0]
        self._n_pos, self._n_neg = count_units(steps)
        self._has_clusters = steps.n_clusters is not None
        self.n_rows = len(steps.pos.step) + len(steps.neg.step)
        # The rows of one curve, with weight 1, need no factors: they are counted at their steps.
        has_factors = len(curves) > 1 or with_factors or self._has_clusters
        self._is_direct = not has_factors and not steps.is_weighted
        if self._is_direct:
            self._urns = BlockSampler(steps.pos.step), BlockSampler(steps.neg.step)
        else:
            units = np.arange(max(self._n_pos, self._n_neg), dtype=np.uint32)
            self._urns = BlockSampler(units[: self._n_pos]), BlockSampler(units[: self._n_neg])

    def replicates(self, n: int, rng: np.random.Generator) -> Iterator[list[Any]]:
        """Yield n times a replicate for each curve; their arrays may be reused for the next."""
        tied = self._curves[0].tied
        pos, neg = np.empty(len(tied), np.uint32), np.empty(len(tied), np.uint32)
        for _ in range(n):
            if self._is_direct:
                sizes = self._draw_rows(rng, pos, neg)
                yield [Replicate(pos, neg, tied, *sizes)]
            else:
                yield self._draw_by_factors(rng)

    def _draw_by_factors(self, rng: np.random.Generator) -> list[Any]:
        while True:
            factors = self.factors(rng)
            drawn = [add_up(steps, *factors) for steps in self._curves]
            if drawn[0].n_pos > 0 and drawn[0].n_neg > 0:
                break
        return [*drawn, factors] if self._with_factors else drawn

    def factors(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return how often each unit of the positives and of the negatives is drawn."""
        drawn = np.zeros(self._n_pos, np.uint32)
        if self._has_clusters:
            self._urns[0].draw(self._n_pos, rng, drawn)
            return drawn, drawn
        others = np.empty(self._n_neg, np.uint32)
        self._draw_rows(rng, drawn, others)
        return drawn, others

    def _draw_rows(self, rng: np.random.Generator, pos: Units, neg: Units) -> tuple[int, int]:
        """Draw rows of each class, count them, and return how many were drawn."""
        n_pos, n = self._n_pos, self._n_pos + self._n_neg
        while not self._stratified:
            n_pos = int(rng.binomial(n, self._n_pos / n))
            if 0 < n_pos < n:
                break
        for urn, size, counts in zip(self._urns, (n_pos, n - n_pos), (pos, neg), strict=True):
            counts.fill(0)
            urn.draw(size, rng, counts)
        return n_pos, n - n_pos


def make_streams(rng: np.random.Generator, n: int) -> list[np.random.Generator]:
    """Return independent streams of random numbers, reproducible from the state of a generator.

    The first of them are the same, whatever their number.
    """
    entropy = rng.integers(2**32, size=4).tolist()
    seeds = (np.random.SeedSequence(entropy, spawn_key=(number,)) for number in range(n))
    return [np.random.Generator(np.random.SFC64(seed)) for seed in seeds]


def draw_in_streams(
    rng: np.random.Generator,
    n: int,
    n_of_stream: int,
    draw: Callable[[int, np.random.Generator], T],
    workers: Workers,
) -> list[T]:
    """Return what ``draw`` makes of each stream, in order, for n replicates in all.

    Each stream has its own replicates, so they do not depend on the threads, and increasing their
    number only appends replicates.
    """
    sizes = [min(n_of_stream, n - first) for first in range(0, n, n_of_stream)]
    pairs = zip(sizes, make_streams(rng, len(sizes)), strict=True)
    return workers.run_all([partial(draw, *pair) for pair in pairs])


def evaluate(
    resampler: Resampler,
    n_resamples: int,
    function: Callable[..., Any],
    rng: np.random.Generator,
    workers: Workers = SERIAL,
) -> Doubles:
    """Return an array of the values of a function of the replicates of each draw."""

    def draw(n: int, rng: np.random.Generator) -> list[Any]:
        return [function(*drawn) for drawn in resampler.replicates(n, rng)]

    if resampler.n_rows < _ROWS_FOR_THREADS:
        workers = SERIAL
    values = draw_in_streams(rng, n_resamples, _REPLICATES_PER_STREAM, draw, workers)
    return np.array([value for part in values for value in part])


# A user's statistics ------------------------------------------------------------------------------

Statistic = BootstrapStatistic | Callable[..., Any]


def find_custom_steps(
    sample: BinarySample, statistic: Callable[..., Any], takes: str, clusters: Units | None
) -> tuple[RocSteps, Callable[[Replicate], float]]:
    """Return the steps of a sample in order, and the function that computes a statistic.

    The rows of each class are drawn from the highest score down, as for the named statistics: the
    same seed draws the same rows for every statistic.
    """
    if takes == "counts":
        steps, thresholds = find_score_steps(sample, clusters)
        return steps, partial(_of_counts, statistic=statistic, thresholds=thresholds)
    each = np.arange(len(sample.label), dtype=np.uint32)
    steps = _steps_of(sample.label, each, sample.weight, np.ones(len(each), np.uint8), clusters)
    y_true, y_score = sample.label.astype(INT64), sample.order.restore(sample.score)
    return steps, partial(_of_rows, statistic=statistic, y_true=y_true, y_score=y_score)


def find_score_steps(sample: BinarySample, clusters: Units | None) -> tuple[RocSteps, Array]:
    """Return the steps of a sample in order, one for each distinct score, and these scores."""
    increasing, rank = np.unique(sample.score, return_inverse=True)
    # NumPy 2.0.0 has the shape of the scores.
    step = (len(increasing) - 1 - rank.reshape(-1)).astype(np.uint32)
    tied = np.ones(len(increasing), np.uint8)
    steps = _steps_of(sample.label, step, sample.weight, tied, clusters)
    return steps, sample.order.restore(increasing[::-1])


def _of_counts(drawn: Replicate, statistic: Callable[..., Any], thresholds: Array) -> float:
    """Return the statistic of the counts of a replicate."""
    present = np.flatnonzero((drawn.pos > 0) | (drawn.neg > 0))
    kind = np.float64 if drawn.pos.dtype == np.float64 else np.int64
    tps = np.cumsum(drawn.pos[present], dtype=kind)
    fps = np.cumsum(drawn.neg[present], dtype=kind)
    counts = ConfusionCounts(fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds[present])
    return _as_number(statistic(counts))


def _of_rows(
    drawn: Replicate, statistic: Callable[..., Any], y_true: Array, y_score: Array
) -> float:
    """Return the statistic of the rows of a replicate: repeated, or with weights."""
    amount = drawn.pos + drawn.neg
    if ((drawn.pos > 0) & (drawn.neg > 0)).any():
        # One more row, of the class that the row of its step does not have.
        amount = np.column_stack([drawn.pos, drawn.neg]).ravel()
        y_true, y_score = np.tile(np.array([1, 0], INT64), len(y_true)), np.repeat(y_score, 2)
    if amount.dtype == np.float64:
        present = np.flatnonzero(amount)
        return _as_number(
            statistic(y_true[present], y_score[present], sample_weight=amount[present])
        )
    rows = np.repeat(np.arange(len(amount)), amount)
    return _as_number(statistic(y_true[rows], y_score[rows]))


def _as_number(value: Any) -> float:
    """Return the value of a statistic; raise an error if it is not one real number."""
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value[()]
    if not isinstance(value, (numbers.Real, np.bool_)):
        shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        raise TypeError(
            f"The function given as statistic returned {type(value).__name__}{shape}: {value!r}; "
            "expected one real number."
        )
    return float(value)
