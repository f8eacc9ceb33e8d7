"""scikit-learn's own tests of its ranking metrics, run against fastauc's functions.

The test files are those of the installed scikit-learn; ``substitute.py`` puts our functions in the
place of theirs. A test counts here if it called one of them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sklearn = pytest.importorskip("sklearn", minversion="1.9")
TESTS = Path(__file__).parent
FILES = (
    "metrics/tests/test_ranking.py",
    "metrics/tests/test_common.py",
    "tests/test_public_functions.py",
)
EXCEPTIONS = {
    "::test_confusion_matrix_at_thresholds_positional_args_deprecation": (
        "a third positional argument, deprecated in scikit-learn 1.8, was never accepted here"
    ),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sklearn_suite")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    report = folder / "report.json"
    package = Path(sklearn.__file__).parent
    search_path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "substitute", "-p", "no:cacheprovider"]
    command += ["-c", "pytest.ini", "--rootdir", str(folder)]
    environment = os.environ | {"PYTHONPATH": search_path, "SUBSTITUTE_REPORT": str(report)}
    # Options of the run around this one, such as to share out tests among processes.
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        environment.pop(name, None)
    run = subprocess.run(
        [*command, *(str(package / name) for name in FILES)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert report.exists(), run.stdout[-4000:] + run.stderr[-4000:]
    results = json.loads(report.read_text(encoding="utf-8"))
    counts = {kind: list(results.values()).count(kind) for kind in ("passed", "failed", "skipped")}
    print(f"scikit-learn {sklearn.__version__}: {len(results)} tests called fastauc: {counts}")
    return results


def test_only_the_named_exceptions_fail(outcomes):
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    assert failed == set(EXCEPTIONS)


def test_the_functions_were_really_called(outcomes):
    # 371 in scikit-learn 1.9.1; far fewer would mean that the substitution has come undone.
    assert len(outcomes) > 300
