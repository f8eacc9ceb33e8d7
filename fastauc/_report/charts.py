"""Charts as inline SVG, for pages.

Drawn here and not by matplotlib, for the sake of the page: lines and text take their colours from
the style sheet of the page, and so follow light, dark and paper; text is text in the font of the
page; a chart is a few kilobytes, and a report needs nothing but numpy. What is drawn are lines
through thinned points, and rectangles: no layout that a library would know better.

The classes are those of ``page``: ``l0`` ... ``l7`` are lines, ``f0`` ... ``f7`` fills.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fastauc._report.html import escaped
from fastauc.plotting._thinning import Doubles, thin

__all__ = ["N_STYLES", "Axis", "Dot", "Line", "Row", "bar_chart", "interval_chart", "legend_of",
           "line_chart", "nice_axis", "rates"]  # fmt: skip

N_STYLES = 8

# Of the drawing, in the units of its viewBox, which are pixels on a phone held upright.
_WIDTH, _HEIGHT = 380, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 10, 44
# Columns of which the lowest and the highest point are kept: less than a pixel of a wide screen.
_N_COLUMNS = 700
_NAME_HEIGHT, _ROW_HEIGHT, _MOST_LETTERS = 20, 12, 40


class Axis(NamedTuple):
    """The range of an axis, and where it is numbered."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]


class Line(NamedTuple):
    """A curve; in steps, a point holds its height until the next one."""

    label: str
    x: Doubles
    y: Doubles
    style: int
    steps: bool = False


class Dot(NamedTuple):
    """A point of a curve that deserves notice."""

    label: str
    x: float
    y: float
    style: int


class Row(NamedTuple):
    """A named number with an interval."""

    label: str
    value: float
    low: float
    high: float
    style: int


def rates(label: str) -> Axis:
    """Return an axis of shares, from 0 to 1."""
    return Axis(label, 0.0, 1.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


def nice_axis(label: str, low: float, high: float, *, n_ticks: int = 5) -> Axis:
    """Return an axis of a range that holds two numbers, with ticks at 1, 2 or 5 of a power of 10.

    Where doubles are too coarse for that, the ends are the ticks.
    """
    if not low < high:
        room = abs(low) / 2 or 0.5
        low, high = low - room, high + room
    ends = Axis(label, low, high, (low, high))
    rough = high / n_ticks - low / n_ticks
    if not rough > 1e-300:
        return ends
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next((unit * k for k in (1, 2, 5) if unit * k >= rough), 10 * unit)
    first, last = math.ceil(low / step), math.floor(high / step)
    ticks = tuple(k * step for k in range(first, min(last, first + 2 * n_ticks) + 1))
    are_apart = all(tick < beyond for tick, beyond in pairwise(ticks))
    if len(ticks) < 2 or not are_apart or ticks[0] < low or ticks[-1] > high:
        return ends
    return Axis(label, low, high, ticks)


# Drawings -----------------------------------------------------------------------------------------


class _Frame:
    """Where the numbers of two axes are in a drawing."""

    def __init__(self, x: Axis, y: Axis, width: int = _WIDTH, height: int = _HEIGHT) -> None:
        self.x, self.y, self.width, self.height = x, y, width, height
        self.left, self.right = _LEFT, width - _RIGHT
        self.top, self.bottom = _TOP, height - _BOTTOM

    def across(self, x: Any) -> Any:
        return self.left + (x - self.x.low) / (self.x.high - self.x.low) * (self.right - self.left)

    def up(self, y: Any) -> Any:
        return self.bottom - (y - self.y.low) / (self.y.high - self.y.low) * (
            self.bottom - self.top
        )

    def axes(self) -> str:
        parts = []
        for tick in self.x.ticks:
            at = _px(self.across(tick))
            parts.append(f'<path class="grid" d="M{at} {self.top}V{self.bottom}"/>')
            is_long = len(_tick(tick)) > 4 and self.across(tick) > self.right - 10
            anchor = "end" if is_long else "middle"
            parts.append(
                f'<text class="tick" x="{at}" y="{self.bottom + 16}" text-anchor="{anchor}">'
                f"{_tick(tick)}</text>"
            )
        for tick in self.y.ticks:
            at = _px(self.up(tick))
            parts.append(f'<path class="grid" d="M{self.left} {at}H{self.right}"/>')
            parts.append(
                f'<text class="tick" x="{self.left - 6}" y="{at}" dy=".35em" text-anchor="end">'
                f"{_tick(tick)}</text>"
            )
        middle = (self.left + self.right) // 2, (self.top + self.bottom) // 2
        parts.append(
            f'<text x="{middle[0]}" y="{self.height - 6}" text-anchor="middle">'
            f"{escaped(self.x.label)}</text>"
            f'<text transform="translate(13 {middle[1]}) rotate(-90)" text-anchor="middle">'
            f"{escaped(self.y.label)}</text>"
            f'<path class="axis" d="M{self.left} {self.top}V{self.bottom}H{self.right}"/>'
        )
        return "".join(parts)

    def path(self, line: Line) -> str:
        kept = np.isfinite(line.y)
        x, y = line.x[kept], np.clip(line.y[kept], self.y.low, self.y.high)
        if len(x) == 0:
            return ""
        chosen = thin(x, y, np.linspace(self.x.low, self.x.high, _N_COLUMNS + 1))
        points = zip(self.across(x[chosen]).tolist(), self.up(y[chosen]).tolist(), strict=True)
        return _path([(_px(across), _px(up)) for across, up in points], line.steps)

    def svg(self, content: str, label: str) -> str:
        return _svg(content, label, self.width, self.height)


def _svg(content: str, label: str, width: int, height: int) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escaped(label)}">'
        f"{content}</svg>"
    )


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _path(points: list[tuple[str, str]], steps: bool) -> str:
    """Return the line through points; those that are the same when they are rounded, once."""
    before = points[0]
    parts = [f"M{before[0]} {before[1]}"]
    for point in points[1:]:
        if point == before:
            continue
        if steps or before[0] == point[0] or before[1] == point[1]:
            parts.append(f"H{point[0]}" if before[0] != point[0] else "")
            parts.append(f"V{point[1]}" if before[1] != point[1] else "")
        else:
            parts.append(f"L{point[0]} {point[1]}")
        before = point
    return "".join(parts)


def _tick(value: float) -> str:
    size = abs(value)
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if unit <= size < 1e12:
            unit = 1e3 if letter == "k" else unit
            return f"{value / unit:.4g}{letter}"
    return f"{value:.4g}"


def line_chart(
    label: str,
    x: Axis,
    y: Axis,
    lines: Sequence[Line],
    *,
    dots: Sequence[Dot] = (),
    chance: Sequence[tuple[float, float]] = (),
) -> str:
    """Return curves, with points on them, and the line of chance through two points."""
    frame = _Frame(x, y)
    parts = [frame.axes()]
    if chance:
        ends = [(_px(frame.across(at)), _px(frame.up(height))) for at, height in chance]
        parts.append(f'<path class="chance" d="{_path(ends, steps=False)}"/>')
    for line in lines:
        drawn = frame.path(line)
        parts.append(f'<path class="line l{line.style}" d="{drawn}"/>' if drawn else "")
    for dot in dots:
        at = _px(frame.across(dot.x)), _px(frame.up(dot.y))
        parts.append(
            f'<circle class="dot f{dot.style}" cx="{at[0]}" cy="{at[1]}" r="4">'
            f"<title>{escaped(dot.label)}</title></circle>"
        )
    return frame.svg("".join(parts), label)


def bar_chart(label: str, x: Axis, y: Axis, edges: Doubles, heights: Sequence[Doubles]) -> str:
    """Return histograms over the same bins, one over the other, in the order of the styles."""
    frame = _Frame(x, y)
    parts = [frame.axes()]
    across = [_px(at) for at in frame.across(edges).tolist()]
    floor = _px(frame.up(y.low))
    for style, values in enumerate(heights):
        tops = [_px(at) for at in frame.up(values).tolist()]
        steps = "".join(f"V{top}H{at}" for top, at in zip(tops, across[1:], strict=True))
        outline = f"M{across[0]} {floor}{steps}V{floor}Z"
        parts.append(f'<path class="area l{style} f{style}" d="{outline}"/>')
    return frame.svg("".join(parts), label)


def interval_chart(label: str, x: Axis, rows: Sequence[Row]) -> str:
    """Return numbers with their intervals below each other, rows of the same label together."""
    names = list(dict.fromkeys(row.label for row in rows))
    each = max(sum(row.label == name for row in rows) for name in names)
    height = _NAME_HEIGHT + _ROW_HEIGHT * each
    frame = _Frame(x, Axis("", 0, 1, ()), _WIDTH, _TOP + _BOTTOM + height * len(names))
    frame.left = _RIGHT  # the names are above the lines
    parts = [frame.axes()]
    for number, name in enumerate(names):
        top = frame.top + number * height
        short = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
        parts.append(
            f'<text x="{frame.left + 4}" y="{top + 15}">{escaped(short)}'
            f"<title>{escaped(name)}</title></text>"
        )
        own = [row for row in rows if row.label == name and math.isfinite(row.value)]
        for k, row in enumerate(own):
            at = top + _NAME_HEIGHT + _ROW_HEIGHT * k + _ROW_HEIGHT // 2 - 2
            low, middle, high = (
                _px(frame.across(min(max(end, x.low), x.high)))
                for end in (row.low, row.value, row.high)
            )
            parts.append(
                f'<path class="line l{row.style}" d="M{low} {at}H{high}"/>'
                f'<circle class="dot f{row.style}" cx="{middle}" cy="{at}" r="4"/>'
            )
    return frame.svg("".join(parts), label)


def legend_of(entries: Sequence[tuple[str, int]], *, areas: bool = False) -> str:
    """Return the names of lines, or of areas, each beside a piece of it."""
    parts = []
    for name, style in entries:
        kind = f"area l{style} f{style}" if areas else f"line l{style}"
        shape = "M1 11V3H31V11Z" if areas else "M0 6H32"
        parts.append(
            f'<li><svg viewBox="0 0 32 12" aria-hidden="true"><path class="{kind}" d="{shape}"/>'
            f"</svg><span>{escaped(name)}</span></li>"
        )
    return f'<ul class="legend">{"".join(parts)}</ul>'
