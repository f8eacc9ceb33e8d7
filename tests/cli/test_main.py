"""The command line: its numbers are those of the API, and every mistake costs one line."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import fastauc
from fastauc._cli.main import main
from fastauc.files import _passes as passes
from support.file_columns import write_columns
from support.studies import BREAST_CANCER

REAL = ["score", BREAST_CANCER, "--label=y_true", "--score=forest"]
COLUMNS = ["--label=y", "--score=s"]
KEYS = ["type", "score", "auc", "gini", "average_precision", "ks", "n", "positives", "tie_share"]
KEYS += ["higher_is_positive"]
LIMITS = [[], ["--memory-limit=1kB"]]


# Results ----------------------------------------------------------------------------------------


def test_json_holds_the_floats_of_the_api(records):
    forest, logistic = records(*REAL, "--score=logistic")
    assert [*forest] == [*logistic] == KEYS
    assert (forest["auc"], logistic["auc"]) == (149507 / 151368, 75329 / 75684)
    assert forest["tie_share"] == 555 / 75684


@pytest.mark.parametrize(
    ("labels", "listed"),
    [(["good", "bad"], "'bad', 'good'"), (["1", "0"], "'0', '1', which are text")],
)
def test_words_need_a_positive_one(records, refused, tmp_path, labels, listed):
    path = write_columns(tmp_path / "x.parquet", {"y": labels, "s": [1, 2]})
    assert refused("score", path, *COLUMNS) == (
        f"{path}: column 'y' holds the labels {listed}; name the positive one with --pos-label"
    )
    assert records("score", path, *COLUMNS, "--pos-label", labels[1])[0]["auc"] == 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limit", LIMITS)
def test_one_class_is_undefined_not_an_error(run, tmp_path, weighted, limit):
    columns = {"y": [1, 1, int(not weighted)], "s": [1, 2, 3], "w": [1, 1, 0]}
    path = write_columns(tmp_path / "x.parquet", columns)
    command = ["score", path, *COLUMNS, *limit, *(["--weight=w"] if weighted else [])]
    code, out, err = run(*command, "--json")
    row = json.loads(out)
    assert code == 0
    assert [key for key in KEYS if row[key] is None] == ["auc", "gini", "ks", "tie_share"]
    assert (row["average_precision"], row["n"]) == (1.0, 3 - weighted)
    with_weight = " with positive weight" if weighted else ""
    assert err == (
        f"fastauc: warning: {path}: column 'y' holds only one class{with_weight}; values that need "
        "both are undefined\n"
    )
    assert run(*command)[1].split().count("-") == 3
    path = write_columns(tmp_path / "neg.parquet", {"y": [0, 0], "s": [1, 2], "g": [3, 4]})
    command = ["score", path, *COLUMNS, *limit, "--json"]
    for by, n_rows in ([], 1), (["--by=g"], 3):
        lines = [json.loads(line) for line in run(*command, *by)[1].splitlines()]
        assert [line["average_precision"] for line in lines] == [None] * n_rows


# Refusals ---------------------------------------------------------------------------------------

EMPTY = "empty or marked as missing (row 1 is below the header); expected a value in every row"
OMIT = "to leave such rows out, use --missing drop"


def test_bad_files(refused, tmp_path):
    for name, content, message in (
        ("x.csv", "y,s\n1,\n", f"column 's', row 1 is {EMPTY}; {OMIT}"),
        ("x.csv", "y,sc\n1,1\n", "no column 's'; there are 'y', 'sc'; did you mean 'sc'?"),
        ("x.csv", "y,z\n1,1\n", "no column 's'; there are 'y', 'z'"),
        ("x.xlsx", "PK\x03\x04", "spreadsheets are not read; save the sheet as CSV"),  # as in .npz
        ("x.XLS", "", "spreadsheets are not read; save the sheet as CSV"),
        ("x.ods", "", "spreadsheets are not read; save the sheet as CSV"),
    ):
        path = tmp_path / name
        path.write_text(content)
        assert refused("score", path, *COLUMNS) == f"{path}: {message}"


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.npy", "x.npz"])
def test_corrupt_file(refused, tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\x03\x04 not what the name says \x1b[31m\n" * 9)
    line = refused("score", tmp_path / name, *COLUMNS)
    assert f"{name}: cannot be read: " in line
    assert line.isprintable()


def test_files_of_several_formats(refused, tmp_path):
    write_columns(tmp_path / "a.parquet", {"y": [0, 1], "s": [0.1, 0.2]})
    (tmp_path / "c.csv").write_text("y,s\n1,2\n0,1\n")
    assert "files of several formats" in refused("score", tmp_path, *COLUMNS)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [(MemoryError, 1, "fastauc: error: not enough memory\n"), (KeyboardInterrupt, 130, "")],
)
def test_out_of_memory_and_interrupted(run, monkeypatch, error, code, said):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(passes, "stream", fail)
    assert run(*REAL) == (code, "", said)


def test_wrong_setting_of_threads(misused, monkeypatch):
    monkeypatch.setenv("FASTAUC_NUM_THREADS", "many")
    assert misused(*REAL).startswith("FASTAUC_NUM_THREADS is 'many'")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["score", "--help"]])
def test_version_and_help(run, capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: fastauc" if "--help" in arguments else "fastauc 0.")
    assert out.isascii()
    assert err == ""


# Terminal, pipes and signals --------------------------------------------------------------------


def test_progress_bar(terminal, monkeypatch, capsys):
    for stream, options, is_drawn in (
        (terminal, [], True),
        (terminal, ["--quiet"], False),
        (io.StringIO, [], False),
    ):
        monkeypatch.setattr(sys, "stderr", stream())
        assert main([*map(str, REAL), *options]) == 0
        assert ("rows" in sys.stderr.getvalue()) == is_drawn
        assert capsys.readouterr().out.startswith("score ")
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys, "stderr", terminal())
    assert main([*map(str, REAL)]) == 0
    assert sys.stderr.getvalue() == ""


def start(*arguments, **streams):
    command = [sys.executable, "-m", "fastauc", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=Path(fastauc.__file__).parents[1], stderr=subprocess.PIPE, **streams
    )


def test_module_is_the_command(records):
    standard_input = [REAL[0], "-", *REAL[2:], "--json"]
    with BREAST_CANCER.open("rb") as file:
        process = start(*standard_input, stdin=file, stdout=subprocess.PIPE)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert [json.loads(out)] == records(*REAL)


@pytest.mark.skipif(os.name != "posix", reason="closed pipes and signals as POSIX knows them")
def test_closed_pipe_is_quiet():
    reader, writer = os.pipe()
    os.close(reader)
    process = start(*REAL, stdout=writer)
    os.close(writer)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


@pytest.mark.check("failing disks")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_one_line():
    with Path("/dev/full").open("wb") as full:
        process = start(*REAL, stdout=full)
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert err == b"fastauc: error: [Errno 28] No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="closed pipes and signals as POSIX knows them")
def test_ctrl_c_while_waiting_for_input(heard):
    process = start("score", "-", *COLUMNS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    # More than a pipe holds: once it is written, the command is reading.
    process.stdin.write(b"y,s\n" + b"1,0.5\n" * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130  # while its input is still open
    assert process.communicate() == (b"", b"")
