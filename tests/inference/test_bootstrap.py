"""Bootstrap intervals: their formulas, their distribution, and what they do not depend on."""

import math
import statistics

import numpy as np
import pytest
import scipy.stats

import fastauc
import naive
from fastauc._validation.samples import read_binary_sample
from fastauc.inference import _bootstrap as bootstrap, bootstrap_ci
from fastauc.inference._bootstrap import bca_interval
from fastauc.inference._resampling import Streams, find_steps
from naive import bootstrap as naive_bootstrap
from naive.rows import rows_of
from support.laws import first
from support.public import flat
from support.studies import SCHEMES, SMALL

STATISTICS = ["roc_auc", "partial_roc_auc", "average_precision", "ks"]
METHODS = ["percentile", "basic", "bca"]  # of SciPy
PART = 0.4

by_statistic = pytest.mark.parametrize("statistic", STATISTICS)


def options(statistic, **others):
    return {"statistic": statistic, "max_fpr": PART if "part" in statistic else None, **others}


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
    *(("average_precision", scheme) for scheme in ("plain", "clusters", "bayesian")),
]


@pytest.mark.parametrize(("statistic", "scheme"), first(7, DRAWN))
def test_replicates_are_distributed_as_those_of_the_definition(statistic, scheme):
    given = options(statistic, **SCHEMES[scheme])
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
def test_intervals_are_those_of_the_definition(statistic, scheme):
    given = SCHEMES[scheme]
    weights, groups = given.get("sample_weight"), given.get("groups")
    rows = rows_of(*SMALL, weights)
    stratified = given.get("stratified", statistic != "average_precision")
    part = naive_bootstrap.jackknife(rows, statistic, PART, groups, stratified)
    accelerated = naive_bootstrap.acceleration(part)
    kept = naive_bootstrap.groups_of_rows(groups, weights)
    chance = naive_bootstrap.smirnov_distance(rows, kept, 0.95) if statistic == "ks" else None
    df = max(1, min(naive_bootstrap.effective_sizes(rows, kept)) - 1)
    for method in (*METHODS, "logit", None):
        if statistic == "ks" and method in METHODS:
            continue
        drawn = options(statistic, method=method, n_resamples=300, rng=1, **given)
        found = bootstrap_ci(*SMALL, **drawn)
        assert found.method == (method or "logit")
        values = found.bootstrap_distribution.tolist()
        assert found.standard_error == pytest.approx(statistics.stdev(values), rel=1e-12)
        rule = found.method, 0.95, accelerated, chance, df
        expected = naive_bootstrap.interval(values, found.statistic, *rule)
        assert tuple(found.confidence_interval) == pytest.approx(expected, abs=1e-11)


def test_the_acceleration_of_the_area_is_that_of_leaving_out_each_row():
    sample = read_binary_sample(*draw(3, 60, 110, 1), None, None, "test")
    (steps,) = find_steps([sample], False)
    rng = np.random.default_rng(0)
    for stratified in (True, False):
        closed = bootstrap.leave_out_of_area(steps, stratified)
        anew = bootstrap.leave_out(steps, stratified, bootstrap._roc_auc, rng)
        for one, other in zip(closed, anew, strict=True):
            values = np.repeat(one.values, one.n_parts.astype(int))
            np.testing.assert_allclose(np.sort(values), np.sort(other.values), rtol=1e-14)
        accelerated = bootstrap.acceleration(anew)
        assert bootstrap.acceleration(closed) == pytest.approx(accelerated, rel=1e-9)


def test_parts_of_many_rows_accelerate_about_as_each_row_does():
    # Skewed: one positive in twenty is below all negatives, the others are above them.
    rng = np.random.default_rng(5)
    labels = np.repeat([1, 0], [400, 3000])
    scores = np.concatenate([np.where(np.arange(400) % 20, 10, -10), rng.normal(size=3000)])
    (steps,) = find_steps([read_binary_sample(labels, scores, None, None, "test")], False)
    exact = bootstrap.acceleration(bootstrap.leave_out_of_area(steps, True))
    # The skewness of one in twenty is 4.13: over 6 sqrt(400).
    assert exact == pytest.approx(-4.13 / 120, abs=0.0005)
    parts = bootstrap.leave_out(steps, True, bootstrap._roc_auc, Streams(rng).stream())
    assert [len(part.values) for part in parts] == [200, 200]
    # In a part of two, x and y, the cube of the sum has 3 x^2 y + 3 x y^2 more than the cubes: with
    # a fourth moment of 18, 200 of them have a deviation of 3 sqrt(400 * 18), over 6 * 400^1.5.
    deviation = 3 * math.sqrt(400 * 18) / (6 * 400**1.5)
    assert bootstrap.acceleration(parts) == pytest.approx(exact, abs=4 * deviation)


@by_statistic
def test_a_logit_interval_beyond_chance_is_that_of_the_definition(statistic):
    labels, scores = draw(12, 60, 80)
    found = bootstrap_ci(labels, scores + labels, rng=1, n_resamples=300, **options(statistic))
    values = found.bootstrap_distribution.tolist()
    chance = naive_bootstrap.smirnov_distance(rows_of(labels, scores), None, 0.95)
    rule = {"df": 59, "chance": chance if statistic == "ks" else None}
    expected = naive_bootstrap.interval(values, found.statistic, "logit", 0.95, **rule)
    assert tuple(found.confidence_interval) == pytest.approx(expected, abs=1e-11)
    assert 0 < expected[0] < found.statistic


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
    for method in METHODS:
        with pytest.raises(fastauc.InvalidParameterError, match=f"Got '{method}' instead"):
            bootstrap_ci(labels, scores, **drawn, method=method)


def test_an_interval_without_a_width_is_told():
    labels, scores = np.repeat([0, 1], 10), np.arange(20)

    def is_top_row_drawn_often(counts):
        return float(counts.tps[0] >= 5)

    told = r"often 0\.0 would have no width.*; its replicates range from 0\.0 to 1\.0"
    with pytest.warns(fastauc.UndefinedMetricWarning, match=told):
        found = bootstrap_ci(labels, scores, statistic=is_top_row_drawn_often, rng=0)
    assert np.isnan(found.confidence_interval).all()


def test_a_statistic_that_all_replicates_are_below_has_no_bca_interval():
    values = np.array([0.1, 0.2, 0.3])
    for statistic in (0.05, 0.4):
        assert np.isnan(bca_interval(values, statistic, 0.0, 0.95)).all()
    assert np.isnan(bca_interval(values, 0.2, math.nan, 0.95)).all()
    assert np.isnan(bca_interval(values, 0.2, 10.0, 0.95)).all()  # beyond the pole


# What is undefined ------------------------------------------------------------------------------


def undefined(match, *sample, **given):
    with pytest.warns(fastauc.UndefinedMetricWarning, match=match):
        found = bootstrap_ci(*sample, rng=0, n_resamples=20, **given)
    assert np.isnan(found.confidence_interval).all()
    assert math.isnan(found.standard_error)
    return found


@by_statistic
def test_one_row_or_cluster_of_a_class(statistic):
    found = undefined("positives are all in one row", [1, 0, 0], [2, 1, 3], **options(statistic))
    assert found.statistic > 0
    undefined("The negatives are all in one row", [1, 1, 0], [2, 1, 3], **options(statistic))
    sample = [1, 1, 0, 0], [1, 3, 2, 4]
    undefined("The positives are all in one cluster", *sample, groups=[0, 0, 1, 2])
    undefined("The negatives are all in one cluster", *sample, groups=["a", "b", "b", "b"])
    found = undefined("Only one class", [0, 0, 1], [1, 2, 3], sample_weight=[1, 1, 0])
    assert len(found.bootstrap_distribution) == 0


def test_classes_that_do_not_overlap():
    for labels, area in ([0, 0, 1, 1], 1.0), ([1, 1, 0, 0], 0.0):
        found = undefined(f"All 20 replicates have roc_auc {area}", labels, [1, 2, 3, 4])
        assert found.statistic == area
        assert (found.bootstrap_distribution == area).all()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"n_resamples": 1}, "n_resamples"),
        ({"stratified": True, "groups": [1, 2, 3, 4]}, "stratified"),
        ({"max_fpr": 0.1}, "max_fpr"),
        ({"statistic": "partial_roc_auc"}, "max_fpr"),
        ({"statistic": len, "method": "logit"}, "method"),
        ({"statistic": len, "max_fpr": 0.1}, "max_fpr"),
        ({"statistic": "ks", "statistic_of": "rows"}, "statistic_of"),
    ],
)
def test_options_that_do_not_go_together(given, name):
    with pytest.raises(fastauc.InvalidParameterError, match=f"The '{name}' parameter"):
        bootstrap_ci([0, 1, 0, 1], [1, 2, 3, 4], **given)


def test_replicates_on_one_side_of_the_statistic_have_no_bca_interval():
    # Two replicates, 2/3 and 5/9, below the 7/9 of the sample.
    sample = [0, 0, 0, 1, 1, 1], [1, 3, 4, 2, 5, 6]
    with pytest.warns(fastauc.UndefinedMetricWarning, match="all replicates are on one side"):
        found = bootstrap_ci(*sample, method="bca", n_resamples=2, rng=4)
    assert (found.bootstrap_distribution < found.statistic).all()
    assert np.isnan(found.confidence_interval).all()
    assert found.standard_error > 0


def test_no_group_makes_a_difference():
    # What is left without either group has the same average precision.
    rule = {"statistic": "average_precision", "bayesian": True, "method": "bca", "rng": 0}
    with pytest.warns(fastauc.UndefinedMetricWarning, match="no row has any influence"):
        found = bootstrap_ci([1, 0, 1, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1], **rule)
    assert np.isnan(found.confidence_interval).all()
    assert found.standard_error > 0
