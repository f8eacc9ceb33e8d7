"""The display of calibration: predicted scores against observed shares of positives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

import numpy as np

from fastauc._drawing.axes import draw_line, mark_unit, next_style, unit_of_scores
from fastauc._drawing.calibration import LEVEL, calibration_of, limits_of_shares
from fastauc._drawing.thinning import Doubles
from fastauc._drawing.words import percent
from fastauc._readings import Counts
from fastauc._validation.literals import Strategy
from fastauc._validation.options import check_option
from fastauc.plotting._display import ArtistOptions, CountsDisplay, usual_bins

_STRIP = 0.18  # the part of the picture that is left to the histogram


@dataclass(kw_only=True, eq=False, repr=False)
class CalibrationDisplay(CountsDisplay):
    """The calibration curve: the share of positives against the mean score, in bins.

    Parameters
    ----------
    prob_true, prob_pred : float64 arrays of shape (n_bins,)
        The share of positives in each bin, and the mean score; from a histogram, the middle of its
        bounds.
    prob_true_low, prob_true_high : float64 arrays of shape (n_bins,), optional
        The ends of Wilson's 95% interval of each share, if rows are counted and not weighted.
    prob_pred_low, prob_pred_high : float64 arrays of shape (n_bins,), optional
        Bounds of the mean score, if it is not known exactly.
    edges, n : float64 arrays of shape (n_bars + 1,) and (n_bars,), optional
        The histogram of the scores in the picture: the edges of its bars, and the rows in each.
    is_probability : bool
        Whether the scores are in [0, 1], so that calibrated ones lie on the diagonal.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``; scores lower for the positives are no probabilities of them.

    Other Parameters
    ----------------
    bins : int, optional
        Of the constructors: the number of bins; if left out, 10, or the number of rows if that is
        less. The bins of a histogram are not split, and their mean scores are only bounded; its
        open bins at the ends are given the width of their neighbors.
    strategy : {"quantile", "uniform"}
        Of the constructors: bins with equal numbers of rows, tied rows together, as in
        ``gains_table``; or bins of equal width between the lowest and the highest score.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    intervals_, bounds_ : matplotlib Artist or None
        Vertical bars of the intervals, and horizontal ones between the bounds of the mean scores.
    histogram_, perfect_ : matplotlib Artist or None
        The histogram below the curve, and the diagonal of perfectly calibrated scores.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import CalibrationDisplay
    >>> ax = Figure().subplots()
    >>> display = CalibrationDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.25, 0.5, 0.25, 0.75], bins=2, ax=ax
    ... )
    >>> display.prob_pred, display.prob_true
    (array([0.25 , 0.625]), array([0.5, 0.5]))
    """

    prob_true: Doubles
    prob_pred: Doubles
    prob_true_low: Doubles | None = None
    prob_true_high: Doubles | None = None
    prob_pred_low: Doubles | None = None
    prob_pred_high: Doubles | None = None
    edges: Doubles | None = None
    n: Doubles | None = None
    is_probability: bool = True

    _RESPONSES: ClassVar = ("predict_proba",)

    @classmethod
    def _values(
        cls,
        counts: Counts,
        higher_is_positive: bool,
        *,
        bins: int | None = None,
        strategy: Strategy = "quantile",
    ) -> dict[str, Any]:
        bins = usual_bins(counts, bins, cls.__name__)
        check_option(strategy, "strategy", get_args(Strategy), cls.__name__)
        return calibration_of(counts, bins, strategy, higher_is_positive)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        curve_kwargs: ArtistOptions = None,
        ref_line: bool = True,
    ) -> Self:
        """Draw the curve in addition to the contents of the axes.

        Parameters
        ----------
        ax, name, curve_kwargs
            As for ``RocCurveDisplay``.
        ref_line : bool
            Whether to draw the diagonal of perfectly calibrated scores, if these are in [0, 1].
        """
        self._open(ax, name)
        ax, style = self.ax_, next_style(self.ax_)
        label = "Share by mean score" if self._name is None else self._name
        defaults = {"label": label, "marker": style.marker, "markersize": 5}
        scores, shares = self._ends()
        unit = unit_of_scores(ax, scores, self._method("plot"))
        options = defaults | self._line_options(curve_kwargs)
        self.line_: Any = draw_line(ax, self.prob_pred / unit, self.prob_true, style, **options)
        color = self.line_.get_color()
        self.intervals_: Any = None
        self.bounds_: Any = None
        self.histogram_: Any = None
        self.perfect_: Any = None
        if self.prob_true_low is not None and self.prob_true_high is not None:
            ends = self.prob_true_low, self.prob_true_high
            self.intervals_ = ax.vlines(self.prob_pred / unit, *ends, color=color, linewidth=1.2)
        if self.prob_pred_low is not None and self.prob_pred_high is not None:
            ends = self.prob_pred_low / unit, self.prob_pred_high / unit
            self.bounds_ = ax.hlines(self.prob_true, *ends, color=color, linewidth=1)
        if self.edges is not None and self.n is not None:
            bars = self.n / np.diff(self.edges / unit)
            self.histogram_ = ax.stairs(
                0.9 * _STRIP * bars / (bars.max() or 1.0),
                self.edges / unit,
                transform=ax.get_xaxis_transform(),
                fill=style.model == 0,  # those of others are outlines
                color=color,
                alpha=0.5,
            )
        self._zoom(scores / unit, shares)
        if ref_line and self.is_probability:
            self.perfect_ = self._reference([0, 1], [0, 1], "Perfectly calibrated")
        below = "" if self.histogram_ is None else "; bars: histogram of the scores"
        title = mark_unit([self.line_], unit, f"Mean score{below}")
        interval = "" if self.intervals_ is None else f", with {percent(LEVEL)} intervals"
        corner = "upper left" if self.is_probability else "best"
        self._finish(title, f"Share of positives{interval}", corner)
        return self

    def _ends(self) -> tuple[Doubles, Doubles]:
        """Return scores and shares that have to be in the picture, and others between them."""
        means = (self.prob_pred, self.prob_pred_low, self.prob_pred_high)
        shares = (self.prob_true, self.prob_true_low, self.prob_true_high)
        along, up = (
            np.concatenate([ends for ends in values if ends is not None])
            for values in (means, shares)
        )
        up = np.array(limits_of_shares(up)) if len(up) else np.array([0.0, 1.0])
        if self.is_probability:
            along = up = np.array(limits_of_shares(along, up))
        return along, up

    def _zoom(self, scores: Doubles, shares: Doubles) -> None:
        """Show what the curves of all models need, above a strip for the histograms."""
        from matplotlib.ticker import MaxNLocator

        ax = self.ax_
        self.line_.fastauc_ends = scores.min(), scores.max(), shares.min(), shares.max()
        ends = [line.fastauc_ends for line in ax.lines if hasattr(line, "fastauc_ends")]
        (left, _, bottom, _), (_, right, _, top) = np.min(ends, axis=0), np.max(ends, axis=0)
        room = (top - bottom) / 40
        strip = 0.0 if self.histogram_ is None else _STRIP / (1 - _STRIP) * (top - bottom)
        ax.set_ylim(bottom - strip - room, top + room)
        ticks = MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(bottom, top)
        ax.set_yticks(ticks[(bottom <= ticks) & (ticks <= top)])
        # The axis of the shares ends above the strip.
        for side in ("left", "right"):
            ax.spines[side].set_bounds(bottom - room, top + room)
        bases = [line for line in ax.lines if hasattr(line, "fastauc_base")]
        look = {"color": ax.spines["bottom"].get_edgecolor(), "linewidth": 0.8}
        base = bases[0] if bases else ax.axhline(**look)
        base.set_ydata([bottom - room] * 2)
        base.fastauc_base = True
        if self.is_probability:
            ax.set(xlim=(left - room, right + room), aspect="equal")
