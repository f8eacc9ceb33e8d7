"""Every suite of the bench runs, and a wrong answer fails it."""

import gc
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fastauc
from support.laws import first

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(scope="module")
def bench():
    """Import a file of the bench as its own command does."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.syspath_prepend(BENCH)
        yield importlib.import_module


SUITES = ["headline", "distributions", "areas", "scratch", "reference", "small", "sizes", "delong"]
SUITES += ["labels", "threads", "groups", "bootstrap", "growth", "files", "orders", "columns"]
SUITES += ["inference", "gains", "histogram", "engines", "spark", "boosters", "imports"]
SUITES += ["functions", "memory"]

OPTIONS = ["--max-rows", "100", "--rounds", "1", "--seconds", "0"]


def test_no_suite_is_left_out(bench):
    assert list(bench("suites").SUITES) == SUITES


def check(bench, suite, rows):
    """Assert that something was measured, and found right, or its library is not installed."""
    measured = [row for row in rows if "median" in row or "figure" in row]
    missing = [row for row in rows if row["name"].endswith("is not installed")]
    assert len(measured) + len(missing) == len(rows) > 0
    for row in measured:
        assert row["failures"] == []
        assert all(median > 0 for median in row.get("median", {}).values())
        assert not any(note.startswith("refused") for note in row.get("notes", {}).values())
    if suite in bench("suites").TARGETS and suite != "sizes" and measured:  # sizes: all are alike
        assert any(row["targets"] for row in measured)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "suite",
    first(3, SUITES),
)
def test_suite_runs_on_a_hundred_rows(bench, suite, capsys, monkeypatch):
    monkeypatch.setenv("FASTAUC_NUM_THREADS", "1")  # as in a process of its own
    options = bench("run").parse_arguments([*OPTIONS, "--suite", suite])
    gc.freeze()  # garbage is collected before each measurement
    for name, rival in bench("suites").children(options):
        bench("run").run_child(name, rival, options)
    check(bench, suite, [json.loads(line) for line in capsys.readouterr().out.splitlines()])


@pytest.mark.ci
def test_the_command_gathers_what_its_processes_measure(bench, tmp_path):
    output = tmp_path / "report.json"
    # The bench measures the fastauc that is tested, installed or built in place.
    search = [str(Path(fastauc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, str(BENCH / "run.py"), *OPTIONS]
    process = subprocess.run(
        [*command, "--suite", "delong", "gains", "--output", str(output)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, search))},
    )
    assert process.returncode == 0, process.stdout + process.stderr
    rows = json.loads(output.read_text())["settings"]["as-is"]
    assert {row["suite"] for row in rows} == {"delong", "gains"}
    check(bench, "delong", rows)


@pytest.mark.parametrize(
    ("answer", "is_wrong"), [(0.75, False), (0.7500000000000001, True), (float("nan"), True)]
)
def test_a_wrong_answer_is_a_failure(bench, answer, is_wrong):
    calls = {"fastauc": (lambda: 0.75,), "rival": (lambda: answer,)}
    found = bench("case").run(bench("case").Case("area", calls), 1, 0.0)
    assert found["failures"] == (["area: rival"] if is_wrong else [])
    assert list(found["median"]) == (["fastauc"] if is_wrong else ["fastauc", "rival"])
