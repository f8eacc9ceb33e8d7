"""The display of the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from numpy.typing import ArrayLike

from fastauc._counts.confusion_counts import ConfusionCounts
from fastauc._counts.roc import ConvexHull
from fastauc._inference.bands import RocCurveBand, roc_curve_band
from fastauc._streaming.bounds import ScoreInterval
from fastauc._streaming.histogram import Counts
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_max_fpr
from fastauc.plotting._display import (
    MARKERS,
    Display,
    OperatingPoint,
    check_axes,
    draw_mark,
    find_operating_points,
    limits,
    next_style,
)
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import in_legend, in_words, percent, with_value


class RocCurveDisplay(Display):
    """The ROC curve: the true positive rate against the false positive rate.

    Parameters
    ----------
    fpr, tpr : float64 arrays of shape (n_points,)
        The curve, as ``roc_curve`` returns it.
    roc_auc : float or ScoreInterval, optional
        The area, for the legend.
    name : str, optional
        What the legend calls the model.
    hull : ConvexHull, optional
        To be drawn as well.
    band : RocCurveBand, optional
        To be drawn as well.
    operating_points : list of OperatingPoint
        To be marked.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    chance_level_, hull_, band_ : matplotlib Artist or None
        The diagonal, the hull and the band, if they are drawn.
    points_ : list of matplotlib Artist
        The operating points.
    ax_, figure_ : matplotlib Axes and Figure
        Where they are drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import RocCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = RocCurveDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="forest", operating_points="youden", ax=ax
    ... )
    >>> display.line_.get_label()
    'forest (AUC = 0.750)'
    """

    def __init__(
        self,
        *,
        fpr: Doubles,
        tpr: Doubles,
        roc_auc: float | ScoreInterval | None = None,
        name: str | None = None,
        hull: ConvexHull | None = None,
        band: RocCurveBand | None = None,
        operating_points: Sequence[OperatingPoint] = (),
    ) -> None:
        self.fpr, self.tpr, self.roc_auc, self.name = fpr, tpr, roc_auc, name
        self.hull, self.band, self.operating_points = hull, band, list(operating_points)

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
        band: str | RocCurveBand | None = None,
        rng: Any = None,
        **options: Any,
    ) -> Self:
        """Sort labels and scores once, and draw their curve.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``roc_curve``.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        band : str or RocCurveBand, optional
            A confidence band, or the method by which ``roc_curve_band`` makes one, as "binomial".
        rng : None, int, Generator, BitGenerator or SeedSequence
            Where the chance of a band comes from.
        **options
            What ``from_counts`` takes.
        """
        check_axes(ax, cls.__name__)
        if isinstance(band, str):
            band = roc_curve_band(
                y_true,
                y_score,
                method=band,
                sample_weight=sample_weight,
                pos_label=pos_label,
                rng=rng,
                n_jobs=n_jobs,
            )
        return super().from_predictions(
            y_true,
            y_score,
            sample_weight=sample_weight,
            pos_label=pos_label,
            n_jobs=n_jobs,
            name=name,
            ax=ax,
            band=band,
            **options,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        hull: bool = False,
        band: RocCurveBand | None = None,
        operating_points: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            Of a histogram, the points at the edges of its cells; the legend says how far off the
            area may be.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        hull : bool
            Whether to draw the convex hull: the best that thresholds and lots between them can do.
        band : RocCurveBand, optional
            A confidence band to be drawn.
        operating_points : float, str, OptimalThreshold, or a list of these, optional
            Thresholds to be marked: scores, names of criteria as "youden" or "f1", or what
            ``optimal_threshold`` has returned. Of a histogram the threshold is the next one at the
            edge of a cell.
        **options
            What ``plot`` takes.
        """
        cls._check(counts, name, ax)
        check_flag(hull, "hull", cls.__name__)
        if band is not None and not isinstance(band, RocCurveBand):
            raise invalid_parameter(
                cls.__name__, "band", "an instance of 'RocCurveBand' or None", band
            )
        fpr, tpr, _ = counts.roc_curve()
        return cls(
            fpr=fpr,
            tpr=tpr,
            roc_auc=counts.roc_auc(),
            name=name,
            hull=_hull_of(counts) if hull else None,
            band=band,
            operating_points=find_operating_points(counts, operating_points, cls.__name__),
        ).plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        max_fpr: float | None = None,
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
        max_fpr : float in (0, 1], optional
            Show only false positive rates up to this one.
        plot_chance_level : bool
            Whether to draw the diagonal.
        **line_options
            For the curve, as ``color`` or ``linewidth``.
        """
        check_max_fpr(max_fpr, "RocCurveDisplay.plot")
        ax, name = self._open(ax, name)
        end = 1.0 if max_fpr is None else float(max_fpr)
        style = next_style(ax)
        label = in_legend(name, "ROC curve", with_value("AUC", self.roc_auc))
        self.line_ = self._curve(
            self.fpr, self.tpr, line_options, style=style, ends=(0, end), label=label
        )
        color = self.line_.get_color()
        self.band_ = None if self.band is None else _draw_band(ax, self.band, color)
        self.hull_ = None if self.hull is None else self._draw_hull(ax, self.hull, color)
        self.points_ = [
            _draw_point(ax, point, MARKERS[(style.model + k) % len(MARKERS)], color)
            for k, point in enumerate(self.operating_points)
        ]
        chance = "Chance level (AUC = 0.5)"
        self.chance_level_ = self._reference([0, 1], [0, 1], chance, wanted=plot_chance_level)
        ax.set(xlim=limits(0, end), ylim=limits(0, 1), aspect="equal" if end == 1 else "auto")
        return self._finish("False positive rate", "True positive rate", "lower right")

    def _draw_hull(self, ax: Any, hull: ConvexHull, color: Any) -> Any:
        # Between the points that a histogram knows there may be others, above the hull of these.
        bounded = isinstance(self.roc_auc, ScoreInterval) and not self.roc_auc.exact
        area = f"AUC {'≥' if bounded else '='} {in_words(hull.area)}"
        (line,) = ax.plot(
            hull.fpr,
            hull.tpr,
            color=color,
            linestyle=(0, (1, 1.5)),
            linewidth=1.2,
            label=f"Convex hull ({area})",
        )
        return line


RocCurveDisplay.__module__ = "fastauc.plotting"


def _hull_of(counts: Counts) -> ConvexHull:
    at_edges = counts if isinstance(counts, ConfusionCounts) else counts.confusion_counts()
    return at_edges.roc_convex_hull()


def _draw_band(ax: Any, band: RocCurveBand, color: Any) -> Any:
    label = f"{percent(band.confidence_level)} band, {band.method}"
    return ax.fill_between(
        band.fpr, band.low, band.high, color=color, alpha=0.2, linewidth=0, label=label
    )


def _draw_point(ax: Any, point: OperatingPoint, marker: str, color: Any) -> Any:
    return draw_mark(ax, point.fpr, point.tpr, marker, color, label=point.in_words())
