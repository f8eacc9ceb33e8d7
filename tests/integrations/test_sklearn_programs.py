"""Programs that are run with scikit-learn patched, and what they start."""

import subprocess
import sys

import pytest

from support.laws import first
from support.programs import environment_of

pytest.importorskip("sklearn", minversion="1.9")

PROGRAM = """
import pickle, sys
from sklearn.metrics import get_scorer, roc_auc_score

if __name__ == "__main__":
    print(roc_auc_score, get_scorer("roc_auc")._score_func is roc_auc_score)
    print(sys.argv, __name__, __file__ == sys.argv[0])
    print(pickle.loads(pickle.dumps(roc_auc_score)) is roc_auc_score)
"""


def run_python(*arguments, folder, **variables):
    """Run Python elsewhere than in a checkout, with the fastauc that is tested here."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        cwd=folder,
        env=environment_of(**variables),
        text=True,
    )


def test_a_script_runs_patched(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "neighbor.py").write_text("", encoding="utf-8")
    script = folder / "script.py"
    script.write_text(PROGRAM + "    import neighbor\n", encoding="utf-8")
    run = run_python("-m", "fastauc.sklearn", str(script), "-m", "x y", folder=tmp_path)
    assert run.stderr == ""
    assert run.stdout.splitlines() == [
        "<function fastauc.sklearn.roc_auc_score> True",
        f"{[str(script), '-m', 'x y']} __main__ True",
        "True",
    ]


@pytest.mark.ci
def test_a_module_and_code_run_patched(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    # A program that asks for nothing is left as it is.
    run = run_python("program.py", folder=tmp_path)
    assert run.stdout.startswith("<function roc_auc_score at")
    run = run_python("-m", "fastauc.sklearn", "-m", "program", "-c", folder=tmp_path)
    path = str(tmp_path / "program.py")
    assert run.stderr == ""
    assert run.stdout.splitlines()[:2] == [
        "<function fastauc.sklearn.roc_auc_score> True",
        f"{[path, '-c']} __main__ True",
    ]
    code = "import sys; from sklearn.metrics import auc; print(auc, sys.argv, __name__)"
    run = run_python("-m", "fastauc.sklearn", "-c", code, "1", folder=tmp_path)
    assert (run.stderr, run.stdout) == ("", "<function fastauc.sklearn.auc> ['-c', '1'] __main__\n")


@pytest.mark.ci
def test_programs_end_as_they_would(tmp_path):
    run = run_python("-m", "fastauc.sklearn", "-c", "raise SystemExit(7)", folder=tmp_path)
    assert (run.returncode, run.stderr) == (7, "")
    run = run_python("-m", "fastauc.sklearn", "-c", "1 / 0", folder=tmp_path)
    assert run.returncode == 1
    assert run.stderr.endswith("ZeroDivisionError: division by zero\n")
    run = run_python("-m", "fastauc.sklearn", "none.py", folder=tmp_path)
    assert run.returncode == 1
    assert "none.py" in run.stderr
    for arguments in ([], ["-m"], ["-c"]):
        run = run_python("-m", "fastauc.sklearn", *arguments, folder=tmp_path)
        assert run.returncode == 2
        assert run.stderr.startswith("usage: python -m fastauc.sklearn")
    run = run_python("-m", "fastauc.sklearn", "--help", folder=tmp_path)
    assert (run.returncode, run.stdout[:6]) == (0, "usage:")


@pytest.mark.parametrize(
    ("setting", "is_patched"), first(1, [("1", True), ("0", False), ("", False)])
)
def test_the_environment_asks_for_it(tmp_path, setting, is_patched):
    code = "import fastauc.sklearn as f, sklearn.metrics as m; print(m.auc is f.auc)"
    run = run_python("-c", code, folder=tmp_path, FASTAUC_PATCH_SKLEARN=setting)
    assert (run.stderr, run.stdout) == ("", f"{is_patched}\n")


def test_the_environment_is_judged(tmp_path):
    run = run_python("-c", "import fastauc.sklearn", folder=tmp_path, FASTAUC_PATCH_SKLEARN="yes")
    assert run.stderr.endswith("ValueError: FASTAUC_PATCH_SKLEARN is 'yes'; expected 0 or 1.\n")


CALLS = """
import warnings
from sklearn.metrics import roc_auc_score, roc_curve
roc_auc_score([0, 1], [0.25, 0.5]); roc_auc_score([0, 1], [0.25, 0.5])
warnings.simplefilter("ignore")
roc_curve([0, 1], [0.25, 0.5], pos_label=2)
"""


def test_what_was_called_is_said(tmp_path):
    run = run_python("-m", "fastauc.sklearn", "--verbose", "-c", CALLS, folder=tmp_path)
    assert run.stdout == ""
    reason = "(pos_label=2 is not a valid label. It should be one of [0 1])"
    # scikit-learn's curve counts by another function of its own, which is replaced, too.
    assert run.stderr == (
        "fastauc: calls served: 2 of roc_auc_score; left to scikit-learn: "
        f"1 of roc_curve {reason}, 1 of confusion_matrix_at_thresholds {reason}\n"
    )


@pytest.mark.ci
def test_what_was_called_is_said_where_the_environment_asks_for_it(tmp_path):
    code = "from fastauc.sklearn import patch_sklearn; patch_sklearn(); patch_sklearn()"
    run = run_python("-c", code, folder=tmp_path, FASTAUC_VERBOSE="1")
    assert (run.stdout, run.stderr) == ("", "fastauc: calls served: none\n")


@pytest.mark.ci
def test_workers_of_a_program_are_patched_themselves(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        """
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

ours = metrics.roc_auc_score

def scorer(estimator, X, y):
    # The function sent along has patched the worker when it was loaded.
    assert "fastauc.sklearn" in repr(ours)
    return "fastauc.sklearn" in repr(metrics.average_precision_score)

data = make_classification(60, random_state=0)
print(cross_val_score(DecisionTreeClassifier(), *data, scoring=scorer, cv=2, n_jobs=2).tolist())
""",
        encoding="utf-8",
    )
    run = run_python("-m", "fastauc.sklearn", str(script), folder=tmp_path)
    assert (run.stderr, run.stdout) == ("", "[True, True]\n")


WITHOUT = """
import fastauc.sklearn as s
for call in (
    s.patch_sklearn,
    s.unpatch_sklearn,
    lambda: s.get_scorer("roc_auc"),
    lambda: s.patched_sklearn().__enter__(),
):
    try:
        call()
    except ImportError as error:
        print(error)
"""


def test_without_scikit_learn_it_says_so(tmp_path):
    (tmp_path / "sklearn.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    lines = run_python("-c", WITHOUT, folder=tmp_path).stdout.splitlines()
    assert len(lines) == 4
    for line in lines:
        assert line.startswith("fastauc.sklearn needs scikit-learn; install it with pip install")
