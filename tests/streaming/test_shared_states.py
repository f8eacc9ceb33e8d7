"""States that several threads add rows to at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fastauc.streaming import RocAucAccumulator, ScoreHistogram, _accumulator as accumulators


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
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_read_of_a_live_histogram_is_of_the_same_rows(weighted):
    """Two threads add pairs of rows, so that all that is read has as many of either class."""
    rng = np.random.default_rng(22)
    live, ended = ScoreHistogram(weighted=weighted), threading.Event()
    rows = np.arange(2_000) % 2, rng.random(2_000)

    def add():
        while not ended.is_set():
            live.update(*rows)

    others = [threading.Thread(target=add) for _ in range(2)]
    for other in others:
        other.start()
    try:
        live.update(*rows)
        for _ in range(20):
            saved = ScoreHistogram.from_bytes(live.to_bytes())  # refuses counts that do not add up
            copied = live.copy()
            merged = ScoreHistogram(weighted=weighted).merge(live)
            counts, table = live.confusion_counts(), live.gains_table(bins=2)
            assert counts.fps[-1] == counts.tps[-1]
            assert table["n_pos"].sum() * 2 == table["n"].sum()
            for each in (saved, copied, merged):
                assert each.n_neg == each.n_pos == each.n_rows / 2
                assert ScoreHistogram.from_bytes(each.to_bytes()) == each
                assert live.n_rows >= each.n_rows
    finally:
        ended.set()
        for other in others:
            other.join()


@pytest.mark.check("shared histograms")
def test_states_are_merged_by_threads():
    rng = np.random.default_rng(21)
    parts = [ScoreHistogram().update(rng.integers(0, 2, 999), rng.random(999)) for _ in range(64)]
    merged = ScoreHistogram()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(merged.merge, parts))
    assert merged == sum(parts)


@pytest.mark.check("shared histograms")
@pytest.mark.parametrize("kind", [ScoreHistogram, RocAucAccumulator])
def test_rows_are_added_and_merged_at_the_same_time(kind):
    rng = np.random.default_rng(22)
    parts = [(np.arange(60) % 3 == 0, rng.random(60)) for _ in range(400)]
    shared, alone, start = kind(), kind(), threading.Barrier(8)

    def work(thread):
        start.wait()
        for number in range(thread, len(parts), 8):
            if number % 3:
                shared.update(*parts[number])
            else:
                shared.merge(kind().update(*parts[number]))
            if kind is RocAucAccumulator:  # histograms are read when no thread adds rows
                # Whole parts only, however many there are by then.
                found = shared.concordance()
                assert found.n_neg == 2 * found.n_pos
                assert RocAucAccumulator.from_bytes(shared.to_bytes()).n_rows % 60 == 0

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    for part in parts:
        alone.update(*part)
    assert shared.to_bytes() == alone.to_bytes()


# Accumulators: another thread comes in where it would do harm -------------------------------------


class WatchedLock:
    """A lock that tells if a thread has found it taken."""

    def __init__(self, lock, on_wait):
        self._lock, self._on_wait = lock, on_wait

    def __enter__(self):
        if self._lock.locked():
            self._on_wait()
        self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()


class Intruder:
    """Another thread, which acts where this one first calls a function.

    This one goes on when the other has finished or waits for a lock of the accumulators.
    """

    def __init__(self, monkeypatch, place, action, *watched):
        self.has_waited = False
        self._is_halted = threading.Event()
        self._action, self._thread = action, threading.Thread(target=self._act)
        owner, name = place
        function = getattr(owner, name)

        def interrupted(*args):
            if self._thread.ident is None:
                self._thread.start()
                self._is_halted.wait()
            return function(*args)

        monkeypatch.setattr(owner, name, interrupted)
        for accumulator in watched:
            accumulator._lock = WatchedLock(accumulator._lock, self._on_wait)

    def _act(self):
        try:
            self._action()
        finally:
            self._is_halted.set()

    def _on_wait(self):
        self.has_waited = True
        self._is_halted.set()

    def join(self):
        self._thread.join()


PART, LATER = ([0, 1, 1], np.float32([-0.5, -0.25, 0.5])), ([1, 0, 0], np.float32([-2, 0.25, 0.75]))
OTHER, LATER_OTHER = (RocAucAccumulator().update(*rows) for rows in (PART, LATER))
# Each is called between reading the rows of an accumulator and replacing them.
ADDING, SORTING = (np, "concatenate"), (accumulators, "sort_keys")
ACTIONS = {
    "update": (lambda shared: shared.update(*PART), ADDING),
    "widening update": (lambda shared: shared.update([0, 1], [-0.1, 0.1]), ADDING),
    "merge": (lambda shared: shared.merge(OTHER), ADDING),
    "compute": (RocAucAccumulator.compute, SORTING),
    "to_bytes": (RocAucAccumulator.to_bytes, SORTING),
}
INTRUSIONS = {
    "update": lambda shared: shared.update(*LATER),
    "widening update": lambda shared: shared.update([1, 0], [-0.3, 0.3]),
    "merge": lambda shared: shared.merge(LATER_OTHER),
    "reset": RocAucAccumulator.reset,
}


def begun():
    return RocAucAccumulator().update([0, 1, 0, 1], np.float32([-1, 0.25, 1, -0.75]))


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("intrusion", INTRUSIONS)
def test_no_row_of_an_accumulator_is_lost(monkeypatch, action, intrusion):
    act, place = ACTIONS[action]
    alone = begun()
    expected = act(alone)
    INTRUSIONS[intrusion](alone)

    shared = begun()
    intruder = Intruder(monkeypatch, place, lambda: INTRUSIONS[intrusion](shared), shared)
    result = act(shared)
    intruder.join()
    assert result is shared or result == expected
    assert shared.to_bytes() == alone.to_bytes()


def test_accumulators_that_are_merged_with_each_other_do_not_wait(monkeypatch):
    left, right = begun(), RocAucAccumulator().update(*PART)
    both = begun().update(*PART).to_bytes()
    intruder = Intruder(monkeypatch, ADDING, lambda: right.merge(left), left, right)
    left.merge(right)
    intruder.join()
    assert not intruder.has_waited
    assert right.to_bytes() == both
    assert left.to_bytes() == both
