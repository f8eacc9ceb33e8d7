"""The display of the distribution of the scores of each class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastauc._drawing.axes import mark_unit, next_style, style_of, unit_of_scores
from fastauc._drawing.distribution import distribution_of
from fastauc._drawing.thinning import Doubles
from fastauc._drawing.words import with_value
from fastauc._readings import Counts
from fastauc._validation.options import check_bins_of_rows
from fastauc.plotting._display import CountsDisplay
from fastauc.plotting._operating_points import OperatingPoint, find_operating_points


@dataclass(kw_only=True, eq=False, repr=False)
class ScoreDistributionDisplay(CountsDisplay):
    """The distribution of the scores of each class, as two histograms of area 1.

    Parameters
    ----------
    edges : float64 array of shape (n_bins + 1,)
        The edges of the bins; the last bin includes its upper edge. If that is the threshold, the
        rows at it have a bin of their own beyond it.
    neg_share, pos_share : float64 arrays of shape (n_bins,)
        The share of the class in each bin; NaN for a class without rows.
    share_outside : float
        The share of all rows that are in no bin.
    operating_point : OperatingPoint, optional
        The threshold that divides the shaded areas.
    cut : float, optional
        The bin edge at which they are divided: the threshold, or halfway to the next score on its
        negative side if scores are whole steps apart.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Other Parameters
    ----------------
    bins : int, optional
        Of the constructors: the number of bins of equal width between the lowest and the highest
        score. If left out, twice the cube root of the number of rows (the Rice rule), between 10
        and 40; 40 for weighted rows. In this case, if all scores are whole steps apart, such as
        scores with two decimals, all bins are equally many steps wide and no score is at an edge;
        and if there is no operating point, the outer thousandth of the rows at either end is left
        out where it would squeeze all others into a third of the picture. The bins of a histogram
        are not split: an edge that would cut one moves to its end, and its open bins at the ends
        are drawn as wide as their neighbors.
    operating_point : float, str or OptimalThreshold, optional
        Of the constructors: a threshold, or the name of a criterion such as "youden"; the areas of
        TNR, FPR, FNR and TPR are shaded on either side of it.

    Attributes
    ----------
    line_ : list of matplotlib Artists
        The outlines of the negatives and of the positives, if there are such rows.
    shades_ : list of matplotlib Artists
        The shaded areas of the rates at the operating point: TNR, FPR, FNR and TPR.
    threshold_ : matplotlib Artist or None
        The vertical line at the operating point, if there is one.

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

    edges: Doubles
    neg_share: Doubles
    pos_share: Doubles
    share_outside: float = 0.0
    operating_point: OperatingPoint | None = None
    cut: float | None = None

    @classmethod
    def _values(
        cls,
        counts: Counts,
        higher_is_positive: bool,
        *,
        bins: int | None = None,
        operating_point: Any = None,
    ) -> dict[str, Any]:
        function = cls.__name__
        if bins is not None:
            check_bins_of_rows(bins, None, function)
        wanted = [] if operating_point is None else [operating_point]
        points = find_operating_points(counts, wanted, function, higher_is_positive)
        point = points[0] if points else None
        threshold = None if point is None else point.threshold
        values = distribution_of(counts, bins, threshold, higher_is_positive)
        return values | {"operating_point": point}

    def _draw(self, curve_kwargs: Any) -> None:
        ax, before = self.ax_, self._before
        unit = unit_of_scores(ax, self.edges, self._method("plot"))
        edges, given = self.edges / unit, self._options(curve_kwargs)
        self.line_: Any = []
        self.shades_: list[Any] = []
        first = next_style(ax).model  # for the positives, as in all displays with both classes
        classes = ("negatives", self.neg_share, first + 1), ("positives", self.pos_share, first)
        point = self.operating_point
        for label, shares, model in classes:
            if np.isnan(shares).any():
                continue
            style = style_of(model)
            density = shares / np.diff(edges)
            if point is not None and self.cut is not None:
                cut = int(np.searchsorted(self.edges, self.cut))
                sides = (density[:cut], edges[: cut + 1]), (density[cut:], edges[cut:])
                neg, pos = sides if self.higher_is_positive else sides[::-1]
                if model == first:
                    self._shade(*neg, style.color, 0.1, with_value("FNR", 1 - point.tpr))
                    self._shade(*pos, style.color, 0.35, with_value("TPR", point.tpr))
                else:
                    self._shade(*neg, style.color, 0.15, with_value("TNR", 1 - point.fpr))
                    self._shade(*pos, style.color, 0.6, with_value("FPR", point.fpr))
            elif style.model < 2:  # the first display; with more, the areas would hide lines
                ax.stairs(density, edges, fill=True, color=style.color, alpha=0.2, linewidth=0)
            defaults = {"linewidth": 1.8, "linestyle": style.linestyle, "color": style.color}
            options = defaults | {"label": before + label} | given
            self.line_.append(style.mark(ax.stairs(density, edges, **options)))
        self.threshold_: Any = None
        if point is not None and self.cut is not None and math.isfinite(point.threshold):
            look = {"color": ax.xaxis.label.get_color(), "linewidth": 1.2}
            self.threshold_ = ax.axvline(self.cut / unit, **look, label=before + point.in_words())
        ax.autoscale(axis="y")
        ax.set_ylim(bottom=0)
        corner = "best" if point is None else "below"
        self._finish(mark_unit(self.line_, unit, "Score"), "Density of each class", corner)

    def _shade(
        self, density: Doubles, edges: Doubles, color: str, alpha: float, label: str
    ) -> None:
        """Shade the area of a rate, the darker ones above the others."""
        if len(density) > 0:
            options = {"color": color, "alpha": alpha, "linewidth": 0, "label": label}
            layer = 0.5 + alpha / 2  # above the grid, and below the outlines
            shade = self.ax_.stairs(density, edges, fill=True, zorder=layer, **options)
            self.shades_.append(shade)
