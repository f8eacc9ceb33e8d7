"""What is certain about the gain of a sample of which only the cells of the rows are known."""

from bisect import bisect_left
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from fastauc._counts.areas import exact
from fastauc._counts.methods import GainMethods
from fastauc._streaming.bounds import (
    UNDEFINED,
    CellSums,
    ScoreInterval,
    area_bounds,
    interval_of,
    pairs_of_cells,
    widen,
)
from fastauc._validation.options import check_share


class BoundedGains(GainMethods):
    """The numbers among the shared methods, as intervals of what may be inside the cells."""

    __slots__ = ()

    def _sums(self) -> tuple[Any, CellSums]:
        raise NotImplementedError

    def gain_score(self) -> ScoreInterval:
        """Return the area under the gain curve.

        NaN, with an ``UndefinedMetricWarning``, for a class without rows.
        """
        return gain_score_interval(self._sums()[1])

    def gain_at(self, share: float) -> ScoreInterval:
        """Return the share of the positives that are among this share of the rows, the best.

        NaN, with an ``UndefinedMetricWarning``, for a class without rows.
        """
        check_share(share, "gain_at")
        return gain_interval(self._sums()[1], exact(share), Fraction(1))

    def lift_at(self, share: float) -> ScoreInterval:
        """Return the gain at a share of the rows above 0, divided by the share.

        NaN, with an ``UndefinedMetricWarning``, for a class without rows.
        """
        check_share(share, "lift_at", zero=False)
        return gain_interval(self._sums()[1], exact(share), exact(share))


def gain_score_interval(cells: CellSums) -> ScoreInterval:
    """Return the area under the gain curve: 1/2 + p0 (A - 1/2) for the area A of the ROC curve."""
    if not cells.has_both():
        return UNDEFINED
    areas = area_bounds(pairs_of_cells(cells), cells.totals, cells.n_rounded)
    n_neg, n_pos = cells.totals
    # All weights together are off by this at the most.
    off = Fraction(cells.n_rounded, 2)
    least = max(n_neg - off, Fraction(0)) / (n_neg + n_pos + off)
    rest = n_neg + n_pos - off
    most = min((n_neg + off) / rest, Fraction(1)) if rest > 0 else Fraction(1)
    half = Fraction(1, 2)
    corners = [half + p0 * (area - half) for area, p0 in product(areas, (least, most))]
    return interval_of(min(corners), max(corners))


def gain_interval(cells: CellSums, share: Fraction, divisor: Fraction) -> ScoreInterval:
    """Return the gain at a share of the rows, by a divisor.

    If weights are off by a total of e, the rows to a cut are off by e, and so are the positives
    among them and the number of rows to cut at: at the cut, the positives are off by 3 e.
    """
    if not cells.has_both():
        return UNDEFINED
    n_neg, n_pos = cells.totals
    off = Fraction(cells.n_rounded, 2)
    least, most = _positives_among(cells, share * (n_neg + n_pos))
    lower, upper = widen(least, most, 3 * off, (n_pos - off, n_pos + off))
    return interval_of(lower / divisor, upper / divisor)


def _positives_among(cells: CellSums, position: Fraction) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest number of positives among so many of the best rows."""
    if position == 0:
        return Fraction(0), Fraction(0)
    pos, neg, several = (values[::-1] for values in (cells.pos, cells.neg, cells.several))
    tps, fps = np.cumsum(pos), np.cumsum(neg)
    cell = bisect_left(range(len(pos)), position, key=lambda k: Fraction(int(tps[k]) + int(fps[k])))
    p, n = int(pos[cell]), int(neg[cell])
    before = int(tps[cell]) - p
    taken = position - before - (int(fps[cell]) - n)
    if several[cell]:
        return before + max(taken - n, Fraction(0)), before + min(taken, Fraction(p))
    among = before + taken * p / (p + n)
    return among, among
