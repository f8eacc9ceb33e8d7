"""Maps from scores to buckets never fall, tell ties where they say so, and spread the rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fastauc._kernels import buckets as _buckets
from fastauc._pairs import bucket_map, buckets
from fastauc._pairs.bucket_map import BucketMap, choose_map, draw_sample, may_be_unresolved
from support.laws import EXAMPLES, law

LARGEST, SMALLEST = float(np.finfo(float).max), 5e-324
NO_INTERVALS = np.empty(0, np.uint64)


# Maps never fall ----------------------------------------------------------------------------------

finite = st.floats(allow_nan=False, allow_infinity=False)
SCORES = {
    "doubles": ("f8", finite),
    "near zero": ("f8", st.integers(-(2**40), 2**40).map(lambda k: k * SMALLEST)),
    "unit interval": ("f8", st.floats(0, 1)),
    "narrow": ("f8", st.integers(0, 2**30).map(lambda k: 1 + k * 2.0**-52)),
    "singles": ("f4", st.floats(allow_nan=False, allow_infinity=False, width=32)),
    "integers": ("i8", st.integers(-(2**63), 2**63 - 1)),
    "close integers": ("i8", st.integers(2**63 - 10_000, 2**63 - 1)),
}


def widen(scores):
    """Return the sorted scores with the neighbors of each within their range, and both zeros."""
    if scores.dtype.kind == "i":
        near = np.concatenate([scores, scores - (scores > scores.min())])
    else:
        ends = np.finfo(scores.dtype)
        near = np.concatenate(
            [scores, *(np.nextafter(scores, end) for end in (ends.min, ends.max))]
        )
        near = np.concatenate([near, np.array([-0.0, 0.0], scores.dtype)])
    return np.sort(near[(near >= scores.min()) & (near <= scores.max())])


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


def assert_never_falls(scores, chosen):
    places = read_map(scores, chosen)
    assert all(0 <= bucket < chosen.n_buckets for bucket, _ in places)
    assert places == sorted(places)
    for (score, place), (other, other_place) in itertools.pairwise(
        zip(scores, places, strict=True)
    ):
        if score == other:
            assert place == other_place
        elif scores.dtype == np.float32:
            assert place < other_place  # the offset is the whole score


@pytest.mark.parametrize(("dtype", "number"), SCORES.values(), ids=SCORES)
def test_maps_never_fall(dtype, number):
    @settings(law, max_examples=EXAMPLES // 4)
    @given(
        st.lists(number, min_size=2, max_size=20),
        st.lists(number, min_size=1, max_size=20),
        st.sampled_from([1, 100, 2**10, 2**13]),
    )
    def check(values, drawn, n_buckets):
        scores = widen(np.array(values, dtype))
        low, high = float(scores[0]), float(scores[-1])
        # Of the scores themselves, or of others that lie in their range.
        for sample in scores.astype(float), np.clip(np.sort(np.array(drawn, float)), low, high):
            for make in choose_map, bucket_map._map_of_intervals:
                assert_never_falls(scores, make(sample, low, high, max(64, n_buckets)))

    check()


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
        told.append(buckets.offsets_are_exact(whole, *ends, chosen))
        if told[-1]:
            assert_tells_ties(whole, chosen)

    check()
    assert sum(told) > EXAMPLES // 10


@pytest.mark.parametrize("kind", ["line", "intervals"])
def test_far_integers_do_not_have_to_be_told_apart(kind):
    for low, n_buckets in itertools.product([-(2**63), -(2**40), 0, 2**52], [64, 2**15]):
        for bits in range(1, 63):
            ends = low, low + 2**bits + 3
            scores = np.array([low, low + 1, low + 2**bits + 2, low + 2**bits + 3])
            chosen = make_either(kind, scores, *ends, n_buckets)
            if buckets.offsets_are_exact(scores, *ends, chosen):
                assert_tells_ties(scores, chosen)
            else:
                assert bits > (42 if kind == "intervals" else 35) or abs(low) > 2**40


def say(scores, n_buckets=2**15):
    low, high = scores.min().item(), scores.max().item()
    chosen = choose_map(draw_sample(scores), low, high, n_buckets)
    return buckets.offsets_are_exact(scores, low, high, chosen)


def test_which_scores_are_told():
    rng = np.random.default_rng(14)
    uniform, normal = rng.random(20_000), rng.standard_normal(20_000)
    assert say((2**40 * normal).astype(np.int64))
    assert say(np.append(uniform * 1000, 2**42).astype(np.int64))
    assert say(normal.astype(np.float32))
    assert not say((2**62 * uniform).astype(np.int64))
    # Of doubles nothing is said, not even where they are decimal fractions or whole numbers.
    for scores in uniform, np.exp(9 * normal), uniform * 1e300, np.round(uniform, 3), 5 * normal:
        assert not say(scores)
        assert not say(np.round(scores))


# Rows that offsets may not tell apart -------------------------------------------------------------

TOLD = {
    "uniform": (False, lambda rng, n: rng.random(n)),
    "lognormal": (False, lambda rng, n: np.exp(3 * rng.standard_normal(n))),
    "beside an outlier": (False, lambda rng, n: np.append(rng.random(n - 1), 1e300)),
    "one tie": (True, lambda rng, n: np.append(rng.random(n - 2), [0.5, 0.5])),
    "few values": (True, lambda rng, n: np.round(rng.random(n), 2)),
    "constant": (True, lambda rng, n: np.full(n, 0.25)),
    "clusters": (True, lambda rng, n: rng.integers(1, 40, n) + 1e-12 * rng.random(n)),
}


@pytest.mark.parametrize(("may_be", "draw"), TOLD.values(), ids=TOLD)
def test_scores_that_may_be_unresolved(may_be, draw):
    drawn = np.sort(draw(np.random.default_rng(9), 2048))
    chosen = choose_map(drawn, drawn[0].item(), drawn[-1].item(), 2**13)
    assert may_be_unresolved(drawn, drawn, chosen) == may_be


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.random(n // 10)[rng.integers(0, n // 10, n)],
        lambda rng, n: np.repeat(rng.random(n // 64), 64) + 1e-12 * rng.random(n // 64 * 64),
        lambda rng, n: rng.random(n // 300)[rng.integers(0, n // 300, n)] + 1e-9 * rng.random(n),
    ],
    ids=["each ten times", "alike neighbors", "many clusters"],
)
def test_ties_and_crowds_that_a_small_sample_does_not_show(draw):
    scores = draw(np.random.default_rng(4), 2**20)
    drawn = np.unique(draw_sample(scores)[:600])
    chosen = choose_map(drawn, scores.min().item(), scores.max().item(), 2**15)
    assert may_be_unresolved(scores, drawn, chosen)
    assert not may_be_unresolved(np.random.default_rng(5).random(2**20), drawn, chosen)


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
    ends = np.empty_like(counts)
    _buckets.start_rows(counts[None], ends)
    assert ends[-1] == 2**16
    _buckets.place_rows(label, scores, chosen.line, chosen.intervals, counts, offsets)
    assert np.array_equal(counts, ends)
    ends = [0, *ends[::2].tolist()]
    distinct = sum(len(np.unique(offsets[i:j])) for i, j in itertools.pairwise(ends))
    assert distinct >= len(np.unique(scores)) - 2**6  # 32 bits tell nearly all of them apart


def test_the_highest_score_has_the_last_bucket_to_itself():
    scores = np.append(np.linspace(0, 1, 1000, endpoint=False), 1.0)
    chosen = choose_map(scores, 0.0, 1.0, 128)
    places = read_map(scores, chosen)
    assert places[-1][0] == 127
    assert [bucket for bucket, _ in places].count(127) == 1
