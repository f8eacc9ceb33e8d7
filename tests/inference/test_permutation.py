"""Permutation tests: all exchanges, counted; the scale they are on; SciPy's and pROC's figures."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc._validation.columns import read_models
from fastauc._validation.threads import SERIAL
from fastauc.inference import (
    _permutation as permutation,
    _rank_sum as rank_sum,
    permutation_test,
    permutation_test_1samp,
)
from fastauc.inference._common_scale import place_rows
from support.laws import ROWS, columns, rows_of_both_classes

ALTERNATIVES = ["two-sided", "less", "greater"]
by_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)
alternatives = st.sampled_from(ALTERNATIVES)
values = st.integers(0, 4) | st.sampled_from([0, 9])
pairs = rows_of_both_classes(values, values, max_size=7)


def draw(seed, n_pos, n_neg, *, is_tied=False):
    """Return labels and the scores of two models that are alike and correlated."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    common, *own = rng.normal(size=(3, n_pos + n_neg))
    scores = [common + noise + labels for noise in own]
    return labels, *(np.round(scores) if is_tied else scores)


def four_deviations(n_resamples, share=0.5):
    return 4 * math.sqrt(share * (1 - share) / n_resamples)


def with_draws_only(monkeypatch):
    """Let no exchanges be counted."""
    monkeypatch.setattr(permutation, "_MOST_STEPS", 0)


# The scale ----------------------------------------------------------------------------------------


def sample_of(labels, scores):
    return read_models(("f", SERIAL, None, "raise"), labels, {"s": scores}).weighted_sample(0)


@given(rows_of_both_classes(values, values, max_size=12))
def test_places_are_those_of_the_definition(rows):
    labels, first, second = map(list, zip(*rows, strict=True))
    scale = naive.common_scale(first, second)
    expected = [[own[s] for s in each] for own, each in zip(scale, (first, second), strict=True)]
    numbers = {place: k for k, place in enumerate(sorted({*expected[0], *expected[1]}))}
    expected = [[numbers[place] for place in column] for column in expected]
    found = place_rows(sample_of(labels, first), sample_of(labels, second))
    assert [column.tolist() for column in found] == expected
    # Turned around, and with a scale of its own for each.
    turned = place_rows(sample_of(labels, np.exp(second)), sample_of(labels, first))
    assert [column.tolist() for column in turned] == expected[::-1]
    for column, places in zip((first, second), found, strict=True):
        for a, p in zip(column, places, strict=True):
            assert [(a < b, a == b) for b in column] == [(p < q, p == q) for q in places]


def test_the_same_levels_share_a_place():
    def places(*scores):
        labels = [0, 1] * (len(scores[0]) // 2)
        found = place_rows(*(sample_of(labels, column) for column in scores))
        return [dict(zip(*pair, strict=True)) for pair in zip(scores, found, strict=True)]

    # Flags, however often they are set.
    assert places([0] * 19 + [1], [5] * 12 + [7] * 8) == [{0: 0, 1: 1}, {5: 0, 7: 1}]
    # Ratings, one of which only one of them has.
    first, second = places([0] * 9 + [1] + [2] * 10, [0] * 9 + [2] * 11)
    assert (first, second) == ({0: 0, 1: 1, 2: 2}, {0: 0, 2: 2})
    # A lump of ties and a rest without: the lump, and the ranks.
    first, second = places([0] * 11 + [*range(1, 10)], [0] * 9 + [*range(1, 12)])
    assert first[0] == second[0] == 0
    assert [first[k] for k in range(1, 10)] == [second[k] for k in range(3, 12)]
    # Without ties: the ranks.
    first, second = places([3, 1, 2, 4], [10, 20, 40, 30])
    assert (first, second) == ({1: 0, 2: 1, 3: 2, 4: 3}, {10: 0, 20: 1, 30: 2, 40: 3})


# Two areas ----------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(pairs, alternatives)
def test_the_p_value_is_the_share_of_all_exchanges(rows, alternative):
    labels, first, second = map(list, zip(*rows, strict=True))
    rule = {"alternative": alternative}
    statistic, pvalue = naive.permutation_test(labels, first, second, **rule)
    found = permutation_test(labels, first, second, **rule)
    # Seven means of two probabilities, and sums of them.
    assert found == (float(statistic), pytest.approx(pvalue, rel=1e-14), "exact")


@by_alternative
def test_random_exchanges_are_near_all_of_them(alternative, monkeypatch):
    rule = {"alternative": alternative, "n_resamples": 20_000, "rng": 1}
    sets = draw(4, 60, 90), draw(4, 60, 90, is_tied=True)
    exact = [permutation_test(*rows, **rule) for rows in sets]
    with_draws_only(monkeypatch)
    drawn = [permutation_test(*rows, **rule) for rows in sets]
    for all_of_them, some in zip(exact, drawn, strict=True):
        assert (all_of_them.method, some.method) == ("exact", "random")
        assert all_of_them.statistic == some.statistic
        assert [type(value) for value in some[:2]] == [float, float]
        assert abs(some.pvalue - all_of_them.pvalue) < four_deviations(20_000)


def test_large_samples_are_exchanged_by_chance():
    assert permutation_test(*draw(9, 1000, 3000), n_resamples=99, rng=0).method == "random"


@pytest.mark.parametrize("statistic", ["roc_auc", "roc_curve"])
def test_one_row_that_differs_is_no_evidence(statistic):
    # Flags of 200 + 200 rows that differ in one row.
    labels, first = np.repeat([1, 0], 200), np.arange(400) % 3 == 0
    second = first.copy()
    second[1] = True
    rule = {"statistic": statistic, "n_resamples": 99}
    assert permutation_test(labels, first, second, **rule).pvalue == 1
    # Three rows that all tell for the first: an eighth, and both sides of it.
    second[[2, 4]] = True
    if statistic == "roc_auc":
        assert permutation_test(labels, first, second).pvalue == 1 / 4


def test_the_p_value_of_tied_curves_is_not_a_matter_of_luck():
    rng = np.random.default_rng(2)
    labels = np.arange(30) % 2
    scores = rng.integers(0, 3, (2, 30)) + labels
    seeds = [
        permutation_test(labels, *scores, statistic="roc_curve", n_resamples=4000, rng=seed)
        for seed in range(5)
    ]
    assert len({found.statistic for found in seeds}) == 1
    pvalues = [found.pvalue for found in seeds]
    assert max(pvalues) - min(pvalues) < 2 * four_deviations(4000, pvalues[0])


def test_a_distance_has_no_direction():
    with pytest.raises(ValueError, match=r"'alternative'.*'two-sided' with statistic='roc_curve'"):
        permutation_test([0, 1], [1, 2], [2, 1], statistic="roc_curve", alternative="less")


# One area -----------------------------------------------------------------------------------------


def draw_one(n, n_values, seed=1):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 2, n)
    y_true[:2] = 0, 1
    if n_values is None:
        return y_true, rng.permutation(n) + y_true * (n // 5 + 0.5)
    return y_true, rng.integers(0, n_values, n) + y_true * (n_values // 5)


def scipys(y_true, y_score, **options):
    return scipy.stats.mannwhitneyu(y_score[y_true == 1], y_score[y_true == 0], **options).pvalue


@by_alternative
def test_one_area_is_tested_as_by_scipy(alternative):
    rule = {"alternative": alternative}
    for n in (2, 3, 8, 25, 120):
        y_true, y_score = draw_one(n, None, n)
        found = permutation_test_1samp(y_true, y_score, **rule)
        # Symmetric without ties, so that both tails are twice the smaller one.
        expected = scipys(y_true, y_score, method="exact", **rule)
        assert found.pvalue == pytest.approx(expected, rel=1e-12)
        assert found.method == "exact"
    for n, n_values in (700, 6), (3000, 2), (700, None), (3000, 100):
        y_true, y_score = draw_one(n, n_values)
        found = permutation_test_1samp(y_true, y_score, **rule)
        # The same formula; a tail of the normal distribution magnifies its argument's last bits.
        expected = scipys(y_true, y_score, method="asymptotic", **rule)
        assert found.pvalue == pytest.approx(expected, rel=1e-11)
        assert found.statistic == fastauc.roc_auc_score(y_true, y_score)
        assert found.method == "normal"


@settings(max_examples=100, deadline=None)
@given(ROWS, alternatives)
def test_one_area_by_all_orders(rows, alternative):
    y_true, y_score = columns(rows[:10])
    if len(set(y_true)) < 2:
        return
    found = permutation_test_1samp(y_true, y_score, alternative=alternative)
    area, pvalue = naive.permutation_test_1samp(y_true, y_score, alternative=alternative)
    # Ten levels, each a mean of positive numbers.
    assert found == (float(area), pytest.approx(pvalue, rel=1e-14), "exact")


@by_alternative
def test_a_rare_flag_is_counted(alternative):
    # One row of 100 is flagged, a positive; and more, by the hypergeometric distribution.
    y_true, flag = np.repeat([1, 0], [5, 95]), np.arange(100) == 0
    found = permutation_test_1samp(y_true, flag, alternative=alternative)
    assert found.pvalue == pytest.approx({"less": 1}.get(alternative, 0.05), rel=1e-14)
    # The chance that none of 5,997 rows is drawn, each with a chance of one half, is no double.
    for n_pos, n, flagged in (500, 3000, (12, 18)), (3000, 6000, (2, 1)), (300, 30_000, (9, 291)):
        y_true, flag = np.arange(n) < n_pos, np.zeros(n)
        flag[: flagged[0]] = flag[n - flagged[1] :] = 1
        k, counts = np.arange(sum(flagged) + 1), scipy.stats.hypergeom(n, n_pos, sum(flagged))
        tails = {"greater": counts.sf(flagged[0] - 1), "less": counts.cdf(flagged[0])}
        far = abs(k - counts.mean()) >= abs(flagged[0] - counts.mean())
        tails["two-sided"] = counts.pmf(k[far]).sum()
        found = permutation_test_1samp(y_true, flag, alternative=alternative)
        # SciPy's by logarithms of the gamma function.
        assert found.pvalue == pytest.approx(tails[alternative], rel=1e-9)
        assert found.method == "exact"


@by_alternative
def test_a_lump_of_ties_is_drawn_where_the_normal_distribution_does_not_hold(alternative):
    # 900 of 1,000 rows are tied, and 50 are positive: too far from normal, too many to count.
    rng = np.random.default_rng(3)
    y_true = np.arange(1000) % 20 == 0
    y_score = np.maximum(rng.permutation(1000) + 60 * y_true, 900)
    rule = {"alternative": alternative, "n_resamples": 2000, "rng": 1}
    found = permutation_test_1samp(y_true, y_score, **rule)
    assert found.method == "random"
    sums = rank_sum.RankSums.of(sample_of(y_true, y_score), SERIAL)
    exact = sums.exact_pvalue(alternative)
    assert abs(found.pvalue - exact) < four_deviations(2000, exact) + 1 / 2000
    assert found.pvalue * 2001 == pytest.approx(round(found.pvalue * 2001), rel=1e-14)


def test_a_p_value_is_never_0_and_ties_alone_are_no_evidence():
    y_true = [0] * 5 + [1] * 5
    assert permutation_test_1samp(y_true, range(10)).pvalue == pytest.approx(2 / 252, rel=1e-14)
    assert permutation_test_1samp([0, 1, 1, 0], [2, 2, 2, 2]) == (0.5, 1, "exact")
    for n, method in (11_000, "exact"), (12_000, "normal"):
        found = permutation_test_1samp(np.arange(2 * n) % 2, np.full(2 * n, 2))
        assert found == (0.5, 1, method)
    # 900 of 1,000 rows are tied, and the others are above: all of the 50 positives are among them.
    y_true, y_score = np.arange(1000) >= 950, np.maximum(np.arange(1000), 900)
    found = permutation_test_1samp(y_true, y_score, n_resamples=99, rng=1)
    assert found == (1, 1 / 100, "random")


# Two curves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_curves_are_told_apart_by_the_share_of_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation([0, 0, 0, 0, 1, 1, 1])
    continuous = rng.permuted(np.tile(np.arange(7), (2, 1)), axis=1)
    for scores in continuous, continuous // 3, np.maximum(continuous, 3):
        statistic, pvalue = naive.permutation_test(labels, *scores, statistic="roc_curve")
        rule = {"statistic": "roc_curve", "n_resamples": 20_000, "rng": seed}
        found = permutation_test(labels, *scores, **rule)
        assert found.statistic == statistic
        assert abs(found.pvalue - pvalue) < four_deviations(20_000)
