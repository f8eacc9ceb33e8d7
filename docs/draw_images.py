"""Draw the pictures of displays in the manual: ``python docs/draw_images.py [NAME...]``.

Those of the gallery are drawn by the examples above them; the others, of a model whose curve is
known, by functions here. They are committed, for viewers of Markdown, and drawn anew when the
manual is built. Their text stays text.
"""

import contextlib
import doctest
import io
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure

from fastauc.plotting import (
    GainCurveDisplay,
    KsDisplay,
    RocCurveDisplay,
    ScoreDistributionDisplay,
)

DOCS = Path(__file__).parent
_LOOK = {"svg.fonttype": "none", "svg.hashsalt": "fastauc"}
_INCHES = 5.2, 4.2

# The model whose curve is known: the densities of the scores from 0 to 1 are 1 ± a (2x - 1), with
# a = 1; and one that knows less. Of each hundredth one row of either class, with its weight, so
# that nothing is left to chance.
_SCORES = (np.arange(100) + 0.5) / 100


def _known(a: float) -> dict[str, Any]:
    tilt = a * (2 * _SCORES - 1)
    return {
        "y_true": np.repeat([0, 1], 100),
        "y_score": np.tile(_SCORES, 2),
        "sample_weight": np.concatenate([1 - tilt, 1 + tilt]).round(3),
    }


KNOWN, WORSE = _known(1), _known(0.6)


class Picture(NamedTuple):
    """What is drawn, and what it says to those who do not see it."""

    title: str
    description: str
    draw: Callable[[Any], Any]


def _gain_curves(ax: Any) -> None:
    for name, sample in (("forest", KNOWN), ("logistic", WORSE)):
        GainCurveDisplay.from_predictions(**sample, name=name, ax=ax)


def _binormal(ax: Any) -> None:
    normal, rates = NormalDist(), np.arange(1, 1000) / 1000
    for d, s in ((1, 1), (1, 2), (2, 1)):
        fpr = np.array([0, *rates, 1])
        tpr = np.array([0, *(normal.cdf(d + s * normal.inv_cdf(rate)) for rate in rates), 1])
        area = normal.cdf(d / math.hypot(1, s))
        RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=area, name=f"d = {d}, s = {s}").plot(ax)


_OF_KNOWN_MODELS = {
    "roc_area": Picture(
        "The AUC is the area under the ROC curve",
        "The curve TPR = 2 sqrt(FPR) - FPR, with the area below it shaded: 5/6 of the square.",
        lambda ax: (
            RocCurveDisplay.from_predictions(**KNOWN, ax=ax).add_area().add_operating_points(0.5)
        ),
    ),
    "densities": Picture(
        "The rates are areas under the densities of both classes",
        "Of the scores of positives and negatives, what is at or above the threshold 0.5 is "
        "shaded: three quarters of the positives, the TPR, and a quarter of the negatives, the "
        "FPR. The TNR is the other negatives.",
        lambda ax: ScoreDistributionDisplay.from_predictions(**KNOWN, operating_point=0.5, ax=ax),
    ),
    "ks_difference": Picture(
        "The K-S distance is the peak of TPR - FPR",
        "Both rates and their difference against the share of the rows that are chosen. The "
        "difference is greatest, one half, where half of the rows are chosen.",
        lambda ax: KsDisplay.from_predictions(**KNOWN, ax=ax).add_difference(),
    ),
    "binormal": Picture(
        "The ROC curves of normal scores",
        "With means one standard deviation apart, the AUC is 0.760. If the negatives spread twice "
        "as much, it is 0.673, and the curve dips below the diagonal at the left. With means two "
        "standard deviations apart, it is 0.921.",
        _binormal,
    ),
    "gain": Picture(
        "Gain curves of two models, between chance and the perfect order",
        "The share of the positives found against the share of the rows chosen: both curves lie "
        "between the diagonal and the line that reaches all positives with half of the rows.",
        _gain_curves,
    ),
}


def _examples() -> dict[str, tuple[str, list[str]]]:
    """Return the description of each picture of the gallery, and the examples that draw it.

    These are the first block of Python, and the one above the picture.
    """
    text = (DOCS / "pictures.md").read_text(encoding="utf-8")
    block = r"```python\n(.*?)```\n\n"
    start = re.search(block, text, re.DOTALL)
    pattern = block.replace(".*?", "(?:(?!```).)*") + r'<img src="images/(\w+)\.svg" alt="([^"]*)"'
    return {
        name: (description, [start[1] if start else "", code])
        for code, name, description in re.findall(pattern, text, re.DOTALL)
    }


def _drawn_by(blocks: list[str]) -> Callable[[Any], Any]:
    """Return the function that runs examples, but for the line that makes their axes."""

    def draw(ax: Any) -> None:
        names = {"ax": ax}
        for block in blocks:
            for example in doctest.DocTestParser().get_examples(block):
                if not example.source.startswith("fig, ax = "):
                    exec(example.source, names)

    return draw


PICTURES = _OF_KNOWN_MODELS | {
    name: Picture(description, description, _drawn_by(blocks))
    for name, (description, blocks) in _examples().items()
}


def svg_of(name: str) -> str:
    """Return a picture, cut to what is drawn, with its title and description."""
    content, picture = io.StringIO(), PICTURES[name]
    with style.context(["default", _LOOK]), contextlib.chdir(DOCS.parent):
        figure = Figure(figsize=_INCHES, layout="constrained")
        picture.draw(figure.subplots())
        # A legend may stand below the axes.
        figure.savefig(
            content,
            format="svg",
            bbox_inches="tight",
            metadata={"Title": picture.title, "Date": None, "Creator": None},
        )
    svg = re.sub(r" *<metadata>.*?</metadata>\n", "", content.getvalue(), flags=re.DOTALL)
    svg = re.sub(r'="[^"]*"', lambda value: _shortened(value[0]), svg)
    return svg.replace("</title>", f"</title>\n <desc>{picture.description}</desc>", 1)


def _shortened(value: str) -> str:
    """Return the value of an attribute with two decimals, in one line, and in any font."""
    value = re.sub(r"'[^']*'(, [^;]*)?(?=;)", "sans-serif", value)
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", " ".join(value.split()))


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        (DOCS / "images" / f"{name}.svg").write_text(svg_of(name), encoding="utf-8")
