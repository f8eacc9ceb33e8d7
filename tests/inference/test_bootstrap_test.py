"""Two scores of the same rows, compared by the bootstrap."""

import inspect
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies

import fastauc
import naive
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from fastauc.inference import bootstrap_test
from fastauc.inference._bootstrap import FUNCTIONS
from fastauc.inference._resampling import Resampler, find_steps, put_in_order
from support.laws import law
from support.studies import SCHEMES, SMALL

DOCS = Path(__file__).parents[2] / "docs"
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
    samples = [Rows("test", y_true, score).sample(SERIAL) for score in scores]
    curves = find_steps(samples, statistic == "average_precision")
    function = FUNCTIONS[statistic]
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


DRAWN = {
    "stratified": {"statistic": "roc_auc"},
    "plain": {"statistic": "roc_auc", "groups": list(range(14))},
    "clusters": {"statistic": "roc_auc", **SCHEMES["clusters"]},
    "weights": {"statistic": "roc_auc", **SCHEMES["weights"]},
    "ks": {"statistic": "ks"},
}


@pytest.mark.parametrize("given", DRAWN.values(), ids=DRAWN)
def test_differences_are_distributed_as_those_of_the_definition(given):
    value, slow = naive.bootstrap_test(Y, A, B, rng=3, n_resamples=60, **given)
    found = bootstrap_test(Y, A, B, rng=4, n_resamples=4000, **given)
    # The weighted numbers are within some ulp.
    assert found.difference == pytest.approx(value, rel=0, abs=1e-15)
    weight = given.get("sample_weight")
    areas = [value_of(given["statistic"], Y, score, weight) for score in (A, B)]
    assert found.difference == areas[0] - areas[1]
    quick = found.bootstrap_distribution
    # 5 standard errors of the mean of 60 values; and Kolmogorov and Smirnov, 2 exp(-2 * 2.5^2).
    assert np.mean(slow) == pytest.approx(quick.mean(), abs=5 * quick.std() / math.sqrt(60))
    distance = scipy.stats.ks_2samp(slow, quick, method="asymp").statistic
    assert distance < 2.5 / math.sqrt(60)


def drawn_values(rows, **options):
    """Return the test of a function; for both scores, its value and the mean of its replicates."""
    seen = []

    def average_precision(counts):
        seen.append(counts.average_precision())
        return seen[-1]

    found = bootstrap_test(*rows, statistic=average_precision, **options)
    first, second = seen[::2], seen[1::2]
    return found, [(own[0], math.fsum(own[1:]) / len(own[1:])) for own in (first, second)]


@pytest.mark.parametrize("is_perfect", [False, True])
@pytest.mark.parametrize("design", [{}, SCHEMES["weights"]], ids=["rows", "weights"])
def test_the_test_is_that_of_its_replicates(is_perfect, design):
    weight = design.get("sample_weight", [1] * len(Y))
    kish = naive.inference._sizes(Y, weight, None)
    sizes = naive.inference.least_sizes(kish, list(zip(Y, A, weight, strict=True)))
    df = min(kish) - 1
    rows = Y, np.add(A, 9 * np.array(Y)) if is_perfect else A, B
    for alternative, level in itertools.product(("two-sided", "less", "greater"), (0.95, 0.2)):
        rule = {"alternative": alternative, "confidence_level": level}
        given = {"rng": 1, "n_resamples": 333, **rule, **design}
        of_function, shares = drawn_values(rows, **given)
        found = bootstrap_test(*rows, statistic="average_precision", **given)
        values = found.bootstrap_distribution.tolist()
        # The same rows are drawn; each precision is rounded once.
        assert of_function.bootstrap_distribution == pytest.approx(values, rel=0, abs=1e-14)
        for each, of_shares in (found, (shares, sizes)), (of_function, ()):
            statistic, pvalue, error, ends = naive.difference_test(values, df, *of_shares, **rule)
            # Sums of 333 doubles.
            assert each[0:4:3] == pytest.approx((statistic, error), rel=1e-11)
            assert each.pvalue == pytest.approx(pvalue, rel=1e-9)
            assert each.confidence_interval == pytest.approx(ends, rel=0, abs=1e-10)
            assert (each.df, each.method) == (pytest.approx(df), "t")
            assert all(type(x) is float for x in (*each[:4], *each.confidence_interval))


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@law
@given(
    strategies.lists(strategies.integers(-3, 3), min_size=20, max_size=40),
    strategies.sampled_from([0.05, 0.2, 0.5]),
    strategies.sampled_from(["two-sided", "less", "greater"]),
    strategies.sampled_from(["roc_auc", lambda counts: counts.at(4).f1]),
)
def test_it_is_below_alpha_where_the_interval_does_not_hold_0(steps, alpha, alternative, statistic):
    score_b = [a + step for a, step in zip(A * 3, steps, strict=False)]
    rows = (Y * 3)[: len(score_b)], (A * 3)[: len(score_b)], score_b
    if len(set(rows[0])) < 2:
        return
    rule = {"alternative": alternative, "confidence_level": 1 - alpha, "statistic": statistic}
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


@by_statistic
def test_rounded_sums_of_weights_are_no_difference(statistic):
    rng, label = np.random.default_rng(0), np.repeat([1, 0], 20)
    for _ in range(5):
        scores = label + rng.random((2, 40)) / 2  # two perfect models
        rule = {
            "statistic": statistic,
            "n_resamples": 50,
            "rng": 1,
            "sample_weight": rng.random(40),
        }
        with pytest.warns(fastauc.UndefinedMetricWarning, match="the interval is undefined"):
            found = bootstrap_test(label, *scores, **rule)
        assert (found.statistic, found.pvalue, found.standard_error) == (0.0, 1.0, 0.0)
        assert np.isnan(found.confidence_interval).all()


UNDEFINED = {
    "one positive": (([1, 0, 0], [3, 1, 2], [1, 2, 3]), 1.0, "positives are all in one row"),
    "no overlap": (([1, 1, 0, 0], [3, 4, 1, 2], [1, 2, 3, 4]), 1.0, "All 50 replicates have"),
    "one class": (([1, 1], [3, 4], [1, 2]), math.nan, "Only one class"),
}


@pytest.mark.parametrize(("rows", "difference", "message"), UNDEFINED.values(), ids=UNDEFINED)
def test_undefined(rows, difference, message):
    with pytest.warns(fastauc.UndefinedMetricWarning, match=message):
        found = bootstrap_test(*rows, n_resamples=50, rng=0)
    assert found.difference == pytest.approx(difference, nan_ok=True)
    undefined = found.statistic, found.pvalue, found.standard_error, *found.confidence_interval
    assert np.isnan(undefined).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"statistic": "partial_roc_auc"}, "'statistic' parameter of bootstrap_test"),
        ({"groups": Y[1:]}, "groups has 13"),
        ({"n_resamples": 1}, "'n_resamples' parameter"),
    ],
)
def test_wrong_input(given, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_test(Y, A, B, **given)


def test_two_cohorts_are_not_taken():
    """Average precision and F1 of one model differ where the shares of positives do."""
    assert [*inspect.signature(bootstrap_test).parameters][:3] == ["y_true", "score_a", "score_b"]
    with pytest.raises(TypeError, match="y_true_b"):
        bootstrap_test(Y, A, B, y_true_b=Y, statistic="average_precision")
    page = " ".join((DOCS / "inference.md").read_text(encoding="utf-8").split())
    assert "To compare two independent samples, use `bootstrap_ci` for each" in page
    assert "depend on the share of positives, that share must be equal in both samples" in page
