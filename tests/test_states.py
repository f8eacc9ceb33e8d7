"""Saved histograms: the same bytes everywhere and for ever, and an error for any others.

R-70 to R-75, as far as they are about states.
"""

import ast
import copy
import dataclasses
import json
import math
import pickle
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastauc
from fastauc import CorruptStateError, ScoreHistogram
from forging import (
    BY_EDGES,
    BY_LINE,
    NO_SCORE,
    SEVERAL,
    bits_of,
    doubles,
    numbers,
    parts_of,
    seal,
)

PACKAGE = Path(fastauc.__file__).parent
GOLDEN = Path(__file__).parent / "data" / "states"

GRIDS = {
    "default": {},
    "line": {"bins": 8, "range": (0.0, 1.0)},
    "edges": {"edges": [-1.0, 0.0, 0.25, 0.5]},
}
KINDS = [(name, weighted) for name in GRIDS for weighted in (False, True)]
# What reading may take up beside twice the bytes of the state: Python's objects for some numbers.
SMALL = 16 * 1024


def histogram_of(arguments, weighted, rows):
    labels, scores, weights = zip(*rows, strict=True) if rows else ([], [], [])
    histogram = ScoreHistogram(**arguments, weighted=weighted)
    return histogram.update(labels, scores, weights if weighted else None)


def golden_rows():
    """Return 300 rows from integers alone: all magnitudes, both signs, ties, close to 0 and 1."""
    scores = [0.0, -0.0, 5e-324, -5e-324, 2.0**-32, 2.0**32, 1.0, -1.0, 1 - 2.0**-53, 1e308, -1e308]
    scores += [k / 64 for k in range(64)]
    scores += [math.ldexp((k * 40503 % 65536) / 65536 - 0.5, k - 50) for k in range(100)]
    scores += [1 - math.ldexp(1 + k / 8, -k) for k in range(1, 26)]
    scores += [0.7 + k * 2.0**-20 for k in range(100)]
    weights = [0.0, 1.0, 0.1, 2.0**-128, 2.0**-129, 2.0**-150, 2.0**40 + 2.0**-12]
    return [(k * k % 7 % 2, s, weights[k % len(weights)]) for k, s in enumerate(scores)]


# round trips --------------------------------------------------------------------------------

SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 0.25, 0.5, 1.0, -1.0, 1.7e308, -1.7e308]),
    st.floats(0, 1),
    st.floats(allow_nan=False, allow_infinity=False),
)
WEIGHTS = st.one_of(
    st.sampled_from([0.0, 1.0, 5e-324, 2.0**-128, 2.0**-129, 2.0**-130]), st.floats(0, 2.0**50)
)
ROWS = st.lists(st.tuples(st.integers(0, 1), SCORES, WEIGHTS), max_size=30)


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(KINDS), rows=ROWS, cut=st.integers(0, 30))
def test_states_are_what_the_format_says_and_come_back(kind, rows, cut):
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
    labels, scores, weights = zip(*rows[cut:], strict=True) if rows[cut:] else ([], [], [])
    assert part.update(labels, scores, weights if weighted else None).to_bytes() == state


@pytest.mark.parametrize(("name", "weighted"), KINDS)
def test_a_loaded_histogram_answers_as_the_saved_one(name, weighted):
    histogram = histogram_of(GRIDS[name], weighted, golden_rows())
    loaded = ScoreHistogram.from_bytes(histogram.to_bytes())
    for method in "roc_auc", "average_precision", "ks", "to_dict":
        assert getattr(loaded, method)() == getattr(histogram, method)()
    for ours, theirs in zip(loaded.confusion_counts(), histogram.confusion_counts(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    doubled = loaded.copy().merge(loaded)
    assert doubled == histogram + histogram
    assert loaded == histogram
    assert loaded.merge(loaded) == doubled
    assert sum([loaded, histogram]) == doubled + histogram


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


def test_long_numbers_are_several_scores_in_a_state():
    histogram = ScoreHistogram().update([0, 1], [2**53 + 1, 5])
    loaded = ScoreHistogram.from_bytes(histogram.to_bytes())
    assert loaded == histogram
    assert loaded.to_dict()["cells"]["only_score"] == [5.0, None]


def test_equal_grids_have_equal_bytes():
    zero, minus = (ScoreHistogram(4, range=(low, 1.0)).to_bytes() for low in (0.0, -0.0))
    assert zero == minus
    zero, minus = (ScoreHistogram(edges=[low, 1.0]).to_bytes() for low in (0.0, -0.0))
    assert zero == minus


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


# states that have been written once ---------------------------------------------------------

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
    assert {path.stem for path in GOLDEN.glob("*.bin")} == GOLDEN_STATES.keys()


@pytest.mark.parametrize("name", GOLDEN_STATES)
def test_golden_states_are_read_and_written_for_ever(name):
    state = (GOLDEN / f"{name}.bin").read_bytes()
    loaded = ScoreHistogram.from_bytes(state)
    assert loaded.to_bytes() == state
    # Parts of one job may be counted by several versions: cells stay where they are as well.
    assert histogram_of(*GOLDEN_STATES[name]).to_bytes() == state
    assert parts_of(*GOLDEN_STATES[name]).state() == state


# Plain numbers ------------------------------------------------------------------------------------


def plain(value):
    """Tell whether a value is made of Python's own numbers, strings, lists and dicts."""
    if type(value) is dict:
        return all(type(key) is str and plain(item) for key, item in value.items())
    if type(value) is list:
        return all(map(plain, value))
    return value is None or type(value) in (bool, int, float, str)


@pytest.mark.parametrize(("name", "weighted"), KINDS)
@pytest.mark.parametrize("n_rows", [0, 1, 300])
def test_dict_is_plain(name, weighted, n_rows):
    histogram = histogram_of(GRIDS[name], weighted, golden_rows()[1 : n_rows + 1])
    described = histogram.to_dict()
    assert plain(described)
    assert json.loads(json.dumps(described, allow_nan=False)) == described
    assert (described["n_neg"], described["n_pos"]) == (histogram.n_neg, histogram.n_pos)
    assert len({len(column) for column in described["cells"].values()}) == 1
    if n_rows < 300:
        assert described["roc_auc"] is None
    else:
        assert described["roc_auc"] == histogram.roc_auc()._asdict()


def test_dict_says_what_the_cells_hold():
    rows = [(0, -7.0, 1.0), (1, 0.3, 0.5), (0, 0.26, 2.0), (1, 0.75, 0.25), (1, 0.75, 0.25)]
    counts, weights = (histogram_of(GRIDS["edges"], weighted, rows) for weighted in (False, True))
    cells = {"cell": [0, 3, 4], "lower_edge": [None, 0.25, 0.5], "only_score": [-7.0, None, 0.75]}
    below = math.nextafter(5 / 6, 0)  # the double nearest to 5/6 is above it
    assert counts.to_dict() == {
        "grid": {"n_cells": 5, "edges": [-1.0, 0.0, 0.25, 0.5]},
        "weighted": False,
        "n_neg": 2,
        "n_pos": 3,
        "roc_auc": {"estimate": 11 / 12, "lower": below, "upper": 1.0, "exact": False},
        "cells": cells | {"n_neg": [1, 1, 0], "n_pos": [0, 1, 2]},
    }
    described = weights.to_dict()
    assert (described["weighted"], described["n_neg"], described["n_pos"]) == (True, 3.0, 1.0)
    assert described["cells"] == cells | {"n_neg": [1.0, 2.0, 0.0], "n_pos": [0.0, 0.5, 0.5]}
    line = ScoreHistogram(4, range=(0, 2)).update([0], [1.1]).to_dict()
    assert line["grid"] == {"n_cells": 5, "bins": 4, "range": [0.0, 2.0]}
    assert line["cells"]["lower_edge"] == [1.0]


# Memory -------------------------------------------------------------------------------------------


def peak_of_reading(state):
    """Return the memory that reading a state takes up at most, and what came of it."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        found = ScoreHistogram.from_bytes(state)
    except CorruptStateError as error:
        found = error.with_traceback(None)
    return tracemalloc.get_traced_memory()[1] - before, found


@pytest.fixture
def traced():
    tracemalloc.start()
    yield
    tracemalloc.stop()


def large_histograms():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 20_000), rng.random(20_000)
    grids = {}, {"bins": 2**20, "range": (0, 1)}, {"edges": np.unique(scores)}
    for arguments in grids:
        for weighted in False, True:
            histogram = ScoreHistogram(**arguments, weighted=weighted)
            yield histogram.to_bytes()
            yield histogram.update(labels, scores).to_bytes()


@pytest.mark.usefixtures("traced")
def test_reading_takes_up_twice_the_state():
    for state in large_histograms():
        peak, histogram = peak_of_reading(state)
        assert peak <= 2 * len(state) + SMALL
        assert histogram.to_bytes() == state


@pytest.mark.usefixtures("traced")
def test_a_forged_number_of_cells_takes_up_nothing():
    parts, row = parts_of({"bins": 2**24, "range": (0.0, 1.0)}, False, [(1, 0.5, 1.0)]), (1, 0.5, 1)
    small = ScoreHistogram.from_bytes(parts_of(GRIDS["line"], False, [row]).state())
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    loaded = ScoreHistogram.from_bytes(parts.state())
    assert loaded.n_cells == 2**24 + 1
    assert loaded.copy() == pickle.loads(pickle.dumps(loaded)) == loaded
    assert loaded.average_precision().exact
    assert loaded.to_dict()["cells"]["only_score"] == [0.5]
    assert loaded != small
    with pytest.raises(ValueError, match="cells differ"):
        loaded.merge(small)
    assert "n_pos=1" in repr(loaded)
    assert len(loaded.confusion_counts().thresholds) == 1
    assert tracemalloc.get_traced_memory()[1] - before < 2**18


# damage -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def four_kilobytes():
    rows = [(j, 2 + k / 4 + (k % 2) * 2.0**-40 * j, 1.0) for k in range(144) for j in (0, 1)]
    state = histogram_of({}, False, rows).to_bytes()
    assert 4096 <= len(state) < 4200
    return state


def flips(state):
    """Yield the state with each of its bits turned."""
    damaged = bytearray(state)
    for place in range(len(state)):
        for bit in range(8):
            damaged[place] ^= 1 << bit
            yield bytes(damaged)
            damaged[place] ^= 1 << bit


def assert_refused(state, says=""):
    peak, error = peak_of_reading(state)
    assert isinstance(error, CorruptStateError), state
    assert peak <= 2 * len(state) + SMALL
    assert str(error).startswith("The state ")
    assert str(error).endswith(".")
    assert ". " not in str(error)
    assert re.search(says, str(error)), error


@pytest.mark.usefixtures("traced")
def test_every_damage_is_found(four_kilobytes):
    state = four_kilobytes
    for damaged in flips(state):
        assert_refused(damaged)
    for n_bytes in range(len(state)):
        assert_refused(state[:n_bytes])
    rng = np.random.default_rng(0)
    for _ in range(1000):
        junk = rng.bytes(int(rng.integers(1, 200)))
        assert_refused(state + junk)
        assert_refused(junk + state)
        assert_refused(junk)


@pytest.mark.parametrize(("name", "weighted"), KINDS)
def test_damage_under_a_new_checksum_is_refused_or_another_state(name, weighted):
    # Every state that is read is the only one of its histogram.
    rows = golden_rows()[::20]
    payload = parts_of(GRIDS[name], weighted, rows).payload()
    n_read = 0
    for changed in [*flips(payload), *(payload[:n] for n in range(len(payload)))]:
        state = seal(changed)
        try:
            histogram = ScoreHistogram.from_bytes(state)
        except CorruptStateError:
            continue
        assert histogram.to_bytes() == state
        n_read += 1
    # Edges, ranges, numbers of bins and of rows, and scores inside their cells can be others.
    assert 0 < n_read < 4 * len(payload)


# nothing runs -------------------------------------------------------------------------------

FORBIDDEN_MODULES = {
    *("pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"),
    *("yaml", "jsonpickle", "importlib", "imp", "runpy", "code", "ctypes"),
}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "breakpoint", "fromstring"}


def faults_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules = {(node.module or "").partition(".")[0]}
        else:
            modules = set()
        if modules & FORBIDDEN_MODULES:
            yield f"{path.name}:{node.lineno} imports {modules}"
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        options = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        if called in FORBIDDEN_CALLS and ast.unparse(node.func) != "re.compile":
            yield f"{path.name}:{node.lineno} calls {called}"
        if called in ("load", "fromfile") and options.get("allow_pickle") != "False":
            yield f"{path.name}:{node.lineno} loads with pickle allowed"


def test_no_file_can_run_what_it_reads():
    files = sorted(PACKAGE.glob("*.py"))
    assert PACKAGE / "states.py" in files
    assert [fault for path in files for fault in faults_of(path)] == []


def test_the_search_finds_what_it_is_for(tmp_path):
    path = tmp_path / "faulty.py"
    for fault in "import pickle", "from marshal import loads", "eval(x)", "numpy.load(x)":
        path.write_text(fault, encoding="utf-8")
        assert list(faults_of(path))


@pytest.mark.usefixtures("traced")
def test_nothing_is_unpickled_or_evaluated(monkeypatch, four_kilobytes):
    pickled = pickle.dumps(ScoreHistogram())

    def refuse(*arguments, **options):
        raise AssertionError("reached")

    contents = pickled, seal(pickled), four_kilobytes[:-4] + pickled, four_kilobytes
    with monkeypatch.context() as patch:
        for module in "pickle", "_pickle", "marshal":
            patch.setattr(f"{module}.loads", refuse)
            patch.setattr(f"{module}.load", refuse)
        patch.setattr("pickle.Unpickler", refuse)
        patch.setattr("numpy.load", refuse)
        for name in "eval", "exec", "__import__":
            patch.setattr(f"builtins.{name}", refuse)
        *refused, (_, read) = map(peak_of_reading, contents)
    assert all(isinstance(error, CorruptStateError) for _, error in refused)
    assert read.to_bytes() == four_kilobytes


# forged states ------------------------------------------------------------------------------

HUGE = [2**24 + 2, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1]


def changed(values, i, value):
    return [*values[:i], value, *values[i + 1 :]]


def forged_layouts(parts):
    """Yield states whose outside does not fit, and what the error says."""
    payload = parts.payload()
    yield seal(payload, magic=b"FAUD"), "does not begin"
    for version in 0, 2, 256, 65535:
        yield seal(payload, version=version), f"version {version}"
    for kind in 0, 2, 256, 65535:
        yield seal(payload, kind=kind), f"kind {kind}"
    for length in 0, len(payload) - 8, len(payload) + 8, *HUGE:
        yield seal(payload, length=length), "as it says"
    yield seal(b""), "ends within"
    yield seal(payload[:-8]), "ends within"
    yield seal(payload + bytes(8)), "8 bytes follow"
    yield seal(payload + b"\1"), "1 bytes follow"
    for n_held in 0, len(parts.cells) - 2, len(parts.cells) + 2, *HUGE:
        state = dataclasses.replace(parts, n_held=n_held).state()
        yield state, "ends within|bytes follow|other bytes"
    yield dataclasses.replace(parts, padding=b"\0\0\0\1").state(), "other bytes than 0"
    yield dataclasses.replace(parts, padding=b"").state(), "ends within"


def forged_grids(parts):
    for form in 3, 255, 2**63:
        yield dataclasses.replace(parts, form=form).state(), f"form {form}"
    for weighted in 2, 255, 2**63:
        flag = numbers([parts.weighted])
        head = len(numbers([parts.form, parts.n_cells]) + doubles(parts.shape))
        payload = parts.payload()
        assert payload[head : head + 8] == flag
        state = seal(payload[:head] + numbers([weighted]) + payload[head + 8 :])
        yield state, f"weighting is {weighted}"
    for n_cells in 0, 1, *HUGE:
        yield dataclasses.replace(parts, n_cells=n_cells).state(), "cells|edges"
    shapes = []
    if parts.form == BY_LINE:
        shapes = [[0.0, value] for value in (math.nan, math.inf, -0.0, 0.0, -1.0, 5e-324)]
        shapes += [[value, 1.0] for value in (math.nan, math.inf, -math.inf, -0.0, 1.0, 2.0)]
        shapes += [[-1.7e308, 1.7e308], [5e-324, 1.0]]
    if parts.form == BY_EDGES:
        for bad in math.nan, -math.nan, math.inf, -math.inf, -0.0, 1e300, -1e300:
            shapes += [changed(parts.shape, i, bad) for i in range(1, 3)]
        shapes += [changed(parts.shape, 0, -math.inf), changed(parts.shape, 3, math.inf)]
        shapes += [parts.shape[::-1], changed(parts.shape, 1, parts.shape[0])]
    for shape in shapes:
        state = dataclasses.replace(parts, shape=shape).state()
        yield state, "no grid of|not finite and increasing|-0.0"


def forged_cells(parts):
    cells, words = parts.cells, parts.words
    for other, says in (
        (changed(cells, 1, cells[0]), "do not increase"),
        ([cells[1], cells[0], *cells[2:]], "do not increase"),
        (changed(cells, -1 % len(cells), parts.n_cells), "in cell"),
        (changed(cells, -1 % len(cells), 2**32 - 1), "in cell"),
        (cells[::-1], "do not increase"),
    ):
        yield dataclasses.replace(parts, cells=other).state(), says
    i = next(i for i, word in enumerate(words) if word != SEVERAL)
    bad = [bits_of(score) ^ NO_SCORE for score in (math.nan, math.inf, -math.inf)]
    for word in *bad, 0, 2, 2**63, 2**63 + 1, 2**51 + 1:
        yield dataclasses.replace(parts, words=changed(words, i, word)).state(), "not finite"
    elsewhere = -1e300 if cells[i] else 1e300
    word = bits_of(elsewhere) ^ NO_SCORE
    yield dataclasses.replace(parts, words=changed(words, i, word)).state(), "does not belong"
    word = bits_of(-0.0) ^ NO_SCORE
    yield dataclasses.replace(parts, words=changed(words, i, word)).state(), "-0.0"


def forged_sums(parts):
    sums, totals = parts.sums, [sum(column) for column in zip(*parts.sums, strict=True)]
    for label in 0, 1:
        for off in 1, -1, 2**32, 2**63 - totals[label] % 2**63:
            other = changed(totals, label, totals[label] + off)
            yield dataclasses.replace(parts, totals=other).state(), "add up"
        other = [changed(pair, label, pair[label] + 1) for pair in sums]
        yield dataclasses.replace(parts, sums=other, totals=totals).state(), "add up"
    yield dataclasses.replace(parts, totals=totals[::-1]).state(), "add up"
    yield dataclasses.replace(parts, totals=[0, 0]).state(), "add up"
    word = 2**192 if parts.weighted else 2**64
    # Sums that wrap around to the totals.
    wrapping = changed(changed(sums, 0, [word - 1, 0]), 1, [2, 1])
    total = [sum(column) % word for column in zip(*wrapping, strict=True)]
    yield dataclasses.replace(parts, sums=wrapping, totals=total).state(), "add up"
    if not parts.weighted:
        yield dataclasses.replace(parts, sums=changed(sums, 0, [0, 0])).state(), "without rows"
        for count in 2**63, 2**64 - 2**20:
            other = changed(sums, 0, [count, 0])
            yield dataclasses.replace(parts, sums=other).state(), "rows of a class"
        other = changed(changed(sums, 0, [2**62, 0]), 1, [2**62, 0])
        yield dataclasses.replace(parts, sums=other).state(), "rows of a class"
        return
    n_rows, n_rounded = parts.rows
    for rows in (0, 0), (len(sums) - 1, 0), (2**63, 0), (2**64 - 1, n_rounded):
        yield dataclasses.replace(parts, rows=list(rows)).state(), "rows in"
    for rows in (n_rows, n_rows + 1), (n_rows, 2**63), (n_rows, 2**64 - 1), (n_rows, 0):
        other = changed(sums, 0, [0, 0]) if rows[1] == 0 else sums
        yield dataclasses.replace(parts, sums=other, rows=list(rows)).state(), "rounded"
    no_cells = dataclasses.replace(parts, sums=[], words=[], cells=[], rows=[1, 0])
    yield no_cells.state(), "1 rows in 0 cells"


# Three cells, one of them of two scores: an odd number, which zeros have to follow.
FORGED_SCORES = {
    "default": [-1.0, 0.1, 0.1 + 2.0**-50, 0.75, 0.75],
    "line": [0.05, 0.06, 0.3, 0.75, 0.75],
    "edges": [-2.0, 0.1, 0.2, 0.75, 0.75],
}


def forgeries(name, weighted):
    rows = [(k % 2, score, 0.5 + k) for k, score in enumerate(FORGED_SCORES[name])]
    parts = parts_of(GRIDS[name], weighted, rows)
    assert len(parts.cells) == 3
    assert parts.words.count(SEVERAL) == 1
    assert ScoreHistogram.from_bytes(parts.state()).to_bytes() == parts.state()
    for forged in forged_layouts, forged_grids, forged_cells, forged_sums:
        yield from forged(parts)


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(("name", "weighted"), KINDS)
def test_forged_states_are_refused(name, weighted):
    n_forged = 0
    for state, says in forgeries(name, weighted):
        assert_refused(state, says)
        n_forged += 1
    assert n_forged >= 50  # 300 in all


# states that do not belong together ---------------------------------------------------------


def test_states_that_do_not_belong_together_are_refused():
    grids = [
        *({"bins": bins, "range": (0.0, high)} for bins in (3, 4) for high in (1.0, 1 + 2.0**-52)),
        *({"edges": edges} for edges in ([0.0], [5e-324], [0.0, 0.5], [0.0, 1.0])),
        {},
    ]
    rows = golden_rows()[:40]
    states = [
        histogram_of(grid, weighted, rows).to_bytes()
        for grid in grids
        for weighted in (False, True)
    ]
    n_pairs = 0
    for first in states:
        for second in states:
            if first is second:
                continue
            one, other = map(ScoreHistogram.from_bytes, (first, second))
            with pytest.raises(ValueError, match="differ"):
                one.merge(other)
            assert (one.to_bytes(), other.to_bytes()) == (first, second)
            assert one != other
            n_pairs += 1
    assert n_pairs >= 100


# full counters ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("room", [0, 1, 7])
def test_full_counters_are_refused(name, label, room):
    parts = parts_of(GRIDS[name], False, [(label, 0.75, 1.0)])
    parts.sums[0][label] = 2**63 - 1 - room
    state = parts.state()
    full = ScoreHistogram.from_bytes(state)
    assert full.n_rows == 2**63 - 1 - room
    too_many = [label] * (room + 1), [0.5] * (room + 1)
    with pytest.raises(OverflowError, match="9223372036854775808 rows of a class"):
        full.update(*too_many)
    with pytest.raises(OverflowError, match="9223372036854775808 rows of a class"):
        full.merge(ScoreHistogram(**GRIDS[name]).update(*too_many))
    with pytest.raises(OverflowError, match="rows"):
        full.merge(full)
    assert full.to_bytes() == state
    full.update(*(column[1:] for column in too_many))
    full.update([1 - label], [0.75])
    assert full.n_rows == 2**63
    assert ScoreHistogram.from_bytes(full.to_bytes()) == full


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("room", [0, 1, 7])
def test_full_counters_of_weighted_rows_are_refused(name, room):
    parts = parts_of(GRIDS[name], True, [(1, 0.75, 1.0)])
    parts.rows = [2**63 - 1 - room, 0]
    state = parts.state()
    full = ScoreHistogram.from_bytes(state)
    too_many = [0] * (room + 1), [0.5] * (room + 1)
    more = ScoreHistogram(**GRIDS[name], weighted=True).update(*too_many)
    for add in lambda: full.update(*too_many), lambda: full.merge(more), lambda: full.merge(full):
        with pytest.raises(OverflowError, match="rows"):
            add()
        assert full.to_bytes() == state
    full.update(*(column[1:] for column in too_many))
    assert full.n_rows == 2**63 - 1


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("quanta", [2**191 - 1, 2**191, 2**192 - 1])
def test_full_weights_are_refused(name, quanta):
    parts = parts_of(GRIDS[name], True, [(1, 0.75, 1.0)])
    parts.sums[0][1] = quanta
    state = parts.state()
    full = ScoreHistogram.from_bytes(state)
    more = ScoreHistogram(**GRIDS[name], weighted=True).update([1], [0.5], [1.0])
    for add in lambda: full.update([1], [0.5], [1.0]), lambda: full.merge(more):
        with pytest.raises(OverflowError, match="weigh"):
            add()
        assert full.to_bytes() == state
