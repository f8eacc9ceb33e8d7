"""In little address space there is MemoryError or the right answer, and the process goes on."""

import sys
from pathlib import Path

import pytest

from support.programs import run_program
from support.public import GROUPED
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.check("address space limits"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs limits of the address space"),
]

PROGRAM = Path(__file__).with_name("limited_memory.py")
SOME = ("average_precision_score", "roc_auc_by_group", "roc_auc_ci", "roc_auc_score", "roc_curve")
OTHERS = ("concordance", "confusion_matrix_at_thresholds", "ks_score", "placements")
OTHERS += ("roc_auc_by_column",)
MORE = sorted({"roc_auc_test", "det_curve", "gains_table"} | GROUPED)
# Blocks of a column come from the system and go back to it: what was freed does not help.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536", "OPENBLAS_NUM_THREADS": "1"}


@pytest.mark.parametrize(
    ("names", "n_rows"),
    [
        (SOME, 100_000),
        pytest.param(OTHERS, 100_000, marks=pytest.mark.ci),
        pytest.param(MORE, 300_000, marks=pytest.mark.slow),
    ],
)
def test_functions_with_limits(names, n_rows):
    printed, _ = run_program(PROGRAM, n_rows, *names, **ALLOCATOR)
    assert [line.split()[0] for line in printed.splitlines()] == list(names)
    for line in printed.splitlines():
        name, n_limits, n_refused = line.split()
        assert int(n_refused) > 0, name
        tried(n_limits)
