"""The plot of the bench shows every line once, names it, and is the same each time."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
SIZES = [100, 10_000, 10**6]
RIVALS = ["scikit-learn", "scors", "rapidstats", "polars-ds", "numpy", "numba-merge", "catboost"]
RIVALS += ["daal4py", "scipy", "torchmetrics", "numba-argsort"]


def row(rival, n, own, theirs, **changes):
    case = {"metric": "roc_auc_score", "distribution": "uniform", "prevalence": 0.5, "n_jobs": 1}
    times = {"fastauc_median_ns": own, "rival_median_ns": theirs, "equal": True}
    return case | {"rival": rival, "n": n} | times | changes


@pytest.fixture
def report():
    rows = [row(name, n, 8.0 + i, 100.0 + i) for i, name in enumerate(RIVALS) for n in SIZES]
    return {
        "machine": {"cpu": "A processor", "numpy": "2.4.6"},
        "floor": [{"n": n, "median_ns": 0.5} for n in SIZES],
        "row": rows,
    }


@pytest.fixture
def plot(monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("plot")


def drawn(report, folder, name="plot.svg", *options):
    """Draw in a process of its own, as the command does."""
    (folder / "report.json").write_text(json.dumps(report))
    command = [sys.executable, str(BENCH / "plot.py"), str(folder / "report.json")]
    subprocess.run([*command, "-o", str(folder / name), *options], check=True, timeout=120)
    return (folder / name).read_bytes()


def test_same_report_gives_the_same_small_picture(plot, report, tmp_path):
    first = drawn(report, tmp_path)
    assert drawn(report, tmp_path, "again.svg") == first
    assert len(first) < 80_000


def test_every_line_is_named_where_it_ends(plot, report, tmp_path):
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", drawn(report, tmp_path).decode())
    names = [plot.LABELS.get(name, name) for name in [*RIVALS, "fastauc", plot.FLOOR]]
    assert {name: texts.count(name) for name in names} == dict.fromkeys(names, 1)
    assert any("A processor" in text and "50 % positives" in text for text in texts)


def test_lines_differ_in_more_than_their_color(plot):
    found = plot.styles(["fastauc", plot.FLOOR, *RIVALS])
    markers = [found[name]["marker"] for name in ["fastauc", *RIVALS]]
    assert len(set(markers)) == len(markers)


def test_only_the_rows_of_the_case_with_right_answers_are_drawn(plot, report):
    report["row"] = [
        row("scors", 100, 10.0, 50.0),
        row("scipy", 100, 30.0, 60.0),
        row("numpy", 100, 20.0, 70.0),
        row("scors", 1000, 5.0, 7.0, equal=False),
        row("scors", 1000, 5.0, 7.0, prevalence=0.01),
        row("scors", 1000, 5.0, 7.0, n_jobs=2),
        {"rival": "scors", "n": 1000, "refused": "TypeError"},
    ]
    case = {"metric": "roc_auc_score", "distribution": "uniform", "prevalence": 0.5, "n_jobs": 1}
    assert plot.median_lines(report, **case) == {
        "scors": {100: 50.0},
        "scipy": {100: 60.0},
        "numpy": {100: 70.0},
        "fastauc": {100: 20.0},
        plot.FLOOR: {100: 0.5},
    }
    with pytest.raises(SystemExit, match="no row"):
        plot.median_lines(report, **case | {"metric": "roc_curve"})


@pytest.mark.parametrize(
    ("heights", "placed"),
    [
        ([0.0, 5.0, 2.0], [0.0, 5.0, 2.0]),
        ([1.0, 1.0, 1.0], [0.0, 1.0, 2.0]),
        ([3.0, 2.5], [3.25, 2.25]),
        ([0.0, 0.5, 1.0, 9.0], [-0.5, 0.5, 1.5, 9.0]),
        ([0.0, 1.1, 1.1, 1.1], [-0.675, 0.325, 1.325, 2.325]),
    ],
)
def test_names_are_moved_apart_and_keep_their_order(plot, heights, placed):
    assert plot.spread(heights, 1.0) == pytest.approx(placed)
