"""Pictures of a report: the displays of ``fastauc.plotting``, as SVG inside the page.

They take their colors from the style sheet of the page, and so follow light and dark mode and
print; text stays text, in the font of the page.
"""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from fastauc._drawing import axes
from fastauc._drawing.aucs import GroupAuc, lines_of_aucs
from fastauc._drawing.words import legend_name, percent
from fastauc._rows import group_in_words
from fastauc._tables import printable
from fastauc.plotting import AucByGroupDisplay
from fastauc.reports._content import Figures, GroupReport, ModelReport
from fastauc.reports._html import figure, style_sheet

_LONG_NUMBER = re.compile(r"(\d+\.\d{3,})")

# In inches, for a page, a phone or a third of a screen.
_WIDTH, _HEIGHT, _MARGIN = 4.4, 3.7, 0.03
_WIDE = 3 * _WIDTH  # the whole page
_BAR_HEIGHT, _ROW_ROOM = 0.17, 0.1  # of intervals below each other
_MOST_LETTERS, _MOST_LETTERS_OF_GROUPS = 30, 18

# Names are never read as TeX, and the same numbers make the same bytes.
_LOOK = {"svg.fonttype": "none", "text.parse_math": False, "text.usetex": False}

# The colors of the displays in dark mode, with a contrast of at least 3:1 to the background.
_IN_THE_DARK = ("#4ba3e3", "#ff8a3d", "#2bc795", "#e5a3ca", "#f2b632", "#a5dcff")


def _variables(colors: Sequence[str]) -> str:
    return " ".join(f"--c{number}: {color};" for number, color in enumerate(colors))


def style() -> str:
    """Return the style sheet of pictures."""
    light, dark = _variables(axes.COLORS), _variables(_IN_THE_DARK)
    return (
        f"\n:root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) "
        f"{{ :root {{ {dark} }} }}\n{style_sheet('pictures.css')}"
    )


# Figures ------------------------------------------------------------------------------------------


def draw_curves(models: Sequence[ModelReport], positive: str) -> str:
    """Return the ROC, the precision-recall and the gain curves of all models.

    Each caption says what is ``positive``.
    """
    names = [_printable(model.figures.score) for model in models]
    curves: dict[str, list[Any]] = {
        "ROC curve": [model.roc for model in models],
        "Precision-recall curve": [model.precision_recall for model in models],
        "Gain curve": [model.gain for model in models],
    }
    return _figures(*(_figure(each, names, curves[each], positive) for each in curves))


def draw_model(model: ModelReport, positive: str) -> str:
    """Return the Kolmogorov-Smirnov chart, the distribution of the scores and the calibration."""
    score, outside = model.figures.score, model.distribution.share_outside
    known = "" if model.exact else ". The largest distance at the edges of the score bins is marked"
    bins = f"{len(model.distribution.edges) - 1} bins{' of equal width' * model.exact}"
    if outside > 0:
        bins += f"; outside: {percent(outside)} of the {'weight' if model.weights else 'rows'}"
    chart = _figure(f"K-S chart of {score}", [None], [model.ks], positive + known)
    title = f"Distribution of the scores of {score}"
    drawn = [chart, _figure(title, [None], [model.distribution], f"{positive}. {bins}")]
    if model.calibration.is_probability:
        equal = "Bins with equal numbers of rows, each with its interval"
        if model.weights is not None:
            equal = "Bins of equal weight"
        caption = f"{positive}. {equal}; scores on the diagonal are perfectly calibrated."
        drawn.append(_figure(f"Calibration of {score}", [None], [model.calibration], caption))
    return _figures(*drawn)


def draw_groups(
    groups: Sequence[GroupReport], scores: Sequence[str], by: Sequence[str], positive: str
) -> str:
    """Return the AUCs of all groups with their intervals, and the ROC curves of a few groups."""

    def shown(name: str) -> str:
        return _printable(name, _MOST_LETTERS_OF_GROUPS)

    aucs = {
        score: [_auc_of(group.group, group.figures[k]) for group in groups]
        for k, score in enumerate(scores)
    }
    names, displays = [], []
    for line, found in lines_of_aucs(by, aucs):
        names.append(_printable(line))
        known = found._replace(group=np.array([shown(name) for name in found.group]))
        displays.append(AucByGroupDisplay(aucs=known))
    size = _WIDE, _HEIGHT
    if not displays[0].is_along_time:
        size = _WIDTH, (_BAR_HEIGHT * len(scores) + _ROW_ROOM) * len(groups) + 0.7
    drawn = [_figure("AUC by group", names, displays, positive, size=size)]
    if all(group.curves for group in groups):
        names = [shown(group_in_words(group.group)) for group in groups]
        for k, score in enumerate(scores):
            curves = [group.curves[k] for group in groups]
            drawn.append(_figure(f"ROC curves of {score} by group", names, curves, positive))
    return _figures(*drawn)


def _auc_of(group: Any, figures: Figures) -> GroupAuc:
    auc, estimate = figures.measures.roc_auc, figures.estimate
    return GroupAuc(group, auc, estimate, figures.n_rows, figures.n_pos)


# SVG ----------------------------------------------------------------------------------------------


def _figures(*drawn: str) -> str:
    """Return figures side by side, as many as the width allows."""
    return f'<div class="figures">{"".join(drawn)}</div>\n'


def _figure(
    title: str,
    names: Sequence[str | None],
    displays: Sequence[Any],
    caption: str,
    *,
    size: tuple[float, float] = (_WIDTH, _HEIGHT),
) -> str:
    """Return a picture of displays, which are named in its legend; its title is unique."""

    def draw(ax: Any) -> None:
        for name, display in zip(names, displays, strict=True):
            display.plot(ax, name=name)

    return figure(title, _svg(title, draw, *size[::-1]), caption, is_wide=size[0] > _WIDTH)


def _svg(label: str, draw: Callable[[Any], object], height: float, width: float = _WIDTH) -> str:
    from matplotlib import style
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # Clip paths and markers get ids made from the label, which differ from those of other pictures.
    look = _LOOK | {"svg.hashsalt": label}
    content = io.StringIO()
    with style.context(["default", look]), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # glyphs missing here: browsers have them
        figure = Figure(figsize=(width, height), layout="constrained", dpi=72)
        draw(figure.subplots())
        axes.make_room(figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        height = figure.get_figheight()  # with room for the legend
        # A long legend may end below the figure: the picture has the height of its content.
        box = figure.get_tightbbox()
        # Figure.savefig would draw once more, to lay out what is laid out.
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(content, metadata={"Date": None})
    top, bottom = height - box.y1 - _MARGIN, height - box.y0 + _MARGIN
    view = f"0 {72 * top:.2f} {72 * width:g} {72 * (bottom - top):.2f}"
    return _inline(content.getvalue(), label, view)


def _inline(svg: str, label: str, view: str) -> str:
    """Return a matplotlib drawing as an element of a page, as wide as its container."""
    from matplotlib.colors import to_hex

    tones = {"black": "text", "white": "back", axes.LEGEND_EDGE: "rule"}
    tones |= {axes.REFERENCE["color"]: "soft"} | {
        color: f"c{k}" for k, color in enumerate(axes.COLORS)
    }
    variables = {to_hex(color): f"var(--{name})" for color, name in tones.items()}
    root = ElementTree.XML(svg)
    for element in list(root.iter()):
        for child in list(element):
            if child.tag.endswith(("metadata", "style")):
                element.remove(child)
            child.tail = None
        is_text = element.tag.endswith("text")
        element.tag = element.tag.rpartition("}")[2]
        element.text = element.text if is_text else None
        given = element.items()
        element.attrib = {}
        for name, value in given:
            name = name.rpartition("}")[2]
            if _LONG_NUMBER.search(value):
                parts = _LONG_NUMBER.split(value)  # every second one is a number
                parts[1::2] = map("{:.2f}".format, map(float, parts[1::2]))
                value = "".join(parts)
            if name == "style":
                # Only the font size is kept: the family is that of the page.
                value = re.sub(r"font-family: [^;]*; |(?<=px) '[^;]*(?=;)", "", value)
                value = value.replace("font:", "font-size:")
                value = re.sub("#[0-9a-f]{6}", lambda tone: variables.get(tone[0], tone[0]), value)
            # Groups have the same ids in all pictures, and nothing refers to them.
            if not (name == "id" and element.tag == "g") and not value.startswith("rotate(-0 "):
                element.set(name, " ".join(value.split()))
    root.attrib = {"viewBox": view, "role": "img", "aria-label": printable(label)}
    return ElementTree.tostring(root, encoding="unicode")


def _printable(name: str, most: int = _MOST_LETTERS) -> str:
    """Return a name for a picture: without characters that XML forbids, and not too long."""
    shown = legend_name(printable(name))
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
