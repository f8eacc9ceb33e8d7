"""Scores that another thread writes to during a call: an answer or an error, never a crash.

The kernels count the rows first and place them afterwards. What is read the second time may be
anything, so no place may follow from it.
"""

import contextlib

import numpy as np
import pytest

from fastauc._kernels import buckets as _buckets
from fastauc._pairs import bucket_map, by_buckets, sorting, unweighted, weighted
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from support.laws import first
from support.pairs import draw_labels, make_sample
from support.programs import run_program
from support.reliability import tried

PROGRAM = """
    import random, sys, threading, time, warnings

    import numpy as np

    import fastauc

    N_ROWS = 100_003
    prevalence, dtype, n_calls = float(sys.argv[1]), np.dtype(sys.argv[2]), int(sys.argv[3])
    rng = np.random.default_rng(0)
    labels = (rng.random(N_ROWS) < prevalence).astype(np.int64)
    weights = rng.random(N_ROWS) + 0.1
    groups = rng.integers(0, 50, N_ROWS)
    uniform = rng.random(N_ROWS)
    wide = rng.choice([-1.0, 1.0], N_ROWS) * 10.0 ** rng.uniform(-30, 18, N_ROWS)
    clusters = rng.integers(0, 9, N_ROWS) + 1e-12 * rng.random(N_ROWS)
    contents = [uniform.round(6), uniform.round(3), uniform, wide, clusters]
    if dtype.kind == "f":
        contents.append(np.full(N_ROWS, np.nan))
    else:
        contents[2] = 2.0**40 * uniform
    contents = [content.astype(dtype) for content in contents]
    scores = contents[2].copy()
    calls = [
        fastauc.roc_auc_score,
        lambda *rows: fastauc.roc_auc_score(*rows, n_jobs=2),
        lambda *rows: fastauc.roc_auc_score(*rows, sample_weight=weights),
        fastauc.average_precision_score,
        fastauc.ks_score,
        fastauc.roc_curve,
        fastauc.inference.roc_auc_ci,
        fastauc.det_curve,
        fastauc.precision_recall_curve,
        fastauc.confusion_matrix_at_thresholds,
        fastauc.concordance,
        fastauc.metrics.gains_table,
        fastauc.inference.placements,
        fastauc.learning.pairwise_loss,
        lambda *rows: fastauc.inference.roc_auc_test(*rows, weights),
        lambda *rows: fastauc.groups.roc_auc_by_group(*rows, groups),
        lambda *rows: fastauc.groups.roc_auc_by_column(rows[0], [rows[1], rows[1]]),
        lambda *rows: fastauc.roc_curve(*rows, sample_weight=weights),
        lambda *rows: fastauc.metrics.precision_at_k(*rows, 1000),
        fastauc.metrics.pr_auc_score,
        lambda *rows: fastauc.streaming.ScoreHistogram(512, range=(-1e3, 1e3)).update(*rows),
    ]
    n_answers, wrong = [], []
    done = threading.Event()

    def write():
        draw = random.Random(0)
        while not done.is_set():
            scores[:] = draw.choice(contents)
            time.sleep(0.003 * draw.random())

    def read(seed):
        draw = random.Random(seed)
        for _ in range(n_calls):
            call = draw.choice(calls)
            try:
                answer = call(labels, scores)
            except Exception:
                continue
            n_answers.append(1)
            if isinstance(answer, float) and not (answer != answer or 0 <= answer <= 1):
                wrong.append((call.__name__, answer))

    warnings.simplefilter("ignore")
    writer = threading.Thread(target=write)
    readers = [threading.Thread(target=read, args=(seed,)) for seed in (1, 2)]
    for thread in (writer, *readers):
        thread.start()
    for reader in readers:
        reader.join()
    done.set()
    print(len(n_answers), wrong)
"""


@pytest.mark.check("arrays that change")
@pytest.mark.parametrize("n_calls", [400, pytest.param(12_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("prevalence", "dtype"), first(1, [(0.5, "f8"), (0.02, "f8"), (0.1, "f4"), (0.1, "i8")])
)
def test_a_writer_crashes_nothing(prevalence, dtype, n_calls):
    out, _ = run_program(PROGRAM, prevalence, dtype, n_calls)
    n_answers, wrong = out.split(maxsplit=1)
    assert int(n_answers) > 0
    tried(n_answers)
    assert wrong.strip() == "[]"


# The same, without a race: the scores change between two passes -----------------------------------

N_ROWS = 40_000  # more than are ordered at once
CHANGED = {
    "far above": 1e300,
    "far below": -1e300,
    "just below": np.nextafter(0, -1),
    "NaN": np.nan,
    "infinity": np.inf,
    "negative infinity": -np.inf,
    "one of them": 0.5,
}


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    return make_sample(draw_labels(rng, N_ROWS, N_ROWS // 5), rng.random(N_ROWS))


@pytest.fixture
def change_after(monkeypatch):
    """Return a function that lets a step of a module write to the scores when it is done."""

    def change(module, name, scores, content):
        step = getattr(module, name)

        def changed(*args):
            answer = step(*args)
            scores[1000:] = content
            return answer

        monkeypatch.setattr(module, name, changed)

    return change


def map_of(sample):
    drawn = bucket_map.draw_sample(sample.score)
    return bucket_map.choose_map(drawn, *bucket_map.range_of(sample), 64)


@pytest.mark.parametrize("content", CHANGED.values(), ids=CHANGED)
def test_any_score_is_counted_in_some_bucket(sample, content):
    low, high = bucket_map.range_of(sample)
    drawn = bucket_map.draw_sample(sample.score)
    line, intervals = (bucket_map.choose_map(of, low, high, 64) for of in (drawn, drawn**99))
    assert len(intervals.intervals) > len(line.intervals)
    for chosen in line, intervals:
        # Behind the buckets there is room for those that should not be.
        counts = np.zeros(2**22, np.uint32)
        scores = np.append(np.full(2 * 8 + 3, content), sample.score)
        label = np.zeros(len(scores), np.uint8)
        _buckets.count_rows(label, scores, chosen.line, chosen.intervals, counts)
        assert counts[: 2 * chosen.n_buckets].sum() == len(scores)
        starts, offsets = np.zeros(2**22, np.uint32), np.empty(len(scores) + 8, np.int32)
        _buckets.place_rows(label, scores, chosen.line, chosen.intervals, starts, offsets)
        np.testing.assert_array_equal(starts, counts)
        assert bucket_map.numbers_of(scores, chosen).max() < chosen.n_buckets


def weighted_sample():
    rng = np.random.default_rng(1)
    labels, scores = draw_labels(rng, N_ROWS), rng.random(N_ROWS)
    return Rows("roc_auc_score", labels, scores, rng.random(N_ROWS) + 0.1, 1).sample(SERIAL)


@pytest.mark.parametrize("content", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("route", ["buckets", "sort", "weighted buckets", "weighted sort"])
def test_rows_that_are_not_those_counted_are_refused(sample, content, route, change_after):
    module, step, count = {
        "buckets": (by_buckets, "start_by_buckets", unweighted.count_pairs),
        "sort": (sorting, "count_buckets", unweighted.count_pairs),
        "weighted buckets": (weighted, "start_by_buckets", weighted.weighted_ratio),
        "weighted sort": (sorting, "count_buckets", weighted.weighted_ratio),
    }[route]
    rows = weighted_sample() if route.startswith("weighted") else sample
    change_after(module, step, rows.score, content)
    with pytest.raises(RuntimeError, match="The arguments were changed while they were read"):
        count(rows, SERIAL, route.split()[-1])


def test_chosen_rows_that_are_more_or_fewer_are_refused(sample):
    chosen = map_of(sample)
    ends = by_buckets.start_by_buckets(sample, chosen, SERIAL).ends
    is_chosen = (np.arange(64) == 7).astype(np.uint8)
    n_neg, n_pos = int(ends[14] - ends[13]), int(ends[15] - ends[14])
    label = by_buckets.gather_rows(sample, chosen, is_chosen, n_neg, n_pos, SERIAL).label
    assert (len(label), label.sum()) == (n_neg + n_pos, n_pos)
    inside = sample.score[bucket_map.numbers_of(sample.score, chosen) == 7][0]
    outside = sample.score[bucket_map.numbers_of(sample.score, chosen) == 8][0]
    scores = sample.score.copy()
    for content in inside, outside:
        sample.score[100:] = content
        with pytest.raises(RuntimeError, match="changed"):
            by_buckets.gather_rows(sample, chosen, is_chosen, n_neg, n_pos, SERIAL)
    # As many rows, but of other classes.
    sample.score[:] = scores
    numbers = bucket_map.numbers_of(scores, chosen)
    positive, negative = (
        np.flatnonzero((numbers == number) & (sample.label == own))[0]
        for number, own in ((7, 1), (8, 0))
    )
    sample.score[[positive, negative]] = outside, inside
    with pytest.raises(RuntimeError, match="changed"):
        by_buckets.gather_rows(sample, chosen, is_chosen, n_neg, n_pos, SERIAL)


@pytest.mark.parametrize("content", CHANGED.values(), ids=CHANGED)
def test_nothing_beyond_1_of_a_rare_class_beside_other_rows(content, change_after):
    rng = np.random.default_rng(2)
    for n_pos in N_ROWS // 100, N_ROWS - N_ROWS // 100:
        sample = make_sample(draw_labels(rng, N_ROWS, n_pos), rng.random(N_ROWS))
        change_after(unweighted, "_rank_buckets", sample.score, content)
        with contextlib.suppress(RuntimeError):
            not_above, tied = unweighted.count_pairs(sample, SERIAL, "rare")
            assert 0 <= tied <= not_above <= sample.n_pos * sample.n_neg
    sample = make_sample(draw_labels(rng, N_ROWS, N_ROWS // 100), rng.random(N_ROWS))
    change_after(unweighted, "_table_of_keys", sample.score, content)
    with contextlib.suppress(RuntimeError):
        fps, tps = unweighted.counts_at_rare_positives(sample, SERIAL)
        assert fps[0] >= 0
        assert (np.diff(fps) >= 0).all()
        assert tps[-1] == sample.n_pos
