"""Bootstrap intervals: their formulas, their distribution, and what they do not depend on."""

import math
import statistics

import numpy as np
import pytest
import scipy.stats

import fastauc
import naive
from fastauc.inference import bootstrap_ci
from naive import bootstrap as naive_bootstrap
from naive.rows import rows_of
from support.laws import first
from support.public import flat
from support.studies import SCHEMES, SMALL

STATISTICS = ["roc_auc", "average_precision", "ks"]

by_statistic = pytest.mark.parametrize("statistic", STATISTICS)


def draw(seed, n_pos, n_neg, ties=0):
    """Return a sample that has ties if it is rounded to some decimals."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([1, 0], [n_pos, n_neg])
    scores = rng.normal(size=n_pos + n_neg) + labels
    return labels, np.round(scores, ties) if ties else scores


# The distribution -------------------------------------------------------------------------------


# Each statistic of given draws is exact; see test_resampling.py.
DRAWN = [
    *((name, "stratified") for name in STATISTICS),
    *(("roc_auc", scheme) for scheme in list(SCHEMES)[1:]),
    *(("average_precision", scheme) for scheme in ("plain", "clusters")),
]


@pytest.mark.parametrize(("statistic", "scheme"), first(7, DRAWN))
def test_replicates_are_distributed_as_those_of_the_definition(statistic, scheme):
    given = {"statistic": statistic, **SCHEMES[scheme]}
    value, _, slow = naive.bootstrap_ci(*SMALL, rng=3, n_resamples=300, **given)
    found = bootstrap_ci(*SMALL, rng=4, n_resamples=8000, **given)
    assert found.statistic == pytest.approx(value, rel=0, abs=2**-52)
    quick = found.bootstrap_distribution
    # 300 values and many more: 5 standard errors of the mean. The fourth moments of these values
    # are below 6 variances squared, so a deviation has a standard error of sqrt(5 / 4n) of itself.
    deviation = quick.std()
    assert np.mean(slow) == pytest.approx(quick.mean(), abs=5 * deviation / math.sqrt(300))
    assert np.std(slow) == pytest.approx(deviation, rel=5 * math.sqrt(5 / (4 * 300)))
    # Kolmogorov and Smirnov: exceeded with probability 2 exp(-2 * 2.5^2) = 7e-6.
    distance = scipy.stats.ks_2samp(slow, quick, method="asymp").statistic
    assert distance < 2.5 / math.sqrt(300)


# What it does not depend on ---------------------------------------------------------------------


def test_more_replicates_begin_with_those_of_fewer():
    labels, scores = draw(6, 50, 60)
    more = bootstrap_ci(labels, scores, rng=7, n_resamples=101).bootstrap_distribution
    assert len(set(more.tolist())) > 50
    for n in (2, 8, 17):
        fewer = bootstrap_ci(labels, scores, rng=7, n_resamples=n).bootstrap_distribution
        np.testing.assert_array_equal(fewer, more[:n])


def test_generators_and_seeds():
    labels, scores = draw(6, 50, 60)

    def run(rng):
        return bootstrap_ci(labels, scores, rng=rng, n_resamples=20)

    for rng in np.random.default_rng(3), np.random.SeedSequence(3), np.random.PCG64(3):
        assert flat(run(rng)) == flat(run(3))
    generator = np.random.default_rng(3)
    first, second = run(generator), run(generator)
    assert flat(first) == flat(run(3))
    assert (first.bootstrap_distribution != second.bootstrap_distribution).any()
    assert (run(None).bootstrap_distribution != run(None).bootstrap_distribution).any()
    # A generator that was not made from a seed cannot spawn others.
    philox = run(np.random.Generator(np.random.Philox(key=5)))
    assert flat(run(np.random.Philox(key=5))) == flat(philox)


# Intervals --------------------------------------------------------------------------------------


@by_statistic
@pytest.mark.parametrize("scheme", ["stratified", "plain", "clusters", "weights"])
@pytest.mark.parametrize("is_far", [False, True])
def test_intervals_are_those_of_the_definition(statistic, scheme, is_far):
    labels, scores = SMALL
    if is_far:  # a distance beyond chance
        labels, scores = (
            labels * 4,
            [score + 4 * label for label, score in zip(*SMALL, strict=True)] * 4,
        )
    design = {
        name: list(column) * (len(labels) // 14) if name != "stratified" else column
        for name, column in SCHEMES[scheme].items()
    }
    weights, groups = design.get("sample_weight"), design.get("groups")
    rows = rows_of(labels, scores, weights)
    kept = naive_bootstrap.groups_of_rows(groups, weights)
    sizes = naive_bootstrap.effective_sizes(rows, kept)
    unseen = [(0.25, sizes)] if groups is not None else []
    if weights is not None:
        unseen.append((0.5, naive.least_sizes((math.inf, math.inf), rows)))
    chance = None
    if statistic == "ks":
        least = sizes if weights is None else naive.least_sizes(sizes, rows)
        chance = naive_bootstrap.smirnov_distance(least, 0.9)
    drawn = {"confidence_level": 0.9, "n_resamples": 300, "rng": 1, "statistic": statistic}
    found = bootstrap_ci(labels, scores, **drawn, **design)
    assert found.method == "wilson"
    values = found.bootstrap_distribution.tolist()
    assert found.standard_error == pytest.approx(statistics.stdev(values), rel=1e-12)
    rule = {"unseen": unseen, "chance": chance}
    expected = naive_bootstrap.interval(values, found.statistic, sizes, 0.9, **rule)
    assert tuple(found.confidence_interval) == pytest.approx(expected, abs=1e-11)
    assert (chance is None or found.statistic > chance) or not is_far or scheme == "clusters"


@by_statistic
def test_rows_in_order_have_an_interval_with_a_width(statistic):
    # All replicates are 1; Wilson's interval of 20 rows and one more, of half the variance.
    labels = np.repeat([0, 1], 20)
    found = bootstrap_ci(labels, np.arange(40), statistic=statistic, n_resamples=50, rng=0)
    assert (found.statistic, found.standard_error) == (1, 0)
    inverse = (1 / 20 * 1 / 20) / (1 / 20)
    low = 1 / (1 + scipy.stats.t.isf(0.025, 19) ** 2 * inverse)
    if statistic == "ks":
        low = 1 - naive_bootstrap.smirnov_distance((20, 20), 0.95)
    assert found.confidence_interval == pytest.approx((low, 1))


def test_a_distance_that_may_be_chance_may_be_0():
    # sqrt(-log(0.025) / 2 * (1 / 20 + 1 / 30)), by hand; Smirnov's asymptotic 5 % point 1.3581.
    chance = 1.3581 * math.sqrt(1 / 20 + 1 / 30)
    labels, scores = np.repeat([1, 0], [20, 30]), np.random.default_rng(1).normal(size=50)
    drawn = {"statistic": "ks", "rng": 1, "n_resamples": 200}
    found = bootstrap_ci(labels, scores, **drawn)
    assert found.statistic < chance
    assert found.confidence_interval == pytest.approx((0, found.statistic + chance), abs=1e-4)
    # Quantiles of replicates, which are above it, are no interval.
    assert np.quantile(found.bootstrap_distribution, 0.025) > 0.1


# Functions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["stratified", "plain", "clusters", "weights"])
@pytest.mark.parametrize("takes", ["counts", "rows"])
@pytest.mark.parametrize("cut", [0.5, -9])
def test_the_interval_of_a_function_is_that_of_the_definition(scheme, takes, cut):
    labels, scores = (list(column) * 3 for column in SMALL)
    design = {
        name: list(column) * 3 if name != "stratified" else column
        for name, column in SCHEMES[scheme].items()
    }

    def f1_of_rows(y_true, y_score, sample_weight=None):
        predicted = y_score >= cut
        weight = np.ones(len(y_true)) if sample_weight is None else sample_weight
        tp = weight[(y_true == 1) & predicted].sum()
        return 2 * tp / (weight[y_true == 1].sum() + weight[predicted].sum())

    def f1_of_counts(counts):
        return counts.at(cut).f1

    rule = {"statistic": f1_of_rows if takes == "rows" else f1_of_counts, "statistic_of": takes}
    drawn = {"rng": 1, "n_resamples": 300, "confidence_level": 0.9}
    found = bootstrap_ci(labels, scores, **rule, **drawn, **design)
    values = found.bootstrap_distribution.tolist()
    assert (found.method, found.standard_error) == ("percentile", np.std(values, ddof=1))
    weights, groups = design.get("sample_weight"), design.get("groups")
    rows = rows_of(labels, scores, weights)
    kept = naive_bootstrap.groups_of_rows(groups, weights)
    sizes = naive_bootstrap.effective_sizes(rows, kept)
    if weights is not None:
        sizes = naive.least_sizes(sizes, rows)
    samples = naive_bootstrap.with_one_more(rows, sizes, is_whole=weights is None)
    unseen = [f1_of_rows(*map(np.array, zip(*sample, strict=True))) for sample in samples]
    expected = naive_bootstrap.percentile_interval(found.statistic, values, unseen, min(sizes), 0.9)
    assert tuple(found.confidence_interval) == pytest.approx(expected, abs=1e-11)
    assert expected[0] < np.quantile(values, 0.05)


def test_a_rate_that_no_row_is_wrong_of_has_the_interval_of_wilson():
    # One row more of 25 would be the first one: 25 / 26. Student's t in the place of the normal.
    labels, scores = np.repeat([0, 1], 25), np.arange(50)
    rule = {"statistic": lambda counts: counts.at(25).recall, "rng": 0, "n_resamples": 50}
    found = bootstrap_ci(labels, scores, **rule)
    assert (found.statistic, found.standard_error) == (1, 0)
    square = scipy.stats.t.isf(0.025, 24) ** 2
    assert found.confidence_interval == pytest.approx((1 - square / 26 / (1 + square / 25), 1))
    wilson = 1 / (1 + square / 25)
    assert found.confidence_interval.low == pytest.approx(wilson, abs=0.01)
    assert {type(end) for end in found.confidence_interval} == {float}


def test_a_maximum_is_lower_than_it_looks():
    # Of scores that say nothing, the best accuracy is a half; quantiles of replicates exclude it.
    rng, labels = np.random.default_rng(3), np.repeat([0, 1], 50)
    misses = []
    for _ in range(20):
        rule = {"statistic": lambda counts: (counts.tps - counts.fps).max() / 100 + 0.5}
        drawn = {"n_resamples": 100, "rng": 1, "stratified": True}
        found = bootstrap_ci(labels, rng.normal(size=100), **rule, **drawn)
        least = np.quantile(found.bootstrap_distribution, 0.025)
        misses.append((found.confidence_interval.low > 0.5, least > 0.5))
    assert np.sum(misses, axis=0)[0] <= 2
    assert np.sum(misses, axis=0)[1] >= 10


def test_an_interval_without_a_width_is_told():
    labels, scores = np.repeat([0, 1], 30), np.arange(60)

    def third(counts):
        return 1 / 3

    told = r"third 0\.3333333333333333 would have no width.*; its replicates range from 0\.3"
    with pytest.warns(fastauc.UndefinedMetricWarning, match=told):
        found = bootstrap_ci(labels, scores, statistic=third, rng=0)
    assert np.isnan(found.confidence_interval).all()


def test_what_one_more_row_makes_infinite_has_no_interval():
    labels, scores = np.repeat([0, 1], 30), np.repeat([0.0, 0.5], 30)

    def log_loss(y_true, y_score):
        with np.errstate(divide="ignore"):
            return -np.log(np.where(y_true == 1, y_score, 1 - y_score)).mean()

    rule = {"statistic": log_loss, "statistic_of": "rows", "n_resamples": 50, "rng": 0}
    with pytest.warns(fastauc.UndefinedMetricWarning, match="log_loss is NaN or infinite with one"):
        found = bootstrap_ci(labels, scores, **rule)
    assert np.isnan(found.confidence_interval).all()
    assert found.standard_error > 0


# What is undefined ------------------------------------------------------------------------------


def undefined(match, *sample, **given):
    with pytest.warns(fastauc.UndefinedMetricWarning, match=match):
        found = bootstrap_ci(*sample, **{"rng": 0, "n_resamples": 20} | given)
    assert np.isnan(found.confidence_interval).all()
    return found


@by_statistic
def test_one_row_or_cluster_of_a_class(statistic):
    found = undefined("positives are all in one row", [1, 0, 0], [2, 1, 3], statistic=statistic)
    assert found.statistic > 0
    undefined("The negatives are all in one row", [1, 1, 0], [2, 1, 3], statistic=statistic)
    sample = [1, 1, 0, 0], [1, 3, 2, 4]
    undefined("The positives are all in one cluster", *sample, groups=[0, 0, 1, 2])
    undefined("The negatives are all in one cluster", *sample, groups=["a", "b", "b", "b"])
    found = undefined("Only one class", [0, 0, 1], [1, 2, 3], sample_weight=[1, 1, 0])
    assert len(found.bootstrap_distribution) == 0


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"n_resamples": 1}, "n_resamples"),
        ({"stratified": True, "groups": [1, 2, 3, 4]}, "stratified"),
        ({"statistic": "partial_roc_auc"}, "statistic"),
        ({"statistic": "ks", "statistic_of": "rows"}, "statistic_of"),
    ],
)
def test_options_that_do_not_go_together(given, name):
    with pytest.raises(fastauc.InvalidParameterError, match=f"The '{name}' parameter"):
        bootstrap_ci([0, 1, 0, 1], [1, 2, 3, 4], **given)
