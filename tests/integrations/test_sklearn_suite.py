"""Tests that others have written of scikit-learn's ranking metrics, run against fastauc's.

The test files are those of the installed packages. ``substitute.py`` puts our functions in the
place of scikit-learn's, or they are run by ``python -m fastauc.sklearn``. A test counts here if it
called one of them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sklearn = pytest.importorskip("sklearn", minversion="1.9")
pytestmark = pytest.mark.slow
TESTS = Path(__file__).parents[1]

SUBSTITUTED = (
    "metrics/tests/test_ranking.py",
    "metrics/tests/test_common.py",
    "tests/test_public_functions.py",
)
PATCHED = (
    "metrics/tests/test_ranking.py",
    "metrics/tests/test_score_objects.py",
    "metrics/_plot/tests",
    "tests/test_public_functions.py",
)
EXCEPTIONS = {
    "::test_confusion_matrix_at_thresholds_positional_args_deprecation": (
        "a third positional argument, deprecated in scikit-learn 1.8, was never accepted here"
    ),
}


def run_tests(paths, folder, *options):
    """Run test files in a process of its own; return the outcomes of the tests that called us."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    report = folder / "report.json"
    search_path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, *options, "-m", "pytest", "-q", "-p", "support.substitute"]
    command += ["-p", "no:cacheprovider", "-c", "pytest.ini", "--rootdir", str(folder)]
    environment = os.environ | {"PYTHONPATH": search_path, "SUBSTITUTE_REPORT": str(report)}
    # Options of the run around this one, such as to share out tests among processes.
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "FASTAUC_PATCH_SKLEARN"):
        environment.pop(name, None)
    run = subprocess.run(
        [*command, *map(str, paths)], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert report.exists(), run.stdout[-4000:] + run.stderr[-4000:]
    results = json.loads(report.read_text(encoding="utf-8"))
    counts = {kind: list(results.values()).count(kind) for kind in ("passed", "failed", "skipped")}
    print(f"{len(results)} tests called fastauc: {counts}; {run.stdout.splitlines()[-1]}")
    return results, run


RUNNER = ("-m", "fastauc.sklearn")


PACKAGE = Path(sklearn.__file__).parent


def test_only_the_named_exceptions_fail(tmp_path):
    results, _ = run_tests([PACKAGE / name for name in SUBSTITUTED], tmp_path)
    assert {n for n, outcome in results.items() if outcome == "failed"} == set(EXCEPTIONS)
    # 371 in scikit-learn 1.9.1; far fewer would mean that the substitution has come undone.
    assert len(results) > 300


def failures(run):
    """Return the names of all tests that failed, of those that did not call us as well."""
    lines = run.stdout.splitlines()
    return {line.split()[1] for line in lines if line.startswith(("FAILED ", "ERROR "))}


@pytest.mark.parametrize("names", [PATCHED, ["metrics/tests/test_common.py"]], ids=len)
def test_nothing_fails_when_patched(tmp_path, names):
    results, run = run_tests([PACKAGE / name for name in names], tmp_path, *RUNNER)
    assert failures(run) == set()
    assert len(results) > 150  # 191 and 206 in scikit-learn 1.9.1


def test_imbalanced_learn_passes_when_patched(tmp_path):
    package = Path(pytest.importorskip("imblearn").__file__).parent
    paths = [package / "metrics", package / "ensemble"]
    results, run = run_tests(paths, tmp_path, *RUNNER)
    assert run.returncode == 0, run.stdout[-4000:]
    assert results
