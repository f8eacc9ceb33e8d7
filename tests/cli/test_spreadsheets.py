"""Results that go into a spreadsheet: the dialect of CSV, workbooks, and the tests beside them."""

import csv
import errno
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from fastauc._cli import written
from support.studies import breast_cancer

SCORES = ["--label=y", "--score=logistic", "--score=forest"]


@pytest.fixture
def semicolons(tmp_path, monkeypatch):
    """A file as a European spreadsheet saves it, with groups that look like formulas."""
    monkeypatch.chdir(tmp_path)
    columns = breast_cancer()
    y, (first, second) = columns["y_true"], (columns[name] for name in ("logistic", "forest"))
    groups = np.where(np.arange(len(y)) % 2, "=1+1", "007")
    with open("x.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["y", "logistic", "forest", "g"])
        for row in zip(y.tolist(), first.tolist(), second.tolist(), groups, strict=True):
            writer.writerow([str(value).replace(".", ",") for value in row])
    return ["x.csv", *SCORES, "--decimal=,"]


def read(path, delimiter, decimal):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    return [{name: row[name].replace(decimal, ".") for name in row} for row in rows]


COMMANDS = ["score --ci --by=g", "gains --bins=4", "threshold", "curve roc"]


@pytest.mark.parametrize("command", COMMANDS)
def test_csv_has_the_dialect_of_the_input(run, semicolons, command):
    def write(*options):
        assert run(*command.split(), *semicolons, "-o", "o.csv", *options)[0] == 0

    write()
    found = read("o.csv", ";", ",")
    assert len(found[0]) > 3
    assert "." not in re.sub(r"at or above [\d.]+", "", Path("o.csv").read_text())
    write("--out-decimal=.")
    assert found == read("o.csv", ",", ".")
    write("--out-decimal=.", "--out-delimiter=tab")
    assert found == read("o.csv", "\t", ".")
    write("--delimiter=;")
    assert found == read("o.csv", ";", ",")
    write("--out-delimiter=,")  # numbers in quotes
    assert found == read("o.csv", ",", ",")


def test_printed_curves_have_the_dialect_of_the_input(run, semicolons):
    assert run("curve", "roc", *semicolons)[1].startswith("score;fpr;tpr;threshold\nlogistic;0,0;0")


@pytest.mark.parametrize("by", [[], ["--by=g"]])
def test_tests_are_in_a_file_beside(run, records, semicolons, by):
    code, _, err = run("score", *semicolons, *by, "--compare", "-o", "o.csv")
    assert (code, err) == (0, "fastauc: note: the tests are in o-tests.csv\n")
    objects = records("score", *semicolons, *by, "--compare")
    for path, kind in [("o.csv", "metrics"), ("o-tests.csv", "test")]:
        rows = read(path, ";", ",")
        expected = [each for each in objects if each["type"] == kind]
        assert len(rows) == len(expected)
        for row, each in zip(rows, expected, strict=True):
            same = [name for name in row if isinstance(each[name], (int, float))]
            assert len(same) >= 5
            assert all(float(row[name]) == each[name] for name in same)
            assert not by or row["group"] == {None: "all rows", "=1+1": "'=1+1"}.get(
                each["group"], each["group"]
            )


def test_tests_of_an_earlier_command_are_said_to_be(run, semicolons):
    run("score", *semicolons, "--compare", "-o", "o.csv")
    Path("one.csv").write_text("y;s;t\n1;0,1;0,2\n1;0,3;0,1\n")
    command = ["one.csv", "--decimal=,", "--label=y", "--score=s", "--score=t", "--compare"]
    said = "warning: o-tests.csv is of an earlier command: there are no tests now\n"
    assert said in run("score", *command, "-o", "o.csv")[2]
    assert said not in run("score", *command, "-o", "p.csv")[2]


@pytest.mark.skipif(os.name != "posix", reason="a folder that cannot be written, as POSIX knows it")
def test_a_file_beside_that_cannot_be_written_is_refused_first(refused, semicolons):
    os.mkdir("o-tests.csv")
    said = refused("score", *semicolons, "--compare", "-o", "o.csv")
    assert said == f"o-tests.csv: cannot be written: {os.strerror(errno.EISDIR)}"
    assert not os.path.exists("o.csv")


# Workbooks ----------------------------------------------------------------------------------------


def sheets_of(path):
    """Return what a spreadsheet reads: by sheet, its rows; a formula would have the type "f"."""
    book = pytest.importorskip("openpyxl").load_workbook(path)
    for sheet in book:
        assert all(cell.data_type in "snb" for row in sheet.iter_rows() for cell in row)
        assert not any(cell.hyperlink for row in sheet.iter_rows() for cell in row)
    return {sheet.title: [list(row) for row in sheet.values] for sheet in book}


SHEETS = {"score": "metrics", "gains": "gains", "threshold": "thresholds", "curve": "roc"}


@pytest.mark.parametrize("command", [*COMMANDS, "score --compare --by=g", "gains --by=g --bins=2"])
def test_workbooks_hold_the_cells_of_csv(run, semicolons, command):
    """Numbers as numbers, and text as it is, never as a formula or a link."""
    options = [*command.split(), *semicolons]
    assert run(*options, "-o", "o.csv", "--raw")[0] == 0
    assert run(*options, "-o", "o.xlsx")[0] == 0
    files = {SHEETS[options[0]]: "o.csv"}
    files |= {"tests": "o-tests.csv"} if "--compare" in command else {}
    found = sheets_of("o.xlsx")
    assert list(found) == list(files)
    for name, path in files.items():
        header, *rows = found[name]
        expected = read(path, ";", ",")
        assert header == list(expected[0])
        assert len(rows) == len(expected)
        for row, cells in zip(rows, expected, strict=True):
            for column, value in zip(header, row, strict=True):
                if column.startswith("group"):
                    assert value in ("all rows", "=1+1", "007")
                if isinstance(value, (int, float)) and not isinstance(value, bool):  # 16 digits
                    assert value == pytest.approx(float(cells[column]), rel=1e-15, abs=0)
                else:
                    assert ("" if value is None else str(value)) == cells[column]


def test_links_and_names_in_a_workbook_are_text(run, tmp_path):
    names = ['=HYPERLINK("http://x")', "{=1+1}", "http://x.org", "-2", "a\x1bb"]
    n = len(names)
    np.savez(tmp_path / "x.npz", y=np.arange(4 * n) % 2, s=np.arange(4 * n), g=np.repeat(names, 4))
    path = tmp_path / "o.XLSX"
    options = [tmp_path / "x.npz", "--label=y", "--score=s", "--by=g", "-o", path]
    assert run("score", *options)[0] == 0
    first = path.read_bytes()
    (rows,) = sheets_of(path).values()
    assert {row[0] for row in rows[1:]} == {"all rows", *names[:-1], "a\\x1bb"}
    assert run("score", *options)[0] == 0
    assert path.read_bytes() == first


def test_more_rows_than_a_sheet_holds(refused, semicolons, monkeypatch):
    monkeypatch.setattr(written, "_MOST_ROWS", 20)
    said = refused("curve", "roc", *semicolons, "-o", "o.xlsx")
    assert said == "o.xlsx: a sheet holds 20 rows, and there are more; write a .csv file"
    assert not os.path.exists("o.xlsx")


def test_without_xlsxwriter(refused, semicolons, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    said = refused("score", *semicolons, "-o", "o.xlsx")
    assert said == "a .xlsx file needs XlsxWriter; install it with pip install 'fastauc[excel]'"


def test_no_space_for_temporary_files(refused, semicolons, monkeypatch):
    """XlsxWriter has an error of its own for them."""
    workbook = pytest.importorskip("xlsxwriter").Workbook

    def fail(book):
        for sheet in book.worksheets():
            sheet.row_data_fh.close()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(workbook, "_store_workbook", fail)
    said = refused("score", *semicolons, "-o", "o.xlsx")
    assert said == f"o.xlsx: cannot be written: {os.strerror(errno.ENOSPC)}"
    assert not os.path.exists("o.xlsx")
