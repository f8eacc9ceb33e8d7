"""Displays of fitted classifiers: the class methods that scikit-learn's displays have."""

import inspect

import numpy as np
import pytest

import fastauc
from fastauc import plotting
from support.pages import ALL, CURVES, display_of, draw, legend_of, options_of

Figure = pytest.importorskip("matplotlib.figure").Figure
metrics = pytest.importorskip("sklearn.metrics")
linear_model = pytest.importorskip("sklearn.linear_model")
model_selection = pytest.importorskip("sklearn.model_selection")

FOLDED = {"RocCurveDisplay": "roc_auc", "PrecisionRecallDisplay": "average_precision"}
OF_SCIKIT_LEARN = [*FOLDED, "DetCurveDisplay"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.random(120) < 0.3
    X = rng.normal(size=(120, 2)) + y[:, np.newaxis]
    return X, np.where(y, "ill", "healthy"), rng.integers(1, 4, 120).astype(float)


@pytest.fixture(scope="module")
def fitted(rows):
    return linear_model.LogisticRegression().fit(*rows[:2])


@pytest.fixture(scope="module")
def validated(rows):
    return model_selection.cross_validate(
        linear_model.LogisticRegression(),
        *rows[:2],
        cv=4,
        return_estimator=True,
        return_indices=True,
    )


def theirs(name, method, *arguments, **options):
    display = getattr(getattr(metrics, name), method)
    return display(*arguments, **options, ax=Figure().subplots())


def parameters_of(display, method):
    return inspect.signature(getattr(display, method)).parameters


@pytest.mark.parametrize("name", ALL)
def test_signatures_name_all_options(name):
    display = display_of(name)
    for method in ("from_predictions", "from_counts", "from_estimator", "from_cv_results", "plot"):
        # Those of scikit-learn, but for what is deprecated.
        if name in OF_SCIKIT_LEARN and method != "from_counts":
            theirs = getattr(metrics, name)
            assert hasattr(display, method) == hasattr(theirs, method)
            if hasattr(theirs, method):
                wanted = parameters_of(theirs, method).keys() - {"kwargs", "y_pred"}
                assert wanted <= parameters_of(display, method).keys()
        if hasattr(display, method):
            kinds = {each.kind for each in parameters_of(display, method).values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds
    # What can be drawn can be asked for from the start.
    drawn = parameters_of(display, "plot").keys() - {"self"}
    for method in ("from_counts", "from_predictions"):
        assert drawn <= parameters_of(display, method).keys()


# What docs/migration.md lists: by display, parameters of scikit-learn that are missing here, and
# defaults that differ.
MISSING = {
    "RocCurveDisplay": set(),
    "PrecisionRecallDisplay": {"estimator_name", "kwargs", "y_pred"},  # deprecated in 1.8 and 1.9
    "DetCurveDisplay": {"estimator_name", "kwargs", "y_pred"},
    "CalibrationDisplay": {"estimator_name", "kwargs", "y_prob", "n_bins"},
}
OTHER_DEFAULTS = {
    "RocCurveDisplay": {"plot_chance_level"},
    "PrecisionRecallDisplay": {"plot_chance_level"},
    "DetCurveDisplay": {"drop_intermediate"},
    "CalibrationDisplay": {"strategy"},
}


@pytest.mark.parametrize("name", MISSING)
def test_what_differs_from_scikit_learn_is_what_the_manual_lists(name):
    theirs = getattr(pytest.importorskip("sklearn.calibration"), name, None)
    theirs, ours = theirs or getattr(metrics, name), display_of(name)
    missing, others = set(), set()
    for method in ("__init__", "from_estimator", "from_predictions", "from_cv_results", "plot"):
        if not hasattr(theirs, method):
            continue
        known, wanted = parameters_of(ours, method), parameters_of(theirs, method)
        missing |= wanted.keys() - known.keys()
        for each in wanted.keys() & known.keys():
            defaults = wanted[each].default, known[each].default
            is_required = inspect.Parameter.empty in defaults  # y_score beside a deprecated y_pred
            if defaults[0] != defaults[1] and not is_required:
                others.add(each)
    assert (missing, others) == (MISSING[name], OTHER_DEFAULTS[name])


def test_curves_by_position(ax):
    arrays = np.array([0.5, 1.0]), np.array([1.0, 0.0])
    assert plotting.PrecisionRecallDisplay(*arrays).plot(ax).recall is arrays[1]
    assert metrics.PrecisionRecallDisplay(*arrays).recall is arrays[1]
    with pytest.raises(TypeError):
        plotting.RocCurveDisplay(*arrays)


def test_calibration_names_the_positive_label_as_scikit_learn_does(rows, fitted, ax):
    theirs = pytest.importorskip("sklearn.calibration").CalibrationDisplay
    scores = fitted.predict_proba(rows[0])[:, 0]
    options = {"pos_label": "healthy", "strategy": "uniform"}
    own = plotting.CalibrationDisplay.from_predictions(rows[1], scores, bins=5, ax=ax, **options)
    other = theirs.from_predictions(rows[1], scores, ax=Figure().subplots(), **options)
    assert own.pos_label == other.pos_label == "healthy"
    assert "(positive label: healthy)" in ax.get_ylabel()
    assert "(Positive class: healthy)" in other.ax_.get_ylabel()


def test_calibration_of_a_classifier(rows, fitted, ax):
    X, y, _ = rows
    make, options = plotting.CalibrationDisplay, {"pos_label": "ill", "strategy": "uniform"}
    found = make.from_estimator(fitted, X, y, bins=5, ax=ax, **options)
    assert legend_of(ax)[0] == "LogisticRegression"
    wanted = make.from_predictions(y, fitted.predict_proba(X)[:, 1], bins=5, ax=ax, **options)
    assert found.prob_true.tolist() == wanted.prob_true.tolist()
    with pytest.raises(fastauc.InvalidParameterError, match="with predict_proba"):
        plotting.CalibrationDisplay.from_estimator(Classifier(), X, y, ax=ax)


@pytest.mark.parametrize("name", OF_SCIKIT_LEARN)
@pytest.mark.parametrize(
    ("response_method", "pos_label"),
    [("auto", None), ("predict_proba", "healthy"), ("decision_function", "healthy")],
)
def test_curve_is_that_of_scikit_learn(name, response_method, pos_label, rows, fitted, ax):
    X, y, weights = rows
    options = {
        "sample_weight": weights,
        "response_method": response_method,
        "pos_label": pos_label,
        "drop_intermediate": False,
    }
    found = display_of(name).from_estimator(fitted, X, y, **options, ax=ax)
    wanted = theirs(name, "from_estimator", fitted, X, y, **options)
    for attribute in CURVES[name][1]:
        # Sums of small integers are exact, and each rate is a quotient; their display of DET curves
        # takes 0 and 1 away by 2^-52.
        np.testing.assert_allclose(
            getattr(found, attribute), getattr(wanted, attribute), rtol=0, atol=2.0**-52
        )
    assert legend_of(ax)[0].startswith("LogisticRegression")
    assert found.name == "LogisticRegression"


@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_those_of_scikit_learn(name, weighted, rows, validated, ax):
    X, y, weights = rows
    options = {"sample_weight": weights if weighted else None, "drop_intermediate": False}
    found = display_of(name).from_cv_results(validated, X, y, **options, ax=ax)
    wanted = theirs(name, "from_cv_results", validated, X, y, **options)
    for attribute in CURVES[name][1]:
        for curve, their in zip(getattr(found, attribute), getattr(wanted, attribute), strict=True):
            np.testing.assert_array_equal(curve, their)
    values = getattr(found, FOLDED[name])
    # Sums of some hundred products, each rounded.
    np.testing.assert_allclose(values, getattr(wanted, FOLDED[name]), rtol=1e-13)
    assert len(found.line_) == 4
    assert len({line.get_color() for line in found.line_}) == 1
    measure = "AUC" if name == "RocCurveDisplay" else "AP"
    assert legend_of(ax)[0] == f"mean {measure} = {np.mean(values):.3f}, SD {np.std(values):.3f}"
    assert len(legend_of(ax)) == 2  # and chance
    draw(ax)


@pytest.mark.parametrize("name", FOLDED)
def test_options_for_each_fold(name, rows, validated, ax):
    X, y, _ = rows
    widths = [1.0, 2.0, 3.0, 4.0]
    found = display_of(name).from_cv_results(
        validated, X, y, name="m", curve_kwargs=[{"lw": width} for width in widths], ax=ax,
        plot_chance_level=False, despine=True,
    )  # fmt: skip
    assert [line.get_linewidth() for line in found.line_] == widths
    assert len({line.get_color() for line in found.line_}) == 4
    assert [label.partition(" (")[0] for label in legend_of(ax)] == [
        f"m, fold {k}" for k in range(1, 5)
    ]
    assert found.chance_level_ is None
    assert not ax.spines["top"].get_visible()
    assert ax.spines["left"].get_visible()
    with pytest.raises(fastauc.InvalidParameterError, match="a list of 4 of them, one for each"):
        found.plot(ax, curve_kwargs=[{}, {}])


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("kind", ["frame", "sparse", "lists"])
def test_rows_of_other_kinds(kind, rows, validated, ax):
    X, y, _ = rows
    wanted = plotting.RocCurveDisplay.from_cv_results(validated, X, y, ax=ax)
    if kind == "frame":
        pandas = pytest.importorskip("pandas")
        index = np.arange(120)[::-1]
        X, y = pandas.DataFrame(X, index=index), pandas.Series(y, index=index)
    elif kind == "sparse":
        X = pytest.importorskip("scipy.sparse").csr_array(X)
    else:
        X, y = X.tolist(), y.tolist()
    found = plotting.RocCurveDisplay.from_cv_results(validated, X, y, ax=ax)
    assert found.roc_auc == wanted.roc_auc


class Classifier:
    """Answers with the first column; whoever has the methods is a classifier."""

    classes_ = (0, 1)

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


@pytest.mark.parametrize("name", OF_SCIKIT_LEARN)
def test_axes_name_the_positive_label_as_scikit_learn_does(name, rows, fitted, validated):
    X, y, _ = rows
    scores = fitted.predict_proba(X)[:, 0]
    display = display_of(name)
    calls = {
        "from_predictions": (y, scores),
        "from_estimator": (fitted, X, y),
        "from_cv_results": (validated, X, y),
    }
    for method, arguments in calls.items():
        if not hasattr(display, method):
            continue
        own = getattr(display, method)(*arguments, pos_label="healthy", ax=Figure().subplots())
        other = theirs(name, method, *arguments, pos_label="healthy")
        assert own.pos_label == other.pos_label == "healthy"
        for axis in "xaxis", "yaxis":
            words, wanted = (
                getattr(each.ax_, axis).label.get_text().lower() for each in (own, other)
            )
            assert words == wanted
    assert (
        "positive label"
        not in display.from_predictions(y == "ill", scores, ax=Figure().subplots()).ax_.get_xlabel()
    )


def test_a_curve_takes_the_share_of_positives_of_scikit_learn(ax):
    curve = {"precision": np.array([0.5, 1.0]), "recall": np.array([1.0, 0.0])}
    options = curve | {"average_precision": 0.5, "prevalence_pos_label": 0.25, "pos_label": 1}
    wanted = metrics.PrecisionRecallDisplay(**options).plot(
        ax=Figure().subplots(), plot_chance_level=True
    )
    found = plotting.PrecisionRecallDisplay(**options).plot(ax=ax)
    assert [*found.chance_level_.get_ydata()] == [*wanted.chance_level_.get_ydata()] == [0.25] * 2


def test_a_classifier_of_another_library(ax):
    X, y = [[0.1], [0.4], [0.35], [0.8]], [0, 0, 1, 1]
    make = plotting.RocCurveDisplay.from_estimator
    assert make(Classifier(), X, y, ax=ax).roc_auc == 0.75
    # Both the labels and the scores are turned around.
    assert make(Classifier(), X, y, pos_label=0, ax=ax).roc_auc == 0.75


@pytest.mark.parametrize("name", OF_SCIKIT_LEARN)
def test_what_is_no_classifier(name, rows, fitted, ax):
    X, y, _ = rows
    make = display_of(name).from_estimator
    function = f"{name}.from_estimator"
    for estimator, options, argument in (
        (linear_model.LinearRegression(), {}, "estimator"),
        (fitted, {"response_method": "predict"}, "response_method"),
        (fitted, {"pos_label": "dead"}, "pos_label"),
        (Classifier(), {"response_method": "predict_proba"}, "estimator"),
    ):
        with pytest.raises(
            fastauc.InvalidParameterError, match=f"'{argument}' parameter of {function}"
        ):
            make(estimator, X, y, ax=ax, **options)
    three = linear_model.LogisticRegression().fit(X, np.arange(120) % 3)
    with pytest.raises(fastauc.InvalidParameterError, match="a classifier of two classes"):
        make(three, X, y, ax=ax)
    with pytest.raises(fastauc.InvalidParameterError, match="'ax' parameter"):
        make(fitted, X, y, ax=3)
    assert not ax.lines


@pytest.mark.parametrize("name", FOLDED)
def test_what_is_no_cross_validation(name, rows, validated, ax):
    X, y, _ = rows
    make = display_of(name).from_cv_results
    for wrong in ({"test_score": [1]}, [1], {"estimator": validated["estimator"]}):
        with pytest.raises(fastauc.InvalidParameterError, match="return_indices=True"):
            make(wrong, X, y, ax=ax)
    with pytest.raises(ValueError, match=r"^y has 60 rows; expected more than 119"):
        make(validated, X[:60], y[:60], ax=ax)


@pytest.mark.parametrize("name", ALL)
def test_every_display_draws_a_classifier(name, rows, fitted):
    X, y, weights = rows
    display, options = display_of(name), options_of(name) | {"sample_weight": weights}
    first, second = Figure().subplots(1, 2)
    found = display.from_estimator(fitted, X, y, ax=first, **options)
    scores = fitted.predict_proba(X)[:, 1]
    options |= {"pos_label": "ill", "name": "LogisticRegression"}
    display.from_predictions(y, scores, ax=second, **options)
    assert found.pos_label == fitted.classes_[1] == "ill"
    assert first.get_xlabel() == second.get_xlabel()
    assert first.get_xlabel().endswith("(positive label: ill)")
    for own, other in zip(first.lines, second.lines, strict=True):
        np.testing.assert_array_equal(own.get_xydata(), other.get_xydata())
        assert own.get_label() == other.get_label()


@pytest.mark.parametrize("name", ALL)
def test_an_option_of_no_display_is_named(name):
    display = display_of(name)
    text = rf"^{name}\.from_predictions\(\) got an unexpected keyword argument 'bin'$"
    with pytest.raises(TypeError, match=text):
        display.from_predictions([0, 1], [0.25, 0.5], bin=3)
