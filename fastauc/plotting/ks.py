"""The display of the distance between two classes: the Kolmogorov-Smirnov chart."""

from __future__ import annotations

from typing import Any, Self

from fastauc._counts.ks import KsStatistic
from fastauc._streaming.bounds import ScoreInterval
from fastauc._streaming.histogram import Counts, ScoreHistogram
from fastauc.plotting._display import SHARE_OF_ROWS, Display, limits, next_style, show_shares
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import in_legend, percent, with_value


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
        return cls(
            positive_rate=positive_rate,
            tpr=tpr,
            fpr=fpr,
            ks_statistic=counts.ks_statistic(),
            ks=counts.ks() if isinstance(counts, ScoreHistogram) else None,
            name=name,
        ).plot(ax, **options)

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
        marker, at = next_style(ax).marker, self.ks_statistic
        figure = with_value("K-S", self.ks)
        if figure and at is not None and at.statistic == at.statistic:
            figure += f" at {percent(at.positive_rate)}"
        label = in_legend(name, "Rates", figure)
        # The marker of the distance, so that the legend shows it: all models have these dashes.
        in_legend_only = {"marker": marker, "markersize": 5, "markevery": []}
        self.line_ = [
            self._curve(
                self.positive_rate,
                rates,
                in_legend_only | {"linestyle": dashes} | line_options | {"label": shown},
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
                color=ax.xaxis.label.get_color(),
                linewidth=1.2,
                marker=marker,
                markersize=5,
                markerfacecolor=self.line_[0].get_color(),
                zorder=3,
            )
        ax.set(ylim=limits(0, 1))
        show_shares(ax, ax.yaxis)
        return self._finish(SHARE_OF_ROWS, "TPR (solid), FPR (dashed)", "best")


KsDisplay.__module__ = "fastauc.plotting"
