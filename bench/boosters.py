"""What evaluation costs in training and in cross-validation, with fastauc's metric and without.

    python bench/boosters.py                        # LightGBM, XGBoost, scikit-learn, if installed
    python bench/boosters.py --rows 100000 --output FILE.json

A round of boosting builds a small tree of few rows, adds it to the predictions of the evaluation
set of ``--rows`` rows, and evaluates these. Trainings with either metric take turns; the figures
are medians of rounds, which hold all three. Cross-validation takes a column of scores for a model,
so that the metric is all there is; its folds have ``--fold-rows`` rows. One thread; answers are
compared: to 1e-12, or to the six digits that XGBoost keeps.
"""

import argparse
import importlib
import importlib.metadata
import json
import statistics
import time
from pathlib import Path

import numpy as np
from machine import machine

TRAINING_ROWS = 10_000
FEATURES = 8


def make_table(rows, seed):
    """Return features and labels, the features of few distinct values so that they load quickly."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 256, (rows, FEATURES)).astype(np.float32)
    signal = features[:, :4].sum(axis=1) / 512 - 1 + rng.logistic(size=rows)
    return features, (signal > 0).astype(np.float32)


def lightgbm_training(rows, rounds):
    """Return a function that trains with one metric or the other."""
    import lightgbm as lgb

    from fastauc.boosters import lightgbm_feval

    options = {"objective": "binary", "num_threads": 1, "verbosity": -1, "num_leaves": 15}
    training = lgb.Dataset(*make_table(TRAINING_ROWS, 0), params=options).construct()
    held_out = lgb.Dataset(*make_table(rows, 1), reference=training, params=options).construct()

    def train(ours):
        record, moments = {}, []
        lgb.train(
            options | {"metric": "None" if ours else "auc"},
            training,
            rounds,
            valid_sets=[held_out],
            feval=lightgbm_feval if ours else None,
            callbacks=[
                lgb.record_evaluation(record),
                lambda environment: moments.append(time.perf_counter()),
            ],
        )
        (areas,) = record["valid_0"].values()
        return areas, np.diff(moments)

    return train


def xgboost_training(rows, rounds):
    """Return a function that trains with one metric or the other."""
    import xgboost as xgb

    from fastauc.boosters import xgboost_custom_metric

    options = {"objective": "binary:logistic", "nthread": 1, "max_depth": 4}
    training = xgb.DMatrix(*make_table(TRAINING_ROWS, 0), nthread=1)
    held_out = xgb.DMatrix(*make_table(rows, 1), nthread=1)

    class Clock(xgb.callback.TrainingCallback):
        def __init__(self):
            self.moments = []

        def after_iteration(self, model, epoch, evals_log):
            self.moments.append(time.perf_counter())
            return False

    def train(ours):
        record, clock = {}, Clock()
        metric = {"disable_default_eval_metric": True} if ours else {"eval_metric": "auc"}
        xgb.train(
            options | metric,
            training,
            rounds,
            evals=[(held_out, "held_out")],
            custom_metric=xgboost_custom_metric if ours else None,
            evals_result=record,
            verbose_eval=False,
            callbacks=[clock],
        )
        (areas,) = record["held_out"].values()
        return areas, np.diff(clock.moments)

    return train


# LightGBM evaluates margins, and gives metrics probabilities, of which a few more may be tied.
TRAININGS = {
    "lightgbm": (lightgbm_training, 1e-5),
    "xgboost": (xgboost_training, 1e-6),
}


def measure_training(library, rows, rounds, repetitions):
    """Return the median seconds of a round with its own metric and with fastauc's."""
    make, close = TRAININGS[library]
    train = make(rows, rounds)
    train(False)
    seconds = {"own": [], "fastauc": []}
    for _ in range(repetitions):
        own, own_seconds = train(False)
        ours, our_seconds = train(True)
        np.testing.assert_allclose(ours, own, rtol=0, atol=close)
        seconds["own"].extend(own_seconds.tolist())
        seconds["fastauc"].extend(our_seconds.tolist())
    return {name: statistics.median(values) for name, values in seconds.items()}


def measure_cross_validation(fold_rows, repetitions, folds=5):
    """Return the median seconds in the metric of a cross-validation, unpatched and patched."""
    from sklearn import metrics
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.model_selection import cross_val_score

    from fastauc.sklearn import patched_sklearn

    class Column(ClassifierMixin, BaseEstimator):
        """A model whose scores are the first column."""

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, X):
            return X[:, 0]

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, folds * fold_rows)
    scores = (rng.normal(size=len(labels)) + labels)[:, None]
    spent = []

    def timed(function):
        def metric(y_true, y_score):
            start = time.perf_counter()
            area = function(y_true, y_score)
            spent[-1] += time.perf_counter() - start
            return area

        return metric

    def validate():
        spent.append(0.0)
        scorer = metrics.make_scorer(
            timed(metrics.roc_auc_score), response_method="decision_function"
        )
        return cross_val_score(Column(), scores, labels, scoring=scorer, cv=folds)

    seconds = {"own": [], "fastauc": []}
    for _ in range(repetitions):
        own = validate()
        seconds["own"].append(spent[-1])
        with patched_sklearn():
            ours = validate()
        seconds["fastauc"].append(spent[-1])
        np.testing.assert_allclose(ours, own, rtol=0, atol=1e-12)
    return {name: statistics.median(values) for name, values in seconds.items()}


def is_installed(library):
    """Tell whether a library can be imported."""
    try:
        importlib.import_module(library)
    except ImportError:
        return False
    return True


def main(argv=None):
    """Measure what is installed, print a line for each, and write the report."""
    parser = argparse.ArgumentParser(description="Time evaluation in training.")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the evaluation set")
    parser.add_argument("--fold-rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=8, help="of boosting, for each training")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--output", type=Path, metavar="FILE.json")
    arguments = parser.parse_args(argv)
    report = {"machine": machine(), "results": {}}
    for library in TRAININGS:
        if is_installed(library):
            found = measure_training(
                library, arguments.rows, arguments.rounds, arguments.repetitions
            )
            report["results"][library] = {"rows": arguments.rows, **found}
    if is_installed("sklearn"):
        found = measure_cross_validation(arguments.fold_rows, arguments.repetitions)
        report["results"]["sklearn"] = {"rows": arguments.fold_rows, **found}
    for library, found in report["results"].items():
        own, ours = found["own"] * 1e3, found["fastauc"] * 1e3
        name = {"sklearn": "scikit-learn"}.get(library, library)
        found["version"] = importlib.metadata.version(name)
        what = "metric of 5 folds" if library == "sklearn" else "round"
        print(
            f"{name} {found['version']}, {found['rows']:,} rows, {what}: "
            f"{own:.1f} ms with its own, {ours:.2f} ms with fastauc's, {own / ours:.1f} times"
        )
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
