"""The display of the bins of a gains table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import ArrayLike

from fastauc._counts.gains import in_own_scale
from fastauc._drawing.axes import next_style, width_in_inches
from fastauc._drawing.words import amount_in_words, percent, with_minus
from fastauc._validation.labels import Label
from fastauc._validation.literals import Ties
from fastauc._validation.options import check_amount, check_option
from fastauc.metrics import ResultTable
from fastauc.plotting._display import ArtistOptions, Counts, CountsDisplay, usual_bins

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
    name, counts
        As for ``RocCurveDisplay``.

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
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        n_jobs: int | None = None,
        higher_is_positive: bool = True,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        bins: int | None = None,
        ties: Ties = "group",
        cost: float | None = None,
        revenue: float | None = None,
        column: str = "response_rate",
    ) -> Self:
        """Sort the labels and scores once, and draw their gains table.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``RocCurveDisplay``; the others as for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, higher_is_positive)
        shown: dict[str, Any] = {"name": name, "ax": ax, "curve_kwargs": curve_kwargs}
        shown |= {"bins": bins, "ties": ties, "cost": cost, "revenue": revenue, "column": column}
        return cls.from_counts(counts, higher_is_positive=higher_is_positive, **shown)

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        higher_is_positive: bool = True,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        bins: int | None = None,
        ties: Ties = "group",
        cost: float | None = None,
        revenue: float | None = None,
        column: str = "response_rate",
    ) -> Self:
        """Draw the gains table of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            The bins of a histogram are not split.
        higher_is_positive, name, ax, curve_kwargs
            As for ``RocCurveDisplay``: the table has the scores themselves, positive ones first.
        bins : int, optional
            Number of bins; if left out, 10, or the number of rows if that is less.
        ties, cost, revenue
            As for ``gains_table``; the profit columns need ``cost`` and ``revenue``.
        column
            As for the display.
        """
        common = cls._check(counts, name, higher_is_positive)
        check_option(column, "column", tuple(_COLUMNS), cls.__name__)
        if column.endswith("profit"):
            check_amount(cost, "cost", cls.__name__)
            check_amount(revenue, "revenue", cls.__name__)
        bins = usual_bins(counts, bins, cls.__name__)
        table = counts.gains_table(bins=bins, ties=ties, cost=cost, revenue=revenue)
        table = table if higher_is_positive else in_own_scale(table)
        return cls(table=table, column=column, **common).plot(ax, curve_kwargs=curve_kwargs)

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
