"""Planning: the power of the tests as they are."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc.inference import roc_auc_power, roc_auc_test, roc_auc_test_1samp
from support.laws import EXAMPLES, first, law
from support.studies import NDKA, POOR_OUTCOME, WFNS

NORMAL = scipy.stats.norm
# Integrals and searches take milliseconds.
few = settings(law, max_examples=EXAMPLES // 10)

# The definition -----------------------------------------------------------------------------------

RULE = {"alternative": "non-inferiority", "margin": 0.07}
NON_INFERIORITY = {"auc_b": 0.8, **RULE}
PLANS = [
    {},
    {"constant": 0.7},
    {"alternative": "greater", "sd_ratio": 0.4},
    {"auc_b": 0.7, "correlation": (0.95, -0.4)},
    {"auc_b": 0.7, "correlation": 0.6, "sd_ratio": 2.5},
    {"auc_b": 0.9, "alternative": "less"},
    NON_INFERIORITY,
    NON_INFERIORITY | {"correlation": 0.6, "sd_ratio": 1.5},
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
    plan = {"alpha": alpha}
    if auc_b is not None:
        plan |= {"auc_b": auc_b, "correlation": correlation}
    found = roc_auc_power(auc=auc, power=power, ratio=ratio, **plan)
    sizes = {"n_pos": found.n_pos, "n_neg": found.n_neg}
    assert found.power >= power
    assert roc_auc_power(auc=auc, **sizes, **plan) == found._replace(solved_for="power")
    fewer = {name: size - 1 for name, size in sizes.items()}
    if min(fewer.values()) >= 2:
        assert roc_auc_power(auc=auc, **fewer, **plan).power < power
    known = sizes | plan | {"auc": auc}
    level = roc_auc_power(**known | {"alpha": None, "power": power}).alpha
    assert level <= alpha
    assert roc_auc_power(**known | {"alpha": level}).power == pytest.approx(power)
    if auc > (auc_b or 0.5):
        assert roc_auc_power(power=power, **sizes, **plan).auc <= auc + 1e-9


# What the tests do ------------------------------------------------------------------------------


PAIRS = (0.85, 0.75), (0.80, 0.75), (0.90, 0.85)
CASES = [
    {"auc": 0.8, "constant": 0.7},
    {"auc": 0.5, "n_pos": 40, "n_neg": 40},
    {"auc": 0.7, "auc_b": 0.7, "n_pos": 90, "n_neg": 90},
    {"auc": 0.85, "auc_b": 0.7, "correlation": 0.6},
    *({"auc": a, "auc_b": 0.83, "correlation": r, **RULE} for a, r in ((0.8, 0.6), (0.85, 0.0))),
    *({"auc": a, "auc_b": b, "correlation": r} for a, b in PAIRS for r in (0, 0.5, 0.7)),
    *({"auc": a, "constant": c} for a, c in ((0.7, 0.5), (0.6, 0.5), (0.85, 0.7))),
]


def told(case):
    return "-".join(map(str, case.values()))


@pytest.mark.parametrize("case", first(2, CASES), ids=told)
def test_the_power_and_the_width_are_those_of_the_default_test(case):
    plan = roc_auc_power(**case if "n_pos" in case else case | {"power": 0.8})
    rng, n_samples, found, widths = np.random.default_rng(3), 4000, 0, 0
    labels, correlation = np.repeat([1, 0], [plan.n_pos, plan.n_neg]), case.get("correlation", 0)
    areas = [case["auc"], case.get("auc_b", 0.5)]
    shifts = math.sqrt(2) * np.outer(NORMAL.ppf(areas), labels)
    for _ in range(n_samples):
        a, b = rng.standard_normal((2, len(labels)))
        b = correlation * a + math.sqrt(1 - correlation**2) * b + shifts[1]
        if "auc_b" in case:
            test = roc_auc_test(labels, a + shifts[0], b, **RULE if "margin" in case else {})
        else:
            test = roc_auc_test_1samp(labels, a + shifts[0], case.get("constant", 0.5))
        low, high = test.confidence_interval
        found, widths = found + (test.pvalue < 0.05), widths + high - low
    # The share found has a standard deviation of 0.006.
    assert plan.power == pytest.approx(found / n_samples, abs=0.02)
    if "alternative" not in case:
        assert plan.width == pytest.approx(widths / n_samples, rel=0.01)


# A pilot sample -----------------------------------------------------------------------------------


def test_power_of_a_pilot_sample_is_that_of_the_test():
    # It divides by what roc_auc_test divides by.
    found = roc_auc_power(pilot=(POOR_OUTCOME, NDKA, WFNS), n_pos=41, n_neg=72)
    test = roc_auc_test(POOR_OUTCOME, NDKA, WFNS)
    critical = scipy.stats.t.isf(0.025, test.df)
    expected = NORMAL.sf([critical - test.statistic, critical + test.statistic]).sum()
    assert found.power == pytest.approx(expected, rel=1e-10)
    low, high = test.confidence_interval
    assert found.width == pytest.approx(high - low, rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_a_pilot_sample_is_its_definition(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(20 + seed) % 3 == 0)
    first, second = np.round(2 * rng.normal(size=(2, len(labels))) + labels)
    for pilot in (labels, first, 0.3), (labels, first, second):
        options = {"pilot": pilot, "alpha": 0.1, "alternative": ("two-sided", "greater")[seed % 2]}
        assert_is_definition(options | {"n_pos": 30, "n_neg": 50}, 1e-10)
        found = roc_auc_power(**options, n_pos=30, n_neg=50)
        if found.auc > found.auc_b or options["alternative"] == "two-sided":
            assert_is_definition(options | {"power": 0.9, "ratio": 2.5}, 1e-10)
        words = np.where(labels, "bad", "good"), *pilot[1:]
        named = options | {"pilot": words, "pos_label": "bad"}
        assert roc_auc_power(**named, n_pos=30, n_neg=50) == found


# What is refused ----------------------------------------------------------------------------------

SIZED = {"n_pos": 30, "n_neg": 30}
PILOT = {"pilot": ([0, 0, 1, 1, 0, 1], [1, 3, 2, 4, 3, 5], [3, 2, 1, 4, 2, 2]), **SIZED}
NO_WORSE = {"alternative": "non-inferiority"}
ONE, TWO = {"auc": 0.8, **SIZED}, {"auc": 0.8, "auc_b": 0.7, **SIZED}
# A plan, and what it has no use for.
REFUSED = [
    (ONE | {"power": 0.8, "n_pos": None}, {"width": 0.1}),
    (ONE, {"ratio": 2, "correlation": 0.5, "margin": 0.1, "pos_label": 1}),
    (ONE | {"n_pos": None, "power": 0.8}, {"ratio": 2}),
    (TWO, {"constant": 0.6, "margin": 0.1, "pos_label": 1}),
    (TWO | {"alternative": "greater", "n_pos": None}, {"width": 0.1}),
    (PILOT, dict.fromkeys(("auc", "auc_b", "constant", "correlation", "sd_ratio"), 0.6)),
    (PILOT | {"pilot": (*PILOT["pilot"][:2], 0.5)} | NO_WORSE, {"margin": 0.1}),
]


@pytest.mark.parametrize(("plan", "unused"), REFUSED)
def test_arguments_that_do_not_apply_are_refused_by_name(plan, unused):
    for name, value in unused.items():
        with pytest.raises(ValueError, match=f"^{name} is given, "):
            roc_auc_power(**plan | {name: value})


BAD_OPTIONS = [
    *(("auc", value) for value in (0, 1, math.nan, "0.8")),
    *(("auc_b", 1.2), ("constant", -1), ("alpha", 0), ("power", 1), ("width", 0)),
    *(("correlation", value) for value in (1.1, "0.5", (0.5,), (0.5, -2), [])),
    *(("alternative", "one-sided"), ("sd_ratio", 0), ("ratio", -1)),
    *(("n_pos", 1), ("n_neg", 2.5), ("pilot", [1, 2]), ("margin", 1), ("margin", None)),
]


def test_options_are_judged():
    for name, value in BAD_OPTIONS:
        plan = {"auc": 0.8, "n_pos": 30, "n_neg": 30, "auc_b": 0.7}
        plan |= NO_WORSE if name == "margin" else {"margin": None}
        if name in ("pilot", "constant"):
            plan = dict(SIZED)
        if name in ("power", "width", "ratio"):
            plan |= {"n_pos": None, "n_neg": None, "power": None if name == "width" else 0.8}
        told = f"'{name}' parameter of roc_auc_power"
        with pytest.raises(fastauc.InvalidParameterError, match=told):
            roc_auc_power(**plan | {name: value})


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({}, "^auc, n_pos, power left out; expected exactly one of"),
        ({"auc": 0.8, "n_pos": 30}, "^n_neg, power left out"),
        (ONE | {"alpha": None}, "^alpha, power left out"),
        (ONE | {"power": 0.8}, "^Nothing left out"),
        (SIZED | {"width": 0.1}, "^auc left out"),
        (([0, 0, 1], [1, 2, 3], [3, 2, 1]), "^y_true has 1 positive rows"),
        (([1, 1, 1], [1, 2, 3], [3, 2, 1]), "^y_true has 0 negative rows"),
        (([0, 1, 0, 1], [1, 2, 3, 4], [1, 2, 3, 4]), "AUCs of the pilot sample are 0.75 and 0.75"),
        (([0, 0, 1, 1], [1, 2, 3, 4], 0.5), "are 1.0 and 0.5, .* is 0.0;"),
        (([0, 0, 1, 1], [1, 2, 3, 4], 1.0), "'score_b' parameter of roc_auc_power"),
        (([0, 0, 1, 1], [1, 2, 3], [1, 2, 3, 4]), "inconsistent numbers of samples"),
    ],
)
def test_plans_and_pilot_samples_that_tell_nothing(plan, message):
    with pytest.raises(ValueError, match=message):
        roc_auc_power(**{"pilot": plan, "n_pos": 10, "n_neg": 10} if type(plan) is tuple else plan)


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
    goal = plan.get("power", math.nan), plan.get("width", math.nan)
    assert (found.power, found.width) == pytest.approx(goal, nan_ok=True)


def test_scores_that_hardly_vary():
    # Correlated scores cannot have AUCs so far apart.
    far = {"auc": 0.999999, "auc_b": 0.5, "correlation": 1, "n_pos": 50, "n_neg": 50}
    assert 0 <= roc_auc_power(**far).power <= 1
    # The same scores: the statistic is 0, or with a margin always the same.
    same = {"auc": 0.8, "auc_b": 0.8, "correlation": 1, **SIZED}
    assert roc_auc_power(**same).power == 0
    assert roc_auc_power(**same, **NO_WORSE, margin=0.3).power == pytest.approx(1)


def test_a_plan_says_how_it_was_made():
    found = roc_auc_power(auc=0.8, auc_b=0.75, correlation=0.6, power=0.8)
    shown = dict(line.split(maxsplit=1) for line in str(found).splitlines())
    expected = {"solved_for": "n_pos", "n_pos": "294", "correlation_neg": "0.6", "method": "delong"}
    assert shown.items() >= expected.items()
    assert roc_auc_power(**PILOT).method == "delong, pilot"
