"""The command line: its numbers are those of the API, and every mistake costs one line."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc._cli.main import main
from fastauc.files import _passes as passes

BREAST_CANCER = Path(__file__).parents[1] / "data" / "breast_cancer.csv"
REAL = ["score", BREAST_CANCER, "--label=y_true", "--score=forest"]
COLUMNS = ["--label=y", "--score=s"]
KEYS = ["type", "score", "auc", "gini", "average_precision", "ks", "n", "positives", "tie_share"]
LIMITS = [[], ["--memory-limit=1kB"]]


@pytest.fixture(scope="module")
def real():
    table = np.genfromtxt(BREAST_CANCER, delimiter=",", names=True)
    weight = np.random.default_rng(0).integers(0, 4, len(table)) / 2
    return {"w": weight} | {name: table[name] for name in table.dtype.names}


def expected(name, label, score, weight=None):
    counts = fastauc.confusion_matrix_at_thresholds(label, score, sample_weight=weight)
    options = {"sample_weight": weight}
    return {
        "type": "metrics",
        "score": name,
        "auc": fastauc.roc_auc_score(label, score, **options),
        "gini": fastauc.gini_score(label, score, **options),
        "average_precision": fastauc.average_precision_score(label, score, **options),
        "ks": fastauc.ks_score(label, score, **options),
        "n": len(label),
        "positives": int(sum(label == 1)),
        "tie_share": counts.tie_share(),
    }


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


# Results ----------------------------------------------------------------------------------------


def test_json_holds_the_floats_of_the_api(records, real):
    rows = records(*REAL, "--score=logistic")
    assert rows == [expected(name, real["y_true"], real[name]) for name in ("forest", "logistic")]
    assert [list(row) for row in rows] == [KEYS, KEYS]
    assert rows[0]["auc"] == 149507 / 151368
    assert rows[0]["tie_share"] == 555 / 75684
    assert rows[1]["auc"] == 75329 / 75684


def test_table(run):
    assert run(*REAL, "--score", "logistic") == (
        0,
        "score          auc      gini  average_precision        ks    n  positives\n"
        "forest    0.987705  0.975411           0.984761  0.920987  569        212\n"
        "logistic  0.995309  0.990619           0.994192  0.953861  569        212\n",
        "",
    )


@pytest.mark.parametrize("weight", [None, "w"])
def test_several_files_are_one_table(records, tmp_path, real, weight):
    rows = slice(0, 200), slice(200, 201), slice(201, None)
    first, second, third = ({name: real[name][part] for name in real} for part in rows)
    np.savez(tmp_path / "a.npz", **first)
    pyarrow.csv.write_csv(pa.table(second), tmp_path / "b.csv")
    parquet(tmp_path / "c.parquet", **third)
    files = [tmp_path / name for name in ("c.parquet", "a.npz", "b.csv")]
    options = [] if weight is None else ["--weight=w"]
    assert records("score", *files, "--label=y_true", "--score=forest", *options) == [
        expected("forest", real["y_true"], real["forest"], real.get(weight))
    ]


@pytest.mark.parametrize("weight", [[], ["--weight", "w"]])
def test_threads_do_not_change_a_bit(run, tmp_path, monkeypatch, weight):
    rng = np.random.default_rng(1)
    n = 500_000
    score = {f"s{i}": rng.normal(size=n).round(3 + i).astype(f"f{4 + 4 * i}") for i in range(2)}
    path = tmp_path / "x.npz"
    np.savez(path, y=rng.random(n) < 0.3, w=rng.random(n), **score)
    command = ["score", path, "--label=y", "--score=s0", "--score=s1", "--json", *weight]
    outputs = {run(*command, "--threads", threads)[1] for threads in (1, 2, 5)}
    outputs.add(run(*command)[1])
    monkeypatch.setenv("FASTAUC_NUM_THREADS", "3")
    outputs.add(run(*command)[1])
    for name in score:
        outputs.add(run(*command[:3], f"--score={name}", "--json", *weight)[1])
    assert len(outputs) == 3  # both columns, and each alone
    assert min(outputs, key=len) in max(outputs, key=len)


# Labels -----------------------------------------------------------------------------------------

SCORES = [0.1, 0.2, 0.3, 0.2]


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([False, False, True, True], "True"),
        ([-1, -1, -2, -2], "-2"),
        ([0.5, 0.5, 1.5, 1.5], "1.5"),
        (np.array([0, 0, 1, 1], "u8") + np.uint64(2**63), f"{2**63 + 1}"),
        (["1", "1", "0", "0"], "0"),
        (["good", "good", "böse", "böse"], "böse"),
    ],
)
def test_the_positive_label_is_text_of_any_type(records, tmp_path, labels, pos_label):
    path = parquet(tmp_path / "x.parquet", y=labels, s=SCORES)
    (row,) = records("score", path, *COLUMNS, "--pos-label", pos_label)
    assert (row["auc"], row["positives"], row["tie_share"]) == (0.875, 2, 0.25)


def test_labels_that_do_not_make_two_classes(refused, tmp_path):
    path, name_it = tmp_path / "x.parquet", "name the positive one with --pos-label"
    for labels, pos_label, message in (
        (["good", "bad"], [], f"holds the labels 'bad', 'good'; {name_it}"),
        (["a", "a"], [], f"holds the labels 'a'; {name_it}"),
        (["0", "1"], [], f"holds the labels '0', '1', which are text; {name_it}"),
        ([1, 2], [], f"holds the labels 1, 2; {name_it}"),
        (["good", "bad"], ["--pos-label=Bad"], "has no label 'Bad'; it holds 'bad', 'good'"),
        ([True, False], ["--pos-label=yes"], "has no label 'yes'; it holds False, True"),
    ):
        parquet(path, y=labels, s=[0.5] * len(labels))
        assert refused("score", path, *COLUMNS, *pos_label) == f"{path}: column 'y' {message}"


@pytest.mark.parametrize("limit", LIMITS)
def test_a_third_label_is_found(refused, tmp_path, limit):
    for name, labels in (("0", "aaaa"), ("1", "ffedcba")):
        parquet(tmp_path / f"{name}.parquet", y=list(labels), s=[0.5] * len(labels))
    assert refused("score", tmp_path, *COLUMNS, "--pos-label=a", *limit) == (
        f"{tmp_path / '0.parquet'} and 1 more: column 'y' holds 6 distinct labels ('a', 'b', 'c', "
        f"'d', 'e', ...), the third one in {tmp_path / '1.parquet'}, row 3; expected two"
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limit", LIMITS)
def test_one_class_is_undefined_not_an_error(run, tmp_path, weighted, limit):
    path = parquet(tmp_path / "x.parquet", y=[1, 1, int(not weighted)], s=SCORES[:3], w=[1, 1, 0])
    command = ["score", path, *COLUMNS, *limit, *(["--weight=w"] if weighted else [])]
    code, out, err = run(*command, "--json")
    row = json.loads(out)
    assert code == 0
    assert [key for key in KEYS if row[key] is None] == ["auc", "gini", "ks", "tie_share"]
    assert (row["average_precision"], row["n"]) == (1.0, 3)
    with_weight = " with positive weight" if weighted else ""
    assert err == (
        f"fastauc: warning: {path}: column 'y' holds only one class{with_weight}; values that need "
        "both are undefined\n"
    )
    assert run(*command)[1].split().count("-") == 3


# Refusals ---------------------------------------------------------------------------------------

OMIT = "to leave such rows out, use --missing drop"


def test_bad_files(refused, tmp_path):
    for name, content, message in (
        ("x.csv", "y,s\n1,0.5\n0,high\n", "column 's', row 2 is 'high'; expected a number"),
        ("x.csv", "y,s\n1,0.5\n0,-inf\n", "column 's', row 2 is -inf; expected finite numbers"),
        ("x.csv", "y,s\n,1\n1,1\n", "column 'y', row 1 is null; expected a value in every row"),
        ("x.csv", "y,s\n1,\n", f"column 's', row 1 is null; expected a value in every row; {OMIT}"),
        ("x.csv", "y,sc\n1,1\n", "no column 's'; there are 'y', 'sc'; did you mean 'sc'?"),
        ("x.csv", "y,z\n1,1\n", "no column 's'; there are 'y', 'z'"),
        ("x.xlsx", "PK\x03\x04", "spreadsheets are not read; save the sheet as CSV"),  # as in .npz
        ("x.XLS", "", "spreadsheets are not read; save the sheet as CSV"),
        ("x.ods", "", "spreadsheets are not read; save the sheet as CSV"),
    ):
        path = tmp_path / name
        path.write_text(content)
        assert refused("score", path, *COLUMNS) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, float("nan")], "column 'w', row 2 is nan; expected finite numbers"),
        (["1", "2"], "column 'w' has type string; expected numbers"),
        ([0, 0], "column 'w': Sample weights must contain at least one non-zero number."),
    ],
)
def test_bad_weights(refused, tmp_path, weights, message):
    path = parquet(tmp_path / "x.parquet", y=[0, 1], s=[0.1, 0.2], w=weights)
    assert refused("score", path, *COLUMNS, "--weight=w") == f"{path}: {message}"


def test_text_that_is_not_utf_8(refused, tmp_path):
    wrong = "müßig".encode("latin-1")
    labels = pa.array([wrong, b"flink"]).view(pa.string())
    parquet(tmp_path / "x.parquet", y=labels, s=[1, 2])
    (tmp_path / "0.csv").write_bytes(b"y,s\n%s,1\nflink,2\n" % wrong)
    (tmp_path / "1.csv").write_bytes(b"y,s\nflink,1\n%s,2\n" % wrong)
    (tmp_path / "0.jsonl").write_bytes(b'{"y": "%s", "s": 1}\n{"y": "flink", "s": 2}\n' % wrong)
    (tmp_path / "1.jsonl").write_bytes(b'{"y": 0, "s": 1}\n{"y": "%s"}' % wrong)
    for path in tmp_path.iterdir():
        message = f"{path}: column 'y' holds text that is not UTF-8; save the file as UTF-8"
        assert refused("score", path, *COLUMNS, "--pos-label=flink") == message


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.npy", "x.npz"])
def test_corrupt_file(refused, tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\x03\x04 not what the name says \x1b[31m\n" * 9)
    line = refused("score", tmp_path / name, *COLUMNS)
    assert f"{name}: cannot be read: " in line
    assert line.isprintable()


def test_files_of_several_formats(refused, tmp_path):
    parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2])
    (tmp_path / "c.csv").write_text("y,s\n1,2\n0,1\n")
    assert "files of several formats" in refused("score", tmp_path, *COLUMNS)


def test_without_pyarrow(refused, records, tmp_path, monkeypatch):
    np.savez(tmp_path / "x.npz", y=[0, 1], s=[0.1, 0.2])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert refused(*REAL).endswith("install it with pip install 'fastauc[cli]'")
    assert records("score", tmp_path / "x.npz", *COLUMNS)[0]["auc"] == 1


@pytest.mark.check("unusual paths")
def test_control_characters_do_not_reach_the_terminal(refused):
    line = refused("score", "no\nsuch\x1b[31m\u202efile.csv", *COLUMNS)
    assert line == "no such\\x1b[31m\\u202efile.csv: No such file or directory"


def test_out_of_memory(refused, monkeypatch):
    def exhaust(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(passes, "stream", exhaust)
    assert refused(*REAL) == "not enough memory"


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


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar(monkeypatch, capsys):
    tqdm = pytest.importorskip("tqdm").tqdm
    monkeypatch.setattr(tqdm, "monitor_interval", 0)
    for stream, options, is_drawn in (
        (Terminal, [], True),
        (Terminal, ["--quiet"], False),
        (io.StringIO, [], False),
    ):
        monkeypatch.setattr(sys, "stderr", stream())
        assert main([*map(str, REAL), *options]) == 0
        assert ("rows" in sys.stderr.getvalue()) == is_drawn
        assert capsys.readouterr().out.startswith("score ")
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main([*map(str, REAL)]) == 0
    assert sys.stderr.getvalue() == ""


def test_interrupt(run, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(passes, "stream", interrupt)
    assert run(*REAL) == (130, "", "")


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
