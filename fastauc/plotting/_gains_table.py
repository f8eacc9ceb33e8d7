"""The display of the bins of a gains table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from fastauc._counts.gains import in_own_scale
from fastauc._drawing.axes import next_style, width_in_inches
from fastauc._drawing.words import amount_in_words, percent, with_minus
from fastauc._readings import Counts
from fastauc._validation.literals import Ties
from fastauc._validation.options import check_amount, check_option
from fastauc.metrics import ResultTable
from fastauc.plotting._display import CountsDisplay, usual_bins

_COLUMNS = {
    "response_rate": "Response rate",
    "cum_response_rate": "Cumulative response rate",
    "lift": "Lift",
    "cum_lift": "Cumulative lift",
    "pos_share": "Share of all positives",
    "cum_pos_share": "Cumulative share of all positives",
    "ks": "TPR \N{MINUS SIGN} FPR",
    "profit": "Profit",
    "cum_profit": "Cumulative profit",
    "n": "Rows",
    "n_pos": "Positives",
}

_SHARES = ("response_rate", "cum_response_rate", "pos_share", "cum_pos_share", "ks")
_HATCHES = ("", "///", "...", "xxx", "\\\\\\")
# Numbers above narrower bars would overlap, and so would those below more bars.
_LEAST_INCHES, _MOST_NUMBERS = 0.38, 12


@dataclass(kw_only=True, eq=False, repr=False)
class GainsTableDisplay(CountsDisplay):
    """The bins of a gains table as bars, in the order of the table.

    Parameters
    ----------
    table : ResultTable
        The result of ``gains_table``.
    column : str
        The column that the bars show: "response_rate", "lift", "pos_share", "profit", and each of
        these with ``cum_`` before it; "ks", "n" or "n_pos".
    higher_is_positive : bool
        As for ``gains_table``: whether the table has the highest scores first, or the lowest.
    name, counts, pos_label
        As for ``RocCurveDisplay``.

    Other Parameters
    ----------------
    bins : int, optional
        Of the constructors: the number of bins; if left out, 10, or the number of rows if that is
        less. The bins of a histogram are not split.
    ties, cost, revenue
        Of the constructors: as for ``gains_table``; the profit columns need ``cost`` and
        ``revenue``.

    Attributes
    ----------
    line_ : matplotlib BarContainer
        The bars.
    average_ : matplotlib Artist or None
        The response rate of all rows or the lift of 1, if it is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import GainsTableDisplay
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> ax = Figure().subplots()
    >>> display = GainsTableDisplay.from_predictions(y_true, y_score, bins=3, ax=ax)
    >>> [float(bar.get_height()) for bar in display.line_]
    [1.0, 0.5, 0.0]
    """

    table: ResultTable
    column: str = "response_rate"

    @classmethod
    def _values(
        cls,
        counts: Counts,
        higher_is_positive: bool,
        *,
        bins: int | None = None,
        ties: Ties = "group",
        cost: float | None = None,
        revenue: float | None = None,
        column: str = "response_rate",
    ) -> dict[str, Any]:
        check_option(column, "column", tuple(_COLUMNS), cls.__name__)
        if column.endswith("profit"):
            check_amount(cost, "cost", cls.__name__)
            check_amount(revenue, "revenue", cls.__name__)
        bins = usual_bins(counts, bins, cls.__name__)
        table = counts.gains_table(bins=bins, ties=ties, cost=cost, revenue=revenue)
        return {"table": table if higher_is_positive else in_own_scale(table), "column": column}

    def _draw(self, curve_kwargs: Any) -> None:
        """Draw the bars side by side with those that the axes already contain."""
        from matplotlib.ticker import MaxNLocator, MultipleLocator, PercentFormatter

        ax, name = self.ax_, self._name
        style, heights = next_style(ax), self.table[self.column]
        defaults = {"color": style.color, "edgecolor": ax.get_facecolor()}
        defaults["hatch"] = _HATCHES[style.model % len(_HATCHES)]
        defaults["label"] = "_bars" if name is None else name
        options = defaults | self._options(curve_kwargs)
        self.line_: Any = ax.bar(self.table["bin"], heights, **options)
        for bar in self.line_:
            style.mark(bar)
        models = _make_room(ax)
        self.average_: Any = self._draw_average()
        if self.column in _SHARES:
            ax.yaxis.set_major_formatter(PercentFormatter(1))
        for text in [text for text in ax.texts if hasattr(text, "fastauc_model")]:
            text.remove()
        if len(models) == 1 and width_in_inches(ax) / len(heights) > _LEAST_INCHES:
            numbers = [self._in_words(height) for height in heights.tolist()]
            behind = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1}
            for text in ax.bar_label(
                self.line_, numbers, fontsize="x-small", padding=2, bbox=behind
            ):
                style.mark(text)
        most = max(map(len, models))
        numbered = MultipleLocator(1) if most <= _MOST_NUMBERS else MaxNLocator(integer=True)
        ax.xaxis.set_major_locator(numbered)
        ax.set_xlim(0.4, most + 0.6)
        ax.margins(y=0.1)
        first = "highest" if self.higher_is_positive else "lowest"
        self._finish(f"Bin, {first} scores first", _COLUMNS[self.column], "best")
        ax.grid(False, axis="x")

    def _in_words(self, height: float) -> str:
        if math.isnan(height):
            return ""
        return (
            with_minus(f"{100 * height:.1f}%")
            if self.column in _SHARES
            else amount_in_words(height)
        )

    def _draw_average(self) -> Any:
        ends = [0.5, len(self.table) + 0.5]
        if self.column in ("response_rate", "cum_response_rate"):
            rate = float(self.table["cum_response_rate"][-1])
            return self._reference(ends, [rate] * 2, f"All rows ({percent(rate)})")
        if self.column in ("lift", "cum_lift"):
            return self._reference(ends, [1, 1], "Chance level (lift = 1)")
        return None


def _make_room(ax: Any) -> list[Any]:
    """Put the bars of all models side by side, and return them."""
    models = [bars for bars in ax.containers if any(hasattr(bar, "fastauc_model") for bar in bars)]
    width = 0.8 / len(models)
    for k, bars in enumerate(models):
        for number, bar in enumerate(bars, start=1):
            bar.set_x(number - 0.4 + k * width)
            bar.set_width(width)
    return models
