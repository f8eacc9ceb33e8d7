"""scikit-learn patched: where its functions are looked up, what stays, and how it is undone."""

import copy
import importlib
import pickle
import sys
import threading

import numpy as np
import pytest

import fastauc
from support.contract import CLOSE, DROP_IN, LABELS, SCORES, assert_same_numbers, call

sklearn = pytest.importorskip("sklearn", minversion="1.9")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import _scorer  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

import fastauc.sklearn  # noqa: E402
from fastauc.sklearn import get_scorer, patch_sklearn, patched_sklearn, unpatch_sklearn  # noqa: E402
from support.laws import first  # noqa: E402
from support.public import PUBLIC  # noqa: E402

NAMES = ("auc", *DROP_IN)
SCORERS = (
    "average_precision",
    "roc_auc",
    "roc_auc_ovo",
    "roc_auc_ovo_weighted",
    "roc_auc_ovr",
    "roc_auc_ovr_weighted",
)
ORIGINALS = {name: getattr(sklearn.metrics, name) for name in NAMES}


@pytest.fixture(autouse=True)
def unpatched():
    yield
    unpatch_sklearn()


@pytest.fixture
def patched():
    patch_sklearn()


@pytest.fixture(scope="module")
def data():
    return make_classification(400, random_state=0, flip_y=0.2, weights=[0.7])


@pytest.fixture(scope="module")
def three_classes():
    return make_classification(300, n_classes=3, n_informative=5, random_state=0)


def holders():
    """Yield every place of scikit-learn that could hold a function: its name and what it holds."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "sklearn":
            for key, value in list(vars(module).items()):
                yield f"{name}.{key}", value
                if isinstance(value, _scorer._BaseScorer):
                    yield f"{name}.{key}._score_func", value._score_func
    for name, scorer in _scorer._SCORERS.items():
        yield f"the scorer {name}", scorer._score_func


# Places -------------------------------------------------------------------------------------------


def test_every_function_is_replaced_wherever_it_was(patched):
    originals = {id(function) for function in ORIGINALS.values()}
    assert [place for place, value in holders() if id(value) in originals] == []
    for name in NAMES:
        ours = getattr(fastauc.sklearn, name)
        assert getattr(sklearn.metrics, name) is ours
        assert getattr(sys.modules["sklearn.metrics._ranking"], name) is ours
    plots = sys.modules["sklearn.metrics._plot.roc_curve"]
    assert (plots.roc_curve, plots.auc) == (fastauc.sklearn.roc_curve, fastauc.sklearn.auc)
    for name in SCORERS:
        function = sklearn.metrics.get_scorer(name)._score_func
        assert function is getattr(fastauc.sklearn, function.__name__)


def test_everything_is_given_back():
    before = {place: id(value) for place, value in holders()}
    patch_sklearn()
    patch_sklearn()
    assert {place: id(value) for place, value in holders()} != before
    unpatch_sklearn()
    assert {place: id(value) for place, value in holders()} == before
    unpatch_sklearn()
    assert {place: id(value) for place, value in holders()} == before


def test_modules_that_are_imported_later_are_patched_and_unpatched(monkeypatch):
    name = "sklearn.metrics._plot.det_curve"
    patch_sklearn()
    monkeypatch.delitem(sys.modules, name)
    # The import is going to replace this member of the package; it comes back in the end.
    monkeypatch.setattr(sklearn.metrics._plot, "det_curve", sklearn.metrics._plot.det_curve)
    late = importlib.import_module(name)
    assert late.det_curve is fastauc.sklearn.det_curve
    unpatch_sklearn()
    assert late.det_curve is ORIGINALS["det_curve"]


def test_blocks_overlap():
    def is_patched():
        return sklearn.metrics.roc_auc_score is fastauc.sklearn.roc_auc_score

    outer, inner = patched_sklearn(), patched_sklearn()
    with outer:
        assert is_patched()
        inner.__enter__()
    assert is_patched()
    unpatch_sklearn()
    assert is_patched()
    inner.__exit__(None, None, None)
    assert not is_patched()
    with pytest.raises(ZeroDivisionError), patched_sklearn():
        1 / 0  # noqa: B018
    assert not is_patched()
    patch_sklearn()
    with patched_sklearn():
        pass
    assert is_patched()


def test_threads_patch_and_compute_at_the_same_time():
    before = {place: id(value) for place, value in holders()}
    expected = ORIGINALS["roc_auc_score"](LABELS, SCORES)
    barrier, failures = threading.Barrier(4), []

    def work(seed):
        rng = np.random.default_rng(seed)
        barrier.wait()
        for _ in range(15):
            if rng.random() < 0.5:
                with patched_sklearn():
                    found = sklearn.metrics.roc_auc_score(LABELS, SCORES)
            else:
                (patch_sklearn if rng.random() < 0.5 else unpatch_sklearn)()
                found = sklearn.metrics.roc_auc_score(LABELS, SCORES)
            if abs(found - expected) > CLOSE:
                failures.append(found)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    unpatch_sklearn()
    assert {place: id(value) for place, value in holders()} == before


# Results ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DROP_IN)
def test_results_have_the_types_and_numbers_of_scikit_learn(patched, name):
    ours, theirs = (f(LABELS, SCORES) for f in (getattr(sklearn.metrics, name), ORIGINALS[name]))
    assert type(ours) is type(theirs)
    assert_same_numbers(ours, theirs)


# What fastauc refuses and scikit-learn computes; with the row tied to the third its weight is not
# negative.
TIED, NEGATIVE = [0.4, 0.5, 0.4, 0.8, 0.2, 0.7], {"sample_weight": [2, 2, -1, 3, 1, 1]}


@pytest.mark.parametrize(
    ("name", "scores", "options"),
    [
        ("roc_auc_score", TIED, NEGATIVE),
        ("average_precision_score", SCORES, NEGATIVE),
        ("precision_recall_curve", SCORES, NEGATIVE),
        ("roc_curve", np.ma.masked_array(SCORES, [0, 0, 1, 0, 0, 0]), {}),
    ],
)
def test_what_fastauc_refuses_scikit_learn_decides(patched, name, scores, options):
    with pytest.raises(ValueError):  # noqa: PT011
        PUBLIC[name](LABELS, scores, **options)
    found = getattr(sklearn.metrics, name)(LABELS, scores, **options)
    unpatch_sklearn()
    expected = ORIGINALS[name](LABELS, scores, **options)
    np.testing.assert_equal(found, expected)


def test_deprecated_arguments_work(patched):
    function = sklearn.metrics.confusion_matrix_at_thresholds
    with pytest.warns(FutureWarning, match="Pass pos_label=1 as keyword"):
        counts = function(LABELS, SCORES, 1)
    np.testing.assert_array_equal(counts, function(LABELS, SCORES))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("roc_auc_score", (LABELS, [0.1, 0.4, float("nan"), 0.8, 0.2, 0.7])),
        ("roc_auc_score", (LABELS, SCORES[:5])),
        ("roc_curve", ([0, 1, 2], [0.1, 0.2, 0.3])),
        ("average_precision_score", (None, SCORES)),
        ("auc", ([0, 2, 1], [0, 1, 2])),
    ],
)
def test_errors_are_those_of_scikit_learn(patched, name, args):
    found, expected = call(getattr(sklearn.metrics, name), *args), call(ORIGINALS[name], *args)
    assert type(found.error) is type(expected.error)
    assert str(found.error) == str(expected.error)
    # The traceback tells more: the position, the value.
    assert isinstance(found.error.__context__, (ValueError, TypeError))


def test_one_class_is_a_warning_and_nan(patched):
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning, match="Only one class") as caught:
        assert np.isnan(sklearn.metrics.roc_auc_score([1, 1], [0.5, 0.25]))
    assert caught[0].filename == __file__


def test_array_api_is_left_to_scikit_learn(patched, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("fastauc was called")

    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    monkeypatch.setattr("fastauc.metrics._roc_curve.Rows", refuse)
    with sklearn.config_context(array_api_dispatch=True):
        fpr, tpr, _ = sklearn.metrics.roc_curve(LABELS, SCORES)
    expected = fastauc.roc_auc_score(LABELS, SCORES)
    assert ORIGINALS["auc"](fpr, tpr) == pytest.approx(expected, abs=CLOSE)
    with pytest.raises(AssertionError, match="fastauc was called"):
        sklearn.metrics.roc_curve(LABELS, SCORES)


# scikit-learn at work -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scoring",
    ["roc_auc", "average_precision", *first(1, [each for each in SCORERS if "_ov" in each])],
)
def test_cross_validation_returns_what_it_did(data, three_classes, scoring):
    model, rows = LogisticRegression(), three_classes if "_ov" in scoring else data
    before = cross_val_score(model, *rows, scoring=scoring, cv=3)
    with patched_sklearn():
        patched = cross_val_score(model, *rows, scoring=scoring, cv=3)
    np.testing.assert_allclose(patched, before, rtol=0, atol=CLOSE)
    asked = cross_val_score(model, *rows, scoring=get_scorer(scoring), cv=3)
    np.testing.assert_array_equal(asked, patched)


def test_scorers_are_those_of_scikit_learn():
    for name in SCORERS:
        assert repr(get_scorer(name)) == repr(sklearn.metrics.get_scorer(name))
    with pytest.raises(fastauc.InvalidParameterError, match="'name' parameter of get_scorer"):
        get_scorer("accuracy")


def test_scorers_can_be_pickled_and_cloned(patched):
    makers = sklearn.metrics.get_scorer, get_scorer, _scorer._SCORERS.get
    for scorer in (make(name) for make in makers for name in SCORERS):
        for twin in (pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer)):
            assert twin._score_func is scorer._score_func
            assert repr(twin) == repr(scorer)
        search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=scorer)
        assert repr(clone(search).scoring) == repr(scorer)


@pytest.mark.parametrize("asked", [True, False])
def test_a_search_in_worker_processes(data, asked):
    grid = {"max_depth": [1, 2, 3]}
    model = DecisionTreeClassifier(random_state=0)
    before = GridSearchCV(model, grid, scoring="roc_auc", cv=3).fit(*data)
    if asked:
        search = GridSearchCV(model, grid, scoring=get_scorer("roc_auc"), cv=3, n_jobs=2)
        search.fit(*data)
    else:
        with patched_sklearn():
            search = GridSearchCV(model, grid, scoring="roc_auc", cv=3, n_jobs=2).fit(*data)
    for name in ("mean_test_score", "split0_test_score", "split2_test_score"):
        np.testing.assert_allclose(
            search.cv_results_[name], before.cv_results_[name], rtol=0, atol=CLOSE
        )
    assert search.scorer_._score_func is fastauc.sklearn.roc_auc_score
    again = pickle.loads(pickle.dumps(search))
    assert again.score(*data) == search.score(*data)


def test_a_metric_in_the_place_of_a_scorer_is_told(data, patched):
    for name in NAMES:
        with pytest.raises(ValueError, match="looks like it is a metric function rather than a"):
            cross_val_score(LogisticRegression(), *data, scoring=getattr(sklearn.metrics, name))


def test_functions_are_pickled_as_those_of_fastauc(patched):
    for name in NAMES:
        function = getattr(sklearn.metrics, name)
        pickled = pickle.dumps(function)
        assert b"fastauc.sklearn" in pickled
        assert pickle.loads(pickled) is copy.deepcopy(function) is function
        assert repr(function) == f"<function fastauc.sklearn.{name}>"


def test_weights_are_routed_to_scorers(data):
    X, y = data
    weight = np.linspace(0.5, 2, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        results = []
        for scorer in (sklearn.metrics.get_scorer("roc_auc"), get_scorer("roc_auc")):
            routed = scorer.set_score_request(sample_weight=True)
            routed = pickle.loads(pickle.dumps(routed))
            options = {"scoring": routed, "cv": 3, "params": {"sample_weight": weight}}
            model = LogisticRegression().set_fit_request(sample_weight=False)
            results.append(cross_validate(model, X, y, **options)["test_score"])
        plain = cross_val_score(LogisticRegression(), X, y, scoring=get_scorer("roc_auc"), cv=3)
    np.testing.assert_allclose(results[1], results[0], rtol=0, atol=CLOSE)
    assert (results[1] != plain).any()
