"""Files that are written: nothing beside them is harmed, modes are kept, links are followed."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from fastauc.files import merge_states, score
from fastauc.metrics import gains_table
from fastauc.reports import report

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes and links as POSIX knows them")
Y_TRUE, Y_SCORE = np.arange(300) % 3 % 2, np.arange(300) * 7 % 300 / 8
COLUMNS = {"label": "y", "score": "s"}
OPTIONS = ["x.npz", "--label=y", "--score=s"]


def by_command(*command):
    def write(run, path):
        assert run(*command, *OPTIONS, "-o", path)[0] == 0

    return write


def write_state(run, path):
    score("x.npz", **COLUMNS, state=path)


def write_checkpoint(run, path):
    if os.path.exists(path):  # an earlier one, as of an interrupted job
        with open("earlier", "rb") as earlier, open(path, "wb") as file:
            file.write(earlier.read())
    score("x.npz", **COLUMNS, checkpoint=path, memory_limit=190_000_000)


def write_merged(run, path):
    score("x.npz", **COLUMNS, state="one")
    merge_states(["one"], state=path)
    os.unlink("one")


WRITERS = {
    "score.csv": by_command("score"),
    "score.json": by_command("score"),
    "score.md": by_command("score"),
    "score.txt": by_command("score"),
    "gains.md": by_command("gains"),
    "gains.xlsx": by_command("gains"),
    "threshold.csv": by_command("threshold"),
    "curve.csv": by_command("curve", "roc"),
    "curve.xlsx": by_command("curve", "roc"),
    "plot.svg": by_command("plot", "roc"),
    "report.html": by_command("report"),
    "state": write_state,
    "merged": write_merged,
    "checkpoint": write_checkpoint,
    "table.csv": lambda run, path: gains_table(Y_TRUE, Y_SCORE).to_csv(path),
    "page.html": lambda run, path: report(Y_TRUE, Y_SCORE).save(path),
}


@pytest.fixture(params=WRITERS)
def written(request, tmp_path, monkeypatch, run):
    """Return the name of a file, and what writes it; all files fit into memory, but for one."""
    monkeypatch.chdir(tmp_path)
    np.savez("x.npz", y=Y_TRUE, s=Y_SCORE)
    if request.param == "checkpoint":
        monkeypatch.setattr("fastauc.files._passes.most_rows", lambda *_: 0)
        score("x.npz", **COLUMNS, checkpoint="earlier", memory_limit=190_000_000)
    os.mkdir("out")
    return request.param, lambda path: WRITERS[request.param](run, path)


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_what_lies_beside_stays_as_it_is(written):
    """A file or a link of any name that earlier versions took for their own."""
    name, write = written
    with open("precious", "w") as file:
        file.write("precious")
    os.symlink("../precious", f"out/{name}.new")
    os.symlink("../precious", f"out/.{name}.{os.getpid()}.new")
    before = sorted(os.listdir("out"))
    write(f"out/{name}")
    assert sorted(os.listdir("out")) == sorted([*before, name])
    assert Path("precious").read_text() == "precious"
    assert all(os.path.islink(f"out/{each}") for each in before)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o604])
def test_the_mode_of_a_file_is_kept(written, mode):
    name, write = written
    with open(f"out/{name}", "w"):
        pass
    os.chmod(f"out/{name}", mode)
    write(f"out/{name}")
    assert mode_of(f"out/{name}") == mode
    assert os.path.getsize(f"out/{name}") > 0


def test_a_new_file_has_the_mode_of_the_system(written):
    name, write = written
    before = os.umask(0o027)
    try:
        write(f"out/{name}")
    finally:
        os.umask(before)
    assert mode_of(f"out/{name}") == 0o640


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_written_through(written, exists):
    name, write = written
    os.mkdir("elsewhere")
    if exists:
        with open(f"elsewhere/{name}", "w"):
            pass
    os.symlink(f"../elsewhere/{name}", f"out/{name}")
    write(f"out/{name}")
    assert os.path.islink(f"out/{name}")
    assert os.listdir("out") == os.listdir("elsewhere") == [name]
    assert os.path.getsize(f"elsewhere/{name}") > 0


def test_an_error_leaves_nothing(written, monkeypatch):
    name, write = written

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((AssertionError, ValueError, OSError)):
        write(f"out/{name}")
    assert os.listdir("out") == []


def test_a_report_of_one_positive_says_so(run, tmp_path):
    pytest.importorskip("matplotlib")
    path, page = tmp_path / "x.csv", tmp_path / "x.html"
    path.write_text("y,s\n0,1\n0,2\n1,3\n")
    assert run("report", path, "--label=y", "--score=s", "-o", page)[:2] == (
        0,
        f"{page}: 3 rows, 1 positive; exact\n",
    )
