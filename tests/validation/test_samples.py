"""Values, weights, shapes and options that are refused, and how."""

import datetime
import itertools
import re
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import fastauc
from support.contract import (
    FLOATS,
    FUNCTIONS,
    LABELS,
    SCORES,
    TAKES_WEIGHTS,
    put,
    refuse,
    refuse_alike,
)

NAN, INF = float("nan"), float("inf")
INFINITE = "Input contains infinity or a value too large for dtype('{}')."
INFINITE_WEIGHT = "Input sample_weight contains infinity or a value too large for dtype('float64')."
NOT_A_VECTOR = "y should be a 1d array, got an array of shape {} instead."

INCONSISTENT = "Found input variables with inconsistent numbers of samples: [6, {}]"

# Scores that are not finite -----------------------------------------------------------------------


@pytest.mark.check("infinite scores")
@pytest.mark.check("missing scores")
@pytest.mark.parametrize("most", [1, 9000], ids=["one", "several"])
@pytest.mark.parametrize("what", ["nan", "inf"])
def test_the_first_score_that_is_not_finite_is_named(what, most):
    for dtype, number in itertools.product(FLOATS, range(1250)):
        rng = np.random.default_rng([20, np.dtype(dtype).itemsize, most, number])
        # Beyond one block of the search, which are of 4096, in some cases.
        n = int(rng.integers(2, 9000 if number % 10 == 0 else 200))
        scores, labels = rng.random(n).astype(dtype), rng.integers(0, 2, n)
        labels[:2] = [0, 1]
        positions = np.sort(rng.choice(n, rng.integers(1, min(n, most) + 1), replace=False))
        # NaN of any sign and payload is in reliability/test_nan.py.
        scores[positions] = NAN if what == "nan" else rng.choice([-INF, INF])
        sentence = "Input contains NaN." if what == "nan" else INFINITE.format(dtype)
        mentions = [f"y_score[{positions[0]}] is {scores[positions[0]]}", "expected finite numbers"]
        options = {"sample_weight": rng.random(n)} if number % 3 == 0 else {}
        names = TAKES_WEIGHTS if options else FUNCTIONS
        name = names[number % len(names)]
        judge = refuse_alike if number % 10 == 1 else refuse
        judge(name, (labels, scores), options, ValueError, sentence, mentions)


@pytest.mark.check("infinite scores")
@pytest.mark.check("missing scores")
@pytest.mark.parametrize("value", [NAN, INF, -INF], ids=str)
def test_scores_must_be_finite_wherever_they_are(value):
    sentence = "Input contains NaN." if value != value else INFINITE.format("float64")
    listed = put(SCORES, 3, value)
    for name in FUNCTIONS:
        refuse_alike(name, (LABELS, listed), {}, ValueError, sentence, ["y_score[3]", str(value)])
    for name in TAKES_WEIGHTS:  # in a row without weight
        options = {"sample_weight": [1, 1, 1, 0, 1, 1]}
        args = LABELS, np.array(listed)
        refuse_alike(name, args, options, ValueError, sentence, ["y_score[3]"])
    for name in ["average_precision_score", "roc_auc_score"]:  # in a matrix
        args = np.array([[0, 1, 0], [1, 0, 1]]), np.array([[0.1, 0.2, 0.3], [0.4, value, 0.6]])
        refuse_alike(name, args, {}, ValueError, sentence, ["y_score[1, 1]"])


@pytest.mark.check("infinite scores")
def test_nan_is_named_before_an_infinity_behind_it_and_not_before_one_in_front():
    scores = put(put(SCORES, 1, NAN), 4, INF)
    refuse("roc_curve", (LABELS, scores), {}, ValueError, "Input contains NaN.", ["y_score[1]"])
    scores = put(put(SCORES, 1, INF), 4, NAN)
    sentence = INFINITE.format("float64")
    refuse("roc_curve", (LABELS, np.array(scores)), {}, ValueError, sentence, ["y_score[1]"])


# Scores that are no real numbers ------------------------------------------------------------------

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


STRICT = Context(prec=1)
STRICT.traps.update(dict.fromkeys(STRICT.traps, True))  # every signal of decimals is an error


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("text", ["1E-20000000", "-1E+20000000", "1E+2000", "1E-2001", "1.5E-2000"])
def test_huge_exponents_of_decimals_are_refused_at_once(text):
    scores = [Decimal(score) for score in map(str, SCORES)]
    scores[2] = Decimal(text)
    sentence = f"y_score[2] is a decimal near 1E{Decimal(text).adjusted():+}; expected at most 2000"
    for name in FUNCTIONS:
        refuse(name, (LABELS, scores), {}, ValueError, sentence, [])
    with pytest.raises(ValueError, match="expected at most 2000 digits on either side"):
        fastauc.streaming.ScoreHistogram().update(LABELS, scores)


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (
            Decimal("1E-20000000"),
            "Decimal('1E-20000000'), which float64 rounds to 0; expected a num",
        ),
        (Decimal("-1E-400"), "Decimal('-1E-400'), which float64 rounds to 0"),
        (Fraction(1, 10**400), "Fraction(1, 1000"),
        (np.longdouble("1e-4000"), f"{np.longdouble('1e-4000')!r}, which float64 rounds to 0"),
        (Decimal("1E+20000000"), "inf; expected finite numbers."),
        (10**400, "inf; expected finite numbers."),
        (-(10**400), "-inf; expected finite numbers."),
        (np.longdouble("1e4000"), "inf; expected finite numbers."),
        (None, "None; expected a number."),
        (Decimal("sNaN"), "Decimal('sNaN'); expected a number."),
        ("1e-400", "'1e-400', which float64 rounds to 0"),
        ("1e400", "inf; expected finite numbers."),
        (b"2", "b'2'; expected a number."),
        (np.datetime64("2020-01-01"), "datetime.date(2020, 1, 1); expected a number."),
    ],
)
def test_weights_that_are_no_doubles_are_refused(weight, sentence):
    """Neither do they count as 0, nor does an error leave out which one it is."""
    given = np.array([1, 1, weight, 1, 1, 1], object)
    if isinstance(weight, np.longdouble):
        given = given.astype(np.longdouble)
        if given.dtype.itemsize == 8:
            pytest.skip("long doubles are doubles here")
    histogram = fastauc.streaming.ScoreHistogram(weighted=True)
    for function in (fastauc.roc_auc_score, fastauc.inference.roc_auc_ci, histogram.update):
        with pytest.raises(ValueError, match=re.escape(f"sample_weight[2] is {sentence}")):
            function(LABELS, SCORES, sample_weight=given)


@pytest.mark.parametrize("text", ["9E+1999", "1E-2000", "-0E-20000000", "0E+20000000"])
def test_other_exponents_of_decimals_are_compared_exactly(text):
    scores = [Decimal(score) for score in map(str, SCORES)]
    scores[2] = Decimal(text)
    ranks = np.argsort(np.argsort(np.array(list(map(Fraction, scores)))))
    for function in (fastauc.roc_auc_score, fastauc.gini_score, fastauc.ks_score):
        assert function(LABELS, scores) == function(LABELS, ranks)


def test_decimals_are_read_whatever_the_context():
    """No digit is lost, and no signal raised, also where lower scores are positive."""
    digits = [f"0.{'1' * 40}{k}" for k in (5, 3, 3, 1, 2, 4)]
    scores, ranks = list(map(Decimal, digits)), [5, 3, 3, 1, 2, 4]
    turned = {"higher_is_positive": False}
    with localcontext(STRICT):
        for function in (fastauc.roc_auc_score, fastauc.gini_score, fastauc.ks_score):
            assert function(LABELS, scores) == function(LABELS, ranks)
        found = fastauc.metrics.optimal_threshold(LABELS, scores, **turned)
        known = fastauc.metrics.optimal_threshold(LABELS, ranks, **turned)
        assert (found.value, found.matrix) == (known.value, known.matrix)
        assert found.threshold == scores[ranks.index(known.threshold)]
        table = fastauc.metrics.gains_table(LABELS, scores, bins=2, **turned)
        expected = fastauc.metrics.gains_table(LABELS, ranks, bins=2, **turned)
        assert [ranks[scores.index(score)] for score in table["max_score"]] == [
            *expected["max_score"]
        ]
        test = fastauc.inference.roc_auc_test(LABELS, scores, SCORES, **turned)
        assert test == fastauc.inference.roc_auc_test(LABELS, ranks, SCORES, **turned)
        counts = fastauc.confusion_matrix_at_thresholds(LABELS, scores)
        assert counts.at(scores[5]).fp == 2
        with pytest.raises(ValueError, match="expected a number other than NaN"):
            counts.at(Decimal("sNaN"))
        histogram = fastauc.streaming.ScoreHistogram().update(LABELS, scores)
        assert histogram.n_rows == 6


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize(("value", "sentence"), OBJECT_SCORES.values(), ids=list(OBJECT_SCORES))
def test_object_scores_must_be_numbers(value, sentence):
    for name in FUNCTIONS:
        # scikit-learn lets some of these fail in a comparison, and ranks Decimal("-inf").
        scores = np.empty(6, dtype=object)
        scores[:] = SCORES
        scores[3] = value
        refuse(name, (LABELS, scores), {}, ValueError, sentence, ["y_score[3]"])


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("dtype", ["U1", "S1", "M8[D]", "m8[s]", "f8,f8", "c16", "c8"])
def test_scores_must_be_real_numbers(dtype):
    scores = np.arange(6).astype(dtype)
    # scikit-learn ranks dates and leaves the others to NumPy, apart from complex numbers.
    is_complex = scores.dtype.kind == "c"
    judge = refuse_alike if is_complex else refuse
    sentence = "Complex data not supported\n" if is_complex else ""
    for name in FUNCTIONS:
        judge(name, (LABELS, scores), {}, ValueError, sentence, ["y_score", str(scores.dtype)])
    if is_complex:
        refuse_alike("roc_curve", (LABELS, list(scores)), {}, ValueError, sentence, ["y_score"])


# Weights ------------------------------------------------------------------------------------------

WEIGHTS = [1.0, 2.0, 0.5, 1.0, 3.0, 1.0]
BELOW_0 = np.array([1, 2, 1, -1, 3, -2])

IS_NAN = "Input sample_weight contains NaN."
NEGATIVE = "Negative values in data passed to `sample_weight`."
ALL_ZERO = "Sample weights must contain at least one non-zero number."

# As scikit-learn refuses them: weights, its sentence, and what we add.
REFUSED_ALIKE = {
    "nan": (put(WEIGHTS, 3, NAN), IS_NAN, ["sample_weight[3]"]),
    "None": (put(WEIGHTS, 3, None), IS_NAN, ["sample_weight[3]"]),
    "inf": (put(WEIGHTS, 3, INF), INFINITE_WEIGHT, ["sample_weight[3]"]),
    "-inf": (put(WEIGHTS, 3, -INF), INFINITE_WEIGHT, ["sample_weight[3]"]),
    "all 0": ([0] * 6, ALL_ZERO, []),
    "two columns": (np.ones((6, 2)), NOT_A_VECTOR.format((6, 2)), []),
    "complex": (np.array(WEIGHTS, dtype=complex), "Complex data not supported\n", []),
    **{f"{n} weights": (np.ones(n), INCONSISTENT.format(f"6, {n}"), []) for n in (0, 1, 5, 7)},
}
REFUSED = {
    # scikit-learn accepts them, and its areas leave [0, 1].
    **{
        f"negative, {dtype}": (BELOW_0.astype(dtype), NEGATIVE, ["sample_weight[3] is -1"])
        for dtype in ("i1", "f2", "f4", "f8", "g", "O")
    },
    # scikit-learn returns NaN or 0 after several warnings of an overflow.
    "sum of infinity": ([1e308] * 6, "", ["infinity"]),
    # Of a wrong number of rows as well, scikit-learn counts the rows first.
    "a row": (np.ones((1, 6)), NOT_A_VECTOR.format((1, 6)), []),
    "a number": (np.array(2.0), NOT_A_VECTOR.format(()), []),
    "text": (put(list("111111"), 2, "x"), "", ["sample_weight[2]", "'x'"]),
}


@pytest.mark.check("invalid weights")
@pytest.mark.parametrize("kind", [*REFUSED_ALIKE, *REFUSED])
def test_weights_that_are_refused(kind):
    weights, sentence, mentions = (REFUSED_ALIKE | REFUSED)[kind]
    judge = refuse_alike if kind in REFUSED_ALIKE else refuse
    for name in TAKES_WEIGHTS:
        options = {"sample_weight": weights}
        judge(name, (LABELS, SCORES), options, ValueError, sentence, ["sample_weight", *mentions])


def test_a_weight_of_minus_zero_is_a_weight_of_zero():
    weights = put(WEIGHTS, 3, -0.0)
    without = [np.delete(values, 3) for values in (LABELS, SCORES, weights)]
    area = fastauc.roc_auc_score(LABELS, SCORES, sample_weight=weights)
    assert area == fastauc.roc_auc_score(*without[:2], sample_weight=without[2])


# Shapes -------------------------------------------------------------------------------------------

NO_ROWS = "Found array with 0 sample(s) (shape={})"
EMPTY = [[], (), np.empty(0), np.empty(0, "i8"), np.empty((0, 1))]

# Labels, scores, the first sentence and what else is mentioned; scikit-learn's sentence or not.
SHAPES = {
    **{
        f"{n} scores": (LABELS, np.resize(SCORES, n), INCONSISTENT.format(n), ["y_true"], True)
        for n in (1, 5, 7)
    },
    # Of no scores at all, scikit-learn's roc_auc_score says only that they are none.
    "no scores": (LABELS, [], INCONSISTENT.format(0), ["y_true", "y_score"], False),
    # scikit-learn's roc_auc_score warns and returns NaN before it compares the lengths.
    "of one class": ([1] * 6, SCORES[:5], INCONSISTENT.format(5), ["y_true"], False),
    # scikit-learn has a sentence for roc_auc_score only; the others stumble.
    **{
        f"no rows, {number}": (empty, empty, NO_ROWS.format(np.shape(empty)), ["y_true"], False)
        for number, empty in enumerate(EMPTY)
    },
    "two columns": (LABELS, np.ones((6, 2)), NOT_A_VECTOR.format((6, 2)), ["y_score"], True),
    "a row": (LABELS, np.ones((1, 2)), INCONSISTENT.format(1), ["y_score"], True),
    # Of no row, scikit-learn's roc_auc_score says only that there are none.
    "no row": (LABELS, np.ones((0, 2)), INCONSISTENT.format(0), ["y_score"], False),
}


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_that_are_refused(kind):
    labels, scores, sentence, mentions, is_theirs = SHAPES[kind]
    for name in FUNCTIONS:
        alike = is_theirs or (kind.startswith("no rows") and name == "roc_auc_score")
        judge = refuse_alike if alike else refuse
        judge(name, (labels, scores), {}, ValueError, sentence, mentions)


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("argument", ["y_true", "y_score"])
def test_other_numbers_of_dimensions_are_refused(argument):
    # scikit-learn refuses them as well, with different sentences.
    shapes = [np.ones(()), np.ones((6, 1, 1)), np.ones((1, 1, 6))]
    for value in [*shapes, [[1], [1, 0], [0], [1], [1], [1]]]:
        for name in FUNCTIONS:
            arguments = {"y_true": LABELS, "y_score": SCORES} | {argument: value}
            refuse(name, (), arguments, (ValueError, TypeError), "", [argument])


@pytest.mark.check("malformed arguments")
def test_no_rows_of_several_columns_are_refused():
    for name in ["average_precision_score", "roc_auc_score"]:
        matrix = np.empty((0, 3))
        refuse_alike(name, (matrix, matrix), {}, ValueError, NO_ROWS.format((0, 3)), ["y_true"])


# Things that are no arrays ------------------------------------------------------------------------

NO_ARRAYS = [
    *(None, 1, 0.5, "abcdef", object(), float),
    (value for value in SCORES),
    map(float, SCORES),
]
# scikit-learn takes these for scalars or for sequences of bytes.
NO_SEQUENCES = [dict(enumerate(SCORES)), set(SCORES), b"abcdef", bytearray(b"abcdef")]


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("argument", ["y_true", "y_score", "sample_weight"])
def test_what_is_no_array_is_refused(argument):
    names, number = FUNCTIONS, 0
    if argument == "sample_weight":
        names, number = TAKES_WEIGHTS, 1  # None is no weights
    for value in [*NO_ARRAYS[number:], *NO_SEQUENCES]:
        judge = refuse if value in NO_SEQUENCES else refuse_alike
        for name in names:
            arguments = {"y_true": LABELS, "y_score": SCORES} | {argument: value}
            sentence = f"The {argument!r} parameter of {name} must be an array-like"
            judge(name, (), arguments, fastauc.InvalidParameterError, sentence, [repr(value)])


# Scores of any range ------------------------------------------------------------------------------


@pytest.mark.check("ranges and batches")
def test_large_scores_are_not_squashed():
    # The 15 published logits of torchmetrics issue 2819: a sigmoid makes all of them 1.
    scores = [98.0950, 98.4612, 98.1145, 98.1506, 97.6037, 98.9425, 99.2644, 99.5014]
    scores += [99.7280, 99.6595, 99.6931, 99.4667, 99.9623, 99.8949, 99.8768]
    for dtype in ("f4", "f8"):
        assert fastauc.roc_auc_score([0] + [1] * 14, np.array(scores, dtype=dtype)) == 13 / 14
