"""No function reads a byte before or after the arrays that it is given."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fastauc
from reliability import guard_pages
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    pytest.mark.check("guard pages"),
    pytest.mark.skipif(sys.platform == "win32", reason="needs mprotect"),
]

ROOT = Path(fastauc.__file__).parents[1]


def call_in_fences(tmp_path, *arguments):
    note = tmp_path / "case"
    command = [sys.executable, guard_pages.__file__, str(note), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, f"{note.read_text()}\n{run.stderr}"
    tried(run.stdout)


@pytest.mark.parametrize(
    ("side", "first", "last", "step"),
    [
        ("end", 0, 130, 3),
        ("begin", 0, 130, 7),
        ("end", 255, 2_300, 1_999),
        pytest.param("end", 4_253, 9_000, 1_999, marks=pytest.mark.ci),
        pytest.param("end", 0, 130, 1, marks=pytest.mark.ci),
    ],
)
def test_some_functions(tmp_path, side, first, last, step):
    call_in_fences(tmp_path, side, 1, first, last, step)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["begin", "end"])
@pytest.mark.parametrize("bounds", [(0, 130, 1), (131, 1_100, 57), (4_000, 90_000, 21_001)])
def test_more_functions(tmp_path, side, bounds):
    call_in_fences(tmp_path, side, 6, *bounds)


def run_program(program):
    folders = [str(ROOT), str(Path(guard_pages.__file__).parents[1])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-P", "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.ci
@NOT_SANITIZED
def test_a_fence_stops_what_reads_beyond_it():
    reads = "import numpy as np; from reliability.guard_pages import Fence\n"
    reads += "array = Fence(8).lay(np.zeros(1), {side!r})\n"
    reads += "np.lib.stride_tricks.as_strided(array, (2,), ({step},)).sum()"
    for side, step in (("end", 8), ("begin", -8)):
        program = reads.format(side=side, step=step)
        assert run_program(program).returncode < 0
        within = run_program(program.replace("(2,)", "(1,)"))
        assert within.returncode == 0, within.stderr
