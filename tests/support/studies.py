"""Two published studies, the model problem of the sources, a small sample, and a file of scores.

The 43 patients of DeLong, DeLong and Clarke-Pearson (1988): ovarian cancer with an obstruction; who
benefits from surgery. As example 72.8 of PROC LOGISTIC in the SAS/STAT 14.1 User's Guide lists
them: albumin, total protein, the K-G score, and 1 for a benefit, of which a low score speaks.

How 113 patients with a subarachnoid hemorrhage rank by three markers, and who fared badly: Turck et
al., Intensive Care Med. 36 (2010) 107-115, as the documentation of pROC uses them (Robin et al.,
BMC Bioinformatics 12 (2011) 77). Only the order of the values is here, which is all that an area
depends on: 1 is the lowest value of a marker, and equal numbers are tied.

The model problem: densities 2a of the positives and 2 - 2a of the negatives. With the threshold t,
TPR = 1 - t^2 and FPR = (1 - t)^2, whatever the prior p1.
"""

import math
from fractions import Fraction as F
from pathlib import Path

import numpy as np

# The labels of 569 tumors, and the scores of two models.
BREAST_CANCER = Path(__file__).parents[1] / "data" / "breast_cancer.csv"


def breast_cancer():
    """Return the columns by their names."""
    table = np.genfromtxt(BREAST_CANCER, delimiter=",", names=True)
    return {name: table[name] for name in table.dtype.names}


_ROWS = """
    3.0 5.8 10 0   3.2 6.3 5 1   3.9 6.8 3 1   2.8 4.8 6 0   3.2 5.8 3 1   0.9 4.0 5 0   2.5 5.7 8 0
    1.6 5.6 5 1    3.8 5.7 5 1   3.7 6.7 6 1   3.2 5.4 4 1   3.8 6.6 6 1   4.1 6.6 5 1   3.6 5.7 5 1
    4.3 7.0 4 1    3.6 6.7 4 0   2.3 4.4 6 1   4.2 7.6 4 0   4.0 6.6 6 0   3.5 5.8 6 1   3.8 6.8 7 1
    3.0 4.7 8 0    4.5 7.4 5 1   3.7 7.4 5 1   3.1 6.6 6 1   4.1 8.2 6 1   4.3 7.0 5 1   4.3 6.5 4 1
    3.2 5.1 5 1    2.6 4.7 6 1   3.3 6.8 6 0   1.7 4.0 7 0   3.7 6.1 5 1   3.3 6.3 7 1   4.2 7.7 6 1
    3.5 6.2 5 1    2.9 5.7 9 0   2.1 4.8 7 1   2.8 6.2 8 0   4.0 7.0 7 1   3.3 5.7 6 1   3.7 6.9 5 1
    3.6 6.6 5 1
"""
_NUMBERS = [float(word) for word in _ROWS.split()]

ALBUMIN, PROTEIN = _NUMBERS[::4], _NUMBERS[1::4]
KG_SCORE = [10 - score for score in _NUMBERS[2::4]]
BENEFIT = [int(label) for label in _NUMBERS[3::4]]


def _numbers(text):
    return [int(word) for word in text.split()]


POOR_OUTCOME = _numbers(
    """
    0 0 0 0 1 1 0 1 0 0 1 0 1 1 0 0 1 0 1 1 1 0 1 0 0 0 0 0 0 0 0 0 1 0 0 1 1 0 1 1 0 0 0 0 0 0 0 0
    0 1 1 0 0 0 1 0 0 0 1 0 1 0 0 1 1 1 0 1 1 0 1 1 1 1 0 0 0 1 1 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0
    0 0 0 0 1 1 1 1 1 1 0 0 0 1 0 0 0
    """
)

WFNS = _numbers(
    """
    1 1 1 1 3 2 5 4 1 2 5 2 5 5 1 2 5 2 2 5 2 1 1 1 1 2 1 2 1 1 3 4 2 1 4 5 4 1 4 2 5 5 1 1 2 4 1 1
    2 5 5 2 1 2 5 1 2 2 2 1 5 1 1 2 5 2 1 4 5 2 4 4 1 4 1 2 1 4 2 1 2 3 2 4 2 1 4 5 1 1 5 4 2 2 1 1
    1 3 1 2 5 2 2 5 5 5 2 4 4 5 1 1 1
    """
)

S100B = _numbers(
    """
    11 12 8 2 11 8 36 14 16 8 10 8 33 44 2 6 38 2 5 27 7 7 5 9 5 15 5 9 11 17 3 14 31 12 28 29 37 7
    49 21 39 35 14 5 32 34 9 6 7 48 40 6 4 11 50 8 12 13 5 4 46 3 7 25 1 7 2 19 43 7 23 44 6 22 6 14
    7 11 8 6 9 27 9 24 5 8 26 18 5 3 20 30 8 13 6 12 8 5 2 17 41 12 42 26 47 45 13 36 15 33 13 39 37
    """
)

NDKA = _numbers(
    """
    1 27 23 42 82 61 8 66 76 9 78 83 5 28 67 86 49 79 97 105 98 104 100 31 10 56 13 11 108 62 35 36
    38 84 4 72 90 22 17 25 14 33 65 21 74 101 18 16 58 69 2 30 19 64 109 95 91 39 87 53 41 106 12 48
    55 70 80 93 63 34 89 24 107 76 43 45 75 6 33 3 88 81 60 30 47 85 46 7 54 20 37 44 96 26 57 63
    102 51 59 29 32 99 52 73 103 50 94 40 71 77 92 15 68
    """
)


# Ways to choose a threshold, and what they need.
THRESHOLD_CHOICES = [
    {"method": "youden"},
    {"method": "balanced_accuracy"},
    {"method": "closest_topleft"},
    {"method": "equal_error_rate"},
    {"method": "accuracy"},
    {"method": "accuracy", "prevalence": 0.125},
    {"method": "f1"},
    {"method": "f1", "prevalence": 0.75},
    {"method": "cost", "cost_fp": 1, "cost_fn": 2},
    {"method": "cost", "cost_fp": 0.3, "cost_fn": 0.1},
    {"method": "cost", "cost_fp": 0, "cost_fn": 1},
    {"method": "cost", "cost_fp": F(1, 3), "cost_fn": 1},  # sums of which are equal, not rounded
    {"method": "cost", "cost_fp": 1e300, "cost_fn": 1e-300},
    {"method": "cost", "cost_fp": 1, "cost_fn": 5, "prevalence": 0.25},
    {"method": "profit", "cost": 1, "revenue": 3},
    {"method": "profit", "cost": 2, "revenue": 1},
    {"method": "profit", "cost": 0, "revenue": 0},
    {"method": "max_fpr", "limit": 0.3},
    {"method": "max_fpr", "limit": 0},
    {"method": "max_fpr", "limit": 1},
    {"method": "min_recall", "limit": 0.9},
    {"method": "min_recall", "limit": 0},
    {"method": "min_precision", "limit": 0.6},
    {"method": "min_precision", "limit": 1},
    {"method": "min_precision", "limit": 0.5, "prevalence": 0.25},
]

# S3, section 3: positive rate, TPR, FPR, difference, lift, precision.
TENTHS = {
    F(1, 2): [
        (0.1, 0.19, 0.01, 0.18, 1.9, 0.95),
        (0.2, 0.36, 0.04, 0.32, 1.8, 0.9),
        (0.3, 0.51, 0.09, 0.42, 1.7, 0.85),
        (0.4, 0.64, 0.16, 0.48, 1.6, 0.8),
        (0.5, 0.75, 0.25, 0.5, 1.5, 0.75),
        (0.6, 0.84, 0.36, 0.48, 1.4, 0.7),
        (0.7, 0.91, 0.49, 0.42, 1.3, 0.65),
        (0.8, 0.96, 0.64, 0.32, 1.2, 0.6),
        (0.9, 0.99, 0.81, 0.18, 1.1, 0.55),
        (1.0, 1.0, 1.0, 0.0, 1.0, 0.5),
    ],
    F(1, 10): [
        (0.1, 0.4375, 0.0625, 0.375, 4.375, 0.4375),
        (0.2, 0.6283734572, 0.1524029492, 0.4759705080, 3.1418672860, 0.3141867286),
        (0.3, 0.75, 0.25, 0.5, 2.5, 0.25),
        (0.4, 0.8344082443, 0.3517324173, 0.4826758270, 2.0860206108, 0.2086020611),
        (0.5, 0.8946286918, 0.4561523676, 0.4384763242, 1.7892573836, 0.1789257384),
        (0.6, 0.9375, 0.5625, 0.375, 1.5625, 0.15625),
        (0.7, 0.9671409349, 0.6703176739, 0.2968232610, 1.3816299070, 0.1381629907),
        (0.8, 0.9862599917, 0.7793044454, 0.2069555463, 1.2328249896, 0.1232824990),
        (0.9, 0.9967510534, 0.8892498830, 0.1075011704, 1.1075011704, 0.1107501170),
        (1.0, 1.0, 1.0, 0.0, 1.0, 0.1),
    ],
}


def border_of(positive_rate, prior):
    """Return the threshold above which a share of all rows lies."""
    if prior == F(1, 2):
        return 1 - positive_rate
    p1, p0 = float(prior), float(1 - prior)
    root = math.sqrt(p0**2 - (p0 - p1) * (1 - positive_rate))
    return max(0.0, (p0 - root) / (p0 - p1))


# Ties within a class and between both, and a positive below most negatives.
SMALL = [1] * 6 + [0] * 8, [7, 5, 5, 3, 2, 6, 5, 4, 3, 3, 2, 1, 0, 4]
# Ways to draw from the rows of the small sample.
SCHEMES = {
    "stratified": {},
    "plain": {"stratified": False},
    "clusters": {"groups": [0, 1, 2, 3, 4, 5, 0, 1, 2, 2, 3, 6, 6, 6]},
    "weights": {"sample_weight": [1, 2, 0.5, 1, 1, 3, 1, 2, 2, 1, 0, 0.5, 1, 1]},
}
