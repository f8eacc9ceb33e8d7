"""The distribution of a sum of ranks if the labels are permuted (Wilcoxon, Mann and Whitney).

Exact by counting, with ties or without: rows of the rarer class are drawn from the levels one after
the other. With scores that hardly differ it is far from normal even in large samples; the normal
distribution is used only where its skewness and its kurtosis allow it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import resampling as _resampling
from fastauc._pairs.sorted_rows import sort_rows
from fastauc._validation.arrays import INT64
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._distributions import normal_tail
from fastauc.inference._exchanges import count_beyond
from fastauc.inference._placements import group_starts

NORMAL = "normal"
_MOST_STEPS = 2**27  # of the exact distribution, about a nanosecond each
# With both at this value, the tail at 0.1 % is less than twice that of the normal distribution, by
# the first terms of Edgeworth's series: 1 + 4.8 * 0.1 + 3.8 * 0.1.
_NEARLY_NORMAL = 0.1


class _Turn(NamedTuple):
    """A level of which rows are drawn: their value, how many there are, how many can be drawn.

    ``low`` and ``high`` are the least and the greatest sum of values then.
    """

    value: int
    size: int
    most: int
    low: int
    high: int


class RankSums(NamedTuple):
    """What the permutations of labels depend on.

    Attributes
    ----------
    n_pos, n_neg : int
        The number of rows in each class.
    sizes, n_positives : int64 arrays
        Rows and positives in each level, in increasing order.
    """

    n_pos: int
    n_neg: int
    sizes: NDArray[np.int64]
    n_positives: NDArray[np.int64]

    @classmethod
    def of(cls, sample: BinarySample, workers: Workers) -> RankSums:
        rows = sort_rows(sample, workers)
        starts, packed = group_starts(rows), rows.packed
        positives = np.add.reduceat((packed & packed.dtype.type(1)).astype(INT64), starts)
        return cls(sample.n_pos, sample.n_neg, np.diff(starts, append=len(packed)), positives)

    @property
    def rarest(self) -> int:
        """The rows of the rarer class, which are drawn: the other has the remaining ranks."""
        return min(self.n_pos, self.n_neg)

    @property
    def sign(self) -> int:
        """1 if the positives are rarer, otherwise -1."""
        return 1 if self.rarest == self.n_pos else -1

    @property
    def twice(self) -> NDArray[np.int64]:
        """Twice the midrank of each level; 2 for the lowest row if it is not tied."""
        ends: NDArray[np.int64] = np.cumsum(self.sizes)
        return 2 * ends - self.sizes + 1

    @property
    def twice_u(self) -> int:
        """Twice the Mann-Whitney U statistic of the positives."""
        ranks = _resampling.sum_products(self.twice, self.n_positives)
        return ranks - self.n_pos * (self.n_pos + 1)

    @property
    def deviation(self) -> int:
        """How far ``twice_u`` is from its mean."""
        return self.twice_u - self.n_pos * self.n_neg

    def _turns(self) -> tuple[list[_Turn], int]:
        """Return how the rows of the rarer class are drawn, and the unit of their values.

        Values are the ranks less that of the largest level, which is the first; then the nearest.
        """
        values = self.twice - self.twice[np.argmax(self.sizes)]
        unit = int(np.gcd.reduce(values)) or 1
        values //= unit
        order = np.argsort(np.abs(values), kind="stable")
        turns, low, high = [], 0, 0
        for value, size in zip(values[order].tolist(), self.sizes[order].tolist(), strict=True):
            most = min(size, self.rarest)
            # No value up to here is greater, and no more rows are drawn.
            low = max(low + most * value, self.rarest * value) if value < 0 else low
            high = min(high + most * value, self.rarest * value) if value > 0 else high
            turns.append(_Turn(value, size, most, low, high))
        return turns, unit

    def is_exact_feasible(self) -> bool:
        """Return whether ``exact_pvalue`` takes few enough steps."""
        turns, _ = self._turns()
        steps = sum((turn.most + 1) * (turn.high - turn.low + 1) for turn in turns)
        return steps * (self.rarest + 1) <= _MOST_STEPS

    def exact_pvalue(self, alternative: str) -> float:
        few, n_rows = self.rarest, self.n_pos + self.n_neg
        turns, unit = self._turns()
        # How likely it is that j rows have been drawn whose values add up to s, but for a factor.
        # All terms are positive, so small probabilities have the same relative accuracy.
        table, low, high = np.zeros((few + 1, 1)), 0, 0
        table[0, 0] = 1.0
        for turn in turns:
            after = np.zeros((few + 1, turn.high - turn.low + 1))
            for k, chance in enumerate(_binomial(turn.size, few / n_rows, turn.most)):
                shift = k * turn.value
                begin, stop = max(turn.low, low + shift), min(turn.high, high + shift) + 1
                added = table[: few + 1 - k, begin - shift - low : stop - shift - low]
                after[k:, begin - turn.low : stop - turn.low] += chance * added
            table, low, high = after, turn.low, turn.high
        total = sum(turn.value * turn.size for turn in turns)
        deviations = self.sign * (n_rows * np.arange(low, high + 1) - few * total)
        observed = self.deviation * n_rows // unit
        chances = table[few] / table[few].sum()
        if alternative == "two-sided":
            is_beyond = np.abs(deviations) >= abs(observed)
        else:
            is_beyond = deviations <= observed if alternative == "less" else deviations >= observed
        return float(chances[is_beyond].sum())

    def is_nearly_normal(self) -> bool:
        """Return whether the sum is so nearly normal that its tail at 0.1 % is."""
        n, few = self.n_pos + self.n_neg, self.rarest
        share, values = self.sizes / n, self.twice.astype(np.float64)
        values -= share @ values
        variance = share @ values**2
        if variance == 0:
            return True
        # Of draws without replacement; the terms in 1 / n are left out.
        drawn = few / n
        spread = few * (1 - drawn)
        skewness = share @ values**3 / variance**1.5 * (1 - 2 * drawn) / math.sqrt(spread)
        kurtosis = (share @ values**4 / variance**2) * (1 - 6 * drawn * (1 - drawn)) / spread
        kurtosis -= 3 * (1 - 2 * drawn) ** 2 / spread
        return bool(abs(skewness) < _NEARLY_NORMAL and kurtosis < _NEARLY_NORMAL)

    def normal_pvalue(self, alternative: str) -> float:
        """Return the p-value with the continuity correction of half a pair."""
        n_pos, n_neg, sizes, _ = self
        n = n_pos + n_neg
        # Fewer than 2^32 rows: a cube may need more than 64 bits.
        ties = sum(size**3 - size for size in sizes[sizes > 1].tolist())
        variance = n_pos * n_neg * (n * (n * n - 1) - ties) / (12 * n * (n - 1))
        if variance == 0:
            return 1.0
        deviation = self.deviation / 2
        if alternative == "two-sided":
            return min(1.0, 2 * normal_tail((abs(deviation) - 0.5) / math.sqrt(variance)))
        if alternative == "less":
            deviation = -deviation
        return normal_tail((deviation - 0.5) / math.sqrt(variance))

    def count_drawn_beyond(
        self, alternative: str, n_resamples: int, generator: np.random.Generator
    ) -> int:
        """Return how many random permutations deviate at least as much as the sample."""
        twice = np.repeat(self.twice, self.sizes)
        mean = self.rarest * (len(twice) + 1)
        drawn = (
            int(generator.choice(twice, self.rarest, replace=False, shuffle=False).sum())
            for _ in range(n_resamples)
        )
        deviations = (self.sign * (ranks - mean) for ranks in drawn)
        return count_beyond(deviations, self.deviation, alternative)


def _binomial(size: int, share: float, most: int) -> list[float]:
    """Return the chances of 0, 1, ... successes, over the greatest of them.

    From there outwards: neither the chance of no success nor that of many need be a double.
    """
    odds, mode = share / (1 - share), min(most, int((size + 1) * share))
    chances = [1.0] * (most + 1)
    for k in range(mode, most):
        chances[k + 1] = chances[k] * (size - k) / (k + 1) * odds
    for k in range(mode, 0, -1):
        chances[k - 1] = chances[k] * k / (size - k + 1) / odds
    return chances
