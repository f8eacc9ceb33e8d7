"""What is accepted gives scikit-learn's numbers, apart from a list of deviations with reasons."""

from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import fastauc
from support.contract import (
    DRAWS_CURVE,
    DROP_IN,
    LABELS,
    SCORES,
    answer_alike,
    assert_same_numbers,
    call_ours,
    call_theirs,
    exact_area,
)

# Sums of them are exact, so that no point of a curve depends on a rounding.
WEIGHTS = [1.0, 0.5, 2.0, 0.25, 3.0, 1.0]


# Scores that only some containers hold.
SCORE_ROWS = {
    "range": range(6),
    "int64 above 2^53": np.array([3, 5, 4, 9, 3, 4]) + 2**60,
    "uint64 above 2^63": np.array([3, 5, 4, 9, 3, 4], dtype="u8") + np.uint64(2**63),
    "negative": [-0.1, -0.4, 0.35, 0.8, 0.2, -7e9],
    "denormal": np.array([3, 5, 4, 9, 3, 4]) * 5e-324,
    "largest": [1.7e308, 1e308, -1.7e308, 1.6e308, 0.0, -1e308],
    "floats above 2^53 in a list": [1e300, 0.5, 1e16, 0.3, 2.0**53, 0.6],
    "integers above 2^53 in a list": [2**60, 2**60 + 1, 2**60 + 2, 5, 2**60 + 1, 7],
    "zeros of both signs": [0.0, -0.0, -0.0, 0.0, 1.0, -1.0],
    "broadcast": np.broadcast_to(0.5, 6),
    "object ints and floats": np.array([3, 0.5, 4, 9.25, 3.0, 4], dtype=object),
    "decimals": [Decimal(value) for value in ("0.1", "0.4", "0.35", "0.8", "0.2", "0.7")],
    "fractions": [Fraction(value, 7) for value in (1, 4, 3, 6, 2, 5)],
    "huge integers": [2**70, 2**71, 3, 2**72, 2**70, -(2**90)],
}


@pytest.mark.parametrize("kind", SCORE_ROWS)
def test_scores(kind):
    for name in DROP_IN:
        scores = SCORE_ROWS[kind]
        answer_alike(name, (LABELS, scores), {})
        answer_alike(name, (LABELS, scores), {"sample_weight": WEIGHTS})
        if name in DRAWS_CURVE:
            answer_alike(name, (LABELS, scores), {"drop_intermediate": True})
            answer_alike(name, (LABELS, scores), {"drop_intermediate": False})
        if name == "roc_auc_score":
            answer_alike(name, (LABELS, scores), {"max_fpr": 0.4})


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
def test_thresholds_keep_the_dtype_of_the_scores(weights):
    codes = "f2 f4 f8 g i1 i2 i4 i8 u1 u2 u4 u8 ? >f4 >f8 >i8 O"
    for dtype in codes.split():
        scores = np.array([3, 5, 4, 9, 3, 4], dtype=dtype)
        *_, thresholds = fastauc.precision_recall_curve(LABELS, scores, sample_weight=weights)
        counts = fastauc.confusion_matrix_at_thresholds(LABELS, scores, sample_weight=weights)
        assert thresholds.dtype == counts.thresholds.dtype == scores.dtype
        assert counts.thresholds.tolist() == sorted(set(scores.tolist()), reverse=True)
        for draw in (fastauc.roc_curve, fastauc.det_curve):
            *_, thresholds = draw(LABELS, scores, sample_weight=weights)
            assert thresholds.dtype == np.float64


WEIGHT_ROWS = {
    "int list": [1, 2, 1, 4, 3, 1],
    "zeros": [1, 0, 0, 2, 1, 0.5],
    "numeric strings": ["1", "0.5", "2", "0.25", "3", "1"],
    "decimals": [Decimal("0.5")] * 6,
    "broadcast": np.broadcast_to(0.5, 6),
    "tiny": [2.0**-1074] * 6,
    "large": [2.0**1000] * 6,
    "of all magnitudes": [2.0**-1000, 1, 2.0**1000, 2.0**500, 2.0**-30, 2.0**30],
}


@pytest.mark.parametrize("kind", WEIGHT_ROWS)
def test_weights(kind):
    for name in DROP_IN:
        options = {"sample_weight": WEIGHT_ROWS[kind]}
        answer_alike(name, (LABELS, SCORES), options)
        if name in DRAWS_CURVE:
            answer_alike(name, (LABELS, SCORES), options | {"drop_intermediate": True})


def test_one_row_of_several_columns_is_a_row_of_labels():
    for name in ("roc_auc_score", "average_precision_score", *DRAWS_CURVE):
        answer_alike(name, (np.array([LABELS]), np.array([SCORES])), {})


# Deviations ---------------------------------------------------------------------------------------

SHARES = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]
MIXED = [Decimal("0.1"), 0.4, Fraction(1, 3), 2**70, 0.2, 1]
NO_NEGATIVES = {"sample_weight": LABELS, "max_fpr": 0.5}

# Functions, y_true, y_score and options of what only fastauc answers, and why. What it refuses and
# scikit-learn answers is in test_samples.py, test_labels.py and test_arrays_refused.py.
REFUSED_THERE = {
    # A buffer is an array-like; scikit-learn asks for a length and a shape only of some.
    "memoryview": (DROP_IN, LABELS, memoryview(np.array(SCORES)), {}),
    # Numbers of several types are compared exactly, as fractions.
    "mixed numbers": (["roc_auc_score"], LABELS, MIXED, {}),
    # scikit-learn 1.9 asks the list for its shape; 1.8 did not.
    "multiclass scores in a list": (["average_precision_score"], [0, 1, 2], SHARES, {}),
    # The weights remove the negatives: NaN and a warning, as without max_fpr.
    "max_fpr without negatives": (["roc_auc_score"], LABELS, SCORES, NO_NEGATIVES),
}


@pytest.mark.parametrize("kind", REFUSED_THERE)
def test_deviation(kind):
    names, labels, scores, options = REFUSED_THERE[kind]
    for name in names:
        assert call_ours(name, labels, scores, **options).error is None
        assert call_theirs(name, labels, scores, **options).error is not None


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([0, 1, 0, 1], [2**70, 2**70 + 1, 3, 4]),
        ([0, 1, 0], [2**63, 2**63 + 1, -1]),
        ([0, 1, 0], [2**53, 2**53 + 1, 0.5]),
        ([0, 1, 0], [2.0**53, 2**53 + 1, 3]),
        ([0, 1, 1], [-(2**53) - 1, -(2**53), 0.5]),
    ],
    ids=repr,
)
def test_integers_that_are_equal_as_doubles_are_compared_exactly(labels, scores):
    # scikit-learn makes float64 of each, as NumPy does of most.
    area = exact_area(labels, np.array(scores, dtype=object))
    assert fastauc.roc_auc_score(labels, scores) == area
    assert fastauc.roc_auc_score(labels, scores, sample_weight=[1] * len(labels)) == area
    assert area != exact_area(labels, np.array(scores, dtype=float))


def test_auc_of_points_is_computed_in_float64():
    x, y = np.array([3, 2, 1], "u1"), np.ones(3)
    assert fastauc.auc(x, y) == 2
    assert call_theirs("auc", x, y).value > 2
    halves = np.linspace(0, 1, 1000).astype("f2")
    assert fastauc.auc(halves, halves) == pytest.approx(0.5, abs=1e-6)
    wide = halves.astype("f8")
    assert_same_numbers(fastauc.auc(wide, wide), call_theirs("auc", wide, wide).value)


@pytest.mark.parametrize("make", [list, deque, np.float32, memoryview], ids=str)
def test_containers_of_points(make):
    x, y = (make(np.array(points)) for points in ([0, 0.25, 0.5, 0.5, 1], [0, 0.5, 0.75, 1, 1]))
    assert_same_numbers(fastauc.auc(x, y), call_theirs("auc", list(x), list(y)).value)
