"""The simulation of permutation tests: none rejects what is true more often than its level says."""

import importlib
import math
import secrets
from pathlib import Path

import numpy as np
import pytest

SIMULATIONS = Path(__file__).resolve().parents[2] / "docs" / "simulations"


@pytest.fixture
def simulation(monkeypatch):
    monkeypatch.syspath_prepend(SIMULATIONS)
    return importlib.import_module("permutation_simulation")


def most_rejections(percent, n_samples):
    """Return the greatest percentage of samples that a test with this rate rejects.

    But for 1 in 30,000: the number is about a Poisson number, which is wider than four deviations
    where few are expected.
    """
    expected = percent / 100 * n_samples
    return 100 / n_samples * (expected + 4 * math.sqrt(expected) + 4)


def holds(line):
    return line.at_5 <= most_rejections(6.5, line.n_samples) and line.at_01 <= most_rejections(
        0.3, line.n_samples
    )


CELLS = [
    ("one AUC", ((5, 95), "a flag of 1 %")),
    ("one AUC", ((20, 20), "3 levels, two of them rare")),
    ("AUCs, same rows", ((20, 20), "2 levels", 0.95)),
    ("AUCs, same rows", ((5, 95), "a lump of ties, and a rest without", 0.95)),
    ("AUCs, same rows", ((20, 200), "5 levels", 0.5)),
    ("curves, same rows", ((20, 20), "3 levels", 0.95)),
]


@pytest.mark.ci
@pytest.mark.parametrize(("part", "cell"), CELLS)
def test_what_is_true_is_not_rejected_too_often(simulation, part, cell):
    assert cell in simulation.PARTS[part].cells
    line = simulation.measure(part, cell, 1000)
    assert holds(line), line


@pytest.mark.slow
def test_cells_at_random_hold(simulation):
    """Of every test, with seeds that nobody has seen; a failure names the line and its seed."""
    seed = secrets.randbits(32)
    rng = np.random.default_rng(seed)
    for part, (_, n_samples, cells) in simulation.PARTS.items():
        for k in rng.choice(len(cells), 8, replace=False).tolist():
            line = simulation.measure(part, cells[k], n_samples // 2, seed)
            assert holds(line), (line, seed)


def test_what_does_not_hold_is_found_out(simulation, monkeypatch):
    def rank(*samples):
        """Return midranks, in the place of matched levels."""
        ordered = [np.sort(sample.score) for sample in samples]
        return [
            sum(np.searchsorted(own, sample.score, side) for side in ("left", "right"))
            for own, sample in zip(ordered, samples, strict=True)
        ]

    permutation = importlib.import_module("fastauc.inference._permutation")
    monkeypatch.setattr(permutation, "place_rows", rank)
    cell = (5, 95), "a lump of ties, and a rest without", 0.95
    assert not holds(simulation.measure("AUCs, same rows", cell, 1000))


def test_recorded_lines_are_those_of_all_cells(simulation):
    text = simulation.RESULTS.read_text(encoding="utf-8")
    lines = simulation.read_text(text)
    assert simulation.as_text(lines) == text
    cells = [(name, cell) for name, part in simulation.PARTS.items() for cell in part.cells]
    assert len(lines) == len(cells)
    for line, (name, cell) in zip(lines, cells, strict=True):
        assert line[:4] == simulation.name_of(name, cell)
        assert line.n_samples == simulation.PARTS[name].n_samples
    assert [line for line in lines if not holds(line)] == []


def test_the_page_shows_what_is_recorded(simulation):
    lines = simulation.read_text(simulation.RESULTS.read_text(encoding="utf-8"))
    page = simulation.PAGE.read_text(encoding="utf-8")
    assert simulation.with_table(page, lines) == page
    with pytest.raises(ValueError, match="no place for the table"):
        simulation.with_table("", lines)
