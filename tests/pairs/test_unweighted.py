"""Every route to the pairs gives the same integers: on any numbers, rows, threads and blocks.

That all routes agree on scores of all kinds is in ``test_distributions.py``.
"""

import itertools
import math
import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc._kernels import buckets as _buckets
from fastauc._pairs import bucket_map, by_buckets, unweighted
from fastauc._pairs.bucket_map import draw_sample
from fastauc._pairs.unweighted import ROUTES
from fastauc._validation import rows
from fastauc._validation.threads import SERIAL
from support.distributions import DISTRIBUTIONS, MISLEADING, SIGNED, make
from support.laws import EXAMPLES, law
from support.pairs import (
    assert_every_route,
    count_by_bisection,
    count_pairs,
    draw_labels,
    make_sample,
    watch,
)


@pytest.fixture
def taken(monkeypatch):
    """Return what tells which route the call of a function has taken."""
    functions = [(rows.Rows, "in_one_step", "few")]
    for name, route in {
        "count_few": "few",
        "count_sorted": "sort",
        "_count_values": "values",
        "_count_rare": "rare",
        "_count_beside": "frequent",
        "_count_by_offsets": "buckets",
    }.items():
        functions += [(at, name, route) for at in (unweighted, by_buckets) if hasattr(at, name)]
    steps_of = watch(monkeypatch, functions)

    def route_of(function, *args, **options):
        answer, steps = steps_of(function, *args, **options)
        taken = [step for step in steps if not step.startswith("no ")]
        # A route may leave a few rows to another one, but it ends last.
        return answer, taken[-1] if taken else "constant"

    return route_of


# The oracle -------------------------------------------------------------------------------------


def test_the_oracle_agrees_with_the_definition():
    rng = np.random.default_rng(1)
    for dtype, n_values in itertools.product(["f4", "f8", "i8"], [1, 2, 10, 1000]):
        labels = draw_labels(rng, 40, int(rng.integers(1, 40)))
        scores = rng.integers(-n_values, n_values, 40).astype(dtype)
        concordant, tied, _, _ = naive.concordance(labels, scores)
        assert count_by_bisection(labels, scores) == (concordant + tied, tied)


# Small samples of any numbers -------------------------------------------------------------------

LARGEST, SMALLEST = float(np.finfo(float).max), 5e-324
finite = partial(st.floats, allow_nan=False, allow_infinity=False)
NUMBERS = {
    "halves": ("f8", st.integers(-3, 3).map(lambda k: k / 2)),
    "doubles": ("f8", finite()),
    "positive": ("f8", finite(0.0)),
    "zeros": ("f8", st.sampled_from([-0.0, 0.0, -SMALLEST, SMALLEST, 1.0])),
    "subnormal": ("f8", st.integers(-(2**52), 2**52).map(lambda k: k * SMALLEST)),
    "ends": ("f8", st.sampled_from([LARGEST, math.nextafter(LARGEST, 0), 0.0]).map(float)),
    "both ends": (
        "f8",
        st.sampled_from([LARGEST, -LARGEST, math.nextafter(-LARGEST, 0), 0.0, 1.0]),
    ),
    "outlier": ("f8", st.one_of(st.just(1e300), finite(0, 1))),
    "neighbors": ("f8", st.integers(0, 40).map(lambda k: 1 + k * 2.0**-52)),
    "far neighbors": ("f8", st.integers(0, 40).map(lambda k: 1e9 * (k % 3) + k * 2.0**-30)),
    "powers": ("f8", st.integers(-1074, 1023).map(lambda k: math.ldexp(1, k))),
    "singles": ("f4", finite(width=32)),
    "single zeros": ("f4", st.sampled_from([-0.0, 0.0, -(2.0**-149), 2.0**-149, 1.0])),
    "single neighbors": ("f4", st.integers(0, 40).map(lambda k: 1 + k * 2.0**-23)),
    "half precision": ("f2", finite(width=16)),
    "integers": ("i8", st.integers(-(2**63), 2**63 - 1)),
    "end of integers": ("i8", st.integers(2**63 - 9, 2**63 - 1)),
    "ends of integers": ("i8", st.sampled_from([-(2**63), 1 - 2**63, 0, 2**63 - 2, 2**63 - 1])),
    "past 2^53": ("i8", st.integers(2**53 - 9, 2**53 + 9)),
    "unsigned": ("u8", st.integers(0, 2**64 - 1)),
    "end of unsigned": ("u8", st.integers(2**64 - 9, 2**64 - 1)),
    "four bytes": ("i4", st.integers(-(2**31), 2**31 - 1)),
    "bytes": ("i1", st.integers(-128, 127)),
    "booleans": ("?", st.booleans()),
}


@st.composite
def samples(draw, dtype, number):
    """Return labels and scores of 2 to 300 rows, with ties or without."""
    values = np.array(draw(st.lists(number, min_size=1, max_size=30)), dtype)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(2, 300))
    n_pos = draw(st.sampled_from([1, n_rows // 2, n_rows - 1]))
    return draw_labels(rng, n_rows, n_pos), rng.choice(values, n_rows)


@pytest.mark.check("every route")
@pytest.mark.parametrize(("dtype", "number"), NUMBERS.values(), ids=NUMBERS)
def test_all_numbers(dtype, number):
    @settings(law, max_examples=EXAMPLES // 5)
    @given(samples(dtype, number))
    def compare(sample):
        assert_every_route(*sample, count_by_bisection(*sample))

    compare()


@pytest.mark.parametrize("n_rows", [2, 255, 256, 257, 512, 513, 1024, 1025, 2**15, 2**15 + 1])
def test_few_rows_are_up_to_thirty_thousand(taken, n_rows):
    rng = np.random.default_rng(n_rows)
    for n_pos in {1, n_rows // 2, n_rows - 1}:
        labels, scores = draw_labels(rng, n_rows, n_pos), rng.permutation(n_rows) / 2
        sample, expected = make_sample(labels, scores), count_by_bisection(labels, scores)
        assert taken(count_pairs, sample, route="few") == (expected, "few")
        counted, chosen = taken(count_pairs, sample)
        assert counted == expected
        assert (chosen == "few") == (n_rows <= 2**15)


def crowd(rng, n):
    scores = rng.random(n) / 2
    scores[:-1] *= 2.0**-20  # no tie, but all of them close together beside the last one
    return scores


def pairs_of_one_offset(rng, n):
    scores = 1 + rng.permutation(n) // 2 * 2.0**-52
    scores[0] = 1e300
    return scores


def many_of_one_offset(rng, n):
    return np.append([1e300, 1 + 2.0**-52], np.full(n - 2, 1.0))


# Rows that their range does not tell apart, and those that it does: numbers of rows, scores, route.
CLOSE = {
    "crowded on a line": ([12_000, 12_001, 20_001], crowd, "few"),
    "few pairs of one offset": ([60], pairs_of_one_offset, "few"),
    "many pairs of one offset": ([300, 600, 20_000], pairs_of_one_offset, "sort"),
    "not too many of one offset": ([257], many_of_one_offset, "few"),
    "too many of one offset": ([258], many_of_one_offset, "sort"),
    "fewer than 2^32 - 1 keys, f4": (
        [200],
        lambda rng, n: np.float32(rng.integers(1, 50, n)),
        "few",
    ),
    "fewer than 2^32 - 1 keys, i8": ([200], lambda rng, n: rng.integers(1, 50, n), "few"),
}


@pytest.mark.parametrize("kind", CLOSE)
def test_close_rows_are_told_apart(taken, kind):
    sizes, draw, route = CLOSE[kind]
    for n_rows in sizes:
        rng = np.random.default_rng(n_rows)
        labels, scores = draw_labels(rng, n_rows), draw(rng, n_rows)
        expected = count_by_bisection(labels, scores), route
        assert taken(count_pairs, make_sample(labels, scores)) == expected


@pytest.mark.parametrize("width", [2**32 - 2, 2**32 - 1, 2**32, 2**33 - 2, 2**33, 2**64 - 1])
def test_few_rows_at_the_end_of_a_range(width):
    # The greatest offset is that of the free lanes beside the last negatives.
    for low, n_neg in itertools.product([-(2**63), -7, 0], [1, 7, 8, 9]):
        if low + width < 2**63:
            scores = np.array([low] * n_neg + [low + width])
            for labels in np.arange(n_neg + 1) == n_neg, np.arange(n_neg + 1) < n_neg:
                sample = labels.astype(int), scores
                assert count_pairs(make_sample(*sample)) == count_by_bisection(*sample)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize(("n_runs", "route"), [(1, "runs"), (16, "runs"), (17, "buckets")])
def test_up_to_sixteen_runs_are_merged(taken, dtype, n_runs, route):
    rng = np.random.default_rng(3)
    n_rows = 2000 * n_runs + 20_000
    labels, scores = draw_labels(rng, n_rows), rng.permutation(n_rows).astype(dtype)
    ends = np.linspace(0, n_rows, n_runs + 1).astype(int)
    for number, (start, stop) in enumerate(itertools.pairwise(ends)):
        scores[start:stop] = np.sort(scores[start:stop])[:: 1 - 2 * (number % 2)]
    expected = count_by_bisection(labels, scores), route
    assert taken(count_pairs, make_sample(labels, scores)) == expected


# Which route is taken, and what it gives there: distribution, prevalence, rows.
AUTOMATIC = {
    ("geometric", 0.5, 256): "few",  # ties in more than 32 bits
    ("uniform", 0.5, 257): "few",
    ("int64", 0.01, 11_999): "few",
    ("uniform", 0.5, 40_000): "buckets",
    ("lognormal", 0.5, 500_000): "buckets",
    ("sawtooth", 0.5, 100_000): "buckets",
    ("outlier", 0.5, 100_000): "buckets",
    ("denormals", 0.5, 100_000): "buckets",
    ("int64", 0.5, 100_000): "buckets",
    ("float32", 0.5, 500_000): "buckets",
    ("rounded3", 0.01, 500_000): "values",
    ("leaves200", 0.5, 100_000): "values",
    ("geometric", 0.5, 100_000): "values",
    ("float16", 0.5, 500_000): "values",
    ("two_values", 0.5, 500_000): "values",  # more than 2^32 pairs in a bucket
    ("uniform", 0.01, 40_000): "rare",
    ("outlier", 0.01, 100_000): "rare",
    ("denormals", 0.0, 100_000): "rare",
    ("float32", 0.01, 500_000): "rare",
    ("int64", 0.99, 100_000): "rare",
    ("sawtooth", 0.01, 1_000_000): "rare",
    ("zipf", 0.01, 100_000): "rare",  # thousands of values, but rare ones tell them apart
    ("platt", 0.03, 100_000): "values",
    ("zeros90", 0.5, 100_000): "frequent",
    ("reversed", 0.01, 100_000): "runs",
    ("organ_pipe", 0.5, 500_000): "runs",
    ("constant", 0.5, 30_000): "constant",
}


@pytest.mark.parametrize(("case", "route"), AUTOMATIC.items(), ids=str)
def test_choice(taken, case, route):
    name, prevalence, n_rows = case
    labels, scores = make(name, n_rows, prevalence, 3)
    not_above, tied = count_by_bisection(labels, scores)
    for n_jobs in 1, 2:
        counted, chosen = taken(fastauc.concordance, labels, scores, n_jobs=n_jobs)
        assert counted[:2] == (not_above - tied, tied)
        assert chosen == route
    for forced in ROUTES:
        assert count_pairs(make_sample(labels, scores), 2, forced) == (not_above, tied)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.sampled_from([-3, -1, -0.0, 0.0, 0.0, 2, 7])),
        min_size=2,
        max_size=30,
    ),
    frequent=st.sampled_from([-1, 0, 2]),
)
def test_rows_beside_a_frequent_score(dtype, rows, frequent):
    labels, scores = map(np.array, zip(*rows, strict=True))
    scores = scores.astype(dtype)
    found = unweighted._count_beside(
        make_sample(labels, scores), np.array([frequent], dtype), SERIAL
    )
    if np.count_nonzero(scores != frequent) >= 9 * len(rows) // 16:
        assert found is None
    else:
        assert found == count_by_bisection(labels, scores)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_values_that_the_sample_does_not_show(taken, dtype):
    # The sample sees one score; the rows hold a hundred thousand others.
    rng = np.random.default_rng(5)
    n_rows = 400_000
    scores = rng.permutation(n_rows).astype(dtype)
    scores[draw_sample(np.arange(n_rows))] = 7
    if dtype == "f8":
        scores /= 3  # which single precision does not hold
    labels = draw_labels(rng, n_rows)
    expected = count_by_bisection(labels, scores)
    for n_jobs in 1, 2:
        counted, route = taken(count_pairs, make_sample(labels, scores), n_jobs)
        assert counted == expected
        assert route == ("sort" if dtype == "f8" else "buckets")


@pytest.mark.parametrize("name", ["uniform", "lognormal", "outlier", "float32", "int64"])
def test_buckets_that_are_split_once_more(taken, monkeypatch, name):
    # As beyond 2^21 rows: 1,024 buckets of some hundred rows each.
    monkeypatch.setattr(by_buckets, "MOST_ROWS_OF_ONE_LEVEL", 2**14)
    labels, scores = make(name, 200_000, 0.3, 7)
    expected = count_by_bisection(labels, scores), "buckets"
    for n_jobs in 1, 2:
        assert taken(count_pairs, make_sample(labels, scores), n_jobs, "buckets") == expected


SPACED = {
    "six decimals": ("sort", lambda rng, n: np.round(rng.random(n), 6)),
    "five decimals": ("sort", lambda rng, n: np.round(rng.standard_normal(n), 5)),
    # None of the ties is in the small sample, but some are in the larger one.
    "skewed decimals": ("sort", lambda rng, n: np.round(np.exp(rng.normal(-4, 1, n)), 8)),
    "with an outlier": ("sort", lambda rng, n: np.append(np.round(rng.random(n - 1), 6), 1e5)),
    "whole doubles": ("sort", lambda rng, n: 2.0**30 + rng.integers(0, 300_000, n)),
    "integers": ("buckets", lambda rng, n: rng.integers(0, 300_000, n) - 2**40),
    "single": ("buckets", lambda rng, n: rng.integers(0, 300_000, n).astype(np.float32)),
    "skewed integers": (
        "buckets",
        lambda rng, n: np.append(rng.integers(0, 300_000, n - 1), 2**42),
    ),
}


@pytest.mark.parametrize(("route", "draw"), SPACED.values(), ids=SPACED)
def test_spaced_scores_are_gathered_nowhere(taken, monkeypatch, route, draw):
    # Many are tied, and they are too many values for a table: offsets of integers tell, and those
    # of doubles are not tried where the sample has ties.
    rng = np.random.default_rng(9)
    monkeypatch.setattr(_buckets, "find_rows", None)
    scores = draw(rng, 500_000)
    labels = draw_labels(rng, 500_000)
    expected = count_by_bisection(labels, scores)
    assert expected[1] > 1000
    for n_jobs in 1, 2:
        assert taken(count_pairs, make_sample(labels, scores), n_jobs) == (expected, route)
    # With one that is not like the others, and where their offsets are tried.
    if scores.dtype == np.float64:
        monkeypatch.undo()
        scores[400_000] = 1 / 3
        expected = count_by_bisection(labels, scores)
        for forced, n_jobs in itertools.product([None, "buckets"], [1, 2]):
            assert count_pairs(make_sample(labels, scores), n_jobs, forced) == expected


@pytest.mark.parametrize("end", ["min", "max"])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("share", [0.5, 1])
def test_a_rare_class_at_an_end_of_its_type(end, dtype, label, share):
    """What fills the tables of keys has the highest key, which integers may have as well."""
    rng = np.random.default_rng(21)
    n, n_rare = 100_000, 100
    kind = np.finfo(dtype) if dtype is np.float64 else np.iinfo(dtype)
    draw = (rng.standard_normal(n) * 1e300).astype(dtype) if dtype is np.float64 else None
    scores = rng.integers(kind.min, kind.max, n, dtype, True) if draw is None else draw
    labels = np.full(n, 1 - label)
    labels[:n_rare] = label
    scores[: int(share * n_rare)] = getattr(kind, end)
    for n_tied in 0, 30_000:
        scores[n_rare : n_rare + n_tied] = getattr(kind, end)
        expected = count_by_bisection(labels, scores)
        for n_jobs in 1, 2:
            assert count_pairs(make_sample(labels, scores), n_jobs) == expected


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("n_distinct", [1, 2, 50, 600])
@pytest.mark.parametrize("n_rare", [1, 2, 7, 8, 9, 127, 128, 129, 600])
def test_rows_beside_rare_scores(dtype, n_distinct, n_rare):
    # Of the 256 buckets the first ones have many rare rows, more than a byte tells, and some none.
    rng = np.random.default_rng(n_rare)
    rare = (rng.integers(-1, n_distinct, n_rare) ** 2).astype(dtype)
    scores = rng.permutation(np.append(rare, rng.integers(0, 600**2, 700).astype(dtype)))
    keys = unweighted._keys_of_class(make_sample(np.ones(n_rare, np.int64), rare), 1, n_rare)
    table = unweighted._table_of_keys(keys)
    assert (np.diff(keys[1:-1].astype(float)) >= 0).all()
    ties = [(rare == score).sum() for score in np.sort(rare)]
    assert table[1].tolist() == [0, *ties, 0]
    line = bucket_map.map_of_line(0, 600**2, 256)
    cells = unweighted._cells_of(keys[1:-1], bucket_map.keys_of(scores[:50]), 256)
    expected = int((rare <= scores[:, None]).sum()), int((rare == scores[:, None]).sum())
    for chosen, of_map in (line, 2), (cells, 7), (unweighted._ONE_BUCKET, 2):
        numbers = unweighted._numbers_of(np.sort(rare), chosen)
        all_numbers = unweighted._numbers_of(np.sort(scores), chosen)
        assert (np.diff(all_numbers.astype(int)) >= 0).all()
        assert all_numbers.max() < chosen.n_buckets
        ranks, bases = unweighted._rank_buckets(numbers, chosen.n_buckets)
        below = np.searchsorted(numbers, np.arange(chosen.n_buckets))
        above = below - np.repeat(below[::64], 64)[: len(below)]
        assert bases.tolist() == below[::64].tolist()
        assert (ranks >> 1).tolist() == np.where(above < 128, above, 0).tolist()
        is_close = np.bincount(numbers, minlength=chosen.n_buckets) > 0
        assert (ranks & 1).tolist() == ((above > 127) | is_close).tolist()
        # A row is close to a rare score in its bucket, and searched for if there are two of them.
        for drawn in scores[:9, None]:
            bucket = int(unweighted._numbers_of(drawn, chosen)[0])
            n_within = len(np.unique(np.sort(rare)[numbers == bucket]))
            steps = 7 * is_close[bucket] + math.log2(n_rare) * (n_within > 1)
            found = unweighted._steps_by_map(keys[1:-1], numbers, chosen, drawn)
            assert found == of_map + steps
        # Rows that are searched for are counted by their rank.
        tables = *chosen[:2], ranks, bases, *table
        assert _buckets.rank_rows(scores, *tables, np.zeros(0, np.uint32)) == expected
        counts = np.zeros(n_rare + 1, np.uint32)
        assert _buckets.rank_rows(scores, *tables, counts) == expected
    found = (rare <= scores[:, None]).sum(axis=1)
    assert counts.tolist() == np.bincount(found, minlength=n_rare + 1).tolist()


@pytest.mark.parametrize("name", DISTRIBUTIONS | MISLEADING | SIGNED)
def test_cells_of_a_rare_class(name, monkeypatch):
    monkeypatch.setattr(unweighted, "_STEPS_OF_CELLS", -1000)  # as if they were the fastest
    rng = np.random.default_rng(3)
    scores = (DISTRIBUTIONS | MISLEADING | SIGNED)[name](rng, 20_000)
    labels = draw_labels(rng, len(scores), 400)
    for own in labels, 1 - labels:
        sample = make_sample(own, scores)
        for n_jobs in 1, 2:
            found = count_pairs(sample, n_jobs, "rare")
            assert found == count_by_bisection(sample.label, sample.score)


def test_a_rare_class_that_crowds(taken, monkeypatch):
    # Thirty of its scores in each bucket that holds any, where all other rows are as well.
    rng = np.random.default_rng(3)
    scores = rng.permutation(np.arange(100_000) // 1000 + rng.random(100_000) * 1e-9)
    labels = draw_labels(rng, 100_000, 3000)
    expected = count_by_bisection(labels, scores)
    for n_jobs in 1, 2:
        assert taken(count_pairs, make_sample(labels, scores), n_jobs) == (expected, "rare")
    # One row in 16 may be of the class, but not more.
    for n_rare, route in (6250, "rare"), (6251, "sort"):
        sample = make_sample(draw_labels(rng, 100_000, n_rare), scores)
        found = count_by_bisection(sample.label, scores), route
        assert taken(count_pairs, sample, 1) == found
    # As if the searches were too long.
    monkeypatch.setattr(unweighted, "_MOST_STEPS", 5)
    for n_jobs in 1, 2:
        assert taken(count_pairs, make_sample(labels, scores), n_jobs) == (expected, "sort")


# Memory -----------------------------------------------------------------------------------------

MILLION = 1_000_000
LARGE = DISTRIBUTIONS | {
    "six decimals": lambda rng, n: np.round(rng.random(n), 6),
    "integers": lambda rng, n: rng.integers(0, 10**7, n),
    "single": lambda rng, n: rng.random(n, dtype=np.float32),
}


# Many rows come into one bucket, beside which there must be as much room.
CROWD = {"nested", "saturated", "unsampled clusters"}


@pytest.mark.parametrize(
    ("name", "n_pos"), [*((name, MILLION // 2) for name in LARGE), ("uniform", 10_000)]
)
def test_ten_bytes_a_row(name, n_pos):
    rng = np.random.default_rng(11)
    labels, scores = draw_labels(rng, MILLION, n_pos), LARGE[name](rng, MILLION)
    fastauc.roc_auc_score(labels[:1000], scores[:1000])  # what is made once is not counted
    tracemalloc.start()
    try:
        fastauc.roc_auc_score(labels, scores)
        assert tracemalloc.get_traced_memory()[1] <= (17 if name in CROWD else 10) * MILLION
    finally:
        tracemalloc.stop()
