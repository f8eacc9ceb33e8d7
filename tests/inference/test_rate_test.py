"""The test of two rates, against its definition, SciPy and statsmodels."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies
from scipy.stats import binom, binomtest

import fastauc
import naive
from fastauc.inference import rate_test
from support.laws import rows_of_both_classes

RATES = "sensitivity", "specificity", "accuracy", "precision", "npv"
METHODS = "exact", "mid-p", "asymptotic"
ROWS = rows_of_both_classes(strategies.integers(0, 4), strategies.integers(0, 4), max_size=40)
ASYMPTOTIC = {"method": "asymptotic"}
PLAIN = ASYMPTOTIC | {"use_continuity": False}
# only_first, only_second, and the statistic and pvalue of mcnemar([[0, b], [c, 0]]) of statsmodels
# 0.15.0: with exact=False, with correction=False too, and with exact=True.
OF_STATSMODELS = [
    (1, 0, ASYMPTOTIC, 0.0, 1.0),
    (1, 0, PLAIN, 1.0, 0.31731050786291115),
    (9, 2, ASYMPTOTIC, 3.272727272727273, 0.070440429272088),
    (9, 2, PLAIN, 4.454545454545454, 0.03480847881186725),
    (9, 2, {}, 2.0, 0.0654296875),
    (5, 12, {}, 5.0, 0.143463134765625),
]


def of_discordant(b, c, others=0, **options):
    """Return the test of so many positives that only one of two scores finds; others, both."""
    kinds = [(1, 1, 0), (1, 0, 1), (1, 1, 1), (0, 0, 0)]
    rows = np.repeat(kinds, [b, c, others, 1], axis=0).T
    return rate_test(*rows, threshold_a=1, threshold_b=1, **options)


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@given(
    *(ROWS, strategies.sampled_from(RATES), strategies.sampled_from(METHODS)),
    *(strategies.booleans(), strategies.sampled_from([-math.inf, 0, 1.5, 2, 4, 4.5, math.inf])),
)
def test_the_test_is_its_definition(rows, rate, method, use_continuity, threshold):
    label, *scores = zip(*rows, strict=True)
    options = {"rate": rate, "threshold_a": threshold, "threshold_b": 2, "confidence_level": 0.9}
    if rate not in ("precision", "npv"):
        options["method"] = method
        options |= {"use_continuity": use_continuity} if method == "asymptotic" else {}
    found = rate_test(label, *scores, **options)
    if math.isnan(found.difference):
        assert math.isnan(found.pvalue)
        return
    low, high = found.confidence_interval
    assert low < high
    assert low <= found.difference <= high
    expected = naive.rate_test(label, *scores, **options)
    numbers = *found[:3], found.only_first, found.only_second
    assert [type(value) for value in numbers] == [float, float, float, int, int]
    if rate in ("precision", "npv"):
        assert found.method == "score"
        assert numbers == pytest.approx(list(map(float, expected[:5])), rel=1e-9, abs=1e-12)
        assert found.confidence_interval == pytest.approx(expected[5], abs=1e-9)
        return
    assert found.method == method
    # erfc here, and SciPy's chi-squared there.
    close = 1e-13 if method == "asymptotic" else 0
    assert numbers == pytest.approx(list(map(float, expected)), rel=close, abs=0)


def test_exact_p_values_are_those_of_scipy():
    for b, c in (1, 0), (9, 2), (60, 90), (2400, 2600), (2400, 2601), (300_000, 301_500):
        # Of 6e5 coins, the logarithm is the sum of numbers up to 4e5.
        close, exact = {"rel": 1e-12 if b + c < 10_000 else 1e-9}, binomtest(b, b + c).pvalue
        assert of_discordant(b, c).pvalue == pytest.approx(exact, **close)
        middle = of_discordant(b, c, method="mid-p").pvalue
        chance = binom.pmf(min(b, c), b + c, 0.5)
        assert middle == pytest.approx(exact - chance, rel=1e-9)


def test_figures_of_statsmodels():
    for b, c, options, *expected in OF_STATSMODELS:
        assert of_discordant(b, c, **options)[:2] == pytest.approx(expected, rel=1e-12)


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
    found = of_discordant(b, c, n - b - c)
    low, high = found.confidence_interval
    for end in low, high:
        # The most likely share by a search that ends where likelihoods are alike to 1e-16.
        assert abs(tango_statistic(b, c, n, end)) == pytest.approx(1.959964, abs=1e-4)
    # It holds 0 where McNemar's chi-squared without a correction does not reject.
    plain = of_discordant(b, c, n - b - c, method="asymptotic", use_continuity=False)
    assert (plain.pvalue < 0.05) == (not low <= 0 <= high)


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
