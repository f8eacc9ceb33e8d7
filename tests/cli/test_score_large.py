"""The command line on data larger than the memory limit: what it prints, and how it is stopped."""

import itertools
import json
import os
import re
import shutil
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc._cli.output import progress_bar, say_interrupted
from fastauc._state_format import Kind
from fastauc.files import Progress, ScoringInterrupted
from fastauc.files._memory import check_limit, parse_size, rows_of_chunk, rows_to_keep
from fastauc.files._saved import read_saved
from support.programs import COMMAND, start_program
from support.reliability import NOT_SANITIZED

COLUMNS = ["--label=y", "--score=s"]
TINY = ["--memory-limit=1"]


def test_passes_end_where_the_bounds_are_close_enough(run, records, folder, monkeypatch):
    command = ["score", folder, *COLUMNS, *TINY]
    (exact,), (rough,) = records(*command), records(*command, "--tol=1")
    assert [len(row["passes"]) for row in (exact, rough)] == [2, 1]
    assert rough["lower"]["auc"] < exact["auc"] < rough["upper"]["auc"]
    monkeypatch.setenv("COLUMNS", "200")
    title = run(*command, "--tol=1")[1].split()
    assert title[:5] == ["score", "auc", "auc_lower", "auc_upper", "gini"]


def test_merged_states(run, records, folder, tmp_path):
    paths = [tmp_path / path.stem for path in sorted(folder.iterdir())]
    for path in paths:
        assert run("score", folder / f"{path.name}.parquet", *COLUMNS, "--state", path)[0] == 0
    whole = records("score", folder, *COLUMNS, *TINY, "--one-pass")
    assert records("merge", *paths, "--state", tmp_path / "all") == whole
    assert records("merge", tmp_path / "all") == whole


def test_progress_bar_of_passes(terminal, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal())
    monkeypatch.setenv("COLUMNS", "120")  # narrower, the bar is cut off
    known = fastauc.streaming.ScoreInterval(0.75, 0.5, 1.0, False)
    exact = fastauc.streaming.ScoreInterval(0.25, 0.25, 0.25, True)
    with progress_bar(False) as show:
        for number, rows in ((1, 4000), (1, 8000), (2, 1000), (2, 2000)):
            show(Progress(number, rows, 12_000, (known, exact)))
            time.sleep(0.15)  # tqdm draws at most ten times a second
    shown = sys.stderr.getvalue()
    intervals = r"rows/s, auc 0\.500000\.\.1\.000000, 0\.250000\.\.0\.250000\]"
    assert re.search(r"pass 1: .* 8\.00k/12\.0k .*" + intervals, shown)
    assert re.search(r"pass 2: .* 2\.00k/12\.0k .*" + intervals, shown)


# Memory -------------------------------------------------------------------------------------------


def test_sizes():
    known = {"1": 1, "2GB": 2 * 10**9, "2 gb": 2 * 10**9, "1.5k": 1500, "512MiB": 512 * 2**20}
    known |= {"1Ti": 2**40, "10B": 10}
    assert {text: parse_size(text) for text in known} == known
    for text in ("", "GB", "-1", "1e9", "1 G B", "inf", "٣GB", "0.1"):
        with pytest.raises(ValueError, match="is not a size"):
            parse_size(text)


def test_the_default_is_half_of_what_there_is(tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    own = tmp_path / "cgroup"
    own.write_text("12:cpu,memory:/a/b\n0::/c/d\n3:cpuset:/e\n")
    for path, text in {
        "memory/a/memory.limit_in_bytes": "6000",
        "memory/memory.limit_in_bytes": str(2**63 - 4096),
        "c/d/memory.max": "max",
        "c/memory.max": "5000",
        "e/memory.max": "1",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{text}\n")
    open_there = open

    def open_here(path, *args, **kwargs):
        here = path.replace("/sys/fs/cgroup", str(tmp_path)).replace("/proc/self/cgroup", str(own))
        return open_there(here, *args, **kwargs)

    monkeypatch.setattr("builtins.open", open_here)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, 0))
    assert check_limit(None) == 2500
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (16_000, 0))
    assert check_limit(None) == 2000
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 3, "SC_PAGE_SIZE": 1000}.get)
    assert check_limit(None) == 1500
    own.unlink()
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, 0))
    assert check_limit(None) == 2 * 10**9


def test_a_limit_that_no_job_can_keep():
    process = start_program(COMMAND, "score", "x.csv", *COLUMNS, "--memory-limit=200")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "200 bytes; expected 190000000 or more" in err
    assert "the counts of a column take up; see fastauc score --help\n" in err


@pytest.mark.parametrize("weighted", [False, True])
def test_the_plan_stays_within_the_limit(weighted):
    for n_scores in (1, 3):
        for limit in (10**9, 10**10):
            batch = rows_of_chunk(limit, n_scores, weighted, 16, is_first=False)
            kept = rows_to_keep(limit, n_scores, 2 * 10**5, weighted)
            of_row = 8 * (1 + n_scores + weighted)
            assert 16 * batch * of_row + kept * (16 if weighted else 8) < limit
            assert batch <= rows_of_chunk(limit, n_scores, weighted, 16, is_first=True)
            assert rows_to_keep(limit, n_scores, 10**6, weighted) < kept
    assert rows_of_chunk(1, 1, weighted, 16, is_first=True) == 2**12
    assert rows_to_keep(1, 1, 0, weighted) == 2**16


CHILD = """
    import resource, sys
    from fastauc._cli.main import main
    limit = int(sys.argv[1])
    if limit:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    code = main(sys.argv[2:])
    # Not ru_maxrss, which begins with what the parent took up.
    with open("/proc/self/status") as status:
        (peak,) = (line.split()[1] for line in status if line.startswith("VmHWM:"))
    print(peak, file=sys.stderr)
    sys.exit(code)
"""


@pytest.mark.ci
@NOT_SANITIZED
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux knows them")
def test_memory_stays_below_the_limit(tmp_path):
    rng = np.random.default_rng(0)
    n = 3_000_000
    pq.write_table(pa.table({"y": rng.random(n) < 0.5, "s": rng.random(n)}), tmp_path / "x.parquet")
    command = ["score", tmp_path / "x.parquet", *COLUMNS, "--json", "--memory-limit"]
    results = []
    for limit in (2 * 10**9, 4 * 10**8):
        process = start_program(CHILD, 3 * 10**9, *command, limit)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert int(err) * 1024 < limit
        results.append(json.loads(out))
    assert results[0]["auc"] == results[1]["auc"]
    assert ["passes" in row for row in results] == [False, True]


# Ctrl-C -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
def test_ctrl_c_tells_what_is_known(run, folder, tmp_path, monkeypatch, number):
    # Three files of a chunk each.
    path, read = tmp_path / "c", pq.ParquetFile.iter_batches
    command = ["score", folder, *COLUMNS, *TINY, "--threads=1", "--checkpoint", path]
    left = itertools.count(2 + 3 * (number - 1), -1)

    def interrupted(file, *args, **kwargs):
        if next(left) == 0:
            raise KeyboardInterrupt
        return read(file, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetFile, "iter_batches", interrupted)
        code, out, err = run(*command)
    assert (code, out) == (130, "")
    lines = err.splitlines()
    assert len(lines) == 2
    of = "these 8000 rows alone" if number == 1 else "all 12000 rows"
    begin = (
        f"fastauc: interrupted: in pass {number} after 8000 of 12000 rows: column 's': "
        f"AUC of {of} from "
    )
    assert lines[0].startswith(begin)
    lower, upper = map(float, lines[0].removeprefix(begin).split(" to "))
    read = sorted(folder.iterdir())[: 2 if number == 1 else 3]
    table = pa.concat_tables(map(pq.read_table, read))
    assert lower < fastauc.roc_auc_score(table["y"], table["s"]) < upper
    assert lines[1] == (f"fastauc: interrupted: the same command resumes from --checkpoint {path}")
    code, out, err = run(*command)
    counted = 8000 if number == 1 else 0  # a second pass begins anew
    assert (code, out.split()[0]) == (0, "score")
    place = f"in pass {number} after {counted} of 12000 rows"
    assert err == f"fastauc: note: resumed from --checkpoint {path} {place}\n"
    assert run(*command)[1:] == (out, "")  # nothing is left to do


def test_ctrl_c_before_both_classes_are_seen(capsys):
    say_interrupted(ScoringInterrupted(Progress(1, 8000, None, ()), None), ["s"])
    assert capsys.readouterr().err == (
        "fastauc: interrupted: in pass 1 after 8000 rows: the two classes have not both been seen "
        "yet\n"
    )


# Large --------------------------------------------------------------------------------------------

N, N_FILES, N_CELLS = 18_500_000, 20, 10**6


def write_parts(folder, is_tied):
    """Write files of scores, and return their area.

    The rows of a cell are tied, or its positives are above its negatives, with scores of their own.
    """
    counts = np.zeros((2, N_CELLS + 1), np.int64)
    for i in range(N_FILES):
        rng = np.random.default_rng(i)
        y = rng.random(N) < 0.3
        cell = np.rint(N_CELLS / (1 + np.exp(-rng.normal(size=N) - y))).astype(int)
        counts += [np.bincount(cell[y == label], minlength=N_CELLS + 1) for label in (0, 1)]
        s = (cell + (0 if is_tied else (rng.random(N) + 2 * y) / 8)) / N_CELLS
        table = pa.table({"y": y, "s": s})
        pq.write_table(table, folder / f"{i:02}.parquet", compression="none", use_dictionary=False)
    neg, pos = counts
    below = np.cumsum(neg) - neg
    twice = (pos * (2 * below + (neg if is_tied else 2 * neg))).sum()
    return int(twice) / int(2 * neg.sum() * pos.sum())


def wait_for_pass(number, path, process):
    """Wait until rows of this pass are in the checkpoint."""
    while True:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.5)
        if os.path.exists(path):
            header = read_saved(path, Kind.CHECKPOINT)[0]
            if header["pass"][0] >= number and header["rows"][0] > 0:
                return


@pytest.mark.check("exact mode")
@pytest.mark.check("killed and resumed")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux knows them")
@pytest.mark.parametrize(("is_tied", "killed_in_pass"), [(True, 1), (False, 2)])
def test_three_gigabytes_below_their_size(tmp_path, is_tied, killed_in_pass):
    limit = 2_900_000_000
    folder = tmp_path / "parts"
    folder.mkdir()
    expected = write_parts(folder, is_tied)
    assert limit < 3e9 < sum(file.stat().st_size for file in folder.iterdir())

    command = [CHILD, limit, "score", folder, *COLUMNS, "--json", "--checkpoint-seconds=1"]

    def job(name):
        path = tmp_path / name
        return start_program(*command, "--checkpoint", path, "--state", f"{path}.state")

    killed = job("c")
    wait_for_pass(killed_in_pass, str(tmp_path / "c"), killed)
    killed.kill()
    assert killed.communicate() == ("", "")
    continued = job("c")
    out, err = continued.communicate()
    assert continued.returncode == 0, err
    note, peak = err.splitlines()
    assert f"resumed from --checkpoint {tmp_path / 'c'} in pass {killed_in_pass} after " in note
    assert int(peak) * 1024 < (limit - 1_200_000_000) / 2  # the limit of memory by default
    row = json.loads(out)
    assert row["auc"] == expected
    assert row["exact"]["auc"]
    assert row["n"] == N * N_FILES
    assert len(row["passes"]) >= killed_in_pass
    assert job("other").communicate()[0] == out
    one, other = (tmp_path / f"{name}.state" for name in ("c", "other"))
    assert one.read_bytes() == other.read_bytes()
    shutil.rmtree(folder)
