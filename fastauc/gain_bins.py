"""The rows of a gains table: the best rows, the next ones, and so on, in bins of equal size."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fastauc._conversion import Array, plain
from fastauc._exceptions import warn_if_undefined
from fastauc._options import check_bins_of_rows, check_money, check_option
from fastauc.areas import exact
from fastauc.gain_points import ScoreGroups, share_or_nan
from fastauc.result_tables import ResultTable

TIES = ("group", "split")


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


def tabulate(groups: ScoreGroups, options: Bins, n_rows: int | None, function: str) -> ResultTable:
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
    elif groups.several is not None:
        _refuse_cuts(groups, borders, function)
    columns = _columns(groups, borders, options)
    is_whole = options.ties == "group" and not groups.is_weighted
    return ResultTable(
        {name: _as_array(name, values, is_whole) for name, values in columns.items()}
    )


_COUNTS = ("n", "n_pos", "n_neg")


def _as_array(name: str, values: list[Any], is_whole: bool) -> Array:
    if name == "bin" or (name in _COUNTS and is_whole):
        return np.array(values, dtype=np.int64)
    if name in ("min_score", "max_score"):
        return np.array(values)
    return np.array([float(value) for value in values])


def _nearest_end(groups: ScoreGroups, border: Fraction) -> Fraction:
    """Return the rows to the end of a group that is nearest to a border; the fewer of two."""
    group = groups.find(border)
    before, end = groups.rows_to(group - 1), groups.rows_to(group)
    return before if border - before <= end - border else end


def _refuse_cuts(groups: ScoreGroups, borders: list[Fraction], function: str) -> None:
    """Refuse to share out the rows of a cell of which nobody knows in what order they are."""
    assert groups.several is not None
    for border in borders:
        group = groups.find(border)
        if groups.several[group] and groups.rows_to(group) != border:
            raise ValueError(
                f"ties='split' of {function} would cut the cell of the scores from "
                f"{plain(groups.lows[group])!r} to {plain(groups.highs[group])!r}, in which the "
                "order of the rows is not known; expected ties='group', or finer cells."
            )


def _columns(groups: ScoreGroups, borders: list[Fraction], options: Bins) -> dict[str, list[Any]]:
    """Return the columns of the bins that end at the borders, the last of which is all rows."""
    n_neg, n_pos = groups.counts_to(len(groups.fps) - 1)
    total = n_neg + n_pos
    ends = [(Fraction(0), Fraction(0)), *(groups.counts_at(border) for border in borders)]
    starts = [Fraction(0), *borders[:-1]]
    columns: dict[str, list[Any]] = {"bin": list(range(1, len(borders) + 1))}
    amounts = [
        _row((fp, tp), (next_fp, next_tp), (n_neg, n_pos), total)
        for (fp, tp), (next_fp, next_tp) in pairwise(ends)
    ]
    for name in amounts[0]:
        columns[name] = [row[name] for row in amounts]
        if name == "cum_share":
            columns["min_score"] = [plain(groups.lows[groups.find(end)]) for end in borders]
            columns["max_score"] = [plain(groups.highs[_next(groups, at)]) for at in starts]
    if options.cost is not None:
        cost, revenue = exact(options.cost), exact(options.revenue)
        money = [
            _money(fp - start[0], tp - start[1], fp, tp, cost, revenue)
            for start, (fp, tp) in pairwise(ends)
        ]
        columns |= {name: [row[name] for row in money] for name in money[0]}
    return columns


def _next(groups: ScoreGroups, position: Fraction) -> int:
    """Return the group of the rows just after so many of the best ones."""
    group = groups.find(position)
    return group + 1 if groups.rows_to(group) == position else group


def _row(
    before: tuple[Fraction, Fraction],
    end: tuple[Fraction, Fraction],
    totals: tuple[Fraction, Fraction],
    total: Fraction,
) -> dict[str, Fraction | float]:
    """Return the numbers of a bin from the negatives and the positives above and to its end."""
    (fp, tp), (n_neg, n_pos) = end, totals
    neg, pos = fp - before[0], tp - before[1]
    rows, cum_rows = neg + pos, fp + tp
    cum_pos_share, cum_neg_share = share_or_nan(tp, n_pos), share_or_nan(fp, n_neg)
    is_defined = n_pos and n_neg
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
        "ks": tp / n_pos - fp / n_neg if is_defined else math.nan,
        "lift": share_or_nan(pos * total, rows * n_pos),
        "cum_lift": share_or_nan(tp * total, cum_rows * n_pos),
    }


def _money(
    neg: Fraction, pos: Fraction, fp: Fraction, tp: Fraction, cost: Fraction, revenue: Fraction
) -> dict[str, Fraction | float]:
    columns: dict[str, Fraction | float] = {}
    for prefix, rows, responses in (("", neg + pos, pos), ("cum_", fp + tp, tp)):
        spend, income = cost * rows, revenue * responses
        columns[f"{prefix}spend"] = spend
        columns[f"{prefix}income"] = income
        columns[f"{prefix}profit"] = income - spend
        columns[f"{prefix}roi"] = share_or_nan(income - spend, spend)
    return columns
