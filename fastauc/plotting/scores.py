"""Displays of the scores themselves: their distribution by class, and their calibration."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.gains import ThresholdCounts
from fastauc._streaming.histogram import Counts
from fastauc._validation.arrays import Array
from fastauc._validation.options import check_bins_of_rows, check_option
from fastauc.plotting._display import (
    Display,
    draw_line,
    limits,
    mark_unit,
    next_style,
    style_of,
    unit_of_scores,
    usual_bins,
)
from fastauc.plotting._thinning import Doubles

_LARGEST = float(np.finfo(np.float64).max)


class ScoreCells(NamedTuple):
    """Rows of one score, or of scores between two ends, in increasing order.

    Attributes
    ----------
    lows, highs : float64 arrays of shape (n_cells,)
        The ends of each cell, equal for a single score. All are finite: a cell without an end is
        taken to be as wide as the next one.
    neg, pos : arrays of shape (n_cells,)
        The rows of each class, or their weight.
    """

    lows: Doubles
    highs: Doubles
    neg: Array
    pos: Array

    def are_probabilities(self) -> bool:
        """Tell whether no score is known to be outside [0, 1]."""
        return bool(self.highs[0] >= 0 and self.lows[-1] <= 1)


def cells_of(groups: ThresholdCounts) -> ScoreCells:
    """Return the rows of each group."""
    lows, highs = (ends[::-1].astype(np.float64) for ends in (groups.lows, groups.highs))
    neg, pos = (np.diff(counts, prepend=0)[::-1] for counts in (groups.fps, groups.tps))
    held = neg + pos > 0  # a weight may be lost in a sum of larger ones
    lows, highs, neg, pos = (values[held] for values in (lows, highs, neg, pos))
    with np.errstate(over="ignore"):  # an infinite width is not taken, and an infinite end clipped
        widths = highs - lows
        known = widths[np.isfinite(widths) & (widths > 0)]
        if lows[0] == -math.inf:
            lows[0] = highs[0] - (known[0] if len(known) else 1.0)
        if highs[-1] == math.inf:
            highs[-1] = lows[-1] + (known[-1] if len(known) else 1.0)
    lows, highs = (np.clip(ends, -_LARGEST, _LARGEST) for ends in (lows, highs))
    return ScoreCells(lows, highs, neg, pos)


def edges_between(cells: ScoreCells, bins: int) -> Doubles:
    """Return the edges of bins of equal width, but for those that would cut a cell.

    They move to the nearest end of the cell, so that there may be fewer bins.
    """
    low, high = cells.lows[0], cells.highs[-1]
    if low == high:
        half = max(0.5, math.ulp(low))
        return np.array([max(float(low) - half, -_LARGEST), min(float(high) + half, _LARGEST)])
    part = np.arange(bins + 1) / bins
    with np.errstate(over="ignore"):
        edges = (1 - part) * low + part * high  # no difference of the ends, which may be too large
    edges = np.clip(edges, low, high)  # rounding may lead beyond them
    cell = np.maximum(np.searchsorted(cells.lows, edges, "right") - 1, 0)
    before, beyond = cells.lows[cell], cells.highs[cell]
    # Of two distances that add up to less than twice the largest double, one is finite at least,
    # and the lesser one.
    with np.errstate(over="ignore"):
        nearest = np.where(edges - before <= beyond - edges, before, beyond)
    edges = np.where((before < edges) & (edges < beyond), nearest, edges)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def find_bins(cells: ScoreCells, edges: Doubles) -> NDArray[np.intp]:
    """Return the bin of each cell; the last bin has its upper edge, too."""
    return np.clip(np.searchsorted(edges, cells.lows, "right") - 1, 0, len(edges) - 2)


def sums_of_bins(bin_of: NDArray[np.intp], n_bins: int, values: Array) -> Doubles:
    """Return the sum of the values in each bin, in the order of the cells."""
    return np.bincount(bin_of, weights=values, minlength=n_bins).astype(np.float64, copy=False)


class Calibration(NamedTuple):
    """The mean score and the share of positives in each bin that holds rows.

    Attributes
    ----------
    prob_true : float64 array of shape (n_bins,)
        The share of the positives among the rows.
    prob_pred_low, prob_pred_high : float64 arrays of shape (n_bins,)
        The least and the greatest mean that the scores may have: equal if they are known.
    """

    prob_true: Doubles
    prob_pred_low: Doubles
    prob_pred_high: Doubles


def calibrate(cells: ScoreCells, bin_of: NDArray[np.intp]) -> Calibration:
    """Return what the scores promise in each bin, and what there is."""
    held, bin_of = np.unique(bin_of, return_inverse=True)
    n_bins, in_cell = len(held), cells.neg + cells.pos
    rows = sums_of_bins(bin_of, n_bins, in_cell)
    share = in_cell / rows[bin_of]  # first: sums of scores may be too large
    # No mean is beyond all scores, but rounded it may be, and beyond the largest double even.
    low, high = (
        np.clip(sums_of_bins(bin_of, n_bins, share * ends), ends[0], ends[-1])
        for ends in (cells.lows, cells.highs)
    )
    return Calibration(sums_of_bins(bin_of, n_bins, cells.pos) / rows, low, high)


_MOST_BINS, _LEAST_BINS = 40, 10


class ScoreDistributionDisplay(Display):
    """The distribution of the scores of each class, as two histograms of area 1.

    Parameters
    ----------
    edges : float64 array of shape (n_bins + 1,)
        The edges of the bins; the last bin has its upper edge, too.
    neg_share, pos_share : float64 arrays of shape (n_bins,)
        The share of the class in each bin; NaN for a class without rows.
    name : str, optional
        What the legend calls the model.

    Attributes
    ----------
    line_ : list of matplotlib Artists
        The outlines of the negatives and of the positives, if there are such rows.
    ax_, figure_ : matplotlib Axes and Figure
        Where they are drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import ScoreDistributionDisplay
    >>> ax = Figure().subplots()
    >>> display = ScoreDistributionDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.0, 0.4, 0.35, 0.8], bins=2, ax=ax
    ... )
    >>> display.edges, display.neg_share, display.pos_share
    (array([0. , 0.4, 0.8]), array([0.5, 0.5]), array([0.5, 0.5]))
    """

    def __init__(
        self,
        *,
        edges: Doubles,
        neg_share: Doubles,
        pos_share: Doubles,
        name: str | None = None,
    ) -> None:
        self.edges, self.neg_share, self.pos_share = edges, neg_share, pos_share
        self.name = name

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        bins: int | None = None,
        **options: Any,
    ) -> Self:
        """Draw the scores of counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            Of a histogram the cells stay whole: an edge that would cut one moves to its end. A
            cell without an end, as the first one, is drawn as wide as the next one.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        bins : int, optional
            Bins of equal width between the least and the greatest score. If left out, twice the
            cubic root of the rows (the rule of Rice), but from 10 to 40; 40 of weighted rows.
        **options
            What ``plot`` takes.
        """
        cls._check(counts, name, ax)
        groups = counts._groups()
        if bins is None:
            rule = (
                _MOST_BINS if groups.is_weighted else math.ceil(2 * float(groups.total) ** (1 / 3))
            )
            bins = min(max(rule, _LEAST_BINS), _MOST_BINS)
        check_bins_of_rows(bins, None, cls.__name__)
        cells = cells_of(groups)
        edges = edges_between(cells, int(bins))
        bin_of = find_bins(cells, edges)
        shares = []
        for rows in (cells.neg, cells.pos):
            total = rows.sum()
            sums = sums_of_bins(bin_of, len(edges) - 1, rows)
            shares.append(sums / total if total > 0 else np.full(len(sums), np.nan))
        display = cls(edges=edges, neg_share=shares[0], pos_share=shares[1], name=name)
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, *, name: str | None = None, **patch_options: Any) -> Self:
        """Draw both classes, beside what the axes already have.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        name : str, optional
            What the legend calls the model, if not what the display does.
        **patch_options
            For both outlines, as ``linewidth``.
        """
        ax, name = self._open(ax, name)
        unit = unit_of_scores(ax, self.edges, "ScoreDistributionDisplay.plot")
        edges = self.edges / unit
        self.line_ = []
        before = "" if name is None else f"{name}: "
        first = next_style(ax).model  # of the positives, as wherever there are both
        classes = ("negatives", self.neg_share, first + 1), ("positives", self.pos_share, first)
        for label, shares, model in classes:
            if np.isnan(shares).any():
                continue
            style = style_of(model)
            density = shares / np.diff(edges)
            if style.model < 2:  # the first display; of more of them, the areas would hide lines
                ax.stairs(density, edges, fill=True, color=style.color, alpha=0.2, linewidth=0)
            defaults = {"linewidth": 1.8, "linestyle": style.linestyle, "color": style.color}
            options = defaults | {"label": before + label} | patch_options
            self.line_.append(style.mark(ax.stairs(density, edges, **options)))
        ax.autoscale(axis="y")
        ax.set_ylim(bottom=0)
        return self._finish(mark_unit(self.line_, unit, "Score"), "Density of each class", "best")


ScoreDistributionDisplay.__module__ = "fastauc.plotting"


class CalibrationDisplay(Display):
    """The share of positives against the mean score, in bins of the score.

    Parameters
    ----------
    prob_true, prob_pred : float64 arrays of shape (n_bins,)
        The share of the positives in each bin, and the mean of the scores: of bins of a histogram,
        the middle of what it may be.
    prob_pred_low, prob_pred_high : float64 arrays of shape (n_bins,), optional
        Bounds of the mean, if it is not known.
    is_probability : bool
        Whether the scores are in [0, 1], so that the share should be the score.
    name : str, optional
        What the legend calls the model.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    bounds_ : matplotlib Artist or None
        Bars from bound to bound of the mean scores, if these are not known.
    perfect_ : matplotlib Artist or None
        The diagonal of perfectly calibrated scores, if it is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where they are drawn.

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

    def __init__(
        self,
        *,
        prob_true: Doubles,
        prob_pred: Doubles,
        prob_pred_low: Doubles | None = None,
        prob_pred_high: Doubles | None = None,
        is_probability: bool = True,
        name: str | None = None,
    ) -> None:
        self.prob_true, self.prob_pred = prob_true, prob_pred
        self.prob_pred_low, self.prob_pred_high = prob_pred_low, prob_pred_high
        self.is_probability, self.name = is_probability, name

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        bins: int | None = None,
        strategy: str = "quantile",
        **options: Any,
    ) -> Self:
        """Draw the bins of counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            The cells of a histogram stay whole; the mean of their scores is only bounded. A cell
            without an end, as the first one, is taken to be as wide as the next one.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        bins : int, optional
            Number of bins; 10, or that of the rows if it is less, if left out.
        strategy : {"quantile", "uniform"}
            Bins of equally many rows, tied rows together, as those of ``gains_table``; or of equal
            width between the least and the greatest score.
        **options
            What ``plot`` takes.
        """
        cls._check(counts, name, ax)
        bins = usual_bins(counts, bins, cls.__name__)
        check_option(strategy, "strategy", ("quantile", "uniform"), cls.__name__)
        cells = cells_of(counts._groups())
        if strategy == "uniform":
            bin_of = find_bins(cells, edges_between(cells, bins))
        else:
            starts = counts.gains_table(bins=bins)["min_score"][::-1].astype(np.float64)
            bin_of = np.searchsorted(starts, cells.lows, "right") - 1
        found = calibrate(cells, bin_of)
        low, high = found.prob_pred_low, found.prob_pred_high
        is_known = bool((low == high).all())
        return cls(
            prob_true=found.prob_true,
            prob_pred=low + (high / 2 - low / 2),  # halves: the difference may be too large
            prob_pred_low=None if is_known else low,
            prob_pred_high=None if is_known else high,
            is_probability=cells.are_probabilities(),
            name=name,
        ).plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_perfect: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw the curve, beside what the axes already have.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        name : str, optional
            What the legend calls the model, if not what the display does.
        plot_perfect : bool
            Whether to draw the diagonal of perfectly calibrated scores, if these are in [0, 1].
        **line_options
            For the curve, as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        style = next_style(ax)
        defaults = {
            "label": "Share by mean score" if name is None else name,
            "marker": style.marker,
            "markersize": 5,
        }
        unit = unit_of_scores(ax, self._drawn(), "CalibrationDisplay.plot")
        options = defaults | line_options
        self.line_ = draw_line(ax, self.prob_pred / unit, self.prob_true, style, **options)
        self.bounds_ = None
        if self.prob_pred_low is not None and self.prob_pred_high is not None:
            self.bounds_ = ax.hlines(
                self.prob_true,
                self.prob_pred_low / unit,
                self.prob_pred_high / unit,
                color=self.line_.get_color(),
                linewidth=1,
            )
        ax.set_ylim(limits(0, 1))
        if self.is_probability:
            ax.set(xlim=limits(0, 1), aspect="equal")
        self.perfect_ = self._reference(
            [0, 1], [0, 1], "Perfectly calibrated", wanted=plot_perfect and self.is_probability
        )
        return self._finish(
            mark_unit([self.line_], unit, "Mean score"), "Share of positives", "best"
        )

    def _drawn(self) -> Doubles:
        """Return the places along the axis of scores that have to be in the picture."""
        if self.is_probability:
            return np.array([0.0, 1.0])
        means = (self.prob_pred, self.prob_pred_low, self.prob_pred_high)
        return np.concatenate([ends for ends in means if ends is not None])


CalibrationDisplay.__module__ = "fastauc.plotting"
