"""What people of the trade ask first, from a folder that holds their file alone.

Programs that run with scikit-learn patched are in integrations/test_sklearn_programs.py; commands
and notebook of the manual in package/test_docs.py.
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastauc import roc_auc_score
from fastauc.inference import roc_auc_test
from support.contract import exact_area
from support.programs import COMMAND, run_program

N = 400
LOANS = "score loans.csv --label outcome --pos-label bad --score points --score pd"
LOANS += " --compare --missing drop --lower-is-positive points --by opened:month --ci --json"
LOANS += " --delimiter ; --decimal ,"


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
    printed, said = run_program(COMMAND, *LOANS.split(), cwd=tmp_path)
    assert said.count("\n") == 1
    assert f"{np.isnan(pd).sum()} rows dropped" in said
    found = [json.loads(line) for line in printed.splitlines()]
    figures = {(row["group"], row["score"]): row for row in found if row["type"] == "metrics"}
    tests = {row["group"]: row for row in found if row["type"] == "test"}
    groups = [None, *sorted(set(month))]
    assert list(figures) == [(group, score) for group in groups for score in ("points", "pd")]
    for group in groups:
        rows = ~np.isnan(pd) & (True if group is None else month == group)
        scores = {"points": -points[rows], "pd": pd[rows]}
        for name, score in scores.items():
            row = figures[group, name]
            assert row["auc"] == exact_area(is_bad[rows], score)
            assert row["auc_ci_low"] < row["auc"] < row["auc_ci_high"]
        known = roc_auc_test(is_bad[rows], *scores.values())
        assert tests[group]["pvalue"] == pytest.approx(known.pvalue)


@pytest.mark.slow
def test_twenty_million_rows_under_a_limit(tmp_path):
    rng = np.random.default_rng(20)
    n = 20_000_000
    is_click = rng.random(n) < 0.02
    score = rng.normal(is_click, 1).astype(np.float32)
    table = pa.table({"click": is_click, "score": score})
    pq.write_table(table, tmp_path / "clicks.parquet", row_group_size=2**20)
    options = "--label=click", "--score=score", "--json", "--memory-limit=300MB"
    printed, _ = run_program(COMMAND, "score", tmp_path / "clicks.parquet", *options)
    (found,) = map(json.loads, printed.splitlines())
    assert (found["n"], found["positives"]) == (n, is_click.sum())
    assert found["auc"] == roc_auc_score(is_click, score)
    assert len(found["passes"]) == 2
