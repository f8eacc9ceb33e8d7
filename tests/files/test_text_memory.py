"""The memory that text takes up, however wide or deep it is."""

import os
import sys

import pytest

from support.programs import MORE_MEMORY, run_program
from support.reliability import NOT_SANITIZED

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.skipif(sys.platform != "linux", reason="memory as Linux counts it"),
]
MEASURED = """
import sys
from fastauc._cli.main import main
code = main(["score", sys.argv[1], "--label=y", f"--score={sys.argv[2]}", "--threads=2",
             "--memory-limit=190MB"])
with open("/proc/self/status") as status:  # of this program alone, not of the one that began it
    found = dict(line.split(":") for line in status)
peak, mapped = (int(found[name].split()[0]) << 10 for name in ("VmHWM", "RssFile"))
print(code, peak - mapped)
"""


def wide(n_columns, n_rows):
    names = ",".join(["y", "s", *map(str, range(n_columns - 2))])
    ones = ",1" * (n_columns - 2)
    return "\n".join([names, *(f"{k % 2},{k % 7}{ones}" for k in range(n_rows)), ""])


def keys(n):
    more = ",".join(f'"k{i}":1' for i in range(n))
    return "".join(f'{{"y":{k},"s":{k},{more}}}\n' for k in (0, 1))


def deep(opened, closed, n):
    return "".join(f'{{"y":{k},"s":{k},"d":{opened * n}1{closed * n}}}\n' for k in (0, 1))


TEXTS = {
    "300,000 columns.csv": lambda: wide(300_000, 2),
    "50,000 columns.csv": lambda: wide(50_000, 5),
    "20,000 columns and 4 MB.csv": lambda: wide(20_000, 100),
    "1,000 columns and 40 MB.csv": lambda: wide(1_000, 20_000),
    "commas.csv": lambda: "," * 10**6 + "\n",
    "150,000 keys.jsonl": lambda: keys(150_000),
    "lists.jsonl": lambda: deep("[", "]", 200_000),
    "objects.jsonl": lambda: deep('{"a":', "}", 60_000),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("column", ["s", "missing"])
def test_memory_is_bounded_by_the_size(tmp_path, name, column):
    """150 MB, of which the process without a row takes up 97, and 4 times the size of the file.

    55 of the 150 are pages of libraries. They are not counted: Linux maps 35 MB more of them, which
    other processes share, where the libraries have just been installed.
    """
    path = tmp_path / name
    path.write_text(TEXTS[name]())
    out, _ = run_program(MEASURED, path, column)
    code, peak = map(int, out.split()[-2:])
    assert code == (1 if column == "missing" or name == "commas.csv" else 0)
    if not (column == "missing" and name.endswith("keys.jsonl")):  # which takes up 15 MB more
        assert peak <= 95e6 + 4 * os.path.getsize(path) + MORE_MEMORY


def test_columns_are_named_as_pyarrow_names_them(tmp_path):
    """Quotes, doubled quotes, line breaks in names, a mark before the first one, blank lines."""
    path = tmp_path / "x.csv"
    path.write_bytes(b'\xef\xbb\xbf\n\n"y","a ""b""","c\nd", e ,s\n0,1,2,3,0.5\n1,4,5,6,0.25\n')
    for column in ('a "b"', "c\nd", " e ", "s"):
        out, _ = run_program(MEASURED, path, column)
        assert out.split()[-2] == "0", column
