"""The table of routes in ``fastauc._pairs`` is the one that the code follows."""

import numpy as np
import pytest

import fastauc
from fastauc import _pairs
from fastauc._counts import precision_recall
from fastauc._pairs import by_buckets, unweighted, weighted
from fastauc._validation import rows
from support.pairs import watch

COLUMNS = {"AUC": unweighted, "weighted": weighted, "average precision": precision_recall}


def table():
    """Return the routes of each line of the table, by column."""
    ruler, heading, *lines = (line for line in _pairs.__doc__.splitlines() if "  " in line)
    starts = [k for k, letter in enumerate(ruler) if letter == "=" and ruler[k - 1 : k] != "="]
    cut = [slice(*bounds) for bounds in zip(starts, [*starts[1:], None], strict=True)]
    names = [heading[part].strip() for part in cut]
    cells = [[line[part].strip() for part in cut] for line in lines if line[0] not in "=- "]
    return names, {rows: dict(zip(names[1:], routes, strict=True)) for rows, *routes in cells}


def test_the_table_names_the_routes_of_each_function():
    names, lines = table()
    assert names == ["Rows", *COLUMNS]
    assert len(lines) == 6
    for column, module in COLUMNS.items():
        named = {route for routes in lines.values() for route in routes[column].split(" or ")}
        assert named == {*module.ROUTES}
    explained = {line[2:].split(":")[0] for line in _pairs.__doc__.splitlines() if line[:2] == "- "}
    assert explained == {route for module in COLUMNS.values() for route in module.ROUTES}


def draw(line):
    """Return labels and scores that fit a line of the table, and no line above it."""
    rng, n = np.random.default_rng(5), 1000 if line == "few rows" else 100_000
    labels = rng.random(n) < (0.01 if line == "a rare class" else 0.5)
    if line == "sorted, or a few sorted runs":
        return labels, np.sort(rng.random(n))
    if line == "few distinct scores":
        return labels, rng.integers(0, 50, n) / 10
    scores = rng.random(n)
    if line == "tied or crowded scores":
        scores[: n // 2] = rng.permutation(scores[n // 2 :])
    return labels, scores


@pytest.mark.parametrize("line", table()[1])
def test_rows_take_the_route_of_the_table(monkeypatch, line):
    steps_of = watch_routes(monkeypatch)
    labels, scores = draw(line)
    for column, weight in (("AUC", None), ("weighted", np.linspace(1, 2, len(labels)))):
        _, steps = steps_of(fastauc.roc_auc_score, labels, scores, sample_weight=weight)
        taken = [step for step in steps if not step.startswith("no ")]
        assert taken[-1:] == [table()[1][line][column]]


def watch_routes(monkeypatch):
    """Return what tells which routes a call has taken."""
    functions = [(rows.Rows, "in_one_step", "few"), (weighted, "_weigh_few", "few")]
    functions += [(module, "count_few", "few") for module in (unweighted, by_buckets)]
    functions += [(module, "count_sorted", "sort") for module in (unweighted, by_buckets)]
    functions += [
        (unweighted, "_count_values", "values"),
        (unweighted, "_count_rare", "rare"),
        (by_buckets, "_count_by_offsets", "buckets"),
        (weighted, "_weigh_values", "values"),
        (weighted, "_weigh_buckets", "buckets"),
        (weighted, "sort_weighted_rows", "sort"),
    ]
    return watch(monkeypatch, functions)
