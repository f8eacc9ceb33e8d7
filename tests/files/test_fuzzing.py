"""Files that nobody means: the right answer, or one line that says where it is wrong.

A file is read in memory and in passes. What pyarrow reads of these two columns of a damaged file,
if it reads them, is the right answer; a file that lies about nothing but itself has to give that of
its rows, or none.
"""

import io
import zipfile
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

import naive
from support import forging
from support.file_columns import files_of
from support.fuzzing import EXAMPLES, IN_MEMORY, IN_PASSES, TABLE, law, memory, outcome
from support.reliability import run_for_longer, tried

MOST_MEMORY = 400 << 20  # of which the tables of the passes take up 50 MB

modern = pytest.mark.skipif(
    int(pa.__version__.partition(".")[0]) < 26,
    reason="older pyarrow may end the process when a file is damaged",
)


@pytest.fixture(autouse=True)
def bounded():
    before = memory("VmHWM")
    yield
    assert memory("VmHWM") - before <= MOST_MEMORY


def expected(labels, scores):
    """Return the area, if there is one, and the number of rows, by the definition."""
    concordant, tied, n_pos, n_neg = naive.concordance([label == 1 for label in labels], scores)
    pairs = n_pos * n_neg
    return (float((concordant + tied / Fraction(2)) / pairs) if pairs else None), len(labels)


def assert_right(path, truth, score="s"):
    """Read a file in both ways; what is not refused has to be the truth, if it is known."""
    found = [outcome(path, *options, score=score) for options in (IN_MEMORY, IN_PASSES)]
    for row in found:
        if isinstance(row, dict):
            assert (row["auc"], row["n"]) == truth(), found
    return found


# Damage -------------------------------------------------------------------------------------------


def csv():
    sink = io.BytesIO()
    pa.csv.write_csv(TABLE, sink)
    return sink.getvalue()


FILES = files_of(TABLE, 25) | {"x.csv": csv()}
PARQUET = {name: content for name, content in FILES.items() if name.endswith("parquet")}


def read_by_pyarrow(path):
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            table = file.read(["y", "s"])
    elif path.suffix == ".csv":
        table = pa.csv.read_csv(path)
    else:
        open_ipc = pa.ipc.open_stream if path.suffix == ".arrows" else pa.ipc.open_file
        with pa.OSFile(str(path)) as file:
            names = open_ipc(file).schema.names
            file.seek(0)
            read = pa.ipc.IpcReadOptions(included_fields=[names.index("y"), names.index("s")])
            table = open_ipc(file, options=read).read_all()
    scores = [score[1] if isinstance(score, list) else score for score in table["s"].to_pylist()]
    return expected(table["y"].to_pylist(), scores)


def zipped(content):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.csv", content)
    return sink.getvalue()


# A zip has the check sum of what it holds, so that the rows are right or refused.
ZIPS = {"x.csv.zip": zipped(csv()), "x.zip": zipped(csv())}
PAIRS = pa.table({"y": TABLE["y"], "s": [[1.0, score] for score in TABLE["s"].to_pylist()]})
PARTS = {name: content for name, content in files_of(PAIRS, 25).items() if "np" not in name}


@st.composite
def damaged(draw, files):
    """Return the name of a file and its content after some accidents."""
    name = draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name])
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        stop = min(start + draw(st.integers(0, 16)), len(content))
        accident = draw(st.sampled_from(["flip", "write", "cut", "repeat", "end"]))
        if accident == "flip" and start < len(content):
            content[start] ^= 1 << draw(st.integers(0, 7))
        elif accident == "write":
            extremes = st.sampled_from([b"\0", b"\xff", b"\x80", b"\x7f", b"\n", b'"', b","])
            content[start:stop] = draw(extremes) * (stop - start)
        elif accident == "cut":
            del content[start:stop]
        elif accident == "repeat":
            content[start:start] = content[start:stop]
        elif accident == "end":
            del content[start:]
    return name, bytes(content)


@pytest.mark.check("mutated files")
@modern
@law
@given(case=damaged(FILES))
def test_damaged_files(tmp_path, case):
    tried()
    name, content = case
    path = tmp_path / name
    path.write_bytes(content)
    assert_right(path, lambda: read_by_pyarrow(path))


@pytest.mark.check("mutated files")
@law
@given(case=damaged(ZIPS))
def test_damaged_zips(tmp_path, case):
    tried()
    name, content = case
    (tmp_path / name).write_bytes(content)
    truth = expected(TABLE["y"].to_pylist(), TABLE["s"].to_pylist())
    assert_right(tmp_path / name, lambda: truth)


@pytest.mark.check("mutated files")
@modern
@law
@given(case=damaged(PARTS))
def test_damaged_lists(tmp_path, case):
    tried()
    name, content = case
    path = tmp_path / name
    path.write_bytes(content)
    assert_right(path, lambda: read_by_pyarrow(path), "s[1]")


# Lies ---------------------------------------------------------------------------------------------

NUMBERS = [-(2**63), -(2**31), -1, 0, 1, 2, 24, 26, 59, 61, 2**15, 2**31 - 1, 2**31, 2**62]
UNTOUCHED = [
    forging.ROWS,
    forging.ROWS_OF_GROUP,
    forging.VALUES_OF_CHUNK,
    forging.BYTES_OF_GROUP,
    forging.STATISTICS,
]


@pytest.mark.check("malformed files")
@modern
@pytest.mark.parametrize("name", PARQUET)
def test_lies_about_rows_and_statistics(tmp_path, name):
    content, path = PARQUET[name], tmp_path / name
    truth = expected(TABLE["y"].to_pylist(), TABLE["s"].to_pylist())
    places = [p for p in forging.footer_places(content) if any(map(p.is_in, UNTOUCHED))]
    places = places[:: 1 if EXAMPLES > 15 else 4]
    n_right = 0
    tried(len(places))
    for k, place in enumerate(places):
        if place.kind == "text":
            number = bytes([k % 256]) * (place.stop - place.start - 1)
            path.write_bytes(forging.rewrite(content, place, number))
        else:
            path.write_bytes(forging.lie(content, place, NUMBERS[k % len(NUMBERS)]))
        n_right += sum(isinstance(row, dict) for row in assert_right(path, lambda: truth))
    assert n_right > 0  # statistics are not read


# Text ---------------------------------------------------------------------------------------------

NUMBERS_AS_TEXT = {"1": 1, "0.50": 0.5, "-0": 0, "1e2": 100, "1E-2": 0.01, "-2.5e+1": -25,
                   '"0.5"': 0.5, "00.5": 0.5, ".5": 0.5, "5.": 5}  # fmt: skip
# Some readers take these for numbers, others do not.
MAYBE = {"+1": 1, " 1": 1, "1 ": 1, "1e400": None, "\t1": 1, "0x10": 16, '" 1"': 1}
NOT_NUMBERS = [
    *("", "NULL", "null", "nan", "NaN", "n/a", "inf", "-Infinity", "high", "1,5", "1_000"),
    *("1;5", "--1", "1e", "e5", "0x", "true", "2024-01-01", "1\0", '""', "\ufeff1", "é", "\uff11"),
    "1 000",
]


@st.composite
def texts(draw):
    """Return the bytes of a CSV file, the truth, and where it is not numbers: rows, or None."""
    n = draw(st.integers(2, 40))
    labels = draw(st.lists(st.sampled_from(["0", "1"]), min_size=n, max_size=n))
    cells = draw(st.lists(st.sampled_from(sorted(NUMBERS_AS_TEXT)), min_size=n, max_size=n))
    scores = [NUMBERS_AS_TEXT[cell] for cell in cells]
    row, fault = draw(st.integers(0, n - 1)), draw(st.sampled_from(["none", "maybe", "never"]))
    if fault == "maybe":
        cells[row] = draw(st.sampled_from(sorted(MAYBE)))
        scores[row] = MAYBE[cells[row]]
    elif fault == "never":
        cells[row] = draw(st.sampled_from(NOT_NUMBERS))
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    if delimiter in cells[row]:
        cells[row] = f'"{cells[row]}"'
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    rows = [("y", "s"), *zip(labels, cells, strict=True)]
    lines = [delimiter.join(row) for row in rows]
    if delimiter != "," or draw(st.booleans()):  # as Excel is told
        lines = [f"sep={delimiter}", *lines]
    text = end.join(lines) + draw(st.sampled_from(["", end, end + end]))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + text.encode(), (list(map(int, labels)), scores), fault, row


@pytest.mark.check("malformed files")
@law
@given(case=texts())
def test_numbers_as_text(tmp_path, case):
    tried()
    content, truth, fault, row = case
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    for way in (IN_MEMORY, IN_PASSES):
        found = outcome(path, *way)
        if fault == "none" or (fault == "maybe" and isinstance(found, dict)):
            assert isinstance(found, dict), found
            assert (found["auc"], found["n"]) == expected(*truth)
        elif way == IN_PASSES:
            assert isinstance(found, str)
            assert found.startswith(f"column 's', row {row + 1} is ")
        else:
            assert isinstance(found, str)
            assert "'s'" in found


@pytest.mark.check("malformed files")
@law
@given(case=texts(), words=st.lists(st.sampled_from(NOT_NUMBERS[5:]), min_size=1, unique=True))
def test_words_for_missing_values(tmp_path, case, words):
    """What a word stands for is left out; anything else is as it was."""
    tried()
    content, (labels, scores), fault, row = case
    words = [word for word in words if "," not in word and "\ufeff" not in word]
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    before = outcome(path, "--missing=drop")
    found = outcome(path, "--missing=drop", "--missing-values=" + ",".join(words))
    if found != before:
        assert (fault, isinstance(before, str)) == ("never", True)
        del labels[row], scores[row]
        assert (found["auc"], found["n"]) == expected(labels, scores)
    elif fault == "none":
        assert (found["auc"], found["n"]) == expected(labels, scores)


@pytest.mark.check("malformed files")
@law
@given(
    column=st.sampled_from("ys"),
    wrong=st.sampled_from([b"\xe9", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\x80"]),
    row=st.integers(0, 9),
)
def test_wrong_encodings(tmp_path, column, wrong, row):
    tried()
    cells = [{"y": b"%d" % (k % 2), "s": b"0.%d" % k} for k in range(10)]
    cells[row][column] += wrong
    lines = [b"y,s", *(each["y"] + b"," + each["s"] for each in cells)]
    objects = [b'{"y": "%s", "s": %s}' % (each["y"], each["s"]) for each in cells]
    for ending, content in (("csv", lines), ("jsonl", objects)):
        path = tmp_path / f"x.{ending}"
        path.write_bytes(b"\n".join(content))
        for way in (IN_MEMORY, IN_PASSES):
            assert isinstance(outcome(path, *way), str)


# Longer -------------------------------------------------------------------------------------------


LONGER = {
    "mutated files": [test_damaged_files, test_damaged_zips, test_damaged_lists],
    "malformed files": [
        test_lies_about_rows_and_statistics,
        test_numbers_as_text,
        test_words_for_missing_values,
        test_wrong_encodings,
    ],
}
LONGER = {check: [f"{__file__}::{test.__name__}" for test in LONGER[check]] for check in LONGER}
LONGER["fuzzed states"] = [Path(__file__).with_name("test_forgery.py")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "tests", [pytest.param(LONGER[check], marks=pytest.mark.check(check)) for check in LONGER]
)
def test_all_of_this_for_longer(tmp_path, tests):
    run_for_longer(tests, 300, tmp_path)
