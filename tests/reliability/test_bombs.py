"""Small files that ask for much memory or time: one line, within half a GiB."""

import itertools
import re
import sys

import numpy as np
import pyarrow as pa
import pytest

from support import forging
from support.file_columns import arrow_bytes, parquet_bytes
from support.programs import run_program
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.check("malformed files"),
    pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux knows them"),
]
MOST_MEMORY = 512 << 20
MIB = 1 << 20

CHILD = """
    import resource, sys
    from fastauc._cli.main import main
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    columns = ["--label=y", "--score=s", "--memory-limit=256MB"]
    codes = [main(["score", path, *columns]) for path in sys.argv[1:]]
    # Not ru_maxrss, which begins with what the parent took up.
    with open("/proc/self/status") as status:
        (peak,) = (line.split()[1] for line in status if line.startswith("VmHWM:"))
    print(*codes, peak)
"""


def refusals(paths):
    """Return the lines that refuse files, and check what they took up in one process."""
    printed, said = run_program(CHILD, *paths, timeout=300)
    *codes, peak = map(int, printed.split())
    assert codes == [1] * len(paths)
    assert peak << 10 <= MOST_MEMORY
    tried(len(paths))
    return [
        line.removeprefix(f"fastauc: error: {path}: ")
        for path, line in zip(paths, said.splitlines(), strict=True)
    ]


def refusal(path):
    return refusals([path])[0]


# Parquet ------------------------------------------------------------------------------------------


PLAIN = parquet_bytes(
    pa.table({"y": np.arange(99) % 2, "s": np.arange(99.0)}),
    use_dictionary=False,
    compression="none",
    store_schema=False,
)
SIZE, COMPRESSED_SIZE, VALUES = (2,), (3,), (5, 1)
SCHEMA, ROW_GROUPS = (2,), (4,)
NUMBERS = [-1, 2**26, 2**30 - 1, 2**31 - 1]


def test_pages_that_say_they_are_large(tmp_path):
    place = {each.path: each for each in forging.page_places(PLAIN)}  # of the last page
    paths = []
    for path, number in itertools.product((SIZE, COMPRESSED_SIZE, VALUES), NUMBERS):
        start, stop = place[path].start, place[path].stop
        paths.append(tmp_path / f"{path[-1]}-{number}.parquet")
        paths[-1].write_bytes(PLAIN[:start] + forging.zigzag(number) + PLAIN[stop:])
    assert all(line.startswith("cannot be read: ") for line in refusals(paths))


def test_footers_that_say_they_are_long(tmp_path):
    places = forging.footer_places(PLAIN)
    chosen = [place for place in places if place.path in (forging.ROWS, SCHEMA, ROW_GROUPS)]
    paths = []
    for k, (place, number) in enumerate(itertools.product(chosen, (2**31 - 1, 2**62))):
        paths.append(tmp_path / f"{k}.parquet")
        paths[-1].write_bytes(forging.lie(PLAIN, place, number))
    assert len(paths) == 6
    assert all(line.startswith("cannot be read: ") for line in refusals(paths))


def test_columns_within_columns(tmp_path):
    kind = pa.float64()
    for _ in range(200):
        kind = pa.struct({"a": kind})
    content = parquet_bytes(pa.table({"y": [0, 1], "s": [1.0, 2.0], "x": pa.nulls(2, kind)}))
    (tmp_path / "x.parquet").write_bytes(content)
    # The words depend on the version of pyarrow.
    assert re.search("too deeply nested|Invalid flatbuffers", refusal(tmp_path / "x.parquet"))


def test_a_batch_of_two_gigabytes(tmp_path):
    zeros = pa.table({"y": np.zeros(1 << 28, bool), "s": np.zeros(1 << 28)})
    path = tmp_path / "x.arrow"
    path.write_bytes(arrow_bytes(zeros, 1 << 28, "zstd"))
    assert path.stat().st_size < MIB
    said = refusal(path)
    assert re.match("cannot be read: (record batch 0: )?not enough memory: malloc of size", said)


# Text ---------------------------------------------------------------------------------------------


def compressed(path, kind, beginning, block, times):
    with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, kind) as sink:
        sink.write(beginning)
        for _ in range(times):
            sink.write(block)


LONG_LINES = {
    "x.csv": (b"y,s\n", b"0" * MIB, "a line is longer than"),
    "header.csv": (b"y,s", b",x" * (MIB // 2), "a line is longer than"),
    "quoted.csv": (b'y,s\n1,"', b"0" * MIB, "begins a quoted value that does not end"),
    "x.jsonl": (b'{"y": 1, "s": "', b"0" * MIB, "a line is longer than"),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(
            name, kind, marks=[] if kind == "zstd" and name[0] == "x" else pytest.mark.slow
        )
        for name in LONG_LINES
        for kind in ("zstd", "gzip", "lz4")
    ],
)
def test_a_gigabyte_of_one_line(tmp_path, name, kind):
    beginning, block, said = LONG_LINES[name]
    path = tmp_path / name
    compressed(path, kind, beginning, block, 1024)
    assert path.stat().st_size < 6 * MIB
    assert said in refusal(path)


@pytest.mark.slow
def test_a_gigabyte_of_empty_lines(tmp_path):
    compressed(tmp_path / "x.csv", "zstd", b"y,s\n", b"\n" * MIB, 1024)
    assert refusal(tmp_path / "x.csv") == "there are no rows"


def test_lines_of_json(tmp_path):
    lines = {
        "row 1 is no object": b"null\n",
        "column 's' has type array": b'{"y": 1, "s": ' + b"[" * MIB + b"]" * MIB + b"}\n",
        "column 's' has type object": (
            b'{"y": 1, "s": ' + b'{"s":' * MIB + b"1" + b"}" * MIB + b"}\n"
        ),
        "column 's', row 1 is 1000": b'{"y": 1, "s": 1' + b"0" * MIB + b"}\n",
    }
    paths = [tmp_path / f"{k}.jsonl" for k in range(len(lines))]
    for path, content in zip(paths, lines.values(), strict=True):
        path.write_bytes(content)
    for found, said in zip(refusals(paths), lines, strict=True):
        assert found.startswith(said)
