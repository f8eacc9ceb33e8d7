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

BENCH = Path(__file__).resolve().parents[2] / "bench"
N = 2000
NAMES = [
    "uniform",
    "sigmoid_normal",
    "logits",
    "beta",
    "lognormal",
    "rounded3",
    "rounded6",
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
HARD = [
    "cauchy",
    "clusters40",
    "crowded_at_one",
    "zeros90",
    "zipf",
    "magnitudes",
    "runs1000",
    "bursts",
    "timestamps",
    "timestamps_as_floats",
    "counters6",
    "isotonic",
    "half_lattice",
    "normal_outlier",
    "nested",
    "saturated",
    "rounded_logits",
    "two_far_clusters",
    "unsampled_clusters",
    "bell_integers",
    "ulp_neighbors",
]
INTEGERS = ["int64", "bursts", "timestamps", "bell_integers"]
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


def case_of(distribution="uniform", rival="numpy", n=4):
    """Return the case of a row, as run.py makes it."""
    return {
        "metric": "roc_auc_score",
        "distribution": distribution,
        "prevalence": 0.5,
        "n": n,
        "rival": rival,
        "n_jobs": 1,
    }


@pytest.mark.parametrize("wrong", [0.75, 0.7500000000000001, float("nan")])
def test_wrong_answer_is_a_failure(bench, monkeypatch, wrong):
    inputs = [np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4])]
    assert fastauc.roc_auc_score(*inputs) == 0.75
    run = bench("run")
    once = run.parse_arguments(["--rounds", "1", "--seconds", "0"])

    def answer_wrong(y_true, y_score):
        return wrong

    own = run.compare(answer_wrong, fastauc.roc_auc_score, inputs, once, case_of())
    assert len(run.failures([{"row": own}])) == (wrong != 0.75)
    monkeypatch.setattr(bench("rivals"), "TOLERANCE", 1e-17)
    rival = run.compare(fastauc.roc_auc_score, answer_wrong, inputs, once, case_of())
    assert len(run.failures([{"row": rival}])) == (wrong != 0.75)


def test_threads_must_not_change_a_bit(bench):
    rivals = bench("rivals")
    assert rivals.TOLERANCES[rivals.ONE_THREAD] == 0


def test_one_thread_is_a_setting_for_the_time_of_a_call(bench, monkeypatch):
    monkeypatch.setenv("FASTAUC_NUM_THREADS", "2")
    seen = []

    def score(y_true, y_score):
        seen.append(os.environ["FASTAUC_NUM_THREADS"])
        raise ValueError("refused")

    rivals = bench("rivals")
    monkeypatch.setattr(rivals, "fastauc", lambda n_jobs: {"roc_auc_score": score})
    with pytest.raises(ValueError, match="refused"):
        rivals.fastauc_on_one_thread(2)["roc_auc_score"]([0, 1], [0.1, 0.2])
    assert seen == ["1"]
    assert os.environ["FASTAUC_NUM_THREADS"] == "2"


def test_slow_case_gets_fewer_rounds(bench, monkeypatch):
    timing = bench("timing")
    clock = [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])

    def lasting(seconds):
        def call(inputs):
            clock[0] += seconds

        return call, [np.zeros(1)]

    def rounds(*seconds):
        timed = timing.measure([lasting(each) for each in seconds], rounds=7, budget=2.0)
        for each, measured in zip(seconds, timed, strict=True):
            assert measured == pytest.approx([each] * len(timed[0]))
        return len(timed[0])

    assert rounds(0.01, 5.0) == 3
    assert rounds(0.01, 0.49) == 4  # within 2 seconds
    assert rounds(0.01, 0.09) == 7
    assert rounds(2**-7, 2**-7) == 13  # until 0.2 seconds are over


def test_every_row_of_other_scores_is_measured_beside_uniform_ones(bench):
    run = bench("run")
    once = run.parse_arguments(["--rounds", "1", "--seconds", "0"])
    uniform, other = (bench("data").make(name, N, 0.5, 0) for name in ("uniform", "lognormal"))
    seen = []

    def own(y_true, y_score):
        seen.append(y_score)
        return fastauc.roc_auc_score(y_true, y_score)

    rival = fastauc.roc_auc_score
    row = run.compare(own, rival, other, once, case_of("lognormal", n=N), uniform)
    assert any(scores is uniform[1] for scores in seen)
    assert row["over_uniform"] > 0
    assert row["over_floor"] > 0
    row = run.compare(own, rival, uniform, once, case_of(n=N), uniform)
    assert row["over_floor"] > 0
    assert "over_uniform" not in row


def test_curves_are_compared_in_every_point(bench):
    difference = bench("answers").difference
    curve = np.array([0.0, 0.5, 1.0]), np.array([np.inf, 0.5, 0.25])
    assert difference(curve, curve) == 0
    assert difference(curve, (curve[0][:2], curve[1][:2])) == np.inf
    assert difference(curve, (curve[0] * [1, 1.5, 1], curve[1])) == 0.5
    assert np.isnan(difference(curve, (curve[0] * [1, np.nan, 1], curve[1])))


def test_exact_answers_by_hand(bench):
    exact_answer = bench("answers").exact_answer
    labels, scores, ones = np.array([0, 0, 0, 1, 1]), np.array([1, 2, 2, 2, 3]), np.ones(5)
    # Of 6 pairs 4 are in order and 2 tied. Average precision: 1/2 * 1 + 1/2 * 2/4.
    assert exact_answer("roc_auc_score", labels, scores, ones) == 5 / 6
    assert exact_answer("average_precision_score", labels, scores, ones) == 0.75
    # Weight 2 for the highest negatives: of 10 weighted pairs 6 are in order and 4 tied.
    weight = np.array([1.0, 2.0, 2.0, 1.0, 1.0])
    assert exact_answer("roc_auc_score_weighted", labels, scores, weight) == 0.8


def planned(bench, *argv):
    """Return every case of a plan: (metric, distribution, prevalence, n, rival, threads)."""
    suites = bench("suites")
    slices = suites.plan(bench("run").parse_arguments(list(argv)))
    return [
        (metric, distribution, prevalence, n, rival, n_jobs)
        for rival, n_jobs in suites.children(slices)
        for (n, distribution, prevalence), metrics in suites.cases(slices, rival, n_jobs).items()
        for metric in metrics
    ]


def test_suites_hold_the_table_that_is_to_be_shown(bench):
    slices = [name for name in bench("suites").SUITES if name != "product"]  # it runs alone
    every = planned(bench, "--suite", *slices)
    assert len(set(every)) == len(every)
    area, reference = "roc_auc_score", "scikit-learn"
    for metric in (area, "roc_auc_score_weighted"):
        for n in (100, 1000, 10_000, 100_000, 10**6, 10**7):
            for rival in set(bench("rivals").RIVALS) - {"fastauc-1-thread"}:
                assert (metric, "uniform", 0.5, n, rival, 1) in every
        for name in NAMES + HARD:
            for prevalence in (0.5, 0.01, 0.0001):
                assert (metric, name, prevalence, 10**6, reference, 1) in every
    for metric in METRICS:
        assert (metric, "uniform", 0.5, 10**6, "fastauc-1-thread", 2) in every
    assert (area, "uniform", 0.5, 10**7, reference, 2) in every


def test_axis_that_is_given_replaces_that_of_the_suite(bench):
    argv = ["--suite", "distributions", "--sizes", "1000", "--distributions", "beta", "int64"]
    cases = planned(bench, *argv, "--rivals", "scors", "--n-jobs", "2")
    assert cases == [
        ("roc_auc_score", distribution, prevalence, 1000, "scors", 2)
        for distribution in ("beta", "int64")
        for prevalence in (0.5, 0.01, 0.0001)
    ]


def report_of(*changes):
    """Return a report of one row for each dictionary of changes."""
    usual = {"fastauc_median_ns": 10.0, "rival_median_ns": 500.0, "ratio": 50.0, "equal": True}
    return {"memory": [], "row": [case_of(rival="scikit-learn") | usual | row for row in changes]}


def test_worst_distribution_is_named(bench):
    report = report_of(
        {"distribution": "lognormal", "n": 10**6, "over_uniform": 2.5},
        {"distribution": "sorted", "n": 10**6, "over_uniform": 3.5},
        {"distribution": "constant", "n": 10**6, "over_uniform": 0.5},
        {"distribution": "sorted", "n": 10**6, "prevalence": 0.01, "over_uniform": 9.0},
    )
    (worst,) = bench("table").worst_lines(report["row"])
    assert worst.endswith("0.5, n = 1000000, threads = 1: 3.50 (sorted, of 3 others)")


def test_table_prints_a_report_again(bench, quick, capsys, tmp_path):
    process, report = quick
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    assert bench("table").main([str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == process.stdout.splitlines()[-len(printed) - 1 : -1]
    assert len(printed) > len(report["row"])


def test_distributions_are_all_there(bench):
    data = bench("data")
    assert list(data.USUAL) == NAMES
    assert list(data.HARD) == HARD
    assert list(data.DISTRIBUTIONS) == NAMES + HARD


@pytest.mark.parametrize("prevalence", [0.5, 0.01, 0.0001])
@pytest.mark.parametrize("name", NAMES + HARD)
def test_distribution_has_labels_and_finite_scores(bench, name, prevalence):
    data = bench("data")
    y_true, y_score = data.make(name, N, prevalence, 0)
    assert y_true.dtype == np.int64
    dtype = "int64" if name in INTEGERS else name if name in ("float32", "float16") else "float64"
    assert y_score.dtype == dtype
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
        if name in ("zeros90", "ulp_neighbors"):  # most pairs are tied
            assert 0.51 < area < 0.6
        else:
            assert area == 0.5 if name == "constant" else 0.6 < area < 0.95


def n_clusters(scores, width):
    """Return how many clusters no wider than this the scores fall into."""
    return 1 + int((np.diff(np.sort(scores)) > width).sum())


PROPERTIES = {
    "uniform": lambda s: s.min() >= 0 and s.max() < 1 and len(np.unique(s)) == N,
    "sigmoid_normal": lambda s: s.min() > 0 and s.max() < 1 and abs(np.median(s) - 0.5) < 0.05,
    "logits": lambda s: s.min() < -1 and s.max() > 1,
    "beta": lambda s: s.min() >= 0 and s.max() < 1 and np.median(s) < 0.02,
    "lognormal": lambda s: s.min() > 0 and 0.01 < np.median(s) < 0.03,
    "rounded3": lambda s: np.array_equal(s, np.round(s, 3)) and len(np.unique(s)) > 500,
    "rounded6": lambda s: (
        np.array_equal(s, np.round(s, 6)) and not np.array_equal(s, np.round(s, 5))
    ),
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
    "cauchy": lambda s: np.quantile(np.abs(s), 0.5) < 1.2 and np.abs(s).max() > 100,
    "clusters40": lambda s: n_clusters(s, 1e-9) <= 40 and len(np.unique(s)) > N - 10,
    "crowded_at_one": lambda s: s.max() < 1 and 0.75 < np.median(s) < 0.87,
    "zeros90": lambda s: 0.87 < (s == 0).mean() < 0.93 and len(np.unique(s)) > 100,
    "zipf": lambda s: np.array_equal(s, np.rint(s)) and s.min() == 1 and s.max() > 10**4,
    "magnitudes": lambda s: s.min() < 1e-290 and s.max() > 1e290 and 1e-40 < np.median(s) < 1e40,
    "runs1000": lambda s: (s[1::2] >= s[::2]).all() and (np.diff(s) < 0).sum() > 400,
    "bursts": lambda s: n_clusters(s, 10**5) <= N // 300 and np.ptp(s) > 10**13,
    "timestamps": lambda s: (s.astype(np.float64).astype(np.int64) != s).any() and s.min() > 1.7e18,
    "timestamps_as_floats": lambda s: s.min() > 1.7e18 and np.ptp(s) < 366 * 86_400 * 1e9,
    "counters6": lambda s: all(
        float(f"{x:.5e}") == pytest.approx(x, rel=1e-15) for x in s.tolist()
    ),
    "isotonic": lambda s: 300 < len(np.unique(s)) < N // 2,
    "half_lattice": lambda s: 0.45 < (4096 * s % 1 == 0).mean() < 0.55,
    "normal_outlier": lambda s: s.max() == 1e308 and np.sort(s)[-2] < 6,
    # Of seven levels the first fills up to 1/2, the second 1/16 of what is above, and so on.
    "nested": lambda s: 0.8 < (s >= 0.5).mean() < 0.9 and 0.65 < (s >= 0.5625).mean() < 0.78,
    "saturated": lambda s: (s.astype(np.float32) == s).all() and 0.03 < (s == 1).mean() < 0.3,
    "rounded_logits": lambda s: (np.abs((p := 1e4 / (1 + np.exp(-s))) - np.rint(p)) < 1e-6).all(),
    "two_far_clusters": lambda s: np.ptp(s[::2]) < 1000 * 2.0**-52 and s[1::2].min() >= 1e12,
    "unsampled_clusters": lambda s: (
        n_clusters(s, 1e-12) > N // 20 and len(np.unique(np.round(s, 9))) < N // 10
    ),
    "bell_integers": lambda s: abs(s.mean()) < 1e4 and 9e4 < s.std() < 1.1e5,
    "ulp_neighbors": lambda s: (
        0.87 < (s == 0.75).mean() < 0.93 and (np.abs(s - 0.75) == 2.0**-53).sum() > N // 40
    ),
}


@pytest.mark.parametrize("name", NAMES + HARD)
def test_distribution_is_what_its_name_says(bench, name):
    _, y_score = bench("data").make(name, N, 0.5, 0)
    assert PROPERTIES[name](y_score)


def test_weights_are_positive_and_belong_to_the_seed(bench):
    weights = bench("data").weights
    assert weights(N, 0).shape == (N,)
    assert weights(N, 0).min() > 0
    assert np.array_equal(weights(N, 0), weights(N, 0))
    assert not np.array_equal(weights(N, 0), weights(N, 1))
