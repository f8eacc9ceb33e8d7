"""What every public function answered is as it was."""

import builtins
import importlib.util
import json
import sys

import pytest

from support import recorded_answers
from support.reliability import tried

# The answers that depend on where they are given, and whether they are given there as recorded.
# All others are the same on every system and processor.
BOUND = {
    # argparse quotes the commands in one version and not in the next.
    "fastauc other": sys.version_info[:2] == (3, 11),
    # Windows says it in words of its own.
    "fastauc score absent.csv --label y --score a": sys.platform != "win32",
}
# Libraries without which the answers are others: by how their names begin.
NEEDED = {"fastauc ": "pyarrow", "files.": "pyarrow", "fastauc report ": "matplotlib"}


def is_comparable(name):
    """Tell whether an answer must be here what it was where it was recorded."""
    needed = [library for start, library in NEEDED.items() if name.startswith(start)]
    return BOUND.get(name, True) and all(map(importlib.util.find_spec, needed))


def sum_without_floats(values, /, start=0, *, add=sum):
    """Do what ``sum`` does; refuse to add up floats for the package.

    From 3.12 on ``sum`` compensates for what rounding loses, so the last digit of a sum of floats
    depends on the version of Python.
    """
    values = [start, *values]
    if sys._getframe(1).f_globals["__name__"].startswith("fastauc."):
        assert float not in map(type, values), f"floats are added up by sum: {values[:9]}"
    return add(values[1:], start)


@pytest.mark.check("recorded answers")
def test_every_answer_is_as_recorded(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(builtins, "sum", sum_without_floats)
    recorded = json.loads(recorded_answers.RECORDED.read_text(encoding="utf-8"))
    found = recorded_answers.answers()
    assert recorded.keys() == found.keys()
    assert BOUND.keys() <= recorded.keys()
    recorded, found = (
        {name: answer for name, answer in answers.items() if is_comparable(name)}
        for answers in (recorded, found)
    )
    tried(len(recorded))
    assert list(recorded_answers.differences(recorded, found, recorded_answers.is_same)) == []


PATHS = [
    ("roc_auc_score(tied6)/value", 0.5, 0.5, 0.5000000000000001),
    ("counts.intervals(tied6)/value/f1_low", 0.25, 0.25 + 9e-13, 0.25 + 1.1e-12),
    ("roc_auc_ci()/value/Estimate/confidence_interval/ConfidenceInterval/high", 1e-16, 0.0, 2e-12),
    ("power()/value", 0.5, 0.5 - 9e-13, 0.5 - 1.1e-12),
    ("ks_statistic()/value/KsStatistic/pvalue", 1e-200, 1e-200 + 9e-212, 1e-200 + 2e-211),
    ("ks_statistic()/value/KsStatistic/pvalue", 1e-16, 1e-16 + 9e-28, 0.0),
    ("ks_statistic()/value/KsStatistic/statistic", 0.3, 0.3, 0.30000000000000004),
    ("curve_ci()/value/CurveInterval/low/values", [0.1, 0.2], [0.1, 0.2 - 1e-13], [0.1, 0.3]),
    ("curve_ci()/value/CurveInterval/low/values", [0.1, "nan"], [0.1, "nan"], [0.1, 0.2]),
]


@pytest.mark.parametrize(("path", "recorded", "near", "far"), PATHS)
def test_answers_are_compared_within_the_stated_bounds(path, recorded, near, far):
    def lines(found):
        is_same = recorded_answers.is_same
        return list(recorded_answers.differences(recorded, found, is_same, f"/{path}"))

    assert lines(near) == []
    assert len(lines(far)) == 1
