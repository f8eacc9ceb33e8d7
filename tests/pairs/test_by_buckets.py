"""Buckets that a map has spread badly, and processors that flush to 0."""

import itertools
import math

import numpy as np
import pytest

import fastauc
from fastauc._kernels import buckets as _buckets
from fastauc._pairs import by_buckets
from fastauc._pairs.bucket_map import choose_map, draw_sample
from fastauc._pairs.unweighted import ROUTES
from fastauc._pairs.weighted import ROUTES as WEIGHTED_ROUTES
from fastauc._validation import threads
from fastauc._validation.arrays import order_keys
from fastauc._validation.threads import Workers
from support.distributions import MISLEADING
from support.flushing import SUBNORMAL, flush_to_zero, on_glibc
from support.laws import first
from support.pairs import count_by_bisection, count_pairs, draw_labels, make_sample
from support.weighted_pairs import exact_area, make_weighted_sample, weighted_area


def count_by_buckets(sample, chosen, is_exact, n_jobs):
    with Workers(n_jobs) as workers:
        counted = by_buckets.start_by_buckets(sample, chosen, workers)
        return by_buckets._count_by_offsets(sample, counted, is_exact, workers)


def count_with(labels, scores, chosen, n_jobs=1):
    sample = make_sample(labels, scores)
    return count_by_buckets(sample, chosen, sample.score.dtype == np.float32, n_jobs)


# Maps that spread badly ---------------------------------------------------------------------------


@pytest.mark.parametrize("draw", first(12, MISLEADING))
def test_misled_maps(draw, monkeypatch):
    draw = MISLEADING[draw]
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 1000)
    rng = np.random.default_rng(4)
    for n_rows, n_pos in [
        (2, 1),
        (500, 1),
        (500, 499),
        (3000, 1500),
        (20_000, 200),
        (20_000, 9000),
    ]:
        scores = draw(rng, n_rows)
        labels = draw_labels(rng, n_rows, n_pos)
        expected = count_by_bisection(labels, scores)
        keys = order_keys(scores, "y_score").keys
        low, high = keys.min().item(), keys.max().item()
        middle = low // 2 + high // 2
        spread = [low + (middle - low) // 2000 * k for k in range(2000)]
        for drawn in (
            draw_sample(keys),
            np.clip(np.array(spread, keys.dtype), low, high),
            np.array([low], keys.dtype),
            np.full(9, high, keys.dtype),
        ):
            for n_buckets in 1, 64, 2**12, 2**30:
                chosen = choose_map(drawn, low, high, n_buckets)
                assert chosen.n_buckets <= 2**20 + 2**12
                if n_buckets < 2**20 or n_rows == 3000:
                    assert count_with(labels, scores, chosen, 3) == expected
                    if by_buckets.offsets_are_exact(keys, low, high, chosen):
                        sample = make_sample(labels, scores)
                        assert count_by_buckets(sample, chosen, True, 3) == expected
        sample = make_sample(labels, scores)
        with np.errstate(all="raise"):  # whatever is wrong with a map is no fault of the scores
            for route in None, *ROUTES:
                assert count_pairs(sample, 2, route) == expected


# Processors that take subnormal numbers for 0 -----------------------------------------------------


@on_glibc
@pytest.mark.parametrize("bits", [0x8000, 0x40, 0x8040], ids=["results", "operands", "both"])
@pytest.mark.parametrize("draw", SUBNORMAL.values(), ids=SUBNORMAL)
def test_flushing_changes_no_pair(draw, bits, monkeypatch):
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 10_000)
    rng = np.random.default_rng(8)
    for n_rows, n_pos in [(200, 100), (1000, 500), (25_000, 12_500), (25_000, 100)]:
        labels, scores = draw_labels(rng, n_rows, n_pos), draw(rng, n_rows)
        expected = count_by_bisection(labels, scores)
        # Read before, or while numbers are flushed: the range need not be the same.
        for route, n_jobs, rows in routes_of(make_sample(labels, scores), ROUTES):
            counted, flushed = flush_to_zero(bits, count_pairs, rows, n_jobs, route)
            assert counted == expected, route
            assert flushed == (
                0 if bits & 0x8000 else 2.0**-1023,
                0 if bits & 0x40 else math.ldexp(1, -1014),
            )
        area = (2 * expected[0] - expected[1]) / (2 * n_pos * (n_rows - n_pos))
        assert flush_to_zero(bits, fastauc.roc_auc_score, labels, scores)[0] == area
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 1000)
    for n_rows, unit in itertools.product([200, 4000], [2.0**-500, 1.0, 2.0**900]):
        labels, scores = draw_labels(rng, n_rows), draw(rng, n_rows)
        weights = rng.integers(1, 2**53, n_rows) * unit
        exact = exact_area(labels, scores, weights)
        sample = make_weighted_sample(labels, scores, weights)
        for route, n_jobs, rows in routes_of(sample, WEIGHTED_ROUTES):
            assert flush_to_zero(bits, weighted_area, rows, n_jobs, route)[0] == exact, route


def routes_of(sample, routes):
    """Return all routes on one thread and on two, with the range of the scores and without."""
    several = sample, sample._replace(score_range=None)
    return itertools.product([None, *routes], [1, 2], several)


# Single precision that was widened ----------------------------------------------------------------


@pytest.mark.parametrize("widened", [True, False])
def test_widened_scores_are_narrowed(widened):
    rng = np.random.default_rng(12)
    scores = rng.standard_normal(3000).astype(np.float32).astype(np.float64)
    scores[:4] = 0.0, -0.0, 2.0**-149, 2.0**127
    if not widened:
        scores[2500] = np.nextafter(scores[2500], 9)
    single = np.empty(3000, np.float32)
    assert _buckets.narrow(scores, single) is widened
    if widened:
        assert (single.astype(np.float64).view(np.uint64) == scores.view(np.uint64)).all()
    for wide in 1e300, 2.0**-150, 0.1:
        assert not _buckets.narrow(np.append(scores, wide), np.empty(3001, np.float32))


@pytest.mark.parametrize("draw", ["uniform", "normal", "outlier"])
def test_widened_scores_are_compared_as_single_ones(draw, monkeypatch):
    # Some are tied, too many values for a table: only whole scores can tell.
    rng = np.random.default_rng(13)
    scores = rng.standard_normal(100_000) if draw == "normal" else rng.random(100_000)
    scores = scores.astype(np.float32).astype(np.float64)
    if draw == "outlier":
        scores[77] = 2.0**127
    labels = draw_labels(rng, 100_000)
    expected = count_by_bisection(labels, scores)
    narrow = make_sample(labels, scores.astype(np.float32))
    gathered = []
    monkeypatch.setattr(by_buckets, "gather_rows", lambda *args: gathered.append(args))
    for route, n_jobs in itertools.product([None, "buckets"], [1, 2]):
        assert count_pairs(make_sample(labels, scores), n_jobs, route) == expected
        assert count_pairs(narrow, n_jobs, route) == expected
    assert not gathered
    mixed = scores.copy()
    mixed[99_999] += 1e-12  # none of the sampled rows
    assert count_pairs(make_sample(labels, mixed), None, "sort") == count_by_bisection(
        labels, mixed
    )
    monkeypatch.undo()
    assert count_pairs(make_sample(labels, mixed)) == count_by_bisection(labels, mixed)
