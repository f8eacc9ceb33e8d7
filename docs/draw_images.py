"""Draw the pictures of the manual that show displays: ``python docs/draw_images.py``.

They are committed: with the same matplotlib, the same bytes. Their text stays text.
"""

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
    CalibrationDisplay,
    DetCurveDisplay,
    GainCurveDisplay,
    GainsTableDisplay,
    KsDisplay,
    LiftCurveDisplay,
    PrecisionRecallDisplay,
    ProfitCurveDisplay,
    RocCurveDisplay,
    ScoreDistributionDisplay,
    ThresholdDisplay,
)

FOLDER = Path(__file__).parent / "images"
_LOOK = {"svg.fonttype": "none", "svg.hashsalt": "fastauc"}
_INCHES = 5.2, 4.2

# Seven rows, as in the text.
SEVEN = {"y_true": [0, 0, 0, 1, 1, 1, 0], "y_score": [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]}
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


MODELS = {"forest": KNOWN, "logistic": WORSE}


def _two_models(display: Any) -> Callable[[Any], Any]:
    def draw(ax: Any) -> None:
        for name, sample in MODELS.items():
            display.from_predictions(**sample, name=name, ax=ax)

    return draw


def _two_roc_curves(ax: Any) -> None:
    for name, sample in MODELS.items():
        display = RocCurveDisplay.from_predictions(**sample, name=name, ax=ax)
        display.add_operating_points("youden")


def _binormal(ax: Any) -> None:
    normal, rates = NormalDist(), np.arange(1, 1000) / 1000
    for d, s in ((1, 1), (1, 2), (2, 1)):
        fpr = np.array([0, *rates, 1])
        tpr = np.array([0, *(normal.cdf(d + s * normal.inv_cdf(rate)) for rate in rates), 1])
        area = normal.cdf(d / math.hypot(1, s))
        RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=area, name=f"d = {d}, s = {s}").plot(ax)


PICTURES = {
    "roc_pairs": Picture(
        "The ROC curve over the grid of its pairs",
        "Four negatives by three positives. Nine cells below the curve are painted, one that is "
        "tied is gray and cut by the curve, two above it are empty: the AUC is 9.5 / 12 = 0.792.",
        lambda ax: RocCurveDisplay.from_predictions(**SEVEN, ax=ax).add_pairs(),
    ),
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
        _two_models(GainCurveDisplay),
    ),
    "roc": Picture(
        "ROC curves of two models",
        "The curve of the first model is above that of the second one everywhere.",
        _two_roc_curves,
    ),
    "precision_recall": Picture(
        "Precision-recall curves of two models",
        "Precision falls from 1 to the share of the positives, one half, as recall grows.",
        _two_models(PrecisionRecallDisplay),
    ),
    "det": Picture(
        "DET curves of two models",
        "False negative against false positive rate, both in normal deviates.",
        _two_models(DetCurveDisplay),
    ),
    "lift": Picture(
        "Lift curves of two models",
        "The better one begins at 2, the most there is with as many positives as negatives.",
        _two_models(LiftCurveDisplay),
    ),
    "profit": Picture(
        "Profit against the share of the rows that are chosen",
        "The profit has its maximum, which is marked, where two thirds of the rows are chosen.",
        lambda ax: ProfitCurveDisplay.from_predictions(**KNOWN, cost=1, revenue=3, ax=ax),
    ),
    "gains_table": Picture(
        "Response rates of the ten bins of a gains table",
        "The bars fall from the bin with the highest scores to the one with the lowest.",
        lambda ax: GainsTableDisplay.from_predictions(**KNOWN, ax=ax),
    ),
    "thresholds": Picture(
        "Rates against the threshold",
        "TPR and FPR fall as the threshold grows, precision grows, and F1 has a maximum.",
        lambda ax: ThresholdDisplay.from_predictions(**KNOWN, ax=ax).add_operating_points("f1"),
    ),
    "calibration": Picture(
        "Share of positives against the mean score",
        "The points of ten bins lie close to the diagonal.",
        lambda ax: CalibrationDisplay.from_predictions(**KNOWN, ax=ax),
    ),
}


def svg_of(picture: Picture) -> str:
    """Return a picture, cut to what is drawn, with its title and description."""
    content = io.StringIO()
    with style.context(["default", _LOOK]):
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
        (FOLDER / f"{name}.svg").write_text(svg_of(PICTURES[name]), encoding="utf-8")
