"""Threads, and blocks of rows of any size, give the same integers as all rows at once."""

import itertools

import numpy as np
import pytest

from fastauc._validation import threads
from support.laws import first
from support.pairs import assert_every_route, count_by_bisection, draw_labels, on_threads

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
def test_blocks_of_any_size(blocks, shape, n_jobs):
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
    assert_every_route(labels, scores, count_by_bisection(labels, scores), (1, 2))
    scores = np.concatenate([np.full(512, -0.0), np.full(511, 0.0), [1]])
    assert_every_route(labels, scores, count_by_bisection(labels, scores), (1, 2))
