"""Maps from scores to buckets never fall, tell ties where they say so, and spread the rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fastauc._kernels import buckets as _buckets
from fastauc._pairs import buckets
from fastauc._pairs.buckets import BucketMap, choose_map, draw_sample
from fastauc._validation.threads import Workers
from support.laws import EXAMPLES, law

LARGEST, SMALLEST = float(np.finfo(float).max), 5e-324
NO_PIECES = np.empty(0, np.uint64)


def tells_ties(scores, low, high, chosen, n_jobs):
    with Workers(n_jobs) as workers:
        return buckets.offsets_are_exact(scores, low, high, chosen, workers)


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
        near = np.concatenate([scores, np.maximum(scores, scores.min() + 1) - 1])
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
        _buckets.count_rows(label, scores[k : k + 1], chosen.line, chosen.pieces, counts)
        _buckets.place_rows(label, scores[k : k + 1], chosen.line, chosen.pieces, starts, offsets)
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
            for make in choose_map, buckets._map_of_pieces:
                assert_never_falls(scores, make(sample, low, high, max(64, n_buckets)))

    check()


@pytest.mark.parametrize("n_buckets", [64, 2**20])
def test_both_kinds_of_maps_never_fall(n_buckets):
    rng = np.random.default_rng(7)
    linear = np.sort(rng.random(150))
    skewed = np.sort(np.exp(rng.normal(0, 30, 150)))
    wide = np.array([-LARGEST, -1.0, -SMALLEST, -0.0, 0.0, SMALLEST, 1.0, LARGEST])
    for scores, n_pieces in (linear, 0), (skewed, None), (wide, None):
        chosen = choose_map(scores, float(scores[0]), float(scores[-1]), n_buckets)
        assert (len(chosen.pieces) == 0) == (n_pieces == 0)
        assert_never_falls(scores, chosen)


# Maps that tell ties ------------------------------------------------------------------------------


def make_either(kind, drawn, low, high, n_buckets):
    if kind == "pieces":
        return buckets._map_of_pieces(drawn, low, high, n_buckets)
    return BucketMap(
        np.array([low, (n_buckets - 1) * 2.0**32 / (high - low)]), NO_PIECES, n_buckets
    )


def assert_tells_ties(scores, chosen):
    places = read_map(scores, chosen)
    for (score, place), (other, other_place) in itertools.pairwise(
        zip(scores, places, strict=True)
    ):
        assert (score == other) == (place == other_place)


@pytest.mark.parametrize("kind", ["line", "pieces"])
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
        for scores in whole / unit, whole:
            ends = scores[0].item(), scores[-1].item()
            chosen = make_either(kind, scores, *ends, n_buckets)
            if tells_ties(scores, *ends, chosen, None):
                told.append(scores.dtype.kind)
                assert_tells_ties(scores, chosen)

    check()
    assert told.count("f") > EXAMPLES // 10
    assert told.count("i") > EXAMPLES // 10


@pytest.mark.parametrize("kind", ["line", "pieces"])
def test_far_integers_do_not_have_to_be_told_apart(kind):
    for low, n_buckets in itertools.product([-(2**63), -(2**40), 0, 2**52], [64, 2**15]):
        for bits in range(1, 63):
            ends = low, low + 2**bits + 3
            scores = np.array([low, low + 1, low + 2**bits + 2, low + 2**bits + 3])
            chosen = make_either(kind, scores, *ends, n_buckets)
            if tells_ties(scores, *ends, chosen, None):
                assert_tells_ties(scores, chosen)
            else:
                assert bits > (42 if kind == "pieces" else 35) or abs(low) > 2**40


def say(scores, n_buckets=2**15):
    low, high = scores.min().item(), scores.max().item()
    return tells_ties(scores, low, high, choose_map(draw_sample(scores), low, high, n_buckets), 2)


def test_which_scores_are_told():
    rng = np.random.default_rng(14)
    uniform, normal = rng.random(20_000), rng.standard_normal(20_000)
    for digits in range(12):
        for scores in uniform, normal, 1000 * normal, np.exp(normal):
            assert say(np.round(scores, digits)) or digits > 9
    assert say(np.round(np.exp(3 * normal - 4), 6))  # pieces
    assert say((2**40 * normal).astype(np.int64))
    assert say(np.append(uniform * 1000, 2**42).astype(np.int64))
    assert say(normal.astype(np.float32))
    for scores in uniform, np.exp(9 * normal), np.round(uniform * 3000) / 3, uniform * 1e300:
        assert not say(scores)
    # One that is not like the others, wherever it is; nor is a number too small to be normal.
    scores = np.round(uniform, 6)
    for place in 0, 63, 64, 9999, 10_000, 19_999:
        for other in np.nextafter(scores[place], 2), SMALLEST, 1e-300, 1 / 3:
            assert not say(np.where(np.arange(20_000) == place, other, scores))
        assert say(np.where(np.arange(20_000) == place, -0.0, scores))


def test_decimal_fractions():
    for per_unit in 1.0, 1e3, 1e9, 1e13:
        numbers = np.unique(np.geomspace(1, 2**50, 3000).round())
        fractions = np.concatenate([-numbers, [-0.0, 0.0], numbers]) / per_unit
        assert _buckets.is_decimal(fractions, per_unit)
        assert not _buckets.is_decimal(np.append(fractions, 0.5 / per_unit), per_unit)
        for end in -np.inf, np.inf:
            near = np.nextafter(fractions, end)
            few = np.abs(fractions) * per_unit < 2**40  # beyond, whole numbers are too close
            assert not any(_buckets.is_decimal(near[k : k + 1], per_unit) for k in few.nonzero()[0])


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
    _buckets.count_rows(label, scores, chosen.line, chosen.pieces, counts)
    assert counts[1::2].sum() == 0
    others = (counts[::2].astype(float) ** 2).sum() / 2**16
    assert others <= 3 * 32
    offsets = np.empty(2**16 + 8, np.int32)
    _buckets.start_rows(counts[None])
    _buckets.place_rows(label, scores, chosen.line, chosen.pieces, counts, offsets)
    ends = [0, *counts[::2].tolist()]
    distinct = sum(len(np.unique(offsets[i:j])) for i, j in itertools.pairwise(ends))
    assert distinct >= len(np.unique(scores)) - 2**6  # 32 bits tell nearly all of them apart


def test_the_highest_score_has_the_last_bucket_to_itself():
    scores = np.append(np.linspace(0, 1, 1000, endpoint=False), 1.0)
    chosen = choose_map(scores, 0.0, 1.0, 128)
    places = read_map(scores, chosen)
    assert places[-1][0] == 127
    assert [bucket for bucket, _ in places].count(127) == 1
