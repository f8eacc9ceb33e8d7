"""The test of an area of one half: equal to SciPy's, and to all orders of the classes."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies

import fastauc
from fastauc.inference import _permutation as permutations, roc_auc_test
from naive.inference import roc_auc_permutation_test
from support.laws import ROWS, columns

ALTERNATIVES = ["two-sided", "less", "greater"]


def draw(n, n_values, seed=1):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 2, n)
    y_true[:2] = 0, 1
    if n_values is None:
        return y_true, rng.permutation(n) + y_true * (n // 5 + 0.5)
    return y_true, rng.integers(0, n_values, n) + y_true * (n_values // 5)


def permute(y_true, y_score, *, method="permutation", **options):
    """Return the test of an area of one half by permutations of the labels."""
    return roc_auc_test(y_true, y_score, 0.5, method=method, **options)


def scipys(y_true, y_score, **options):
    return scipy.stats.mannwhitneyu(y_score[y_true == 1], y_score[y_true == 0], **options).pvalue


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "n_values"), [(9, 3), (40, 6), (500, 2), (700, None), (3000, 100)])
def test_normal_is_that_of_scipy(alternative, n, n_values):
    y_true, y_score = draw(n, n_values)
    found = permute(y_true, y_score, alternative=alternative, method="permutation-normal")
    options = {"alternative": alternative, "method": "asymptotic"}
    # The same formula; a tail of the normal distribution magnifies its argument's last bits.
    assert found.pvalue == pytest.approx(scipys(y_true, y_score, **options), rel=1e-11)
    area = fastauc.roc_auc_score(y_true, y_score)
    assert found.difference == pytest.approx(area - 0.5, abs=2**-53)
    assert found.method == "permutation-normal"


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 3, 8, 25, 120])
def test_exact_is_that_of_scipy(alternative, n):
    y_true, y_score = draw(n, None, n)
    found = permute(y_true, y_score, alternative=alternative, method="permutation-exact")
    expected = scipys(y_true, y_score, alternative=alternative, method="exact")
    assert found.pvalue == pytest.approx(expected, rel=1e-12)


def test_the_example_of_scipy():
    # The documentation of scipy.stats.mannwhitneyu: U = 17 of 20 pairs, and what it prints.
    y_true, ages = np.repeat([1, 0], [5, 4]), [19, 22, 16, 29, 24, 20, 11, 17, 12]
    for options, pvalue in (
        ({"method": "permutation-exact"}, 0.1111111111111111),
        ({"method": "permutation-exact", "alternative": "greater"}, 0.05555555555555555),
        ({"method": "permutation-normal"}, 0.11134688653314041),
    ):
        found = permute(y_true, ages, **options)
        assert found.difference == 17 / 20 - 1 / 2
        assert found.pvalue == pytest.approx(pvalue, rel=1e-12)


@settings(max_examples=40)
@given(
    strategies.lists(strategies.booleans(), min_size=2, max_size=9).filter(
        lambda labels: len(set(labels)) == 2
    ),
    strategies.randoms(),
    strategies.sampled_from(ALTERNATIVES),
)
def test_exact_is_the_share_of_all_orders(labels, random, alternative):
    y_score = list(range(len(labels)))
    random.shuffle(y_score)
    options = {"alternative": alternative, "method": "permutation-exact"}
    found = permute(labels, y_score, **options)
    statistic, pvalue = roc_auc_permutation_test(labels, y_score, alternative=alternative)
    # Two-sided, twice the smaller tail: the distribution without ties is symmetric.
    assert found[:2] == (statistic, pytest.approx(pvalue, rel=1e-15))
    assert found.method == "permutation-exact"


@settings(max_examples=15)
@given(ROWS, strategies.sampled_from(ALTERNATIVES))
def test_random_orders_are_near_all_orders(rows, alternative):
    y_true, y_score = columns(rows[:9])
    if len(set(y_true)) < 2:
        return
    options = {
        "alternative": alternative,
        "method": "permutation-random",
        "n_resamples": 1999,
        "rng": 3,
    }
    found = permute(y_true, y_score, **options)
    _, pvalue = roc_auc_permutation_test(y_true, y_score, alternative=alternative)
    # Five deviations of a share of 2000.
    assert abs(found.pvalue - pvalue) < 5 * math.sqrt(pvalue * (1 - pvalue) / 2000) + 1 / 2000
    assert found.pvalue == round(found.pvalue * 2000) / 2000


def test_a_p_value_is_never_0():
    y_true, y_score = [0] * 30 + [1] * 30, range(60)
    found = permute(y_true, y_score, method="permutation-random", n_resamples=99, rng=1)
    assert found.pvalue == 1 / 100


@pytest.mark.parametrize("rare", [0, 1])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_either_class_may_be_the_rare_one(rare, alternative):
    y_true = [1 - rare] * 12
    y_true[2] = y_true[7] = rare
    options = {"alternative": alternative, "method": "permutation-random", "rng": 2}
    y_score = [row // 2 for row in range(12)]
    found = permute(y_true, y_score, **options)
    _, pvalue = roc_auc_permutation_test(y_true, y_score, alternative=alternative)
    # Five deviations of a share of 10,000.
    assert found.pvalue == pytest.approx(pvalue, abs=5 * math.sqrt(pvalue * (1 - pvalue)) / 100)


@pytest.mark.parametrize(
    ("n", "n_values", "method"),
    [
        (12, None, "permutation-exact"),
        (300, None, "permutation-normal"),
        (12, 3, "permutation-normal"),
    ],
)
def test_auto_chooses_as_scipy_does(n, n_values, method):
    y_true, y_score = draw(n, n_values)
    found = permute(y_true, y_score)
    assert found.method == method
    assert found.pvalue == pytest.approx(scipys(y_true, y_score, method="auto"), rel=1e-12)


@pytest.mark.parametrize("method", ["permutation-normal", "permutation-random", "permutation"])
def test_ties_alone_are_no_evidence(method):
    found = permute([0, 1, 1, 0], [2, 2, 2, 2], method=method)
    assert found[:2] == (0, 1)


def test_the_counts_of_orders_are_those_of_mann_and_whitney():
    # Their table of 1947 for samples of 4 and 4: 1 1 2 3 5 5 7 7 8 7 7 5 5 3 2 1 1 of 70.
    counts = permutations._count_orders(4, 4)
    assert counts == [1, 1, 2, 3, 5, 5, 7, 7, 8, 7, 7, 5, 5, 3, 2, 1, 1]
    assert permutations._count_orders(1, 5) == [1] * 6
    assert sum(permutations._count_orders(30, 17)) == math.comb(47, 17)


def test_exact_says_what_it_cannot_do():
    with pytest.raises(ValueError, match="does not support ties, and some scores are tied"):
        permute([0, 1, 1], [1, 1, 2], method="permutation-exact")
    labels = np.repeat([0, 1], [1026, 1024])
    with pytest.raises(ValueError, match="would take 1050624 pairs; expected 1048576 or fewer"):
        permute(labels, np.arange(2050), method="permutation-exact")
