"""Pictures of a report: numbers are in their places, names stay text, colors follow the page."""

import math
import re

import numpy as np
import pytest

from fastauc._drawing.axes import COLORS
from fastauc._readings import Measures
from fastauc.plotting import RocCurveDisplay
from fastauc.reports._content import Figures, GroupReport
from fastauc.reports._html import page, paragraph, section, table_of
from fastauc.streaming._bounds import ScoreInterval
from support.pages import Page

matplotlib = pytest.importorskip("matplotlib")
pictures = pytest.importorskip("fastauc.reports._pictures")

EVIL = """<script>alert("1")</script>'&amp;"""
STEPS = np.array([0.0, 0.25, 0.5, 1.0]), np.array([0.0, 0.5, 0.5, 1.0])


def drawing(draw, label="a picture", height=3.7):
    return pictures._svg(label, draw, height)


def roc(*names, curve=STEPS):
    def draw(ax):
        for name in names:
            RocCurveDisplay(fpr=curve[0], tpr=curve[1], name=name).plot(ax)

    return draw


def points_of(path):
    return [tuple(map(float, pair)) for pair in re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path)]


def curves(content, number=0):
    """Return the points of the lines in the color of a model, without those of the legend."""
    found = Page(content)
    return [
        points_of(each["d"])
        for each in found.of("path")
        if f"stroke: var(--c{number})" in each["style"] and "clip-path" in each
    ]


def test_lines_are_where_their_numbers_are():
    content = drawing(roc("m"))
    (clip,) = Page(content).of("rect")
    left, top, width, height = (float(clip[key]) for key in ("x", "y", "width", "height"))
    assert width == height  # the axes lead from -0.01 to 1.01
    expected = [
        (left + (x + 0.01) / 1.02 * width, top + (1.01 - y) / 1.02 * height)
        for x, y in zip(*STEPS, strict=True)
    ]
    (found,) = curves(content)
    for point, wanted in zip(found, expected, strict=True):
        assert point == pytest.approx(wanted, abs=0.011)  # two decimals are written, both rounded


def test_a_picture_is_as_wide_as_its_place_and_says_what_it_is():
    (root,) = Page(drawing(roc("m"), EVIL)).of("svg")
    assert set(root) == {"viewbox", "role", "aria-label"}
    assert (root["role"], root["aria-label"]) == ("img", EVIL)


def test_all_colors_are_variables_of_the_page():
    names = [f"m{k}" for k in range(len(COLORS))]
    content = drawing(roc(*names))
    assert not re.search(r"#[0-9a-f]{3}", content.replace("(#", "").replace('"#', ""))
    used = set(re.findall(r"var\((--\w+)\)", content))
    assert {f"--c{k}" for k in range(len(COLORS))} < used
    whole = page("", content, pictures.style())
    dark = "".join(re.findall(r"prefers-color-scheme: dark\) \{(.*?\}) \}", whole, re.S))
    for name in used:
        assert re.search(rf":root \{{[^}}]*{name}: #", whole)
        assert f"{name}: #" in dark


def test_names_stay_text():
    tables = table_of([EVIL], [[EVIL]]) + table_of(None, [[EVIL, EVIL]])
    body = tables + paragraph(EVIL) + drawing(roc(EVIL), EVIL)
    found = Page(page(EVIL, section(EVIL, body)))
    assert found.of("script") == []
    assert found.texts.count(EVIL) == 9


def test_any_name_can_be_shown():
    for name, shown in {
        r"$\frac{s$": r"$\frac{s$",
        "中文": "中文",
        "a\x01b\nc\ud800": r"a\x01b\nc\ud800",
        "_hidden": " _hidden",
        "x" * 30: "x" * 30,
        "x" * 31: "x" * 29 + "…",
    }.items():
        assert pictures._printable(name) == shown
        assert shown in Page(drawing(roc(shown))).texts


def test_settings_of_the_user_are_neither_used_nor_changed():
    usual = drawing(roc("m"))
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30, "text.color": "blue"}):
        before = dict(matplotlib.rcParams)
        assert drawing(roc("m")) == usual
        assert dict(matplotlib.rcParams) == before


def test_a_long_legend_makes_the_picture_higher():
    def height(content):
        return float(Page(content).of("svg")[0]["viewbox"].split()[-1])

    few, many = (drawing(roc(*(f"model {k}" for k in range(n)))) for n in (2, 20))
    assert height(few) < 72 * 3.8
    assert height(many) > height(few) + 18 * 8  # letters of 8.33 points
    # It is below the axes, and inside of the picture.
    lines = [each for each in Page(many).of("text") if "text-anchor: start" in each["style"]]
    assert len(lines) == 21
    (clip,) = Page(many).of("rect")
    assert all(
        float(clip["y"]) + float(clip["height"]) < float(line["y"]) < height(many) for line in lines
    )


def group(name, *intervals):
    figures = []
    for k, (low, middle, high) in enumerate(intervals):
        area = ScoreInterval(middle, low, high, low == high)
        figures.append(Figures(f"s{k}", 10, 5, Measures(*[area] * 4, None), area, area))
    return GroupReport(name, figures, [])


def test_aucs_of_groups():
    nan = math.nan
    groups = [
        group("first", (0.5, 0.6, 0.75), (0.25, 0.25, 0.25)),
        group("a name of many letters", (0.25, 0.5, 1.0), (nan, nan, nan)),
    ]
    found = Page(pictures.draw_groups(groups, ["_s0", "s1"], ["g"], "1 = positive"))
    assert {"first", "a name of many le…", " _s0", "s1", "AUC"} < set(found.texts)
    (first, second) = sorted(
        (bar for bar in lines_of(found, 2) if bar[0][1] == bar[1][1]), key=lambda bar: bar[0][1]
    )
    # Of [0.5, 0.75] and [0.25, 1]: the one is a third of the other, and begins a third later.
    width = second[1][0] - second[0][0]
    assert first[1][0] - first[0][0] == pytest.approx(width / 3, abs=0.03)
    assert first[0][0] - second[0][0] == pytest.approx(width / 3, abs=0.03)
    (root,) = found.of("svg")
    assert root["aria-label"] == "AUC by group"


def test_groups_whose_names_are_cut_to_the_same_letters():
    names = ["a name of many letters", "a name of many lines", "short"]
    groups = [group(name, (0.5, 0.625, 0.75)) for name in names]
    found = Page(pictures.draw_groups(groups, ["s"], ["g"], "1 = positive"))
    assert {"a name of many le…", "a name of many li…", "short"} < set(found.texts)
    longer = [group(f"a name of very many {k}", (0.5, 0.625, 0.75)) for k in range(3)]
    found = Page(pictures.draw_groups(longer, ["s"], ["g"], "1 = positive"))
    assert "a name of very ma…" in found.texts


def lines_of(page, n):
    """Return the lines of n points in the color of the first model."""
    drawn = [each for each in page.of("path") if "clip-path" in each]
    found = [points_of(each["d"]) for each in drawn if "stroke: var(--c0)" in each["style"]]
    return [points for points in found if len(points) == n]
