"""Statistics that are functions of the user's: of the counts, or of the rows, of a replicate."""

import itertools
import math
import threading
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from fastauc.inference import bootstrap_ci, bootstrap_test
from fastauc.inference._resampling import add_up, find_custom_steps, put_in_order
from support.public import flat

NAMED = {
    "roc_auc": fastauc.ConfusionCounts.roc_auc,
    "average_precision": fastauc.ConfusionCounts.average_precision,
    "ks": fastauc.ConfusionCounts.ks,
}
SCHEMES = [
    {},
    {"stratified": False},
    {"groups": np.arange(80) // 4},
    {"sample_weight": np.arange(80) % 7 + 0.1},
    {"sample_weight": np.arange(80) % 7 + 0.1, "groups": np.arange(80) // 4},
]


def draw(seed=1, n=80):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 2, n)
    return y_true, np.round(rng.normal(size=n) + y_true, 1)


samples = st.lists(
    st.tuples(st.integers(0, 1), st.integers(-3, 3), st.integers(0, 3), st.integers(1, 3)),
    min_size=2,
    max_size=14,
).filter(lambda rows: len({label for label, _, count, _ in rows if count}) == 2)


def called_with(rows, takes, weighted):
    """Return the arguments of a statistic for rows that are drawn as often as they say."""
    seen = []

    def statistic(*arguments, **options):
        seen.append((arguments, options))
        return 0

    labels, scores, counts, weights = (np.array(column) for column in zip(*rows, strict=True))
    sample = Rows("test", labels, scores, weights if weighted else None).sample(SERIAL)
    # Each row is a cluster: the factors stay with it through the sort.
    clusters = np.arange(len(rows), dtype=np.uint32)
    (ordered,), clusters = put_in_order([sample], clusters)
    steps, function = find_custom_steps(ordered, statistic, takes, clusters)
    factors = counts.astype(np.uint32)
    assert function(add_up(steps, factors, factors)) == 0
    return seen[0]


@given(samples, st.booleans())
@settings(max_examples=200)
def test_counts_are_those_of_the_repeated_rows(rows, weighted):
    ((found,), _) = called_with(rows, "counts", weighted)
    repeated = [row for row in rows for _ in range(row[2])]
    labels, scores, _, weights = (np.array(column) for column in zip(*repeated, strict=True))
    expected = fastauc.confusion_matrix_at_thresholds(
        labels, scores, sample_weight=weights if weighted else None
    )
    assert type(found) is type(expected)
    assert flat(found) == flat(expected)


@given(samples, st.booleans())
@settings(max_examples=200)
def test_rows_are_the_repeated_rows_or_weighted_ones(rows, weighted):
    (y_true, y_score), options = called_with(rows, "rows", weighted)
    if weighted:
        found = zip(y_true, y_score, options["sample_weight"], strict=True)
        expected = [(y, s, n * w) for y, s, n, w in rows if n]
    else:
        assert options == {}
        found = zip(y_true, y_score, strict=True)
        expected = [(y, s) for y, s, n, _ in rows for _ in range(n)]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("name", NAMED)
def test_a_method_of_the_counts_is_the_statistic_of_its_name(name):
    y_true, y_score = draw()
    for scheme in SCHEMES:
        options = {"rng": 3, "n_resamples": 100, "stratified": False, **scheme}
        with warnings.catch_warnings():  # of 20 clusters
            warnings.simplefilter("ignore", fastauc.UndefinedMetricWarning)
            named = bootstrap_ci(y_true, y_score, statistic=name, **options)
            found = bootstrap_ci(y_true, y_score, statistic=NAMED[name], **options)
        rounding = 1e-15 if "sample_weight" in scheme else 0
        assert found.statistic == pytest.approx(named.statistic, rel=0, abs=rounding)
        # Not one draw is another; sums of the precisions, and of weights, are rounded differently.
        replicates = found.bootstrap_distribution, named.bootstrap_distribution
        np.testing.assert_allclose(*replicates, rtol=0, atol=2e-15)
    if name != "average_precision":
        return  # without a name, nobody knows that replicates may keep the classes
    rule = {"rng": 3, "n_resamples": 100, "score_b": y_score[::-1]}
    named, found = (
        bootstrap_test(y_true, y_score, statistic=each, **rule) for each in (name, NAMED[name])
    )
    replicates = found.bootstrap_distribution, named.bootstrap_distribution
    np.testing.assert_allclose(*replicates, rtol=0, atol=1e-15)
    assert found[:4] == pytest.approx(named[:4], rel=1e-12)


def test_functions_see_the_scores_that_were_given():
    y_true, y_score = draw()
    for dtype, takes in itertools.product(
        (np.uint64, np.int8, np.float32, object), ("rows", "counts")
    ):
        given_, seen = (10 * y_score + 100).astype(np.int8).astype(dtype), []

        def remember(*arguments, seen=seen):
            seen.append(arguments)
            return 0

        rule = {"statistic": remember, "statistic_of": takes, "n_resamples": 2}
        with pytest.warns(fastauc.UndefinedMetricWarning, match="would have no width"):
            bootstrap_ci(y_true, given_, **rule, rng=0)
        if takes == "rows":
            assert sorted(seen[0][1].tolist()) == sorted(given_.tolist())
            continue
        assert flat(seen[0][0]) == flat(fastauc.confusion_matrix_at_thresholds(y_true, given_))


def brier(y_true, y_score, sample_weight=None):
    return np.average((y_true - y_score) ** 2, weights=sample_weight)


def test_what_is_no_area_is_not_kept_within_bounds():
    y_true, y_score = draw()
    score = 10 / (1 + np.exp(-y_score))
    rule = {"statistic": brier, "statistic_of": "rows", "n_resamples": 99, "rng": 0}
    found = bootstrap_ci(y_true, score, **rule)
    # A mean of the same doubles in another order.
    assert found.statistic == pytest.approx(brier(y_true, score), rel=1e-15)
    assert found.confidence_interval.low > 1
    found = bootstrap_test(y_true, score, y_score, alternative="greater", **rule)
    assert found.confidence_interval.high == math.inf
    found = bootstrap_test(y_true, score, y_score, alternative="less", **rule)
    assert found.confidence_interval.low == -math.inf
    assert bootstrap_test(y_true, score, y_score, **rule).confidence_interval.high > 1


def test_the_calling_thread_runs_it():
    y_true, y_score = draw(n=60_000)
    seen = set()

    def statistic(counts):
        seen.add(threading.get_ident())
        return counts.at(0.5).f1

    bootstrap_ci(y_true, y_score, statistic=statistic, n_resamples=20, rng=0, n_jobs=2)
    assert seen == {threading.get_ident()}


TESTS = {
    "interval": bootstrap_ci,
    "paired": partial(bootstrap_test, score_b=draw(2)[1]),
}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_what_is_not_a_number_is_refused_and_what_is_undefined_leaves_no_interval(test):
    for wrong in ("0.5", None, 1j, [0.5], np.array([0.5])):
        told = f"returned {type(wrong).__name__}.*one real number"
        with pytest.raises(TypeError, match=told):
            test(*draw(), statistic=lambda counts, wrong=wrong: wrong)
    for value in (math.nan, math.inf):
        calls = iter(range(1000))

        def undefined_once(counts, value=value, calls=calls):
            number = next(calls)
            return value if number == 5 else number

        with pytest.warns(fastauc.UndefinedMetricWarning, match="infinite for 1 of 20 replicates"):
            found = test(*draw(), statistic=undefined_once, n_resamples=20)
        assert found[0 if test is bootstrap_ci else 2] in (0, -1)
        assert math.isnan(found.standard_error)
        assert all(map(math.isnan, found.confidence_interval))


@pytest.mark.parametrize("value", [1, np.float32(1), np.array(1.0), np.True_])
def test_numbers_of_all_kinds_are_taken(value):
    def constant(counts):
        return value

    with pytest.warns(
        fastauc.UndefinedMetricWarning, match="interval of constant 1.0 would have no"
    ):
        found = bootstrap_ci(*draw(), statistic=constant, n_resamples=9)
    assert found.statistic == 1


def test_one_class_calls_nothing():
    def never(counts):
        raise AssertionError

    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
        assert math.isnan(bootstrap_ci([1, 1], [1, 2], statistic=never).statistic)
