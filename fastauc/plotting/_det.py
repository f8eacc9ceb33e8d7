"""The display of the detection error tradeoff."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fastauc._validation.labels import Label
from fastauc.plotting._axes import columns, draw_line, next_style
from fastauc.plotting._display import ArtistOptions, Display, check_axes
from fastauc.plotting._estimators import predict
from fastauc.plotting._thinning import Doubles, thin
from fastauc.streaming._histogram import Counts

_NORMAL = NormalDist()
_TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
# The rates at the ends of the axes, unless the curve has a lower rate above 0.
_LOW, _HIGH, _LOWEST = 0.001, 0.999, 1e-6
# A normal deviate beyond all axes, for the rates 0 and 1, whose deviates are infinite.
_BEYOND = 40.0


class DetCurveDisplay(Display):
    """The detection error tradeoff: false negative against false positive rate, in normal deviates.

    If the scores of both classes are normally distributed, the curve is a straight line.

    Parameters
    ----------
    fpr, fnr : float64 arrays of shape (n_points,)
        The curve, as ``det_curve`` returns it.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    chance_level_ : matplotlib Artist or None
        The chance level, if it is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

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
        drop_intermediate: bool = False,
        plot_chance_level: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        name, ax, drop_intermediate, plot_chance_level, curve_kwargs
            As for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, ax)
        return cls.from_counts(
            counts,
            name=name,
            ax=ax,
            drop_intermediate=drop_intermediate,
            plot_chance_level=plot_chance_level,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = False,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        plot_chance_level: bool = True,
    ) -> Self:
        """Draw the curve of a fitted classifier, as scikit-learn's display does.

        Parameters
        ----------
        estimator : classifier
            Fitted on two classes, with ``predict_proba`` or ``decision_function``.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y, sample_weight
            Labels and weights, as for ``from_predictions``.
        response_method : {"auto", "predict_proba", "decision_function"}
            The method that gives the scores; "auto" takes the first of the two that exists.
        pos_label : int, float, bool or str, optional
            The positive label; the second of ``estimator.classes_`` if left out.
        name : str, optional
            The name of the model in the legend; the class of the estimator if left out.
        drop_intermediate, ax, curve_kwargs, plot_chance_level
            As for ``from_predictions``.
        """
        check_axes(ax, cls.__name__)
        sample = predict(
            estimator,
            X,
            y,
            sample_weight,
            response_method=response_method,
            pos_label=pos_label,
            function=f"{cls.__name__}.from_estimator",
        )
        return cls.from_predictions(
            **sample._asdict(),
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            drop_intermediate=drop_intermediate,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        drop_intermediate: bool = False,
        plot_chance_level: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        drop_intermediate : bool
            Whether to drop points on the straight line between others from the arrays.
        plot_chance_level, curve_kwargs
            As for ``plot``.
        """
        cls._check(counts, name, ax)
        fpr, fnr, _ = counts.det_curve(drop_intermediate=drop_intermediate)
        return cls(fpr=fpr, fnr=fnr, name=name).plot(
            ax, plot_chance_level=plot_chance_level, curve_kwargs=curve_kwargs
        )

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
            Whether to draw the chance level.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        style = next_style(ax)
        start, stop = _deviate(_lowest_rate(self.fpr, self.fnr)), _deviate(_HIGH)
        if style.model > 0:
            start = min(start, ax.get_xlim()[0])
        kept = thin(self.fpr, self.fnr, _each(_NORMAL.cdf, columns(start, stop)))
        label = "DET curve" if name is None else name
        options = {"label": label} | self._line_options(curve_kwargs)
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
    """Return the normal deviate of a rate; far outside the axes for 0 and 1, and NaN for NaN."""
    if 0 < rate < 1:
        return _NORMAL.inv_cdf(rate)
    return math.nan if math.isnan(rate) else math.copysign(_BEYOND, rate - 0.5)


def _each(function: Callable[[float], float], values: Any) -> Doubles:
    return np.array([function(value) for value in np.asarray(values).tolist()])


def _lowest_rate(*curves: Doubles) -> float:
    """Return the lowest rate above 0, within the range in which the axes may begin."""
    lowest = min(rates.min(initial=_LOW, where=rates > 0) for rates in curves)
    return max(float(lowest), _LOWEST)
