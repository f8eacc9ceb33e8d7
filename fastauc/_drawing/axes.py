"""What all plots share: colors, lines, axes, their units, and legends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastauc._drawing.thinning import Doubles
from fastauc._validation.errors import invalid_parameter

# Okabe and Ito's colors, which color-blind readers can tell apart, without their yellow, which is
# too pale for a line. The numbers of colors and dashes are coprime: 30 lines look different.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (8, 2, 1.5, 2)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LEGEND_EDGE = "0.8"

REFERENCE: dict[str, Any] = {
    "color": "0.45",
    "linestyle": (0, (4, 3)),
    "linewidth": 1.0,
    "zorder": 1.5,
}

# matplotlib computes differences of scores and their reciprocals. Where these could overflow or
# underflow, scores are drawn in units of a power of two, so that distinct scores stay distinct.
_MOST_OF_AXES, _BITS_OF_UNIT = 1e200, 1000
# A column of the picture: with this many across the axes, no more than half a pixel of 2,000.
_N_COLUMNS = 4096


class Style(NamedTuple):
    """The style of one of several models, distinct even without color."""

    model: int
    color: str
    linestyle: Any
    marker: str

    def mark(self, artist: Any) -> Any:
        """Mark an artist as drawn in this style; the next model in the axes gets another one."""
        artist.fastauc_model = self.model
        return artist


def next_style(ax: Any) -> Style:
    """Return the style of the next model in these axes."""
    models = [getattr(artist, "fastauc_model", -1) for artist in ax.get_children()]
    return style_of(max(models) + 1)


def style_of(model: int) -> Style:
    """Return the style of a model, counted from 0."""
    kinds: tuple[Any, ...] = COLORS, DASHES, MARKERS
    return Style(model, *(each[model % len(each)] for each in kinds))


def columns(low: float, high: float, n: int = _N_COLUMNS) -> Doubles:
    """Return the borders of the pixel columns of a picture with a linear x axis."""
    part = np.arange(n + 1) / n
    return (1 - part) * low + part * high  # high - low may overflow


def draw_line(ax: Any, x: Doubles, y: Doubles, style: Style, **options: Any) -> Any:
    """Draw a line through all points; the options take precedence over the style."""
    defaults = {"color": style.color, "linestyle": style.linestyle, "linewidth": 1.8}
    (line,) = ax.plot(x, y, **defaults | options)
    return style.mark(line)


def draw_mark(ax: Any, x: float, y: float, marker: str, color: Any, **options: Any) -> Any:
    """Mark one point of a curve."""
    look = {"linestyle": "none", "marker": marker, "markersize": 7, "zorder": 3}
    look |= {"markerfacecolor": "white", "markeredgecolor": color, "markeredgewidth": 1.8}
    (mark,) = ax.plot([x], [y], **look, **options)
    return mark


def place_legend(ax: Any, corner: str) -> None:
    """Put the legend in a corner, or below the axes if ``corner`` says so.

    It goes below the axes as well if it would hide the curves.
    """
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


# Sizes of a letter, a line and the axis with its label in the default font; a legend's frame.
_LETTER_INCHES, _LINE_INCHES, _LABEL_INCHES, _FRAME_INCHES = 0.06, 0.18, 0.5, 0.45
_MARGIN_INCHES = 0.12


def _is_too_large(ax: Any, entry: float, n_entries: int) -> bool:
    """Tell whether a legend would hide the curves, in a figure that can make room elsewhere."""
    if ax.figure.get_layout_engine() is None:
        return False
    width, height = width_in_inches(ax), ax.get_window_extent().height / ax.figure.dpi
    size = entry * _LINE_INCHES * n_entries
    return bool(entry > 0.8 * width or size > 0.15 * width * height)


def make_room(figure: Any) -> None:
    """Make a figure taller by the legends below each row of its axes."""
    drawn = [(ax, ax.get_legend()) for ax in figure.axes if ax.get_legend() is not None]
    below = [
        legend.get_window_extent().height
        for ax, legend in drawn
        if legend.get_bbox_to_anchor().y0 < ax.bbox.y0
    ]
    if below:
        n_rows = figure.axes[0].get_gridspec().nrows
        figure.set_figheight(figure.get_figheight() + n_rows * max(below) / figure.dpi)


def trim(figure: Any) -> None:
    """Give a picture a margin all around, and no more: square axes leave some of a wide one."""
    figure.get_layout_engine().set(w_pad=_MARGIN_INCHES, h_pad=_MARGIN_INCHES)
    if all(ax.get_aspect() == 1 for ax in figure.axes):
        figure.draw_without_rendering()
        figure.set_figwidth(figure.get_tightbbox().width + 2 * _MARGIN_INCHES)


def width_in_inches(ax: Any) -> float:
    """Return the width of axes before any layout makes room for labels."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def show_shares(ax: Any, *axes: Any) -> None:
    """Show shares as percentages, from 0 to 100 %."""
    from matplotlib.ticker import PercentFormatter

    ax.set_xlim(limits(0, 1))
    for axis in (ax.xaxis, *axes):
        axis.set_major_formatter(PercentFormatter(1))


def unit_of_scores(ax: Any, scores: Doubles, function: str) -> float:
    """Return the divisor of scores in these axes: 1, unless they are too large or too small."""
    most = float(np.abs(scores).max(initial=0.0))
    unit = 1.0
    if most > _MOST_OF_AXES or 0 < most < 1 / _MOST_OF_AXES:
        unit = 2.0 ** math.copysign(_BITS_OF_UNIT, most - 1)
    if any(getattr(artist, "fastauc_unit", unit) != unit for artist in ax.get_children()):
        expected = "axes whose scores have the same order of magnitude"
        raise invalid_parameter(function, "ax", expected, ax)
    return unit


def mark_unit(artists: list[Any], unit: float, title: str) -> str:
    """Note the unit of the scores that artists show, and return the label of their axis."""
    for artist in artists:
        artist.fastauc_unit = unit
    return title if unit == 1 else f"{title}, in units of 2^{math.log2(unit):.0f}"


def share_scales(panels: Sequence[Any]) -> None:
    """Give panels side by side the same scales, unless that squeezes one to less than half.

    In that case, its scores are on another scale than the others, and so are their densities.
    """
    lows, highs = np.transpose([ax.get_xlim() for ax in panels])
    low, high = lows.min(), highs.max()
    if len({ax.get_xlabel() for ax in panels}) > 1 or high - low > 2 * (highs - lows).min():
        return
    bottoms, tops = np.transpose([ax.get_ylim() for ax in panels])
    for ax in panels:
        ax.set(xlim=(low, high), ylim=(bottoms.min(), tops.max()))


def limits(low: float, high: float) -> tuple[float, float]:
    """Return limits of axes with a hundredth of room, so that lines at the ends are whole."""
    room = (high - low) / 100
    return low - room, high + room
