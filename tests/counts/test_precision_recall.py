"""Average precision by buckets or by a search is that of the sorted rows, bit for bit.

The scan of sorted rows is compared with its definition elsewhere.
"""

import itertools

import numpy as np
import pytest

from fastauc._counts import precision_recall, sample_curves
from fastauc._pairs.sorted_rows import sort_rows
from fastauc._validation import threads
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from support.distributions import DISTRIBUTIONS, MISLEADING, SIGNED, make
from support.pairs import on_threads

sum_precision = on_threads(precision_recall.sum_precision)
average_precision = on_threads(sample_curves.average_precision)


def sample_of(labels, scores):
    return Rows("average_precision_score", labels, scores, None, 1).sample(SERIAL)


def sums(labels, scores, n_jobs=1):
    """Return the sums by buckets and by sorted rows; the latter is also that by a search."""
    sample = sample_of(labels, scores)
    by_buckets = sum_precision(sample, n_jobs, "buckets")
    assert by_buckets is not None
    by_sort = precision_recall.sum_in_order(sort_rows(sample))
    assert sum_precision(sample, n_jobs, "search") == by_sort
    return by_buckets, by_sort


def draw_labels(rng, n, share):
    labels = (rng.random(n) < share).astype(np.int64)
    labels[:2] = 0, 1
    return labels


SCORES = DISTRIBUTIONS | MISLEADING | SIGNED


@pytest.mark.parametrize("scores", SCORES)
def test_ties_and_kinds_of_scores(scores):
    rng = np.random.default_rng([11, list(SCORES).index(scores)])
    for share, n in itertools.product([0.5, 0.003, 0.999, 1.0], [2, 3, 64, 65, 1000, 4097]):
        labels, values = draw_labels(rng, n, share), SCORES[scores](rng, n)
        values[:2] = values.min() - 1 if values.min() > -(2**62) else values.min(), values.max()
        if values.min() < values.max():
            by_buckets, by_sort = sums(labels, values)
            assert by_buckets == by_sort


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


# Routes -------------------------------------------------------------------------------------------


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
            assert found in (None, precision_recall.sum_in_order(sort_rows(sample)))
            searched.clear()
    n = 2_100_000  # of which 65,536 are fewer than one in 32
    scores = make("nested", n, 0.5, 1)[1]
    for n_pos, is_searched in ((65_536, True), (65_537, False)):
        labels = np.random.default_rng(1).permutation(np.arange(n) < n_pos)
        sum_precision(sample_of(labels, scores), 1)
        assert searched == [n_pos] * is_searched
        searched.clear()
