"""Areas of parts of the ROC curve: exact, as others publish them, and how sure they are."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc import InvalidParameterError, UndefinedMetricWarning, partial_roc_auc_score
from fastauc.inference import roc_auc_ci, roc_auc_test, roc_auc_test_1samp, roc_auc_test_ind
from support.flushing import SUBNORMAL, flush_to_zero, on_glibc
from support.laws import law, samples, weights_of_rows
from support.public import PUBLIC
from support.studies import NDKA, POOR_OUTCOME, S100B, WFNS

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
    assert partial_roc_auc_score(*sample, **options) == expected
    counts = fastauc.confusion_matrix_at_thresholds(*sample)
    assert counts.partial_roc_auc(**options) == expected


@law
@given(samples(weights_of_rows), ranges(), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_the_weighted_area(sample, part, upper):
    *rows, weights = sample
    # Counts are rounded once, the areas to both ends by less than 2^-51; no rate is beyond 1. The
    # quotient of the scale divides by (b - a) (1 - (a + b) / 2), so the area itself is compared.
    options = part | {"sample_weight": weights, "standardized": False}
    expected = float(naive.partial_roc_auc_score(*rows, **options))
    found = partial_roc_auc_score(*rows, **options)
    assert found == pytest.approx(expected, rel=0, abs=1e-15)
    counts = fastauc.confusion_matrix_at_thresholds(*rows, sample_weight=weights)
    assert counts.partial_roc_auc(**part, standardized=False) == found
    found = partial_roc_auc_score(*rows, fpr_range=(0, upper), sample_weight=weights)
    assert found == fastauc.roc_auc_score(*rows, max_fpr=upper, sample_weight=weights)


@law
@given(
    samples(weights_of_rows),
    st.sampled_from([1e-6, 0.001, 0.1, 0.25, 1 / 3]),
    st.sampled_from([0.34, 0.5, 2 / 3, 1]),
    st.booleans(),
    st.booleans(),
)
def test_the_area_over_a_log_scale(sample, lower, upper, weighted, standardized):
    *rows, weights = sample
    options = {"fpr_range": (lower, upper), "standardized": standardized, "log_scale": True}
    options["sample_weight"] = weights if weighted else None
    expected = float(naive.partial_roc_auc_score(*rows, **options))
    found = partial_roc_auc_score(*rows, **options)
    # Ends of segments have relative errors below 2^-51, so logarithms have them as absolute ones:
    # of the narrowest range, from 1/3 to 0.34, ln(b / a) is 0.0198.
    assert found == pytest.approx(expected, rel=0, abs=1e-14 if lower < 1 / 3 else 1e-13)
    del options["sample_weight"]
    counts = fastauc.confusion_matrix_at_thresholds(
        *rows, sample_weight=weights if weighted else None
    )
    assert counts.partial_roc_auc(**options) == found


@pytest.mark.check("published examples")
def test_log_areas_of_chance_and_of_the_best_order():
    # Mysinger and Shoichet (2010): 14.462 % for a random order, from 0.001 to 1.
    labels = [0, 1] * 1000
    chance = partial_roc_auc_score(labels, [1] * 2000, fpr_range=(0.001, 1), log_scale=True)
    assert chance == pytest.approx(0.14462, abs=5e-6)
    assert chance == pytest.approx(0.999 / math.log(1000), rel=1e-15)
    options = {"fpr_range": (0.01, 1), "log_scale": True}
    assert partial_roc_auc_score(labels, labels, **options) == pytest.approx(1, rel=1e-15)
    decades = partial_roc_auc_score(labels, labels, **options, standardized=False)
    assert decades == pytest.approx(2, rel=1e-15)


@pytest.mark.parametrize(
    "options",
    [{"fpr_range": (0, 0.1)}, {"fpr_range": (0, 1)}, {"tpr_range": (0.1, 1)}],
    ids=str,
)
def test_a_log_scale_begins_above_0(options):
    counts = fastauc.confusion_matrix_at_thresholds(*T1)
    for call in (
        lambda: partial_roc_auc_score(*T1, **options, log_scale=True),
        lambda: counts.partial_roc_auc(**options, log_scale=True),
    ):
        with pytest.raises(ValueError, match=r"requires an fpr_range that begins above 0, such as"):
            call()


def test_integers_beyond_64_bits():
    # Counts made by hand: 2^40 of each class, four points.
    steps = np.array([1, 2, 3, 4]) * 2**38 // 2
    counts = fastauc.ConfusionCounts(
        steps[-1] - steps, steps, steps[-1] - steps[[1, 2, 3, 3]], steps[[1, 2, 3, 3]], steps[::-1]
    )
    part = counts.partial_roc_auc(fpr_range=(0.25, 0.75), standardized=False)
    assert part == float((F(2, 4) + 2 * F(3, 4) + F(4, 4)) / 8)


# Published figures ------------------------------------------------------------------------------

# pROC 1.19, tests/testthat/test-auc.R: bounds of specificity, or sensitivity, and the area.
AREAS_OF_PROC = [
    (WFNS, "specificity", (0.9, 1), 0.0334417344173442, 0.649693339038653),
    (WFNS, "specificity", (0, 0.5), 0.488134475939354, 0.952537903757416),
    (NDKA, "specificity", (0.8, 0.9), 0.0277777777777778, 0.575163398692811),
    (WFNS, "sensitivity", (0.9, 1), 0.0400999322493225, 0.68473648552275),
    (WFNS, "sensitivity", (0, 0.5), 0.483358739837398, 0.933434959349593),
    (NDKA, "sensitivity", (0.9, 1), 0.0037940379403794, None),  # NA: below the diagonal
    (NDKA, "sensitivity", (0.8, 0.9), 0.0242547425474255, 0.554439662043679),
]


@pytest.mark.check("published examples")
def test_published_areas_of_proc():
    for scores, rate, bounds, area, corrected in AREAS_OF_PROC:
        part = {"tpr_range": bounds}
        if rate == "specificity":
            part = {"fpr_range": (1 - F(str(bounds[1])), 1 - F(str(bounds[0])))}
        found = partial_roc_auc_score(POOR_OUTCOME, scores, **part, standardized=False)
        # Printed to 15 digits.
        assert found == pytest.approx(area, rel=1e-14)
        standardized = partial_roc_auc_score(POOR_OUTCOME, scores, **part)
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
    specificities = 1 - fastauc.metrics.fpr_at_tpr(POOR_OUTCOME, S100B, tenths)
    # Printed to 15 digits, and a difference from 1.
    np.testing.assert_allclose(specificities, SPECIFICITIES, rtol=1e-14, atol=1e-15)
    sensitivities = fastauc.metrics.tpr_at_fpr(POOR_OUTCOME, S100B, 1 - tenths)
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
    found = roc_auc_ci(labels, scores, **options)
    statistic, variance = naive.partial_roc_auc_ci(labels, scores, **options)
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
    found = roc_auc_ci(labels, scores, **part, sample_weight=weights)
    _, variance = naive.partial_roc_auc_ci(labels, scores, **part, sample_weight=weights)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-9)
    # Equal weights are no weights, and their unit does not matter.
    plain = roc_auc_ci(labels, scores, **part)
    for unit in 1.0, 2.0**-40, 3e200:
        same = roc_auc_ci(labels, scores, **part, sample_weight=np.full(len(labels), unit))
        assert same.standard_error == pytest.approx(plain.standard_error, rel=1e-12, abs=1e-14)


def test_of_the_whole_curve_it_is_that_of_delong():
    for part in "fpr_range", "tpr_range":
        found = roc_auc_ci(*T1, **{part: (0, 1)})
        assert found.statistic == 19 / 24
        assert found.standard_error == math.sqrt(1 / 27)
        assert found == roc_auc_ci(*T1)


def assert_wilson(found, labels, part, weights=None, *, close=1e-12):
    """Assert that both ends are no more than t of their own standard deviations away.

    All are shares of what is possible, with the effective numbers of rows in the part.
    """
    ((name, (lower, upper)),) = part.items()
    width = float(upper - lower)
    weights = np.ones(len(labels)) if weights is None else np.array(weights)
    own = [weights[np.array(labels) == c] for c in (1, 0)]
    sizes = [each.sum() ** 2 / (each**2).sum() for each in own]
    n_rows = math.inf if (lower, upper) == (0, 1) else min(sizes)
    sizes[name == "fpr_range"] *= width
    one_row, half = 1 / min(sizes), sum(1 / size for size in sizes) / 2
    share, error = found.statistic / width, found.standard_error / width
    size = (share * (1 - share) + one_row) / (error**2 + one_row * half)
    t = scipy.stats.t.ppf((1 + found.confidence_level) / 2, max(1, n_rows - 1))
    assert found.method == "wilson"
    for end in (bound / width for bound in found.confidence_interval):
        reach = t * math.sqrt(max(0, end * (1 - end)) / size)
        assert abs(end - share) == pytest.approx(reach, rel=close, abs=close / 10)


@some
@given(samples(), inner_ranges(), st.sampled_from([0.5, 0.95]))
def test_the_interval_is_that_of_wilson(sample, part, level):
    labels, scores = sample
    labels, scores = np.append(labels, [0, 1]), np.append(scores, [0, 0])
    options = part | {"standardized": False, "confidence_level": level}
    # Differences of rounded shares, and a root of one that may be nearly 0.
    assert_wilson(roc_auc_ci(labels, scores, **options), labels, part, close=1e-6)
    standardized = roc_auc_ci(labels, scores, **options | {"standardized": True})
    assert standardized.confidence_interval.low <= standardized.statistic
    assert standardized.statistic <= standardized.confidence_interval.high


ORDERED, EQUAL = np.repeat([0, 1], [10, 5]), np.repeat([0, 1], 3)
# Labels, scores, a part, weights, and the share of the part that is under the curve.
KNOWN = [
    *(
        (ORDERED, np.arange(15), part, None, 1)
        for part in ({"fpr_range": (0, 0.3)}, {"fpr_range": (0, 0.9)}, {"tpr_range": (0.5, 1)})
    ),
    (ORDERED, -np.arange(15), {"fpr_range": (0, 0.3)}, None, 0),
    # 0.7 and what is not rounded to it: their sums leave errors of some 1e-17.
    *(
        (EQUAL, np.ones(6), part, weights, share)
        for part, share in (({"fpr_range": (0, 0.2)}, 0.1), ({"tpr_range": (0.5, 1)}, 0.25))
        for weights in (None, [0.7, 1, 0.1, 0.3, 0.7, 0.7])
    ),
]


@pytest.mark.parametrize(("labels", "scores", "part", "weights", "share"), KNOWN)
def test_where_no_variance_is_estimated_the_interval_has_a_width(
    labels, scores, part, weights, share
):
    ((_, (lower, upper)),) = part.items()
    rows = labels, scores
    options = {"standardized": False, "sample_weight": weights, **part}
    found = roc_auc_ci(*rows, confidence_level=0.9, **options)
    assert found.statistic == pytest.approx(share * (upper - lower))
    assert found.standard_error == 0
    assert_wilson(found, labels, part, weights)
    low, high = found.confidence_interval
    assert 0 <= low < high <= upper - lower
    whole = roc_auc_ci(*rows, sample_weight=weights).confidence_interval
    assert whole.low < whole.high


def test_the_least_and_the_greatest_area_have_an_interval_where_an_error_is_estimated():
    # The curve rises where the part ends, or begins: the negatives there are not all alike.
    for labels, part, area in (
        ([0, 1, 1, 0], {"fpr_range": (0, 0.5)}, 0),
        ([1, 0, 0, 1], {"tpr_range": (0.5, 1)}, 0),
        ([0, 1, 1, 0], {"fpr_range": (0.5, 1)}, 1),
    ):
        options = part | {"standardized": False}
        best = roc_auc_ci(labels, [4, 3, 2, 1], **options)
        assert (best.statistic, best.method) == (area / 2, "wilson")
        assert best.standard_error > 0
        low, high = best.confidence_interval
        assert 0 <= low <= area / 2 <= high <= 0.5
        assert low < high


def test_rounded_weights_leave_no_variance():
    rng = np.random.default_rng(0)
    for _ in range(200):
        labels = np.append([0, 0, 1, 1], rng.integers(0, 2, 20))
        part = {rng.choice(["fpr_range", "tpr_range"]): (0, rng.uniform(0.01, 1))}
        found = roc_auc_ci(labels, np.ones(24), sample_weight=rng.random(24) + 0.01, **part)
        assert (found.standard_error, found.method) == (0, "wilson")


def test_too_few_rows_for_a_variance():
    with pytest.warns(UndefinedMetricWarning, match="1 positive and 2 negative rows"):
        found = roc_auc_ci([0, 0, 1], [1, 2, 3], fpr_range=(0, 0.5))
    assert found.statistic == 1
    assert all(map(math.isnan, (found.standard_error, *found.confidence_interval)))
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        found = roc_auc_ci([1, 1], [1, 2], tpr_range=(0, 0.5))
    assert all(map(math.isnan, (found.statistic, found.standard_error, *found.confidence_interval)))


# The test of two parts --------------------------------------------------------------------------


@some
@given(samples(), inner_ranges(), st.booleans(), st.randoms(use_true_random=False))
def test_it_is_the_difference_of_what_each_row_adds(sample, part, paired, random):
    labels, first = sample
    labels, first = np.append(labels, [0, 1]), np.append(first, [0, 0])
    second = np.array(random.choices(range(6), k=len(labels)))
    call = (labels, first, second) if paired else (labels, first, labels, second)
    define = naive.partial_roc_auc_test if paired else naive.partial_roc_auc_test_ind
    difference, variance = define(*call, **part)
    if variance < 1e-20:
        # As of equal placements; the differences of the definition are off by the square of 1e-12.
        return
    found = (roc_auc_test if paired else roc_auc_test_ind)(*call, **part)
    assert found.difference == pytest.approx(float(difference), rel=1e-13, abs=1e-15)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    if min(np.bincount(labels)) < 10:
        assert found.method == "score"
        return
    assert found.statistic == pytest.approx(found.difference / found.standard_error, rel=1e-12)
    assert found.method == "t"
    assert 1 <= found.df <= 2 * len(labels) - 2
    assert found.pvalue == pytest.approx(2 * scipy.stats.t.sf(abs(found.statistic), found.df))
    low, high = found.confidence_interval
    assert (found.pvalue < 0.05) == (not low <= 0 <= high)


def test_perfect_scores_have_an_interval():
    labels, scores = np.repeat([0, 1], 6), np.arange(12)
    for other, difference in (scores**2, 0), (-scores, 1.1):
        found = roc_auc_test(labels, scores, other, fpr_range=(0, 0.1))
        assert (found.standard_error, found.method) == (0, "score")
        low, high = found.confidence_interval
        assert high - low > 0.3
        assert (found.pvalue == 1) == (difference == 0)
    with pytest.warns(UndefinedMetricWarning, match="expected two or more of each"):
        found = roc_auc_test([1, 0, 0], [1, 2, 3], [3, 2, 1], fpr_range=(0, 0.5))
    assert (found.difference, math.isnan(found.pvalue)) == (-2 / 3, True)


# Bad input --------------------------------------------------------------------------------------


BAD_RANGES = (0.5, 0.5), (0.6, 0.5), (-0.1, 0.5), (0, 1.5), (0, math.nan), (0,), (0, 0.1, 0.2), 0.5
BAD_RANGES += "01", ("0", "1"), (False, True), (None, 1)


@pytest.mark.parametrize("function", ["partial_roc_auc_score", "roc_auc_ci"])
def test_ranges_that_are_none(function):
    for name, bad in itertools.product(("fpr_range", "tpr_range"), BAD_RANGES):
        told = rf"'{name}' parameter of {function} must be"
        with pytest.raises(InvalidParameterError, match=told):
            PUBLIC[function](*T1, **{name: bad})
    with pytest.raises(ValueError, match="accepts either fpr_range or tpr_range; both are given"):
        PUBLIC[function](*T1, fpr_range=(0, 1), tpr_range=(0, 1))
    if function != "roc_auc_ci":
        with pytest.raises(ValueError, match="either fpr_range or tpr_range; neither is given"):
            PUBLIC[function](*T1)


def test_ranges_in_other_types():
    expected = partial_roc_auc_score(*T1, fpr_range=(0, 0.5))
    for part in [0, F(1, 2)], np.array([0, 0.5]), (np.float32(0), np.float16(0.5)):
        assert partial_roc_auc_score(*T1, fpr_range=part) == expected


@pytest.mark.parametrize("width", [1e-300, 1e-160])
def test_a_part_without_a_width_says_nothing(width):
    part = {"fpr_range": (0, width)}
    assert roc_auc_ci(*T1, **part).confidence_interval == pytest.approx((0.5, 1))
    for area in 0.7, 0.99:
        found = roc_auc_test_1samp(*T1, area, **part)
        assert found.pvalue > 0.99
        assert np.isfinite(found.confidence_interval).all()
    assert math.isinf(roc_auc_test_1samp(*T1, 1, **part).statistic)  # in no time


@on_glibc
def test_a_flushing_processor_finds_the_same():
    def everything(*rows):
        found = roc_auc_ci(*rows, fpr_range=(0.1, 0.7)), fastauc.metrics.tpr_at_fpr(*rows, 0.3)
        return found, fastauc.metrics.pr_auc_score(*rows, interpolation="davis-goadrich")

    for make in SUBNORMAL.values():
        rng = np.random.default_rng(12)
        labels, scores = rng.integers(0, 2, 1000), make(rng, 1000)
        expected = everything(labels, scores)
        assert flush_to_zero(0x8040, everything, labels, scores)[0] == expected
