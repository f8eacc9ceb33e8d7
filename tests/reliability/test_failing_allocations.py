"""Where memory cannot be had there is MemoryError or the right answer; the next call is right."""

import sys
from pathlib import Path

import numpy as np
import pytest

from fastauc._kernels import inputs
from support.programs import preloaded, run_program
from support.public import FUNCTIONS
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.check("failed allocations"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD and the GNU C library"),
]

FOLDER = Path(__file__).parent
# The first, and those that route rows in ways of their own.
SOME = ("average_precision_score", "concordance", "ks_score", "placements", "roc_auc_ci")
SOME += ("roc_auc_by_column", "roc_auc_by_group", "roc_auc_score", "roc_auc_test", "roc_curve")
OTHERS = ("commands", "conversions")


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    return preloaded(FOLDER / "failing_malloc.c", tmp_path_factory.mktemp("shim"))


def test_labels_are_let_go_of_if_the_scores_cannot_be_held():
    label, codes = np.array([0, 1, 1]), np.empty(3, np.uint8)
    references = sys.getrefcount(label)
    assert inputs.read_clean(label, np.array([1, 4, 3], "M8[D]"), codes) is None
    with pytest.raises(TypeError, match="bytes-like"):
        inputs.read_clean(label, [0.1, 0.4, 0.3], codes)
    assert sys.getrefcount(label) == references
    tried(2)


# Blocks of a column come from the system and go back to it: what was freed does not help.
SPACE = {"MALLOC_MMAP_THRESHOLD_": "65536", "OPENBLAS_NUM_THREADS": "1"}
CI, SLOW = pytest.mark.ci, pytest.mark.slow
LIMITS = pytest.mark.check("address space limits")
LIMITED = ["average_precision_score", "roc_auc_by_group", "roc_auc_ci", "roc_auc_score"]
LIMITED += ["roc_curve", "concordance", "confusion_matrix_at_thresholds", "ks_score", "placements"]
LIMITED += ["roc_auc_by_column", "det_curve", "gains_table", "grouped_roc_auc_score"]
LIMITED += ["roc_auc_by_group", "roc_auc_test"]
# The way, the factor from one k to the next, the rows, and what is called.
CASES = [
    ("calls", 1, 30, ["states"]),
    pytest.param("calls", 1.7, 30, [*FUNCTIONS, *OTHERS], marks=CI),
    pytest.param("calls", 1.03, 30, [*FUNCTIONS, "refinements", *OTHERS], marks=SLOW),
    ("kernels", 1, 3000, SOME),
    pytest.param("kernels", 1.3, 30, [*FUNCTIONS, "states", *OTHERS], marks=CI),
    pytest.param("kernels", 1, 30, [*FUNCTIONS, "states"], marks=SLOW),
    pytest.param("kernels", 1.2, 3000, [*FUNCTIONS, "refinements", *OTHERS], marks=SLOW),
    ("arrays", 1, 201_000, ["roc_auc_score", "roc_curve"]),
    pytest.param("arrays", 1, 201_000, ["states", "refinements", *SOME], marks=SLOW),
    pytest.param("space", 1, 100_000, LIMITED[:5], marks=LIMITS),
    pytest.param("space", 1, 100_000, LIMITED[5:10], marks=[LIMITS, CI]),
    pytest.param("space", 1, 300_000, LIMITED[10:], marks=[LIMITS, SLOW]),
]


@pytest.mark.parametrize(("way", "growth", "n_rows", "names"), CASES)
def test_allocations_fail_one_after_the_other(shim, way, growth, n_rows, names):
    program = FOLDER / ("failing_python.py" if way == "calls" else "failing_allocations.py")
    variables = {"calls": {}, "space": SPACE}.get(way, shim)
    printed, _ = run_program(program, way, growth, n_rows, *names, timeout=3600, **variables)
    assert int(printed) > 0
    tried(printed)
