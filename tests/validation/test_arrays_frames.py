"""What is peculiar to arrays of pandas, polars, Arrow and torch: missing values, frames, dtypes.

That they give the answers of plain arrays is in ``test_arrays_protocols.py``, that labels in text
and categories do in ``test_labels_numbered.py``. Without polars or torch, their tests are skipped.
"""

import decimal
import itertools
import sys
import types

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fastauc
from fastauc._validation.arrays import as_array
from support.contract import (
    FUNCTIONS,
    LABELS,
    SCORES,
    TAKES_WEIGHTS,
    assert_same_numbers,
    call_ours,
    exact_area,
    put,
    refuse,
)

WEIGHTS = [1.0, 2.0, 0.5, 1.0, 3.0, 1.0]


# Missing values -----------------------------------------------------------------------------------

NAMES = itertools.cycle(TAKES_WEIGHTS)


def refuse_missing(missing, position, *, known=True, are_labels=True):
    """Assert that a missing value is named, whatever argument it stands in.

    What is not ``known`` as missing to scikit-learn either needs no sentence, but its position.
    """
    arguments = {"y_true": LABELS, "y_score": SCORES, "sample_weight": WEIGHTS}
    for argument in ("y_true", "y_score", "sample_weight")[not are_labels :]:
        subject = "" if argument == "y_score" else f"{argument} "
        sentence = f"Input {subject}contains NaN." if known or argument == "y_score" else ""
        given = arguments | {argument: missing}
        refuse(next(NAMES), (), given, ValueError, sentence, [f"{argument}[{position}]"])


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("position", [0, 3, 5])
def test_missing_values_of_pandas(position):
    nullable = ["Int64", "Int8", "UInt64", "Float32", "Float64", "boolean"]
    for dtype in [*nullable, "int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]"]:
        refuse_missing(pd.Series(put(LABELS, position, pd.NA), dtype=dtype), position)
    for missing in (None, pd.NA, float("nan")):
        scores = pd.Series(put(SCORES, position, missing), dtype=object)
        refuse_missing(scores, position, known=missing is not pd.NA, are_labels=False)


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("position", [0, 3, 5])
def test_nulls_of_polars(position):
    pl = pytest.importorskip("polars")
    values = put([bool(label) for label in LABELS], position, None)
    for dtype in ("Int64", "UInt8", "Float32", "Float64", "Boolean"):
        # Missing ones among bools arrive as None among objects.
        missing = pl.Series(values).cast(getattr(pl, dtype))
        refuse_missing(missing, position, known=dtype != "Boolean")


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("position", [0, 3, 5])
def test_nulls_of_arrow(position):
    values = put([bool(label) for label in LABELS], position, None)
    for dtype in ("int64", "uint8", "float32", "float64", "bool_"):
        missing = pa.array(values).cast(getattr(pa, dtype)())
        chunked = pa.chunked_array([missing[:2], missing[2:]])
        sliced = pa.concat_arrays([missing[:1], missing])[1:]
        for made in (missing, chunked, sliced):
            refuse_missing(made, position, known=dtype != "bool_")


@pytest.mark.check("missing scores")
def test_nulls_of_arrow_dictionaries_in_parts():
    # As one array of NumPy, Arrow writes out another value of the dictionary for the null.
    missing = pa.array(put([3.0, 1.0, 3.0, 2.0, 2.0, 1.0], 4, None))
    parts = [part.dictionary_encode() for part in (missing[:2], missing[2:])]
    refuse_missing(pa.chunked_array(parts), 4, are_labels=False)


# Frames and dtypes --------------------------------------------------------------------------------


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_several_columns(library, average):
    make = pytest.importorskip(library).DataFrame
    labels, scores = np.array([[0, 1], [1, 0], [1, 0]]), np.array([[0.5, 0.25], [0.5, 1], [1, 0]])
    for name in ("roc_auc_score", "average_precision_score"):
        ours = call_ours(name, make(labels), make(scores), average=average).value
        assert_same_numbers(ours, call_ours(name, labels, scores, average=average).value)


def test_a_frame_where_a_column_is_meant_is_refused():
    frame = pd.DataFrame({"label": LABELS, "score": SCORES})
    sentence = "y should be a 1d array, got an array of shape (6, 2) instead."
    # As predict_proba returns them: which of the two columns is meant.
    advice = ["a single column, such as y_score[:, 1]."]
    refuse("roc_auc_score", (LABELS, frame), {}, ValueError, sentence, advice)


@pytest.mark.check("memory layouts")
def test_arrow_dictionaries_and_decimals():
    scores = pa.array([3, 1, 3, 2, 2, 1]).dictionary_encode()
    assert fastauc.roc_auc_score(LABELS, scores) == exact_area(LABELS, [3, 1, 3, 2, 2, 1])
    # As float64 the first and the second would be equal.
    scores = pa.array([decimal.Decimal(f"0.1000000000000000000{digit}") for digit in (1, 2)])
    assert fastauc.roc_auc_score([0, 1], scores) == 1


def test_arrow_lists_are_refused():
    lists = pa.array([[1.0], [2.0], [3.0, 4.0], [5.0], [6.0], [7.0]])
    refuse("roc_auc_score", (LABELS, lists), {}, (ValueError, TypeError), "", ["y_score"])


def test_torch_tensors_that_need_a_gradient_are_refused():
    torch = pytest.importorskip("torch")
    scores = torch.tensor(SCORES, requires_grad=True)
    refuse("roc_auc_score", (LABELS, scores), {}, TypeError, "y_score", ["detach"])


def test_nullable_numbers_of_pandas_keep_their_dtype():
    assert as_array(pd.array([0.5, 1], dtype="Float64"), "y_score", "").dtype == np.float64


NARROW_FLOATS = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("name", NARROW_FLOATS)
def test_floats_that_numpy_does_not_have(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    scores = np.array([0.25, 0.5, 0.5, 2.0, 0.125]).astype(getattr(ml_dtypes, name))
    labels = [0, 1, 0, 1, 0]
    assert fastauc.roc_auc_score(labels, scores) == 11 / 12
    with pytest.raises(ValueError, match=r"y_score\[1\] is nan"):
        fastauc.roc_auc_score([0, 1], np.array([0.5, np.nan]).astype(scores.dtype))
    for dtype in ("V8", [("score", "f4")]):
        with pytest.raises(ValueError, match="expected real numbers"):
            fastauc.roc_auc_score([0, 1], np.zeros(2, dtype))


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("name", ["float16", *NARROW_FLOATS])
def test_tensors_of_narrow_floats(name):
    torch = pytest.importorskip("torch")
    scores = torch.tensor([0.25, 0.5, 0.5, 2.0, 0.125]).to(getattr(torch, name))
    assert fastauc.roc_auc_score(torch.tensor([0, 1, 0, 1, 0]), scores) == 11 / 12
    expected = np.float16 if name == "float16" else np.float32
    assert as_array(scores, "y_score", "").dtype == expected


# Series in small calls ----------------------------------------------------------------------------


def test_a_series_is_not_asked_for_what_it_does_not_have(monkeypatch):
    # Each question that it answers with no costs microseconds.
    labels, scores, weights = (pd.Series(values) for values in (LABELS, SCORES, WEIGHTS))
    asked = []
    find = pd.Series.__getattr__
    monkeypatch.setattr(
        pd.Series, "__getattr__", lambda self, word: asked.append(word) or find(self, word)
    )
    for name in FUNCTIONS:
        options = {"sample_weight": weights} if name in TAKES_WEIGHTS else {}
        assert call_ours(name, labels, scores, **options).error is None
        assert asked == []


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize(
    "values",
    [
        [0.5, 1.5, 0.25],
        np.arange(9)[::-3],
        [2**63, 1, 2**64 - 1],
        [True, False, True],
        [1, 0.5, None],
        np.array([1, 0.5, decimal.Decimal(1)], dtype=object),
        ["b", "a", "b"],
        np.arange(3).astype("M8[ns]"),
    ],
    ids=repr,
)
def test_the_array_of_a_series_is_what_numpy_makes_of_it(values):
    for dtype in (None, "object", "category"):
        series = pd.Series(values, dtype=dtype)
        found, expected = as_array(series, "y_score", ""), np.asarray(series)
        assert found.dtype == expected.dtype
        assert repr(found.tolist()) == repr(expected.tolist())


def test_a_series_without_what_is_not_public(monkeypatch):
    class Series:
        def __array__(self):
            return np.array(SCORES)

    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(Series=Series))
    assert as_array(Series(), "y_score", "").tolist() == SCORES
    Series._values = list(SCORES)
    assert as_array(Series(), "y_score", "").tolist() == SCORES


def test_an_index_may_hold_any_words():
    index = ["toarray", "nnz", "__array__", "__dlpack_device__", "codes", "categories"]
    labels, scores = pd.Series(LABELS, index), pd.Series(SCORES, index)
    assert fastauc.roc_auc_score(labels, scores) == exact_area(LABELS, SCORES)


@pytest.mark.check("memory layouts")
def test_a_subclass_of_series_is_a_series():
    class Column(pd.Series):
        pass

    scores = Column(SCORES)
    for labels in (Column(LABELS), Column(["yes" if label else "no" for label in LABELS])):
        assert fastauc.roc_auc_score(labels, scores) == exact_area(LABELS, SCORES)
