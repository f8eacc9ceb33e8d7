"""The display of the ROC curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.confusion_counts import ConfusionCounts
from fastauc._counts.roc import ConvexHull
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_flag, check_max_fpr
from fastauc.inference._bands import SIMULTANEOUS, CurveInterval, curve_ci
from fastauc.metrics._roc_curve import confusion_matrix_at_thresholds
from fastauc.plotting._axes import MARKERS, Style, draw_band, draw_mark, limits, next_style
from fastauc.plotting._display import ArtistOptions, Display, check_axes
from fastauc.plotting._estimators import predict, predict_folds
from fastauc.plotting._operating_points import OperatingPoint, find_operating_points
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import in_legend, in_words, with_value
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._histogram import Counts

TIED = "0.6"  # a gray that is visible on white and on black
_MOST_PAIRS = 10_000


class RocCurveDisplay(Display):
    """The ROC curve: the true positive rate against the false positive rate.

    Parameters
    ----------
    fpr, tpr : float64 arrays of shape (n_points,)
        The curve, as ``roc_curve`` returns it; or lists with those of several folds.
    roc_auc : float or ScoreInterval, optional
        The AUC, for the legend; or a list with those of the folds.
    name : str, optional
        The name of the model in the legend.
    hull : ConvexHull, optional
        The convex hull to draw as well.
    band : CurveInterval, optional
        The confidence band to draw as well.
    pairs : int8 array of shape (n_pos, n_neg), optional
        The grid of pairs to draw as well: 1 where the positive has the higher score, 0 for a tie,
        else -1. Rows and columns start with the highest scores.
    operating_points : list of OperatingPoint
        Points to mark.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve; a list for several folds.
    chance_level_, hull_, band_, area_, pairs_ : matplotlib Artist or None
        The diagonal, the hull, the band, the shaded area and the grid of pairs, if they are drawn.
    points_ : list of matplotlib Artist
        The operating points.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

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
        fpr: Doubles | list[Doubles],
        tpr: Doubles | list[Doubles],
        roc_auc: float | ScoreInterval | list[float] | None = None,
        name: str | None = None,
        hull: ConvexHull | None = None,
        band: CurveInterval | None = None,
        pairs: NDArray[np.int8] | None = None,
        operating_points: Sequence[OperatingPoint] = (),
    ) -> None:
        self.fpr: Any = fpr
        self.tpr: Any = tpr
        self.roc_auc: Any = roc_auc
        self.name = name
        self.hull, self.band, self.pairs = hull, band, pairs
        self.operating_points = list(operating_points)

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
        band: str | CurveInterval | None = None,
        rng: Any = None,
        drop_intermediate: bool = True,
        hull: bool = False,
        pairs: bool = False,
        operating_points: Any = None,
        max_fpr: float | None = None,
        plot_area: bool = False,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        curve_kwargs: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Sort the labels and scores once, and draw their curve.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``roc_curve``.
        band : str or CurveInterval, optional
            A confidence band, or the method for ``curve_ci`` to make one, such as "binomial"
            (pointwise) or "sup-t-binomial" (simultaneous).
        rng : None, int, Generator, BitGenerator or SeedSequence
            The source of randomness for the bootstrap methods of the band.
        name, ax, drop_intermediate, hull, pairs, operating_points, max_fpr, plot_area
            As for ``from_counts``.
        plot_chance_level, chance_level_kw, curve_kwargs, despine
            As for ``plot``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, ax)
        if isinstance(band, str):
            band = curve_ci(
                y_true,
                y_score,
                simultaneous=band in SIMULTANEOUS,
                method=band,
                sample_weight=sample_weight,
                pos_label=pos_label,
                rng=rng,
                n_jobs=n_jobs,
            )
        return cls.from_counts(
            counts,
            name=name,
            ax=ax,
            band=band,
            drop_intermediate=drop_intermediate,
            hull=hull,
            pairs=pairs,
            operating_points=operating_points,
            max_fpr=max_fpr,
            plot_area=plot_area,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
            despine=despine,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        despine: bool = False,
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
        drop_intermediate, ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
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
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions | Sequence[Mapping[str, Any]] = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves of the folds of a cross-validation, as scikit-learn's display does.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` of scikit-learn returns with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features passed to ``cross_validate``.
        y, sample_weight
            Labels and weights for all rows of ``X``.
        response_method, pos_label
            As for ``from_estimator``.
        curve_kwargs : dict or list of dict, optional
            A dict for all curves: the legend shows the mean AUC. A list with one dict for each
            curve: the legend shows each AUC.
        chance_level_kwargs : dict, optional
            Options of the diagonal.
        drop_intermediate, name, ax, plot_chance_level, despine
            As for ``from_predictions``.
        """
        check_axes(ax, cls.__name__)
        folds = predict_folds(
            cv_results,
            X,
            y,
            sample_weight,
            response_method=response_method,
            pos_label=pos_label,
            function=f"{cls.__name__}.from_cv_results",
        )
        counts = [confusion_matrix_at_thresholds(**fold._asdict()) for fold in folds]
        curves = [each.roc_curve(drop_intermediate=drop_intermediate) for each in counts]
        return cls(
            fpr=[fpr for fpr, _, _ in curves],
            tpr=[tpr for _, tpr, _ in curves],
            roc_auc=[each.roc_auc() for each in counts],
            name=name,
        ).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        name: str | None = None,
        ax: Any = None,
        band: CurveInterval | None = None,
        drop_intermediate: bool = True,
        hull: bool = False,
        pairs: bool = False,
        operating_points: Any = None,
        max_fpr: float | None = None,
        plot_area: bool = False,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        curve_kwargs: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges; the legend shows how far off the AUC may
            be.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        band : CurveInterval, optional
            A confidence band to draw as well.
        drop_intermediate : bool
            Whether to drop points on the straight line between others from the arrays.
        hull : bool
            Whether to draw the convex hull: the best that thresholds, and random choices between
            two of them, can reach.
        pairs : bool
            Whether to draw the grid of positive-negative pairs: concordant pairs lie below the
            curve, discordant pairs above it, and tied pairs are cut in half by it. For up to 10,000
            pairs of unweighted rows.
        operating_points : float, str, OptimalThreshold, or a list of these, optional
            Thresholds to mark: scores, names of criteria such as "youden" or "f1", or results of
            ``optimal_threshold``. For a histogram, the next threshold at a bin edge is used.
        max_fpr, plot_area, plot_chance_level, chance_level_kw, curve_kwargs, despine
            As for ``plot``.
        """
        cls._check(counts, name, ax)
        check_flag(hull, "hull", cls.__name__)
        if band is not None and not isinstance(band, CurveInterval):
            raise invalid_parameter(
                cls.__name__, "band", "an instance of 'CurveInterval' or None", band
            )
        check_flag(pairs, "pairs", cls.__name__)
        fpr, tpr, _ = counts.roc_curve(drop_intermediate=drop_intermediate)
        return cls(
            fpr=fpr,
            tpr=tpr,
            roc_auc=counts.roc_auc(),
            name=name,
            hull=_hull_of(counts) if hull else None,
            band=band,
            pairs=_order_of_pairs(counts) if pairs else None,
            operating_points=find_operating_points(counts, operating_points, cls.__name__),
        ).plot(
            ax,
            max_fpr=max_fpr,
            plot_area=plot_area,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
            despine=despine,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        max_fpr: float | None = None,
        plot_area: bool = False,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        curve_kwargs: ArtistOptions | Sequence[Mapping[str, Any]] = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve in addition to what the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        max_fpr : float in (0, 1], optional
            The highest false positive rate to show.
        plot_area : bool
            Whether to shade the area under the curve.
        plot_chance_level : bool
            Whether to draw the diagonal.
        chance_level_kw : dict, optional
            Options of the diagonal.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``; for folds, also a list of
            dicts.
        despine : bool
            Whether to remove the top and right spines.
        """
        check_max_fpr(max_fpr, "RocCurveDisplay.plot")
        check_flag(plot_area, "plot_area", "RocCurveDisplay.plot")
        ax, name = self._open(ax, name)
        end = 1.0 if max_fpr is None else float(max_fpr)
        style = next_style(ax)
        self.line_ = self._draw_curves(name, curve_kwargs, style, end)
        line = self.line_[0] if isinstance(self.line_, list) else self.line_
        color = line.get_color()
        self.pairs_, self.area_ = None, None
        if self.pairs is not None and self.pairs.size > 0:
            self.pairs_ = _draw_pairs(ax, self.pairs, color)
        if plot_area:
            self.area_ = ax.fill_between(*line.get_data(), color=color, alpha=0.15, linewidth=0)
        self.band_ = None if self.band is None else draw_band(ax, self.band, color)
        self.hull_ = None if self.hull is None else self._draw_hull(ax, self.hull, color)
        self.points_ = [
            _draw_point(ax, point, MARKERS[(style.model + k) % len(MARKERS)], color)
            for k, point in enumerate(self.operating_points)
        ]
        self.chance_level_ = self._reference(
            [0, 1],
            [0, 1],
            "Chance level (AUC = 0.5)",
            wanted=plot_chance_level,
            kwargs=chance_level_kw,
        )
        ax.set(xlim=limits(0, end), ylim=limits(0, 1), aspect="equal" if end == 1 else "auto")
        return self._finish(
            "False positive rate", "True positive rate", "lower right", despine=despine
        )

    def _draw_curves(self, name: str | None, curve_kwargs: Any, style: Style, end: float) -> Any:
        if isinstance(self.fpr, list):
            curves = list(zip(self.fpr, self.tpr, strict=True))
            return self._folds(
                curves, self.roc_auc, curve_kwargs, labels=(name, "AUC"), style=style
            )
        label = in_legend(name, "ROC curve", with_value("AUC", self.roc_auc))
        return self._curve(
            self.fpr, self.tpr, curve_kwargs, style=style, ends=(0, end), label=label
        )

    def _draw_hull(self, ax: Any, hull: ConvexHull, color: Any) -> Any:
        # Between the points that a histogram knows, the curve may rise above the hull.
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


def _order_of_pairs(counts: Counts) -> NDArray[np.int8]:
    """Return for each pair whether its positive has the higher score, highest scores first."""
    groups = counts._groups()
    expected = (
        f"False, except for at most {_MOST_PAIRS:,} pairs of unweighted rows with known scores"
    )
    n_pairs = int(groups.fps[-1]) * int(groups.tps[-1])
    if groups.is_weighted or groups.is_mixed is not None or n_pairs > _MOST_PAIRS:
        raise invalid_parameter("RocCurveDisplay", "pairs", expected, True)
    numbers = np.arange(len(groups.fps))
    neg, pos = (np.repeat(numbers, np.diff(each, prepend=0)) for each in (groups.fps, groups.tps))
    order: NDArray[np.int8] = np.sign(neg - pos[:, np.newaxis]).astype(np.int8)
    return order


def _draw_pairs(ax: Any, pairs: NDArray[np.int8], color: Any) -> Any:
    """Draw the grid of pairs, and show in the legend how many there are of each kind."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Rectangle

    paint = ["none", (TIED, 0.5), (color, 0.35)]
    n_pos, n_neg = pairs.shape
    mesh = ax.pcolormesh(
        np.arange(n_neg + 1) / n_neg,
        np.arange(n_pos + 1) / n_pos,
        pairs,
        cmap=ListedColormap(paint),
        vmin=-1,
        vmax=1,
        edgecolors=TIED,
        linewidth=0.5,
    )
    for kind, words in ((1, "in order"), (0, "tied"), (-1, "in the wrong order")):
        n_pairs = int((pairs == kind).sum())
        label = f"{n_pairs} {'pair' if n_pairs == 1 else 'pairs'} {words}"
        shown = {"facecolor": paint[kind + 1], "edgecolor": TIED, "linewidth": 0.5}
        ax.add_patch(Rectangle((0, 0), 0, 0, label=label, **shown))  # for the legend
    return mesh


def _draw_point(ax: Any, point: OperatingPoint, marker: str, color: Any) -> Any:
    return draw_mark(ax, point.fpr, point.tpr, marker, color, label=point.in_words())
