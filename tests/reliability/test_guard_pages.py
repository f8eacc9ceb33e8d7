"""No function reads a byte before or after the arrays that it is given."""

import sys
from pathlib import Path

import pytest

from reliability import guard_pages
from support.programs import run_program, start_program
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    pytest.mark.check("guard pages"),
    pytest.mark.skipif(sys.platform == "win32", reason="needs mprotect"),
]


CI, SLOW = pytest.mark.ci, pytest.mark.slow
LONGER = [(0, 130, 1), (131, 1_100, 57), (4_000, 90_000, 21_001)]


@pytest.mark.parametrize(
    ("side", "share", "bounds"),
    [
        ("end", 1, (0, 130, 3)),
        ("begin", 1, (0, 130, 7)),
        ("end", 1, (255, 2_300, 1_999)),
        pytest.param("end", 1, (4_253, 9_000, 1_999), marks=CI),
        pytest.param("end", 1, (0, 130, 1), marks=CI),
        *(pytest.param(side, 6, own, marks=SLOW) for side in ("begin", "end") for own in LONGER),
    ],
)
def test_functions_in_fences(tmp_path, side, share, bounds):
    note = tmp_path / "case"
    try:
        printed, _ = run_program(Path(guard_pages.__file__), note, side, share, *bounds)
    except AssertionError as error:
        error.add_note(note.read_text())
        raise
    tried(printed)


@pytest.mark.ci
@NOT_SANITIZED
def test_a_fence_stops_what_reads_beyond_it():
    reads = "import numpy as np; from reliability.guard_pages import Fence\n"
    reads += "array = Fence(8).lay(np.zeros(1), {side!r})\n"
    reads += "np.lib.stride_tricks.as_strided(array, (2,), ({step},)).sum()"
    for side, step in (("end", 8), ("begin", -8)):
        program = reads.format(side=side, step=step)
        with start_program(program) as process:
            assert process.wait() < 0
        run_program(program.replace("(2,)", "(1,)"))
