"""Archives with one file, and compressed files of any name."""

import gzip
import io
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from fastauc.files import DataError, score
from support.file_columns import parquet_bytes

LINES = b"y,s\n0,0.1\n0,0.4\n1,0.35\n1,0.8\n"
TABBED = LINES.replace(b",", b"\t")
OBJECTS = b'{"y": 0, "s": 0.1}\n{"y": 0, "s": 0.4}\n{"y": 1, "s": 0.35}\n{"y": 1, "s": 0.8}\n'


def zipped(files, method=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def saved(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


ARRAYS = saved(y=[0, 0, 1, 1], s=[0.1, 0.4, 0.35, 0.8])
ADDED = {"__MACOSX/._x.csv": b"\0\5", ".DS_Store": b"\0", "data/": b""}
READ = {
    "x.csv.zip": zipped({"x.csv": LINES}),
    "x.zip": zipped({"x.csv": LINES}),
    "stored.csv.zip": zipped({"x.csv": LINES}, zipfile.ZIP_STORED),
    "within.zip": zipped({"data/x.csv": LINES} | ADDED),
    "tabs.zip": zipped({"x.tsv": TABBED}),
    "tabs.csv.zip": zipped({"x.tsv": TABBED}),  # the name within tells more
    "named.csv.zip": zipped({"x.txt": LINES}),
    "objects.zip": zipped({"x.jsonl": OBJECTS}),
    "guessed.zip": zipped({"x": OBJECTS}),
    "unnamed": zipped({"x": LINES}),
    "x.npz": ARRAYS,
    "arrays": ARRAYS,
    "arrays.zip": ARRAYS,
    "x.dat": gzip.compress(LINES),
    "y.dat": gzip.compress(OBJECTS),
    "z.csv": gzip.compress(LINES),
}
TWICE = gzip.compress(gzip.compress(LINES))
REFUSED = {
    "two.csv.zip": (
        zipped({"a.csv": LINES, "b.csv": LINES}),
        "the zip holds 2 files, such as a.csv and b.csv; expected one: unpack it",
    ),
    "none.zip": (zipped({}), "the zip holds 0 files; expected one: unpack it"),
    "hidden.zip": (zipped(ADDED), "the zip holds 0 files; expected one: unpack it"),
    "nested.csv.zip": (
        zipped({"x.csv.zip": READ["x.csv.zip"]}),
        "zip in zip; expected text: unpack it",
    ),
    "npz.zip": (zipped({"x.npz": zipped({"y.npy": b""})}), "zip in zip; expected text: unpack it"),
    "gzip.zip": (
        zipped({"x.csv.gz": READ["x.dat"]}),
        "gzip in zip; expected text: unpack it",
    ),
    "twice.csv.gz": (TWICE, "gzip in gzip; expected text: unpack it"),
    "table.zip": (
        zipped({"x.parquet": parquet_bytes(pa.table({"y": [0, 1]}))}),
        "parquet compressed by zip; expected it uncompressed",
    ),
    "bzip2.zip": (
        zipped({"x.csv": LINES}, zipfile.ZIP_BZIP2),
        "x.csv in the zip is not compressed by deflate; unpack it",
    ),
    "cut.csv.zip": (READ["x.csv.zip"][:-30], "cannot be read: File is not a zip file"),
}


@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize("name", READ)
def test_what_is_recognized(tmp_path, name, limit):
    (tmp_path / name).write_bytes(READ[name])
    (column,) = score(tmp_path / name, label="y", score="s", memory_limit=limit)
    assert (column.roc_auc.estimate, column.n) == (0.75, 4)


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path, name):
    content, said = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        score(tmp_path / name, label="y", score="s")
    assert str(caught.value) == f"{tmp_path / name}: {said}"


@pytest.mark.check("malformed files")
def test_a_zip_whose_check_sum_is_wrong(tmp_path):
    content = bytearray(READ["stored.csv.zip"])
    place = content.index(LINES) + LINES.index(b"0.1")
    content[place + 2] = ord("2")
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(DataError, match="Bad CRC-32"):
        score(tmp_path / "x.zip", label="y", score="s")


def test_a_folder_with_a_zip_and_its_file(tmp_path):
    (tmp_path / "x.csv").write_bytes(LINES)
    (tmp_path / "x.csv.zip").write_bytes(READ["x.csv.zip"])
    with pytest.raises(DataError, match=r"x\.csv and .*x\.csv\.zip, which may hold the same rows"):
        score(tmp_path, label="y", score="s")
