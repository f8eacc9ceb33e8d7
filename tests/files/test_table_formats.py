"""Folders of table formats, whose files also hold removed rows: refused, whatever the way in."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc._cli.main import main
from fastauc.files import DataError, find, score

RNG = np.random.default_rng(0)
# By format, what its folder holds beside files of rows, and the folder of these.
LAYOUTS = {
    "Delta Lake": ("_delta_log/00000000000000000000.json", "day=1"),
    "Iceberg": ("metadata/00001-6f2a.metadata.json", "data/day=1"),
    "Hudi": (".hoodie/hoodie.properties", "day=1"),
    "Paimon": ("manifest/manifest-list-6f2a-0", "bucket-0"),
    "Spark streaming": ("_spark_metadata/0", "day=1"),
    "Hive, overwritten": ("base_0000002/000000_0.parquet", "delta_0000001_0000001_0000"),
    "Hive, appended": ("delta_0000001_0000001/000000_0.parquet", "delta_0000002_0000002"),
    "DuckLake": ("ducklake-0193-6f2a.parquet", "more"),
}
WAYS = {
    "the folder": "table",
    "a folder inside it": "table/{}",
    "a pattern of folders": "ta*",
    "a pattern inside it": "table/{}/*.parquet",
    "a folder above it": ".",
    "a link to a folder inside it": "link",
    "a link to it": "whole",
}


def rows(n, shift):
    y_true = RNG.integers(0, 2, n)
    return pa.table({"y": y_true, "s": RNG.random(n) + shift * y_true})


@pytest.fixture(params=LAYOUTS)
def layout(request, tmp_path, monkeypatch):
    """Make a table, and return the name of a folder of rows in it."""
    mark, inside = LAYOUTS[request.param]
    for name in (mark, f"{inside}/part-0.parquet"):
        path = tmp_path / "table" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".parquet"):
            pq.write_table(rows(10, 0), path)
        else:
            path.write_text("{}")
    os.symlink(tmp_path / "table" / inside, tmp_path / "link")
    os.symlink(tmp_path / "table", tmp_path / "whole")
    monkeypatch.chdir(tmp_path)
    return inside


@pytest.mark.parametrize("way", WAYS)
def test_tables_are_refused_from_everywhere(layout, capsys, way):
    given = WAYS[way].format(layout)
    with pytest.raises(DataError, match="whose files also hold rows that it has removed") as caught:
        find([given])
    assert str(caught.value).startswith(f"{given}: ")
    assert "table is a" in str(caught.value)
    assert "rows = " in str(caught.value)
    assert str(caught.value).endswith("; fastauc.roc_auc_score(rows['LABEL'], rows['SCORE'])")
    assert main(["score", given, "--label", "y", "--score", "s"]) == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    assert error.endswith("; pyarrow.parquet.write_table(rows, 'FILE')\n")


def test_files_that_are_named_are_read_with_a_warning(layout, capsys):
    """Its library may have named them; or a shell has, in place of a pattern."""
    name = f"table/{layout}/part-0.parquet"
    with pytest.warns(UserWarning, match="expected only the files that its library lists"):
        (source,) = find([name])
    assert source.shown == name
    assert main(["score", name, "--label", "y", "--score", "s"]) == 0
    assert capsys.readouterr().err.startswith(f"fastauc: warning: {name}: ")


@pytest.mark.parametrize(
    "name",
    ["metadata/notes.json", "delta_1/x.csv", "base_line/x.csv", "_log/0.json", "ducklake.csv"],
)
def test_other_folders_are_no_tables(tmp_path, name):
    for each in (tmp_path / name, tmp_path / "a.csv"):
        each.parent.mkdir(parents=True, exist_ok=True)
        each.write_text("y\n1\n")
    assert find([tmp_path])


@pytest.mark.parametrize("change", ["overwrite", "delete"])
def test_a_real_delta_table(tmp_path, change):
    """What its own library hands over gives the AUC of the table: all files, or the rows."""
    deltalake = pytest.importorskip("deltalake", reason="the tables are written by deltalake")
    place = str(tmp_path / "table")
    deltalake.write_deltalake(place, rows(2000, 0))
    table = deltalake.DeltaTable(place)
    if change == "overwrite":
        deltalake.write_deltalake(place, rows(2000, 0.5), mode="overwrite")
    else:
        table.delete("y = 1 AND s < 0.4")
    with pytest.raises(DataError, match="is a Delta Lake table"):
        score([place], label="y", score="s")
    live = deltalake.DeltaTable(place)
    found = pa.table(live.to_pyarrow_table())
    expected = fastauc.roc_auc_score(found["y"].to_numpy(), found["s"].to_numpy())
    assert fastauc.roc_auc_score(found["y"], found["s"]) == expected
    with pytest.warns(UserWarning, match="is a Delta Lake table"):
        (column,) = score(live.file_uris(), label="y", score="s")
    assert column.roc_auc.estimate == expected
