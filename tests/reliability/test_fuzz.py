"""Bytes that a fuzzer has found to reach all of the code, and new ones that it finds."""

import importlib.util
import re
from pathlib import Path

import pytest

from support.fuzz_targets import CORPUS, TARGETS, read_corpus
from support.programs import run_program
from support.reliability import tried

CHECKS = {name: "malformed files" if name[:5] == "read_" else "fuzzed states" for name in TARGETS}
CHECKS["read_state"] = "fuzzed states"
EVERY_TARGET = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.check(CHECKS[name])) for name in TARGETS]
)


def test_every_target_has_a_corpus():
    assert {path.stem for path in CORPUS.iterdir()} == set(TARGETS)


@EVERY_TARGET
def test_what_a_fuzzer_has_found(name):
    for content in read_corpus(name):
        tried()
        TARGETS[name](content)


# Of a process: atheris keeps some 100 kB of every call of code that it has instrumented, and the
# limit of memory is meant for one call.
SECONDS = 30


@pytest.mark.parametrize(
    "minutes",
    [pytest.param(1, marks=pytest.mark.slow), pytest.param(10, marks=pytest.mark.release)],
)
@EVERY_TARGET
def test_minutes_of_fuzzing(tmp_path, name, minutes):
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed (extra fuzz)")
    found, scratch = tmp_path / "found", tmp_path / "scratch"
    found.mkdir()
    scratch.mkdir()
    script, arguments = Path(__file__).with_name("fuzz.py"), (name, SECONDS, found)
    n_units = 0
    for _ in range(minutes * 60 // SECONDS):
        # libFuzzer ends the process without Python, which would remove its temporary files.
        _, said = run_program(script, *arguments, timeout=180, TMPDIR=str(scratch))
        n_units += int(re.search(r"number_of_executed_units: *(\d+)", said)[1])
        assert [path.read_bytes() for path in found.iterdir() if "-" in path.name] == []
    tried(n_units)
