"""What every public function answered is as it was."""

import builtins
import json
import platform
import sys

import pytest

from support import recorded_answers

# Elsewhere paths, integers and the texts of errors of the system may be others.
WHERE_RECORDED = (sys.platform, platform.machine()) == ("linux", "x86_64")
WHERE_HELP_WAS_RECORDED = sys.version_info[:2] == (3, 11)


def sum_without_floats(values, /, start=0, *, add=sum):
    """Do what ``sum`` does; refuse to add up floats for the package.

    From 3.12 on ``sum`` compensates for what rounding loses, so the last digit of a sum of floats
    depends on the version of Python.
    """
    values = [start, *values]
    if sys._getframe(1).f_globals["__name__"].startswith("fastauc."):
        assert float not in map(type, values), f"floats are added up by sum: {values[:9]}"
    return add(values[1:], start)


@pytest.mark.skipif(not WHERE_RECORDED, reason="recorded with Linux on x86-64")
def test_every_answer_is_as_recorded(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(builtins, "sum", sum_without_floats)
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
