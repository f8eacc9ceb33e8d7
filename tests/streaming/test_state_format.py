"""Bytes that are no saved histogram, or not any more: an error, and nothing else."""

import ast
import dataclasses
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import fastauc
from fastauc import CorruptStateError
from fastauc.streaming import ScoreHistogram
from support.forging import (
    BY_EDGES,
    BY_LINE,
    GRIDS,
    KINDS,
    MIXED,
    NO_SCORE,
    SMALL,
    bits_of,
    damages,
    doubles,
    golden_rows,
    histogram_of,
    numbers,
    parts_of,
    peak_of_reading,
    seal,
)
from support.reliability import tried

PACKAGE = Path(fastauc.__file__).parent


# Damage -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def four_kilobytes():
    rows = [(j, 2 + k / 4 + (k % 2) * 2.0**-40 * j, 1.0) for k in range(144) for j in (0, 1)]
    state = histogram_of({}, False, rows).to_bytes()
    assert 4096 <= len(state) < 4200
    return state


def assert_refused(state, says=""):
    most = 2 * len(state) + SMALL
    peak, error = peak_of_reading(state)
    if peak > most:  # a thread of the test runner may have taken memory at the same time
        peak, error = peak_of_reading(state)
    assert isinstance(error, CorruptStateError), state
    assert peak <= most
    assert str(error).startswith("The state ")
    assert str(error).endswith(".")
    assert ". " not in str(error)
    assert re.search(says, str(error)), error


@pytest.mark.check("damaged states")
@pytest.mark.usefixtures("traced")
def test_every_damage_is_found(four_kilobytes):
    state = four_kilobytes
    for damaged in damages(state):
        assert_refused(damaged)
    tried(9 * len(state) + 3000)
    rng = np.random.default_rng(0)
    for _ in range(1000):
        junk = rng.bytes(int(rng.integers(1, 200)))
        assert_refused(state + junk)
        assert_refused(junk + state)
        assert_refused(junk)


@pytest.mark.check("damaged states")
@pytest.mark.parametrize(("name", "weighted"), KINDS)
def test_damage_under_a_new_checksum_is_refused_or_another_state(name, weighted):
    # Every state that is read is the only one of its histogram.
    rows = golden_rows()[::20]
    payload = parts_of(GRIDS[name], weighted, rows).payload()
    n_read = 0
    for changed in damages(payload):
        state = seal(changed)
        tried()
        try:
            histogram = ScoreHistogram.from_bytes(state)
        except CorruptStateError:
            continue
        assert histogram.to_bytes() == state
        n_read += 1
    # Edges, ranges, numbers of bins and of rows, and scores inside their numbers can be others.
    assert 0 < n_read < 4 * len(payload)


# Nothing runs -------------------------------------------------------------------------------------

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
        if called == "load" and options.get("allow_pickle") != "False":
            yield f"{path.name}:{node.lineno} loads with pickle allowed"


@pytest.mark.check("no code in states")
def test_no_file_can_run_what_it_reads():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 100
    # This one runs the program that its user names on the command line, as python itself does,
    files.remove(PACKAGE / "sklearn.py")
    # and these import files of the package by names that stand in them, and look up versions.
    files.remove(PACKAGE / "__init__.py")
    files.remove(PACKAGE / "_runtime.py")
    # This one calls one function of the C library, by a name that stands in it.
    files.remove(PACKAGE / "files" / "_memory.py")
    tried(len(files))
    assert [fault for path in files for fault in faults_of(path)] == []


@pytest.mark.check("no code in states")
def test_the_search_finds_what_it_is_for(tmp_path):
    path = tmp_path / "faulty.py"
    for fault in "import pickle", "from marshal import loads", "eval(x)", "numpy.load(x)":
        path.write_text(fault, encoding="utf-8")
        assert list(faults_of(path))


@pytest.mark.check("no code in states")
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


# Forged states ------------------------------------------------------------------------------------

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
        yield seal(payload, length=length), "as its header says"
    yield seal(b""), "ends within"
    yield seal(payload[:-8]), "ends within"
    yield seal(payload + bytes(8)), "8 bytes follow"
    yield seal(payload + b"\1"), "1 bytes follow"
    for n_held in 0, len(parts.numbers) - 2, len(parts.numbers) + 2, *HUGE:
        state = dataclasses.replace(parts, n_held=n_held).state()
        yield state, "ends within|bytes follow|nonzero padding"
    yield dataclasses.replace(parts, padding=b"\0\0\0\1").state(), "nonzero padding"
    yield dataclasses.replace(parts, padding=b"").state(), "ends within"


def forged_shapes(parts):
    for form in 3, 255, 2**63:
        yield dataclasses.replace(parts, form=form).state(), f"form {form}"
    for weighted in 2, 255, 2**63:
        flag = numbers([parts.weighted])
        head = len(numbers([parts.form, parts.n_bins]) + doubles(parts.shape))
        payload = parts.payload()
        assert payload[head : head + 8] == flag
        state = seal(payload[:head] + numbers([weighted]) + payload[head + 8 :])
        yield state, f"weighting is {weighted}"
    for n_bins in 0, 1, *HUGE:
        yield dataclasses.replace(parts, n_bins=n_bins).state(), "bins|edges"
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
        yield state, "there are no|not finite and increasing|-0.0"


def forged_bins(parts):
    numbers, words = parts.numbers, parts.words
    for other, says in (
        (changed(numbers, 1, numbers[0]), "not in increasing order"),
        ([numbers[1], numbers[0], *numbers[2:]], "not in increasing order"),
        (changed(numbers, -1 % len(numbers), parts.n_bins), "in bin"),
        (changed(numbers, -1 % len(numbers), 2**32 - 1), "in bin"),
        (numbers[::-1], "not in increasing order"),
    ):
        yield dataclasses.replace(parts, numbers=other).state(), says
    i = next(i for i, word in enumerate(words) if word != MIXED)
    bad = [bits_of(score) ^ NO_SCORE for score in (math.nan, math.inf, -math.inf)]
    for word in *bad, 0, 2, 2**63, 2**63 + 1, 2**51 + 1:
        yield dataclasses.replace(parts, words=changed(words, i, word)).state(), "not finite"
    elsewhere = -1e300 if numbers[i] else 1e300
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
        yield dataclasses.replace(parts, sums=changed(sums, 0, [0, 0])).state(), "empty bin"
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
    no_bins = dataclasses.replace(parts, sums=[], words=[], numbers=[], rows=[1, 0])
    yield no_bins.state(), "1 rows in 0 bins"


# Three numbers, one of them of two scores: an odd number, which zeros have to follow.
FORGED_SCORES = {
    "default": [-1.0, 0.1, 0.1 + 2.0**-50, 0.75, 0.75],
    "line": [0.05, 0.06, 0.3, 0.75, 0.75],
    "edges": [-2.0, 0.1, 0.2, 0.75, 0.75],
}


def forgeries(name, weighted):
    rows = [(k % 2, score, 0.5 + k) for k, score in enumerate(FORGED_SCORES[name])]
    parts = parts_of(GRIDS[name], weighted, rows)
    assert len(parts.numbers) == 3
    assert parts.words.count(MIXED) == 1
    assert ScoreHistogram.from_bytes(parts.state()).to_bytes() == parts.state()
    for forged in forged_layouts, forged_shapes, forged_bins, forged_sums:
        yield from forged(parts)


@pytest.mark.check("forged states")
@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(("name", "weighted"), KINDS)
def test_forged_states_are_refused(name, weighted):
    n_forged = 0
    for state, says in forgeries(name, weighted):
        assert_refused(state, says)
        n_forged += 1
    assert n_forged >= 50  # 300 in all
    tried(n_forged)


# Full counters ------------------------------------------------------------------------------------


@pytest.mark.check("full counters")
@pytest.mark.parametrize(("name", "weighted"), KINDS)
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("room", [0, 1, 2, 3, 7])
def test_full_counters_are_refused(name, weighted, label, room):
    parts, most = parts_of(GRIDS[name], weighted, [(label, 0.75, 1.0)]), 2**63 - 1
    if weighted:
        parts.rows = [most - room, 0]
    else:
        parts.sums[0][label] = most - room
    state = parts.state()
    full = ScoreHistogram.from_bytes(state)
    assert full.n_rows == most - room
    too_many = [label] * (room + 1), [0.5] * (room + 1)
    more = ScoreHistogram(**GRIDS[name], weighted=weighted).update(*too_many)
    said = f"{most + 1} rows" if weighted else f"{most + 1} rows of a class"
    for add, told in (
        (lambda: full.update(*too_many), said),
        (lambda: full.merge(more), said),
        (lambda: full.merge(full), "rows"),
    ):
        with pytest.raises(OverflowError, match=told):
            add()
        assert full.to_bytes() == state
    full.update(*(column[1:] for column in too_many))
    assert full.n_rows == most
    if not weighted:
        full.update([1 - label], [0.75])
        assert full.n_rows == most + 1
        assert ScoreHistogram.from_bytes(full.to_bytes()) == full


@pytest.mark.check("full counters")
@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("fixed_weights", [2**191 - 1, 2**191, 2**192 - 1])
def test_full_weights_are_refused(name, fixed_weights):
    parts = parts_of(GRIDS[name], True, [(1, 0.75, 1.0)])
    parts.sums[0][1] = fixed_weights
    state = parts.state()
    full = ScoreHistogram.from_bytes(state)
    more = ScoreHistogram(**GRIDS[name], weighted=True).update([1], [0.5], [1.0])
    for add in lambda: full.update([1], [0.5], [1.0]), lambda: full.merge(more):
        with pytest.raises(OverflowError, match="weigh"):
            add()
        assert full.to_bytes() == state
