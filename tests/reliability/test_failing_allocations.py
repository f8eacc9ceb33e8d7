"""Where memory cannot be had there is MemoryError or the right answer; the next call is right."""

import sys
from pathlib import Path

import numpy as np
import pytest

from fastauc._kernels import inputs
from reliability import failing_allocations
from support.programs import preloaded, run_program
from support.public import FUNCTIONS
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.check("failed allocations"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD and the GNU C library"),
]

PROGRAM = Path(failing_allocations.__file__)
SHIM = PROGRAM.with_name("failing_malloc.c")
# The first, and those that route rows in ways of their own.
SOME = ("average_precision_score", "concordance", "ks_score", "placements", "roc_auc_ci")
SOME += ("roc_auc_by_column", "roc_auc_by_group", "roc_auc_score", "roc_auc_test", "roc_curve")


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    return preloaded(SHIM, tmp_path_factory.mktemp("shim"))


def test_labels_are_let_go_of_if_the_scores_cannot_be_held():
    api = pytest.importorskip("_testcapi", reason="this Python has no hooks into its allocators")
    label, score = np.array([0, 1, 1]), np.array([0.1, 0.4, 0.3])
    codes = np.empty(3, np.uint8)
    inputs.read_clean(label, score, codes)
    references = sys.getrefcount(label), sys.getrefcount(score)
    n_failed = 0
    for k in range(20):
        api.set_nomemory(k, k + 1)
        try:
            inputs.read_clean(label, score, codes)
        except MemoryError:
            n_failed += 1
        finally:
            api.remove_mem_hooks()
    assert n_failed > 2
    assert (sys.getrefcount(label), sys.getrefcount(score)) == references
    tried(n_failed)


# What crashes without memory: numpy where it negates or inverts one of its scalars or indexes an
# array of objects, and pyarrow where it converts a column or makes a scalar.
CONVERSIONS = """
    import ctypes
    from functools import partial

    import numpy as np
    import pyarrow as pa

    from fastauc._counts.sort_scan import _highest_tie
    from fastauc.streaming._bins import Bins
    from fastauc.files._arrow_format import to_numpy
    from fastauc.files._columns import Request, Rows
    from fastauc.files._opening import Source

    shim = ctypes.CDLL(None)
    shim.fail_at.argtypes = [ctypes.c_long, ctypes.c_size_t]
    disarm = shim.fail_none
    source = Source("x.csv", "x.csv", "csv", None, ",", ".", None)
    request = Request(("s",), [], may_miss=["s"])
    columns = [
        pa.array([0.5, 0.25, 0.75]).slice(1),
        pa.array([1, 2, 3]),
        pa.array([0.5, None, 0.75]),
        pa.array([1, None, 3]),
        pa.array([True, False, None]),
        pa.array([True, False, True]),
        pa.array(["no", "yes", "no"]),
        pa.array(["no", "yes", "no"]).dictionary_encode(),
    ]
    calls = [
        partial(Bins.by_line(5, 0.0, 1.0).lower_keys, np.arange(5)),
        partial(_highest_tie, np.arange(4, dtype=np.uint64)),
        *(partial(to_numpy, column, Rows(source, "s", 0, request)) for column in columns),
    ]
    n_failed = 0
    for call in calls:
        expected = str(call())
        for k in range(1, 100):
            found = None
            try:
                shim.fail_at(k, 1)
                found = call()
            except (MemoryError, SystemError, RuntimeError):
                n_failed += 1
            finally:
                disarm()
            assert found is None or str(found) == expected
    print(n_failed)
"""


def test_conversions(shim):
    pytest.importorskip("pyarrow")
    printed, _ = run_program(CONVERSIONS, timeout=600, PYTHONMALLOC="malloc", **shim)
    assert int(printed) > 100
    tried(printed)


# The way, the factor from one k to the next, the rows, what is called, and further variables.
OF_INTERPRETER = {"PYTHONMALLOC": "malloc"}
# Blocks of a column come from the system and go back to it: what was freed does not help.
SPACE = {"MALLOC_MMAP_THRESHOLD_": "65536", "OPENBLAS_NUM_THREADS": "1"}
CI, SLOW = pytest.mark.ci, pytest.mark.slow
LIMITS = pytest.mark.check("address space limits")
LIMITED = ["average_precision_score", "roc_auc_by_group", "roc_auc_ci", "roc_auc_score"]
LIMITED += ["roc_curve", "concordance", "confusion_matrix_at_thresholds", "ks_score", "placements"]
LIMITED += ["roc_auc_by_column", "det_curve", "gains_table", "grouped_roc_auc_score"]
LIMITED += ["roc_auc_by_group", "roc_auc_test"]
CASES = [
    pytest.param("python", 1.7, 30, FUNCTIONS, {}, marks=CI),
    ("python", 1.7, 30, ["states"], {}),
    *(
        pytest.param("python", 1.03, 30, FUNCTIONS[k : k + 12], {}, marks=SLOW)
        for k in range(0, len(FUNCTIONS), 12)
    ),
    pytest.param("python", 1.03, 30, ["states"], {}, marks=SLOW),
    pytest.param("malloc", 1.7, 30, ["commands"], OF_INTERPRETER, marks=CI),
    pytest.param("malloc", 1.01, 30, ["commands"], OF_INTERPRETER, marks=SLOW),
    ("malloc", 1, 30, SOME, {}),
    pytest.param("malloc", 1, 30, ["states"], {}, marks=CI),
    pytest.param("malloc", 1, 30, FUNCTIONS, {}, marks=SLOW),
    pytest.param("malloc", 1, 30, ["commands"], {}, marks=SLOW),
    ("arrays", 1, 201_000, ["roc_auc_score", "roc_curve"], {}),
    pytest.param("arrays", 1, 201_000, ["states", *SOME], {}, marks=SLOW),
    pytest.param("space", 1, 100_000, LIMITED[:5], SPACE, marks=LIMITS),
    pytest.param("space", 1, 100_000, LIMITED[5:10], SPACE, marks=[LIMITS, CI]),
    pytest.param("space", 1, 300_000, LIMITED[10:], SPACE, marks=[LIMITS, SLOW]),
]


@pytest.mark.parametrize(("way", "growth", "n_rows", "names", "variables"), CASES)
def test_allocations_fail_one_after_the_other(shim, way, growth, n_rows, names, variables):
    if way in ("python", "space"):
        shim = {}
    if way == "python":
        pytest.importorskip("_testcapi", reason="this Python has no hooks into its allocators")
    arguments = way, growth, n_rows, *names
    printed, _ = run_program(PROGRAM, *arguments, timeout=3600, **shim, **variables)
    assert int(printed) > 0
    tried(printed)
