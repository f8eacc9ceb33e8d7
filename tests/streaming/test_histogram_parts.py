"""Histograms of scores: parts add up to the whole, weights too; curves; and what is refused."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc import UndefinedMetricWarning
from fastauc._validation import labels as labels_read, samples
from fastauc.streaming import ScoreHistogram, ScoreInterval
from support.flushing import SMALLEST
from support.intervals import GREATEST, GRIDS, INTERVALS, assert_holds, outwards
from support.laws import law
from support.reliability import tried

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


@pytest.mark.check("partitions")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grid", GRIDS)
def test_parts_add_up_to_the_whole(grid, weighted):
    rng = np.random.default_rng(10)
    rows = draw_sample(11)
    whole = build(grid, weighted, rows)
    assert whole.n_rows == (np.count_nonzero(rows[2]) if weighted else 3000)
    # In the order of the labels, all parts but one are of one class; and some parts are empty.
    for order in (np.argsort(rows[0]), *(rng.permutation(3000) for _ in range(3))):
        tried()
        bounds = np.sort(rng.integers(0, len(order) + 1, int(rng.integers(64))))
        parts = [[column[part] for column in rows] for part in np.split(order, bounds)]
        assert sum(build(grid, weighted, part) for part in parts) == whole
        streamed = ScoreHistogram(**grid, weighted=weighted)
        for labels, values, weights in parts:
            assert streamed.update(labels, values, weights if weighted else None) is streamed
        assert streamed == whole
        assert streamed.to_bytes() == whole.to_bytes()
        for name in INTERVALS:
            assert getattr(streamed, name)() == getattr(whole, name)()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_threads_change_nothing(monkeypatch, weighted, n_jobs):
    rows = draw_sample(12)
    expected = build({}, weighted, rows) + build({}, weighted, rows)
    for room in labels_read, samples:
        monkeypatch.setattr(room, "ROWS_READ_PER_THREAD", 400)
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


@pytest.mark.check("incompatible states")
@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({}, {"bins": 5, "range": (0, 1)}, "the default bins and bins=5"),
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
    with pytest.raises(ValueError, match=re.escape(said)):
        pair[0].merge(pair[1])
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


@pytest.mark.check("full counters")
def test_areas_of_many_rows_are_exact():
    made = ScoreHistogram(4, range=(0, 1)).update([0, 0, 1], [0.1, 0.6, 0.7])
    for _ in range(61):
        made.merge(made)
    assert made.n_neg == 2**62
    # Areas of so many rows are still exact: three integers decide.
    assert made.n_pos * made.n_neg > 2**120
    assert made.roc_auc() == (0.75, 0.5, 1.0, False)
    assert made.confusion_counts().tps.tolist() == [2**61, 2**61]


@pytest.mark.check("full counters")
def test_counts_grow_longer_when_they_have_to():
    made = ScoreHistogram(2, range=(0, 1)).update([0, 1], [0.2, 0.7])
    for _ in range(31):
        made.merge(made)
    loaded = ScoreHistogram.from_bytes(made.to_bytes())
    for each in made, loaded:
        each.update(np.zeros(2**20, bool), np.full(2**20, 0.2))
        assert each._tables.sums.itemsize == 4
        assert (each.n_neg, each.n_pos) == (2**31 + 2**20, 2**31)
    apart = made.copy().update([0, 1], [0.7, 0.2])
    made.merge(made)
    assert made._tables.sums.tolist() == [[2**32 + 2**21, 0], [0, 2**32], [0, 0]]
    made.update([1, 0], [0.2, 0.7])
    assert made._tables.sums.tolist() == [[2**32 + 2**21, 1], [1, 2**32], [0, 0]]
    assert made == loaded.merge(apart)
    assert made.to_bytes() == loaded.to_bytes()


@pytest.mark.check("full counters")
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


# At the ends of what is rounded, and of what the two upper words hold.
@pytest.mark.parametrize(
    "exponent", [-1074, -182, -181, -180, -130, -129, -128, -77, -76, -13, -12, 0, 51, 52, 61]
)
def test_a_weight_is_rounded_to_the_nearest_quantum(exponent):
    for digits in (1.0, 1.5, 2 - 2.0**-52, 1 + 2.0**-52):
        weight = math.ldexp(digits, exponent)
        made = ScoreHistogram(weighted=True).update([1], [0.5], [weight])
        low, middle, high = made._tables.totals[1].tolist()
        fixed_weights = low + (middle << 64) + (high << 128)
        exact = Fraction(weight) * 2**128
        assert abs(fixed_weights - exact) <= Fraction(1, 2)
        assert made._tables.rows.tolist() == [1, fixed_weights != exact]


def test_sums_of_weights_of_all_sizes():
    rng = np.random.default_rng(0)
    n = 3_000
    label, score = rng.integers(0, 2, n), rng.integers(0, 40, n) / 40
    weight = np.ldexp(rng.random(n), rng.integers(-74, 50, n)) * (rng.random(n) < 0.9)
    sums = {(c, value): Fraction(0) for c in (0, 1) for value in score.tolist()}
    for row in zip(label.tolist(), score.tolist(), weight.tolist(), strict=True):
        sums[row[:2]] += Fraction(row[2])
    made = ScoreHistogram(40, range=(0, 1), weighted=True)
    # A copy has its bins in other lines of memory than one that is merged into.
    for rows in np.array_split(np.arange(n), 5):
        made = made.copy().update(label[rows], score[rows], weight[rows])
    made.merge(ScoreHistogram(40, range=(0, 1), weighted=True))
    counts = made.confusion_counts()
    for c, found in ((0, counts.fps), (1, counts.tps)):
        above = [
            sum(v for (k, value), v in sums.items() if k == c and value >= threshold)
            for threshold in counts.thresholds.tolist()
        ]
        assert found.tolist() == [float(total) for total in above]
    assert made.n_rows == np.count_nonzero(weight)
    assert made.roc_auc().exact


@pytest.mark.check("histogram bounds")
def test_weights_that_are_rounded_to_nothing():
    lost = ScoreHistogram(weighted=True).update([0, 1], [0.1, 0.2], [1e-100, 1e-100])
    assert lost.n_pos == 0
    assert lost.n_rows == 2
    assert all(getattr(lost, name)() == (0.5, 0.0, 1.0, False) for name in INTERVALS)


# Input --------------------------------------------------------------------------------------------


def test_one_class_is_undefined_only_when_asked():
    for labels, said in (([1, 1], "No negative samples"), ([0, 0], "No positive samples")):
        made = ScoreHistogram().update(labels, [0.1, 0.2])
        for name in ("roc_auc", "ks", *(["average_precision"] if labels == [0, 0] else [])):
            with pytest.warns(UndefinedMetricWarning, match=said):
                interval = getattr(made, name)()
            assert all(map(math.isnan, interval[:3]))
            assert not interval.exact
    assert ScoreHistogram().update([1, 1], [0.1, 0.2]).average_precision() == (1.0, 1.0, 1.0, True)


def test_no_rows_at_all():
    made = ScoreHistogram()
    with pytest.warns(UndefinedMetricWarning) as caught:
        assert math.isnan(made.roc_auc().estimate)
    assert len(caught) == 2
    for name in ("confusion_counts", "roc_curve", "precision_recall_curve", "det_curve"):
        with pytest.raises(ValueError, match="holds no rows"):
            getattr(made, name)()


@pytest.mark.parametrize(
    ("args", "options", "said"),
    [
        (([0, 1], [0.1, math.nan]), {}, "Input contains NaN. y_score[1] is nan"),
        (([0, 1], [0.1, 0.2], [1, -1]), {}, "Negative values in data passed"),
        (([0, 1], [0.1, 0.2]), {"n_jobs": 0}, "'n_jobs' parameter of update"),
        (([0, 1], [0.1, 0.2]), {"pos_label": [1]}, "'pos_label' parameter of update"),
    ],
)
def test_refused_rows_change_nothing(args, options, said):
    made = ScoreHistogram(weighted=True).update([0, 1], [0.2, 0.4])
    before = made.copy()
    with pytest.raises(ValueError, match=re.escape(said)):
        made.update(*args, **options)
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
        ({"bins": True, "range": (0, 1)}, "'bins' parameter"),
        ({"bins": 5, "range": (1, 1)}, "'range' parameter"),
        ({"bins": 5, "range": (0, math.inf)}, "'range' parameter"),
        ({"bins": 5, "range": (-GREATEST, GREATEST)}, "'range' parameter"),
        ({"bins": 5, "range": (0, 1, 2)}, "'range' parameter"),
        ({"bins": 5, "range": (0, 1e-300)}, "wider than 2**-900"),
        ({"bins": 5, "range": (SMALLEST, 1)}, "wider than 2**-900"),
        ({"bins": 5, "edges": [0, 1]}, "None if edges is given"),
        ({"range": (0, 1), "edges": [0, 1]}, "None if edges is given"),
        ({"edges": []}, "edges has 0 entries"),
        ({"edges": [0, 1, 1]}, "edges[2] is 1.0 after 1.0"),
        ({"edges": [-0.0, 0.0]}, "edges[1] is 0.0 after"),
        ({"edges": [0, math.nan]}, "edges[1] is nan"),
        ({"edges": [[0, 1], [2, 3]]}, "1d array"),
        ({"edges": "ab"}, "'edges' parameter"),
        ({"weighted": 1}, "'weighted' parameter"),
    ],
)
def test_refused_grids(options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        ScoreHistogram(**options)


def test_edges_are_copied():
    edges = np.array([-1.0, -0.0, 1.0])
    assert not np.shares_memory(ScoreHistogram(edges=edges)._bins.keys, edges)


def test_what_is_shown():
    made = ScoreHistogram(4, range=(0, 1)).update([0, 1], [0.1, 0.2])
    assert repr(made) == "<ScoreHistogram bins=4, range=(0.0, 1.0): n_pos=1, n_neg=1>"
    assert repr(ScoreHistogram(weighted=True)) == (
        "<ScoreHistogram n_bins=802783, weighted=True: n_pos=0.0, n_neg=0.0>"
    )
    assert made.n_bins == 5
    assert not made.weighted
    assert isinstance(made.roc_auc(), ScoreInterval)


# Counts that somebody else has made ---------------------------------------------------------------


@law
@given(
    st.lists(
        st.tuples(st.integers(0, 2**70), st.integers(0, 5)) | st.tuples(*[st.integers(0, 3)] * 2),
        min_size=1,
        max_size=12,
    )
    | st.lists(st.tuples(*[st.floats(0, 1e300) | st.floats(0, 1)] * 2), min_size=1, max_size=12)
)
def test_area_of_counts(rows):
    n_pos, n_neg = [1, *(row[0] for row in rows)], [1, *(row[1] for row in rows)]
    assert fastauc.streaming.auc_from_counts(n_pos, n_neg) == float(
        naive.auc_from_counts(n_pos, n_neg)
    )


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "said"),
    [
        ([1, -1], [1, 1], "n_pos[1] is -1"),
        ([1, 1], [1, -0.5], "n_neg[1] is -0.5"),
        ([1.0, math.nan], [1, 1], "n_pos[1] is nan; expected finite numbers"),
        ([1], [1, 2], "n_pos has 1, n_neg has 2; expected equal"),
        ([[1, 2], [3, 4]], [1, 2], "1d array"),
        (3, [1], "'n_pos' parameter of auc_from_counts"),
        (["a"], [1], "n_pos[0] is 'a'"),
        ([], [], "n_pos is empty"),
    ],
)
def test_refused_counts(n_pos, n_neg, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        fastauc.streaming.auc_from_counts(n_pos, n_neg)


def test_counts_of_one_class():
    with pytest.warns(UndefinedMetricWarning, match="No negative"):
        assert math.isnan(fastauc.streaming.auc_from_counts([1, 2], [0, 0]))


@pytest.mark.check("histogram bounds")
@law
@given(st.lists(st.sampled_from([(0, 0), (1, 0), (0, 2), (1, 1), (2, 1)]), max_size=2))
def test_counts_of_bins_have_the_bounds_of_all_orders(bins):
    tried()
    pos, neg = zip((1, 0), *bins, (1, 1), strict=True)
    made = ScoreHistogram.from_counts(range(len(pos) - 1), pos, neg)
    # The rows of a bin may have scores of their own.
    cells = [[(k < p, k) for k in range(p + n)] for p, n in zip(pos, neg, strict=True) if p + n > 0]
    for name, (least, greatest) in naive.score_histogram(cells).items():
        if name == "gain_at":
            continue
        interval = getattr(made, name)()
        assert_holds(interval, least)
        assert_holds(interval, greatest)
        assert interval.exact == (least == greatest)
        if name != "average_precision" and not interval.exact:
            assert interval[1:3] == outwards(least, greatest)
    assert ScoreHistogram.from_bytes(made.to_bytes()) == made


def test_counts_of_bins_are_those_of_a_histogram_with_these_edges():
    rng = np.random.default_rng(5)
    labels, values = rng.integers(0, 2, 5000), rng.random(5000)
    edges = np.arange(65) / 64
    numbers = np.searchsorted(edges, values, "right")
    pos, neg = (np.bincount(numbers[labels == label], minlength=66) for label in (1, 0))
    made = ScoreHistogram.from_counts(edges, pos, neg)
    counted = ScoreHistogram(edges=edges).update(labels, values)
    assert made == counted  # each bin has several scores
    whole = fastauc.roc_auc_score(labels, values)
    assert fastauc.streaming.refine_roc_auc(made, lambda: [(labels, values)]).estimate == whole
    part = ScoreHistogram.from_counts(edges, pos.astype(float), [0] * 66)
    assert part.merge(ScoreHistogram.from_counts(edges, [0] * 66, neg)) == made
    assert made.update([0, 1], [0.5, 0.5]).n_rows == 5002


@pytest.mark.parametrize(
    ("edges", "n_pos", "n_neg", "said"),
    [
        ([0.5], [1, 2], [1, 2.5], "n_neg[1] is 2.5; expected a whole number of rows"),
        ([0.5], [1], [1], "have 1 entries and edges 1; expected one more than edges"),
        ([0.5], [1, 2], [1], "n_pos has 2, n_neg has 1; expected equal"),
        ([0.5], [1, -2], [1, 1], "n_pos[1] is -2"),
        ([0.5, 0.25], [1, 2, 3], [1, 2, 3], "edges[1] is 0.25 after 0.5"),
        ([], [1], [1], "edges has 0 entries"),
        ([0.5], [2**62, 2**62], [0, 0], "There are 9223372036854775808 rows of a class"),
        ([0.5], [1e300, 0], [0, 0], "rows of a class; a counter holds at most"),
    ],
)
def test_refused_counts_of_bins(edges, n_pos, n_neg, said):
    with pytest.raises((ValueError, OverflowError), match=re.escape(said)):
        ScoreHistogram.from_counts(edges, n_pos, n_neg)
