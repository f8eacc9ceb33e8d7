"""Options outside their domain, wrong arguments, and the points of ``auc``."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics

import fastauc
from support.contract import (
    DRAWS_CURVE,
    DROP_IN,
    FUNCTIONS,
    LABELS,
    SCORES,
    answer_alike,
    assert_same_numbers,
    call_ours,
    call_theirs,
    refuse,
    refuse_alike,
    typed,
)
from support.public import PUBLIC

NAN, INF = float("nan"), float("inf")


def test_every_function_of_both_packages_is_compared():
    shared = {name for name in PUBLIC if hasattr(sklearn.metrics, name)}
    assert shared == {*DROP_IN, "auc"}


# Options ------------------------------------------------------------------------------------------

BAD_OPTIONS = [
    *(("max_fpr", value) for value in (0, -0.1, 1.5, False, NAN, INF, "0.5", np.array(0.5), [0.5])),
    ("max_fpr", Decimal("0.5")),
    *(("labels", value) for value in (3, "ab")),
    ("sample_weight", 2.0),
]


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize(("option", "value"), BAD_OPTIONS, ids=repr)
def test_options_of_roc_auc_score(option, value):
    sentence = f"The {option!r} parameter of roc_auc_score must be "
    args = "roc_auc_score", (LABELS, SCORES), {option: value}
    refuse_alike(*args, fastauc.InvalidParameterError, sentence, [repr(value)])


@pytest.mark.parametrize("max_fpr", [1, 1.0, True, 0.5, np.float64(0.25), 1e-300], ids=repr)
def test_max_fpr_is_any_number_up_to_one(max_fpr):
    answer_alike("roc_auc_score", (LABELS, SCORES), {"max_fpr": max_fpr})


@pytest.mark.parametrize("half", [np.float32(0.5), np.float16(0.5), Fraction(1, 2)], ids=typed)
def test_the_type_of_max_fpr_does_not_matter(half):
    # scikit-learn computes in the type of max_fpr, and fails for a Fraction.
    area = fastauc.roc_auc_score(LABELS, SCORES, max_fpr=half)
    assert type(area) is float
    assert area == fastauc.roc_auc_score(LABELS, SCORES, max_fpr=0.5)


NAMED_OPTIONS = [(name, "average") for name in ("roc_auc_score", "average_precision_score")]
NAMED_OPTIONS += [("roc_auc_score", "multi_class")]


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize(("name", "option"), NAMED_OPTIONS)
@pytest.mark.parametrize("value", ["x", 1, ["macro"], b"macro", True], ids=repr)
def test_options_with_names(name, option, value):
    ours = call_ours(name, LABELS, SCORES, **{option: value}).error
    theirs = call_theirs(name, LABELS, SCORES, **{option: value}).error
    assert isinstance(ours, fastauc.InvalidParameterError)
    # The order of the names differs from call to call in scikit-learn.
    words, their_words = (re.split("[{}, ]+", str(error)) for error in (ours, theirs))
    assert sorted(words) == sorted(their_words)


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("name", DRAWS_CURVE)
def test_drop_intermediate_is_a_bool(name):
    sentence = f"The 'drop_intermediate' parameter of {name} must be an instance of 'bool'"
    for value in (1, 0, None, "True"):
        args = name, (LABELS, SCORES), {"drop_intermediate": value}
        refuse_alike(*args, fastauc.InvalidParameterError, sentence, [f"Got {value!r}"])
    for flag in (True, False):
        numpy_flag = PUBLIC[name](LABELS, SCORES, drop_intermediate=np.bool_(flag))
        assert_same_numbers(numpy_flag, PUBLIC[name](LABELS, SCORES, drop_intermediate=flag))


@pytest.mark.check("malformed arguments")
def test_wrong_arguments_are_a_type_error():
    # Python's own sentences here; scikit-learn binds the arguments itself and words them alike.
    unknown = ["got an unexpected keyword argument 'foo'"]
    for name in FUNCTIONS:
        refuse(name, (LABELS,), {}, TypeError, "", ["missing", "argument", "'y_score'"])
        refuse(name, (LABELS, SCORES), {"foo": 1}, TypeError, "", unknown)
        if name != "det_curve":
            refuse(name, (LABELS, SCORES, 1), {}, TypeError, "", ["positional arguments"])


def test_det_curve_takes_its_options_by_position():
    answer_alike("det_curve", (LABELS, SCORES, 0, [1, 2, 0.5, 1, 3, 1], True), {})


# Methods of the counts ----------------------------------------------------------------------------


@pytest.fixture
def counts():
    return fastauc.confusion_matrix_at_thresholds(LABELS, SCORES)


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("threshold", [NAN, "0.5", None, 1j, [0.5], Decimal("nan")], ids=repr)
def test_a_threshold_is_a_number(counts, threshold):
    with pytest.raises(ValueError, match=r"^threshold is .*expected a number") as caught:
        counts.at(threshold)
    assert repr(threshold) in str(caught.value)


@pytest.mark.parametrize(
    "threshold", [0.35, np.float64(0.35), np.float32(0.36), Fraction(36, 100)], ids=typed
)
def test_a_threshold_is_any_number(counts, threshold):
    found = sum(score >= threshold for score in SCORES)
    matrix = counts.at(threshold)
    assert matrix.tp + matrix.fp == found
    assert [type(count) for count in matrix] == [int] * 4
    assert counts.at(-INF)[::3] == (0, 3)
    assert counts.at(INF)[::3] == (3, 0)


# The area under given points ----------------------------------------------------------------------

TOO_FEW = "At least 2 points are needed to compute area under curve, but x.shape = "
NOT_ALIKE = "Found input variables with inconsistent numbers of samples: [2, 1]"
# Points, scikit-learn's sentence, and what we add.
BAD_POINTS = {
    "one point": ([1], [1], TOO_FEW + "1", []),
    "no point": ([], [], TOO_FEW + "0", []),
    "to and fro": ([2, 1, 3, 4], [1, 2, 3, 4], "x is neither increasing nor", ["x[2]", "3.0"]),
    "lengths": ([1, 2], [1], NOT_ALIKE, []),
    "matrix": ([1, 2], [[1, 2], [3, 4]], "y should be a 1d array, got an array of shape", ["y"]),
    "complex": ([1j, 2], [1, 2], "Complex data not supported\n", ["x"]),
    "None": (None, [1, 2], "The 'x' parameter of auc must be an array-like. Got None instead.", []),
    "scalar": ([1, 2], 2, "The 'y' parameter of auc must be an array-like. Got 2 instead.", []),
}


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("kind", BAD_POINTS)
def test_points_of_auc(kind):
    x, y, sentence, mentions = BAD_POINTS[kind]
    refuse_alike("auc", (x, y), {}, ValueError, sentence, mentions)


def test_text_among_the_points_of_auc_is_named():
    refuse("auc", (["a", "b"], [1, 2]), {}, ValueError, "", ["x[0]", "'a'"])


# Counts made by hand ------------------------------------------------------------------------------

METHODS = ["average_precision", "det_curve", "gini", "ks", "precision_recall_curve", "roc_auc"]
METHODS += ["roc_curve", "tie_share"]


@pytest.mark.parametrize("method", METHODS)
def test_counts_made_by_hand(method):
    counts = fastauc.confusion_matrix_at_thresholds(LABELS, SCORES)
    # The kernels trust lengths: they would read beyond the end of the shorter array.
    for short in ("fps", "tps", "thresholds"):
        shorter = counts._replace(**{short: getattr(counts, short)[:2]})
        with pytest.raises(ValueError, match=rf"{short} has 2\b.*; expected equal"):
            getattr(shorter, method)()
    with pytest.raises(ValueError, match="at least one"):
        getattr(fastauc.ConfusionCounts([], [], [], [], []), method)()
    # They may be any integers.
    for convert in (list, lambda a: a.astype("i4") if a.dtype.kind == "i" else a):
        made = fastauc.ConfusionCounts(*map(convert, counts))
        np.testing.assert_equal(getattr(made, method)(), getattr(counts, method)())


def test_a_weight_of_no_dimension_is_refused_for_every_kind_of_labels():
    for labels, scores in ((LABELS, SCORES), ([[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.4]])):
        with pytest.raises(ValueError, match="sample_weight must be one-dimensional"):
            fastauc.roc_auc_score(labels, scores, sample_weight=np.array(2.0))
