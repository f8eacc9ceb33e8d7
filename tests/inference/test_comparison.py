"""Tests of two and more areas: definitions, worked examples of others, and their level."""

import math
import warnings
from functools import partial
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies

import fastauc
import naive
from fastauc.inference import _comparison, compare_roc_auc, roc_auc_test
from support.laws import law, model_problem
from support.studies import ALBUMIN, BENEFIT, KG_SCORE, NDKA, POOR_OUTCOME, PROTEIN, S100B, WFNS

NAN = math.nan
PAIRED = strategies.lists(
    strategies.tuples(
        strategies.booleans(), *[strategies.integers(0, 3)] * 2, strategies.integers(0, 4)
    ),
    min_size=2,
    max_size=12,
)
ALTERNATIVES = strategies.sampled_from(["two-sided", "less", "greater"])
TEST_METHODS = strategies.sampled_from([None, "t", "delong", "score"])
Y, A, B = [0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]


def quiet(function, *args, **options):
    """Call a function without the warning that something is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fastauc.UndefinedMetricWarning)
        return function(*args, **options)


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


def rows_of(pairs):
    """Return the columns of pairwise tests that their definition has."""
    numbers = pairs.difference, pairs.standard_error, pairs.statistic, pairs.pvalue
    return [column.tolist() for column in (*pairs[:2], *numbers, pairs.adjusted_pvalue)]


# Definitions --------------------------------------------------------------------------------------


@given(PAIRED, ALTERNATIVES, TEST_METHODS, strategies.data())
def test_paired_tests_are_their_definition(rows, alternative, method, data):
    label, first, second, unit = map(list, zip(*rows, strict=True))
    options = {"alternative": alternative, "confidence_level": 0.9, "method": method}
    if data.draw(strategies.booleans()):
        options["groups"] = unit
    if data.draw(strategies.booleans()):
        weights = strategies.lists(strategies.sampled_from([1, 2, 0.5]), min_size=len(rows))
        options["sample_weight"] = data.draw(weights)[: len(rows)]
    found = quiet(roc_auc_test, label, first, second, **options)
    assert_result(found, naive.roc_auc_test(label, first, second, **options))


@given(PAIRED, PAIRED, ALTERNATIVES, TEST_METHODS, strategies.booleans())
def test_unpaired_tests_are_their_definition(rows, others, alternative, method, is_grouped):
    label, first, _, unit = zip(*rows, strict=True)
    label_b, second, _, unit_b = zip(*others, strict=True)
    options = {"alternative": alternative, "y_true_b": label_b, "method": method}
    if is_grouped:
        options |= {"groups": unit, "groups_b": unit_b}
    found = quiet(roc_auc_test, label, first, second, **options)
    assert_result(found, naive.roc_auc_test(label, first, second, **options))


@given(PAIRED, strategies.sampled_from([0, 0.5, 0.75, 1]), ALTERNATIVES)
def test_tests_against_a_constant_are_their_definition(rows, constant, alternative):
    label, first, _, _ = zip(*rows, strict=True)
    found = quiet(roc_auc_test, label, first, constant, alternative=alternative)
    statistic, *others = naive.roc_auc_test(label, first, constant, alternative=alternative)
    assert (found.statistic, found.pvalue) == pytest.approx(
        (statistic, others[0]), rel=1e-9, abs=1e-12, nan_ok=True
    )
    assert_result(found, (statistic, *others))


WITH_MARGIN = strategies.sampled_from(["non-inferiority", "equivalence"])


MARGINS = strategies.sampled_from([0.01, 0.1, 0.4])


@given(PAIRED, WITH_MARGIN, MARGINS, TEST_METHODS, strategies.booleans())
def test_tests_with_a_margin_are_their_definition(rows, alternative, margin, method, paired):
    label, first, second, _ = zip(*rows, strict=True)
    options = {"alternative": alternative, "margin": margin, "method": method}
    options |= {} if paired else {"y_true_b": label}
    found = quiet(roc_auc_test, label, first, second, **options)
    expected = naive.roc_auc_test(label, first, second, **options)
    # The difference and the margin may be nearly equal.
    close = 1e-14 / expected[3] if expected[3] else 0
    assert found.statistic == pytest.approx(expected[0], rel=1e-9, abs=close, nan_ok=True)
    assert_result(found, (found.statistic, *expected[1:]))


@law
@given(
    PAIRED,
    WITH_MARGIN,
    strategies.floats(0.01, 0.9),
    strategies.sampled_from([0.05, 0.2, 0.5]),
    strategies.sampled_from(["t", "delong", "score"]),
    strategies.booleans(),
)
def test_a_margin_is_kept_where_the_interval_keeps_it(
    rows, alternative, margin, alpha, method, paired
):
    label, first, second, _ = zip(*rows, strict=True)
    shared = {"method": method} | ({} if paired else {"y_true_b": label})
    options = {"alternative": alternative, "margin": margin, "confidence_level": 1 - alpha}
    found = quiet(roc_auc_test, label, first, second, **options, **shared)
    if math.isnan(found.pvalue):
        return
    low, high = found.confidence_interval
    least, greatest = -margin, margin if alternative == "equivalence" else 2.0
    if min(abs(low - least), abs(high - greatest)) > 1e-9:
        assert (found.pvalue < alpha) == (least < low and high < greatest)
    # An interval of the usual two-sided kind, of 1 - 2 alpha, has the same lower end.
    if alpha < 0.5:
        usual = quiet(roc_auc_test, label, first, second, confidence_level=1 - 2 * alpha, **shared)
        assert low == pytest.approx(usual.confidence_interval.low, abs=1e-12)


def test_equivalence_is_two_tests_against_the_ends_of_the_margin():
    # The same rows: 0.25 less than 0.3 and more than -0.3, in standard errors of 0.25.
    options = {"margin": 0.3, "method": "delong"}
    found = roc_auc_test(Y, A, B, alternative="equivalence", **options)
    assert found.statistic == pytest.approx(0.05 / found.standard_error)
    turned = roc_auc_test(Y, B, A, alternative="equivalence", **options)
    assert turned[:2] == found[:2]
    kept = roc_auc_test(Y, A, B, alternative="non-inferiority", **options)
    lost = roc_auc_test(Y, B, A, alternative="non-inferiority", **options)
    assert kept.statistic == pytest.approx(0.55 / kept.standard_error)
    assert found.pvalue == max(kept.pvalue, lost.pvalue) == lost.pvalue
    # Two perfect orders of eight rows do not prove that the areas are as near as that.
    with pytest.warns(fastauc.UndefinedMetricWarning, match="a test with a margin is undefined"):
        found = roc_auc_test(Y, Y, Y, alternative="equivalence", margin=0.01, method="delong")
    assert np.isnan(found[:2]).all()
    found = roc_auc_test(Y, Y, Y, alternative="equivalence", margin=0.01)
    # By hand: an effective size of 4, and of areas that differ by 0.01 the greater one is 1.
    assert found.statistic == pytest.approx(0.01 / math.sqrt(0.01 * 0.99 / 4), rel=1e-14)
    assert found.pvalue > 0.4


@law
@given(
    PAIRED,
    TEST_METHODS,
    strategies.floats(0.01, 0.5),
    strategies.booleans(),
)
def test_areas_differ_where_the_interval_does_not_hold_0(rows, method, alpha, paired):
    label, first, second, _ = zip(*rows, strict=True)
    options = {"method": method, "confidence_level": 1 - alpha}
    options |= {} if paired else {"y_true_b": label}
    found = quiet(roc_auc_test, label, first, second, **options)
    low, high = found.confidence_interval
    if not math.isnan(found.pvalue) and min(abs(low), abs(high)) > 1e-9:
        assert (found.pvalue < alpha) == (low > 0 or high < 0)


INTERVALS = {"score": "wilson", "delong": "delong", "t": None}


@pytest.mark.parametrize("method", INTERVALS)
@law
@given(PAIRED, strategies.floats(0, 1), strategies.sampled_from([0.05, 0.2, 0.9]), ALTERNATIVES)
def test_no_test_contradicts_its_interval(method, rows, constant, alpha, alternative):
    label, scores, _, _ = zip(*rows, strict=True)
    options = {"alternative": alternative, "confidence_level": 1 - alpha, "method": method}
    found = quiet(roc_auc_test, label, scores, constant, **options)
    assert found.method == method
    if math.isnan(found.confidence_interval.low):
        return
    level = 1 - alpha if alternative == "two-sided" else 1 - 2 * alpha
    ends = [end + constant for end in found.confidence_interval]
    if level > 0 and INTERVALS[method] is not None:
        options = {"method": INTERVALS[method], "confidence_level": level}
        low, high = fastauc.inference.roc_auc_ci(label, scores, **options).confidence_interval
        expected = -1 + constant if alternative == "less" else low
        assert ends[0] == pytest.approx(expected, abs=1e-12)
        expected = 1 + constant if alternative == "greater" else high
        assert ends[1] == pytest.approx(expected, abs=1e-12)
    # Both are rounded: at an end of the interval, p is alpha but for the last places. The one that
    # is symmetric about the area is clipped at 0 and 1.
    is_clipped = method != "score" and constant in (0, 1)
    if min(abs(constant - end) for end in ends) > 1e-9 and not is_clipped:
        assert (found.pvalue < alpha) == (not ends[0] <= constant <= ends[1])


def test_a_constant_by_the_methods_of_two_areas():
    # DeLong's: the difference over the error of the area, as in the contrast of PROC LOGISTIC.
    estimate = fastauc.inference.roc_auc_ci(BENEFIT, ALBUMIN, method="delong")
    z = (estimate.statistic - 0.5) / estimate.standard_error
    found = roc_auc_test(BENEFIT, ALBUMIN, 0.5, method="delong")
    assert found.statistic == pytest.approx(z, rel=1e-14)
    assert found.pvalue == pytest.approx(2 * NormalDist().cdf(-z), rel=1e-12)
    assert (found.df, found.method) == (math.inf, "delong")
    assert found.standard_error == estimate.standard_error
    by_t = roc_auc_test(BENEFIT, ALBUMIN, 0.5, method="t")
    assert by_t.statistic == found.statistic
    # Between those of the smaller class and of both: 12 and 37 rows.
    assert 11 <= by_t.df <= 47
    assert by_t.pvalue > found.pvalue
    with pytest.warns(fastauc.UndefinedMetricWarning, match="estimated as 0, although"):
        assert math.isnan(roc_auc_test(Y, Y, 0.5, method="delong").pvalue)


@pytest.mark.parametrize("of", ["weights", "groups"])
@law
@given(PAIRED, strategies.floats(0, 1))
def test_nor_with_weights_or_groups(of, rows, constant):
    label, scores, weights, units = zip(*rows, strict=True)
    options = {"groups": units}
    if of == "weights":
        options = {"sample_weight": [1 + weight / 3 for weight in weights]}
    found = quiet(roc_auc_test, label, scores, constant, **options)
    if not math.isnan(found.pvalue):
        low, high = fastauc.inference.roc_auc_ci(label, scores, **options).confidence_interval
        if min(abs(constant - low), abs(constant - high)) > 1e-9:
            assert (found.pvalue < 0.05) == (not low <= constant <= high)


@given(PAIRED, strategies.booleans(), strategies.booleans())
def test_covariances_and_all_pairs_are_their_definition(rows, is_grouped, is_weighted):
    label, first, second, unit = map(list, zip(*rows, strict=True))
    scores = {
        "first": first,
        "second": second,
        "sum": [a + b for a, b in zip(first, second, strict=True)],
    }
    options = {"groups": unit} if is_grouped else {}
    if is_weighted:
        options["sample_weight"] = [1 + u / 3 for u in unit]
    found = quiet(compare_roc_auc, label, scores, **options)
    names, areas, covariance, expected = naive.compare_roc_auc(label, scores, **options)
    assert found.names == names
    np.testing.assert_allclose(found.areas, np.array(areas, float), rtol=0, atol=1e-15)
    np.testing.assert_allclose(
        found.covariance, np.array(covariance, float), rtol=1e-12, atol=1e-16
    )
    if is_weighted:
        return  # rounded p-values may be in another order than exact ones
    rows = zip(*rows_of(found.pairwise()), strict=True)
    for row, numbers in zip(rows, expected, strict=True):
        assert row[:2] == numbers[:2]
        assert row[2:] == pytest.approx(numbers[2:], rel=1e-9, abs=1e-12, nan_ok=True)


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
    "ndka, s100b": (
        (NDKA, S100B),
        (-1.39077002573558, 0.164295175223054, -0.2876917446341914, 0.0488706064228094),
        (-1.55995743389685, 0.120192832430845),
    ),
}


@pytest.mark.parametrize(("scores", "paired", "unpaired"), PROC.values(), ids=PROC)
def test_figures_of_proc(scores, paired, unpaired):
    # Printed to 15 digits, from sums of doubles: 1e-12.
    found = roc_auc_test(POOR_OUTCOME, *scores, method="delong")
    numbers = found.statistic, found.pvalue, *found.confidence_interval
    assert numbers == pytest.approx(paired, rel=1e-12)
    found = roc_auc_test(POOR_OUTCOME, *scores, method="delong", y_true_b=POOR_OUTCOME)
    assert (found.statistic, found.pvalue) == pytest.approx(unpaired, rel=1e-12)


def test_one_sided_figures_of_proc():
    options = {"y_true": POOR_OUTCOME, "score_a": WFNS, "score_b": S100B, "method": "delong"}
    for alternative, paired, unpaired in (
        ("greater", 0.0135878911145941, 0.076412689404398),
        ("less", 0.986412108885406, 0.923587310595602),
    ):
        pvalue = roc_auc_test(**options, alternative=alternative).pvalue
        assert pvalue == pytest.approx(paired, rel=1e-12)
        pvalue = roc_auc_test(**options, alternative=alternative, y_true_b=POOR_OUTCOME).pvalue
        assert pvalue == pytest.approx(unpaired, rel=1e-12)


def test_covariances_of_proc():
    found = compare_roc_auc(POOR_OUTCOME, {"wfns": WFNS, "ndka": NDKA, "s100b": S100B})
    expected = [
        [0.00146991470882363, -0.000532967856762438, 0.00119615567376754],
        [-0.000532967856762438, 0.0031908105493913, -0.000756164938056579],
        [0.00119615567376754, -0.000756164938056579, 0.00266868245717244],
    ]
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-12)


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
        options = {"method": "delong"}
        found = fastauc.inference.roc_auc_ci(BENEFIT, scores, **options)
        numbers = found.statistic, found.standard_error, *found.confidence_interval
        assert shown(*numbers) == figures[name]
        *expected, (low, high) = naive.roc_auc_ci(BENEFIT, scores, **options)[:3]
        assert shown(*expected, low, high) == figures[name]
    for name, expected in (
        ("protein", ["-0.0780", "0.1046", "-0.2830", "0.1271", "0.5554", "0.4561"]),
        ("albumin", ["0.0108", "0.0953", "-0.1761", "0.1976", "0.0127", "0.9102"]),
    ):
        samples, options = (BENEFIT, tests[name], KG_SCORE), {"method": "delong"}
        found = roc_auc_test(*samples, **options)
        numbers = found.difference, found.standard_error, *found.confidence_interval
        assert shown(*numbers, found.statistic**2, found.pvalue) == expected
        statistic, pvalue, *others, _, ends = naive.roc_auc_test(*samples, **options)
        assert shown(*map(float, others), *ends, statistic**2, pvalue) == expected
    areas = compare_roc_auc(BENEFIT, tests)
    contrast = np.array([[-1, 1, 0], [-1, 0, 1]])
    deviation = contrast @ areas.areas
    chi_square = deviation @ np.linalg.solve(contrast @ areas.covariance @ contrast.T, deviation)
    assert shown(chi_square) == ["2.5340"]


def test_holm():
    # Worked by hand: 0.01, 0.02, 0.03 and 0.04 times 4, 3, 2, 1, and none below one before it.
    adjust = partial(_comparison._adjust, adjust="holm")
    assert adjust([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert adjust([0.9, NAN, 0.6]) == pytest.approx([1.0, NAN, 1.0], nan_ok=True)
    assert adjust([]) == []
    assert _comparison._adjust([0.04, 0.3], "bonferroni") == [0.08, 0.6]
    assert _comparison._adjust([0.04, NAN], None) == pytest.approx([0.04, NAN], nan_ok=True)


# Shapes of the answer -----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"groups": [1, 2, 1, 3, 3, 4, 5, 4]}])
@pytest.mark.parametrize("weight", [None, [0.1, 0.7, 0.3, 1, 1, 0.9, 0.2, 3]])
def test_equal_scores_are_no_evidence(options, weight):
    found = roc_auc_test(Y, A, np.exp(A), sample_weight=weight, **options)
    assert found[:4] == (0, 1, 0, 0)
    assert -0.7 < found.confidence_interval.low < 0 < found.confidence_interval.high < 0.7
    assert roc_auc_test(Y, A, A, alternative="greater", **options).pvalue == 0.5
    with pytest.warns(fastauc.UndefinedMetricWarning, match="0: the interval is undefined"):
        found = roc_auc_test(Y, A, np.exp(A), sample_weight=weight, method="delong", **options)
    assert found[:4] == (0, 1, 0, 0)
    assert np.isnan(found.confidence_interval).all()


def test_a_variance_of_0_is_no_proof():
    opposite = [0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1]
    for options in ({}, {"y_true_b": opposite[0]}):
        with pytest.warns(fastauc.UndefinedMetricWarning, match="estimated as 0, although"):
            found = roc_auc_test(*opposite, method="delong", **options)
        assert np.isnan([found.statistic, found.pvalue, *found.confidence_interval]).all()
        assert found.difference == 1
        # By hand: an effective size of 2, and both areas 1/2, with a variance of 1/8 each.
        found = roc_auc_test(*opposite, **options)
        assert found.statistic == pytest.approx(1 / math.sqrt(1 / 4), rel=1e-15)
        assert found.pvalue == pytest.approx(math.erfc(math.sqrt(2)), rel=1e-14)


def test_two_perfect_orders_are_not_proven_equal():
    for options in ({}, {"y_true_b": Y}):
        found = roc_auc_test(Y, Y, np.exp(Y), **options)
        assert found[:4] == (0, 1, 0, 0)
        # Of d with d^2 = z^2 d (1 - d) / 4, an effective size of 4.
        end = 1 / (1 + 4 / NormalDist().inv_cdf(0.975) ** 2)
        assert found.confidence_interval == pytest.approx((-end, end), abs=1e-14)


def test_a_perfect_order_against_a_constant_is_judged_after_wilson():
    # By hand: two rows of each class are an effective size of 2, and the variance at 1/2 is 1/8.
    found = roc_auc_test([0, 0, 1, 1], [1, 2, 3, 4], 0.5)
    assert found.statistic == pytest.approx(0.5 / math.sqrt(1 / 8), rel=1e-15)
    assert (found.difference, found.standard_error) == (0.5, 0)
    interval = fastauc.inference.roc_auc_ci([0, 0, 1, 1], [1, 2, 3, 4]).confidence_interval
    assert found.confidence_interval == (interval.low - 0.5, 0.5)
    assert roc_auc_test([0, 0, 1, 1], [1, 2, 3, 4], 1).pvalue == 1
    assert roc_auc_test([0, 0, 1, 1], [1, 2, 3, 4], 0).pvalue == 0


@pytest.mark.parametrize("second", [[2, 1, 3], 0.5])
def test_one_class_is_undefined(second):
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class is present"):
        found = roc_auc_test([1, 1, 1], [1, 2, 3], second)
    assert np.isnan([*found[:4], *found.confidence_interval]).all()
    if isinstance(second, list):
        with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class is present"):
            areas = compare_roc_auc([1, 1, 1], [[1, 2, 3], second])
        assert np.isnan(areas.areas).all()
        assert np.isnan(areas.covariance).all()
        with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class is present"):
            pairs = compare_roc_auc([1, 1, 1], [[1, 2, 3], second]).pairwise()
        assert np.isnan(pairs[2:-1]).all()


@pytest.mark.parametrize("options", [{}, {"y_true_b": [0, 0, 1]}])
def test_one_positive_is_too_few(options):
    with pytest.warns(fastauc.UndefinedMetricWarning, match="two or more positive and negative"):
        found = roc_auc_test([0, 0, 1], [1, 2, 3], [2, 1, 1], **options)
    assert np.isnan([found.statistic, found.pvalue, found.standard_error]).all()
    assert found.difference == 0.75
    with pytest.warns(fastauc.UndefinedMetricWarning, match="two or more positive and negative"):
        areas = compare_roc_auc([0, 0, 1], [[1, 2, 3], [2, 1, 1]])
    assert areas.areas.tolist() == [1, 0.25]
    assert np.isnan(areas.covariance).all()


def test_bounds_agree_with_the_test():
    # At a level of 1 - p the interval of a two-sided test ends at 0.
    for options in ({}, {"y_true_b": Y}):
        pvalue = roc_auc_test(Y, A, B, **options).pvalue
        found = roc_auc_test(Y, A, B, confidence_level=1 - pvalue, **options)
        assert min(map(abs, found.confidence_interval)) == pytest.approx(0, abs=1e-12)


def test_one_sided_intervals_end_where_areas_do():
    greater, less = (roc_auc_test(Y, A, B, alternative=name) for name in ("greater", "less"))
    assert greater.confidence_interval.high == 1
    assert less.confidence_interval.low == -1
    assert greater.pvalue + less.pvalue == pytest.approx(1, abs=1e-15)


# Invariance, containers ---------------------------------------------------------------------------


def test_the_diagonal_is_that_of_one_score():
    areas = compare_roc_auc(POOR_OUTCOME, [WFNS, NDKA])
    for k, scores in enumerate((WFNS, NDKA)):
        found = fastauc.inference.roc_auc_ci(POOR_OUTCOME, scores)
        assert areas.areas[k] == found.statistic
        assert math.sqrt(areas.covariance[k, k]) == found.standard_error


def test_scores_in_any_container():
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    columns = {"a": A, "b": B}
    expected = compare_roc_auc(Y, columns)
    assert expected.names == ("a", "b")
    matrix = np.column_stack([A, B])
    named = [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]
    for scores in (*named, [A, B], (np.array(A), B), matrix, np.asfortranarray(matrix)):
        found = compare_roc_auc(Y, scores)
        np.testing.assert_array_equal(found.covariance, expected.covariance)
        assert found.names == (("a", "b") if any(scores is frame for frame in named) else (0, 1))
    twice = pandas.DataFrame(matrix, columns=["same", "same"])
    assert compare_roc_auc(Y, twice).names == ("same", "same")
    np.testing.assert_array_equal(compare_roc_auc(Y, twice).covariance, expected.covariance)


# Input --------------------------------------------------------------------------------------------


BAD = {
    "no margin": ((Y, A, B), {"alternative": "equivalence"}, "'margin' parameter.*Got None"),
    "wide": ((Y, A, B), {"alternative": "equivalence", "margin": 1}, "'margin' parameter.*Got 1"),
    "margin": ((Y, A, B), {"margin": 0.1}, "margin is given, but alternative='two-sided' has none"),
    "margin of a constant": (
        (Y, A, 0.5),
        {"alternative": "non-inferiority", "margin": 0.1},
        "with a constant, moved by the margin",
    ),
    "low level": (
        (Y, A, B),
        {"alternative": "equivalence", "margin": 0.1, "confidence_level": 0.4},
        "'confidence_level' parameter.*both ends are one-sided",
    ),
    "lengths": ((Y, A, B[:7]), {}, "y_true has 8, score_a has 8, score_b has 7"),
    "nan": ((Y, A, [*B[:7], NAN]), {}, r"score_b\[7\] is nan"),
    "other nan": ((Y, [*B[:7], NAN], B), {}, r"score_a\[7\] is nan"),
    "no second sample": ((Y, A, B), {"groups_b": Y}, "groups_b is given, but there is no second"),
    "constant": ((Y, A, 0.5), {"y_true_b": Y}, "y_true_b is given, but score_b is a constant"),
    "second labels": ((Y, A, B), {"y_true_b": Y[1:]}, "y_true_b has 7, score_b"),
    "other lengths": ((Y, A, B[1:]), {"y_true_b": Y}, "y_true_b has 8, score_b has 7"),
    "weights": (
        (Y, A, B),
        {"y_true_b": Y, "sample_weight_b": [-1] * 8},
        r"sample_weight_b\[0\] is -1.0",
    ),
    "group": ((Y, A, B), {"y_true_b": Y, "groups_b": [None] * 8}, r"groups_b\[0\] is None"),
}


@pytest.mark.parametrize(("args", "options", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_named(args, options, message):
    with pytest.raises(ValueError, match=message):
        roc_auc_test(*args, **options)


BAD_SCORES = {
    "vector": (np.array(A), r"scores is an array of shape \(8,\)"),
    "no model": ([], "scores contains no models"),
    "number": (3, "'scores' parameter of compare_roc_auc must be a matrix"),
    "text": ("abc", "'scores' parameter of compare_roc_auc must be a matrix"),
    "length": ([A, B[1:]], r"scores\[1\] has 7"),
    "nan": ({"m": [*A[1:], NAN]}, r"scores\['m'\]\[7\] is nan"),
}


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES.values(), ids=BAD_SCORES)
def test_bad_scores_are_named(scores, message):
    with pytest.raises(ValueError, match=message):
        compare_roc_auc(Y, scores)


# Level --------------------------------------------------------------------------------------------


@pytest.mark.ci
def test_as_many_false_alarms_as_promised():
    rng = np.random.default_rng(4)
    paired = unpaired = fixed = 0
    n_samples = 500
    for _ in range(n_samples):
        y_true, latent = model_problem(rng, 80, 120)
        first, second = (latent + 0.5 * rng.random(len(latent)) for _ in range(2))
        paired += roc_auc_test(y_true, first, second).pvalue < 0.05
        other, scores = model_problem(rng, 60, 60)
        unpaired += roc_auc_test(y_true, latent, scores, y_true_b=other).pvalue < 0.05
        fixed += roc_auc_test(y_true, latent, 5 / 6).pvalue < 0.05
    # 5 %, with a deviation of 1 % over so many samples, and the seed is fixed.
    for share in (paired / n_samples, unpaired / n_samples, fixed / n_samples):
        assert 0.02 < share < 0.08


@pytest.mark.ci
def test_few_rows_give_fewer_false_alarms_by_student_than_by_the_normal_distribution():
    # 20 rows of each class and scores of no correlation: the normal distribution rejects 6 %.
    rng = np.random.default_rng(7)
    y_true, n_samples, alarms = np.repeat([0, 1], 20), 1000, {"t": 0, "delong": 0}
    for _ in range(n_samples):
        scores = rng.standard_normal((2, 40)) + 0.7 * y_true
        found = {method: roc_auc_test(y_true, *scores, method=method) for method in alarms}
        for method, result in found.items():
            alarms[method] += result.pvalue < 0.05
        low, high = found["t"].confidence_interval
        inner = found["delong"].confidence_interval
        assert low <= inner.low <= inner.high <= high
        # The variance of each class has 19 degrees of freedom, and their sum has up to 38.
        assert 19 <= found["t"].df <= 38
    # 5 %, with a deviation of 0.7 % over so many samples, and the seed is fixed.
    assert 0.03 < alarms["t"] / n_samples < 0.06
    assert alarms["t"] < alarms["delong"]


def test_as_many_false_alarms_of_a_margin_as_promised():
    # Areas of 0.85 and 0.9, by scores of correlation 0.7: a symmetric interval is wrong in 8 %.
    rng = np.random.default_rng(6)
    shifts = math.sqrt(2) * np.array([NormalDist().inv_cdf(area) for area in (0.85, 0.9)])
    y_true, n_samples = np.repeat([0, 1], 50), 500
    alarms = {"delong": 0, "score": 0}
    for _ in range(n_samples):
        common, own = rng.standard_normal(100), rng.standard_normal((2, 100))
        scores = math.sqrt(0.7) * common + math.sqrt(0.3) * own + np.outer(shifts, y_true)
        rule = {"alternative": "non-inferiority", "margin": 0.05}
        for method in alarms:
            alarms[method] += roc_auc_test(y_true, *scores, method=method, **rule).pvalue < 0.05
    # 5 %, with a deviation of 1 % over so many samples, and the seed is fixed.
    assert 0.01 < alarms["score"] / n_samples < 0.07
    assert alarms["score"] < alarms["delong"]


def test_as_many_false_alarms_as_promised_near_a_perfect_order():
    # An area of 0.95 with 20 rows of each class, where a symmetric interval is wrong in 14 %.
    rng = np.random.default_rng(5)
    shift = math.sqrt(2) * NormalDist().inv_cdf(0.95)
    y_true, n_samples, alarms = np.repeat([0, 1], 20), 500, 0
    for _ in range(n_samples):
        scores = rng.standard_normal(40) + shift * y_true
        alarms += roc_auc_test(y_true, scores, 0.95).pvalue < 0.05
    assert 0.02 < alarms / n_samples < 0.08


@pytest.mark.parametrize(
    ("direction", "message"),
    [
        ({"point": False}, "names 'point'; expected columns of scores: 'pd', 'points'"),
        ((False,), "has 1 entries; expected 2, one for each column of scores"),
        ("points", "'higher_is_positive' parameter of compare_roc_auc must be an instance of"),
    ],
)
def test_directions_of_other_columns_are_refused(direction, message):
    with pytest.raises(ValueError, match=message):
        compare_roc_auc([0, 1], {"pd": [0, 1], "points": [1, 0]}, higher_is_positive=direction)
    scores = {"pd": [0, 1], "points": [1, math.inf]}
    with pytest.raises(ValueError, match=r"scores\['points'\]\[1\] is inf"):
        compare_roc_auc([0, 1], scores, higher_is_positive={"points": False})
