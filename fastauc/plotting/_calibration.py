"""The display of calibration: predicted scores against observed shares of positives."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._validation.labels import Label
from fastauc._validation.options import check_option
from fastauc.plotting._axes import draw_line, limits, mark_unit, next_style, unit_of_scores
from fastauc.plotting._display import ArtistOptions, Display, check_axes, usual_bins
from fastauc.plotting._estimators import predict
from fastauc.plotting._score_cells import (
    ScoreCells,
    cells_of,
    edges_between,
    find_bins,
    sums_of_bins,
)
from fastauc.plotting._thinning import Doubles
from fastauc.streaming._histogram import Counts


class Calibration(NamedTuple):
    """The mean score and the share of positives in each bin that holds rows.

    Attributes
    ----------
    prob_true : float64 array of shape (n_bins,)
        The share of positives among the rows.
    prob_pred_low, prob_pred_high : float64 arrays of shape (n_bins,)
        The lowest and the highest possible mean score; equal if the scores are known.
    """

    prob_true: Doubles
    prob_pred_low: Doubles
    prob_pred_high: Doubles


def calibrate(cells: ScoreCells, bin_of: NDArray[np.intp]) -> Calibration:
    """Return the mean score and the observed share of positives in each bin."""
    held, bin_of = np.unique(bin_of, return_inverse=True)
    n_bins, in_cell = len(held), cells.neg + cells.pos
    rows = sums_of_bins(bin_of, n_bins, in_cell)
    share = in_cell / rows[bin_of]  # divided first: sums of scores may overflow
    # A mean lies between the scores, but rounding can push it outside, even to infinity.
    low, high = (
        np.clip(sums_of_bins(bin_of, n_bins, share * ends), ends[0], ends[-1])
        for ends in (cells.lows, cells.highs)
    )
    return Calibration(sums_of_bins(bin_of, n_bins, cells.pos) / rows, low, high)


class CalibrationDisplay(Display):
    """The calibration curve: the share of positives against the mean score, in bins.

    Parameters
    ----------
    prob_true, prob_pred : float64 arrays of shape (n_bins,)
        The share of positives in each bin, and the mean score; from a histogram, the middle of its
        bounds.
    prob_pred_low, prob_pred_high : float64 arrays of shape (n_bins,), optional
        Bounds of the mean score, if it is not known exactly.
    is_probability : bool
        Whether the scores are in [0, 1], so that calibrated ones lie on the diagonal.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    bounds_ : matplotlib Artist or None
        Bars between the bounds of the mean scores, if these are not known exactly.
    perfect_ : matplotlib Artist or None
        The diagonal of perfectly calibrated scores, if it is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

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
        bins: int | None = None,
        strategy: str = "quantile",
        plot_perfect: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        name, ax, bins, strategy, plot_perfect, curve_kwargs
            As for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, ax)
        return cls.from_counts(
            counts,
            name=name,
            ax=ax,
            bins=bins,
            strategy=strategy,
            plot_perfect=plot_perfect,
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
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Any = None,
        bins: int | None = None,
        strategy: str = "quantile",
        plot_perfect: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the probabilities of a fitted classifier, as scikit-learn's display does.

        Parameters
        ----------
        estimator : classifier
            Fitted on two classes, with ``predict_proba``.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y, sample_weight
            Labels and weights, as for ``from_predictions``.
        pos_label : int, float, bool or str, optional
            The positive label; the second of ``estimator.classes_`` if left out.
        name : str, optional
            The name of the model in the legend; the class of the estimator if left out.
        ax, bins, strategy, plot_perfect, curve_kwargs
            As for ``from_counts``.
        """
        check_axes(ax, cls.__name__)
        sample = predict(
            estimator,
            X,
            y,
            sample_weight,
            response_method="predict_proba",
            pos_label=pos_label,
            function=f"{cls.__name__}.from_estimator",
        )
        return cls.from_predictions(
            **sample._asdict(),
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            bins=bins,
            strategy=strategy,
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
        bins: int | None = None,
        strategy: str = "quantile",
        plot_perfect: bool = True,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the calibration curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            The bins of a histogram are not split, and their mean scores are only bounded. Its open
            bins at the ends are given the width of their neighbors.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        bins : int, optional
            Number of bins; if left out, 10, or the number of rows if that is less.
        strategy : {"quantile", "uniform"}
            Bins with equal numbers of rows, tied rows together, like those of ``gains_table``; or
            bins of equal width between the lowest and the highest score.
        plot_perfect, curve_kwargs
            As for ``plot``.
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
            prob_pred=low + (high / 2 - low / 2),  # halves: the difference may overflow
            prob_pred_low=None if is_known else low,
            prob_pred_high=None if is_known else high,
            is_probability=cells.are_probabilities(),
            name=name,
        ).plot(ax, plot_perfect=plot_perfect, curve_kwargs=curve_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
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
        plot_perfect : bool
            Whether to draw the diagonal of perfectly calibrated scores, if these are in [0, 1].
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``.
        """
        ax, name = self._open(ax, name)
        style = next_style(ax)
        defaults = {
            "label": "Share by mean score" if name is None else name,
            "marker": style.marker,
            "markersize": 5,
        }
        unit = unit_of_scores(ax, self._drawn(), "CalibrationDisplay.plot")
        options = defaults | self._line_options(curve_kwargs)
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
        """Return the scores that have to be in the picture."""
        if self.is_probability:
            return np.array([0.0, 1.0])
        means = (self.prob_pred, self.prob_pred_low, self.prob_pred_high)
        return np.concatenate([ends for ends in means if ends is not None])


CalibrationDisplay.__module__ = "fastauc.plotting"
