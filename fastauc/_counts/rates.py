"""The exact counts that a given rate stands for.

A rate is given as a double, and the double 0.3 is slightly less than 3 / 10. So a double stands for
every share k / n that rounds to it: 0.3 matches 3 of 10 rows. A fraction stands for itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array, as_fraction
from fastauc._validation.options import RateRange


def exact_rate(rate: Fraction, n: Any) -> Fraction:
    """Return the share k / n of n rows, or of their weight, that a rate stands for, or the rate.

    Below 2^52 rows, there is at most one such share. Of weights with a sum of 5 - 2^-52, the whole
    number 5 would be a share above 1.
    """
    if rate in (0, 1):
        return rate
    n = as_fraction(n)
    share = round(rate * n) / n
    return share if float(share) == rate else rate


def exact_part(part: RateRange, n_neg: Any, n_pos: Any) -> RateRange:
    """Return the range between the exact rates that the ends of a range stand for."""
    n = n_neg if part.rate == "fpr" else n_pos
    return part._replace(lower=exact_rate(part.lower, n), upper=exact_rate(part.upper, n))


def counts_at(rate: Fraction, counts: Array) -> tuple[Fraction, Fraction]:
    """Return the lowest and the highest count that a rate stands for, up to the total.

    For rows, these are equal. For sums of weights, several thresholds may be at the rate.
    """
    if counts.dtype.kind == "f":
        total = float(counts[-1])

        def rounded(count: Any) -> Any:
            return float(count) / total

        first, stop = (search(counts, rate, key=rounded) for search in (bisect_left, bisect_right))
        if first < stop:
            return as_fraction(counts[first]), as_fraction(counts[stop - 1])
    count = exact_rate(rate, counts[-1]) * as_fraction(counts[-1])
    return count, count


def greatest_counts(rates: NDArray[np.float64], total: int | float) -> NDArray[np.float64]:
    """Return for each rate the highest count, or sum of weights, that does not exceed it."""
    if isinstance(total, int):
        counts = np.floor(rates * total) + 1
        for _ in range(2):
            counts -= counts / total > rates
        return counts
    sums = np.nextafter(rates * total, 0)
    for _ in range(3):
        beyond = np.nextafter(sums, np.inf)
        sums = np.where(beyond / total <= rates, beyond, sums)
    return sums
