"""The command line: its numbers are those of the API, and every mistake costs one line."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc._cli.main import main
from fastauc.files import _passes as passes

BREAST_CANCER = Path(__file__).parents[1] / "data" / "breast_cancer.csv"
KEYS = ["type", "score", "auc", "gini", "average_precision", "ks", "n", "positives", "tie_share"]


@pytest.fixture
def refused(run):
    """Run the command line on bad files, and return the one line that it must print."""

    def call(*arguments):
        code, out, err = run("score", *arguments)
        assert (code, out) == (1, "")
        assert err.startswith("fastauc: error: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err.removeprefix("fastauc: error: ").rstrip("\n")

    return call


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


def csv(path, text):
    path.write_text(text)
    return path


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


# Results ----------------------------------------------------------------------------------------


def test_json_holds_the_floats_of_the_api(run, real):
    code, out, err = run(
        "score", BREAST_CANCER, "--label=y_true", "--score=logistic", "--score=forest", "--json"
    )
    assert (code, err) == (0, "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == [expected(name, real["y_true"], real[name]) for name in ("logistic", "forest")]
    assert [list(row) for row in rows] == [KEYS, KEYS]
    assert rows[0]["auc"] == 75329 / 75684
    assert rows[1]["auc"] == 149507 / 151368
    assert rows[1]["tie_share"] == 555 / 75684


def test_table(run):
    code, out, err = run(
        "score", BREAST_CANCER, "--label", "y_true", "--score", "logistic", "--score", "forest"
    )
    assert (code, err) == (0, "")
    assert out == (
        "score          auc      gini  average_precision        ks    n  positives\n"
        "logistic  0.995309  0.990619           0.994192  0.953861  569        212\n"
        "forest    0.987705  0.975411           0.984761  0.920987  569        212\n"
    )


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "feather", "npy", "npz", "matrix"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_format_gives_the_numbers_of_the_api(run, tmp_path, real, ending, weighted):
    path = tmp_path / f"x.{ending}"
    label, score, weight = "y_true", "forest", "w"
    table = pa.table(real)
    if ending == "csv":
        pyarrow.csv.write_csv(table, path)
    elif ending == "parquet":
        pq.write_table(table, path, row_group_size=100)
    elif ending == "npz":
        np.savez_compressed(path, **real)
    elif ending == "npy":
        np.save(path, table.to_pandas().to_records(index=False))
    elif ending == "matrix":
        path = tmp_path / "x.npy"
        np.save(path, np.stack([real[label], real[score], real[weight]], axis=1))
        label, score, weight = "0", "1", "2"
    else:
        pyarrow.feather.write_feather(table, path)
    options = ["--weight", weight] if weighted else []
    code, out, err = run("score", path, "--label", label, "--score", score, "--json", *options)
    assert (code, err) == (0, "")
    assert json.loads(out) == expected(
        score, real["y_true"], real["forest"], real["w"] if weighted else None
    )


def test_several_files_are_one_table(run, tmp_path, real):
    rows = slice(0, 200), slice(200, 201), slice(201, None)
    first, second, third = ({name: real[name][part] for name in real} for part in rows)
    np.savez(tmp_path / "a.npz", **first)
    pyarrow.csv.write_csv(pa.table(second), tmp_path / "b.csv")
    parquet(tmp_path / "c.parquet", **third)
    files = [tmp_path / name for name in ("c.parquet", "a.npz", "b.csv")]
    code, out, _ = run("score", *files, "--label=y_true", "--score=forest", "--json")
    assert code == 0
    assert json.loads(out) == expected("forest", real["y_true"], real["forest"])


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


@pytest.mark.parametrize("options", [[], ["--memory-limit=1kB"]])
def test_integers_beyond_two_to_the_53_are_refused(refused, tmp_path, options):
    path = csv(tmp_path / "x.csv", f"y,s\n1,{2**53 + 1}\n0,{2**53}\n")
    said = f"{path}: column 's', row 1 is {2**53 + 1}; expected no integer beyond 2**53"
    assert refused(path, "--label=y", "--score=s", *options).startswith(said)


# Labels -----------------------------------------------------------------------------------------

SCORES = [0.1, 0.2, 0.3, 0.2]


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        ([0, 0, 1, 1], []),
        ([-1, -1, 1, 1], []),
        ([0.0, 0.0, 1.0, 1.0], []),
        ([False, False, True, True], []),
        ([False, False, True, True], ["--pos-label=True"]),
        ([True, True, False, False], ["--pos-label", "false"]),
        ([0, 0, 1, 1], ["--pos-label=1"]),
        ([1, 1, 0, 0], ["--pos-label", "0"]),
        ([1, 1, 2, 2], ["--pos-label", "2.0"]),
        ([-1, -1, -2, -2], ["--pos-label", "-2"]),
        ([0.5, 0.5, 1.5, 1.5], ["--pos-label=1.5"]),
        (np.array([0, 0, 1, 1], "u8") + np.uint64(2**63), [f"--pos-label={2**63 + 1}"]),
        (["good", "good", "bad", "bad"], ["--pos-label", "bad"]),
        (["1", "1", "0", "0"], ["--pos-label", "0"]),
        (["good", "good", "böse", "böse"], ["--pos-label", "böse"]),
    ],
)
def test_labels_and_positive_label(run, tmp_path, labels, options):
    path = parquet(tmp_path / "x.parquet", y=labels, s=SCORES)
    code, out, err = run("score", path, "--label=y", "--score=s", "--json", *options)
    assert (code, err) == (0, "")
    row = json.loads(out)
    assert (row["auc"], row["positives"], row["tie_share"]) == (0.875, 2, 0.25)


def test_text_labels_of_csv_and_numpy(run, tmp_path):
    labels = ["good", "good", "bad", "bad"]
    path = csv(tmp_path / "x.csv", "y,s\ngood,0.1\ngood,0.2\nbad,0.3\nbad,0.2\n")
    np.savez(tmp_path / "x.npz", y=labels, s=SCORES)
    for path in (tmp_path / "x.csv", tmp_path / "x.npz"):
        code, out, _ = run("score", path, "--label=y", "--score=s", "--json", "--pos-label=bad")
        assert (code, json.loads(out)["auc"]) == (0, 0.875)


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (
            ["good", "bad"],
            [],
            "holds the labels 'bad', 'good'; name the positive one with --pos-label",
        ),
        ([1, 2], [], "holds the labels 1, 2; name the positive one with --pos-label"),
        (["a", "a"], [], "holds the labels 'a'; name the positive one with --pos-label"),
        (["good", "bad"], ["Bad"], "has no label 'Bad'; it holds 'bad', 'good'"),
        ([0, 1], ["2"], "has no label '2'; it holds 0, 1"),
        ([0, 1], ["yes"], "has no label 'yes'; it holds 0, 1"),
        ([True, False], ["yes"], "has no label 'yes'; it holds False, True"),
        (
            ["0", "1"],
            [],
            "holds the labels '0', '1', which are text; name the positive one with --pos-label",
        ),
    ],
)
def test_labels_that_do_not_make_two_classes(refused, tmp_path, labels, options, message):
    path = parquet(tmp_path / "x.parquet", y=labels, s=[0.5] * len(labels))
    options = [f"--pos-label={label}" for label in options]
    assert refused(path, "--label=y", "--score=s", *options) == f"{path}: column 'y' {message}"


@pytest.mark.parametrize("options", [[], ["--memory-limit=1kB"]])
@pytest.mark.parametrize(
    ("labels", "pos_label", "listed", "row"),
    [
        ([1, 0, 0, 2, 2], "1", "3 distinct labels (0, 1, 2)", 4),
        ([1, 0, 0, 2, 0], "2", "3 distinct labels (0, 1, 2)", 4),
        (list("ffedcba"), "a", "6 distinct labels ('a', 'b', 'c', 'd', 'e', ...)", 4),
    ],
)
def test_a_third_label_is_found(refused, tmp_path, labels, pos_label, listed, row, options):
    command = ["--label=y", "--score=s", f"--pos-label={pos_label}", *options]
    path = parquet(tmp_path / "1.parquet", y=labels, s=[0.5] * len(labels))
    message = f"column 'y' holds {listed}, the third one in"
    assert refused(path, *command) == f"{path}: {message} {path}, row {row}; expected two"
    parquet(tmp_path / "0.parquet", y=labels[:2] * 3, s=[0.5] * 6)
    if labels[0] == 1:
        found = f"{tmp_path / '0.parquet'} and 1 more: {message} {path}, row {row}; expected two"
        assert refused(tmp_path, *command) == found


@pytest.mark.parametrize("weighted", [False, True])
def test_one_class_is_undefined_not_an_error(run, tmp_path, weighted):
    path = parquet(tmp_path / "x.parquet", y=[1, 1, int(not weighted)], s=SCORES[:3], w=[1, 1, 0])
    options = ["--weight=w"] if weighted else []
    command = ["score", path, "--label=y", "--score=s", *options]
    code, out, err = run(*command, "--json")
    assert code == 0
    row = json.loads(out)
    assert [key for key in KEYS if row[key] is None] == ["auc", "gini", "ks", "tie_share"]
    assert (row["average_precision"], row["n"]) == (1.0, 3)
    with_weight = " with positive weight" if weighted else ""
    assert err == (
        f"fastauc: warning: {path}: column 'y' holds only one class{with_weight}; values that need "
        "both are undefined\n"
    )
    assert run(*command)[1].split().count("-") == 3


# Refusals ---------------------------------------------------------------------------------------


def test_missing_file(refused, tmp_path):
    path = tmp_path / "x.csv"
    assert refused(path, "--label=y", "--score=s") == f"{path}: No such file or directory"
    assert "no file in this folder has a name ending in" in refused(
        tmp_path, "--label=y", "--score=s"
    )
    url = "https://host/x.csv"
    assert refused(url, "--label=y", "--score=s").startswith(f"{url}: URLs of this kind are not")


@pytest.mark.parametrize("ending", ["xlsx", "XLS", "ods"])
def test_spreadsheet(refused, tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(b"PK\x03\x04")  # also the first bytes of .npz
    message = f"{path}: spreadsheets are not read; save the sheet as CSV"
    assert refused(path, "--label=y", "--score=s") == message


NOT_UTF_8 = "müßig".encode("latin-1")


def as_parquet(label):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"y": pa.array(label).view(pa.string()), "s": [1, 2]}), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        ("csv", b"y,s\n%s,1\nflink,2\n" % NOT_UTF_8),
        ("csv", b"y,s\nflink,1\n%s,2\n" % NOT_UTF_8),
        ("jsonl", b'{"y": "%s", "s": 1}\n{"y": "flink", "s": 2}\n' % NOT_UTF_8),
        ("jsonl", b'{"y": 0, "s": 1}\n{"y": "%s"}' % NOT_UTF_8),
        ("parquet", as_parquet([NOT_UTF_8, b"flink"])),
    ],
)
def test_text_that_is_not_utf_8(refused, tmp_path, ending, content):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(content)
    message = f"{path}: column 'y' holds text that is not UTF-8; save the file as UTF-8"
    assert refused(path, "--label=y", "--score=s", "--pos-label=flink") == message


def test_unknown_column(refused):
    assert refused(BREAST_CANCER, "--label=y", "--score=forest") == (
        f"{BREAST_CANCER}: no column 'y'; there are 'y_true', 'logistic', 'forest'"
    )


OMIT = "to leave such rows out, use --missing drop"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y,s\n1,0.5\n0,high\n", "column 's', row 2 is 'high'; expected a number"),
        ("y,s\n1,0.5\n0,\n", f"column 's', row 2 is null; expected a value in every row; {OMIT}"),
        ("y,s\n1,0.5\n,0.5\n", "column 'y', row 2 is null; expected a value in every row"),
        ("y,s\n1,0.5\n0,-inf\n", "column 's', row 2 is -inf; expected finite numbers"),
        (
            "y,s\n1,0.5\n0\n",
            "cannot be read: CSV parse error: Row #3: Expected 2 columns, got 1: 0",
        ),
        ("y,s\n", "there are no rows"),
        ("", "the file is empty"),
    ],
)
def test_bad_csv(refused, tmp_path, text, message):
    path = csv(tmp_path / "x.csv", text)
    assert refused(path, "--label=y", "--score=s") == f"{path}: {message}"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0], "{}: column 'w', row 2 is -1.0; expected 0 or more"),
        ([1.0, float("nan")], "{}: column 'w', row 2 is nan; expected finite numbers"),
        (["1", "2"], "{}: column 'w' has type string; expected numbers"),
        ([0, 0], "{}: column 'w': Sample weights must contain at least one non-zero number."),
    ],
)
def test_bad_weights(refused, tmp_path, weights, message):
    path = parquet(tmp_path / "x.parquet", y=[0, 1], s=[0.1, 0.2], w=weights)
    line = refused(path, "--label=y", "--score=s", "--weight=w")
    assert line.startswith(message.format(path))


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather", "x.npy", "x.npz"])
def test_corrupt_file(refused, tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\x03\x04 not what the name says \x1b[31m\n" * 9)
    line = refused(tmp_path / name, "--label=y", "--score=s")
    assert f"{name}: cannot be read: " in line
    assert line.isprintable()


def test_files_that_disagree(refused, tmp_path):
    first = parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2])
    second = parquet(tmp_path / "b.parquet", y=["0", "1"], s=[0.1, 0.2])
    assert refused(first, second, "--label=y", "--score=s") == (
        f"{second}: column 'y' holds text, but numbers in {first}; expected the same in every file"
    )


def test_without_pyarrow(refused, run, tmp_path, monkeypatch):
    np.savez(tmp_path / "x.npz", y=[0, 1], s=[0.1, 0.2])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    line = refused(BREAST_CANCER, "--label=y_true", "--score=forest")
    assert line.endswith("install it with pip install 'fastauc[cli]'")
    code, out, err = run("score", tmp_path / "x.npz", "--label=y", "--score=s", "--json")
    assert (code, json.loads(out)["auc"], err) == (0, 1.0, "")


@pytest.mark.check("unusual paths")
def test_control_characters_do_not_reach_the_terminal(refused):
    line = refused("no\nsuch\x1b[31m\u202efile.csv", "--label=y", "--score=s")
    assert line == "no such\\x1b[31m\\u202efile.csv: No such file or directory"


def test_out_of_memory(refused, monkeypatch):
    def exhaust(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(passes, "stream", exhaust)
    assert refused(BREAST_CANCER, "--label=y", "--score=s") == "not enough memory"


# Usage ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["rank"],
        ["score", "x.csv"],
        ["score", "--label=y", "--score=s"],
        ["score", "x.csv", "--label=y"],
        ["score", "x.csv", "--label=y", "--score=s", "--threads=0"],
        ["score", "x.csv", "--label=y", "--score=s", "--threads=two"],
        ["score", "x.csv", "--lab=y", "--score=s"],
    ],
)
def test_wrong_usage(run, capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"fastauc: error: .+; see fastauc( [a-z]+)? --help\n", err)


@pytest.mark.parametrize(
    ("arguments", "command", "message"),
    [
        (
            ["score", "x.csv", "--label=y", "--score", "a", "b", "--quiet"],
            "fastauc score",
            "unrecognized arguments: b; --score takes one value and may be repeated: --score b",
        ),
        (
            ["score", "x.csv", "--label=y", "--score=a", "b"],
            "fastauc score",
            "unrecognized arguments: b; --score takes one value and may be repeated: --score b",
        ),
        (
            ["gains", "x.csv", "--label=y", "--score=a", "--label", "z", "b"],
            "fastauc gains",
            "unrecognized arguments: b",
        ),
        (
            ["merge", "x", "--jsno"],
            "fastauc merge",
            "unrecognized arguments: --jsno; --jsno: did you mean --json?",
        ),
        (
            ["score", "x.csv", "--lable=y", "--score=s"],
            "fastauc score",
            "the following arguments are required: --label; --lable: did you mean --label?",
        ),
        (["scroe", "x.csv"], "fastauc", "; scroe: did you mean score?"),
        (["curve", "rok", "x.csv"], "fastauc curve", "; rok: did you mean roc?"),
        (["curve", "ROC", "x.csv"], "fastauc curve", "; ROC: did you mean roc?"),
        (
            ["score", "x.csv", "--label=y", "--score=s", "--bogus"],
            "fastauc score",
            "unrecognized arguments: --bogus",
        ),
        (["score", "x.csv", "--", "--lable"], "fastauc score", "required: --label, --score"),
    ],
)
def test_wrong_usage_of_a_command_names_its_help(run, capsys, arguments, command, message):
    with pytest.raises(SystemExit, match="2"):
        run(*arguments)
    err = capsys.readouterr().err
    assert err.startswith("fastauc: error: ")
    assert err.endswith(f"{message}; see {command} --help\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz", "jsonl"])
def test_a_misspelled_column(refused, tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "csv":
        csv(path, "outcome,score\n1,2\n")
    elif ending == "jsonl":
        csv(path, '{"outcome": 1, "score": 2}\n')
    elif ending == "npz":
        np.savez(path, outcome=[1], score=[2])
    else:
        parquet(path, outcome=[1], score=[2])
    listed = f"{path}: no column 'outcom'; there are 'outcome', 'score'"
    assert refused(path, "--label=outcom", "--score=score") == (
        f"{listed}; did you mean 'outcome'?"
    )


def test_wrong_setting_of_threads(run, capsys, monkeypatch):
    monkeypatch.setenv("FASTAUC_NUM_THREADS", "many")
    with pytest.raises(SystemExit) as caught:
        run("score", BREAST_CANCER, "--label=y_true", "--score=forest")
    assert caught.value.code == 2
    assert "FASTAUC_NUM_THREADS is 'many'" in capsys.readouterr().err


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


@pytest.mark.parametrize(
    ("stream", "options", "drawn"),
    [(Terminal, [], True), (Terminal, ["--quiet"], False), (io.StringIO, [], False)],
)
def test_progress_bar(monkeypatch, capsys, stream, options, drawn):
    tqdm = pytest.importorskip("tqdm").tqdm
    monkeypatch.setattr(tqdm, "monitor_interval", 0)
    monkeypatch.setattr(sys, "stderr", stream())
    assert main(["score", str(BREAST_CANCER), "--label=y_true", "--score=forest", *options]) == 0
    assert ("rows" in sys.stderr.getvalue()) == drawn
    assert capsys.readouterr().out.startswith("score ")


def test_progress_bar_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["score", str(BREAST_CANCER), "--label=y_true", "--score=forest"]) == 0
    assert sys.stderr.getvalue() == ""


def test_standard_input(run, monkeypatch, real):
    content = BREAST_CANCER.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code, out, _ = run("score", "-", "--label=y_true", "--score=forest", "--json")
    assert (code, json.loads(out)) == (0, expected("forest", real["y_true"], real["forest"]))


def test_interrupt(run, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(passes, "stream", interrupt)
    assert run("score", BREAST_CANCER, "--label=y", "--score=s") == (130, "", "")


def start(*arguments, **streams):
    command = [sys.executable, "-m", "fastauc", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=Path(fastauc.__file__).parents[1], stderr=subprocess.PIPE, **streams
    )


def test_module_is_the_command():
    with BREAST_CANCER.open("rb") as file:
        process = start(
            *("score", "-", "--label=y_true", "--score=forest", "--json"),
            stdin=file,
            stdout=subprocess.PIPE,
        )
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["auc"] == 149507 / 151368


@pytest.mark.skipif(os.name != "posix", reason="closed pipes and signals as POSIX knows them")
def test_closed_pipe_is_quiet():
    reader, writer = os.pipe()
    os.close(reader)
    process = start("score", BREAST_CANCER, "--label=y_true", "--score=forest", stdout=writer)
    os.close(writer)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


@pytest.mark.check("failing disks")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_one_line():
    with Path("/dev/full").open("wb") as full:
        process = start("score", BREAST_CANCER, "--label=y_true", "--score=forest", stdout=full)
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert err == b"fastauc: error: [Errno 28] No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="closed pipes and signals as POSIX knows them")
def test_ctrl_c_while_waiting_for_input(heard):
    process = start(
        "score", "-", "--label=y", "--score=s", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    # More than a pipe holds: once it is written, the command is reading.
    process.stdin.write(b"y,s\n" + b"1,0.5\n" * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130  # while its input is still open
    assert process.communicate() == (b"", b"")
