"""Arrays of pandas, polars, Arrow and torch (R-26); a missing library skips its own tests."""

import decimal
import hashlib
import sys
import types

import numpy as np
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
    draw_labels,
    draw_scores,
    exact_area,
    put,
    refuse,
)

N_CASES = 50
FLOATS = ["f4", "f8"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
DTYPES = [*FLOATS, *INTEGERS, "?"]
WEIGHTS = [1.0, 2.0, 0.5, 1.0, 3.0, 1.0]

# What other libraries call the dtypes.
WORDS = {"f4": "float32", "f8": "float64", "?": "bool"}
WORDS |= {code: np.dtype(code).name for code in INTEGERS}


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


@pytest.fixture
def pl():
    return pytest.importorskip("polars")


@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def digest(containers):
    """Return a hash of the numbers in some containers."""
    return hashlib.sha256(b"".join(np.asarray(made).tobytes() for made in containers)).digest()


def check_container(make, dtype, n_cases=N_CASES):
    """Compare the answers to containers with those to plain arrays; ``make`` is given an array."""
    rng = np.random.default_rng([26, DTYPES.index(dtype)])
    for number in range(n_cases):
        n = int(rng.integers(2, 40))
        labels, scores = draw_labels(rng, n), draw_scores(rng, dtype, n)
        weights = rng.integers(1, 9, n)
        made = make(labels.astype(dtype)), make(scores)
        before = digest(made)
        assert fastauc.roc_auc_score(*made) == exact_area(labels, scores)
        name = FUNCTIONS[number % len(FUNCTIONS)]
        ours = call_ours(name, *made)
        compare(name, ours, call_ours(name, labels, scores))
        if name in TAKES_WEIGHTS:
            ours = call_ours(name, *made, sample_weight=make(weights.astype(dtype)))
            plain_weights = weights.astype(dtype).astype("f8")
            compare(name, ours, call_ours(name, labels, scores, sample_weight=plain_weights))
        assert digest(made) == before


def compare(name, ours, expected):
    assert ours.error is None, ours.error
    if name == "concordance":
        assert ours.value == expected.value
    else:
        assert_same_numbers(ours.value, expected.value)


def refuse_missing(labels, scores, weights, position, *, known=True):
    """Assert that every function names a missing value; an argument that is None has none.

    What is not ``known`` as missing to scikit-learn either needs no sentence, but its position.
    """
    for name in FUNCTIONS:
        if labels is not None:
            place = [f"y_true[{position}]"]
            sentence = "Input y_true contains NaN." if known else ""
            refuse(name, (labels, SCORES), {}, ValueError, sentence, place)
        if scores is not None:
            place = [f"y_score[{position}]"]
            refuse(name, (LABELS, scores), {}, ValueError, "Input contains NaN.", place)
        if weights is not None and name in TAKES_WEIGHTS:
            place = [f"sample_weight[{position}]"]
            options = {"sample_weight": weights}
            sentence = "Input sample_weight contains NaN." if known else ""
            refuse(name, (LABELS, SCORES), options, ValueError, sentence, place)


def assert_two_labels(labels, high):
    """Assert that labels in any words stand for LABELS."""
    assert fastauc.roc_auc_score(labels, SCORES) == fastauc.roc_auc_score(LABELS, SCORES)
    pairs = fastauc.concordance(labels, SCORES, pos_label=high)
    assert pairs == fastauc.concordance(LABELS, SCORES)
    for name in ("roc_curve", "det_curve", "average_precision_score"):
        ours = call_ours(name, labels, SCORES, pos_label=high)
        compare(name, ours, call_ours(name, LABELS, SCORES))


# pandas -------------------------------------------------------------------------------------------


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", DTYPES)
def test_pandas_series(pd, dtype):
    check_container(pd.Series, dtype)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", ["f8", "i8"])
@pytest.mark.parametrize("kind", ["shuffled", "repeated", "constant", "names"])
def test_the_index_of_a_series_is_ignored(pd, kind, dtype):
    rng = np.random.default_rng(26)

    def make(values):
        n = len(values)
        index = {
            "shuffled": rng.permutation(n),
            "repeated": rng.integers(0, 3, n),
            "constant": np.zeros(n, int),
            "names": [f"row {row}" for row in rng.permutation(n)],
        }[kind]
        return pd.Series(values, index=index)

    check_container(make, dtype)


@pytest.mark.check("memory layouts")
def test_series_are_not_aligned_by_their_index(pd):
    labels = pd.Series(LABELS, index=[5, 4, 3, 2, 1, 0])
    area = fastauc.roc_auc_score(
        labels, pd.Series(SCORES), sample_weight=pd.Series(WEIGHTS, list("abcdef"))
    )
    assert area == fastauc.roc_auc_score(LABELS, SCORES, sample_weight=WEIGHTS)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", DTYPES)
def test_pandas_nullable(pd, dtype):
    word = "boolean" if dtype == "?" else WORDS[dtype].capitalize().replace("Ui", "UI")
    check_container(lambda values: pd.Series(values, dtype=word), dtype)
    check_container(lambda values: pd.array(values, dtype=word), dtype, n_cases=18)


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("dtype", ["Int64", "Int8", "UInt64", "Float32", "Float64", "boolean"])
@pytest.mark.parametrize("position", [0, 3, 5])
def test_missing_values_of_pandas_nullable(pd, dtype, position):
    missing = pd.Series(put(LABELS, position, pd.NA), dtype=dtype)
    refuse_missing(missing, missing, missing, position)


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("position", [0, 3, 5])
def test_missing_values_of_object_arrays(pd, position):
    for missing in (None, pd.NA, float("nan")):
        scores = pd.Series(put(SCORES, position, missing), dtype=object)
        refuse_missing(None, scores, scores, position, known=missing is not pd.NA)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", DTYPES)
def test_pandas_backed_by_arrow(pd, pa, dtype):
    word = {"f4": "float", "f8": "double"}.get(dtype, WORDS[dtype]) + "[pyarrow]"
    check_container(lambda values: pd.Series(values, dtype=word), dtype)


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("dtype", ["int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]"])
def test_missing_values_of_pandas_backed_by_arrow(pd, pa, dtype):
    missing = pd.Series(put(LABELS, 3, None), dtype=dtype)
    refuse_missing(missing, missing, missing, 3)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", ["str", "string", "object", "category"])
def test_pandas_strings(pd, dtype):
    labels = pd.Series(["yes" if label else "no" for label in LABELS], dtype=dtype)
    assert_two_labels(labels, "yes")
    refuse_missing(labels.where(labels.index != 3), None, None, 3)


@pytest.mark.check("memory layouts")
def test_pandas_strings_backed_by_arrow(pd, pa):
    labels = pd.Series(
        ["yes" if label else "no" for label in LABELS], dtype=pd.ArrowDtype(pa.string())
    )
    assert_two_labels(labels, "yes")
    refuse_missing(labels.where(labels.index != 3), None, None, 3)


@pytest.mark.check("memory layouts")
def test_pandas_categories(pd):
    for categories in ([0, 1], [1, 0], [7, 1, 0]):
        # The order of the labels counts, not that of the categories.
        labels = pd.Series(pd.Categorical(LABELS, categories=categories, ordered=True))
        assert_two_labels(labels, 1)
    missing = pd.Series(put(LABELS, 3, None), dtype="category")
    refuse_missing(missing, None, None, 3)


@pytest.mark.check("memory layouts")
def test_pandas_frames(pd):
    frame = pd.DataFrame({"label": LABELS, "score": SCORES})
    area = fastauc.roc_auc_score(frame[["label"]], frame[["score"]])
    assert (
        area == fastauc.roc_auc_score(frame["label"], frame["score"]) == exact_area(LABELS, SCORES)
    )
    sentence = "y should be a 1d array, got an array of shape (6, 2) instead."
    refuse("roc_auc_score", (LABELS, frame), {}, ValueError, sentence, [])
    # As predict_proba returns them: which of the two columns is meant.
    with pytest.raises(ValueError, match=r"a single column, such as y_score\[:, 1\]\.$"):
        fastauc.roc_auc_score(LABELS, frame)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
def test_pandas_frames_of_several_columns(pd, average):
    labels, scores = np.array([[0, 1], [1, 0], [1, 0]]), np.array([[0.5, 0.25], [0.5, 1], [1, 0]])
    for name in ("roc_auc_score", "average_precision_score"):
        ours = call_ours(name, pd.DataFrame(labels), pd.DataFrame(scores), average=average)
        compare(name, ours, call_ours(name, labels, scores, average=average))


def test_dates_of_pandas_are_refused(pd):
    dates = pd.Series(pd.date_range("2024-01-01", periods=6))
    refuse("roc_auc_score", (LABELS, dates), {}, ValueError, "", ["y_score", "datetime64"])
    refuse("roc_auc_score", (dates, SCORES), {}, ValueError, "", ["y_true"])


# polars -------------------------------------------------------------------------------------------


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", DTYPES)
def test_polars_series(pl, dtype):
    check_container(pl.Series, dtype)
    check_container(lambda values: pl.DataFrame({"x": values}), dtype, n_cases=18)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", DTYPES)
def test_polars_series_in_parts(pl, dtype):
    # A slice of a longer series, and a series of two chunks.
    check_container(
        lambda values: pl.Series(np.tile(values, 3))[len(values) : 2 * len(values)], dtype
    )
    check_container(
        lambda values: pl.concat([pl.Series(values[:1]), pl.Series(values[1:])], rechunk=False),
        dtype,
    )


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "Float32", "Float64", "Boolean"])
@pytest.mark.parametrize("position", [0, 3, 5])
def test_nulls_of_polars(pl, dtype, position):
    values = [None if row == position else bool(label) for row, label in enumerate(LABELS)]
    missing = pl.Series(values).cast(getattr(pl, dtype))
    # Missing ones among bools arrive as None among objects.
    refuse_missing(missing, missing, missing, position, known=dtype != "Boolean")
    if dtype != "Boolean":
        refuse_missing(None, pl.DataFrame({"x": missing})["x"], None, position)


@pytest.mark.check("memory layouts")
def test_polars_strings(pl):
    words = pl.Series(["yes" if label else "no" for label in LABELS])
    for labels in (words, words.cast(pl.Categorical), words.cast(pl.Enum(["yes", "no"]))):
        assert_two_labels(labels, "yes")
        missing = labels.to_frame("x").select(pl.when(pl.arange(6) != 3).then(pl.col("x")))["x"]
        refuse_missing(missing, None, None, 3)


@pytest.mark.check("memory layouts")
def test_polars_frames_of_several_columns(pl):
    labels, scores = np.array([[0, 1], [1, 0], [1, 0]]), np.array([[0.5, 0.25], [0.5, 1], [1, 0]])
    area = fastauc.roc_auc_score(pl.DataFrame(labels), pl.DataFrame(scores))
    assert area == fastauc.roc_auc_score(labels, scores)


# Arrow --------------------------------------------------------------------------------------------


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrow_arrays(pa, dtype):
    check_container(pa.array, dtype)
    # An offset of 1 leaves the bits of a bool within a byte.
    check_container(lambda values: pa.array(np.append(values[:1], values))[1:], dtype)
    check_container(lambda values: pa.chunked_array([values[:1], values[1:], values[:0]]), dtype)


@pytest.mark.check("memory layouts")
def test_arrow_half_floats(pa):
    rng = np.random.default_rng(26)
    for _ in range(N_CASES):
        labels, scores = draw_labels(rng, 20), draw_scores(rng, "f2", 20)
        assert fastauc.roc_auc_score(labels, pa.array(scores)) == exact_area(labels, scores)


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float64", "bool_"])
@pytest.mark.parametrize("position", [0, 3, 5])
def test_nulls_of_arrow(pa, dtype, position):
    values = [None if row == position else bool(label) for row, label in enumerate(LABELS)]
    missing = pa.array(values).cast(getattr(pa, dtype)())
    chunked = pa.chunked_array([missing[:2], missing[2:]])
    sliced = pa.concat_arrays([missing[:1], missing])[1:]
    for made in (missing, chunked, sliced):
        # Missing ones among bools arrive as None among objects.
        refuse_missing(made, made, made, position, known=dtype != "bool_")


@pytest.mark.check("memory layouts")
def test_arrow_strings(pa):
    words = ["yes" if label else "no" for label in LABELS]
    for kind in (pa.string(), pa.large_string()):
        labels = pa.array(words, kind)
        for made in (
            labels,
            labels.dictionary_encode(),
            pa.chunked_array([labels[:2], labels[2:]]),
        ):
            assert_two_labels(made, "yes")
    missing = pa.array(put(words, 3, None))
    refuse_missing(missing, None, None, 3)
    refuse_missing(missing.dictionary_encode(), None, None, 3)


@pytest.mark.check("memory layouts")
def test_arrow_dictionaries_of_numbers(pa):
    assert_two_labels(pa.array(LABELS).dictionary_encode(), 1)
    scores = pa.array([3, 1, 3, 2, 2, 1]).dictionary_encode()
    assert fastauc.roc_auc_score(LABELS, scores) == exact_area(LABELS, [3, 1, 3, 2, 2, 1])


@pytest.mark.check("missing scores")
def test_nulls_of_arrow_dictionaries_in_parts(pa):
    # As one array of NumPy, Arrow writes out another value of the dictionary for the null.
    missing = pa.array(put([3.0, 1.0, 3.0, 2.0, 2.0, 1.0], 4, None))
    parts = [part.dictionary_encode() for part in (missing[:2], missing[2:])]
    refuse_missing(None, pa.chunked_array(parts), pa.chunked_array(parts), 4)
    words = pa.array(put(["yes" if label else "no" for label in LABELS], 4, None))
    parts = [part.dictionary_encode() for part in (words[:2], words[2:])]
    refuse_missing(pa.chunked_array(parts), None, None, 4)


@pytest.mark.check("memory layouts")
def test_arrow_decimals(pa):
    # As float64 the first and the second would be equal.
    scores = pa.array([decimal.Decimal(f"0.1000000000000000000{digit}") for digit in (1, 2)])
    assert fastauc.roc_auc_score([0, 1], scores) == 1


def test_arrow_lists_are_refused(pa):
    lists = pa.array([[1.0], [2.0], [3.0, 4.0], [5.0], [6.0], [7.0]])
    refuse("roc_auc_score", (LABELS, lists), {}, (ValueError, TypeError), "", ["y_score"])


# torch --------------------------------------------------------------------------------------------


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "?"])
def test_torch_tensors(torch, dtype):
    check_container(torch.from_numpy, dtype)


def test_torch_tensors_that_need_a_gradient_are_refused(torch):
    scores = torch.tensor(SCORES, requires_grad=True)
    refuse("roc_auc_score", (LABELS, scores), {}, TypeError, "y_score", ["detach"])


# Copies -------------------------------------------------------------------------------------------


def test_pandas_columns_are_not_copied(pd):
    values = np.arange(100.0)
    for made in (pd.Series(values, copy=False), pd.DataFrame({"x": values}, copy=False)):
        assert np.shares_memory(as_array(made, "y_score", ""), values)
    nullable = pd.array(values, dtype="Float64")
    assert as_array(nullable, "y_score", "").dtype == np.float64


def test_polars_columns_are_not_copied(pl):
    series = pl.Series(np.arange(100.0))
    again = [as_array(series, "y_score", "") for _ in range(2)]
    assert np.shares_memory(*again)


def test_arrow_columns_are_not_copied(pa):
    values = np.arange(100.0)
    column = pa.array(values)
    for made in (column, column[7:]):
        laid = as_array(made, "y_score", "")
        assert laid.tolist() == values[-len(made) :].tolist()
        assert np.shares_memory(laid, np.frombuffer(column.buffers()[1], np.float64))


def test_torch_tensors_are_not_copied(torch):
    values = np.arange(100.0)
    assert np.shares_memory(as_array(torch.from_numpy(values), "y_score", ""), values)


# Small calls --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_series_is_not_asked_for_what_it_does_not_have(pd, name, monkeypatch):
    # Each question that it answers with no costs microseconds.
    labels, scores, weights = (pd.Series(values) for values in (LABELS, SCORES, WEIGHTS))
    asked = []
    find = pd.Series.__getattr__
    monkeypatch.setattr(
        pd.Series, "__getattr__", lambda self, word: asked.append(word) or find(self, word)
    )
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
@pytest.mark.parametrize("dtype", [None, "object", "category"])
def test_the_array_of_a_series_is_what_numpy_makes_of_it(pd, values, dtype):
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


def test_an_index_may_hold_any_words(pd):
    index = ["toarray", "nnz", "__array__", "__dlpack_device__", "codes", "categories"]
    labels, scores = pd.Series(LABELS, index), pd.Series(SCORES, index)
    assert fastauc.roc_auc_score(labels, scores) == exact_area(LABELS, SCORES)


@pytest.mark.check("memory layouts")
def test_a_subclass_of_series_is_a_series(pd):
    class Column(pd.Series):
        pass

    labels, scores = Column(LABELS), Column(SCORES)
    assert fastauc.roc_auc_score(labels, scores) == exact_area(LABELS, SCORES)
    assert_two_labels(Column(["yes" if label else "no" for label in LABELS]), "yes")


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
def test_tensors_of_narrow_floats(torch, name):
    scores = torch.tensor([0.25, 0.5, 0.5, 2.0, 0.125]).to(getattr(torch, name))
    assert fastauc.roc_auc_score(torch.tensor([0, 1, 0, 1, 0]), scores) == 11 / 12
    expected = np.float16 if name == "float16" else np.float32
    assert as_array(scores, "y_score", "").dtype == expected
