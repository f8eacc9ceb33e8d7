"""Chunks of files: the rows of read_columns, in bounded memory, from any row on."""

import io
import os
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc.files import (
    DataError,
    _numpy_format as numpy_files,
    _text_formats as csv_files,
    find,
    located,
    read_columns,
    score,
    stream_columns,
)
from fastauc.files._positives import Classes
from fastauc.files._reading import count_rows
from support.reliability import NOT_SANITIZED

N = 1_003
RNG = np.random.default_rng(0)
LABEL = RNG.random(N) < 0.4
COLUMNS = {
    "y": LABEL,
    "s": RNG.normal(size=N),
    "k": RNG.integers(-5, 5, N),
    "l": np.where(LABEL, "good", "bad"),
}
NUMERIC = ["s", "k"]
ENDINGS = ["csv", "parquet", "arrow", "npy", "npz"]


def write(path, columns, rows=100):
    """Write columns in the format that the path ends in, in parts of so many rows."""
    table = pa.table(columns)
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    elif path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=rows)
    elif path.suffix == ".arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    elif path.suffix == ".npz":
        np.savez(path, **columns)
    else:
        arrays = {name: np.asarray(values) for name, values in columns.items()}
        dtype = [(name, values.dtype) for name, values in arrays.items()]
        np.save(path, np.array(list(zip(*columns.values(), strict=True)), dtype=dtype))
    return path


def csv(path, text):
    path.write_text(text, newline="")
    return path


def joined(chunks, name):
    return np.concatenate([chunk.columns[name] for chunk in chunks])


def stream(paths, columns=("s",), **options):
    return list(stream_columns(paths, columns, **{"numeric": columns} | options))


def refusal(paths, columns=("s",), **options):
    paths = paths if isinstance(paths, list) else [paths]
    with pytest.raises(DataError) as caught:
        stream(paths, columns, **options)
    assert readers() == []
    return str(caught.value)


def readers():
    return [thread for thread in threading.enumerate() if "fastauc" in thread.name]


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut CSV and NumPy files into parts of a few rows."""
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 256)
    monkeypatch.setattr(numpy_files, "_WINDOW_BYTES", 256)


# The same rows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("use_threads", [False, True])
@pytest.mark.parametrize("batch_rows", [7, 100, 250, 1 << 20])
@pytest.mark.parametrize("ending", ENDINGS)
def test_chunks_are_the_rows_of_the_file(tmp_path, ending, batch_rows, use_threads, small_blocks):
    path = write(tmp_path / f"x.{ending}", COLUMNS)
    whole = read_columns([path], list(COLUMNS), numeric=NUMERIC)
    options = {"numeric": NUMERIC, "batch_rows": batch_rows, "use_threads": use_threads}
    for start in (0, 1, 99, 100, 101, 500, N - 1):
        chunks = stream([path], list(COLUMNS), start=(0, start), **options)
        assert chunks[0].first_row == start
        assert [chunk.end for chunk in chunks[:-1]] == [(0, c.first_row) for c in chunks[1:]]
        assert chunks[-1].end == (0, N)
        assert max(chunk.n_rows for chunk in chunks) <= batch_rows
        for name in COLUMNS:
            assert joined(chunks, name).tolist() == whole[name][start:].tolist()
    assert stream([path], start=(0, N)) == []
    assert {chunk.columns[name].dtype.name for chunk in chunks for name in NUMERIC} == {"float64"}


def test_small_row_groups_come_together(tmp_path):
    path = write(tmp_path / "x.parquet", COLUMNS, rows=10)
    assert [chunk.n_rows for chunk in stream([path], batch_rows=1 << 20)] == [N]
    assert sum(chunk.n_rows for chunk in stream([path], batch_rows=35)) == N


def test_files_follow_each_other(tmp_path):
    for i, ending in enumerate(ENDINGS):
        columns = {name: values[i * 200 : (i + 1) * 200] for name, values in COLUMNS.items()}
        write(tmp_path / f"part-{i}.{ending}", columns)
    write(tmp_path / "part-2b.parquet", {name: values[:0] for name, values in COLUMNS.items()})
    files = sorted(tmp_path.iterdir())
    chunks = stream(files, batch_rows=90)
    assert joined(chunks, "s").tolist() == COLUMNS["s"][:1000].tolist()
    names = [os.path.basename(chunk.source.shown) for chunk in chunks]
    assert names == sorted(names)
    for start in (chunk.end for chunk in chunks[:-1]):
        assert joined(stream(files, start=start), "s")[-1] == COLUMNS["s"][999]
    total = sum(len(joined(stream(files, start=chunks[i].end), "s")) for i in (3, 7))
    assert total == 2000 - sum(c.n_rows for i in (3, 7) for c in chunks[: i + 1])


def test_matrices_in_both_orders(tmp_path, small_blocks):
    matrix = RNG.normal(size=(50, 3))
    for order in "CF":
        np.save(tmp_path / f"{order}.npy", np.asarray(matrix, order=order))
        chunks = stream([tmp_path / f"{order}.npy"], ["2", "0"], start=(0, 7))
        assert len(chunks) > 3
        for name in ("2", "0"):
            assert joined(chunks, name).tolist() == matrix[7:, int(name)].tolist()


def test_header_of_npy_with_names_beyond_ascii(tmp_path):
    rows = np.array([(1, 0.5), (0, 0.25)], dtype=[("y", "i1"), ("größe ≥ 1", ">f4")])
    with pytest.warns(UserWarning, match="format 3.0"):
        np.save(tmp_path / "x.npy", rows)
    (chunk,) = stream([tmp_path / "x.npy"], ["größe ≥ 1"])
    assert chunk.columns["größe ≥ 1"].tolist() == [0.5, 0.25]
    assert chunk.columns["größe ≥ 1"].dtype.isnative


def test_standard_input_is_read_as_it_comes(monkeypatch, small_blocks):
    text = "y,s\n" + "".join(f"1,{i}\n" for i in range(100))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert joined(stream(["-"]), "s").tolist() == list(range(100))
    assert refusal("-") == "standard input: there is no data"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    with located(["-"]) as files:
        assert joined(stream(files), "s").tolist() == joined(stream(files), "s").tolist()
        assert files[0].shown == "standard input"


def test_rows_before_the_start_are_not_decoded(tmp_path):
    path = write(tmp_path / "x.parquet", COLUMNS)
    first = pq.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    start = first.dictionary_page_offset or first.data_page_offset
    content[start : start + first.total_compressed_size] = b"\xff" * first.total_compressed_size
    path.write_bytes(content)
    assert "cannot be read" in refusal(path, batch_rows=100)
    assert len(joined(stream([path], start=(0, 100), batch_rows=100), "s")) == N - 100


# Numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "i1", "u2", "i4", "u8", "i8", "?"])
def test_numeric_columns_are_floats_of_the_same_value(tmp_path, dtype):
    values = np.array([0, 1, 1], dtype)
    np.savez(tmp_path / "x.npz", s=values)
    paths = [tmp_path / "x.npz"]
    if dtype != ">f4":
        paths.append(write(tmp_path / "x.parquet", {"s": values}))
    for path in paths:
        column = joined(stream([path]), "s")
        assert column.dtype == ("f4" if dtype in ("f2", "f4", ">f4") else "f8")
        assert column.tolist() == [0, 1, 1]


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**62, 2**63 + 5])
@pytest.mark.parametrize("ending", ["parquet", "npz", "csv"])
def test_integers_that_would_be_rounded_are_refused(tmp_path, ending, value):
    values = np.array([0] * 20 + [value], np.uint64 if value > 2**63 else np.int64)
    path = write(tmp_path / f"x.{ending}", {"s": values})
    message = refusal(path, batch_rows=8)
    assert f"x.{ending}: column 's', row 21 is {value}; expected no integer beyond" in message
    kept = joined(stream([path], numeric=[]), "s")
    assert kept[-1] == value


def test_integers_up_to_two_to_the_53_are_exact(tmp_path):
    values = np.array([2**53, -(2**53), 2**53 - 1])
    for ending in ENDINGS:
        path = write(tmp_path / f"x.{ending}", {"s": values})
        assert joined(stream([path]), "s").tolist() == values.tolist()
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(f'{{"s": {value}}}\n' for value in (2**53, 0.5, -(2**53))))
    assert joined(stream([path]), "s").tolist() == [2**53, 0.5, -(2**53)]


@pytest.mark.parametrize(("text", "refused"), [("9007199254740993", True), ("1e300", False)])
@pytest.mark.parametrize("others", ["1\n2\n", "0.5\n-1e17\n"])
def test_long_integers_in_csv_do_not_depend_on_the_other_rows(tmp_path, text, refused, others):
    for content in (f"s\n{others}{text}\n", f"s\n{text}\n{others}"):
        path = csv(tmp_path / "x.csv", content)
        if refused:
            assert f"is {text}; expected no integer beyond 2**53" in refusal(path)
        else:
            assert float(text) in joined(stream([path]), "s")


def test_decimals(tmp_path):
    for digits in (15, 20):
        column = pa.array([Decimal("0." + "3" * (digits - 1))], pa.decimal128(digits, digits - 1))
        path = write(tmp_path / "x.parquet", {"s": column})
        if digits == 15:
            assert joined(stream([path]), "s").tolist() == [0.33333333333333]
        else:
            assert "'s' holds decimals with more than 15 digits" in refusal(path)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="no longer floats here")
def test_longer_floats(tmp_path):
    np.savez(tmp_path / "x.npz", s=np.array([1, 0.5], np.longdouble))
    assert joined(stream([tmp_path / "x.npz"]), "s").tolist() == [1, 0.5]
    np.savez(tmp_path / "x.npz", s=np.array([1, 1]) + np.array([0, 2**-60], np.longdouble))
    assert "row 2 is 1.0000000000000000009; expected numbers" in refusal(tmp_path / "x.npz")


# What is wrong, and where -----------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("value", "shown"), [(np.nan, "nan"), (-np.inf, "-inf"), (-0.5, "-0.5"), (None, "null")]
)
def test_bad_value_is_located(tmp_path, ending, value, shown, small_blocks):
    if value is None and ending.startswith("np"):
        pytest.skip("NumPy has no nulls")
    column = [0.5] * 400 + [value] + [0.5] * 9
    path = write(tmp_path / f"x.{ending}", {"k": [1] * 410, "s": column})
    shown = "null" if (ending, shown) == ("csv", "nan") else shown  # as pyarrow reads it
    for start in (0, 5, 400):
        message = refusal(path, nonnegative=["s"], batch_rows=90, start=(0, start))
        assert f"x.{ending}: column 's', row 401 is {shown}; expected" in message
    if shown != "null":
        assert len(joined(stream([path], start=(0, 401)), "s")) == 9


@pytest.mark.parametrize("ending", ENDINGS)
def test_wrong_columns(tmp_path, ending):
    path = write(tmp_path / f"x.{ending}", {"y": [0, 1], "s": [0.5, 0.25], "t": ["a", "b"]})
    assert "no column 'z'; there are 'y', 's', 't'" in refusal(path, ["s", "z"])
    expected = "is 'a'; expected a number" if ending == "csv" else "; expected numbers"
    assert refusal(path, ["t"]).endswith(expected)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("values", [[[1], [2]], [b"a", b"b"], [{"a": 1}, {"a": 2}]])
def test_types_that_are_no_column(tmp_path, ending, values):
    path = write(tmp_path / f"x.{ending}", {"y": values})
    assert "expected numbers, text or booleans" in refusal(path, ["y"], numeric=[])
    assert "expected numbers" in refusal(path, ["y"])


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_ambiguous_column(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    table = pa.table([[1], [2]], names=["y", "y"])
    if ending == "csv":
        csv(path, "y,y\n1,2\n")
    elif ending == "parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    assert "there are multiple columns named y" in refusal(path, ["y"])


def test_files_of_different_kinds(tmp_path):
    kinds = {"numbers": [0, 1], "text": ["0", "1"], "booleans": [False, True]}
    for first in kinds:
        a = write(tmp_path / "a.parquet", {"y": kinds[first]})
        for second in kinds:
            b = write(tmp_path / "b.parquet", {"y": kinds[second]})
            if first == second:
                assert len(stream([a, b], ["y"], numeric=[])) == 2
                continue
            message = refusal([a, b], ["y"], numeric=[])
            assert message == (
                f"{b}: column 'y' holds {second}, but {first} in {a}; "
                "expected the same in every file"
            )


def test_no_rows(tmp_path):
    for ending in ("parquet", "arrow", "npz"):
        write(tmp_path / f"x.{ending}", {"s": np.empty(0)})
    csv(tmp_path / "x.csv", "s,y\n")
    np.save(tmp_path / "x.npy", np.empty((0, 2)))
    for ending in ("parquet", "arrow", "npz", "csv"):
        assert refusal(tmp_path / f"x.{ending}").endswith(f"x.{ending}: there are no rows")
    assert refusal(tmp_path / "x.npy", ["1"]).endswith("x.npy: there are no rows")


def test_an_error_comes_after_the_chunks_before_it(tmp_path):
    good = write(tmp_path / "a.parquet", COLUMNS)
    bad = csv(tmp_path / "b.parquet", "PAR1 not what the name says")
    chunks = stream_columns([good, bad], ["s"], batch_rows=100)
    assert [next(chunks).n_rows for _ in range(11)] == [100] * 10 + [3]
    with pytest.raises(DataError, match=r"b\.parquet: cannot be read"):
        next(chunks)


def test_without_pyarrow(tmp_path, monkeypatch):
    for ending in ENDINGS:
        write(tmp_path / f"x.{ending}", COLUMNS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for ending in ENDINGS:
        if ending.startswith("np"):
            assert len(joined(stream([tmp_path / f"x.{ending}"]), "s")) == N
        else:
            assert "needs pyarrow; install it" in refusal(tmp_path / f"x.{ending}")


# CSV in blocks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffy,s\n" + "1,2\n" * 50,
        "\n\ny,s\r\n" + "1,2\r\n\r\n" * 50,
        "y,s\r" + "1,2\r" * 50,
        "y,s\n" + "1,2\n" * 49 + "1,2",
        'y,"s"\n' + '"1"," 2"\n' * 50,
        "y,other,s\n" + "1,[broken,2\n" * 25 + "1,7,2 \n" * 25,
        "y,other,s\n" + '1,"two\nlines, ""quoted""\n",2\n' * 49 + '1,"",2',
        "y,other,s\n" + '1,5" and ",2\n1,"a"b,2\n' * 25,
    ],
)
def test_csv_dialects(tmp_path, text, small_blocks):
    chunks = stream([csv(tmp_path / "x.csv", text)], ["y", "s"])
    assert joined(chunks, "y").tolist() == [1] * 50
    assert joined(chunks, "s").tolist() == [2] * 50


@pytest.mark.parametrize("use_threads", [False, True])
@pytest.mark.parametrize("block", [64, 1 << 12, 1 << 22])
@pytest.mark.parametrize("last", ["1,2,t\n", '1,2,"t\n', '1,2,"t"'])
def test_csv_quote_that_is_not_closed(tmp_path, monkeypatch, last, block, use_threads):
    """pyarrow loses the rows after it, on several threads or at the end of the file."""
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", block)
    text = "y,s,other\n" + '1,2,"t"\n' * 9 + '1,2,"t\n' + "1,2,t\n" * 200 + last
    path = csv(tmp_path / "x.csv", text)
    for longest in (1 << 10, 1 << 25):
        monkeypatch.setattr(csv_files, "_LONGEST_LINE", longest)
        message = refusal(path, ["y", "s"], use_threads=use_threads)
        assert "x.csv: line 11 begins a quoted value that does not end" in message
    with pytest.raises(DataError) as caught:
        score([path], label="y", score="s", n_jobs=2 if use_threads else 1)
    assert str(caught.value) == message


def test_csv_ragged_line_is_numbered_in_the_file(tmp_path, small_blocks):
    for n in (1, 2, 20, 100):
        path = csv(tmp_path / "x.csv", "y,s\n" + "1,2\n" * n + "0\n" + "1,2\n" * 50)
        message = f"CSV parse error: Row #{n + 2}: Expected 2 columns, got 1: 0"
        assert refusal(path).endswith(f"x.csv: cannot be read: {message}")


@pytest.mark.parametrize("text", ["high", "1_000", "\u0663", "true", "0x10", "2020-01-01"])
@pytest.mark.parametrize("n", [0, 1, 100])
def test_csv_text_where_numbers_are_expected(tmp_path, n, text, small_blocks):
    path = csv(tmp_path / "x.csv", "y,s\n" + "1,0.5\n" * n + f"1,{text}\n" + "0,1\n" * 9)
    message = refusal(path, ["y", "s"])
    assert message.endswith(f"x.csv: column 's', row {n + 1} is {text!r}; expected a number")


def test_long_text_is_shown_in_part(tmp_path):
    path = csv(tmp_path / "x.csv", "y,s\n1,0.5\n" + f"{'a' * 300},{'b' * 5000}\n")
    shown = f"'{'b' * 99}... (5002 characters)"
    assert refusal(path).endswith(f"column 's', row 2 is {shown}; expected a number")
    with pytest.raises(DataError) as caught:
        read_columns([path], ["s"], numeric=["s"])
    assert str(caught.value) == refusal(path)
    (chunk,) = stream([path], ["y"], numeric=[])
    with pytest.raises(DataError, match=r"holds the labels '1', 'a{99}\.\.\. \(302 char"):
        Classes(None, "x.csv").find_positives(chunk.columns["y"])


def test_csv_labels_keep_their_kind(tmp_path, small_blocks):
    def labels(*cells):
        text = "k,y\n" + "".join(f"1,{cell}\n" * 80 for cell in cells)
        return csv(tmp_path / "x.csv", text)

    def read(path):
        return joined(stream([path], ["y"], numeric=[]), "y").tolist()

    assert read(labels("1", "0.5")) == [1] * 80 + [0.5] * 80
    assert read(labels("true", "False")) == [True] * 80 + [False] * 80
    assert read(labels("a", "1")) == ["a"] * 80 + ["1"] * 80
    assert read(labels("2020-01-01")) == ["2020-01-01"] * 80
    assert read(csv(tmp_path / "x.csv", "y\n1\nno\n1\n")) == ["1", "no", "1"]  # in one block
    for first, second, expected in [
        ("1", "no", "a number"),
        ("0.5", "true", "a number"),
        ("0.5", "0x10", "a number"),
        ("true", "no", "true or false"),
        ("false", "0.5", "true or false"),
    ]:
        message = refusal(labels(first, second), ["y"], numeric=[])
        assert message.endswith(f"'y', row 81 is {second!r}; expected {expected}")
    assert "row 81 is null" in refusal(labels("1", ""), ["y"], numeric=[])


@pytest.mark.parametrize("cells", [(2**53 + 1,), (1, "no"), ("true", "no"), (0.5, "0x10")])
def test_csv_is_refused_alike_whether_or_not_its_rows_fit_into_memory(
    tmp_path, small_blocks, cells
):
    """A pipeline does not break because its file has grown."""
    text = "y,s\n" + "".join(f"{i % 2},{cell}\n" for cell in cells for i in range(80))
    path = csv(tmp_path / "x.csv", text)
    said = set()
    for limit in (None, 1):
        with pytest.raises(DataError) as caught:
            score([path], label="y", score="s", memory_limit=limit)
        said.add(str(caught.value))
    assert len(said) == 1


def test_csv_line_without_end(tmp_path, monkeypatch, small_blocks):
    monkeypatch.setattr(csv_files, "_LONGEST_LINE", 1000)
    path = csv(tmp_path / "x.csv", "s\n" + "1\n" * 100 + "0" * 2000)
    assert refusal(path).endswith("x.csv: a line is longer than 1000 bytes")


@pytest.mark.parametrize("use_threads", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_csv_lines_longer_than_the_parts_that_threads_read(tmp_path, end, use_threads):
    part = csv_files._PART_BYTES
    for n in (part - 10, part, 2 * part - 10, 2 * part, 5 * part, 9 * part):
        lines = ["y,s,other", "1,2,short", f"1,2,{'x' * n}", "1,2,short", f"1,2,{'x' * n}"]
        path = csv(tmp_path / "x.csv", end.join(lines + ["1,2,short"] * 50))
        chunks = stream([path], ["y", "s"], use_threads=use_threads)
        assert joined(chunks, "s").tolist() == [2] * 54


# Counts, threads, files and memory --------------------------------------------------------------


def test_rows_are_counted_where_the_format_tells(tmp_path):
    paths = {ending: write(tmp_path / f"x.{ending}", COLUMNS) for ending in ENDINGS}
    counts = {ending: count_rows(find([path])) for ending, path in paths.items()}
    assert counts == {"csv": None, "parquet": N, "arrow": N, "npy": N, "npz": None}
    assert count_rows(find([paths["parquet"], paths["npy"]])) == 2 * N
    assert count_rows(find([paths["parquet"], paths["csv"]])) is None
    paths["arrow"].write_bytes(b"ARROW1 not what the name says")
    with pytest.raises(DataError, match="cannot be read"):
        count_rows(find([paths["arrow"]]))


@pytest.mark.parametrize("ending", ENDINGS)
def test_stopping_early_leaves_no_thread_and_no_open_file(tmp_path, ending, small_blocks):
    for i in range(5):
        write(tmp_path / f"{i}.{ending}", COLUMNS)
    descriptors = Path("/proc/self/fd")
    before = sorted(os.listdir(descriptors)) if descriptors.exists() else []
    for taken in (0, 1, 4):
        chunks = stream_columns([tmp_path], ["s"], batch_rows=50)
        for _ in range(taken):
            next(chunks)
        chunks.close()
        assert readers() == []
        if before:
            assert sorted(os.listdir(descriptors)) == before


MEASURE = """
import sys
import pyarrow.csv, pyarrow.dataset, pyarrow.parquet
from fastauc.files import stream_columns

def kilobytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))

before = kilobytes("VmRSS:")
n = sum(c.n_rows for c in stream_columns(sys.argv[1:], ["s"], numeric=["s"], batch_rows=1 << 16))
print(n, kilobytes("VmHWM:") - before)
"""


@NOT_SANITIZED
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc of Linux")
@pytest.mark.parametrize(
    "ending",
    ["parquet", *(pytest.param(name, marks=pytest.mark.ci) for name in ("arrow", "npy", "csv"))],
)
def test_memory_is_bounded(tmp_path, ending):
    # At least 128 MiB of scores; in Parquet all of them in one row group.
    n = 1 << (23 if ending == "csv" else 24)
    path = tmp_path / f"x.{ending}"
    if ending == "csv":
        path.write_bytes(b"s\n" + b"0.12345678901234567890123\n" * n)
    else:
        scores = RNG.random(n)
        if ending == "npy":
            np.save(path, scores.reshape(n, 1))
            path = path.rename(tmp_path / "matrix.npy")
        else:
            write(path, {"s": scores}, rows=n if ending == "parquet" else 1 << 18)
    code = MEASURE.replace('"s"', '"0"') if ending == "npy" else MEASURE
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=Path(fastauc.__file__).parents[1],
        capture_output=True,
        check=True,
    )
    n_rows, kilobytes = map(int, run.stdout.split())
    assert n_rows == n
    # A CSV block of 4 MiB is in memory with its copy, its columns and the block before.
    assert kilobytes < 64 << 10
