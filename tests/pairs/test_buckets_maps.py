"""Maps from scores to buckets tell ties where they say so, and spread the rows.

That they never fall shows in the pairs that every route counts.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fastauc._kernels import buckets as _buckets
from fastauc._pairs import bucket_map, by_buckets
from fastauc._pairs.bucket_map import BucketMap, choose_map, draw_sample
from support.laws import EXAMPLES, law

NO_INTERVALS = np.empty(0, np.uint64)


def read_map(scores, chosen):
    """Return the bucket and the offset that the kernels give each score."""
    places = []
    label, offsets = np.zeros(1, np.uint8), np.zeros(1, np.int32)
    for k in range(len(scores)):
        # Room for a bucket that should not be: it fails here instead of anywhere in memory.
        counts, starts = np.zeros((2, 2 * chosen.n_buckets + 100), np.uint32)
        _buckets.count_rows(label, scores[k : k + 1], chosen.line, chosen.intervals, counts)
        _buckets.place_rows(
            label, scores[k : k + 1], chosen.line, chosen.intervals, starts, offsets
        )
        assert np.array_equal(counts, starts)
        assert counts.sum() == 1
        places.append((int(counts.argmax()) // 2, int(offsets[0])))
    return places


# Maps that tell ties ------------------------------------------------------------------------------


def make_either(kind, drawn, low, high, n_buckets):
    if kind == "intervals":
        return bucket_map._map_of_intervals(drawn, low, high, n_buckets)
    n_buckets = bucket_map.power_of_two(n_buckets)
    line = np.array([low, (n_buckets - 1) * 2.0**32 / (high - low), n_buckets])
    return BucketMap(line, NO_INTERVALS, n_buckets)


def assert_tells_ties(scores, chosen):
    places = read_map(scores, chosen)
    for (score, place), (other, other_place) in itertools.pairwise(
        zip(scores, places, strict=True)
    ):
        assert (score == other) == (place == other_place)


@pytest.mark.parametrize("kind", ["line", "intervals"])
def test_what_is_said_to_tell_ties_tells_them(kind):
    # Neighbors as close as they may be, in as wide a range.
    told = []

    @settings(law, max_examples=EXAMPLES)
    @given(
        digits=st.integers(0, 15),
        low=st.floats(-1, 1),
        magnitude=st.floats(-12, 9),
        beside=st.floats(0, 3),
        n_buckets=st.sampled_from([64, 100, 2**12]),
    )
    def check(digits, low, magnitude, beside, n_buckets):
        unit = 10**digits
        low = round(low * 10**magnitude * unit)
        high = low + round(10 ** (magnitude + beside) * unit)
        if low == high or max(abs(low), abs(high)) >= 2**53:
            return
        whole = np.linspace(low, high, 6).round().astype(np.int64)[:, None] + np.arange(-4, 5)
        whole = np.unique(np.clip(whole, low, high))
        ends = whole[0].item(), whole[-1].item()
        chosen = make_either(kind, whole, *ends, n_buckets)
        told.append(by_buckets.offsets_are_exact(whole, *ends, chosen))
        if told[-1]:
            assert_tells_ties(whole, chosen)

    check()
    assert sum(told) > EXAMPLES // 10


# Maps that spread the rows ------------------------------------------------------------------------


SPREAD = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.standard_normal(n),
    "lognormal": lambda rng, n: np.exp(3 * rng.standard_normal(n)),
    "whole range": lambda rng, n: rng.choice([-1, 1], n) * np.exp(rng.uniform(-700, 700, n)),
    "outlier": lambda rng, n: np.append(rng.random(n - 1), 1e300),
    "single": lambda rng, n: rng.random(n, dtype=np.float32) ** 8,
}


@pytest.mark.parametrize("draw", SPREAD.values(), ids=SPREAD)
def test_maps_spread_the_rows(draw):
    # Correct is any map that never falls; this is what it is good for. 32 rows a bucket are meant.
    scores = draw(np.random.default_rng(8), 2**16)
    low, high = float(scores.min()), float(scores.max())
    chosen = choose_map(draw_sample(scores), low, high, 2**11)
    counts = np.zeros(2 * chosen.n_buckets, np.uint32)
    label = np.zeros(2**16, np.uint8)
    _buckets.count_rows(label, scores, chosen.line, chosen.intervals, counts)
    assert counts[1::2].sum() == 0
    others = (counts[::2].astype(float) ** 2).sum() / 2**16
    assert others <= 3 * 32
    offsets = np.empty(2**16 + 8, np.int32)
    ends = np.cumsum(counts, dtype=np.uint32)
    assert ends[-1] == 2**16
    _buckets.place_rows(label, scores, chosen.line, chosen.intervals, ends - counts, offsets)
    ends = [0, *ends[::2].tolist()]
    distinct = sum(len(np.unique(offsets[i:j])) for i, j in itertools.pairwise(ends))
    assert distinct >= len(np.unique(scores)) - 2**6  # 32 bits tell nearly all of them apart
