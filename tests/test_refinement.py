"""Further passes: exact in the end, to the last integer, for any grid, limit and partition."""

import itertools
import math
import os
import random
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastauc
import naive
from fastauc import ScoreHistogram, concordance, doubts, refine, refine_roc_auc
from flushing import SMALLEST, SUBNORMAL, flush_to_zero, on_glibc

EXAMPLES = int(os.environ.get("FASTAUC_TEST_EXAMPLES", "150"))
law = settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 150, database=None)

GREATEST = float(np.finfo(np.float64).max)
GRIDS = [
    {},
    {"bins": 2, "range": (0, 1)},
    {"bins": 5, "range": (-1e300, 1e300)},
    {"edges": [-3.0, 0.0, SMALLEST, 0.1, 1.0]},
    {"edges": [5.0]},
]

scores = st.one_of(
    st.integers(0, 40).map(lambda k: (np.array(0.3).view(np.int64) + k).view(np.float64).item()),
    st.integers(0, 1074).map(lambda k: 2.0**-k),
    st.integers(0, 12).map(lambda k: k / 4),
    st.sampled_from([-0.0, 0.0, SMALLEST, -SMALLEST, GREATEST, -GREATEST]),
    st.floats(allow_nan=False, allow_infinity=False),
)
samples = st.lists(st.tuples(st.booleans(), scores), min_size=1, max_size=40)
grids = st.sampled_from(GRIDS)
limits = st.sampled_from([1, 2, 3, 5, 10, 1000])
parts = st.sampled_from([2, 8, 64, 2**12, 2**20])


def divide(rows, n):
    """Return the columns of every n-th row, for each place to start from."""
    return [tuple(np.asarray(column[k::n]) for column in rows) for k in range(n)]


def columns_of(sample, dtype=np.float64):
    labels, values = zip(*sample, strict=True)
    return np.array(labels, np.uint8), np.array(values, dtype)


def count(state, parts):
    for part in parts:
        state.update(*part)
    return state


def histogram_of(rows, grid=GRIDS[0]):
    return ScoreHistogram(weighted=len(rows) == 3, **grid).update(*rows)


def pairs_of(labels, values):
    """Return what ``concordance`` does, and the same for rows of one class."""
    if labels.min() < labels.max():
        return concordance(labels, values)
    n_pos = int(labels.sum())
    return 0, 0, n_pos, len(labels) - n_pos


# Exactness ----------------------------------------------------------------------------------------


@law
@given(samples, grids, limits, parts, st.integers(1, 3))
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
def test_pairs_are_those_of_concordance(sample, grid, max_rows, n_parts, n):
    rows = columns_of(sample)
    with mock.patch.object(doubts, "PARTS", n_parts):
        found = refine_roc_auc(histogram_of(rows, grid), lambda: divide(rows, n), max_rows=max_rows)
    if len(set(rows[0].tolist())) < 2:
        assert math.isnan(found.estimate)
        assert found.concordance is None
        return
    assert found.exact
    assert found.concordance == concordance(*rows)
    assert found.estimate == found.lower == found.upper == found.concordance.auc
    assert found.concordance.fraction == naive.refine_roc_auc(None, lambda: [rows])


@law
@given(samples, grids, limits, parts, st.sampled_from([1e-12, 1e-3, 0.02, 0.2, 1.0]))
def test_interval_is_as_wide_as_allowed(sample, grid, max_rows, n_parts, tol):
    rows = columns_of([(False, 0.0), (True, 0.3), *sample])
    # Where an interval is exact, it is rounded to the nearest, as the value here.
    exact = float(naive.refine_roc_auc(None, lambda: [rows]))
    with mock.patch.object(doubts, "PARTS", n_parts):
        found = refine_roc_auc(histogram_of(rows, grid), lambda: [rows], tol=tol, max_rows=max_rows)
    assert found.upper - found.lower <= tol
    assert found.lower <= exact <= found.upper
    before = (0.0, 1.0)
    for record in found.passes:
        assert before[0] <= record.lower <= exact <= record.upper <= before[1]
        before = record.lower, record.upper


@law
@given(samples, st.lists(st.integers(0, 1000), min_size=42, max_size=42), grids, limits, parts)
def test_weights_are_added_exactly(sample, weights, grid, max_rows, n_parts):
    labels, values = columns_of([(False, 0.0), (True, 0.3), *sample])
    # Of a wide range, and multiples of 2^-128.
    weight = np.array([(k % 10) * 2.0 ** (k - 60.0 - k % 10) for k in weights[: len(labels)]])
    weight = np.minimum(weight, 2.0**50)
    weight[:2] = 1.0
    rows = labels, values, weight
    with mock.patch.object(doubts, "PARTS", n_parts):
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
    with mock.patch("fastauc.passes.ROWS_PER_TABLE", 1000):
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
    with mock.patch.object(doubts, "PARTS", 4):
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
    found = refine_roc_auc(histogram, lambda: divide(rows, 2), max_rows=max_rows)
    assert found.concordance == concordance(*rows)
    in_doubt = refine(histogram, max_rows=2**20).expected_rows
    turns = [record for record in found.passes if record.kind == "rows"]
    grid = [record for record in found.passes if record.kind == "grid"]
    assert sum(record.rows for record in turns) <= in_doubt
    assert all(record.rows <= max_rows for record in turns)
    # Bins of some five rows: hardly any of the limit is lost. Five passes are tried to be avoided.
    assert len(grid) == (in_doubt > 4 * max_rows)
    assert len(turns) <= math.ceil(in_doubt / (max_rows - 20))


def test_splitting_is_tried_once_where_it_fails():
    rng = np.random.default_rng(12)
    labels, values = rng.integers(0, 2, 6000), rng.random(6000)
    histogram = histogram_of((labels, values), {"bins": 100, "range": (0, 1)})
    with mock.patch.object(doubts, "PARTS", 300):
        found = refine_roc_auc(histogram, lambda: [(labels, values)], max_rows=1000)
    assert [record.kind for record in found.passes][:3] == ["histogram", "grid", "rows"]
    assert [record.kind for record in found.passes].count("grid") == 1
    assert found.concordance == concordance(labels, values)


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


# Parts --------------------------------------------------------------------------------------------


def steps():
    """Yield empty steps of either kind, weighted or not, the second ones after a first one."""
    rng = np.random.default_rng(14)
    n = 3000
    labels, values = rng.integers(0, 2, n), rng.integers(0, 700, n) ** 3 / 700.0**3
    weight = rng.integers(0, 5, n) * 10.0 ** rng.integers(-3, 3, n)
    for rows in ((labels, values), (labels, values, weight)):
        histogram = histogram_of(rows, {"bins": 30, "range": (0, 1)})
        for limits in (
            [{"max_rows": 2**20}],
            [{"max_rows": 100}],
            [{"tol": 1e-3, "max_rows": 10}] * 2,
            [{"max_rows": 10}, {"max_rows": 2**20}],
        ):
            state = histogram
            with mock.patch.object(doubts, "PARTS", 256):
                *firsts, last = limits
                for limit in firsts:
                    state = refine(state, **limit).update(*rows)
                yield refine(state, **last), rows


CASES = list(steps())
STEPS = pytest.mark.parametrize(("step", "rows"), CASES)


def test_steps_of_all_kinds():
    assert {(step.kind, step.weighted) for step, _ in CASES} == {
        (kind, weighted) for kind in ("grid", "rows") for weighted in (False, True)
    }


@STEPS
def test_parts_come_to_the_same_in_any_order(step, rows):
    whole = step.copy().update(*rows)
    rng = np.random.default_rng(15)
    random_order = random.Random(15)
    for n in (1, 2, 7):
        order = rng.permutation(len(rows[0]))
        copies = [
            step.copy().update(*part) for part in divide([column[order] for column in rows], n)
        ]
        random_order.shuffle(copies)
        for merged in (sum(copies), sum(copies[1:], copies[0]), sum(copies, step)):
            assert merged == whole
            assert merged.complete
            assert merged.n_rows == whole.n_rows
            assert merged.roc_auc() == whole.roc_auc()
            following, expected = refine(merged, max_rows=10), refine(whole, max_rows=10)
            assert following == expected
    assert step.n_rows == 0


@STEPS
def test_copies_share_nothing(step, rows):
    half, other = divide(rows, 2)
    twin = step.copy().update(*half)
    again = twin.copy()
    assert twin == again
    twin.update(*other)
    assert twin.complete
    assert again != twin
    assert not again.complete
    assert again.update(*other) == twin


@STEPS
def test_area_before_all_rows_are_added(step, rows):
    before = step.roc_auc()
    exact = float(naive_area(rows))
    assert before.lower <= exact <= before.upper
    half, other = divide(rows, 2)
    partly = step.copy().update(*half)
    assert partly.roc_auc() == before
    with pytest.raises(ValueError, match=rf"{partly_found(partly)}.*expected the same data"):
        refine(partly)
    after = partly.update(*other).roc_auc()
    assert before.lower <= after.lower <= exact <= after.upper <= before.upper
    assert after != before


def naive_area(rows):
    """Return the area of many rows, in fractions."""
    labels, values = (np.asarray(column) for column in rows[:2])
    weight = [Fraction(w) for w in (rows[2].tolist() if len(rows) == 3 else [1] * len(labels))]
    won = below = total = Fraction(0)
    order = sorted(range(len(labels)), key=lambda i: values[i])
    for _, group in itertools.groupby(order, key=lambda i: values[i]):
        group = list(group)
        neg = sum((weight[i] for i in group if labels[i] == 0), Fraction(0))
        pos = sum((weight[i] for i in group if labels[i] == 1), Fraction(0))
        won += pos * (below + neg / 2)
        below += neg
        total += pos
    return won / (below * total)


def partly_found(step):
    neg, pos = step._content.totals
    return f"{neg} negatives and {pos} positives" if not step.weighted else "negatives and"


# Wrong data ---------------------------------------------------------------------------------------


def changes(rows):
    """Yield rows that are not those of the pass before, and what has been done to them."""
    labels, values, *weight = rows
    in_doubt = int(np.argsort(values)[len(values) // 2])
    keep = np.arange(len(values)) != in_doubt
    yield "a row less", tuple(column[keep] for column in rows)
    yield "a row more", tuple(np.append(column, column[in_doubt]) for column in rows)
    yield "twice", tuple(np.concatenate([column, column]) for column in rows)
    other = labels.copy()
    other[in_doubt] = 1 - other[in_doubt]
    yield "another label", (other, values, *weight)
    other = values.copy()
    other[in_doubt] = 1.5
    yield "another score", (labels, other, *weight)
    yield "no row", tuple(column[:0] for column in rows)


@pytest.mark.parametrize("max_rows", [10, 10**6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", range(6))
def test_data_that_change_between_passes(k, weighted, max_rows):
    rng = np.random.default_rng(16)
    rows = rng.integers(0, 2, 1000), rng.random(1000)
    rows = (*rows, rng.random(1000)) if weighted else rows
    histogram = histogram_of(rows, {"bins": 20, "range": (0, 1)})
    _, changed = list(changes(rows))[k]
    with pytest.raises(ValueError, match="expected the same data"):
        refine_roc_auc(histogram, lambda: [changed], max_rows=max_rows)
    step = refine(histogram, max_rows=max_rows)
    for part in divide(changed, 3):
        try:
            step.update(*part)
        except ValueError:
            break
    with pytest.raises(ValueError, match="expected the same data"):
        refine(step)


@pytest.mark.parametrize("max_rows", [10, 10**6])
def test_scores_that_move_between_cells(max_rows):
    labels = np.array([0, 1] * 20)
    values = np.arange(40) / 40
    histogram = histogram_of((labels, values), {"bins": 2, "range": (0, 1)})
    # As many rows of each class, but not in each bin.
    moved = np.where(values < 0.1, values + 0.5, values)
    with pytest.raises(ValueError, match=r"from .* to .* expected the same data"):
        refine_roc_auc(histogram, lambda: [(labels, moved)], max_rows=max_rows)


def test_merging_more_than_there_is_changes_nothing():
    for step, rows in CASES:
        whole, twin = step.copy().update(*rows), step.copy().update(*rows)
        with pytest.raises(ValueError, match="expected the same data"):
            whole.merge(twin)
        with pytest.raises(ValueError, match="expected the same data"):
            whole.merge(whole)
        assert whole == twin


def test_steps_that_differ_do_not_merge():
    for (step, _), (other, _) in itertools.combinations(CASES, 2):
        assert step != other
        with pytest.raises(ValueError, match="The steps differ"):
            step.merge(other)


def test_integers_that_are_no_doubles():
    values = 2**53 + np.array([0, 1, 2, 3, 4, 5, 6, 7])
    labels = [0, 1, 0, 1, 0, 1, 0, 1]
    histogram = ScoreHistogram().update(labels, values)
    before = histogram.roc_auc()
    assert before.lower <= concordance(labels, values).auc <= before.upper
    for max_rows in (1, 100):
        step = refine(histogram, max_rows=max_rows)
        with pytest.raises(ValueError, match=r"y_score\[1\] is close to 9007199254740992"):
            step.update(labels, values)
        assert step.n_rows == 0
        assert step.roc_auc() == before
    # Those that are settled do no harm.
    values = np.append(values, [5, 6, 7])
    labels = np.array([1] * 8 + [0, 1, 0])
    histogram = ScoreHistogram(bins=2, range=(0, 100)).update(labels, values)
    found = refine_roc_auc(histogram, lambda: [(labels, values)])
    assert found.concordance == concordance(labels, values)


# Arguments ----------------------------------------------------------------------------------------


def some_step(**grid):
    return refine(ScoreHistogram(bins=1, range=(0, 1), **grid).update([0, 1, 1], [0.1, 0.2, 0.3]))


def test_wrong_arguments():
    histogram = ScoreHistogram(bins=1, range=(0, 1)).update([0, 1, 1], [0.1, 0.2, 0.3])
    for tol in (-1e-9, math.nan, math.inf, "0", None, True):
        with pytest.raises(fastauc.InvalidParameterError, match="'tol' parameter of refine "):
            refine(histogram, tol=tol)
    for max_rows in (0, -1, 1.0, None, True, 2**32 + 1):
        with pytest.raises(fastauc.InvalidParameterError, match="'max_rows' parameter of refine_r"):
            refine_roc_auc(histogram, list, max_rows=max_rows)
    with pytest.raises(fastauc.InvalidParameterError, match="'state' parameter"):
        refine(histogram.roc_auc())
    with pytest.raises(fastauc.InvalidParameterError, match="'chunks' parameter"):
        refine_roc_auc(histogram, [])
    with pytest.raises(fastauc.InvalidParameterError, match="'other' parameter"):
        refine(histogram).merge(histogram)
    with pytest.raises(ValueError, match="A part of chunks has 1 entries"):
        refine_roc_auc(histogram, lambda: [([0, 1],)])
    with pytest.raises(TypeError):
        refine(histogram) + 1
    assert refine(histogram) != 1


def test_weights_for_a_step_without():
    step = some_step()
    with pytest.raises(ValueError, match="sample_weight is given, but this pass counts rows"):
        step.update([0], [0.1], [1.0])
    with pytest.raises(ValueError, match="not for rows with weights"):
        some_step(weighted=True).update([0, 1, 1], [0.1, 0.2, 0.3]).concordance()


def test_bad_rows_are_not_added():
    step = some_step()
    with pytest.raises(ValueError, match=r"y_score\[1\] is nan"):
        step.update([0, 1], [0.1, math.nan])
    with pytest.raises(ValueError, match="Found input variables"):
        step.update([0, 1], [0.1])
    assert step == some_step()


def test_concordance_of_a_step():
    step = some_step()
    with pytest.raises(ValueError, match="0 negatives and 0 positives"):
        step.concordance()
    assert step.update([0, 1, 1], [0.1, 0.2, 0.3]).concordance() == (2, 0, 2, 1)
    rows = [0, 1] * 50, np.arange(100) / 128
    histogram = ScoreHistogram(bins=10, range=(0, 1)).update(*rows)
    with pytest.raises(ValueError, match="not for the bounds"):
        refine(histogram, max_rows=30).update(*rows).concordance()


def test_repr():
    step = some_step().update([0], [0.1])
    assert repr(step) == "<Refinement kind='rows': 1 of 3 rows>"


# Large --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("tol", "max_rows"), [(0.0, 2**24), (0.0, 2**21), (1e-8, 2**18)])
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
