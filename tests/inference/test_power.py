"""Planning: the power of the tests as they are, and what pROC answers."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc.inference import (
    _power,
    compare_roc_auc,
    roc_auc_ci,
    roc_auc_power,
    roc_auc_test,
)
from naive.power import Binormal, binormal_curves, both_above, power_of, size_of
from support.laws import EXAMPLES, first, law
from support.studies import NDKA, POOR_OUTCOME, S100B, WFNS

NORMAL = scipy.stats.norm
# Integrals and searches take milliseconds.
few = settings(law, max_examples=EXAMPLES // 5)

# The definition --------------------------------------------------------------------------------

NON_INFERIORITY = {"auc_b": 0.8, "alternative": "non-inferiority", "margin": 0.07}
PLANS = [
    {},
    {"constant": 0.7},
    {"alternative": "greater", "sd_ratio": 0.4},
    {"auc_b": 0.7, "correlation": (0.5, 0.3)},
    {"auc_b": 0.7, "correlation": 0.6, "sd_ratio": 2.5},
    {"auc_b": 0.9, "alternative": "less"},
    NON_INFERIORITY,
    NON_INFERIORITY | {"correlation": 0.6, "sd_ratio": 1.5},
]
ROUGH = [
    {"method": "obuchowski"},
    {"method": "obuchowski", "alternative": "greater"},
    {"method": "obuchowski", "auc_b": 0.7, "correlation": (0.6, 0.3), "sd_ratio": 1.3},
]


def assert_is_definition(options, tolerance=1e-6):
    """Compare all quantities; the slopes of either side are differences, to some 1e-8."""
    found, expected = roc_auc_power(**options), naive.roc_auc_power(**options)
    numbers = found.auc, found.n_pos, found.n_neg, found.alpha, found.power, found.width
    assert numbers == pytest.approx(expected, rel=tolerance, abs=tolerance / 10, nan_ok=True)
    return found


@pytest.mark.parametrize("plan", first(3, PLANS))
def test_every_quantity_is_its_definition(plan):
    known = {"auc": 0.83, "n_pos": 120, "n_neg": 60} | plan
    assert assert_is_definition(known).solved_for == "power"
    unknown = ["n_pos", "n_neg", "alpha"]
    if "auc_b" not in plan or plan == NON_INFERIORITY:  # else the integrals take seconds
        unknown.append("auc")
    for name in unknown:
        assert assert_is_definition(known | {name: None, "power": 0.6}).solved_for == name
    assert_is_definition(plan | {"auc": 0.83, "power": 0.9, "ratio": 0.7})
    if plan.get("alternative") is None:
        assert_is_definition(plan | {"auc": 0.83, "width": 0.1, "ratio": 3})
        assert_is_definition(known | {"alpha": None, "width": 0.1})


@pytest.mark.parametrize("plan", ROUGH)
def test_formulas_of_obuchowski_are_their_definition(plan):
    for auc, n_pos in itertools.product((0.6, 0.75, 0.9), (30, 80)):
        options = plan | {"auc": auc}
        assert_is_definition(options | {"n_pos": n_pos, "n_neg": 2 * n_pos}, 1e-10)
        assert_is_definition(options | {"power": 0.85, "ratio": 1.7}, 1e-10)
        assert_is_definition(
            options | {"power": 0.6, "alpha": None, "n_pos": n_pos, "n_neg": 40}, 1e-10
        )


@few
@given(
    st.tuples(st.floats(0.1, 0.99), st.floats(0.1, 0.99)),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    st.floats(0.2, 5),
)
def test_what_comparisons_share_is_a_probability_of_the_bivariate_normal_distribution(
    areas, correlations, sd_ratio
):
    shared = _power._shared_by_normal(areas, correlations, sd_ratio)
    of_pos = 1 / (1 + sd_ratio**2)
    of_neg, (pos, neg) = 1 - of_pos, correlations
    for found, same, across in zip(
        shared,
        (1, of_pos, of_neg),
        (of_pos * pos + of_neg * neg, of_pos * pos, of_neg * neg),
        strict=True,
    ):
        assert found[0, 0] == pytest.approx(both_above(areas[0], areas[0], same), abs=1e-9)
        # Near a correlation of 1 or -1 both integrands are steep, and AUCs may differ a little.
        assert found[0, 1] == found[1, 0]
        assert found[0, 1] == pytest.approx(both_above(*areas, across), abs=1e-5)


@few
@given(
    st.floats(0.55, 0.95),
    st.sampled_from([None, 0.6, 0.9]),
    st.floats(0, 0.8),
    st.floats(0.2, 5),
    st.floats(0.3, 0.95),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_what_is_found_is_the_least_that_is_enough(auc, auc_b, correlation, ratio, power, alpha):
    if abs(auc - (auc_b or 0.5)) < 0.02:
        return
    plan = (
        {"alpha": alpha}
        if auc_b is None
        else {"auc_b": auc_b, "correlation": correlation, "alpha": alpha}
    )
    found = roc_auc_power(auc=auc, power=power, ratio=ratio, **plan)
    sizes = {"n_pos": found.n_pos, "n_neg": found.n_neg}
    assert found.power >= power
    assert roc_auc_power(auc=auc, **sizes, **plan) == found._replace(solved_for="power")
    fewer = {name: size - 1 for name, size in sizes.items()}
    if min(fewer.values()) >= 2:
        assert roc_auc_power(auc=auc, **fewer, **plan).power < power
    level = roc_auc_power(auc=auc, **sizes, **(plan | {"alpha": None}), power=power).alpha
    assert level <= alpha
    assert roc_auc_power(auc=auc, **sizes, **(plan | {"alpha": level})).power == pytest.approx(
        power
    )
    if auc > (auc_b or 0.5):
        assert roc_auc_power(power=power, **sizes, **plan).auc <= auc + 1e-9


def test_no_difference_is_found_as_often_as_alpha_says():
    assert roc_auc_power(auc=0.5, n_pos=40, n_neg=40).power == pytest.approx(0.05, abs=0.01)
    assert roc_auc_power(auc=0.7, auc_b=0.7, n_pos=90, n_neg=90).power == pytest.approx(
        0.05, abs=0.01
    )


# What the tests do ------------------------------------------------------------------------------


def draw(rng, n_samples, n_pos, n_neg, areas, correlation=0.0):
    """Return normal scores of shape (n_samples, n_rows, n_scores), the positives first."""
    scores = rng.standard_normal((n_samples, n_pos + n_neg, len(areas)))
    if len(areas) == 2:
        scores[..., 1] *= math.sqrt(1 - correlation**2)
        scores[..., 1] += correlation * scores[..., 0]
    scores[:, :n_pos] += math.sqrt(2) * NORMAL.ppf(areas)
    return scores


def placements(scores, n_pos):
    """Return those of the positives and of the negatives, by sample."""
    order = np.argsort(scores, axis=1)
    is_pos = order < n_pos
    n_below = np.cumsum(~is_pos, axis=1), n_pos - np.cumsum(is_pos, axis=1)
    found = np.empty(scores.shape)
    shares = np.where(is_pos, n_below[0] / (scores.shape[1] - n_pos), n_below[1] / n_pos)
    np.put_along_axis(found, order, shares, axis=1)
    return found[:, :n_pos], found[:, n_pos:]


def pvalues_and_widths(scores, n_pos, constant):
    """Return what ``roc_auc_test`` and its interval say of many samples at once."""
    of_pos, of_neg = placements(scores[..., 0], n_pos)
    sizes = n_pos, scores.shape[1] - n_pos
    if scores.shape[2] == 2:
        for own, other in zip((of_pos, of_neg), placements(scores[..., 1], n_pos), strict=True):
            own -= other
    parts = [each.var(axis=1, ddof=1) / n for each, n in zip((of_pos, of_neg), sizes, strict=True)]
    difference, variance = of_pos.mean(axis=1), sum(parts)
    if scores.shape[2] == 2:
        df = variance**2 / sum(part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
        error = np.sqrt(variance)
        pvalues = 2 * scipy.stats.t.sf(abs(difference) / error, df)
        return pvalues, 2 * scipy.stats.t.isf(0.025, df) * error
    one_row, half = 1 / min(sizes), sum(1 / n for n in sizes) / 2
    share = (variance + one_row * half) / (difference * (1 - difference) + one_row)
    statistic = (difference - constant) / np.sqrt(constant * (1 - constant) * share)
    z2 = NORMAL.isf(0.025) ** 2 * share
    widths = 2 * np.sqrt(z2 * difference * (1 - difference) + z2**2 / 4) / (1 + z2)
    return 2 * NORMAL.sf(abs(statistic)), widths


PAIRS = [(0.85, 0.75), (0.80, 0.75), (0.90, 0.85)]
CASES = [
    *(
        {"auc": a, "auc_b": b, "correlation": r}
        for (a, b), r in itertools.product(PAIRS, (0, 0.5, 0.7))
    ),
    {"auc": 0.80, "auc_b": 0.75, "correlation": 0.6},
    *({"auc": a, "constant": c} for a, c in ((0.7, 0.5), (0.6, 0.5), (0.8, 0.7), (0.85, 0.7))),
]


@pytest.mark.parametrize(
    "case", first(3, CASES), ids=lambda case: "-".join(map(str, case.values()))
)
def test_the_power_and_the_width_are_those_of_the_default_test(case):
    plan, rng, found, widths = roc_auc_power(**case, power=0.8), np.random.default_rng(3), 0, 0
    n_pos, n_samples = plan.n_pos, 10_000
    areas = [case["auc"], *([case["auc_b"]] if "auc_b" in case else [])]
    for _ in range(10):
        scores = draw(rng, n_samples // 10, n_pos, plan.n_neg, areas, case.get("correlation"))
        pvalues, some = pvalues_and_widths(scores, n_pos, case.get("constant"))
        found, widths = found + np.sum(pvalues < 0.05), widths + some.sum()
    labels = np.repeat([1, 0], [n_pos, plan.n_neg])
    for sample, pvalue, width in zip(scores[:5], pvalues, some, strict=False):
        other = sample[:, 1] if len(areas) == 2 else case["constant"]
        test = roc_auc_test(labels, sample[:, 0], other)
        interval = test if len(areas) == 2 else roc_auc_ci(labels, sample[:, 0])
        low, high = interval.confidence_interval
        assert (test.pvalue, high - low) == pytest.approx((pvalue, width), rel=1e-9)
    # The share found has a standard deviation of 0.004.
    assert plan.power == pytest.approx(found / n_samples, abs=0.02)
    assert plan.width == pytest.approx(widths / n_samples, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("auc", "correlation"), [(0.8, 0.6), (0.85, 0.0)])
def test_the_power_is_that_of_a_test_of_non_inferiority(auc, correlation):
    rule = {"alternative": "non-inferiority", "margin": 0.07}
    plan = roc_auc_power(auc=auc, auc_b=0.83, correlation=correlation, power=0.8, **rule)
    scores = draw(np.random.default_rng(8), 2000, plan.n_pos, plan.n_neg, [auc, 0.83], correlation)
    labels = np.repeat([1, 0], [plan.n_pos, plan.n_neg])
    pvalues = [roc_auc_test(labels, *sample.T, **rule).pvalue for sample in scores]
    # 0.02, and two deviations of the share.
    assert plan.power == pytest.approx(np.mean(np.array(pvalues) < 0.05), abs=0.02 + 0.018)


# Published figures --------------------------------------------------------------------------------


def rough(**options):
    return roc_auc_power(**options, method="obuchowski")


def test_figures_of_proc_for_one_area():
    # tests/testthat/test-power.roc.test.R of pROC 1.19, to all digits printed there.
    s100b = fastauc.roc_auc_score(POOR_OUTCOME, S100B)
    for auc, power in ((s100b, 0.9904833), (0.73, 0.9897453)):
        assert rough(auc=auc, n_pos=41, n_neg=72).power == pytest.approx(power, abs=5e-8)
    for power, ratio, n_pos in (
        (0.95, 1.7, 29.29764),
        (0.9, 72 / 41, 23.5598674),
        (0.9, 1, 29.5697422),
    ):
        assert size_of(
            *binormal_curves(s100b, None, ratio), power, 0.05, "two-sided"
        ) == pytest.approx(n_pos, rel=3e-7)
        found = rough(auc=s100b, power=power, ratio=ratio)
        assert (found.n_pos, found.n_neg) == (math.ceil(n_pos), math.ceil(ratio * n_pos))
    found = rough(auc=0.73, n_pos=41, n_neg=72, power=0.95, alpha=None)
    assert found.alpha == pytest.approx(0.009238584, rel=1e-6)
    # R's root is found to the fourth root of the precision of a double.
    assert rough(n_pos=41, n_neg=72, power=0.95).auc == pytest.approx(0.6961054, abs=1.3e-4)


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
    for sizes, auc in zip(SIZES[ratio], (0.6, 0.7, 0.8), strict=False):
        found = rough(auc=auc, power=0.9, ratio=ratio, alternative="greater")
        assert (found.n_neg, found.n_pos) == sizes


def test_example_2_of_obuchowski_and_mcclish_1997():
    # Partial areas, to a false positive rate of 0.2, as the manual of pROC computes them.
    first, second = (Binormal(a, 1.0, (0.0, 0.2)) for a in (2.6, 1.9))
    both = first.covariance(second, 1, 0.6, 0.6)
    null = 2 * first.variance(1) - 2 * both
    found = 0.037, null, first.variance(1) + second.variance(1) - 2 * both
    assert size_of(*found, 0.8, 0.05, "two-sided") == pytest.approx(107.0238, abs=5e-5)
    assert power_of(*found, 107, 0.05, "two-sided") == pytest.approx(0.7999286, abs=5e-8)


# A pilot sample -----------------------------------------------------------------------------------


def test_what_proc_answers_for_a_pilot_sample_and_what_the_test_does():
    # tests/testthat/test-power.roc.test.R of pROC 1.19, with DeLong's variance: pROC's null
    # hypothesis has the variance of the first score twice.
    _, areas, covariance, *_ = compare_roc_auc(POOR_OUTCOME, [NDKA, WFNS])
    (own, both), (_, other) = 41 * covariance
    published = areas[0] - areas[1], 2 * own - 2 * both, own + other - 2 * both
    assert power_of(*published, 41, 0.05, "two-sided") == pytest.approx(0.7131594, abs=5e-8)
    # Ours divides by what roc_auc_test divides by.
    found = roc_auc_power(pilot=(POOR_OUTCOME, NDKA, WFNS), n_pos=41, n_neg=72)
    test = roc_auc_test(POOR_OUTCOME, NDKA, WFNS)
    critical = scipy.stats.t.isf(0.025, test.df)
    expected = NORMAL.sf([critical - test.statistic, critical + test.statistic]).sum()
    assert found.power == pytest.approx(expected, rel=1e-10)
    low, high = test.confidence_interval
    assert found.width == pytest.approx(high - low, rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_constant", [False, True])
def test_a_pilot_sample_is_its_definition(seed, is_constant):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(20 + seed) % 3 == 0)
    first, second = np.round(2 * rng.normal(size=(2, len(labels))) + labels)
    pilot = labels, first, 0.3 if is_constant else second
    options = {"pilot": pilot, "alpha": 0.1, "alternative": ("two-sided", "greater")[seed % 2]}
    assert_is_definition(options | {"n_pos": 30, "n_neg": 50}, 1e-10)
    found = roc_auc_power(**options, n_pos=30, n_neg=50)
    if found.auc > found.auc_b or options["alternative"] == "two-sided":
        assert_is_definition(options | {"power": 0.9, "ratio": 2.5}, 1e-10)
    words = np.where(labels, "bad", "good"), *pilot[1:]
    named = options | {"pilot": words, "pos_label": "bad"}
    assert roc_auc_power(**named, n_pos=30, n_neg=50) == found


@pytest.mark.slow
@pytest.mark.parametrize("is_constant", [False, True])
def test_the_power_of_a_great_pilot_sample_is_that_of_the_test(is_constant):
    rng, n_samples = np.random.default_rng(12), 2000

    def sample(n_pos, n_neg):
        labels = np.repeat([1, 0], [n_pos, n_neg])
        common, *own = rng.normal(size=(3, len(labels)))
        first, second = (common + noise for noise in own)
        return labels, first + 1.4 * labels, 0.67 if is_constant else second + 0.9 * labels

    plan = roc_auc_power(pilot=sample(50_000, 50_000), n_pos=50, n_neg=150)
    found = [roc_auc_test(*sample(50, 150)).pvalue < 0.05 for _ in range(n_samples)]
    # 0.02, and two deviations of the share.
    assert plan.power == pytest.approx(np.mean(found), abs=0.02 + 0.022)


# What is refused ----------------------------------------------------------------------------------

SIZED = {"n_pos": 30, "n_neg": 30}
PILOT = {"pilot": ([0, 0, 1, 1, 0, 1], [1, 3, 2, 4, 3, 5], [3, 2, 1, 4, 2, 2]), **SIZED}
ONE, TWO = {"auc": 0.8, **SIZED}, {"auc": 0.8, "auc_b": 0.7, **SIZED}
# A plan, and what it has no use for.
REFUSED = [
    (ONE | {"power": 0.8, "n_pos": None}, {"width": 0.1}),
    (ONE, {"ratio": 2, "correlation": 0.5, "margin": 0.1, "pos_label": 1}),
    (ONE | {"n_pos": None, "power": 0.8}, {"ratio": 2}),
    (TWO, {"constant": 0.6, "margin": 0.1, "pos_label": 1}),
    (TWO | {"alternative": "greater", "n_pos": None}, {"width": 0.1}),
    (ONE | {"method": "obuchowski"}, {"constant": 0.6, "sd_ratio": 2, "margin": 0.1, "width": 0.1}),
    (TWO | {"method": "obuchowski"}, {"constant": 0.6, "margin": 0.1, "width": 0.1}),
    (PILOT, dict.fromkeys(("auc", "auc_b", "constant", "correlation", "sd_ratio"), 0.6)),
    (PILOT | {"method": "obuchowski"}, {"pilot": PILOT["pilot"]}),
    (
        PILOT | {"pilot": (*PILOT["pilot"][:2], 0.5), "alternative": "non-inferiority"},
        {"margin": 0.1},
    ),
]


@pytest.mark.parametrize(
    ("plan", "name", "value"),
    [(plan, name, value) for plan, unused in REFUSED for name, value in unused.items()],
)
def test_arguments_that_do_not_apply_are_refused_by_name(plan, name, value):
    with pytest.raises(ValueError, match=f"^{name} is given, "):
        roc_auc_power(**(plan | {name: value}))


BAD_OPTIONS = [
    *(("auc", value) for value in (0, 1, math.nan, "0.8")),
    *(("auc_b", 1.2), ("constant", -1), ("alpha", 0), ("power", 1), ("width", 0)),
    *(("correlation", value) for value in (1.1, "0.5", (0.5,), (0.5, -2), [])),
    *(("alternative", "one-sided"), ("method", "delong, pilot"), ("sd_ratio", 0), ("ratio", -1)),
    *(("n_pos", 1), ("n_neg", 2.5), ("pilot", [1, 2]), ("margin", 1), ("margin", None)),
]


@pytest.mark.parametrize(("name", "value"), BAD_OPTIONS)
def test_options_are_judged(name, value):
    plan = {"auc": 0.8, "n_pos": 30, "n_neg": 30, "auc_b": 0.7}
    plan |= {"alternative": "non-inferiority"} if name == "margin" else {"margin": None}
    if name in ("pilot", "constant"):
        plan = dict(SIZED)
    if name in ("power", "width", "ratio"):
        plan |= {"n_pos": None, "n_neg": None, "power": None if name == "width" else 0.8}
    with pytest.raises(fastauc.InvalidParameterError, match=f"'{name}' parameter of roc_auc_power"):
        roc_auc_power(**(plan | {name: value}))


@pytest.mark.parametrize(
    ("plan", "left_out"),
    [
        ({}, "auc, n_pos, power"),
        ({"auc": 0.8}, "n_pos, power"),
        ({"auc": 0.8, "n_pos": 30}, "n_neg, power"),
        (ONE | {"alpha": None}, "alpha, power"),
        (ONE | {"power": 0.8}, "Nothing"),
        (SIZED | {"width": 0.1}, "auc"),
        (PILOT | {"power": 0.8}, "Nothing"),
    ],
)
def test_exactly_one_quantity_is_left_out(plan, left_out):
    with pytest.raises(ValueError, match=f"^{left_out} left out; expected exactly one of"):
        roc_auc_power(**plan)


@pytest.mark.parametrize(
    ("pilot", "message"),
    [
        (([0, 0, 1], [1, 2, 3], [3, 2, 1]), "^y_true has 1 positive rows"),
        (([1, 1, 1], [1, 2, 3], [3, 2, 1]), "^y_true has 0 negative rows"),
        (([0, 1, 0, 1], [1, 2, 3, 4], [1, 2, 3, 4]), "AUCs of the pilot sample are 0.75 and 0.75"),
        (([0, 0, 1, 1], [1, 2, 3, 4], 0.5), "are 1.0 and 0.5, .* is 0.0;"),
        (([0, 0, 1, 1], [1, 2, 3, 4], 1.0), "'score_b' parameter of roc_auc_power"),
        (([0, 0, 1, 1], [1, 2, 3], [1, 2, 3, 4]), "inconsistent numbers of samples"),
    ],
)
def test_pilot_samples_that_tell_no_power(pilot, message):
    with pytest.raises(ValueError, match=message):
        roc_auc_power(pilot=pilot, n_pos=10, n_neg=10)


# The ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        ({"auc": 0.8, "n_pos": 3, "power": 0.99}, "n_neg"),
        ({"auc": 0.5, "power": 0.8}, "n_pos"),
        ({"auc": 0.7, "auc_b": 0.8, "alternative": "greater", "power": 0.8}, "n_pos"),
        ({"n_pos": 10, "n_neg": 10, "auc_b": 0.99, "power": 0.8}, "auc"),
        ({"auc": 0.8, "n_pos": 5, "width": 0.01}, "n_neg"),
    ],
)
def test_nothing_is_enough(plan, name):
    with pytest.warns(fastauc.UndefinedMetricWarning, match=f"^No {name} is enough for "):
        found = roc_auc_power(**plan)
    assert found.solved_for == name
    assert math.isnan(getattr(found, name))
    assert (found.power, found.width) == pytest.approx(
        (plan.get("power", math.nan), plan.get("width", math.nan)), nan_ok=True
    )


def test_scores_that_hardly_vary():
    # Correlated scores cannot have AUCs so far apart: the formulas may give a variance below 0.
    far = {"auc": 0.999999, "auc_b": 0.5, "correlation": 1, "n_pos": 50, "n_neg": 50}
    for method in ("delong", "obuchowski"):
        assert 0 <= roc_auc_power(**far, method=method).power <= 1
    # The same scores: the statistic is 0, or with a margin always the same.
    same = {"auc": 0.8, "auc_b": 0.8, "correlation": 1, **SIZED}
    assert roc_auc_power(**same).power == 0
    assert roc_auc_power(**same, alternative="non-inferiority", margin=0.3).power == pytest.approx(
        1
    )


def test_a_plan_says_how_it_was_made():
    found = roc_auc_power(auc=0.8, auc_b=0.75, correlation=0.6, power=0.8)
    shown = dict(line.split(maxsplit=1) for line in str(found).splitlines())
    expected = {"solved_for": "n_pos", "n_pos": "294", "correlation_neg": "0.6", "method": "delong"}
    assert shown.items() >= expected.items()
    assert roc_auc_power(**PILOT).method == "delong, pilot"
