"""The display of rates against the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.gains import ThresholdCounts
from fastauc._validation.arrays import opposite
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc.plotting._axes import limits, mark_unit, unit_of_scores
from fastauc.plotting._display import ArtistOptions, Display
from fastauc.plotting._operating_points import OperatingPoint, find_operating_points
from fastauc.plotting._thinning import Doubles
from fastauc.streaming._histogram import Counts

RATES = {
    "tpr": "TPR (recall)",
    "fpr": "FPR",
    "precision": "precision",
    "f1": "F1",
    "accuracy": "accuracy",
    "positive_rate": "share predicted positive",
}


def rates_along(groups: ThresholdCounts) -> dict[str, Doubles]:
    """Return each rate along the increasing thresholds; NaN for a class without rows."""
    fps, tps = (counts[::-1].astype(np.float64) for counts in (groups.fps, groups.tps))
    n_neg, n_pos = fps[0], tps[0]
    total = n_neg + n_pos
    # Every threshold has rows at or above it, so that some are predicted positive.
    return {
        "tpr": tps / (n_pos or math.nan),
        "fpr": fps / (n_neg or math.nan),
        "precision": tps / (tps + fps),
        "f1": 2 * tps / (tps + fps + n_pos),
        "accuracy": (tps + (n_neg - fps)) / total,
        "positive_rate": (tps + fps) / total,
    }


class ThresholdDisplay(Display):
    """Rates against the threshold: TPR, FPR, precision and others.

    Parameters
    ----------
    thresholds : float64 array of shape (n_thresholds,)
        In increasing order.
    rates : dict of str to float64 array of shape (n_thresholds,)
        "tpr", "fpr", "precision", "f1", "accuracy" and "positive_rate", the share of rows that are
        predicted positive; or some of them.
    is_exact : bool
        Whether every score is a threshold, so that rates are constant between thresholds. If not,
        straight lines join the known points.
    operating_points : list of OperatingPoint
        Points to mark.
    higher_is_positive : bool
        Whether rows at or above a threshold are predicted positive; if not, those at or below it.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : list of matplotlib Artists
        The curves.
    points_ : list of matplotlib Artists
        Vertical lines at the operating points.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import ThresholdDisplay
    >>> ax = Figure().subplots()
    >>> display = ThresholdDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.thresholds, display.rates["tpr"]
    (array([0.1 , 0.35, 0.4 , 0.8 ]), array([1. , 1. , 0.5, 0.5]))
    """

    def __init__(
        self,
        *,
        thresholds: Doubles,
        rates: dict[str, Doubles],
        is_exact: bool = True,
        operating_points: Sequence[OperatingPoint] = (),
        higher_is_positive: bool = True,
        name: str | None = None,
    ) -> None:
        self.thresholds, self.rates, self.is_exact = thresholds, rates, is_exact
        self.operating_points, self.name = list(operating_points), name
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
        operating_points: Any = None,
        rates: Sequence[str] = ("tpr", "fpr", "precision", "f1"),
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        higher_is_positive : bool
            False for scores that are lower for the positives, like scorecard points for bad loans.
        name, ax, operating_points, rates, curve_kwargs
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
            operating_points=operating_points,
            rates=rates,
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
        operating_points: Any = None,
        rates: Sequence[str] = ("tpr", "fpr", "precision", "f1"),
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the rates of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the rates at its bin edges, joined by straight lines.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        higher_is_positive : bool
            False if the counts are those of the opposite scores: thresholds are those of the scores
            themselves, and rows at or below one are predicted positive.
        operating_points : float, str, OptimalThreshold, or a list of these, optional
            Thresholds to mark, as for ``RocCurveDisplay``.
        rates, curve_kwargs
            As for ``plot``.
        """
        cls._check(counts, name, ax, higher_is_positive)
        groups = counts._groups()
        thresholds = groups.lows[::-1].astype(np.float64)
        found = rates_along(groups)
        # The first bin of a histogram has no lower edge: nothing can be drawn there.
        known = slice(int(thresholds[0] == -math.inf), None)
        thresholds = thresholds[known]
        found = {rate: values[known] for rate, values in found.items()}
        if not higher_is_positive:
            thresholds = opposite(thresholds[::-1])
            found = {rate: values[::-1] for rate, values in found.items()}
        return cls(
            thresholds=thresholds,
            rates=found,
            is_exact=groups.is_mixed is None,
            operating_points=find_operating_points(
                counts, operating_points, cls.__name__, higher_is_positive=higher_is_positive
            ),
            higher_is_positive=higher_is_positive,
            name=name,
        ).plot(ax, rates=rates, curve_kwargs=curve_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        rates: Sequence[str] = ("tpr", "fpr", "precision", "f1"),
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw some of the rates in addition to what the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        rates : sequence of str
            The rates to draw.
        curve_kwargs : dict, optional
            Options of all curves, such as ``linewidth``.
        """
        if isinstance(rates, str) or not all(rate in self.rates for rate in rates):
            names = ", ".join(repr(rate) for rate in self.rates)
            raise invalid_parameter(
                "ThresholdDisplay.plot", "rates", f"a list of str among {{{names}}}", rates
            )
        ax, name = self._open(ax, name)
        before = "" if name is None else f"{name}: "
        # A rate holds for all thresholds from its own score to the next that predicts fewer rows.
        step = "steps-pre" if self.higher_is_positive else "steps-post"
        steps = {"drawstyle": step if self.is_exact else "default"}
        options = steps | self._line_options(curve_kwargs)
        unit = unit_of_scores(ax, self.thresholds, "ThresholdDisplay.plot")
        drawn = self.thresholds / unit
        ends = (drawn[0], drawn[-1]) if len(drawn) else (0.0, 1.0)
        self.line_ = [
            self._curve(drawn, self.rates[rate], options, ends=ends, label=before + RATES[rate])
            for rate in rates
        ]
        self.points_ = [
            ax.axvline(
                point.threshold / unit,
                color=ax.xaxis.label.get_color(),
                linestyle=(0, (1, 1 + k)),
                linewidth=1.2,
                label=before + point.in_words(),
            )
            for k, point in enumerate(self.operating_points)
            if math.isfinite(point.threshold)
        ]
        ax.set_ylim(limits(0, 1))
        threshold = "Threshold" if self.higher_is_positive else "Threshold (lower is positive)"
        return self._finish(mark_unit(self.line_, unit, threshold), "Rate", "best")


ThresholdDisplay.__module__ = "fastauc.plotting"
