"""States that several threads add rows to at the same time."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fastauc.streaming import ScoreHistogram


def add_at_once(state, rows):
    """Add rows in small parts, by eight threads."""
    starts = range(0, len(rows[0]), 10_000)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda a: state.update(*(c[a : a + 10_000] for c in rows)), starts))
    return state


@pytest.mark.check("shared histograms")
@pytest.mark.parametrize("weighted", [False, True])
def test_no_row_is_lost(weighted):
    rng = np.random.default_rng(20)
    n = 400_000
    rows = rng.integers(0, 2, n), rng.random(n)
    if weighted:
        rows = *rows, rng.random(n)
    for _ in range(5):
        shared = add_at_once(ScoreHistogram(weighted=weighted), rows)
        assert shared == ScoreHistogram(weighted=weighted).update(*rows)


@pytest.mark.check("shared histograms")
def test_states_are_merged_by_threads():
    rng = np.random.default_rng(21)
    parts = [ScoreHistogram().update(rng.integers(0, 2, 999), rng.random(999)) for _ in range(64)]
    merged = ScoreHistogram()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(merged.merge, parts))
    assert merged == sum(parts)
