"""Displays along the share of the rows that are chosen: gain, lift, K-S, and profit."""

from typing import Any, Self

from fastauc.bounds import ScoreInterval
from fastauc.kolmogorov import KsStatistic
from fastauc.plotting_axes import (
    Counts,
    Display,
    columns,
    draw_curve,
    draw_reference,
    frame,
    in_legend,
    in_words,
    limits,
    next_style,
    percent,
    prevalence_of,
)
from fastauc.thinning import Doubles

_SHARE = "Share of the population chosen"


def _show_shares(ax: Any, *axes: Any) -> None:
    """Write shares as percentages, from none to all of the rows."""
    from matplotlib.ticker import PercentFormatter

    ax.set_xlim(limits(0, 1))
    for axis in (ax.xaxis, *axes):
        axis.set_major_formatter(PercentFormatter(1, symbol=" %"))


class GainCurveDisplay(Display):
    """The gain curve: the share of the positives found against the share of the rows chosen.

    Also called the cumulative accuracy profile (CAP), and the Lorenz curve of the positives.

    Parameters
    ----------
    positive_rate, tpr : float64 arrays of shape (n_points,)
        The curve, as ``gain_curve`` returns it.
    gain_score : float or ScoreInterval, optional
        The area under it, for the legend.
    prevalence : float, optional
        The share of the positives among the rows, for the curve of the perfect order.
    name : str, optional
        What the legend calls the model.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    chance_level_, perfect_ : matplotlib Artist or None
        The diagonal, and the curve of the perfect order, if they are drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where they are drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import GainCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = GainCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.line_.get_label(), display.prevalence
    ('area = 0.625', 0.5)
    """

    def __init__(
        self,
        *,
        positive_rate: Doubles,
        tpr: Doubles,
        gain_score: float | ScoreInterval | None = None,
        prevalence: float | None = None,
        name: str | None = None,
    ) -> None:
        self.positive_rate, self.tpr = positive_rate, tpr
        self.gain_score, self.prevalence, self.name = gain_score, prevalence, name

    @classmethod
    def from_counts(
        cls, counts: Counts, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the curve of counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            Of a histogram, the points at the edges of its cells; the legend says how far off the
            area may be.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        **options
            What ``plot`` takes.
        """
        cls._check(counts, name, ax)
        positive_rate, tpr, _ = counts.gain_curve()
        display = cls(
            positive_rate=positive_rate,
            tpr=tpr,
            gain_score=counts.gain_score(),
            prevalence=prevalence_of(counts),
            name=name,
        )
        return display.plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        plot_perfect: bool = False,
        **line_options: Any,
    ) -> Self:
        """Draw the curve, beside what the axes already have.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        name : str, optional
            What the legend calls the model, if not what the display does.
        plot_chance_level : bool
            Whether to draw the diagonal.
        plot_perfect : bool
            Whether to draw the curve of scores that have all positives above all negatives.
        **line_options
            For the curve, as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        label = "Gain curve" if name is None else name
        if self.gain_score is not None:
            label = in_legend(name, f"area = {in_words(self.gain_score)}")
        self.line_ = draw_curve(
            ax,
            self.positive_rate,
            self.tpr,
            columns(0, 1),
            next_style(ax),
            **{"label": label} | line_options,
        )
        self.chance_level_ = self.perfect_ = None
        if plot_chance_level:
            self.chance_level_ = draw_reference(ax, [0, 1], [0, 1], "Chance level (area = 0.5)")
        if plot_perfect and self.prevalence is not None:
            label = f"Perfect order (area = {in_words(1 - self.prevalence / 2)})"
            self.perfect_ = draw_reference(ax, [0, self.prevalence, 1], [0, 1, 1], label)
        ax.set(ylim=limits(0, 1), aspect="equal")
        _show_shares(ax, ax.yaxis)
        frame(ax, _SHARE, "Share of the positives found", "lower right")
        return self


class KsDisplay(Display):
    """The Kolmogorov-Smirnov chart: both rates against the share of the rows chosen.

    Parameters
    ----------
    positive_rate, tpr, fpr : float64 arrays of shape (n_points,)
        The curves, as ``ks_curve`` returns them.
    ks_statistic : KsStatistic, optional
        Where the largest distance is, and how large.
    ks : float or ScoreInterval, optional
        The distance, for the legend; that of ``ks_statistic`` if left out.
    name : str, optional
        What the legend calls the model.

    Attributes
    ----------
    line_ : list of two matplotlib Artists
        The true and the false positive rate.
    distance_ : matplotlib Artist or None
        The line between them where they are farthest apart.
    ax_, figure_ : matplotlib Axes and Figure
        Where they are drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import KsDisplay
    >>> ax = Figure().subplots()
    >>> display = KsDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.line_[0].get_label()
    'K-S = 0.500 at 25 %'
    """

    def __init__(
        self,
        *,
        positive_rate: Doubles,
        tpr: Doubles,
        fpr: Doubles,
        ks_statistic: KsStatistic | None = None,
        ks: float | ScoreInterval | None = None,
        name: str | None = None,
    ) -> None:
        self.positive_rate, self.tpr, self.fpr = positive_rate, tpr, fpr
        self.ks_statistic, self.name = ks_statistic, name
        self.ks = ks_statistic.statistic if ks is None and ks_statistic is not None else ks

    @classmethod
    def from_counts(
        cls, counts: Counts, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the curves of counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            Of a histogram, the points at the edges of its cells; the legend says how far off the
            distance may be.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        **options
            What ``plot`` takes.
        """
        cls._check(counts, name, ax)
        positive_rate, tpr, fpr, _ = counts.ks_curve()
        display = cls(
            positive_rate=positive_rate,
            tpr=tpr,
            fpr=fpr,
            ks_statistic=counts.ks_statistic(method="asymp"),
            ks=counts.ks(),
            name=name,
        )
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Self:
        """Draw both rates, beside what the axes already have.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        name : str, optional
            What the legend calls the model, if not what the display does.
        **line_options
            For both curves, as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        style, at = next_style(ax), self.ks_statistic
        label = "Rates" if name is None else name
        if self.ks is not None:
            figure = f"K-S = {in_words(self.ks)}"
            if at is not None and at.statistic == at.statistic:
                figure += f" at {percent(at.positive_rate)}"
            label = in_legend(name, figure)
        self.line_ = [
            draw_curve(
                ax,
                self.positive_rate,
                rates,
                columns(0, 1),
                style,
                **{"linestyle": dashes} | line_options | {"label": shown},
            )
            for rates, dashes, shown in (
                (self.tpr, "-", line_options.get("label", label)),
                (self.fpr, "--", None),
            )
        ]
        self.distance_ = None
        if at is not None:
            (self.distance_,) = ax.plot(
                [at.positive_rate] * 2,
                [at.fpr, at.tpr],
                color="black",
                linewidth=1.2,
                marker=style.marker,
                markersize=5,
                markerfacecolor=self.line_[0].get_color(),
                zorder=3,
            )
        ax.set(ylim=limits(0, 1))
        _show_shares(ax, ax.yaxis)
        frame(ax, _SHARE, "TPR (solid), FPR (dashed)", "best")
        return self
