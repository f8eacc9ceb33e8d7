"""Threads, and blocks of rows of any size, give the same integers as all rows at once."""

import itertools

import numpy as np
import pytest

from fastauc._kernels import buckets as _buckets
from fastauc._pairs import bucket_map, unweighted
from fastauc._validation import threads
from fastauc._validation.threads import SERIAL
from support.laws import first
from support.pairs import (
    assert_every_route,
    compare_pairs,
    count_by_bisection,
    draw_labels,
    make_sample,
    on_threads,
)

row_blocks = on_threads(threads.row_blocks)


@pytest.fixture
def blocks(monkeypatch):
    """Return what sets how many rows a block has, whatever the number of threads."""

    def cut(n_rows):
        monkeypatch.setattr(threads, "count_threads", lambda n_jobs: 2**31)
        monkeypatch.setattr(threads, "ROWS_PER_THREAD", n_rows)

    return cut


BLOCK_ROUTES = ["values", "rare", "buckets"]
SHAPES = {
    "no ties": lambda rng, n: rng.permutation(n).astype(float),
    "ties over the borders": lambda rng, n: np.arange(n) // 100 * 0.25,
    "heavy ties": lambda rng, n: rng.integers(0, 5, n).astype(np.float32),
    "zeros over the borders": lambda rng, n: (
        np.where(np.arange(n) % 2, 0.0, -0.0) + (rng.random(n) < 0.1)
    ),
    "integers": lambda rng, n: rng.integers(-(2**62), 2**62, n),
    "decimals": lambda rng, n: np.round(rng.standard_normal(n), 3),
    "tens of integers": lambda rng, n: 10 * rng.integers(-n, n, n),
    "close integers": lambda rng, n: 2**60 + rng.integers(0, n, n) * (rng.random(n) < 0.9),
}


@pytest.mark.check("threads and parts")
@pytest.mark.check("every route")
@pytest.mark.parametrize("n_jobs", first(1, [3, 1, 2, 4]))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_r09_blocks_of_any_size(blocks, shape, n_jobs):
    rng = np.random.default_rng(9)
    small, large = [1, 2, 63, 64, 65], [63, 65, 255, 256, 257, 512]
    sizes = [(64, small), (65, small), (129, small)]
    sizes += [(n_rows, large) for n_rows in (255, 256, 257, 511, 512, 513, 1023, 1024, 1025)]
    sizes += [(10_000, [4096, 10_000])]
    for n_rows, sizes_of_blocks in sizes:
        labels, scores = draw_labels(rng, n_rows, int(rng.integers(1, n_rows))), shape(rng, n_rows)
        expected = count_by_bisection(labels, scores)
        for size in sizes_of_blocks:
            blocks(size)
            bounds = row_blocks(n_rows, n_jobs)
            assert len(bounds) == max(1, n_rows // size)
            assert_every_route(labels, scores, expected, (n_jobs,), BLOCK_ROUTES)


def test_blocks_are_the_rows_in_order(monkeypatch):
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 10)
    for n_rows, n_jobs in itertools.product(range(1, 60), [1, 2, 3, 7]):
        rows = [range(n_rows)[block] for block in row_blocks(n_rows, n_jobs)]
        assert list(itertools.chain(*rows)) == list(range(n_rows))
        assert len(rows) == max(1, min(n_jobs, n_rows // 10))
        assert max(map(len, rows)) - min(map(len, rows)) <= 1


@pytest.mark.check("threads and parts")
def test_a_bucket_that_holds_one_value_in_each_block(blocks):
    # Neighbors share a bucket. No block sees two of them, so only their union tells.
    blocks(256)
    labels = np.tile([0, 1], 512)
    scores = np.concatenate([np.full(512, 1.0), np.full(511, 1 + 2.0**-52), [1e9]])
    assert_every_route(labels, scores, compare_pairs(labels, scores), (1, 2))
    scores = np.concatenate([np.full(512, -0.0), np.full(511, 0.0), [1]])
    assert_every_route(labels, scores, compare_pairs(labels, scores), (1, 2))


@pytest.mark.check("threads and parts")
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_tables_of_blocks_are_joined(blocks, dtype, monkeypatch):
    # The blocks meet different scores; 2 and 3 share a bucket of the first map, the zeros of both.
    blocks(8)
    scores = np.array([3, 3, 2, 3, 5, 3, 2, 5, -0.0, 0, -0.0, 3, -0.0, 0, 9, 9], dtype)
    labels = np.array([0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1])
    sample, values = make_sample(labels, scores), [0, 2, 3, 5, 9]
    counts = [[int(((scores == v) & (labels == k)).sum()) for k in (0, 1)] for v in values]
    wide = bucket_map.BucketMap(np.array([-2.0, 0.3 * 2.0**32, 8]), bucket_map._LINE, 8)
    for chosen in wide, bucket_map.choose_map(np.sort(scores), 0, 9, 64):
        monkeypatch.setattr(unweighted, "map_of_values", lambda *_, chosen=chosen: chosen)
        table = unweighted.tabulate_values(sample, np.sort(scores), SERIAL)
        assert table.values.dtype == dtype
        assert table.values.tolist() == values
        assert table.counts.tolist() == counts


def tabulate(labels, scores, n_buckets, n_others, limit, n_expected=2**40):
    """Return what a table of a line holds in {score: [negatives, positives]}, or None."""
    table = np.zeros(4 * (n_buckets + n_others), np.uint32)
    line = np.array([0.0, 2.0**32, n_buckets])
    if not _buckets.count_values(
        labels, scores, line, bucket_map._LINE, table, n_buckets, limit, n_expected
    ):
        return None
    entries = table.reshape(-1, 4)
    held = entries[entries[:, 2:].any(axis=1)]
    return dict(zip(held.view(np.float64)[:, 0].tolist(), held[:, 2:].tolist(), strict=True))


@pytest.mark.parametrize("n_scores", [1, 2, 3, 1024, 1025, 1026, 1500])
def test_scores_that_share_a_bucket(n_scores):
    # As many as half of the other entries and one; each is met three times, in no order.
    rng = np.random.default_rng(n_scores)
    scores = rng.permutation(np.repeat(1 + np.arange(n_scores) * 2.0**-12, 3))
    labels = draw_labels(rng, len(scores))
    n_strange = int((scores != scores[0]).sum())
    expected = {
        score: [int(((scores == score) & (labels == label)).sum()) for label in (0, 1)]
        for score in set(scores.tolist())
    }
    fits = n_scores <= 1025
    assert tabulate(labels, scores, 4, 2048, 9 * n_strange) == (expected if fits else None)
    assert n_scores == 1 or tabulate(labels, scores, 4, 2048, n_strange - 1) is None


def test_more_scores_than_expected():
    # It is told from the first quarter of the rows.
    labels = np.zeros(4096, np.uint8)
    scores = np.append(np.arange(1.0, 501.0), np.ones(3596))
    for is_late in False, True:
        assert len(tabulate(labels, scores, 512, 2048, 4096, 500)) == 500
        fitting = tabulate(labels, scores, 512, 2048, 4096, 499)
        assert (fitting is not None) == is_late
        scores = scores[::-1].copy()


@pytest.mark.check("threads and parts")
def test_repeated_calls_on_threads(blocks):
    blocks(500)
    rng = np.random.default_rng(10)
    labels, scores = draw_labels(rng, 5000), np.round(rng.standard_normal(5000), 2)
    expected = count_by_bisection(labels, scores)
    for _ in range(20):
        assert_every_route(labels, scores, expected, (4,), BLOCK_ROUTES)
