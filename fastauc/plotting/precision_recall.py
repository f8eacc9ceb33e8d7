"""The display of the precision-recall curve."""

from __future__ import annotations

from typing import Any, Self

from fastauc._streaming.bounds import ScoreInterval
from fastauc._streaming.histogram import Counts
from fastauc.plotting._display import Display, limits, prevalence_of
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import in_legend, in_words, with_value


class PrecisionRecallDisplay(Display):
    """The precision against the recall, in steps as the average precision has them.

    Parameters
    ----------
    precision, recall : float64 arrays of shape (n_points,)
        The curve, as ``precision_recall_curve`` returns it.
    average_precision : float or ScoreInterval, optional
        The area under the steps, for the legend.
    prevalence : float, optional
        The share of the positives among the rows: the precision of chance.
    name : str, optional
        What the legend calls the model.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    chance_level_ : matplotlib Artist or None
        The precision of chance, if it is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where they are drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import PrecisionRecallDisplay
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> ax = Figure().subplots()
    >>> display = PrecisionRecallDisplay.from_predictions(y_true, y_score, ax=ax)
    >>> display.line_.get_label()
    'AP = 0.833'
    """

    def __init__(
        self,
        *,
        precision: Doubles,
        recall: Doubles,
        average_precision: float | ScoreInterval | None = None,
        prevalence: float | None = None,
        name: str | None = None,
    ) -> None:
        self.precision, self.recall, self.name = precision, recall, name
        self.average_precision, self.prevalence = average_precision, prevalence

    @classmethod
    def from_counts(
        cls, counts: Counts, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the curve of counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            Of a histogram, the points at the edges of its cells; the legend says how far off the
            average precision may be.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        **options
            What ``plot`` takes.
        """
        cls._check(counts, name, ax)
        precision, recall, _ = counts.precision_recall_curve()
        return cls(
            precision=precision,
            recall=recall,
            average_precision=counts.average_precision(),
            prevalence=prevalence_of(counts),
            name=name,
        ).plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
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
            Whether to draw the precision of chance.
        **line_options
            For the curve, as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        label = in_legend(name, "Precision-recall curve", with_value("AP", self.average_precision))
        steps = {"drawstyle": "steps-post"}
        self.line_ = self._curve(self.recall, self.precision, steps | line_options, label=label)
        self.chance_level_ = None
        if plot_chance_level and self.prevalence is not None:
            label = f"Chance level (AP = {in_words(self.prevalence)})"
            self.chance_level_ = self._reference([0, 1], [self.prevalence] * 2, label)
        ax.set(xlim=limits(0, 1), ylim=limits(0, 1), aspect="equal")
        return self._finish("Recall", "Precision", "best")


PrecisionRecallDisplay.__module__ = "fastauc.plotting"
