"""docs/reliability.md is what the run made of its results, and every check has tests."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from reliability import run
from support.reliability import CHECKS

TESTS = Path(__file__).parents[1]


def test_the_page_is_made_of_the_results_that_are_kept():
    assert run.PAGE.read_text(encoding="utf-8") == run.write_page()


def test_the_page_is_made_anew_after_each_stage(tmp_path, monkeypatch):
    pages = []

    def tests():
        if run.PAGE.exists():
            pages.append(run.PAGE.read_text(encoding="utf-8"))
        return {"run": 5, "failed": 0, "skipped": 1, "failures": [], "checks": {}}

    monkeypatch.setattr(run, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(run, "STAGES", {"tests": tests, "slow": tests})
    monkeypatch.setattr(sys, "argv", ["run.py"])
    run.main()
    assert len(pages) == 1
    assert "of every change: 5 tests" in pages[0]
    assert "of every night: not run" in pages[0]
    assert "of every night: 5 tests" in run.PAGE.read_text(encoding="utf-8")


def test_every_check_has_tests():
    files = set(TESTS.rglob("test_*.py")) - {Path(__file__)}
    sources = "".join(path.read_text(encoding="utf-8") for path in files)
    assert set(re.findall(r'mark\.check\(\s*"([^"]+)"', sources)) == CHECKS


def report_of(folder, body):
    """Run a test of its own, with the hook of these tests; return its output and report."""
    folder.joinpath("conftest.py").write_text(
        "from support.reliability import pytest_runtest_call as pytest_runtest_call\n"
    )
    folder.joinpath("test_one.py").write_text(f"import pytest\n{textwrap.dedent(body)}")
    folder.joinpath("pytest.ini").write_text("[pytest]\nmarkers = check(name): a line\n")
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}"]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout, run.summarize(run.ElementTree.parse(report).getroot().find("testsuite"))


@pytest.mark.ci
def test_an_unknown_check_is_an_error(tmp_path):
    body = """
        @pytest.mark.check("nothing")
        def test_it():
            pass
    """
    out, found = report_of(tmp_path, body)
    assert "unknown check 'nothing'" in out
    assert found["failed"] == 1


@pytest.mark.ci
@pytest.mark.parametrize("n", [0, 3])
def test_what_a_test_tried_is_reported(tmp_path, n):
    body = f"""
        from support.reliability import tried

        @pytest.mark.check("leaks")
        def test_it():
            tried({n})

        @pytest.mark.check("leaks")
        @pytest.mark.skip
        def test_not_run():
            tried(100)
    """
    _, found = report_of(tmp_path, body)
    assert found["checks"] == {"leaks": {"tried": max(n, 1), "failed": 0, "files": ["test_one"]}}
    assert (found["run"], found["failed"], found["skipped"]) == (1, 0, 1)


@pytest.mark.ci
def test_a_failure_counts_for_the_checks_of_its_test(tmp_path):
    body = """
        from support.reliability import tried

        @pytest.mark.check("leaks")
        def test_it():
            tried(7)
            raise ValueError
    """
    _, found = report_of(tmp_path, body)
    assert found["checks"] == {"leaks": {"tried": 7, "failed": 1, "files": ["test_one"]}}
    assert found["failed"] == 1
