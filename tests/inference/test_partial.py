"""Areas of parts of the ROC curve: exact, as others publish them, and how sure they are."""

import itertools
import math
from fractions import Fraction as F
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc import InvalidParameterError, UndefinedMetricWarning
from fastauc._counts.rates import exact_rate
from support.flushing import SUBNORMAL, flush_to_zero, on_glibc
from support.laws import law, model_problem, samples, weights_of_rows
from support.public import PUBLIC

T1 = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]


@st.composite
def ranges(draw):
    """Return a range of rates; some of its ends are where thresholds are."""
    rates = st.one_of(st.integers(0, 12).map(lambda k: k / 12), st.floats(0, 1))
    lower, upper = sorted(draw(st.lists(rates, min_size=2, max_size=2, unique=True)))
    return {draw(st.sampled_from(["fpr_range", "tpr_range"])): (lower, upper)}


# The area ---------------------------------------------------------------------------------------


@law
@given(samples(), ranges(), st.booleans())
def test_the_area_is_the_exact_one(sample, part, standardized):
    options = part | {"standardized": standardized}
    expected = float(naive.partial_roc_auc_score(*sample, **options))
    assert fastauc.partial_roc_auc_score(*sample, **options) == expected
    counts = fastauc.confusion_matrix_at_thresholds(*sample)
    assert counts.partial_roc_auc(**options) == expected


@law
@given(samples(weights_of_rows), ranges())
def test_the_weighted_area(sample, part):
    *rows, weights = sample
    # Counts are rounded once, the areas to both ends by less than 2^-51; no rate is beyond 1. The
    # quotient of the scale divides by (b - a) (1 - (a + b) / 2), so the area itself is compared.
    options = part | {"sample_weight": weights, "standardized": False}
    expected = float(naive.partial_roc_auc_score(*rows, **options))
    found = fastauc.partial_roc_auc_score(*rows, **options)
    assert found == pytest.approx(expected, rel=0, abs=1e-15)
    counts = fastauc.confusion_matrix_at_thresholds(*rows, sample_weight=weights)
    assert counts.partial_roc_auc(**part, standardized=False) == found


@law
@given(samples(), st.floats(0, 1, exclude_min=True))
def test_from_zero_on_it_is_that_of_roc_auc_score(sample, upper):
    found = fastauc.partial_roc_auc_score(*sample, fpr_range=(0, upper))
    assert found == fastauc.roc_auc_score(*sample, max_fpr=upper)
    assert found == fastauc.confusion_matrix_at_thresholds(*sample).roc_auc(max_fpr=upper)
    if upper > 1e-3:
        # scikit-learn interpolates the rates and adds up in doubles: some 1e-15 of the curve, and
        # the scale divides by upper.
        theirs = sklearn.metrics.roc_auc_score(*sample, max_fpr=upper)
        assert found == pytest.approx(theirs, rel=0, abs=1e-14 / upper)


@law
@given(samples(weights_of_rows), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_from_zero_on_with_weights_as_well(sample, upper):
    *rows, weights = sample
    found = fastauc.partial_roc_auc_score(*rows, fpr_range=(0, upper), sample_weight=weights)
    assert found == fastauc.roc_auc_score(*rows, max_fpr=upper, sample_weight=weights)


@law
@given(samples(), ranges())
def test_both_rates_are_each_other_turned_around(sample, part):
    labels, scores = sample
    ((name, (lower, upper)),) = part.items()
    other = "tpr_range" if name == "fpr_range" else "fpr_range"
    n = int((labels == (name == "tpr_range")).sum())
    lower, upper = (exact_rate(F(rate), n) for rate in (lower, upper))
    turned = {other: (1 - upper, 1 - lower)}
    found = fastauc.partial_roc_auc_score(labels, scores, **part)
    assert fastauc.partial_roc_auc_score(1 - labels, -scores, **turned) == found


@law
@given(samples(), st.lists(st.floats(0, 1), min_size=1, max_size=4, unique=True))
def test_parts_add_up_to_the_whole(sample, cuts):
    cuts = sorted({0.0, 1.0, *cuts})
    for name in "fpr_range", "tpr_range":
        parts = [
            fastauc.partial_roc_auc_score(*sample, **{name: pair}, standardized=False)
            for pair in itertools.pairwise(cuts)
        ]
        # Each of at most five areas is rounded once, and so is each sum of them.
        assert sum(parts) == pytest.approx(fastauc.roc_auc_score(*sample), rel=0, abs=1e-15)


def test_first_table():
    assert fastauc.partial_roc_auc_score(*T1, fpr_range=(0, 0.25), standardized=False) == 1 / 12
    assert fastauc.partial_roc_auc_score(*T1, fpr_range=(0, 0.25)) == 13 / 21
    assert fastauc.partial_roc_auc_score(*T1, fpr_range=(0, 1)) == 19 / 24
    assert fastauc.partial_roc_auc_score(*T1, tpr_range=(0, 1)) == 19 / 24


def test_s0_33_the_top_of_the_search_example():
    labels = np.zeros(1_000_000, int)
    labels[100:110] = 1
    scores = -np.arange(1_000_000.0)
    options = {"fpr_range": (0, 1e-4)}
    assert fastauc.partial_roc_auc_score(labels, scores, **options, standardized=False) == 0
    assert fastauc.partial_roc_auc_score(labels, scores, **options) == 0.4999749987499375


def test_closed_form_of_the_model_problem():
    # TPR = 2 sqrt(x) - x; its integral is 4/3 x^(3/2) - x^2 / 2. A grid of K buckets lies below the
    # curve by some 1 / K^2.
    n_buckets = 1000
    buckets = np.arange(n_buckets)
    labels, scores = np.repeat([1, 0], n_buckets), np.tile(buckets, 2)
    weights = np.concatenate([2 * buckets + 1, 2 * (n_buckets - buckets) - 1])
    for lower, upper in (0, 0.04), (0.04, 0.25), (0.25, 1):
        ends = [4 / 3 * x**1.5 - x**2 / 2 for x in (lower, upper)]
        found = fastauc.partial_roc_auc_score(
            labels, scores, fpr_range=(lower, upper), sample_weight=weights, standardized=False
        )
        assert 0 <= ends[1] - ends[0] - found <= 1 / n_buckets**2


def test_integers_beyond_64_bits():
    # Counts made by hand: 2^40 of each class, four points.
    steps = np.array([1, 2, 3, 4]) * 2**38 // 2
    counts = fastauc.ConfusionCounts(
        steps[-1] - steps, steps, steps[-1] - steps[[1, 2, 3, 3]], steps[[1, 2, 3, 3]], steps[::-1]
    )
    part = counts.partial_roc_auc(fpr_range=(0.25, 0.75), standardized=False)
    assert part == float((F(2, 4) + 2 * F(3, 4) + F(4, 4)) / 8)


# Published figures ------------------------------------------------------------------------------

# Patients with an aneurysmal subarachnoid hemorrhage, good and poor outcome: the data set aSAH of
# the R package pROC, from N. Turck et al., Intensive Care Med. 36 (2010) 107-115.
# For each distinct value, from the lowest up, how many of either outcome: the grade of the World
# Federation of Neurosurgical Societies, the protein S100B, and nucleoside diphosphate kinase A.
WFNS = [(37, 2), (20, 12), (3, 1), (8, 8), (4, 18)]
S100B = (
    "01 50 30 20 63 61 62 72 41 01 32 41 40 31 20 10 20 01 01 10 01 01 01 10 01 11 11 10 01 10 01 "
    "10 02 10 10 20 11 01 20 01 01 01 01 02 01 01 01 01 01 01"
)
NDKA = (
    "10 01 10 10 01 01 01 10 10 10 10 10 10 10 10 10 01 10 10 10 10 10 10 01 01 10 10 01 10 20 10 "
    "01 11 10 10 10 10 01 10 10 01 10 10 10 10 10 10 01 01 01 10 01 10 10 01 10 10 10 10 10 01 10 "
    "11 10 10 01 10 10 01 01 10 01 01 10 10 11 01 01 10 10 10 01 10 10 10 10 01 01 01 01 10 10 01 "
    "10 10 10 01 01 01 01 10 10 01 10 01 10 01 10 01"
)


def patients(groups):
    """Return labels and ranks of the 72 patients with a good and the 41 with a poor outcome."""
    if isinstance(groups, str):
        groups = [(int(group[0]), int(group[1])) for group in groups.split()]
    labels = [label for good, poor in groups for label in [0] * good + [1] * poor]
    ranks = [rank for rank, (good, poor) in enumerate(groups) for _ in range(good + poor)]
    assert (len(labels), sum(labels)) == (113, 41)
    return labels, ranks


# pROC 1.19, tests/testthat/test-auc.R: bounds of specificity, or sensitivity, and the area.
AREAS_OF_PROC = [
    (WFNS, "specificity", (0.9, 1), 0.0334417344173442, 0.649693339038653),
    (WFNS, "specificity", (0.8, 0.9), 0.0598373983739837, 0.763749402199904),
    (WFNS, "specificity", (0, 0.5), 0.488134475939354, 0.952537903757416),
    (WFNS, "specificity", (0, 1), 0.823678861788618, 0.823678861788618),
    (NDKA, "specificity", (0.9, 1), 0.0107046070460705, 0.530024247610897),
    (NDKA, "specificity", (0.8, 0.9), 0.0277777777777778, 0.575163398692811),
    (NDKA, "specificity", (0, 0.5), 0.416836043360434, 0.667344173441734),
    (NDKA, "specificity", (0, 1), 0.611957994579946, 0.611957994579946),
    (WFNS, "sensitivity", (0.9, 1), 0.0400999322493225, 0.68473648552275),
    (WFNS, "sensitivity", (0.8, 0.9), 0.0609953703703703, 0.770561002178649),
    (WFNS, "sensitivity", (0, 0.5), 0.483358739837398, 0.933434959349593),
    (WFNS, "sensitivity", (0, 1), 0.823678861788618, 0.823678861788618),
    (NDKA, "sensitivity", (0.9, 1), 0.0037940379403794, None),  # NA: below the diagonal
    (NDKA, "sensitivity", (0.8, 0.9), 0.0242547425474255, 0.554439662043679),
    (NDKA, "sensitivity", (0, 0.5), 0.428523035230352, 0.714092140921409),
]


@pytest.mark.check("published examples")
@pytest.mark.parametrize(("groups", "rate", "bounds", "area", "corrected"), AREAS_OF_PROC)
def test_published_areas_of_proc(groups, rate, bounds, area, corrected):
    part = {"tpr_range": bounds}
    if rate == "specificity":
        part = {"fpr_range": (1 - F(str(bounds[1])), 1 - F(str(bounds[0])))}
    found = fastauc.partial_roc_auc_score(*patients(groups), **part, standardized=False)
    # Printed to 15 digits.
    assert found == pytest.approx(area, rel=1e-14)
    standardized = fastauc.partial_roc_auc_score(*patients(groups), **part)
    if corrected is None:
        assert standardized < 0.5
    else:
        assert standardized == pytest.approx(corrected, rel=2e-14)


# pROC 1.19, tests/testthat/test-coords.R, of S100B: for 0, 0.1, ... 1 of the other rate.
SPECIFICITIES = [
    *(1, 1, 1, 0.972222222222222, 0.888888888888889, 0.833333333333333, 0.805555555555556),
    *(0.56875, 0.447222222222222, 0.230555555555556, 0),
]
SENSITIVITIES = [
    *(1, 0.975609756097561, 0.921951219512195, 0.879674796747967, 0.823693379790941),
    *(0.774390243902439, 0.675609756097561, 0.655284552845528, 0.634146341463415),
    *(0.390243902439024, 0.292682926829268),
]


@pytest.mark.check("published examples")
def test_published_readings_of_proc():
    tenths = np.array([F(k, 10) for k in range(11)])
    specificities = 1 - fastauc.metrics.fpr_at_tpr(*patients(S100B), tenths)
    # Printed to 15 digits, and a difference from 1.
    np.testing.assert_allclose(specificities, SPECIFICITIES, rtol=1e-14, atol=1e-15)
    sensitivities = fastauc.metrics.tpr_at_fpr(*patients(S100B), 1 - tenths)
    np.testing.assert_allclose(sensitivities, SENSITIVITIES, rtol=1e-14)


# The variance -----------------------------------------------------------------------------------


@st.composite
def inner_ranges(draw):
    """Return a range whose ends are no rates of thresholds, where the area has a bend, but 0, 1.

    No count of up to 996 rows, or weights, is a multiple of k / 997.
    """
    ends = draw(st.lists(st.integers(0, 997), min_size=2, max_size=2, unique=True))
    lower, upper = sorted(F(end, 997) for end in ends)
    return {draw(st.sampled_from(["fpr_range", "tpr_range"])): (lower, upper)}


some = settings(law, max_examples=40)


@some
@given(samples(), inner_ranges(), st.booleans())
def test_the_variance_is_that_of_what_each_row_adds(sample, part, standardized):
    labels, scores = sample
    labels, scores = np.append(labels, [0, 1]), np.append(scores, [0, 0])
    options = part | {"standardized": standardized}
    found = fastauc.inference.roc_auc_ci(labels, scores, **options)
    statistic, variance = naive.roc_auc_ci(labels, scores, **options)
    assert found.statistic == float(statistic)
    # The differences of the definition, with a step of 1e-12, are off by its square, times up to
    # the third power of the number of rows.
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-15)


@some
@given(samples(st.integers(1, 5).map(float)), inner_ranges())
def test_the_weighted_variance(sample, part):
    labels, scores, weights = sample
    labels, scores = np.append(labels, [0, 1]), np.append(scores, [0, 0])
    weights = np.append(weights, [2, 3])
    found = fastauc.inference.roc_auc_ci(labels, scores, **part, sample_weight=weights)
    _, variance = naive.roc_auc_ci(labels, scores, **part, sample_weight=weights)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-9)
    # Equal weights are no weights, and their unit does not matter.
    plain = fastauc.inference.roc_auc_ci(labels, scores, **part)
    for unit in 1.0, 2.0**-40, 3e200:
        same = fastauc.inference.roc_auc_ci(
            labels, scores, **part, sample_weight=np.full(len(labels), unit)
        )
        assert same.standard_error == pytest.approx(plain.standard_error, rel=1e-12, abs=1e-14)


def test_of_the_whole_curve_it_is_that_of_delong():
    for part in "fpr_range", "tpr_range":
        found = fastauc.inference.roc_auc_ci(*T1, **{part: (0, 1)}, method="delong-logit")
        assert found.statistic == 19 / 24
        assert found.standard_error == math.sqrt(1 / 27)
        # Of the log-odds: 1.959964 times the error over AUC (1 - AUC).
        reach = NormalDist().inv_cdf(0.975) * math.sqrt(1 / 27) / (19 / 24 * 5 / 24)
        ends = [1 / (1 + math.exp(-(math.log(19 / 5) + sign * reach))) for sign in (-1, 1)]
        assert found.confidence_interval == pytest.approx(ends, rel=1e-14)
    plain = fastauc.inference.roc_auc_ci(
        *T1, fpr_range=(0, 1), method="delong", confidence_level=0.9
    )
    low = 19 / 24 - NormalDist().inv_cdf(0.95) * math.sqrt(1 / 27)
    assert plain.confidence_interval == pytest.approx((low, 1.0), rel=1e-14)


def test_many_rows():
    rng = np.random.default_rng(5)
    labels, scores = model_problem(rng, 70_000, 90_000)
    found = fastauc.inference.roc_auc_ci(labels, scores, fpr_range=(0, 1 - 2**-53))
    order = np.argsort(scores)
    positive = labels[order] == 1
    of_pos = np.cumsum(~positive)[positive] / 90_000
    of_neg = 1 - np.cumsum(positive)[~positive] / 70_000
    variance = np.var(of_pos, ddof=1) / 70_000 + np.var(of_neg, ddof=1) / 90_000
    # Means of some 1e5 doubles.
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)


def shares_at(end, found, error, sizes, n_rows, level=0.95):
    """Return how far a share is from a bound of its interval, and how far it should be.

    All are shares of what is possible; Wilson's interval holds those that are no more than t of
    their own standard deviations away.
    """
    one_row = 1 / min(sizes)
    half = sum(1 / size for size in sizes) / 2
    size = (found * (1 - found) + one_row) / (error**2 + one_row * half)
    t = scipy.stats.t.ppf((1 + level) / 2, max(1, n_rows - 1))
    return abs(end - found), t * math.sqrt(end * (1 - end) / size)


@some
@given(samples(), inner_ranges(), st.sampled_from([0.5, 0.95]))
def test_the_interval_is_that_of_wilson(sample, part, level):
    labels, scores = sample
    labels, scores = np.append(labels, [0, 1]), np.append(scores, [0, 0])
    options = part | {"standardized": False, "confidence_level": level}
    found = fastauc.inference.roc_auc_ci(labels, scores, **options)
    ((name, (lower, upper)),) = part.items()
    width = float(upper - lower)
    sizes = [float(labels.sum()), float((1 - labels).sum())]
    n_rows = min(sizes)
    if (lower, upper) == (0, 1):
        n_rows = math.inf
    sizes[name == "fpr_range"] *= width
    share, error = found.statistic / width, found.standard_error / width
    assert found.method == "wilson"
    for end in found.confidence_interval:
        distance, reach = shares_at(end / width, share, error, sizes, n_rows, level)
        # Differences of rounded shares, and a root of one that may be nearly 0.
        assert distance == pytest.approx(reach, rel=1e-6, abs=1e-7)
    standardized = fastauc.inference.roc_auc_ci(labels, scores, **options | {"standardized": True})
    assert standardized.confidence_interval.low <= standardized.statistic
    assert standardized.statistic <= standardized.confidence_interval.high


@pytest.mark.parametrize("method", ["delong", "delong-logit"])
def test_the_least_and_the_greatest_area_have_an_interval_where_an_error_is_estimated(method):
    # The curve rises where the part ends, or begins: the negatives there are not all alike.
    for labels, part, area in (
        ([0, 1, 1, 0], {"fpr_range": (0, 0.5)}, 0),
        ([1, 0, 0, 1], {"tpr_range": (0.5, 1)}, 0),
        ([0, 1, 1, 0], {"fpr_range": (0.5, 1)}, 1),
    ):
        options = part | {"standardized": False}
        best = fastauc.inference.roc_auc_ci(labels, [4, 3, 2, 1], **options)
        assert (best.statistic, best.method) == (area / 2, "wilson")
        assert best.standard_error > 0
        options |= {"method": method}
        assert fastauc.inference.roc_auc_ci(labels, [4, 3, 2, 1], **options) == best


def test_a_perfect_and_a_worthless_part_have_intervals_with_a_width():
    labels, scores = [0] * 10 + [1] * 5, range(15)
    for part, sizes in (
        ({"fpr_range": (0, 0.3)}, (5, 3)),
        ({"fpr_range": (0, 0.9)}, (5, 9)),
        ({"tpr_range": (0.5, 1)}, (2.5, 10)),
    ):
        for method in "wilson", "delong", "delong-logit":
            best = fastauc.inference.roc_auc_ci(
                labels, scores, **part, method=method, standardized=False
            )
            ((_, (lower, upper)),) = part.items()
            assert best.statistic == pytest.approx(upper - lower)
            assert (best.standard_error, best.method) == (0, "wilson")
            low, high = best.confidence_interval
            assert high == best.statistic
            distance, reach = shares_at(low / (upper - lower), 1, 0, sizes, 5)
            assert distance == pytest.approx(reach, rel=1e-12)
    worst = fastauc.inference.roc_auc_ci(labels, -np.arange(15), fpr_range=(0, 0.3))
    assert worst.confidence_interval.low == worst.statistic
    assert worst.confidence_interval.high > worst.statistic


@pytest.mark.parametrize("weight", [None, 1.0, 0.7])
@pytest.mark.parametrize("part", [{"fpr_range": (0, 0.2)}, {"tpr_range": (0.5, 1)}])
def test_equal_scores_have_an_interval_with_a_width(weight, part):
    labels = [0, 0, 0, 1, 1, 1]
    options = part | {"standardized": False, "confidence_level": 0.9}
    if weight is not None:
        # 0.7 and what is not rounded to it: their sums leave errors of some 1e-17.
        options["sample_weight"] = [weight, 1, 0.1, 0.3, weight, weight]
    found = fastauc.inference.roc_auc_ci(labels, [1] * 6, **options)
    ((_, (lower, upper)),) = part.items()
    width = upper - lower
    share = (lower + upper) / 2 if "fpr_range" in part else 1 - (lower + upper) / 2
    assert found.statistic == pytest.approx(share * width)
    assert (found.standard_error, found.method) == (0, "wilson")
    pos, neg = (
        [1, 1, 1] if weight is None else options["sample_weight"][i : i + 3] for i in (3, 0)
    )
    sizes = [sum(own) ** 2 / sum(w * w for w in own) for own in (pos, neg)]
    n_rows = min(sizes)
    sizes["fpr_range" in part] *= width
    for end in found.confidence_interval:
        distance, reach = shares_at(end / width, share, 0, sizes, n_rows, level=0.9)
        assert distance == pytest.approx(reach, rel=1e-12)
    low, high = found.confidence_interval
    assert 0 < low < found.statistic < high < width
    # So has the whole area.
    whole = fastauc.inference.roc_auc_ci(
        labels, [1] * 6, sample_weight=options.get("sample_weight")
    )
    assert whole.confidence_interval.low < 0.5 < whole.confidence_interval.high


def test_rounded_weights_leave_no_variance():
    rng = np.random.default_rng(0)
    for _ in range(200):
        labels = np.append([0, 0, 1, 1], rng.integers(0, 2, 20))
        weights = rng.random(24) + 0.01
        upper = rng.uniform(0.01, 1)
        for name in "fpr_range", "tpr_range":
            options = {name: (0, upper), "sample_weight": weights}
            found = fastauc.inference.roc_auc_ci(labels, np.ones(24), **options)
            assert (found.standard_error, found.method) == (0, "wilson")


def test_too_few_rows_for_a_variance():
    with pytest.warns(UndefinedMetricWarning, match="1 positive and 2 negative rows"):
        found = fastauc.inference.roc_auc_ci([0, 0, 1], [1, 2, 3], fpr_range=(0, 0.5))
    assert found.statistic == 1
    assert all(map(math.isnan, (found.standard_error, *found.confidence_interval)))
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        found = fastauc.inference.roc_auc_ci([1, 1], [1, 2], tpr_range=(0, 0.5))
    assert all(map(math.isnan, (found.statistic, found.standard_error, *found.confidence_interval)))


# The part, and its exact standardized value in the model problem (see the closed form above).
PARTS = [
    ({"fpr_range": (0, 0.1)}, 4 / 3 * 0.1**1.5 - 0.005),
    ({"fpr_range": (0.1, 0.3)}, 4 / 3 * (0.3**1.5 - 0.1**1.5) - 0.04),
    # FPR = (1 - sqrt(1 - y))^2: the integral of its complement from 0 to y is
    # 4/3 (1 - (1 - y)^(3/2)) - y + y^2 / 2.
    ({"tpr_range": (0.8, 1)}, 4 / 3 * 0.2**1.5 - (1 - 0.8) + (1 - 0.64) / 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("part", "area"), PARTS)
def test_variance_and_coverage_in_the_model_problem(part, area):
    rng = np.random.default_rng([5, *(int(100 * end) for end in next(iter(part.values())))])
    n_samples, found = 4000, []
    for _ in range(n_samples):
        labels, scores = model_problem(rng, 150, 250)
        found.append(
            fastauc.inference.roc_auc_ci(
                labels, scores, **part, method="delong", standardized=False
            )
        )
    statistics = np.array([estimate.statistic for estimate in found])
    variances = np.array([estimate.standard_error for estimate in found]) ** 2
    inside = [low <= area <= high for low, high in (e.confidence_interval for e in found)]
    # The spread of a deviation over R nearly normal samples is sd / sqrt(2 R): 1.1 %. Four of
    # these, and 4 % for what the estimate itself is off at this size.
    ratio = math.sqrt(variances.mean()) / statistics.std()
    assert abs(ratio - 1) < 4 / math.sqrt(2 * n_samples) + 0.04
    # The share of R samples has a deviation of 0.34 %: three of these.
    assert abs(np.mean(inside) - 0.95) < 0.01 + 3 * math.sqrt(0.95 * 0.05 / n_samples)


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["fpr", "tpr"])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(20, 20), (30, 300), (300, 30)])
@pytest.mark.parametrize("ties", [False, True])
def test_coverage_near_the_corner(rate, n_pos, n_neg, ties):
    # Exponential scores with an area of 0.95: TPR = FPR^(1 / 19).
    rng = np.random.default_rng([8, n_pos, n_neg])
    labels = np.repeat([1, 0], [n_pos, n_neg])
    part = {"fpr_range": (0, 0.2)} if rate == "fpr" else {"tpr_range": (0.8, 1)}
    area = 0.2 ** (1 + 1 / 19) / (1 + 1 / 19) if rate == "fpr" else 0.2 - (1 - 0.8**20) / 20
    n_samples, inside = 1500, 0
    scale = np.where(labels == 1, 19.0, 1.0)
    for _ in range(n_samples):
        scores = rng.exponential(scale)
        if ties:
            # Steps of 1 / 20 of the lesser scale: the ties change the area by less than 0.001.
            scores = np.round(scores * 20)
        found = fastauc.inference.roc_auc_ci(labels, scores, **part, standardized=False)
        low, high = found.confidence_interval
        inside += low <= area <= high
    # Three deviations of a share of so many samples below 93 %: 2 %.
    assert inside / n_samples > 0.93 - 3 * math.sqrt(0.93 * 0.07 / n_samples)


def test_one_class_has_no_part_of_an_area():
    counts = fastauc.confusion_matrix_at_thresholds([1, 1], [0.25, 0.5])
    with pytest.warns(UndefinedMetricWarning, match="No negative samples"):
        assert math.isnan(counts.partial_roc_auc(fpr_range=(0, 0.5)))
    counts = fastauc.confusion_matrix_at_thresholds([0, 0], [0.25, 0.5])
    with pytest.warns(UndefinedMetricWarning, match="No positive samples"):
        assert math.isnan(counts.partial_roc_auc(tpr_range=(0.5, 1)))


# Bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["partial_roc_auc_score", "roc_auc_ci"])
@pytest.mark.parametrize("name", ["fpr_range", "tpr_range"])
@pytest.mark.parametrize(
    "bad",
    [(0.5, 0.5), (0.6, 0.5), (-0.1, 0.5), (0, 1.5), (0, math.nan), (0,), (0, 0.1, 0.2), 0.5, "01",
     ("0", "1"), (False, True), (None, 1)],
)  # fmt: skip
def test_ranges_that_are_none(function, name, bad):
    with pytest.raises(InvalidParameterError, match=rf"'{name}' parameter of {function} must be"):
        PUBLIC[function](*T1, **{name: bad})


@pytest.mark.parametrize("function", ["partial_roc_auc_score", "roc_auc_ci"])
def test_one_range_and_no_more(function):
    if function != "roc_auc_ci":
        with pytest.raises(ValueError, match="either fpr_range or tpr_range; neither is given"):
            PUBLIC[function](*T1)
    with pytest.raises(ValueError, match="takes either fpr_range or tpr_range; both are given"):
        PUBLIC[function](*T1, fpr_range=(0, 1), tpr_range=(0, 1))


def test_ranges_in_other_types():
    expected = fastauc.partial_roc_auc_score(*T1, fpr_range=(0, 0.5))
    for part in [0, F(1, 2)], np.array([0, 0.5]), (np.float32(0), np.float16(0.5)):
        assert fastauc.partial_roc_auc_score(*T1, fpr_range=part) == expected


# Laws -------------------------------------------------------------------------------------------


def everything(labels, scores, weights, n_jobs=None):
    """Return all that has to do with parts of the curve, as one flat list."""
    options = {"sample_weight": weights, "n_jobs": n_jobs}
    ci = fastauc.inference.roc_auc_ci(labels, scores, fpr_range=(0.1, 0.7), **options)
    hull = fastauc.metrics.roc_convex_hull(labels, scores, **options)
    return [
        fastauc.partial_roc_auc_score(labels, scores, fpr_range=(0.1, 0.7), **options),
        fastauc.partial_roc_auc_score(labels, scores, tpr_range=(0.1, 0.7), **options),
        *(ci.statistic, ci.standard_error, *ci.confidence_interval),
        fastauc.metrics.tpr_at_fpr(labels, scores, 0.3, **options),
        fastauc.metrics.fpr_at_tpr(labels, scores, 0.3, **options),
        fastauc.metrics.precision_at_recall(labels, scores, 0.3, **options),
        fastauc.metrics.pr_auc_score(labels, scores, interpolation="davis-goadrich", **options),
        *np.concatenate(hull[:2]).tolist(),
        hull.area,
    ]


@law
@given(samples(weights_of_rows), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(sample, random):
    labels, scores, weights = sample
    labels, scores = np.append(labels, [0, 1]), np.append(scores, [0, 0])
    weights = np.append(weights, [1, 2])
    rows = list(range(len(labels)))
    random.shuffle(rows)
    for weight, shuffled in (None, None), (weights, weights[rows]):
        found = everything(labels, scores, weight)
        assert everything(labels[rows], scores[rows], shuffled) == found


def test_threads_do_not_matter():
    # More rows than it takes to sort both regions on threads of their own.
    rng = np.random.default_rng(11)
    labels, scores = rng.integers(0, 2, 450_000), np.round(rng.standard_normal(450_000), 4)
    assert everything(labels, scores, None, 1) == everything(labels, scores, None, 2)
    weights = rng.integers(1, 4, 450_000)
    assert everything(labels, scores, weights, 1) == everything(labels, scores, weights, 2)


@on_glibc
@pytest.mark.parametrize("scores", SUBNORMAL)
def test_a_flushing_processor_finds_the_same(scores):
    rng = np.random.default_rng(12)
    values = SUBNORMAL[scores](rng, 1000)
    labels = rng.integers(0, 2, 1000)
    expected = everything(labels, values, None)
    assert flush_to_zero(0x8040, everything, labels, values, None)[0] == expected
