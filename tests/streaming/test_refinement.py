"""Further passes: exact in the end, to the last integer, for any grid, limit, partition. R-94."""

import itertools
import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc import concordance
from fastauc.streaming import (
    ScoreHistogram,
    _passes as passes,
    _plan as unresolved,
    refine,
    refine_roc_auc,
)
from support.flushing import SMALLEST, SUBNORMAL, flush_to_zero, on_glibc
from support.laws import law
from support.refining import (
    GREATEST,
    GRIDS,
    columns_of,
    divide,
    grids,
    histogram_of,
    limits,
    parts,
    samples,
)
from support.reliability import tried

# Exactness ----------------------------------------------------------------------------------------


@pytest.mark.check("exact mode")
@pytest.mark.check("partitions")
@law
@given(samples, grids, limits, parts, st.integers(1, 3))
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
def test_pairs_are_those_of_concordance(sample, grid, max_rows, n_parts, n):
    tried()
    rows = columns_of(sample)
    with mock.patch.object(unresolved, "PARTS", n_parts):
        found = refine_roc_auc(histogram_of(rows, grid), lambda: divide(rows, n), max_rows=max_rows)
    if len(set(rows[0].tolist())) < 2:
        assert math.isnan(found.estimate)
        assert found.concordance is None
        return
    assert found.exact
    assert found.concordance == concordance(*rows)
    assert found.estimate == found.lower == found.upper == found.concordance.auc
    assert found.concordance.fraction == naive.refine_roc_auc(None, lambda: [rows])


@pytest.mark.check("histogram bounds")
@law
@given(samples, grids, limits, parts, st.sampled_from([1e-12, 1e-3, 0.02, 0.2, 1.0]))
def test_interval_is_as_wide_as_allowed(sample, grid, max_rows, n_parts, tol):
    tried()
    rows = columns_of([(False, 0.0), (True, 0.3), *sample])
    # Where an interval is exact, it is rounded to the nearest, as the value here.
    exact = float(naive.refine_roc_auc(None, lambda: [rows]))
    with mock.patch.object(unresolved, "PARTS", n_parts):
        found = refine_roc_auc(histogram_of(rows, grid), lambda: [rows], tol=tol, max_rows=max_rows)
    assert found.upper - found.lower <= tol
    assert found.lower <= exact <= found.upper
    before = (0.0, 1.0)
    for record in found.passes:
        assert before[0] <= record.lower <= exact <= record.upper <= before[1]
        before = record.lower, record.upper


@pytest.mark.check("exact mode")
@pytest.mark.check("partitions")
@law
@given(samples, st.lists(st.integers(0, 1000), min_size=42, max_size=42), grids, limits, parts)
def test_weights_are_added_exactly(sample, weights, grid, max_rows, n_parts):
    tried()
    labels, values = columns_of([(False, 0.0), (True, 0.3), *sample])
    # Of a wide range, and multiples of 2^-128.
    weight = np.array([(k % 10) * 2.0 ** (k - 60.0 - k % 10) for k in weights[: len(labels)]])
    weight = np.minimum(weight, 2.0**50)
    weight[:2] = 1.0
    rows = labels, values, weight
    with mock.patch.object(unresolved, "PARTS", n_parts):
        found = refine_roc_auc(histogram_of(rows, grid), lambda: divide(rows, 2), max_rows=max_rows)
    assert found.exact
    assert found.estimate == float(naive.refine_roc_auc(None, lambda: [rows]))
    assert found.concordance is None


def test_weights_that_are_rounded_leave_true_bounds():
    rng = np.random.default_rng(4)
    labels, values = rng.integers(0, 2, 60), rng.integers(0, 20, 60) / 64 + 1000
    weight = np.where(rng.random(60) < 0.5, 2.0**-76, 2.0**-110) * rng.random(60)
    rows = labels, values, weight
    exact = naive.refine_roc_auc(None, lambda: [rows])
    found = refine_roc_auc(histogram_of(rows, GRIDS[1]), lambda: [rows])
    assert not found.exact
    assert len(found.passes) == 2
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 2.0**-40  # 60 halves of 2^-128 by weights of 2^-76


def test_weights_of_one_are_rows():
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 2, 500), rng.standard_normal(500)
    found = refine_roc_auc(None, lambda: [rows])
    weighted = refine_roc_auc(ScoreHistogram(weighted=True).update(*rows), lambda: [rows])
    assert weighted[:4] == found[:4]
    assert refine_roc_auc(None, lambda: [(*rows, np.ones(500))])[:4] == found[:4]


@pytest.mark.check("exact mode")
@pytest.mark.parametrize("max_rows", [10, 10**6])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.bool_])
def test_dtypes(dtype, max_rows):
    rng = np.random.default_rng(6)
    rows = rng.integers(0, 2, 400), (10 * rng.standard_normal(400)).astype(dtype)
    found = refine_roc_auc(histogram_of(rows, GRIDS[1]), lambda: divide(rows, 2), max_rows=max_rows)
    assert found.concordance == concordance(*rows)


def test_labels_and_threads():
    rng = np.random.default_rng(7)
    labels, values = rng.choice(["good", "bad", "worse"], 300), rng.random(300)
    for max_rows in (10, 1000):
        found = refine_roc_auc(
            None,
            lambda: divide((labels, values), 3),
            max_rows=max_rows,
            pos_label="good",
            n_jobs=2,
        )
        assert found.concordance == concordance(labels == "good", values)


def test_grid_pass_on_threads():
    rng = np.random.default_rng(8)
    labels, values = rng.integers(0, 2, 50_000), rng.random(50_000).astype(np.float32)
    histogram = histogram_of((labels, values), GRIDS[1])
    alone = refine(histogram, max_rows=100).update(labels, values)
    with mock.patch("fastauc.streaming._passes.ROWS_PER_TABLE", 1000):
        together = refine(histogram, max_rows=100).update(labels, values, n_jobs=3)
    assert alone.kind == "grid"
    assert alone == together
    assert alone.roc_auc() == together.roc_auc()


@on_glibc
@pytest.mark.parametrize("bits", [0x8000, 0x40, 0x8040])
@pytest.mark.parametrize("case", SUBNORMAL)
def test_processors_that_flush_subnormal_numbers(case, bits):
    rng = np.random.default_rng(9)
    values = SUBNORMAL[case](rng, 300)
    rows = rng.integers(0, 2, 300), values
    expected = concordance(*rows)
    for grid, max_rows in itertools.product(GRIDS[:3], (1, 1000)):
        found, _ = flush_to_zero(
            bits,
            lambda grid, max_rows: (
                refine_roc_auc(
                    histogram_of(rows, grid), lambda: [rows], max_rows=max_rows
                ).concordance
            ),
            grid,
            max_rows,
        )
        assert found == expected


# How many passes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        np.full(64, 0.3),
        2.0 ** -np.arange(1000.0, 1064.0),
        (np.arange(64) + np.array(0.3).view(np.int64)).view(np.float64),
        np.arange(64) * SMALLEST,
        np.concatenate([[-GREATEST], np.arange(62) * SMALLEST, [GREATEST]]),
        np.repeat([1.0, 1.0 + 2.0**-52], 32),
    ],
    ids=["constant", "powers", "neighbors", "subnormal", "far apart", "two"],
)
@pytest.mark.parametrize(("tol", "max_rows"), [(0.0, 1), (1e-9, 1), (1e-9, 8), (0.0, 8)])
def test_passes_end(values, tol, max_rows):
    labels = np.arange(64) % 2
    rows = labels, values
    with mock.patch.object(unresolved, "PARTS", 4):
        found = refine_roc_auc(
            histogram_of(rows, GRIDS[4]), lambda: [rows], tol=tol, max_rows=max_rows
        )
    assert found.concordance == concordance(*rows)
    kinds = [record.kind for record in found.passes]
    assert kinds.count("grid") <= 64 if max_rows == 1 else 128
    assert kinds.count("rows") <= 64 // max_rows + 1


def test_rows_that_fit_are_collected_at_once():
    rng = np.random.default_rng(10)
    rows = rng.integers(0, 2, 5000), rng.random(5000)
    histogram = histogram_of(rows, {"bins": 100, "range": (0, 1)})
    found = refine_roc_auc(histogram, lambda: [rows], max_rows=5000)
    assert [record[:2] for record in found.passes] == [("histogram", 5000), ("rows", 5000)]


@pytest.mark.parametrize("max_rows", [1000, 1700, 4000])
def test_ranges_of_rows_are_collected_in_turn(max_rows):
    rng = np.random.default_rng(11)
    rows = rng.integers(0, 2, 5000), rng.random(5000)
    histogram = histogram_of(rows, {"bins": 1000, "range": (0, 1)})
    with mock.patch.object(unresolved, "PARTS", 4096):
        found = refine_roc_auc(histogram, lambda: divide(rows, 2), max_rows=max_rows)
    assert found.concordance == concordance(*rows)
    is_unresolved = refine(histogram, max_rows=2**20).expected_rows
    turns = [record for record in found.passes if record.kind == "rows"]
    assert sum(record.rows for record in turns) <= is_unresolved
    assert all(record.rows <= max_rows for record in turns)
    # Bins of some five rows: hardly any of the limit is lost. More scores than there are parts are
    # never split, however many passes it takes.
    assert len(turns) == len(found.passes) - 1 <= math.ceil(is_unresolved / (max_rows - 20))


def test_splitting_is_tried_once_where_it_fails():
    rng = np.random.default_rng(12)
    # A third of the rows have scores that repeat, each alone in its bin; in the others, none does.
    labels, values = rng.integers(0, 2, 6000), rng.random(6000)
    repeats = values < 1 / 3
    values[repeats] = np.floor(100 * values[repeats]) / 100
    histogram = histogram_of((labels, values), {"bins": 100, "range": (0, 1)})
    with mock.patch.object(unresolved, "PARTS", 300):
        found = refine_roc_auc(histogram, lambda: [(labels, values)], max_rows=700)
    kinds = [record.kind for record in found.passes]
    assert kinds == ["histogram", "grid"] + ["rows"] * (len(kinds) - 2)
    assert len(kinds) > 6
    assert found.concordance == concordance(labels, values)


def test_collected_rows_tell_that_scores_repeat():
    rng = np.random.default_rng(14)
    # 64 scores in each bin, so that no bin tells.
    rows = rng.integers(0, 2, 20_000), 1 + rng.integers(0, 4096, 20_000) / 2.0**12
    histogram = histogram_of(rows, {"bins": 128, "range": (0, 2)})
    with mock.patch.object(unresolved, "PARTS", 2**14), mock.patch.object(passes, "PARTS", 2**14):
        found = refine_roc_auc(histogram, lambda: [rows], max_rows=1000)
    assert [record.kind for record in found.passes] == ["histogram", "rows", "grid"]
    assert found.concordance == concordance(*rows)


def test_splitting_settles_rounded_scores():
    rng = np.random.default_rng(13)
    rows = rng.integers(0, 2, 20_000), 1 + rng.integers(0, 4096, 20_000) / 2.0**12
    histogram = histogram_of(rows, {"bins": 128, "range": (0, 2)})
    found = refine_roc_auc(histogram, lambda: [rows], max_rows=100)
    assert [record.kind for record in found.passes] == ["histogram", "grid"]
    assert found.concordance == concordance(*rows)


def test_no_pass_for_exact_histograms():
    histogram = ScoreHistogram().update([0, 1, 1, 0], [0.25, 0.25, 0.5, 0.75])
    assert refine(histogram) is None
    assert refine_roc_auc(histogram, list).concordance == (1, 1, 2, 2)
    assert refine(ScoreHistogram()) is None


def test_one_class_and_no_rows():
    for part in ([], [([1, 1], [0.5, 0.25])]):
        with pytest.warns(fastauc.UndefinedMetricWarning) as warned:
            found = refine_roc_auc(None, lambda part=part: part)
        assert len(warned) == 2 - len(part)  # for each class without rows
        assert math.isnan(found.estimate)
        assert len(found.passes) == 1
    parts = [([], []), ([0], [0.5]), ([], []), ([1, 1], [0.5, 0.25]), ([0], [0.500001])]
    histogram = ScoreHistogram(bins=1, range=(0, 1))
    for part in parts:
        histogram.update(*part)
    assert refine_roc_auc(histogram, lambda: parts).concordance == (0, 1, 2, 2)


@law
@given(samples, grids)
def test_rows_in_doubt(sample, grid):
    labels, values = columns_of(sample)
    histogram = histogram_of((labels, values), grid)
    cells = histogram._grid.find_cells(values)
    order = np.argsort(cells, kind="stable")
    rows = list(zip(cells[order], labels[order] == 1, values[order].tolist(), strict=True))
    by_cell = [
        [(positive, score) for _, positive, score in group]
        for _, group in itertools.groupby(rows, key=lambda row: row[0])
    ]
    expected = naive.refine(by_cell)
    step = refine(histogram)
    assert (step is None) == (expected is None)
    if step is not None:
        step.update(labels, values)
        assert step.n_rows == step.expected_rows == len(expected)


# Large --------------------------------------------------------------------------------------------


@pytest.mark.check("exact mode")
@pytest.mark.slow
@pytest.mark.parametrize(("tol", "max_rows"), [(0.0, 2**24), (0.0, 2**21), (1e-6, 2**18)])
def test_many_rows(tol, max_rows):
    rng = np.random.default_rng(17)
    n = 10_000_000
    values = rng.standard_normal(n)
    labels = (rng.random(n) < 1 / (1 + np.exp(-values))).astype(np.uint8)
    values = 1 / (1 + np.exp(-values))

    def parts():
        for start in range(0, n, 10**6):
            yield labels[start : start + 10**6], values[start : start + 10**6]

    found = refine_roc_auc(None, parts, tol=tol, max_rows=max_rows)
    exact = concordance(labels, values)
    assert found.upper - found.lower <= tol
    assert found.lower <= exact.auc <= found.upper
    if tol == 0:
        assert found.concordance == exact
