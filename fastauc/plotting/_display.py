"""What displays share: axes, styles, legends, numbers, and marked thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from fastauc._counts.confusion_counts import ConfusionCounts
from fastauc._counts.thresholds import OptimalThreshold
from fastauc._metrics.roc_curve import confusion_matrix_at_thresholds
from fastauc._streaming.histogram import Counts, ScoreHistogram
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_bins_of_rows, is_real
from fastauc.plotting._thinning import Doubles, thin
from fastauc.plotting._words import legend_name

# Criteria of ``optimal_threshold`` that need no other argument.
_CRITERIA = {
    "youden": "Youden",
    "balanced_accuracy": "balanced accuracy",
    "closest_topleft": "closest to (0, 1)",
    "accuracy": "accuracy",
    "f1": "F1",
}


class OperatingPoint(NamedTuple):
    """A threshold, and the point of the ROC curve it leads to.

    Attributes
    ----------
    threshold : float
        Rows scored at or above it are predicted positive.
    fpr, tpr : float
        The rates there.
    criterion : str or None
        By what it is best, if it was not given as a number.
    """

    threshold: float
    fpr: float
    tpr: float
    criterion: str | None = None

    def in_words(self) -> str:
        """Return the threshold with four digits, and what it is best by."""
        threshold = f"threshold {self.threshold:.4g}"
        return threshold if self.criterion is None else f"{self.criterion}: {threshold}"


OperatingPoint.__module__ = "fastauc.plotting"


def find_operating_points(counts: Counts, wanted: Any, function: str) -> list[OperatingPoint]:
    """Return the points of thresholds, of names of criteria, or of one of these alone."""
    if wanted is None:
        return []
    if isinstance(wanted, (str, OptimalThreshold)) or is_real(wanted):
        wanted = [wanted]
    if not isinstance(wanted, Sequence | np.ndarray):
        raise _unknown_point(wanted, function)
    return [_operating_point(counts, each, function) for each in wanted]


def _operating_point(counts: Counts, wanted: Any, function: str) -> OperatingPoint:
    criterion = None
    if isinstance(wanted, str):
        if wanted not in _CRITERIA:
            raise _unknown_point(wanted, function)
        criterion, wanted = _CRITERIA[wanted], counts.optimal_threshold(method=wanted)
    if isinstance(wanted, OptimalThreshold):
        return OperatingPoint(wanted.threshold, wanted.matrix.fpr, wanted.matrix.tpr, criterion)
    if not (is_real(wanted) and wanted == wanted):
        raise _unknown_point(wanted, function)
    if isinstance(counts, ScoreHistogram):
        counts = counts.confusion_counts()
        # Nothing is known inside a cell: the point is that of the next threshold that is known.
        known = counts.thresholds[counts.thresholds >= wanted]
        wanted = known[-1] if len(known) else math.inf
    matrix = counts.at(wanted)
    return OperatingPoint(float(wanted), matrix.fpr, matrix.tpr)


def _unknown_point(wanted: Any, function: str) -> Exception:
    names = ", ".join(repr(name) for name in _CRITERIA)
    expected = f"a threshold, an OptimalThreshold, a str among {{{names}}}, or a list of these"
    return invalid_parameter(function, "operating_points", expected, wanted)


# Okabe and Ito's colors, which color-blind readers can tell apart, but for their yellow, which is
# too pale for a line. As many dashes as have no divisor in common: 30 lines look different.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (8, 2, 1.5, 2)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GRID, LEGEND_EDGE = "0.9", "0.8"

REFERENCE: dict[str, Any] = {
    "color": "0.45",
    "linestyle": (0, (4, 3)),
    "linewidth": 1.0,
    "zorder": 1.5,
}

SHARE_OF_ROWS = "Share of the population chosen"
# matplotlib needs differences of scores, and reciprocals of them. Where these could be too large or
# too small, scores are drawn in another unit: a power of two, so that they still differ.
_MOST_OF_AXES, _BITS_OF_UNIT = 1e200, 1000
# A column of the picture: with this many across the axes, no more than half a pixel of 2,000.
_N_COLUMNS = 4096


# Axes -------------------------------------------------------------------------------------------


def check_axes(ax: Any, function: str) -> None:
    """Refuse what is no place to draw, and to go on without matplotlib."""
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError(
            f"{function} needs matplotlib, which is not installed: pip install 'fastauc[plot]'."
        ) from error
    if ax is not None and not isinstance(ax, Axes):
        raise invalid_parameter(function, "ax", "an instance of 'matplotlib.axes.Axes' or None", ax)


def check_name(name: Any, function: str) -> None:
    """Refuse a name that is not a text."""
    if name is not None and not isinstance(name, str):
        raise invalid_parameter(function, "name", "an instance of 'str' or None", name)


def check_counts(counts: Any, function: str) -> None:
    """Refuse anything but the two that know counts along thresholds."""
    if not isinstance(counts, Counts):
        expected = "an instance of 'ConfusionCounts' or an instance of 'ScoreHistogram'"
        raise invalid_parameter(function, "counts", expected, counts)


def has_unknown_order(counts: Counts) -> bool:
    """Tell whether some rows may be in one order or another: those of a cell of several scores."""
    return counts._groups().is_mixed is not None


def usual_bins(counts: Counts, bins: Any, function: str) -> int:
    """Return a number of bins, 10 if it is left out; refuse more than there are rows."""
    groups = counts._groups()
    n_rows = None if groups.is_weighted else int(groups.total)
    if bins is None:
        return 10 if n_rows is None else min(10, n_rows)
    check_bins_of_rows(bins, n_rows, function)
    return int(bins)


def prevalence_of(counts: Counts) -> float | None:
    """Return the share of the positives among the rows; None without rows of both classes."""
    n_neg, n_pos = totals_of(counts)
    return float(n_pos / (n_neg + n_pos)) if n_neg > 0 and n_pos > 0 else None


def totals_of(counts: Counts) -> tuple[float, float]:
    """Return the negatives and the positives, or their weight."""
    if isinstance(counts, ConfusionCounts):
        return counts.fps[-1], counts.tps[-1]
    return counts.n_neg, counts.n_pos


# Lines ------------------------------------------------------------------------------------------


class Style(NamedTuple):
    """How one of several models looks, in colors and without."""

    model: int
    color: str
    linestyle: Any
    marker: str

    def mark(self, artist: Any) -> Any:
        """Let the next model in the same axes look different from what this artist shows."""
        artist.fastauc_model = self.model
        return artist


def next_style(ax: Any) -> Style:
    """Return the style of the next model in these axes."""
    models = [getattr(artist, "fastauc_model", -1) for artist in ax.get_children()]
    return style_of(max(models) + 1)


def style_of(model: int) -> Style:
    """Return the style of a model, counted from 0."""
    return Style(
        model,
        COLORS[model % len(COLORS)],
        DASHES[model % len(DASHES)],
        MARKERS[model % len(MARKERS)],
    )


def columns(low: float, high: float) -> Doubles:
    """Return the borders of the columns of a picture whose abscissa is linear."""
    part = np.arange(_N_COLUMNS + 1) / _N_COLUMNS
    return (1 - part) * low + part * high  # no difference of the ends, which may be too large


def draw_line(ax: Any, x: Doubles, y: Doubles, style: Style, **options: Any) -> Any:
    """Draw a line through all points; what the options say goes before the style."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    defaults = {"color": style.color, "linestyle": style.linestyle, "linewidth": 1.8}
    (line,) = ax.plot(x, y, **defaults | normalize_kwargs(options, Line2D))
    return style.mark(line)


def draw_mark(ax: Any, x: float, y: float, marker: str, color: Any, **options: Any) -> Any:
    """Mark one point of a curve."""
    (mark,) = ax.plot(
        [x],
        [y],
        linestyle="none",
        marker=marker,
        markersize=7,
        markerfacecolor="white",
        markeredgecolor=color,
        markeredgewidth=1.8,
        zorder=3,
        **options,
    )
    return mark


def frame(ax: Any, xlabel: str, ylabel: str, corner: str) -> None:
    """Name the axes, and put the legend in the corner that curves of this kind leave free.

    It stands below the axes where it would hide the curves, or if this is the ``corner``.
    """
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(True, color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    pairs = zip(handles, labels, strict=True)
    ordered = sorted(pairs, key=lambda pair: hasattr(pair[0], "fastauc_reference"))
    handles, labels = zip(*ordered, strict=True)
    place: dict[str, Any] = {"loc": corner}
    entry = _FRAME_INCHES + _LETTER_INCHES * max(map(len, labels))
    if corner == "below" or _is_too_large(ax, entry, len(labels)):
        from matplotlib.transforms import ScaledTranslation

        below = ScaledTranslation(0, -_LABEL_INCHES, ax.figure.dpi_scale_trans)
        place = {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, 0),
            "bbox_transform": ax.transAxes + below,
            "ncols": max(1, int(width_in_inches(ax) / entry)),
        }
    ax.legend(handles, labels, fontsize="small", edgecolor=LEGEND_EDGE, **place)


# Of a letter, a line and the axis with its label, in the default font; a legend's frame and lines.
_LETTER_INCHES, _LINE_INCHES, _LABEL_INCHES, _FRAME_INCHES = 0.06, 0.18, 0.5, 0.45


def _is_too_large(ax: Any, entry: float, n_entries: int) -> bool:
    """Tell whether a legend would hide the curves, in a figure that makes room elsewhere."""
    if ax.figure.get_layout_engine() is None:
        return False
    width, height = width_in_inches(ax), ax.get_window_extent().height / ax.figure.dpi
    size = entry * _LINE_INCHES * n_entries
    return bool(entry > 0.8 * width or size > 0.15 * width * height)


def make_room(figure: Any) -> None:
    """Make a figure higher by the legends that stand below its axes."""
    drawn = [(ax, ax.get_legend()) for ax in figure.axes if ax.get_legend() is not None]
    below = [
        legend.get_window_extent().height
        for ax, legend in drawn
        if legend.get_bbox_to_anchor().y0 < ax.bbox.y0
    ]
    figure.set_figheight(figure.get_figheight() + max(below, default=0) / figure.dpi)


def width_in_inches(ax: Any) -> float:
    """Return how wide axes are, as long as nothing makes room for labels."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def show_shares(ax: Any, *axes: Any) -> None:
    """Write shares as percentages, from none to all of the rows."""
    from matplotlib.ticker import PercentFormatter

    ax.set_xlim(limits(0, 1))
    for axis in (ax.xaxis, *axes):
        axis.set_major_formatter(PercentFormatter(1, symbol=" %"))


def unit_of_scores(ax: Any, scores: Doubles, function: str) -> float:
    """Return what these axes divide scores by: 1, unless they are too large or too small."""
    most = float(np.abs(scores).max(initial=0.0))
    unit = 1.0
    if most > _MOST_OF_AXES or 0 < most < 1 / _MOST_OF_AXES:
        unit = 2.0 ** math.copysign(_BITS_OF_UNIT, most - 1)
    if any(getattr(artist, "fastauc_unit", unit) != unit for artist in ax.get_children()):
        expected = "axes without scores of another order of magnitude"
        raise invalid_parameter(function, "ax", expected, ax)
    return unit


def mark_unit(artists: list[Any], unit: float, title: str) -> str:
    """Note the unit of the scores that artists show, and return what the axis of them is called."""
    for artist in artists:
        artist.fastauc_unit = unit
    return title if unit == 1 else f"{title}, in units of 2^{math.log2(unit):.0f}"


def limits(low: float, high: float) -> tuple[float, float]:
    """Return limits of axes with a hundredth of room, so that lines at the ends are whole."""
    room = (high - low) / 100
    return low - room, high + room


# Displays -----------------------------------------------------------------------------------------


class Display:
    """What a display is: numbers that are drawn in axes, once or several times.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where ``plot`` has drawn last.
    line_ : matplotlib Artist
        What it has drawn there.
    """

    name: str | None
    ax_: Any
    figure_: Any
    line_: Any

    @classmethod
    def from_counts(
        cls, counts: Counts, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw what the counts tell; see each display."""
        raise NotImplementedError

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
        **options: Any,
    ) -> Self:
        """Sort labels and scores once, and draw what they tell.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes; of more if ``pos_label`` is given.
        y_score : array-like of shape (n_samples,)
            Scores in any numeric dtype; higher means more likely positive. Finite.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, not negative; rows of weight 0 are left out.
        pos_label : int, float, bool or str, optional
            The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
        n_jobs : int or None
            Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores.
        name : str, optional
            What the legend calls the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of ``matplotlib.pyplot`` if left out.
        **options
            What ``from_counts`` takes.
        """
        check_axes(ax, cls.__name__)
        counts = confusion_matrix_at_thresholds(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, n_jobs=n_jobs
        )
        return cls.from_counts(counts, name=name, ax=ax, **options)

    @classmethod
    def _check(cls, counts: Any, name: Any, ax: Any) -> None:
        check_axes(ax, cls.__name__)
        check_name(name, cls.__name__)
        check_counts(counts, cls.__name__)

    def _open(self, ax: Any, name: Any) -> tuple[Any, str | None]:
        """Return the axes to draw in and the name to show."""
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
        options: dict[str, Any],
        *,
        style: Style | None = None,
        ends: tuple[float, float] = (0.0, 1.0),
        **defaults: Any,
    ) -> Any:
        """Draw the line through the points that can be told apart.

        ``options`` are those of a line, and go before ``defaults``; the picture is as wide as from
        one of the ``ends`` to the other.
        """
        kept = thin(x, y, columns(*ends))
        style = next_style(self.ax_) if style is None else style
        return draw_line(self.ax_, x[kept], y[kept], style, **defaults | options)

    def _reference(self, x: Any, y: Any, label: str, *, wanted: bool = True) -> Any:
        """Draw a line to compare others with, unless it is not wanted or there already."""
        if not wanted:
            return None
        for line in self.ax_.get_lines():
            if line.get_label() == label:
                return line
        (line,) = self.ax_.plot(x, y, label=label, **REFERENCE)
        line.fastauc_reference = True
        return line

    def _finish(self, xlabel: str, ylabel: str, corner: str) -> Self:
        """Name the axes, and put the legend where curves of this kind leave room for it."""
        frame(self.ax_, xlabel, ylabel, corner)
        return self
