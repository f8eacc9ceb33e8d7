"""Areas within groups: against their definitions, other packages, and published numbers."""

import math
import warnings
from fractions import Fraction
from functools import partial
from itertools import product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import fastauc
import naive
from fastauc._kernels import groups as kernel
from fastauc._validation import threads
from fastauc.groups import (
    _by_group as groups,
    grouped_roc_auc_score,
    roc_auc_by_group,
)
from support.public import flat

WEIGHTINGS = ["equal", "size", "positives", "pairs"]


LEVELS = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0])


def check_by_group(y_true, y_score, ids, **options):
    """Compare the results of groups with the definition; unweighted areas to the last bit."""
    ours = roc_auc_by_group(y_true, y_score, ids, **options)
    theirs = naive.roc_auc_by_group(y_true, y_score, ids, **options)
    assert ours.group.tolist() == [row[0] for row in theirs]
    for i, (_, area, n_pos, n_neg, undefined, low, high) in enumerate(theirs):
        assert (ours.n_pos[i], ours.n_neg[i], ours.undefined[i]) == (n_pos, n_neg, undefined)
        if options.get("sample_weight") is None:
            np.testing.assert_equal(ours.auc[i], float(area))
        else:
            # The quanta of the weights are what they are in roc_auc_score: within 4 ulp.
            assert undefined or abs(ours.auc[i] - area) <= 4 * math.ulp(area)
            assert undefined == math.isnan(ours.auc[i])
        if low is None:
            assert ours.low is ours.high is None
        else:
            # Some ten operations on doubles of the same size. With weights, the definition has
            # quantiles of SciPy's, which before 1.17 are off by 2e-10.
            near = 1e-13 if options.get("sample_weight") is None else 1e-9
            bounds = pytest.approx((low, high), rel=near, abs=near, nan_ok=True)
            assert (ours.low[i], ours.high[i]) == bounds


# Definitions --------------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=40
)


@given(ROWS, st.permutations(range(5)), st.none() | st.lists(LEVELS, min_size=40, max_size=40))
@settings(max_examples=150)
def test_areas_and_means_are_those_of_the_definition(rows, ids, weights):
    y_true, y_score, numbers = (list(column) for column in zip(*rows, strict=True))
    names = [ids[number] for number in numbers]
    if weights is not None:
        weights = [0.7, *weights[1 : len(rows)]]
    check_by_group(y_true, y_score, names, sample_weight=weights)
    check_means(y_true, y_score, names, weights)


def check_means(y_true, y_score, names, weights):
    """Compare every mean over groups with the definition."""
    for weighting, undefined in product(WEIGHTINGS, ("skip", "half")):
        options = {"weighting": weighting, "undefined": undefined, "sample_weight": weights}
        expected = naive.grouped_roc_auc_score(y_true, y_score, names, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours = grouped_roc_auc_score(y_true, y_score, names, **options)
        if math.isnan(expected):
            (warning,) = caught
            assert issubclass(warning.category, fastauc.UndefinedMetricWarning)
            assert str(warning.message).startswith("No group")
            assert math.isnan(ours)
        elif weights is None:
            assert (ours, caught) == (float(expected), [])
        else:
            # Areas 4 ulp; weights of groups 2.5 in numerator and in denominator; products and sums
            # 1.5.
            assert abs(ours - expected) <= 16 * math.ulp(expected)
            assert caught == []


def test_zeros_are_tied_and_large_integers_are_not_rounded():
    assert roc_auc_by_group([1, 0], [-0.0, 0.0], [5, 5]).auc.tolist() == [0.5]
    scores = [2**62, 2**62 + 1, 2**62 + 1, 2**62]
    areas = roc_auc_by_group([0, 1, 0, 1], scores, ["a", "a", "b", "b"])
    assert areas.auc.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("sizes", [[30, 70, 400, 5000], [40_000, 3], [200] * 20])
@pytest.mark.parametrize(
    ("n_scores", "weighted"), [(3, False), (50, True), (None, False), (None, True)]
)
def test_groups_of_any_size_are_those_of_roc_auc_score(sizes, n_scores, weighted):
    """Bit by bit: every way through a group, from pairs to splits of several levels."""
    rng = np.random.default_rng([11, len(sizes), n_scores or 0])
    ids = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    y_true = rng.integers(0, 2, len(ids))
    y_score = rng.lognormal(0, 3, len(ids))
    if n_scores is not None:
        y_score = rng.integers(0, n_scores, len(ids)) * 0.1
    y_score[:20] = np.ldexp(1.0, -np.arange(20) * 50)
    weight = rng.random(len(ids)) if weighted else None
    by_group = np.argsort(ids, kind="stable")
    areas = roc_auc_by_group(y_true, y_score, ids, sample_weight=weight)
    own = None if weight is None else weight[by_group]
    rows = y_true[by_group], y_score[by_group], ids[by_group]
    beside = roc_auc_by_group(*rows, sample_weight=own)
    for group in range(len(sizes)):
        rows = ids == group
        expected = math.nan
        if 0 < y_true[rows].sum() < rows.sum():
            own = None if weight is None else weight[rows]
            expected = fastauc.roc_auc_score(y_true[rows], y_score[rows], sample_weight=own)
        np.testing.assert_equal([areas.auc[group], beside.auc[group]], [expected] * 2)


# Weights ------------------------------------------------------------------------------------------


def test_weights_of_wide_range():
    """Where quanta do not do, each group is weighed by itself, wherever its rows are."""
    rng = np.random.default_rng(13)
    ids = rng.integers(0, 30, 400)
    y_true, y_score = rng.integers(0, 2, 400), rng.integers(0, 9, 400)
    weight = 10.0 ** rng.uniform(-150, 150, 400)
    for rows in slice(None), np.argsort(ids, kind="stable"):
        check_by_group(y_true[rows], y_score[rows], ids[rows], sample_weight=weight[rows])
        check_means(y_true[rows], y_score[rows], ids[rows], weight[rows])


@pytest.mark.parametrize("label", [0, 1])
def test_what_is_cut_of_the_weights_of_either_class_is_noticed(label):
    """A share of 2^-k of a class decides the area, and a unit is a share of some 2^-56."""
    for k in range(46, 62):
        rows = [1 - label, label, label], [1, 2 * label, 2 - 2 * label]
        weight = [1.0, 1.5 * 2.0**-k, 1.0]
        found = roc_auc_by_group(*rows, [0] * 3, sample_weight=weight).auc.item()
        share = Fraction(1.5 * 2.0**-k) / (1 + Fraction(1.5 * 2.0**-k))
        assert abs(found - share) <= 4 * math.ulp(share), k


def test_large_weights_do_not_overflow():
    rows = [0, 1, 1, 0, 1, 0], [1, 2, 1, 1, 4, 5], [0, 0, 0, 1, 1, 1]
    weight = np.array([1.0, 2, 3, 1, 2, 1])
    for weighting in WEIGHTINGS:
        mean = partial(grouped_roc_auc_score, *rows, weighting=weighting)
        assert mean(sample_weight=weight * 2.0**900) == mean(sample_weight=weight)


@pytest.mark.parametrize("ends", [[0, 0, 3, 4, 4, 5], [0, 3, 4, 5, 5, 5], [0, 0, 0, 3, 5]])
@pytest.mark.parametrize("weight", [None, [2, 2, 0, 1, 0], [2, 2, 1, 0, 0]])
def test_groups_without_rows_of_weight_are_no_groups(ends, weight):
    """However they are given: rows of weight 0 and groups without rows are as if left out."""
    rows = [1, 0, 0, 1, 1], [3, 1, 5, 2, 2]
    ids = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    kept = np.flatnonzero([1] * 5 if weight is None else weight)
    left = [np.array(column)[kept] for column in (*rows, ids)]
    own = None if weight is None else np.array(weight)[kept]
    options = {"sample_weight": weight, "confidence_level": 0.9}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fastauc.UndefinedMetricWarning)  # no intervals
        expected = roc_auc_by_group(*left, **options | {"sample_weight": own})
        for given in ids, ids.astype(str):
            found = roc_auc_by_group(*rows, given, **options)
            assert found.group.astype(int).tolist() == sorted(set(left[2].tolist()))
            for column, wanted in zip(found[1:], expected[1:], strict=True):
                np.testing.assert_array_equal(column, wanted)
    for weighting in WEIGHTINGS:
        options = {"weighting": weighting, "undefined": "half"}
        mean = grouped_roc_auc_score(*rows, ids, sample_weight=weight, **options)
        assert mean == grouped_roc_auc_score(*left, sample_weight=own, **options)


# Order and threads --------------------------------------------------------------------------------


def areas_and_means(*sample, **options):
    """Return the bits of the areas and of their means."""
    means = [grouped_roc_auc_score(*sample, weighting=each, **options) for each in WEIGHTINGS]
    return flat([*roc_auc_by_group(*sample, **options)[:5], *means])


@pytest.mark.parametrize("weighted", [False, True])
def test_neither_order_nor_threads_nor_batches_change_a_bit(monkeypatch, weighted):
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 20_000)
    rng, n = np.random.default_rng(15), 70_000  # four batches
    for n_groups in (1, 2, 37, 400, 100_000):
        y_true, y_score = rng.integers(0, 2, n), rng.integers(-50, 50, n)
        ids = rng.integers(0, n_groups, n)
        weight = rng.random(n) if weighted else None
        expected = areas_and_means(y_true, y_score, ids, sample_weight=weight)
        for n_jobs in (1, 2, 3, -1):
            rows = rng.permutation(n)
            if n_jobs == 2:
                rows = np.argsort(ids, kind="stable")
            own = None if weight is None else weight[rows]
            sample = y_true[rows], y_score[rows], ids[rows]
            assert areas_and_means(*sample, sample_weight=own, n_jobs=n_jobs) == expected


# Means --------------------------------------------------------------------------------------------


def exact(twice, pairs, weight, halves=0):
    arrays = (np.array(values, np.uint64) for values in (twice, pairs, weight))
    return groups.exact_mean(*arrays, halves)


FRACTIONS = st.integers(1, 2**62).flatmap(
    lambda pairs: st.tuples(st.integers(0, 2 * pairs), st.just(pairs), st.integers(0, 2**40))
)


@given(st.lists(FRACTIONS, min_size=1, max_size=8), st.integers(0, 2**40))
@settings(max_examples=100)
def test_the_mean_is_rounded_once(rows, halves):
    rows[0] = (*rows[0][:2], max(1, rows[0][2]))
    total = sum(Fraction(t, 2 * p) * w for t, p, w in rows) + Fraction(halves, 2)
    expected = total / (sum(w for _, _, w in rows) + halves)
    assert float(exact(*zip(*rows, strict=True), halves)) == float(expected)


@given(st.data(), st.integers(1, 2**63 - 1), st.integers(0, 2**60))
def test_quotients_of_any_size(data, pairs, weight):
    """The rest of a division by nearly 2^22, 2^43 or 2^63 pairs takes nearly as many bits."""
    bits, below = st.sampled_from([22, 43, 44, 63]), st.integers(1, 9)
    near = st.builds(lambda bits, below: 2**bits - below, bits, below)
    pairs = data.draw(st.just(pairs) | near)
    twice_u = data.draw(st.integers(0, 2 * pairs) | st.integers(max(pairs - 5, 0), pairs - 1))
    quotient, rest = divmod(twice_u << 126, pairs)
    columns = (np.array([value], np.uint64) for value in (twice_u, pairs, weight))
    assert kernel.add_quotients(*columns) == (weight * quotient, weight if rest else 0)


@pytest.mark.parametrize(("odd", "expected"), [(1, 0.5), (3, 0.5 + 2**-52)])
def test_a_mean_in_the_middle_of_two_doubles_is_rounded_to_even(odd, expected):
    # A third and two thirds have no end in binary, but the mean does; doubles are 2^-53 apart here.
    rows = [(2, 3, 1), (4, 3, 1), (2**51 + odd, 2**51, 1), (1, 1, 1)]
    mean = exact(*zip(*rows, strict=True))
    assert isinstance(mean, Fraction)
    assert mean == Fraction(1, 2) + Fraction(odd, 2**54)
    assert float(mean) == expected


# Published numbers --------------------------------------------------------------------------------

# torchrec/metrics/tests/test_gauc.py: the mean over sessions of both classes, and 0.5 if there is
# none. It breaks ties between the classes by order, so its example with such a tie is left out.


def test_published_means():
    mean = grouped_roc_auc_score
    scores, options = [0.9, 0.8, 0.7, 0.6, 0.5], {"groups": [0, 0, 0, 1, 1], "undefined": "half"}
    assert mean([1, 0, 1, 1, 0], scores, options["groups"]) == 0.75
    assert mean([1, 1, 0, 1, 0], [0.8] * 5, **options) == 0.5
    for label in (0, 1):
        assert mean([label] * 5, scores, **options, pos_label=1) == 0.5
    # The test of calc_gauc in a package named stepin: (2 * 0.75 + 2 * 1.0) / 4, by clicks; the user
    # without a click does not count.
    users = ["a", "b", "a", "c", "b", "a", "c", "b", "a"]
    clicks = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    scores = [0.9, 0.1, 0.7, 0.2, 0.8, 0.3, 0.5, 0.6, 0.8]
    assert mean(clicks, scores, users, weighting="positives") == 0.875


# Intervals ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
# One group with ties of both classes, which a few short lists seldom have.
@example([(0, 1, 0), (1, 1, 0), (0, 2, 0), (1, 3, 0), (1, 2, 0), (0, 2, 0)], None)
@given(ROWS, st.none() | st.lists(LEVELS, min_size=40, max_size=40))
@settings(max_examples=100)
def test_intervals_are_those_of_the_definition(rows, weights):
    y_true, y_score, ids = (list(column) for column in zip(*rows, strict=True))
    if weights is not None:
        weights = [0.7, *weights[1 : len(rows)]]
    check_by_group(y_true, y_score, ids, sample_weight=weights, confidence_level=0.9)


def test_weighted_intervals_of_areas_next_to_0_and_1():
    for top in (1e50, 1e-50):
        weight = [top, 1, 1, 1, 1, top]
        found = roc_auc_by_group(
            [1, 0, 1, 0, 1, 0], range(6), [5] * 6, sample_weight=weight, confidence_level=0.9
        )
        assert 0 <= found.low[0] <= found.auc[0] <= found.high[0] <= 1


@pytest.mark.parametrize("n_values", [None, 40])
def test_intervals_of_groups_that_are_split_before_they_are_compared(n_values):
    """More pairs than are compared one by one: the rest of the group is above and below a part."""
    rng, sizes = np.random.default_rng(23), [40, 60, 100, 400, 3000]
    ids = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    y_true = rng.integers(0, 2, len(ids))
    y_score = rng.normal(size=len(ids)) + y_true
    if n_values is not None:
        y_score = np.rint(y_score * n_values)
    found = roc_auc_by_group(y_true, y_score, ids, confidence_level=0.95)
    for k in range(len(sizes)):
        alone = fastauc.inference.roc_auc_ci(y_true[ids == k], y_score[ids == k])
        # The same formula of the same integers, rounded at another place: within some ulp.
        bounds = found.low[k], found.high[k]
        assert bounds == pytest.approx(alone.confidence_interval, rel=1e-13)


def test_intervals_of_groups_whose_sums_of_squares_take_two_words():
    # The square of the sum of the doubled placements is some 8 * 2^64.
    rng, n_groups, n = np.random.default_rng(19), 4, 200_000
    y_true = rng.integers(0, 2, n_groups * n)
    y_score = rng.integers(0, 50, n_groups * n) + 10 * y_true
    groups = np.repeat(np.arange(n_groups), n)
    found = roc_auc_by_group(y_true, y_score, groups, confidence_level=0.95)
    for k in range(n_groups):
        rows = slice(k * n, (k + 1) * n)
        alone = fastauc.inference.roc_auc_ci(y_true[rows], y_score[rows])
        # The same formula of the same integers, rounded at another place: within some ulp.
        bounds = found.low[k], found.high[k]
        assert bounds == pytest.approx(alone.confidence_interval, rel=1e-13)


def test_groups_without_an_interval_are_said():
    rows = [1, 0, 0, 1, 0, 1, 0, 1, 1], [1, 0, 0, 2, 3, 4, 1, 1, 2], [1, 1, 1, 2, 2, 2, 2, 3, 3]
    with pytest.warns(fastauc.UndefinedMetricWarning, match="1 of 3 groups have no confidence"):
        areas = roc_auc_by_group(*rows, confidence_level=0.95)
    assert np.isnan(areas.low).tolist() == [True, False, True]
    assert 0 < areas.low[1] < areas.auc[1] < areas.high[1] < 1


@pytest.mark.parametrize("weighting", ["pairs", "size", "equal", "positives"])
@pytest.mark.parametrize("unit", [5e-324, 1e-320, 2.0**-1070, 2.0**1000])
def test_means_do_not_depend_on_the_unit_of_weights(weighting, unit):
    rows = [0, 1, 0, 1, 1], [0.1, 0.2, 0.5, 0.3, 0.9], [0, 0, 1, 1, 1]
    means = [
        grouped_roc_auc_score(*rows, sample_weight=weights, weighting=weighting)
        for weights in ([1, 2, 1, 1, 3], [unit, 2 * unit, unit, unit, 3 * unit])
    ]
    assert means[0] == means[1]


@pytest.mark.parametrize("weighting", ["pairs", "size", "equal", "positives"])
def test_means_of_light_positives_and_beside_heavy_groups_of_one_class(weighting):
    rows = [1, 0, 1], [0.7, 0.2, 0.5], [0, 0, 1]
    weights = [1e-200, 1, 1e150]
    assert grouped_roc_auc_score(*rows, sample_weight=weights, weighting=weighting) == 1.0
    weights = [1e-266, 1e190, 0]
    assert grouped_roc_auc_score(*rows, sample_weight=weights, weighting=weighting) == 1.0
