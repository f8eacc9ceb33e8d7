"""Every number that the documents behind fastauc print or imply, with the id of the requirement.

Exact values are fractions; a result has to be the double nearest to the fraction. Four data sets:
seven rows and ten rows worked out by hand, and two of a million rows that show what imbalance does.
"""

import math
from fractions import Fraction as F

import numpy as np
import pytest

import fastauc
import naive
from support.public import PUBLIC

pytestmark = pytest.mark.check("published examples")

SEVEN = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
TEN = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1]

# S0: yes or no, by the threshold 0.25.
SEVEN_YES = SEVEN[0], [score >= 0.25 for score in SEVEN[1]]

PERFECT = [0, 0, 1, 1, 1], [1, 2, 3, 4, 5]
REVERSED = [1, 1, 1, 0, 0], [1, 2, 3, 4, 5]
CONSTANT = [0, 1, 1], [0.3, 0.3, 0.3]


def million(*runs):
    """Return labels in runs of (label, length), and strictly decreasing scores."""
    labels = np.repeat([label for label, _ in runs], [length for _, length in runs])
    return labels, np.arange(len(labels), 0, -1)


SEARCH = million((0, 100), (1, 10), (0, 999_890))
HALF_SEARCH = million((0, 100), (1, 500_000), (0, 499_900))


NUMBERS = {
    "perfect order": ("roc_auc_score", PERFECT, {}, F(1)),
    "reversed order": ("roc_auc_score", REVERSED, {}, F(0)),
    "constant scores": ("roc_auc_score", CONSTANT, {}, F(1, 2)),
    "area of seven rows": ("roc_auc_score", SEVEN, {}, F(19, 24)),
    "area of yes and no": ("roc_auc_score", SEVEN_YES, {}, F(17, 24)),
    "gini of seven rows": ("gini_score", SEVEN, {}, F(7, 12)),
    "gini of a reversed order": ("gini_score", REVERSED, {}, F(-1)),
    "area up to a quarter": ("roc_auc_score", SEVEN, {"max_fpr": 0.25}, F(13, 21)),
    "area of ten rows": ("roc_auc_score", TEN, {}, F(5, 6)),
    "average precision of seven": ("average_precision_score", SEVEN, {}, F(34, 45)),
    "average precision of ten": ("average_precision_score", TEN, {}, F(13, 16)),
    "ks of seven rows": ("ks_score", SEVEN, {}, F(1, 2)),
    "ks of ten rows": ("ks_score", TEN, {}, F(7, 12)),
    "gain of seven rows": ("gain_score", SEVEN, {}, F(2, 3)),
    "gain of ten rows": ("gain_score", TEN, {}, F(7, 10)),
    "gain of a fifth of ten rows": ("gain_at", TEN, {"share": F(1, 5)}, F(1, 2)),
    "lift of a perfect top, 1 / p1": ("lift_at", TEN, {"share": 0.0}, F(5, 2)),
}


@pytest.mark.parametrize(("name", "sample", "options", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_number(name, sample, options, expected):
    assert getattr(naive, name)(*sample, **options) == expected
    value = PUBLIC[name](*sample, **options)
    assert type(value) is float
    assert value == float(expected)


PAIRS = {
    "nine and a half of twelve": (SEVEN, (9, 1, 3, 4), 2, F(19, 24)),
    "nineteen wins and two ties of 24": (TEN, (19, 2, 4, 6), 3, F(20, 24)),
    "search in a million": (SEARCH, (10 * 999_890, 0, 10, 999_990), 1000, F(99989, 99999)),
    "half a million positives": (
        HALF_SEARCH,
        (500_000 * 499_900, 0, 500_000, 500_000),
        50_000_000,
        F(4999, 5000),
    ),
}


@pytest.mark.parametrize(("sample", "counts", "discordant", "area"), PAIRS.values(), ids=PAIRS)
def test_pairs(sample, counts, discordant, area):
    pairs = fastauc.concordance(*sample)
    assert tuple(pairs) == counts
    assert pairs.discordant == discordant
    assert pairs.fraction == area
    assert pairs.auc == fastauc.roc_auc_score(*sample) == float(area)
    assert fastauc.gini_score(*sample) == float(2 * area - 1)
    assert fastauc.confusion_matrix_at_thresholds(*sample).roc_auc() == float(area)


# Curves -----------------------------------------------------------------------------------------


def test_s0_03_vertices_of_the_curve():
    fpr, tpr, thresholds = fastauc.roc_curve(*SEVEN, drop_intermediate=False)
    assert fpr.tolist() == [0, 0, 1 / 4, 1 / 4, 1 / 2, 3 / 4, 1]
    assert tpr.tolist() == [0, 1 / 3, 1 / 3, 2 / 3, 1, 1, 1]
    # FPR is 0 at the threshold infinity.
    assert thresholds.tolist() == [math.inf, 0.6, 0.5, 0.3, 0.2, 0.1, 0]


def test_s0_03_counts_are_integers():
    counts = fastauc.confusion_matrix_at_thresholds(*TEN)
    assert {counts.fps.dtype, counts.tps.dtype} == {np.dtype(np.int64)}
    points = list(zip(counts.tps.tolist(), counts.fps.tolist(), strict=True))
    assert points == [(2, 0), (2, 1), (3, 1), (3, 2), (4, 4), (4, 6)]
    assert counts.thresholds.tolist() == [0.7, 0.5, 0.4, 0.3, 0.2, 0.1]


@pytest.mark.ci
def test_s1_13_ten_million_equal_steps_end_at_one():
    n_neg = 10_000_000
    assert np.cumsum(np.full(n_neg, 1 / n_neg))[-1] != 1
    labels = np.zeros(n_neg + 1, np.int8)
    labels[n_neg // 2] = 1
    scores = np.arange(n_neg + 1, dtype=np.float32)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    fpr, tpr, _ = counts.roc_curve(drop_intermediate=False)
    assert (fpr[-1], tpr[-1], counts.fps[-1]) == (1, 1, n_neg)
    assert counts.roc_auc() == 1 / 2


def test_s3_02_precision_at_the_thresholds():
    precision, recall, thresholds = fastauc.precision_recall_curve(*SEVEN)
    assert precision.tolist() == [3 / 7, 1 / 2, 3 / 5, 2 / 3, 1 / 2, 1, 1]
    assert recall.tolist() == [1, 1, 1, 2 / 3, 1 / 3, 1 / 3, 0]
    assert thresholds.tolist() == [0, 0.1, 0.2, 0.3, 0.5, 0.6]
    # Trapezoids from the point (0, 1): at most 18 * 2^-54 off.
    assert fastauc.auc(recall, precision) == pytest.approx(133 / 180, rel=0, abs=18 * 2**-54)
    exact = naive.precision_recall_curve(*SEVEN)
    assert naive.auc(exact[1], exact[0]) == F(133, 180)


# Points -----------------------------------------------------------------------------------------


def test_s0_11_point_at_a_threshold():
    matrix = fastauc.confusion_matrix_at_thresholds(*SEVEN).at(0.25)
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (2, 1, 1, 3)
    assert (matrix.fpr, matrix.tpr) == (1 / 4, 2 / 3)
    assert (matrix.sensitivity, matrix.specificity) == (2 / 3, 3 / 4)
    assert matrix.recall == matrix.sensitivity == matrix.tpr
    assert matrix.balanced_accuracy == 17 / 24
    assert fastauc.concordance(*SEVEN_YES).fraction == F(17, 24)


# A million rows ---------------------------------------------------------------------------------


def test_s0_33_partial_area_of_the_search():
    # At 1e-4 of 999,990 negatives not one positive is found: the raw area is 0.
    limit = F(1e-4)
    expected = (1 + (0 - limit**2 / 2) / (limit - limit**2 / 2)) / 2
    assert float(expected) == pytest.approx(0.4999749987499375, rel=0, abs=2**-54)
    assert fastauc.roc_auc_score(*SEARCH, max_fpr=1e-4) == float(expected)


def test_s0_33_precision_of_the_search():
    counts = fastauc.confusion_matrix_at_thresholds(*SEARCH)
    top = SEARCH[1][0]
    assert counts.at(top - 99).precision == 0
    assert counts.at(top - 109).precision == 1 / 11
    assert counts.at(top - 109).recall == 1
    expected = sum(F(k, 100 + k) for k in range(1, 11)) / 10
    assert counts.average_precision() == float(expected) == 0.05142919395642676
    assert fastauc.average_precision_score(*SEARCH) == float(expected)


def test_s0_33_s0_34_the_highest_of_the_search():
    metrics = fastauc.metrics
    assert metrics.precision_at_k(*SEARCH, 100) == 0
    assert metrics.precision_at_k(*SEARCH, 110) == 1 / 11
    assert metrics.recall_at_k(*SEARCH, 109) == 0.9
    assert metrics.recall_at_k(*SEARCH, 110) == 1
    assert metrics.roc_auc_at_k(*SEARCH, 110) == 0
    for k in 1, 100:
        told = f"The {k} highest scores are all of one"
        with pytest.warns(fastauc.UndefinedMetricWarning, match=told):
            assert math.isnan(metrics.roc_auc_at_k(*SEARCH, k))


def test_s0_33_average_precision_of_half_a_million():
    # k / (100 + k) in integers, scaled by 2^120 and rounded down: the mean is within 2^-120.
    scale = 1 << 120
    total = sum(k * scale // (100 + k) for k in range(1, 500_001))
    expected = float(F(total, 500_000 * scale))
    assert expected == 0.9982975194991063
    assert fastauc.average_precision_score(*HALF_SEARCH) == expected
