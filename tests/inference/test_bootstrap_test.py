"""Two scores, of the same rows or of two samples, compared by the bootstrap."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies

import fastauc
import naive
from fastauc._validation.samples import read_binary_sample
from fastauc.inference import bootstrap_ci, bootstrap_test
from fastauc.inference._bootstrap import BootstrapOptions, function_of
from fastauc.inference._resampling import Resampler, find_steps, put_in_order
from naive import bootstrap as naive_bootstrap
from support.laws import law
from support.studies import SCHEMES, SMALL

METHODS = ["t", "normal", "percentile", "basic"]
STATISTICS = ["roc_auc", "average_precision", "ks"]
Y, A = SMALL
B = [3, 4, 5, 5, 1, 2, 2, 2, 6, 3, 1, 0, 0, 1]

by_statistic = pytest.mark.parametrize("statistic", STATISTICS)


def value_of(statistic, y_true, y_score, sample_weight=None):
    rows = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    functions = fastauc.roc_auc_score, fastauc.average_precision_score, fastauc.ks_score
    return functions[STATISTICS.index(statistic)](**rows)


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


TWO = {"y_true_b": Y[:5] + Y[-6:]}
B_OF_TWO = B[:5] + B[-6:]
DRAWN = {
    "stratified": (B, {"statistic": "roc_auc"}),
    "plain": (B, {"statistic": "roc_auc", "groups": list(range(14))}),
    "clusters": (B, {"statistic": "roc_auc", **SCHEMES["clusters"]}),
    "weights": (B, {"statistic": "roc_auc", **SCHEMES["weights"]}),
    "ks": (B, {"statistic": "ks"}),
    "two samples": (B_OF_TWO, {"statistic": "ks", **TWO}),
}


@pytest.mark.parametrize(("b", "given"), DRAWN.values(), ids=DRAWN)
def test_differences_are_distributed_as_those_of_the_definition(b, given):
    value, slow = naive.bootstrap_test(Y, A, b, rng=3, n_resamples=60, **given)
    found = bootstrap_test(Y, A, b, rng=4, n_resamples=4000, **given)
    # The weighted numbers are within some ulp.
    assert found.difference == pytest.approx(value, rel=0, abs=1e-15)
    weight, labels = given.get("sample_weight"), given.get("y_true_b", Y)
    areas = [value_of(given["statistic"], *rows, weight) for rows in ((Y, A), (labels, b))]
    assert found.difference == areas[0] - areas[1]
    quick = found.bootstrap_distribution
    # 5 standard errors of the mean of 60 values; and Kolmogorov and Smirnov, 2 exp(-2 * 2.5^2).
    assert np.mean(slow) == pytest.approx(quick.mean(), abs=5 * quick.std() / math.sqrt(60))
    distance = scipy.stats.ks_2samp(slow, quick, method="asymp").statistic
    assert distance < 2.5 / math.sqrt(60)


@pytest.mark.parametrize("b", [B, B_OF_TWO], ids=["paired", "unpaired"])
@pytest.mark.parametrize("method", METHODS)
def test_the_test_is_that_of_its_replicates(method, b):
    given_, replicates = ({} if b is B else TWO), None
    df = min(sum(Y), len(Y) - sum(Y)) - 1
    if given_:
        # Those of each sample are of the two streams that a generator makes in turn.
        generator = np.random.default_rng(1)
        drawn = (
            bootstrap_ci(*rows, rng=generator, n_resamples=333).bootstrap_distribution
            for rows in ((Y, A), (TWO["y_true_b"], b))
        )
        columns = [column.tolist() for column in drawn]
        replicates = [x - y for x, y in zip(*columns, strict=True)]
        df = naive_bootstrap.welch(columns, [6 - 1, 5 - 1])
    for alternative, level in itertools.product(("two-sided", "less", "greater"), (0.95, 0.2)):
        rule = {"alternative": alternative, "method": method, "confidence_level": level}
        found = bootstrap_test(Y, A, b, rng=1, n_resamples=333, **given_, **rule)
        values = found.bootstrap_distribution.tolist()
        assert replicates is None or values == replicates
        statistic, pvalue, error, ends = naive.difference_test(found.difference, values, df, **rule)
        # Sums of 333 doubles.
        assert found[0:4:3] == pytest.approx((statistic, error), rel=1e-11)
        # Replicates that are equal but for rounding are as many steps of the quantiles.
        one_step = 1 / 332 if method in ("percentile", "basic") else 0
        assert found.pvalue == pytest.approx(pvalue, rel=1e-9, abs=one_step)
        assert found.confidence_interval == pytest.approx(ends, rel=0, abs=1e-10)
        assert all(type(number) is float for number in (*found[:4], *found.confidence_interval))


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@law
@given(
    strategies.lists(strategies.integers(-3, 3), min_size=20, max_size=40),
    strategies.sampled_from([0.05, 0.2, 0.5]),
    strategies.sampled_from(METHODS),
    strategies.sampled_from(["two-sided", "less", "greater"]),
    strategies.booleans(),
    strategies.sampled_from(["roc_auc", lambda counts: counts.at(4).f1]),
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
    found = bootstrap_test(*rows, rng=0, n_resamples=60, **rule)
    low, high = found.confidence_interval
    if math.isnan(found.pvalue) or min(abs(low), abs(high), abs(found.pvalue - alpha)) < 1e-9:
        return
    assert (found.pvalue < alpha) == (low > 0 or high < 0)


@by_statistic
def test_scores_that_order_the_rows_alike(statistic):
    with pytest.warns(fastauc.UndefinedMetricWarning, match="the interval is undefined"):
        found = bootstrap_test(Y, A, np.exp(A), n_resamples=50, rng=1, statistic=statistic)
    assert found[:4] == (0.0, 1.0, 0.0, 0.0)
    assert np.isnan(found.confidence_interval).all()
    assert found.bootstrap_distribution.tolist() == [0.0] * 50


UNDEFINED = {
    "one positive": (([1, 0, 0], [3, 1, 2], [1, 2, 3]), {}, 1.0, "positives are all in one row"),
    "no overlap": (([1, 1, 0, 0], [3, 4, 1, 2], [1, 2, 3, 4]), {}, 1.0, "All 50 replicates have"),
    "second of one class": ((Y, A, [1, 2]), {"y_true_b": [1, 1]}, math.nan, "Only one class"),
    "second of two rows": ((Y, A, [2, 1]), {"y_true_b": [1, 0]}, None, "all in one row"),
}


@pytest.mark.parametrize(("rows", "of", "difference", "message"), UNDEFINED.values(), ids=UNDEFINED)
def test_undefined(rows, of, difference, message):
    with pytest.warns(fastauc.UndefinedMetricWarning, match=message):
        found = bootstrap_test(*rows, n_resamples=50, rng=0, **of)
    if difference is not None:
        assert found.difference == pytest.approx(difference, nan_ok=True)
    undefined = found.statistic, found.pvalue, found.standard_error, *found.confidence_interval
    assert np.isnan(undefined).all()


def f1(counts):
    return counts.at(4).f1


def f1_of_one_in_ten(counts):
    at = counts.at(4)
    tp, fp = 0.1 * at.sensitivity, 0.9 * (1 - at.specificity)
    return 2 * tp / (tp + fp + 0.1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"statistic": "partial_roc_auc"}, "'statistic' parameter of bootstrap_test"),
        ({"y_true_b": Y, "groups": Y}, "^groups is given, but rows of two samples are drawn"),
        ({"y_true_b": Y, "sample_weight": Y}, "^sample_weight is given, but rows of two samples"),
        ({"y_true_b": Y[1:]}, "y_true_b has 13, score_b has 14"),
        (
            {"y_true_b": [*Y[:-1], 1], "statistic": "average_precision"},
            r"^statistic is average_precision, which depends on the share of positives: 0\.76",
        ),
        ({"y_true_b": [*Y[:-1], 1], "statistic": f1}, "^statistic is f1, which depends on"),
        ({"n_resamples": 1}, "'n_resamples' parameter"),
    ],
)
def test_wrong_input(given, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_test(Y, A, B, **given)


def test_two_samples_need_one_prevalence_or_a_statistic_of_rates():
    rows, rule = (Y, A, B), {"n_resamples": 50, "rng": 1}
    for given_ in (
        {"y_true_b": Y[::-1], "statistic": "average_precision"},  # as many positives
        {"y_true_b": [*Y[:-1], 1], "statistic": f1_of_one_in_ten},
        {"y_true_b": [*Y[:-1], 1], "statistic": fastauc.ConfusionCounts.ks},
    ):
        assert 0 < bootstrap_test(*rows, **given_, **rule).pvalue <= 1
