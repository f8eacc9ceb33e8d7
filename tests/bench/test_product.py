"""The suite `product`: fair beginnings, a limit that holds, nothing lost, and its summary."""

import importlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import fastauc

BENCH = Path(__file__).resolve().parents[2] / "bench"
LABELS = ["fastauc", "fastauc, 2 threads", "scikit-learn", "catboost", "catboost, 2 threads"]
METRICS = ["roc_auc_score", "roc_auc_score_weighted"]


@pytest.fixture
def bench(monkeypatch):
    """Import a file of the bench as its own command does."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module


def arguments(bench, *argv):
    return bench("run").parse_arguments(["--suite", "product", *argv])


def test_every_beginning_is_a_fair_sample(bench):
    part = bench("suites").SUITES["product"][0]
    cases, _ = bench("order").distinct_cases(part)
    ordered = bench("order").spread(cases)
    assert sorted(ordered) == sorted(cases)
    assert len(cases) == 6 * 20 * 3 - 20
    for axis in range(3):
        total, seen = Counter(case[axis] for case in cases), Counter()
        for k, case in enumerate(ordered, 1):
            seen[case[axis]] += 1
            assert all(abs(seen[v] - k * total[v] / len(cases)) < 1.5 for v in total)


def test_cases_of_the_same_rows_are_visited_once(bench):
    part = bench("suites").SUITES["product"][0]
    cases, repeated = bench("order").distinct_cases(part)
    assert repeated == [[100, 0.0001, 0.01]]
    assert (100, "uniform", 0.0001) not in cases
    assert (1000, "uniform", 0.0001) in cases
    for name in part.distributions:
        rare, rarer = (bench("data").make(name, 100, share, 0) for share in (0.01, 0.0001))
        assert rare[0].sum() == 1
        assert np.array_equal(rare, rarer)


@pytest.mark.parametrize(
    "argv",
    [
        ["--suite", "product", "targets"],
        ["--suite", "targets", "--minutes", "1"],
        ["--suite", "targets", "headline"],
        ["--suite", "targets", "--sizes", "100"],
        ["--suite", "targets", "--parts", "curves"],
        ["--suite", "headline", "--growth"],
        ["--suite", "headline", "--parts", "scratch"],
        ["--suite", "product", "--numpy", "no-simd"],
        ["--suite", "product", "--metrics", "roc_curve"],
        ["--suite", "product", "--n-jobs", "2"],
        ["--suite", "product", "--resume"],
        ["--suite", "product", "--output", __file__],
    ],
)
def test_options_that_do_not_fit_are_refused(bench, argv, capsys):
    with pytest.raises(SystemExit, match="2"):
        bench("run").parse_arguments(argv)
    assert "error" in capsys.readouterr().err


def row_of(ns, metric="roc_auc_score", n=1000, distribution="uniform", prevalence=0.5, **more):
    case = {"metric": metric, "n": n, "distribution": distribution, "prevalence": prevalence}
    return case | {"ns": ns, "rounds": [3] * len(ns), "seconds": 1.5} | more


def test_estimate_is_that_of_the_nearest_size(bench):
    estimate = bench("product").estimate
    rows = [
        row_of([900.0], n=100),
        row_of([20.0], n=10**5),
        row_of([10.0], n=10**6),
        row_of([50.0], n=10**6, distribution="constant"),
        row_of(["refused: TypeError"], n=10**6, distribution="float16"),
        row_of([70.0], n=10**6, metric="roc_auc_score_weighted"),
    ]
    assert estimate(rows, 0, row_of([], n=10**7)) == pytest.approx(0.1)
    assert estimate(rows, 0, row_of([], n=10**7, distribution="float16")) == pytest.approx(0.5)
    assert estimate(rows, 0, row_of([], n=10**6)) == pytest.approx(0.02)
    assert estimate(rows[:1], 0, row_of([], n=10**5)) is None  # the cost of a call, not of rows
    assert estimate(rows, 0, row_of([], n=100)) is None


class Substitute:
    """A contestant without a process, whose calls take the time that a test gives them."""

    clock: list  # of one number
    seconds: dict  # label: of one call
    asked: list  # (label, method)

    def __init__(self, name, n_jobs, deadline):
        self.name, self.n_jobs, self.deadline = name, n_jobs, deadline
        self.label = name if n_jobs == 1 else f"{name}, {n_jobs} threads"

    def reply(self, limit):
        return {"metrics": METRICS}

    def stop(self):
        self.asked.append((self.label, "stop"))

    def ask(self, limit, method, **given):
        self.asked.append((self.label, method))
        if method == "make":
            return {"exact": {}}
        if method == "forget":
            return {}
        took = self.seconds.get(self.label, 0.25)
        self.clock[0] += took
        if self.clock[0] >= self.deadline:
            raise importlib.import_module("product").OutOfTimeError
        return {"answer": 0.75, "seconds": took}


@pytest.fixture
def substituted(bench, monkeypatch):
    """Return product.py with contestants of two rivals that a test controls, and their class."""
    product = bench("product")
    fresh = {"clock": [0.0], "seconds": {}, "asked": []}
    controlled = type("Controlled", (Substitute,), fresh)
    monkeypatch.setattr(product, "Process", controlled)
    monkeypatch.setattr(product.time, "monotonic", lambda: controlled.clock[0])
    return product, controlled


NARROW = ["--rivals", "scikit-learn", "catboost", "--distributions", "uniform", "beta", "logits"]


def narrow(bench, output, *argv):
    sizes = ["--sizes", "1000", "1000000", "--prevalences", "0.5", "--output", str(output)]
    return arguments(bench, *NARROW, *sizes, *argv)


def test_limit_of_time_ends_the_run_and_what_is_left_can_be_resumed(bench, substituted, tmp_path):
    product, controlled = substituted
    path = tmp_path / "report.json"
    assert product.run([], narrow(bench, path, "--minutes", "0.5")) == 0
    assert controlled.clock[0] < 30.25 + 1e-9  # the call that was going on
    assert [what for _, what in controlled.asked[-6:]] == ["stop"] * 6  # and the maker of rows
    cut = json.loads(path.read_text())
    assert cut["contestants"] == LABELS
    assert 0 < len(cut["cells"]) < 12
    assert len(cut["cells"]) + len(cut["not_reached"]) == 12
    n_left = len(cut["not_reached"])
    named = bench("summary").lines(cut)[-n_left - 2 : -1]
    assert named[0].startswith(f"not reached: {n_left} of the cells, some ")
    assert all(line.startswith("  roc_auc_score") for line in named[1:])
    assert product.run([], narrow(bench, path, "--resume")) == 0
    whole = json.loads(path.read_text())
    assert whole["cells"][: len(cut["cells"])] == cut["cells"]
    assert whole["not_reached"] == []
    keys = {tuple(product.key_of(row)) for row in whole["cells"]}
    assert len(keys) == len(whole["cells"]) == 12
    assert len(whole["runs"]) == 2


def test_killed_run_keeps_what_it_has(bench, substituted, tmp_path, monkeypatch):
    product, controlled = substituted
    path = tmp_path / "report.json"
    ask = controlled.ask

    def interrupted(self, *what, **given):
        if len(controlled.asked) == 200:
            raise KeyboardInterrupt
        return ask(self, *what, **given)

    monkeypatch.setattr(controlled, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        product.run([], narrow(bench, path))
    assert [what for _, what in controlled.asked[-6:]] == ["stop"] * 6
    report = json.loads(path.read_text())
    assert 0 < len(report["cells"]) < 12
    assert len(report["cells"]) + len(report["not_reached"]) == 12


def test_run_without_time_measures_nothing(bench, substituted, tmp_path):
    product, _ = substituted
    path = tmp_path / "report.json"
    assert product.run([], narrow(bench, path, "--minutes", "0.001")) == 1
    report = json.loads(path.read_text())
    assert report["cells"] == []
    assert len(report["not_reached"]) == 12


def test_largest_size_can_be_left_for_later(bench, substituted, tmp_path):
    product, _ = substituted
    path = tmp_path / "report.json"
    assert product.run([], narrow(bench, path, "--max-n", "1000")) == 0
    assert {row["n"] for row in json.loads(path.read_text())["cells"]} == {1000}
    assert product.run([], narrow(bench, path, "--resume")) == 0
    assert len(json.loads(path.read_text())["cells"]) == 12


def test_other_conditions_are_not_mixed(bench, substituted, tmp_path):
    product, _ = substituted
    path = tmp_path / "report.json"
    assert product.run([], narrow(bench, path)) == 0
    with pytest.raises(SystemExit, match="seed was 0, is 1"):
        product.run([], narrow(bench, path, "--resume", "--seed", "1"))
    with pytest.raises(SystemExit, match="contestants was"):
        product.run([], narrow(bench, path, "--resume", "--rivals", "scikit-learn"))


def test_slow_rivals_get_one_call_and_slower_ones_none(bench, substituted, tmp_path):
    product, controlled = substituted
    controlled.seconds |= {"scikit-learn": 1.5, "catboost": 25.0}
    path = tmp_path / "report.json"
    product.run([], narrow(bench, path, "--sizes", "1000000", "10000000"))
    rows = json.loads(path.read_text())["cells"]
    for row in rows:
        assert row["rounds"][:3] == [3, 3, 1]  # three rounds take more than 2 s
    left_out = [row["ns"][3] for row in rows if isinstance(row["ns"][3], str)]
    assert "too slow: estimated 250 s" in left_out
    for row in rows:  # 25 s at a million rows, where nothing was known before
        assert row["ns"][3] in (25_000, 2500, "too slow: estimated 250 s")
    assert any("too slow" in line for line in bench("summary").lines(json.loads(path.read_text())))


def test_rival_that_does_not_start_is_skipped_and_fastauc_is_not(
    bench, substituted, tmp_path, monkeypatch
):
    product, controlled = substituted
    path = tmp_path / "report.json"
    broken = "catboost"

    def reply(self, limit):
        if self.name == broken:
            raise product.NoAnswerError("crashed with status 1")
        return {"metrics": METRICS}

    monkeypatch.setattr(controlled, "reply", reply)
    assert product.run([], narrow(bench, path)) == 0
    report = json.loads(path.read_text())
    assert report["contestants"] == LABELS[:3]
    assert report["skipped"] == dict.fromkeys(LABELS[3:], "crashed with status 1")
    broken = "fastauc"
    with pytest.raises(SystemExit, match="fastauc: crashed with status 1"):
        product.run([], narrow(bench, tmp_path / "other.json"))


def test_contestants_are_measured_in_turn(bench, substituted):
    product, controlled = substituted
    live = {place: (controlled(label, 1, 1e9), "") for place, label in enumerate("abc")}
    timed = product.timed_in_turn(live, arguments(bench, "--rounds", "7"))
    assert [label for label, _ in controlled.asked] == list("abc") * 3  # over 2 seconds
    assert timed == {0: [0.25] * 3, 1: [0.25] * 3, 2: [0.25] * 3}


def test_answers_that_differ_are_failures_unless_known(bench):
    product = bench("product")
    contestants = [Substitute("fastauc", 1, 0), Substitute("fastauc", 2, 0)]
    contestants += [Substitute("scipy", 1, 0), Substitute("catboost", 1, 0)]
    cell = row_of([])
    almost = float(np.nextafter(0.75, 1))

    def judged(answers, distribution="uniform", exact=0.75, notes=()):
        notes = dict(notes)
        case = cell | {"distribution": distribution}
        failed = product.judged(case, contestants, dict(enumerate(answers)), notes, exact)
        return notes, [text.split(": ")[1] for text in failed]

    assert judged([0.75, 0.75, almost, 0.7500001]) == ({}, [])
    assert judged([almost] * 4) == ({}, ["fastauc"])
    assert judged([0.75, almost, 0.75, 0.75])[1] == ["fastauc, 2 threads"]
    assert judged([0.75, 0.75, 0.8, 0.75]) == ({2: "differs by 0.07"}, ["scipy"])
    assert judged([0.75, 0.75, 0.8, 0.75], "float32") == ({2: "differs by 0.07"}, [])
    assert judged([0.75, 0.75, np.nan, 0.75])[1] == ["scipy"]
    crash = {3: "crashed with status -11"}
    assert judged([0.75] * 3, notes=crash) == (crash, ["catboost"])


def test_report_is_replaced_as_a_whole(bench, tmp_path, monkeypatch):
    product = bench("product")
    path = tmp_path / "report.json"
    report = {"seed": 0, "not_reached": [["a", 1]], "cells": [row_of([1, 2.5]), row_of([None])]}
    product.write(path, report)
    text = path.read_text()
    assert json.loads(text) == report
    assert sum(line.startswith('{"metric"') for line in text.splitlines()) == 2
    empty = report | {"not_reached": [], "cells": []}
    monkeypatch.setattr(product.os, "replace", lambda *paths: None)  # killed just before
    product.write(path, empty)
    assert path.read_text() == text
    monkeypatch.undo()
    product.write(path, empty)
    assert json.loads(path.read_text()) == empty
    assert os.listdir(tmp_path) == ["report.json"]


def searching():
    """Return the variable with which a process finds the fastauc that is tested."""
    places = [str(Path(fastauc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, places))}


def test_process_that_does_not_answer_is_ended_and_started_again(bench, monkeypatch, tmp_path):
    product = bench("product")
    monkeypatch.setenv("PYTHONPATH", searching()["PYTHONPATH"])
    process = product.Process("fastauc", 1, time.monotonic() + 600)
    try:
        assert process.reply(100)["metrics"]
        with pytest.raises(product.NoAnswerError, match="crashed with status 1"):
            process.ask(100, "measure", rows="never loaded")
        case = {"n": 1000, "distribution": "uniform", "prevalence": 0.5, "seed": 0}
        bench("contestant").Maker().make(tmp_path, **case)
        request = {"folder": str(tmp_path), "metric": METRICS[1], "rows": "", "keep_below": 9}
        answer = process.ask(100, "answer", **request)["answer"]
        with pytest.raises(product.NoAnswerError, match="no answer within 0 s"):
            process.reply(0)  # waits for what was not asked
        assert process.ask(100, "answer", **request)["answer"] == answer
        process.deadline = time.monotonic()
        with pytest.raises(product.OutOfTimeError):
            process.reply(100)
    finally:
        process.stop()


def test_product_runs(tmp_path):
    path = tmp_path / "report.json"
    command = [sys.executable, str(BENCH / "run.py"), "--suite", "product", "--rounds", "1"]
    command += ["--sizes", "100", "20000", "--distributions", "uniform", "float16"]
    command += ["--prevalences", "0.5", "--rivals", "scikit-learn", "scipy", "--output", str(path)]
    process = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env=os.environ | searching()
    )
    assert process.returncode == 0, process.stdout + process.stderr
    report = json.loads(path.read_text())
    assert report["contestants"] == [*LABELS[:3], "scipy"]
    assert len(report["cells"]) == 8
    assert report["not_reached"] == report["failures"] == []
    for row in report["cells"]:
        assert all(ns > 0 for ns in row["ns"][:3])
        assert row["rounds"][:3] == [1, 1, 1]
        assert ("uniform_ns" in row) == (row["distribution"] == "float16")
        # scipy has no weights; whether it is right about float16 is its version's affair.
        assert (row["ns"][3] is None) == (row["metric"] == METRICS[1])
    again = [sys.executable, str(BENCH / "table.py"), str(path)]
    printed = subprocess.run(again, capture_output=True, text=True, timeout=60, check=True).stdout
    assert process.stdout.endswith(printed)


def test_summary_of_a_small_report(bench):
    rows = [
        row_of([10.0, 5.0, 400.0, 20.0, 4.0]),
        row_of([20.0, 10.0, 200.0, 10.0, None], distribution="beta", uniform_ns=8.0),
        row_of([10.0, 5.0, None, "refused: TypeError: no", None], distribution="float16"),
    ]
    kept = {"skipped": {"torchmetrics": "none"}, "repeated": [], "not_reached": [], "failures": []}
    report = kept | {"contestants": LABELS, "cells": rows, "runs": [{"seconds": 7}]}
    found = bench("summary").lines(report)
    one, two = (line for line in found if line.startswith("roc_auc_score"))
    # On one thread 40 and 10 times scikit-learn, 2 times and half of catboost's.
    assert one.split()[:5] == ["roc_auc_score", "1000", "0.5", "1", "3"]
    assert "20, 10 (beta)" in one
    assert "1, 0.5 (beta, catboost)" in one
    assert one.endswith("2.50 (beta)")
    # On two 80 and 20 times; 4 / 5 of catboost's on two, 10 / 10 of catboost's on one.
    assert "40, 20 (beta)" in two
    assert "0.894, 0.8 (uniform, catboost, 2 threads)" in two
    slower = [line for line in found if " times: " in line and line.startswith("  ")]
    assert slower == [
        "  2.00 times: roc_auc_score, beta, 0.5, n = 1000: catboost 10, fastauc 20",
        "  1.25 times: roc_auc_score, uniform, 0.5, n = 1000: catboost, 2 threads 4, fastauc 5",
    ]
    assert "  catboost, float16: refused: TypeError: no" in found
    assert found[-2:] == ["not reached: 0 of the cells", "3 cells in 7 s"]
    report["not_reached"] = [["roc_auc_score", 1000, name, 0.5] for name in ("a", "b", "c", "d")]
    rows[0]["seconds"] = 177.0  # 60 on the average
    assert "not reached: 4 of the cells, some 4 minutes" in bench("summary").lines(report)
    report["not_reached"].append(["roc_auc_score", 10**7, "a", 0.5])  # not known
    assert "not reached: 5 of the cells" in bench("summary").lines(report)
