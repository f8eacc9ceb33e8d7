"""What displays share: their input, their axes and their options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from numpy.typing import ArrayLike

from fastauc._counts.confusion_counts import ConfusionCounts
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_bins_of_rows, check_flag
from fastauc._validation.samples import read_opposite
from fastauc.metrics._roc_curve import confusion_matrix_at_thresholds
from fastauc.plotting._axes import (
    REFERENCE,
    Style,
    columns,
    draw_line,
    frame,
    next_style,
    style_of,
)
from fastauc.plotting._thinning import Doubles, thin
from fastauc.plotting._words import in_legend, legend_name, with_mean, with_value
from fastauc.streaming._histogram import Counts

# Keyword options of a matplotlib artist.
ArtistOptions = Mapping[str, Any] | None

SHARE_OF_ROWS = "Share of population selected"


def check_axes(ax: Any, function: str) -> None:
    """Refuse anything but axes or None, and raise an error without matplotlib."""
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError(
            f"{function} needs matplotlib, which is not installed: pip install 'fastauc[plot]'."
        ) from error
    if ax is not None and not isinstance(ax, Axes):
        raise invalid_parameter(function, "ax", "an instance of 'matplotlib.axes.Axes' or None", ax)


def check_name(name: Any, function: str) -> None:
    """Refuse a name that is not a string."""
    if name is not None and not isinstance(name, str):
        raise invalid_parameter(function, "name", "an instance of 'str' or None", name)


def check_counts(counts: Any, function: str) -> None:
    """Refuse anything but the two classes that hold counts along thresholds."""
    if not isinstance(counts, Counts):
        expected = "an instance of 'ConfusionCounts' or an instance of 'ScoreHistogram'"
        raise invalid_parameter(function, "counts", expected, counts)


def has_unknown_order(counts: Counts) -> bool:
    """Tell whether the order of some rows is unknown, as in a histogram bin of several scores."""
    return counts._groups().is_mixed is not None


def usual_bins(counts: Counts, bins: Any, function: str) -> int:
    """Return the number of bins, 10 by default; refuse more bins than rows."""
    groups = counts._groups()
    n_rows = None if groups.is_weighted else int(groups.total)
    if bins is None:
        return 10 if n_rows is None else min(10, n_rows)
    check_bins_of_rows(bins, n_rows, function)
    return int(bins)


def prevalence_of(counts: Counts) -> float | None:
    """Return the share of positives among the rows; None without rows of both classes."""
    n_neg, n_pos = totals_of(counts)
    return float(n_pos / (n_neg + n_pos)) if n_neg > 0 and n_pos > 0 else None


def totals_of(counts: Counts) -> tuple[float, float]:
    """Return the numbers of negatives and positives, or their weights."""
    if isinstance(counts, ConfusionCounts):
        return counts.fps[-1], counts.tps[-1]
    return counts.n_neg, counts.n_pos


class Display:
    """Base of all displays: values that can be drawn in axes, once or several times.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where ``plot`` has last drawn.
    line_ : matplotlib Artist
        What ``plot`` has drawn there.
    """

    name: str | None
    ax_: Any
    figure_: Any
    line_: Any

    @classmethod
    def _count(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None,
        pos_label: Label | None,
        n_jobs: int | None,
        ax: Any,
        higher_is_positive: bool = True,
    ) -> ConfusionCounts:
        """Sort the labels and scores, or their opposites, once, after checking the axes."""
        check_axes(ax, cls.__name__)
        check_flag(higher_is_positive, "higher_is_positive", cls.__name__)
        if not higher_is_positive:
            y_score = read_opposite(y_score, cls.__name__)
        return confusion_matrix_at_thresholds(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, n_jobs=n_jobs
        )

    @classmethod
    def _check(cls, counts: Any, name: Any, ax: Any, higher_is_positive: Any = True) -> None:
        check_axes(ax, cls.__name__)
        check_flag(higher_is_positive, "higher_is_positive", cls.__name__)
        check_name(name, cls.__name__)
        check_counts(counts, cls.__name__)

    def _open(self, ax: Any, name: Any) -> tuple[Any, str | None]:
        """Return the axes to draw in, and the name to show."""
        function = f"{type(self).__name__}.plot"
        check_axes(ax, function)
        check_name(name, function)
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(layout="constrained")[1]
        self.ax_, self.figure_ = ax, ax.figure
        name = self.name if name is None else name
        return ax, None if name is None else legend_name(name)

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
        kept = thin(x, y, columns(*ends))
        style = next_style(self.ax_) if style is None else style
        return draw_line(self.ax_, x[kept], y[kept], style, **options)

    def _folds(
        self,
        curves: list[tuple[Doubles, Doubles]],
        values: Sequence[float] | None,
        curve_kwargs: ArtistOptions | Sequence[Mapping[str, Any]],
        *,
        labels: tuple[str | None, str],
        style: Style,
        **defaults: Any,
    ) -> list[Any]:
        """Draw the curves of folds, with the mean of their values in the legend.

        If each curve has its own options, the legend has each value instead. ``labels`` are the
        name of the model and that of the metric.
        """
        name, measure = labels
        styles = [style] * len(curves)
        if not isinstance(curve_kwargs, list | tuple):
            alike = {"linestyle": "-", "linewidth": 1.2, "alpha": 0.8} | defaults
            alike["label"] = in_legend(name, "Folds", with_mean(measure, values))
            alike |= self._line_options(curve_kwargs)
            # One legend entry for all of them.
            options = [alike, *[alike | {"label": "_fold"}] * (len(curves) - 1)]
        elif len(curve_kwargs) == len(curves):
            options = []
            for k, given in enumerate(curve_kwargs):
                fold = f"fold {k + 1}" if name is None else f"{name}, fold {k + 1}"
                value = with_value(measure, None if values is None else values[k])
                own = {"label": in_legend(fold, "", value)}
                options.append(defaults | own | self._line_options(given))
            styles = [style_of(style.model + k) for k in range(len(curves))]
        else:
            expected = f"a dict, a list of {len(curves)} of them, one for each fold, or None"
            raise self._invalid("curve_kwargs", expected, curve_kwargs)
        return [
            self._curve(x, y, own, style=each)
            for (x, y), own, each in zip(curves, options, styles, strict=True)
        ]

    def _line_options(self, given: Any, argument: str = "curve_kwargs") -> dict[str, Any]:
        """Return the options of a line by their full names."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        return dict(normalize_kwargs(self._options(given, argument), Line2D))

    def _options(self, given: Any, argument: str = "curve_kwargs") -> dict[str, Any]:
        """Return the options of an artist; refuse anything but a dict or None."""
        if given is not None and not isinstance(given, Mapping):
            raise self._invalid(argument, "a dict or None", given)
        return dict(given or {})

    def _invalid(self, argument: str, expected: str, value: object) -> Exception:
        return invalid_parameter(f"{type(self).__name__}.plot", argument, expected, value)

    def _reference(
        self, x: Any, y: Any, label: str, *, wanted: bool = True, kwargs: ArtistOptions = None
    ) -> Any:
        """Draw a reference line, unless it is unwanted or already there."""
        if not wanted:
            return None
        options = REFERENCE | {"label": label} | self._line_options(kwargs, "chance_level_kw")
        for line in self.ax_.get_lines():
            if line.get_label() == options["label"]:
                return line
        (line,) = self.ax_.plot(x, y, **options)
        line.fastauc_reference = True
        return line

    def _finish(self, xlabel: str, ylabel: str, corner: str, *, despine: bool = False) -> Self:
        """Label the axes, and put the legend where curves of this kind leave room for it."""
        frame(self.ax_, xlabel, ylabel, corner)
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self
