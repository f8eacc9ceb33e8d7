"""Counts at a few places without a sort: the same integers as a sort of all rows."""

from fractions import Fraction

import numpy as np
import pytest

import fastauc
from fastauc._counts import confusion_counts, selected
from fastauc._counts.confusion_counts import threshold_counts
from fastauc._validation import threads
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL, Workers
from support.distributions import make

N = 40_000
NAMES = [
    *("uniform", "sigmoid_normal", "lognormal", "beta", "logits", "geometric", "denormals"),
    *("rounded3", "leaves200", "two_values", "constant", "sorted", "sawtooth", "organ_pipe"),
]
DTYPES = {name: [np.float64, np.float32] for name in NAMES}
DTYPES |= {"outlier": [np.float64], "int64": [np.int64], "float16": [np.float16]}


def draw(name, dtype, n=N, prevalence=0.3):
    labels, scores = make(name, n, prevalence)
    with np.errstate(over="ignore", under="ignore"):
        return labels, scores.astype(dtype)


def read(labels, scores, weights=None):
    return Rows("test", labels, scores, weights).sample(SERIAL)


def sort(labels, scores, weights=None):
    """Return the groups that a sort of all rows finds."""
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
    return threshold_counts(counts)


def assert_equal(some, whole):
    __tracebackhide__ = True
    for own, other in zip(some[:4], whole[:4], strict=True):
        assert own.dtype == other.dtype
        np.testing.assert_array_equal(own, other)
        if own.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(own), np.signbit(other))


@pytest.mark.parametrize("name", DTYPES)
def test_results_are_those_of_the_counts(name):
    for dtype in DTYPES[name]:
        labels, scores = draw(name, dtype)
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
        assert fastauc.ks_score(labels, scores) == counts.ks()
        found = fastauc.metrics.ks_statistic(labels, scores, method="asymp")
        assert found == counts.ks_statistic(method="asymp")
        for ties in ("group", "split"):
            options = {"ties": ties, "cost": 1, "revenue": 4}
            table = fastauc.metrics.gains_table(labels, scores, **options)
            assert table == counts.gains_table(**options)
        for share in (0.0, 0.1, 1 / 3, 1.0):
            assert fastauc.metrics.gain_at(labels, scores, share) == counts.gain_at(share)
            assert fastauc.metrics.lift_at(labels, scores, share) == counts.lift_at(share)


def test_integers_and_threads():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 500_000)
    scores = rng.integers(-(2**62), 2**62, 500_000)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    for n_jobs in (1, 2):
        options = {"n_jobs": n_jobs, "method": "asymp"}
        found = fastauc.metrics.ks_statistic(labels, scores, **options)
        assert found == counts.ks_statistic(method="asymp")
        assert fastauc.metrics.gains_table(labels, scores, n_jobs=n_jobs) == counts.gains_table()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_values_that_share_a_bucket(n_jobs, monkeypatch):
    # Neighbors, both zeros, and a value far off, so that the buckets are wide.
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 10_000)
    rng = np.random.default_rng(8)
    pool = np.array([-0.0, 0.0, 1.0, 1 + 2.0**-52, 1 + 2.0**-51, 7.0, 1e9])
    frequent = np.array([2, 28, 28, 2, 2, 28, 10])  # others are strange in their bucket, but few
    for places in ([0, 1, 2, 3, 4, 5, 6], [0, 1], [0, 2], [2, 3, 4], [3, 4, 5]):
        values, chances = pool[places], frequent[places] / frequent[places].sum()
        labels, scores = rng.integers(0, 2, 40_000), rng.choice(values, 40_000, p=chances)
        with Workers(n_jobs) as workers:
            counts = confusion_counts.count_values(read(labels, scores), workers)
        if counts is not None:
            assert_equal(counts, sort(labels, scores))
        assert (counts is None) == (set(values) == {0.0}), "equal scores go another way"


def test_few_rows_are_looked_at():
    labels, scores = draw("uniform", np.float64, 200_000)
    positions = [Fraction(k * 200_000, 10) for k in range(1, 11)]
    assert len(selected.counts_around(read(labels, scores), positions).lows) < 3000
    assert len(selected.counts_of_distance(read(labels, scores)).lows) < 20_000


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n_pos", [9000, N - 1])
def test_a_distance_that_is_greatest_where_no_bucket_has_both_classes(n_pos, sign):
    rng = np.random.default_rng(10)
    labels = rng.permutation(np.arange(N) < n_pos)
    scores = sign * (rng.random(N) + 2 * labels)
    assert selected.counts_of_distance(read(labels, scores)) is not None
    assert fastauc.ks_score(labels, scores) == 1


@pytest.mark.parametrize(
    ("labels", "scores", "weights"),
    [
        ([0, 1] * 100, np.arange(200), None),
        ([0, 1] * 2**14, np.arange(2**15), None),
        ([0, 1] * 10_000, np.arange(20_000), np.ones(20_000)),
        ([0, 1] * 10_000, np.ones(20_000), None),
    ],
    ids=["few rows", "rows of one bucket", "weights", "one score"],
)
def test_where_a_sort_is_better(labels, scores, weights):
    sample = read(labels, scores, weights)
    assert selected.counts_of_distance(sample) is None
    assert_equal(selected.counts_around(sample, []), sort(labels, scores, weights))


@pytest.mark.parametrize("labels", [np.zeros(20_000, int), np.ones(20_000, int)])
def test_one_class(labels):
    scores = np.random.default_rng(1).random(20_000)
    with pytest.warns(fastauc.UndefinedMetricWarning):
        assert np.isnan(fastauc.ks_score(labels, scores))
    with pytest.warns(fastauc.UndefinedMetricWarning):
        assert np.isnan(fastauc.metrics.ks_statistic(labels, scores)).all()
    with pytest.warns(fastauc.UndefinedMetricWarning):
        assert fastauc.metrics.gains_table(labels, scores)["n"].tolist() == [2000] * 10
