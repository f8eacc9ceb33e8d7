"""The bench runs, compares what it times, and its data are what their names say."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fastauc

BENCH = Path(__file__).resolve().parents[1] / "bench"
N = 2000
NAMES = [
    "uniform",
    "sigmoid_normal",
    "logits",
    "beta",
    "lognormal",
    "rounded3",
    "leaves200",
    "constant",
    "two_values",
    "sorted",
    "reversed",
    "sawtooth",
    "organ_pipe",
    "geometric",
    "outlier",
    "denormals",
    "float32",
    "float16",
    "int64",
]
METRICS = {
    "roc_auc_score",
    "roc_auc_score_weighted",
    "roc_curve",
    "precision_recall_curve",
    "average_precision_score",
}


@pytest.fixture
def bench(monkeypatch):
    """Import a file of the bench as its own command does."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Return the finished process of a quick run and the report it wrote."""
    output = tmp_path_factory.mktemp("bench") / "quick.json"
    command = [sys.executable, str(BENCH / "run.py"), "--quick", "--output", str(output)]
    # The bench measures the fastauc that is tested, installed or built in place.
    search = [str(Path(fastauc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    process = subprocess.run(
        [*command, "--rivals", "scikit-learn", "numpy"],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, search))},
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process, json.loads(output.read_text())


def test_every_case_is_measured_and_its_answers_compared(quick):
    _, report = quick
    cases = [(row["rival"], row["metric"], row["n"]) for row in report["row"]]
    expected = {("scikit-learn", metric, n) for metric in METRICS for n in (100, 10_000)}
    expected |= {("numpy", "roc_auc_score", n) for n in (100, 10_000)}
    assert len(cases) == len(expected)
    assert set(cases) == expected
    for row in report["row"]:
        assert row["exact"] is True
        assert row["equal"] is True
        assert 0 <= row["difference"] <= row["tolerance"] <= 1e-9
        assert row["rounds"] >= 3
        assert 0 < row["fastauc_min_ns"] <= row["fastauc_median_ns"]
        assert 0 < row["rival_min_ns"] <= row["rival_median_ns"]
        assert row["ratio"] > 0


def test_report_says_where_its_figures_come_from(quick):
    _, report = quick
    assert report["command"][:2] == ["bench/run.py", "--quick"]
    assert set(report["versions"]) == {"fastauc", "numpy", "scikit-learn"}
    assert report["versions"]["fastauc"] == fastauc.__version__
    assert report["machine"].keys() >= {"platform", "cpu", "cores", "python", "numpy", "numpy_simd"}
    assert report["skipped"] == {}
    assert report["failures"] == []
    assert [floor["n"] for floor in report["floor"]] == [100, 10_000]
    assert {memory["metric"] for memory in report["memory"]} == METRICS


def test_table_has_a_line_per_row(quick):
    process, report = quick
    lines = [line for line in process.stdout.splitlines() if line.split(" ")[0] in METRICS]
    assert len(lines) == len(report["row"])


@pytest.mark.parametrize("wrong", [0.75, 0.7500000000000001, float("nan")])
def test_wrong_answer_is_a_failure(bench, wrong):
    inputs = [np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4])]
    assert fastauc.roc_auc_score(*inputs) == 0.75
    run = bench("run")
    case = {"rival": "numpy", "distribution": "uniform"}

    def answer_wrong(y_true, y_score):
        return wrong

    own = run.compare("roc_auc_score", answer_wrong, fastauc.roc_auc_score, inputs, 1, 1e-9)
    assert len(run.failures([{"row": case | own}])) == (wrong != 0.75)
    rival = run.compare("roc_auc_score", fastauc.roc_auc_score, answer_wrong, inputs, 1, 1e-17)
    assert len(run.failures([{"row": case | rival}])) == (wrong != 0.75)


def test_curves_are_compared_in_every_point(bench):
    difference = bench("run").difference
    curve = np.array([0.0, 0.5, 1.0]), np.array([np.inf, 0.5, 0.25])
    assert difference(curve, curve) == 0
    assert difference(curve, (curve[0][:2], curve[1][:2])) == np.inf
    assert difference(curve, (curve[0] * [1, 1.5, 1], curve[1])) == 0.5
    assert np.isnan(difference(curve, (curve[0] * [1, np.nan, 1], curve[1])))


def test_exact_answers_by_hand(bench):
    run = bench("run")
    labels, scores, ones = np.array([0, 0, 0, 1, 1]), np.array([1, 2, 2, 2, 3]), np.ones(5)
    # Of 6 pairs 4 are in order and 2 tied. Average precision: 1/2 * 1 + 1/2 * 2/4.
    assert run.exact_answer("roc_auc_score", labels, scores, ones) == 5 / 6
    assert run.exact_answer("average_precision_score", labels, scores, ones) == 0.75
    # Weight 2 for the highest negatives: of 10 weighted pairs 6 are in order and 4 tied.
    weight = np.array([1.0, 2.0, 2.0, 1.0, 1.0])
    assert run.exact_answer("roc_auc_score_weighted", labels, scores, weight) == 0.8


def test_distributions_are_all_there(bench):
    assert list(bench("data").DISTRIBUTIONS) == NAMES


@pytest.mark.parametrize("prevalence", [0.5, 0.01, 0.0001])
@pytest.mark.parametrize("name", NAMES)
def test_distribution_has_labels_and_finite_scores(bench, name, prevalence):
    data = bench("data")
    y_true, y_score = data.make(name, N, prevalence, 0)
    assert y_true.dtype == np.int64
    assert y_score.dtype == (name if name in ("float32", "float16", "int64") else np.float64)
    assert y_true.shape == y_score.shape == (N,)
    assert y_true.flags.c_contiguous
    assert y_score.flags.c_contiguous
    assert np.isfinite(y_score).all()
    assert set(y_true.tolist()) == {0, 1}
    assert y_true.sum() == max(1, round(prevalence * N))
    again = data.make(name, N, prevalence, 0)
    assert np.array_equal(again[0], y_true)
    assert np.array_equal(again[1], y_score)
    if prevalence == 0.5:
        area = fastauc.roc_auc_score(y_true, y_score)
        assert area == 0.5 if name == "constant" else 0.6 < area < 0.95


PROPERTIES = {
    "uniform": lambda s: s.min() >= 0 and s.max() < 1 and len(np.unique(s)) == N,
    "sigmoid_normal": lambda s: s.min() > 0 and s.max() < 1 and abs(np.median(s) - 0.5) < 0.05,
    "logits": lambda s: s.min() < -1 and s.max() > 1,
    "beta": lambda s: s.min() >= 0 and s.max() < 1 and np.median(s) < 0.02,
    "lognormal": lambda s: s.min() > 0 and 0.01 < np.median(s) < 0.03,
    "rounded3": lambda s: np.array_equal(s, np.round(s, 3)) and len(np.unique(s)) > 500,
    "leaves200": lambda s: 100 < len(np.unique(s)) <= 200,
    "constant": lambda s: len(np.unique(s)) == 1,
    "two_values": lambda s: len(np.unique(s)) == 2,
    "sorted": lambda s: (np.diff(s) >= 0).all(),
    "reversed": lambda s: (np.diff(s) <= 0).all(),
    "sawtooth": lambda s: (np.diff(s) < 0).sum() == (N - 1) // 44 and len(np.unique(s)) == N,
    "organ_pipe": lambda s: np.array_equal(s, s[::-1]) and (np.diff(s[: N // 2]) > 0).all(),
    "geometric": lambda s: (np.frexp(s)[0] == 0.5).all() and len(np.unique(s)) > 500,
    "outlier": lambda s: (s == 1e300).sum() == 1 and np.sort(s)[-2] < 1,
    "denormals": lambda s: s.min() > 0 and s.max() < np.finfo(np.float64).tiny,
    "float32": lambda s: len(np.unique(s)) > N - 10,
    "float16": lambda s: s.min() >= 0 and s.max() <= 1,
    "int64": lambda s: (s.astype(np.float64).astype(np.int64) != s).any(),
}


@pytest.mark.parametrize("name", NAMES)
def test_distribution_is_what_its_name_says(bench, name):
    _, y_score = bench("data").make(name, N, 0.5, 0)
    assert PROPERTIES[name](y_score)


def test_weights_are_positive_and_belong_to_the_seed(bench):
    weights = bench("data").weights
    assert weights(N, 0).shape == (N,)
    assert weights(N, 0).min() > 0
    assert np.array_equal(weights(N, 0), weights(N, 0))
    assert not np.array_equal(weights(N, 0), weights(N, 1))
