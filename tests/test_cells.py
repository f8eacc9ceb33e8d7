"""Cells that a map has spread badly, maps that must never fall, and processors that flush to 0."""

import itertools
import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastauc
from bisection import count_by_bisection, draw_labels, make_sample
from fastauc import _cells, cells, pairs
from fastauc._conversion import order_keys
from fastauc._parallel import Workers
from fastauc.cells import CellMap, choose_map, draw_sample
from fastauc.pairs import ROUTES
from flushing import SUBNORMAL, flush_to_zero, on_glibc
from threads import on_threads

EXAMPLES = int(os.environ.get("FASTAUC_TEST_EXAMPLES", "200"))
law = settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 200, database=None)
LARGEST, SMALLEST = float(np.finfo(float).max), 5e-324
NO_PIECES = np.empty(0, np.uint64)

count_pairs = on_threads(pairs.count_pairs)


def count_by_cells(sample, chosen, is_exact, n_jobs):
    with Workers(n_jobs) as workers:
        return cells.count_by_cells(sample, chosen, is_exact, workers)


def tells_ties(scores, low, high, chosen, n_jobs):
    with Workers(n_jobs) as workers:
        return cells.tells_ties(scores, low, high, chosen, workers)


def count_with(labels, scores, chosen, n_jobs=None):
    sample = make_sample(labels, scores)
    return count_by_cells(sample, chosen, sample.score.dtype == np.float32, n_jobs)


# Digests of one cell ----------------------------------------------------------------------------


def compare_digests(negatives, positives, exact):
    """Return what is counted in a single cell of these digests, or None if it is unresolved."""
    n_rows = len(negatives) + len(positives)
    digests, scratch = np.empty((2, n_rows + 8), np.int32)
    digests[:n_rows] = np.concatenate([negatives, positives])
    ends, unresolved = np.array([len(negatives), n_rows], np.uint32), np.zeros(1, np.uint8)
    counted = _cells.compare_rows(digests, ends, 0, 1, exact, scratch, unresolved)
    assert counted[2:] == (len(negatives), len(positives))
    return None if unresolved[0] else counted[:2]


LOWEST, GREATEST = -(2**31), 2**31 - 1
# A split by leading bits meets its worst where each part holds nearly all rows.
DIGESTS = {
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


@pytest.mark.parametrize("draw", DIGESTS.values(), ids=DIGESTS)
def test_digests_are_compared_however_they_lie(draw):
    rng = np.random.default_rng(1)
    sizes = [1, 2, 7, 8, 9, 63, 64, 65, 127, 300, 5000]
    for n_neg, n_pos in itertools.product(sizes, repeat=2):
        digests = draw(rng, n_neg + n_pos)
        labels = np.repeat([0, 1], [n_neg, n_pos])
        expected = count_by_bisection(labels, digests)
        got = compare_digests(digests[:n_neg], digests[n_neg:], exact=True)
        assert got == expected
        got = compare_digests(digests[:n_neg], digests[n_neg:], exact=False)
        assert got == (expected if expected[1] == 0 else None)


@pytest.mark.parametrize("n_neg", [*range(1, 18), 100])
def test_any_digest_may_lie_behind_the_last_negative(n_neg):
    # Lanes without a negative hold positives, or what comes after the rows.
    rng = np.random.default_rng(2)
    for below, above in itertools.product([LOWEST, -1, 0, GREATEST], repeat=2):
        negatives = np.append(rng.integers(LOWEST, 0, n_neg - 1), below)
        positives = np.array([above, GREATEST, LOWEST, above])
        expected = count_by_bisection(
            np.repeat([0, 1], [n_neg, 4]), np.concatenate([negatives, positives])
        )
        assert compare_digests(negatives, positives, exact=True) == expected
        assert compare_digests(negatives, positives, exact=False) == (
            expected if expected[1] == 0 else None
        )


def test_cells_in_parts():
    # Ranges of cells are compared apart; the pairs between them are added up by their rows.
    rng = np.random.default_rng(3)
    digests = np.empty(2008, np.int32)
    digests[:2000] = rng.integers(0, 10**9, 2000)
    ends = np.sort(np.append(rng.integers(0, 2001, 63), 2000)).astype(np.uint32)
    ends[20:26] = ends[26]  # empty cells
    whole = _cells.compare_rows(
        digests.copy(), ends, 0, 32, True, np.empty(2008, "i4"), np.zeros(32, "u1")
    )
    for cut in range(33):
        low, high = (
            _cells.compare_rows(
                digests.copy(), ends, *part, True, np.empty(2008, "i4"), np.zeros(32, "u1")
            )
            for part in [(0, cut), (cut, 32)]
        )
        assert low[0] + high[0] + low[2] * high[3] == whole[0]
        assert [low[k] + high[k] for k in (1, 2, 3)] == list(whole[1:])


# Maps that spread badly ---------------------------------------------------------------------------

# Scores, and a sample of them that says nothing about where they are.
MISLEADING = {
    "one cell": lambda rng, n: np.append(rng.random(n - 1), 1e4),
    "one digest": lambda rng, n: np.append(rng.random(n - 1), 1e300),
    "tiny beside large": lambda rng, n: np.append(1e-300 * rng.random(n - 1), 1e10),
    "neighbors": lambda rng, n: np.append(1 + rng.permutation(n - 1) * 2.0**-52, 1e6),
    "tied neighbors": lambda rng, n: np.append(1 + rng.integers(0, 9, n - 1) * 2.0**-52, 1e6),
    "huge tie": lambda rng, n: np.append(np.maximum(0.5, rng.random(n - 1)), 1e5),
    "huge ties": lambda rng, n: np.where(rng.random(n) < 0.8, np.arange(n) % 3, 3 * rng.random(n)),
    "geometric": lambda rng, n: np.ldexp(1.0, -rng.integers(0, 1000, n)),
    "powers": lambda rng, n: np.ldexp(1 + rng.random(n), -rng.integers(0, 30, n)),
    "sawtooth": lambda rng, n: np.arange(n) % 71 + np.arange(n) / (2 * n),
    "both ends": lambda rng, n: (
        rng.choice([-LARGEST, LARGEST], n) * (1 - 2.0**-53 * rng.integers(0, 50, n))
    ),
    "whole range": lambda rng, n: rng.uniform(-1, 1, n) * 10.0 ** rng.uniform(-320, 308, n),
    "subnormal": lambda rng, n: rng.integers(-(2**20), 2**20, n) * SMALLEST,
    "close subnormal": lambda rng, n: rng.integers(0, 70, n) * SMALLEST,
    "constant": lambda rng, n: np.full(n, 0.1),
    "zeros": lambda rng, n: rng.choice([-0.0, 0.0], n),
    "two values": lambda rng, n: rng.choice([-1e300, 1e-300], n),
    "singles": lambda rng, n: np.append(rng.random(n - 1), 1e30).astype(np.float32),
    "tied singles": lambda rng, n: np.append(rng.integers(0, 9, n - 1), 1e30).astype(np.float32),
    "integers": lambda rng, n: np.append(rng.integers(0, 2 * n, n - 1), 2**62),
    "integers of one double": lambda rng, n: 2**62 + rng.integers(-100, 100, n),
    "decimals": lambda rng, n: np.append(np.round(rng.random(n - 1), 4), 1e5),
    "decimals and zeros": lambda rng, n: np.round(1e-4 * rng.standard_normal(n), 5),
    "skewed decimals": lambda rng, n: np.round(np.exp(9 * rng.standard_normal(n)), 3),
    "ends of integers": lambda rng, n: (
        rng.choice([-(2**63), 2**63 - 10], n) + rng.integers(0, 9, n)
    ),
}


@pytest.mark.parametrize("draw", MISLEADING.values(), ids=MISLEADING)
def test_misled_maps(draw, monkeypatch):
    monkeypatch.setattr(cells, "ROWS_PER_THREAD", 1000)
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
            for n_cells in 1, 64, 2**12, 2**30:
                chosen = choose_map(drawn, low, high, n_cells)
                assert chosen.n_cells <= 2**20 + 2**12
                if n_cells < 2**20 or n_rows == 3000:
                    assert count_with(labels, scores, chosen, 3) == expected
                    if tells_ties(keys, low, high, chosen, 3):
                        sample = make_sample(labels, scores)
                        assert count_by_cells(sample, chosen, True, 3) == expected
        sample = make_sample(labels, scores)
        with np.errstate(all="raise"):  # whatever is wrong with a map is no fault of the scores
            for route in None, *ROUTES:
                assert count_pairs(sample, 2, route) == expected


@pytest.mark.parametrize("scale", [0.0, 1e-30, 2.0**-20, 1.0, 2.0**20])
def test_maps_by_hand(scale):
    # All rows in the first cell, with one digest, a few, or many.
    rng = np.random.default_rng(5)
    scores = np.append(rng.random(5000) * 100, 4000.0)
    labels = draw_labels(rng, 5001)
    chosen = CellMap(np.array([scores.min(), scale]), NO_PIECES, 64)
    for sample in (labels, scores), (labels, np.round(scores)), (labels, scores.astype(np.float32)):
        assert count_with(*sample, chosen._replace(line=np.array([0.0, scale]))) == (
            count_by_bisection(*sample)
        )
    assert count_with(labels, scores, chosen) == count_by_bisection(labels, scores)


def test_a_table_of_more_cells_than_a_position_can_tell():
    # Without a tie in the sample, the number of values is a guess far beyond 2^20.
    rng = np.random.default_rng(6)
    for n_rows in 13_000, 40_000:
        labels, scores = draw_labels(rng, n_rows), rng.random(n_rows)
        expected = count_by_bisection(labels, scores)
        assert count_pairs(make_sample(labels, scores), None, "values") == expected


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
    """Return the cell and the digest that the kernels give each score."""
    places = []
    label, digests = np.zeros(1, np.uint8), np.zeros(1, np.int32)
    for k in range(len(scores)):
        # Room for a cell that should not be: it fails here instead of anywhere in memory.
        counts, starts = np.zeros((2, 2 * chosen.n_cells + 100), np.uint32)
        _cells.count_rows(label, scores[k : k + 1], chosen.line, chosen.pieces, counts)
        _cells.place_rows(label, scores[k : k + 1], chosen.line, chosen.pieces, starts, digests)
        assert np.array_equal(counts, starts)
        assert counts.sum() == 1
        places.append((int(counts.argmax()) // 2, int(digests[0])))
    return places


def assert_never_falls(scores, chosen):
    places = read_map(scores, chosen)
    assert all(0 <= cell < chosen.n_cells for cell, _ in places)
    assert places == sorted(places)
    for (score, place), (other, other_place) in itertools.pairwise(
        zip(scores, places, strict=True)
    ):
        if score == other:
            assert place == other_place
        elif scores.dtype == np.float32:
            assert place < other_place  # the digest is the whole score


@pytest.mark.parametrize(("dtype", "number"), SCORES.values(), ids=SCORES)
def test_maps_never_fall(dtype, number):
    @settings(law, max_examples=EXAMPLES // 4)
    @given(
        st.lists(number, min_size=2, max_size=20),
        st.lists(number, min_size=1, max_size=20),
        st.sampled_from([1, 100, 2**10, 2**13]),
    )
    def check(values, drawn, n_cells):
        scores = widen(np.array(values, dtype))
        low, high = float(scores[0]), float(scores[-1])
        # Of the scores themselves, or of others that lie in their range.
        for sample in scores.astype(float), np.clip(np.sort(np.array(drawn, float)), low, high):
            for make in choose_map, cells._map_of_pieces:
                assert_never_falls(scores, make(sample, low, high, max(64, n_cells)))

    check()


@pytest.mark.parametrize("n_cells", [64, 2**20])
def test_both_kinds_of_maps_never_fall(n_cells):
    rng = np.random.default_rng(7)
    linear = np.sort(rng.random(150))
    skewed = np.sort(np.exp(rng.normal(0, 30, 150)))
    wide = np.array([-LARGEST, -1.0, -SMALLEST, -0.0, 0.0, SMALLEST, 1.0, LARGEST])
    for scores, n_pieces in (linear, 0), (skewed, None), (wide, None):
        chosen = choose_map(scores, float(scores[0]), float(scores[-1]), n_cells)
        assert (len(chosen.pieces) == 0) == (n_pieces == 0)
        assert_never_falls(scores, chosen)


# Maps that tell ties ------------------------------------------------------------------------------


def make_either(kind, drawn, low, high, n_cells):
    if kind == "pieces":
        return cells._map_of_pieces(drawn, low, high, n_cells)
    return CellMap(np.array([low, (n_cells - 1) * 2.0**32 / (high - low)]), NO_PIECES, n_cells)


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
        n_cells=st.sampled_from([64, 100, 2**12]),
    )
    def check(digits, low, magnitude, beside, n_cells):
        unit = 10**digits
        low = round(low * 10**magnitude * unit)
        high = low + round(10 ** (magnitude + beside) * unit)
        if low == high or max(abs(low), abs(high)) >= 2**53:
            return
        whole = np.linspace(low, high, 6).round().astype(np.int64)[:, None] + np.arange(-4, 5)
        whole = np.unique(np.clip(whole, low, high))
        for scores in whole / unit, whole:
            ends = scores[0].item(), scores[-1].item()
            chosen = make_either(kind, scores, *ends, n_cells)
            if tells_ties(scores, *ends, chosen, None):
                told.append(scores.dtype.kind)
                assert_tells_ties(scores, chosen)

    check()
    assert told.count("f") > EXAMPLES // 10
    assert told.count("i") > EXAMPLES // 10


@pytest.mark.parametrize("kind", ["line", "pieces"])
def test_far_integers_do_not_have_to_be_told_apart(kind):
    for low, n_cells in itertools.product([-(2**63), -(2**40), 0, 2**52], [64, 2**15]):
        for bits in range(1, 63):
            ends = low, low + 2**bits + 3
            scores = np.array([low, low + 1, low + 2**bits + 2, low + 2**bits + 3])
            chosen = make_either(kind, scores, *ends, n_cells)
            if tells_ties(scores, *ends, chosen, None):
                assert_tells_ties(scores, chosen)
            else:
                assert bits > (42 if kind == "pieces" else 35) or abs(low) > 2**40


def say(scores, n_cells=2**15):
    low, high = scores.min().item(), scores.max().item()
    return tells_ties(scores, low, high, choose_map(draw_sample(scores), low, high, n_cells), 2)


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
        assert _cells.is_decimal(fractions, per_unit)
        assert not _cells.is_decimal(np.append(fractions, 0.5 / per_unit), per_unit)
        for end in -np.inf, np.inf:
            near = np.nextafter(fractions, end)
            few = np.abs(fractions) * per_unit < 2**40  # beyond, whole numbers are too close
            assert not any(_cells.is_decimal(near[k : k + 1], per_unit) for k in few.nonzero()[0])


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
    # Correct is any map that never falls; this is what it is good for. 32 rows a cell are meant.
    scores = draw(np.random.default_rng(8), 2**16)
    low, high = float(scores.min()), float(scores.max())
    chosen = choose_map(draw_sample(scores), low, high, 2**11)
    counts = np.zeros(2 * chosen.n_cells, np.uint32)
    label = np.zeros(2**16, np.uint8)
    _cells.count_rows(label, scores, chosen.line, chosen.pieces, counts)
    assert counts[1::2].sum() == 0
    others = (counts[::2].astype(float) ** 2).sum() / 2**16
    assert others <= 3 * 32
    digests = np.empty(2**16 + 8, np.int32)
    _cells.start_rows(counts[None])
    _cells.place_rows(label, scores, chosen.line, chosen.pieces, counts, digests)
    ends = [0, *counts[::2].tolist()]
    distinct = sum(len(np.unique(digests[i:j])) for i, j in itertools.pairwise(ends))
    assert distinct >= len(np.unique(scores)) - 2**6  # 32 bits tell nearly all of them apart


def test_the_highest_score_has_the_last_cell_to_itself():
    scores = np.append(np.linspace(0, 1, 1000, endpoint=False), 1.0)
    chosen = choose_map(scores, 0.0, 1.0, 128)
    places = read_map(scores, chosen)
    assert places[-1][0] == 127
    assert [cell for cell, _ in places].count(127) == 1


# Processors that take subnormal numbers for 0 -----------------------------------------------------


@on_glibc
@pytest.mark.parametrize("bits", [0x8000, 0x40, 0x8040], ids=["results", "operands", "both"])
@pytest.mark.parametrize("draw", SUBNORMAL.values(), ids=SUBNORMAL)
def test_flushing_changes_no_pair(draw, bits, monkeypatch):
    monkeypatch.setattr(cells, "ROWS_PER_THREAD", 10_000)
    rng = np.random.default_rng(8)
    for n_rows, n_pos in [(200, 100), (1000, 500), (25_000, 12_500), (25_000, 100)]:
        labels, scores = draw_labels(rng, n_rows, n_pos), draw(rng, n_rows)
        expected = count_by_bisection(labels, scores)
        sample = make_sample(labels, scores)
        # Read before, or while numbers are flushed: the range need not be the same.
        several = sample, sample._replace(score_range=None)
        for route, n_jobs, rows in itertools.product([None, *ROUTES], [1, 2], several):
            counted, flushed = flush_to_zero(bits, count_pairs, rows, n_jobs, route)
            assert counted == expected, route
            assert flushed == (
                0 if bits & 0x8000 else 2.0**-1023,
                0 if bits & 0x40 else math.ldexp(1, -1014),
            )
        area = (2 * expected[0] - expected[1]) / (2 * sample.n_pos * sample.n_neg)
        assert flush_to_zero(bits, fastauc.roc_auc_score, labels, scores)[0] == area


def test_a_constant_of_any_number_is_all_ties():
    labels = draw_labels(np.random.default_rng(9), 30_000)
    for value in 0.0, -0.0, SMALLEST, 0.5, -LARGEST, 0, 2**62:
        sample = make_sample(labels, np.full(30_000, value))
        for route in None, *ROUTES:
            assert count_pairs(sample, None, route) == (15_000**2, 15_000**2)


# Single precision that was widened ----------------------------------------------------------------


@pytest.mark.parametrize("widened", [True, False])
def test_widened_scores_are_narrowed(widened):
    rng = np.random.default_rng(12)
    scores = rng.standard_normal(3000).astype(np.float32).astype(np.float64)
    scores[:4] = 0.0, -0.0, 2.0**-149, 2.0**127
    if not widened:
        scores[2500] = np.nextafter(scores[2500], 9)
    single = np.empty(3000, np.float32)
    assert _cells.narrow(scores, single) is widened
    if widened:
        assert (single.astype(np.float64).view(np.uint64) == scores.view(np.uint64)).all()
    for wide in 1e300, 2.0**-150, 0.1:
        assert not _cells.narrow(np.append(scores, wide), np.empty(3001, np.float32))


@pytest.mark.parametrize("draw", ["uniform", "normal", "outlier"])
def test_widened_scores_need_no_sort(draw, monkeypatch):
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
    monkeypatch.setattr(cells, "gather_rows", lambda *args: gathered.append(args))
    for route, n_jobs in itertools.product([None, "cells"], [1, 2]):
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
