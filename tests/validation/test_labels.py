"""What may stand in ``y_true``, and which label is the positive one (R-22)."""

import datetime
from decimal import Decimal

import numpy as np
import pytest

import fastauc
from support.contract import (
    DROP_IN,
    FUNCTIONS,
    LABELS,
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
FLOATS = list(dict.fromkeys(np.dtype(code).name for code in ("f2", "f4", "f8", "g")))

INTEGERS, UNSIGNED = ("i1", "i2", "i4", "i8"), ("u1", "u2", "u4", "u8")


# Two labels ---------------------------------------------------------------------------------------


def spread(low, high, **options):
    """Return LABELS in other words."""
    return np.array([high if label else low for label in LABELS], **options)


def listed(low, high):
    return [high if label else low for label in LABELS]


# The lesser label comes first: the greater one is the positive class where no pos_label is taken.
ENCODINGS = {
    "0, 1": listed(0, 1),
    "-1, 1": listed(-1, 1),
    "1, 2": listed(1, 2),
    "0, 5": listed(0, 5),
    "-7, -3": listed(-7, -3),
    "0.0, 1.0": listed(0.0, 1.0),
    "1.0, 2.0": listed(1.0, 2.0),
    "bool in a list": listed(False, True),
    "bool and int": [0, True, False, 1, True, 0],
    "float and int": [0, 1.0, 0.0, 1, 1, 0],
    "floats above 2^53 in a list": listed(0.0, 1e16),
    "NumPy scalars": listed(np.int8(0), np.int8(1)),
    "column": spread(0, 1)[:, None],
    "str": listed("a", "b"),
    "str of digits": listed("0", "1"),
    "str, one of them empty": listed("", "a"),
    "str beyond ASCII": listed("é", "日本"),
    "str, one the beginning of the other": listed("ham", "hamster"),
    "object str": spread("a", "b", dtype=object),
    "bool": spread(False, True),
    **{code: spread(0, 1, dtype=code) for code in (*INTEGERS, *UNSIGNED, "f2", "f4", "f8", "g")},
    **{code: spread(1, 2, dtype=code) for code in (">i2", ">i4", ">u8", ">f4", ">f8")},
    "lowest and highest int8": spread(-128, 127, dtype="i1"),
    "lowest and highest int64": spread(-(2**63), 2**63 - 1, dtype="i8"),
    "neighbors above 2^53": spread(2**53, 2**53 + 1, dtype="i8"),
    "neighbors below 2^64": spread(2**64 - 2, 2**64 - 1, dtype="u8"),
    "neighbors below 2^32": spread(2**32 - 2, 2**32 - 1, dtype="u4"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_r22_two_labels(encoding):
    for name in DROP_IN:
        answer_alike(name, (ENCODINGS[encoding], SCORES), {})


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_r22_the_greater_label_is_that_of_the_positives_in_the_drop_in_alone(encoding):
    labels = ENCODINGS[encoding]
    assert fastauc.roc_auc_score(labels, SCORES) == fastauc.roc_auc_score(LABELS, SCORES)
    high = np.unique(labels).tolist()[-1]
    for function in (fastauc.concordance, fastauc.gini_score, fastauc.ks_score):
        assert function(labels, SCORES, pos_label=high) == function(LABELS, SCORES)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_either_label_may_be_the_positive_one(encoding):
    for name in [n for n in TAKES_POS_LABEL if n != "ks_score"]:
        labels = ENCODINGS[encoding]
        for label in np.unique(labels).tolist():
            answer_alike(name, (labels, SCORES), {"pos_label": label})


def test_labels_in_long_double_are_not_rounded():
    answer_alike("roc_auc_score", (spread(2**60, 2**60 + 1, dtype="g"), SCORES), {})


def test_zeros_of_both_signs_are_one_label():
    answer_alike("roc_auc_score", ([-0.0, 1.0, 0.0, 1.0, 1.0, -0.0], SCORES), {})
    answer_alike("roc_auc_score", ([-0.0, 0.0, 0.0, -0.0, 0.0, -0.0], SCORES), {})


@pytest.mark.parametrize(
    "pos_label",
    [True, False, 1.0, np.int8(1), np.float32(0), np.bool_(True)],
    ids=typed,
)
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


def test_ks_score_of_one_of_three_labels():
    for label in (0, 1, 2):
        ks = fastauc.ks_score(THREE, SCORES, pos_label=label)
        assert ks == fastauc.ks_score([int(value == label) for value in THREE], SCORES)


def test_det_curve_is_of_two_labels_only():
    sentence = "Only one class is present in y_true. Detection error tradeoff curve is not defined"
    refuse_alike("det_curve", (THREE, SCORES), {"pos_label": 1}, ValueError, sentence, ["y_true"])


# What is no label ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_labels_must_not_be_nan(dtype):
    for name in FUNCTIONS:
        labels = np.array(put(LABELS, 3, NAN), dtype=dtype)
        sentence = "Input y_true contains NaN."
        refuse_alike(name, (labels, SCORES), {}, ValueError, sentence, ["y_true[3]"])


@pytest.mark.parametrize("dtype", ["list", *FLOATS])
@pytest.mark.parametrize("value", [INF, -INF], ids=str)
def test_labels_must_be_finite(dtype, value):
    for name in FUNCTIONS:
        labels = put(LABELS, 3, value)
        sentence = "Input y_true contains infinity or a value too large for dtype("
        if dtype != "list":
            labels = np.array(labels, dtype=dtype)
        # scikit-learn takes -inf in half precision for a third label.
        judge = refuse if (dtype, value) == ("float16", -INF) else refuse_alike
        judge(name, (labels, SCORES), {}, ValueError, sentence, [f"y_true[3] is {value}"])


@pytest.mark.parametrize("value", [0.5, -0.5, 1e-300, 1.0000001], ids=str)
def test_labels_must_be_whole_numbers(value):
    for name in FUNCTIONS:
        sentence = "continuous format is not supported"
        mentions = ["y_true[3]", str(value)]
        refuse_alike(name, (put(LABELS, 3, value), SCORES), {}, ValueError, sentence, mentions)


OBJECT_LABELS = {
    "int": spread(0, 1, dtype=object),
    "bool": spread(False, True, dtype=object),
    "float": spread(0.0, 1.0, dtype=object),
    "decimal": spread(Decimal(0), Decimal(1), dtype=object),
    "huge int": spread(0, 2**70, dtype=object),
}


@pytest.mark.parametrize("kind", OBJECT_LABELS)
def test_labels_must_not_be_numbers_in_an_object_array(kind):
    for name in FUNCTIONS:
        labels = OBJECT_LABELS[kind]
        sentence = "unknown format is not supported"
        mentions = ["y_true[0]", repr(labels[0])]
        refuse_alike(name, (labels, SCORES), {}, ValueError, sentence, mentions)


MIXED_LABELS = {
    "None": (None, "Input y_true contains NaN."),
    "nan": (NAN, "Input y_true contains NaN."),
    "int": (1, ""),
    "bool": (True, ""),
    "date": (datetime.date(2024, 1, 1), ""),
}


@pytest.mark.parametrize(("value", "sentence"), MIXED_LABELS.values(), ids=list(MIXED_LABELS))
def test_a_label_beside_strings_must_be_a_string(value, sentence):
    for name in FUNCTIONS:
        # In scikit-learn most of these fail in a comparison.
        labels = spread("a", "b", dtype=object)
        labels[3] = value
        mentions = [f"y_true[3] is {value!r}"]
        refuse(name, (labels, SCORES), {}, (ValueError, TypeError), sentence, mentions)


@pytest.mark.parametrize(
    "labels", [["a", "b", "a", NAN, "b", "a"], ["a"] * 3 + [NAN] * 3], ids=repr
)
def test_nan_beside_strings_in_a_list_is_no_label(labels):
    for name in FUNCTIONS:
        # NumPy makes the label "nan" of it, and scikit-learn counts that as a class.
        sentence = "Input y_true contains NaN."
        refuse(name, (labels, SCORES), {}, ValueError, sentence, ["y_true[3]"])


@pytest.mark.parametrize("dtype", ["S1", object])
def test_labels_must_not_be_bytes(dtype):
    for name in FUNCTIONS:
        labels = spread(b"a", b"b", dtype=dtype)
        sentence = (
            "Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
        refuse_alike(name, (labels, SCORES), {}, TypeError, sentence, ["y_true[0]", "b'a'"])


OTHER_LABELS = {
    "datetime64": spread(0, 1).astype("M8[D]"),
    "timedelta64": spread(0, 1).astype("m8[s]"),
    "structured": np.zeros(6, dtype=[("label", int)]),
    "objects": np.array([object(), object()] * 3),
    "dates": spread(datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), dtype=object),
    "None": np.array([None] * 6),
}


@pytest.mark.parametrize("kind", OTHER_LABELS)
def test_labels_must_be_numbers_or_strings(kind):
    for name in FUNCTIONS:
        # scikit-learn takes dates for numbers.
        refuse(name, (OTHER_LABELS[kind], SCORES), {}, (ValueError, TypeError), "", ["y_true"])


def test_labels_must_not_be_complex():
    for name in FUNCTIONS:
        labels, sentence = np.array(LABELS, dtype=complex), "Complex data not supported\n"
        refuse_alike(name, (labels, SCORES), {}, ValueError, sentence, ["y_true"])


# Matrices of labels -------------------------------------------------------------------------------

MATRIX_SCORES = np.array([[0.1, 0.6], [0.3, 0.2], [0.5, 0.4]])
MATRICES = {
    "0, 1": np.array([[0, 1], [1, 0], [1, 1]]),
    "bool": np.array([[0, 1], [1, 0], [1, 1]], dtype=bool),
    "-1, 1": np.array([[-1, 1], [1, -1], [1, 1]]),
    "float": np.array([[0, 1], [1, 0], [1, 1.0]]),
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
    sentence = "Input y_true contains NaN."
    args = MATRICES["nan"], MATRIX_SCORES
    refuse_alike("roc_auc_score", args, {}, ValueError, sentence, ["y_true[0, 1]"])


@pytest.mark.parametrize("dtype", ["U1", "S1", "O"])
def test_matrices_of_text_are_no_labels(dtype):
    args = np.array([["a", "b"], ["b", "a"], ["b", "b"]]).astype(dtype), MATRIX_SCORES
    sentence = "unknown format is not supported"
    refuse("roc_auc_score", args, {}, ValueError, sentence, ["y_true[0, 0]"])


def test_columns_must_be_as_many_in_labels_and_scores():
    for name in ["average_precision_score", "roc_auc_score"]:
        # scikit-learn leaves the additional columns out, or stumbles over a missing one.
        for shape in ((3, 1), (3, 3)):
            refuse(
                name,
                (MATRICES["0, 1"], np.ones(shape)),
                {},
                ValueError,
                "",
                ["y_score", str(shape)],
            )


def test_rows_must_be_as_many_in_labels_and_scores():
    for name in ["average_precision_score", "roc_auc_score"]:
        sentence = "Found input variables with inconsistent numbers of samples: [3, 2]"
        args = MATRICES["0, 1"], MATRIX_SCORES[:2]
        refuse_alike(name, args, {}, ValueError, sentence, ["y_true", "y_score"])
