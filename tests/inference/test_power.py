"""Power and sample sizes: the published tables, and what pROC answers."""

import inspect
import itertools
import math

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

import fastauc
import naive
from fastauc.inference import (
    roc_auc_detectable,
    roc_auc_pilot_power,
    roc_auc_pilot_sample_size,
    roc_auc_power,
    roc_auc_sample_size,
    roc_auc_significance_level,
    roc_auc_test,
)
from naive import inference as naive_inference
from naive.inference import Binormal, power_of, size_of
from support.subarachnoid import NDKA, POOR_OUTCOME, S100B, WFNS

AREAS = [0.55, 0.6, 0.73, 0.8, 0.9, 0.99]


def proc_curves(auc, kappa):
    """Return difference and variances as pROC has them, with the constants printed in 2004."""
    a = scipy.stats.norm.ppf(auc) * 1.414
    actual = 0.0099 * math.exp(-a * a / 2) * (5 * a * a + 8 + (a * a + 8) / kappa)
    return auc - 0.5, 0.0792 * (1 + 1 / kappa), actual


@pytest.mark.parametrize("auc", AREAS)
@pytest.mark.parametrize("kappa", [0.25, 1, 3.7])
@pytest.mark.parametrize("alternative", ["two-sided", "one-sided"])
def test_one_area_is_its_definition(auc, kappa, alternative):
    options = {"alpha": 0.03, "alternative": alternative}
    expected = naive.roc_auc_power(auc, 40, 40 * kappa, **options)
    assert roc_auc_power(auc, 40, 40 * kappa, **options) == pytest.approx(expected, rel=1e-12)
    options |= {"power": 0.85, "ratio": kappa}
    assert roc_auc_sample_size(auc, **options) == naive.roc_auc_sample_size(auc, **options)
    # The published formula is the binormal one with rounded constants.
    ours, published = naive_inference._curves(auc, None, kappa, 0, 0), proc_curves(auc, kappa)
    assert published == pytest.approx(ours, rel=0.006)


@pytest.mark.parametrize(("auc", "auc_b"), [*itertools.permutations([0.6, 0.75, 0.9], 2)])
@pytest.mark.parametrize("correlations", [(0, 0), (0.6, 0.6), (0.3, 0.8), (-0.2, 0.1)])
def test_two_areas_are_their_definition(auc, auc_b, correlations):
    options = {
        "auc_b": auc_b,
        "correlation_pos": correlations[0],
        "correlation_neg": correlations[1],
    }
    expected = naive.roc_auc_power(auc, 70, 130, **options)
    assert roc_auc_power(auc, 70, 130, **options) == pytest.approx(expected, rel=1e-12)
    options |= {"power": 0.9, "ratio": 2}
    assert roc_auc_sample_size(auc, **options) == naive.roc_auc_sample_size(auc, **options)


def test_the_size_has_the_power():
    for auc, auc_b in ((0.7, None), (0.8, 0.75)):
        options = {"auc_b": auc_b, "correlation_pos": 0.4, "correlation_neg": 0.4}
        n_pos, n_neg = roc_auc_sample_size(auc, power=0.9, ratio=3, **options)
        assert roc_auc_power(auc, n_pos, 3 * n_pos, **options) >= 0.9
        assert roc_auc_power(auc, n_pos - 1, 3 * (n_pos - 1), **options) < 0.9
        assert 3 * (n_pos - 1) < n_neg <= 3 * n_pos


NON_INFERIORITY = {"auc_b": 0.8, "alternative": "non-inferiority", "margin": 0.07}
PLANS = [
    {},
    {"alternative": "one-sided", "sd_ratio": 0.4},
    {"auc_b": 0.7, "correlation_pos": 0.5, "correlation_neg": 0.3},
    {"auc_b": 0.7, "correlation_pos": 0.5, "correlation_neg": 0.3, "sd_ratio": 2.5},
    NON_INFERIORITY,
    NON_INFERIORITY | {"correlation_pos": 0.6, "correlation_neg": 0.6, "sd_ratio": 1.5},
]


@pytest.mark.parametrize("plan", PLANS)
def test_each_function_is_its_definition_and_the_inverse_of_another(plan):
    power = roc_auc_power(0.83, 120, 60, **plan)
    assert power == pytest.approx(naive.roc_auc_power(0.83, 120, 60, **plan), rel=1e-12)
    options = plan | {"power": 0.9, "ratio": 0.7}
    assert roc_auc_sample_size(0.83, **options) == naive.roc_auc_sample_size(0.83, **options)
    alpha = roc_auc_significance_level(0.83, 120, 60, power=0.6, **plan)
    expected = naive.roc_auc_significance_level(0.83, 120, 60, power=0.6, **plan)
    # The root is that of a logarithm, of some tens, to 1e-14.
    assert alpha == pytest.approx(expected, rel=1e-11)
    assert roc_auc_power(0.83, 120, 60, alpha=alpha, **plan) == pytest.approx(0.6, abs=1e-12)
    least = roc_auc_detectable(120, 60, power=0.6, **plan)
    expected = naive.roc_auc_detectable(120, 60, power=0.6, **plan)
    # The slope of the power is below some tens, so its rounding moves the root by less.
    assert least == pytest.approx(expected, abs=1e-12)
    assert roc_auc_power(least, 120, 60, **plan) == pytest.approx(0.6, abs=1e-12)
    assert roc_auc_power(least - 1e-6, 120, 60, **plan) < 0.6


def test_the_least_area_where_there_is_none_and_where_any_will_do():
    with pytest.warns(fastauc.UndefinedMetricWarning, match="No AUC is detectable with power 0.8"):
        assert math.isnan(roc_auc_detectable(10, 10, auc_b=0.99))
    plan = {"auc_b": 0.6, "alternative": "non-inferiority", "margin": 0.4}
    assert roc_auc_detectable(500, 500, **plan) == 0.5


def test_a_level_at_the_ends():
    assert roc_auc_significance_level(0.51, 3, 3, power=0.999) == 1
    options = {"auc_b": 0.5, "correlation_pos": 1, "correlation_neg": 1}
    # The difference has no variance: any test shows it.
    assert roc_auc_significance_level(math.nextafter(0.5, 1), 10, 10, **options) == 0


SIMULATED = [
    (0.73, 41, 72, {}),
    (0.7, 40, 40, {"sd_ratio": 2.0}),
    (0.85, 80, 120, {"auc_b": 0.75, "correlation_pos": 0.5, "correlation_neg": 0.5}),
    (0.8, 150, 150, NON_INFERIORITY | {"correlation_pos": 0.6, "correlation_neg": 0.6}),
]


@pytest.mark.parametrize(("auc", "n_pos", "n_neg", "plan"), SIMULATED)
def test_the_power_is_that_of_the_test(auc, n_pos, n_neg, plan):
    rng, n_samples, n_found = np.random.default_rng(5), 500, 0
    b = plan.get("sd_ratio", 1.0)
    areas = [auc, plan.get("auc_b", 0.5)]
    shift = math.sqrt(1 + b * b) * scipy.stats.norm.ppf(areas)
    label = np.repeat([1, 0], [n_pos, n_neg])
    correlations = [[1, plan.get("correlation_pos", 0)], [plan.get("correlation_pos", 0), 1]]
    root = np.linalg.cholesky(correlations)
    rule = {name: plan[name] for name in ("alternative", "margin") if name in plan}
    for _ in range(n_samples):
        scores = rng.standard_normal((n_pos + n_neg, 2)) @ root.T
        scores[:n_pos] += shift
        scores[n_pos:] *= b
        second = scores[:, 1] if "auc_b" in plan else 0.5
        n_found += roc_auc_test(label, scores[:, 0], second, **rule).pvalue < 0.05
    power = roc_auc_power(auc, n_pos, n_neg, **plan)
    # Three standard deviations of the share found, and 0.04 as the formula is asymptotic. Of two
    # areas that differ it promises less than there is.
    near = 3 * math.sqrt(power * (1 - power) / n_samples) + 0.04
    most = 0.15 if plan.get("auc_b") and "margin" not in plan else 0
    assert -near < n_found / n_samples - power < most + near


# Published figures --------------------------------------------------------------------------------


def test_figures_of_proc_for_one_area():
    # tests/testthat/test-power.roc.test.R of pROC 1.19; with its constants to all digits, and ours
    # within what these were rounded by.
    s100b = fastauc.roc_auc_score(POOR_OUTCOME, S100B)
    rule = 0.05, "two-sided"
    for auc, power in ((s100b, 0.9904833), (0.73, 0.9897453)):
        published = power_of(*proc_curves(auc, 72 / 41), 41, *rule)
        assert published == pytest.approx(power, abs=5e-8)
        assert roc_auc_power(auc, 41, 72) == pytest.approx(power, abs=5e-4)
    for power, kappa, n_pos in (
        (0.95, 1.7, 29.29764),
        (0.9, 72 / 41, 23.5598674),
        (0.9, 1, 29.5697422),
    ):
        published = size_of(*proc_curves(s100b, kappa), power, *rule)
        assert published == pytest.approx(n_pos, rel=3e-7)
        found = roc_auc_sample_size(s100b, power=power, ratio=kappa)
        assert found.n_pos == math.ceil(1.005 * n_pos)


def test_level_and_area_of_proc():
    # The same file of pROC; its constants move the level by 3 % and the area by 0.001.
    def power(auc, alpha):
        return power_of(*proc_curves(auc, 72 / 41), 41, alpha, "two-sided") - 0.95

    level = scipy.optimize.brentq(lambda alpha: power(0.73, alpha), 1e-6, 0.5)
    area = scipy.optimize.brentq(lambda auc: power(auc, 0.05), 0.51, 0.99)
    assert level == pytest.approx(0.009238584, rel=1e-6)
    # R's root is found to the fourth root of the precision of a double.
    assert area == pytest.approx(0.6961054, abs=1.3e-4)
    assert roc_auc_significance_level(0.73, 41, 72, power=0.95) == pytest.approx(level, rel=0.04)
    assert roc_auc_detectable(41, 72, power=0.95) == pytest.approx(area, abs=0.001)


# Obuchowski, Lieber and Wians (2004), table 4: one-sided, alpha 0.05, power 0.9; negatives and
# positives for each ratio and area. Two entries as pROC corrects them, 202 and 340.
SIZES = {
    0.25: [(84, 334), (20, 80)],
    0.5: [(101, 202), (25, 49)],
    1: [(135, 135), (33, 33), (14, 14)],
    2: [(203, 102), (50, 25), (21, 11)],
    4: [(340, 85), (84, 21)],
}


@pytest.mark.parametrize("ratio", SIZES)
def test_table_of_obuchowski_2004(ratio):
    for (n_neg, n_pos), auc in zip(SIZES[ratio], (0.6, 0.7, 0.8), strict=False):
        exact = size_of(*proc_curves(auc, ratio), 0.9, 0.05, "one-sided")
        assert (math.ceil(ratio * exact), math.ceil(exact)) == (n_neg, n_pos)
        found = roc_auc_sample_size(auc, power=0.9, ratio=ratio, alternative="one-sided")
        # The table's constants are up to 0.5 % smaller.
        assert 0 <= found.n_pos - n_pos <= 1 + 0.005 * n_pos
        assert 0 <= found.n_neg - n_neg <= 1 + 0.005 * n_neg


def test_example_2_of_obuchowski_and_mcclish_1997():
    # Partial areas, to a false positive rate of 0.2, as the manual of pROC computes them.
    first, second = (Binormal(a, 1.0, (0.0, 0.2)) for a in (2.6, 1.9))
    both = first.covariance(second, 1, 0.6, 0.6)
    null = 2 * first.variance(1) - 2 * both
    curves = 0.037, null, first.variance(1) + second.variance(1) - 2 * both
    assert size_of(*curves, 0.8, 0.05, "two-sided") == pytest.approx(107.0238, abs=5e-5)
    assert power_of(*curves, 107, 0.05, "two-sided") == pytest.approx(0.7999286, abs=5e-8)


# Shapes of the answer -----------------------------------------------------------------------------


def test_figures_of_proc_for_two_areas_of_a_pilot_sample():
    # tests/testthat/test-power.roc.test.R of pROC 1.19, with DeLong's variance.
    pilot = POOR_OUTCOME, NDKA, WFNS
    _, areas, covariance, *_ = fastauc.inference.compare_roc_auc(POOR_OUTCOME, [NDKA, WFNS])
    (own, both), (_, other) = 41 * covariance
    actual = own + other - 2 * both
    published = areas[0] - areas[1], 2 * own - 2 * both, actual
    assert power_of(*published, 41, 0.05, "two-sided") == pytest.approx(0.7131594, abs=5e-8)
    n_pos = size_of(*published, 0.9, 0.05, "two-sided")
    assert (n_pos, 72 / 41 * n_pos) == pytest.approx((64.77777, 113.7561), rel=3e-7)
    # Ours has the variance of the test, DeLong's, also where there is no difference.
    ours = published[0], actual, actual
    found = roc_auc_pilot_power(*pilot, n_pos=41, n_neg=72)
    assert found == pytest.approx(power_of(*ours, 41, 0.05, "two-sided"), rel=1e-12)
    n_pos = size_of(*ours, 0.9, 0.05, "two-sided")
    sizes = roc_auc_pilot_sample_size(*pilot, power=0.9, ratio=72 / 41)
    assert sizes == (math.ceil(n_pos), math.ceil(72 / 41 * n_pos)) == (56, 97)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("is_constant", [False, True])
def test_a_pilot_sample_is_its_definition(seed, is_constant):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(20 + seed) % 3 == 0)
    first, second = np.round(2 * rng.normal(size=(2, len(labels))) + labels)
    pilot = labels, first, 0.3 if is_constant else second
    options = {"alpha": 0.1, "alternative": ("two-sided", "one-sided")[seed % 2]}
    sizes = {"n_pos": 30, "n_neg": 50}
    expected = naive.roc_auc_pilot_power(*pilot, **sizes, **options)
    # What is rounded is relative to numbers near 1; the tail itself is as exact as SciPy's.
    assert roc_auc_pilot_power(*pilot, **sizes, **options) == pytest.approx(expected, rel=1e-10)
    options |= {"power": 0.9, "ratio": 2.5}
    expected = naive.roc_auc_pilot_sample_size(*pilot, **options)
    assert roc_auc_pilot_sample_size(*pilot, **options, n_jobs=2) == expected


@pytest.mark.slow
@pytest.mark.parametrize("is_constant", [False, True])
def test_the_power_of_a_great_pilot_sample_is_that_of_the_test(is_constant):
    rng, n_samples, n_found = np.random.default_rng(12), 2000, 0

    def draw(n_pos, n_neg):
        labels = np.repeat([1, 0], [n_pos, n_neg])
        common, *own = rng.normal(size=(3, len(labels)))
        first, second = (common + noise for noise in own)
        return labels, first + 1.4 * labels, 0.67 if is_constant else second + 0.9 * labels

    power = roc_auc_pilot_power(*draw(50_000, 50_000), n_pos=50, n_neg=150)
    for _ in range(n_samples):
        n_found += roc_auc_test(*draw(50, 150)).pvalue < 0.05
    # Three deviations of the share, and 4 % for the spread of the variance in so few rows.
    near = 3 * math.sqrt(power * (1 - power) / n_samples)
    assert abs(n_found / n_samples - power) < near + 0.04


@pytest.mark.parametrize(
    ("pilot", "message"),
    [
        (([0, 0, 1], [1, 2, 3], [3, 2, 1]), "^y_true has 1 positive rows"),
        (([1, 1, 1], [1, 2, 3], [3, 2, 1]), "^y_true has 0 negative rows"),
        (([0, 1, 0, 1], [1, 2, 3, 4], [1, 2, 3, 4]), "^The AUCs are 0.75 and 0.75"),
        (([0, 0, 1, 1], [1, 2, 3, 4], 0.5), "^The AUCs are 1.0 and 0.5, .* is 0.0;"),
        (([0, 0, 1, 1], [1, 2, 3, 4], 1.0), "'score_b' parameter of roc_auc_pilot_power"),
        (([0, 0, 1, 1], [1, 2, 3], [1, 2, 3, 4]), "inconsistent numbers of samples"),
    ],
)
def test_pilot_samples_that_tell_no_power(pilot, message):
    with pytest.raises(ValueError, match=message):
        roc_auc_pilot_power(*pilot, n_pos=10, n_neg=10)


def test_more_of_anything_has_more_power():
    base = roc_auc_power(0.7, 40, 40)
    for more in ((0.75, 40, 40), (0.7, 41, 40), (0.7, 40, 50)):
        assert roc_auc_power(*more) > base
    assert roc_auc_power(0.7, 40, 40, alpha=0.1) > base
    assert roc_auc_power(0.7, 40, 40, alternative="one-sided") > base
    low, high = (
        roc_auc_power(0.8, 90, 90, auc_b=0.75, correlation_pos=r, correlation_neg=r)
        for r in (0, 0.7)
    )
    assert high > low


def test_areas_that_correlated_scores_cannot_have():
    options = {"auc_b": 0.5, "correlation_pos": 1, "correlation_neg": 1}
    assert 0 <= roc_auc_power(0.999999, 50, 50, **options) <= 1
    assert roc_auc_sample_size(0.999999, **options) >= (1, 1)


BAD_OPTIONS = [
    ("auc", 0.4),
    ("auc", 1),
    ("auc", math.nan),
    ("auc", "0.8"),
    ("auc_b", 0.2),
    ("correlation_pos", 1.1),
    ("correlation_neg", -2),
    ("alpha", 0),
    ("alternative", "greater"),
    ("alternative", "non-inferiority"),
    ("sd_ratio", 0),
    ("n_pos", 0),
    ("n_neg", math.inf),
    ("power", 1),
    ("ratio", -1),
]


@pytest.mark.parametrize(("name", "value"), BAD_OPTIONS)
def test_options_are_judged(name, value):
    given = {"auc": 0.8, "n_pos": 30, "n_neg": 30, name: value}
    functions = [roc_auc_power, roc_auc_sample_size, roc_auc_detectable, roc_auc_significance_level]
    taking = [f for f in functions if name in inspect.signature(f).parameters]
    assert len(taking) >= 2 or name == "ratio"
    for function in taking:
        own = inspect.signature(function).parameters
        with pytest.raises(fastauc.InvalidParameterError) as caught:
            function(**{key: given[key] for key in given if key in own})
        refused = "margin" if value == "non-inferiority" else name
        assert f"The {refused!r} parameter of {function.__name__} must be " in str(caught.value)


def test_a_margin_and_its_alternative_need_each_other():
    with pytest.raises(ValueError, match="margin is given, but alternative='two-sided' has none"):
        roc_auc_power(0.8, 30, 30, auc_b=0.7, margin=0.1)
    with pytest.raises(ValueError, match="auc_b is None, and alternative='non-inferiority'"):
        roc_auc_power(0.8, 30, 30, alternative="non-inferiority", margin=0.1)
    with pytest.raises(ValueError, match=r"auc is 0\.6, and auc_b minus the margin is 0\.7"):
        roc_auc_power(0.6, 30, 30, **NON_INFERIORITY)


@pytest.mark.parametrize("auc_b", [None, 0.7])
def test_equal_areas_need_no_test(auc_b):
    auc = 0.5 if auc_b is None else auc_b
    with pytest.raises(ValueError, match=f"auc is {auc}, the AUC that it is compared with"):
        roc_auc_power(auc, 30, 30, auc_b=auc_b)
    with pytest.raises(ValueError, match="expected another"):
        roc_auc_sample_size(auc, auc_b=auc_b)


def test_a_difference_without_a_variance_is_always_shown():
    # The slopes of both areas are the same doubles, and the scores of all rows too.
    just_above = math.nextafter(0.5, 1)
    options = {"auc_b": 0.5, "correlation_pos": 1, "correlation_neg": 1}
    assert roc_auc_power(just_above, 10, 10, **options) == 1
