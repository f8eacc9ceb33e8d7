"""Tables of few distinct scores hold every row, or are given up."""

import numpy as np
import pytest

from fastauc._kernels import values as _values
from fastauc._pairs import value_tables
from fastauc._pairs.bucket_map import draw_sample, scores_of
from fastauc._validation import threads
from fastauc._validation.threads import SERIAL, Workers
from support.pairs import draw_labels, make_sample

HASH = np.zeros(3)
ONE_PLACE = np.array([0.0, 1.0, 1.0])  # a line with one bucket for all
MANY = 2**40
NOTHING_TOO_MANY = MANY, MANY
UNITS = 2.0**40, 2.0**41
FIRST_MULTIPLIER = 0xD6E8FEB86659FD93


@pytest.mark.parametrize(
    ("make", "n_rows", "few"),
    [
        # A thousand decimals, and as many scores that are no multiples of a unit.
        (lambda rng, n: np.round(rng.random(n), 3), 12_001, True),
        (lambda rng, n: np.exp(rng.integers(0, 1000, n) / 50), 12_001, False),
        (lambda rng, n: np.exp(rng.integers(0, 1000, n) / 50), 100_000, True),
        # Few of them make up most rows, and the others are many.
        (lambda rng, n: np.where(rng.random(n) < 0.9, 0, rng.random(n)), 12_001, False),
        (lambda rng, n: rng.random(n), 1_000_000, False),
        (lambda rng, n: rng.integers(0, 2, n) / 1, 12_001, True),
    ],
    ids=["decimals", "scattered", "more", "zeros", "uniform", "two"],
)
def test_few_values_are_told_from_a_few_frequent_ones(make, n_rows, few):
    scores = make(np.random.default_rng(3), n_rows).astype(float)
    assert value_tables.has_few_values(draw_sample(scores), n_rows) == few


def bits_of(score):
    return np.float64(score).tobytes()


def tabulate(labels, scores, line, n_entries, *limits):
    """Return what a table holds in {bits: [negatives, positives]}, or None."""
    table = np.zeros((n_entries, 4), np.uint32)
    if not _values.count_values(labels, scores, line, table.reshape(-1), *limits):
        return None
    held = table[table[:, 2:].any(axis=1)]
    found = {row[:2].tobytes(): row[2:].tolist() for row in held}
    assert len(found) == len(held)
    return found


def weigh(labels, scores, weights, line, n_entries, *limits):
    """Return the units in {bits: [of negatives, of positives]} and the rows cut, or None."""
    table, sums = np.zeros((n_entries, 4), np.uint32), np.zeros((n_entries, 2, 2), np.uint64)
    given = labels, scores, weights, line, *UNITS, table.reshape(-1), sums
    is_few, *cut = _values.weigh_values(*given, *limits)
    if not is_few:
        return None
    numbered = table[table[:, 2] > 0]
    assert sorted(numbered[:, 2].tolist()) == list(range(1, len(numbered) + 1))
    found = {}
    for row, halves in zip(numbered, sums[numbered[:, 2] - 1].tolist(), strict=True):
        found[row[:2].tobytes()] = [low + (high << 32) for low, high in halves]
    return found, cut


def colliding(n_scores, n_entries):
    """Return scores whose first place in a table is the same by their hash."""
    drawn = np.random.default_rng(3).random(200 * n_scores * n_entries // 100)
    places = (drawn.view(np.uint64) * np.uint64(FIRST_MULTIPLIER)) >> np.uint64(
        64 - (n_entries - 1).bit_length()
    )
    alike = drawn[places == np.bincount(places.astype(np.intp)).argmax()]
    return alike[:n_scores]


SCORES = {
    "one": lambda rng: np.ones(1),
    "zero": lambda rng: np.zeros(1),
    "both zeros": lambda rng: np.array([0.0, -0.0, 1.0]),
    "neighbors": lambda rng: 1 + np.arange(300) * 2.0**-52,
    "powers of two": lambda rng: 2.0 ** np.arange(-200, 200),
    "integers": lambda rng: np.arange(1500.0),
    "random": lambda rng: rng.standard_normal(1500),
    "one first place": lambda rng: colliding(40, 2048),
}


@pytest.mark.parametrize("line", [HASH, ONE_PLACE], ids=["hash", "line"])
@pytest.mark.parametrize("make", SCORES.values(), ids=SCORES)
def test_each_score_has_its_rows(make, line):
    rng = np.random.default_rng(1)
    pool = make(rng)
    scores = rng.permutation(np.tile(pool, 3))
    labels, weights = draw_labels(rng, len(scores)), rng.integers(1, 1000, len(scores)) / 8
    expected, units = {}, {}
    for label, score, weight in zip(labels, scores, weights, strict=True):
        expected.setdefault(bits_of(score), [0, 0])[label] += 1
        units.setdefault(bits_of(score), [0, 0])[label] += int(weight * UNITS[label])
    assert tabulate(labels, scores, line, 2048, *NOTHING_TOO_MANY) == expected
    weighed = weigh(labels, scores, weights, line, 2048, *NOTHING_TOO_MANY)
    assert weighed == (units, [0, 0])


def test_weights_that_are_cut():
    labels, weights = np.array([0, 1, 1], np.uint8), np.array([1 + 2.0**-41, 1 + 2.0**-42, 2])
    _, cut = weigh(labels, np.ones(3), weights, HASH, 2048, *NOTHING_TOO_MANY)
    assert cut == [1, 1]


def test_limits():
    rng = np.random.default_rng(2)
    scores = rng.permutation(np.tile(np.arange(1.0, 1001.0), 9))
    labels = draw_labels(rng, len(scores))
    # In one first place, every row of another score is looked for elsewhere, at least once.
    n_others = int((scores != scores[0]).sum())
    for looks, most, fits in [
        (MANY, 1000, True),
        (MANY, 999, False),
        (20 * n_others, MANY, True),
        (n_others - 1, MANY, False),
    ]:
        found = tabulate(labels, scores, ONE_PLACE, 4096, looks, most)
        weighed = weigh(labels, scores, np.ones(9000), ONE_PLACE, 4096, looks, most)
        assert (found is not None) == (weighed is not None) == fits


MANY_ROWS = 100_000
FIRST_ROWS = {
    "plateaus": (lambda rng, n: np.where(rng.random(n) < 0.5, rng.random(n), 0.25), False),
    "normal": (lambda rng, n: rng.standard_normal(n), False),
    "heavy tail": (lambda rng, n: rng.zipf(1.5, n) ** 0.5, True),
    "equally frequent": (lambda rng, n: np.sqrt(rng.integers(0, n // 10, n)), True),
    "one and others": (lambda rng, n: np.where(rng.random(n) < 0.1, rng.random(n), 0.25), True),
    "powers of two": (lambda rng, n: np.ldexp(1.0, rng.integers(-1000, 0, n)), True),
}


@pytest.mark.parametrize(("draw", "fits"), FIRST_ROWS.values(), ids=FIRST_ROWS)
def test_first_rows_tell_how_many_scores_there_are(draw, fits):
    rng = np.random.default_rng(5)
    scores = draw(rng, MANY_ROWS)
    sample = make_sample(draw_labels(rng, MANY_ROWS), scores)
    distinct, labels = np.unique(scores), sample.label
    # Chao's estimate is a lower bound: a heavy tail has more scores than the first rows suggest.
    expected = value_tables._look_at_first(sample)
    if fits:
        assert 1 / 4 < expected / len(distinct) < 4 / 3
    else:
        assert expected > MANY_ROWS // 3
    plan = value_tables.plan_table(sample, draw_sample(scores))
    table = value_tables.tabulate_values(sample, plan, SERIAL)
    assert (table is not None) == fits
    if fits:
        assert scores_of(table.keys, scores.dtype).tolist() == distinct.tolist()
        found = np.searchsorted(distinct, scores)
        counts = [np.bincount(found[labels == k], minlength=len(distinct)) for k in (0, 1)]
        assert table.counts.T.tolist() == [each.tolist() for each in counts]


@pytest.mark.check("threads and parts")
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("is_line", [True, False])
def test_tables_of_blocks_are_joined(dtype, is_line, monkeypatch):
    # The blocks meet different scores, and zeros of both signs.
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 8)
    scores = np.array([3, 3, 2, 3, 5, 3, 2, 5, -0.0, 0, -0.0, 3, -0.0, 0, 9, 9], dtype)
    labels = np.array([0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1])
    weights = np.arange(1.0, 17)
    pool = [0, 2, 3, 5, 9]
    counts = [[int(((scores == v) & (labels == k)).sum()) for k in (0, 1)] for v in pool]
    units = [[int(weights[(scores == v) & (labels == k)].sum()) for k in (0, 1)] for v in pool]
    line = np.array([0.0, 2.0**32, 16]) if is_line else HASH
    plan = value_tables.Plan(line, 2048, len(pool))
    sample = make_sample(labels, scores)
    for n_jobs in 1, 2:
        with Workers(n_jobs) as workers:
            table = value_tables.tabulate_values(sample, plan, workers)
            found = value_tables.add_up_values(sample, weights, (1.0, 1.0), plan, workers)
        assert scores_of(table.keys, np.dtype(dtype)).tolist() == pool
        assert table.counts.tolist() == counts
        sums, cut_neg, cut_pos = found
        assert (sums[:, :, 0] + (sums[:, :, 1] << np.uint64(32))).tolist() == units
        assert (cut_neg, cut_pos) == (0, 0)
