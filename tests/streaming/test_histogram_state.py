"""Saved histograms: the same bytes everywhere and for ever."""

import copy
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc.streaming import ScoreHistogram
from support.forging import (
    GRIDS,
    KINDS,
    SMALL,
    golden_rows,
    histogram_of,
    parts_of,
    peak_of_reading,
)
from support.intervals import scores
from support.laws import EXAMPLES, law
from support.reliability import tried

GOLDEN = Path(__file__).parents[1] / "data" / "states"

# Round trips --------------------------------------------------------------------------------------

WEIGHTS = st.one_of(
    st.sampled_from([0.0, 1.0, 5e-324, 2.0**-128, 2.0**-129, 2.0**-130]), st.floats(0, 2.0**50)
)
ROWS = st.lists(st.tuples(st.integers(0, 1), scores, WEIGHTS), max_size=30)


@pytest.mark.check("state round trips")
@settings(law, max_examples=4 * EXAMPLES)
@given(kind=st.sampled_from(KINDS), rows=ROWS, cut=st.integers(0, 30))
def test_states_are_what_the_format_says_and_come_back(kind, rows, cut):
    tried()
    arguments, weighted = GRIDS[kind[0]], kind[1]
    histogram = histogram_of(arguments, weighted, rows)
    state = histogram.to_bytes()
    assert state == parts_of(arguments, weighted, rows).state()
    loaded = ScoreHistogram.from_bytes(state)
    assert loaded == histogram
    assert loaded.to_bytes() == state
    assert repr(loaded) == repr(histogram)
    assert loaded.n_rows == histogram.n_rows
    # Saved in the middle, the rest is added to what has been loaded.
    part = ScoreHistogram.from_bytes(histogram_of(arguments, weighted, rows[:cut]).to_bytes())
    rest = ScoreHistogram.from_bytes(histogram_of(arguments, weighted, rows[cut:]).to_bytes())
    assert (part + rest).to_bytes() == state
    assert rest.copy().merge(part).to_bytes() == state
    labels, values, weights = zip(*rows[cut:], strict=True) if rows[cut:] else ([], [], [])
    assert part.update(labels, values, weights if weighted else None).to_bytes() == state


@pytest.mark.check("state round trips")
@pytest.mark.check("no code in states")
@pytest.mark.parametrize(("name", "weighted"), KINDS)
def test_pickles_hold_the_bytes_and_nothing_else(name, weighted):
    histogram = histogram_of(GRIDS[name], weighted, golden_rows())
    state = histogram.to_bytes()
    assert histogram.__reduce__() == (ScoreHistogram.from_bytes, (state,))
    copies = [pickle.loads(pickle.dumps(histogram, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
    for twin in [*copies, copy.copy(histogram), copy.deepcopy(histogram)]:
        assert twin == histogram
        twin.merge(twin)
        assert twin.to_bytes() != state
        assert histogram.to_bytes() == state


@pytest.mark.check("state round trips")
def test_long_numbers_are_several_scores_in_a_state():
    for score, is_single in ((2**53 + 1, False), (5, True)):
        histogram = ScoreHistogram().update([0, 1], [score, score])
        loaded = ScoreHistogram.from_bytes(histogram.to_bytes())
        assert loaded == histogram
        assert loaded.roc_auc().exact == is_single


def test_equal_grids_have_equal_bytes():
    zero, minus = (ScoreHistogram(4, range=(low, 1.0)).to_bytes() for low in (0.0, -0.0))
    assert zero == minus
    zero, minus = (ScoreHistogram(edges=[low, 1.0]).to_bytes() for low in (0.0, -0.0))
    assert zero == minus


@pytest.mark.check("state round trips")
@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview, np.frombuffer])
def test_any_buffer_is_read(buffer):
    histogram = histogram_of({}, False, golden_rows())
    state = histogram.to_bytes()
    content = buffer(state, np.uint8) if buffer is np.frombuffer else buffer(state)
    loaded = ScoreHistogram.from_bytes(content)
    if buffer is bytearray:
        content[:] = bytes(len(content))  # the histogram has its own bytes
    assert loaded == histogram


@pytest.mark.parametrize("state", [None, 5, "FAUC", [70, 65], ScoreHistogram()])
def test_what_is_not_bytes_is_refused(state):
    with pytest.raises(fastauc.InvalidParameterError, match="'state' parameter of from_bytes"):
        ScoreHistogram.from_bytes(state)


# States that have been written once ---------------------------------------------------------------

# The files are read for ever. They were written by the version in their name, from these.
GOLDEN_STATES = {
    "v1_default": ({}, False, golden_rows()),
    "v1_default_weighted": ({}, True, golden_rows()),
    "v1_line": ({"bins": 100, "range": (-1.0, 1.0)}, False, golden_rows()),
    "v1_line_weighted": ({"bins": 100, "range": (-1.0, 1.0)}, True, golden_rows()),
    "v1_edges": ({"edges": [-1e300, -0.5, 0.0, 5e-324, 0.25, 0.7, 2.0]}, False, golden_rows()),
    "v1_empty": ({}, False, []),
    "v1_empty_weighted": ({"bins": 2**24, "range": (0.0, 1.0)}, True, []),
}


def test_every_golden_state_is_known():
    names = {path.stem for path in GOLDEN.glob("v1_*.bin")}
    assert names == GOLDEN_STATES.keys()


@pytest.mark.check("state round trips")
@pytest.mark.parametrize("name", GOLDEN_STATES)
def test_golden_states_are_read_and_written_for_ever(name):
    state = (GOLDEN / f"{name}.bin").read_bytes()
    loaded = ScoreHistogram.from_bytes(state)
    assert loaded.to_bytes() == state
    # Parts of one job may be counted by several versions: bins stay where they are as well.
    assert histogram_of(*GOLDEN_STATES[name]).to_bytes() == state
    assert parts_of(*GOLDEN_STATES[name]).state() == state


# Memory -------------------------------------------------------------------------------------------


def large_histograms():
    rng = np.random.default_rng(0)
    labels, values = rng.integers(0, 2, 20_000), rng.random(20_000)
    grids = {}, {"bins": 2**20, "range": (0, 1)}, {"edges": np.unique(values)}
    for arguments in grids:
        for weighted in False, True:
            histogram = ScoreHistogram(**arguments, weighted=weighted)
            yield histogram.to_bytes()
            yield histogram.update(labels, values).to_bytes()


@pytest.mark.usefixtures("traced")
def test_reading_takes_up_twice_the_state():
    for state in large_histograms():
        peak, histogram = peak_of_reading(state)
        assert peak <= 2 * len(state) + SMALL
        assert histogram.to_bytes() == state


@pytest.mark.check("forged states")
@pytest.mark.usefixtures("traced")
def test_a_forged_number_of_bins_takes_up_nothing():
    parts, row = parts_of({"bins": 2**24, "range": (0.0, 1.0)}, False, [(1, 0.5, 1.0)]), (1, 0.5, 1)
    small = ScoreHistogram.from_bytes(parts_of(GRIDS["line"], False, [row]).state())
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    loaded = ScoreHistogram.from_bytes(parts.state())
    assert loaded.n_bins == 2**24 + 1
    assert loaded.copy() == pickle.loads(pickle.dumps(loaded)) == loaded
    assert loaded.average_precision().exact
    assert loaded.confusion_counts().thresholds.tolist() == [0.5]
    assert loaded != small
    with pytest.raises(ValueError, match="bins differ"):
        loaded.merge(small)
    assert "n_pos=1" in repr(loaded)
    assert len(loaded.confusion_counts().thresholds) == 1
    assert tracemalloc.get_traced_memory()[1] - before < 2**18
