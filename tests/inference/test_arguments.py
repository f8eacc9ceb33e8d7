"""Of two scores, rows that lack one of them are left out, and each has a direction."""

import math

import numpy as np
import pytest

import fastauc
from fastauc import inference

Y = [0, 0, 0, 0, 1, 1, 1, 1, 0, 1]
A, B = [1, 2, 3, 6, 4, 5, 7, 8, 2, 6], [1, 5, 2, 4, 3, 6, 4, 2, 2, 9]
SHARES = np.column_stack([np.linspace(0.1, 0.8, 10), 1 - np.linspace(0.1, 0.8, 10)])
DESIGN = {"sample_weight": [1, 2] * 5, "groups": list(range(10))}

FEW = {"n_resamples": 19, "rng": 0}
THRESHOLDS = {"threshold_a": 5, "threshold_b": 4}
PAIRED = {"roc_auc_test": {}, "bootstrap_test": FEW, "permutation_test": FEW}
PAIRED |= {"rate_test": THRESHOLDS}
LACKING = [1.0, math.nan, *A[2:]], [None, *B[1:8], math.nan, B[9]]
COMPLETE = [k for k in range(10) if k not in (0, 1, 8)]


def compare(y, a, b, **options):
    return fastauc.inference.compare_roc_auc(y, {"score_a": a, "score_b": b}, **options)


def compare_list(y, a, b, **options):
    return fastauc.inference.compare_roc_auc(y, [a, b], **options)


def paired(name):
    return compare if name == "compare_roc_auc" else getattr(inference, name)


@pytest.mark.parametrize("name", [*PAIRED, "compare_roc_auc"])
def test_rows_that_lack_either_score_are_left_out(name):
    call, options = paired(name), PAIRED.get(name, {})
    left = [[column[k] for k in COMPLETE] for column in (Y, A, B)]
    found = call(Y, *LACKING, nan_policy="omit", **options)
    assert repr(found) == repr(call(*left, nan_policy="omit", **options))
    assert repr(found) == repr(call(*left, **options))
    with pytest.raises(ValueError, match=r"contains NaN.*score_a.*\[1\] is nan"):
        call(Y, *LACKING, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=r"nan_policy.*'drop'"):
        call(Y, *LACKING, nan_policy="drop", **options)


def test_each_sample_leaves_its_own_rows_out():
    call = inference.roc_auc_test_ind
    found = call(Y, LACKING[0], Y, LACKING[1], nan_policy="omit")
    expected = call((Y[0], *Y[2:]), (A[0], *A[2:]), Y[1:8] + Y[9:], B[1:8] + B[9:])
    assert repr(found) == repr(expected)


def test_weights_and_groups_leave_with_their_rows():
    options = {"nan_policy": "omit", **DESIGN}
    left = {name: [column[k] for k in COMPLETE] for name, column in DESIGN.items()}
    rows = [[column[k] for k in COMPLETE] for column in (Y, A, B)]
    assert repr(inference.roc_auc_test(Y, *LACKING, **options)) == repr(
        inference.roc_auc_test(*rows, **left)
    )
    shares = np.column_stack([SHARES / 2, np.full(10, 0.5)])
    shares[4, 2] = math.nan
    rest = np.delete(np.arange(10), 4)
    labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
    found = inference.roc_auc_ci(labels, shares, multi_class="ovr", nan_policy="omit")
    assert repr(found) == repr(inference.roc_auc_ci(labels[rest], shares[rest], multi_class="ovr"))


@pytest.mark.parametrize("name", [*PAIRED, "compare_roc_auc"])
def test_scores_that_are_lower_for_positives(name):
    call, options = paired(name), {**PAIRED.get(name, {})}
    expected = repr(call(Y, A, B, **options))
    for directions, turned in (
        (False, (True, True)),
        ({"score_a": False}, (True, False)),
        ([True, False], (False, True)),
        (np.array([True, False]), (False, True)),
        ({"score_b": True}, (False, False)),
    ):
        if name == "rate_test":  # 10 less the threshold of a score that is turned
            options = {
                key: 10 - threshold if t else threshold
                for (key, threshold), t in zip(THRESHOLDS.items(), turned, strict=True)
            }
        options["higher_is_positive"] = directions
        for dtype in (np.int64, np.uint8, np.float32):
            columns = [np.array(scores, dtype) for scores in (A, B)]
            scores = [10 - c if t else c for c, t in zip(columns, turned, strict=True)]
            assert repr(call(Y, *scores, **options)) == expected
    with pytest.raises(ValueError, match=r"higher_is_positive names 'c'.*'score_a', 'score_b'"):
        call(Y, A, B, **options | {"higher_is_positive": {"c": True}})


@pytest.mark.parametrize("name", [*PAIRED, "compare_roc_auc"])
def test_directions_name_series_by_their_own_names(name):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    options = PAIRED.get(name, {}) | {"higher_is_positive": {"points": False}}
    reverse = PAIRED.get(name, {}) | {"higher_is_positive": (False, True)}
    call = compare_list if name == "compare_roc_auc" else getattr(inference, name)
    expected = repr(call(Y, A, B, **reverse))
    for of in (
        pd.DataFrame({"points": A, "pd": B}).astype(np.uint8),
        pl.DataFrame({"points": A, "pd": B}, dict.fromkeys(["points", "pd"], pl.UInt16)),
    ):
        assert repr(call(Y, of["points"], of["pd"], **options)) == expected
        with pytest.raises(ValueError, match=r"higher_is_positive names 'c'.*'points', 'pd'"):
            call(Y, of["points"], of["pd"], **options | {"higher_is_positive": {"c": False}})


def test_two_samples_of_a_series_share_its_direction():
    pd = pytest.importorskip("pandas")
    points = [pd.Series(scores, name="points") for scores in (A, B)]
    found, expected = (
        inference.roc_auc_test_ind(Y, points[0], Y, points[1], higher_is_positive=directions)
        for directions in ({"points": False}, False)
    )
    assert repr(found) == repr(expected)


def test_a_second_sample_has_a_direction_too():
    points = [-score for score in A]
    found = inference.roc_auc_test_ind(Y, B, Y, points, higher_is_positive=(True, False))
    assert repr(found) == repr(inference.roc_auc_test_ind(Y, B, Y, A))
