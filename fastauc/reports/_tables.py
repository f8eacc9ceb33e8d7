"""Numbers as a report writes them, and the gains table, which has a page of its own as well."""

import math
from collections.abc import Sequence
from typing import Any

from fastauc._counts.result_table import ResultTable
from fastauc._drawing.words import MISSING, amount_in_words, percents, with_minus
from fastauc.reports._html import table_of

_MOST_DECIMALS = 6


def whole(count: float) -> str:
    """Return a number of rows, or their weight."""
    if math.isnan(count):
        return MISSING
    return f"{count:,}" if isinstance(count, int) else amount_in_words(count)


def aligned(values: Sequence[float]) -> list[str]:
    """Return numbers with the same decimals: none for integers, else four digits in the largest."""
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    digits = 3 - math.floor(math.log10(most)) if most > 0 else 0
    decimals = 0 if all(value % 1 == 0 for value in values) else max(digits, 0)
    form = f",.{decimals}f" if decimals <= _MOST_DECIMALS else ".4g"
    return [MISSING if math.isnan(value) else with_minus(f"{value:{form}}") for value in values]


_GAINS = {
    "bin": "Bin",
    "n": "Rows",
    "cum_share": "Rows so far",
    "min_score": "Lowest score",
    "max_score": "Highest score",
    "response_rate": "Response rate",
    "n_pos": "Positives",
    "cum_pos_share": "Gain",
    "cum_neg_share": "FPR",
    "ks": "K-S",
    "lift": "Lift",
    "cum_lift": "Lift so far",
    "profit": "Profit",
    "cum_profit": "Profit so far",
    "cum_roi": "ROI so far",
}
_GAINS_OF_WEIGHTS = {"n": "Weight", "cum_share": "Weight so far", "n_pos": "Weight of positives"}
_SHARES = ("cum_share", "response_rate", "cum_pos_share", "cum_neg_share", "cum_roi")


def gains_table(table: ResultTable, *, is_weighted: bool, higher_is_positive: bool) -> str:
    """Return a gains table for a page."""
    columns = table.to_dict()
    # The threshold that selects a bin and those before it.
    other_end = "max_score" if higher_is_positive else "min_score"
    shown = [name for name in _GAINS if name in columns and name != other_end]
    cells = [_gains_column(name, columns[name]) for name in shown]
    titles = _GAINS | _GAINS_OF_WEIGHTS if is_weighted else _GAINS
    rows = list(zip(*cells, strict=True))
    return table_of([titles[name] for name in shown], rows, is_wide=True)


def _gains_column(name: str, values: list[Any]) -> list[str]:
    if name in _SHARES:
        return percents(values)
    if name == "bin":
        return [str(value) for value in values]
    return aligned(values)
