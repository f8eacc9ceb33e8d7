"""In little address space there is MemoryError or the right answer, and the process goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fastauc
from support.public_calls import FUNCTIONS, GROUPED
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.check("address space limits"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs limits of the address space"),
]

ROOT = Path(fastauc.__file__).parents[1]
PROGRAM = Path(__file__).parents[1] / "support" / "limited_memory.py"
SOME = ("average_precision_score", "concordance", "confusion_matrix_at_thresholds", "ks_score")
SOME += ("placements", "roc_auc_by_column", "roc_auc_by_group", "roc_auc_ci", "roc_auc_score")
SOME += ("roc_curve",)
# Blocks of a column come from the system and go back to it: what was freed does not help.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536", "OPENBLAS_NUM_THREADS": "1"}


def call_with_limits(name, n_rows):
    command = [sys.executable, str(PROGRAM), name, str(n_rows)]
    environment = os.environ | ALLOCATOR | {"PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    n_limits, n_refused = map(int, run.stdout.split())
    assert n_refused > 0
    tried(n_limits)


@pytest.mark.parametrize("name", SOME)
def test_some_functions(name):
    call_with_limits(name, 100_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({"roc_auc_test", "det_curve", "gains_table"} | GROUPED))
def test_more_functions_with_more_rows(name):
    assert name in FUNCTIONS
    call_with_limits(name, 300_000)
