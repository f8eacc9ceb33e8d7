"""Rows that lack a score: an error, or left out of every figure and counted in every output."""

import json
import math
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc.files import DataError, Dropped, _passes as passes, score
from support.file_columns import Interrupt, refusal, write_columns

RNG = np.random.default_rng(0)
N = 2_000
LABEL = (RNG.random(N) < 0.4).astype(int)
TABLE = {
    "y": LABEL,
    "w": RNG.integers(1, 4, N) / 2,
    "g": RNG.choice(["north", "south"], N),
    "a": np.where(RNG.random(N) < 0.1, np.nan, LABEL + RNG.normal(size=N)),
    "b": np.where(RNG.random(N) < 0.2, np.nan, LABEL + RNG.integers(-3, 4, N)),
}
TABLE["a"][400:900] = np.nan  # whole chunks of a pass
LACKING = {name: np.isnan(TABLE[name]) for name in "ab"}
KEPT = ~(LACKING["a"] | LACKING["b"])
COMPLETE = {name: column[KEPT] for name, column in TABLE.items()}


def by_class(lacking):
    return int(sum(lacking & (LABEL == 0))), int(sum(lacking & (LABEL == 1)))


DROPPED = Dropped(*by_class(~KEPT), {name: by_class(LACKING[name]) for name in "ab"})
COLUMNS = {
    name: {
        "dropped_negatives": DROPPED.negatives,
        "dropped_positives": DROPPED.positives,
        "missing_negatives": DROPPED.by_score[name][0],
        "missing_positives": DROPPED.by_score[name][1],
    }
    for name in "ab"
}
BOTH = {"label": "y", "score": ["a", "b"]}
# What is missing is a null where the format has nulls.
write = partial(write_columns, nan_is_null=True)
COMMAND = ["--label=y", "--score=a", "--score=b", "--missing=drop"]


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "x.parquet", TABLE)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow", "jsonl", "npz"])
def test_figures_are_those_of_the_complete_rows(tmp_path, monkeypatch, ending, limit, weight):
    monkeypatch.setattr(passes, "rows_of_chunk", lambda *args, **options: 100)
    paths = [write(tmp_path / f"x.{ending}", TABLE)]
    options = {"weight": weight, "memory_limit": limit, "n_jobs": 2}
    for found in score(paths, **BOTH, **options, nan_policy="omit"):
        values = COMPLETE[found.score]
        weights = None if weight is None else COMPLETE["w"]
        area = fastauc.roc_auc_score(COMPLETE["y"], values, sample_weight=weights)
        assert found.roc_auc.estimate == pytest.approx(area, rel=0 if weight is None else 1e-15)
        assert (found.n, found.positives) == (sum(KEPT), sum(COMPLETE["y"]))
        assert found.dropped == DROPPED
    for policy in ({}, {"nan_policy": "raise"}):
        with pytest.raises(DataError, match=r"column 'a', row \d+ is (null|nan|empty or)"):
            score(paths, **BOTH, **options, **policy)


def test_a_column_alone_keeps_its_rows(path):
    for name in "ab":
        (found,) = score([path], label="y", score=name, nan_policy="omit")
        assert found.n == N - sum(LACKING[name])
        assert found.dropped == Dropped(*by_class(LACKING[name]), {name: by_class(LACKING[name])})


@pytest.mark.parametrize("limit", [None, 1])
def test_nothing_is_missing(tmp_path, limit):
    path = write(tmp_path / "x.parquet", COMPLETE)
    strict = score([path], **BOTH, memory_limit=limit)
    lenient = score([path], **BOTH, memory_limit=limit, nan_policy="omit")
    assert [each[:9] for each in strict] == [each[:9] for each in lenient]
    assert {each.dropped for each in strict} == {None}
    for each in lenient:
        assert set(each.dropped.columns(each.score).values()) == {0}


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (pa.array([1, None, 3, 2, 2], pa.int64()), 4),
        (pa.array([1, None, 3, 2, 2], pa.uint64()), 4),
        (pa.array([0.5, 1, 3, 2, 2]).cast(pa.float16()), 5),
        (pa.array([1, None, 3, 2, 2], pa.decimal128(5, 2)), 4),
        (pa.array([0.5, math.nan, None, 2, 1], pa.float32()), 3),
        (pa.array([True, None, False, True, True]), 4),
        (pa.array([3, None, 1, 1, 4]).dictionary_encode(), 4),
    ],
)
@pytest.mark.parametrize("limit", [None, 1])
def test_nulls_of_every_type(tmp_path, values, kept, limit):
    path = tmp_path / "x.parquet"
    table = pa.table({"y": [1, 0, 0, 1, 0], "s": values})
    pq.write_table(table, path)
    (found,) = score([path], label="y", score="s", nan_policy="omit", memory_limit=limit)
    rows = [(row["y"], float(row["s"])) for row in table.to_pylist() if row["s"] is not None]
    labels, scores = zip(*[row for row in rows if not math.isnan(row[1])], strict=True)
    assert (found.n, found.roc_auc.estimate) == (kept, fastauc.roc_auc_score(labels, scores))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"y": [0, 1], "s": [None, None]}, "there is no row with all scores"),
        ({"y": [0, None, 1], "s": [1.0, 2.0, None]}, "column 'y', row 2 is null"),
        ({"y": [0, 1, 1], "s": [1.0, math.inf, None]}, "column 's', row 2 is inf; expected finite"),
        ({"y": [0, 1, 1], "s": [1, 2**53 + 1, None]}, "row 2 is 9007199254740993; expected no"),
        ({"y": [0, 1, 2], "s": [1.0, 2.0, None]}, "holds 3 distinct labels"),
    ],
)
@pytest.mark.parametrize("limit", [None, 1])
def test_what_stays_an_error(tmp_path, table, message, limit):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(table), path)
    options = {"pos_label": 1, "nan_policy": "omit", "memory_limit": limit}
    assert message in refusal(score, path, label="y", score="s", **options)


def test_a_job_goes_on_with_its_count(path, tmp_path, monkeypatch, fast_clock):
    monkeypatch.setattr(passes, "rows_of_chunk", lambda *args, **options: 100)
    options = BOTH | {"memory_limit": 1, "nan_policy": "omit", "checkpoint_seconds": 0}
    whole = score([path], **options)
    options["checkpoint"] = tmp_path / "c"
    with pytest.raises(KeyboardInterrupt):
        score([path], **options, progress=Interrupt(7))
    for _ in range(2):  # it goes on, and returns at once
        found = score([path], **options)
        assert [each[:9] for each in found] == [each[:9] for each in whole]
        assert [each.dropped for each in found] == [DROPPED, DROPPED]
    said = refusal(score, path, **options | {"nan_policy": "raise"})
    assert "nan_policy was 'omit', and is 'raise' now" in said


def test_impossible_options(path, tmp_path):
    with pytest.raises(ValueError, match="nan_policy"):
        score([path], **BOTH, nan_policy="propagate")
    with pytest.raises(ValueError, match="state is given, and nan_policy='omit'"):
        score([path], **BOTH, nan_policy="omit", state=tmp_path / "s")


# The command line ---------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [[], ["--memory-limit=1kB"]])
def test_score_shows_what_is_dropped(run, path, limit):
    code, out, err = run("score", path, *COMMAND, "--json", *limit)
    assert (code, err) == (0, f"fastauc: note: {path}: {DROPPED.sentence()}\n")
    for line in out.splitlines():
        row = json.loads(line)
        assert {name: row[name] for name in COLUMNS["a"]} == COLUMNS[row["score"]]
        assert row["auc"] == fastauc.roc_auc_score(COMPLETE["y"], COMPLETE[row["score"]])
    assert "dropped" not in run("score", path, *COMMAND, *limit)[1]
    assert "null; expected a value in every row" in run("score", path, *COMMAND[:-1], *limit)[2]


@pytest.mark.parametrize("limit", [[], ["--memory-limit=1kB"]])
def test_groups_have_their_own_numbers(run, path, limit):
    code, out, _ = run("score", path, *COMMAND, "--by=g", "--json", *limit)
    assert code == 0
    for line in out.splitlines():
        row = json.loads(line)
        chosen = TABLE["g"] == row["group"] if row["group"] else np.ones(N, bool)
        classes = "negatives", "positives"
        found = [row[f"{what}_{each}"] for what in ("dropped", "missing") for each in classes]
        lacking = LACKING[row["score"]]
        assert tuple(found) == (*by_class(~KEPT & chosen), *by_class(lacking & chosen))
        assert row["n"] == sum(KEPT & chosen)


def test_every_output_says_it(run, path, tmp_path):
    sentence = DROPPED.sentence()
    n = DROPPED.negatives + DROPPED.positives
    assert sentence.startswith(f"{n} rows dropped ({DROPPED.positives} positives): a is missing in")
    assert sentence in run("gains", path, *COMMAND)[2]
    for command in ("gains", "threshold"):
        for line in run(command, path, *COMMAND, "--json")[1].splitlines():
            row = json.loads(line)
            assert {name: row[name] for name in COLUMNS["a"]} == COLUMNS[row["score"]]
    assert sentence in run("curve", "roc", path, *COMMAND)[2]
    assert run("gains", path, *COMMAND, "-o", tmp_path / "o.md")[0] == 0
    assert sentence in (tmp_path / "o.md").read_text()
    pytest.importorskip("matplotlib")
    assert sentence in run("plot", "roc", path, *COMMAND, "-o", tmp_path / "o.svg")[2]
    assert sentence in run("report", path, *COMMAND, "-o", tmp_path / "o.html")[2]
    assert sentence in (tmp_path / "o.html").read_text()
