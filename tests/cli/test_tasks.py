"""What people of the trade ask first, from a folder that holds their file alone (R-25)."""

import json
import subprocess
import sys

import numpy as np
import pytest

from fastauc.inference import roc_auc_test
from support.programs import environment_of

N = 400
COMMAND = (
    "fastauc score loans.csv --label outcome --pos-label bad --score points --score pd --compare"
)
COMMAND += " --compare --missing drop --lower-is-positive points --by opened:month --ci --json"
COMMAND += " --delimiter ; --decimal ,"


def roc_auc(label, score):
    """The share of pairs in order, ties counted half, pair by pair."""
    pos, neg = score[label == 1][:, None], score[label == 0]
    return (2 * np.sum(pos > neg) + np.sum(pos == neg)) / (2 * pos.size * neg.size)


def write_loans(path):
    """Write a loan book in words: PDs, some missing, points that fall with risk, and dates.

    Return the months, what is bad, the PDs and the points.
    """
    rng = np.random.default_rng(25)
    pd = rng.beta(1, 4, N).round(2)
    is_bad = rng.random(N) < pd
    points = (600 - 300 * pd + rng.normal(0, 40, N)).round().astype(int)
    pd[rng.random(N) < 0.05] = np.nan
    month = np.array([f"2025-{month:02d}" for month in rng.integers(1, 4, N)])
    with open(path, "w", encoding="utf-8") as file:
        print("opened;outcome;pd;points", file=file)
        for i in range(N):
            shown = "" if np.isnan(pd[i]) else str(pd[i]).replace(".", ",")
            outcome = "bad" if is_bad[i] else "good"
            print(f"{month[i]}-{1 + i % 28:02d}", outcome, shown, points[i], sep=";", file=file)
    return month, is_bad, pd, points


def test_a_loan_book_by_month(tmp_path):
    month, is_bad, pd, points = write_loans(tmp_path / "loans.csv")
    run = subprocess.run(
        [sys.executable, "-m", *COMMAND.split()],
        capture_output=True,
        cwd=tmp_path,
        env=environment_of(),
        text=True,
        check=True,
    )
    assert run.stderr.count("\n") == 1
    assert f"{np.isnan(pd).sum()} rows dropped" in run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    figures = {(row["group"], row["score"]): row for row in found if row["type"] == "metrics"}
    tests = {row["group"]: row for row in found if row["type"] == "test"}
    groups = [None, *sorted(set(month))]
    assert list(figures) == [(group, score) for group in groups for score in ("points", "pd")]
    for group in groups:
        rows = ~np.isnan(pd) & (True if group is None else month == group)
        scores = {"points": -points[rows], "pd": pd[rows]}
        for name, score in scores.items():
            row = figures[group, name]
            assert row["auc"] == roc_auc(is_bad[rows], score)
            assert row["auc_ci_low"] < row["auc"] < row["auc_ci_high"]
        known = roc_auc_test(is_bad[rows], *scores.values())
        assert tests[group]["pvalue"] == pytest.approx(known.pvalue)
