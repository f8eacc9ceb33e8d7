"""Gain, lift and profit by the share of the rows that are predicted positive: curves and tables.

All of them have the share of the rows on the x axis: the rows with the highest scores are selected
first. Rows with equal scores are selected together, and any part of them contains the classes in
proportion: between the ends of two steps, every curve except the lift is linear.
"""

import math
from fractions import Fraction
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.result_table import ResultTable
from fastauc._counts.roc import area
from fastauc._counts.threshold_counts import ThresholdCounts, prepend, rates_of
from fastauc._validation.arrays import Array, as_fraction, opposite
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.literals import Ties
from fastauc._validation.options import check_bins_of_rows, check_both_or_none, check_literal

# Negatives and positives: integers, or fractions if rows have weights or are divided.
_Counts = tuple[int | Fraction, int | Fraction]
Points = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def shares(counts: ThresholdCounts) -> NDArray[np.float64]:
    """Return the share of the rows in each step or above it, starting at 0."""
    rows = counts.fps + counts.tps
    return prepend(0, rows / rows[-1])


def gain_points(counts: ThresholdCounts) -> Points:
    """Return ``share, tpr, thresholds``, from (0, 0) at threshold infinity."""
    warn_if_undefined(counts.tps[-1], 1)
    return shares(counts), rates_of(counts.tps), prepend(math.inf, counts.lows)


def lift_points(counts: ThresholdCounts) -> Points:
    """Return ``share, lift, thresholds``; the lift at 0 is that of the first step.

    The gain starts with a line through (0, 0), so this is its limit. For row counts below 2^26, the
    products are exact in doubles, and a lift is rounded only once.
    """
    share, lift, thresholds = gain_points(counts)
    if counts.tps[-1] > 0 and not counts.is_weighted and counts.total < 2**26:
        responses = counts.tps * int(counts.total)
        np.divide(responses, (counts.tps + counts.fps) * counts.tps[-1], out=lift[1:])
    else:
        np.divide(lift[1:], share[1:], out=lift[1:])
    lift[0] = lift[1]
    return share, lift, thresholds


def ks_points(counts: ThresholdCounts) -> tuple[NDArray[np.float64], *Points]:
    """Return ``share, tpr, fpr, thresholds``, from (0, 0, 0) at threshold infinity."""
    warn_if_undefined(counts.tps[-1], counts.fps[-1])
    tpr, fpr = rates_of(counts.tps), rates_of(counts.fps)
    return shares(counts), tpr, fpr, prepend(math.inf, counts.lows)


def profit_points(counts: ThresholdCounts, cost: float, revenue: float) -> Points:
    """Return ``share, profit, thresholds``, from (0, 0) at threshold infinity.

    Each row costs ``cost``, and each positive brings ``revenue``.
    """
    profit = float(revenue) * counts.tps - float(cost) * (counts.tps + counts.fps)
    return shares(counts), prepend(0, profit), prepend(math.inf, counts.lows)


# Metrics ----------------------------------------------------------------------------------------


def gain_of_area(area: Fraction, n_pos: Fraction, n_neg: Fraction) -> Fraction:
    """Return the area under the gain curve from the AUC.

    The share of the rows is x = p1 tpr + p0 fpr, so the integral of tpr over x is p1 / 2 + p0 AUC.
    """
    return (n_pos / 2 + n_neg * area) / (n_pos + n_neg)


def gain_area(counts: ThresholdCounts) -> float:
    """Return the area under the gain curve; NaN, with a warning, if a class has no rows."""
    if warn_if_undefined(counts.tps[-1], counts.fps[-1]):
        return math.nan
    n_neg, n_pos = counts.totals
    return float(gain_of_area(area(counts.fps, counts.tps), n_pos, n_neg))


def gain_of_share(counts: ThresholdCounts, share: Any) -> float:
    """Return the share of the positives in the top share of the rows."""
    if warn_if_undefined(counts.tps[-1], 1):
        return math.nan
    return float(_gain(counts, counts.exact_share(share)))


def lift_of_share(counts: ThresholdCounts, share: Any) -> float:
    """Return the gain divided by the share of the rows; for a share of 0, the limit."""
    if warn_if_undefined(counts.tps[-1], 1):
        return math.nan
    share = counts.exact_share(share) or counts.rows_to(0) / counts.total
    return float(_gain(counts, share) / share)


def _gain(counts: ThresholdCounts, share: Fraction) -> Fraction:
    return counts.positives_among(share * counts.total)[0] / counts.totals[1]


# The table ---------------------------------------------------------------------------------------


class TableOptions(NamedTuple):
    """The options of a gains table."""

    bins: int
    ties: str
    cost: Any = None
    revenue: Any = None


def check_table(options: TableOptions, function: str) -> None:
    """Reject invalid options."""
    check_bins_of_rows(options.bins, None, function)
    check_literal(options.ties, "ties", Ties, function)
    check_both_or_none({"cost": options.cost, "revenue": options.revenue}, function)


def ideal_borders(total: Fraction, bins: int) -> list[Fraction]:
    """Return the number of top rows in the first k bins, for each k."""
    return [Fraction(k, bins) * total for k in range(1, bins + 1)]


def tabulate(
    counts: ThresholdCounts, options: TableOptions, n_rows: int | None, function: str
) -> ResultTable:
    """Return the table; NaN, with a warning, in the columns of a class without rows.

    ``n_rows`` is None if only sums of weights are known. Every number is a quotient of exact
    values, rounded once.
    """
    check_table(options, function)
    check_bins_of_rows(options.bins, n_rows, function)
    warn_if_undefined(counts.tps[-1], counts.fps[-1])
    borders = ideal_borders(counts.total, int(options.bins))
    if options.ties == "group":
        borders = [counts.nearest_end(border) for border in borders]
        borders = sorted(set(borders) - {Fraction(0)})
    elif counts.is_mixed is not None:
        _refuse_cuts(counts, borders, function)
    columns = _columns(counts, borders, options)
    is_whole = _is_whole(counts, options)
    return ResultTable(
        {name: _as_array(name, values, is_whole) for name, values in columns.items()}
    )


def in_own_scale(table: ResultTable) -> ResultTable:
    """Return a table of negated scores with the original scores."""
    ends = {"min_score": opposite(table["max_score"]), "max_score": opposite(table["min_score"])}
    return ResultTable(dict(table) | ends)


_COUNTS = ("n", "n_pos", "n_neg")


def _is_whole(counts: ThresholdCounts, options: TableOptions) -> bool:
    """Return whether every bin has a whole number of rows."""
    return options.ties == "group" and not counts.is_weighted


def _as_array(name: str, values: list[Any], is_whole: bool) -> Array:
    if name == "bin" or (name in _COUNTS and is_whole):
        return np.array(values, dtype=np.int64)
    if name in ("min_score", "max_score"):
        return np.array(values)
    return np.array([float(value) for value in values])


def _refuse_cuts(counts: ThresholdCounts, borders: list[Fraction], function: str) -> None:
    """Reject edges that split the rows of a histogram bin, whose order is unknown."""
    assert counts.is_mixed is not None
    for border in borders:
        step = counts.find(border)
        if counts.is_mixed[step] and counts.rows_to(step) != border:
            raise ValueError(
                f"ties='split' of {function} would cut the bin of the scores from "
                f"{counts.lows.item(step)!r} to {counts.highs.item(step)!r}, "
                "in which the order of the rows is unknown; expected ties='group', or "
                "finer bins."
            )


def _columns(
    counts: ThresholdCounts, borders: list[Fraction], options: TableOptions
) -> dict[str, list[Any]]:
    """Return the columns of the bins that end at the edges, the last of which is all rows."""
    found = [counts.find(border) for border in borders]
    ends: list[_Counts] = [counts.counts_at(*end) for end in zip(borders, found, strict=True)]
    if _is_whole(counts, options):
        # Quotients of integers are rounded once as well, in a tenth of the time.
        ends = [(int(fp), int(tp)) for fp, tp in ends]
    fps, tps = map(list, zip(*ends, strict=True))
    n_neg, n_pos = ends[-1]
    total = n_neg + n_pos
    neg, pos = ([end - before for before, end in pairwise([0, *sums])] for sums in (fps, tps))
    rows, cum_rows = (
        [sum(both) for both in zip(*sides, strict=True)] for sides in ((neg, pos), (fps, tps))
    )
    firsts = [0, *[counts.find_next(border) for border in borders[:-1]]]
    columns = {
        "bin": list(range(1, len(borders) + 1)),
        "n": rows,
        "share": _quotients(rows, total),
        "cum_share": _quotients(cum_rows, total),
        "min_score": [counts.lows.item(step) for step in found],
        "max_score": [counts.highs.item(step) for step in firsts],
        "response_rate": _quotients(pos, rows),
        "cum_response_rate": _quotients(tps, cum_rows),
        "n_pos": pos,
        "pos_share": _quotients(pos, n_pos),
        "cum_pos_share": _quotients(tps, n_pos),
        "n_neg": neg,
        "neg_share": _quotients(neg, n_neg),
        "cum_neg_share": _quotients(fps, n_neg),
        "ks": _quotients([tp * n_neg - fp * n_pos for fp, tp in ends], n_pos * n_neg),
        "lift": _quotients([n * total for n in pos], [n * n_pos for n in rows]),
        "cum_lift": _quotients([n * total for n in tps], [n * n_pos for n in cum_rows]),
    }
    if options.cost is not None:
        cost, revenue = as_fraction(options.cost), as_fraction(options.revenue)
        for prefix, chosen, responses in (("", rows, pos), ("cum_", cum_rows, tps)):
            spend, income = [cost * n for n in chosen], [revenue * n for n in responses]
            profit = [gained - spent for gained, spent in zip(income, spend, strict=True)]
            money = {"spend": spend, "income": income, "profit": profit}
            money["roi"] = _quotients(profit, spend)
            columns |= {f"{prefix}{name}": values for name, values in money.items()}
    return columns


def _quotients(parts: list[Any], wholes: Any) -> list[float]:
    """Return quotients by a single number or by one each, rounded once; 0 / 0 is NaN."""
    each = wholes if isinstance(wholes, list) else repeat(wholes)
    return [
        float(part / whole) if whole else math.nan for part, whole in zip(parts, each, strict=False)
    ]
