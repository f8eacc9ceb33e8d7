"""What every public function answered is as it was."""

import json
import math
import os
import platform
import sys

import pytest

from support import recorded_answers

# Of texts that argparse lays out, and of logarithms that the system computes.
WHERE_RECORDED = (sys.platform, platform.machine()) == ("linux", "x86_64")
WHERE_HELP_WAS_RECORDED = sys.version_info[:2] == (3, 11)


def is_close(line):
    """Tell whether a line of a difference names two doubles that are the same to rounding."""
    _, _, values = line.partition(": ")
    before, _, after = values.partition(" -> ")
    try:
        return math.isclose(float(before), float(after), rel_tol=1e-12)
    except ValueError:
        return False


@pytest.mark.skipif(not WHERE_RECORDED, reason="recorded with Linux on x86-64")
def test_every_answer_is_as_recorded(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    recorded = json.loads(recorded_answers.RECORDED.read_text(encoding="utf-8"))
    found = recorded_answers.answers()
    if not WHERE_HELP_WAS_RECORDED:  # what a wrong usage prints is laid out in the same way
        usages = [
            key
            for key, answer in recorded.items()
            if key.startswith("fastauc ") and str(answer.get("value")).startswith("[2")
        ]
        assert usages
        for key in usages:
            del recorded[key], found[key]
    lines = recorded_answers.differences(recorded, found)
    if os.environ.get("NPY_DISABLE_CPU_FEATURES"):
        lines = (line for line in lines if not recorded_answers.WITH_EXP_AND_LOG.search(line))
    assert [line for line in lines if not is_close(line)] == []
