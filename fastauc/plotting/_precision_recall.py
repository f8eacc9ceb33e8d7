"""The display of the precision-recall curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc.inference._bands import SIMULTANEOUS, CurveInterval, curve_ci
from fastauc.metrics._roc_curve import confusion_matrix_at_thresholds
from fastauc.plotting._axes import draw_band, limits, next_style
from fastauc.plotting._display import ArtistOptions, Display, check_axes, prevalence_of, totals_of
from fastauc.plotting._estimators import predict, predict_folds
from fastauc.plotting._thinning import Doubles
from fastauc.plotting._words import in_legend, in_words, with_value
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._histogram import Counts


class PrecisionRecallDisplay(Display):
    """The precision-recall curve, in the steps that average precision sums.

    Parameters
    ----------
    precision, recall : float64 arrays of shape (n_points,)
        The curve, as ``precision_recall_curve`` returns it; or lists with those of several folds.
    average_precision : float or ScoreInterval, optional
        The average precision, for the legend; or a list with those of the folds.
    prevalence : float, optional
        The share of positives among the rows: the precision of a random ranking.
    name : str, optional
        The name of the model in the legend.
    band : CurveInterval, optional
        The confidence band to draw as well.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve; a list for several folds.
    chance_level_, band_ : matplotlib Artist or None
        The precision of a random ranking and the confidence band, if they are drawn.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import PrecisionRecallDisplay
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> ax = Figure().subplots()
    >>> display = PrecisionRecallDisplay.from_predictions(y_true, y_score, ax=ax)
    >>> display.line_.get_label()
    'AP = 0.833'
    """

    def __init__(
        self,
        *,
        precision: Doubles | list[Doubles],
        recall: Doubles | list[Doubles],
        average_precision: float | ScoreInterval | list[float] | None = None,
        prevalence: float | None = None,
        name: str | None = None,
        band: CurveInterval | None = None,
    ) -> None:
        self.precision: Any = precision
        self.recall: Any = recall
        self.average_precision: Any = average_precision
        self.prevalence, self.name, self.band = prevalence, name, band

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
        drop_intermediate: bool = False,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        curve_kwargs: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Sort the labels and scores once, and draw their curve.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        band : str or CurveInterval, optional
            A confidence band, or the method for ``curve_ci`` to make one, such as "binomial"
            (pointwise) or "sup-t-binomial" (simultaneous); for rows without weights.
        rng : None, int, Generator, BitGenerator or SeedSequence
            The source of randomness for the band of "sup-t-binomial".
        name, ax, drop_intermediate, plot_chance_level, chance_level_kw, curve_kwargs, despine
            As for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, ax)
        if isinstance(band, str):
            if sample_weight is not None:
                raise invalid_parameter(cls.__name__, "band", "None with sample_weight", band)
            band = curve_ci(
                y_true,
                y_score,
                given="recall",
                simultaneous=band in SIMULTANEOUS,
                method=band,
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
        drop_intermediate: bool = False,
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
        drop_intermediate: bool = False,
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
            A dict for all curves: the legend shows the mean average precision. A list with one
            dict for each curve: the legend shows each average precision.
        chance_level_kwargs : dict, optional
            Options of the chance level.
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
        curves = [
            each.precision_recall_curve(drop_intermediate=drop_intermediate) for each in counts
        ]
        n_neg, n_pos = np.sum([totals_of(each) for each in counts], axis=0)
        return cls(
            precision=[precision for precision, _, _ in curves],
            recall=[recall for _, recall, _ in curves],
            average_precision=[each.average_precision() for each in counts],
            prevalence=float(n_pos / (n_neg + n_pos)),
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
        drop_intermediate: bool = False,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        curve_kwargs: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges; the legend shows how far off the average
            precision may be.
        name : str, optional
            The name of the model in the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        band : CurveInterval, optional
            A confidence band to draw as well.
        drop_intermediate : bool
            Whether to drop points that do not change the picture from the arrays.
        plot_chance_level, chance_level_kw, curve_kwargs, despine
            As for ``plot``.
        """
        cls._check(counts, name, ax)
        if band is not None and not isinstance(band, CurveInterval):
            raise invalid_parameter(
                cls.__name__, "band", "an instance of 'CurveInterval' or None", band
            )
        precision, recall, _ = counts.precision_recall_curve(drop_intermediate=drop_intermediate)
        return cls(
            precision=precision,
            recall=recall,
            average_precision=counts.average_precision(),
            prevalence=prevalence_of(counts),
            name=name,
            band=band,
        ).plot(
            ax,
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
        plot_chance_level : bool
            Whether to draw the precision of a random ranking.
        chance_level_kw : dict, optional
            Options of the chance level.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``; for folds, also a list of
            dicts.
        despine : bool
            Whether to remove the top and right spines.
        """
        ax, name = self._open(ax, name)
        self.line_ = self._draw_curves(name, curve_kwargs)
        line = self.line_[0] if isinstance(self.line_, list) else self.line_
        self.band_ = None
        if self.band is not None:
            self.band_ = draw_band(ax, self.band, line.get_color())
        self.chance_level_ = None
        if plot_chance_level and self.prevalence is not None:
            self.chance_level_ = self._reference(
                [0, 1],
                [self.prevalence] * 2,
                f"Chance level (AP = {in_words(self.prevalence)})",
                kwargs=chance_level_kw,
            )
        ax.set(xlim=limits(0, 1), ylim=limits(0, 1), aspect="equal")
        return self._finish("Recall", "Precision", "best", despine=despine)

    def _draw_curves(self, name: str | None, curve_kwargs: Any) -> Any:
        style, steps, shown = next_style(self.ax_), "steps-post", self.average_precision
        if isinstance(self.recall, list):
            curves = list(zip(self.recall, self.precision, strict=True))
            return self._folds(
                curves, shown, curve_kwargs, labels=(name, "AP"), style=style, drawstyle=steps
            )
        label = in_legend(name, "Precision-recall curve", with_value("AP", shown))
        return self._curve(
            self.recall, self.precision, curve_kwargs, style=style, drawstyle=steps, label=label
        )


PrecisionRecallDisplay.__module__ = "fastauc.plotting"
