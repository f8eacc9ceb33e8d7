"""Text that is compressed, has other delimiters, or is JSON: the numbers of plain CSV."""

import bz2
import gzip
import io
import json
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import fastauc
from fastauc.files import (
    DataError,
    _text_formats as text_formats,
    find,
    score,
    stream_columns,
)
from fastauc.files._sources import located
from support.file_columns import parquet_bytes, read_columns, refusal

RNG = np.random.default_rng(0)
N = 5_003
LABEL = RNG.random(N) < 0.4
SCORE = RNG.normal(size=N) + LABEL  # so that no note says that it is below one half
AUC = fastauc.roc_auc_score(LABEL, SCORE)


def rows(delimiter=",", decimal="."):
    lines = [delimiter.join(["y", "s"])]
    lines += [
        f"{y:d}{delimiter}{str(s).replace('.', decimal)}"
        for y, s in zip(LABEL, SCORE.tolist(), strict=True)
    ]
    return "\n".join(lines).encode() + b"\n"


def objects():
    pairs = zip(LABEL.tolist(), SCORE.tolist(), strict=True)
    return "".join(json.dumps({"y": int(y), "s": s}) + "\n" for y, s in pairs).encode()


def compress(content, ending):
    if ending == "bz2":
        return bz2.compress(content)
    return pa.compress(content, {"gz": "gzip", "zst": "zstd", "lz4": "lz4"}[ending], asbytes=True)


CONTENTS = {"csv": rows(), "tsv": rows("\t"), "jsonl": objects(), "ndjson": objects()}


def area(paths, **options):
    (column,) = score(paths, label="y", score="s", **options)
    return column


# Compressed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["", ".gz", ".bz2", ".zst", ".lz4"])
@pytest.mark.parametrize("ending", CONTENTS)
def test_text_however_compressed(tmp_path, ending, compression):
    path = tmp_path / f"x.{ending}{compression}"
    content = CONTENTS[ending]
    path.write_bytes(compress(content, compression[1:]) if compression else content)
    assert find([tmp_path])[0].path == str(path)
    for limit in (None, 1):
        found = area([path], memory_limit=limit)
        assert (found.roc_auc.estimate, found.n) == (AUC, N)
        assert bool(found.passes) == (limit == 1)


def test_bytes_tell_where_the_ending_lies(tmp_path):
    zipped, plain = tmp_path / "x.csv", tmp_path / "y.csv.gz"
    zipped.write_bytes(gzip.compress(rows()))
    plain.write_bytes(rows())
    assert area([zipped]).roc_auc == area([plain]).roc_auc == area([zipped]).roc_auc
    assert area([zipped]).n == N


def test_members_of_gzip_follow_each_other(tmp_path):
    path, content = tmp_path / "x.csv.gz", rows()
    middle = content.index(b"\n", len(content) // 2) + 1
    path.write_bytes(gzip.compress(content[:middle]) + gzip.compress(content[middle:]))
    assert (area([path]).roc_auc.estimate, area([path]).n) == (AUC, N)


@pytest.mark.check("malformed files")
@pytest.mark.parametrize("cut", [1, 9, 2_000])
@pytest.mark.parametrize("compression", ["gz", "bz2", "zst", "lz4"])
def test_what_is_cut_is_refused(tmp_path, compression, cut):
    path = tmp_path / f"x.csv.{compression}"
    path.write_bytes(compress(rows(), compression)[:-cut])
    assert "x.csv." in refusal(area, [path])


def test_text_that_begins_like_bzip2_is_text(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("BZh9,s\n1,0.5\n0,0.25\n")
    assert read_columns([path], ["BZh9"])["BZh9"].tolist() == [1, 0]


def test_only_text_is_compressed_as_a_whole(tmp_path):
    path = tmp_path / "x.parquet.gz"
    path.write_bytes(gzip.compress(b"PAR1"))
    assert "parquet compressed by gzip; expected it uncompressed" in refusal(find, [path])


# Delimiters and decimals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("delimiter", "decimal", "options"),
    [
        (";", ".", {"delimiter": ";"}),
        (";", ",", {"decimal": ","}),
        (";", ",", {"delimiter": ";", "decimal": ","}),
        ("|", ".", {"delimiter": "|"}),
        ("\t", ",", {"delimiter": "\t", "decimal": ","}),
    ],
)
def test_other_delimiters_and_decimals(tmp_path, monkeypatch, delimiter, decimal, options):
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 1 << 12)
    path = tmp_path / "x.csv"
    path.write_bytes(rows(delimiter, decimal))
    for limit in (None, 1):
        assert area(find([path], **options), memory_limit=limit).roc_auc.estimate == AUC


@pytest.mark.parametrize("delimiter", [",", ";", "|", "."])
def test_quotes_begin_after_any_delimiter(tmp_path, monkeypatch, delimiter):
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 8)
    path = tmp_path / "x.csv"
    texts = ['a"b', "c\nd", "", "x,y;z|", "e\n\nf"] * 40
    lines = [f"{k}{delimiter}{quoted(text)}{delimiter}1\n" for k, text in enumerate(texts)]
    path.write_text(delimiter.join("ktw") + "\n" + "".join(lines), newline="")
    decimal = "," if delimiter == "." else "."
    with located([path], delimiter=delimiter, decimal=decimal) as files:
        chunks = list(stream_columns(files, ["k", "w"], numeric=["k", "w"]))
    assert np.concatenate([chunk.columns["k"] for chunk in chunks]).tolist() == [*range(200)]


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ";;"}, "delimiter is ';;'; expected one ASCII character"),
        ({"delimiter": '"'}, "expected one ASCII character"),
        ({"delimiter": "\n"}, "expected one ASCII character"),
        ({"decimal": ";"}, "decimal is ';'; expected '.' or ','"),
        ({"missing_values": "NA"}, "missing_values is 'NA'; expected a list of texts"),
        ({"format": "xlsx"}, "format is 'xlsx'; expected one of 'csv', 'tsv', 'jsonl'"),
    ],
)
def test_impossible_ways_of_reading(options, message):
    with pytest.raises(ValueError, match="expected") as caught:
        find([], **options)
    assert message in str(caught.value)
    assert not isinstance(caught.value, DataError)


@pytest.mark.parametrize(
    ("delimiter", "shown"), [(";", "';'"), ("\t", "tab"), ("|", "'|'"), (",", None)]
)
def test_a_missing_column_guesses_the_delimiter(tmp_path, delimiter, shown):
    path = tmp_path / "x.csv"
    path.write_bytes(rows(delimiter))
    if shown is None:
        expected, shown = "; did you mean 'y'?", "';'"
        assert refusal(read_columns, [path], ["yy"]).endswith(expected)
        message = refusal(read_columns, find([path], delimiter=";"), ["y"])
        shown = "','"
    else:
        message = refusal(read_columns, [path], ["y"])
    given = repr("\t") if shown == "tab" else shown
    assert message.endswith(f"if columns are separated by {shown}, use delimiter={given}")


def test_the_delimiter_is_guessed_where_decimals_have_commas(tmp_path):
    """A header of one column, and rows of several: pyarrow would say only that."""
    path = tmp_path / "x.csv"
    for header in ("y;s", '"y";"s"'):
        path.write_text(f"{header}\n1;0,5\n0;0,25\n")
        message = refusal(area, [path])
        assert message.endswith("if columns are separated by ';', use delimiter=';'")
    path.write_text("y,s\n1,0,5\n")
    assert "CSV parse error: Row #2: Expected 2 columns, got 3" in refusal(area, [path])


def test_a_decimal_comma_is_recognized(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(rows(";", ","))
    message = refusal(area, find([path], delimiter=";"))
    assert message.endswith("expected a number; if it has a decimal comma, use decimal=','")
    path.write_text("y;s\n1;0,5\n0;\n")
    assert refusal(area, find([path], delimiter=";")).endswith("use decimal=','")
    path.write_text("y;s\n1;\n0;0,5\n")
    for policy in ("raise", "omit"):
        message = refusal(area, find([path], delimiter=";"), nan_policy=policy)
        assert "column 's', row 2 is '0,5'" in message
    path.write_text("y;s\n1;0.5\n0;0,5\n")
    assert refusal(area, find([path], decimal=",")).endswith("row 1 is '0.5'; expected a number")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "csv.gz", "txt"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_named(tmp_path, encoding, ending):
    """What spreadsheets call Unicode text."""
    path = tmp_path / f"x.{ending}"
    text = '{"y": 1, "s": 0.5}\n' if ending == "jsonl" else "y,s\n1,0.5\n0,0.25\n"
    content = text.encode(encoding)
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    for limit in (None, 1):
        options = {"format": "csv"} if ending == "txt" else {}
        message = refusal(area, find([path], **options), memory_limit=limit)
        assert "UTF-16" in message
        assert message.endswith("; save the file as UTF-8")


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.jsonl"])
@pytest.mark.parametrize("limit", [None, 1])
def test_the_number_of_rows_is_estimated_from_the_bytes(
    tmp_path, monkeypatch, fast_clock, name, limit
):
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 1 << 12)
    content = objects() if name.endswith("jsonl") else rows()
    for each, ending in [(name, b""), (f"a{name}", b"\n")]:  # an empty line: no copy
        stored = content + ending
        stored = gzip.compress(stored) if name.endswith("gz") else stored
        (tmp_path / each).write_bytes(stored)
    seen = []
    assert area([tmp_path], memory_limit=limit, progress=seen.append).n == 2 * N
    first = [progress for progress in seen if progress.pass_number == (limit or 0)]
    assert len(first) > 10
    # The decompressor reads 64 KiB at a time, which is most of the file.
    tolerance = 1.0 if name.endswith("gz") else 0.1
    assert all(abs(p.total / (2 * N) - 1) < tolerance for p in first[2:]), first
    assert first[-1].rows == first[-1].total == 2 * N


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("seed", range(20))
def test_a_wide_file_is_read_as_any_other(tmp_path, monkeypatch, end, seed):
    """With empty lines, line ends in quotes and what is not UTF-8, also at the edges of blocks."""
    rng = np.random.default_rng(seed)
    names = [
        b"a",
        b"\xff",
        b"\xc3",
        "é\u2028".encode(),
        b'"x%by"' % (2 * end),
        b'"a""b"',
        b"",
        b"\x1c",
    ]
    words = [b"0", b"1", b"b\xff", b"b\xc3"] if seed % 2 else [b"0", b"1"]
    empty = [b"", b"", end.join([b""] * 3), b","]
    lines = [b"t,y,s"]
    for _ in range(30):
        lines += [empty[rng.integers(4 if seed > 16 else 3)]] if rng.random() < 0.2 else []
        word = words[rng.integers(len(words) if rng.random() < 0.1 else 2)]
        lines.append(b"%b,%b,%.3f" % (names[rng.integers(len(names))], word, rng.random()))
    (tmp_path / "x.csv").write_bytes(end.join(lines) + end * int(rng.integers(3)))
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", int(rng.choice([20, 50, 200, 5000])))
    found = []
    for most in (10_000, 2):
        monkeypatch.setattr(text_formats, "_MOST_COLUMNS", most)
        try:
            columns = read_columns([tmp_path / "x.csv"], ["y", "s"], numeric=["s"])
            found.append({name: values.tolist() for name, values in columns.items()})
        except DataError as error:
            found.append(str(error).partition(", got ")[0])
    assert found[0] == found[1]
    if seed <= 16 and isinstance(found[0], str):
        assert found[0].endswith("column 'y' holds text that is not UTF-8; save the file as UTF-8")


# Lines of JSON ------------------------------------------------------------------------------------


def jsonl(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def test_blocks_of_json(tmp_path, monkeypatch):
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 256)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n\n" + objects() + b"\n  \n")
    for limit in (None, 1):
        assert area([path], memory_limit=limit).roc_auc.estimate == AUC
    chunks = list(stream_columns([path], ["s"], numeric=["s"], start=(0, 4_000)))
    assert np.concatenate([c.columns["s"] for c in chunks]).tolist() == SCORE[4_000:].tolist()


@pytest.mark.parametrize("labels", [["good", "bad"], ["2020-01-01", "2021-05-05"], [True, False]])
def test_labels_of_json(tmp_path, labels):
    lines = [json.dumps({"y": y, "s": s}) for y, s in zip(labels * 2, [3, 1.5, 2, 0], strict=True)]
    (column,) = score(
        [jsonl(tmp_path / "x.jsonl", *lines)], label="y", score="s", pos_label=labels[0]
    )
    assert (column.roc_auc.estimate, column.positives) == (1.0, 2)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"y": 1, "s": 1}', '{"y": 0}'], "column 's', row 2 is null; expected a value in every"),
        (['{"y": 1, "s": "high"}'], "column 's' has type string; expected numbers"),
        (['{"y": 1, "s": {"t": 1}}'], "column 's' has type object; expected numbers"),
        (['{"y": [1], "s": 2}'], "column 'y' has type array; expected"),
        (["null", '{"y": 1, "s": 2}'], "row 1 is no object; expected one in each line"),
        (["", " null}"], "row 1 is no object; expected one in each line"),
        (['{"y": 1, "t": 1}'], "no column 's'; there are 'y', 't'"),
        (['{"y": 1, "s": 0.5}', '{"y": 1, "s": '], "cannot be read: JSON parse error"),
    ],
)
@pytest.mark.parametrize("block", [1 << 22, 20])
def test_bad_json(tmp_path, monkeypatch, lines, message, block):
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", block)
    path = jsonl(tmp_path / "x.jsonl", *lines)
    assert refusal(area, [path]).startswith(f"{path}: {message}")


@pytest.mark.parametrize("block", [1 << 22, 20])
def test_integers_beside_decimals_are_not_rounded(tmp_path, monkeypatch, block):
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", block)
    path = jsonl(tmp_path / "x.jsonl", '{"y": 1, "s": 0.5}', f'{{"y": 0, "s": {2**53 + 1}}}')
    assert "2**53" in refusal(area, [path])
    message = refusal(area, [path], memory_limit=1)
    assert "column 's', row 2 is 9007199254740993; expected no integer beyond 2**53" in message


def test_other_members_of_objects_take_up_nothing(tmp_path):
    """A name that a row alone has is no column of all rows, and nested arrays are no types."""
    lines = [f'{{"y": {k % 2}, "s": {k}, "x{k}": {{"z": [{k}]}}}}' for k in range(20_000)]
    lines[7] = '{"y": 1, "x": ' + "[" * 500_000 + "]" * 500_000 + ', "s": 7}'
    lines[8] = '{"y": 0, "s": 8' + "".join(f', "z{k}": {{}}' for k in range(50_000)) + "}"
    path = jsonl(tmp_path / "x.jsonl", *lines)
    for limit in (None, 1):
        found = area([path], memory_limit=limit)
        assert (found.roc_auc.estimate, found.n) == (0.50005, 20_000)


# Standard input and odd endings -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (rows(), []),
        (gzip.compress(rows()), []),
        (compress(rows(), "zst"), []),
        (rows("\t"), ["--format=tsv"]),
        (rows("\t"), ["--delimiter=tab"]),
        (rows(";", ","), ["--decimal=,"]),
        (objects(), []),
        (bz2.compress(objects()), []),
        (objects(), ["--format", "jsonl"]),
        (parquet_bytes(pa.table({"y": LABEL, "s": SCORE})), []),
    ],
    # Every process has to collect the same names.
    ids=["csv", "gz", "zst", "tsv", "tab", "decimal", "objects", "bz2", "jsonl", "parquet"],
)
@pytest.mark.parametrize("place", ["-", "x.out"])
def test_standard_input_and_odd_endings(run, monkeypatch, tmp_path, content, options, place):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    (tmp_path / "x.out").write_bytes(content)
    if place != "-" and "--format=tsv" not in options and content.startswith(b"y"):
        assert "unknown format" in run("score", place, "--label=y", "--score=s", *options)[2]
        options = ["--format=csv", *options]
    code, out, err = run("score", place, "--label=y", "--score=s", "--json", *options)
    assert (code, err) == (0, "")
    assert json.loads(out)["auc"] == AUC
    assert run("threshold", place, "--label=y", "--score=s", *options)[0] == (place == "-")


def test_a_format_that_is_named_is_that_of_all_files(tmp_path):
    (tmp_path / "part-1").write_bytes(rows("\t"))
    (tmp_path / "part-2.txt").write_bytes(rows("\t") + b"\n")  # no copy
    (tmp_path / "_SUCCESS").write_text("")
    for paths in ([tmp_path], [tmp_path / "part*"]):
        files = find(paths, format="tsv")
        assert [file.delimiter for file in files] == ["\t", "\t"]
        assert area(files).n == 2 * N


def test_a_byte_order_mark_before_lines_of_json(tmp_path):
    lines = b'\xef\xbb\xbf{"y": 0, "s": 1}\n{"y": 1, "s": 2}\n'
    for name in ("x.jsonl", "x"):  # by its name, and by its first bytes
        (tmp_path / name).write_bytes(lines)
        assert read_columns([tmp_path / name], ["y", "s"])["s"].tolist() == [1, 2]


def refused(paths, **options):
    return refusal(score, paths, **{"label": "y", "score": "s"} | options)


def test_a_key_that_first_appears_late(tmp_path, monkeypatch):
    """Where a score may be missing; a label may not."""
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 100)
    path = tmp_path / "x.jsonl"
    path.write_text('{"y": 0}\n' * 50 + '{"y": 0, "s": 0.5}\n{"y": 1, "s": 1}\n')
    (column,) = score([path], label="y", score="s", nan_policy="omit")
    assert (column.n, column.roc_auc.estimate) == (2, 1.0)
    for limit in (None, 1):
        said = refused([path], memory_limit=limit)
        assert (
            "column 's', row 1 is null; expected a value in every row; to leave such rows" in said
        )
    path.write_text('{"s": 0}\n' * 50 + '{"y": 0, "s": 0.5}\n{"y": 1, "s": 1}\n')
    assert "column 'y', row 1 is null; expected a value in every row" in refused([path])
    path.write_text('{"y": 0}\n' * 50 + '{"y": 0, "\\u0073": 0.5}\n')  # the same name
    assert "column 's', row 1 is null; " in refused([path])


@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize("nan_policy", ["raise", "omit"])
def test_a_name_that_is_nowhere(tmp_path, monkeypatch, nan_policy, limit):
    """Also where scores may be missing, and their names with them; in parts, in one at least."""
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 100)
    (tmp_path / "0.jsonl").write_text('{"y": 0}\n' * 50)
    (tmp_path / "1.jsonl").write_text("")
    (tmp_path / "2.jsonl").write_text('{"y": 0, "scores": null, "t": 1}\n' * 50)
    options = {"nan_policy": nan_policy, "memory_limit": limit}
    for name in ("score", "zz"):
        said = refused([tmp_path / "2.jsonl"], score=name, **options)
        hint = "; did you mean 'scores'?" if name == "score" else ""
        assert said.endswith(f"2.jsonl: no column {name!r}; there are 'y', 'scores', 't'{hint}")
        said = refused([tmp_path], score=name if nan_policy == "raise" else ["t", name], **options)
        assert f"0.jsonl: no column {name!r}; there are 'y'" in said
    options["nan_policy"] = "omit"
    assert "there is no row with all scores" in refused([tmp_path], score="scores", **options)


# What other programs write ------------------------------------------------------------------------

LINES = "y,s\n0,0.1\n0,0.4\n1,0.35\n1,0.8\n"


def assert_read(path, **options):
    for limit in (None, 1):
        column = area(find([path], **options), memory_limit=limit)
        assert (column.roc_auc.estimate, column.roc_auc.exact, column.n) == (0.75, True, 4)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line", ["sep={}\n", "SEP={}\r\n", '"sep={}"\n', "sep={}\n\n", "sep={}\r"])
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_separator_that_excel_is_told(tmp_path, mark, line, delimiter):
    end = "\r" if line.endswith("\r") else "\n"
    text = mark + line.format(delimiter) + LINES.replace(",", delimiter).replace("\n", end)
    (tmp_path / "x.csv").write_text(text, encoding="utf-8", newline="")
    assert_read(tmp_path / "x.csv")
    assert_read(tmp_path / "x.csv", delimiter=",")  # the line in the file comes first


def test_where_lines_are_after_that_of_the_separator(tmp_path, monkeypatch):
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 16)
    path = tmp_path / "x.csv"
    for wrong, said in [
        ("1;x\n", "column 's', row 5 is 'x'"),
        ('1;"2\n', "line 7 begins a quoted value that does not end"),
    ]:
        path.write_text("sep=;\n" + LINES.replace(",", ";") + wrong)
        assert said in refusal(area, [path])


def test_a_column_may_be_named_like_the_line_of_the_separator(tmp_path):
    (tmp_path / "x.csv").write_text("sep=x,s\n" + LINES.partition("\n")[2])
    (column,) = score([tmp_path / "x.csv"], label="sep=x", score="s")
    assert column.roc_auc.estimate == 0.75


@pytest.mark.parametrize("pattern", [False, True])
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "jsonl.gz"])
def test_empty_parts_are_no_rows(tmp_path, ending, pattern):
    """Spark writes such parts; alone they are an error."""

    def write(name, text):
        content = gzip.compress(text.encode()) if ending.endswith("gz") else text.encode()
        (tmp_path / f"{name}.{ending}").write_bytes(content)

    for name, text in [("a", ""), ("c", ""), ("d", "\n\n")]:
        write(name, text)
    (tmp_path / f"e.{ending}").write_bytes(b"")
    place = tmp_path / "*" if pattern else tmp_path
    for limit in (None, 1):
        assert refusal(area, [place], memory_limit=limit).endswith(": there are no rows")
        assert refusal(stream_all, [place]).endswith(": there are no rows")
    lines = [line.split(",") for line in LINES.split()[1:]]
    objects = "".join(f'{{"y": {y}, "s": {s}}}\n' for y, s in lines)
    write("b", LINES if ending.startswith("csv") else objects)
    assert_read(place)


def stream_all(paths):
    return list(stream_columns(paths, ["y"]))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "npy", "npz"])
def test_an_empty_file_of_another_format_is_no_part(tmp_path, ending):
    (tmp_path / f"a.{ending}").write_bytes(b"")
    assert refusal(area, [tmp_path]).endswith(f"a.{ending}: the file is empty")


def test_words_for_missing_values(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(LINES + '1,\\N\n0,.\n1,NA\n0,\n0,"-"\n')
    found = find([path], missing_values=["\\N", ".", "-"])
    for limit in (None, 1):
        (column,) = score(found, label="y", score="s", nan_policy="omit", memory_limit=limit)
        assert (column.roc_auc.estimate, column.n, column.dropped[:2]) == (0.75, 4, (3, 2))
    where = "row 5 is empty or marked as missing (row 1 is below the header)"
    assert f"{where}; expected a value in every row" in refusal(area, found)
    assert "row 5 is '\\\\N'; expected a number" in refusal(area, find([path]))
    (tmp_path / "x.jsonl").write_text('{"y": 1, "s": 0.5}\n')
    said = refusal(find, [tmp_path / "x.jsonl"], missing_values=["."])
    assert said.endswith("is jsonl; expected CSV with --missing-values (missing_values)")


def test_decimal_commas_in_quotes_between_commas(tmp_path):
    """The hint leads to the numbers, in one step or, from the other half, in two."""
    path = tmp_path / "x.csv"
    path.write_text(re.sub(r"0\.\d+", lambda number: f'"{number[0]}"', LINES).replace("0.", "0,"))
    assert refusal(area, [path]).endswith("use decimal=',', delimiter=','")
    assert refusal(area, find([path], decimal=",")).endswith("use delimiter=','")
    assert_read(path, decimal=",", delimiter=",")
    path.write_text(LINES.replace("0.", "0,"))
    assert "Expected 2 columns, got 3" in refusal(area, find([path], decimal=",", delimiter=","))


# Wide ---------------------------------------------------------------------------------------------

MORE_COLUMNS = 10_000


@pytest.fixture
def wide(monkeypatch):
    """Return a function that adds so many columns to lines that pyarrow is not given them all.

    A block holds the header and a row or two, or a few rows.
    """
    monkeypatch.setattr(text_formats, "_BLOCK_BYTES", 70_000)

    def widen(header, *lines, delimiter=","):
        more = "".join(f"{delimiter}{k}" for k in range(MORE_COLUMNS))
        return [header + more, *(line + delimiter * MORE_COLUMNS for line in lines)]

    return widen


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_of_a_wide_file(tmp_path, wide, end, delimiter):
    texts = ['"a""b"', '"c{0}d"', "-", '"x,y;z\t|"', "é", '"e{0}{0}f"'] * 8
    texts = [text.format(end) for text in texts]
    lines = [f"{k}{delimiter}{text}{delimiter}{k / 8}" for k, text in enumerate(texts)]
    path = tmp_path / "x.csv"
    header, *lines = wide(delimiter.join("ktw"), *lines, delimiter=delimiter)
    path.write_text(end.join([header, "", *lines]), newline="")
    found = find([path], delimiter=delimiter)
    for name, expected in [("w", np.arange(48) / 8), ("k", np.arange(48))]:
        assert read_columns(found, [name], numeric=[name])[name].tolist() == expected.tolist()
    words = [text.strip('"').replace('""', '"') for text in texts]
    assert read_columns(found, ["t"])["t"].tolist() == words


def test_faults_of_a_wide_file(tmp_path, wide):
    path = tmp_path / "x.csv"
    for n in (1, 30):
        lines = ["y,t,s", *(["1,a,2"] * n)]
        for line, said in [
            ("1,a", f"CSV parse error: Row #{n + 2}: Expected 10003 columns, got 10002"),
            ("1,a,x", f"column 's', row {n + 1} is 'x'; expected a number"),
            ("1,a,", f"column 's', row {n + 1} is empty or marked as missing"),
            ("1,a,9007199254740993", f"column 's', row {n + 1} is 9007199254740993"),
            ("1,a,0.10000000000000000001", f"row {n + 1} is 0.10000000000000000001"),
        ]:
            path.write_text("\n".join(wide(*lines, line, "0,b,1")))
            assert said in refusal(area, [path])
    path.write_text("\n".join(wide("y,t,s", "1,\xe9,2", "0,b,1")), encoding="latin-1")
    (column,) = score([path], label="y", score="s")
    assert column.roc_auc.estimate == 1.0
    assert "holds text that is not UTF-8" in refusal(score, [path], label="t", score="s")
    path.write_text("\n".join(wide("y,\xe9,s", "1,a,2", "0,b,1")), encoding="latin-1")
    said = refusal(score, [path], label="t", score="s")
    assert "no column 't'; there are 'y', '\ufffd', 's'" in said
