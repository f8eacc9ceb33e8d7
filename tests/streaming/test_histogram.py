"""Histograms of scores: bins are monotone, and the bounds hold and are reached.

Bounds are compared with every order of the rows inside the bins (``naive.score_histogram``), and
with the exact values of whole samples.
"""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc.streaming import ScoreHistogram, _histogram as histogram
from support.intervals import (
    GREATEST,
    GRIDS,
    assert_contains,
    assert_holds,
    bins_of_rows,
    find_bins,
    make,
    outwards,
    scores,
)
from support.laws import law
from support.reliability import tried

# Bins ---------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("grid", GRIDS)
def test_a_higher_score_is_never_in_a_lower_bin(grid):
    made = ScoreHistogram(**grid)
    numbers = find_bins(made, awkward_scores())
    assert (np.diff(numbers.astype(np.int64)) >= 0).all()
    assert find_bins(made, [-GREATEST, GREATEST]).tolist() == [0, made.n_bins - 1]
    # Each begins at its lower edge.
    numbers = np.unique(numbers)
    edges = made._bins.lower_edges(numbers.astype(np.intp))
    assert edges[0] == -math.inf
    assert (find_bins(made, edges[1:]) == numbers[1:]).all()
    assert (find_bins(made, np.nextafter(edges[1:], -math.inf)) < numbers[1:]).all()


@pytest.mark.parametrize("bins", [1, 2, 3, 5, 7, 10, 49, 200, 1000])
def test_bins_are_those_of_method_c(bins):
    values = neighbors([k / bins for k in range(bins + 1)])
    inside = values[(values >= 0) & (values <= 1)]
    numbers = find_bins(ScoreHistogram(bins, range=(0, 1)), inside)
    assert numbers.tolist() == [int(score * bins) for score in inside.tolist()]
    assert find_bins(ScoreHistogram(bins, range=(0, 1)), [-5, 7]).tolist() == [0, bins]


@pytest.mark.parametrize("n_edges", [1, 2, 3, 4, 5, 31, 32, 1000])
def test_edges_are_searched(n_edges):
    rng = np.random.default_rng(n_edges)
    edges = np.unique(rng.standard_normal(n_edges).round(2))
    values = neighbors(np.concatenate([edges, rng.standard_normal(1000)]))
    numbers = find_bins(ScoreHistogram(edges=edges), values)
    assert numbers.tolist() == edges.searchsorted(values, "right").tolist()


# Bounds -------------------------------------------------------------------------------------------


@pytest.mark.check("histogram bounds")
@law
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=2, max_size=7).filter(
        lambda rows: len({label for label, _ in rows}) == 2
    ),
    st.sampled_from([0.0, 0.125, 0.3, 0.5, 1.0]),
)
def test_bounds_are_those_of_all_orders(rows, share):
    tried()
    labels, values = [label for label, _ in rows], [eighths / 8 for _, eighths in rows]
    made = ScoreHistogram(4, range=(0, 1)).update(labels, values)
    numbers = bins_of_rows(made, labels, values)
    if any(len(bin) > 4 for bin in numbers):
        return  # 541 orders of five rows, 4,683 of six
    for name, (least, greatest) in naive.score_histogram(numbers, share).items():
        interval = made.gain_at(share) if name == "gain_at" else getattr(made, name)()
        assert interval.exact == (least == greatest), name
        if interval.exact:
            assert interval == (float(least), float(least), float(least), True)
        elif name == "average_precision":
            # The integral of 1/x from k - 1/2 to k + 1/2 is above 1/k by 1 / (12 k^3 - 3 k) at
            # most. With f negatives the terms begin beyond k = f >= 1: f times their sum is
            # greatest for f = 1, where it is 0.0173.
            # Each quotient is rounded up to 2^-128: beyond a double, they give the next one.
            most = greatest + Fraction(len(rows), 2**128)
            assert outwards(least, greatest)[1] <= interval.upper <= outwards(least, most)[1]
            assert least - Fraction(1, 50) <= interval.lower <= least
        else:
            assert interval[1:3] == outwards(least, greatest), name
            assert interval.estimate == float((least + greatest) / 2)
        if name == "gain_at" and share:
            lift = made.lift_at(share)
            assert lift.exact == interval.exact
            assert_holds(lift, greatest / Fraction(share))
            assert_holds(lift, least / Fraction(share))


DEFINITIONS = {
    "roc_auc": naive.roc_auc_score,
    "average_precision": naive.average_precision_score,
    "ks": naive.ks_score,
    "gain_score": naive.gain_score,
}
WIDE = st.builds(math.ldexp, st.floats(0, 2.0**55), st.integers(-130, 0))


@pytest.mark.check("histogram bounds")
@pytest.mark.parametrize(
    ("weighted", "weights"),
    [(False, st.just(1.0)), (True, st.floats(0, 4)), (True, WIDE)],
    ids=["unweighted", "weighted", "weighted widely"],
)
@law
@given(data=st.data())
def test_intervals_contain_the_exact_value(weighted, weights, data):
    tried()
    drawn = st.tuples(st.integers(0, 1), scores, weights)
    rows = [(0, 0.3, 1.0), (1, 0.7, 2.0), *data.draw(st.lists(drawn, max_size=30))]
    labels, values, weight = map(list, zip(*rows, strict=True))
    options = {"sample_weight": weight} if weighted else {}
    grid = data.draw(st.sampled_from([*GRIDS, {"bins": 1, "range": (0, 1)}]))
    made = ScoreHistogram(**grid, weighted=weighted).update(labels, values, *options.values())
    single = all(len({s for _, s in bin}) == 1 for bin in bins_of_rows(made, labels, values))
    for name, definition in DEFINITIONS.items():
        interval = getattr(made, name)()
        assert interval.exact or weighted or not single
        assert_holds(interval, definition(labels, values, **options))
    if weights is not WIDE:  # of which the sums that a share stands for are many
        share = data.draw(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
        gain = naive.gain_at(labels, values, share, **options)
        assert_holds(made.gain_at(share), gain)
        if share:
            assert_holds(made.lift_at(share), gain / Fraction(share))


@pytest.mark.check("histogram bounds")
@pytest.mark.parametrize(
    ("name", "prevalence", "width"),
    [("sigmoid_normal", 0.5, 1e-4), ("lognormal", 0.01, 1e-3), ("logits", 0.5, 1e-4)],
)
def test_default_bins_are_narrow(name, prevalence, width):
    labels, values = make(name, 200_000, prevalence)
    if name == "logits":
        values = 1 / (1 + np.exp(-(5 + 4 * values / 3)))  # most beyond 0.99
    interval = ScoreHistogram().update(labels, values).roc_auc()
    assert_contains(interval, fastauc.roc_auc_score(labels, values))
    assert 0 < interval.upper - interval.lower <= width


# Counts -------------------------------------------------------------------------------------------


def assert_counts(made, values, labels, times=1):
    held = made._non_empty()
    numbers, place = np.unique(made._bins.find_bins(values), return_inverse=True)
    counts = np.zeros((len(numbers), 2), np.int64)
    np.add.at(counts, (place, labels), times)
    assert held.numbers.tolist() == numbers.tolist()
    assert held.sums.tolist() == counts.tolist()
    assert held.totals.tolist() == counts.sum(0).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("most", [0, 2**32])
@pytest.mark.parametrize("grid", [{}, {"bins": 3, "range": (-1, 1)}, {"edges": [-0.5, 0.5]}])
def test_every_row_is_counted_once(grid, most, dtype):
    rng = np.random.default_rng(15)
    made = ScoreHistogram(**grid)
    assert made._make_room([most, 0]).sums.itemsize == (8 if most else 4)
    labels = rng.integers(0, 10, 4000) // 9
    values = np.where(rng.random(4000) < 0.5, 0.25, 0.7 + rng.integers(0, 3, 4000) * 2.0**-18)
    values = values.astype(dtype)
    # Around the rows that a byte has room for; in bins of one score, and of several in the end.
    start = 0
    for stop in (1, 127, 128, 129, 256, 384, 513, 4000):
        part = slice(start, stop)
        loaded = ScoreHistogram.from_bytes(made.to_bytes())
        made.update(labels[part], values[part])
        assert loaded.update(labels[part], values[part]) == made
        assert_counts(made, values[:stop], labels[:stop])
        start = stop
    assert_counts(made + made, values, labels, 2)
    assert_counts(made.merge(made), values, labels, 2)


# Bins of one score --------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", GRIDS)
def test_single_and_double_precision_agree(grid):
    rng = np.random.default_rng(6)
    bits = rng.integers(0, 2**32, 20_000, np.uint32).view(np.float32)
    values = np.concatenate([bits[np.isfinite(bits)], rng.random(20_000, np.float32)])
    values = np.concatenate([values, (rng.integers(-(2**22), 2**22, 5000) * 2.0**-149)])
    labels = rng.integers(0, 2, len(values))
    single = ScoreHistogram(**grid).update(labels, values.astype(np.float32))
    assert single == ScoreHistogram(**grid).update(labels, values.astype(np.float64))


THIRD = np.longdouble(1) / 3


@pytest.mark.skipif(float(THIRD) == THIRD, reason="no longer floating-point type")
def test_numbers_that_no_double_holds():
    big = 2**60
    for values in (
        [big, big + 1, big + 2, big - 1],
        np.array([big, big + 1, big + 2, big - 1], np.uint64) + np.uint64(2**63),
        [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), Fraction(2, 3), Fraction(0)],
        [Decimal("0.1"), Decimal("0.10000000000000000001"), Decimal("0.3"), Decimal(0)],
        [10**400, 10**400 + 1, 10**500, -(10**400)],
        np.array([THIRD, float(THIRD), 1, 2], np.longdouble),
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
    words = ScoreHistogram(1, range=(0, 1)).update([0, 0, 1, 1], limits)._tables.score_tags
    assert words.tolist() == [np.array(-(2.0**63)).view(np.uint64) ^ histogram.ONLY_SCORE, 1]
