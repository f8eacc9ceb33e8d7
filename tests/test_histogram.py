"""Histograms of scores: the bounds hold and are reached, and parts add up to the whole, bit by bit.

Bounds are compared with every order of the rows inside the cells (``naive.score_histogram``), and
with the exact values of whole samples.
"""

import importlib
import itertools
import math
import os
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastauc
import naive
from fastauc import ScoreHistogram, ScoreInterval, UndefinedMetricWarning, histogram
from flushing import SMALLEST, SUBNORMAL, flush_to_zero, on_glibc

BENCH = Path(__file__).resolve().parents[1] / "bench"
EXAMPLES = int(os.environ.get("FASTAUC_TEST_EXAMPLES", "200"))
law = settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 200, database=None)

INTERVALS = {
    "roc_auc": fastauc.roc_auc_score,
    "average_precision": fastauc.average_precision_score,
    "ks": fastauc.ks_score,
}
GREATEST = float(np.finfo(np.float64).max)

finite = st.floats(allow_nan=False, allow_infinity=False)
# Scores that come close to each other, to the bounds of cells, and to 0 and 1.
scores = st.one_of(
    st.sampled_from([-0.0, 0.0, 0.5, 1.0, -1.0, SMALLEST, -SMALLEST, GREATEST, 0.25, 2.0**-32]),
    st.integers(0, 12).map(lambda k: k / 4),
    st.floats(0, 1),
    finite,
)


def make(name, n, prevalence, seed=1):
    spec = importlib.util.spec_from_file_location("data", BENCH / "data.py")
    data = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(data)
    return data.make(name, n, prevalence, seed)


def assert_contains(interval, value):
    __tracebackhide__ = True
    assert interval.lower <= value <= interval.upper, (interval, float(value))
    assert interval.lower <= interval.estimate <= interval.upper
    assert interval.exact == (interval.lower == interval.upper) or not interval.exact


def find_cells(made, values):
    return made._grid.find_cells(np.asarray(values, np.float64))


# Cells --------------------------------------------------------------------------------------------


def neighbors(values):
    values = np.asarray(values, np.float64)
    with np.errstate(over="ignore", under="ignore"):
        around = np.nextafter(values, -GREATEST), values, np.nextafter(values, GREATEST)
    return np.unique(np.concatenate(around))


def awkward_scores():
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 2**64, 200_000, np.uint64).view(np.float64)
    powers = 2.0 ** np.arange(-1074, 1024)
    steps = np.concatenate([powers, powers[1:-1] * (1 + 2.0**-12), powers[1:-1] * (1 + 2.0**-4)])
    edges = [k / b for b in (1, 2, 3, 5, 10, 200, 4096) for k in range(b + 1)]
    return neighbors(
        np.concatenate(
            [bits[np.isfinite(bits)], steps, -steps, 1 - powers[:1074], edges, rng.random(100_000)]
        )
    )


GRIDS = [
    {},
    {"bins": 200, "range": (0, 1)},
    {"bins": 3, "range": (-1, 1e300)},
    {"bins": 1000, "range": (-GREATEST / 2, GREATEST / 3)},
    {"bins": 7, "range": (2.0**-900, 2.0**-890)},
    {"edges": [-3.0, -0.0, SMALLEST, 0.1, 1.0]},
]


@pytest.mark.parametrize("grid", GRIDS)
def test_a_higher_score_is_never_in_a_lower_cell(grid):
    made = ScoreHistogram(**grid)
    cells = find_cells(made, awkward_scores())
    assert (np.diff(cells.astype(np.int64)) >= 0).all()
    assert find_cells(made, [-GREATEST, GREATEST]).tolist() == [0, made.n_cells - 1]


@law
@given(st.lists(scores, min_size=2, max_size=20), st.sampled_from(GRIDS))
def test_cells_of_any_scores_ascend(values, grid):
    cells = find_cells(ScoreHistogram(**grid), sorted(values))
    assert (np.diff(cells.astype(np.int64)) >= 0).all()


@pytest.mark.parametrize("grid", GRIDS)
def test_a_cell_begins_at_its_lower_edge(grid):
    made = ScoreHistogram(**grid)
    cells = np.unique(find_cells(made, awkward_scores()))
    edges = made._grid.lower_edges(cells.astype(np.intp))
    assert edges[0] == -math.inf
    assert (find_cells(made, edges[1:]) == cells[1:]).all()
    assert (find_cells(made, np.nextafter(edges[1:], -math.inf)) < cells[1:]).all()


@pytest.mark.parametrize("bins", [1, 2, 3, 5, 7, 10, 49, 200, 1000])
def test_bins_are_those_of_method_c(bins):
    values = neighbors([k / bins for k in range(bins + 1)])
    inside = values[(values >= 0) & (values <= 1)]
    cells = find_cells(ScoreHistogram(bins, range=(0, 1)), inside)
    assert cells.tolist() == [int(score * bins) for score in inside.tolist()]
    assert find_cells(ScoreHistogram(bins, range=(0, 1)), [-5, 7]).tolist() == [0, bins]


def test_bins_of_any_range():
    low, high, bins = -3.5, 12.25, 37
    values = np.random.default_rng(1).uniform(low - 1, high + 1, 10_000)
    expected = [
        min(max(int((score - low) * (bins / (high - low))), 0), bins) for score in values.tolist()
    ]
    assert find_cells(ScoreHistogram(bins, range=(low, high)), values).tolist() == expected


@pytest.mark.parametrize("n_edges", [1, 2, 3, 4, 5, 31, 32, 1000])
def test_edges_are_searched(n_edges):
    rng = np.random.default_rng(n_edges)
    edges = np.unique(rng.standard_normal(n_edges).round(2))
    values = neighbors(np.concatenate([edges, rng.standard_normal(1000)]))
    cells = find_cells(ScoreHistogram(edges=edges), values)
    assert cells.tolist() == edges.searchsorted(values, "right").tolist()


def test_resolution_of_the_default_grid():
    made = ScoreHistogram()

    def n_apart(values):
        return len(np.unique(find_cells(made, values)))

    assert n_apart(np.arange(-8191, 8192)) == 16383
    assert n_apart(np.arange(1001) / 1000) == 1001
    for octave in (-32, -7, -2, 0, 1, 31):
        inside = 2.0**octave * (1 + np.arange(4096) / 4096)
        assert n_apart(inside) == n_apart(-inside) == 4096
    for octave in (-2, -7, -41):
        assert n_apart(1 - 2.0**octave * (1 + np.arange(1, 4096) / 4096)) == 4095
    for octave in (-1000, -33, 33, 1000):
        assert n_apart(2.0**octave * (1 + np.arange(4096) / 4096)) == 16


# Bounds -------------------------------------------------------------------------------------------


def cells_of_rows(made, labels, values):
    rows = zip(find_cells(made, values).tolist(), labels, values, strict=True)
    found = {}
    for cell, label, score in rows:
        found.setdefault(cell, []).append((label == 1, score))
    return [found[cell] for cell in sorted(found)]


def outwards(least, greatest):
    """Return the doubles next to two fractions."""
    low, high = float(least), float(greatest)
    low = low if low <= least else math.nextafter(low, -math.inf)
    return low, high if high >= greatest else math.nextafter(high, math.inf)


@settings(law, max_examples=EXAMPLES // 2)
@given(st.data())
def test_bounds_are_those_of_all_orders(data):
    n = data.draw(st.integers(2, 7))
    labels = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    eighths = st.integers(0, 9).map(lambda k: k / 8)
    values = data.draw(st.lists(eighths, min_size=n, max_size=n))
    if len(set(labels)) < 2:
        labels[0] = 1 - labels[0]
    made = ScoreHistogram(4, range=(0, 1)).update(labels, values)
    cells = cells_of_rows(made, labels, values)
    if any(len(cell) > 4 for cell in cells):
        return  # 541 orders of five rows, 4,683 of six
    for name, (least, greatest) in naive.score_histogram(cells).items():
        interval = getattr(made, name)()
        assert interval.exact == (least == greatest), name
        if interval.exact:
            assert interval == (float(least), float(least), float(least), True)
        elif name == "average_precision":
            # 1/k in place of the integral from k - 1/2 to k + 1/2 adds at most 1 / (12 k^2 - 3)
            # to the sum over all terms from k on, times at most as many negatives as k.
            assert interval.upper == outwards(least, greatest)[1]
            assert least - Fraction(1, 9) <= interval.lower <= least
        else:
            assert interval[1:3] == outwards(least, greatest), name
            assert interval.estimate == float((least + greatest) / 2)


@law
@given(
    st.lists(st.tuples(st.integers(0, 1), scores), min_size=2, max_size=40),
    st.sampled_from([*GRIDS, {"bins": 1, "range": (0, 1)}]),
)
def test_bounds_contain_the_exact_value(rows, grid):
    labels, values = [0, 1, *(label for label, _ in rows)], [0.3, 0.7, *(s for _, s in rows)]
    made = ScoreHistogram(**grid).update(labels, values)
    single = all(len({s for _, s in cell}) == 1 for cell in cells_of_rows(made, labels, values))
    for name in INTERVALS:
        exact = getattr(naive, {"ks": "ks_score"}.get(name, name + "_score"))(labels, values)
        interval = getattr(made, name)()
        if interval.exact:
            assert interval[:3] == (float(exact),) * 3
        else:
            assert not single
            assert_contains(interval, exact)


@pytest.mark.parametrize("bins", [1, 4, 100])
@pytest.mark.parametrize("name", ["uniform", "sigmoid_normal", "lognormal", "beta", "outlier"])
def test_coarse_histograms_are_not_exact(name, bins):
    labels, values = make(name, 20_000, 0.1)
    made = ScoreHistogram(bins, range=(0, 1)).update(labels, values)
    for method, function in INTERVALS.items():
        interval = getattr(made, method)()
        assert not interval.exact
        assert interval.lower < interval.upper
        assert_contains(interval, function(labels, values))


# (pos counts, neg counts, area, bound) of the tables in the source that describes the method.
SEVEN = [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0], [0, 0, 0, 1, 1, 1, 0]
TEN = [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1], [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
METHOD_C = [
    (SEVEN, 1, [3, 0], [4, 0], "1/2", "1/2"),
    (SEVEN, 2, [2, 1, 0], [3, 1, 0], "13/24", "7/24"),
    (SEVEN, 3, [2, 1, 0, 0], [3, 1, 0, 0], "13/24", "7/24"),
    (SEVEN, 4, [1, 1, 1, 0, 0], [3, 0, 1, 0, 0], "2/3", "1/6"),
    (SEVEN, 5, [0, 2, 0, 1, 0, 0], [2, 1, 1, 0, 0, 0], "3/4", "1/12"),
    (SEVEN, 10, None, None, "19/24", "1/24"),
    (SEVEN, 200, None, None, "19/24", "1/24"),
    (TEN, 1, None, None, "1/2", "1/2"),
    (TEN, 2, [2, 2, 0], [5, 1, 0], "2/3", "1/4"),
    (TEN, 3, [1, 1, 2, 0], [5, 1, 0, 0], "5/6", "1/8"),
    (TEN, 4, [1, 1, 2, 0, 0], [4, 1, 1, 0, 0], "35/48", "7/48"),
    (TEN, 5, [0, 1, 1, 2, 0, 0], [2, 3, 1, 0, 0, 0], "7/8", "1/12"),
    (TEN, 10, None, None, "5/6", "1/24"),
    (TEN, 200, None, None, "5/6", "1/24"),
]


@pytest.mark.parametrize(("rows", "bins", "pos", "neg", "area", "bound"), METHOD_C)
def test_method_c(rows, bins, pos, neg, area, bound):
    values, labels = rows
    made = ScoreHistogram(bins, range=(0, 1)).update(labels, values)
    if pos is not None:
        assert made._tables.sums.T.tolist() == [neg, pos]
    interval = made.roc_auc()
    area, bound = Fraction(area), Fraction(bound)
    assert_contains(interval, fastauc.roc_auc_score(labels, values))
    # Cells that are known to hold a single score lie below the bound, which does not know it.
    assert outwards(area - bound, area + bound)[0] <= interval.lower
    assert interval.upper <= outwards(area - bound, area + bound)[1]
    if bins >= 10:
        assert interval == (float(area), float(area), float(area), True)
    else:
        assert interval.estimate == float(area)


def test_clustered_scores_are_not_hidden():
    # Published binned areas are off by several percent here, and do not say so.
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 20_000)
    values = 0.5 + 1e-4 * (labels + rng.standard_normal(20_000))
    made = ScoreHistogram(200, range=(0, 1)).update(labels, values)
    interval = made.roc_auc()
    assert interval.upper - interval.lower > 0.4
    assert_contains(interval, fastauc.roc_auc_score(labels, values))
    finer = ScoreHistogram().update(labels, values).roc_auc()
    assert finer.upper - finer.lower < 0.2


@pytest.mark.parametrize(
    ("name", "prevalence", "width"), [("sigmoid_normal", 0.5, 1e-4), ("lognormal", 0.01, 1e-3)]
)
def test_default_bins_are_narrow(name, prevalence, width):
    labels, values = make(name, 200_000, prevalence)
    interval = ScoreHistogram().update(labels, values).roc_auc()
    assert_contains(interval, fastauc.roc_auc_score(labels, values))
    assert 0 < interval.upper - interval.lower <= width


def test_confident_scores_are_told_apart():
    labels, logits = make("logits", 100_000, 0.5)
    values = 1 / (1 + np.exp(-(5 + 4 * logits / 3)))  # most beyond 0.99
    interval = ScoreHistogram().update(labels, values).roc_auc()
    assert_contains(interval, fastauc.roc_auc_score(labels, values))
    assert interval.upper - interval.lower < 1e-4


# Cells of one score -------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", [{}, {"bins": 2000, "range": (0, 1)}])
@pytest.mark.parametrize("name", ["rounded3", "constant", "two_values"])
def test_few_distinct_scores_are_exact(name, grid):
    labels, values = make(name, 30_000, 0.2)
    made = ScoreHistogram(**grid).update(labels, values)
    for method, function in INTERVALS.items():
        value = function(labels, values)
        assert getattr(made, method)() == (value, value, value, True)


def test_exact_counts_are_those_of_the_rows():
    rng = np.random.default_rng(4)
    leaves = rng.standard_normal(40)
    labels, values = rng.integers(0, 2, 10_000), rng.choice(leaves, 10_000)
    ours = ScoreHistogram().update(labels, values).confusion_counts()
    for own, expected in zip(
        ours, fastauc.confusion_matrix_at_thresholds(labels, values), strict=True
    ):
        assert own.dtype == expected.dtype
        assert own.tolist() == expected.tolist()


def test_zeros_are_one_score():
    made = ScoreHistogram(1, range=(-1, 1)).update([0, 1, 1], [0.0, -0.0, 0.0])
    assert made.roc_auc() == (0.5, 0.5, 0.5, True)
    again = ScoreHistogram(1, range=(-1, 1)).update([0], [-0.0]).update([1, 1], [0.0, 0.0])
    assert again == made
    assert math.copysign(1, made.confusion_counts().thresholds[0]) == 1


@pytest.mark.parametrize("grid", GRIDS[:2])
@pytest.mark.parametrize("name", [*SUBNORMAL])
@on_glibc
def test_flushing_processors(name, grid):
    rng = np.random.default_rng(5)
    values = SUBNORMAL[name](rng, 2000)
    labels = rng.integers(0, 2, 2000)

    def build():
        made = ScoreHistogram(**grid).update(labels, values)
        return made, made.roc_auc(), made.average_precision(), made.ks()

    expected = build()
    for bits in (0x40, 0x8000, 0x8040):
        found, flushed = flush_to_zero(bits, build)
        assert 0 in flushed
        assert found == expected


@pytest.mark.parametrize("grid", GRIDS)
def test_single_and_double_precision_agree(grid):
    rng = np.random.default_rng(6)
    bits = rng.integers(0, 2**32, 20_000, np.uint32).view(np.float32)
    values = np.concatenate([bits[np.isfinite(bits)], rng.random(20_000, np.float32)])
    values = np.concatenate([values, (rng.integers(-(2**22), 2**22, 5000) * 2.0**-149)])
    labels = rng.integers(0, 2, len(values))
    single = ScoreHistogram(**grid).update(labels, values.astype(np.float32))
    assert single == ScoreHistogram(**grid).update(labels, values.astype(np.float64))


def test_numbers_that_no_double_holds():
    big = 2**60
    for values in (
        [big, big + 1, big + 2, big - 1],
        np.array([big, big + 1, big + 2, big - 1], np.uint64) + np.uint64(2**63),
        [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), Fraction(2, 3), Fraction(0)],
        [Decimal("0.1"), Decimal("0.10000000000000000001"), Decimal("0.3"), Decimal(0)],
        [10**400, 10**400 + 1, 10**500, -(10**400)],
    ):
        made = ScoreHistogram().update([0, 1, 0, 1], values)
        interval = made.roc_auc()
        assert not interval.exact
        assert_contains(interval, naive.roc_auc_score([0, 1, 0, 1], values))


def test_integers_that_doubles_hold():
    values = np.random.default_rng(8).integers(0, 100, 1000)
    labels = np.random.default_rng(9).integers(0, 2, 1000)
    expected = ScoreHistogram().update(labels, values.astype(np.float64))
    assert expected.roc_auc().exact
    for dtype in (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, object):
        assert ScoreHistogram().update(labels, values.astype(dtype)) == expected
    limits = np.array([-(2**63), 2**63 - 1, 2**53, 2**53 + 1])
    words = ScoreHistogram(1, range=(0, 1)).update([0, 0, 1, 1], limits)._tables.words
    assert words.tolist() == [np.array(-(2.0**63)).view(np.uint64) ^ histogram.ONLY_SCORE, 1]


@pytest.mark.skipif(np.finfo(np.longdouble).bits == 64, reason="no longer floating-point type")
def test_long_doubles():
    third = np.longdouble(1) / 3
    values = np.array([third, float(third), 1, 2], np.longdouble)
    interval = ScoreHistogram().update([0, 1, 0, 1], values).roc_auc()
    assert not interval.exact
    assert_contains(interval, fastauc.roc_auc_score([0, 1, 0, 1], values))
    same = values.astype(np.float64).astype(np.longdouble)
    assert ScoreHistogram().update([0, 1, 0, 1], same).roc_auc().exact


# Parts --------------------------------------------------------------------------------------------


def draw_sample(seed, n=3000, dtype=np.float64):
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(n) < 0.3, rng.integers(0, 9, n) / 8, rng.standard_normal(n))
    # From weights far below a quantum to large ones: sums of doubles would depend on the order.
    weights = rng.random(n) * 2.0 ** rng.integers(-200, 40, n) * (rng.random(n) < 0.9)
    return rng.integers(0, 2, n), values.astype(dtype), weights


def build(grid, weighted, rows, **options):
    labels, values, weights = rows
    made = ScoreHistogram(**grid, weighted=weighted)
    return made.update(labels, values, weights if weighted else None, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grid", GRIDS)
def test_parts_add_up_to_the_whole(grid, weighted):
    rng = np.random.default_rng(10)
    rows = draw_sample(11)
    whole = build(grid, weighted, rows)
    n_rows = np.count_nonzero(rows[2]) if weighted else 3000
    assert whole.n_rows == n_rows
    for n_parts in (1, 2, 7, 64):
        order = rng.permutation(3000)
        bounds = np.sort(rng.integers(0, 3001, n_parts - 1))  # some of the parts are empty
        parts = [
            build(grid, weighted, [column[part] for column in rows])
            for part in np.split(order, bounds)
        ]
        assert sum(parts) == whole
        streamed = ScoreHistogram(**grid, weighted=weighted)
        for part in np.split(order, bounds):
            labels, values, weights = (column[part] for column in rows)
            assert streamed.update(labels, values, weights if weighted else None) is streamed
        assert streamed == whole
        for name in INTERVALS:
            assert getattr(streamed, name)() == getattr(whole, name)()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_threads_change_nothing(monkeypatch, weighted, n_jobs):
    rows = draw_sample(12)
    expected = build({}, weighted, rows) + build({}, weighted, rows)
    monkeypatch.setattr(histogram, "ROWS_PER_TABLE", 400)
    made = build({}, weighted, rows, n_jobs=n_jobs)
    assert made.merge(build({}, weighted, rows, n_jobs=n_jobs)) == expected


def test_merging_leaves_the_other_alone():
    first, second = (build({}, True, draw_sample(seed)) for seed in (1, 2))
    before = second.copy()
    total = first + second
    assert second == before
    assert total == second + first
    assert total != first
    assert first.merge(second) is first
    assert first == total
    assert second == before
    assert ScoreHistogram(weighted=True) + second == second
    assert sum([second]) == second
    assert sum([second]) is not second


def test_copies_share_nothing():
    made = build({}, False, draw_sample(3))
    twin = made.copy()
    assert twin == made
    twin.update([1], [0.5])
    assert twin != made
    assert twin.n_rows == made.n_rows + 1


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({}, {"bins": 5, "range": (0, 1)}, "the default grid and bins=5"),
        ({"bins": 5, "range": (0, 1)}, {"bins": 6, "range": (0, 1)}, "bins=6"),
        ({"bins": 5, "range": (0, 1)}, {"bins": 5, "range": (0, 2)}, "range=(0.0, 2.0)"),
        ({"edges": [0, 1]}, {"edges": [0, 2]}, "edges=<2 from 0.0 to 2.0>"),
        ({"edges": [0, 1]}, {"edges": [0, 0.5, 1]}, "edges=<3 from 0.0 to 1.0>"),
        ({"edges": range(1, 6)}, {"bins": 5, "range": (0, 1)}, "bins=5"),
        ({}, {"weighted": True}, "weighted differs: False and True"),
    ],
)
def test_what_cannot_merge_is_unchanged(first, second, said):
    pair = [ScoreHistogram(**options).update([0, 1], [0.2, 0.4]) for options in (first, second)]
    before = [made.copy() for made in pair]
    for one, other in (pair, pair[::-1]):
        with pytest.raises(ValueError, match="expected histograms"):
            one.merge(other)
        with pytest.raises(ValueError, match="expected histograms"):
            one + other
        assert one != other
    with pytest.raises(ValueError) as caught:
        pair[0].merge(pair[1])
    assert said in str(caught.value)
    assert pair == before


def test_only_histograms_merge():
    made = ScoreHistogram()
    with pytest.raises(fastauc.InvalidParameterError, match="'other' parameter of merge"):
        made.merge(3)
    for other in (1, None, "0", [0]):
        with pytest.raises(TypeError):
            made + other
        with pytest.raises(TypeError):
            other + made
        assert made != other
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)


# Counters -----------------------------------------------------------------------------------------


def test_counters_do_not_wrap():
    made = ScoreHistogram(4, range=(0, 1)).update([0, 0, 1], [0.1, 0.6, 0.7])
    for _ in range(61):
        made.merge(made)
    assert made.n_neg == 2**62
    before = made.copy()
    with pytest.raises(OverflowError, match=f"{2**63} rows of a class"):
        made.merge(made)
    assert made == before
    # Areas of so many rows are still exact: three integers decide.
    assert made.n_pos * made.n_neg > 2**120
    assert made.roc_auc() == (0.75, 0.5, 1.0, False)
    assert made.confusion_counts().tps.tolist() == [2**61, 2**61]
    made._tables.sums[0, 0] += 2**62 - 1
    made._tables.totals[0] += 2**62 - 1
    full = made.copy()
    with pytest.raises(OverflowError, match="rows of a class"):
        made.update([1, 0], [0.5, 0.5])
    assert made == full
    assert made.update([1], [0.5]).n_pos == 2**61 + 1


def test_weights_do_not_wrap():
    made = ScoreHistogram(weighted=True).update([0, 1], [0.1, 0.6], [2.0**62, 1.0])
    before = made.copy()
    with pytest.raises(OverflowError, match="less than 2\\^63"):
        made.merge(made)
    for weights in ([2.0**62, 1.0], [1e300, 1.0], [GREATEST, GREATEST]):
        with pytest.raises(OverflowError, match="less than 2\\^63"):
            made.update([0, 0], [0.1, 0.6], weights)
    assert made == before
    assert made.update([1], [0.6], [2.0**61]).n_pos == 2.0**61  # 1 more is rounded away


# Weights ------------------------------------------------------------------------------------------


@law
@given(
    st.lists(
        st.tuples(st.integers(0, 1), scores, st.floats(0, 2.0**55), st.integers(0, 130)),
        max_size=12,
    ),
    st.sampled_from(GRIDS),
)
def test_weighted_bounds_contain_the_exact_value(rows, grid):
    labels = [0, 1, *(row[0] for row in rows)]
    values = [0.3, 0.7, *(row[1] for row in rows)]
    weights = [1.0, 2.0**-70, *(math.ldexp(row[2], -row[3]) for row in rows)]
    made = ScoreHistogram(**grid, weighted=True).update(labels, values, weights)
    options = {"sample_weight": weights}
    for name in INTERVALS:
        function = getattr(naive, {"ks": "ks_score"}.get(name, name + "_score"))
        exact, interval = function(labels, values, **options), getattr(made, name)()
        if interval.exact:
            assert interval[:3] == (float(exact),) * 3
        else:
            assert_contains(interval, exact)
    total = sum(Fraction(w) for label, w in zip(labels, weights, strict=True) if label)
    assert made.n_pos == pytest.approx(float(total), rel=1e-15)


def test_weights_are_added_exactly():
    rng = np.random.default_rng(13)
    labels, values = rng.integers(0, 2, 500), rng.integers(0, 20, 500) / 4
    weights = rng.random(500) * 2.0 ** rng.integers(-20, 50, 500)
    made = ScoreHistogram(weighted=True).update(labels, values, weights)
    for label in (0, 1):
        total = sum(map(Fraction, weights[labels == label].tolist()))
        quanta = made._tables.totals[label].tolist()
        assert Fraction(quanta[0] + (quanta[1] << 64) + (quanta[2] << 128), 2**128) == total
    exact = naive.roc_auc_score(labels, values, sample_weight=weights)
    assert made.roc_auc() == (float(exact), float(exact), float(exact), True)
    exact = float(naive.average_precision_score(labels, values, sample_weight=weights))
    assert made.average_precision() == (exact, exact, exact, True)


@pytest.mark.parametrize("exponent", [-1074, -182, -181, -180, -130, -129, -128, -77, -76, 0, 61])
def test_a_weight_is_rounded_to_the_nearest_quantum(exponent):
    for digits in (1.0, 1.5, 2 - 2.0**-52, 1 + 2.0**-52):
        weight = math.ldexp(digits, exponent)
        made = ScoreHistogram(weighted=True).update([1], [0.5], [weight])
        low, middle, high = made._tables.totals[1].tolist()
        quanta = low + (middle << 64) + (high << 128)
        exact = Fraction(weight) * 2**128
        assert abs(quanta - exact) <= Fraction(1, 2)
        assert made._tables.rows.tolist() == [1, quanta != exact]


def test_rounded_weights_widen_the_bounds():
    labels, values = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    weights = [1e-38, 3e-39, 2e-38, 1.4e-38]
    made = ScoreHistogram(weighted=True).update(labels, values, weights)
    for name in INTERVALS:
        interval = getattr(made, name)()
        function = getattr(naive, {"ks": "ks_score"}.get(name, name + "_score"))
        assert not interval.exact
        assert_contains(interval, function(labels, values, sample_weight=weights))
    lost = ScoreHistogram(weighted=True).update([0, 1], [0.1, 0.2], [1e-100, 1e-100])
    assert lost.n_pos == 0
    assert lost.n_rows == 2
    assert all(getattr(lost, name)() == (0.5, 0.0, 1.0, False) for name in INTERVALS)


def test_rows_of_weight_zero_are_left_out():
    made = ScoreHistogram(1, range=(0, 1), weighted=True)
    made.update([0, 1, 1], [0.25, 0.25, 0.5], [1, 2, 0]).update([0, 1], [0.7, 0.8], [0.0, -0.0])
    assert made == ScoreHistogram(1, range=(0, 1), weighted=True).update([0, 1], [0.25] * 2, [1, 2])
    assert made.roc_auc() == (0.5, 0.5, 0.5, True)
    assert made.update([1], [0.25]).n_pos == 3.0  # weight 1 where none is given


# Input --------------------------------------------------------------------------------------------


def test_parts_of_one_class_or_no_rows_are_fine():
    made = ScoreHistogram().update([], []).update([1, 1], [0.8, 0.35]).update([0, 0], [0.4, 0.1])
    made.update(np.empty(0, bool), np.empty(0, np.float32)).update([-1], [0.0]).update([True], [1])
    assert (made.n_pos, made.n_neg, made.n_rows) == (3, 3, 6)
    weighted = ScoreHistogram(weighted=True).update([], [], []).update([0, 1], [1, 2], [0, 0])
    assert weighted.n_rows == 0


def test_one_class_is_undefined_only_when_asked():
    for labels, said in (([1, 1], "No negative samples"), ([0, 0], "No positive samples")):
        made = ScoreHistogram().update(labels, [0.1, 0.2])
        for name in ("roc_auc", "ks"):
            with pytest.warns(UndefinedMetricWarning, match=said):
                interval = getattr(made, name)()
            assert all(map(math.isnan, interval[:3]))
            assert not interval.exact
    with pytest.warns(UserWarning, match="No positive class"):
        assert made.average_precision() == (0.0, 0.0, 0.0, True)
    assert ScoreHistogram().update([1, 1], [0.1, 0.2]).average_precision() == (1.0, 1.0, 1.0, True)


def test_no_rows_at_all():
    made = ScoreHistogram()
    with pytest.warns(UndefinedMetricWarning) as caught:
        assert math.isnan(made.roc_auc().estimate)
    assert len(caught) == 2
    for name in ("confusion_counts", "roc_curve", "precision_recall_curve", "det_curve"):
        with pytest.raises(ValueError, match="holds no rows"):
            getattr(made, name)()


def test_labels_of_other_names():
    labels, values = ["good", "bad", "good", "ugly"], [0.1, 0.4, 0.35, 0.8]
    made = ScoreHistogram().update(labels, values, pos_label="bad")
    assert made == ScoreHistogram().update([0, 1, 0, 0], values)
    assert made.update(["good"], [0.3], pos_label="bad").n_neg == 4


@pytest.mark.parametrize(
    ("args", "options", "said"),
    [
        (([0, 1], [0.1, math.nan]), {}, "Input contains NaN. y_score[1] is nan"),
        (([0, 1], [0.1, math.inf]), {}, "Input contains infinity"),
        (([0, 1], [0.1]), {}, "inconsistent numbers of samples"),
        (([0, 1], []), {}, "inconsistent numbers of samples"),
        (([], [0.1]), {}, "y_true is empty"),
        (([0, 2], [0.1, 0.2]), {}, "pos_label is not specified"),
        (([0, 1, 2], [0.1, 0.2, 0.3]), {}, "multiclass format is not supported"),
        (([0.5, 1], [0.1, 0.2]), {}, "continuous format is not supported"),
        (([0, 1], [0.1, 0.2], [1, -1]), {}, "Negative values in data passed"),
        (([0, 1], [0.1, 0.2], [1, math.nan]), {}, "Input sample_weight contains NaN"),
        (([0, 1], [0.1, 0.2], [math.inf, 1]), {}, "Input sample_weight contains infinity"),
        (([0, 1], [0.1, 0.2], [1]), {}, "inconsistent numbers of samples"),
        (([0, 1], [[0.1, 0.2], [0.3, 0.4]]), {}, "should be a 1d array"),
        (([0, 1], ["a", "b"]), {}, "expected real numbers"),
        (([0, 1], [0.1, 0.2]), {"n_jobs": 0}, "'n_jobs' parameter of update"),
        (([0, 1], [0.1, 0.2]), {"pos_label": [1]}, "'pos_label' parameter of update"),
    ],
)
def test_refused_rows_change_nothing(args, options, said):
    made = ScoreHistogram(weighted=True).update([0, 1], [0.2, 0.4])
    before = made.copy()
    with pytest.raises(ValueError) as caught:
        made.update(*args, **options)
    assert said in str(caught.value)
    assert made == before


def test_weights_need_a_weighted_histogram():
    made = ScoreHistogram()
    with pytest.raises(ValueError, match="sample_weight is given"):
        made.update([0, 1], [0.1, 0.2], [1, 1])
    assert made == ScoreHistogram()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bins": 5}, "'range' parameter"),
        ({"range": (0, 1)}, "'bins' parameter"),
        ({"bins": 0, "range": (0, 1)}, "an int from 1 to"),
        ({"bins": 2**24 + 1, "range": (0, 1)}, "an int from 1 to"),
        ({"bins": 2.0, "range": (0, 1)}, "'bins' parameter"),
        ({"bins": True, "range": (0, 1)}, "'bins' parameter"),
        ({"bins": 5, "range": (1, 1)}, "'range' parameter"),
        ({"bins": 5, "range": (1, 0)}, "'range' parameter"),
        ({"bins": 5, "range": (0, math.inf)}, "'range' parameter"),
        ({"bins": 5, "range": (math.nan, 1)}, "'range' parameter"),
        ({"bins": 5, "range": (-GREATEST, GREATEST)}, "'range' parameter"),
        ({"bins": 5, "range": (0, 1, 2)}, "'range' parameter"),
        ({"bins": 5, "range": (0, 1e-300)}, "wider than 2**-900"),
        ({"bins": 5, "range": (SMALLEST, 1)}, "wider than 2**-900"),
        ({"bins": 5, "edges": [0, 1]}, "None beside edges"),
        ({"range": (0, 1), "edges": [0, 1]}, "None beside edges"),
        ({"edges": []}, "edges has 0 entries"),
        ({"edges": [0, 1, 1]}, "edges[2] is 1.0 after 1.0"),
        ({"edges": [-0.0, 0.0]}, "edges[1] is 0.0 after"),
        ({"edges": [0, math.nan]}, "edges[1] is not finite"),
        ({"edges": [[0, 1], [2, 3]]}, "1d array"),
        ({"edges": "ab"}, "'edges' parameter"),
        ({"weighted": 1}, "'weighted' parameter"),
    ],
)
def test_refused_grids(options, said):
    with pytest.raises(ValueError) as caught:
        ScoreHistogram(**options)
    assert said in str(caught.value)


def test_inputs_are_not_modified():
    labels, values, weights = draw_sample(14)
    edges = np.array([-1.0, -0.0, 1.0])
    arrays = labels, values, weights, edges
    for array in arrays:
        array.flags.writeable = False
    before = [array.tobytes() for array in arrays]
    made = ScoreHistogram(edges=edges, weighted=True).update(labels, values, weights)
    assert [array.tobytes() for array in arrays] == before
    assert made._grid.edges is not edges


def test_what_is_shown():
    made = ScoreHistogram(4, range=(0, 1)).update([0, 1], [0.1, 0.2])
    assert repr(made) == "<ScoreHistogram bins=4, range=(0.0, 1.0): n_pos=1, n_neg=1>"
    assert repr(ScoreHistogram(weighted=True)) == (
        "<ScoreHistogram n_cells=802783, weighted=True: n_pos=0.0, n_neg=0.0>"
    )
    assert made.n_cells == 5
    assert not made.weighted
    assert isinstance(made.roc_auc(), ScoreInterval)


# Curves -------------------------------------------------------------------------------------------


def test_counts_are_those_at_the_thresholds():
    labels, values, weights = draw_sample(15, 400)
    for made, sample_weight in (
        (ScoreHistogram(50, range=(-1, 1)).update(labels, values), None),
        (ScoreHistogram(edges=[-1, 0, 0.3]).update(labels, values), None),
        (ScoreHistogram(50, range=(-1, 1), weighted=True), weights),
    ):
        if sample_weight is not None:
            made.update(labels, values, weights)
        counts = made.confusion_counts()
        assert (np.diff(counts.thresholds) < 0).all()
        rows = naive._rows(labels, values, sample_weight, 1)
        for k, threshold in enumerate(counts.thresholds.tolist()):
            expected = naive._count(rows, threshold)
            # A sum of quanta is rounded once; so is the difference of two such sums.
            for column, exact in zip(counts, expected, strict=False):
                assert column[k] == pytest.approx(float(exact), rel=1e-15, abs=1e-15 * 2**40)
        if sample_weight is None:
            assert counts.tps.dtype == np.int64


def test_curves_are_those_of_the_counts():
    labels, values, _ = draw_sample(16)
    made = ScoreHistogram(20, range=(-2, 2)).update(labels, values)
    counts = made.confusion_counts()
    for name, drop in itertools.product(
        ("roc_curve", "precision_recall_curve", "det_curve"), (False, True)
    ):
        ours = getattr(made, name)(drop_intermediate=drop)
        expected = getattr(counts, name)(drop_intermediate=drop)
        for own, other in zip(ours, expected, strict=True):
            assert own.tolist() == other.tolist()
    assert counts.roc_auc() == pytest.approx(made.roc_auc().estimate, abs=0.05)


# Counts that somebody else has made ---------------------------------------------------------------


@law
@given(
    st.lists(
        st.tuples(st.integers(0, 2**70), st.integers(0, 5)) | st.tuples(*[st.integers(0, 3)] * 2),
        min_size=1,
        max_size=12,
    )
)
def test_area_of_counts(rows):
    n_pos, n_neg = [1, *(row[0] for row in rows)], [1, *(row[1] for row in rows)]
    assert fastauc.auc_from_counts(n_pos, n_neg) == float(naive.auc_from_counts(n_pos, n_neg))


@law
@given(st.lists(st.tuples(*[st.floats(0, 1e300) | st.floats(0, 1)] * 2), min_size=1, max_size=12))
def test_area_of_weights(rows):
    n_pos, n_neg = [1.0, *(row[0] for row in rows)], [1.0, *(row[1] for row in rows)]
    assert fastauc.auc_from_counts(n_pos, n_neg) == float(naive.auc_from_counts(n_pos, n_neg))


def test_area_of_grouped_rows():
    labels, values = make("rounded3", 20_000, 0.3)
    distinct, codes = np.unique(values, return_inverse=True)
    n_pos = np.bincount(codes[labels == 1], minlength=len(distinct))
    n_neg = np.bincount(codes[labels == 0], minlength=len(distinct))
    area = fastauc.roc_auc_score(labels, values)
    for dtype in (np.int32, np.uint64, np.float64, object):
        assert fastauc.auc_from_counts(n_pos.astype(dtype), n_neg.astype(dtype)) == area
    assert fastauc.auc_from_counts(n_pos, n_neg.astype(np.float64)) == area


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "said"),
    [
        ([1, -1], [1, 1], "n_pos[1] is -1"),
        ([1, 1], [1, -0.5], "n_neg[1] is -0.5"),
        ([1.0, math.nan], [1, 1], "n_pos[1] is not finite"),
        ([1], [1, 2], "have 1 and 2 entries"),
        ([[1, 2], [3, 4]], [1, 2], "1d array"),
        (3, [1], "'n_pos' parameter of auc_from_counts"),
        (["a"], [1], "n_pos[0] is 'a'"),
        ([], [], "n_pos is empty"),
    ],
)
def test_refused_counts(n_pos, n_neg, said):
    with pytest.raises(ValueError) as caught:
        fastauc.auc_from_counts(n_pos, n_neg)
    assert said in str(caught.value)


def test_counts_of_one_class():
    with pytest.warns(UndefinedMetricWarning, match="No negative"):
        assert math.isnan(fastauc.auc_from_counts([1, 2], [0, 0]))
