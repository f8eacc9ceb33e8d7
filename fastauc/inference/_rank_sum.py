"""The distribution of a sum of ranks if the labels are permuted (Wilcoxon, Mann and Whitney).

Exact by counting, with ties or without: rows of the rarer class are drawn from the levels one after
the other. With scores that hardly differ it is far from normal even in large samples; the normal
distribution is used only where its skewness and its kurtosis allow it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._pairs.sorted_rows import sort_rows
from fastauc._validation.arrays import INT64, Array
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._distributions import normal_tail
from fastauc.inference._placements import starts_group

EXACT, NORMAL, RANDOM = "exact", "normal", "random"

_MOST_STEPS = 2**27  # of the exact distribution, about a nanosecond each
# With both at this value, the tail at 0.1 % is less than twice that of the normal distribution, by
# the first terms of Edgeworth's series: 1 + 4.8 * 0.1 + 3.8 * 0.1.
_NEARLY_NORMAL = 0.1


def is_beyond(found: Array, observed: Any, alternative: str) -> Array:
    """Return which deviations are at least as extreme as the observed one."""
    if alternative == "two-sided":
        found, observed = np.abs(found), abs(observed)
    beyond: Array = found <= observed if alternative == "less" else found >= observed
    return beyond


class RankSums(NamedTuple):
    """What the permutations of labels depend on.

    Attributes
    ----------
    n_pos, n_neg : int
        The number of rows in each class.
    rarest : int
        The rows of the rarer class, which are drawn: the other has the remaining ranks.
    sizes, twice : int64 arrays
        The rows in each level, from the lowest, and twice its midrank: 2 for a row without ties.
    deviation : int
        How far twice the Mann-Whitney U statistic of the positives is from its mean.
    """

    n_pos: int
    n_neg: int
    rarest: int
    sizes: NDArray[np.int64]
    twice: NDArray[np.int64]
    deviation: int

    @classmethod
    def of(cls, sample: BinarySample, workers: Workers) -> RankSums:
        rows, (m, n) = sort_rows(sample, workers), (sample.n_pos, sample.n_neg)
        starts, packed = np.flatnonzero(starts_group(rows)), rows.packed
        positives = np.add.reduceat((packed & packed.dtype.type(1)).astype(INT64), starts)
        sizes = np.diff(starts, append=len(packed))
        twice = 2 * np.cumsum(sizes) - sizes + 1
        # In halves, whose products add up to less than 2^63.
        ranks = (int((twice >> 16) @ positives) << 16) + int((twice & 0xFFFF) @ positives)
        deviation = ranks - m * (m + n + 1)
        return cls(m, n, min(m, n), sizes, twice, deviation)

    @property
    def area(self) -> float:
        pairs = self.n_pos * self.n_neg
        return (self.deviation + pairs) / (2 * pairs)

    def _turns(self) -> tuple[list[tuple[int, int, int, int]], int]:
        """Return for each level its value, its rows, how many can be drawn, the number of sums.

        And the unit: values are distances from the lowest or the highest rank, in units, and
        increase. So no sum is greater than that many times the last value.
        """
        twice, sizes = self.twice, self.sizes
        if sizes[-1] > sizes[0]:  # many rows with a value of 0 have few sums
            twice, sizes = twice[::-1], sizes[::-1]
        distances = twice - twice[0]
        unit = int(np.gcd.reduce(distances)) or 1
        unit = -unit if distances[-1] < 0 else unit
        turns, width = [], 1
        for value, size in zip((distances // unit).tolist(), sizes.tolist(), strict=True):
            most = min(size, self.rarest)
            width = min(width + most * value, self.rarest * value + 1)
            turns.append((value, size, most, width))
        return turns, unit

    def is_exact_feasible(self) -> bool:
        """Return whether ``exact_pvalue`` takes few enough steps."""
        few, n_levels = self.rarest, len(self.sizes)
        # The k-th level has k sums or more, and at least two steps for each.
        if n_levels * (n_levels + 1) * (few + 1) > _MOST_STEPS:
            return False
        steps = sum((most + 1) * width for _, _, most, width in self._turns()[0])
        return steps * (few + 1) <= _MOST_STEPS

    def exact_pvalue(self, alternative: str) -> float:
        few, n_rows, (turns, unit) = self.rarest, self.n_pos + self.n_neg, self._turns()
        # How likely it is that j rows have been drawn whose values add up to s, but for a factor.
        # All terms are positive, so small probabilities have the same relative accuracy.
        table = np.ones((few + 1, 1))
        table[1:] = 0
        for value, size, most, width in turns:
            before, table = table, np.zeros((few + 1, width))
            for k, chance in enumerate(_binomial(size, few / n_rows, most)):
                added = before[: few + 1 - k, : max(0, width - k * value)]
                table[k:, k * value : k * value + added.shape[1]] += chance * added
        total = sum(value * size for value, size, _, _ in turns)
        # Of the ranks of the positives, which have what the rarer class does not have.
        sign = 1 if few == self.n_pos else -1
        deviations = sign * unit * (n_rows * np.arange(table.shape[1]) - few * total)
        chances = table[few] / table[few].sum()
        beyond = is_beyond(deviations, n_rows * self.deviation, alternative)
        return min(1.0, float(chances[beyond].sum()))

    def draw_deviations(self, n: int, rng: np.random.Generator) -> Array:
        """Return the deviations of so many random permutations."""
        twice = np.repeat(self.twice, self.sizes)
        drawn = (rng.choice(twice, self.rarest, replace=False, shuffle=False) for _ in range(n))
        sums = np.array([int(ranks.sum()) for ranks in drawn])
        return (1 if self.rarest == self.n_pos else -1) * (sums - self.rarest * (len(twice) + 1))

    def _moment(self, power: int) -> float:
        """Return the mean of a power of the distances of doubled ranks from their mean."""
        n_rows = self.n_pos + self.n_neg
        return float(self.sizes @ (self.twice - (n_rows + 1.0)) ** power) / n_rows

    def is_nearly_normal(self) -> bool:
        """Return whether the sum is so nearly normal that its tail at 0.1 % is."""
        variance, third, fourth = map(self._moment, (2, 3, 4))
        if variance == 0:
            return True
        # Of draws without replacement; the terms in 1 / n are left out.
        drawn = self.rarest / (self.n_pos + self.n_neg)
        spread = self.rarest * (1 - drawn)
        skewness = third / variance**1.5 * (1 - 2 * drawn) / math.sqrt(spread)
        kurtosis = fourth / variance**2 * (1 - 6 * drawn * (1 - drawn)) - 3 * (1 - 2 * drawn) ** 2
        return abs(skewness) < _NEARLY_NORMAL and kurtosis / spread < _NEARLY_NORMAL

    def normal_pvalue(self, alternative: str) -> float:
        """Return the p-value with the continuity correction of half a pair."""
        variance = self._moment(2) * self.n_pos * self.n_neg / (self.n_pos + self.n_neg - 1)
        if variance == 0:
            return 1.0
        deviation = -self.deviation if alternative == "less" else self.deviation
        if alternative == "two-sided":
            return min(1.0, 2 * normal_tail((abs(deviation) - 1) / math.sqrt(variance)))
        return normal_tail((deviation - 1) / math.sqrt(variance))


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
