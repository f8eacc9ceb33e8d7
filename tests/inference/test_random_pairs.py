"""Random pairs, the AUC that they estimate, and the binormal model."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import integrate, stats

import fastauc
import naive
from fastauc import InvalidParameterError, UndefinedMetricWarning
from support.laws import law, samples

# Ten rows whose AUC is 5/6, and whose pairs vary by 17/144.
TEN = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1]


# Pairs --------------------------------------------------------------------------------------------


@law
@given(samples(), st.integers(1, 50), st.integers(0, 9))
def test_pairs_are_those_of_the_definition(sample, n_pairs, seed):
    labels, scores = sample
    pairs = fastauc.sample_pairs(labels, n_pairs, rng=seed)
    assert tuple(side.tolist() for side in pairs) == naive.sample_pairs(labels, n_pairs, rng=seed)
    assert [side.dtype for side in pairs] == [np.intp, np.intp]
    got = fastauc.roc_auc_monte_carlo(labels, scores, n_pairs, rng=seed)
    expected = naive.roc_auc_monte_carlo(labels, scores, n_pairs, rng=seed)
    assert got.statistic == expected[0]
    assert got.standard_error == pytest.approx(expected[1], abs=1e-15)
    assert got.confidence_interval == pytest.approx(expected[2], abs=1e-12)
    assert got[3:] == expected[3:]


def test_every_pair_is_as_likely():
    labels = ["no", "yes", "no", "yes", "no"]
    positives, negatives = fastauc.sample_pairs(labels, 60_000, pos_label="yes", rng=1)
    counts = np.zeros((5, 5), int)
    np.add.at(counts, (positives, negatives), 1)
    drawn = counts[[1, 3]][:, [0, 2, 4]]
    assert drawn.sum() == 60_000
    # Six pairs: the 99.99 % quantile of chi-squared with 5 degrees of freedom.
    assert ((drawn - 10_000) ** 2 / 10_000).sum() < stats.chi2.isf(1e-4, 5)


def test_a_million_pairs_of_ten_rows():
    found = fastauc.roc_auc_monte_carlo(*TEN, rng=0)
    error = math.sqrt(17 / 144 / 10**6)
    assert found.standard_error == pytest.approx(error, rel=0.01)
    assert abs(found.statistic - 5 / 6) < 5 * error
    assert found.confidence_interval.low < 5 / 6 < found.confidence_interval.high
    again = fastauc.roc_auc_monte_carlo(*TEN, rng=np.random.default_rng(0))
    assert again == found
    assert fastauc.roc_auc_monte_carlo(*TEN, rng=1) != found


def test_intervals_hold_the_area_of_the_sample():
    seeds = np.random.default_rng(2).integers(0, 2**32, 1000).tolist()
    found = [fastauc.roc_auc_monte_carlo(*TEN, 400, rng=seed) for seed in seeds]
    holds = sum(each.confidence_interval.low <= 5 / 6 <= each.confidence_interval.high
                for each in found)  # fmt: skip
    # Of 1,000 with 95 % each, 914 or fewer are as rare as one in a million.
    assert 914 < holds < 983


@pytest.mark.parametrize("score", [0.5, 0.9])
def test_pairs_that_say_the_same_have_an_interval_with_a_width(score):
    found = fastauc.roc_auc_monte_carlo([0, 1], [0.5, score], 100, rng=0)
    assert found.standard_error == 0
    assert 0.03 < np.diff(found.confidence_interval)[0] < 0.2
    assert found.confidence_interval.low <= found.statistic <= found.confidence_interval.high


def test_one_class():
    with pytest.warns(UndefinedMetricWarning):
        positives, negatives = fastauc.sample_pairs([1, 1], 3)
    assert len(positives) == len(negatives) == 0
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(fastauc.roc_auc_monte_carlo([0, 0], [1, 2]).statistic)


@pytest.mark.parametrize("n_pairs", [0, -1, 1.5, True, None])
def test_numbers_of_pairs_that_are_refused(n_pairs):
    with pytest.raises(InvalidParameterError, match="'n_pairs' parameter of sample_pairs"):
        fastauc.sample_pairs([0, 1], n_pairs)
    with pytest.raises(InvalidParameterError, match="'n_pairs' parameter of roc_auc_monte_carlo"):
        fastauc.roc_auc_monte_carlo([0, 1], [1, 2], n_pairs)


# The binormal model -------------------------------------------------------------------------------


@pytest.mark.parametrize("b", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("a", [-1.0, 0.0, 0.5, 3.0])
def test_the_curve_and_its_area(a, b):
    rates = np.linspace(0, 1, 41).reshape(1, 41)
    curve = fastauc.binormal_roc_curve(rates, a, b)
    assert curve.shape == rates.shape
    np.testing.assert_allclose(curve[0], naive.binormal_roc_curve(rates[0], a, b), atol=1e-12)
    area = fastauc.binormal_roc_auc(a, b)
    assert area == pytest.approx(naive.binormal_roc_auc(a, b), abs=1e-15)
    integral, _ = integrate.quad(lambda fpr: fastauc.binormal_roc_curve(fpr, a, b), 0, 1, limit=200)
    assert integral == pytest.approx(area, abs=1e-7)


def test_numbers_that_are_known():
    assert fastauc.binormal_roc_auc(1.0) == 0.7602499389065233
    assert fastauc.binormal_roc_auc(0) == 0.5
    assert fastauc.binormal_roc_curve(0.5, 1) == stats.norm.cdf(1)
    assert fastauc.binormal_roc_curve(1e-300, 0) == pytest.approx(1e-300)


def test_models_and_rates_that_are_refused():
    for a, b, name in [(math.inf, 1, "a"), ("1", 1, "a"), (1, 0, "b"), (1, -1, "b")]:
        for call in (
            lambda a=a, b=b: fastauc.binormal_roc_auc(a, b),
            lambda a=a, b=b: fastauc.binormal_roc_curve(0.5, a, b),
        ):
            with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of binormal_roc_"):
                call()
    with pytest.raises(ValueError, match=r"fpr\[1\] is 1.5"):
        fastauc.binormal_roc_curve([0.5, 1.5], 1)
