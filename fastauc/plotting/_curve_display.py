"""The curves that scikit-learn draws as well, with its keywords."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from fastauc._drawing.axes import next_style, style_of
from fastauc._drawing.words import in_legend, with_mean, with_value
from fastauc._readings import Counts
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.literals import ResponseMethod
from fastauc.metrics import confusion_matrix_at_thresholds
from fastauc.plotting._display import ArtistOptions, CountsDisplay
from fastauc.plotting._estimators import predict, rows_of_folds, take


@dataclass(kw_only=True, eq=False, repr=False)
class CurveDisplay(CountsDisplay):
    """Base of the curves that scikit-learn draws as well."""

    # The labels of both axes, and the corner that curves of this kind leave free.
    _FRAME: ClassVar[tuple[str, str, str]]

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
        """Draw the curve in addition to the contents of the axes.

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
        self._finish(*self._FRAME)
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self

    def _chance_level(self) -> tuple[list[float], list[float], str] | None:
        """Return the curve of a random ranking and its label, if it is known."""
        raise NotImplementedError


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
        drop_intermediate: bool = True,
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
        how = pos_label, response_method, cls._RESPONSES, function
        for estimator, rows in rows_of_folds(cv_results, y, function):
            scores, label = predict(estimator, take(X, rows), *how)
            weight = take(sample_weight, rows)
            counted = {"sample_weight": weight, "pos_label": label}
            folds.append(confusion_matrix_at_thresholds(take(y, rows), scores, **counted))
        shown: dict[str, Any] = {"name": name, "pos_label": pos_label}
        display = cls(**cls._values_of_folds(folds, drop_intermediate), **shown)
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )

    @classmethod
    def _values_of_folds(cls, folds: Sequence[Counts], drop_intermediate: Any) -> dict[str, Any]:
        """Return lists of what is drawn of each fold."""
        found = [cls._values(counts, True, drop_intermediate=drop_intermediate) for counts in folds]
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
