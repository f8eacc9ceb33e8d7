"""Where a metric is undefined, and that code written for scikit-learn catches what is said.

scikit-learn is loaded in this process; a process without it is started where one is needed.
"""

import copy
import pickle
import warnings

import numpy as np
import pytest
import sklearn.exceptions
import sklearn.utils._param_validation

import fastauc
from support.contract import CLOSE, DROP_IN, LABELS, SCORES, answer_alike, call_ours, call_theirs
from support.programs import run_program

THEIR_WARNING = sklearn.exceptions.UndefinedMetricWarning
THEIR_ERROR = sklearn.utils._param_validation.InvalidParameterError

ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."
NO_NEGATIVES = "No negative samples in y_true, false positive value should be meaningless"
NO_POSITIVES = "No positive samples in y_true, true positive value should be meaningless"


# One class only -----------------------------------------------------------------------------------


def one_class_labels(rng, n):
    """Return labels of one class as users have them."""
    label = [0, 1, -1, True, False, 1.0, np.int8(0)][rng.integers(7)]
    return [label] * n if rng.integers(2) else np.full(n, label)


def draw_scores(rng, n):
    return rng.integers(0, rng.choice([1, 4, 1000]) + 1, n) / 8


@pytest.mark.check("undefined metrics")
@pytest.mark.parametrize("name", DROP_IN)
def test_one_class(name):
    rng = np.random.default_rng(24)
    for _ in range(60):
        n = int(rng.integers(1, 20))
        labels, scores = one_class_labels(rng, n), draw_scores(rng, n)
        options = {"sample_weight": rng.integers(1, 9, n) / 4} if rng.integers(2) else {}
        answer_alike(name, (labels, scores), options)


@pytest.mark.check("undefined metrics")
def test_no_pairs_have_no_fraction():
    with pytest.raises(ZeroDivisionError):
        _ = fastauc.concordance([1, 1], [0.5, 0.25]).fraction


@pytest.mark.check("undefined metrics")
@pytest.mark.parametrize("name", DROP_IN)
def test_weights_that_remove_a_class(name):
    rng = np.random.default_rng(240)
    for _ in range(60):
        n = int(rng.integers(2, 20))
        labels = rng.permutation(np.arange(n) % 2)
        weights = np.where(labels == rng.integers(2), 0, rng.integers(1, 9, n) / 4)
        scores = draw_scores(rng, n)
        if name != "det_curve":
            answer_alike(name, (labels, scores), {"sample_weight": weights})
            continue
        # scikit-learn gives NaN too, with NumPy's RuntimeWarning of 0 / 0.
        ours = call_ours(name, labels, scores, sample_weight=weights)
        theirs = call_theirs(name, labels, scores, sample_weight=weights)
        for own, other in zip(ours.value, theirs.value, strict=True):
            np.testing.assert_allclose(own, other, rtol=0, atol=CLOSE)
        text = NO_POSITIVES if np.isnan(ours.value[1]).any() else NO_NEGATIVES
        assert ours.warnings[0][1] == text


METHODS = {
    "roc_auc": fastauc.ConfusionCounts.roc_auc,
    "roc_auc of a part": lambda counts: counts.roc_auc(max_fpr=0.5),
    "ks": fastauc.ConfusionCounts.ks,
    "tie_share": fastauc.ConfusionCounts.tie_share,
    "average_precision": fastauc.ConfusionCounts.average_precision,
    "roc_curve": lambda counts: counts.roc_curve()[1][-1],
    "det_curve": lambda counts: counts.det_curve()[1][-1],
}


@pytest.mark.check("undefined metrics")
def test_methods_of_the_counts_are_undefined_without_positives():
    counts = fastauc.confusion_matrix_at_thresholds([0, 0, 0], [0.1, 0.2, 0.3])
    for method in METHODS.values():
        with pytest.warns(fastauc.UndefinedMetricWarning, match=NO_POSITIVES) as caught:
            assert np.isnan(method(counts))
        assert [warning.filename for warning in caught] == [__file__]


# The classes of warnings and errors ---------------------------------------------------------------


@pytest.mark.parametrize(
    "category", [fastauc.UndefinedMetricWarning, THEIR_WARNING, UserWarning], ids=str
)
def test_the_warning_is_caught_and_filtered_by_either_name(category):
    with pytest.warns(category, match=ONE_CLASS):
        fastauc.roc_auc_score([1, 1], [0.1, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category)
        assert np.isnan(fastauc.roc_auc_score([1, 1], [0.1, 0.2]))
        warnings.simplefilter("error", category)
        with pytest.raises(category, match="Only one class"):
            fastauc.roc_auc_score([1, 1], [0.1, 0.2])


def test_the_warning_about_recall_is_a_plain_one():
    for function in (fastauc.average_precision_score, fastauc.precision_recall_curve):
        with pytest.warns(UserWarning, match="No positive class found") as caught:
            function([0, 0], [0.1, 0.2])
        assert [warning.category for warning in caught] == [UserWarning]


ERROR_TYPES = [fastauc.InvalidParameterError, THEIR_ERROR, ValueError, TypeError]


@pytest.mark.parametrize("kind", ERROR_TYPES, ids=str)
def test_the_error_is_caught_by_every_name(kind):
    with pytest.raises(kind, match="The 'max_fpr' parameter of roc_auc_score"):
        fastauc.roc_auc_score(LABELS, SCORES, max_fpr=2)
    with pytest.raises(kind, match="The 'x' parameter of auc"):
        fastauc.auc(None, [1, 2])


def test_the_error_and_the_warning_survive_pickling_and_copying():
    error = call_ours("roc_auc_score", LABELS, SCORES, max_fpr=2).error
    assert type(error).__name__ == "InvalidParameterError"
    assert type(error).__module__.startswith("fastauc")
    copies = [pickle.loads(pickle.dumps(error, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
    for again in [*copies, copy.copy(error), copy.deepcopy(error)]:
        assert isinstance(again, fastauc.InvalidParameterError)
        assert (str(again), again.args) == (str(error), error.args)
    with pytest.warns(fastauc.UndefinedMetricWarning) as caught:
        fastauc.roc_auc_score([1, 1], [0.1, 0.2])
    again = pickle.loads(pickle.dumps(caught[0].message))
    assert isinstance(again, fastauc.UndefinedMetricWarning)
    assert str(again) == ONE_CLASS


# The line that a warning points to ----------------------------------------------------------------

COLUMNS = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 1]])
CELLS = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
WARNING_CALLS = {
    "Concordance.auc": lambda: fastauc.Concordance(0, 0, 1, 0).auc,
    "column of a matrix": lambda: fastauc.roc_auc_score(COLUMNS, CELLS),
    "column of a matrix, on a thread": lambda: fastauc.roc_auc_score(COLUMNS, CELLS, n_jobs=2),
    "all cells of a matrix": lambda: fastauc.roc_auc_score(0 * COLUMNS, CELLS, average="micro"),
    "average precision of a column": lambda: fastauc.average_precision_score(0 * COLUMNS, CELLS),
    "one against the rest": lambda: fastauc.roc_auc_score(
        [0, 1, 0], np.eye(3), multi_class="ovr", labels=[0, 1, 2]
    ),
    "one against one": lambda: fastauc.roc_auc_score(
        [0, 0, 0], np.eye(3), multi_class="ovo", labels=[0, 1, 2]
    ),
}


@pytest.mark.parametrize("make_call", WARNING_CALLS.values(), ids=list(WARNING_CALLS))
def test_a_warning_points_to_the_caller(make_call):
    with pytest.warns(UserWarning, match="in y_true") as caught:
        make_call()
    assert {warning.filename for warning in caught} == {__file__}
    first = make_call.__code__.co_firstlineno
    assert all(first <= warning.lineno <= first + 2 for warning in caught)


# Without scikit-learn -----------------------------------------------------------------------------

PROGRAM = """
import pickle, sys, warnings
import fastauc

def warning_of(*args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fastauc.roc_auc_score(*args)
    return caught[0]

def error_of(**options):
    try:
        fastauc.roc_auc_score([0, 1], [0.1, 0.2], **options)
    except ValueError as error:
        return error

assert warning_of([1, 1], [0.1, 0.2]).category is fastauc.UndefinedMetricWarning
assert warning_of([1, 1], [0.1, 0.2]).filename == __file__
assert issubclass(fastauc.UndefinedMetricWarning, UserWarning)
error = error_of(max_fpr=2)
assert type(error) is fastauc.InvalidParameterError
assert isinstance(error, TypeError)
assert type(pickle.loads(pickle.dumps(error))) is fastauc.InvalidParameterError
assert not [name for name in sys.modules if name.partition(".")[0] == "sklearn"]

# Loaded later, it is found by the next call.
import sklearn.exceptions
from sklearn.utils._param_validation import InvalidParameterError
category = warning_of([1, 1], [0.1, 0.2]).category
assert issubclass(category, sklearn.exceptions.UndefinedMetricWarning)
assert issubclass(category, fastauc.UndefinedMetricWarning)
assert isinstance(error_of(max_fpr=2), InvalidParameterError)
assert isinstance(error_of(max_fpr=2), fastauc.InvalidParameterError)
print("done")
"""


def test_without_scikit_learn(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    program = "import runpy; runpy.run_path('program.py')"
    out, _ = run_program(program, cwd=tmp_path, timeout=120, PYTHONWARNINGS="error")
    assert out == "done\n"


def test_an_error_pickled_with_scikit_learn_is_read_without(tmp_path):
    error = call_ours("roc_auc_score", LABELS, SCORES, max_fpr=2).error
    (tmp_path / "error").write_bytes(pickle.dumps(error))
    program = (
        "import pickle, sys; error = pickle.load(open('error', 'rb')); "
        "assert 'sklearn' not in sys.modules; print(type(error).__name__, error)"
    )
    out, _ = run_program(program, cwd=tmp_path, timeout=120)
    assert out == f"InvalidParameterError {error}\n"


def test_a_call_that_no_frame_has_made():
    # The interpreter itself makes it, when everything else has ended.
    program = "import atexit, fastauc; atexit.register(fastauc.roc_auc_score, [1, 1], [0.1, 0.2])"
    _, err = run_program(program, timeout=120)
    assert "UndefinedMetricWarning: Only one class is present in y_true" in err
    assert "Traceback" not in err
