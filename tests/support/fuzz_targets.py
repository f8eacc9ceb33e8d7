"""What a fuzzer calls with bytes: each returns, or raises if the package has a defect.

``tests/reliability/fuzz.py`` lets them be called with bytes that reach new code; those it has found
are kept in tests/data/corpus, in a file for each target, a bytes literal a line. To keep more:

    python tests/support/fuzz_targets.py read_csv found/*
"""

import ast
import atexit
import contextlib
import io
import math
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from fastauc import CorruptStateError
from fastauc.files import DataError, find, merge_states, score
from fastauc.streaming import RocAucAccumulator, ScoreHistogram

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support.forging import seal
from support.fuzzing import run

FOLDER = Path(tempfile.mkdtemp(prefix="fastauc-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
CORPUS = Path(__file__).parents[1] / "data" / "corpus"


def read_corpus(name):
    """Return the bytes that are kept for a target."""
    lines = (CORPUS / f"{name}.txt").read_text(encoding="ascii").splitlines()
    return [ast.literal_eval(line) for line in lines]


def add_to_corpus(name, paths):
    """Keep what these files hold for a target."""
    lines = {repr(content) for content in [*read_corpus(name), *map(Path.read_bytes, paths)]}
    (CORPUS / f"{name}.txt").write_text("\n".join(sorted(lines)) + "\n", encoding="ascii")


READERS = {
    1: ScoreHistogram.from_bytes,
    6: RocAucAccumulator.from_bytes,
}


def _is_area(value):
    return math.isnan(value) or 0 <= value <= 1


def _check_interval(interval):
    assert all(map(_is_area, interval[:3])), interval
    assert math.isnan(interval.lower) or interval.lower <= interval.estimate <= interval.upper


def _check(state):
    found = state.compute() if isinstance(state, RocAucAccumulator) else state.roc_auc()
    if isinstance(found, float):
        assert _is_area(found), found
    else:
        _check_interval(found)


def read_state(content):
    """Read states: the bytes themselves, and as the payload of each kind under its checksum."""
    for kind, read in READERS.items():
        for state in (content, seal(content, kind=kind)):
            with contextlib.suppress(CorruptStateError):
                found = read(state)
                assert found.to_bytes() == state
                _check(found)


def merge_two(content):
    """Merge two states of a kind: an error that leaves both as they were, or all rows of both."""
    kind = list(READERS)[content[0] % len(READERS)] if content else 1
    middle = int.from_bytes(content[1:3], "little")
    payloads = content[3 : 3 + middle], content[3 + middle :]
    with contextlib.suppress(CorruptStateError):
        one, other = (READERS[kind](seal(payload, kind=kind)) for payload in payloads)
        before = one.to_bytes(), other.to_bytes()
        n_rows = one.n_rows + other.n_rows
        try:
            one.merge(other)
        except (OverflowError, ValueError):
            assert one.to_bytes() == before[0]
        else:
            assert one.n_rows == n_rows
            assert READERS[kind](one.to_bytes()).to_bytes() == one.to_bytes()
            _check(one)
        assert other.to_bytes() == before[1]


def merge_files(content):
    """Merge the states that a file holds with themselves: results, or one sentence."""
    path = FOLDER / "states"
    for state in (content, seal(content, kind=4)):
        path.write_bytes(state)
        for paths in ([path], [path, path]):
            with contextlib.suppress(DataError):
                for column in merge_states(paths):
                    _check_interval(column.roc_auc)


def _read_rows(path, **options):
    results = []
    for limit in (None, 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                files = find([path], **options)
                (column,) = score(files, label="y", score="s", memory_limit=limit)
        except DataError as error:
            refusal = str(error)
            assert refusal.startswith(f"{path}: "), refusal
            continue
        _check_interval(column.roc_auc)
        results.append((column.n, column.positives, repr(column.roc_auc.estimate)))
    assert len(set(results)) <= 1, results


def _fuzz_rows(ending):
    def read(content):
        path = FOLDER / f"x.{ending}"
        path.write_bytes(content)
        _read_rows(path)

    return read


def read_csv(content):
    """Read text in all of the ways it can be separated."""
    delimiter, decimal = ((",", "."), (";", ","), ("\t", "."))[content[0] % 3 if content else 0]
    path = FOLDER / "x.csv"
    path.write_bytes(content[1:])
    _read_rows(path, delimiter=delimiter, decimal=decimal)


def parse_arguments(content):
    """Run a command line whose arguments are the parts between zero bytes, in a folder alone."""
    arguments = content.decode(errors="surrogateescape").split("\0")
    # Nothing is read or written outside of the folder.
    arguments = [text for text in arguments if "/" not in text and ".." not in text]
    folder, before = FOLDER / "here", os.getcwd()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "x.csv").write_text("y,s,t\n1,0.5,2\n0,0.25,2\n1,0.75,1\n", encoding="ascii")
    stdin = sys.stdin
    try:
        os.chdir(folder)
        sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
        code, out, err = run(*arguments)
    except SystemExit as ended:  # a wrong usage, or --help
        code = ended.code
        assert code in (0, 2)
    else:
        assert code in (0, 1)
        assert code == 0 or (out == "" and err.count("\n") >= 1)
        assert all(line.startswith("fastauc: ") for line in err.splitlines()), err
    finally:
        sys.stdin = stdin
        os.chdir(before)


TARGETS = {
    "read_state": read_state,
    "merge_two": merge_two,
    "merge_files": merge_files,
    "read_csv": read_csv,
    "read_jsonl": _fuzz_rows("jsonl"),
    "read_parquet": _fuzz_rows("parquet"),
    "parse_arguments": parse_arguments,
}

if __name__ == "__main__":
    add_to_corpus(sys.argv[1], map(Path, sys.argv[2:]))
