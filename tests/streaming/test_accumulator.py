"""The exact area of rows in batches: any batches, types and merges; what it keeps and saves."""

import copy
import pickle
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc import CorruptStateError, UndefinedMetricWarning
from fastauc.streaming import RocAucAccumulator
from support.forging import damages, seal
from support.reliability import tried

SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-40, -1e-40, 0.5, 1.0, -1.0, 3e38, -1.7e308]),
    st.floats(0, 1, width=16),
    st.floats(allow_nan=False, allow_infinity=False),
)
DTYPES = ("f2", "f4", "f8", "i1", "u2", "i8", "?")
BATCH = st.tuples(
    st.lists(st.tuples(st.integers(0, 1), SCORES), max_size=12), st.sampled_from(DTYPES)
)


def as_batch(rows, dtype):
    """Return labels and scores of a batch in its dtype, whatever that makes of the numbers."""
    labels = np.array([label for label, _ in rows], np.int64)
    bound = {"f2": 6e4, "f4": 3e38, "f8": 1.7e308, "i1": 127, "u2": 60000, "i8": 2.0**53, "?": 1}
    scores = np.array([score for _, score in rows]).clip(-bound[dtype], bound[dtype])
    if dtype == "u2":
        scores = abs(scores)
    return labels, scores.astype(dtype)


def filled(batches):
    accumulator = RocAucAccumulator()
    for batch in batches:
        accumulator.update(*batch)
    return accumulator


# Results ------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.lists(BATCH, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_it_gives_what_the_definition_gives(drawn, random):
    batches = [as_batch(*batch) for batch in drawn]
    accumulator = RocAucAccumulator()
    for batch in batches:
        accumulator.update(*batch).concordance()  # which sorts the rows: others may follow
    expected = naive.roc_auc_accumulator([(y.tolist(), s.tolist()) for y, s in batches])
    assert tuple(accumulator.concordance()) == expected["concordance"]
    if accumulator.n_pos * accumulator.n_neg:
        assert accumulator.compute() == float(expected["compute"])
    else:
        with pytest.warns(UndefinedMetricWarning, match="Only one class is present"):
            assert np.isnan(accumulator.compute())
    random.shuffle(batches)
    again = filled(batches)
    assert again.to_bytes() == accumulator.to_bytes()


@settings(max_examples=100)
@given(st.lists(BATCH, max_size=3), st.lists(BATCH, max_size=3))
def test_merging_is_updating(mine, others):
    mine, others = ([as_batch(*batch) for batch in drawn] for drawn in (mine, others))
    whole = filled([*mine, *others])
    left, right = filled(mine), filled(others)
    before = right.to_bytes()
    assert left.merge(right) is left
    assert left.to_bytes() == whole.to_bytes()
    assert right.to_bytes() == before
    assert right.merge(filled(mine)).to_bytes() == whole.to_bytes()


def test_an_accumulator_merged_with_itself_has_its_rows_twice():
    labels, scores = [0, 1, 1, 0, 1], [-0.5, 0.5, 0.25, 0.25, -2.0]
    accumulator = RocAucAccumulator().update(labels, scores)
    accumulator.merge(accumulator)
    assert accumulator.concordance() == fastauc.concordance(2 * labels, 2 * scores)


def test_reset_forgets_all_rows():
    accumulator = RocAucAccumulator().update([0, 1], [0.5, 0.25])
    assert accumulator.reset() is accumulator
    assert (accumulator.n_rows, accumulator.nbytes) == (0, 0)
    assert accumulator.update([0, 1], np.float32([0.25, 0.5])).compute() == 1.0
    assert accumulator.to_bytes() == filled([([0, 1], np.float32([0.25, 0.5]))]).to_bytes()


def test_labels_are_those_of_other_functions():
    accumulator = RocAucAccumulator()
    accumulator.update(["a", "b"], [0.5, 0.25], pos_label="b")
    accumulator.update([-1, 1], [0.5, 0.75]).update([True, False], [0.25, 0.5]).update([], [])
    accumulator.update(np.array([[1.0], [0.0]]), np.array([[0.5], [0.25]]))
    assert (accumulator.n_pos, accumulator.n_neg) == (4, 4)
    scores = [0.5, 0.25, 0.5, 0.75, 0.25, 0.5, 0.5, 0.25]
    assert accumulator.compute() == fastauc.roc_auc_score([0, 1, 0, 1, 1, 0, 1, 0], scores)
    with pytest.raises(ValueError, match="pos_label is not specified"):
        accumulator.update(["a", "b"], [0.5, 0.25])


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([0, 1], [0.5, float("nan")], r"y_score\[1\] is nan"),
        ([0, 2], [0.5, 0.25], "pos_label is not specified"),
        ([0, 1], [0, 2**53 + 1], r"y_score\[1\] has no exact double \(nearest: 9007199254740992.0"),
    ],
)
def test_what_is_refused_changes_nothing(labels, scores, message):
    accumulator = RocAucAccumulator().update([0, 1], np.float32([0.25, 0.5]))
    before = accumulator.to_bytes()
    with pytest.raises(ValueError, match=message):
        accumulator.update(labels, scores)
    assert accumulator.to_bytes() == before
    with pytest.raises(fastauc.InvalidParameterError, match="'other' parameter of merge"):
        accumulator.merge(fastauc.streaming.ScoreHistogram())


def test_large_integers_that_are_doubles_are_kept():
    scores = [2**53, 2**53 + 2, -(2**62), 2**62]
    accumulator = RocAucAccumulator().update([1, 0, 0, 1], scores)
    assert accumulator.compute() == fastauc.roc_auc_score([1, 0, 0, 1], scores)


# Memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("batch", [100, 4096, 70_000])
def test_a_row_takes_few_bytes(dtype, batch):
    most = 9  # bytes a row
    rng = np.random.default_rng(9)
    labels, scores = rng.integers(0, 2, 200_000), rng.normal(size=200_000).astype(dtype)
    RocAucAccumulator().update(labels[:10], scores[:10])
    tracemalloc.start()
    accumulator = RocAucAccumulator()
    for start in range(0, 200_000, batch):
        accumulator.update(labels[start : start + batch], scores[start : start + batch])
        assert accumulator.nbytes <= most * accumulator.n_rows + 16 * 1024
    held = tracemalloc.get_traced_memory()[0]
    accumulator.compute()
    held_after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held <= most * 200_000
    assert held_after <= (most - 1) * 200_000 + 16 * 1024
    # While it sorts: the rows twice.
    assert peak <= 2 * most * 200_000 + 700_000


# States -------------------------------------------------------------------------------------------


@pytest.mark.check("state round trips")
@settings(max_examples=100)
@given(st.lists(BATCH, max_size=4), BATCH)
def test_states_come_back(drawn, later):
    tried()
    accumulator = filled([as_batch(*batch) for batch in drawn])
    state = accumulator.to_bytes()
    for loaded in (
        RocAucAccumulator.from_bytes(state),
        RocAucAccumulator.from_bytes(bytearray(state)),
        pickle.loads(pickle.dumps(accumulator)),
        copy.copy(accumulator),
        copy.deepcopy(accumulator),
    ):
        assert repr(loaded) == repr(accumulator)
        assert loaded.to_bytes() == state
        loaded.update(*as_batch(*later))
    # What was added to the others is not here.
    assert accumulator.to_bytes() == state
    assert loaded.concordance() == accumulator.update(*as_batch(*later)).concordance()


def key_of(score):
    """Return the key of a score, from its bits."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", score))
    sign = 1 << 63
    if bits & sign and bits != sign:
        return bits ^ (2 * sign - 1)
    return bits | sign


def forged(classes, lengths=None, padding=b""):
    """Return a state from its description: two numbers, then the keys of both classes."""
    payload = struct.pack("<2Q", *(lengths or map(len, classes)))
    for keys in classes:
        payload += struct.pack(f"<{len(keys)}Q", *keys)
    return seal(payload + padding, kind=6)


ROWS = [(0.5, 1), (-0.5, 0), (0.0, 1), (0.5, 0), (-2.0, 1), (1e-40, 0), (-1e-45, 1), (3e38, 1)]


@pytest.mark.check("state round trips")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_states_are_what_the_format_says(dtype):
    scores = np.array([score for score, _ in ROWS], dtype)
    classes = [[], []]
    for score, (_, label) in zip(scores.tolist(), ROWS, strict=True):
        classes[label].append(key_of(score))
    state = filled([([label for _, label in ROWS], scores)]).to_bytes()
    assert state == forged([sorted(keys) for keys in classes])
    assert RocAucAccumulator.from_bytes(state).n_pos == 5


@pytest.mark.check("damaged states")
def test_every_damaged_state_is_refused():
    state = filled([([0, 1, 1], [-0.5, 0.5, 0.25])]).to_bytes()
    tried(9 * len(state))
    for damaged in damages(state):
        with pytest.raises(CorruptStateError):
            RocAucAccumulator.from_bytes(damaged)
    with pytest.raises(CorruptStateError, match="has kind 1; expected 6"):
        RocAucAccumulator.from_bytes(fastauc.streaming.ScoreHistogram().to_bytes())


LEAST, LARGEST = (key_of(sign * np.finfo(float).max) for sign in (-1, 1))


@pytest.mark.check("forged states")
@pytest.mark.parametrize(
    ("classes", "options", "message"),
    [
        ([[], [LARGEST, LEAST]], {}, "its positives are not in order"),
        ([[], [LARGEST + 1]], {}, "not all of its positives stand for finite scores"),
        ([[LEAST - 1], []], {}, "not all of its negatives stand for finite scores"),
        ([[LEAST, 2**63 - 1], []], {}, "not all of its negatives stand for finite scores"),  # -0.0
        ([[], [LEAST]], {"lengths": (0, 2**61)}, "it ends within the positives"),
        ([[], [LEAST]], {"lengths": (2**63, 2)}, "it ends within the negatives"),
        ([[], [LEAST]], {"padding": bytes(8)}, "8 bytes follow its last field"),
    ],
)
def test_forged_states_are_refused(classes, options, message):
    with pytest.raises(CorruptStateError, match=message):
        RocAucAccumulator.from_bytes(forged(classes, **options))
    # The greatest and the least that are allowed.
    limits = forged([[LEAST, 2**63], [2**63, LARGEST]])
    assert RocAucAccumulator.from_bytes(limits).concordance() == (3, 1, 2, 2)


def test_reading_takes_no_more_than_the_state():
    state = filled([(np.arange(40_000) % 2, np.linspace(-1, 1, 40_000))]).to_bytes()
    tracemalloc.start()
    accumulator = RocAucAccumulator.from_bytes(state)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(state)
    assert accumulator.n_rows == 40_000
