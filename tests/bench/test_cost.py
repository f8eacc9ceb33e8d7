"""The guard of the cost counts what it says, and sees a call that has become dearer."""

import importlib
import json
import os
import shutil
from pathlib import Path

import pytest

import fastauc

BENCH = Path(__file__).resolve().parents[2] / "bench"

needs_valgrind = pytest.mark.skipif(
    shutil.which("valgrind") is None or "LD_PRELOAD" in os.environ,
    reason="valgrind is not installed, or something is preloaded that cannot run under it",
)


@pytest.fixture
def cost(monkeypatch):
    """Import the guard as its own command does, for the fastauc that is tested."""
    monkeypatch.syspath_prepend(BENCH)
    search = [str(Path(fastauc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, search)))
    return importlib.import_module("cost")


@pytest.fixture
def figures(cost):
    return json.loads(cost.FIGURES.read_text())


def scaled(figures, factor):
    counts = figures["instructions_per_row"]
    return figures | {"instructions_per_row": {case: factor * counts[case] for case in counts}}


def test_committed_figures_are_those_of_the_cases(cost, figures):
    assert list(figures["instructions_per_row"]) == list(cost.CASES)
    assert figures["rows"] == cost.ROWS
    assert figures.keys() >= {"python", "compiler", *cost.COMPARABLE}


@pytest.mark.parametrize(
    ("factor", "status", "verdict"),
    [(1.11, 1, "TOO MANY"), (1.09, 0, "as before"), (0.91, 0, "as before"), (0.89, 0, "fewer")],
)
def test_ten_percent_more_is_a_failure(cost, figures, monkeypatch, capsys, factor, status, verdict):
    monkeypatch.setattr(cost.shutil, "which", lambda name: name)
    monkeypatch.setattr(cost, "measure", lambda: scaled(figures, factor))
    assert cost.main([]) == status
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(cost.CASES)
    assert all(verdict in line for line in lines)


def test_one_dearer_case_is_a_failure(cost, figures, monkeypatch):
    counts = dict(figures["instructions_per_row"])
    counts[next(reversed(counts))] *= 1.2
    monkeypatch.setattr(cost.shutil, "which", lambda name: name)
    monkeypatch.setattr(cost, "measure", lambda: figures | {"instructions_per_row": counts})
    assert cost.main([]) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [("numpy", "1.25.0"), ("architecture", "aarch64"), ("numpy_simd", ["X86_V2"]), ("rows", 7)],
)
def test_figures_of_something_else_are_not_compared(cost, figures, monkeypatch, capsys, key, value):
    monkeypatch.setattr(cost.shutil, "which", lambda name: name)
    monkeypatch.setattr(cost, "measure", lambda: scaled(figures, 9) | {key: value})
    assert cost.main([]) == 0
    assert cost.main(["--strict"]) == 1
    expected = f"skipped: {key} is {value}, not {figures[key]}\n"
    assert capsys.readouterr().out == 2 * expected


def test_other_compiler_is_named(cost, figures, monkeypatch, capsys):
    monkeypatch.setattr(cost.shutil, "which", lambda name: name)
    monkeypatch.setattr(cost, "measure", lambda: figures | {"compiler": "another"})
    assert cost.main([]) == 0
    assert f"another; the figures are those of {figures['compiler']}" in capsys.readouterr().out


def test_without_valgrind_nothing_is_compared_or_written(cost, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cost.shutil, "which", lambda name: None)
    path = tmp_path / "figures.json"
    assert cost.main([]) == 0
    assert cost.main(["--strict"]) == 1
    assert cost.main(["--update", "--figures", str(path)]) == 1
    assert capsys.readouterr().out == 3 * "skipped: valgrind is not installed\n"
    assert not path.exists()


def test_update_writes_what_is_compared_next_time(cost, figures, monkeypatch, tmp_path):
    monkeypatch.setattr(cost.shutil, "which", lambda name: name)
    monkeypatch.setattr(cost, "measure", lambda: scaled(figures, 2))
    path = ["--figures", str(tmp_path / "figures.json")]
    assert cost.main([]) == 1
    assert cost.main(["--update", *path]) == 0
    assert cost.main(path) == 0


def test_a_call_is_what_lies_between_two_marks(cost, tmp_path):
    for part in range(1, 13):
        (tmp_path / f"profile.{part}").write_text(
            f"part: {part}\nsummary: 1\ntotals: {part * 10}\n"
        )
    assert cost.counted(tmp_path) == [20, 40, 60, 80, 100, 120]


@needs_valgrind
@pytest.mark.slow
def test_count_is_that_of_the_calls_and_the_same_each_time(cost):
    found = cost.measure(rows=3000)
    again = cost.measure(rows=3000)
    assert list(found["instructions_per_row"]) == list(cost.CASES)
    for case, count in found["instructions_per_row"].items():
        assert again["instructions_per_row"][case] == pytest.approx(count, rel=0.01)
        # To read a row takes some instructions. To start Python takes 1e8, 30,000 for each of
        # these rows; a call takes a few thousand whatever the number of rows.
        assert 2 < count < 10_000


@needs_valgrind
@pytest.mark.slow
def test_cost_is_the_committed_one(cost, capsys):
    status = cost.main([])
    shown = capsys.readouterr().out
    if shown.startswith("skipped"):
        pytest.skip(shown)
    assert status == 0, shown
