"""The one file a wheel is tested with: it needs numpy, pytest and fastauc, nothing else.

Every expected value was worked out by hand from the two small tables below.
"""

import importlib
import importlib.machinery
import importlib.metadata
import importlib.resources
import json
import os
import subprocess
import sys
import sysconfig
from fractions import Fraction
from math import inf, isnan
from pathlib import Path

import numpy as np
import pytest

import fastauc

# Seven rows, 3 positives and 4 negatives: of 12 pairs 9 are in order, 1 is tied (at 0.2).
SEVEN_LABELS = [0, 0, 0, 1, 1, 1, 0]
SEVEN_SCORES = [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
SEVEN_TENTHS = [5, 1, 2, 6, 2, 3, 0]

# Ten rows, 4 positives and 6 negatives: of 24 pairs 19 are in order, 2 are tied.
TEN_LABELS = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
TEN_SCORES = [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1]

# A quotient that is not promised to be correctly rounded is the result of a few operations, each
# off by at most 1.1e-16 of its value.
FEW_ROUNDINGS = 1e-15

KERNELS = ["histogram", "rank_sum", "sort_scan"]

# Run in an interpreter of its own, which has imported nothing before; -P keeps the folder it is
# started in, which may hold the sources, off its path.
IMPORT_REPORT = """
import json, sys
import fastauc
optional = ["matplotlib", "pandas", "polars", "pyarrow", "scipy", "sklearn", "tqdm"]
gil_enabled = getattr(sys, "_is_gil_enabled", lambda: True)()
print(json.dumps({"loaded": [m for m in optional if m in sys.modules], "gil": gil_enabled}))
"""


@pytest.fixture(scope="module")
def fresh_import():
    """Import fastauc in a fresh interpreter, warnings as errors, and return its report."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHON_GIL"}
    environment["PYTHONPATH"] = str(Path(fastauc.__file__).parents[1])
    completed = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", IMPORT_REPORT],
        capture_output=True,
        check=False,
        env=environment,
        text=True,
        timeout=600,  # under an emulator
    )
    assert completed.returncode == 0, completed.stderr
    return json.loads(completed.stdout)


def test_import_loads_no_optional_dependency(fresh_import):
    assert fresh_import["loaded"] == []


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has the GIL"
)
def test_import_leaves_the_gil_disabled(fresh_import):
    assert fresh_import["gil"] is False


def test_version_is_that_of_the_distribution():
    try:
        version = importlib.metadata.version("fastauc")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("kernels built in place, nothing is installed")
    assert fastauc.__version__ == version


@pytest.mark.parametrize("name", ["_capi", *(f"_kernels.{kernel}" for kernel in KERNELS)])
def test_kernel_is_compiled(name):
    kernel = importlib.import_module(f"fastauc.{name}")
    assert kernel.__file__.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


DECLARATIONS = ["__init__.pxd", "_capi.pxd", "fastauc.h"]


@pytest.mark.parametrize(
    "name", ["py.typed", *(f"_kernels/{kernel}.pyi" for kernel in KERNELS), *DECLARATIONS]
)
def test_types_and_declarations_are_installed(name):
    assert importlib.resources.files("fastauc").joinpath(name).is_file()


def test_all_names_exist():
    assert [name for name in fastauc.__all__ if not hasattr(fastauc, name)] == []


# Of yes and no: two positives above 3 negatives and tied with 1, one tied with 3: 8½ of 12.
# Weighted: the best positive counts twice, 2·4 + 2½ + 3 = 13½ of (2 + 1 + 1)·4 pairs.
# Of a part: the area 1/12 up to a false positive rate of ¼, standardized between ½ and 1.
TEN = TEN_LABELS, TEN_SCORES
SEVEN = SEVEN_LABELS, SEVEN_SCORES
YES_AND_NO = [score >= 0.25 for score in SEVEN_SCORES]
NUMBERS = {
    "ten rows": ("roc_auc_score", TEN, {}, 5 / 6),
    "yes and no": ("roc_auc_score", (SEVEN_LABELS, YES_AND_NO), {}, 17 / 24),
    "weighted": ("roc_auc_score", SEVEN, {"sample_weight": [1, 1, 1, 2, 1, 1, 1]}, 27 / 32),
    "a part": ("roc_auc_score", SEVEN, {"max_fpr": 0.25}, 13 / 21),
    "gini": ("gini_score", SEVEN, {}, 7 / 12),
    "average precision": ("average_precision_score", TEN, {}, 13 / 16),
    "K-S": ("ks_score", TEN, {}, 7 / 12),
    "trapezoids": ("auc", ([0, 0.5, 1], [0, 1, 1]), {}, 0.75),
}


@pytest.mark.parametrize(("name", "rows", "options", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_those_worked_out_by_hand(name, rows, options, expected):
    found = getattr(fastauc, name)(*rows, **options)
    assert type(found) is float
    assert found == pytest.approx(expected, rel=FEW_ROUNDINGS)


def test_roc_auc_score_is_correctly_rounded_and_reads_what_may_not_be_written():
    labels, scores = np.array(TEN_LABELS), np.array(TEN_SCORES)
    labels.flags.writeable = scores.flags.writeable = False
    assert fastauc.roc_auc_score(labels, scores) == 5 / 6 == 0.8333333333333334


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, ">u2"])
def test_roc_auc_score_of_each_kind_of_number(dtype):
    scores = np.array(SEVEN_TENTHS, dtype=dtype)
    assert fastauc.roc_auc_score(SEVEN_LABELS, scores) == 19 / 24


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_roc_auc_score_does_not_depend_on_threads(n_jobs):
    labels, scores = np.tile(TEN_LABELS, 50_000), np.tile(TEN_SCORES, 50_000)
    assert fastauc.roc_auc_score(labels, scores, n_jobs=n_jobs) == 5 / 6


def test_roc_auc_score_multiclass():
    # One-vs-rest areas: class 0 is perfect, class 1 has 1½ and class 2 has 2 of 2 pairs.
    probabilities = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.5, 0.4]]
    areas = fastauc.roc_auc_score([0, 1, 2], probabilities, multi_class="ovr", average=None)
    np.testing.assert_array_equal(areas, [1, 0.75, 1])


def test_concordance():
    pairs = fastauc.concordance(SEVEN_LABELS, SEVEN_SCORES)
    assert pairs == (9, 1, 3, 4)
    assert isinstance(pairs, fastauc.Concordance)
    assert pairs.discordant == 2
    assert pairs.auc == 19 / 24
    assert pairs.fraction == Fraction(19, 24)


@pytest.fixture
def counts():
    return fastauc.confusion_matrix_at_thresholds(SEVEN_LABELS, SEVEN_SCORES)


def test_confusion_matrix_at_thresholds(counts):
    assert isinstance(counts, fastauc.ConfusionCounts)
    assert counts.tns.tolist() == [4, 3, 3, 2, 1, 0]
    assert counts.fps.tolist() == [0, 1, 1, 2, 3, 4]
    assert counts.fns.tolist() == [2, 2, 1, 0, 0, 0]
    assert counts.tps.tolist() == [1, 1, 2, 3, 3, 3]
    assert counts.thresholds.tolist() == [0.6, 0.5, 0.3, 0.2, 0.1, 0.0]


def assert_curve(curve, *expected):
    assert len(curve) == len(expected)
    for got, wanted in zip(curve, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=FEW_ROUNDINGS, atol=0)


def test_roc_curve(counts):
    fpr = [0, 0, 1 / 4, 1 / 4, 1 / 2, 3 / 4, 1]
    tpr = [0, 1 / 3, 1 / 3, 2 / 3, 1, 1, 1]
    thresholds = [inf, 0.6, 0.5, 0.3, 0.2, 0.1, 0]
    curve = fastauc.roc_curve(SEVEN_LABELS, SEVEN_SCORES, drop_intermediate=False)
    assert_curve(curve, fpr, tpr, thresholds)
    assert_curve(counts.roc_curve(drop_intermediate=False), fpr, tpr, thresholds)
    # The corner at 0.1 lies on the edge from (½, 1) to (1, 1).
    shorter = [row[:5] + row[6:] for row in (fpr, tpr, thresholds)]
    assert_curve(fastauc.roc_curve(SEVEN_LABELS, SEVEN_SCORES), *shorter)


def test_one_class_is_undefined():
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class is present in y_true"):
        assert isnan(fastauc.roc_auc_score([1, 1, 1], [0.1, 0.2, 0.3]))


def test_nan_is_refused_with_its_position():
    with pytest.raises(ValueError, match=r"Input contains NaN.*y_score\[2\]"):
        fastauc.roc_auc_score([0, 1, 1], [0.1, 0.2, float("nan")])


def test_unknown_option_is_refused():
    with pytest.raises(fastauc.InvalidParameterError, match="average"):
        fastauc.roc_auc_score(SEVEN_LABELS, SEVEN_SCORES, average="no such average")
