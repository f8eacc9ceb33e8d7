"""Tests of two and more areas: definitions, worked examples of others, and their level."""

import math
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies

import fastauc
import naive
from fastauc.inference import (
    compare_roc_auc,
    roc_auc_ci,
    roc_auc_test,
    roc_auc_test_1samp,
    roc_auc_test_ind,
)
from support.laws import law
from support.studies import ALBUMIN, BENEFIT, KG_SCORE, NDKA, POOR_OUTCOME, PROTEIN, S100B, WFNS

NAN = math.nan
PAIRED = strategies.lists(
    strategies.tuples(
        strategies.booleans(), *[strategies.integers(0, 3)] * 2, strategies.integers(0, 4)
    ),
    min_size=2,
    max_size=26,
)
ALTERNATIVES = strategies.sampled_from(["two-sided", "less", "greater"])
WITH_MARGIN = strategies.sampled_from(["non-inferiority", "equivalence"])
Y, A, B = [0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
quiet = pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
by_sample = pytest.mark.parametrize("is_paired", [True, False], ids=["paired", "unpaired"])


def compare(is_paired, label, first, second, **options):
    """Return the test of the same rows, or of two samples with the same labels."""
    if is_paired:
        return roc_auc_test(label, first, second, **options)
    return roc_auc_test_ind(label, first, label, second, **options)


@strategies.composite
def designs(draw, n):
    """Return options for weights and groups of n rows, or for one of them, or for neither."""
    kinds = {
        "sample_weight": strategies.sampled_from([1, 2, 0.5]),
        "groups": strategies.integers(0, 4),
    }
    return {
        name: draw(strategies.lists(kind, min_size=n, max_size=n))
        for name, kind in kinds.items()
        if draw(strategies.booleans())
    }


def assert_result(found, expected):
    """Compare numbers that took a square root and a tail of a distribution."""
    statistic, pvalue, difference, error, df, bounds = expected
    assert found.difference == pytest.approx(difference, rel=0, abs=2**-52, nan_ok=True)
    assert found.standard_error == pytest.approx(error, rel=1e-9, abs=1e-15, nan_ok=True)
    if not (error < 1e-15):
        assert found.statistic == pytest.approx(statistic, rel=1e-9, nan_ok=True)
        assert found.pvalue == pytest.approx(pvalue, rel=1e-9, abs=1e-12, nan_ok=True)
        assert found.df == pytest.approx(df, rel=1e-9)
        assert found.confidence_interval == pytest.approx(bounds, rel=0, abs=1e-9, nan_ok=True)
    assert all(type(value) is float for value in (*found[:5], *found.confidence_interval))


# Definitions --------------------------------------------------------------------------------------


@quiet
@given(PAIRED, ALTERNATIVES, strategies.data())
def test_tests_are_their_definition(rows, alternative, data):
    label, first, second, _ = zip(*rows, strict=True)
    options = {"alternative": alternative, "confidence_level": 0.9}
    options |= data.draw(designs(len(rows)))
    found = roc_auc_test(label, first, second, **options)
    assert_result(found, naive.roc_auc_test(label, first, second, **options))


@quiet
@given(PAIRED, PAIRED, ALTERNATIVES, strategies.data())
def test_tests_of_two_samples_are_their_definition(rows, others, alternative, data):
    samples = [[*zip(*each, strict=True)][:2] for each in (rows, others)]
    options = {"alternative": alternative, "confidence_level": 0.9}
    drawn = [data.draw(designs(len(each))) for each in (rows, others)]
    options |= {
        name: tuple(each.get(name) for each in drawn) for name in ("sample_weight", "groups")
    }
    found = roc_auc_test_ind(*samples[0], *samples[1], **options)
    assert_result(found, naive.roc_auc_test_ind(*samples[0], *samples[1], **options))


@quiet
@given(PAIRED, strategies.sampled_from([0, 0.5, 0.75, 1]), ALTERNATIVES)
def test_tests_against_a_constant_are_their_definition(rows, constant, alternative):
    label, first, _, _ = zip(*rows, strict=True)
    found = roc_auc_test_1samp(label, first, constant, alternative=alternative)
    expected = naive.roc_auc_test_1samp(label, first, constant, alternative=alternative)
    # The error may be 0.
    assert found[:2] == pytest.approx(expected[:2], rel=1e-9, abs=1e-12, nan_ok=True)
    assert_result(found, expected)


@quiet
@given(PAIRED, WITH_MARGIN, strategies.sampled_from([0.01, 0.1, 0.4]), strategies.booleans())
def test_tests_with_a_margin_are_their_definition(rows, alternative, margin, is_paired):
    label, first, second, _ = zip(*rows, strict=True)
    options = {"alternative": alternative, "margin": margin}
    found = compare(is_paired, label, first, second, **options)
    if is_paired:
        expected = naive.roc_auc_test(label, first, second, **options)
    else:
        expected = naive.roc_auc_test_ind(label, first, label, second, **options)
    # The difference and the margin may be nearly equal.
    close = 1e-14 / expected[3] if expected[3] else 0
    assert found.statistic == pytest.approx(expected[0], rel=1e-9, abs=close, nan_ok=True)
    assert_result(found, (found.statistic, *expected[1:]))


@quiet
@law
@given(PAIRED, ALTERNATIVES, strategies.sampled_from([0.05, 0.2, 0.5, 0.9]))
def test_no_test_contradicts_its_interval(rows, alternative, alpha):
    label, first, second, _ = zip(*rows, strict=True)
    options = {"alternative": alternative, "confidence_level": 1 - alpha}
    for is_paired in True, False:
        found = compare(is_paired, label, first, second, **options)
        low, high = found.confidence_interval
        # Both are rounded: at an end of the interval, p is alpha but for the last places.
        if min(abs(low), abs(high)) > 1e-9:
            assert (found.pvalue < alpha) == (not low <= 0 <= high)


def test_two_perfect_orders_are_not_proven_equivalent():
    rule = {"alternative": "equivalence", "margin": 0.01}
    found = roc_auc_test(Y, Y, Y, **rule)
    # By hand: an effective size of 4, and of areas that differ by 0.01 the greater one is 1.
    assert found.statistic == pytest.approx(0.01 / math.sqrt(0.01 * 0.99 / 4), rel=1e-14)
    assert found.pvalue > 0.4


@quiet
@given(PAIRED, strategies.data(), strategies.sampled_from(["holm", None]))
def test_covariances_and_all_pairs_are_their_definition(rows, data, adjust):
    label, first, second, _ = map(list, zip(*rows, strict=True))
    total = [a + b for a, b in zip(first, second, strict=True)]
    scores = {"first": first, "second": second, "sum": total}
    options = data.draw(designs(len(rows))) | {"adjust": adjust}
    found = compare_roc_auc(label, scores, **options)
    names, areas, covariance, expected = naive.compare_roc_auc(label, scores, **options)
    assert found.names == names
    np.testing.assert_allclose(found.auc, np.array(areas, float), rtol=0, atol=1e-15)
    expected_covariance = np.array(covariance, float)
    np.testing.assert_allclose(found.covariance, expected_covariance, rtol=1e-12, atol=1e-16)
    if "sample_weight" in options:
        return  # rounded p-values may be in another order than exact ones
    pairs = found.pairwise()
    numbers = pairs.difference, pairs.standard_error, pairs.statistic, pairs.pvalue
    found = [*pairs[:2], *numbers, pairs.adjusted_pvalue]
    for row, wanted in zip(zip(*(c.tolist() for c in found), strict=True), expected, strict=True):
        assert row[:2] == wanted[:2]
        assert row[2:] == pytest.approx(wanted[2:], rel=1e-9, abs=1e-12, nan_ok=True)


@quiet
@given(PAIRED, strategies.data())
def test_intervals_of_a_comparison_are_those_of_each_model(rows, data):
    label, first, second, _ = map(list, zip(*rows, strict=True))
    options = data.draw(designs(len(rows)))
    found = compare_roc_auc(label, {"first": first, "second": second}, **options)
    for k, scores in enumerate((first, second)):
        own = roc_auc_ci(label, scores, **options)
        # Several columns are added up by other routes than one: weighted sums may differ.
        ends = found.low[k], found.high[k]
        assert ends == pytest.approx(tuple(own.confidence_interval), rel=1e-9, nan_ok=True)


# Worked examples ----------------------------------------------------------------------------------

# tests/testthat of pROC 1.19: roc.test, paired (Z, p, interval) and unpaired (D, p).
PROC = {
    "wfns, s100b": (
        (WFNS, S100B),
        (2.20898359144091, 0.0271757822291882, 0.0104061769564846, 0.174214419249478),
        (1.43490640926908, 0.152825378808796),
    ),
    "wfns, ndka": (
        (WFNS, NDKA),
        (2.79777591868904, 0.00514557970691098, 0.0634011709339876, 0.3600405634833566),
        (3.10125096778969, 0.00220950791756457),
    ),
}


def tail_of(statistic, df, alternative):
    student = scipy.stats.t(df)  # the normal distribution if infinite
    tails = {"greater": student.sf(statistic), "less": student.cdf(statistic)}
    return tails.get(alternative, 2 * student.sf(abs(statistic)))


def normal_test(found, alternative="two-sided"):
    """Return pROC's Z, its p-value and its interval of the same rows."""
    statistic = found.difference / found.standard_error
    reach = NormalDist().inv_cdf(0.975) * found.standard_error
    ends = found.difference - reach, found.difference + reach
    return statistic, tail_of(statistic, math.inf, alternative), *ends


def welch_test(found, scores, alternative="two-sided"):
    """Return pROC's D of two samples and its p-value, with the degrees of freedom of all rows."""
    parts = [roc_auc_ci(POOR_OUTCOME, each).standard_error ** 2 for each in scores]
    df = sum(parts) ** 2 / sum(part**2 / (len(POOR_OUTCOME) - 1) for part in parts)
    statistic = found.difference / found.standard_error
    return statistic, tail_of(statistic, df, alternative)


def test_figures_of_proc():
    # Printed to 15 digits, from sums of doubles: 1e-12.
    for scores, paired, unpaired in PROC.values():
        found = roc_auc_test(POOR_OUTCOME, *scores)
        assert normal_test(found) == pytest.approx(paired, rel=1e-12)
        found = compare(False, POOR_OUTCOME, *scores)
        assert welch_test(found, scores) == pytest.approx(unpaired, rel=1e-12)
    for alternative, *pvalues in (
        ("greater", 0.0135878911145941, 0.076412689404398),
        ("less", 0.986412108885406, 0.923587310595602),
    ):
        paired = normal_test(roc_auc_test(POOR_OUTCOME, WFNS, S100B), alternative)[1]
        unpaired = welch_test(compare(False, POOR_OUTCOME, WFNS, S100B), (WFNS, S100B), alternative)
        assert (paired, unpaired[1]) == pytest.approx(pvalues, rel=1e-12)


def test_covariances_of_proc():
    found = compare_roc_auc(POOR_OUTCOME, {"wfns": WFNS, "ndka": NDKA, "s100b": S100B})
    expected = [
        [0.00146991470882363, -0.000532967856762438, 0.00119615567376754],
        [-0.000532967856762438, 0.0031908105493913, -0.000756164938056579],
        [0.00119615567376754, -0.000756164938056579, 0.00266868245717244],
    ]
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-12)
    # Holm (1979): 0.005, 0.027 and 0.164 are multiplied by how many are not below them.
    pairs = found.pairwise()
    adjusted = np.sort(pairs.pvalue) * [3, 2, 1]
    np.testing.assert_allclose(np.sort(pairs.adjusted_pvalue), adjusted, rtol=1e-15)


def shown(*values):
    return [f"{value:.4f}" for value in values]


def test_delong_1988():
    # The data and the contrasts of "Comparing Receiver Operating Characteristic Curves", example
    # 72.8 of PROC LOGISTIC in the SAS/STAT 14.1 User's Guide. The figures are those of the
    # definition, to four decimals.
    tests = {"K-G": KG_SCORE, "protein": PROTEIN, "albumin": ALBUMIN}
    figures = {
        "K-G": ["0.7258", "0.1028", "0.5243", "0.9273"],
        "protein": ["0.6478", "0.1000", "0.4518", "0.8439"],
        "albumin": ["0.7366", "0.0927", "0.5549", "0.9182"],
    }
    for name, scores in tests.items():
        found = roc_auc_ci(BENEFIT, scores)
        reach = NormalDist().inv_cdf(0.975) * found.standard_error
        ends = found.statistic - reach, found.statistic + reach
        numbers = found.statistic, found.standard_error, *ends
        assert shown(*numbers) == figures[name]
    for name, expected in (
        ("protein", ["-0.0780", "0.1046", "-0.2830", "0.1271", "0.5554", "0.4561"]),
        ("albumin", ["0.0108", "0.0953", "-0.1761", "0.1976", "0.0127", "0.9102"]),
    ):
        found = roc_auc_test(BENEFIT, tests[name], KG_SCORE)
        statistic, pvalue, *ends = normal_test(found)
        numbers = found.difference, found.standard_error, *ends
        assert shown(*numbers, statistic**2, pvalue) == expected
    found = compare_roc_auc(BENEFIT, tests)
    contrast = np.array([[-1, 1, 0], [-1, 0, 1]])
    deviation = contrast @ found.auc
    chi_square = deviation @ np.linalg.solve(contrast @ found.covariance @ contrast.T, deviation)
    assert shown(chi_square) == ["2.5340"]


# Shapes of the answer -----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"groups": [1, 2, 1, 3, 3, 4, 5, 4]}])
@pytest.mark.parametrize("weight", [None, [0.1, 0.7, 0.3, 1, 1, 0.9, 0.2, 3]])
def test_equal_scores_are_no_evidence(options, weight):
    found = roc_auc_test(Y, A, np.exp(A), sample_weight=weight, **options)
    assert found[:4] == (0, 1, 0, 0)
    assert -0.7 < found.confidence_interval.low < 0 < found.confidence_interval.high < 0.7
    assert roc_auc_test(Y, A, A, alternative="greater", **options).pvalue == 0.5


@by_sample
def test_a_variance_of_0_is_no_proof(is_paired):
    opposite = Y, Y, [-y for y in Y]
    # By hand: an effective size of 4, and both areas 1/2, with a variance of 1/16 each.
    found = compare(is_paired, *opposite)
    assert (found.difference, found.method) == (1, "score")
    assert found.statistic == pytest.approx(math.sqrt(8), rel=1e-15)
    assert found.pvalue == pytest.approx(math.erfc(2), rel=1e-14)
    # Two perfect orders.
    found = compare(is_paired, Y, Y, np.exp(Y))
    assert found[:4] == (0, 1, 0, 0)
    # Of d with d^2 = z^2 d (1 - d) / 4, an effective size of 4.
    end = 1 / (1 + 4 / NormalDist().inv_cdf(0.975) ** 2)
    assert found.confidence_interval == pytest.approx((-end, end), abs=1e-14)


@by_sample
def test_one_positive_is_too_few(is_paired):
    with pytest.warns(fastauc.UndefinedMetricWarning, match="expected two or more of each"):
        found = compare(is_paired, [0, 0, 1], [1, 2, 3], [2, 1, 1])
    assert np.isnan([found.statistic, found.pvalue, found.standard_error]).all()
    assert found.difference == 0.75
    with pytest.warns(fastauc.UndefinedMetricWarning, match="expected two or more of each"):
        found = compare_roc_auc([0, 0, 1], [[1, 2, 3], [2, 1, 1]])
    assert found.auc.tolist() == [1, 0.25]
    assert np.isnan(found.covariance).all()
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class is present"):
        pairs = compare_roc_auc([1, 1, 1], [[1, 2, 3], [2, 1, 3]]).pairwise()
    assert np.isnan(pairs[2:-1]).all()


# Input --------------------------------------------------------------------------------------------

EQUIVALENCE = {"alternative": "equivalence", "margin": 0.1}
BAD = {
    "no margin": ({"alternative": "equivalence"}, "'margin' parameter.*Got None"),
    "low level": (
        EQUIVALENCE | {"confidence_level": 0.4},
        "'confidence_level'.*ends are one-sided",
    ),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        roc_auc_test(**{"y_true": Y, "score_a": A, "score_b": B} | options)


@pytest.mark.parametrize("auc", [1.5, -1, NAN, "a", None])
def test_a_constant_outside_its_range_is_named(auc):
    with pytest.raises(ValueError, match=r"'auc' parameter of roc_auc.*range \[0, 1.0\]"):
        roc_auc_test_1samp(Y, A, auc)


def test_no_part_has_a_standardized_area_below_the_least():
    # An area of 0: by McClish, (1 - 1/8 / (1/2 - 1/8)) / 2.
    expected = r"'auc'.*\[0.333333, 1.0\] for fpr_range=\(0, 0.5\). Got 0.3"
    with pytest.raises(ValueError, match=expected):
        roc_auc_test_1samp(Y, A, 0.3, fpr_range=(0, 0.5))
    found = roc_auc_test_1samp(Y, A, 1 / 3, fpr_range=(0, 0.5))
    assert (found.statistic, found.pvalue) == (math.inf, 0)
    assert 0 < roc_auc_test_1samp(Y, A, 0.34, fpr_range=(0, 0.5)).pvalue < 1


def test_columns_of_two_samples_are_named():
    with pytest.raises(ValueError, match="y_true_b has 8, score_b has 7"):
        roc_auc_test_ind(Y, A, Y, B[1:])
    with pytest.raises(ValueError, match=r"sample_weight_a\[2\] is -1"):
        roc_auc_test_ind(Y, A, Y, B, sample_weight=([1, 1, -1, 1, 1, 1, 1, 1], None))
    for name in "sample_weight", "groups":
        with pytest.raises(
            ValueError, match=f"'{name}' parameter of roc_auc_test_ind must be a pair"
        ):
            roc_auc_test_ind(Y, A, Y, B, **{name: [1] * 8})


@pytest.mark.parametrize(
    ("scores", "directions", "message"),
    [
        (np.array(A), True, r"scores is an array of shape \(8,\)"),
        ([], True, "scores contains no models"),
        (3, True, "'scores' parameter of compare_roc_auc must be a matrix"),
        ("abc", True, "'scores' parameter of compare_roc_auc must be a matrix"),
        ({"m": [*A[1:], NAN]}, True, r"scores\['m'\]\[7\] is nan"),
        ({"m": [*A[1:], math.inf]}, {"m": False}, r"scores\['m'\]\[7\] is inf"),
        ({"m": A, "n": B}, (False,), "has 1 entries; expected 2, one for each column of scores"),
        ({"m": A, "n": B}, "n", "'higher_is_positive' parameter of compare_roc_auc must be an ins"),
    ],
)
def test_bad_scores_are_named(scores, directions, message):
    with pytest.raises(ValueError, match=message):
        compare_roc_auc(Y, scores, higher_is_positive=directions)
