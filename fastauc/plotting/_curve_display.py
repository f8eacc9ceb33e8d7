"""Curves of classifiers, with the class methods and the keywords of scikit-learn's displays.

scikit-learn is not imported: any object with the right methods is a classifier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastauc._drawing.axes import next_style, style_of
from fastauc._drawing.words import in_legend, with_mean, with_value
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.literals import ResponseMethod
from fastauc._validation.options import check_option
from fastauc.metrics import confusion_matrix_at_thresholds
from fastauc.plotting._display import ArtistOptions, Counts, CountsDisplay

_RESPONSE_METHODS = get_args(ResponseMethod)

_METHODS = ("predict_proba", "decision_function")


def predict(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    response_method: ResponseMethod,
    pos_label: Any,
    function: str,
) -> dict[str, Any]:
    """Return the arguments for rows with the scores of a fitted classifier of two classes."""
    check_option(response_method, "response_method", _RESPONSE_METHODS, function)
    methods = _METHODS if response_method == "auto" else (response_method,)
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if method is None:
        expected = f"a classifier with {' or '.join(methods)}"
        raise invalid_parameter(function, "estimator", expected, estimator)
    scores = np.asarray(getattr(estimator, method)(X))
    classes = np.asarray(getattr(estimator, "classes_", ())).tolist()
    if len(classes) != 2:
        raise invalid_parameter(function, "estimator", "a classifier of two classes", estimator)
    if pos_label is None:
        pos_label = classes[1]
    elif pos_label not in classes:
        raise invalid_parameter(function, "pos_label", f"a label among {classes}", pos_label)
    is_second = pos_label == classes[1]
    if scores.ndim == 2:
        scores = scores[:, int(is_second)]
    elif not is_second:  # a decision function scores the second class
        scores = -scores
    rows = {"y_true": y, "y_score": scores, "sample_weight": sample_weight}
    return rows | {"pos_label": pos_label}


def _rows_of_folds(cv_results: Any, y: Any, function: str) -> list[tuple[Any, Any]]:
    """Return the estimator of each fold, and the rows that it was not fitted on."""
    if not (isinstance(cv_results, Mapping) and {"estimator", "indices"} <= cv_results.keys()):
        expected = "the result of cross_validate(..., return_estimator=True, return_indices=True)"
        raise invalid_parameter(function, "cv_results", expected, cv_results)
    tested = cv_results["indices"]["test"]
    n_rows, last = len(y), max(int(np.max(rows)) for rows in tested)
    if last >= n_rows:
        raise ValueError(f"y has {n_rows} rows; expected more than {last}, an index in cv_results.")
    return list(zip(cv_results["estimator"], tested, strict=True))


def _take(values: Any, rows: Any) -> Any:
    """Return rows of an array, a sparse matrix, a table, a column or a list."""
    if values is None:
        return None
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]


@dataclass(kw_only=True, eq=False, repr=False)
class CurveDisplay(CountsDisplay):
    """Base of the curves that scikit-learn draws as well."""

    pos_label: Label | None = None

    # The labels of both axes, and the corner that curves of this kind leave free.
    _FRAME: ClassVar[tuple[str, str, str]]

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool | None = None,
        pos_label: Label | None = None,
        n_jobs: int | None = None,
        higher_is_positive: bool = True,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Sort the labels and scores once, and draw their curve.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``.
        higher_is_positive : bool
            False for scores that are lower for the positives, like scorecard points for bad loans.
        drop_intermediate, name, ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
            As for ``from_counts``.
        """
        counts = cls._count(y_true, y_score, sample_weight, pos_label, n_jobs, higher_is_positive)
        shown: dict[str, Any] = {"name": name, "ax": ax, "curve_kwargs": curve_kwargs}
        shown |= {"drop_intermediate": drop_intermediate, "higher_is_positive": higher_is_positive}
        shown["pos_label"] = pos_label
        shown |= {"plot_chance_level": plot_chance_level, "chance_level_kw": chance_level_kw}
        return cls.from_counts(counts, **shown, despine=despine)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool | None = None,
        response_method: ResponseMethod = "auto",
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
            As for ``from_counts``.
        """
        function = f"{cls.__name__}.from_estimator"
        sample = predict(estimator, X, y, sample_weight, response_method, pos_label, function)
        shown: dict[str, Any] = {"name": type(estimator).__name__ if name is None else name}
        shown |= {"ax": ax, "curve_kwargs": curve_kwargs, "drop_intermediate": drop_intermediate}
        shown |= {"plot_chance_level": plot_chance_level, "chance_level_kw": chance_level_kw}
        return cls.from_predictions(**sample, **shown, despine=despine)

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        drop_intermediate: bool | None = None,
        higher_is_positive: bool = True,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve of given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            For a histogram, the points at its bin edges, and the legend shows bounds of the value.
        drop_intermediate : bool, optional
            Whether to drop points that do not change the picture from the arrays. If left out, as
            the function that returns the curve does: only ``roc_curve`` drops them.
        higher_is_positive : bool
            False if the counts are those of the opposite scores: what shows scores shows the scores
            themselves, and those at or below a threshold are predicted positive.
        pos_label : int, float, bool or str, optional
            The label of the positives, to show beside the axes.
        name, ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
            As for ``plot``.
        """
        common = cls._check(counts, name, higher_is_positive) | {"pos_label": pos_label}
        return cls(**cls._points(counts, drop_intermediate), **common).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        curve_kwargs: ArtistOptions | Sequence[Mapping[str, Any]] = None,
        plot_chance_level: bool = True,
        chance_level_kw: ArtistOptions = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve in addition to what the axes already contain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new ``matplotlib.pyplot`` figure if left out.
        name : str, optional
            The name of the model in the legend; that of the display if left out.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color``; for folds, also a list of dicts.
        plot_chance_level : bool
            Whether to draw the curve of a random ranking.
        chance_level_kw : dict, optional
            Options of the chance level.
        despine : bool
            Whether to remove the top and right spines.
        """
        self._open(ax, name)
        self._draw(curve_kwargs)
        chance = self._chance_level() if plot_chance_level else None
        self.chance_level_: Any = (
            None if chance is None else self._reference(*chance, chance_level_kw)
        )
        x, y, corner = self._FRAME
        told = "" if self.pos_label is None else f" (positive label: {self.pos_label})"
        self._finish(x + told, y + told, corner)
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self

    @classmethod
    def _points(cls, counts: Counts, drop_intermediate: bool | None) -> dict[str, Any]:
        """Return what is drawn of counts, by the names of the parameters."""
        raise NotImplementedError

    def _chance_level(self) -> tuple[list[float], list[float], str] | None:
        """Return the curve of a random ranking and its label, if it is known."""
        raise NotImplementedError


def dropping(drop_intermediate: bool | None) -> dict[str, bool]:
    """Return the argument of a method that returns a curve, unless its default is wanted."""
    return {} if drop_intermediate is None else {"drop_intermediate": drop_intermediate}


@dataclass(kw_only=True, eq=False, repr=False)
class FoldedCurveDisplay(CurveDisplay):
    """Base of the curves of one model or of the folds of a cross-validation."""

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool | None = None,
        response_method: ResponseMethod = "auto",
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
            A dict for all curves: the legend shows the mean of the metric. A list with one dict for
            each curve: the legend shows each value.
        chance_level_kwargs : dict, optional
            Options of the chance level.
        drop_intermediate, name, ax, plot_chance_level, despine
            As for ``from_counts``.
        """
        function = f"{cls.__name__}.from_cv_results"
        folds = []
        for estimator, rows in _rows_of_folds(cv_results, y, function):
            own = _take(X, rows), _take(y, rows), _take(sample_weight, rows)
            sample = predict(estimator, *own, response_method, pos_label, function)
            folds.append(confusion_matrix_at_thresholds(**sample))
        shown: dict[str, Any] = {"name": name, "pos_label": pos_label}
        display = cls(**cls._points_of_folds(folds, drop_intermediate), **shown)
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )

    @classmethod
    def _points_of_folds(
        cls, folds: Sequence[Counts], drop_intermediate: bool | None
    ) -> dict[str, Any]:
        """Return lists of what is drawn of each fold."""
        found = [cls._points(counts, drop_intermediate) for counts in folds]
        return {name: [each[name] for each in found] for name in found[0]}

    @property
    def _lines(self) -> list[Any]:
        """The lines that are drawn: of one model, or of each fold."""
        return self.line_ if isinstance(self.line_, list) else [self.line_]

    def _draw_curves(
        self,
        x: Any,
        y: Any,
        values: Any,
        curve_kwargs: Any,
        words: tuple[str, str],
        **defaults: Any,
    ) -> Any:
        """Draw one curve, or those of folds; ``words`` name the metric and the curve."""
        style, (measure, curve) = next_style(self.ax_), words
        if not isinstance(x, list):
            label = in_legend(self._name, curve, with_value(measure, values))
            return self._curve(x, y, curve_kwargs, style=style, label=label, **defaults)
        styles = [style] * len(x)
        if not isinstance(curve_kwargs, list | tuple):
            alike: dict[str, Any] = {"linestyle": "-", "linewidth": 1.2, "alpha": 0.8} | defaults
            alike["label"] = in_legend(self._name, "Folds", with_mean(measure, values))
            alike |= self._line_options(curve_kwargs)
            # One legend entry for all of them.
            options = [alike, *[alike | {"label": "_fold"}] * (len(x) - 1)]
        elif len(curve_kwargs) == len(x):
            options = []
            for k, given in enumerate(curve_kwargs):
                fold = f"fold {k + 1}" if self._name is None else f"{self._name}, fold {k + 1}"
                value = with_value(measure, None if values is None else values[k])
                own = {"label": in_legend(fold, "", value)}
                options.append(defaults | own | self._line_options(given))
            styles = [style_of(style.model + k) for k in range(len(x))]
        else:
            expected = f"a dict, a list of {len(x)} of them, one for each fold, or None"
            raise invalid_parameter(self._method("plot"), "curve_kwargs", expected, curve_kwargs)
        return [
            self._curve(fold_x, fold_y, own, style=each)
            for fold_x, fold_y, own, each in zip(x, y, options, styles, strict=True)
        ]
