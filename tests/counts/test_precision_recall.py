"""Average precision by buckets or by a search is that of the sorted rows, bit for bit.

The scan of sorted rows is compared with its definition elsewhere.
"""

import itertools

import numpy as np
import pytest

from fastauc._counts import precision_recall, sort_scan
from fastauc._kernels import counts as _counts, sort_scan as _sort_scan
from fastauc._pairs.sorted_rows import sort_rows
from fastauc._validation import threads
from fastauc._validation.samples import read_binary_sample
from support.distributions import DISTRIBUTIONS, make
from support.pairs import on_threads

sum_precision = on_threads(precision_recall.sum_precision)
average_precision = on_threads(sort_scan.average_precision)


def sample_of(labels, scores):
    return read_binary_sample(labels, scores, None, 1, "average_precision_score")


def sums(labels, scores, n_jobs=1):
    """Return the sums by buckets and by sorted rows; the latter is also that by a search."""
    sample = sample_of(labels, scores)
    by_buckets = sum_precision(sample, n_jobs, "buckets")
    assert by_buckets is not None
    by_sort = _sort_scan.sum_precision(*sort_rows(sample))
    assert sum_precision(sample, n_jobs, "search") == by_sort
    return by_buckets, by_sort


def draw_labels(rng, n, share):
    labels = (rng.random(n) < share).astype(np.int64)
    labels[:2] = 0, 1
    return labels


SCORES = DISTRIBUTIONS | {
    "pairs": lambda rng, n: rng.permutation(n) // 2 / n,
    "few values": lambda rng, n: np.sqrt(rng.integers(0, 9, n)),
    "close": lambda rng, n: 1 + 2.0**-52 * rng.integers(0, 2 * n, n),
    "signed zeros": lambda rng, n: (
        np.where(rng.random(n) < 0.5, -0.0, 0.0) + rng.integers(-1, 2, n) * (rng.random(n) < 0.6)
    ),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "float32 with ties": lambda rng, n: rng.integers(-90, 90, n).astype(np.float32) / 7,
    "float32 zeros": lambda rng, n: (
        (rng.integers(-1, 2, n) * 0.0).astype(np.float32) + (rng.random(n) < 0.1)
    ),
    "int64": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "int64 with ties": lambda rng, n: 2**60 + rng.integers(0, n, n),
}


@pytest.mark.parametrize("scores", SCORES)
def test_ties_and_kinds_of_scores(scores):
    rng = np.random.default_rng([11, list(SCORES).index(scores)])
    for share, n in itertools.product([0.5, 0.003, 0.999, 1.0], [2, 3, 64, 65, 1000, 4097]):
        labels, values = draw_labels(rng, n, share), SCORES[scores](rng, n)
        values[:2] = values.min() - 1 if values.min() > -(2**62) else values.min(), values.max()
        if values.min() < values.max():
            by_buckets, by_sort = sums(labels, values)
            assert by_buckets == by_sort


def test_signed_zeros_are_one_score():
    labels = np.array([1, 0, 1, 0] * 40)
    scores = np.concatenate([np.tile([-0.0, 0.0, 0.0, -0.0], 39), [-1, -1, 1, 1]])
    for dtype in (np.float32, np.float64):
        by_buckets, by_sort = sums(labels, scores.astype(dtype))
        assert by_buckets == by_sort == sums(labels, scores.astype(dtype) + 0)[1]


@pytest.mark.parametrize("rows_per_bucket", [1, 24, 4096])
def test_buckets_of_any_size(monkeypatch, rows_per_bucket):
    # Down to single rows and up to buckets that are split more than once.
    monkeypatch.setattr(precision_recall, "_ROWS_PER_BUCKET", rows_per_bucket)
    rng = np.random.default_rng(12)
    for share in (0.5, 0.01, 0.99):
        labels = draw_labels(rng, 60_000, share)
        for scores in (rng.random(60_000), rng.normal(size=60_000).astype(np.float32)):
            by_buckets, by_sort = sums(labels, scores)
            assert by_buckets == by_sort


@pytest.mark.parametrize("share", [0.5, 0.01])
def test_threads_change_no_bit(monkeypatch, share):
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 50)
    rng = np.random.default_rng(13)
    n_within = 0
    for n, scores in itertools.product([99, 100, 1000], SCORES):
        labels, values = draw_labels(rng, n, share), SCORES[scores](rng, n)
        if values.min() < values.max():
            expected = sums(labels, values)[1]
            assert [sums(labels, values, n_jobs)[0] for n_jobs in (1, 2, 3, 7)] == 4 * [expected]
            n_within += 1
    assert n_within > 40


# Buckets that offsets do not resolve --------------------------------------------------------------


@pytest.fixture
def gathered(monkeypatch):
    """The numbers of rows that are sorted because their buckets are unresolved."""
    numbers = []
    original = _counts.sum_within

    def sum_within(label, *arguments):
        numbers.append(len(label))
        return original(label, *arguments)

    monkeypatch.setattr(_counts, "sum_within", sum_within)
    return numbers


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_a_tie_in_one_bucket_sorts_the_rows_of_one_bucket(gathered, dtype):
    rng = np.random.default_rng(14)
    n = 40_000
    scores = ((rng.permutation(n) - n // 2) * (2**30 + 1)).astype(dtype)
    labels = draw_labels(rng, n, 0.5)
    assert len(set(sums(labels, scores))) == 1
    assert gathered == []
    # Of both classes, and of positives alone; of negatives alone there is nothing to know.
    order = np.argsort(scores)
    for kind, (first, second) in enumerate([(0, 1), (1, 0), (1, 1), (0, 0)]):
        at = next(k for k in range(n // 3, n) if tuple(labels[order[k : k + 2]]) == (first, second))
        tied = scores.copy()
        tied[order[at + 1]] = tied[order[at]]
        assert len(set(sums(labels, tied))) == 1
        assert len(gathered) == min(kind + 1, 3)
    assert all(0 < n_rows < 200 for n_rows in gathered)


def test_close_scores_of_one_offset_are_in_order(gathered):
    # One far score makes the buckets so wide that all the others share an offset, but are distinct.
    rng = np.random.default_rng(15)
    n = 30_000
    scores = 1 + 2.0**-52 * rng.permutation(n)
    far = scores.copy()
    far[0] = 1e300
    labels = draw_labels(rng, n, 0.5)
    for values in (scores, far, -far):
        by_buckets, by_sort = sums(labels, values)
        assert by_buckets == by_sort
    wide = np.concatenate([scores, 1 + 1e12 * rng.random(n)])
    by_buckets, by_sort = sums(np.concatenate([labels, labels]), wide)
    assert by_buckets == by_sort
    assert gathered


# Routes -------------------------------------------------------------------------------------------


def test_routes_give_one_number():
    for name in ("uniform", "lognormal", "rounded3", "sorted", "constant", "float32"):
        labels, scores = make(name, 50_000, 0.3, 1)
        sample = sample_of(labels, scores)
        values = {average_precision(sample, 1, route) for route in precision_recall.ROUTES}
        assert values == {average_precision(sample, 1)}


def test_choice_of_the_route():
    def takes_buckets(name, n=50_000, prevalence=0.5, route=None):
        sample = sample_of(*make(name, n, prevalence, 1))
        return sum_precision(sample, 1, route) is not None

    assert takes_buckets("uniform")
    assert takes_buckets("int64")
    assert takes_buckets("lognormal")
    assert not takes_buckets("uniform", n=1000)
    assert takes_buckets("uniform", n=1000, route="buckets")
    assert not takes_buckets("uniform", route="sort")
    for name in ("rounded3", "two_values", "constant", "sorted", "reversed"):
        assert not takes_buckets(name)


def test_rare_positives_are_searched_for(monkeypatch):
    searched = []
    original = precision_recall.counts_at_rare_positives

    def counts_at_rare_positives(sample, *arguments):
        searched.append(sample.n_pos)
        return original(sample, *arguments)

    monkeypatch.setattr(precision_recall, "counts_at_rare_positives", counts_at_rare_positives)
    for name in ("clusters40", "nested", "half_lattice", "sorted"):
        for prevalence, is_searched in ((0.5, False), (0.04, False), (0.03, True), (0.001, True)):
            sample = sample_of(*make(name, 50_000, prevalence, 1))
            found = sum_precision(sample, 1)
            assert searched == [sample.n_pos] * is_searched, name
            assert found in (None, _sort_scan.sum_precision(*sort_rows(sample)))
            searched.clear()
    monkeypatch.setattr(precision_recall, "_MOST_SEARCHED", 100)
    for n_pos, is_searched in ((100, True), (101, False)):
        labels = np.random.default_rng(1).permutation(np.arange(50_000) < n_pos)
        sum_precision(sample_of(labels, make("nested", 50_000, 0.5, 1)[1]), 1)
        assert searched == [n_pos] * is_searched
        searched.clear()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ties_in_single_precision_take_buckets(dtype):
    # The offset is the whole score: no tie is unresolved, and only few values are better sorted.
    rng = np.random.default_rng(16)
    labels = draw_labels(rng, 50_000, 0.5)
    for n_values, is_taken in ((2**16, True), (2**10, False)):
        scores = (rng.integers(0, n_values, 50_000) / n_values).astype(dtype)
        found = sum_precision(sample_of(labels, scores), 1)
        assert (found is not None) == is_taken
        assert found in (None, sums(labels, scores)[1])
