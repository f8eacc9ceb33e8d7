"""The table that results come in: its forms, and files that are replaced whole."""

import csv
import io
import math
import os
import sys

import numpy as np
import pandas as pd
import pytest

from fastauc import metrics

pl = pytest.importorskip("polars", reason="polars is not installed")

TABLE = metrics.gains_table([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5], bins=3)
ODD = metrics.ResultTable(
    {
        "name": np.array(['a "b", c', "<x> & y|z", "line\nbreak"]),
        "value": np.array([1 / 3, math.nan, -math.inf]),
        "n": np.array([1, 2, 3]),
    }
)


def test_it_is_a_mapping_of_arrays():
    assert len(TABLE) == 3
    assert TABLE.columns == TABLE.keys() == tuple(TABLE)
    assert dict(TABLE)["n_pos"].tolist() == TABLE["n_pos"].tolist() == [2, 1, 0]
    with pytest.raises(KeyError, match="no column 'gain'; there are bin, n, share"):
        TABLE["gain"]


def test_equality():
    again = metrics.ResultTable({name: ODD[name].copy() for name in ODD})
    assert again == ODD  # NaN too
    assert metrics.ResultTable({"n": ODD["n"]}) != ODD
    assert metrics.ResultTable({"n": ODD["n"]}) != metrics.ResultTable({"n": ODD["n"][:2]})
    assert metrics.ResultTable({"n": ODD["n"]}) != metrics.ResultTable({"n": ODD["n"] + 1})
    assert ODD != {"n": 1}
    with pytest.raises(TypeError, match="unhashable"):
        hash(ODD)


def test_to_dict_is_plain():
    columns = ODD.to_dict()
    assert columns["n"] == [1, 2, 3]
    assert {type(value) for values in columns.values() for value in values} == {int, float, str}


@pytest.mark.parametrize(("method", "library"), [("to_pandas", pd), ("to_polars", pl)])
def test_data_frames(method, library, monkeypatch):
    frame = getattr(TABLE, method)()
    assert isinstance(frame, library.DataFrame)
    assert list(frame.columns) == list(TABLE)
    for name in TABLE:
        np.testing.assert_array_equal(frame[name].to_numpy(), TABLE[name])
    name = library.__name__
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"^{method} needs {name}, which is not installed.$"):
        getattr(TABLE, method)()
    assert str(TABLE).split()[:2] == ["bin", "n"]


# Text -------------------------------------------------------------------------------------------


def test_csv_has_all_digits():
    text = ODD.to_csv()
    assert text == (
        'name,value,n\r\n"a ""b"", c",0.3333333333333333,1\r\n'
        '<x> & y|z,,2\r\n"line\nbreak",-inf,3\r\n'
    )
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [row[0] for row in read[1:]] == ODD["name"].tolist()
    names, *lines = csv.reader(io.StringIO(TABLE.to_csv(), newline=""))
    for name, fields in zip(names, zip(*lines, strict=True), strict=True):
        assert [float(field) for field in fields] == TABLE[name].tolist()


def test_markdown():
    lines = ODD.to_markdown().split("\n")
    assert lines[0] == "| name | value | n |"
    assert lines[1] == "| ---: | ---: | ---: |"
    assert lines[3] == "| <x> & y\\|z | nan | 2 |"


def test_text_is_aligned_and_not_wide():
    assert repr(metrics.ResultTable({"n": np.array([1, 20]), "x": np.array([0.5, 1 / 3])})) == (
        " n         x\n 1  0.500000\n20  0.333333"
    )
    blocks = repr(TABLE).split("\n\n")
    assert len(blocks) > 1
    for block in blocks:
        lines = block.split("\n")
        assert lines[0].split()[0] == "bin"
        assert len({len(line) for line in lines}) == 1
        assert len(lines[0]) <= 100
    names = [name for block in blocks for name in block.split("\n")[0].split()[1:]]
    assert ["bin", *names] == list(TABLE)


def test_long_tables_are_cut_where_they_are_shown_only():
    long = metrics.ResultTable({"n": np.arange(1000)})
    assert repr(long).split("\n")[1:22] == [*(f"{k:>3}" for k in range(20)), "..."]
    assert repr(long).split("\n")[41:] == ["999", "", "1000 rows"]
    assert long._repr_html_().count("<tr>") == 42
    assert long.to_csv().count("\r\n") == 1001
    assert repr(metrics.ResultTable({"n": np.arange(60)})).count("\n") == 60


# Files ------------------------------------------------------------------------------------------


def test_a_file_is_replaced_whole(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    assert TABLE.to_csv(path) is None
    assert path.read_bytes() == TABLE.to_csv().encode()
    assert ODD.to_csv(str(path)) is None
    assert path.read_bytes() == ODD.to_csv().encode()

    def fail(*paths):
        raise OSError(28, "No space left on device", *paths)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left on device"):
        TABLE.to_csv(path)
    assert path.read_bytes() == ODD.to_csv().encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_cannot_be_written(tmp_path):
    missing = tmp_path / "no" / "table.csv"
    with pytest.raises(FileNotFoundError) as raised:
        TABLE.to_csv(missing)
    assert raised.value.filename == str(missing)
    with pytest.raises(OSError, match="directory"):
        TABLE.to_csv(tmp_path)
    assert list(tmp_path.iterdir()) == []
