"""Steps of a refinement: parts come to the whole, wrong data are found, and states come back."""

import contextlib
import itertools
import math
import pickle
import random
import tracemalloc
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

import fastauc
from fastauc import CorruptStateError, concordance
from fastauc.streaming import (
    Refinement,
    ScoreHistogram,
    _passes as passes,
    _plan as unresolved,
    refine,
    refine_roc_auc,
)
from fastauc.streaming._cells import keys_of
from support.forging import seal
from support.refining import divide, histogram_of
from support.reliability import tried

# Parts --------------------------------------------------------------------------------------------


def steps():
    """Yield empty steps of either kind, weighted or not, the second ones after a first one."""
    rng = np.random.default_rng(14)
    n = 3000
    labels, values = rng.integers(0, 2, n), rng.integers(0, 700, n) ** 3 / 700.0**3
    weight = rng.integers(0, 5, n) * 10.0 ** rng.integers(-3, 3, n)
    for rows in ((labels, values), (labels, values, weight)):
        histogram = histogram_of(rows, {"bins": 30, "range": (0, 1)})
        for limits in (
            [{"max_rows": 2**20}],
            [{"max_rows": 100}],
            [{"tol": 1e-3, "max_rows": 10}] * 2,
            [{"max_rows": 10}, {"max_rows": 2**20}],
        ):
            state = histogram
            with mock.patch.object(unresolved, "PARTS", 256):
                *firsts, last = limits
                for limit in firsts:
                    state = refine(state, **limit).update(*rows)
                yield refine(state, **last), rows


CASES = list(steps())
STEPS = pytest.mark.parametrize(("step", "rows"), CASES)


def test_counts_that_half_a_word_cannot_hold():
    rng = np.random.default_rng(15)
    n = 100_000
    rows = rng.integers(0, 2, n), rng.random(n).round(4)
    step = refine(histogram_of(rows, {"bins": 30, "range": (0, 1)}), tol=1e-12, max_rows=10)
    assert step.kind == "grid"
    whole = step.copy().update(*rows)
    with mock.patch.object(passes, "_MOST_COUNTED", 2**14 + 1):  # of a block at least
        carried = step.copy()
        for part in divide(rows, 3):
            carried.update(*part)
        assert carried == whole
        assert carried.to_bytes() == whole.to_bytes()
        assert carried.merge(step) == whole
    assert carried.roc_auc() == whole.roc_auc()


def test_steps_of_all_kinds():
    assert {(step.kind, step.weighted) for step, _ in CASES} == {
        (kind, weighted) for kind in ("grid", "rows") for weighted in (False, True)
    }


@pytest.mark.check("partitions")
@pytest.mark.check("repeated tasks")
@STEPS
def test_parts_come_to_the_same_in_any_order(step, rows):
    whole = step.copy().update(*rows)
    rng = np.random.default_rng(15)
    random_order = random.Random(15)
    for n in (1, 2, 7):
        order = rng.permutation(len(rows[0]))
        copies = [
            step.copy().update(*part) for part in divide([column[order] for column in rows], n)
        ]
        random_order.shuffle(copies)
        for merged in (sum(copies), sum(copies[1:], copies[0]), sum(copies, step)):
            tried()
            assert merged == whole
            assert merged.complete
            assert merged.n_rows == whole.n_rows
            assert merged.roc_auc() == whole.roc_auc()
            following, expected = refine(merged, max_rows=10), refine(whole, max_rows=10)
            assert following == expected
    assert step.n_rows == 0


@STEPS
def test_copies_share_nothing(step, rows):
    half, other = divide(rows, 2)
    twin = step.copy().update(*half)
    again = twin.copy()
    assert twin == again
    twin.update(*other)
    assert twin.complete
    assert again != twin
    assert not again.complete
    assert again.update(*other) == twin


@STEPS
def test_area_before_all_rows_are_added(step, rows):
    before = step.roc_auc()
    exact = float(naive_area(rows))
    assert before.lower <= exact <= before.upper
    half, other = divide(rows, 2)
    partly = step.copy().update(*half)
    assert partly.roc_auc() == before
    with pytest.raises(ValueError, match=rf"{partly_found(partly)}.*expected the same data"):
        refine(partly)
    after = partly.update(*other).roc_auc()
    assert before.lower <= after.lower <= exact <= after.upper <= before.upper
    assert after != before


def naive_area(rows):
    """Return the area of many rows, in fractions."""
    labels, values = (np.asarray(column) for column in rows[:2])
    weight = [Fraction(w) for w in (rows[2].tolist() if len(rows) == 3 else [1] * len(labels))]
    won = below = total = Fraction(0)
    order = sorted(range(len(labels)), key=lambda i: values[i])
    for _, group in itertools.groupby(order, key=lambda i: values[i]):
        group = list(group)
        neg = sum((weight[i] for i in group if labels[i] == 0), Fraction(0))
        pos = sum((weight[i] for i in group if labels[i] == 1), Fraction(0))
        won += pos * (below + neg / 2)
        below += neg
        total += pos
    return won / (below * total)


def partly_found(step):
    neg, pos = step._content.totals
    return f"{neg} negatives and {pos} positives" if not step.weighted else "negatives and"


# Wrong data ---------------------------------------------------------------------------------------


def changes(rows):
    """Yield rows that are not those of the pass before, and what has been done to them."""
    labels, values, *weight = rows
    is_unresolved = int(np.argsort(values)[len(values) // 2])
    keep = np.arange(len(values)) != is_unresolved
    yield "a row less", tuple(column[keep] for column in rows)
    yield "a row more", tuple(np.append(column, column[is_unresolved]) for column in rows)
    yield "twice", tuple(np.concatenate([column, column]) for column in rows)
    other = labels.copy()
    other[is_unresolved] = 1 - other[is_unresolved]
    yield "another label", (other, values, *weight)
    other = values.copy()
    other[is_unresolved] = 1.5
    yield "another score", (labels, other, *weight)
    yield "no row", tuple(column[:0] for column in rows)


@pytest.mark.check("changed inputs")
@pytest.mark.parametrize("max_rows", [10, 10**6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", range(6))
def test_data_that_change_between_passes(k, weighted, max_rows):
    rng = np.random.default_rng(16)
    rows = rng.integers(0, 2, 1000), rng.random(1000)
    rows = (*rows, rng.random(1000)) if weighted else rows
    histogram = histogram_of(rows, {"bins": 20, "range": (0, 1)})
    _, changed = list(changes(rows))[k]
    with pytest.raises(ValueError, match="expected the same data"):
        refine_roc_auc(histogram, lambda: [changed], max_rows=max_rows)
    step = refine(histogram, max_rows=max_rows)
    for part in divide(changed, 3):
        try:
            step.update(*part)
        except ValueError:
            break
    with pytest.raises(ValueError, match="expected the same data"):
        refine(step)


@pytest.mark.parametrize("max_rows", [10, 10**6])
def test_scores_that_move_between_cells(max_rows):
    labels = np.array([0, 1] * 20)
    values = np.arange(40) / 40
    histogram = histogram_of((labels, values), {"bins": 2, "range": (0, 1)})
    # As many rows of each class, but not in each bin.
    moved = np.where(values < 0.1, values + 0.5, values)
    with pytest.raises(ValueError, match=r"from .* to .* expected the same data"):
        refine_roc_auc(histogram, lambda: [(labels, moved)], max_rows=max_rows)


def test_scores_that_leave_a_cell_empty():
    labels = np.array([0, 1] * 20)
    values = np.arange(40) / 40
    histogram = histogram_of((labels, values), {"bins": 2, "range": (0, 1)})
    moved = np.where(values < 0.5, values + 0.5, values)
    with pytest.raises(ValueError, match=r"from .* to 0\.4999.* expected the same data"):
        refine_roc_auc(histogram, lambda: [(labels, moved)], max_rows=10)


@pytest.mark.check("repeated tasks")
def test_merging_more_than_there_is_changes_nothing():
    for step, rows in CASES:
        whole, twin = step.copy().update(*rows), step.copy().update(*rows)
        with pytest.raises(ValueError, match="expected the same data"):
            whole.merge(twin)
        with pytest.raises(ValueError, match="expected the same data"):
            whole.merge(whole)
        assert whole == twin


@pytest.mark.check("incompatible states")
def test_steps_that_differ_do_not_merge():
    for (step, _), (other, _) in itertools.combinations(CASES, 2):
        tried()
        assert step != other
        with pytest.raises(ValueError, match="The steps differ"):
            step.merge(other)


def test_integers_that_are_no_doubles():
    values = 2**53 + np.array([0, 1, 2, 3, 4, 5, 6, 7])
    labels = [0, 1, 0, 1, 0, 1, 0, 1]
    histogram = ScoreHistogram().update(labels, values)
    before = histogram.roc_auc()
    assert before.lower <= concordance(labels, values).auc <= before.upper
    for max_rows in (1, 100):
        step = refine(histogram, max_rows=max_rows)
        with pytest.raises(ValueError, match=r"y_score\[1\] is close to 9007199254740992"):
            step.update(labels, values)
        assert step.n_rows == 0
        assert step.roc_auc() == before
    # Those that are settled do no harm.
    values = np.append(values, [5, 6, 7])
    labels = np.array([1] * 8 + [0, 1, 0])
    histogram = ScoreHistogram(bins=2, range=(0, 100)).update(labels, values)
    found = refine_roc_auc(histogram, lambda: [(labels, values)])
    assert found.concordance == concordance(labels, values)


# Arguments ----------------------------------------------------------------------------------------


def some_step(**grid):
    return refine(ScoreHistogram(bins=1, range=(0, 1), **grid).update([0, 1, 1], [0.1, 0.2, 0.3]))


def test_wrong_arguments():
    histogram = ScoreHistogram(bins=1, range=(0, 1)).update([0, 1, 1], [0.1, 0.2, 0.3])
    for tol in (-1e-9, math.nan, math.inf, "0", None, True):
        with pytest.raises(fastauc.InvalidParameterError, match="'tol' parameter of refine "):
            refine(histogram, tol=tol)
    for max_rows in (0, -1, 1.0, None, True, 2**32 + 1):
        with pytest.raises(fastauc.InvalidParameterError, match="'max_rows' parameter of refine_r"):
            refine_roc_auc(histogram, list, max_rows=max_rows)
    with pytest.raises(fastauc.InvalidParameterError, match="'state' parameter"):
        refine(histogram.roc_auc())
    with pytest.raises(fastauc.InvalidParameterError, match="'chunks' parameter"):
        refine_roc_auc(histogram, [])
    with pytest.raises(fastauc.InvalidParameterError, match="'other' parameter"):
        refine(histogram).merge(histogram)
    with pytest.raises(ValueError, match="A part of chunks has 1 entries"):
        refine_roc_auc(histogram, lambda: [([0, 1],)])
    with pytest.raises(TypeError):
        refine(histogram) + 1
    assert refine(histogram) != 1


def test_weights_for_a_step_without():
    step = some_step()
    with pytest.raises(ValueError, match="sample_weight is given, but this pass counts rows"):
        step.update([0], [0.1], [1.0])
    with pytest.raises(ValueError, match="not for rows with weights"):
        some_step(weighted=True).update([0, 1, 1], [0.1, 0.2, 0.3]).concordance()


def test_bad_rows_are_not_added():
    step = some_step()
    with pytest.raises(ValueError, match=r"y_score\[1\] is nan"):
        step.update([0, 1], [0.1, math.nan])
    with pytest.raises(ValueError, match="Found input variables"):
        step.update([0, 1], [0.1])
    assert step == some_step()


def test_concordance_of_a_step():
    step = some_step()
    with pytest.raises(ValueError, match="0 negatives and 0 positives"):
        step.concordance()
    assert step.update([0, 1, 1], [0.1, 0.2, 0.3]).concordance() == (2, 0, 2, 1)
    rows = [0, 1] * 50, np.arange(100) / 128
    histogram = ScoreHistogram(bins=10, range=(0, 1)).update(*rows)
    with pytest.raises(ValueError, match="not for the bounds"):
        refine(histogram, max_rows=30).update(*rows).concordance()


def test_repr():
    step = some_step().update([0], [0.1])
    assert repr(step) == "<Refinement kind='rows': 1 of 3 rows>"


# States -------------------------------------------------------------------------------------------


@pytest.mark.check("state round trips")
@STEPS
def test_states_come_back(step, rows):
    half, other = divide(rows, 2)
    tried(3)
    for part in (step, step.copy().update(*half), step.copy().update(*rows)):
        state = part.to_bytes()
        again = Refinement.from_bytes(state)
        assert again == part
        assert again.to_bytes() == state
        assert again.n_rows == part.n_rows
        assert again.roc_auc() == part.roc_auc()
        assert pickle.loads(pickle.dumps(part)) == part
    # What has been read can be added to, and merged, on either side.
    whole = step.copy().update(*rows).to_bytes()
    first, second = (
        Refinement.from_bytes(step.copy().update(*part).to_bytes()) for part in (half, other)
    )
    assert (first + second).to_bytes() == whole
    assert first.copy().update(*other).to_bytes() == whole
    assert first.merge(second).to_bytes() == whole
    assert refine(Refinement.from_bytes(whole), max_rows=10) == refine(first, max_rows=10)


@pytest.mark.check("state round trips")
@STEPS
def test_equal_steps_have_equal_states(step, rows):
    order = np.random.default_rng(18).permutation(len(rows[0]))
    shuffled = [column[order] for column in rows]
    assert step.copy().update(*shuffled).to_bytes() == step.copy().update(*rows).to_bytes()


@pytest.mark.check("damaged states")
@STEPS
def test_damage(step, rows):
    state = step.copy().update(*divide(rows, 2)[0]).to_bytes()
    rng = np.random.default_rng(19)
    tried(75)
    for length in [0, 3, 16, len(state) - 1, *rng.integers(0, len(state), 20)]:
        with pytest.raises(CorruptStateError):
            Refinement.from_bytes(state[:length])
    for place in rng.integers(0, len(state), 50):
        flipped = bytearray(state)
        flipped[place] ^= 1 << rng.integers(0, 8)
        with pytest.raises(CorruptStateError):
            Refinement.from_bytes(bytes(flipped))
    with pytest.raises(CorruptStateError):
        Refinement.from_bytes(state + b"0")
    with pytest.raises(CorruptStateError, match="has kind 2; expected 1"):
        ScoreHistogram.from_bytes(state)


@pytest.mark.check("forged states")
@STEPS
def test_forgeries(step, rows):
    """Whatever number is changed under a right checksum: an error, or a step that does no harm."""
    part = step.copy().update(*divide(rows, 2)[0])
    payload = part.to_bytes()[16:-4]
    rng = np.random.default_rng(20)
    n_refused = 0
    for place in [*range(0, 240, 8), *(8 * rng.integers(0, len(payload) // 8, 40))]:
        for value in (0, 1, 2**40, 2**64 - 1):
            forged = bytearray(payload)
            forged[place : place + 8] = value.to_bytes(8, "little")
            made = None
            tracemalloc.start()
            try:
                made = Refinement.from_bytes(seal(bytes(forged), kind=2))
            except CorruptStateError:
                n_refused += 1
            finally:
                _, peak = tracemalloc.get_traced_memory()
                tracemalloc.stop()
            # Three to four times the state; texts of errors, the code of what is called first and
            # other threads, 5 to 20 kB.
            assert peak < 4 * len(payload) + 36_000
            assert made is None or made.to_bytes() == seal(bytes(forged), kind=2)
    assert n_refused > 100  # of 280
    tried(280)


def forged(step, old, new):
    """Return the state of a step with other numbers in the place of some."""
    payload, numbers = step.to_bytes()[16:-4], np.array(old, np.uint64).tobytes()
    assert payload.count(numbers) == 1
    payload = payload.replace(numbers, np.array(new, np.uint64).tobytes())
    return seal(payload, kind=2)


@pytest.mark.check("forged states")
def test_an_interval_of_one_class_is_refused():
    for step, _ in CASES:
        if step.weighted:
            continue
        sums = step._plan.known.unresolved.sums
        other = sums.copy()
        other[0] = 0, sums[0].sum()
        with pytest.raises(CorruptStateError, match="it has an interval of one class"):
            Refinement.from_bytes(forged(step, sums, other))


@pytest.mark.check("forged states")
def test_more_rows_than_were_in_doubt_are_refused():
    for step, rows in CASES:
        if step.weighted or step.kind == "rows":
            continue
        whole = step.copy().update(*rows)
        held = whole._content.non_empty()
        found = [*held.sums.sum(axis=0), len(held.sums), *held.sums[0]]
        other = [found[0] + 1, *found[1:3], found[3] + 1, found[4]]
        with pytest.raises(CorruptStateError, match="it has found more rows than were unresolved"):
            Refinement.from_bytes(forged(whole, found, other))


@pytest.mark.check("forged states")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("score", "other"), [(0.0625, -1.0), (0.0625, 0.3125), (0.625, 2.0)])
def test_collected_rows_that_are_not_in_doubt_are_refused(score, other, weighted):
    # Below, between and above the cells of both classes; the order of keys is kept.
    rows = [0, 1, 0, 0, 1], [0.0625, 0.125, 0.3125, 0.5625, 0.625]
    histogram = ScoreHistogram(edges=[0.0, 0.25, 0.5, 1.0], weighted=weighted).update(*rows)
    whole = refine(histogram).update(*rows)
    assert whole.n_rows == 4
    assert Refinement.from_bytes(forged(whole, *keys_of(np.array([0.5625, 0.75])))).n_rows == 4
    with pytest.raises(CorruptStateError, match="it has collected a row that was not unresolved"):
        Refinement.from_bytes(forged(whole, *keys_of(np.array([score, other]))))


@pytest.mark.check("forged states")
def test_counts_of_forged_trees_stay_in_their_places():
    """Keys of other intervals than their cell's are left out, and every search ends."""
    for step, rows in CASES:
        if step.kind == "rows":
            continue
        state = step.to_bytes()
        lows = step._plan.known.tree.low
        for low in lows[:3]:
            key = int(low).to_bytes(8, "little")
            for other in (0, 2**63, 2**64 - 1):
                payload = state[16:-4].replace(key, other.to_bytes(8, "little"), 1)
                made = Refinement.from_bytes(seal(payload, kind=2))
                with contextlib.suppress(ValueError):
                    made.update(*rows)
                assert made.n_rows <= len(rows[0])
