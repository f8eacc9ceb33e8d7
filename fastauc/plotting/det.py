"""The display of the detection error tradeoff."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Self

import numpy as np

from fastauc._streaming.histogram import Counts
from fastauc.plotting._display import Display, columns, draw_line, next_style
from fastauc.plotting._thinning import Doubles, thin

_NORMAL = NormalDist()
_TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
# The rates of the ends of the axes, as long as the curve has none between 0 and the first one.
_LOW, _HIGH, _LOWEST = 0.001, 0.999, 1e-6
# A normal deviate beyond all axes, for the rates 0 and 1 that have none.
_BEYOND = 40.0


class DetCurveDisplay(Display):
    """The detection error tradeoff: false negative against false positive rate, in normal deviates.

    Where the scores of both classes are normal the curve is a straight line.

    Parameters
    ----------
    fpr, fnr : float64 arrays of shape (n_points,)
        The curve, as ``det_curve`` returns it.
    name : str, optional
        What the legend calls the model.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    chance_level_ : matplotlib Artist or None
        The line of chance, if it is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where they are drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import DetCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = DetCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.fpr, display.fnr
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]))
    """

    def __init__(self, *, fpr: Doubles, fnr: Doubles, name: str | None = None) -> None:
        self.fpr, self.fnr, self.name = fpr, fnr, name

    @classmethod
    def from_counts(
        cls, counts: Counts, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the curve of counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            Of a histogram, the points at the edges of its cells.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        **options
            What ``plot`` takes.
        """
        cls._check(counts, name, ax)
        fpr, fnr, _ = counts.det_curve()
        return cls(fpr=fpr, fnr=fnr, name=name).plot(ax, **options)

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
            Whether to draw the line of chance.
        **line_options
            For the curve, as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        style = next_style(ax)
        start, stop = _deviate(_lowest_rate(self.fpr, self.fnr)), _deviate(_HIGH)
        if style.model > 0:
            start = min(start, ax.get_xlim()[0])
        kept = thin(self.fpr, self.fnr, _each(_NORMAL.cdf, columns(start, stop)))
        options = {"label": "DET curve" if name is None else name} | line_options
        x, y = (_each(_deviate, rates[kept]) for rates in (self.fpr, self.fnr))
        self.line_ = draw_line(ax, x, y, style, **options)
        ends = [-_BEYOND, _BEYOND]
        self.chance_level_ = self._reference(
            ends, ends[::-1], "Chance level", wanted=plot_chance_level
        )
        ax.set(xlim=(start, stop), ylim=(start, stop), aspect="equal")
        ticks = [rate for rate in _TICKS if start <= _deviate(rate) <= stop]
        shown = [f"{100 * rate:g} %" for rate in ticks]
        ax.set_xticks(_each(_deviate, ticks), shown, rotation=45)
        ax.set_yticks(_each(_deviate, ticks), shown)
        return self._finish("False positive rate", "False negative rate", "upper right")


DetCurveDisplay.__module__ = "fastauc.plotting"


def _deviate(rate: float) -> float:
    """Return the normal deviate of a rate; far outside of the axes for 0 and 1, and NaN for NaN."""
    if 0 < rate < 1:
        return _NORMAL.inv_cdf(rate)
    return math.nan if math.isnan(rate) else math.copysign(_BEYOND, rate - 0.5)


def _each(function: Callable[[float], float], values: Any) -> Doubles:
    return np.array([function(value) for value in np.asarray(values).tolist()])


def _lowest_rate(*curves: Doubles) -> float:
    """Return the least rate above 0, within the range in which the axes may begin."""
    lowest = min(rates.min(initial=_LOW, where=rates > 0) for rates in curves)
    return max(float(lowest), _LOWEST)
