"""The test of two rates, against its definition, SciPy and statsmodels."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies
from scipy.stats import binom, binomtest

import fastauc
import naive
from fastauc.inference import rate_test

RATES, METHODS = ("sensitivity", "specificity", "accuracy"), ("exact", "mid-p", "asymptotic")
ROWS = strategies.lists(
    strategies.tuples(
        strategies.integers(0, 1), strategies.integers(0, 4), strategies.integers(0, 4)
    ),
    min_size=4,
    max_size=40,
).filter(lambda rows: len({label for label, _, _ in rows}) == 2)
# only_first, only_second: statistic and pvalue of mcnemar([[0, b], [c, 0]], exact=False) of
# statsmodels 0.15.0, with and without correction=True, and of exact=True.
OF_STATSMODELS = [
    ((1, 0), (0.0, 1.0), (1.0, 0.31731050786291115), (0.0, 1.0)),
    (
        (9, 2),
        (3.272727272727273, 0.070440429272088),
        (4.454545454545454, 0.03480847881186725),
        (2.0, 0.0654296875),
    ),
    (
        (5, 12),
        (2.1176470588235294, 0.1456100953968629),
        (2.8823529411764706, 0.08955507441364248),
        (5.0, 0.143463134765625),
    ),
    (
        (60, 90),
        (5.6066666666666665, 0.017892267613019326),
        (6.0, 0.014305878435429641),
        (60.0, 0.017597691928785828),
    ),
]


def of_discordant(b, c, **options):
    """Return the test of so many positives that only one of two scores finds."""
    first, second = [1] * b + [0] * c, [0] * b + [1] * c
    labels = [1] * (b + c) + [0]
    thresholds = {"threshold_a": 1, "threshold_b": 1}
    return rate_test(labels, [*first, 0], [*second, 0], **thresholds, **options)


@given(
    ROWS,
    strategies.sampled_from(RATES),
    strategies.sampled_from(METHODS),
    strategies.booleans(),
    strategies.sampled_from([-math.inf, 0, 1.5, 2, 4, 4.5, math.inf]),
)
def test_the_test_is_its_definition(rows, rate, method, use_continuity, threshold):
    sample = list(zip(*rows, strict=True))
    options = {"rate": rate, "method": method}
    if method == "asymptotic":
        options["use_continuity"] = use_continuity
    options |= {"threshold_a": threshold, "threshold_b": 2}
    expected = naive.rate_test(*sample, **options)
    for dtype in (np.int64, np.float32, np.uint8):
        label, *scores = sample
        found = rate_test(label, *(np.array(score, dtype) for score in scores), **options)
        assert found.method == method
        low, high = found.confidence_interval
        assert low < high
        assert low <= found.difference <= high
        found = *found[:3], found.only_first, found.only_second
        if method == "asymptotic":
            # erfc here, and SciPy's chi-squared there.
            assert found == pytest.approx([float(value) for value in expected], rel=1e-13)
        else:
            assert found == tuple(float(value) for value in expected)
        assert [type(value) for value in found] == [float, float, float, int, int]


@pytest.mark.parametrize(
    ("b", "c"), [(1, 0), (9, 2), (60, 90), (2400, 2600), (2400, 2601), (300_000, 301_500)]
)
def test_exact_p_values_are_those_of_scipy(b, c):
    # Of 6e5 coins, the logarithm is the sum of numbers up to 4e5.
    close = {"rel": 1e-12 if b + c < 10_000 else 1e-9}
    assert of_discordant(b, c).pvalue == pytest.approx(binomtest(b, b + c).pvalue, **close)
    middle = of_discordant(b, c, method="mid-p").pvalue
    chance = binom.pmf(min(b, c), b + c, 0.5)
    assert middle == pytest.approx(binomtest(b, b + c).pvalue - chance, rel=1e-9)


@pytest.mark.parametrize(("discordant", "corrected", "plain", "exact"), OF_STATSMODELS)
def test_figures_of_statsmodels(discordant, corrected, plain, exact):
    asymptotic = {"method": "asymptotic"}
    assert of_discordant(*discordant, **asymptotic)[:2] == pytest.approx(corrected, rel=1e-12)
    found = of_discordant(*discordant, **asymptotic, use_continuity=False)
    assert found[:2] == pytest.approx(plain, rel=1e-12)
    assert of_discordant(*discordant)[:2] == pytest.approx(exact, rel=1e-12)


def test_scores_are_not_rounded():
    # float32 has no 0.1, and float64 no 2^53 + 1.
    tenth = np.array([0.1, 0.1, 0], np.float32)
    great = np.array([2**53 + 1, 2**53, 0])
    thresholds = {"threshold_a": 0.1, "threshold_b": 2.0**53}
    found = rate_test([1, 1, 0], tenth, great, **thresholds)
    assert (found.only_first, found.only_second) == (0, 0)
    above = {"threshold_a": 0.100000002, "threshold_b": float(2**53 + 2)}
    found = rate_test([1, 1, 0], tenth, great, **above)
    assert (found.only_first, found.only_second) == (0, 0)
    # The float32 next to 0.1 is 0.100000001490116.
    found = rate_test([1, 1, 0], tenth, great - 1, **thresholds)
    assert (found.only_first, found.only_second) == (1, 0)


@pytest.mark.parametrize("method", METHODS)
def test_equal_predictions_are_no_evidence(method):
    found = rate_test([0, 1], [0, 1], [1, 2], threshold_a=1, threshold_b=2, method=method)
    assert (*found[:3], *found[4:6]) == (0.0, 1.0, 0.0, 0, 0)
    assert found.confidence_interval.low < 0 < found.confidence_interval.high


def tango_statistic(b, c, n, supposed):
    """Return the score statistic, with the most likely shares of its two kinds of rows."""

    def likelihood(only_second):
        only_first, rest = only_second + supposed, 1 - 2 * only_second - supposed
        shares = ((b, only_first), (c, only_second), (n - b - c, rest))
        return sum(m * math.log(share) for m, share in shares if m)

    least, most = max(0.0, -supposed), (1 - supposed) / 2
    for _ in range(200):
        ends = least + (most - least) / 3, most - (most - least) / 3
        if likelihood(ends[0]) < likelihood(ends[1]):
            least = ends[0]
        else:
            most = ends[1]
    variance = n * (2 * least + supposed * (1 - supposed))
    return (b - c - n * supposed) / math.sqrt(variance)


@pytest.mark.parametrize(("b", "c", "n"), [(12, 2, 50), (1, 0, 44), (3, 9, 20), (5, 5, 30)])
def test_the_interval_holds_what_the_score_test_of_tango_accepts(b, c, n):
    labels = [1] * n + [0]
    first, second = [1] * b + [0] * c + [1] * (n - b - c), [0] * b + [1] * c + [1] * (n - b - c)
    thresholds = {"threshold_a": 1, "threshold_b": 1}
    found = rate_test(labels, [*first, 0], [*second, 0], **thresholds)
    for end in found.confidence_interval:
        # The most likely share by a search that ends where likelihoods are alike to 1e-16.
        assert abs(tango_statistic(b, c, n, end)) == pytest.approx(1.959964, abs=1e-4)
    # It holds 0 where McNemar's chi-squared without a correction does not reject.
    plain = {"method": "asymptotic", "use_continuity": False}
    pvalue = rate_test(labels, [*first, 0], [*second, 0], **thresholds, **plain).pvalue
    low, high = found.confidence_interval
    assert (pvalue < 0.05) == (not low <= 0 <= high)


@given(ROWS, strategies.sampled_from(["precision", "npv"]), strategies.integers(0, 4))
def test_predictive_values_are_their_definition(rows, rate, threshold):
    sample = list(zip(*rows, strict=True))
    options = {"rate": rate, "threshold_a": threshold, "threshold_b": 2, "confidence_level": 0.9}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fastauc.UndefinedMetricWarning)
        found = rate_test(*sample, **options)
    if math.isnan(found.difference):
        assert math.isnan(found.pvalue)
        return
    *expected, ends = naive.rate_test(*sample, **options)
    numbers = *found[:3], found.only_first, found.only_second
    assert numbers == pytest.approx([float(value) for value in expected], rel=1e-9, abs=1e-12)
    assert found.confidence_interval == pytest.approx(ends, abs=1e-9)
    assert found.confidence_interval.low < found.confidence_interval.high
    assert found.method == "score"


def test_predictive_values_have_the_level_that_they_promise():
    rng = np.random.default_rng(12)
    n_samples, rejected = 1000, 0
    thresholds = {"threshold_a": 0.5, "threshold_b": 0.5}
    for _ in range(n_samples):
        labels = rng.random(150) < 0.4
        common, *own = rng.standard_normal((3, 150))
        scores = [0.7 * common + 0.7 * noise + labels for noise in own]
        rejected += rate_test(labels, *scores, **thresholds, rate="precision").pvalue < 0.05
    # 5 %, with a deviation of 0.7 % over so many samples, and the seed is fixed.
    assert 0.03 < rejected / n_samples < 0.07


def test_arguments_that_a_method_does_not_use():
    sample, thresholds = ([0, 1], [0, 1], [1, 1]), {"threshold_a": 1, "threshold_b": 1}
    for name, options in (
        ("method", {"method": "score"}),
        ("method", {"method": "exact", "rate": "npv"}),
        ("use_continuity", {"use_continuity": False}),
        ("use_continuity", {"use_continuity": False, "method": "mid-p"}),
    ):
        with pytest.raises(fastauc.InvalidParameterError, match=f"The '{name}' parameter"):
            rate_test(*sample, **thresholds, **options)
