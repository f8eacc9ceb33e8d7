"""Names of groups and columns that a terminal or a spreadsheet would run."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastauc.groups import roc_auc_by_group

# Escape sequences, controls that turn the text around, line breaks; and formulas.
CONTROLS = ["\x1b]0;owned\x07", "a\x1b[2Jb", "\u202eb", "a\nall rows", "\x9b31m", "a\r\tb"]
FORMULAS = ['=HYPERLINK("http://x","y")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\uff1d1+1",
            "a;=1+1", " =1+1", "  @SUM(A1)", "a; -2+3"]  # fmt: skip
HARMLESS = ["north", "O'Neil", "a=b", "2024-03", "ä, ö", "a;b", "x@y.z"]
NAMES = [*CONTROLS, *FORMULAS, *HARMLESS]
TITLE = ["--title", "\x1b[2J & more"]
COMMANDS = ["score", "gains --bins=2", "threshold", "curve roc"]


@pytest.fixture
def command(request, tmp_path, monkeypatch):
    """Make a file whose groups and columns have these names, and return how it is read."""
    monkeypatch.chdir(tmp_path)
    n = 4 * len(NAMES)
    columns = {"y": np.arange(n) // 2 % 2, "g": np.repeat(NAMES, 4), "\x1b[2Js": np.arange(n) % 3}
    pq.write_table(pa.table(columns), "x.parquet")
    return ["x.parquet", "--label=y", "--score=\x1b[2Js", "--by=g"]


def cells_of(text):
    return {row["group"] for row in csv.DictReader(io.StringIO(text, newline=""))}


@pytest.mark.parametrize("kind", COMMANDS)
def test_nothing_reaches_the_terminal_raw(run, command, kind):
    _, out, err = run(*kind.split(), *command)
    for text in (out, err):
        assert all(line.isprintable() for line in text.split("\n"))
    # A group cannot make a line that looks like another.
    assert "\\nall rows" in out


@pytest.mark.parametrize("kind", COMMANDS)
def test_files_are_harmless_unless_they_are_to_be_raw(run, command, kind):
    assert run(*kind.split(), *command, "-o", "o.csv")[0] == 0
    found = cells_of(Path("o.csv").read_bytes().decode())
    assert {"all rows", *HARMLESS} <= found
    assert len(found) == len(NAMES) + 1
    for cell in found:
        assert cell.isprintable()
        parts = [part.lstrip() for part in cell.split(";")]
        assert not any(part[:1] in tuple("=+-@\uff1d") for part in parts if part)
    assert {"'-2+3", '\'=HYPERLINK("http://x","y")', "a;'=1+1", "\\x1b]0;owned\\x07"} <= found
    assert run(*kind.split(), *command, "-o", "o.csv", "--raw")[0] == 0
    assert cells_of(Path("o.csv").read_bytes().decode()) == {"all rows", *NAMES}


def test_formats_for_programs_keep_names(run, command):
    """JSON escapes what is not ASCII."""
    out = run("score", *command, "--json")[1]
    assert out.isascii()
    assert {json.loads(line)["group"] for line in out.splitlines()} == {None, *NAMES}
    for kind, name in [("score", "o.md"), ("score", "o.txt"), ("gains", "o.md")]:
        assert run(kind, *command, "-o", name)[0] == 0
        assert all(line.isprintable() for line in Path(name).read_text().split("\n"))


def test_pages_hold_no_controls(run, command):
    pytest.importorskip("matplotlib")
    assert run("report", *command, "-o", "o.html", *TITLE)[0] == 0
    text = Path("o.html").read_text()
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\\x1b[2Js" in text
    result = roc_auc_by_group([0, 1] * 8, range(16), [CONTROLS[0], CONTROLS[3]] * 8)
    text = result._repr_html_()
    assert text.isprintable()
    assert ascii(CONTROLS[0])[1:-1] in text


def test_numbers_are_no_formulas(run, tmp_path):
    """A negative threshold, and minus infinity, stay numbers."""
    np.savez(tmp_path / "x.npz", y=[0, 1, 0, 1], s=[-4.0, -3, -2, -1])
    path = tmp_path / "o.csv"
    assert run("threshold", tmp_path / "x.npz", "--label=y", "--score=s", "-o", path)[0] == 0
    (row,) = csv.DictReader(path.read_text().splitlines())
    assert float(row["threshold"]) < 0
