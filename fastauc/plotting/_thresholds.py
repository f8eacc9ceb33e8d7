"""The display of rates against the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fastauc._counts.confusion_counts import threshold_counts
from fastauc._counts.threshold_counts import ThresholdCounts
from fastauc._drawing.axes import limits, mark_unit, unit_of_scores
from fastauc._drawing.thinning import Doubles
from fastauc._readings import Counts
from fastauc._validation.arrays import opposite
from fastauc._validation.errors import invalid_parameter
from fastauc.plotting._display import ArtistOptions, CountsDisplay
from fastauc.plotting._operating_points import OperatingPoint

RATES = {
    "tpr": "TPR (recall)",
    "fpr": "FPR",
    "precision": "precision",
    "f1": "F1",
    "accuracy": "accuracy",
    "share": "share predicted positive",
}
_USUAL_RATES = ("tpr", "fpr", "precision", "f1")


def rates_along(steps: ThresholdCounts) -> dict[str, Doubles]:
    """Return each rate along the increasing thresholds; NaN for a class without rows."""
    fps, tps = (counts[::-1].astype(np.float64) for counts in (steps.fps, steps.tps))
    n_neg, n_pos = fps[0], tps[0]
    total = n_neg + n_pos
    # Every threshold has rows at or above it, so that some are predicted positive.
    return {
        "tpr": tps / (n_pos or math.nan),
        "fpr": fps / (n_neg or math.nan),
        "precision": tps / (tps + fps),
        "f1": 2 * tps / (tps + fps + n_pos),
        "accuracy": (tps + (n_neg - fps)) / total,
        "share": (tps + fps) / total,
    }


@dataclass(kw_only=True, eq=False, repr=False)
class ThresholdDisplay(CountsDisplay):
    """Rates against the threshold: TPR, FPR, precision and others.

    Parameters
    ----------
    thresholds : float64 array of shape (n_thresholds,)
        In increasing order.
    rates : dict of str to float64 array of shape (n_thresholds,)
        "tpr", "fpr", "precision", "f1", "accuracy" and "share", the share of rows that are
        predicted positive; or some of them.
    is_exact : bool
        Whether every score is a threshold, so that rates are constant between thresholds. If not,
        straight lines join the known points.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Attributes
    ----------
    line_ : list of matplotlib Artists
        The curves: TPR, FPR, precision and F1, and the curves that ``add_rates`` has drawn.
    operating_points, points_ : lists of OperatingPoint and of matplotlib Artist
        The points that ``add_operating_points`` has marked, and vertical lines there.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import ThresholdDisplay
    >>> ax = Figure().subplots()
    >>> display = ThresholdDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.thresholds, display.rates["tpr"]
    (array([0.1 , 0.35, 0.4 , 0.8 ]), array([1. , 1. , 0.5, 0.5]))
    """

    thresholds: Doubles
    rates: dict[str, Doubles]
    is_exact: bool = True

    @classmethod
    def _values(cls, counts: Counts, higher_is_positive: bool) -> dict[str, Any]:
        steps = threshold_counts(counts)
        thresholds, rates = steps.lows[::-1].astype(np.float64), rates_along(steps)
        # The first bin of a histogram has no lower edge: nothing can be drawn there.
        known = slice(int(thresholds[0] == -math.inf), None)
        thresholds, rates = thresholds[known], {rate: rates[rate][known] for rate in rates}
        if not higher_is_positive:
            thresholds = opposite(thresholds[::-1])
            rates = {rate: rates[rate][::-1] for rate in rates}
        return {"thresholds": thresholds, "rates": rates, "is_exact": steps.is_mixed is None}

    def _draw(self, curve_kwargs: Any) -> None:
        self.line_: Any = []
        self.operating_points: list[OperatingPoint] = []
        self.points_: list[Any] = []
        self._unit = unit_of_scores(self.ax_, self.thresholds, self._method("plot"))
        self._draw_rates([rate for rate in _USUAL_RATES if rate in self.rates], curve_kwargs)
        self.ax_.set_ylim(limits(0, 1))
        threshold = "Threshold" if self.higher_is_positive else "Threshold (lower is positive)"
        self._finish(mark_unit(self.line_, self._unit, threshold), "Rate", "best")

    def _draw_rates(self, rates: Sequence[str], curve_kwargs: Any) -> None:
        # A rate holds for all thresholds from its own score to the next that predicts fewer rows.
        step = "steps-pre" if self.higher_is_positive else "steps-post"
        options = {"drawstyle": step if self.is_exact else "default"}
        options |= self._line_options(curve_kwargs)
        drawn = self.thresholds / self._unit
        ends = (drawn[0], drawn[-1]) if len(drawn) else (0.0, 1.0)
        for rate in rates:
            label = self._before + RATES[rate]
            self.line_.append(self._curve(drawn, self.rates[rate], options, ends=ends, label=label))

    def add_rates(self, *rates: str, curve_kwargs: ArtistOptions = None) -> Self:
        """Draw others of the rates, by name; options as for ``plot``."""
        for rate in rates:
            if rate not in self.rates:
                names = ", ".join(repr(rate) for rate in self.rates)
                expected = f"a str among {{{names}}}"
                raise invalid_parameter(self._method("add_rates"), "rates", expected, rate)
        self._draw_rates(rates, curve_kwargs)
        mark_unit(self.line_, self._unit, "")
        return self._added()

    def add_operating_points(self, *operating_points: Any) -> Self:
        """Mark thresholds, which are given as for ``RocCurveDisplay.add_operating_points``."""
        found = self._points_of(operating_points)
        for k, point in enumerate(found, start=len(self.operating_points)):
            if math.isfinite(point.threshold):
                look = {"color": self.ax_.xaxis.label.get_color(), "linewidth": 1.2}
                look |= {"linestyle": (0, (1, 1 + k)), "label": self._before + point.in_words()}
                self.points_.append(self.ax_.axvline(point.threshold / self._unit, **look))
        self.operating_points += found
        return self._added()
