"""Values, weights, shapes and options that are refused, and how (R-20, R-21, R-23, R-25, R-27)."""

import datetime
from decimal import Decimal

import numpy as np
import pytest

import fastauc
from support.contract import (
    FUNCTIONS,
    LABELS,
    SCORES,
    TAKES_WEIGHTS,
    exact_area,
    put,
    refuse,
    refuse_alike,
)
from support.reliability import tried

NAN, INF = float("nan"), float("inf")
INFINITE = "Input contains infinity or a value too large for dtype('{}')."
INFINITE_WEIGHT = "Input sample_weight contains infinity or a value too large for dtype('float64')."
NOT_A_VECTOR = "y should be a 1d array, got an array of shape {} instead."

# The name of every floating dtype as scikit-learn's texts give it.
FLOATS = list(dict.fromkeys(np.dtype(code).name for code in ("f2", "f4", "f8", "g")))


# Scores that are not finite: R-20, R-21 -----------------------------------------------------------


@pytest.mark.check("infinite scores")
@pytest.mark.check("missing scores")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("value", [NAN, -NAN, INF, -INF], ids=["nan", "-nan", "inf", "-inf"])
def test_scores_must_be_finite(dtype, value):
    for name in FUNCTIONS:
        scores = np.array(put(SCORES, 3, value), dtype=dtype)
        sentence = "Input contains NaN." if value != value else INFINITE.format(dtype)
        shown = "-inf" if value == -INF else str(abs(value))
        mentions = ["y_score[3]", shown, "expected finite numbers"]
        refuse_alike(name, (LABELS, scores), {}, ValueError, sentence, mentions)


@pytest.mark.check("infinite scores")
@pytest.mark.check("missing scores")
@pytest.mark.parametrize("value", [NAN, INF, -INF], ids=str)
def test_scores_in_a_list_must_be_finite(value):
    for name in FUNCTIONS:
        sentence = "Input contains NaN." if value != value else INFINITE.format("float64")
        scores = put(SCORES, 3, value)
        refuse_alike(name, (LABELS, scores), {}, ValueError, sentence, ["y_score[3]", str(value)])


def random_nan(rng, dtype):
    """Return a NaN of either sign, quiet or signaling, with any payload."""
    size = np.dtype(dtype).itemsize
    mantissa = {2: 10, 4: 23, 8: 52}[size]
    bits = int(rng.integers(1, 2**mantissa)) | ((1 << (8 * size - 1 - mantissa)) - 1) << mantissa
    bits |= int(rng.integers(2)) << (8 * size - 1)
    return np.array([bits], f"u{size}").view(dtype)[0]


def positions_of(rng, where, n):
    if where == "all":
        return np.arange(n)
    if where == "several":
        return np.sort(rng.choice(n, rng.integers(1, n + 1), replace=False))
    return np.array([{"first": 0, "middle": n // 2, "last": n - 1}[where]])


@pytest.mark.check("missing scores")
@pytest.mark.parametrize("where", ["first", "middle", "last", "all", "several"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_r20_the_first_nan_is_named(dtype, where):
    rng = np.random.default_rng([20, np.dtype(dtype).itemsize, len(where)])
    for number in range(667):
        # Beyond one block of the search in some cases.
        n = int(rng.integers(2, 3000 if number % 10 == 0 else 60))
        scores, labels = rng.random(n).astype(dtype), rng.integers(0, 2, n)
        labels[:2] = [0, 1]
        positions = positions_of(rng, where, n)
        scores[positions] = random_nan(rng, dtype)
        options = {"sample_weight": rng.random(n)} if number % 3 == 0 else {}
        names = TAKES_WEIGHTS if options else FUNCTIONS
        place = f"y_score[{positions[0]}] is "
        refuse(
            names[number % len(names)],
            (labels, scores),
            options,
            ValueError,
            "Input contains NaN.",
            [place],
        )


@pytest.mark.check("infinite scores")
@pytest.mark.parametrize("where", ["first", "middle", "last", "all", "several"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_r21_the_first_infinity_is_named(dtype, where):
    rng = np.random.default_rng([21, np.dtype(dtype).itemsize, len(where)])
    for number in range(100):
        n = int(rng.integers(2, 60))
        scores, labels = rng.random(n).astype(dtype), rng.integers(0, 2, n)
        labels[:2] = [0, 1]
        positions = positions_of(rng, where, n)
        scores[positions] = rng.choice([-INF, INF])
        place = f"y_score[{positions[0]}] is {scores[positions[0]]}"
        name = FUNCTIONS[number % len(FUNCTIONS)]
        refuse(name, (labels, scores), {}, ValueError, INFINITE.format(dtype), [place])


@pytest.mark.check("infinite scores")
def test_nan_is_named_before_an_infinity_behind_it_and_not_before_one_in_front():
    scores = put(put(SCORES, 1, NAN), 4, INF)
    refuse("roc_curve", (LABELS, scores), {}, ValueError, "Input contains NaN.", ["y_score[1]"])
    scores = put(put(SCORES, 1, INF), 4, NAN)
    sentence = INFINITE.format("float64")
    refuse("roc_curve", (LABELS, np.array(scores)), {}, ValueError, sentence, ["y_score[1]"])


@pytest.mark.check("missing scores")
def test_a_score_of_a_row_without_weight_must_be_finite_too():
    for name in TAKES_WEIGHTS:
        args = LABELS, np.array(put(SCORES, 3, NAN))
        options = {"sample_weight": [1, 1, 1, 0, 1, 1]}
        refuse_alike(name, args, options, ValueError, "Input contains NaN.", ["y_score[3]"])


@pytest.mark.check("infinite scores")
@pytest.mark.check("missing scores")
@pytest.mark.parametrize("value", [NAN, INF], ids=str)
def test_an_element_of_a_matrix_is_named_by_row_and_column(value):
    for name in ["average_precision_score", "roc_auc_score"]:
        labels, scores = (
            np.array([[0, 1, 0], [1, 0, 1]]),
            np.array([[0.1, 0.2, 0.3], [0.4, value, 0.6]]),
        )
        sentence = "Input contains NaN." if value != value else INFINITE.format("float64")
        refuse_alike(name, (labels, scores), {}, ValueError, sentence, ["y_score[1, 1]"])


# Scores that are no real numbers: R-25 ------------------------------------------------------------

OBJECT_SCORES = {
    "nan": (NAN, "Input contains NaN"),
    "inf": (INF, "Input contains infinity or a value too large"),
    "decimal nan": (Decimal("nan"), "Input contains NaN"),
    "decimal signaling nan": (Decimal("snan"), "Input contains NaN"),
    "decimal infinity": (Decimal("-inf"), "Input contains infinity or a value too large"),
    "None": (None, "Input contains NaN"),
    "str": ("a", ""),
    "number in a str": ("0.5", ""),
    "bytes": (b"a", ""),
    "complex": (0.5 + 1j, ""),
    "list": ([0.5], ""),
    "date": (datetime.date(2024, 1, 1), ""),
    "object": (Ellipsis, ""),
}


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize(("value", "sentence"), OBJECT_SCORES.values(), ids=list(OBJECT_SCORES))
def test_object_scores_must_be_numbers(value, sentence):
    for name in FUNCTIONS:
        # scikit-learn lets some of these fail in a comparison, and ranks Decimal("-inf").
        scores = np.empty(6, dtype=object)
        scores[:] = SCORES
        scores[3] = value
        refuse(name, (LABELS, scores), {}, ValueError, sentence, ["y_score[3]"])


SCORES_OF_OTHER_DTYPES = {
    "str": np.array(list("123456")),
    "bytes": np.array(list("123456"), dtype="S1"),
    "datetime64": np.arange(6).astype("M8[D]"),
    "timedelta64": np.arange(6).astype("m8[s]"),
    "structured": np.zeros(6, dtype=[("score", float)]),
    "complex128": np.array(SCORES, dtype=complex),
    "complex64": np.array(SCORES, dtype="c8"),
}


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize(
    "scores", SCORES_OF_OTHER_DTYPES.values(), ids=list(SCORES_OF_OTHER_DTYPES)
)
def test_scores_must_be_real_numbers(scores):
    for name in FUNCTIONS:
        # scikit-learn ranks dates and leaves the others to NumPy, apart from complex numbers.
        is_complex = scores.dtype.kind == "c"
        judge, sentence = (
            (refuse_alike, "Complex data not supported\n") if is_complex else (refuse, "")
        )
        judge(name, (LABELS, scores), {}, ValueError, sentence, ["y_score", str(scores.dtype)])


@pytest.mark.check("malformed arguments")
def test_complex_numbers_in_a_list_are_refused():
    scores = put(SCORES, 3, 1j)
    sentence = "Complex data not supported\n"
    refuse_alike("roc_auc_score", (LABELS, scores), {}, ValueError, sentence, ["y_score"])


# Weights: R-23 ------------------------------------------------------------------------------------

WEIGHTS = [1.0, 2.0, 0.5, 1.0, 3.0, 1.0]

# What scikit-learn refuses too: value of one weight, beginning of the text.
BAD_WEIGHTS = {
    "nan": (NAN, "Input sample_weight contains NaN."),
    "None": (None, "Input sample_weight contains NaN."),
    "inf": (INF, INFINITE_WEIGHT),
    "-inf": (-INF, INFINITE_WEIGHT),
}


@pytest.mark.check("invalid weights")
@pytest.mark.parametrize(("value", "sentence"), BAD_WEIGHTS.values(), ids=list(BAD_WEIGHTS))
def test_weights_must_be_finite(value, sentence):
    for name in TAKES_WEIGHTS:
        options = {"sample_weight": put(WEIGHTS, 3, value)}
        refuse_alike(name, (LABELS, SCORES), options, ValueError, sentence, ["sample_weight[3]"])


@pytest.mark.check("invalid weights")
@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "g", "O"])
def test_weights_must_not_be_negative(dtype):
    for name in TAKES_WEIGHTS:
        # scikit-learn accepts them, and its areas leave [0, 1].
        weights = np.array([1, 2, 1, -1, 3, -2], dtype=dtype)
        sentence = "Negative values in data passed to `sample_weight`."
        mentions = ["sample_weight[3] is -1"]
        refuse(name, (LABELS, SCORES), {"sample_weight": weights}, ValueError, sentence, mentions)


def test_a_weight_of_minus_zero_is_a_weight_of_zero():
    weights = put(WEIGHTS, 3, -0.0)
    without = [np.delete(values, 3) for values in (LABELS, SCORES, weights)]
    area = fastauc.roc_auc_score(LABELS, SCORES, sample_weight=weights)
    assert area == fastauc.roc_auc_score(*without[:2], sample_weight=without[2])


@pytest.mark.check("invalid weights")
def test_weights_must_not_all_be_zero():
    for name in TAKES_WEIGHTS:
        sentence = "Sample weights must contain at least one non-zero number."
        options = {"sample_weight": [0] * 6}
        refuse_alike(name, (LABELS, SCORES), options, ValueError, sentence, ["sample_weight"])


@pytest.mark.check("invalid weights")
def test_weights_must_have_a_finite_sum():
    for name in TAKES_WEIGHTS:
        # scikit-learn returns NaN or 0 after several warnings of an overflow.
        options = {"sample_weight": [1e308] * 6}
        refuse(name, (LABELS, SCORES), options, ValueError, "", ["sample_weight", "infinity"])


@pytest.mark.check("invalid weights")
@pytest.mark.parametrize("n", [0, 1, 5, 7])
def test_weights_must_be_as_many_as_the_rows(n):
    for name in TAKES_WEIGHTS:
        sentence = f"Found input variables with inconsistent numbers of samples: [6, 6, {n}]"
        options = {"sample_weight": np.ones(n)}
        refuse_alike(name, (LABELS, SCORES), options, ValueError, sentence, ["sample_weight"])


@pytest.mark.check("invalid weights")
@pytest.mark.parametrize("shape", [(6, 2), (1, 6)], ids=str)
def test_weights_must_be_a_vector(shape):
    for name in TAKES_WEIGHTS:
        options = {"sample_weight": np.ones(shape)}
        sentence = NOT_A_VECTOR.format(shape)
        # Of a wrong number of rows as well, scikit-learn counts the rows first.
        judge = refuse_alike if shape[0] == 6 else refuse
        judge(name, (LABELS, SCORES), options, ValueError, sentence, ["sample_weight"])


@pytest.mark.check("invalid weights")
def test_weights_must_not_be_a_scalar_array():
    for name in TAKES_WEIGHTS:
        options = {"sample_weight": np.array(2.0)}
        refuse(name, (LABELS, SCORES), options, ValueError, "", ["sample_weight"])


@pytest.mark.check("invalid weights")
def test_weights_must_be_numbers():
    for name in TAKES_WEIGHTS:
        options = {"sample_weight": ["1", "1", "x", "1", "1", "1"]}
        mentions = ["sample_weight[2]", "'x'"]
        refuse(name, (LABELS, SCORES), options, ValueError, "", mentions)
        options = {"sample_weight": np.array(WEIGHTS, dtype=complex)}
        sentence = "Complex data not supported\n"
        refuse_alike(name, (LABELS, SCORES), options, ValueError, sentence, ["sample_weight"])


def spoil(rng, kind, weights):
    """Return weights with something wrong, and what the error must begin with and mention."""
    n = len(weights)
    bad = np.sort(rng.choice(n, rng.integers(1, n + 1), replace=False))
    first = f"sample_weight[{bad[0]}]"
    if kind == "negative":
        weights[bad] = -rng.random(len(bad)) - 5e-324
        return weights, "Negative values in data passed to `sample_weight`.", first
    if kind == "nan":
        weights[bad] = random_nan(rng, "f8")
        return weights, "Input sample_weight contains NaN.", first
    if kind == "infinite":
        weights[bad] = rng.choice([-INF, INF])
        return weights, INFINITE_WEIGHT, f"{first} is {weights[bad[0]]}"
    length = int(rng.choice([0, n - 1, n + 1, 2 * n]))
    sentence = f"Found input variables with inconsistent numbers of samples: [{n}, {n}, {length}]"
    return np.resize(weights, length), sentence, f"sample_weight has {length}"


@pytest.mark.check("invalid weights")
@pytest.mark.parametrize("kind", ["negative", "nan", "infinite", "length"])
def test_r23_the_first_bad_weight_is_named(kind):
    rng = np.random.default_rng([23, len(kind)])
    for number in range(500):
        n = int(rng.integers(2, 40))
        labels = rng.permutation(np.arange(n) % 2)
        weights, sentence, mention = spoil(rng, kind, rng.random(n))
        name = TAKES_WEIGHTS[number % len(TAKES_WEIGHTS)]
        options = {"sample_weight": weights}
        refuse(name, (labels, rng.random(n)), options, ValueError, sentence, [mention])


# Shapes: R-25 -------------------------------------------------------------------------------------


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("n", [0, 1, 5, 7])
def test_scores_must_be_as_many_as_the_labels(n):
    for name in FUNCTIONS:
        sentence = f"Found input variables with inconsistent numbers of samples: [6, {n}]"
        # Of no scores at all, scikit-learn's roc_auc_score says only that they are none.
        judge = refuse_alike if n else refuse
        args = LABELS, np.resize(SCORES, n)
        judge(name, args, {}, ValueError, sentence, ["y_true", "y_score"])


@pytest.mark.check("malformed arguments")
def test_the_lengths_must_agree_even_with_one_class():
    for name in FUNCTIONS:
        # scikit-learn's roc_auc_score warns and returns NaN before it compares the lengths.
        sentence = "Found input variables with inconsistent numbers of samples: [6, 5]"
        refuse(name, ([1] * 6, SCORES[:5]), {}, ValueError, sentence, ["y_true", "y_score"])


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("empty", [[], (), np.empty(0), np.empty(0, "i8"), np.empty((0, 1))])
def test_no_rows_are_refused(empty):
    for name in FUNCTIONS:
        # scikit-learn has a sentence for roc_auc_score only; the others stumble.
        judge = refuse_alike if name == "roc_auc_score" else refuse
        sentence = f"Found array with 0 sample(s) (shape={np.shape(empty)})"
        judge(name, (empty, empty), {}, ValueError, sentence, ["y_true"])


@pytest.mark.check("malformed arguments")
def test_no_rows_of_several_columns_are_refused():
    for name in ["average_precision_score", "roc_auc_score"]:
        matrix = np.empty((0, 3))
        sentence = "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required."
        refuse_alike(name, (matrix, matrix), {}, ValueError, sentence, ["y_true"])


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("shape", [(6, 2), (1, 2), (0, 2)], ids=str)
def test_scores_must_be_a_vector(shape):
    for name in FUNCTIONS:
        sentence = NOT_A_VECTOR.format(shape)
        # Of a wrong number of rows as well, scikit-learn counts the rows first.
        judge = refuse_alike if shape[0] == 6 else refuse
        judge(name, (LABELS, np.ones(shape)), {}, ValueError, sentence, ["y_score"])


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("shape", [(), (6, 1, 1), (1, 1, 6)], ids=str)
def test_other_numbers_of_dimensions_are_refused(shape):
    for name in FUNCTIONS:
        for argument in ["y_true", "y_score"]:
            # scikit-learn refuses them as well, with different sentences.
            arguments = {"y_true": LABELS, "y_score": SCORES} | {argument: np.ones(shape)}
            refuse(name, (), arguments, (ValueError, TypeError), "", [argument])


@pytest.mark.check("malformed arguments")
def test_ragged_rows_are_refused():
    for name in FUNCTIONS:
        for argument in ["y_true", "y_score"]:
            arguments = {"y_true": LABELS, "y_score": SCORES} | {
                argument: [[1], [1, 0], [0], [1], [1], [1]]
            }
            refuse(name, (), arguments, ValueError, "", [argument])


# Things that are no arrays: R-25 ------------------------------------------------------------------

NO_ARRAYS = {
    "None": None,
    "int": 1,
    "float": 0.5,
    "str": "abcdef",
    "generator": (value for value in SCORES),
    "map": map(float, SCORES),
    "object": object(),
    "type": float,
}
# scikit-learn takes these for scalars or for sequences of bytes.
NO_SEQUENCES = {
    "dict": dict(enumerate(SCORES)),
    "set": set(SCORES),
    "bytes": b"abcdef",
    "bytearray": bytearray(b"abcdef"),
}


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("kind", [*NO_ARRAYS, *NO_SEQUENCES])
def test_what_is_no_array_is_refused(kind):
    for name in FUNCTIONS:
        for argument in ["y_true", "y_score", "sample_weight"]:
            if argument == "sample_weight" and (name == "concordance" or kind == "None"):
                continue
            value = NO_ARRAYS[kind] if kind in NO_ARRAYS else NO_SEQUENCES[kind]
            arguments = {"y_true": LABELS, "y_score": SCORES} | {argument: value}
            sentence = f"The {argument!r} parameter of {name} must be an array-like"
            judge = refuse_alike if kind in NO_ARRAYS else refuse
            judge(name, (), arguments, fastauc.InvalidParameterError, sentence, [repr(value)])


# Scores of any range: R-27 ------------------------------------------------------------------------


@pytest.mark.check("ranges and batches")
def test_r27_large_scores_are_not_squashed():
    # The 15 published logits of torchmetrics issue 2819: a sigmoid makes all of them 1.
    scores = [98.0950, 98.4612, 98.1145, 98.1506, 97.6037, 98.9425, 99.2644, 99.5014]
    scores += [99.7280, 99.6595, 99.6931, 99.4667, 99.9623, 99.8949, 99.8768]
    for dtype in ("f4", "f8"):
        assert fastauc.roc_auc_score([0] + [1] * 14, np.array(scores, dtype=dtype)) == 13 / 14


@pytest.mark.check("ranges and batches")
def test_r27_the_range_of_the_scores_does_not_matter():
    rng = np.random.default_rng(27)
    for _ in range(1000):
        n = int(rng.integers(4, 40))
        labels, ranks = rng.permutation(np.arange(n) % 2), rng.integers(0, 12, n)
        area = fastauc.roc_auc_score(labels, ranks / 16)  # all in [0, 1]
        # Increasing and exact: logits, percentages, all below 0, and half of them beyond 1.
        for scores in (
            ranks - 6.0,
            ranks * 100.0,
            ranks / 16 - 1,
            np.where(ranks > 5, ranks, ranks / 8),
        ):
            assert fastauc.roc_auc_score(labels, scores) == area
        # A batch inside [0, 1] counts its pairs as it does beside a batch outside.
        half = n // 2
        mixed = np.where(np.arange(n) < half, ranks / 16, ranks)
        assert fastauc.roc_auc_score(labels, mixed) == exact_area(labels, mixed)
        part = fastauc.concordance(labels[half:], ranks[half:])
        assert part == fastauc.concordance(labels[half:], ranks[half:] / 16)
        tried()
