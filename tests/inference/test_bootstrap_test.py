"""Two scores, of the same rows or of two samples, compared by the bootstrap."""

import math
import warnings

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given, strategies

import fastauc
import naive
from fastauc._validation.samples import read_binary_sample
from fastauc.inference import bootstrap_test
from fastauc.inference._bootstrap import BootstrapOptions, function_of
from fastauc.inference._resampling import Resampler, find_steps, put_in_order
from naive import differences as naive_differences
from support.laws import law, model_problem
from support.studies import POOR_OUTCOME, S100B, WFNS

METHODS = ["t", "normal", "percentile", "basic"]
STATISTICS = ["roc_auc", "average_precision", "ks"]
Y = [1] * 6 + [0] * 8
A = [7, 5, 5, 3, 2, 6, 5, 4, 3, 3, 2, 1, 0, 4]
B = [3, 4, 5, 5, 1, 2, 2, 2, 6, 3, 1, 0, 0, 1]
SCHEMES = {
    "stratified": {},
    "plain": {"groups": list(range(14))},
    "clusters": {"groups": [0, 1, 2, 3, 4, 5, 0, 1, 2, 2, 3, 6, 6, 6]},
    "weights": {"sample_weight": [1, 2, 0.5, 1, 1, 3, 1, 2, 2, 1, 0, 0.5, 1, 1]},
}

by_statistic = pytest.mark.parametrize("statistic", STATISTICS)


def value_of(statistic, y_true, y_score, sample_weight=None):
    rows = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    functions = fastauc.roc_auc_score, fastauc.average_precision_score, fastauc.ks_score
    return functions[STATISTICS.index(statistic)](**rows)


def f1(counts):
    return counts.at(4).f1


def f1_by_definition(tns, fps, fns, tps, thresholds):
    rows = [row for row in zip(fps, fns, tps, thresholds, strict=True) if row[3] >= 4]
    if not rows:
        return 0
    fp, fn, tp, _ = rows[-1]
    return 2 * tp / (2 * tp + fp + fn)


def mean_squared_error(y_true, y_score, sample_weight=None):
    return np.average((np.asarray(y_true) - y_score) ** 2, weights=sample_weight)


# As fastauc and as the definition take it.
FUNCTIONS = {
    "counts": (f1, f1_by_definition),
    "rows": (mean_squared_error, mean_squared_error),
}


@by_statistic
def test_replicates_have_the_difference_of_the_rows_drawn(statistic):
    # Drawn rows, written out, have the areas of the public functions; each step of both curves.
    rng = np.random.default_rng(1)
    y_true = rng.permutation(np.repeat([0, 1], [23, 17]))
    scores = [np.round(rng.standard_normal(40) + 0.5 * y_true, 1) for _ in range(2)]
    samples = [read_binary_sample(y_true, score, None, None, "test") for score in scores]
    curves = find_steps(samples, statistic == "average_precision")
    function = function_of(BootstrapOptions(statistic, 1.0, "percentile", 0.95, 9, True, False))
    stratified = statistic != "ks"
    generator = np.random.default_rng(2)
    resampler, again = Resampler(curves, stratified), np.random.default_rng(2)
    drawn = resampler.replicates(20, generator)
    # Rows are drawn in an order of their own.
    ordered, _ = put_in_order(samples, None)
    scores, y_true = [sample.score for sample in ordered], ordered[0].label
    for replicates in drawn:
        counts = np.empty(40, int)
        counts[y_true == 1], counts[y_true == 0] = resampler.factors(again)
        rows = np.repeat(np.arange(40), counts)
        for replicate, score in zip(replicates, scores, strict=True):
            assert function(replicate) == value_of(statistic, y_true[rows], score[rows])


@pytest.mark.parametrize(
    ("statistic", "scheme"),
    [("roc_auc", scheme) for scheme in SCHEMES] + [(name, "stratified") for name in STATISTICS[1:]],
)
def test_differences_are_distributed_as_those_of_the_definition(statistic, scheme):
    given = {"statistic": statistic, **SCHEMES[scheme]}
    _, _, value, _, _, slow = naive.bootstrap_test(Y, A, B, rng=3, n_resamples=60, **given)
    found = bootstrap_test(Y, A, B, rng=4, n_resamples=4000, **given)
    # The weighted numbers are within some ulp.
    assert found.difference == pytest.approx(value, rel=0, abs=1e-15)
    weight = given.get("sample_weight")
    assert found.difference == value_of(statistic, Y, A, weight) - value_of(statistic, Y, B, weight)
    quick = found.bootstrap_distribution
    deviation = quick.std()
    # 5 standard errors of the mean of 60 values; and Kolmogorov and Smirnov, 2 exp(-2 * 2.5^2).
    assert np.mean(slow) == pytest.approx(quick.mean(), abs=5 * deviation / math.sqrt(60))
    distance = scipy.stats.ks_2samp(slow, quick, method="asymp").statistic
    assert distance < 2.5 / math.sqrt(60)


TWO = {"y_true_b": Y[:5] + Y[-6:]}
B_OF_TWO = B[:5] + B[-6:]


@pytest.mark.parametrize("statistic", [*STATISTICS, *FUNCTIONS])
@pytest.mark.parametrize("paired", [True, False])
def test_functions_and_two_samples_are_distributed_as_in_the_definition(statistic, paired):
    scores = (Y, A, B) if paired else (Y, A, B_OF_TWO)
    ours, theirs = FUNCTIONS.get(statistic, (statistic, statistic))
    of = {"statistic_of": statistic} if statistic in FUNCTIONS else {}
    of |= {} if paired else TWO
    _, _, value, _, _, slow = naive.bootstrap_test(
        *scores, statistic=theirs, rng=3, n_resamples=60, **of
    )
    found = bootstrap_test(*scores, statistic=ours, rng=4, n_resamples=4000, **of)
    # Sums of some ten doubles below 100.
    assert found.difference == pytest.approx(value, rel=0, abs=1e-13)
    quick = found.bootstrap_distribution
    # 5 standard errors of the mean of 60 values; and Kolmogorov and Smirnov, 2 exp(-2 * 2.5^2).
    assert np.mean(slow) == pytest.approx(quick.mean(), abs=5 * quick.std() / math.sqrt(60))
    distance = scipy.stats.ks_2samp(slow, quick, method="asymp").statistic
    assert distance < 2.5 / math.sqrt(60)


@pytest.mark.parametrize("given", [{}, SCHEMES["clusters"], SCHEMES["weights"]])
def test_functions_of_rows_and_of_counts_agree(given):
    rule = {"rng": 3, "n_resamples": 200, **given}
    of_counts = bootstrap_test(Y, A, B, statistic=lambda counts: counts.roc_auc(), **rule)
    rows = {"statistic": sklearn.metrics.roc_auc_score, "statistic_of": "rows"}
    of_rows = bootstrap_test(Y, A, B, **rows, **rule)
    # Not one draw is another; both areas are within some ulp.
    np.testing.assert_allclose(
        of_rows.bootstrap_distribution, of_counts.bootstrap_distribution, rtol=0, atol=1e-14
    )
    assert of_rows.pvalue == pytest.approx(of_counts.pvalue, rel=1e-10)


@by_statistic
def test_a_function_of_two_samples_is_the_statistic_of_its_name(statistic):
    methods = {
        "roc_auc": fastauc.ConfusionCounts.roc_auc,
        "average_precision": fastauc.ConfusionCounts.average_precision,
        "ks": fastauc.ConfusionCounts.ks,
    }
    rule = {"rng": 3, "n_resamples": 200, **TWO}
    named = bootstrap_test(Y, A, B_OF_TWO, statistic=statistic, **rule)
    found = bootstrap_test(Y, A, B_OF_TWO, statistic=methods[statistic], **rule)
    # The same rows are drawn; sums of the precisions are rounded differently.
    np.testing.assert_allclose(
        found.bootstrap_distribution, named.bootstrap_distribution, rtol=0, atol=1e-15
    )
    assert found[:4] == pytest.approx(named[:4], rel=1e-12)


def test_two_samples_are_drawn_apart():
    # Alike in all rows, and drawn each for itself: the variance is twice that of one of them.
    found = bootstrap_test(Y, A, A, y_true_b=Y, rng=7, n_resamples=4000)
    alone = fastauc.inference.bootstrap_ci(Y, A, rng=8, n_resamples=4000)
    # Both standard errors are within 5 / sqrt(8000) of their own.
    assert found.standard_error == pytest.approx(
        2**0.5 * alone.standard_error, rel=2 * 5 / 8000**0.5
    )
    assert found.difference == 0


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", METHODS)
def test_two_samples_have_the_degrees_of_freedom_of_welch(alternative, method):
    rule = {"alternative": alternative, "method": method}
    found = bootstrap_test(Y, A, B_OF_TWO, rng=1, n_resamples=333, **TWO, **rule)
    # The replicates of each sample are those of the two streams that a generator makes in turn.
    generator = np.random.default_rng(1)
    replicates = []
    for labels, scores in (Y, A), (TWO["y_true_b"], B_OF_TWO):
        drawn = fastauc.inference.bootstrap_ci(labels, scores, rng=generator, n_resamples=333)
        replicates.append(drawn.bootstrap_distribution.tolist())
    values = [a - b for a, b in zip(*replicates, strict=True)]
    assert found.bootstrap_distribution.tolist() == values
    df = naive_differences.welch(replicates, [6 - 1, 5 - 1])
    statistic, pvalue, error, ends = naive_differences.tested(
        found.difference, values, df, alternative, method, 0.95, 1
    )
    # Sums of 333 doubles.
    assert found[:4] == pytest.approx((statistic, found.pvalue, found[2], error), rel=1e-11)
    one_step = 1 / 332 if method in ("percentile", "basic") else 0
    assert found.pvalue == pytest.approx(pvalue, rel=1e-9, abs=one_step)
    assert found.confidence_interval == pytest.approx(ends, rel=0, abs=1e-10)


def test_the_interval_of_a_function_has_no_bounds():
    rule = {"statistic": mean_squared_error, "statistic_of": "rows", "n_resamples": 99, "rng": 0}
    found = bootstrap_test(Y, A, B, **rule, alternative="greater").confidence_interval
    assert found.high == math.inf
    found = bootstrap_test(Y, A, B, **rule, alternative="less").confidence_interval
    assert found.low == -math.inf
    low, high = bootstrap_test(Y, A, B, **rule).confidence_interval
    assert low < -1 or high > 1


@pytest.mark.parametrize("sample", [{}, {"y_true_b": Y}])
def test_a_replicate_without_a_value_leaves_no_test(sample):
    calls = iter(range(1000))

    def undefined_once(counts):
        number = next(calls)
        return math.nan if number == 5 else number

    with pytest.warns(fastauc.UndefinedMetricWarning, match="infinite for 1 of 20 replicates"):
        found = bootstrap_test(Y, A, B, **sample, statistic=undefined_once, n_resamples=20)
    assert math.isnan(found.pvalue)
    assert found.difference == -1
    with pytest.raises(TypeError, match="returned str: 'no'; expected one real number"):
        bootstrap_test(Y, A, B, **sample, statistic=lambda counts: "no")


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", [0.95, 0.2])
def test_the_test_is_that_of_its_replicates(alternative, method, level):
    given = {"alternative": alternative, "method": method, "confidence_level": level}
    found = bootstrap_test(Y, A, B, rng=1, n_resamples=333, **given)
    values = found.bootstrap_distribution.tolist()
    statistic, pvalue, error, ends = naive_differences.tested(
        found.difference, values, min(sum(Y), len(Y) - sum(Y)) - 1, alternative, method, level, 1
    )
    # Sums of 333 doubles.
    expected = statistic, found.pvalue, found.difference, error
    assert found[:4] == pytest.approx(expected, rel=1e-11)
    # Replicates that are equal but for rounding are as many steps of the quantiles.
    one_step = 1 / 332 if method in ("percentile", "basic") else 0
    assert found.pvalue == pytest.approx(pvalue, rel=1e-11, abs=one_step)
    assert found.confidence_interval == pytest.approx(ends, rel=0, abs=1e-12)
    assert all(type(number) is float for number in (*found[:4], *found.confidence_interval))


@law
@given(
    strategies.lists(strategies.integers(-3, 3), min_size=20, max_size=40),
    strategies.sampled_from([0.05, 0.2, 0.5]),
    strategies.sampled_from(METHODS),
    strategies.sampled_from(["two-sided", "less", "greater"]),
    strategies.booleans(),
    strategies.sampled_from(["roc_auc", f1]),
)
def test_it_is_below_alpha_where_the_interval_does_not_hold_0(
    steps, alpha, method, alternative, paired, statistic
):
    score_b = [a + step for a, step in zip(A * 3, steps, strict=False)]
    rows = (Y * 3)[: len(score_b)], (A * 3)[: len(score_b)], score_b
    if len(set(rows[0])) < 2:
        return
    rule = {"method": method, "alternative": alternative, "confidence_level": 1 - alpha}
    rule |= {"statistic": statistic} | ({} if paired else {"y_true_b": rows[0]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fastauc.UndefinedMetricWarning)
        found = bootstrap_test(*rows, rng=0, n_resamples=60, **rule)
    low, high = found.confidence_interval
    if math.isnan(found.pvalue) or min(abs(low), abs(high), abs(found.pvalue - alpha)) < 1e-9:
        return
    assert (found.pvalue < alpha) == (low > 0 or high < 0)


@pytest.mark.ci
def test_equal_models_are_rarely_told_apart():
    rng = np.random.default_rng(0)
    labels = np.repeat([1, 0], [30, 100])
    told = 0
    for seed in range(300):
        common, own = rng.normal(size=(2, 130))
        scores = common + 1.5 * labels, 0.5 * common + 0.75**0.5 * own + 1.5 * labels
        found = bootstrap_test(labels, *scores, statistic="ks", n_resamples=199, rng=seed)
        told += found.pvalue < 0.05
    # At 5 % there are 28 or more in one of 1,000 tries, and 4 or fewer.
    assert 4 < told < 28


def test_it_is_near_to_the_test_of_delong():
    # The standard errors of 5,000 replicates are within 5 / sqrt(10,000) of their own; DeLong's
    # divides by n - 1 where the bootstrap has n: 41 and 72 rows.
    found = bootstrap_test(POOR_OUTCOME, WFNS, S100B, n_resamples=5000, rng=0)
    expected = fastauc.inference.roc_auc_test(POOR_OUTCOME, WFNS, S100B)
    assert found.difference == pytest.approx(expected.difference, rel=0, abs=2**-52)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=5 / 100 + 1 / 80)


def test_each_score_has_the_replicates_that_it_has_alone():
    # Drawn as one, so the difference to a score of 1/2 everywhere is that of bootstrap_ci.
    found = bootstrap_test(Y, A, [0] * 14, rng=7, n_resamples=2000)
    alone = fastauc.inference.bootstrap_ci(Y, A, rng=8, n_resamples=2000)
    distance = scipy.stats.ks_2samp(
        found.bootstrap_distribution + 0.5, alone.bootstrap_distribution, method="asymp"
    ).statistic
    # Two samples of 2000: 2 exp(-2 * 2.5^2) at this distance.
    assert distance < 2.5 / math.sqrt(1000)


@by_statistic
def test_scores_that_order_the_rows_alike(statistic):
    with pytest.warns(fastauc.UndefinedMetricWarning, match="the interval is undefined"):
        found = bootstrap_test(Y, A, np.exp(A), n_resamples=50, rng=1, statistic=statistic)
    assert found[:4] == (0.0, 1.0, 0.0, 0.0)
    assert np.isnan(found.confidence_interval).all()
    assert found.bootstrap_distribution.tolist() == [0.0] * 50


UNDEFINED = {
    "one class": (([1, 1], [1, 2], [2, 1]), math.nan, "Only one class is present"),
    "one positive": (([1, 0, 0], [3, 1, 2], [1, 2, 3]), 1.0, "positives are all in one row"),
    "no overlap": (([1, 1, 0, 0], [3, 4, 1, 2], [1, 2, 3, 4]), 1.0, "All 50 replicates have the"),
}


def test_a_second_sample_of_one_class():
    for labels, message in ([1, 1], "Only one class"), ([0, 1], "all in one row"):
        with pytest.warns(fastauc.UndefinedMetricWarning, match=message):
            found = bootstrap_test(Y, A, [1, 2], y_true_b=labels, rng=0)
        assert math.isnan(found.pvalue)


@pytest.mark.parametrize(("rows", "difference", "message"), UNDEFINED.values(), ids=UNDEFINED)
def test_undefined(rows, difference, message):
    with pytest.warns(fastauc.UndefinedMetricWarning, match=message):
        found = bootstrap_test(*rows, n_resamples=50, rng=0)
    assert found.difference == pytest.approx(difference, nan_ok=True)
    undefined = found.statistic, found.pvalue, found.standard_error, *found.confidence_interval
    assert np.isnan(undefined).all()


WRONG = [
    ({"alternative": "larger"}, "'alternative' parameter of bootstrap_test must be a str among"),
    ({"method": "bca"}, "'method' parameter of bootstrap_test must be a str among"),
    ({"statistic": "auc"}, "'statistic' parameter of bootstrap_test"),
    ({"statistic": "partial_roc_auc"}, "'statistic' parameter of bootstrap_test"),
    ({"statistic": f1, "method": "bca"}, "'method' parameter of bootstrap_test"),
    ({"statistic": f1, "statistic_of": "columns"}, "'statistic_of' parameter of bootstrap_test"),
    ({"statistic_of": "rows"}, "'statistic_of' parameter of bootstrap_test"),
    ({"y_true_b": Y, "groups": Y}, "^groups is given, but rows of two samples are drawn"),
    ({"y_true_b": Y, "sample_weight": Y}, "^sample_weight is given, but rows of two samples"),
    ({"y_true_b": Y[1:]}, "y_true_b has 13, score_b has 14"),
    ({"y_true_b": ["a", "b"] * 7}, "y_true_b takes value in {'a', 'b'}"),
    ({"n_resamples": 1}, "'n_resamples' parameter"),
    ({"rng": "x"}, "'rng' parameter"),
    ({"score_b": B[1:]}, "y_true has 14, score_a has 14, score_b has 13"),
    ({"score_a": [math.nan, *A[1:]]}, r"score_a\[0\] is nan"),
    ({"groups": [None, *Y[1:]]}, r"groups\[0\] is None"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_wrong_input(given, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_test(**{"y_true": Y, "score_a": A, "score_b": B, **given})


@pytest.mark.slow
def test_coverage():
    # Two scores with one area: what the test finds is a false alarm. 5 % of 400 samples are 20,
    # with a standard deviation of 4.4; it found 20, and 381 intervals held the difference of 0.
    rng = np.random.default_rng(4)
    n_samples, n_held, n_rejected = 400, 0, 0
    for _ in range(n_samples):
        y_true, latent = model_problem(rng, 80, 120)
        first, second = (latent + 0.5 * rng.random(200) for _ in range(2))
        found = bootstrap_test(y_true, first, second, n_resamples=400, rng=rng)
        low, high = found.confidence_interval
        n_held += low <= 0 <= high
        n_rejected += found.pvalue < 0.05
    assert abs(n_rejected - 20) <= 3 * 4.4
    assert abs(n_held - 380) <= 3 * 4.4
