"""Reading columns: every format, every type, and one sentence for whatever is wrong."""

import io
import os
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from fastauc.files import DataError, read_columns
from fastauc.files._sources import describe
from support.reliability import tried

LABEL = [0, 1, 1, 0]
SCORE = [0.25, 0.5, 1.5, -2.0]


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def refusal(paths, columns, **options):
    paths = paths if isinstance(paths, list) else [paths]
    with pytest.raises(DataError) as caught:
        read_columns(paths, columns, **options)
    return str(caught.value)


def write_csv(path):
    rows = [f"{label},x,{score}" for label, score in zip(LABEL, SCORE, strict=True)]
    write(path, "y,other,s\n" + "\n".join(rows) + "\n")


def write_parquet(path):
    parquet(path, y=LABEL, other=[["x"]] * 4, s=SCORE)


def write_ipc(path):
    table = pa.table({"y": LABEL, "other": [["x"]] * 4, "s": SCORE})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)


def write_feather(path):
    pyarrow.feather.write_feather(pa.table({"y": LABEL, "s": SCORE}), path, compression="lz4")


def write_npy(path):
    rows = [(label, b"x", score) for label, score in zip(LABEL, SCORE, strict=True)]
    np.save(path, np.array(rows, dtype=[("y", "i1"), ("other", "S1"), ("s", ">f8")]))


def write_npz(path):
    np.savez(path, y=LABEL, other=np.zeros((2, 2)), s=SCORE)


WRITERS = {
    "csv": write_csv,
    "parquet": write_parquet,
    "arrow": write_ipc,
    "ipc": write_ipc,
    "feather": write_feather,
    "npy": write_npy,
    "npz": write_npz,
}


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_gives_the_same_columns(tmp_path, ending):
    path = tmp_path / f"part.{ending}"
    WRITERS[ending](path)
    seen = []
    columns = read_columns([path], ["s", "y"], numeric=["s"], progress=seen.append)
    assert list(columns) == ["s", "y"]
    assert columns["s"].tolist() == SCORE
    assert columns["y"].tolist() == LABEL
    assert sum(seen) == 4


def test_an_upper_case_ending_is_the_same_format(tmp_path):
    write_csv(tmp_path / "PART.CSV")
    assert read_columns([tmp_path / "PART.CSV"], ["y"])["y"].tolist() == LABEL


def test_matrix_columns_are_called_by_their_number(tmp_path):
    path = tmp_path / "matrix.npy"
    np.save(path, np.array([LABEL, SCORE]).T)
    columns = read_columns([path], ["1", "0"])
    assert columns["1"].tolist() == SCORE
    assert columns["0"].tolist() == LABEL
    assert "no column '2'; there are '0', '1'" in refusal(path, ["2"])
    assert "no column '-1'" in refusal(path, ["-1"])


@pytest.mark.parametrize("ending", WRITERS)
def test_columns_may_be_changed(tmp_path, ending):
    WRITERS[ending](tmp_path / f"x.{ending}")
    columns = read_columns([tmp_path / f"x.{ending}"], ["y", "s"])
    assert all(values.flags.writeable for values in columns.values())


def test_parts_follow_each_other_whatever_their_formats(tmp_path):
    paths = []
    for ending, writer in WRITERS.items():
        paths.append(tmp_path / f"part.{ending}")
        writer(paths[-1])
    columns = read_columns(paths, ["y", "s"])
    assert columns["y"].tolist() == LABEL * len(WRITERS)
    assert columns["s"].tolist() == SCORE * len(WRITERS)


def test_a_part_without_rows_adds_nothing(tmp_path):
    header_only = write(tmp_path / "a.csv", "y,s\n")
    write_csv(tmp_path / "b.csv")
    columns = read_columns([header_only, tmp_path / "b.csv"], ["y", "s"], numeric=["s"])
    assert columns["s"].tolist() == SCORE
    assert refusal(header_only, ["y"]).endswith("a.csv: there are no rows")


# Only the columns asked for ---------------------------------------------------------------------


def test_damage_in_another_parquet_column_goes_unnoticed(tmp_path):
    path = tmp_path / "damaged.parquet"
    table = pa.table({"y": LABEL, "other": [f"text {i}" for i in range(4)]})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(1)
    damaged = bytearray(path.read_bytes())
    start, stop = chunk.data_page_offset, chunk.data_page_offset + chunk.total_compressed_size
    damaged[start:stop] = b"\xff" * (stop - start)
    path.write_bytes(damaged)
    assert read_columns([path], ["y"])["y"].tolist() == LABEL
    assert "damaged.parquet: cannot be read: " in refusal(path, ["other"])


def test_csv_column_that_changes_its_type_is_not_converted_unless_asked_for(tmp_path):
    path = write(tmp_path / "late.csv", "y,other\n" + "1,1\n" * 400_000 + "0,[broken\n")
    assert read_columns([path], ["y"])["y"].sum() == 400_000


def test_only_the_named_members_of_an_npz_are_loaded(tmp_path):
    path = tmp_path / "part.npz"
    np.savez(path, y=LABEL, other=np.array([{}], dtype=object))
    assert read_columns([path], ["y"])["y"].tolist() == LABEL
    assert "allow_pickle=False" in refusal(path, ["other"])


# Types ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u2", "i4", "u8", "i8", "?"])
def test_parquet_dtypes_are_kept_unless_numbers_are_asked_for(tmp_path, dtype):
    path = parquet(tmp_path / "x.parquet", s=np.array([0, 1], dtype))
    assert read_columns([path], ["s"])["s"].dtype == dtype
    floats = "f4" if dtype in ("f2", "f4") else "f8"
    assert read_columns([path], ["s"], numeric=["s"])["s"].dtype == floats


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.dictionary(pa.int8(), pa.string()),
        pytest.param(
            pa.string_view(),
            marks=pytest.mark.skipif(
                int(pa.__version__.partition(".")[0]) < 18, reason="pyarrow 18 casts string_view"
            ),
        ),
    ],
)
def test_text_becomes_str(tmp_path, kind):
    table = pa.table({"y": pa.array(["bad", "good", "bad"], kind)})
    path = tmp_path / "x.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    column = read_columns([path], ["y"])["y"]
    assert column.tolist() == ["bad", "good", "bad"]
    assert all(type(text) is str for text in column)


def test_integers_beyond_two_to_the_53_stay_distinct(tmp_path):
    large = [2**53, 2**53 + 1]
    in_csv = write(tmp_path / "x.csv", f"s\n{large[0]}\n{large[1]}\n")
    in_parquet = parquet(tmp_path / "x.parquet", s=large)
    assert read_columns([in_csv, in_parquet], ["s"])["s"].tolist() == large * 2


@pytest.mark.parametrize(("digits", "kind"), [(15, "f"), (20, "O")])
def test_decimals_stay_distinct(tmp_path, digits, kind):
    texts = ["0." + "3" * (digits - 1), "0." + "3" * (digits - 2) + "4"]
    column = pa.array([Decimal(text) for text in texts], pa.decimal128(digits, digits - 1))
    path = parquet(tmp_path / "x.parquet", s=column)
    low, high = read_columns([path], ["s"])["s"]
    assert low < high
    assert read_columns([path], ["s"])["s"].dtype.kind == kind


def test_csv_type_widens_for_a_late_value(tmp_path):
    ints_first = "y,s\n" + "1,1\n" * 400_000
    path = write(tmp_path / "x.csv", ints_first + "0,0.5\n")
    columns = read_columns([path], ["y", "s"], numeric=["s"])
    assert columns["s"][[0, -1]].tolist() == [1, 0.5]
    assert columns["y"].dtype == np.int64
    path = write(tmp_path / "x.csv", ints_first + "no,0.5\n")
    assert read_columns([path], ["y"])["y"][[0, -1]].tolist() == ["1", "no"]  # in one block
    path = write(tmp_path / "x.csv", ints_first + "0,none\n0,0\n")
    message = refusal(path, ["y", "s"], numeric=["s"])
    assert message.endswith("column 's', row 400001 is 'none'; expected a number")


def test_csv_labels_that_look_like_dates_are_text(tmp_path):
    path = write(tmp_path / "x.csv", "y\n2020-01-01\n2020-01-02\n")
    assert read_columns([path], ["y"])["y"].tolist() == ["2020-01-01", "2020-01-02"]


@pytest.mark.parametrize("text", ["\ufeffy,s\r\n1,2\r\n\r\n0,3", 'y,"s"\n"1"," 2"\n"0",3 \n'])
def test_csv_dialects(tmp_path, text):
    columns = read_columns([write(tmp_path / "x.csv", text)], ["y", "s"], numeric=["s"])
    assert columns["y"].tolist() == [1, 0]
    assert columns["s"].tolist() == [2, 3]


def test_a_column_name_with_a_dot_is_one_name(tmp_path):
    path = parquet(tmp_path / "x.parquet", **{"a": [{"b": 7}], "a.b": [1]})
    assert read_columns([path], ["a.b"])["a.b"].tolist() == [1]


# Refusals ---------------------------------------------------------------------------------------


def test_no_such_file(tmp_path):
    assert refusal(tmp_path / "x.csv", ["y"]).endswith("x.csv: No such file or directory")


@pytest.mark.check("unusual paths")
def test_what_is_not_a_file(tmp_path):
    assert "no file in this folder has a name ending in .csv" in refusal(tmp_path, ["y"])
    if os.path.exists("/dev/zero"):
        assert "not a regular file" in refusal("/dev/zero", ["y"])


@pytest.mark.check("unusual paths")
def test_symbolic_link_loop(tmp_path):
    (tmp_path / "x.csv").symlink_to(tmp_path / "x.csv")
    assert "x.csv: " in refusal(tmp_path / "x.csv", ["y"])


@pytest.mark.check("unusual paths")
@pytest.mark.parametrize("url", ["https://host/x.csv", "ftp://host/x.parquet", "file:///x.npy"])
def test_urls_are_not_opened(url):
    assert refusal(url, ["y"]) == (
        f"{url}: URLs of this kind are not supported; expected a local file or s3://, gs://, "
        "hdfs://"
    )


@pytest.mark.check("unusual paths")
def test_a_name_with_a_colon_is_a_local_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(Path("s3:x.csv"))
    assert read_columns(["s3:x.csv"], ["y"])["y"].tolist() == LABEL


def test_unknown_ending(tmp_path):
    message = refusal(write(tmp_path / "x.sav", "y\n1\n"), ["y"])
    assert "unknown format; expected a name ending in .csv, .tsv, .jsonl" in message


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("ending", WRITERS)
def test_empty_file(tmp_path, ending):
    message = refusal(write(tmp_path / f"x.{ending}", ""), ["y"])
    assert message.endswith(f"x.{ending}: the file is empty")


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("ending", WRITERS)
def test_garbage(tmp_path, ending):
    garbage = b"\n\n\n" if ending == "csv" else b"\x93garbage" * 20
    message = refusal(write(tmp_path / f"x.{ending}", garbage), ["y"])
    assert f"x.{ending}: cannot be read: " in message
    assert str(tmp_path) not in message.partition(": ")[2]


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("ending", sorted(set(WRITERS) - {"csv"}))
def test_every_truncation_is_refused(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    WRITERS[ending](path)
    whole = path.read_bytes()
    for length in range(1, len(whole), 7):
        tried()
        path.write_bytes(whole[:length])
        assert f"x.{ending}: " in refusal(path, ["y", "s"])


def test_ragged_csv_names_the_line(tmp_path):
    message = refusal(write(tmp_path / "x.csv", "y,s\n1,2\n0\n"), ["y"])
    assert message.endswith(
        "x.csv: cannot be read: CSV parse error: Row #3: Expected 2 columns, got 1: 0"
    )
    late = write(tmp_path / "x.csv", "y,s\n" + "1,2\n" * 400_000 + "0\n")
    assert "Row #400002: Expected 2 columns" in refusal(late, ["y"])


@pytest.mark.parametrize("ending", WRITERS)
def test_unknown_column_lists_the_others(tmp_path, ending):
    WRITERS[ending](tmp_path / f"x.{ending}")
    message = refusal(tmp_path / f"x.{ending}", ["y", "p"])
    assert f"x.{ending}: no column 'p'; there are 'y', " in message
    assert message.endswith("'s'")


def test_a_long_list_of_columns_is_cut(tmp_path):
    path = write(tmp_path / "x.csv", ",".join(f"c{i}" for i in range(30)) + "\n")
    assert refusal(path, ["y"]).endswith("'c18', 'c19', ...")


def test_ambiguous_column(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([[1], [2]], names=["y", "y"]), path)
    assert "x.parquet: there are multiple columns named y" in refusal(path, ["y"])
    assert "multiple columns named y" in refusal(write(tmp_path / "x.csv", "y,y\n1,2\n"), ["y"])


NULLS = {
    "number": [0.5, 1.0, None, None],
    "text": ["a", "b", None, "b"],
    "boolean": [True, False, None, True],
}


@pytest.mark.parametrize("kind", NULLS)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_null_is_located(tmp_path, kind, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "csv":
        cells = ["" if cell is None else str(cell).lower() for cell in NULLS[kind]]
        write(path, "k,y\n" + "".join(f"1,{cell}\n" for cell in cells))
    else:
        parquet(path, y=NULLS[kind])
    message = refusal(path, ["y"])
    assert message.endswith(f"x.{ending}: column 'y', row 3 is null; expected a value in every row")


def test_null_beyond_the_first_batch_is_located(tmp_path):
    path = tmp_path / "x.parquet"
    column = pa.chunked_array([np.zeros(2**20), np.zeros(9), pa.array([1.0, None])])
    pq.write_table(pa.table({"s": column}), path, row_group_size=2**20)
    assert f"row {2**20 + 11} is null" in refusal(path, ["s"])


def test_a_column_of_nulls_only(tmp_path):
    assert "row 1 is null" in refusal(write(tmp_path / "x.csv", "y,s\n1,\n0,\n"), ["s"])
    assert "row 1 is null" in refusal(parquet(tmp_path / "x.parquet", s=[None, None]), ["s"])
    late = write(tmp_path / "x.csv", "y,s\n" + "1,\n" * 600_000 + "0,0.5\n")
    assert "row 1 is null" in refusal(late, ["s"])


@pytest.mark.parametrize("ending", ["csv", "parquet", "npy", "npz"])
@pytest.mark.parametrize(("value", "shown"), [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_nonfinite_number_is_located(tmp_path, ending, value, shown):
    path, column = tmp_path / f"x.{ending}", np.array([0.5, value, value])
    if ending == "csv":
        write(path, f"s\n0.5\n{value}\n{value}\n")
        shown = "null" if shown == "nan" else shown  # as pyarrow and pandas read it
    elif ending == "parquet":
        parquet(path, s=column)
    elif ending == "npy":
        np.save(path, np.array(list(zip(column, strict=True)), dtype=[("s", "f8")]))
    else:
        np.savez(path, s=column)
    assert f"x.{ending}: column 's', row 2 is {shown}; expected" in refusal(path, ["s"])


def test_negative_where_forbidden(tmp_path):
    path = parquet(tmp_path / "x.parquet", w=[1.0, -0.0, -0.5])
    assert read_columns([path], ["w"])["w"][2] == -0.5
    message = refusal(path, ["w"], numeric=["w"], nonnegative=["w"])
    assert message.endswith("column 'w', row 3 is -0.5; expected 0 or more")


def test_text_where_numbers_are_expected(tmp_path):
    path = write(tmp_path / "x.csv", "s\n0.5\n1e-3\nhigh\n")
    message = refusal(path, ["s"], numeric=["s"])
    assert message.endswith("x.csv: column 's', row 3 is 'high'; expected a number")
    path = write(tmp_path / "x.csv", "s\n1_000\n")
    assert refusal(path, ["s"], numeric=["s"]).endswith("row 1 is '1_000'; expected a number")
    path = parquet(tmp_path / "x.parquet", s=["0.5", "0.7"])
    message = refusal(path, ["s"], numeric=["s"])
    assert message.endswith("x.parquet: column 's' has type string; expected numbers")
    np.savez(tmp_path / "x.npz", s=["0.5", "0.7"])
    assert "has type <U3; expected numbers" in refusal(tmp_path / "x.npz", ["s"], numeric=["s"])


@pytest.mark.parametrize("values", [[[1], [2]], [b"a", b"b"], [{"a": 1}], [np.timedelta64(1, "s")]])
def test_types_that_are_no_column(tmp_path, values):
    path = parquet(tmp_path / "x.parquet", y=values)
    assert "expected numbers, text or booleans" in refusal(path, ["y"])


def test_dates_are_text(tmp_path):
    path = parquet(tmp_path / "x.parquet", y=np.array(["2024-03-05"], "M8[D]"))
    assert read_columns([path], ["y"])["y"].tolist() == ["2024-03-05"]
    assert "expected numbers" in refusal(path, ["y"], numeric=["y"])


def test_numpy_arrays_that_are_no_column(tmp_path):
    np.save(tmp_path / "flat.npy", np.zeros(3))
    assert "one array of shape (3,)" in refusal(tmp_path / "flat.npy", ["0"])
    np.save(tmp_path / "complex.npy", np.zeros((3, 2), complex))
    assert "has type complex128" in refusal(tmp_path / "complex.npy", ["0"])
    np.save(tmp_path / "object.npy", np.array([[{}]]), allow_pickle=True)
    assert "cannot be read" in refusal(tmp_path / "object.npy", ["0"])
    np.savez(tmp_path / "x.npz", y=[1, 2, 3], s=[1, 2], m=np.zeros((3, 2)))
    assert "column 's' has shape (2,) and 'y' (3,)" in refusal(tmp_path / "x.npz", ["y", "s"])
    assert "column 'm' has shape (3, 2)" in refusal(tmp_path / "x.npz", ["y", "m"])
    assert "expected one dimension" in refusal(tmp_path / "x.npz", ["m", "y"])


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([0, 1], ["0", "1"], ("text", "numbers")),
        ([0, 1], [False, True], ("booleans", "numbers")),
        (["a", "b"], [True, False], ("booleans", "text")),
    ],
)
def test_parts_of_different_types(tmp_path, first, second, words):
    paths = [parquet(tmp_path / "a.parquet", y=first), parquet(tmp_path / "b.parquet", y=second)]
    message = refusal(paths, ["y"])
    assert f"b.parquet: column 'y' holds {words[0]}, but {words[1]} in " in message
    assert message.endswith("a.parquet; expected the same in every file")


def test_parts_of_integers_and_floats_join_where_that_is_exact(tmp_path):
    floats = parquet(tmp_path / "a.parquet", s=[0.5])
    exact = parquet(tmp_path / "b.parquet", s=[2**53])
    inexact = parquet(tmp_path / "c.parquet", s=[-(2**53) - 1])
    assert read_columns([floats, exact], ["s"])["s"].tolist() == [0.5, 2.0**53]
    assert "c.parquet: column 's' holds integers beyond 2**53" in refusal([floats, inexact], ["s"])


# Standard input and optional packages -----------------------------------------------------------


def feed(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_standard_input(monkeypatch, tmp_path):
    feed(monkeypatch, b"y,s\n1,0.5\n0,0.25\n")
    assert read_columns(["-"], ["s"])["s"].tolist() == [0.5, 0.25]
    feed(monkeypatch, b"s\n" + b"1\n" * 600_000 + b"0.5\n")
    assert read_columns(["-"], ["s"])["s"][-1] == 0.5
    feed(monkeypatch, b"")
    assert refusal("-", ["s"]) == "standard input: there is no data"
    feed(monkeypatch, b"s,t\n1\n")
    assert refusal("-", ["s"]).startswith("standard input: cannot be read: CSV parse error: Row #2")
    feed(monkeypatch, b"s\n1\nx\n")
    assert refusal("-", ["s"], numeric=["s"]).startswith("standard input: column 's', row 2 is 'x'")
    assert refusal(["-", "-"], ["s"]) == "standard input can be read only once"


def test_describe():
    assert describe(["-"]) == "standard input"
    assert describe([Path("a.csv"), "b.csv", "c.csv"]) == "a.csv and 2 more"


def test_without_pyarrow(tmp_path, monkeypatch):
    for ending, writer in WRITERS.items():
        writer(tmp_path / f"x.{ending}")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for ending in WRITERS:
        path = tmp_path / f"x.{ending}"
        if ending.startswith("np"):
            assert read_columns([path], ["y"])["y"].tolist() == LABEL
        else:
            message = refusal(path, ["y"])
            assert message.endswith("needs pyarrow; install it with pip install 'fastauc[cli]'")


def test_with_a_broken_pyarrow(tmp_path, monkeypatch):
    path = write(tmp_path / "x.csv", "y\n1\n")
    (tmp_path / "pyarrow.py").write_text("raise ImportError('libarrow.so: not found')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pyarrow")
    assert refusal(path, ["y"]) == f"{path}: pyarrow cannot be imported: libarrow.so: not found"


def test_with_an_old_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"s": [0.1, 0.2]}), path)
    monkeypatch.setattr(pa, "__version__", "15.0.2")
    assert refusal(path, ["s"]) == (
        f"{path}: this format needs pyarrow 16 or later, but 15.0.2 is installed; "
        "update it with pip install -U 'fastauc[cli]'"
    )
