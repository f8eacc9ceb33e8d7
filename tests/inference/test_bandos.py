"""The permutation test of Bandos, Rockette and Gur: against all exchanges, and SciPy's."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc.inference import roc_auc_test
from fastauc.inference._permutation import METHODS
from naive.exchanges import bandos_test

ALTERNATIVES = ["two-sided", "less", "greater"]
by_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)


def exchange(labels, first, second, *, paired=True, method="permutation", **options):
    """Return the test by exchanges, by default of the same rows; or of two samples."""
    if not paired:
        options.setdefault("y_true_b", labels)
    return roc_auc_test(labels, first, second, method=method, **options)


rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=7
).filter(lambda found: len({label for label, *_ in found}) == 2)


def draw(seed, n_pos, n_neg, *, is_tied=False):
    """Return labels and the scores of two models that are alike and correlated."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    common, *own = rng.normal(size=(3, n_pos + n_neg))
    scores = [common + noise + labels for noise in own]
    return labels, *(np.round(scores) if is_tied else scores)


@settings(max_examples=100, deadline=None)
@given(rows, st.sampled_from(ALTERNATIVES))
def test_exact_is_the_share_of_all_exchanges(sample, alternative):
    columns = [list(column) for column in zip(*sample, strict=True)]
    statistic, pvalue = bandos_test(*columns, alternative=alternative)
    found = exchange(*columns, alternative=alternative)
    assert found.method == "permutation-exact"
    assert found.statistic == float(statistic)
    # Seven means of two probabilities, and sums of them.
    assert found.pvalue == pytest.approx(pvalue, rel=1e-14)


@settings(max_examples=60, deadline=None)
@given(rows, rows, st.sampled_from(ALTERNATIVES))
def test_of_two_samples_exact_is_the_share_of_all_exchanges(first, second, alternative):
    labels, scores, _ = zip(*first[:5], strict=True)
    labels_b, scores_b, _ = zip(*second[:5], strict=True)
    if len({*labels}) < 2 or len({*labels_b}) < 2:
        return
    rule = {"y_true_b": labels_b, "alternative": alternative}
    statistic, pvalue = bandos_test(labels, scores, scores_b, **rule)
    found = exchange(labels, scores, scores_b, **rule)
    assert found.method == "permutation-exact"
    assert found.statistic == float(statistic)
    assert found.pvalue == pvalue


@by_alternative
@pytest.mark.parametrize("is_tied", [False, True])
def test_scipy_exchanges_the_ranks_of_rows(alternative, is_tied):
    labels, *scores = draw(3, 5, 6, is_tied=is_tied)
    is_pos = labels == 1

    def difference(first, second, axis):
        areas = []
        for ranks in first, second:
            pairs = ranks[..., is_pos][..., :, None] - ranks[..., ~is_pos][..., None, :]
            areas.append(((pairs > 0) + (pairs == 0) / 2).mean(axis=(-1, -2)))
        return areas[0] - areas[1]

    expected = scipy.stats.permutation_test(
        [scipy.stats.rankdata(column) for column in scores],
        difference,
        permutation_type="samples",
        alternative=alternative,
        n_resamples=math.inf,
        vectorized=True,
    )
    found = exchange(labels, *scores, alternative=alternative)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-15)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-13)


@by_alternative
@pytest.mark.parametrize("is_tied", [False, True])
def test_random_exchanges_and_the_normal_distribution_are_near_all_of_them(alternative, is_tied):
    labels, *scores = draw(4, 60, 90, is_tied=is_tied)
    rule = {"alternative": alternative}
    exact = exchange(labels, *scores, method="permutation-exact", **rule)
    draws = {"n_resamples": 20_000, "rng": 1}
    drawn = exchange(labels, *scores, method="permutation-random", **draws, **rule)
    normal = exchange(labels, *scores, method="permutation-normal", **rule)
    assert exact.statistic == drawn.statistic == normal.statistic
    # Four deviations of a share of so many exchanges.
    assert abs(drawn.pvalue - exact.pvalue) < 4 * math.sqrt(0.25 / 20_000)
    # Berry and Esseen: 0.56 times the greatest term, which is some sixth of the deviation.
    assert abs(normal.pvalue - exact.pvalue) < 0.02


@by_alternative
def test_of_two_samples_random_exchanges_are_near_all_of_them(alternative):
    labels, first, second = draw(5, 4, 4)
    rule = {"paired": False, "alternative": alternative}
    exact = exchange(labels, first, second, **rule)
    drawn = exchange(
        labels, first, second, **rule, method="permutation-random", n_resamples=4000, rng=1
    )
    assert exact.method == "permutation-exact"
    assert drawn.method == "permutation-random"
    # Four deviations of a share of so many exchanges.
    assert abs(drawn.pvalue - exact.pvalue) < 4 * math.sqrt(0.25 / 4000)


@by_alternative
@pytest.mark.parametrize("paired", [True, False])
def test_the_models_change_places(alternative, paired):
    labels, first, second = draw(6, 30, 40, is_tied=True)
    other = {"less": "greater", "greater": "less"}.get(alternative, alternative)
    rule = {"paired": paired, "n_resamples": 99, "method": "permutation-random", "rng": 1}
    found = exchange(labels, first, second, alternative=alternative, **rule)
    turned = exchange(labels, second, first, alternative=other, **rule)
    assert turned.statistic == -found.statistic
    if paired:
        # The signs are those of the same draws, of sums of which some are exactly as far out.
        assert turned.pvalue == found.pvalue
    areas = [fastauc.roc_auc_score(labels, scores) for scores in (first, second)]
    assert found.statistic == pytest.approx(areas[0] - areas[1], abs=2**-53)


@pytest.mark.parametrize("method", METHODS)
@by_alternative
def test_models_that_order_all_rows_alike(method, alternative):
    labels, first, _ = draw(8, 20, 20)
    found = exchange(labels, first, np.exp(first), method=method, alternative=alternative)
    assert found[:2] == (0, 1)


def test_a_difference_is_found_and_equal_models_are_rarely_told_apart():
    rejected = 0
    for seed in range(1000):
        found = exchange(*draw(seed, 20, 20), rng=0)
        assert found.method == "permutation-exact"
        rejected += found.pvalue <= 0.05
    # At 5 % there are 29 or fewer, or 75 or more, in one of 1,000 tries.
    assert 29 < rejected < 75
    labels, first, second = draw(0, 40, 60)
    assert exchange(labels, first + 3 * labels, second, alternative="greater").pvalue < 1e-6
    assert exchange(labels, first + 3 * labels, second, alternative="less").pvalue > 0.99


def test_large_samples_are_exchanged_by_chance():
    labels, first, second = draw(9, 1000, 3000)
    found = exchange(labels, first, second, n_resamples=99, rng=0)
    assert found.method == "permutation-random"
    with pytest.raises(
        ValueError, match=r"^method='permutation-exact' would take \d+ steps; expected"
    ):
        exchange(labels, first, second, method="permutation-exact")
    with pytest.raises(
        ValueError, match=r"^method='permutation-exact' would take \d+ exchanges; expected"
    ):
        exchange(labels, first, second, method="permutation-exact", paired=False)


def test_undefined_and_refused():
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
        assert math.isnan(exchange([1, 1], [1, 2], [2, 1]).pvalue)
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
        found = exchange([0, 1], [1, 2], [2, 1], y_true_b=[1, 1])
    assert math.isnan(found.statistic)
    for options, name in (
        ({"alternative": "larger"}, "alternative"),
        ({"alternative": "equivalence", "margin": 0.1}, "alternative"),
        ({"method": "bootstrap"}, "method"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"rng": "x"}, "rng"),
    ):
        if "margin" in options:
            with pytest.raises(ValueError, match=r"^margin is given"):
                exchange([0, 1], [1, 2], [2, 1], **options)
            continue
        with pytest.raises(fastauc.InvalidParameterError, match=f"'{name}' parameter of roc_auc"):
            exchange([0, 1], [1, 2], [2, 1], **options)
    with pytest.raises(ValueError, match=r"^y_true_b is given, but method='permutation-normal'"):
        exchange(*draw(1, 20, 20), paired=False, method="permutation-normal")
    with pytest.raises(ValueError, match=r"^method='permutation-exact' would take"):
        exchange(*draw(1, 20, 20), paired=False, method="permutation-exact")
