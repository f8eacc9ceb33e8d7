"""The points of curves as tables: the rates, and the threshold of each point."""

import math

import numpy as np

from fastauc._counts.areas import after
from fastauc._counts.result_table import ResultTable
from fastauc._streaming.histogram import Counts

__all__ = ["CURVES", "curve_table"]

CURVES = ("roc", "pr", "det", "gain", "lift", "ks", "profit")
_RATES = {
    "roc": ("fpr", "tpr"),
    "pr": ("recall", "precision"),
    "det": ("fpr", "fnr"),
    "gain": ("positive_rate", "tpr"),
    "lift": ("positive_rate", "lift"),
    "ks": ("positive_rate", "tpr", "fpr"),
    "profit": ("positive_rate", "profit"),
}


def curve_table(kind: str, counts: Counts, money: dict[str, float]) -> ResultTable:
    """Return the points of a curve, from threshold infinity down; ``money`` is for "profit".

    The rates are those of the function of that name; the point of the precision-recall curve that
    has no threshold gets infinity.
    """
    if kind == "pr":
        precision, recall, thresholds = counts.precision_recall_curve()
        arrays = [recall[::-1], precision[::-1], after(math.inf, thresholds[::-1])]
    elif kind == "det":
        arrays = [np.flip(array) for array in counts.det_curve()]
    elif kind == "profit":
        arrays = list(counts.profit_curve(**money))
    else:
        arrays = list(getattr(counts, f"{kind}_curve")())
    return ResultTable(dict(zip((*_RATES[kind], "threshold"), arrays, strict=True)))
