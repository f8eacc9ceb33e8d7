"""What people of the trade ask first, from a folder that holds their file alone (R-25)."""

import json
import subprocess
import sys

import numpy as np
import pytest

import fastauc
from fastauc.inference import roc_auc_test
from support.programs import environment_of

N = 400


def roc_auc(label, score):
    """The share of pairs in order, ties counted half, pair by pair."""
    pos, neg = score[label == 1][:, None], score[label == 0]
    return (2 * np.sum(pos > neg) + np.sum(pos == neg)) / (2 * pos.size * neg.size)


@pytest.fixture
def command(tmp_path):
    """Run a program in the folder; return what it prints, and what it says beside it."""

    def call(*arguments):
        run = subprocess.run(
            [sys.executable, "-m", *arguments],
            capture_output=True,
            cwd=tmp_path,
            env=environment_of(),
            text=True,
        )
        assert run.returncode == 0, run.stderr
        return run.stdout, run.stderr

    return call


@pytest.fixture
def loans(tmp_path):
    """A loan book in words: PDs of which some are missing, points that fall with risk, dates."""
    rng = np.random.default_rng(25)
    pd = rng.beta(1, 4, N).round(2)
    outcome = np.where(rng.random(N) < pd, "bad", "good")
    points = (600 - 300 * pd + rng.normal(0, 40, N)).round().astype(int)
    day = [f"2025-{month:02d}-{1 + i % 28:02d}" for i, month in enumerate(rng.integers(1, 4, N))]
    is_missing = rng.random(N) < 0.05
    with open(tmp_path / "loans.csv", "w", encoding="utf-8") as file:
        print("opened,outcome,pd,points", file=file)
        for i in range(N):
            shown = "" if is_missing[i] else pd[i]
            print(day[i], outcome[i], shown, points[i], sep=",", file=file)
    month = np.array([each[:7] for each in day])
    return month, (outcome == "bad").astype(int), np.where(is_missing, np.nan, pd), points


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_loan_book_by_month(command, loans):
    month, bad, pd, _ = loans
    options = "--label outcome --pos-label bad --score pd --missing drop --by opened:month --ci"
    out, err = command("fastauc", "score", "loans.csv", *options.split(), "--json")
    assert err.count("\n") == 1
    assert f"{np.isnan(pd).sum()} rows dropped" in err
    found = {record["group"]: record for record in records(out)}
    assert list(found) == [None, *sorted(set(month))]
    for group, record in found.items():
        rows = ~np.isnan(pd) & (True if group is None else month == group)
        assert record["auc"] == roc_auc(bad[rows], pd[rows])
        assert record["auc_ci_low"] < record["auc"] < record["auc_ci_high"]


def test_points_against_a_pd(command, loans):
    _, bad, pd, points = loans
    options = "--label outcome --pos-label bad --score points --score pd --missing drop --compare"
    options += " --lower-is-positive points --json"
    found = records(command("fastauc", "score", "loans.csv", *options.split())[0])
    rows = ~np.isnan(pd)
    areas = {each["score"]: each["auc"] for each in found if each["type"] == "metrics"}
    assert areas["points"] == roc_auc(bad[rows], -points[rows])
    assert areas["pd"] == roc_auc(bad[rows], pd[rows])
    (test,) = [each for each in found if each["type"] == "test"]
    assert test["pvalue"] == pytest.approx(roc_auc_test(bad[rows], -points[rows], pd[rows]).pvalue)


def test_semicolon_and_comma(command, tmp_path):
    text = "ausfall;pd\n0;0,10\n1;0,35\n0;0,20\n1;0,15\n"
    (tmp_path / "kredite.csv").write_text(text, encoding="utf-8")
    options = ["--label=ausfall", "--score=pd", "--delimiter=;", "--decimal=,", "--json"]
    (record,) = records(command("fastauc", "score", "kredite.csv", *options)[0])
    assert record["auc"] == 0.75


@pytest.mark.parametrize("n", [2_000_000, pytest.param(20_000_000, marks=pytest.mark.ci)])
def test_more_rows_than_the_limit_holds(command, tmp_path, n):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rng = np.random.default_rng(7)
    label, score = rng.integers(0, 2, n, np.int8), rng.normal(size=n)
    parquet.write_table(pa.table({"y": label, "s": score}), tmp_path / "big.parquet")
    options = ["--label=y", "--score=s", "--memory-limit=200MB", "--json"]
    (record,) = records(command("fastauc", "score", "big.parquet", *options)[0])
    assert record["auc"] == fastauc.roc_auc_score(label, score)


def test_a_program_is_patched(command, loans, tmp_path):
    pytest.importorskip("sklearn")
    program = """
import csv
from sklearn.metrics import roc_auc_score
rows = list(csv.DictReader(open("loans.csv", encoding="utf-8")))
labels, points = [row["outcome"] == "bad" for row in rows], [float(row["points"]) for row in rows]
print(roc_auc_score(labels, [-each for each in points]))
"""
    (tmp_path / "evaluate.py").write_text(program, encoding="utf-8")
    out, err = command("fastauc.sklearn", "--verbose", "evaluate.py")
    _, bad, _, points = loans
    assert float(out) == roc_auc(bad, -points)
    assert err == "fastauc: calls served: 1 of roc_auc_score\n"
