"""What README shows is what a user sees."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from fastauc._cli.main import main

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


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
