"""The rows of a gains table: the best rows, the next ones, and so on, in bins of equal size."""

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fastauc._counts.gains import ThresholdCounts, share_or_nan
from fastauc._counts.result_table import ResultTable
from fastauc._counts.roc import as_fraction
from fastauc._validation.arrays import Array, as_python
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.options import check_bins_of_rows, check_money, check_option

TIES = ("group", "split")
# Negatives and positives: integers, or fractions where rows have weights or are divided.
_Counts = tuple[int | Fraction, int | Fraction]


class Bins(NamedTuple):
    """The options of a gains table."""

    bins: int
    ties: str
    cost: Any = None
    revenue: Any = None


def check_table(options: Bins, function: str) -> None:
    """Refuse options outside their domain."""
    check_bins_of_rows(options.bins, None, function)
    check_option(options.ties, "ties", TIES, function)
    check_money(options.cost, options.revenue, function)


def ideal_borders(total: Fraction, bins: int) -> list[Fraction]:
    """Return how many of the best rows are in the first bins, for each number of bins."""
    return [Fraction(k, bins) * total for k in range(1, bins + 1)]


def tabulate(
    groups: ThresholdCounts, options: Bins, n_rows: int | None, function: str
) -> ResultTable:
    """Return the table; a warning and NaN in the columns of a class without rows.

    ``n_rows`` is None where only sums of weights are known. Every number is a quotient of exact
    ones, rounded once.
    """
    check_table(options, function)
    check_bins_of_rows(options.bins, n_rows, function)
    warn_if_undefined(groups.tps[-1], groups.fps[-1])
    borders = ideal_borders(groups.total, int(options.bins))
    if options.ties == "group":
        borders = [_nearest_end(groups, border) for border in borders]
        borders = sorted(set(borders) - {Fraction(0)})
    elif groups.is_mixed is not None:
        _refuse_cuts(groups, borders, function)
    columns = _columns(groups, borders, options)
    is_whole = _is_whole(groups, options)
    return ResultTable(
        {name: _as_array(name, values, is_whole) for name, values in columns.items()}
    )


_COUNTS = ("n", "n_pos", "n_neg")


def _is_whole(groups: ThresholdCounts, options: Bins) -> bool:
    """Tell whether the rows of every bin are a whole number."""
    return options.ties == "group" and not groups.is_weighted


def _as_array(name: str, values: list[Any], is_whole: bool) -> Array:
    if name == "bin" or (name in _COUNTS and is_whole):
        return np.array(values, dtype=np.int64)
    if name in ("min_score", "max_score"):
        return np.array(values)
    return np.array([float(value) for value in values])


def _nearest_end(groups: ThresholdCounts, border: Fraction) -> Fraction:
    """Return the rows to the end of a group that is nearest to a border; the fewer of two."""
    group = groups.find(border)
    before, end = groups.rows_to(group - 1), groups.rows_to(group)
    return before if 2 * border <= before + end else end


def _refuse_cuts(groups: ThresholdCounts, borders: list[Fraction], function: str) -> None:
    """Refuse to share out the rows of a cell of which nobody knows in what order they are."""
    assert groups.is_mixed is not None
    for border in borders:
        group = groups.find(border)
        if groups.is_mixed[group] and groups.rows_to(group) != border:
            raise ValueError(
                f"ties='split' of {function} would cut the cell of the scores from "
                f"{as_python(groups.lows[group])!r} to {as_python(groups.highs[group])!r}, "
                "in which the order of the rows is not known; expected ties='group', or "
                "finer cells."
            )


def _columns(
    groups: ThresholdCounts, borders: list[Fraction], options: Bins
) -> dict[str, list[Any]]:
    """Return the columns of the bins that end at the borders, the last of which is all rows."""
    found = [groups.find(border) for border in borders]
    counts: list[_Counts] = [groups.counts_at(*end) for end in zip(borders, found, strict=True)]
    if _is_whole(groups, options):
        # Quotients of integers are rounded once as well, and take a tenth of the time.
        counts = [(int(fp), int(tp)) for fp, tp in counts]
    n_neg, n_pos = counts[-1]
    ends = [(0 * n_neg, 0 * n_pos), *counts]
    columns: dict[str, list[Any]] = {"bin": list(range(1, len(borders) + 1))}
    amounts = [_row(before, end, (n_neg, n_pos)) for before, end in pairwise(ends)]
    for name in amounts[0]:
        columns[name] = [row[name] for row in amounts]
        if name == "cum_share":
            columns["min_score"] = [as_python(groups.lows[group]) for group in found]
            # The rows of a bin begin in the group after the one that the bin before it ends with.
            firsts = [
                0,
                *(
                    group + (groups.rows_to(group) == border)
                    for border, group in zip(borders[:-1], found[:-1], strict=True)
                ),
            ]
            columns["max_score"] = [as_python(groups.highs[group]) for group in firsts]
    if options.cost is not None:
        cost, revenue = as_fraction(options.cost), as_fraction(options.revenue)
        money = [_money(before, end, cost, revenue) for before, end in pairwise(ends)]
        columns |= {name: [row[name] for row in money] for name in money[0]}
    return columns


def _row(before: _Counts, end: _Counts, totals: _Counts) -> dict[str, Fraction | float]:
    """Return the numbers of a bin from the negatives and the positives above and to its end."""
    (fp, tp), (n_neg, n_pos) = end, totals
    total = n_neg + n_pos
    neg, pos = fp - before[0], tp - before[1]
    rows, cum_rows = neg + pos, fp + tp
    cum_pos_share, cum_neg_share = share_or_nan(tp, n_pos), share_or_nan(fp, n_neg)
    return {
        "n": rows,
        "share": rows / total,
        "cum_share": cum_rows / total,
        "response_rate": pos / rows,
        "cum_response_rate": tp / cum_rows,
        "n_pos": pos,
        "pos_share": share_or_nan(pos, n_pos),
        "cum_pos_share": cum_pos_share,
        "n_neg": neg,
        "neg_share": share_or_nan(neg, n_neg),
        "cum_neg_share": cum_neg_share,
        "ks": share_or_nan(tp * n_neg - fp * n_pos, n_pos * n_neg),
        "lift": share_or_nan(pos * total, rows * n_pos),
        "cum_lift": share_or_nan(tp * total, cum_rows * n_pos),
    }


def _money(
    before: _Counts, end: _Counts, cost: Fraction, revenue: Fraction
) -> dict[str, Fraction | float]:
    columns: dict[str, Fraction | float] = {}
    (fp, tp), rows_before = end, sum(before)
    for prefix, rows, responses in (
        ("", fp + tp - rows_before, tp - before[1]),
        ("cum_", fp + tp, tp),
    ):
        spend, income = cost * rows, revenue * responses
        columns[f"{prefix}spend"] = spend
        columns[f"{prefix}income"] = income
        columns[f"{prefix}profit"] = income - spend
        columns[f"{prefix}roi"] = share_or_nan(income - spend, spend)
    return columns
