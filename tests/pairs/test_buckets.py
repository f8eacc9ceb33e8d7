"""Buckets that a map has spread badly, and processors that flush to 0."""

import itertools
import math

import numpy as np
import pytest

import fastauc
from fastauc._kernels import buckets as _buckets
from fastauc._pairs import buckets
from fastauc._pairs.bucket_map import BucketMap, choose_map, draw_sample
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

NO_INTERVALS = np.empty(0, np.uint64)


def count_by_buckets(sample, chosen, is_exact, n_jobs):
    with Workers(n_jobs) as workers:
        counted = buckets.start_by_buckets(sample, chosen, workers)
        return buckets._count_by_offsets(sample, counted, is_exact, workers)


def count_with(labels, scores, chosen, n_jobs=1):
    sample = make_sample(labels, scores)
    return count_by_buckets(sample, chosen, sample.score.dtype == np.float32, n_jobs)


# Offsets of one bucket ----------------------------------------------------------------------------


def compare_offsets(negatives, positives, exact):
    """Return what is counted in a single bucket of these offsets, or None if it is unresolved."""
    n_rows = len(negatives) + len(positives)
    offsets, scratch = np.empty((2, n_rows + 8), np.int32)
    offsets[:n_rows] = np.concatenate([negatives, positives])
    ends, unresolved = np.array([len(negatives), n_rows], np.uint32), np.zeros(1, np.uint8)
    counted = _buckets.compare_rows(offsets, ends, 0, 1, exact, scratch, unresolved)
    assert counted[2:] == (len(negatives), len(positives))
    return None if unresolved[0] else counted[:2]


LOWEST, GREATEST = -(2**31), 2**31 - 1
# A split by leading bits meets its worst where each part holds nearly all rows.
OFFSETS = {
    "any": lambda rng, n: rng.integers(LOWEST, GREATEST, n),
    "distinct": lambda rng, n: rng.choice(10 * n, n, replace=False) - 5 * n,
    "neighbors": lambda rng, n: rng.permutation(n) + 12345,
    "equal": lambda rng, n: np.full(n, -7),
    "two": lambda rng, n: rng.integers(0, 2, n),
    "both ends": lambda rng, n: np.where(rng.random(n) < 0.5, LOWEST, GREATEST - 1),
    "powers": lambda rng, n: LOWEST + (1 << rng.integers(0, 32, n)) - 1,
    "powers below": lambda rng, n: GREATEST - (1 << rng.integers(0, 32, n)),
    "one far below": lambda rng, n: np.where(np.arange(n) == n // 2, LOWEST, rng.integers(0, n, n)),
    "one far above": lambda rng, n: np.where(
        np.arange(n) == 0, GREATEST - 1, -rng.integers(0, n, n)
    ),
    "huge tie": lambda rng, n: np.where(rng.random(n) < 0.9, 5, rng.integers(0, 1000, n)),
    "geometric": lambda rng, n: LOWEST + (2.0 ** rng.uniform(0, 31.9, n)).astype(np.int64),
}


@pytest.mark.parametrize("draw", OFFSETS.values(), ids=OFFSETS)
def test_offsets_are_compared_however_they_lie(draw):
    rng = np.random.default_rng(1)
    sizes = [1, 2, 7, 8, 9, 63, 64, 65, 127, 300, 5000]
    for n_neg, n_pos in itertools.product(sizes, repeat=2):
        offsets = draw(rng, n_neg + n_pos)
        labels = np.repeat([0, 1], [n_neg, n_pos])
        expected = count_by_bisection(labels, offsets)
        got = compare_offsets(offsets[:n_neg], offsets[n_neg:], exact=True)
        assert got == expected
        got = compare_offsets(offsets[:n_neg], offsets[n_neg:], exact=False)
        assert got == (expected if expected[1] == 0 else None)


def test_any_offset_may_lie_behind_the_last_negative():
    # Lanes without a negative hold positives, or what comes after the rows.
    rng = np.random.default_rng(2)
    ends = [LOWEST, -1, 0, GREATEST]
    for n_neg, below, above in itertools.product([*range(1, 18), 100], ends, ends):
        negatives = np.append(rng.integers(LOWEST, 0, n_neg - 1), below)
        positives = np.array([above, GREATEST, LOWEST, above])
        expected = count_by_bisection(
            np.repeat([0, 1], [n_neg, 4]), np.concatenate([negatives, positives])
        )
        assert compare_offsets(negatives, positives, exact=True) == expected
        assert compare_offsets(negatives, positives, exact=False) == (
            expected if expected[1] == 0 else None
        )


def test_buckets_in_parts():
    # Ranges of buckets are compared apart; the pairs between them are added up by their rows.
    rng = np.random.default_rng(3)
    offsets = np.empty(2008, np.int32)
    offsets[:2000] = rng.integers(0, 10**9, 2000)
    ends = np.sort(np.append(rng.integers(0, 2001, 63), 2000)).astype(np.uint32)
    ends[20:26] = ends[26]  # empty buckets
    whole = _buckets.compare_rows(
        offsets.copy(), ends, 0, 32, True, np.empty(2008, "i4"), np.zeros(32, "u1")
    )
    for cut in range(33):
        low, high = (
            _buckets.compare_rows(
                offsets.copy(), ends, *part, True, np.empty(2008, "i4"), np.zeros(32, "u1")
            )
            for part in [(0, cut), (cut, 32)]
        )
        assert low[0] + high[0] + low[2] * high[3] == whole[0]
        assert [low[k] + high[k] for k in (1, 2, 3)] == list(whole[1:])


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
                    if buckets.offsets_are_exact(keys, low, high, chosen):
                        sample = make_sample(labels, scores)
                        assert count_by_buckets(sample, chosen, True, 3) == expected
        sample = make_sample(labels, scores)
        with np.errstate(all="raise"):  # whatever is wrong with a map is no fault of the scores
            for route in None, *ROUTES:
                assert count_pairs(sample, 2, route) == expected


@pytest.mark.parametrize("scale", [0.0, 1e-30, 2.0**-20, 1.0, 2.0**20])
def test_maps_by_hand(scale):
    # All rows in the first bucket, with one offset, a few, or many.
    rng = np.random.default_rng(5)
    scores = np.append(rng.random(5000) * 100, 4000.0)
    labels = draw_labels(rng, 5001)
    chosen = BucketMap(np.array([scores.min(), scale, 64]), NO_INTERVALS, 64)
    for sample in (labels, scores), (labels, np.round(scores)), (labels, scores.astype(np.float32)):
        assert count_with(*sample, chosen._replace(line=np.array([0.0, scale, 64]))) == (
            count_by_bisection(*sample)
        )
    assert count_with(labels, scores, chosen) == count_by_bisection(labels, scores)


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
    monkeypatch.setattr(buckets, "gather_rows", lambda *args: gathered.append(args))
    for route, n_jobs in itertools.product([None, "buckets"], [1, 2]):
        assert count_pairs(make_sample(labels, scores), n_jobs, route) == expected
        assert count_pairs(narrow, n_jobs, route) == expected
    assert not gathered
    mixed = scores.copy()
    mixed[99_999] += 1e-12  # none of the sampled rows
    assert count_pairs(make_sample(labels, mixed), None, "keys") == count_by_bisection(
        labels, mixed
    )
    monkeypatch.undo()
    assert count_pairs(make_sample(labels, mixed)) == count_by_bisection(labels, mixed)
