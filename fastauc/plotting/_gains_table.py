"""Displays of the profit curve and of the bins of a gains table."""

from __future__ import annotations

import math
from typing import Any, Self

from numpy.typing import ArrayLike

from fastauc._counts.gains_table import in_own_scale
from fastauc._counts.result_table import ResultTable
from fastauc._counts.thresholds import OptimalThreshold
from fastauc._validation.labels import Label
from fastauc._validation.options import check_amount, check_option
from fastauc.plotting._axes import draw_mark, next_style, show_shares, width_in_inches
from fastauc.plotting._display import (
    SHARE_OF_ROWS,
    ArtistOptions,
    Display,
    has_unknown_order,
    usual_bins,
)
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import amount_in_words, in_legend, percent
from fastauc.streaming._histogram import Counts


class ProfitCurveDisplay(Display):
    """The profit against the share of rows selected, and its maximum.

    Parameters
    ----------
    positive_rate, profit : float64 arrays of shape (n_points,)
        The curve, as ``profit_curve`` returns it.
    best : OptimalThreshold, optional
        The cutoff with the highest profit.
    is_bound : bool
        Whether a higher profit is possible between the known points.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    best_ : matplotlib Artist or None
        The mark at the highest profit.
    break_even_ : matplotlib Artist
        The line at zero profit.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import ProfitCurveDisplay
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> ax = Figure().subplots()
    >>> display = ProfitCurveDisplay.from_predictions(y_true, y_score, cost=1, revenue=3, ax=ax)
    >>> display.line_.get_label()
    'profit 5 at 66.7 %, threshold 0.3'
    """

    def __init__(
        self,
        *,
        positive_rate: Doubles,
        profit: Doubles,
        best: OptimalThreshold | None = None,
        is_bound: bool = False,
        name: str | None = None,
    ) -> None:
        self.positive_rate, self.profit = positive_rate, profit
        self.best, self.is_bound, self.name = best, is_bound, name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        n_jobs: int | None = None,
        name: str | None = None,
        ax: Any = None,
        cost: Any = None,
        revenue: Any = None,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        name, ax, cost, revenue, curve_kwargs
            As for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, ax)
        return cls.from_counts(
            counts, name=name, ax=ax, cost=cost, revenue=revenue, curve_kwargs=curve_kwargs
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        cost: Any = None,
        revenue: Any = None,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges and the best of these; the legend shows
            whether a higher profit is possible.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        cost, revenue : float
            The cost of each selected row, and the revenue of each selected positive. Required.
        curve_kwargs
            As for ``plot``.
        """
        cls._check(counts, name, ax)
        check_amount(cost, "cost", cls.__name__)
        check_amount(revenue, "revenue", cls.__name__)
        positive_rate, profit, _ = counts.profit_curve(cost=cost, revenue=revenue)
        best = counts.optimal_threshold(method="profit", cost=cost, revenue=revenue)
        return cls(
            positive_rate=positive_rate,
            profit=profit,
            best=best,
            is_bound=has_unknown_order(counts),
            name=name,
        ).plot(ax, curve_kwargs=curve_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curve in addition to what the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        style, best, figure = next_style(ax), self.best, ""
        is_defined = best is not None and best.value == best.value
        if best is not None and is_defined:
            share = (best.matrix.tp + best.matrix.fp) / sum(best.matrix)
            figure = f"profit {'≥ ' if self.is_bound else ''}{amount_in_words(best.value)}"
            figure += f" at {percent(share)}, threshold {best.threshold:.4g}"
        label = in_legend(name, "Profit curve", figure)
        self.line_ = self._curve(
            self.positive_rate, self.profit, curve_kwargs, style=style, label=label
        )
        self.best_ = None
        if best is not None and is_defined:
            self.best_ = draw_mark(ax, share, best.value, style.marker, self.line_.get_color())
        self.break_even_ = self._reference([0, 1], [0, 0], "Break-even")
        show_shares(ax)
        ax.yaxis.set_major_formatter(lambda amount, _: amount_in_words(amount))
        return self._finish(SHARE_OF_ROWS, "Profit", "best")


ProfitCurveDisplay.__module__ = "fastauc.plotting"


_COLUMNS = {
    "response_rate": "Response rate",
    "cum_response_rate": "Cumulative response rate",
    "lift": "Lift",
    "cum_lift": "Cumulative lift",
    "pos_share": "Share of all positives",
    "cum_pos_share": "Cumulative share of all positives",
    "ks": "TPR - FPR",
    "profit": "Profit",
    "cum_profit": "Cumulative profit",
    "n": "Rows",
    "n_pos": "Positives",
}

_SHARES = ("response_rate", "cum_response_rate", "pos_share", "cum_pos_share", "ks")
_HATCHES = ("", "///", "...", "xxx", "\\\\\\")
# Numbers above narrower bars would overlap, and so would those below more bars.
_LEAST_INCHES, _MOST_NUMBERS = 0.38, 12


class GainsTableDisplay(Display):
    """The bins of a gains table as bars, in the order of the table.

    Parameters
    ----------
    table : ResultTable
        What ``gains_table`` returns.
    column : str
        What the bars show: "response_rate", "lift", "pos_share", "profit", and each of these with
        ``cum_`` before it; "ks", "n" or "n_pos".
    higher_is_positive : bool
        As for ``gains_table``: whether the table has the highest scores first, or the lowest.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib BarContainer
        The bars.
    average_ : matplotlib Artist or None
        The response rate of all rows or the lift of 1, if it is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

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

    def __init__(
        self,
        *,
        table: ResultTable,
        column: str = "response_rate",
        higher_is_positive: bool = True,
        name: str | None = None,
    ) -> None:
        self.table, self.column, self.name = table, column, name
        self.higher_is_positive = higher_is_positive

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        n_jobs: int | None = None,
        name: str | None = None,
        ax: Any = None,
        higher_is_positive: bool = True,
        bins: int | None = None,
        ties: str = "group",
        cost: float | None = None,
        revenue: float | None = None,
        column: str = "response_rate",
        bar_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        higher_is_positive : bool
            False for scores that are lower for the positives, like scorecard points for bad loans.
        name, ax, bins, ties, cost, revenue, column, bar_kwargs
            As for ``from_counts``.
        """
        counts = cls._count(
            y_true, y_score, sample_weight, pos_label, n_jobs, ax, higher_is_positive
        )
        return cls.from_counts(
            counts,
            name=name,
            ax=ax,
            higher_is_positive=higher_is_positive,
            bins=bins,
            ties=ties,
            cost=cost,
            revenue=revenue,
            column=column,
            bar_kwargs=bar_kwargs,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        higher_is_positive: bool = True,
        bins: int | None = None,
        ties: str = "group",
        cost: float | None = None,
        revenue: float | None = None,
        column: str = "response_rate",
        bar_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the gains table of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            The bins of a histogram are not split.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        higher_is_positive : bool
            False if the counts are those of the opposite scores: the table has the scores
            themselves, lowest first.
        bins : int, optional
            Number of bins; if left out, 10, or the number of rows if that is less.
        ties : {"group", "split"}
            As for ``gains_table``.
        cost, revenue : float, optional
            As for ``gains_table``; required for the profit columns.
        column : str
            What the bars show; see above.
        bar_kwargs
            As for ``plot``.
        """
        cls._check(counts, name, ax, higher_is_positive)
        check_option(column, "column", tuple(_COLUMNS), cls.__name__)
        if column.endswith("profit"):
            check_amount(cost, "cost", cls.__name__)
            check_amount(revenue, "revenue", cls.__name__)
        bins = usual_bins(counts, bins, cls.__name__)
        table = counts.gains_table(bins=bins, ties=ties, cost=cost, revenue=revenue)
        return cls(
            table=table if higher_is_positive else in_own_scale(table),
            column=column,
            higher_is_positive=higher_is_positive,
            name=name,
        ).plot(ax, bar_kwargs=bar_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        bar_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the bars side by side with those that the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        bar_kwargs : dict, optional
            Options of the bars, such as ``color`` or ``hatch``.
        """
        from matplotlib.ticker import MaxNLocator, MultipleLocator, PercentFormatter

        ax, name = self._open(ax, name)
        style, heights = next_style(ax), self.table[self.column]
        defaults = {
            "color": style.color,
            "edgecolor": ax.get_facecolor(),
            "hatch": _HATCHES[style.model % len(_HATCHES)],
            "label": "_bars" if name is None else name,
        }
        self.line_ = ax.bar(
            self.table["bin"], heights, **defaults | self._options(bar_kwargs, "bar_kwargs")
        )
        for bar in self.line_:
            style.mark(bar)
        models = _make_room(ax)
        self.average_ = self._draw_average()
        if self.column in _SHARES:
            ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
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
        return self

    def _in_words(self, height: float) -> str:
        if math.isnan(height):
            return ""
        return f"{100 * height:.1f} %" if self.column in _SHARES else amount_in_words(height)

    def _draw_average(self) -> Any:
        ends = [0.5, len(self.table) + 0.5]
        if self.column in ("response_rate", "cum_response_rate"):
            rate = float(self.table["cum_response_rate"][-1])
            return self._reference(ends, [rate] * 2, f"All rows ({percent(rate)})")
        if self.column in ("lift", "cum_lift"):
            return self._reference(ends, [1, 1], "Chance level (lift = 1)")
        return None


GainsTableDisplay.__module__ = "fastauc.plotting"


def _make_room(ax: Any) -> list[Any]:
    """Put the bars of all models side by side, and return them."""
    models = [bars for bars in ax.containers if any(hasattr(bar, "fastauc_model") for bar in bars)]
    width = 0.8 / len(models)
    for k, bars in enumerate(models):
        for number, bar in enumerate(bars, start=1):
            bar.set_x(number - 0.4 + k * width)
            bar.set_width(width)
    return models
