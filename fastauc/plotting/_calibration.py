"""The display of calibration: predicted scores against observed shares of positives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.methods import threshold_counts
from fastauc._drawing.axes import draw_line, limits, mark_unit, next_style, unit_of_scores
from fastauc._drawing.score_cells import (
    ScoreCells,
    cells_of,
    edges_between,
    find_bins,
    sums_of_bins,
)
from fastauc._drawing.thinning import Doubles
from fastauc._validation.arrays import opposite
from fastauc._validation.labels import Label
from fastauc._validation.options import check_option
from fastauc.plotting._curve_display import predict
from fastauc.plotting._display import (
    ArtistOptions,
    Counts,
    Display,
    check_axes,
    usual_bins,
)


def calibrate(cells: ScoreCells, bin_of: NDArray[np.intp]) -> tuple[Doubles, Doubles, Doubles]:
    """Return the share of positives in each bin with rows, and bounds of the mean score there.

    The bounds are equal if the scores are known.
    """
    held, bin_of = np.unique(bin_of, return_inverse=True)
    n_bins, in_cell = len(held), cells.neg + cells.pos
    rows = sums_of_bins(bin_of, n_bins, in_cell)
    share = in_cell / rows[bin_of]  # divided first: sums of scores may overflow
    # A mean lies between the scores, but rounding can push it outside, even to infinity.
    low, high = (
        np.clip(sums_of_bins(bin_of, n_bins, share * ends), ends[0], ends[-1])
        for ends in (cells.lows, cells.highs)
    )
    return sums_of_bins(bin_of, n_bins, cells.pos) / rows, low, high


@dataclass(kw_only=True, eq=False, repr=False)
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
    name, counts, higher_is_positive
        As for ``RocCurveDisplay``.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    bounds_, perfect_ : matplotlib Artist or None
        Bars between the bounds of the mean scores, if these are not known exactly; and the diagonal
        of perfectly calibrated scores, if it is drawn.

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
    prob_pred_low: Doubles | None = None
    prob_pred_high: Doubles | None = None
    is_probability: bool = True

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        n_jobs: int | None = None,
        higher_is_positive: bool = True,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        bins: int | None = None,
        strategy: str = "quantile",
        ref_line: bool = True,
    ) -> Self:
        """Sort the labels and scores once, and draw their calibration curve.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``RocCurveDisplay``; the others as for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, higher_is_positive)
        return cls.from_counts(
            counts,
            higher_is_positive=higher_is_positive,
            name=name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            bins=bins,
            strategy=strategy,
            ref_line=ref_line,
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
        curve_kwargs: ArtistOptions = None,
        bins: int | None = None,
        strategy: str = "quantile",
        ref_line: bool = True,
    ) -> Self:
        """Draw the probabilities of a fitted classifier, as scikit-learn's display does.

        Parameters
        ----------
        estimator : classifier
            Fitted on two classes, with ``predict_proba``.
        X, y, sample_weight, pos_label, name
            As for ``RocCurveDisplay.from_estimator``.
        ax, curve_kwargs, bins, strategy, ref_line
            As for ``from_counts``.
        """
        check_axes(ax, cls.__name__)
        function = f"{cls.__name__}.from_estimator"
        sample = predict(estimator, X, y, sample_weight, "predict_proba", pos_label, function)
        return cls.from_predictions(
            **sample._asdict(),
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            bins=bins,
            strategy=strategy,
            ref_line=ref_line,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        higher_is_positive: bool = True,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        bins: int | None = None,
        strategy: str = "quantile",
        ref_line: bool = True,
    ) -> Self:
        """Draw the calibration curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            The bins of a histogram are not split, and their mean scores are only bounded. Its open
            bins at the ends are given the width of their neighbors.
        higher_is_positive, name, ax, curve_kwargs
            As for ``RocCurveDisplay``; scores lower for the positives are no probabilities of them.
        bins : int, optional
            Number of bins; if left out, 10, or the number of rows if that is less.
        strategy : {"quantile", "uniform"}
            Bins with equal numbers of rows, tied rows together, like those of ``gains_table``; or
            bins of equal width between the lowest and the highest score.
        ref_line : bool
            Whether to draw the diagonal of perfectly calibrated scores, if these are in [0, 1].
        """
        cls._check(counts, name, ax, higher_is_positive)
        bins = usual_bins(counts, bins, cls.__name__)
        check_option(strategy, "strategy", ("quantile", "uniform"), cls.__name__)
        cells = cells_of(threshold_counts(counts))
        if strategy == "uniform":
            bin_of = find_bins(cells, edges_between(cells, bins))
        else:
            starts = counts.gains_table(bins=bins)["min_score"][::-1].astype(np.float64)
            bin_of = np.searchsorted(starts, cells.lows, "right") - 1
        prob_true, low, high = calibrate(cells, bin_of)
        if not higher_is_positive:
            prob_true, low, high = prob_true[::-1], opposite(high[::-1]), opposite(low[::-1])
        is_known = bool((low == high).all())
        return cls(
            prob_true=prob_true,
            prob_pred=low + (high / 2 - low / 2),  # halves: the difference may overflow
            prob_pred_low=None if is_known else low,
            prob_pred_high=None if is_known else high,
            is_probability=higher_is_positive and cells.are_probabilities(),
            name=name,
            counts=counts,
            higher_is_positive=higher_is_positive,
        ).plot(ax, curve_kwargs=curve_kwargs, ref_line=ref_line)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        curve_kwargs: ArtistOptions = None,
        ref_line: bool = True,
    ) -> Self:
        """Draw the curve in addition to what the axes contain; options as for ``from_counts``."""
        self._open(ax, name)
        ax, style = self.ax_, next_style(self.ax_)
        defaults = {
            "label": "Share by mean score" if self._name is None else self._name,
            "marker": style.marker,
            "markersize": 5,
        }
        unit = unit_of_scores(ax, self._drawn(), self._method("plot"))
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
        self.perfect_ = None
        if ref_line and self.is_probability:
            self.perfect_ = self._reference([0, 1], [0, 1], "Perfectly calibrated")
        self._finish(mark_unit([self.line_], unit, "Mean score"), "Share of positives", "best")
        return self

    def _drawn(self) -> Doubles:
        """Return the scores that have to be in the picture."""
        if self.is_probability:
            return np.array([0.0, 1.0])
        means = (self.prob_pred, self.prob_pred_low, self.prob_pred_high)
        return np.concatenate([ends for ends in means if ends is not None])


CalibrationDisplay.__module__ = "fastauc.plotting"
