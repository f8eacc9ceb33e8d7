"""What README shows is what a user sees."""

import doctest
import re
import runpy
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from fastauc._cli.main import main

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
ABSOLUTE_LINKS = ROOT / ".github" / "absolute_links.py"


def test_examples_give_what_they_show():
    outcome = doctest.testfile(str(README), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0


def test_first_command_prints_what_is_shown(monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    text = README.read_text(encoding="utf-8")
    command = re.search(r"&& fastauc (score .*)", text).group(1)
    shown = re.search(r"```\n(score .*?)```", text, re.DOTALL).group(1)
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.skipif(not ABSOLUTE_LINKS.exists(), reason="not in a source distribution")
def test_distributions_have_absolute_links(tmp_path, monkeypatch):
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    repository = "https://example.org/owner/fastauc"
    runpy.run_path(str(ABSOLUTE_LINKS))["main"](repository, "v0.1.0")
    text = Path("README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)", text) + re.findall(r'src="([^"]*)"', text)
    starts = tuple(f"{repository}/{kind}/v0.1.0/" for kind in ("blob", "raw"))
    ours = [link for link in links if link.startswith(starts)]
    assert len(ours) > 20
    assert all(link in ours or link.startswith("https://") for link in links)
    for link in ours:
        path = link.partition("/v0.1.0/")[2].partition("#")[0]
        assert (ROOT / path).exists(), path
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Source"] == repository
    assert project["name"] == "fastauc"
