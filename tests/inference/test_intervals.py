"""Intervals of the area: definitions, worked examples of others, and how often they are right."""

import math
from fractions import Fraction as F
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given, strategies

import fastauc
import naive
from fastauc._counts.proportions import wilson_bounds
from fastauc.inference import roc_auc_ci
from support.laws import ROWS, columns
from support.studies import NDKA, POOR_OUTCOME, S100B, WFNS

quiet = pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")


def assert_estimate(found, expected, tolerance=1e-12):
    """Compare numbers that took a square root, a quantile and some ten operations."""
    statistic, error, bounds, level, method = expected
    assert found.statistic == pytest.approx(statistic, rel=0, abs=2**-52, nan_ok=True)
    assert found.standard_error == pytest.approx(error, rel=tolerance, nan_ok=True)
    assert found.confidence_interval == pytest.approx(bounds, rel=0, abs=tolerance, nan_ok=True)
    assert (found.confidence_level, found.method) == (level, method)
    assert all(type(value) is float for value in (*found[:2], *found.confidence_interval))


# Definitions --------------------------------------------------------------------------------------


@quiet
@given(ROWS)
def test_every_interval_is_its_definition(rows):
    y_true, y_score = columns(rows)
    options = {"confidence_level": 0.9}
    found = roc_auc_ci(y_true, y_score, **options)
    # SciPy's root finder stops at 1e-15, and the logit of an area near 1 magnifies nothing here.
    assert_estimate(found, naive.roc_auc_ci(y_true, y_score, **options), 1e-10)
    low, high = found.confidence_interval
    if not math.isnan(low):
        assert 0 <= low <= found.statistic <= high <= 1
        assert high - low > 1e-3  # fifteen rows are never sure


def test_the_variance_is_exact_until_its_root():
    y_true = np.repeat([0, 1], [35, 70]).tolist()
    for seed in range(40):
        y_score = np.random.default_rng(seed).integers(0, 60, 105).tolist()
        placed = naive.placements(y_true, y_score)
        variance = F(0)
        for own in (placed[:35], placed[35:]):
            mean = sum(own, F(0)) / len(own)
            variance += sum((p - mean) ** 2 for p in own) / (len(own) * (len(own) - 1))
        assert roc_auc_ci(y_true, y_score).standard_error == math.sqrt(variance)


@quiet
@pytest.mark.filterwarnings("ignore:sample_weight makes")
@given(ROWS, strategies.data())
def test_groups_and_weights_are_their_definition(rows, data):
    y_true, y_score = columns(rows)
    n = len(rows)
    options = {}
    if data.draw(strategies.booleans()):
        groups = strategies.lists(strategies.integers(0, 4), min_size=n, max_size=n)
        options["groups"] = data.draw(groups)
    if "groups" not in options or data.draw(strategies.booleans()):
        weight = strategies.sampled_from([0, 1, 2, 0.5, 7])
        options["sample_weight"] = data.draw(strategies.lists(weight, min_size=n, max_size=n))
        assume(any(options["sample_weight"]))
    found = roc_auc_ci(y_true, y_score, **options)
    expected = naive.roc_auc_ci(y_true, y_score, **options)
    exact = found.standard_error == 0 or expected[1] == 0
    if exact and found.method != expected[4]:
        # Doubles may leave a variance of 1e-34 where it is 0: of rows of one placement, almost.
        assert max(found.standard_error, expected[1]) < 1e-15
        return
    assert_estimate(found, expected, 1e-9)


# Worked examples ----------------------------------------------------------------------------------


# tests/testthat of pROC 1.19: var, ci.auc.
PROC = [
    (WFNS, 0.00146991470882363, None, 0),
    (NDKA, 0.0031908105493913, (0.501244999271703, 0.611957994579946, 0.722670989888189), 14),
    (S100B, 0.00266868245717244, (0.6301182, 0.7313686, 0.8326189), 7),
]


def symmetric(found):
    """Return the ends that pROC and Stata print: of the normal distribution, within [0, 1]."""
    reach = NormalDist().inv_cdf(0.975) * found.standard_error
    return max(found.statistic - reach, 0), min(found.statistic + reach, 1)


def test_figures_of_proc():
    for scores, variance, interval, digits in PROC:
        found = roc_auc_ci(POOR_OUTCOME, scores)
        assert found.standard_error**2 == pytest.approx(variance, rel=1e-13)
        if interval is not None:
            low, high = symmetric(found)
            # Printed to as many digits as they have here.
            shown = tuple(round(value, digits) for value in (low, found.statistic, high))
            assert shown == pytest.approx(interval, abs=2 * 10.0**-digits)


@pytest.mark.check("published examples")
def test_hanley_and_mcneil_1982():
    # Their 109 CT images rated 1 ... 5, 51 of them abnormal: W = 0.893.
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    y_true = np.repeat([0] * 5 + [1] * 5, normal + abnormal)
    y_score = np.repeat([1, 2, 3, 4, 5] * 2, normal + abnormal)
    found = roc_auc_ci(y_true, y_score)
    assert f"{found.statistic:.3f}" == "0.893"
    # What Stata's roctab prints for them: 0.0307 and its interval.
    assert f"{found.standard_error:.4f}" == "0.0307"
    assert [f"{end:.5f}" for end in symmetric(found)] == ["0.83295", "0.95339"]


def test_wilson_has_the_interval_of_a_share():
    # An effective size of 10 with all yes: Wilson's lower end is 10 / (10 + z^2).
    low, high = wilson_bounds(1.0, 0.1, 1.96)
    assert (low, high) == (pytest.approx(10 / (10 + 1.96**2), rel=1e-15), 1)
    # 15 of 148, as Newcombe, Statist. Med. 17 (1998) 857-872, table I, has it: 0.0624 to 0.1605.
    ends = wilson_bounds(15 / 148, 1 / 148, 1.959964)
    assert [f"{end:.4f}" for end in ends] == ["0.0624", "0.1605"]
    assert wilson_bounds(0.0, 0.1, 0.0) == (0, 0)


# Shapes of the answer -----------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[0, 0, 0, 1], [1, 1, 1, 0]])
def test_one_row_of_a_class(labels):
    for y_score in [1, 2, 3, 4], [1, 3, 4, 2]:
        with pytest.warns(fastauc.UndefinedMetricWarning, match="expected two or more of each"):
            found = roc_auc_ci(labels, y_score)
        assert np.isnan([found.standard_error, *found.confidence_interval]).all()
        assert found.statistic == fastauc.roc_auc_score(labels, y_score)
    groups = [1, 1, 2, 1]
    with pytest.warns(fastauc.UndefinedMetricWarning, match="1 positive and 2 negative groups"):
        found = roc_auc_ci([0, 1, 0, 1], [1, 2, 3, 4], groups=groups)
    assert np.isnan([found.standard_error, *found.confidence_interval]).all()
    assert found.statistic == 0.75


def test_few_rows_with_most_of_the_weight_are_warned_of():
    y_true, y_score = np.arange(80) % 2, np.random.default_rng(1).normal(size=80)
    weights = np.where(np.arange(80) % 40 == 1, 20, 1)
    message = r"makes 40 positives count like 7\.3 of equal weight .* one has 26% of their sum"
    with pytest.warns(UserWarning, match=message):
        roc_auc_ci(y_true, y_score, sample_weight=weights)
    # So beside a class in another unit, which is warned of as well.
    heavy = np.where(y_true, weights, 1e20 * y_score**2)
    with (
        pytest.warns(UserWarning, match=message.replace("positives", "negatives")),
        pytest.warns(UserWarning, match="makes 40 positives count like"),
    ):
        roc_auc_ci(y_true == 0, y_score, sample_weight=heavy)
    # A weight for each class is none at all, nor are ten rows that count too few.
    roc_auc_ci(y_true, y_score, sample_weight=np.where(y_true, 20, 1))
    roc_auc_ci(y_true, y_score, sample_weight=1 + y_score**2)


def test_rows_that_are_groups_of_their_own_are_rows():
    rng = np.random.default_rng(2)
    y_true, y_score = np.arange(43) < 3, rng.normal(size=43)
    rows, groups = (y_true, y_score, rng.normal(size=43)), {"groups": np.arange(43)}
    plain, grouped = (fastauc.inference.roc_auc_test(*rows, **each) for each in ({}, groups))
    assert (plain.method, repr(grouped)) == ("score", repr(plain))
    assert repr(roc_auc_ci(*rows[:2], **groups)) == repr(roc_auc_ci(*rows[:2]))


# Averages of several classes ----------------------------------------------------------------------

AVERAGES = strategies.tuples(
    strategies.sampled_from(["ovr", "ovo"]), strategies.sampled_from(["macro", "weighted"])
)
LABELED = strategies.lists(
    strategies.tuples(strategies.integers(0, 2), *[strategies.integers(1, 3)] * 3), max_size=5
)


def shares(rows):
    """Return labels with two rows of each class at least, and scores that sum up to 1."""
    rows = [(c, 1 + (c == 0), 2, 1 + (c == 2)) for c in (0, 0, 1, 1, 2, 2)] + rows
    scores = np.array([row[1:] for row in rows]) / 1.0
    return np.array([row[0] for row in rows]), scores / scores.sum(axis=1, keepdims=True)


@given(LABELED, AVERAGES)
def test_it_is_its_definition(rows, rule):
    label, scores = shares(rows)
    options = {"multi_class": rule[0], "average": rule[1], "confidence_level": 0.9}
    found = roc_auc_ci(label, scores, **options)
    expected = naive.multiclass_roc_auc_ci(label, scores, **options)
    area = fastauc.roc_auc_score(label, scores, multi_class=rule[0], average=rule[1])
    assert found.statistic == area
    assert found.statistic == pytest.approx(float(expected[0]), rel=1e-14)
    # The slope is a difference quotient: its error is the square of the step, 1e-18. What is left
    # are sums of doubles, under a root where they are near 0.
    assert found.standard_error == pytest.approx(expected[1], rel=1e-12, abs=1e-14)
    assert found.confidence_interval == pytest.approx(expected[2], rel=1e-11)
    order = np.random.default_rng(len(label)).permutation(len(label))
    again = roc_auc_ci(label[order], scores[order], n_jobs=2, **options)
    assert again[:2] == pytest.approx(found[:2], rel=1e-13, abs=1e-15)


def test_what_is_undefined_and_what_is_not():
    perfect, options = np.eye(3).repeat(2, 0), {"multi_class": "ovr"}
    low, high = roc_auc_ci([0, 0, 1, 1, 2, 2], perfect, **options).confidence_interval
    assert 0 < low < 0.8
    assert high == 1
    with pytest.warns(fastauc.UndefinedMetricWarning, match="a class has one row"):
        found = roc_auc_ci([0, 0, 1, 1, 2], perfect[:5], **options)
    assert found.statistic == 1
    assert np.isnan([found.standard_error, *found.confidence_interval]).all()
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
        found = roc_auc_ci([0, 0, 1, 1], perfect[:4], labels=[0, 1, 2], **options)
    assert math.isnan(found.statistic)
