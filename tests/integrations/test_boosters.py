"""Metrics in the protocols of LightGBM, XGBoost and CatBoost, beside their own areas."""

import math
import pickle

import numpy as np
import pytest

import fastauc
from fastauc import UndefinedMetricWarning, boosters

# A new way to pass evaluation sets has come in LightGBM 4.7; the old one is what all versions have.
pytestmark = pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")

# The libraries add some thousand doubles, each sum rounded by 1e-16 of it.
CLOSE = 1e-12


class DataSet:
    """What the metrics ask a ``lightgbm.Dataset`` or an ``xgboost.DMatrix`` for."""

    def __init__(self, label, weight=None):
        self.label, self.weight = label, weight

    def get_label(self):
        return np.asarray(self.label, np.float32)

    def get_weight(self):
        return self.weight


def draw_table(n=1500, seed=0):
    """Return features that say little, labels with much noise, and weights of few bits."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 6))
    noise = rng.logistic(size=n)
    labels = (features[:, 0] + features[:, 1] * features[:, 2] + 2 * noise > 0.5).astype(int)
    return features, labels, rng.integers(1, 9, n) / 4


TABLE, HELD_OUT = draw_table(), draw_table(seed=1)


# The protocols ------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, np.float32([1, 2, 0.5, 1, 3, 1])])
def test_the_area_in_every_protocol(weight):
    labels, scores = [0, 1, 0, 1, 1, 0], np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.7])
    area = fastauc.roc_auc_score(labels, scores, sample_weight=weight)
    data = DataSet(labels, weight)
    assert boosters.lightgbm_feval(scores, data) == ("auc_exact", area, True)
    assert boosters.lightgbm_eval_metric(labels, scores, weight) == ("auc_exact", area, True)
    assert boosters.auc_exact(labels, scores, sample_weight=weight) == area
    metric = boosters.CatBoostAuc()
    assert metric.is_max_optimal() is True
    assert metric.get_final_error(*metric.evaluate([scores], labels, weight)) == area
    # XGBoost has an empty array for no weights.
    data = DataSet(labels, np.float32([]) if weight is None else weight)
    assert boosters.xgboost_custom_metric(np.float32(scores), data) == ("auc_exact", area)


def test_three_classes_are_refused():
    labels, predictions = [0, 1, 2], np.eye(3)
    dataset, matrix = DataSet(labels), DataSet(labels, weight=np.empty(0))
    for call in (
        lambda: boosters.lightgbm_feval(predictions, dataset),
        lambda: boosters.lightgbm_eval_metric(labels, predictions, None),
        lambda: boosters.xgboost_custom_metric(predictions, matrix),
        lambda: boosters.auc_exact(labels, predictions),
        lambda: boosters.CatBoostAuc().evaluate(list(predictions), labels, None),
    ):
        with pytest.raises(ValueError, match="The model predicts 3 classes; expected two"):
            call()


def test_one_class_is_nan_and_a_warning():
    data = DataSet([1, 1])
    with pytest.warns(UndefinedMetricWarning, match="Only one class") as caught:
        name, value, is_higher_better = boosters.lightgbm_feval(np.array([0.5, 0.25]), data)
    assert (name, is_higher_better) == ("auc_exact", True)
    assert math.isnan(value)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", boosters.__all__)
def test_metrics_can_be_pickled(name):
    metric = getattr(boosters, name)
    assert pickle.loads(pickle.dumps(metric)) is metric
    if name == "CatBoostAuc":
        assert pickle.loads(pickle.dumps(metric())).is_max_optimal()


# LightGBM -----------------------------------------------------------------------------------------


@pytest.fixture
def lgb():
    return pytest.importorskip("lightgbm")


LIGHTGBM = {"objective": "binary", "num_threads": 1, "verbosity": -1, "learning_rate": 0.3}


def compare_lightgbm(own, ours, model, table, weighted):
    """Compare the areas of all rounds with each other and with those of the model's predictions.

    LightGBM ranks margins and gives metrics probabilities, where margins of neighboring leaves may
    have become equal.
    """
    features, labels, weights = table
    weight = np.float32(weights) if weighted else None
    n_equal, n_trees = 0, model.num_trees()  # without those beyond the largest area
    for k in range(n_trees):
        margins, probabilities = (
            model.predict(features, raw_score=raw, num_iteration=k + 1) for raw in (True, False)
        )
        for found, scores in ((own, margins), (ours, probabilities)):
            area = fastauc.roc_auc_score(labels, scores, sample_weight=weight)
            assert found[k] == pytest.approx(area, abs=CLOSE)
        if len(np.unique(margins)) == len(np.unique(probabilities)):
            assert ours[k] == pytest.approx(own[k], abs=CLOSE)
            n_equal += 1
    assert n_equal >= n_trees - 2
    assert len(own) == len(ours) == len(set(ours)) >= n_trees


@pytest.mark.parametrize("weighted", [False, True])
def test_lightgbm_beside_its_own_area(lgb, weighted):
    training, held_out = (
        lgb.Dataset(features, labels, weight=weights if weighted else None)
        for features, labels, weights in (TABLE, HELD_OUT)
    )
    record = {}
    model = lgb.train(
        LIGHTGBM | {"metric": "auc"},
        training,
        200,
        valid_sets=[held_out, training],
        valid_names=["held_out", "training"],
        feval=boosters.lightgbm_feval,
        callbacks=[lgb.record_evaluation(record), lgb.early_stopping(8, verbose=False)],
    )
    for name, table in (("held_out", HELD_OUT), ("training", TABLE)):
        compare_lightgbm(record[name]["auc"], record[name]["auc_exact"], model, table, weighted)
    # It stops after the largest area.
    areas = record["held_out"]["auc_exact"]
    assert 8 < len(areas) < 200
    assert model.best_iteration == 1 + int(np.argmax(areas))


def test_lightgbm_classifier(lgb):
    (features, labels, weights), (held_out, held_labels, held_weights) = TABLE, HELD_OUT
    model = lgb.LGBMClassifier(n_estimators=12, n_jobs=1, verbosity=-1)
    model.fit(
        features,
        labels,
        sample_weight=weights,
        eval_set=[(held_out, held_labels)],
        eval_sample_weight=[held_weights],
        eval_metric=["auc", boosters.lightgbm_eval_metric],
    )
    record = model.evals_result_["valid_0"]
    compare_lightgbm(record["auc"], record["auc_exact"], model.booster_, HELD_OUT, True)


# XGBoost ------------------------------------------------------------------------------------------


@pytest.fixture
def xgb():
    return pytest.importorskip("xgboost")


XGBOOST = {"objective": "binary:logistic", "nthread": 1, "eta": 0.3}
# It writes its own area with a few digits more, and those of others with six after the point.
CLOSE_XGBOOST = 1e-6


@pytest.mark.parametrize("weighted", [False, True])
def test_xgboost_beside_its_own_area(xgb, weighted):
    training, held_out = (
        xgb.DMatrix(features, labels, weight=weights if weighted else None)
        for features, labels, weights in (TABLE, HELD_OUT)
    )
    record = {}
    model = xgb.train(
        XGBOOST | {"eval_metric": "auc", "max_depth": 8},
        training,
        200,
        evals=[(training, "training"), (held_out, "held_out")],
        custom_metric=boosters.xgboost_custom_metric,
        evals_result=record,
        early_stopping_rounds=8,
        verbose_eval=False,
    )
    for name in ("held_out", "training"):
        own, ours = record[name]["auc"], record[name]["auc_exact"]
        np.testing.assert_allclose(ours, own, rtol=0, atol=CLOSE_XGBOOST)
    _, labels, weights = HELD_OUT
    weight = weights if weighted else None
    area = fastauc.roc_auc_score(labels, model.predict(held_out), sample_weight=weight)
    areas = record["held_out"]["auc_exact"]
    assert areas[-1] == pytest.approx(area, abs=CLOSE_XGBOOST)
    # It stops after the largest area.
    assert 8 < len(areas) < 200
    assert model.best_iteration == int(np.argmax(areas))


def test_xgboost_classifier(xgb):
    (features, labels, weights), (held_out, held_labels, held_weights) = TABLE, HELD_OUT
    model = xgb.XGBClassifier(
        n_estimators=200,
        max_depth=8,
        n_jobs=1,
        eval_metric=boosters.auc_exact,
        early_stopping_rounds=8,
    )
    model.fit(
        features,
        labels,
        sample_weight=weights,
        eval_set=[(held_out, held_labels)],
        sample_weight_eval_set=[held_weights],
        verbose=False,
    )
    areas = model.evals_result()["validation_0"]["auc_exact"]
    assert 8 < len(areas) < 200
    assert model.best_iteration == int(np.argmax(areas))
    scores = model.predict_proba(held_out)[:, 1]
    area = fastauc.roc_auc_score(held_labels, scores, sample_weight=held_weights)
    assert max(areas) == pytest.approx(area, abs=CLOSE_XGBOOST)


# CatBoost -----------------------------------------------------------------------------------------


@pytest.fixture
def catboost():
    return pytest.importorskip("catboost")


@pytest.mark.parametrize(("weighted", "n_threads"), [(False, 1), (True, 2)])
def test_catboost_beside_its_own_area(catboost, tmp_path, weighted, n_threads):
    training, held_out = (
        catboost.Pool(features, labels, weight=weights if weighted else None)
        for features, labels, weights in (TABLE, HELD_OUT)
    )
    options = {
        "iterations": 300,
        "learning_rate": 0.5,
        "random_seed": 0,
        "verbose": False,
        "train_dir": str(tmp_path),
        "thread_count": n_threads,
        "early_stopping_rounds": 10,
    }
    ours = catboost.CatBoostClassifier(eval_metric=boosters.CatBoostAuc(), **options)
    ours.fit(training, eval_set=held_out)
    name = f"AUC:{'use_weights=true;' if weighted else ''}hints=skip_train~false"
    own = catboost.CatBoostClassifier(eval_metric=name, **options)
    own.fit(training, eval_set=held_out)
    for part in ("learn", "validation"):
        (series,), (expected,) = (
            [row for name, row in model.get_evals_result()[part].items() if name != "Logloss"]
            for model in (ours, own)
        )
        assert 10 < len(series) < 300
        np.testing.assert_allclose(series, expected, rtol=0, atol=CLOSE)
    assert ours.get_best_iteration() == own.get_best_iteration() == int(np.argmax(series))
