"""Keys that are collected: apart by ranges, whatever the ranges hold, and none lost."""

import tracemalloc
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fastauc import concordance
from fastauc._validation.threads import Workers
from fastauc.streaming import (
    Refinement,
    ScoreHistogram,
    _collected_rows as collected_rows,
    _plan as unresolved,
    refine,
    refine_roc_auc,
)
from fastauc.streaming._cells import keys_of
from fastauc.streaming._collected_rows import KeyColumn, KeyReader, segments
from support.laws import law
from support.refining import GRIDS, columns_of, divide, grids, histogram_of, parts, samples

SMALL = {"_FEW_KEYS": 3, "_SHARES": 64, "_SPLIT_BITS": 2, "_SLICE": 32}
"""Limits that a few rows exceed."""


def with_limits(test, rows_of_range=4):
    """Return the test run with limits that a few rows exceed."""
    return mock.patch.object(unresolved, "_ROWS_OF_RANGE", rows_of_range)(
        mock.patch.multiple(collected_rows, **SMALL)(test)
    )


def in_order(column):
    return np.concatenate(list(column.in_order()[0]))


def plan_of(values, grid=GRIDS[1]):
    """Return a plan for collecting scores of both classes."""
    values = np.repeat(values, 2)
    histogram = ScoreHistogram(**grid).update(np.arange(len(values)) % 2, values)
    return refine(histogram)._plan


@settings(law, max_examples=60)
@given(samples, grids, parts, st.integers(1, 3), st.integers(1, 3))
def test_ranges_that_have_to_be_divided(sample, grid, most, n, n_jobs):
    rows = columns_of([*sample, *sample[:1] * 20, (True, 0.3), (False, 0.3)])

    @with_limits
    def found():
        return refine_roc_auc(histogram_of(rows, grid), lambda: divide(rows, n), n_jobs=n_jobs)

    with mock.patch.object(unresolved, "_MOST_BLOCK_BITS", 1 + most.bit_length() % 5):
        assert found().concordance == concordance(*rows)


@pytest.mark.parametrize("bits", range(1, 6))
@pytest.mark.parametrize("rows_of_range", [1, 50, 2**19])
def test_keys_come_back_in_order(bits, rows_of_range):
    rng = np.random.default_rng(bits)
    values = np.concatenate(
        [rng.random(400) ** 9, np.full(300, 0.3), 2.0 ** -np.arange(1.0, 301.0)]
    )
    keys = keys_of(rng.permutation(values))
    with mock.patch.object(unresolved, "_ROWS_OF_RANGE", rows_of_range):
        plan = plan_of(values)
        low, shift, n_ranges, _ = plan.ranges
    assert n_ranges <= 2**16
    assert shift <= 48
    assert low <= int(keys.min())
    assert int(keys.max()) < low + (n_ranges << shift)
    plan.__dict__["ranges"] = plan.ranges._replace(block_bits=bits)
    column = KeyColumn(plan)
    for part in np.split(keys, [1, 2, 40, 500]):
        column.append(part, None, len(keys))
    assert column.size == len(keys)
    with mock.patch.multiple(collected_rows, **SMALL):
        found = list(segments([KeyReader(column)], len(keys)))
        np.testing.assert_array_equal(in_order(column), np.sort(keys))
        assert sorted(np.concatenate([part for part, _ in column.parts()])) == sorted(keys)
    bounds = [bound for segment in found for bound in (segment.first, segment.last)]
    assert bounds == sorted(bounds)
    assert sum(sum(segment.sizes) for segment in found) == len(keys)
    sizes = [segment.sizes[0] for segment in found if not segment.is_tied]
    assert max(sizes) <= len(keys) // SMALL["_SHARES"]
    assert max(segment.sizes[0] for segment in found) >= 300


def test_saved_keys_stay_until_others_come():
    values = np.arange(1, 64) / 128
    plan = plan_of(values)
    keys = keys_of(values)
    keys.flags.writeable = False
    column = KeyColumn(plan, keys)
    assert [part is keys for part in column.in_order()[0]] == [True]
    assert next(column.parts())[0] is keys
    column.append(keys[:5].copy(), None, 100)
    assert column.size == 68
    np.testing.assert_array_equal(in_order(column), np.sort(np.append(keys, keys[:5])))


@pytest.mark.parametrize("weighted", [False, True])
def test_nothing_added_to_what_has_been_read(weighted):
    rows = np.arange(60) % 2, np.arange(60) / 64
    histogram = ScoreHistogram(bins=2, range=(0, 1), weighted=weighted).update(*rows)
    empty = refine(histogram)
    for step in (empty, empty.copy().update(*rows)):
        read = Refinement.from_bytes(step.to_bytes())
        assert read.merge(Refinement.from_bytes(empty.to_bytes())) == step
        assert read.merge(empty).to_bytes() == step.to_bytes()
    assert read.complete
    assert read.roc_auc() == step.roc_auc()


def test_keys_outside_of_all_intervals_are_refused():
    # As of a forged step, whose cells are not those of its intervals.
    plan = plan_of(np.arange(1, 65) / 128, {"edges": [0.0, 1.0]})
    keys = keys_of(np.array([-1.0, 0.25, 2.0**1000]))
    with pytest.raises(ValueError, match="2 scores are not in the intervals of their bins"):
        KeyColumn(plan).append(keys, None, 100)


def test_threads_count_the_same():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2, 30_000), rng.random(30_000).round(4)
    with mock.patch.multiple(collected_rows, _FEW_KEYS=100):
        for n_jobs in (1, 3):
            found = refine_roc_auc(None, lambda: [rows], n_jobs=n_jobs)
            assert found.concordance == concordance(*rows)


def test_rows_are_counted_once():
    rows = np.arange(60) % 2, np.arange(60) / 64
    step = refine(ScoreHistogram(bins=2, range=(0, 1)).update(*rows)).update(*rows)
    counted = step._content._counted
    assert counted is not None
    step.update([0, 1], [2.0, 3.0])  # settled
    assert step._content._counted is counted
    with Workers(2) as workers, mock.patch.multiple(collected_rows, _FEW_KEYS=3):
        again = step._content._count(workers)
    assert len(again) > len(counted)
    assert sum(part.sizes[0] for part in again) == 30


def test_a_step_is_saved_and_read_with_little_beside_it():
    rng = np.random.default_rng(5)
    n = 400_000
    rows = rng.integers(0, 2, n), rng.random(n)
    step = refine(ScoreHistogram().update(*rows)).update(*rows)
    assert step.n_rows > 0.9 * n
    tracemalloc.start()
    try:
        size = sum(memoryview(part).nbytes for part in step._state().parts)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 8 * step.n_rows
    # A thirty-second of the keys is sorted at a time, and 32,768 at least, in as much room again.
    assert peak < size / 3
    state = step.to_bytes()
    known = Refinement.from_bytes(state)._plan.known
    # A step that goes on holds on to what is known, but not to the bytes.
    for array in (*known.tree[1:], *known.unresolved):
        assert not np.shares_memory(array, np.frombuffer(state, np.uint8))
