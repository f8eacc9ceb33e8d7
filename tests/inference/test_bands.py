"""Bands around the ROC curve."""

import itertools
import math

import numpy as np
import pytest

import fastauc
import naive
from fastauc._validation.groups import Clusters
from fastauc._validation.samples import read_binary_sample
from fastauc.inference import _bands as bands, _resampling as resampling
from fastauc.inference._resampling import Resampler, Streams, find_steps
from naive import bands as naive_bands, bootstrap as naive_bootstrap
from support.laws import first

LABELS, SCORES = [1] * 6 + [0] * 8, [7, 5, 5, 3, 2, 6, 5, 4, 3, 3, 2, 1, 0, 4]
RATES = [0, 0.1, 0.125, 0.3, 0.5, 0.875, 1]


def roc_band(y_true, y_score, *, fpr=None, method=None, **options):
    """Return the true positive rates, with intervals or the band that the method makes."""
    options["simultaneous"] = method in bands._OF_RATES[True]
    return fastauc.inference.curve_ci(y_true, y_score, fpr, method=method, **options)


def fpr_band(y_true, y_score, *, tpr=None, **options):
    """Return the same of false positive rates."""
    return roc_band(y_true, y_score, fpr=tpr, given="tpr", **options)


def draw(seed, n_pos, n_neg):
    """Return a sample of the model problem, and the height of its true curve at a rate."""
    rng = np.random.default_rng(seed)
    scores = np.concatenate([np.sqrt(rng.random(n_pos)), 1 - np.sqrt(rng.random(n_neg))])
    return np.repeat([1, 0], [n_pos, n_neg]), scores


def true_height(fpr):
    return 1 - (1 - np.sqrt(fpr)) ** 2


def test_heights_and_simultaneous_band_are_those_of_the_definition():
    band = roc_band(LABELS, SCORES, fpr=RATES, method="dkw")
    heights, ends = naive_bootstrap.roc_curve_band(LABELS, SCORES, fpr=RATES, method="dkw")
    assert band.at.tolist() == RATES
    assert band.statistic == pytest.approx(heights, abs=4 * 2**-53)
    low, high = zip(*ends, strict=True)
    # The definition looks at 100 points of each step of the curve, which is half of it at most.
    np.testing.assert_allclose(band.low, low, rtol=0, atol=0.01)
    np.testing.assert_allclose(band.high, high, rtol=0, atol=0.01)
    assert (band.confidence_level, band.method) == (0.95, "dkw")


def test_simultaneous_band_by_hand():
    # Both classes 200 rows: all within sqrt(log(2 / (1 - sqrt(0.81))) / 400) = 0.08654.
    labels, scores = np.repeat([1, 0], 200), np.concatenate([np.arange(200), np.arange(200)])
    band = roc_band(labels, scores, fpr=[0, 0.5, 1], method="dkw", confidence_level=0.81)
    width = math.sqrt(math.log(20) / 400)
    assert band.statistic == pytest.approx([0, 0.5, 1])
    assert band.low == pytest.approx([0, 0.5 - 2 * width, 1 - 2 * width])
    assert band.high == pytest.approx([2 * width, 0.5 + 2 * width, 1])


def test_heights_where_the_curve_is_upright():
    fpr, tpr = np.array([0, 0, 0.5, 0.5, 1, 1]), np.array([0, 0.2, 0.2, 0.6, 0.8, 1])
    at = np.array([0, 0.25, 0.5, 0.75, 1])
    assert bands.height(fpr, tpr, at, "right").tolist() == [0.2, 0.2, 0.6, 0.7, 1]
    assert bands.height(fpr, tpr, at, "left").tolist() == pytest.approx([0, 0.2, 0.2, 0.7, 0.8])


@pytest.mark.parametrize("n_neg", [1, 3, 7, 10, 49, 100, 1000])
def test_rates_of_counts_are_those_of_the_curve(n_neg):
    # Each count over n_neg, as roc_curve rounds it, is met: the height is that after the count.
    labels = [1] * (n_neg + 1) + [0] * n_neg
    scores = [*range(1, 2 * n_neg + 2, 2), *range(2, 2 * n_neg + 2, 2)]
    rates = np.arange(n_neg + 1) / n_neg
    sample = read_binary_sample(labels, scores, None, None, "test")
    (steps,) = find_steps([sample], False)
    found = bands.height_of(resampling.whole_sample(steps), rates)
    expected = np.arange(1, n_neg + 2) / (n_neg + 1)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        roc_band(labels, scores, fpr=rates, method="dkw").statistic,
        expected,
    )


SCHEMES = {
    "stratified": {},
    "plain": {"stratified": False},
    "clusters": {"groups": [0, 1, 2, 3, 4, 5, 0, 1, 2, 2, 3, 6, 6, 6]},
    "bayesian": {"bayesian": True},
    "weights": {"sample_weight": [1, 2, 0.5, 1, 1, 3, 1, 2, 2, 1, 0, 0.5, 1, 1]},
}


@pytest.mark.parametrize("scheme", first(2, SCHEMES))
def test_pointwise_band_is_that_of_the_definition(scheme):
    given = {"fpr": [0.05, 0.3, 0.5], "confidence_level": 0.8, **SCHEMES[scheme]}
    given["method"] = "bootstrap"
    heights, ends = naive_bootstrap.roc_curve_band(LABELS, SCORES, rng=1, n_resamples=600, **given)
    band = roc_band(LABELS, SCORES, rng=2, n_resamples=4000, **given)
    # Weights are scaled and summed in doubles.
    assert band.statistic == pytest.approx(heights, abs=1e-14)
    # Quantiles at 0.1 and 0.9 of 600 values are those at 0.1 +- 5 * 0.0122 of the distribution.
    wide, narrow = (
        roc_band(LABELS, SCORES, rng=2, n_resamples=4000, **{**given, "confidence_level": level})
        for level in (0.8 + 0.122, 0.8 - 0.122)
    )
    low, high = zip(*ends, strict=True)
    tiny = 1e-12
    assert (wide.low - tiny <= low).all()
    assert (low <= narrow.low + tiny).all()
    assert (narrow.high - tiny <= high).all()
    assert (high <= wide.high + tiny).all()


@pytest.mark.parametrize("method", ["binomial", "hilgers"])
def test_bands_of_binomial_counts_are_those_of_the_definition(method):
    band = roc_band(LABELS, SCORES, fpr=RATES, method=method)
    heights, ends = naive_bootstrap.roc_curve_band(LABELS, SCORES, fpr=RATES, method=method)
    assert band.statistic == pytest.approx(heights, abs=4 * 2**-53)
    # As in test_rate_intervals.py.
    np.testing.assert_allclose([band.low, band.high], list(zip(*ends, strict=True)), atol=1e-8)
    assert (band.low <= band.statistic).all()
    assert (band.statistic <= band.high).all()
    # In any order and shape, and one by one.
    again = roc_band(
        LABELS, SCORES, fpr=np.reshape(RATES[::-1] + RATES[-1:], (4, 2)), method=method
    )
    assert again.low.ravel()[:7].tolist() == band.low.tolist()[::-1]
    single = roc_band(LABELS, SCORES, fpr=RATES[3], method=method)
    assert single[:4] == (RATES[3], band.statistic[3], band.low[3], band.high[3])


def test_pointwise_band_has_the_quantiles_of_its_replicates():
    labels, scores = draw(3, 40, 60)
    at = np.arange(101) / 100
    options = {"method": "bootstrap", "rng": 5, "n_resamples": 200, "confidence_level": 0.9}
    band = roc_band(labels, scores, **options)
    assert band.at.tolist() == at.tolist()
    sample = read_binary_sample(labels, scores, None, None, "test")
    drawn = Resampler(find_steps([sample], False), True)
    streams = Streams(np.random.default_rng(5))
    heights = resampling.evaluate(drawn, 200, lambda one: bands.height_of(one, at), streams)
    for k in range(101):
        ends = naive_bootstrap.interval(heights[:, k].tolist(), 0, "percentile", 0.9)
        if ends[0] == ends[1] and k < 100:
            # All replicates agree, of 40 positives: Wilson's interval is in the place of a point.
            assert band.high[k] - band.low[k] > 0.05
            continue
        assert (band.low[k], band.high[k]) == pytest.approx(ends, abs=1e-15)
    assert band.low[-1] == band.statistic[-1] == band.high[-1] == 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_band_of_suprema_is_made_of_its_replicates(scheme):
    given = {"fpr": RATES, "confidence_level": 0.9, **SCHEMES[scheme]}
    band = roc_band(LABELS, SCORES, method="sup-t", rng=5, n_resamples=200, **given)
    weights, groups = given.get("sample_weight"), given.get("groups")
    sample = read_binary_sample(LABELS, SCORES, weights, None, "test")
    clusters = None
    if groups is not None:
        clusters = Clusters(
            np.unique(groups, return_inverse=True)[1].astype(np.uint32), len({*groups})
        )
    drawn = Resampler(
        find_steps([sample], False, clusters),
        given.get("stratified", groups is None),
        "bayesian" in given,
    )
    at, streams = np.array(RATES), Streams(np.random.default_rng(5))
    heights = resampling.evaluate(drawn, 200, lambda one: bands.height_of(one, at), streams)
    rows = naive.curves._rows(LABELS, SCORES, weights, 1)
    sizes = naive_bootstrap._effective_sizes(rows, groups)
    ends = naive_bootstrap.band_of_suprema(RATES, band.statistic, heights.T.tolist(), *sizes, 0.9)
    low, high = zip(*ends, strict=True)
    # Sums of 200 doubles, and quantiles between them.
    np.testing.assert_allclose(band.low, low, rtol=0, atol=1e-12)
    np.testing.assert_allclose(band.high, high, rtol=0, atol=1e-12)
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert band.low[0] == 0
    assert band.high[-1] == 1
    assert (band.confidence_level, band.method) == (0.9, "sup-t")


@pytest.mark.parametrize("scheme", ["stratified", "plain", "bayesian"])
def test_band_of_binomial_widths_is_made_of_its_replicates(scheme):
    given = {"fpr": RATES, "confidence_level": 0.9, "method": "sup-t-binomial", **SCHEMES[scheme]}
    band = roc_band(LABELS, SCORES, rng=5, n_resamples=200, **given)
    sample = read_binary_sample(LABELS, SCORES, None, None, "test")
    drawn = Resampler(
        find_steps([sample], False), given.get("stratified", True), given.get("bayesian", False)
    )
    at, streams = np.array(RATES), Streams(np.random.default_rng(5))
    heights = resampling.evaluate(drawn, 200, lambda one: bands.height_of(one, at), streams)
    rows = naive.curves._rows(LABELS, SCORES, None, 1)
    ends = naive_bootstrap.band_of_widths(
        RATES, band.statistic.tolist(), heights.T.tolist(), rows, 0.9
    )
    # The ends of binomial counts, as in test_rate_intervals.py, times a factor of 1 to 5.
    np.testing.assert_allclose([band.low, band.high], list(zip(*ends, strict=True)), atol=1e-7)
    single = roc_band(LABELS, SCORES, fpr=RATES, method="binomial", confidence_level=0.9)
    assert (band.low[:-1] < single.low[:-1]).sum() >= 2
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert (band.low[-1], band.high[-1]) == (1, 1)


def test_band_of_binomial_widths_where_all_replicates_are_alike():
    # It is the band for one rate: 10 negatives are below 10 positives.
    given = {"y_true": np.repeat([0, 1], 10), "y_score": np.arange(20), "fpr": [0.2, 0.5, 0.8]}
    band = roc_band(**given, method="sup-t-binomial", n_resamples=40, rng=0)
    single = roc_band(**given, method="binomial")
    assert band.high.tolist() == [1, 1, 1]
    np.testing.assert_allclose(band.low, single.low, rtol=0, atol=1e-15)
    assert (band.low < 0.8).all()


def test_band_of_suprema_without_a_rate_between_the_ends():
    band = roc_band(LABELS, SCORES, fpr=[0, 0.1, 1], method="sup-t", rng=0)
    assert band.low.tolist() == [0, 0, 0]
    assert band.high.tolist() == [1, 1, 1]


def test_a_curve_that_seems_to_be_known():
    # All replicates are alike: the errors are 1 / 5, and the band as wide as for one rate.
    labels, scores = np.repeat([0, 1], 5), np.arange(10)
    options = {"fpr": [0.2, 0.5, 0.8], "method": "sup-t", "n_resamples": 40, "rng": 0}
    band = roc_band(labels, scores, **options)
    assert band.statistic.tolist() == band.high.tolist() == [1, 1, 1]
    assert band.low == pytest.approx([1 - 1.959963984540054 / 5] * 3)


def test_the_band_of_plain_rows_is_binomial():
    rows = [0, 1, 0, 1], [1, 2, 3, 4]
    assert roc_band(*rows, fpr=[0.5]).method == "binomial"
    for option in {"groups": [1, 2, 3, 4]}, {"sample_weight": [1, 2, 3, 4]}, {"bayesian": True}:
        band = roc_band(*rows, fpr=[0.5], n_resamples=5, rng=0, **option)
        assert band.method == "bootstrap"


@pytest.mark.parametrize("method", ["binomial", "hilgers", "dkw"])
def test_false_positive_rates_are_those_of_the_definition(method):
    given = {"tpr": [0, 0.1, 1 / 6, 0.3, 0.5, 5 / 6, 1], "method": method}
    band = fpr_band(LABELS, SCORES, **given)
    heights, ends = naive_bands.specificity_band(LABELS, SCORES, **given)
    assert band.at.tolist() == given["tpr"]
    assert band.statistic == pytest.approx(1 - np.array(heights), abs=4 * 2**-53)
    close = 0.01 if method == "dkw" else 1e-8  # as for the curve, above
    low, high = 1 - np.array(ends).T[::-1]
    np.testing.assert_allclose([band.low, band.high], [low, high], atol=close)
    assert band[4:] == ("tpr", method == "dkw", 0.95, method)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_false_positive_rates_are_those_of_the_exchanged_classes(scheme, dtype):
    given = {"method": "bootstrap", "rng": 4, "n_resamples": 50, **SCHEMES[scheme]}
    turned = [1 - label for label in LABELS], [-score for score in SCORES]
    other = roc_band(*turned, fpr=[0.2, 0.5, 0.9], **given)
    band = fpr_band(LABELS, np.array(SCORES, dtype), tpr=[0.1, 0.5, 0.8], **given)
    ends = other.statistic, other.high, other.low
    for ours, theirs in zip(band[1:4], ends, strict=True):
        np.testing.assert_allclose(ours, 1 - theirs[::-1], rtol=0, atol=1e-14)


def test_a_rate_and_its_complement_stand_for_the_same_rows():
    for n in range(1, 201):
        rates = np.arange(n + 1) / n
        np.testing.assert_array_equal(bands.complements(rates, n), rates)
    assert bands.complements(np.array([0.25, 0.9]), 0).tolist() == [1 - 0.9, 0.75]


def test_undefined_bands():
    for method in itertools.chain(*bands._OF_RATES.values()):
        with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
            band = roc_band([1, 1], [1, 2], fpr=[0.5], method=method)
        assert np.isnan([band.statistic, band.low, band.high]).all()
        for labels in [1, 1], [0, 0]:
            with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
                found = fpr_band(labels, [1, 2], tpr=[0.5], method=method)
            assert np.isnan([found.statistic, found.low, found.high]).all()
    with pytest.warns(fastauc.UndefinedMetricWarning, match="positives are all in one row"):
        band = roc_band([1, 0, 0], [2, 1, 3], fpr=[0.5], method="bootstrap")
    assert band.statistic.tolist() == [1]
    assert np.isnan([band.low, band.high]).all()


WRONG = [
    ({"fpr": [0.1, 1.5]}, r"at\[1\] is 1.5; expected a number in \[0, 1\]"),
    ({"fpr": [math.nan]}, r"at\[0\] is nan; expected a number"),
    ({"method": "both"}, "'method' parameter"),
    ({"n_resamples": 0, "method": "bootstrap"}, "'n_resamples' parameter"),
    ({"confidence_level": 2}, "'confidence_level' parameter"),
    ({"method": "dkw", "groups": [1, 2, 3, 4]}, "groups is given, but method='dkw'"),
    ({"method": "dkw", "sample_weight": [1, 2, 3, 4]}, "sample_weight is given, but method='dkw'"),
    ({"method": "binomial", "groups": [1, 2, 3, 4]}, "groups is given, but method='binomial'"),
    ({"method": "sup-t-binomial", "groups": [1, 2, 3, 4]}, "groups is given, but method='sup-t-b"),
    ({"method": "hilgers", "sample_weight": [1, 2, 3, 4]}, "sample_weight is given, but"),
    ({"stratified": True, "groups": [1, 2, 3, 4]}, "'stratified' parameter"),
    ({"rng": -1, "method": "bootstrap"}, "'rng' parameter"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_wrong_input(given, message):
    with pytest.raises(ValueError, match=message):
        roc_band([0, 1, 0, 1], [1, 2, 3, 4], **given)
    if "fpr" in given:
        given = {"tpr": given["fpr"]}
    with pytest.raises(ValueError, match=message):
        fpr_band([0, 1, 0, 1], [1, 2, 3, 4], **given)


@pytest.mark.slow
def test_coverage():
    # Pointwise in the middle of the curve 0.95 with a standard error of 0.0097 over 500 samples,
    # and up to 0.02 less at this size of sample; simultaneous at least 0.95, and mostly more; sup-t
    # as far from 0.95 as pointwise: 287 of the first 300; of binomial widths at least 0.95.
    at = np.linspace(0, 1, 101)
    n_samples, pointwise, simultaneous, suprema, widths = 500, np.zeros(101), 0, 0, 0
    truth = true_height(at)
    for seed in range(n_samples):
        labels, scores = draw(seed, 150, 150)
        band = roc_band(labels, scores, n_resamples=500, rng=seed)
        pointwise += (band.low <= truth) & (truth <= band.high)
        band = roc_band(labels, scores, method="dkw")
        simultaneous += ((band.low <= truth) & (truth <= band.high)).all()
        band = roc_band(labels, scores, method="sup-t", n_resamples=500, rng=seed)
        suprema += ((band.low <= truth) & (truth <= band.high)).all()
        band = roc_band(labels, scores, method="sup-t-binomial", n_resamples=500, rng=seed)
        widths += ((band.low <= truth) & (truth <= band.high)).all()
    middle = pointwise[20:70] / n_samples
    assert middle.min() > 0.95 - 0.02 - 3 * 0.0097
    assert middle.max() < 0.95 + 0.02 + 3 * 0.0097
    assert simultaneous / n_samples > 0.95
    assert abs(suprema / n_samples - 0.95) < 0.02 + 3 * 0.0097
    assert widths / n_samples > 0.95 - 3 * 0.0097


# Net benefit --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", [*SCHEMES, "default"])
def test_net_benefit_is_that_of_the_bootstrap_of_its_function(scheme):
    given = {"rng": 5, "n_resamples": 200, "confidence_level": 0.9, **SCHEMES.get(scheme, {})}
    probabilities, at = (SCORES - np.min(SCORES)) / np.ptp(SCORES), [0.6, 0.0, 0.25]
    found = fastauc.inference.curve_ci(LABELS, probabilities, at, given="threshold", **given)
    for k, threshold in enumerate(at):
        one = fastauc.inference.bootstrap_ci(
            *(LABELS, probabilities),
            statistic=lambda counts, at=threshold: counts.net_benefit_curve(thresholds=[at])[0][0],
            **{"stratified": False} | given,
        )
        assert found.statistic[k] == one.statistic
        assert (found.low[k], found.high[k]) == tuple(one.confidence_interval)
    assert (found.given, found.simultaneous, found.method) == ("threshold", False, "bootstrap")


def test_net_benefit_above_all_scores_has_no_interval():
    found = fastauc.inference.curve_ci([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], [0.9], given="threshold")
    assert found.statistic == 0
    assert np.isnan([found.low, found.high]).all()
    shown = fastauc.inference.curve_ci([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], given="threshold")
    assert shown.at.tolist() == (np.arange(100) / 100).tolist()
    assert {"threshold", "net_benefit"} <= {*shown.to_pandas()}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"at": 1.0}, r"at\[0\] is 1.0; expected a probability, a number in \[0, 1\)"),
        ({"y_score": [1, 2, 3, 4]}, r"y_score, from the highest\[0\] is 4"),
        ({"simultaneous": True}, "'simultaneous' parameter of curve_ci must be False with given="),
        ({"method": "binomial"}, "'method' parameter of curve_ci must be"),
    ],
)
def test_what_net_benefit_refuses(wrong, message):
    rows = {"y_true": [0, 1, 0, 1], "y_score": [0.1, 0.2, 0.3, 0.4], "given": "threshold"}
    with pytest.raises(ValueError, match=message):
        fastauc.inference.curve_ci(**rows | wrong)
