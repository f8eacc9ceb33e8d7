"""What may stand in ``y_true``, and which label is the positive one."""

import datetime
import itertools
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import fastauc
from support.contract import (
    DROP_IN,
    FLOATS,
    FUNCTIONS,
    LABELS,
    RELATIVES,
    SCORES,
    TAKES_POS_LABEL,
    answer_alike,
    put,
    refuse,
    refuse_alike,
    typed,
)

pytestmark = pytest.mark.check("label encodings")

NAN, INF = float("nan"), float("inf")
INTEGERS, UNSIGNED = ("i1", "i2", "i4", "i8"), ("u1", "u2", "u4", "u8")


# Two labels ---------------------------------------------------------------------------------------


def listed(low, high):
    """Return LABELS in other words."""
    return [high if label else low for label in LABELS]


def spread(low, high, dtype=None):
    return np.array(listed(low, high), dtype)


def odd(value, dtype):
    """Return LABELS with another value in a list, or in an array of this dtype."""
    return put(LABELS, 3, value) if dtype is None else np.array(put(LABELS, 3, value), dtype)


def words_and(value):
    return np.array(put(listed("a", "b"), 3, value), dtype=object)


# The lesser label comes first: the greater one is the positive class where no pos_label is taken.
ENCODINGS = {
    "0, 1": listed(0, 1),
    "-1, 1": listed(-1, 1),
    "1, 2": listed(1, 2),
    "0, 5": listed(0, 5),
    "0.0, 1.0": listed(0.0, 1.0),
    "bool in a list": listed(False, True),
    "bool and int": [0, True, False, 1, True, 0],
    "float and int": [0, 1.0, 0.0, 1, 1, 0],
    "floats above 2^53 in a list": listed(0.0, 1e16),
    "NumPy scalars": listed(np.int8(0), np.int8(1)),
    "column": spread(0, 1)[:, None],
    "str": listed("a", "b"),
    "str of digits": listed("0", "1"),
    "object str": spread("a", "b", dtype=object),
    "bool": spread(False, True),
    **{code: spread(0, 1, dtype=code) for code in (*INTEGERS, *UNSIGNED, "f2", "f4", "f8", "g")},
    **{code: spread(1, 2, dtype=code) for code in (">i2", ">i4", ">u8", ">f4", ">f8")},
    "lowest and highest int8": spread(-128, 127, dtype="i1"),
    "lowest and highest int64": spread(-(2**63), 2**63 - 1, dtype="i8"),
    "neighbors above 2^53": spread(2**53, 2**53 + 1, dtype="i8"),
    "neighbors below 2^64": spread(2**64 - 2, 2**64 - 1, dtype="u8"),
    "neighbors above 2^53 in long double": spread(2**60, 2**60 + 1, dtype="g"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_two_labels(encoding):
    labels = ENCODINGS[encoding]
    # The greater label is that of the positives in the drop-in alone.
    assert fastauc.roc_auc_score(labels, SCORES) == fastauc.roc_auc_score(LABELS, SCORES)
    for name in ("roc_auc_score", "roc_curve", "average_precision_score"):
        answer_alike(name, (labels, SCORES), {})
    low, high = np.unique(labels).tolist()
    for pos_label in (low, high):
        for name in ("det_curve", "average_precision_score"):
            answer_alike(name, (labels, SCORES), {"pos_label": pos_label})
    for function in (fastauc.concordance, fastauc.gini_score, fastauc.ks_score):
        assert function(labels, SCORES, pos_label=high) == function(LABELS, SCORES)


POS_LABELS = [True, False, 1.0, np.int8(1), np.float32(0), np.bool_(True)]


@pytest.mark.parametrize("pos_label", POS_LABELS, ids=typed)
def test_pos_label_is_compared_as_a_number(pos_label):
    for name in [n for n in TAKES_POS_LABEL if n != "ks_score"]:
        answer_alike(name, (LABELS, SCORES), {"pos_label": pos_label})


@pytest.mark.parametrize("pos_label", [2, -1, 0.5, "1", NAN, INF], ids=typed)
def test_a_pos_label_that_is_not_there_is_refused(pos_label):
    """scikit-learn's curves would be NaN: a label that was misspelt would pass for a class."""
    sentence = f"pos_label={pos_label!r} is not a valid label. It should be one of [0 1]"
    for name in TAKES_POS_LABEL:
        options = {"pos_label": pos_label}
        refuse(name, (LABELS, SCORES), options, ValueError, sentence, ["pos_label"])


@pytest.mark.parametrize(
    "labels", [listed("a", "b"), listed(1, 2), listed(0, 5), listed(-1, 0)], ids=repr
)
def test_pos_label_is_needed_unless_the_labels_imply_it(labels):
    for name in TAKES_POS_LABEL:
        sentence = "y_true takes value in {"
        if name == "average_precision_score":
            if 1 in labels:
                assert fastauc.average_precision_score(labels, SCORES) == pytest.approx(
                    fastauc.average_precision_score(labels, SCORES, pos_label=1)
                )
                continue
            sentence = "pos_label=1 is not a valid label. It should be one of"
        shown = [repr(label) for label in set(labels)]
        refuse_alike(name, (labels, SCORES), {}, ValueError, sentence, ["pos_label", *shown])


# Several labels where two are meant ---------------------------------------------------------------

THREE = [0, 1, 1, 0, 2, 2]
CURVES_OF_ONE_LABEL = [
    n for n in TAKES_POS_LABEL if n not in ("average_precision_score", "det_curve", "ks_score")
]


@pytest.mark.parametrize("labels", [THREE, list("abbacc"), np.array(THREE, "f4")], ids=repr)
def test_a_third_label_is_refused(labels):
    for name in [n for n in FUNCTIONS if not n.endswith(("cision_score", "auc_score"))]:
        # Relatives of roc_auc_score have no multi_class, and so say what the curves say.
        judge = refuse if name in ("concordance", "gini_score") else refuse_alike
        mentions = ["y_true[4]", repr(np.asarray(labels)[4].item())]
        judge(
            name, (labels, SCORES), {}, ValueError, "multiclass format is not supported", mentions
        )


@pytest.mark.parametrize("labels", [THREE, list("abbacc"), np.array(THREE, ">i2")], ids=repr)
def test_one_of_three_labels_may_be_the_positive_one(labels):
    for name in CURVES_OF_ONE_LABEL:
        for label in np.unique(labels).tolist():
            answer_alike(name, (labels, SCORES), {"pos_label": label})
        for label in ("z", 7):
            sentence = f"pos_label={label!r} is not a valid label. It should be one of"
            options = {"pos_label": label}
            refuse(name, (labels, SCORES), options, ValueError, sentence, ["pos_label"])


def test_det_curve_is_of_two_labels_only():
    sentence = "Only one class is present in y_true. Detection error tradeoff curve is not defined"
    refuse_alike("det_curve", (THREE, SCORES), {"pos_label": 1}, ValueError, sentence, ["y_true"])


# What is no label ---------------------------------------------------------------------------------


UNKNOWN, CONTINUOUS = "unknown format is not supported", "continuous format is not supported"
IS_NAN, IS_INFINITE = "Input y_true contains NaN.", "Input y_true contains infinity or a value too"

# As scikit-learn refuses them: labels, its sentence, and what we add.
REFUSED_ALIKE = {
    **{f"nan, {kind}": (odd(NAN, dtype=kind), IS_NAN, ["y_true[3]"]) for kind in FLOATS},
    **{
        f"{value}, {kind}": (odd(value, dtype=kind), IS_INFINITE, [f"y_true[3] is {value}"])
        for value, kind in itertools.product((INF, -INF), (None, *FLOATS))
        # scikit-learn takes -inf in half precision for a third label.
        if (value, kind) != (-INF, "float16")
    },
    **{
        f"fraction {value}": (put(LABELS, 3, value), CONTINUOUS, ["y_true[3]", str(value)])
        for value in (0.5, -0.5, 1e-300, 1.0000001)
    },
    "complex": (np.array(LABELS, dtype=complex), "Complex data not supported\n", ["y_true"]),
}
# In scikit-learn most of these fail in a comparison; dates it takes for numbers.
REFUSED = {
    "-inf, float16": (odd(-INF, dtype="f2"), IS_INFINITE, ["y_true[3] is -inf"]),
    "None beside text": (words_and(None), IS_NAN, ["y_true[3] is None"]),
    "nan beside text": (words_and(NAN), IS_NAN, ["y_true[3] is nan"]),
    **{
        f"{value!r} beside text": (words_and(value), "", [f"y_true[3] is {value!r}"])
        for value in (1, True, datetime.date(2024, 1, 1))
    },
    # NumPy makes the label "nan" of it, and scikit-learn counts that as a class.
    "nan beside text in a list": (["a", "b", "a", NAN, "b", "a"], IS_NAN, ["y_true[3]"]),
    "nan beside one word in a list": (["a"] * 3 + [NAN] * 3, IS_NAN, ["y_true[3]"]),
    "datetime64": (spread(0, 1).astype("M8[D]"), "", ["y_true"]),
    "timedelta64": (spread(0, 1).astype("m8[s]"), "", ["y_true"]),
    "structured": (np.zeros(6, dtype=[("label", int)]), "", ["y_true"]),
    "objects": (np.array([object(), object()] * 3), "", ["y_true"]),
    "dates": (spread(*map(datetime.date.fromordinal, (1, 2)), dtype=object), "", ["y_true"]),
    "None": (np.array([None] * 6), "", ["y_true"]),
}


@pytest.mark.parametrize("kind", [*REFUSED_ALIKE, *REFUSED])
def test_what_is_no_label_is_refused(kind):
    labels, sentence, mentions = (REFUSED_ALIKE | REFUSED)[kind]
    judge = refuse_alike if kind in REFUSED_ALIKE else refuse
    for name in FUNCTIONS:
        judge(name, (labels, SCORES), {}, (ValueError, TypeError), sentence, mentions)


# Numbers in an array of objects, as ``dropna`` of pandas leaves them ------------------------------

AS_OBJECTS = {
    "bool": (False, True),
    "int": (0, 1),
    "-1 and 1": (-1, 1),
    "NumPy integers": (np.int8(0), np.uint64(1)),
    "NumPy booleans": (np.bool_(False), np.bool_(True)),
    "floats": (0.0, np.float32(1)),
    "decimals": (Decimal("0.00"), Decimal("1.0")),
    "fractions": (Fraction(0), Fraction(1)),
    "bool and int": (False, 1),
    "beyond 64 bits": (0, 2**70),
    "text": ("a", "b"),
}


@pytest.mark.parametrize("kind", AS_OBJECTS)
def test_numbers_of_object_dtype_are_labels_in_our_own_functions(kind):
    low, high = AS_OBJECTS[kind]
    labels, options = spread(low, high, dtype=object), {}
    if kind in ("text", "beyond 64 bits"):
        options = {"pos_label": high}
    for given in (labels, labels[:, None], labels.tolist()):
        for function in (fastauc.concordance, fastauc.gini_score, fastauc.ks_score):
            assert function(given, SCORES, **options) == function(LABELS, SCORES)
        found = fastauc.inference.roc_auc_ci(given, SCORES, **options)
        assert found == fastauc.inference.roc_auc_ci(LABELS, SCORES)
        areas = fastauc.groups.roc_auc_by_group(given, SCORES, [1] * 6, **options)
        assert areas.auc.tolist() == [fastauc.roc_auc_score(LABELS, SCORES)]
        columns = fastauc.groups.roc_auc_by_column(given, np.array(SCORES)[:, None], **options)
        assert columns.auc.tolist() == areas.auc.tolist()
        made = fastauc.streaming.ScoreHistogram().update(given, SCORES, **options)
        assert made == fastauc.streaming.ScoreHistogram().update(LABELS, SCORES)
    if kind != "text":
        for name in DROP_IN:
            refuse_alike(name, (labels, SCORES), {}, ValueError, UNKNOWN, ["y_true[0]"])


def test_labels_after_missing_rows_have_been_dropped():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"y": [True, None, False, True, False], "s": [3.0, 1.0, 2.0, 1.0, 0.0]})
    table = table.dropna()
    assert table.y.dtype == object
    assert fastauc.gini_score(table.y, table.s) == 0.5


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        *((value, IS_NAN) for value in (None, NAN, Decimal("NaN"), np.float32("nan"))),
        (INF, IS_INFINITE),
        (Decimal("Infinity"), IS_INFINITE),
        *((value, CONTINUOUS) for value in (0.5, Decimal("0.5"), Fraction(1, 2))),
        (Decimal("1E+20000000"), "y_true[3] is a decimal near 1E+20000000; expected at most 2000"),
        (Decimal("1E-20000000"), "y_true[3] is a decimal near 1E-20000000; expected at most 2000"),
        (2, "multiclass format is not supported"),
        ("b", UNKNOWN),
        (Ellipsis, UNKNOWN),
    ],
    ids=lambda part: f"{type(part).__name__} {part!r}",
)
def test_what_is_no_label_among_numbers_of_object_dtype(value, sentence):
    labels = spread(0, 1, dtype=object)
    labels[3] = value
    mentions = [] if sentence == UNKNOWN else ["y_true[3]"]
    for name in RELATIVES:
        refuse(name, (labels, SCORES), {}, ValueError, sentence, mentions)
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        fastauc.groups.roc_auc_by_column(labels, np.array(SCORES)[:, None])


@pytest.mark.parametrize("dtype", ["S1", object])
def test_labels_must_not_be_bytes(dtype):
    labels = spread(b"a", b"b", dtype=dtype)
    sentence = (
        "Support for labels represented as bytes is not supported. "
        "Convert the labels to a string or integer format."
    )
    for name in FUNCTIONS:
        refuse_alike(name, (labels, SCORES), {}, TypeError, sentence, ["y_true[0]", "b'a'"])


# Matrices of labels -------------------------------------------------------------------------------

MATRIX_SCORES = np.array([[0.1, 0.6], [0.3, 0.2], [0.5, 0.4]])
MATRICES = {
    "0, 1": np.array([[0, 1], [1, 0], [1, 1]]),
    "bool": np.array([[0, 1], [1, 0], [1, 1]], dtype=bool),
    "-1, 1": np.array([[-1, 1], [1, -1], [1, 1]]),
    "big-endian": np.array([[0, 1], [1, 0], [1, 1]], dtype=">i4"),
    "list": [[0, 1], [1, 0], [1, 1]],
    "0, 2": np.array([[0, 2], [2, 0], [2, 2]]),
    "1, 2": np.array([[1, 2], [2, 1], [2, 2]]),
    "only 1": np.ones((3, 2), int),
    "only 0": np.zeros((3, 2), int),
    "three labels": np.array([[0, 1], [2, 0], [1, 1]]),
    "fraction": np.array([[0, 0.5], [1, 0], [1, 1]]),
    "nan": np.array([[0, NAN], [1, 0], [1, 1]]),
    "inf": np.array([[0, INF], [1, 0], [1, 1]]),
}


@pytest.mark.parametrize("kind", MATRICES)
def test_matrix_of_labels(kind):
    for name in FUNCTIONS:
        args = MATRICES[kind], MATRIX_SCORES
        if name in ("average_precision_score", "roc_auc_score"):
            answer_alike(name, args, {})
            continue
        # The others are of one column. The relatives of roc_auc_score have no average to take.
        judge = refuse if name in ("concordance", "gini_score") else refuse_alike
        judge(name, args, {}, ValueError, "", ["y_true"])


def test_an_element_of_a_matrix_of_labels_is_named():
    args = MATRICES["nan"], MATRIX_SCORES
    refuse_alike("roc_auc_score", args, {}, ValueError, IS_NAN, ["y_true[0, 1]"])
    for dtype in ("U1", "S1", "O"):
        args = np.array([["a", "b"], ["b", "a"], ["b", "b"]]).astype(dtype), MATRIX_SCORES
        refuse("roc_auc_score", args, {}, ValueError, UNKNOWN, ["y_true[0, 0]"])


@pytest.mark.parametrize("name", ["average_precision_score", "roc_auc_score"])
def test_rows_and_columns_must_be_as_many_in_labels_and_scores(name):
    # scikit-learn leaves additional columns out, or stumbles over a missing one.
    for shape in ((3, 1), (3, 3)):
        args = MATRICES["0, 1"], np.ones(shape)
        refuse(name, args, {}, ValueError, "", ["y_score", str(shape)])
    sentence = "Found input variables with inconsistent numbers of samples: [3, 2]"
    args = MATRICES["0, 1"], MATRIX_SCORES[:2]
    refuse_alike(name, args, {}, ValueError, sentence, ["y_true", "y_score"])
