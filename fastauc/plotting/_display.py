"""What displays share: how they are made, their axes, their lines and their options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from fastauc._counts.confusion_counts import threshold_counts
from fastauc._drawing import axes
from fastauc._drawing.axes import Style
from fastauc._drawing.thinning import Doubles, thin
from fastauc._drawing.words import legend_name, percent
from fastauc._readings import Counts
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.literals import ResponseMethod
from fastauc._validation.options import check_bins_of_rows, check_flag
from fastauc._validation.samples import read_inputs, read_opposite
from fastauc.inference import CurveInterval
from fastauc.metrics import confusion_matrix_at_thresholds
from fastauc.plotting._estimators import predict
from fastauc.plotting._operating_points import OperatingPoint, find_operating_points

# Keyword options of a matplotlib artist.
ArtistOptions = Mapping[str, Any] | None


def has_unknown_order(counts: Counts) -> bool:
    """Tell whether the order of some rows is unknown, as in a histogram bin of several scores."""
    return threshold_counts(counts).is_mixed is not None


def usual_bins(counts: Counts, bins: Any, function: str) -> int:
    """Return the number of bins, 10 by default; refuse more bins than rows."""
    steps = threshold_counts(counts)
    n_rows = None if steps.is_weighted else int(steps.total)
    if bins is None:
        return 10 if n_rows is None else min(10, n_rows)
    check_bins_of_rows(bins, n_rows, function)
    return int(bins)


def prevalence_of(*counts: Counts) -> float | None:
    """Return the share of positives among all rows; None without rows of both classes."""
    steps = [threshold_counts(each) for each in counts]
    n_neg, n_pos = sum(each.fps[-1] for each in steps), sum(each.tps[-1] for each in steps)
    return float(n_pos / (n_neg + n_pos)) if n_neg > 0 and n_pos > 0 else None


@dataclass(kw_only=True, eq=False, repr=False)
class Display:
    """Base of all displays: values that can be drawn in axes, once or several times."""

    name: str | None = None

    def plot(
        self, ax: Any = None, *, name: str | None = None, curve_kwargs: ArtistOptions = None
    ) -> Self:
        """Draw in addition to the contents of the axes.

        Parameters
        ----------
        ax, name
            As for ``RocCurveDisplay``.
        curve_kwargs : dict, optional
            Options of the curve, such as ``color`` or ``linewidth``; of all curves, outlines or
            bars if there are several.
        """
        self._open(ax, name)
        self._draw(curve_kwargs)
        return self

    def _draw(self, curve_kwargs: Any) -> None:
        """Draw in the axes that are open."""
        raise NotImplementedError

    def _open(self, ax: Any, name: Any) -> None:
        """Open the axes to draw in, and choose the name to show."""
        function, shown = type(self).__name__, self.name if name is None else name
        if not isinstance(shown, str | None):
            raise invalid_parameter(function, "name", "an instance of 'str' or None", shown)
        try:
            from matplotlib.axes import Axes
        except ImportError as error:
            raise ImportError(
                f"{function} needs matplotlib, which is not installed: pip install 'fastauc[plot]'."
            ) from error
        if not isinstance(ax, Axes | None):
            expected = "an instance of 'matplotlib.axes.Axes' or None"
            raise invalid_parameter(function, "ax", expected, ax)
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(layout="constrained")[1]
        self.ax_: Any = ax
        self.figure_: Any = ax.figure
        self.line_: Any = None
        self._name = None if shown is None else legend_name(shown)

    @property
    def _before(self) -> str:
        """What stands in the legend before the name of one of several curves."""
        return "" if self._name is None else f"{self._name}: "

    def _method(self, name: str) -> str:
        return f"{type(self).__name__}.{name}"

    def _curve(
        self,
        x: Doubles,
        y: Doubles,
        curve_kwargs: ArtistOptions,
        *,
        style: Style | None = None,
        ends: tuple[float, float] = (0.0, 1.0),
        **defaults: Any,
    ) -> Any:
        """Draw the line through the points that can be told apart.

        ``curve_kwargs`` take precedence over ``defaults``; the x axis spans the two ``ends``.
        """
        options = defaults | self._line_options(curve_kwargs)
        kept = thin(x, y, axes.columns(*ends))
        style = axes.next_style(self.ax_) if style is None else style
        return axes.draw_line(self.ax_, x[kept], y[kept], style, **options)

    def _line_options(self, given: Any, argument: str = "curve_kwargs") -> dict[str, Any]:
        """Return the options of a line by their full names."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        return dict(normalize_kwargs(self._options(given, argument), Line2D))

    def _options(self, given: Any, argument: str = "curve_kwargs") -> dict[str, Any]:
        """Return the options of an artist; refuse anything but a dict or None."""
        if given is not None and not isinstance(given, Mapping):
            raise invalid_parameter(type(self).__name__, argument, "a dict or None", given)
        return dict(given or {})

    def _reference(self, x: Any, y: Any, label: str, kwargs: ArtistOptions = None) -> Any:
        """Draw a line to compare with, unless it is already there."""
        options = axes.REFERENCE | {"label": label} | self._line_options(kwargs, "chance_level_kw")
        for line in self.ax_.get_lines():
            if line.get_label() == options["label"]:
                return line
        (line,) = self.ax_.plot(x, y, **options)
        line.fastauc_reference = True
        return line

    def _finish(self, xlabel: str, ylabel: str, corner: str) -> None:
        """Label the axes, and put the legend where curves of this kind leave room for it."""
        ax, self._corner = self.ax_, corner
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        # Equally faint on a dark and on a light background.
        ax.grid(True, color=ax.xaxis.label.get_color(), alpha=0.1, linewidth=0.8)
        ax.set_axisbelow(True)
        axes.place_legend(ax, corner)

    def _added(self) -> Self:
        """Name what was added to the picture in its legend."""
        axes.place_legend(self.ax_, self._corner)
        return self


# The methods that pass options on.
_CONSTRUCTORS = ("from_counts", "from_predictions", "from_estimator")


@dataclass(kw_only=True, eq=False, repr=False)
class CountsDisplay(Display):
    """Base of the displays of labels and scores, or of their counts.

    A display says what it computes by ``_values``, whose keywords are options of all constructors,
    and so are those of its ``plot``.
    """

    counts: Counts | None = None
    higher_is_positive: bool = True
    pos_label: Label | None = None

    # The methods of a classifier that give scores for this display, the best one first.
    _RESPONSES: ClassVar[tuple[str, ...]] = ("predict_proba", "decision_function")

    def __init_subclass__(cls) -> None:
        """Give the constructors the signatures that help() shows, with all options by name."""
        super().__init_subclass__()
        options = _keywords_of(cls.plot) | _keywords_of(cls._values)
        for name in _CONSTRUCTORS:
            shared = vars(CountsDisplay)[name].__func__
            setattr(cls, name, classmethod(_with_options(shared, options)))

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
        **options: Any,
    ) -> Self:
        """Sort the labels and scores once, and draw them.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label, n_jobs
            As for ``confusion_matrix_at_thresholds``. The axes name ``pos_label`` if it is given.
        higher_is_positive : bool
            False for scores that are lower for the positives, like scorecard points for bad loans.
        name, ax, curve_kwargs, **options
            As for ``from_counts``.
        """
        check_flag(higher_is_positive, "higher_is_positive", cls.__name__)
        rows: Any = read_inputs(y_true, y_score, sample_weight, cls.__name__)
        if not higher_is_positive:
            rows = rows._replace(y_score=read_opposite(rows.y_score, cls.__name__))
        weighted = {"sample_weight": rows.sample_weight, "n_jobs": n_jobs}
        counts = confusion_matrix_at_thresholds(
            rows.y_true, rows.y_score, pos_label=pos_label, **weighted
        )
        options |= {"higher_is_positive": higher_is_positive, "pos_label": pos_label}
        return cls.from_counts(counts, name=name, ax=ax, curve_kwargs=curve_kwargs, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        **options: Any,
    ) -> Self:
        """Draw the scores of a fitted classifier, as scikit-learn's displays do.

        Parameters
        ----------
        estimator : classifier
            Fitted on two classes, with ``predict_proba`` or ``decision_function``; displays of
            probabilities need the former.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The features.
        y, sample_weight
            Labels and weights, as for ``from_predictions``.
        response_method : {"auto", "predict_proba", "decision_function"}
            The method that gives the scores; "auto" is the first of the two that exists.
        pos_label : int, float, bool or str, optional
            The positive label; the second of ``estimator.classes_`` if left out.
        name : str, optional
            The name of the model in the legend; the class of the estimator if left out.
        ax, curve_kwargs, **options
            As for ``from_counts``.
        """
        how = response_method, cls._RESPONSES, f"{cls.__name__}.from_estimator"
        scores, pos_label = predict(estimator, X, pos_label, *how)
        options |= {"sample_weight": sample_weight, "pos_label": pos_label, "ax": ax}
        options |= {"name": type(estimator).__name__ if name is None else name}
        return cls.from_predictions(y, scores, curve_kwargs=curve_kwargs, **options)

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        higher_is_positive: bool = True,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
        **options: Any,
    ) -> Self:
        """Draw given counts.

        Parameters
        ----------
        counts : ConfusionCounts or ScoreHistogram
            A histogram is drawn at its bin edges; the legend shows bounds of values.
        higher_is_positive : bool
            False if the opposite scores were counted: displays of scores show the scores
            themselves, and rows at or below a threshold are predicted positive.
        pos_label : int, float, bool or str, optional
            The label of the positives, which the axes name.
        name : str, optional
            The name of the model in the legend.
        ax, curve_kwargs, **options
            As for ``plot``, and the options of the constructors that the class describes.
        """
        check_flag(higher_is_positive, "higher_is_positive", cls.__name__)
        if not isinstance(counts, Counts):
            expected = "an instance of 'ConfusionCounts' or an instance of 'ScoreHistogram'"
            raise invalid_parameter(cls.__name__, "counts", expected, counts)
        common: dict[str, Any] = {"name": name, "counts": counts, "pos_label": pos_label}
        common["higher_is_positive"] = higher_is_positive
        drawn = {each: options.pop(each) for each in _keywords_of(cls.plot) if each in options}
        values = cls._values(counts, higher_is_positive, **options)
        return cls(**values, **common).plot(ax, curve_kwargs=curve_kwargs, **drawn)

    @classmethod
    def _values(cls, *counts: Any, **options: Any) -> dict[str, Any]:
        """Return what is drawn of counts, by the names of the parameters."""
        raise NotImplementedError

    def _finish(self, xlabel: str, ylabel: str, corner: str) -> None:
        told = "" if self.pos_label is None else f" (positive label: {self.pos_label})"
        super()._finish(xlabel + told, ylabel + told, corner)

    def _points_of(self, wanted: Sequence[Any]) -> list[OperatingPoint]:
        """Return the points of thresholds or criteria."""
        counts, where = self._counted("add_operating_points"), self._method("add_operating_points")
        return find_operating_points(counts, wanted, where, self.higher_is_positive)

    def _shade_band(self, band: Any, given: str, line: Any) -> Any:
        """Shade a confidence band of ``curve_ci`` in the color of a line."""
        if not (isinstance(band, CurveInterval) and band.given == given):
            expected = f"an instance of 'CurveInterval' with given={given!r}"
            raise invalid_parameter(self._method("add_band"), "band", expected, band)
        kind = "band of the whole curve" if band.simultaneous else "pointwise intervals"
        label = f"{percent(band.confidence_level)} {kind}, {band.method}"
        look = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0, "label": label}
        return self.ax_.fill_between(band.at, band.low, band.high, **look)

    def _counted(self, method: str) -> Counts:
        """Return the counts of the display; raise an error if it was made without them."""
        if self.counts is None:
            raise ValueError(
                f"{self._method(method)} needs the counts of the curve; expected a display made by "
                "from_predictions or from_counts, or with counts=."
            )
        return self.counts


def _keywords_of(method: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a method that are keywords only."""
    parameters = inspect.signature(method).parameters
    return {name: each for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY}


def _with_options(function: Any, options: dict[str, inspect.Parameter]) -> Callable[..., Any]:
    """Return a function whose signature names the options that ``**options`` stands for."""

    @functools.wraps(function)
    def construct(*arguments: Any, **given: Any) -> Any:
        return function(*arguments, **given)

    signature = inspect.signature(function)
    *known, _ = signature.parameters.values()
    more = [options[name] for name in options if name not in signature.parameters]
    construct.__signature__ = signature.replace(parameters=[*known, *more])  # type: ignore
    return construct
