"""The display of the distance between two classes: the Kolmogorov-Smirnov chart."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.ks import KsStatistic
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag
from fastauc.plotting._axes import limits, next_style, show_shares
from fastauc.plotting._display import SHARE_OF_ROWS, ArtistOptions, Display
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import in_legend, percent, with_value
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._histogram import Counts, ScoreHistogram


class KsDisplay(Display):
    """The Kolmogorov-Smirnov chart: both rates against the share of rows selected.

    Parameters
    ----------
    positive_rate, tpr, fpr : float64 arrays of shape (n_points,)
        The curves, as ``ks_curve`` returns them.
    ks_statistic : KsStatistic, optional
        The position and size of the largest distance.
    ks : float or ScoreInterval, optional
        The distance for the legend; that of ``ks_statistic`` if left out.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : list of two matplotlib Artists
        The true and the false positive rate.
    difference_ : matplotlib Artist or None
        The curve of their difference, if it is drawn.
    distance_ : matplotlib Artist or None
        The line between them where they are farthest apart.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import KsDisplay
    >>> ax = Figure().subplots()
    >>> display = KsDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.line_[0].get_label()
    'K-S = 0.500 at 25 %, threshold 0.8'
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
        plot_difference: bool = False,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        higher_is_positive : bool
            False for scores that are lower for the positives, like scorecard points for bad loans.
        name, ax, plot_difference, curve_kwargs
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
            plot_difference=plot_difference,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        higher_is_positive: bool = True,
        plot_difference: bool = False,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curves of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges; the legend shows how far off the distance
            may be.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        higher_is_positive : bool
            False if the counts are those of the opposite scores: the legend shows the threshold of
            the scores themselves.
        plot_difference, curve_kwargs
            As for ``plot``.
        """
        cls._check(counts, name, ax, higher_is_positive)
        positive_rate, tpr, fpr, _ = counts.ks_curve()
        ks_statistic = counts.ks_statistic()
        if not higher_is_positive:
            ks_statistic = ks_statistic._replace(threshold=0 - ks_statistic.threshold)
        return cls(
            positive_rate=positive_rate,
            tpr=tpr,
            fpr=fpr,
            ks_statistic=ks_statistic,
            ks=counts.ks() if isinstance(counts, ScoreHistogram) else None,
            name=name,
        ).plot(ax, plot_difference=plot_difference, curve_kwargs=curve_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_difference: bool = False,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw both rates in addition to what the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        plot_difference : bool
            Whether to draw the curve of TPR - FPR as well, which peaks at the K-S distance.
        curve_kwargs : dict, optional
            Options of all curves, such as ``color`` or ``linewidth``.
        """
        check_flag(plot_difference, "plot_difference", "KsDisplay.plot")
        ax, name = self._open(ax, name)
        marker, at = next_style(ax).marker, self.ks_statistic
        figure = with_value("K-S", self.ks)
        is_defined = at is not None and at.statistic == at.statistic
        if figure and at is not None and is_defined:
            figure += f" at {percent(at.positive_rate)}, threshold {at.threshold:.4g}"
        # The legend shows the marker of the distance, because all models have the same dashes.
        in_legend_only = {"marker": marker, "markersize": 5, "markevery": []}
        given = self._line_options(curve_kwargs)
        label = given.get("label", in_legend(name, "Rates", figure))
        self.line_ = [
            self._curve(
                self.positive_rate,
                rates,
                in_legend_only | {"linestyle": dashes} | given | {"label": shown},
            )
            for rates, dashes, shown in ((self.tpr, "-", label), (self.fpr, "--", None))
        ]
        self.difference_, lowest = None, 0.0
        if plot_difference:
            shown = "TPR - FPR" if name is None else f"{name}: TPR - FPR"
            difference = self.tpr - self.fpr
            self.difference_ = self._curve(
                self.positive_rate, difference, {"linestyle": ":"} | given | {"label": shown}
            )
            lowest = float(np.nanmin(difference, initial=0.0))
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
        ax.set(ylim=limits(lowest, 1))
        show_shares(ax, ax.yaxis)
        return self._finish(SHARE_OF_ROWS, "TPR (solid), FPR (dashed)", "best")


KsDisplay.__module__ = "fastauc.plotting"
