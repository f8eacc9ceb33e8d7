"""Columns of files: every format, every type, and one sentence for whatever is wrong."""

import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from fastauc._validation.labels_in_parts import Classes
from fastauc.files import DataError, score
from fastauc.files._counting import count_files
from support.file_columns import read_columns, refusal as refusal_of, write_columns, write_table

LABEL = [0, 1, 1, 0]
SCORE = [0.25, 0.5, 1.5, -2.0]
TEXT = ["a", "b", "b", "a"]


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(paths, columns, **options):
    return refusal_of(read_columns, paths, columns, **options)


ENDINGS = ["csv", "parquet", "arrow", "arrows", "ipc", "feather", "npy", "npz", "jsonl"]
COLUMNS = {"y": LABEL, "other": ["x"] * 4, "s": SCORE, "t": TEXT}


def test_matrix_columns_are_called_by_their_number(tmp_path):
    path = tmp_path / "matrix.npy"
    np.save(path, np.array([LABEL, SCORE]).T)
    columns = read_columns([path], ["1", "0"])
    assert columns["1"].tolist() == SCORE
    assert columns["0"].tolist() == LABEL
    assert "no column '2'; there are '0', '1'" in refusal(path, ["2"])
    assert "no column '-1'" in refusal(path, ["-1"])


def test_parts_follow_each_other_whatever_their_formats(tmp_path):
    paths = [write_columns(tmp_path / f"part.{ending}", COLUMNS) for ending in ENDINGS]
    paths.append(write(tmp_path / "header.csv", "y,s\n"))
    columns = read_columns(paths, ["y", "s"], numeric=["s"])
    assert columns["y"].tolist() == LABEL * len(ENDINGS)
    assert columns["s"].tolist() == SCORE * len(ENDINGS)
    assert read_columns(paths[:-1], ["t"])["t"].tolist() == TEXT * len(ENDINGS)


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


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "i1", "u2", "i4", "u8", "i8", "?"])
def test_dtypes_are_kept_unless_numbers_are_asked_for(tmp_path, dtype):
    values = np.array([0, 1, 1], dtype)
    np.savez(tmp_path / "x.npz", s=values)
    paths = [tmp_path / "x.npz"]
    if dtype != ">f4":
        paths.append(write_columns(tmp_path / "x.parquet", {"s": values}))
    for path in paths:
        assert read_columns([path], ["s"])["s"].dtype == np.dtype(dtype).newbyteorder("=")
        floats = read_columns([path], ["s"], numeric=["s"])["s"]
        assert floats.dtype == ("f4" if dtype in ("f2", "f4", ">f4") else "f8")
        assert floats.tolist() == [0, 1, 1]


@pytest.mark.parametrize("in_dictionary", [False, True])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("name", ["x.arrow", "x.arrows", "x.parquet"])
def test_text_of_any_type_is_a_label_and_a_group(tmp_path, name, kind, in_dictionary):
    words = ["bad", "a good one, which is not short"]
    codes = [1, 0, 1, 1, 0]
    column = pa.array([words[code] for code in codes], kind)
    if in_dictionary:
        if kind == pa.string_view() and name == "x.parquet":
            pytest.skip("pyarrow does not write it")
        column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(words, kind))
    parts = pa.StructArray.from_arrays([column], ["of"])
    try:
        path = write_columns(tmp_path / name, {"y": column, "s": codes, "p": parts}, 5)
    except pa.ArrowNotImplementedError:
        pytest.skip(f"this version of pyarrow writes no {kind}")
    for each in ("y", "p.of"):
        found = read_columns([path], [each])[each]
        assert found.tolist() == [words[code] for code in codes]
        assert all(type(text) is str for text in found)
        options = {"label": each, "score": ["s"], "pos_label": words[1], "by": [each]}
        whole, *groups = count_files([path], **options)
        assert (whole.n_pos, whole.n_rows) == (3, 5)
        assert [(part.group, part.n_rows) for part in groups] == [(words[1], 3), (words[0], 2)]


def test_integers_beyond_two_to_the_53_stay_distinct(tmp_path):
    large = [2**53, 2**53 + 1]
    in_csv = write(tmp_path / "x.csv", f"s\n{large[0]}\n{large[1]}\n")
    in_parquet = write_columns(tmp_path / "x.parquet", {"s": large})
    assert read_columns([in_csv, in_parquet], ["s"])["s"].tolist() == large * 2


def test_long_decimals_stay_distinct(tmp_path):
    texts = ["0." + "3" * 19, "0." + "3" * 18 + "4"]
    column = pa.array([Decimal(text) for text in texts], pa.decimal128(20, 19))
    path = write_columns(tmp_path / "x.parquet", {"s": column})
    low, high = read_columns([path], ["s"])["s"]
    assert low < high
    said = f"'s', row 1 is {texts[0]}; expected at most 15 digits, which float64 holds"
    assert said in refusal(path, ["s"], numeric=["s"])


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="no longer floats here")
def test_longer_floats(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, s=np.array([1, 0.5], np.longdouble))
    assert read_columns([path], ["s"], numeric=["s"])["s"].tolist() == [1, 0.5]
    np.savez(path, s=np.array([1, 1]) + np.array([0, 2**-60], np.longdouble))
    said = "row 2 is 1.0000000000000000009; expected numbers"
    assert said in refusal(path, ["s"], numeric=["s"])


def test_a_column_name_with_a_dot_is_one_name(tmp_path):
    path = write_columns(tmp_path / "x.parquet", {"a": [{"b": 7}], "a.b": [1]})
    assert read_columns([path], ["a.b"])["a.b"].tolist() == [1]


# Refusals ---------------------------------------------------------------------------------------


@pytest.mark.check("unusual paths")
def test_a_name_with_a_colon_is_a_local_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("s3:x.csv"), "y\n1\n")
    assert read_columns(["s3:x.csv"], ["y"])["y"].tolist() == [1]


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("ending", ENDINGS[:-1])
def test_empty_file_and_garbage(tmp_path, ending):
    is_csv = ending == "csv"
    message = refusal(write(tmp_path / f"x.{ending}", ""), ["y"])
    assert message.endswith(
        f"x.{ending}: " + ("there are no rows" if is_csv else "the file is empty")
    )
    garbage = b"y\n1\n1,2\n" if is_csv else b"\x93garbage" * 20
    message = refusal(write(tmp_path / f"x.{ending}", garbage), ["y"])
    assert f"x.{ending}: cannot be read: " in message
    assert str(tmp_path) not in message.partition(": ")[2]


@pytest.mark.parametrize("ending", ENDINGS)
def test_wrong_columns(tmp_path, ending):
    path = write_columns(tmp_path / f"x.{ending}", COLUMNS)
    message = refusal(path, ["y", "p"])
    assert f"x.{ending}: no column 'p'; there are 'y', " in message
    assert message.endswith("'t'")
    expected = "is 'a'; expected a number" if ending == "csv" else "; expected numbers"
    assert refusal(path, ["t"], numeric=["t"]).endswith(expected)


def test_a_long_list_of_columns_is_cut(tmp_path):
    path = write(tmp_path / "x.csv", ",".join(f"c{i}" for i in range(30)) + "\n")
    assert refusal(path, ["y"]).endswith("'c18', 'c19', ...")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_ambiguous_column(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    write_table(path, pa.table([[1], [2]], names=["y", "y"]))
    assert "there are multiple columns named y" in refusal(path, ["y"])


def test_a_column_of_nulls_only(tmp_path):
    assert "row 1 is empty" in refusal(write(tmp_path / "x.csv", "y,s\n1,\n0,\n"), ["s"])
    assert "row 1 is null" in refusal(
        write_columns(tmp_path / "x.parquet", {"s": [None, None]}), ["s"]
    )
    late = write(tmp_path / "x.csv", "y,s\n" + "1,\n" * 600_000 + "0,0.5\n")
    assert "row 1 is empty" in refusal(late, ["s"])


def test_minus_zero_is_not_negative(tmp_path):
    path = write_columns(tmp_path / "x.parquet", {"w": [1.0, -0.0, -0.5]})
    assert read_columns([path], ["w"])["w"][2] == -0.5
    message = refusal(path, ["w"], numeric=["w"], nonnegative=["w"])
    assert message.endswith("column 'w', row 3 is -0.5; expected 0 or more")


WRONG_TYPES = [
    *(pa.timestamp("us"), pa.date32(), pa.time64("ns"), pa.duration("s"), pa.binary()),
    *(pa.list_(pa.float64()), pa.struct({"s": pa.float64()}), pa.map_(pa.string(), pa.int64())),
]


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("kind", WRONG_TYPES, ids=str)
def test_what_are_no_numbers(tmp_path, kind):
    path = write_columns(tmp_path / "x.arrow", {"y": [0, 1], "s": pa.nulls(2, kind)})
    for limit in (None, 1):
        said = refusal_of(score, path, label="y", score="s", memory_limit=limit)
        assert f"column 's' has type {str(kind).partition('<')[0]}" in said


def test_dates_are_text(tmp_path):
    path = write_columns(tmp_path / "x.parquet", {"y": np.array(["2024-03-05"], "M8[D]")})
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


def test_files_of_different_kinds(tmp_path):
    kinds = {"numbers": [0, 1], "text": ["0", "1"], "booleans": [False, True]}
    for first in kinds:
        a = write_columns(tmp_path / "a.parquet", {"y": kinds[first]})
        for second in kinds:
            b = write_columns(tmp_path / "b.parquet", {"y": kinds[second]})
            if first == second:
                assert len(read_columns([a, b], ["y"])["y"]) == 4
                continue
            assert refusal([a, b], ["y"]) == (
                f"{b}: column 'y' holds {second}, but {first} in {a}; "
                "expected the same in every file"
            )


def test_no_rows(tmp_path):
    for ending in ("parquet", "arrow", "npy", "npz", "csv"):
        path = write_columns(tmp_path / f"x.{ending}", {"s": np.empty(0)})
        assert refusal(path, ["s"]).endswith(f"x.{ending}: there are no rows")
    path = write(tmp_path / "x.jsonl", "\n \n")
    assert refusal(path, ["s"]).endswith("x.jsonl: there are no rows")


def test_long_text_is_shown_in_part(tmp_path):
    path = write(tmp_path / "x.csv", "y,s\n1,0.5\n" + f"{'a' * 300},{'b' * 5000}\n")
    shown = f"'{'b' * 99}... (5002 characters)"
    said = f"column 's', row 2 is {shown}; expected a number"
    assert refusal(path, ["s"], numeric=["s"]).endswith(said)
    labels = read_columns([path], ["y"])["y"]
    with pytest.raises(DataError, match=r"holds the labels '1', 'a{99}\.\.\. \(302 char"):
        Classes(None, "x.csv").find_positives(labels, str)


# What a float64 rounds --------------------------------------------------------------------------


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**62, 2**63 + 5])
@pytest.mark.parametrize("ending", ["parquet", "npz", "csv"])
def test_integers_that_would_be_rounded_are_refused(tmp_path, ending, value):
    values = np.array([0] * 20 + [value], np.uint64 if value > 2**63 else np.int64)
    path = write_columns(tmp_path / f"x.{ending}", {"s": values})
    message = refusal(path, ["s"], numeric=["s"], batch_rows=8)
    assert f"x.{ending}: column 's', row 21 is {value}; expected no integer beyond" in message
    assert read_columns([path], ["s"])["s"][-1] == value


def test_integers_up_to_two_to_the_53_are_exact(tmp_path):
    values = [2**53, -(2**53), 2**53 - 1]
    for ending in ("csv", "parquet"):
        path = write_columns(tmp_path / f"x.{ending}", {"s": values})
        assert read_columns([path], ["s"], numeric=["s"])["s"].tolist() == values
    lines = "".join(f'{{"s": {value}}}\n' for value in (2**53, 0.5, -(2**53)))
    path = write(tmp_path / "mixed.jsonl", lines)
    column = read_columns([path], ["s"], numeric=["s"])["s"]
    assert column.tolist() == [2**53, 0.5, -(2**53)]


@pytest.mark.parametrize(("text", "refused"), [("9007199254740993", True), ("1e300", False)])
@pytest.mark.parametrize("others", ["1\n2\n", "0.5\n-1e17\n"])
def test_long_integers_in_csv_do_not_depend_on_the_other_rows(tmp_path, text, refused, others):
    for content in (f"s\n{others}{text}\n", f"s\n{text}\n{others}"):
        path = write(tmp_path / "x.csv", content)
        if refused:
            said = f"is {text}; expected no integer beyond 2**53"
            assert said in refusal(path, ["s"], numeric=["s"])
        else:
            assert float(text) in read_columns([path], ["s"], numeric=["s"])["s"]


@pytest.mark.parametrize("cells", [(2**53 + 1,), (1, "no"), ("true", "no"), (0.5, "0x10")])
def test_csv_is_refused_alike_whether_or_not_its_rows_fit_into_memory(tmp_path, cells):
    """A pipeline does not break because its file has grown."""
    text = "y,s\n" + "".join(f"{i % 2},{cell}\n" for cell in cells for i in range(80))
    path = write(tmp_path / "x.csv", text)
    options = {"label": "y", "score": "s"}
    assert refusal_of(score, path, **options) == refusal_of(score, path, **options, memory_limit=1)


# Optional packages ------------------------------------------------------------------------------


def test_without_pyarrow(tmp_path, monkeypatch):
    paths = [write_columns(tmp_path / f"x.{ending}", COLUMNS) for ending in ENDINGS]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for path in paths:
        if path.suffix.startswith(".np"):
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
    path = write_columns(tmp_path / "x.parquet", {"s": [0.1, 0.2]})
    monkeypatch.setattr(pa, "__version__", "17.0.0")
    assert refusal(path, ["s"]) == (
        f"{path}: this format needs pyarrow 18 or later, but 17.0.0 is installed; "
        "update it with pip install -U 'fastauc[cli]'"
    )
