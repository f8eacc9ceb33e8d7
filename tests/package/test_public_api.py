"""No public name, parameter, value, field or base goes, or changes, without a deprecation."""

import inspect
import re
import tomllib
from typing import Literal

import pytest

import fastauc
from fastauc._cli.main import _make_parser
from fastauc._validation import literals
from support import public_api
from support.public_api import may_go, refused

LIFT, SCORE = "fastauc.metrics.lift_at", "$ fastauc score"
REQUIRED = inspect.Parameter("new", inspect.Parameter.KEYWORD_ONLY)


def test_what_programs_may_rely_on_is_recorded():
    recorded, found = public_api.recorded(), public_api.entries()
    assert [*refused(recorded, found)] == []
    assert sorted(found - recorded.keys()) == []  # otherwise: public_api.py --update
    assert {LIFT, SCORE} < found


def change_parameters(patch, change):
    """Give ``lift_at(y_true, y_score, share, *, pos_label=None, ...)`` other parameters."""
    signature = inspect.signature(fastauc.metrics.lift_at)
    changed = signature.replace(parameters=change([*signature.parameters.values()]))
    patch.setattr(fastauc.metrics.lift_at, "__signature__", changed, raising=False)


def change_command(patch, change):
    """Let something happen to the parser of ``fastauc score``."""
    parser = _make_parser()
    change(parser._actions[-1].choices["score"])
    patch.setattr(public_api, "_make_parser", lambda: parser)


CHANGES = {
    f"gone: {LIFT}": lambda patch: patch.setattr(
        fastauc.metrics, "__all__", sorted({*fastauc.metrics.__all__} - {"lift_at"})
    ),
    f"gone: {LIFT}(2 share)": lambda patch: change_parameters(
        patch, lambda given: [*given[:2], given[2].replace(name="k"), *given[3:]]
    ),
    f"gone: {LIFT}(1 y_score)": lambda patch: change_parameters(
        patch, lambda given: [given[0], given[2], given[1], *given[3:]]
    ),
    f"gone: {LIFT}(pos_label=None)": lambda patch: change_parameters(
        patch, lambda given: [*given[:3], given[3].replace(default=1), *given[4:]]
    ),
    f"needed: {LIFT}(new)": lambda patch: change_parameters(
        patch, lambda given: [*given, REQUIRED]
    ),
    f"gone: {LIFT}(nan_policy: 'omit')": lambda patch: patch.setattr(
        literals, "NanPolicy", Literal["raise"]
    ),
    "gone: fastauc.groups.AucByColumn[1] auc": lambda patch: patch.setattr(
        fastauc.groups.AucByColumn, "_fields", ("column", "area")
    ),
    "gone: fastauc.metrics.ConfusionCounts.gini": lambda patch: patch.delattr(
        fastauc.ConfusionCounts, "gini"
    ),
    "gone: fastauc.CorruptStateError < ValueError": lambda patch: patch.setattr(
        fastauc, "CorruptStateError", type("CorruptStateError", (RuntimeError,), {})
    ),
    f"gone: {SCORE}(--ci=False)": lambda patch: change_command(
        patch, lambda score: score._actions.remove(score._option_string_actions["--ci"])
    ),
    f"gone: {SCORE}(--missing: drop)": lambda patch: change_command(
        patch,
        lambda score: setattr(score._option_string_actions["--missing"], "choices", ("error",)),
    ),
    f"needed: {SCORE}(--new VALUE)": lambda patch: change_command(
        patch, lambda score: score.add_argument("--new", required=True)
    ),
}


@pytest.mark.parametrize("expected", CHANGES)
def test_a_change_that_breaks_programs_is_refused(expected, monkeypatch):
    CHANGES[expected](monkeypatch)
    assert expected in [*refused(public_api.recorded(), public_api.entries())]


def test_what_is_new_only_has_to_be_recorded(monkeypatch):
    default = inspect.Parameter("share", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=0.1)
    change_parameters(monkeypatch, lambda given: [*given[:2], default, *given[3:]])
    found = public_api.entries()
    assert f"{LIFT}(2 share=0.1)" in found - public_api.recorded().keys()
    assert [*refused(public_api.recorded(), found)] == []


RELEASED = {(0, 1), (0, 2), (0, 3), (0, 9), (1, 0), (1, 1)}


@pytest.mark.parametrize(
    ("deprecated", "version", "expected"),
    [
        ((0, 1), (0, 2), False),
        ((0, 1), (0, 3), True),
        ((0, 9), (1, 0), False),
        ((0, 9), (1, 1), True),
        ((1, 0), (1, 2), False),
        ((1, 0), (2, 0), True),
        ((1, 1), (2, 0), False),
        ((0, 0), (0, 2), False),  # no release said so
    ],
)
def test_a_deprecated_line_may_go_after_a_minor_release(deprecated, version, expected, monkeypatch):
    assert may_go(deprecated, version, RELEASED) == expected
    monkeypatch.setattr(fastauc, "__version__", "{}.{}.0".format(*version))
    monkeypatch.setattr(public_api, "released", lambda: RELEASED)
    assert ([*refused({LIFT: deprecated}, set())] == []) == expected


def read(name):
    return (public_api.REPOSITORY / name).read_text(encoding="utf-8")


def test_files_name_the_version_and_what_it_needs():
    assert f"\nversion: {fastauc.__version__}\n" in read("CITATION.cff")
    latest = re.search(r"^## (\S+)", read("CHANGELOG.md"), re.MULTILINE)[1]
    assert latest in ("Unreleased", fastauc.__version__)
    project = tomllib.loads(read("pyproject.toml"))["project"]
    python, numpy = project["requires-python"], project["dependencies"][0]
    supported, installation = read("docs/support.md"), read("docs/installation.md")
    for text in (python.replace(">=", "| "), numpy.replace("numpy>=", "| ")):
        assert f"\n{text}" in supported
    assert all(f"`{extra}`" in installation for extra in project["optional-dependencies"])
