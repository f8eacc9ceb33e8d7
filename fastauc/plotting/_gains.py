"""Displays against the share of rows selected: gain and lift."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from fastauc._validation.labels import Label
from fastauc._validation.options import check_share
from fastauc.plotting._axes import limits, show_shares
from fastauc.plotting._display import SHARE_OF_ROWS, ArtistOptions, Display, prevalence_of
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import in_legend, in_words, percent, with_value
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._histogram import Counts


class GainCurveDisplay(Display):
    """The gain curve: the share of positives found against the share of rows selected.

    Also called the cumulative accuracy profile (CAP), or the Lorenz curve of the positives.

    Parameters
    ----------
    positive_rate, tpr : float64 arrays of shape (n_points,)
        The curve, as ``gain_curve`` returns it.
    gain_score : float or ScoreInterval, optional
        The area under the gain curve, for the legend.
    prevalence : float, optional
        The share of positives among the rows, for the curve of the perfect model.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    chance_level_, perfect_ : matplotlib Artist or None
        The diagonal, and the curve of the perfect model, if they are drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

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
        plot_chance_level: bool = True,
        plot_perfect: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        name, ax, plot_chance_level, plot_perfect, curve_kwargs
            As for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, ax)
        return cls.from_counts(
            counts,
            name=name,
            ax=ax,
            plot_chance_level=plot_chance_level,
            plot_perfect=plot_perfect,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        plot_chance_level: bool = True,
        plot_perfect: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges; the legend shows how far off the area may
            be.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        plot_chance_level, plot_perfect, curve_kwargs
            As for ``plot``.
        """
        cls._check(counts, name, ax)
        positive_rate, tpr, _ = counts.gain_curve()
        return cls(
            positive_rate=positive_rate,
            tpr=tpr,
            gain_score=counts.gain_score(),
            prevalence=prevalence_of(counts),
            name=name,
        ).plot(
            ax,
            plot_chance_level=plot_chance_level,
            plot_perfect=plot_perfect,
            curve_kwargs=curve_kwargs,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        plot_perfect: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curve in addition to what the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        plot_chance_level : bool
            Whether to draw the diagonal.
        plot_perfect : bool
            Whether to draw the curve of a perfect model, which scores all positives above all
            negatives.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        label = in_legend(name, "Gain curve", with_value("area", self.gain_score))
        self.line_ = self._curve(self.positive_rate, self.tpr, curve_kwargs, label=label)
        chance = "Chance level (area = 0.5)"
        self.chance_level_ = self._reference([0, 1], [0, 1], chance, wanted=plot_chance_level)
        self.perfect_ = None
        if plot_perfect and self.prevalence is not None:
            label = f"Perfect model (area = {in_words(1 - self.prevalence / 2)})"
            self.perfect_ = self._reference(
                [0, self.prevalence, 1], [0, 1, 1], label, kwargs={"linestyle": ":"}
            )
        ax.set(ylim=limits(0, 1), aspect="equal")
        show_shares(ax, ax.yaxis)
        return self._finish(SHARE_OF_ROWS, "Share of positives found", "lower right")


GainCurveDisplay.__module__ = "fastauc.plotting"


class LiftCurveDisplay(Display):
    """The lift curve: how many times more positives are found than by random selection.

    Parameters
    ----------
    positive_rate, lift : float64 arrays of shape (n_points,)
        The curve, as ``lift_curve`` returns it.
    lift_at : float or ScoreInterval, optional
        The lift at ``share``, for the legend.
    share : float
        The share of rows at which ``lift_at`` is taken.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    chance_level_ : matplotlib Artist or None
        The lift of random selection, if it is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import LiftCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = LiftCurveDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], share=0.25, ax=ax
    ... )
    >>> display.line_.get_label()
    'lift at 25 % = 2.000'
    """

    def __init__(
        self,
        *,
        positive_rate: Doubles,
        lift: Doubles,
        lift_at: float | ScoreInterval | None = None,
        share: float = 0.1,
        name: str | None = None,
    ) -> None:
        self.positive_rate, self.lift = positive_rate, lift
        self.lift_at, self.share, self.name = lift_at, share, name

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
        share: float = 0.1,
        plot_chance_level: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        name, ax, share, plot_chance_level, curve_kwargs
            As for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, ax)
        return cls.from_counts(
            counts,
            name=name,
            ax=ax,
            share=share,
            plot_chance_level=plot_chance_level,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        share: float = 0.1,
        plot_chance_level: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges; the legend shows how far off the lift may
            be.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        share : float in (0, 1]
            The share of rows at which the legend shows the lift.
        plot_chance_level, curve_kwargs
            As for ``plot``.
        """
        cls._check(counts, name, ax)
        check_share(share, cls.__name__, zero=False)
        positive_rate, lift, _ = counts.lift_curve()
        return cls(
            positive_rate=positive_rate,
            lift=lift,
            lift_at=counts.lift_at(share),
            share=share,
            name=name,
        ).plot(ax, plot_chance_level=plot_chance_level, curve_kwargs=curve_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curve in addition to what the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        plot_chance_level : bool
            Whether to draw the lift of random selection, which is 1.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        figure = with_value(f"lift at {percent(self.share)}", self.lift_at)
        label = in_legend(name, "Lift curve", figure)
        self.line_ = self._curve(self.positive_rate, self.lift, curve_kwargs, label=label)
        chance = "Chance level (lift = 1)"
        self.chance_level_ = self._reference([0, 1], [1, 1], chance, wanted=plot_chance_level)
        show_shares(ax)
        ax.autoscale(axis="y")
        ax.set_ylim(bottom=0)
        return self._finish(SHARE_OF_ROWS, "Lift", "upper right")


LiftCurveDisplay.__module__ = "fastauc.plotting"
