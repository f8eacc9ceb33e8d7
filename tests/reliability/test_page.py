"""docs/reliability.md is what the run made of its results, and every check has tests."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from reliability import run
from support.programs import environment_of
from support.reliability import CHECKS

TESTS = Path(__file__).parents[1]


def test_the_page_is_made_of_the_results_that_are_kept():
    assert run.PAGE.read_text(encoding="utf-8") == run.write_page()


def test_every_check_has_tests():
    files = set(TESTS.rglob("test_*.py")) - {Path(__file__)}
    sources = "".join(path.read_text(encoding="utf-8") for path in files)
    assert set(re.findall(r'mark\.check\(\s*"([^"]+)"', sources)) == CHECKS


# Tests of their own, of which some fail.
BODY = """
    import pytest
    from support.reliability import tried

    @pytest.mark.check("nothing")
    def test_of_an_unknown_check():
        pass

    @pytest.mark.check("leaks")
    def test_of_three_inputs():
        tried(3)

    @pytest.mark.check("leaks")
    @pytest.mark.skip
    def test_not_run():
        tried(100)

    @pytest.mark.check("forks")
    def test_that_says_nothing():
        tried(0)

    @pytest.mark.check("forks")
    def test_that_fails():
        tried(7)
        raise ValueError
"""


@pytest.mark.ci
def test_what_tests_tried_is_reported(tmp_path):
    tmp_path.joinpath("conftest.py").write_text(
        "from support.reliability import pytest_runtest_call as pytest_runtest_call\n"
    )
    tmp_path.joinpath("test_one.py").write_text(textwrap.dedent(BODY))
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\nmarkers = check(name): a line\n")
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}"]
    environment = environment_of()
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "unknown check 'nothing'" in done.stdout
    found = run.summarize(run.ElementTree.parse(report).getroot().find("testsuite"))
    assert (found["run"], found["failed"], found["skipped"]) == (4, 2, 1)
    assert found["checks"] == {
        "forks": {"tried": 8, "failed": 1, "files": ["test_one"]},
        "leaks": {"tried": 3, "failed": 0, "files": ["test_one"]},
    }
