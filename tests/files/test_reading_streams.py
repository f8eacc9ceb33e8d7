"""Chunks of files: all rows in order, in bounded memory, from any row on."""

import gc
import io
import os
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from fastauc.files import (
    DataError,
    _text_formats as csv_files,
    find,
    score,
    stream_columns,
)
from fastauc.files._formats import format_of
from fastauc.files._sources import located
from support.file_columns import reading_threads, refusal as refusal_of, write_columns
from support.programs import MORE_MEMORY, run_program
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
ENDINGS = ["csv", "parquet", "arrow", "arrows", "npy", "npz"]


def csv(path, text):
    path.write_text(text, newline="")
    return path


def joined(chunks, name):
    return np.concatenate([chunk.columns[name] for chunk in chunks])


def stream(paths, columns=("s",), **options):
    return list(stream_columns(paths, columns, **{"numeric": columns} | options))


def refusal(paths, columns=("s",), **options):
    message = refusal_of(stream, paths, columns, **options)
    assert reading_threads() == []
    return message


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut CSV files into parts of a few rows."""
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 256)


# The same rows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_a_chunk_of_several_windows(tmp_path, ending):
    """Of 4 MiB each."""
    n = (1 << 20) + 7
    values = np.random.default_rng(1).permutation(n)
    path = tmp_path / f"x.{ending}"
    np.save(path, values.astype([("s", "i8")])) if ending == "npy" else np.savez(path, s=values)
    for start in (0, 1, 1 << 19):
        chunks = stream([path], start=(0, start), batch_rows=1 << 20)
        np.testing.assert_array_equal(joined(chunks, "s"), values[start:])


@pytest.mark.parametrize("use_threads", [False, True])
@pytest.mark.parametrize("batch_rows", [7, 100, 250, 1 << 20])
@pytest.mark.parametrize("ending", ENDINGS)
def test_chunks_are_the_rows_of_the_file(tmp_path, ending, batch_rows, use_threads, small_blocks):
    path = write_columns(tmp_path / f"x.{ending}", COLUMNS)
    options = {"numeric": NUMERIC, "batch_rows": batch_rows, "use_threads": use_threads}
    for start in (0, 1, 99, 100, 101, 500, N - 1):
        chunks = stream([path], list(COLUMNS), start=(0, start), **options)
        assert chunks[0].first_row == start
        assert [chunk.end for chunk in chunks[:-1]] == [(0, c.first_row) for c in chunks[1:]]
        assert chunks[-1].end == (0, N)
        assert max(chunk.n_rows for chunk in chunks) <= batch_rows
        for name in COLUMNS:
            assert joined(chunks, name).tolist() == COLUMNS[name][start:].tolist()
    assert stream([path], start=(0, N)) == []
    assert {chunk.columns[name].dtype.name for chunk in chunks for name in NUMERIC} == {"float64"}


def test_small_row_groups_come_together(tmp_path):
    path = write_columns(tmp_path / "x.parquet", COLUMNS, rows=10)
    assert [chunk.n_rows for chunk in stream([path], batch_rows=1 << 20)] == [N]
    assert sum(chunk.n_rows for chunk in stream([path], batch_rows=35)) == N


def test_files_follow_each_other(tmp_path):
    n = N // len(ENDINGS)
    for i, ending in enumerate(ENDINGS):
        columns = {name: values[i * n : (i + 1) * n] for name, values in COLUMNS.items()}
        write_columns(tmp_path / f"part-{i}.{ending}", columns)
    write_columns(
        tmp_path / "part-2b.parquet", {name: values[:0] for name, values in COLUMNS.items()}
    )
    files = sorted(tmp_path.iterdir())
    chunks = stream(files, batch_rows=90)
    assert joined(chunks, "s").tolist() == COLUMNS["s"][: n * len(ENDINGS)].tolist()
    names = [os.path.basename(chunk.source.shown) for chunk in chunks]
    assert names == sorted(names)
    for start in (chunk.end for chunk in chunks[:-1]):
        assert joined(stream(files, start=start), "s")[-1] == COLUMNS["s"][n * len(ENDINGS) - 1]
    total = sum(len(joined(stream(files, start=chunks[i].end), "s")) for i in (3, 7))
    assert total == 2 * n * len(ENDINGS) - sum(c.n_rows for i in (3, 7) for c in chunks[: i + 1])


def test_matrices_in_both_orders(tmp_path):
    # More bytes than the 4 MiB that are read at once.
    matrix = RNG.normal(size=((1 << 18) + 7, 3))
    for order in "CF":
        np.save(tmp_path / f"{order}.npy", np.asarray(matrix, order=order))
        for batch_rows in (1 << 16, 1 << 20):
            chunks = stream(
                [tmp_path / f"{order}.npy"], ["2", "0"], start=(0, 7), batch_rows=batch_rows
            )
            assert len(chunks) == (4 if batch_rows == 1 << 16 else 2)
            for name in ("2", "0"):
                np.testing.assert_array_equal(joined(chunks, name), matrix[7:, int(name)])


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
    assert refusal("-") == "standard input: there are no rows"
    assert refusal(["-", "-"]) == "standard input can be read only once"
    for content, message in [
        (b"s,t\n1\n", "standard input: cannot be read: CSV parse error: Row #2"),
        (b"s\n1\nx\n", "standard input: column 's', row 2 is 'x'"),
    ]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert refusal("-").startswith(message)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    with located(["-"]) as files:
        assert joined(stream(files), "s").tolist() == joined(stream(files), "s").tolist()
        assert files[0].shown == "standard input"


def test_rows_before_the_start_are_not_decoded(tmp_path):
    path = write_columns(tmp_path / "x.parquet", COLUMNS)
    first = pq.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    start = first.dictionary_page_offset or first.data_page_offset
    content[start : start + first.total_compressed_size] = b"\xff" * first.total_compressed_size
    path.write_bytes(content)
    assert "cannot be read" in refusal(path, batch_rows=100)
    assert len(joined(stream([path], start=(0, 100), batch_rows=100), "s")) == N - 100


# What is wrong, and where -----------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("value", "shown"), [(np.nan, "nan"), (-np.inf, "-inf"), (-0.5, "-0.5"), (None, "null")]
)
def test_bad_value_is_located(tmp_path, ending, value, shown, small_blocks):
    if value is None and ending.startswith("np"):
        pytest.skip("NumPy has no nulls")
    column = [0.5] * 400 + [value] + [0.5] * 9
    path = write_columns(tmp_path / f"x.{ending}", {"k": [1] * 410, "s": column})
    if ending == "csv" and shown in ("nan", "null"):  # which pyarrow reads alike
        shown = "empty or marked as missing (row 1 is below the header)"
    for start in (0, 5, 400):
        message = refusal(path, nonnegative=["s"], batch_rows=90, start=(0, start))
        assert f"x.{ending}: column 's', row 401 is {shown}; expected" in message
    if not shown.startswith(("null", "empty")):
        assert len(joined(stream([path], start=(0, 401)), "s")) == 9


def test_an_error_comes_after_the_chunks_before_it(tmp_path):
    good = write_columns(tmp_path / "a.parquet", COLUMNS)
    bad = csv(tmp_path / "b.parquet", "PAR1 not what the name says")
    chunks = stream_columns([good, bad], ["s"], batch_rows=100)
    assert [next(chunks).n_rows for _ in range(11)] == [100] * 10 + [3]
    with pytest.raises(DataError, match=r"b\.parquet: cannot be read"):
        next(chunks)


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
    message = refusal(path, ["y", "s"], use_threads=use_threads)
    assert "x.csv: line 11 begins a quoted value that does not end" in message
    n_jobs = 2 if use_threads else 1
    assert refusal_of(score, path, label="y", score="s", n_jobs=n_jobs) == message


def test_csv_ragged_line_is_numbered_in_the_file(tmp_path, small_blocks):
    for n in (1, 2, 20, 100):
        path = csv(tmp_path / "x.csv", "y,s\n" + "1,2\n" * n + "0\n" + "1,2\n" * 50)
        message = f"CSV parse error: Row #{n + 2}: Expected 2 columns, got 1: 0"
        assert refusal(path).endswith(f"x.csv: cannot be read: {message}")


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
    assert "row 81 is empty or marked as missing" in refusal(labels("1", ""), ["y"], numeric=[])


def test_csv_line_without_end(tmp_path):
    longest = 1 << 25
    path = csv(tmp_path / "x.csv", "s\n" + "1\n" * 100 + "0" * (longest + (1 << 22)))
    assert refusal(path).endswith(f"x.csv: a line is longer than {longest} bytes")
    path = csv(path, 'y,s\n1,"2\n' + "1,2\n" * (9 << 20))
    assert "x.csv: line 2 begins a quoted value that does not end" in refusal(path)


@pytest.mark.parametrize("use_threads", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_csv_lines_longer_than_the_parts_that_threads_read(tmp_path, end, use_threads):
    part = 1 << 19
    for n in (part - 10, part, 2 * part - 10, 2 * part, 5 * part, 9 * part):
        lines = ["y,s,other", "1,2,short", f"1,2,{'x' * n}", "1,2,short", f"1,2,{'x' * n}"]
        path = csv(tmp_path / "x.csv", end.join(lines + ["1,2,short"] * 50))
        chunks = stream([path], ["y", "s"], use_threads=use_threads)
        assert joined(chunks, "s").tolist() == [2] * 54


# Counts, threads, files and memory --------------------------------------------------------------


def test_rows_are_counted_where_the_format_tells(tmp_path):
    silent = {"csv", "npz", "arrows"}
    if not hasattr(ipc.RecordBatchFileReader, "count_rows"):  # old pyarrow
        silent.add("arrow")
    for ending in ENDINGS:
        (source,) = find([write_columns(tmp_path / f"x.{ending}", COLUMNS)])
        assert format_of(source).count_rows(source) == (None if ending in silent else N)
    (tmp_path / "x.arrow").write_bytes(b"ARROW1 not what the name says")
    (source,) = find([tmp_path / "x.arrow"])
    with pytest.raises(DataError, match="cannot be read"):
        format_of(source).count_rows(source)


@pytest.mark.parametrize("use_threads", [False, True])
def test_files_before_a_damaged_one_are_read(tmp_path, use_threads):
    paths = [write_columns(tmp_path / f"{i}.parquet", COLUMNS) for i in range(4)]
    paths[2].write_bytes(paths[2].read_bytes()[:-9])
    chunks = stream_columns(paths, ["y", "s"], batch_rows=3 * N, use_threads=use_threads)
    assert [next(chunks).file, next(chunks).file] == [0, 1]
    with pytest.raises(DataError, match=r"2\.parquet: cannot be read"):
        next(chunks)


@pytest.mark.parametrize("ending", ENDINGS)
def test_stopping_early_leaves_no_thread_and_no_open_file(tmp_path, ending, small_blocks):
    for i in range(5):
        write_columns(tmp_path / f"{i}.{ending}", COLUMNS)
    descriptors = Path("/proc/self/fd")
    gc.collect()  # files that tests before this one have left
    before = sorted(os.listdir(descriptors)) if descriptors.exists() else []
    for taken in (0, 1, 4):
        chunks = stream_columns([tmp_path], ["s"], batch_rows=50)
        for _ in range(taken):
            next(chunks)
        chunks.close()
        assert reading_threads() == []
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
        path.write_bytes(b"s\n" + b"0.10000000000000000555112\n" * n)
    else:
        scores = RNG.random(n)
        if ending == "npy":
            np.save(path, scores.reshape(n, 1))
            path = path.rename(tmp_path / "matrix.npy")
        else:
            write_columns(path, {"s": scores}, rows=n if ending == "parquet" else 1 << 18)
    code = MEASURE.replace('"s"', '"0"') if ending == "npy" else MEASURE
    n_rows, kilobytes = map(int, run_program(code, path)[0].split())
    assert n_rows == n
    # A CSV block of 4 MiB is in memory with its copy, its columns and the block before.
    assert kilobytes << 10 < (64 << 20) + MORE_MEMORY
