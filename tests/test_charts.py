"""Charts: where numbers are in a drawing, what axes are numbered by, and that names stay text."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fastauc._report.charts import (
    Axis,
    Dot,
    Line,
    Row,
    bar_chart,
    interval_chart,
    legend_of,
    line_chart,
    nice_axis,
    rates,
)
from fastauc._report.html import page, paragraph, section, table_of
from pages import Page

EVIL = """<script>alert("1")</script>'&amp;"""
FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-4e307, max_value=4e307)


def points_of(path):
    """Return the points of a path of M, L, H and V."""
    at, found = [0.0, 0.0], []
    for command, numbers in re.findall(r"([MLHVZ])([^MLHVZ]*)", path):
        values = [float(number) for number in numbers.split()]
        if command in "ML":
            at = values
        elif command == "H":
            at = [values[0], at[1]]
        elif command == "V":
            at = [at[0], values[0]]
        found.append(tuple(at))
    return found


# The corners of the drawing in its own units, as the axes are drawn.
def corners(drawing):
    (axis,) = (each for each in Page(drawing).of("path") if each["class"] == "axis")
    (left, top), (_, bottom), (right, _) = points_of(axis["d"])
    return left, top, right, bottom


@given(low=FINITE, high=FINITE)
@example(0.0, 5e-324)
@example(1e16, 1e16 + 2)
@example(0.0, 0.0)
@example(-4e307, 4e307)
def test_ticks_are_in_range_and_apart(low, high):
    low, high = sorted([low, high])
    axis = nice_axis("x", low, high)
    assert axis.low <= low <= high <= axis.high
    assert axis.low < axis.high
    assert 2 <= len(axis.ticks) <= 11
    assert axis.low <= axis.ticks[0]
    assert axis.ticks[-1] <= axis.high
    assert list(axis.ticks) == sorted(set(axis.ticks))


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-3.2, 4.1, [-2, 0, 2, 4]),
        (0, 815, [0, 200, 400, 600, 800]),
        (0.681, 0.752, [0.7, 0.72, 0.74]),
    ],
)
def test_ticks_are_round(low, high, ticks):
    assert nice_axis("x", low, high).ticks == pytest.approx(ticks)


def test_lines_are_where_their_numbers_are():
    x, y = np.array([0.0, 0.25, 0.5, 1.0]), np.array([0.0, 0.5, 0.5, 1.0])
    drawing = line_chart("c", rates("x"), rates("y"), [Line("a", x, y, 3)])
    left, top, right, bottom = corners(drawing)
    (line,) = (each for each in Page(drawing).of("path") if each["class"] == "line l3")
    expected = [
        (left + (right - left) * a, bottom - (bottom - top) * b) for a, b in zip(x, y, strict=True)
    ]
    for found, wanted in zip(points_of(line["d"]), expected, strict=True):
        assert found == pytest.approx(wanted, abs=0.05)  # of a pixel: one decimal is written
    steps = line_chart("c", rates("x"), rates("y"), [Line("a", x, y, 0, steps=True)])
    (line,) = (each for each in Page(steps).of("path") if each["class"] == "line l0")
    for before, after in itertools.pairwise(points_of(line["d"])):
        assert before[0] == after[0] or before[1] == after[1]


def test_a_long_line_is_short_and_keeps_its_peaks():
    n = 200_000
    x = np.linspace(0, 1, n)
    y = np.where(np.arange(n) == 77_777, 1.0, 0.5 + 0.1 * np.sin(300 * x))
    drawing = line_chart("c", rates("x"), rates("y"), [Line("a", x, y, 0)])
    assert len(drawing) < 60_000
    _, top, _, _ = corners(drawing)
    (line,) = (each for each in Page(drawing).of("path") if each["class"] == "line l0")
    assert min(height for _, height in points_of(line["d"])) == top


def test_what_is_undefined_is_not_drawn():
    lines = [Line("a", np.array([]), np.array([]), 0), Line("b", np.ones(2), np.full(2, np.nan), 1)]
    drawing = line_chart("c", rates("x"), rates("y"), lines)
    assert not [each for each in Page(drawing).of("path") if "line" in each["class"]]
    assert "nan" not in drawing
    rows = [Row("a", math.nan, math.nan, math.nan, 0), Row("b", 0.5, 0.4, 2.0, 0)]
    drawing = interval_chart("c", rates("x"), rows)
    _, _, right, _ = corners(drawing)
    (line,) = (each for each in Page(drawing).of("path") if each["class"] == "line l0")
    assert points_of(line["d"])[1][0] == right
    assert "nan" not in drawing


def test_bars_have_the_heights_of_their_numbers():
    edges, shares = np.array([0.0, 0.5, 1.0]), np.array([0.25, 1.0])
    drawing = bar_chart("c", rates("x"), rates("y"), edges, [shares])
    left, top, right, bottom = corners(drawing)
    (area,) = (each for each in Page(drawing).of("path") if "area" in each["class"])
    middle, quarter = (left + right) / 2, bottom - (bottom - top) / 4
    expected = [
        *((left, bottom), (left, quarter), (middle, quarter), (middle, top), (right, top)),
        *((right, bottom), (right, bottom)),
    ]
    assert points_of(area["d"]) == [pytest.approx(point, abs=0.05) for point in expected]


def test_names_stay_text():
    line = Line(EVIL, np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0)
    axis = Axis(EVIL, 0, 1, (0, 1))
    body = (
        line_chart(EVIL, axis, axis, [line], dots=[Dot(EVIL, 0.5, 0.5, 0)])
        + interval_chart(EVIL, axis, [Row(EVIL, 0.5, 0.4, 0.6, 0)])
        + bar_chart(EVIL, axis, axis, np.array([0.0, 1.0]), [np.array([1.0])])
        + legend_of([(EVIL, 0)])
        + table_of([EVIL], [[EVIL]])
        + table_of(None, [[EVIL, EVIL]])
        + paragraph(EVIL)
    )
    found = Page(page(EVIL, section(EVIL, body)))
    assert found.of("script") == []
    assert found.texts.count(EVIL) == 17
    labels = [each["aria-label"] for each in found.of("svg") if "aria-label" in each]
    assert labels == [EVIL] * 3
