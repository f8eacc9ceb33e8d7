"""The suite `targets`: every target in every setting, and wrong answers are refused."""

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
OPTIONS = ["--suite", "targets", "--quick", "--rounds", "1"]
PREVALENCES = [0.001, 0.01, 0.1, 0.5]
# How the texts of the targets begin, and how many there are.
TARGETS = {
    "worst distribution, ": 4,
    "area: scratch": 1,
    "order of rows": 1,
    "roc_auc_score, uniform, ": 5,
    "roc_auc_score, rounded3, ": 1,
    "roc_auc_score, leaves200, ": 1,
    "roc_auc_score, float32, ": 1,
    "roc_auc_score, 1e7, two threads": 1,
    "roc_curve, ": 3,
    "precision_recall_curve, ": 2,
    "det_curve, ": 2,
    "average_precision_score, ": 1,
    "100 rows, ": 6,
    "roc_auc_ci, ": 1,
    "roc_auc_test, ": 1,
    "labels, ": 7,
    "roc_curve: scratch": 1,
    "precision_recall_curve: scratch": 1,
    "det_curve: scratch": 1,
    "area, uniform, a row of 1e8": 1,
    "area, logits, a row of 1e8": 1,
}


@pytest.fixture
def bench(monkeypatch):
    """Import a file of the bench as its own command does."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module


def run(*options):
    # The bench measures the fastauc that is tested, installed or built in place.
    search = [os.environ.get("PYTHONPATH", ""), str(Path(fastauc.__file__).parents[1])]
    return subprocess.run(
        [sys.executable, str(BENCH / "run.py"), *OPTIONS, *options],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, search))},
    )


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Return the finished process of a quick run in two settings and the report it wrote."""
    output = tmp_path_factory.mktemp("bench") / "targets.json"
    process = run("--numpy", "as-is", "no-simd", "--growth", "--output", str(output))
    assert process.returncode == 0, process.stdout + process.stderr
    return process, json.loads(output.read_text())


def test_parts_leave_out_all_others(tmp_path):
    process = run("--parts", "scratch", "--output", str(tmp_path / "scratch.json"))
    assert process.returncode == 0, process.stdout + process.stderr
    setting = json.loads((tmp_path / "scratch.json").read_text())["settings"]["as-is"]
    assert not setting["area"]
    texts = [item["text"].split(":")[0] for item in setting["target"]]
    assert texts == ["roc_curve", "precision_recall_curve", "det_curve"]


def test_every_target_is_measured_in_every_setting(quick):
    _, report = quick
    assert list(report["settings"]) == ["as-is", "no-simd"]
    for setting in report["settings"].values():
        texts = [item["text"] for item in setting["target"]]
        for beginning, times in TARGETS.items():
            assert sum(text.startswith(beginning) for text in texts) == times, beginning
        assert len(set(texts)) == len(texts) == sum(TARGETS.values())
        for item in setting["target"]:
            assert "missing" in item or item["value"] > 0
            assert "missing" in item or item["bound"] or "order of rows" in item["text"]


def test_every_distribution_is_measured_beside_uniform_scores(bench, quick):
    _, report = quick
    names = list(bench("data").DISTRIBUTIONS)
    wide = [name for name in names if name not in ("float32", "float16")]
    for setting in report["settings"].values():
        cases = [(row["prevalence"], row["distribution"]) for row in setting["area"]]
        assert cases == [(share, name) for share in PREVALENCES for name in names]
        assert [row["distribution"] for row in setting["order"]] == wide
        for row in setting["area"]:
            assert min(row["ns"], row["over_uniform"], row["bytes_per_row"]) > 0
        for row in setting["order"]:
            assert min(row["ns"], row["numpy_ns"], row["ratio"]) > 0
        at_half = {
            row["distribution"]: row["over_uniform"]
            for row in setting["area"]
            if row["prevalence"] == 0.5
        }
        item = next(item for item in setting["target"] if "50.0% positives" in item["text"])
        assert item["value"] == max(at_half.values()) == at_half[item["distribution"]]


def test_numpy_does_without_the_instructions_that_are_named(quick):
    _, report = quick
    simd, settings = report["machine"]["numpy_simd"], report["settings"]
    if simd is not None:  # numpy does not say
        assert settings["as-is"]["simd"] == simd.get("found", [])
        assert settings["no-simd"]["simd"] == []


def test_tables_have_a_line_per_distribution_and_a_column_per_setting(
    bench, quick, capsys, tmp_path
):
    process, report = quick
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    assert bench("table").main([str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == process.stdout.splitlines()[-len(printed) :]
    names = [line.split()[0] for line in printed]
    for name in bench("data").DISTRIBUTIONS:
        assert names.count(name) == 2
    (line,) = [line for line in printed if line.startswith("100 rows, lists: micro")]
    assert len(line.split()) == 6 + 2 * 2
    assert set(line.split()[7::2]) <= {"met", "missed"}
    assert printed[-1].startswith("A quick run")


def test_crash_of_a_setting_is_a_failure(monkeypatch, tmp_path):
    # The child looks for scikit-learn and finds something that is none.
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").write_text("raise SystemExit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    output = tmp_path / "targets.json"
    process = run("--output", str(output))
    assert process.returncode == 1
    assert "FAILED as-is" in process.stderr
    assert json.loads(output.read_text())["settings"]["as-is"]["status"] == 3


def test_answers_that_differ_are_refused(bench):
    targets = bench("targets")
    targets.agree("same", 0.5, 0.5)
    targets.agree("close", 0.5, 0.5 + 1e-12, 1e-9)
    for wrong in 0.5 + 1e-15, np.nan:
        with pytest.raises(targets.WrongAnswerError, match="wrong: the answers differ by"):
            targets.agree("wrong", 0.5, wrong)
    with pytest.raises(targets.WrongAnswerError):
        targets.agree("length", (np.zeros(2),), (np.zeros(3),), 1.0)


def test_bounds_are_on_their_side(bench):
    targets = bench("targets")
    found = [
        targets.target("speed", 60.0, 60),
        targets.target("speed", 59.9, 60),
        targets.at_most("ratio", 1.6, 1.6, distribution="zipf"),
        targets.at_most("ratio", 1.61, 1.6),
        targets.target("to know", 2.0),
        targets.missing("labels", ImportError(name="polars")),
    ]
    assert [targets.cell(item["target"]) for item in found] == [
        "60.00 met",
        "59.90 missed",
        "1.60 met (zipf)",
        "1.61 missed",
        "2.00",
        "polars is not installed",
    ]


def test_keys_are_in_the_order_of_the_scores(bench):
    keys_of = bench("targets").keys_of
    for scores in (
        np.array([-1e300, -2.5, -5e-324, 0.0, 5e-324, 1e300]),
        np.array([-(2**63), -1, 0, 7]),
    ):
        assert (np.diff(keys_of(scores).astype(object)) > 0).all()


def test_memory_is_that_beside_the_results(bench):
    traced_bytes = bench("targets").traced_bytes

    def call(n):
        scratch = np.zeros(3 * n, np.uint8)
        return (scratch[:n].copy(),)

    assert 3 * 10**6 <= traced_bytes(call, [10**6]) < 3.1 * 10**6


def test_settings_name_what_numpy_would_choose(bench, monkeypatch):
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "AVX512_SPR")
    disabled = bench("machine").disabled
    assert disabled("as-is") == "AVX512_SPR"
    chosen = {name: set(disabled(name).split()) for name in bench("machine").DISABLED}
    assert chosen["as-is"] <= chosen["no-avx512"] <= chosen["no-simd"]
    assert not {"X86_V3", "AVX2"} & chosen["no-avx512"]
