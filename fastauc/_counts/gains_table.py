"""The gains table: rows in bins of equal size, from the highest scores down."""

import math
from fractions import Fraction
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from fastauc._counts.gains import ThresholdCounts
from fastauc._counts.result_table import ResultTable
from fastauc._validation.arrays import Array, as_fraction, opposite
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.options import check_bins_of_rows, check_both_or_none, check_option

TIES = ("group", "split")
# Negatives and positives: integers, or fractions if rows have weights or are divided.
_Counts = tuple[int | Fraction, int | Fraction]


class Bins(NamedTuple):
    """The options of a gains table."""

    bins: int
    ties: str
    cost: Any = None
    revenue: Any = None


def check_table(options: Bins, function: str) -> None:
    """Reject invalid options."""
    check_bins_of_rows(options.bins, None, function)
    check_option(options.ties, "ties", TIES, function)
    check_both_or_none({"cost": options.cost, "revenue": options.revenue}, function)


def ideal_borders(total: Fraction, bins: int) -> list[Fraction]:
    """Return the number of top rows in the first k bins, for each k."""
    return [Fraction(k, bins) * total for k in range(1, bins + 1)]


def tabulate(
    groups: ThresholdCounts, options: Bins, n_rows: int | None, function: str
) -> ResultTable:
    """Return the table; NaN, with a warning, in the columns of a class without rows.

    ``n_rows`` is None if only sums of weights are known. Every number is a quotient of exact
    values, rounded once.
    """
    check_table(options, function)
    check_bins_of_rows(options.bins, n_rows, function)
    warn_if_undefined(groups.tps[-1], groups.fps[-1])
    borders = ideal_borders(groups.total, int(options.bins))
    if options.ties == "group":
        borders = [groups.nearest_end(border) for border in borders]
        borders = sorted(set(borders) - {Fraction(0)})
    elif groups.is_mixed is not None:
        _refuse_cuts(groups, borders, function)
    columns = _columns(groups, borders, options)
    is_whole = _is_whole(groups, options)
    return ResultTable(
        {name: _as_array(name, values, is_whole) for name, values in columns.items()}
    )


def in_own_scale(table: ResultTable) -> ResultTable:
    """Return a table of negated scores with the original scores."""
    ends = {"min_score": opposite(table["max_score"]), "max_score": opposite(table["min_score"])}
    return ResultTable(dict(table) | ends)


_COUNTS = ("n", "n_pos", "n_neg")


def _is_whole(groups: ThresholdCounts, options: Bins) -> bool:
    """Return whether every bin has a whole number of rows."""
    return options.ties == "group" and not groups.is_weighted


def _as_array(name: str, values: list[Any], is_whole: bool) -> Array:
    if name == "bin" or (name in _COUNTS and is_whole):
        return np.array(values, dtype=np.int64)
    if name in ("min_score", "max_score"):
        return np.array(values)
    return np.array([float(value) for value in values])


def _refuse_cuts(groups: ThresholdCounts, borders: list[Fraction], function: str) -> None:
    """Reject edges that split the rows of a histogram bin, whose order is unknown."""
    assert groups.is_mixed is not None
    for border in borders:
        group = groups.find(border)
        if groups.is_mixed[group] and groups.rows_to(group) != border:
            raise ValueError(
                f"ties='split' of {function} would cut the bin of the scores from "
                f"{groups.lows.item(group)!r} to {groups.highs.item(group)!r}, "
                "in which the order of the rows is unknown; expected ties='group', or "
                "finer bins."
            )


def _columns(
    groups: ThresholdCounts, borders: list[Fraction], options: Bins
) -> dict[str, list[Any]]:
    """Return the columns of the bins that end at the edges, the last of which is all rows."""
    found = [groups.find(border) for border in borders]
    counts: list[_Counts] = [groups.counts_at(*end) for end in zip(borders, found, strict=True)]
    if _is_whole(groups, options):
        # Quotients of integers are rounded once as well, in a tenth of the time.
        counts = [(int(fp), int(tp)) for fp, tp in counts]
    fps, tps = map(list, zip(*counts, strict=True))
    n_neg, n_pos = counts[-1]
    total = n_neg + n_pos
    neg, pos = ([end - before for before, end in pairwise([0, *sums])] for sums in (fps, tps))
    rows, cum_rows = (
        [sum(both) for both in zip(*sides, strict=True)] for sides in ((neg, pos), (fps, tps))
    )
    firsts = [0, *[groups.find_next(border) for border in borders[:-1]]]
    columns = {
        "bin": list(range(1, len(borders) + 1)),
        "n": rows,
        "share": _quotients(rows, total),
        "cum_share": _quotients(cum_rows, total),
        "min_score": [groups.lows.item(group) for group in found],
        "max_score": [groups.highs.item(group) for group in firsts],
        "response_rate": _quotients(pos, rows),
        "cum_response_rate": _quotients(tps, cum_rows),
        "n_pos": pos,
        "pos_share": _quotients(pos, n_pos),
        "cum_pos_share": _quotients(tps, n_pos),
        "n_neg": neg,
        "neg_share": _quotients(neg, n_neg),
        "cum_neg_share": _quotients(fps, n_neg),
        "ks": _quotients([tp * n_neg - fp * n_pos for fp, tp in counts], n_pos * n_neg),
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
