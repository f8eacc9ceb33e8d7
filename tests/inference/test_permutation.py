"""Permutation tests: of two areas, of one area and of two curves; all exchanges, and SciPy's."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc.inference import roc_auc_test, roc_curve_test
from support.laws import ROWS, columns, rows_of_both_classes

ALTERNATIVES = ["two-sided", "less", "greater"]
by_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)
alternatives = st.sampled_from(ALTERNATIVES)
pairs = rows_of_both_classes(st.integers(0, 4), st.integers(0, 4), max_size=7)


def exchange(labels, first, second=0.5, *, method="permutation", **options):
    """Return the test by exchanges: of one area and 1/2, of the same rows, or of two samples."""
    return roc_auc_test(labels, first, second, method=method, **options)


def draw(seed, n_pos, n_neg, *, is_tied=False):
    """Return labels and the scores of two models that are alike and correlated."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    common, *own = rng.normal(size=(3, n_pos + n_neg))
    scores = [common + noise + labels for noise in own]
    return labels, *(np.round(scores) if is_tied else scores)


def four_deviations(n_resamples, share=0.5):
    return 4 * math.sqrt(share * (1 - share) / n_resamples)


# Two areas ----------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(pairs, st.none() | pairs, alternatives)
def test_exact_is_the_share_of_all_exchanges(sample, second, alternative):
    labels, first, other = map(list, zip(*sample, strict=True))
    rule = {"alternative": alternative}
    if second is not None:
        (labels, first), (labels_b, other, _) = (
            [column[:5] for column in each] for each in ((labels, first), zip(*second, strict=True))
        )
        rule["y_true_b"] = labels_b
        if len({*labels}) < 2 or len({*labels_b}) < 2:
            return
    statistic, pvalue = naive.exchange_test(labels, first, other, **rule)
    found = exchange(labels, first, other, **rule)
    assert found.method == "permutation-exact"
    assert found.statistic == float(statistic)
    # Seven means of two probabilities, and sums of them.
    assert found.pvalue == pytest.approx(pvalue, rel=1e-14)


@by_alternative
def test_random_exchanges_and_the_normal_distribution_are_near_all_of_them(alternative):
    draws, rule = {"n_resamples": 20_000, "rng": 1}, {"alternative": alternative}
    for is_tied in (False, True):
        rows = draw(4, 60, 90, is_tied=is_tied)
        exact = exchange(*rows, method="permutation-exact", **rule)
        drawn = exchange(*rows, method="permutation-random", **draws, **rule)
        normal = exchange(*rows, method="permutation-normal", **rule)
        assert exact.statistic == drawn.statistic == normal.statistic
        assert abs(drawn.pvalue - exact.pvalue) < four_deviations(20_000)
        # Berry and Esseen: 0.56 times the greatest term, which is some sixth of the deviation.
        assert abs(normal.pvalue - exact.pvalue) < 0.02
    labels, *scores = draw(5, 4, 4)
    rule["y_true_b"] = labels
    exact = exchange(labels, *scores, **rule)
    drawn = exchange(labels, *scores, method="permutation-random", n_resamples=4000, rng=1, **rule)
    assert exact.method == "permutation-exact"
    assert abs(drawn.pvalue - exact.pvalue) < four_deviations(4000)


def test_large_samples_are_exchanged_by_chance():
    rows = draw(9, 1000, 3000)
    assert exchange(*rows, n_resamples=99, rng=0).method == "permutation-random"
    second = {"y_true_b": draw(1, 20, 20)[0]}
    for some, of, many in ((rows, {}, "steps"), (draw(1, 20, 20), second, "exchanges")):
        would = rf"^method='permutation-exact' would take \d+ {many}; expected"
        with pytest.raises(ValueError, match=would):
            exchange(*some, method="permutation-exact", **of)
    with pytest.raises(ValueError, match=r"^y_true_b is given, but method='permutation-normal'"):
        exchange(*draw(1, 20, 20), method="permutation-normal", **second)
    with pytest.raises(ValueError, match=r"^margin is given"):
        exchange(*draw(1, 20, 20), alternative="equivalence", margin=0.1)


def test_a_second_sample_of_one_class():
    for test in exchange, roc_curve_test:
        with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
            assert math.isnan(test([0, 1], [1, 2], [2, 1], y_true_b=[1, 1]).statistic)


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
    for n, n_values in (9, 3), (40, 6), (500, 2), (700, None), (3000, 100):
        y_true, y_score = draw_one(n, n_values)
        found = exchange(y_true, y_score, method="permutation-normal", **rule)
        # The same formula; a tail of the normal distribution magnifies its argument's last bits.
        expected = scipys(y_true, y_score, method="asymptotic", **rule)
        assert found.pvalue == pytest.approx(expected, rel=1e-11)
        area = fastauc.roc_auc_score(y_true, y_score)
        assert found.difference == pytest.approx(area - 0.5, abs=2**-53)
        assert found.method == "permutation-normal"
    for n in (2, 3, 8, 25, 120):
        y_true, y_score = draw_one(n, None, n)
        found = exchange(y_true, y_score, method="permutation-exact", **rule)
        expected = scipys(y_true, y_score, method="exact", **rule)
        assert found.pvalue == pytest.approx(expected, rel=1e-12)
    for n, n_values, kind in (12, None, "exact"), (300, None, "normal"), (12, 3, "normal"):
        found = exchange(*draw_one(n, n_values), **rule)
        assert found.method == f"permutation-{kind}"
        expected = scipys(*draw_one(n, n_values), method="auto", **rule)
        assert found.pvalue == pytest.approx(expected, rel=1e-11)


@settings(max_examples=40)
@given(ROWS, alternatives, st.booleans())
def test_one_area_by_all_orders(rows, alternative, is_tied):
    y_true, y_score = columns(rows[:9])
    if len(set(y_true)) < 2:
        return
    if not is_tied:
        y_score = np.argsort(np.argsort(y_score, kind="stable")).tolist()
        found = exchange(y_true, y_score, method="permutation-exact", alternative=alternative)
        statistic, pvalue = naive.exchange_test(y_true, y_score, 0.5, alternative=alternative)
        # Two-sided, twice the smaller tail: the distribution without ties is symmetric.
        assert found[:2] == (float(statistic), pytest.approx(pvalue, rel=1e-15))
        return
    draws = {"method": "permutation-random", "n_resamples": 1999, "rng": 3}
    found = exchange(y_true, y_score, alternative=alternative, **draws)
    _, pvalue = naive.exchange_test(y_true, y_score, 0.5, alternative=alternative)
    # Five deviations of a share of 2000.
    assert abs(found.pvalue - pvalue) < 5 / 4 * four_deviations(2000, pvalue) + 1 / 2000
    assert found.pvalue == round(found.pvalue * 2000) / 2000


def test_a_p_value_is_never_0_and_ties_alone_are_no_evidence():
    y_true, draws = [0] * 30 + [1] * 30, {"method": "permutation-random", "n_resamples": 99}
    assert exchange(y_true, range(60), rng=1, **draws).pvalue == 1 / 100
    for method in ("permutation-normal", "permutation-random", "permutation"):
        assert exchange([0, 1, 1, 0], [2, 2, 2, 2], method=method)[:2] == (0, 1)


def test_exact_says_what_it_cannot_do():
    with pytest.raises(ValueError, match="does not support ties, and some scores are tied"):
        exchange([0, 1, 1], [1, 1, 2], method="permutation-exact")
    labels = np.repeat([0, 1], [1026, 1024])
    with pytest.raises(ValueError, match="would take 1050624 pairs; expected 1048576 or fewer"):
        exchange(labels, np.arange(2050), method="permutation-exact")


# Two curves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_curves_are_told_apart_by_the_share_of_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation([0, 0, 0, 0, 1, 1, 1])
    first, second = rng.permuted(np.tile(np.arange(7), (2, 1)), axis=1)
    statistic, pvalue = naive.roc_curve_test(labels, first, second)
    found = roc_curve_test(labels, first, second, n_resamples=20_000, rng=seed)
    assert found.statistic == statistic
    assert abs(found.pvalue - pvalue) < four_deviations(20_000)
    labels, labels_b = rng.permutation([0, 0, 0, 1, 1]), rng.permutation([0, 0, 1, 1, 1, 1])
    first, second = rng.normal(size=5), rng.normal(size=6)
    for scores in (first, second), (np.round(first), np.round(second)):
        statistic, pvalue = naive.roc_curve_test(labels, *scores, y_true_b=labels_b)
        found = roc_curve_test(labels, *scores, y_true_b=labels_b, n_resamples=2000, rng=seed)
        # Sums of some twenty doubles below 1.
        assert found.statistic == pytest.approx(float(statistic), abs=1e-14)
        assert abs(found.pvalue - pvalue) < four_deviations(2000)


def proc_statistic(samples, kappa):
    """Return the statistic of venkatraman.unpaired.stat in R/venkatraman.R of pROC 1.19."""
    curves = []
    for labels, scores in samples:
        sorted_labels = labels[np.argsort(scores)]
        fnr, tnr = (np.cumsum(sorted_labels == c) / np.sum(labels == c) for c in (1, 0))
        curves.append((kappa * fnr + (1 - kappa) * tnr, kappa * fnr + (1 - kappa) * (1 - tnr)))
    # Where one of the curves has not begun, its approxfun gives NA, which is left out.
    x = np.sort(np.concatenate([curve[0] for curve in curves]))
    x = x[x >= max(curve[0][0] for curve in curves)]
    y = np.abs(np.interp(x, *curves[0]) - np.interp(x, *curves[1]))
    return np.sum((y[1:] + y[:-1]) * np.diff(x)) / 2


@pytest.mark.parametrize("seed", range(6))
def test_of_two_samples_alike_in_size_the_statistic_is_that_of_proc_and_of_the_same_rows(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([0, 1], [30, 20]))
    first, second = rng.normal(size=(2, 50)) + labels
    found = roc_curve_test(labels, first, second, y_true_b=labels, n_resamples=1, rng=0).statistic
    # The triangle before the first row, where the curves part if it is of different classes.
    height = 2 / 50 * abs(int(labels[np.argmin(first)]) - int(labels[np.argmin(second)]))
    expected = proc_statistic([(labels, first), (labels, second)], 0.4) + height / 50 / 2
    # Sums of a hundred doubles below 1 / 50.
    assert found == pytest.approx(expected, abs=1e-15)
    errors = roc_curve_test(labels, first, second, n_resamples=1, rng=0).statistic
    assert found == pytest.approx(errors / 50**2, abs=1e-15)
