"""Intervals and bands of curves that are made of replicates."""

import math
from fractions import Fraction

import numpy as np
import pytest

import fastauc
import naive
from fastauc._kernels import resampling as _resampling
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from fastauc.inference import _bands as bands, _resampling as resampling, bootstrap_ci, curve_ci
from fastauc.inference._resampling import Resampler, find_steps
from naive import bands as naive_bands, bootstrap as naive_bootstrap
from naive.rows import rows_of
from support.laws import model_problem
from support.studies import SCHEMES, SMALL

LABELS, SCORES = SMALL
ROWS = rows_of(LABELS, SCORES, None)
RATES, RECALLS = [0, 0.1, 0.125, 0.3, 0.5, 0.875, 1], [0.1, 1 / 6, 0.3, 0.5, 5 / 6, 1]
BAND = {"simultaneous": True, "rng": 5, "n_resamples": 200, "confidence_level": 0.9}


def heights_of_replicates(labels, scores, at):
    """Return the heights at the rates of the 200 replicates by the seed 5, row by row."""
    sample = Rows("test", labels, scores).sample(SERIAL)
    drawn = Resampler(find_steps([sample], False), True)
    rng, at = np.random.default_rng(5), np.array(at)
    return resampling.evaluate(drawn, 200, lambda one: bands.height_of(one, at), rng).tolist()


def assert_ends(found, ends, close):
    np.testing.assert_allclose([found.low, found.high], np.transpose(ends), rtol=0, atol=close)


def test_bands_are_made_of_their_replicates():
    heights = heights_of_replicates(LABELS, SCORES, RATES)
    band = curve_ci(LABELS, SCORES, RATES, **BAND)
    single = curve_ci(LABELS, SCORES, RATES, confidence_level=0.9)
    ends = list(zip(single.low.tolist(), single.high.tolist(), strict=True))
    values = band.statistic.tolist()
    expected = naive_bands.widened(RATES, values, ends, heights, 1 / 8, 0.9)
    # Sums of 200 doubles, and quantiles between them.
    assert_ends(band, naive_bands.ascending(expected), 1e-12)
    assert (band.low[:-1] < single.low[:-1]).sum() >= 2
    assert (band.low[-1], band.high[-1]) == (1, 1)
    assert band[4:] == ("fpr", True, 0.9, "sup-t-binomial")


def test_the_band_of_precision_is_made_of_its_replicates():
    generator = np.random.default_rng(5)
    options = bands.BandOptions("recall", True, 0.9, 200, generator, SERIAL)
    sample = Rows("test", LABELS, SCORES).sample(SERIAL)
    drawn = bands.values_of_replicates(sample, np.array(RECALLS), options)
    band = curve_ci(LABELS, SCORES, RECALLS, given="recall", **BAND)
    single = curve_ci(LABELS, SCORES, RECALLS, given="recall", confidence_level=0.9)
    ends = list(zip(single.low.tolist(), single.high.tolist(), strict=True))
    values = single.statistic.tolist()
    wanted = naive_bands.widened(RECALLS, values, ends, drawn.tolist(), 1 / 6, 0.9)
    # A quotient of differences of doubles.
    assert_ends(band, wanted, 1e-12)
    assert (band.low < single.low).all()
    # Each is that of the definition for the rows that were drawn, as often as they were.
    drawn_anew = naive_bootstrap.replicates(ROWS, None, False, 300, 4)
    wanted = [
        [
            float(precision)
            for precision in naive.precision_at_recall(*list(zip(*rows, strict=True))[:2], RECALLS)
        ]
        for rows in drawn_anew
    ]
    # Means of 200 and 300 values whose spread is 0.25 at most: 4.4 errors of their difference.
    assert drawn.std(axis=0).max() < 0.25
    np.testing.assert_allclose(drawn.mean(axis=0), np.mean(wanted, axis=0), atol=0.1)


@pytest.mark.parametrize(
    ("rates", "at"), [("fpr", [0.2, 0.5, 0.8]), ("recall", [0.1, 0.5, 0.9, 1])]
)
def test_where_all_replicates_are_alike_the_band_is_that_of_one_rate(rates, at):
    rows = np.repeat([0, 1], 10), np.arange(20), at
    options = {"simultaneous": True, "n_resamples": 40, "rng": 0}
    band = curve_ci(*rows, given=rates, **options)
    single = curve_ci(*rows, given=rates)
    assert {*band.statistic.tolist(), *band.high.tolist()} == {1}
    np.testing.assert_allclose(band.low, single.low, rtol=0, atol=1e-15)
    assert (band.low < 0.9).all()


@pytest.mark.parametrize("design", [{"groups": np.arange(14) // 2}, {"sample_weight": [1, 2] * 7}])
@pytest.mark.parametrize("simultaneous", [False, True])
def test_false_positive_rates_are_those_of_the_exchanged_classes(design, simultaneous):
    given = {"simultaneous": simultaneous, **design}
    turned = [1 - label for label in LABELS], [-score for score in SCORES]
    other = curve_ci(*turned, [0.2, 0.5, 0.9], **given)
    for dtype in (np.int8, np.uint64, np.int64, np.float32, np.float64):
        scores = np.array(SCORES, dtype)
        band = curve_ci(LABELS, scores, [0.1, 0.5, 0.8], given="tpr", **given)
        ends = [1 - end[::-1] for end in (other.statistic, other.high, other.low)]
        np.testing.assert_allclose(band[1:4], ends, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "given",
    [{"simultaneous": True, "n_resamples": 9}, {"groups": [1, 2, 3]}, {"sample_weight": [1, 2, 3]}],
)
def test_one_positive_row_has_no_interval(given):
    with pytest.warns(fastauc.UndefinedMetricWarning, match="expected two or more|all in one row"):
        band = curve_ci([1, 0, 0], [3, 1, 2], [0.5], **given)
    assert band.statistic.tolist() == [1]
    assert np.isnan([band.low, band.high]).all()


def test_few_of_the_heaviest_rows_have_a_wide_interval_along_a_curve():
    # Of 20 positives, none stands for 20, but of the negatives: those may not be in the sample.
    labels, scores = model_problem(np.random.default_rng(3), 20, 200)
    weights = np.where((labels == 0) & (np.arange(220) % 20 == 7), 20, 1)
    plain, found = (curve_ci(labels, scores, 0.3, sample_weight=w) for w in (None, weights))
    # One positive: of a binomial number of one trial, nothing is unlikely.
    assert found.high - found.low > 0.9 > 2 * (plain.high - plain.low)
    rule = {"statistic": "ks", "rng": 0, "n_resamples": 50}
    distances = [bootstrap_ci(labels, scores, sample_weight=w, **rule) for w in (None, weights)]
    assert distances[0].confidence_interval.low > 0 == distances[1].confidence_interval.low


# Net benefit --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "design",
    [
        {},
        {"groups": SCHEMES["clusters"]["groups"]},
        {"sample_weight": [1, 2, 1, 1, 2, 2, 2, 1, 1, 2, 0, 2, 2, 1]},
    ],
)
def test_net_benefit_is_that_of_the_definition(design):
    probabilities, at = (SCORES - np.min(SCORES)) / np.ptp(SCORES), [0.6, 0.0, 0.25, 0.5]
    found = curve_ci(LABELS, probabilities, at, given="threshold", confidence_level=0.9, **design)
    rows = rows_of(LABELS, probabilities, design.get("sample_weight"))
    groups = naive_bootstrap.groups_of_rows(design.get("groups"), design.get("sample_weight"))
    counted = fastauc.metrics.net_benefit_curve(
        LABELS, probabilities, thresholds=at, sample_weight=design.get("sample_weight")
    )
    assert found.statistic == pytest.approx(counted[0], rel=1e-14, abs=1e-15)
    for k, threshold in enumerate(at):
        expected = naive_bands.net_benefit_interval(rows, groups, threshold, 0.9)
        # Golden section finds the place of a maximum to the root of a rounding error.
        ends = found.statistic[k], found.low[k], found.high[k]
        assert ends == pytest.approx(expected, abs=1e-6)
    assert (found.given, found.simultaneous, found.method) == ("threshold", False, "score")


def test_net_benefit_as_tango_has_it():
    # At 1/2 it is the difference of two shares of n: of (b - c) / n, his paired proportions.
    # 50 pairs with b = 3 and c = 12: -0.1800, -0.3245 to -0.0343... by his closed-form variance.
    y_true = np.repeat([1, 0, 1], [3, 12, 35])
    y_score = np.repeat([0.9, 0.9, 0.1], [3, 12, 35])
    found = curve_ci(y_true, y_score, 0.5, given="threshold")

    def distance(supposed, b=3, c=12, n=50):
        linear = -b - c + (2 * n - b + c) * supposed
        share = (math.sqrt(linear**2 - 8 * n * -c * supposed * (1 - supposed)) - linear) / (4 * n)
        return (b - c - n * supposed) / math.sqrt(n * (2 * share + supposed * (1 - supposed)))

    assert found.statistic == -0.18
    # His q21 is the share of those that count -1.
    assert abs(distance(found.low)) == pytest.approx(1.959964, abs=1e-5)
    assert abs(distance(found.high)) == pytest.approx(1.959964, abs=1e-5)


@pytest.mark.parametrize(("n_rows", "threshold"), [(100, 0.1), (100, 0.6), (400, 0.4), (400, 0.8)])
def test_net_benefit_is_held(n_rows, threshold):
    # Where replicates held 77 to 82 % of 95.
    rng = np.random.default_rng(3)
    for share, sensitivity, fpr in ((0.1, 0.5, 0.1), (0.3, 0.4, 0.02)):
        odds = threshold / (1 - threshold)
        true, held = share * sensitivity - (1 - share) * fpr * odds, 0
        for _ in range(400):
            label = rng.random(n_rows) < share
            score = (rng.random(n_rows) < np.where(label, sensitivity, fpr)).astype(float)
            found = curve_ci(label, score, threshold, given="threshold")
            held += found.low <= true <= found.high
        assert held / 400 >= 0.935 - 4 * math.sqrt(0.935 * 0.065 / 400)


def test_net_benefit_above_all_scores_has_an_interval():
    rows = {"y_true": [0, 1, 0, 1], "y_score": [0.1, 0.2, 0.3, 0.4], "given": "threshold"}
    found = curve_ci(**rows, at=[0.9])
    assert found.statistic == 0
    assert -9 <= found.low < 0 < found.high <= 1
    with pytest.warns(fastauc.UndefinedMetricWarning, match="All rows are in one group"):
        assert math.isnan(curve_ci(**rows, at=0.1, groups=[1, 1, 1, 1]).low)
    shown = curve_ci(**rows)
    assert shown.at.tolist() == (np.arange(100) / 100).tolist()
    assert {"threshold", "net_benefit"} <= {*shown.to_pandas()}
    for wrong, message in (
        ({"y_score": [1, 2, 3, 4]}, r"y_score, from the highest\[0\] is 4"),
        ({"simultaneous": True}, "'simultaneous' parameter of curve_ci must be False with given="),
    ):
        with pytest.raises(ValueError, match=message):
            curve_ci(**rows | wrong)


@pytest.mark.parametrize("n", [1, 2, 25, 400])
def test_the_mean_of_a_function_of_a_binomial_number(n):
    rng = np.random.default_rng(n)
    for first, n_values in (0, 1), (0, n), (n // 2, 3), (n, 1), (-3, 5):
        values = np.sort(rng.random(n_values))
        for probability in 1e-9, 0.01, 0.5, 0.75, 1 - 1e-9:
            found = _resampling.mean_of_binomial(values, first, n, probability)
            exact = mean_of_binomial(values, first, n, Fraction(probability))
            # Of up to n terms, each a product of up to n rounded ratios; the derivative is at most
            # n times as large as the mean of what it adds up.
            bound = n**2 * 2**-50 + 2**-45
            assert found[0] == pytest.approx(float(exact[0]), rel=0, abs=bound)
            scale = n / (probability * (1 - probability))
            assert found[1] == pytest.approx(float(exact[1]), rel=0, abs=scale * bound)


def mean_of_binomial(values, first, n, probability):
    """Return the mean, and its derivative, by all terms."""
    mean = slope = Fraction()
    for k in range(n + 1):
        place = k - first
        value = 0.0 if place < 0 else values[place] if place < len(values) else 1.0
        share = math.comb(n, k) * probability**k * (1 - probability) ** (n - k) * Fraction(value)
        mean += share
        slope += share * (k - n * probability) / (probability * (1 - probability))
    return mean, slope
